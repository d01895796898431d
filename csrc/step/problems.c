/* problems.c - see problems.h. Examples 1 to 3 are those of the Eurographics 2004 tutorial "Simulation of Clothes for
 * Real-time Applications", chapter "Numerical simulation", its example 2 with the signs of its solution. */
#include "step/problems.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"

static size_t size_one(const wf_problem_params *params)
{
    (void)params;
    return 1;
}

static size_t size_two(const wf_problem_params *params)
{
    (void)params;
    return 2;
}

static void free_user(wf_context *context, void *user)
{
    wf_free(context, user);
}

/* A copy of what a problem's functions need, as def->user. */
static wf_status keep(wf_context *context, wf_equation_def *def, const void *data, size_t size)
{
    def->user = wf_allocate(context, 1, size);
    if (!def->user) {
        return WF_ERROR_MEMORY;
    }
    memcpy(def->user, data, size);
    def->destroy = free_user;
    return WF_OK;
}

/* ---- y' = lambda y (Dahlquist 1963), in v ----------------------------------------------------------------------- */

/* A complex lambda acts on the pair (Re y, Im y) as a rotation and a scaling. */
typedef struct dahlquist {
    double re, im;
    size_t size;
    double from, start[2];
} dahlquist;

static wf_status dahlquist_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const dahlquist *p = user;
    (void)t, (void)x;
    if (p->size == 1) {
        force[0] = p->re * v[0];
        return WF_OK;
    }
    force[0] = p->re * v[0] - p->im * v[1];
    force[1] = p->im * v[0] + p->re * v[1];
    return WF_OK;
}

static wf_status dahlquist_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    const dahlquist *p = user;
    (void)t, (void)x, (void)v;
    memset(matrix, 0, p->size * p->size * sizeof *matrix);
    return WF_OK;
}

static wf_status dahlquist_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    const dahlquist *p = user;
    (void)t, (void)x, (void)v;
    matrix[0] = -p->re;
    if (p->size == 2) {
        matrix[1] = p->im;
        matrix[2] = -p->im;
        matrix[3] = -p->re;
    }
    return WF_OK;
}

/* v = e^(lambda s) start, and x, its integral, (v - start) / lambda. */
static wf_status dahlquist_exact(void *user, double t, double *x, double *v)
{
    const dahlquist *p = user;
    double s = t - p->from, size = exp(p->re * s), c = size * cos(p->im * s), d = size * sin(p->im * s);
    double y[2] = {c * p->start[0] - d * p->start[1], d * p->start[0] + c * p->start[1]}, sum[2];
    double change[2] = {y[0] - p->start[0], y[1] - p->start[1]}, square = p->re * p->re + p->im * p->im;
    sum[0] = square > 0 ? (change[0] * p->re + change[1] * p->im) / square : p->start[0] * s;
    sum[1] = square > 0 ? (change[1] * p->re - change[0] * p->im) / square : p->start[1] * s;
    memcpy(v, y, p->size * sizeof *v);
    memcpy(x, sum, p->size * sizeof *x);
    return WF_OK;
}

static size_t dahlquist_size(const wf_problem_params *params)
{
    return params->lambda[1] == 0 ? 1 : 2;
}

static void dahlquist_defaults(wf_problem_params *params)
{
    params->lambda[0] = -1;
    params->to = 1;
}

static void example_1_defaults(wf_problem_params *params)
{
    params->lambda[0] = 2;
    params->to = 1;
}

static wf_status dahlquist_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                                  double *start)
{
    dahlquist p = {params->lambda[0], params->lambda[1], def->size, params->from, {1, 0}};
    for (size_t i = 0; i < p.size && params->v; i++) {
        p.start[i] = params->v[i];
    }
    start[p.size] = 1;
    def->first_order = true;
    def->forces = dahlquist_forces;
    def->stiffness = dahlquist_stiffness;
    def->damping = dahlquist_damping;
    def->exact = params->x ? NULL : dahlquist_exact; /* the integral starts from 0 */
    def->linear_in_velocity = true;
    def->force_flops = p.size == 1 ? 1 : 6;
    def->matrix_flops = p.size == 1 ? 1 : 4;
    return keep(context, def, &p, sizeof p);
}

