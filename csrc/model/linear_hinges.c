/* linear_hinges.c - bending measured by a vector that is linear in the positions of a hinge's four vertices.
 *
 * With the heights h of the far corners over the edge, the vector R = sum of a_i x_i whose coefficients are
 *
 *     h_far / (h_own + h_far), h_own / (h_own + h_far)    at the far corners of the own and the other face,
 *     minus the shares in which the line between the two divides the edge     at the edge's ends
 *
 * is the distance of the two diagonals' crossing points, and 2 R / (h_own h_far) the curvature of a parabola across the
 * edge (Volino and Magnenat-Thalmann 2006, "Simple linear bending stiffness in particle systems"). The shares are taken
 * with their signs, or R would not vanish for flat hinges that are not convex. Bergou, Wardetzky, Harmon, Zorin and
 * Grinspun (2006, "A quadratic bending model for inextensible surfaces") give the same vector by cotangents, as
 * K = -2 (area of both) / (h_own h_far) R: that is one model in two calibrations.
 *
 * Printed, the energy is 1/6 (Volino) or 3/2 (Bergou) of area B k^2, area that of both faces: a third of the plate's,
 * and three times that, on a cylinder of equilateral triangles. 1/2, the plate's own, is the default.
 *
 * The matrix is constant. R turns with the hinge: the energy is exact for rigid motions and isometric bending, but the
 * viscosity resists the turning of what is bent.
 */
#include <string.h>

#include "model/hinge.h"
#include "model/models.h"

typedef struct linear_rest {
    double weight;
    double coefficient[WF_HINGE_NODES]; /* 1/m2; their sum is zero */
} linear_rest;

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const linear_rest *hinge = rest;
    wf_vec3 sum = {0, 0, 0};
    for (int i = 1; i < WF_HINGE_NODES; i++) {
        sum = wf_vec3_muladds(sum, wf_vec3_sub(x[i], x[0]), hinge->coefficient[i]);
    }
    memcpy(strain, &sum, sizeof sum);
    if (gradient) {
        wf_vector_gradient(WF_HINGE_NODES, hinge->coefficient, gradient);
    }
}

static const wf_strain_measure measure = {"bending vector", WF_HINGE_NODES, 3, sizeof(linear_rest), strains, NULL};

/* ---- hinges of a sheet ----------------------------------------------------------------------------------------- */

/* Signed areas of the triangles that the far corners make with either end say where their line crosses the edge. */
static void fill_coefficients(const wf_hinge_site *site, double coefficient[WF_HINGE_NODES])
{
    double own = site->own_height, far = site->far_height, both = own + far, scale = 2 / (own * far);
    wf_vec2 line = wf_vec2_sub(site->place[3], site->place[2]);
    double first = wf_vec2_cross(line, wf_vec2_sub(site->place[0], site->place[2]));
    double last = wf_vec2_cross(line, wf_vec2_sub(site->place[1], site->place[2]));
    coefficient[0] = scale * last / (first - last);
    coefficient[1] = scale * first / (last - first);
    coefficient[2] = scale * far / both;
    coefficient[3] = scale * own / both;
}

static bool make_scaled(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, double scale,
                        int32_t *vertices, void *rest, wf_vec3 *reference)
{
    wf_hinge_site site;
    linear_rest hinge;
    if (!wf_hinge_at(sheet, user, face, k, &site)) {
        return false;
    }
    hinge.weight = scale * wf_hinge_weight(sheet, face, &site);
    fill_coefficients(&site, hinge.coefficient);
    memcpy(rest, &hinge, sizeof hinge);
    memcpy(vertices, site.vertices, sizeof site.vertices);
    wf_hinge_rest_positions(&site, reference);
    return true;
}

static bool make_calibrated(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                            void *rest, wf_vec3 *reference)
{
    return make_scaled(user, sheet, face, k, 1, vertices, rest, reference);
}

static bool make_volino(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                        void *rest, wf_vec3 *reference)
{
    return make_scaled(user, sheet, face, k, 1.0 / 3, vertices, rest, reference);
}

static bool make_bergou(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                        void *rest, wf_vec3 *reference)
{
    return make_scaled(user, sheet, face, k, 3, vertices, rest, reference);
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_hinge_unit_material(3, fabric, material, viscosity);
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, const char *name,
                        wf_element_maker *make_element, wf_model **model)
{
    const wf_strain_recipe recipe = {.name = name, .measure = &measure, .law = &wf_linear_law, .elements_per_face = 3,
                                     .make_element = make_element, .make_material = make_material};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

static wf_status create_vector(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "bending vector", make_calibrated, model);
}

static wf_status create_isometric(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "quadratic isometric", make_calibrated, model);
}

static wf_status create_volino(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "bending vector as published", make_volino, model);
}

static wf_status create_bergou(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "quadratic isometric as published", make_bergou, model);
}

#define LIMITS "has no modulus of twist or coupling, no rest angles, and measures a fold as 2 sin(angle / 2): they, " \
               "and the stiffness but on equilateral triangles, are the mesh's"

const wf_model_entry wf_bending_vector = {
    .name = "bending vector",
    .kind = WF_MODEL_BENDING,
    .brakes_turning = true,
    .source = "Volino and Magnenat-Thalmann 2006, calibrated",
    .cannot = LIMITS,
    .create = create_vector,
};

const wf_model_entry wf_quadratic_isometric = {
    .name = "quadratic isometric",
    .kind = WF_MODEL_BENDING,
    .brakes_turning = true,
    .source = "Bergou et al. 2006, calibrated: the same as \"bending vector\"",
    .cannot = LIMITS,
    .create = create_isometric,
};

const wf_model_entry wf_bending_vector_published = {
    .name = "bending vector as published",
    .kind = WF_MODEL_BENDING,
    .brakes_turning = true,
    .source = "Volino and Magnenat-Thalmann 2006",
    .cannot = "is a third as stiff as the fabric",
    .create = create_volino,
};

const wf_model_entry wf_quadratic_isometric_published = {
    .name = "quadratic isometric as published",
    .kind = WF_MODEL_BENDING,
    .brakes_turning = true,
    .source = "Bergou et al. 2006",
    .cannot = "is three times as stiff as the fabric",
    .create = create_bergou,
};
