#include "solve/low_rank_solve.h"

#include <string.h>

#include "base/dense.h"

void wf_low_rank_workspace_free(wf_context *context, wf_low_rank_workspace *workspace)
{
    wf_free(context, workspace->vectors);
    wf_free(context, workspace->numbers);
    wf_free(context, workspace->rows);
    *workspace = (wf_low_rank_workspace){0};
}

/* right = b - U F U^T x */
static void move_to_right(const wf_low_rank *terms, const wf_vec3 *b, const wf_vec3 *x, wf_vec3 *right)
{
    memset(right, 0, terms->rows * sizeof *right);
    wf_low_rank_multiply(terms, x, right);
    for (size_t i = 0; i < terms->rows; i++) {
        right[i] = wf_vec3_sub(b[i], right[i]);
    }
}

/* Z, column by column: z of term k solves A z = the free part of its vector. */
static wf_status solve_columns(wf_context *context, const wf_linear_system *system, const wf_low_rank *terms,
                               wf_vec3 *right, wf_vec3 *z, const wf_pcg_params *params, wf_pcg_workspace *workspace,
                               wf_pcg_result *result)
{
    size_t rows = terms->rows;
    wf_status status = WF_OK;
    memset(z, 0, terms->count * rows * sizeof *z);
    for (size_t k = 0; status == WF_OK && k < terms->count; k++) {
        for (size_t i = 0; i < rows; i++) {
            right[i] = wf_filter_apply(system->filter, i, terms->vectors[k * rows + i]);
        }
        wf_pcg_result own;
        status = wf_pcg_solve(context, system, right, z + k * rows, params, workspace, &own);
        own.iterations += result->iterations;
        own.residual = fmax(own.residual, result->residual);
        own.converged = own.converged && result->converged;
        own.fell_back = own.fell_back || result->fell_back;
        *result = own;
    }
    return status;
}

/* t of (I + F U^T Z) t = F U^T way; false where that is singular, which it is not for positive factors. */
static bool find_amounts(const wf_low_rank *terms, const wf_vec3 *z, const wf_vec3 *way, double *numbers, size_t *rows)
{
    size_t count = terms->count;
    double *matrix = numbers, *right = matrix + count * count, *t = right + count;
    for (size_t k = 0; k < count; k++) {
        right[k] = terms->factors[k] * wf_low_rank_dot(terms, k, way);
        for (size_t l = 0; l < count; l++) {
            matrix[k * count + l] = (k == l) + terms->factors[k] * wf_low_rank_dot(terms, k, z + l * terms->rows);
        }
    }
    if (!wf_dense_factor(count, matrix, rows)) {
        return false;
    }
    wf_dense_solve(count, matrix, rows, right, t);
    return true;
}

wf_status wf_low_rank_solve(wf_context *context, const wf_linear_system *system, const wf_low_rank *terms,
                            const wf_vec3 *b, wf_vec3 *x, const wf_pcg_params *params, wf_pcg_workspace *workspace,
                            wf_low_rank_workspace *own, wf_pcg_result *result)
{
    size_t count = terms->count, rows = terms->rows;
    if (count == 0) {
        return wf_pcg_solve(context, system, b, x, params, workspace, result);
    }
    wf_status status = wf_reserve(context, &own->vectors, &own->vector_capacity, (count + 2) * rows,
                                  sizeof *own->vectors);
    if (status == WF_OK) {
        status = wf_reserve(context, &own->numbers, &own->number_capacity, count * (count + 2), sizeof *own->numbers);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &own->rows, &own->row_capacity, count, sizeof *own->rows);
    }
    if (status != WF_OK) {
        *result = (wf_pcg_result){.row = -1};
        return status;
    }
    wf_vec3 *start = own->vectors, *right = start + rows, *z = right + rows;
    memcpy(start, x, rows * sizeof *x);
    move_to_right(terms, b, x, right);
    status = wf_pcg_solve(context, system, right, x, params, workspace, result);
    if (status == WF_OK) {
        status = solve_columns(context, system, terms, right, z, params, workspace, result);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < rows; i++) {
        right[i] = wf_vec3_sub(x[i], start[i]);
    }
    if (!find_amounts(terms, z, right, own->numbers, own->rows)) {
        return wf_fail(context, WF_ERROR_NUMERIC, "linear system: its terms of low rank are not finite");
    }
    const double *t = own->numbers + count * (count + 1);
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < rows; i++) {
            x[i] = wf_vec3_muladds(x[i], z[k * rows + i], -t[k]);
        }
    }
    return WF_OK;
}