/* ---- x'' = -frequency^2 (x - centre) - damping x' ---------------------------------------------------------------- */

typedef struct oscillator {
    double stiffness, damping, centre, from, x, v;
} oscillator;

static wf_status oscillator_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const oscillator *p = user;
    (void)t;
    force[0] = p->stiffness * (p->centre - x[0]) - p->damping * v[0];
    return WF_OK;
}

static wf_status oscillator_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)t, (void)x, (void)v;
    matrix[0] = ((const oscillator *)user)->stiffness;
    return WF_OK;
}

static wf_status oscillator_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)t, (void)x, (void)v;
    matrix[0] = ((const oscillator *)user)->damping;
    return WF_OK;
}

static wf_status oscillator_energy(void *user, double t, const double *x, double *energy)
{
    const oscillator *p = user;
    (void)t;
    *energy = 0.5 * p->stiffness * (x[0] - p->centre) * (x[0] - p->centre);
    return WF_OK;
}

/* With y = x - centre and r = damping/2: y = e^(-r s) (y0 C + (v0 + r y0) S), where C and S are cosine and sine over
 * their frequency, or their hyperbolic twins, or 1 and s, as r^2 is below, above or at the stiffness. */
static wf_status oscillator_exact(void *user, double t, double *x, double *v)
{
    const oscillator *p = user;
    double s = t - p->from, r = 0.5 * p->damping, y = p->x - p->centre, squared = p->stiffness - r * r;
    double w = sqrt(fabs(squared)), c, sine;
    double decay = exp(-r * s);
    if (squared > 0) {
        c = cos(w * s) * decay;
        sine = sin(w * s) / w * decay;
    } else if (squared < 0) { /* the decay within the exponentials, so that none overflows */
        c = 0.5 * (exp((w - r) * s) + exp((-w - r) * s));
        sine = 0.5 * (exp((w - r) * s) - exp((-w - r) * s)) / w;
    } else {
        c = decay;
        sine = s * decay;
    }
    double slope = p->v + r * y;
    x[0] = p->centre + y * c + slope * sine;
    v[0] = -r * (y * c + slope * sine) + slope * c - squared * y * sine;
    return WF_OK;
}

static void oscillator_defaults(wf_problem_params *params)
{
    params->frequency = 1;
    params->to = 10;
}

static void example_2_defaults(wf_problem_params *params)
{
    params->lambda[0] = 5;
    params->to = 10;
}

static void example_3_defaults(wf_problem_params *params)
{
    params->to = 2;
}

static wf_status define_oscillator(wf_context *context, const wf_problem_params *params, oscillator p,
                                   wf_equation_def *def, double *start)
{
    p.from = params->from;
    start[0] = p.x;
    start[1] = p.v;
    p.x = params->x ? params->x[0] : p.x;
    p.v = params->v ? params->v[0] : p.v;
    def->dimension = 1;
    def->forces = oscillator_forces;
    def->stiffness = oscillator_stiffness;
    def->damping = oscillator_damping;
    def->energy = oscillator_energy;
    def->exact = oscillator_exact;
    def->linear_in_velocity = true;
    def->force_flops = 4;
    def->matrix_flops = 2;
    return keep(context, def, &p, sizeof p);
}

static wf_status oscillator_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                                   double *start)
{
    oscillator p = {.stiffness = params->frequency * params->frequency,
                    .damping = params->damping,
                    .centre = params->centre,
                    .x = params->centre + 1};
    return define_oscillator(context, params, p, def, start);
}

static wf_status example_2_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                                  double *start)
{
    if (params->lambda[0] < 0 || params->lambda[1] != 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "lambda must be real and not negative in example 2, got {%g, %g}",
                       params->lambda[0], params->lambda[1]);
    }
    oscillator p = {.stiffness = 0.5 * params->lambda[0], .damping = params->lambda[0], .v = 1};
    return define_oscillator(context, params, p, def, start);
}

/* m z'' = k (l0 - z) - d z' + m g with m = 0.1, k = 100, l0 = -1, d = 1, g = -10. */
static wf_status example_3_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                                  double *start)
{
    oscillator p = {.stiffness = 1000, .damping = 10, .centre = -1.01, .x = -1, .v = -5};
    return define_oscillator(context, params, p, def, start);
}

