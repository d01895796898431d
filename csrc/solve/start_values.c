#include "solve/start_values.h"

void wf_start_values_free(wf_context *context, wf_start_values *values)
{
    for (int k = 0; k < WF_PCG_DIRECTIONS; k++) {
        wf_free(context, values->change[k]);
    }
    *values = (wf_start_values){0};
}

wf_status wf_start_values_resize(wf_context *context, wf_start_values *values, size_t rows)
{
    if (values->rows == rows && values->change[0]) {
        return WF_OK;
    }
    wf_start_values_free(context, values);
    for (int k = 0; k < WF_PCG_DIRECTIONS; k++) {
        values->change[k] = wf_allocate(context, rows, sizeof *values->change[k]);
        if (!values->change[k]) {
            wf_start_values_free(context, values);
            return WF_ERROR_MEMORY;
        }
    }
    values->rows = rows;
    return WF_OK;
}

void wf_start_values_push(wf_start_values *values, const wf_vec3 *v0, const wf_vec3 *v1)
{
    float(*oldest)[3] = values->change[WF_PCG_DIRECTIONS - 1];
    for (int k = WF_PCG_DIRECTIONS - 1; k > 0; k--) {
        values->change[k] = values->change[k - 1];
    }
    values->change[0] = oldest;
    values->count += values->count < WF_PCG_DIRECTIONS;
    for (size_t i = 0; i < values->rows; i++) {
        oldest[i][0] = (float)(v1[i].x - v0[i].x);
        oldest[i][1] = (float)(v1[i].y - v0[i].y);
        oldest[i][2] = (float)(v1[i].z - v0[i].z);
    }
}
