/* air.c - the force of air on a sheet's faces beside its membrane, alone: for bench/air.lua. */
#include <stdlib.h>
#include <string.h>

#include "air/aerodynamic_model.h"
#include "base/clock.h"
#include "rippled_sheet.h"
#include "solve/block_matrix.h"
#include "weft.h"

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

enum { MEMBRANE, AIR, MODELS };

typedef struct air_sheet {
    wf_context *context;
    wf_model *models[MODELS];
    wf_block_matrix *matrix;
    rippled_sheet of;
    double *areas;
} air_sheet;

PUBLIC void bench_air_destroy(air_sheet *s)
{
    if (s) {
        if (s->context) {
            wf_block_matrix_destroy(s->context, s->matrix);
            for (int k = 0; k < MODELS; k++) {
                wf_model_destroy(s->context, s->models[k]);
            }
            rippled_sheet_free(s->context, &s->of);
            wf_free(s->context, s->areas);
            wf_context_destroy(s->context);
        }
        free(s);
    }
}

static wf_status make_models(air_sheet *s, const char *law)
{
    wf_aerodynamic_range range = {.end_face = s->of.face_count, .feels = true, .air = wf_default_aerodynamics()};
    wf_status status = wf_aerodynamic_law_find(s->context, law, &range.air.law);
    if (status == WF_OK) {
        wf_sheet_faces faces = rippled_sheet_faces(&s->of);
        status = wf_model_create(s->context, wf_model_default(WF_MODEL_MEMBRANE), &faces, &s->models[MEMBRANE]);
    }
    if (status == WF_OK) {
        wf_aerodynamic_def def = {.vertex_count = s->of.vertex_count, .face_count = s->of.face_count, .range_count = 1,
                                  .faces = (const int32_t(*)[3])s->of.faces, .areas = s->areas, .ranges = &range};
        status = wf_aerodynamic_model_create(s->context, &def, &s->models[AIR]);
    }
    for (int32_t f = 0; status == WF_OK && f < s->of.face_count; f++) {
        wf_aerodynamic_wind(s->models[AIR])[f] = (wf_vec3){4, 0, 1};
    }
    return status;
}

static wf_status make(air_sheet *s, const char *law, int cells)
{
    wf_status status = rippled_sheet_make(s->context, cells, &s->of);
    if (status != WF_OK) {
        return status;
    }
    s->areas = wf_allocate(s->context, (size_t)s->of.face_count, sizeof *s->areas);
    if (!s->areas) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t face = 0; face < s->of.face_count; face++) {
        s->areas[face] = 1.0 / s->of.face_count;
    }
    status = make_models(s, law);
    if (status == WF_OK) {
        status = wf_block_matrix_create_for_models(s->context, s->of.vertex_count, MODELS, s->models, &s->matrix);
    }
    return status;
}

/* NULL when something fails. */
PUBLIC air_sheet *bench_air_create(const char *law, int cells)
{
    air_sheet *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->context = wf_context_create(NULL);
    if (!s->context || make(s, law, cells) != WF_OK) {
        bench_air_destroy(s);
        return NULL;
    }
    return s;
}

/* What a step of one linear solve asks a model for: forces, and with `matrix` its blocks too. The membrane's begin with
 * what was there, the air's are added to them. */
static void evaluate(air_sheet *s, int model, bool matrix)
{
    const double h = 1.0 / 60;
    wf_model *m = s->models[model];
    bool tangent = model == AIR && matrix;
    if (model == MEMBRANE) {
        memset(s->of.f, 0, (size_t)s->of.vertex_count * sizeof *s->of.f);
    }
    if (tangent) {
        wf_aerodynamic_expand(m, s->of.v);
    }
    m->class->add_forces(s->context, m, s->of.x, s->of.v, s->of.f);
    if (matrix && model == MEMBRANE) {
        const wf_matrix_terms terms = {.stiffness_scale = h * h, .damping_scale = h};
        wf_block_matrix_assemble(s->context, s->matrix, &terms, 1, s->models, NULL, s->of.x);
    } else if (matrix) {
        m->class->add_matrix(s->context, m, s->of.x, h * h, h, s->matrix->values);
        wf_aerodynamic_expand(m, NULL);
    }
}

/* Seconds of `passes` evaluations. model: 0 the membrane, 1 the air, 2 the air's totals and work. */
PUBLIC double bench_air_run(air_sheet *s, int model, int matrix, int threads, int passes)
{
    wf_aerodynamic_total total;
    volatile double work = 0;
    wf_context_set_threads(s->context, threads);
    evaluate(s, MEMBRANE, true); /* blocks that do not grow from run to run */
    evaluate(s, AIR, true);
    double start = wf_clock_seconds();
    for (int pass = 0; pass < passes; pass++) {
        if (model < MODELS) {
            evaluate(s, model, matrix != 0);
        } else {
            wf_aerodynamic_totals(s->context, s->models[AIR], s->of.x, s->of.v, &total);
            work += wf_aerodynamic_work(s->models[AIR], s->of.x, s->of.x);
        }
    }
    return wf_clock_seconds() - start;
}
