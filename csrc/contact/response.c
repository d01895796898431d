/* response.c - impulses and the fail-safe; see response.h. */
#include "contact/response.h"

#include <string.h>

#include "base/tasks.h"
#include "contact/continuous.h"
#include "contact/distance.h"
#include "contact/friction.h"
#include "contact/impact_zones.h"
#include "contact/rigid_impacts.h"
#include "contact/sieve.h"

enum {
    MOST_SLICES = 64,
    SLICE_FACTOR = 4,
    STOPPED = 3,       /* the level at which nothing of the motion is left; kept_part[] */
    MOST_CARRIES = 12, /* times that one vertex may be carried along */
};

/* Below this part of its motion cloth that sweeps over too many pairs is not what makes them too many. */
#define SMALLEST_PART 1e-9
/* Of the way of bodies: cloth that goes less is not what makes too many pairs. */
#define LITTLE_WAY 1e-4

static const double kept_part[STOPPED + 1] = {1, 0.5, 0.25, 0};

typedef struct resolver {
    wf_contact_scene *scene;
    const wf_vec3 *x0;       /* of the slice */
    wf_vec3 *x1;
    const double *inverse_mass;
    double separation;
    wf_contact_rigids rigids;
    wf_rigid_impacts impacts; /* of a round */
    int slices;               /* of the motion */
    wf_status status; /* of what is done pair by pair */
} resolver;

wf_contact_resolve_params wf_default_contact_resolve_params(void)
{
    return (wf_contact_resolve_params){.separation = 0, .rounds = 8, .zone_rounds = 20};
}

/* ---- detection --------------------------------------------------------------------------------------------------- */

static bool same_point(wf_vec3 a, wf_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* What a pair keeps whatever happens; neighbours as much as others, although their thickness may be less. */
static double pair_separation(const resolver *r, int kind, const wf_candidate *c)
{
    int alike = wf_is_edge_edge(kind) ? WF_EDGE_EDGE : WF_VERTEX_FACE;
    return fmin(r->separation, 0.5 * wf_pair_thickness(r->scene, alike, c->first, c->second));
}

/* Where rigid bodies that were moved since their vertices were placed have the vertices of a pair. */
static void gather_moved(const resolver *r, const int32_t vertex[4], wf_vec3 x1[4])
{
    for (int k = 0; k < 4; k++) {
        const wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex[k]);
        if (rigid && rigid->moved) {
            wf_vec3 local = rigid->local[vertex[k] - rigid->first_vertex];
            x1[k] = wf_vec3_add(rigid->end.centre, wf_rotation_apply(rigid->end.turn, local));
        }
    }
}

static void place_moved(resolver *r)
{
    for (int32_t i = 0; i < r->rigids.count; i++) {
        wf_contact_rigid *rigid = &r->rigids.items[i];
        if (rigid->moved) {
            wf_contact_rigid_place(rigid, &rigid->end, r->x1);
            memset(r->scene->changed.vertex + rigid->first_vertex, 1, (size_t)rigid->vertex_count);
            rigid->moved = false;
        }
    }
}

/* Whether the pair, at least `bound` (m) apart at the start, comes nearer than its separation; gathers its points on
 * the way. */
static bool pair_hits(const resolver *r, int kind, const wf_candidate *c, double bound, int32_t vertex[4],
                      wf_vec3 x0[4], wf_vec3 x1[4], double *time)
{
    wf_pair_vertices(r->scene, kind, c->first, c->second, vertex);
    wf_gather(r->x0, vertex, x0);
    wf_gather(r->x1, vertex, x1);
    if (r->rigids.count > 0) {
        gather_moved(r, vertex, x1);
    }
    bool moves = false;
    for (int k = 0; k < 4; k++) {
        moves = moves || !same_point(x0[k], x1[k]);
    }
    if (!moves) { /* even if it touches */
        return false;
    }
    wf_impact_params params = wf_default_impact_params();
    params.separation = pair_separation(r, kind, c);
    /* Layers that go the same way stay apart, however fast. */
    if (bound > (wf_largest_approach(kind, x0, x1) + params.separation) * (1 + 1e-6)) {
        return false;
    }
    return wf_is_edge_edge(kind) ? wf_edge_edge_impact(x0, x1, &params, time)
                                 : wf_vertex_face_impact(x0, x1, &params, time);
}

