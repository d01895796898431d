/* delaunay.c - the incremental constrained Delaunay triangulation; see delaunay.h. */
#include "mesh/delaunay.h"

#include <string.h>

#include "base/vector.h"
#include "mesh/predicates.h"

/* ---- storage --------------------------------------------------------------------------------------------------- */

static wf_status reserve_triangles(wf_delaunay *d, int32_t more)
{
    const size_t needed = (size_t)d->triangle_count + (size_t)more;
    if (needed > INT32_MAX / 3) {
        return wf_fail(d->context, WF_ERROR_MEMORY, "more triangles than can be numbered");
    }
    wf_status status = wf_reserve(d->context, &d->edges, &d->edge_capacity, 3 * needed, sizeof *d->edges);
    if (status == WF_OK) {
        status = wf_reserve(d->context, &d->region, &d->region_capacity, needed, sizeof *d->region);
    }
    return status;
}

static wf_status reserve_vertices(wf_delaunay *d, int32_t more)
{
    const size_t needed = (size_t)d->vertex_count + (size_t)more;
    wf_status status = wf_reserve(d->context, &d->points, &d->point_capacity, needed, sizeof *d->points);
    if (status == WF_OK) {
        status = wf_reserve(d->context, &d->vertex_edge, &d->vertex_edge_capacity, needed, sizeof *d->vertex_edge);
    }
    return status;
}

/* Makes a and b twins; b may be -1. */
static void link_twins(wf_delaunay *d, int32_t a, int32_t b)
{
    d->edges[a].twin = b;
    if (b >= 0) {
        d->edges[b].twin = a;
    }
}

static void set_edge(wf_delaunay *d, int32_t h, int32_t origin, int32_t twin, int32_t segment)
{
    d->edges[h].origin = origin;
    d->edges[h].segment = segment;
    d->vertex_edge[origin] = h;
    link_twins(d, h, twin);
}

wf_status wf_delaunay_begin(wf_context *context, wf_vec2 lower, wf_vec2 upper, wf_delaunay *d)
{
    memset(d, 0, sizeof *d);
    d->context = context;
    d->walk_state = 1;
    wf_status status = reserve_triangles(d, 2);
    if (status == WF_OK) {
        status = reserve_vertices(d, WF_DELAUNAY_BOX_VERTICES);
    }
    if (status != WF_OK) {
        wf_delaunay_free(d);
        return status;
    }
    d->points[0] = lower;
    d->points[1] = (wf_vec2){upper.x, lower.y};
    d->points[2] = upper;
    d->points[3] = (wf_vec2){lower.x, upper.y};
    d->vertex_count = WF_DELAUNAY_BOX_VERTICES;
    d->triangle_count = 2;
    d->region[0] = d->region[1] = 0;
    static const int32_t corners[6] = {0, 1, 2, 0, 2, 3};
    for (int32_t h = 0; h < 6; h++) {
        set_edge(d, h, corners[h], -1, -1);
    }
    link_twins(d, 2, 3);
    return WF_OK;
}

void wf_delaunay_free(wf_delaunay *d)
{
    if (!d->context) {
        return;
    }
    wf_free(d->context, d->points);
    wf_free(d->context, d->vertex_edge);
    wf_free(d->context, d->edges);
    wf_free(d->context, d->region);
    wf_free(d->context, d->stack);
    memset(d, 0, sizeof *d);
}

/* ---- flipping -------------------------------------------------------------------------------------------------- */

/* Replaces the diagonal a b of the quadrilateral a e b c by c e, where h runs from a to b, c is its apex and e the apex
 * of its twin. The sides keep their half-edges but two: a e moves to `h` and b c to its twin. Returns the half-edge of
 * the new diagonal from e to c. */
static int32_t flip(wf_delaunay *d, int32_t h)
{
    const int32_t g = d->edges[h].twin;
    const int32_t h_next = wf_edge_next(h), h_previous = wf_edge_previous(h);
    const int32_t g_next = wf_edge_next(g), g_previous = wf_edge_previous(g);
    const int32_t a = d->edges[h].origin, b = d->edges[g].origin;
    const int32_t c = d->edges[h_previous].origin, e = d->edges[g_previous].origin;
    const wf_half_edge b_to_c = d->edges[h_next], a_to_e = d->edges[g_next];
    set_edge(d, h, a, a_to_e.twin, a_to_e.segment);
    set_edge(d, g, b, b_to_c.twin, b_to_c.segment);
    set_edge(d, h_next, e, g_next, -1);
    set_edge(d, g_next, c, h_next, -1);
    return h_next;
}

