/* incomplete_cholesky.c - a preconditioner that sees neighbours: block L D L^T on the pattern of the 3 x 3 blocks.
 *
 * Entries outside that pattern (bending's far couplings, contacts between distant vertices) enter by their diagonal
 * blocks alone. Where the factorisation meets a pivot that is not positive definite, the diagonal is enlarged and it
 * starts again. The factorisation and its two triangular solves run on one thread in the order of the rows.
 */
#include "solve/definite.h"
#include "solve/preconditioner.h"

typedef struct incomplete_cholesky {
    const wf_pattern *pattern;
    int32_t *row_start, *column;   /* strictly lower blocks of L, by rows */
    float (*lower)[9];             /* by columns */
    float (*inverse)[9];           /* D^-1 */
    wf_mat3 *work, *pivot;
    size_t capacity[6];
} incomplete_cholesky;

static void destroy(wf_context *context, void *state)
{
    incomplete_cholesky *f = state;
    if (f) {
        wf_free(context, f->row_start);
        wf_free(context, f->column);
        wf_free(context, f->lower);
        wf_free(context, f->inverse);
        wf_free(context, f->work);
        wf_free(context, f->pivot);
        wf_free(context, f);
    }
}

static wf_status make_room(wf_context *context, incomplete_cholesky *f, const wf_pattern *pattern)
{
    size_t rows = (size_t)pattern->row_count;
    size_t lower = ((size_t)wf_pattern_slot_count(pattern) - rows) / 2;
    void *arrays[6] = {&f->row_start, &f->column, &f->lower, &f->inverse, &f->work, &f->pivot};
    const size_t counts[6] = {rows + 1, lower, lower + 1, rows + 1, lower, rows};
    const size_t sizes[6] = {sizeof *f->row_start, sizeof *f->column, sizeof *f->lower, sizeof *f->inverse,
                             sizeof *f->work, sizeof *f->pivot};
    for (int k = 0; k < 6; k++) {
        wf_status status = wf_reserve(context, arrays[k], &f->capacity[k], counts[k], sizes[k]);
        if (status != WF_OK) {
            return status;
        }
    }
    f->lower[lower][0] = f->inverse[rows][0] = 0; /* products read a float past the last block */
    return WF_OK;
}

/* a -= b c^T */
static void subtract_product_transposed(wf_mat3 *a, const wf_mat3 *b, const wf_mat3 *c)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a->m[i][j] -= b->m[i][0] * c->m[j][0] + b->m[i][1] * c->m[j][1] + b->m[i][2] * c->m[j][2];
        }
    }
}

/* S_row A S_column of a block below the diagonal and the scalar that shares its place. */
static wf_mat3 filtered_entry(const wf_linear_system *system, int32_t row, int32_t column, int32_t place)
{
    const wf_block_matrix *a = system->matrix;
    wf_mat3 entry = a->values.blocks[place];
    int32_t scalar = wf_scalar_pattern_find(&a->scalar_pattern, row, column);
    for (int i = 0; i < 3 && scalar >= 0; i++) {
        entry.m[i][i] += wf_block_matrix_scalar(a, scalar);
    }
    const wf_filter *filter = system->filter;
    return filter && filter->fixed_count[row] + filter->fixed_count[column] > 0
               ? wf_filter_apply_block(filter, (size_t)row, (size_t)column, entry)
               : entry;
}

static void keep(const wf_mat3 *a, float to[9])
{
    for (int k = 0; k < 9; k++) {
        to[k] = (float)a->m[k % 3][k / 3];
    }
}

