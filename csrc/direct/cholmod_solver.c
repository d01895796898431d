#include "direct/cholmod_solver.h"

#include <string.h>
#include <suitesparse/cholmod.h>

struct wf_cholmod_solver {
    cholmod_common common;
    cholmod_sparse *matrix;  /* of the solve before: its pattern tells whether the symbolic factor serves again */
    cholmod_factor *factor;
};

wf_status wf_cholmod_solver_create(wf_context *context, wf_cholmod_solver **solver)
{
    *solver = wf_allocate(context, 1, sizeof **solver);
    if (!*solver) {
        return WF_ERROR_MEMORY;
    }
    cholmod_start(&(*solver)->common);
    (*solver)->common.print = 0;
    (*solver)->common.final_ll = 1; /* L D L^T would take indefinite matrices */
    return WF_OK;
}

static void forget(wf_cholmod_solver *s)
{
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_free_sparse(&s->matrix, &s->common);
}

void wf_cholmod_solver_destroy(wf_context *context, wf_cholmod_solver *solver)
{
    if (solver) {
        forget(solver);
        cholmod_finish(&solver->common);
        wf_free(context, solver);
    }
}

static wf_status report(wf_context *context, const wf_cholmod_solver *s)
{
    switch (s->common.status) {
    case CHOLMOD_OUT_OF_MEMORY:
        return wf_fail(context, WF_ERROR_MEMORY, "out of memory: CHOLMOD needs more");
    case CHOLMOD_TOO_LARGE:
        return wf_fail(context, WF_ERROR_LIMIT, "linear system: its factor is too large for CHOLMOD");
    default:
        return wf_fail(context, WF_ERROR_NUMERIC, "linear system: CHOLMOD failed with status %d", s->common.status);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

static void put(cholmod_triplet *t, int32_t row, int32_t column, const wf_mat3 *block)
{
    int *rows = t->i, *columns = t->j;
    double *values = t->x;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            if (row != column || r >= c) { /* the lower triangle */
                rows[t->nnz] = 3 * row + r;
                columns[t->nnz] = 3 * column + c;
                values[t->nnz++] = block->m[r][c];
            }
        }
    }
}

static void put_row(cholmod_triplet *t, const wf_linear_system *system, const wf_mat3 *diagonal, int32_t row)
{
    const wf_pattern *blocks = &system->matrix->block_pattern;
    const wf_scalar_pattern *scalars = &system->matrix->scalar_pattern;
    int32_t place = wf_pattern_first_place(blocks, row);
    put(t, row, row, &diagonal[row]);
    for (int32_t k = blocks->row_start[row]; k < blocks->diagonal[row]; k++, place++) {
        wf_mat3 entry = wf_filter_apply_block(system->filter, (size_t)row, (size_t)blocks->column[k],
                                              system->matrix->values.blocks[place]);
        put(t, row, blocks->column[k], &entry);
    }
    for (int32_t k = scalars->lower_start[row]; k < scalars->lower_start[row + 1]; k++) {
        int32_t column = wf_scalar_pattern_lower_column(scalars, row, k);
        double a = wf_block_matrix_scalar(system->matrix, wf_scalar_pattern_lower_place(row, k));
        wf_mat3 entry = wf_filter_apply_block(system->filter, (size_t)row, (size_t)column,
                                              (wf_mat3){{{a, 0, 0}, {0, a, 0}, {0, 0, a}}});
        put(t, row, column, &entry);
    }
    wf_contact_row contacts = wf_contact_blocks_row(system->contacts, row);
    for (int32_t k = 0; k < contacts.count && contacts.column[k] < row; k++) {
        wf_mat3 entry = wf_filter_apply_block(system->filter, (size_t)row, (size_t)contacts.column[k],
                                              contacts.blocks[k]);
        put(t, row, contacts.column[k], &entry);
    }
}

static size_t count_entries(const wf_linear_system *system)
{
    size_t count = (size_t)wf_pattern_slot_count(&system->matrix->block_pattern) +
                   (size_t)wf_scalar_pattern_place_count(&system->matrix->scalar_pattern);
    for (int32_t row = 0; row < system->matrix->row_count; row++) {
        count += (size_t)wf_contact_blocks_row(system->contacts, row).count;
    }
    return 9 * count;
}

/* The lower triangle of S (A + C) S, with the identity's multiples between fixed directions. */
static cholmod_sparse *assemble(wf_cholmod_solver *s, const wf_linear_system *system, const wf_mat3 *diagonal)
{
    size_t size = 3 * (size_t)system->matrix->row_count;
    cholmod_triplet *triplets = cholmod_allocate_triplet(size, size, count_entries(system), -1, CHOLMOD_REAL,
                                                         &s->common);
    if (!triplets) {
        return NULL;
    }
    for (int32_t row = 0; row < system->matrix->row_count; row++) {
        put_row(triplets, system, diagonal, row);
    }
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(triplets, 0, &s->common);
    cholmod_free_triplet(&triplets, &s->common);
    return matrix;
}

