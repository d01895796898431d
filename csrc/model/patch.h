/* patch.h - a face and its hinges: how curvature is measured and what it costs. See bending.h. */
#ifndef WEFT_MODEL_PATCH_H
#define WEFT_MODEL_PATCH_H

#include "model/element.h"
#include "model/incidence.h"

enum { WF_PATCH_VERTICES = 6 };

/* One face with up to three neighbours. Hinge h lies over the edge from corner h to h + 1 and has the curvature (a
 * vector in space) k_h = sum_a weight[h][a] x_a; the face's curvature tensor is the sum of k_h direction[h]. */
typedef struct wf_patch {
    int32_t vertices[WF_PATCH_VERTICES]; /* the face's corners, then the far vertex of hinge 0, 1, 2; a missing one
                                            repeats corner 0 and has no weight */
    double weight[3][WF_PATCH_VERTICES]; /* 1/m2 */
    double direction[3][3];              /* n n^T of the edge's normal as (11, 22, 2 x 12) */
    bool present[3];                     /* a missing hinge is a free edge: no moment across it */
    double area;                         /* m2 */
} wf_patch;

/* neighbours[face][k] = the one other face at the edge from corner k to k + 1, or -1 when there is none or more than
 * one. The faces must have passed wf_check_face. */
wf_status wf_patch_find_neighbours(wf_context *context, int32_t vertex_count, int32_t face_count,
                                   const int32_t (*faces)[3], int32_t (*neighbours)[3]);

/* Three vertices and their rest coordinates; `vertices` NULL: no face. */
typedef struct wf_patch_face {
    const int32_t *vertices;
    const wf_vec2 *rest;
} wf_patch_face;

/* The patch of a face with its neighbours over the edges. */
void wf_patch_fill(wf_patch_face face, const wf_patch_face neighbours[3], wf_patch *patch);

/* The 3 x 3 stiffness s with energy 1/2 sum_hi s[h][i] k_h . k_i, N m3, for plate moduli D (N m). */
void wf_patch_stiffness(const wf_patch *patch, const double moduli[3][3], double stiffness[3][3]);

#endif
