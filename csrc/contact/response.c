/* response.c - a motion goes through the stages of contact's response, in slices where it must; see response.h. */
#include "contact/response.h"

#include <string.h>

#include "contact/resolver.h"

enum { MOST_SLICES = 64, SLICE_FACTOR = 4 };

/* Below this part of its motion cloth that sweeps over too many pairs is not what makes them too many. */
#define SMALLEST_PART 1e-9
/* Of the way of bodies: cloth that goes less is not what makes too many pairs. */
#define LITTLE_WAY 1e-4

wf_contact_resolve_params wf_default_contact_resolve_params(void)
{
    return (wf_contact_resolve_params){.separation = 0, .rounds = 8, .zone_rounds = 20};
}

/* Resolves one straight motion. *too_many: it sweeps over too many pairs, and x1 is of no use. */
static wf_status resolve_slice(wf_resolver *r, const wf_contact_resolve_params *params, bool *too_many)
{
    double start = wf_clock_seconds();
    r->scene->cover.by_balls = r->scene->cover.frame_rests = false;
    wf_status status = wf_contact_cover(r->scene, r->x0, r->x1, 0, too_many);
    r->scene->stats.broad_seconds += wf_clock_seconds() - start;
    if (status != WF_OK || *too_many) {
        return status;
    }
    bool clean = false;
    status = wf_resolver_push(r, params->rounds, &clean, too_many);
    if (status == WF_OK && !*too_many && !clean) {
        status = wf_resolver_part_zones(r, params->zone_rounds, &clean, too_many);
    }
    return status == WF_OK && !*too_many && !clean ? wf_resolver_fail_safe(r, too_many) : status;
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

static void begin_slice(wf_resolver *r, const path *p, int slice)
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
        rigid->pushed_at_start = rigid->pushed;
        rigid->turned_at_start = rigid->turned;
        wf_contact_rigid_place(rigid, &rigid->end, r->x1);
    }
}

static void end_slice(wf_resolver *r, const path *p, int slice)
{
    wf_contact_scene *scene = r->scene;
    for (int32_t i = 0; i < scene->rigid_start; i++) {
        if (!wf_vec3_equal(r->x1[i], planned_end(scene, p, slice, i))) {
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

static wf_status follow(wf_resolver *r, const path *p, const wf_contact_resolve_params *params, bool *too_many)
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
        rigid->slowed = rigid->slowed_before;
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

/* Whether it is their way alone that sweeps over too many pairs, when cloth goes `part` of its own. */
static bool bodies_are_to_blame(const wf_contact_scene *scene, const wf_vec3 *x0, double part)
{
    return !(part * longest_way(scene, x0, 0, scene->cloth_count) >
             LITTLE_WAY * longest_way(scene, x0, scene->cloth_count, scene->vertex_count));
}

/* Tries the motion in one piece, then in slices, then less of that of cloth, unless bodies alone are to blame. */
static wf_status follow_what_can_be(wf_resolver *r, const wf_vec3 *x0, const wf_contact_resolve_params *params)
{
    const wf_contact_scene *scene = r->scene;
    wf_contact_stats *stats = &r->scene->stats;
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
        } else if (p.part > SMALLEST_PART && !bodies_are_to_blame(scene, x0, p.part)) {
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
    wf_resolver r = {.scene = scene, .x1 = x1, .inverse_mass = inverse_mass, .separation = used.separation,
                     .rigids = used.rigids};
    for (int32_t i = 0; i < used.rigids.count; i++) {
        wf_contact_rigid *rigid = &used.rigids.items[i];
        rigid->pushed_before = rigid->pushed;
        rigid->turned_before = rigid->turned;
        rigid->held_before = rigid->held;
        rigid->slowed_before = rigid->slowed;
    }
    if (r.separation == 0) {
        r.separation = 0.1 * smallest_thickness(scene);
    }
    scene->stats.hits = scene->stats.impulses = scene->stats.impulse_rounds = scene->stats.zone_rounds = 0;
    scene->stats.backed_off_vertices = scene->stats.carried_vertices = 0;
    memcpy(scene->given, x1, (size_t)scene->vertex_count * sizeof *x1);
    wf_status status = follow_what_can_be(&r, x0, &used);
    wf_rigid_impacts_free(scene->context, &r.impacts);
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
