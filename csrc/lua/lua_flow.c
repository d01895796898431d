/* lua_flow.c - weft.flow: the flow solver by itself. */
#include "lua/lua_flow.h"

#include <string.h>

#include "air/flow.h"
#include "base/range.h"
#include "lua/buffer.h"

const char *const wf_lua_flow_sides[] = {"all",   "x",      "y",     "z",      "x_low", "x_high",
                                         "y_low", "y_high", "z_low", "z_high", NULL};
static const char *const axis_names[] = {"x", "y", "z", NULL};

/* ---- options --------------------------------------------------------------------------------------------------- */

/* The side at the top of the stack: a kind, or a table with a kind. */
static void read_side(lua_State *L, const char *what, wf_flow_side *side)
{
    static const char *const names[] = {"kind", "velocity", "sponge", "sponge_rate", NULL};
    if (lua_type(L, -1) == LUA_TSTRING) {
        side->kind = (wf_flow_side_kind)wf_lua_check_choice(L, -1, what, wf_flow_side_names);
        return;
    }
    if (!lua_istable(L, -1)) {
        wf_lua_fail_value(L, -1, what, "a kind of side or a table");
    }
    wf_lua_options options = wf_lua_open_options(L, wf_lua_absolute(L, -1), what, names);
    int kind = (int)side->kind;
    wf_lua_option_choice(&options, "kind", wf_flow_side_names, &kind);
    wf_lua_option_vec3(&options, "velocity", &side->velocity);
    wf_lua_option_number(&options, "sponge", &side->sponge, 0, 1e6);
    wf_lua_option_number(&options, "sponge_rate", &side->sponge_rate, 0, 1e6);
    side->kind = (wf_flow_side_kind)kind;
}

static void read_boundary(const wf_lua_options *options, wf_flow_params *params)
{
    const char *const *names = wf_lua_flow_sides;
    lua_State *L = options->L;
    if (params->cells[2] == 1) {
        params->sides[4].kind = params->sides[5].kind = WF_FLOW_PERIODIC;
    }
    if (!wf_lua_option_typed(options, "boundary", LUA_TTABLE)) {
        return;
    }
    wf_lua_options sides = wf_lua_open_options(L, wf_lua_absolute(L, -1), "weft.flow: boundary", names);
    const int count = params->cells[2] == 1 ? 4 : WF_FLOW_SIDES;
    for (int n = 0; names[n]; n++) { /* what is more special comes later */
        if (!wf_lua_push_option(&sides, names[n])) {
            continue;
        }
        const int first = n == 0 ? 0 : n < WF_LUA_FLOW_FIRST_SIDE ? 2 * (n - 1) : n - WF_LUA_FLOW_FIRST_SIDE;
        const int last = n == 0 ? count - 1 : n < WF_LUA_FLOW_FIRST_SIDE ? first + 1 : first;
        for (int side = first; side <= last; side++) {
            read_side(L, "weft.flow: boundary", &params->sides[side]);
        }
    }
}

