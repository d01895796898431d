/* caught.c - which cloth stands through bodies, before a part of a step, and how it parts from them.
 *
 * Found anew each time, from positions alone, for the bodies that something stood through before: nothing else can have
 * got there.
 */
#include "base/box.h"
#include "contact/caught.h"
#include "contact/free_motion.h"
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

/* A body that cloth may stand through. */
typedef struct solid_member {
    const wf_mesh *mesh;
    int32_t first_vertex; /* its class, too */
    wf_standing *now;
    bool touching; /* what but touches it counts as crossing: a rigid body would hang there (start.c) */
} solid_member;

/* Rigid bodies, then others. */
static solid_member solid_member_at(wf_world *world, size_t index)
{
    if (index < world->rigid_count) {
        wf_rigid_member *member = &world->rigids[index];
        return (solid_member){&member->rigid->mesh, member->first_vertex, &member->now, true};
    }
    wf_body_member *member = &world->bodies[index - world->rigid_count];
    return (solid_member){&member->body->mesh, member->first_vertex, &member->now, false};
}

/* Whether some of the points lie on each side of a triangle's plane; where it has none, as if they did. */
static bool on_both_sides(int count, const wf_vec3 *points, const wf_vec3 triangle[3])
{
    wf_vec3 normal = wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(triangle[1], triangle[0]),
                                                     wf_vec3_sub(triangle[2], triangle[0])));
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k < count; k++) {
        double height = wf_vec3_dot(normal, wf_vec3_sub(points[k], triangle[0]));
        lowest = fmin(lowest, height);
        highest = fmax(highest, height);
    }
    return wf_vec3_norm2(normal) == 0 || (lowest < -WF_TOUCHING && highest > WF_TOUCHING);
}

/* The face of cloth, and those of its edges that cross the face of the body. Whether they do. */
static bool catch_pair(wf_world *world, const wf_cloth_member *cloth, const solid_member *member,
                       const int32_t pair[2])
{
    const int32_t *own = cloth->cloth->mesh.faces[pair[0]], *other = member->mesh->faces[pair[1]];
    const wf_vec3 *x = world->x0 + cloth->first_vertex, *y = world->x0 + member->first_vertex;
    const wf_vec3 corners[3] = {x[own[0]], x[own[1]], x[own[2]]};
    const wf_vec3 triangle[3] = {y[other[0]], y[other[1]], y[other[2]]};
    int32_t face = cloth->first_face + pair[0];
    if (!member->touching && !(on_both_sides(3, corners, triangle) && on_both_sides(3, triangle, corners))) {
        return false;
    }
    wf_contact_catch_face(world->scene, face, member->first_vertex);
    for (int k = 0; k < 3; k++) {
        const wf_vec3 ends[2] = {corners[k], corners[(k + 1) % 3]};
        if ((member->touching || on_both_sides(2, ends, triangle)) &&
            wf_segment_meets_triangle(ends[0], ends[1], triangle)) {
            wf_contact_catch_edge(world->scene, face, k, member->first_vertex);
        }
        world->parting[cloth->first_vertex + own[k]] = WF_PARTS | WF_PARTS_ON;
    }
    return true;
}

static wf_status catch_crossing(wf_world *world, const wf_cloth_member *cloth, const solid_member *member, bool *any)
{
    const wf_surface own = surface_at(&cloth->cloth->mesh, world->x0 + cloth->first_vertex);
    const wf_surface other = surface_at(member->mesh, world->x0 + member->first_vertex);
    int64_t count, most;
    wf_status status = wf_intersections_find(world->context, &own, &other, 0, NULL, &most);
    if (status != WF_OK || most == 0) {
        return status;
    }
    int32_t(*pairs)[2] = wf_allocate(world->context, (size_t)most, sizeof *pairs);
    if (!pairs) {
        return WF_ERROR_MEMORY;
    }
    status = wf_intersections_find(world->context, &own, &other, most, pairs, &count);
    for (int64_t p = 0; status == WF_OK && p < count; p++) {
        *any = catch_pair(world, cloth, member, pairs[p]) || *any;
    }
    wf_free(world->context, pairs);
    return status;
}

/* For a point nearer to the surface than WF_TOUCHING the winding is a matter of rounding: `touching` decides. */
static bool is_in(const wf_solid *solid, wf_vec3 point, bool touching)
{
    wf_vec3 closest = point;
    return wf_solid_distance_at(solid, point, false, &closest) < WF_TOUCHING ? touching
                                                                         : wf_solid_winding_at(solid, point) > 0.5;
}

