/* lua_body.h - the class of bodies. */
#ifndef WEFT_LUA_BODY_H
#define WEFT_LUA_BODY_H

#include "body/body.h"
#include "lua/object.h"

extern const wf_lua_class wf_lua_body_class;

#endif
