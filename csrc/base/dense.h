/* dense.h - small dense matrices, row by row: LU factors with partial pivoting.
 *
 * For systems of a few dozen unknowns, such as test equations; cloth has its own block-sparse matrices.
 */
#ifndef WEFT_BASE_DENSE_H
#define WEFT_BASE_DENSE_H

#include "base/types.h"

/* Overwrites the n x n matrix `a` by its factors L and U (L's diagonal of ones is not stored) and fills `rows` [n] with
 * the order of the rows. Returns false, with `a` spoilt, when a pivot is zero or not finite. */
bool wf_dense_factor(size_t n, double *a, size_t *rows);

/* x = A^-1 b with the factors. `x` and `b` must not overlap. */
void wf_dense_solve(size_t n, const double *factors, const size_t *rows, const double *b, double *x);

/* y = A x */
void wf_dense_multiply(size_t n, const double *a, const double *x, double *y);

#endif
