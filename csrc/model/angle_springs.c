/* angle_springs.c - bending as the angle at a point between two others that lay on one line with it.
 *
 * On a grid of threads the three are neighbours along a thread (energy 1/2 C (psi - pi)^2 of the angle psi; Breen,
 * House and Wozny 1994; Eberhardt, Weber and Strasser 1996; grid_bending.c). On triangles they are a hinge's two far
 * corners and the point at which the line between them crosses the hinge's edge at rest, which moves with the edge:
 * nothing changes its angle in the plane but shear, and every mesh is straight at rest.
 *
 * At rest the angle pi is where its gradient has no limit. So the strain is the sum s of the unit vectors from the
 * point to both others, whose length is 2 sin(a / 2), a = pi - psi, and the law is that of a.
 *
 * An edge counts with the area of both faces, as other hinges do (hinge.h).
 */
#include <string.h>

#include "model/angle_law.h"
#include "model/hinge.h"
#include "model/models.h"

typedef struct angle_rest {
    double weight; /* area x B(phi) / (half the length of the line)^2, N m */
    double along;  /* where the line crosses the edge, as a fraction from its first end */
} angle_rest;

/* ---- the unit vectors ------------------------------------------------------------------------------------------ */

static wf_vec3 arm_of(int nodes, const double share[WF_ANGLE_NODES], const wf_vec3 *x)
{
    wf_vec3 sum = {0, 0, 0};
    for (int i = 1; i < nodes; i++) {
        sum = wf_vec3_muladds(sum, wf_vec3_sub(x[i], x[0]), share[i]);
    }
    return sum;
}

/* Below this an arm has no direction, m. */
#define LEAST_ARM 1e-30

void wf_angle_strains(int nodes, const wf_arm_shares share, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    wf_vec3 sum = {0, 0, 0};
    if (gradient) {
        memset(gradient, 0, 3 * (size_t)nodes * sizeof *gradient);
    }
    for (int side = 0; side < 2; side++) {
        wf_vec3 arm = arm_of(nodes, share[side], x), unit = wf_vec3_normalize(arm);
        double length = wf_vec3_norm(arm);
        sum = wf_vec3_add(sum, unit);
        if (!gradient || !(length > LEAST_ARM)) {
            continue;
        }
        wf_mat3 turning = wf_mat3_identity_plus_outer(1 / length, -1 / length, unit, unit);
        for (int s = 0; s < 3; s++) {
            const wf_vec3 row = {turning.m[s][0], turning.m[s][1], turning.m[s][2]};
            for (int i = 0; i < nodes; i++) {
                gradient[s * nodes + i] = wf_vec3_muladds(gradient[s * nodes + i], row, share[side][i]);
            }
        }
    }
    memcpy(strain, &sum, sizeof sum);
}

/* The second derivative of f . u, u the unit vector of an arm of length r and P = 1 - u u^T:
 * -(f.u P + P f u^T + u (P f)^T) / r^2. */
void wf_angle_add_curvature(int nodes, const wf_arm_shares share, const wf_vec3 *x, const double *factor,
                            wf_mat3 *hessian)
{
    const wf_vec3 f = {factor[0], factor[1], factor[2]};
    for (int side = 0; side < 2; side++) {
        wf_vec3 arm = arm_of(nodes, share[side], x), unit = wf_vec3_normalize(arm);
        double length = wf_vec3_norm(arm), along = wf_vec3_dot(f, unit);
        if (!(length > LEAST_ARM)) {
            continue;
        }
        double scale = -1 / (length * length);
        wf_vec3 across = wf_vec3_muladds(f, unit, -along);
        wf_mat3 second = wf_mat3_identity_plus_outer(scale * along, -scale * along, unit, unit);
        second = wf_mat3_muladds(second, wf_mat3_identity_plus_outer(0, scale, across, unit), 1);
        second = wf_mat3_muladds(second, wf_mat3_identity_plus_outer(0, scale, unit, across), 1);
        for (int k = 0; k < nodes * nodes; k++) {
            hessian[k] = wf_mat3_muladds(hessian[k], second, share[side][k / nodes] * share[side][k % nodes]);
        }
    }
}

/* ---- the law of the angle -------------------------------------------------------------------------------------- */

