/* multigrid_sweep_kernels.h - the strips of a grid's sweeps and products, compiled per instruction set
 * (base/dispatch.h). Internal to multigrid*.c; multigrid_level.h says what the sweeps do. */
#ifndef WEFT_SOLVE_MULTIGRID_SWEEP_KERNELS_H
#define WEFT_SOLVE_MULTIGRID_SWEEP_KERNELS_H

#include "base/dispatch.h"
#include "solve/multigrid_level.h"

typedef struct wf_grid_sweep_kernels {
    /* What those before in the order of the sweep, strips of earlier colours too, let a strip do. */
    void (*sweep_down)(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z);
    void (*sweep_up)(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z);

    /* What strips of later colours take from the residuals of one, once all have been swept down. */
    void (*later_residuals)(const wf_grid_level *level, int32_t strip, const wf_float4 *z);

    /* product = A z, of a coarse grid */
    void (*multiply)(const wf_grid_level *level, int32_t strip, const wf_float4 *z, wf_float4 *product);
} wf_grid_sweep_kernels;

WF_DECLARE_KERNELS(wf_grid_sweep_kernels, wf_grid_sweep_kernels);

#endif
