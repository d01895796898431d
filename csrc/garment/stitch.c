/* stitch.c - vertex pairs, their classes, and local refinement where sewing would collapse an edge. */
#include "garment/stitch.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/union_find.h"

/* ---- pairs ----------------------------------------------------------------------------------------------------- */

static wf_status list_pairs(wf_context *context, const wf_sampling *sampling, wf_stitching *stitching)
{
    const wf_garment *garment = sampling->garment;
    size_t limit = 0;
    for (int32_t i = 0; i < garment->seam_count; i++) {
        limit += (size_t)sampling->strands[i].segment_count + 1;
    }
    stitching->pairs = wf_allocate(context, limit, sizeof *stitching->pairs);
    stitching->pair_seam = wf_allocate(context, limit, sizeof *stitching->pair_seam);
    if (!stitching->pairs || !stitching->pair_seam) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t seam = 0; seam < garment->seam_count; seam++) {
        const wf_piece *a = &sampling->pieces[sampling->seam_pieces[seam][0]];
        const wf_piece *b = &sampling->pieces[sampling->seam_pieces[seam][1]];
        for (int32_t k = 0; k <= sampling->strands[seam].segment_count; k++) {
            int32_t r = stitching->panel_vertices[a->panel] + wf_piece_point(sampling, a, k);
            int32_t s = stitching->panel_vertices[b->panel] + wf_piece_point(sampling, b, k);
            if (r == s) { /* the tip of a dart */
                continue;
            }
            int32_t n = stitching->pair_count++;
            stitching->pairs[n][0] = r;
            stitching->pairs[n][1] = s;
            stitching->pair_seam[n] = seam;
        }
    }
    return WF_OK;
}

wf_status wf_stitching_create(wf_context *context, const wf_sampling *sampling, const wf_panel_mesh *meshes,
                              wf_stitching *stitching)
{
    int32_t panel_count = sampling->garment->panel_count;
    memset(stitching, 0, sizeof *stitching);
    stitching->panel_vertices = wf_allocate(context, (size_t)panel_count + 1, sizeof *stitching->panel_vertices);
    if (!stitching->panel_vertices) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < panel_count; i++) {
        stitching->panel_vertices[i + 1] = stitching->panel_vertices[i] + meshes[i].vertex_count;
    }
    stitching->vertex_count = stitching->panel_vertices[panel_count];
    stitching->vertex_class = wf_allocate(context, (size_t)stitching->vertex_count, sizeof *stitching->vertex_class);
    if (!stitching->vertex_class || list_pairs(context, sampling, stitching) != WF_OK) {
        wf_stitching_free(context, stitching);
        return WF_ERROR_MEMORY;
    }
    wf_union_find_reset(stitching->vertex_class, stitching->vertex_count);
    for (int32_t i = 0; i < stitching->pair_count; i++) {
        wf_union_find_join(stitching->vertex_class, stitching->pairs[i][0], stitching->pairs[i][1]);
    }
    for (int32_t i = 0; i < stitching->vertex_count; i++) {
        stitching->vertex_class[i] = wf_union_find_root(stitching->vertex_class, i);
    }
    return WF_OK;
}

void wf_stitching_free(wf_context *context, wf_stitching *stitching)
{
    wf_free(context, stitching->panel_vertices);
    wf_free(context, stitching->pairs);
    wf_free(context, stitching->pair_seam);
    wf_free(context, stitching->vertex_class);
    memset(stitching, 0, sizeof *stitching);
}

/* ---- edges that fall together ---------------------------------------------------------------------------------- */

/* An edge of a panel's mesh with the classes of its ends. Edges that sewing makes one share strand and place. */
typedef struct sewn_edge {
    int32_t low, high;   /* classes of the ends, low <= high */
    int32_t strand;      /* INT32_MAX for an edge inside the panel */
    int32_t panel;
    int32_t a, b;        /* the panel's vertices; on the outline a is the segment's first point */
    double place;        /* on the outline: the strand's fraction in the segment's middle */
} sewn_edge;

