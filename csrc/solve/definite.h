/* definite.h - the inverse of a small symmetric positive definite matrix. */
#ifndef WEFT_SOLVE_DEFINITE_H
#define WEFT_SOLVE_DEFINITE_H

#include "base/vector.h"

/* False when `a` (its upper triangle counts) is not positive definite, or so nearly that the inverse overflows. */
static inline bool wf_invert_definite(const wf_mat3 *a, wf_mat3 *inverse)
{
    const double(*m)[3] = a->m;
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[1][2], c01 = m[0][2] * m[1][2] - m[0][1] * m[2][2];
    double c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1], minor = m[0][0] * m[1][1] - m[0][1] * m[0][1];
    double determinant = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02, over = 1 / determinant;
    if (!(m[0][0] > 0 && minor > 0 && determinant > 0) || !isfinite(over)) {
        return false;
    }
    *inverse = (wf_mat3){{{c00 * over, c01 * over, c02 * over},
                          {c01 * over, (m[0][0] * m[2][2] - m[0][2] * m[0][2]) * over,
                           (m[0][1] * m[0][2] - m[0][0] * m[1][2]) * over},
                          {c02 * over, (m[0][1] * m[0][2] - m[0][0] * m[1][2]) * over, minor * over}}};
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
