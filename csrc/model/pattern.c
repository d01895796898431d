#include "model/pattern.h"

#include <string.h>

static wf_status check_stencils(wf_context *context, int32_t row_count, int32_t stencil_count,
                                const wf_stencil *stencils)
{
    for (int32_t s = 0; s < stencil_count; s++) {
        int64_t entries = (int64_t)stencils[s].count * stencils[s].arity;
        for (int64_t k = 0; k < entries; k++) {
            int32_t vertex = stencils[s].vertices[k];
            if (vertex < 0 || vertex >= row_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "matrix: element names vertex %d, but there are %d vertices",
                               vertex + 1, row_count);
            }
        }
    }
    return WF_OK;
}

/* Sorts a row's columns in place and drops repetitions, which are most of them; what is left is short. seen: of each
 * column the last row that had it. Returns how many are left. */
static int32_t sort_unique(int32_t row, int32_t *column, int32_t count, int32_t *seen)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t value = column[k], at = kept;
        if (seen[value] == row) {
            continue;
        }
        seen[value] = row;
        while (at > 0 && column[at - 1] > value) {
            at--;
        }
        memmove(column + at + 1, column + at, (size_t)(kept - at) * sizeof *column);
        column[at] = value;
        kept++;
    }
    return kept;
}

/* Elements per vertex, as compressed rows of (stencil, element) visits: start[row] counts the neighbours with
 * repetition, so that one pass can write them down. */
static void count_neighbours(int32_t row_count, int32_t stencil_count, const wf_stencil *stencils, int64_t *start)
{
    for (int32_t i = 0; i < row_count; i++) {
        start[i + 1] = 1; /* the diagonal */
    }
    for (int32_t s = 0; s < stencil_count; s++) {
        int64_t entries = (int64_t)stencils[s].count * stencils[s].arity;
        for (int64_t k = 0; k < entries; k++) {
            start[stencils[s].vertices[k] + 1] += stencils[s].arity;
        }
    }
    for (int32_t i = 0; i < row_count; i++) {
        start[i + 1] += start[i];
    }
}

static void write_neighbours(int32_t row_count, int32_t stencil_count, const wf_stencil *stencils,
                             const int64_t *start, int64_t *next, int32_t *neighbour)
{
    for (int32_t i = 0; i < row_count; i++) {
        next[i] = start[i];
        neighbour[next[i]++] = i;
    }
    for (int32_t s = 0; s < stencil_count; s++) {
        int32_t arity = stencils[s].arity;
        for (int32_t e = 0; e < stencils[s].count; e++) {
            const int32_t *vertices = stencils[s].vertices + (int64_t)e * arity;
            for (int32_t a = 0; a < arity; a++) {
                for (int32_t b = 0; b < arity; b++) {
                    neighbour[next[vertices[a]]++] = vertices[b];
                }
            }
        }
    }
}

static wf_status compress(wf_context *context, int32_t row_count, const int64_t *start, int32_t *neighbour,
                          int32_t *seen, wf_pattern *pattern)
{
    int64_t total = 0;
    memset(seen, -1, (size_t)row_count * sizeof *seen);
    for (int32_t i = 0; i < row_count; i++) {
        int64_t length = start[i + 1] - start[i];
        if (length > INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "matrix: vertex %d has %lld neighbours", i + 1, (long long)length);
        }
        int32_t kept = sort_unique(i, neighbour + start[i], (int32_t)length, seen);
        total += kept;
        if (total > INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "matrix: more than 2^31 entries");
        }
        pattern->row_start[i + 1] = (int32_t)total;
    }
    pattern->column = wf_allocate(context, (size_t)total, sizeof *pattern->column);
    if (!pattern->column) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < row_count; i++) {
        int32_t first = pattern->row_start[i];
        memcpy(pattern->column + first, neighbour + start[i],
               (size_t)(pattern->row_start[i + 1] - first) * sizeof *neighbour);
        pattern->diagonal[i] = wf_pattern_find(pattern, i, i);
    }
    return WF_OK;
}

