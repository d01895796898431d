/* lua_wind.c - world.wind, cloth.air and the law of one face.
 *
 * The object of world.wind is the world itself. Its handle is kept in the world's own table, until it is closed and the
 * next is made, and the handles of its sources in its own, in their order.
 */
#include "lua/lua_wind.h"

#include <stdio.h>

#include "air/wind_source.h"
#include "lua/buffer.h"
#include "lua/lua_cloth.h"
#include "lua/lua_wind_source.h"
#include "lua/lua_wind_particles.h"
#include "lua/lua_world.h"
#include "lua/object.h"
#include "world/air.h"

/* The handles of the sources, from a handle of the wind that was closed to the one above it. */
static void take_over_sources(lua_State *L, int count)
{
    wf_lua_push_own_table(L, lua_gettop(L) - 1);
    wf_lua_push_own_table(L, lua_gettop(L) - 1);
    for (int k = 1; k <= count; k++) {
        lua_rawgeti(L, -2, k);
        lua_rawseti(L, -2, k);
    }
    lua_pop(L, 2);
}

void wf_lua_get_wind(lua_State *L, void *object)
{
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, "wind");
    if (lua_isnil(L, -1) || !wf_lua_is_open(L, -1)) {
        void **slot = wf_lua_new_object(L, &wf_lua_world_wind_class, 1);
        *slot = object;
        if (!lua_isnil(L, -2)) {
            take_over_sources(L, (int)wf_wind_count(wf_world_wind(object)));
        }
        lua_pushvalue(L, -1);
        lua_setfield(L, -4, "wind");
        lua_remove(L, -2);
    }
    lua_remove(L, -2);
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static wf_world *check_wind(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_world_wind_class, what);
}

/* Takes the source out whose handle is at 2; the table of the wind's handles is at 3. */
static wf_status remove_source(lua_State *L, wf_world *world, const wf_wind_source *source)
{
    int count = (int)wf_wind_count(wf_world_wind(world)), at = 1;
    while (at <= count && wf_wind_at(wf_world_wind(world), (size_t)at - 1) != source) {
        at++;
    }
    wf_status status = wf_world_remove_wind(world, source);
    for (; status == WF_OK && at <= count; at++) {
        lua_rawgeti(L, 3, at + 1);
        lua_rawseti(L, 3, at);
    }
    return status;
}

/* Called with the world and a source that is being closed. The handle of the wind may be another than it was. */
static int leave_wind(lua_State *L)
{
    lua_settop(L, 2);
    wf_world *world = wf_lua_check_object(L, 1, &wf_lua_world_class, "weft.world: self");
    wf_wind_source *source = wf_lua_check_object(L, 2, &wf_lua_wind_source_class, "weft.world.wind: source");
    wf_lua_get_wind(L, world);
    wf_lua_push_own_table(L, 3);
    lua_replace(L, 3);
    remove_source(L, world, source); /* it may not have got there */
    return 0;
}

/* wind:add(source) returns the source. */
static int wind_add(lua_State *L)
{
    lua_settop(L, 2);
    wf_world *world = check_wind(L, "weft.world.wind.add: self");
    wf_lua_check_object(L, 2, &wf_lua_wind_source_class, "weft.world.wind.add: source");
    wf_lua_push_parent(L, 1);
    wf_lua_hold(L, 3, 2, leave_wind);
    lua_settop(L, 2);
    wf_wind_source *source = wf_lua_check_object(L, 2, &wf_lua_wind_source_class, "weft.world.wind.add: source");
    wf_lua_push_own_table(L, 1);
    int count = (int)wf_wind_count(wf_world_wind(world));
    lua_pushboolean(L, false);
    lua_rawseti(L, 3, count + 1); /* the place first: from here on nothing raises */
    wf_status status = wf_world_add_wind(world, source);
    if (status == WF_OK) {
        lua_pushvalue(L, 2);
    } else {
        lua_pushnil(L);
    }
    lua_rawseti(L, 3, count + 1);
    lua_settop(L, 2);
    wf_lua_check_status(L, status, "weft.world.wind.add");
    return 1;
}

/* wind:remove(source) */
static int wind_remove(lua_State *L)
{
    lua_settop(L, 2);
    wf_world *world = check_wind(L, "weft.world.wind.remove: self");
    wf_wind_source *source = wf_lua_check_object(L, 2, &wf_lua_wind_source_class, "weft.world.wind.remove: source");
    wf_lua_push_own_table(L, 1);
    wf_lua_check_status(L, remove_source(L, world, source), "weft.world.wind.remove");
    wf_lua_push_parent(L, 1);
    wf_lua_forget_holder(L, 4, 2);
    return 0;
}

