/* lua_world.h - the class of worlds. */
#ifndef WEFT_LUA_WORLD_H
#define WEFT_LUA_WORLD_H

#include "lua/compat.h"
#include "world/world.h"

struct wf_lua_class;
extern const struct wf_lua_class wf_lua_world_class;

/* Pushes {kinetic =, membrane =, bending =, potential =, total =}, J, of one cloth of the world or (NULL) of all. */
void wf_lua_push_energies(lua_State *L, wf_world *world, const wf_cloth *cloth, const char *function);

/* Pushes {mass =, centre =, linear =, angular =} of one cloth of the world or (NULL) of all. */
void wf_lua_push_momentum(lua_State *L, const wf_world *world, const wf_cloth *cloth);

/* world:untangle { order = { shirt, jacket }, rounds = 300 }: a report. */
int wf_lua_world_untangle(lua_State *L);

void wf_lua_open_world(lua_State *L);

#endif
