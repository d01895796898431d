#include "solve/single_matrix.h"

#include "base/prefetch.h"
#include "base/tasks.h"

enum { ROW_BLOCK = 512 };

void wf_single_matrix_free(wf_context *context, wf_single_matrix *m)
{
    wf_free(context, m->blocks);
    wf_free(context, m->scalar_start);
    wf_free(context, m->scalar_column);
    wf_free(context, m->scalars);
    wf_free(context, m->extra_start);
    wf_free(context, m->extra_column);
    wf_free(context, m->extra_blocks);
    *m = (wf_single_matrix){0};
}

/* ---- structure ------------------------------------------------------------------------------------------------- */

/* Walks the scalars of a row beside its blocks: lists the columns of those that no block shares its place with, from
 * `at` on, where `list` is set. Returns where the list ends. */
static int32_t match_row(wf_single_matrix *m, const wf_pattern *scalars, size_t row, int32_t at, bool list)
{
    const wf_pattern *blocks = m->pattern;
    int32_t b = blocks->row_start[row];
    for (int32_t s = scalars->row_start[row]; s < scalars->row_start[row + 1]; s++) {
        int32_t column = scalars->column[s];
        while (b < blocks->row_start[row + 1] && blocks->column[b] < column) {
            b++;
        }
        if (b == blocks->row_start[row + 1] || blocks->column[b] != column) {
            if (list) {
                m->scalar_column[at] = column;
            }
            at++;
        }
    }
    return at;
}

static wf_status adopt_pattern(wf_context *context, wf_single_matrix *m, const wf_block_matrix *a)
{
    m->identity = 0;
    m->rows = (size_t)a->row_count;
    m->pattern = &a->block_pattern;
    size_t blocks = (size_t)wf_pattern_slot_count(m->pattern), scalars = 0;
    for (size_t row = 0; row < m->rows; row++) {
        scalars = (size_t)match_row(m, &a->scalar_pattern, row, (int32_t)scalars, false);
    }
    /* One block more: products read a float past the last. */
    wf_status status = wf_reserve(context, &m->blocks, &m->capacity[0], blocks + 1, sizeof *m->blocks);
    if (status == WF_OK) {
        status = wf_reserve(context, &m->scalar_start, &m->capacity[1], m->rows + 1, sizeof *m->scalar_start);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &m->scalar_column, &m->capacity[2], scalars, sizeof *m->scalar_column);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &m->scalars, &m->capacity[3], scalars, sizeof *m->scalars);
    }
    if (status != WF_OK) {
        return status;
    }
    m->blocks[blocks][0] = 0;
    m->scalar_start[0] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        m->scalar_start[row + 1] = match_row(m, &a->scalar_pattern, row, m->scalar_start[row], true);
    }
    m->identity = a->identity;
    return WF_OK;
}

/* ---- extra blocks ---------------------------------------------------------------------------------------------- */

static bool fixed_in_part(const wf_filter *filter, size_t vertex)
{
    return filter && filter->fixed_count[vertex] % 3 != 0;
}

static bool any_fixed_in_part(const wf_filter *filter)
{
    for (int32_t i = 0; filter && i < filter->vertex_count; i++) {
        if (fixed_in_part(filter, (size_t)i)) {
            return true;
        }
    }
    return false;
}

/* Whether scalar k of the copy stays one between the free directions of its vertices. */
static bool stays_scalar(const wf_single_matrix *m, const wf_filter *filter, size_t row, int32_t k)
{
    return !fixed_in_part(filter, row) && !fixed_in_part(filter, (size_t)m->scalar_column[k]);
}

static wf_status count_extras(wf_context *context, wf_single_matrix *m, const wf_linear_system *system)
{
    m->extra_count = 0;
    bool guided = any_fixed_in_part(system->filter);
    if (!guided && wf_contact_blocks_are_empty(system->contacts)) {
        return WF_OK;
    }
    wf_status status = wf_reserve(context, &m->extra_start, &m->capacity[4], m->rows + 1, sizeof *m->extra_start);
    if (status != WF_OK) {
        return status;
    }
    size_t total = 0;
    for (size_t row = 0; row < m->rows; row++) {
        m->extra_start[row] = (int32_t)total;
        wf_contact_row contacts = wf_contact_blocks_row(system->contacts, (int32_t)row);
        for (int32_t k = 0; k < contacts.count; k++) {
            total += contacts.column[k] != (int32_t)row;
        }
        for (int32_t k = m->scalar_start[row]; guided && k < m->scalar_start[row + 1]; k++) {
            total += !stays_scalar(m, system->filter, row, k);
        }
        if (total > INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "linear system: more than 2^31 contacts");
        }
    }
    m->extra_start[m->rows] = (int32_t)total;
    status = wf_reserve(context, &m->extra_column, &m->capacity[5], total, sizeof *m->extra_column);
    if (status == WF_OK) {
        status = wf_reserve(context, &m->extra_blocks, &m->capacity[6], total + 1, sizeof *m->extra_blocks);
    }
    if (status == WF_OK) {
        m->extra_blocks[total][0] = 0;
        m->extra_count = total;
    }
    return status;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

typedef struct filling {
    wf_single_matrix *single;
    const wf_linear_system *system;
    const wf_mat3 *diagonal;
} filling;

