/* outline.c - checking a polygon with holes and triangulating it; see outline.h. */
#include "mesh/outline.h"

#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "mesh/mesh.h"
#include "mesh/predicates.h"

#define DEGREE (3.14159265358979323846 / 180)

/* Below this interior angle no triangle at a corner can have good angles, and refinement must not try. */
static const double SHARP_CORNER = 30 * DEGREE;

/* The sides of a sharp corner reach as far as they turn by less than this. */
static const double STRAIGHT_SIDE = 15 * DEGREE;

/* Parts of segments are at least this long, in target lengths. */
static const double SHORTEST_PART = 0.01;

/* ---- input ----------------------------------------------------------------------------------------------------- */

static wf_status check_params(wf_context *context, const wf_triangulate_params *p)
{
    if (!(p->edge_length > 0 && p->edge_length < WF_MESH_LARGEST_COORDINATE)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the edge length must be above 0 and below %g m, got %g",
                       WF_MESH_LARGEST_COORDINATE, p->edge_length);
    }
    if (!(p->minimum_angle >= 0 && p->minimum_angle <= 30.0001 * DEGREE)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "the minimum angle must be from 0 to 30 degrees, got %g degrees",
                       p->minimum_angle / DEGREE);
    }
    if (p->triangle_limit < 1) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the triangle limit must be at least 1, got %lld",
                       (long long)p->triangle_limit);
    }
    return WF_OK;
}

static wf_status check_loops(wf_context *context, int32_t point_count, int32_t loop_count, const int32_t *loop_starts)
{
    if (loop_count < 1 || point_count < 3) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "an outline needs at least 3 points, got %d points in %d "
                       "loops", point_count, loop_count);
    }
    if (loop_starts[0] != 0 || loop_starts[loop_count] != point_count) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the loops must cover all %d points", point_count);
    }
    for (int32_t l = 0; l < loop_count; l++) {
        /* Compared without a sum: starts may be any numbers. */
        if (loop_starts[l + 1] > point_count || loop_starts[l + 1] < 3 || loop_starts[l] > loop_starts[l + 1] - 3) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "loop %d must have at least 3 points", l + 1);
        }
    }
    return WF_OK;
}

static wf_status check_lines(wf_context *context, int32_t point_count, const wf_triangulate_params *p)
{
    for (int32_t k = 0; k < p->line_count; k++) {
        const int32_t a = p->lines[k][0], b = p->lines[k][1];
        if (a < 0 || b < 0 || a >= point_count || b >= point_count || a == b) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "line %d joins points %d and %d; two different ones of %d are "
                           "needed", k + 1, a + 1, b + 1, point_count);
        }
    }
    return WF_OK;
}

static double without_tiny(double x)
{
    return fabs(x) < WF_PREDICATE_TINY ? 0 : x;
}

static wf_status copy_points(wf_outline *o, const wf_vec2 *points)
{
    for (int32_t i = 0; i < o->point_count; i++) {
        const wf_vec2 p = points[i];
        if (!(fabs(p.x) < WF_MESH_LARGEST_COORDINATE && fabs(p.y) < WF_MESH_LARGEST_COORDINATE)) {
            return wf_fail(o->context, WF_ERROR_NUMERIC,
                           "point %d is at (%g, %g); coordinates must be finite and below %g m", i + 1, p.x,
                           p.y, WF_MESH_LARGEST_COORDINATE);
        }
        o->points[i] = (wf_vec2){without_tiny(p.x), without_tiny(p.y)};
    }
    for (int32_t l = 0; l < o->loop_count; l++) {
        for (int32_t i = o->loop_starts[l]; i < o->loop_starts[l + 1]; i++) {
            o->segment_loop[i] = l;
        }
    }
    return WF_OK;
}

static double segment_length(const wf_outline *o, int32_t segment)
{
    return wf_vec2_norm(wf_vec2_sub(o->points[wf_outline_segment_end(o, segment)],
                                    o->points[wf_outline_segment_begin(o, segment)]));
}

