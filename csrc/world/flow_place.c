/* flow_place.c - where the box of a world's flow lies, and what comes in through its sides. */
#include <string.h>

#include "base/box.h"
#include "base/finite.h"
#include "world/flow_air_private.h"

#define FAR_COLLIDER 50.0   /* m: colliders that reach farther do not make the box larger */
#define NEARBY 2.0          /* times the larger of cloth and body: how far from cloth bodies make the box larger */
#define PLACING_SLACK 0.25  /* of the margin: how far the scene moves before the box follows */
enum { CELL_MULTIPLE = 4 }; /* of a box that is placed by itself: even on coarse grids */
#define COARSENING 2.0      /* by how much the scene's size may ask for other cells until it gets them */

/* ---- the wind at places ---------------------------------------------------------------------------------------- */

static wf_status reserve_points(wf_world_flow *f, size_t count)
{
    wf_status status = wf_reserve(f->context, &f->points, &f->point_capacity, count, sizeof *f->points);
    return status == WF_OK ? wf_reserve(f->context, &f->wind, &f->wind_capacity, count, sizeof *f->wind) : status;
}

static wf_status sample(const wf_world *world, wf_world_flow *f, size_t count, double time)
{
    wf_status status = wf_wind_velocities(world->air.wind, time, count, f->points, f->wind);
    if (status == WF_OK && !wf_all_finite(&f->wind->x, 3 * count)) {
        status = wf_fail(world->context, WF_ERROR_NUMERIC, "the wind is not finite everywhere");
    }
    return status;
}

wf_status wf_world_blow_in(const wf_world *world, wf_world_flow *f, double time)
{
    wf_status status = WF_OK;
    for (int side = 0; side < WF_FLOW_SIDES && status == WF_OK; side++) {
        if (f->box.sides[side] != WF_FLOW_INFLOW && f->box.sides[side] != WF_FLOW_OPEN) {
            continue;
        }
        const size_t count = wf_flow_side_count(f->box.flow, side);
        status = reserve_points(f, count);
        if (status == WF_OK) {
            wf_flow_side_points(f->box.flow, side, f->points);
            status = sample(world, f, count, time);
        }
        if (status == WF_OK) {
            status = wf_flow_set_side_velocities(f->box.flow, side, f->wind);
        }
    }
    return status;
}

/* Whether the air of a flow has the face `at` of its own: where the wind blows in it is what the wind was, perhaps in a
 * step that was refused. */
static bool has_face(const wf_world_flow *f, const wf_flow_params *params, int axis, const int32_t at[3])
{
    bool has = true;
    for (int a = 0; a < 3; a++) {
        has = has && at[a] >= 0 && at[a] < params->cells[a] + (a == axis);
    }
    return has && !(at[axis] == 0 && f->box.sides[2 * axis] == WF_FLOW_INFLOW) &&
           !(at[axis] == params->cells[axis] && f->box.sides[2 * axis + 1] == WF_FLOW_INFLOW);
}

bool wf_world_flow_blows_at(const wf_flow *flow, wf_vec3 point, wf_vec3 *velocity)
{
    const wf_flow_params *params = wf_flow_get_params(flow);
    bool inside = true;
    for (int a = 0; a < 3; a++) {
        const double at = wf_component(point, a) - wf_component(params->origin, a);
        inside = inside && at >= 0 && at <= params->cells[a] * params->spacing[a];
    }
    if (inside) {
        wf_flow_velocities(flow, 1, &point, velocity);
    }
    return inside;
}

/* The wind on all faces of a flow that has just been made, or, where `old` is not NULL, what old's has where it has
 * them: its cell `shift` is the new one's cell 0; with shift NULL its cells are of another size. */
