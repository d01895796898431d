/* refine.c - Delaunay refinement and smoothing; see refine.h.
 *
 * Bad triangles wait in a queue. For each, a new vertex is placed at its circumcentre, or nearer to its shortest edge
 * when that already gives good angles (off-centre). When a constrained edge lies between the triangle and the new
 * vertex (Chew 1993), or the vertex would see one under more than 120 degrees (Shewchuk's diametral lens), that edge
 * is cut instead. A triangle between the two sides of a sharp corner stays as it is: refinement there would run into
 * the corner without end (Miller, Pav and Walkington 2003, "do not split seditious edges").
 */
#include "mesh/refine.h"

#include <string.h>

#include "base/vector.h"
#include "mesh/predicates.h"

/* Largest circumradius, in target lengths; an equilateral triangle of the target size has 0.58. */
static const double LARGEST_RADIUS = 0.92;

/* Off-centres are placed slightly inside the limit, so that rounding does not make the new triangle bad again. */
static const double OFF_CENTRE_SLACK = 0.95;

/* Smoothing may worsen a star's smallest angle only while it stays above this: sin(36 degrees). */
static const double GOOD_SINE = 0.5877852522924731;

/* A queued triangle with its corners, by which a stale entry is recognised. */
typedef struct suspect {
    int32_t triangle, corner[3];
} suspect;

typedef struct refinement {
    wf_outline *outline;
    wf_delaunay *d;
    double sine_bound, half_angle_cotangent, largest_radius;
    suspect *queue; /* entries [begin, end) */
    size_t begin, end, capacity;
    int32_t *cavity; /* triangles whose circumcircle holds the new vertex */
    size_t cavity_capacity;
} refinement;

/* What makes a triangle good or bad. */
typedef struct shape {
    int32_t shortest_edge; /* half-edge */
    double area2;          /* twice the area */
    double sine;           /* of the smallest angle */
    double radius;         /* of the circumcircle */
} shape;

static shape triangle_shape(const wf_delaunay *d, int32_t t)
{
    double squares[3];
    int shortest = 0;
    for (int k = 0; k < 3; k++) {
        const wf_vec2 e = wf_vec2_sub(d->points[wf_edge_target(d, 3 * t + k)], d->points[wf_edge_origin(d, 3 * t + k)]);
        squares[k] = wf_vec2_dot(e, e);
        shortest = squares[k] < squares[shortest] ? k : shortest;
    }
    shape s = {.shortest_edge = 3 * t + shortest};
    s.area2 = wf_orient2d(d->points[wf_edge_origin(d, 3 * t)], d->points[wf_edge_origin(d, 3 * t + 1)],
                          d->points[wf_edge_origin(d, 3 * t + 2)]);
    const double longer = sqrt(squares[(shortest + 1) % 3]) * sqrt(squares[(shortest + 2) % 3]);
    s.sine = s.area2 / longer;
    s.radius = longer * sqrt(squares[shortest]) / (2 * s.area2);
    return s;
}

static bool too_flat(const refinement *r, const shape *s)
{
    return s->sine < r->sine_bound &&
           !wf_outline_spans_corner(r->outline, wf_edge_origin(r->d, s->shortest_edge),
                                    wf_edge_target(r->d, s->shortest_edge));
}

/* ---- queue ----------------------------------------------------------------------------------------------------- */

static wf_status push_if_bad(refinement *r, int32_t t)
{
    if (r->d->region[t] != WF_REGION_INSIDE) {
        return WF_OK;
    }
    const shape s = triangle_shape(r->d, t);
    if (!(s.radius > r->largest_radius) && !too_flat(r, &s)) {
        return WF_OK;
    }
    if (r->end == r->capacity && r->begin > r->capacity / 2) {
        memmove(r->queue, r->queue + r->begin, (r->end - r->begin) * sizeof *r->queue);
        r->end -= r->begin;
        r->begin = 0;
    }
    wf_status status = wf_reserve(r->outline->context, &r->queue, &r->capacity, r->end + 1, sizeof *r->queue);
    if (status == WF_OK) {
        r->queue[r->end++] = (suspect){t, {r->d->edges[3 * t].origin, r->d->edges[3 * t + 1].origin,
                                           r->d->edges[3 * t + 2].origin}};
    }
    return status;
}

/* Every triangle that an insertion made or changed touches the new vertex. */
static wf_status push_star(refinement *r, int32_t vertex)
{
    const int32_t first = r->d->vertex_edge[vertex];
    int32_t h = first;
    do {
        wf_status status = push_if_bad(r, h / 3);
        if (status != WF_OK) {
            return status;
        }
        h = wf_edge_around(r->d, h);
    } while (h != first);
    return WF_OK;
}

