/* bending.h - bending forces of cloth whose rest shape is flat, with moduli in N m.
 *
 * WF_BENDING_QUADRATIC, the default. Every inner edge is a hinge. Its measure is the change of slope across the edge,
 * a vector that is linear in its four vertices and zero for every affine image of the flat sheet: the expression of
 * Bergou et al. (2006), "A quadratic bending model for inextensible surfaces". From nine of them a face has its
 * curvature tensor and the gradient of that (model/patch.h), and its energy is that of an orthotropic plate, 1/2 area
 * k : D : k with D from wf_fabric_bending_moduli, and a term of the gradient that makes up for the size of the faces.
 * The energy is quadratic in the positions, its matrix is constant and acts on x, y and z alike. No moment acts across
 * an edge at a border, or one with more than two faces.
 *
 * Cylinders in any direction, spheres, saddles and twist have the plate's energy within 0.5 % on any mesh, those of
 * randomly moved vertices and of alternating diagonals included; a heavy strip of 40 edges hangs within 0.5 % of the
 * elastica (spec/model). One weight per hinge, as the cited model has, is three times too stiff across the lines of a
 * regular grid with diagonals.
 *
 * All rest data come from the faces' own planar coordinates: a neighbour is unfolded into the face's plane by its
 * height over the common edge and its foot along it, as a fraction of the edge, so that seams whose sides differ in
 * length or grain need nothing special.
 *
 * Limits of the quadratic form: it is exact for isometric deformations only. Stretch that varies from face to face
 * costs bending energy (negligible beside the membrane's). Where rows of vertices are fixed, the clamp acts half the
 * way from the last of them to the next. A hinge folded by the angle a is measured by 2 sin(a/2) instead of a, so sharp
 * folds (beyond about 90 degrees within one edge length) are resisted less than linearly. Rest curvature is zero: no
 * folds, no pressed creases.
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
    const bool *active;         /* as of wf_sheet_faces; of the quadratic form alone */
    wf_bending_form form;
} wf_bending_def;

/* Makes the model; errors as wf_membrane_create. */
wf_status wf_bending_create(wf_context *context, const wf_bending_def *def, wf_model **model);

/* Forces and matrices do not need the elements of a bound quadratic plate, which take 1,450 bytes a vertex: energies
 * do, whatever goes element by element (model/local.h), and patterns made from its stencil. They can be dropped, and
 * taken from another model made from the same, which has none then. Models of other kinds always have theirs. */
void wf_bending_drop_elements(wf_context *context, wf_model *model);
bool wf_bending_has_elements(const wf_model *model);
void wf_bending_move_elements(wf_model *from, wf_model *to);

#endif