static wf_status catch_inside(wf_world *world, const solid_member *member, bool *any)
{
    wf_mesh mesh = *member->mesh;
    mesh.positions = world->x0 + member->first_vertex;
    const wf_vec3 margin = {WF_TOUCHING, WF_TOUCHING, WF_TOUCHING};
    wf_box box = wf_box_of(mesh.positions, mesh.vertex_count);
    box = (wf_box){wf_vec3_sub(box.lower, margin), wf_vec3_add(box.upper, margin)};
    wf_solid *solid = NULL;
    wf_status status = WF_OK;
    for (int32_t i = 0; status == WF_OK && i < world->cloth_vertex_count; i++) {
        const wf_box point = {world->x0[i], world->x0[i]};
        if (!wf_boxes_meet(&point, &box)) {
            continue;
        }
        status = solid ? WF_OK : wf_solid_create(world->context, &mesh, &solid);
        if (status == WF_OK && is_in(solid, world->x0[i], member->touching)) {
            wf_contact_catch_vertex(world->scene, i, member->first_vertex);
            world->parting[i] = WF_PARTS | WF_PARTS_ON;
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
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        world->parting[i] &= (uint8_t)~WF_PARTS_ON;
    }
    for (size_t k = 0; k < world->rigid_count + world->body_count && status == WF_OK; k++) {
        const solid_member member = solid_member_at(world, k);
        if (!member.now->catches) {
            continue;
        }
        status = begun ? WF_OK : wf_contact_catch_nothing(world->scene);
        begun = true;
        bool any = false;
        member.now->parting = k < world->rigid_count;
        for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
            status = catch_crossing(world, &world->cloths[m], &member, &any);
        }
        status = status == WF_OK ? catch_inside(world, &member, &any) : status;
        member.now->catches = any;
    }
    return status == WF_OK ? let_overlapping_pass(world, &begun) : status;
}

/* ---- parting ----------------------------------------------------------------------------------------------------- */

/* What comes out of a crossing, or begins nearer than its distance, would be thrown off by a spring that has all of the
 * energy of its overlap. One that is loaded with what brakes it, its weight at most, pushes it out by a little of the
 * thickness in a step; rigid_contacts.c brakes it, too. What neither moves nor weighs needs none. */

double wf_world_parting_share(const wf_world *world, wf_vec3 velocity)
{
    double braking = wf_vec3_norm(world->params.gravity) + wf_vec3_norm(velocity) / world->params.time_step;
    return fmin(braking / WF_STANDARD_GRAVITY, 1);
}

static bool is_deep(const wf_contact *pair)
{
    return pair->distance - pair->thickness < -WF_DEEP_OVERLAP * pair->thickness;
}

/* Whether any of its cloth has one of these `marks`. */
static bool any_marked(const wf_world *world, const wf_contact *pair, uint8_t marks)
{
    bool any = false;
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        any = any || (i < world->cloth_vertex_count && pair->weight[k] != 0 && (world->parting[i] & marks));
    }
    return any;
}

void wf_world_note_parting(wf_world *world, const wf_contact *pair)
{
    if (!is_deep(pair) || !(world->starting || any_marked(world, pair, WF_PARTS))) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (pair->vertex[k] < world->cloth_vertex_count && pair->weight[k] != 0) {
            world->parting[pair->vertex[k]] |= WF_PARTS_ON;
        }
    }
}

double wf_world_gentle_gap(const wf_world *world, const wf_contact *pair, wf_vec3 velocity)
{
    double gap = pair->distance - pair->thickness;
    bool parts = any_marked(world, pair, WF_PARTS | WF_PARTS_ON) || (world->starting && is_deep(pair));
    double least = -WF_OVERLAP_UNDER_WEIGHT * pair->thickness * wf_world_parting_share(world, velocity);
    return parts ? fmax(gap, least) : gap;
}

bool wf_world_any_parts(const wf_world *world)
{
    bool any = false;
    for (int32_t i = 0; i < world->cloth_vertex_count && !any; i++) {
        any = world->parting[i] != 0;
    }
    return any;
}

static void end_partings_of_rigids(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        world->rigids[k].kept_parting = world->rigids[k].now.catches || world->rigids[k].now.overlaps;
    }
    for (size_t c = 0; c < world->resting_count && world->rigid_count > 0; c++) {
        const wf_resting_arms *arms = &world->arms[c];
        bool parts_on = wf_world_arms_part_on(world, &world->resting[c], arms);
        for (int a = 0; a < 2 && parts_on; a++) {
            if (arms->rigid[a] >= 0) {
                world->rigids[arms->rigid[a]].kept_parting = true;
            }
        }
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        world->rigids[k].now.parting = world->rigids[k].now.parting && world->rigids[k].kept_parting;
    }
}

void wf_world_end_partings(wf_world *world)
{
    end_partings_of_rigids(world);
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        world->parting[i] = world->parting[i] & WF_PARTS_ON ? WF_PARTS : 0;
    }
}
