/* closing.c - closed surfaces from any triangles; see closing.h. */
#include "mesh/closing.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

typedef struct closing {
    wf_context *context;
    wf_closing_report *report;
    wf_vec3 *positions;
    int32_t (*faces)[3];
    int32_t vertex_count, face_count;
    size_t face_capacity, vertex_capacity;
    uint8_t *reached, *turn; /* [face_count] scratch: by one orientation so far, and whether it turns them */
} closing;

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

typedef struct placed_vertex {
    wf_vec3 position;
    int32_t index;
} placed_vertex;

static int compare_places(const void *a, const void *b)
{
    const placed_vertex *p = a, *q = b;
    const double x[3] = {p->position.x, p->position.y, p->position.z};
    const double y[3] = {q->position.x, q->position.y, q->position.z};
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Renames corners so that each place of a face's corner has one vertex. */
static wf_status weld(closing *c, int32_t vertex_count, const wf_vec3 *positions)
{
    placed_vertex *sorted = wf_allocate(c->context, (size_t)vertex_count, sizeof *sorted);
    int32_t *name = wf_allocate(c->context, (size_t)vertex_count, sizeof *name);
    if (!sorted || !name) {
        wf_free(c->context, sorted);
        wf_free(c->context, name);
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            name[c->faces[f][k]] = 1; /* of a face */
        }
    }
    int32_t used = 0;
    for (int32_t v = 0; v < vertex_count; v++) {
        if (name[v]) {
            sorted[used++] = (placed_vertex){positions[v], v};
        }
    }
    qsort(sorted, (size_t)used, sizeof *sorted, compare_places);
    for (int32_t i = 0; i < used; i++) {
        wf_vec3 p = sorted[i].position, before = i > 0 ? sorted[i - 1].position : p;
        bool same = i > 0 && p.x == before.x && p.y == before.y && p.z == before.z;
        if (!same) {
            c->positions[c->vertex_count++] = p;
        }
        c->report->welded += same;
        name[sorted[i].index] = c->vertex_count - 1;
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            c->faces[f][k] = name[c->faces[f][k]];
        }
    }
    wf_free(c->context, sorted);
    wf_free(c->context, name);
    return WF_OK;
}

/* ---- orientation ------------------------------------------------------------------------------------------------- */

static double area_of(const closing *c, int32_t f)
{
    wf_vec3 a = c->positions[c->faces[f][0]], b = c->positions[c->faces[f][1]], d = c->positions[c->faces[f][2]];
    return 0.5 * wf_vec3_norm(wf_vec3_cross(wf_vec3_sub(b, a), wf_vec3_sub(d, a)));
}

static void turn_face(int32_t face[3])
{
    int32_t swapped = face[1];
    face[1] = face[2];
    face[2] = swapped;
}

/* Whether a face runs along the edge from its first vertex to its second. */
static bool runs_along(const int32_t face[3], const int32_t edge[2])
{
    for (int k = 0; k < 3; k++) {
        if (face[k] == edge[0] && face[(k + 1) % 3] == edge[1]) {
            return true;
        }
    }
    return false;
}

/* The other face of an edge of two. */
static int32_t neighbour(const wf_mesh *mesh, const int32_t *face_counts, int32_t edge, int32_t face)
{
    if (face_counts[edge] != 2) {
        return -1;
    }
    const int32_t *two = mesh->edge_faces[edge];
    return two[0] == face ? two[1] : two[0];
}

/* Spreads one orientation over the faces that hang together across edges of two faces, from `seed`; then takes that or
 * its opposite, whichever turns less area. `queue` is scratch. */
