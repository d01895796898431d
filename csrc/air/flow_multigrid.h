/* flow_multigrid.h - the V-cycle that preconditions the pressure's conjugate gradients: see flow_pressure.h. */
#ifndef WEFT_AIR_FLOW_MULTIGRID_H
#define WEFT_AIR_FLOW_MULTIGRID_H

#include "air/flow_pressure_kernels.h"

enum {
    WF_FLOW_LEVELS = 40,   /* grids at most: each of three axes is halved twelve times */
    WF_FLOW_COARSEST = 64, /* cells of the coarsest grid at most */
    WF_FLOW_LINES = 64     /* lines per block of parallel work */
};

typedef struct wf_flow_multigrid {
    wf_context *context;
    int32_t level_count;
    wf_flow_level levels[WF_FLOW_LEVELS];
    double *factor; /* of the coarsest grid: lower triangle of cells x cells, rows side by side */
    bool *any;      /* by block of lines: whether walls were met */
    size_t bytes;
} wf_flow_multigrid;

/* Zero-initialise, and set levels[0].open and the finest conductances before the first update. */
wf_status wf_flow_multigrid_create(wf_context *context, wf_flow_multigrid *multigrid, const wf_flow_grid *grid,
                                   const bool periodic[3]);
void wf_flow_multigrid_free(wf_flow_multigrid *multigrid);

/* Diagonals, coarse conductances and the coarsest factor, after the finest conductances have changed. */
void wf_flow_multigrid_update(wf_flow_multigrid *multigrid);

/* levels[0].x = M b, M symmetric and positive semidefinite. */
void wf_flow_multigrid_cycle(wf_flow_multigrid *multigrid, const float *b);

/* Copies across periodic sides into the first layer of the margin, of faces' neighbours only (no edges). */
void wf_flow_level_wrap(const wf_flow_level *level, float *values);

/* Rows per block of parallel work, and how many rows there are. */
size_t wf_flow_level_block(const wf_flow_level *level);
size_t wf_flow_level_rows(const wf_flow_level *level);

#endif
