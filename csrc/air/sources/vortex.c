/* vortex.c - straight vortices; see sources.h. */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double two_pi = 2 * 3.14159265358979323846;

static const wf_wind_vortex defaults = {.axis = {0, 1, 0}, .core = 0.1, .profile = WF_WIND_LAMB};

wf_wind_vortex wf_default_wind_vortex(void)
{
    return defaults;
}

/* f(r) / r^2, of the square of r. */
static double core_factor(const wf_wind_vortex *p, double square)
{
    double least = p->core * p->core, s = square / least;
    if (p->profile == WF_WIND_RANKINE) {
        return 1 / (square > least ? square : least);
    }
    return s > 1e-8 ? -expm1(-s) / square : (1 - 0.5 * s) / least;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_vortex p = *(const wf_wind_vortex *)source->parameters;
    for (size_t i = 0; i < block->count; i++) {
        wf_vec3 point = wf_wind_block_point(block, i);
        wf_vec3 across = wf_vec3_cross(p.axis, wf_vec3_sub(point, p.position)); /* as long as r is across the axis */
        double scale = p.circulation / two_pi * core_factor(&p, wf_vec3_norm2(across));
        wf_wind_block_set(block, i, wf_vec3_scale(across, scale));
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_vortex *p = source->parameters;
    snprintf(text, size, "%.4g m2/s about {%.4g, %.4g, %.4g}", p->circulation, p->axis.x, p->axis.y, p->axis.z);
}

static const char *const profiles[] = {"lamb", "rankine", NULL};

static const wf_wind_parameter parameters[] = {
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_vortex, position)},
    {.name = "axis", .type = WF_WIND_DIRECTION, .offset = offsetof(wf_wind_vortex, axis)},
    {.name = "circulation",
     .offset = offsetof(wf_wind_vortex, circulation),
     .minimum = -1e9,
     .maximum = 1e9,
     .required = true},
    {.name = "core", .offset = offsetof(wf_wind_vortex, core), .minimum = 1e-4, .maximum = 1e4},
    {.name = "profile", .type = WF_WIND_CHOICE, .offset = offsetof(wf_wind_vortex, profile), .choices = profiles},
    {.name = NULL}};

const wf_wind_source_class wf_wind_vortex_class = {.name = "vortex",
                                                   .parameter_size = sizeof(wf_wind_vortex),
                                                   .defaults = &defaults,
                                                   .parameters = parameters,
                                                   .velocities = velocities,
                                                   .describe = describe};
