/* lua_world.c - weft.world, and the sewing that runs in one. */
#include "lua/lua_world.h"

#include <stddef.h>
#include <stdio.h>

#include "lua/lua_body.h"
#include "lua/lua_cloth.h"
#include "lua/lua_collider.h"
#include "lua/lua_rigid.h"
#include "lua/lua_step.h"
#include "lua/lua_wind.h"
#include "lua/object.h"
#include "world/sewing.h"


/* ---- parameters that read back --------------------------------------------------------------------------------- */

static void set_params(lua_State *L, wf_world *world, const wf_world_params *params)
{
    wf_lua_check_status(L, wf_world_set_params(world, params), "weft.world");
}

/* Parameters that are one number are told apart by their place in wf_world_params. */
static void push_number(lua_State *L, void *object, size_t offset)
{
    wf_world_params params = wf_world_get_params(object);
    lua_pushnumber(L, *(const double *)((const char *)&params + offset));
}

static void set_number(lua_State *L, void *object, int index, const char *what, size_t offset)
{
    wf_world_params params = wf_world_get_params(object);
    *(double *)((char *)&params + offset) = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    set_params(L, object, &params);
}

static void get_time_step(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, time_step));
}

static void set_time_step(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, time_step));
}

static void get_damping(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, damping));
}

static void set_damping(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, damping));
}

static void get_floor_friction(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, floor_friction));
}

static void set_floor_friction(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, floor_friction));
}

static void get_contact_stiffness(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, contact_stiffness));
}

static void set_contact_stiffness(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, contact_stiffness));
}

static void get_barrier_tolerance(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, barrier_tolerance));
}

static void set_barrier_tolerance(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, barrier_tolerance));
}

static void get_tolerance(lua_State *L, void *object)
{
    push_number(L, object, offsetof(wf_world_params, tolerance));
}

static void set_tolerance(lua_State *L, void *object, int index, const char *what)
{
    set_number(L, object, index, what, offsetof(wf_world_params, tolerance));
}

static void get_gravity(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, wf_world_get_params(object).gravity);
}

static void set_gravity(lua_State *L, void *object, int index, const char *what)
{
    wf_world_params params = wf_world_get_params(object);
    params.gravity = wf_lua_check_vec3(L, index, what);
    set_params(L, object, &params);
}

/* The floor's height, or false. */
static void get_floor(lua_State *L, void *object)
{
    wf_world_params params = wf_world_get_params(object);
    if (params.floor) {
        lua_pushnumber(L, params.floor_height);
    } else {
        lua_pushboolean(L, false);
    }
}

static void read_floor(lua_State *L, int index, const char *what, wf_world_params *params)
{
    params->floor = lua_type(L, index) != LUA_TBOOLEAN || lua_toboolean(L, index);
    if (lua_type(L, index) != LUA_TBOOLEAN) {
        params->floor_height = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    }
}

static void set_floor(lua_State *L, void *object, int index, const char *what)
{
    wf_world_params params = wf_world_get_params(object);
    read_floor(L, index, what, &params);
    set_params(L, object, &params);
}

static void get_self_contact(lua_State *L, void *object)
{
    lua_pushboolean(L, wf_world_get_params(object).self_contact);
}

static void set_self_contact(lua_State *L, void *object, int index, const char *what)
{
    wf_world_params params = wf_world_get_params(object);
    params.self_contact = wf_lua_check_boolean(L, index, what);
    set_params(L, object, &params);
}

static void get_integrator(lua_State *L, void *object)
{
    lua_pushstring(L, wf_world_get_params(object).integrator);
}

/* The name of a scheme, with its own defaults, or a table { scheme =, its options }. Strings stay on the stack. */
static void read_integrator(lua_State *L, int index, const char *what, wf_world_params *params, wf_tableau *tableau)
{
    params->integrator_params = wf_default_integrator_params();
    if (lua_type(L, index) != LUA_TSTRING && !lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "the name of a scheme or a table { scheme =, its options }");
    }
    params->integrator = lua_istable(L, index)
                             ? wf_lua_read_integrator(L, index, what, &params->integrator_params, tableau)
                             : wf_lua_check_string(L, index, what);
}

