/* lua_wind_particles.c - weft.wind_particles: wind particles on their own, and their options, which worlds share. */
#include "lua/lua_wind_particles.h"

#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_collider.h"
#include "lua/lua_wind_source.h"

enum { MOST_OBSTACLES = 256, MOST_SOURCES = 256 };

static const char *const option_names[] = {"cell",  "margin", "lower", "upper",  "per_side", "interval", "expiry",
                                           "slide", "wake",   "filled", "scheme", "memory",   NULL};
static const char *const scheme_names[] = {"midpoint", "euler", NULL};

/* ---- options ----------------------------------------------------------------------------------------------------- */

void wf_lua_read_wind_particles_params(lua_State *L, int index, const char *function,
                                       wf_wind_particles_params *params)
{
    wf_lua_options options = wf_lua_open_options(L, index, function, option_names);
    int64_t per_side = params->per_side;
    int scheme = (int)params->scheme;
    wf_lua_option_number(&options, "cell", &params->cell, 0, 1e4);
    wf_lua_option_number(&options, "margin", &params->margin, 1, 64);
    wf_lua_option_integer(&options, "per_side", &per_side, 1, 4);
    wf_lua_option_number(&options, "interval", &params->interval, 0.25, 64);
    wf_lua_option_number(&options, "expiry", &params->expiry, 0, 1e6);
    wf_lua_option_boolean(&options, "slide", &params->slide);
    wf_lua_option_number(&options, "wake", &params->wake, 0, 1);
    wf_lua_option_boolean(&options, "filled", &params->filled);
    wf_lua_option_choice(&options, "scheme", scheme_names, &scheme);
    wf_lua_option_number(&options, "memory", &params->memory, 0, 1e15);
    params->per_side = (int)per_side;
    params->scheme = (wf_wind_particle_scheme)scheme;
    bool lower = wf_lua_option_vec3(&options, "lower", &params->lower);
    bool upper = wf_lua_option_vec3(&options, "upper", &params->upper);
    if (lower != upper) {
        wf_lua_fail(L, "%s: lower and upper must be given together", function);
    }
    params->placed = params->placed || lower;
}

void wf_lua_push_wind_particles_params(lua_State *L, const wf_wind_particles_params *params)
{
    lua_createtable(L, 0, 12);
    wf_lua_set_number(L, "cell", params->cell);
    wf_lua_set_number(L, "margin", params->margin);
    if (params->placed) {
        wf_lua_push_vec3(L, params->lower);
        lua_setfield(L, -2, "lower");
        wf_lua_push_vec3(L, params->upper);
        lua_setfield(L, -2, "upper");
    }
    wf_lua_set_integer(L, "per_side", params->per_side);
    wf_lua_set_number(L, "interval", params->interval);
    wf_lua_set_number(L, "expiry", params->expiry > 0 ? params->expiry : 2 * params->interval + 2);
    lua_pushboolean(L, params->slide);
    lua_setfield(L, -2, "slide");
    wf_lua_set_number(L, "wake", params->wake);
    lua_pushboolean(L, params->filled);
    lua_setfield(L, -2, "filled");
    lua_pushstring(L, scheme_names[params->scheme]);
    lua_setfield(L, -2, "scheme");
    wf_lua_set_number(L, "memory", params->memory);
}

/* ---- to look at -------------------------------------------------------------------------------------------------- */

void wf_lua_push_wind_particles(lua_State *L, const char *function, wf_lua_wind_particles_function *get)
{
    size_t count = wf_wind_particles_statistics(get(L, function)).particles;
    lua_createtable(L, 0, 3);
    wf_vec3 *positions = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    lua_setfield(L, -2, "positions");
    float *shares = wf_lua_push_buffer(L, WF_LUA_FLOAT, count, 1);
    lua_setfield(L, -2, "shares");
    int32_t *sources = wf_lua_push_buffer(L, WF_LUA_INDEX, count, 1);
    lua_setfield(L, -2, "sources");
    const wf_wind_particles *particles = get(L, function);
    if (wf_wind_particles_statistics(particles).particles != count) {
        wf_lua_fail(L, "%s: the particles were moved while they were read", function);
    }
    wf_wind_particles_read(particles, positions, shares, sources);
}

