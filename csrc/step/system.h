/* system.h - the abstract second-order system M x'' = f(x, x') that every time integrator works on.
 *
 * Positions and velocities are arrays of `size` doubles. Cloth gives three per vertex; a test equation gives as many as
 * it likes. The system keeps whatever it needs behind `user`; an integrator sees only these calls.
 */
#ifndef WEFT_STEP_SYSTEM_H
#define WEFT_STEP_SYSTEM_H

#include "base/context.h"

typedef struct wf_system {
    void *user;
    size_t size;

    /* f(x, v), overwriting `force`. */
    wf_status (*forces)(void *user, const double *x, const double *v, double *force);

    /* y = M v */
    void (*multiply_mass)(void *user, const double *v, double *y);

    /* Forms the operator A = M + stiffness_scale K(x) + damping_scale D(x) with K = -df/dx and D = -df/dv, both
     * symmetric positive semidefinite, for the next `solve`. */
    wf_status (*linearise)(void *user, const double *x, double stiffness_scale, double damping_scale);

    /* Solves A v = right_hand_side. `v` holds the first guess and the prescribed components. */
    wf_status (*solve)(void *user, const double *right_hand_side, double *v);
} wf_system;

#endif
