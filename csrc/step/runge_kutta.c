/* runge_kutta.c - Runge-Kutta schemes from a tableau, on the first-order form (x, v)' = (v, M^-1 f(t, x, v)).
 *
 * Explicit stages are evaluated; diagonally implicit ones are solved by the implicit stage, which gives the slope
 * M^-1 f as (V - b) / (h a_ii). A tableau with a second set of weights has its step controlled by their difference.
 */
#include <math.h>
#include <string.h>

#include "step/runge_kutta.h"
#include "step/stage.h"

typedef struct runge_kutta {
    wf_integrator head;
    wf_tableau tableau;
} runge_kutta;

/* Vectors: force, the state of a stage, the start of an implicit stage, and two slopes for each stage. */
enum { FORCE, STAGE_X, STAGE_V, START_X, START_V, SLOPES };

_Static_assert(SLOPES + 2 * WF_TABLEAU_STAGES <= WF_SCHEME_VECTORS, "a tableau's slopes need a vector each");

static double *slope_x(wf_integrator *self, int32_t stage)
{
    return self->vectors[SLOPES + 2 * stage];
}

static double *slope_v(wf_integrator *self, int32_t stage)
{
    return self->vectors[SLOPES + 2 * stage + 1];
}

/* y = y0 + h sum_j weight_j slope_j over the stages before `count`. */
static void add_slopes(wf_integrator *self, double *y, const double *y0, double h, const double *weights, int32_t count,
                       double *(*slope)(wf_integrator *, int32_t))
{
    memcpy(y, y0, self->size * sizeof *y);
    for (int32_t j = 0; j < count; j++) {
        if (weights[j] != 0) {
            wf_scheme_sum(self, y, y, h * weights[j], slope(self, j));
        }
    }
}

static wf_status explicit_stage(wf_integrator *self, const wf_system *system, const wf_tableau *tableau, int32_t i,
                                double t, double h, const double *x, const double *v)
{
    double *stage_x = self->vectors[STAGE_X], *stage_v = self->vectors[STAGE_V];
    add_slopes(self, stage_x, x, h, tableau->a[i], i, slope_x);
    add_slopes(self, stage_v, v, h, tableau->a[i], i, slope_v);
    wf_status status = wf_scheme_acceleration(self, system, t + tableau->c[i] * h, stage_x, stage_v,
                                              self->vectors[FORCE], slope_v(self, i));
    if (status == WF_OK) {
        memcpy(slope_x(self, i), stage_v, self->size * sizeof *stage_v);
    }
    return status;
}

static wf_status implicit_stage(wf_integrator *self, const wf_system *system, const wf_tableau *tableau, int32_t i,
                                double t, double h, const double *x, const double *v)
{
    double *a = self->vectors[START_X], *b = self->vectors[START_V], scale = h * tableau->a[i][i];
    add_slopes(self, a, x, h, tableau->a[i], i, slope_x);
    add_slopes(self, b, v, h, tableau->a[i], i, slope_v);
    wf_stage stage = {.t = t + tableau->c[i] * h, .position_scale = scale, .force_scale = scale, .a = a, .b = b,
                      .elapsed = tableau->c[i] * h, .x0 = x, .v0 = v};
    wf_status status = wf_stage_solve(self, system, &stage, self->vectors[STAGE_X], slope_x(self, i));
    if (status == WF_OK) {
        wf_scheme_combine(self, slope_v(self, i), 1 / scale, slope_x(self, i), -1 / scale, b);
    }
    return status;
}

/* The largest difference of the two results, in units of the tolerance at each component. */
static double estimate_error(wf_integrator *self, const wf_tableau *tableau, double h, const double *before,
                             const double *after, double *(*slope)(wf_integrator *, int32_t))
{
    double largest = 0;
    for (size_t i = 0; i < self->size; i++) {
        double difference = 0;
        for (int32_t j = 0; j < tableau->stages; j++) {
            difference += (tableau->b[j] - tableau->embedded_b[j]) * slope(self, j)[i];
        }
        double size = fmax(fabs(before[i]), fabs(after[i]));
        double allowed = self->params.absolute_tolerance + self->params.relative_tolerance * size;
        double error = fabs(h * difference);
        error = error > 0 ? error / allowed : 0;
        largest = error > largest || isnan(error) ? error : largest;
    }
    self->work.flops += (double)self->size * (3.0 * tableau->stages + 4);
    return isnan(largest) ? INFINITY : largest;
}

