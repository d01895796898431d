/* air.h - the air of a world: its wind, and what it does to the cloth.
 *
 * Air acts on cloth (air/aerodynamic_model.h) while a source of wind is enabled, or where still air is asked for. A
 * world without either is a vacuum. Wind is sampled once in each part of a step, at its end, at the middles of the
 * faces where they would then be; cloth is not in its way. Wind of particles has moved on before the step, past
 * everything as it was then; faces feel what came to where they were.
 */
#ifndef WEFT_WORLD_AIR_H
#define WEFT_WORLD_AIR_H

#include "air/aerodynamic_model.h"
#include "air/wind_particles.h"
#include "world/flow_air.h"
#include "world/world.h"

typedef struct wf_air_params {
    double density;   /* kg/m^3, 0 to 1e4; default WF_AIR_DENSITY */
    bool still_air;   /* whether air resists without wind too; default false */
    const char *model; /* how wind gets to the cloth: "direct", as the sources blow; "particles", where their air comes
                          (air/wind_particles.h); "flow", as it flows (world/flow_air.h). Read back, it is the name in
                          the table */
} wf_air_params;

wf_air_params wf_default_air_params(void);

/* How the air flows where the model is "flow", and what the last step's flow was like: NULL where there is none. */
wf_flow_air_params wf_world_get_flow_air(const wf_world *world);
/* WF_ERROR_ARGUMENT says what is out of range; then nothing changes. The air begins anew. */
wf_status wf_world_set_flow_air(wf_world *world, const wf_flow_air_params *params);
const wf_flow_air_stats *wf_world_flow_air_stats(wf_world *world);
wf_air_params wf_world_get_air(const wf_world *world);
/* WF_ERROR_ARGUMENT names the one out of range; then nothing changes. */
wf_status wf_world_set_air(wf_world *world, const wf_air_params *params);

/* The sources of wind: to be read. Errors as in wind.h. */
const wf_wind *wf_world_wind(const wf_world *world);
wf_status wf_world_add_wind(wf_world *world, wf_wind_source *source);
wf_status wf_world_remove_wind(wf_world *world, const wf_wind_source *source);
wf_status wf_world_clear_wind(wf_world *world);

/* The velocities of the air (m/s) at points, now. */
wf_status wf_world_wind_at(wf_world *world, size_t count, const wf_vec3 *points, wf_vec3 *velocities);

/* The options of the wind particles, which count from the next step on, and these themselves; NULL while the model is
 * another, or before the first step with it. */
wf_wind_particles_params wf_world_get_wind_particles(const wf_world *world);
wf_status wf_world_set_wind_particles(wf_world *world, const wf_wind_particles_params *params);
const wf_wind_particles *wf_world_wind_particles(const wf_world *world);

/* How a cloth feels the air; NULL: not at all. WF_ERROR_ARGUMENT as wf_aerodynamics_check. */
wf_status wf_cloth_set_air(wf_cloth *cloth, const wf_aerodynamics *air);

/* What the air did to a cloth in its world's last step, on average: N, and N m about the origin. In one-step schemes
 * with one linear solve, or one converged one, at the end ("backward euler"), the force times the step is the air's
 * impulse; other schemes combine forces of several times, and this is that of the end. */
void wf_world_air_force(const wf_world *world, const wf_cloth *cloth, wf_vec3 *force, wf_vec3 *moment);

#endif
