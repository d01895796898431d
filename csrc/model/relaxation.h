/* relaxation.h - the order in which a model's elements are relaxed: batches of elements without common vertices. */
#ifndef WEFT_MODEL_RELAXATION_H
#define WEFT_MODEL_RELAXATION_H

#include "base/tasks.h"
#include "model/colouring.h"
#include "model/relaxation_kernels.h"

/* Colour c owns batches start[c] to start[c + 1] - 1, which may run at the same time. The batches from
 * start[colour_count] on hold one element each and run one after the other. */
typedef struct wf_relaxation_order {
    int32_t colour_count;
    size_t *start;         /* [colour_count + 1] */
    size_t batch_count;
    int32_t (*element)[WF_RELAXATION_LANES]; /* [batch_count]; -1: a lane without one */
} wf_relaxation_order;

wf_status wf_relaxation_order_build(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                                    wf_relaxation_order *order);
void wf_relaxation_order_free(wf_context *context, wf_relaxation_order *order);

/* Calls function(user, ., begin, end) on all batches in that order, those of one colour on all threads. */
void wf_relaxation_order_run(wf_context *context, const wf_relaxation_order *order, wf_block_function *function,
                             void *user);

#endif
