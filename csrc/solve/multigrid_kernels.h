/* multigrid_kernels.h - the inner loop of a multigrid's Galerkin sums, compiled per instruction set (base/dispatch.h).
 * Internal to multigrid*.c. */
#ifndef WEFT_SOLVE_MULTIGRID_KERNELS_H
#define WEFT_SOLVE_MULTIGRID_KERNELS_H

#include "base/dispatch.h"
#include "solve/multigrid_level.h"

typedef struct wf_grid_kernels {
    /* Adds P^T A P of rows [begin, end) of `fine` to the sums of `level`, the finest grid's scalars left out. graph: of
     * the fine grid; not used where that is the finest. */
    void (*sum_rows)(const wf_grid_level *fine, const wf_grid_graph *graph, size_t begin, size_t end,
                     wf_grid_level *level);
} wf_grid_kernels;

WF_DECLARE_KERNELS(wf_grid_kernels, wf_grid_kernels);

#endif
