#include "world/testbench.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Where a vertex is put that lies at `flat` in the flat specimen. */
typedef wf_vec3 placement(const void *user, wf_vec2 flat);

static void put(wf_specimen *s, wf_specimen_place place, placement *at, const void *user)
{
    for (int32_t i = 0; i < s->vertex_count; i++) {
        if (s->place[i] == place) {
            s->x[i] = at(user, s->flat[i]);
        }
    }
}

/* The force that holds the end clamp, N. */
static wf_vec3 end_reaction(wf_specimen *s)
{
    wf_specimen_reactions(s);
    wf_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < s->vertex_count; i++) {
        if (s->place[i] == WF_SPECIMEN_END) {
            sum = wf_vec3_sub(sum, s->force[i]);
        }
    }
    return sum;
}

/* ---- extension ------------------------------------------------------------------------------------------------- */

static const double largest_strain = 3;

/* Vertices move in proportion, which is the solution on rollers and a good start between jaws. */
static void stretch_to(wf_specimen *s, double from, double to)
{
    for (int32_t i = 0; i < s->vertex_count; i++) {
        bool clamped = s->place[i] == WF_SPECIMEN_END;
        s->x[i].x = clamped ? s->flat[i].x * (1 + to) : s->x[i].x * (1 + to) / (1 + from);
    }
}

static wf_status load_at(wf_specimen *s, double *strain, double to, double *load)
{
    stretch_to(s, *strain, to);
    *strain = to;
    wf_status status = wf_specimen_solve(s, 1e-7);
    *load = status == WF_OK ? end_reaction(s).x / s->def.width : 0;
    return status;
}

/* By the secant method from `strain` on, where the load is *found; keeps within what is bracketed. The load is
 * reached from what the specimen remembers, in one go. */
static wf_status strain_of_load(wf_specimen *s, double wanted, double *strain, double *found)
{
    double low = 0, high = largest_strain, previous = *strain, previous_load = *found;
    double stiffness = fmax(s->def.fabric->weft, s->def.fabric->warp);
    double next = previous > 0 ? previous * wanted / previous_load : wanted / stiffness;
    for (int round = 0; round < 60; round++) {
        if (!(next > low && next < high)) {
            next = high < largest_strain ? 0.5 * (low + high) : fmin(2 * previous + 1e-4, largest_strain);
        }
        if (next >= largest_strain) {
            break;
        }
        wf_status status = load_at(s, strain, next, found);
        if (status != WF_OK || fabs(*found - wanted) <= 1e-7 * wanted) {
            return status;
        }
        low = *found < wanted ? next : low;
        high = *found < wanted ? high : next;
        double slope = (*found - previous_load) / (next - previous);
        previous = next;
        previous_load = *found;
        next = previous + (wanted - previous_load) / slope;
    }
    return wf_fail(s->context, WF_ERROR_NUMERIC, "the specimen does not carry %g N/m below a strain of %g", wanted,
                   largest_strain);
}

static wf_status make_extension(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps,
                                wf_specimen **specimen)
{
    wf_specimen_def flat = *def;
    flat.bends = flat.goes_on[0] = flat.goes_on[1] = false;
    wf_status status = wf_specimen_create(context, &flat, specimen);
    if (status != WF_OK) {
        return status;
    }
    wf_specimen *s = *specimen;
    if (clamps == WF_CLAMPS_FIXED) {
        wf_specimen_fix(s, WF_SPECIMEN_START);
        wf_specimen_fix(s, WF_SPECIMEN_END);
        return WF_OK;
    }
    for (int32_t i = 0; i < s->vertex_count && status == WF_OK; i++) { /* one corner says where across it is */
        if (s->flat[i].x == 0 && s->flat[i].y == 0) {
            wf_filter_fix(s->filter, i);
        }
    }
    status = wf_specimen_guide(s, WF_SPECIMEN_START, (wf_vec3){1, 0, 0});
    return status == WF_OK ? wf_specimen_guide(s, WF_SPECIMEN_END, (wf_vec3){1, 0, 0}) : status;
}

/* The strain at which a specimen that carries `load` at `strain` goes slack: by false position with halved ends
 * (Illinois; Dowell and Jarratt 1971). 0 where it still pulls there. */
