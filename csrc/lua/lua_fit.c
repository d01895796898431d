/* lua_fit.c - weft.fabric.fit: laws fitted to measured curves (fabric/fit.h). */
#include "fabric/fit.h"
#include "lua/buffer.h"

enum { MOST_KNOTS = 24 };

/* Where the knots are: `knots` is how many, or a list of places. Pushes what keeps them alive. */
static int32_t read_knots(const wf_lua_options *options, int32_t count, const wf_measured_point *points,
                          const double **knot_x)
{
    lua_State *L = options->L;
    if (wf_lua_push_option(options, "knots") && lua_type(L, -1) == LUA_TTABLE) {
        size_t given = wf_lua_option_list(options, "knots", WF_LUA_LOWEST, WF_LUA_HIGHEST, knot_x);
        if (given < 2 || given > MOST_KNOTS) {
            wf_lua_fail(L, "%s: knots must be a list of 2 to %d places, got %d", options->function, MOST_KNOTS,
                        (int)given);
        }
        return (int32_t)given;
    }
    int64_t wanted = 6;
    wf_lua_option_integer(options, "knots", &wanted, 2, MOST_KNOTS);
    double *places = lua_newuserdata(L, MOST_KNOTS * sizeof *places);
    wf_spread_knots(count, points, (int32_t)wanted, places);
    *knot_x = places;
    return (int32_t)wanted;
}

static void push_line(lua_State *L, const wf_lua_options *options, int32_t count, const wf_measured_point *points,
                      bool through_zero)
{
    double from = points[0].x, to = points[count - 1].x;
    wf_fitted_line line;
    if (wf_lua_push_option(options, "knots")) {
        wf_lua_fail(L, "%s: knots are of segments and splines", options->function);
    }
    lua_pop(L, 1);
    wf_lua_option_number(options, "from", &from, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "to", &to, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_fit_line(wf_lua_context(L), count, points, from, to, through_zero, &line),
                        options->function);
    lua_createtable(L, 0, 6);
    wf_lua_set_number(L, "modulus", line.slope);
    wf_lua_set_number(L, "offset", line.offset);
    wf_lua_set_number(L, "residual", line.residual);
    wf_lua_set_number(L, "determination", line.determination);
    wf_lua_set_integer(L, "points", line.count);
}

static void push_knots(lua_State *L, const wf_lua_options *options, const char *branch, int32_t count,
                       const wf_measured_point *points, bool through_zero, bool cubic)
{
    static const char *const of_lines[] = {"from", "to"};
    for (int i = 0; i < 2; i++) {
        if (wf_lua_push_option(options, of_lines[i])) {
            wf_lua_fail(L, "%s: %s is of a line: segments and splines take their range from the knots",
                        options->function, of_lines[i]);
        }
        lua_pop(L, 1);
    }
    const double *knot_x;
    int32_t knot_count = read_knots(options, count, points, &knot_x);
    wf_curve_knot *knots = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)knot_count, 3);
    int buffer = lua_gettop(L);
    double residual, modulus;
    wf_status status = wf_fit_knots(wf_lua_context(L), count, points, knot_count, knot_x, through_zero, cubic, knots,
                                    &residual);
    wf_lua_check_status(L, status, branch);
    wf_knots_value(knot_count, knots, cubic, points[0].x > 0 ? points[0].x : 0, &modulus);
    lua_createtable(L, 0, 6);
    wf_lua_set_number(L, "modulus", modulus);
    wf_lua_set_number(L, "residual", residual);
    wf_lua_set_integer(L, "points", count);
    lua_pushvalue(L, buffer);
    lua_setfield(L, -2, "knots");
}

/* core.fit_curve { curve = or unloading =, kind =, knots =, from =, to =, through_zero = }: one branch */
static int fit_curve(lua_State *L)
{
    static const char *const names[] = {"curve", "unloading", "kind", "knots", "from", "to", "through_zero", NULL};
    static const char *const kinds[] = {"line", "segments", "spline", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.fabric.fit", names);
    int kind = 0;
    bool through_zero = true;
    const double *values;
    wf_lua_option_choice(&options, "kind", kinds, &kind);
    wf_lua_option_boolean(&options, "through_zero", &through_zero);
    bool unloading = wf_lua_push_option(&options, "unloading");
    lua_pop(L, 1);
    const char *name = unloading ? "unloading" : "curve";
    const char *branch = unloading ? "weft.fabric.fit: unloading" : options.function;
    wf_lua_require_option(&options, name, "a list of points {x, y}");
    size_t count = wf_lua_option_vectors(&options, name, 2, &values);
    const wf_measured_point *points = (const wf_measured_point *)values;
    wf_lua_check_status(L, wf_measured_check(wf_lua_context(L), (int32_t)count, points), branch);
    if (kind == 0) {
        push_line(L, &options, (int32_t)count, points, through_zero);
    } else {
        push_knots(L, &options, branch, (int32_t)count, points, through_zero, kind == 2);
    }
    return 1;
}

/* core.knots_value(knots, cubic, x): the law's value and slope */
static int knots_value(lua_State *L)
{
    const wf_lua_view *view = wf_lua_check_buffer(L, 1, "weft.fabric.fit: knots", WF_LUA_DOUBLE, 3);
    bool cubic = wf_lua_check_boolean(L, 2, "weft.fabric.fit: cubic");
    double x = wf_lua_check_number(L, 3, "weft.fabric.fit: x", WF_LUA_LOWEST, WF_LUA_HIGHEST), slope;
    if (view->count < 2) {
        wf_lua_fail(L, "weft.fabric.fit: knots must be at least two, got %d", (int)view->count);
    }
    lua_pushnumber(L, wf_knots_value((int32_t)view->count, view->data, cubic, x, &slope));
    lua_pushnumber(L, slope);
    return 2;
}

void wf_lua_open_fit(lua_State *L);

void wf_lua_open_fit(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fit_curve", fit_curve}, {"knots_value", knots_value}, {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