/* ---- pendulum: x'' = -(gravity / length) sin x ------------------------------------------------------------------- */

typedef struct pendulum {
    double rate, from, x; /* rate: gravity / length */
} pendulum;

static wf_status pendulum_forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t, (void)v;
    force[0] = -((const pendulum *)user)->rate * sin(x[0]);
    return WF_OK;
}

static wf_status pendulum_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)t, (void)v;
    matrix[0] = ((const pendulum *)user)->rate * cos(x[0]);
    return WF_OK;
}

static wf_status pendulum_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)user, (void)t, (void)x, (void)v;
    matrix[0] = 0;
    return WF_OK;
}

static wf_status pendulum_energy(void *user, double t, const double *x, double *energy)
{
    (void)t;
    *energy = ((const pendulum *)user)->rate * (1 - cos(x[0]));
    return WF_OK;
}

/* Jacobi's elliptic functions of modulus k in [0, 1) by the arithmetic-geometric mean (Abramowitz and Stegun 1964,
 * 16.4). */
static void jacobi_functions(double u, double k, double *sn, double *cn, double *dn)
{
    enum { LEVELS = 12 };
    double a[LEVELS] = {1}, c[LEVELS] = {k}, b = sqrt((1 - k) * (1 + k));
    int n = 0;
    while (n + 1 < LEVELS && fabs(c[n]) > DBL_EPSILON * a[n]) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phase = ldexp(a[n] * u, n);
    for (; n > 0; n--) {
        phase = 0.5 * (phase + asin(c[n] / a[n] * sin(phase)));
    }
    *sn = sin(phase);
    *cn = cos(phase);
    *dn = sqrt(1 - k * k * *sn * *sn);
}

/* Let go at rest at angle x: sin(angle / 2) = k cd(sqrt(rate) s), k = sin(x / 2). */
static wf_status pendulum_exact(void *user, double t, double *x, double *v)
{
    const pendulum *p = user;
    double k = sin(0.5 * p->x), w = sqrt(p->rate), sn, cn, dn;
    jacobi_functions(w * (t - p->from), fabs(k), &sn, &cn, &dn);
    double half = k * cn / dn;
    x[0] = 2 * asin(half);
    v[0] = -2 * k * w * (1 - k * k) * sn / (dn * dn) / sqrt(1 - half * half);
    return WF_OK;
}

static void pendulum_defaults(wf_problem_params *params)
{
    params->gravity = 9.81;
    params->length = 1;
    params->to = 5;
}

static wf_status pendulum_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                                 double *start)
{
    start[0] = 2;
    pendulum p = {params->gravity / params->length, params->from, params->x ? params->x[0] : start[0]};
    bool let_go = fabs(p.x) < 3.14159 && (!params->v || params->v[0] == 0);
    def->forces = pendulum_forces;
    def->stiffness = pendulum_stiffness;
    def->damping = pendulum_damping;
    def->energy = pendulum_energy;
    def->exact = let_go ? pendulum_exact : NULL;
    def->linear_in_velocity = true;
    def->force_flops = 20; /* a sine counted as 18 */
    def->matrix_flops = 20;
    return keep(context, def, &p, sizeof p);
}

/* ---- Kepler: x'' = -x / |x|^3 in the plane ---------------------------------------------------------------------- */

typedef struct kepler {
    double eccentricity, from;
} kepler;

static wf_status kepler_forces(void *user, double t, const double *x, const double *v, double *force)
{
    double r2 = x[0] * x[0] + x[1] * x[1], scale = -1 / (r2 * sqrt(r2));
    (void)user, (void)t, (void)v;
    force[0] = scale * x[0];
    force[1] = scale * x[1];
    return WF_OK;
}

static wf_status kepler_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    double r2 = x[0] * x[0] + x[1] * x[1], scale = 1 / (r2 * sqrt(r2));
    (void)user, (void)t, (void)v;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            matrix[2 * i + j] = scale * ((i == j) - 3 * x[i] * x[j] / r2);
        }
    }
    return WF_OK;
}

static wf_status kepler_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)user, (void)t, (void)x, (void)v;
    memset(matrix, 0, 4 * sizeof *matrix);
    return WF_OK;
}