static bool still_there(const refinement *r, const suspect *s)
{
    /* Flips may turn the corners of a triangle around; then it was queued again. */
    const wf_half_edge *e = &r->d->edges[3 * s->triangle];
    return e[0].origin == s->corner[0] && e[1].origin == s->corner[1] && e[2].origin == s->corner[2];
}

/* ---- new vertices ---------------------------------------------------------------------------------------------- */

/* The circumcentre, or the point on the way to it from the middle of the shortest edge that sees that edge under the
 * minimum angle. */
static wf_vec2 vertex_for(const refinement *r, const shape *s)
{
    const wf_vec2 p = r->d->points[wf_edge_origin(r->d, s->shortest_edge)];
    const wf_vec2 q = wf_vec2_sub(r->d->points[wf_edge_target(r->d, s->shortest_edge)], p);
    const wf_vec2 a = wf_vec2_sub(r->d->points[wf_edge_apex(r->d, s->shortest_edge)], p);
    const double qq = wf_vec2_dot(q, q), aa = wf_vec2_dot(a, a);
    const wf_vec2 centre = {(qq * a.y - aa * q.y) / (2 * s->area2), (aa * q.x - qq * a.x) / (2 * s->area2)};
    const wf_vec2 middle = wf_vec2_scale(q, 0.5), way = wf_vec2_sub(centre, middle);
    const double distance = wf_vec2_norm(way);
    const double enough = OFF_CENTRE_SLACK * r->half_angle_cotangent * sqrt(qq) / 2;
    if (s->radius <= r->largest_radius && distance > enough) {
        return wf_vec2_add(p, wf_vec2_add(middle, wf_vec2_scale(way, enough / distance)));
    }
    return wf_vec2_add(p, centre);
}

/* Whether the point sees edge h under more than 120 degrees. */
static bool in_lens(const wf_delaunay *d, int32_t h, wf_vec2 point)
{
    const wf_vec2 a = wf_vec2_sub(d->points[wf_edge_origin(d, h)], point);
    const wf_vec2 b = wf_vec2_sub(d->points[wf_edge_target(d, h)], point);
    const double dot = wf_vec2_dot(a, b);
    return dot < 0 && dot * dot > 0.25 * wf_vec2_dot(a, a) * wf_vec2_dot(b, b);
}

static bool in_cavity(const refinement *r, size_t count, int32_t t)
{
    for (size_t i = 0; i < count; i++) {
        if (r->cavity[i] == t) {
            return true;
        }
    }
    return false;
}

/* A constrained edge around the triangles whose circumcircle holds the point that the point is too close to; -1 none.
 * The search starts in triangle t, which holds the point. */
static wf_status find_encroached(refinement *r, wf_vec2 point, int32_t t, int32_t *encroached)
{
    const wf_delaunay *d = r->d;
    *encroached = -1;
    wf_status status = wf_reserve(r->outline->context, &r->cavity, &r->cavity_capacity, 1, sizeof *r->cavity);
    if (status != WF_OK) {
        return status;
    }
    size_t count = 0;
    r->cavity[count++] = t;
    for (size_t i = 0; i < count; i++) {
        for (int32_t h = 3 * r->cavity[i]; h < 3 * r->cavity[i] + 3; h++) {
            const int32_t g = d->edges[h].twin;
            if (d->edges[h].segment >= 0) {
                if (in_lens(d, h, point)) {
                    *encroached = h;
                    return WF_OK;
                }
                continue;
            }
            if (in_cavity(r, count, g / 3) || wf_incircle(d->points[wf_edge_origin(d, g)],
                                                          d->points[wf_edge_target(d, g)],
                                                          d->points[wf_edge_apex(d, g)], point) <= 0) {
                continue;
            }
            status = wf_reserve(r->outline->context, &r->cavity, &r->cavity_capacity, count + 1, sizeof *r->cavity);
            if (status != WF_OK) {
                return status;
            }
            r->cavity[count++] = g / 3;
        }
    }
    return WF_OK;
}

/* Improves one bad triangle: inserts a vertex or cuts a constrained edge. When neither is allowed it stays. */
static wf_status treat(refinement *r, const suspect *s)
{
    const shape bad = triangle_shape(r->d, s->triangle);
    const wf_vec2 point = vertex_for(r, &bad);
    int32_t h, vertex = -1, cut = -1;
    const wf_place place = wf_delaunay_locate(r->d, point, 3 * s->triangle, true, &h);
    wf_status status = WF_OK;
    if (place == WF_PLACE_BLOCKED || (place == WF_PLACE_EDGE && r->d->edges[h].segment >= 0)) {
        cut = h;
    } else if (place != WF_PLACE_VERTEX) {
        status = find_encroached(r, point, h / 3, &cut);
    }
    if (status != WF_OK || place == WF_PLACE_VERTEX) {
        return status;
    }
    if (cut >= 0) {
        status = wf_outline_cut(r->outline, cut, 0.5, &vertex);
    } else {
        status = wf_delaunay_insert_at(r->d, point, place, h, &vertex);
        if (status == WF_OK) {
            status = wf_outline_note_vertex(r->outline, -1, 0);
        }
    }
    if (status != WF_OK || vertex < 0) {
        return status;
    }
    status = push_star(r, vertex);
    /* Cutting an edge elsewhere may have left the triangle as bad as before. */
    return status == WF_OK && cut >= 0 && still_there(r, s) ? push_if_bad(r, s->triangle) : status;
}