wf_status wf_runge_kutta_step(wf_integrator *self, const wf_tableau *tableau, const wf_system *system, double t,
                              double h, const double *x, const double *v, double *x1, double *v1)
{
    for (size_t k = 0; k < SLOPES + 2 * (size_t)tableau->stages; k++) {
        if (!wf_scheme_vector(self, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    for (int32_t i = 0; i < tableau->stages; i++) {
        wf_status status = tableau->a[i][i] == 0 ? explicit_stage(self, system, tableau, i, t, h, x, v)
                                                 : implicit_stage(self, system, tableau, i, t, h, x, v);
        if (status != WF_OK) {
            return status;
        }
    }
    add_slopes(self, x1, x, h, tableau->b, tableau->stages, slope_x);
    add_slopes(self, v1, v, h, tableau->b, tableau->stages, slope_v);
    if (tableau->embedded) {
        self->error = fmax(estimate_error(self, tableau, h, x, x1, slope_x),
                           estimate_error(self, tableau, h, v, v1, slope_v));
    }
    return WF_OK;
}

/* ---- schemes --------------------------------------------------------------------------------------------------- */

static wf_status step_tableau(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                              const double *v, double *x1, double *v1)
{
    return wf_runge_kutta_step(self, &((runge_kutta *)self)->tableau, system, t, h, x, v, x1, v1);
}

static void adopt(wf_integrator *self, const wf_tableau *tableau)
{
    ((runge_kutta *)self)->tableau = *tableau;
    self->implicit = !wf_tableau_is_explicit(tableau);
    self->estimates_error = tableau->embedded;
    self->estimate_order = tableau->embedded_order;
}

static wf_status create_from_params(wf_integrator *self)
{
    if (!self->params.tableau) {
        return wf_fail(self->context, WF_ERROR_ARGUMENT, "runge kutta needs a tableau");
    }
    wf_status status = wf_tableau_check(self->context, self->params.tableau);
    if (status == WF_OK) {
        adopt(self, self->params.tableau);
    }
    return status;
}

static wf_status create_explicit_midpoint(wf_integrator *self)
{
    adopt(self, &wf_tableau_explicit_midpoint);
    return WF_OK;
}

static wf_status create_rk4(wf_integrator *self)
{
    adopt(self, &wf_tableau_rk4);
    return WF_OK;
}

static wf_status create_cash_karp(wf_integrator *self)
{
    adopt(self, &wf_tableau_cash_karp);
    return WF_OK;
}

const wf_integrator_class wf_scheme_explicit_midpoint = {
    .name = "explicit midpoint",
    .describes = "explicit Runge-Kutta, order 2, two evaluations",
    .order = 2,
    .instance_size = sizeof(runge_kutta),
    .create = create_explicit_midpoint,
    .step = step_tableau};

const wf_integrator_class wf_scheme_rk4 = {
    .name = "rk4",
    .describes = "the classical explicit Runge-Kutta scheme, order 4, four evaluations",
    .order = 4,
    .instance_size = sizeof(runge_kutta),
    .create = create_rk4,
    .step = step_tableau};

const wf_integrator_class wf_scheme_runge_kutta = {
    .name = "runge kutta",
    .describes = "any explicit or diagonally implicit Runge-Kutta scheme, given by its tableau",
    .newton = WF_NEWTON_FULL,
    .instance_size = sizeof(runge_kutta),
    .create = create_from_params,
    .step = step_tableau};

const wf_integrator_class wf_scheme_cash_karp = {
    .name = "cash karp",
    .describes = "explicit Runge-Kutta 5(4) with an error estimate that controls its step (Cash and Karp 1990)",
    .order = 5,
    .estimates_error = true,
    .instance_size = sizeof(runge_kutta),
    .create = create_cash_karp,
    .step = step_tableau};