static void set_integrator(lua_State *L, void *object, int index, const char *what)
{
    wf_world_params params = wf_world_get_params(object);
    wf_tableau tableau;
    read_integrator(L, index, what, &params, &tableau);
    set_params(L, object, &params);
}

static void get_contact(lua_State *L, void *object)
{
    lua_pushstring(L, wf_world_get_params(object).contact);
}

static void set_contact(lua_State *L, void *object, int index, const char *what)
{
    wf_world_params params = wf_world_get_params(object);
    params.contact = wf_lua_check_string(L, index, what);
    set_params(L, object, &params);
}

/* A list of { between = { name, name }, dynamic =, static = }. */
static void get_friction(lua_State *L, void *object)
{
    int32_t count;
    const wf_friction_pair *pairs = wf_world_get_friction(object, &count);
    lua_createtable(L, count, 0);
    for (int32_t p = 0; p < count; p++) {
        lua_createtable(L, 0, 3);
        lua_createtable(L, 2, 0);
        for (int k = 0; k < 2; k++) {
            lua_pushstring(L, pairs[p].names[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, "between");
        wf_lua_set_number(L, "dynamic", pairs[p].friction.dynamic);
        wf_lua_set_number(L, "static", pairs[p].friction.hold);
        lua_rawseti(L, -2, p + 1);
    }
}

static void read_friction_pair(lua_State *L, int index, const char *what, wf_friction_pair *pair)
{
    static const char *const names[] = {"between", "dynamic", "static", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, what, names);
    *pair = (wf_friction_pair){0};
    wf_lua_require_option(&options, "between", "the names of two materials");
    if (!wf_lua_push_option(&options, "between") || !lua_istable(L, -1) || wf_lua_raw_length(L, -1) != 2) {
        wf_lua_fail(L, "%s: between must be a list of two names", what);
    }
    int between = lua_gettop(L);
    for (int k = 0; k < 2; k++) {
        lua_rawgeti(L, between, k + 1);
        const char *name = wf_lua_check_string(L, -1, what);
        snprintf(pair->names[k], sizeof pair->names[k], "%s", name);
    }
    wf_lua_require_option(&options, "dynamic", "a number from 0 to 10");
    wf_lua_option_number(&options, "dynamic", &pair->friction.dynamic, 0, 10);
    pair->friction.hold = pair->friction.dynamic;
    wf_lua_option_number(&options, "static", &pair->friction.hold, pair->friction.dynamic, 10);
}

static void set_friction(lua_State *L, void *object, int index, const char *what)
{
    wf_friction_pair pairs[WF_MOST_FRICTION_PAIRS];
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a list of { between = { name, name }, dynamic =, static = }");
    }
    size_t count = wf_lua_raw_length(L, index);
    if (count > WF_MOST_FRICTION_PAIRS) {
        wf_lua_fail(L, "%s: at most %d pairs, got %d", what, WF_MOST_FRICTION_PAIRS, (int)count);
    }
    for (size_t p = 0; p < count; p++) {
        lua_settop(L, index);
        lua_rawgeti(L, index, (int)p + 1);
        if (!lua_istable(L, -1)) {
            wf_lua_fail_value(L, -1, what, "a list of { between = { name, name }, dynamic =, static = }");
        }
        read_friction_pair(L, index + 1, what, &pairs[p]);
    }
    wf_lua_check_status(L, wf_world_set_friction(object, pairs, (int32_t)count), what);
}

static void get_time(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_world_time(object));
}

static void get_steps(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)wf_world_step_count(object));
}

