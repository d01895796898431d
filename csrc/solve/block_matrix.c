#include "solve/block_matrix.h"

#include <string.h>

/* All but the scalars. */
static wf_status create(wf_context *context, int32_t row_count, int32_t block_stencil_count,
                        const wf_stencil *block_stencils, int32_t scalar_stencil_count,
                        const wf_stencil *scalar_stencils, wf_block_matrix **matrix)
{
    *matrix = NULL;
    wf_block_matrix *a = wf_allocate(context, 1, sizeof *a);
    if (!a) {
        return WF_ERROR_MEMORY;
    }
    a->row_count = row_count;
    a->identity = wf_context_new_identity(context);
    a->scalar_revision = 1;
    wf_status status = wf_pattern_build(context, row_count, block_stencil_count, block_stencils, &a->block_pattern);
    if (status == WF_OK) {
        status = wf_pattern_halve(context, &a->block_pattern);
    }
    if (status == WF_OK) {
        status = wf_scalar_pattern_build(context, row_count, scalar_stencil_count, scalar_stencils,
                                         &a->scalar_pattern);
    }
    if (status == WF_OK) {
        a->values.blocks = wf_allocate(context, (size_t)wf_pattern_place_count(&a->block_pattern),
                                       sizeof *a->values.blocks);
        a->scalar_diagonal = wf_allocate(context, (size_t)row_count, sizeof *a->scalar_diagonal);
        status = a->values.blocks && a->scalar_diagonal ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        wf_block_matrix_destroy(context, a);
        return status;
    }
    *matrix = a;
    return WF_OK;
}

/* Makes scalars of its own, or takes those of a model. */
static wf_status make_scalars(wf_context *context, const double *of_model, wf_block_matrix *a)
{
    if (of_model) {
        wf_retain((void *)(uintptr_t)of_model);
        a->scalars = of_model;
        return WF_OK;
    }
    a->values.scalars = wf_allocate(context, (size_t)wf_scalar_pattern_place_count(&a->scalar_pattern),
                                    sizeof *a->values.scalars);
    a->scalars = a->values.scalars;
    a->scalar_factor = 1;
    return a->scalars ? WF_OK : WF_ERROR_MEMORY;
}

/* Destroys a matrix that could not be completed. */
static wf_status completed(wf_context *context, wf_status status, wf_block_matrix **matrix)
{
    if (status != WF_OK) {
        wf_block_matrix_destroy(context, *matrix);
        *matrix = NULL;
    }
    return status;
}

wf_status wf_block_matrix_create(wf_context *context, int32_t row_count, int32_t block_stencil_count,
                                 const wf_stencil *block_stencils, int32_t scalar_stencil_count,
                                 const wf_stencil *scalar_stencils, wf_block_matrix **matrix)
{
    wf_status status = create(context, row_count, block_stencil_count, block_stencils, scalar_stencil_count,
                              scalar_stencils, matrix);
    return status == WF_OK ? completed(context, make_scalars(context, NULL, *matrix), matrix) : status;
}

/* The values of the one scalar model, where they are constant. */
static const double *constant_scalars(int32_t model_count, wf_model *const *models)
{
    const double *scalars = NULL;
    int32_t count = 0;
    for (int32_t m = 0; m < model_count; m++) {
        if (models[m]->class->scalar) {
            double factor;
            scalars = models[m]->class->constant_scalars
                          ? models[m]->class->constant_scalars(models[m], 1, 1, &factor)
                          : NULL;
            count++;
        }
    }
    return count == 1 ? scalars : NULL;
}

static wf_status bind_models(wf_context *context, const wf_block_matrix *matrix, int32_t model_count,
                             wf_model *const *models, bool scalar)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < model_count && status == WF_OK; i++) {
        if (models[i]->class->scalar == scalar) {
            status = models[i]->class->bind(context, models[i], &matrix->block_pattern, &matrix->scalar_pattern);
        }
    }
    return status;
}

