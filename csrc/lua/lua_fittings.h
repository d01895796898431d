/* lua_fittings.h - the methods of cloths that attach something to them. */
#ifndef WEFT_LUA_FITTINGS_H
#define WEFT_LUA_FITTINGS_H

#include "lua/compat.h"

/* Pushes a list of handles of all that is attached to the cloth at index 1, in the order in which it was. */
void wf_lua_push_fittings(lua_State *L);

/* cloth:elastic { path =, closed =, length =, stiffness =, viscosity =, pushes = }, and so on; each pushes a
 * weft.fitting. */
int wf_lua_cloth_elastic(lua_State *L);
int wf_lua_cloth_drawstring(lua_State *L);
int wf_lua_cloth_seam(lua_State *L);
int wf_lua_cloth_fold(lua_State *L);
int wf_lua_cloth_inflate(lua_State *L);
int wf_lua_cloth_attach(lua_State *L);

#endif