static wf_flow_params read_params(const wf_lua_options *options)
{
    wf_flow_params params = wf_default_flow_params();
    int64_t cells[3];
    double size[3], cell, memory = params.memory_limit;
    wf_lua_require_option(options, "cells", "three integers");
    wf_lua_option_integers(options, "cells", cells, 3, 1, 4096);
    const bool has_cell = wf_lua_option_number(options, "cell", &cell, WF_LUA_POSITIVE, 1e6);
    const bool has_size = wf_lua_option_numbers(options, "size", size, 3, WF_LUA_POSITIVE, 1e9);
    if (has_cell == has_size) {
        wf_lua_fail(options->L, "weft.flow: one of cell (m, the edge of cubes) and size (m, of the box) must be given");
    }
    for (int a = 0; a < 3; a++) {
        params.cells[a] = (int32_t)cells[a];
        params.spacing[a] = has_cell ? cell : size[a] / (double)cells[a];
    }
    int advection = 0;
    int64_t limit = params.substep_limit;
    wf_lua_option_vec3(options, "origin", &params.origin);
    wf_lua_option_number(options, "density", &params.density, WF_LUA_POSITIVE, 1e6);
    wf_lua_option_number(options, "viscosity", &params.viscosity, 0, 1e6);
    wf_lua_option_choice(options, "advection", wf_flow_advection_names, &advection);
    wf_lua_option_vec3(options, "acceleration", &params.acceleration);
    wf_lua_option_number(options, "courant", &params.courant, 0.01, 1.2);
    wf_lua_option_number(options, "confinement", &params.confinement, 0, 100);
    wf_lua_option_boolean(options, "predict_pressure", &params.predict_pressure);
    wf_lua_option_number(options, "tolerance", &params.tolerance, 1e-7, 0.1);
    wf_lua_option_integer(options, "substep_limit", &limit, 1, 100000);
    wf_lua_option_number(options, "memory_limit", &memory, 1, 1e15);
    params.advection = (wf_flow_advection)advection;
    params.substep_limit = (int32_t)limit;
    params.memory_limit = memory;
    read_boundary(options, &params);
    return params;
}

/* weft.flow { cells =, cell = or size =, origin =, density =, viscosity =, boundary =, advection =, acceleration =,
 * courant =, confinement =, predict_pressure =, tolerance =, substep_limit =, memory_limit = } */
