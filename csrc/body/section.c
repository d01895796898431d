/* section.c - plane sections of triangle meshes; see section.h.
 *
 * Every edge with one end above the plane and one below carries a point; every face that the plane cuts joins two such
 * edges. Walking from face to face through the cut edges gives the curves.
 */
#include "body/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* What one cut needs: heights over the plane, which faces are done, room for hulls. */
typedef struct cutter {
    wf_context *context;
    const wf_mesh *mesh;
    const wf_vec3 *positions;
    wf_vec3 origin, normal, axis_u, axis_v; /* axis_u, axis_v span the plane */
    double *heights;   /* [vertex_count] */
    bool *face_done;   /* [face_count] */
    wf_vec2 *flat;     /* a curve's points in the plane */
    size_t flat_capacity;
    wf_vec2 *hull;
    size_t hull_capacity;
    wf_section *section;
} cutter;

static bool edge_is_cut(const cutter *cut, int32_t edge)
{
    const int32_t *ends = cut->mesh->edges[edge];
    return (cut->heights[ends[0]] >= 0) != (cut->heights[ends[1]] >= 0);
}

static wf_vec3 cut_point(const cutter *cut, int32_t edge)
{
    const int32_t *ends = cut->mesh->edges[edge];
    double a = cut->heights[ends[0]], b = cut->heights[ends[1]];
    return wf_vec3_lerp(cut->positions[ends[0]], cut->positions[ends[1]], a / (a - b));
}

static wf_status add_point(cutter *cut, int32_t edge)
{
    wf_section *section = cut->section;
    wf_status status = wf_reserve(cut->context, &section->points, &section->point_capacity,
                                  (size_t)section->point_count + 1, sizeof *section->points);
    if (status == WF_OK) {
        section->points[section->point_count++] = cut_point(cut, edge);
    }
    return status;
}

/* The other cut edge of a face that is entered through `edge`. */
static int32_t opposite_cut_edge(const cutter *cut, int32_t face, int32_t edge)
{
    for (int k = 0; k < 3; k++) {
        int32_t other = cut->mesh->face_edges[face][k];
        if (other != edge && edge_is_cut(cut, other)) {
            return other;
        }
    }
    return -1;
}

/* Walks from `edge` into `face`, adding the points of the edges it leaves through, until it meets the boundary or a
 * face that is done. Returns the last edge. */
static wf_status walk(cutter *cut, int32_t edge, int32_t face, int32_t *last)
{
    *last = edge;
    while (face >= 0 && !cut->face_done[face]) {
        cut->face_done[face] = true;
        int32_t next = opposite_cut_edge(cut, face, *last);
        wf_status status = add_point(cut, next);
        if (status != WF_OK) {
            return status;
        }
        const int32_t *faces = cut->mesh->edge_faces[next];
        face = faces[0] == face ? faces[1] : faces[0];
        *last = next;
    }
    return WF_OK;
}

static double curve_length(const wf_vec3 *points, int32_t count, bool closed, wf_vec3 *centroid)
{
    double length = 0;
    wf_vec3 moment = {0, 0, 0};
    for (int32_t i = closed ? 0 : 1; i < count; i++) {
        wf_vec3 a = points[i > 0 ? i - 1 : count - 1], b = points[i];
        double part = wf_vec3_distance(a, b);
        moment = wf_vec3_muladds(moment, wf_vec3_add(a, b), part / 2);
        length += part;
    }
    *centroid = length > 0 ? wf_vec3_scale(moment, 1 / length) : points[0];
    return length;
}

