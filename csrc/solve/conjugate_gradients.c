#include "solve/conjugate_gradients.h"

#include "base/tasks.h"

enum { ROW_BLOCK = 512, RECOMPUTE_EVERY = 64 };

/* Diagonal entries outside these bounds would not survive single precision, nor would products with them. */
#define SMALLEST_DIAGONAL 1e-25
#define LARGEST_DIAGONAL 1e25

wf_pcg_params wf_default_pcg_params(void)
{
    return (wf_pcg_params){.relative_tolerance = 1e-6, .max_iterations = 10000,
                           .preconditioner = &wf_preconditioner_incomplete_cholesky};
}

/* What the row loops of one solve share. */
typedef struct solve {
    wf_context *context;
    wf_linear_system system;
    size_t rows, blocks;
    const wf_vec3 *b;
    wf_vec3 *x;
    wf_vec3 *r, *d, *q;
    wf_float4 *narrow_r, *s; /* scale r, rounded, and P^-1 of it */
    double scale;            /* a power of 2 that brings r near 1, where single precision is at home */
    wf_mat3 *diagonal;
    const wf_preconditioner *preconditioner;
    void *state;
    double *partial;
    double alpha, beta;
    bool only_fixed; /* for the reference residual: x without its free part */
} solve;

static double run(solve *v, wf_block_function *function)
{
    wf_parallel_for(v->context, v->rows, ROW_BLOCK, function, v);
    double sum = 0;
    for (size_t block = 0; block < v->blocks; block++) {
        sum += v->partial[block];
    }
    return sum;
}

static wf_float4 narrow(wf_vec3 a, double scale)
{
    return (wf_float4){(float)(a.x * scale), (float)(a.y * scale), (float)(a.z * scale), 0};
}

static wf_vec3 widen(wf_float4 a)
{
    return (wf_vec3){a[0], a[1], a[2]};
}

/* ---- the row loops --------------------------------------------------------------------------------------------- */

/* d = the fixed part of x */
static void fixed_part_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    for (size_t i = begin; i < end; i++) {
        v->d[i] = wf_vec3_sub(v->x[i], wf_filter_apply(v->system.filter, i, v->x[i]));
    }
    v->partial[block] = 0;
}

/* r = S (b - A x); partial: r.r */
static void residual_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double sum = 0;
    wf_linear_system_multiply_rows(&v->system, v->only_fixed ? v->d : v->x, v->r, begin, end);
    for (size_t i = begin; i < end; i++) {
        v->r[i] = wf_filter_apply(v->system.filter, i, wf_vec3_sub(v->b[i], v->r[i]));
        sum += wf_vec3_norm2(v->r[i]);
    }
    v->partial[block] = sum;
}

static void narrow_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    for (size_t i = begin; i < end; i++) {
        v->narrow_r[i] = narrow(v->r[i], v->scale);
    }
    v->partial[block] = 0;
}

/* partial: r.s; s need not be filtered for this, because r is */
static void dot_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(v->r[i], widen(v->s[i]));
    }
    v->partial[block] = sum;
}

/* d = S s + beta d */
static void direction_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double back = 1 / v->scale;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 s = wf_filter_apply(v->system.filter, i, wf_vec3_scale(widen(v->s[i]), back));
        v->d[i] = wf_vec3_muladds(s, v->d[i], v->beta);
    }
    v->partial[block] = 0;
}

/* q = A d; partial: d.q */
static void product_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    double sum = 0;
    wf_linear_system_multiply_rows(&v->system, v->d, v->q, begin, end);
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(v->d[i], v->q[i]);
    }
    v->partial[block] = sum;
}

/* x += alpha d, r -= alpha S q */
static void step_block(void *user, size_t block, size_t begin, size_t end)
{
    solve *v = user;
    for (size_t i = begin; i < end; i++) {
        v->x[i] = wf_vec3_muladds(v->x[i], v->d[i], v->alpha);
        v->r[i] = wf_filter_apply(v->system.filter, i, wf_vec3_muladds(v->r[i], v->q[i], -v->alpha));
        v->narrow_r[i] = narrow(v->r[i], v->scale);
    }
    v->partial[block] = 0;
}

/* ---- the method ------------------------------------------------------------------------------------------------ */

