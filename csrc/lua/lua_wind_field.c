/* lua_wind_field.c - see lua_wind_field.h.
 *
 * The C side asks in the middle of a step, in which nothing may raise. So what it calls is made beforehand, a closure
 * with the function and its two buffers, and runs in protected mode, in the coroutine that called into weft. The
 * closure is found by the address of its `script` in a table of the registry that does not keep it alive: that is what
 * the handle of the source does.
 */
#include "lua/lua_wind_field.h"

#include <string.h>

#include "base/context.h"
#include "lua/buffer.h"

typedef struct script {
    wf_context *context;
    wf_lua_running *running;
    bool busy;
    /* What is asked now. */
    double time;
    size_t count;
    const wf_vec3 *points;
    wf_vec3 *velocities;
} script;

static const char CALLERS_KEY[] = "weft.wind.callers";

/* Reads what the function returned, at `index`, in place of what it wrote to its buffer. */
static const wf_vec3 *read_answer(lua_State *L, int index, size_t count)
{
    static const char function[] = "weft.wind.field: sample";
    static const char *const names[] = {"velocities", NULL};
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, names[0]);
    wf_lua_options options = wf_lua_open_options(L, lua_gettop(L), function, names);
    const double *values;
    size_t given = wf_lua_option_vectors(&options, names[0], 3, &values);
    if (given != count) {
        wf_lua_fail(L, "%s must return nothing or %d velocities, got %d", function, (int)count, (int)given);
    }
    return (const wf_vec3 *)values;
}

/* Asks a function for each point by itself. */
static void call_for_each(lua_State *L, const script *s)
{
    static const char what[] = "weft.wind.field: what each returns";
    for (size_t i = 0; i < s->count; i++) {
        wf_vec3 p = s->points[i];
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushnumber(L, p.x);
        lua_pushnumber(L, p.y);
        lua_pushnumber(L, p.z);
        lua_pushnumber(L, s->time);
        lua_call(L, 4, 3);
        s->velocities[i] = (wf_vec3){wf_lua_check_number(L, 1, what, WF_LUA_LOWEST, WF_LUA_HIGHEST),
                                     wf_lua_check_number(L, 2, what, WF_LUA_LOWEST, WF_LUA_HIGHEST),
                                     wf_lua_check_number(L, 3, what, WF_LUA_LOWEST, WF_LUA_HIGHEST)};
        lua_settop(L, 0);
    }
}

/* Runs in protected mode. Upvalues: a userdata with the script's address, the function, the buffers of points and
 * velocities, or nil where it is asked for each point by itself. */
static int call_function(lua_State *L)
{
    const script *s = *(script **)lua_touserdata(L, lua_upvalueindex(1));
    size_t bytes = s->count * sizeof(wf_vec3);
    luaL_checkstack(L, 16, "weft.wind.field: no room for a call");
    lua_settop(L, 0);
    if (lua_isnil(L, lua_upvalueindex(3))) {
        call_for_each(L, s);
        return 0;
    }
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_pushnumber(L, s->time);
    lua_pushvalue(L, lua_upvalueindex(4));
    const wf_lua_view *points = wf_lua_check_buffer(L, 2, "weft.wind.field: points", WF_LUA_DOUBLE, 3);
    const wf_lua_view *velocities = wf_lua_check_buffer(L, 4, "weft.wind.field: velocities", WF_LUA_DOUBLE, 3);
    memcpy((void *)points->data, s->points, bytes);
    memset((void *)velocities->data, 0, bytes);
    lua_call(L, 3, 1);
    if (!lua_isnil(L, 1)) {
        memcpy(s->velocities, read_answer(L, 1, s->count), bytes);
        return 0;
    }
    lua_pushvalue(L, lua_upvalueindex(4));
    velocities = wf_lua_check_buffer(L, 2, "weft.wind.field: velocities", WF_LUA_DOUBLE, 3);
    memcpy(s->velocities, velocities->data, bytes);
    return 0;
}

/* A wf_wind_field_function. Nothing here allocates in Lua before the protected call. */
static wf_status ask_script(void *user, double time, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    script *s = user;
    const wf_lua_running *running = s->running;
    if (s->busy) {
        return wf_fail(s->context, WF_ERROR_STATE, "a field's function must not ask for its own field");
    }
    if (running->count < 1 || running->count >= WF_LUA_RUNNING_LIMIT) {
        return wf_fail(s->context, WF_ERROR_STATE, "a field's function cannot be asked: too many calls are nested");
    }
    lua_State *L = running->coroutines[running->count - 1];
    if (!lua_checkstack(L, 8)) {
        return wf_fail(s->context, WF_ERROR_MEMORY, "no room to call a field's function");
    }
    int top = lua_gettop(L);
    lua_pushlightuserdata(L, (void *)CALLERS_KEY);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, s);
    lua_rawget(L, -2);
    if (!lua_isfunction(L, -1)) {
        lua_settop(L, top);
        return wf_fail(s->context, WF_ERROR_STATE, "a field's function is gone with its source");
    }
    s->time = time;
    s->count = count;
    s->points = points;
    s->velocities = velocities;
    s->busy = true;
    bool good = wf_lua_call_back(L, 0, 0);
    s->busy = false;
    wf_status status = good ? WF_OK : wf_fail(s->context, WF_ERROR_STATE, "a field's function failed: %s",
                                              lua_tostring(L, -1));
    lua_settop(L, top);
    return status;
}

static void destroy_script(wf_context *context, void *user)
{
    wf_free(context, user);
}

/* Pushes the table of closures by their scripts. */
static void push_callers(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)CALLERS_KEY);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        wf_lua_push_weak_table(L, "v");
        lua_pushlightuserdata(L, (void *)CALLERS_KEY);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }
}

int wf_lua_push_field_function(lua_State *L, int index, size_t count, bool each)
{
    script **box = lua_newuserdata(L, sizeof *box);
    *box = NULL;
    lua_pushvalue(L, index);
    for (int i = 0; i < 2; i++) {
        if (each) {
            lua_pushnil(L);
        } else {
            wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
        }
    }
    lua_pushcclosure(L, call_function, 4);
    return lua_gettop(L);
}

wf_status wf_lua_create_field(lua_State *L, int caller, wf_wind_field *field, wf_wind_source **source)
{
    wf_context *context = wf_lua_context(L);
    wf_lua_running *running = wf_lua_get_running(L);
    lua_getupvalue(L, caller, 1);
    script **box = lua_touserdata(L, -1), *s = wf_allocate(context, 1, sizeof *s);
    lua_pop(L, 1);
    if (!s) {
        return WF_ERROR_MEMORY;
    }
    *s = (script){.context = context, .running = running};
    field->function = ask_script;
    field->user = s;
    field->destroy = destroy_script;
    wf_status status = wf_wind_source_create(context, &wf_wind_field_class, field, source);
    if (status != WF_OK) {
        wf_free(context, s);
        return status;
    }
    *box = s;
    return WF_OK;
}

void wf_lua_keep_field_function(lua_State *L, int handle, int caller)
{
    lua_getupvalue(L, caller, 1);
    script *s = *(script **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    wf_lua_push_own_table(L, handle);
    lua_pushvalue(L, caller);
    lua_setfield(L, -2, "function");
    push_callers(L);
    lua_pushlightuserdata(L, s);
    lua_pushvalue(L, caller);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}