/* Rows in order; work holds L D, pivot holds D^-1. False when a pivot is not positive definite. */
static bool factor_rows(incomplete_cholesky *f, const wf_linear_system *system, const wf_mat3 *diagonal,
                        double enlargement)
{
    const wf_pattern *pattern = &system->matrix->block_pattern;
    int32_t at = 0;
    for (int32_t row = 0; row < pattern->row_count; row++) {
        wf_mat3 d = diagonal[row];
        for (int i = 0; i < 3; i++) {
            d.m[i][i] *= 1 + enlargement;
        }
        f->row_start[row] = at;
        for (int32_t slot = pattern->row_start[row]; slot < pattern->diagonal[row]; slot++, at++) {
            int32_t column = pattern->column[slot];
            wf_mat3 entry = filtered_entry(system, row, column, at + row); /* a diagonal block for each row */
            /* minus the sum over earlier columns j of both rows of (L D)_row,j L_column,j^T */
            int32_t p = f->row_start[row], q = f->row_start[column], end = f->row_start[column + 1];
            while (p < at && q < end) {
                if (f->column[p] == f->column[q]) {
                    wf_mat3 l = wf_mat3_product(f->work[q], f->pivot[f->column[q]]);
                    subtract_product_transposed(&entry, &f->work[p], &l);
                    p++;
                    q++;
                } else if (f->column[p] < f->column[q]) {
                    p++;
                } else {
                    q++;
                }
            }
            f->column[at] = column;
            f->work[at] = entry;
            wf_mat3 l = wf_mat3_product(entry, f->pivot[column]);
            subtract_product_transposed(&d, &l, &entry);
            keep(&l, f->lower[at]);
        }
        f->row_start[row + 1] = at;
        if (!wf_invert_definite(&d, &f->pivot[row])) {
            return false;
        }
        wf_mat3 inverse = f->pivot[row];
        wf_soften_for_single(&d, &inverse);
        keep(&inverse, f->inverse[row]);
    }
    return true;
}

static wf_status prepare(wf_context *context, void **state, const wf_linear_system *system, const wf_mat3 *diagonal)
{
    if (!*state) {
        *state = wf_allocate(context, 1, sizeof(incomplete_cholesky));
        if (!*state) {
            return WF_ERROR_MEMORY;
        }
    }
    incomplete_cholesky *f = *state;
    f->pattern = &system->matrix->block_pattern;
    wf_status status = make_room(context, f, f->pattern);
    if (status != WF_OK) {
        return status;
    }
    /* A large enough diagonal succeeds, its blocks being positive definite; unless an entry is not finite. */
    for (double enlargement = 0; enlargement < 1e12; enlargement = enlargement > 0 ? 4 * enlargement : 1e-3) {
        if (factor_rows(f, system, diagonal, enlargement)) {
            return WF_OK;
        }
    }
    return wf_fail(context, WF_ERROR_NUMERIC, "linear system: the matrix has entries that are not finite or too large");
}

static void apply(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s)
{
    (void)context;
    const incomplete_cholesky *f = state;
    int32_t rows = f->pattern->row_count;
    for (int32_t row = 0; row < rows; row++) {
        wf_float4 v = r[row];
        for (int32_t k = f->row_start[row]; k < f->row_start[row + 1]; k++) {
            v -= wf_transposed_product(f->lower[k], s[f->column[k]]);
        }
        s[row] = v;
    }
    for (int32_t row = 0; row < rows; row++) {
        s[row] = wf_transposed_product(f->inverse[row], s[row]);
        s[row][3] = 0;
    }
    for (int32_t row = rows - 1; row >= 0; row--) {
        wf_float4 z = s[row];
        for (int32_t k = f->row_start[row]; k < f->row_start[row + 1]; k++) {
            const float *l = f->lower[k];
            s[f->column[k]] -= (wf_float4){l[0] * z[0] + l[1] * z[1] + l[2] * z[2],
                                           l[3] * z[0] + l[4] * z[1] + l[5] * z[2],
                                           l[6] * z[0] + l[7] * z[1] + l[8] * z[2], 0};
        }
    }
}

const wf_preconditioner wf_preconditioner_incomplete_cholesky = {
    .name = "incomplete cholesky", .prepare = prepare, .apply = apply, .destroy = destroy};
