/* colliders.c - colliders as members of a world: their motion, resting contacts, and what the door does with them.
 *
 * The door first pushes out what would hit, vertices and, at convex colliders, faces, with friction, collider by
 * collider until nothing moves. When contact with cloth and bodies has moved vertices again, what hits loses a part of
 * its way as the collider sees it: a half, the rest. With colliders at rest this ends at the start, which is outside.
 * One that moves takes along what lost all; if that runs into something again and again, whole
 * cloths go along, and if even so something is in the way, as when cloth is crushed between a collider and a body, the
 * collider overlaps it.
 */
#include "world/colliders.h"

#include <string.h>

#include "base/box.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "contact/free_motion.h"
#include "world/outside.h"
#include "world/world_state.h"

/* Of the contact distance: what cloth keeps whatever happens. */
#define KEPT_SHARE 0.1
/* Of the contact distance: faces that come nearer rest on a collider as vertices do. */
#define FACE_SHARE 0.5
/* m/s: what moves faster has jumped. */
#define LARGEST_SPEED 100.0

#define DEEPER 1e-9 /* m: less is rounding */

enum { MOST_SWEEPS = 8, VERTEX_BLOCK = 512, FACE_BLOCK = 256 };

/* ---- membership -------------------------------------------------------------------------------------------------- */

wf_status wf_world_add_collider(wf_world *world, wf_collider *collider)
{
    for (size_t i = 0; i < world->collider_count; i++) {
        if (world->colliders[i].collider == collider) {
            return wf_fail(world->context, WF_ERROR_STATE, "the collider is in this world already");
        }
    }
    wf_status status = wf_reserve(world->context, &world->colliders, &world->collider_capacity,
                                  world->collider_count + 1, sizeof *world->colliders);
    if (status == WF_OK) {
        wf_pose pose = collider->pose;
        world->colliders[world->collider_count++] = (wf_collider_member){
            .collider = wf_collider_retain(collider), .reached = pose, .departure = pose, .start = pose, .end = pose,
            .jumps = collider->jumps};
        wf_world_members_have_changed(world);
    }
    return status;
}

wf_status wf_world_remove_collider(wf_world *world, wf_collider *collider)
{
    for (size_t i = 0; i < world->collider_count; i++) {
        if (world->colliders[i].collider == collider) {
            world->collider_count--;
            memmove(&world->colliders[i], &world->colliders[i + 1],
                    (world->collider_count - i) * sizeof *world->colliders);
            wf_world_members_have_changed(world);
            wf_collider_release(collider);
            return WF_OK;
        }
    }
    return wf_world_fail_for_stranger(world, "collider");
}

void wf_world_free_colliders(wf_world *world)
{
    for (size_t i = 0; i < world->collider_count; i++) {
        wf_collider_release(world->colliders[i].collider);
    }
    wf_free(world->context, world->colliders);
}

