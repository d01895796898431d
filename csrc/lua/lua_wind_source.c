/* lua_wind_source.c - weft.wind: the sources of wind. */
#include "lua/lua_wind_source.h"

#include <stdio.h>
#include <string.h>

#include "air/sources.h"
#include "base/context.h"
#include "io/vtk.h"
#include "lua/buffer.h"
#include "lua/lua_wind_field.h"

static wf_wind_source *check_source(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_wind_source_class, what);
}

static void destroy_source(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_wind_source_release(object);
}

static void describe_source(lua_State *L, void *object)
{
    const wf_wind_source *source = object;
    char own[160];
    source->class->describe(source, own, sizeof own);
    lua_pushfstring(L, "weft.wind.source %s (%s%s)", source->class->name, own, source->enabled ? "" : ", off");
}

/* ---- parameters of the kinds ------------------------------------------------------------------------------------- */

/* Reads the value at `index` into a struct of parameters. */
static void read_parameter(lua_State *L, int index, const char *what, const char *function,
                           const wf_wind_parameter *parameter, void *parameters)
{
    double value[3] = {0};
    switch (parameter->type) {
    case WF_WIND_NUMBER:
        value[0] = wf_lua_check_number(L, index, what, parameter->minimum, parameter->maximum);
        break;
    case WF_WIND_INTEGER:
        value[0] = (double)wf_lua_check_integer(L, index, what, (int64_t)parameter->minimum,
                                                (int64_t)parameter->maximum);
        break;
    case WF_WIND_CHOICE: value[0] = wf_lua_check_choice(L, index, what, parameter->choices); break;
    default: {
        wf_vec3 vector = wf_lua_check_vec3(L, index, what);
        value[0] = vector.x;
        value[1] = vector.y;
        value[2] = vector.z;
    }
    }
    wf_lua_check_status(L, wf_wind_parameter_store(wf_lua_context(L), parameter, parameters, value), function);
}

static void push_parameter(lua_State *L, const wf_wind_parameter *parameter, const void *parameters)
{
    double value[3] = {0};
    wf_wind_parameter_load(parameter, parameters, value);
    switch (parameter->type) {
    case WF_WIND_NUMBER: lua_pushnumber(L, value[0]); break;
    case WF_WIND_INTEGER: lua_pushinteger(L, (lua_Integer)value[0]); break;
    case WF_WIND_CHOICE: lua_pushstring(L, parameter->choices[(int)value[0]]); break;
    default: wf_lua_push_vec3(L, (wf_vec3){value[0], value[1], value[2]}); break;
    }
}

/* The parameter that the field's name, at index 2, stands for; nil for kinds that have none of this name. */
static void get_parameter(lua_State *L, void *object)
{
    const wf_wind_source *source = object;
    const wf_wind_parameter *parameter = wf_wind_source_parameter(source->class, lua_tostring(L, 2));
    if (parameter) {
        push_parameter(L, parameter, source->parameters);
    } else {
        lua_pushnil(L);
    }
}

static void set_parameter(lua_State *L, void *object, int index, const char *what)
{
    wf_wind_source *source = object;
    const char *name = lua_tostring(L, 2);
    const wf_wind_parameter *parameter = wf_wind_source_parameter(source->class, name);
    if (!parameter) {
        wf_lua_fail(L, "%s cannot be set: a %s wind has none", what, source->class->name);
    }
    void *changed = lua_newuserdata(L, source->class->parameter_size);
    memcpy(changed, source->parameters, source->class->parameter_size);
    read_parameter(L, index, what, "weft.wind.source", parameter, changed);
    double value[3] = {0};
    wf_wind_parameter_load(parameter, changed, value);
    wf_lua_check_status(L, wf_wind_source_set(source, parameter, value), "weft.wind.source");
}

/* ---- what all kinds have ----------------------------------------------------------------------------------------- */