static wf_status kepler_energy(void *user, double t, const double *x, double *energy)
{
    (void)user, (void)t;
    *energy = -1 / sqrt(x[0] * x[0] + x[1] * x[1]);
    return WF_OK;
}

/* From the pericentre, with unit semi-major axis: s = E - e sin E (Kepler's equation, by Newton's method). */
static wf_status kepler_exact(void *user, double t, double *x, double *v)
{
    const kepler *p = user;
    double e = p->eccentricity, mean = remainder(t - p->from, 2 * 3.14159265358979323846);
    double anomaly = mean + (mean < 0 ? -e : e); /* beyond the root, where the iteration is monotone */
    for (int i = 0; i < 60; i++) {
        double change = (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
        anomaly -= change;
        if (fabs(change) < 1e-16) {
            break;
        }
    }
    double minor = sqrt((1 - e) * (1 + e)), rate = 1 / (1 - e * cos(anomaly));
    x[0] = cos(anomaly) - e;
    x[1] = minor * sin(anomaly);
    v[0] = -sin(anomaly) * rate;
    v[1] = minor * cos(anomaly) * rate;
    return WF_OK;
}

static void kepler_defaults(wf_problem_params *params)
{
    params->eccentricity = 0.5;
    params->to = 2 * 3.14159265358979323846;
}

static wf_status kepler_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                               double *start)
{
    kepler p = {params->eccentricity, params->from};
    start[0] = 1 - p.eccentricity;
    start[3] = sqrt((1 + p.eccentricity) / (1 - p.eccentricity));
    def->dimension = 2;
    def->forces = kepler_forces;
    def->stiffness = kepler_stiffness;
    def->damping = kepler_damping;
    def->energy = kepler_energy;
    def->exact = params->x || params->v ? NULL : kepler_exact;
    def->linear_in_velocity = true;
    def->force_flops = 9;
    def->matrix_flops = 26;
    return keep(context, def, &p, sizeof p);
}

/* ---- a chain of springs in the plane ---------------------------------------------------------------------------- */

/* Points 0 to count - 1, joined by springs of rest length `length`; anchored, one more spring joins point 0 to the
 * origin. The springs are linear in their length, so the chain is nonlinear in its coordinates. */
typedef struct chain {
    size_t count;
    bool anchored;
    double stiffness, damping, length, weight; /* weight: mass times gravity */
} chain;

/* Spring `s` pulls point s towards point s - 1 (or the origin). */
typedef struct link {
    size_t low, high; /* first components of the ends; low is meaningless where the origin is one */
    bool to_origin;
    double n[2], w[2]; /* unit vector from low to high, relative velocity */
    double length, speed; /* and how fast it grows */
} link;

static size_t first_link(const chain *p)
{
    return p->anchored ? 0 : 1;
}

static link measure_link(size_t s, const double *x, const double *v)
{
    link l = {.high = 2 * s, .low = s == 0 ? 0 : 2 * (s - 1), .to_origin = s == 0};
    for (int c = 0; c < 2; c++) {
        l.n[c] = x[l.high + (size_t)c] - (l.to_origin ? 0 : x[l.low + (size_t)c]);
        l.w[c] = v[l.high + (size_t)c] - (l.to_origin ? 0 : v[l.low + (size_t)c]);
    }
    l.length = hypot(l.n[0], l.n[1]);
    for (int c = 0; c < 2; c++) {
        l.n[c] = l.length > 0 ? l.n[c] / l.length : 0;
    }
    l.speed = l.n[0] * l.w[0] + l.n[1] * l.w[1];
    return l;
}

static wf_status chain_springs(void *user, double t, const double *x, const double *v, double *force)
{
    const chain *p = user;
    (void)t;
    memset(force, 0, 2 * p->count * sizeof *force);
    for (size_t s = first_link(p); s < p->count; s++) {
        link l = measure_link(s, x, v);
        double tension = p->stiffness * (l.length - p->length) + p->damping * l.speed;
        for (size_t c = 0; c < 2; c++) {
            force[l.high + c] -= tension * l.n[c];
            if (!l.to_origin) {
                force[l.low + c] += tension * l.n[c];
            }
        }
    }
    return WF_OK;
}

