/* block_jacobi.c - preconditioners that see one vertex at a time: none, the diagonal, and its 3 x 3 blocks. */
#include "base/tasks.h"
#include "solve/definite.h"
#include "solve/preconditioner.h"

enum { ROW_BLOCK = 1024 };

/* The inverse blocks, by columns. */
typedef struct inverse_blocks {
    size_t rows, capacity;
    wf_float4 (*columns)[3];
} inverse_blocks;

static void destroy(wf_context *context, void *state)
{
    inverse_blocks *blocks = state;
    if (blocks) {
        wf_free(context, blocks->columns);
        wf_free(context, blocks);
    }
}

static wf_status make_room(wf_context *context, void **state, const wf_linear_system *system, inverse_blocks **blocks)
{
    if (!*state) {
        *state = wf_allocate(context, 1, sizeof(inverse_blocks));
        if (!*state) {
            return WF_ERROR_MEMORY;
        }
    }
    *blocks = *state;
    (*blocks)->rows = (size_t)system->matrix->row_count;
    return wf_reserve(context, &(*blocks)->columns, &(*blocks)->capacity, (*blocks)->rows, sizeof *(*blocks)->columns);
}

static wf_status prepare_none(wf_context *context, void **state, const wf_linear_system *system,
                              const wf_mat3 *diagonal)
{
    (void)diagonal;
    inverse_blocks *blocks;
    return make_room(context, state, system, &blocks);
}

static wf_status prepare_diagonal(wf_context *context, void **state, const wf_linear_system *system,
                                  const wf_mat3 *diagonal)
{
    inverse_blocks *blocks;
    wf_status status = make_room(context, state, system, &blocks);
    for (size_t i = 0; status == WF_OK && i < blocks->rows; i++) {
        for (int k = 0; k < 3; k++) {
            blocks->columns[i][k] = (wf_float4){0};
            blocks->columns[i][k][k] = (float)(1 / diagonal[i].m[k][k]);
        }
    }
    return status;
}

static wf_status prepare_blocks(wf_context *context, void **state, const wf_linear_system *system,
                                const wf_mat3 *diagonal)
{
    inverse_blocks *blocks;
    wf_status status = make_room(context, state, system, &blocks);
    for (size_t i = 0; status == WF_OK && i < blocks->rows; i++) {
        wf_mat3 m;
        if (!wf_invert_for_single(&diagonal[i], &m)) {
            return wf_fail(context, WF_ERROR_NUMERIC, "block Jacobi: the block of vertex %d is not positive definite",
                           (int)i + 1);
        }
        for (int k = 0; k < 3; k++) {
            blocks->columns[i][k] = (wf_float4){(float)m.m[0][k], (float)m.m[1][k], (float)m.m[2][k], 0};
        }
    }
    return status;
}

typedef struct application {
    const inverse_blocks *blocks;
    const wf_float4 *r;
    wf_float4 *s;
} application;

static void copy_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const application *a = user;
    for (size_t i = begin; i < end; i++) {
        a->s[i] = a->r[i];
    }
}

static void multiply_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const application *a = user;
    for (size_t i = begin; i < end; i++) {
        const wf_float4 *m = a->blocks->columns[i], r = a->r[i];
        a->s[i] = m[0] * r[0] + m[1] * r[1] + m[2] * r[2];
    }
}

static void apply_none(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s)
{
    application a = {state, r, s};
    wf_parallel_for(context, a.blocks->rows, ROW_BLOCK, copy_rows, &a);
}

static void apply_blocks(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s)
{
    application a = {state, r, s};
    wf_parallel_for(context, a.blocks->rows, ROW_BLOCK, multiply_rows, &a);
}

const wf_preconditioner wf_preconditioner_none = {
    .name = "none", .prepare = prepare_none, .apply = apply_none, .destroy = destroy};

const wf_preconditioner wf_preconditioner_diagonal = {
    .name = "diagonal", .prepare = prepare_diagonal, .apply = apply_blocks, .destroy = destroy};

const wf_preconditioner wf_preconditioner_block_jacobi = {
    .name = "block jacobi", .prepare = prepare_blocks, .apply = apply_blocks, .destroy = destroy};
