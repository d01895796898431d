/* element_step.h - what the schemes that work on elements share: the backward Euler step as a minimisation.
 *
 * One step of length h from (x0, v0) solves, for the free vertices,
 *
 *     m (1 + h c) / h^2 (x - y) = elastic, viscous and contact forces at x,
 *     y = x0 + h (v0 + h load / m) / (1 + h c),
 *
 * c the damping, rates of strain being differences to x0 (model/past.h). Without viscosity this is where the gradient
 * of the incremental potential vanishes (Radovitzky and Ortiz 1999):  sum of m (1 + h c) / (2 h^2) |x - y|^2 + energy
 * of models and contacts at x. Prescribed vertices are at y = x0 + h v0 from the start.
 */
#ifndef WEFT_STEP_ELEMENT_STEP_H
#define WEFT_STEP_ELEMENT_STEP_H

#include "step/elements.h"
#include "step/scheme.h"

/* The models that a scheme has prepared itself for, to see whether they have changed. Zero-initialise. */
typedef struct wf_known_elements {
    wf_model **models;
    size_t model_count, capacity;
    int32_t vertex_count;
    int64_t revision;
    bool known;
} wf_known_elements;

bool wf_elements_unchanged(const wf_known_elements *known, const wf_elements *elements);
wf_status wf_elements_remember(wf_context *context, wf_known_elements *known, const wf_elements *elements);
/* wf_model_class.set_past of all models that have it. */
wf_status wf_elements_set_past(wf_context *context, const wf_elements *elements, const wf_past *past);

void wf_elements_forget(wf_context *context, wf_known_elements *known);

/* Whether a scheme can work on the system: it has elements, three components a vertex, vertices prescribed in all of
 * them or none, positive masses, and models with the hooks of model/local.h. The message names what it lacks. */
wf_status wf_elements_check(wf_integrator *self, const wf_system *system);

static inline bool wf_vertex_prescribed(const wf_system *system, int32_t vertex)
{
    return system->prescribed && system->prescribed[3 * (size_t)vertex];
}

/* y above, for a step of length h; targets: [vertex_count]. */
void wf_elements_predict(const wf_system *system, double h, const wf_vec3 *x0, const wf_vec3 *v0, wf_vec3 *targets);

/* m (1 + h c) / h^2 */
static inline double wf_elements_inertia(const wf_elements *elements, double h, int32_t vertex)
{
    return elements->mass[vertex] * (1 + h * elements->damping) / (h * h);
}

/* A contact at x, after a step of length h from x0. */
typedef struct wf_contact_terms {
    double overlap;  /* m; <= 0: parted */
    wf_vec3 slide;   /* m: the tangential part of the relative way since the start */
} wf_contact_terms;

wf_contact_terms wf_contact_terms_of(const wf_resting_contact *contact, double h, const wf_vec3 *x0, const wf_vec3 *x);

/* The force on the vertices per unit of weight. */
wf_vec3 wf_contact_force(const wf_resting_contact *contact, const wf_contact_terms *terms, double h);

/* Its potential: elastic, and drag / (2 h) |slide|^2, J. */
double wf_contact_energy(const wf_resting_contact *contact, const wf_contact_terms *terms, double h);

#endif
