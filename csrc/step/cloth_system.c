#include "step/cloth_system.h"

#include "base/tasks.h"
#include "model/membrane.h"
#include "solve/conjugate_gradients.h"
#include "solve/product_kernels.h"
#include "step/element_step.h"

enum { MODEL_LIMIT = 3, VERTEX_BLOCK = 1024 };

struct wf_cloth_system {
    wf_context *context;
    wf_system system;
    wf_elements elements;
    wf_scaled_model models[MODEL_LIMIT];
    int32_t vertex_count;
    double *mass;
    wf_vec3 *load;
    uint8_t *prescribed; /* [3 vertex_count] */
    double damping, tolerance;
    wf_block_matrix *matrix;
    wf_filter *filter;
    wf_pcg_workspace workspace;
};

wf_cloth_system_def wf_default_cloth_system_def(void)
{
    return (wf_cloth_system_def){.membrane = wf_model_default(WF_MODEL_MEMBRANE),
                                 .bending = wf_model_default(WF_MODEL_BENDING),
                                 .gravity = {0, -9.81, 0},
                                 .tolerance = 1e-10};
}

void wf_cloth_system_destroy(wf_cloth_system *cloth)
{
    if (!cloth) {
        return;
    }
    wf_context *context = cloth->context;
    for (int m = 0; m < MODEL_LIMIT; m++) {
        wf_model_destroy(context, cloth->models[m].model);
    }
    wf_block_matrix_destroy(context, cloth->matrix);
    wf_filter_destroy(context, cloth->filter);
    wf_pcg_workspace_free(context, &cloth->workspace);
    wf_free(context, cloth->mass);
    wf_free(context, cloth->load);
    wf_free(context, cloth->prescribed);
    wf_free(context, cloth);
}

const wf_system *wf_cloth_system_get(const wf_cloth_system *cloth)
{
    return &cloth->system;
}

const double *wf_cloth_system_masses(const wf_cloth_system *cloth)
{
    return cloth->mass;
}

/* ---- the system's functions ------------------------------------------------------------------------------------- */

static wf_status forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    wf_cloth_system *cloth = user;
    wf_vec3 *f = (wf_vec3 *)force;
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        f[i] = wf_vec3_muladds(cloth->load[i], ((const wf_vec3 *)v)[i], -cloth->damping * cloth->mass[i]);
    }
    for (size_t m = 0; m < cloth->elements.model_count; m++) {
        wf_model *model = cloth->models[m].model;
        model->class->add_forces(cloth->context, model, (const wf_vec3 *)x, (const wf_vec3 *)v, f);
    }
    return WF_OK;
}

static wf_status energy(void *user, double t, const double *x, double *result)
{
    (void)t;
    wf_cloth_system *cloth = user;
    double sum = 0;
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        sum -= wf_vec3_dot(cloth->load[i], ((const wf_vec3 *)x)[i]);
    }
    for (size_t m = 0; m < cloth->elements.model_count; m++) {
        wf_model *model = cloth->models[m].model;
        sum += wf_model_energy(cloth->context, model, (const wf_vec3 *)x);
    }
    *result = sum;
    return WF_OK;
}

static wf_status set_past(void *user, const wf_past *past)
{
    wf_cloth_system *cloth = user;
    return wf_elements_set_past(cloth->context, &cloth->elements, past);
}

static void multiply_mass(void *user, const double *v, double *y)
{
    const wf_cloth_system *cloth = user;
    for (size_t k = 0; k < cloth->system.size; k++) {
        y[k] = cloth->mass[k / 3] * v[k];
    }
}

static void divide_mass(void *user, const double *f, double *a)
{
    const wf_cloth_system *cloth = user;
    for (size_t k = 0; k < cloth->system.size; k++) {
        a[k] = cloth->prescribed[k] ? 0 : f[k] / cloth->mass[k / 3];
    }
}

