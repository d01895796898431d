/* preconditioner.h - what every preconditioner has in common: an approximate inverse, cheap to apply.
 *
 * A preconditioner stands for a symmetric positive definite matrix P near S (A + C) S. It need not be exact, only the
 * same matrix for every vector of one solve, so it works on single precision: half the bytes. Adding one takes a file
 * with its class, its declaration below and a line in the table of preconditioner.c.
 */
#ifndef WEFT_SOLVE_PRECONDITIONER_H
#define WEFT_SOLVE_PRECONDITIONER_H

#include "solve/single_matrix.h"

typedef struct wf_preconditioner {
    const char *name; /* as scripts write it */
    bool close;       /* P^-1 A has its eigenvalues near 1: norms by P^-1 are much the same as those by A^-1 */

    /* Gets ready for `system`, whose `single` is there. *state is NULL before the first call and then the class's own,
     * kept from solve to solve and freed by `destroy`, also after a failure; what depends on the pattern alone may be
     * kept in it (single->identity). diagonal: [rows] of wf_linear_system_diagonal, all positive definite.
     * WF_ERROR_NUMERIC when no positive definite P can be made. */
    wf_status (*prepare)(wf_context *context, void **state, const wf_linear_system *system, const wf_mat3 *diagonal);

    /* s = P^-1 r; distinct. r is free (S r = r), and s must be but for rounding. */
    void (*apply)(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s);

    /* NULL is allowed. */
    void (*destroy)(wf_context *context, void *state);
} wf_preconditioner;

extern const wf_preconditioner wf_preconditioner_none;         /* P = I */
extern const wf_preconditioner wf_preconditioner_diagonal;     /* the diagonal */
extern const wf_preconditioner wf_preconditioner_block_jacobi; /* the 3 x 3 diagonal blocks */
extern const wf_preconditioner wf_preconditioner_block_ssor;   /* one sweep down and one up */
extern const wf_preconditioner wf_preconditioner_incomplete_cholesky;
extern const wf_preconditioner wf_preconditioner_multigrid;

enum { WF_PRECONDITIONER_COUNT = 6 };

/* All of them, ended by NULL. */
extern const wf_preconditioner *const wf_preconditioners[WF_PRECONDITIONER_COUNT + 1];

#endif
