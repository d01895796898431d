/* start.c - what a world says about cloth that starts crossing itself or a body.
 *
 * Contact keeps apart what is apart. Where surfaces cross already it cannot tell the sides, and leaves the crossing as
 * it is, or lets cloth pass through a rigid body (contact/caught.h); so the script hears of it before the first step.
 * Panels that are still to be sewn are looked at against rigid bodies alone: theirs touch along the stitches.
 */
#include <string.h>

#include "mesh/intersect.h"
#include "world/world_state.h"

static wf_surface surface_of(const wf_mesh *mesh, const wf_vec3 *positions)
{
    return (wf_surface){.vertex_count = mesh->vertex_count,
                        .positions = positions,
                        .face_count = mesh->face_count,
                        .faces = (const int32_t(*)[3])mesh->faces};
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
        const char *advice = rigid ? "contact cannot part them, put one of them elsewhere"
                             : crosses ? "what crosses passes through, world:untangle may part them"
                                       : "contact cannot part them, world:untangle may";
        wf_vec3 place = own->positions[own->faces[first[0][0]][0]];
        wf_warn(world->context, "%s starts crossing %s: %lld pairs of triangles, near {%.3f, %.3f, %.3f}; %s",
                rigid ? rigid->name : "cloth", with, (long long)count, place.x, place.y, place.z, advice);
        if (crosses) {
            *crosses = true;
        }
    }
    return status;
}

/* A rigid body against those before it and against bodies. */
static wf_status check_rigid(wf_world *world, size_t index)
{
    wf_rigid_member *member = &world->rigids[index];
    const wf_rigid *rigid = member->rigid;
    const wf_surface own = surface_of(&rigid->mesh, rigid->mesh.positions);
    wf_status status = WF_OK;
    for (size_t k = 0; k < index && status == WF_OK; k++) {
        const wf_rigid *other = world->rigids[k].rigid;
        const wf_surface surface = surface_of(&other->mesh, other->mesh.positions);
        if (wf_vec3_distance(rigid->centre, other->centre) < rigid->reach + other->reach) {
            status = check_pair(world, rigid, &own, &surface, other->name, NULL);
        }
    }
    for (size_t k = 0; k < world->body_count && status == WF_OK; k++) {
        const wf_body_member *body = &world->bodies[k];
        const wf_surface surface = surface_of(&body->body->mesh, body->positions);
        status = check_pair(world, rigid, &own, &surface, body->body->name, NULL);
    }
    member->start_checked = status == WF_OK;
    return status;
}

wf_status wf_world_check_placed(wf_world *world, const wf_body_member *member)
{
    const wf_surface placed = surface_of(&member->body->mesh, world->x0 + member->first_vertex);
    wf_status status = WF_OK;
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        const wf_surface own = surface_of(&cloth->mesh, cloth->mesh.positions);
        status = cloth->pair_count > 0 ? WF_OK : check_pair(world, NULL, &own, &placed, member->body->name, NULL);
    }
    for (size_t m = 0; m < world->rigid_count && status == WF_OK; m++) {
        const wf_rigid *rigid = world->rigids[m].rigid;
        const wf_surface own = surface_of(&rigid->mesh, rigid->mesh.positions);
        status = check_pair(world, rigid, &own, &placed, member->body->name, NULL);
    }
    return status;
}

/* Where a script put a body since the world's last step, nothing kept it from what is there. */
static void notice_placing(wf_rigid_member *member)
{
    const wf_rigid *rigid = member->rigid;
    if (memcmp(&member->left.centre, &rigid->centre, sizeof rigid->centre) != 0 ||
        memcmp(&member->left.turn, &rigid->turn, sizeof rigid->turn) != 0) {
        member->start_checked = false;
    }
    member->left = (wf_pose){rigid->centre, rigid->turn};
}

/* Rigid bodies against cloth, where one of them is new. */
static wf_status check_rigids_in_cloth(wf_world *world)
{
    wf_status status = WF_OK;
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid_member *member = &world->rigids[k];
        const wf_rigid *rigid = member->rigid;
        const wf_surface surface = surface_of(&rigid->mesh, rigid->mesh.positions);
        notice_placing(member);
        for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
            const wf_mesh *mesh = &world->cloths[m].cloth->mesh;
            const wf_surface own = surface_of(mesh, mesh->positions);
            if (!member->start_checked || !world->cloths[m].start_checked) {
                status = check_pair(world, NULL, &own, &surface, rigid->name, &member->starts_caught);
            }
        }
    }
    return status;
}

wf_status wf_world_check_start(wf_world *world)
{
    wf_status status = check_rigids_in_cloth(world);
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        wf_cloth_member *member = &world->cloths[m];
        if (member->start_checked || member->cloth->pair_count > 0) {
            member->start_checked = true;
            continue;
        }
        const wf_surface own = surface_of(&member->cloth->mesh, member->cloth->mesh.positions);
        bool meets_cloth = world->params.self_contact;
        if (meets_cloth) {
            status = check_pair(world, NULL, &own, NULL, "itself", NULL);
        }
        for (size_t k = 0; meets_cloth && k < m && status == WF_OK; k++) {
            const wf_mesh *mesh = &world->cloths[k].cloth->mesh;
            const wf_surface other = surface_of(mesh, mesh->positions);
            status = check_pair(world, NULL, &own, &other, "other cloth", NULL);
        }
        for (size_t k = 0; k < world->body_count && status == WF_OK; k++) {
            const wf_body_member *body = &world->bodies[k];
            const wf_surface surface = surface_of(&body->body->mesh, body->positions);
            status = check_pair(world, NULL, &own, &surface, body->body->name, NULL);
        }
        member->start_checked = status == WF_OK;
    }
    for (size_t m = 0; m < world->rigid_count && status == WF_OK; m++) {
        status = world->rigids[m].start_checked ? WF_OK : check_rigid(world, m);
    }
    return status;
}
