/* newton.c - see newton.h. */
#include "step/newton.h"

#include <math.h>
#include <string.h>

#include "step/acceleration.h"

enum {
    LARGEST_HALVINGS = 30, /* of the line search */
    UNACCELERATED = 2,     /* iterations that are as they are: most solves need few */
    LARGEST_CORRECTION_HALVINGS = 3 /* of the one correction of a linear solve, which can do without */
};

/* Residuals relative to the largest term of the equation: */
#define ROUNDING 1e-15     /* none at all */
#define ACCEPTABLE 1e-6    /* will do when the iterations run out, as they can where cloth is about to buckle */
#define NEAR_SOLUTION 1e-2 /* a solution is near */

/* Corrections relative to the positions that rounding may make. */
#define SMALL_CORRECTION 1e-10

/* Of the line search, as fractions: of the residual what a step must take away (Armijo 1966), of the slope at the start
 * what may be left on the other side of a minimum. */
#define SUFFICIENT_DECREASE 1e-4
#define LARGEST_OVERSHOOT 0.9

/* Everything about one solve. r = M (b - V) + force_scale f(t, X, V) + impulse, 0 where prescribed. */
typedef struct newton {
    wf_integrator *self;
    const wf_system *system;
    const wf_stage *stage;
    double *x, *v;                 /* the iterate */
    double *trial_x, *trial_v;
    double *force, *r, *correction, *scratch, *accelerated;
    const double *direction;       /* of the line search: the correction, or that accelerated */
    wf_acceleration acceleration;
    double last_residual;
    double residual;               /* |r| of the iterate */
    bool has_potential;
    bool by_residual;              /* the line search compares residuals, not the slopes of the potential */
    bool full_steps;               /* no line search */
    double scale;                  /* of the largest term of the equation, as |r| measures it */
} newton;

static wf_status prepare(newton *n, wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x,
                         double *v)
{
    *n = (newton){.self = self, .system = system, .stage = stage, .x = x, .v = v};
    double **vectors[] = {&n->force, &n->r, &n->correction, &n->scratch, &n->trial_x, &n->trial_v,
                          &n->accelerated};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = wf_scheme_vector(self, WF_SCHEME_VECTORS + k);
        if (!*vectors[k]) {
            return WF_ERROR_MEMORY;
        }
    }
    n->has_potential = system->energy && stage->position_scale > 0 && !stage->stiff;
    n->by_residual = !n->has_potential;
    return WF_OK;
}

static void clear_prescribed(const newton *n, double *r)
{
    const uint8_t *prescribed = n->system->prescribed;
    for (size_t i = 0; prescribed && i < n->self->size; i++) {
        if (prescribed[i]) {
            r[i] = 0;
        }
    }
}

/* sqrt(r^T M^-1 r): a vertex of little mass counts as much as a heavy one, prescribed components nothing. */
static double norm_of(newton *n, const double *r)
{
    wf_scheme_divide_mass(n->self, n->system, r, n->scratch);
    double square = wf_scheme_dot(n->self, r, n->scratch);
    return square > 0 || isnan(square) ? sqrt(square) : 0;
}

/* Whether positions have a finite energy. */
static wf_status check_allowed(newton *n, const double *x, bool *allowed)
{
    double energy = 0;
    wf_status status = n->has_potential ? wf_scheme_energy(n->self, n->system, n->stage->t, x, &energy) : WF_OK;
    *allowed = isfinite(energy);
    return status;
}

/* n->r at (x, v), and its size. */
static wf_status residual_at(newton *n, const double *x, const double *v, double *residual)
{
    wf_status status = wf_stage_forces(n->self, n->system, n->stage, x, v, n->force);
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_sum(n->self, n->scratch, n->stage->b, -1, v);
    wf_scheme_multiply_mass(n->self, n->system, n->scratch, n->r);
    wf_scheme_sum(n->self, n->r, n->r, n->stage->force_scale, n->force);
    if (n->stage->impulse) {
        wf_scheme_sum(n->self, n->r, n->r, 1, n->stage->impulse);
    }
    clear_prescribed(n, n->r);
    *residual = norm_of(n, n->r);
    return WF_OK;
}

