/* baraff_witkin.c - stretch |U| - 1, |V| - 1 and shear U . V: the conditions of Baraff and Witkin (1998), sections 4.2
 * and 4.3.
 *
 * The published energy is k/2 C^2 with C = area x condition: a stiffness that grows with the element's area, so that a
 * mesh of half the edge length is four times softer. DEFECT; here the condition enters once per area, which makes the
 * stiffness a modulus in N/m on any mesh. The published scaling can be had ("Baraff-Witkin as published") to show it.
 *
 * The shear condition is |U| |V| sin(angle): under stretch it grows, so that a stretched sheet resists shear by
 * (|U| |V|)^2, and it does not see the angle's side beyond 90 degrees. In an equal shear of both directions |U| = |V| =
 * 1 it is sin(angle).
 */
#include "model/baraff_witkin.h"

#include "model/models.h"
#include "model/weave.h"

static void conditions(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    const wf_vec3 none = {0, 0, 0};
    strain[0] = wf_vec3_norm(f.u) - 1;
    strain[1] = wf_vec3_norm(f.v) - 1;
    strain[2] = wf_vec3_dot(f.u, f.v);
    if (gradient) {
        wf_weave_spread(rest, (wf_weave){wf_vec3_normalize(f.u), none}, gradient);
        wf_weave_spread(rest, (wf_weave){none, wf_vec3_normalize(f.v)}, gradient + 3);
        wf_weave_spread(rest, (wf_weave){f.v, f.u}, gradient + 6);
    }
}

static void condition_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    const wf_vec3 none = {0, 0, 0};
    wf_weave_curvature c = {.uv = wf_mat3_identity_plus_outer(factor[2], 0, none, none)};
    wf_add_length_curvature(&c.uu, f.u, factor[0]);
    wf_add_length_curvature(&c.vv, f.v, factor[1]);
    wf_weave_spread_curvature(rest, &c, hessian);
}

const wf_strain_measure wf_baraff_witkin_measure = {"stretch and shear conditions", 3, 3, sizeof(wf_weave_rest),
                                                    conditions, condition_curvature};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "Baraff-Witkin", .measure = &wf_baraff_witkin_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 1,
                                            .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_baraff_witkin = {
    .name = "Baraff-Witkin",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Baraff and Witkin 1998, per area",
    .cannot = "resists shear more when stretched, by the square of the change of area",
    .curves = true,
    .create = create,
};

/* The area at which the published energy has the fabric's moduli, m2. */
#define PUBLISHED_AREA 1e-4

static bool make_published_element(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k,
                                   int32_t *vertices, void *data, wf_vec3 *reference)
{
    wf_weave_rest *rest = data;
    wf_weave_make_element(user, sheet, face, k, vertices, rest, reference);
    rest->weight *= rest->weight / PUBLISHED_AREA;
    return true;
}

static wf_status create_published(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "Baraff-Witkin as published", .measure = &wf_baraff_witkin_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 1,
                                            .make_element = make_published_element,
                                            .make_material = wf_make_fabric_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_baraff_witkin_published = {
    .name = "Baraff-Witkin as published",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Baraff and Witkin 1998",
    .cannot = "is as stiff as its triangles are large, right at 1 cm2",
    .curves = true,
    .create = create_published,
};
