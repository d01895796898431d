/* flow_air.c - the flow in a world's step: placing the box, bodies and cloth in it, sweeps. See flow_air.h. */
#include "world/flow_air.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/range.h"
#include "step/scheme.h"
#include "world/flow_air_private.h"
#include "world/flow_gaps.h"

enum { LEAST_FACES = 4 }; /* of cells: what cloth covers at least */

const char *const wf_flow_coupling_names[] = {"implicit", "lagged", "rigid", NULL};

wf_flow_air_params wf_default_flow_air_params(void)
{
    wf_flow_air_params params = {.cells = 48, .viscosity = 1.5e-5, .sweeps = 6, .leak = 0.01};
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        params.sides[side] = WF_FLOW_BY_WIND;
    }
    return params;
}

/* ---- making and freeing ---------------------------------------------------------------------------------------- */

static void free_sheet(wf_world_flow *f)
{
    wf_context *context = f->context;
    void *const arrays[] = {f->faces, f->permeability, f->density,        f->force,
                            f->cut,   f->direct,       f->any_direct,     f->in_sheet,
                            f->predicted, f->force_before, f->velocity_before, f->places,
                            f->normals,   f->nearness};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    wf_anderson_destroy(f->sweeps);
    wf_solid_destroy(context, f->bodies);
    f->sweeps = NULL;
    f->bodies = NULL;
    f->faces = NULL;
    f->permeability = f->density = f->nearness = NULL;
    f->cut = f->direct = f->any_direct = f->in_sheet = NULL;
    f->force = f->predicted = f->force_before = f->velocity_before = f->places = f->normals = NULL;
    f->revision = -1;
    f->has_before = false;
    f->acting = false;
}

void wf_world_flow_drop(wf_flow_place *box)
{
    wf_flow_cloth_destroy(box->cloth);
    wf_flow_destroy(box->flow);
    *box = (wf_flow_place){.flow = NULL};
}

void wf_world_flow_destroy(wf_world_flow *f)
{
    if (!f) {
        return;
    }
    free_sheet(f);
    wf_world_flow_drop(&f->box);
    wf_world_flow_drop(&f->before);
    wf_solid_faces_destroy(f->solids);
    wf_collider_release(f->floor);
    wf_free(f->context, f->points);
    wf_free(f->context, f->wind);
    wf_free(f->context, f);
}

static wf_status create(wf_context *context, wf_world_flow **out)
{
    wf_world_flow *f = wf_allocate(context, 1, sizeof *f);
    *out = f;
    if (!f) {
        return WF_ERROR_MEMORY;
    }
    f->context = context;
    f->params = wf_default_flow_air_params();
    f->revision = -1;
    wf_status status = wf_solid_faces_create(context, &f->solids);
    if (status != WF_OK) {
        wf_world_flow_destroy(f);
        *out = NULL;
    }
    return status;
}

static wf_status check_params(wf_context *context, const wf_flow_air_params *p)
{
    const wf_range ranges[] = {
        {"cell", p->cell, p->cell == 0 ? 0 : WF_FLOW_LEAST_CELL, 1e3},
        {"cells", p->cells, 4, 512},
        {"margin", p->margin, 0, 1e4},
        {"viscosity", p->viscosity, 0, 1e3},
        {"confinement", p->confinement, 0, 100},
        {"sweeps", p->sweeps, 1, WF_FLOW_MOST_SWEEPS},
        {"leak", p->leak, 0, 1},
    };
    const wf_status status = wf_check_ranges(context, ranges, sizeof ranges / sizeof *ranges);
    if (status != WF_OK) {
        return status;
    }
    if (p->placed && p->margin > 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "margin is around the scene, and a box from lower to upper has none: give one of them, got a "
                       "margin of %g m",
                       p->margin);
    }
    for (int a = 0; a < 3 && p->placed; a++) {
        if (!(wf_component(p->upper, a) - wf_component(p->lower, a) >= 4 * WF_FLOW_LEAST_CELL)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "upper must be above lower along each axis, by %g m and more, got {%g, %g, %g} and lower "
                           "{%g, %g, %g}",
                           4 * WF_FLOW_LEAST_CELL, p->upper.x, p->upper.y, p->upper.z, p->lower.x, p->lower.y,
                           p->lower.z);
        }
    }
    for (int a = 0; a < 3; a++) {
        if ((p->sides[2 * a] == WF_FLOW_PERIODIC) != (p->sides[2 * a + 1] == WF_FLOW_PERIODIC)) {
            const bool low = p->sides[2 * a] == WF_FLOW_PERIODIC;
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "an axis must be periodic on both its sides or on neither, got %c_%s alone", 'x' + a,
                           low ? "low" : "high");
        }
    }
    return WF_OK;
}