static bool is_delaunay(const wf_delaunay *d, int32_t h)
{
    const wf_half_edge *edge = &d->edges[h];
    if (edge->twin < 0 || edge->segment >= 0) {
        return true;
    }
    const wf_vec2 *p = d->points;
    return wf_incircle(p[edge->origin], p[wf_edge_target(d, h)], p[wf_edge_apex(d, h)],
                       p[wf_edge_apex(d, edge->twin)]) <= 0;
}

/* Flips the edges on the stack, and those that become doubtful by it, until all are Delaunay. With `around_apex` every
 * doubtful edge is seen from a new vertex, its apex, and only the two far sides of a flip become doubtful. */
static wf_status flip_until_delaunay(wf_delaunay *d, size_t depth, bool around_apex)
{
    while (depth > 0) {
        const int32_t h = d->stack[--depth];
        if (is_delaunay(d, h)) {
            continue;
        }
        const int32_t g = d->edges[h].twin;
        flip(d, h);
        wf_status status = wf_reserve(d->context, &d->stack, &d->stack_capacity, depth + 4, sizeof *d->stack);
        if (status != WF_OK) {
            return status;
        }
        d->stack[depth++] = h;
        d->stack[depth++] = wf_edge_previous(g);
        if (!around_apex) {
            d->stack[depth++] = g;
            d->stack[depth++] = wf_edge_previous(h);
        }
    }
    return WF_OK;
}

wf_status wf_delaunay_restore(wf_delaunay *d)
{
    const size_t count = 3 * (size_t)d->triangle_count;
    wf_status status = wf_reserve(d->context, &d->stack, &d->stack_capacity, count, sizeof *d->stack);
    if (status != WF_OK) {
        return status;
    }
    size_t depth = 0;
    for (int32_t h = 3 * d->triangle_count - 1; h >= 0; h--) {
        if (h < d->edges[h].twin) {
            d->stack[depth++] = h;
        }
    }
    return flip_until_delaunay(d, depth, false);
}

/* ---- location -------------------------------------------------------------------------------------------------- */

/* Which of the edges of a triangle a walk looks at first: a fixed order could send it in circles where constraints
 * disturb the Delaunay property; a random one ends with probability 1 (Devillers, Pion and Teillaud 2002). */
static int walk_choice(wf_delaunay *d)
{
    d->walk_state = d->walk_state * 1664525u + 1013904223u;
    return (int)((d->walk_state >> 16) % 3);
}

