/* membrane_assembly.h - from the results of faces to the forces of vertices and the blocks of a matrix.
 *
 * Faces are evaluated chunk by chunk into storage that stays in the cache. Then each edge of the mesh adds up what its
 * faces say about its block and writes it to its place in the matrix, and each vertex adds up the forces of its
 * corners. No two edges or vertices write to the same place, and the order of every sum is that of the faces: any
 * number of threads gives the same bits. The rows of an element's matrix sum to zero, so a row's diagonal block follows
 * from the others.
 */
#ifndef WEFT_MODEL_MEMBRANE_ASSEMBLY_H
#define WEFT_MODEL_MEMBRANE_ASSEMBLY_H

#include "model/incidence.h"
#include "model/model.h"

enum { WF_LANES = 8 }; /* faces to a batch: a vector of doubles in AVX-512 */

static inline size_t wf_lane_batches(int32_t count)
{
    return ((size_t)count + WF_LANES - 1) / WF_LANES;
}

/* What a batch of faces gives. Of a row-major 3 x 3 block the first eight entries lie together, in a cache line. */
typedef struct wf_membrane_results {
    _Alignas(64) double blocks[3][WF_LANES][8]; /* of corners (0, 1), (1, 2), (2, 0), face by face */
    double last[3][WF_LANES];                   /* and their ninth entries */
    double forces[3][3][WF_LANES];              /* of the corners, along x, y, z */
} wf_membrane_results;

/* One or two faces of one chunk at an edge from vertex i to vertex j. */
typedef struct wf_membrane_edge {
    /* The faces' blocks among the chunk's results: 24 batch + 8 side + lane, times two. First: + 1 when an earlier
     * chunk has written to the edge. Second: + 1 when the face runs from j to i. */
    uint16_t first, second;
    int32_t place; /* once bound: of the lower block, times two; + 1 when that is from j to i */
} wf_membrane_edge;

/* The corners of one chunk at a vertex: incidence.corner[corner] and those after it, as far as the chunk goes. */
typedef struct wf_membrane_vertex {
    int32_t vertex, corner;
} wf_membrane_vertex;

/* Faces that are evaluated together, and what they add to; each range ends where the next chunk's begins. */
typedef struct wf_membrane_chunk {
    int32_t edge, crowded_edge, vertex; /* crowded: of edges that are in the chunk already; one after the other */
} wf_membrane_chunk;

typedef struct wf_membrane_assembly {
    int32_t chunk_count, chunk_batches;
    wf_membrane_chunk *chunks; /* [chunk_count + 1] */
    wf_membrane_edge *edges, *crowded_edges;
    wf_membrane_vertex *vertices;
    const wf_pattern *pattern; /* of the blocks, once bound */
    int32_t *empty_places; /* in the rows of the model's vertices, but between vertices that no face joins */
    int32_t empty_count;
} wf_membrane_assembly;

/* Where the eight entries and the ninth of a block are. */
static inline const double *wf_membrane_block(const wf_membrane_results *results, int32_t block, double *last)
{
    uint32_t batch = (uint32_t)block / (3 * WF_LANES), within = (uint32_t)block % (3 * WF_LANES);
    *last = (&results[batch].last[0][0])[within];
    return &results[batch].blocks[0][0][0] + 8 * within;
}

/* What an edge's faces say. */
static inline wf_mat3 wf_membrane_edge_block(const wf_membrane_edge *edge, const wf_membrane_results *results)
{
    double last_a, last_b;
    const double *a = wf_membrane_block(results, edge->first >> 1, &last_a);
    const double *b = wf_membrane_block(results, edge->second >> 1, &last_b);
    wf_mat3 sum;
    double *to = &sum.m[0][0];
    if (edge->second & 1) {
        static const int transposed[8] = {0, 3, 6, 1, 4, 7, 2, 5};
        for (int k = 0; k < 8; k++) {
            to[k] = a[k] + b[transposed[k]];
        }
    } else {
        for (int k = 0; k < 8; k++) {
            to[k] = a[k] + b[k];
        }
    }
    sum.m[2][2] = last_a + last_b;
    return sum;
}

/* On failure `assembly` is empty. */
wf_status wf_membrane_assembly_build(wf_context *context, const wf_stencil *faces, const wf_incidence *incidence,
                                     wf_membrane_assembly *assembly);
void wf_membrane_assembly_free(wf_context *context, wf_membrane_assembly *assembly);

/* The face whose block an edge of a chunk begins with, and its corner k: the edge runs from there to corner k + 1. */
const int32_t *wf_membrane_edge_face(const wf_membrane_assembly *assembly, const wf_stencil *faces, int32_t chunk,
                                     const wf_membrane_edge *edge, int *k);

/* Finds the edges' places. WF_ERROR_STATE when the pattern lacks one. */
wf_status wf_membrane_assembly_bind(wf_context *context, wf_membrane_assembly *assembly, const wf_model *model,
                                    const wf_pattern *pattern);

#endif