/* The largest of |M b|, |M V|, force_scale |f| and |impulse| at the start. */
static void measure_scale(newton *n)
{
    const double *terms[] = {n->stage->b, n->v};
    n->scale = 0;
    for (int k = 0; k < 2; k++) {
        wf_scheme_multiply_mass(n->self, n->system, terms[k], n->trial_x);
        clear_prescribed(n, n->trial_x);
        n->scale = fmax(n->scale, norm_of(n, n->trial_x));
    }
    n->scale = fmax(n->scale, n->stage->force_scale * norm_of(n, n->force));
    if (n->stage->impulse) {
        n->scale = fmax(n->scale, norm_of(n, n->stage->impulse));
    }
}

/* V extrapolated from the history to the time of the stage; the last velocity when there is none. */
static void guess_velocity(newton *n)
{
    wf_integrator *self = n->self;
    const wf_stage *stage = n->stage;
    memcpy(n->v, stage->v0, self->size * sizeof *n->v);
    int count = self->params.extrapolate ? self->history.count : 0;
    if (count > 0) {
        double weights[WF_HISTORY_STATES + 1];
        wf_history_extrapolation(count, self->history.age, stage->elapsed, weights);
        wf_scheme_scale(self, n->v, weights[0], stage->v0);
        for (int k = 0; k < count; k++) {
            wf_scheme_sum(self, n->v, n->v, weights[k + 1], self->history.v[k]);
        }
        for (size_t i = 0; n->system->prescribed && i < self->size; i++) {
            n->v[i] = n->system->prescribed[i] ? stage->v0[i] : n->v[i];
        }
    }
    wf_stage_place(self, n->system, stage, n->v, n->x);
}

/* Moves the start towards (or to) x0, where positions are known to be allowed. */
static void retreat(newton *n, double fraction)
{
    const wf_stage *stage = n->stage;
    const uint8_t *prescribed = n->system->prescribed;
    for (size_t i = 0; i < n->self->size; i++) {
        if (!(prescribed && prescribed[i])) {
            double x = stage->x0[i] + fraction * (n->x[i] - stage->x0[i]);
            n->v[i] = (x - stage->a[i]) / stage->position_scale;
        }
    }
    n->self->work.flops += 5.0 * (double)n->self->size;
    wf_stage_place(n->self, n->system, stage, n->v, n->x);
}

static wf_status start(newton *n)
{
    guess_velocity(n);
    if (n->system->max_step && n->stage->position_scale > 0) {
        wf_scheme_sum(n->self, n->trial_x, n->x, -1, n->stage->x0);
        double fraction = n->system->max_step(n->system->user, n->stage->x0, n->trial_x);
        if (fraction < 1) {
            retreat(n, fraction);
        }
    }
    bool allowed;
    wf_status status = check_allowed(n, n->x, &allowed);
    if (status == WF_OK && !allowed) {
        retreat(n, 0);
        status = check_allowed(n, n->x, &allowed);
        if (status == WF_OK && !allowed) {
            status = wf_fail(n->self->context, WF_ERROR_NUMERIC,
                             "%s: the energy at the start of the step is not finite", n->self->class->name);
        }
    }
    if (status == WF_OK) {
        status = residual_at(n, n->x, n->v, &n->residual);
    }
    if (status == WF_OK) {
        measure_scale(n);
    }
    return status;
}

/* ---- the direction --------------------------------------------------------------------------------------------- */

/* Eisenstat and Walker (1996), choice 2. `k` counts iterations from 0; records hold the earlier ones. */
static double forcing_term(const newton *n, size_t k)
{
    const wf_integrator_params *params = &n->self->params;
    if (params->newton != WF_NEWTON_INEXACT) {
        return params->linear_tolerance;
    }
    if (params->forcing > 0) {
        return params->forcing;
    }
    if (k == 0 || k >= WF_NEWTON_RECORDS) {
        return 0.5;
    }
    const wf_newton_record *last = &n->self->records[k - 1];
    double ratio = n->residual / last->residual, eta = 0.9 * ratio * ratio;
    double safeguard = 0.9 * last->forcing * last->forcing;
    if (safeguard > 0.1) {
        eta = fmax(eta, safeguard);
    }
    double enough = 0.5 * params->newton_tolerance * n->scale / n->residual; /* solving further gains nothing */
    return fmin(fmax(eta, enough), 0.9);
}

