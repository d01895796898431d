/* edge_springs.c - every edge of every face as a spring, the oldest model of cloth on triangles.
 *
 * A face's edge of rest length l, E the Young's modulus of a strip cut along it and A the face's area, has the energy
 * 1/2 E A ((|r| - l) / l)^2: the spring constant E A / l^2 of Van Gelder (1998, "Approximate simulation of elastic
 * membranes by triangulated spring meshes"), here with the direction's modulus of an orthotropic sheet,
 *
 *     1 / E(phi) = c^4 / E1 + s^4 / E2 + c^2 s^2 (1 / G - 2 nu1 / E1),   c, s of the angle phi to the weft.
 *
 * Edges belong to faces, so that seams with sides of two lengths and two fabrics need nothing special. Damping is
 * projected on the spring.
 */
#include <string.h>

#include "model/elongation.h"
#include "model/models.h"
#include "model/strain_model.h"

/* ---- springs of a fabric --------------------------------------------------------------------------------------- */

/* 1 / E(phi), m/N; infinite for a fabric without shear stiffness but along the threads. */
static double compliance_along(const wf_fabric *fabric, wf_vec2 direction)
{
    double determinant = fabric->weft * fabric->warp - fabric->coupling * fabric->coupling;
    double cc = direction.x * direction.x, ss = direction.y * direction.y;
    double sheared = cc * ss > 0 ? cc * ss / fabric->shear : 0;
    return (cc * cc * fabric->warp + ss * ss * fabric->weft - 2 * cc * ss * fabric->coupling) / determinant + sheared;
}

/* The modulus depends on the direction, so it is the weight's: the material is that of a modulus of 1. */
static bool make_edge(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                      void *rest, wf_vec3 *reference)
{
    (void)user;
    const wf_vec2 *corners = sheet->rest[face];
    const int next = (k + 1) % 3;
    wf_vec2 way = wf_vec2_sub(corners[next], corners[k]);
    double length = wf_vec2_norm(way);
    const wf_fabric *fabric = &sheet->fabrics[wf_sheet_fabric(sheet, face)];
    double compliance = compliance_along(fabric, wf_vec2_scale(way, 1 / length));
    const wf_elongation_rest edge = {wf_shape_of(corners).area / compliance, length};
    memcpy(rest, &edge, sizeof edge);
    vertices[0] = sheet->faces[face][k];
    vertices[1] = sheet->faces[face][next];
    reference[0] = wf_vec3_make(corners[k].x, corners[k].y, 0);
    reference[1] = wf_vec3_make(corners[next].x, corners[next].y, 0);
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    *(wf_linear_material *)material = (wf_linear_material){1, {{1}}};
    viscosity[0] = fabric->viscosity;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "edge springs", .measure = &wf_elongation_measure,
                                            .law = &wf_linear_law, .elements_per_face = 3, .make_element = make_edge,
                                            .make_material = make_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_edge_springs = {
    .name = "edge springs",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Van Gelder 1998",
    .cannot = "contraction across a pull and resistance to shear are what the mesh makes of them, not the fabric's",
    .create = create,
};
