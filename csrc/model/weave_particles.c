/* weave_particles.c - the triangle particle system of Volino and Magnenat-Thalmann (2007), section 3.3.2:
 *     e_uu = |U| - 1,   e_vv = |V| - 1,   e_uv = (|U + V| - |U - V|) / sqrt 2,
 * the last close to the engineering angle: the shear is read from the lengths of the two diagonals, which keeps an
 * isotropic material nearly isotropic in large deformations. Under a linear law this is the weave of membrane.h,
 * element for element; here it can be had with any other law.
 *
 * Their force, printed equation (11), multiplies the stresses by (R_u s_uu + R_v s_vv) U/|U| + (R_u s_uv + R_v s_vu)
 * V/|V|: the stress along the warp pulls along the weft. DEFECT of print; with the indices repaired,
 *     F_j = -A ((R_uj s_uu + R_vj s_uv) U/|U| + (R_uj s_uv + R_vj s_vv) V/|V|),
 * it is still not the gradient of an energy of these strains, and turns an element by itself: torque -A s_uv (1/|V| -
 * 1/|U|) U x V. That is the form "as published" here. The default is the gradient of the energy. The Jacobian the
 * authors describe (from the curves' slopes and the directions of U and V) lacks the terms of turning directions; ours
 * has them.
 */
#include "model/models.h"
#include "model/weave.h"

#define OVER_ROOT2 0.70710678118654752

static void weave_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    wf_vec3 sum = wf_vec3_add(f.u, f.v), difference = wf_vec3_sub(f.u, f.v);
    const wf_vec3 none = {0, 0, 0};
    strain[0] = wf_vec3_norm(f.u) - 1;
    strain[1] = wf_vec3_norm(f.v) - 1;
    strain[2] = OVER_ROOT2 * (wf_vec3_norm(sum) - wf_vec3_norm(difference));
    if (gradient) {
        wf_vec3 s = wf_vec3_scale(wf_vec3_normalize(sum), OVER_ROOT2);
        wf_vec3 d = wf_vec3_scale(wf_vec3_normalize(difference), OVER_ROOT2);
        wf_weave_spread(rest, (wf_weave){wf_vec3_normalize(f.u), none}, gradient);
        wf_weave_spread(rest, (wf_weave){none, wf_vec3_normalize(f.v)}, gradient + 3);
        wf_weave_spread(rest, (wf_weave){wf_vec3_sub(s, d), wf_vec3_add(s, d)}, gradient + 6);
    }
}

static void weave_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    wf_mat3 sum = {{{0}}}, difference = {{{0}}};
    wf_add_length_curvature(&sum, wf_vec3_add(f.u, f.v), OVER_ROOT2 * factor[2]);
    wf_add_length_curvature(&difference, wf_vec3_sub(f.u, f.v), -OVER_ROOT2 * factor[2]);
    wf_weave_curvature c;
    for (int k = 0; k < 9; k++) {
        double s = (&sum.m[0][0])[k], d = (&difference.m[0][0])[k];
        (&c.uu.m[0][0])[k] = (&c.vv.m[0][0])[k] = s + d;
        (&c.uv.m[0][0])[k] = s - d;
    }
    wf_add_length_curvature(&c.uu, f.u, factor[0]);
    wf_add_length_curvature(&c.vv, f.v, factor[1]);
    wf_weave_spread_curvature(rest, &c, hessian);
}

static const wf_strain_measure weave_measure = {"weave directions", 3, 3, sizeof(wf_weave_rest), weave_strains,
                                                weave_curvature};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "weave particles", .measure = &weave_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 1,
                                            .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material, .remembers = true};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_weave_particles = {
    .name = "weave particles",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Volino and Magnenat-Thalmann 2007, with the exact gradient",
    .curves = true,
    .hysteresis = true,
    .create = create,
};

/* The printed force, indices repaired. */
static void published_force(const void *data, const void *material, const wf_vec3 *x, wf_vec3 *force)
{
    const wf_weave_rest *rest = data;
    double strain[3], stress[3];
    weave_strains(rest, x, strain, NULL);
    wf_fabric_law.evaluate(material, strain, NULL, stress, NULL);
    wf_weave f = wf_weave_of(rest, x);
    wf_vec3 u = wf_vec3_normalize(f.u), v = wf_vec3_normalize(f.v);
    wf_weave pull = {wf_vec3_muladds(wf_vec3_scale(u, stress[0]), v, stress[2]),
                     wf_vec3_muladds(wf_vec3_scale(v, stress[1]), u, stress[2])};
    wf_weave_spread(rest, pull, force);
    for (int i = 0; i < 3; i++) {
        force[i] = wf_vec3_scale(force[i], -rest->weight);
    }
}

static wf_status create_published(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "weave particles as published", .measure = &weave_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 1,
                                            .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material, .published = published_force};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_weave_particles_published = {
    .name = "weave particles as published",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Volino and Magnenat-Thalmann 2007, indices repaired",
    .cannot = "exerts a torque on itself, and gains or loses energy",
    .published = true,
    .curves = true,
    .create = create_published,
};
