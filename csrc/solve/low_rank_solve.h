/* low_rank_solve.h - linear systems with a part that joins everything with everything (model/low_rank.h).
 *
 * With A the sparse part, U the terms' vectors and F their factors, Woodbury's identity gives the solution of
 * (A + U F U^T) x = b from solutions with A alone,
 *
 *     A y = b - U (F U^T x0 + p),   A Z = U,   (I + F U^T Z) t = p - F U^T (y - x0),   x = y + Z t,
 *
 * x0 being the start and p any numbers. The residual of x is that of y and Z times t. Stiff strings and gases pull with
 * forces along U that are far above all others and that their own stiffness takes away within the step; a residual
 * relative to these would leave more than the cloth can bear. p takes them out of y's right-hand side: it is the least
 * squares fit of the start's residual b - (A + U F U^T) x0 by U p. What is left, t, are the forces at the end.
 *
 * Each term costs one more solve with A; there are as many as there are gases and drawstrings.
 */
#ifndef WEFT_SOLVE_LOW_RANK_SOLVE_H
#define WEFT_SOLVE_LOW_RANK_SOLVE_H

#include "model/low_rank.h"
#include "solve/conjugate_gradients.h"

/* Zero-initialise. */
typedef struct wf_low_rank_workspace {
    wf_vec3 *vectors; /* what comes and goes with a solve */
    double *numbers;
    size_t *rows;
    size_t vector_capacity, number_capacity, row_capacity;
} wf_low_rank_workspace;

void wf_low_rank_workspace_free(wf_context *context, wf_low_rank_workspace *workspace);

/* As wf_pcg_solve; the terms' rows are the system's. The result is that of all solves: iterations are added up. */
wf_status wf_low_rank_solve(wf_context *context, const wf_linear_system *system, const wf_low_rank *terms,
                            const wf_vec3 *b, wf_vec3 *x, const wf_pcg_params *params, wf_pcg_workspace *workspace,
                            wf_low_rank_workspace *own, wf_pcg_result *result);

#endif