/* What the last step did. The table belongs to the handle and is filled anew at each reading. */
static void get_stats(lua_State *L, void *object)
{
    wf_step_stats stats = wf_world_stats(object);
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, "stats");
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "stats");
    }
    lua_remove(L, -2);
    wf_lua_set_integer(L, "vertices", stats.vertices);
    wf_lua_set_integer(L, "triangles", stats.triangles);
    wf_lua_set_integer(L, "contacts", stats.contacts);
    wf_lua_set_integer(L, "candidates", stats.candidates);
    wf_lua_set_integer(L, "hits", stats.hits);
    wf_lua_set_integer(L, "backed_off", stats.backed_off);
    wf_lua_set_integer(L, "inside", stats.inside);
    wf_lua_set_integer(L, "pierced", stats.pierced);
    wf_lua_set_integer(L, "parts", stats.parts);
    wf_lua_set_integer(L, "pinched", stats.pinched);
    wf_lua_set_number(L, "body_lag", stats.body_lag);
    wf_lua_set_number(L, "contact_energy", stats.contact_energy);
    wf_lua_set_number(L, "body_work", stats.body_work);
    wf_lua_set_number(L, "pin_work", stats.pin_work);
    wf_lua_set_number(L, "air_work", stats.air_work);
    wf_lua_set_integer(L, "limit_sweeps", stats.limit_sweeps);
    wf_lua_set_number(L, "limit_excess", stats.limit_excess);
    wf_lua_set_integer(L, "broken", stats.broken);
    wf_lua_set_integer(L, "solver_iterations", stats.solver_iterations);
    wf_lua_set_number(L, "solver_residual", stats.solver_residual);
    wf_lua_set_integer(L, "integrator_steps", stats.integrator_steps);
    wf_lua_set_integer(L, "newton_iterations", stats.newton_iterations);
    wf_lua_set_integer(L, "force_evaluations", stats.force_evaluations);
    wf_lua_set_number(L, "assembly_seconds", stats.assembly_seconds);
    wf_lua_set_number(L, "solve_seconds", stats.solve_seconds);
    wf_lua_set_number(L, "detection_seconds", stats.detection_seconds);
    wf_lua_set_number(L, "response_seconds", stats.response_seconds);
    wf_lua_set_number(L, "step_seconds", stats.step_seconds);
    wf_lua_set_number(L, "rms_speed", stats.rms_speed);
    wf_lua_set_number(L, "max_speed", stats.max_speed);
    wf_lua_set_number(L, "rest_time", stats.rest_time);
}

/* ---- methods --------------------------------------------------------------------------------------------------- */

static wf_world *check_world(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_world_class, what);
}

