/* start.c - what a world says about cloth that starts crossing itself or a body.
 *
 * Contact keeps apart what is apart. Where surfaces of cloth cross already it cannot tell the sides, and leaves the
 * crossing as it is; what crosses a body passes through it (contact/caught.h). So the script hears of it before the
 * first step.
 * What but touches something, as round coordinates make it, begins the step micrometres away from it (touching.c,
 * touching_rigids.c), and is looked at there.
 * Panels that are still to be sewn are looked at against rigid bodies alone: theirs touch along the stitches.
 */
#include <string.h>

#include "base/box.h"
#include "contact/free_motion.h"
#include "mesh/intersect.h"
#include "mesh/solid.h"
#include "mesh/union_find.h"
#include "world/colliders.h"
#include "world/world_state.h"

static wf_surface surface_of(const wf_mesh *mesh, const wf_vec3 *positions)
{
    return (wf_surface){.vertex_count = mesh->vertex_count,
                        .positions = positions,
                        .face_count = mesh->face_count,
                        .faces = (const int32_t(*)[3])mesh->faces};
}

/* As the step begins. */
static wf_surface cloth_surface(const wf_world *world, const wf_cloth_member *member)
{
    return surface_of(&member->cloth->mesh, world->x0 + member->first_vertex);
}

/* Of what may start crossing something, as the step begins: most of it is far apart. */
typedef struct start_boxes {
    wf_box *cloth, *rigid, *body; /* [cloth_count], [rigid_count], [body_count] */
    wf_solid **solid;             /* [body_count] of those that some cloth had to be looked for in, else NULL */
} start_boxes;

static wf_box face_box(const wf_surface *surface, int32_t face)
{
    const int32_t *v = surface->faces[face];
    const wf_vec3 x[3] = {surface->positions[v[0]], surface->positions[v[1]], surface->positions[v[2]]};
    return wf_box_of(x, 3);
}

/* About where two faces cross: in the middle of what their boxes share. A corner may be far away. */
static wf_vec3 crossing_place(const wf_surface *own, const wf_surface *other, const int32_t face[2])
{
    const wf_box a = face_box(own, face[0]), b = face_box(other, face[1]);
    const wf_vec3 lower = {fmax(a.lower.x, b.lower.x), fmax(a.lower.y, b.lower.y), fmax(a.lower.z, b.lower.z)};
    const wf_vec3 upper = {fmin(a.upper.x, b.upper.x), fmin(a.upper.y, b.upper.y), fmin(a.upper.z, b.upper.z)};
    return wf_vec3_lerp(lower, upper, 0.5);
}

/* Counts the crossings of a surface, a rigid body's or that of cloth (`rigid` NULL), with itself (`other` NULL) or with
 * another, and warns. *crosses is set where there are any; NULL where nobody asks, and contact keeps what crosses. */
static wf_status check_pair(wf_world *world, const wf_rigid *rigid, const wf_surface *own, const wf_surface *other,
                            const char *with, bool *crosses)
{
    int64_t count;
    int32_t first[1][2];
    wf_status status = wf_intersections_find(world->context, own, other, 1, first, &count);
    if (status == WF_OK && count > 0) {
        const char *advice = rigid && crosses ? "they pass through each other, put one of them elsewhere"
                             : rigid ? "contact cannot part them, put one of them elsewhere"
                             : crosses ? "what crosses passes through, world:untangle may part them"
                                       : "contact cannot part them, world:untangle may";
        wf_vec3 place = crossing_place(own, other ? other : own, first[0]);
        wf_warn(world->context, "%s starts crossing %s: %lld pairs of triangles, near {%.3f, %.3f, %.3f}; %s",
                rigid ? rigid->name : "cloth", with, (long long)count, place.x, place.y, place.z, advice);
        if (crosses) {
            *crosses = true;
        }
    }
    return status;
}

static wf_vec3 nudged_centre(const wf_rigid_member *member)
{
    return wf_vec3_add(member->rigid->centre, member->nudge);
}

/* The surface of a rigid body as the next step begins. */
static wf_surface rigid_surface(const wf_world *world, const wf_rigid_member *member)
{
    return surface_of(&member->rigid->mesh, world->x0 + member->first_vertex);
}

static bool balls_meet(const wf_rigid_member *a, const wf_rigid_member *b)
{
    return wf_vec3_distance(nudged_centre(a), nudged_centre(b)) < 1.001 * (a->rigid->reach + b->rigid->reach);
}

/* ---- crossing ---------------------------------------------------------------------------------------------------- */

