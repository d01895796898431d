/* flow_pressure_kernels.h - rows of the pressure solver's grids, compiled per instruction set (base/dispatch.h).
 *
 * Rows run along x; row r of a grid is (j, k) with r = k ny + j. Each kernel works on rows [begin, end).
 */
#ifndef WEFT_AIR_FLOW_PRESSURE_KERNELS_H
#define WEFT_AIR_FLOW_PRESSURE_KERNELS_H

#include "air/flow_grid.h"
#include "base/dispatch.h"

/* One grid of the multigrid. Each but the finest is half as fine as the one before it along one axis. Where its cells
 * are about cubes the V-cycle stops to smooth; grids between only hand on.
 *
 * A coarse cell I has the children 2 I and 2 I + 1 along the axis, unless a wall between them parts the second from it:
 * then that one is the next coarse cell's (adopted). Along a line children have the values
 *     x[2 I]     = X[I] + w[I] (X[I - 1] - X[I])
 *     x[2 I + 1] = stays[I] (X[I] + w[I + 1] (X[I + 1] - X[I])) + adopted[I] X[I + 1]
 * with w = 1/4 where air is open, and 0 at walls. */
typedef struct wf_flow_level {
    wf_flow_grid grid;
    bool periodic[3];
    bool smooths;
    int axis; /* along which it is coarser than the one before */
    float *conductance[3];
    float *x, *residual;     /* solution and rest; periodic margins are filled, others stay 0 */
    float *inverse_diagonal; /* 0 where all faces are blocked; this and the rest only where it smooths */
    float *y;                /* smoother's scratch; margins as of x */
    float *b;                /* right-hand side; NULL on the finest grid */
    float *weight;           /* w, of faces across the axis */
    float *stays, *adopted;  /* 0 or 1, of cells; has_walls: not all are 1 and 0 */
    bool has_walls;
    float open[3]; /* the conductance of an open face inside */
} wf_flow_level;

typedef struct wf_flow_pressure_kernels {
    /* out = A x; returns x . out. */
    double (*multiply)(const wf_flow_level *level, const float *x, float *out, size_t begin, size_t end);
    /* out = b - A x */
    void (*residual)(const wf_flow_level *level, const float *b, const float *x, float *out, size_t begin, size_t end);
    /* out = factor b / diagonal */
    void (*scale)(const wf_flow_level *level, const float *b, float factor, float *out, size_t begin, size_t end);
    /* out = keep x + old_factor old + step (b - A x) / diagonal; old may be out, and x may not. */
    void (*sweep)(const wf_flow_level *level, const float *b, const float *x, float keep, const float *old,
                  float old_factor, float step, float *out, size_t begin, size_t end);
    /* Rows of the coarse grid: b = what the fine grid's residuals are there, by the transpose of the above. */
    void (*restrict_rows)(const wf_flow_level *fine, const wf_flow_level *coarse, const float *residual, float *b,
                          size_t begin, size_t end);
    /* Rows of the coarse grid: the fine grid's x = (adds: +=) what the coarse grid's x is there. */
    void (*prolong)(const wf_flow_level *fine, const wf_flow_level *coarse, bool adds, size_t begin, size_t end);
    /* phi += alpha p, r -= alpha q; returns the largest |r|. */
    float (*advance)(const wf_flow_level *level, float alpha, const float *p, const float *q, float *phi, float *r,
                     size_t begin, size_t end);
    /* p = z + beta p */
    void (*turn)(const wf_flow_level *level, const float *z, float beta, float *p, size_t begin, size_t end);
    double (*dot)(const wf_flow_level *level, const float *a, const float *b, size_t begin, size_t end);
} wf_flow_pressure_kernels;

WF_DECLARE_KERNELS(wf_flow_pressure_kernels, wf_flow_pressure_kernels);

#endif
