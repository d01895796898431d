#include "solve/incomplete_cholesky.h"

#include "solve/definite.h"

void wf_incomplete_cholesky_free(wf_context *context, wf_incomplete_cholesky *f)
{
    wf_free(context, f->row_start);
    wf_free(context, f->column);
    wf_free(context, f->lower);
    wf_free(context, f->inverse);
    wf_free(context, f->work);
    wf_free(context, f->pivot);
    *f = (wf_incomplete_cholesky){0};
}

static wf_status make_room(wf_context *context, wf_incomplete_cholesky *f, const wf_pattern *pattern)
{
    size_t rows = (size_t)pattern->row_count;
    size_t lower = ((size_t)wf_pattern_slot_count(pattern) - rows) / 2;
    void *arrays[6] = {&f->row_start, &f->column, &f->lower, &f->inverse, &f->work, &f->pivot};
    const size_t counts[6] = {rows + 1, lower, lower, rows, lower, rows};
    const size_t sizes[6] = {sizeof *f->row_start, sizeof *f->column, sizeof *f->lower, sizeof *f->inverse,
                             sizeof *f->work, sizeof *f->pivot};
    for (int k = 0; k < 6; k++) {
        wf_status status = wf_reserve(context, arrays[k], &f->capacity[k], counts[k], sizes[k]);
        if (status != WF_OK) {
            return status;
        }
    }
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

static wf_mat3 product(const wf_mat3 *a, const wf_mat3 *b)
{
    wf_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

/* S_row A S_column of a block and the scalar that shares its place. */
static wf_mat3 filtered_entry(const wf_block_matrix *a, const wf_filter *filter, int32_t row, int32_t column,
                              int32_t slot)
{
    wf_mat3 entry = a->values.blocks[slot], left;
    int32_t scalar = wf_pattern_find(&a->scalar_pattern, row, column);
    for (int i = 0; i < 3 && scalar >= 0; i++) {
        entry.m[i][i] += a->values.scalars[scalar];
    }
    if (!filter || filter->fixed_count[row] + filter->fixed_count[column] == 0) {
        return entry;
    }
    for (int j = 0; j < 3; j++) {
        wf_vec3 v = wf_filter_apply(filter, (size_t)row, (wf_vec3){entry.m[0][j], entry.m[1][j], entry.m[2][j]});
        left.m[0][j] = v.x;
        left.m[1][j] = v.y;
        left.m[2][j] = v.z;
    }
    for (int i = 0; i < 3; i++) {
        wf_vec3 v = wf_filter_apply(filter, (size_t)column, (wf_vec3){left.m[i][0], left.m[i][1], left.m[i][2]});
        entry.m[i][0] = v.x;
        entry.m[i][1] = v.y;
        entry.m[i][2] = v.z;
    }
    return entry;
}

static void keep(const wf_mat3 *a, float to[9])
{
    for (int k = 0; k < 9; k++) {
        to[k] = (float)(&a->m[0][0])[k];
    }
}

/* Rows in order; work holds L D, pivot holds D^-1. False when a pivot is not positive definite. */
static bool factor_rows(wf_incomplete_cholesky *f, const wf_block_matrix *a, const wf_mat3 *diagonal,
                        const wf_filter *filter, double enlargement)
{
    const wf_pattern *pattern = &a->block_pattern;
    int32_t at = 0;
    for (int32_t row = 0; row < pattern->row_count; row++) {
        wf_mat3 d = diagonal[row];
        for (int i = 0; i < 3; i++) {
            d.m[i][i] *= 1 + enlargement;
        }
        f->row_start[row] = at;
        for (int32_t slot = pattern->row_start[row]; slot < pattern->diagonal[row]; slot++, at++) {
            int32_t column = pattern->column[slot];
            wf_mat3 entry = filtered_entry(a, filter, row, column, slot);
            /* minus the sum over earlier columns j of both rows of (L D)_row,j L_column,j^T */
            int32_t p = f->row_start[row], q = f->row_start[column], end = f->row_start[column + 1];
            while (p < at && q < end) {
                if (f->column[p] == f->column[q]) {
                    wf_mat3 l = product(&f->work[q], &f->pivot[f->column[q]]);
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
            wf_mat3 l = product(&entry, &f->pivot[column]);
            subtract_product_transposed(&d, &l, &entry);
            keep(&l, f->lower[at]);
        }
        f->row_start[row + 1] = at;
        if (!wf_invert_definite(&d, &f->pivot[row])) {
            return false;
        }
        keep(&f->pivot[row], f->inverse[row]);
    }
    return true;
}

wf_status wf_incomplete_cholesky_factor(wf_context *context, wf_incomplete_cholesky *f, const wf_block_matrix *matrix,
                                        const wf_mat3 *diagonal, const wf_filter *filter)
{
    f->pattern = &matrix->block_pattern;
    wf_status status = make_room(context, f, f->pattern);
    if (status != WF_OK) {
        return status;
    }
    /* A large enough diagonal succeeds, its blocks being positive definite; unless an entry is not finite. */
    for (double enlargement = 0; enlargement < 1e12; enlargement = enlargement > 0 ? 4 * enlargement : 1e-3) {
        if (factor_rows(f, matrix, diagonal, filter, enlargement)) {
            return WF_OK;
        }
    }
    return wf_fail(context, WF_ERROR_NUMERIC, "linear system: the matrix has entries that are not finite or too large");
}

void wf_incomplete_cholesky_apply(const wf_incomplete_cholesky *f, const wf_vec3 *r, wf_vec3 *s)
{
    int32_t rows = f->pattern->row_count;
    for (int32_t row = 0; row < rows; row++) {
        wf_vec3 v = r[row];
        for (int32_t k = f->row_start[row]; k < f->row_start[row + 1]; k++) {
            const float *l = f->lower[k];
            wf_vec3 y = s[f->column[k]];
            v.x -= (double)l[0] * y.x + (double)l[1] * y.y + (double)l[2] * y.z;
            v.y -= (double)l[3] * y.x + (double)l[4] * y.y + (double)l[5] * y.z;
            v.z -= (double)l[6] * y.x + (double)l[7] * y.y + (double)l[8] * y.z;
        }
        s[row] = v;
    }
    for (int32_t row = 0; row < rows; row++) {
        const float *d = f->inverse[row];
        wf_vec3 y = s[row];
        s[row].x = (double)d[0] * y.x + (double)d[1] * y.y + (double)d[2] * y.z;
        s[row].y = (double)d[3] * y.x + (double)d[4] * y.y + (double)d[5] * y.z;
        s[row].z = (double)d[6] * y.x + (double)d[7] * y.y + (double)d[8] * y.z;
    }
    for (int32_t row = rows - 1; row >= 0; row--) {
        wf_vec3 z = s[row];
        for (int32_t k = f->row_start[row]; k < f->row_start[row + 1]; k++) {
            const float *l = f->lower[k];
            wf_vec3 *to = &s[f->column[k]];
            to->x -= (double)l[0] * z.x + (double)l[3] * z.y + (double)l[6] * z.z;
            to->y -= (double)l[1] * z.x + (double)l[4] * z.y + (double)l[7] * z.z;
            to->z -= (double)l[2] * z.x + (double)l[5] * z.y + (double)l[8] * z.z;
        }
    }
}