/* Opens options in which `name` is the value at `index`, so that a field is set as the option is read. */
static wf_lua_options wrap_option(lua_State *L, int index, const char *name)
{
    const char *const names[] = {name, NULL};
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, name);
    return wf_lua_open_options(L, lua_gettop(L), "weft.wind.source", names);
}

static const char strength_expected[] = "a number, a list of keys { time, value }, or a table { keys =, "
                                        "interpolation =, period = }";

/* A number, a list of keys, or a table that holds the list. */
static void read_strength(const wf_lua_options *options, wf_wind_source *source)
{
    static const char *const names[] = {"keys", "interpolation", "period", NULL};
    static const char *const interpolations[] = {"linear", "cosine", NULL};
    lua_State *L = options->L;
    wf_wind_strength strength = {.count = 1};
    wf_wind_key constant = {0, 1};
    const char *function = lua_pushfstring(L, "%s: strength", options->function);
    if (!wf_lua_push_option(options, "strength")) {
        return;
    }
    const double *values = NULL;
    if (lua_type(L, -1) == LUA_TNUMBER) {
        constant.value = wf_lua_check_number(L, -1, function, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        strength.keys = &constant;
    } else if (lua_istable(L, -1) && wf_lua_raw_length(L, -1) == 0) {
        wf_lua_options table = wf_lua_open_options(L, lua_gettop(L), function, names);
        int interpolation = WF_WIND_LINEAR;
        wf_lua_require_option(&table, "keys", "a list of keys { time, value }");
        wf_lua_option_choice(&table, "interpolation", interpolations, &interpolation);
        wf_lua_option_number(&table, "period", &strength.period, 0, WF_LUA_HIGHEST);
        strength.interpolation = (wf_wind_interpolation)interpolation;
        strength.count = wf_lua_option_vectors(&table, "keys", 2, &values);
    } else if (lua_istable(L, -1)) {
        strength.count = wf_lua_option_vectors(options, "strength", 2, &values);
    } else {
        wf_lua_fail_value(L, -1, function, strength_expected);
    }
    if (values) {
        strength.keys = (const wf_wind_key *)values;
    }
    wf_lua_check_status(L, wf_wind_source_set_strength(source, &strength), options->function);
}

static void set_strength(lua_State *L, void *object, int index, const char *what)
{
    if (lua_type(L, index) != LUA_TNUMBER && !lua_istable(L, index)) {
        wf_lua_fail_value(L, index, what, strength_expected);
    }
    wf_lua_options options = wrap_option(L, index, "strength");
    read_strength(&options, object);
}

/* A number where it is constant, else a table that could be set. */
static void get_strength(lua_State *L, void *object)
{
    const wf_wind_strength *strength = &((const wf_wind_source *)object)->strength;
    if (strength->count == 1) {
        lua_pushnumber(L, strength->keys[0].value);
        return;
    }
    lua_createtable(L, 0, 3);
    lua_createtable(L, (int)strength->count, 0);
    for (size_t i = 0; i < strength->count; i++) {
        const wf_wind_key key = strength->keys[i]; /* first: a finalizer may set others as the table is made */
        lua_createtable(L, 2, 0);
        lua_pushnumber(L, key.time);
        lua_rawseti(L, -2, 1);
        lua_pushnumber(L, key.value);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "keys");
    lua_pushstring(L, strength->interpolation == WF_WIND_COSINE ? "cosine" : "linear");
    lua_setfield(L, -2, "interpolation");
    wf_lua_set_number(L, "period", strength->period);
}

/* Whether the option was given as a table; false lifts what it sets, and sets `lifted`. */
static bool push_table_or_false(const wf_lua_options *options, const char *name, const char *expected, bool *lifted)
{
    lua_State *L = options->L;
    *lifted = false;
    const char *what = lua_pushfstring(L, "%s: %s", options->function, name);
    if (!wf_lua_push_option(options, name)) {
        return false;
    }
    if (lua_type(L, -1) == LUA_TBOOLEAN && !lua_toboolean(L, -1)) {
        *lifted = true;
        return false;
    }
    if (!lua_istable(L, -1)) {
        wf_lua_fail_value(L, -1, what, expected);
    }
    return true;
}

/* { lower =, upper = } or { centre =, radius = }, and margin; false: everywhere. */
static void read_extent(const wf_lua_options *options, wf_wind_source *source)
{
    static const char *const names[] = {"lower", "upper", "centre", "radius", "margin", NULL};
    lua_State *L = options->L;
    wf_wind_extent extent = {.shape = WF_WIND_EVERYWHERE};
    bool lifted;
    if (push_table_or_false(options, "extent", "a table { lower =, upper = } or { centre =, radius = }, or false",
                            &lifted)) {
        const char *function = lua_pushfstring(L, "%s: extent", options->function);
        wf_lua_options table = wf_lua_open_options(L, lua_gettop(L) - 1, function, names);
        bool lower = wf_lua_option_vec3(&table, "lower", &extent.lower);
        bool upper = wf_lua_option_vec3(&table, "upper", &extent.upper);
        bool centre = wf_lua_option_vec3(&table, "centre", &extent.centre);
        bool radius = wf_lua_option_number(&table, "radius", &extent.radius, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        if (lower != upper || centre != radius || lower == centre) {
            wf_lua_fail(L, "%s must have either lower and upper or centre and radius", function);
        }
        extent.shape = lower ? WF_WIND_BOX : WF_WIND_SPHERE;
        wf_lua_option_number(&table, "margin", &extent.margin, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    } else if (!lifted) {
        return;
    }
    wf_lua_check_status(L, wf_wind_source_set_extent(source, &extent), options->function);
}

static void set_extent(lua_State *L, void *object, int index, const char *what)
{
    (void)what;
    wf_lua_options options = wrap_option(L, index, "extent");
    read_extent(&options, object);
}

static void set_vec3(lua_State *L, const char *name, wf_vec3 value)
{
    wf_lua_push_vec3(L, value);
    lua_setfield(L, -2, name);
}

/* A copy that could be set, or false. */
static void get_extent(lua_State *L, void *object)
{
    const wf_wind_extent *extent = &((const wf_wind_source *)object)->extent;
    if (extent->shape == WF_WIND_EVERYWHERE) {
        lua_pushboolean(L, false);
        return;
    }
    lua_createtable(L, 0, 3);
    if (extent->shape == WF_WIND_BOX) {
        set_vec3(L, "lower", extent->lower);
        set_vec3(L, "upper", extent->upper);
    } else {
        set_vec3(L, "centre", extent->centre);
        wf_lua_set_number(L, "radius", extent->radius);
    }
    wf_lua_set_number(L, "margin", extent->margin);
}

/* { radius =, width =, centre = }; false: none. */
static void read_falloff(const wf_lua_options *options, wf_wind_source *source)
{
    static const char *const names[] = {"radius", "width", "centre", NULL};
    lua_State *L = options->L;
    wf_wind_falloff falloff = {.on = false};
    bool lifted;
    if (push_table_or_false(options, "falloff", "a table { radius =, width = }, or false", &lifted)) {
        const char *function = lua_pushfstring(L, "%s: falloff", options->function);
        wf_lua_options table = wf_lua_open_options(L, lua_gettop(L) - 1, function, names);
        falloff.on = true;
        wf_lua_require_option(&table, "width", "a number greater than 0");
        wf_lua_option_number(&table, "width", &falloff.width, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        wf_lua_option_number(&table, "radius", &falloff.radius, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        falloff.own_centre = wf_lua_option_vec3(&table, "centre", &falloff.centre);
    } else if (!lifted) {
        return;
    }
    wf_lua_check_status(L, wf_wind_source_set_falloff(source, &falloff), options->function);
}

static void set_falloff(lua_State *L, void *object, int index, const char *what)
{
    (void)what;
    wf_lua_options options = wrap_option(L, index, "falloff");
    read_falloff(&options, object);
}

static void get_falloff(lua_State *L, void *object)
{
    const wf_wind_falloff *falloff = &((const wf_wind_source *)object)->falloff;
    if (!falloff->on) {
        lua_pushboolean(L, false);
        return;
    }
    lua_createtable(L, 0, 3);
    wf_lua_set_number(L, "radius", falloff->radius);
    wf_lua_set_number(L, "width", falloff->width);
    if (falloff->own_centre) {
        set_vec3(L, "centre", falloff->centre);
    }
}

static void get_enabled(lua_State *L, void *object)
{
    lua_pushboolean(L, ((const wf_wind_source *)object)->enabled);
}

static void set_enabled(lua_State *L, void *object, int index, const char *what)
{
    wf_wind_source_enable(object, wf_lua_check_boolean(L, index, what));
}

static void get_kind(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_wind_source *)object)->class->name);
}

/* { lower =, upper = } with infinities where there is no bound. */
static void get_bounds(lua_State *L, void *object)
{
    wf_vec3 lower, upper;
    wf_wind_source_bounds(object, &lower, &upper);
    lua_createtable(L, 0, 2);
    set_vec3(L, "lower", lower);
    set_vec3(L, "upper", upper);
}

/* Points of a field along x, y, z; nil for other kinds. */
static void get_counts(lua_State *L, void *object)
{
    const wf_wind_source *source = object;
    if (source->class != &wf_wind_field_class) {
        lua_pushnil(L);
        return;
    }
    const wf_wind_field *field = source->parameters;
    lua_createtable(L, 3, 0);
    for (int k = 0; k < 3; k++) {
        lua_pushinteger(L, (lua_Integer)field->counts[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* The option `velocities`, as many as a field of these counts has, left on the stack; NULL where it is not given. */
static const wf_vec3 *read_velocities(const wf_lua_options *options, const int64_t counts[3])
{
    lua_State *L = options->L;
    const double *values;
    size_t given = wf_lua_option_vectors(options, "velocities", 3, &values);
    int64_t wanted = counts[0] * counts[1] * counts[2];
    if (values && (int64_t)given != wanted) {
        wf_lua_fail(L, "%s: velocities must be %d vectors, %d x %d x %d, got %d", options->function, (int)wanted,
                    (int)counts[0], (int)counts[1], (int)counts[2], (int)given);
    }
    return (const wf_vec3 *)values;
}

/* The buffer at index 4, or a new one, with room for `count` velocities, all 0; its handle is then on top. */
static wf_vec3 *push_target(lua_State *L, size_t count)
{
    if (lua_isnoneornil(L, 4)) {
        return wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    }
    const wf_lua_view *target = wf_lua_check_buffer(L, 4, "weft.wind.source.at: into", WF_LUA_DOUBLE, 3);
    if (!target->writable || target->count != count) {
        wf_lua_fail(L, "weft.wind.source.at: into must be a writable buffer of %d elements, got %d", (int)count,
                    (int)target->count);
    }
    lua_pushvalue(L, 4);
    return (wf_vec3 *)target->data;
}

/* source:at(point, time) returns {u, v, w}; source:at(buffer, time, into) returns a buffer. */
static int source_at(lua_State *L)
{
    static const char function[] = "weft.wind.source.at";
    wf_wind_source *source = check_source(L, "weft.wind.source.at: self");
    double time = lua_isnoneornil(L, 3) ? 0
                                        : wf_lua_check_number(L, 3, "weft.wind.source.at: time", WF_LUA_LOWEST,
                                                              WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_wind_source_prepare_new(source, time), function);
    if (!wf_lua_is_object(L, 2, &wf_lua_buffer_class)) {
        wf_vec3 point = wf_lua_check_vec3(L, 2, "weft.wind.source.at: point"), velocity = {0, 0, 0};
        wf_lua_check_status(L, wf_wind_source_add(source, time, 1, &point, &velocity), function);
        wf_lua_push_vec3(L, velocity);
        return 1;
    }
    size_t count = wf_lua_check_buffer(L, 2, "weft.wind.source.at: points", WF_LUA_DOUBLE, 3)->count;
    wf_vec3 *velocities = push_target(L, count);
    const wf_vec3 *points = wf_lua_check_buffer(L, 2, "weft.wind.source.at: points", WF_LUA_DOUBLE, 3)->data;
    if (points == velocities) {
        wf_lua_fail(L, "%s: into must not be the buffer of points", function);
    }
    memset(velocities, 0, count * sizeof *velocities);
    wf_lua_check_status(L, wf_wind_source_add(source, time, count, points, velocities), function);
    return 1;
}

/* source:strength_at(time): the factor. */
static int source_strength_at(lua_State *L)
{
    const wf_wind_source *source = check_source(L, "weft.wind.source.strength_at: self");
    double time = wf_lua_check_number(L, 2, "weft.wind.source.strength_at: time", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    lua_pushnumber(L, wf_wind_source_strength(source, time));
    return 1;
}

/* source:sample(time): asks the function of a field now. */
static int source_sample(lua_State *L)
{
    wf_wind_source *source = check_source(L, "weft.wind.source.sample: self");
    double time = wf_lua_check_number(L, 2, "weft.wind.source.sample: time", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    if (!source->asks) {
        wf_lua_fail(L, "weft.wind.source.sample: a %s wind without a function has nothing to ask", source->class->name);
    }
    wf_lua_check_status(L, wf_wind_source_prepare(source, time), "weft.wind.source.sample");
    return 0;
}

/* source:assign(velocities): other values of a field. */
static int source_assign(lua_State *L)
{
    static const char function[] = "weft.wind.source.assign";
    static const char *const names[] = {"velocities", NULL};
    wf_wind_source *source = check_source(L, "weft.wind.source.assign: self");
    if (source->class != &wf_wind_field_class) {
        wf_lua_fail(L, "%s: a %s wind is no field", function, source->class->name);
    }
    lua_settop(L, 2);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 2);
    lua_setfield(L, 3, "velocities");
    wf_lua_options options = wf_lua_open_options(L, 3, function, names);
    wf_lua_require_option(&options, "velocities", "a list of vectors or a weft.buffer");
    const wf_vec3 *velocities = read_velocities(&options, ((const wf_wind_field *)source->parameters)->counts);
    wf_lua_check_status(L, wf_wind_field_set(source, velocities), function);
    return 0;
}

static const luaL_Reg source_methods[] = {{"at", source_at},
                                          {"strength_at", source_strength_at},
                                          {"sample", source_sample},
                                          {"assign", source_assign},
                                          {NULL, NULL}};

/* The parameters of all kinds, and what all have. */
static const wf_lua_property source_properties[] = {{"kind", get_kind, NULL},
                                                    {"strength", get_strength, set_strength},
                                                    {"extent", get_extent, set_extent},
                                                    {"falloff", get_falloff, set_falloff},
                                                    {"enabled", get_enabled, set_enabled},
                                                    {"bounds", get_bounds, NULL},
                                                    {"velocity", get_parameter, set_parameter},
                                                    {"position", get_parameter, set_parameter},
                                                    {"axis", get_parameter, set_parameter},
                                                    {"flow", get_parameter, set_parameter},
                                                    {"core", get_parameter, set_parameter},
                                                    {"circulation", get_parameter, set_parameter},
                                                    {"radius", get_parameter, set_parameter},
                                                    {"profile", get_parameter, set_parameter},
                                                    {"reference_height", get_parameter, set_parameter},
                                                    {"ground", get_parameter, set_parameter},
                                                    {"roughness", get_parameter, set_parameter},
                                                    {"displacement", get_parameter, set_parameter},
                                                    {"exponent", get_parameter, set_parameter},
                                                    {"friction_velocity", get_parameter, set_parameter},
                                                    {"speed", get_parameter, set_parameter},
                                                    {"diameter", get_parameter, set_parameter},
                                                    {"spread", get_parameter, set_parameter},
                                                    {"onset", get_parameter, set_parameter},
                                                    {"duration", get_parameter, set_parameter},
                                                    {"shape", get_parameter, set_parameter},
                                                    {"travel", get_parameter, set_parameter},
                                                    {"intensity", get_parameter, set_parameter},
                                                    {"length", get_parameter, set_parameter},
                                                    {"spectrum", get_parameter, set_parameter},
                                                    {"unsteadiness", get_parameter, set_parameter},
                                                    {"smallest", get_parameter, set_parameter},
                                                    {"waves", get_parameter, set_parameter},
                                                    {"scale", get_parameter, set_parameter},
                                                    {"octaves", get_parameter, set_parameter},
                                                    {"gain", get_parameter, set_parameter},
                                                    {"evolution", get_parameter, set_parameter},
                                                    {"seed", get_parameter, set_parameter},
                                                    {"origin", get_parameter, set_parameter},
                                                    {"spacing", get_parameter, set_parameter},
                                                    {"interpolation", get_parameter, set_parameter},
                                                    {"outside", get_parameter, set_parameter},
                                                    {"counts", get_counts, NULL},
                                                    {NULL, NULL, NULL}};

const wf_lua_class wf_lua_wind_source_class = {"weft.wind.source", source_methods, source_properties, describe_source,
                                               destroy_source};

/* ---- constructors ------------------------------------------------------------------------------------------------ */

static const char *const common_names[] = {"strength", "extent", "falloff", "enabled"};

static const char *const field_names[] = {"counts", "velocities", "sample", "each", "file", NULL};

enum { COMMON_COUNT = sizeof common_names / sizeof *common_names, NAME_LIMIT = 40 };

/* Lists the names of a kind's options; `names` has room for NAME_LIMIT. */
static void list_names(const wf_wind_source_class *class, const char **names)
{
    int count = 0;
    for (; count < COMMON_COUNT; count++) {
        names[count] = common_names[count];
    }
    for (const wf_wind_parameter *p = class->parameters; p->name && count < NAME_LIMIT - 1; p++) {
        names[count++] = p->name;
    }
    for (int i = 0; class == &wf_wind_field_class && field_names[i]; i++) {
        names[count++] = field_names[i];
    }
    names[count] = NULL;
}

/* The kind's parameters, in a userdata that is left on the stack. */
static void *read_parameters(const wf_lua_options *options, const wf_wind_source_class *class)
{
    lua_State *L = options->L;
    void *parameters = lua_newuserdata(L, class->parameter_size);
    memcpy(parameters, class->defaults, class->parameter_size);
    for (const wf_wind_parameter *p = class->parameters; p->name; p++) {
        if (p->required) {
            bool number = p->type == WF_WIND_NUMBER || p->type == WF_WIND_INTEGER;
            wf_lua_require_option(options, p->name, number ? "a number" : "three numbers {x, y, z}");
        }
        const char *what = lua_pushfstring(L, "%s: %s", options->function, p->name);
        if (wf_lua_push_option(options, p->name)) {
            read_parameter(L, lua_gettop(L), what, options->function, p, parameters);
        }
        lua_pop(L, 2);
    }
    return parameters;
}

/* Adds to a field's parameters what the table of parameters does not hold; pushes what they point to. Returns the stack
 * index of what calls the field's function, or 0. */
static int read_field(const wf_lua_options *options, wf_wind_field *field)
{
    lua_State *L = options->L;
    wf_lua_require_option(options, "counts", "three integers");
    wf_lua_require_option(options, "spacing", "three numbers {x, y, z}");
    wf_lua_option_integers(options, "counts", field->counts, 3, 1, 4096);
    double all = (double)field->counts[0] * (double)field->counts[1] * (double)field->counts[2];
    if (all > (double)WF_WIND_FIELD_LIMIT) {
        return 0; /* what makes the source says so */
    }
    field->velocities = read_velocities(options, field->counts);
    int top = lua_gettop(L);
    bool whole = wf_lua_option_typed(options, "sample", LUA_TFUNCTION); /* left on the stack */
    lua_settop(L, top + whole);
    bool each = wf_lua_option_typed(options, "each", LUA_TFUNCTION);
    lua_settop(L, top + whole + each);
    if (whole + each + (field->velocities != NULL) != 1) {
        wf_lua_fail(L, "%s: must have one of velocities, a function sample and a function each", options->function);
    }
    return field->velocities ? 0 : wf_lua_push_field_function(L, top + 1, (size_t)all, each);
}

/* The name of the file that a field is read from, left on the stack, or NULL. */
static const char *field_file(const wf_lua_options *options)
{
    static const char *const others[] = {"counts", "spacing", "velocities", "sample", "each"};
    lua_State *L = options->L;
    const char *file = wf_lua_option_string(options, "file");
    for (size_t i = 0; file && i < sizeof others / sizeof *others; i++) {
        if (wf_lua_push_option(options, others[i])) {
            wf_lua_fail(L, "%s: %s must not be given beside a file, which has it", options->function, others[i]);
        }
        lua_pop(L, 1);
    }
    return file;
}

/* The file's field; its origin, unless another is given. Raises nothing. */
static wf_status create_from_file(wf_context *context, const char *file, bool placed, wf_wind_field *field,
                                  wf_wind_source **source)
{
    wf_vtk_field read;
    wf_status status = wf_vtk_read_field(context, file, WF_WIND_FIELD_LIMIT, &read);
    if (status == WF_OK) {
        memcpy(field->counts, read.counts, sizeof field->counts);
        field->spacing = read.spacing;
        field->origin = placed ? field->origin : read.origin;
        field->velocities = read.vectors;
        status = wf_wind_source_create(context, &wf_wind_field_class, field, source);
        wf_free(context, read.vectors);
    }
    return status;
}

/* core.wind_<kind> { ... }; the second upvalue is the class. */
static int source_new(lua_State *L)
{
    const wf_wind_source_class *class = lua_touserdata(L, lua_upvalueindex(2));
    const char *names[NAME_LIMIT];
    list_names(class, names);
    lua_settop(L, 1);
    const char *function = lua_pushfstring(L, "weft.wind.%s", class->name);
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    void *parameters = read_parameters(&options, class);
    bool is_field = class == &wf_wind_field_class, placed = is_field && wf_lua_push_option(&options, "origin");
    const char *file = is_field ? field_file(&options) : NULL;
    int caller = is_field && !file ? read_field(&options, parameters) : 0;
    void **slot = wf_lua_new_object(L, &wf_lua_wind_source_class, 0);
    int handle = lua_gettop(L);
    wf_wind_source *source = NULL;
    wf_context *context = wf_lua_context(L);
    wf_status status = caller != 0 ? wf_lua_create_field(L, caller, parameters, &source)
                       : file      ? create_from_file(context, file, placed, parameters, &source)
                                   : wf_wind_source_create(context, class, parameters, &source);
    *slot = source;
    wf_lua_check_status(L, status, function);
    if (caller != 0) {
        wf_lua_keep_field_function(L, handle, caller);
    }
    bool enabled = true;
    wf_lua_option_boolean(&options, "enabled", &enabled);
    wf_wind_source_enable(source, enabled);
    read_strength(&options, source);
    read_extent(&options, source);
    read_falloff(&options, source);
    lua_settop(L, handle);
    return 1;
}

void wf_lua_open_wind_source(lua_State *L);

void wf_lua_open_wind_source(lua_State *L)
{
    wf_lua_register_class(L, &wf_lua_wind_source_class);
    for (int i = 0; i < wf_wind_source_class_count(); i++) {
        const wf_wind_source_class *class = wf_wind_source_class_at(i);
        lua_pushfstring(L, "wind_%s", class->name);
        lua_pushlightuserdata(L, (void *)class);
        wf_lua_push_function(L, source_new, 1);
        lua_settable(L, -3);
    }
}
