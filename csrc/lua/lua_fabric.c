/* lua_fabric.c - weft.fabric: checked values, read and written by name. */
#include "lua/lua_fabric.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------------------------- */

/* A property of a fabric or of one of its groups. All values are doubles in a wf_fabric. */
#define VALUE(name, member)                                                                                    \
    static void get_##name(lua_State *L, void *object)                                                         \
    {                                                                                                          \
        lua_pushnumber(L, ((const wf_fabric *)object)->member);                                                \
    }                                                                                                          \
    static void set_##name(lua_State *L, void *object, int index, const char *what)                            \
    {                                                                                                          \
        wf_fabric changed = *(const wf_fabric *)object;                                                        \
        changed.member = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);                   \
        replace(L, object, &changed);                                                                          \
    }

/* Takes the new values if they can be simulated. */
static void replace(lua_State *L, void *object, const wf_fabric *changed)
{
    wf_lua_check_status(L, wf_fabric_check(wf_lua_context(L), changed), "weft.fabric");
    *(wf_fabric *)object = *changed;
}

VALUE(density, density)
VALUE(shear, shear)
VALUE(viscosity, viscosity)
VALUE(thickness, thickness)
VALUE(friction, friction)
VALUE(stretch_weft, weft)
VALUE(stretch_warp, warp)
VALUE(stretch_coupling, coupling)
VALUE(bend_weft, bend_weft)
VALUE(bend_warp, bend_warp)
VALUE(bend_poisson, bend_poisson)
VALUE(bend_twist, bend_twist)
VALUE(bend_viscosity, bend_viscosity)
VALUE(hysteresis_weft, hysteresis_weft)
VALUE(hysteresis_warp, hysteresis_warp)
VALUE(hysteresis_shear, hysteresis_shear)
VALUE(hysteresis_slip, hysteresis_slip)
VALUE(hysteresis_bend_weft, hysteresis_bend_weft)
VALUE(hysteresis_bend_warp, hysteresis_bend_warp)
VALUE(hysteresis_bend_slip, hysteresis_bend_slip)
VALUE(loss_stretch, loss_stretch)
VALUE(loss_shear, loss_shear)
VALUE(loss_bend, loss_bend)
VALUE(loss_from, loss_from)
VALUE(loss_to, loss_to)
VALUE(limit_any, limit)
VALUE(limit_weft, limit_weft)
VALUE(limit_warp, limit_warp)
VALUE(limit_shear, limit_shear)

static void get_young_weft(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_fabric_young_weft(object));
}

static void get_young_warp(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_fabric_young_warp(object));
}

/* ---- groups: fabric.stretch, fabric.bend and fabric.limit -------------------------------------------------------- */

/* Pushes what printf makes of it; lua_pushfstring has one format of numbers, with 14 digits. */
static void push_text(lua_State *L, const char *format, ...)
{
    char text[256]; /* holds every one below */
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    lua_pushstring(L, text);
}

static void describe_stretch(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    push_text(L, "weft.fabric.stretch (weft %.4g, warp %.4g, coupling %.4g N/m)", fabric->weft, fabric->warp,
              fabric->coupling);
}

static void describe_bend(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    push_text(L, "weft.fabric.bend (weft %.4g, warp %.4g uN m, viscosity %.4g s)", 1e6 * fabric->bend_weft,
              1e6 * fabric->bend_warp, fabric->bend_viscosity);
}

static void describe_limit(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    push_text(L, "weft.fabric.limit (any %.4g, weft %.4g, warp %.4g, shear %.4g rad; 0: none)", fabric->limit,
              fabric->limit_weft, fabric->limit_warp, fabric->limit_shear);
}

static void describe_hysteresis(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    push_text(L, "weft.fabric.hysteresis (weft %.4g, warp %.4g, shear %.4g N/m; bend %.4g, %.4g uN; 0: none)",
              fabric->hysteresis_weft, fabric->hysteresis_warp, fabric->hysteresis_shear,
              1e6 * fabric->hysteresis_bend_weft, 1e6 * fabric->hysteresis_bend_warp);
}

static void describe_loss(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    push_text(L, "weft.fabric.loss (stretch %.4g, shear %.4g, bend %.4g from %.4g to %.4g Hz)", fabric->loss_stretch,
              fabric->loss_shear, fabric->loss_bend, fabric->loss_from, fabric->loss_to);
}

static const luaL_Reg no_methods[] = {{NULL, NULL}};

