/* lua_step_stability.c - weft.step.stability and its relatives: how stable the schemes are, measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "lua/buffer.h"
#include "lua/lua_step.h"
#include "step/scheme.h"
#include "step/stability.h"

static const char *const tests[] = {"dahlquist", "oscillator", NULL};

enum { PIXEL_LIMIT = 4096 };

/* A measurement; its handle's own table keeps the integrator, and the equation where there is one. */
typedef struct lua_stability {
    wf_stability *stability;
    wf_lua_integrator *integrator;
    wf_lua_equation *equation;
    double real[2], imaginary[2];
    int64_t pixels[2];
    int32_t row; /* the next one to be measured */
    double *radius;
} lua_stability;

static void destroy_stability(wf_context *context, void *object, void *parent)
{
    lua_stability *self = object;
    (void)parent;
    wf_stability_destroy(self->stability);
    wf_free(context, self);
}

static const wf_lua_class stability_class;

static void keep(lua_State *L, int handle, const char *key, int index)
{
    wf_lua_push_own_table(L, handle);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, key);
    lua_pop(L, 1);
}

/* Symplectic and Verlet schemes treat x and v differently, which y' = z y cannot tell. */
static int usual_test(const wf_lua_integrator *integrator)
{
    return wf_integrator_get_class(integrator->integrator)->partitioned ? WF_TEST_OSCILLATOR : WF_TEST_DAHLQUIST;
}

/* Pushes a measurement of the scheme at `scheme` with the equation at `equation` (a stack index, 0 for none). `options`
 * may name a test. */
static lua_stability *new_stability(lua_State *L, int scheme, int equation, const wf_lua_options *options)
{
    wf_context *context = wf_lua_context(L);
    char what[96];
    snprintf(what, sizeof what, "%s: scheme", options->function);
    wf_lua_integrator *integrator = wf_lua_take_plain_integrator(L, scheme, what);
    int test = usual_test(integrator);
    wf_lua_option_choice(options, "test", tests, &test);
    wf_lua_equation *e = NULL;
    if (equation != 0) {
        snprintf(what, sizeof what, "%s: equation", options->function);
        e = wf_lua_take_equation(L, equation, what);
    }
    void **slot = wf_lua_new_object(L, &stability_class, 0);
    int handle = lua_gettop(L);
    lua_stability *self = wf_allocate(context, 1, sizeof *self);
    *slot = self;
    wf_lua_check_status(L, self ? WF_OK : WF_ERROR_MEMORY, options->function);
    *self = (lua_stability){.integrator = integrator, .equation = e};
    keep(L, handle, "integrator", scheme);
    if (e) {
        keep(L, handle, "equation", equation);
    }
    wf_status status = e ? wf_stability_create_for(context, integrator->integrator, e->equation, &self->stability)
                         : wf_stability_create(context, integrator->integrator, (wf_stability_test)test,
                                               &self->stability);
    wf_lua_check_status(L, status, options->function);
    return self;
}

/* Around each measurement. The measurement's handle is at `handle`; raises where what it needs is closed or in use. */
static void enter(lua_State *L, lua_stability *self, int handle, const char *verb)
{
    char what[96];
    wf_lua_push_own_table(L, handle);
    lua_getfield(L, -1, "integrator");
    snprintf(what, sizeof what, "%s: scheme", verb);
    wf_lua_check_object(L, -1, &wf_lua_integrator_class, what);
    if (self->equation) {
        lua_getfield(L, -2, "equation");
        snprintf(what, sizeof what, "%s: equation", verb);
        wf_lua_enter_equation(L, lua_gettop(L), what);
        if (self->integrator->busy) {
            wf_lua_leave_equation(self->equation);
        }
        snprintf(what, sizeof what, "%s: scheme", verb);
    }
    wf_lua_enter_integrator(L, self->integrator, what);
}

static void leave(lua_stability *self)
{
    wf_lua_leave_integrator(self->integrator);
    if (self->equation) {
        wf_lua_leave_equation(self->equation);
    }
}

/* Beyond, the companion matrices of schemes with memory have lost their small eigenvalues to rounding. */
#define LARGEST_PART 1e12

