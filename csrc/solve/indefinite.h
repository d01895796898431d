/* indefinite.h - why a linear system is not positive definite: which element shows it. */
#ifndef WEFT_SOLVE_INDEFINITE_H
#define WEFT_SOLVE_INDEFINITE_H

#include "model/model.h"
#include "solve/linear_system.h"

/* Sets the context's message after a solve has failed at vertex `row`, and returns WF_ERROR_NUMERIC. An element of a
 * model is named when the system restricted to its vertices is not positive definite by itself, which proves that the
 * whole is not: of those at the vertex, the first. */
wf_status wf_explain_indefinite(wf_context *context, const wf_linear_system *system, int32_t row, size_t model_count,
                                const wf_model *const *models);

#endif
