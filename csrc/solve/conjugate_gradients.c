#include "solve/conjugate_gradients.h"

#include "base/tasks.h"
#include "solve/definite.h"

enum { ROW_BLOCK = 512, RECOMPUTE_EVERY = 64 };

wf_pcg_params wf_default_pcg_params(void)
{
    return (wf_pcg_params){.relative_tolerance = 1e-6, .max_iterations = 10000,
                           .preconditioner = WF_PRECONDITIONER_INCOMPLETE_CHOLESKY};
}

/* What the row loops of one solve share. */
typedef struct solve {
    wf_context *context;
    const wf_linear_system *system;
    size_t rows, blocks;
    const wf_vec3 *b;
    wf_vec3 *x;
    wf_vec3 *r, *d, *q, *s;
    wf_mat3 *inverse, *diagonal;
    wf_incomplete_cholesky *cholesky; /* NULL: the inverse blocks */
    wf_preconditioner preconditioner;
    double *partial;
    double alpha, beta;
    bool only_fixed; /* for the reference residual: x without its free part */
} solve;

static double sum_partials(const solve *v)
{
    double sum = 0;
    for (size_t block = 0; block < v->blocks; block++) {
        sum += v->partial[block];
    }
    return sum;
}

static double run(solve *v, wf_block_function *function)
{
    wf_parallel_for(v->context, v->rows, ROW_BLOCK, function, v);
    return sum_partials(v);
}

static void multiply_rows(const wf_linear_system *system, const wf_vec3 *x, wf_vec3 *y, size_t begin, size_t end)
{
    wf_block_matrix_multiply_rows(system->matrix, x, y, begin, end);
    wf_contact_blocks_multiply_rows(system->contacts, x, y, begin, end);
}

/* ---- preconditioner -------------------------------------------------------------------------------------------- */

/* S B S plus a multiple of I - S, so that it can be inverted. */
static wf_mat3 restrict_to_free(const wf_filter *filter, size_t row, const wf_mat3 *b)
{
    double scale = (b->m[0][0] + b->m[1][1] + b->m[2][2]) / 3;
    wf_mat3 left, both;
    for (int c = 0; c < 3; c++) {
        wf_vec3 v = wf_filter_apply(filter, row, (wf_vec3){b->m[0][c], b->m[1][c], b->m[2][c]});
        left.m[0][c] = v.x;
        left.m[1][c] = v.y;
        left.m[2][c] = v.z;
    }
    for (int r = 0; r < 3; r++) {
        wf_vec3 v = wf_filter_apply(filter, row, (wf_vec3){left.m[r][0], left.m[r][1], left.m[r][2]});
        wf_vec3 unit = {r == 0, r == 1, r == 2}, fixed = wf_vec3_sub(unit, wf_filter_apply(filter, row, unit));
        both.m[r][0] = v.x + scale * fixed.x;
        both.m[r][1] = v.y + scale * fixed.y;
        both.m[r][2] = v.z + scale * fixed.z;
    }
    return both;
}

static void prepare_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    const wf_block_matrix *a = v->system->matrix;
    const wf_filter *filter = v->system->filter;
    v->partial[block] = -1; /* the first row that is not positive definite */
    for (size_t row = begin; row < end; row++) {
        wf_mat3 diagonal = wf_contact_blocks_diagonal(v->system->contacts, (int32_t)row);
        const wf_mat3 *fixed_part = &a->values.blocks[a->block_pattern.diagonal[row]];
        double scalar = a->values.scalars[a->scalar_pattern.diagonal[row]];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                diagonal.m[i][j] += fixed_part->m[i][j];
            }
            diagonal.m[i][i] += scalar;
        }
        if (filter && filter->fixed_count[row] == 3) {
            v->inverse[row] = (wf_mat3){{{0}}};
            v->diagonal[row] = (wf_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
            continue;
        }
        if (filter && filter->fixed_count[row] > 0) {
            diagonal = restrict_to_free(filter, row, &diagonal);
        }
        v->diagonal[row] = diagonal;
        bool definite = wf_invert_definite(&diagonal, &v->inverse[row]);
        if (v->preconditioner == WF_PRECONDITIONER_DIAGONAL && definite) {
            v->inverse[row] = (wf_mat3){{{1 / diagonal.m[0][0], 0, 0}, {0, 1 / diagonal.m[1][1], 0},
                                         {0, 0, 1 / diagonal.m[2][2]}}};
        } else if (v->preconditioner == WF_PRECONDITIONER_NONE && definite) {
            v->inverse[row] = (wf_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        }
        if (!definite && v->partial[block] < 0) {
            v->partial[block] = (double)row;
        }
    }
}

