/* patch.h - a face and its hinges: how curvature is measured and what it costs. */
#ifndef WEFT_MODEL_PATCH_H
#define WEFT_MODEL_PATCH_H

#include "model/element.h"
#include "model/incidence.h"

enum { WF_PATCH_VERTICES = 6 };

/* Measures weaker than this fraction of a patch's strongest are left out. */
#define WF_PATCH_LEAST_MEASURE 0.02

/* One face with up to three neighbours. Hinge h measures j_h = sum_a weight[h][a] x_a. */
typedef struct wf_patch {
    int32_t vertices[WF_PATCH_VERTICES]; /* the face's corners, then the far vertex over edge k (corner k to k + 1); a
                                            missing one repeats corner 0 and has no weight */
    double weight[3][WF_PATCH_VERTICES];
    double form[3][3];                   /* j_h = form[h] . (k11, k22, 2 k12) for a sheet of constant curvature, m2 */
    double area;                         /* m2 that this face's curvature stands for */
    int32_t hinge_count;                 /* hinges present; absent ones have zero rows */
} wf_patch;

/* Patches of all faces of a mesh whose faces passed wf_check_face. patches: [face_count]. */
wf_status wf_patches_build(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                           const wf_vec2 (*rest)[3], wf_patch *patches);

/* The 3 x 3 stiffness s with energy 1/2 sum_hi s[h][i] j_h . j_i, N/m, for plate moduli D (N m). */
void wf_patch_stiffness(const wf_patch *patch, const double moduli[3][3], double stiffness[3][3]);

#endif
