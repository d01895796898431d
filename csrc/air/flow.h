/* flow.h - the flow of air in a box: incompressible Navier-Stokes on a staggered grid, in single precision.
 *
 *     du/dt + div(u u) = -grad(p) / rho + nu lap(u) + f,    div(u) = 0
 *
 * Advection is by conservative finite volumes around the faces, with the third-order upwind-biased value (kappa = 1/3)
 * that Koren's limiter (1993) keeps from overshooting, and the third-order strong-stability-preserving Runge-Kutta
 * method of Shu and Osher (1988), in as many sub-steps as its Courant number asks for: what one volume gives its
 * neighbour gets, so momentum is conserved to rounding, a blocked face carries nothing, and energy never grows. A
 * projection costs as much as many sub-steps, so long steps stay cheap (semi-Lagrangian advection with MacCormack's
 * correction, Selle et al. 2008, would allow them too, but neither conserves momentum nor respects faces that a sheet
 * blocks). The velocity that carries is extrapolated in time from the last two steps, free of divergence as they are,
 * and the gradient of the last pressure acts during the sub-steps; one projection at the end adds what is missing
 * (Van Kan 1986; Brown, Cortez and Minion 2001): second order in space and time.
 *
 * Viscosity is part of the sub-steps where it is stable there, else a Runge-Kutta-Chebyshev step of second order
 * follows, twice (flow_diffusion.c): no linear system, and as cheap as one for any viscosity of air. Pressure:
 * flow_pressure.h.
 *
 * Solids take part by the open fraction of each face and the velocity with which they fill the rest (Batty, Bertails
 * and Bridson 2007; fractions as of Ng, Min and Gibou 2009): the flux through a face of area A is A (open u + (1 -
 * open) s). Air sticks to them: a face whose centre is solid, open < 1/2, has the solid's velocity, and the viscous
 * flux between it and its open neighbour takes the distance to the wall that their fractions tell. Volumes of momentum
 * are not cut.
 *
 * Units: m, s, kg; arrays of single precision as flow_grid.h says, one per axis for what lives on faces.
 */
#ifndef WEFT_AIR_FLOW_H
#define WEFT_AIR_FLOW_H

#include "air/flow_pressure.h"

typedef struct wf_flow wf_flow;

/* m/s, of what is given: single precision holds its products with anything that is allowed. */
#define WF_FLOW_FASTEST 1e9

/* Sides of the box: 2 * axis + (0 the lower, 1 the upper). */
enum { WF_FLOW_SIDES = 6 };

typedef enum wf_flow_side_kind {
    WF_FLOW_PERIODIC, /* both sides of an axis */
    WF_FLOW_INFLOW,   /* the velocity is given */
    WF_FLOW_OPEN,     /* pressure 0 outside; what comes in has the given velocity */
    WF_FLOW_WALL,     /* no flow through it; air sticks to it, and it may slide in its plane with the given velocity */
    WF_FLOW_SLIP      /* no flow through it, and no friction */
} wf_flow_side_kind;

extern const char *const wf_flow_side_names[]; /* by kind, ended by NULL */

typedef struct wf_flow_side {
    wf_flow_side_kind kind;
    wf_vec3 velocity;   /* m/s: see the kinds */
    double sponge;      /* m: depth of the layer in which air is drawn towards `velocity`; 0: none */
    double sponge_rate; /* 1/s, at the side, falling to 0 with the square of the distance */
} wf_flow_side;

typedef enum wf_flow_advection {
    WF_FLOW_LIMITED,     /* third order, limited: Koren 1993 */
    WF_FLOW_UNLIMITED,   /* third order, kappa = 1/3 */
    WF_FLOW_FIRST_ORDER, /* upwind, to compare with */
    WF_FLOW_NO_ADVECTION /* Stokes flow */
} wf_flow_advection;

extern const char *const wf_flow_advection_names[]; /* ended by NULL */

typedef struct wf_flow_params {
    int32_t cells[3];                  /* 4 and more along x and y; 1 along z: two dimensions, periodic there */
    double spacing[3];                 /* m, the edges of a cell; the largest at most four times the smallest */
    wf_vec3 origin;                    /* the box's lowest corner */
    double density;                    /* kg/m3, default 1.2 */
    double viscosity;                  /* m2/s, kinematic; default 1.5e-5 */
    wf_flow_side sides[WF_FLOW_SIDES]; /* default: open, with still air outside; periodic along z in two dimensions */
    wf_flow_advection advection;
    wf_vec3 acceleration; /* m/s2, on all the air: what drives a channel that is periodic */
    double courant;       /* of a sub-step: the largest sum over axes of speed x time / spacing; default 0.9 */
    double confinement; /* vorticity confinement (Steinhoff and Underhill 1994; Fedkiw, Stam and Jensen 2001), 0: off */
    bool predict_pressure; /* the last pressure acts during sub-steps: second order in time; default true */
    double tolerance;      /* largest |div u| spacing / largest |u| after a step; default 1e-5 */
    int32_t substep_limit; /* a step that needs more is refused; default 200 */
    double memory_limit;   /* bytes; default 4e9: a larger grid is refused */
} wf_flow_params;

wf_flow_params wf_default_flow_params(void);

