/* conjugate_gradients.h - the filtered, preconditioned conjugate gradient method of Baraff and Witkin (1998).
 *
 * Solves S A x = S b for the free part of x, with the fixed part of x prescribed by the caller: the free components
 * satisfy the equations that the fixed ones influence. Departures from the printed algorithm (Keckeisen 2005, algorithm
 * 4): the first direction is filtered too; the tolerance is relative to the right-hand side and not to the warm start;
 * a direction of negative curvature ends the iteration with an error that names a vertex.
 *
 * Every sum runs over fixed blocks of rows in a fixed order: the same bits for any number of threads.
 */
#ifndef WEFT_SOLVE_CONJUGATE_GRADIENTS_H
#define WEFT_SOLVE_CONJUGATE_GRADIENTS_H

#include "solve/block_matrix.h"
#include "solve/contact_blocks.h"
#include "solve/filter.h"
#include "solve/incomplete_cholesky.h"

typedef struct wf_linear_system {
    const wf_block_matrix *matrix;
    const wf_contact_blocks *contacts; /* finished for matrix->row_count rows, or NULL */
    const wf_filter *filter;           /* or NULL: all free */
} wf_linear_system;

typedef enum wf_preconditioner {
    WF_PRECONDITIONER_NONE,
    WF_PRECONDITIONER_DIAGONAL,
    WF_PRECONDITIONER_BLOCK_JACOBI, /* inverted 3 x 3 diagonal blocks of A + C, restricted to the free directions */
    WF_PRECONDITIONER_INCOMPLETE_CHOLESKY /* the default; see incomplete_cholesky.h */
} wf_preconditioner;

/* Residuals are measured in the norm of the inverse preconditioner P: |r| = sqrt(r^T P^-1 r), in which a vertex of
 * little mass counts as much as a heavy one. */
typedef struct wf_pcg_params {
    double relative_tolerance; /* of |r| to that of the right-hand side with the fixed part of x moved over; >= 0 */
    double absolute_tolerance; /* of |r|; >= 0 */
    int32_t max_iterations;
    wf_preconditioner preconditioner;
} wf_pcg_params;

/* 1e-6 relative, 0 absolute, 10000 iterations, incomplete Cholesky. */
wf_pcg_params wf_default_pcg_params(void);

typedef struct wf_pcg_result {
    int32_t iterations;
    double residual;   /* |r| at the end, relative to the right-hand side (0 when both are 0) */
    bool converged;    /* a tolerance was met, or the residual is at rounding */
    bool indefinite;   /* the system is not positive definite */
    int32_t row;       /* a vertex at which that shows, or -1 */
} wf_pcg_result;

/* Vectors kept from one solve to the next; zero-initialise, free with wf_pcg_workspace_free. */
typedef struct wf_pcg_workspace {
    wf_vec3 *residual, *direction, *product, *preconditioned;
    wf_mat3 *inverse, *diagonal;
    double *partial_sums;
    wf_incomplete_cholesky cholesky;
    size_t capacity[7];
} wf_pcg_workspace;

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *workspace);

/* Solves. b: [rows]; x: [rows], start and solution; components of x along fixed directions keep their value (bit for
 * bit where the direction is an axis or all three are fixed). Allocates only when the workspace grows.
 * WF_OK also when the iterations ran out (converged is then false). WF_ERROR_NUMERIC when the system is not positive
 * definite or a value is not finite: x then holds the last good iterate, result says where. */
wf_status wf_pcg_solve(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, wf_vec3 *x,
                       const wf_pcg_params *params, wf_pcg_workspace *workspace, wf_pcg_result *result);

/* y = (A + C) x, unfiltered. */
void wf_linear_system_multiply(wf_context *context, const wf_linear_system *system, const wf_vec3 *x, wf_vec3 *y);

#endif
