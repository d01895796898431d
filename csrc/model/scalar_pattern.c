#include "model/scalar_pattern.h"

#include <string.h>

/* How far the farthest entry lies from the diagonal; counts both halves. */
static int32_t count_halves(const wf_pattern *whole, wf_scalar_pattern *pattern)
{
    int32_t lower = 0, upper = 0, farthest = 0;
    for (int32_t row = 0; row < whole->row_count; row++) {
        int32_t first = whole->row_start[row], diagonal = whole->diagonal[row], end = whole->row_start[row + 1];
        lower += diagonal - first;
        upper += end - 1 - diagonal;
        pattern->lower_start[row + 1] = lower;
        pattern->upper_start[row + 1] = upper;
        int32_t below = row - whole->column[first], above = whole->column[end - 1] - row;
        farthest = below > farthest ? below : farthest;
        farthest = above > farthest ? above : farthest;
    }
    return farthest;
}

static bool allocate_entries(wf_context *context, bool far, wf_scalar_pattern *pattern)
{
    size_t count = (size_t)pattern->lower_start[pattern->row_count];
    pattern->twin = wf_allocate(context, count, sizeof *pattern->twin);
    if (far) {
        pattern->far_lower = wf_allocate(context, count, sizeof *pattern->far_lower);
        pattern->far_upper = wf_allocate(context, count, sizeof *pattern->far_upper);
        return pattern->twin && pattern->far_lower && pattern->far_upper;
    }
    pattern->lower = wf_allocate(context, count, sizeof *pattern->lower);
    pattern->upper = wf_allocate(context, count, sizeof *pattern->upper);
    return pattern->twin && pattern->lower && pattern->upper;
}

/* next: [rows] the upper entry of each that meets its twin next; both halves come in the order of the rows. */
static void fill_entries(const wf_pattern *whole, int32_t *next, wf_scalar_pattern *pattern)
{
    memcpy(next, pattern->upper_start, (size_t)whole->row_count * sizeof *next);
    for (int32_t row = 0; row < whole->row_count; row++) {
        int32_t at = pattern->lower_start[row];
        for (int32_t k = whole->row_start[row]; k < whole->diagonal[row]; k++, at++) {
            int32_t column = whole->column[k], twin = next[column]++, order = at - pattern->lower_start[row];
            pattern->twin[twin] = (uint8_t)(order < WF_HIDDEN_TWIN ? order : WF_HIDDEN_TWIN);
            if (pattern->far_lower) {
                pattern->far_lower[at] = pattern->far_upper[twin] = row - column;
            } else {
                pattern->lower[at] = pattern->upper[twin] = (uint16_t)(row - column);
            }
        }
    }
}

wf_status wf_scalar_pattern_build(wf_context *context, int32_t row_count, int32_t stencil_count,
                                  const wf_stencil *stencils, wf_scalar_pattern *pattern)
{
    wf_pattern whole;
    *pattern = (wf_scalar_pattern){0};
    wf_status status = wf_pattern_build(context, row_count, stencil_count, stencils, &whole);
    if (status != WF_OK) {
        return status;
    }
    pattern->row_count = row_count;
    pattern->lower_start = wf_allocate(context, (size_t)row_count + 1, sizeof *pattern->lower_start);
    pattern->upper_start = wf_allocate(context, (size_t)row_count + 1, sizeof *pattern->upper_start);
    int32_t *next = wf_allocate(context, (size_t)row_count, sizeof *next);
    bool ok = pattern->lower_start && pattern->upper_start && next;
    if (ok && allocate_entries(context, count_halves(&whole, pattern) > UINT16_MAX, pattern)) {
        fill_entries(&whole, next, pattern);
    } else {
        wf_scalar_pattern_free(context, pattern);
        status = WF_ERROR_MEMORY;
    }
    wf_free(context, next);
    wf_pattern_free(context, &whole);
    return status;
}

enum { ARRAYS = 7 };

static void list_arrays(const wf_scalar_pattern *p, void *arrays[ARRAYS])
{
    void *all[ARRAYS] = {p->lower_start, p->upper_start, p->lower, p->upper, p->far_lower, p->far_upper, p->twin};
    memcpy(arrays, all, sizeof all);
}

void wf_scalar_pattern_share(wf_context *context, wf_scalar_pattern *pattern, const wf_scalar_pattern *other)
{
    void *arrays[ARRAYS];
    list_arrays(other, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        if (arrays[k]) {
            wf_retain(arrays[k]);
        }
    }
    wf_scalar_pattern_free(context, pattern);
    *pattern = *other;
}

void wf_scalar_pattern_free(wf_context *context, wf_scalar_pattern *pattern)
{
    void *arrays[ARRAYS];
    list_arrays(pattern, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        wf_free(context, arrays[k]);
    }
    *pattern = (wf_scalar_pattern){0};
}

bool wf_scalar_pattern_begins(const wf_scalar_pattern *a, const wf_scalar_pattern *b)
{
    for (int32_t row = 0; row < a->row_count; row++) {
        if (row >= b->row_count || a->lower_start[row + 1] != b->lower_start[row + 1]) {
            return false;
        }
        for (int32_t k = a->lower_start[row]; k < a->lower_start[row + 1]; k++) {
            if (wf_scalar_pattern_lower_column(a, row, k) != wf_scalar_pattern_lower_column(b, row, k)) {
                return false;
            }
        }
    }
    return true;
}

int32_t wf_scalar_pattern_find(const wf_scalar_pattern *pattern, int32_t row, int32_t column)
{
    if (row == column) {
        return wf_scalar_pattern_diagonal_place(pattern, row);
    }
    int32_t later = row > column ? row : column, earlier = row > column ? column : row;
    int32_t low = pattern->lower_start[later], high = pattern->lower_start[later + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2, found = wf_scalar_pattern_lower_column(pattern, later, middle);
        if (found == earlier) {
            return wf_scalar_pattern_lower_place(later, middle);
        }
        if (found < earlier) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}