/* Of the outline, and the lines inside. */
static int32_t segment_count(const wf_outline *o)
{
    return o->point_count + o->params.line_count;
}

/* Twice the signed area of a loop, seen from its first point. */
static double loop_area2(const wf_outline *o, int32_t loop)
{
    const wf_vec2 origin = o->points[o->loop_starts[loop]];
    double sum = 0;
    for (int32_t i = o->loop_starts[loop]; i < o->loop_starts[loop + 1]; i++) {
        sum += wf_vec2_cross(wf_vec2_sub(o->points[i], origin),
                             wf_vec2_sub(o->points[wf_outline_segment_end(o, i)], origin));
    }
    return sum;
}

/* Refuses beforehand what would become too large: equilateral triangles over the area, two per part of the outline. */
static wf_status check_size(wf_outline *o)
{
    const double h = o->params.edge_length;
    double area = 0, perimeter = 0;
    for (int32_t l = 0; l < o->loop_count; l++) {
        area += fabs(loop_area2(o, l)) / 2 * (l == 0 ? 1 : -1);
    }
    for (int32_t i = 0; i < segment_count(o); i++) {
        perimeter += segment_length(o, i);
    }
    const double estimate = (area > 0 ? area : 0) / (sqrt(0.1875) * h * h) + 2 * perimeter / h + o->point_count;
    if (!(estimate <= (double)o->params.triangle_limit)) {
        return wf_fail(o->context, WF_ERROR_LIMIT,
                       "an edge length of %g m would make about %.3g triangles, more than the limit of %lld",
                       h, estimate, (long long)o->params.triangle_limit);
    }
    return WF_OK;
}

/* ---- triangulation --------------------------------------------------------------------------------------------- */

/* Names a loop in a message. */
static void name_loop(char name[32], int32_t loop)
{
    snprintf(name, 32, loop == 0 ? "the outline" : "hole %d", loop);
}

static wf_status fail_conflict(wf_outline *o, int32_t segment, wf_delaunay_conflict conflict)
{
    char name[32], other_name[32];
    const wf_delaunay *d = &o->delaunay;
    if (wf_outline_is_line(o, segment)) {
        const wf_vec2 a = o->points[wf_outline_segment_begin(o, segment)];
        const wf_vec2 b = o->points[wf_outline_segment_end(o, segment)];
        return wf_fail(o->context, WF_ERROR_GEOMETRY,
                       "the line from (%.6g, %.6g) to (%.6g, %.6g) meets the outline, a hole or another line on its "
                       "way", a.x, a.y, b.x, b.y);
    }
    const int32_t loop = o->segment_loop[segment];
    name_loop(name, loop);
    if (conflict.vertex >= 0) {
        const int32_t point = o->vertices[conflict.vertex].segment;
        const bool self = o->segment_loop[point] == loop;
        const wf_vec2 at = d->points[conflict.vertex];
        name_loop(other_name, o->segment_loop[point]);
        return wf_fail(o->context, WF_ERROR_GEOMETRY,
                       "%s touches %s at (%.6g, %.6g): segment %d passes through point %d", name,
                       self ? "itself" : other_name, at.x, at.y, segment + 1, point + 1);
    }
    const int32_t other = conflict.segment;
    const wf_vec2 a = o->points[segment], b = o->points[wf_outline_segment_end(o, segment)];
    const wf_vec2 p = o->points[other], q = o->points[wf_outline_segment_end(o, other)];
    const wf_vec2 ab = wf_vec2_sub(b, a), pq = wf_vec2_sub(q, p);
    const double denominator = wf_vec2_cross(ab, pq);
    const double t = denominator != 0 ? wf_vec2_cross(wf_vec2_sub(p, a), pq) / denominator : 0.5;
    const wf_vec2 at = wf_vec2_add(a, wf_vec2_scale(ab, t < 0 ? 0 : t > 1 ? 1 : t));
    name_loop(other_name, o->segment_loop[other]);
    return wf_fail(o->context, WF_ERROR_GEOMETRY,
                   "%s crosses %s at (%.6g, %.6g): segment %d meets segment %d", name,
                   o->segment_loop[other] == loop ? "itself" : other_name, at.x, at.y,
                   (other < segment ? other : segment) + 1, (other < segment ? segment : other) + 1);
}

