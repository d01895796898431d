/* trial.c - see trial.h. */
#include "world/trial.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "step/scheme.h"
#include "world/world_state.h"

enum { REMEMBERED = 4 };

/* All that a step changes, of a world or of a trial. */
typedef struct world_state {
    wf_vec3 *x, *v;            /* [cloth vertices] */
    wf_face_history *history;  /* [faces]; NULL where no cloth has one */
    wf_vec3 *body_x, *body_v;  /* [vertices of bodies] where the last step left them, and their velocities */
    int64_t *body_jumps;       /* [bodies] */
    wf_standing *standing;     /* [bodies] */
    uint8_t *parting;          /* [cloth vertices] */
    wf_collider_member *colliders; /* [colliders] */
    wf_vec3 *remembered[REMEMBERED]; /* what integrators remember the state by; NULL until a step asks for them */
    wf_integrator *integrator;
    wf_pcg_workspace solver;   /* keeps a preconditioner from step to step, */
    wf_start_values start_values; /* and these the last velocities */
    wf_world_params params;
    int64_t step_count, steps_at_change;
    double time_at_change, rest_time;
    double held_by_springs;
    bool held_back, integrated, bodies_stopped, carrying, starting;
    wf_step_stats stats;
} world_state;

struct wf_trial {
    wf_context *context;
    wf_world *world;
    uint64_t members; /* of the world when the trial was made */
    int32_t vertex_count, face_count;
    size_t body_vertex_count, body_count, collider_count;
    world_state start, now;
    wf_kept_cover world_cover, cover; /* of contact: the world's while the trial advances, and the trial's */
    bool has_cover;                   /* not before it has advanced */
};

static uint64_t hash_members(const wf_world *world)
{
    uint64_t hash = wf_hash_start();
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        hash = wf_hash_bytes(hash, &cloth, sizeof cloth);
        hash = wf_hash_bytes(hash, &cloth->topology, sizeof cloth->topology);
        hash = wf_hash_bytes(hash, &cloth->mesh.vertex_count, sizeof cloth->mesh.vertex_count);
        bool remembers = cloth->history != NULL;
        hash = wf_hash_bytes(hash, &remembers, sizeof remembers);
    }
    for (size_t m = 0; m < world->body_count; m++) {
        hash = wf_hash_bytes(hash, &world->bodies[m].body, sizeof world->bodies[m].body);
    }
    for (size_t m = 0; m < world->collider_count; m++) {
        hash = wf_hash_bytes(hash, &world->colliders[m].collider, sizeof world->colliders[m].collider);
    }
    return hash;
}

static wf_status allocate_state(const wf_trial *trial, world_state *state)
{
    const wf_world *world = trial->world;
    wf_context *context = world->context;
    if (trial->body_count > 0) {
        state->body_x = wf_allocate(context, trial->body_vertex_count, sizeof *state->body_x);
        state->body_v = wf_allocate(context, trial->body_vertex_count, sizeof *state->body_v);
        state->body_jumps = wf_allocate(context, trial->body_count, sizeof *state->body_jumps);
        state->standing = wf_allocate(context, trial->body_count, sizeof *state->standing);
        if (!state->body_x || !state->body_v || !state->body_jumps || !state->standing) {
            return WF_ERROR_MEMORY;
        }
    }
    if (trial->collider_count > 0) {
        state->colliders = wf_allocate(context, trial->collider_count, sizeof *state->colliders);
        if (!state->colliders) {
            return WF_ERROR_MEMORY;
        }
    }
    if (world->history) {
        state->history = wf_allocate(context, (size_t)world->face_count, sizeof *state->history);
        if (!state->history) {
            return WF_ERROR_MEMORY;
        }
    }
    state->parting = wf_allocate(context, (size_t)world->cloth_vertex_count, sizeof *state->parting);
    if (!state->parting) {
        return WF_ERROR_MEMORY;
    }
    wf_vec3 **arrays[] = {&state->x, &state->v};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = wf_allocate(context, (size_t)world->cloth_vertex_count, sizeof **arrays[i]);
        if (!*arrays[i]) {
            return WF_ERROR_MEMORY;
        }
    }
    return WF_OK;
}

static void free_state(wf_context *context, world_state *state)
{
    wf_integrator_destroy(state->integrator);
    wf_pcg_workspace_free(context, &state->solver);
    wf_start_values_free(context, &state->start_values);
    wf_free(context, state->x);
    wf_free(context, state->v);
    wf_free(context, state->history);
    wf_free(context, state->body_x);
    wf_free(context, state->body_v);
    wf_free(context, state->body_jumps);
    wf_free(context, state->standing);
    wf_free(context, state->parting);
    wf_free(context, state->colliders);
    for (int k = 0; k < REMEMBERED; k++) {
        wf_free(context, state->remembered[k]);
    }
}