/* Members, at 2, are kept alive in the world's own table, by their handles. */
static void keep_member(lua_State *L, bool keep)
{
    wf_lua_push_own_table(L, 1);
    lua_pushvalue(L, 2);
    if (keep) {
        lua_pushboolean(L, true);
    } else {
        lua_pushnil(L);
    }
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

typedef enum member_kind { CLOTH, BODY, COLLIDER, RIGID, MEMBER_KINDS } member_kind;

/* What the value at 2 is; raises when it is no open member. */
static void *check_member(lua_State *L, const char *what, member_kind *kind)
{
    const wf_lua_class *classes[MEMBER_KINDS] = {&wf_lua_cloth_class, &wf_lua_body_class, &wf_lua_collider_class,
                                                 &wf_lua_rigid_class};
    for (int k = 0; k < MEMBER_KINDS; k++) {
        if (wf_lua_is_object(L, 2, classes[k])) {
            *kind = (member_kind)k;
            return wf_lua_check_object(L, 2, classes[k], what);
        }
    }
    wf_lua_fail_value(L, 2, what, "a weft.cloth, a weft.body, a weft.collider or a weft.rigid");
    return NULL;
}

static wf_status remove_member(wf_world *world, member_kind kind, void *member)
{
    return kind == CLOTH      ? wf_world_remove_cloth(world, member)
           : kind == BODY     ? wf_world_remove_body(world, member)
           : kind == COLLIDER ? wf_world_remove_collider(world, member)
                              : wf_world_remove_rigid(world, member);
}

/* Called with the world and a member that is being closed. */
static int leave_world(lua_State *L)
{
    wf_world *world = check_world(L, "weft.world: self");
    member_kind kind = CLOTH;
    void *member = check_member(L, "weft.world: member", &kind);
    remove_member(world, kind, member); /* it may not have got there */
    keep_member(L, false);
    return 0;
}

/* world:add(member) returns the member. */
static int world_add(lua_State *L)
{
    lua_settop(L, 2);
    wf_world *world = check_world(L, "weft.world.add: self");
    member_kind kind = CLOTH;
    check_member(L, "weft.world.add: member", &kind);
    wf_lua_hold(L, 1, 2, leave_world);
    void *member = check_member(L, "weft.world.add: member", &kind); /* finalizers may have closed it */
    wf_status status = kind == CLOTH      ? wf_world_add_cloth(world, member)
                       : kind == BODY     ? wf_world_add_body(world, member)
                       : kind == COLLIDER ? wf_world_add_collider(world, member)
                                          : wf_world_add_rigid(world, member);
    wf_lua_check_status(L, status, "weft.world.add");
    keep_member(L, true);
    return 1;
}

/* world:remove(member) */
static int world_remove(lua_State *L)
{
    lua_settop(L, 2);
    wf_world *world = check_world(L, "weft.world.remove: self");
    member_kind kind = CLOTH;
    void *member = check_member(L, "weft.world.remove: member", &kind);
    wf_lua_check_status(L, remove_member(world, kind, member), "weft.world.remove");
    wf_lua_forget_holder(L, 1, 2);
    keep_member(L, false);
    return 0;
}

/* world:step(count, extra_damping): `count` steps, 1 when left out, with further damping (1/s) in these steps alone. */
static int world_step(lua_State *L)
{
    wf_world *world = check_world(L, "weft.world.step: self");
    int64_t count = 1;
    if (!lua_isnoneornil(L, 2)) {
        count = wf_lua_check_integer(L, 2, "weft.world.step: count", 1, 1000000);
    }
    double extra_damping = 0;
    if (!lua_isnoneornil(L, 3)) {
        extra_damping = wf_lua_check_number(L, 3, "weft.world.step: extra_damping", 0, 1e4);
    }
    wf_status status = WF_OK;
    for (int64_t k = 0; status == WF_OK && k < count; k++) {
        status = wf_world_step(world, extra_damping);
    }
    wf_lua_check_status(L, status, "weft.world.step");
    return 0;
}

void wf_lua_push_energies(lua_State *L, wf_world *world, const wf_cloth *cloth, const char *function)
{
    wf_energies energies;
    wf_lua_check_status(L, wf_world_energies(world, cloth, &energies), function);
    lua_createtable(L, 0, 7);
    wf_lua_set_number(L, "kinetic", energies.kinetic);
    wf_lua_set_number(L, "membrane", energies.membrane);
    wf_lua_set_number(L, "bending", energies.bending);
    wf_lua_set_number(L, "potential", energies.potential);
    wf_lua_set_number(L, "fittings", energies.fittings);
    wf_lua_set_number(L, "total", energies.kinetic + energies.membrane + energies.bending + energies.potential +
                                      energies.fittings);
    lua_newtable(L);
    for (int i = 0; i < wf_model_entry_count(); i++) {
        if (energies.has_model[i]) {
            wf_lua_set_number(L, wf_model_entry_at(i)->name, energies.model[i]);
        }
    }
    lua_setfield(L, -2, "models");
}

/* world:energy(): of all cloth. */
static int world_energy(lua_State *L)
{
    wf_lua_push_energies(L, check_world(L, "weft.world.energy: self"), NULL, "weft.world.energy");
    return 1;
}

void wf_lua_push_momentum(lua_State *L, const wf_world *world, const wf_cloth *cloth)
{
    wf_momentum momentum;
    wf_world_momentum(world, cloth, &momentum);
    lua_createtable(L, 0, 4);
    wf_lua_set_number(L, "mass", momentum.mass);
    wf_lua_push_vec3(L, momentum.centre);
    lua_setfield(L, -2, "centre");
    wf_lua_push_vec3(L, momentum.linear);
    lua_setfield(L, -2, "linear");
    wf_lua_push_vec3(L, momentum.angular);
    lua_setfield(L, -2, "angular");
}

/* world:momentum(): of all cloth. */
static int world_momentum(lua_State *L)
{
    wf_lua_push_momentum(L, check_world(L, "weft.world.momentum: self"), NULL);
    return 1;
}

/* world:spectrum(): { frequency =, damping = } of the fastest motion. */
static int world_spectrum(lua_State *L)
{
    wf_spectrum spectrum;
    wf_world *world = check_world(L, "weft.world.spectrum: self");
    wf_lua_check_status(L, wf_world_spectrum(world, &spectrum), "weft.world.spectrum");
    lua_createtable(L, 0, 2);
    wf_lua_set_number(L, "frequency", spectrum.frequency);
    wf_lua_set_number(L, "damping", spectrum.damping);
    return 1;
}

/* world:hash(): the whole state as 16 hexadecimal digits; numbers of 64 bits do not fit every Lua. */
static int world_hash(lua_State *L)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = wf_world_hash(check_world(L, "weft.world.hash: self"));
    char text[17];
    for (int i = 0; i < 16; i++) {
        text[i] = digits[(hash >> (60 - 4 * i)) & 15];
    }
    lua_pushlstring(L, text, 16);
    return 1;
}

