/* euler.c - the three Euler schemes, all of order 1.
 *
 *     forward     x1 = x + h v,   M (v1 - v) = h f(t, x, v)
 *     symplectic  M (v1 - v) = h f(t, x, v),   x1 = x + h v1      (printed as "explicit Euler" by Desbrun et al. 1999)
 *     backward    x1 = x + h v1,  M (v1 - v) = h f(t + h, x1, v1)
 */
#include "step/stage.h"

/* v1 = v + h M^-1 f(t, x, v) */
static wf_status accelerate(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                            const double *v, double *v1)
{
    double *force = wf_scheme_vector(self, 0), *acceleration = wf_scheme_vector(self, 1);
    if (!force || !acceleration) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = wf_scheme_acceleration(self, system, t, x, v, force, acceleration);
    if (status == WF_OK) {
        wf_scheme_sum(self, v1, v, h, acceleration);
    }
    return status;
}

wf_status wf_scheme_step_forward_euler(wf_integrator *self, const wf_system *system, double t, double h,
                                       const double *x, const double *v, double *x1, double *v1)
{
    wf_status status = accelerate(self, system, t, h, x, v, v1);
    if (status == WF_OK) {
        wf_scheme_sum(self, x1, x, h, v);
    }
    return status;
}

static wf_status step_symplectic(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                 const double *v, double *x1, double *v1)
{
    wf_status status = accelerate(self, system, t, h, x, v, v1);
    if (status == WF_OK) {
        wf_scheme_sum(self, x1, x, h, v1);
    }
    return status;
}

static wf_status step_backward(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                               const double *v, double *x1, double *v1)
{
    wf_stage stage = {.t = t + h, .position_scale = h, .force_scale = h, .a = x, .b = v,
                      .past = {.count = 1, .weight = {1}, .x = {x}, .span = h}, .elapsed = h, .x0 = x, .v0 = v};
    return wf_stage_solve(self, system, &stage, x1, v1);
}

const wf_integrator_class wf_scheme_forward_euler = {
    .name = "forward euler",
    .describes = "explicit, order 1; gains energy at every step where damping does not take it",
    .order = 1,
    .step = wf_scheme_step_forward_euler};

const wf_integrator_class wf_scheme_symplectic_euler = {
    .name = "symplectic euler",
    .describes = "explicit, order 1, new velocities move the positions; keeps energy bounded up to h omega = 2",
    .order = 1,
    .partitioned = true,
    .step = step_symplectic};

const wf_integrator_class wf_scheme_backward_euler = {
    .name = "backward euler",
    .describes = "implicit, order 1, L-stable; the robust choice, damps every oscillation",
    .order = 1,
    .implicit = true,
    .solves_for_end = true,
    .newton = WF_NEWTON_LINEAR,
    .step = step_backward};