/* ---- the row loops --------------------------------------------------------------------------------------------- */

/* s = S P^-1 r with the inverse blocks; returns r.s */
static double precondition_rows(solve *v, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        v->s[i] = wf_filter_apply(v->system->filter, i, wf_mat3_mulv(v->inverse[i], v->r[i]));
        sum += wf_vec3_dot(v->r[i], v->s[i]);
    }
    return sum;
}

/* s = S s after the triangular solves; partial: r.s */
static void filter_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        v->s[i] = wf_filter_apply(v->system->filter, i, v->s[i]);
        sum += wf_vec3_dot(v->r[i], v->s[i]);
    }
    v->partial[block] = sum;
}

/* A loop that leaves a new residual in r, then s = S P^-1 r; returns r.s. */
static double run_and_precondition(solve *v, wf_block_function *function)
{
    double sum = run(v, function);
    if (!v->cholesky) {
        return sum;
    }
    wf_incomplete_cholesky_apply(v->cholesky, v->r, v->s);
    return run(v, filter_block);
}

/* r = S (b - A x), s = S P^-1 r; partial: r.s */
static void residual_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    const wf_filter *filter = v->system->filter;
    const wf_vec3 *x = v->only_fixed ? v->d : v->x;
    multiply_rows(v->system, x, v->r, begin, end);
    for (size_t i = begin; i < end; i++) {
        v->r[i] = wf_filter_apply(filter, i, wf_vec3_sub(v->b[i], v->r[i]));
    }
    v->partial[block] = v->cholesky ? 0 : precondition_rows(v, begin, end);
}

/* d = the fixed part of x */
static void fixed_part_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    for (size_t i = begin; i < end; i++) {
        v->d[i] = wf_vec3_sub(v->x[i], wf_filter_apply(v->system->filter, i, v->x[i]));
    }
    v->partial[block] = 0;
}

/* d = s + beta d */
static void direction_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    for (size_t i = begin; i < end; i++) {
        v->d[i] = wf_vec3_muladds(v->s[i], v->d[i], v->beta);
    }
    v->partial[block] = 0;
}

/* q = A d; partial: d.q */
static void product_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double sum = 0;
    multiply_rows(v->system, v->d, v->q, begin, end);
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(v->d[i], v->q[i]);
    }
    v->partial[block] = sum;
}

/* x += alpha d, r -= alpha S q, s = S P^-1 r; partial: r.s */
static void step_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    const wf_filter *filter = v->system->filter;
    for (size_t i = begin; i < end; i++) {
        v->x[i] = wf_vec3_muladds(v->x[i], v->d[i], v->alpha);
        v->r[i] = wf_filter_apply(filter, i, wf_vec3_muladds(v->r[i], v->q[i], -v->alpha));
    }
    v->partial[block] = v->cholesky ? 0 : precondition_rows(v, begin, end);
}

/* ---- the method ------------------------------------------------------------------------------------------------ */

static wf_status make_room(wf_context *context, wf_pcg_workspace *w, size_t rows)
{
    wf_vec3 **vectors[4] = {&w->residual, &w->direction, &w->product, &w->preconditioned};
    for (int k = 0; k < 4; k++) {
        wf_status status = wf_reserve(context, vectors[k], &w->capacity[k], rows, sizeof(wf_vec3));
        if (status != WF_OK) {
            return status;
        }
    }
    wf_status status = wf_reserve(context, &w->inverse, &w->capacity[4], rows, sizeof(wf_mat3));
    if (status == WF_OK) {
        status = wf_reserve(context, &w->diagonal, &w->capacity[6], rows, sizeof(wf_mat3));
    }
    if (status != WF_OK) {
        return status;
    }
    return wf_reserve(context, &w->partial_sums, &w->capacity[5], wf_block_count(rows, ROW_BLOCK), sizeof(double));
}

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *w)
{
    wf_free(context, w->residual);
    wf_free(context, w->direction);
    wf_free(context, w->product);
    wf_free(context, w->preconditioned);
    wf_free(context, w->inverse);
    wf_free(context, w->diagonal);
    wf_incomplete_cholesky_free(context, &w->cholesky);
    wf_free(context, w->partial_sums);
    *w = (wf_pcg_workspace){0};
}

