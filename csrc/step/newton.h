/* newton.h - Newton's method for the implicit stage: exact, inexact and simplified, with a line search. */
#ifndef WEFT_STEP_NEWTON_H
#define WEFT_STEP_NEWTON_H

#include "step/stage.h"

/* As wf_stage_solve, by the variant in self->params. */
wf_status wf_newton_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v);

/* One iteration from the x and v of a linear solve, at the accuracy of the system's own solver; they stay where it does
 * not help. */
wf_status wf_newton_correct(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v);

/* X = a + position_scale v, prescribed components where they move. */
void wf_stage_place(wf_integrator *self, const wf_system *system, const wf_stage *stage, const double *v, double *x);

wf_status wf_stage_forces(wf_integrator *self, const wf_system *system, const wf_stage *stage, const double *x,
                          const double *v, double *force);

#endif
