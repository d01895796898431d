/* edge_elongations.c - the strain that a triangle's three edge lengths determine (Volino, Courchesne and
 * Magnenat-Thalmann 1995; Volino and Magnenat-Thalmann 1997).
 *
 * To first order an edge of rest length L along the direction (c, s) in the grain frame elongates by
 *     (l - L) / L = c^2 e_uu + s^2 e_vv + c s g,
 * three equations for the three strains. So every edge pulls along itself, with a tension that depends on all edges of
 * its faces. Unlike springs along the edges it has the fabric's moduli and lateral contraction. LIMIT: the relation is
 * exact for small strains; at finite ones the shape of the triangles shows in the stress (a stretch e read through
 * edges that it turns comes out wrong by terms of order e^2), and a triangle that collapses over one edge is
 * symmetric to its mirror image.
 */
#include "model/models.h"
#include "model/weave.h"

typedef struct edges_rest {
    double weight;
    double length[3];     /* of the edge from corner k to k + 1, m */
    double inverse[3][3]; /* strain s per m of elongation of edge k */
} edges_rest;

static void set_edges(const wf_vec2 corner[3], double area, edges_rest *rest)
{
    double m[3][3];
    for (int k = 0; k < 3; k++) {
        wf_vec2 edge = wf_vec2_sub(corner[(k + 1) % 3], corner[k]);
        rest->length[k] = wf_vec2_norm(edge);
        double over = 1 / rest->length[k];
        m[k][0] = edge.x * edge.x * over;
        m[k][1] = edge.y * edge.y * over;
        m[k][2] = edge.x * edge.y * over;
    }
    /* elongation = m strain; the inverse by cofactors, whose determinant is (2 area)^3 / (product of lengths) */
    for (int s = 0; s < 3; s++) {
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3, p = (s + 1) % 3, q = (s + 2) % 3;
            rest->inverse[s][k] = m[a][p] * m[b][q] - m[a][q] * m[b][p];
        }
    }
    double determinant = 0;
    for (int k = 0; k < 3; k++) {
        determinant += m[k][0] * rest->inverse[0][k];
    }
    for (int k = 0; k < 9; k++) {
        (&rest->inverse[0][0])[k] /= determinant;
    }
    rest->weight = area;
}

static void edge_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const edges_rest *rest = data;
    wf_vec3 direction[3];
    double elongation[3];
    for (int k = 0; k < 3; k++) {
        wf_vec3 edge = wf_vec3_sub(x[(k + 1) % 3], x[k]);
        elongation[k] = wf_vec3_norm(edge) - rest->length[k];
        direction[k] = wf_vec3_normalize(edge);
    }
    for (int s = 0; s < 3; s++) {
        const double *share = rest->inverse[s];
        strain[s] = share[0] * elongation[0] + share[1] * elongation[1] + share[2] * elongation[2];
        for (int k = 0; gradient && k < 3; k++) {
            int before = (k + 2) % 3;
            gradient[3 * s + k] = wf_vec3_sub(wf_vec3_scale(direction[before], share[before]),
                                              wf_vec3_scale(direction[k], share[k]));
        }
    }
}

static void edge_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const edges_rest *rest = data;
    for (int k = 0; k < 3; k++) {
        double tension = 0;
        for (int s = 0; s < 3; s++) {
            tension += factor[s] * rest->inverse[s][k];
        }
        wf_add_edge_curvature(3, k, (k + 1) % 3, x, tension, hessian);
    }
}

static const wf_strain_measure edge_measure = {"edge elongations", 3, 3, sizeof(edges_rest), edge_strains,
                                               edge_curvature};

static bool make_element(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                         void *data, wf_vec3 *reference)
{
    wf_weave_rest weave;
    wf_weave_make_element(user, sheet, face, k, vertices, &weave, reference);
    set_edges(sheet->rest[face], weave.weight, data);
    return true;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "edge elongations", .measure = &edge_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 1,
                                            .make_element = make_element, .make_material = wf_make_fabric_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_edge_elongations = {
    .name = "edge elongations",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Volino, Courchesne and Magnenat-Thalmann 1995",
    .cannot = "at large strains depends on the shape of the triangles",
    .curves = true,
    .create = create,
};