/* wind:clear() */
static int wind_clear(lua_State *L)
{
    lua_settop(L, 1);
    wf_world *world = check_wind(L, "weft.world.wind.clear: self");
    int count = (int)wf_wind_count(wf_world_wind(world));
    wf_lua_push_own_table(L, 1);
    wf_lua_check_status(L, wf_world_clear_wind(world), "weft.world.wind.clear");
    for (int k = count; k >= 1; k--) {
        lua_pushnil(L);
        lua_rawseti(L, 2, k);
    }
    return 0;
}

/* #wind */
static int wind_length(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)wf_wind_count(wf_world_wind(check_wind(L, "weft.world.wind: self"))));
    return 1;
}

/* wind[k]: a source, or nil; all else as every class does, by the function in upvalue 2. */
static int wind_index(lua_State *L)
{
    lua_settop(L, 2);
    if (lua_type(L, 2) == LUA_TNUMBER) {
        wf_world *world = check_wind(L, "weft.world.wind: self");
        double k = lua_tonumber(L, 2);
        wf_lua_push_own_table(L, 1);
        if (k >= 1 && k <= (double)wf_wind_count(wf_world_wind(world)) && k == (double)(int)k) {
            lua_rawgeti(L, 3, (int)k);
        } else {
            lua_pushnil(L);
        }
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

/* Pushes the buffer at 3, or a new one for `count` points. */
static wf_vec3 *push_target(lua_State *L, size_t count)
{
    static const char what[] = "weft.world.wind.at: into";
    if (lua_isnoneornil(L, 3)) {
        return wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    }
    const wf_lua_view *view = wf_lua_check_buffer(L, 3, what, WF_LUA_DOUBLE, 3);
    if (view->count != count || !view->writable) {
        wf_lua_fail(L, "%s must be a writable buffer of %d points", what, (int)count);
    }
    lua_pushvalue(L, 3);
    return (wf_vec3 *)(uintptr_t)view->data;
}

/* wind:at { x, y, z } returns {u, v, w}; wind:at(buffer, into) returns a buffer. */
static int wind_at(lua_State *L)
{
    static const char function[] = "weft.world.wind.at", name[] = "weft.world.wind.at: points";
    lua_settop(L, 3);
    wf_world *world = check_wind(L, "weft.world.wind.at: self");
    if (!wf_lua_is_object(L, 2, &wf_lua_buffer_class)) {
        wf_vec3 point = wf_lua_check_vec3(L, 2, name), velocity;
        wf_lua_check_status(L, wf_world_wind_at(world, 1, &point, &velocity), function);
        wf_lua_push_vec3(L, velocity);
        return 1;
    }
    size_t count = wf_lua_check_buffer(L, 2, name, WF_LUA_DOUBLE, 3)->count;
    wf_vec3 *velocities = push_target(L, count);
    const wf_vec3 *points = wf_lua_check_buffer(L, 2, name, WF_LUA_DOUBLE, 3)->data;
    if (points == velocities) {
        wf_lua_fail(L, "%s: into must not be the buffer of points", function);
    }
    world = check_wind(L, "weft.world.wind.at: self");
    wf_lua_check_status(L, wf_world_wind_at(world, count, points, velocities), function);
    return 1;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static void get_density(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_world_get_air(object).density);
}

static void set_density(lua_State *L, void *object, int index, const char *what)
{
    wf_air_params params = wf_world_get_air(object);
    params.density = wf_lua_check_number(L, index, what, 0, 1e4);
    wf_lua_check_status(L, wf_world_set_air(object, &params), "weft.world.wind");
}

static void get_still_air(lua_State *L, void *object)
{
    lua_pushboolean(L, wf_world_get_air(object).still_air);
}

static void set_still_air(lua_State *L, void *object, int index, const char *what)
{
    wf_air_params params = wf_world_get_air(object);
    params.still_air = wf_lua_check_boolean(L, index, what);
    wf_lua_check_status(L, wf_world_set_air(object, &params), "weft.world.wind");
}

static void get_model(lua_State *L, void *object)
{
    lua_pushstring(L, wf_world_get_air(object).model);
}

static void set_model(lua_State *L, void *object, int index, const char *what)
{
    wf_air_params params = wf_world_get_air(object);
    params.model = wf_lua_check_string(L, index, what);
    wf_lua_check_status(L, wf_world_set_air(object, &params), "weft.world.wind");
}

static void get_particles(lua_State *L, void *object)
{
    wf_wind_particles_params params = wf_world_get_wind_particles(object);
    wf_lua_push_wind_particles_params(L, &params);
}

/* A table, from the defaults on. */
static void set_particles(lua_State *L, void *object, int index, const char *what)
{
    wf_wind_particles_params params = wf_default_wind_particles_params();
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table such as { cell = 0.1 }");
    }
    wf_lua_read_wind_particles_params(L, index, what, &params);
    wf_lua_check_status(L, wf_world_set_wind_particles(object, &params), what);
}

/* A wf_lua_wind_particles_function. */
static const wf_wind_particles *check_world_particles(lua_State *L, const char *function)
{
    const char *self = lua_pushfstring(L, "%s: self", function);
    const wf_wind_particles *particles = wf_world_wind_particles(check_wind(L, self));
    lua_pop(L, 1);
    if (!particles) {
        wf_lua_fail(L, "%s: there are wind particles from the first step with the model \"particles\" on", function);
    }
    return particles;
}

/* wind:read_particles(): { positions =, shares =, sources = } */
static int wind_read_particles(lua_State *L)
{
    wf_lua_push_wind_particles(L, "weft.world.wind.read_particles", check_world_particles);
    return 1;
}

/* wind:particle_stats() */
static int wind_particle_stats(lua_State *L)
{
    wf_lua_push_wind_particles_stats(L, check_world_particles(L, "weft.world.wind.particle_stats"));
    return 1;
}

static void describe_wind(lua_State *L, void *object)
{
    wf_air_params params = wf_world_get_air(object);
    char density[32];
    snprintf(density, sizeof density, "%.4g", params.density);
    int count = (int)wf_wind_count(wf_world_wind(object));
    const char *still = params.still_air ? "still air" : "no air";
    if (count > 0) {
        lua_pushfstring(L, "weft.world.wind (%d source%s, %s, air of %s kg/m3)", count, count == 1 ? "" : "s",
                        params.model, density);
    } else {
        lua_pushfstring(L, "weft.world.wind (%s%s%s%s)", still, params.still_air ? " of " : "",
                        params.still_air ? density : "", params.still_air ? " kg/m3" : "");
    }
}

static const luaL_Reg wind_methods[] = {
    {"add", wind_add}, {"remove", wind_remove}, {"clear", wind_clear}, {"at", wind_at},
    {"read_particles", wind_read_particles}, {"particle_stats", wind_particle_stats}, {NULL, NULL},
};

static const wf_lua_property wind_properties[] = {
    {"density", get_density, set_density},
    {"still_air", get_still_air, set_still_air},
    {"model", get_model, set_model},
    {"flow", wf_lua_get_flow, wf_lua_set_flow},
    {"flow_stats", wf_lua_get_flow_stats, NULL},
    {"particles", get_particles, set_particles},
    {NULL, NULL, NULL},
};

const wf_lua_class wf_lua_world_wind_class = {"weft.world.wind", wind_methods, wind_properties, describe_wind, NULL};

/* ---- cloth ------------------------------------------------------------------------------------------------------- */

static const char *const air_names[] = {"law", "normal", "friction", "drag", "lift", "porosity", "permeability", NULL};

static void push_air(lua_State *L, const wf_aerodynamics *air)
{
    lua_createtable(L, 0, 7);
    lua_pushstring(L, wf_aerodynamic_law_name(air->law));
    lua_setfield(L, -2, "law");
    wf_lua_set_number(L, "normal", air->normal);
    wf_lua_set_number(L, "friction", air->friction);
    wf_lua_set_number(L, "drag", air->drag);
    wf_lua_set_number(L, "lift", air->lift);
    wf_lua_set_number(L, "porosity", air->porosity);
    wf_lua_set_number(L, "permeability", air->permeability);
}

static void read_air(const wf_lua_options *options, wf_aerodynamics *air)
{
    const char *law = wf_lua_option_string(options, "law");
    if (law) {
        wf_lua_check_status(options->L, wf_aerodynamic_law_find(wf_lua_context(options->L), law, &air->law),
                            options->function);
    }
    wf_lua_option_number(options, "normal", &air->normal, 0, 1000);
    wf_lua_option_number(options, "friction", &air->friction, 0, 1000);
    wf_lua_option_number(options, "drag", &air->drag, 0, 1000);
    wf_lua_option_number(options, "lift", &air->lift, 0, 1000);
    wf_lua_option_number(options, "porosity", &air->porosity, 0, 1);
    wf_lua_option_number(options, "permeability", &air->permeability, 0, 1000);
}

void wf_lua_get_cloth_air(lua_State *L, void *object)
{
    const wf_cloth *cloth = object;
    if (cloth->feels_air) {
        push_air(L, &cloth->air);
    } else {
        lua_pushboolean(L, false);
    }
}

/* A table, from the defaults on; true for these; false: it feels no air. */
void wf_lua_set_cloth_air(lua_State *L, void *object, int index, const char *what)
{
    wf_aerodynamics air = wf_default_aerodynamics();
    bool feels = lua_type(L, index) != LUA_TBOOLEAN || lua_toboolean(L, index);
    if (lua_type(L, index) != LUA_TBOOLEAN) {
        if (!lua_istable(L, index)) {
            wf_lua_fail_value(L, index, what, "a table such as { law = \"plate\" }, true or false");
        }
        wf_lua_options options = wf_lua_open_options(L, index, what, air_names);
        read_air(&options, &air);
    }
    wf_lua_check_status(L, wf_cloth_set_air(object, feels ? &air : NULL), what);
}

/* cloth:air_force() returns { force = {x, y, z}, moment = {x, y, z} }. */
int wf_lua_cloth_air_force(lua_State *L)
{
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.air_force: self");
    if (!cloth->world) {
        return wf_lua_fail(L, "weft.cloth.air_force: the cloth is in no world");
    }
    wf_vec3 force, moment;
    wf_world_air_force(cloth->world, cloth, &force, &moment);
    lua_createtable(L, 0, 2);
    wf_lua_push_vec3(L, force);
    lua_setfield(L, -2, "force");
    wf_lua_push_vec3(L, moment);
    lua_setfield(L, -2, "moment");
    return 1;
}

/* ---- one face ---------------------------------------------------------------------------------------------------- */

/* A velocity that sources of wind may have, too. */
static void read_velocity(wf_lua_options *options, const char *key, wf_vec3 *velocity)
{
    wf_lua_option_vec3(options, key, velocity);
    if (!(wf_vec3_norm(*velocity) <= WF_WIND_SPEED_LIMIT)) {
        wf_lua_fail(options->L, "weft.wind.face_force: %s must be a velocity of at most %g m/s, got {%g, %g, %g}", key,
                    WF_WIND_SPEED_LIMIT, velocity->x, velocity->y, velocity->z);
    }
}

/* weft.wind.face_force { velocity =, wind =, normal =, area =, density =, air =, definite = }: the force {x, y, z}, and
 * minus its derivative by the velocity, three rows. */
static int face_force(lua_State *L)
{
    static const char name[] = "weft.wind.face_force";
    static const char *const names[] = {"velocity", "wind", "normal", "area", "density", "air", "definite", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    wf_aerodynamics air = wf_default_aerodynamics();
    wf_vec3 velocity = {0, 0, 0}, wind = {0, 0, 0}, normal = {0, 0, 0}, force;
    double area = 1, density = WF_AIR_DENSITY;
    bool definite = true;
    wf_lua_require_option(&options, "normal", "three numbers {x, y, z}");
    read_velocity(&options, "velocity", &velocity);
    read_velocity(&options, "wind", &wind);
    wf_lua_option_vec3(&options, "normal", &normal);
    wf_lua_option_number(&options, "area", &area, 0, 1e12);
    wf_lua_option_number(&options, "density", &density, 0, 1e4);
    wf_lua_option_boolean(&options, "definite", &definite);
    if (wf_lua_option_typed(&options, "air", LUA_TTABLE)) {
        wf_lua_options law = wf_lua_open_options(L, lua_gettop(L), "weft.wind.face_force: air", air_names);
        read_air(&law, &air);
    }
    if (!(wf_vec3_norm(normal) >= 1e-100 && wf_vec3_norm(normal) <= 1e100)) {
        return wf_lua_fail(L, "%s: normal must be a vector of a length from 1e-100 to 1e100, got {%g, %g, %g}", name,
                           normal.x, normal.y, normal.z);
    }
    wf_mat3 damping;
    wf_aerodynamic_force(&air, density, wf_vec3_normalize(normal), area, wf_vec3_sub(velocity, wind), definite, &force,
                         &damping);
    wf_lua_push_vec3(L, force);
    lua_createtable(L, 3, 0);
    for (int row = 0; row < 3; row++) {
        wf_lua_push_vec3(L, (wf_vec3){damping.m[row][0], damping.m[row][1], damping.m[row][2]});
        lua_rawseti(L, -2, row + 1);
    }
    return 2;
}

void wf_lua_open_wind(lua_State *L)
{
    static const luaL_Reg functions[] = {{"face_force", face_force}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_world_wind_class);
    wf_lua_set_functions(L, functions);
    lua_getfield(L, LUA_REGISTRYINDEX, wf_lua_world_wind_class.name);
    wf_lua_push_function(L, wind_length, 0);
    lua_setfield(L, -2, "__len");
    lua_getfield(L, -1, "__index");
    wf_lua_push_function(L, wind_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
