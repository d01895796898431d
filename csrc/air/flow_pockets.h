/* flow_pockets.h - the parts of a grid that faces that conduct join. */
#ifndef WEFT_AIR_FLOW_POCKETS_H
#define WEFT_AIR_FLOW_POCKETS_H

#include "air/flow_pressure.h"
#include "air/flow_pressure_kernels.h"

/* Numbers the pockets of cells from 1 up, in labels, an array of the grid; 0: cells that reach an open side; -1: cells
 * whose faces are all blocked, *has_closed: whether there are any. Returns how many pockets there are. */
int32_t wf_flow_pockets_find(const wf_flow_level *level, int32_t *labels, bool *has_closed);

/* Takes from values their mean over each pocket; those of cells whose faces are all blocked become 0. Adds to *taken
 * the sum over pockets of |sum of the values|; returns the largest |value| that is left. sums and counts: scratch of
 * pocket_count + 1. */
float wf_flow_pockets_remove_means(const wf_flow_level *level, const int32_t *labels, int32_t pocket_count,
                                   float *values, double *sums, double *counts, double *taken);

#endif
