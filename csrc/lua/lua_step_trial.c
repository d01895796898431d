/* lua_step_trial.c - what weft.step.recommend loops over: trials of a world with other schemes and steps. */
#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_step.h"
#include "lua/lua_world.h"
#include "world/trial.h"

static const char verb[] = "weft.step.recommend";

static void destroy_trial(wf_context *context, void *object, void *parent)
{
    (void)context, (void)parent;
    wf_trial_destroy(object);
}

static const wf_lua_class trial_class;

static wf_trial *check_trial(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &trial_class, what);
}

/* core.step_trial(world): remembers its state; its handle's parent is the world */
static int step_trial(lua_State *L)
{
    wf_world *world = wf_lua_check_object(L, 1, &wf_lua_world_class, "weft.step.recommend: world");
    void **slot = wf_lua_new_object(L, &trial_class, 1);
    wf_trial *trial = NULL;
    wf_status status = wf_trial_create(world, &trial);
    *slot = trial;
    wf_lua_check_status(L, status, verb);
    return 1;
}

/* trial:begin(scheme, time_step, tolerance): the remembered state again. The scheme is a name or a table of options,
 * the tolerance of the linear solves the world's unless given. */
static int trial_begin(lua_State *L)
{
    wf_trial *trial = check_trial(L, "weft.trial.begin: self");
    wf_integrator_params params = wf_default_integrator_params();
    wf_tableau tableau;
    lua_settop(L, 4);
    double tolerance = lua_isnil(L, 4) ? 0 : wf_lua_check_number(L, 4, "weft.trial.begin: tolerance", 1e-14, 0.5);
    double time_step = wf_lua_check_number(L, 3, "weft.step.recommend: time_step", WF_LUA_POSITIVE, 1);
    const char *scheme = lua_istable(L, 2) ? wf_lua_read_integrator(L, 2, "weft.step.recommend: schemes", &params,
                                                                    &tableau)
                                           : wf_lua_check_string(L, 2, "weft.step.recommend: schemes");
    wf_lua_check_status(L, wf_trial_begin(trial, scheme, &params, time_step, tolerance), verb);
    return 0;
}

/* trial:advance(steps): for so many steps or 50 ms; returns how many it made and the seconds that they took, or nil and
 * why the scheme failed. */
static int trial_advance(lua_State *L)
{
    wf_trial *trial = check_trial(L, "weft.trial.advance: self");
    int64_t steps = wf_lua_check_integer(L, 2, "weft.trial.advance: steps", 1, INT32_MAX), made;
    double spent;
    wf_context *context = wf_lua_context(L);
    wf_status status = wf_trial_advance(trial, steps, 0.05, &made, &spent);
    if (status == WF_ERROR_NUMERIC || status == WF_ERROR_ARGUMENT) { /* it blew up, or cannot do this scene */
        lua_pushnil(L);
        lua_pushstring(L, wf_context_message(context));
        wf_lua_deliver_warnings(L);
        return 2;
    }
    wf_lua_check_status(L, status, verb);
    lua_pushinteger(L, (lua_Integer)made);
    lua_pushnumber(L, spent);
    return 2;
}

/* trial:positions(): a copy */
static int trial_positions(lua_State *L)
{
    wf_trial *trial = check_trial(L, "weft.trial.positions: self");
    size_t count = (size_t)wf_trial_vertex_count(trial);
    memcpy(wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3), wf_trial_positions(trial), count * sizeof(wf_vec3));
    return 1;
}

/* core.step_distance(measure, positions, positions): how far two states of one scene are apart, m */
static int step_distance(lua_State *L)
{
    static const char *const measures[] = {"gross", "vertices", NULL};
    int measure = wf_lua_check_choice(L, 1, "weft.step.recommend: measure", measures);
    const wf_lua_view *one = wf_lua_check_buffer(L, 2, "weft.step: positions", WF_LUA_DOUBLE, 3);
    const wf_lua_view *other = wf_lua_check_buffer(L, 3, "weft.step: positions", WF_LUA_DOUBLE, 3);
    if (one->count != other->count || one->count == 0) {
        wf_lua_fail(L, "weft.step: positions of %d and %d vertices cannot be compared", (int)one->count,
                    (int)other->count);
    }
    lua_pushnumber(L, measure == 0 ? wf_gross_distance(one->count, one->data, other->data)
                                   : wf_vertex_distance(one->count, one->data, other->data));
    return 1;
}

static const luaL_Reg trial_methods[] = {{"begin", trial_begin},
                                         {"advance", trial_advance},
                                         {"positions", trial_positions},
                                         {NULL, NULL}};
static const wf_lua_class trial_class = {"weft.trial", trial_methods, NULL, NULL, destroy_trial};

void wf_lua_open_step_trial(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_trial", step_trial}, {"step_distance", step_distance}, {NULL, NULL}};
    wf_lua_register_class(L, &trial_class);
    wf_lua_set_functions(L, functions);
}
