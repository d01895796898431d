/* incidence.h - which corners of which elements meet in a vertex, in ascending order.
 *
 * Elements are evaluated in any order into their own storage; each vertex then gathers from its corners in this fixed
 * order. That needs no locks and gives the same bits for any number of threads.
 */
#ifndef WEFT_MODEL_INCIDENCE_H
#define WEFT_MODEL_INCIDENCE_H

#include "model/pattern.h"

typedef struct wf_incidence {
    int32_t vertex_count;
    int32_t *start;  /* [vertex_count + 1] */
    int32_t *corner; /* element * arity + corner */
} wf_incidence;

/* WF_ERROR_ARGUMENT when an index is out of range. On failure `incidence` is empty. */
wf_status wf_incidence_build(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                             wf_incidence *incidence);
void wf_incidence_free(wf_context *context, wf_incidence *incidence);

#endif
