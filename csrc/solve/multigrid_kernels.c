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

static inline wf_float4 load(const float *from)
{
    return *(const wf_loose_float4 *)from;
}

/* Adds a block by columns to the local sums that a column's weights send it to. */
static inline void add_entry(local_sum *sums, const uint8_t local[3], const float weight[3], const float *block)
{
    wf_float4 a = load(block), b = load(block + 3), c = load(block + 6);
    for (int t = 0; t < 3; t++) {
        local_sum *to = &sums[local[t]];
        to->column[0] += weight[t] * a;
        to->column[1] += weight[t] * b;
        to->column[2] += weight[t] * c;
    }
}

/* The same of a multiple of the identity. In whole vectors: numbers stored one by one would hold up the next load. */
static inline void add_scalar(local_sum *sums, const uint8_t local[3], const float weight[3], float scalar)
{
    for (int t = 0; t < 3; t++) {
        local_sum *to = &sums[local[t]];
        float part = weight[t] * scalar;
        to->column[0] += (wf_float4){part, 0, 0, 0};
        to->column[1] += (wf_float4){0, part, 0, 0};
        to->column[2] += (wf_float4){0, 0, part, 0};
    }
}

/* Row A_row P of the finest grid. */
static inline void sum_finest_row(const wf_grid_level *fine, const wf_single_matrix *single, size_t row,
                                  local_sum *sums)
{
    const wf_pattern *pattern = single->pattern;
    size_t entry = (size_t)pattern->row_start[row] + (size_t)single->scalar_start[row];
    for (int32_t k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++, entry++) {
        int32_t column = pattern->column[k];
        /* The diagonal is taken without what is held; being symmetric it may be by rows. */
        const float *block = column == (int32_t)row ? fine->diagonal[row] : single->blocks[k];
        add_entry(sums, fine->local + 3 * entry, fine->weight[column], block);
    }
    for (int32_t k = single->scalar_start[row]; k < single->scalar_start[row + 1]; k++, entry++) {
        add_scalar(sums, fine->local + 3 * entry, fine->weight[single->scalar_column[k]], single->scalars[k]);
    }
}

/* The same of another grid. */
static inline void sum_coarse_row(const wf_grid_level *fine, const wf_grid_graph *graph, size_t row, local_sum *sums)
{
    size_t entry = (size_t)graph->start[row] + row;
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++, entry++) {
        const wf_grid_entry *from = &graph->entries[k];
        const float *block = fine->inner.blocks[from->source / WF_GRID_KINDS];
        float turned[10] = {0};
        if (from->source % WF_GRID_KINDS == WF_GRID_BLOCK) { /* to columns */
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c < 3; c++) {
                    turned[3 * c + r] = block[3 * r + c];
                }
            }
            block = turned;
        }
        add_entry(sums, fine->local + 3 * entry, fine->weight[from->column], block);
    }
    add_entry(sums, fine->local + 3 * entry, fine->weight[row], fine->diagonal[row]);
}

/* Adds P^T (A P) of a row to the coarse slots, blocks by columns. In double precision: stiff parts cancel, and what
 * remains is small. */
static inline void spread_row(const wf_grid_level *fine, size_t row, const local_sum *sums, wf_grid_level *level)
{
    const float *weights = fine->weight[row];
    for (int32_t k = fine->plan_start[row]; k < fine->plan_start[row + 1]; k++) {
        const wf_float4 *column = sums[fine->plan_part[k] / WF_GRID_PARTS].column;
        double4 low = __builtin_convertvector(__builtin_shufflevector(column[0], column[1], 0, 1, 2, 4), double4);
        double4 high = __builtin_convertvector(__builtin_shufflevector(column[1], column[2], 1, 2, 4, 5), double4);
        double weight = weights[fine->plan_part[k] % WF_GRID_PARTS], *to = level->sums[fine->plan_slot[k]];
        *(loose_double4 *)to += weight * low;
        *(loose_double4 *)(to + 4) += weight * high;
        to[8] += weight * (double)column[2][2];
    }
}

static void sum_rows(const wf_grid_level *fine, const wf_single_matrix *single, const wf_grid_graph *graph,
                     size_t begin, size_t end, wf_grid_level *level)
{
    local_sum sums[LOCAL_LIMIT];
    for (size_t row = begin; row < end; row++) {
        size_t count = fine->local_count[row];
        memset(sums, 0, (count > 0 ? count : 1) * sizeof *sums);
        if (single) {
            sum_finest_row(fine, single, row, sums);
        } else {
            sum_coarse_row(fine, graph, row, sums);
        }
        spread_row(fine, row, sums, level);
    }
}

const wf_grid_kernels WF_KERNELS(wf_grid_kernels) = {.sum_rows = sum_rows};
