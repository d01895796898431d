/* triangulate.h - quality triangulation of a planar outline with holes: constrained Delaunay with refinement.
 *
 * Interior vertices start on a hexagonal lattice kept clear of the outline, so most triangles are near-equilateral with
 * the target edge length; triangles that are too flat or too large get a further vertex (J. Ruppert 1995; L. P. Chew
 * 1993; off-centres: A. Uengoer 2004), and a few guarded sweeps of smoothing even out the rest. Outline points never
 * move. Segments much longer than the target are cut into equal parts; beyond that a segment is cut only where a
 * triangle could not reach the minimum angle otherwise, and never into parts shorter than 1/100 of the target.
 */
#ifndef WEFT_MESH_TRIANGULATE_H
#define WEFT_MESH_TRIANGULATE_H

#include "base/context.h"

typedef struct wf_triangulate_params {
    double edge_length;     /* target edge length, m; no default */
    double minimum_angle;   /* rad, 0 to 30 degrees, default 26 degrees; held wherever the outline's own angles allow */
    int64_t triangle_limit; /* default 4,000,000 */
    bool split_boundary;    /* may points be inserted on the outline's segments? default true */
    int32_t line_count;
    const int32_t (*lines)[2]; /* [line_count] pairs of points: edges follow the straight lines between them, which must
                                  run inside and meet nothing else on their way */
} wf_triangulate_params;

wf_triangulate_params wf_default_triangulate_params(void);

/* A vertex that was inserted on segment `segment`, which leads from outline point `segment` to the next point of its
 * loop, at the fraction `t` in (0, 1) of its way. */
typedef struct wf_boundary_split {
    int32_t segment;
    double t;
    int32_t vertex;
} wf_boundary_split;

typedef struct wf_planar_mesh {
    int32_t vertex_count;
    wf_vec2 *points;           /* [vertex_count], m; the outline's points come first, in the order given */
    int32_t face_count;
    int32_t (*faces)[3];       /* [face_count], counter-clockwise, none flipped or of zero area */
    int32_t split_count;
    wf_boundary_split *splits; /* [split_count], sorted by segment, then t */
    double minimum_angle;      /* the smallest angle of any triangle, rad */
} wf_planar_mesh;

/* Triangulates the area inside the first loop and outside the others (holes).
 *
 * Loop l is points[loop_starts[l] .. loop_starts[l + 1]), in either direction, at least three points, not closed by
 * repeating the first. loop_starts has loop_count + 1 entries, from 0 to point_count. Coordinates are below 1e6 m;
 * those below 1e-60 m count as 0. Linear in practice. The result does not depend on threads.
 *
 * WF_ERROR_ARGUMENT: wrong counts or parameters. WF_ERROR_NUMERIC: a coordinate that is not finite or too large.
 * WF_ERROR_GEOMETRY: loops that cross, overlap or touch themselves or each other, coincident points, a hole outside
 * the outline or inside another hole, lines that meet something; the message gives the place. WF_ERROR_LIMIT: more
 * triangles than the limit, estimated beforehand from area and perimeter, and watched while refining. Messages count
 * points, segments and holes from 1. On failure `mesh` is all zero. */
wf_status wf_triangulate(wf_context *context, int32_t point_count, const wf_vec2 *points, int32_t loop_count,
                         const int32_t *loop_starts, const wf_triangulate_params *params, wf_planar_mesh *mesh);

/* Frees the arrays and sets the mesh to zero. A mesh that is all zero is allowed. */
void wf_planar_mesh_free(wf_context *context, wf_planar_mesh *mesh);

#endif
