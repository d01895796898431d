/* green_membrane.c - St. Venant and Kirchhoff's membrane: the Green strain of a triangle under the linear law.
 *
 * With F = x gradient of the linear shape functions, E = 1/2 (F^T F - I), strains E11, E22 and the shear 2 E12, the
 * energy per area is 1/2 E : C : E. Polynomial of degree four, so everything is finite at every shape. Its stress falls
 * again when a strip is compressed below 1/sqrt(3) of its length: a face under strong compression may turn inside out
 * and rest there.
 */
#include <string.h>

#include "model/models.h"
#include "model/strain_model.h"

typedef struct triangle_rest {
    double weight; /* area, m2 */
    wf_vec2 gradient[3]; /* of the corners' shape functions, 1/m */
} triangle_rest;

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const triangle_rest *t = rest;
    wf_vec3 u = {0, 0, 0}, v = {0, 0, 0};
    for (int i = 1; i < 3; i++) {
        wf_vec3 edge = wf_vec3_sub(x[i], x[0]);
        u = wf_vec3_muladds(u, edge, t->gradient[i].x);
        v = wf_vec3_muladds(v, edge, t->gradient[i].y);
    }
    strain[0] = 0.5 * (wf_vec3_norm2(u) - 1);
    strain[1] = 0.5 * (wf_vec3_norm2(v) - 1);
    strain[2] = wf_vec3_dot(u, v);
    for (int i = 0; gradient && i < 3; i++) {
        wf_vec2 g = t->gradient[i];
        gradient[i] = wf_vec3_scale(u, g.x);
        gradient[3 + i] = wf_vec3_scale(v, g.y);
        gradient[6 + i] = wf_vec3_muladds(wf_vec3_scale(u, g.y), v, g.x);
    }
}

/* The strains are quadratic: their second derivatives are multiples of the identity. */
static void add_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    (void)x;
    const triangle_rest *t = rest;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            wf_vec2 a = t->gradient[i], b = t->gradient[j];
            double value = factor[0] * a.x * b.x + factor[1] * a.y * b.y + factor[2] * (a.x * b.y + a.y * b.x);
            for (int k = 0; k < 3; k++) {
                hessian[3 * i + j].m[k][k] += value;
            }
        }
    }
}

static const wf_strain_measure green = {"Green", 3, 3, sizeof(triangle_rest), strains, add_curvature};

static bool make_triangle(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                          void *rest, wf_vec3 *reference)
{
    (void)user;
    (void)k;
    wf_shape shape = wf_shape_of(sheet->rest[face]);
    const triangle_rest triangle = {
        shape.area, {wf_vec2_scale(wf_vec2_add(shape.gradient1, shape.gradient2), -1), shape.gradient1, shape.gradient2}};
    memcpy(rest, &triangle, sizeof triangle);
    for (int i = 0; i < 3; i++) {
        vertices[i] = sheet->faces[face][i];
        reference[i] = wf_vec3_make(sheet->rest[face][i].x, sheet->rest[face][i].y, 0);
    }
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    *(wf_linear_material *)material = (wf_linear_material){
        3, {{fabric->weft, fabric->coupling, 0}, {fabric->coupling, fabric->warp, 0}, {0, 0, fabric->shear}}};
    viscosity[0] = viscosity[1] = viscosity[2] = fabric->viscosity;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "green", .measure = &green, .law = &wf_linear_law,
                                            .elements_per_face = 1, .make_element = make_triangle,
                                            .make_material = make_material};
    return wf_strain_model_from_sheet(context, &recipe, NULL, sheet, model);
}

const wf_model_entry wf_green_membrane = {
    .name = "green",
    .kind = WF_MODEL_MEMBRANE,
    .source = "St. Venant-Kirchhoff",
    .cannot = "resists strong compression less and less, and not at all once a face is inside out",
    .create = create,
};
