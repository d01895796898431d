/* membrane_private.h - what a membrane holds, for the files of csrc/model that evaluate one. */
#ifndef WEFT_MODEL_MEMBRANE_PRIVATE_H
#define WEFT_MODEL_MEMBRANE_PRIVATE_H

#include "model/element.h"
#include "model/incidence.h"
#include "model/membrane.h"
#include "model/membrane_assembly.h"
#include "model/membrane_matrix.h"

/* The rest shapes of faces 8 b to 8 b + 7, side by side. Lanes beyond the last face repeat it without area. */
typedef struct wf_shape_batch {
    _Alignas(64) double gradient1x[WF_LANES]; /* 1/m */
    double gradient1y[WF_LANES], gradient2x[WF_LANES], gradient2y[WF_LANES];
    double area[WF_LANES]; /* m2 */
} wf_shape_batch;

/* Sums of strains over a past, per batch: of U11, U12, U22, or of a weave's three. */
typedef struct wf_past_strains {
    _Alignas(64) double strains[3][WF_LANES];
} wf_past_strains;

/* What the faces of one fabric share. */
typedef struct wf_membrane_material {
    double c11, c12, c22, c33; /* C1111, C1122, C2222, C1212, N/m */
    double viscosity;          /* s */
} wf_membrane_material;

typedef struct wf_membrane {
    wf_model head;
    wf_membrane_form form;
    int32_t face_count;
    int32_t (*faces)[3];       /* [face_count]; to the end of the last batch the last of them */
    wf_shape_batch *shapes;    /* [wf_lane_batches(face_count)] */
    int32_t *face_material;    /* the same */
    wf_membrane_material *materials;
    int32_t material_count;
    wf_incidence incidence;       /* face * 3 + corner */
    wf_membrane_assembly assembly;
    wf_membrane_results *results; /* [assembly.chunk_batches + 1] of the chunk at work; the last is all zero */
    double *partial_sums;         /* [blocks of faces] scratch of energy */
    wf_past_strains *past;        /* [batches] NULL until first needed */
    double past_rate;             /* 1/s: 1 / span of the past; 0: rates are those of velocities */
} wf_membrane;

static inline wf_shape wf_membrane_shape(const wf_membrane *m, int32_t face)
{
    const wf_shape_batch *batch = &m->shapes[face / WF_LANES];
    int lane = face % WF_LANES;
    return (wf_shape){{batch->gradient1x[lane], batch->gradient1y[lane]},
                      {batch->gradient2x[lane], batch->gradient2y[lane]},
                      batch->area[lane]};
}

static inline const wf_membrane_material *wf_membrane_face_material(const wf_membrane *m, int32_t face)
{
    return &m->materials[m->face_material[face]];
}

#endif