static wf_status fill_flow(const wf_world *world, wf_world_flow *f, wf_flow *flow, wf_flow *old,
                           const int32_t *shift, double time)
{
    const wf_flow_params *params = wf_flow_get_params(flow);
    const wf_flow_grid *grid = wf_flow_get_grid(flow), *old_grid = old ? wf_flow_get_grid(old) : NULL;
    const size_t row = (size_t)params->cells[0] + 1;
    wf_status status = reserve_points(f, row);
    for (int axis = 0; axis < wf_flow_axes(grid) && status == WF_OK; axis++) {
        float *u = wf_flow_faces(flow, axis);
        const float *from = old ? wf_flow_faces(old, axis) : NULL;
        for (int32_t k = 0; k < params->cells[2] + (axis == 2) && status == WF_OK; k++) {
            for (int32_t j = 0; j < params->cells[1] + (axis == 1) && status == WF_OK; j++) {
                for (size_t i = 0; i < row; i++) {
                    const double at[3] = {(double)i, j, k};
                    for (int a = 0; a < 3; a++) {
                        wf_set_component(&f->points[i], a, wf_component(params->origin, a) +
                                      (at[a] + (a == axis ? 0 : 0.5)) * params->spacing[a]);
                    }
                }
                status = sample(world, f, row, time);
                for (int32_t i = 0; i < params->cells[0] + (axis == 0) && status == WF_OK; i++) {
                    float *face = &u[wf_flow_index(grid, i, j, k)];
                    if (old && !shift) {
                        (void)wf_world_flow_blows_at(old, f->points[i], &f->wind[i]);
                    }
                    *face = (float)wf_component(f->wind[i], axis);
                    if (old && shift) {
                        const int32_t at[3] = {i + shift[0], j + shift[1], k + shift[2]};
                        const bool known = has_face(f, wf_flow_get_params(old), axis, at);
                        *face = known ? from[wf_flow_index(old_grid, at[0], at[1], at[2])] : *face;
                    }
                }
            }
        }
    }
    wf_flow_restart(flow);
    return status;
}

/* ---- placing --------------------------------------------------------------------------------------------------- */

static double longest_side(const wf_box *b)
{
    const wf_vec3 size = wf_vec3_sub(b->upper, b->lower);
    return fmax(fmax(size.x, size.y), size.z);
}

/* Makes a scene larger by what of a body lies near cloth; without cloth by all of it. */
static void take_body(wf_box *scene, const wf_box *cloth, wf_box body)
{
    if (cloth->lower.x <= cloth->upper.x) {
        const double reach = NEARBY * fmax(longest_side(cloth), longest_side(&body));
        const wf_vec3 room = {reach, reach, reach};
        const wf_box near = {wf_vec3_sub(cloth->lower, room), wf_vec3_add(cloth->upper, room)};
        if (!wf_boxes_meet(&near, &body)) {
            return;
        }
        body = (wf_box){wf_vec3_maxv(body.lower, near.lower), wf_vec3_minv(body.upper, near.upper)};
    }
    *scene = wf_box_join(*scene, body);
}

static bool scene_bounds(const wf_world *world, wf_vec3 *lower, wf_vec3 *upper)
{
    const wf_box cloth = wf_box_of(world->x0, world->cloth_vertex_count);
    wf_box scene = cloth;
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        take_body(&scene, &cloth, wf_box_of(world->x0 + member->first_vertex, member->body->mesh.vertex_count));
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        const wf_rigid_member *member = &world->rigids[m];
        take_body(&scene, &cloth, wf_box_of(world->x0 + member->first_vertex, member->rigid->mesh.vertex_count));
    }
    for (size_t k = 0; k < world->collider_count; k++) {
        const wf_collider_member *member = &world->colliders[k];
        const double reach = member->collider->reach;
        if (reach <= FAR_COLLIDER) {
            const wf_vec3 room = {reach, reach, reach}, centre = member->departure.centre;
            take_body(&scene, &cloth, (wf_box){wf_vec3_sub(centre, room), wf_vec3_add(centre, room)});
        }
    }
    *lower = scene.lower;
    *upper = scene.upper;
    return lower->x <= upper->x;
}