static wf_status insert_point(wf_outline *o, int32_t i, int32_t near_point)
{
    wf_delaunay *d = &o->delaunay;
    int32_t vertex;
    bool existed;
    const int32_t start = near_point < 0 ? 0 : d->vertex_edge[o->point_vertex[near_point]];
    wf_status status = wf_delaunay_insert(d, o->points[i], start, &vertex, &existed);
    if (status != WF_OK) {
        return status;
    }
    if (existed) {
        const int32_t other = o->vertices[vertex].segment;
        return wf_fail(o->context, WF_ERROR_GEOMETRY, "points %d and %d coincide at (%.6g, %.6g)",
                       (other < i ? other : i) + 1, (other < i ? i : other) + 1, o->points[i].x, o->points[i].y);
    }
    o->point_vertex[i] = vertex;
    return wf_outline_note_vertex(o, i, 0);
}

/* Inserts the points in halving strides: each is near one that is there already, so that it is found at once, and the
 * order is spread out enough to keep the number of flips small. */
static wf_status insert_points(wf_outline *o)
{
    int32_t stride = 1;
    while (stride <= o->point_count / 2) {
        stride *= 2;
    }
    wf_status status = insert_point(o, 0, -1);
    for (int64_t s = stride; s >= 1 && status == WF_OK; s /= 2) {
        for (int64_t i = s; i < o->point_count && status == WF_OK; i += 2 * s) {
            status = insert_point(o, (int32_t)i, (int32_t)(i - s));
        }
    }
    return status;
}

static wf_status insert_segments(wf_outline *o)
{
    for (int32_t s = 0; s < segment_count(o); s++) {
        wf_delaunay_conflict conflict;
        wf_status status = wf_delaunay_insert_segment(&o->delaunay, o->point_vertex[wf_outline_segment_begin(o, s)],
                                                      o->point_vertex[wf_outline_segment_end(o, s)], s, &conflict);
        if (status != WF_OK) {
            return status;
        }
        if (conflict.vertex >= 0 || conflict.segment >= 0) {
            return fail_conflict(o, s, conflict);
        }
    }
    return WF_OK;
}

/* The label beyond a segment of `loop` for one who stands in `region`; an error when the loop has no business there. */
static wf_status cross_loop(wf_outline *o, int32_t loop, int32_t segment, int32_t region, int32_t *beyond)
{
    const wf_vec2 at = o->points[segment];
    *beyond = WF_REGION_INSIDE;
    if (region == WF_REGION_INSIDE) {
        *beyond = loop == 0 ? WF_REGION_OUTSIDE : WF_REGION_INSIDE + loop;
        return WF_OK;
    }
    const int32_t expected = region == WF_REGION_OUTSIDE ? 0 : region - WF_REGION_INSIDE;
    if (loop == expected) {
        return WF_OK;
    }
    if (region == WF_REGION_OUTSIDE) {
        return wf_fail(o->context, WF_ERROR_GEOMETRY, "hole %d lies outside the outline, near (%.6g, %.6g)",
                       loop, at.x, at.y);
    }
    return wf_fail(o->context, WF_ERROR_GEOMETRY, "hole %d lies inside hole %d, near (%.6g, %.6g)", loop,
                   expected, at.x, at.y);
}

