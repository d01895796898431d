#include "model/bands.h"

#include <string.h>

#include "model/elongation.h"
#include "model/strain_model.h"

typedef struct band_material {
    double stiffness; /* N */
    double pushes;    /* 1 or 0: its share where it is shorter than at rest */
} band_material;

static void evaluate(const void *material, const double *strain, double *energy, double *stress, double *tangent)
{
    const band_material *band = material;
    double modulus = band->stiffness * (strain[0] >= 0 ? 1 : band->pushes);
    *energy = 0.5 * modulus * strain[0] * strain[0];
    if (stress) {
        stress[0] = modulus * strain[0];
    }
    if (tangent) {
        tangent[0] = modulus;
    }
}

static const wf_stress_law band_law = {"band", sizeof(band_material), evaluate};

double wf_band_tension(const wf_band_edge *edge, double length)
{
    const band_material material = {edge->stiffness, edge->pushes ? 1 : 0};
    double strain = length / edge->length - 1, energy, stress;
    evaluate(&material, &strain, &energy, &stress, NULL);
    return stress;
}

static wf_status check_edges(wf_context *context, int32_t vertex_count, int32_t count, const wf_band_edge *edges)
{
    for (int32_t e = 0; e < count; e++) {
        int32_t i = edges[e].vertices[0], j = edges[e].vertices[1];
        if (i < 0 || j < 0 || i >= vertex_count || j >= vertex_count || i == j) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "edge %d joins vertices %d and %d; two different ones of %d are needed", e + 1, i + 1,
                           j + 1, vertex_count);
        }
        /* Written so that NaN and infinity fail too. */
        if (!(edges[e].length > 0 && edges[e].length < 1e6 && edges[e].stiffness >= 0 && edges[e].stiffness < 1e12 &&
              edges[e].viscosity >= 0 && edges[e].viscosity <= 1e3)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "edge %d needs a length > 0, a stiffness >= 0 and a viscosity from 0 to 1000, got %g m, "
                           "%g N, %g s", e + 1, edges[e].length, edges[e].stiffness, edges[e].viscosity);
        }
    }
    return WF_OK;
}

void wf_bands_set(wf_model *model, int32_t edge, const wf_band_edge *values)
{
    const wf_elongation_rest rest = {values->length, values->length};
    const band_material material = {values->stiffness, values->pushes ? 1 : 0};
    wf_strain_model_set(model, edge, &rest, &material);
}

/* What the model is made from, edge by edge: each its own material. */
typedef struct arrays {
    int32_t *vertices, *material;
    wf_elongation_rest *rest;
    wf_vec3 *reference;
    band_material *materials;
    double *viscosity;
} arrays;

static void fill_arrays(int32_t count, const wf_band_edge *edges, const arrays *a)
{
    for (int32_t e = 0; e < count; e++) {
        memcpy(a->vertices + 2 * e, edges[e].vertices, sizeof edges[e].vertices);
        a->material[e] = e;
        a->rest[e] = (wf_elongation_rest){edges[e].length, edges[e].length};
        a->reference[2 * e] = (wf_vec3){0, 0, 0};
        a->reference[2 * e + 1] = (wf_vec3){edges[e].length, 0, 0};
        a->materials[e] = (band_material){edges[e].stiffness, edges[e].pushes ? 1 : 0};
        a->viscosity[e] = edges[e].viscosity;
    }
}

wf_status wf_bands_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_band_edge *edges,
                          wf_model **model)
{
    *model = NULL;
    wf_status status = check_edges(context, vertex_count, count, edges);
    if (status != WF_OK) {
        return status;
    }
    size_t n = (size_t)count;
    arrays a = {.vertices = wf_allocate(context, 2 * n, sizeof *a.vertices),
                .material = wf_allocate(context, n, sizeof *a.material),
                .rest = wf_allocate(context, n, sizeof *a.rest),
                .reference = wf_allocate(context, 2 * n, sizeof *a.reference),
                .materials = wf_allocate(context, n, sizeof *a.materials),
                .viscosity = wf_allocate(context, n, sizeof *a.viscosity)};
    status = WF_ERROR_MEMORY;
    if (a.vertices && a.material && a.rest && a.reference && a.materials && a.viscosity) {
        fill_arrays(count, edges, &a);
        const wf_strain_model_def def = {.name = "bands", .measure = &wf_elongation_measure, .law = &band_law,
                                         .vertex_count = vertex_count, .count = count, .vertices = a.vertices,
                                         .rest = a.rest, .reference = a.reference, .material_count = count,
                                         .materials = a.materials, .material = a.material, .viscosity = a.viscosity};
        status = wf_strain_model_create(context, &def, model);
    }
    wf_free(context, a.vertices);
    wf_free(context, a.material);
    wf_free(context, a.rest);
    wf_free(context, a.reference);
    wf_free(context, a.materials);
    wf_free(context, a.viscosity);
    return status;
}
