/* refine.h - Delaunay refinement and smoothing of a triangulated outline. Internal to mesh/. */
#ifndef WEFT_MESH_REFINE_H
#define WEFT_MESH_REFINE_H

#include "mesh/outline.h"

/* Inserts vertices until no inside triangle is too large or has an angle below the minimum, except where the outline
 * itself, or a segment that may not be cut, forbids it. WF_ERROR_LIMIT, WF_ERROR_MEMORY. */
wf_status wf_refine(wf_outline *outline);

/* `sweeps` times moves every interior vertex toward the optimum of its star (L. Chen 2004, optimal Delaunay
 * triangulation) unless that would make its worst angle worse and bad, then restores the Delaunay property. */
wf_status wf_smooth(wf_outline *outline, int sweeps);

#endif