static wf_status strain_of_slack(wf_specimen *s, double load, double *strain, double *slack)
{
    double high = *strain, high_load = load, low = 0, low_load, found;
    wf_status status = load_at(s, strain, 0, &low_load);
    *slack = 0;
    int side = 0;
    for (int round = 0; round < 60 && status == WF_OK && low_load < -1e-7 * load; round++) {
        *slack = (low * high_load - high * low_load) / (high_load - low_load);
        status = load_at(s, strain, *slack, &found);
        if (status != WF_OK || fabs(found) <= 1e-7 * load) {
            break;
        }
        bool pulls = found > 0;
        *(pulls ? &high : &low) = *slack;
        *(pulls ? &high_load : &low_load) = found;
        *(pulls ? &low_load : &high_load) *= side == (pulls ? 1 : -1) ? 0.5 : 1;
        side = pulls ? 1 : -1;
    }
    return status;
}

/* From one strain to another, in `count` steps; the points after the first. Steps are short at first, where friction
 * turns, and in all as t^2. */
static wf_status pull(wf_specimen *s, double *strain, double to, int32_t count, wf_measured_point *curve)
{
    double from = *strain, load;
    wf_status status = WF_OK;
    for (int32_t k = 1; k <= count && status == WF_OK; k++) {
        double t = (double)k / count;
        status = load_at(s, strain, from + (to - from) * t * t, &load);
        wf_specimen_remember(s);
        curve[k] = (wf_measured_point){*strain, load};
    }
    return status;
}

wf_status wf_testbench_extend(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps, double load,
                              int32_t count, wf_measured_point *curve)
{
    wf_specimen *s = NULL;
    double strain = 0, found = 0, most, slack = 0;
    wf_status status = make_extension(context, def, clamps, &s);
    status = status == WF_OK ? strain_of_load(s, load, &strain, &found) : status;
    most = strain;
    status = status == WF_OK ? load_at(s, &strain, 0, &found) : status;
    curve[0] = (wf_measured_point){0, found};
    status = status == WF_OK ? pull(s, &strain, most, count, curve) : status;
    status = status == WF_OK ? strain_of_slack(s, load, &strain, &slack) : status;
    status = status == WF_OK ? load_at(s, &strain, most, &found) : status; /* it remembers nothing of the search */
    status = status == WF_OK ? pull(s, &strain, slack, count, curve + count) : status;
    wf_specimen_destroy(s);
    return status;
}

wf_status wf_testbench_extensions(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps,
                                  int32_t count, const double *loads, double *strains)
{
    wf_specimen *s = NULL;
    double strain = 0, found = 0;
    wf_status status = make_extension(context, def, clamps, &s);
    for (int32_t k = 0; k < count && status == WF_OK; k++) {
        status = strain_of_load(s, loads[k], &strain, &found);
        strains[k] = strain;
    }
    wf_specimen_destroy(s);
    return status;
}

/* ---- shear ----------------------------------------------------------------------------------------------------- */

/* Step k of a cycle 0, 1, 0, -1, 0 in 4 count steps. */
static double cycle(int32_t k, int32_t count)
{
    int32_t turn = k <= count ? k : k <= 3 * count ? 2 * count - k : k - 4 * count;
    return (double)turn / count;
}

typedef struct jaw {
    double x, y; /* m, where the end jaw is, and how far it has moved along itself */
    double length;
} jaw;

static wf_vec3 on_jaw(const void *user, wf_vec2 flat)
{
    const jaw *j = user;
    return (wf_vec3){j->x, flat.y + j->y, 0};
}

/* All vertices follow the jaw in proportion, as a start. */
static void follow_jaw(wf_specimen *s, const jaw *from, const jaw *to)
{
    for (int32_t i = 0; i < s->vertex_count; i++) {
        double share = s->flat[i].x / to->length;
        s->x[i].x += share * (to->x - from->x);
        s->x[i].y += share * (to->y - from->y);
    }
    put(s, WF_SPECIMEN_END, on_jaw, to);
}

/* Moves the jaw along itself to y and, by the secant method within what is bracketed, away until the tension is right:
 * it is not smooth where threads begin to slip. */
