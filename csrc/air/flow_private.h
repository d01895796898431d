/* flow_private.h - what the flow solver's files share. */
#ifndef WEFT_AIR_FLOW_PRIVATE_H
#define WEFT_AIR_FLOW_PRIVATE_H

#include "air/flow.h"
#include "air/flow_kernels.h"
#include "air/flow_tops.h"

/* Velocities on a side of the box, by component: (cells[first other axis] + 1) x (cells[second other axis] + 1), where
 * that component's faces are. */
typedef struct wf_flow_side_field {
    float *velocity[3]; /* NULL: the side's one velocity */
} wf_flow_side_field;

struct wf_flow {
    wf_context *context;
    wf_flow_params params;
    wf_flow_grid grid;
    bool periodic[3];
    wf_flow_pressure *pressure;
    float *velocity[3], *previous[3]; /* now, and a step before */
    float *carrier[3], *scratch[2][3];
    float *kinematic_pressure, *phi, *net_inflow;
    float *open[3], *solid[3]; /* NULL: no solids */
    float *advected[3], *work[3], *pressure_before; /* of a step that has begun: before its projection, behind it */
    double begun;                                   /* s: its length; 0: none */
    int32_t solves;                                 /* how often it has been projected */
    wf_flow_side_field sides[WF_FLOW_SIDES];
    const wf_flow_interface *interface;
    float *block_tops;
    size_t block_count;
    size_t bytes;
    double time, last_step; /* last_step 0: there is no step before */
    bool foresees;          /* the step before is long enough to tell this one's velocity and pressure */
    bool faces_changed;     /* conductances are out of date */
    bool carrier_diverges;  /* openings have changed since velocities were projected */
    wf_flow_stats stats;
};

/* Whether the last pressure acts during the step's sub-steps. */
static inline bool wf_flow_predicts_pressure(const wf_flow *flow)
{
    return flow->params.predict_pressure && flow->foresees;
}

/* The faces of a component that change: [begin, end) along each axis. */
void wf_flow_free_faces(const wf_flow *flow, int axis, int32_t begin[3], int32_t end[3]);

/* Rows per block of parallel work over rows of the grid. */
size_t wf_flow_row_block(const wf_flow *flow);

/* ---- flow_boundaries.c ----------------------------------------------------------------------------------------- */

/* The faces on the box's sides whose velocity is given, and the margin beyond. carrier: decides at open sides whether
 * air comes in. NULL: the values are a carrier themselves, and go on beyond open sides as they are inside. */
void wf_flow_apply_sides(wf_flow *flow, float *const velocity[3], float *const carrier[3]);

/* What solids leave open is the same on both sides of a periodic box: that of the lower side. */
void wf_flow_wrap_solids(wf_flow *flow);

/* Draws air towards the sides' velocities in their sponges, over `step` seconds. */
void wf_flow_apply_sponges(wf_flow *flow, float *const velocity[3], double step);

void wf_flow_free_side_fields(wf_flow *flow);

/* ---- flow_advection.c ------------------------------------------------------------------------------------------ */

/* What acts on the air during a stage: the flow's own pressure and acceleration, and rates (NULL: none). */
typedef struct wf_flow_forces {
    bool has_own;
    float *const *rates;
} wf_flow_forces;

/* Runs a stage of all three components; q, base, old, rate and out are taken from the arrays. */
typedef struct wf_flow_stage_arrays {
    float *const *q, *const *base, *const *old, *const *rate, *const *out;
} wf_flow_stage_arrays;
void wf_flow_run_stage(wf_flow *flow, const wf_flow_stage *proto, const wf_flow_forces *forces,
                       wf_flow_stage_arrays arrays);

/* `count` sub-steps of `step` seconds together from the flow's velocity, by its carrier. Returns which of the arrays
 * holds the result, margins not filled: they and `spare` are all that is written. `rates`, m/s2, act as well where they
 * are not NULL. */
typedef struct wf_flow_buffers {
    float *result[3], *spare[2][3];
} wf_flow_buffers;
void wf_flow_advect(wf_flow *flow, double step, int32_t count, bool has_friction, float *const *rates,
                    wf_flow_buffers *buffers);

/* ---- flow_diffusion.c ------------------------------------------------------------------------------------------ */

/* The largest rate of the viscous term, 1/s. */
double wf_flow_friction_rate(const wf_flow *flow);

/* Stages that wf_flow_diffuse takes. */
double wf_flow_diffusion_stages(const wf_flow *flow, double step);

/* Viscosity over `step` seconds, and what sub-steps without it have made of the flow's velocity, in buffers->result.
 * `without`, m/s2: what acted during these sub-steps and is taken out again (NULL: nothing). Uses up the carrier.
 * Returns the stages. */
int32_t wf_flow_diffuse(wf_flow *flow, double step, float *const *without, wf_flow_buffers *buffers);

/* buffers->result and what `kept` holds of before, as the mean rate, m/s2, of what has changed between, in `kept`. */
void wf_flow_find_rates(wf_flow *flow, double step, const wf_flow_buffers *buffers, float *const *kept);

/* ---- flow_vorticity.c ------------------------------------------------------------------------------------------ */

/* Adds the confining force of the flow's present velocity over `step` seconds to `velocity`, and uses up `scratch`. */
void wf_flow_confine(wf_flow *flow, double step, float *const velocity[3], float *const scratch[3]);

/* ---- flow_projection.c ----------------------------------------------------------------------------------------- */

/* Makes `velocity` free of divergence; adds phi / step to the kinematic pressure (step 0: does not). The sides' faces
 * must have been set. */
wf_status wf_flow_make_solenoidal(wf_flow *flow, float *const velocity[3], double step);

#endif
