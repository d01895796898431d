/* mesh.c - building and describing indexed triangle meshes; see mesh.h. */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "mesh/predicates.h"
#include "mesh/union_find.h"

/* ---- faces that no mesh can hold --------------------------------------------------------------------------------- */

/* A face's vertices in increasing order, and its place. */
typedef struct sorted_face {
    int32_t vertices[3], place;
} sorted_face;

static int compare_faces(const void *a, const void *b)
{
    const sorted_face *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->vertices[k] != q->vertices[k]) {
            return p->vertices[k] < q->vertices[k] ? -1 : 1;
        }
    }
    return p->place < q->place ? -1 : p->place > q->place;
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t swapped = *a;
    *a = *b;
    *b = swapped;
}

static void order(int32_t *a, int32_t *b)
{
    if (*a > *b) {
        swap(a, b);
    }
}

wf_status wf_mesh_drop_bad_faces(wf_context *context, int32_t (*faces)[3], int32_t *face_count)
{
    size_t given = (size_t)*face_count;
    sorted_face *sorted = wf_allocate(context, given, sizeof *sorted);
    bool *dropped = wf_allocate(context, given, sizeof *dropped);
    if (!sorted || !dropped) {
        wf_free(context, sorted);
        wf_free(context, dropped);
        return WF_ERROR_MEMORY;
    }
    for (size_t f = 0; f < given; f++) {
        sorted_face *face = &sorted[f];
        *face = (sorted_face){{faces[f][0], faces[f][1], faces[f][2]}, (int32_t)f};
        order(&face->vertices[0], &face->vertices[1]);
        order(&face->vertices[1], &face->vertices[2]);
        order(&face->vertices[0], &face->vertices[1]);
        dropped[f] = face->vertices[0] == face->vertices[1] || face->vertices[1] == face->vertices[2];
    }
    qsort(sorted, given, sizeof *sorted, compare_faces);
    for (size_t i = 1; i < given; i++) {
        if (memcmp(sorted[i - 1].vertices, sorted[i].vertices, sizeof sorted[i].vertices) == 0) {
            dropped[sorted[i].place] = true;
        }
    }
    *face_count = 0;
    for (size_t f = 0; f < given; f++) {
        if (!dropped[f]) {
            memmove(faces[(*face_count)++], faces[f], sizeof *faces);
        }
    }
    wf_free(context, sorted);
    wf_free(context, dropped);
    return WF_OK;
}

/* ---- building -------------------------------------------------------------------------------------------------- */

static wf_status check_positions(wf_context *context, int32_t count, const wf_vec3 *positions)
{
    for (int32_t v = 0; v < count; v++) {
        const wf_vec3 p = positions[v];
        if (!(fabs(p.x) < WF_MESH_LARGEST_COORDINATE && fabs(p.y) < WF_MESH_LARGEST_COORDINATE &&
              fabs(p.z) < WF_MESH_LARGEST_COORDINATE)) {
            return wf_fail(context, WF_ERROR_NUMERIC,
                           "vertex %d is at (%g, %g, %g); coordinates must be finite and below %g m", v + 1, p.x,
                           p.y, p.z, WF_MESH_LARGEST_COORDINATE);
        }
    }
    return WF_OK;
}

static wf_status check_corners(wf_context *context, int32_t vertex_count, int32_t face_count,
                               const int32_t (*faces)[3])
{
    if (vertex_count < 0 || face_count < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "counts must not be negative, got %d vertices and %d faces",
                       vertex_count, face_count);
    }
    if (face_count > WF_MESH_LARGEST_FACE_COUNT) {
        return wf_fail(context, WF_ERROR_LIMIT, "%d faces are more than the largest number, %d", face_count,
                       WF_MESH_LARGEST_FACE_COUNT);
    }
    for (int32_t f = 0; f < face_count; f++) {
        const int32_t *v = faces[f];
        for (int k = 0; k < 3; k++) {
            if (v[k] < 0 || v[k] >= vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "face %d names vertex %lld, but there are %d vertices",
                               f + 1, (long long)v[k] + 1, vertex_count);
            }
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return wf_fail(context, WF_ERROR_GEOMETRY, "face %d names vertex %d twice", f + 1,
                           (v[0] == v[1] || v[0] == v[2] ? v[0] : v[1]) + 1);
        }
    }
    return WF_OK;
}

