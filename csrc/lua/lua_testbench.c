/* lua_testbench.c - weft.testbench: the tests of world/testbench.h, for the Lua side, which knows the instruments. */
#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_fabric.h"
#include "world/shadow.h"
#include "world/testbench.h"

enum { LARGEST_STEP_COUNT = 1000 };

/* Options that all specimens have. */
#define SPECIMEN_NAMES "fabric", "length", "width", "direction", "edge", "mesh", "membrane", "bending"

/* What each test begins with. */
typedef struct test {
    const char *verb; /* in whose name messages are */
    wf_lua_options options;
    wf_fabric fabric;
    wf_specimen_def def; /* points to the fabric above: a test is not copied */
} test;

static void read_specimen(const wf_lua_options *options, wf_fabric *fabric, wf_specimen_def *def)
{
    static const char *const meshes[] = {"structured", "unstructured", NULL};
    int mesh = 0;
    wf_lua_require_option(options, "fabric", "a weft.fabric");
    *fabric = *(const wf_fabric *)wf_lua_option_object(options, "fabric", &wf_lua_fabric_class);
    *def = (wf_specimen_def){.fabric = fabric, .length = 0.05, .width = 0.05, .edge = 0.005};
    wf_lua_option_number(options, "length", &def->length, WF_LUA_POSITIVE, 100);
    wf_lua_option_number(options, "width", &def->width, WF_LUA_POSITIVE, 100);
    wf_lua_option_number(options, "direction", &def->direction, -10, 10);
    wf_lua_option_number(options, "edge", &def->edge, WF_LUA_POSITIVE, 10);
    wf_lua_option_choice(options, "mesh", meshes, &mesh);
    def->unstructured = mesh == 1;
    def->membrane = wf_lua_option_string(options, "membrane");
    def->bending = wf_lua_option_string(options, "bending");
}

static wf_testbench_clamps read_clamps(const wf_lua_options *options)
{
    static const char *const clamps[] = {"jaws", "rollers", "frame", NULL};
    int chosen = WF_CLAMPS_FIXED;
    wf_lua_option_choice(options, "clamps", clamps, &chosen);
    return (wf_testbench_clamps)chosen;
}

static int32_t read_steps(const wf_lua_options *options)
{
    int64_t steps = 20;
    wf_lua_option_integer(options, "steps", &steps, 1, LARGEST_STEP_COUNT);
    return (int32_t)steps;
}

/* Which function of the Lua side asks, in whose name messages are. */
static const char *read_verb(lua_State *L)
{
    static const char *const verbs[] = {"weft.testbench.kes_tensile",    "weft.testbench.kes_shear",
                                        "weft.testbench.kes_bending",    "weft.testbench.fast_extension",
                                        "weft.testbench.fast_bending",   "weft.testbench.heart_loop",
                                        "weft.testbench.cusick",         NULL};
    return verbs[wf_lua_check_choice(L, 1, "weft.testbench: verb", verbs)];
}

static void open_test(lua_State *L, const char *const *names, test *t)
{
    t->verb = read_verb(L);
    t->options = wf_lua_open_options(L, 2, t->verb, names);
    read_specimen(&t->options, &t->fabric, &t->def);
}

static double read_gravity(const wf_lua_options *options)
{
    double gravity = 9.80665;
    wf_lua_option_number(options, "gravity", &gravity, WF_LUA_POSITIVE, 1e3);
    return gravity;
}

/* core.testbench_extend(verb, { fabric =, ..., clamps =, load =, steps = }): a buffer of strain and load */
static int testbench_extend(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "clamps", "load", "steps", NULL};
    test t;
    open_test(L, names, &t);
    wf_testbench_clamps clamps = read_clamps(&t.options);
    int32_t steps = read_steps(&t.options);
    double load = 490.3325;
    wf_lua_option_number(&t.options, "load", &load, WF_LUA_POSITIVE, 1e9);
    wf_measured_point *curve = wf_lua_push_buffer(L, WF_LUA_DOUBLE, 2 * (size_t)steps + 1, 2);
    wf_lua_check_status(L, wf_testbench_extend(wf_lua_context(L), &t.def, clamps, load, steps, curve), t.verb);
    return 1;
}