static wf_status form_matrix(newton *n, wf_linearisation kind)
{
    const wf_stage *stage = n->stage;
    double stiffness_scale = stage->force_scale * stage->position_scale;
    return wf_scheme_linearise(n->self, n->system, stage->t, n->x, n->v, kind, stiffness_scale, stage->force_scale);
}

/* The constant matrix of simplified Newton (Hauth and Etzmuss 2001): formed once for each pair of scales, until whoever
 * calls has it forgotten (wf_integrator_forget_matrix), as worlds do before each part of a step. */
static wf_status freeze_matrix(newton *n)
{
    wf_memory *memory = &n->self->memory;
    double stiffness_scale = n->stage->force_scale * n->stage->position_scale;
    double damping_scale = n->stage->force_scale;
    if (memory->frozen && memory->frozen_stiffness == stiffness_scale && memory->frozen_damping == damping_scale) {
        return WF_OK;
    }
    wf_status status = form_matrix(n, n->stage->stiff ? WF_LINEARISE_STIFF : WF_LINEARISE_CONSTANT);
    memory->frozen = status == WF_OK;
    memory->frozen_stiffness = stiffness_scale;
    memory->frozen_damping = damping_scale;
    return status;
}

static wf_status solve_correction(newton *n, double tolerance, double *slope, double *linear_residual)
{
    memset(n->correction, 0, n->self->size * sizeof *n->correction);
    wf_status status = wf_scheme_solve(n->self, n->system, n->r, n->correction, tolerance, linear_residual);
    *slope = status == WF_OK ? wf_scheme_dot(n->self, n->r, n->correction) : 0;
    return status;
}

/* A dV = r. Where the exact matrix is not positive definite, or its direction is none of descent, the definite one. */
static wf_status find_direction(newton *n, wf_newton_record *record, double *slope)
{
    wf_integrator *self = n->self;
    wf_linearisation kind = n->stage->stiff ? WF_LINEARISE_STIFF : self->params.linearisation;
    wf_status status = self->params.newton == WF_NEWTON_SIMPLIFIED ? freeze_matrix(n) : form_matrix(n, kind);
    if (status != WF_OK) {
        return status;
    }
    status = solve_correction(n, record->forcing, slope, &record->linear_residual);
    bool exact = kind == WF_LINEARISE_EXACT && self->params.newton != WF_NEWTON_SIMPLIFIED;
    bool ascends = status == WF_OK && n->has_potential && !(*slope > 0);
    if (exact && (status == WF_ERROR_NUMERIC || ascends)) {
        status = form_matrix(n, WF_LINEARISE_DEFINITE);
        if (status == WF_OK) {
            status = solve_correction(n, record->forcing, slope, &record->linear_residual);
        }
    }
    return status;
}

/* ---- the line search ------------------------------------------------------------------------------------------- */

/* Whether (trial_x, trial_v), with its residual in n->r, is better than the iterate by the one merit that is used. */
static bool is_better(newton *n, double step, double slope, double residual)
{
    if (n->full_steps) {
        return isfinite(residual);
    }
    if (n->by_residual) {
        return residual <= (1 - SUFFICIENT_DECREASE * step) * n->residual;
    }
    /* The potential's derivative along the direction is minus r . direction, `slope` at the start; by the trapezoidal
     * rule the potential fell when the two add up to something positive. */
    return wf_scheme_dot(n->self, n->r, n->direction) >= -LARGEST_OVERSHOOT * slope;
}