/* A half-edge is the number 3 f + k of edge k of face f. Its key in pass 0, 1, 2 of the sort is the corner opposite
 * to it, its larger and its smaller vertex. */
static int32_t half_edge_key(const int32_t (*faces)[3], int32_t half_edge, int pass)
{
    const int32_t *v = faces[half_edge / 3];
    const int k = half_edge % 3;
    const int32_t a = v[k], b = v[(k + 1) % 3];
    return pass == 0 ? v[(k + 2) % 3] : ((a > b) == (pass == 1) ? a : b);
}

/* Sorts all half-edges by (smaller vertex, larger vertex, opposite corner) with three counting passes.
 * `start` is scratch of vertex_count + 1. The result is in *sorted; *sorted and *other are swapped as needed. */
static void sort_half_edges(int32_t vertex_count, int32_t count, const int32_t (*faces)[3], int32_t **sorted,
                            int32_t **other, int32_t *start)
{
    for (int32_t h = 0; h < count; h++) {
        (*sorted)[h] = h;
    }
    for (int pass = 0; pass < 3; pass++) {
        const int32_t *from = *sorted;
        int32_t *to = *other;
        memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
        for (int32_t i = 0; i < count; i++) {
            start[half_edge_key(faces, from[i], pass) + 1]++;
        }
        for (int32_t v = 0; v < vertex_count; v++) {
            start[v + 1] += start[v];
        }
        for (int32_t i = 0; i < count; i++) {
            to[start[half_edge_key(faces, from[i], pass)]++] = from[i];
        }
        *other = *sorted;
        *sorted = to;
    }
}

static bool same_edge(const int32_t (*faces)[3], int32_t a, int32_t b)
{
    return half_edge_key(faces, a, 2) == half_edge_key(faces, b, 2) &&
           half_edge_key(faces, a, 1) == half_edge_key(faces, b, 1);
}

/* Neighbours in the sorted order that agree in all three keys are faces with the same vertices. */
static wf_status check_duplicates(wf_context *context, int32_t count, const int32_t (*faces)[3], const int32_t *sorted)
{
    int32_t first = INT32_MAX, second = INT32_MAX;
    for (int32_t i = 1; i < count; i++) {
        if (same_edge(faces, sorted[i - 1], sorted[i]) &&
            half_edge_key(faces, sorted[i - 1], 0) == half_edge_key(faces, sorted[i], 0)) {
            int32_t a = sorted[i - 1] / 3, b = sorted[i] / 3;
            if (b < second) {
                first = a;
                second = b;
            }
        }
    }
    if (first == INT32_MAX) {
        return WF_OK;
    }
    return wf_fail(context, WF_ERROR_GEOMETRY, "faces %d and %d have the same three vertices", first + 1,
                   second + 1);
}

/* Keeps the two smallest faces of an edge. */
static void add_edge_face(int32_t edge_faces[2], int32_t face)
{
    if (edge_faces[0] < 0 || face < edge_faces[0]) {
        edge_faces[1] = edge_faces[0];
        edge_faces[0] = face;
    } else if (edge_faces[1] < 0 || face < edge_faces[1]) {
        edge_faces[1] = face;
    }
}

