/* flow_tops.h - the largest of sizes, from which what is not finite is not lost. */
#ifndef WEFT_AIR_FLOW_TOPS_H
#define WEFT_AIR_FLOW_TOPS_H

#include <stdbool.h>
#include <stddef.h>

/* The greater of two, and NaN where either is. */
static inline float wf_greater_or_nan(float a, float b)
{
    const bool keeps = (int)(a <= b) | (int)(b != b); /* no branch, so that compilers make vectors of it */
    return keeps ? b : a;
}

/* Of what blocks of parallel work have left, none of it negative. */
static inline float wf_largest_top(const float *tops, size_t count)
{
    float top = 0;
    for (size_t b = 0; b < count; b++) {
        top = wf_greater_or_nan(tops[b], top);
    }
    return top;
}

#endif
