/* membrane.h - the in-plane forces of cloth: corotational orthotropic linear elements, with viscosity.
 *
 * Per face the deformation gradient F (3 x 2) is split into a rotation and a symmetric stretch, F = R U. The strain is
 * U - I, the stress is C (U - I), the energy per area 1/2 (U - I) : C : (U - I). Deformations may be large and the
 * rotations as large as they like; the law itself is linear (Keckeisen 2005, section 2.2).
 *
 * WF_MEMBRANE_EXACT takes the true gradient of that energy: no net torque, energy is conserved. The viscous stress is
 * viscosity C dU/dt, which no rigid motion of a stretched element excites; over a step, of differences of U (past.h).
 * Its matrix is the exact second derivative with the negative eigenvalues of each element removed (out of plane:
 * negative principal stresses), so that tension stiffens the cloth against transverse motion and compression cannot
 * make the system indefinite.
 *
 * WF_MEMBRANE_THESIS is the author's form: force R C (U - I), matrix R K R^T with the rotation frozen, viscosity of
 * sym(R^T dF/dt). For orthotropic moduli it is not a gradient and exerts a net torque.
 *
 * Rest coordinates belong to the corners of faces, not to vertices: after sewing, a vertex has one per pattern. They
 * are given in the fabric's grain frame: x along the weft, y along the warp.
 *
 * Elements that collapse to a line or a point keep finite forces, which push them open again.
 */
#ifndef WEFT_MODEL_MEMBRANE_H
#define WEFT_MODEL_MEMBRANE_H

#include "fabric/fabric.h"
#include "model/model.h"

typedef enum wf_membrane_form { WF_MEMBRANE_EXACT, WF_MEMBRANE_THESIS } wf_membrane_form;

typedef struct wf_membrane_def {
    int32_t vertex_count;
    int32_t face_count;
    const int32_t (*faces)[3];   /* [face_count] vertex indices */
    const wf_vec2 (*rest)[3];    /* [face_count] rest coordinates of the corners, m; either orientation */
    int32_t fabric_count;
    const wf_fabric *fabrics;    /* [fabric_count], copied */
    const int32_t *face_fabric;  /* [face_count] index into fabrics; NULL: all 0 */
    wf_membrane_form form;
} wf_membrane_def;

/* Makes the model. WF_ERROR_ARGUMENT names the first face whose vertices repeat or are out of range, whose rest shape
 * is not finite or has no area, or whose fabric does not exist, and any fabric that cannot be simulated. */
wf_status wf_membrane_create(wf_context *context, const wf_membrane_def *def, wf_model **model);

/* Per face at positions x: weft strain U11 - 1, warp strain U22 - 1, and the engineering shear angle, rad (the angle
 * by which weft and warp depart from a right angle; positive when they close). */
void wf_membrane_strains(wf_context *context, const wf_model *model, const wf_vec3 *x, double (*strains)[3]);

/* The polar decomposition of one face's deformation gradient: columns of R (unit vectors along the rotated weft and
 * warp), U as {U11, U12, U22}. */
void wf_membrane_frame(const wf_model *model, int32_t face, const wf_vec3 *x, wf_vec3 rotation[2], double stretch[3]);

/* Masses of the vertices, kg: density times the mixed Voronoi area of Meyer et al. (2003) on the rest shape of each
 * face, summed over the faces. density: [face_count], kg/m2. The sum over vertices is the cloth's mass.
 * mass: [vertex_count], overwritten. WF_ERROR_ARGUMENT as above. */
wf_status wf_lumped_masses(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                           const wf_vec2 (*rest)[3], const double *density, double *mass);

#endif