static void copy_scalars(world_state *to, const world_state *from)
{
    world_state arrays = *to;
    *to = *from;
    to->x = arrays.x;
    to->v = arrays.v;
    to->history = arrays.history;
    to->body_x = arrays.body_x;
    to->body_v = arrays.body_v;
    to->body_jumps = arrays.body_jumps;
    to->standing = arrays.standing;
    to->parting = arrays.parting;
    to->colliders = arrays.colliders;
    memcpy(to->remembered, arrays.remembered, sizeof to->remembered);
    to->integrator = arrays.integrator;
    to->solver = arrays.solver;
    to->start_values = arrays.start_values;
}

static world_state scalars_of(const wf_world *world)
{
    return (world_state){.params = world->params,
                         .step_count = world->step_count,
                         .steps_at_change = world->steps_at_change,
                         .time_at_change = world->time_at_change,
                         .rest_time = world->rest_time,
                         .held_by_springs = world->held_by_springs,
                         .held_back = world->held_back,
                         .integrated = world->integrated,
                         .bodies_stopped = world->bodies_stopped,
                         .carrying = world->carrying,
                         .starting = world->starting,
                         .stats = world->stats};
}

static void swap_bytes(void *a, void *b, size_t count)
{
    unsigned char *p = a, *q = b;
    for (size_t i = 0; i < count; i++) {
        unsigned char kept = p[i];
        p[i] = q[i];
        q[i] = kept;
    }
}

/* Of bodies and colliders: where steps have brought them, not where they are told to go. */
static void exchange_bodies(wf_world *world, world_state *state)
{
    size_t first = 0;
    for (size_t m = 0; m < world->body_count; m++) {
        wf_body_member *member = &world->bodies[m];
        const size_t count = (size_t)member->body->mesh.vertex_count;
        swap_bytes(member->positions, state->body_x + first, count * sizeof *state->body_x);
        swap_bytes(member->velocities, state->body_v + first, count * sizeof *state->body_v);
        swap_bytes(&member->jumps, &state->body_jumps[m], sizeof member->jumps);
        swap_bytes(&member->standing, &state->standing[m], sizeof member->standing);
        first += count;
    }
    if (world->collider_count > 0) {
        swap_bytes(world->colliders, state->colliders, world->collider_count * sizeof *state->colliders);
    }
}

static void remember_bodies(const wf_world *world, world_state *state)
{
    size_t first = 0;
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        const size_t count = (size_t)member->body->mesh.vertex_count;
        memcpy(state->body_x + first, member->positions, count * sizeof *state->body_x);
        memcpy(state->body_v + first, member->velocities, count * sizeof *state->body_v);
        state->body_jumps[m] = member->jumps;
        state->standing[m] = member->standing;
        first += count;
    }
    if (world->collider_count > 0) {
        memcpy(state->colliders, world->colliders, world->collider_count * sizeof *state->colliders);
    }
}

static void copy_bodies(const wf_trial *trial, const world_state *from, world_state *to)
{
    if (trial->body_count > 0) {
        memcpy(to->body_x, from->body_x, trial->body_vertex_count * sizeof *to->body_x);
        memcpy(to->body_v, from->body_v, trial->body_vertex_count * sizeof *to->body_v);
        memcpy(to->body_jumps, from->body_jumps, trial->body_count * sizeof *to->body_jumps);
        memcpy(to->standing, from->standing, trial->body_count * sizeof *to->standing);
    }
    if (trial->collider_count > 0) {
        memcpy(to->colliders, from->colliders, trial->collider_count * sizeof *to->colliders);
    }
}