void wf_lua_push_wind_particles_stats(lua_State *L, const wf_wind_particles *particles)
{
    const wf_wind_particles_stats stats = wf_wind_particles_statistics(particles);
    lua_createtable(L, 0, 11);
    wf_lua_set_integer(L, "particles", (int64_t)stats.particles);
    wf_lua_set_integer(L, "emitted", stats.emitted);
    wf_lua_set_integer(L, "filled", stats.filled);
    wf_lua_set_integer(L, "ended", stats.ended);
    wf_lua_set_integer(L, "pieces", stats.pieces);
    wf_lua_set_integer(L, "queries", stats.queries);
    wf_lua_set_integer(L, "reached", stats.reached);
    wf_lua_set_number(L, "bytes", stats.bytes);
    wf_lua_set_number(L, "cell", stats.grid.cell);
    wf_lua_push_vec3(L, stats.grid.lower);
    lua_setfield(L, -2, "lower");
    const int32_t cells[3] = {stats.grid.nx, stats.grid.ny, stats.grid.nz};
    lua_createtable(L, 3, 0);
    for (int k = 0; k < 3; k++) {
        lua_pushinteger(L, cells[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "cells");
}

/* ---- on their own ------------------------------------------------------------------------------------------------ */

static const wf_lua_class particles_class;

/* What a handle points to. The handles of the sources are in its own table. */
typedef struct particles_object {
    wf_wind_particles *particles;
    wf_wind *wind;
    wf_obstacles *obstacles;
    double time; /* s, that the last advance reached */
} particles_object;

static particles_object *check_particles(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &particles_class, what);
}

static void destroy_particles(wf_context *context, void *object, void *parent)
{
    (void)parent;
    particles_object *o = object;
    wf_wind_particles_destroy(o->particles);
    wf_wind_destroy(o->wind);
    wf_obstacles_destroy(o->obstacles);
    wf_free(context, o);
}

static void describe_particles(lua_State *L, void *object)
{
    const particles_object *o = object;
    wf_wind_particles_stats stats = wf_wind_particles_statistics(o->particles);
    lua_pushfstring(L, "weft.wind_particles (%d particles, %d x %d x %d cells of %f m)", (int)stats.particles,
                    (int)stats.grid.nx, (int)stats.grid.ny, (int)stats.grid.nz, (lua_Number)stats.grid.cell);
}

/* weft.wind_particles { cell =, margin =, lower =, upper =, per_side =, interval =, expiry =, slide =, wake =,
 * filled =, scheme =, memory = } */
static int new_particles(lua_State *L)
{
    static const char function[] = "weft.wind_particles";
    lua_settop(L, 1);
    wf_wind_particles_params params = wf_default_wind_particles_params();
    wf_lua_read_wind_particles_params(L, 1, function, &params);
    void **slot = wf_lua_new_object(L, &particles_class, 0);
    wf_context *context = wf_lua_context(L);
    particles_object *o = wf_allocate(context, 1, sizeof *o);
    *slot = o;
    wf_status status = o ? wf_wind_particles_create(context, &params, &o->particles) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_wind_create(context, &o->wind);
    }
    if (status == WF_OK) {
        status = wf_obstacles_create(context, &o->obstacles);
    }
    if (status != WF_OK && o) {
        *slot = NULL;
        destroy_particles(context, o, NULL);
    }
    wf_lua_check_status(L, status, function);
    return 1;
}

/* The list of obstacles' tables that the option holds, on top of the stack; 0 where it is absent. */
static int push_list(lua_State *L, const wf_lua_options *options, const char *name, int most)
{
    if (!wf_lua_option_typed(options, name, LUA_TTABLE)) {
        lua_newtable(L);
        return 0;
    }
    size_t count = wf_lua_raw_length(L, -1);
    if (count > (size_t)most) {
        wf_lua_fail(L, "%s: %s must be at most %d, got %d", options->function, name, most, (int)count);
    }
    return (int)count;
}

static const char advance_name[] = "weft.wind_particles.advance";

static void read_mesh(lua_State *L, const wf_lua_options *options, wf_obstacle_mesh *mesh)
{
    const double *positions, *before = NULL;
    const int32_t *faces;
    wf_lua_require_option(options, "positions", "a list of points or a weft.buffer");
    wf_lua_require_option(options, "faces", "a list of faces or a weft.buffer");
    size_t count = wf_lua_option_vectors(options, "positions", 3, &positions);
    if (count > 1 << 24) {
        wf_lua_fail(L, "%s: positions must be at most %d, got %d", options->function, 1 << 24, (int)count);
    }
    mesh->vertex_count = (int32_t)count;
    mesh->positions = (const wf_vec3 *)positions;
    if (wf_lua_push_option(options, "before")) {
        if (wf_lua_option_vectors(options, "before", 3, &before) != count) {
            wf_lua_fail(L, "%s: before must be %d points", options->function, (int)count);
        }
        mesh->before = (const wf_vec3 *)before;
    }
    mesh->face_count = (int32_t)wf_lua_option_index_groups(options, "faces", 3, count, &faces);
    mesh->faces = (const int32_t(*)[3])faces;
    size_t shares = wf_lua_option_list(options, "face_porosity", 0, 1, &mesh->face_porosity);
    if (mesh->face_porosity && shares != (size_t)mesh->face_count) {
        wf_lua_fail(L, "%s: face_porosity must be one for each of %d faces, got %d", options->function,
                    (int)mesh->face_count, (int)shares);
    }
}

