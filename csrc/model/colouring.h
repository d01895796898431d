/* colouring.h - groups of elements without common vertices, which can be worked on at the same time.
 *
 * Greedy: each element in turn takes the first colour that none of its vertices has yet. The colours, and with them the
 * results of whatever runs through them, depend on the elements and their order alone.
 */
#ifndef WEFT_MODEL_COLOURING_H
#define WEFT_MODEL_COLOURING_H

#include "model/pattern.h"

/* Elements by colour, ascending within each. Where many elements meet in one vertex there may be too few colours: the
 * rest is in `serial`, and must be worked on one by one. */
typedef struct wf_colouring {
    int32_t colour_count;
    int32_t *start;   /* [colour_count + 1] into member */
    int32_t *member;  /* [start[colour_count] + serial_count]: the colours, then the serial ones */
    int32_t serial_count;
} wf_colouring;

enum { WF_COLOUR_LIMIT = 64 };

/* Colours elements. An element that names a vertex twice counts it once. On failure `colouring` is empty. */
wf_status wf_colour_elements(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                             wf_colouring *colouring);

/* Colours the rows of a pattern: no two of one colour have an entry with each other. */
wf_status wf_colour_rows(wf_context *context, const wf_pattern *pattern, wf_colouring *colouring);

void wf_colouring_free(wf_context *context, wf_colouring *colouring);

#endif
