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
    const wf_patch *patches;      /* [faces] */
    const double (*plates)[3][3]; /* [faces] stiffness between a patch's hinges, N m3 */
    const int32_t *face_fabric;
    const wf_fabric *fabrics;
    const wf_pattern *pattern;
    const double *stiffness, *damping; /* [slots of pattern] N/m, N s/m */
} wf_bending_parts;

wf_bending_parts wf_bending_get_parts(const wf_model *model);

#endif