static wf_status report_indefinite(wf_context *context, wf_pcg_result *result, int32_t row)
{
    result->indefinite = true;
    result->row = row;
    return wf_fail(context, WF_ERROR_NUMERIC, "linear system: the matrix is not positive definite at vertex %d",
                   row + 1);
}

/* The vertex that contributes most to a direction of negative curvature. */
static int32_t most_negative_row(const solve *v)
{
    int32_t row = -1;
    double least = 0;
    for (size_t i = 0; i < v->rows; i++) {
        double value = wf_vec3_dot(v->d[i], v->q[i]);
        if (!(value >= least)) {
            least = value;
            row = (int32_t)i;
        }
    }
    return row;
}

static wf_status prepare(solve *v, wf_pcg_result *result)
{
    run(v, prepare_block);
    for (size_t block = 0; block < v->blocks; block++) {
        if (v->partial[block] >= 0) {
            return report_indefinite(v->context, result, (int32_t)v->partial[block]);
        }
    }
    if (v->cholesky) {
        return wf_incomplete_cholesky_factor(v->context, v->cholesky, v->system->matrix, v->diagonal,
                                             v->system->filter);
    }
    return WF_OK;
}

/* |S (b - A x_fixed)|^2: what the tolerance is relative to. */
static double reference_of(solve *v)
{
    run(v, fixed_part_block);
    v->only_fixed = true;
    double reference = run_and_precondition(v, residual_block);
    v->only_fixed = false;
    return reference;
}

static wf_status iterate(solve *v, const wf_pcg_params *params, wf_pcg_result *result)
{
    double reference = reference_of(v), delta = run_and_precondition(v, residual_block);
    if (!isfinite(delta) || !isfinite(reference)) {
        return wf_fail(v->context, WF_ERROR_NUMERIC, "linear system: the right-hand side or the start is not finite");
    }
    /* Below this the residual is rounding, and curvatures mean nothing. */
    const double rounding = 1e-30 * fmax(reference, delta);
    const double relative = params->relative_tolerance * params->relative_tolerance * reference;
    const double target = fmax(relative, params->absolute_tolerance * params->absolute_tolerance);
    v->beta = 0;
    while (delta > target && delta > rounding && result->iterations < params->max_iterations) {
        run(v, direction_block);
        double curvature = run(v, product_block);
        if (!(curvature > 0) || !isfinite(curvature)) {
            return report_indefinite(v->context, result, most_negative_row(v));
        }
        v->alpha = delta / curvature;
        double next = run_and_precondition(v, step_block);
        result->iterations++;
        if (result->iterations % RECOMPUTE_EVERY == 0) {
            next = run_and_precondition(v, residual_block);
        }
        v->beta = next / delta;
        delta = next;
    }
    result->residual = reference > 0 ? sqrt(delta / reference) : delta > 0 ? 1 : 0;
    result->converged = delta <= target || delta <= rounding;
    return WF_OK;
}

wf_status wf_pcg_solve(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, wf_vec3 *x,
                       const wf_pcg_params *params, wf_pcg_workspace *workspace, wf_pcg_result *result)
{
    *result = (wf_pcg_result){.row = -1};
    size_t rows = (size_t)system->matrix->row_count;
    wf_status status = make_room(context, workspace, rows);
    if (status != WF_OK) {
        return status;
    }
    solve v = {.context = context, .system = system, .rows = rows, .blocks = wf_block_count(rows, ROW_BLOCK), .b = b,
               .x = x, .r = workspace->residual, .d = workspace->direction, .q = workspace->product,
               .s = workspace->preconditioned, .inverse = workspace->inverse, .diagonal = workspace->diagonal,
               .cholesky = params->preconditioner == WF_PRECONDITIONER_INCOMPLETE_CHOLESKY ? &workspace->cholesky
                                                                                           : NULL,
               .partial = workspace->partial_sums,
               .preconditioner = params->preconditioner};
    status = prepare(&v, result);
    return status == WF_OK ? iterate(&v, params, result) : status;
}

typedef struct product {
    const wf_linear_system *system;
    const wf_vec3 *x;
    wf_vec3 *y;
} product;

static void system_product_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const product *p = user;
    multiply_rows(p->system, p->x, p->y, begin, end);
}

void wf_linear_system_multiply(wf_context *context, const wf_linear_system *system, const wf_vec3 *x, wf_vec3 *y)
{
    product p = {system, x, y};
    wf_parallel_for(context, (size_t)system->matrix->row_count, ROW_BLOCK, system_product_block, &p);
}