bool wf_world_can_place_flow(const wf_world *world)
{
    bool any = world->cloth_count + world->body_count + world->rigid_count > 0;
    for (size_t k = 0; k < world->collider_count && !any; k++) {
        any = world->colliders[k].collider->reach <= FAR_COLLIDER;
    }
    return any;
}

/* Whether the flow's box keeps `room` (m) around the scene on all sides. */
static bool has_room(const wf_flow_params *params, wf_vec3 lower, wf_vec3 upper, double room)
{
    bool fits = true;
    for (int a = 0; a < 3; a++) {
        const double low = wf_component(params->origin, a), high = low + params->cells[a] * params->spacing[a];
        fits = fits && fmin(wf_component(lower, a) - low, high - wf_component(upper, a)) >= room;
    }
    return fits;
}

/* Cells and origin of a box of its own choice. It stays while the scene keeps most of the margin on all sides. Then it
 * moves, and grows where it must, in whole cells; these change only with a scene that is of another size altogether. */
static wf_status place_around(const wf_world *world, const wf_world_flow *f, wf_flow_params *params)
{
    wf_vec3 lower, upper;
    if (!scene_bounds(world, &lower, &upper)) {
        return wf_fail(world->context, WF_ERROR_STATE, "there is nothing that a flow could be placed around");
    }
    const wf_vec3 size = wf_vec3_sub(upper, lower);
    const double longest = fmax(fmax(size.x, size.y), fmax(size.z, 8 * WF_FLOW_LEAST_CELL));
    const double margin = f->params.margin > 0 ? f->params.margin : longest;
    double cell = f->params.cell > 0 ? f->params.cell : (longest + 2 * margin) / f->params.cells;
    bool same_cell = false;
    if (f->box.flow) {
        *params = *wf_flow_get_params(f->box.flow);
        if (has_room(params, lower, upper, margin * (1 - PLACING_SLACK))) {
            return WF_OK;
        }
        const double present = params->spacing[0];
        same_cell = f->params.cell > 0 || (cell <= COARSENING * present && cell * COARSENING >= present);
        cell = same_cell ? present : cell;
    }
    for (int a = 0; a < 3; a++) {
        const double extent = wf_component(size, a) + 2 * margin, count = ceil(extent / cell / CELL_MULTIPLE);
        const int32_t needed = (int32_t)fmin(fmax(count, 1) * CELL_MULTIPLE, 1 << 20), present = params->cells[a];
        const bool enough = same_cell && present >= needed && present <= 2 * needed; /* flaps change nothing */
        params->cells[a] = enough ? present : needed;
        params->spacing[a] = cell;
        const double middle = 0.5 * (wf_component(lower, a) + wf_component(upper, a));
        wf_set_component(&params->origin, a, cell * floor((middle - 0.5 * params->cells[a] * cell) / cell + 0.5));
    }
    return WF_OK;
}

static void place_between(const wf_world_flow *f, wf_flow_params *params)
{
    const wf_vec3 size = wf_vec3_sub(f->params.upper, f->params.lower);
    const double longest = fmax(size.x, fmax(size.y, size.z));
    const double cell = f->params.cell > 0 ? f->params.cell : longest / f->params.cells;
    params->origin = f->params.lower;
    for (int a = 0; a < 3; a++) {
        const double count = floor(wf_component(size, a) / cell + 0.5);
        const bool flat = a == 2 && count <= 1; /* two dimensions */
        params->cells[a] = flat ? 1 : (int32_t)fmin(fmax(count, 4), 1 << 20);
        params->spacing[a] = wf_component(size, a) / params->cells[a];
    }
}

/* What sides are that the wind decides: it is given where it blows in, and finds its way out through the others. Not
 * every breath turns a side round: another one begins with a new flow. */
