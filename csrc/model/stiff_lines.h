/* stiff_lines.h - rods along paths of edges: what a seam with its allowance and thread adds to the bending of cloth.
 *
 * A rod of bending stiffness EI (N m2) runs along edges and is as curved at rest as its path in the pattern. At a joint
 * between two edges e and f of it, with their lengths in the pattern, its change of slope is
 *
 *     d = f / |f| - e / |e| - tan(turn / 2) (n_e + n_f)
 *
 * with `turn` the angle that the path turns by in the pattern, and n_e and n_f the cloth's own directions across the
 * edges there, each from the foot of its face's height to the corner. On a path in the pattern's plane these two
 * make up what the edges turn, so that d vanishes for every affine image of the flat pattern; bent out of it, d over
 * the mean length l of the edges is the rod's curvature, and its energy EI / (2 l) d . d (the quadratic form of Bergou
 * et al. 2006 on one line). A path with faces on both sides, which may be two patterns of unlike curves and lengths,
 * has the mean of both sides' d. d is linear in the positions, so the matrix is constant and semidefinite; sharp bends
 * are measured by 2 sin(a/2) instead of a.
 *
 * A path that turns by more than 60 degrees has a corner there: one rod ends and another begins.
 */
#ifndef WEFT_MODEL_STIFF_LINES_H
#define WEFT_MODEL_STIFF_LINES_H

#include "model/incidence.h"
#include "model/model.h"

enum { WF_JOINT_NODES = 7 }; /* before, at and after the joint; the far corners of four faces */

typedef struct wf_stiff_joint {
    int32_t vertices[WF_JOINT_NODES]; /* nodes that there are not repeat the joint and have no share */
    double share[WF_JOINT_NODES];     /* 1/m: d is the sum of share times vertex */
    double length;                    /* l, m, > 0 */
    double stiffness;                 /* EI, N m2, >= 0 */
    double viscosity;                 /* s, >= 0 */
} wf_stiff_joint;

/* A path of edges of a sheet. */
typedef struct wf_stiff_path {
    int32_t vertex_count, face_count;
    const int32_t (*faces)[3];
    const wf_vec2 (*rest)[3];
    const wf_incidence *around; /* of the faces' corners, where the faces have been checked; NULL: is made, and they
                                 * are checked */
    int32_t count;       /* of vertices */
    const int32_t *path; /* [count], each joined to the next by an edge; the same vertex twice: no edge */
    bool closed;         /* the last is joined to the first */
} wf_stiff_path;

/* The joints of a path, without stiffness: joints has room for one at each vertex. Errors as wf_check_face. */
wf_status wf_stiff_path_joints(wf_context *context, const wf_stiff_path *path, wf_stiff_joint *joints, int32_t *count);

/* WF_ERROR_ARGUMENT names the first joint that is not as above. */
wf_status wf_stiff_lines_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_stiff_joint *joints,
                                wf_model **model);

/* Changes a joint's stiffness between steps. */
void wf_stiff_lines_set(wf_model *model, int32_t joint, const wf_stiff_joint *values);

#endif
