/* lua_rigid.h - the class of rigid bodies. */
#ifndef WEFT_LUA_RIGID_H
#define WEFT_LUA_RIGID_H

#include "body/rigid.h"
#include "lua/object.h"

extern const wf_lua_class wf_lua_rigid_class;

#endif
