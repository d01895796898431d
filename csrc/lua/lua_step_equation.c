/* lua_step_equation.c - weft.step.equation: test equations, by name or as Lua functions. */
#include <stdio.h>
#include <string.h>

#include "base/nearest_name.h"
#include "lua/buffer.h"
#include "lua/lua_spring_net.h"
#include "lua/lua_step.h"
#include "step/problems.h"

/* ---- functions of a script ------------------------------------------------------------------------------------- */

enum { FORCE, STIFF, STIFFNESS, DAMPING, STIFF_STIFFNESS, STIFF_DAMPING, ENERGY, EXACT, FUNCTION_COUNT };

static const char *const function_names[] = {"force",           "stiff",         "stiffness", "damping",
                                             "stiff_stiffness", "stiff_damping", "energy",    "exact"};

/* Keys of the handle's own table: functions at 1 + their number, then what calls them and the lists they get. */
enum { CALLER_KEY = 1 + FUNCTION_COUNT, X_KEY, V_KEY, RESULT_KEY };

typedef struct request {
    int function;
    double t;
    const double *x, *v;
    double *result, *second; /* second: the velocities of an exact solution */
} request;

struct wf_lua_script {
    wf_context *context;
    size_t size;
    bool first_order;
    double *constants[FUNCTION_COUNT]; /* matrices that do not change, or NULL */
    lua_State *L;                      /* while the equation is entered */
    int caller;                        /* stack index of the function that calls the script's */
    request request;
};

typedef struct wf_lua_script script;

static void fail_result(lua_State *L, int index, const char *expected)
{
    wf_lua_push_value_text(L, index);
    luaL_error(L, "it must return %s, got %s", expected, lua_tostring(L, -1));
}

/* Reads `size` numbers from the list at `index` into `values`; one number stands for a list of one. The equation itself
 * checks that they are finite: where a solution runs away they are not, which is no mistake of the script. */
