/* product.c - the product of a cloth's matrix with a vector, alone, for bench/product.lua.
 *
 * The matrix is that of a world's step: a hanging sheet of wool, membrane and bending, after one step. `single` chooses
 * the copy in single precision that the solver's iterations work on.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/tasks.h"
#include "fabric/fabric.h"
#include "solve/conjugate_gradients.h"
#include "weft.h"
#include "world/world_state.h"

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

typedef struct product {
    wf_context *context;
    wf_world *world;
    wf_cloth *cloth;
    wf_vec3 *x, *y;
    wf_float4 *single_x, *single_y;
} product;

PUBLIC void bench_product_destroy(product *p)
{
    if (p) {
        if (p->context) {
            wf_free(p->context, p->x);
            wf_free(p->context, p->y);
            wf_free(p->context, p->single_x);
            wf_free(p->context, p->single_y);
            wf_world_destroy(p->world);
            wf_cloth_destroy(p->cloth);
            wf_context_destroy(p->context);
        }
        free(p);
    }
}

static wf_status make(product *p, int cells)
{
    wf_fabric wool;
    wf_status status = wf_fabric_preset(p->context, "wool", WF_FABRIC_PER_RADIAN, &wool);
    if (status != WF_OK) {
        return status;
    }
    wf_sheet_def sheet = {.cells = {cells, cells}, .size = {1, 1}, .weft = {1, 0, 0}, .warp = {0, 1, 0},
                          .fabric = &wool};
    status = wf_cloth_create_sheet(p->context, &sheet, &p->cloth);
    if (status != WF_OK) {
        return status;
    }
    wf_world_params params = wf_default_world_params();
    params.self_contact = false;
    params.max_iterations = 1; /* the matrix is all that is wanted */
    status = wf_world_create(p->context, &params, &p->world);
    if (status == WF_OK) {
        status = wf_world_add_cloth(p->world, p->cloth);
    }
    if (status == WF_OK) {
        status = wf_world_step(p->world, 0);
    }
    return status;
}

/* NULL when something fails. */
PUBLIC product *bench_product_create(int cells)
{
    product *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->context = wf_context_create(NULL);
    if (!p->context || make(p, cells) != WF_OK) {
        bench_product_destroy(p);
        return NULL;
    }
    size_t rows = (size_t)p->world->matrix->row_count;
    p->x = wf_allocate(p->context, rows, sizeof *p->x);
    p->y = wf_allocate(p->context, rows, sizeof *p->y);
    p->single_x = wf_allocate(p->context, rows, sizeof *p->single_x);
    p->single_y = wf_allocate(p->context, rows, sizeof *p->single_y);
    if (!p->x || !p->y || !p->single_x || !p->single_y) {
        bench_product_destroy(p);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        p->x[i] = (wf_vec3){1, (double)(i % 7), -1};
        p->single_x[i] = (wf_float4){1, (float)(i % 7), -1, 0};
    }
    return p;
}

static double block_count(const product *p)
{
    return wf_pattern_slot_count(&p->world->matrix->block_pattern);
}

static double scalar_count(const product *p, int single)
{
    return single ? p->world->solver.single.scalar_start[p->world->matrix->row_count]
                  : wf_pattern_slot_count(&p->world->matrix->scalar_pattern);
}

/* Bytes of the matrix, values and indices, and of the vectors, each read or written once. */
PUBLIC double bench_product_bytes(const product *p, int single)
{
    double number = single ? sizeof(float) : sizeof(double), vector = single ? sizeof(wf_float4) : sizeof(wf_vec3);
    return block_count(p) * (9 * number + sizeof(int32_t)) + scalar_count(p, single) * (number + sizeof(int32_t)) +
           p->world->matrix->row_count * (2 * sizeof(int32_t) + 2 * vector);
}

PUBLIC double bench_product_flops(const product *p, int single)
{
    return 18 * block_count(p) + 6 * scalar_count(p, single);
}

static void single_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const product *p = user;
    wf_single_matrix_multiply_rows(&p->world->solver.single, p->single_x, p->single_y, begin, end);
}

static void multiply(product *p, int single)
{
    enum { ROW_BLOCK = 512 };
    if (single) {
        wf_parallel_for(p->context, (size_t)p->world->matrix->row_count, ROW_BLOCK, single_rows, p);
    } else {
        wf_linear_system system = {.matrix = p->world->matrix};
        wf_linear_system_multiply(p->context, &system, p->x, p->y);
    }
}

/* Seconds of `passes` products; negative when the threads cannot be had. */
PUBLIC double bench_product_run(product *p, int single, int threads, int passes)
{
    if (wf_context_set_threads(p->context, threads) != WF_OK) {
        return -1;
    }
    multiply(p, single);
    double start = wf_clock_seconds();
    for (int pass = 0; pass < passes; pass++) {
        multiply(p, single);
    }
    return wf_clock_seconds() - start;
}
