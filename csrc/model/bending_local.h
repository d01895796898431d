/* bending_local.h - the quadratic plate element by element and vertex by vertex; see local.h. */
#ifndef WEFT_MODEL_BENDING_LOCAL_H
#define WEFT_MODEL_BENDING_LOCAL_H

#include "fabric/fabric.h"
#include "model/local.h"
#include "model/patch.h"

/* Of the quadratic form. As compliant constraints, a face's seven strains are one block; the constant matrix is the
 * model's own. */
extern const wf_local_class wf_bending_local;

/* A face: strains are sums of weight[s][a] times the vector of its patch's vertex a, J^(1/2), and half the sum of their
 * squares is its energy. The weights of a strain sum to zero; places that repeat corner 0 have none. */
typedef struct wf_bending_element {
    double weight[WF_PATCH_STRAINS][WF_PATCH_VERTICES]; /* (N/m)^(1/2) */
} wf_bending_element;

/* What a bending model is made of; implemented by bending.c. */
typedef struct wf_bending_parts {
    const int32_t (*vertices)[WF_PATCH_VERTICES]; /* [faces] */
    const wf_bending_element *elements;
    const int32_t *face_fabric;
    const wf_fabric *fabrics;
    const wf_scalar_pattern *pattern;
    const double *stiffness; /* [places of pattern] N/m */
    const double *damping;   /* [places of pattern] N s/m, or NULL: viscosity times the stiffness */
    double viscosity;        /* s */
} wf_bending_parts;

wf_bending_parts wf_bending_get_parts(const wf_model *model);

static inline double wf_bending_damping(const wf_bending_parts *parts, int32_t place)
{
    return parts->damping ? parts->damping[place] : parts->viscosity * parts->stiffness[place];
}

#endif
