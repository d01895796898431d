/* strain.h - what a force model on elements is made of: a strain measure and a stress law.
 *
 * A measure is geometry: what is measured on the nodes of an element (the elongation of an edge, the Green strain of a
 * triangle, the angle of a hinge). A law is material: energy density, stress and tangent moduli of those numbers. One
 * batch (strain_model.h) makes a force model of any measure with any law of as many strains.
 *
 * Measures do not change when an element is moved as a whole, and do not divide by what may vanish: at a degenerate
 * shape (an edge of length zero) strains and derivatives are finite, and are those of a side from which it was reached.
 */
#ifndef WEFT_MODEL_STRAIN_H
#define WEFT_MODEL_STRAIN_H

#include "base/vector.h"

enum { WF_MAX_STRAINS = 7, WF_MAX_NODES = 24 };

typedef struct wf_strain_measure {
    const char *name;
    int32_t node_count, strain_count; /* of an element */

    /* Bytes that an element keeps of its rest shape. They begin with a double, the weight that energy densities are
     * multiplied with: an area (m2) or a length (m), >= 0. */
    size_t rest_size;

    /* strain [strain_count] at the nodes' positions x; gradient[s * node_count + i] = d strain_s / d x_i, NULL: not
     * wanted. */
    void (*strains)(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient);

    /* hessian[i * node_count + j] += sum over s of factor[s] d2 strain_s / dx_i dx_j; NULL: strains are linear in x. */
    void (*add_curvature)(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian);
} wf_strain_measure;

/* The gradient of three strains that are the components of a sum of share[i] x_i. */
static inline void wf_vector_gradient(int32_t node_count, const double *share, wf_vec3 *gradient)
{
    for (int32_t i = 0; i < node_count; i++) {
        gradient[i] = (wf_vec3){share[i], 0, 0};
        gradient[node_count + i] = (wf_vec3){0, share[i], 0};
        gradient[2 * node_count + i] = (wf_vec3){0, 0, share[i]};
    }
}

typedef struct wf_stress_law {
    const char *name;
    size_t material_size; /* bytes of a material: its moduli, curves, ... */

    /* Energy density, stress[s] = its derivative by strain_s, tangent[s * strain_count + t] = that of stress[s] by
     * strain_t; NULL: not wanted. Densities are per area or per length, as the measure's weight. */
    void (*evaluate)(const void *material, const double *strain, double *energy, double *stress, double *tangent);
} wf_stress_law;

/* ---- the linear law -------------------------------------------------------------------------------------------- */

typedef struct wf_linear_material {
    int32_t count; /* of strains */
    double moduli[WF_MAX_STRAINS][WF_MAX_STRAINS]; /* symmetric, positive semidefinite */
} wf_linear_material;

/* energy 1/2 strain . moduli strain */
extern const wf_stress_law wf_linear_law;

#endif
