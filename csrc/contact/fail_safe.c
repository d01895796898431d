/* fail_safe.c - what still hits is pulled back toward the start; see response.h. */
#include <math.h>
#include <string.h>

#include "contact/resolver.h"

/* Each level halves what is left of a motion, up to one at which nothing is: for cloth soon. A rigid body that is held
 * hangs there as a whole until something changes, so as much as may be is left of its way to what it hits. */
enum {
    STOPPED = 3,
    RIGID_STOPPED = 10,
    MOST_CARRIES = 12, /* times that one vertex may be carried along */
};

/* The displacement with which a pair that hits although its cloth was stopped must go along: that of the body's closest
 * point, or of what is being carried already. */
static wf_vec3 carrying_displacement(const wf_resolver *r, int kind, const int32_t vertex[4], const wf_vec3 x0[4],
                                     const wf_vec3 x1[4])
{
    double weight[4];
    wf_vec3 normal, carried = {0, 0, 0};
    wf_pair_closest_at(kind, x0, x1, 0, weight, &normal);
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

static int stopped_level(const wf_contact_rigid *rigid)
{
    return rigid ? RIGID_STOPPED : STOPPED;
}

/* Takes a part of the motion of a vertex, or of the rigid body that it belongs to. False where none is left. */
static bool slow_down(wf_resolver *r, int32_t vertex, wf_vec3 x0)
{
    wf_contact_scene *scene = r->scene;
    wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex);
    uint8_t *level = &scene->level[rigid ? rigid->first_vertex : vertex];
    int stopped = stopped_level(rigid);
    if (vertex >= scene->cloth_count || *level >= stopped) {
        return false;
    }
    scene->stats.backed_off_vertices += *level == 0;
    double kept = ++*level < stopped ? ldexp(1, -*level) : 0;
    if (rigid) {
        rigid->end = wf_pose_between(&rigid->start, &rigid->target, kept);
        rigid->held = rigid->slowed = rigid->moved = true;
    } else {
        r->x1[vertex] = kept > 0 ? wf_vec3_lerp(x0, scene->target[vertex], kept) : x0;
    }
    return true;
}

/* Moves a vertex that was stopped, or the body that it belongs to, by `along`. */
static void carry(wf_resolver *r, int32_t vertex, wf_vec3 x0, wf_vec3 along)
{
    wf_contact_scene *scene = r->scene;
    wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex);
    uint8_t *level = &scene->level[rigid ? rigid->first_vertex : vertex];
    int stopped = stopped_level(rigid);
    scene->stats.carried_vertices += *level == stopped;
    if (*level < stopped + MOST_CARRIES) {
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
static bool same_rigid(const wf_resolver *r, const int32_t vertex[4], int k)
{
    const wf_contact_rigid *rigid = k > 0 ? wf_contact_rigid_of(&r->rigids, vertex[k]) : NULL;
    return rigid && rigid == wf_contact_rigid_of(&r->rigids, vertex[k - 1]);
}

/* Takes a part of the motion from the vertices of a pair that hits, or carries them along. */
static bool back_off(wf_resolver *r, int kind, const wf_candidate *c)
{
    wf_contact_scene *scene = r->scene;
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4];
    double time;
    if (!wf_resolver_pair_hits(r, kind, c, 0, vertex, x0, x1, &time)) {
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

static bool carried_too_often(const wf_resolver *r)
{
    const wf_contact_scene *scene = r->scene;
    bool often = false;
    for (int32_t i = 0; i < scene->rigid_start && !often; i++) {
        often = scene->level[i] >= STOPPED + MOST_CARRIES;
    }
    for (int32_t i = 0; i < r->rigids.count && !often; i++) {
        often = scene->level[r->rigids.items[i].first_vertex] >= RIGID_STOPPED + MOST_CARRIES;
    }
    return often;
}

wf_status wf_resolver_fail_safe(wf_resolver *r, bool *too_many)
{
    wf_contact_scene *scene = r->scene;
    int64_t hit_count = 1;
    if (wf_vec3_norm2(scene->cover.frame) > 0 || scene->cover.by_paths) {
        /* Seen from a moving frame what is brought to rest moves, out of the list's reach, as it leaves its path. */
        scene->cover.frame_rests = true;
        scene->cover.made = false;
        wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
        if (status == WF_OK && !*too_many) {
            status = wf_resolver_detect(r, false, &hit_count);
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
        wf_resolver_for_each_marked(r, back_off);
        wf_resolver_place_moved(r);
        scene->stats.response_seconds += wf_clock_seconds() - start;
        if (carried_too_often(r)) {
            return wf_fail(scene->context, WF_ERROR_GEOMETRY, "contact: a moving body presses cloth into other "
                           "contacts faster than it can give way; take a smaller time step");
        }
        /* Motion that is cut short stays covered; only what is carried can leave the list. */
        wf_status status = wf_contact_cover(scene, r->x0, r->x1, 0, too_many);
        if (status == WF_OK && !*too_many) {
            status = wf_resolver_detect(r, true, &hit_count);
        }
        if (status != WF_OK || *too_many) {
            return status;
        }
    }
    return WF_OK;
}
