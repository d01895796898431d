/* lua_laminate.c - weft.fabric.fused and weft.fabric.loose: several layers as one fabric. */
#include "fabric/laminate.h"
#include "lua/lua_fabric.h"

enum { MOST_LAYERS = 16 };

/* core.fabric_laminate(verb, list of fabrics, fused) */
static int fabric_laminate(lua_State *L)
{
    static const char *const verbs[] = {"weft.fabric.fused", "weft.fabric.loose", NULL};
    const char *verb = verbs[wf_lua_check_choice(L, 1, "weft.fabric.fused: verb", verbs)];
    lua_pushfstring(L, "%s: layers", verb);
    const char *what = lua_tostring(L, -1);
    if (!lua_istable(L, 2) || wf_lua_raw_length(L, 2) < 1 || wf_lua_raw_length(L, 2) > MOST_LAYERS) {
        return wf_lua_fail_value(L, 2, what, "a list of 1 to 16 fabrics, the outer one first");
    }
    bool fused = wf_lua_check_boolean(L, 3, "weft.core.fabric_laminate: fused");
    int32_t count = (int32_t)wf_lua_raw_length(L, 2);
    wf_fabric layers[MOST_LAYERS], laminate;
    for (int32_t k = 0; k < count; k++) {
        lua_rawgeti(L, 2, k + 1);
        layers[k] = *(const wf_fabric *)wf_lua_check_object(L, -1, &wf_lua_fabric_class, what);
        lua_pop(L, 1);
    }
    wf_lua_check_status(L, wf_fabric_laminate(wf_lua_context(L), count, layers,
                                              fused ? WF_LAMINATE_FUSED : WF_LAMINATE_LOOSE, &laminate), verb);
    return wf_lua_push_fabric(L, &laminate);
}

void wf_lua_open_laminate(lua_State *L);

void wf_lua_open_laminate(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fabric_laminate", fabric_laminate}, {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
