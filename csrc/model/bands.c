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

static void place(const void *single, int32_t node_count, int32_t *vertices, wf_vec3 *reference, double *viscosity)
{
    (void)node_count;
    const wf_band_edge *edge = single;
    memcpy(vertices, edge->vertices, sizeof edge->vertices);
    reference[1].x = edge->length;
    *viscosity = edge->viscosity;
}

static void split(const void *single, void *rest, void *material)
{
    const wf_band_edge *edge = single;
    *(wf_elongation_rest *)rest = (wf_elongation_rest){edge->length, edge->length};
    *(band_material *)material = (band_material){edge->stiffness, edge->pushes ? 1 : 0};
}

static const wf_strain_singles band_edges = {.name = "bands", .measure = &wf_elongation_measure, .law = &band_law,
                                             .size = sizeof(wf_band_edge), .place = place, .split = split};

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
    wf_strain_model_set(model, split, edge, values);
}

wf_status wf_bands_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_band_edge *edges,
                          wf_model **model)
{
    *model = NULL;
    wf_status status = check_edges(context, vertex_count, count, edges);
    return status == WF_OK ? wf_strain_model_from_singles(context, &band_edges, vertex_count, count, edges, model)
                           : status;
}
