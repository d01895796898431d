/* gather.c - the world's arrays, models, matrix and contact scene, made from its members; see world_state.h. */
#include <string.h>

#include "model/springs.h"
#include "world/world_state.h"

void wf_world_free_arrays(wf_world *world)
{
    wf_context *context = world->context;
    void *arrays[] = {world->x0,      world->v0,           world->x1,   world->v1,             world->x_free,
                      world->v_free,  world->x_stored,     world->v_stored,
                      world->mass,    world->area,         world->half_thickness, world->friction,
                      world->v_found, world->pin_force, world->material,
                      world->scratch, world->inverse_mass, world->neighbour_half_thickness,
                      world->weight,  world->touched,      world->prescribed, world->resting, world->sweep,
                      world->history, world->collider_marks, world->shares, world->arms, world->round,
                      world->unsettled,
                      world->rigid_motions, world->parting};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    world->x0 = world->v0 = world->x1 = world->v1 = world->x_free = world->v_free = world->v_found = NULL;
    world->x_stored = world->v_stored = world->pin_force = NULL;
    world->scratch = world->weight = NULL;
    world->history = NULL;
    world->touched = world->prescribed = world->parting = NULL;
    world->elements = (wf_elements){0};
    world->resting = NULL;
    world->collider_marks = NULL;
    world->shares = NULL;
    world->shares_count = world->shares_capacity = 0;
    world->arms = NULL;
    world->arms_capacity = 0;
    world->round = NULL;
    world->round_capacity = 0;
    world->rigid_motions = NULL;
    world->unsettled = NULL;
    world->sweep = NULL;
    wf_world_free_constant_matrix(world);
    world->sweep_capacity = 0;
    world->resting_count = world->resting_capacity = 0;
    world->integrated = false;
    world->revision++;
    world->material = NULL;
    world->mass = world->inverse_mass = world->area = world->half_thickness = world->friction = NULL;
    world->neighbour_half_thickness = NULL;
    wf_world_free_models(world);
    wf_world_free_barrier(world);
    wf_contact_scene_destroy(world->scene);
    wf_contact_blocks_destroy(context, world->contact_blocks);
    wf_filter_destroy(context, world->filter);
    wf_pcg_workspace_free(context, &world->solver);
    wf_low_rank_free(context, &world->low_rank);
    wf_low_rank_workspace_free(context, &world->low_rank_solver);
    wf_start_values_free(context, &world->start_values);
    wf_world_free_kept(world);
    wf_block_matrix_destroy(context, world->matrix);
    world->matrix = NULL;
    world->scene = NULL;
    world->contact_blocks = NULL;
    world->filter = NULL;
    world->contacts = NULL;
    world->contact_count = 0;
}

static bool is_current(const wf_world *world)
{
    if (world->members_changed || !world->matrix || wf_world_air_acts(world) != (world->air.model != NULL)) {
        return false;
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        if (member->topology != member->cloth->topology || member->materials != member->cloth->materials) {
            return false;
        }
    }
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        if (member->thickness != member->body->thickness || member->friction != member->body->friction) {
            return false;
        }
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        const wf_rigid_member *member = &world->rigids[m];
        if (member->thickness != member->rigid->thickness || member->friction != member->rigid->friction) {
            return false;
        }
    }
    return true;
}

static wf_status count_members(wf_world *world)
{
    int64_t vertices = 0, faces = 0, pairs = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        wf_cloth_member *member = &world->cloths[m];
        member->first_vertex = (int32_t)vertices;
        member->first_face = (int32_t)faces;
        member->first_pair = (int32_t)pairs;
        vertices += member->cloth->mesh.vertex_count;
        faces += member->cloth->mesh.face_count;
        pairs += member->cloth->pair_count;
    }
    world->pair_count = (int32_t)pairs;
    world->cloth_vertex_count = (int32_t)vertices;
    world->face_count = (int32_t)faces;
    wf_world_count_rigids(world, &vertices, &faces);
    for (size_t m = 0; m < world->body_count; m++) {
        world->bodies[m].first_vertex = (int32_t)vertices;
        vertices += world->bodies[m].body->mesh.vertex_count;
        faces += world->bodies[m].body->mesh.face_count;
    }
    world->vertex_count = (int32_t)vertices;
    if (vertices > INT32_MAX / 8 || pairs > INT32_MAX / 8 || faces > INT32_MAX / 8) {
        return wf_fail(world->context, WF_ERROR_LIMIT, "the world has %lld vertices, more than it can number",
                       (long long)vertices);
    }
    return WF_OK;
}