uint64_t wf_world_hash_colliders(const wf_world *world, uint64_t hash)
{
    for (size_t i = 0; i < world->collider_count; i++) {
        const wf_collider_member *member = &world->colliders[i];
        hash = wf_hash_bytes(hash, &member->reached, sizeof member->reached);
        hash = wf_hash_bytes(hash, &member->collider->pose, sizeof member->collider->pose);
        hash = wf_hash_bytes(hash, &member->collider->thickness, sizeof member->collider->thickness);
        hash = wf_hash_bytes(hash, &member->collider->friction, sizeof member->collider->friction);
    }
    return hash;
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* How many of these vertices are inside by more than `depth` (m), pinned ones left out. */
static int32_t count_inside(const wf_world *world, const wf_collider *collider, const wf_pose *pose, double depth,
                            const wf_vec3 *x, int32_t first, int32_t count)
{
    int32_t inside = 0;
    for (int32_t i = first; i < first + count; i++) {
        wf_vec3 local = wf_pose_to_local(pose, x[i]), normal;
        inside += world->inverse_mass[i] > 0 && !wf_collider_misses(collider, local, 0) &&
                  collider->class->distance(collider, local, &normal) < -depth;
    }
    return inside;
}

/* Voxels and maps are many. */
static const char *article_of(const wf_collider *collider)
{
    const char *name = collider->class->name;
    return name[strlen(name) - 1] == 's' ? "" : "a ";
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static bool same_pose(const wf_pose *a, const wf_pose *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void wf_world_begin_colliders(wf_world *world)
{
    double h = world->params.time_step;
    for (size_t i = 0; i < world->collider_count; i++) {
        wf_collider_member *member = &world->colliders[i];
        const wf_collider *collider = member->collider;
        member->start = member->reached;
        member->end = collider->pose;
        double speed = wf_vec3_distance(member->start.centre, member->end.centre) / h;
        if (member->jumps != collider->jumps || speed > LARGEST_SPEED) {
            member->start = member->end;
            member->velocity_before = member->spin_before = wf_vec3_make(0, 0, 0);
            member->warned = false;
        }
        member->moves = !same_pose(&member->start, &member->end);
        member->velocity = wf_vec3_scale(wf_vec3_sub(member->end.centre, member->start.centre), 1 / h);
        member->spin = wf_vec3_scale(wf_pose_turning(&member->start, &member->end), 1 / h);
        member->departure = member->start;
        member->goal = member->end;
        world->rest_time = member->moves ? 0 : world->rest_time;
    }
}

void wf_world_divide_colliders(wf_world *world)
{
    double whole = world->params.time_step, before = fmax(1 - world->time_left / whole, 0);
    double after = world->part == world->time_left ? 1 : fmin(before + world->part / whole, 1);
    for (size_t i = 0; i < world->collider_count; i++) {
        wf_collider_member *member = &world->colliders[i];
        member->start = wf_pose_between(&member->departure, &member->goal, before);
        member->end = wf_pose_between(&member->departure, &member->goal, after);
    }
}

/* Of new cloth, whose pins may be where they are wanted. */
static void warn_of_floor(wf_world *world, const wf_cloth_member *cloth)
{
    int32_t below = 0, end = cloth->first_vertex + cloth->cloth->mesh.vertex_count;
    for (int32_t i = cloth->first_vertex; i < end && world->params.floor && !cloth->inside_checked; i++) {
        below += world->inverse_mass[i] > 0 && world->x0[i].y < world->params.floor_height - WF_OUT_OF_TOUCH;
    }
    if (below > 0) {
        wf_warn(world->context, "%d %s below the floor; contact lifts cloth out of it", (int)below,
                below == 1 ? "vertex of cloth starts" : "vertices of cloth start");
    }
}

void wf_world_warn_of_inside(wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        wf_cloth_member *cloth = &world->cloths[m];
        warn_of_floor(world, cloth);
        for (size_t i = 0; i < world->collider_count; i++) {
            const wf_collider_member *member = &world->colliders[i];
            const wf_collider *collider = member->collider;
            int32_t inside = cloth->inside_checked && member->warned
                                 ? 0
                                 : count_inside(world, collider, &member->start, WF_TOUCHING, world->x0,
                                                cloth->first_vertex, cloth->cloth->mesh.vertex_count);
            if (inside > 0) {
                wf_warn(world->context, "%d %s inside %s%s; %s out of it at up to %g m/s", (int)inside,
                        inside == 1 ? "vertex of cloth starts" : "vertices of cloth start", article_of(collider),
                        collider->class->name, inside == 1 ? "it comes" : "they come", WF_LIFT_SPEED);
            }
        }
        cloth->inside_checked = true;
    }
    for (size_t i = 0; i < world->collider_count; i++) {
        world->colliders[i].warned = true;
    }
}

void wf_world_end_colliders(wf_world *world, bool arrived)
{
    for (size_t i = 0; i < world->collider_count; i++) {
        wf_collider_member *member = &world->colliders[i];
        if (arrived) {
            member->reached = member->goal;
            member->jumps = member->collider->jumps;
            member->velocity_before = member->velocity;
            member->spin_before = member->spin;
        }
        member->start = member->end = member->reached;
        member->moves = false;
    }
}

/* ---- resting contacts -------------------------------------------------------------------------------------------- */

static double friction_with(const wf_world *world, const wf_collider *collider, int32_t i)
{
    return sqrt(world->friction[i] * collider->friction);
}

static double contact_distance(const wf_world *world, const wf_collider *collider, int32_t i)
{
    return world->half_thickness[i] + collider->thickness;
}

static double kept_distance(const wf_world *world, const wf_collider *collider, int32_t i)
{
    return fmax(KEPT_SHARE * contact_distance(world, collider, i), 1e-9);
}

static wf_vec3 local_point(const wf_pose *pose, const wf_vec3 *x, int32_t i)
{
    return wf_pose_to_local(pose, x[i]);
}

/* Completes a contact at a place of the world. What it does to cloth that is deeper than the surface is what it does at
 * the surface, so that cloth which starts inside comes out gently. */
static wf_status add_resting(wf_world *world, const wf_collider_member *member, wf_resting_contact *contact,
                             wf_vec3 place, double area, double thickness, double friction)
{
    wf_status status = wf_reserve(world->context, &world->resting, &world->resting_capacity, world->resting_count + 1,
                                  sizeof *world->resting);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 arm = wf_vec3_sub(place, member->start.centre);
    contact->gap = fmax(contact->gap, -thickness);
    contact->drift = wf_vec3_scale(wf_vec3_add(member->velocity, wf_vec3_cross(member->spin, arm)), -1);
    /* As at bodies, slip is that of the step before: what sticks to one that gains speed keeps up with it. */
    wf_vec3 slip = wf_vec3_scale(wf_vec3_add(member->velocity_before, wf_vec3_cross(member->spin_before, arm)), -1);
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0) {
            slip = wf_vec3_muladds(slip, world->v0[contact->vertex[k]], contact->weight[k]);
        }
    }
    slip = wf_vec3_muladds(slip, contact->normal, -wf_vec3_dot(slip, contact->normal));
    wf_world_set_contact_law(world, area, (wf_friction){friction, friction}, slip, contact);
    world->resting[world->resting_count++] = *contact;
    return WF_OK;
}

