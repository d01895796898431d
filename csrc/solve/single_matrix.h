/* single_matrix.h - a linear system rounded to single precision, contacts and constraints worked in.
 *
 * Iterations inside a correction in double precision, and preconditioners, read this copy: half the bytes, one matrix
 * where the system has a fixed part, contacts and a filter. Rows and columns of fixed directions are zero, so that a
 * vector of free directions stays one. Scalars that share their place with a block are added to it.
 *
 * Of the blocks the lower half is stored alone, as in block_matrix.h; but the diagonal apart, which sweeps do not read.
 */
#ifndef WEFT_SOLVE_SINGLE_MATRIX_H
#define WEFT_SOLVE_SINGLE_MATRIX_H

#include "solve/linear_system.h"

/* One vertex of a vector in single precision: x, y, z and a lane that is always 0. */
typedef float wf_float4 __attribute__((vector_size(16), may_alias));

/* Zero-initialise; free with wf_single_matrix_free. Blocks are stored by rows; one float is read past the last of an
 * array. */
typedef struct wf_single_matrix {
    size_t rows;
    uint64_t identity;          /* of the matrix whose pattern this has; 0: none yet */
    uint64_t values;            /* of what it holds: another number whenever a bit has changed */
    const wf_pattern *pattern;  /* of the blocks: that of the matrix, which says where the lower ones are: */
    float (*lower)[9];          /* those of a row from pattern->lower_start[row] on */
    float (*diagonal)[9];       /* [rows + 1] of the whole system */
    /* The scalars between vertices that no block couples, of both triangles. Their columns ascend, and stand as what
     * they lie beyond the row: cloth is numbered so that all but very large meshes have that in 16 bits. */
    int32_t *scalar_start;
    int16_t *near_offset;
    int32_t *far_offset; /* where `is_far`, else not used */
    bool is_far;
    float *scalars;
    uint64_t scalar_values; /* of these: another number whenever a bit of them has changed */
    /* The scalars are those of this revision of the matrix', 0: of none, and of these numbers of fixed directions. */
    uint64_t scalar_revision;
    uint8_t *fixed_count; /* [rows] */
    /* What has no place among these: contacts, and scalars at vertices that are fixed in part. Both triangles. */
    int32_t *extra_start, *extra_column;
    float (*extra_blocks)[9];
    size_t extra_count; /* 0: the three arrays mean nothing */
    size_t capacity[10];
} wf_single_matrix;

void wf_single_matrix_free(wf_context *context, wf_single_matrix *single);

/* Copies `system`, whose diagonal blocks (wf_linear_system_diagonal) are given. Allocates when the pattern is new or
 * there are more contacts than ever. */
wf_status wf_single_matrix_fill(wf_context *context, wf_single_matrix *single, const wf_linear_system *system,
                                const wf_mat3 *diagonal);

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Blocks of one row. */
typedef struct wf_single_row {
    const float (*blocks)[9];
    const int32_t *column;
    int32_t count;
} wf_single_row;

/* Those below the diagonal. */
static inline wf_single_row wf_single_lower_row(const wf_single_matrix *single, size_t row)
{
    const wf_pattern *pattern = single->pattern;
    int32_t start = pattern->lower_start[row];
    return (wf_single_row){(const float(*)[9])single->lower + start, pattern->column + pattern->row_start[row],
                           pattern->lower_start[row + 1] - start};
}

static inline int32_t wf_single_scalar_column(const wf_single_matrix *single, size_t row, int32_t k)
{
    return (int32_t)row + (single->is_far ? single->far_offset[k] : single->near_offset[k]);
}

static inline wf_single_row wf_single_extra_row(const wf_single_matrix *single, size_t row)
{
    int32_t start = single->extra_start[row];
    return (wf_single_row){(const float(*)[9])single->extra_blocks + start, single->extra_column + start,
                           single->extra_start[row + 1] - start};
}

/* Four floats at any address of a float. */
typedef float wf_loose_float4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline wf_float4 wf_load_row(const float *from)
{
    return *(const wf_loose_float4 *)from;
}

/* Products of blocks and vectors whose fourth lanes are 0, not yet added up along the blocks' rows. */
typedef struct wf_row_products {
    wf_float4 x, y, z;
} wf_row_products;

static inline void wf_add_products(wf_row_products *to, const float block[9], wf_float4 v)
{
    to->x += wf_load_row(block) * v;
    to->y += wf_load_row(block + 3) * v;
    to->z += wf_load_row(block + 6) * v;
}

/* The lane sums: a vector whose fourth lane is 0. */
static inline wf_float4 wf_sum_products(const wf_row_products *p)
{
    const wf_float4 zero = {0};
    wf_float4 xy_low = __builtin_shufflevector(p->x, p->y, 0, 4, 1, 5);
    wf_float4 xy_high = __builtin_shufflevector(p->x, p->y, 2, 6, 3, 7);
    wf_float4 z_low = __builtin_shufflevector(p->z, zero, 0, 4, 1, 5);
    wf_float4 z_high = __builtin_shufflevector(p->z, zero, 2, 4, 3, 5);
    wf_float4 xy = xy_low + xy_high, z = z_low + z_high; /* x02 y02 x13 y13; z02 0 z13 0 */
    return __builtin_shufflevector(xy, z, 0, 1, 4, 5) + __builtin_shufflevector(xy, z, 2, 3, 6, 7);
}

/* A transposed block times a vector; the fourth lane is noise. */
static inline wf_float4 wf_transposed_product(const float block[9], wf_float4 v)
{
    return wf_load_row(block) * __builtin_shufflevector(v, v, 0, 0, 0, 0) +
           wf_load_row(block + 3) * __builtin_shufflevector(v, v, 1, 1, 1, 1) +
           wf_load_row(block + 6) * __builtin_shufflevector(v, v, 2, 2, 2, 2);
}

#endif
