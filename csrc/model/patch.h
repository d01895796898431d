/* patch.h - how a face measures its curvature, and how that changes from face to face, by the hinges over its own three
 * edges and the outer two of each neighbour. For the laws that are plates, "plate" and "shell"; what they measure of a
 * hinge, a vector or an angle, is theirs.
 *
 * Curvature. A face turns about each of its edges from its own plane to the sheet's slope at the edge's middle by an
 * angle, and these three make up its curvature tensor: the sum over edges of (length / area) angle n n^T, n the edge's
 * normal in the plane (Morley 1968, "The triangular equilibrium element in the solution of plate bending problems";
 * Onate and Cervera 1993 and Grinspun et al. 2006, "Computing discrete shape operators on general meshes", build on the
 * same). What a hinge turns in all is divided between its two faces, so that constant moments do no work at vertices
 * inside: the patch test of forces holds on every mesh. How it divides is not given by positions alone. The published
 * models let each face have the share of its height, which measures a constant curvature wrongly wherever neighbouring
 * triangles are unlike: a twist of alternating diagonals has two and a half times the plate's energy. Any division is
 * an upper bound of the energy that the best one has (so there are no soft modes), and two things are done to get near:
 *   - one step towards the best: each edge turns until the moments of its faces are equal, as far as it can without its
 *     neighbours knowing. That is right where curvatures change suddenly, as at clamps;
 *   - the least change of that with which all quadratic surfaces are measured exactly. So constant curvatures are exact
 *     on every mesh.
 *
 * Change of curvature. A sum over faces misses what curvatures vary within each, and what the turns err by where they
 * do: waves of 8 edges are 9 to 11 % too soft, those of 5 edges 21 to 25 %. To second order in the number of the waves
 * both are one quadratic form P of the curvature's gradient, known from the triangles' shapes. The gradient is that of
 * a cubic surface fitted to the nine hinges; it is zero for constant curvatures, so all said above stays. Two thirds of
 * P are added: the membrane, whose triangles are flat, measures waves too short by a third as much (3.8 and 9.5 %), and
 * a sheet of given lengths then wrinkles and rolls up with the right energy. They agree within 2 % at 8 edges on all
 * meshes and 0.3 % on equilateral triangles.
 *
 * No moment acts across an edge at a border, or one with more than two faces: what a face turns there is chosen for the
 * least energy. Across a seam between unlike fabrics or grains moments are equal, not curvatures; there the gradient
 * means nothing and is left out.
 */
#ifndef WEFT_MODEL_PATCH_H
#define WEFT_MODEL_PATCH_H

#include "model/hinge.h"

enum { WF_PATCH_VERTICES = 12, WF_PATCH_HINGES = 9, WF_PATCH_STRAINS = 7 };

typedef struct wf_patch_hinge {
    bool present;
    int32_t node[WF_HINGE_NODES];  /* places among the patch's vertices */
    double weight[WF_HINGE_NODES]; /* of their heights over the flat patch: the change of slope, 1/m */
    double far_foot, far_height;   /* as of wf_hinge_site */
    double angle;                  /* at rest, rad */
    double side;                   /* -1: its own face looks to the other side than the patch's */
} wf_patch_hinge;

typedef struct wf_patch {
    /* The face's corners, and 3 + h the far vertex of hinge h; a missing one repeats corner 0. Around vertices of few
     * faces some are there more than once. */
    int32_t vertices[WF_PATCH_VERTICES];
    wf_vec2 place[WF_PATCH_VERTICES]; /* m, unfolded into the face's plane */
    /* 0 to 2 over the edges from corner h to h + 1, then two of each neighbour. */
    wf_patch_hinge hinge[WF_PATCH_HINGES];
    double area; /* m2 */
    double moduli[3][3];
    /* Sums over the hinges of their changes of slope: the curvatures k11, k22 and 2 k12, 1/m, whose energy density is
     * 1/2 k . moduli k; and four numbers of their gradient, with 1/2 times the sum of their squares. */
    double measure[WF_PATCH_STRAINS][WF_PATCH_HINGES];
} wf_patch;

/* The patch of a face. neighbours: of wf_sheet_find_neighbours. */
void wf_patch_fill(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, wf_patch *patch);

#endif