static wf_status chain_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const chain *p = user;
    wf_status status = chain_springs(user, t, x, v, force);
    for (size_t i = 0; i < p->count; i++) {
        force[2 * i + 1] -= p->weight;
    }
    return status;
}

/* Adds a spring's 2 x 2 block at its ends. */
static void scatter(const link *l, size_t size, const double block[2][2], double *matrix)
{
    for (size_t r = 0; r < 2; r++) {
        for (size_t c = 0; c < 2; c++) {
            matrix[(l->high + r) * size + l->high + c] += block[r][c];
            if (!l->to_origin) {
                matrix[(l->low + r) * size + l->low + c] += block[r][c];
                matrix[(l->high + r) * size + l->low + c] -= block[r][c];
                matrix[(l->low + r) * size + l->high + c] -= block[r][c];
            }
        }
    }
}

/* With the tension T(l, l') along n: d(T n) = (dT/dl n + dT/dl' dl'/dx) n + T dn, where dn = (1 - n n) / l and
 * dl'/dx = w (1 - n n) / l. */
static void stiffness_block(const chain *p, const link *l, double block[2][2])
{
    double tension = p->stiffness * (l->length - p->length) + p->damping * l->speed;
    double inverse = l->length > 0 ? 1 / l->length : 0;
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            double across = ((r == c) - l->n[r] * l->n[c]) * inverse;
            double turning = (l->w[c] - l->speed * l->n[c]) * inverse;
            block[r][c] = p->stiffness * l->n[r] * l->n[c] + p->damping * l->n[r] * turning + tension * across;
        }
    }
}

static void damping_block(const chain *p, const link *l, double block[2][2])
{
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            block[r][c] = p->damping * l->n[r] * l->n[c];
        }
    }
}

static void add_links(const chain *p, const double *x, const double *v,
                      void (*block_of)(const chain *p, const link *l, double block[2][2]), double *matrix)
{
    size_t size = 2 * p->count;
    memset(matrix, 0, size * size * sizeof *matrix);
    for (size_t s = first_link(p); s < p->count; s++) {
        link l = measure_link(s, x, v);
        double block[2][2];
        block_of(p, &l, block);
        scatter(&l, size, (const double(*)[2])block, matrix);
    }
}

static wf_status chain_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)t;
    add_links(user, x, v, stiffness_block, matrix);
    return WF_OK;
}

static wf_status chain_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    (void)t;
    add_links(user, x, v, damping_block, matrix);
    return WF_OK;
}

static wf_status chain_energy(void *user, double t, const double *x, double *energy)
{
    const chain *p = user;
    (void)t;
    *energy = 0;
    for (size_t s = first_link(p); s < p->count; s++) {
        link l = measure_link(s, x, x); /* velocities do not matter here */
        *energy += 0.5 * p->stiffness * (l.length - p->length) * (l.length - p->length);
    }
    for (size_t i = 0; i < p->count; i++) {
        *energy += p->weight * x[2 * i + 1];
    }
    return WF_OK;
}

static void chain_defaults(wf_problem_params *params)
{
    params->count = 5;
    params->anchored = true;
    params->stiffness = 1000;
    params->mass = 0.1;
    params->length = 0.2;
    params->gravity = 9.81;
    params->to = 1;
}

static size_t chain_size(const wf_problem_params *params)
{
    return 2 * (size_t)params->count;
}

