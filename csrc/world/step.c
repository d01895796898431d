/* step.c - one step of a world: resting contacts, implicit solve, door. */
#include <string.h>

#include "base/clock.h"
#include "step/integrator.h"
#include "world/world_state.h"

/* m/s: pins that are to go further in one step take several. A pin torn across a room in a sixtieth of a second would
 * throw the cloth about, and contact would have to look at all that it sweeps over. */
#define LARGEST_PIN_SPEED 20.0
#define SPEED_AFTER_HOLDING 0.1

static wf_vec3 *as_vectors(double *scalars)
{
    return (wf_vec3 *)scalars;
}

static const wf_vec3 *as_const_vectors(const double *scalars)
{
    return (const wf_vec3 *)scalars;
}

/* Bending may be scaled (wf_world_params.bending_scale); its forces are linear in its moduli. */
static void add_bending_forces(wf_world *world, wf_model *bending, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *force)
{
    if (!bending) {
        return;
    }
    if (world->params.bending_scale == 1) {
        bending->class->add_forces(world->context, bending, x, v, force);
        return;
    }
    wf_vec3 *scratch = world->bending_force;
    memset(scratch, 0, (size_t)world->cloth_vertex_count * sizeof *scratch);
    bending->class->add_forces(world->context, bending, x, v, scratch);
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        force[i] = wf_vec3_muladds(force[i], scratch[i], world->params.bending_scale);
    }
}

static wf_status cloth_forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    wf_world *world = user;
    double start = wf_clock_seconds();
    wf_vec3 *f = as_vectors(force);
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        f[i] = wf_vec3_scale(world->params.gravity, world->mass[i]);
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        wf_model *models[] = {member->membrane, member->stitches};
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            if (models[k]) {
                models[k]->class->add_forces(world->context, models[k], as_const_vectors(x), as_const_vectors(v), f);
            }
        }
        add_bending_forces(world, member->bending, as_const_vectors(x), as_const_vectors(v), f);
    }
    wf_world_add_contact_forces(world, f);
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return WF_OK;
}

static void multiply_mass(void *user, const double *v, double *y)
{
    const wf_world *world = user;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        as_vectors(y)[i] = wf_vec3_scale(as_const_vectors(v)[i], world->mass[i]);
    }
}

static wf_status linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                           double stiffness_scale, double damping_scale)
{
    (void)t, (void)v, (void)kind;
    wf_world *world = user;
    double start = wf_clock_seconds();
    wf_block_matrix_clear(world->matrix);
    double damping = world->params.damping + world->extra_damping;
    wf_block_matrix_add_diagonal(world->matrix, 1 + damping_scale * damping, world->mass);
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        wf_model *models[] = {member->membrane, member->bending, member->stitches};
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            if (models[k]) {
                double scale = models[k] == member->bending ? world->params.bending_scale : 1;
                models[k]->class->add_matrix(world->context, models[k], as_const_vectors(x), scale * stiffness_scale,
                                             scale * damping_scale, world->matrix->values);
            }
        }
    }
    wf_status status = wf_world_add_contact_matrix(world, stiffness_scale, damping_scale);
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return status;
}

static wf_status solve(void *user, const double *right_hand_side, double *v, double tolerance, wf_solve_work *work)
{
    wf_world *world = user;
    double start = wf_clock_seconds();
    wf_linear_system system = {.matrix = world->matrix, .contacts = world->contact_blocks, .filter = world->filter,
                               .positions = world->x0};
    wf_pcg_params params = wf_default_pcg_params();
    params.relative_tolerance = tolerance > 0 ? tolerance : world->params.tolerance;
    params.max_iterations = world->params.max_iterations;
    wf_pcg_result result;
    wf_status status = wf_pcg_solve(world->context, &system, as_const_vectors(right_hand_side), as_vectors(v), &params,
                                    &world->solver, &result);
    world->stats.solver_iterations = result.iterations;
    world->stats.solver_residual = result.residual;
    work->iterations += result.iterations;
    work->products += result.iterations;
    work->residual = result.residual;
    world->stats.solve_seconds += wf_clock_seconds() - start;
    return status;
}

/* How fast a pin may go. Where contact held vertices back in the last step, pins that want through what is in the way
 * would throw their neighbours about; they start again from what they reached. */
static double pin_speed(const wf_world *world, int32_t vertex)
{
    if (!world->held_back) {
        return LARGEST_PIN_SPEED;
    }
    return fmin(fmax(2 * wf_vec3_norm(world->v0[vertex]), SPEED_AFTER_HOLDING), LARGEST_PIN_SPEED);
}

/* Pinned vertices get the velocity that carries them to their targets. */
static void prescribe_velocities(wf_world *world)
{
    double h = world->params.time_step;
    memcpy(world->start_velocity, world->v0, (size_t)world->cloth_vertex_count * sizeof *world->start_velocity);
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        for (int32_t i = 0; i < member->cloth->mesh.vertex_count; i++) {
            if (member->cloth->pinned[i]) {
                int32_t k = member->first_vertex + i;
                wf_vec3 way = wf_vec3_sub(member->cloth->pin_targets[i], world->x0[k]);
                double farthest = pin_speed(world, k) * h, distance = wf_vec3_norm(way);
                world->start_velocity[k] = wf_vec3_scale(way, (distance > farthest ? farthest / distance : 1) / h);
            }
        }
    }
}

