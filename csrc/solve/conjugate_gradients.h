/* conjugate_gradients.h - the filtered, preconditioned conjugate gradient method of Baraff and Witkin (1998).
 *
 * Solves S A x = S b for the free part of x, with the fixed part of x prescribed by the caller: the free components
 * satisfy the equations that the fixed ones influence. Departures from the printed algorithm (Keckeisen 2005, algorithm
 * 4): the first direction is filtered too; the tolerance is relative to the right-hand side and not to the warm start;
 * a direction of negative curvature ends the iteration with an error that names a vertex; every island (islands.h) has
 * step lengths of its own and stops by itself.
 *
 * Every sum runs over fixed blocks of rows in a fixed order: the same bits for any number of threads.
 */
#ifndef WEFT_SOLVE_CONJUGATE_GRADIENTS_H
#define WEFT_SOLVE_CONJUGATE_GRADIENTS_H

#include "solve/islands.h"
#include "solve/preconditioner.h"

typedef enum wf_pcg_precision {
    WF_PCG_SINGLE, /* iterates in single precision and corrects in double: as accurate, with half the bytes. Where
                      single precision does not get on, it goes over to double by itself */
    WF_PCG_DOUBLE
} wf_pcg_precision;

/* Residuals are measured in the norm of the inverse preconditioner P: |r| = sqrt(r^T P^-1 r). The better P, the nearer
 * is that to the energy of what x lacks; and a vertex of little mass counts as much as a heavy one. What follows the
 * last step is not measured but estimated, within a fifth on cloth, from the plain norm: measuring would cost as much
 * as another step. */
typedef struct wf_pcg_params {
    double relative_tolerance; /* of |r| to that of the right-hand side with the fixed part of x moved over, or where P
                                  is close (preconditioner.h) to the energy norm of the solution, the same but for a few
                                  percent; >= 0 */
    double absolute_tolerance; /* of |r|; >= 0. Either, of each island, is enough */
    int32_t max_iterations;
    int32_t min_iterations;    /* of islands that do not start without any residual; default 0 */
    const wf_preconditioner *preconditioner;
    wf_pcg_precision precision;
} wf_pcg_params;

/* 1e-6 relative, 0 absolute, 10000 iterations, multigrid, single precision in a double correction. */
wf_pcg_params wf_default_pcg_params(void);

typedef struct wf_pcg_result {
    int32_t iterations; /* of the island that took most */
    int32_t islands;
    double residual;   /* |r| at the end, relative to the right-hand side (0 when both are 0), of the worst island */
    bool converged;    /* a tolerance was met, or the residual is at rounding, on every island */
    bool fell_back;    /* single precision, or the preconditioner, did not do: double, and incomplete Cholesky or the
                          diagonal, did */
    bool indefinite;   /* the system is not positive definite */
    int32_t row;       /* a vertex at which that shows, or -1 */
} wf_pcg_result;

/* What is kept from one solve to the next; zero-initialise, free with wf_pcg_workspace_free. */
typedef struct wf_pcg_workspace {
    wf_float4 *room; /* for all vectors; preparing a preconditioner has it to itself but for the diagonal at its end */
    size_t room_size; /* bytes */
    wf_mat3 *diagonal;
    /* From then on, those below the first line in the diagonal's place and in either precision. */
    wf_float4 *residual, *preconditioned;
    wf_float4 *direction, *product, *correction;
    wf_vec3 *wide_direction, *wide_product, *wide_residual;
    float *weight;
    double *partial_sums;
    int32_t *block_list;
    struct wf_pcg_island *island;
    size_t capacity[5];
    wf_single_matrix single;
    wf_islands islands;
    /* As wf_preconditioners lists them. One does not take another's place: the grids of a multigrid are those of the
     * first system that was solved with it. */
    void *preconditioner_states[WF_PRECONDITIONER_COUNT];
} wf_pcg_workspace;

void wf_pcg_workspace_free(wf_context *context, wf_pcg_workspace *workspace);
/* What preconditioner k of wf_preconditioners keeps: it is set up afresh for the next system. */
void wf_pcg_workspace_free_preconditioner(wf_context *context, wf_pcg_workspace *workspace, size_t k);

/* Solves. b: [rows]; x: [rows], start and solution; components of x along fixed directions keep their value (bit for
 * bit where the direction is an axis or all three are fixed). Allocates only when the workspace grows.
 * WF_OK also when the iterations ran out (converged is then false). WF_ERROR_NUMERIC when the system is not positive
 * definite (semidefinite ones are solved where b is in their range) or a value is not finite: x then holds the last
 * good iterate, result says where. */
wf_status wf_pcg_solve(wf_context *context, const wf_linear_system *system, const wf_vec3 *b, wf_vec3 *x,
                       const wf_pcg_params *params, wf_pcg_workspace *workspace, wf_pcg_result *result);

#endif