static wf_status linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                           double stiffness_scale, double damping_scale)
{
    (void)t;
    (void)v;
    wf_cloth_system *cloth = user;
    wf_model *models[MODEL_LIMIT];
    for (size_t m = 0; m < cloth->elements.model_count; m++) {
        models[m] = cloth->models[m].model;
    }
    const wf_matrix_terms terms = {.mass = cloth->mass,
                                   .mass_scale = 1 + damping_scale * cloth->damping,
                                   .stiffness_scale = stiffness_scale,
                                   .damping_scale = damping_scale,
                                   .exact = kind == WF_LINEARISE_EXACT};
    wf_block_matrix_assemble(cloth->context, cloth->matrix, &terms, (int32_t)cloth->elements.model_count, models, NULL,
                             (const wf_vec3 *)x);
    return WF_OK;
}

typedef struct product {
    const wf_cloth_system *cloth;
    const wf_vec3 *v;
    wf_vec3 *y;
} product;

static void multiply_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const product *call = user;
    const wf_product_kernels *kernels = wf_product_kernels_for(call->cloth->context);
    kernels->multiply_double(call->cloth->matrix, call->v, call->y, begin, end);
}

static void multiply(void *user, const double *v, double *y)
{
    wf_cloth_system *cloth = user;
    product call = {cloth, (const wf_vec3 *)v, (wf_vec3 *)y};
    wf_parallel_for(cloth->context, (size_t)cloth->vertex_count, VERTEX_BLOCK, multiply_block, &call);
}

static wf_status solve(void *user, const double *b, double *v, double tolerance, wf_solve_work *work)
{
    wf_cloth_system *cloth = user;
    wf_linear_system system = {.matrix = cloth->matrix, .filter = cloth->filter};
    wf_pcg_params params = wf_default_pcg_params();
    /* An equation to compare schemes on: exactness before speed. */
    params.precision = WF_PCG_DOUBLE;
    params.preconditioner = &wf_preconditioner_incomplete_cholesky;
    params.relative_tolerance = tolerance > 0 ? tolerance : cloth->tolerance;
    wf_pcg_result result = {0};
    wf_status status = wf_pcg_solve(cloth->context, &system, (const wf_vec3 *)b, (wf_vec3 *)v, &params,
                                    &cloth->workspace, &result);
    work->iterations += result.iterations;
    work->products += result.iterations + 1;
    work->residual = result.residual;
    if (status == WF_OK && !result.converged) {
        return wf_fail(cloth->context, WF_ERROR_NUMERIC, "cloth: a linear solve stopped at a residual of %g after %d "
                       "iterations", result.residual, result.iterations);
    }
    return status;
}

/* ---- making one ------------------------------------------------------------------------------------------------- */

static wf_status add_models(wf_cloth_system *cloth, const wf_cloth_system_def *def)
{
    wf_context *context = cloth->context;
    size_t count = 0;
    wf_status status = WF_OK;
    const wf_model_entry *entries[] = {def->membrane, def->bending};
    for (int k = 0; status == WF_OK && def->sheet.face_count > 0 && k < 2; k++) {
        if (entries[k]) {
            status = wf_model_create(context, entries[k], &def->sheet, &cloth->models[count].model);
            count += status == WF_OK;
        }
    }
    if (status == WF_OK && def->springs.count > 0) {
        wf_springs_def springs = def->springs;
        springs.vertex_count = def->sheet.vertex_count;
        status = wf_springs_create(context, &springs, &cloth->models[count].model);
        count += status == WF_OK;
    }
    wf_model *models[MODEL_LIMIT];
    for (size_t m = 0; m < count; m++) {
        cloth->models[m].scale = 1;
        models[m] = cloth->models[m].model;
    }
    cloth->elements.model_count = count;
    return status == WF_OK ? wf_block_matrix_create_for_models(context, cloth->vertex_count, (int32_t)count, models,
                                                               &cloth->matrix)
                           : status;
}

