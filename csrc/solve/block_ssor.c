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
    float (*inverse)[9]; /* D^-1, by columns, and one more for the reading past the last */
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
        if (!wf_invert_definite(&diagonal[i], &inverse)) {
            return wf_fail(context, WF_ERROR_NUMERIC, "block SSOR: the block of vertex %d is not positive definite",
                           (int)i + 1);
        }
        for (int k = 0; k < 9; k++) {
            p->inverse[i][k] = (float)inverse.m[k % 3][k / 3];
        }
    }
    p->inverse[rows][0] = 0;
    return WF_OK;
}

/* The sum over columns [first, end) of A s in a row; the fourth lane is noise. */
static wf_float4 part_of_row(const wf_single_matrix *m, size_t row, int32_t first, int32_t end, const wf_float4 *s)
{
    wf_float4 sum = {0};
    const int32_t *column = m->pattern->column;
    for (int32_t k = m->pattern->row_start[row]; k < m->pattern->row_start[row + 1]; k++) {
        if (column[k] >= first && column[k] < end) {
            sum += wf_single_block_multiply(m->blocks[k], s[column[k]]);
        }
    }
    for (int32_t k = m->scalar_start[row]; k < m->scalar_start[row + 1]; k++) {
        if (m->scalar_column[k] >= first && m->scalar_column[k] < end) {
            sum += m->scalars[k] * s[m->scalar_column[k]];
        }
    }
    if (m->extra_count > 0) {
        for (int32_t k = m->extra_start[row]; k < m->extra_start[row + 1]; k++) {
            if (m->extra_column[k] >= first && m->extra_column[k] < end) {
                sum += wf_single_block_multiply(m->extra_blocks[k], s[m->extra_column[k]]);
            }
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
        a->s[i] = w * wf_single_block_multiply(a->p->inverse[i], rest);
        a->s[i][3] = 0;
    }
    for (size_t i = end; i-- > begin;) {
        wf_float4 later = part_of_row(m, i, (int32_t)i + 1, (int32_t)end, a->s);
        a->s[i] -= w * wf_single_block_multiply(a->p->inverse[i], later);
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