/* The world takes the state, and the state what was the world's. Twice leaves all as it was. */
static void exchange(wf_world *world, world_state *state)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        size_t bytes = (size_t)member->cloth->mesh.vertex_count * sizeof *state->x;
        swap_bytes(member->cloth->mesh.positions, state->x + member->first_vertex, bytes);
        swap_bytes(member->cloth->velocities, state->v + member->first_vertex, bytes);
        swap_bytes(member->parting, state->parting + member->first_vertex,
                   (size_t)member->cloth->mesh.vertex_count * sizeof *state->parting);
        if (member->cloth->history) {
            swap_bytes(member->cloth->history, state->history + member->first_face,
                       (size_t)member->cloth->mesh.face_count * sizeof *state->history);
        }
    }
    exchange_bodies(world, state);
    wf_vec3 **remembered[REMEMBERED] = {&world->x_free, &world->v_free, &world->x_stored, &world->v_stored};
    for (int k = 0; k < REMEMBERED; k++) {
        swap_bytes(remembered[k], &state->remembered[k], sizeof state->remembered[k]);
    }
    swap_bytes(&world->solver, &state->solver, sizeof world->solver);
    swap_bytes(&world->start_values, &state->start_values, sizeof world->start_values);
    world_state outer = scalars_of(world);
    wf_integrator *integrator = world->integrator;
    world->params = state->params;
    world->step_count = state->step_count;
    world->steps_at_change = state->steps_at_change;
    world->time_at_change = state->time_at_change;
    world->rest_time = state->rest_time;
    world->held_by_springs = state->held_by_springs;
    world->held_back = state->held_back;
    world->integrated = state->integrated;
    world->bodies_stopped = state->bodies_stopped;
    world->carrying = state->carrying;
    world->starting = state->starting;
    world->stats = state->stats;
    world->integrator = state->integrator;
    copy_scalars(state, &outer);
    state->integrator = integrator;
}

wf_status wf_trial_create(wf_world *world, wf_trial **result)
{
    *result = NULL;
    wf_status status = wf_world_refresh(world);
    if (status == WF_OK && world->cloth_vertex_count == 0) {
        status = wf_fail(world->context, WF_ERROR_ARGUMENT, "there is no cloth in this world");
    }
    if (status == WF_OK && world->rigid_count > 0) {
        status = wf_fail(world->context, WF_ERROR_ARGUMENT, "schemes are compared on cloth, without rigid bodies");
    }
    /* Each scheme's first step is a start if the world's next one is. */
    status = status == WF_OK ? wf_world_load_start(world) : status;
    wf_trial *trial = status == WF_OK ? wf_allocate(world->context, 1, sizeof *trial) : NULL;
    if (!trial) {
        return status == WF_OK ? WF_ERROR_MEMORY : status;
    }
    trial->context = world->context;
    trial->world = world;
    trial->members = hash_members(world);
    trial->vertex_count = world->cloth_vertex_count;
    trial->face_count = world->face_count;
    trial->body_count = world->body_count;
    trial->collider_count = world->collider_count;
    for (size_t m = 0; m < world->body_count; m++) {
        trial->body_vertex_count += (size_t)world->bodies[m].body->mesh.vertex_count;
    }
    status = allocate_state(trial, &trial->start);
    if (status == WF_OK) {
        status = allocate_state(trial, &trial->now);
    }
    if (status != WF_OK) {
        wf_trial_destroy(trial);
        return status;
    }
    wf_world_load_state(world);
    memcpy(trial->start.x, world->x0, (size_t)trial->vertex_count * sizeof *trial->start.x);
    memcpy(trial->start.v, world->v0, (size_t)trial->vertex_count * sizeof *trial->start.v);
    memcpy(trial->start.parting, world->parting, (size_t)trial->vertex_count * sizeof *trial->start.parting);
    if (world->history) {
        memcpy(trial->start.history, world->history, (size_t)trial->face_count * sizeof *world->history);
    }
    remember_bodies(world, &trial->start);
    world_state scalars = scalars_of(world);
    copy_scalars(&trial->start, &scalars);
    *result = trial;
    return WF_OK;
}

void wf_trial_destroy(wf_trial *trial)
{
    if (trial) {
        free_state(trial->context, &trial->start);
        free_state(trial->context, &trial->now);
        wf_kept_cover_free(trial->context, &trial->world_cover);
        wf_kept_cover_free(trial->context, &trial->cover);
        wf_free(trial->context, trial);
    }
}

wf_status wf_trial_begin(wf_trial *trial, const char *name, const wf_integrator_params *params, double time_step,
                         double tolerance)
{
    wf_integrator *integrator = NULL;
    if (!(time_step >= 1e-6 && time_step <= 1)) {
        return wf_fail(trial->context, WF_ERROR_ARGUMENT, "time_step must be from 1e-06 to 1, got %g", time_step);
    }
    wf_status status = wf_integrator_create(trial->context, name, params, &integrator);
    if (status != WF_OK) {
        return status;
    }
    world_state *now = &trial->now;
    size_t bytes = (size_t)trial->vertex_count * sizeof *now->x;
    wf_integrator_destroy(now->integrator);
    wf_pcg_workspace_free(trial->context, &now->solver);
    memset(&now->solver, 0, sizeof now->solver);
    wf_start_values_free(trial->context, &now->start_values);
    copy_scalars(now, &trial->start);
    memcpy(now->x, trial->start.x, bytes);
    memcpy(now->v, trial->start.v, bytes);
    memcpy(now->parting, trial->start.parting, (size_t)trial->vertex_count * sizeof *now->parting);
    if (now->history) {
        memcpy(now->history, trial->start.history, (size_t)trial->face_count * sizeof *now->history);
    }
    copy_bodies(trial, &trial->start, now);
    now->integrator = integrator;
    now->integrated = false;
    trial->has_cover = false;
    now->params.integrator = wf_integrator_get_class(integrator)->name;
    now->params.integrator_params = wf_integrator_get_params(integrator);
    now->params.time_step = time_step;
    now->params.tolerance = tolerance > 0 ? tolerance : now->params.tolerance;
    return WF_OK;
}

