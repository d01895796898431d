/* cholmod_solver.h - a direct solver of linear systems: sparse Cholesky factors by CHOLMOD (Chen, Davis, Hager and
 * Rajamanickam 2008).
 *
 * A part of its own, like the picture maker, because it needs SuiteSparse. CHOLMOD's supernodal factorisation is under
 * the GNU General Public License, and so is what is linked with it. Its memory is its own and not the context's.
 */
#ifndef WEFT_DIRECT_CHOLMOD_SOLVER_H
#define WEFT_DIRECT_CHOLMOD_SOLVER_H

#include "solve/linear_system.h"

typedef struct wf_cholmod_solver wf_cholmod_solver;

wf_status wf_cholmod_solver_create(wf_context *context, wf_cholmod_solver **solver);

/* NULL is allowed. */
void wf_cholmod_solver_destroy(wf_context *context, wf_cholmod_solver *solver);

typedef struct wf_cholmod_result {
    double residual; /* Euclidean, of the free part, relative to the right-hand side with the fixed part moved over */
    bool reused;     /* the symbolic factor of the solve before served again: the pattern was the same */
    int32_t row;     /* where the matrix is not positive definite, or -1 */
} wf_cholmod_result;

/* Solves S (A + C) x = S b for the free part of x [rows]; its fixed part is kept. WF_ERROR_NUMERIC when the matrix is
 * not positive definite or values are not finite, WF_ERROR_LIMIT when the factor would be too large; then x is as it
 * was. */
wf_status wf_cholmod_solve(wf_context *context, wf_cholmod_solver *solver, const wf_linear_system *system,
                           const wf_vec3 *b, wf_vec3 *x, wf_cholmod_result *result);

#endif