/* One obstacle, the table on top of the stack: what it is stays on the stack. */
static void read_obstacle(lua_State *L, wf_obstacles_def *def, wf_obstacle_mesh *meshes,
                          wf_obstacle_collider *colliders)
{
    static const char *const names[] = {"positions", "before", "faces", "porosity", "face_porosity", "collider", NULL};
    luaL_checkstack(L, 24, "weft: no room for obstacles");
    wf_lua_options options = wf_lua_open_options(L, lua_gettop(L), advance_name, names);
    double porosity = 0;
    wf_lua_option_number(&options, "porosity", &porosity, 0, 1);
    wf_collider *collider = wf_lua_option_object(&options, "collider", &wf_lua_collider_class);
    if (collider) {
        colliders[def->collider_count++] = (wf_obstacle_collider){collider, collider->pose, porosity};
        return;
    }
    wf_obstacle_mesh *mesh = &meshes[def->mesh_count++];
    *mesh = (wf_obstacle_mesh){.porosity = porosity};
    read_mesh(L, &options, mesh);
}

static void read_obstacles(lua_State *L, const wf_lua_options *options, wf_obstacles_def *def)
{
    int count = push_list(L, options, "obstacles", MOST_OBSTACLES), list = lua_gettop(L);
    wf_obstacle_mesh *meshes = lua_newuserdata(L, ((size_t)count + 1) * sizeof *meshes);
    wf_obstacle_collider *colliders = lua_newuserdata(L, ((size_t)count + 1) * sizeof *colliders);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        if (lua_type(L, -1) != LUA_TTABLE) {
            wf_lua_fail_value(L, -1, "weft.wind_particles.advance: obstacles", "a list of tables");
        }
        read_obstacle(L, def, meshes, colliders);
    }
    def->meshes = meshes;
    def->colliders = colliders;
}

/* Makes the wind those of the list. The handles stay in the object's own table. */
static void take_sources(lua_State *L, const wf_lua_options *options, particles_object *o)
{
    int count = push_list(L, options, "sources", MOST_SOURCES), list = lua_gettop(L);
    lua_createtable(L, count, 0);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        wf_lua_check_object(L, -1, &wf_lua_wind_source_class, "weft.wind_particles.advance: sources");
        lua_rawseti(L, -2, i);
    }
    wf_lua_push_own_table(L, 1);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "sources");
    wf_lua_check_status(L, wf_wind_clear(o->wind), advance_name);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, -2, i);
        wf_wind_source *source =
            wf_lua_check_object(L, -1, &wf_lua_wind_source_class, "weft.wind_particles.advance: sources");
        lua_pop(L, 1);
        wf_lua_check_status(L, wf_wind_add(o->wind, source), advance_name);
    }
}

/* particles:advance { sources =, obstacles =, floor =, time =, duration = } */
static int particles_advance(lua_State *L)
{
    static const char *const names[] = {"sources", "obstacles", "floor", "time", "duration", NULL};
    lua_settop(L, 2);
    particles_object *o = check_particles(L, "weft.wind_particles.advance: self");
    wf_lua_options options = wf_lua_open_options(L, 2, advance_name, names);
    double time = o->time;
    wf_obstacles_def def = {.duration = 0};
    wf_lua_require_option(&options, "duration", "a time in s");
    wf_lua_option_number(&options, "duration", &def.duration, 1e-9, 1e6);
    wf_lua_option_number(&options, "time", &time, -1e9, 1e9);
    def.floor = wf_lua_option_number(&options, "floor", &def.floor_height, -1e6, 1e6);
    take_sources(L, &options, o);
    read_obstacles(L, &options, &def);
    wf_status status = wf_obstacles_update(o->obstacles, &def);
    if (status == WF_OK) {
        status = wf_wind_prepare(o->wind, time);
    }
    if (status == WF_OK) {
        status = wf_wind_particles_advance(o->particles, o->wind, o->obstacles, time, def.duration);
    }
    o->time = status == WF_OK ? time + def.duration : o->time;
    wf_lua_check_status(L, status, advance_name);
    return 0;
}

