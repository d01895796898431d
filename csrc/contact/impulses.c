/* impulses.c - pairs that would hit are pushed apart: one by one, then in zones; see response.h. */
#include <string.h>

#include "contact/distance.h"
#include "contact/free_motion.h"
#include "contact/friction.h"
#include "contact/impact_zones.h"
#include "contact/mobility.h"
#include "contact/resolver.h"

/* What hits rigid bodies is found pair by pair, down a heap of them and back. */
enum { MOST_RIGID_ROUNDS = 60 };
/* Rounds of zones in a row after which as many pairs hit as before. */
enum { MOST_IN_VAIN = 3 };

/* Of what a pair should keep: by so much a pair with a rigid body that begins nearer is let part by an impulse, some
 * micrometres in a second. Motions that keep gaps of a nanometre as they are cannot be found to that precision. */
#define PARTING_SHARE 1e-3
/* In a crack, where pairs on both sides are to part, there is no room for that, and rounds of impulses would push one
 * of them into the other. So where a gap is more than what touches it grows by no more than this part of it: what is
 * then left of the one on the other side is still more than what detection calls a hit, 0.9 of it. */
#define PARTING_IN_CRACKS 0.03

static wf_friction pair_friction(const wf_contact_scene *scene, int kind, const int32_t vertex[4])
{
    int first = wf_is_edge_edge(kind) ? 2 : 1;
    double mean[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        mean[k >= first] += scene->friction[vertex[k]] / (k >= first ? 4 - first : first);
    }
    return wf_pair_friction(scene, wf_is_edge_edge(kind), vertex, sqrt(mean[0] * mean[1]));
}

static double distance_of(int kind, const wf_vec3 x[4])
{
    double s, t, weights[3];
    return wf_is_edge_edge(kind) ? wf_edge_edge_distance(x, &s, &t) : wf_vertex_face_distance(x, weights);
}

/* What a pair that hits must keep at the end of the step: clearly more than what detection calls a hit. */
static double distance_to_keep(const wf_resolver *r, int kind, const wf_candidate *c, const wf_vec3 x0[4])
{
    double wanted = fmax(wf_pair_thickness(r->scene, kind, c->first, c->second),
                         1.2 * wf_resolver_separation(r, kind, c));
    return fmin(distance_of(kind, x0), wanted);
}

/* m: of a pair with a rigid body that begins as far apart and is to part, at the end of the step. */
static double distance_to_part_to(double distance, double wanted)
{
    const double most = distance > WF_TOUCHING ? PARTING_IN_CRACKS * distance : INFINITY;
    return distance + fmin(PARTING_SHARE * wanted, most);
}

static wf_impact_scene impact_scene(const wf_resolver *r)
{
    const wf_contact_scene *scene = r->scene;
    return (wf_impact_scene){scene->context, &r->rigids, r->inverse_mass, scene->half_thickness, r->x0, r->x1,
                             scene->level};
}

/* Of a pair with a rigid body, which is pushed apart with the others of this round. */
static bool note_rigid_impact(wf_resolver *r, int kind, const wf_candidate *c, const int32_t vertex[4],
                              const double weight[4], wf_vec3 normal, const wf_vec3 x0[4])
{
    wf_contact_scene *scene = r->scene;
    double wanted = WF_RIGID_REST * wf_pair_thickness(scene, kind, c->first, c->second);
    wf_rigid_impact pair = {.normal = normal, .friction = pair_friction(scene, kind, vertex)};
    wanted = fmax(wanted, 1.2 * wf_resolver_separation(r, kind, c));
    pair.rest = fmin(distance_to_part_to(distance_of(kind, x0), wanted), wanted);
    for (int k = 0; k < 4; k++) {
        scene->changed.vertex[vertex[k]] = 1;
        pair.vertex[k] = vertex[k];
        pair.weight[k] = weight[k];
    }
    size_t before = r->impacts.noted;
    const wf_impact_scene impacts = impact_scene(r);
    wf_status status = wf_rigid_impacts_add(&impacts, &pair, &r->impacts);
    r->status = status != WF_OK ? status : r->status;
    return r->impacts.noted > before;
}