wf_flow_air_params wf_world_get_flow_air(const wf_world *world)
{
    return world->air.flow ? world->air.flow->params : wf_default_flow_air_params();
}

wf_status wf_world_set_flow_air(wf_world *world, const wf_flow_air_params *params)
{
    wf_status status = check_params(world->context, params);
    if (status == WF_OK && !world->air.flow) {
        status = create(world->context, &world->air.flow);
    }
    if (status == WF_OK) {
        wf_world_flow_drop(&world->air.flow->box);
        world->air.flow->params = *params;
        world->air.flow->stats = (wf_flow_air_stats){0};
    }
    return status;
}

/* Without cloth it flows around what else is there. */
bool wf_world_flow_acts(const wf_world *world)
{
    if (strcmp(world->air.params.model, "flow") != 0 || !wf_world_air_blows(world)) {
        return false;
    }
    return (world->air.flow && world->air.flow->params.placed) || wf_world_can_place_flow(world);
}

/* ---- the sheet ------------------------------------------------------------------------------------------------- */

static wf_status make_sheet_arrays(wf_world_flow *f, const wf_world *world, int32_t face_count)
{
    wf_context *context = f->context;
    const size_t vertices = (size_t)world->vertex_count, cloth = (size_t)world->cloth_vertex_count;
    const size_t faces = (size_t)face_count;
    f->cut = wf_allocate(context, faces, sizeof *f->cut);
    f->direct = wf_allocate(context, (size_t)world->face_count, sizeof *f->direct);
    f->any_direct = wf_allocate(context, world->cloth_count, sizeof *f->any_direct);
    f->in_sheet = wf_allocate(context, world->cloth_count, sizeof *f->in_sheet);
    f->faces = wf_allocate(context, faces, sizeof *f->faces);
    f->permeability = wf_allocate(context, faces, sizeof *f->permeability);
    f->density = wf_allocate(context, faces, sizeof *f->density);
    f->force = wf_allocate(context, vertices, sizeof *f->force);
    f->predicted = wf_allocate(context, vertices, sizeof *f->predicted);
    f->force_before = wf_allocate(context, cloth, sizeof *f->force_before);
    f->velocity_before = wf_allocate(context, cloth, sizeof *f->velocity_before);
    f->places = wf_allocate(context, vertices, sizeof *f->places);
    f->normals = wf_allocate(context, cloth, sizeof *f->normals);
    f->nearness = wf_allocate(context, vertices, sizeof *f->nearness);
    wf_status status = wf_anderson_create(context, 3 * cloth, &f->sweeps);
    return status == WF_OK && f->places && f->normals && f->nearness && f->faces && f->permeability && f->density &&
                   f->force && f->predicted && f->force_before && f->velocity_before && f->cut && f->direct &&
                   f->any_direct && f->in_sheet
               ? WF_OK
               : WF_ERROR_MEMORY;
}

static void add_faces(wf_world_flow *f, const wf_mesh *mesh, int32_t first_vertex)
{
    for (int32_t k = 0; k < mesh->face_count; k++) {
        for (int v = 0; v < 3; v++) {
            f->faces[f->face_count + k][v] = first_vertex + mesh->faces[k][v];
        }
        f->permeability[f->face_count + k] = 0;
        f->density[f->face_count + k] = 1;
    }
}

