/* cauchy_membrane.c - the strain of small displacements of a sheet that lies in the plane z = 0, weft along x and warp
 * along y:
 *     e_uu = U_x - 1,   e_vv = V_y - 1,   g = V_x + U_y.
 *
 * Linear in the positions, so the energy is quadratic and the matrix constant. LIMIT: it takes a rotation for a strain
 * (by an angle a in the plane: cos a - 1 in both directions; Keckeisen 2005, section 2.2), and feels no motion across
 * its plane. For displacements within a few percent of an element only.
 */
#include "model/models.h"
#include "model/weave.h"

static void cauchy_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    strain[0] = f.u.x - 1;
    strain[1] = f.v.y - 1;
    strain[2] = f.v.x + f.u.y;
    if (gradient) {
        const wf_vec3 none = {0, 0, 0}, weft = {1, 0, 0}, warp = {0, 1, 0};
        wf_weave_spread(rest, (wf_weave){weft, none}, gradient);
        wf_weave_spread(rest, (wf_weave){none, warp}, gradient + 3);
        wf_weave_spread(rest, (wf_weave){warp, weft}, gradient + 6);
    }
}

static const wf_strain_measure cauchy_measure = {"Cauchy", 3, 3, sizeof(wf_weave_rest), cauchy_strains, NULL};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "cauchy", .measure = &cauchy_measure, .law = &wf_fabric_law,
                                            .elements_per_face = 1, .make_element = wf_weave_make_element,
                                            .make_material = wf_make_fabric_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_cauchy_membrane = {
    .name = "cauchy",
    .kind = WF_MODEL_MEMBRANE,
    .source = "linear elasticity",
    .cannot = "takes rotations for strains: small displacements of a sheet laid flat in z = 0 alone",
    .fixed_frame = true,
    .create = create,
};
