#include "solve/conjugate_gradients.h"

#include <string.h>

#include "base/tasks.h"
#include "solve/pcg_private.h"

/* Diagonal entries outside these bounds, or what is made of them, would not survive single precision. */
#define SMALLEST_DIAGONAL 1e-20
#define LARGEST_DIAGONAL 1e20
/* How |r|^2 may grow before the iteration counts as astray; conjugate gradients do not lower it at every step. */
#define LARGEST_GROWTH 1e8
/* Below this |r|^2, relative to where it started, the residual is rounding, and curvatures mean nothing. */
#define ROUNDING 1e-30
/* By this |r| may fall by recurrence alone before an island stops. */
#define TRUSTED_REDUCTION 1e3
/* What of a sum of energies is rounding. */
#define ENERGY_ROUNDING 1e-12
/* By how much r . s over |r|^2 may grow in the first iteration; after that, by what it has grown in the last. */
#define FIRST_GROWTH 2.0
/* What is left of the right-hand side, as measured, where rounding ends the iteration although nothing is solved. */
#define UNSOLVED 0.1

wf_pcg_params wf_default_pcg_params(void)
{
    return (wf_pcg_params){.relative_tolerance = 1e-6, .max_iterations = 10000,
                           .preconditioner = &wf_preconditioner_multigrid};
}

void wf_pcg_workspace_free_preconditioner(wf_context *context, wf_pcg_workspace *w, size_t k)
{
    if (w->preconditioner_states[k]) {
        wf_preconditioners[k]->destroy(context, w->preconditioner_states[k]);
        w->preconditioner_states[k] = NULL;
    }
}

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *w)
{
    void *arrays[] = {w->room, w->weight, w->partial_sums, w->block_list, w->island};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    wf_single_matrix_free(context, &w->single);
    wf_islands_free(context, &w->islands);
    for (size_t k = 0; k < WF_PRECONDITIONER_COUNT; k++) {
        wf_pcg_workspace_free_preconditioner(context, w, k);
    }
    *w = (wf_pcg_workspace){0};
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

typedef enum selection { ALL_ISLANDS, ACTIVE_ISLANDS, REPLACING_ISLANDS } selection;

typedef struct loop_run {
    wf_pcg *v;
    wf_pcg_loop *loop;
} loop_run;

static void run_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const loop_run *run = user;
    wf_pcg *v = run->v;
    for (size_t k = begin; k < end; k++) {
        const wf_row_block *rows = &v->blocks[v->list[k]];
        v->partial[v->list[k]] = run->loop(v, &v->islands[rows->island], (size_t)rows->begin, (size_t)rows->end);
    }
}

/* Runs a loop over the blocks of the selected islands; what it returns is added up in their `sum`. */
static void run(wf_pcg *v, wf_pcg_loop *loop, selection which)
{
    size_t count = 0;
    for (int32_t k = 0; k < v->block_count; k++) {
        const wf_pcg_island *island = &v->islands[v->blocks[k].island];
        if (which == ALL_ISLANDS || (which == ACTIVE_ISLANDS ? island->active : island->replacing)) {
            v->list[count++] = k;
        }
    }
    loop_run r = {v, loop};
    wf_parallel_for(v->context, count, 1, run_block, &r);
    for (size_t k = 0; k < count; k++) {
        v->islands[v->blocks[v->list[k]].island].sum = 0;
    }
    for (size_t k = 0; k < count; k++) {
        v->islands[v->blocks[v->list[k]].island].sum += v->partial[v->list[k]];
    }
}

/* ---- setting up ------------------------------------------------------------------------------------------------ */

typedef struct room {
    void *array; /* the address of the pointer */
    size_t *capacity, count, size;
} room;

static wf_status make_rooms(wf_context *context, const room *rooms, int count)
{
    wf_status status = WF_OK;
    for (int k = 0; k < count && status == WF_OK; k++) {
        status = wf_reserve(context, rooms[k].array, rooms[k].capacity, rooms[k].count, rooms[k].size);
    }
    return status;
}

