/* lua_wind_particles.h - what a world's wind shares with wind particles on their own. */
#ifndef WEFT_LUA_WIND_PARTICLES_H
#define WEFT_LUA_WIND_PARTICLES_H

#include "air/wind_particles.h"
#include "lua/object.h"

/* Reads the table of options at `index` into parameters; absent ones stay. `function` names it in messages and must stay
 * valid meanwhile. */
void wf_lua_read_wind_particles_params(lua_State *L, int index, const char *function,
                                       wf_wind_particles_params *params);

/* Pushes them as such a table. */
void wf_lua_push_wind_particles_params(lua_State *L, const wf_wind_particles_params *params);

/* Pushes a table of all particles, { positions =, shares =, sources = }, and one of what the last advance did. */
void wf_lua_push_wind_particles(lua_State *L, const wf_wind_particles *particles);
void wf_lua_push_wind_particles_stats(lua_State *L, const wf_wind_particles *particles);

#endif
