#include "solve/single_matrix.h"

#include <stdatomic.h>
#include <string.h>

#include "base/tasks.h"

enum { ROW_BLOCK = 512 };

void wf_single_matrix_free(wf_context *context, wf_single_matrix *m)
{
    wf_free(context, m->lower);
    wf_free(context, m->diagonal);
    wf_free(context, m->scalar_start);
    wf_free(context, m->near_offset);
    wf_free(context, m->far_offset);
    wf_free(context, m->scalars);
    wf_free(context, m->fixed_count);
    wf_free(context, m->extra_start);
    wf_free(context, m->extra_column);
    wf_free(context, m->extra_blocks);
    *m = (wf_single_matrix){0};
}

/* ---- structure ------------------------------------------------------------------------------------------------- */

/* Takes the scalar at `column` into the list at `at`, unless a block shares its place; without `list` looks how far off
 * it is. *block goes along the row's blocks. Returns where the list ends. */
static int32_t match_column(wf_single_matrix *m, size_t row, int32_t column, int32_t *block, int32_t at, bool list)
{
    const wf_pattern *blocks = m->pattern;
    while (*block < blocks->row_start[row + 1] && blocks->column[*block] < column) {
        ++*block;
    }
    if (*block < blocks->row_start[row + 1] && blocks->column[*block] == column) {
        return at;
    }
    int32_t offset = column - (int32_t)row;
    if (!list) {
        m->is_far = m->is_far || offset != (int16_t)offset;
    } else if (m->is_far) {
        m->far_offset[at] = offset;
    } else {
        m->near_offset[at] = (int16_t)offset;
    }
    return at + 1;
}

/* Lists the scalars of a row that no block shares its place with. The diagonal has one. */
static int32_t match_row(wf_single_matrix *m, const wf_scalar_pattern *scalars, int32_t row, int32_t at, bool list)
{
    int32_t block = m->pattern->row_start[row];
    for (int32_t k = scalars->lower_start[row]; k < scalars->lower_start[row + 1]; k++) {
        at = match_column(m, (size_t)row, wf_scalar_pattern_lower_column(scalars, row, k), &block, at, list);
    }
    for (int32_t k = scalars->upper_start[row]; k < scalars->upper_start[row + 1]; k++) {
        at = match_column(m, (size_t)row, wf_scalar_pattern_upper_column(scalars, row, k), &block, at, list);
    }
    return at;
}

typedef struct room {
    void *array; /* the address of the pointer */
    size_t count, size;
} room;

static wf_status make_room(wf_context *context, wf_single_matrix *m, size_t scalars)
{
    size_t lower = ((size_t)wf_pattern_slot_count(m->pattern) - m->rows) / 2;
    const room rooms[] = {
        {&m->lower, lower + 1, sizeof *m->lower},
        {&m->diagonal, m->rows + 1, sizeof *m->diagonal},
        {&m->scalar_start, m->rows + 1, sizeof *m->scalar_start},
        {&m->scalars, scalars, sizeof *m->scalars},
        {&m->fixed_count, m->rows, sizeof *m->fixed_count},
        {&m->near_offset, m->is_far ? 0 : scalars, sizeof *m->near_offset},
        {&m->far_offset, m->is_far ? scalars : 0, sizeof *m->far_offset},
    };
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        wf_status status = wf_reserve(context, rooms[k].array, &m->capacity[k], rooms[k].count, rooms[k].size);
        if (status != WF_OK) {
            return status;
        }
    }
    /* Values will be compared with what is here; and the last blocks are there to be read past the others. */
    memset(m->lower, 0, (lower + 1) * sizeof *m->lower);
    memset(m->diagonal, 0, (m->rows + 1) * sizeof *m->diagonal);
    if (scalars > 0) {
        memset(m->scalars, 0, scalars * sizeof *m->scalars);
    }
    return WF_OK;
}

static wf_status adopt_pattern(wf_context *context, wf_single_matrix *m, const wf_block_matrix *a)
{
    m->identity = 0;
    m->rows = (size_t)a->row_count;
    m->pattern = &a->block_pattern;
    m->scalar_revision = 0;
    m->is_far = false;
    size_t scalars = 0;
    for (size_t row = 0; row < m->rows; row++) {
        scalars = (size_t)match_row(m, &a->scalar_pattern, (int32_t)row, (int32_t)scalars, false);
    }
    wf_status status = make_room(context, m, scalars);
    if (status != WF_OK) {
        return status;
    }
    m->scalar_start[0] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        m->scalar_start[row + 1] = match_row(m, &a->scalar_pattern, (int32_t)row, m->scalar_start[row], true);
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
    return !fixed_in_part(filter, row) && !fixed_in_part(filter, (size_t)wf_single_scalar_column(m, row, k));
}

