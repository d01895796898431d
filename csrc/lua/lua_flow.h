/* lua_flow.h - the class of flows. */
#ifndef WEFT_LUA_FLOW_H
#define WEFT_LUA_FLOW_H

#include "lua/object.h"

/* The object is a wf_flow. */
extern const wf_lua_class wf_lua_flow_class;

/* What boundaries name: all sides, both across an axis, and from WF_LUA_FLOW_FIRST_SIDE on each by itself, in a flow's
 * order; of several that name a side the later one counts. NULL ends them. */
enum { WF_LUA_FLOW_FIRST_SIDE = 4 };
extern const char *const wf_lua_flow_sides[];

#endif
