/* guard.c - what every C function that Lua can call is called by.
 *
 * It sets the default floating-point environment. Hosts change it: graphics drivers flush denormals, other libraries
 * set a rounding mode. Exact predicates and results that are the same bits everywhere need rounding to nearest, so it
 * is set before each call and restored afterwards, also after an error. In the usual case, nothing to change, this
 * costs one comparison.
 *
 * And it keeps the list of the functions at work, so that nothing is freed that one of them still uses, and has what
 * was closed in the meantime leave what holds it.
 */
#include <fenv.h>

#include "lua/object.h"

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { DEFAULT_CONTROL = 0x1f80, STICKY_FLAGS = 0x3f };

static bool environment_is_default(void)
{
    return (_mm_getcsr() & ~(unsigned)STICKY_FLAGS) == DEFAULT_CONTROL;
}
#else
static bool environment_is_default(void)
{
    return fegetround() == FE_TONEAREST;
}
#endif

/* Calls the running function once more, which then finds the default environment. */
static int call_in_default_environment(lua_State *L)
{
    lua_Debug running;
    fenv_t environment;
    luaL_checkstack(L, 2, "weft: no room for a call");
    lua_getstack(L, 0, &running);
    lua_getinfo(L, "f", &running);
    lua_insert(L, 1);
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    fesetenv(&environment);
    return status == 0 ? lua_gettop(L) : lua_error(L);
}

/* ---- the functions at work ------------------------------------------------------------------------------------- */

/* What a guard's first upvalue holds. */
typedef struct guarded {
    lua_CFunction function;
    wf_lua_running *running;
} guarded;

static bool is_guard(const wf_lua_running *running, lua_CFunction function)
{
    for (int i = 0; function && i < WF_LUA_GUARD_LIMIT; i++) {
        if (function == running->guards[i]) {
            return true;
        }
    }
    return false;
}

/* How many guards have called the running one, in its coroutine. */
static int count_guards(lua_State *L, const wf_lua_running *running)
{
    enum { LEVEL_LIMIT = 500 }; /* finding a level takes time in proportion to its depth */
    lua_Debug call;
    int count = 0;
    for (int level = 1; lua_getstack(L, level, &call); level++) {
        if (level == LEVEL_LIMIT) {
            return WF_LUA_RUNNING_LIMIT;
        }
        lua_getinfo(L, "f", &call);
        count += is_guard(running, lua_tocfunction(L, -1));
        lua_pop(L, 1);
    }
    return count;
}

/* An error leaves a function without a word. Those listed for this coroutine beyond the guards on its stack were left
 * so; and while the main coroutine runs, no other one does, unless a host calls it from a callback. Of other coroutines
 * nothing is known: they may be gone. */
static void drop_left_functions(lua_State *L, wf_lua_running *running)
{
    bool only = running->callbacks == 0 && wf_lua_is_main(L);
    int mine = 0;
    for (int i = 0; i < running->count; i++) {
        mine += running->coroutines[i] == L;
    }
    if (mine == 0 && !only) {
        return;
    }
    int keep = mine > 0 ? count_guards(L, running) : 0, kept = 0;
    for (int i = 0; i < running->count; i++) {
        lua_State *coroutine = running->coroutines[i];
        if (coroutine == L ? keep-- > 0 : !only) {
            running->coroutines[kept++] = coroutine;
        }
    }
    running->count = kept;
}

/* Upvalues: a `guarded`, and what is the function's own. */
static int guard(lua_State *L)
{
    if (!environment_is_default()) {
        return call_in_default_environment(L);
    }
    const guarded *self = lua_touserdata(L, lua_upvalueindex(1));
    wf_lua_running *running = self->running;
    if (running->count > 0) {
        drop_left_functions(L, running);
    }
    int outer = running->count;
    if (outer == 0 && running->closing > 0) { /* an error has left the function that it waited for */
        wf_lua_finish_closing(L);
    }
    if (outer < WF_LUA_RUNNING_LIMIT) {
        running->coroutines[running->count++] = L;
    }
    int result_count = self->function(L);
    running->count = outer;
    if (outer == 0 && running->closing > 0) {
        wf_lua_finish_closing(L);
    }
    return result_count;
}

void wf_lua_add_guard(wf_lua_running *running)
{
    for (int i = 0; i < WF_LUA_GUARD_LIMIT; i++) {
        if (!running->guards[i] || running->guards[i] == guard) {
            running->guards[i] = guard;
            return;
        }
    }
}

void wf_lua_push_function(lua_State *L, lua_CFunction function, int upvalue_count)
{
    guarded *self = lua_newuserdata(L, sizeof *self);
    *self = (guarded){function, wf_lua_get_running(L)};
    lua_insert(L, -1 - upvalue_count);
    lua_pushcclosure(L, guard, 1 + upvalue_count);
}

void wf_lua_set_functions(lua_State *L, const luaL_Reg *functions)
{
    luaL_checkstack(L, 3, "weft: no room for functions");
    for (; functions->name; functions++) {
        wf_lua_push_function(L, functions->func, 0);
        lua_setfield(L, -2, functions->name);
    }
}
