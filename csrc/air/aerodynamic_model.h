/* aerodynamic_model.h - the force of air on the faces of cloth, as a force model (model/model.h).
 *
 * Each face has the law of its range (aerodynamic_law.h) at the mean velocity of its corners less the wind at it, with
 * its present area and normal; each corner gets a third. All nine pairs of corners so get a ninth of the face's
 * derivative by the velocity. That is the model's damping: symmetric and positive semidefinite, whatever the law. It
 * has no energy and no stiffness: that the force turns with the face is left out of the matrix.
 *
 * The law is not linear in the velocity. Between wf_aerodynamic_expand(model, v0) and (model, NULL) it is replaced by
 * its tangent at v0, F(x, v0) - D(x, v0) (v - v0), for schemes that solve one linear system: stable for any step, as no
 * wind can give cloth more than its own speed. Forces, and then the matrix, are asked for at one x in between.
 * Otherwise the force is that at (x, v), and the matrix that at x and the velocities last given to
 * wf_aerodynamic_linearise.
 *
 * Schemes that work by elements or vertices (model/local.h) take the tangent at the velocities when the step (of
 * "xpbd", the substep) begins, with a third of D at each corner in the place of the ninths: no less than these, and the
 * same force on a face whose corners change their velocities alike.
 */
#ifndef WEFT_AIR_AERODYNAMIC_MODEL_H
#define WEFT_AIR_AERODYNAMIC_MODEL_H

#include "air/aerodynamic_law.h"
#include "model/model.h"

/* Faces of one law, one after the other. */
typedef struct wf_aerodynamic_range {
    int32_t first_face, end_face;
    bool feels; /* the air at all */
    wf_aerodynamics air;
} wf_aerodynamic_range;

typedef struct wf_aerodynamic_def {
    int32_t vertex_count, face_count, range_count;
    const int32_t (*faces)[3];                /* [face_count] */
    const double *areas;                      /* [face_count] at rest, m^2, for the constant matrix */
    const wf_aerodynamic_range *ranges;       /* [range_count] ascending, each face in one */
} wf_aerodynamic_def;

/* WF_ERROR_ARGUMENT: an index out of range; WF_ERROR_MEMORY. */
wf_status wf_aerodynamic_model_create(wf_context *context, const wf_aerodynamic_def *def, wf_model **model);

/* What may be changed at any time: coefficients and whether they are felt; the wind at each face, m/s [face_count], 0
 * at first. */
wf_aerodynamic_range *wf_aerodynamic_ranges(wf_model *model);
wf_vec3 *wf_aerodynamic_wind(wf_model *model);

/* Which faces feel the air [face_count], of ranges that do; 0: not. NULL, at first: all. Not copied. */
void wf_aerodynamic_set_felt(wf_model *model, const uint8_t *felt);

/* kg/m^3; WF_AIR_DENSITY at first. */
void wf_aerodynamic_set_density(wf_model *model, double density);

/* See above. The velocities [vertex_count] must stay as they are until the next call. */
void wf_aerodynamic_expand(wf_model *model, const wf_vec3 *velocities);
void wf_aerodynamic_linearise(wf_model *model, const wf_vec3 *velocities);

/* For schemes that work by elements or vertices: a step from x and v begins. WF_ERROR_MEMORY. */
wf_status wf_aerodynamic_begin(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v);

/* The speed relative to the air, m/s, up to which the constant matrix of model/local.h bounds D; 0 at first. */
void wf_aerodynamic_set_bound(wf_model *model, double speed);

/* The largest relative speed of any face that feels the air, m/s. */
double wf_aerodynamic_largest_speed(const wf_model *model, const wf_vec3 *v);

typedef struct wf_aerodynamic_total {
    wf_vec3 force, moment; /* N, and N m about the origin */
} wf_aerodynamic_total;

/* What the air did to each range [range_count] in a step to x1, v1: its force there, or, where the last forces were a
 * tangent's, asked for at rest, that tangent at v1. Then the work of these forces on the way from x0 to x1, J, which
 * need not be where the forces were found. */
void wf_aerodynamic_totals(wf_context *context, wf_model *model, const wf_vec3 *x1, const wf_vec3 *v1,
                           wf_aerodynamic_total *totals);
double wf_aerodynamic_work(const wf_model *model, const wf_vec3 *x0, const wf_vec3 *x1);

#endif
