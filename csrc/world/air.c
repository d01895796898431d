/* air.c - the step's side of the air: the wind at the faces, the model's parameters, totals and work. */
#include "world/air.h"

#include <string.h>

#include "base/finite.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "step/scheme.h"
#include "world/world_state.h"

enum { FACE_BLOCK = 512 };

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static const char *const models[] = {"direct", "particles", "flow"};

enum { DIRECT, PARTICLES };

wf_air_params wf_default_air_params(void)
{
    return (wf_air_params){.density = WF_AIR_DENSITY, .model = models[0]};
}

wf_air_params wf_world_get_air(const wf_world *world)
{
    return world->air.params;
}

wf_status wf_world_set_air(wf_world *world, const wf_air_params *params)
{
    const char *model = NULL;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        model = strcmp(params->model, models[k]) == 0 ? models[k] : model;
    }
    if (!model) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "model must be \"direct\", \"particles\" or \"flow\", got "
                       "\"%.60s\"", params->model);
    }
    if (!(params->density >= 0 && params->density <= 1e4)) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "density must be from 0 to 10000, got %g", params->density);
    }
    world->air.params = *params;
    world->air.params.model = model;
    if (!wf_world_has_wind_particles(world)) {
        wf_world_forget_wind_particles(world);
    }
    world->rest_time = 0;
    return WF_OK;
}

bool wf_world_has_wind_particles(const wf_world *world)
{
    return world->air.params.model == models[PARTICLES];
}

const wf_wind *wf_world_wind(const wf_world *world)
{
    return world->air.wind;
}

wf_status wf_world_add_wind(wf_world *world, wf_wind_source *source)
{
    wf_status status = wf_wind_add(world->air.wind, source);
    world->rest_time = status == WF_OK ? 0 : world->rest_time;
    return status;
}

wf_status wf_world_remove_wind(wf_world *world, const wf_wind_source *source)
{
    wf_status status = wf_wind_remove(world->air.wind, source);
    world->rest_time = status == WF_OK ? 0 : world->rest_time;
    return status;
}

wf_status wf_world_clear_wind(wf_world *world)
{
    wf_status status = wf_wind_clear(world->air.wind);
    world->rest_time = status == WF_OK ? 0 : world->rest_time;
    return status;
}

wf_status wf_cloth_set_air(wf_cloth *cloth, const wf_aerodynamics *air)
{
    wf_status status = air ? wf_aerodynamics_check(cloth->context, air) : WF_OK;
    if (status == WF_OK) {
        cloth->feels_air = air != NULL;
        cloth->air = air ? *air : cloth->air;
    }
    return status;
}

/* ---- the wind ---------------------------------------------------------------------------------------------------- */

bool wf_world_air_blows(const wf_world *world)
{
    bool blows = world->air.params.still_air;
    for (size_t k = 0; !blows && k < wf_wind_count(world->air.wind); k++) {
        blows = wf_wind_at(world->air.wind, k)->enabled;
    }
    return blows;
}

bool wf_world_air_acts(const wf_world *world)
{
    if (!wf_world_air_blows(world)) {
        return false;
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        if (world->cloths[m].cloth->feels_air && world->cloths[m].cloth->mesh.face_count > 0) {
            return true;
        }
    }
    return false;
}

static wf_status sample(wf_world *world, double time, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    if (wf_world_has_wind_particles(world)) {
        return wf_world_particles_at_points(world, time, count, points, velocities);
    }
    wf_status status = wf_wind_velocities(world->air.wind, time, count, points, velocities);
    if (status == WF_OK && wf_world_flow_acts(world)) {
        (void)wf_world_flow_at(world, count, points, velocities);
    }
    return status;
}

wf_status wf_world_wind_at(wf_world *world, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    double time = wf_world_time(world);
    wf_status status = wf_wind_prepare_new(world->air.wind, time);
    return status == WF_OK ? sample(world, time, count, points, velocities) : status;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* In a flow the jump of pressure takes the place of the law of faces, where there is such a jump. */
static void load_ranges(const wf_world *world, wf_aerodynamic_range *ranges)
{
    const bool flows = wf_world_flow_acts(world);
    const uint8_t *faces;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        const wf_cloth *cloth = member->cloth;
        ranges[m] = (wf_aerodynamic_range){.first_face = member->first_face,
                                           .end_face = member->first_face + cloth->mesh.face_count,
                                           .feels = cloth->feels_air &&
                                                    (!flows || wf_world_flow_misses(world, m, &faces)),
                                           .air = cloth->air};
    }
}

