/* membrane.h - the in-plane forces of cloth: linear elements of an orthotropic linear law, with viscosity.
 *
 * The columns of the deformation gradient F (3 x 2) of a face are the images u and v of its weft and warp. The energy
 * per area is 1/2 e : C : e; deformations may be large and rotations as large as they like. The forms differ in e.
 *
 * WF_MEMBRANE_WEAVE, what cloth has that chooses none: the threads' stretches |u| - 1 and |v| - 1 and a shear strain
 * from the lengths of the diagonals u + v and u - v (Volino and Magnenat-Thalmann 2007; membrane_weave.h). Tension
 * along threads makes it stiffer in shear, as threads are, and all its stiffness has a closed form. On the bias an
 * isotropic fabric is stiffer than along its threads, by 0.6 % at a strain of 1 % and 6 % at one of 10 % (spec/model).
 *
 * WF_MEMBRANE_EXACT: U - I of the polar decomposition F = R U (Keckeisen 2005, section 2.2), whose principal axes know
 * no threads. Pulled along them by more than 4 C1212 it shears by itself, as U11 is not the thread's length.
 *
 * Both are the true gradient of their energy: no net torque, energy is conserved. The viscous stress is viscosity C
 * de/dt, which no rigid motion of a stretched element excites; over a step, of differences of e (past.h). Their matrix
 * is the exact second derivative where that is semidefinite; elsewhere EXACT has the negative eigenvalues of each
 * element removed, and WEAVE the terms of what is under compression. Tension thus stiffens the cloth against transverse
 * motion and compression cannot make the system indefinite.
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

typedef enum wf_membrane_form { WF_MEMBRANE_EXACT, WF_MEMBRANE_THESIS, WF_MEMBRANE_WEAVE } wf_membrane_form;

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

/* Per face at positions x: weft strain and warp strain, |u| - 1 and |v| - 1 of the weave, U11 - 1 and U22 - 1 of the
 * other forms, and the engineering shear angle, rad (the angle by which weft and warp depart from a right angle;
 * positive when they close). */
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