/* A rigid body against one before it. */
static wf_status check_two(wf_world *world, wf_rigid_member *member, wf_rigid_member *other)
{
    wf_rigid_member *two[2] = {member, other};
    const wf_surface surface[2] = {rigid_surface(world, member), rigid_surface(world, other)};
    bool crosses = false;
    wf_status status = check_pair(world, member->rigid, &surface[0], &surface[1], other->rigid->name, &crosses);
    for (int k = 0; k < 2 && status == WF_OK && !crosses; k++) {
        int32_t first;
        status = wf_world_find_inside(world, two[k]->rigid, world->x0 + two[k]->first_vertex, nudged_centre(two[k]),
                                      surface[1 - k].vertex_count, surface[1 - k].positions, &first);
        if (status == WF_OK && first >= 0) {
            wf_warn(world->context, "%s starts inside %s; they pass through each other, put one of them elsewhere",
                    two[1 - k]->rigid->name, two[k]->rigid->name);
            crosses = true;
        }
    }
    member->starts_overlapping |= crosses;
    other->starts_overlapping |= crosses;
    return status;
}

/* A rigid body against those before it and against bodies. */
static wf_status check_rigid(wf_world *world, const start_boxes *boxes, size_t index)
{
    wf_rigid_member *member = &world->rigids[index];
    const wf_rigid *rigid = member->rigid;
    wf_status status = WF_OK;
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        wf_rigid_member *other = &world->rigids[k];
        if ((k < index || (k > index && other->start_checked)) && balls_meet(member, other)) {
            status = check_two(world, member, other);
        }
    }
    const wf_surface own = rigid_surface(world, member);
    for (size_t k = 0; k < world->body_count && status == WF_OK; k++) {
        const wf_body_member *body = &world->bodies[k];
        const wf_surface surface = surface_of(&body->body->mesh, body->positions);
        status = wf_boxes_meet(&boxes->rigid[index], &boxes->body[k])
                     ? check_pair(world, rigid, &own, &surface, body->body->name, NULL)
                     : WF_OK;
    }
    member->start_checked = status == WF_OK;
    return status;
}

/* A point of cloth in a solid, by its pieces: what crosses nothing is in it with all of a piece, of which the first
 * point tells that is neither at the surface nor beyond its box. -1: none. *solid is made where it is needed. */
static wf_status find_piece_inside(wf_world *world, const wf_mesh *mesh, wf_solid **solid, const wf_surface *cloth,
                                   int32_t *first)
{
    const wf_box box = wf_box_of(mesh->positions, mesh->vertex_count);
    int32_t *piece = wf_allocate(world->context, (size_t)cloth->vertex_count, sizeof *piece);
    uint8_t *known = wf_allocate(world->context, (size_t)cloth->vertex_count, sizeof *known);
    wf_status status = piece && known ? WF_OK : WF_ERROR_MEMORY;
    *first = -1;
    if (status == WF_OK) {
        wf_union_find_reset(piece, cloth->vertex_count);
        for (int32_t f = 0; f < cloth->face_count; f++) {
            wf_union_find_join(piece, cloth->faces[f][0], cloth->faces[f][1]);
            wf_union_find_join(piece, cloth->faces[f][0], cloth->faces[f][2]);
        }
    }
    for (int32_t i = 0; status == WF_OK && i < cloth->vertex_count && *first < 0; i++) {
        const int32_t root = wf_union_find_root(piece, i);
        const wf_vec3 x = cloth->positions[i];
        const wf_box point = {x, x};
        if (known[root] || !wf_boxes_meet(&point, &box)) {
            known[root] = 1;
            continue;
        }
        status = *solid ? WF_OK : wf_solid_create(world->context, mesh, solid);
        wf_vec3 closest = x;
        if (status == WF_OK && wf_solid_distance_at(*solid, x, false, &closest) > WF_TOUCHING) {
            known[root] = 1;
            *first = wf_solid_winding_at(*solid, x) > 0.5 ? i : -1;
        }
    }
    wf_free(world->context, piece);
    wf_free(world->context, known);
    return status;
}

/* Cloth against a body, as that is at `x`; *solid, NULL at first, is what is made of it. */
static wf_status check_in_body(wf_world *world, const wf_cloth_member *cloth, wf_body_member *member, wf_vec3 *x,
                               wf_solid **solid)
{
    const wf_body *body = member->body;
    const wf_surface own = cloth_surface(world, cloth), surface = surface_of(&body->mesh, x);
    bool crosses = false;
    int32_t first = -1;
    wf_status status = check_pair(world, NULL, &own, &surface, body->name, &crosses);
    member->starts_caught |= crosses;
    if (status == WF_OK && !crosses && body->solid) {
        wf_mesh mesh = body->mesh;
        mesh.positions = x;
        status = find_piece_inside(world, &mesh, solid, &own, &first);
    }
    if (status == WF_OK && first >= 0) {
        const wf_vec3 place = own.positions[first];
        wf_warn(world->context, "cloth starts inside %s, near {%.3f, %.3f, %.3f}, and stays in it", body->name, place.x,
                place.y, place.z);
    }
    return status;
}