/* Labels all triangles, from the box inward. */
static wf_status label_regions(wf_outline *o)
{
    wf_delaunay *d = &o->delaunay;
    wf_status status = wf_reserve(o->context, &d->stack, &d->stack_capacity, (size_t)d->triangle_count,
                                  sizeof *d->stack);
    if (status != WF_OK) {
        return status;
    }
    size_t depth = 0;
    const int32_t first = d->vertex_edge[0] / 3;
    d->region[first] = WF_REGION_OUTSIDE;
    d->stack[depth++] = first;
    while (depth > 0) {
        const int32_t t = d->stack[--depth];
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            const int32_t twin = d->edges[h].twin, segment = d->edges[h].segment;
            if (twin < 0 || d->region[twin / 3] != WF_REGION_UNKNOWN) {
                continue;
            }
            int32_t beyond = d->region[t];
            if (segment >= 0 && !wf_outline_is_line(o, segment)) {
                status = cross_loop(o, o->segment_loop[segment], segment, d->region[t], &beyond);
                if (status != WF_OK) {
                    return status;
                }
            }
            d->region[twin / 3] = beyond;
            d->stack[depth++] = twin / 3;
        }
    }
    return WF_OK;
}

/* ---- corners --------------------------------------------------------------------------------------------------- */

static wf_vec2 segment_direction(const wf_outline *o, int32_t segment)
{
    return wf_vec2_sub(o->points[wf_outline_segment_end(o, segment)], o->points[segment]);
}

static bool nearly_parallel(wf_vec2 a, wf_vec2 b)
{
    return wf_vec2_dot(a, b) > cos(STRAIGHT_SIDE) * wf_vec2_norm(a) * wf_vec2_norm(b);
}

/* Follows both sides of each sharp corner as long as they stay straight. */
static void find_sharp_corners(wf_outline *o)
{
    memset(o->corner_before, -1, (size_t)o->point_count * sizeof *o->corner_before);
    memset(o->corner_after, -1, (size_t)o->point_count * sizeof *o->corner_after);
    for (int32_t l = 0; l < o->loop_count; l++) {
        /* With the interior on the left, an interior angle turns from the way ahead to the way back. */
        const double sign = (loop_area2(o, l) > 0) == (l == 0) ? 1 : -1;
        const int32_t begin = o->loop_starts[l], end = o->loop_starts[l + 1];
        for (int32_t i = begin; i < end; i++) {
            const int32_t before = i > begin ? i - 1 : end - 1;
            const wf_vec2 ahead = segment_direction(o, i);
            const wf_vec2 back = wf_vec2_scale(segment_direction(o, before), -1);
            const double angle = atan2(sign * wf_vec2_cross(ahead, back), wf_vec2_dot(ahead, back));
            if (!(angle > 0 && angle < SHARP_CORNER)) {
                continue;
            }
            for (int32_t s = i, n = 0; n < end - begin; n++, s = wf_outline_segment_end(o, s)) {
                if (!nearly_parallel(segment_direction(o, s), ahead)) {
                    break;
                }
                o->corner_before[s] = i;
            }
            const wf_vec2 backward = wf_vec2_scale(back, -1);
            for (int32_t s = before, n = 0; n < end - begin; n++, s = s > begin ? s - 1 : end - 1) {
                if (!nearly_parallel(segment_direction(o, s), backward)) {
                    break;
                }
                o->corner_after[s] = i;
            }
        }
    }
}

/* The sharp corner from which a vertex is reached along the loop, and the one that it leads to; -1 where none. */
static void vertex_corners(const wf_outline *o, int32_t vertex, int32_t *before, int32_t *after)
{
    const wf_outline_vertex v = o->vertices[vertex];
    *before = *after = -1;
    if (v.segment < 0 || wf_outline_is_line(o, v.segment)) {
        return;
    }
    int32_t arriving = v.segment;
    if (v.t == 0) {
        const int32_t loop = o->segment_loop[v.segment];
        arriving = v.segment > o->loop_starts[loop] ? v.segment - 1 : o->loop_starts[loop + 1] - 1;
    }
    *before = o->corner_before[arriving];
    *after = o->corner_after[v.segment];
}

bool wf_outline_spans_corner(const wf_outline *o, int32_t u, int32_t w)
{
    int32_t u_before, u_after, w_before, w_after;
    vertex_corners(o, u, &u_before, &u_after);
    vertex_corners(o, w, &w_before, &w_after);
    return (u_before >= 0 && u_before == w_after) || (u_after >= 0 && u_after == w_before);
}