static wf_status allocate_arrays(wf_world *world)
{
    wf_context *context = world->context;
    size_t all = (size_t)world->vertex_count, rows = (size_t)world->row_count;
    size_t moving = (size_t)world->moving_count;
    world->x0 = wf_allocate(context, all, sizeof *world->x0);
    world->v0 = wf_allocate(context, all, sizeof *world->v0);
    world->x1 = wf_allocate(context, all, sizeof *world->x1);
    world->v1 = wf_allocate(context, all, sizeof *world->v1);
    world->inverse_mass = wf_allocate(context, all, sizeof *world->inverse_mass);
    world->half_thickness = wf_allocate(context, all, sizeof *world->half_thickness);
    world->friction = wf_allocate(context, all, sizeof *world->friction);
    world->prescribed = wf_allocate(context, 3 * rows, sizeof *world->prescribed);
    world->parting = wf_allocate(context, (size_t)world->cloth_vertex_count, sizeof *world->parting);
    world->mass = wf_allocate(context, rows, sizeof *world->mass);
    world->area = wf_allocate(context, rows, sizeof *world->area);
    world->neighbour_half_thickness = wf_allocate(context, moving, sizeof *world->neighbour_half_thickness);
    bool paired = world->friction_pair_count > 0;
    if (paired) {
        world->material = wf_allocate(context, all, sizeof *world->material);
        for (size_t i = 0; world->material && i < all; i++) {
            world->material[i] = -1;
        }
    }
    bool remembers = false;
    for (size_t m = 0; m < world->cloth_count; m++) {
        remembers = remembers || world->cloths[m].cloth->history;
    }
    if (remembers) {
        world->history = wf_allocate(context, (size_t)world->face_count, sizeof *world->history);
    }
    return world->x0 && world->v0 && world->x1 && world->v1 && world->inverse_mass && world->half_thickness &&
                   (world->history || !remembers) && (world->material || !paired) && world->friction &&
                   world->prescribed && world->parting && world->mass && world->area && world->neighbour_half_thickness
               ? WF_OK
               : WF_ERROR_MEMORY;
}

static double smallest_height(const wf_vec2 rest[3], double area)
{
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, wf_vec2_norm(wf_vec2_sub(rest[(k + 1) % 3], rest[k])));
    }
    return 2 * area / longest;
}

/* What a vertex takes from the faces around it. The thickest sets the distance it keeps; from its neighbours in the
 * sheet it keeps at most a quarter of the smallest height of its triangles, so that a flat sheet is free of contact. */
static void gather_surface(wf_world *world, const wf_cloth_member *member)
{
    const wf_cloth *cloth = member->cloth;
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        const wf_fabric *fabric = &cloth->fabrics[cloth->fabric[f]];
        const wf_vec2 *rest = cloth->rest[f];
        double area = 0.5 * wf_vec2_cross(wf_vec2_sub(rest[1], rest[0]), wf_vec2_sub(rest[2], rest[0]));
        double near = 0.125 * smallest_height(rest, area);
        for (int k = 0; k < 3; k++) {
            int32_t i = member->first_vertex + cloth->mesh.faces[f][k];
            double *neighbour_half = &world->neighbour_half_thickness[i];
            *neighbour_half = world->area[i] > 0 ? fmin(*neighbour_half, near) : near;
            world->area[i] += area / 3;
            world->half_thickness[i] = fmax(world->half_thickness[i], 0.5 * fabric->thickness);
            if (world->material && (world->friction[i] < fabric->friction || world->material[i] < 0)) {
                world->material[i] = wf_world_material(world, fabric->name);
            }
            world->friction[i] = fmax(world->friction[i], fabric->friction);
        }
    }
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        int32_t k = member->first_vertex + i;
        world->mass[k] = cloth->masses[i];
        world->neighbour_half_thickness[k] = fmin(world->neighbour_half_thickness[k], world->half_thickness[k]);
    }
}

/* Fills the world's cloth faces and classes from `member` on; `faces` begins with the member's first face. */
static wf_status gather_cloth(wf_world *world, wf_cloth_member *member, int32_t (*faces)[3], int32_t *classes)
{
    const wf_cloth *cloth = member->cloth;
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            faces[f][k] = member->first_vertex + cloth->mesh.faces[f][k];
        }
    }
    wf_status status = wf_cloth_stitch_classes(cloth, classes + member->first_vertex);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        /* Vertices of one class never meet: without contact of cloth with cloth, all are of one class. */
        int32_t *class = &classes[member->first_vertex + i];
        *class = world->params.self_contact ? *class + member->first_vertex : 0;
    }
    gather_surface(world, member);
    if (!member->parting || member->topology != cloth->topology) {
        wf_free(world->context, member->parting);
        member->parting = wf_allocate(world->context, (size_t)cloth->mesh.vertex_count, sizeof *member->parting);
        if (!member->parting) {
            return WF_ERROR_MEMORY;
        }
    }
    member->topology = cloth->topology;
    member->materials = cloth->materials;
    return WF_OK;
}