/* Counts the work of what an impulse on a pair cannot move. A slice takes its part of the time of the motion. */
static void note_work(const wf_resolver *r, wf_vec3 impulse, const int32_t vertex[4], const double weight[4],
                      const wf_vec3 x0[4], const wf_vec3 x1[4])
{
    wf_contact_stats *stats = &r->scene->stats;
    for (int k = 0; k < 4; k++) {
        if (r->inverse_mass[vertex[k]] == 0 && !wf_contact_rigid_of(&r->rigids, vertex[k])) {
            double way = weight[k] * wf_vec3_dot(impulse, wf_vec3_sub(x1[k], x0[k]));
            *(vertex[k] < r->scene->cloth_count ? &stats->pin_work : &stats->body_work) -= r->slices * r->slices * way;
        }
    }
}

/* The friction that the normal impulse `push` of a pair allows, and the displacements that it makes; impulses are times
 * the step. */
static wf_vec3 rub(const wf_resolver *r, wf_friction friction, double time, double push, const int32_t vertex[4],
                   const double weight[4], wf_vec3 normal, const wf_vec3 x0[4], const wf_vec3 x1[4], wf_vec3 shift[4])
{
    double inverse_mass[4];
    wf_vec3 x[4], way[4];
    for (int k = 0; k < 4; k++) {
        inverse_mass[k] = r->inverse_mass[vertex[k]];
        x[k] = wf_vec3_lerp(x0[k], x1[k], time);
        way[k] = wf_vec3_sub(x1[k], x0[k]);
        shift[k] = wf_vec3_make(0, 0, 0);
    }
    const wf_rubbing pair = wf_rubbing_of(x, weight, inverse_mass);
    wf_vec3 slide = wf_rubbing_slide(&pair, way);
    slide = wf_vec3_muladds(slide, normal, -wf_vec3_dot(slide, normal));
    double sliding = wf_vec3_norm(slide);
    if (!(sliding > 0)) {
        return wf_vec3_make(0, 0, 0);
    }
    wf_vec3 direction = wf_vec3_scale(slide, 1 / sliding);
    double drag = sliding / wf_rubbing_mobility(&pair, direction); /* what stops it */
    drag = drag <= friction.hold * push ? drag : friction.dynamic * push;
    wf_vec3 impulse = wf_vec3_scale(direction, -drag);
    wf_rubbing_shifts(&pair, impulse, shift);
    return impulse;
}

static bool has_rigid(const wf_resolver *r, const int32_t vertex[4])
{
    return wf_contact_rigid_of(&r->rigids, vertex[0]) || wf_contact_rigid_of(&r->rigids, vertex[3]);
}

/* Notes a pair with a rigid body that hits, as apply_impulse() does. Other pairs that hit stay marked. */
static bool hit_rigid(wf_resolver *r, int kind, const wf_candidate *c)
{
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4], normal;
    double time, weight[4];
    if (!wf_resolver_pair_hits(r, kind, c, 0, vertex, x0, x1, &time)) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        r->scene->changed.vertex[vertex[k]] = 1;
    }
    wf_pair_closest_at(kind, x0, x1, time, weight, &normal);
    return has_rigid(r, vertex) && note_rigid_impact(r, kind, c, vertex, weight, normal, x0);
}

/* Pushes one pair apart at the end of the step if it hits. Returns whether it did. A pair that cannot be pushed is
 * looked at again like those whose vertices moved: it must not be forgotten. */
