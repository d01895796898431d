/* sheet.c - parts of a world's step, alone, for bench/product.lua and bench/elements.lua: a hanging sheet of wool,
 * membrane and bending, after one step.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/tasks.h"
#include "fabric/fabric.h"
#include "model/membrane_private.h"
#include "solve/conjugate_gradients.h"
#include "solve/product_kernels.h"
#include "weft.h"
#include "world/world_state.h"

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

typedef struct sheet {
    wf_context *context;
    wf_world *world;
    wf_cloth *cloth;
    wf_vec3 *x, *y;
    wf_float4 *single_x, *single_y;
} sheet;

PUBLIC void bench_sheet_destroy(sheet *p)
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

static wf_status make(sheet *p, int cells)
{
    wf_fabric wool;
    wf_status status = wf_fabric_preset(p->context, "wool", WF_FABRIC_PER_RADIAN, &wool);
    if (status != WF_OK) {
        return status;
    }
    wf_sheet_def def = {.cells = {cells, cells}, .size = {1, 1}, .weft = {1, 0, 0}, .warp = {0, 1, 0},
                          .fabric = &wool};
    status = wf_cloth_create_sheet(p->context, &def, &p->cloth);
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
PUBLIC sheet *bench_sheet_create(int cells)
{
    sheet *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->context = wf_context_create(NULL);
    if (!p->context || make(p, cells) != WF_OK) {
        bench_sheet_destroy(p);
        return NULL;
    }
    size_t rows = (size_t)p->world->matrix->row_count;
    p->x = wf_allocate(p->context, rows, sizeof *p->x);
    p->y = wf_allocate(p->context, rows, sizeof *p->y);
    p->single_x = wf_allocate(p->context, rows, sizeof *p->single_x);
    p->single_y = wf_allocate(p->context, rows, sizeof *p->single_y);
    if (!p->x || !p->y || !p->single_x || !p->single_y) {
        bench_sheet_destroy(p);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        p->x[i] = (wf_vec3){1, (double)(i % 7), -1};
        p->single_x[i] = (wf_float4){1, (float)(i % 7), -1, 0};
    }
    return p;
}

static double block_count(const sheet *p)
{
    return wf_pattern_slot_count(&p->world->matrix->block_pattern);
}

static double scalar_count(const sheet *p, int single)
{
    return single ? p->world->solver.single.scalar_start[p->world->matrix->row_count]
                  : 2.0 * wf_scalar_pattern_place_count(&p->world->matrix->scalar_pattern) -
                        p->world->matrix->row_count;
}

/* ---- the product of its matrix with a vector; `single` chooses the copy that the solver's iterations work on ----- */

/* Bytes of the scalars, values and indices: of the copy in single precision both halves, else the lower one, with what
 * leads the upper one there. */
static double scalar_bytes(const sheet *p, int single)
{
    double rows = p->world->matrix->row_count, scalars = scalar_count(p, single), lower = (scalars - rows) / 2;
    const wf_scalar_pattern *pattern = &p->world->matrix->scalar_pattern;
    double offset = single ? (p->world->solver.single.is_far ? sizeof(int32_t) : sizeof(int16_t))
                           : (pattern->far_lower ? sizeof(int32_t) : sizeof(uint16_t));
    return single ? scalars * (sizeof(float) + offset) + rows * sizeof(int32_t)
                  : (lower + rows) * sizeof(double) + lower * (2 * offset + 1) + rows * 2 * sizeof(int32_t);
}

/* Bytes of the matrix, values and indices, and of the vectors, each read or written once. Of the blocks the lower half
 * is stored, with the place of each upper one in it. */
PUBLIC double bench_product_bytes(const sheet *p, int single)
{
    double rows = p->world->matrix->row_count, index = sizeof(int32_t);
    double number = single ? sizeof(float) : sizeof(double), vector = single ? sizeof(wf_float4) : sizeof(wf_vec3);
    double lower = (block_count(p) - rows) / 2;
    return (lower + rows) * 9 * number + (lower + block_count(p)) * index + scalar_bytes(p, single) +
           rows * ((single ? 0 : number) + 2 * index + 2 * vector);
}

PUBLIC double bench_product_flops(const sheet *p, int single)
{
    return 18 * block_count(p) + 6 * scalar_count(p, single);
}

static void single_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sheet *p = user;
    wf_product_kernels_for(p->context)->multiply_single(&p->world->solver.single, p->single_x, p->single_y, begin, end);
}

static void multiply(sheet *p, int single)
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
PUBLIC double bench_product_run(sheet *p, int single, int threads, int passes)
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

/* ---- the evaluation of its elements ----------------------------------------------------------------------------- */

/* Forces, and the matrix of a step of 1/60 s. */
static void evaluate(sheet *p, int stiffness)
{
    wf_world *world = p->world;
    const double h = 1.0 / 60;
    wf_model *models[WF_WORLD_MODELS];
    const wf_matrix_terms terms = {.mass = world->mass, .mass_scale = 1, .stiffness_scale = h * h, .damping_scale = h};
    memset(p->y, 0, (size_t)world->cloth_vertex_count * sizeof *p->y);
    for (size_t k = 0; k < world->model_count; k++) {
        models[k] = world->models[k].model;
        models[k]->class->add_forces(p->context, models[k], world->x1, world->v1, p->y);
    }
    if (stiffness) {
        wf_block_matrix_assemble(p->context, world->matrix, &terms, (int32_t)world->model_count, models, NULL,
                                 world->x1);
    }
}

/* Seconds of `passes` evaluations on one thread with an instruction set (wf_instruction_set); negative when this
 * processor has not got it. */
PUBLIC double bench_elements_run(sheet *p, int instruction_set, int stiffness, int passes)
{
    if (wf_context_set_threads(p->context, 1) != WF_OK ||
        wf_context_set_instruction_set(p->context, (wf_instruction_set)instruction_set) != WF_OK) {
        return -1;
    }
    evaluate(p, stiffness);
    double start = wf_clock_seconds();
    for (int pass = 0; pass < passes; pass++) {
        evaluate(p, stiffness);
    }
    return wf_clock_seconds() - start;
}

/* Bytes that an evaluation reads and writes between its stages and in the end: of the faces, of what they say, which is
 * written and then read, and of vectors; with the stiffness the matrix too, which diagonal blocks read once more. */
PUBLIC double bench_elements_bytes(const sheet *p, int stiffness)
{
    double faces = p->world->face_count, vectors = 3 * sizeof(wf_vec3) * (double)p->world->cloth_vertex_count;
    double face = sizeof(wf_shape_batch) / WF_LANES + 4 * sizeof(int32_t), said = 9 * sizeof(double);
    double matrix = 2 * 9 * sizeof(double) * (double)wf_pattern_place_count(&p->world->matrix->block_pattern);
    return faces * (face + 2 * said) + vectors + scalar_bytes(p, 0) +
           (stiffness ? faces * (face + 2 * 3 * said) + matrix : 0);
}

/* The forces that the last evaluation left, component k of vertex i at 3 i + k. */
PUBLIC const double *bench_elements_forces(const sheet *p)
{
    return &p->y->x;
}
