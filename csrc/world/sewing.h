/* sewing.h - drawing a garment together around a body and merging its seams (Keckeisen 2005, section 2.1.3).
 *
 * Gravity is off. Each stitch is a spring whose rest length shrinks at one pace for the whole garment, so that no seam
 * runs ahead; the panels collide with the bodies and with each other all the while. When every stitch is closed, its
 * vertices move to their common centroid through the world's door for positions, and the topology merges. The closest
 * surroundings of open stitches may pass through each other on the way; the sewing is done when an exact check finds
 * that the sewn cloth crosses itself nowhere, and the garment has come to rest without weight and friction.
 */
#ifndef WEFT_WORLD_SEWING_H
#define WEFT_WORLD_SEWING_H

#include "world/world.h"

typedef struct wf_sewing wf_sewing;

typedef struct wf_sewing_params {
    double duration;   /* s of simulated time in which the stitches are drawn together; default 1.5 */
    double stiffness;  /* N/m of a stitch; default 200: strong against fabric, weak against the membrane */
    double damping;    /* 1/s; default 8: sewing wants the shape, not the swing */
    double time_limit; /* s of simulated time after which open seams are an error; default 6 */
    double relax_time; /* s at most that the sewn garment gets to find its place, without weight; default 2 */
    double tolerance;  /* m: a stitch shorter than this can be closed (late ones from further); default 0.002 */
} wf_sewing_params;

wf_sewing_params wf_default_sewing_params(void);

typedef struct wf_sewing_state {
    bool done;
    double time;        /* s simulated */
    double progress;    /* 0 to 1 */
    double widest_gap;  /* m */
    int32_t widest_seam, widest_pair;
    int32_t open_stitches;
} wf_sewing_state;

/* Begins to sew the stitches of `cloth`, which must be in `world`. Both must outlive the calls of wf_sewing_advance;
 * wf_sewing_destroy does not look at them. */
wf_status wf_sewing_create(wf_world *world, wf_cloth *cloth, const wf_sewing_params *params, wf_sewing **sewing);
void wf_sewing_destroy(wf_sewing *sewing);

/* One step of sewing; `done` when merged and free of crossings. WF_ERROR_GEOMETRY when the time limit passes before:
 * the message names the seam and its gap, or the place of a crossing. */
wf_status wf_sewing_advance(wf_sewing *sewing, wf_sewing_state *state);

#endif
