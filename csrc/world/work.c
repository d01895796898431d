/* work.c - the balance of energy of a step.
 *
 * A step of backward Euler's method raises kinetic and potential energy, that of the springs of contact among the
 * latter, by no more than what bodies, pins and air do, F . w and R . w, with the forces of its end and the ways w of
 * the step (each potential that is convex along the way gives up at least the work of the force at its end). What falls
 * freely into the range of a contact finds its spring loaded; since it came no deeper than it fell in one step, the
 * next cannot give back more than was there before: v becomes v (q - 1) / (q + 1) at most, and with what the spring
 * still holds the energy is the same, q = h^2 k / m.
 *
 * The door is different. Impulses move positions by h times what they do to velocities, and cloth around them learns of
 * that only in the next step: a vertex that is stopped while its neighbours go on stretches its edges, by far more than
 * its motion was worth where the step is long. A part of a step that ends so is made again in halves. Geometric
 * correction does the same to all contacts, and in the smallest parts too, where it is for the solve to carry them
 * (step.c).
 */
#include "step/scheme.h"
#include "world/world_state.h"

#define SMALL_SPEED 1e-2 /* m/s: less than what gives all cloth this speed is no gain */
/* m/s: what gives all cloth more in a small part is crushed, which only the solve can bear. Layers that settle gain
 * less; with contacts in the solve they would settle later, at many times the cost. */
#define MUCH_SPEED 0.1
#define SMALL_RIGID_SPEED 1e-4 /* the same of rigid bodies, which nothing but rounding moves where they rest */

static double kinetic_energy(const wf_world *world, const wf_vec3 *v, bool pins_only)
{
    double sum = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        if (!pins_only || world->inverse_mass[i] == 0) {
            sum += 0.5 * world->mass[i] * wf_vec3_norm2(v[i]);
        }
    }
    return sum;
}

void wf_world_begin_work(wf_world *world)
{
    world->start_kinetic = kinetic_energy(world, world->v0, false);
    world->pin_kinetic = world->pinned_count > 0 ? kinetic_energy(world, world->v0, true) : 0;
    world->start_springs = world->stats.contact_energy;
    world->start_work = world->stats.body_work + world->stats.pin_work;
}

/* What gives pins their velocities is the first part of their work. */
void wf_world_begin_pin_work(wf_world *world)
{
    if (world->pinned_count > 0) {
        world->stats.pin_work += kinetic_energy(world, world->v0, true) - world->pin_kinetic;
    }
}

static bool pins_move(const wf_world *world)
{
    for (int32_t i = 0; world->pinned_count > 0 && i < world->cloth_vertex_count; i++) {
        if (world->inverse_mass[i] == 0 && wf_vec3_norm2(world->v0[i]) > 0) {
            return true;
        }
    }
    return false;
}

/* The rest: against the forces at the end. */
static wf_status add_pin_work(wf_world *world)
{
    if (!world->pin_force) {
        world->pin_force = wf_allocate(world->context, (size_t)world->row_count, sizeof *world->pin_force);
    }
    wf_vec3 *force = world->pin_force;
    if (!force) {
        return WF_ERROR_MEMORY;
    }
    const wf_system system = wf_world_system(world);
    double time = wf_world_time(world) + world->params.time_step - world->time_left + world->part;
    const wf_vec3 *x = world->barrier ? wf_world_barrier_reached(world) : world->x1; /* barriers stop pins */
    wf_status status = system.forces(system.user, time, &x->x, &world->v1->x, &force->x);
    for (int32_t i = 0; i < world->cloth_vertex_count && status == WF_OK; i++) {
        if (world->inverse_mass[i] == 0) {
            world->stats.pin_work -= world->part * wf_vec3_dot(force[i], world->v0[i]);
        }
    }
    return status;
}

