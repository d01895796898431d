#include "air/flow_pockets.h"

#include <math.h>

#include "air/flow_tops.h"
#include "mesh/union_find.h"

/* While pockets are found labels are a forest of sets, over cells. */
static void join(int32_t *labels, ptrdiff_t a, ptrdiff_t b)
{
    wf_union_find_join(labels, (int32_t)a, (int32_t)b);
}

/* Runs of cells along x first; rows then join once for each pair of runs that touch. */
static void join_row(const wf_flow_level *level, int32_t *labels, ptrdiff_t at, const bool has_lower[3])
{
    const float *cx = level->conductance[0] + at;
    const int32_t nx = level->grid.cells[0];
    for (int32_t i = 0; i < nx; i++) {
        labels[at + i] = i > 0 && cx[i] > 0 ? labels[at + i - 1] : (int32_t)(at + i);
    }
    for (int a = 1; a < 3; a++) {
        const ptrdiff_t s = level->grid.stride[a];
        const float *c = level->conductance[a] + at;
        for (int32_t i = 0; has_lower[a] && i < nx; i++) {
            const bool as_before = i > 0 && c[i - 1] > 0 && cx[i] > 0 && cx[i - s] > 0;
            if (c[i] > 0 && !as_before) {
                join(labels, at + i, at + i - s);
            }
        }
    }
}

/* Faces on the box's sides: periodic ones join, others lead outside, to the cell `outside`. */
static void join_sides(const wf_flow_level *level, int32_t *labels, int32_t outside)
{
    const wf_flow_grid *grid = &level->grid;
    for (int a = 0; a < wf_flow_axes(grid); a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const ptrdiff_t last = grid->cells[a] * grid->stride[a];
        for (int32_t q = 0; q < grid->cells[c]; q++) {
            for (int32_t p = 0; p < grid->cells[b]; p++) {
                const ptrdiff_t low = grid->first + p * grid->stride[b] + q * grid->stride[c];
                const bool low_open = level->conductance[a][low] > 0, high_open = level->conductance[a][low + last] > 0;
                if (level->periodic[a]) {
                    if (low_open) {
                        join(labels, low, low + last - grid->stride[a]);
                    }
                    continue;
                }
                if (low_open) {
                    join(labels, low, outside);
                }
                if (high_open) {
                    join(labels, low + last - grid->stride[a], outside);
                }
            }
        }
    }
}

int32_t wf_flow_pockets_find(const wf_flow_level *level, int32_t *labels, bool *has_closed)
{
    const wf_flow_grid *grid = &level->grid;
    const int32_t outside = 0; /* index 0 lies in the margin's corner, and is less than any cell's */
    labels[outside] = outside;
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            const bool has_lower[3] = {true, j > 0, k > 0};
            join_row(level, labels, wf_flow_index(grid, 0, j, k), has_lower);
        }
    }
    join_sides(level, labels, outside);
    /* Roots come before the cells of their parts, so numbers can take the labels' place in the same order: negative
     * ones, that no index is, until all are known. */
    int32_t count = 0;
    *has_closed = false;
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++) {
                const ptrdiff_t c = wf_flow_index(grid, i, j, k);
                int32_t label = labels[c];
                while (label >= 0 && label != (int32_t)c && label != outside) {
                    label = labels[label];
                }
                if (label == (int32_t)c) {
                    label = level->inverse_diagonal[c] > 0 ? -2 - ++count : -1;
                }
                *has_closed = *has_closed || label == -1;
                labels[c] = label;
            }
        }
    }
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++) {
                int32_t *label = &labels[wf_flow_index(grid, i, j, k)];
                *label = *label <= -2 ? -2 - *label : *label;
            }
        }
    }
    return count;
}

static ptrdiff_t index_of_row(const wf_flow_grid *grid, size_t r)
{
    const size_t ny = (size_t)grid->cells[1];
    return wf_flow_index(grid, 0, (int32_t)(r % ny), (int32_t)(r / ny));
}

static void add_row(const int32_t *labels, const float *values, int32_t count, double *sums, double *counts)
{
    for (int32_t i = 0; i < count; i++) {
        if (labels[i] > 0) {
            sums[labels[i]] += (double)values[i];
            counts[labels[i]] += 1;
        }
    }
}

static float take_row(const int32_t *labels, float *values, int32_t count, const double *means)
{
    float largest = 0;
    for (int32_t i = 0; i < count; i++) {
        if (labels[i] != 0) {
            values[i] = labels[i] < 0 ? 0 : (float)((double)values[i] - means[labels[i]]);
        }
        largest = wf_greater_or_nan(fabsf(values[i]), largest);
    }
    return largest;
}

float wf_flow_pockets_remove_means(const wf_flow_level *level, const int32_t *labels, int32_t pocket_count,
                                   float *values, double *sums, double *counts, double *taken)
{
    const wf_flow_grid *grid = &level->grid;
    const size_t rows = (size_t)grid->cells[1] * (size_t)grid->cells[2];
    float largest = 0;
    for (int32_t p = 0; p <= pocket_count; p++) {
        sums[p] = counts[p] = 0;
    }
    for (size_t r = 0; r < rows; r++) {
        const ptrdiff_t at = index_of_row(grid, r);
        add_row(labels + at, values + at, grid->cells[0], sums, counts);
    }
    for (int32_t p = 1; p <= pocket_count; p++) {
        *taken += fabs(sums[p]);
        sums[p] /= counts[p];
    }
    for (size_t r = 0; r < rows; r++) {
        const ptrdiff_t at = index_of_row(grid, r);
        largest = wf_greater_or_nan(take_row(labels + at, values + at, grid->cells[0], sums), largest);
    }
    return largest;
}
