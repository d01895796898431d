/* models.c - any model of the table on a square sheet of wool, alone: for bench/models.lua. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "rippled_sheet.h"
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
    rippled_sheet of;
} sheet;

PUBLIC void bench_model_destroy(sheet *s)
{
    if (s) {
        if (s->context) {
            wf_block_matrix_destroy(s->context, s->matrix);
            wf_model_destroy(s->context, s->model);
            rippled_sheet_free(s->context, &s->of);
            wf_context_destroy(s->context);
        }
        free(s);
    }
}

static wf_status make(sheet *s, const char *name, int cells)
{
    const wf_model_entry *entry;
    wf_status status = rippled_sheet_make(s->context, cells, &s->of);
    if (status == WF_OK) {
        status = wf_model_find(s->context, WF_MODEL_KINDS, name, &entry);
    }
    if (status == WF_OK) {
        wf_sheet_faces faces = rippled_sheet_faces(&s->of);
        status = wf_model_create(s->context, entry, &faces, &s->model);
    }
    if (status == WF_OK) {
        status = wf_block_matrix_create_for_models(s->context, s->of.vertex_count, 1, &s->model, &s->matrix);
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
    memset(s->of.f, 0, (size_t)s->of.vertex_count * sizeof *s->of.f);
    s->model->class->add_forces(s->context, s->model, s->of.x, s->of.v, s->of.f);
    if (stiffness) {
        const wf_matrix_terms terms = {.stiffness_scale = h * h, .damping_scale = h};
        wf_block_matrix_assemble(s->context, s->matrix, &terms, 1, &s->model, NULL, s->of.x);
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
