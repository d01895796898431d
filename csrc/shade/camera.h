/* camera.h - where a picture is seen from. */
#ifndef WEFT_SHADE_CAMERA_H
#define WEFT_SHADE_CAMERA_H

#include <cglm/cglm.h>

#include "base/types.h"

/* A view: either framed (the camera stands in a direction and backs off until everything is in the picture) or
 * placed. */
typedef struct wf_view {
    bool framed;
    double azimuth;   /* framed: radians about Y from +Z (the front) toward +X (a body's left) */
    double elevation; /* framed: radians above the horizon, up to pi/2 (from the top) */
    wf_vec3 eye;      /* placed: metres */
    wf_vec3 target;   /* placed: what the middle of the picture shows */
    wf_vec3 up;       /* placed: which way is up in the picture */
    double fov;       /* radians from the bottom to the top of the picture; 0: 30 degrees along its longer side */
} wf_view;

/* Framed, from the front, through the angle of some 45 mm of focal length. */
wf_view wf_default_view(void);

/* A pinhole camera: a ray through picture point (x, y), both from -1 to 1, has the direction
 * forward + x * right + y * up, where right and up carry the half extents. */
typedef struct wf_camera {
    vec3 eye, forward, right, up;
} wf_camera;

/* A view's axes, and for a framed view how far its points reach toward the four sides of the picture. */
typedef struct wf_frame {
    vec3 right, up, forward; /* unit vectors; forward looks from the eye */
    vec3 eye;                /* placed views */
    vec2 slope;              /* tangents of the half angles of the picture: across, upward */
    vec2 low, high;          /* framed views: farthest offsets of the points from lines with these slopes */
    float depth;             /* framed views: the largest coordinate along forward from which all points are seen */
    bool framed;
} wf_frame;

/* Prepares `view` of `count` points for a picture of width : height = `aspect`. WF_ERROR_ARGUMENT for a view without
 * direction, values that are not finite, or a field of view that is not 0 and outside 1 to 150 degrees. */
wf_status wf_frame_view(wf_context *context, const wf_view *view, double aspect, int64_t count,
                        const float (*points)[3], wf_frame *frame);

/* The camera of a frame. A framed view stands at `depth` (its own or a smaller one, so that several views can share one
 * scale) and has the points in the middle. */
wf_camera wf_frame_camera(const wf_frame *frame, float depth);

#endif