/* Makes room for the extra blocks; *moved: not as many as before, or in other rows. */
static wf_status count_extras(wf_context *context, wf_single_matrix *m, const wf_linear_system *system, bool guided,
                              bool *moved)
{
    size_t count_before = m->extra_count;
    *moved = count_before > 0;
    m->extra_count = 0;
    if (!guided && wf_contact_blocks_are_empty(system->contacts)) {
        return WF_OK;
    }
    wf_status status = wf_reserve(context, &m->extra_start, &m->capacity[7], m->rows + 1, sizeof *m->extra_start);
    if (status != WF_OK) {
        return status;
    }
    size_t total = 0;
    *moved = count_before == 0;
    for (size_t row = 0; row < m->rows; row++) {
        *moved = *moved || m->extra_start[row] != (int32_t)total;
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
    *moved |= count_before != total;
    m->extra_start[m->rows] = (int32_t)total;
    status = wf_reserve(context, &m->extra_column, &m->capacity[8], total, sizeof *m->extra_column);
    if (status == WF_OK) {
        status = wf_reserve(context, &m->extra_blocks, &m->capacity[9], total + 1, sizeof *m->extra_blocks);
    }
    if (status == WF_OK) {
        if (*moved && total > 0) { /* they will be compared with what is here */
            memset(m->extra_column, 0, total * sizeof *m->extra_column);
            memset(m->extra_blocks, 0, total * sizeof *m->extra_blocks);
        }
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
    bool has_scalars;     /* those that are there are right */
    _Atomic bool changed; /* a bit of what was there before */
    _Atomic bool changed_scalars; /* the same of the scalars */
} filling;

/* to = from + scalar identity, rounded; returns whether the block was another. */
static inline bool narrow(const wf_mat3 *from, double scalar, float to[9])
{
    const double *entries = &from->m[0][0], added[9] = {scalar, 0, 0, 0, scalar, 0, 0, 0, scalar};
    float block[9];
    uint32_t before[9], after[9], difference = 0;
    for (int k = 0; k < 9; k++) {
        block[k] = (float)(entries[k] + added[k]);
    }
    memcpy(before, to, sizeof before);
    memcpy(after, block, sizeof after);
    memcpy(to, block, sizeof block);
    for (int k = 0; k < 9; k++) {
        difference |= before[k] ^ after[k];
    }
    return difference != 0;
}

static inline bool set_scalar(float *to, double value)
{
    float scalar = (float)value;
    bool changed = memcmp(to, &scalar, sizeof scalar) != 0;
    *to = scalar;
    return changed;
}

static bool fill_blocks_of_row(const filling *f, size_t row)
{
    wf_single_matrix *m = f->single;
    const wf_matrix_values *values = &f->system->matrix->values;
    const wf_filter *filter = f->system->filter;
    const wf_pattern *blocks = m->pattern;
    const wf_scalar_pattern *scalars = &f->system->matrix->scalar_pattern;
    int32_t s = scalars->lower_start[row], end = scalars->lower_start[row + 1], at = blocks->lower_start[row];
    bool changed = false;
    for (int32_t k = blocks->row_start[row]; k < blocks->diagonal[row]; k++) {
        int32_t column = blocks->column[k];
        const wf_mat3 *entry = &values->blocks[at + (int32_t)row]; /* a diagonal block for each row */
        while (s < end && wf_scalar_pattern_lower_column(scalars, (int32_t)row, s) < column) {
            s++;
        }
        bool shared = s < end && wf_scalar_pattern_lower_column(scalars, (int32_t)row, s) == column;
        int32_t place = wf_scalar_pattern_lower_place((int32_t)row, s);
        double scalar = shared ? wf_block_matrix_scalar(f->system->matrix, place) : 0;
        if (!filter || (filter->fixed_count[row] | filter->fixed_count[column]) == 0) {
            changed |= narrow(entry, scalar, m->lower[at++]);
            continue;
        }
        wf_mat3 whole = *entry;
        for (int i = 0; i < 3; i++) {
            whole.m[i][i] += scalar;
        }
        whole = wf_filter_apply_block(filter, row, (size_t)column, whole);
        changed |= narrow(&whole, 0, m->lower[at++]);
    }
    wf_mat3 diagonal = f->diagonal[row];
    if (filter && filter->fixed_count[row] > 0) {
        diagonal = wf_filter_apply_block(filter, row, row, diagonal);
    }
    return narrow(&diagonal, 0, m->diagonal[row]) || changed;
}

static bool add_extra(const filling *f, size_t row, int32_t column, wf_mat3 entry, int32_t *at)
{
    wf_single_matrix *m = f->single;
    bool changed = m->extra_column[*at] != column;
    entry = wf_filter_apply_block(f->system->filter, row, (size_t)column, entry);
    m->extra_column[*at] = column;
    return narrow(&entry, 0, m->extra_blocks[(*at)++]) || changed;
}

/* The place of the next scalar of a row, along which *lower and *upper go: that at `column`. */
static inline int32_t next_place(const wf_scalar_pattern *scalars, int32_t row, int32_t column, int32_t *lower,
                                 int32_t *upper)
{
    if (column < row) {
        while (wf_scalar_pattern_lower_column(scalars, row, *lower) != column) { /* both ascend */
            ++*lower;
        }
        return wf_scalar_pattern_lower_place(row, *lower);
    }
    while (wf_scalar_pattern_upper_column(scalars, row, *upper) != column) {
        ++*upper;
    }
    return wf_scalar_pattern_upper_place(scalars, row, column, *upper);
}

/* *at: where the row's next extra block goes. Returns whether one of these has changed. */
static bool fill_scalars_of_row(filling *f, size_t row, int32_t *at)
{
    wf_single_matrix *m = f->single;
    const wf_filter *filter = f->system->filter;
    const wf_scalar_pattern *scalars = &f->system->matrix->scalar_pattern;
    int32_t lower = scalars->lower_start[row], upper = scalars->upper_start[row];
    bool changed = false, extras_changed = false;
    for (int32_t k = m->scalar_start[row]; k < m->scalar_start[row + 1]; k++) {
        int32_t column = wf_single_scalar_column(m, row, k);
        int32_t place = next_place(scalars, (int32_t)row, column, &lower, &upper);
        double scalar = wf_block_matrix_scalar(f->system->matrix, place);
        if (!filter || (filter->fixed_count[row] | filter->fixed_count[column]) == 0) {
            changed |= set_scalar(&m->scalars[k], scalar);
            continue;
        }
        changed |= set_scalar(&m->scalars[k], 0);
        if (!stays_scalar(m, filter, row, k)) {
            wf_mat3 block = {{{scalar, 0, 0}, {0, scalar, 0}, {0, 0, scalar}}};
            extras_changed |= add_extra(f, row, column, block, at);
        }
    }
    if (changed) {
        atomic_store(&f->changed_scalars, true);
    }
    return extras_changed;
}

static bool fill_contacts_of_row(const filling *f, size_t row, int32_t at)
{
    bool changed = false;
    wf_contact_row contacts = wf_contact_blocks_row(f->system->contacts, (int32_t)row);
    for (int32_t k = 0; k < contacts.count; k++) {
        if (contacts.column[k] != (int32_t)row) {
            changed |= add_extra(f, row, contacts.column[k], contacts.blocks[k], &at);
        }
    }
    return changed;
}

static void fill_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    filling *f = user;
    bool changed = false;
    for (size_t row = begin; row < end; row++) {
        int32_t at = f->single->extra_count > 0 ? f->single->extra_start[row] : 0;
        changed |= fill_blocks_of_row(f, row);
        if (!f->has_scalars) {
            changed |= fill_scalars_of_row(f, row, &at);
        }
        if (f->single->extra_count > 0) {
            changed |= fill_contacts_of_row(f, row, at);
        }
    }
    if (changed) {
        atomic_store(&f->changed, true);
    }
}

/* Scalars change with the step and with what is pinned, not from step to step. */
static bool has_scalars(const wf_single_matrix *m, const wf_linear_system *system)
{
    if (m->scalar_revision != system->matrix->scalar_revision) {
        return false;
    }
    bool same = true;
    for (size_t row = 0; row < m->rows && same; row++) {
        same = m->fixed_count[row] == (system->filter ? system->filter->fixed_count[row] : 0);
    }
    return same;
}

static void remember_scalars(wf_single_matrix *m, const wf_linear_system *system, bool guided)
{
    m->scalar_revision = guided ? 0 : system->matrix->scalar_revision; /* some of them are extra blocks */
    for (size_t row = 0; row < m->rows; row++) {
        m->fixed_count[row] = system->filter ? system->filter->fixed_count[row] : 0;
    }
}

wf_status wf_single_matrix_fill(wf_context *context, wf_single_matrix *m, const wf_linear_system *system,
                                const wf_mat3 *diagonal)
{
    bool adopted = m->identity != system->matrix->identity, moved = false;
    wf_status status = adopted ? adopt_pattern(context, m, system->matrix) : WF_OK;
    bool guided = any_fixed_in_part(system->filter);
    if (status == WF_OK) {
        status = count_extras(context, m, system, guided, &moved);
    }
    if (status == WF_OK) {
        filling f = {m, system, diagonal, !guided && has_scalars(m, system), adopted || moved, adopted};
        wf_parallel_for(context, m->rows, ROW_BLOCK, fill_rows, &f);
        if (!f.has_scalars) {
            remember_scalars(m, system, guided);
        }
        bool scalars = atomic_load(&f.changed_scalars);
        m->scalar_values = scalars ? wf_context_new_identity(context) : m->scalar_values;
        m->values = scalars || atomic_load(&f.changed) ? wf_context_new_identity(context) : m->values;
    }
    return status;
}
