#include "step/spectrum.h"

#include <math.h>

enum { MOST_ITERATIONS = 200, SCRATCH_VECTORS = 3 };

#define GROWTH 1e-4 /* an estimate that grows by no more is as good as the iteration gets it */

/* Any start that is no eigenvector: a cheap sequence without a pattern that a mesh could have. */
static void start_anywhere(size_t size, const uint8_t *prescribed, double *y)
{
    for (size_t i = 0; i < size; i++) {
        double fraction = 0.6180339887498949 * (double)(i % 100000 + 1);
        y[i] = prescribed && prescribed[i] ? 0 : 2 * (fraction - floor(fraction)) - 1;
    }
}

static double dot(size_t size, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* The largest eigenvalue of M^-1 (A - M) for the operator A formed last: the Rayleigh quotient of its iterates. */
static double largest_eigenvalue(const wf_system *system, double *y, double *mass_y, double *product)
{
    size_t size = system->size;
    double value = 0;
    start_anywhere(size, system->prescribed, y);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        system->multiply_mass(system->user, y, mass_y);
        double norm = sqrt(dot(size, y, mass_y));
        if (!(norm > 0) || !isfinite(norm)) {
            return value;
        }
        for (size_t i = 0; i < size; i++) {
            y[i] /= norm;
            mass_y[i] /= norm;
        }
        system->multiply(system->user, y, product);
        for (size_t i = 0; i < size; i++) {
            product[i] -= mass_y[i];
        }
        double next = dot(size, y, product);
        system->divide_mass(system->user, product, y);
        if (k > 10 && next <= (1 + GROWTH) * value) {
            return fmax(next, value);
        }
        value = next;
    }
    return value;
}

wf_status wf_system_spectrum(wf_context *context, const wf_system *system, double t, const double *x, const double *v,
                             wf_spectrum *spectrum)
{
    *spectrum = (wf_spectrum){0, 0};
    double *scratch = wf_allocate(context, SCRATCH_VECTORS * system->size, sizeof *scratch);
    if (!scratch) {
        return WF_ERROR_MEMORY;
    }
    double *y = scratch, *mass_y = scratch + system->size, *product = scratch + 2 * system->size;
    wf_status status = system->linearise(system->user, t, x, v, WF_LINEARISE_DEFINITE, 1, 0);
    if (status == WF_OK) {
        spectrum->frequency = sqrt(fmax(largest_eigenvalue(system, y, mass_y, product), 0));
        status = system->linearise(system->user, t, x, v, WF_LINEARISE_DEFINITE, 0, 1);
    }
    if (status == WF_OK) {
        spectrum->damping = fmax(largest_eigenvalue(system, y, mass_y, product), 0);
    }
    wf_free(context, scratch);
    return status;
}
