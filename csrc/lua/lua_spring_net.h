/* lua_spring_net.h - spring nets as Lua handles. The parent of such a handle is the net as an equation. */
#ifndef WEFT_LUA_SPRING_NET_H
#define WEFT_LUA_SPRING_NET_H

#include "lua/object.h"
#include "step/spring_net.h"

extern const wf_lua_class wf_lua_springs_class;

void wf_lua_open_spring_net(lua_State *L);

#endif