static void gather_body(wf_world *world, wf_body_member *member, int32_t (*faces)[3], int32_t *classes)
{
    const wf_body *body = member->body;
    member->thickness = body->thickness;
    member->friction = body->friction;
    for (int32_t f = 0; f < body->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            faces[f][k] = member->first_vertex + body->mesh.faces[f][k];
        }
    }
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        classes[member->first_vertex + i] = member->first_vertex;
        world->half_thickness[member->first_vertex + i] = body->thickness;
        world->friction[member->first_vertex + i] = body->friction;
        if (world->material) {
            world->material[member->first_vertex + i] = wf_world_material(world, body->name);
        }
    }
}

/* As if all faces of cloth were alike and equilateral. */
static void set_mean_edge(wf_world *world)
{
    double area = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        area += world->area[i];
    }
    world->mean_edge = world->face_count > 0 ? sqrt(4 / sqrt(3.0) * area / world->face_count) : INFINITY;
}

/* Models of all members, and the contact scene where anything can touch. */
static wf_status make_members(wf_world *world)
{
    wf_context *context = world->context;
    int32_t body_faces = 0, moving_faces = world->face_count;
    for (size_t m = 0; m < world->body_count; m++) {
        body_faces += world->bodies[m].body->mesh.face_count;
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        moving_faces += world->rigids[m].rigid->mesh.face_count;
    }
    int32_t(*faces)[3] = wf_allocate(context, (size_t)moving_faces + (size_t)body_faces, sizeof *faces);
    int32_t *classes = wf_allocate(context, (size_t)world->vertex_count, sizeof *classes);
    uint8_t *loose = wf_allocate(context, (size_t)world->moving_count, sizeof *loose);
    wf_status status = faces && classes && loose ? WF_OK : WF_ERROR_MEMORY;
    int32_t face = 0;
    for (size_t m = 0; status == WF_OK && m < world->cloth_count; m++) {
        for (int32_t i = 0; i < world->cloths[m].cloth->mesh.vertex_count; i++) {
            loose[world->cloths[m].first_vertex + i] = (uint8_t)world->cloths[m].cloth->loose[i];
        }
        status = gather_cloth(world, &world->cloths[m], faces + face, classes);
        face += world->cloths[m].cloth->mesh.face_count;
    }
    set_mean_edge(world);
    if (status == WF_OK) {
        status = wf_world_gather_rigids(world, faces + face, classes);
        face = moving_faces;
    }
    for (size_t m = 0; status == WF_OK && m < world->body_count; m++) {
        gather_body(world, &world->bodies[m], faces + face, classes);
        face += world->bodies[m].body->mesh.face_count;
    }
    if (status == WF_OK) {
        status = wf_world_make_models(world);
    }
    if (status == WF_OK && (world->params.self_contact || world->body_count > 0 || world->rigid_count > 0)) {
        wf_contact_scene_def def = {.cloth_count = world->moving_count,
                                    .vertex_count = world->vertex_count,
                                    .cloth_face_count = moving_faces,
                                    .cloth_faces = (const int32_t(*)[3])faces,
                                    .body_face_count = body_faces,
                                    .body_faces = (const int32_t(*)[3])(faces + moving_faces),
                                    .vertex_class = classes,
                                    .body_class = classes + world->moving_count,
                                    .rigid_start = world->rigid_count > 0 ? world->row_count : 0,
                                    .vertex_loose = loose,
                                    .half_thickness = world->half_thickness,
                                    .neighbour_half_thickness = world->neighbour_half_thickness,
                                    .friction = world->friction,
                                    .material = world->material,
                                    .material_count = 2 * world->friction_pair_count};
        wf_friction *table = NULL;
        status = wf_world_make_friction_table(world, &table);
        def.material_pairs = table;
        if (status == WF_OK) {
            status = wf_contact_scene_create(context, &def, &world->scene);
        }
        wf_free(context, table);
    } else {
        wf_free(context, world->neighbour_half_thickness); /* a scene alone asks for them */
        world->neighbour_half_thickness = NULL;
        if (world->collider_count == 0) {
            wf_free(context, world->friction);
            world->friction = NULL;
        }
    }
    wf_free(context, loose);
    wf_free(context, classes);
    wf_free(context, faces);
    return status;
}

