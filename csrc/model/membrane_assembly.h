/* membrane_assembly.h - from the results of faces to the forces of vertices and the blocks of a matrix.
 *
 * Faces are evaluated chunk by chunk into storage that stays in the cache. Then each edge of the mesh adds up what its
 * faces say about its block and writes it to its two places in the matrix, and each vertex adds up the forces of its
 * corners. No two edges or vertices write to the same place, and the order of every sum is that of the faces: any number
 * of threads gives the same bits. The rows of an element's matrix sum to zero, so a row's diagonal block follows from
 * the others.
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

/* What a batch of faces gives. */
typedef struct wf_membrane_results {
    _Alignas(64) double blocks[3][9][WF_LANES]; /* of corners (0, 1), (1, 2), (2, 0), row-major */
    double forces[3][3][WF_LANES]; /* of the corners, along x, y, z */
} wf_membrane_results;

enum { WF_RESULT_DOUBLES = sizeof(wf_membrane_results) / sizeof(double) };

/* One or two faces of one chunk at an edge from vertex i to vertex j. */
typedef struct wf_membrane_edge {
    /* Where the faces' blocks begin among the chunk's results, counted in doubles, times two. First: + 1 when an earlier
     * chunk has written to the edge. Second: + 1 when the face runs from j to i. */
    int32_t first, second;
    int32_t slot_ij, slot_ji; /* once bound */
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
    int32_t *empty_slots; /* in the rows of the model's vertices, but between vertices that no face joins */
    int32_t empty_count;
} wf_membrane_assembly;

/* What an edge's faces say; results: the doubles of the chunk's results. */
static inline wf_mat3 wf_membrane_edge_block(const wf_membrane_edge *edge, const double *results)
{
    const double *a = results + (edge->first >> 1), *b = results + (edge->second >> 1);
    wf_mat3 sum;
    if (edge->second & 1) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                sum.m[r][c] = a[(3 * r + c) * WF_LANES] + b[(3 * c + r) * WF_LANES];
            }
        }
    } else {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                sum.m[r][c] = a[(3 * r + c) * WF_LANES] + b[(3 * r + c) * WF_LANES];
            }
        }
    }
    return sum;
}

/* On failure `assembly` is empty. */
wf_status wf_membrane_assembly_build(wf_context *context, const wf_stencil *faces, const wf_incidence *incidence,
                                     wf_membrane_assembly *assembly);
void wf_membrane_assembly_free(wf_context *context, wf_membrane_assembly *assembly);

/* The face whose block an edge of a chunk begins with, and its corner k: the edge runs from there to corner k + 1. */
const int32_t *wf_membrane_edge_face(const wf_membrane_assembly *assembly, const wf_stencil *faces, int32_t chunk,
                                     const wf_membrane_edge *edge, int *k);

/* Finds the edges' slots. WF_ERROR_STATE when the pattern lacks one. */
wf_status wf_membrane_assembly_bind(wf_context *context, wf_membrane_assembly *assembly, const wf_model *model,
                                    const wf_pattern *pattern);

#endif
