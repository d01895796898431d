/* product.c - the product of a cloth's matrix with a vector, alone, for bench/product.lua.
 *
 * The matrix is that of a world's step: a hanging sheet of wool, membrane and bending, after one step.
 */
#include <stdlib.h>

#include "base/clock.h"
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
} product;

PUBLIC void bench_product_destroy(product *p)
{
    if (p) {
        if (p->context) {
            wf_free(p->context, p->x);
            wf_free(p->context, p->y);
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
    if (!p->x || !p->y) {
        bench_product_destroy(p);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        p->x[i] = (wf_vec3){1, (double)(i % 7), -1};
    }
    return p;
}

/* Bytes of the matrix, values and indices, and of the vectors, each read or written once. */
PUBLIC double bench_product_bytes(const product *p)
{
    const wf_block_matrix *m = p->world->matrix;
    double blocks = wf_pattern_slot_count(&m->block_pattern), scalars = wf_pattern_slot_count(&m->scalar_pattern);
    return blocks * (double)(sizeof *m->values.blocks + sizeof(int32_t)) +
           scalars * (double)(sizeof *m->values.scalars + sizeof(int32_t)) +
           (double)m->row_count * (2 * sizeof(int32_t) + 2 * sizeof(wf_vec3));
}

PUBLIC double bench_product_flops(const product *p)
{
    const wf_block_matrix *m = p->world->matrix;
    return 18.0 * wf_pattern_slot_count(&m->block_pattern) + 6.0 * wf_pattern_slot_count(&m->scalar_pattern);
}

/* Seconds of `passes` products; negative when the threads cannot be had. */
PUBLIC double bench_product_run(product *p, int threads, int passes)
{
    if (wf_context_set_threads(p->context, threads) != WF_OK) {
        return -1;
    }
    wf_linear_system system = {.matrix = p->world->matrix};
    wf_linear_system_multiply(p->context, &system, p->x, p->y);
    double start = wf_clock_seconds();
    for (int pass = 0; pass < passes; pass++) {
        wf_linear_system_multiply(p->context, &system, p->x, p->y);
    }
    return wf_clock_seconds() - start;
}