static bool apply_impulse(wf_resolver *r, int kind, const wf_candidate *c)
{
    const wf_contact_scene *scene = r->scene;
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4], normal;
    double time, weight[4];
    if (!wf_resolver_pair_hits(r, kind, c, 0, vertex, x0, x1, &time)) {
        return false;
    }
    wf_pair_closest_at(kind, x0, x1, time, weight, &normal);
    if (has_rigid(r, vertex)) {
        return note_rigid_impact(r, kind, c, vertex, weight, normal, x0);
    }
    double inverse_mass[4], gap = 0;
    for (int k = 0; k < 4; k++) {
        scene->changed.vertex[vertex[k]] = 1;
        inverse_mass[k] = r->inverse_mass[vertex[k]];
        gap += weight[k] * wf_vec3_dot(wf_vec3_sub(x1[k], x1[0]), normal);
    }
    const double rest = distance_to_keep(r, kind, c, x0), mobility = wf_pair_mobility(4, weight, inverse_mass);
    if (!(mobility > 0) || !(gap < rest)) {
        return false;
    }
    double push = (rest - gap) / mobility; /* an impulse times the time step: kg m */
    wf_vec3 shift[4];
    wf_vec3 rubbed = rub(r, pair_friction(scene, kind, vertex), time, push, vertex, weight, normal, x0, x1, shift);
    note_work(r, wf_vec3_muladds(rubbed, normal, push), vertex, weight, x0, x1);
    for (int k = 0; k < 4; k++) {
        double share = weight[k] * r->inverse_mass[vertex[k]];
        if (r->inverse_mass[vertex[k]] > 0) {
            shift[k] = wf_vec3_muladds(shift[k], normal, share * push);
            r->x1[vertex[k]] = wf_vec3_add(r->x1[vertex[k]], shift[k]);
        }
    }
    return true;
}

/* The list follows what was pushed out of its reach, once; then pushed vertices stay inside. */
static wf_status follow_pushed(wf_resolver *r, int32_t rebuilds, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    double start = wf_clock_seconds();
    if (scene->stats.rebuilds > rebuilds) {
        wf_contact_confine(scene, r->x1);
    }
    scene->cover.by_balls = true;
    wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
    scene->stats.broad_seconds += wf_clock_seconds() - start;
    return status;
}

/* What impulses cannot part is left to the stages after them, but where it was to go without them. */
static wf_status take_back(wf_resolver *r, int32_t rebuilds, bool *clean, bool *too_many)
{
    const wf_impact_scene impacts_on = impact_scene(r);
    wf_rigid_impacts_take_back(&impacts_on, &r->impacts);
    wf_resolver_place_moved(r);
    wf_status status = follow_pushed(r, rebuilds, too_many);
    int64_t hit_count = 0;
    if (status == WF_OK && !*too_many) {
        status = wf_resolver_detect(r, false, &hit_count); /* others that are marked have not been pushed */
    }
    *clean = hit_count == 0;
    return status;
}

/* m: of a vertex in the slice. */
static double longest_way(const wf_resolver *r)
{
    double longest2 = 0;
    for (int32_t i = 0; i < r->scene->vertex_count; i++) {
        longest2 = fmax(longest2, wf_vec3_norm2(wf_vec3_sub(r->x1[i], r->x0[i])));
    }
    return sqrt(longest2);
}

wf_status wf_resolver_push(wf_resolver *r, int rounds, bool *clean, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    int32_t rebuilds = scene->stats.rebuilds;
    wf_rigid_impacts_begin(&r->impacts, r->rigids.count > 0 ? longest_way(r) : 0);
    memset(scene->level, 0, (size_t)scene->vertex_count);
    for (int round = 0;; round++) {
        int64_t hit_count;
        wf_status status = wf_resolver_detect(r, round > 0, &hit_count);
        if (status != WF_OK) {
            return status;
        }
        scene->stats.hits += round == 0 ? (int32_t)hit_count : 0;
        *clean = hit_count == 0;
        bool for_rigids = round >= rounds;
        if (*clean || (for_rigids && (round >= MOST_RIGID_ROUNDS || r->rigids.count == 0))) {
            return WF_OK;
        }
        if (for_rigids && wf_rigid_impacts_are_in_vain(&r->impacts)) {
            return take_back(r, rebuilds, clean, too_many);
        }
        double start = wf_clock_seconds();
        int64_t impulses = wf_resolver_for_each_marked(r, for_rigids ? hit_rigid : apply_impulse);
        if (for_rigids && impulses == 0) {
            return r->status; /* the marks are those of the last detection */
        }
        const wf_impact_scene impacts_on = impact_scene(r);
        status = r->status != WF_OK ? r->status : wf_rigid_impacts_solve(&impacts_on, &r->impacts);
        if (status != WF_OK) {
            return status;
        }
        wf_resolver_place_moved(r);
        scene->stats.response_seconds += wf_clock_seconds() - start;
        scene->stats.impulses += (int32_t)impulses;
        scene->stats.impulse_rounds++;
        status = follow_pushed(r, rebuilds, too_many);
        if (status != WF_OK || *too_many) {
            return status;
        }
    }
}

