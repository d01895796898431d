/* lua_fabric.h - weft.fabric handles, for the parts that take fabrics. */
#ifndef WEFT_LUA_FABRIC_H
#define WEFT_LUA_FABRIC_H

#include "fabric/fabric.h"
#include "lua/object.h"

/* The object is a wf_fabric that passed wf_fabric_check. Copy it: scripts may change theirs. */
extern const wf_lua_class wf_lua_fabric_class;

/* Pushes a fabric with a copy of the values; returns 1. */
int wf_lua_push_fabric(lua_State *L, const wf_fabric *values);

#endif
