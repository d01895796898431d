/* air_particles.c - the wind particles of a world: what stands in their way, and when they move.
 *
 * Cloth, bodies, rigid bodies, colliders and the floor are in the way where a step begins. The air moves on by the step
 * first, and the faces of cloth then feel what has come to where they are.
 */
#include "world/world_state.h"

typedef struct obstacle_list {
    wf_obstacle_mesh *meshes;
    wf_obstacle_collider *colliders;
    int32_t mesh_count;
} obstacle_list;

static void add_mesh(const wf_world *world, obstacle_list *list, const void *owner, const wf_mesh *mesh,
                     int32_t first_vertex, double porosity)
{
    list->meshes[list->mesh_count++] = (wf_obstacle_mesh){.vertex_count = mesh->vertex_count,
                                                          .positions = world->x0 + first_vertex,
                                                          .owner = owner,
                                                          .face_count = mesh->face_count,
                                                          .faces = (const int32_t(*)[3])mesh->faces,
                                                          .porosity = porosity};
}

/* Cloth first, in the order of the world's faces. Of what is closed the porosity is that of both sides together. */
static void list_obstacles(const wf_world *world, obstacle_list *list)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        add_mesh(world, list, member->cloth, &member->cloth->mesh, member->first_vertex, member->cloth->air.porosity);
    }
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        const wf_body *body = member->body;
        add_mesh(world, list, body, &body->mesh, member->first_vertex,
                 body->solid ? sqrt(body->porosity) : body->porosity);
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        const wf_rigid_member *member = &world->rigids[m];
        const wf_rigid *rigid = member->rigid;
        add_mesh(world, list, rigid, &rigid->mesh, member->first_vertex, sqrt(rigid->porosity));
    }
    for (size_t m = 0; m < world->collider_count; m++) {
        const wf_collider_member *member = &world->colliders[m];
        list->colliders[m] =
            (wf_obstacle_collider){member->collider, member->departure, member->collider->porosity};
    }
}

static wf_status make_particles(wf_world *world)
{
    wf_world_air *air = &world->air;
    wf_status status = WF_OK;
    if (!air->obstacles) {
        status = wf_obstacles_create(world->context, &air->obstacles);
    }
    if (status == WF_OK && !air->particles) {
        status = wf_wind_particles_create(world->context, &air->particles_params, &air->particles);
    }
    return status;
}

static wf_status update_obstacles(wf_world *world)
{
    wf_world_air *air = &world->air;
    wf_context *context = world->context;
    size_t meshes = world->cloth_count + world->body_count + world->rigid_count;
    wf_status status = wf_reserve(context, &air->meshes, &air->mesh_room, meshes, sizeof *air->meshes);
    if (status == WF_OK) {
        status = wf_reserve(context, &air->colliders, &air->collider_room, world->collider_count,
                            sizeof *air->colliders);
    }
    if (status != WF_OK) {
        return status;
    }
    obstacle_list list = {air->meshes, air->colliders, 0};
    list_obstacles(world, &list);
    const wf_obstacles_def def = {.mesh_count = list.mesh_count,
                                  .collider_count = (int32_t)world->collider_count,
                                  .meshes = list.meshes,
                                  .colliders = list.colliders,
                                  .floor = world->params.floor,
                                  .floor_height = world->params.floor_height,
                                  .duration = world->params.time_step};
    return wf_obstacles_update(air->obstacles, &def);
}

wf_status wf_world_move_air(wf_world *world)
{
    wf_world_air *air = &world->air;
    const bool has_wind = wf_wind_count(air->wind) > 0; /* what a source left is blown on when it is disabled, too */
    if (!wf_world_has_wind_particles(world) || world->unbreakable || !(has_wind || wf_world_air_blows(world))) {
        return WF_OK;
    }
    wf_status status = make_particles(world);
    if (status == WF_OK) {
        status = wf_wind_particles_keep(air->particles);
    }
    if (status == WF_OK) {
        air->moved = true;
        status = update_obstacles(world);
    }
    if (status == WF_OK) {
        status = wf_wind_particles_advance(air->particles, air->wind, air->obstacles, wf_world_time(world),
                                           world->params.time_step);
    }
    return status;
}

void wf_world_settle_air(wf_world *world, bool accept)
{
    wf_world_air *air = &world->air;
    if (air->asked && !accept) {
        wf_wind_take_back(air->wind);
    }
    air->asked = false;
    if (!air->moved) {
        return;
    }
    air->moved = false;
    wf_wind_particles_let_go(air->particles, !accept);
    if (!accept) {
        wf_obstacles_undo(air->obstacles);
    }
}

wf_status wf_world_particles_at_faces(wf_world *world, double time, wf_vec3 *velocities)
{
    wf_world_air *air = &world->air;
    if (!air->obstacles || wf_obstacles_face_count(air->obstacles) < world->face_count) {
        /* A trial, before any step. */
        return wf_wind_velocities(air->wind, time, (size_t)world->face_count, air->middles, velocities);
    }
    wf_obstacles_face_places(air->obstacles, world->face_count, air->middles, air->normals);
    return wf_wind_particles_face_velocities(air->particles, air->wind, air->obstacles, time,
                                             (size_t)world->face_count, air->middles, air->normals, velocities);
}

wf_status wf_world_particles_at_points(wf_world *world, double time, size_t count, const wf_vec3 *points,
                                       wf_vec3 *velocities)
{
    wf_world_air *air = &world->air;
    wf_status status = make_particles(world);
    return status == WF_OK ? wf_wind_particles_velocities(air->particles, air->wind, air->obstacles, time, count,
                                                          points, velocities)
                           : status;
}

const wf_wind_particles *wf_world_wind_particles(const wf_world *world)
{
    return wf_world_has_wind_particles(world) ? world->air.particles : NULL;
}

wf_wind_particles_params wf_world_get_wind_particles(const wf_world *world)
{
    return world->air.particles_params;
}

wf_status wf_world_set_wind_particles(wf_world *world, const wf_wind_particles_params *params)
{
    wf_status status = make_particles(world);
    if (status == WF_OK) {
        status = wf_wind_particles_set_params(world->air.particles, params);
    }
    if (status == WF_OK) {
        world->air.particles_params = *params;
        world->rest_time = 0;
    }
    return status;
}

void wf_world_forget_wind_particles(wf_world *world)
{
    wf_world_air *air = &world->air;
    wf_wind_particles_destroy(air->particles);
    wf_obstacles_destroy(air->obstacles);
    wf_free(world->context, air->meshes);
    wf_free(world->context, air->colliders);
    air->particles = NULL;
    air->obstacles = NULL;
    air->meshes = NULL;
    air->colliders = NULL;
    air->mesh_room = air->collider_room = 0;
}
