/* linear_system.h - what is to be solved: the fixed part, the contacts of this step, and what must be left alone. */
#ifndef WEFT_SOLVE_LINEAR_SYSTEM_H
#define WEFT_SOLVE_LINEAR_SYSTEM_H

#include "solve/block_matrix.h"
#include "solve/contact_blocks.h"
#include "solve/filter.h"

struct wf_single_matrix;

/* S (A + C) S on the free directions; the filter is S. */
typedef struct wf_linear_system {
    const wf_block_matrix *matrix;
    const wf_contact_blocks *contacts; /* finished for matrix->row_count rows, or NULL */
    const wf_filter *filter;           /* or NULL: all free */
    const wf_vec3 *positions;          /* [row_count] of the vertices, m, or NULL: for preconditioners that use them */
    const struct wf_single_matrix *single; /* the whole rounded (single_matrix.h), made by a solver for preconditioners;
                                              NULL elsewhere */
    void *scratch;       /* its memory for vectors, which preconditioners may use while they are prepared, once they
                            have read the diagonal: that may lie in it */
    size_t scratch_size; /* bytes */
} wf_linear_system;

/* y = (A + C) x, unfiltered; distinct. */
void wf_linear_system_multiply(wf_context *context, const wf_linear_system *system, const wf_vec3 *x, wf_vec3 *y);

/* The same for rows [begin, end) alone, on the calling thread. */
void wf_linear_system_multiply_rows(const wf_context *context, const wf_linear_system *system, const wf_vec3 *x,
                                    wf_vec3 *y, size_t begin, size_t end);

/* diagonal[i] = the diagonal block of A + C at row i between the free directions, and a multiple of the identity
 * between fixed ones, so that it can be inverted. Returns the first row whose block is not positive definite, or -1. */
int32_t wf_linear_system_diagonal(wf_context *context, const wf_linear_system *system, wf_mat3 *diagonal);

#endif