typedef struct wf_flow_stats {
    int32_t substeps;                /* of advection */
    int32_t diffusion_stages;        /* of the Chebyshev step; 0: viscosity was part of the sub-steps */
    int32_t projections;             /* rounds of solving and correcting */
    wf_flow_pressure_stats pressure; /* iterations: of all rounds */
    double trapped;                  /* m3/s: sum over pockets of |net inflow| that cannot leave (flow_pressure.h) */
    double divergence;               /* largest |div u| spacing / largest |u|, but for what is trapped */
    double courant;                  /* largest sum over axes of speed x step / spacing */
    double largest_speed;            /* m/s, of a component */
    double seconds_advection, seconds_pressure, seconds_other;
} wf_flow_stats;

/* Air at rest. Errors: WF_ERROR_ARGUMENT, WF_ERROR_LIMIT (says how much memory the grid would take). */
wf_status wf_flow_create(wf_context *context, const wf_flow_params *params, wf_flow **out);
void wf_flow_destroy(wf_flow *flow);

const wf_flow_params *wf_flow_get_params(const wf_flow *flow);
const wf_flow_grid *wf_flow_get_grid(const wf_flow *flow);
const wf_flow_stats *wf_flow_get_stats(const wf_flow *flow);
double wf_flow_time(const wf_flow *flow);
size_t wf_flow_bytes(const wf_flow *flow);

/* What may change between steps: sides' velocities (not kinds), sponges, viscosity, density, advection, confinement,
 * courant, tolerance, limits, acceleration, predict_pressure. */
wf_status wf_flow_set_params(wf_flow *flow, const wf_flow_params *params);

/* Carries the air on by `step` seconds. On failure nothing has changed but the statistics: WF_ERROR_ARGUMENT,
 * WF_ERROR_LIMIT when it needs too many sub-steps, WF_ERROR_NUMERIC when velocities are not finite. */
wf_status wf_flow_step(wf_flow *flow, double step);

/* The same in three calls, for those who move with the air. `begin` carries the velocities on; `solve` projects them,
 * again and again from there if what an interface does has changed; `end` takes the last projection, or leaves all as
 * it was before. Errors as above, WF_ERROR_STATE where no step was begun. */
wf_status wf_flow_begin_step(wf_flow *flow, double step);
wf_status wf_flow_solve_step(wf_flow *flow);
void wf_flow_end_step(wf_flow *flow, bool accept);

/* Makes the velocities free of divergence without carrying them on: for a first state that was written by hand. */
wf_status wf_flow_project(wf_flow *flow);

/* ---- fields ---------------------------------------------------------------------------------------------------- */

/* The component of velocity along an axis on the faces across it, an array of the grid, m/s. Written to between steps
 * (wf_flow_restart after). */
float *wf_flow_faces(wf_flow *flow, int axis);

/* The velocities were written by hand: what is known of the step before them is forgotten. */
void wf_flow_restart(wf_flow *flow);

/* Pressure over density, an array of the grid, m2/s2. Pressures of pockets have mean zero. */
const float *wf_flow_kinematic_pressure(const wf_flow *flow);

/* The curl of the velocity at the centre of a cell, by its index in the grid's arrays, 1/s. */
void wf_flow_vorticity(const wf_flow *flow, ptrdiff_t cell, float vorticity[3]);

/* Velocities at points, m/s, trilinear between faces; points beyond the box take the nearest point in it. */
void wf_flow_velocities(const wf_flow *flow, size_t count, const wf_vec3 *points, wf_vec3 *velocities);

/* ---- sides ----------------------------------------------------------------------------------------------------- */

/* The faces of a side, cells[first other axis] x cells[second other axis], the first fastest: how many, their
 * centres, and (of inflow and open sides) their velocities in place of the side's one. */
size_t wf_flow_side_count(const wf_flow *flow, int side);
void wf_flow_side_points(const wf_flow *flow, int side, wf_vec3 *points);
wf_status wf_flow_set_side_velocities(wf_flow *flow, int side, const wf_vec3 *velocities);

/* ---- solids and forces ----------------------------------------------------------------------------------------- */

/* A face less open than this is closed: cells that such faces join would have a pressure of their own, almost. */
#define WF_FLOW_LEAST_OPEN 1e-3f

/* What others write before a step: arrays of the grid, per axis. */
typedef struct wf_flow_solids {
    float *open[3];     /* fraction of each face that is open, 0 to 1 */
    float *velocity[3]; /* of what fills the rest, m/s along the face's axis */
} wf_flow_solids;

/* The arrays; made at the first call, with all faces open. wf_flow_solids_changed after the fractions were changed. */
wf_status wf_flow_use_solids(wf_flow *flow, wf_flow_solids *solids);
void wf_flow_solids_changed(wf_flow *flow);

/* What the pressure solves include beside air (flow_pressure.h); NULL: nothing. Its faces are inside the box and open;
 * the interface stands for all of their conductance. It is not copied, and is read at each
 * step. wf_flow_solids_changed after its faces or their conductances have changed. */
void wf_flow_set_interface(wf_flow *flow, const wf_flow_interface *interface);

/* The force of the air on all solids together, N: pressure on the solid parts of faces, and friction where an open
 * face neighbours a solid one. Of the state as it is. */
wf_vec3 wf_flow_force_on_solids(const wf_flow *flow, wf_vec3 *pressure_part);

#endif