/* Whether a cloth covers enough faces of cells for their pressure to tell what air does to it. */
static bool is_resolved(const wf_world_flow *f, const wf_world *world, const wf_cloth_member *member)
{
    const double *d = wf_flow_get_params(f->box.flow)->spacing;
    const double face = fmax(d[0] * d[1], fmax(d[1] * d[2], d[2] * d[0]));
    const wf_mesh *mesh = &member->cloth->mesh;
    double area = 0;
    for (int32_t k = 0; k < mesh->face_count; k++) {
        const wf_vec3 *x = world->x0 + member->first_vertex;
        const int32_t *v = mesh->faces[k];
        area += 0.5 * wf_vec3_norm(wf_vec3_cross(wf_vec3_sub(x[v[1]], x[v[0]]), wf_vec3_sub(x[v[2]], x[v[0]])));
    }
    return area >= LEAST_FACES * face;
}

/* Of cloth that feels air, and of bodies without an inside, whose vertices are prescribed. */
static wf_status make_sheet(wf_world_flow *f, const wf_world *world)
{
    if (f->revision == world->revision && f->vertex_count == world->vertex_count) {
        return WF_OK;
    }
    free_sheet(f);
    int32_t count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        count += world->cloths[m].cloth->mesh.face_count;
    }
    for (size_t m = 0; m < world->body_count; m++) {
        count += world->bodies[m].body->solid ? 0 : world->bodies[m].body->mesh.face_count;
    }
    wf_status status = make_sheet_arrays(f, world, count);
    status = status == WF_OK ? wf_world_make_flow_bodies(world, f) : status;
    if (status != WF_OK) {
        free_sheet(f);
        return status;
    }
    f->vertex_count = world->vertex_count;
    f->cloth_count = world->cloth_vertex_count;
    f->revision = world->revision;
    return WF_OK;
}

static void fill_sheet(wf_world_flow *f, const wf_world *world)
{
    f->face_count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        f->in_sheet[m] = cloth->feels_air && is_resolved(f, world, &world->cloths[m]);
        if (f->in_sheet[m]) {
            add_faces(f, &cloth->mesh, world->cloths[m].first_vertex);
            for (int32_t k = 0; k < cloth->mesh.face_count; k++) {
                f->permeability[f->face_count + k] = cloth->air.permeability / WF_AIR_PERMEABILITY_PRESSURE;
                f->density[f->face_count + k] = cloth->fabrics[cloth->fabric[k]].density;
            }
            f->face_count += cloth->mesh.face_count;
        }
    }
    for (size_t m = 0; m < world->body_count; m++) {
        if (!world->bodies[m].body->solid) {
            add_faces(f, &world->bodies[m].body->mesh, world->bodies[m].first_vertex);
            f->face_count += world->bodies[m].body->mesh.face_count;
        }
    }
}

/* ---- cloth that the flow does not reach -------------------------------------------------------------------------- */

/* Whether a place is beyond the middles of the outermost cells of a side that the wind goes through. Beyond walls, and
 * where the air goes round, there is no wind. */
static bool is_outside(const wf_world_flow *f, wf_vec3 point)
{
    const wf_flow_params *params = wf_flow_get_params(f->box.flow);
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        const int a = side / 2;
        const double at = (wf_component(point, a) - wf_component(params->origin, a)) / params->spacing[a];
        const bool beyond = side % 2 ? at > params->cells[a] - 0.5 : at < 0.5;
        if (beyond && (f->box.sides[side] == WF_FLOW_INFLOW || f->box.sides[side] == WF_FLOW_OPEN)) {
            return true;
        }
    }
    return false;
}

/* Which faces feel the wind as without a flow: those outside of the box, and all of cloth that is too small for its
 * cells, or meets none. */
static void find_direct_faces(wf_world_flow *f, const wf_world *world)
{
    const wf_cut_faces *cuts = wf_flow_cloth_cuts(f->box.cloth);
    memset(f->cut, 0, (size_t)f->face_count * sizeof *f->cut);
    for (size_t k = 0; k < cuts->layer_count; k++) {
        f->cut[cuts->layers[k].triangle] = 1;
    }
    f->stats.direct_faces = 0;
    int32_t first = 0; /* of the sheet */
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        const int32_t count = member->cloth->mesh.face_count;
        const bool feels = member->cloth->feels_air && f->params.coupling != WF_FLOW_RIGID;
        const bool met = f->in_sheet[m] && memchr(f->cut + first, 1, (size_t)count);
        f->any_direct[m] = 0;
        for (int32_t k = 0; k < count; k++) {
            bool direct = feels && !met;
            if (feels && met) {
                const int32_t *v = f->faces[first + k];
                const wf_vec3 sum = wf_vec3_add(wf_vec3_add(world->x0[v[0]], world->x0[v[1]]), world->x0[v[2]]);
                direct = is_outside(f, wf_vec3_scale(sum, 1.0 / 3));
            }
            f->direct[member->first_face + k] = direct;
            f->any_direct[m] |= direct;
            f->stats.direct_faces += direct;
        }
        first += f->in_sheet[m] ? count : 0;
    }
}