static bool hits(const void *user, int kind, const wf_candidate *c, float bound)
{
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4];
    double time;
    return pair_hits(user, kind, c, bound, vertex, x0, x1, &time);
}

/* Marks the pairs that touch; of those with a changed vertex only, if asked. */
static wf_status detect(const resolver *r, bool changed_only, int64_t *hit_count)
{
    wf_contact_scene *scene = r->scene;
    double start = wf_clock_seconds();
    wf_measure_reach(scene, r->x0, r->x1, &scene->reach);
    wf_measure_motion(scene, r->x0, r->x1, &scene->near);
    for (int32_t e = 0; changed_only && e < scene->edge_count; e++) {
        scene->changed.edge[e] =
            scene->changed.vertex[scene->edges[e][0]] | scene->changed.vertex[scene->edges[e][1]];
    }
    for (int32_t f = 0; changed_only && f < scene->face_count; f++) {
        const int32_t *v = scene->faces[f];
        scene->changed.face[f] =
            scene->changed.vertex[v[0]] | scene->changed.vertex[v[1]] | scene->changed.vertex[v[2]];
    }
    *hit_count = 0;
    wf_status status = WF_OK;
    for (int kind = 0; kind < WF_PAIR_KINDS && status == WF_OK; kind++) {
        wf_sieve sieve = {.scene = scene, .kind = kind, .x = r->x0, .distance = r->separation,
                          .changed_only = changed_only, .test = hits, .user = r};
        status = wf_sieve_run(&sieve);
        size_t blocks = wf_block_count(scene->list[kind].count, WF_SIEVE_BLOCK);
        for (size_t b = 0; b < blocks && status == WF_OK; b++) {
            *hit_count += (int64_t)scene->block_start[b];
        }
    }
    memset(scene->changed.vertex, 0, (size_t)scene->vertex_count);
    scene->stats.continuous_seconds += wf_clock_seconds() - start;
    return status;
}

/* ---- impulses ---------------------------------------------------------------------------------------------------- */

/* Weights and direction of the pair at `time`; the weights of the second primitive are negative. */
static void closest_at(int kind, const wf_vec3 x0[4], const wf_vec3 x1[4], double time, double weight[4],
                       wf_vec3 *normal)
{
    wf_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = wf_vec3_lerp(wf_vec3_sub(x0[k], x0[0]), wf_vec3_sub(x1[k], x0[0]), time);
    }
    if (wf_is_edge_edge(kind)) {
        double s, t;
        wf_edge_edge_distance(x, &s, &t);
        weight[0] = 1 - s;
        weight[1] = s;
        weight[2] = t - 1;
        weight[3] = -t;
    } else {
        double face[3];
        wf_vertex_face_distance(x, face);
        weight[0] = 1;
        for (int k = 0; k < 3; k++) {
            weight[k + 1] = -face[k];
        }
    }
    wf_vec3 gap = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        gap = wf_vec3_muladds(gap, wf_vec3_sub(x[k], x[0]), weight[k]);
    }
    *normal = wf_vec3_normalize(gap);
}

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
static double distance_to_keep(const resolver *r, int kind, const wf_candidate *c, const wf_vec3 x0[4])
{
    double wanted = fmax(wf_pair_thickness(r->scene, kind, c->first, c->second), 1.2 * pair_separation(r, kind, c));
    return fmin(distance_of(kind, x0), wanted);
}

static wf_impact_scene impact_scene(const resolver *r)
{
    return (wf_impact_scene){r->scene->context, &r->rigids, r->inverse_mass, r->scene->half_thickness, r->x0, r->x1};
}

/* Of a pair with a rigid body, which is pushed apart with the others of this round. */
static bool note_rigid_impact(resolver *r, int kind, const wf_candidate *c, const int32_t vertex[4],
                              const double weight[4], wf_vec3 normal, const wf_vec3 x0[4], const wf_vec3 x1[4])
{
    wf_contact_scene *scene = r->scene;
    double wanted = WF_RIGID_REST * wf_pair_thickness(scene, kind, c->first, c->second);
    wf_rigid_impact pair = {.normal = normal, .friction = pair_friction(scene, kind, vertex)};
    pair.rest = fmin(distance_of(kind, x0), fmax(wanted, 1.2 * pair_separation(r, kind, c)));
    for (int k = 0; k < 4; k++) {
        scene->changed.vertex[vertex[k]] = 1;
        pair.vertex[k] = vertex[k];
        pair.weight[k] = weight[k];
    }
    size_t before = r->impacts.count;
    const wf_impact_scene impacts = impact_scene(r);
    wf_status status = wf_rigid_impacts_add(&impacts, &pair, x1, &r->impacts);
    r->status = status != WF_OK ? status : r->status;
    return r->impacts.count > before;
}