wf_status wf_pattern_build(wf_context *context, int32_t row_count, int32_t stencil_count, const wf_stencil *stencils,
                           wf_pattern *pattern)
{
    *pattern = (wf_pattern){0};
    wf_status status = check_stencils(context, row_count, stencil_count, stencils);
    if (status != WF_OK) {
        return status;
    }
    int64_t *start = wf_allocate(context, (size_t)row_count + 1, sizeof *start);
    int64_t *next = wf_allocate(context, (size_t)row_count, sizeof *next);
    int32_t *seen = wf_allocate(context, (size_t)row_count, sizeof *seen), *neighbour = NULL;
    status = WF_ERROR_MEMORY;
    if (start && next && seen) {
        count_neighbours(row_count, stencil_count, stencils, start);
        neighbour = wf_allocate(context, (size_t)start[row_count], sizeof *neighbour);
    }
    pattern->row_count = row_count;
    pattern->row_start = wf_allocate(context, (size_t)row_count + 1, sizeof *pattern->row_start);
    pattern->diagonal = wf_allocate(context, (size_t)row_count, sizeof *pattern->diagonal);
    if (neighbour && pattern->row_start && pattern->diagonal) {
        write_neighbours(row_count, stencil_count, stencils, start, next, neighbour);
        status = compress(context, row_count, start, neighbour, seen, pattern);
    }
    wf_free(context, neighbour);
    wf_free(context, seen);
    wf_free(context, next);
    wf_free(context, start);
    if (status != WF_OK) {
        wf_pattern_free(context, pattern);
    }
    return status;
}

void wf_pattern_free(wf_context *context, wf_pattern *pattern)
{
    wf_free(context, pattern->row_start);
    wf_free(context, pattern->column);
    wf_free(context, pattern->diagonal);
    wf_free(context, pattern->lower_start);
    wf_free(context, pattern->upper);
    *pattern = (wf_pattern){0};
}

int32_t wf_pattern_find(const wf_pattern *pattern, int32_t row, int32_t column)
{
    int32_t low = pattern->row_start[row], high = pattern->row_start[row + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (pattern->column[middle] == column) {
            return middle;
        }
        if (pattern->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

wf_status wf_pattern_halve(wf_context *context, wf_pattern *pattern)
{
    size_t rows = (size_t)pattern->row_count, lower = ((size_t)wf_pattern_slot_count(pattern) - rows) / 2;
    int32_t *next = wf_allocate(context, rows, sizeof *next);
    pattern->lower_start = wf_allocate(context, rows + 1, sizeof *pattern->lower_start);
    pattern->upper = wf_allocate(context, lower, sizeof *pattern->upper);
    if (!next || !pattern->lower_start || !pattern->upper) {
        wf_free(context, next);
        wf_free(context, pattern->lower_start);
        wf_free(context, pattern->upper);
        pattern->lower_start = pattern->upper = NULL;
        return WF_ERROR_MEMORY;
    }
    /* next[j]: the entry of row j that meets its twin next; both halves come in the order of the rows. */
    int32_t count = 0;
    for (int32_t row = 0; row < pattern->row_count; row++) {
        pattern->lower_start[row] = count;
        next[row] = wf_pattern_upper_start(pattern, row);
        for (int32_t k = pattern->row_start[row]; k < pattern->diagonal[row]; k++) {
            pattern->upper[next[pattern->column[k]]++] = count++;
        }
    }
    pattern->lower_start[rows] = count;
    wf_free(context, next);
    return WF_OK;
}

int32_t wf_pattern_place(const wf_pattern *pattern, int32_t row, int32_t column)
{
    int32_t slot = column <= row ? wf_pattern_find(pattern, row, column) : -1;
    return slot < 0 ? -1 : wf_pattern_first_place(pattern, row) + slot - pattern->row_start[row];
}

wf_status wf_pattern_place_all(wf_context *context, const wf_pattern *pattern, const wf_stencil *stencil,
                               int32_t *places)
{
    int32_t arity = stencil->arity;
    for (int32_t e = 0; e < stencil->count; e++) {
        const int32_t *vertices = stencil->vertices + (int64_t)e * arity;
        for (int32_t a = 0; a < arity; a++) {
            for (int32_t b = 0; b < arity; b++) {
                bool inside = vertices[a] < pattern->row_count && vertices[b] < pattern->row_count;
                int32_t place = inside ? wf_pattern_place(pattern, vertices[a], vertices[b]) : -1;
                if (place < 0 && (!inside || vertices[b] <= vertices[a])) {
                    return wf_fail(context, WF_ERROR_STATE,
                                   "matrix: vertices %d and %d of a model are not coupled in this matrix",
                                   vertices[a] + 1, vertices[b] + 1);
                }
                *places++ = place;
            }
        }
    }
    return WF_OK;
}
