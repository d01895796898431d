#include "model/relaxation.h"

enum { BATCH_BLOCK = 64 };

void wf_relaxation_order_free(wf_context *context, wf_relaxation_order *order)
{
    wf_free(context, order->start);
    wf_free(context, order->element);
    *order = (wf_relaxation_order){0};
}

static void fill(const wf_colouring *colouring, wf_relaxation_order *order)
{
    size_t batch = 0;
    for (int32_t c = 0; c < colouring->colour_count; c++) {
        order->start[c] = batch;
        for (int32_t k = colouring->start[c]; k < colouring->start[c + 1]; k++) {
            int32_t lane = (k - colouring->start[c]) % WF_RELAXATION_LANES;
            order->element[batch][lane] = colouring->member[k];
            batch += lane == WF_RELAXATION_LANES - 1 || k + 1 == colouring->start[c + 1];
        }
    }
    order->start[colouring->colour_count] = batch;
    for (int32_t k = 0; k < colouring->serial_count; k++) {
        order->element[batch++][0] = colouring->member[colouring->start[colouring->colour_count] + k];
    }
}

wf_status wf_relaxation_order_build(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                                    wf_relaxation_order *order)
{
    *order = (wf_relaxation_order){0};
    wf_colouring colouring;
    wf_status status = wf_colour_elements(context, vertex_count, stencil, &colouring);
    if (status != WF_OK) {
        return status;
    }
    order->colour_count = colouring.colour_count;
    order->batch_count = (size_t)colouring.serial_count;
    for (int32_t c = 0; c < colouring.colour_count; c++) {
        order->batch_count += wf_block_count((size_t)(colouring.start[c + 1] - colouring.start[c]),
                                             WF_RELAXATION_LANES);
    }
    order->start = wf_allocate(context, (size_t)colouring.colour_count + 1, sizeof *order->start);
    order->element = wf_allocate(context, order->batch_count, sizeof *order->element);
    if (!order->start || !order->element) {
        wf_relaxation_order_free(context, order);
        status = WF_ERROR_MEMORY;
    } else {
        for (size_t batch = 0; batch < order->batch_count; batch++) {
            for (int l = 0; l < WF_RELAXATION_LANES; l++) {
                order->element[batch][l] = -1;
            }
        }
        fill(&colouring, order);
    }
    wf_colouring_free(context, &colouring);
    return status;
}

/* A range of batches that does not begin at the first. */
typedef struct shifted {
    wf_block_function *function;
    void *user;
    size_t first;
} shifted;

static void call_shifted(void *user, size_t block, size_t begin, size_t end)
{
    const shifted *call = user;
    call->function(call->user, block, call->first + begin, call->first + end);
}

void wf_relaxation_order_run(wf_context *context, const wf_relaxation_order *order, wf_block_function *function,
                             void *user)
{
    for (int32_t c = 0; c < order->colour_count; c++) {
        shifted call = {function, user, order->start[c]};
        wf_parallel_for(context, order->start[c + 1] - order->start[c], BATCH_BLOCK, call_shifted, &call);
    }
    size_t serial = order->start[order->colour_count];
    if (serial < order->batch_count) {
        function(user, 0, serial, order->batch_count);
    }
}