static wf_status rest_vertex(wf_world *world, const wf_collider_member *member, double margin, int32_t i)
{
    const wf_collider *collider = member->collider;
    double thickness = contact_distance(world, collider, i);
    wf_vec3 local = wf_pose_to_local(&member->start, world->x0[i]), normal;
    if (wf_collider_misses(collider, local, thickness + margin)) {
        return WF_OK;
    }
    double distance = collider->class->distance(collider, local, &normal);
    if (!(distance - thickness < margin) || !(wf_vec3_norm2(normal) > 0)) {
        return WF_OK;
    }
    wf_resting_contact contact = {.vertex = {i, -1, -1, -1}, .weight = {1}, .gap = distance - thickness};
    contact.normal = wf_rotation_apply(member->start.turn, normal);
    return add_resting(world, member, &contact, world->x0[i], world->area[i], thickness,
                       friction_with(world, collider, i));
}

/* Where a face comes nearest: known of convex colliders; of samples its middle stands for it. */
static wf_face_gap nearest_in_face(const wf_collider *collider, const wf_vec3 local[3], double wanted)
{
    if (!collider->class->support) {
        wf_face_gap gap = {.weights = {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        wf_vec3 middle = wf_vec3_scale(wf_vec3_add(local[0], wf_vec3_add(local[1], local[2])), 1.0 / 3);
        gap.distance = collider->class->distance(collider, middle, &gap.normal);
        return gap;
    }
    if (wf_convex_face_is_clear(collider, local, local, wanted)) {
        return (wf_face_gap){.distance = wanted};
    }
    return wf_convex_face_gap(collider, local);
}

/* A face as it rests on a collider, in whose coordinates its corners are. What pins hold nearer than `thickness` is as
 * far away here, and takes no part: what rests is the rest of the face. */
typedef struct resting_face {
    wf_vec3 local[3];
    bool pinned[3];
    double thickness; /* m */
} resting_face;

static resting_face face_at_rest(const wf_world *world, const wf_collider_member *member, const int32_t vertex[3])
{
    const wf_collider *collider = member->collider;
    resting_face face = {.thickness = 0};
    for (int c = 0; c < 3; c++) {
        face.thickness = fmax(face.thickness, FACE_SHARE * contact_distance(world, collider, vertex[c]));
    }
    for (int c = 0; c < 3; c++) {
        wf_vec3 normal;
        face.local[c] = local_point(&member->start, world->x0, vertex[c]);
        if (world->inverse_mass[vertex[c]] == 0 && collider->class->support) {
            double away = face.thickness - collider->class->distance(collider, face.local[c], &normal);
            face.pinned[c] = away > 0;
            face.local[c] = wf_vec3_muladds(face.local[c], normal, fmax(away, 0));
        }
    }
    return face;
}

/* A face that bends around less than its corners let it, and comes much nearer than they do. An edge's contact comes
 * from the faces on both of its sides, with half of it each. About what is pinned the rest of a face turns: its contact
 * is as far away as the rest has to move. */
static wf_status rest_face(wf_world *world, const wf_collider_member *member, const int32_t vertex[3])
{
    const wf_collider *collider = member->collider;
    const resting_face face = face_at_rest(world, member, vertex);
    wf_face_gap gap = nearest_in_face(collider, face.local, face.thickness);
    int corners = (gap.weights[0] > 0) + (gap.weights[1] > 0) + (gap.weights[2] > 0);
    double free = 0;
    for (int c = 0; c < 3; c++) {
        free += face.pinned[c] ? 0 : gap.weights[c];
    }
    if (!(gap.distance < face.thickness && free > 0) || corners < 2 || !(wf_vec3_norm2(gap.normal) > 0)) {
        return WF_OK;
    }
    wf_resting_contact contact = {.vertex = {-1, -1, -1, -1}, .gap = (gap.distance - face.thickness) / free};
    wf_vec3 place = {0, 0, 0};
    double area = 0, friction = 0;
    for (int c = 0; c < 3; c++) {
        const double weight = face.pinned[c] ? 0 : gap.weights[c] / free;
        contact.vertex[c] = weight > 0 ? vertex[c] : -1;
        contact.weight[c] = weight;
        place = wf_vec3_muladds(place, world->x0[vertex[c]], gap.weights[c]);
        area += weight * world->area[vertex[c]] * (corners == 2 ? 0.5 : 1);
        friction += weight * friction_with(world, collider, vertex[c]);
    }
    contact.normal = wf_rotation_apply(member->start.turn, gap.normal);
    return add_resting(world, member, &contact, place, area, face.thickness, friction);
}

wf_status wf_world_gather_collider_contacts(wf_world *world, double margin)
{
    for (size_t m = 0; m < world->collider_count; m++) {
        const wf_collider_member *member = &world->colliders[m];
        wf_status status = WF_OK;
        for (int32_t i = 0; i < world->cloth_vertex_count && status == WF_OK; i++) {
            status = rest_vertex(world, member, margin, i);
        }
        wf_sweep still = wf_sweep_make(member->collider, &member->start, &member->start);
        wf_face_walk walk = {0};
        bool has_faces = member->collider->class->support || member->collider->samples;
        for (int32_t f = 0; has_faces && f < world->face_count && status == WF_OK; f++) {
            int32_t vertex[3];
            wf_world_face_vertices(world, &walk, f, vertex);
            double near = contact_distance(world, member->collider, vertex[0]);
            if (!wf_sweep_misses_face(&still, vertex, world->x0, world->x0, near)) {
                status = rest_face(world, member, vertex);
            }
        }
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

typedef struct door_pass {
    wf_world *world;
    const wf_collider_member *member;
    wf_sweep sweep;
    const wf_vec3 *x0;
    wf_vec3 *x1;
    int attempt;
    uint8_t *marks; /* of vertices that were moved, or faces that hit */
    uint8_t *pierced;
} door_pass;

/* The part of its way that is left to what hits. */
static double kept_part(int attempt)
{
    return attempt == 0 ? 1 : (attempt <= 2 ? 0.5 : 0);
}

static void keep_vertices(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const door_pass *pass = user;
    const wf_world *world = pass->world;
    for (size_t k = begin; k < end; k++) {
        int32_t i = (int32_t)k;
        double keep = kept_distance(world, pass->member->collider, i);
        pass->marks[i] = 0;
        if (wf_sweep_misses(&pass->sweep, pass->x0[i], pass->x1[i], 0, keep)) {
            continue;
        }
        bool lifts = pass->attempt == 0 && world->inverse_mass[i] > 0;
        wf_vertex_rules rules = {.keep = keep,
                                 .friction = friction_with(world, pass->member->collider, i),
                                 .lift = lifts ? WF_LIFT_SPEED * world->part : -1,
                                 .part_by = WF_PARTING_SPEED * world->part,
                                 .part = kept_part(pass->attempt)};
        pass->marks[i] = wf_sweep_keep_vertex(&pass->sweep, &rules, pass->x0[i], &pass->x1[i]);
    }
}

typedef struct face_points {
    int32_t vertex[3];
    wf_vec3 x0[3], x1[3];
    bool pinned[3];
    double keep;
} face_points;

static face_points gather_face(const door_pass *pass, wf_face_walk *walk, int32_t face)
{
    face_points points = {.keep = INFINITY};
    wf_world_face_vertices(pass->world, walk, face, points.vertex);
    for (int c = 0; c < 3; c++) {
        int32_t i = points.vertex[c];
        points.x0[c] = pass->x0[i];
        points.x1[c] = pass->x1[i];
        points.pinned[c] = pass->world->inverse_mass[i] == 0;
        points.keep = fmin(points.keep, kept_distance(pass->world, pass->member->collider, i));
    }
    return points;
}

static bool hits_face(const door_pass *pass, const face_points *face, wf_face_gap *gap, bool *pierced)
{
    return wf_sweep_hits_face(&pass->sweep, face->keep, face->pinned, face->x0, face->x1, gap, pierced);
}

static void find_face_hits(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const door_pass *pass = user;
    wf_face_walk walk = {0};
    for (size_t f = begin; f < end; f++) {
        face_points points = gather_face(pass, &walk, (int32_t)f);
        wf_face_gap gap;
        bool pierced = false;
        pass->marks[f] = !wf_sweep_misses_face(&pass->sweep, points.vertex, pass->x0, pass->x1, points.keep) &&
                         hits_face(pass, &points, &gap, &pierced);
        pass->pierced[f] = pierced;
    }
}

/* Answers one face that hits, unless what was done to others has settled it. Returns whether it was moved. */
static bool answer_face(const door_pass *pass, wf_face_walk *walk, int32_t face)
{
    face_points points = gather_face(pass, walk, face);
    const wf_world *world = pass->world;
    wf_face_gap gap;
    bool pierced;
    if (!hits_face(pass, &points, &gap, &pierced)) {
        return false;
    }
    double friction = 0, mobility[3], part = kept_part(pass->attempt);
    for (int c = 0; c < 3; c++) {
        mobility[c] = world->inverse_mass[points.vertex[c]];
        friction += gap.weights[c] * friction_with(world, pass->member->collider, points.vertex[c]);
    }
    if (part == 1 &&
        !wf_sweep_push_face(&pass->sweep, points.keep, friction, &gap, mobility, points.x0, points.x1)) {
        return false; /* the next attempt takes it */
    }
    for (int c = 0; c < 3; c++) {
        pass->x1[points.vertex[c]] =
            part < 1 ? wf_sweep_shorten(&pass->sweep, points.x0[c], points.x1[c], part) : points.x1[c];
    }
    return true;
}

/* One collider, once: vertices, then faces. Returns how much it moved. */
static int64_t pass_collider(door_pass *pass, int64_t *hits, int32_t *pierced)
{
    wf_world *world = pass->world;
    size_t vertices = (size_t)world->cloth_vertex_count, faces = (size_t)world->face_count;
    int64_t moved = 0;
    wf_parallel_for(world->context, vertices, VERTEX_BLOCK, keep_vertices, pass);
    for (size_t i = 0; i < vertices; i++) {
        moved += pass->marks[i];
    }
    *hits += moved;
    if (!pass->member->collider->class->support) {
        return moved;
    }
    wf_parallel_for(world->context, faces, FACE_BLOCK, find_face_hits, pass);
    wf_face_walk walk = {0};
    for (size_t f = 0; f < faces; f++) {
        *pierced += pass->pierced[f];
        if (pass->marks[f]) {
            ++*hits;
            moved += answer_face(pass, &walk, (int32_t)f);
        }
    }
    return moved;
}

/* ---- the last attempts ------------------------------------------------------------------------------------------- */

/* Widens a box by the way of a vertex that goes along with the collider. */
static void include_way(const door_pass *pass, int32_t vertex, wf_box *box)
{
    wf_vec3 from = pass->x0[vertex], to = wf_sweep_shorten(&pass->sweep, from, pass->x1[vertex], 0);
    wf_box_include(box, from);
    wf_box_include(box, to);
}

static bool vertex_hits(const door_pass *pass, int32_t i)
{
    wf_vec3 end = pass->x1[i];
    double keep = kept_distance(pass->world, pass->member->collider, i);
    wf_vertex_rules rules = {.keep = keep, .lift = -1, .part = 0};
    return !wf_sweep_misses(&pass->sweep, pass->x0[i], end, 0, keep) &&
           wf_sweep_keep_vertex(&pass->sweep, &rules, pass->x0[i], &end);
}

/* Whether a collider still hits anything; the box of what does, which goes along with it. */
static bool still_hits(door_pass *pass, wf_box *box)
{
    wf_world *world = pass->world;
    bool any = false;
    *box = wf_box_empty();
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        if (vertex_hits(pass, i)) {
            include_way(pass, i, box);
            any = true;
        }
    }
    if (!pass->member->collider->class->support) {
        return any;
    }
    wf_parallel_for(world->context, (size_t)world->face_count, FACE_BLOCK, find_face_hits, pass);
    wf_face_walk walk = {0};
    for (int32_t f = 0; f < world->face_count; f++) {
        if (pass->marks[f]) {
            int32_t vertex[3];
            wf_world_face_vertices(world, &walk, f, vertex);
            for (int c = 0; c < 3; c++) {
                include_way(pass, vertex[c], box);
            }
            any = true;
        }
    }
    return any;
}

/* The box of a whole cloth that goes along with the collider. */
static wf_box cloth_box(const door_pass *pass, const wf_cloth_member *member)
{
    wf_box box = wf_box_empty();
    for (int32_t i = 0; i < member->cloth->mesh.vertex_count; i++) {
        include_way(pass, member->first_vertex + i, &box);
    }
    return box;
}

static void carry_cloth(const door_pass *pass, const wf_cloth_member *member)
{
    for (int32_t i = member->first_vertex; i < member->first_vertex + member->cloth->mesh.vertex_count; i++) {
        pass->x1[i] = wf_sweep_shorten(&pass->sweep, pass->x0[i], pass->x1[i], 0);
    }
}

/* Whole cloths go along with a collider that still hits: those around what hits, and those around these, since what
 * goes along with them does not meet them. Other cloth has nothing to do with it. */
static bool carry_hits(door_pass *pass)
{
    const wf_world *world = pass->world;
    wf_box group;
    if (!still_hits(pass, &group)) {
        return false;
    }
    uint8_t *goes = pass->marks;
    memset(goes, 0, world->cloth_count);
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t m = 0; m < world->cloth_count; m++) {
            wf_box box = goes[m] ? wf_box_empty() : cloth_box(pass, &world->cloths[m]);
            if (wf_boxes_meet(&box, &group)) {
                group = wf_box_join(group, box);
                goes[m] = 1;
                grows = true;
            }
        }
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        if (goes[m]) {
            carry_cloth(pass, &world->cloths[m]);
        }
    }
    return true;
}

/* ---- the turns --------------------------------------------------------------------------------------------------- */

/* Marks that the door takes, of each kind. */
static size_t mark_count(const wf_world *world)
{
    return (size_t)(world->cloth_vertex_count > world->face_count ? world->cloth_vertex_count : world->face_count);
}

static wf_status make_marks(wf_world *world)
{
    if (!world->collider_marks) {
        world->collider_marks = wf_allocate(world->context, 2 * mark_count(world), sizeof *world->collider_marks);
    }
    return world->collider_marks ? WF_OK : WF_ERROR_MEMORY;
}

static door_pass make_pass(wf_world *world, size_t m, const wf_vec3 *x0, wf_vec3 *x1, int attempt)
{
    const wf_collider_member *member = &world->colliders[m];
    return (door_pass){.world = world,
                       .member = member,
                       .sweep = wf_sweep_make(member->collider, &member->start, &member->end),
                       .x0 = x0,
                       .x1 = x1,
                       .attempt = attempt,
                       .marks = world->collider_marks,
                       .pierced = world->collider_marks + mark_count(world)};
}

static bool bodies_go(const wf_world *world, const wf_vec3 *x0, const wf_vec3 *x1)
{
    for (size_t m = 0; m < world->body_count && !world->bodies_stopped; m++) {
        size_t first = (size_t)world->bodies[m].first_vertex, count = (size_t)world->bodies[m].body->mesh.vertex_count;
        if (memcmp(x0 + first, x1 + first, count * sizeof *x0) != 0) {
            return true;
        }
    }
    return false;
}

/* Cloth between a body that moves and a collider was carried by the one into the other: the body has to stop. */
static wf_status check_pressed(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1, int attempt)
{
    for (size_t m = 0; m < world->collider_count && bodies_go(world, x0, x1); m++) {
        door_pass pass = make_pass(world, m, x0, x1, attempt);
        wf_box group;
        if (still_hits(&pass, &group)) {
            return wf_fail(world->context, WF_ERROR_GEOMETRY, "contact: a moving body presses cloth into %s%s faster "
                           "than it can give way; take a smaller time step", article_of(pass.member->collider),
                           pass.member->collider->class->name);
        }
    }
    return WF_OK;
}

wf_status wf_world_keep_outside(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1, int attempt, bool *moved)
{
    *moved = false;
    if (world->collider_count == 0 || world->cloth_vertex_count == 0) {
        return WF_OK;
    }
    wf_status status = make_marks(world);
    if (status != WF_OK) {
        return status;
    }
    if (attempt >= WF_COLLIDER_ATTEMPTS) {
        return world->scene ? check_pressed(world, x0, x1, attempt) : WF_OK;
    }
    if (attempt >= WF_COLLIDER_ATTEMPTS - 2) {
        for (size_t m = 0; m < world->collider_count; m++) {
            door_pass pass = make_pass(world, m, x0, x1, attempt);
            *moved = carry_hits(&pass) || *moved;
        }
        return WF_OK;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        int64_t count = 0, hits = 0;
        int32_t pierced = 0;
        for (size_t m = 0; m < world->collider_count; m++) {
            door_pass pass = make_pass(world, m, x0, x1, attempt);
            count += pass_collider(&pass, &hits, &pierced);
        }
        if (attempt == 0 && sweep == 0) {
            world->stats.hits += (int32_t)hits;
            world->stats.pierced = pierced;
        }
        *moved = *moved || count > 0;
        if (count == 0) {
            break;
        }
    }
    return WF_OK;
}

/* Pushes a vertex out of a collider at rest, or back to the depth at which it was; returns whether it was deeper. */
static bool push_out(const wf_world *world, const wf_collider_member *member, int32_t vertex, wf_vec3 from, wf_vec3 *to)
{
    const wf_collider *collider = member->collider;
    double keep = kept_distance(world, collider, vertex);
    wf_vec3 local = wf_pose_to_local(&member->reached, *to), normal, unused;
    if (wf_collider_misses(collider, local, keep)) {
        return false;
    }
    double depth = collider->class->distance(collider, local, &normal);
    double before = collider->class->distance(collider, wf_pose_to_local(&member->reached, from), &unused);
    double least = fmin(keep, before);
    if (!(depth < least - DEEPER)) {
        return false;
    }
    local = wf_vec3_muladds(local, normal, least - depth);
    *to = wf_pose_to_world(&member->reached, local);
    return true;
}

wf_vec3 wf_world_end_outside(const wf_world *world, int32_t vertex, wf_vec3 from, wf_vec3 to)
{
    bool any = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && any; sweep++) {
        any = false;
        for (size_t m = 0; m < world->collider_count; m++) {
            any = push_out(world, &world->colliders[m], vertex, from, &to) || any;
        }
    }
    return any ? from : to;
}

void wf_world_count_inside(wf_world *world)
{
    for (size_t m = 0; m < world->collider_count; m++) {
        const wf_collider_member *member = &world->colliders[m];
        world->stats.inside += count_inside(world, member->collider, &member->end, 0, world->x1, 0,
                                            world->cloth_vertex_count);
    }
}
