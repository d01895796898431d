/* filter.h - smoothing the light of neighbouring pixels that show the same surface. */
#ifndef WEFT_SHADE_FILTER_H
#define WEFT_SHADE_FILTER_H

#include <stdint.h>

#include "shade/pixel.h"

/* Sets row y of `output` from column `left` to `right` - 1, one view's part of the row, to a weighted mean of `input`
 * over 5 x 5 pixels `step` apart within the view (Dammertz et al. 2010). The weights fall off with distance, with
 * difference in depth and normal, and with difference in light beyond what the noise of `samples` rays explains.
 * The arrays have `height` rows of `width`. */
void wf_smooth_light(const wf_pixel *pixels, const wf_light *input, wf_light *output, int32_t width, int32_t height,
                     int32_t left, int32_t right, int32_t y, int32_t step, int32_t samples);

#endif
