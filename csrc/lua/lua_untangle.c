/* lua_untangle.c - world:untangle. */
#include "lua/buffer.h"
#include "lua/lua_cloth.h"
#include "lua/lua_world.h"

/* Pushes memory with the cloths of the option `order`, and returns it; NULL without the option. */
static const wf_cloth **read_order(const wf_lua_options *options, size_t *count)
{
    lua_State *L = options->L;
    *count = 0;
    if (!wf_lua_option_typed(options, "order", LUA_TTABLE)) {
        return NULL;
    }
    int list = lua_gettop(L);
    *count = wf_lua_raw_length(L, list);
    const wf_cloth **order = lua_newuserdata(L, (*count + 1) * sizeof *order);
    for (size_t k = 0; k < *count; k++) {
        lua_rawgeti(L, list, (int)k + 1);
        order[k] = wf_lua_check_object(L, -1, &wf_lua_cloth_class, "weft.world.untangle: order");
        lua_pop(L, 1);
    }
    return order;
}

int wf_lua_world_untangle(lua_State *L)
{
    static const char *const names[] = {"order", "rounds", NULL};
    static const char name[] = "weft.world.untangle";
    lua_settop(L, 2);
    wf_world *world = wf_lua_check_object(L, 1, &wf_lua_world_class, "weft.world.untangle: self");
    wf_lua_options options = wf_lua_open_options(L, 2, name, names);
    int64_t rounds = 300;
    wf_lua_option_integer(&options, "rounds", &rounds, 1, 10000);
    size_t order_count;
    const wf_cloth **order = read_order(&options, &order_count);
    lua_newtable(L);
    wf_vec3 *places = (wf_vec3 *)wf_lua_push_buffer(L, WF_LUA_DOUBLE, WF_MOST_PLACES, 3);
    wf_lua_view *view = wf_lua_check_object(L, -1, &wf_lua_buffer_class, name);
    wf_untangle_report report;
    int32_t place_count;
    world = wf_lua_check_object(L, 1, &wf_lua_world_class, "weft.world.untangle: self");
    wf_status status = wf_world_untangle(world, order, order_count, (int)rounds, places, &place_count, &report);
    view->count = status == WF_OK ? (size_t)place_count : 0;
    wf_lua_check_status(L, status, name);
    lua_setfield(L, -2, "places");
    wf_lua_set_integer(L, "crossings_before", report.crossings_before);
    wf_lua_set_integer(L, "crossings", report.crossings);
    wf_lua_set_integer(L, "inside_before", report.inside_before);
    wf_lua_set_integer(L, "inside", report.inside);
    wf_lua_set_integer(L, "misplaced_before", report.misplaced_before);
    wf_lua_set_integer(L, "misplaced", report.misplaced);
    wf_lua_set_integer(L, "rounds", report.rounds);
    wf_lua_set_integer(L, "moved", report.moved_vertices);
    wf_lua_set_number(L, "largest_move", report.largest_move);
    return 1;
}