static int flow_new(lua_State *L)
{
    static const char *const names[] = {"cells",        "cell",          "size",         "origin",
                                        "density",      "viscosity",     "boundary",     "advection",
                                        "acceleration", "courant",       "confinement",  "predict_pressure",
                                        "tolerance",    "substep_limit", "memory_limit", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.flow", names);
    const wf_flow_params params = read_params(&options);
    void **slot = wf_lua_new_object(L, &wf_lua_flow_class, 0);
    wf_flow *flow = NULL;
    wf_status status = wf_flow_create(wf_lua_context(L), &params, &flow);
    *slot = flow;
    wf_lua_check_status(L, status, "weft.flow");
    wf_lua_press_collector(L, wf_flow_bytes(flow));
    return 1;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

/* Faces across an axis: one more than cells along it. */
static void face_counts(const wf_flow_grid *grid, int axis, int32_t counts[3])
{
    for (int e = 0; e < 3; e++) {
        counts[e] = grid->cells[e] + (e == axis);
    }
}

static void copy_faces(const wf_flow_grid *grid, int axis, const float *from, float *to)
{
    int32_t counts[3];
    face_counts(grid, axis, counts);
    for (int32_t k = 0; k < counts[2]; k++) {
        for (int32_t j = 0; j < counts[1]; j++) {
            memcpy(to, from + wf_flow_index(grid, 0, j, k), (size_t)counts[0] * sizeof *to);
            to += counts[0];
        }
    }
}

/* The option of that name, a list of numbers or a buffer of floats, one for each face across an axis. Pushes a value.
 * Returns whether it was given; writes it where `to` is not NULL. */
static bool read_faces(const wf_lua_options *options, int axis, double least, double most, const wf_flow_grid *grid,
                       float *to)
{
    lua_State *L = options->L;
    int32_t counts[3];
    face_counts(grid, axis, counts);
    const size_t count = (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2];
    const float *floats = NULL;
    const double *doubles = NULL;
    size_t given = 0;
    if (!wf_lua_push_option(options, axis_names[axis])) {
        return false;
    }
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const wf_lua_view *view = wf_lua_check_buffer(L, -1, options->function, WF_LUA_FLOAT, 1);
        floats = view->data;
        given = view->count;
        for (size_t n = 0; n < given; n++) {
            if (!((double)floats[n] >= least && (double)floats[n] <= most)) {
                wf_lua_fail(L, "%s: %s must be numbers from %f to %f, got %f", options->function, axis_names[axis],
                            least, most, (double)floats[n]);
            }
        }
    } else {
        given = wf_lua_option_list(options, axis_names[axis], least, most, &doubles);
    }
    if (given != count) {
        wf_lua_fail(L, "%s: %s must be one number for each of %d x %d x %d faces, got %d", options->function,
                    axis_names[axis], (int)counts[0], (int)counts[1], (int)counts[2], (int)given);
    }
    for (size_t n = 0; to && n < count; n++) {
        const int32_t i = (int32_t)(n % (size_t)counts[0]), j = (int32_t)(n / (size_t)counts[0] % (size_t)counts[1]),
                      k = (int32_t)(n / (size_t)counts[0] / (size_t)counts[1]);
        to[wf_flow_index(grid, i, j, k)] = floats ? floats[n] : (float)doubles[n];
    }
    return true;
}

/* flow:set { x =, y =, z = } velocities on faces */
static int flow_set(lua_State *L)
{
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.set: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.flow.set", axis_names);
    const wf_flow_grid *grid = wf_flow_get_grid(flow);
    for (int pass = 0; pass < 2; pass++) { /* all are good before any is taken */
        for (int a = 0; a < 3; a++) {
            read_faces(&options, a, -WF_FLOW_FASTEST, WF_FLOW_FASTEST, grid, pass ? wf_flow_faces(flow, a) : NULL);
        }
    }
    wf_flow_restart(flow);
    return 0;
}

/* flow:block { x =, y =, z =, velocity = } open fractions of faces, and how what fills them moves */
static int flow_block(lua_State *L)
{
    static const char *const names[] = {"x", "y", "z", "velocity", NULL};
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.block: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.flow.block", names);
    const wf_flow_grid *grid = wf_flow_get_grid(flow);
    wf_flow_solids solids;
    wf_vec3 velocity = {0, 0, 0};
    const bool moves = wf_lua_option_vec3(&options, "velocity", &velocity);
    const wf_range ranges[] = {
        {"velocity.x", velocity.x, -WF_FLOW_FASTEST, WF_FLOW_FASTEST},
        {"velocity.y", velocity.y, -WF_FLOW_FASTEST, WF_FLOW_FASTEST},
        {"velocity.z", velocity.z, -WF_FLOW_FASTEST, WF_FLOW_FASTEST},
    };
    wf_lua_check_status(L, wf_check_ranges(wf_lua_context(L), ranges, 3), "weft.flow.block");
    for (int a = 0; a < 3; a++) {
        read_faces(&options, a, 0, 1, grid, NULL);
    }
    wf_lua_check_status(L, wf_flow_use_solids(flow, &solids), "weft.flow.block");
    const double along[3] = {velocity.x, velocity.y, velocity.z};
    for (int a = 0; a < 3; a++) {
        read_faces(&options, a, 0, 1, grid, solids.open[a]);
        for (size_t n = 0; moves && n < grid->count; n++) {
            solids.velocity[a][n] = (float)along[a];
        }
    }
    wf_flow_solids_changed(flow);
    return 0;
}

/* flow:faces(axis): velocities across them */
static int flow_faces(lua_State *L)
{
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.faces: self");
    const int axis = wf_lua_check_choice(L, 2, "weft.flow.faces: axis", axis_names);
    const wf_flow_grid *grid = wf_flow_get_grid(flow);
    int32_t counts[3];
    face_counts(grid, axis, counts);
    float *to = wf_lua_push_buffer(L, WF_LUA_FLOAT, (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2], 1);
    copy_faces(grid, axis, wf_flow_faces(flow, axis), to);
    wf_lua_seal_buffer(L);
    return 1;
}

/* A value of each cell, x fastest. */
typedef void cell_function(wf_flow *flow, ptrdiff_t cell, float *to);

static int push_cells(lua_State *L, wf_flow *flow, int components, cell_function *function)
{
    const wf_flow_grid *grid = wf_flow_get_grid(flow);
    float *to = wf_lua_push_buffer(L, WF_LUA_FLOAT, wf_flow_cell_count(grid), components);
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++, to += components) {
                function(flow, wf_flow_index(grid, i, j, k), to);
            }
        }
    }
    wf_lua_seal_buffer(L);
    return 1;
}