static wf_status build_edges(wf_context *context, wf_mesh *mesh, const int32_t *sorted)
{
    const int32_t count = 3 * mesh->face_count;
    const int32_t(*faces)[3] = (const int32_t(*)[3])mesh->faces;
    int32_t edge_count = 0;
    for (int32_t i = 0; i < count; i++) {
        edge_count += i == 0 || !same_edge(faces, sorted[i - 1], sorted[i]);
    }
    mesh->edges = wf_allocate(context, (size_t)edge_count, sizeof *mesh->edges);
    mesh->edge_faces = wf_allocate(context, (size_t)edge_count, sizeof *mesh->edge_faces);
    mesh->face_edges = wf_allocate(context, (size_t)mesh->face_count, sizeof *mesh->face_edges);
    if (!mesh->edges || !mesh->edge_faces || !mesh->face_edges) {
        return WF_ERROR_MEMORY;
    }
    mesh->edge_count = edge_count;
    int32_t e = -1;
    for (int32_t i = 0; i < count; i++) {
        const int32_t h = sorted[i];
        if (i == 0 || !same_edge(faces, sorted[i - 1], h)) {
            e++;
            mesh->edges[e][0] = half_edge_key(faces, h, 2);
            mesh->edges[e][1] = half_edge_key(faces, h, 1);
            mesh->edge_faces[e][0] = mesh->edge_faces[e][1] = -1;
        }
        mesh->face_edges[h / 3][h % 3] = e;
        add_edge_face(mesh->edge_faces[e], h / 3);
    }
    return WF_OK;
}

static wf_status build_vertex_faces(wf_context *context, wf_mesh *mesh)
{
    const size_t vertex_count = (size_t)mesh->vertex_count;
    mesh->vertex_face_start = wf_allocate(context, vertex_count + 1, sizeof *mesh->vertex_face_start);
    mesh->vertex_faces = wf_allocate(context, 3 * (size_t)mesh->face_count, sizeof *mesh->vertex_faces);
    if (!mesh->vertex_face_start || !mesh->vertex_faces) {
        return WF_ERROR_MEMORY;
    }
    int32_t *start = mesh->vertex_face_start;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            start[mesh->faces[f][k] + 1]++;
        }
    }
    for (size_t v = 0; v < vertex_count; v++) {
        start[v + 1] += start[v];
    }
    /* Filling from the back leaves start[v] at the beginning of each row when done. */
    for (int32_t f = mesh->face_count - 1; f >= 0; f--) {
        for (int k = 0; k < 3; k++) {
            mesh->vertex_faces[--start[mesh->faces[f][k] + 1]] = f;
        }
    }
    memmove(start, start + 1, vertex_count * sizeof *start);
    start[vertex_count] = 3 * mesh->face_count;
    return WF_OK;
}

/* Sorts the half-edges into *sorted, which the caller frees also on failure, and refuses duplicate faces. */
static wf_status sort_and_check(wf_context *context, int32_t vertex_count, int32_t face_count,
                                const int32_t (*faces)[3], int32_t **sorted)
{
    const size_t count = 3 * (size_t)face_count;
    int32_t *other = wf_allocate(context, count, sizeof *other);
    int32_t *start = wf_allocate(context, (size_t)vertex_count + 1, sizeof *start);
    *sorted = wf_allocate(context, count, sizeof **sorted);
    wf_status status = *sorted && other && start ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        sort_half_edges(vertex_count, (int32_t)count, faces, sorted, &other, start);
        status = check_duplicates(context, (int32_t)count, faces, *sorted);
    }
    wf_free(context, other);
    wf_free(context, start);
    return status;
}

wf_status wf_mesh_check_faces(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3])
{
    wf_status status = check_corners(context, vertex_count, face_count, faces);
    if (status == WF_OK) {
        int32_t *sorted;
        status = sort_and_check(context, vertex_count, face_count, faces, &sorted);
        wf_free(context, sorted);
    }
    return status;
}

static void unlink_mesh(wf_context *context, wf_mesh *mesh)
{
    void *arrays[] = {mesh->edges, mesh->face_edges, mesh->edge_faces, mesh->vertex_face_start, mesh->vertex_faces};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    mesh->edge_count = 0;
    mesh->edges = mesh->edge_faces = NULL;
    mesh->face_edges = NULL;
    mesh->vertex_face_start = mesh->vertex_faces = NULL;
}

wf_status wf_mesh_link(wf_context *context, wf_mesh *mesh)
{
    if (mesh->edges) {
        return WF_OK;
    }
    int32_t *sorted;
    wf_status status = sort_and_check(context, mesh->vertex_count, mesh->face_count,
                                      (const int32_t(*)[3])mesh->faces, &sorted);
    if (status == WF_OK) {
        status = build_edges(context, mesh, sorted);
    }
    if (status == WF_OK) {
        status = build_vertex_faces(context, mesh);
    }
    if (status != WF_OK) {
        unlink_mesh(context, mesh);
    }
    wf_free(context, sorted);
    return status;
}

