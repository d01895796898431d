/* trace.h - the rays of one pixel. */
#ifndef WEFT_SHADE_TRACE_H
#define WEFT_SHADE_TRACE_H

#include "shade/camera.h"
#include "shade/pixel.h"
#include "shade/surface.h"

/* What one view of a picture needs for its rays. */
typedef struct wf_stage {
    const wf_surfaces *surfaces;
    wf_camera camera;
    int32_t width, height; /* of the view, in pixels */
    int32_t samples;
    uint32_t seed;
    bool ground;
    float ground_height;   /* scaled */
    vec3 light;            /* unit vector to the key light */
    vec3 line_colour;      /* linear */
    float line_width;      /* pixels */
} wf_stage;

/* The light of the key light falling on the ground, and that of the open sky: the ground's shadows are relative to
 * their sum. */
float wf_ground_key(const wf_stage *stage);
float wf_ground_sky(void);

/* Traces pixel (x, y) of the view, y counted from the top. */
void wf_trace_pixel(const wf_stage *stage, int32_t x, int32_t y, wf_pixel *pixel);

#endif