/* z: a number or {re, im} at `index` */
static void check_complex(lua_State *L, int index, const char *what, double z[2])
{
    z[1] = 0;
    if (!lua_istable(L, index)) {
        z[0] = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        return;
    }
    if (wf_lua_raw_length(L, index) != 2) {
        wf_lua_fail_value(L, index, what, "a number or {real part, imaginary part}");
    }
    for (int i = 0; i < 2; i++) {
        lua_rawgeti(L, index, i + 1);
        z[i] = wf_lua_check_number(L, -1, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        lua_pop(L, 1);
    }
}

/* weft.step.stability_function(scheme, z, { test = }): |R(z)| or the spectral radius; real and imaginary part where the
 * scheme has one function R */
static int step_stability_function(lua_State *L)
{
    static const char *const names[] = {"test", NULL};
    static const char verb[] = "weft.step.stability_function";
    double z[2], radius, root[2];
    lua_settop(L, 3);
    check_complex(L, 2, "weft.step.stability_function: z", z);
    if (!(fabs(z[0]) <= LARGEST_PART && fabs(z[1]) <= LARGEST_PART)) {
        wf_lua_fail_value(L, 2, "weft.step.stability_function: z", "at most 1e12 in either part");
    }
    wf_lua_options options = wf_lua_open_options(L, 3, verb, names);
    lua_stability *self = new_stability(L, 1, 0, &options);
    enter(L, self, lua_gettop(L), verb);
    wf_status status = wf_stability_radius(self->stability, z, &radius, root);
    leave(self);
    wf_lua_check_status(L, status, verb);
    lua_pushnumber(L, radius);
    if (isnan(root[0])) {
        return 1;
    }
    lua_pushnumber(L, root[0]);
    lua_pushnumber(L, root[1]);
    return 3;
}

/* weft.step.stability_limit(scheme, { direction = | equation =, test =, farthest = }) */
static int step_stability_limit(lua_State *L)
{
    static const char *const names[] = {"direction", "equation", "test", "farthest", NULL};
    static const char verb[] = "weft.step.stability_limit";
    lua_settop(L, 2);
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    double direction[2] = {-1, 0}, farthest = 1e6, limit;
    bool directed = wf_lua_option_numbers(&options, "direction", direction, 2, -1e9, 1e9);
    wf_lua_option_number(&options, "farthest", &farthest, WF_LUA_POSITIVE, 1e12);
    double length = hypot(direction[0], direction[1]);
    if (!(length > 0)) {
        wf_lua_fail(L, "%s: direction must not be {0, 0}", verb);
    }
    int equation = wf_lua_push_option(&options, "equation") ? lua_gettop(L) : 0;
    if (equation != 0 && directed) {
        wf_lua_fail(L, "%s: an equation has no direction: its limit is a step", verb);
    }
    direction[0] = equation != 0 ? 1 : direction[0] / length;
    direction[1] = equation != 0 ? 0 : direction[1] / length;
    lua_stability *self = new_stability(L, 1, equation, &options);
    enter(L, self, lua_gettop(L), verb);
    wf_status status = wf_stability_limit(self->stability, direction, farthest, &limit);
    leave(self);
    wf_lua_check_status(L, status, verb);
    lua_pushnumber(L, limit);
    return 1;
}

/* weft.step.stability_angle(scheme): rad */
static int step_stability_angle(lua_State *L)
{
    static const char *const names[] = {"test", NULL};
    static const char verb[] = "weft.step.stability_angle";
    double angle;
    lua_settop(L, 2);
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    lua_stability *self = new_stability(L, 1, 0, &options);
    enter(L, self, lua_gettop(L), verb);
    wf_status status = wf_stability_angle(self->stability, &angle);
    leave(self);
    wf_lua_check_status(L, status, verb);
    lua_pushnumber(L, angle);
    return 1;
}

/* ---- regions ---------------------------------------------------------------------------------------------------- */

static void check_range(const wf_lua_options *options, const char *name, double range[2])
{
    wf_lua_option_numbers(options, name, range, 2, -1e9, 1e9);
    if (!(range[0] < range[1])) {
        wf_lua_fail(options->L, "%s: %s must go from a smaller to a larger number, got {%f, %f}", options->function,
                    name, range[0], range[1]);
    }
}

/* core.step_region(scheme, { real =, imaginary =, pixels =, test = }): a measurement, and the buffer that it fills */
static int step_region(lua_State *L)
{
    static const char *const names[] = {"real", "imaginary", "pixels", "test", NULL};
    lua_settop(L, 2);
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.stability", names);
    lua_stability *self = new_stability(L, 1, 0, &options);
    int handle = lua_gettop(L);
    bool implicit = wf_integrator_get_class(self->integrator->integrator)->implicit;
    double reach = implicit ? 8 : 4;
    self->real[0] = implicit ? -reach : -reach - 1;
    self->real[1] = implicit ? reach : reach - 1;
    self->imaginary[0] = -reach;
    self->imaginary[1] = reach;
    self->pixels[0] = self->pixels[1] = 320;
    check_range(&options, "real", self->real);
    check_range(&options, "imaginary", self->imaginary);
    wf_lua_option_integers(&options, "pixels", self->pixels, 2, 1, PIXEL_LIMIT);
    self->radius = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)(self->pixels[0] * self->pixels[1]), 1);
    keep(L, handle, "radius", lua_gettop(L));
    lua_pushvalue(L, handle);
    lua_insert(L, -2);
    return 2;
}

