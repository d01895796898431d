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

#endif
