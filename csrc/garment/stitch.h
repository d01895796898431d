/* stitch.h - which vertices a garment's seams make one, and where that would spoil the sewn mesh.
 *
 * Sewing identifies the two vertices of every pair, and chains of pairs (reference E6: union-find over all pairs). The
 * sewn mesh is sound only if no triangle loses a corner and no two different edges fall onto each other. Where they
 * would - a narrow tube, a dart one triangle wide, a strip sewn on both sides - the mesh is refined there before
 * sewing, so that sewing never makes an element of no area.
 */
#ifndef WEFT_GARMENT_STITCH_H
#define WEFT_GARMENT_STITCH_H

#include "garment/folds.h"

/* A panel's triangles, in its rest frame. Arrays come from the context. */
typedef struct wf_panel_mesh {
    wf_panel_outline outline;     /* its points are the first vertices */
    wf_fold_lines folds;
    int32_t vertex_count, face_count;
    wf_vec2 *points;
    int32_t (*faces)[3];    /* counter-clockwise in the rest frame */
    size_t point_capacity, face_capacity;
} wf_panel_mesh;

typedef struct wf_stitching {
    int32_t vertex_count, pair_count;
    int32_t *panel_vertices; /* [panel_count + 1] the first vertex of each panel in the common numbering */
    int32_t (*pairs)[2];     /* [pair_count] seam by seam; r != s */
    int32_t *pair_seam;      /* [pair_count] */
    int32_t *vertex_class;   /* [vertex_count] smallest vertex it becomes one with */
} wf_stitching;

wf_status wf_stitching_create(wf_context *context, const wf_sampling *sampling, const wf_panel_mesh *meshes,
                              wf_stitching *stitching);
void wf_stitching_free(wf_context *context, wf_stitching *stitching);

/* What wf_stitching_repair did. */
typedef struct wf_repair {
    int32_t outline_splits;  /* points asked for on strands: the changed panels must be triangulated again */
    int32_t inner_splits;    /* edges inside panels that were halved, in place; only when outline_splits is 0 */
    int32_t panel, seam;     /* a place where it was needed; seam -1 when it concerns none directly */
} wf_repair;

/* Finds edges that sewing would collapse or lay onto each other, and halves them. All zero when the mesh is sound. */
wf_status wf_stitching_repair(wf_context *context, wf_sampling *sampling, wf_panel_mesh *meshes,
                              const wf_stitching *stitching, wf_repair *repair);

#endif
