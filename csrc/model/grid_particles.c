/* grid_particles.c - the continuum-derived particle system of Etzmuss, Gross and Strasser (2003) on a grid: the stress
 *     s_uu = C1111 (|U| - 1),   s_vv = C2222 (|V| - 1),   s_uv = C1212 U . V
 * from the differences U and V of neighbours over their distances, at each of the four corners of every rectangle.
 *
 * Printed (tutorial 2004, equations 12 and 13) with half the shear stress and with the square of the edge length where
 * the stress needs its first power. DEFECTS, corrected: s_uv = C1212 times the shear angle, and sides are springs of
 * C1111 b / a and C2222 a / b in a rectangle of a x b, which makes the stiffness independent of resolution. The
 * fabric's C1122, which they leave out, couples the two stretches.
 *
 * The elements are corners: a vertex with its neighbours along the weft and the warp, the strains those of
 * baraff_witkin.c. LIMIT: needs a grid (grid.h).
 */
#include "model/baraff_witkin.h"
#include "model/grid.h"
#include "model/models.h"
#include "model/weave.h"

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "grid particles", .measure = &wf_baraff_witkin_measure,
                                            .law = &wf_fabric_law, .elements_per_face = 2,
                                            .make_element = wf_grid_make_corner,
                                            .make_material = wf_make_fabric_material};
    return wf_grid_model_create(context, &recipe, sheet, model);
}

const wf_model_entry wf_grid_particles = {
    .name = "grid particles",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Etzmuss, Gross and Strasser 2003, corrected",
    .cannot = "needs a grid; resists shear more when stretched, by the square of the change of area",
    .curves = true,
    .grid = true,
    .create = create,
};