/* Counts the work of what an impulse on a pair cannot move. A slice takes its part of the time of the motion. */
static void note_work(const resolver *r, wf_vec3 impulse, const int32_t vertex[4], const double weight[4],
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
static wf_vec3 rub(const resolver *r, wf_friction friction, double time, double push, const int32_t vertex[4],
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

/* Pushes one pair apart at the end of the step if it hits. Returns whether it did. A pair that cannot be pushed is
 * looked at again like those whose vertices moved: it must not be forgotten. */
static bool apply_impulse(resolver *r, int kind, const wf_candidate *c)
{
    const wf_contact_scene *scene = r->scene;
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4], normal;
    double time, weight[4];
    if (!pair_hits(r, kind, c, 0, vertex, x0, x1, &time)) {
        return false;
    }
    closest_at(kind, x0, x1, time, weight, &normal);
    if (wf_contact_rigid_of(&r->rigids, vertex[0]) || wf_contact_rigid_of(&r->rigids, vertex[3])) {
        return note_rigid_impact(r, kind, c, vertex, weight, normal, x0, x1);
    }
    double mobility = 0, gap = 0;
    for (int k = 0; k < 4; k++) {
        scene->changed.vertex[vertex[k]] = 1;
        mobility += weight[k] * weight[k] * r->inverse_mass[vertex[k]];
        gap += weight[k] * wf_vec3_dot(wf_vec3_sub(x1[k], x1[0]), normal);
    }
    double rest = distance_to_keep(r, kind, c, x0);
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

/* Calls the function for each marked pair, in order; returns how often it said true. */
static int64_t for_each_marked(resolver *r, bool (*function)(resolver *r, int kind, const wf_candidate *c))
{
    int64_t count = 0;
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        const wf_candidate_list *list = &r->scene->list[kind];
        for (size_t word = 0; word < wf_block_count(list->count, 64); word++) {
            for (uint64_t marks = list->marked[word]; marks != 0; marks &= marks - 1) {
                count += function(r, kind, &list->items[64 * word + (size_t)__builtin_ctzll(marks)]);
            }
        }
    }
    return count;
}

/* The list follows what was pushed out of its reach, once; then pushed vertices stay inside. *changed_only: whether the
 * next detection can pass by the pairs whose vertices did not change. */
static wf_status follow_pushed(resolver *r, int32_t rebuilds, bool *changed_only, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    double start = wf_clock_seconds();
    int32_t before = scene->stats.rebuilds;
    if (before > rebuilds) {
        wf_contact_confine(scene, r->x1);
    }
    wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
    scene->stats.broad_seconds += wf_clock_seconds() - start;
    *changed_only = scene->stats.rebuilds == before;
    return status;
}

/* Rounds of impulses. *clean: continuous detection found nothing in the end; else the pairs it found are marked. */
static wf_status apply_impulses(resolver *r, int rounds, bool *clean, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    bool changed_only = false;
    int32_t rebuilds = scene->stats.rebuilds;
    for (int round = 0;; round++) {
        int64_t hit_count;
        wf_status status = detect(r, changed_only, &hit_count);
        if (status != WF_OK) {
            return status;
        }
        scene->stats.hits += round == 0 ? (int32_t)hit_count : 0;
        *clean = hit_count == 0;
        if (*clean || round == rounds) {
            return WF_OK;
        }
        double start = wf_clock_seconds();
        int64_t impulses = for_each_marked(r, apply_impulse);
        const wf_impact_scene impacts_on = impact_scene(r);
        status = r->status != WF_OK ? r->status : wf_rigid_impacts_solve(&impacts_on, &r->impacts);
        if (status != WF_OK) {
            return status;
        }
        place_moved(r);
        scene->stats.response_seconds += wf_clock_seconds() - start;
        scene->stats.impulses += (int32_t)impulses;
        scene->stats.impulse_rounds++;
        status = follow_pushed(r, rebuilds, &changed_only, too_many);
        if (status != WF_OK || *too_many) {
            return status;
        }
    }
}

/* ---- impact zones ------------------------------------------------------------------------------------------------ */

static bool add_impact(resolver *r, int kind, const wf_candidate *c)
{
    wf_contact_scene *scene = r->scene;
    wf_vec3 x0[4], x1[4];
    double time;
    wf_impact impact;
    if (r->status != WF_OK || !pair_hits(r, kind, c, 0, impact.vertex, x0, x1, &time)) {
        return false;
    }
    for (int k = 0; k < 4; k++) { /* even where nothing can be pushed: it must not be forgotten */
        scene->changed.vertex[impact.vertex[k]] = 1;
    }
    closest_at(kind, x0, x1, time, impact.weight, &impact.normal);
    impact.rest = distance_to_keep(r, kind, c, x0);
    if (!(impact.rest > 0)) {
        return false;
    }
    r->status = wf_impact_zones_add(scene->context, &scene->zones, &impact, r->inverse_mass);
    return true;
}

/* Parts together what impulses one by one could not: the pairs marked by the last detection, and those that it finds
 * when these are parted. *clean as above. */
static wf_status part_zones(resolver *r, int rounds, bool *clean, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    int32_t rebuilds = scene->stats.rebuilds;
    wf_status begun = wf_impact_zones_begin(scene->context, &scene->zones, r->x1, scene->vertex_count);
    if (begun != WF_OK) {
        return begun;
    }
    for (int round = 0; round < rounds && !*clean; round++) {
        double start = wf_clock_seconds();
        bool changed_only;
        int64_t hit_count = 0;
        size_t known = scene->zones.count;
        for_each_marked(r, add_impact);
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
        status = follow_pushed(r, rebuilds, &changed_only, too_many);
        if (status == WF_OK && !*too_many) {
            status = detect(r, changed_only, &hit_count);
        }
        if (status != WF_OK || *too_many) {
            return status;
        }
        *clean = hit_count == 0;
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

/* ---- fail-safe --------------------------------------------------------------------------------------------------- */

/* The displacement with which a pair that hits although its cloth was stopped must go along: that of the body's closest
 * point, or of what is being carried already. */
static wf_vec3 carrying_displacement(const resolver *r, int kind, const int32_t vertex[4], const wf_vec3 x0[4],
                                     const wf_vec3 x1[4])
{
    double weight[4];
    wf_vec3 normal, carried = {0, 0, 0};
    closest_at(kind, x0, x1, 0, weight, &normal);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        if (vertex[k] >= r->scene->cloth_count) {
            carried = wf_vec3_muladds(carried, wf_vec3_sub(x1[k], x0[k]), fabs(weight[k]));
            sum += fabs(weight[k]);
        }
    }
    if (sum > 0) {
        return wf_vec3_scale(carried, 1 / sum);
    }
    for (int k = 0; k < 4; k++) {
        wf_vec3 moved = wf_vec3_sub(x1[k], x0[k]);
        if (wf_vec3_norm2(moved) > wf_vec3_norm2(carried)) {
            carried = moved;
        }
    }
    return carried;
}

/* Takes a part of the motion of a vertex, or of the rigid body that it belongs to. False where none is left. */
static bool slow_down(resolver *r, int32_t vertex, wf_vec3 x0)
{
    wf_contact_scene *scene = r->scene;
    wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex);
    uint8_t *level = &scene->level[rigid ? rigid->first_vertex : vertex];
    if (vertex >= scene->cloth_count || *level >= STOPPED) {
        return false;
    }
    scene->stats.backed_off_vertices += *level == 0;
    double kept = kept_part[++*level];
    if (rigid) {
        rigid->end = wf_pose_between(&rigid->start, &rigid->target, kept);
        rigid->held = rigid->moved = true;
    } else {
        r->x1[vertex] = kept > 0 ? wf_vec3_lerp(x0, scene->target[vertex], kept) : x0;
    }
    return true;
}

/* Moves a vertex that was stopped, or the body that it belongs to, by `along`. */
static void carry(resolver *r, int32_t vertex, wf_vec3 x0, wf_vec3 along)
{
    wf_contact_scene *scene = r->scene;
    wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex);
    uint8_t *level = &scene->level[rigid ? rigid->first_vertex : vertex];
    scene->stats.carried_vertices += *level == STOPPED;
    if (*level < STOPPED + MOST_CARRIES) {
        ++*level;
    }
    if (rigid) {
        rigid->end = (wf_pose){wf_vec3_add(rigid->start.centre, along), rigid->start.turn};
        rigid->moved = true;
    } else {
        r->x1[vertex] = wf_vec3_add(x0, along);
    }
}

