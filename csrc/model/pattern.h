/* pattern.h - the sparsity of a symmetric matrix over vertices: compressed rows, built once per topology.
 *
 * An entry's index is its slot. Columns ascend in a row, the diagonal is always there, and (i, j) is there whenever
 * (j, i) is.
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
} wf_pattern;

/* Builds the pattern of all stencils together. WF_ERROR_ARGUMENT when an index is out of range, WF_ERROR_LIMIT when
 * there would be 2^31 slots or more. On failure `pattern` is empty. */
wf_status wf_pattern_build(wf_context *context, int32_t row_count, int32_t stencil_count, const wf_stencil *stencils,
                           wf_pattern *pattern);

/* Makes the arrays of `other` those of `pattern` too, in place of its own: equal patterns need be there but once. Either
 * may be freed first. */
void wf_pattern_share(wf_context *context, wf_pattern *pattern, const wf_pattern *other);

/* Frees the arrays and empties the pattern. */
void wf_pattern_free(wf_context *context, wf_pattern *pattern);

static inline int32_t wf_pattern_slot_count(const wf_pattern *pattern)
{
    return pattern->row_count > 0 ? pattern->row_start[pattern->row_count] : 0;
}

/* The slot of (row, column), or -1. */
int32_t wf_pattern_find(const wf_pattern *pattern, int32_t row, int32_t column);

/* slots[(e * arity + a) * arity + b] becomes the slot of (vertex a, vertex b) of element e.
 * WF_ERROR_STATE when the pattern lacks one. */
wf_status wf_pattern_find_all(wf_context *context, const wf_pattern *pattern, const wf_stencil *stencil,
                              int32_t *slots);

#endif
