/* filter.h - which directions of which vertices a solve must leave alone.
 *
 * A vertex is free, or fixed along one, two or all three directions: the filter of Baraff and Witkin (1998), S = I,
 * I - p p^T, I - p p^T - q q^T or 0 per vertex.
 */
#ifndef WEFT_SOLVE_FILTER_H
#define WEFT_SOLVE_FILTER_H

#include "base/context.h"
#include "base/vector.h"

typedef struct wf_filter {
    int32_t vertex_count;
    uint8_t *fixed_count;  /* [vertex_count] 0 to 3 fixed directions */
    wf_vec3 (*directions)[2]; /* [vertex_count] orthonormal; the first fixed_count of them (of two) count. NULL until
                                 one is fixed */
} wf_filter;

/* All vertices free. */
wf_status wf_filter_create(wf_context *context, int32_t vertex_count, wf_filter **filter);
void wf_filter_destroy(wf_context *context, wf_filter *filter);

/* Frees all vertices. */
void wf_filter_clear(wf_filter *filter);

/* Fixes a vertex in all directions. */
void wf_filter_fix(wf_filter *filter, int32_t vertex);

/* Fixes a further direction of a vertex (of any length but zero): what it adds to those already fixed. */
wf_status wf_filter_fix_direction(wf_context *context, wf_filter *filter, int32_t vertex, wf_vec3 direction);

/* S v for one vertex: the part of v along free directions. filter may be NULL: all free. */
static inline wf_vec3 wf_filter_apply(const wf_filter *filter, size_t vertex, wf_vec3 v)
{
    if (!filter || filter->fixed_count[vertex] == 0) {
        return v;
    }
    if (filter->fixed_count[vertex] == 3) {
        return (wf_vec3){0, 0, 0};
    }
    for (int k = 0; k < filter->fixed_count[vertex]; k++) {
        wf_vec3 p = filter->directions[vertex][k];
        v = wf_vec3_muladds(v, p, -wf_vec3_dot(p, v));
    }
    return v;
}

/* S_row b S_column; filter may be NULL. */
wf_mat3 wf_filter_apply_block(const wf_filter *filter, size_t row, size_t column, wf_mat3 b);

#endif
