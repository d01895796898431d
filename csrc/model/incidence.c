#include "model/incidence.h"

wf_status wf_incidence_build(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                             wf_incidence *incidence)
{
    *incidence = (wf_incidence){.vertex_count = vertex_count};
    int64_t corner_count = (int64_t)stencil->count * stencil->arity;
    if (corner_count > INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "model: more than 2^31 element corners");
    }
    for (int64_t k = 0; k < corner_count; k++) {
        if (stencil->vertices[k] < 0 || stencil->vertices[k] >= vertex_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "element %lld names vertex %d, but there are %d vertices",
                           (long long)(k / stencil->arity) + 1, stencil->vertices[k] + 1, vertex_count);
        }
    }
    incidence->start = wf_allocate(context, (size_t)vertex_count + 1, sizeof *incidence->start);
    incidence->corner = wf_allocate(context, (size_t)corner_count, sizeof *incidence->corner);
    if (!incidence->start || !incidence->corner) {
        wf_incidence_free(context, incidence);
        return WF_ERROR_MEMORY;
    }
    int32_t *start = incidence->start;
    for (int64_t k = 0; k < corner_count; k++) {
        start[stencil->vertices[k] + 1]++;
    }
    for (int32_t i = 0; i < vertex_count; i++) {
        start[i + 1] += start[i];
    }
    /* Filling from the end leaves start[i + 1] at the row's beginning, one place too far: it is shifted back below. */
    for (int64_t k = corner_count - 1; k >= 0; k--) {
        incidence->corner[--start[stencil->vertices[k] + 1]] = (int32_t)k;
    }
    for (int32_t i = 0; i < vertex_count; i++) {
        start[i] = start[i + 1];
    }
    start[vertex_count] = (int32_t)corner_count;
    return WF_OK;
}

void wf_incidence_free(wf_context *context, wf_incidence *incidence)
{
    wf_free(context, incidence->start);
    wf_free(context, incidence->corner);
    *incidence = (wf_incidence){0};
}
