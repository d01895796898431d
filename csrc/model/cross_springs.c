/* cross_springs.c - bending as springs across each edge that buckle (Choi and Ko 2002, "Stable but responsive cloth").
 *
 * A spring of rest length L between the far corners of two faces is thought to be a beam: pushed together, it keeps its
 * length and bends to an arc of one curvature k, so that the distance of its ends is |r| = (2 / k) sin(k L / 2). Its
 * energy 1/2 B L k^2 is a function of |r|. With y = k L / 2 and S = sin(y) / y,
 *
 *     |r| / L = S,    energy / (B / L) = 2 y^2,    force = -(B / L^2) 4 y^2 / (S - cos y),
 *
 * which pushes with 12 B / L^2 as soon as it yields and with 39.48 B / L^2 where the ends meet. Up to the first of
 * these the source has a plain spring. Pulled, it does nothing here: that is the membrane's.
 *
 * An edge's spring sees the curvature along its own line, and counts with 8/9 of the area of both faces: on
 * equilateral triangles the plate of Poisson's ratio 1/3, and so the right energy of a cylinder in any direction.
 */
#include <string.h>

#include "model/elongation.h"
#include "model/hinge.h"
#include "model/models.h"

static const double pi = 3.14159265358979323846;

/* Weights are 8/9 area x B(phi) / L^2, N m: densities are energies of y. */
typedef struct beam_material {
    double stiffness; /* of the plain spring */
    double offset;    /* of the beam's energy, so that there is no jump */
} beam_material;

/* The source's plain spring ends, where the beam begins to bend, at this contraction. */
#define ONSET 1e-4

/* ---- the law of the beam --------------------------------------------------------------------------------------- */

/* y of sin(y) / y = 1 - contraction, from 0 to pi, by Newton's method on the series' root. */
static double arc_of(double contraction)
{
    double y = sqrt(10 * (1 - sqrt(fmax(0, 1 - 1.2 * contraction))));
    for (int i = 0; i < 6; i++) {
        double ratio = sin(y) / y;
        y -= (ratio - 1 + contraction) * y / (cos(y) - ratio);
    }
    return fmin(y, pi);
}

/* Derivatives of 2 y^2 by the strain sin(y) / y. */
static double arc_stress(double y)
{
    return 4 * y * y / (cos(y) - sin(y) / y);
}

static double arc_tangent(double y)
{
    double slope = cos(y) - sin(y) / y;
    return y * (12 * y * slope + 4 * y * y * sin(y)) / (slope * slope * slope);
}

static void evaluate(const void *material, const double *strain, double *energy, double *stress, double *tangent)
{
    const beam_material *beam = material;
    double contraction = fmin(fmax(-strain[0], 0), 1), values[3] = {0, 0, 0};
    if (contraction > ONSET) {
        double y = arc_of(contraction);
        values[0] = beam->offset + 2 * y * y;
        values[1] = arc_stress(y);
        values[2] = arc_tangent(y);
    } else if (contraction > 0) {
        values[0] = 0.5 * beam->stiffness * contraction * contraction;
        values[1] = -beam->stiffness * contraction;
        values[2] = beam->stiffness;
    }
    if (energy) {
        *energy = values[0];
    }
    if (stress) {
        *stress = values[1];
    }
    if (tangent) {
        *tangent = values[2];
    }
}

static const wf_stress_law law = {"buckled beam", sizeof(beam_material), evaluate};

/* ---- springs of a sheet ---------------------------------------------------------------------------------------- */

static bool make_spring(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                        void *rest, wf_vec3 *reference)
{
    wf_hinge_site site;
    if (!wf_hinge_at(sheet, user, face, k, &site)) {
        return false;
    }
    wf_vec2 line = wf_vec2_sub(site.place[3], site.place[2]);
    double length2 = wf_vec2_dot(line, line);
    /* across the spring's line, not the edge's */
    wf_hinge_direction((wf_vec2){-line.y, line.x}, site.direction);
    const wf_elongation_rest spring = {8.0 / 9 * wf_hinge_weight(sheet, face, &site) / length2, sqrt(length2)};
    memcpy(rest, &spring, sizeof spring);
    for (int i = 0; i < 2; i++) {
        vertices[i] = site.vertices[2 + i];
        reference[i] = wf_vec3_make(site.place[2 + i].x, site.place[2 + i].y, 0);
    }
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    double y = arc_of(ONSET), stiffness = -arc_stress(y) / ONSET;
    *(beam_material *)material = (beam_material){stiffness, 0.5 * stiffness * ONSET * ONSET - 2 * y * y};
    viscosity[0] = fabric->bend_viscosity;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "cross springs", .measure = &wf_elongation_measure, .law = &law,
                                            .elements_per_face = 3, .make_element = make_spring,
                                            .make_material = make_material};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

const wf_model_entry wf_cross_springs = {
    .name = "cross springs",
    .kind = WF_MODEL_BENDING,
    .source = "Choi and Ko 2002",
    .cannot = "resists the folding of flat cloth only after a contraction of one in ten thousand, has no rest angles, "
              "no modulus of twist or coupling, and a stiffness that depends on the mesh",
    .create = create,
};
