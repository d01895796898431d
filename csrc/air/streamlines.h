/* streamlines.h - the lines along which the wind blows at one moment, as tubes.
 *
 * x' = v / |v| by the classic Runge-Kutta scheme of order 4, in arc length, so that steps are as long where the wind is
 * slow. A step is halved until the direction of the wind turns by less than `turn` in all its stages, and doubled
 * again, up to `step`, where it turns by less than half of that: a line is as fine as it is curved.
 *
 * A line ends at the box, after `length`, where the wind is slower than `slowest` or turns at once however short the
 * step, and where it comes back to its seed: then it is closed.
 */
#ifndef WEFT_AIR_STREAMLINES_H
#define WEFT_AIR_STREAMLINES_H

#include "air/wind_drawing.h"

typedef struct wf_streamlines {
    wf_vec3 lower, upper; /* m, the box that they stay in */
    double spacing;       /* m: without seeds lines are about so far apart: they start where no other is nearer than 0.9
                           * times as far, and end where one is nearer than half as far (Jobard and Lefer 1997, from the
                           * points of a lattice) */
    double length;        /* m, from the seed on, in both directions; default 0: twice the diagonal of the box */
    double step;          /* m, at most; default 0: 1/100 of the diagonal, and at most a quarter of the spacing */
    double turn;          /* rad, 0.001 to 0.5; default 0.1 */
    double slowest;       /* m/s; default 0: a thousandth of the fastest at the seeds */
    double radius;        /* m, of the tubes; default 0: 1/500 of the diagonal */
    double memory;        /* bytes that it may take; default 2^30 */
} wf_streamlines;

wf_streamlines wf_default_streamlines(void);

/* Streamlines through the seeds that are inside the box; with no seeds (NULL) evenly spaced ones. WF_ERROR_ARGUMENT
 * names what is out of range, WF_ERROR_NUMERIC a seed that is not finite; WF_ERROR_LIMIT says that more memory would be
 * taken, or more than 10^6 steps along one line. On failure the drawing is empty. */
wf_status wf_wind_draw_streamlines(wf_context *context, const wf_streamlines *params, const wf_wind_sampler *sampler,
                                   size_t count, const wf_vec3 *seeds, wf_wind_drawing *drawing);

#endif
