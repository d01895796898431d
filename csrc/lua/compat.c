/* compat.c - see compat.h. */
#include "lua/compat.h"

int wf_lua_absolute(lua_State *L, int index)
{
    return index > 0 || index <= LUA_REGISTRYINDEX ? index : lua_gettop(L) + index + 1;
}

size_t wf_lua_raw_length(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 502
    return (size_t)lua_rawlen(L, index);
#else
    return lua_objlen(L, index);
#endif
}

void wf_lua_set_own_table(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 504
    lua_setiuservalue(L, index, 1);
#elif LUA_VERSION_NUM >= 502
    lua_setuservalue(L, index);
#else
    lua_setfenv(L, index);
#endif
}

void wf_lua_get_own_table(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 504
    lua_getiuservalue(L, index, 1);
#elif LUA_VERSION_NUM >= 502
    lua_getuservalue(L, index);
#else
    lua_getfenv(L, index);
#endif
}

bool wf_lua_is_main(lua_State *L)
{
    bool main = lua_pushthread(L);
    lua_pop(L, 1);
    return main;
}

void wf_lua_press_collector(lua_State *L, size_t bytes)
{
    /* LUA_GCISRUNNING. PUC Lua 5.1 answers -1; LuaJIT, built against the same headers, knows it. */
    enum { IS_RUNNING = 9, STEP_LIMIT = 1 << 20, BYTES_PER_CRUMB = 1 << 16, CRUMB = 1 << 10, CRUMB_LIMIT = 256 };
    size_t kilobytes = bytes / 1024;
    int running = lua_gc(L, IS_RUNNING, 0);
    if (running > 0) {
        lua_gc(L, LUA_GCSTEP, (int)(kilobytes < STEP_LIMIT ? kilobytes : STEP_LIMIT));
    } else if (running < 0) {
        /* LUA_GCSTEP would restart a collector that the host has stopped, and 5.1 cannot say whether it has. A little
         * garbage makes a running collector step and leaves a stopped one alone. */
        size_t crumbs = bytes / BYTES_PER_CRUMB;
        for (size_t i = 0; i < crumbs && i < CRUMB_LIMIT; i++) {
            lua_newuserdata(L, CRUMB);
            lua_pop(L, 1);
        }
    }
}
