/* lua_step.c - weft.step.integrator: schemes by name, their steps and their walks through an interval. */
#include "lua/lua_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/buffer.h"
#include "step/march.h"
#include "step/scheme.h"

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static const char *const integrator_names[] = {
    "scheme", "alpha", "tableau", "newton", "linearisation", "newton_tolerance", "newton_iterations",
    "linear_tolerance", "forcing", "line_search", "extrapolate", "step_control", "easy_iterations",
    "relative_tolerance", "absolute_tolerance", "first_step", "smallest_step", "iterations", "substeps", "form", NULL};

/* The stages x stages matrix a, given by its rows, which may end at the diagonal. */
static void read_stages(const wf_lua_options *options, wf_tableau *tableau)
{
    lua_State *L = options->L;
    wf_lua_require_option(options, "a", "a list of rows");
    wf_lua_option_typed(options, "a", LUA_TTABLE);
    int rows = lua_gettop(L);
    if (wf_lua_raw_length(L, rows) != (size_t)tableau->stages) {
        wf_lua_fail(L, "%s: a must have %d rows, as b has weights, got %d", options->function, (int)tableau->stages,
                    (int)wf_lua_raw_length(L, rows));
    }
    for (int i = 0; i < tableau->stages; i++) {
        lua_rawgeti(L, rows, i + 1);
        size_t length = lua_istable(L, -1) ? wf_lua_raw_length(L, -1) : SIZE_MAX;
        char what[96];
        snprintf(what, sizeof what, "%s: a[%d]", options->function, i + 1);
        if (length > (size_t)tableau->stages) {
            wf_lua_fail_value(L, -1, what, "a row of the matrix");
        }
        for (int j = 0; j < (int)length; j++) {
            lua_rawgeti(L, -1, j + 1);
            tableau->a[i][j] = wf_lua_check_number(L, -1, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* tableau = { a = rows, b = weights, c = nodes, embedded_b = weights, embedded_order = }, on top of the stack */
static void read_tableau(lua_State *L, const char *function, wf_tableau *tableau)
{
    static const char *const names[] = {"a", "b", "c", "embedded_b", "embedded_order", NULL};
    char verb[96];
    snprintf(verb, sizeof verb, "%s: tableau", function);
    wf_lua_options options = wf_lua_open_options(L, lua_gettop(L), verb, names);
    const double *weights;
    memset(tableau, 0, sizeof *tableau);
    wf_lua_require_option(&options, "b", "a list of weights");
    size_t count = wf_lua_option_list(&options, "b", WF_LUA_LOWEST, WF_LUA_HIGHEST, &weights);
    if (count < 1 || count > WF_TABLEAU_STAGES) {
        wf_lua_fail(L, "%s: b must have 1 to %d weights, got %d", verb, WF_TABLEAU_STAGES, (int)count);
    }
    tableau->stages = (int32_t)count;
    memcpy(tableau->b, weights, count * sizeof *weights);
    read_stages(&options, tableau);
    wf_tableau_set_nodes(tableau);
    wf_lua_option_numbers(&options, "c", tableau->c, (int)count, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    tableau->embedded = wf_lua_option_numbers(&options, "embedded_b", tableau->embedded_b, (int)count, WF_LUA_LOWEST,
                                              WF_LUA_HIGHEST);
    int64_t order = 1;
    bool has_order = wf_lua_option_integer(&options, "embedded_order", &order, 1, WF_TABLEAU_STAGES);
    if (tableau->embedded && !has_order) {
        wf_lua_require_option(&options, "embedded_order", "the lower order of the two");
    }
    tableau->embedded_order = (int32_t)order;
}

static void read_counts(const wf_lua_options *options, wf_integrator_params *params)
{
    struct {
        const char *name;
        int32_t *value;
    } counts[] = {{"newton_iterations", &params->newton_iterations}, {"easy_iterations", &params->easy_iterations},
                  {"iterations", &params->iterations},               {"substeps", &params->substeps}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t value = *counts[i].value;
        wf_lua_option_integer(options, counts[i].name, &value, 0, 1000000);
        *counts[i].value = (int32_t)value;
    }
}

static void read_params(const wf_lua_options *options, wf_integrator_params *params)
{
    static const char *const linearisations[] = {"definite", "exact", NULL};
    struct {
        const char *name;
        double *value;
    } numbers[] = {{"alpha", &params->alpha},
                   {"newton_tolerance", &params->newton_tolerance},
                   {"linear_tolerance", &params->linear_tolerance},
                   {"forcing", &params->forcing},
                   {"relative_tolerance", &params->relative_tolerance},
                   {"absolute_tolerance", &params->absolute_tolerance},
                   {"first_step", &params->first_step},
                   {"smallest_step", &params->smallest_step}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        wf_lua_option_number(options, numbers[i].name, numbers[i].value, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    }
    read_counts(options, params);
    int newton = params->newton, linearisation = params->linearisation;
    wf_lua_option_choice(options, "newton", wf_newton_names, &newton);
    wf_lua_option_choice(options, "linearisation", linearisations, &linearisation);
    params->newton = (wf_newton)newton;
    params->linearisation = (wf_linearisation)linearisation;
    wf_lua_option_boolean(options, "line_search", &params->line_search);
    wf_lua_option_boolean(options, "extrapolate", &params->extrapolate);
    wf_lua_option_boolean(options, "step_control", &params->step_control);
}

const char *wf_lua_read_integrator(lua_State *L, int index, const char *function, wf_integrator_params *params,
                                   wf_tableau *tableau)
{
    wf_lua_options options = wf_lua_open_options(L, index, function, integrator_names);
    *params = wf_default_integrator_params();
    read_params(&options, params);
    if (wf_lua_option_typed(&options, "tableau", LUA_TTABLE)) {
        read_tableau(L, function, tableau);
        params->tableau = tableau;
    }
    params->form = wf_lua_option_string(&options, "form"); /* stays on the stack, like the scheme */
    wf_lua_require_option(&options, "scheme", "the name of a scheme");
    return wf_lua_option_string(&options, "scheme");
}

/* ---- handles --------------------------------------------------------------------------------------------------- */

static wf_lua_integrator *new_integrator(lua_State *L, const char *scheme, const wf_integrator_params *params,
                                         const char *function)
{
    wf_context *context = wf_lua_context(L);
    void **slot = wf_lua_new_object(L, &wf_lua_integrator_class, 0);
    wf_lua_integrator *self = wf_allocate(context, 1, sizeof *self);
    *slot = self;
    wf_lua_check_status(L, self ? WF_OK : WF_ERROR_MEMORY, function);
    wf_lua_check_status(L, wf_integrator_create(context, scheme, params, &self->integrator), function);
    return self;
}

static wf_lua_integrator *take(lua_State *L, int index, const char *what, bool plain)
{
    index = wf_lua_absolute(L, index);
    int top = lua_gettop(L);
    wf_integrator_params params = wf_default_integrator_params();
    wf_tableau tableau;
    const char *scheme = NULL;
    luaL_checkstack(L, 16, what);
    if (lua_type(L, index) == LUA_TSTRING) {
        scheme = wf_lua_check_string(L, index, what);
    } else if (lua_istable(L, index)) {
        scheme = wf_lua_read_integrator(L, index, what, &params, &tableau);
    }
    if (scheme) {
        if (plain) {
            params.absolute_tolerance = 1e300; /* no estimate is too large */
        }
        new_integrator(L, scheme, &params, what);
        lua_replace(L, index);
        lua_settop(L, top);
    }
    wf_lua_integrator *self = wf_lua_check_object(L, index, &wf_lua_integrator_class, what);
    if (plain && !scheme && self->integrator->estimates_error) {
        wf_lua_fail(L, "%s must be the name of a scheme or a table, got an integrator that chooses its step itself",
                    what);
    }
    return self;
}

wf_lua_integrator *wf_lua_take_integrator(lua_State *L, int index, const char *what)
{
    return take(L, index, what, false);
}

wf_lua_integrator *wf_lua_take_plain_integrator(lua_State *L, int index, const char *what)
{
    return take(L, index, what, true);
}

void wf_lua_enter_integrator(lua_State *L, wf_lua_integrator *integrator, const char *what)
{
    if (integrator->busy) {
        wf_lua_fail(L, "%s is making a step: the functions of its equation cannot use it", what);
    }
    integrator->busy = true;
}

void wf_lua_leave_integrator(wf_lua_integrator *integrator)
{
    integrator->busy = false;
}

static void destroy_integrator(wf_context *context, void *object, void *parent)
{
    wf_lua_integrator *self = object;
    (void)parent;
    wf_integrator_destroy(self->integrator);
    wf_free(context, self);
}

static const wf_integrator_class *class_of(void *object)
{
    return wf_integrator_get_class(((wf_lua_integrator *)object)->integrator);
}

static void describe_integrator(lua_State *L, void *object)
{
    const wf_integrator_class *class = class_of(object);
    wf_integrator_work work = wf_integrator_get_work(((wf_lua_integrator *)object)->integrator);
    char text[160], order[32] = "";
    if (class->order > 0) {
        snprintf(order, sizeof order, ", order %d", class->order);
    }
    snprintf(text, sizeof text, "weft.step.integrator (%s, %s%s, %lld steps)", class->name,
             class->implicit ? "implicit" : "explicit", order, (long long)work.steps);
    lua_pushstring(L, text);
}

/* weft.step.integrator { scheme =, ... }, or the name of a scheme */
static int step_integrator(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TSTRING && !lua_istable(L, 1)) {
        wf_lua_fail_value(L, 1, "weft.step.integrator: options", "a table or the name of a scheme");
    }
    wf_lua_take_integrator(L, 1, "weft.step.integrator");
    return 1;
}

/* Messages name the function that the script called, not the part of it that is in C. */
static const char *check_verb(lua_State *L, int index)
{
    static const char *const verbs[] = {"weft.step.integrator.run", "weft.step.order", "weft.step.precision", NULL};
    return verbs[wf_lua_check_choice(L, index, "weft.step: verb", verbs)];
}

/* core.step_plain_integrator(verb, scheme): one that takes the steps it is given */
static int step_plain_integrator(lua_State *L)
{
    char what[96];
    lua_settop(L, 2);
    snprintf(what, sizeof what, "%s: scheme", check_verb(L, 1));
    wf_lua_take_plain_integrator(L, 2, what);
    return 1;
}

/* weft.step.schemes(): a list of { name =, order =, implicit =, ... } */
static int step_schemes(lua_State *L)
{
    size_t count;
    const wf_integrator_class *const *classes = wf_integrator_classes(&count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        const wf_integrator_class *class = classes[i];
        const struct {
            const char *name;
            bool value;
        } flags[] = {{"implicit", class->implicit},
                     {"needs_elements", class->needs_elements},
                     {"needs_stiff", class->needs_stiff_forces},
                     {"adaptive", class->estimates_error}};
        lua_createtable(L, 0, 8);
        lua_pushstring(L, class->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, class->describes);
        lua_setfield(L, -2, "describes");
        wf_lua_set_integer(L, "order", class->order);
        wf_lua_set_integer(L, "memory", class->history);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            lua_pushboolean(L, flags[k].value);
            lua_setfield(L, -2, flags[k].name);
        }
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* ---- work ------------------------------------------------------------------------------------------------------ */

/* Pushes what was done between two counts. */
static void push_work(lua_State *L, const wf_integrator_work *before, const wf_integrator_work *after)
{
    const struct {
        const char *name;
        double value;
    } entries[] = {{"steps", (double)(after->steps - before->steps)},
                   {"rejected", (double)(after->rejected - before->rejected)},
                   {"evaluations", (double)(after->force_evaluations - before->force_evaluations)},
                   {"energies", (double)(after->energy_evaluations - before->energy_evaluations)},
                   {"linearisations", (double)(after->linearisations - before->linearisations)},
                   {"solves", (double)(after->solves - before->solves)},
                   {"solver_iterations", (double)(after->solver_iterations - before->solver_iterations)},
                   {"products", (double)(after->products - before->products)},
                   {"newton_iterations", (double)(after->newton_iterations - before->newton_iterations)},
                   {"flops", after->flops - before->flops},
                   {"last_step", after->last_step}};
    lua_createtable(L, 0, (int)(sizeof entries / sizeof *entries));
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        wf_lua_set_number(L, entries[i].name, entries[i].value);
    }
}

static void get_work(lua_State *L, void *object)
{
    const wf_integrator_work nothing = {0};
    wf_integrator_work work = wf_integrator_get_work(((wf_lua_integrator *)object)->integrator);
    push_work(L, &nothing, &work);
}

static void get_scheme(lua_State *L, void *object)
{
    lua_pushstring(L, class_of(object)->name);
}

static void get_order(lua_State *L, void *object)
{
    lua_pushinteger(L, class_of(object)->order);
}

static void get_implicit(lua_State *L, void *object)
{
    lua_pushboolean(L, class_of(object)->implicit);
}

static void get_newton(lua_State *L, void *object)
{
    size_t count;
    const wf_newton_record *records = wf_integrator_newton_records(((wf_lua_integrator *)object)->integrator, &count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 4);
        wf_lua_set_number(L, "residual", records[i].residual);
        wf_lua_set_number(L, "forcing", records[i].forcing);
        wf_lua_set_number(L, "linear_residual", records[i].linear_residual);
        wf_lua_set_number(L, "step", records[i].step);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static wf_lua_integrator *self_integrator(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_integrator_class, what);
}

/* integrator:step { equation =, x =, v =, t =, step = }: x and v a step later */
static int integrator_step(lua_State *L)
{
    static const char *const names[] = {"equation", "x", "v", "t", "step", NULL};
    static const char verb[] = "weft.step.integrator.step";
    wf_lua_integrator *self = self_integrator(L, "weft.step.integrator.step: self");
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    wf_lua_require_option(&options, "equation", "a weft.step.equation or a name");
    wf_lua_push_option(&options, "equation");
    int handle = lua_gettop(L);
    wf_lua_equation *e = wf_lua_take_equation(L, handle, "weft.step.integrator.step: equation");
    wf_equation *equation = e->equation;
    size_t n = equation->def.size;
    double t = equation->def.from, h = 0;
    wf_lua_require_option(&options, "step", "a length of time, s");
    wf_lua_option_number(&options, "step", &h, WF_LUA_POSITIVE, 1e9);
    wf_lua_option_number(&options, "t", &t, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    const double *x = wf_lua_option_state(&options, "x", n), *v = wf_lua_option_state(&options, "v", n);
    double *after = lua_newuserdata(L, 2 * n * sizeof *after);
    wf_lua_enter_equation(L, handle, "weft.step.integrator.step: equation");
    if (self->busy) {
        wf_lua_leave_equation(e);
    }
    wf_lua_enter_integrator(L, self, "weft.step.integrator.step: self");
    wf_status status = wf_integrator_step(self->integrator, &equation->system, t, h, x ? x : equation->x,
                                          v ? v : equation->v, after, after + n);
    wf_lua_leave_integrator(self);
    wf_lua_leave_equation(e);
    wf_lua_check_status(L, status, verb);
    wf_lua_push_state(L, equation, after);
    wf_lua_push_state(L, equation, after + n);
    return 2;
}

/* integrator:restart() */
static int integrator_restart(lua_State *L)
{
    wf_lua_integrator *self = self_integrator(L, "weft.step.integrator.restart: self");
    wf_lua_enter_integrator(L, self, "weft.step.integrator.restart: self");
    wf_integrator_restart(self->integrator);
    wf_lua_leave_integrator(self);
    return 0;
}

static const luaL_Reg integrator_methods[] = {{"step", integrator_step}, {"restart", integrator_restart}, {NULL, NULL}};
static const wf_lua_property integrator_properties[] = {{"scheme", get_scheme, NULL},
                                                        {"order", get_order, NULL},
                                                        {"implicit", get_implicit, NULL},
                                                        {"work", get_work, NULL},
                                                        {"newton", get_newton, NULL},
                                                        {NULL, NULL, NULL}};
const wf_lua_class wf_lua_integrator_class = {"weft.step.integrator", integrator_methods, integrator_properties,
                                              describe_integrator, destroy_integrator};

/* ---- walks ------------------------------------------------------------------------------------------------------ */

/* What lua/weft/step.lua makes integrator:run and the measurements of. Its handle's own table keeps the integrator and
 * the equation. */
typedef struct lua_march {
    wf_march *march;
    wf_lua_integrator *integrator;
    wf_lua_equation *equation;
    wf_integrator_work before;
} lua_march;

static const wf_lua_class march_class;

static void keep(lua_State *L, int handle, const char *key, int index)
{
    wf_lua_push_own_table(L, handle);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, key);
    lua_pop(L, 1);
}

/* Marks both as in use; the equation's handle must be at `index`. */
static void enter(lua_State *L, wf_lua_integrator *integrator, wf_lua_equation *equation, int index, const char *verb)
{
    char what[96];
    snprintf(what, sizeof what, "%s: equation", verb);
    wf_lua_enter_equation(L, index, what);
    if (integrator->busy) {
        wf_lua_leave_equation(equation);
    }
    snprintf(what, sizeof what, "%s: self", verb);
    wf_lua_enter_integrator(L, integrator, what);
}

static void leave(wf_lua_integrator *integrator, wf_lua_equation *equation)
{
    wf_lua_leave_integrator(integrator);
    wf_lua_leave_equation(equation);
}

/* `steps`, or as many as make steps of at most `step`. */
static void read_steps(const wf_lua_options *options, wf_march_params *params)
{
    double step = 0;
    if (wf_lua_option_number(options, "step", &step, WF_LUA_POSITIVE, WF_LUA_HIGHEST)) {
        double count = ceil((params->to - params->from) / step * (1 - 1e-12));
        params->steps = (int64_t)fmin(fmax(count, 1), 1e18); /* the march refuses too many */
    }
    wf_lua_option_integer(options, "steps", &params->steps, 1, INT32_MAX);
}

/* Option `samples`: a buffer of states, as march:states() gives it. */
static void read_samples(const wf_lua_options *options, size_t size, wf_march_params *params)
{
    const double *samples;
    size_t count = wf_lua_option_vectors(options, "samples", 1, &samples);
    if (samples) {
        if (count < 4 * size || count % (2 * size) != 0) {
            wf_lua_fail(options->L, "%s: samples must be whole states", options->function);
        }
        params->samples = samples;
        params->sample_count = (int64_t)(count / (2 * size)) - 1;
    }
}

/* core.step_march(verb, integrator, equation, { from =, to =, steps = | step =, x =, v =, exact =, samples =,
 * trace_every = }) */
static int step_march(lua_State *L)
{
    static const char *const names[] = {"from", "to",    "steps",   "step",        "x",
                                        "v",    "exact", "samples", "trace_every", NULL};
    lua_settop(L, 4);
    const char *verb = check_verb(L, 1);
    char what[96];
    snprintf(what, sizeof what, "%s: scheme", verb);
    wf_lua_integrator *integrator = wf_lua_take_integrator(L, 2, what);
    snprintf(what, sizeof what, "%s: equation", verb);
    wf_lua_equation *equation = wf_lua_take_equation(L, 3, what);
    wf_lua_options options = wf_lua_open_options(L, 4, verb, names);
    wf_march_params params = wf_default_march_params(equation->equation);
    wf_lua_option_number(&options, "from", &params.from, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "to", &params.to, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    read_steps(&options, &params);
    wf_lua_option_integer(&options, "trace_every", &params.trace_every, 0, INT32_MAX);
    wf_lua_option_boolean(&options, "exact", &params.exact);
    params.x = wf_lua_option_state(&options, "x", equation->equation->def.size);
    params.v = wf_lua_option_state(&options, "v", equation->equation->def.size);
    read_samples(&options, equation->equation->def.size, &params);
    wf_context *context = wf_lua_context(L);
    void **slot = wf_lua_new_object(L, &march_class, 0);
    int handle = lua_gettop(L);
    lua_march *self = wf_allocate(context, 1, sizeof *self);
    *slot = self;
    wf_lua_check_status(L, self ? WF_OK : WF_ERROR_MEMORY, verb);
    keep(L, handle, "integrator", 2);
    keep(L, handle, "equation", 3);
    *self = (lua_march){.integrator = integrator, .equation = equation,
                        .before = wf_integrator_get_work(integrator->integrator)};
    enter(L, integrator, equation, 3, verb);
    wf_status status = wf_march_create(context, integrator->integrator, equation->equation, &params, &self->march);
    leave(integrator, equation);
    wf_lua_check_status(L, status, verb);
    lua_pushvalue(L, handle);
    return 1;
}

/* The walk at index 1, whose integrator and equation must not have been closed since it began; pushes the equation's
 * handle. */
static lua_march *check_march(lua_State *L, const char *method)
{
    char what[96];
    snprintf(what, sizeof what, "weft.march.%s: self", method);
    lua_march *self = wf_lua_check_object(L, 1, &march_class, what);
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, "integrator");
    wf_lua_check_object(L, -1, &wf_lua_integrator_class, "weft.step: the integrator");
    lua_getfield(L, -2, "equation");
    wf_lua_check_object(L, -1, &wf_lua_equation_class, "weft.step: the equation");
    return self;
}

/* march:advance(verb, steps, tolerant): goes on for so many steps, or 50 ms; returns the finished part, 1 at the end.
 * Where numbers fail, and it is tolerant, nil: a scheme that blows up is a result, too. */
static int march_advance(lua_State *L)
{
    lua_settop(L, 4);
    lua_march *self = check_march(L, "advance");
    int handle = lua_gettop(L);
    const char *verb = check_verb(L, 2);
    int64_t steps = lua_isnil(L, 3) ? INT32_MAX
                                    : wf_lua_check_integer(L, 3, "weft.march.advance: steps", 1, INT32_MAX);
    enter(L, self->integrator, self->equation, handle, verb);
    wf_status status = wf_march_advance(self->march, steps, 0.05);
    leave(self->integrator, self->equation);
    if (status == WF_ERROR_NUMERIC && lua_toboolean(L, 4)) {
        lua_pushnil(L);
        return 1;
    }
    wf_lua_check_status(L, status, verb);
    lua_pushnumber(L, (double)self->march->done / (double)self->march->steps);
    return 1;
}

/* march:state(): time, x, v */
static int march_state(lua_State *L)
{
    lua_march *self = check_march(L, "state");
    lua_pushnumber(L, wf_march_time(self->march, self->march->done));
    wf_lua_push_state(L, self->equation->equation, self->march->x);
    wf_lua_push_state(L, self->equation->equation, self->march->v);
    return 3;
}

/* march:errors(): the largest error in the interval so far, and the present one; nil when not measured */
static int march_errors(lua_State *L)
{
    lua_march *self = check_march(L, "errors");
    double errors[] = {self->march->max_error, self->march->end_error};
    for (int i = 0; i < 2; i++) {
        if (isnan(errors[i])) {
            lua_pushnil(L);
        } else {
            lua_pushnumber(L, errors[i]);
        }
    }
    return 2;
}

/* march:work(): what was done since it began, and the number and length of its steps */
static int march_work(lua_State *L)
{
    lua_march *self = check_march(L, "work");
    wf_integrator_work after = wf_integrator_get_work(self->integrator->integrator);
    push_work(L, &self->before, &after);
    lua_pushinteger(L, (lua_Integer)self->march->steps);
    lua_pushnumber(L, (self->march->to - self->march->from) / (double)self->march->steps);
    return 3;
}

/* march:states(): the recorded states, x and v of each moment, one number after the other in a buffer */
static int march_states(lua_State *L)
{
    lua_march *self = check_march(L, "states");
    size_t count = (size_t)self->march->trace_count * 2 * self->equation->equation->def.size;
    memcpy(wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 1), self->march->states, count * sizeof(double));
    return 1;
}

/* Copies numbers of the first `count` moments, at `offset`, into a buffer that becomes the field `name` of the table on
 * the stack. There may be more by now: a finalizer may have advanced the march. */
static void set_trace(lua_State *L, const wf_march *march, int64_t count, const char *name, size_t offset,
                      int components)
{
    double *target = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, components);
    size_t size = (size_t)components * sizeof *target;
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + i * components, (const char *)&march->trace[i] + offset, size);
    }
    lua_setfield(L, -2, name);
}

static void set_states(lua_State *L, const wf_march *march, int64_t count, const char *name, size_t offset)
{
    enum { COMPONENT_LIMIT = 16 };
    size_t n = march->equation->def.size, components = n;
    if (n > COMPONENT_LIMIT) {
        components = march->equation->def.dimension > 0 ? (size_t)march->equation->def.dimension : 1;
    }
    double *target = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count * n / components, (int)components);
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * n, march->states + (size_t)i * 2 * n + offset, n * sizeof *target);
    }
    lua_setfield(L, -2, name);
}

