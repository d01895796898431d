/* imex.c - implicit-explicit schemes: the stiff part f_s of the forces implicit, the rest n = f - f_s explicit.
 *
 *     imex euler   M (v1 - v) = h n(t, x, v) + h f_s(t + h, x1, v1),     x1 = x + h v1    (Eberhardt et al. 2000)
 *     imex bdf2    backward differentiation of order 2 with n extrapolated to t + h from the last two steps
 *                  (Ascher, Ruuth and Wetton 1995), variable steps; begins with a step of imex euler
 *
 * With springs split into their linear part and the rest, the matrix of the linear part is constant.
 */
#include <string.h>

#include "step/stage.h"

/* What is remembered is LAST: n at the start of the last step. */
enum { LAST, REMEMBERED, REST = REMEMBERED, STIFF, START_X, START_V, EXTRAPOLATED, VECTORS };

/* n(t, x, v) in vector REST. */
static wf_status find_rest(wf_integrator *self, const wf_system *system, double t, const double *x, const double *v)
{
    for (size_t k = 0; k < VECTORS; k++) {
        if (!wf_scheme_vector(self, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    wf_status status = wf_scheme_forces(self, system, t, x, v, self->vectors[REST]);
    if (status == WF_OK) {
        status = wf_scheme_stiff_forces(self, system, t, x, v, self->vectors[STIFF]);
    }
    if (status == WF_OK) {
        wf_scheme_sum(self, self->vectors[REST], self->vectors[REST], -1, self->vectors[STIFF]);
    }
    return status;
}

static wf_status solve_euler(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                             const double *v, double *x1, double *v1)
{
    wf_scheme_scale(self, self->vectors[EXTRAPOLATED], h, self->vectors[REST]);
    wf_stage stage = {.t = t + h, .position_scale = h, .force_scale = h, .a = x, .b = v,
                      .past = {.count = 1, .weight = {1}, .x = {x}, .span = h},
                      .impulse = self->vectors[EXTRAPOLATED], .stiff = true, .elapsed = h, .x0 = x, .v0 = v};
    return wf_stage_solve(self, system, &stage, x1, v1);
}

static wf_status step_euler(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                            const double *v, double *x1, double *v1)
{
    wf_status status = find_rest(self, system, t, x, v);
    return status == WF_OK ? solve_euler(self, system, t, h, x, v, x1, v1) : status;
}

static wf_status solve_bdf2(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                            const double *v, double *x1, double *v1)
{
    const wf_history *history = &self->history;
    double weights[WF_HISTORY_STATES + 1], ratio = h / history->age[0];
    double gamma = wf_history_differentiation(1, history->age, h, weights);
    double *a = self->vectors[START_X], *b = self->vectors[START_V], *impulse = self->vectors[EXTRAPOLATED];
    wf_scheme_combine(self, a, weights[0], x, weights[1], history->x[0]);
    wf_scheme_combine(self, b, weights[0], v, weights[1], history->v[0]);
    wf_scheme_combine(self, impulse, gamma * (1 + ratio), self->vectors[REST], -gamma * ratio, self->vectors[LAST]);
    const wf_past past = {.count = 2, .weight = {weights[0], weights[1]}, .x = {x, history->x[0]}, .span = gamma};
    wf_stage stage = {.t = t + h, .position_scale = gamma, .force_scale = gamma, .a = a, .b = b, .past = past,
                      .impulse = impulse, .stiff = true, .elapsed = h, .x0 = x, .v0 = v};
    return wf_stage_solve(self, system, &stage, x1, v1);
}

static wf_status step_bdf2(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                           const double *v, double *x1, double *v1)
{
    wf_status status = find_rest(self, system, t, x, v);
    if (status == WF_OK) {
        status = self->memory.known && self->history.count > 0 ? solve_bdf2(self, system, t, h, x, v, x1, v1)
                                                               : solve_euler(self, system, t, h, x, v, x1, v1);
    }
    if (status == WF_OK) {
        memcpy(self->vectors[LAST], self->vectors[REST], self->size * sizeof *x);
        self->memory.known = true;
    }
    return status;
}

const wf_integrator_class wf_scheme_imex_euler = {
    .name = "imex euler",
    .describes = "order 1: the stiff part of the forces by backward Euler, the rest by forward Euler",
    .order = 1,
    .implicit = true,
    .needs_stiff_forces = true,
    .newton = WF_NEWTON_LINEAR,
    .step = step_euler};

const wf_integrator_class wf_scheme_imex_bdf2 = {
    .name = "imex bdf2",
    .describes = "order 2: the stiff part of the forces by bdf2, the rest extrapolated from the last two steps",
    .order = 2,
    .implicit = true,
    .needs_stiff_forces = true,
    .history = 1,
    .memory_vectors = REMEMBERED,
    .largest_ratio = 2.4,
    .newton = WF_NEWTON_LINEAR,
    .step = step_bdf2};