static wf_status make_room(wf_context *context, wf_pcg_workspace *w, size_t rows)
{
    size_t *capacity = w->capacity, blocks = (size_t)w->islands.block_count;
    w->room_size = rows * (2 * sizeof *w->residual + sizeof *w->diagonal);
    const room rooms[5] = {
        {&w->room, &capacity[0], w->room_size / sizeof *w->room + 1, sizeof *w->room},
        {&w->weight, &capacity[1], rows, sizeof *w->weight},
        {&w->partial_sums, &capacity[2], blocks, sizeof *w->partial_sums},
        {&w->block_list, &capacity[3], blocks, sizeof *w->block_list},
        {&w->island, &capacity[4], (size_t)w->islands.count, sizeof *w->island},
    };
    wf_status status = make_rooms(context, rooms, 5);
    if (status == WF_OK) {
        w->residual = w->room;
        w->preconditioned = w->residual + rows;
        w->diagonal = (wf_mat3 *)(w->preconditioned + rows);
        w->direction = (wf_float4 *)w->diagonal;
        w->product = w->direction + rows;
        w->correction = w->product + rows;
        w->wide_direction = (wf_vec3 *)w->diagonal;
        w->wide_product = w->wide_direction + rows;
        w->wide_residual = w->wide_product + rows;
    }
    return status;
}

/* Where the diagonal was, the vectors begin: 0 times what they hold must be 0. */
static double clear_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    wf_pcg_workspace *w = v->work;
    if (v->loops == &wf_pcg_loops_double) {
        memset(w->wide_direction + begin, 0, (end - begin) * sizeof *w->wide_direction);
    } else {
        memset(w->direction + begin, 0, (end - begin) * sizeof *w->direction);
        memset(w->correction + begin, 0, (end - begin) * sizeof *w->correction);
    }
    return 0;
}

static void begin_vectors(wf_pcg *v)
{
    run(v, clear_loop, ALL_ISLANDS);
}

static wf_status report_indefinite(const wf_pcg *v, int32_t row)
{
    v->result->indefinite = true;
    v->result->row = row;
    return wf_fail(v->context, WF_ERROR_NUMERIC, "linear system: the matrix is not positive definite at vertex %d",
                   row + 1);
}

static double mean_entry(const wf_mat3 *d)
{
    return (d->m[0][0] + d->m[1][1] + d->m[2][2]) / 3;
}

static bool fits_single(double mean)
{
    return mean >= SMALLEST_DIAGONAL && mean <= LARGEST_DIAGONAL;
}

/* Returns how many rows do not fit. */
static double weight_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    int misfits = 0;
    for (size_t i = begin; i < end; i++) {
        double mean = mean_entry(&v->work->diagonal[i]);
        misfits += !fits_single(mean);
        v->work->weight[i] = (float)(1 / mean);
    }
    return misfits;
}

static wf_status report_diagonal(const wf_pcg *v)
{
    size_t row = 0;
    while (fits_single(mean_entry(&v->work->diagonal[row]))) {
        row++;
    }
    return wf_fail(v->context, WF_ERROR_NUMERIC,
                   "linear system: the mean diagonal entry of vertex %d is %g, not from %g to %g", (int)row + 1,
                   mean_entry(&v->work->diagonal[row]), SMALLEST_DIAGONAL, LARGEST_DIAGONAL);
}

static wf_status prepare_matrix(wf_pcg *v)
{
    wf_pcg_workspace *w = v->work;
    int32_t bad = wf_linear_system_diagonal(v->context, &v->system, w->diagonal);
    if (bad >= 0) {
        return report_indefinite(v, bad);
    }
    run(v, weight_loop, ALL_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        if (v->islands[k].sum > 0) {
            return report_diagonal(v);
        }
    }
    v->weight = w->weight;
    v->system.single = &w->single;
    v->system.scratch = w->room;
    v->system.scratch_size = w->room_size;
    return wf_single_matrix_fill(v->context, &w->single, &v->system, w->diagonal);
}

