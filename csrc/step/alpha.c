/* alpha.c - one-step schemes of the alpha family: (Volino and Magnenat-Thalmann 2005)
 *
 *     Q1 = Q0 + h Q'(t + alpha h, (1 - alpha) Q0 + alpha Q1)
 *
 * Forward Euler at alpha = 0, the implicit midpoint rule at 1/2, backward Euler at 1. Stable for any step from 1/2 on;
 * stiff modes are multiplied by -(1 - alpha) / alpha. Order 2 at 1/2, otherwise 1. The stage is the state Z at
 * t + alpha h, and Q1 = Q0 + (Z - Q0) / alpha.
 */
#include "step/stage.h"

static wf_status step_alpha(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                            const double *v, double *x1, double *v1)
{
    double alpha = self->params.alpha, gamma = alpha * h;
    if (alpha == 0) {
        return wf_scheme_step_forward_euler(self, system, t, h, x, v, x1, v1);
    }
    double *stage_x = wf_scheme_vector(self, 0), *stage_v = wf_scheme_vector(self, 1);
    if (!stage_x || !stage_v) {
        return WF_ERROR_MEMORY;
    }
    wf_stage stage = {.t = t + gamma, .position_scale = gamma, .force_scale = gamma, .a = x, .b = v, .elapsed = gamma,
                      .x0 = x, .v0 = v};
    wf_status status = wf_stage_solve(self, system, &stage, stage_x, stage_v);
    if (status == WF_OK) {
        wf_scheme_sum(self, x1, x, h, stage_v); /* (Z - x) / alpha = h V */
        wf_scheme_combine(self, v1, 1 - 1 / alpha, v, 1 / alpha, stage_v);
    }
    return status;
}

static wf_status create_alpha(wf_integrator *self)
{
    self->implicit = self->params.alpha > 0;
    return WF_OK;
}

static wf_status create_midpoint(wf_integrator *self)
{
    self->params.alpha = 0.5;
    return WF_OK;
}

const wf_integrator_class wf_scheme_alpha = {
    .name = "alpha",
    .describes = "implicit, order 1, forces at t + alpha h: from forward (0) over midpoint (0.5) to backward Euler (1)",
    .order = 1,
    .implicit = true,
    .newton = WF_NEWTON_LINEAR,
    .alpha = 0.6,
    .create = create_alpha,
    .step = step_alpha};

const wf_integrator_class wf_scheme_implicit_midpoint = {
    .name = "implicit midpoint",
    .describes = "implicit, order 2, conserves the energy of linear systems; stiff modes ring on undamped",
    .order = 2,
    .implicit = true,
    .newton = WF_NEWTON_LINEAR,
    .create = create_midpoint,
    .step = step_alpha};