static wf_status shear_to(wf_specimen *s, jaw *at, double y, double tension, double *force)
{
    double stiffness = fmax(s->def.fabric->weft, s->def.fabric->warp) / at->length, previous_x = 0, previous = 0;
    double low = 0.2 * at->length, high = (1 + largest_strain) * at->length;
    for (int round = 0; round < 40; round++) {
        jaw next = *at;
        next.y = y;
        follow_jaw(s, at, &next);
        *at = next;
        wf_status status = wf_specimen_solve(s, 1e-7);
        if (status != WF_OK) {
            return status;
        }
        wf_vec3 reaction = end_reaction(s);
        double found = reaction.x / s->def.width;
        *force = reaction.y / s->def.width;
        if (fabs(found - tension) <= 1e-6 * (tension + 1)) {
            return WF_OK;
        }
        if (round > 0 && (found - previous) * (at->x - previous_x) > 0) {
            stiffness = (found - previous) / (at->x - previous_x);
        }
        previous = found;
        previous_x = at->x;
        *(found < tension ? &low : &high) = at->x;
        jaw moved = *at;
        moved.x += (tension - found) / stiffness;
        if (!(moved.x > low && moved.x < high)) {
            moved.x = 0.5 * (low + high);
        }
        follow_jaw(s, at, &moved);
        *at = moved;
    }
    return wf_fail(s->context, WF_ERROR_NUMERIC, "the sheared specimen does not carry a tension of %g N/m", tension);
}

static wf_status shear_between_jaws(wf_specimen *s, double tension, double angle, int32_t count,
                                    wf_measured_point *curve)
{
    wf_specimen_fix(s, WF_SPECIMEN_START);
    wf_specimen_fix(s, WF_SPECIMEN_END);
    jaw at = {.x = s->def.length, .length = s->def.length};
    wf_status status = WF_OK;
    for (int32_t k = 0; k <= 4 * count && status == WF_OK; k++) {
        double a = angle * cycle(k, count), force = 0;
        status = shear_to(s, &at, s->def.length * tan(a), tension, &force);
        wf_specimen_remember(s);
        curve[k] = (wf_measured_point){a, force - tension * tan(a)};
    }
    return status;
}

static wf_vec3 in_frame(const void *user, wf_vec2 flat)
{
    double a = *(const double *)user;
    return (wf_vec3){flat.x * cos(a), flat.y + flat.x * sin(a), 0};
}

static wf_status shear_in_frame(wf_specimen *s, double angle, int32_t count, wf_measured_point *curve)
{
    static const wf_specimen_place held[] = {WF_SPECIMEN_START, WF_SPECIMEN_END, WF_SPECIMEN_SIDE};
    wf_status status = WF_OK;
    for (int k = 0; k < 3; k++) {
        wf_specimen_fix(s, held[k]);
    }
    for (int32_t k = 0; k <= 4 * count && status == WF_OK; k++) {
        double a = angle * cycle(k, count), work = 0;
        for (int32_t i = 0; i < s->vertex_count; i++) {
            s->x[i] = in_frame(&a, s->flat[i]);
        }
        status = wf_specimen_solve(s, 1e-7);
        wf_specimen_reactions(s);
        wf_specimen_remember(s);
        for (int32_t i = 0; i < s->vertex_count; i++) {
            if (s->place[i] != WF_SPECIMEN_FREE) { /* what the frame does per angle */
                work -= s->flat[i].x * (s->force[i].y * cos(a) - s->force[i].x * sin(a));
            }
        }
        curve[k] = (wf_measured_point){a, work / (s->def.length * s->def.width)};
    }
    return status;
}

wf_status wf_testbench_shear(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps,
                             double tension, double angle, int32_t count, wf_measured_point *curve)
{
    wf_specimen_def flat = *def;
    flat.bends = flat.goes_on[0] = flat.goes_on[1] = false;
    wf_specimen *s;
    wf_status status = wf_specimen_create(context, &flat, &s);
    if (status == WF_OK) {
        status = clamps == WF_CLAMPS_FRAME ? shear_in_frame(s, angle, count, curve)
                                           : shear_between_jaws(s, tension, angle, count, curve);
    }
    wf_specimen_destroy(s);
    return status;
}

