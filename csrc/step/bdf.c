/* bdf.c - backward differentiation of orders 2 to 4 with variable steps.
 *
 * The polynomial through the new state and the last k satisfies the equation of motion at the new time. Its derivative
 * there is (Q1 - sum_j w_j Q_-j) / gamma with weights from the present step lengths, so that a change of the step keeps
 * the order; equal steps give the textbook's 4/3, -1/3; 2/3 and so on. Order k, A-stable for k = 2, A(86 degrees) and
 * A(73 degrees) for 3 and 4.
 *
 * Beginning: order 2 starts with one step of backward Euler, whose error, made once, is of order h^2. Orders 3 and 4
 * make their first k - 1 steps with the L-stable diagonally implicit Runge-Kutta scheme of order 3 of Alexander (1977),
 * whose error in those few steps is of order h^4.
 *
 * Steps that grow by more than a factor are unstable when repeated: 1 + sqrt(2), 1.53 and 1.28 (Grigorieff 1983; Calvo,
 * Grande and Grigorieff 1990). A step beyond begins anew.
 */
#include "step/runge_kutta.h"
#include "step/stage.h"

static wf_status step_bdf(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                          const double *v, double *x1, double *v1)
{
    const wf_history *history = &self->history;
    if (history->count < self->class->history && self->class->order > 2) {
        return wf_runge_kutta_step(self, &wf_tableau_alexander, system, t, h, x, v, x1, v1);
    }
    double *a = wf_scheme_vector(self, 0), *b = wf_scheme_vector(self, 1), weights[WF_HISTORY_STATES + 1];
    if (!a || !b) {
        return WF_ERROR_MEMORY;
    }
    double gamma = wf_history_differentiation(history->count, history->age, h, weights);
    wf_scheme_scale(self, a, weights[0], x);
    wf_scheme_scale(self, b, weights[0], v);
    wf_past past = {.count = history->count + 1, .weight = {weights[0]}, .x = {x}, .span = gamma};
    for (int k = 0; k < history->count; k++) {
        past.weight[k + 1] = weights[k + 1];
        past.x[k + 1] = history->x[k];
        wf_scheme_sum(self, a, a, weights[k + 1], history->x[k]);
        wf_scheme_sum(self, b, b, weights[k + 1], history->v[k]);
    }
    wf_stage stage = {.t = t + h, .position_scale = gamma, .force_scale = gamma, .a = a, .b = b,
                      .past = past, .elapsed = h, .x0 = x, .v0 = v};
    return wf_stage_solve(self, system, &stage, x1, v1);
}

const wf_integrator_class wf_scheme_bdf2 = {
    .name = "bdf2",
    .describes = "implicit, order 2, L-stable two-step scheme; the accurate choice for smooth motion",
    .order = 2,
    .implicit = true,
    .solves_for_end = true,
    .history = 1,
    .largest_ratio = 2.4,
    .newton = WF_NEWTON_CORRECTED,
    .step = step_bdf};

const wf_integrator_class wf_scheme_bdf3 = {
    .name = "bdf3",
    .describes = "implicit, order 3, three-step scheme; not A-stable: weakly damped oscillations can grow",
    .order = 3,
    .implicit = true,
    .history = 2,
    .largest_ratio = 1.5,
    .newton = WF_NEWTON_FULL,
    .step = step_bdf};

const wf_integrator_class wf_scheme_bdf4 = {
    .name = "bdf4",
    .describes = "implicit, order 4, four-step scheme; not A-stable: oscillations need damping above 16 degrees",
    .order = 4,
    .implicit = true,
    .history = 3,
    .largest_ratio = 1.25,
    .newton = WF_NEWTON_FULL,
    .step = step_bdf};
