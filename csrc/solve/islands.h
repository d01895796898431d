/* islands.h - the parts of a linear system that nothing couples: each cloth by itself, unless contact joins two.
 *
 * Conjugate gradients run on every island with steps of its own: one converges and stops whatever the others do, and
 * its result does not depend on them. Rows are cut into blocks for threads; no block has rows of two islands.
 */
#ifndef WEFT_SOLVE_ISLANDS_H
#define WEFT_SOLVE_ISLANDS_H

#include "solve/linear_system.h"

typedef struct wf_row_block {
    int32_t begin, end, island;
} wf_row_block;

/* Zero-initialise; free with wf_islands_free. */
typedef struct wf_islands {
    int32_t count;
    int32_t block_count;
    wf_row_block *blocks; /* by ascending rows */

    uint64_t identity;    /* of the matrix whose pattern the parts below are of; 0: none yet */
    int32_t part_count;   /* what the fixed part of the matrix couples */
    int32_t *part_of_row; /* NULL where there is but one part */
    int32_t *parent, *island_of_part; /* [part_count] */
    size_t capacity[4];
} wf_islands;

void wf_islands_free(wf_context *context, wf_islands *islands);

/* Finds the islands of a system, numbered by their first rows. Where the rows of islands are interleaved so finely that
 * blocks would be of a few rows each, all count as one. */
wf_status wf_islands_find(wf_context *context, wf_islands *islands, const wf_linear_system *system);

#endif
