/* elements.h - what a system made of elements offers to the schemes that solve element by element or vertex by vertex
 * instead of assembling a matrix: "xpbd", "projective dynamics" and "vertex block descent".
 *
 * It describes the same forces as the functions of wf_system do, at the start of the step that is to be made. Vertices
 * are triples of the system's components; a vertex is prescribed in all three components or in none.
 */
#ifndef WEFT_STEP_ELEMENTS_H
#define WEFT_STEP_ELEMENTS_H

#include "base/vector.h"
#include "model/model.h"

/* A model, all of whose energy and viscosity counts `scale` times. */
typedef struct wf_scaled_model {
    wf_model *model;
    double scale; /* >= 0 */
} wf_scaled_model;

/* A pair nearer than its thickness, as a one-sided spring with drag. With the relative way
 *     u = sum over k of weight[k] (x_k - start of x_k) + h drift
 * since the start of the step, the pair overlaps by -(gap + normal . u). While that is positive it presses with
 * stiffness times it, on vertex k along weight[k] normal; and `drag` resists the tangential part of u / h. Where
 * `slide` is not 0 (never for schemes on elements) the pair slides along it: drag resists only what is across it, and
 * `grip` acts against it. */
typedef struct wf_resting_contact {
    int32_t vertex[4]; /* -1: not one of the system's (a body, the floor); several may be */
    double weight[4];
    wf_vec3 normal;    /* unit; towards the vertices of positive weight */
    double gap;        /* m: distance less thickness at the start of the step; negative while in contact */
    double stiffness;  /* N/m, >= 0 */
    double brake;      /* N/m: the part of the stiffness that is no spring but brakes the pair (contact_forces.c) */
    double relief;     /* m: by how much less the gap says that it overlaps, because of that */
    double damping;    /* N s/m, >= 0, along the normal while in contact */
    double drag;       /* N s/m, >= 0, across the normal: friction (contact_forces.c, multipliers.c) */
    wf_vec3 held;      /* N: what friction takes besides the drag */
    wf_vec3 slide;     /* unit: along it there is no drag; or 0 */
    bool acts;         /* its spring is in the matrix that was formed last */
    bool rides;        /* the pair goes along with a body that would leave it behind if it stood: its spring acts
                          whatever the gap; a constraint that acts */
    double pressed;    /* N: the multiplier of a constraint, which is a part of the gap */
    wf_vec3 slip;      /* m/s, when the step begins */
    double dynamic, hold; /* coefficients of friction, for those that correct motion instead */
    wf_vec3 drift;     /* m/s: weight x velocity summed over the vertices that are not of the system */
} wf_resting_contact;

typedef struct wf_elements {
    int32_t vertex_count;
    size_t model_count;
    const wf_scaled_model *models; /* [model_count], each over all vertices */
    int64_t revision;              /* another number whenever models, scales, spring stiffnesses or masses changed */
    const double *mass;            /* [vertex_count] kg, > 0 */
    const wf_vec3 *load;           /* [vertex_count] N: forces that stay what they are in the step, gravity included */
    double damping;                /* 1/s: a force of minus damping x mass x velocity */
    size_t contact_count;
    const wf_resting_contact *contacts;
} wf_elements;

#endif
