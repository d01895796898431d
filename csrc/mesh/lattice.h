/* lattice.h - fills the inside of an outline with the points of a hexagonal lattice. Internal to mesh/. */
#ifndef WEFT_MESH_LATTICE_H
#define WEFT_MESH_LATTICE_H

#include "mesh/outline.h"

/* Inserts all points of a lattice of equilateral triangles with sides of the target edge length that are inside and
 * clear of the outline. WF_ERROR_LIMIT, WF_ERROR_MEMORY. */
wf_status wf_lattice_fill(wf_outline *outline);

#endif
