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
    if (energy) {
        *energy = 0.5 * modulus * strain[0] * strain[0];
    }
    if (stress) {
        stress[0] = modulus * strain[0];
    }
    if (tangent) {
        tangent[0] = modulus;
    }
}

static const wf_stress_law band_law = {"band", sizeof(band_material), evaluate};

static void split(const wf_band_edge *edge, wf_elongation_rest *rest, band_material *material)
{
    *rest = (wf_elongation_rest){edge->length, edge->length};
    *material = (band_material){edge->stiffness, edge->pushes ? 1 : 0};
}

double wf_band_tension(const wf_band_edge *edge, double length)
{
    wf_elongation_rest rest;
    band_material material;
    split(edge, &rest, &material);
    double strain = length / rest.length - 1, stress;
    evaluate(&material, &strain, NULL, &stress, NULL);
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
    wf_elongation_rest rest;
    band_material material;
    split(values, &rest, &material);
    wf_strain_model_set(model, edge, &rest, &material);
}

/* Each edge has its own material. */
static void fill_arrays(int32_t count, const wf_band_edge *edges, const wf_strain_arrays *a)
{
    for (int32_t e = 0; e < count; e++) {
        memcpy(a->vertices + 2 * e, edges[e].vertices, sizeof edges[e].vertices);
        a->material[e] = e;
        split(&edges[e], (wf_elongation_rest *)a->rest + e, (band_material *)a->materials + e);
        a->reference[2 * e + 1].x = edges[e].length;
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
    wf_strain_arrays a;
    status = wf_strain_arrays_allocate(context, &wf_elongation_measure, &band_law, (size_t)count, (size_t)count, &a);
    if (status == WF_OK) {
        fill_arrays(count, edges, &a);
        const wf_strain_model_def def = {.name = "bands", .measure = &wf_elongation_measure, .law = &band_law,
                                         .vertex_count = vertex_count, .count = count, .vertices = a.vertices,
                                         .rest = a.rest, .reference = a.reference, .material_count = count,
                                         .materials = a.materials, .material = a.material, .viscosity = a.viscosity};
        status = wf_strain_model_create(context, &def, model);
        wf_strain_arrays_free(context, &a);
    }
    return status;
}
