/* curl_noise.c - the curl of gradient noise; see sources.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "air/sources.h"
#include "air/turbulence_kernels.h"
#include "base/random.h"

static const double pi = 3.14159265358979323846;

/* The standard deviation of each component of the curl of noise with random unit gradients, per cell. The derivative of
 * one potential has the mean square m = mean over the cell of (1/3) sum over corners of (w_y^2 f^2 + 2 w w_y f_y + w^2)
 * = 0.248098, w being the weight of a corner, w_y its derivative along y and f what leads there from the corner
 * (integrated by Gauss's rule). That is of independent gradients; of the same at all corners it is 1/7. Any two corners
 * share an entry with the chance 1 / WF_NOISE_ENTRIES, so that it is m + (1/7 - m) / 64; the curl has twice that. */
static const double unit_deviation = 0.702074;

static const wf_wind_curl_noise defaults = {
    .scale = 1, .octaves = 3, .gain = 0.79370052598409974, .evolution = 0.25, .seed = 1};

typedef struct noise {
    wf_noise_gradients gradients;
    wf_noise_octave octaves[WF_NOISE_OCTAVES];
} noise;

wf_wind_curl_noise wf_default_wind_curl_noise(void)
{
    return defaults;
}

/* A direction of length 1, all alike. */
static wf_vec3 random_direction(uint64_t *state)
{
    double y = 2 * wf_random_unit(state) - 1, azimuth = 2 * pi * wf_random_unit(state), r = sqrt(1 - y * y);
    return (wf_vec3){r * cos(azimuth), y, r * sin(azimuth)};
}

static void make_gradients(uint64_t *state, wf_noise_gradients *gradients)
{
    for (int e = 0; e < WF_NOISE_ENTRIES; e++) {
        gradients->phase[e] = wf_random_unit(state);
        for (int c = 0; c < 3; c++) {
            /* A random place on the circle across a random axis: all directions are alike for each of the two. */
            wf_vec3 axis = random_direction(state), p = wf_vec3_perpendicular(axis), q = wf_vec3_cross(axis, p);
            double turn = 2 * pi * wf_random_unit(state);
            wf_vec3 a = wf_vec3_muladds(wf_vec3_scale(p, cos(turn)), q, sin(turn)), b = wf_vec3_cross(axis, a);
            const double first[3] = {a.x, a.y, a.z}, second[3] = {b.x, b.y, b.z};
            for (int d = 0; d < 3; d++) {
                gradients->cosine[3 * c + d][e] = first[d];
                gradients->sine[3 * c + d][e] = second[d];
            }
        }
    }
}

static wf_status update(wf_wind_source *source, const void *parameters)
{
    const wf_wind_curl_noise *p = parameters;
    double finest = p->scale * pow(0.5, (double)(p->octaves - 1));
    if (!(finest >= 1e-3)) {
        return wf_fail(source->context, WF_ERROR_ARGUMENT,
                       "octaves must leave cells of at least 0.001 m, got %d, of %g m", (int)p->octaves, finest);
    }
    noise *made = wf_allocate(source->context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    uint64_t state = (uint64_t)p->seed;
    make_gradients(&state, &made->gradients);
    double sum = 0;
    for (int o = 0; o < (int)p->octaves; o++) {
        sum += pow(p->gain, 2 * o);
    }
    for (int o = 0; o < (int)p->octaves; o++) {
        double speed = p->intensity * pow(p->gain, o) / sqrt(sum), scale = p->scale * pow(0.5, o);
        made->octaves[o] = (wf_noise_octave){
            .scale = scale,
            .factor = speed / unit_deviation,
            .rate = p->evolution * speed / scale,
            .shift = {wf_random_unit(&state), wf_random_unit(&state), wf_random_unit(&state)},
            .key = (uint32_t)wf_random_bits(&state)};
    }
    wf_free(source->context, source->derived);
    source->derived = made;
    return WF_OK;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    const wf_wind_curl_noise *p = source->parameters;
    const noise *n = source->derived;
    const wf_turbulence_kernels *kernels = wf_turbulence_table_for(source->context);
    memset(block->u, 0, sizeof block->u);
    memset(block->v, 0, sizeof block->v);
    memset(block->w, 0, sizeof block->w);
    for (int o = 0; o < (int)p->octaves; o++) {
        kernels->noise(&n->gradients, &n->octaves[o], time, wf_vec3_scale(p->velocity, time), block);
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_curl_noise *p = source->parameters;
    snprintf(text, size, "%.4g m/s, %d octaves from %.4g m", p->intensity, (int)p->octaves, p->scale);
}

static const wf_wind_parameter parameters[] = {
    {.name = "intensity",
     .offset = offsetof(wf_wind_curl_noise, intensity),
     .minimum = 0,
     .maximum = 100,
     .required = true},
    {.name = "scale", .offset = offsetof(wf_wind_curl_noise, scale), .minimum = 0.01, .maximum = 1e5},
    {.name = "octaves",
     .type = WF_WIND_INTEGER,
     .offset = offsetof(wf_wind_curl_noise, octaves),
     .minimum = 1,
     .maximum = WF_NOISE_OCTAVES},
    {.name = "gain", .offset = offsetof(wf_wind_curl_noise, gain), .minimum = 0, .maximum = 1},
    {.name = "evolution", .offset = offsetof(wf_wind_curl_noise, evolution), .minimum = 0, .maximum = 10},
    {.name = "velocity", .type = WF_WIND_VELOCITY, .offset = offsetof(wf_wind_curl_noise, velocity)},
    {.name = "seed",
     .type = WF_WIND_INTEGER,
     .offset = offsetof(wf_wind_curl_noise, seed),
     .minimum = 0,
     .maximum = 0x1p53},
    {.name = NULL}};

const wf_wind_source_class wf_wind_curl_noise_class = {.name = "curl_noise",
                                                       .parameter_size = sizeof(wf_wind_curl_noise),
                                                       .defaults = &defaults,
                                                       .parameters = parameters,
                                                       .update = update,
                                                       .velocities = velocities,
                                                       .describe = describe};
