/* alpha_bdf2.c - generalised two-step backward differentiation (Volino and Magnenat-Thalmann 2005), variable steps.
 *
 *     dQ = beta dQ_previous + delta Q'(t + alpha h, Q0 + alpha dQ),     with w = h / h_previous
 *     beta = (2 alpha - 1) w^2 / (1 + 2 alpha w),     delta = h (1 + w) / (1 + 2 alpha w)
 *
 * BDF2 at alpha = 1, the implicit midpoint rule at 1/2, the leapfrog scheme at 0. At 1/sqrt(3) it damps little and is
 * stable; the paper calls that order 3, but evaluating at the linear Q0 + alpha dQ leaves order 2. The first step is
 * one of backward Euler (forward Euler for alpha = 0).
 */
#include "step/stage.h"

static wf_status step_alpha_bdf2(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                 const double *v, double *x1, double *v1)
{
    const wf_history *history = &self->history;
    double alpha = self->params.alpha, beta = 0, delta = h;
    double *change_x = wf_scheme_vector(self, 0), *change_v = wf_scheme_vector(self, 1); /* beta dQ_previous */
    double *a = wf_scheme_vector(self, 2), *b = wf_scheme_vector(self, 3);
    double *stage_x = wf_scheme_vector(self, 4), *stage_v = wf_scheme_vector(self, 5);
    if (!change_x || !change_v || !a || !b || !stage_x || !stage_v) {
        return WF_ERROR_MEMORY;
    }
    if (history->count > 0) {
        double ratio = h / history->age[0], over = 1 / (1 + 2 * alpha * ratio);
        beta = (2 * alpha - 1) * ratio * ratio * over;
        delta = h * (1 + ratio) * over;
        wf_scheme_combine(self, change_x, beta, x, -beta, history->x[0]);
        wf_scheme_combine(self, change_v, beta, v, -beta, history->v[0]);
    } else {
        alpha = alpha > 0 ? 1 : 0;
        wf_scheme_scale(self, change_x, 0, x);
        wf_scheme_scale(self, change_v, 0, v);
    }
    if (alpha == 0) {
        wf_status status = wf_scheme_acceleration(self, system, t, x, v, a, b);
        if (status == WF_OK) {
            wf_scheme_sum(self, x1, x, delta, v);
            wf_scheme_sum(self, x1, x1, 1, change_x);
            wf_scheme_sum(self, v1, v, delta, b);
            wf_scheme_sum(self, v1, v1, 1, change_v);
        }
        return status;
    }
    wf_scheme_sum(self, a, x, alpha, change_x);
    wf_scheme_sum(self, b, v, alpha, change_v);
    double gamma = alpha * delta;
    wf_stage stage = {.t = t + alpha * h, .position_scale = gamma, .force_scale = gamma, .a = a, .b = b,
                      .elapsed = alpha * h, .x0 = x, .v0 = v};
    wf_status status = wf_stage_solve(self, system, &stage, stage_x, stage_v);
    if (status == WF_OK) {
        wf_scheme_sum(self, x1, x, delta, stage_v);
        wf_scheme_sum(self, x1, x1, 1, change_x);
        wf_scheme_combine(self, v1, 1 - 1 / alpha, v, 1 / alpha, stage_v);
    }
    return status;
}

static wf_status create_alpha_bdf2(wf_integrator *self)
{
    self->implicit = self->params.alpha > 0;
    return WF_OK;
}

const wf_integrator_class wf_scheme_alpha_bdf2 = {
    .name = "alpha bdf2",
    .describes = "implicit, order 2, two-step scheme from midpoint (alpha 0.5) to bdf2 (1); damps little at 1/sqrt(3)",
    .order = 2,
    .implicit = true,
    .history = 1,
    .largest_ratio = 2.4,
    .newton = WF_NEWTON_CORRECTED,
    .alpha = 0.57735026918962576451,
    .create = create_alpha_bdf2,
    .step = step_alpha_bdf2};