static void describe_world(lua_State *L, void *object)
{
    wf_step_stats stats = wf_world_stats(object);
    char time[32], speed[32];
    snprintf(time, sizeof time, "%.5g", wf_world_time(object));
    snprintf(speed, sizeof speed, "%.3g", stats.rms_speed);
    lua_pushfstring(L, "weft.world (%s s, %d steps, %d vertices, %d triangles, %d contacts, rms speed %s m/s)", time,
                    (int)wf_world_step_count(object), (int)stats.vertices, (int)stats.triangles, (int)stats.contacts,
                    speed);
}

static void destroy_world(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_world_destroy(object);
}

static const luaL_Reg world_methods[] = {
    {"add", world_add},       {"remove", world_remove}, {"step", world_step},
    {"energy", world_energy}, {"hash", world_hash},     {"momentum", world_momentum},
    {"spectrum", world_spectrum}, {"untangle", wf_lua_world_untangle}, {NULL, NULL},
};

static const wf_lua_property world_properties[] = {
    {"time_step", get_time_step, set_time_step},
    {"damping", get_damping, set_damping},
    {"gravity", get_gravity, set_gravity},
    {"floor", get_floor, set_floor},
    {"floor_friction", get_floor_friction, set_floor_friction},
    {"contact_stiffness", get_contact_stiffness, set_contact_stiffness},
    {"barrier_tolerance", get_barrier_tolerance, set_barrier_tolerance},
    {"tolerance", get_tolerance, set_tolerance},
    {"self_contact", get_self_contact, set_self_contact},
    {"integrator", get_integrator, set_integrator},
    {"contact", get_contact, set_contact},
    {"friction", get_friction, set_friction},
    {"time", get_time, NULL},
    {"steps", get_steps, NULL},
    {"stats", get_stats, NULL},
    {"wind", wf_lua_get_wind, NULL},
    {NULL, NULL, NULL},
};

const wf_lua_class wf_lua_world_class = {"weft.world", world_methods, world_properties, describe_world, destroy_world};

/* weft.world { time_step = 1/60, gravity = {0, -9.81, 0}, ... } */
static int world_new(lua_State *L)
{
    static const char name[] = "weft.world";
    static const char *const names[] = {"time_step",         "gravity",        "damping",      "floor",
                                        "floor_friction",    "self_contact",   "tolerance",    "max_iterations",
                                        "contact_stiffness", "friction_speed", "contact_skin", "integrator",
                                        "limit_sweeps",      "contact",        "friction",     "barrier_tolerance",
                                        NULL};
    wf_world_params params = wf_default_world_params();
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    wf_lua_option_number(&options, "time_step", &params.time_step, 1e-6, 1);
    wf_lua_option_vec3(&options, "gravity", &params.gravity);
    wf_lua_option_number(&options, "damping", &params.damping, 0, 1e4);
    wf_lua_option_number(&options, "floor_friction", &params.floor_friction, 0, 10);
    wf_lua_option_number(&options, "contact_stiffness", &params.contact_stiffness, 1, 1e12);
    wf_lua_option_number(&options, "friction_speed", &params.friction_speed, 1e-9, 1);
    wf_lua_option_number(&options, "barrier_tolerance", &params.barrier_tolerance, 1e-8, 1);
    wf_lua_option_number(&options, "contact_skin", &params.contact_skin, 1e-6, 1);
    wf_lua_option_number(&options, "tolerance", &params.tolerance, 1e-14, 0.5);
    wf_lua_option_boolean(&options, "self_contact", &params.self_contact);
    const char *contact = wf_lua_option_string(&options, "contact");
    params.contact = contact ? contact : params.contact;
    int64_t max_iterations = params.max_iterations;
    wf_lua_option_integer(&options, "max_iterations", &max_iterations, 1, 1000000);
    params.max_iterations = (int)max_iterations;
    int64_t limit_sweeps = params.limit_sweeps;
    wf_lua_option_integer(&options, "limit_sweeps", &limit_sweeps, 1, 1000000);
    params.limit_sweeps = (int)limit_sweeps;
    if (options.index != 0) {
        lua_pushliteral(L, "floor");
        lua_rawget(L, options.index);
        if (!lua_isnil(L, -1)) {
            read_floor(L, -1, "weft.world: floor", &params);
        }
        lua_pop(L, 1);
    }
    wf_tableau tableau;
    if (options.index != 0) {
        lua_pushliteral(L, "integrator");
        lua_rawget(L, options.index);
        if (!lua_isnil(L, -1)) {
            read_integrator(L, lua_gettop(L), "weft.world: integrator", &params, &tableau);
        }
    }
    void **slot = wf_lua_new_object(L, &wf_lua_world_class, 0);
    wf_world *world = NULL;
    wf_status status = wf_world_create(wf_lua_context(L), &params, &world);
    *slot = world;
    wf_lua_check_status(L, status, name);
    int result = lua_gettop(L);
    if (wf_lua_push_option(&options, "friction")) {
        set_friction(L, world, result + 1, "weft.world: friction");
    }
    lua_settop(L, result);
    return 1;
}

