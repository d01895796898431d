/* hull.c - see hull.h. The hull of the points so far is a closed surface; a new point outside of it replaces the faces
 * that it sees by those that join it to the border of what it sees. */
#include "body/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "mesh/predicates.h"

typedef struct directed_edge {
    int32_t from, to;
} directed_edge;

typedef struct builder {
    wf_context *context;
    const wf_vec3 *points;
    int32_t (*faces)[3];
    size_t face_count, face_capacity;
    directed_edge *edges; /* of the faces that the point at hand sees */
    size_t edge_count, edge_capacity;
} builder;

static bool sees(const builder *b, const int32_t face[3], int32_t point)
{
    return wf_orient3d(b->points[face[0]], b->points[face[1]], b->points[face[2]], b->points[point]) > 0;
}

static int compare_edges(const void *a, const void *b)
{
    const directed_edge *p = a, *q = b;
    int32_t low[2] = {p->from < p->to ? p->from : p->to, q->from < q->to ? q->from : q->to};
    int32_t high[2] = {p->from < p->to ? p->to : p->from, q->from < q->to ? q->to : q->from};
    if (low[0] != low[1]) {
        return low[0] < low[1] ? -1 : 1;
    }
    if (high[0] != high[1]) {
        return high[0] < high[1] ? -1 : 1;
    }
    return p->from < q->from ? -1 : p->from > q->from;
}

static wf_status add_face(builder *b, int32_t i, int32_t j, int32_t k)
{
    wf_status status = wf_reserve(b->context, &b->faces, &b->face_capacity, b->face_count + 1, sizeof *b->faces);
    if (status == WF_OK) {
        int32_t *face = b->faces[b->face_count++];
        face[0] = i;
        face[1] = j;
        face[2] = k;
    }
    return status;
}

/* Takes the faces away that the point sees, and lists their edges. */
static wf_status remove_seen(builder *b, int32_t point)
{
    size_t kept = 0;
    b->edge_count = 0;
    wf_status status = WF_OK;
    for (size_t f = 0; f < b->face_count && status == WF_OK; f++) {
        int32_t face[3];
        memcpy(face, b->faces[f], sizeof face);
        if (!sees(b, face, point)) {
            memcpy(b->faces[kept++], face, sizeof face);
            continue;
        }
        status = wf_reserve(b->context, &b->edges, &b->edge_capacity, b->edge_count + 3, sizeof *b->edges);
        for (int k = 0; k < 3 && status == WF_OK; k++) {
            b->edges[b->edge_count++] = (directed_edge){face[k], face[(k + 1) % 3]};
        }
    }
    b->face_count = status == WF_OK ? kept : b->face_count;
    return status;
}

static wf_status add_point(builder *b, int32_t point)
{
    wf_status status = remove_seen(b, point);
    if (status != WF_OK || b->edge_count == 0) {
        return status;
    }
    /* An edge between two faces that are gone is there twice, once in each direction. */
    qsort(b->edges, b->edge_count, sizeof *b->edges, compare_edges);
    for (size_t e = 0; e < b->edge_count && status == WF_OK; e++) {
        bool inner = e + 1 < b->edge_count && b->edges[e].from == b->edges[e + 1].to &&
                     b->edges[e].to == b->edges[e + 1].from;
        if (inner) {
            e++;
        } else {
            status = add_face(b, b->edges[e].from, b->edges[e].to, point);
        }
    }
    return status;
}

/* The corners of a tetrahedron with a volume: the point farthest from the first, from their line, from their plane. */
static bool find_start(const wf_vec3 *points, int32_t count, int32_t corner[4])
{
    double largest[3] = {0, 0, 0};
    memset(corner, 0, 4 * sizeof *corner);
    for (int32_t i = 0; i < count; i++) {
        double away = wf_vec3_distance(points[i], points[0]);
        if (away > largest[0]) {
            largest[0] = away;
            corner[1] = i;
        }
    }
    wf_vec3 line = wf_vec3_sub(points[corner[1]], points[0]);
    for (int32_t i = 0; i < count; i++) {
        double away = wf_vec3_norm(wf_vec3_cross(line, wf_vec3_sub(points[i], points[0])));
        if (away > largest[1]) {
            largest[1] = away;
            corner[2] = i;
        }
    }
    double side = 0;
    for (int32_t i = 0; i < count; i++) {
        double volume = wf_orient3d(points[0], points[corner[1]], points[corner[2]], points[i]);
        if (fabs(volume) > largest[2]) {
            largest[2] = fabs(volume);
            side = volume;
            corner[3] = i;
        }
    }
    if (side > 0) { /* the fourth must not see the face of the others */
        int32_t swapped = corner[1];
        corner[1] = corner[2];
        corner[2] = swapped;
    }
    return side != 0;
}

static wf_status build(builder *b, int32_t point_count)
{
    int32_t c[4];
    if (point_count == 0 || !find_start(b->points, point_count, c)) {
        return wf_fail(b->context, WF_ERROR_GEOMETRY, "the points lie in a plane, and have no hull with a volume");
    }
    wf_status status = add_face(b, c[0], c[1], c[2]);
    for (int k = 0; k < 3 && status == WF_OK; k++) {
        status = add_face(b, c[(k + 1) % 3], c[k], c[3]);
    }
    for (int32_t i = 0; i < point_count && status == WF_OK; i++) {
        status = add_point(b, i);
    }
    return status;
}

wf_status wf_hull_build(wf_context *context, int32_t point_count, const wf_vec3 *points, int32_t (**faces)[3],
                        int32_t *face_count)
{
    *faces = NULL;
    *face_count = 0;
    if (point_count > WF_HULL_LARGEST_POINT_COUNT) {
        return wf_fail(context, WF_ERROR_LIMIT, "%d points, expected at most %d", point_count,
                       WF_HULL_LARGEST_POINT_COUNT);
    }
    builder b = {.context = context, .points = points};
    wf_status status = build(&b, point_count);
    wf_free(context, b.edges);
    if (status != WF_OK) {
        wf_free(context, b.faces);
        return status;
    }
    *faces = b.faces;
    *face_count = (int32_t)b.face_count;
    return WF_OK;
}
