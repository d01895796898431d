/* gust.c - discrete gusts; see sources.h. */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double pi = 3.14159265358979323846;

static const wf_wind_gust defaults = {.duration = 2, .shape = WF_WIND_GUST_COSINE};

wf_wind_gust wf_default_wind_gust(void)
{
    return defaults;
}

/* Of the part of the duration that has passed. */
static double envelope(int shape, double part)
{
    bool holds = shape == WF_WIND_GUST_RISE || shape == WF_WIND_GUST_RAMP;
    if (!(part > 0)) {
        return 0;
    }
    if (part >= 1) {
        return holds ? 1 : 0;
    }
    switch (shape) {
    case WF_WIND_GUST_EOG: return -0.37 * sin(3 * pi * part) * (1 - cos(2 * pi * part));
    case WF_WIND_GUST_RISE: return 0.5 - 0.5 * cos(pi * part);
    case WF_WIND_GUST_RAMP: return part;
    default: return 0.5 - 0.5 * cos(2 * pi * part);
    }
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    const wf_wind_gust p = *(const wf_wind_gust *)source->parameters;
    /* s per m along the travel: the front's delay */
    double square = wf_vec3_norm2(p.travel);
    wf_vec3 slowness = square > 1e-12 ? wf_vec3_scale(p.travel, 1 / square) : (wf_vec3){0, 0, 0};
    for (size_t i = 0; i < block->count; i++) {
        wf_vec3 r = wf_vec3_sub(wf_wind_block_point(block, i), p.position);
        double factor = envelope(p.shape, (time - p.onset - wf_vec3_dot(r, slowness)) / p.duration);
        wf_wind_block_set(block, i, wf_vec3_scale(p.velocity, factor));
    }
}

static const char *const shapes[] = {"cosine", "eog", "rise", "ramp", NULL};

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_gust *p = source->parameters;
    snprintf(text, size, "%s, {%.4g, %.4g, %.4g} m/s, from %.4g to %.4g s", shapes[p->shape], p->velocity.x,
             p->velocity.y, p->velocity.z, p->onset, p->onset + p->duration);
}

static const wf_wind_parameter parameters[] = {
    {.name = "velocity", .type = WF_WIND_VELOCITY, .offset = offsetof(wf_wind_gust, velocity), .required = true},
    {.name = "onset", .offset = offsetof(wf_wind_gust, onset), .minimum = -1e9, .maximum = 1e9},
    {.name = "duration", .offset = offsetof(wf_wind_gust, duration), .minimum = 1e-3, .maximum = 1e6},
    {.name = "shape", .type = WF_WIND_CHOICE, .offset = offsetof(wf_wind_gust, shape), .choices = shapes},
    {.name = "travel", .type = WF_WIND_VELOCITY, .offset = offsetof(wf_wind_gust, travel)},
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_gust, position)},
    {.name = NULL}};

const wf_wind_source_class wf_wind_gust_class = {.name = "gust",
                                                 .parameter_size = sizeof(wf_wind_gust),
                                                 .defaults = &defaults,
                                                 .parameters = parameters,
                                                 .velocities = velocities,
                                                 .describe = describe};
