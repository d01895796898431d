/* runge_kutta.h - one Runge-Kutta step, for schemes that start with one. */
#ifndef WEFT_STEP_RUNGE_KUTTA_H
#define WEFT_STEP_RUNGE_KUTTA_H

#include "step/scheme.h"

/* As the step of a class, with the scheme's vectors 0 to 5 + 2 * stages as scratch. */
wf_status wf_runge_kutta_step(wf_integrator *self, const wf_tableau *tableau, const wf_system *system, double t,
                              double h, const double *x, const double *v, double *x1, double *v1);

#endif