static void **state_of(const wf_pcg *v)
{
    size_t k = 0;
    while (wf_preconditioners[k] != v->preconditioner) {
        k++;
    }
    return &v->work->preconditioner_states[k];
}

/* New for every system: on cloth in motion, the set-up of the step before takes five times the iterations. */
static wf_status prepare_preconditioner(wf_pcg *v)
{
    return v->preconditioner->prepare(v->context, state_of(v), &v->system, v->work->diagonal);
}

static void precondition_residual(wf_pcg *v)
{
    v->preconditioner->apply(v->context, *state_of(v), v->work->residual, v->work->preconditioned);
}

/* What only a fall-back needed. */
static void free_fall_back(wf_pcg *v)
{
    if (v->preconditioner != v->params->preconditioner) {
        v->preconditioner->destroy(v->context, *state_of(v));
        *state_of(v) = NULL;
    }
}

/* ---- residuals ------------------------------------------------------------------------------------------------- */

/* wide_residual = the residual of the fixed part of x alone */
static double reference_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    double sum = 0;
    wf_vec3 *r = v->work->wide_residual;
    if (v->residual_of) {
        wf_linear_system_multiply_rows(v->context, &v->system, v->residual_of, r, begin, end);
    } else {
        memset(r + begin, 0, (end - begin) * sizeof *r);
    }
    for (size_t i = begin; i < end; i++) {
        r[i] = wf_filter_apply(v->system.filter, i, wf_vec3_sub(v->b[i], r[i]));
        sum += (double)v->weight[i] * wf_vec3_norm2(r[i]);
    }
    return sum;
}

static double narrow_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        wf_vec3 r = wf_vec3_scale(v->work->wide_residual[i], island->scale);
        v->work->residual[i] = (wf_float4){(float)r.x, (float)r.y, (float)r.z, 0};
    }
    return 0;
}

static double plain_norm_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_norm2(v->work->wide_residual[i]);
    }
    return sum / (double)v->rows;
}

/* The fixed part of x, into `part` where there is room; false when it is zero. */
static bool take_fixed_part(const wf_pcg *v, wf_vec3 *part)
{
    bool any = false;
    for (size_t i = 0; i < v->rows; i++) {
        wf_vec3 fixed = {0, 0, 0};
        if (v->system.filter && v->system.filter->fixed_count[i] > 0) {
            fixed = wf_vec3_sub(v->x[i], wf_filter_apply(v->system.filter, i, v->x[i]));
        }
        any = any || !(fixed.x == 0 && fixed.y == 0 && fixed.z == 0);
        if (part) {
            part[i] = fixed;
        }
    }
    return any;
}

/* The free part of x times wide_residual. */
static double energy_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(v->x[i], v->work->wide_residual[i]); /* which is free */
    }
    return sum;
}

/* |x*|^2 - |x* - x|^2 = x^T (b + r), x* being the solution, in the norm of the energy: once x is near, that of x*,
 * which costs nothing where the norm of b would cost an application of the preconditioner. Steps add what they gain
 * (Hestenes and Stiefel 1952, theorem 6:1). */
static void add_energy(wf_pcg_island *island, double energy)
{
    island->energy += energy;
    island->energy_scale += fabs(energy);
}

static void add_energies(wf_pcg *v)
{
    if (v->preconditioner->close) {
        run(v, energy_loop, ALL_ISLANDS);
        for (int32_t k = 0; k < v->island_count; k++) {
            add_energy(&v->islands[k], v->islands[k].sum);
        }
    }
}

static void find_target(const wf_pcg *v, wf_pcg_island *island)
{
    double relative = v->params->relative_tolerance, absolute = v->params->absolute_tolerance;
    if (v->preconditioner->close) {
        island->reference = island->energy > ENERGY_ROUNDING * island->energy_scale ? island->energy : 0;
    }
    island->target = fmax(fmax(fmax(relative * relative, ROUNDING) * island->reference, absolute * absolute),
                          island->least_target);
}

