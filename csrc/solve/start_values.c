#include "solve/start_values.h"

#include <string.h>

#include "base/vector.h"

void wf_start_values_free(wf_context *context, wf_start_values *values)
{
    for (int k = 0; k < WF_START_VALUES; k++) {
        wf_free(context, values->velocity[k]);
    }
    *values = (wf_start_values){0};
}

wf_status wf_start_values_resize(wf_context *context, wf_start_values *values, size_t rows)
{
    if (values->rows == rows && values->velocity[0]) {
        return WF_OK;
    }
    wf_start_values_free(context, values);
    for (int k = 0; k < WF_START_VALUES; k++) {
        values->velocity[k] = wf_allocate(context, rows, sizeof *values->velocity[k]);
        if (!values->velocity[k]) {
            wf_start_values_free(context, values);
            return WF_ERROR_MEMORY;
        }
    }
    values->rows = rows;
    return WF_OK;
}

wf_status wf_start_values_copy(wf_context *context, const wf_start_values *from, wf_start_values *to)
{
    wf_status status = wf_start_values_resize(context, to, from->rows);
    for (int k = 0; k < from->count && status == WF_OK; k++) {
        memcpy(to->velocity[k], from->velocity[k], from->rows * sizeof *to->velocity[k]);
    }
    to->count = status == WF_OK ? from->count : 0;
    return status;
}

void wf_start_values_push(wf_start_values *values, const wf_vec3 *v0)
{
    float(*oldest)[3] = values->velocity[WF_START_VALUES - 1];
    for (int k = WF_START_VALUES - 1; k > 0; k--) {
        values->velocity[k] = values->velocity[k - 1];
    }
    values->velocity[0] = oldest;
    values->count += values->count < WF_START_VALUES;
    for (size_t i = 0; i < values->rows; i++) {
        oldest[i][0] = (float)v0[i].x;
        oldest[i][1] = (float)v0[i].y;
        oldest[i][2] = (float)v0[i].z;
    }
}

/* A polynomial of each degree through the latest values: what it says of the next. */
static const double weights[WF_START_VALUES][WF_START_VALUES] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};

/* The degree that would have come closest to the present velocities from those before. */
static int best_degree(const wf_start_values *values, size_t begin, size_t end, const double *mass, const wf_vec3 *v0)
{
    double error[WF_START_VALUES] = {0};
    for (size_t i = begin; i < end; i++) {
        for (int degree = 0; degree < values->count; degree++) {
            wf_vec3 difference = v0[i];
            for (int k = 0; k <= degree; k++) {
                const float *v = values->velocity[k][i];
                difference = wf_vec3_muladds(difference, (wf_vec3){v[0], v[1], v[2]}, -weights[degree][k]);
            }
            error[degree] += mass[i] * wf_vec3_norm2(difference);
        }
    }
    int best = 0;
    for (int degree = 1; degree < values->count; degree++) {
        best = error[degree] < error[best] ? degree : best;
    }
    return best;
}

void wf_start_values_predict(const wf_start_values *values, size_t begin, size_t end, const double *mass,
                             const wf_vec3 *v0, const uint8_t *held, wf_vec3 *v)
{
    int degree = best_degree(values, begin, end, mass, v0);
    for (size_t i = begin; i < end; i++) {
        if (!held[i]) {
            v[i] = wf_vec3_scale(v0[i], weights[degree][0]);
            for (int k = 1; k <= degree; k++) {
                const float *earlier = values->velocity[k - 1][i];
                v[i] = wf_vec3_muladds(v[i], (wf_vec3){earlier[0], earlier[1], earlier[2]}, weights[degree][k]);
            }
        }
    }
}