/* Just short of folded flat: beyond, the angle's slope over |s| has no bound. */
#define LONGEST (2 * (1 - 1e-9))

/* 1/2 a^2 with |s| = 2 sin(a / 2), per modulus: stress a a' s / |s|, a' = 1 / cos(a / 2). */
static void evaluate(const void *material, const double *strain, double *energy, double *stress, double *tangent)
{
    double modulus = ((const wf_angle_material *)material)->modulus;
    double length = sqrt(strain[0] * strain[0] + strain[1] * strain[1] + strain[2] * strain[2]);
    double bounded = fmin(length, LONGEST), angle = 2 * asin(0.5 * bounded), cosine = cos(0.5 * angle);
    double slope = 1 / cosine, over = length > 1e-6 ? angle * slope / length : 1;
    if (energy) {
        *energy = modulus * (0.5 * angle * angle + angle * slope * (length - bounded));
    }
    for (int s = 0; stress && s < 3; s++) {
        stress[s] = modulus * over * strain[s];
    }
    if (!tangent) {
        return;
    }
    /* a'^2 + a a'' along s, with a'' = sin(a / 2) / (2 cos^3(a / 2)); 1 at s = 0 */
    double along = length > LONGEST ? 0 : slope * slope + 0.25 * angle * bounded * slope * slope * slope;
    double square = length > 1e-6 ? (along - over) / (length * length) : 1.0 / 3;
    for (int s = 0; s < 3; s++) {
        for (int t = 0; t < 3; t++) {
            tangent[3 * s + t] = modulus * (square * strain[s] * strain[t] + (s == t ? over : 0));
        }
    }
}

const wf_stress_law wf_angle_law = {"angle", sizeof(wf_angle_material), evaluate};

/* ---- angles of a sheet ----------------------------------------------------------------------------------------- */

static void fill_shares(const angle_rest *rest, wf_arm_shares share)
{
    for (int side = 0; side < 2; side++) {
        share[side][0] = rest->along - 1;
        share[side][1] = -rest->along;
        share[side][2] = side == 0;
        share[side][3] = side == 1;
    }
}

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    wf_arm_shares share;
    fill_shares(rest, share);
    wf_angle_strains(WF_HINGE_NODES, (const double(*)[WF_ANGLE_NODES])share, x, strain, gradient);
}

static void add_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    wf_arm_shares share;
    fill_shares(rest, share);
    wf_angle_add_curvature(WF_HINGE_NODES, (const double(*)[WF_ANGLE_NODES])share, x, factor, hessian);
}

static const wf_strain_measure measure = {"angle at a point", WF_HINGE_NODES, 3, sizeof(angle_rest), strains,
                                          add_curvature};

static bool make_angle(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                       void *rest, wf_vec3 *reference)
{
    wf_hinge_site site;
    if (!wf_hinge_at(sheet, user, face, k, &site)) {
        return false;
    }
    site.angle = 0;
    wf_vec2 line = wf_vec2_sub(site.place[3], site.place[2]);
    double over = site.own_height / (site.own_height + site.far_height), length2 = wf_vec2_dot(line, line);
    wf_hinge_direction((wf_vec2){-line.y, line.x}, site.direction);
    const angle_rest angle = {wf_hinge_weight(sheet, face, &site) / (0.25 * length2),
                              site.own_foot + over * (site.far_foot - site.own_foot)};
    memcpy(rest, &angle, sizeof angle);
    memcpy(vertices, site.vertices, sizeof site.vertices);
    wf_hinge_rest_positions(&site, reference);
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    ((wf_angle_material *)material)->modulus = 1;
    for (int s = 0; s < 3; s++) {
        viscosity[s] = fabric->bend_viscosity;
    }
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "angle springs", .measure = &measure, .law = &wf_angle_law,
                                            .elements_per_face = 3, .make_element = make_angle,
                                            .make_material = make_material};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

const wf_model_entry wf_angle_springs = {
    .name = "angle springs",
    .kind = WF_MODEL_BENDING,
    .brakes_turning = true,
    .source = "Breen et al. 1994, Eberhardt et al. 1996, on triangles",
    .cannot = "has no rest angles, no modulus of twist or coupling, and a stiffness that depends on the mesh; shear of "
              "the sheet bends it a little",
    .create = create,
};
