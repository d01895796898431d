#include "model/ties.h"

#include <string.h>

#include "model/strain_model.h"

/* ---- the measure: the three components of d -------------------------------------------------------------------- */

typedef struct tie_rest {
    double weight; /* 1 */
    double shares[WF_TIE_NODES];
    wf_vec3 anchor;
} tie_rest;

/* Linear in x: directions and strains are those of the space. */
static void measure(int32_t nodes, const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const tie_rest *tie = rest;
    wf_vec3 way = wf_vec3_scale(tie->anchor, -1);
    for (int32_t i = 0; i < nodes; i++) {
        way = wf_vec3_muladds(way, x[i], tie->shares[i]);
    }
    memcpy(strain, &way, sizeof way);
    if (gradient) {
        wf_vector_gradient(nodes, tie->shares, gradient);
    }
}

static void strains_of_2(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    measure(2, rest, x, strain, gradient);
}

static void strains_of_4(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    measure(4, rest, x, strain, gradient);
}

static void strains_of_6(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    measure(6, rest, x, strain, gradient);
}

/* Zips are pairs of vertices: a third of the nodes is a ninth of the work. */
static const wf_strain_measure measures[] = {
    {"way of two vertices", 2, 3, sizeof(tie_rest), strains_of_2, NULL},
    {"way of four vertices", 4, 3, sizeof(tie_rest), strains_of_4, NULL},
    {"way of six vertices", 6, 3, sizeof(tie_rest), strains_of_6, NULL},
};

/* ---- the law --------------------------------------------------------------------------------------------------- */

typedef struct tie_material {
    double stiffness, length;
} tie_material;

static void evaluate(const void *material, const double *strain, double *energy, double *stress, double *tangent)
{
    const tie_material *tie = material;
    wf_vec3 way = {strain[0], strain[1], strain[2]};
    double distance = wf_vec3_norm(way), over = distance - tie->length;
    bool taut = over > 0 || (over == 0 && tie->length == 0);
    double along = taut ? tie->stiffness : 0;
    double across = taut ? (distance > 0 ? tie->stiffness * over / distance : tie->stiffness) : 0;
    if (energy) {
        *energy = 0.5 * along * over * over;
    }
    for (int s = 0; stress && s < 3; s++) {
        stress[s] = across * strain[s];
    }
    if (tangent) {
        wf_vec3 n = wf_vec3_normalize(way);
        wf_mat3 block = wf_mat3_identity_plus_outer(across, along - across, n, n);
        memcpy(tangent, block.m, sizeof block.m);
    }
}

static const wf_stress_law tie_law = {"tie", sizeof(tie_material), evaluate};

wf_vec3 wf_tie_force(const wf_tie *tie, wf_vec3 way)
{
    const tie_material material = {tie->stiffness, tie->length};
    double stress[3];
    evaluate(&material, &way.x, NULL, stress, NULL);
    return (wf_vec3){-stress[0], -stress[1], -stress[2]};
}

/* ---- the model ------------------------------------------------------------------------------------------------- */

static wf_status check_tie(wf_context *context, int32_t vertex_count, int32_t index, const wf_tie *tie)
{
    if (tie->count < 1 || tie->count > WF_TIE_NODES) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "tie %d needs 1 to %d vertices, got %d", index + 1, WF_TIE_NODES,
                       tie->count);
    }
    for (int32_t i = 0; i < tie->count; i++) {
        bool again = false;
        for (int32_t j = 0; j < i; j++) {
            again = again || tie->vertices[j] == tie->vertices[i];
        }
        if (again || tie->vertices[i] < 0 || tie->vertices[i] >= vertex_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "tie %d names vertex %d %s", index + 1, tie->vertices[i] + 1,
                           again ? "twice" : "which does not exist");
        }
        if (!(fabs(tie->shares[i]) <= 1)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "tie %d needs shares from -1 to 1, got %g", index + 1,
                           tie->shares[i]);
        }
    }
    /* Written so that NaN and infinity fail too. */
    if (!(tie->length >= 0 && tie->length < 1e6 && tie->stiffness >= 0 && tie->stiffness < 1e12 &&
          tie->viscosity >= 0 && tie->viscosity <= 1e3 && wf_vec3_norm(tie->anchor) < 1e6)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "tie %d needs length and stiffness >= 0, a viscosity from 0 to 1000 and an anchor within 1e6 m, "
                       "got %g m, %g N/m, %g s", index + 1, tie->length, tie->stiffness, tie->viscosity);
    }
    return WF_OK;
}

/* m: far away, where a thread of any length has its stiffness in all directions; schemes that bound it by a constant
 * one take it from there. */
#define REFERENCE_DISTANCE 1e9

/* Nodes that a tie does not need are its first vertex again, without a share. */
static void place(const void *single, int32_t node_count, int32_t *vertices, wf_vec3 *reference, double *viscosity)
{
    const wf_tie *tie = single;
    int32_t heaviest = 0;
    for (int32_t i = 0; i < node_count; i++) {
        vertices[i] = tie->vertices[i < tie->count ? i : 0];
        heaviest = i < tie->count && fabs(tie->shares[i]) > fabs(tie->shares[heaviest]) ? i : heaviest;
    }
    reference[heaviest].x = REFERENCE_DISTANCE;
    *viscosity = tie->viscosity;
}

static void split(const void *single, void *rest, void *material)
{
    const wf_tie *tie = single;
    tie_rest *shape = rest;
    *shape = (tie_rest){.weight = 1, .anchor = tie->anchor};
    memcpy(shape->shares, tie->shares, (size_t)tie->count * sizeof *shape->shares);
    *(tie_material *)material = (tie_material){tie->stiffness, tie->length};
}

void wf_ties_set(wf_model *model, int32_t tie, const wf_tie *values)
{
    wf_strain_model_set(model, split, tie, values);
}

wf_status wf_ties_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_tie *ties,
                         wf_model **model)
{
    *model = NULL;
    int32_t most = 1;
    for (int32_t t = 0; t < count; t++) {
        wf_status status = check_tie(context, vertex_count, t, &ties[t]);
        if (status != WF_OK) {
            return status;
        }
        most = ties[t].count > most ? ties[t].count : most;
    }
    const wf_strain_singles kind = {.name = "ties", .measure = &measures[most <= 2 ? 0 : most <= 4 ? 1 : 2],
                                    .law = &tie_law, .size = sizeof(wf_tie), .place = place, .split = split};
    return wf_strain_model_from_singles(context, &kind, vertex_count, count, ties, model);
}
