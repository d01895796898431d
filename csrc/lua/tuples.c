/* tuples.c - see tuples.h. */
#include "lua/tuples.h"

#include <stdio.h>
#include <string.h>

#include "lua/buffer.h"
#include "lua/error.h"

enum { TEXT_SIZE = 256 };

/* Pushes the option's value; false, and nothing of use pushed but nil, when it is absent. */
static bool push_value(const wf_lua_options *options, const char *name, char what[TEXT_SIZE])
{
    lua_State *L = options->L;
    luaL_checkstack(L, 8, "weft: no room for an option");
    snprintf(what, TEXT_SIZE, "%s: %s", options->function, name);
    if (options->index == 0) {
        lua_pushnil(L);
        return false;
    }
    lua_pushstring(L, name);
    lua_rawget(L, options->index);
    return !lua_isnil(L, -1);
}

/* The table on top of the stack must be a list of lists; pushes element i, of `components` values. */
static void push_element(lua_State *L, const char *what, size_t i, int components)
{
    lua_rawgeti(L, -1, (int)i + 1);
    if (!lua_istable(L, -1) || wf_lua_raw_length(L, -1) != (size_t)components) {
        char element[TEXT_SIZE], expected[64];
        snprintf(element, sizeof element, "%.200s[%zu]", what, i + 1);
        snprintf(expected, sizeof expected, "a list of %d numbers", components);
        wf_lua_fail_value(L, -1, element, expected);
    }
}

static size_t check_list(lua_State *L, const char *what)
{
    if (!lua_istable(L, -1)) {
        wf_lua_fail_value(L, -1, what, "a list of lists of numbers or a weft.buffer");
    }
    return wf_lua_raw_length(L, -1);
}

size_t wf_lua_option_tuples(const wf_lua_options *options, const char *name, int components, const double **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], element[TEXT_SIZE];
    *values = NULL;
    if (!push_value(options, name, what)) {
        return 0;
    }
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const wf_lua_view *view = wf_lua_check_buffer(L, -1, what, WF_LUA_DOUBLE, components);
        size_t count = view->count, size = count * (size_t)components * sizeof(double);
        double *copy = lua_newuserdata(L, size + sizeof(double));
        memcpy(copy, wf_lua_check_buffer(L, -2, what, WF_LUA_DOUBLE, components)->data, size);
        lua_remove(L, -2);
        *values = copy;
        return count;
    }
    size_t count = check_list(L, what);
    double *list = lua_newuserdata(L, (count * (size_t)components + 1) * sizeof *list);
    lua_insert(L, -2);
    for (size_t i = 0; i < count; i++) {
        push_element(L, what, i, components);
        for (int k = 0; k < components; k++) {
            lua_rawgeti(L, -1, k + 1);
            snprintf(element, sizeof element, "%.200s[%zu][%d]", what, i + 1, k + 1);
            list[i * (size_t)components + (size_t)k] =
                wf_lua_check_number(L, -1, element, WF_LUA_LOWEST, WF_LUA_HIGHEST);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    *values = list;
    return count;
}

size_t wf_lua_option_index_tuples(const wf_lua_options *options, const char *name, int components, size_t count,
                                  const int32_t **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], element[TEXT_SIZE];
    *values = NULL;
    if (!push_value(options, name, what)) {
        return 0;
    }
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        size_t listed = wf_lua_check_buffer(L, -1, what, WF_LUA_INDEX, components)->count;
        size_t size = listed * (size_t)components * sizeof(int32_t);
        int32_t *copy = lua_newuserdata(L, size + sizeof(int32_t));
        memcpy(copy, wf_lua_check_buffer(L, -2, what, WF_LUA_INDEX, components)->data, size);
        lua_remove(L, -2);
        for (size_t i = 0; i < listed * (size_t)components; i++) {
            if (copy[i] < 0 || (size_t)copy[i] >= count) {
                wf_lua_fail(L, "%s must be indices from 1 to %d, got %d", what, (int)count, (int)copy[i] + 1);
            }
        }
        *values = copy;
        return listed;
    }
    size_t listed = check_list(L, what);
    int32_t *list = lua_newuserdata(L, (listed * (size_t)components + 1) * sizeof *list);
    lua_insert(L, -2);
    for (size_t i = 0; i < listed; i++) {
        push_element(L, what, i, components);
        for (int k = 0; k < components; k++) {
            lua_rawgeti(L, -1, k + 1);
            snprintf(element, sizeof element, "%.200s[%zu][%d]", what, i + 1, k + 1);
            list[i * (size_t)components + (size_t)k] = (int32_t)wf_lua_check_index(L, -1, element, count);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    *values = list;
    return listed;
}
