/* outside.c - ways past one collider; see outside.h. */
#include "world/outside.h"

#include <string.h>

#include "contact/mobility.h"

/* rad: a chord of so much of a circle leaves it by less than a thousandth of the radius. */
#define SLICE_ANGLE 0.08

enum { MOST_ADVANCES = 256, MOST_PUSHES = 4 };

/* ---- the collider's motion --------------------------------------------------------------------------------------- */

/* The turn that a round collider seems to start with: the one from which the end is reached without turning about what
 * it is round about. */
static void leave_out_symmetry(const wf_collider *collider, const wf_pose *end, wf_pose *start)
{
    const wf_vec3 up = {0, 1, 0};
    wf_rotation turn = wf_rotation_identity();
    if (collider->class->symmetry == WF_NO_SYMMETRY) {
        return;
    }
    if (collider->class->symmetry == WF_ROUND_ABOUT_Y) {
        turn = wf_rotation_between(wf_rotation_apply(end->turn, up), wf_rotation_apply(start->turn, up));
    }
    start->turn = wf_rotation_multiply(turn, end->turn);
}

wf_sweep wf_sweep_make(const wf_collider *collider, const wf_pose *start, const wf_pose *end)
{
    wf_sweep sweep = {.collider = collider, .slices = 1, .rests = memcmp(start, end, sizeof *start) == 0};
    wf_pose from = *start;
    leave_out_symmetry(collider, end, &from);
    double angle = wf_vec3_norm(wf_pose_turning(&from, end));
    if (angle < 1e-12) { /* its coordinates are then those of the end exactly */
        from.turn = end->turn;
    }
    sweep.slices = (int)fmin(fmax(ceil(angle / SLICE_ANGLE), 1), WF_MOST_SWEEP_SLICES);
    for (int k = 0; k < sweep.slices; k++) {
        sweep.pose[k] = wf_pose_between(&from, end, (double)k / sweep.slices);
    }
    sweep.pose[sweep.slices] = *end;
    return sweep;
}

bool wf_sweep_misses(const wf_sweep *sweep, wf_vec3 x0, wf_vec3 x1, double radius, double distance)
{
    wf_vec3 from = wf_vec3_sub(x0, sweep->pose[0].centre);
    wf_vec3 to = wf_vec3_sub(x1, sweep->pose[sweep->slices].centre);
    /* The relative way is straight; its middle is at most half its length from any of it. */
    double half = 0.5 * wf_vec3_distance(from, to), reach = sweep->collider->reach + radius + distance + half;
    return wf_vec3_norm2(wf_vec3_lerp(from, to, 0.5)) > reach * reach * (1 + 1e-12);
}

bool wf_sweep_misses_face(const wf_sweep *sweep, const int32_t vertex[3], const wf_vec3 *x0, const wf_vec3 *x1,
                          double distance)
{
    wf_vec3 middle[2];
    const wf_vec3 *ends[2] = {x0, x1};
    double radius = 0;
    for (int e = 0; e < 2; e++) {
        wf_vec3 a = ends[e][vertex[0]], b = ends[e][vertex[1]], c = ends[e][vertex[2]];
        middle[e] = wf_vec3_scale(wf_vec3_add(a, wf_vec3_add(b, c)), 1.0 / 3);
        double larger = fmax(fmax(wf_vec3_norm2(wf_vec3_sub(a, middle[e])), wf_vec3_norm2(wf_vec3_sub(b, middle[e]))),
                             wf_vec3_norm2(wf_vec3_sub(c, middle[e])));
        radius = fmax(radius, larger);
    }
    return wf_sweep_misses(sweep, middle[0], middle[1], sqrt(radius), distance);
}

static wf_vec3 path_point(const wf_sweep *sweep, int k, wf_vec3 x0, wf_vec3 x1)
{
    wf_vec3 x = k == 0 ? x0 : (k == sweep->slices ? x1 : wf_vec3_lerp(x0, x1, (double)k / sweep->slices));
    return wf_pose_to_local(&sweep->pose[k], x);
}

static wf_vec3 to_end(const wf_sweep *sweep, wf_vec3 local)
{
    return wf_pose_to_world(&sweep->pose[sweep->slices], local);
}

