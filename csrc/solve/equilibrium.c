#include "solve/equilibrium.h"

#include <string.h>

#include "solve/indefinite.h"

wf_equilibrium_params wf_default_equilibrium_params(void)
{
    wf_equilibrium_params params = {.tolerance = 1e-6, .max_iterations = 500, .pcg = wf_default_pcg_params()};
    params.pcg.relative_tolerance = 1e-8;
    return params;
}

typedef struct equilibrium {
    wf_context *context;
    int32_t rows, model_count;
    wf_model *const *models;
    const wf_vec3 *load;
    const wf_filter *filter;
    wf_block_matrix *matrix;
    wf_vec3 *force, *step, *trial;
    double *diagonal;
    wf_pcg_workspace workspace;
} equilibrium;

static double energy_at(equilibrium *e, const wf_vec3 *x)
{
    double sum = 0;
    for (int32_t m = 0; m < e->model_count; m++) {
        sum += wf_model_energy(e->context, e->models[m], x);
    }
    for (int32_t i = 0; i < e->rows; i++) {
        sum -= wf_vec3_dot(e->load[i], x[i]);
    }
    return sum;
}

/* The unbalanced free forces at x; returns the largest. */
static double forces_at(equilibrium *e, const wf_vec3 *x)
{
    memcpy(e->force, e->load, (size_t)e->rows * sizeof *e->force);
    for (int32_t m = 0; m < e->model_count; m++) {
        e->models[m]->class->add_forces(e->context, e->models[m], x, NULL, e->force);
    }
    double largest = 0;
    for (int32_t i = 0; i < e->rows; i++) {
        e->force[i] = wf_filter_apply(e->filter, (size_t)i, e->force[i]);
        double size = wf_vec3_norm(e->force[i]);
        largest = size > largest || isnan(size) ? size : largest;
    }
    return largest;
}

/* The matrix at x with its diagonal enlarged by `damping` times each vertex's mean diagonal entry. */
static void linearise(equilibrium *e, const wf_vec3 *x, bool exact, double damping)
{
    const wf_matrix_terms terms = {.stiffness_scale = 1, .exact = exact};
    wf_block_matrix_assemble(e->context, e->matrix, &terms, e->model_count, e->models, NULL, x);
    double largest = 0;
    for (int32_t i = 0; i < e->rows; i++) {
        wf_mat3 block = wf_block_matrix_entry(e->matrix, i, i);
        e->diagonal[i] = (block.m[0][0] + block.m[1][1] + block.m[2][2]) / 3;
        largest = fmax(largest, e->diagonal[i]);
    }
    for (int32_t i = 0; i < e->rows; i++) {
        e->diagonal[i] = fmax(e->diagonal[i], 1e-9 * largest); /* vertices that nothing holds */
    }
    wf_block_matrix_add_diagonal(e->matrix, damping, e->diagonal);
}

static double load_scale(const equilibrium *e)
{
    double sum = 0;
    for (int32_t i = 0; i < e->rows; i++) {
        sum += wf_vec3_norm2(e->load[i]);
    }
    return sum > 0 ? sqrt(sum / e->rows) : 1;
}

/* Newton's step from x. Its own matrix converges quadratically, where it is definite. */
static wf_status find_step(equilibrium *e, const wf_vec3 *x, double damping, const wf_equilibrium_params *params,
                           wf_equilibrium_result *result)
{
    wf_linear_system system = {.matrix = e->matrix, .filter = e->filter, .positions = x};
    wf_pcg_result solved = {.indefinite = true};
    wf_status status = WF_ERROR_NUMERIC;
    for (int exact = 1; exact >= 0 && status != WF_OK && solved.indefinite; exact--) {
        linearise(e, x, exact, damping);
        memset(e->step, 0, (size_t)e->rows * sizeof *e->step);
        status = wf_pcg_solve(e->context, &system, e->force, e->step, &params->pcg, &e->workspace, &solved);
        result->pcg_iterations += solved.iterations;
    }
    return status != WF_OK && solved.indefinite && solved.row >= 0
               ? wf_explain_indefinite(e->context, &system, solved.row, (size_t)e->model_count,
                                       (const wf_model *const *)e->models)
               : status;
}

static wf_status descend(equilibrium *e, wf_vec3 *x, const wf_equilibrium_params *params,
                         wf_equilibrium_result *result)
{
    const double scale = load_scale(e), least = 1e-12, most = 1e8;
    double damping = 1e-4;
    result->energy = energy_at(e, x);
    result->residual = forces_at(e, x) / scale;
    while (result->residual > params->tolerance && result->iterations < params->max_iterations && damping < most) {
        wf_status status = find_step(e, x, damping, params, result);
        if (status != WF_OK) {
            return status;
        }
        result->iterations++;
        for (int32_t i = 0; i < e->rows; i++) {
            e->trial[i] = wf_vec3_add(x[i], e->step[i]);
        }
        double energy = energy_at(e, e->trial), residual = forces_at(e, e->trial) / scale;
        /* Near the minimum the energy is flat to rounding, and the forces decide. */
        bool flat = fabs(energy - result->energy) <= 1e-11 * fabs(result->energy);
        if (energy < result->energy || (flat && residual < result->residual)) {
            memcpy(x, e->trial, (size_t)e->rows * sizeof *x);
            result->energy = energy;
            result->residual = residual;
            damping = fmax(least, damping / 5);
        } else {
            damping *= 8;
            forces_at(e, x);
        }
    }
    result->converged = result->residual <= params->tolerance;
    if (!isfinite(result->energy) || !isfinite(result->residual)) {
        return wf_fail(e->context, WF_ERROR_NUMERIC, "equilibrium: the start or the load is not finite");
    }
    return WF_OK;
}

wf_status wf_equilibrium_solve(wf_context *context, int32_t row_count, int32_t model_count, wf_model *const *models,
                               const wf_vec3 *load, const wf_filter *filter, wf_vec3 *x,
                               const wf_equilibrium_params *params, wf_equilibrium_result *result)
{
    *result = (wf_equilibrium_result){0};
    equilibrium e = {.context = context, .rows = row_count, .model_count = model_count, .models = models,
                     .load = load, .filter = filter};
    wf_status status = wf_block_matrix_create_for_models(context, row_count, model_count, models, &e.matrix);
    if (status == WF_OK) {
        size_t rows = (size_t)row_count;
        e.force = wf_allocate(context, rows, sizeof *e.force);
        e.step = wf_allocate(context, rows, sizeof *e.step);
        e.trial = wf_allocate(context, rows, sizeof *e.trial);
        e.diagonal = wf_allocate(context, rows, sizeof *e.diagonal);
        status = e.force && e.step && e.trial && e.diagonal ? descend(&e, x, params, result) : WF_ERROR_MEMORY;
    }
    wf_pcg_workspace_free(context, &e.workspace);
    wf_block_matrix_destroy(context, e.matrix);
    wf_free(context, e.force);
    wf_free(context, e.step);
    wf_free(context, e.trial);
    wf_free(context, e.diagonal);
    return status;
}
