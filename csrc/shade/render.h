/* render.h - the picture maker: meshes under a sky and a soft key light, on a ground that catches their shadow.
 *
 * Rays find what each sample of a pixel sees; one ray toward the key light and one into the sky decide its light
 * (Lambert's law, a sheen for cloth, a soft highlight on request). What those two rays tell, visibility of the light
 * and openness to the sky, is smoothed across neighbouring pixels of like depth and normal, so that few samples do. The
 * background is uniform and the ground shows as nothing but its shadows. A picture is the same bits for any number of
 * threads.
 */
#ifndef WEFT_SHADE_RENDER_H
#define WEFT_SHADE_RENDER_H

#include "shade/camera.h"
#include "shade/surface.h"

typedef struct wf_picture wf_picture;

typedef struct wf_picture_def {
    int32_t width, height;   /* pixels, 1 to 16384 each and at most 2^26 together */
    int32_t samples;         /* per pixel, 1 to 4096 */
    int32_t view_count;      /* 1 to 16 views side by side, at most `width` */
    const wf_view *views;    /* framed views share one scale */
    float background[3];     /* sRGB */
    float line_colour[3];    /* of drawn edges, sRGB */
    float line_width;        /* pixels */
    bool ground;             /* whether there is a ground */
    double ground_height;    /* metres; NaN: at the lowest vertex */
    wf_vec3 light;           /* direction to the key light; zero: over the viewer's left shoulder in every view */
    uint32_t seed;
} wf_picture_def;

wf_picture_def wf_default_picture_def(void);

/* Checks everything and builds what the rays need. `picture` is set on success alone. */
wf_status wf_picture_create(wf_context *context, const wf_picture_def *def, int64_t mesh_count,
                            const wf_picture_mesh *meshes, wf_picture **picture);

void wf_picture_destroy(wf_context *context, wf_picture *picture);

/* Works on at most `tile_count` further tiles of 16 x 16 pixels, in parallel; cannot fail. The picture does not depend
 * on how the tiles are split into calls. Returns the finished part, 1 when all is done. */
double wf_picture_advance(wf_context *context, wf_picture *picture, int64_t tile_count);

/* The finished pixels: height rows of width sRGB triples, top row first. Valid once wf_picture_advance returned 1. */
const uint8_t *wf_picture_pixels(const wf_picture *picture);

#endif