/* Whether vertices k and k - 1 of a pair are of one rigid body, so that what is done to one is done to both. */
static bool same_rigid(const resolver *r, const int32_t vertex[4], int k)
{
    const wf_contact_rigid *rigid = k > 0 ? wf_contact_rigid_of(&r->rigids, vertex[k]) : NULL;
    return rigid && rigid == wf_contact_rigid_of(&r->rigids, vertex[k - 1]);
}

/* Takes a part of the motion from the vertices of a pair that hits, or carries them along. */
static bool back_off(resolver *r, int kind, const wf_candidate *c)
{
    wf_contact_scene *scene = r->scene;
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4];
    double time;
    if (!pair_hits(r, kind, c, 0, vertex, x0, x1, &time)) {
        return false;
    }
    bool slowed = false;
    for (int k = 0; k < 4; k++) {
        scene->changed.vertex[vertex[k]] = 1; /* whatever is done, the pair is looked at again */
        slowed = (!same_rigid(r, vertex, k) && slow_down(r, vertex[k], x0[k])) || slowed;
    }
    if (slowed) {
        return true;
    }
    wf_vec3 along = carrying_displacement(r, kind, vertex, x0, x1);
    for (int k = 0; k < 4; k++) {
        if (vertex[k] < scene->cloth_count && !same_rigid(r, vertex, k)) {
            carry(r, vertex[k], x0[k], along);
        }
    }
    return true;
}