/* region:advance(): measures rows for 50 ms; returns the finished part, 1 at the end */
static int region_advance(lua_State *L)
{
    static const char verb[] = "weft.step.stability";
    lua_stability *self = wf_lua_check_object(L, 1, &stability_class, "weft.region.advance: self");
    double start = wf_clock_seconds();
    wf_status status = WF_OK;
    if (!self->radius) {
        wf_lua_fail(L, "weft.region.advance: self measures no region");
    }
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, "radius");
    wf_lua_check_buffer(L, -1, "weft.step.stability: the values", WF_LUA_DOUBLE, 1);
    enter(L, self, 1, verb);
    int32_t width = (int32_t)self->pixels[0], height = (int32_t)self->pixels[1];
    bool symmetric = self->imaginary[0] == -self->imaginary[1]; /* |R| is the same at z and its conjugate */
    while (status == WF_OK && self->row < height) {
        double *row = self->radius + (size_t)self->row * (size_t)width;
        if (symmetric && self->row >= (height + 1) / 2) {
            memcpy(row, self->radius + (size_t)(height - 1 - self->row) * (size_t)width, (size_t)width * sizeof *row);
        } else {
            status = wf_stability_map(self->stability, self->real, self->imaginary, width, height, self->row, 1, row);
        }
        self->row += status == WF_OK;
        if (wf_clock_seconds() - start > 0.05) {
            break;
        }
    }
    leave(self);
    wf_lua_check_status(L, status, verb);
    lua_pushnumber(L, (double)self->row / height);
    return 1;
}

/* region:bounds(): the rectangle, {real, real}, {imaginary, imaginary}, and width and height in pixels */
static int region_bounds(lua_State *L)
{
    const lua_stability *self = wf_lua_check_object(L, 1, &stability_class, "weft.region.bounds: self");
    const double *ranges[] = {self->real, self->imaginary};
    for (int i = 0; i < 2; i++) {
        lua_createtable(L, 2, 0);
        for (int k = 0; k < 2; k++) {
            lua_pushnumber(L, ranges[i][k]);
            lua_rawseti(L, -2, k + 1);
        }
    }
    lua_pushinteger(L, (lua_Integer)self->pixels[0]);
    lua_pushinteger(L, (lua_Integer)self->pixels[1]);
    return 4;
}

static const luaL_Reg region_methods[] = {{"advance", region_advance}, {"bounds", region_bounds}, {NULL, NULL}};
static const wf_lua_class stability_class = {"weft.region", region_methods, NULL, NULL, destroy_stability};

void wf_lua_open_step_stability(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_stability_function", step_stability_function},
                                         {"step_stability_limit", step_stability_limit},
                                         {"step_stability_angle", step_stability_angle},
                                         {"step_region", step_region},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &stability_class);
    wf_lua_set_functions(L, functions);
}
