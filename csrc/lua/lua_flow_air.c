/* lua_flow_air.c - world.wind.flow and world.wind.flow_stats. */
#include "lua/lua_flow.h"
#include "lua/lua_wind.h"
#include "lua/object.h"
#include "lua/options.h"
#include "world/air.h"

static const char *const names[] = {"cell",      "cells",       "lower",    "upper",  "margin", "boundary",
                                    "viscosity", "confinement", "coupling", "sweeps", "leak",   NULL};
/* The names of wf_flow_side_kind behind that of WF_FLOW_BY_WIND. */
static const char *const kind_names[] = {"wind", "periodic", "inflow", "open", "wall", "slip", NULL};

static void push_sides(lua_State *L, const wf_flow_air_params *params)
{
    lua_createtable(L, 0, WF_FLOW_SIDES);
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        lua_pushstring(L, kind_names[params->sides[side] + 1]);
        lua_setfield(L, -2, wf_lua_flow_sides[WF_LUA_FLOW_FIRST_SIDE + side]);
    }
}

void wf_lua_get_flow(lua_State *L, void *object)
{
    const wf_flow_air_params params = wf_world_get_flow_air(object);
    lua_createtable(L, 0, 11);
    if (params.cell > 0) {
        wf_lua_set_number(L, "cell", params.cell);
    } else {
        wf_lua_set_integer(L, "cells", params.cells);
    }
    if (params.placed) {
        wf_lua_push_vec3(L, params.lower);
        lua_setfield(L, -2, "lower");
        wf_lua_push_vec3(L, params.upper);
        lua_setfield(L, -2, "upper");
    } else if (params.margin > 0) {
        wf_lua_set_number(L, "margin", params.margin);
    }
    push_sides(L, &params);
    lua_setfield(L, -2, "boundary");
    wf_lua_set_number(L, "viscosity", params.viscosity);
    wf_lua_set_number(L, "confinement", params.confinement);
    lua_pushstring(L, wf_flow_coupling_names[params.coupling]);
    lua_setfield(L, -2, "coupling");
    wf_lua_set_integer(L, "sweeps", params.sweeps);
    wf_lua_set_number(L, "leak", params.leak);
}

static void read_sides(const wf_lua_options *options, wf_flow_air_params *params)
{
    if (!wf_lua_option_typed(options, "boundary", LUA_TTABLE)) {
        return;
    }
    const wf_lua_options sides = wf_lua_open_options(options->L, lua_gettop(options->L), options->function,
                                                     wf_lua_flow_sides);
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        const char *const from[] = {wf_lua_flow_sides[0], wf_lua_flow_sides[1 + side / 2],
                                    wf_lua_flow_sides[WF_LUA_FLOW_FIRST_SIDE + side]};
        int kind = params->sides[side] + 1;
        for (int k = 0; k < 3; k++) {
            wf_lua_option_choice(&sides, from[k], kind_names, &kind);
        }
        params->sides[side] = kind - 1;
    }
}

/* A table, from the defaults on. */
void wf_lua_set_flow(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_air_params params = wf_default_flow_air_params();
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table such as { cells = 48 }");
    }
    const wf_lua_options options = wf_lua_open_options(L, index, what, names);
    int64_t cells = params.cells, sweeps = params.sweeps;
    int coupling = params.coupling;
    const bool has_cell = wf_lua_option_number(&options, "cell", &params.cell, 1e-4, 1000);
    if (wf_lua_option_integer(&options, "cells", &cells, 4, 512) && has_cell) {
        wf_lua_fail(L, "%s: cell (m, the edge of cubes) and cells (how many) say the same: give one of them", what);
    }
    const bool lower = wf_lua_option_vec3(&options, "lower", &params.lower);
    params.placed = wf_lua_option_vec3(&options, "upper", &params.upper);
    if (lower != params.placed) {
        wf_lua_fail(L, "%s: lower and upper must be given together", what);
    }
    wf_lua_option_number(&options, "margin", &params.margin, WF_LUA_POSITIVE, 1e4);
    read_sides(&options, &params);
    wf_lua_option_number(&options, "viscosity", &params.viscosity, 0, 1e3);
    wf_lua_option_number(&options, "confinement", &params.confinement, 0, 100);
    wf_lua_option_choice(&options, "coupling", wf_flow_coupling_names, &coupling);
    wf_lua_option_integer(&options, "sweeps", &sweeps, 1, WF_FLOW_MOST_SWEEPS);
    wf_lua_option_number(&options, "leak", &params.leak, 0, 1);
    params.cells = (int32_t)cells;
    params.sweeps = (int32_t)sweeps;
    params.coupling = (wf_flow_coupling)coupling;
    wf_lua_check_status(L, wf_world_set_flow_air(object, &params), what);
}

void wf_lua_get_flow_stats(lua_State *L, void *object)
{
    const wf_flow_air_stats *stats = wf_world_flow_air_stats(object);
    if (!stats) {
        lua_pushnil(L);
        return;
    }
    const wf_flow_air_stats s = *stats;
    lua_createtable(L, 0, 15);
    lua_createtable(L, 3, 0);
    for (int a = 0; a < 3; a++) {
        lua_pushinteger(L, s.cells[a]);
        lua_rawseti(L, -2, a + 1);
    }
    lua_setfield(L, -2, "cells");
    const struct {
        const char *name;
        wf_vec3 value;
    } vectors[] = {{"lower", s.lower}, {"upper", s.upper}, {"momentum", s.momentum}};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        wf_lua_push_vec3(L, vectors[k].value);
        lua_setfield(L, -2, vectors[k].name);
    }
    wf_lua_set_integer(L, "cut_faces", s.cut_faces);
    wf_lua_set_integer(L, "direct_faces", s.direct_faces);
    wf_lua_set_integer(L, "sweeps", s.sweeps);
    wf_lua_set_integer(L, "iterations", s.iterations);
    wf_lua_set_integer(L, "substeps", s.substeps);
    wf_lua_set_number(L, "leak", s.leak);
    wf_lua_set_number(L, "largest_leak", s.largest_leak);
    wf_lua_set_number(L, "divergence", s.divergence);
    wf_lua_set_number(L, "cut_seconds", s.cut_seconds);
    wf_lua_set_number(L, "carry_seconds", s.carry_seconds);
    wf_lua_set_number(L, "project_seconds", s.project_seconds);
}
