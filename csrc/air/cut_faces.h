/* cut_faces.h - which faces of a staggered grid thin cloth cuts.
 *
 * Air passes from one cell into the next through the face between them. It cannot where cloth lies between the two
 * centres, so a face is cut when the straight line from centre to centre crosses a triangle: the lattice is that of the
 * cells' centres (lattice_crossings.h), and a tight sheet has no leaks. The cut faces are a staircase whose area across
 * each axis is that of the sheet's projection, so pressure jumps times face areas sum to the sheet's normal force, and
 * face velocities times areas to the volume that the sheet sweeps (two-sided thin shells on a grid: Guendelman, Selle,
 * Losasso and Fedkiw 2005, "Coupling water and smoke to thin deformable and rigid shells", section 4).
 *
 * Several layers of cloth that cut one face move as one there: its velocity is the mean of theirs, weighted by shares
 * that sum to 1, and each takes its share of the pressure; in proportion to mass per area pressure alone does not part
 * them.
 */
#ifndef WEFT_AIR_CUT_FACES_H
#define WEFT_AIR_CUT_FACES_H

#include "air/flow_grid.h"
#include "air/lattice_crossings.h"

typedef struct wf_cut_layer {
    int32_t triangle;
    float weights[3]; /* of the triangle's corners; sum 1 */
    float share;      /* of the face: 1 / (number of layers), for the caller to weigh */
    float slope;      /* |normal . axis| of the triangle, 0 to 1 */
} wf_cut_layer;

/* Zero-initialised before its first use; keeps its memory from call to call. */
typedef struct wf_cut_faces {
    size_t face_count, layer_count;
    uint8_t *axis;        /* [face_count] */
    ptrdiff_t *index;     /* [face_count] in the grid's arrays: the face on the lower side of that cell */
    int32_t *first_layer; /* [face_count + 1] */
    wf_cut_layer *layers; /* [layer_count], of a face from its lower side up */
    wf_lattice_crossings crossings;
    struct wf_cut_key *keys[2];
    size_t axis_capacity, index_capacity, first_capacity, layer_capacity, key_capacity[2];
} wf_cut_faces;

/* All faces inside the box that triangles cut, by axis, then index. The box has its lowest corner at `origin` and cells
 * of `spacing` (m). Errors as of wf_lattice_crossings_find; WF_ERROR_LIMIT: a grid of more than 10^9 entries. */
wf_status wf_cut_faces_find(wf_context *context, const wf_flow_grid *grid, wf_vec3 origin, const double spacing[3],
                            const wf_vec3 *positions, int32_t triangle_count, const int32_t (*triangles)[3],
                            wf_cut_faces *cuts);

void wf_cut_faces_free(wf_context *context, wf_cut_faces *cuts);

#endif
