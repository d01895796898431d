/* outline.h - the first half of wf_triangulate: from a polygon with holes to its constrained Delaunay triangulation.
 *
 * Internal to mesh/. Holds what refinement needs to know about the outline: which segment a vertex lies on and where,
 * which corners are sharp, which triangles are inside.
 */
#ifndef WEFT_MESH_OUTLINE_H
#define WEFT_MESH_OUTLINE_H

#include "mesh/delaunay.h"
#include "mesh/triangulate.h"

/* Segments up to this many target lengths stay whole unless an angle needs a cut. */
#define WF_LONGEST_SEGMENT 1.5

/* Labels of the triangles (wf_delaunay.region); hole l is WF_REGION_INSIDE + l. */
enum { WF_REGION_UNKNOWN = 0, WF_REGION_OUTSIDE, WF_REGION_INSIDE };

/* Where a vertex lies: on segment `segment` at the fraction t of its length. t is 0 for the outline's own points;
 * segment is -1 in the interior and for the box. Lines inside are segments that follow those of the outline. */
typedef struct wf_outline_vertex {
    int32_t segment;
    double t;
} wf_outline_vertex;

typedef struct wf_outline {
    wf_context *context;
    wf_triangulate_params params;
    int32_t point_count, loop_count;
    const int32_t *loop_starts;
    wf_vec2 *points;            /* [point_count] */
    int32_t *point_vertex;      /* [point_count] vertex of each point */
    int32_t *segment_loop;      /* [point_count] */
    int32_t *corner_before;     /* [point_count] sharp corner from which this segment leads away almost straight, -1 */
    int32_t *corner_after;      /* [point_count] sharp corner to which this segment leads almost straight, -1 none */
    wf_delaunay delaunay;
    wf_outline_vertex *vertices; /* [delaunay.vertex_count] */
    size_t vertex_capacity;
    int64_t face_count; /* inside triangles, by Euler's formula from the vertices noted so far */
} wf_outline;

/* Checks the loops and triangulates them; errors as wf_triangulate. On failure the outline is freed. */
wf_status wf_outline_begin(wf_context *context, int32_t point_count, const wf_vec2 *points, int32_t loop_count,
                           const int32_t *loop_starts, const wf_triangulate_params *params, wf_outline *outline);
void wf_outline_free(wf_outline *outline);

static inline bool wf_outline_is_line(const wf_outline *outline, int32_t segment)
{
    return segment >= outline->point_count;
}

/* The point in which segment `segment` begins. */
static inline int32_t wf_outline_segment_begin(const wf_outline *outline, int32_t segment)
{
    return wf_outline_is_line(outline, segment) ? outline->params.lines[segment - outline->point_count][0] : segment;
}

/* The point in which segment `segment` ends. */
static inline int32_t wf_outline_segment_end(const wf_outline *outline, int32_t segment)
{
    if (wf_outline_is_line(outline, segment)) {
        return outline->params.lines[segment - outline->point_count][1];
    }
    const int32_t loop = outline->segment_loop[segment];
    return segment + 1 < outline->loop_starts[loop + 1] ? segment + 1 : outline->loop_starts[loop];
}

/* Records that the newest vertex lies on `segment` at t, or in the interior (-1). Fails when there are more triangles
 * than the limit, or for want of memory. */
wf_status wf_outline_note_vertex(wf_outline *outline, int32_t segment, double t);

/* Cuts the constrained half-edge `h` at `fraction` of its way. *vertex is -1 when the parts would be too short or
 * rounding forbids it. */
wf_status wf_outline_cut(wf_outline *outline, int32_t h, double fraction, int32_t *vertex);

/* Whether vertices u and w lie on the two sides of the same sharp corner, so that angles between them are the
 * outline's own. */
bool wf_outline_spans_corner(const wf_outline *outline, int32_t u, int32_t w);

#endif
