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

#include "solve/preconditioner.h"

/* Residuals are measured in the norm of the inverse preconditioner P: |r| = sqrt(r^T P^-1 r), in which a vertex of
 * little mass counts as much as a heavy one. */
typedef struct wf_pcg_params {
    double relative_tolerance; /* of |r| to that of the right-hand side with the fixed part of x moved over; >= 0 */
    double absolute_tolerance; /* of |r|; >= 0 */
    int32_t max_iterations;
    const wf_preconditioner *preconditioner;
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

/* What is kept from one solve to the next; zero-initialise, free with wf_pcg_workspace_free. */
typedef struct wf_pcg_workspace {
    wf_vec3 *residual, *direction, *product;
    wf_float4 *narrow_residual, *preconditioned;
    wf_mat3 *diagonal;
    double *partial_sums;
    size_t capacity[7];
    wf_single_matrix single;
    const wf_preconditioner *preconditioner; /* whose the state is */
    void *preconditioner_state;
} wf_pcg_workspace;

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *workspace);

/* Solves. b: [rows]; x: [rows], start and solution; components of x along fixed directions keep their value (bit for
 * bit where the direction is an axis or all three are fixed). Allocates only when the workspace grows.
 * WF_OK also when the iterations ran out (converged is then false). WF_ERROR_NUMERIC when the system is not positive
 * definite or a value is not finite: x then holds the last good iterate, result says where. */
wf_status wf_pcg_solve(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, wf_vec3 *x,
                       const wf_pcg_params *params, wf_pcg_workspace *workspace, wf_pcg_result *result);

#endif
