/* flow_air_private.h - what the files of a world's flow share. */
#ifndef WEFT_WORLD_FLOW_AIR_PRIVATE_H
#define WEFT_WORLD_FLOW_AIR_PRIVATE_H

#include "air/flow_cloth.h"
#include "air/solid_faces.h"
#include "mesh/solid.h"
#include "solve/anderson.h"
#include "world/flow_air.h"
#include "world/world_state.h"

#define WF_FLOW_LEAST_CELL 1e-4 /* m */

/* A box and the air in it. */
typedef struct wf_flow_place {
    wf_flow *flow;
    wf_flow_cloth *cloth;
    wf_flow_solids fractions;
    bool fractions_written;
    wf_flow_side_kind sides[WF_FLOW_SIDES];
} wf_flow_place;

struct wf_world_flow {
    wf_context *context;
    wf_flow_air_params params;
    wf_flow_place box;
    wf_flow_place before;  /* where the present step has put another in its place: until it is known to end well */
    bool replaced;
    wf_solid_faces *solids;
    wf_collider *floor;
    wf_flow_air_stats stats;

    /* The sheet: all cloth that feels air, and bodies that have no inside. */
    int64_t revision;      /* of the world, that it is of; -1: none */
    int32_t face_count;
    int32_t (*faces)[3];
    double *permeability, *density;
    uint8_t *cut;          /* [face_count] of the sheet: whether the flow knows it */
    uint8_t *direct;       /* [faces of the world] those that the flow does not reach, and wind does */
    uint8_t *any_direct;   /* [cloths] */
    uint8_t *in_sheet;     /* [cloths] */

    int32_t vertex_count, cloth_count; /* of the world */
    wf_vec3 *force, *predicted;        /* [vertex_count] */
    wf_vec3 *places, *normals;         /* [vertex_count] m, where the flow meets them; [cloth_count] of any length */
    wf_solid *bodies;                  /* to ask how far they are; NULL: none */
    double *nearness;                  /* [vertex_count] of solids: 1: far, 0: on them */
    wf_vec3 *force_before;             /* [cloth_count] N, of the last step; with it */
    wf_vec3 *velocity_before;          /* the velocities that it began with */
    bool has_before;
    double step_before;
    bool acting;                       /* in the step being made: forces are part of it */
    wf_anderson *sweeps;               /* over s, its vertices' components divided by the root of their mass */
    wf_vec3 *points, *wind;            /* scratch for sampling the sources */
    size_t point_capacity, wind_capacity;
};

/* kg/m3: air without any mass flows as the lightest does. */
static inline double wf_world_flow_density(const wf_world *world)
{
    return fmax(world->air.params.density, 1e-9);
}

void wf_world_flow_drop(wf_flow_place *box);

/* flow_place.c: makes the flow, or puts another in its place where the scene has left its box or the wind has turned,
 * with the air that both have. `time`, s: at which the wind is asked for. */
wf_status wf_world_place_flow(const wf_world *world, wf_world_flow *f, double time);
/* Whether there is anything to place a box around. */
bool wf_world_can_place_flow(const wf_world *world);
/* Whether a point is in the box of a flow, whose velocity (m/s) it then gets. */
bool wf_world_flow_blows_at(const wf_flow *flow, wf_vec3 point, wf_vec3 *velocity);
/* Gives the sides the velocities of the wind. */
wf_status wf_world_blow_in(const wf_world *world, wf_world_flow *f, double time);

#endif
