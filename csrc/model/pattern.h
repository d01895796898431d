/* pattern.h - the sparsity of a symmetric matrix over vertices: compressed rows, built once per topology.
 *
 * An entry's index is its slot. Columns ascend in a row, the diagonal is always there, and (i, j) is there whenever
 * (j, i) is. Where the values are large, those on and below the diagonal are stored alone, by rows, and serve both
 * halves: a value's index is then its place.
 */
#ifndef WEFT_MODEL_PATTERN_H
#define WEFT_MODEL_PATTERN_H

#include "base/context.h"

/* Elements that couple all their vertices with each other: `count` rows of `arity` vertex indices. */
typedef struct wf_stencil {
    int32_t count, arity;
    const int32_t *vertices; /* [count * arity] */
} wf_stencil;

typedef struct wf_pattern {
    int32_t row_count;
    int32_t *row_start; /* [row_count + 1] */
    int32_t *column;    /* [row_start[row_count]] */
    int32_t *diagonal;  /* [row_count] slot of (i, i) */
    /* Where the lower half is stored alone, else NULL. */
    int32_t *lower_start; /* [row_count + 1] how many entries below the diagonal earlier rows have */
    int32_t *upper;       /* for each entry above the diagonal, one after the other: which of those is its twin */
} wf_pattern;

/* Builds the pattern of all stencils together. WF_ERROR_ARGUMENT when an index is out of range, WF_ERROR_LIMIT when
 * there would be 2^31 slots or more. On failure `pattern` is empty. */
wf_status wf_pattern_build(wf_context *context, int32_t row_count, int32_t stencil_count, const wf_stencil *stencils,
                           wf_pattern *pattern);

/* Makes places. On failure there are none. */
wf_status wf_pattern_halve(wf_context *context, wf_pattern *pattern);

/* Frees the arrays and empties the pattern. */
void wf_pattern_free(wf_context *context, wf_pattern *pattern);

static inline int32_t wf_pattern_slot_count(const wf_pattern *pattern)
{
    return pattern->row_count > 0 ? pattern->row_start[pattern->row_count] : 0;
}

/* The slot of (row, column), or -1. */
int32_t wf_pattern_find(const wf_pattern *pattern, int32_t row, int32_t column);

/* ---- the lower half -------------------------------------------------------------------------------------------- */

static inline int32_t wf_pattern_place_count(const wf_pattern *pattern)
{
    return pattern->row_count > 0 ? pattern->lower_start[pattern->row_count] + pattern->row_count : 0;
}

/* The place of a row's first entry; the others follow in the order of their slots, up to the diagonal. */
static inline int32_t wf_pattern_first_place(const wf_pattern *pattern, int32_t row)
{
    return pattern->lower_start[row] + row;
}

static inline int32_t wf_pattern_diagonal_place(const wf_pattern *pattern, int32_t row)
{
    return pattern->lower_start[row + 1] + row;
}

/* The index in `upper` of a row's first entry there. */
static inline int32_t wf_pattern_upper_start(const wf_pattern *pattern, int32_t row)
{
    return pattern->row_start[row] - wf_pattern_first_place(pattern, row);
}

/* The place of the twin of entry `index` of `upper`, which is in this column. */
static inline int32_t wf_pattern_upper_place(const wf_pattern *pattern, int32_t index, int32_t column)
{
    return pattern->upper[index] + column;
}

/* The place of (row, column), column <= row; or -1. */
int32_t wf_pattern_place(const wf_pattern *pattern, int32_t row, int32_t column);

/* places[(e * arity + a) * arity + b] becomes the place of (vertex a, vertex b) of element e, or -1 above the diagonal.
 * WF_ERROR_STATE when the pattern lacks one. */
wf_status wf_pattern_place_all(wf_context *context, const wf_pattern *pattern, const wf_stencil *stencil,
                               int32_t *places);

#endif