static void narrow(const wf_mat3 *from, float to[9])
{
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            to[3 * c + r] = (float)from->m[r][c];
        }
    }
}

static void fill_blocks_of_row(const filling *f, size_t row)
{
    wf_single_matrix *m = f->single;
    const wf_matrix_values *values = &f->system->matrix->values;
    const wf_filter *filter = f->system->filter;
    const wf_pattern *scalars = &f->system->matrix->scalar_pattern;
    int32_t s = scalars->row_start[row], end = scalars->row_start[row + 1];
    for (int32_t k = m->pattern->row_start[row]; k < m->pattern->row_start[row + 1]; k++) {
        int32_t column = m->pattern->column[k];
        if (column == (int32_t)row) {
            narrow(&f->diagonal[row], m->blocks[k]);
            continue;
        }
        wf_mat3 entry = values->blocks[k];
        while (s < end && scalars->column[s] < column) {
            s++;
        }
        if (s < end && scalars->column[s] == column) {
            for (int i = 0; i < 3; i++) {
                entry.m[i][i] += values->scalars[s];
            }
        }
        if (filter && (filter->fixed_count[row] | filter->fixed_count[column]) != 0) {
            entry = wf_filter_apply_block(filter, row, (size_t)column, entry);
        }
        narrow(&entry, m->blocks[k]);
    }
}

static void add_extra(const filling *f, size_t row, int32_t column, wf_mat3 entry, int32_t *at)
{
    entry = wf_filter_apply_block(f->system->filter, row, (size_t)column, entry);
    narrow(&entry, f->single->extra_blocks[*at]);
    f->single->extra_column[(*at)++] = column;
}

static void fill_scalars_and_extras_of_row(const filling *f, size_t row)
{
    wf_single_matrix *m = f->single;
    const wf_filter *filter = f->system->filter;
    const wf_pattern *scalars = &f->system->matrix->scalar_pattern;
    int32_t at = m->extra_count > 0 ? m->extra_start[row] : 0, s = scalars->row_start[row];
    for (int32_t k = m->scalar_start[row]; k < m->scalar_start[row + 1]; k++) {
        int32_t column = m->scalar_column[k];
        while (scalars->column[s] != column) { /* both ascend */
            s++;
        }
        double scalar = f->system->matrix->values.scalars[s];
        if (!stays_scalar(m, filter, row, k)) {
            m->scalars[k] = 0;
            add_extra(f, row, column, (wf_mat3){{{scalar, 0, 0}, {0, scalar, 0}, {0, 0, scalar}}}, &at);
        } else {
            bool fixed = filter && (filter->fixed_count[row] | filter->fixed_count[column]) != 0;
            m->scalars[k] = fixed ? 0 : (float)scalar;
        }
    }
    if (m->extra_count > 0) {
        wf_contact_row contacts = wf_contact_blocks_row(f->system->contacts, (int32_t)row);
        for (int32_t k = 0; k < contacts.count; k++) {
            if (contacts.column[k] != (int32_t)row) {
                add_extra(f, row, contacts.column[k], contacts.blocks[k], &at);
            }
        }
    }
}

static void fill_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const filling *f = user;
    for (size_t row = begin; row < end; row++) {
        fill_blocks_of_row(f, row);
        fill_scalars_and_extras_of_row(f, row);
    }
}

wf_status wf_single_matrix_fill(wf_context *context, wf_single_matrix *m, const wf_linear_system *system,
                                const wf_mat3 *diagonal)
{
    wf_status status = m->identity == system->matrix->identity ? WF_OK : adopt_pattern(context, m, system->matrix);
    if (status == WF_OK) {
        status = count_extras(context, m, system);
    }
    if (status == WF_OK) {
        filling f = {m, system, diagonal};
        wf_parallel_for(context, m->rows, ROW_BLOCK, fill_rows, &f);
    }
    return status;
}

void wf_single_matrix_multiply_rows(const wf_single_matrix *m, const wf_float4 *restrict x, wf_float4 *restrict y,
                                    size_t begin, size_t end)
{
    const int32_t *row_start = m->pattern->row_start, *column = m->pattern->column;
    for (size_t row = begin; row < end; row++) {
        wf_float4 sum = {0}, scalar_sum = {0};
        wf_prefetch(m->blocks[row_start[row]], 4096, 256);
        wf_prefetch(column + row_start[row], 512, 64);
        wf_prefetch(m->scalars + m->scalar_start[row], 1024, 64);
        wf_prefetch(m->scalar_column + m->scalar_start[row], 1024, 64);
        for (int32_t k = row_start[row]; k < row_start[row + 1]; k++) {
            sum += wf_single_block_multiply(m->blocks[k], x[column[k]]);
        }
        for (int32_t k = m->scalar_start[row]; k < m->scalar_start[row + 1]; k++) {
            scalar_sum += m->scalars[k] * x[m->scalar_column[k]];
        }
        if (m->extra_count > 0) {
            for (int32_t k = m->extra_start[row]; k < m->extra_start[row + 1]; k++) {
                sum += wf_single_block_multiply(m->extra_blocks[k], x[m->extra_column[k]]);
            }
        }
        sum += scalar_sum;
        sum[3] = 0;
        y[row] = sum;
    }
}