static wf_status make_solver(wf_world *world)
{
    wf_context *context = world->context;
    wf_model *models[sizeof world->models / sizeof *world->models];
    for (size_t m = 0; m < world->model_count; m++) {
        models[m] = world->models[m].model;
    }
    wf_status status = wf_block_matrix_create_for_models(context, world->row_count,
                                                         (int32_t)world->model_count, models, &world->matrix);
    if (status == WF_OK) {
        status = wf_contact_blocks_create(context, &world->contact_blocks);
    }
    if (status == WF_OK) {
        status = wf_filter_create(context, world->row_count, &world->filter);
    }
    return status;
}

wf_status wf_world_refresh(wf_world *world)
{
    if (is_current(world)) {
        return WF_OK;
    }
    wf_world_free_arrays(world);
    wf_status status = count_members(world);
    if (status == WF_OK) {
        status = allocate_arrays(world);
    }
    if (status == WF_OK) {
        status = make_members(world);
    }
    if (status == WF_OK) {
        status = make_solver(world);
    }
    if (status == WF_OK) {
        wf_world_drop_elements(world);
    }
    if (status != WF_OK) {
        wf_world_free_arrays(world);
        world->members_changed = true;
        return status;
    }
    world->members_changed = false;
    return WF_OK;
}

/* Sewing changes stiffness and rest lengths between steps. */
static void load_stitches(wf_world *world, const wf_cloth_member *member)
{
    const wf_cloth *cloth = member->cloth;
    double *stiffness = wf_springs_stiffness(world->stitches) + member->first_pair;
    double *rest_lengths = wf_springs_rest_lengths(world->stitches) + member->first_pair;
    for (int32_t p = 0; p < cloth->pair_count; p++) {
        world->revision += stiffness[p] != cloth->stitch_stiffness || rest_lengths[p] != cloth->pair_rest_length[p];
        stiffness[p] = cloth->stitch_stiffness;
        rest_lengths[p] = cloth->pair_rest_length[p];
    }
}

void wf_world_load_history(wf_world *world)
{
    for (size_t m = 0; world->history && m < world->model_count; m++) {
        wf_model *model = world->models[m].model;
        if (model->class->set_history) {
            model->class->set_history(world->context, model, world->history, world->x0, world->part);
        }
    }
}

void wf_world_load_state(wf_world *world)
{
    wf_filter_clear(world->filter);
    world->pinned_count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        const wf_cloth *cloth = member->cloth;
        size_t count = (size_t)cloth->mesh.vertex_count, first = (size_t)member->first_vertex;
        memcpy(world->x0 + first, cloth->mesh.positions, count * sizeof *world->x0);
        memcpy(world->v0 + first, cloth->velocities, count * sizeof *world->v0);
        memcpy(world->parting + first, member->parting, count * sizeof *world->parting);
        for (size_t i = 0; i < count; i++) {
            world->inverse_mass[first + i] = cloth->pinned[i] ? 0 : 1 / cloth->masses[i];
            memset(world->prescribed + 3 * (first + i), cloth->pinned[i] != 0, 3);
            if (cloth->pinned[i]) {
                wf_filter_fix(world->filter, (int32_t)(first + i));
                world->pinned_count++;
            }
        }
        if (cloth->pair_count > 0) {
            load_stitches(world, member);
        }
        if (cloth->history) {
            memcpy(world->history + member->first_face, cloth->history,
                   (size_t)cloth->mesh.face_count * sizeof *cloth->history);
        }
    }
    wf_world_load_rigids(world);
    wf_world_load_bodies(world);
    world->part = world->time_left = world->params.time_step;
    wf_world_load_history(world);
    wf_world_load_fittings(world);
    memcpy(world->x1, world->x0, (size_t)world->vertex_count * sizeof *world->x1);
    memcpy(world->v1, world->v0, (size_t)world->vertex_count * sizeof *world->v1);
}

void wf_world_store_state(wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        size_t count = (size_t)member->cloth->mesh.vertex_count;
        memcpy(member->cloth->mesh.positions, world->x1 + member->first_vertex, count * sizeof *world->x1);
        memcpy(member->cloth->velocities, world->v1 + member->first_vertex, count * sizeof *world->v1);
        memcpy(member->parting, world->parting + member->first_vertex, count * sizeof *world->parting);
        if (member->cloth->history) {
            memcpy(member->cloth->history, world->history + member->first_face,
                   (size_t)member->cloth->mesh.face_count * sizeof *world->history);
        }
    }
    wf_world_store_bodies(world);
    wf_world_store_rigids(world);
}