static bool carried_too_often(const wf_contact_scene *scene)
{
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        if (scene->level[i] >= STOPPED + MOST_CARRIES) {
            return true;
        }
    }
    return false;
}

/* Starts from the marks of the last detection. */
static wf_status fail_safe(resolver *r, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    int64_t hit_count = 1;
    if (wf_vec3_norm2(scene->frame) > 0) {
        /* Seen from a moving frame what is brought to rest moves, out of the list's reach. */
        scene->frame_rests = true;
        scene->covered = false;
        wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
        if (status == WF_OK && !*too_many) {
            status = detect(r, false, &hit_count);
        }
        if (status != WF_OK || *too_many) {
            return status;
        }
    }
    memcpy(scene->target, r->x1, (size_t)scene->vertex_count * sizeof *scene->target);
    memset(scene->level, 0, (size_t)scene->vertex_count);
    for (int32_t i = 0; i < r->rigids.count; i++) {
        r->rigids.items[i].target = r->rigids.items[i].end;
    }
    while (hit_count > 0) {
        double start = wf_clock_seconds();
        for_each_marked(r, back_off);
        place_moved(r);
        scene->stats.response_seconds += wf_clock_seconds() - start;
        if (carried_too_often(scene)) {
            return wf_fail(scene->context, WF_ERROR_GEOMETRY, "contact: a moving body presses cloth into other "
                           "contacts faster than it can give way; take a smaller time step");
        }
        /* Motion that is cut short stays covered; only what is carried can leave the list. */
        int32_t rebuilds = scene->stats.rebuilds;
        wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
        if (status == WF_OK && !*too_many) {
            status = detect(r, scene->stats.rebuilds == rebuilds, &hit_count);
        }
        if (status != WF_OK || *too_many) {
            return status;
        }
    }
    return WF_OK;
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

/* Resolves one straight motion. *too_many: it sweeps over too many pairs, and x1 is of no use. */
static wf_status resolve_slice(resolver *r, const wf_contact_resolve_params *params, bool *too_many)
{
    double start = wf_clock_seconds();
    r->scene->frame_rests = false;
    wf_status status = wf_contact_cover(r->scene, r->x0, r->x1, 0, too_many);
    r->scene->stats.broad_seconds += wf_clock_seconds() - start;
    if (status != WF_OK || *too_many) {
        return status;
    }
    bool clean = false;
    status = apply_impulses(r, params->rounds, &clean, too_many);
    if (status == WF_OK && !*too_many && !clean) {
        status = part_zones(r, params->zone_rounds, &clean, too_many);
    }
    return status == WF_OK && !*too_many && !clean ? fail_safe(r, too_many) : status;
}

/* A motion from x0 to scene->given in straight slices. */
typedef struct path {
    const wf_vec3 *x0;
    int slices;
    double part; /* of the cloth's motion that is made at all */
} path;

/* Where a vertex would be at the end of a slice. What met nothing so far ends exactly where it should; the rest goes on
 * with the displacement that the last slice left it. */
static wf_vec3 planned_end(const wf_contact_scene *scene, const path *p, int slice, int32_t i)
{
    double part = i < scene->cloth_count ? p->part : 1;
    if (scene->touched[i]) {
        return wf_vec3_add(scene->start[i], scene->step[i]);
    }
    if (part == 1 && slice + 1 == p->slices) {
        return scene->given[i];
    }
    return wf_vec3_lerp(p->x0[i], scene->given[i], part * (slice + 1) / p->slices);
}

/* The same of a rigid body. */
static wf_pose planned_pose(const wf_contact_rigid *rigid, const path *p, int slice)
{
    if (!rigid->touched) {
        return wf_pose_between(&rigid->from, &rigid->to, p->part * (slice + 1) / p->slices);
    }
    wf_rotation step = wf_rotation_multiply(rigid->end.turn, wf_rotation_inverse(rigid->start.turn));
    return (wf_pose){
        wf_vec3_add(rigid->end.centre, wf_vec3_sub(rigid->end.centre, rigid->start.centre)),
        wf_rotation_normalize(wf_rotation_multiply(step, rigid->end.turn))};
}

static void begin_slice(resolver *r, const path *p, int slice)
{
    const wf_contact_scene *scene = r->scene;
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        r->x1[i] = planned_end(scene, p, slice, i);
    }
    for (int32_t i = 0; i < r->rigids.count; i++) {
        wf_contact_rigid *rigid = &r->rigids.items[i];
        rigid->planned = planned_pose(rigid, p, slice);
        rigid->start = rigid->end;
        rigid->end = rigid->planned;
        wf_contact_rigid_place(rigid, &rigid->end, r->x1);
    }
}

