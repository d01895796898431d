/* air.c - the force of air on a sheet's faces beside its membrane, alone: for bench/air.lua. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "air/aerodynamic_model.h"
#include "base/clock.h"
#include "model/models.h"
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
    int32_t vertex_count, face_count;
    int32_t (*faces)[3];
    wf_vec2 (*rest)[3];
    double *areas;
    wf_vec3 *x, *v, *f;
} air_sheet;

PUBLIC void bench_air_destroy(air_sheet *s)
{
    if (s) {
        if (s->context) {
            wf_block_matrix_destroy(s->context, s->matrix);
            for (int k = 0; k < MODELS; k++) {
                wf_model_destroy(s->context, s->models[k]);
            }
            wf_free(s->context, s->faces);
            wf_free(s->context, s->rest);
            wf_free(s->context, s->areas);
            wf_free(s->context, s->x);
            wf_free(s->context, s->v);
            wf_free(s->context, s->f);
            wf_context_destroy(s->context);
        }
        free(s);
    }
}

/* 1 m x 1 m, of alternating diagonals, a little rippled, and moving. */
static void fill(air_sheet *s, int cells)
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
        s->areas[face] = 0.5 / ((double)cells * cells);
        for (int k = 0; k < 3; k++) {
            int32_t vertex = s->faces[face][k];
            s->rest[face][k] = (wf_vec2){(double)(vertex % side) / cells, (double)(vertex / side) / cells};
        }
    }
}

static wf_status make_models(air_sheet *s, const char *law)
{
    wf_fabric wool;
    wf_aerodynamic_range range = {.end_face = s->face_count, .feels = true, .air = wf_default_aerodynamics()};
    wf_status status = wf_fabric_preset(s->context, "wool", WF_FABRIC_PER_RADIAN, &wool);
    if (status == WF_OK) {
        status = wf_aerodynamic_law_find(s->context, law, &range.air.law);
    }
    if (status == WF_OK) {
        wf_sheet_faces faces = {.vertex_count = s->vertex_count, .face_count = s->face_count,
                                .faces = (const int32_t(*)[3])s->faces, .rest = (const wf_vec2(*)[3])s->rest,
                                .fabric_count = 1, .fabrics = &wool};
        status = wf_model_create(s->context, wf_model_default(WF_MODEL_MEMBRANE), &faces, &s->models[MEMBRANE]);
    }
    if (status == WF_OK) {
        wf_aerodynamic_def def = {.vertex_count = s->vertex_count, .face_count = s->face_count, .range_count = 1,
                                  .faces = (const int32_t(*)[3])s->faces, .areas = s->areas, .ranges = &range};
        status = wf_aerodynamic_model_create(s->context, &def, &s->models[AIR]);
    }
    for (int32_t f = 0; status == WF_OK && f < s->face_count; f++) {
        wf_aerodynamic_wind(s->models[AIR])[f] = (wf_vec3){4, 0, 1};
    }
    return status;
}

static wf_status make(air_sheet *s, const char *law, int cells)
{
    s->vertex_count = (cells + 1) * (cells + 1);
    s->face_count = 2 * cells * cells;
    size_t vertex_count = (size_t)s->vertex_count, face_count = (size_t)s->face_count;
    s->faces = wf_allocate(s->context, face_count, sizeof *s->faces);
    s->rest = wf_allocate(s->context, face_count, sizeof *s->rest);
    s->areas = wf_allocate(s->context, face_count, sizeof *s->areas);
    s->x = wf_allocate(s->context, vertex_count, sizeof *s->x);
    s->v = wf_allocate(s->context, vertex_count, sizeof *s->v);
    s->f = wf_allocate(s->context, vertex_count, sizeof *s->f);
    if (!s->faces || !s->rest || !s->areas || !s->x || !s->v || !s->f) {
        return WF_ERROR_MEMORY;
    }
    fill(s, cells);
    wf_status status = make_models(s, law);
    if (status == WF_OK) {
        status = wf_block_matrix_create_for_models(s->context, s->vertex_count, MODELS, s->models, &s->matrix);
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
        memset(s->f, 0, (size_t)s->vertex_count * sizeof *s->f);
    }
    if (tangent) {
        wf_aerodynamic_expand(m, s->v);
    }
    m->class->add_forces(s->context, m, s->x, s->v, s->f);
    if (matrix && model == MEMBRANE) {
        const wf_matrix_terms terms = {.stiffness_scale = h * h, .damping_scale = h};
        wf_block_matrix_assemble(s->context, s->matrix, &terms, 1, s->models, NULL, s->x);
    } else if (matrix) {
        m->class->add_matrix(s->context, m, s->x, h * h, h, s->matrix->values);
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
            wf_aerodynamic_totals(s->context, s->models[AIR], s->x, s->v, &total);
            work += wf_aerodynamic_work(s->models[AIR], s->x, s->x);
        }
    }
    return wf_clock_seconds() - start;
}
