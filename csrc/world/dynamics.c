/* dynamics.c - the world as the second-order system that time integrators work on (step/system.h).
 *
 * Forces are weight, the models' elastic and viscous forces, damping in proportion to mass and resting contact. All but
 * weight count as stiff.
 */
#include <string.h>

#include "base/clock.h"
#include "solve/definite.h"
#include "solve/indefinite.h"
#include "step/element_step.h"
#include "world/world_state.h"

#define LARGEST_RIGID_TOLERANCE 1e-6 /* of the linear solve, in worlds with rigid bodies */

static wf_vec3 *as_vectors(double *scalars)
{
    return (wf_vec3 *)scalars;
}

static const wf_vec3 *as_const_vectors(const double *scalars)
{
    return (const wf_vec3 *)scalars;
}

/* And what a flow of air does in the step. */
static wf_vec3 weight_of(const wf_world *world, int32_t vertex)
{
    const wf_vec3 weight = wf_vec3_scale(world->params.gravity, world->mass[vertex]);
    const wf_vec3 *air = vertex < world->cloth_vertex_count ? wf_world_flow_force(world) : NULL;
    return air ? wf_vec3_add(weight, air[vertex]) : weight;
}

/* The matrix, of turns too, is the diagonal `mass` and what the inertia of rigid bodies has beyond their least
 * moments. */
static void add_excess_inertia(const wf_world *world, double scale, const wf_vec3 *v, wf_vec3 *y)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        int32_t row = wf_world_rigid_rows(world, (int32_t)k).turn;
        y[row] = wf_vec3_muladds(y[row], wf_mat3_mulv(world->rigids[k].excess, v[row]), scale);
    }
}

static double mass_damping(const wf_world *world)
{
    return world->params.damping + world->extra_damping;
}

/* ---- forces and energy ----------------------------------------------------------------------------------------- */

static void add_model_forces(wf_world *world, const wf_scaled_model *scaled, const wf_vec3 *x, const wf_vec3 *v,
                             wf_vec3 *force)
{
    wf_model *model = scaled->model;
    if (scaled->scale == 1) {
        model->class->add_forces(world->context, model, x, v, force);
        return;
    }
    memset(world->scratch, 0, (size_t)world->row_count * sizeof *world->scratch);
    model->class->add_forces(world->context, model, x, v, world->scratch);
    for (int32_t i = 0; i < world->row_count; i++) {
        force[i] = wf_vec3_muladds(force[i], world->scratch[i], scaled->scale);
    }
}

static wf_status add_stiff_forces(wf_world *world, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *force)
{
    if (!world->scratch && world->params.bending_scale != 1) {
        world->scratch = wf_allocate(world->context, (size_t)world->row_count, sizeof *world->scratch);
        if (!world->scratch) {
            return WF_ERROR_MEMORY;
        }
    }
    for (size_t m = 0; m < world->elements.model_count; m++) {
        add_model_forces(world, &world->models[m], x, v, force);
    }
    double damping = mass_damping(world);
    for (int32_t i = 0; damping > 0 && i < world->row_count; i++) {
        force[i] = wf_vec3_muladds(force[i], v[i], -damping * world->mass[i]);
    }
    add_excess_inertia(world, -damping, v, force);
    wf_world_add_contact_forces(world, x, v, force);
    return world->barrier ? wf_world_add_barrier_forces(world, x, force) : WF_OK;
}

static wf_status forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    wf_world *world = user;
    double start = wf_clock_seconds();
    for (int32_t i = 0; i < world->row_count; i++) {
        as_vectors(force)[i] = i < world->weighed_count ? weight_of(world, i) : (wf_vec3){0, 0, 0};
    }
    wf_status status = add_stiff_forces(world, as_const_vectors(x), as_const_vectors(v), as_vectors(force));
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return status;
}

static wf_status stiff_forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    wf_world *world = user;
    double start = wf_clock_seconds();
    memset(force, 0, (size_t)world->row_count * sizeof(wf_vec3));
    wf_status status = add_stiff_forces(world, as_const_vectors(x), as_const_vectors(v), as_vectors(force));
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return status;
}

