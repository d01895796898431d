/* renumber.h - an order of vertices and faces in which neighbours are near each other in memory. */
#ifndef WEFT_MESH_RENUMBER_H
#define WEFT_MESH_RENUMBER_H

#include "base/context.h"

/* Finds a numbering with a small bandwidth (E. Cuthill and J. McKee 1969, reversed as by A. George 1971): new vertex i
 * is old vertex vertex_order[i] [vertex_count], new face i is old face face_order[i] [face_count]; the orders are also
 * the source indices that restore the user's numbering. Faces are ordered by their smallest new vertex. Vertices of no
 * face come last. Linear but for sorting each vertex's neighbours. WF_ERROR_MEMORY; indices must be sound. */
wf_status wf_renumber(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                      int32_t *vertex_order, int32_t *face_order);

#endif
