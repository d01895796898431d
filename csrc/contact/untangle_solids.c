/* untangle_solids.c - the way of cloth out of bodies with an inside. */
#include <string.h>

#include "contact/untangle_private.h"
#include "mesh/union_find.h"

wf_status wf_untangle_make_solid(wf_untangler *u)
{
    const wf_untangle_def *def = u->def;
    int32_t (*faces)[3] = wf_allocate(u->context, (size_t)u->body_faces, sizeof *faces), count = 0;
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < u->body_faces; f++) {
        if (def->body_solid[f]) {
            memcpy(faces[count++], def->scene.body_faces[f], sizeof *faces);
        }
    }
    wf_mesh mesh = {0};
    wf_status status = WF_OK;
    if (count > 0) {
        status = wf_mesh_build_bare(u->context, u->vertex_count, u->x, count, (const int32_t(*)[3])faces, &mesh);
    }
    if (status == WF_OK && count > 0) {
        status = wf_solid_create(u->context, &mesh, &u->solid);
    }
    wf_mesh_free(u->context, &mesh);
    wf_free(u->context, faces);
    return status;
}

void wf_untangle_look_at_solid(wf_untangler *u)
{
    u->inside = 0;
    if (!u->solid) {
        return;
    }
    u->inside = wf_solid_signed_distance(u->context, u->solid, u->cloth_count, u->x, u->distance);
    wf_solid_distance(u->context, u->solid, u->cloth_count, u->x, u->weight, u->closest); /* weight: scratch here */
}

/* Numbers the connected pieces of cloth that are inside, in u->piece; -1 outside. Returns how many there are. */
static int32_t find_pieces(wf_untangler *u)
{
    int32_t *piece = u->piece, count = 0;
    wf_union_find_reset(piece, u->cloth_count);
    for (int32_t e = 0; e < u->cloth.edge_count; e++) {
        int32_t a = u->cloth.edges[e][0], b = u->cloth.edges[e][1];
        if (u->distance[a] < 0 && u->distance[b] < 0) {
            wf_union_find_join(piece, a, b);
        }
    }
    for (int32_t i = 0; i < u->cloth_count; i++) {
        piece[i] = wf_union_find_root(piece, i);
    }
    for (int32_t i = 0; i < u->cloth_count; i++) { /* the first of each piece has its number before the others */
        piece[i] = !(u->distance[i] < 0) ? -1 : piece[i] == i ? count++ : piece[piece[i]];
    }
    return count;
}

/* Sums of each piece: of the directions to the surface, and of the cloth's normals. */
typedef struct piece_sum {
    wf_vec3 ways, normals;
    int32_t count;
} piece_sum;

/* Nearest places are the way out while they lie on one side. A piece that reaches across the middle of a body would be
 * torn apart by them: it goes along its normal, to the side on which more of it is near. */
#define ONE_SIDED 0.6

static wf_vec3 way_out(const wf_untangler *u, int32_t i, const piece_sum *sum)
{
    wf_vec3 way = wf_vec3_sub(u->closest[i], u->x[i]);
    double beyond = u->def->scene.half_thickness[i], longest = 2 * wf_untangle_step(u, i);
    if (wf_vec3_norm(sum->ways) >= ONE_SIDED * sum->count) {
        return wf_untangle_shortened(wf_vec3_muladds(way, wf_vec3_normalize(way), beyond), longest);
    }
    wf_vec3 along = wf_vec3_normalize(sum->normals);
    return wf_vec3_scale(along, wf_vec3_dot(along, sum->ways) < 0 ? -longest : longest);
}

wf_status wf_untangle_leave_solids(wf_untangler *u)
{
    if (!u->solid || u->inside == 0) {
        return WF_OK;
    }
    int32_t pieces = find_pieces(u);
    piece_sum *sums = wf_allocate(u->context, (size_t)pieces, sizeof *sums);
    wf_vec3 *normals = wf_allocate(u->context, (size_t)u->vertex_count, sizeof *normals);
    wf_status status = sums && normals ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&u->cloth, u->x, normals);
    }
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->piece[i] >= 0) {
            piece_sum *sum = &sums[u->piece[i]];
            sum->ways = wf_vec3_add(sum->ways, wf_vec3_normalize(wf_vec3_sub(u->closest[i], u->x[i])));
            sum->normals = wf_vec3_add(sum->normals, normals[i]);
            sum->count++;
        }
    }
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->piece[i] >= 0) {
            wf_untangle_wish(u, i, way_out(u, i, &sums[u->piece[i]]), 4);
        }
    }
    wf_free(u->context, sums);
    wf_free(u->context, normals);
    return status;
}
