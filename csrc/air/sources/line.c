/* line.c - line sources and sinks; see sources.h. */
#include <stdio.h>

#include "air/sources.h"

static const double two_pi = 2 * 3.14159265358979323846;

static const wf_wind_line defaults = {.axis = {0, 1, 0}, .core = 0.05};

wf_wind_line wf_default_wind_line(void)
{
    return defaults;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_line p = *(const wf_wind_line *)source->parameters;
    const double least = p.core * p.core, factor = p.flow / two_pi;
    for (size_t i = 0; i < block->count; i++) {
        double x = block->x[i] - p.position.x, y = block->y[i] - p.position.y, z = block->z[i] - p.position.z;
        double along = x * p.axis.x + y * p.axis.y + z * p.axis.z;
        x -= along * p.axis.x;
        y -= along * p.axis.y;
        z -= along * p.axis.z;
        double square = x * x + y * y + z * z;
        double scale = factor / (square > least ? square : least);
        block->u[i] = x * scale;
        block->v[i] = y * scale;
        block->w[i] = z * scale;
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_line *p = source->parameters;
    snprintf(text, size, "%.4g m2/s along {%.4g, %.4g, %.4g}", p->flow, p->axis.x, p->axis.y, p->axis.z);
}

static const wf_wind_parameter parameters[] = {
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_line, position)},
    {.name = "axis", .type = WF_WIND_DIRECTION, .offset = offsetof(wf_wind_line, axis)},
    {.name = "flow", .offset = offsetof(wf_wind_line, flow), .minimum = -1e9, .maximum = 1e9, .required = true},
    {.name = "core", .offset = offsetof(wf_wind_line, core), .minimum = 1e-4, .maximum = 1e4},
    {.name = NULL}};

const wf_wind_source_class wf_wind_line_class = {.name = "line",
                                                 .parameter_size = sizeof(wf_wind_line),
                                                 .defaults = &defaults,
                                                 .parameters = parameters,
                                                 .velocities = velocities,
                                                 .describe = describe};
