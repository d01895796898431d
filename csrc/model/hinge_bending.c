/* hinge_bending.c - bending as the angle between two faces, with one modulus per edge.
 *
 * "discrete shells" (Grinspun, Hirani, Desbrun, Schroeder 2003): energy 1/2 area B (angle - rest angle)^2 / width^2.
 * The printed weight 3 |e|^2 / (area of both) is that of hinge.h but for a factor; hinge.h's is the plate's.
 *
 * "hinges" (Bridson, Marino, Fedkiw 2003): the elastic force is that with sin(angle / 2) in place of angle / 2, which
 * bounds it. Printed, its factor |e|^2 / (|N1| + |N2|) is taken at the edges and areas of the moment, and the force is
 * not the gradient of an energy; here it is that at rest. "hinges as published" has the printed one, scaled to be equal
 * at rest.
 */
#include <string.h>

#include "model/hinge.h"
#include "model/models.h"
#include "model/strain_model.h"

typedef struct hinge_rest {
    double weight;
    double over_width;  /* 1/m */
    double angle;       /* rad */
    double slenderness; /* |e|^2 / (|N1| + |N2|) at rest */
} hinge_rest;

static const int32_t in_order[WF_HINGE_NODES] = {0, 1, 2, 3};

static double fold_of(const hinge_rest *hinge, const wf_vec3 *x, wf_vec3 *gradient)
{
    return wf_hinge_fold(wf_hinge_angle(x, gradient), hinge->angle);
}

/* ---- the angle ------------------------------------------------------------------------------------------------- */

static void angle_strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const hinge_rest *hinge = rest;
    strain[0] = hinge->over_width * fold_of(hinge, x, gradient);
    for (int i = 0; gradient && i < WF_HINGE_NODES; i++) {
        gradient[i] = wf_vec3_scale(gradient[i], hinge->over_width);
    }
}

static void add_angle_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const hinge_rest *hinge = rest;
    wf_hinge_add_curvature(x, hinge->over_width * factor[0], in_order, WF_HINGE_NODES, hessian);
}

static const wf_strain_measure angle_measure = {"angle of a hinge", WF_HINGE_NODES,      1, sizeof(hinge_rest),
                                                angle_strains,      add_angle_curvature};

/* ---- 4 sin(angle / 4), whose square is the energy of a moment 2 sin(angle / 2) --------------------------------- */

static void sine_strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const hinge_rest *hinge = rest;
    double fold = fold_of(hinge, x, gradient);
    strain[0] = hinge->over_width * 4 * sin(0.25 * fold);
    for (int i = 0; gradient && i < WF_HINGE_NODES; i++) {
        gradient[i] = wf_vec3_scale(gradient[i], hinge->over_width * cos(0.25 * fold));
    }
}

static void add_sine_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const hinge_rest *hinge = rest;
    wf_vec3 gradient[WF_HINGE_NODES];
    double fold = fold_of(hinge, x, gradient), scale = hinge->over_width * factor[0];
    wf_hinge_add_curvature(x, scale * cos(0.25 * fold), in_order, WF_HINGE_NODES, hessian);
    for (int i = 0; i < WF_HINGE_NODES; i++) {
        for (int j = 0; j < WF_HINGE_NODES; j++) {
            wf_mat3 outer = wf_mat3_identity_plus_outer(0, -0.25 * scale * sin(0.25 * fold), gradient[i], gradient[j]);
            hessian[WF_HINGE_NODES * i + j] = wf_mat3_muladds(hessian[WF_HINGE_NODES * i + j], outer, 1);
        }
    }
}

static const wf_strain_measure sine_measure = {"sine of a hinge", WF_HINGE_NODES,     1, sizeof(hinge_rest),
                                               sine_strains,      add_sine_curvature};

static double slenderness_of(const wf_vec3 x[WF_HINGE_NODES])
{
    wf_vec3 edge = wf_vec3_sub(x[1], x[0]);
    double doubled = wf_vec3_norm(wf_vec3_cross(edge, wf_vec3_sub(x[2], x[0]))) +
                     wf_vec3_norm(wf_vec3_cross(edge, wf_vec3_sub(x[3], x[0])));
    return doubled > 0 ? wf_vec3_norm2(edge) / doubled : 0;
}

static void published_force(const void *rest, const void *material, const wf_vec3 *x, wf_vec3 *force)
{
    const hinge_rest *hinge = rest;
    double strain, stress;
    sine_strains(rest, x, &strain, force);
    wf_linear_law.evaluate(material, &strain, NULL, &stress, NULL);
    double scale = -hinge->weight * stress * slenderness_of(x) / hinge->slenderness;
    for (int i = 0; i < WF_HINGE_NODES; i++) {
        force[i] = wf_vec3_scale(force[i], scale);
    }
}

/* ---- hinges of a sheet ----------------------------------------------------------------------------------------- */

static bool make_hinge(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                       void *rest, wf_vec3 *reference)
{
    wf_hinge_site site;
    if (!wf_hinge_at(sheet, user, face, k, &site)) {
        return false;
    }
    wf_hinge_rest_positions(&site, reference);
    const hinge_rest hinge = {wf_hinge_weight(sheet, face, &site), 1 / wf_hinge_width(&site), site.angle,
                              site.length / (site.own_height + site.far_height)};
    memcpy(rest, &hinge, sizeof hinge);
    memcpy(vertices, site.vertices, sizeof site.vertices);
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_hinge_unit_material(1, fabric, material, viscosity);
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, const char *name,
                        const wf_strain_measure *measure, wf_published_force *published, wf_model **model)
{
    const wf_strain_recipe recipe = {.name = name, .measure = measure, .law = &wf_linear_law, .elements_per_face = 3,
                                     .make_element = make_hinge, .make_material = make_material,
                                     .published = published};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

static wf_status create_shells(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "discrete shells", &angle_measure, NULL, model);
}

static wf_status create_hinges(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "hinges", &sine_measure, NULL, model);
}

static wf_status create_published(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create(context, sheet, "hinges as published", &sine_measure, published_force, model);
}

const wf_model_entry wf_discrete_shells = {
    .name = "discrete shells",
    .kind = WF_MODEL_BENDING,
    .folds = true,
    .source = "Grinspun et al. 2003, calibrated",
    .cannot = "has no modulus of twist or coupling: they, and the stiffness but on equilateral triangles, are the "
              "mesh's",
    .create = create_shells,
};

const wf_model_entry wf_hinges = {
    .name = "hinges",
    .kind = WF_MODEL_BENDING,
    .folds = true,
    .source = "Bridson et al. 2003, with the exact gradient",
    .cannot = "has no modulus of twist or coupling: they, and the stiffness but on equilateral triangles, are the "
              "mesh's; sharp folds yield",
    .create = create_hinges,
};

const wf_model_entry wf_hinges_published = {
    .name = "hinges as published",
    .kind = WF_MODEL_BENDING,
    .folds = true,
    .source = "Bridson et al. 2003",
    .cannot = "gains or loses energy where edges stretch, and has the limits of \"hinges\"",
    .published = true,
    .create = create_published,
};