static void cell_velocity(wf_flow *flow, ptrdiff_t cell, float *to)
{
    const ptrdiff_t *stride = wf_flow_get_grid(flow)->stride;
    for (int a = 0; a < 3; a++) {
        const float *u = wf_flow_faces(flow, a) + cell;
        to[a] = 0.5f * (u[0] + u[stride[a]]);
    }
}

static void cell_vorticity(wf_flow *flow, ptrdiff_t cell, float *to)
{
    wf_flow_vorticity(flow, cell, to);
}

static void cell_pressure(wf_flow *flow, ptrdiff_t cell, float *to)
{
    *to = (float)wf_flow_get_params(flow)->density * wf_flow_kinematic_pressure(flow)[cell];
}

static int flow_velocity(lua_State *L)
{
    return push_cells(L, wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.velocity: self"), 3, cell_velocity);
}

static int flow_vorticity(lua_State *L)
{
    return push_cells(L, wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.vorticity: self"), 3, cell_vorticity);
}

static int flow_pressure(lua_State *L)
{
    return push_cells(L, wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.pressure: self"), 1, cell_pressure);
}

/* flow:at { x, y, z } or a buffer of points */
static int flow_at(lua_State *L)
{
    const wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.at: self");
    if (!wf_lua_is_object(L, 2, &wf_lua_buffer_class)) {
        const wf_vec3 point = wf_lua_check_vec3(L, 2, "weft.flow.at: point");
        wf_vec3 velocity;
        wf_flow_velocities(flow, 1, &point, &velocity);
        wf_lua_push_vec3(L, velocity);
        return 1;
    }
    const wf_lua_view *view = wf_lua_check_buffer(L, 2, "weft.flow.at: points", WF_LUA_DOUBLE, 3);
    const size_t count = view->count;
    wf_vec3 *velocities = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    view = wf_lua_check_buffer(L, 2, "weft.flow.at: points", WF_LUA_DOUBLE, 3);
    const wf_vec3 *points = view->data;
    for (size_t n = 0; n < count; n++) {
        const wf_vec3 p = points[n];
        if (!(p.x - p.x == 0 && p.y - p.y == 0 && p.z - p.z == 0)) {
            wf_lua_fail(L, "weft.flow.at: points must be finite, and number %d is not", (int)n + 1);
        }
    }
    wf_flow_velocities(flow, count, points, velocities);
    return 1;
}

/* ---- verbs ----------------------------------------------------------------------------------------------------- */

static int flow_step(lua_State *L)
{
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.step: self");
    const double step = wf_lua_check_number(L, 2, "weft.flow.step: seconds", 1e-12, 1e6);
    wf_lua_check_status(L, wf_flow_step(flow, step), "weft.flow.step");
    return 0;
}

static int flow_project(lua_State *L)
{
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.project: self");
    wf_lua_check_status(L, wf_flow_project(flow), "weft.flow.project");
    return 0;
}

/* flow:force(): on solids, and the part of it that is pressure */
static int flow_force(lua_State *L)
{
    const wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.force: self");
    wf_vec3 pressure;
    const wf_vec3 force = wf_flow_force_on_solids(flow, &pressure);
    wf_lua_push_vec3(L, force);
    wf_lua_push_vec3(L, pressure);
    return 2;
}

/* flow:side { side =, velocity =, velocities =, sponge =, sponge_rate = } */
static int flow_side(lua_State *L)
{
    static const char *const names[] = {"side", "velocity", "velocities", "sponge", "sponge_rate", NULL};
    wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.side: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.flow.side", names);
    const wf_flow_params before = *wf_flow_get_params(flow);
    wf_flow_params params = before;
    int side = 0;
    wf_lua_require_option(&options, "side", "the name of a side");
    wf_lua_option_choice(&options, "side", wf_lua_flow_sides + WF_LUA_FLOW_FIRST_SIDE, &side);
    wf_lua_option_vec3(&options, "velocity", &params.sides[side].velocity);
    wf_lua_option_number(&options, "sponge", &params.sides[side].sponge, 0, 1e6);
    wf_lua_option_number(&options, "sponge_rate", &params.sides[side].sponge_rate, 0, 1e6);
    const double *values = NULL;
    const size_t count = wf_lua_option_vectors(&options, "velocities", 3, &values);
    if (values && count != wf_flow_side_count(flow, side)) {
        wf_lua_fail(L, "weft.flow.side: velocities must be one for each of %d faces, got %d",
                    (int)wf_flow_side_count(flow, side), (int)count);
    }
    wf_status status = wf_flow_set_params(flow, &params);
    if (status == WF_OK && values) {
        status = wf_flow_set_side_velocities(flow, side, (const wf_vec3 *)values);
        if (status != WF_OK) {
            (void)wf_flow_set_params(flow, &before); /* which it had */
        }
    }
    wf_lua_check_status(L, status, "weft.flow.side");
    return 0;
}

/* flow:side_points(side): the centres of its faces */
static int flow_side_points(lua_State *L)
{
    const wf_flow *flow = wf_lua_check_object(L, 1, &wf_lua_flow_class, "weft.flow.side_points: self");
    const int side = wf_lua_check_choice(L, 2, "weft.flow.side_points: side",
                                         wf_lua_flow_sides + WF_LUA_FLOW_FIRST_SIDE);
    wf_flow_side_points(flow, side, wf_lua_push_buffer(L, WF_LUA_DOUBLE, wf_flow_side_count(flow, side), 3));
    return 1;
}

/* ---- properties ------------------------------------------------------------------------------------------------ */

static void push_three(lua_State *L, const double values[3])
{
    wf_lua_push_vec3(L, (wf_vec3){values[0], values[1], values[2]});
}

static void get_cells(lua_State *L, void *object)
{
    const int32_t *cells = wf_flow_get_params(object)->cells;
    lua_createtable(L, 3, 0);
    for (int a = 0; a < 3; a++) {
        lua_pushinteger(L, cells[a]);
        lua_rawseti(L, -2, a + 1);
    }
}

static void get_spacing(lua_State *L, void *object)
{
    push_three(L, wf_flow_get_params(object)->spacing);
}

static void get_size(lua_State *L, void *object)
{
    const wf_flow_params *params = wf_flow_get_params(object);
    push_three(L, (double[3]){params->spacing[0] * params->cells[0], params->spacing[1] * params->cells[1],
                              params->spacing[2] * params->cells[2]});
}

static void get_origin(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, wf_flow_get_params(object)->origin);
}

static void get_time(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_flow_time(object));
}

static void get_stats(lua_State *L, void *object)
{
    const wf_flow_stats *stats = wf_flow_get_stats(object);
    lua_createtable(L, 0, 16);
    wf_lua_set_integer(L, "substeps", stats->substeps);
    wf_lua_set_integer(L, "diffusion_stages", stats->diffusion_stages);
    wf_lua_set_integer(L, "projections", stats->projections);
    wf_lua_set_integer(L, "iterations", stats->pressure.iterations);
    wf_lua_set_integer(L, "levels", stats->pressure.levels);
    wf_lua_set_integer(L, "pockets", stats->pressure.pockets);
    wf_lua_set_number(L, "trapped", stats->trapped);
    wf_lua_set_number(L, "divergence", stats->divergence);
    wf_lua_set_number(L, "courant", stats->courant);
    wf_lua_set_number(L, "largest_speed", stats->largest_speed);
    wf_lua_set_number(L, "seconds_advection", stats->seconds_advection);
    wf_lua_set_number(L, "seconds_pressure", stats->seconds_pressure);
    wf_lua_set_number(L, "seconds_other", stats->seconds_other);
    wf_lua_set_number(L, "bytes", (double)wf_flow_bytes(object));
}

static void use_params(lua_State *L, void *object, const wf_flow_params *params)
{
    wf_lua_check_status(L, wf_flow_set_params(object, params), "weft.flow");
}

static void get_density(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_flow_get_params(object)->density);
}