wf_status wf_world_check_placed(wf_world *world, wf_body_member *member)
{
    const wf_surface placed = surface_of(&member->body->mesh, world->x0 + member->first_vertex);
    wf_solid *solid = NULL;
    wf_status status = WF_OK;
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        const wf_cloth_member *cloth = &world->cloths[m];
        status = cloth->cloth->pair_count > 0
                     ? WF_OK
                     : check_in_body(world, cloth, member, world->x0 + member->first_vertex, &solid);
    }
    wf_solid_destroy(world->context, solid);
    for (size_t m = 0; m < world->rigid_count && status == WF_OK; m++) {
        const wf_surface own = rigid_surface(world, &world->rigids[m]);
        status = check_pair(world, world->rigids[m].rigid, &own, &placed, member->body->name, NULL);
    }
    return status;
}

bool wf_world_rigid_was_placed(const wf_rigid_member *member)
{
    const wf_rigid *rigid = member->rigid;
    return memcmp(&member->left.centre, &rigid->centre, sizeof rigid->centre) != 0 ||
           memcmp(&member->left.turn, &rigid->turn, sizeof rigid->turn) != 0;
}

/* Nothing kept it from what is there. */
static void notice_placing(wf_rigid_member *member)
{
    const wf_rigid *rigid = member->rigid;
    if (wf_world_rigid_was_placed(member)) {
        member->start_checked = false;
        member->stored_depth = 0;
    }
    member->left = (wf_pose){rigid->centre, rigid->turn};
}

/* Cloth against a rigid body: whether it crosses that, or is in it. */
static wf_status check_cloth(wf_world *world, const wf_cloth_member *cloth, wf_rigid_member *member,
                             const wf_surface *surface)
{
    const wf_surface own = cloth_surface(world, cloth);
    bool crosses = false;
    int32_t first = -1;
    wf_status status = check_pair(world, NULL, &own, surface, member->rigid->name, &crosses);
    if (status == WF_OK && !crosses) {
        status = wf_world_find_inside(world, member->rigid, world->x0 + member->first_vertex, nudged_centre(member),
                                      own.vertex_count, own.positions, &first);
    }
    if (status == WF_OK && first >= 0) {
        const wf_vec3 place = own.positions[first];
        wf_warn(world->context, "cloth starts inside %s, near {%.3f, %.3f, %.3f}; it passes through, put one of them "
                "elsewhere", member->rigid->name, place.x, place.y, place.z);
    }
    member->starts_caught = member->starts_caught || crosses || first >= 0;
    return status;
}

/* Rigid bodies against cloth, where one of them is new. */
static wf_status check_rigids_in_cloth(wf_world *world, const start_boxes *boxes)
{
    wf_status status = WF_OK;
    bool new_cloth = false;
    for (size_t m = 0; m < world->cloth_count; m++) {
        new_cloth = new_cloth || !world->cloths[m].start_checked;
    }
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        wf_rigid_member *member = &world->rigids[k];
        if (member->start_checked && !new_cloth) {
            continue;
        }
        const wf_surface surface = rigid_surface(world, member);
        member->starts = true;
        for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
            const bool new = !member->start_checked || !world->cloths[m].start_checked;
            if (new && wf_boxes_meet(&boxes->rigid[k], &boxes->cloth[m])) {
                status = check_cloth(world, &world->cloths[m], member, &surface);
            }
        }
    }
    return status;
}

/* New cloth against itself and cloth before it. */
static wf_status check_cloth_in_cloth(wf_world *world, const start_boxes *boxes, size_t index)
{
    const wf_surface own = cloth_surface(world, &world->cloths[index]);
    wf_status status = check_pair(world, NULL, &own, NULL, "itself", NULL);
    for (size_t k = 0; k < index && status == WF_OK; k++) {
        if (wf_boxes_meet(&boxes->cloth[index], &boxes->cloth[k])) {
            const wf_surface other = cloth_surface(world, &world->cloths[k]);
            status = check_pair(world, NULL, &own, &other, "other cloth", NULL);
        }
    }
    return status;
}