/* ---- bending --------------------------------------------------------------------------------------------------- */

typedef struct arc {
    double curvature, middle;
} arc;

/* On an arc that is level in the middle of the specimen. */
static wf_vec3 on_arc(const void *user, wf_vec2 flat)
{
    const arc *a = user;
    double s = flat.x - a->middle, turn = a->curvature * s;
    if (fabs(turn) < 1e-6) {
        return (wf_vec3){s, flat.y, 0.5 * turn * s};
    }
    return (wf_vec3){sin(turn) / a->curvature, flat.y, (1 - cos(turn)) / a->curvature};
}

/* The torque on the end clamp about the end of the free part, per width, N m per m. */
static double end_moment(wf_specimen *s, const arc *a)
{
    wf_vec3 cut = on_arc(a, (wf_vec2){s->def.length, 0});
    double torque = 0;
    wf_specimen_reactions(s);
    for (int32_t i = 0; i < s->vertex_count; i++) {
        if (s->place[i] == WF_SPECIMEN_END) {
            wf_vec3 arm = wf_vec3_sub(s->x[i], cut);
            torque -= arm.x * s->force[i].z - arm.z * s->force[i].x;
        }
    }
    return torque / s->def.width;
}

static wf_status keep_cylinder(wf_specimen *s)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < s->vertex_count && status == WF_OK; i++) {
        status = wf_filter_fix_direction(s->context, s->filter, i, (wf_vec3){0, 1, 0});
    }
    return status;
}

/* A specimen that bends, held at both ends. */
static wf_status create_bent(wf_context *context, const wf_specimen_def *def, bool cylinder, wf_specimen **specimen)
{
    wf_specimen_def bent = *def;
    bent.bends = bent.goes_on[0] = bent.goes_on[1] = true;
    wf_status status = wf_specimen_create(context, &bent, specimen);
    if (status == WF_OK && cylinder) {
        status = keep_cylinder(*specimen);
    }
    if (status == WF_OK) {
        wf_specimen_fix(*specimen, WF_SPECIMEN_START);
        wf_specimen_fix(*specimen, WF_SPECIMEN_END);
    }
    return status;
}

wf_status wf_testbench_bend(wf_context *context, const wf_specimen_def *def, bool cylinder, double curvature,
                            int32_t count, wf_measured_point *curve)
{
    wf_specimen *s;
    wf_status status = create_bent(context, def, cylinder, &s);
    double scale = fmax(def->fabric->bend_weft, def->fabric->bend_warp) * curvature * def->width / def->length;
    for (int32_t k = 0; k <= 4 * count && status == WF_OK; k++) {
        arc a = {curvature * cycle(k, count), 0.5 * def->length};
        for (int32_t i = 0; i < s->vertex_count; i++) {
            s->x[i] = on_arc(&a, s->flat[i]);
        }
        status = wf_specimen_solve(s, 1e-6 * scale);
        curve[k] = (wf_measured_point){a.curvature, status == WF_OK ? end_moment(s, &a) : 0};
        wf_specimen_remember(s);
    }
    wf_specimen_destroy(s);
    return status;
}

/* The modulus of a cylinder whose curved direction is the specimen's, N m (fabric.h). */
static double bending_modulus(const wf_specimen_def *def)
{
    double c = cos(def->direction), t = sin(def->direction), b1 = def->fabric->bend_weft, b2 = def->fabric->bend_warp;
    double root = sqrt(b1) * c * c + sqrt(b2) * t * t;
    return root * root;
}

/* ---- cantilever ------------------------------------------------------------------------------------------------ */

enum { ELASTICA_STEPS = 256 };

/* The heavy elastica theta'' = -(length - s) cos(theta) / c^3, level at s = 0 and free at its end: as a start. */
typedef struct elastica {
    double length, c;
    wf_vec2 points[ELASTICA_STEPS + 1];
} elastica;