/* ---- impact zones ------------------------------------------------------------------------------------------------ */

static bool add_impact(wf_resolver *r, int kind, const wf_candidate *c)
{
    wf_contact_scene *scene = r->scene;
    wf_vec3 x0[4], x1[4];
    double time;
    wf_impact impact;
    if (r->status != WF_OK || !wf_resolver_pair_hits(r, kind, c, 0, impact.vertex, x0, x1, &time)) {
        return false;
    }
    for (int k = 0; k < 4; k++) { /* even where nothing can be pushed: it must not be forgotten */
        scene->changed.vertex[impact.vertex[k]] = 1;
    }
    wf_pair_closest_at(kind, x0, x1, time, impact.weight, &impact.normal);
    impact.rest = distance_to_keep(r, kind, c, x0);
    if (!(impact.rest > 0)) {
        return false;
    }
    r->status = wf_impact_zones_add(scene->context, &scene->zones, &impact, r->inverse_mass);
    return true;
}

wf_status wf_resolver_part_zones(wf_resolver *r, int rounds, bool *clean, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    int32_t rebuilds = scene->stats.rebuilds;
    wf_status begun = wf_impact_zones_begin(scene->context, &scene->zones, r->x1, scene->vertex_count);
    if (begun != WF_OK) {
        return begun;
    }
    int64_t hit_count = 0, taken_before = 0;
    for (int round = 0, in_vain = 0; round < rounds && !*clean; round++) {
        double start = wf_clock_seconds();
        size_t known = scene->zones.count;
        int64_t taken = wf_resolver_for_each_marked(r, add_impact);
        const int64_t hits_before = hit_count;
        const bool left_out = taken < hits_before; /* without a gap that could be kept */
        wf_status status = r->status;
        if (status == WF_OK && scene->zones.count == known) {
            break; /* what hits was given up, or cannot be pushed; the marks are those of the last detection */
        }
        if (status == WF_OK) {
            status = wf_impact_zones_solve(scene->context, &scene->zones, scene->vertex_count, r->inverse_mass, r->x0,
                                           r->x1, scene->changed.vertex);
        }
        if (status != WF_OK) {
            return status;
        }
        scene->stats.response_seconds += wf_clock_seconds() - start;
        scene->stats.zone_rounds++;
        status = follow_pushed(r, rebuilds, too_many);
        if (status == WF_OK && !*too_many) {
            status = wf_resolver_detect(r, true, &hit_count);
        }
        if (status != WF_OK || *too_many) {
            return status;
        }
        *clean = hit_count == 0;
        in_vain = hit_count == hits_before && taken == taken_before ? in_vain + 1 : 0;
        taken_before = taken;
        if (left_out && in_vain >= MOST_IN_VAIN) {
            break; /* the fail-safe has to hold what has no gap anyway */
        }
    }
    for (size_t k = 0; k < scene->zones.count; k++) {
        const wf_impact *impact;
        wf_vec3 x0[4], x1[4], impulse = wf_impact_zones_impulse(&scene->zones, k, &impact);
        wf_gather(r->x0, impact->vertex, x0);
        wf_gather(r->x1, impact->vertex, x1);
        note_work(r, impulse, impact->vertex, impact->weight, x0, x1);
    }
    return WF_OK;
}
