/* lua_collider.h - the class of colliders. */
#ifndef WEFT_LUA_COLLIDER_H
#define WEFT_LUA_COLLIDER_H

#include "contact/colliders/collider.h"
#include "lua/object.h"

extern const wf_lua_class wf_lua_collider_class;

#endif