static wf_status set_masses(wf_cloth_system *cloth, const wf_cloth_system_def *def)
{
    const wf_sheet_faces *sheet = &def->sheet;
    wf_context *context = cloth->context;
    for (int32_t i = 0; def->masses && i < cloth->vertex_count; i++) {
        cloth->mass[i] = def->masses[i];
    }
    if (!def->masses) {
        double *density = wf_allocate(context, (size_t)sheet->face_count, sizeof *density);
        if (!density) {
            return WF_ERROR_MEMORY;
        }
        for (int32_t face = 0; face < sheet->face_count; face++) {
            density[face] = sheet->fabrics[wf_sheet_fabric(sheet, face)].density;
        }
        wf_status status = wf_lumped_masses(context, cloth->vertex_count, sheet->face_count, sheet->faces, sheet->rest,
                                            density, cloth->mass);
        wf_free(context, density);
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        if (!(cloth->mass[i] > 0 && cloth->mass[i] < 1e12)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %d must have a mass > 0, got %g kg", i + 1,
                           cloth->mass[i]);
        }
        cloth->load[i] = wf_vec3_scale(def->gravity, cloth->mass[i]);
    }
    return WF_OK;
}

static wf_status set_pins(wf_cloth_system *cloth, const wf_cloth_system_def *def)
{
    for (int32_t k = 0; k < def->pin_count; k++) {
        int32_t i = def->pins[k];
        if (i < 0 || i >= cloth->vertex_count) {
            return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "pin %d is vertex %d of %d", k + 1, i + 1,
                           cloth->vertex_count);
        }
        wf_filter_fix(cloth->filter, i);
        cloth->prescribed[3 * (size_t)i] = cloth->prescribed[3 * (size_t)i + 1] =
            cloth->prescribed[3 * (size_t)i + 2] = 1;
    }
    return WF_OK;
}

static wf_status fill(wf_cloth_system *cloth, const wf_cloth_system_def *def)
{
    wf_context *context = cloth->context;
    size_t vertices = (size_t)cloth->vertex_count;
    cloth->mass = wf_allocate(context, vertices, sizeof *cloth->mass);
    cloth->load = wf_allocate(context, vertices, sizeof *cloth->load);
    cloth->prescribed = wf_allocate(context, 3 * vertices, sizeof *cloth->prescribed);
    if (!cloth->mass || !cloth->load || !cloth->prescribed) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = add_models(cloth, def);
    if (status == WF_OK) {
        status = set_masses(cloth, def);
    }
    if (status == WF_OK) {
        status = wf_filter_create(context, cloth->vertex_count, &cloth->filter);
    }
    return status == WF_OK ? set_pins(cloth, def) : status;
}

wf_status wf_cloth_system_create(wf_context *context, const wf_cloth_system_def *def, wf_cloth_system **system)
{
    *system = NULL;
    if (!(def->damping >= 0 && def->damping <= 1e6 && def->tolerance > 0 && def->tolerance < 1)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "damping must be from 0 to 1e6 1/s and tolerance between 0 and 1, got %g and %g", def->damping,
                       def->tolerance);
    }
    wf_cloth_system *cloth = wf_allocate(context, 1, sizeof *cloth);
    if (!cloth) {
        return WF_ERROR_MEMORY;
    }
    cloth->context = context;
    cloth->vertex_count = def->sheet.vertex_count;
    cloth->damping = def->damping;
    cloth->tolerance = def->tolerance;
    wf_status status = fill(cloth, def);
    if (status != WF_OK) {
        wf_cloth_system_destroy(cloth);
        return status;
    }
    cloth->elements = (wf_elements){.vertex_count = cloth->vertex_count,
                                    .model_count = cloth->elements.model_count,
                                    .models = cloth->models,
                                    .revision = 1,
                                    .mass = cloth->mass,
                                    .load = cloth->load,
                                    .damping = def->damping};
    cloth->system = (wf_system){.user = cloth,
                                .size = 3 * (size_t)cloth->vertex_count,
                                .prescribed = cloth->prescribed,
                                .forces = forces,
                                .energy = energy,
                                .multiply_mass = multiply_mass,
                                .divide_mass = divide_mass,
                                .linearise = linearise,
                                .set_past = set_past,
                                .multiply = multiply,
                                .solve = solve,
                                .linear_in_velocity = true,
                                .elements = &cloth->elements};
    *system = cloth;
    return WF_OK;
}
