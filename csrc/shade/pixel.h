/* pixel.h - what is known of a pixel between tracing and the finished picture. */
#ifndef WEFT_SHADE_PIXEL_H
#define WEFT_SHADE_PIXEL_H

#include <cglm/cglm.h>

enum { WF_TILE = 16 /* pixels */ };

/* One of the two things a pixel can show: meshes, or the ground. */
typedef struct wf_layer {
    float cover;      /* the part of the pixel's samples that show it */
    float visibility; /* of the key light, weighted with the light it would give; 0 to 1 */
    float openness;   /* mean light from the sky and from what hides it; for the ground the open part of the sky */
    float depth;      /* mean distance along the rays */
    vec3 normal;      /* mean shading normal */
} wf_layer;

typedef struct wf_pixel {
    wf_layer mesh, ground;
    vec3 key; /* light from the key light were it not hidden, mean over all samples of the pixel */
    vec3 sky; /* what is to be multiplied with openness, mean over all samples */
} wf_pixel;

/* The two numbers that are smoothed, for both layers. */
typedef struct wf_light {
    float visibility[2], openness[2]; /* [0] mesh, [1] ground */
} wf_light;

#endif
