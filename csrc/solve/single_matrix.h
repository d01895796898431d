/* single_matrix.h - a linear system rounded to single precision, contacts and constraints worked in.
 *
 * Iterations inside a correction in double precision, and preconditioners, read this copy: half the bytes, one matrix
 * where the system has a fixed part, contacts and a filter. Rows and columns of fixed directions are zero but for the
 * diagonal, so that a vector of free directions stays one. Scalars that share their place with a block are added to it.
 */
#ifndef WEFT_SOLVE_SINGLE_MATRIX_H
#define WEFT_SOLVE_SINGLE_MATRIX_H

#include "solve/linear_system.h"

/* One vertex of a vector in single precision: x, y, z and a lane that is always 0. */
typedef float wf_float4 __attribute__((vector_size(16), may_alias));

/* Zero-initialise; free with wf_single_matrix_free. */
typedef struct wf_single_matrix {
    size_t rows;
    uint64_t identity;          /* of the matrix whose pattern this has; 0: none yet */
    const wf_pattern *pattern;  /* of the blocks: that of the matrix */
    float (*blocks)[9];         /* by columns, a slot of the pattern each; the diagonal is that of the whole system */
    int32_t *scalar_start, *scalar_column; /* the scalars between vertices that no block couples */
    float *scalars;
    /* What has no place among these: contacts, and scalars at vertices that are fixed in part. */
    int32_t *extra_start, *extra_column;
    float (*extra_blocks)[9];
    size_t extra_count; /* 0: the three arrays mean nothing */
    size_t capacity[7];
} wf_single_matrix;

void wf_single_matrix_free(wf_context *context, wf_single_matrix *single);

/* Copies `system`, whose diagonal blocks (wf_linear_system_diagonal) are given. Allocates when the pattern is new or
 * there are more contacts than ever. */
wf_status wf_single_matrix_fill(wf_context *context, wf_single_matrix *single, const wf_linear_system *system,
                                const wf_mat3 *diagonal);

/* Four floats at any address of a float. */
typedef float wf_loose_float4 __attribute__((vector_size(16), aligned(4), may_alias));

/* Block times vector; reads one float beyond the block, and its fourth lane is noise. */
static inline wf_float4 wf_single_block_multiply(const float block[9], wf_float4 x)
{
    return *(const wf_loose_float4 *)block * x[0] + *(const wf_loose_float4 *)(block + 3) * x[1] +
           *(const wf_loose_float4 *)(block + 6) * x[2];
}

/* y = A x for rows [begin, end), on the calling thread. */
void wf_single_matrix_multiply_rows(const wf_single_matrix *single, const wf_float4 *restrict x,
                                    wf_float4 *restrict y, size_t begin, size_t end);

#endif
