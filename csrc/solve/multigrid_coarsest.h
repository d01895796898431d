/* multigrid_coarsest.h - the exact inverse of a multigrid's smallest matrix. Internal to multigrid*.c. */
#ifndef WEFT_SOLVE_MULTIGRID_COARSEST_H
#define WEFT_SOLVE_MULTIGRID_COARSEST_H

#include "solve/multigrid_level.h"

enum { WF_GRID_COARSEST_ROWS = 24 };

/* Zero-initialise; free with wf_grid_coarsest_free. */
typedef struct wf_grid_coarsest {
    size_t rows;
    double *factor;          /* [3 rows][3 rows] */
    wf_float4 (*inverse)[3]; /* [rows][rows] blocks by columns */
    size_t capacity[2];
} wf_grid_coarsest;

void wf_grid_coarsest_free(wf_context *context, wf_grid_coarsest *coarsest);

/* Inverts the matrix of a level of at most WF_GRID_COARSEST_ROWS rows. Directions in which it has next to no entry get
 * the inverse 0: the result is symmetric and positive semidefinite whatever the matrix is. */
wf_status wf_grid_coarsest_invert(wf_context *context, wf_grid_coarsest *coarsest, const wf_grid_level *level);

/* z = A^-1 r */
void wf_grid_coarsest_apply(const wf_grid_coarsest *coarsest, const wf_float4 *r, wf_float4 *z);

#endif