/* Checks all but duplicate faces. */
static wf_status copy(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                      const int32_t (*faces)[3], wf_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    wf_status status = check_corners(context, vertex_count, face_count, faces);
    if (status == WF_OK) {
        status = check_positions(context, vertex_count, positions);
    }
    if (status != WF_OK) {
        return status;
    }
    mesh->vertex_count = vertex_count;
    mesh->face_count = face_count;
    mesh->positions = wf_allocate(context, (size_t)vertex_count, sizeof *mesh->positions);
    mesh->faces = wf_allocate(context, (size_t)face_count, sizeof *mesh->faces);
    if (!mesh->positions || !mesh->faces) {
        wf_mesh_free(context, mesh);
        return WF_ERROR_MEMORY;
    }
    if (vertex_count > 0) {
        memcpy(mesh->positions, positions, (size_t)vertex_count * sizeof *positions);
    }
    if (face_count > 0) {
        memcpy(mesh->faces, faces, (size_t)face_count * sizeof *faces);
    }
    return WF_OK;
}

wf_status wf_mesh_build(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                        const int32_t (*faces)[3], wf_mesh *mesh)
{
    wf_status status = copy(context, vertex_count, positions, face_count, faces, mesh);
    if (status == WF_OK) {
        status = wf_mesh_link(context, mesh);
    }
    if (status != WF_OK) {
        wf_mesh_free(context, mesh);
    }
    return status;
}

wf_status wf_mesh_build_bare(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                             const int32_t (*faces)[3], wf_mesh *mesh)
{
    wf_status status = copy(context, vertex_count, positions, face_count, faces, mesh);
    if (status == WF_OK) {
        int32_t *sorted;
        status = sort_and_check(context, vertex_count, face_count, faces, &sorted);
        wf_free(context, sorted);
    }
    if (status != WF_OK) {
        wf_mesh_free(context, mesh);
    }
    return status;
}

void wf_mesh_free(wf_context *context, wf_mesh *mesh)
{
    wf_free(context, mesh->positions);
    wf_free(context, mesh->faces);
    unlink_mesh(context, mesh);
    memset(mesh, 0, sizeof *mesh);
}

/* ---- describing ------------------------------------------------------------------------------------------------ */

/* Scratch of wf_mesh_examine. */
typedef struct examination {
    int32_t *vertex_set;      /* [vertex_count] union-find over vertices that share a face */
    int32_t *fan;             /* [3 face_count] union-find over corners: corners of one vertex joined across edges */
    int32_t *loop;            /* [edge_count] union-find over boundary edges */
    int32_t *fan_edge;        /* [3 face_count] a boundary edge that ends in this fan, -1 none */
    int32_t *edge_half_edge;  /* [edge_count] one half-edge of each edge */
    int32_t (*edge_use)[2];   /* [edge_count] faces that run along the edge upward and downward */
} examination;