/* Tries the state `step` along the direction; if it is better it becomes the iterate. */
static wf_status try_step(newton *n, double step, double slope, bool *accepted)
{
    double residual;
    bool allowed;
    *accepted = false;
    wf_scheme_sum(n->self, n->trial_v, n->v, step, n->direction);
    wf_stage_place(n->self, n->system, n->stage, n->trial_v, n->trial_x);
    wf_status status = check_allowed(n, n->trial_x, &allowed);
    if (status != WF_OK || !allowed) {
        return status;
    }
    status = residual_at(n, n->trial_x, n->trial_v, &residual);
    if (status != WF_OK) {
        return status == WF_ERROR_NUMERIC ? WF_OK : status;
    }
    if (is_better(n, step, slope, residual)) {
        memcpy(n->x, n->trial_x, n->self->size * sizeof *n->x);
        memcpy(n->v, n->trial_v, n->self->size * sizeof *n->v);
        n->residual = residual;
        *accepted = true;
    }
    return WF_OK;
}

static double largest_of(const double *values, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* Whether the correction, if it was solved for at all, is small beside the positions, or the velocities when they alone
 * are sought. An iterate that such a correction does not improve is at the rounding of the forces. */
static bool is_small(const newton *n, double linear_residual)
{
    size_t size = n->self->size;
    double correction = largest_of(n->correction, size), scale = n->stage->position_scale;
    bool small = scale > 0 ? scale * correction <= SMALL_CORRECTION * largest_of(n->x, size)
                           : correction <= SMALL_CORRECTION * largest_of(n->v, size);
    return small && linear_residual <= 0.5;
}

/* Halves the step along n->direction, at most `halvings` times, until it is better. */
static wf_status line_search(newton *n, double slope, int halvings, double *step)
{
    double s = 1;
    if (n->system->max_step && n->stage->position_scale > 0) {
        wf_scheme_scale(n->self, n->trial_x, n->stage->position_scale, n->direction);
        s = fmin(fmax(n->system->max_step(n->system->user, n->x, n->trial_x), 0), 1);
    }
    bool accepted = false;
    for (int k = 0; k <= halvings && !accepted; k++) {
        wf_status status = try_step(n, s, slope, &accepted);
        if (status != WF_OK) {
            return status;
        }
        *step = accepted ? s : 0;
        s /= 2;
    }
    return WF_OK;
}

/* Where the iteration converges slowly, the accelerated correction is tried first, at its full length. */
static wf_status try_accelerated(newton *n, double *step)
{
    bool known = false;
    wf_status status = wf_acceleration_update(n->self, &n->acceleration, n->v, n->correction, n->accelerated, &known);
    if (status != WF_OK || !known || n->residual <= 0.1 * n->last_residual) {
        return status;
    }
    /* Near a solution that counts which is near: a saddle of the potential, such as cloth that is about to buckle but
     * has no reason to which side, is one. The potential alone would leave it by a tiny step in each iteration. */
    double slope = wf_scheme_dot(n->self, n->r, n->accelerated);
    n->by_residual = !n->has_potential || n->residual <= NEAR_SOLUTION * n->scale;
    if (slope > 0 || n->by_residual) {
        n->direction = n->accelerated;
        status = line_search(n, slope, 0, step);
    }
    n->by_residual = !n->has_potential;
    return status;
}

static wf_status search(newton *n, size_t k, double slope, double *step)
{
    if (n->full_steps) {
        n->direction = n->correction;
        return line_search(n, slope, 0, step);
    }
    wf_status status = k < UNACCELERATED ? WF_OK : try_accelerated(n, step);
    if (status == WF_OK && *step == 0) {
        n->direction = n->correction;
        status = line_search(n, slope, LARGEST_HALVINGS, step);
    }
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------------------------- */

static wf_status give_up(newton *n, const char *why)
{
    n->self->diverged = true;
    return wf_fail(n->self->context, WF_ERROR_NUMERIC,
                   "%s: Newton's method %s: the residual is %.3g of the equation's terms, not %.3g",
                   n->self->class->name, why, n->residual / n->scale, n->self->params.newton_tolerance);
}

/* One iteration; `done` when the iterate cannot be bettered. */
static wf_status iterate(newton *n, size_t k, bool *done)
{
    wf_integrator *self = n->self;
    wf_newton_record record = {.residual = n->residual, .forcing = forcing_term(n, k)};
    double slope;
    *done = false;
    wf_status status = find_direction(n, &record, &slope);
    if (status == WF_OK) {
        self->work.newton_iterations++;
        self->newton_in_step++;
        /* No correction at all, which a forcing term of 1 allows, leads nowhere. */
        status = largest_of(n->correction, self->size) > 0 ? search(n, k, slope, &record.step) : WF_OK;
        n->last_residual = record.residual;
    }
    if (k < WF_NEWTON_RECORDS) {
        self->records[k] = record;
        self->record_count = k + 1;
    }
    if (status == WF_OK && !(n->residual <= 0.5 * record.residual)) {
        *done = is_small(n, record.linear_residual);
        if (!*done && record.step == 0) {
            return give_up(n, "found no better state");
        }
    }
    return status;
}

/* From an extrapolation of the scheme's own order one solve keeps that order; from the last velocity it takes two. */
static size_t iteration_limit(const wf_integrator *self)
{
    if (!wf_scheme_is_linear(self)) {
        return (size_t)self->params.newton_iterations;
    }
    int needed = self->class->history, corrections = self->params.newton == WF_NEWTON_CORRECTED;
    return (self->params.extrapolate && needed > 0 && self->history.count >= needed ? 1 : 2) + corrections;
}

static wf_status run(newton *n)
{
    const wf_integrator_params *params = &n->self->params;
    bool linear = wf_scheme_is_linear(n->self), done = false;
    size_t most = iteration_limit(n->self);
    n->full_steps = linear || !params->line_search;
    wf_status status = start(n);
    for (size_t k = 0; status == WF_OK && !done; k++) {
        /* An extrapolated start may meet the tolerance by itself; its errors would add up from step to step. */
        double wanted = k == 0 ? ROUNDING : params->newton_tolerance;
        if (n->residual <= wanted * n->scale || (linear && k == most)) {
            done = true;
        } else if (k == most && !params->step_control && n->residual <= ACCEPTABLE * n->scale) {
            done = true;
        } else if (k == most) {
            return give_up(n, "did not converge");
        } else {
            status = iterate(n, k, &done);
        }
    }
    return status;
}

/* run, once more where a constant matrix was too old */
static wf_status run_twice(newton *n)
{
    bool old_matrix = n->self->params.newton == WF_NEWTON_SIMPLIFIED && n->self->memory.frozen;
    wf_status status = run(n);
    if (status == WF_ERROR_NUMERIC && n->self->diverged && old_matrix) {
        n->self->memory.frozen = n->self->diverged = false;
        n->self->record_count = 0;
        status = run(n);
    }
    return status;
}

wf_status wf_newton_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v)
{
    newton n;
    wf_status status = prepare(&n, self, system, stage, x, v);
    if (status != WF_OK) {
        return status;
    }
    status = wf_scheme_set_past(system, stage->past.count > 0 ? &stage->past : NULL);
    if (status == WF_OK) {
        status = run_twice(&n);
    }
    wf_scheme_set_past(system, NULL);
    return status;
}

wf_status wf_newton_correct(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v)
{
    newton n;
    wf_status status = prepare(&n, self, system, stage, x, v);
    if (status == WF_OK) {
        status = residual_at(&n, n.x, n.v, &n.residual);
    }
    if (status != WF_OK) {
        return status;
    }
    measure_scale(&n);
    wf_newton_record record = {.residual = n.residual};
    double slope;
    if (n.residual > self->params.newton_tolerance * n.scale) {
        status = find_direction(&n, &record, &slope);
        if (status == WF_OK) {
            self->work.newton_iterations++;
            self->newton_in_step++;
            n.direction = n.correction;
            status = line_search(&n, slope, LARGEST_CORRECTION_HALVINGS, &record.step);
        }
        self->records[0] = record;
        self->record_count = 1;
    }
    return status;
}
