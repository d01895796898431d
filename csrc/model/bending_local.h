/* bending_local.h - the quadratic plate element by element and vertex by vertex; see local.h. */
#ifndef WEFT_MODEL_BENDING_LOCAL_H
#define WEFT_MODEL_BENDING_LOCAL_H

#include "fabric/fabric.h"
#include "model/local.h"
#include "model/patch.h"

/* Of the quadratic form. As compliant constraints, a face's three hinges are one block; the constant matrix is the
 * model's own. */
extern const wf_local_class wf_bending_local;

/* What a bending model is made of; implemented by bending.c. */
typedef struct wf_bending_parts {
    const int32_t *face_fabric;
    const wf_fabric *fabrics;
    const wf_pattern *pattern;
    const double *stiffness; /* [slots of pattern] N/m */
    const double *damping;   /* [slots of pattern] N s/m, or NULL: viscosity times the stiffness */
    double viscosity;        /* s */
} wf_bending_parts;

wf_bending_parts wf_bending_get_parts(const wf_model *model);

static inline double wf_bending_slot_damping(const wf_bending_parts *parts, int32_t slot)
{
    return parts->damping ? parts->damping[slot] : parts->viscosity * parts->stiffness[slot];
}

/* A face's patch and the stiffness between its hinges, N m3. */
void wf_bending_get_patch(const wf_model *model, int32_t face, wf_patch *patch, double plate[3][3]);

#endif
