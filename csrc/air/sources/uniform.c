/* uniform.c - the same velocity everywhere. */
#include <stdio.h>

#include "air/sources.h"

static const wf_wind_uniform defaults = {{0, 0, 0}};

wf_wind_uniform wf_default_wind_uniform(void)
{
    return defaults;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_vec3 velocity = ((const wf_wind_uniform *)source->parameters)->velocity;
    for (size_t i = 0; i < block->count; i++) {
        wf_wind_block_set(block, i, velocity);
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_vec3 velocity = ((const wf_wind_uniform *)source->parameters)->velocity;
    snprintf(text, size, "{%.4g, %.4g, %.4g} m/s", velocity.x, velocity.y, velocity.z);
}

static const wf_wind_parameter parameters[] = {
    {.name = "velocity", .type = WF_WIND_VELOCITY, .offset = offsetof(wf_wind_uniform, velocity), .required = true},
    {.name = NULL}};

const wf_wind_source_class wf_wind_uniform_class = {.name = "uniform",
                                                    .parameter_size = sizeof(wf_wind_uniform),
                                                    .defaults = &defaults,
                                                    .parameters = parameters,
                                                    .uniform = true,
                                                    .velocities = velocities,
                                                    .describe = describe};
