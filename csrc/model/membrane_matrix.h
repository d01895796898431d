/* membrane_matrix.h - the second derivative of a corotational element's energy.
 *
 * With A = R^T dF (2 x 2) and dF3 = normal . dF, the change of F = R U splits into a spin and a change of U,
 *     spin = (A21 - A12) / tr U,     dU = A - spin J U,   J = [[0, -1], [1, 0]],
 * and the energy density psi(U), with stress s = C (U - I) and w = ((U s)12 - (U s)21) / tr U, changes to second order
 * by
 *     dU : C : dU  +  spin^2 (s : U)  +  2 spin (w tr dU - s : J dU)  +  dF3 U^-1 (s - w J) dF3^T.
 * The first three terms are a 4 x 4 form in (spin, dU11, dU22, 2 dU12). C is positive definite, so at most one of its
 * eigenvalues is negative; it can be removed. The last term holds the principal stresses of the second Piola-Kirchhoff
 * tensor; negative ones can be removed too. (Our derivation; spec/model checks it by differences.)
 *
 * In kernels these functions work on several elements at once (base/wide.h).
 */
#ifndef WEFT_MODEL_MEMBRANE_MATRIX_H
#define WEFT_MODEL_MEMBRANE_MATRIX_H

#include "model/element.h"

/* Below this trace of U (at rest: 2) an element's spin is taken as if it had this trace, so that matrices stay bounded
 * while it collapses. */
#define WF_LEAST_TRACE 1e-2

typedef struct wf_stress {
    wf_wide s11, s12, s22; /* N/m */
} wf_stress;

/* The second-order form of the energy per area. */
typedef struct wf_tangent {
    wf_wide spin;         /* spin x spin */
    wf_wide coupling[3];  /* spin x (dU11, dU22, 2 dU12) */
    wf_wide strain[3][3]; /* (dU11, dU22, 2 dU12) squared */
    wf_wide normal11, normal12, normal22; /* dF3 squared */
} wf_tangent;

/* C : strain, with the shear strain as the tensor's component. moduli: C1111, C1122, C2222, C1212, here and below. */
static inline wf_stress wf_stress_of(const wf_wide moduli[4], wf_wide e11, wf_wide e12, wf_wide e22)
{
    return (wf_stress){moduli[0] * e11 + moduli[1] * e22, 2.0 * moduli[3] * e12, moduli[1] * e11 + moduli[2] * e22};
}

/* 1 / tr U, for spins */
static inline wf_wide wf_over_trace(const wf_polar *p)
{
    return wf_wide_select(p->trace > WF_LEAST_TRACE, p->over_trace, wf_wide_set(1 / WF_LEAST_TRACE));
}

/* w above: what makes R (s - w J) the gradient of the energy. */
static inline wf_wide wf_stress_spin(const wf_polar *p, const wf_stress *s)
{
    wf_wide y12 = p->u11 * s->s12 + p->u12 * s->s22, y21 = p->u12 * s->s11 + p->u22 * s->s12;
    return wf_wide_select(p->trace > WF_LEAST_TRACE, (y12 - y21) * p->over_trace, wf_wide_set(0));
}

/* The exact form. `largest` bounds 1 / det U. */
static inline void wf_exact_tangent(const wf_polar *p, const wf_stress *s, const wf_wide moduli[4], double largest,
                                    wf_tangent *t)
{
    wf_wide w = wf_stress_spin(p, s), none = wf_wide_set(0);
    t->strain[0][0] = moduli[0];
    t->strain[0][1] = t->strain[1][0] = moduli[1];
    t->strain[1][1] = moduli[2];
    t->strain[2][2] = moduli[3];
    t->strain[0][2] = t->strain[1][2] = t->strain[2][0] = t->strain[2][1] = none;
    t->spin = s->s11 * p->u11 + 2.0 * s->s12 * p->u12 + s->s22 * p->u22;
    t->coupling[0] = w - s->s12;
    t->coupling[1] = w + s->s12;
    t->coupling[2] = 0.5 * (s->s11 - s->s22);
    /* U^-1 (s - w J), with U^-1 = [[u22, -u12], [-u12, u11]] / det U; symmetric by the choice of w */
    wf_wide over = wf_wide_lesser(p->over_determinant, wf_wide_set(largest));
    t->normal11 = (p->u22 * s->s11 - p->u12 * (s->s12 - w)) * over;
    t->normal12 = (p->u22 * (s->s12 + w) - p->u12 * s->s22) * over;
    t->normal22 = (p->u11 * s->s22 - p->u12 * (s->s12 + w)) * over;
}

/* ---- what makes it semidefinite -------------------------------------------------------------------------------- */

/* Removes the negative eigenvalues of the part along the normal. */
static inline void wf_clamp_normal(wf_tangent *t)
{
    wf_wide mean = 0.5 * (t->normal11 + t->normal22), half = 0.5 * (t->normal11 - t->normal22), none = wf_wide_set(0);
    wf_wide radius = wf_wide_sqrt(half * half + t->normal12 * t->normal12);
    /* eigenvalues mean +- radius, projectors (I +- [[half, n12], [n12, -half]] / radius) / 2 */
    wf_wide high = wf_wide_greater(mean + radius, none), low = wf_wide_greater(mean - radius, none);
    wf_wide average = 0.5 * (high + low), slope = wf_wide_select(radius > 0.0, 0.5 * (high - low) / radius, none);
    t->normal11 = average + slope * half;
    t->normal22 = average - slope * half;
    t->normal12 = slope * t->normal12;
}

