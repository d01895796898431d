/* halfmesh.h - the left half of a mirror-symmetric quadrilateral mesh, and its Catmull-Clark refinement.
 *
 * The half lies in x >= 0 and is open along the plane x = 0 only. Working on the half makes the whole symmetric to the
 * last bit, whatever is done to it.
 */
#ifndef WEFT_BODY_HALFMESH_H
#define WEFT_BODY_HALFMESH_H

#include "mesh/mesh.h"

typedef struct wf_halfmesh {
    int32_t vertex_count, quad_count;
    wf_vec3 *positions;      /* [vertex_count]; x is exactly 0 on the boundary */
    int32_t (*quads)[4];     /* [quad_count] counter-clockwise seen from outside */
    size_t vertex_capacity, quad_capacity;
} wf_halfmesh;

void wf_halfmesh_free(wf_context *context, wf_halfmesh *half);

/* For building one vertex and quad after another. A vertex's index is vertex_count before the call. */
wf_status wf_halfmesh_add_vertex(wf_context *context, wf_halfmesh *half, wf_vec3 position);
wf_status wf_halfmesh_add_quad(wf_context *context, wf_halfmesh *half, int32_t a, int32_t b, int32_t c, int32_t d);

/* One step of Catmull-Clark subdivision (Catmull and Clark 1978), as the whole, mirrored mesh would get it. The coarse
 * vertices keep their indices; edge points follow in the order of their edges (smaller vertex, larger vertex), then
 * one point for each quad. The numbering depends on the quads alone. */
wf_status wf_halfmesh_refine(wf_context *context, const wf_halfmesh *coarse, wf_halfmesh *fine);

/* The whole as triangles: the half's vertices, then the mirror images of those off the plane, in the same order;
 * each quad cut along its first diagonal (corners 0 and 2) or, where `second_diagonal` [quad_count] says so, the other.
 * Arrays are the caller's, to be freed with wf_free: positions [*vertex_count], faces [4 quad_count]. */
wf_status wf_halfmesh_mirror(wf_context *context, const wf_halfmesh *half, const bool *second_diagonal,
                             int32_t *vertex_count, wf_vec3 **positions, int32_t (**faces)[3]);

/* Fills `positions` [vertex_count of wf_halfmesh_mirror] for a half that moved. */
void wf_halfmesh_mirror_positions(const wf_halfmesh *half, wf_vec3 *positions);

#endif
