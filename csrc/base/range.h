/* range.h - parameters that must lie between two numbers. */
#ifndef WEFT_BASE_RANGE_H
#define WEFT_BASE_RANGE_H

#include "base/context.h"

typedef struct wf_range {
    const char *name; /* as its user knows it */
    double value, least, most;
} wf_range;

/* The first that is out of its range, or no number, is told: WF_ERROR_ARGUMENT. */
static inline wf_status wf_check_ranges(wf_context *context, const wf_range *ranges, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        const wf_range r = ranges[n];
        if (!(r.value >= r.least && r.value <= r.most)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be from %g to %g, got %g", r.name, r.least, r.most,
                           r.value);
        }
    }
    return WF_OK;
}

static inline wf_status wf_check_range(wf_context *context, const char *name, double value, double least, double most)
{
    const wf_range range = {name, value, least, most};
    return wf_check_ranges(context, &range, 1);
}

#endif
