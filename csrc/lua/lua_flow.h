/* lua_flow.h - the class of flows. */
#ifndef WEFT_LUA_FLOW_H
#define WEFT_LUA_FLOW_H

#include "lua/object.h"

/* The object is a wf_flow. */
extern const wf_lua_class wf_lua_flow_class;

#endif
