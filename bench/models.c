/* models.c - any model of the table on a square sheet of wool, alone: for bench/models.lua. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/models.h"
#include "solve/block_matrix.h"
#include "weft.h"

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

typedef struct sheet {
    wf_context *context;
    wf_model *model;
    wf_block_matrix *matrix;
    int32_t vertex_count, face_count;
    int32_t (*faces)[3];
    wf_vec2 (*rest)[3];
    wf_vec3 *x, *v, *f;
} sheet;

PUBLIC void bench_model_destroy(sheet *s)
{
    if (s) {
        if (s->context) {
            wf_block_matrix_destroy(s->context, s->matrix);
            wf_model_destroy(s->context, s->model);
            wf_free(s->context, s->faces);
            wf_free(s->context, s->rest);
            wf_free(s->context, s->x);
            wf_free(s->context, s->v);
            wf_free(s->context, s->f);
            wf_context_destroy(s->context);
        }
        free(s);
    }
}

/* 1 m x 1 m, of alternating diagonals, pulled by 1 %, a little rippled, and moving. */
static void fill(sheet *s, int cells)
{
    int side = cells + 1;
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++) {
            double u = (double)i / cells, v = (double)j / cells;
            s->x[j * side + i] = (wf_vec3){1.01 * u, v + 0.002 * sin(9 * u), 0.02 * sin(11 * u + 7 * v)};
            s->v[j * side + i] = (wf_vec3){0.1 * sin(5 * v), 0.1 * u, cos(3 * u + 2 * v)};
        }
    }
    for (int j = 0, face = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            int32_t a = j * side + i, b = a + 1, d = a + side, c = d + 1;
            int32_t one[2][3] = {{a, b, c}, {a, c, d}}, other[2][3] = {{a, b, d}, {b, c, d}};
            memcpy(s->faces[face], (i + j) % 2 ? other : one, sizeof one);
            face += 2;
        }
    }
    for (int32_t face = 0; face < s->face_count; face++) {
        for (int k = 0; k < 3; k++) {
            int32_t vertex = s->faces[face][k];
            s->rest[face][k] = (wf_vec2){(double)(vertex % side) / cells, (double)(vertex / side) / cells};
        }
    }
}

static wf_status make(sheet *s, const char *name, int cells)
{
    s->vertex_count = (cells + 1) * (cells + 1);
    s->face_count = 2 * cells * cells;
    size_t vertex_count = (size_t)s->vertex_count, face_count = (size_t)s->face_count;
    s->faces = wf_allocate(s->context, face_count, sizeof *s->faces);
    s->rest = wf_allocate(s->context, face_count, sizeof *s->rest);
    s->x = wf_allocate(s->context, vertex_count, sizeof *s->x);
    s->v = wf_allocate(s->context, vertex_count, sizeof *s->v);
    s->f = wf_allocate(s->context, vertex_count, sizeof *s->f);
    if (!s->faces || !s->rest || !s->x || !s->v || !s->f) {
        return WF_ERROR_MEMORY;
    }
    fill(s, cells);
    wf_fabric wool;
    const wf_model_entry *entry;
    wf_status status = wf_fabric_preset(s->context, "wool", WF_FABRIC_PER_RADIAN, &wool);
    if (status == WF_OK) {
        status = wf_model_find(s->context, WF_MODEL_KINDS, name, &entry);
    }
    if (status == WF_OK) {
        wf_sheet_faces faces = {.vertex_count = s->vertex_count, .face_count = s->face_count,
                                .faces = (const int32_t(*)[3])s->faces, .rest = (const wf_vec2(*)[3])s->rest,
                                .fabric_count = 1, .fabrics = &wool};
        status = wf_model_create(s->context, entry, &faces, &s->model);
    }
    if (status == WF_OK) {
        status = wf_block_matrix_create_for_models(s->context, s->vertex_count, 1, &s->model, &s->matrix);
    }
    return status == WF_OK ? wf_context_set_threads(s->context, 1) : status;
}

/* NULL when something fails. */
PUBLIC sheet *bench_model_create(const char *name, int cells)
{
    sheet *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->context = wf_context_create(NULL);
    if (!s->context || make(s, name, cells) != WF_OK) {
        bench_model_destroy(s);
        return NULL;
    }
    return s;
}

PUBLIC int bench_model_elements(const sheet *s)
{
    return s->model->stencil.count;
}

/* Forces, and with `stiffness` the matrix of a step of 1/60 s, as the solver needs it. */
static void evaluate(sheet *s, int stiffness)
{
    const double h = 1.0 / 60;
    memset(s->f, 0, (size_t)s->vertex_count * sizeof *s->f);
    s->model->class->add_forces(s->context, s->model, s->x, s->v, s->f);
    if (stiffness) {
        const wf_matrix_terms terms = {.stiffness_scale = h * h, .damping_scale = h};
        wf_block_matrix_assemble(s->context, s->matrix, &terms, 1, &s->model, NULL, s->x);
    }
}

/* Seconds of `passes` evaluations on one thread. */
PUBLIC double bench_model_run(sheet *s, int stiffness, int passes)
{
    evaluate(s, stiffness);
    double start = wf_clock_seconds();
    for (int pass = 0; pass < passes; pass++) {
        evaluate(s, stiffness);
    }
    return wf_clock_seconds() - start;
}
