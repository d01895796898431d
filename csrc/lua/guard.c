/* guard.c - every C function that Lua can call runs in the default floating-point environment.
 *
 * Hosts change it: graphics drivers flush denormals, other libraries set a rounding mode. Exact predicates and results
 * that are the same bits everywhere need rounding to nearest, so it is set before each call and restored afterwards,
 * also after an error. In the usual case, nothing to change, this costs one comparison.
 */
#include <fenv.h>
#include <string.h>

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

/* Upvalues: the function's address, and what is the function's own. */
int wf_lua_guard(lua_State *L)
{
    if (!environment_is_default()) {
        return call_in_default_environment(L);
    }
    void *address = lua_touserdata(L, lua_upvalueindex(1));
    lua_CFunction function;
    memcpy(&function, &address, sizeof function);
    return function(L);
}

void wf_lua_push_function(lua_State *L, lua_CFunction function, int upvalue_count)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    lua_pushlightuserdata(L, address);
    lua_insert(L, -1 - upvalue_count);
    lua_pushcclosure(L, wf_lua_guard, 1 + upvalue_count);
}

void wf_lua_set_functions(lua_State *L, const luaL_Reg *functions)
{
    luaL_checkstack(L, 3, "weft: no room for functions");
    for (; functions->name; functions++) {
        wf_lua_push_function(L, functions->func, 0);
        lua_setfield(L, -2, functions->name);
    }
}
