/* block_ssor.c - symmetric successive over-relaxation as a preconditioner (Axelsson 1972; Keckeisen 2005, sec. 2.4).
 *
 * With A = L + D + L^T by 3 x 3 blocks and the relaxation w,
 *
 *     P = (D / w + L) (w / (2 - w) D^-1) (D / w + L^T),
 *
 * applied by one sweep down the rows and one up. Rows are cut into pieces of fixed size that do not see each other, so
 * that threads share them: the sweeps of a piece take its own columns alone.
 */
#include "base/tasks.h"
#include "solve/definite.h"
#include "solve/preconditioner.h"

enum { PIECE = 4096 };

/* Near 1 its choice hardly matters (Axelsson 1972). */
#define RELAXATION 1.2F

typedef struct ssor {
    const wf_single_matrix *matrix;
    float (*inverse)[9]; /* D^-1, symmetric, and one more for the reading past the last */
    size_t capacity;
} ssor;

static void destroy(wf_context *context, void *state)
{
    ssor *p = state;
    if (p) {
        wf_free(context, p->inverse);
        wf_free(context, p);
    }
}

static wf_status prepare(wf_context *context, void **state, const wf_linear_system *system, const wf_mat3 *diagonal)
{
    if (!*state) {
        *state = wf_allocate(context, 1, sizeof(ssor));
        if (!*state) {
            return WF_ERROR_MEMORY;
        }
    }
    ssor *p = *state;
    p->matrix = system->single;
    size_t rows = p->matrix->rows;
    wf_status status = wf_reserve(context, &p->inverse, &p->capacity, rows + 1, sizeof *p->inverse);
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < rows; i++) {
        wf_mat3 inverse;
        if (!wf_invert_for_single(&diagonal[i], &inverse)) {
            return wf_fail(context, WF_ERROR_NUMERIC, "block SSOR: the block of vertex %d is not positive definite",
                           (int)i + 1);
        }
        for (int k = 0; k < 9; k++) {
            p->inverse[i][k] = (float)(&inverse.m[0][0])[k];
        }
    }
    p->inverse[rows][0] = 0;
    return WF_OK;
}

static bool is_within(int32_t column, int32_t first, int32_t end)
{
    return column >= first && column < end;
}

static void add_row(wf_row_products *sum, wf_single_row row, int32_t first, int32_t end, const wf_float4 *s)
{
    for (int32_t k = 0; k < row.count; k++) {
        if (is_within(row.column[k], first, end)) {
            wf_add_products(sum, row.blocks[k], s[row.column[k]]);
        }
    }
}

/* The sum over columns [first, end), not the diagonal, of A s in a row; the fourth lane is noise. */
static wf_float4 part_of_row(const wf_single_matrix *m, size_t row, int32_t first, int32_t end, const wf_float4 *s)
{
    wf_row_products products = {{0}, {0}, {0}};
    add_row(&products, wf_single_lower_row(m, row), first, end, s);
    if (m->extra_count > 0) {
        add_row(&products, wf_single_extra_row(m, row), first, end, s);
    }
    wf_float4 sum = wf_sum_products(&products);
    const wf_pattern *pattern = m->pattern;
    const int32_t *upper = pattern->upper + wf_pattern_upper_start(pattern, (int32_t)row);
    for (int32_t k = pattern->diagonal[row] + 1; k < pattern->row_start[row + 1]; k++, upper++) {
        if (is_within(pattern->column[k], first, end)) {
            sum += wf_transposed_product(m->lower[*upper], s[pattern->column[k]]);
        }
    }
    for (int32_t k = m->scalar_start[row]; k < m->scalar_start[row + 1]; k++) {
        int32_t column = wf_single_scalar_column(m, row, k);
        if (is_within(column, first, end)) {
            sum += m->scalars[k] * s[column];
        }
    }
    return sum;
}

typedef struct application {
    const ssor *p;
    const wf_float4 *r;
    wf_float4 *s;
} application;

/* Down: t = w D^-1 (r - L t). Up: s = t - w D^-1 L^T s, after which a factor (2 - w) / w is left. */
static void sweep_piece(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const application *a = user;
    const wf_single_matrix *m = a->p->matrix;
    const float w = RELAXATION, factor = (2 - RELAXATION) / RELAXATION;
    for (size_t i = begin; i < end; i++) {
        wf_float4 rest = a->r[i] - part_of_row(m, i, (int32_t)begin, (int32_t)i, a->s);
        a->s[i] = w * wf_transposed_product(a->p->inverse[i], rest);
        a->s[i][3] = 0;
    }
    for (size_t i = end; i-- > begin;) {
        wf_float4 later = part_of_row(m, i, (int32_t)i + 1, (int32_t)end, a->s);
        a->s[i] -= w * wf_transposed_product(a->p->inverse[i], later);
        a->s[i][3] = 0;
    }
    for (size_t i = begin; i < end; i++) {
        a->s[i] *= factor;
    }
}

static void apply(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s)
{
    application a = {state, r, s};
    wf_parallel_for(context, a.p->matrix->rows, PIECE, sweep_piece, &a);
}

const wf_preconditioner wf_preconditioner_block_ssor = {
    .name = "block ssor", .prepare = prepare, .apply = apply, .destroy = destroy};