static void set_density(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.density = wf_lua_check_number(L, index, what, WF_LUA_POSITIVE, 1e6);
    use_params(L, object, &params);
}

static void get_viscosity(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_flow_get_params(object)->viscosity);
}

static void set_viscosity(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.viscosity = wf_lua_check_number(L, index, what, 0, 1e6);
    use_params(L, object, &params);
}

static void get_confinement(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_flow_get_params(object)->confinement);
}

static void set_confinement(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.confinement = wf_lua_check_number(L, index, what, 0, 100);
    use_params(L, object, &params);
}

static void get_tolerance(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_flow_get_params(object)->tolerance);
}

static void set_tolerance(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.tolerance = wf_lua_check_number(L, index, what, 1e-7, 0.1);
    use_params(L, object, &params);
}

static void get_acceleration(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, wf_flow_get_params(object)->acceleration);
}

static void set_acceleration(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.acceleration = wf_lua_check_vec3(L, index, what);
    use_params(L, object, &params);
}

static void get_advection(lua_State *L, void *object)
{
    lua_pushstring(L, wf_flow_advection_names[wf_flow_get_params(object)->advection]);
}

static void set_advection(lua_State *L, void *object, int index, const char *what)
{
    wf_flow_params params = *wf_flow_get_params(object);
    params.advection = (wf_flow_advection)wf_lua_check_choice(L, index, what, wf_flow_advection_names);
    use_params(L, object, &params);
}

