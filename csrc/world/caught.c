/* caught.c - which cloth stands through rigid bodies, before a part of a step.
 *
 * Found anew each time, from positions alone, for the bodies that something stood through before: nothing else can have
 * got there.
 */
#include "contact/caught.h"
#include "mesh/intersect.h"
#include "mesh/solid.h"
#include "world/world_state.h"

static wf_surface surface_at(const wf_mesh *mesh, const wf_vec3 *positions)
{
    return (wf_surface){.vertex_count = mesh->vertex_count,
                        .positions = positions,
                        .face_count = mesh->face_count,
                        .faces = (const int32_t(*)[3])mesh->faces};
}

/* The face of cloth, and those of its edges that cross the face of the body. */
static void catch_pair(wf_world *world, const wf_cloth_member *cloth, const wf_rigid_member *member,
                       const int32_t pair[2])
{
    const int32_t *own = cloth->cloth->mesh.faces[pair[0]], *other = member->rigid->mesh.faces[pair[1]];
    const wf_vec3 *x = world->x0 + cloth->first_vertex, *y = world->x0 + member->first_vertex;
    const wf_vec3 triangle[3] = {y[other[0]], y[other[1]], y[other[2]]};
    int32_t face = cloth->first_face + pair[0];
    wf_contact_catch_face(world->scene, face, member->first_vertex);
    for (int k = 0; k < 3; k++) {
        if (wf_segment_meets_triangle(x[own[k]], x[own[(k + 1) % 3]], triangle)) {
            wf_contact_catch_edge(world->scene, face, k, member->first_vertex);
        }
    }
}

static wf_status catch_crossing(wf_world *world, const wf_cloth_member *cloth, const wf_rigid_member *member,
                                bool *any)
{
    const wf_surface own = surface_at(&cloth->cloth->mesh, world->x0 + cloth->first_vertex);
    const wf_surface other = surface_at(&member->rigid->mesh, world->x0 + member->first_vertex);
    int64_t count, most;
    wf_status status = wf_intersections_find(world->context, &own, &other, 0, NULL, &most);
    if (status != WF_OK || most == 0) {
        return status;
    }
    int32_t(*pairs)[2] = wf_allocate(world->context, (size_t)most, sizeof *pairs);
    if (!pairs) {
        return WF_ERROR_MEMORY;
    }
    *any = true;
    status = wf_intersections_find(world->context, &own, &other, most, pairs, &count);
    for (int64_t p = 0; status == WF_OK && p < count; p++) {
        catch_pair(world, cloth, member, pairs[p]);
    }
    wf_free(world->context, pairs);
    return status;
}

/* Whether a point is in a solid, or so near to its surface that rounding decides. */
static bool is_in(const wf_solid *solid, wf_vec3 point)
{
    const double least_distance = 1e-9; /* m */
    wf_vec3 closest = point;
    return wf_solid_winding_at(solid, point) > 0.5 ||
           wf_solid_distance_at(solid, point, false, &closest) < least_distance;
}

static wf_status catch_inside(wf_world *world, size_t index, bool *any)
{
    const wf_rigid_member *member = &world->rigids[index];
    const wf_vec3 centre = world->rigid_motions[index].from.centre;
    wf_mesh mesh = member->rigid->mesh;
    mesh.positions = world->x0 + member->first_vertex;
    wf_solid *solid;
    wf_status status = wf_solid_create(world->context, &mesh, &solid);
    for (int32_t i = 0; status == WF_OK && i < world->cloth_vertex_count; i++) {
        if (wf_vec3_distance(world->x0[i], centre) <= 1.001 * member->rigid->reach && is_in(solid, world->x0[i])) {
            wf_contact_catch_vertex(world->scene, i, member->first_vertex);
            *any = true;
        }
    }
    wf_solid_destroy(world->context, solid);
    return status;
}

wf_status wf_world_find_inside(wf_world *world, const wf_rigid *rigid, wf_vec3 *surface, wf_vec3 centre, int32_t count,
                               const wf_vec3 *points, int32_t *first)
{
    wf_mesh mesh = rigid->mesh;
    mesh.positions = surface;
    wf_solid *solid = NULL;
    wf_status status = WF_OK;
    *first = -1;
    for (int32_t i = 0; status == WF_OK && i < count && *first < 0; i++) {
        if (wf_vec3_distance(points[i], centre) <= rigid->reach) {
            status = solid ? WF_OK : wf_solid_create(world->context, &mesh, &solid);
            *first = status == WF_OK && wf_solid_winding_at(solid, points[i]) > 0.5 ? i : -1;
        }
    }
    wf_solid_destroy(world->context, solid);
    return status;
}

static wf_status find_overlap(wf_world *world, size_t a, size_t b, bool *overlap)
{
    const wf_rigid_member *member[2] = {&world->rigids[a], &world->rigids[b]};
    const wf_vec3 centre[2] = {world->rigid_motions[a].from.centre, world->rigid_motions[b].from.centre};
    wf_surface surface[2];
    int64_t count = 0;
    *overlap = false;
    if (!(wf_vec3_distance(centre[0], centre[1]) <= member[0]->rigid->reach + member[1]->rigid->reach)) {
        return WF_OK;
    }
    for (int k = 0; k < 2; k++) {
        surface[k] = surface_at(&member[k]->rigid->mesh, world->x0 + member[k]->first_vertex);
    }
    wf_status status = wf_intersections_find(world->context, &surface[0], &surface[1], 0, NULL, &count);
    int32_t inside = count > 0 ? 0 : -1;
    for (int k = 0; k < 2 && status == WF_OK && inside < 0; k++) {
        status = wf_world_find_inside(world, member[k]->rigid, world->x0 + member[k]->first_vertex, centre[k],
                                      surface[1 - k].vertex_count, surface[1 - k].positions, &inside);
    }
    *overlap = inside >= 0;
    return status;
}

/* Rigid bodies that overlap, of those that did before. */
static wf_status let_overlapping_pass(wf_world *world, bool *begun)
{
    wf_status status = WF_OK;
    for (size_t k = 0; k < world->rigid_count; k++) {
        world->rigids[k].kept_overlapping = false;
    }
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        wf_rigid_member *member = &world->rigids[k];
        if (member->now.overlaps && !*begun) {
            status = wf_contact_catch_nothing(world->scene);
            *begun = true;
        }
        for (size_t m = 0; m < k && member->now.overlaps && status == WF_OK; m++) {
            bool overlap = false;
            wf_rigid_member *other = &world->rigids[m];
            status = other->now.overlaps ? find_overlap(world, k, m, &overlap) : WF_OK;
            if (status == WF_OK && overlap) {
                member->kept_overlapping = other->kept_overlapping = true;
                status = wf_contact_let_pass(world->scene, member->first_vertex, other->first_vertex);
            }
        }
    }
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        wf_standing *now = &world->rigids[k].now;
        now->parting = now->parting || now->overlaps;
        now->overlaps = world->rigids[k].kept_overlapping;
    }
    return status;
}

wf_status wf_world_find_caught(wf_world *world)
{
    wf_status status = WF_OK;
    bool begun = false;
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        wf_rigid_member *member = &world->rigids[k];
        if (!member->now.catches) {
            continue;
        }
        status = begun ? WF_OK : wf_contact_catch_nothing(world->scene);
        begun = true;
        bool any = false;
        member->now.parting = true;
        for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
            status = catch_crossing(world, &world->cloths[m], member, &any);
        }
        status = status == WF_OK ? catch_inside(world, k, &any) : status;
        member->now.catches = any;
    }
    return status == WF_OK ? let_overlapping_pass(world, &begun) : status;
}
