/* symmetric.h - the positive semidefinite part of small symmetric matrices. */
#ifndef WEFT_BASE_SYMMETRIC_H
#define WEFT_BASE_SYMMETRIC_H

#include "base/types.h"

enum { WF_SYMMETRIC_LIMIT = 48 }; /* rows */

/* Whether the symmetric n x n matrix `a`, n <= WF_SYMMETRIC_LIMIT, is positive semidefinite but for rounding. False for
 * one that is not finite. */
bool wf_symmetric_is_semidefinite(int32_t n, const double *a);

/* Replaces such a matrix by the nearest positive semidefinite one: the negative eigenvalues become zero. A matrix that
 * is semidefinite but for rounding stays as it is, bit for bit. One that is not finite is not mended. */
void wf_symmetric_clamp(int32_t n, double *a);

#endif
