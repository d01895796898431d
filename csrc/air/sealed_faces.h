/* sealed_faces.h - which faces that cloth cuts part the air for good: no way leads around the cloth within the box. */
#ifndef WEFT_AIR_SEALED_FACES_H
#define WEFT_AIR_SEALED_FACES_H

#include "air/cut_faces.h"

/* sealed[f]: whether the cells on both sides of cut face f are in different parts of the box, which cut faces and faces
 * less than half open bound. Sides of the box are the ends of it, periodic ones too: a sheet across a duct seals it.
 * `open`: of the flow's wf_flow_solids, or NULL. labels and barred: scratch of grid->count entries. */
void wf_sealed_faces_find(const wf_flow_grid *grid, const wf_cut_faces *cuts, float *const open[3], int32_t *labels,
                          uint8_t *barred, bool *sealed);

/* After it, with the same arrays: thin[f], whether a sealed face bounds a pocket that is one cell thick, each of whose
 * cells is shut on two opposite sides; such as two layers of cloth that come together leave, one by one. */
void wf_thin_pockets_find(const wf_flow_grid *grid, const wf_cut_faces *cuts, float *const open[3], int32_t *labels,
                          uint8_t *barred, const bool *sealed, bool *thin);

#endif