/* Its end's curvature when it starts with `curvature`, by the midpoint rule; fills the points. */
static double shoot(elastica *e, double curvature)
{
    double h = e->length / ELASTICA_STEPS, theta = 0, cubed = e->c * e->c * e->c;
    e->points[0] = (wf_vec2){0, 0};
    for (int k = 0; k < ELASTICA_STEPS; k++) {
        double middle = theta - 0.5 * h * curvature;
        double half = curvature - 0.5 * h * (e->length - k * h) * cos(theta) / cubed;
        e->points[k + 1] = (wf_vec2){e->points[k].x + h * cos(middle), e->points[k].y + h * sin(middle)};
        theta -= h * half;
        curvature -= h * (e->length - (k + 0.5) * h) * cos(middle) / cubed;
    }
    return curvature;
}

static void solve_elastica(elastica *e, double length, double c)
{
    double low = 0, high = length * length / (c * c * c);
    e->length = length;
    e->c = c;
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (low + high), left = shoot(e, middle);
        low = left < 0 ? middle : low;
        high = left < 0 ? high : middle;
    }
}

/* flat.x counts from half a cell after the edge of the platform. */
static void put_on_elastica(wf_specimen *s, const elastica *e)
{
    for (int32_t i = 0; i < s->vertex_count; i++) {
        double along = fmax(0, fmin(1, (s->flat[i].x + 0.5 * s->cell) / e->length)) * ELASTICA_STEPS;
        int k = (int)fmin(floor(along), ELASTICA_STEPS - 1);
        wf_vec2 a = e->points[k], b = e->points[k + 1];
        double t = along - k;
        if (s->place[i] != WF_SPECIMEN_START) {
            s->x[i] = (wf_vec3){a.x + t * (b.x - a.x) - 0.5 * s->cell, s->flat[i].y, a.y + t * (b.y - a.y)};
        }
    }
}

/* Clamped cloth acts half a cell inside the last row that is held, where the hinges over it begin (model/bending.h): so
 * the rows are half a cell before and behind the platform's edge. */
static wf_status make_cantilever(wf_context *context, const wf_specimen_def *def, bool cylinder, double overhang,
                                 wf_specimen **specimen)
{
    wf_specimen_def bent = *def;
    double cells = fmax(1, floor(overhang / def->edge + 0.5));
    bent.edge = overhang / (cells + 0.5);
    bent.length = overhang - 0.5 * bent.edge;
    bent.bends = bent.goes_on[0] = true;
    bent.goes_on[1] = false;
    wf_status status = wf_specimen_create(context, &bent, specimen);
    if (status == WF_OK) {
        wf_specimen_fix(*specimen, WF_SPECIMEN_START);
        status = cylinder ? keep_cylinder(*specimen) : WF_OK;
    }
    return status;
}

/* How far below the horizontal the tip is, rad. */
static wf_status hanging_angle(wf_specimen *s, double gravity, double *angle)
{
    wf_specimen_set_weight(s, (wf_vec3){0, 0, -gravity});
    wf_status status = wf_specimen_solve(s, 1e-6);
    wf_vec3 tip = wf_specimen_mean(s, WF_SPECIMEN_END);
    *angle = atan2(-tip.z, tip.x + 0.5 * s->cell);
    return status;
}

/* The weight at which the tip is at the angle, by the secant method for log(weight) over log(tan(angle)), nearly a line
 * of slope 1 to 3. */
static wf_status find_weight(wf_specimen *s, double angle, double *gravity)
{
    double last_gravity = 0, last = 0, slope = 1.5, found;
    for (int round = 0; round < 30; round++) {
        wf_status status = hanging_angle(s, *gravity, &found);
        if (status != WF_OK || fabs(found - angle) < 1e-6) {
            return status;
        }
        double now = log(tan(fmin(fmax(found, 1e-6), 0.499 * pi)));
        if (round > 0 && fabs(now - last) > 1e-12) {
            slope = fmin(fmax((log(*gravity) - log(last_gravity)) / (now - last), 0.2), 6);
        }
        last = now;
        last_gravity = *gravity;
        *gravity *= exp(fmin(fmax(slope * (log(tan(angle)) - now), -0.7), 0.7));
    }
    return wf_fail(s->context, WF_ERROR_NUMERIC, "no overhang was found at which the tip is %g rad below the edge",
                   angle);
}

