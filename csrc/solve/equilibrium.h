/* equilibrium.h - static equilibrium of force models under constant loads.
 *
 * Minimises elastic energy - load . x by Newton's method, with the models' exact matrices where conjugate gradients
 * find them definite and their semidefinite ones elsewhere, and a trust region kept by a multiple of the diagonal
 * (Levenberg 1944, Marquardt 1963): a step that does not lower the energy is taken back and tried again, stiffer. The
 * energy falls at every accepted step.
 */
#ifndef WEFT_SOLVE_EQUILIBRIUM_H
#define WEFT_SOLVE_EQUILIBRIUM_H

#include "solve/conjugate_gradients.h"

typedef struct wf_equilibrium_params {
    double tolerance;       /* the largest unbalanced force on a vertex, relative to the load's root mean square; where
                               there is no load, N. Default 1e-6 */
    int32_t max_iterations; /* tried steps, default 500 */
    wf_pcg_params pcg;      /* default 1e-8 relative */
} wf_equilibrium_params;

wf_equilibrium_params wf_default_equilibrium_params(void);

typedef struct wf_equilibrium_result {
    int32_t iterations;     /* steps tried */
    int32_t pcg_iterations;
    double residual;        /* as the tolerance measures it */
    double energy;          /* elastic energy - load . x, J */
    bool converged;
} wf_equilibrium_result;

/* Moves x to equilibrium. models: all of row_count vertices; they are bound to a matrix of this call's own, so whoever
 * has a matrix of their own must bind again. load: [row_count], N. filter: fixed directions, or NULL.
 * WF_OK also when the iterations ran out (converged is then false). WF_ERROR_NUMERIC when values are not finite. */
wf_status wf_equilibrium_solve(wf_context *context, int32_t row_count, int32_t model_count, wf_model *const *models,
                               const wf_vec3 *load, const wf_filter *filter, wf_vec3 *x,
                               const wf_equilibrium_params *params, wf_equilibrium_result *result);

#endif
