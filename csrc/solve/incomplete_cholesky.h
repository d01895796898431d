/* incomplete_cholesky.h - a preconditioner that sees neighbours: block L D L^T on the pattern of the 3 x 3 blocks.
 *
 * Entries outside that pattern (bending's far couplings, contacts between distant vertices) enter by their diagonal
 * blocks alone. Factors are kept in single precision: a preconditioner need not be exact, only the same for r and s.
 * The factorisation and its two triangular solves run on one thread in the order of the rows.
 *
 * On a stiff membrane of 12,100 vertices it needs 3.4 times fewer iterations than block Jacobi and, with everything
 * counted, well under half of the time on one core.
 */
#ifndef WEFT_SOLVE_INCOMPLETE_CHOLESKY_H
#define WEFT_SOLVE_INCOMPLETE_CHOLESKY_H

#include "solve/block_matrix.h"
#include "solve/filter.h"

/* Zero-initialise; free with wf_incomplete_cholesky_free. */
typedef struct wf_incomplete_cholesky {
    const wf_pattern *pattern;
    int32_t *row_start, *column;   /* strictly lower blocks of L, by rows */
    float (*lower)[9];
    float (*inverse)[9];           /* D^-1 */
    wf_mat3 *work, *pivot;
    size_t capacity[6];
} wf_incomplete_cholesky;

void wf_incomplete_cholesky_free(wf_context *context, wf_incomplete_cholesky *factor);

/* Factors S A S + (I - S). diagonal: [rows] the full diagonal blocks of the system, restricted to free directions and
 * positive definite. Where the factorisation meets a pivot that is not positive definite, the diagonal is enlarged and
 * it starts again. WF_ERROR_NUMERIC when no diagonal helps. */
wf_status wf_incomplete_cholesky_factor(wf_context *context, wf_incomplete_cholesky *factor,
                                        const wf_block_matrix *matrix, const wf_mat3 *diagonal,
                                        const wf_filter *filter);

/* s = (L D L^T)^-1 r; distinct. */
void wf_incomplete_cholesky_apply(const wf_incomplete_cholesky *factor, const wf_vec3 *r, wf_vec3 *s);

#endif
