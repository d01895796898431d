/* local.h - force models one element or one vertex at a time, for schemes that never assemble their matrix.
 *
 * A model whose class has these hooks can be simulated by position-based dynamics ("xpbd"), by projective dynamics and
 * by vertex block descent. All three are built on the same energies, forces and viscosities as the model's other
 * functions: iterated to the end they reach the same backward Euler step.
 */
#ifndef WEFT_MODEL_LOCAL_H
#define WEFT_MODEL_LOCAL_H

#include "model/model.h"

/* A vertex as position-based dynamics moves it. A prescribed one has the inverse mass 0. */
typedef struct wf_point {
    double x, y, z;
    double inverse_mass; /* 1/kg */
} wf_point;

/* A model's elements as compliant constraints, in batches that do not share vertices. Made once per model. */
typedef struct wf_relaxation wf_relaxation;

typedef struct wf_relaxation_class {
    void (*destroy)(wf_context *context, wf_relaxation *relaxation);

    /* Reads what may have changed of the model and of the inverse masses, for steps of length h. */
    void (*prepare)(wf_context *context, wf_relaxation *relaxation, double scale, double h, const wf_point *points);

    /* One Gauss-Seidel pass over all elements. Each in turn takes the implicit force that balances it where its
     * vertices are now, in place of the one that it had, and moves them by the difference times h^2 / mass. `first`:
     * the first pass of a step; no element has a force yet. start: where the vertices were when the step began. Both
     * have one more point than there are vertices: the place of lanes without an element. */
    void (*sweep)(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                  wf_point *points);

    /* One pass of the viscosity that acts on the velocities at the end of a step; NULL where there is none apart.
     * velocities: like points, in m/s. */
    void (*damp)(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *points,
                 wf_point *velocities);
} wf_relaxation_class;

struct wf_relaxation {
    const wf_relaxation_class *class;
};

/* The state that a step of length h from `start` has reached: velocities are (x - start) / h. */
typedef struct wf_local_state {
    const wf_vec3 *start, *x;
    double h;
} wf_local_state;

/* What the elements around a vertex say about moving it alone. */
typedef struct wf_vertex_terms {
    double energy;    /* J: elastic, of the elements around it; up to what does not depend on where it is */
    wf_vec3 force;    /* N: elastic */
    wf_vec3 drag;     /* N: viscous */
    double matrix[6]; /* N/m: xx xy xz yy yz zz, semidefinite stiffness + viscous damping / h */
} wf_vertex_terms;

typedef struct wf_local_class {
    /* WF_ERROR_MEMORY */
    wf_status (*relaxation)(wf_context *context, const wf_model *model, wf_relaxation **relaxation);

    /* Adds `scale` times the terms of vertex i where the state has it. With `matrix` false, all but the matrix. */
    void (*add_vertex)(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms);

    /* Adds a constant matrix of multiples of the identity to the slots of `pattern`, which must hold the model's
     * stencil: stiffness_scale times one that stands in for -df/dx at any rotation, + damping_scale times one for
     * -df/dv. */
    void (*add_constant_matrix)(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars);
} wf_local_class;

#endif
