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

/* The pairs found: {face of a, face of b}, sorted. For a surface with itself each pair once, smaller face first. */
typedef struct wf_intersections {
    int64_t count;       /* all pairs */
    int32_t pair_count;  /* those listed */
    int32_t (*pairs)[2]; /* [pair_count] */
} wf_intersections;

/* Finds all pairs of a face of `a` and a face of `b` that have a point in common; with `b` NULL, all pairs of faces of
 * `a`, of which those that share vertices count only when they have more in common than what they share:
 * - one vertex: any other common point;
 * - two vertices (an edge): when they lie in one plane, folded onto each other;
 * - three vertices: always.
 * Touching counts, and so do faces without area. Lists the first `limit` pairs (0 to INT32_MAX) and counts all. In
 * parallel; the same for any number of threads.
 *
 * WF_ERROR_ARGUMENT: an index out of range, a negative limit. WF_ERROR_NUMERIC: a coordinate that is not finite or above
 * 1e60 in magnitude (those below 1e-60 count as 0). WF_ERROR_MEMORY. On failure `result` is all zero. */
wf_status wf_intersections_find(wf_context *context, const wf_surface *a, const wf_surface *b, int64_t limit,
                                wf_intersections *result);

void wf_intersections_free(wf_context *context, wf_intersections *result);

/* Whether two triangles intersect beyond the `shared` corners that they have in common, which come first, in the same
 * order, in both. The test behind the above. */
bool wf_triangles_intersect(const wf_vec3 a[3], const wf_vec3 b[3], int shared);

#endif
