/* lua_wind_field.h - wind fields that a function of a script gives, once per step. */
#ifndef WEFT_LUA_WIND_FIELD_H
#define WEFT_LUA_WIND_FIELD_H

#include "air/sources.h"
#include "lua/object.h"

/* Pushes what calls the function at `index`, for a field of `count` points: once with buffers of all, or for each point
 * by itself. Returns its stack index. */
int wf_lua_push_field_function(lua_State *L, int index, size_t count, bool each);

/* Makes the source of a field that what was pushed at `caller` gives. Raises nothing. */
wf_status wf_lua_create_field(lua_State *L, int caller, wf_wind_field *field, wf_wind_source **source);

/* Ties the function to the handle of that source, with which it is collected. */
void wf_lua_keep_field_function(lua_State *L, int handle, int caller);

#endif
