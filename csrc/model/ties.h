/* ties.h - attachments: a point of cloth held near another point of cloth or near a place in space.
 *
 * A point is a mean of vertices: a vertex, a point of an edge, a point of a face. With the way d from the second point,
 * or from the anchor, to the first, a tie of the length L pulls where |d| > L, with stiffness (|d| - L) along d: a
 * thread; with L = 0 a spring that holds the points together in every direction.
 *
 * Ties are springs in the matrix, not constraints beside it. At 5000 N/m, five times what a square of cloth resists
 * stretching with, a newton opens a tie by 0.2 mm, and it adds to a vertex' row no more than its membrane does, so that
 * conjugate gradients converge as they do without. Constraints would make the system indefinite, which neither they nor
 * the preconditioners can solve, and no force could break one before it is exceeded.
 *
 * Viscosity resists the relative velocity of the two points (Kelvin and Voigt). It turns with d where that is zero; on
 * turning cloth it exerts a torque of second order in d.
 */
#ifndef WEFT_MODEL_TIES_H
#define WEFT_MODEL_TIES_H

#include "model/model.h"

enum { WF_TIE_NODES = 6 };

typedef struct wf_tie {
    int32_t count;                  /* of vertices, 1 to WF_TIE_NODES, all different */
    int32_t vertices[WF_TIE_NODES];
    double shares[WF_TIE_NODES];    /* d = sum of share x vertex - anchor; -1 to 1 each */
    wf_vec3 anchor;                 /* m; zero where both points are of cloth */
    double length;                  /* m, >= 0 */
    double stiffness;               /* N/m, >= 0; 0: it is not there */
    double viscosity;               /* s, >= 0: stiffness times it is the damping */
} wf_tie;

/* WF_ERROR_ARGUMENT names the first tie that is not as above. */
wf_status wf_ties_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_tie *ties,
                         wf_model **model);

/* Changes a tie's shares, anchor, length and stiffness, between steps. */
void wf_ties_set(wf_model *model, int32_t tie, const wf_tie *values);

/* The elastic force on the first point where d is `way`, N. */
wf_vec3 wf_tie_force(const wf_tie *tie, wf_vec3 way);

#endif