wf_status wf_block_matrix_create_for_models(wf_context *context, int32_t row_count, int32_t model_count,
                                            wf_model *const *models, wf_block_matrix **matrix)
{
    *matrix = NULL;
    wf_stencil *stencils = wf_allocate(context, (size_t)model_count, sizeof *stencils);
    if (!stencils) {
        return WF_ERROR_MEMORY;
    }
    /* Block stencils from the front, scalar ones from the back. */
    int32_t block_count = 0, scalar_start = model_count;
    for (int32_t i = 0; i < model_count; i++) {
        if (models[i]->vertex_count != row_count) {
            wf_free(context, stencils);
            return wf_fail(context, WF_ERROR_ARGUMENT, "matrix: a model of %d vertices in a matrix of %d rows",
                           models[i]->vertex_count, row_count);
        }
        if (models[i]->class->scalar) {
            stencils[--scalar_start] = models[i]->stencil;
        } else {
            stencils[block_count++] = models[i]->stencil;
        }
    }
    wf_status status = create(context, row_count, block_count, stencils, model_count - scalar_start,
                              stencils + scalar_start, matrix);
    wf_free(context, stencils);
    if (status != WF_OK) {
        return status;
    }
    /* Which scalars are a model's own is known once it is bound. */
    status = bind_models(context, *matrix, model_count, models, true);
    if (status == WF_OK) {
        status = make_scalars(context, constant_scalars(model_count, models), *matrix);
    }
    if (status == WF_OK) {
        status = bind_models(context, *matrix, model_count, models, false);
    }
    return completed(context, status, matrix);
}

void wf_block_matrix_destroy(wf_context *context, wf_block_matrix *matrix)
{
    if (!matrix) {
        return;
    }
    wf_pattern_free(context, &matrix->block_pattern);
    wf_scalar_pattern_free(context, &matrix->scalar_pattern);
    wf_free(context, matrix->values.blocks);
    wf_free(context, (void *)(uintptr_t)matrix->scalars);
    wf_free(context, matrix->scalar_diagonal);
    wf_free(context, matrix);
}

static void clear_scalars(wf_block_matrix *matrix)
{
    matrix->scalars_known = false;
    matrix->scalar_revision++;
    memset(matrix->scalar_diagonal, 0, (size_t)matrix->row_count * sizeof *matrix->scalar_diagonal);
    if (matrix->values.scalars) {
        memset(matrix->values.scalars, 0,
               (size_t)wf_scalar_pattern_place_count(&matrix->scalar_pattern) * sizeof *matrix->values.scalars);
    } else {
        matrix->scalar_factor = 0;
    }
}

void wf_block_matrix_clear(wf_block_matrix *matrix)
{
    clear_scalars(matrix);
    memset(matrix->values.blocks, 0,
           (size_t)wf_pattern_place_count(&matrix->block_pattern) * sizeof *matrix->values.blocks);
}

void wf_block_matrix_add_diagonal(wf_block_matrix *matrix, double scale, const double *diagonal)
{
    matrix->scalars_known = false;
    for (int32_t i = 0; i < matrix->row_count; i++) {
        matrix->scalar_diagonal[i] += scale * diagonal[i];
    }
}

static double scale_of(const double *scales, int32_t model)
{
    return scales ? scales[model] : 1;
}

/* Whether the scalars are those of the same models with the same scales and masses. */
static bool scalars_are_current(const wf_block_matrix *matrix, const wf_matrix_terms *terms, int32_t model_count,
                                const double *scales)
{
    const wf_matrix_terms *old = &matrix->scalar_terms;
    if (!matrix->scalars_known || model_count > WF_SCALED_MODELS || old->mass != terms->mass ||
        old->mass_scale != terms->mass_scale || old->stiffness_scale != terms->stiffness_scale ||
        old->damping_scale != terms->damping_scale) {
        return false;
    }
    for (int32_t m = 0; m < model_count; m++) {
        if (matrix->scalar_scales[m] != scale_of(scales, m)) {
            return false;
        }
    }
    return true;
}