static wf_status choose_sides(const wf_world *world, wf_world_flow *f, const wf_flow_params *params, double time,
                              wf_flow_side_kind kinds[WF_FLOW_SIDES])
{
    double fastest = 0;
    wf_status status = reserve_points(f, WF_FLOW_SIDES);
    for (int side = 0; side < WF_FLOW_SIDES && status == WF_OK; side++) {
        for (int a = 0; a < 3; a++) {
            const double part = a == side / 2 ? side % 2 : 0.5, size = params->cells[a] * params->spacing[a];
            wf_set_component(&f->points[side], a, wf_component(params->origin, a) + part * size);
        }
    }
    status = status == WF_OK ? sample(world, f, WF_FLOW_SIDES, time) : status;
    for (int side = 0; side < WF_FLOW_SIDES && status == WF_OK; side++) {
        fastest = fmax(fastest, wf_vec3_norm(f->wind[side]));
    }
    for (int side = 0; side < WF_FLOW_SIDES && status == WF_OK; side++) {
        const double in = wf_component(f->wind[side], side / 2) * (side % 2 ? -1 : 1);
        const bool was_in = f->box.flow && f->box.sides[side] == WF_FLOW_INFLOW;
        kinds[side] = f->params.sides[side] != WF_FLOW_BY_WIND           ? (wf_flow_side_kind)f->params.sides[side]
                      : in > (was_in ? 0.05 : 0.15) * fastest ? WF_FLOW_INFLOW
                                                              : WF_FLOW_OPEN;
    }
    return status;
}

wf_status wf_world_place_flow(const wf_world *world, wf_world_flow *f, double time)
{
    wf_flow_params params = wf_default_flow_params();
    wf_status status = WF_OK;
    if (f->params.placed) {
        place_between(f, &params);
    } else {
        status = place_around(world, f, &params);
    }
    wf_flow_side_kind kinds[WF_FLOW_SIDES];
    status = status == WF_OK ? choose_sides(world, f, &params, time, kinds) : status;
    if (status != WF_OK) {
        return status;
    }
    const wf_flow_params *old = f->box.flow ? wf_flow_get_params(f->box.flow) : NULL;
    bool same = old && memcmp(kinds, f->box.sides, sizeof kinds) == 0;
    bool same_cells = old != NULL, same_spacing = old != NULL;
    int32_t shift[3] = {0, 0, 0};
    for (int a = 0; a < 3 && old; a++) {
        same_cells = same_cells && params.cells[a] == old->cells[a];
        same_spacing = same_spacing && params.spacing[a] == old->spacing[a];
        const double way = wf_component(params.origin, a) - wf_component(old->origin, a);
        shift[a] = (int32_t)floor(way / params.spacing[a] + 0.5);
        same = same && shift[a] == 0;
    }
    if (same && same_cells && same_spacing) {
        return WF_OK;
    }
    params.density = wf_world_flow_density(world);
    params.viscosity = f->params.viscosity;
    params.confinement = f->params.confinement;
    params.predict_pressure = false; /* an old jump would push air where the sheet is no more */
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        params.sides[side] = (wf_flow_side){.kind = kinds[side]};
    }
    wf_flow *flow = NULL;
    wf_flow_cloth *cloth = NULL;
    wf_flow_solids fractions;
    status = wf_flow_create(world->context, &params, &flow);
    status = status == WF_OK ? wf_flow_use_solids(flow, &fractions) : status;
    status = status == WF_OK ? wf_flow_cloth_create(world->context, flow, &cloth) : status;
    status = status == WF_OK ? fill_flow(world, f, flow, f->box.flow, same_spacing ? shift : NULL, time) : status;
    if (status != WF_OK) {
        wf_flow_cloth_destroy(cloth);
        wf_flow_destroy(flow);
        return status;
    }
    wf_world_flow_drop(&f->before);
    f->before = f->box;
    f->replaced = true;
    f->box = (wf_flow_place){.flow = flow, .cloth = cloth, .fractions = fractions};
    memcpy(f->box.sides, kinds, sizeof kinds);
    return WF_OK;
}