static wf_status examination_allocate(wf_context *context, const wf_mesh *mesh, examination *x)
{
    const size_t corners = 3 * (size_t)mesh->face_count, edges = (size_t)mesh->edge_count;
    x->vertex_set = wf_allocate(context, (size_t)mesh->vertex_count, sizeof *x->vertex_set);
    x->fan = wf_allocate(context, corners, sizeof *x->fan);
    x->fan_edge = wf_allocate(context, corners, sizeof *x->fan_edge);
    x->loop = wf_allocate(context, edges, sizeof *x->loop);
    x->edge_half_edge = wf_allocate(context, edges, sizeof *x->edge_half_edge);
    x->edge_use = wf_allocate(context, edges, sizeof *x->edge_use);
    bool complete = x->vertex_set && x->fan && x->fan_edge && x->loop && x->edge_half_edge && x->edge_use;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

static void examination_free(wf_context *context, examination *x)
{
    wf_free(context, x->vertex_set);
    wf_free(context, x->fan);
    wf_free(context, x->fan_edge);
    wf_free(context, x->loop);
    wf_free(context, x->edge_half_edge);
    wf_free(context, x->edge_use);
}

/* The corner of the face of `half_edge` at `vertex`, one of the half-edge's two ends. */
static int32_t corner_at(const wf_mesh *mesh, int32_t half_edge, int32_t vertex)
{
    const int32_t f = half_edge / 3;
    const int k = half_edge % 3;
    return mesh->faces[f][k] == vertex ? half_edge : 3 * f + (k + 1) % 3;
}

/* Joins what shares an edge: vertices into components, corners of one vertex into fans. Counts the uses of edges. */
static void join_across_edges(const wf_mesh *mesh, examination *x)
{
    const int32_t corner_count = 3 * mesh->face_count;
    wf_union_find_reset(x->vertex_set, mesh->vertex_count);
    wf_union_find_reset(x->fan, corner_count);
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        x->edge_half_edge[e] = -1;
        wf_union_find_join(x->vertex_set, mesh->edges[e][0], mesh->edges[e][1]);
    }
    for (int32_t h = 0; h < corner_count; h++) {
        const int32_t e = mesh->face_edges[h / 3][h % 3];
        x->edge_use[e][mesh->faces[h / 3][h % 3] != mesh->edges[e][0]]++;
        if (x->edge_half_edge[e] < 0) {
            x->edge_half_edge[e] = h;
            continue;
        }
        for (int end = 0; end < 2; end++) {
            const int32_t v = mesh->edges[e][end];
            wf_union_find_join(x->fan, corner_at(mesh, h, v), corner_at(mesh, x->edge_half_edge[e], v));
        }
    }
}

static void count_edges(const wf_mesh *mesh, const examination *x, wf_mesh_report *report)
{
    report->oriented = true;
    report->closed = mesh->face_count > 0;
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        const int32_t up = x->edge_use[e][0], down = x->edge_use[e][1], both = up + down;
        report->boundary_edges += both == 1;
        report->nonmanifold_edges += both > 2;
        report->closed = report->closed && both % 2 == 0;
        report->oriented = report->oriented && (up > down ? up - down : down - up) == both % 2;
    }
}

/* Boundary edges that end in the same fan of a vertex belong to the same loop, so two loops that touch in a vertex
 * are told apart. */
static void count_boundary_loops(const wf_mesh *mesh, examination *x, wf_mesh_report *report)
{
    wf_union_find_reset(x->loop, mesh->edge_count);
    memset(x->fan_edge, -1, 3 * (size_t)mesh->face_count * sizeof *x->fan_edge);
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        if (x->edge_use[e][0] + x->edge_use[e][1] != 1) {
            continue;
        }
        for (int end = 0; end < 2; end++) {
            int32_t corner = corner_at(mesh, x->edge_half_edge[e], mesh->edges[e][end]);
            int32_t *known = &x->fan_edge[wf_union_find_root(x->fan, corner)];
            if (*known < 0) {
                *known = e;
            } else {
                wf_union_find_join(x->loop, *known, e);
            }
        }
    }
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        report->boundary_loops += x->edge_use[e][0] + x->edge_use[e][1] == 1 && x->loop[e] == e;
    }
}

static void count_vertices(const wf_mesh *mesh, examination *x, wf_mesh_report *report)
{
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const int32_t begin = mesh->vertex_face_start[v], end = mesh->vertex_face_start[v + 1];
        int32_t fans = 0;
        for (int32_t i = begin; i < end; i++) {
            const int32_t f = mesh->vertex_faces[i];
            const int k = mesh->faces[f][0] == v ? 0 : mesh->faces[f][1] == v ? 1 : 2;
            fans += x->fan[3 * f + k] == 3 * f + k;
        }
        report->isolated_vertices += begin == end;
        report->nonmanifold_vertices += fans > 1;
        report->components += begin != end && x->vertex_set[v] == v;
    }
}

