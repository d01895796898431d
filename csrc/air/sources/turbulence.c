/* turbulence.c - turbulence with the spectra of the atmosphere; see sources.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "air/sources.h"
#include "air/turbulence_kernels.h"
#include "base/random.h"

static const double pi = 3.14159265358979323846;

static const wf_wind_turbulence defaults = {
    .length = 10, .spectrum = WF_WIND_VON_KARMAN, .waves = 192, .seed = 1};

wf_wind_turbulence wf_default_wind_turbulence(void)
{
    return defaults;
}

/* E(k), m3/s2. */
static double energy(const wf_wind_turbulence *p, double k)
{
    double scale = p->intensity * p->intensity * p->length;
    if (p->spectrum == WF_WIND_DRYDEN) {
        double q = p->length * k, r = 1 + q * q;
        return scale * 8 / pi * q * q * q * q / (r * r * r);
    }
    double q = 1.339 * p->length * k;
    return scale * 55 / (9 * pi) * q * q * q * q * pow(1 + q * q, -17.0 / 6);
}

/* The integral of E from k to k ratio, by Simpson's rule in ln k. */
static double band_energy(const wf_wind_turbulence *p, double k, double ratio)
{
    enum { PARTS = 16 };
    double sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        double at = k * pow(ratio, (double)i / PARTS);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * at * energy(p, at);
    }
    return sum * log(ratio) / (3 * PARTS);
}

/* The nth point of the plane's additive low-discrepancy sequence, from 0 to 1 (Roberts 2018): neighbours in n lie far
 * apart, so that the directions of each band of waves are spread evenly. */
static double spread(double start, double step, size_t n)
{
    double a = start + step * (double)(n + 1);
    return a - floor(a);
}

/* Waves at wave numbers spread evenly in ln k, one at a random place in each band. */
static void make_waves(const wf_wind_turbulence *p, wf_waves *waves)
{
    const double plastic = 1.32471795724474602596; /* 1 / plastic and its square are the sequence's steps */
    double smallest = p->smallest > 0 ? p->smallest : p->length / 100;
    double lowest = 0.05 / p->length, ratio = pow(2 * pi / (smallest * lowest), 1 / (double)waves->count);
    uint64_t state = (uint64_t)p->seed;
    double start[2] = {wf_random_unit(&state), wf_random_unit(&state)};
    for (size_t n = 0; n < waves->count; n++) {
        double from = lowest * pow(ratio, (double)n), k = from * pow(ratio, wf_random_unit(&state));
        double cosine = 2 * spread(start[0], 1 / plastic, n) - 1, sine = sqrt(fmax(0, 1 - cosine * cosine));
        double azimuth = 2 * pi * spread(start[1], 1 / (plastic * plastic), n);
        wf_vec3 direction = {sine * cos(azimuth), cosine, sine * sin(azimuth)};
        /* The energy of a cos p + b sin p, with a and b across each other, is |a|^2 / 2. */
        double amplitude = sqrt(2 * band_energy(p, from, ratio)), turn = 2 * pi * wf_random_unit(&state);
        wf_vec3 across = wf_vec3_perpendicular(direction), other = wf_vec3_cross(direction, across);
        wf_vec3 a = wf_vec3_muladds(wf_vec3_scale(across, cos(turn)), other, sin(turn));
        wf_vec3 b = wf_vec3_scale(wf_vec3_cross(direction, a), wf_random_unit(&state) < 0.5 ? -1 : 1);
        waves->phase[n] = wf_random_unit(&state);
        double frequency = p->unsteadiness * sqrt(k * k * k * energy(p, k));
        waves->rate[n] = (frequency - k * wf_vec3_dot(direction, p->velocity)) / (2 * pi);
        const double unit[3] = {direction.x, direction.y, direction.z};
        const double first[3] = {a.x, a.y, a.z}, second[3] = {b.x, b.y, b.z};
        for (int c = 0; c < 3; c++) {
            waves->k[c][n] = k / (2 * pi) * unit[c];
            waves->a[c][n] = amplitude * first[c];
            waves->b[c][n] = amplitude * second[c];
        }
    }
}

/* One block: the struct, and behind it its eleven arrays. */
static wf_status update(wf_wind_source *source, const void *parameters)
{
    const wf_wind_turbulence *p = parameters;
    if (p->smallest > 0 && !(p->smallest >= 1e-3 && p->smallest < p->length)) {
        return wf_fail(source->context, WF_ERROR_ARGUMENT,
                       "smallest must be 0 or at least 0.001 m and below length, %g m, got %g", p->length, p->smallest);
    }
    size_t count = (size_t)p->waves;
    wf_waves *waves = wf_allocate(source->context, 1, sizeof *waves + 11 * count * sizeof(double));
    if (!waves) {
        return WF_ERROR_MEMORY;
    }
    double *next = (double *)(waves + 1);
    double **arrays[] = {&waves->k[0], &waves->k[1], &waves->k[2], &waves->phase, &waves->rate, &waves->a[0],
                         &waves->a[1], &waves->a[2], &waves->b[0], &waves->b[1],  &waves->b[2]};
    for (int i = 0; i < 11; i++) {
        *arrays[i] = next;
        next += count;
    }
    waves->count = count;
    make_waves(p, waves);
    wf_free(source->context, source->derived);
    source->derived = waves;
    return WF_OK;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    wf_turbulence_table_for(source->context)->waves(source->derived, time, block);
}

static const char *const spectra[] = {"von karman", "dryden", NULL};

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_turbulence *p = source->parameters;
    snprintf(text, size, "%s, %.4g m/s, length %.4g m", spectra[p->spectrum], p->intensity, p->length);
}

static const wf_wind_parameter parameters[] = {
    {.name = "intensity",
     .offset = offsetof(wf_wind_turbulence, intensity),
     .minimum = 0,
     .maximum = 100,
     .required = true},
    {.name = "length", .offset = offsetof(wf_wind_turbulence, length), .minimum = 0.01, .maximum = 1e5},
    {.name = "spectrum",
     .type = WF_WIND_CHOICE,
     .offset = offsetof(wf_wind_turbulence, spectrum),
     .choices = spectra},
    {.name = "velocity", .type = WF_WIND_VELOCITY, .offset = offsetof(wf_wind_turbulence, velocity)},
    {.name = "unsteadiness", .offset = offsetof(wf_wind_turbulence, unsteadiness), .minimum = 0, .maximum = 10},
    {.name = "smallest", .offset = offsetof(wf_wind_turbulence, smallest), .minimum = 0, .maximum = 1e5},
    {.name = "waves",
     .type = WF_WIND_INTEGER,
     .offset = offsetof(wf_wind_turbulence, waves),
     .minimum = 8,
     .maximum = WF_WAVE_LIMIT},
    {.name = "seed",
     .type = WF_WIND_INTEGER,
     .offset = offsetof(wf_wind_turbulence, seed),
     .minimum = 0,
     .maximum = 0x1p53},
    {.name = NULL}};

const wf_wind_source_class wf_wind_turbulence_class = {.name = "turbulence",
                                                       .parameter_size = sizeof(wf_wind_turbulence),
                                                       .defaults = &defaults,
                                                       .parameters = parameters,
                                                       .update = update,
                                                       .velocities = velocities,
                                                       .describe = describe};