static void orient_from(closing *c, const wf_mesh *mesh, const int32_t *face_counts, int32_t seed, int32_t *queue)
{
    int32_t count = 0;
    double turned = 0, whole = 0;
    queue[count++] = seed;
    c->reached[seed] = 1;
    for (int32_t i = 0; i < count; i++) {
        int32_t f = queue[i];
        whole += area_of(c, f);
        turned += c->turn[f] ? area_of(c, f) : 0;
        for (int k = 0; k < 3; k++) {
            int32_t edge = mesh->face_edges[f][k], g = neighbour(mesh, face_counts, edge, f);
            if (g >= 0 && !c->reached[g]) {
                bool alike = runs_along(c->faces[f], mesh->edges[edge]) == runs_along(c->faces[g], mesh->edges[edge]);
                c->turn[g] = c->turn[f] ^ alike;
                c->reached[g] = 1;
                queue[count++] = g;
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if ((bool)c->turn[queue[i]] == (2 * turned <= whole)) {
            turn_face(c->faces[queue[i]]);
            c->report->turned++;
        }
    }
}

static double volume_of(const closing *c)
{
    double sum = 0;
    for (int32_t f = 0; f < c->face_count; f++) {
        wf_vec3 origin = c->positions[0]; /* not far away: differences lose less */
        wf_vec3 a = wf_vec3_sub(c->positions[c->faces[f][0]], origin);
        wf_vec3 b = wf_vec3_sub(c->positions[c->faces[f][1]], origin);
        wf_vec3 d = wf_vec3_sub(c->positions[c->faces[f][2]], origin);
        sum += wf_vec3_dot(a, wf_vec3_cross(b, d)) / 6;
    }
    return sum;
}

/* ---- holes ------------------------------------------------------------------------------------------------------- */

static wf_status add_cap(closing *c, const int32_t *loop, int32_t count)
{
    wf_status status = wf_reserve(c->context, &c->faces, &c->face_capacity, (size_t)(c->face_count + count),
                                  sizeof *c->faces);
    if (status == WF_OK) {
        status = wf_reserve(c->context, &c->positions, &c->vertex_capacity, (size_t)c->vertex_count + 1,
                            sizeof *c->positions);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 middle = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        middle = wf_vec3_muladds(middle, c->positions[loop[i]], 1.0 / count);
    }
    int32_t centre = c->vertex_count++;
    c->positions[centre] = middle;
    for (int32_t i = 0; i < count; i++) {
        int32_t *face = c->faces[c->face_count++];
        face[0] = loop[(i + 1) % count]; /* against the face that is there */
        face[1] = loop[i];
        face[2] = centre;
    }
    c->report->holes++;
    return WF_OK;
}

/* Follows boundary edges, each leading on from the vertex where the last ended, and caps the loops. next[v] is the end
 * of the boundary edge that starts at v, or -1; where several start, the last found. */
static wf_status cap_holes(closing *c, const wf_mesh *mesh, const int32_t *face_counts)
{
    int32_t *next = wf_allocate(c->context, 2 * (size_t)c->vertex_count, sizeof *next);
    if (!next) {
        return WF_ERROR_MEMORY;
    }
    int32_t *loop = next + c->vertex_count, vertices = c->vertex_count, open = 0;
    memset(next, 0xff, (size_t)vertices * sizeof *next);
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        c->report->crowded_edges += face_counts[e] > 2;
        if (face_counts[e] == 1) {
            bool along = runs_along(c->faces[mesh->edge_faces[e][0]], mesh->edges[e]);
            next[mesh->edges[e][along ? 0 : 1]] = mesh->edges[e][along ? 1 : 0];
            open++;
        }
    }
    wf_status status = WF_OK;
    for (int32_t start = 0; start < vertices && status == WF_OK; start++) {
        int32_t count = 0, v = start;
        while (next[v] >= 0) {
            int32_t to = next[v];
            next[v] = -1;
            loop[count++] = v;
            v = to;
        }
        if (count >= 3 && v == start) {
            open -= count;
            status = add_cap(c, loop, count);
        }
    }
    c->report->open_edges = open;
    wf_free(c->context, next);
    return status;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

static wf_status orient_and_cap(closing *c, const wf_mesh *mesh)
{
    int32_t *face_counts = wf_allocate(c->context, (size_t)mesh->edge_count, sizeof *face_counts);
    int32_t *queue = wf_allocate(c->context, (size_t)mesh->face_count, sizeof *queue);
    wf_status status = face_counts && queue ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (int32_t f = 0; f < mesh->face_count; f++) {
            c->report->flat += !(area_of(c, f) > 0);
            for (int k = 0; k < 3; k++) {
                face_counts[mesh->face_edges[f][k]]++;
            }
        }
        for (int32_t f = 0; f < mesh->face_count; f++) {
            if (!c->reached[f]) {
                orient_from(c, mesh, face_counts, f, queue);
            }
        }
        status = cap_holes(c, mesh, face_counts);
    }
    wf_free(c->context, face_counts);
    wf_free(c->context, queue);
    return status;
}

static wf_status close_surface(closing *c, int32_t vertex_count, const wf_vec3 *positions)
{
    wf_status status = weld(c, vertex_count, positions);
    if (status == WF_OK) {
        int32_t given = c->face_count;
        status = wf_mesh_drop_bad_faces(c->context, c->faces, &c->face_count);
        c->report->dropped = given - c->face_count;
    }
    if (status == WF_OK && c->face_count == 0) {
        return wf_fail(c->context, WF_ERROR_GEOMETRY, "there is no face");
    }
    wf_mesh mesh = {0};
    if (status == WF_OK) {
        status = wf_mesh_build(c->context, c->vertex_count, c->positions, c->face_count,
                               (const int32_t(*)[3])c->faces, &mesh);
    }
    if (status == WF_OK) {
        status = orient_and_cap(c, &mesh);
    }
    wf_mesh_free(c->context, &mesh);
    if (status != WF_OK) {
        return status;
    }
    c->report->volume = volume_of(c);
    for (int32_t f = 0; c->report->volume < 0 && f < c->face_count; f++) {
        turn_face(c->faces[f]);
    }
    c->report->volume = fabs(c->report->volume);
    return WF_OK;
}

wf_status wf_mesh_close(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                        const int32_t (*faces)[3], wf_mesh *closed, wf_closing_report *report)
{
    *closed = (wf_mesh){0};
    *report = (wf_closing_report){0};
    closing c = {.context = context, .report = report, .face_count = face_count};
    c.reached = wf_allocate(context, (size_t)face_count, sizeof *c.reached);
    c.turn = wf_allocate(context, (size_t)face_count, sizeof *c.turn);
    wf_status status = c.reached && c.turn ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_reserve(context, &c.faces, &c.face_capacity, (size_t)face_count, sizeof *c.faces);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &c.positions, &c.vertex_capacity, (size_t)vertex_count, sizeof *c.positions);
    }
    if (status == WF_OK) {
        memcpy(c.faces, faces, (size_t)face_count * sizeof *faces);
        status = close_surface(&c, vertex_count, positions);
    }
    if (status == WF_OK) {
        status = wf_mesh_build(context, c.vertex_count, c.positions, c.face_count, (const int32_t(*)[3])c.faces,
                               closed);
    }
    wf_free(context, c.faces);
    wf_free(context, c.positions);
    wf_free(context, c.reached);
    wf_free(context, c.turn);
    return status;
}
