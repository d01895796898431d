/* membrane_matrix.h - the second derivative of a corotational element's energy, and its matrix.
 *
 * With A = R^T dF (2 x 2) and dF3 = normal . dF, the change of F = R U splits into a spin and a change of U,
 *     spin = (A21 - A12) / tr U,     dU = A - spin J U,   J = [[0, -1], [1, 0]],
 * and the energy density psi(U), with stress s = C (U - I) and w = ((U s)12 - (U s)21) / tr U, changes to second order
 * by
 *     dU : C : dU  +  spin^2 (s : U)  +  2 spin (w tr dU - s : J dU)  +  dF3 U^-1 (s - w J) dF3^T.
 * The first three terms are a 4 x 4 form in (spin, dU11, dU22, 2 dU12). C is positive definite, so at most one of its
 * eigenvalues is negative; wf_membrane_tangent can remove it. The last term holds the principal stresses of the second
 * Piola-Kirchhoff tensor; negative ones can be removed too. (Our derivation; spec/model checks it by differences.)
 */
#ifndef WEFT_MODEL_MEMBRANE_MATRIX_H
#define WEFT_MODEL_MEMBRANE_MATRIX_H

#include "model/element.h"

/* Below this trace of U (at rest: 2) an element's spin is taken as if it had this trace, so that matrices stay bounded
 * while it collapses. */
#define WF_LEAST_TRACE 1e-2

typedef struct wf_stress {
    double s11, s12, s22; /* N/m */
} wf_stress;

/* Forces on corners 1 and 2; corner 0 gets minus their sum. */
typedef struct wf_corner_forces {
    wf_vec3 corner1, corner2;
} wf_corner_forces;

/* The 9 x 9 matrix of an element whose rows sum to zero, by three of its 3 x 3 blocks: (1,1) and (2,2), symmetric,
 * stored as xx xy xz yy yz zz, and (1,2), row-major. */
typedef struct wf_corner_blocks {
    double k11[6], k22[6], k12[9];
} wf_corner_blocks;

/* The second-order form of the energy per area. */
typedef struct wf_tangent {
    double spin;           /* spin x spin */
    double coupling[3];    /* spin x (dU11, dU22, 2 dU12) */
    double strain[3][3];   /* (dU11, dU22, 2 dU12) squared */
    double normal11, normal12, normal22; /* dF3 squared */
} wf_tangent;

/* w above: what makes R (s - w J) the gradient of the energy. */
static inline double wf_stress_spin(const wf_polar *p, const wf_stress *s)
{
    double y12 = p->u11 * s->s12 + p->u12 * s->s22, y21 = p->u12 * s->s11 + p->u22 * s->s12;
    return p->trace > WF_LEAST_TRACE ? (y12 - y21) / p->trace : 0;
}

/* moduli: C1111, C1122, C2222, C1212. With `semidefinite` the negative part is removed. */
void wf_membrane_tangent(const wf_polar *p, const wf_stress *s, const double moduli[4], bool semidefinite,
                         wf_tangent *tangent);
void wf_tangent_scale(wf_tangent *tangent, double scale);

/* The element's matrix of a tangent. With `frozen`, dU is replaced by sym(A) (the rotation held fixed). */
void wf_membrane_blocks(const wf_shape *shape, const wf_polar *p, bool frozen, const wf_tangent *tangent,
                        wf_corner_blocks *blocks);

/* blocks[slots[b]] += K(corner, b) for b = 0, 1, 2. */
void wf_corner_blocks_add_row(const wf_corner_blocks *k, int32_t corner, const int32_t slots[3], wf_mat3 *blocks);

#endif
