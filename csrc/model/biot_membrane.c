/* biot_membrane.c - the strain U - 1 of the deformation gradient's polar decomposition F = R U, as (U11 - 1, U22 - 1,
 * 2 U12): Biot's strain, the exact-gradient form of the corotational element.
 *
 * LIMIT: U11 is not the length of the weft, which is sqrt(U11^2 + U12^2). Under a pull T along it a sheet gains length
 * by shearing, and does so by itself where T > 4 C1212 U11 (spec/model): for measured wool at 120 N/m.
 *
 * With a linear law it is the model of membrane.h, element for element; here it can be had with any other law. With
 * spin = (r2 . dF1 - r1 . dF2) / tr U,
 *     dU11 = r1 . dF1 + spin U12,   dU22 = r2 . dF2 - spin U12,   2 dU12 = r2 . dF1 + r1 . dF2 + spin (U22 - U11),
 * and the second derivative is that of membrane_matrix.h without the terms of the law.
 */
#include "model/membrane_matrix.h"
#include "model/models.h"
#include "model/weave.h"

/* Derivatives of U11, U22 and 2 U12 by the columns of F. */
static void stretch_derivatives(const wf_polar *p, wf_weave derivative[3])
{
    double over = wf_over_trace(p), turn = p->u12 * over, lean = (p->u22 - p->u11) * over;
    derivative[0] = (wf_weave){wf_vec3_muladds(p->r1, p->r2, turn), wf_vec3_scale(p->r1, -turn)};
    derivative[1] = (wf_weave){wf_vec3_scale(p->r2, -turn), wf_vec3_muladds(p->r2, p->r1, turn)};
    derivative[2] = (wf_weave){wf_vec3_scale(p->r2, 1 + lean), wf_vec3_scale(p->r1, 1 - lean)};
}

static void biot_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    wf_polar p = wf_polar_of(f.u, f.v);
    strain[0] = p.u11 - 1;
    strain[1] = p.u22 - 1;
    strain[2] = 2 * p.u12;
    if (gradient) {
        wf_weave derivative[3];
        stretch_derivatives(&p, derivative);
        for (int s = 0; s < 3; s++) {
            wf_weave_spread(rest, derivative[s], gradient + 3 * s);
        }
    }
}

static void add_product(wf_mat3 *to, wf_vec3 a, wf_vec3 b)
{
    *to = wf_mat3_muladds(*to, wf_mat3_identity_plus_outer(0, 1, a, b), 1);
}

static void biot_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    wf_polar p = wf_polar_of(f.u, f.v);
    const wf_stress stress = {factor[0], factor[2], factor[1]};
    const double no_moduli[4] = {0, 0, 0, 0};
    wf_tangent t;
    wf_exact_tangent(&p, &stress, no_moduli, WF_LARGEST_EXACT, &t);
    double over = wf_over_trace(&p);
    wf_weave spin = {wf_vec3_scale(p.r2, over), wf_vec3_scale(p.r1, -over)}, stretch[3], mixed = {{0, 0, 0}, {0, 0, 0}};
    stretch_derivatives(&p, stretch);
    /* spin (coupling . dU) + (coupling . dU) spin + spin^2 s : U = spin mixed^T + mixed spin^T */
    for (int s = 0; s < 3; s++) {
        mixed.u = wf_vec3_muladds(mixed.u, stretch[s].u, t.coupling[s]);
        mixed.v = wf_vec3_muladds(mixed.v, stretch[s].v, t.coupling[s]);
    }
    mixed.u = wf_vec3_muladds(mixed.u, spin.u, 0.5 * t.spin);
    mixed.v = wf_vec3_muladds(mixed.v, spin.v, 0.5 * t.spin);
    wf_weave_curvature c = {wf_mat3_identity_plus_outer(0, t.normal11, p.normal, p.normal),
                            wf_mat3_identity_plus_outer(0, t.normal12, p.normal, p.normal),
                            wf_mat3_identity_plus_outer(0, t.normal22, p.normal, p.normal)};
    add_product(&c.uu, spin.u, mixed.u);
    add_product(&c.uu, mixed.u, spin.u);
    add_product(&c.uv, spin.u, mixed.v);
    add_product(&c.uv, mixed.u, spin.v);
    add_product(&c.vv, spin.v, mixed.v);
    add_product(&c.vv, mixed.v, spin.v);
    wf_weave_spread_curvature(rest, &c, hessian);
}

static const wf_strain_measure biot_measure = {"Biot", 3, 3, sizeof(wf_weave_rest), biot_strains, biot_curvature};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "Biot", .measure = &biot_measure, .law = &wf_fabric_law,
                                            .elements_per_face = 1, .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material, .remembers = true};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_biot_membrane = {
    .name = "Biot",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Biot 1939",
    .cannot = "is the same as corotational, at a multiple of its time",
    .curves = true,
    .hysteresis = true,
    .create = create,
};