/* What the tolerances are relative to, and the scales that single precision needs. */
static void find_references(wf_pcg *v)
{
    wf_pcg_workspace *w = v->work;
    v->residual_of = NULL;
    if (take_fixed_part(v, NULL)) {
        take_fixed_part(v, w->wide_direction);
        v->residual_of = w->wide_direction;
    }
    run(v, reference_loop, ALL_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        v->islands[k] = (wf_pcg_island){.first_norm = v->islands[k].sum, .scale = 1};
    }
    run(v, plain_norm_loop, ALL_ISLANDS);
    bool any = false;
    for (int32_t k = 0; k < v->island_count; k++) {
        double mean = v->islands[k].sum;
        if (mean > 0 && isfinite(mean)) {
            v->islands[k].scale = ldexp(1, -ilogb(mean) / 2);
            v->islands[k].exponent = ilogb(v->islands[k].first_norm) / 2 - ilogb(mean) / 2;
            any = true;
        }
    }
    if (any && !v->preconditioner->close) {
        run(v, narrow_loop, ALL_ISLANDS);
        precondition_residual(v);
        run(v, v->loops->dot, ALL_ISLANDS);
        for (int32_t k = 0; k < v->island_count; k++) {
            v->islands[k].reference = fmax(v->islands[k].sum, 0);
        }
    }
    add_energies(v); /* x^T b */
    v->residual_of = v->x;
}

/* The true residuals of the islands marked as replacing, in `sum`; steps that were put by go to x first. */
static wf_status replace_residuals(wf_pcg *v)
{
    run(v, v->loops->settle, REPLACING_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        if (island->replacing && island->replaced_norm > 0) {
            /* The true norm is not known yet, but surely not so much smaller. */
            double likely = fmax(island->norm, 1e-12 * island->replaced_norm);
            double scale = ldexp(1, island->exponent - ilogb(likely) / 2);
            island->rescale *= scale / island->scale;
            island->scale = scale;
        }
    }
    run(v, v->loops->residual, REPLACING_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        if (v->islands[k].replacing && !isfinite(v->islands[k].sum)) {
            return wf_fail(v->context, WF_ERROR_NUMERIC,
                           "linear system: the right-hand side, the start or the matrix is not finite or too large");
        }
    }
    return WF_OK;
}

/* Whether a true residual is more than rounding. */
static bool is_residual(const wf_pcg_island *island)
{
    return island->norm > ROUNDING * island->first_norm;
}

static wf_status find_first_residuals(wf_pcg *v)
{
    for (int32_t k = 0; k < v->island_count; k++) {
        v->islands[k].replacing = true;
        v->islands[k].norm = v->islands[k].replaced_norm = v->islands[k].delta = 0;
        v->islands[k].rescale = 1;
    }
    if (replace_residuals(v) != WF_OK) {
        return WF_ERROR_NUMERIC;
    }
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        island->norm = island->replaced_norm = island->sum;
        island->first_norm = fmax(island->first_norm, island->norm);
        island->active = is_residual(island);
        island->replacing = island->stuck = false;
        island->iterations_since = 0;
        island->estimate = island->weight = 0;
        island->scale = island->active ? ldexp(1, island->exponent - ilogb(island->norm) / 2) : island->scale;
    }
    run(v, narrow_loop, ACTIVE_ISLANDS); /* once more, with the scales of these residuals */
    return WF_OK;
}

/* ---- the method ------------------------------------------------------------------------------------------------ */

typedef enum outcome {
    GOES_ON,
    DONE,
    NO_CURVATURE,     /* a direction along which the matrix is not positive */
    NO_DESCENT,       /* the same of the preconditioner */
    AT_ROUNDING,      /* the true residual does not follow the recurrence any more */
    FAILED
} outcome;

