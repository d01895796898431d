/* lua_wind_particles.h - what a world's wind shares with wind particles on their own. */
#ifndef WEFT_LUA_WIND_PARTICLES_H
#define WEFT_LUA_WIND_PARTICLES_H

#include "air/wind_particles.h"
#include "lua/object.h"

/* Reads the table of options at `index` into parameters; absent ones stay. `function` names it in messages and must
 * stay valid meanwhile. */
void wf_lua_read_wind_particles_params(lua_State *L, int index, const char *function,
                                       wf_wind_particles_params *params);

/* Pushes them as such a table. */
void wf_lua_push_wind_particles_params(lua_State *L, const wf_wind_particles_params *params);

/* The particles of the object at stack index 1, for a function of this name; the stack stays as it is. Raises where
 * there are none. */
typedef const wf_wind_particles *wf_lua_wind_particles_function(lua_State *L, const char *function);

/* Pushes a table of all particles, { positions =, shares =, sources = }. They are got twice: what is made for them may
 * run a finalizer that takes them away. Raises if one moved them. */
void wf_lua_push_wind_particles(lua_State *L, const char *function, wf_lua_wind_particles_function *get);

/* Pushes a table of what the last advance did. */
void wf_lua_push_wind_particles_stats(lua_State *L, const wf_wind_particles *particles);

#endif