/* The trial begins with the candidates of contact that the world has, and goes on with its own. */
static wf_status begin_contact(wf_trial *trial)
{
    wf_contact_scene *scene = trial->world->scene;
    wf_status status = WF_OK;
    if (scene) {
        status = wf_contact_keep_cover(trial->context, scene, &trial->world_cover);
    }
    if (scene && status == WF_OK && !trial->has_cover) {
        status = wf_contact_keep_cover(trial->context, scene, &trial->cover);
        trial->has_cover = status == WF_OK;
    }
    if (scene && status == WF_OK) {
        wf_contact_give_cover_back(scene, &trial->cover);
    }
    return status;
}

static void end_contact(wf_trial *trial)
{
    wf_contact_scene *scene = trial->world->scene;
    if (scene) {
        (void)wf_contact_keep_cover(trial->context, scene, &trial->cover); /* it has the room */
        wf_contact_give_cover_back(scene, &trial->world_cover);
    }
}

wf_status wf_trial_advance(wf_trial *trial, int64_t steps, double seconds, int64_t *made, double *spent)
{
    wf_world *world = trial->world;
    double start = wf_clock_seconds();
    *made = 0;
    *spent = 0;
    if (!trial->now.integrator) {
        return wf_fail(trial->context, WF_ERROR_STATE, "the trial has not begun");
    }
    if (hash_members(world) != trial->members) {
        return wf_fail(trial->context, WF_ERROR_STATE, "the world's members changed while it was tried out");
    }
    wf_status status = wf_world_refresh(world); /* its arrays are those of its members again */
    if (status != WF_OK) {
        return status;
    }
    status = begin_contact(trial);
    if (status != WF_OK) {
        return status;
    }
    exchange(world, &trial->now);
    world->unbreakable = true;
    do {
        status = wf_world_step(world, 0);
        *made += status == WF_OK;
        *spent = wf_clock_seconds() - start;
    } while (status == WF_OK && *made < steps && *spent < seconds);
    world->unbreakable = false;
    exchange(world, &trial->now);
    end_contact(trial);
    return status;
}

int32_t wf_trial_vertex_count(const wf_trial *trial)
{
    return trial->vertex_count;
}

const wf_vec3 *wf_trial_positions(const wf_trial *trial)
{
    return trial->now.x;
}

double wf_vertex_distance(size_t count, const wf_vec3 *a, const wf_vec3 *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += wf_vec3_norm2(wf_vec3_sub(a[i], b[i]));
    }
    return sqrt(sum / (double)count);
}

static void measure_extent(size_t count, const wf_vec3 *x, wf_vec3 *centre, wf_vec3 *extent)
{
    wf_vec3 sum = {0, 0, 0}, squares = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        sum = wf_vec3_add(sum, x[i]);
    }
    *centre = wf_vec3_scale(sum, 1 / (double)count);
    for (size_t i = 0; i < count; i++) {
        wf_vec3 d = wf_vec3_sub(x[i], *centre);
        squares = wf_vec3_add(squares, wf_vec3_make(d.x * d.x, d.y * d.y, d.z * d.z));
    }
    double n = (double)count;
    *extent = wf_vec3_make(sqrt(squares.x / n), sqrt(squares.y / n), sqrt(squares.z / n));
}

double wf_gross_distance(size_t count, const wf_vec3 *a, const wf_vec3 *b)
{
    wf_vec3 centres[2], extents[2];
    measure_extent(count, a, &centres[0], &extents[0]);
    measure_extent(count, b, &centres[1], &extents[1]);
    return sqrt(wf_vec3_norm2(wf_vec3_sub(centres[0], centres[1])) +
                wf_vec3_norm2(wf_vec3_sub(extents[0], extents[1])));
}