static bool same_pattern(const cholmod_sparse *a, const cholmod_sparse *b)
{
    if (!a || a->ncol != b->ncol || memcmp(a->p, b->p, (a->ncol + 1) * sizeof(int)) != 0) {
        return false;
    }
    return memcmp(a->i, b->i, (size_t)((const int *)a->p)[a->ncol] * sizeof(int)) == 0;
}

static wf_status factorise(wf_context *context, wf_cholmod_solver *s, const wf_linear_system *system,
                           const wf_mat3 *diagonal, wf_cholmod_result *result)
{
    cholmod_sparse *matrix = assemble(s, system, diagonal);
    if (!matrix) {
        return report(context, s);
    }
    result->reused = s->factor && same_pattern(s->matrix, matrix);
    if (!result->reused) {
        forget(s);
        s->factor = cholmod_analyze(matrix, &s->common);
    }
    cholmod_free_sparse(&s->matrix, &s->common);
    s->matrix = matrix;
    if (!s->factor) {
        return report(context, s);
    }
    int done = cholmod_factorize(matrix, s->factor, &s->common);
    if (done && s->common.status == CHOLMOD_NOT_POSDEF) {
        result->row = ((const int *)s->factor->Perm)[s->factor->minor] / 3;
        return wf_fail(context, WF_ERROR_NUMERIC, "linear system: the matrix is not positive definite at vertex %d",
                       result->row + 1);
    }
    return done ? WF_OK : report(context, s);
}

/* ---- the solution ---------------------------------------------------------------------------------------------- */

static double norm_of(const wf_vec3 *r, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        sum += wf_vec3_norm2(r[i]);
    }
    return sqrt(sum);
}

/* r = S (b - (A + C) x) */
static void residual_of(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, const wf_vec3 *x,
                        wf_vec3 *r)
{
    wf_linear_system_multiply(context, system, x, r);
    for (int32_t i = 0; i < system->matrix->row_count; i++) {
        r[i] = wf_filter_apply(system->filter, (size_t)i, wf_vec3_sub(b[i], r[i]));
    }
}

/* Solves for the right-hand side with the fixed part moved over, then once more for what rounding left. */
static wf_status substitute(wf_context *context, wf_cholmod_solver *s, const wf_linear_system *system,
                            const wf_vec3 *b, wf_vec3 *trial, wf_vec3 *r, wf_cholmod_result *result)
{
    size_t rows = (size_t)system->matrix->row_count;
    double reference = 0;
    for (int pass = 0; pass < 3; pass++) {
        residual_of(context, system, b, trial, r);
        double size = norm_of(r, rows);
        reference = pass == 0 ? size : reference;
        result->residual = reference > 0 ? size / reference : 0;
        if (!isfinite(size)) {
            return wf_fail(context, WF_ERROR_NUMERIC, "linear system: the right-hand side or the start is not finite");
        }
        if (pass == 2 || size == 0) {
            return WF_OK;
        }
        cholmod_dense right = {.nrow = 3 * rows, .ncol = 1, .nzmax = 3 * rows, .d = 3 * rows, .x = r,
                               .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
        cholmod_dense *y = cholmod_solve(CHOLMOD_A, s->factor, &right, &s->common);
        if (!y) {
            return report(context, s);
        }
        for (size_t i = 0; i < rows; i++) {
            trial[i] = wf_vec3_add(trial[i], wf_filter_apply(system->filter, i, ((const wf_vec3 *)y->x)[i]));
        }
        cholmod_free_dense(&y, &s->common);
    }
    return WF_OK;
}

wf_status wf_cholmod_solve(wf_context *context, wf_cholmod_solver *solver, const wf_linear_system *system,
                           const wf_vec3 *b, wf_vec3 *x, wf_cholmod_result *result)
{
    *result = (wf_cholmod_result){.row = -1};
    size_t rows = (size_t)system->matrix->row_count;
    if (rows > INT32_MAX / 3) {
        return wf_fail(context, WF_ERROR_LIMIT, "linear system: CHOLMOD takes at most %d vertices", INT32_MAX / 3);
    }
    wf_mat3 *diagonal = wf_allocate(context, rows, sizeof *diagonal);
    wf_vec3 *r = wf_allocate(context, rows, sizeof *r), *trial = wf_allocate(context, rows, sizeof *trial);
    wf_status status = diagonal && r && trial ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        result->row = wf_linear_system_diagonal(context, system, diagonal);
        if (result->row >= 0) {
            status = wf_fail(context, WF_ERROR_NUMERIC,
                             "linear system: the matrix is not positive definite at vertex %d", result->row + 1);
        }
    }
    if (status == WF_OK) {
        status = factorise(context, solver, system, diagonal, result);
    }
    if (status == WF_OK) {
        for (size_t i = 0; i < rows; i++) { /* the fixed part */
            trial[i] = wf_vec3_sub(x[i], wf_filter_apply(system->filter, i, x[i]));
            trial[i] = system->filter && system->filter->fixed_count[i] == 3 ? x[i] : trial[i];
        }
        status = substitute(context, solver, system, b, trial, r, result);
    }
    if (status == WF_OK) {
        memcpy(x, trial, rows * sizeof *x);
    }
    wf_free(context, diagonal);
    wf_free(context, r);
    wf_free(context, trial);
    return status;
}