static bool any_active(const wf_pcg *v)
{
    for (int32_t k = 0; k < v->island_count; k++) {
        if (v->islands[k].active) {
            return true;
        }
    }
    return false;
}

/* Whether the sum of an active island is what a definite matrix gives. */
static bool is_positive(wf_pcg_island *island)
{
    island->stuck = !(island->sum > 0) || !isfinite(island->sum);
    return !island->stuck;
}

/* s = P^-1 r, and beta. */
static outcome precondition(wf_pcg *v)
{
    precondition_residual(v);
    run(v, v->loops->dot, ACTIVE_ISLANDS);
    outcome so_far = GOES_ON;
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        if (island->active) {
            so_far = is_positive(island) ? so_far : NO_DESCENT;
            bool first = !(island->delta > 0);
            double weight = island->sum / island->norm;
            island->growth = first || !(island->weight > 0) ? FIRST_GROWTH : fmax(weight / island->weight, 1);
            island->weight = weight;
            island->least_target = first ? fmax(island->least_target, ROUNDING * island->sum) : island->least_target;
            island->beta = first ? 0 : island->sum / island->delta;
            island->delta = island->estimate = island->sum;
            find_target(v, island);
        }
    }
    return so_far;
}

/* One step along the next direction. */
static outcome step(wf_pcg *v)
{
    outcome so_far = GOES_ON;
    run(v, v->loops->direction, ACTIVE_ISLANDS);
    run(v, v->loops->product, ACTIVE_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        if (island->active) {
            so_far = is_positive(island) ? so_far : NO_CURVATURE;
            island->alpha = island->delta / island->sum;
            island->rescale = 1;
        }
    }
    if (so_far != GOES_ON) {
        return so_far;
    }
    run(v, v->loops->step, ACTIVE_ISLANDS);
    for (int32_t k = 0; k < v->island_count; k++) {
        if (v->islands[k].active) {
            wf_pcg_island *island = &v->islands[k];
            island->norm = island->sum;
            island->iterations_since++;
            add_energy(island, island->alpha * island->delta);
            find_target(v, island);
            island->estimate = island->growth * island->weight * island->norm;
        }
    }
    v->result->iterations++;
    return GOES_ON;
}

/* Takes the true residuals of islands marked as replacing, and stops those at rounding. One whose true residual does
 * not follow its recurrence takes a new direction, and counts as stuck where nothing is gained any more. */
static outcome take_true_residuals(wf_pcg *v)
{
    if (replace_residuals(v) != WF_OK) {
        return FAILED;
    }
    outcome so_far = GOES_ON;
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        if (!island->replacing) {
            continue;
        }
        double before = island->replaced_norm;
        island->follows = island->sum <= 1.5 * island->norm;
        island->norm = island->replaced_norm = island->sum;
        island->iterations_since = 0;
        island->replacing = false;
        island->active = is_residual(island);
        if (!island->active || !island->follows) {
            island->delta = 0;
        }
        island->stuck = island->active && ((!island->follows && island->norm > 0.25 * before) ||
                                           island->norm > LARGEST_GROWTH * before);
        if (island->stuck && v->loops == &wf_pcg_loops_double) {
            island->active = false; /* it has done what it can */
        } else if (island->stuck) {
            so_far = AT_ROUNDING;
        }
    }
    return so_far;
}

/* Replaces residuals before their recurrences leave what the precision can tell. */
static outcome refresh(wf_pcg *v)
{
    double reduction = v->loops->largest_reduction * v->loops->largest_reduction;
    bool any = false;
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        island->replacing = island->active && (island->norm * reduction <= island->replaced_norm ||
                                               !(island->norm <= LARGEST_GROWTH * island->replaced_norm) ||
                                               island->iterations_since >= v->loops->most_iterations);
        any = any || island->replacing;
    }
    outcome so_far = any ? take_true_residuals(v) : GOES_ON;
    return so_far == GOES_ON && !any_active(v) ? DONE : so_far;
}

