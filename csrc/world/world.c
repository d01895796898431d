/* world.c - a world's life: parameters, members, time, hash. */
#include "world/world.h"

#include <string.h>

#include "base/hash.h"
#include "base/range.h"
#include "step/element_step.h"
#include "world/world_state.h"

wf_world_params wf_default_world_params(void)
{
    return (wf_world_params){
        .time_step = 1.0 / 60,
        .gravity = {0, -9.81, 0},
        .floor_friction = 0.5,
        .self_contact = true,
        .contact_stiffness = 2e6,
        .friction_speed = 1e-5,
        .friction_scale = 1,
        .bending_scale = 1,
        .contact_skin = 0.004,
        .tolerance = 1e-3,
        .max_iterations = 1000,
        .limit_sweeps = 100,
        .integrator = "backward euler",
        .integrator_params = wf_default_integrator_params(),
        .contact = "impulses",
        .barrier_tolerance = 0.1,
    };
}

static wf_status check_params(wf_context *context, const wf_world_params *p)
{
    const wf_range ranges[] = {
        {"time_step", p->time_step, 1e-6, 1},
        {"gravity.x", p->gravity.x, -1e4, 1e4},
        {"gravity.y", p->gravity.y, -1e4, 1e4},
        {"gravity.z", p->gravity.z, -1e4, 1e4},
        {"damping", p->damping, 0, 1e4},
        {"floor", p->floor_height, -1e5, 1e5},
        {"floor_friction", p->floor_friction, 0, 10},
        {"contact_stiffness", p->contact_stiffness, 1, 1e12},
        {"friction_speed", p->friction_speed, 1e-9, 1},
        {"bending_scale", p->bending_scale, 0, 1e9},
        {"friction_scale", p->friction_scale, 0, 100},
        {"contact_skin", p->contact_skin, 1e-6, 1},
        {"barrier_tolerance", p->barrier_tolerance, 1e-8, 1},
        {"tolerance", p->tolerance, 1e-14, 0.5},
        {"max_iterations", p->max_iterations, 1, 1e6},
        {"limit_sweeps", p->limit_sweeps, 1, 1e6},
    };
    return wf_check_ranges(context, ranges, sizeof ranges / sizeof *ranges);
}

/* Whether a scheme that works on elements can take those of the cloths that are there. */
static wf_status check_elements(wf_world *world, wf_integrator *integrator)
{
    if (!wf_integrator_get_class(integrator)->needs_elements || world->cloth_count == 0) {
        return WF_OK;
    }
    wf_status status = wf_world_refresh(world);
    if (status != WF_OK) {
        return status;
    }
    const wf_system system = wf_world_system(world);
    return wf_elements_check(integrator, &system);
}

/* Multi-step and multi-stage schemes would have to know that turns do not add up; barriers, constraints and
 * geometric correction know points alone. */
static wf_status check_rigid_scheme(const wf_world *world, const wf_integrator *integrator)
{
    const char *scheme = wf_integrator_get_class(integrator)->name;
    if (strcmp(scheme, "backward euler") != 0) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT,
                       "rigid bodies need the integrator \"backward euler\", this is \"%s\"", scheme);
    }
    if (world->response->barrier || world->response->constrains || world->response->corrects) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "contact \"%s\" does not go with rigid bodies",
                       world->response->name);
    }
    return WF_OK;
}

/* Makes the integrator that the parameters name, and reads back what it is called and which defaults it filled in. */
static wf_status set_integrator(wf_world *world)
{
    wf_integrator *integrator = NULL;
    wf_status status = wf_integrator_create(world->context, world->params.integrator,
                                            &world->params.integrator_params, &integrator);
    if (status == WF_OK) {
        status = wf_contact_response_check(world->context, world->response, integrator);
    }
    if (status == WF_OK) {
        status = check_elements(world, integrator);
    }
    if (status == WF_OK && world->rigid_count > 0) {
        status = check_rigid_scheme(world, integrator);
    }
    if (status != WF_OK) {
        wf_integrator_destroy(integrator);
        return status;
    }
    wf_integrator_destroy(world->integrator); /* only now: the parameters may point into it */
    world->integrator = integrator;
    world->integrated = false;
    world->params.integrator = wf_integrator_get_class(integrator)->name;
    world->params.integrator_params = wf_integrator_get_params(integrator);
    return WF_OK;
}