bool wf_world_flow_misses(const wf_world *world, size_t cloth, const uint8_t **faces)
{
    const wf_world_flow *f = world->air.flow;
    *faces = f && f->acting ? f->direct : NULL;
    return *faces && f->any_direct[cloth];
}

/* ---- solids ---------------------------------------------------------------------------------------------------- */

/* What bodies do in the step, into `predicted`: they move evenly to where they are to be. */
static void predict_bodies(wf_world_flow *f, const wf_world *world)
{
    const double over = 1 / world->params.time_step;
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        for (int32_t i = 0; i < member->body->mesh.vertex_count; i++) {
            const int32_t k = member->first_vertex + i;
            f->predicted[k] = wf_vec3_scale(wf_vec3_sub(member->body->mesh.positions[i], world->x0[k]), over);
        }
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        const wf_rigid *rigid = world->rigids[m].rigid;
        for (int32_t i = 0; i < rigid->mesh.vertex_count; i++) {
            const int32_t k = world->rigids[m].first_vertex + i;
            const wf_vec3 arm = wf_vec3_sub(rigid->mesh.positions[i], rigid->centre);
            f->predicted[k] = wf_vec3_add(rigid->velocity, wf_vec3_cross(rigid->spin, arm));
        }
    }
}

static wf_status add_floor(wf_world_flow *f, const wf_world *world)
{
    wf_status status = WF_OK;
    wf_collider_def def = wf_default_collider_def();
    if (!f->floor) {
        status = wf_collider_create_plane(world->context, &def, &f->floor);
    }
    if (status == WF_OK) {
        def.pose.centre.y = world->params.floor_height;
        status = wf_solid_faces_add_collider(f->solids, f->floor, &def.pose, (wf_vec3){0, 0, 0}, (wf_vec3){0, 0, 0});
    }
    return status;
}

static wf_status add_solids(wf_world_flow *f, const wf_world *world)
{
    const wf_flow_params *params = wf_flow_get_params(f->box.flow);
    wf_status status = wf_solid_faces_begin(f->solids, wf_flow_get_grid(f->box.flow), params->origin, params->spacing,
                                            !f->box.fractions_written);
    for (size_t m = 0; m < world->body_count && status == WF_OK; m++) {
        const wf_body_member *member = &world->bodies[m];
        if (member->body->solid) {
            status = wf_solid_faces_add_surface(f->solids, world->x0 + member->first_vertex,
                                                f->predicted + member->first_vertex, member->body->mesh.face_count,
                                                (const int32_t(*)[3])member->body->mesh.faces);
        }
    }
    for (size_t m = 0; m < world->rigid_count && status == WF_OK; m++) {
        const wf_rigid *rigid = world->rigids[m].rigid;
        status = wf_solid_faces_add_surface(f->solids, rigid->mesh.positions,
                                            f->predicted + world->rigids[m].first_vertex, rigid->mesh.face_count,
                                            (const int32_t(*)[3])rigid->mesh.faces);
    }
    for (size_t m = 0; m < world->collider_count && status == WF_OK; m++) {
        const wf_collider_member *member = &world->colliders[m];
        status = wf_solid_faces_add_collider(f->solids, member->collider, &member->departure, member->velocity,
                                             member->spin);
    }
    if (status == WF_OK && world->params.floor) {
        status = add_floor(f, world);
    }
    if (status == WF_OK) {
        wf_solid_faces_finish(f->solids, f->box.fractions.open, f->box.fractions.velocity);
        f->box.fractions_written = true;
        wf_flow_solids_changed(f->box.flow);
    }
    return status;
}

/* ---- a step ---------------------------------------------------------------------------------------------------- */

static wf_status set_flow_params(wf_world_flow *f, const wf_world *world)
{
    wf_flow_params params = *wf_flow_get_params(f->box.flow);
    params.density = wf_world_flow_density(world);
    return wf_flow_set_params(f->box.flow, &params);
}