static wf_status find_resting_contacts(wf_world *world)
{
    if (!world->scene) {
        return WF_OK;
    }
    double start = wf_clock_seconds();
    wf_status status = wf_contact_update(world->scene, world->x0, world->x0, world->params.contact_skin);
    if (status == WF_OK) {
        status = wf_contact_find(world->scene, world->x0, 0, &world->contacts, &world->contact_count);
    }
    world->stats.contacts = world->contact_count;
    world->stats.detection_seconds += wf_clock_seconds() - start;
    return status;
}

/* Velocities are what the positions did, after contact had its say. */
static void measure_motion(wf_world *world)
{
    double h = world->params.time_step, sum = 0, largest = 0;
    int32_t free_vertices = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        world->v1[i] = wf_vec3_scale(wf_vec3_sub(world->x1[i], world->x0[i]), 1 / h);
        if (world->inverse_mass[i] > 0) {
            double speed2 = wf_vec3_norm2(world->v1[i]);
            sum += speed2;
            largest = fmax(largest, speed2);
            free_vertices++;
        }
    }
    world->stats.rms_speed = free_vertices > 0 ? sqrt(sum / free_vertices) : 0;
    world->stats.max_speed = sqrt(largest);
    /* What the fail-safe or extra damping holds does not rest by itself. */
    bool resting = world->stats.rms_speed <= 1e-3 && world->stats.max_speed <= 1e-2 &&
                   world->stats.backed_off == 0 && world->extra_damping == 0;
    world->rest_time = resting ? world->rest_time + h : 0;
    world->stats.rest_time = world->rest_time;
}

static wf_status step(wf_world *world)
{
    double start = wf_clock_seconds();
    wf_status status = wf_world_check_start(world);
    if (status == WF_OK) {
        status = wf_world_refresh(world);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_step_stats fresh = {.vertices = world->cloth_vertex_count, .triangles = world->face_count};
    world->stats = fresh;
    wf_world_load_state(world);
    if (world->cloth_vertex_count > 0) {
        status = find_resting_contacts(world);
        if (status != WF_OK) {
            return status;
        }
        prescribe_velocities(world);
        wf_system system = {.user = world,
                            .size = 3 * (size_t)world->cloth_vertex_count,
                            .prescribed = world->prescribed,
                            .forces = cloth_forces,
                            .multiply_mass = multiply_mass,
                            .linearise = linearise,
                            .solve = solve,
                            .linear_in_velocity = true};
        status = wf_integrator_step(world->integrator, &system, wf_world_time(world), world->params.time_step,
                                    &world->x0->x, &world->start_velocity->x, &world->x1->x, &world->v1->x);
        if (status != WF_OK) {
            return status;
        }
        double door_start = wf_clock_seconds(), detection_before = world->stats.detection_seconds;
        status = wf_world_pass_door(world, world->x0, world->x1);
        double detection_within = world->stats.detection_seconds - detection_before;
        world->stats.response_seconds = wf_clock_seconds() - door_start - detection_within;
        if (status != WF_OK) {
            return status;
        }
        measure_motion(world);
    }
    wf_world_store_state(world);
    world->held_back = world->stats.backed_off > 0;
    world->step_count++;
    world->stats.step_seconds = wf_clock_seconds() - start;
    return WF_OK;
}

wf_status wf_world_step(wf_world *world, double extra_damping)
{
    if (!(extra_damping >= 0 && extra_damping <= 1e4)) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "extra damping must be from 0 to 10000, got %g",
                       extra_damping);
    }
    world->extra_damping = extra_damping;
    wf_status status = step(world);
    world->extra_damping = 0;
    return status;
}

wf_status wf_world_move_cloth(wf_world *world, wf_cloth *cloth, const wf_vec3 *target, bool *all_arrived)
{
    wf_status status = wf_world_refresh(world);
    if (status != WF_OK) {
        return status;
    }
    wf_world_load_state(world);
    const wf_cloth_member *member = NULL;
    for (size_t m = 0; m < world->cloth_count; m++) {
        if (world->cloths[m].cloth == cloth) {
            member = &world->cloths[m];
        }
    }
    if (!member) {
        return wf_fail(world->context, WF_ERROR_STATE, "the cloth is not in this world");
    }
    memcpy(world->v1, world->v0, (size_t)world->cloth_vertex_count * sizeof *world->v1);
    memcpy(world->x1 + member->first_vertex, target, (size_t)cloth->mesh.vertex_count * sizeof *target);
    status = wf_world_pass_door(world, world->x0, world->x1);
    if (status != WF_OK) {
        return status;
    }
    *all_arrived = memcmp(world->x1 + member->first_vertex, target,
                          (size_t)cloth->mesh.vertex_count * sizeof *target) == 0;
    wf_world_store_state(world);
    return WF_OK;
}

wf_status wf_world_energies(wf_world *world, const wf_cloth *cloth, wf_energies *energies)
{
    wf_status status = wf_world_refresh(world);
    if (status != WF_OK) {
        return status;
    }
    wf_world_load_state(world);
    *energies = (wf_energies){0};
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        if (cloth && member->cloth != cloth) {
            continue;
        }
        int32_t first = member->first_vertex, count = member->cloth->mesh.vertex_count;
        for (int32_t i = first; i < first + count; i++) {
            energies->kinetic += 0.5 * world->mass[i] * wf_vec3_norm2(world->v0[i]);
            energies->potential -= world->mass[i] * wf_vec3_dot(world->params.gravity, world->x0[i]);
        }
        energies->membrane += member->membrane->class->energy(world->context, member->membrane, world->x0);
        if (member->bending) {
            energies->bending += member->bending->class->energy(world->context, member->bending, world->x0);
        }
    }
    return WF_OK;
}