wf_status wf_refine(wf_outline *outline)
{
    refinement r = {.outline = outline, .d = &outline->delaunay};
    r.sine_bound = sin(outline->params.minimum_angle);
    r.half_angle_cotangent = 1 / tan(fmax(outline->params.minimum_angle, 1e-3) / 2);
    r.largest_radius = LARGEST_RADIUS * outline->params.edge_length;
    wf_status status = WF_OK;
    for (int32_t t = 0; t < outline->delaunay.triangle_count && status == WF_OK; t++) {
        status = push_if_bad(&r, t);
    }
    while (r.begin < r.end && status == WF_OK) {
        const suspect s = r.queue[r.begin++];
        if (still_there(&r, &s)) {
            status = treat(&r, &s);
        }
    }
    wf_free(outline->context, r.queue);
    wf_free(outline->context, r.cavity);
    return status;
}

/* ---- smoothing ------------------------------------------------------------------------------------------------- */

/* The smallest sine of an angle in the triangles around `vertex` if it were at `point`; negative when one of them would
 * turn over. */
static double star_quality(const wf_delaunay *d, int32_t vertex, wf_vec2 point)
{
    double worst = 1;
    const int32_t first = d->vertex_edge[vertex];
    int32_t h = first;
    do {
        const wf_vec2 q = d->points[wf_edge_target(d, h)], s = d->points[wf_edge_apex(d, h)];
        const double area2 = wf_orient2d(point, q, s);
        if (area2 <= 0) {
            return -1;
        }
        const wf_vec2 e[3] = {wf_vec2_sub(q, point), wf_vec2_sub(s, q), wf_vec2_sub(point, s)};
        const double x = wf_vec2_dot(e[0], e[0]), y = wf_vec2_dot(e[1], e[1]), z = wf_vec2_dot(e[2], e[2]);
        const double longest = fmax(x, fmax(y, z)), middle = fmax(fmin(x, y), fmin(fmax(x, y), z));
        worst = fmin(worst, area2 / sqrt(longest * middle));
        h = wf_edge_around(d, h);
    } while (h != first);
    return worst;
}

/* The mean of the star's circumcentres, weighted with the triangles' areas. The products of both are finite for every
 * triangle, however flat. */
static wf_vec2 star_optimum(const wf_delaunay *d, int32_t vertex)
{
    const wf_vec2 p = d->points[vertex];
    wf_vec2 sum = {0, 0};
    double area2 = 0;
    const int32_t first = d->vertex_edge[vertex];
    int32_t h = first;
    do {
        const wf_vec2 q = wf_vec2_sub(d->points[wf_edge_target(d, h)], p);
        const wf_vec2 s = wf_vec2_sub(d->points[wf_edge_apex(d, h)], p);
        const double qq = wf_vec2_dot(q, q), ss = wf_vec2_dot(s, s);
        sum.x += (qq * s.y - ss * q.y) / 2;
        sum.y += (ss * q.x - qq * s.x) / 2;
        area2 += wf_vec2_cross(q, s);
        h = wf_edge_around(d, h);
    } while (h != first);
    return wf_vec2_add(p, wf_vec2_scale(sum, 1 / area2));
}

static void smooth_vertex(wf_delaunay *d, int32_t vertex)
{
    const wf_vec2 here = d->points[vertex], optimum = star_optimum(d, vertex);
    const double allowed = fmin(star_quality(d, vertex, here), GOOD_SINE);
    for (double step = 1; step > 0.2; step /= 2) {
        const wf_vec2 there = wf_vec2_add(wf_vec2_scale(here, 1 - step), wf_vec2_scale(optimum, step));
        if (star_quality(d, vertex, there) >= allowed) {
            d->points[vertex] = there;
            return;
        }
    }
}

wf_status wf_smooth(wf_outline *outline, int sweeps)
{
    wf_delaunay *d = &outline->delaunay;
    wf_status status = WF_OK;
    for (int sweep = 0; sweep < sweeps && status == WF_OK; sweep++) {
        for (int32_t v = WF_DELAUNAY_BOX_VERTICES; v < d->vertex_count; v++) {
            if (outline->vertices[v].segment < 0) {
                smooth_vertex(d, v);
            }
        }
        status = wf_delaunay_restore(d);
    }
    return status;
}
