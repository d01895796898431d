/* error.c - see error.h. */
#include "lua/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lua/object.h"

int wf_lua_fail(lua_State *L, const char *format, ...)
{
    va_list arguments;
    luaL_where(L, 1);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

void wf_lua_check_status(lua_State *L, wf_status status, const char *function)
{
    if (status != WF_OK) {
        /* Taken before the warnings are delivered: their handler may call weft and fail in its turn. */
        lua_pushstring(L, wf_context_message(wf_lua_context(L)));
    }
    wf_lua_deliver_warnings(L);
    if (status != WF_OK) {
        wf_lua_fail(L, "%s: %s", function, lua_tostring(L, -1));
    }
}

int wf_lua_fail_value(lua_State *L, int index, const char *what, const char *expected)
{
    wf_lua_push_value_text(L, index);
    return wf_lua_fail(L, "%s must be %s, got %s", what, expected, lua_tostring(L, -1));
}

static void push_number_text(lua_State *L, double value)
{
    char text[40];
    if (isnan(value)) { /* without the sign that printf may add */
        lua_pushliteral(L, "nan");
        return;
    }
    snprintf(text, sizeof text, "%.14g", value);
    lua_pushstring(L, text);
}

static void push_string_text(lua_State *L, int index)
{
    enum { SHOWN = 40 };
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    if (length > SHOWN) {
        lua_pushlstring(L, text, SHOWN);
        lua_pushfstring(L, "\"%s...\" (%d bytes)", lua_tostring(L, -1),
                        (int)(length < 2000000000 ? length : 2000000000));
        lua_remove(L, -2);
    } else {
        lua_pushfstring(L, "\"%s\"", text);
    }
}

/* One level deep: what lies in a table inside the table is shown as "table". */
static void push_table_text(lua_State *L, int index)
{
    enum { SHOWN = 6 };
    size_t length = wf_lua_raw_length(L, index);
    if (length == 0) {
        lua_pushnil(L);
        if (lua_next(L, index)) {
            lua_pop(L, 2);
            lua_pushliteral(L, "a table with named fields");
        } else {
            lua_pushliteral(L, "{}");
        }
        return;
    }
    int pieces = 1;
    lua_pushliteral(L, "{");
    for (size_t i = 1; i <= length && i <= SHOWN; i++, pieces += 2) {
        lua_rawgeti(L, index, (int)i);
        if (lua_istable(L, -1)) {
            lua_pushliteral(L, "table");
        } else {
            wf_lua_push_value_text(L, -1);
        }
        lua_remove(L, -2);
        lua_pushstring(L, i < length ? ", " : "");
    }
    if (length > SHOWN) {
        lua_pushliteral(L, "... ");
        lua_pushfstring(L, "(%d elements)", (int)(length < 2000000000 ? length : 2000000000));
        pieces += 2;
    }
    lua_pushliteral(L, "}");
    lua_concat(L, pieces + 1);
}

void wf_lua_push_value_text(lua_State *L, int index)
{
    luaL_checkstack(L, 24, "weft: no room for an error message");
    index = wf_lua_absolute(L, index);
    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: lua_pushliteral(L, "nothing"); break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TNUMBER: push_number_text(L, lua_tonumber(L, index)); break;
    case LUA_TSTRING: push_string_text(L, index); break;
    case LUA_TTABLE: push_table_text(L, index); break;
    case LUA_TUSERDATA: wf_lua_push_object_kind(L, index); break;
    default: lua_pushfstring(L, "a %s", luaL_typename(L, index)); break;
    }
}