/* ---- cutting segments ------------------------------------------------------------------------------------------ */

wf_status wf_outline_note_vertex(wf_outline *o, int32_t segment, double t)
{
    const size_t count = (size_t)o->delaunay.vertex_count;
    wf_status status = wf_reserve(o->context, &o->vertices, &o->vertex_capacity, count, sizeof *o->vertices);
    if (status != WF_OK) {
        return status;
    }
    o->vertices[count - 1] = (wf_outline_vertex){segment, t};
    o->face_count += segment < 0 || wf_outline_is_line(o, segment) ? 2 : 1;
    if (o->face_count > o->params.triangle_limit) {
        return wf_fail(o->context, WF_ERROR_LIMIT, "refinement needs more triangles than the limit of %lld",
                       (long long)o->params.triangle_limit);
    }
    return WF_OK;
}

/* The fraction of the segment at which one of its vertices lies. */
static double parameter_on(const wf_outline *o, int32_t vertex, int32_t segment)
{
    if (vertex == o->point_vertex[wf_outline_segment_begin(o, segment)]) {
        return 0;
    }
    return vertex == o->point_vertex[wf_outline_segment_end(o, segment)] ? 1 : o->vertices[vertex].t;
}

static wf_status cut_at(wf_outline *o, int32_t h, double t, int32_t *vertex)
{
    const int32_t segment = o->delaunay.edges[h].segment;
    const wf_vec2 a = o->points[wf_outline_segment_begin(o, segment)];
    const wf_vec2 b = o->points[wf_outline_segment_end(o, segment)];
    wf_status status = wf_delaunay_cut_edge(&o->delaunay, wf_vec2_add(wf_vec2_scale(a, 1 - t), wf_vec2_scale(b, t)), h,
                                            vertex);
    if (status != WF_OK || *vertex < 0) {
        return status;
    }
    return wf_outline_note_vertex(o, segment, t);
}

wf_status wf_outline_cut(wf_outline *o, int32_t h, double fraction, int32_t *vertex)
{
    *vertex = -1;
    const int32_t segment = o->delaunay.edges[h].segment;
    const double from = parameter_on(o, wf_edge_origin(&o->delaunay, h), segment);
    const double to = parameter_on(o, wf_edge_target(&o->delaunay, h), segment);
    const double shortest = SHORTEST_PART * o->params.edge_length;
    const double part = fabs(to - from) * (fraction < 0.5 ? fraction : 1 - fraction) * segment_length(o, segment);
    if ((!o->params.split_boundary && !wf_outline_is_line(o, segment)) || part < shortest) {
        return WF_OK;
    }
    return cut_at(o, h, from + fraction * (to - from), vertex);
}

/* Cuts the piece of a segment between its vertices `from` at part `first` and `to` at part `last`, the middle first: in
 * order from one end, two long sides of a sliver would flip all the edges between them again and again. */
static wf_status cut_piece(wf_outline *o, int32_t from, int32_t to, int32_t first, int32_t last, int32_t parts)
{
    const int32_t middle = first + (last - first) / 2;
    if (middle == first) {
        return WF_OK;
    }
    int32_t vertex;
    const int32_t h = wf_delaunay_find_edge(&o->delaunay, from, to);
    wf_status status = cut_at(o, h, (double)middle / parts, &vertex);
    if (status == WF_OK && vertex >= 0) {
        status = cut_piece(o, from, vertex, first, middle, parts);
        if (status == WF_OK) {
            status = cut_piece(o, vertex, to, middle, last, parts);
        }
    }
    return status;
}

