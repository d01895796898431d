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

/* The vectors without their fixed parts are what systems see of them. */
static wf_vec3 free_entry(const wf_linear_system *system, const wf_low_rank *terms, size_t term, size_t row)
{
    return wf_filter_apply(system->filter, row, terms->vectors[term * terms->rows + row]);
}

static double free_dot(const wf_linear_system *system, const wf_low_rank *terms, size_t term, const wf_vec3 *x)
{
    double sum = 0;
    for (size_t i = 0; i < terms->rows; i++) {
        sum += wf_vec3_dot(free_entry(system, terms, term, i), x[i]);
    }
    return sum;
}

/* Adds scale times U p to y. */
static void add_terms(const wf_low_rank *terms, const double *p, double scale, wf_vec3 *y)
{
    for (size_t k = 0; k < terms->count; k++) {
        for (size_t i = 0; i < terms->rows; i++) {
            y[i] = wf_vec3_muladds(y[i], terms->vectors[k * terms->rows + i], scale * p[k]);
        }
    }
}

/* right = b - U (F U^T x + p), and p. column: scratch [rows]; numbers: scratch [count * (count + 1)] */
static void move_to_right(wf_context *context, const wf_linear_system *system, const wf_low_rank *terms,
                          const wf_vec3 *b, const wf_vec3 *x, wf_vec3 *right, wf_vec3 *column, double *numbers,
                          size_t *rows, double *p)
{
    size_t count = terms->count;
    double *products = numbers, *residual = numbers + count * count, largest = 0;
    memset(right, 0, terms->rows * sizeof *right);
    wf_low_rank_multiply(terms, x, right);
    wf_linear_system_multiply(context, system, x, column);
    for (size_t i = 0; i < terms->rows; i++) {
        right[i] = wf_vec3_sub(b[i], right[i]);
        column[i] = wf_vec3_sub(right[i], column[i]);
    }
    for (size_t k = 0; k < count; k++) {
        residual[k] = free_dot(system, terms, k, column);
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < terms->rows; i++) {
            column[i] = free_entry(system, terms, k, i);
        }
        for (size_t l = 0; l < count; l++) {
            products[l * count + k] = free_dot(system, terms, l, column);
        }
        largest = fmax(largest, products[k * count + k]);
    }
    for (size_t k = 0; k < count; k++) {
        products[k * count + k] += 1e-6 * largest; /* two strings in one hem share what both could take */
    }
    memset(p, 0, count * sizeof *p);
    if (wf_dense_factor(count, products, rows)) {
        wf_dense_solve(count, products, rows, residual, p);
    }
    add_terms(terms, p, -1, right);
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
            right[i] = free_entry(system, terms, k, i);
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

/* t of (I + F U^T Z) t = p - F U^T way; false where that is singular, which it is not for positive factors. */
static bool find_amounts(const wf_low_rank *terms, const wf_vec3 *z, const wf_vec3 *way, const double *p,
                         double *numbers, size_t *rows, double *t)
{
    size_t count = terms->count;
    double *matrix = numbers, *right = matrix + count * count;
    for (size_t k = 0; k < count; k++) {
        right[k] = p[k] - terms->factors[k] * wf_low_rank_dot(terms, k, way);
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
        status = wf_reserve(context, &own->numbers, &own->number_capacity, count * (count + 3), sizeof *own->numbers);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &own->rows, &own->row_capacity, count, sizeof *own->rows);
    }
    if (status != WF_OK) {
        *result = (wf_pcg_result){.row = -1};
        return status;
    }
    wf_vec3 *start = own->vectors, *right = start + rows, *z = right + rows;
    double *p = own->numbers + count * (count + 1), *t = p + count;
    memcpy(start, x, rows * sizeof *x);
    move_to_right(context, system, terms, b, x, right, z, own->numbers, own->rows, p);
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
    if (!find_amounts(terms, z, right, p, own->numbers, own->rows, t)) {
        return wf_fail(context, WF_ERROR_NUMERIC, "linear system: its terms of low rank are not finite");
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < rows; i++) {
            x[i] = wf_vec3_muladds(x[i], z[k * rows + i], t[k]);
        }
    }
    return WF_OK;
}