wf_place wf_delaunay_locate(wf_delaunay *d, wf_vec2 point, int32_t start, bool stop_at_segments, int32_t *h)
{
    int32_t triangle = start / 3, entered = -1;
    for (;;) {
        const int first = walk_choice(d);
        int on_edge_count = 0;
        int32_t on_edge[3] = {-1, -1, -1}, leave = -1;
        for (int i = 0; i < 3 && leave < 0; i++) {
            const int32_t edge = 3 * triangle + (first + i) % 3;
            if (edge == entered) {
                continue;
            }
            double side = wf_orient2d(d->points[wf_edge_origin(d, edge)], d->points[wf_edge_target(d, edge)], point);
            if (side < 0) {
                leave = edge;
            } else if (side == 0) {
                on_edge[on_edge_count++] = edge;
            }
        }
        if (leave >= 0 && stop_at_segments && d->edges[leave].segment >= 0) {
            *h = leave;
            return WF_PLACE_BLOCKED;
        }
        if (leave >= 0) {
            entered = d->edges[leave].twin;
            triangle = entered / 3;
            continue;
        }
        if (on_edge_count == 2) {
            /* Two edges of a triangle meet at the origin of the one that follows the other. */
            *h = wf_edge_next(on_edge[0]) == on_edge[1] ? on_edge[1] : on_edge[0];
            return WF_PLACE_VERTEX;
        }
        *h = on_edge_count == 1 ? on_edge[0] : 3 * triangle;
        return on_edge_count == 1 ? WF_PLACE_EDGE : WF_PLACE_FACE;
    }
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

static wf_status reserve_insertion(wf_delaunay *d)
{
    wf_status status = reserve_triangles(d, 2);
    if (status == WF_OK) {
        status = reserve_vertices(d, 1);
    }
    if (status == WF_OK) {
        status = wf_reserve(d->context, &d->stack, &d->stack_capacity, 4, sizeof *d->stack);
    }
    return status;
}

static int32_t new_vertex(wf_delaunay *d, wf_vec2 point)
{
    d->points[d->vertex_count] = point;
    return d->vertex_count++;
}

static int32_t new_triangle(wf_delaunay *d, int32_t region)
{
    d->region[d->triangle_count] = region;
    return 3 * d->triangle_count++;
}

/* Cuts the triangle of h into three around a new vertex. */
static wf_status cut_face(wf_delaunay *d, wf_vec2 point, int32_t h, int32_t *vertex)
{
    wf_status status = reserve_insertion(d);
    if (status != WF_OK) {
        return status;
    }
    const int32_t p = new_vertex(d, point), t = 3 * (h / 3);
    const int32_t u = new_triangle(d, d->region[h / 3]), w = new_triangle(d, d->region[h / 3]);
    const wf_half_edge ab = d->edges[t], bc = d->edges[t + 1], ca = d->edges[t + 2];
    set_edge(d, u, bc.origin, bc.twin, bc.segment);
    set_edge(d, u + 1, ca.origin, w + 2, -1);
    set_edge(d, u + 2, p, t + 1, -1);
    set_edge(d, w, ca.origin, ca.twin, ca.segment);
    set_edge(d, w + 1, ab.origin, t + 2, -1);
    set_edge(d, w + 2, p, u + 1, -1);
    set_edge(d, t + 1, bc.origin, u + 2, -1);
    set_edge(d, t + 2, p, w + 1, -1);
    d->stack[0] = t;
    d->stack[1] = u;
    d->stack[2] = w;
    *vertex = p;
    return flip_until_delaunay(d, 3, true);
}

/* Cuts edge h and the two triangles beside it. */
static wf_status cut_edge(wf_delaunay *d, wf_vec2 point, int32_t h, int32_t *vertex)
{
    wf_status status = reserve_insertion(d);
    if (status != WF_OK) {
        return status;
    }
    const int32_t g = d->edges[h].twin, segment = d->edges[h].segment;
    const int32_t h_next = wf_edge_next(h), g_next = wf_edge_next(g);
    const int32_t h_previous = wf_edge_previous(h), g_previous = wf_edge_previous(g);
    const int32_t a = d->edges[h].origin, b = d->edges[g].origin;
    const int32_t c = d->edges[h_previous].origin, e = d->edges[g_previous].origin;
    const wf_half_edge bc = d->edges[h_next], ae = d->edges[g_next];
    const int32_t p = new_vertex(d, point);
    const int32_t u = new_triangle(d, d->region[h / 3]), w = new_triangle(d, d->region[g / 3]);
    /* a p c keeps the triangle of h, b p e that of g; u is p b c and w is p a e. */
    set_edge(d, u, p, g, segment);
    set_edge(d, u + 1, b, bc.twin, bc.segment);
    set_edge(d, u + 2, c, h_next, -1);
    set_edge(d, w, p, h, segment);
    set_edge(d, w + 1, a, ae.twin, ae.segment);
    set_edge(d, w + 2, e, g_next, -1);
    set_edge(d, h_next, p, u + 2, -1);
    set_edge(d, g_next, p, w + 2, -1);
    d->stack[0] = h_previous;
    d->stack[1] = u + 1;
    d->stack[2] = g_previous;
    d->stack[3] = w + 1;
    *vertex = p;
    return flip_until_delaunay(d, 4, true);
}

wf_status wf_delaunay_insert_at(wf_delaunay *d, wf_vec2 point, wf_place place, int32_t h, int32_t *vertex)
{
    return place == WF_PLACE_EDGE ? cut_edge(d, point, h, vertex) : cut_face(d, point, h, vertex);
}

wf_status wf_delaunay_insert(wf_delaunay *d, wf_vec2 point, int32_t start, int32_t *vertex, bool *existed)
{
    int32_t h;
    const wf_place place = wf_delaunay_locate(d, point, start, false, &h);
    *existed = place == WF_PLACE_VERTEX;
    if (*existed) {
        *vertex = d->edges[h].origin;
        return WF_OK;
    }
    return wf_delaunay_insert_at(d, point, place, h, vertex);
}

wf_status wf_delaunay_cut_edge(wf_delaunay *d, wf_vec2 point, int32_t h, int32_t *vertex)
{
    const int32_t g = d->edges[h].twin;
    const wf_vec2 a = d->points[wf_edge_origin(d, h)], b = d->points[wf_edge_target(d, h)];
    const wf_vec2 c = d->points[wf_edge_apex(d, h)], e = d->points[wf_edge_apex(d, g)];
    if (!(wf_orient2d(a, point, c) > 0 && wf_orient2d(point, b, c) > 0 && wf_orient2d(b, point, e) > 0 &&
          wf_orient2d(point, a, e) > 0)) {
        *vertex = -1;
        return WF_OK;
    }
    return cut_edge(d, point, h, vertex);
}

/* ---- segments -------------------------------------------------------------------------------------------------- */

int32_t wf_delaunay_find_edge(const wf_delaunay *d, int32_t a, int32_t b)
{
    const int32_t first = d->vertex_edge[a];
    int32_t h = first;
    do {
        if (wf_edge_target(d, h) == b) {
            return h;
        }
        h = wf_edge_around(d, h);
    } while (h != first && h >= 0);
    /* A corner of the box has no full turn: try the other way round. */
    for (int32_t g = h < 0 ? d->edges[first].twin : -1; g >= 0; g = d->edges[h].twin) {
        h = wf_edge_next(g);
        if (wf_edge_target(d, h) == b) {
            return h;
        }
    }
    return -1;
}

/* The edge opposite to vertex a that the way from a to b leaves a's triangle through; -1 when the way runs along an
 * edge of a, whose half-edge is then *along. */
static int32_t first_crossed_edge(const wf_delaunay *d, int32_t a, int32_t b, int32_t *along)
{
    const wf_vec2 p = d->points[a], q = d->points[b], direction = wf_vec2_sub(q, p);
    int32_t h = d->vertex_edge[a];
    for (;;) {
        const wf_vec2 right = d->points[wf_edge_target(d, h)], left = d->points[wf_edge_apex(d, h)];
        const double right_side = wf_orient2d(p, right, q);
        if (right_side == 0 && wf_vec2_dot(wf_vec2_sub(right, p), direction) > 0) {
            *along = h;
            return -1;
        }
        if (right_side > 0 && wf_orient2d(p, left, q) < 0) {
            return wf_edge_next(h);
        }
        h = wf_edge_around(d, h);
    }
}

/* Edges that the new segment crosses, as pairs of vertices, because flips renumber half-edges. A ring. */
typedef struct crossing_queue {
    int32_t (*edges)[2];
    size_t capacity, begin, count;
} crossing_queue;

static wf_status push_crossing(wf_delaunay *d, crossing_queue *queue, int32_t u, int32_t w)
{
    if (queue->count == queue->capacity) {
        const size_t old = queue->capacity;
        wf_status status = wf_reserve(d->context, &queue->edges, &queue->capacity, old + 1, sizeof *queue->edges);
        if (status != WF_OK) {
            return status;
        }
        /* What had wrapped around moves behind the rest; capacities at least grow by half, so move the head's run. */
        const size_t run = old - queue->begin;
        memmove(queue->edges + queue->capacity - run, queue->edges + queue->begin, run * sizeof *queue->edges);
        queue->begin = (queue->capacity - run) % queue->capacity;
    }
    const size_t at = (queue->begin + queue->count++) % queue->capacity;
    queue->edges[at][0] = u;
    queue->edges[at][1] = w;
    return WF_OK;
}

/* Collects the edges between a and b. Stops at a conflict. */
static wf_status collect_crossings(wf_delaunay *d, int32_t a, int32_t b, int32_t h, crossing_queue *queue,
                                   wf_delaunay_conflict *conflict)
{
    for (;;) {
        if (d->edges[h].segment >= 0) {
            conflict->segment = d->edges[h].segment;
            return WF_OK;
        }
        wf_status status = push_crossing(d, queue, wf_edge_origin(d, h), wf_edge_target(d, h));
        if (status != WF_OK) {
            return status;
        }
        const int32_t g = d->edges[h].twin, apex = wf_edge_apex(d, g);
        if (apex == b) {
            return WF_OK;
        }
        const double side = wf_orient2d(d->points[a], d->points[b], d->points[apex]);
        if (side == 0) {
            conflict->vertex = apex;
            return WF_OK;
        }
        h = side > 0 ? wf_edge_next(g) : wf_edge_previous(g);
    }
}

static bool is_convex(const wf_delaunay *d, int32_t h)
{
    const int32_t g = d->edges[h].twin;
    const wf_vec2 a = d->points[wf_edge_origin(d, h)], b = d->points[wf_edge_origin(d, g)];
    const wf_vec2 c = d->points[wf_edge_apex(d, h)], e = d->points[wf_edge_apex(d, g)];
    return wf_orient2d(a, e, c) > 0 && wf_orient2d(b, c, e) > 0;
}

/* Flips the crossing edges until none is left. Those that do not cross any more are appended to `settled`. */
static wf_status flip_crossings(wf_delaunay *d, int32_t a, int32_t b, crossing_queue *queue, crossing_queue *settled)
{
    while (queue->count > 0) {
        const int32_t u = queue->edges[queue->begin][0], w = queue->edges[queue->begin][1];
        queue->begin = (queue->begin + 1) % queue->capacity;
        queue->count--;
        const int32_t h = wf_delaunay_find_edge(d, u, w);
        wf_status status;
        if (!is_convex(d, h)) {
            status = push_crossing(d, queue, u, w);
        } else {
            const int32_t diagonal = flip(d, h);
            const int32_t v = wf_edge_origin(d, diagonal), x = wf_edge_target(d, diagonal);
            const double v_side = wf_orient2d(d->points[a], d->points[b], d->points[v]);
            const double x_side = wf_orient2d(d->points[a], d->points[b], d->points[x]);
            const bool crosses = (v_side > 0 && x_side < 0) || (v_side < 0 && x_side > 0);
            status = push_crossing(d, crosses ? queue : settled, v, x);
        }
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static void constrain(wf_delaunay *d, int32_t h, int32_t segment)
{
    d->edges[h].segment = segment;
    d->edges[d->edges[h].twin].segment = segment;
}

static wf_status restore_settled(wf_delaunay *d, const crossing_queue *settled)
{
    wf_status status = wf_reserve(d->context, &d->stack, &d->stack_capacity, settled->count, sizeof *d->stack);
    if (status != WF_OK) {
        return status;
    }
    size_t depth = 0;
    for (size_t i = 0; i < settled->count; i++) {
        const int32_t *edge = settled->edges[(settled->begin + i) % settled->capacity];
        const int32_t h = wf_delaunay_find_edge(d, edge[0], edge[1]);
        if (h >= 0) {
            d->stack[depth++] = h;
        }
    }
    return flip_until_delaunay(d, depth, false);
}

wf_status wf_delaunay_insert_segment(wf_delaunay *d, int32_t a, int32_t b, int32_t segment,
                                     wf_delaunay_conflict *conflict)
{
    *conflict = (wf_delaunay_conflict){-1, -1};
    int32_t along = -1;
    const int32_t crossed = first_crossed_edge(d, a, b, &along);
    if (crossed < 0) {
        conflict->segment = d->edges[along].segment;
        if (wf_edge_target(d, along) != b) {
            conflict->vertex = wf_edge_target(d, along);
        } else if (conflict->segment < 0) {
            constrain(d, along, segment);
        }
        return WF_OK;
    }
    crossing_queue queue = {0}, settled = {0};
    wf_status status = collect_crossings(d, a, b, crossed, &queue, conflict);
    if (status == WF_OK && conflict->segment < 0 && conflict->vertex < 0) {
        status = flip_crossings(d, a, b, &queue, &settled);
        if (status == WF_OK) {
            constrain(d, wf_delaunay_find_edge(d, a, b), segment);
            status = restore_settled(d, &settled);
        }
    }
    wf_free(d->context, queue.edges);
    wf_free(d->context, settled.edges);
    return status;
}