/* Stops the islands whose r . s is small enough, by measurement or estimate, once their residuals can be trusted: where
 * they have fallen far by recurrence alone the true ones must agree. `again` is set when one does not: then s is out of
 * date. */
static outcome conclude(wf_pcg *v, bool *again)
{
    *again = false;
    bool any = false;
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        bool met = island->active && island->estimate <= island->target &&
                   v->result->iterations >= v->params->min_iterations;
        island->replacing = met && island->iterations_since > 0 &&
                            !(island->norm * (TRUSTED_REDUCTION * TRUSTED_REDUCTION) >= island->replaced_norm);
        island->active = island->active && (!met || island->replacing);
        island->concluding = island->replacing;
        any = any || island->replacing;
    }
    outcome so_far = any ? take_true_residuals(v) : GOES_ON;
    for (int32_t k = 0; k < v->island_count; k++) {
        wf_pcg_island *island = &v->islands[k];
        if (island->concluding && island->active) {
            island->active = !island->follows;
            *again = *again || island->active;
        }
        island->concluding = false;
    }
    return so_far == GOES_ON && !any_active(v) ? DONE : so_far;
}

static outcome iterate(wf_pcg *v)
{
    outcome so_far = any_active(v) ? GOES_ON : DONE;
    while (so_far == GOES_ON) {
        bool again = false;
        so_far = precondition(v);
        if (so_far == GOES_ON) {
            so_far = conclude(v, &again);
        }
        if (so_far != GOES_ON || again) {
            continue;
        }
        if (v->result->iterations >= v->params->max_iterations) {
            break;
        }
        so_far = step(v);
        if (so_far == GOES_ON) {
            so_far = conclude(v, &again);
        }
        if (so_far == GOES_ON) {
            so_far = refresh(v);
        }
    }
    for (int32_t k = 0; k < v->island_count; k++) {
        v->islands[k].replacing = v->islands[k].iterations_since > 0;
    }
    run(v, v->loops->settle, REPLACING_ISLANDS);
    return so_far;
}

/* The vertex that contributes most to a direction of no positive curvature. */
static int32_t most_negative_row(const wf_pcg *v)
{
    int32_t row = -1;
    double least = INFINITY;
    for (int32_t k = 0; k < v->block_count; k++) {
        for (int32_t i = v->blocks[k].begin; v->islands[v->blocks[k].island].stuck && i < v->blocks[k].end; i++) {
            double value = wf_vec3_dot(v->work->wide_direction[i], v->work->wide_product[i]);
            if (!(value >= least)) {
                least = value;
                row = i;
            }
        }
    }
    return row;
}

/* Sums up the islands. One at rounding counts as converged where that is the end of double precision. */
static void report(const wf_pcg *v)
{
    wf_pcg_result *result = v->result;
    result->converged = true;
    for (int32_t k = 0; k < v->island_count; k++) {
        const wf_pcg_island *island = &v->islands[k];
        double relative = island->reference > 0 ? sqrt(island->estimate / island->reference) : island->estimate > 0;
        result->residual = fmax(result->residual, relative);
        result->converged = result->converged && !island->active && (!island->stuck || relative < 1e-10);
    }
}

/* Along a direction that a singular matrix takes to nothing the solution grows until rounding covers the rest. */
static bool is_unsolved(const wf_pcg *v)
{
    for (int32_t k = 0; k < v->island_count; k++) {
        const wf_pcg_island *island = &v->islands[k];
        if (island->stuck && island->reference > 0 && island->estimate > UNSOLVED * UNSOLVED * island->reference) {
            return true;
        }
    }
    return false;
}