/* core.testbench_extensions(verb, { ..., loads = }): a buffer of strains */
static int testbench_extensions(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "clamps", "loads", NULL};
    test t;
    open_test(L, names, &t);
    wf_testbench_clamps clamps = read_clamps(&t.options);
    const double *loads;
    wf_lua_require_option(&t.options, "loads", "a list of loads");
    size_t count = wf_lua_option_list(&t.options, "loads", WF_LUA_POSITIVE, 1e9, &loads);
    double *strains = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 1);
    wf_lua_check_status(L, wf_testbench_extensions(wf_lua_context(L), &t.def, clamps, (int32_t)count, loads, strains),
                        t.verb);
    return 1;
}

/* core.testbench_shear(verb, { ..., clamps =, tension =, angle =, steps = }): a buffer of angle and force */
static int testbench_shear(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "clamps", "tension", "angle", "steps", NULL};
    test t;
    open_test(L, names, &t);
    wf_testbench_clamps clamps = read_clamps(&t.options);
    int32_t steps = read_steps(&t.options);
    double tension = 9.80665, angle = 0.1396263401595464;
    wf_lua_option_number(&t.options, "tension", &tension, 0, 1e6);
    wf_lua_option_number(&t.options, "angle", &angle, 1e-4, 1);
    wf_measured_point *curve = wf_lua_push_buffer(L, WF_LUA_DOUBLE, 4 * (size_t)steps + 1, 2);
    wf_lua_check_status(L, wf_testbench_shear(wf_lua_context(L), &t.def, clamps, tension, angle, steps, curve), t.verb);
    return 1;
}

/* core.testbench_bend(verb, { ..., cylinder =, curvature =, steps = }): a buffer of curvature and moment */
static int testbench_bend(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "cylinder", "curvature", "steps", NULL};
    test t;
    open_test(L, names, &t);
    int32_t steps = read_steps(&t.options);
    bool cylinder = true;
    double curvature = 250;
    wf_lua_option_boolean(&t.options, "cylinder", &cylinder);
    wf_lua_option_number(&t.options, "curvature", &curvature, WF_LUA_POSITIVE, 1e6);
    wf_measured_point *curve = wf_lua_push_buffer(L, WF_LUA_DOUBLE, 4 * (size_t)steps + 1, 2);
    wf_lua_check_status(L, wf_testbench_bend(wf_lua_context(L), &t.def, cylinder, curvature, steps, curve), t.verb);
    return 1;
}

/* core.testbench_cantilever(verb, { ..., cylinder =, gravity =, angle = }): the overhang, m */
static int testbench_cantilever(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "cylinder", "gravity", "angle", NULL};
    test t;
    open_test(L, names, &t);
    bool cylinder = false;
    double gravity = read_gravity(&t.options), angle = 0.7243116395776468, overhang;
    wf_lua_option_boolean(&t.options, "cylinder", &cylinder);
    wf_lua_option_number(&t.options, "angle", &angle, 0.01, 1.5);
    wf_lua_check_status(L, wf_testbench_cantilever(wf_lua_context(L), &t.def, cylinder, gravity, angle, &overhang),
                        t.verb);
    lua_pushnumber(L, overhang);
    return 1;
}

/* core.testbench_heart_loop(verb, { ..., cylinder =, gravity = }): height and bending length, m */
static int testbench_heart_loop(lua_State *L)
{
    static const char *const names[] = {SPECIMEN_NAMES, "cylinder", "gravity", NULL};
    test t;
    open_test(L, names, &t);
    bool cylinder = false;
    double gravity = read_gravity(&t.options), height;
    wf_lua_option_boolean(&t.options, "cylinder", &cylinder);
    wf_lua_check_status(L, wf_testbench_heart_loop(wf_lua_context(L), &t.def, cylinder, gravity, &height), t.verb);
    lua_pushnumber(L, height);
    lua_pushnumber(L, wf_peirce_bending_length(t.def.length, height));
    return 2;
}

