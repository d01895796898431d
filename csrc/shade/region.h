/* region.h - pictures of stability regions: |R(z)| over the complex plane. */
#ifndef WEFT_SHADE_REGION_H
#define WEFT_SHADE_REGION_H

#include "base/types.h"

/* The values at the centres of `width` x `height` pixels of a rectangle of the complex plane, top row (largest
 * imaginary part) first. */
typedef struct wf_region {
    int32_t width, height;
    double real[2], imaginary[2];
    const double *radius;
} wf_region;

/* Draws it with axes, tick marks and numbers: blue bands where |R| <= 1, a fifth each, the darker the smaller, with a
 * black border; grey outside, lighter where |R| doubles. `*pixels` [*height][*width][3] becomes sRGB bytes, to be freed
 * by the caller. */
wf_status wf_region_draw(wf_context *context, const wf_region *region, int32_t *width, int32_t *height,
                         uint8_t **pixels);

#endif
