/* directional.c - a parallel wind with a vertical profile; see sources.h. */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double karman = 0.4;

static const wf_wind_directional defaults = {
    .reference_height = 10, .profile = WF_WIND_LOGARITHMIC, .roughness = 0.03, .exponent = 1.0 / 7};

wf_wind_directional wf_default_wind_directional(void)
{
    return defaults;
}

static wf_status update(wf_wind_source *source, const void *parameters)
{
    const wf_wind_directional *p = parameters;
    double least = p->displacement + (p->profile == WF_WIND_LOGARITHMIC ? p->roughness : 0);
    if (!(p->reference_height > least)) {
        return wf_fail(source->context, WF_ERROR_ARGUMENT,
                       "reference_height must be greater than displacement and roughness together, %g m, got %g", least,
                       p->reference_height);
    }
    if (p->friction_velocity > 0 && !(wf_vec3_norm(p->velocity) > 0)) {
        return wf_fail(source->context, WF_ERROR_ARGUMENT,
                       "velocity must not be 0: it gives the direction of the friction velocity");
    }
    return WF_OK;
}

/* The profile's value at a height h above the displaced ground, and by how much the velocity is multiplied. */
static double height_factor(const wf_wind_directional *p, double h)
{
    double reference = p->reference_height - p->displacement;
    if (p->profile == WF_WIND_POWER) {
        return h > 0 ? pow(h / reference, p->exponent) : 0;
    }
    if (!(h > p->roughness)) {
        return 0;
    }
    double slope = 1 / log(reference / p->roughness);
    if (p->friction_velocity > 0) {
        slope = p->friction_velocity / (karman * wf_vec3_norm(p->velocity));
    }
    return slope * log(h / p->roughness);
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_directional *p = source->parameters;
    for (size_t i = 0; i < block->count; i++) {
        double factor = height_factor(p, block->y[i] - p->ground - p->displacement);
        wf_wind_block_set(block, i, wf_vec3_scale(p->velocity, factor));
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_directional *p = source->parameters;
    double factor = height_factor(p, p->reference_height - p->displacement);
    snprintf(text, size, "%.4g m/s at %.4g m, %s", wf_vec3_norm(p->velocity) * factor, p->reference_height,
             p->profile == WF_WIND_POWER ? "power" : "logarithmic");
}

/* Nothing blows below the roughness. */
static void bounds(const wf_wind_source *source, wf_vec3 *lower, wf_vec3 *upper)
{
    (void)upper;
    const wf_wind_directional *p = source->parameters;
    lower->y = p->ground + p->displacement + (p->profile == WF_WIND_LOGARITHMIC ? p->roughness : 0);
}

static const char *const profiles[] = {"logarithmic", "power", NULL};

static const wf_wind_parameter parameters[] = {
    {.name = "velocity",
     .type = WF_WIND_VELOCITY,
     .offset = offsetof(wf_wind_directional, velocity),
     .required = true},
    {.name = "reference_height",
     .offset = offsetof(wf_wind_directional, reference_height),
     .minimum = 1e-3,
     .maximum = 1e4},
    {.name = "ground", .offset = offsetof(wf_wind_directional, ground), .minimum = -1e5, .maximum = 1e5},
    {.name = "profile",
     .type = WF_WIND_CHOICE,
     .offset = offsetof(wf_wind_directional, profile),
     .choices = profiles},
    {.name = "roughness", .offset = offsetof(wf_wind_directional, roughness), .minimum = 1e-6, .maximum = 10},
    {.name = "displacement", .offset = offsetof(wf_wind_directional, displacement), .minimum = 0, .maximum = 1000},
    {.name = "exponent", .offset = offsetof(wf_wind_directional, exponent), .minimum = 0, .maximum = 1},
    {.name = "friction_velocity",
     .offset = offsetof(wf_wind_directional, friction_velocity),
     .minimum = 0,
     .maximum = 50},
    {.name = NULL}};

const wf_wind_source_class wf_wind_directional_class = {.name = "directional",
                                                        .parameter_size = sizeof(wf_wind_directional),
                                                        .defaults = &defaults,
                                                        .parameters = parameters,
                                                        .update = update,
                                                        .velocities = velocities,
                                                        .describe = describe,
                                                        .bounds = bounds};