/* Velocities of pins, which the step prescribes, and what free vertices would have but for their own forces. */
static void predict_pins(wf_world_flow *f, const wf_world *world)
{
    const double over = 1 / world->params.time_step;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        for (int32_t i = 0; i < member->cloth->mesh.vertex_count; i++) {
            const int32_t k = member->first_vertex + i;
            if (member->cloth->pinned[i]) {
                f->predicted[k] = wf_vec3_scale(wf_vec3_sub(member->cloth->pin_targets[i], world->x0[k]), over);
            }
        }
    }
}

/* s of the first sweep: the momentum that the step begins with and the impulse of the cloth's own forces in the last
 * step; in the first, of its weight alone. Divided by the root of mass. */
static void begin_sweeps(wf_world_flow *f, const wf_world *world)
{
    const double h = world->params.time_step;
    double *s = wf_anderson_x(f->sweeps);
    for (int32_t i = 0; i < f->cloth_count; i++) {
        wf_vec3 change = wf_vec3_scale(world->params.gravity, h);
        if (f->has_before && world->inverse_mass[i] > 0) {
            change = wf_vec3_sub(world->v0[i], f->velocity_before[i]);
            change = wf_vec3_muladds(change, f->force_before[i], -f->step_before / world->mass[i]);
            change = wf_vec3_scale(change, h / f->step_before);
        }
        const wf_vec3 v = wf_vec3_scale(wf_vec3_add(world->v0[i], change), sqrt(world->mass[i]));
        memcpy(s + 3 * i, &v, sizeof v);
    }
}

wf_status wf_world_begin_flow(wf_world *world)
{
    wf_status status = world->air.flow ? WF_OK : create(world->context, &world->air.flow);
    if (status != WF_OK) {
        return status;
    }
    wf_world_flow *f = world->air.flow;
    const double h = world->params.time_step, end = wf_world_time(world) + h;
    status = wf_world_place_flow(world, f, end);
    status = status == WF_OK ? set_flow_params(f, world) : status;
    status = status == WF_OK ? make_sheet(f, world) : status;
    status = status == WF_OK ? wf_anderson_begin(f->sweeps) : status;
    if (status != WF_OK) {
        return status;
    }
    const double start = wf_clock_seconds();
    fill_sheet(f, world);
    predict_bodies(f, world);
    status = add_solids(f, world);
    if (status == WF_OK) {
        wf_world_find_flow_gaps(world, f);
        double *none = NULL;
        if (f->params.coupling != WF_FLOW_IMPLICIT) { /* nothing moves by the air */
            none = wf_allocate(f->context, (size_t)world->vertex_count, sizeof *none);
            status = none ? WF_OK : WF_ERROR_MEMORY;
        }
        const wf_flow_sheet sheet = {.vertex_count = world->vertex_count,
                                     .face_count = f->face_count,
                                     .positions = f->places,
                                     .faces = (const int32_t(*)[3])f->faces,
                                     .mass = world->mass,
                                     .inverse_mass = none ? none : world->inverse_mass,
                                     .permeability = f->permeability,
                                     .nearness = f->nearness,
                                     .density = f->density};
        status = status == WF_OK ? wf_flow_cloth_cut(f->box.cloth, &sheet, h, f->box.fractions.open) : status;
        wf_free(f->context, none);
    }
    if (status == WF_OK) {
        find_direct_faces(f, world);
    }
    const double cut = wf_clock_seconds();
    status = status == WF_OK ? wf_world_blow_in(world, f, end) : status;
    status = status == WF_OK ? wf_flow_begin_step(f->box.flow, h) : status;
    if (status != WF_OK) {
        return status;
    }
    begin_sweeps(f, world);
    f->acting = true;
    f->stats.cut_seconds = cut - start;
    f->stats.carry_seconds = wf_clock_seconds() - cut;
    f->stats.project_seconds = 0;
    return WF_OK;
}

