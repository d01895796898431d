/* halfmesh.c - half of a symmetric quadrilateral mesh; see halfmesh.h. */
#include "body/halfmesh.h"

#include <stdlib.h>

#include "base/vector.h"

void wf_halfmesh_free(wf_context *context, wf_halfmesh *half)
{
    wf_free(context, half->positions);
    wf_free(context, half->quads);
    *half = (wf_halfmesh){0};
}

wf_status wf_halfmesh_add_vertex(wf_context *context, wf_halfmesh *half, wf_vec3 position)
{
    wf_status status = wf_reserve(context, &half->positions, &half->vertex_capacity, (size_t)half->vertex_count + 1,
                                  sizeof *half->positions);
    if (status == WF_OK) {
        half->positions[half->vertex_count++] = position;
    }
    return status;
}

wf_status wf_halfmesh_add_quad(wf_context *context, wf_halfmesh *half, int32_t a, int32_t b, int32_t c, int32_t d)
{
    wf_status status =
        wf_reserve(context, &half->quads, &half->quad_capacity, (size_t)half->quad_count + 1, sizeof *half->quads);
    if (status == WF_OK) {
        int32_t *quad = half->quads[half->quad_count++];
        quad[0] = a;
        quad[1] = b;
        quad[2] = c;
        quad[3] = d;
    }
    return status;
}

/* ---- refinement ------------------------------------------------------------------------------------------------- */

/* Edge `corner` -> `corner` + 1 of a quad, named by its two vertices in increasing order. */
typedef struct quad_edge {
    int32_t low, high, quad, corner;
} quad_edge;

/* An edge of the half and the one or two quads beside it. */
typedef struct half_edge_pair {
    int32_t low, high;
    int32_t quads[2]; /* the second is -1 on the plane */
} half_edge_pair;

typedef struct refiner {
    const wf_halfmesh *coarse;
    half_edge_pair *edges;
    int32_t edge_count;
    int32_t (*quad_edges)[4]; /* [quad_count] edge after each corner */
    wf_vec3 *face_sums, *edge_sums; /* [vertex_count] over the whole mesh's neighbourhood */
    int32_t *valences;
} refiner;

static int compare_quad_edges(const void *a, const void *b)
{
    const quad_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->quad < q->quad ? -1 : p->quad > q->quad;
}

static wf_status find_edges(wf_context *context, refiner *work)
{
    const wf_halfmesh *coarse = work->coarse;
    size_t count = 4 * (size_t)coarse->quad_count;
    quad_edge *all = wf_allocate(context, count, sizeof *all);
    work->edges = wf_allocate(context, count, sizeof *work->edges);
    work->quad_edges = wf_allocate(context, (size_t)coarse->quad_count, sizeof *work->quad_edges);
    if (!all || !work->edges || !work->quad_edges) {
        wf_free(context, all);
        return WF_ERROR_MEMORY;
    }
    for (int32_t q = 0; q < coarse->quad_count; q++) {
        for (int32_t k = 0; k < 4; k++) {
            int32_t a = coarse->quads[q][k], b = coarse->quads[q][(k + 1) % 4];
            all[4 * q + k] = (quad_edge){a < b ? a : b, a < b ? b : a, q, k};
        }
    }
    qsort(all, count, sizeof *all, compare_quad_edges);
    for (size_t i = 0; i < count; i++) {
        half_edge_pair *last = &work->edges[work->edge_count - (work->edge_count > 0)];
        if (work->edge_count > 0 && last->low == all[i].low && last->high == all[i].high) {
            last->quads[1] = all[i].quad;
        } else {
            work->edges[work->edge_count++] = (half_edge_pair){all[i].low, all[i].high, {all[i].quad, -1}};
        }
        work->quad_edges[all[i].quad][all[i].corner] = work->edge_count - 1;
    }
    wf_free(context, all);
    return WF_OK;
}