wf_status wf_world_make_air(wf_world *world, const wf_sheet_faces *sheet)
{
    wf_context *context = world->context;
    if (!wf_world_air_acts(world)) {
        return WF_OK;
    }
    size_t faces = (size_t)world->face_count;
    wf_aerodynamic_range *ranges = wf_allocate(context, world->cloth_count, sizeof *ranges);
    double *areas = wf_allocate(context, faces, sizeof *areas);
    world->air.middles = wf_allocate(context, faces, sizeof *world->air.middles);
    world->air.normals = wf_allocate(context, faces, sizeof *world->air.normals);
    world->air.totals = wf_allocate(context, world->cloth_count, sizeof *world->air.totals);
    wf_status status = WF_ERROR_MEMORY;
    if (ranges && areas && world->air.middles && world->air.normals && world->air.totals) {
        load_ranges(world, ranges);
        for (size_t f = 0; f < faces; f++) {
            const wf_vec2 *rest = sheet->rest[f];
            areas[f] = 0.5 * fabs(wf_vec2_cross(wf_vec2_sub(rest[1], rest[0]), wf_vec2_sub(rest[2], rest[0])));
        }
        const wf_aerodynamic_def def = {.vertex_count = world->row_count,
                                        .face_count = world->face_count,
                                        .range_count = (int32_t)world->cloth_count,
                                        .faces = sheet->faces,
                                        .areas = areas,
                                        .ranges = ranges};
        status = wf_aerodynamic_model_create(context, &def, &world->air.model);
    }
    wf_free(context, areas);
    wf_free(context, ranges);
    return status;
}

void wf_world_free_air(wf_world *world)
{
    wf_free(world->context, world->air.middles);
    wf_free(world->context, world->air.normals);
    wf_free(world->context, world->air.totals);
    world->air.middles = NULL;
    world->air.normals = NULL;
    world->air.totals = NULL;
    world->air.model = NULL; /* one of the world's models */
    world->air.bound = 0;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

void wf_world_forget_air(wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        world->cloths[m].air_impulse = world->cloths[m].air_turn = (wf_vec3){0, 0, 0};
    }
}

wf_status wf_world_begin_air_step(wf_world *world)
{
    wf_world_forget_air(world);
    if (!wf_world_air_blows(world)) {
        return WF_OK;
    }
    wf_status status = wf_wind_prepare(world->air.wind, wf_world_time(world) + world->params.time_step);
    world->air.asked = status == WF_OK;
    return status;
}

typedef struct middles_task {
    const wf_world *world;
    const int32_t *vertices;
} middles_task;

static void middles_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const middles_task *task = user;
    const wf_world *world = task->world;
    for (size_t f = begin; f < end; f++) {
        wf_vec3 sum = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            int32_t i = task->vertices[3 * f + (size_t)k];
            sum = wf_vec3_add(sum, wf_vec3_muladds(world->x0[i], world->v0[i], world->part));
        }
        world->air.middles[f] = wf_vec3_scale(sum, 1.0 / 3);
    }
}

/* The power of two that is next above the speed of any face: constant matrices are factored anew when it changes. */
void wf_world_bound_air(wf_world *world)
{
    if (!world->air.model) {
        return;
    }
    int exponent;
    double speed = wf_aerodynamic_largest_speed(world->air.model, world->v0);
    frexp(speed, &exponent);
    double bound = speed > 0 ? ldexp(1, exponent) : 0;
    if (bound != world->air.bound) {
        world->air.bound = bound;
        world->revision++;
        wf_aerodynamic_set_bound(world->air.model, bound);
    }
}

