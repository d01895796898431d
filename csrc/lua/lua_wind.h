/* lua_wind.h - the wind of worlds, and what the air does to cloth. */
#ifndef WEFT_LUA_WIND_H
#define WEFT_LUA_WIND_H

#include "lua/object.h"

/* Of world.wind, whose object is the wf_world. */
extern const wf_lua_class wf_lua_world_wind_class;

/* world.wind: the world's handle is at 1. */
void wf_lua_get_wind(lua_State *L, void *object);

/* cloth.air and cloth:air_force(). */
void wf_lua_get_cloth_air(lua_State *L, void *object);
void wf_lua_set_cloth_air(lua_State *L, void *object, int index, const char *what);
int wf_lua_cloth_air_force(lua_State *L);

/* Registers the class of world.wind. */
void wf_lua_open_wind(lua_State *L);

/* lua_flow_air.c: world.wind.flow and .flow_stats. */
void wf_lua_get_flow(lua_State *L, void *object);
void wf_lua_set_flow(lua_State *L, void *object, int index, const char *what);
void wf_lua_get_flow_stats(lua_State *L, void *object);

#endif