static wf_status energy(void *user, double t, const double *x, double *result)
{
    (void)t;
    wf_world *world = user;
    double start = wf_clock_seconds(), sum = 0;
    wf_status status = wf_world_need_elements(world);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t i = 0; i < world->weighed_count; i++) { /* of rigid bodies but for what it was when the step began */
        sum -= wf_vec3_dot(weight_of(world, i), as_const_vectors(x)[i]);
    }
    for (size_t m = 0; m < world->elements.model_count; m++) {
        wf_model *model = world->models[m].model;
        sum += world->models[m].scale * wf_model_energy(world->context, model, as_const_vectors(x));
    }
    *result = sum + wf_world_contact_energy(world, as_const_vectors(x));
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return WF_OK;
}

/* ---- masses ---------------------------------------------------------------------------------------------------- */

static void multiply_mass(void *user, const double *v, double *y)
{
    const wf_world *world = user;
    for (int32_t i = 0; i < world->row_count; i++) {
        as_vectors(y)[i] = wf_vec3_scale(as_const_vectors(v)[i], world->mass[i]);
    }
    add_excess_inertia(world, 1, as_const_vectors(v), as_vectors(y));
}

static void divide_mass(void *user, const double *f, double *a)
{
    const wf_world *world = user;
    for (int32_t i = 0; i < world->row_count; i++) {
        as_vectors(a)[i] = wf_vec3_scale(as_const_vectors(f)[i], world->inverse_mass[i]);
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        int32_t row = wf_world_rigid_rows(world, (int32_t)k).turn;
        as_vectors(a)[row] = wf_mat3_mulv(world->rigids[k].inverse_inertia, as_const_vectors(f)[row]);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

/* What the models leave out of the matrix. */
static wf_status add_low_rank(wf_world *world, const wf_vec3 *x, double stiffness_scale, double damping_scale,
                              bool exact)
{
    wf_status status = WF_OK;
    wf_low_rank_begin(&world->low_rank, (size_t)world->row_count);
    for (size_t m = 0; status == WF_OK && m < world->elements.model_count; m++) {
        wf_model *model = world->models[m].model;
        if (model->class->add_low_rank) {
            status = model->class->add_low_rank(world->context, model, x, world->models[m].scale * stiffness_scale,
                                                world->models[m].scale * damping_scale, exact, &world->low_rank);
        }
    }
    return status;
}

static wf_status linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                           double stiffness_scale, double damping_scale)
{
    (void)t;
    wf_world *world = user;
    double start = wf_clock_seconds();
    world->sweep_current = false;
    if (world->air.model) {
        wf_aerodynamic_linearise(world->air.model, as_const_vectors(v));
    }
    wf_model *models[sizeof world->models / sizeof *world->models];
    double scales[sizeof models / sizeof *models];
    for (size_t m = 0; m < world->elements.model_count; m++) {
        models[m] = world->models[m].model;
        scales[m] = world->models[m].scale;
    }
    const wf_matrix_terms terms = {.mass = world->mass,
                                   .mass_scale = 1 + damping_scale * mass_damping(world),
                                   .stiffness_scale = stiffness_scale,
                                   .damping_scale = damping_scale,
                                   .exact = kind == WF_LINEARISE_EXACT};
    wf_block_matrix_assemble(world->context, world->matrix, &terms, (int32_t)world->elements.model_count, models,
                             scales, as_const_vectors(x));
    for (size_t k = 0; k < world->rigid_count; k++) {
        int32_t row = wf_world_rigid_rows(world, (int32_t)k).turn;
        int32_t place = wf_pattern_diagonal_place(&world->matrix->block_pattern, row);
        wf_mat3 *diagonal = &world->matrix->values.blocks[place];
        *diagonal = wf_mat3_muladds(*diagonal, world->rigids[k].excess, terms.mass_scale);
    }
    wf_status status = wf_world_add_contact_matrix(world, as_const_vectors(x), stiffness_scale, damping_scale);
    if (status == WF_OK) {
        status = add_low_rank(world, as_const_vectors(x), stiffness_scale, damping_scale, terms.exact);
    }
    world->stats.assembly_seconds += wf_clock_seconds() - start;
    return status;
}

static wf_status set_past(void *user, const wf_past *past)
{
    wf_world *world = user;
    return wf_elements_set_past(world->context, &world->elements, past);
}

/* Of all forces that of the air alone is not linear in the velocity. */
static void expand(void *user, const double *v)
{
    wf_world *world = user;
    if (world->air.model) {
        wf_aerodynamic_expand(world->air.model, v ? as_const_vectors(v) : NULL);
    }
}

static wf_linear_system linear_system(const wf_world *world)
{
    return (wf_linear_system){.matrix = world->matrix, .contacts = world->contact_blocks, .filter = world->filter,
                              .positions = world->x0};
}

static void multiply(void *user, const double *v, double *y)
{
    wf_world *world = user;
    wf_linear_system system = linear_system(world);
    wf_linear_system_multiply(world->context, &system, as_const_vectors(v), as_vectors(y));
    wf_low_rank_multiply(&world->low_rank, as_const_vectors(v), as_vectors(y));
}

/* factor u u^T is no more than factor |u_i| sum |u_j| on the diagonal. */
static void add_low_rank_bounds(const wf_low_rank *terms, wf_mat3 *diagonal)
{
    for (size_t k = 0; k < terms->count; k++) {
        const wf_vec3 *u = terms->vectors + k * terms->rows;
        double sum = 0;
        for (size_t i = 0; i < terms->rows; i++) {
            sum += wf_vec3_norm(u[i]);
        }
        for (size_t i = 0; i < terms->rows; i++) {
            for (int a = 0; a < 3; a++) {
                diagonal[i].m[a][a] += 0.5 * terms->factors[k] * sum * wf_vec3_norm(u[i]); /* is doubled */
            }
        }
    }
}

/* Twice the diagonal blocks, less the masses in them: hinges and contacts join four points. */
static wf_status make_sweep(wf_world *world)
{
    size_t count = (size_t)world->row_count;
    wf_linear_system system = linear_system(world);
    wf_status status = wf_reserve(world->context, &world->sweep, &world->sweep_capacity, count, sizeof *world->sweep);
    if (status != WF_OK) {
        return status;
    }
    wf_linear_system_diagonal(world->context, &system, world->sweep);
    add_low_rank_bounds(&world->low_rank, world->sweep);
    for (size_t i = 0; i < count; i++) {
        wf_mat3 block = world->sweep[i];
        for (int k = 0; k < 9; k++) {
            (&block.m[0][0])[k] *= 2;
        }
        for (int k = 0; k < 3; k++) {
            block.m[k][k] -= world->mass[i];
        }
        if (!wf_invert_definite(&block, &world->sweep[i])) {
            return wf_fail(world->context, WF_ERROR_NUMERIC,
                           "the matrix is not positive definite at vertex %d of the world's cloth", (int)i + 1);
        }
    }
    world->sweep_current = true;
    return WF_OK;
}

static wf_status divide_diagonal(void *user, const double *r, double *z)
{
    wf_world *world = user;
    wf_status status = world->sweep_current ? WF_OK : make_sweep(world);
    for (int32_t i = 0; i < world->row_count && status == WF_OK; i++) {
        size_t at = (size_t)i;
        wf_vec3 free_part = wf_filter_apply(world->filter, at, as_const_vectors(r)[i]);
        as_vectors(z)[i] = wf_filter_apply(world->filter, at, wf_mat3_mulv(world->sweep[i], free_part));
    }
    return status;
}

/* Where the integrator starts from the last velocity, for want of a better one, v becomes what the motion lets expect,
 * or, when the step is solved again, what it found before. */
static void improve_start(const wf_world *world, wf_vec3 *v)
{
    if (memcmp(v, world->v0, (size_t)world->row_count * sizeof *v) != 0) {
        return;
    }
    if (world->solving_again) {
        memcpy(v, world->v_found, (size_t)world->row_count * sizeof *v);
        return;
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        size_t first = (size_t)member->first_vertex;
        wf_start_values_predict(&world->start_values, first, first + (size_t)member->cloth->mesh.vertex_count,
                                world->mass, world->v0, world->filter->fixed_count, v);
    }
}

static wf_status solve(void *user, const double *right_hand_side, double *v, double tolerance, wf_solve_work *work)
{
    wf_world *world = user;
    double start = wf_clock_seconds();
    wf_linear_system system = linear_system(world);
    wf_pcg_params params = wf_default_pcg_params();
    params.relative_tolerance = tolerance > 0 ? tolerance : world->params.tolerance;
    if (world->rigid_count > 0) {
        /* Residuals are measured by what they mean for single rows. Rolling, and cloth under a thousand times its
         * weight, move many rows by forces that nearly cancel. */
        params.relative_tolerance = fmin(params.relative_tolerance, LARGEST_RIGID_TOLERANCE);
    }
    params.max_iterations = world->params.max_iterations;
    params.min_iterations = 1; /* or the errors of predictions would add up from step to step */
    improve_start(world, as_vectors(v));
    wf_pcg_result result;
    wf_status status = wf_low_rank_solve(world->context, &system, &world->low_rank, as_const_vectors(right_hand_side),
                                         as_vectors(v), &params, &world->solver, &world->low_rank_solver, &result);
    if (status == WF_ERROR_NUMERIC && world->rigid_count > 0) {
        /* Masses that differ too much for the rounding of what preconditions well. */
        params.precision = WF_PCG_DOUBLE;
        params.preconditioner = &wf_preconditioner_block_jacobi;
        memcpy(v, world->v0, (size_t)world->row_count * sizeof *world->v0);
        status = wf_low_rank_solve(world->context, &system, &world->low_rank, as_const_vectors(right_hand_side),
                                   as_vectors(v), &params, &world->solver, &world->low_rank_solver, &result);
    }
    world->stats.solver_iterations += result.iterations;
    world->stats.solver_residual = result.residual;
    work->iterations += result.iterations;
    work->products += result.iterations + 1; /* the start's residual */
    work->residual = result.residual;
    world->stats.solve_seconds += wf_clock_seconds() - start;
    if (status == WF_ERROR_NUMERIC && result.indefinite && result.row >= 0) {
        status = wf_world_need_elements(world);
        if (status != WF_OK) {
            return status;
        }
        const wf_model *models[sizeof world->models / sizeof *world->models];
        for (size_t m = 0; m < world->elements.model_count; m++) {
            models[m] = world->models[m].model;
        }
        return wf_explain_indefinite(world->context, &system, result.row, world->elements.model_count, models);
    }
    return status;
}

/* ---- all together ---------------------------------------------------------------------------------------------- */

static void gather_elements(wf_world *world)
{
    for (size_t m = 0; m < world->model_count; m++) {
        bool bends = world->entries[m] && world->entries[m]->kind == WF_MODEL_BENDING;
        world->models[m].scale = bends ? world->params.bending_scale : 1;
    }
    for (int32_t i = 0; world->weight && i < world->row_count; i++) {
        world->weight[i] = weight_of(world, i);
    }
    world->elements = (wf_elements){.vertex_count = world->row_count,
                                    .model_count = world->model_count,
                                    .models = world->models,
                                    .revision = world->revision,
                                    .mass = world->mass,
                                    .load = world->weight,
                                    .damping = mass_damping(world),
                                    .contact_count = world->resting_count,
                                    .contacts = world->resting};
}

wf_system wf_world_system(wf_world *world)
{
    gather_elements(world);
    return (wf_system){.user = world,
                       .size = 3 * (size_t)world->row_count,
                       .prescribed = world->pinned_count > 0 ? world->prescribed : NULL,
                       .forces = forces,
                       .stiff_forces = stiff_forces,
                       .energy = energy,
                       .multiply_mass = multiply_mass,
                       .divide_mass = divide_mass,
                       .linearise = linearise,
                       .set_past = set_past,
                       .expand = expand,
                       .multiply = multiply,
                       .divide_diagonal = divide_diagonal,
                       .constant_matrix = wf_world_constant_matrix,
                       .turnless_damping = 1,
                       .barrier = wf_world_barrier_calls(world),
                       .solve = solve,
                       .linear_in_velocity = true,
                       .elements = &world->elements};
}

wf_status wf_world_spectrum(wf_world *world, wf_spectrum *spectrum)
{
    *spectrum = (wf_spectrum){0, 0};
    wf_status status = wf_world_refresh(world);
    if (status != WF_OK || world->row_count == 0) {
        return status;
    }
    wf_world_load_state(world);
    world->resting_count = 0;
    wf_world_free_barrier(world);
    wf_system system = wf_world_system(world);
    return wf_system_spectrum(world->context, &system, wf_world_time(world), &world->x0->x, &world->v0->x, spectrum);
}
