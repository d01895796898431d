/* provot.h - limits the elongation of springs after a step (Provot 1995), as the inverse dynamics of Vassilev et al.
 * (2001) do it too.
 *
 * Sweeps over the edges in their order; each that is longer than (1 + limit) times its rest length is shortened to that
 * along itself, its ends moving by the inverses of their masses, a pinned end not at all. Velocities follow the
 * displacements, v += dx / h, so that two free ends keep their momentum. Both ends pinned: left alone.
 *
 * Correcting one edge stretches its neighbours. The sweeps are a Gauss-Seidel iteration whose rate falls as the chain
 * of edges between pins gets long: a chain of 20 edges stretched to twice its length still has 16 % after 500 sweeps
 * of a 10 % limit. What it does to forces and energy is not physics. The result depends on the order of the edges, and
 * on nothing else: it runs on one thread.
 */
#ifndef WEFT_STEP_PROVOT_H
#define WEFT_STEP_PROVOT_H

#include "base/vector.h"

typedef struct wf_provot {
    int32_t edge_count;
    const int32_t (*edges)[2];
    const double *rest_lengths; /* [edge_count] m; edges of rest length 0 are left alone */
    const double *masses;       /* [vertices] kg */
    const uint8_t *prescribed;  /* [3 * vertices] not 0 at pinned vertices, or NULL */
    double limit;               /* of L / l0 - 1, >= 0; Provot's own is 0.1 */
    int32_t sweeps;             /* at most */
} wf_provot;

/* Corrects x and, unless it is NULL, v after a step of length h > 0. Stops early when no edge is too long. Returns the
 * sweeps made; `elongation` (may be NULL) receives the largest L / l0 - 1 that is left. */
int32_t wf_provot_correct(const wf_provot *provot, double h, wf_vec3 *x, wf_vec3 *v, double *elongation);

#endif