static const wf_lua_property stretch_properties[] = {{"weft", get_stretch_weft, set_stretch_weft},
                                                     {"warp", get_stretch_warp, set_stretch_warp},
                                                     {"coupling", get_stretch_coupling, set_stretch_coupling},
                                                     {"young_weft", get_young_weft, NULL},
                                                     {"young_warp", get_young_warp, NULL},
                                                     {NULL, NULL, NULL}};

static const wf_lua_property bend_properties[] = {{"weft", get_bend_weft, set_bend_weft},
                                                  {"warp", get_bend_warp, set_bend_warp},
                                                  {"poisson", get_bend_poisson, set_bend_poisson},
                                                  {"twist", get_bend_twist, set_bend_twist},
                                                  {"viscosity", get_bend_viscosity, set_bend_viscosity},
                                                  {NULL, NULL, NULL}};

static const wf_lua_property limit_properties[] = {{"any", get_limit_any, set_limit_any},
                                                   {"weft", get_limit_weft, set_limit_weft},
                                                   {"warp", get_limit_warp, set_limit_warp},
                                                   {"shear", get_limit_shear, set_limit_shear},
                                                   {NULL, NULL, NULL}};

static const wf_lua_property hysteresis_properties[] = {{"weft", get_hysteresis_weft, set_hysteresis_weft},
                                                        {"warp", get_hysteresis_warp, set_hysteresis_warp},
                                                        {"shear", get_hysteresis_shear, set_hysteresis_shear},
                                                        {"slip", get_hysteresis_slip, set_hysteresis_slip},
                                                        {"bend_weft", get_hysteresis_bend_weft,
                                                         set_hysteresis_bend_weft},
                                                        {"bend_warp", get_hysteresis_bend_warp,
                                                         set_hysteresis_bend_warp},
                                                        {"bend_slip", get_hysteresis_bend_slip,
                                                         set_hysteresis_bend_slip},
                                                        {NULL, NULL, NULL}};

static const wf_lua_property loss_properties[] = {{"stretch", get_loss_stretch, set_loss_stretch},
                                                  {"shear", get_loss_shear, set_loss_shear},
                                                  {"bend", get_loss_bend, set_loss_bend},
                                                  {"from", get_loss_from, set_loss_from},
                                                  {"to", get_loss_to, set_loss_to},
                                                  {NULL, NULL, NULL}};

/* Their object is the fabric's own wf_fabric, which the parent owns. */
static const wf_lua_class stretch_class = {"weft.fabric.stretch", no_methods, stretch_properties, describe_stretch,
                                           NULL};
static const wf_lua_class bend_class = {"weft.fabric.bend", no_methods, bend_properties, describe_bend, NULL};
static const wf_lua_class limit_class = {"weft.fabric.limit", no_methods, limit_properties, describe_limit, NULL};
static const wf_lua_class hysteresis_class = {"weft.fabric.hysteresis", no_methods, hysteresis_properties,
                                              describe_hysteresis, NULL};
static const wf_lua_class loss_class = {"weft.fabric.loss", no_methods, loss_properties, describe_loss, NULL};

