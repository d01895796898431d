/* barrier_stage.c - see barrier_stage.h. */
#include "step/barrier_stage.h"

#include <math.h>
#include <string.h>

#include "step/newton.h"

enum {
    MOST_ITERATIONS = 40,
    FRICTION_ITERATIONS = 6, /* in which friction follows the iterate */
    MOST_TRIALS = 12         /* of the line search */
};

/* Of the slope at the start what may be left on the other side of a minimum. */
#define LARGEST_OVERSHOOT 0.9
/* Of a step that overshoots, what is tried next. */
#define SMALLEST_CUT 0.2
#define LARGEST_CUT 0.5
/* Relative residual of the linear solves for corrections, at most: the barriers' curvature changes so much within a
 * correction that each gains about a digit. */
#define LARGEST_FORCING 0.1

typedef struct barrier_solve {
    wf_integrator *self;
    const wf_system *system;
    const wf_barrier_calls *barrier;
    const wf_stage *stage;
    double *x, *v; /* the iterate */
    double enough; /* kg m^2/s^2: corrections whose slope is no larger are the last; < 0: not yet known */
    double *trial_x, *trial_v, *force, *r, *correction, *scratch;
} barrier_solve;

static wf_status prepare(barrier_solve *b, wf_integrator *self, const wf_system *system, const wf_stage *stage,
                         double *x, double *v)
{
    *b = (barrier_solve){.self = self, .system = system, .barrier = system->barrier, .stage = stage, .x = x, .v = v,
                        .enough = -1};
    double **vectors[] = {&b->trial_x, &b->trial_v, &b->force, &b->r, &b->correction, &b->scratch};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = wf_scheme_vector(self, WF_SCHEME_VECTORS + k);
        if (!*vectors[k]) {
            return WF_ERROR_MEMORY;
        }
    }
    return WF_OK;
}

static bool is_prescribed(const barrier_solve *b, size_t i)
{
    return b->system->prescribed && b->system->prescribed[i];
}

static bool is_held(const barrier_solve *b, size_t i)
{
    return b->barrier->held && b->barrier->held[i];
}

/* V of X for what is free. */
static void velocity_of(const barrier_solve *b, const double *x, double *v)
{
    const wf_stage *stage = b->stage;
    for (size_t i = 0; i < b->self->size; i++) {
        v[i] = is_prescribed(b, i) ? stage->v0[i] : (x[i] - stage->a[i]) / stage->position_scale;
    }
    b->self->work.flops += 2.0 * (double)b->self->size;
}

/* b->r = M (b - V) + force_scale f + impulse at (x, v) */
static wf_status residual_at(barrier_solve *b, const double *x, const double *v)
{
    const wf_stage *stage = b->stage;
    wf_status status = wf_scheme_forces(b->self, b->system, stage->t, x, v, b->force);
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_sum(b->self, b->scratch, stage->b, -1, v);
    wf_scheme_multiply_mass(b->self, b->system, b->scratch, b->r);
    wf_scheme_sum(b->self, b->r, b->r, stage->force_scale, b->force);
    if (stage->impulse) {
        wf_scheme_sum(b->self, b->r, b->r, 1, stage->impulse);
    }
    return WF_OK;
}

static wf_status form_matrix(barrier_solve *b)
{
    const wf_stage *stage = b->stage;
    return wf_scheme_linearise(b->self, b->system, stage->t, b->x, b->v, WF_LINEARISE_DEFINITE,
                               stage->force_scale * stage->position_scale, stage->force_scale);
}

static void count_iteration(barrier_solve *b)
{
    b->self->work.newton_iterations++;
    b->self->newton_in_step++;
}

/* The first iterate: x and v after one linear solve from x0, where everything is free of contact, and the door. */
static wf_status enter(barrier_solve *b)
{
    wf_integrator *self = b->self;
    const wf_stage *stage = b->stage;
    size_t bytes = self->size * sizeof *b->x;
    memcpy(b->x, stage->x0, bytes);
    wf_scheme_combine(self, b->v, 1 / stage->position_scale, stage->x0, -1 / stage->position_scale, stage->a);
    wf_status status = b->barrier->begin(b->system->user, b->x, stage->a, stage->position_scale);
    wf_scheme_expand(b->system, stage->v0); /* V of x0 need not be near */
    status = status == WF_OK ? residual_at(b, b->x, b->v) : status;
    status = status == WF_OK ? form_matrix(b) : status;
    wf_scheme_expand(b->system, NULL);
    if (status != WF_OK) {
        return status;
    }
    /* A V = r + A (V of x0), which starts better than the correction does. */
    wf_scheme_multiply(self, b->system, b->v, b->force);
    wf_scheme_sum(self, b->r, b->r, 1, b->force);
    memcpy(b->v, stage->v0, bytes);
    status = wf_scheme_solve(self, b->system, b->r, b->v, 0, NULL);
    if (status == WF_ERROR_NUMERIC) { /* stiffer than numbers can hold: the last velocity is a start too */
        memcpy(b->v, stage->v0, bytes);
        status = WF_OK;
    }
    if (status == WF_OK) {
        count_iteration(b);
        wf_stage_place(self, b->system, stage, b->v, b->x);
        status = b->barrier->enter(b->system->user, stage->x0, b->x);
    }
    if (status == WF_OK) {
        velocity_of(b, b->x, b->v);
    }
    return status;
}