/* Cloth against bodies, where one of them is new. */
static wf_status check_cloth_in_bodies(wf_world *world, const start_boxes *boxes, size_t index)
{
    const wf_cloth_member *member = &world->cloths[index];
    wf_status status = WF_OK;
    for (size_t k = 0; k < world->body_count && status == WF_OK; k++) {
        wf_body_member *body = &world->bodies[k];
        bool placed = body->jumps != body->body->jumps; /* is looked at where it is to be */
        bool new = !placed && (!member->start_checked || !body->start_checked);
        if (new && wf_boxes_meet(&boxes->cloth[index], &boxes->body[k])) {
            status = check_in_body(world, member, body, body->positions, &boxes->solid[k]);
        }
    }
    return status;
}

static void notice_start(wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        world->starting = world->starting || !world->cloths[m].start_checked;
    }
    for (size_t k = 0; k < world->body_count; k++) {
        const wf_body_member *member = &world->bodies[k];
        world->starting = world->starting || !member->start_checked || member->jumps != member->body->jumps;
    }
    for (size_t k = 0; k < world->collider_count; k++) {
        const wf_collider_member *member = &world->colliders[k];
        world->starting = world->starting || !member->warned || member->jumps != member->collider->jumps;
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        notice_placing(&world->rigids[k]);
        world->starting = world->starting || !world->rigids[k].start_checked;
    }
}

static void measure_boxes(const wf_world *world, const start_boxes *boxes)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_surface own = cloth_surface(world, &world->cloths[m]);
        boxes->cloth[m] = wf_box_of(own.positions, own.vertex_count);
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_surface own = rigid_surface(world, &world->rigids[k]);
        boxes->rigid[k] = wf_box_of(own.positions, own.vertex_count);
    }
    for (size_t k = 0; k < world->body_count; k++) {
        boxes->body[k] = wf_box_of(world->bodies[k].positions, world->bodies[k].body->mesh.vertex_count);
    }
}

static wf_status check_all(wf_world *world, const start_boxes *boxes)
{
    wf_status status = check_rigids_in_cloth(world, boxes);
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        wf_cloth_member *member = &world->cloths[m];
        const bool nothing_to_sew = member->cloth->pair_count == 0;
        if (nothing_to_sew && !member->start_checked && world->params.self_contact) {
            status = check_cloth_in_cloth(world, boxes, m);
        }
        status = status == WF_OK && nothing_to_sew ? check_cloth_in_bodies(world, boxes, m) : status;
        member->start_checked = status == WF_OK;
    }
    for (size_t k = 0; k < world->body_count && status == WF_OK; k++) {
        world->bodies[k].start_checked = true;
    }
    for (size_t m = 0; m < world->rigid_count && status == WF_OK; m++) {
        status = world->rigids[m].start_checked ? WF_OK : check_rigid(world, boxes, m);
    }
    return status;
}

static wf_status check_start(wf_world *world)
{
    const size_t count = world->cloth_count + world->rigid_count + world->body_count;
    wf_box *all = wf_allocate(world->context, count, sizeof *all);
    wf_solid **solid = wf_allocate(world->context, world->body_count, sizeof(wf_solid *));
    const start_boxes boxes = {all, all + world->cloth_count, all + world->cloth_count + world->rigid_count, solid};
    wf_status status = all && solid ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        measure_boxes(world, &boxes);
        status = check_all(world, &boxes);
    }
    for (size_t k = 0; solid && k < world->body_count; k++) {
        wf_solid_destroy(world->context, solid[k]);
    }
    wf_free(world->context, solid);
    wf_free(world->context, all);
    return status;
}

wf_status wf_world_load_parted(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count && world->starting; k++) {
        world->rigids[k].nudge = (wf_vec3){0, 0, 0};
    }
    wf_world_load_rigid_sizes(world);
    wf_world_load_state(world);
    wf_status status = WF_OK;
    if (world->starting || (world->held_back && world->response->barrier)) {
        status = wf_world_part_touching(world); /* behind barriers also what was held, once there is room */
        if (status == WF_OK && world->starting) {
            status = wf_world_part_touching_rigids(world);
        }
        memcpy(world->x1, world->x0, (size_t)world->vertex_count * sizeof *world->x1);
    }
    return status;
}

wf_status wf_world_load_start(wf_world *world)
{
    notice_start(world);
    wf_status status = wf_world_load_parted(world);
    if (status == WF_OK && world->starting) {
        status = check_start(world);
        wf_world_load_rigids(world); /* with what the check finds them to stand in */
        memcpy(world->x1, world->x0, (size_t)world->vertex_count * sizeof *world->x1);
    }
    return status;
}