static wf_status finish(wf_pcg *v, outcome last)
{
    report(v);
    switch (last) {
    case NO_CURVATURE:
        return report_indefinite(v, most_negative_row(v));
    case NO_DESCENT:
        return wf_fail(v->context, WF_ERROR_NUMERIC,
                       "linear system: the preconditioner \"%s\" is not positive definite", v->preconditioner->name);
    case FAILED:
        return WF_ERROR_NUMERIC;
    default:
        break;
    }
    return !is_unsolved(v) ? WF_OK
                           : wf_fail(v->context, WF_ERROR_NUMERIC,
                                     "linear system: the matrix is singular, and the right-hand side has a part that "
                                     "it cannot give");
}

static wf_status change_preconditioner(wf_pcg *v, const wf_preconditioner *to)
{
    free_fall_back(v);
    v->preconditioner = to;
    wf_linear_system_diagonal(v->context, &v->system, v->work->diagonal); /* vectors have overwritten it */
    return prepare_preconditioner(v);
}

/* What is left to try: incomplete Cholesky, which is definite but for the rounding of its sweeps, double precision, and
 * the diagonal, which is definite whatever is rounded. False: nothing. */
static bool fall_back(wf_pcg *v, outcome last, wf_status *status)
{
    const wf_preconditioner *incomplete = &wf_preconditioner_incomplete_cholesky;
    const wf_preconditioner *diagonal = &wf_preconditioner_diagonal;
    bool stopped = last == NO_CURVATURE || last == NO_DESCENT || last == AT_ROUNDING;
    *status = WF_OK;
    if (last == NO_DESCENT && v->preconditioner != incomplete && v->preconditioner != diagonal) {
        *status = change_preconditioner(v, incomplete);
    } else if (stopped && v->loops == &wf_pcg_loops_single) {
        v->loops = &wf_pcg_loops_double;
    } else if (last == NO_DESCENT && v->preconditioner == incomplete) {
        *status = change_preconditioner(v, diagonal);
    } else {
        return false;
    }
    v->result->fell_back = true;
    if (*status == WF_OK) {
        begin_vectors(v);
        *status = find_first_residuals(v);
    }
    return true;
}

static wf_status solve(wf_pcg *v)
{
    wf_status status = prepare_matrix(v);
    if (status == WF_OK) {
        status = prepare_preconditioner(v);
    }
    if (status == WF_OK) {
        find_references(v);
        begin_vectors(v);
        status = find_first_residuals(v);
    }
    if (status != WF_OK) {
        return status;
    }
    add_energies(v); /* x^T r */
    outcome last = iterate(v);
    while (fall_back(v, last, &status)) {
        if (status != WF_OK) {
            return status;
        }
        last = iterate(v);
    }
    return finish(v, last);
}

wf_status wf_pcg_solve(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, wf_vec3 *x,
                       const wf_pcg_params *params, wf_pcg_workspace *workspace, wf_pcg_result *result)
{
    *result = (wf_pcg_result){.row = -1};
    if (!(params->relative_tolerance >= 0 && params->absolute_tolerance >= 0) || params->max_iterations < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "linear system: tolerances and iterations must be at least 0, got %g, %g and %d",
                       params->relative_tolerance, params->absolute_tolerance, (int)params->max_iterations);
    }
    wf_status status = wf_islands_find(context, &workspace->islands, system);
    if (status == WF_OK) {
        status = make_room(context, workspace, (size_t)system->matrix->row_count);
    }
    if (status != WF_OK) {
        return status;
    }
    result->islands = workspace->islands.count;
    wf_pcg v = {.context = context,
                .system = *system,
                .params = params,
                .preconditioner = params->preconditioner,
                .work = workspace,
                .result = result,
                .rows = (size_t)system->matrix->row_count,
                .b = b,
                .x = x,
                .blocks = workspace->islands.blocks,
                .block_count = workspace->islands.block_count,
                .islands = workspace->island,
                .island_count = workspace->islands.count,
                .list = workspace->block_list,
                .partial = workspace->partial_sums,
                .loops = params->precision == WF_PCG_DOUBLE ? &wf_pcg_loops_double : &wf_pcg_loops_single};
    status = solve(&v);
    free_fall_back(&v);
    return status;
}