/* march:trace(): { time =, x =, v =, energy =, momentum =, angular_momentum = }, buffers; the latter three where the
 * equation has them */
static int march_trace(lua_State *L)
{
    lua_march *self = check_march(L, "trace");
    const wf_march *march = self->march;
    const int64_t count = march->trace_count;
    lua_createtable(L, 0, 6);
    set_trace(L, march, count, "time", offsetof(wf_march_trace, time), 1);
    set_states(L, march, count, "x", 0);
    set_states(L, march, count, "v", march->equation->def.size);
    if (march->equation->system.energy) {
        set_trace(L, march, count, "energy", offsetof(wf_march_trace, energy), 1);
    }
    if (march->equation->def.dimension > 0) {
        set_trace(L, march, count, "momentum", offsetof(wf_march_trace, momentum), 3);
        set_trace(L, march, count, "angular_momentum", offsetof(wf_march_trace, angular), 3);
    }
    return 1;
}

static void destroy_march(wf_context *context, void *object, void *parent)
{
    lua_march *self = object;
    (void)parent;
    wf_march_destroy(self->march);
    wf_free(context, self);
}

static void describe_march(lua_State *L, void *object)
{
    const wf_march *march = ((lua_march *)object)->march;
    char text[96];
    snprintf(text, sizeof text, "weft.march (%lld of %lld steps)", (long long)march->done, (long long)march->steps);
    lua_pushstring(L, text);
}

