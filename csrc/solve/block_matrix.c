#include "solve/block_matrix.h"

#include <string.h>

#include "base/tasks.h"

enum { ROW_BLOCK = 512 };

wf_status wf_block_matrix_create(wf_context *context, int32_t row_count, int32_t block_stencil_count,
                                 const wf_stencil *block_stencils, int32_t scalar_stencil_count,
                                 const wf_stencil *scalar_stencils, wf_block_matrix **matrix)
{
    *matrix = NULL;
    wf_block_matrix *a = wf_allocate(context, 1, sizeof *a);
    if (!a) {
        return WF_ERROR_MEMORY;
    }
    a->row_count = row_count;
    wf_status status = wf_pattern_build(context, row_count, block_stencil_count, block_stencils, &a->block_pattern);
    if (status == WF_OK) {
        status = wf_pattern_build(context, row_count, scalar_stencil_count, scalar_stencils, &a->scalar_pattern);
    }
    if (status == WF_OK) {
        a->values.blocks = wf_allocate(context, (size_t)wf_pattern_slot_count(&a->block_pattern),
                                       sizeof *a->values.blocks);
        a->values.scalars = wf_allocate(context, (size_t)wf_pattern_slot_count(&a->scalar_pattern),
                                        sizeof *a->values.scalars);
        status = a->values.blocks && a->values.scalars ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        wf_block_matrix_destroy(context, a);
        return status;
    }
    *matrix = a;
    return WF_OK;
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
    wf_status status = wf_block_matrix_create(context, row_count, block_count, stencils, model_count - scalar_start,
                                              stencils + scalar_start, matrix);
    wf_free(context, stencils);
    for (int32_t i = 0; i < model_count && status == WF_OK; i++) {
        status = models[i]->class->bind(context, models[i], &(*matrix)->block_pattern, &(*matrix)->scalar_pattern);
    }
    if (status != WF_OK) {
        wf_block_matrix_destroy(context, *matrix);
        *matrix = NULL;
    }
    return status;
}

void wf_block_matrix_destroy(wf_context *context, wf_block_matrix *matrix)
{
    if (!matrix) {
        return;
    }
    wf_pattern_free(context, &matrix->block_pattern);
    wf_pattern_free(context, &matrix->scalar_pattern);
    wf_free(context, matrix->values.blocks);
    wf_free(context, matrix->values.scalars);
    wf_free(context, matrix);
}

void wf_block_matrix_clear(wf_block_matrix *matrix)
{
    memset(matrix->values.blocks, 0,
           (size_t)wf_pattern_slot_count(&matrix->block_pattern) * sizeof *matrix->values.blocks);
    memset(matrix->values.scalars, 0,
           (size_t)wf_pattern_slot_count(&matrix->scalar_pattern) * sizeof *matrix->values.scalars);
}

void wf_block_matrix_add_diagonal(wf_block_matrix *matrix, double scale, const double *diagonal)
{
    for (int32_t i = 0; i < matrix->row_count; i++) {
        matrix->values.scalars[matrix->scalar_pattern.diagonal[i]] += scale * diagonal[i];
    }
}

wf_mat3 wf_block_matrix_entry(const wf_block_matrix *matrix, int32_t row, int32_t column)
{
    int32_t block = wf_pattern_find(&matrix->block_pattern, row, column);
    int32_t scalar = wf_pattern_find(&matrix->scalar_pattern, row, column);
    wf_mat3 entry = block >= 0 ? matrix->values.blocks[block] : (wf_mat3){{{0}}};
    for (int i = 0; i < 3 && scalar >= 0; i++) {
        entry.m[i][i] += matrix->values.scalars[scalar];
    }
    return entry;
}

void wf_block_matrix_multiply_rows(const wf_block_matrix *matrix, const wf_vec3 *restrict x, wf_vec3 *restrict y,
                                   size_t begin, size_t end)
{
    const int32_t *restrict block_start = matrix->block_pattern.row_start;
    const int32_t *restrict block_column = matrix->block_pattern.column;
    const int32_t *restrict scalar_start = matrix->scalar_pattern.row_start;
    const int32_t *restrict scalar_column = matrix->scalar_pattern.column;
    const double *restrict scalars = matrix->values.scalars;
    for (size_t row = begin; row < end; row++) {
        wf_vec3 sum = {0, 0, 0};
        for (int32_t slot = block_start[row]; slot < block_start[row + 1]; slot++) {
            const double *restrict b = &matrix->values.blocks[slot].m[0][0];
            wf_vec3 v = x[block_column[slot]];
            sum.x += b[0] * v.x + b[1] * v.y + b[2] * v.z;
            sum.y += b[3] * v.x + b[4] * v.y + b[5] * v.z;
            sum.z += b[6] * v.x + b[7] * v.y + b[8] * v.z;
        }
        for (int32_t slot = scalar_start[row]; slot < scalar_start[row + 1]; slot++) {
            sum = wf_vec3_muladds(sum, x[scalar_column[slot]], scalars[slot]);
        }
        y[row] = sum;
    }
}

typedef struct product {
    const wf_block_matrix *matrix;
    const wf_vec3 *x;
    wf_vec3 *y;
} product;

static void multiply_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const product *p = user;
    wf_block_matrix_multiply_rows(p->matrix, p->x, p->y, begin, end);
}

void wf_block_matrix_multiply(wf_context *context, const wf_block_matrix *matrix, const wf_vec3 *x, wf_vec3 *y)
{
    product p = {matrix, x, y};
    wf_parallel_for(context, (size_t)matrix->row_count, ROW_BLOCK, multiply_block, &p);
}