/* Whether the corners are exactly collinear: so they are in all three coordinate planes. */
static bool has_zero_area(wf_vec3 a, wf_vec3 b, wf_vec3 c)
{
    return wf_orient2d((wf_vec2){a.x, a.y}, (wf_vec2){b.x, b.y}, (wf_vec2){c.x, c.y}) == 0 &&
           wf_orient2d((wf_vec2){a.y, a.z}, (wf_vec2){b.y, b.z}, (wf_vec2){c.y, c.z}) == 0 &&
           wf_orient2d((wf_vec2){a.z, a.x}, (wf_vec2){b.z, b.x}, (wf_vec2){c.z, c.x}) == 0;
}

/* Area and volume, the latter seen from a vertex of the mesh so that distance from the origin costs no digits. */
static void measure(const wf_mesh *mesh, wf_mesh_report *report)
{
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const wf_vec3 origin = mesh->positions[mesh->faces[0][0]];
        const wf_vec3 p = mesh->positions[mesh->faces[f][0]];
        const wf_vec3 q = mesh->positions[mesh->faces[f][1]];
        const wf_vec3 r = mesh->positions[mesh->faces[f][2]];
        const wf_vec3 normal = wf_vec3_cross(wf_vec3_sub(q, p), wf_vec3_sub(r, p));
        report->area += wf_vec3_norm(normal) / 2;
        report->volume += wf_vec3_dot(wf_vec3_sub(p, origin), normal) / 6;
        report->zero_area_faces += has_zero_area(p, q, r);
    }
}

wf_status wf_mesh_examine(wf_context *context, const wf_mesh *mesh, wf_mesh_report *report)
{
    memset(report, 0, sizeof *report);
    examination x = {0};
    wf_status status = examination_allocate(context, mesh, &x);
    if (status == WF_OK) {
        join_across_edges(mesh, &x);
        count_edges(mesh, &x, report);
        count_boundary_loops(mesh, &x, report);
        count_vertices(mesh, &x, report);
        measure(mesh, report);
        report->manifold = report->nonmanifold_edges == 0 && report->nonmanifold_vertices == 0;
        report->euler = (int64_t)mesh->vertex_count - report->isolated_vertices - mesh->edge_count + mesh->face_count;
    }
    examination_free(context, &x);
    return status;
}

bool wf_mesh_describe_defect(const wf_mesh_report *report, char *text, size_t size)
{
    if (report->components == 0) {
        snprintf(text, size, "the surface has no face");
    } else if (report->boundary_edges > 0) {
        snprintf(text, size, "the surface is open (%d boundary edges in %d loops)", (int)report->boundary_edges,
                 (int)report->boundary_loops);
    } else if (!report->manifold) {
        snprintf(text, size, "the surface is not a manifold (%d edges with more than two faces, %d vertices where "
                 "parts touch)", (int)report->nonmanifold_edges, (int)report->nonmanifold_vertices);
    } else if (!report->oriented) {
        snprintf(text, size, "neighbouring faces do not have the same side outside");
    } else {
        return false;
    }
    return true;
}

void wf_mesh_turn(wf_mesh *mesh)
{
    for (int32_t f = 0; f < mesh->face_count; f++) {
        swap(&mesh->faces[f][1], &mesh->faces[f][2]);
        if (mesh->face_edges) {
            swap(&mesh->face_edges[f][0], &mesh->face_edges[f][2]);
        }
    }
}

void wf_mesh_vertex_normals(const wf_mesh *mesh, const wf_vec3 *restrict positions, wf_vec3 *restrict normals)
{
    memset(normals, 0, (size_t)mesh->vertex_count * sizeof *normals);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *corner = mesh->faces[f];
        for (int k = 0; k < 3; k++) {
            const wf_vec3 a = wf_vec3_sub(positions[corner[(k + 1) % 3]], positions[corner[k]]);
            const wf_vec3 b = wf_vec3_sub(positions[corner[(k + 2) % 3]], positions[corner[k]]);
            const wf_vec3 normal = wf_vec3_cross(a, b);
            const double length = wf_vec3_norm(normal);
            if (length > 0) {
                wf_vec3 *sum = &normals[corner[k]];
                *sum = wf_vec3_muladds(*sum, normal, atan2(length, wf_vec3_dot(a, b)) / length);
            }
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        normals[v] = wf_vec3_normalize(normals[v]);
    }
}