static wf_vec3 quad_centre(const wf_halfmesh *half, int32_t quad)
{
    const int32_t *v = half->quads[quad];
    wf_vec3 sum = wf_vec3_add(wf_vec3_add(half->positions[v[0]], half->positions[v[1]]),
                              wf_vec3_add(half->positions[v[2]], half->positions[v[3]]));
    return wf_vec3_scale(sum, 0.25);
}

/* The sum of a vector and its mirror image. */
static wf_vec3 with_mirror_image(wf_vec3 a)
{
    return (wf_vec3){0, 2 * a.y, 2 * a.z};
}

/* Adds an edge's midpoint to the sums of its ends, and writes its edge point. */
static wf_vec3 visit_edge(refiner *work, const half_edge_pair *edge, const bool *on_plane)
{
    const wf_halfmesh *coarse = work->coarse;
    bool boundary = edge->quads[1] < 0;
    wf_vec3 ends = wf_vec3_add(coarse->positions[edge->low], coarse->positions[edge->high]);
    wf_vec3 middle = wf_vec3_scale(ends, 0.5);
    const int32_t vertices[2] = {edge->low, edge->high};
    for (int k = 0; k < 2; k++) {
        int32_t v = vertices[k];
        bool doubled = on_plane[v] && !boundary;
        work->edge_sums[v] = wf_vec3_add(work->edge_sums[v], doubled ? with_mirror_image(middle) : middle);
        work->valences[v] += doubled ? 2 : 1;
    }
    wf_vec3 first = quad_centre(coarse, edge->quads[0]);
    wf_vec3 faces = boundary ? with_mirror_image(first) : wf_vec3_add(first, quad_centre(coarse, edge->quads[1]));
    return wf_vec3_scale(wf_vec3_add(ends, faces), 0.25);
}

static wf_vec3 vertex_point(const refiner *work, int32_t v)
{
    double n = work->valences[v];
    wf_vec3 sum = wf_vec3_scale(work->face_sums[v], 1 / (n * n));
    sum = wf_vec3_muladds(sum, work->edge_sums[v], 2 / (n * n));
    return wf_vec3_muladds(sum, work->coarse->positions[v], (n - 3) / n);
}

static wf_status place_vertices(wf_context *context, refiner *work, wf_halfmesh *fine)
{
    const wf_halfmesh *coarse = work->coarse;
    size_t count = (size_t)coarse->vertex_count;
    bool *on_plane = wf_allocate(context, count, sizeof *on_plane);
    work->face_sums = wf_allocate(context, count, sizeof *work->face_sums);
    work->edge_sums = wf_allocate(context, count, sizeof *work->edge_sums);
    work->valences = wf_allocate(context, count, sizeof *work->valences);
    if (!on_plane || !work->face_sums || !work->edge_sums || !work->valences) {
        wf_free(context, on_plane);
        return WF_ERROR_MEMORY;
    }
    for (int32_t e = 0; e < work->edge_count; e++) {
        if (work->edges[e].quads[1] < 0) {
            on_plane[work->edges[e].low] = on_plane[work->edges[e].high] = true;
        }
    }
    for (int32_t e = 0; e < work->edge_count; e++) {
        fine->positions[coarse->vertex_count + e] = visit_edge(work, &work->edges[e], on_plane);
    }
    for (int32_t q = 0; q < coarse->quad_count; q++) {
        wf_vec3 centre = quad_centre(coarse, q);
        fine->positions[coarse->vertex_count + work->edge_count + q] = centre;
        for (int k = 0; k < 4; k++) {
            int32_t v = coarse->quads[q][k];
            work->face_sums[v] = wf_vec3_add(work->face_sums[v], on_plane[v] ? with_mirror_image(centre) : centre);
        }
    }
    for (int32_t v = 0; v < coarse->vertex_count; v++) {
        fine->positions[v] = vertex_point(work, v);
    }
    wf_free(context, on_plane);
    return WF_OK;
}

