#include "lua/lua_cloth_models.h"

#include <string.h>

#include "base/nearest_name.h"
#include "lua/error.h"
#include "lua/object.h"

enum { MOST_FABRICS = 64 };

static bool is_uniform(const wf_cloth *cloth, wf_model_kind kind)
{
    for (int32_t k = 1; k < cloth->fabric_count; k++) {
        if (wf_cloth_model(cloth, k, kind) != wf_cloth_model(cloth, 0, kind)) {
            return false;
        }
    }
    return true;
}

void wf_lua_push_cloth_model(lua_State *L, const wf_cloth *cloth, wf_model_kind kind)
{
    if (is_uniform(cloth, kind)) {
        lua_pushstring(L, wf_cloth_model(cloth, 0, kind)->name);
        return;
    }
    lua_createtable(L, cloth->fabric_count, 0);
    for (int32_t k = 0; k < cloth->fabric_count; k++) {
        lua_pushstring(L, wf_cloth_model(cloth, k, kind)->name);
        lua_rawseti(L, -2, k + 1);
    }
}

void wf_lua_push_cloth_models_text(lua_State *L, const wf_cloth *cloth)
{
    lua_pushliteral(L, "");
    for (int kind = 0; kind < WF_MODEL_KINDS; kind++) {
        const wf_model_entry *entry = wf_cloth_model(cloth, 0, (wf_model_kind)kind);
        const char *name = is_uniform(cloth, (wf_model_kind)kind) ? entry->name : "of several kinds";
        if (!is_uniform(cloth, (wf_model_kind)kind) || entry != wf_model_default((wf_model_kind)kind)) {
            lua_pushfstring(L, "%s; %s %s", lua_tostring(L, -1), wf_model_kind_name((wf_model_kind)kind), name);
            lua_remove(L, -2);
        }
    }
}

/* The entry that the string at `index` names. */
static const wf_model_entry *check_entry(lua_State *L, wf_model_kind kind, int index, const char *what)
{
    const wf_model_entry *entry;
    const char *name = wf_lua_check_string(L, index, what);
    wf_lua_check_status(L, wf_model_find(wf_lua_context(L), kind, name, &entry), what);
    return entry;
}

/* Whether a key of the table means fabric k, by its number or its name. */
static bool means_fabric(lua_State *L, int index, const wf_cloth *cloth, int32_t k)
{
    if (lua_type(L, index) == LUA_TNUMBER) {
        return lua_tonumber(L, index) == k + 1;
    }
    return lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), cloth->fabrics[k].name) == 0;
}

static void fail_unknown_fabric(lua_State *L, int index, const wf_cloth *cloth, const char *what)
{
    const char *names[MOST_FABRICS + 2] = {"default"};
    int32_t count = cloth->fabric_count < MOST_FABRICS ? cloth->fabric_count : MOST_FABRICS;
    for (int32_t k = 0; k < count; k++) {
        names[k + 1] = cloth->fabrics[k].name;
    }
    names[count + 1] = NULL;
    const char *near = lua_type(L, index) == LUA_TSTRING ? wf_nearest_name(lua_tostring(L, index), names) : NULL;
    wf_lua_push_value_text(L, index);
    wf_lua_fail(L, "%s: the cloth has no fabric %s%s%s%s", what, lua_tostring(L, -1), near ? "; did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
}

/* Fills `chosen` [fabric_count], NULL where the table names nothing. */
static void read_table(lua_State *L, const wf_cloth *cloth, wf_model_kind kind, int index, const char *what,
                       const wf_model_entry **chosen)
{
    const wf_model_entry *rest = NULL;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const wf_model_entry *entry = check_entry(L, kind, lua_gettop(L), what);
        int key = lua_gettop(L) - 1;
        bool known = lua_type(L, key) == LUA_TSTRING && strcmp(lua_tostring(L, key), "default") == 0;
        rest = known ? entry : rest;
        for (int32_t k = 0; k < cloth->fabric_count; k++) {
            if (means_fabric(L, key, cloth, k)) {
                chosen[k] = entry;
                known = true;
            }
        }
        if (!known) {
            fail_unknown_fabric(L, key, cloth, what);
        }
        lua_pop(L, 1);
    }
    for (int32_t k = 0; k < cloth->fabric_count; k++) {
        chosen[k] = chosen[k] ? chosen[k] : rest;
    }
}

void wf_lua_set_cloth_model(lua_State *L, wf_cloth *cloth, wf_model_kind kind, int index, const char *what)
{
    if (lua_type(L, index) == LUA_TSTRING) {
        wf_lua_check_status(L, wf_cloth_set_model(cloth, -1, check_entry(L, kind, index, what)), what);
        return;
    }
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "the name of a model, or a table of names by fabric");
    }
    const wf_model_entry *chosen[MOST_FABRICS], *before[MOST_FABRICS];
    if (cloth->fabric_count > MOST_FABRICS) {
        wf_lua_fail(L, "%s: tables are for at most %d fabrics, the cloth has %d", what, MOST_FABRICS,
                    (int)cloth->fabric_count);
    }
    for (int32_t k = 0; k < cloth->fabric_count; k++) {
        chosen[k] = NULL;
        before[k] = cloth->chosen[k][kind];
    }
    read_table(L, cloth, kind, index, what, chosen);
    wf_status status = WF_OK;
    for (int32_t k = 0; status == WF_OK && k < cloth->fabric_count; k++) {
        status = chosen[k] ? wf_cloth_set_model(cloth, k, chosen[k]) : WF_OK;
    }
    for (int32_t k = 0; status != WF_OK && k < cloth->fabric_count; k++) {
        cloth->chosen[k][kind] = before[k];
    }
    wf_lua_check_status(L, status, what);
}

void wf_lua_option_cloth_models(const wf_lua_options *options, wf_cloth *cloth)
{
    lua_State *L = options->L;
    for (int kind = 0; kind < WF_MODEL_KINDS; kind++) {
        const char *name = wf_model_kind_name((wf_model_kind)kind);
        if (wf_lua_push_option(options, name)) {
            const char *what = lua_pushfstring(L, "%s: %s", options->function, name);
            wf_lua_set_cloth_model(L, cloth, (wf_model_kind)kind, lua_gettop(L) - 1, what);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}
