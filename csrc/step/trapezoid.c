/* trapezoid.c - the trapezoidal rule, the second of the Adams-Moulton schemes.
 *
 *     x1 = x + h/2 (v + v1),     M (v1 - v) = h/2 (f(t, x, v) + f(t + h, x1, v1))
 */
#include "step/stage.h"

static wf_status step_trapezoid(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                const double *v, double *x1, double *v1)
{
    double *impulse = wf_scheme_vector(self, 0), *a = wf_scheme_vector(self, 1);
    if (!impulse || !a) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = wf_scheme_forces(self, system, t, x, v, impulse);
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_scale(self, impulse, h / 2, impulse);
    wf_scheme_sum(self, a, x, h / 2, v);
    wf_stage stage = {.t = t + h, .position_scale = h / 2, .force_scale = h / 2, .a = a, .b = v, .impulse = impulse,
                      .elapsed = h, .x0 = x, .v0 = v};
    return wf_stage_solve(self, system, &stage, x1, v1);
}

const wf_integrator_class wf_scheme_trapezoid = {
    .name = "trapezoid",
    .describes = "implicit, order 2, the mean of the forces before and after; stiff modes ring on undamped",
    .order = 2,
    .implicit = true,
    .newton = WF_NEWTON_LINEAR,
    .step = step_trapezoid};
