/* bending.h - bending forces of cloth whose rest shape is flat, with moduli in N m.
 *
 * WF_BENDING_QUADRATIC, the default. Every inner edge is a hinge. Its measure is the change of slope across the edge,
 * a vector that is linear in its four vertices and zero for every affine image of the flat sheet: the expression of
 * Bergou et al. (2006), "A quadratic bending model for inextensible surfaces". Over the distance between the middles
 * of the two faces it is the hinge's curvature k_h. A face's curvature tensor is the sum over its three hinges of k_h
 * n n^T, n the edge's normal (the rotation-free triangle of Onate and Cervera 1993, a Morley element whose edge slopes
 * are interpolated), and its energy that of an orthotropic plate, 1/2 area k : D : k, with D from
 * wf_fabric_bending_moduli. The energy is quadratic in the positions, its matrix is constant and acts on x, y and z
 * alike. No moment acts across an edge at a border, or one with more than two faces.
 *
 * Why not one weight per hinge, as the cited model has: such a sum depends on how the mesh lies to the fold. It is
 * three times too stiff across the lines of a regular grid with diagonals and half as much too stiff on equilateral
 * triangles. The sum of k_h n n^T is exact on both, and passes the patch test of forces on all meshes, but measures a
 * constant curvature too large on average where neighbouring triangles are unlike (10 to 30 % of stiffness on randomly
 * distorted grids). The tensor that returns constant curvature exactly on all meshes fails the patch test instead and
 * is too soft. Both errors are quadratic in the share of each, and of opposite sign: 0.7 of the first and 0.3 of the
 * second leave a heavy strip within 3 % of the elastica on regular, alternating and distorted grids of 40 edges
 * (spec/model). What remains: up to 20 % too stiff on strongly distorted meshes and across alternating diagonals at 45
 * degrees, up to 10 % too soft along them.
 *
 * All rest data come from the faces' own planar coordinates: the neighbour is unfolded into the face's plane by its
 * height over the common edge and its foot along it, as a fraction of the edge, so that seams whose sides differ in
 * length or grain need nothing special.
 *
 * Limits of the quadratic form: it is exact for isometric deformations only. Stretch that varies from face to face
 * costs bending energy (negligible beside the membrane's). Where rows of vertices are fixed, the clamp acts half an
 * edge inside the last of them, where the hinges over it begin. A hinge folded by the angle a is measured by 2
 * sin(a/2) instead of a, so sharp folds (beyond about 90 degrees within one edge length) are resisted less than
 * linearly. Rest curvature is zero: no folds, no pressed creases.
 *
 * WF_BENDING_THESIS is the printed element of Keckeisen (2005), equation (2.2 ff), for comparison alone. DEFECT: its
 * stiffness vanishes for a flat sheet and falls with the fourth power of the edge length on a curved one; with moduli
 * in N m its forces have the wrong unit. Normals and rotations are frozen in its matrix, and its energy is that of the
 * frozen operator.
 */
#ifndef WEFT_MODEL_BENDING_H
#define WEFT_MODEL_BENDING_H

#include "fabric/fabric.h"
#include "model/model.h"

typedef enum wf_bending_form { WF_BENDING_QUADRATIC, WF_BENDING_THESIS } wf_bending_form;

typedef struct wf_bending_def {
    int32_t vertex_count;
    int32_t face_count;
    const int32_t (*faces)[3];  /* [face_count] vertex indices */
    const wf_vec2 (*rest)[3];   /* [face_count] rest coordinates of the corners in the grain frame, m */
    int32_t fabric_count;
    const wf_fabric *fabrics;   /* [fabric_count], copied */
    const int32_t *face_fabric; /* [face_count] index into fabrics; NULL: all 0 */
    wf_bending_form form;
} wf_bending_def;

/* Makes the model; errors as wf_membrane_create. */
wf_status wf_bending_create(wf_context *context, const wf_bending_def *def, wf_model **model);

/* Forces and matrices do not need the elements of a bound quadratic plate, which take 175 bytes a vertex: energies do,
 * whatever goes element by element (model/local.h), and patterns made from its stencil. They can be dropped, and taken
 * from another model made from the same, which has none then. Models of other kinds always have theirs. */
void wf_bending_drop_elements(wf_context *context, wf_model *model);
bool wf_bending_has_elements(const wf_model *model);
void wf_bending_move_elements(wf_model *from, wf_model *to);

#endif
