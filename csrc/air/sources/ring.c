/* ring.c - vortex rings; see sources.h.
 *
 * With A = R^2 + rho^2 + z^2 + core^2, S^2 = A + 2 R rho and m = 4 R rho / S^2, where z and rho are the coordinates
 * along and across the axis, the integrals around the ring are
 *     I0 = integral of dphi / (A - 2 R rho cos phi)^(3/2)            = 4 E(m) / (S^3 (1 - m)),
 *     I1 = integral of cos phi dphi / (A - 2 R rho cos phi)^(3/2)    = 8 D(m) / (m S^3 (1 - m)),
 *     D = (1 - m/2) E - (1 - m) K,
 * and the velocities u_z = (circulation / 4 pi) R (R I0 - rho I1), u_rho = (circulation / 4 pi) R z I1.
 */
#include <math.h>
#include <stdio.h>

#include "air/sources.h"

static const double pi = 3.14159265358979323846;

static const wf_wind_ring defaults = {.axis = {0, 1, 0}, .core = 0.05};

wf_wind_ring wf_default_wind_ring(void)
{
    return defaults;
}

/* E and D / m^2 of the parameter m, from the arithmetic-geometric mean (Abramowitz and Stegun 1964, 17.6): E = K (1 -
 * m/2 - T), T = sum over n >= 1 of 2^(n-1) c_n^2, so that D = K (m^2/4 - (1 - m/2) T), without cancellation. c_n is
 * taken relative to m, so that nothing is lost for small m either. */
static void elliptic(double m, double *e, double *d)
{
    double a = 1, b = sqrt(1 - m);
    double c = 1 / (2 * (1 + b)); /* c_1 / m */
    double power = 1, sum = 0;    /* sum: T / m^2 */
    double next = 0.5 * (a + b);
    b = sqrt(a * b);
    a = next;
    for (int n = 0; n < 12; n++) {
        sum += power * c * c;
        if (c * m < 1e-9 * a) {
            break; /* the next is c^2 m^2 / 4 a */
        }
        next = 0.5 * (a + b);
        b = sqrt(a * b);
        a = next;
        c = c * c * m / (4 * a);
        power *= 2;
    }
    double k = pi / (a + b); /* pi / 2 over the mean */
    *e = k * (1 - m / 2 - m * m * sum);
    *d = k * (0.25 - (1 - m / 2) * sum);
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_ring p = *(const wf_wind_ring *)source->parameters;
    const double factor = p.circulation / (4 * pi) * p.radius;
    for (size_t i = 0; i < block->count; i++) {
        wf_vec3 r = wf_vec3_sub(wf_wind_block_point(block, i), p.position);
        double z = wf_vec3_dot(r, p.axis), e, d;
        wf_vec3 across = wf_vec3_muladds(r, p.axis, -z);
        double rho = wf_vec3_norm(across), near = p.radius - rho;
        double least = near * near + z * z + p.core * p.core; /* A - 2 R rho */
        double most = least + 4 * p.radius * rho;             /* S^2 */
        double m = 4 * p.radius * rho / most, rest = least / most;
        elliptic(m, &e, &d);
        double scale = 4 / (most * sqrt(most) * rest);
        double i0 = e * scale, i1 = 2 * m * d * scale;
        double along = factor * (p.radius * i0 - rho * i1);
        /* i1 / rho has a limit on the axis */
        double outward = factor * z * 8 * p.radius / most * d * scale;
        wf_wind_block_set(block, i, wf_vec3_muladds(wf_vec3_scale(p.axis, along), across, outward));
    }
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_ring *p = source->parameters;
    snprintf(text, size, "%.4g m2/s, radius %.4g m, at {%.4g, %.4g, %.4g}", p->circulation, p->radius, p->position.x,
             p->position.y, p->position.z);
}

static const wf_wind_parameter parameters[] = {
    {.name = "position", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_ring, position)},
    {.name = "axis", .type = WF_WIND_DIRECTION, .offset = offsetof(wf_wind_ring, axis)},
    {.name = "radius", .offset = offsetof(wf_wind_ring, radius), .minimum = 1e-3, .maximum = 1e4, .required = true},
    {.name = "circulation",
     .offset = offsetof(wf_wind_ring, circulation),
     .minimum = -1e9,
     .maximum = 1e9,
     .required = true},
    {.name = "core", .offset = offsetof(wf_wind_ring, core), .minimum = 1e-4, .maximum = 1e4},
    {.name = NULL}};

const wf_wind_source_class wf_wind_ring_class = {.name = "ring",
                                                 .parameter_size = sizeof(wf_wind_ring),
                                                 .defaults = &defaults,
                                                 .parameters = parameters,
                                                 .velocities = velocities,
                                                 .describe = describe};