static int compare_flat(const void *a, const void *b)
{
    const wf_vec2 *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

/* Perimeter of the convex hull of sorted points (Andrew 1979). `hull` has room for 2 count. */
static double hull_perimeter(const wf_vec2 *sorted, int32_t count, wf_vec2 *hull)
{
    int32_t size = 0;
    for (int pass = 0, floor_size = 1; pass < 2; pass++, floor_size = size) {
        for (int32_t k = pass == 0 ? 0 : 1; k < count; k++) {
            wf_vec2 p = sorted[pass == 0 ? k : count - 1 - k];
            while (size > floor_size && wf_vec2_cross(wf_vec2_sub(hull[size - 1], hull[size - 2]),
                                                      wf_vec2_sub(p, hull[size - 1])) <= 0) {
                size--;
            }
            hull[size++] = p;
        }
    }
    double perimeter = 0;
    for (int32_t k = 1; k < size; k++) {
        perimeter += wf_vec2_norm(wf_vec2_sub(hull[k], hull[k - 1]));
    }
    return perimeter;
}

static wf_status curve_girth(cutter *cut, wf_section_curve *curve)
{
    size_t count = (size_t)curve->count;
    wf_status status = wf_reserve(cut->context, &cut->flat, &cut->flat_capacity, count, sizeof *cut->flat);
    if (status == WF_OK) {
        status = wf_reserve(cut->context, &cut->hull, &cut->hull_capacity, 2 * count + 1, sizeof *cut->hull);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        wf_vec3 p = wf_vec3_sub(cut->section->points[(size_t)curve->first + i], cut->origin);
        cut->flat[i] = (wf_vec2){wf_vec3_dot(p, cut->axis_u), wf_vec3_dot(p, cut->axis_v)};
    }
    qsort(cut->flat, count, sizeof *cut->flat, compare_flat);
    curve->girth = hull_perimeter(cut->flat, curve->count, cut->hull);
    return WF_OK;
}

static void reverse_points(wf_vec3 *points, int32_t count)
{
    for (int32_t i = 0; i < count / 2; i++) {
        wf_vec3 swapped = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = swapped;
    }
}

/* Follows the curve through `face` in both directions. */
static wf_status add_curve(cutter *cut, int32_t face)
{
    wf_section *section = cut->section;
    wf_section_curve curve = {.first = section->point_count};
    int32_t start = opposite_cut_edge(cut, face, -1), last;
    wf_status status = walk(cut, start, face, &last);
    if (status != WF_OK) {
        return status;
    }
    curve.closed = last == start;
    if (!curve.closed) {
        /* The curve ended at a boundary: turn what there is around and walk from the start the other way. */
        reverse_points(section->points + curve.first, section->point_count - curve.first);
        status = add_point(cut, start);
        const int32_t *faces = cut->mesh->edge_faces[start];
        if (status == WF_OK) {
            status = walk(cut, start, faces[0] == face ? faces[1] : faces[0], &last);
        }
    }
    curve.count = section->point_count - curve.first;
    curve.length = curve_length(section->points + curve.first, curve.count, curve.closed, &curve.centroid);
    if (status == WF_OK) {
        status = curve_girth(cut, &curve);
    }
    if (status == WF_OK) {
        status = wf_reserve(cut->context, &section->curves, &section->curve_capacity, (size_t)section->curve_count + 1,
                            sizeof *section->curves);
    }
    if (status == WF_OK) {
        section->curves[section->curve_count++] = curve;
    }
    return status;
}

static int compare_curves(const void *a, const void *b)
{
    const wf_section_curve *p = a, *q = b;
    if (p->girth != q->girth) {
        return p->girth > q->girth ? -1 : 1;
    }
    return p->first < q->first ? -1 : p->first > q->first;
}

static wf_status cut_all(cutter *cut)
{
    const wf_mesh *mesh = cut->mesh;
    cut->heights = wf_allocate(cut->context, (size_t)mesh->vertex_count, sizeof *cut->heights);
    cut->face_done = wf_allocate(cut->context, (size_t)mesh->face_count, sizeof *cut->face_done);
    if (!cut->heights || !cut->face_done) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        cut->heights[i] = wf_vec3_dot(wf_vec3_sub(cut->positions[i], cut->origin), cut->normal);
    }
    for (int32_t i = 0; i < mesh->face_count; i++) {
        if (!cut->face_done[i] && opposite_cut_edge(cut, i, -1) >= 0) {
            wf_status status = add_curve(cut, i);
            if (status != WF_OK) {
                return status;
            }
        }
    }
    if (cut->section->curve_count > 0) {
        qsort(cut->section->curves, (size_t)cut->section->curve_count, sizeof *cut->section->curves, compare_curves);
    }
    return WF_OK;
}

wf_status wf_section_cut(wf_context *context, const wf_mesh *mesh, const wf_vec3 *positions, wf_vec3 origin,
                         wf_vec3 normal, wf_section *section)
{
    *section = (wf_section){0};
    /* Any unit vector well away from the normal gives the plane's axes. */
    wf_vec3 helper = fabs(normal.x) < 0.6 ? (wf_vec3){1, 0, 0} : (wf_vec3){0, 1, 0};
    cutter cut = {.context = context, .mesh = mesh, .positions = positions, .origin = origin, .normal = normal};
    cut.axis_u = wf_vec3_normalize(wf_vec3_cross(normal, helper));
    cut.axis_v = wf_vec3_cross(normal, cut.axis_u);
    cut.section = section;
    wf_status status = cut_all(&cut);
    wf_free(context, cut.heights);
    wf_free(context, cut.face_done);
    wf_free(context, cut.flat);
    wf_free(context, cut.hull);
    if (status != WF_OK) {
        wf_section_free(context, section);
    }
    return status;
}

void wf_section_free(wf_context *context, wf_section *section)
{
    wf_free(context, section->points);
    wf_free(context, section->curves);
    *section = (wf_section){0};
}

const wf_section_curve *wf_section_nearest(const wf_section *section, wf_vec3 point)
{
    const wf_section_curve *nearest = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < section->curve_count; i++) {
        double distance = wf_vec3_distance(section->curves[i].centroid, point);
        if (distance < least) {
            least = distance;
            nearest = &section->curves[i];
        }
    }
    return nearest;
}