static void read_list(lua_State *L, const script *s, int index, double *values)
{
    char expected[64];
    snprintf(expected, sizeof expected, s->size == 1 ? "a number" : "a list of %d numbers", (int)s->size);
    if (s->size == 1 && lua_type(L, index) == LUA_TNUMBER) {
        values[0] = lua_tonumber(L, index);
    } else if (lua_istable(L, index) && wf_lua_raw_length(L, index) == s->size) {
        for (size_t i = 0; i < s->size; i++) {
            lua_rawgeti(L, index, (int)i + 1);
            if (lua_type(L, -1) != LUA_TNUMBER) {
                fail_result(L, index, expected);
            }
            values[i] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
    } else {
        fail_result(L, index, expected);
    }
}

static void read_matrix(lua_State *L, const script *s, int index, double *values)
{
    if (s->size == 1 && lua_type(L, index) == LUA_TNUMBER) {
        read_list(L, s, index, values);
        return;
    }
    if (!lua_istable(L, index) || wf_lua_raw_length(L, index) != s->size) {
        char expected[64];
        snprintf(expected, sizeof expected, "a list of %d rows", (int)s->size);
        fail_result(L, index, expected);
    }
    for (size_t r = 0; r < s->size; r++) {
        lua_rawgeti(L, index, (int)r + 1);
        read_list(L, s, lua_gettop(L), values + r * s->size);
        lua_pop(L, 1);
    }
}

/* Fills the table on top of the stack; NULL clears it. */
static void fill_list(lua_State *L, size_t size, const double *values)
{
    for (size_t i = 0; i < size; i++) {
        if (values) {
            lua_pushnumber(L, values[i]);
        } else {
            lua_pushnil(L);
        }
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* Runs under pcall, so it may raise. Upvalues: the script, the handle's own table. */
static int call_function(lua_State *L)
{
    const script *s = lua_touserdata(L, lua_upvalueindex(1));
    const request *r = &s->request;
    int table = lua_upvalueindex(2);
    luaL_checkstack(L, 16, "weft.step.equation: no room for a call");
    lua_settop(L, 0);
    lua_rawgeti(L, table, 1 + r->function);
    lua_pushnumber(L, r->t);
    if (r->function == EXACT) {
        lua_call(L, 1, 2);
        read_list(L, s, 1, s->first_order ? r->second : r->result);
        if (!s->first_order && !lua_isnil(L, 2)) {
            read_list(L, s, 2, r->second);
        }
        return 0;
    }
    lua_rawgeti(L, table, X_KEY);
    fill_list(L, s->size, r->x);
    if (r->function == ENERGY) {
        lua_call(L, 2, 1);
        if (lua_type(L, 1) != LUA_TNUMBER) {
            fail_result(L, 1, "a number");
        }
        r->result[0] = lua_tonumber(L, 1);
        return 0;
    }
    lua_rawgeti(L, table, V_KEY);
    fill_list(L, s->size, r->v);
    lua_rawgeti(L, table, RESULT_KEY);
    fill_list(L, s->size, NULL);
    lua_call(L, 4, 1);
    if (lua_isnil(L, 1)) { /* it filled the list it was given */
        lua_rawgeti(L, table, RESULT_KEY);
        lua_replace(L, 1);
    }
    if (r->function == FORCE || r->function == STIFF) {
        read_list(L, s, 1, r->result);
    } else {
        read_matrix(L, s, 1, r->result);
    }
    return 0;
}

static wf_status call_script(script *s, int function, double t, const double *x, const double *v, double *result,
                             double *second)
{
    lua_State *L = s->L;
    s->request = (request){function, t, x, v, result, second};
    lua_pushvalue(L, s->caller);
    if (!wf_lua_call_back(L, 0, 0)) {
        wf_fail(s->context, WF_ERROR_STATE, "%s: %s", function_names[function], lua_tostring(L, -1));
        lua_pop(L, 1);
        return WF_ERROR_STATE;
    }
    return WF_OK;
}

static wf_status script_force(void *user, double t, const double *x, const double *v, double *force)
{
    return call_script(user, FORCE, t, x, v, force, NULL);
}

static wf_status script_stiff(void *user, double t, const double *x, const double *v, double *force)
{
    return call_script(user, STIFF, t, x, v, force, NULL);
}

static wf_status matrix(script *s, int function, double t, const double *x, const double *v, double *values)
{
    if (s->constants[function]) {
        memcpy(values, s->constants[function], s->size * s->size * sizeof *values);
        return WF_OK;
    }
    return call_script(s, function, t, x, v, values, NULL);
}

static wf_status script_stiffness(void *user, double t, const double *x, const double *v, double *values)
{
    return matrix(user, STIFFNESS, t, x, v, values);
}

static wf_status script_damping(void *user, double t, const double *x, const double *v, double *values)
{
    return matrix(user, DAMPING, t, x, v, values);
}

static wf_status script_stiff_stiffness(void *user, double t, const double *x, const double *v, double *values)
{
    return matrix(user, STIFF_STIFFNESS, t, x, v, values);
}

static wf_status script_stiff_damping(void *user, double t, const double *x, const double *v, double *values)
{
    return matrix(user, STIFF_DAMPING, t, x, v, values);
}

static wf_status script_energy(void *user, double t, const double *x, double *energy)
{
    return call_script(user, ENERGY, t, x, NULL, energy, NULL);
}

static wf_status script_exact(void *user, double t, double *x, double *v)
{
    return call_script(user, EXACT, t, NULL, NULL, x, v);
}

static void destroy_script(wf_context *context, void *user)
{
    script *s = user;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        wf_free(context, s->constants[i]);
    }
    wf_free(context, s);
}

/* ---- handles --------------------------------------------------------------------------------------------------- */

void wf_lua_enter_equation(lua_State *L, int index, const char *what)
{
    wf_lua_equation *e = wf_lua_check_object(L, index, &wf_lua_equation_class, what);
    if (e->busy) {
        wf_lua_fail(L, "%s is being integrated: its functions cannot integrate it again", what);
    }
    luaL_checkstack(L, 24, "weft.step: no room for calls");
    if (e->script) {
        wf_lua_push_own_table(L, index);
        lua_rawgeti(L, -1, CALLER_KEY);
        lua_remove(L, -2);
        e->script->L = L;
        e->script->caller = lua_gettop(L);
    }
    e->busy = true;
}

void wf_lua_leave_equation(wf_lua_equation *equation)
{
    equation->busy = false;
    if (equation->script) {
        equation->script->L = NULL;
    }
}

static void destroy_equation(wf_context *context, void *object, void *parent)
{
    wf_lua_equation *e = object;
    (void)parent;
    wf_equation_destroy(e->equation);
    wf_free(context, e);
}

static void describe_equation(lua_State *L, void *object)
{
    const wf_equation *equation = ((wf_lua_equation *)object)->equation;
    char text[256];
    snprintf(text, sizeof text, "weft.step.equation (%s, %zu unknown%s, %g to %g s%s)", equation->name,
             equation->def.size, equation->def.size == 1 ? "" : "s", equation->def.from, equation->def.to,
             equation->def.exact ? ", solution known" : "");
    lua_pushstring(L, text);
}

wf_lua_equation *wf_lua_new_equation(lua_State *L, const char *function)
{
    void **slot = wf_lua_new_object(L, &wf_lua_equation_class, 0);
    wf_lua_equation *e = wf_allocate(wf_lua_context(L), 1, sizeof *e);
    *slot = e;
    wf_lua_check_status(L, e ? WF_OK : WF_ERROR_MEMORY, function);
    return e;
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static const char *const equation_names[] = {
    "name",      "title",   "size",  "force",        "stiff",           "stiffness",     "damping", "stiff_stiffness",
    "stiff_damping", "energy", "exact", "first_order", "linear_in_velocity", "dimension", "mass",  "x",
    "v",         "from",    "to",    "lambda",       "frequency",       "centre",        "gravity", "length",
    "eccentricity", "count", "anchored", NULL};

/* A list of numbers, a list of points of 2 or 3 coordinates, or a buffer of doubles. */
const double *wf_lua_option_state(const wf_lua_options *options, const char *name, size_t size)
{
    lua_State *L = options->L;
    const double *values;
    size_t count;
    if (!wf_lua_push_option(options, name)) {
        return NULL;
    }
    bool buffer = wf_lua_is_object(L, -1, &wf_lua_buffer_class);
    size_t components = 1;
    if (buffer) {
        const char *what = lua_pushfstring(L, "%s: %s", options->function, name);
        components = (size_t)wf_lua_check_buffer(L, -2, what, WF_LUA_DOUBLE, 0)->components;
        lua_pop(L, 1);
    } else if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 1);
        components = lua_istable(L, -1) ? wf_lua_raw_length(L, -1) : 1;
        lua_pop(L, 1);
    }
    bool points = !buffer && lua_istable(L, -1) && components > 1;
    lua_pop(L, 1);
    if (buffer || (points && components <= 3)) {
        count = components * wf_lua_option_vectors(options, name, (int)components, &values);
    } else {
        count = wf_lua_option_list(options, name, WF_LUA_LOWEST, WF_LUA_HIGHEST, &values);
    }
    if (count != size) {
        wf_lua_fail(L, "%s: %s must have %d numbers, got %d", options->function, name, (int)size, (int)count);
    }
    return values;
}

void wf_lua_push_state(lua_State *L, const wf_equation *equation, const double *values)
{
    size_t n = equation->def.size;
    if (equation->def.dimension == 3) {
        memcpy(wf_lua_push_buffer(L, WF_LUA_DOUBLE, n / 3, 3), values, n * sizeof *values);
        return;
    }
    lua_createtable(L, (int)n, 0);
    fill_list(L, n, values);
}

static void fail_stranger(const wf_lua_options *options, const char *name, const char *of)
{
    wf_lua_fail(options->L, "%s: %s is no option of %s", options->function, name, of);
}

static bool is_given(const wf_lua_options *options, const char *name)
{
    bool given = wf_lua_push_option(options, name);
    lua_pop(options->L, 1);
    return given;
}

static bool is_listed(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- problems by name ------------------------------------------------------------------------------------------ */

static const wf_problem *check_problem(lua_State *L, const char *name, const char *what)
{
    const wf_problem *problem = wf_find_problem(name);
    if (problem) {
        return problem;
    }
    enum { LIMIT = 32 };
    const char *names[LIMIT + 1] = {NULL};
    size_t count;
    const wf_problem *problems = wf_problems(&count);
    for (size_t i = 0; i < count && i < LIMIT; i++) {
        names[i] = problems[i].name;
    }
    const char *nearest = wf_nearest_name(name, names);
    lua_pushlstring(L, name, strlen(name) < 60 ? strlen(name) : 60);
    wf_lua_fail(L, "%s: there is no equation '%s'%s%s%s", what, lua_tostring(L, -1), nearest ? "; did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

static void read_lambda(const wf_lua_options *options, double lambda[2])
{
    bool given = wf_lua_push_option(options, "lambda"), pair = lua_istable(options->L, -1);
    lua_pop(options->L, 1);
    if (given && pair) {
        wf_lua_option_numbers(options, "lambda", lambda, 2, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    } else if (given) {
        wf_lua_option_number(options, "lambda", &lambda[0], WF_LUA_LOWEST, WF_LUA_HIGHEST);
    }
}

static wf_problem_params read_problem(const wf_lua_options *options, const wf_problem *problem)
{
    static const char *const common[] = {"name", "x", "v", "from", "to", NULL};
    for (const char *const *name = equation_names; *name; name++) {
        if (is_given(options, *name) && !is_listed(*name, common) && !is_listed(*name, problem->parameters)) {
            fail_stranger(options, *name, problem->name);
        }
    }
    wf_problem_params params = wf_default_problem_params(problem);
    struct {
        const char *name;
        double *value;
    } numbers[] = {{"frequency", &params.frequency}, {"damping", &params.damping},
                   {"centre", &params.centre},       {"gravity", &params.gravity},
                   {"length", &params.length},       {"stiffness", &params.stiffness},
                   {"mass", &params.mass},           {"eccentricity", &params.eccentricity},
                   {"from", &params.from},           {"to", &params.to}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        wf_lua_option_number(options, numbers[i].name, numbers[i].value, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    }
    int64_t count = params.count;
    read_lambda(options, params.lambda);
    wf_lua_option_integer(options, "count", &count, 1, WF_EQUATION_SIZE_LIMIT / 2);
    wf_lua_option_boolean(options, "anchored", &params.anchored);
    params.count = (int32_t)count;
    params.x = wf_lua_option_state(options, "x", problem->size(&params));
    params.v = wf_lua_option_state(options, "v", problem->size(&params));
    return params;
}

static void make_problem(lua_State *L, const wf_problem *problem, const wf_problem_params *params)
{
    wf_lua_equation *e = wf_lua_new_equation(L, "weft.step.equation");
    wf_lua_check_status(L, wf_problem_create(wf_lua_context(L), problem, params, &e->equation), "weft.step.equation");
}

wf_lua_equation *wf_lua_take_equation(lua_State *L, int index, const char *what)
{
    index = wf_lua_absolute(L, index);
    if (lua_type(L, index) == LUA_TSTRING) {
        const wf_problem *problem = check_problem(L, wf_lua_check_string(L, index, what), what);
        wf_problem_params params = wf_default_problem_params(problem);
        make_problem(L, problem, &params);
        lua_replace(L, index);
    } else if (wf_lua_is_object(L, index, &wf_lua_springs_class)) {
        wf_lua_check_object(L, index, &wf_lua_springs_class, what); /* refuses closed ones */
        wf_lua_push_parent(L, index);
        lua_replace(L, index);
    }
    return wf_lua_check_object(L, index, &wf_lua_equation_class, what);
}

/* weft.step.equations(): a list of { name =, describes =, parameters = } */
static int step_equations(lua_State *L)
{
    size_t count;
    const wf_problem *problems = wf_problems(&count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 3);
        lua_pushstring(L, problems[i].name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, problems[i].describes);
        lua_setfield(L, -2, "describes");
        lua_newtable(L);
        for (int k = 0; problems[i].parameters[k]; k++) {
            lua_pushstring(L, problems[i].parameters[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, "parameters");
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* ---- equations of functions ------------------------------------------------------------------------------------ */

/* A number for all, or one each. Leaves a value on the stack. */
static const double *read_mass(const wf_lua_options *options, size_t size)
{
    lua_State *L = options->L;
    wf_lua_push_option(options, "mass");
    bool number = lua_type(L, -1) == LUA_TNUMBER;
    lua_pop(L, 1);
    if (!number) {
        return wf_lua_option_state(options, "mass", size);
    }
    double value = 1;
    wf_lua_option_number(options, "mass", &value, WF_LUA_POSITIVE, WF_LUA_HIGHEST);
    double *masses = lua_newuserdata(L, size * sizeof *masses);
    for (size_t i = 0; i < size; i++) {
        masses[i] = value;
    }
    return masses;
}

/* The number of unknowns: given, or that of the start. */
static size_t read_size(const wf_lua_options *options)
{
    lua_State *L = options->L;
    static const char *const starts[] = {"x", "v"};
    int64_t size = 0;
    if (wf_lua_option_integer(options, "size", &size, 1, WF_EQUATION_SIZE_LIMIT)) {
        return (size_t)size;
    }
    for (int i = 0; i < 2 && size == 0; i++) {
        wf_lua_push_option(options, starts[i]);
        size = lua_istable(L, -1) ? (int64_t)wf_lua_raw_length(L, -1) : 0;
        if (size > 0) { /* a list of points? */
            lua_rawgeti(L, -1, 1);
            size *= lua_istable(L, -1) ? (int64_t)wf_lua_raw_length(L, -1) : 1;
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    if (size < 1 || size > WF_EQUATION_SIZE_LIMIT) {
        wf_lua_require_option(options, "size", "the number of unknowns, from 1 to 1024");
    }
    return (size_t)size;
}

/* Keeps the function, or reads the constant matrix, that is the option `function`. */
static bool read_function(const wf_lua_options *options, int own_table, script *s, int function)
{
    lua_State *L = options->L;
    const char *name = function_names[function];
    bool given = wf_lua_push_option(options, name);
    bool may_be_constant = function >= STIFFNESS && function <= STIFF_DAMPING;
    char what[96];
    snprintf(what, sizeof what, "%s: %s", options->function, name);
    if (!given) {
        lua_pop(L, 1);
        return false;
    }
    if (lua_isfunction(L, -1)) {
        lua_rawseti(L, own_table, 1 + function);
        return true;
    }
    bool number = s->size == 1 && lua_type(L, -1) == LUA_TNUMBER;
    if (!may_be_constant || !(number || lua_istable(L, -1))) {
        wf_lua_fail_value(L, -1, what, may_be_constant ? "a function or a matrix" : "a function");
    }
    lua_pop(L, 1);
    s->constants[function] = wf_allocate(s->context, s->size * s->size, sizeof(double));
    wf_lua_check_status(L, s->constants[function] ? WF_OK : WF_ERROR_MEMORY, options->function);
    if (number) {
        wf_lua_option_number(options, name, s->constants[function], WF_LUA_LOWEST, WF_LUA_HIGHEST);
        return true;
    }
    const double *rows;
    wf_lua_push_option(options, name);
    size_t count = wf_lua_raw_length(L, -1);
    lua_pop(L, 1);
    if (count == s->size) {
        count = wf_lua_option_vectors(options, name, (int)s->size, &rows);
        memcpy(s->constants[function], rows, count * count * sizeof *rows);
        lua_pop(L, 1);
    } else {
        wf_lua_fail(L, "%s must have %d rows, got %d", what, (int)s->size, (int)count);
    }
    return true;
}

static void keep_lists(lua_State *L, int own_table, script *s)
{
    for (int key = X_KEY; key <= RESULT_KEY; key++) {
        lua_createtable(L, (int)s->size, 0);
        lua_rawseti(L, own_table, key);
    }
    lua_pushlightuserdata(L, s);
    lua_pushvalue(L, own_table);
    lua_pushcclosure(L, call_function, 2);
    lua_rawseti(L, own_table, CALLER_KEY);
}

/* Fills the functions of `def` from the options. The script belongs to the handle at `handle` until it is def->user. */
static void read_functions(const wf_lua_options *options, int handle, script *s, wf_equation_def *def)
{
    lua_State *L = options->L;
    wf_equation_function *const functions[] = {script_force,   script_stiff,           script_stiffness,
                                               script_damping, script_stiff_stiffness, script_stiff_damping};
    wf_equation_function **const places[] = {&def->forces,  &def->stiff_forces,    &def->stiffness,
                                             &def->damping, &def->stiff_stiffness, &def->stiff_damping};
    wf_lua_push_own_table(L, handle);
    int own_table = lua_gettop(L);
    for (int i = FORCE; i <= STIFF_DAMPING; i++) {
        *places[i] = read_function(options, own_table, s, i) ? functions[i] : NULL;
    }
    def->energy = read_function(options, own_table, s, ENERGY) ? script_energy : NULL;
    def->exact = read_function(options, own_table, s, EXACT) ? script_exact : NULL;
    keep_lists(L, own_table, s);
}

static int make_scripted(const wf_lua_options *options)
{
    lua_State *L = options->L;
    static const char *const problems_only[] = {"lambda", "frequency", "centre",   "gravity", "length",
                                                "eccentricity", "count", "anchored", NULL};
    for (const char *const *name = problems_only; *name; name++) {
        if (is_given(options, *name)) {
            fail_stranger(options, *name, "an equation without a name");
        }
    }
    wf_lua_require_option(options, "force", "a function of t, x and v, or an equation's name");
    wf_equation_def def = wf_default_equation_def();
    int64_t dimension = 0;
    def.size = read_size(options);
    wf_lua_option_boolean(options, "first_order", &def.first_order);
    wf_lua_option_boolean(options, "linear_in_velocity", &def.linear_in_velocity);
    wf_lua_option_integer(options, "dimension", &dimension, 0, 3);
    wf_lua_option_number(options, "from", &def.from, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "to", &def.to, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    def.dimension = (int)dimension;
    def.mass = read_mass(options, def.size);
    def.x = wf_lua_option_state(options, "x", def.size);
    def.v = wf_lua_option_state(options, "v", def.size);
    const char *title = wf_lua_option_string(options, "title");
    def.name = title ? title : "the equation";

    wf_lua_equation *e = wf_lua_new_equation(L, options->function);
    int handle = lua_gettop(L);
    wf_context *context = wf_lua_context(L);
    script *s = wf_allocate(context, 1, sizeof *s);
    wf_lua_check_status(L, s ? WF_OK : WF_ERROR_MEMORY, options->function);
    *s = (script){.context = context, .size = def.size, .first_order = def.first_order};
    def.user = s;
    def.destroy = destroy_script;
    def.forces = script_force;
    /* The equation first: from here on it owns the script, whatever goes wrong. */
    wf_lua_check_status(L, wf_equation_create(context, &def, &e->equation), options->function);
    e->script = s;
    read_functions(options, handle, s, &e->equation->def);
    wf_equation_bind(e->equation);
    lua_settop(L, handle);
    return 1;
}

/* weft.step.equation { name =, ... } or { force =, ... }; or a name, a spring net, an equation */
static int step_equation(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TSTRING || lua_type(L, 1) == LUA_TUSERDATA) {
        wf_lua_take_equation(L, 1, "weft.step.equation");
        return 1;
    }
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.step.equation", equation_names);
    const char *name = wf_lua_option_string(&options, "name");
    if (!name) {
        return make_scripted(&options);
    }
    const wf_problem *problem = check_problem(L, name, options.function);
    wf_problem_params params = read_problem(&options, problem);
    make_problem(L, problem, &params);
    return 1;
}

/* ---- methods --------------------------------------------------------------------------------------------------- */

static wf_equation *self_equation(lua_State *L, const char *what)
{
    return ((wf_lua_equation *)wf_lua_check_object(L, 1, &wf_lua_equation_class, what))->equation;
}

/* equation:exact(t): x and v of the solution from the equation's own start */
static int equation_exact(lua_State *L)
{
    wf_equation *equation = self_equation(L, "weft.step.equation.exact: self");
    double t = wf_lua_check_number(L, 2, "weft.step.equation.exact: t", WF_LUA_LOWEST, WF_LUA_HIGHEST);
    if (!equation->def.exact) {
        wf_lua_fail(L, "weft.step.equation.exact: the solution of %s is not known", equation->name);
    }
    size_t n = equation->def.size;
    double *values = lua_newuserdata(L, 2 * n * sizeof *values);
    for (size_t i = 0; i < 2 * n; i++) {
        values[i] = 0;
    }
    wf_lua_enter_equation(L, 1, "weft.step.equation.exact: self");
    wf_status status = equation->def.exact(equation->def.user, t, values, values + n);
    wf_lua_leave_equation(wf_lua_check_object(L, 1, &wf_lua_equation_class, "self"));
    wf_lua_check_status(L, status, "weft.step.equation.exact");
    wf_lua_push_state(L, equation, values);
    wf_lua_push_state(L, equation, values + n);
    return 2;
}

static void get_name(lua_State *L, void *object)
{
    lua_pushstring(L, ((wf_lua_equation *)object)->equation->name);
}

static void get_size(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)((wf_lua_equation *)object)->equation->def.size);
}

static void get_from(lua_State *L, void *object)
{
    lua_pushnumber(L, ((wf_lua_equation *)object)->equation->def.from);
}

static void get_to(lua_State *L, void *object)
{
    lua_pushnumber(L, ((wf_lua_equation *)object)->equation->def.to);
}

static void get_solved(lua_State *L, void *object)
{
    lua_pushboolean(L, ((wf_lua_equation *)object)->equation->def.exact != NULL);
}

static void get_first_order(lua_State *L, void *object)
{
    lua_pushboolean(L, ((wf_lua_equation *)object)->equation->def.first_order);
}

static void get_x(lua_State *L, void *object)
{
    const wf_equation *equation = ((wf_lua_equation *)object)->equation;
    wf_lua_push_state(L, equation, equation->x);
}

static void get_v(lua_State *L, void *object)
{
    const wf_equation *equation = ((wf_lua_equation *)object)->equation;
    wf_lua_push_state(L, equation, equation->v);
}

static void get_evaluations(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)((wf_lua_equation *)object)->equation->evaluations);
}

static const luaL_Reg equation_methods[] = {{"exact", equation_exact}, {NULL, NULL}};
static const wf_lua_property equation_properties[] = {
    {"name", get_name, NULL},     {"size", get_size, NULL}, {"from", get_from, NULL},
    {"to", get_to, NULL},         {"x", get_x, NULL},       {"v", get_v, NULL},
    {"solved", get_solved, NULL}, {"first_order", get_first_order, NULL},
    {"evaluations", get_evaluations, NULL}, {NULL, NULL, NULL}};
const wf_lua_class wf_lua_equation_class = {"weft.step.equation", equation_methods, equation_properties,
                                            describe_equation, destroy_equation};

void wf_lua_open_step_equation(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_equation", step_equation}, {"step_equations", step_equations},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_equation_class);
    wf_lua_set_functions(L, functions);
}