static void end_slice(resolver *r, const path *p, int slice)
{
    wf_contact_scene *scene = r->scene;
    for (int32_t i = 0; i < scene->rigid_start; i++) {
        if (!same_point(r->x1[i], planned_end(scene, p, slice, i))) {
            scene->touched[i] = 1;
            scene->step[i] = wf_vec3_sub(r->x1[i], scene->start[i]);
        }
    }
    for (int32_t i = 0; i < r->rigids.count; i++) {
        wf_contact_rigid *rigid = &r->rigids.items[i];
        rigid->touched = rigid->touched || memcmp(&rigid->end, &rigid->planned, sizeof rigid->end) != 0;
        rigid->held = rigid->held || (rigid->touched && p->slices > 1); /* its velocity is the mean of the slices' */
    }
    memcpy(scene->start, r->x1, (size_t)scene->vertex_count * sizeof *scene->start);
}

static wf_status follow(resolver *r, const path *p, const wf_contact_resolve_params *params, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    memcpy(scene->start, p->x0, (size_t)scene->vertex_count * sizeof *scene->start);
    memset(scene->touched, 0, (size_t)scene->vertex_count);
    for (int32_t i = 0; i < r->rigids.count; i++) {
        wf_contact_rigid *rigid = &r->rigids.items[i];
        rigid->start = rigid->end = rigid->from;
        rigid->pushed = rigid->pushed_before;
        rigid->turned = rigid->turned_before;
        rigid->touched = rigid->moved = false;
        rigid->held = rigid->held_before || p->part < 1;
    }
    r->x0 = scene->start;
    r->slices = p->slices;
    scene->stats.body_work = scene->stats.pin_work = 0;
    for (int slice = 0; slice < p->slices; slice++) {
        begin_slice(r, p, slice);
        wf_status status = resolve_slice(r, params, too_many);
        if (status != WF_OK || *too_many) {
            return status;
        }
        end_slice(r, p, slice);
    }
    return WF_OK;
}

/* m: how far a vertex of a range is to go, at most. */
static double longest_way(const wf_contact_scene *scene, const wf_vec3 *x0, int32_t begin, int32_t end)
{
    double longest2 = 0;
    for (int32_t i = begin; i < end; i++) {
        longest2 = fmax(longest2, wf_vec3_norm2(wf_vec3_sub(scene->given[i], x0[i])));
    }
    return sqrt(longest2);
}

