/* jet.c - round turbulent jets; see sources.h.
 *
 * Q(r, x) is the flow through a disc of radius r across the axis, over 2 pi; the air's velocity across the axis is
 * -(dQ/dx) / r, so that the field has no divergence.
 */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double ln2 = 0.69314718055994530942;

static const wf_wind_jet defaults = {.axis = {0, 0, 1}, .spread = 0.094};

wf_wind_jet wf_default_wind_jet(void)
{
    return defaults;
}

/* At a place (x, r) from the opening, x > 0: the velocity along the axis, and that across over r. */
static void speeds(const wf_wind_jet *p, double x, double r, double *along, double *across)
{
    const double root_pi = 1.77245385090551602730;
    const double b = p->spread * x, d = p->diameter;
    const double room = 0.25 * d * d - b * b / (2 * ln2); /* of the radius c: c^2 + 2 beta c = room */
    if (room <= 0) { /* it has spread to a Gaussian */
        double h = ln2 * r * r / (b * b), drop = exp(-h);
        double speed = p->speed * d * sqrt(0.5 * ln2) / b;
        /* (1 - e^-h - 2 h e^-h) / r^2 */
        double bracket = h > 1e-5 ? (-expm1(-h) - 2 * h * drop) / (r * r) : ln2 / (b * b) * (-1 + 1.5 * h);
        *along = speed * drop;
        *across = -speed * b * p->spread / (2 * ln2) * bracket;
        return;
    }
    const double slope = root_pi / sqrt(8 * ln2), beta = slope * b;
    const double c = -beta + sqrt(beta * beta + room);
    *along = p->speed;
    *across = 0;
    if (r > c) {
        /* c (c + 2 beta) = room, differentiated along x */
        const double b_x = p->spread, c_x = -(slope * b_x * c + b * b_x / (2 * ln2)) / (c + beta);
        const double s = r - c, drop = exp(-ln2 * s * s / (b * b));
        const double g = b * root_pi / (2 * sqrt(ln2)) * erf(sqrt(ln2) * s / b);
        const double g_b = (g - s * drop) / b, h_b = b * (1 - drop) / ln2 - s * s * drop / b;
        const double q_x = c_x * (c + g - r * drop) + b_x * (c * g_b + h_b);
        *along = p->speed * drop;
        *across = -p->speed * q_x / (r * r);
    }
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_jet p = *(const wf_wind_jet *)source->parameters;
    for (size_t i = 0; i < block->count; i++) {
        wf_vec3 r = wf_vec3_sub(wf_wind_block_point(block, i), p.position);
        double x = wf_vec3_dot(r, p.axis), along = 0, across = 0;
        wf_vec3 outward = wf_vec3_muladds(r, p.axis, -x);
        if (x > 1e-9 * p.diameter) {
            speeds(&p, x, wf_vec3_norm(outward), &along, &across);
        }
        wf_wind_block_set(block, i, wf_vec3_muladds(wf_vec3_scale(p.axis, along), outward, across));
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_jet *p = source->parameters;
    snprintf(text, size, "%.4g m/s, %.4g m wide, from {%.4g, %.4g, %.4g}", p->speed, p->diameter, p->position.x,
             p->position.y, p->position.z);
}

static const wf_wind_parameter parameters[] = {
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_jet, position)},
    {.name = "axis", .type = WF_WIND_DIRECTION, .offset = offsetof(wf_wind_jet, axis)},
    {.name = "speed",
     .offset = offsetof(wf_wind_jet, speed),
     .minimum = 0,
     .maximum = WF_WIND_SPEED_LIMIT,
     .required = true},
    {.name = "diameter", .offset = offsetof(wf_wind_jet, diameter), .minimum = 1e-3, .maximum = 1e3, .required = true},
    {.name = "spread", .offset = offsetof(wf_wind_jet, spread), .minimum = 0.01, .maximum = 1},
    {.name = NULL}};

const wf_wind_source_class wf_wind_jet_class = {.name = "jet",
                                                .parameter_size = sizeof(wf_wind_jet),
                                                .defaults = &defaults,
                                                .parameters = parameters,
                                                .velocities = velocities,
                                                .describe = describe};
