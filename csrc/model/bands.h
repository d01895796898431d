/* bands.h - elastic bands and stiff lines along edges of cloth: each edge a spring of its own.
 *
 * A band's share of an edge has a rest length l0; at the length l it pulls with stiffness (l / l0 - 1), and in
 * proportion to the rate of that. What is pushed together buckles beside the cloth and does not push back, unless the
 * line is stiff to both sides, as a seam with its allowance is.
 */
#ifndef WEFT_MODEL_BANDS_H
#define WEFT_MODEL_BANDS_H

#include "model/model.h"

typedef struct wf_band_edge {
    int32_t vertices[2]; /* two different ones */
    double length;       /* m, > 0, of the band at rest */
    double stiffness;    /* N: force per unit of strain, >= 0 */
    double viscosity;    /* s, >= 0 */
    bool pushes;
} wf_band_edge;

/* WF_ERROR_ARGUMENT names the first edge that is not as above. */
wf_status wf_bands_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_band_edge *edges,
                          wf_model **model);

/* Changes an edge's length, stiffness and whether it pushes, between steps. */
void wf_bands_set(wf_model *model, int32_t edge, const wf_band_edge *values);

/* The elastic tension of an edge that is now `length` long, N; negative: it pushes. */
double wf_band_tension(const wf_band_edge *edge, double length);

#endif
