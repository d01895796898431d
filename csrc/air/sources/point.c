/* point.c - point sources and sinks; see sources.h. */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double four_pi = 4 * 3.14159265358979323846;

static const wf_wind_point defaults = {.core = 0.05};

wf_wind_point wf_default_wind_point(void)
{
    return defaults;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_point p = *(const wf_wind_point *)source->parameters;
    const double least = p.core * p.core, factor = p.flow / four_pi;
    for (size_t i = 0; i < block->count; i++) {
        double x = block->x[i] - p.position.x, y = block->y[i] - p.position.y, z = block->z[i] - p.position.z;
        double square = x * x + y * y + z * z;
        square = square > least ? square : least;
        double scale = factor / (square * sqrt(square));
        block->u[i] = x * scale;
        block->v[i] = y * scale;
        block->w[i] = z * scale;
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_point *p = source->parameters;
    snprintf(text, size, "%.4g m3/s at {%.4g, %.4g, %.4g}", p->flow, p->position.x, p->position.y, p->position.z);
}

static const wf_wind_parameter parameters[] = {
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_point, position)},
    {.name = "flow", .offset = offsetof(wf_wind_point, flow), .minimum = -1e9, .maximum = 1e9, .required = true},
    {.name = "core", .offset = offsetof(wf_wind_point, core), .minimum = 1e-4, .maximum = 1e4},
    {.name = NULL}};

const wf_wind_source_class wf_wind_point_class = {.name = "point",
                                                  .parameter_size = sizeof(wf_wind_point),
                                                  .defaults = &defaults,
                                                  .parameters = parameters,
                                                  .velocities = velocities,
                                                  .describe = describe};
