/* lua_cloth.h - the class of cloths. */
#ifndef WEFT_LUA_CLOTH_H
#define WEFT_LUA_CLOTH_H

#include "lua/compat.h"
#include "world/cloth.h"

struct wf_lua_class;
extern const struct wf_lua_class wf_lua_cloth_class;

void wf_lua_open_cloth(lua_State *L);

#endif
