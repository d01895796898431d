/* assemble.h - all panels of a garment triangulated, placed in space, and paired along the seams; not yet sewn.
 *
 * This is what the world sews: vertices of all panels in one numbering, triangles that keep their own plane rest
 * coordinates, and the list of vertex pairs to be made one (reference E5, E6).
 */
#ifndef WEFT_GARMENT_ASSEMBLE_H
#define WEFT_GARMENT_ASSEMBLE_H

#include "garment/pattern.h"

/* A straight line of a panel's edges with a rest angle. */
typedef struct wf_pattern_fold {
    int32_t panel;
    wf_vec2 from, to; /* m, in the panel's rest frame: vertices */
    double angle;     /* rad */
} wf_pattern_fold;

/* What a seam adds, along a path of vertices of its first side. */
typedef struct wf_pattern_seam {
    wf_seam_law law;
    int32_t first, count; /* of seam_vertices */
} wf_pattern_seam;

typedef struct wf_pattern_mesh {
    int32_t vertex_count, face_count, panel_count, pair_count, seam_count;
    wf_vec2 *rest;          /* [vertex_count] plane coordinates, m, in the panel's rest frame: its plane seen from the
                               outer side. That is the frame of the drawing, with x of opposite sign when the drawing
                               shows the inner side; every face is counter-clockwise in it. */
    wf_vec3 *positions;     /* [vertex_count] placed in space, m */
    int32_t (*faces)[3];    /* [face_count] counter-clockwise seen from outside; panel by panel */
    int32_t *face_panel;    /* [face_count] */
    int32_t *vertex_panel;  /* [vertex_count]; vertices, too, go panel by panel */
    int32_t (*pairs)[2];    /* [pair_count] stitched vertex pairs (r, s), r != s; seam by seam, in the seam's order */
    int32_t *pair_seam;     /* [pair_count] */
    double *seam_ratio;     /* [seam_count] the longer side's length over the shorter's, >= 1 */
    wf_pattern_seam *seams; /* [seam_count] */
    int32_t *seam_vertices;
    int32_t fold_count;
    wf_pattern_fold *folds; /* [fold_count] */
    double *panel_grain;    /* [panel_count] angle from the rest frame's y axis to the warp, counter-clockwise, rad */
    int32_t *panel_fabric;  /* [panel_count] index into the garment's fabrics */
    int32_t *panel_layer;   /* [panel_count] 0 next to the body */
    wf_vec3 *panel_normal;  /* [panel_count] unit, outward */
    double minimum_angle;   /* smallest angle of all faces in the plane, rad */
} wf_pattern_mesh;

typedef struct wf_garment_mesh_params {
    double edge_length;      /* target edge length, m; 1e-5 to 10 */
    double minimum_angle;    /* rad, default 26 degrees: held wherever the outline's own angles allow */
    int64_t triangle_limit;  /* default 4,000,000 for the whole garment */
} wf_garment_mesh_params;

wf_garment_mesh_params wf_default_garment_mesh_params(void);

/* Triangulates and places all panels. A point that the refinement puts on a seam is put on both its sides; where
 * sewing would collapse a triangle or lay one edge onto another the panel is refined locally.
 * WF_ERROR_LIMIT: the edge length would give more triangles than the limit (the message has the estimate), decided
 * before any work. WF_ERROR_GEOMETRY: an outline crosses itself (panel and place), or a seam collapses a panel however
 * fine (seam and panel). WF_ERROR_ARGUMENT: an edge length or angle out of range. `mesh` is all zero on failure. */
wf_status wf_garment_triangulate(wf_context *context, const wf_garment *garment, const wf_garment_mesh_params *params,
                                 wf_pattern_mesh *mesh);

void wf_pattern_mesh_free(wf_context *context, wf_pattern_mesh *mesh);

#endif