wf_status wf_world_measure_work(wf_world *world)
{
    double energy = 0;
    wf_world_measure_air(world); /* first: it looks at the forces of the solve */
    double work = wf_world_resting_work(world, &energy);
    wf_status status = world->barrier ? wf_world_barrier_work(world, &energy, &work) : WF_OK;
    world->stats.contact_energy = energy;
    world->stats.body_work += work;
    return status == WF_OK && pins_move(world) ? add_pin_work(world) : status;
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

/* Elastic energy, and that of weight, J. */
static void potential_energies(const wf_world *world, const wf_vec3 *x, double *elastic, double *weight)
{
    *elastic = *weight = 0;
    for (size_t m = 0; m < world->elements.model_count; m++) {
        *elastic += world->models[m].scale * wf_model_matrix_energy(world->context, world->models[m].model, x);
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        *weight -= world->mass[i] * wf_vec3_dot(world->params.gravity, x[i]);
    }
}

bool wf_world_bodies_move(const wf_world *world)
{
    for (int32_t i = world->moving_count; i < world->vertex_count; i++) {
        if (wf_vec3_norm2(world->v1[i]) > 0) {
            return true;
        }
    }
    return false;
}

/* Explicit schemes gain by themselves. Colliders do work that nobody counts, and so do bodies that move where the
 * fail-safe holds what they meet, where there are rigid bodies, or where it is from the door that barriers begin. */
static bool balance_known(const wf_world *world)
{
    bool uncounted = world->stats.backed_off > 0 || world->barrier || world->rigid_count > 0;
    bool known = wf_integrator_get_class(world->integrator)->implicit && !(uncounted && wf_world_bodies_move(world));
    for (size_t k = 0; k < world->collider_count; k++) {
        known = known && !world->colliders[k].moves;
    }
    return known;
}

/* J: what the springs of contacts give up in the part of the step, of what they held when the last one ended, or a
 * script loaded them with; and of what they are found to hold beyond that, where cloth fell into their range, what
 * lifts it out again by `rise` (J, of its weight). That is done in small parts too, which cloth then leaves to fall as
 * far again. */
static double released(const wf_world *world, double rise)
{
    const wf_barrier_energy barriers = wf_world_barrier_energy(world);
    const double found = wf_world_contact_energy(world, world->x0), left = world->stats.contact_energy - barriers.end;
    const double kept = fmax(fmin(world->start_springs - barriers.start, found) - left, 0);
    if (world->response->corrects || world->response->constrains) {
        return kept;
    }
    return fmax(kept, world->starting ? found - left : fmin(found - left, rise));
}

/* J: what rigid bodies gained in the part of the step, kinetic energy and that of weight, less what the springs of
 * contacts gave up, which may throw them. */
static double rigid_gain(const wf_world *world)
{
    double gain = 0;
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_rigid *rigid = world->rigids[k].rigid;
        const wf_contact_rigid *motion = &world->rigid_motions[k];
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        wf_vec3 v0 = world->v0[row.centre], v1 = world->v1[row.centre];
        wf_vec3 spin0 = world->v0[row.turn], spin1 = world->v1[row.turn];
        gain += 0.5 * rigid->mass * (wf_vec3_norm2(v1) - wf_vec3_norm2(v0));
        gain += 0.5 * wf_vec3_dot(spin1, wf_mat3_mulv(wf_rigid_inertia(rigid, motion->to.turn), spin1));
        gain -= 0.5 * wf_vec3_dot(spin0, wf_mat3_mulv(wf_rigid_inertia(rigid, motion->from.turn), spin0));
        gain -= rigid->mass * wf_vec3_dot(world->params.gravity, wf_vec3_sub(motion->to.centre, motion->from.centre));
    }
    return gain - wf_world_contact_energy(world, world->x0) + world->stats.contact_energy;
}

/* More than the solve's tolerance, and than gives all cloth a speed (m/s). */
static bool gained_beyond(const wf_world *world, double speed)
{
    if (!balance_known(world)) {
        return false;
    }
    double elastic0, weight0, elastic1, weight1;
    potential_energies(world, world->x0, &elastic0, &weight0);
    potential_energies(world, world->x1, &elastic1, &weight1);
    double before = world->start_kinetic + elastic0, after = kinetic_energy(world, world->v1, false) + elastic1;
    double work = world->stats.body_work + world->stats.pin_work - world->start_work + weight0 - weight1 +
                  world->air.work;
    const wf_barrier_energy barriers = wf_world_barrier_energy(world);
    work += barriers.start - barriers.end;
    if (world->rigid_count > 0) {
        after += rigid_gain(world);
    } else {
        work += released(world, weight1 - weight0);
    }
    double small = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        small += 0.5 * world->mass[i] * speed * speed;
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        small += 0.5 * world->rigids[k].rigid->mass * SMALL_RIGID_SPEED * SMALL_RIGID_SPEED;
    }
    return after > before + work + world->params.tolerance * fabs(before) + small;
}

bool wf_world_has_gained(const wf_world *world)
{
    return gained_beyond(world, SMALL_SPEED);
}

bool wf_world_has_gained_much(const wf_world *world)
{
    return gained_beyond(world, MUCH_SPEED);
}

/* By how much an edge may be longer than it was, and than it would have been without the door. */
#define TEARING 1.1

static bool edge_torn(const wf_world *world, int32_t i, int32_t j)
{
    if (!world->touched[3 * (size_t)i] && !world->touched[3 * (size_t)j]) {
        return false;
    }
    double before = wf_vec3_norm2(wf_vec3_sub(world->x0[i], world->x0[j]));
    double unmet = wf_vec3_norm2(wf_vec3_sub(world->x_free[i], world->x_free[j]));
    double after = wf_vec3_norm2(wf_vec3_sub(world->x1[i], world->x1[j]));
    return after > TEARING * TEARING * fmax(before, unmet);
}

bool wf_world_has_torn(const wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_mesh *mesh = &world->cloths[m].cloth->mesh;
        const int32_t first = world->cloths[m].first_vertex;
        for (int32_t f = 0; f < mesh->face_count; f++) {
            const int32_t *v = mesh->faces[f];
            if (edge_torn(world, first + v[0], first + v[1]) || edge_torn(world, first + v[1], first + v[2]) ||
                edge_torn(world, first + v[2], first + v[0])) {
                return true;
            }
        }
    }
    return false;
}
