/* backward_euler.h - backward Euler with one linear solve a step (Baraff and Witkin 1998; Keckeisen 2005, eq. 2.6). */
#ifndef WEFT_STEP_BACKWARD_EULER_H
#define WEFT_STEP_BACKWARD_EULER_H

#include "step/system.h"

/* One step of length h from (x, v). Linearising f about (x, 0) in the new state, with forces linear in v,
 *
 *     (M + h D + h^2 K) v1 = M v + h f(x, 0),        x1 = x + h v1.
 *
 * First order, damps every oscillation, stable for any h when K and D are positive semidefinite. `v1` may hold
 * prescribed components on entry (see wf_system.solve). `force` and `right_hand_side` are scratch arrays of
 * `system->size` doubles. On failure `x1` is not written. */
wf_status wf_backward_euler_step(const wf_system *system, double h, const double *x, const double *v, double *x1,
                                 double *v1, double *force, double *right_hand_side);

#endif