/* kg m^2/s^2: of a correction that would move everything free by the smallest speed that counts. */
static double smallest_slope(barrier_solve *b)
{
    double speed = b->barrier->smallest_speed;
    for (size_t i = 0; i < b->self->size; i++) {
        b->trial_v[i] = is_prescribed(b, i) ? 0 : speed;
    }
    wf_scheme_multiply_mass(b->self, b->system, b->trial_v, b->scratch);
    return wf_scheme_dot(b->self, b->trial_v, b->scratch) / 3;
}

/* x and v after `part` of the correction; what is prescribed stays where it is. */
static void place_trial(barrier_solve *b, double part)
{
    wf_scheme_sum(b->self, b->trial_v, b->v, part, b->correction);
    wf_scheme_sum(b->self, b->trial_x, b->x, part * b->stage->position_scale, b->correction);
}

static void take_trial(barrier_solve *b)
{
    memcpy(b->x, b->trial_x, b->self->size * sizeof *b->x);
    memcpy(b->v, b->trial_v, b->self->size * sizeof *b->v);
}

/* Shortens the step until the potential falls: its derivative along the correction is minus r . correction, `slope` at
 * the start, and by the trapezoidal rule it fell when the two add up to something positive. Otherwise the line through
 * both derivatives says where the minimum is, if anything nearer than it is: barriers curve upward. */
static wf_status line_search(barrier_solve *b, double part, double slope, bool *moved)
{
    *moved = false;
    for (int k = 0; k <= MOST_TRIALS && !*moved; k++) {
        place_trial(b, part);
        wf_status status = residual_at(b, b->trial_x, b->trial_v);
        if (status != WF_OK && status != WF_ERROR_NUMERIC) {
            return status;
        }
        double end = status == WF_OK ? wf_scheme_dot(b->self, b->r, b->correction) : -INFINITY;
        *moved = end >= -LARGEST_OVERSHOOT * slope;
        part *= fmin(fmax(slope / (slope - end), SMALLEST_CUT), LARGEST_CUT);
    }
    if (*moved) {
        take_trial(b);
    }
    return WF_OK;
}

/* One iteration from b->r at the iterate. */
static wf_status iterate(barrier_solve *b, bool *done)
{
    wf_integrator *self = b->self;
    for (size_t i = 0; i < self->size; i++) {
        b->correction[i] = 0;
        b->r[i] = is_prescribed(b, i) || is_held(b, i) ? 0 : b->r[i];
    }
    double forcing = fmin(b->barrier->tolerance, LARGEST_FORCING);
    wf_status status = form_matrix(b);
    status = status == WF_OK ? wf_scheme_solve(self, b->system, b->r, b->correction, forcing, NULL) : status;
    if (status != WF_OK) {
        *done = status == WF_ERROR_NUMERIC; /* the iterate is free of contact, if not at rest in itself */
        return *done ? WF_OK : status;
    }
    for (size_t i = 0; b->barrier->held && i < self->size; i++) {
        b->correction[i] = is_held(b, i) ? 0 : b->correction[i];
    }
    count_iteration(b);
    double part, slope = wf_scheme_dot(self, b->r, b->correction);
    if (b->enough < 0) {
        double tolerance = b->barrier->tolerance;
        b->enough = fmax(tolerance * tolerance * slope, smallest_slope(b));
    }
    wf_scheme_scale(self, b->trial_x, b->stage->position_scale, b->correction);
    status = b->barrier->free_fraction(b->system->user, b->x, b->trial_x, &part);
    if (status != WF_OK) {
        return status;
    }
    *done = slope <= b->enough && part == 1;
    if (*done) {
        place_trial(b, part);
        take_trial(b);
        return WF_OK;
    }
    bool moved;
    status = line_search(b, part, slope, &moved);
    *done = !moved;
    return status;
}

static wf_status run(barrier_solve *b)
{
    wf_status status = enter(b);
    bool done = false, current = false; /* b->r is that of the iterate */
    for (int k = 0; status == WF_OK && !done && k < MOST_ITERATIONS; k++) {
        if (k < FRICTION_ITERATIONS) {
            status = b->barrier->follow_friction(b->system->user, b->x);
            current = false;
        }
        if (status == WF_OK && !current) {
            status = residual_at(b, b->x, b->v);
        }
        if (status == WF_OK) {
            status = iterate(b, &done);
            current = true;
        }
    }
    if (status == WF_OK) {
        b->barrier->arrive(b->system->user, b->x);
    }
    /* Pins that the door stopped have been slower than they were told to be. */
    for (size_t i = 0; i < b->self->size; i++) {
        double way = b->x[i] - b->stage->x0[i];
        if (is_prescribed(b, i) && b->x[i] != b->stage->x0[i] + b->stage->elapsed * b->stage->v0[i]) {
            b->v[i] = way / b->stage->elapsed;
        }
    }
    return status;
}

wf_status wf_barrier_stage_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x,
                                 double *v)
{
    barrier_solve b;
    wf_status status = prepare(&b, self, system, stage, x, v);
    if (status != WF_OK) {
        return status;
    }
    status = wf_scheme_set_past(system, stage->past.count > 0 ? &stage->past : NULL);
    if (status == WF_OK) {
        status = run(&b);
    }
    wf_scheme_set_past(system, NULL);
    return status;
}