wf_status wf_world_begin_air(wf_world *world)
{
    wf_model *model = world->air.model;
    if (!model) {
        return WF_OK;
    }
    size_t faces = (size_t)world->face_count;
    wf_vec3 *wind = wf_aerodynamic_wind(model);
    double time = wf_world_time(world) + world->params.time_step - world->time_left + world->part;
    load_ranges(world, wf_aerodynamic_ranges(model));
    const uint8_t *felt = NULL;
    if (wf_world_flow_acts(world)) {
        (void)wf_world_flow_misses(world, 0, &felt);
    }
    wf_aerodynamic_set_felt(model, felt);
    wf_aerodynamic_set_density(model, world->air.params.density);
    middles_task task = {world, model->stencil.vertices};
    wf_parallel_for(world->context, faces, FACE_BLOCK, middles_block, &task);
    wf_status status = wf_world_has_wind_particles(world) ? wf_world_particles_at_faces(world, time, wind)
                                                          : sample(world, time, faces, world->air.middles, wind);
    if (status == WF_OK && !wf_all_finite(&wind->x, 3 * faces)) {
        status = wf_fail(world->context, WF_ERROR_NUMERIC, "the wind is not finite everywhere");
    }
    if (status == WF_OK && wf_integrator_get_class(world->integrator)->needs_elements) {
        wf_world_bound_air(world);
        status = wf_aerodynamic_begin(world->context, model, world->x0, world->v0);
    }
    return status;
}

void wf_world_measure_air(wf_world *world)
{
    if (!world->air.model) {
        return;
    }
    wf_aerodynamic_totals(world->context, world->air.model, world->x1, world->v1, world->air.totals);
}

void wf_world_measure_air_work(wf_world *world)
{
    world->air.work = world->air.model ? wf_aerodynamic_work(world->air.model, world->x0, world->x1) : 0;
    world->air.work += wf_world_flow_work(world);
}

void wf_world_keep_air(wf_world *world)
{
    const bool flows = wf_world_flow_force(world) != NULL;
    if (!world->air.model && !flows) {
        return;
    }
    world->stats.air_work += world->air.work;
    for (size_t m = 0; m < world->cloth_count; m++) {
        wf_cloth_member *member = &world->cloths[m];
        wf_aerodynamic_total total = {{0, 0, 0}, {0, 0, 0}};
        if (flows) {
            wf_world_flow_total(world, member, &total.force, &total.moment);
        }
        if (world->air.model) {
            total.force = wf_vec3_add(total.force, world->air.totals[m].force);
            total.moment = wf_vec3_add(total.moment, world->air.totals[m].moment);
        }
        member->air_impulse = wf_vec3_muladds(member->air_impulse, total.force, world->part);
        member->air_turn = wf_vec3_muladds(member->air_turn, total.moment, world->part);
    }
}

void wf_world_end_air_step(wf_world *world)
{
    double over = 1 / world->params.time_step;
    for (size_t m = 0; m < world->cloth_count; m++) {
        wf_cloth_member *member = &world->cloths[m];
        member->air_force = wf_vec3_scale(member->air_impulse, over);
        member->air_moment = wf_vec3_scale(member->air_turn, over);
    }
}

void wf_world_air_force(const wf_world *world, const wf_cloth *cloth, wf_vec3 *force, wf_vec3 *moment)
{
    *force = *moment = (wf_vec3){0, 0, 0};
    for (size_t m = 0; m < world->cloth_count; m++) {
        if (world->cloths[m].cloth == cloth) {
            *force = world->cloths[m].air_force;
            *moment = world->cloths[m].air_moment;
        }
    }
}

/* ---- the hash ---------------------------------------------------------------------------------------------------- */

uint64_t wf_world_hash_air(const wf_world *world, uint64_t hash)
{
    const bool has_wind = wf_wind_count(world->air.wind) > 0 || world->air.params.still_air;
    if (!wf_world_air_acts(world) && !(has_wind && world->air.params.model != models[DIRECT])) {
        return hash;
    }
    hash = wf_hash_bytes(hash, &world->air.params.density, sizeof world->air.params.density);
    hash = wf_hash_bytes(hash, world->air.params.model, strlen(world->air.params.model));
    if (wf_world_wind_particles(world)) {
        hash = wf_wind_particles_hash(world->air.particles, hash);
    }
    for (size_t k = 0; k < wf_wind_count(world->air.wind); k++) {
        hash = wf_wind_source_hash(wf_wind_at(world->air.wind, k), hash);
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        const wf_aerodynamics *air = &cloth->air;
        const double numbers[] = {cloth->feels_air, (double)air->law, air->normal, air->friction,
                                  air->drag,        air->lift,        air->porosity, air->permeability};
        hash = wf_hash_bytes(hash, numbers, sizeof numbers);
    }
    return wf_world_hash_flow(world, hash);
}