static wf_status fill_fine(wf_context *context, refiner *work, wf_halfmesh *fine)
{
    const wf_halfmesh *coarse = work->coarse;
    wf_status status = find_edges(context, work);
    if (status != WF_OK) {
        return status;
    }
    fine->vertex_count = coarse->vertex_count + work->edge_count + coarse->quad_count;
    fine->vertex_capacity = (size_t)fine->vertex_count;
    fine->quad_capacity = 4 * (size_t)coarse->quad_count;
    fine->positions = wf_allocate(context, fine->vertex_capacity, sizeof *fine->positions);
    fine->quads = wf_allocate(context, fine->quad_capacity, sizeof *fine->quads);
    if (!fine->positions || !fine->quads) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t q = 0; q < coarse->quad_count; q++) {
        for (int k = 0; k < 4; k++) {
            int32_t *quad = fine->quads[fine->quad_count++];
            quad[0] = coarse->quads[q][k];
            quad[1] = coarse->vertex_count + work->quad_edges[q][k];
            quad[2] = coarse->vertex_count + work->edge_count + q;
            quad[3] = coarse->vertex_count + work->quad_edges[q][(k + 3) % 4];
        }
    }
    return place_vertices(context, work, fine);
}

wf_status wf_halfmesh_refine(wf_context *context, const wf_halfmesh *coarse, wf_halfmesh *fine)
{
    *fine = (wf_halfmesh){0};
    refiner work = {.coarse = coarse};
    wf_status status = fill_fine(context, &work, fine);
    wf_free(context, work.edges);
    wf_free(context, work.quad_edges);
    wf_free(context, work.face_sums);
    wf_free(context, work.edge_sums);
    wf_free(context, work.valences);
    if (status != WF_OK) {
        wf_halfmesh_free(context, fine);
    }
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

void wf_halfmesh_mirror_positions(const wf_halfmesh *half, wf_vec3 *positions)
{
    int32_t next = half->vertex_count;
    for (int32_t v = 0; v < half->vertex_count; v++) {
        wf_vec3 p = half->positions[v];
        positions[v] = p;
        if (p.x != 0) {
            positions[next++] = (wf_vec3){-p.x, p.y, p.z};
        }
    }
}

static void set_face(int32_t face[3], int32_t a, int32_t b, int32_t c)
{
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

wf_status wf_halfmesh_mirror(wf_context *context, const wf_halfmesh *half, const bool *second_diagonal,
                             int32_t *vertex_count, wf_vec3 **positions, int32_t (**faces)[3])
{
    *positions = NULL;
    *faces = NULL;
    int32_t *image = wf_allocate(context, (size_t)half->vertex_count, sizeof *image);
    if (!image) {
        return WF_ERROR_MEMORY;
    }
    *vertex_count = half->vertex_count;
    for (int32_t v = 0; v < half->vertex_count; v++) {
        image[v] = half->positions[v].x != 0 ? (*vertex_count)++ : v;
    }
    *positions = wf_allocate(context, (size_t)*vertex_count, sizeof **positions);
    *faces = wf_allocate(context, 4 * (size_t)half->quad_count, sizeof **faces);
    if (!*positions || !*faces) {
        wf_free(context, image);
        wf_free(context, *positions);
        wf_free(context, *faces);
        *positions = NULL;
        *faces = NULL;
        return WF_ERROR_MEMORY;
    }
    wf_halfmesh_mirror_positions(half, *positions);
    int32_t (*out)[3] = *faces;
    for (int32_t q = 0; q < half->quad_count; q++) {
        int turn = second_diagonal && second_diagonal[q];
        const int32_t *v = half->quads[q];
        int32_t a = v[turn], b = v[1 + turn], c = v[2 + turn], d = v[(3 + turn) % 4];
        set_face(*out++, a, b, c);
        set_face(*out++, a, c, d);
        set_face(*out++, image[a], image[c], image[b]);
        set_face(*out++, image[a], image[d], image[c]);
    }
    wf_free(context, image);
    return WF_OK;
}
