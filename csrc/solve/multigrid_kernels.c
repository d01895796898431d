/* multigrid_kernels.c - how the rows of a multigrid's grid add up to the matrix of the next. */
#include "solve/multigrid_kernels.h"

#include <string.h>

/* Three columns of a block, each in four lanes of which the last is noise. */
typedef struct local_sum {
    wf_float4 column[3];
} local_sum;

typedef double double4 __attribute__((vector_size(32)));
typedef double loose_double4 __attribute__((vector_size(32), aligned(8), may_alias));

enum { LOCAL_LIMIT = 256 };

/* Adds a block, given by columns with noise in their fourth lanes, to the local sums that a column's weights send it
 * to. */
static inline void add_columns(local_sum *sums, const uint8_t local[3], const float weight[3], wf_float4 a, wf_float4 b,
                               wf_float4 c)
{
    for (int t = 0; t < 3; t++) {
        local_sum *to = &sums[local[t]];
        to->column[0] += weight[t] * a;
        to->column[1] += weight[t] * b;
        to->column[2] += weight[t] * c;
    }
}

/* The same of a block stored by rows. */
static inline void add_block(local_sum *sums, const uint8_t local[3], const float weight[3], const float *block)
{
    wf_float4 a = wf_load_row(block), b = wf_load_row(block + 3), c = wf_load_row(block + 6);
    wf_float4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_last = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    add_columns(sums, local, weight, __builtin_shufflevector(ab, c, 0, 1, 4, 4),
                __builtin_shufflevector(ab, c, 2, 3, 5, 5), __builtin_shufflevector(ab_last, c, 0, 1, 6, 6));
}

static inline void add_transposed(local_sum *sums, const uint8_t local[3], const float weight[3], const float *block)
{
    add_columns(sums, local, weight, wf_load_row(block), wf_load_row(block + 3), wf_load_row(block + 6));
}

/* Row A_row P of the finest grid's blocks. */
static inline void sum_finest_row(const wf_grid_level *fine, size_t row, local_sum *sums)
{
    const wf_single_matrix *single = fine->single;
    const wf_pattern *pattern = single->pattern;
    wf_single_row lower = wf_single_lower_row(single, row);
    const uint8_t *local = fine->local + 3 * ((size_t)pattern->row_start[row] + (size_t)single->scalar_start[row]);
    for (int32_t k = 0; k < lower.count; k++, local += 3) {
        add_block(sums, local, fine->weight[lower.column[k]], lower.blocks[k]);
    }
    add_transposed(sums, local, fine->weight[row], single->diagonal[row]); /* it is symmetric */
    local += 3;
    const int32_t *upper = pattern->upper + wf_pattern_upper_start(pattern, (int32_t)row);
    for (int32_t k = pattern->diagonal[row] + 1; k < pattern->row_start[row + 1]; k++, local += 3) {
        add_transposed(sums, local, fine->weight[pattern->column[k]], single->lower[*upper++]);
    }
}

/* The same of another grid. */
static inline void sum_coarse_row(const wf_grid_level *fine, const wf_grid_graph *graph, size_t row, local_sum *sums)
{
    const uint8_t *local = fine->local + 3 * ((size_t)graph->start[row] + row);
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++, local += 3) {
        wf_grid_entry entry = graph->entries[k];
        const float *block = fine->inner.blocks[entry.slot];
        if (entry.transposed) {
            add_transposed(sums, local, fine->weight[entry.column], block);
        } else {
            add_block(sums, local, fine->weight[entry.column], block);
        }
    }
    add_transposed(sums, local, fine->weight[row], fine->diagonal[row]); /* it is symmetric */
}

/* Adds P^T (A P) of a row to the coarse slots, blocks by columns. In double precision: stiff parts cancel, and what
 * remains is small. */
static inline void spread_row(const wf_grid_level *fine, size_t row, const local_sum *sums, wf_grid_level *level)
{
    const float *weights = fine->weight[row];
    double(*slots[WF_GRID_PARTS])[9] = {NULL};
    for (int s = 0; s < 3; s++) {
        slots[s] = level->sums + wf_grid_level_first_slot(level, (size_t)fine->target[row][s]);
    }
    int32_t begin = fine->plan_start[row], end = begin + fine->plan_block_count[row];
    for (int32_t k = begin; k < end; k++) {
        const wf_float4 *column = sums[fine->plan_part[k] / WF_GRID_PARTS].column;
        double4 low = __builtin_convertvector(__builtin_shufflevector(column[0], column[1], 0, 1, 2, 4), double4);
        double4 high = __builtin_convertvector(__builtin_shufflevector(column[1], column[2], 1, 2, 4, 5), double4);
        int s = fine->plan_part[k] % WF_GRID_PARTS;
        double weight = weights[s], *to = slots[s][fine->plan_slot[k]];
        *(loose_double4 *)to += weight * low;
        *(loose_double4 *)(to + 4) += weight * high;
        to[8] += weight * (double)column[2][2];
    }
}

static void sum_rows(const wf_grid_level *fine, const wf_grid_graph *graph, size_t begin, size_t end,
                     wf_grid_level *level)
{
    local_sum sums[LOCAL_LIMIT];
    for (size_t row = begin; row < end; row++) {
        size_t count = fine->block_local_count[row];
        memset(sums, 0, (count > 0 ? count : 1) * sizeof *sums);
        if (fine->single) {
            sum_finest_row(fine, row, sums);
        } else {
            sum_coarse_row(fine, graph, row, sums);
        }
        spread_row(fine, row, sums, level);
    }
}

const wf_grid_kernels WF_KERNELS(wf_grid_kernels) = {.sum_rows = sum_rows};