wf_status wf_testbench_cantilever(wf_context *context, const wf_specimen_def *def, bool cylinder, double gravity,
                                  double angle, double *overhang)
{
    double c = cbrt(bending_modulus(def) / (def->fabric->density * gravity)), length = 2 * c, found = gravity;
    if (!(c > 1e-4 && c < 1)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a bending length of %g m cannot be tested with a cantilever", c);
    }
    wf_specimen *s = NULL;
    wf_status status = make_cantilever(context, def, cylinder, length, &s);
    if (status == WF_OK) {
        elastica start;
        solve_elastica(&start, length, c);
        put_on_elastica(s, &start);
        status = find_weight(s, angle, &found);
    }
    /* the shape depends on (length / c)^3 alone, which is in proportion to the weight */
    *overhang = length * cbrt(found / gravity);
    wf_specimen_destroy(s);
    return status;
}

/* ---- heart loop ------------------------------------------------------------------------------------------------ */

typedef struct loop_clamp {
    double lean;   /* rad from the horizontal, upward, of the direction in which both ends leave the clamp */
    double length; /* m, of the strip from clamp to clamp */
    double start;  /* m from the clamp to the first row of vertices; half a cell, as of the cantilever */
} loop_clamp;

static wf_vec3 in_loop_clamp(const void *user, wf_vec2 flat)
{
    const loop_clamp *clamp = user;
    double s = flat.x + clamp->start; /* along the strip; from its nearer end, negative behind the clamp */
    bool end = s > 0.5 * clamp->length;
    s = end ? clamp->length - s : s;
    return (wf_vec3){(end ? 1 : -1) * s * cos(clamp->lean), flat.y, s * sin(clamp->lean)};
}

static wf_vec3 on_ring(const void *user, wf_vec2 flat)
{
    const loop_clamp *clamp = user;
    double radius = clamp->length / (2 * pi), turn = (flat.x + clamp->start) / radius;
    return (wf_vec3){-radius * sin(turn), flat.y, radius * (cos(turn) - 1)};
}

/* From a ring without weight: the ends are turned upward, then the weight grows. */
static wf_status hang_heart(wf_specimen *s, loop_clamp clamp, double gravity)
{
    enum { TURNS = 8, WEIGHTS = 4 };
    const double cell_weight = s->def.fabric->density * gravity * s->cell * s->cell;
    wf_status status = WF_OK;
    for (int32_t i = 0; i < s->vertex_count; i++) {
        s->x[i] = on_ring(&clamp, s->flat[i]);
    }
    for (int step = 0; step <= TURNS + WEIGHTS && status == WF_OK; step++) {
        double weight = fmax(0, (double)(step - TURNS) / WEIGHTS);
        clamp.lean = 0.5 * pi * fmin(1, (double)step / TURNS);
        put(s, WF_SPECIMEN_START, in_loop_clamp, &clamp);
        put(s, WF_SPECIMEN_END, in_loop_clamp, &clamp);
        wf_specimen_set_weight(s, (wf_vec3){0, 0, -gravity * weight});
        status = wf_specimen_solve(s, weight == 1 ? 1e-4 : weight > 0 ? 0.1 : 0.1 * cell_weight);
    }
    return status;
}

wf_status wf_testbench_heart_loop(wf_context *context, const wf_specimen_def *def, bool cylinder, double gravity,
                                  double *height)
{
    double cells = fmax(4, floor(def->length / def->edge + 0.5));
    loop_clamp clamp = {0, def->length, 0.5 * def->length / cells};
    wf_specimen_def free_part = *def;
    free_part.edge = def->length / cells;
    free_part.length = def->length - free_part.edge;
    wf_specimen *s;
    wf_status status = create_bent(context, &free_part, cylinder, &s);
    if (status == WF_OK) {
        status = hang_heart(s, clamp, gravity);
    }
    double lowest = 0;
    for (int32_t i = 0; status == WF_OK && i < s->vertex_count; i++) {
        lowest = fmin(lowest, s->x[i].z);
    }
    *height = -lowest;
    wf_specimen_destroy(s);
    return status;
}

double wf_peirce_bending_length(double length, double height)
{
    double own = 0.1337 * length, theta = 32.85 * pi / 180 * (height - own) / own;
    return theta > 0 && theta < 0.5 * pi ? own * cbrt(cos(theta) / tan(theta)) : NAN;
}