/* Cuts segments that are much longer than the target into equal parts. */
static wf_status cut_long_segments(wf_outline *o)
{
    const double h = o->params.edge_length;
    wf_status status = WF_OK;
    for (int32_t s = o->params.split_boundary ? 0 : o->point_count; s < segment_count(o) && status == WF_OK; s++) {
        const double length = segment_length(o, s);
        if (length > WF_LONGEST_SEGMENT * h) {
            const int32_t parts = (int32_t)(length / h + 0.5);
            status = cut_piece(o, o->point_vertex[wf_outline_segment_begin(o, s)],
                               o->point_vertex[wf_outline_segment_end(o, s)], 0, parts, parts);
        }
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* The box is large enough that it does not disturb the triangulation of the inside: constraints shield that anyway. */
static wf_status begin_box(wf_outline *o)
{
    wf_vec2 lower = o->points[0], upper = o->points[0];
    for (int32_t i = 1; i < o->point_count; i++) {
        lower = (wf_vec2){fmin(lower.x, o->points[i].x), fmin(lower.y, o->points[i].y)};
        upper = (wf_vec2){fmax(upper.x, o->points[i].x), fmax(upper.y, o->points[i].y)};
    }
    const double margin = fmax(upper.x - lower.x, upper.y - lower.y) + o->params.edge_length;
    lower = (wf_vec2){lower.x - margin, lower.y - margin};
    upper = (wf_vec2){upper.x + margin, upper.y + margin};
    wf_status status = wf_delaunay_begin(o->context, lower, upper, &o->delaunay);
    if (status != WF_OK) {
        return status;
    }
    status = wf_reserve(o->context, &o->vertices, &o->vertex_capacity, WF_DELAUNAY_BOX_VERTICES, sizeof *o->vertices);
    if (status == WF_OK) {
        for (int v = 0; v < WF_DELAUNAY_BOX_VERTICES; v++) {
            o->vertices[v] = (wf_outline_vertex){-1, 0};
        }
    }
    return status;
}

static wf_status triangulate_loops(wf_outline *o, const wf_vec2 *points)
{
    wf_status status = copy_points(o, points);
    if (status == WF_OK) {
        status = check_size(o);
    }
    if (status == WF_OK) {
        status = begin_box(o);
    }
    if (status == WF_OK) {
        status = insert_points(o);
    }
    if (status == WF_OK) {
        status = insert_segments(o);
    }
    if (status == WF_OK) {
        status = label_regions(o);
    }
    if (status == WF_OK) {
        find_sharp_corners(o);
        status = cut_long_segments(o);
    }
    return status;
}

wf_status wf_outline_begin(wf_context *context, int32_t point_count, const wf_vec2 *points, int32_t loop_count,
                           const int32_t *loop_starts, const wf_triangulate_params *params, wf_outline *o)
{
    memset(o, 0, sizeof *o);
    wf_status status = check_params(context, params);
    if (status == WF_OK) {
        status = check_loops(context, point_count, loop_count, loop_starts);
    }
    if (status == WF_OK) {
        status = check_lines(context, point_count, params);
    }
    if (status != WF_OK) {
        return status;
    }
    o->context = context;
    o->params = *params;
    o->point_count = point_count;
    o->loop_count = loop_count;
    o->loop_starts = loop_starts;
    o->face_count = 2 * ((int64_t)loop_count - 1) - 2;
    o->points = wf_allocate(context, (size_t)point_count, sizeof *o->points);
    o->point_vertex = wf_allocate(context, (size_t)point_count, sizeof *o->point_vertex);
    o->segment_loop = wf_allocate(context, (size_t)point_count, sizeof *o->segment_loop);
    o->corner_before = wf_allocate(context, (size_t)point_count, sizeof *o->corner_before);
    o->corner_after = wf_allocate(context, (size_t)point_count, sizeof *o->corner_after);
    bool complete = o->points && o->point_vertex && o->segment_loop && o->corner_before && o->corner_after;
    status = complete ? triangulate_loops(o, points) : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        wf_outline_free(o);
    }
    return status;
}

void wf_outline_free(wf_outline *o)
{
    if (!o->context) {
        return;
    }
    wf_free(o->context, o->points);
    wf_free(o->context, o->point_vertex);
    wf_free(o->context, o->segment_loop);
    wf_free(o->context, o->corner_before);
    wf_free(o->context, o->corner_after);
    wf_free(o->context, o->vertices);
    wf_delaunay_free(&o->delaunay);
    memset(o, 0, sizeof *o);
}
