/* bending.h - bending forces of cloth whose rest shape is flat, with moduli in N m.
 *
 * WF_BENDING_QUADRATIC, the default. Every inner edge is a hinge. Its measure is the vector
 *     j = x(opposite vertex of the neighbour) - (affine continuation of this face to that vertex),
 * which is zero for every affine image of the flat sheet and, for isometric motions, is the change of slope across the
 * edge times a length: the same four-vertex expression as in Bergou et al. (2006), "A quadratic bending model for
 * inextensible surfaces". Each face takes the one curvature tensor (weft, warp, twist; a vector each) that explains its
 * three hinges, and has the energy of an orthotropic plate,
 *     E = 1/2 area k : D : k,   D from wf_fabric_bending_moduli.
 * So the weight of the hinges is not a constant of the mesh: a sheet bent to a cylinder of radius r has the energy
 * B(phi) / (2 r^2) per area on any triangulation, regular or not, which the per-hinge sum has on none but special ones.
 * The energy is quadratic in the positions, its matrix is constant and acts on x, y and z alike.
 *
 * At a border a face lacks a hinge. Its complete neighbours then count its area (or three quarters of it) as theirs;
 * for the rest it takes the curvature of least energy that fits its hinges. Edges with more than two faces have no hinge.
 *
 * All rest data come from the faces' own planar coordinates: the neighbour is unfolded into the face's plane by its
 * height over the common edge and its foot along it, as a fraction of the edge, so that seams whose sides differ in
 * length or grain need nothing special.
 *
 * Limits of the quadratic form: it is exact for isometric deformations only. Stretch that varies from face to face
 * costs bending energy (negligible beside the membrane's). A hinge folded by the angle a is measured by 2 sin(a/2)
 * instead of a, so sharp folds (beyond about 90 degrees within one edge length) are resisted less than linearly. Rest
 * curvature is zero: no folds, no pressed creases.
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

/* Replaces the fabrics (the same number). The matrices' patterns stay. Nothing changes on failure. */
wf_status wf_bending_set_fabrics(wf_context *context, wf_model *model, int32_t fabric_count,
                                 const wf_fabric *fabrics);

#endif
