/* stage.h - the one nonlinear equation that all implicit schemes solve.
 *
 *     X = a + position_scale V,      M (V - b) = force_scale f(t, X, V) + impulse
 *
 * Backward Euler has a = x0, b = v0 and both scales h; backward differentiation takes a and b from the history and
 * gamma = beta h; the alpha family gamma = alpha h. With A = M + force_scale D + force_scale position_scale K Newton's
 * correction solves A dV = M (b - V) + force_scale f(t, X, V) + impulse.
 *
 * One solve is the linearly implicit step of Baraff and Witkin (1998): it starts from V = 0, X = a where the forces are
 * linear in the velocity or the system takes their tangents at v0, and from the Taylor expansion about (a, b)
 * otherwise. Newton's method goes on from there.
 *
 * Its line search lowers the incremental potential  1/2 |V - b|_M^2 - impulse . V + (force_scale / position_scale) E(X)
 * where the system knows its energy, and the residual otherwise. The change of the potential is taken from its slopes r
 * . dV at both ends, which hold what viscous forces do as well; the energy itself tells where positions are not
 * allowed. Viscous forces of backward differentiation, backward Euler among it, have a potential too (model/past.h) and
 * the exact matrix knows it; in other stages it does not know that they turn with their elements. Slow convergence is
 * accelerated (acceleration.h): the definite matrix is a stand-in where elements are compressed.
 */
#ifndef WEFT_STEP_STAGE_H
#define WEFT_STEP_STAGE_H

#include "step/scheme.h"

typedef struct wf_stage {
    double t;
    double position_scale, force_scale;
    const double *a, *b;
    wf_past past;          /* a = sum_k past.weight[k] past.x[k], where that is all of a; its span: position_scale */
    const double *impulse; /* N s, or NULL */
    bool stiff;            /* f is the system's stiff part */
    double elapsed;        /* s since the start of the step at (x0, v0), at which X and V are taken */
    const double *x0, *v0;
} wf_stage;

/* Solves for X and V, arrays that overlap no other. Prescribed components are X = x0 + elapsed v0 and V = v0. On
 * failure self->diverged tells whether it was Newton's method that gave up. */
wf_status wf_stage_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v);

#endif
