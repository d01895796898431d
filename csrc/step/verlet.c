/* verlet.c - the Stoermer-Verlet (leapfrog) scheme.
 *
 *     v_n+1/2 = v_n-1/2 + h M^-1 f(x_n),     x_n+1 = x_n + h v_n+1/2
 *
 * in the form that gives velocities at the times of the positions: half a kick, drift, half a kick. It begins with half
 * a step, v_-1/2 = v_0 - h/2 a_0, without which an order is lost. Order 2 and symplectic; stable for h omega < 2.
 *
 * Damping needs f(x_n, v_n) with a velocity that is not known yet. "verlet" takes v_n-1/2, which stays explicit, costs
 * an order and shrinks the stable step to (-c + sqrt(c^2 + 4 omega^2)) / omega^2 for x'' = -omega^2 x - c x'. "verlet
 * averaged" takes v_n = (v_n-1/2 + v_n+1/2) / 2, which keeps order 2 and needs a solve with M + h/2 D.
 *
 * The acceleration at the end of a step is that at the beginning of the next when the state was left alone.
 */
#include <math.h>
#include <string.h>

#include "step/stage.h"

/* What is remembered is the acceleration at memory.t of the state in LAST_X, LAST_V. */
enum { ACCELERATION, LAST_X, LAST_V, REMEMBERED, FORCE = REMEMBERED, HALF_V, STAGE_X };

/* The acceleration for a state that no step ended in. Damping that lags does so from the first step: with
 * v_-1/2 = v - h/2 a_0 and a = a(x, v_-1/2), v_1/2 = v_-1/2 + h a is v + h/2 (2 a - a_0). */
static wf_status start(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                       const double *v, bool first)
{
    double *force = self->vectors[FORCE], *acceleration = self->vectors[ACCELERATION], *half_v = self->vectors[HALF_V];
    wf_status status = wf_scheme_acceleration(self, system, t, x, v, force, acceleration);
    if (status == WF_OK && first && !self->implicit) {
        double *lagged = self->vectors[LAST_X];
        wf_scheme_sum(self, half_v, v, -h / 2, acceleration);
        status = wf_scheme_acceleration(self, system, t, x, half_v, force, lagged);
        if (status == WF_OK) {
            wf_scheme_combine(self, acceleration, 2, lagged, -1, acceleration);
        }
    }
    return status;
}

static void remember(wf_integrator *self, double t, const double *x, const double *v)
{
    memcpy(self->vectors[LAST_X], x, self->size * sizeof *x);
    memcpy(self->vectors[LAST_V], v, self->size * sizeof *v);
    self->memory.known = true;
    self->memory.t = t;
}

/* The velocity half a step on, and the position it leads to. */
static wf_status kick_and_drift(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                const double *v, double *x1)
{
    for (size_t k = 0; k <= STAGE_X; k++) {
        if (!wf_scheme_vector(self, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    size_t bytes = self->size * sizeof *x;
    bool continues = self->memory.known && fabs(t - self->memory.t) <= 1e-6 * h &&
                     memcmp(x, self->vectors[LAST_X], bytes) == 0 && memcmp(v, self->vectors[LAST_V], bytes) == 0;
    if (!continues) {
        wf_status status = start(self, system, t, h, x, v, !self->memory.known);
        if (status != WF_OK) {
            return status;
        }
        remember(self, t, x, v);
    }
    wf_scheme_sum(self, self->vectors[HALF_V], v, h / 2, self->vectors[ACCELERATION]);
    wf_scheme_sum(self, x1, x, h, self->vectors[HALF_V]);
    return WF_OK;
}

static wf_status step_lagged(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                             const double *v, double *x1, double *v1)
{
    wf_status status = kick_and_drift(self, system, t, h, x, v, x1);
    if (status == WF_OK) {
        status = wf_scheme_acceleration(self, system, t + h, x1, self->vectors[HALF_V], self->vectors[FORCE],
                                        self->vectors[ACCELERATION]);
    }
    if (status == WF_OK) {
        wf_scheme_sum(self, v1, self->vectors[HALF_V], h / 2, self->vectors[ACCELERATION]);
        remember(self, t + h, x1, v1);
    }
    return status;
}

/* M (v1 - v_1/2) = h/2 f(t + h, x1, v1): an implicit stage in the velocity alone. */
static wf_status step_averaged(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                               const double *v, double *x1, double *v1)
{
    wf_status status = kick_and_drift(self, system, t, h, x, v, x1);
    if (status != WF_OK) {
        return status;
    }
    const double *half_v = self->vectors[HALF_V];
    wf_stage stage = {.t = t + h, .position_scale = 0, .force_scale = h / 2, .a = x1, .b = half_v, .elapsed = h,
                      .x0 = x, .v0 = v};
    status = wf_stage_solve(self, system, &stage, self->vectors[STAGE_X], v1);
    if (status == WF_OK) {
        wf_scheme_combine(self, self->vectors[ACCELERATION], 2 / h, v1, -2 / h, half_v);
        remember(self, t + h, x1, v1);
    }
    return status;
}

const wf_integrator_class wf_scheme_verlet = {
    .name = "verlet",
    .describes = "explicit, order 2 without damping and 1 with it (damping lags half a step); symplectic",
    .order = 2,
    .partitioned = true,
    .memory_vectors = REMEMBERED,
    .step = step_lagged};

const wf_integrator_class wf_scheme_verlet_averaged = {
    .name = "verlet averaged",
    .describes = "explicit in positions and implicit in damping, order 2; symplectic without damping",
    .order = 2,
    .partitioned = true,
    .implicit = true,
    .needs_accelerations = true,
    .memory_vectors = REMEMBERED,
    .newton = WF_NEWTON_LINEAR,
    .step = step_averaged};
