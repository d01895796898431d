/* green_membrane.c - St. Venant and Kirchhoff's membrane: the Green strain of a triangle under the linear law,
 *     E_uu = (U . U - 1) / 2,   E_vv = (V . V - 1) / 2,   g = U . V.
 *
 * The energy is a polynomial of degree four, so everything is finite at every shape. In compression it gives way: the
 * force of a strip of length s L is C s (s^2 - 1) / 2, which is greatest at s = 1 / sqrt 3 = 0.577 and none at s = 0;
 * past the crest, where its matrix is indefinite, a face collapses and may come to rest inside out. Under tension it
 * stiffens: at 10 % by 15 % over the linear law.
 */
#include "model/models.h"
#include "model/weave.h"

static void green_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    const wf_vec3 none = {0, 0, 0};
    strain[0] = 0.5 * (wf_vec3_norm2(f.u) - 1);
    strain[1] = 0.5 * (wf_vec3_norm2(f.v) - 1);
    strain[2] = wf_vec3_dot(f.u, f.v);
    if (gradient) {
        wf_weave_spread(rest, (wf_weave){f.u, none}, gradient);
        wf_weave_spread(rest, (wf_weave){none, f.v}, gradient + 3);
        wf_weave_spread(rest, (wf_weave){f.v, f.u}, gradient + 6);
    }
}

/* The strains are quadratic: their second derivatives are multiples of the identity. */
static void green_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    (void)x;
    const wf_vec3 none = {0, 0, 0};
    const wf_weave_curvature c = {wf_mat3_identity_plus_outer(factor[0], 0, none, none),
                                  wf_mat3_identity_plus_outer(factor[2], 0, none, none),
                                  wf_mat3_identity_plus_outer(factor[1], 0, none, none)};
    wf_weave_spread_curvature(data, &c, hessian);
}

static const wf_strain_measure green_measure = {"Green", 3, 3, sizeof(wf_weave_rest), green_strains, green_curvature};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "green", .measure = &green_measure, .law = &wf_fabric_law,
                                            .elements_per_face = 1, .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_green_membrane = {
    .name = "green",
    .kind = WF_MODEL_MEMBRANE,
    .source = "St. Venant-Kirchhoff",
    .cannot = "resists strong compression less and less, and not at all once a face is inside out",
    .create = create,
};