/* particles:at { points =, normals = } */
static int particles_at(lua_State *L)
{
    static const char *const names[] = {"points", "normals", NULL};
    static const char function[] = "weft.wind_particles.at";
    lua_settop(L, 2);
    particles_object *o = check_particles(L, "weft.wind_particles.at: self");
    wf_lua_options options = wf_lua_open_options(L, 2, function, names);
    const wf_vec3 *points;
    const double *normals = NULL;
    wf_lua_require_option(&options, "points", "a list of points or a weft.buffer");
    size_t count = wf_lua_option_places(&options, "points", &points);
    bool at_faces = wf_lua_push_option(&options, "normals");
    if (at_faces && wf_lua_option_vectors(&options, "normals", 3, &normals) != count) {
        return wf_lua_fail(L, "%s: normals must be one for each of %d points", function, (int)count);
    }
    wf_vec3 *velocities = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    wf_status status =
        at_faces ? wf_wind_particles_face_velocities(o->particles, o->wind, o->obstacles, o->time, count,
                                                     points, (const wf_vec3 *)normals, velocities)
                 : wf_wind_particles_velocities(o->particles, o->wind, o->obstacles, o->time, count,
                                                points, velocities);
    wf_lua_check_status(L, status, function);
    return 1;
}

/* particles:cells(index): { shares =, velocities = } of a source, for all cells. */
static int particles_cells(lua_State *L)
{
    static const char function[] = "weft.wind_particles.cells";
    lua_settop(L, 2);
    particles_object *o = check_particles(L, "weft.wind_particles.cells: self");
    size_t index = wf_lua_check_index(L, 2, "weft.wind_particles.cells: index", wf_wind_count(o->wind));
    wf_cell_grid grid = wf_wind_particles_statistics(o->particles).grid;
    size_t count = (size_t)grid.nx * (size_t)grid.ny * (size_t)grid.nz;
    lua_createtable(L, 0, 2);
    double *shares = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 1);
    lua_setfield(L, -2, "shares");
    wf_vec3 *velocities = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    lua_setfield(L, -2, "velocities");
    grid = wf_wind_particles_statistics(o->particles).grid;
    /* What was made above may have run a finalizer that advanced the particles. */
    if ((size_t)grid.nx * (size_t)grid.ny * (size_t)grid.nz != count || index >= wf_wind_count(o->wind)) {
        return wf_lua_fail(L, "%s: the particles were moved while they were read", function);
    }
    wf_lua_check_status(L, wf_wind_particles_cells(o->particles, o->wind, index, o->time, shares, velocities),
                        function);
    return 1;
}

static const wf_wind_particles *get_particles(lua_State *L, const char *function)
{
    (void)function;
    return check_particles(L, "weft.wind_particles.read: self")->particles;
}

/* particles:read(): { positions =, shares =, sources = } */
static int particles_read(lua_State *L)
{
    wf_lua_push_wind_particles(L, "weft.wind_particles.read", get_particles);
    return 1;
}

/* particles:stats() */
static int particles_stats(lua_State *L)
{
    wf_lua_push_wind_particles_stats(L, check_particles(L, "weft.wind_particles.stats: self")->particles);
    return 1;
}

/* particles:reset() */
static int particles_reset(lua_State *L)
{
    wf_wind_particles_reset(check_particles(L, "weft.wind_particles.reset: self")->particles);
    return 0;
}

static void get_options(lua_State *L, void *object)
{
    wf_wind_particles_params params = wf_wind_particles_get_params(((particles_object *)object)->particles);
    wf_lua_push_wind_particles_params(L, &params);
}

static void get_time(lua_State *L, void *object)
{
    lua_pushnumber(L, ((particles_object *)object)->time);
}

static const luaL_Reg particles_methods[] = {{"advance", particles_advance}, {"at", particles_at},
                                             {"cells", particles_cells},     {"read", particles_read},
                                             {"stats", particles_stats},     {"reset", particles_reset},
                                             {NULL, NULL}};
static const wf_lua_property particles_properties[] = {{"options", get_options, NULL},
                                                       {"time", get_time, NULL},
                                                       {NULL, NULL, NULL}};
static const wf_lua_class particles_class = {"weft.wind_particles", particles_methods, particles_properties,
                                             describe_particles, destroy_particles};

void wf_lua_open_wind_particles(lua_State *L);

void wf_lua_open_wind_particles(lua_State *L)
{
    static const luaL_Reg functions[] = {{"wind_particles", new_particles}, {NULL, NULL}};
    wf_lua_register_class(L, &particles_class);
    wf_lua_set_functions(L, functions);
}
