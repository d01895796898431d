/* contact_blocks.h - the part of the system that changes every step: symmetric 3 x 3 blocks between any two vertices.
 *
 * Blocks are added in any order of rows, then sorted by (row, column) and equal ones summed in the order of their
 * addition: the same bits for the same sequence of additions, whatever the number of threads. Nothing is allocated
 * unless there are more blocks than ever before.
 */
#ifndef WEFT_SOLVE_CONTACT_BLOCKS_H
#define WEFT_SOLVE_CONTACT_BLOCKS_H

#include "base/context.h"
#include "base/vector.h"

typedef struct wf_contact_blocks wf_contact_blocks;

wf_status wf_contact_blocks_create(wf_context *context, wf_contact_blocks **blocks);
void wf_contact_blocks_destroy(wf_context *context, wf_contact_blocks *blocks);

/* Empties the set. */
void wf_contact_blocks_begin(wf_contact_blocks *blocks);

/* Adds `block` at (i, j) and, when i != j, its transpose at (j, i). A diagonal block must be symmetric. */
wf_status wf_contact_blocks_add(wf_context *context, wf_contact_blocks *blocks, int32_t i, int32_t j,
                                const wf_mat3 *block);

/* Sorts and sums. WF_ERROR_ARGUMENT when an index is not in [0, row_count). Must follow the last addition. */
wf_status wf_contact_blocks_finish(wf_context *context, wf_contact_blocks *blocks, int32_t row_count);

/* y += C x for rows [begin, end); NULL blocks are an empty set. */
void wf_contact_blocks_multiply_rows(const wf_contact_blocks *blocks, const wf_vec3 *x, wf_vec3 *y, size_t begin,
                                     size_t end);

/* The blocks of a row, columns ascending. */
typedef struct wf_contact_row {
    int32_t count;
    const int32_t *column;
    const wf_mat3 *blocks;
} wf_contact_row;

wf_contact_row wf_contact_blocks_row(const wf_contact_blocks *blocks, int32_t row);

/* NULL is empty. */
bool wf_contact_blocks_are_empty(const wf_contact_blocks *blocks);

/* The diagonal block of a row; zero when there is none or blocks is NULL. */
wf_mat3 wf_contact_blocks_diagonal(const wf_contact_blocks *blocks, int32_t row);

#endif