/* It starts as a level, straight line at rest. */
static wf_status chain_define(wf_context *context, const wf_problem_params *params, wf_equation_def *def,
                              double *start)
{
    chain p = {(size_t)params->count, params->anchored, params->stiffness, params->damping, params->length,
               params->mass * params->gravity};
    double *mass = start + 2 * def->size, n = (double)p.count;
    for (size_t i = 0; i < p.count; i++) {
        start[2 * i] = params->length * (double)(i + 1);
    }
    for (size_t i = 0; i < def->size; i++) {
        mass[i] = params->mass;
    }
    def->mass = mass;
    def->dimension = 2;
    def->forces = chain_forces;
    def->stiff_forces = chain_springs;
    def->stiffness = chain_stiffness;
    def->damping = chain_damping;
    def->energy = chain_energy;
    def->stiff_stiffness = chain_stiffness;
    def->stiff_damping = chain_damping;
    def->linear_in_velocity = true;
    def->force_flops = 29 * n;
    def->matrix_flops = 140 * n;
    return keep(context, def, &p, sizeof p);
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static const char *const dahlquist_names[] = {"lambda", NULL};
static const char *const oscillator_names[] = {"frequency", "damping", "centre", NULL};
static const char *const no_names[] = {NULL};
static const char *const pendulum_names[] = {"gravity", "length", NULL};
static const char *const kepler_names[] = {"eccentricity", NULL};
static const char *const chain_names[] = {"count",   "anchored", "stiffness", "damping",
                                          "length",  "mass",     "gravity",   NULL};

static const wf_problem problems[] = {
    {"dahlquist", "y' = lambda y, lambda = -1", dahlquist_names, dahlquist_defaults, dahlquist_size,
     dahlquist_define},
    {"oscillator", "x'' = -frequency^2 (x - centre) - damping x'", oscillator_names, oscillator_defaults, size_one,
     oscillator_define},
    {"example 1", "y' = 2 y", dahlquist_names, example_1_defaults, dahlquist_size, dahlquist_define},
    {"example 2", "y'' = -2.5 y - 5 y', overdamped", dahlquist_names, example_2_defaults, size_one, example_2_define},
    {"example 3", "a mass on a stiff, damped spring", no_names, example_3_defaults, size_one, example_3_define},
    {"pendulum", "x'' = -(gravity / length) sin x", pendulum_names, pendulum_defaults, size_one, pendulum_define},
    {"kepler", "an orbit, x'' = -x / |x|^3", kepler_names, kepler_defaults, size_two, kepler_define},
    {"spring chain", "point masses on stiff springs in the plane, nonlinear", chain_names, chain_defaults, chain_size,
     chain_define},
};

const wf_problem *wf_problems(size_t *count)
{
    *count = sizeof problems / sizeof *problems;
    return problems;
}

const wf_problem *wf_find_problem(const char *name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (strcmp(problems[i].name, name) == 0) {
            return &problems[i];
        }
    }
    return NULL;
}

wf_problem_params wf_default_problem_params(const wf_problem *problem)
{
    wf_problem_params params = {.length = 1, .mass = 1, .count = 1};
    problem->set_defaults(&params);
    return params;
}

static wf_status check_params(wf_context *context, const wf_problem_params *params)
{
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {{"lambda", params->lambda[0], -1e12, 1e12},
                  {"lambda", params->lambda[1], -1e12, 1e12},
                  {"frequency", params->frequency, 0, 1e12},
                  {"damping", params->damping, 0, 1e12},
                  {"centre", params->centre, -1e12, 1e12},
                  {"gravity", params->gravity, 0, 1e6},
                  {"length", params->length, 1e-9, 1e9},
                  {"stiffness", params->stiffness, 0, 1e12},
                  {"mass", params->mass, 1e-12, 1e12},
                  {"eccentricity", params->eccentricity, 0, 0.999},
                  {"count", params->count, 1, WF_EQUATION_SIZE_LIMIT / 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!(ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a number from %g to %g, got %g", ranges[i].name,
                           ranges[i].least, ranges[i].most, ranges[i].value);
        }
    }
    return WF_OK;
}

wf_status wf_problem_create(wf_context *context, const wf_problem *problem, const wf_problem_params *params,
                            wf_equation **equation)
{
    *equation = NULL;
    wf_status status = check_params(context, params);
    if (status != WF_OK) {
        return status;
    }
    wf_equation_def def = wf_default_equation_def();
    def.name = problem->name;
    def.size = problem->size(params);
    def.from = params->from;
    def.to = params->to;
    double *start = wf_allocate(context, 3 * def.size, sizeof *start); /* x, v and room for masses */
    if (!start) {
        return WF_ERROR_MEMORY;
    }
    status = problem->define(context, params, &def, start);
    if (status == WF_OK) {
        def.x = params->x ? params->x : start;
        def.v = params->v ? params->v : start + def.size;
        status = wf_equation_create(context, &def, equation);
    }
    wf_free(context, start);
    return status;
}
