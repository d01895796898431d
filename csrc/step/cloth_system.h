/* cloth_system.h - a piece of cloth without contact as a system for time integrators.
 *
 * The models of csrc/model on one mesh, weight, damping and pins: what a world steps, without bodies, floor and door.
 * It is what schemes are tested and compared on. It has elements, so that all schemes can be tried.
 */
#ifndef WEFT_STEP_CLOTH_SYSTEM_H
#define WEFT_STEP_CLOTH_SYSTEM_H

#include "model/models.h"
#include "model/springs.h"
#include "step/system.h"

typedef struct wf_cloth_system wf_cloth_system;

typedef struct wf_cloth_system_def {
    wf_sheet_faces sheet;       /* vertex_count, faces, rest shape, fabrics; faces may be none */
    const wf_model_entry *membrane, *bending; /* of the faces, NULL: none; default those of wf_model_default */
    wf_springs_def springs;     /* on the same vertices; may be none */
    const double *masses;       /* [vertex_count] kg, > 0; NULL: from the fabrics' densities */
    int32_t pin_count;
    const int32_t *pins;        /* vertices that move at the constant velocity they start a step with */
    wf_vec3 gravity;            /* m/s^2, default {0, -9.81, 0} */
    double damping;             /* 1/s, a force of minus damping x mass x velocity; default 0 */
    double tolerance;           /* relative residual of a solve that names none, default 1e-10 */
} wf_cloth_system_def;

wf_cloth_system_def wf_default_cloth_system_def(void);

/* Everything is copied. WF_ERROR_ARGUMENT names what is out of range, and the first vertex without mass. */
wf_status wf_cloth_system_create(wf_context *context, const wf_cloth_system_def *def, wf_cloth_system **system);
/* NULL is allowed. */
void wf_cloth_system_destroy(wf_cloth_system *system);

/* The cloth for an integrator; valid as long as the cloth. It is not to be used by two integrators at the same moment:
 * `linearise` and `solve` share its memory. */
const wf_system *wf_cloth_system_get(const wf_cloth_system *cloth);

/* [vertex_count] kg */
const double *wf_cloth_system_masses(const wf_cloth_system *cloth);

#endif