#define WF_ROOT2 1.4142135623730951
#define WF_NEGLIGIBLE (-1e-12) /* eigenvalue, times the sum of the moduli */

/* Where to start for the negative eigenvalue: the smallest of the 2 x 2 part of spin and shear, never below that of the
 * whole. 0 where there is none. */
static inline wf_wide wf_negative_start(const wf_tangent *t)
{
    wf_wide c11 = t->strain[0][0], c12 = t->strain[0][1], c22 = t->strain[1][1], c33 = t->strain[2][2];
    wf_wide l1 = t->coupling[0], l2 = t->coupling[1], l3 = t->coupling[2], g = 0.5 * t->spin;
    wf_wide half = 0.5 * g - c33, start = 0.5 * g + c33 - wf_wide_sqrt(half * half + l3 * l3);
    /* Positive semidefinite already when spin >= l^T C^-1 l; written without division. */
    wf_wide determinant = c11 * c22 - c12 * c12, plane = c22 * l1 * l1 - 2.0 * c12 * l1 * l2 + c11 * l2 * l2;
    wf_wide_mask negative = (t->spin * determinant * c33 < plane * c33 + l3 * l3 * determinant) | (t->spin < 0.0);
    return wf_wide_select(negative, wf_wide_lesser(start, WF_NEGLIGIBLE * (c11 + c22)), wf_wide_set(0));
}

/* Removes the negative eigenvalue of the 4 x 4 form in the orthonormal coordinates (sqrt2 spin, dU11, dU22, sqrt2 dU12)
 * of dF near U = I. The matrix is [[g, l], [l, C]] with C positive definite; its only negative eigenvalue is the root
 * of
 *     phi(x) = g - x - l^T (C - x)^-1 l,
 * which falls and is concave for x < 0: Newton from the right of the root converges without overshooting. The
 * eigenvector is (1, v). */
static inline void wf_clamp_spin(wf_tangent *t)
{
    enum { MOST_ROUNDS = 12 };
    wf_wide x = wf_negative_start(t), none = wf_wide_set(0), v1 = none, v2 = none, v3 = none;
    wf_wide l1 = t->coupling[0] * (1 / WF_ROOT2), l2 = t->coupling[1] * (1 / WF_ROOT2), l3 = t->coupling[2];
    wf_wide c12 = t->strain[0][1];
    wf_wide_mask going = x < 0.0;
    for (int round = 0; round < MOST_ROUNDS && wf_wide_any(going); round++) {
        wf_wide a = t->strain[0][0] - x, b = t->strain[1][1] - x, c = 2.0 * t->strain[2][2] - x;
        wf_wide plane = a * b - c12 * c12, over = 1.0 / (plane * c), over_plane = c * over, over_c = plane * over;
        wf_wide u1 = (c12 * l2 - b * l1) * over_plane, u2 = (c12 * l1 - a * l2) * over_plane, u3 = -l3 * over_c;
        wf_wide phi = 0.5 * t->spin - x + l1 * u1 + l2 * u2 + l3 * u3, slope = u1 * u1 + u2 * u2 + u3 * u3;
        /* Only at the start can phi be positive: when the root is as good as 0. */
        wf_wide step = wf_wide_lesser(phi / (1.0 + slope), none);
        v1 = wf_wide_select(going, u1, v1);
        v2 = wf_wide_select(going, u2, v2);
        v3 = wf_wide_select(going, u3, v3);
        x = wf_wide_select(going, x + step, x);
        /* The next step will be phi'' / (2 phi') step^2 or less, with phi'' / 2 = -v^T (C - x)^-1 v, at most slope over
         * the least eigenvalue of C - x: c, or at least the determinant of the rest over its trace. */
        going &= (slope * step * step * (a + b) > -1e-12 * x * plane) | (slope * step * step > -1e-12 * x * c);
    }
    /* The form gains -x (1, v) (1, v)^T, normalised. */
    wf_wide gain = -x / (1.0 + v1 * v1 + v2 * v2 + v3 * v3);
    t->spin += 2.0 * gain;
    t->coupling[0] += WF_ROOT2 * gain * v1;
    t->coupling[1] += WF_ROOT2 * gain * v2;
    t->coupling[2] += gain * v3;
    v3 *= 1 / WF_ROOT2; /* sqrt2 dU12 = (2 dU12) / sqrt2 */
    t->strain[0][0] += gain * v1 * v1;
    t->strain[0][1] += gain * v1 * v2;
    t->strain[1][1] += gain * v2 * v2;
    t->strain[0][2] += gain * v1 * v3;
    t->strain[1][2] += gain * v2 * v3;
    t->strain[2][2] += gain * v3 * v3;
    t->strain[1][0] = t->strain[0][1];
    t->strain[2][0] = t->strain[0][2];
    t->strain[2][1] = t->strain[1][2];
}

/* A needle's determinant is bounded from below: its true value is of no use to a linear solve. */
#define WF_LARGEST_SEMIDEFINITE 1e3
#define WF_LARGEST_EXACT 1e12

/* With `semidefinite` the negative part is removed. */
static inline void wf_membrane_tangent(const wf_polar *p, const wf_stress *s, const wf_wide moduli[4],
                                       bool semidefinite, wf_tangent *t)
{
    wf_exact_tangent(p, s, moduli, semidefinite ? WF_LARGEST_SEMIDEFINITE : WF_LARGEST_EXACT, t);
    if (semidefinite) {
        wf_clamp_normal(t);
        wf_clamp_spin(t);
    }
}

#endif
