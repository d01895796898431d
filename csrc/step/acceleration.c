/* acceleration.c - see acceleration.h. */
#include "step/acceleration.h"

#include <math.h>
#include <string.h>

/* Vectors: the last iterate and correction, then a pair of differences a slot. */
enum { LAST_V = WF_ACCELERATION_VECTOR, LAST_CORRECTION, DIFFERENCES };

_Static_assert(DIFFERENCES + 2 * WF_ACCELERATION_DEPTH <= WF_VECTORS, "every pair of differences needs two vectors");

static double *iterate_difference(wf_integrator *self, int slot)
{
    return self->vectors[DIFFERENCES + 2 * slot];
}

static double *correction_difference(wf_integrator *self, int slot)
{
    return self->vectors[DIFFERENCES + 2 * slot + 1];
}

static wf_status prepare(wf_integrator *self, size_t first, size_t count)
{
    for (size_t k = first; k < first + count; k++) {
        if (!wf_scheme_vector(self, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    return WF_OK;
}

static wf_status add_difference(wf_integrator *self, wf_acceleration *a, const double *v, const double *correction)
{
    int slot = a->count > 0 ? (a->newest + 1) % WF_ACCELERATION_DEPTH : 0;
    wf_status status = prepare(self, DIFFERENCES + 2 * (size_t)slot, 2);
    if (status == WF_OK) {
        wf_scheme_sum(self, iterate_difference(self, slot), v, -1, self->vectors[LAST_V]);
        wf_scheme_sum(self, correction_difference(self, slot), correction, -1, self->vectors[LAST_CORRECTION]);
        a->newest = slot;
        a->count = a->count < WF_ACCELERATION_DEPTH ? a->count + 1 : WF_ACCELERATION_DEPTH;
    }
    return status;
}

/* Weights of the differences that leave the least correction: normal equations, eliminated with a small multiple of
 * their diagonal added, as differences may depend on each other. */
static void find_weights(wf_integrator *self, int count, const double *correction, double *weights)
{
    double g[WF_ACCELERATION_DEPTH][WF_ACCELERATION_DEPTH];
    for (int i = 0; i < count; i++) {
        const double *di = correction_difference(self, i);
        for (int j = 0; j <= i; j++) {
            g[i][j] = g[j][i] = wf_scheme_dot(self, di, correction_difference(self, j));
        }
        weights[i] = wf_scheme_dot(self, di, correction);
    }
    for (int i = 0; i < count; i++) {
        g[i][i] *= 1 + 1e-12;
    }
    for (int k = 0; k < count; k++) {
        for (int i = k + 1; i < count; i++) {
            double factor = g[k][k] > 0 ? g[i][k] / g[k][k] : 0;
            for (int j = k; j < count; j++) {
                g[i][j] -= factor * g[k][j];
            }
            weights[i] -= factor * weights[k];
        }
    }
    for (int k = count - 1; k >= 0; k--) {
        for (int j = k + 1; j < count; j++) {
            weights[k] -= g[k][j] * weights[j];
        }
        weights[k] = g[k][k] > 0 ? weights[k] / g[k][k] : 0;
    }
}

wf_status wf_acceleration_update(wf_integrator *self, wf_acceleration *a, const double *v, const double *correction,
                                 double *direction, bool *known)
{
    wf_status status = prepare(self, LAST_V, 2);
    if (status == WF_OK && a->started) {
        status = add_difference(self, a, v, correction);
    }
    if (status != WF_OK) {
        return status;
    }
    memcpy(self->vectors[LAST_V], v, self->size * sizeof *v);
    memcpy(self->vectors[LAST_CORRECTION], correction, self->size * sizeof *correction);
    a->started = true;
    *known = a->count > 0;
    if (*known) {
        double weights[WF_ACCELERATION_DEPTH];
        find_weights(self, a->count, correction, weights);
        memcpy(direction, correction, self->size * sizeof *correction);
        for (int k = 0; k < a->count; k++) {
            wf_scheme_sum(self, direction, direction, -weights[k], iterate_difference(self, k));
            wf_scheme_sum(self, direction, direction, -weights[k], correction_difference(self, k));
        }
    }
    return WF_OK;
}