static wf_status make_room(wf_context *context, wf_pcg_workspace *w, size_t rows)
{
    void *arrays[7] = {&w->residual, &w->direction, &w->product, &w->narrow_residual,
                       &w->preconditioned, &w->diagonal, &w->partial_sums};
    const size_t sizes[7] = {sizeof *w->residual, sizeof *w->direction, sizeof *w->product, sizeof *w->narrow_residual,
                             sizeof *w->preconditioned, sizeof *w->diagonal, sizeof *w->partial_sums};
    for (int k = 0; k < 7; k++) {
        wf_status status = wf_reserve(context, arrays[k], &w->capacity[k], rows, sizes[k]);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *w)
{
    wf_free(context, w->residual);
    wf_free(context, w->direction);
    wf_free(context, w->product);
    wf_free(context, w->narrow_residual);
    wf_free(context, w->preconditioned);
    wf_free(context, w->diagonal);
    wf_free(context, w->partial_sums);
    wf_single_matrix_free(context, &w->single);
    if (w->preconditioner) {
        w->preconditioner->destroy(context, w->preconditioner_state);
    }
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

static wf_status prepare(solve *v, wf_pcg_workspace *w, wf_pcg_result *result)
{
    int32_t bad = wf_linear_system_diagonal(v->context, &v->system, v->diagonal);
    if (bad >= 0) {
        return report_indefinite(v->context, result, bad);
    }
    for (size_t i = 0; i < v->rows; i++) {
        for (int k = 0; k < 3; k++) {
            double entry = v->diagonal[i].m[k][k];
            if (!(entry >= SMALLEST_DIAGONAL && entry <= LARGEST_DIAGONAL)) {
                return wf_fail(v->context, WF_ERROR_NUMERIC,
                               "linear system: the diagonal of vertex %d is %g, not from %g to %g", (int)i + 1, entry,
                               SMALLEST_DIAGONAL, LARGEST_DIAGONAL);
            }
        }
    }
    wf_status status = wf_single_matrix_fill(v->context, &w->single, &v->system, v->diagonal);
    if (status != WF_OK) {
        return status;
    }
    v->system.single = &w->single;
    if (w->preconditioner != v->preconditioner) {
        if (w->preconditioner) {
            w->preconditioner->destroy(v->context, w->preconditioner_state);
        }
        w->preconditioner = v->preconditioner;
        w->preconditioner_state = NULL;
    }
    status = v->preconditioner->prepare(v->context, &w->preconditioner_state, &v->system, v->diagonal, false);
    v->state = w->preconditioner_state;
    return status;
}

/* s = P^-1 r; returns r.s */
static double precondition(solve *v)
{
    v->preconditioner->apply(v->context, v->state, v->narrow_r, v->s);
    return run(v, dot_block) / v->scale;
}

/* r = S (b - A x) and s = P^-1 r; returns r.s */
static double start_from_residual(solve *v)
{
    double mean = sqrt(run(v, residual_block) / (double)(v->rows > 0 ? v->rows : 1));
    int exponent = 0;
    if (mean > 0 && isfinite(mean)) {
        frexp(mean, &exponent);
    }
    v->scale = ldexp(1, -exponent);
    run(v, narrow_block);
    return precondition(v);
}

/* |S (b - A x_fixed)|^2: what the tolerance is relative to. */
static double reference_of(solve *v)
{
    run(v, fixed_part_block);
    v->only_fixed = true;
    double reference = start_from_residual(v);
    v->only_fixed = false;
    return reference;
}

static wf_status iterate(solve *v, const wf_pcg_params *params, wf_pcg_result *result)
{
    double reference = reference_of(v), delta = start_from_residual(v);
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
        run(v, step_block);
        result->iterations++;
        double next = result->iterations % RECOMPUTE_EVERY == 0 ? start_from_residual(v) : precondition(v);
        if (!(next >= 0) || !isfinite(next)) {
            return wf_fail(v->context, WF_ERROR_NUMERIC, "linear system: the preconditioner \"%s\" broke down",
                           v->preconditioner->name);
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
    solve v = {.context = context, .system = *system, .rows = rows, .blocks = wf_block_count(rows, ROW_BLOCK),
               .b = b, .x = x, .r = workspace->residual, .d = workspace->direction, .q = workspace->product,
               .narrow_r = workspace->narrow_residual, .s = workspace->preconditioned, .diagonal = workspace->diagonal,
               .partial = workspace->partial_sums, .preconditioner = params->preconditioner};
    status = prepare(&v, workspace, result);
    return status == WF_OK ? iterate(&v, params, result) : status;
}
