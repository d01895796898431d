/* delaunay.h - a planar constrained Delaunay triangulation that grows point by point and segment by segment.
 *
 * The triangulation fills a box; its four corners are vertices 0 to 3. It is stored as half-edges: half-edge 3 t + k is
 * edge k of the counter-clockwise triangle t and runs from corner k to corner k + 1. Every decision is made with the
 * exact predicates, so triangles always have positive area and nothing depends on rounding luck. Insertion flips edges
 * until the Delaunay property holds (C. L. Lawson 1977); constrained edges are never flipped, which gives the
 * constrained Delaunay triangulation (L. P. Chew 1989).
 *
 * All functions that return a status fail only for want of memory unless they say otherwise; the triangulation is then
 * fit for wf_delaunay_free only.
 */
#ifndef WEFT_MESH_DELAUNAY_H
#define WEFT_MESH_DELAUNAY_H

#include "base/context.h"

enum { WF_DELAUNAY_BOX_VERTICES = 4 };

typedef struct wf_half_edge {
    int32_t origin;  /* vertex it starts at */
    int32_t twin;    /* the same edge in the neighbouring triangle, -1 on the box */
    int32_t segment; /* the constraint it lies on, -1 none; the same in its twin */
} wf_half_edge;

typedef struct wf_delaunay {
    wf_context *context;
    int32_t vertex_count, triangle_count;
    wf_vec2 *points;       /* [vertex_count] */
    int32_t *vertex_edge;  /* [vertex_count] a half-edge that starts here */
    wf_half_edge *edges;   /* [3 triangle_count] */
    int32_t *region;       /* [triangle_count] a label that triangles inherit when they are cut */
    int32_t *stack;        /* half-edges whose Delaunay property is in question */
    size_t point_capacity, vertex_edge_capacity, edge_capacity, region_capacity, stack_capacity;
    uint32_t walk_state;   /* of the generator that keeps walks from going in circles */
} wf_delaunay;

static inline int32_t wf_edge_next(int32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static inline int32_t wf_edge_previous(int32_t h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

static inline int32_t wf_edge_origin(const wf_delaunay *d, int32_t h)
{
    return d->edges[h].origin;
}

static inline int32_t wf_edge_target(const wf_delaunay *d, int32_t h)
{
    return d->edges[wf_edge_next(h)].origin;
}

/* The corner of the triangle of `h` that is not on `h`. */
static inline int32_t wf_edge_apex(const wf_delaunay *d, int32_t h)
{
    return d->edges[wf_edge_previous(h)].origin;
}

/* The next half-edge that starts at the origin of `h`, counter-clockwise; -1 at the box. */
static inline int32_t wf_edge_around(const wf_delaunay *d, int32_t h)
{
    return d->edges[wf_edge_previous(h)].twin;
}

/* Starts with the two triangles of the box [lower, upper]. */
wf_status wf_delaunay_begin(wf_context *context, wf_vec2 lower, wf_vec2 upper, wf_delaunay *d);
void wf_delaunay_free(wf_delaunay *d);

typedef enum wf_place { WF_PLACE_FACE, WF_PLACE_EDGE, WF_PLACE_VERTEX, WF_PLACE_BLOCKED } wf_place;

/* Walks from the triangle of half-edge `start` to the point, which must lie inside the box. *h is a half-edge of the
 * triangle that holds it; it lies on *h (EDGE) or is the origin of *h (VERTEX). With `stop_at_segments` the walk ends
 * at the first constrained edge in its way: *h is that edge, seen from the start's side (BLOCKED). */
wf_place wf_delaunay_locate(wf_delaunay *d, wf_vec2 point, int32_t start, bool stop_at_segments, int32_t *h);

/* Inserts a point inside the box, looking for it from half-edge `start`. *vertex is the new vertex, or the old one when
 * there is one at that very place (then *existed is true). A point on a constrained edge cuts it in two. */
wf_status wf_delaunay_insert(wf_delaunay *d, wf_vec2 point, int32_t start, int32_t *vertex, bool *existed);

/* Inserts a point that a locate just found on FACE or EDGE `h`. */
wf_status wf_delaunay_insert_at(wf_delaunay *d, wf_vec2 point, wf_place place, int32_t h, int32_t *vertex);

/* Cuts edge `h` at a point that lies on it but for rounding. *vertex is -1, and nothing is changed, when rounding
 * would flip or flatten one of the four new triangles. */
wf_status wf_delaunay_cut_edge(wf_delaunay *d, wf_vec2 point, int32_t h, int32_t *vertex);

/* The half-edge from vertex a to vertex b, -1 when there is none. */
int32_t wf_delaunay_find_edge(const wf_delaunay *d, int32_t a, int32_t b);

/* What a new segment ran into. */
typedef struct wf_delaunay_conflict {
    int32_t segment; /* the constraint it crosses or overlaps, -1 none */
    int32_t vertex;  /* the vertex it passes through, -1 none */
} wf_delaunay_conflict;

/* Makes the straight edge between vertices a and b a constraint with the given number. When it cannot be because it
 * crosses, overlaps or touches something, `conflict` says what, and nothing is changed. Edges that have to go are
 * flipped away (S. W. Sloan 1993). */
wf_status wf_delaunay_insert_segment(wf_delaunay *d, int32_t a, int32_t b, int32_t segment,
                                     wf_delaunay_conflict *conflict);

/* Flips edges until all are Delaunay again, after vertices have moved without turning a triangle over. */
wf_status wf_delaunay_restore(wf_delaunay *d);

#endif