/* Pushes the group's handle, kept in the fabric's own table. */
static void push_group(lua_State *L, void *object, const wf_lua_class *class)
{
    wf_lua_push_own_table(L, 1);
    lua_pushstring(L, class->name);
    lua_rawget(L, -2);
    if (!wf_lua_is_object(L, -1, class)) {
        lua_pop(L, 1);
        *wf_lua_new_object(L, class, 1) = object;
        lua_pushstring(L, class->name);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
}

static void get_stretch(lua_State *L, void *object)
{
    push_group(L, object, &stretch_class);
}

static void get_bend(lua_State *L, void *object)
{
    push_group(L, object, &bend_class);
}

static void get_hysteresis(lua_State *L, void *object)
{
    push_group(L, object, &hysteresis_class);
}

static void get_loss(lua_State *L, void *object)
{
    push_group(L, object, &loss_class);
}

static void get_limit(lua_State *L, void *object)
{
    push_group(L, object, &limit_class);
}

static void read_stretch(lua_State *L, int index, wf_fabric *fabric)
{
    static const char *const names[] = {"weft", "warp", "coupling", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: stretch", names);
    wf_lua_option_number(&options, "weft", &fabric->weft, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "warp", &fabric->warp, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "coupling", &fabric->coupling, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

static void read_bend(lua_State *L, int index, wf_fabric *fabric)
{
    static const char *const names[] = {"weft", "warp", "poisson", "twist", "viscosity", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: bend", names);
    wf_lua_option_number(&options, "weft", &fabric->bend_weft, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "warp", &fabric->bend_warp, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "poisson", &fabric->bend_poisson, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "twist", &fabric->bend_twist, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "viscosity", &fabric->bend_viscosity, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

/* A number: in any direction, and nothing else. */
static void read_limit(lua_State *L, int index, const char *what, wf_fabric *fabric)
{
    static const char *const names[] = {"any", "weft", "warp", "shear", NULL};
    if (lua_type(L, index) == LUA_TNUMBER) {
        fabric->limit = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        fabric->limit_weft = fabric->limit_warp = fabric->limit_shear = 0;
        return;
    }
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a number, or a table with any, weft, warp or shear");
    }
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: limit", names);
    wf_lua_option_number(&options, "any", &fabric->limit, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "weft", &fabric->limit_weft, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "warp", &fabric->limit_warp, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "shear", &fabric->limit_shear, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

static void read_hysteresis(lua_State *L, int index, wf_fabric *fabric)
{
    static const char *const names[] = {"weft", "warp", "shear", "slip", "bend_weft", "bend_warp", "bend_slip", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: hysteresis", names);
    wf_lua_option_number(&options, "weft", &fabric->hysteresis_weft, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "warp", &fabric->hysteresis_warp, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "shear", &fabric->hysteresis_shear, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "slip", &fabric->hysteresis_slip, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "bend_weft", &fabric->hysteresis_bend_weft, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "bend_warp", &fabric->hysteresis_bend_warp, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "bend_slip", &fabric->hysteresis_bend_slip, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

static void set_hysteresis(lua_State *L, void *object, int index, const char *what)
{
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table with weft, warp, shear, slip, bend_weft, bend_warp or bend_slip");
    }
    wf_fabric changed = *(const wf_fabric *)object;
    read_hysteresis(L, index, &changed);
    replace(L, object, &changed);
}

static void read_loss(lua_State *L, int index, wf_fabric *fabric)
{
    static const char *const names[] = {"stretch", "shear", "bend", "from", "to", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: loss", names);
    wf_lua_option_number(&options, "stretch", &fabric->loss_stretch, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "shear", &fabric->loss_shear, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "bend", &fabric->loss_bend, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "from", &fabric->loss_from, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "to", &fabric->loss_to, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

static void set_loss(lua_State *L, void *object, int index, const char *what)
{
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table with stretch, shear, bend, from or to");
    }
    wf_fabric changed = *(const wf_fabric *)object;
    read_loss(L, index, &changed);
    replace(L, object, &changed);
}

static void set_limit(lua_State *L, void *object, int index, const char *what)
{
    wf_fabric changed = *(const wf_fabric *)object;
    read_limit(L, index, what, &changed);
    replace(L, object, &changed);
}

/* fabric.stretch = { weft = 900 }: what the table does not name stays. */
static void set_stretch(lua_State *L, void *object, int index, const char *what)
{
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table with weft, warp or coupling");
    }
    wf_fabric changed = *(const wf_fabric *)object;
    read_stretch(L, index, &changed);
    replace(L, object, &changed);
}

static void set_bend(lua_State *L, void *object, int index, const char *what)
{
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table with weft, warp, poisson, twist or viscosity");
    }
    wf_fabric changed = *(const wf_fabric *)object;
    read_bend(L, index, &changed);
    replace(L, object, &changed);
}

/* ---- curves ---------------------------------------------------------------------------------------------------- */

static void read_points(const wf_lua_options *options, const char *name, wf_stress_curve *curve)
{
    const double *points;
    size_t count = wf_lua_option_vectors(options, name, 2, &points);
    if (count > WF_STRESS_POINTS) {
        wf_lua_fail(options->L, "%s: %s may have %d points, got %d", options->function, name, WF_STRESS_POINTS,
                    (int)count);
    }
    if (points) {
        *curve = (wf_stress_curve){.count = (int32_t)count};
        for (size_t i = 0; i < count; i++) {
            curve->point[i] = (wf_stress_point){points[2 * i], points[2 * i + 1]};
        }
    }
}

/* A list of points, or { loading = points, unloading = points }. */
static void read_curve(const wf_lua_options *options, const char *name, wf_stress_curve *curve,
                       wf_stress_curve *unloading)
{
    static const char *const names[] = {"loading", "unloading", NULL};
    lua_State *L = options->L;
    int top = lua_gettop(L);
    if (!wf_lua_push_option(options, name)) {
        lua_settop(L, top);
        return;
    }
    bool branches = false;
    for (int i = 0; lua_istable(L, -1) && names[i]; i++) {
        lua_pushstring(L, names[i]);
        lua_rawget(L, -2);
        branches = branches || !lua_isnil(L, -1);
        lua_pop(L, 1);
    }
    unloading->count = 0;
    if (branches) {
        const char *function = lua_pushfstring(L, "%s.%s", options->function, name);
        wf_lua_options both = wf_lua_open_options(L, lua_gettop(L) - 1, function, names);
        wf_lua_require_option(&both, "loading", "a list of points");
        read_points(&both, "loading", curve);
        read_points(&both, "unloading", unloading);
    } else {
        read_points(options, name, curve);
    }
    lua_settop(L, top);
}

static void read_curves(lua_State *L, int index, wf_fabric *fabric)
{
    static const char *const names[] = {"weft", "warp", "shear", NULL};
    wf_lua_options options = wf_lua_open_options(L, index, "weft.fabric: curves", names);
    read_curve(&options, "weft", &fabric->weft_curve, &fabric->weft_unloading);
    read_curve(&options, "warp", &fabric->warp_curve, &fabric->warp_unloading);
    read_curve(&options, "shear", &fabric->shear_curve, &fabric->shear_unloading);
}

static void set_curves(lua_State *L, void *object, int index, const char *what)
{
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, "a table with weft, warp or shear");
    }
    wf_fabric changed = *(const wf_fabric *)object;
    read_curves(L, index, &changed);
    replace(L, object, &changed);
}

static void push_points(lua_State *L, const wf_stress_curve *curve)
{
    lua_createtable(L, curve->count, 0);
    for (int i = 0; i < curve->count; i++) {
        lua_createtable(L, 2, 0);
        lua_pushnumber(L, curve->point[i].strain);
        lua_rawseti(L, -2, 1);
        lua_pushnumber(L, curve->point[i].stress);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, i + 1);
    }
}

static void set_branches(lua_State *L, const char *name, const wf_stress_curve *curve, const wf_stress_curve *unloading)
{
    if (curve->count == 0) {
        return;
    }
    if (unloading->count == 0) {
        push_points(L, curve);
    } else {
        lua_createtable(L, 0, 2);
        push_points(L, curve);
        lua_setfield(L, -2, "loading");
        push_points(L, unloading);
        lua_setfield(L, -2, "unloading");
    }
    lua_setfield(L, -2, name);
}

/* A copy: points are set all together. */
static void get_curves(lua_State *L, void *object)
{
    const wf_fabric *fabric = object;
    lua_createtable(L, 0, 3);
    set_branches(L, "weft", &fabric->weft_curve, &fabric->weft_unloading);
    set_branches(L, "warp", &fabric->warp_curve, &fabric->warp_unloading);
    set_branches(L, "shear", &fabric->shear_curve, &fabric->shear_unloading);
}

/* ---- the fabric ------------------------------------------------------------------------------------------------ */

static void get_name(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_fabric *)object)->name);
}

static void set_name(lua_State *L, void *object, int index, const char *what)
{
    wf_fabric *fabric = object;
    const char *name = wf_lua_check_string(L, index, what);
    size_t length = strlen(name);
    if (length >= sizeof fabric->name) {
        char expected[64];
        snprintf(expected, sizeof expected, "a string of at most %d bytes", (int)sizeof fabric->name - 1);
        wf_lua_fail_value(L, index, what, expected);
    }
    memset(fabric->name, 0, sizeof fabric->name);
    memcpy(fabric->name, name, length);
}

static void describe_fabric(lua_State *L, void *object)
{
    const wf_fabric *f = object;
    push_text(L, "weft.fabric %s (%.4g kg/m2; weft %.4g, warp %.4g, shear %.4g N/m; bend %.4g, %.4g uN m)", f->name,
              f->density, f->weft, f->warp, f->shear, f->bend_weft * 1e6, f->bend_warp * 1e6);
}

static void destroy_fabric(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_free(context, object);
}

static const wf_lua_property fabric_properties[] = {{"name", get_name, set_name},
                                                    {"density", get_density, set_density},
                                                    {"stretch", get_stretch, set_stretch},
                                                    {"shear", get_shear, set_shear},
                                                    {"bend", get_bend, set_bend},
                                                    {"viscosity", get_viscosity, set_viscosity},
                                                    {"thickness", get_thickness, set_thickness},
                                                    {"friction", get_friction, set_friction},
                                                    {"curves", get_curves, set_curves},
                                                    {"limit", get_limit, set_limit},
                                                    {"hysteresis", get_hysteresis, set_hysteresis},
                                                    {"loss", get_loss, set_loss},
                                                    {NULL, NULL, NULL}};

const wf_lua_class wf_lua_fabric_class = {"weft.fabric", no_methods, fabric_properties, describe_fabric,
                                          destroy_fabric};

int wf_lua_push_fabric(lua_State *L, const wf_fabric *values)
{
    wf_lua_check_status(L, wf_fabric_check(wf_lua_context(L), values), "weft.fabric");
    void **slot = wf_lua_new_object(L, &wf_lua_fabric_class, 0);
    wf_fabric *fabric = wf_allocate(wf_lua_context(L), 1, sizeof *fabric);
    if (fabric) {
        *fabric = *values;
    }
    *slot = fabric;
    wf_lua_check_status(L, fabric ? WF_OK : WF_ERROR_MEMORY, "weft.fabric");
    return 1;
}

/* `base`: the name of a preset, or a fabric. */
static void read_base(lua_State *L, const wf_lua_options *options, wf_fabric *fabric)
{
    const char *preset = "wool";
    lua_pushliteral(L, "base");
    if (options->index != 0) {
        lua_rawget(L, options->index);
    }
    if (wf_lua_is_object(L, -1, &wf_lua_fabric_class)) {
        *fabric = *(const wf_fabric *)wf_lua_option_object(options, "base", &wf_lua_fabric_class);
        return;
    }
    const char *given = wf_lua_option_string(options, "base");
    wf_lua_check_status(L, wf_fabric_preset(wf_lua_context(L), given ? given : preset, WF_FABRIC_PER_RADIAN, fabric),
                        "weft.fabric");
}

/* weft.fabric { base = "wool", density = 0.3, ... } */
static int fabric_new(lua_State *L)
{
    static const char *const names[] = {"base",      "name",      "density",  "stretch", "shear", "bend",
                                        "viscosity", "thickness", "friction", "curves",  "limit", "hysteresis",
                                        "loss",      NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.fabric", names);
    wf_fabric fabric;
    read_base(L, &options, &fabric);
    if (wf_lua_push_option(&options, "name")) {
        set_name(L, &fabric, lua_gettop(L), "weft.fabric: name");
    }
    wf_lua_option_number(&options, "density", &fabric.density, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "shear", &fabric.shear, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "viscosity", &fabric.viscosity, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "thickness", &fabric.thickness, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "friction", &fabric.friction, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    if (wf_lua_option_typed(&options, "stretch", LUA_TTABLE)) {
        read_stretch(L, lua_gettop(L), &fabric);
    }
    if (wf_lua_option_typed(&options, "bend", LUA_TTABLE)) {
        read_bend(L, lua_gettop(L), &fabric);
    }
    if (wf_lua_option_typed(&options, "curves", LUA_TTABLE)) {
        read_curves(L, lua_gettop(L), &fabric);
    }
    if (wf_lua_option_typed(&options, "hysteresis", LUA_TTABLE)) {
        read_hysteresis(L, lua_gettop(L), &fabric);
    }
    if (wf_lua_option_typed(&options, "loss", LUA_TTABLE)) {
        read_loss(L, lua_gettop(L), &fabric);
    }
    if (wf_lua_push_option(&options, "limit")) {
        read_limit(L, lua_gettop(L), "weft.fabric: limit", &fabric);
    }
    return wf_lua_push_fabric(L, &fabric);
}

/* weft.fabric.preset(name, { reading = "thesis" }) */
static int fabric_preset(lua_State *L)
{
    static const char *const names[] = {"reading", NULL}, *const readings[] = {"per radian", "thesis", NULL};
    const char *name = wf_lua_check_string(L, 1, "weft.fabric.preset: name");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.fabric.preset", names);
    int reading = WF_FABRIC_PER_RADIAN;
    wf_lua_option_choice(&options, "reading", readings, &reading);
    wf_fabric fabric;
    wf_lua_check_status(L, wf_fabric_preset(wf_lua_context(L), name, (wf_fabric_reading)reading, &fabric),
                        "weft.fabric.preset");
    return wf_lua_push_fabric(L, &fabric);
}

/* core.fabric_names(): the presets, as a list */
static int fabric_names(lua_State *L)
{
    lua_createtable(L, wf_fabric_preset_count(), 0);
    for (int i = 0; i < wf_fabric_preset_count(); i++) {
        lua_pushstring(L, wf_fabric_preset_name(i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void wf_lua_open_fabric(lua_State *L);

void wf_lua_open_fabric(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"fabric", fabric_new}, {"fabric_preset", fabric_preset}, {"fabric_names", fabric_names}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_fabric_class);
    wf_lua_register_class(L, &stretch_class);
    wf_lua_register_class(L, &bend_class);
    wf_lua_register_class(L, &limit_class);
    wf_lua_register_class(L, &hysteresis_class);
    wf_lua_register_class(L, &loss_class);
    wf_lua_set_functions(L, functions);
}