/* core.testbench_shadow(verb, { positions =, faces =, centre =, pixel =, depth = }): area, nodes, a buffer of radii */
static int testbench_shadow(lua_State *L)
{
    static const char *const names[] = {"positions", "faces", "centre", "pixel", "depth", NULL};
    const char *verb = read_verb(L);
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    wf_vec3 centre = {0, 0, 0};
    double pixel = 2.5e-4, depth = 2e-3;
    const double *positions;
    const int32_t *faces;
    wf_lua_require_option(&options, "positions", "a list of points {x, y, z}");
    wf_lua_require_option(&options, "faces", "a list of index triples");
    wf_lua_option_vec3(&options, "centre", &centre);
    wf_lua_option_number(&options, "pixel", &pixel, 1e-6, 1);
    wf_lua_option_number(&options, "depth", &depth, 0, 10);
    size_t vertex_count = wf_lua_option_vectors(&options, "positions", 3, &positions);
    size_t face_count = wf_lua_option_index_groups(&options, "faces", 3, vertex_count, &faces);
    wf_shadow *shadow = lua_newuserdata(L, sizeof *shadow);
    wf_lua_check_status(L, wf_shadow_measure(wf_lua_context(L), (int32_t)vertex_count, (const wf_vec3 *)positions,
                                             (int32_t)face_count, (const int32_t(*)[3])faces, centre, pixel, depth,
                                             shadow),
                        verb);
    lua_pushnumber(L, shadow->area);
    lua_pushinteger(L, shadow->nodes);
    double *radius = wf_lua_push_buffer(L, WF_LUA_DOUBLE, WF_SHADOW_DIRECTIONS, 1);
    memcpy(radius, shadow->radius, sizeof shadow->radius);
    return 3;
}

/* ---- curves ---------------------------------------------------------------------------------------------------- */

/* The points first to last (1-based, in that order) of the curve at index 1. */
static const wf_measured_point *check_curve(lua_State *L, int32_t *first, int32_t *last)
{
    const wf_lua_view *view = wf_lua_check_buffer(L, 1, "weft.testbench: curve", WF_LUA_DOUBLE, 2);
    *first = (int32_t)wf_lua_check_index(L, 2, "weft.testbench: first", view->count);
    *last = (int32_t)wf_lua_check_index(L, 3, "weft.testbench: last", view->count);
    if (*last < *first) {
        wf_lua_fail(L, "weft.testbench: last must be at least first");
    }
    return view->data;
}

/* core.measured_work(curve, first, last) */
static int measured_work(lua_State *L)
{
    int32_t first, last;
    const wf_measured_point *points = check_curve(L, &first, &last);
    lua_pushnumber(L, wf_measured_work(last - first + 1, points + first));
    return 1;
}

/* core.measured_value(curve, first, last, x) */
static int measured_value(lua_State *L)
{
    int32_t first, last;
    const wf_measured_point *points = check_curve(L, &first, &last);
    double x = wf_lua_check_number(L, 4, "weft.testbench: x", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    lua_pushnumber(L, wf_measured_value(points, first, last, x));
    return 1;
}

/* core.measured_line(curve, first, last, from, to): the slope of the best line, and its offset */
static int measured_line(lua_State *L)
{
    int32_t first, last;
    const wf_measured_point *points = check_curve(L, &first, &last);
    double from = wf_lua_check_number(L, 4, "weft.testbench: from", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    double to = wf_lua_check_number(L, 5, "weft.testbench: to", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_fitted_line line;
    wf_lua_check_status(L, wf_fit_line(wf_lua_context(L), last - first + 1, points + first, from, to, false, &line),
                        "weft.testbench");
    lua_pushnumber(L, line.slope);
    lua_pushnumber(L, line.offset);
    return 2;
}

void wf_lua_open_testbench(lua_State *L);

void wf_lua_open_testbench(lua_State *L)
{
    static const luaL_Reg functions[] = {{"testbench_extend", testbench_extend},
                                         {"testbench_extensions", testbench_extensions},
                                         {"testbench_shear", testbench_shear},
                                         {"testbench_bend", testbench_bend},
                                         {"testbench_cantilever", testbench_cantilever},
                                         {"testbench_heart_loop", testbench_heart_loop},
                                         {"testbench_shadow", testbench_shadow},
                                         {"measured_work", measured_work},
                                         {"measured_value", measured_value},
                                         {"measured_line", measured_line},
                                         {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