/* Tries the motion in one piece, then in slices, then less of that of cloth, unless bodies alone are to blame. */
static wf_status follow_what_can_be(resolver *r, const wf_vec3 *x0, const wf_contact_resolve_params *params)
{
    const wf_contact_scene *scene = r->scene;
    wf_contact_stats *stats = &r->scene->stats;
    double way = longest_way(scene, x0, 0, scene->cloth_count);
    double bodies_way = longest_way(scene, x0, scene->cloth_count, scene->vertex_count);
    path p = {x0, 1, 1};
    for (;;) {
        bool too_many;
        wf_status status = follow(r, &p, params, &too_many);
        if (status != WF_OK || !too_many) {
            stats->slices = p.slices;
            stats->kept_motion = p.part;
            if (status == WF_OK && p.part < 1) {
                stats->backed_off_vertices = scene->cloth_count;
            }
            return status;
        }
        if (p.part == 1 && p.slices < MOST_SLICES) {
            p.slices *= SLICE_FACTOR;
        } else if (p.part > SMALLEST_PART && p.part * way > LITTLE_WAY * bodies_way) {
            p.slices = 1; /* an explosion deserves no more work */
            p.part /= SLICE_FACTOR;
        } else {
            return wf_fail(r->scene->context, WF_ERROR_GEOMETRY, "contact: a body sweeps over too much cloth in one "
                           "step; take a smaller time step");
        }
    }
}

static double smallest_thickness(const wf_contact_scene *scene)
{
    double smallest = INFINITY;
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        if (scene->vertex_face[i] >= 0 && scene->half_thickness[i] > 0) {
            smallest = fmin(smallest, 2 * scene->half_thickness[i]);
        }
    }
    return smallest < INFINITY ? smallest : 0;
}

wf_status wf_contact_resolve(wf_contact_scene *scene, const wf_vec3 *x0, wf_vec3 *x1, const double *inverse_mass,
                             const wf_contact_resolve_params *params, wf_contact_stats *stats)
{
    wf_contact_resolve_params used = params ? *params : wf_default_contact_resolve_params();
    if (!(used.separation >= 0 && used.separation <= 1)) {
        return wf_fail(scene->context, WF_ERROR_ARGUMENT, "contact: separation must be from 0 to 1 m, got %g",
                       used.separation);
    }
    if (used.rounds < 0 || used.rounds > 100) {
        return wf_fail(scene->context, WF_ERROR_ARGUMENT, "contact: rounds must be from 0 to 100, got %d",
                       used.rounds);
    }
    if (used.zone_rounds < 0 || used.zone_rounds > 1000) {
        return wf_fail(scene->context, WF_ERROR_ARGUMENT, "contact: zone_rounds must be from 0 to 1000, got %d",
                       used.zone_rounds);
    }
    wf_status updated = wf_contact_check_updated(scene, "resolve");
    if (updated != WF_OK) {
        return updated;
    }
    resolver r = {.scene = scene, .x1 = x1, .inverse_mass = inverse_mass, .separation = used.separation,
                  .rigids = used.rigids};
    for (int32_t i = 0; i < used.rigids.count; i++) {
        wf_contact_rigid *rigid = &used.rigids.items[i];
        rigid->pushed_before = rigid->pushed;
        rigid->turned_before = rigid->turned;
        rigid->held_before = rigid->held;
    }
    if (r.separation == 0) {
        r.separation = 0.1 * smallest_thickness(scene);
    }
    scene->stats.hits = scene->stats.impulses = scene->stats.impulse_rounds = scene->stats.zone_rounds = 0;
    scene->stats.backed_off_vertices = scene->stats.carried_vertices = 0;
    memcpy(scene->given, x1, (size_t)scene->vertex_count * sizeof *x1);
    wf_status status = follow_what_can_be(&r, x0, &used);
    wf_free(scene->context, r.impacts.items);
    if (status != WF_OK) {
        memcpy(x1, scene->given, (size_t)scene->vertex_count * sizeof *x1);
    }
    for (int32_t i = 0; i < used.rigids.count && status == WF_OK; i++) {
        used.rigids.items[i].to = used.rigids.items[i].end;
    }
    if (stats) {
        *stats = scene->stats;
    }
    return status;
}