static void begin_scalars(wf_block_matrix *matrix, const wf_matrix_terms *terms, int32_t model_count,
                          wf_model *const *models, const double *scales)
{
    clear_scalars(matrix);
    if (terms->mass) {
        wf_block_matrix_add_diagonal(matrix, terms->mass_scale, terms->mass);
    }
    matrix->scalars_known = model_count <= WF_SCALED_MODELS;
    matrix->scalar_terms = *terms;
    for (int32_t m = 0; m < model_count; m++) {
        double scale = scale_of(scales, m);
        if (m < WF_SCALED_MODELS) {
            matrix->scalar_scales[m] = scale;
        }
        if (models[m]->class->scalar && !matrix->values.scalars) {
            models[m]->class->constant_scalars(models[m], scale * terms->stiffness_scale, scale * terms->damping_scale,
                                               &matrix->scalar_factor);
        }
    }
}

/* Zeroes the blocks of rows [begin, end). */
static void clear_rows(wf_block_matrix *matrix, int32_t begin, int32_t end)
{
    int32_t first = wf_pattern_first_place(&matrix->block_pattern, begin);
    int32_t last = wf_pattern_first_place(&matrix->block_pattern, end);
    memset(matrix->values.blocks + first, 0, (size_t)(last - first) * sizeof *matrix->values.blocks);
}

void wf_block_matrix_assemble(wf_context *context, wf_block_matrix *matrix, const wf_matrix_terms *terms,
                              int32_t model_count, wf_model *const *models, const double *scales, const wf_vec3 *x)
{
    bool current = scalars_are_current(matrix, terms, model_count, scales);
    if (!current) {
        begin_scalars(matrix, terms, model_count, models, scales);
    }
    bool made = current || !matrix->values.scalars;
    /* A model that sets rows saves clearing them; those whose rows come after each other may. The others add. */
    int32_t rows_done = 0;
    for (int pass = 0; pass < 2; pass++) {
        int32_t next = 0;
        for (int32_t m = 0; m < model_count; m++) {
            wf_model *model = models[m];
            const wf_model_class *class = model->class;
            double stiffness = scale_of(scales, m) * terms->stiffness_scale;
            double damping = scale_of(scales, m) * terms->damping_scale;
            bool sets = class->set_matrix && model->first_row >= next && model->end_row > model->first_row;
            next = sets ? model->end_row : next;
            if (pass == 0 && sets) {
                clear_rows(matrix, rows_done, model->first_row);
                class->set_matrix(context, model, x, stiffness, damping, terms->exact, matrix->values);
                rows_done = next;
            } else if (pass == 1 && !sets && !(class->scalar && made)) {
                (terms->exact ? class->add_exact_matrix : class->add_matrix)(context, model, x, stiffness, damping,
                                                                             matrix->values);
            }
        }
        if (pass == 0) {
            clear_rows(matrix, rows_done, matrix->row_count);
        }
    }
}

wf_mat3 wf_block_matrix_entry(const wf_block_matrix *matrix, int32_t row, int32_t column)
{
    bool upper = column > row;
    int32_t block = wf_pattern_place(&matrix->block_pattern, upper ? column : row, upper ? row : column);
    int32_t scalar = wf_scalar_pattern_find(&matrix->scalar_pattern, row, column);
    wf_mat3 entry = {{{0}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3 && block >= 0; j++) {
            entry.m[i][j] = upper ? matrix->values.blocks[block].m[j][i] : matrix->values.blocks[block].m[i][j];
        }
        if (scalar >= 0) {
            entry.m[i][i] += row == column ? wf_block_matrix_diagonal_scalar(matrix, (size_t)row)
                                           : wf_block_matrix_scalar(matrix, scalar);
        }
    }
    return entry;
}
