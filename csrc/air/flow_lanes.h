/* flow_lanes.h - what the flow's kernels share. */
#ifndef WEFT_AIR_FLOW_LANES_H
#define WEFT_AIR_FLOW_LANES_H

#include <math.h>
#include <stdint.h>

#include "air/flow_tops.h"
#include "base/dispatch.h"

/* The largest |value| of a row, or NaN where one is, lane by lane: a reduction that all compilers make vectors of. */
static inline float wf_largest_of(const float *restrict values, int32_t count)
{
    enum { LANES = 16 };
    float tops[LANES] = {0};
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        WF_LANE_LOOP
        for (int32_t lane = 0; lane < LANES; lane++) {
            tops[lane] = wf_greater_or_nan(fabsf(values[i + lane]), tops[lane]);
        }
    }
    for (; i < count; i++) {
        tops[0] = wf_greater_or_nan(fabsf(values[i]), tops[0]);
    }
    for (int32_t lane = 1; lane < LANES; lane++) {
        tops[0] = wf_greater_or_nan(tops[lane], tops[0]);
    }
    return tops[0];
}

#endif