/* The projection that expects the cloth's momentum of this sweep, and its force. */
wf_status wf_world_solve_flow(wf_world *world)
{
    wf_world_flow *f = world->air.flow;
    const double start = wf_clock_seconds();
    const double *s = wf_anderson_x(f->sweeps);
    const bool lagged = f->params.coupling != WF_FLOW_IMPLICIT;
    for (int32_t i = 0; i < f->cloth_count; i++) {
        wf_vec3 v;
        memcpy(&v, s + 3 * i, sizeof v);
        f->predicted[i] = lagged ? world->v0[i] : wf_vec3_scale(v, 1 / sqrt(world->mass[i]));
    }
    predict_pins(f, world);
    wf_flow_cloth_predict(f->box.cloth, f->predicted);
    wf_status status = wf_flow_solve_step(f->box.flow);
    if (status == WF_OK) {
        wf_flow_cloth_result(f->box.cloth, f->force);
        if (f->params.coupling == WF_FLOW_RIGID) {
            memset(f->force, 0, (size_t)f->vertex_count * sizeof *f->force);
        }
    }
    f->stats.project_seconds += wf_clock_seconds() - start;
    return status;
}

/* ---- sweeps ---------------------------------------------------------------------------------------------------- */

static void take_outcome(wf_world_flow *f, const wf_world *world)
{
    double *out = wf_anderson_value(f->sweeps);
    const double *in = wf_anderson_x(f->sweeps);
    for (int32_t i = 0; i < f->cloth_count; i++) {
        const double root = sqrt(world->mass[i]);
        wf_vec3 s = wf_vec3_scale(world->v1[i], root);
        s = wf_vec3_muladds(s, f->force[i], -world->params.time_step / root);
        if (world->inverse_mass[i] > 0) {
            memcpy(out + 3 * i, &s, sizeof s);
        } else {
            memcpy(out + 3 * i, in + 3 * i, sizeof s);
        }
    }
}

wf_status wf_world_sweep_flow(wf_world *world, bool may_repeat, bool *again)
{
    wf_world_flow *f = world->air.flow;
    const wf_flow_stats *stats = wf_flow_get_stats(f->box.flow);
    take_outcome(f, world);
    for (int32_t i = 0; i < f->cloth_count; i++) {
        f->predicted[i] = world->v1[i];
    }
    const wf_flow_cloth_leak leak = wf_flow_cloth_leak_of(f->box.cloth, f->predicted);
    f->stats.leak = leak.rms;
    f->stats.largest_leak = leak.largest;
    f->stats.sweeps = wf_anderson_count(f->sweeps);
    *again = may_repeat && f->params.coupling == WF_FLOW_IMPLICIT && f->stats.sweeps < f->params.sweeps &&
             leak.rms > f->params.leak * stats->largest_speed;
    return *again ? wf_anderson_mix(f->sweeps) : WF_OK;
}

static wf_vec3 momentum_of(const wf_world_flow *f)
{
    const wf_flow_grid *grid = wf_flow_get_grid(f->box.flow);
    const wf_flow_params *params = wf_flow_get_params(f->box.flow);
    const double mass = params->density * params->spacing[0] * params->spacing[1] * params->spacing[2];
    wf_vec3 sum = {0, 0, 0};
    for (int a = 0; a < wf_flow_axes(grid); a++) {
        const float *u = wf_flow_faces(f->box.flow, a);
        double total = 0;
        for (int32_t k = 0; k < grid->cells[2]; k++) {
            for (int32_t j = 0; j < grid->cells[1]; j++) {
                for (int32_t i = 0; i < grid->cells[0]; i++) {
                    const ptrdiff_t c = wf_flow_index(grid, i, j, k);
                    total += (double)u[c] * (double)f->box.fractions.open[a][c];
                }
            }
        }
        wf_set_component(&sum, a, total * mass);
    }
    return sum;
}