static int compare_edges(const void *x, const void *y)
{
    const sewn_edge *p = x, *q = y;
    const int32_t left[] = {p->low, p->high, p->strand}, right[] = {q->low, q->high, q->strand};
    for (int i = 0; i < 3; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    if (p->place != q->place) {
        return p->place < q->place ? -1 : 1;
    }
    if (p->panel != q->panel) {
        return p->panel < q->panel ? -1 : 1;
    }
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return (p->b > q->b) - (p->b < q->b);
}

/* Fills `edge` with edge a -> b of a face; returns false when the neighbouring face will list it. */
static bool describe_edge(const wf_stitching *stitching, const wf_panel_mesh *mesh, int32_t panel, int32_t a,
                          int32_t b, sewn_edge *edge)
{
    const wf_panel_outline *outline = &mesh->outline;
    *edge = (sewn_edge){.strand = INT32_MAX, .panel = panel, .a = a, .b = b};
    bool both = a < outline->point_count && b < outline->point_count;
    if (both && (outline->next[a] == b || outline->next[b] == a)) {
        edge->a = outline->next[a] == b ? a : b;
        edge->b = outline->next[edge->a];
        edge->strand = outline->segment_strand[edge->a];
        edge->place = 0.5 * (outline->segment_range[edge->a][0] + outline->segment_range[edge->a][1]);
    } else if (a > b) {
        return false;
    }
    int32_t first = stitching->panel_vertices[panel];
    int32_t class_a = stitching->vertex_class[first + a], class_b = stitching->vertex_class[first + b];
    edge->low = class_a < class_b ? class_a : class_b;
    edge->high = class_a < class_b ? class_b : class_a;
    return true;
}

static wf_status list_edges(wf_context *context, const wf_sampling *sampling, const wf_panel_mesh *meshes,
                            const wf_stitching *stitching, sewn_edge **edges, int64_t *count)
{
    size_t limit = 0;
    for (int32_t p = 0; p < sampling->garment->panel_count; p++) {
        limit += 3 * (size_t)meshes[p].face_count;
    }
    *count = 0;
    *edges = wf_allocate(context, limit, sizeof **edges);
    if (!*edges) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t p = 0; p < sampling->garment->panel_count; p++) {
        for (int32_t f = 0; f < meshes[p].face_count; f++) {
            const int32_t *face = meshes[p].faces[f];
            for (int k = 0; k < 3; k++) {
                *count += describe_edge(stitching, &meshes[p], p, face[k], face[(k + 1) % 3], &(*edges)[*count]);
            }
        }
    }
    qsort(*edges, (size_t)*count, sizeof **edges, compare_edges);
    return WF_OK;
}

/* ---- refinement ------------------------------------------------------------------------------------------------ */

static wf_status split_outline(wf_context *context, wf_sampling *sampling, const wf_panel_mesh *mesh,
                               const sewn_edge *edge, wf_repair *repair)
{
    repair->outline_splits++;
    repair->panel = edge->panel;
    repair->seam = sampling->strands[edge->strand].seam;
    return wf_sampling_split(context, sampling, edge->strand, mesh->outline.segment_range[edge->a], edge->place);
}

/* Halves the edge a-b inside a panel: its two faces become four. */
static wf_status split_inside(wf_context *context, wf_panel_mesh *mesh, int32_t a, int32_t b)
{
    int32_t middle = mesh->vertex_count, face_count = mesh->face_count;
    if (wf_reserve(context, &mesh->points, &mesh->point_capacity, (size_t)middle + 1, sizeof *mesh->points) != WF_OK
        || wf_reserve(context, &mesh->faces, &mesh->face_capacity, (size_t)face_count + 2, sizeof *mesh->faces)
               != WF_OK) {
        return WF_ERROR_MEMORY;
    }
    mesh->points[middle] = wf_vec2_scale(wf_vec2_add(mesh->points[a], mesh->points[b]), 0.5);
    mesh->vertex_count++;
    for (int32_t f = 0; f < face_count; f++) {
        int32_t *face = mesh->faces[f];
        for (int k = 0; k < 3; k++) {
            int32_t from = face[k], to = face[(k + 1) % 3], apex = face[(k + 2) % 3];
            if ((from == a && to == b) || (from == b && to == a)) {
                int32_t *added = mesh->faces[mesh->face_count++];
                added[0] = middle;
                added[1] = to;
                added[2] = apex;
                face[(k + 1) % 3] = middle;
                break;
            }
        }
    }
    return WF_OK;
}

