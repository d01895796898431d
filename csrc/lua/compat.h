/* compat.h - one spelling of the Lua C API for LuaJIT and PUC Lua 5.1 to 5.4.
 *
 * The only file that includes Lua's headers. Where the versions agree, plain Lua names are used; where they do not, the
 * wf_lua_ names below. A module built against the 5.1 headers serves both PUC Lua 5.1 and LuaJIT.
 */
#ifndef WEFT_LUA_COMPAT_H
#define WEFT_LUA_COMPAT_H

#include <lauxlib.h>
#include <lua.h>

#include "base/types.h"

/* The type of LuaJIT's FFI objects, which its lua.h does not name. No other Lua has a type of this number. */
#define WF_LUA_TCDATA 10

/* index as a position that stays the same when values are pushed. */
int wf_lua_absolute(lua_State *L, int index);

/* Length without metamethods: elements of a table, bytes of a string or userdata. */
size_t wf_lua_raw_length(lua_State *L, int index);

/* A userdata's own table (environment in 5.1, user value later). The setter pops the table. */
void wf_lua_set_own_table(lua_State *L, int index);
void wf_lua_get_own_table(lua_State *L, int index);

/* Whether it is the main coroutine. */
bool wf_lua_is_main(lua_State *L);

/* Lets the collector work as if `bytes` had been allocated in Lua, unless the host has stopped it. */
void wf_lua_press_collector(lua_State *L, size_t bytes);

#endif