void wf_world_end_flow(wf_world *world, bool accept)
{
    wf_world_flow *f = world->air.flow;
    if (!f) {
        return;
    }
    const bool acting = f->acting;
    f->acting = false;
    if (acting) {
        wf_flow_end_step(f->box.flow, accept);
    }
    if (f->replaced) { /* the box that the step began with, or the one that it made */
        wf_flow_place *dropped = accept ? &f->before : &f->box;
        wf_world_flow_drop(dropped);
        f->box = accept ? f->box : f->before;
        f->before = (wf_flow_place){.flow = NULL};
        f->replaced = false;
    }
    if (accept && !acting) { /* time has gone by without it: what it was is no more */
        wf_world_flow_drop(&f->box);
        f->has_before = false;
    }
    if (!accept || !acting) {
        return;
    }
    wf_anderson_remember(f->sweeps);
    f->has_before = true;
    f->step_before = world->params.time_step;
    for (size_t m = 0; m < world->cloth_count; m++) { /* the arrays of the step may begin with its last part */
        const wf_cloth_member *member = &world->cloths[m];
        memcpy(f->velocity_before + member->first_vertex, member->cloth->velocities,
               (size_t)member->cloth->mesh.vertex_count * sizeof *f->velocity_before);
    }
    memcpy(f->force_before, f->force, (size_t)f->cloth_count * sizeof *f->force_before);
    const wf_flow_stats *stats = wf_flow_get_stats(f->box.flow);
    f->stats.cut_faces = (int32_t)wf_flow_cloth_cuts(f->box.cloth)->face_count;
    f->stats.iterations = stats->pressure.iterations;
    f->stats.substeps = stats->substeps;
    f->stats.divergence = stats->divergence;
}

const wf_flow_air_stats *wf_world_flow_air_stats(wf_world *world)
{
    wf_world_flow *f = world->air.flow;
    if (!f || !f->box.flow) {
        return NULL;
    }
    const wf_flow_params *params = wf_flow_get_params(f->box.flow);
    memcpy(f->stats.cells, params->cells, sizeof params->cells);
    f->stats.lower = f->stats.upper = params->origin;
    for (int a = 0; a < 3; a++) {
        wf_set_component(&f->stats.upper, a, wf_component(params->origin, a) + params->cells[a] * params->spacing[a]);
    }
    f->stats.momentum = momentum_of(f);
    return &f->stats;
}

/* ---- what others ask for --------------------------------------------------------------------------------------- */

const wf_vec3 *wf_world_flow_force(const wf_world *world)
{
    return world->air.flow && world->air.flow->acting ? world->air.flow->force : NULL;
}

double wf_world_flow_work(const wf_world *world)
{
    const wf_vec3 *force = wf_world_flow_force(world);
    double work = 0;
    for (int32_t i = 0; force && i < world->cloth_vertex_count; i++) {
        work += wf_vec3_dot(force[i], wf_vec3_sub(world->x1[i], world->x0[i]));
    }
    return work;
}

void wf_world_flow_total(const wf_world *world, const wf_cloth_member *member, wf_vec3 *force, wf_vec3 *moment)
{
    const wf_vec3 *forces = wf_world_flow_force(world);
    *force = *moment = (wf_vec3){0, 0, 0};
    for (int32_t i = 0; forces && i < member->cloth->mesh.vertex_count; i++) {
        const int32_t k = member->first_vertex + i;
        *force = wf_vec3_add(*force, forces[k]);
        *moment = wf_vec3_add(*moment, wf_vec3_cross(world->x0[k], forces[k]));
    }
}

bool wf_world_flow_at(const wf_world *world, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    const wf_world_flow *f = world->air.flow;
    if (!f || !f->box.flow) {
        return false;
    }
    for (size_t n = 0; n < count; n++) { /* outside of the box the wind blows as it does without a flow */
        (void)wf_world_flow_blows_at(f->box.flow, points[n], &velocities[n]);
    }
    return true;
}

uint64_t wf_world_hash_flow(const wf_world *world, uint64_t hash)
{
    const wf_world_flow *f = world->air.flow;
    if (!f || !f->box.flow || !wf_world_flow_acts(world)) {
        return hash;
    }
    const wf_flow_grid *grid = wf_flow_get_grid(f->box.flow);
    for (int a = 0; a < wf_flow_axes(grid); a++) { /* those on the box's sides are what the wind says in each step */
        const float *u = wf_flow_faces(f->box.flow, a);
        const int32_t first = a == 0;
        for (int32_t k = a == 2; k < grid->cells[2]; k++) {
            for (int32_t j = a == 1; j < grid->cells[1]; j++) {
                hash = wf_hash_bytes(hash, u + wf_flow_index(grid, first, j, k),
                                     (size_t)(grid->cells[0] - first) * sizeof *u);
            }
        }
    }
    return hash;
}