/* ---- the class ------------------------------------------------------------------------------------------------- */

static void describe(lua_State *L, void *object)
{
    const wf_flow_params *params = wf_flow_get_params(object);
    lua_pushfstring(L, "weft.flow (%d x %d x %d cells of %f x %f x %f m, at %f s)", (int)params->cells[0],
                    (int)params->cells[1], (int)params->cells[2], params->spacing[0], params->spacing[1],
                    params->spacing[2], wf_flow_time(object));
}

static void destroy(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_flow_destroy(object);
}

static const luaL_Reg methods[] = {{"step", flow_step},
                                   {"project", flow_project},
                                   {"set", flow_set},
                                   {"block", flow_block},
                                   {"side", flow_side},
                                   {"side_points", flow_side_points},
                                   {"faces", flow_faces},
                                   {"velocity", flow_velocity},
                                   {"vorticity", flow_vorticity},
                                   {"pressure", flow_pressure},
                                   {"at", flow_at},
                                   {"force", flow_force},
                                   {NULL, NULL}};
static const wf_lua_property properties[] = {{"cells", get_cells, NULL},
                                             {"spacing", get_spacing, NULL},
                                             {"size", get_size, NULL},
                                             {"origin", get_origin, NULL},
                                             {"time", get_time, NULL},
                                             {"stats", get_stats, NULL},
                                             {"density", get_density, set_density},
                                             {"viscosity", get_viscosity, set_viscosity},
                                             {"confinement", get_confinement, set_confinement},
                                             {"tolerance", get_tolerance, set_tolerance},
                                             {"acceleration", get_acceleration, set_acceleration},
                                             {"advection", get_advection, set_advection},
                                             {NULL, NULL, NULL}};
const wf_lua_class wf_lua_flow_class = {"weft.flow", methods, properties, describe, destroy};

void wf_lua_open_flow(lua_State *L);

void wf_lua_open_flow(lua_State *L)
{
    static const luaL_Reg functions[] = {{"flow", flow_new}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_flow_class);
    wf_lua_set_functions(L, functions);
}
