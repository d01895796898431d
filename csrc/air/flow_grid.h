/* flow_grid.h - where the values of a staggered grid lie in memory.
 *
 * A box of nx x ny x nz cells. Pressures live at the centres of cells, the component of velocity along an axis at the
 * centres of the faces across that axis (the marker-and-cell grid of Harlow and Welch 1965). All arrays of one grid,
 * whatever they hold, have the same strides and a margin of `margin` entries on each side, so that loops over rows need
 * no branches at the box's sides: index(i, j, k) is the cell, or the face on the cell's lower side. A box that is one
 * cell thick along z is two-dimensional: its stride along z is 0, the neighbour along z is the cell itself, and all
 * differences along z vanish.
 */
#ifndef WEFT_AIR_FLOW_GRID_H
#define WEFT_AIR_FLOW_GRID_H

#include "base/types.h"

enum { WF_FLOW_SLACK = 64 };

typedef struct wf_flow_grid {
    int32_t cells[3];
    int32_t margin;
    ptrdiff_t stride[3]; /* stride[0] is 1; stride[2] is 0 in two dimensions */
    ptrdiff_t first;     /* where cell (0, 0, 0) lies */
    size_t count;        /* entries of an array, some more at its end than the margins: kernels read whole vectors */
} wf_flow_grid;

static inline wf_flow_grid wf_flow_grid_make(const int32_t cells[3], int32_t margin)
{
    wf_flow_grid grid = {.cells = {cells[0], cells[1], cells[2]}, .margin = margin};
    const ptrdiff_t width = cells[0] + 2 * margin + 1, height = cells[1] + 2 * margin + 1;
    const bool flat = cells[2] == 1;
    grid.stride[0] = 1;
    grid.stride[1] = width;
    grid.stride[2] = flat ? 0 : width * height;
    grid.first = margin + margin * width + margin * grid.stride[2];
    grid.count = (size_t)width * (size_t)height * (size_t)(flat ? 1 : cells[2] + 2 * margin + 1) + WF_FLOW_SLACK;
    return grid;
}

static inline ptrdiff_t wf_flow_index(const wf_flow_grid *grid, int32_t i, int32_t j, int32_t k)
{
    return grid->first + i + j * grid->stride[1] + k * grid->stride[2];
}

/* Cells of the box. */
static inline size_t wf_flow_cell_count(const wf_flow_grid *grid)
{
    return (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
}

/* The axes that have differences: 2 of a box one cell thick, else 3. */
static inline int wf_flow_axes(const wf_flow_grid *grid)
{
    return grid->stride[2] == 0 ? 2 : 3;
}

#endif
