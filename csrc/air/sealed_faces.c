/* sealed_faces.c - see sealed_faces.h. Labels are a forest of sets, over cells. */
#include "air/sealed_faces.h"

#include <string.h>

#include "mesh/union_find.h"

static bool leads_through(const uint8_t *barred, float *const open[3], int axis, ptrdiff_t face)
{
    return (barred[face] >> axis & 1) == 0 && (!open || open[axis][face] >= 0.5f);
}

void wf_sealed_faces_find(const wf_flow_grid *grid, const wf_cut_faces *cuts, float *const open[3], int32_t *labels,
                          uint8_t *barred, bool *sealed)
{
    memset(barred, 0, grid->count);
    for (size_t f = 0; f < cuts->face_count; f++) {
        barred[cuts->index[f]] |= (uint8_t)(1 << cuts->axis[f]);
    }
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            const ptrdiff_t row = wf_flow_index(grid, 0, j, k);
            const bool has_lower[3] = {true, j > 0, k > 0};
            for (int32_t i = 0; i < grid->cells[0]; i++) { /* runs along x need no search */
                const ptrdiff_t c = row + i;
                labels[c] = i > 0 && leads_through(barred, open, 0, c) ? labels[c - 1] : (int32_t)c;
            }
            for (int axis = 1; axis < 3; axis++) {
                const ptrdiff_t s = grid->stride[axis];
                for (int32_t i = 0; has_lower[axis] && i < grid->cells[0]; i++) {
                    const ptrdiff_t c = row + i;
                    if (labels[c] != labels[c - s] && leads_through(barred, open, axis, c)) {
                        wf_union_find_join(labels, (int32_t)c, (int32_t)(c - s));
                    }
                }
            }
        }
    }
    for (size_t f = 0; f < cuts->face_count; f++) {
        const int32_t above = (int32_t)cuts->index[f], below = above - (int32_t)grid->stride[cuts->axis[f]];
        sealed[f] = wf_union_find_root(labels, above) != wf_union_find_root(labels, below);
    }
}

enum { NOT_THIN = 8 }; /* in barred, of the cell that stands for a part */

/* Whether a cell belongs to what is open or thick: it is at the box's end, or goes on along all axes. */
static bool is_wide(const wf_flow_grid *grid, const uint8_t *barred, float *const open[3], const int32_t at[3])
{
    const ptrdiff_t c = wf_flow_index(grid, at[0], at[1], at[2]);
    bool squeezed = false;
    for (int axis = 0; axis < wf_flow_axes(grid); axis++) {
        if (at[axis] == 0 || at[axis] == grid->cells[axis] - 1) {
            return true;
        }
        squeezed = squeezed || (!leads_through(barred, open, axis, c) &&
                                !leads_through(barred, open, axis, c + grid->stride[axis]));
    }
    return !squeezed;
}

void wf_thin_pockets_find(const wf_flow_grid *grid, const wf_cut_faces *cuts, float *const open[3], int32_t *labels,
                          uint8_t *barred, const bool *sealed, bool *thin)
{
    memset(thin, 0, cuts->face_count * sizeof *thin);
    if (cuts->face_count == 0 || !memchr(sealed, true, cuts->face_count)) {
        return;
    }
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++) {
                if (is_wide(grid, barred, open, (const int32_t[3]){i, j, k})) {
                    barred[wf_union_find_root(labels, (int32_t)wf_flow_index(grid, i, j, k))] |= NOT_THIN;
                }
            }
        }
    }
    for (size_t f = 0; f < cuts->face_count; f++) {
        const int32_t above = (int32_t)cuts->index[f], below = above - (int32_t)grid->stride[cuts->axis[f]];
        thin[f] = sealed[f] && (barred[wf_union_find_root(labels, above)] & NOT_THIN &
                                barred[wf_union_find_root(labels, below)]) == 0;
    }
}
