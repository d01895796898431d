/* scalar_pattern.h - the sparsity of a symmetric matrix whose entries are numbers, small beside their indices.
 *
 * Entries on and below the diagonal are stored alone, by rows with ascending columns, the diagonal last: what is kept
 * of one, its number say, is at its place. Columns are kept as what they lie from the row, in 16 bits: cloth is
 * numbered so that all but meshes of some hundred million vertices, or very odd ones, have that. Rows that gather from
 * both halves find the upper entries' numbers below, by a byte each: which of the lower entries of its column's row it
 * is the twin of.
 */
#ifndef WEFT_MODEL_SCALAR_PATTERN_H
#define WEFT_MODEL_SCALAR_PATTERN_H

#include "model/pattern.h"

enum { WF_HIDDEN_TWIN = 255 }; /* the twin is to be searched for: rows of so many entries are rare */

typedef struct wf_scalar_pattern {
    int32_t row_count;
    int32_t *lower_start, *upper_start; /* [row_count + 1] entries below and above the diagonal of earlier rows */
    uint16_t *lower, *upper;            /* how far their columns lie from the row */
    int32_t *far_lower, *far_upper;     /* the same in their stead, where 16 bits do not do; else NULL */
    uint8_t *twin;                      /* of upper entries */
} wf_scalar_pattern;

/* Builds the pattern of all stencils together, with the diagonal; errors as wf_pattern_build. */
wf_status wf_scalar_pattern_build(wf_context *context, int32_t row_count, int32_t stencil_count,
                                  const wf_stencil *stencils, wf_scalar_pattern *pattern);

/* Makes the arrays of `other` those of `pattern` too, in place of its own: equal patterns need be there but once.
 * Either may be freed first. */
void wf_scalar_pattern_share(wf_context *context, wf_scalar_pattern *pattern, const wf_scalar_pattern *other);

/* Frees the arrays and empties the pattern. */
void wf_scalar_pattern_free(wf_context *context, wf_scalar_pattern *pattern);

/* Whether the rows of `a` are the first ones of `b`: places are then the same. */
bool wf_scalar_pattern_begins(const wf_scalar_pattern *a, const wf_scalar_pattern *b);

/* The place of (row, column), which is that of (column, row); or -1. */
int32_t wf_scalar_pattern_find(const wf_scalar_pattern *pattern, int32_t row, int32_t column);

static inline int32_t wf_scalar_pattern_place_count(const wf_scalar_pattern *pattern)
{
    return pattern->row_count > 0 ? pattern->lower_start[pattern->row_count] + pattern->row_count : 0;
}

/* The place of lower entry k of all, which is of this row. */
static inline int32_t wf_scalar_pattern_lower_place(int32_t row, int32_t k)
{
    return k + row; /* a diagonal entry for each row */
}

static inline int32_t wf_scalar_pattern_diagonal_place(const wf_scalar_pattern *pattern, int32_t row)
{
    return pattern->lower_start[row + 1] + row;
}

static inline int32_t wf_scalar_pattern_lower_column(const wf_scalar_pattern *pattern, int32_t row, int32_t k)
{
    return row - (pattern->far_lower ? pattern->far_lower[k] : pattern->lower[k]);
}

static inline int32_t wf_scalar_pattern_upper_column(const wf_scalar_pattern *pattern, int32_t row, int32_t k)
{
    return row + (pattern->far_upper ? pattern->far_upper[k] : pattern->upper[k]);
}

/* The place of upper entry k of all, which is (row, column). */
static inline int32_t wf_scalar_pattern_upper_place(const wf_scalar_pattern *pattern, int32_t row, int32_t column,
                                                    int32_t k)
{
    return pattern->twin[k] < WF_HIDDEN_TWIN ? pattern->lower_start[column] + column + pattern->twin[k]
                                             : wf_scalar_pattern_find(pattern, row, column);
}

#endif
