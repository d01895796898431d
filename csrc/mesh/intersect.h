/* intersect.h - the independent judge of contact: which triangles of two surfaces intersect, exactly.
 *
 * Everything is decided with the exact predicates, so the answer is right for the given coordinates whatever their
 * position. It shares no code with contact/.
 */
#ifndef WEFT_MESH_INTERSECT_H
#define WEFT_MESH_INTERSECT_H

#include "base/context.h"

/* Triangles in space that belong to someone else. */
typedef struct wf_surface {
    int32_t vertex_count;
    const wf_vec3 *positions; /* [vertex_count], m */
    int32_t face_count;
    const int32_t (*faces)[3]; /* [face_count] */
} wf_surface;

/* Finds all pairs of a face of `a` and a face of `b` that have a point in common. With `b` NULL, all pairs of faces of
 * `a`, each once; those that share vertices count only when they have more in common than what they share:
 * - one vertex: any other common point;
 * - two vertices (an edge): when they lie in one plane, folded onto each other;
 * - three vertices: always.
 * Touching counts, and so do faces without area. *count is the number of all pairs; the first `limit` of them (0 to
 * INT32_MAX), sorted, go to `pairs` [limit] as {face of a, face of b}, for a surface with itself the smaller first. In
 * parallel; the same for any number of threads.
 *
 * WF_ERROR_ARGUMENT: an index out of range, a negative limit. WF_ERROR_NUMERIC: a coordinate that is not finite or
 * above 1e60 in magnitude (those below 1e-60 count as 0). WF_ERROR_MEMORY. */
wf_status wf_intersections_find(wf_context *context, const wf_surface *a, const wf_surface *b, int64_t limit,
                                int32_t (*pairs)[2], int64_t *count);

/* Whether a closed segment, which may be a point, and a closed triangle, which may have no area, have a point in
 * common, by the same exact predicates. */
bool wf_segment_meets_triangle(wf_vec3 p, wf_vec3 q, const wf_vec3 t[3]);

#endif
