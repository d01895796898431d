#include "solve/multigrid_coarsest.h"

#include <string.h>

void wf_grid_coarsest_free(wf_context *context, wf_grid_coarsest *coarsest)
{
    wf_free(context, coarsest->factor);
    wf_free(context, coarsest->inverse);
    *coarsest = (wf_grid_coarsest){0};
}

static void add_rows(const wf_grid_rows *rows, size_t row, size_t size, double *dense)
{
    for (int32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        size_t column = (size_t)rows->column[k];
        if (column < row) { /* the lower triangle is enough */
            for (size_t i = 0; i < 9; i++) {
                dense[(3 * row + i / 3) * size + 3 * column + i % 3] += (double)rows->blocks[k][i];
            }
        }
    }
}

static void spread(const wf_grid_level *level, size_t size, double *dense)
{
    memset(dense, 0, size * size * sizeof *dense);
    for (size_t row = 0; row < level->rows; row++) {
        for (size_t i = 0; i < 9; i++) {
            dense[(3 * row + i / 3) * size + 3 * row + i % 3] = (double)level->diagonal[row][i];
        }
        add_rows(&level->inner, row, size, dense);
        add_rows(&level->outer, row, size, dense);
        if (level->has_extra) {
            add_rows(&level->extra, row, size, dense);
        }
    }
}

/* L with A = L L^T in the lower triangle, then L^-1 in its place. A pivot that rounding has eaten gets an infinite
 * value: its row and column of the inverse are 0. */
static void invert_factor(double *a, size_t size)
{
    for (size_t j = 0; j < size; j++) {
        double entry = a[j * size + j], pivot = entry;
        for (size_t k = 0; k < j; k++) {
            pivot -= a[j * size + k] * a[j * size + k];
        }
        double over = pivot > 1e-10 * entry ? 1 / sqrt(pivot) : 0;
        for (size_t i = j + 1; i < size; i++) {
            double sum = a[i * size + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * size + k] * a[j * size + k];
            }
            a[i * size + j] = sum * over;
        }
        a[j * size + j] = over; /* the inverse of L's diagonal */
    }
    /* Row i of L^-1 is -l_ii^-1 times the sum of l_ik times row k, which are done. */
    double row[3 * WF_GRID_COARSEST_ROWS];
    for (size_t i = 0; i < size; i++) {
        double over = a[i * size + i];
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t k = j; k < i; k++) {
                sum += a[i * size + k] * a[k * size + j];
            }
            row[j] = -over * sum;
        }
        memcpy(a + i * size, row, i * sizeof *row);
    }
}

wf_status wf_grid_coarsest_invert(wf_context *context, wf_grid_coarsest *coarsest, const wf_grid_level *level)
{
    size_t rows = level->rows, size = 3 * rows;
    wf_status status = wf_reserve(context, &coarsest->factor, &coarsest->capacity[0], size * size, sizeof(double));
    if (status == WF_OK) {
        status = wf_reserve(context, &coarsest->inverse, &coarsest->capacity[1], rows * rows,
                            sizeof *coarsest->inverse);
    }
    if (status != WF_OK) {
        return status;
    }
    coarsest->rows = rows;
    spread(level, size, coarsest->factor);
    invert_factor(coarsest->factor, size);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0; /* of L^-T L^-1 */
            for (size_t k = i; k < size; k++) {
                sum += coarsest->factor[k * size + i] * coarsest->factor[k * size + j];
            }
            coarsest->inverse[(i / 3) * rows + j / 3][j % 3][i % 3] = (float)sum;
            coarsest->inverse[(j / 3) * rows + i / 3][i % 3][j % 3] = (float)sum;
        }
    }
    for (size_t k = 0; k < rows * rows; k++) {
        for (int c = 0; c < 3; c++) {
            coarsest->inverse[k][c][3] = 0;
        }
    }
    return WF_OK;
}

void wf_grid_coarsest_apply(const wf_grid_coarsest *coarsest, const wf_float4 *r, wf_float4 *z)
{
    for (size_t i = 0; i < coarsest->rows; i++) {
        wf_float4 x = {0}, y = {0}, w = {0};
        for (size_t j = 0; j < coarsest->rows; j++) {
            const wf_float4 *columns = coarsest->inverse[i * coarsest->rows + j];
            x += columns[0] * r[j][0];
            y += columns[1] * r[j][1];
            w += columns[2] * r[j][2];
        }
        z[i] = x + y + w;
    }
}