/* Of edges first .. last - 1, which fall onto one another, all but one kind must be halved. Outline edges sort before
 * inner ones, and those of one seam place count as one kind. */
static wf_status repair_group(wf_context *context, wf_sampling *sampling, wf_panel_mesh *meshes,
                              const sewn_edge *edges, int64_t first, int64_t last, bool inside, wf_repair *repair)
{
    wf_status status = WF_OK;
    for (int64_t i = first; i < last && status == WF_OK; i++) {
        const sewn_edge *edge = &edges[i], *kept = &edges[first];
        bool inner = edge->strand == INT32_MAX;
        bool same_place = i == first || (!inner && edge->strand == kept->strand && edge->place == kept->place);
        if (inner != inside || (same_place && edge->low != edge->high)) {
            continue;
        }
        if (inner) {
            repair->inner_splits++;
            repair->panel = edge->panel;
            status = split_inside(context, &meshes[edge->panel], edge->a, edge->b);
        } else {
            status = split_outline(context, sampling, &meshes[edge->panel], edge, repair);
        }
    }
    return status;
}

static wf_status repair_edges(wf_context *context, wf_sampling *sampling, wf_panel_mesh *meshes,
                              const sewn_edge *edges, int64_t count, bool inside, wf_repair *repair)
{
    wf_status status = WF_OK;
    for (int64_t first = 0, last; first < count && status == WF_OK; first = last) {
        for (last = first + 1; last < count && edges[last].low == edges[first].low
                               && edges[last].high == edges[first].high; last++) {
        }
        if (last - first > 1 || edges[first].low == edges[first].high) {
            status = repair_group(context, sampling, meshes, edges, first, last, inside, repair);
        }
    }
    return status;
}

/* A panel of a single triangle can fall onto another one although no two edges do: then one outline edge is halved. */
static wf_status repair_single_triangles(wf_context *context, wf_sampling *sampling, const wf_panel_mesh *meshes,
                                         const wf_stitching *stitching, wf_repair *repair)
{
    int32_t panel_count = sampling->garment->panel_count;
    for (int32_t p = 0; p < panel_count; p++) {
        for (int32_t q = 0; q < p && meshes[p].face_count == 1; q++) {
            if (meshes[q].face_count != 1) {
                continue;
            }
            int matches = 0;
            for (int i = 0; i < 9; i++) {
                matches += stitching->vertex_class[stitching->panel_vertices[p] + meshes[p].faces[0][i / 3]]
                           == stitching->vertex_class[stitching->panel_vertices[q] + meshes[q].faces[0][i % 3]];
            }
            sewn_edge edge;
            const int32_t *face = meshes[p].faces[0];
            if (matches == 3 && describe_edge(stitching, &meshes[p], p, face[0], face[1], &edge)) {
                return split_outline(context, sampling, &meshes[p], &edge, repair);
            }
        }
    }
    return WF_OK;
}

wf_status wf_stitching_repair(wf_context *context, wf_sampling *sampling, wf_panel_mesh *meshes,
                              const wf_stitching *stitching, wf_repair *repair)
{
    *repair = (wf_repair){.seam = -1};
    sewn_edge *edges;
    int64_t count;
    wf_status status = list_edges(context, sampling, meshes, stitching, &edges, &count);
    if (status == WF_OK) {
        status = repair_edges(context, sampling, meshes, edges, count, false, repair);
    }
    if (status == WF_OK && repair->outline_splits == 0) {
        status = repair_single_triangles(context, sampling, meshes, stitching, repair);
    }
    if (status == WF_OK && repair->outline_splits == 0) {
        status = repair_edges(context, sampling, meshes, edges, count, true, repair);
    }
    wf_free(context, edges);
    return status;
}