wf_status wf_world_create(wf_context *context, const wf_world_params *params, wf_world **result)
{
    wf_world_params used = params ? *params : wf_default_world_params();
    wf_status status = check_params(context, &used);
    const wf_contact_response *response = NULL;
    if (status == WF_OK) {
        status = wf_contact_response_find(context, used.contact, &response);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_world *world = wf_allocate(context, 1, sizeof *world);
    if (!world) {
        return WF_ERROR_MEMORY;
    }
    world->context = context;
    world->params = used;
    world->air.params = wf_default_air_params();
    world->air.particles_params = wf_default_wind_particles_params();
    world->response = response;
    world->params.contact = response->name;
    status = wf_wind_create(context, &world->air.wind);
    status = status == WF_OK ? set_integrator(world) : status;
    if (status != WF_OK) {
        wf_world_destroy(world);
        return status;
    }
    *result = world;
    return WF_OK;
}

static void free_body_member(wf_world *world, wf_body_member *member)
{
    wf_free(world->context, member->positions);
    wf_free(world->context, member->velocities);
    wf_body_release(member->body);
}

void wf_world_destroy(wf_world *world)
{
    if (!world) {
        return;
    }
    wf_world_free_arrays(world);
    wf_world_flow_destroy(world->air.flow);
    wf_world_forget_wind_particles(world);
    wf_wind_destroy(world->air.wind);
    wf_integrator_destroy(world->integrator);
    for (size_t i = 0; i < world->cloth_count; i++) {
        world->cloths[i].cloth->world = NULL;
        wf_free(world->context, world->cloths[i].parting);
    }
    for (size_t i = 0; i < world->body_count; i++) {
        free_body_member(world, &world->bodies[i]);
    }
    wf_world_free_colliders(world);
    wf_free(world->context, world->friction_pairs);
    for (size_t i = 0; i < world->rigid_count; i++) {
        wf_world_free_smaller_rigid(world, &world->rigids[i]);
        world->rigids[i].rigid->world = NULL;
        wf_rigid_release(world->rigids[i].rigid);
    }
    wf_free(world->context, world->cloths);
    wf_free(world->context, world->bodies);
    wf_free(world->context, world->rigids);
    wf_free(world->context, world);
}

void wf_world_members_have_changed(wf_world *world)
{
    world->members_changed = true;
    world->rest_time = 0;
}

bool wf_world_has_cloth(const wf_world *world, const wf_cloth *cloth)
{
    for (size_t i = 0; i < world->cloth_count; i++) {
        if (world->cloths[i].cloth == cloth) {
            return true;
        }
    }
    return false;
}

wf_status wf_world_add_cloth(wf_world *world, wf_cloth *cloth)
{
    if (cloth->world) {
        return wf_fail(world->context, WF_ERROR_STATE, "the cloth is in %s world already",
                       cloth->world == world ? "this" : "another");
    }
    wf_status status = wf_reserve(world->context, &world->cloths, &world->cloth_capacity, world->cloth_count + 1,
                                  sizeof *world->cloths);
    if (status == WF_OK) {
        world->cloths[world->cloth_count++] = (wf_cloth_member){.cloth = cloth};
        cloth->world = world;
        wf_world_members_have_changed(world);
    }
    return status;
}

wf_status wf_world_add_body(wf_world *world, wf_body *body)
{
    for (size_t i = 0; i < world->body_count; i++) {
        if (world->bodies[i].body == body) {
            return wf_fail(world->context, WF_ERROR_STATE, "the body is in this world already");
        }
    }
    wf_status status = wf_reserve(world->context, &world->bodies, &world->body_capacity, world->body_count + 1,
                                  sizeof *world->bodies);
    if (status != WF_OK) {
        return status;
    }
    size_t count = (size_t)body->mesh.vertex_count;
    wf_body_member member = {.body = wf_body_retain(body),
                             .jumps = body->jumps,
                             .positions = wf_allocate(world->context, count, sizeof *member.positions),
                             .velocities = wf_allocate(world->context, count, sizeof *member.velocities)};
    if (!member.positions || !member.velocities) {
        free_body_member(world, &member);
        return WF_ERROR_MEMORY;
    }
    memcpy(member.positions, body->mesh.positions, count * sizeof *member.positions);
    world->bodies[world->body_count++] = member;
    wf_world_members_have_changed(world);
    return WF_OK;
}

wf_status wf_world_add_rigid(wf_world *world, wf_rigid *rigid)
{
    if (rigid->world) {
        return wf_fail(world->context, WF_ERROR_STATE, "the rigid body is in %s world already",
                       rigid->world == world ? "this" : "another");
    }
    wf_status status = check_rigid_scheme(world, world->integrator);
    if (status == WF_OK) {
        status = wf_reserve(world->context, &world->rigids, &world->rigid_capacity, world->rigid_count + 1,
                            sizeof *world->rigids);
    }
    if (status == WF_OK) {
        world->rigids[world->rigid_count++] = (wf_rigid_member){.rigid = wf_rigid_retain(rigid)};
        rigid->world = world;
        wf_world_members_have_changed(world);
    }
    return status;
}

wf_status wf_world_fail_for_stranger(const wf_world *world, const char *kind)
{
    return wf_fail(world->context, WF_ERROR_ARGUMENT, "the %s is not in this world", kind);
}

wf_status wf_world_remove_cloth(wf_world *world, wf_cloth *cloth)
{
    for (size_t i = 0; i < world->cloth_count; i++) {
        if (world->cloths[i].cloth == cloth) {
            wf_world_free_arrays(world); /* the member's models among them */
            wf_free(world->context, world->cloths[i].parting);
            world->cloth_count--;
            memmove(&world->cloths[i], &world->cloths[i + 1], (world->cloth_count - i) * sizeof *world->cloths);
            cloth->world = NULL;
            wf_obstacles_forget(world->air.obstacles, cloth);
            wf_world_members_have_changed(world);
            return WF_OK;
        }
    }
    return wf_world_fail_for_stranger(world, "cloth");
}

wf_status wf_world_remove_body(wf_world *world, wf_body *body)
{
    for (size_t i = 0; i < world->body_count; i++) {
        if (world->bodies[i].body == body) {
            free_body_member(world, &world->bodies[i]);
            world->body_count--;
            memmove(&world->bodies[i], &world->bodies[i + 1], (world->body_count - i) * sizeof *world->bodies);
            wf_obstacles_forget(world->air.obstacles, body);
            wf_world_members_have_changed(world);
            return WF_OK;
        }
    }
    return wf_world_fail_for_stranger(world, "body");
}

wf_status wf_world_remove_rigid(wf_world *world, wf_rigid *rigid)
{
    for (size_t i = 0; i < world->rigid_count; i++) {
        if (world->rigids[i].rigid == rigid) {
            wf_world_free_smaller_rigid(world, &world->rigids[i]);
            world->rigid_count--;
            memmove(&world->rigids[i], &world->rigids[i + 1], (world->rigid_count - i) * sizeof *world->rigids);
            wf_obstacles_forget(world->air.obstacles, rigid);
            wf_world_members_have_changed(world);
            rigid->world = NULL;
            wf_rigid_release(rigid);
            return WF_OK;
        }
    }
    return wf_world_fail_for_stranger(world, "rigid body");
}

wf_world_params wf_world_get_params(const wf_world *world)
{
    return world->params;
}

/* Changes integrator and contact response, each checked against the other; on failure neither. */
static wf_status set_scheme(wf_world *world, const wf_world_params *params)
{
    const wf_world_params before = world->params;
    const wf_contact_response *response_before = world->response;
    wf_status status = wf_contact_response_find(world->context, params->contact, &world->response);
    bool other_integrator = strcmp(params->integrator, before.integrator) != 0 ||
                            memcmp(&params->integrator_params, &before.integrator_params,
                                   sizeof before.integrator_params) != 0;
    if (status == WF_OK && other_integrator) {
        world->params.integrator = params->integrator;
        world->params.integrator_params = params->integrator_params;
        status = set_integrator(world);
    } else if (status == WF_OK) {
        status = wf_contact_response_check(world->context, world->response, world->integrator);
    }
    if (status == WF_OK && !other_integrator && world->rigid_count > 0) {
        status = check_rigid_scheme(world, world->integrator);
    }
    if (status != WF_OK) {
        world->params = before;
        world->response = response_before;
    }
    return status;
}

wf_status wf_world_set_params(wf_world *world, const wf_world_params *params)
{
    wf_status status = check_params(world->context, params);
    wf_world_params before = world->params;
    if (status == WF_OK) {
        status = set_scheme(world, params);
    }
    if (status != WF_OK) {
        return status;
    }
    if (params->time_step != world->params.time_step) {
        world->time_at_change = wf_world_time(world);
        world->steps_at_change = world->step_count;
    }
    if (params->self_contact != world->params.self_contact) {
        world->members_changed = true;
    }
    for (size_t i = 0; params->self_contact && !world->params.self_contact && i < world->cloth_count; i++) {
        world->cloths[i].start_checked = false; /* crossings begin to matter */
    }
    if (memcmp(&before, params, sizeof *params) != 0) {
        world->rest_time = 0; /* what rested under other conditions has to show it again */
        world->revision++;
    }
    wf_world_params filled = world->params;
    world->params = *params;
    world->params.integrator = filled.integrator;
    world->params.integrator_params = filled.integrator_params;
    world->params.contact = world->response->name;
    return WF_OK;
}

int64_t wf_world_step_count(const wf_world *world)
{
    return world->step_count;
}

double wf_world_time(const wf_world *world)
{
    return world->time_at_change + (double)(world->step_count - world->steps_at_change) * world->params.time_step;
}

wf_step_stats wf_world_stats(const wf_world *world)
{
    return world->stats;
}

static uint64_t hash_cloth(uint64_t hash, const wf_cloth *cloth)
{
    size_t vertices = (size_t)cloth->mesh.vertex_count, faces = (size_t)cloth->mesh.face_count;
    hash = wf_hash_bytes(hash, cloth->mesh.positions, vertices * sizeof *cloth->mesh.positions);
    hash = wf_hash_bytes(hash, cloth->velocities, vertices * sizeof *cloth->velocities);
    hash = wf_hash_bytes(hash, cloth->mesh.faces, faces * sizeof *cloth->mesh.faces);
    hash = wf_hash_bytes(hash, cloth->pinned, vertices * sizeof *cloth->pinned);
    if (cloth->history) {
        hash = wf_hash_bytes(hash, cloth->history, faces * sizeof *cloth->history);
    }
    return hash;
}

uint64_t wf_world_hash(const wf_world *world)
{
    uint64_t hash = wf_hash_start();
    hash = wf_hash_bytes(hash, &world->step_count, sizeof world->step_count);
    hash = wf_hash_bytes(hash, &world->held_by_springs, sizeof world->held_by_springs);
    hash = wf_hash_bytes(hash, &world->held_back, sizeof world->held_back);
    hash = wf_hash_bytes(hash, &world->bodies_stopped, sizeof world->bodies_stopped);
    hash = wf_hash_bytes(hash, &world->carrying, sizeof world->carrying);
    hash = wf_hash_bytes(hash, &world->params.time_step, sizeof world->params.time_step);
    hash = wf_hash_bytes(hash, &world->params.gravity, sizeof world->params.gravity);
    hash = wf_hash_bytes(hash, world->response->name, strlen(world->response->name));
    for (int32_t p = 0; p < world->friction_pair_count; p++) {
        hash = wf_hash_bytes(hash, &world->friction_pairs[p], sizeof world->friction_pairs[p]);
    }
    for (size_t i = 0; i < world->cloth_count; i++) {
        const wf_cloth_member *member = &world->cloths[i];
        hash = hash_cloth(hash, member->cloth);
        bool known = member->parting && member->topology == member->cloth->topology; /* else none parts */
        for (int32_t k = 0; known && k < member->cloth->mesh.vertex_count; k++) {
            hash = member->parting[k] ? wf_hash_bytes(hash, &k, sizeof k) : hash;
        }
    }
    hash = wf_world_hash_fittings(world, hash);
    hash = wf_world_hash_air(world, hash);
    for (size_t i = 0; i < world->body_count; i++) {
        const wf_body_member *member = &world->bodies[i];
        size_t count = (size_t)member->body->mesh.vertex_count;
        hash = wf_hash_bytes(hash, member->positions, count * sizeof *member->positions);
        hash = wf_hash_bytes(hash, &member->standing, sizeof member->standing);
    }
    for (size_t i = 0; i < world->rigid_count; i++) {
        const wf_rigid *rigid = world->rigids[i].rigid;
        hash = wf_hash_bytes(hash, &rigid->centre, sizeof rigid->centre);
        hash = wf_hash_bytes(hash, &rigid->turn, sizeof rigid->turn);
        hash = wf_hash_bytes(hash, &rigid->velocity, sizeof rigid->velocity);
        hash = wf_hash_bytes(hash, &rigid->spin, sizeof rigid->spin);
        const double depth = wf_world_rigid_was_placed(&world->rigids[i]) ? 0 : world->rigids[i].stored_depth;
        hash = wf_hash_bytes(hash, &depth, sizeof depth);
        hash = wf_hash_bytes(hash, &world->rigids[i].standing, sizeof world->rigids[i].standing);
    }
    return wf_world_hash_colliders(world, hash);
}