/* ---- sewing ---------------------------------------------------------------------------------------------------- */

static const wf_lua_class sewing_class;

/* sewing:advance(): one step; returns done, progress (0 to 1), widest gap (m), open stitches. */
static int sewing_advance(lua_State *L)
{
    wf_sewing *sewing = wf_lua_check_object(L, 1, &sewing_class, "weft.sewing.advance: self");
    wf_sewing_state state;
    wf_lua_check_status(L, wf_sewing_advance(sewing, &state), "weft.sewing");
    lua_pushboolean(L, state.done);
    lua_pushnumber(L, state.progress);
    lua_pushnumber(L, state.widest_gap);
    lua_pushinteger(L, state.open_stitches);
    return 4;
}

static void destroy_sewing(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_sewing_destroy(object);
}

static const luaL_Reg sewing_methods[] = {{"advance", sewing_advance}, {NULL, NULL}};
static const wf_lua_class sewing_class = {"weft.sewing", sewing_methods, NULL, NULL, destroy_sewing};

/* core.sewing(world, cloth, { duration =, ... }): what garment:sew and world:sew loop over. */
static int sewing_new(lua_State *L)
{
    static const char name[] = "weft.sewing";
    static const char *const names[] = {"duration",   "stiffness", "damping", "time_limit",
                                        "relax_time", "tolerance", NULL};
    wf_sewing_params params = wf_default_sewing_params();
    wf_lua_options options = wf_lua_open_options(L, 3, name, names);
    wf_lua_option_number(&options, "duration", &params.duration, WF_LUA_POSITIVE, 1000);
    wf_lua_option_number(&options, "stiffness", &params.stiffness, WF_LUA_POSITIVE, 1e9);
    wf_lua_option_number(&options, "damping", &params.damping, 0, 1e4);
    wf_lua_option_number(&options, "time_limit", &params.time_limit, WF_LUA_POSITIVE, 10000);
    wf_lua_option_number(&options, "relax_time", &params.relax_time, 0, 10000);
    wf_lua_option_number(&options, "tolerance", &params.tolerance, WF_LUA_POSITIVE, 1);
    void **slot = wf_lua_new_object(L, &sewing_class, 1);
    wf_world *world = wf_lua_check_object(L, 1, &wf_lua_world_class, "weft.sewing: world");
    wf_cloth *cloth = wf_lua_check_object(L, 2, &wf_lua_cloth_class, "weft.sewing: cloth");
    wf_sewing *sewing = NULL;
    wf_status status = wf_sewing_create(world, cloth, &params, &sewing);
    *slot = sewing;
    wf_lua_check_status(L, status, name);
    return 1;
}

void wf_lua_open_world(lua_State *L)
{
    static const luaL_Reg functions[] = {{"world", world_new}, {"sewing", sewing_new}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_world_class);
    wf_lua_register_class(L, &sewing_class);
    wf_lua_set_functions(L, functions);
}