static const luaL_Reg march_methods[] = {{"advance", march_advance}, {"state", march_state}, {"errors", march_errors},
                                         {"work", march_work},       {"trace", march_trace}, {"states", march_states},
                                         {NULL, NULL}};
static const wf_lua_class march_class = {"weft.march", march_methods, NULL, describe_march, destroy_march};

/* core.step_difference(equation, states, states): the largest difference of recorded states, in the components that are
 * the solution */
static int step_difference(lua_State *L)
{
    wf_lua_equation *e = wf_lua_check_object(L, 1, &wf_lua_equation_class, "weft.step: equation");
    const wf_lua_view *a = wf_lua_check_buffer(L, 2, "weft.step: states", WF_LUA_DOUBLE, 1);
    const wf_lua_view *b = wf_lua_check_buffer(L, 3, "weft.step: states", WF_LUA_DOUBLE, 1);
    size_t state = 2 * e->equation->def.size;
    if (a->count != b->count || a->count % state != 0) {
        wf_lua_fail(L, "weft.step: states of %d and %d numbers cannot be compared", (int)a->count, (int)b->count);
    }
    lua_pushnumber(L, wf_equation_difference(e->equation, (int64_t)(a->count / state), a->data, b->data));
    return 1;
}

void wf_lua_open_step_integrator(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_integrator", step_integrator}, {"step_schemes", step_schemes},
                                         {"step_march", step_march},           {"step_difference", step_difference},
                                         {"step_plain_integrator", step_plain_integrator},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_integrator_class);
    wf_lua_register_class(L, &march_class);
    wf_lua_set_functions(L, functions);
}
