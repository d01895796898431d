/* wind_drawing.h - wind to look at: arrows, streamlines, slices and markers, as triangles with a number at each vertex.
 *
 * All ask for velocities through a sampler, so that they show any wind: that of a world under any model, one source, or
 * a flow. It is asked for many points at a time. Surfaces of arrows, tubes and markers are closed, and faces
 * counter-clockwise seen from outside; no triangle is degenerate.
 */
#ifndef WEFT_AIR_WIND_DRAWING_H
#define WEFT_AIR_WIND_DRAWING_H

#include "base/context.h"
#include "base/vector.h"

/* Velocities (m/s) of the air at points (m), overwritten. What is not finite counts as no wind. */
typedef struct wf_wind_sampler {
    wf_status (*sample)(void *user, size_t count, const wf_vec3 *points, wf_vec3 *velocities);
    void *user;
} wf_wind_sampler;

/* What was drawn. Plain arrays of the context; starts as all zero, free with wf_wind_drawing_free. */
typedef struct wf_wind_drawing {
    size_t vertex_count, face_count, point_count, line_count;
    wf_vec3 *positions;  /* [vertex_count] m */
    int32_t (*faces)[3]; /* [face_count] */
    double *values;      /* [vertex_count] speed in m/s, or what a slice shows */
    double range[2];     /* of the values, for colours: from 0 for speeds, symmetric about 0 for what has a sign */
    bool has_sign;
    wf_vec3 *points;     /* [point_count] where the wind was asked for: feet of arrows, points of lines, of a slice */
    wf_vec3 *velocities; /* [point_count] m/s */
    int32_t *starts;     /* [line_count + 1] of streamlines: line k has the points starts[k] .. starts[k + 1),
                          * downstream; the last is the first again where it is closed. NULL for what has no lines */
} wf_wind_drawing;

/* Sets the drawing to zero. */
void wf_wind_drawing_free(wf_context *context, wf_wind_drawing *drawing);

/* Makes tubes of this radius (m) around the drawing's lines, whose ends point downstream, and the values along them.
 * Frames are carried along by double reflection (W. Wang, B. Juettler, D. Zheng and Y. Liu 2008), so that tubes do not
 * twist. A drawing without lines gets empty arrays. Errors as above. */
wf_status wf_wind_drawing_add_tubes(wf_context *context, double radius, double memory, wf_wind_drawing *drawing);

/* Asks the sampler, for at most some thousand points at a time, and sets what is not finite to 0. */
wf_status wf_wind_sample(const wf_wind_sampler *sampler, size_t count, const wf_vec3 *points, wf_vec3 *velocities);

/* The points of a lattice in a box, as far apart as `spacing` along every axis, the rest left over evenly at both ends;
 * x changes slowest. Free with wf_free. WF_ERROR_ARGUMENT: a box whose upper corner is below its lower one, what is not
 * finite, a spacing that is not above 0; WF_ERROR_LIMIT: more bytes than `memory`. */
wf_status wf_box_lattice(wf_context *context, wf_vec3 lower, wf_vec3 upper, double spacing, double memory,
                         size_t *count, wf_vec3 **points);

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

typedef struct wf_wind_arrows {
    double length;  /* m, of the arrow of the fastest wind; default 0.1 */
    double scale;   /* s: length per speed; above 0 it is taken in the place of `length` */
    double slowest; /* m/s: slower wind gets no arrow; default 0: a thousandth of the fastest */
    double width;   /* m, radius of the shaft of arrows that are long enough for it; default 0: 1/40 of the longest */
    double memory;  /* bytes that it may take; default 2^30 */
} wf_wind_arrows;

wf_wind_arrows wf_default_wind_arrows(void);

/* Arrows from points along the velocity there, their lengths in proportion to the speed. WF_ERROR_ARGUMENT names what
 * is out of range, WF_ERROR_NUMERIC a point that is not finite; WF_ERROR_LIMIT as above. On failure the drawing is
 * empty. */
wf_status wf_wind_draw_arrows(wf_context *context, const wf_wind_arrows *params, const wf_wind_sampler *sampler,
                              size_t count, const wf_vec3 *points, wf_wind_drawing *drawing);

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* Octahedra of this radius (m, above 0) about points, such as wind particles, with the speed there. Errors alike. */
wf_status wf_wind_draw_markers(wf_context *context, double radius, double memory, const wf_wind_sampler *sampler,
                               size_t count, const wf_vec3 *points, wf_wind_drawing *drawing);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

typedef enum wf_wind_value {
    WF_WIND_SPEED,
    WF_WIND_X, /* m/s */
    WF_WIND_Y,
    WF_WIND_Z,
    WF_WIND_THROUGH,  /* m/s along the slice's normal, across x up */
    WF_WIND_VORTICITY /* 1/s, about the normal: differences over two spacings, one-sided of second order at the rim */
} wf_wind_value;

/* A rectangle. */
typedef struct wf_wind_slice {
    wf_vec3 corner;     /* m */
    wf_vec3 across, up; /* m, its sides, at a right angle */
    double spacing;     /* m, between points at most; each side is cut evenly, into two parts at least */
    wf_wind_value value;
    double memory;      /* bytes that it may take; default 2^30 */
} wf_wind_slice;

wf_wind_slice wf_default_wind_slice(void);

/* A slice through the wind. Its vertices are its points, row by row along `across`. Errors as above. */
wf_status wf_wind_draw_slice(wf_context *context, const wf_wind_slice *slice, const wf_wind_sampler *sampler,
                             wf_wind_drawing *drawing);

#endif
