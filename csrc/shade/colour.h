/* colour.h - display colours, light, and colour maps.
 *
 * Scripts give colours as they look on a screen: sRGB, each channel in [0, 1]. Light is computed in linear sRGB.
 */
#ifndef WEFT_SHADE_COLOUR_H
#define WEFT_SHADE_COLOUR_H

#include <cglm/cglm.h>
#include <stdint.h>

typedef enum wf_colour_map {
    WF_MAP_SEQUENTIAL, /* dark blue over red to pale yellow, lightness rising evenly: magnitudes */
    WF_MAP_DIVERGING   /* blue over near-white to red: signed values about the middle of the range */
} wf_colour_map;

/* One channel, display value to light and back (IEC 61966-2-1). */
float wf_srgb_to_linear(float display);
float wf_linear_to_srgb(float light);

/* Compresses light above 0.7 smoothly so that it approaches 1; leaves darker light, and so chosen colours, alone. */
float wf_tone(float light);

/* The linear colour for `t` (clamped to [0, 1]); the maps are interpolated in Oklab (Ottosson 2020). A `t` that is not
 * a number gives mid-grey. */
void wf_colour_map_linear(wf_colour_map map, float t, vec3 linear);

/* The value of a display channel as a byte. */
uint8_t wf_colour_byte(float display);

#endif
