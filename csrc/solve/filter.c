#include "solve/filter.h"

#include <string.h>

wf_status wf_filter_create(wf_context *context, int32_t vertex_count, wf_filter **filter)
{
    *filter = NULL;
    wf_filter *f = wf_allocate(context, 1, sizeof *f);
    if (!f) {
        return WF_ERROR_MEMORY;
    }
    f->vertex_count = vertex_count;
    f->fixed_count = wf_allocate(context, (size_t)vertex_count, sizeof *f->fixed_count);
    if (!f->fixed_count) {
        wf_filter_destroy(context, f);
        return WF_ERROR_MEMORY;
    }
    *filter = f;
    return WF_OK;
}

void wf_filter_destroy(wf_context *context, wf_filter *filter)
{
    if (!filter) {
        return;
    }
    wf_free(context, filter->fixed_count);
    wf_free(context, filter->directions);
    wf_free(context, filter);
}

void wf_filter_clear(wf_filter *filter)
{
    memset(filter->fixed_count, 0, (size_t)filter->vertex_count);
}

void wf_filter_fix(wf_filter *filter, int32_t vertex)
{
    filter->fixed_count[vertex] = 3;
}

wf_status wf_filter_fix_direction(wf_context *context, wf_filter *filter, int32_t vertex, wf_vec3 direction)
{
    if (!filter->directions) {
        filter->directions = wf_allocate(context, (size_t)filter->vertex_count, sizeof *filter->directions);
        if (!filter->directions) {
            return WF_ERROR_MEMORY;
        }
    }
    uint8_t count = filter->fixed_count[vertex];
    wf_vec3 unit = wf_vec3_normalize(direction);
    wf_vec3 fresh = wf_filter_apply(filter, (size_t)vertex, unit);
    /* A direction within about 1e-6 rad of those already fixed adds nothing but noise. */
    if (count == 3 || wf_vec3_norm(fresh) < 1e-6) {
        return WF_OK;
    }
    if (count == 2) {
        filter->fixed_count[vertex] = 3;
        return WF_OK;
    }
    /* Twice is enough: the second pass removes what rounding left of the first direction. */
    fresh = wf_vec3_normalize(wf_filter_apply(filter, (size_t)vertex, wf_vec3_normalize(fresh)));
    filter->directions[vertex][count] = fresh;
    filter->fixed_count[vertex]++;
    return WF_OK;
}

wf_mat3 wf_filter_apply_block(const wf_filter *filter, size_t row, size_t column, wf_mat3 b)
{
    wf_mat3 left, both;
    for (int c = 0; c < 3; c++) {
        wf_vec3 v = wf_filter_apply(filter, row, (wf_vec3){b.m[0][c], b.m[1][c], b.m[2][c]});
        left.m[0][c] = v.x;
        left.m[1][c] = v.y;
        left.m[2][c] = v.z;
    }
    for (int r = 0; r < 3; r++) {
        wf_vec3 v = wf_filter_apply(filter, column, (wf_vec3){left.m[r][0], left.m[r][1], left.m[r][2]});
        both.m[r][0] = v.x;
        both.m[r][1] = v.y;
        both.m[r][2] = v.z;
    }
    return both;
}
