/* springs.h - linear springs between pairs of vertices, with damping along the spring.
 *
 * A spring of rest length l between i and j, r = x_i - x_j, has f_i = -(k (|r| - l) + d (v_i - v_j) . r/|r|) r/|r|
 * (Keckeisen 2005, section 1.3, with the sign of the elastic term corrected). Rest lengths and stiffness may change
 * between steps: that is how seams are drawn together. At |r| = 0 a spring of rest length zero has no force; one of
 * positive length has no direction and no force either.
 *
 * Linear damping, d (v_i - v_j), needs no direction and its matrix is constant, but it brakes turning too, and with
 * that bending (Keckeisen 2005; tutorial 2004, equation 3, with the sign corrected).
 *
 * The matrix keeps the transverse stiffness k (1 - l/|r|) only while the spring is stretched; compressed it is dropped.
 */
#ifndef WEFT_MODEL_SPRINGS_H
#define WEFT_MODEL_SPRINGS_H

#include "model/model.h"

typedef struct wf_springs_def {
    int32_t vertex_count;
    int32_t count;
    const int32_t (*pairs)[2];  /* [count] two different vertices each */
    const double *rest_lengths; /* [count], m, >= 0 */
    const double *stiffness;    /* [count], N/m, >= 0 */
    const double *damping;      /* [count], N s/m, >= 0 */
    bool linear_damping;        /* of all relative motion of a spring's ends, instead of that along it */
} wf_springs_def;

/* The stiffness of a spring of this length across itself, k (1 - rest/length); negative while it is compressed. With no
 * length there is no direction: a spring of rest length zero is isotropic, any other is taken as slack. */
static inline double wf_spring_transverse(double stiffness, double rest_length, double length)
{
    return length > 0 ? stiffness * (1 - rest_length / length) : rest_length > 0 ? 0 : stiffness;
}

/* Makes the model; WF_ERROR_ARGUMENT names the first spring that is not as above. */
wf_status wf_springs_create(wf_context *context, const wf_springs_def *def, wf_model **model);

/* The live arrays, [count] each, to be changed between steps; the values must stay as above. */
double *wf_springs_rest_lengths(wf_model *model);
double *wf_springs_stiffness(wf_model *model);

#endif
