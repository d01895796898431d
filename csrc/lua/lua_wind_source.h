/* lua_wind_source.h - the class of wind sources. */
#ifndef WEFT_LUA_WIND_SOURCE_H
#define WEFT_LUA_WIND_SOURCE_H

#include "air/wind_source.h"
#include "lua/object.h"

/* The object is a wf_wind_source. What holds one beyond a call keeps its handle alive, because a function that gives
 * its field hangs on that. */
extern const wf_lua_class wf_lua_wind_source_class;

#endif
