/* definite.h - the inverse of a small symmetric positive definite matrix. */
#ifndef WEFT_SOLVE_DEFINITE_H
#define WEFT_SOLVE_DEFINITE_H

#include "base/vector.h"

/* Of the product of the diagonal, which it never exceeds: a determinant that is less has lost digits to
 * cancellation. */
#define WF_SMALL_DETERMINANT 1e-6
/* Of a diagonal entry: a pivot that is less is rounding. */
#define WF_SMALL_PIVOT 1e-15

/* The inverse by L D L^T, which a block that is stiff in some directions alone needs: cofactors are differences of
 * products of its entries, and the determinant of these, pivots of the entries alone. False as below. */
static inline bool wf_invert_nearly_singular(const wf_mat3 *a, wf_mat3 *inverse)
{
    const double(*m)[3] = a->m;
    double l10 = m[0][1] / m[0][0], l20 = m[0][2] / m[0][0], d1 = m[1][1] - l10 * m[0][1];
    double t = m[1][2] - l20 * m[0][1], l21 = t / d1, d2 = m[2][2] - l20 * m[0][2] - l21 * t;
    double i22 = 1 / d2, l = l21 * l10 - l20, i12 = -l21 * i22, i02 = l * i22;
    double i11 = 1 / d1 - l21 * i12, i01 = l * i12 - l10 / d1, i00 = 1 / m[0][0] + l10 * l10 / d1 + l * i02;
    if (!(m[0][0] > 0 && d1 > WF_SMALL_PIVOT * m[1][1] && d2 > WF_SMALL_PIVOT * m[2][2]) ||
        !isfinite(i00 + i11 + i22)) {
        return false;
    }
    *inverse = (wf_mat3){{{i00, i01, i02}, {i01, i11, i12}, {i02, i12, i22}}};
    return true;
}

/* False when `a` (its upper triangle counts) is not positive definite, or so nearly that rounding decides it or the
 * inverse overflows. */
static inline bool wf_invert_definite(const wf_mat3 *a, wf_mat3 *inverse)
{
    const double(*m)[3] = a->m;
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[1][2], c01 = m[0][2] * m[1][2] - m[0][1] * m[2][2];
    double c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1], minor = m[0][0] * m[1][1] - m[0][1] * m[0][1];
    double determinant = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02, over = 1 / determinant;
    if (!(m[0][0] > 0 && minor > 0 && determinant > WF_SMALL_DETERMINANT * m[0][0] * m[1][1] * m[2][2]) ||
        !isfinite(over)) {
        return wf_invert_nearly_singular(a, inverse);
    }
    *inverse = (wf_mat3){{{c00 * over, c01 * over, c02 * over},
                          {c01 * over, (m[0][0] * m[2][2] - m[0][2] * m[0][2]) * over,
                           (m[0][1] * m[0][2] - m[0][0] * m[1][2]) * over},
                          {c02 * over, (m[0][1] * m[0][2] - m[0][0] * m[1][2]) * over, minor * over}}};
    return true;
}

/* What rounding to single precision, and products in it, may take from the quadratic form of a matrix, times its trace;
 * and what leaves it definite. */
#define WF_SINGLE_ROUNDING 2e-7

/* Of the least eigenvalue: what rounding takes at most and leaves a matrix as it is. */
#define WF_ROUNDED_SHARE 0.1

/* Makes the inverse of `a` one that is definite after rounding to single precision, too: where `a` is so much stiffer
 * along some directions than along others that it would not be, it is taken to be less stiff there. */
static inline void wf_soften_for_single(const wf_mat3 *a, wf_mat3 *inverse)
{
    double trace = a->m[0][0] + a->m[1][1] + a->m[2][2];
    double compliance = inverse->m[0][0] + inverse->m[1][1] + inverse->m[2][2];
    /* 1 / trace is the least eigenvalue of the inverse, or less */
    if (trace * compliance * WF_SINGLE_ROUNDING > WF_ROUNDED_SHARE) {
        for (int i = 0; i < 3; i++) {
            inverse->m[i][i] += WF_SINGLE_ROUNDING * compliance;
        }
    }
}

/* The inverse of `a` for a preconditioner, which works in single precision. False as above. */
static inline bool wf_invert_for_single(const wf_mat3 *a, wf_mat3 *inverse)
{
    if (!wf_invert_definite(a, inverse)) {
        return false;
    }
    wf_soften_for_single(a, inverse);
    return true;
}

/* Solves A x = b, with A given by its entries 00, 01, 02, 11, 12 and 22, by L D L^T. False, and x means nothing, when A
 * is not positive definite, or x not finite. */
static inline bool wf_solve_definite(const double a[6], wf_vec3 b, wf_vec3 *x)
{
    double l10 = a[1] / a[0], l20 = a[2] / a[0], d1 = a[3] - l10 * a[1];
    double l21 = (a[4] - l20 * a[1]) / d1, d2 = a[5] - l20 * a[2] - l21 * l21 * d1;
    if (!(a[0] > 0 && d1 > 0 && d2 > 0)) {
        return false;
    }
    double y = b.y - l10 * b.x, z = b.z - l20 * b.x - l21 * y;
    x->z = z / d2;
    x->y = y / d1 - l21 * x->z;
    x->x = b.x / a[0] - l10 * x->y - l20 * x->z;
    return wf_vec3_isfinite(*x);
}

#endif