wf_vec3 wf_sweep_shorten(const wf_sweep *sweep, wf_vec3 x0, wf_vec3 x1, double part)
{
    if (part == 0 && sweep->rests) {
        return x0; /* bit for bit: what does not move hits nothing */
    }
    wf_vec3 from = path_point(sweep, 0, x0, x1), to = path_point(sweep, sweep->slices, x0, x1);
    return to_end(sweep, wf_vec3_lerp(from, to, part));
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

typedef struct vertex_impact {
    wf_vec3 point, normal; /* in the collider's coordinates */
    wf_vec3 before;        /* the last point of the way that was clear */
} vertex_impact;

/* Whether the straight way from a to b comes nearer than `kept`. Convex colliders are behind the plane through the
 * nearest point, so that the way is clear as far as the plane lets it; others are no nearer than the distance says. */
static bool straight_hits(const wf_collider *collider, wf_vec3 a, wf_vec3 b, double kept, vertex_impact *impact)
{
    wf_vec3 way = wf_vec3_sub(b, a);
    double length = wf_vec3_norm(way), time = 0, tolerance = WF_COLLIDER_TOLERANCE * kept;
    impact->before = impact->point = a;
    for (int advance = 0; advance < MOST_ADVANCES; advance++) {
        impact->before = impact->point;
        impact->point = time > 0 ? wf_vec3_lerp(a, b, time) : a;
        double gap = collider->class->distance(collider, impact->point, &impact->normal) - kept;
        if (!(gap > tolerance)) {
            return true;
        }
        if (time >= 1 || length == 0) {
            return false;
        }
        if (collider->class->convex) {
            double fall = -wf_vec3_dot(impact->normal, way);
            if (!(fall * (1 - time) >= gap)) {
                return false;
            }
            time += gap / fall;
        } else {
            time = fmin(time + fmax(gap / collider->class->slope, collider->step) / length, 1);
        }
    }
    return true;
}

static bool path_hits(const wf_sweep *sweep, wf_vec3 x0, wf_vec3 x1, double kept, vertex_impact *impact)
{
    wf_vec3 from = path_point(sweep, 0, x0, x1);
    for (int k = 1; k <= sweep->slices; k++) {
        wf_vec3 to = path_point(sweep, k, x0, x1);
        if (straight_hits(sweep->collider, from, to, kept, impact)) {
            return true;
        }
        from = to;
    }
    return false;
}

/* The way left to a point that is pushed by `push` along the normal: Coulomb's friction takes from its slide. */
static wf_vec3 push_point(wf_vec3 from, wf_vec3 to, wf_vec3 normal, double push, double friction)
{
    wf_vec3 pushed = wf_vec3_muladds(to, normal, push), way = wf_vec3_sub(pushed, from);
    wf_vec3 slide = wf_vec3_muladds(way, normal, -wf_vec3_dot(way, normal));
    double sliding = wf_vec3_norm(slide);
    return sliding > 0 ? wf_vec3_muladds(pushed, slide, -fmin(friction * push / sliding, 1)) : pushed;
}

/* A vertex that is nearer than it should be at the start gets out by `lift`, or away by `part_by`. */
static bool lift_vertex(const wf_sweep *sweep, const wf_vertex_rules *rules, double start, wf_vec3 x0, wf_vec3 *x1)
{
    wf_vec3 end = path_point(sweep, sweep->slices, x0, *x1), normal;
    double distance = sweep->collider->class->distance(sweep->collider, end, &normal);
    double wanted = fmin(rules->keep, start + (start > 0 ? rules->part_by : rules->lift));
    if (!(distance < wanted)) {
        return false;
    }
    *x1 = to_end(sweep, wf_vec3_muladds(end, normal, wanted - distance));
    return true;
}

bool wf_sweep_keep_vertex(const wf_sweep *sweep, const wf_vertex_rules *rules, wf_vec3 x0, wf_vec3 *x1)
{
    vertex_impact impact;
    wf_vec3 from = path_point(sweep, 0, x0, *x1);
    double start = sweep->collider->class->distance(sweep->collider, from, &impact.normal);
    bool moved = start < rules->keep && rules->lift >= 0 && lift_vertex(sweep, rules, start, x0, x1);
    if (!(start > 0)) {
        return moved;
    }
    double kept = fmin(rules->keep, WF_COLLIDER_KEPT_PART * start);
    for (int pushes = 0; path_hits(sweep, x0, *x1, kept, &impact); pushes++) {
        moved = true;
        if (rules->part < 1) {
            *x1 = wf_sweep_shorten(sweep, x0, *x1, rules->part);
            return true;
        }
        if (pushes == MOST_PUSHES) { /* a hollow: it stays before what it hit */
            *x1 = to_end(sweep, sweep->collider->class->convex ? from : impact.before);
            return true;
        }
        wf_vec3 to = path_point(sweep, sweep->slices, x0, *x1);
        /* Clearly beyond the distance at which an impact is called. */
        double push = wf_vec3_dot(impact.normal, wf_vec3_sub(impact.point, to)) + 2 * WF_COLLIDER_TOLERANCE * kept;
        *x1 = to_end(sweep, push_point(from, to, impact.normal, fmax(push, 0), rules->friction));
    }
    return moved;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static bool touches_by_pin(const wf_collider *collider, const wf_vec3 local[3], const bool pinned[3])
{
    bool touches = false;
    for (int c = 0; c < 3 && !touches; c++) {
        wf_vec3 normal;
        touches = pinned[c] && collider->class->distance(collider, local[c], &normal) < WF_TOUCHES_COLLIDER;
    }
    return touches;
}

bool wf_sweep_hits_face(const wf_sweep *sweep, double keep, const bool pinned[3], const wf_vec3 x0[3],
                        const wf_vec3 x1[3], wf_face_gap *gap, bool *pierced)
{
    const wf_collider smaller = wf_convex_smaller(sweep->collider);
    wf_vec3 from[3], to[3];
    for (int c = 0; c < 3; c++) {
        from[c] = path_point(sweep, 0, x0[c], x1[c]);
    }
    *pierced = false;
    for (int k = 1; k <= sweep->slices; k++) {
        double time;
        for (int c = 0; c < 3; c++) {
            to[c] = path_point(sweep, k, x0[c], x1[c]);
        }
        const bool touches = touches_by_pin(sweep->collider, from, pinned);
        bool hits = wf_convex_face_impact(touches ? &smaller : sweep->collider, from, to, keep, &time, gap);
        if (!hits && !touches && !(gap->distance > 0)) { /* held by a pin that is away now */
            hits = wf_convex_face_impact(&smaller, from, to, keep, &time, gap);
        }
        if (hits) {
            return true;
        }
        *pierced = *pierced || !(gap->distance > 0);
        for (int c = 0; c < 3; c++) {
            from[c] = to[c];
        }
    }
    return false;
}

bool wf_sweep_push_face(const wf_sweep *sweep, double keep, double friction, const wf_face_gap *gap,
                        const double mobility[3], const wf_vec3 x0[3], wf_vec3 x1[3])
{
    const wf_collider *collider = sweep->collider;
    if (!(wf_vec3_norm2(gap->normal) > 0)) {
        return false;
    }
    wf_vec3 from[3], to[3], way = {0, 0, 0};
    double level = wf_vec3_dot(gap->normal, collider->class->support(collider, gap->normal)) + collider->rounding;
    const double yielding = wf_pair_mobility(3, gap->weights, mobility);
    double height = -level, first = -level;
    for (int c = 0; c < 3; c++) {
        from[c] = path_point(sweep, 0, x0[c], x1[c]);
        to[c] = path_point(sweep, sweep->slices, x0[c], x1[c]);
        way = wf_vec3_muladds(way, wf_vec3_sub(to[c], from[c]), gap->weights[c]);
        height += gap->weights[c] * wf_vec3_dot(gap->normal, to[c]);
        first += gap->weights[c] * wf_vec3_dot(gap->normal, from[c]);
    }
    double push = fmin(1.2 * keep, fmax(first, 0)) - height;
    if (!(yielding > 0) || !(push > 0)) {
        return false;
    }
    wf_vec3 shift = push_point(wf_vec3_scale(way, -1), wf_vec3_make(0, 0, 0), gap->normal, push, friction);
    for (int c = 0; c < 3; c++) {
        double share = gap->weights[c] * mobility[c] / yielding;
        if (share > 0) {
            x1[c] = to_end(sweep, wf_vec3_muladds(to[c], shift, share));
        }
    }
    return true;
}
