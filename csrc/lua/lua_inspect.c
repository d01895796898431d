/* lua_inspect.c - weft.inspect: questions about surfaces, answered exactly and independently of the simulation. */
#include "lua/buffer.h"
#include "mesh/intersect.h"
#include "mesh/solid.h"

/* ---- surfaces -------------------------------------------------------------------------------------------------- */

/* Runs protected: leaves a table with the object's positions and faces. */
static int get_arrays(lua_State *L)
{
    lua_newtable(L);
    lua_getfield(L, 1, "positions");
    lua_setfield(L, 2, "positions");
    lua_getfield(L, 1, "faces");
    lua_setfield(L, 2, "faces");
    return 1;
}

static void refuse_surface(lua_State *L, int index, const char *what)
{
    wf_lua_fail_value(L, index, what, "something with positions and faces, or { vertices =, faces = }");
}

/* Pushes a table with the arrays of the thing at `index`: a table itself, or an object with these properties. */
static void push_arrays(lua_State *L, int index, const char *what)
{
    if (lua_istable(L, index)) {
        lua_pushvalue(L, index);
        return;
    }
    if (!lua_isuserdata(L, index)) {
        refuse_surface(L, index, what);
    }
    lua_pushcfunction(L, get_arrays);
    lua_pushvalue(L, index);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        refuse_surface(L, index, what);
    }
}

/* Vectors of three numbers; `asked`: places that a surface is asked about. */
static size_t read_vectors(const wf_lua_options *options, const char *name, bool asked, const wf_vec3 **points)
{
    if (asked) {
        return wf_lua_option_places(options, name, points);
    }
    const double *values;
    size_t count = wf_lua_option_vectors(options, name, 3, &values);
    *points = (const wf_vec3 *)values;
    return count;
}

/* Pushes copies of the points of the thing at `index`: positions or vertices. Returns how many. */
static int32_t read_points(lua_State *L, const wf_lua_options *options, int index, const char *what, bool asked,
                           const wf_vec3 **points)
{
    size_t count = read_vectors(options, "positions", asked, points);
    if (!*points) {
        count = read_vectors(options, "vertices", asked, points);
    }
    if (!*points) {
        refuse_surface(L, index, what);
    }
    if (count > INT32_MAX) {
        wf_lua_fail(L, "%s has too many vertices", what);
    }
    return (int32_t)count;
}

/* Pushes copies of the arrays of the surface at `index`, which stay valid on the stack. */
static wf_surface read_surface(lua_State *L, int index, const char *function, const char *what)
{
    luaL_checkstack(L, 16, function);
    push_arrays(L, index, what);
    const wf_lua_options options = {L, lua_gettop(L), function};
    wf_surface surface = {0};
    surface.vertex_count = read_points(L, &options, index, what, false, &surface.positions);
    const int32_t *faces;
    const size_t face_count =
        wf_lua_option_index_groups(&options, "faces", 3, (size_t)surface.vertex_count, &faces);
    if (!faces) {
        refuse_surface(L, index, what);
    }
    if (face_count > WF_MESH_LARGEST_FACE_COUNT) {
        wf_lua_fail(L, "%s has too many faces", what);
    }
    surface.face_count = (int32_t)face_count;
    surface.faces = (const int32_t(*)[3])faces;
    return surface;
}

static wf_status build_mesh(wf_context *context, const wf_surface *surface, wf_mesh *mesh)
{
    return wf_mesh_build(context, surface->vertex_count, surface->positions, surface->face_count, surface->faces, mesh);
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

/* core.intersections(a, b, { limit = 1000 }): { count =, pairs = } */
static int inspect_intersections(lua_State *L)
{
    static const char *const names[] = {"limit", NULL};
    static const char function[] = "weft.inspect.intersections";
    lua_settop(L, 3);
    const bool with_itself = lua_isnil(L, 2);
    wf_lua_options options = wf_lua_open_options(L, 3, function, names);
    int64_t limit = 1000;
    wf_lua_option_integer(&options, "limit", &limit, 0, 100000000);
    const wf_surface a = read_surface(L, 1, function, "weft.inspect.intersections: a");
    wf_surface b = a;
    if (!with_itself) {
        b = read_surface(L, 2, function, "weft.inspect.intersections: b");
    }
    lua_createtable(L, 0, 2);
    const int result = lua_gettop(L);
    wf_lua_push_buffer(L, WF_LUA_INDEX, (size_t)limit, 2);
    wf_lua_view *view = wf_lua_check_object(L, -1, &wf_lua_buffer_class, function);
    int64_t count;
    wf_status status =
        wf_intersections_find(wf_lua_context(L), &a, with_itself ? NULL : &b, limit, view->block, &count);
    view->count = status != WF_OK ? 0 : (size_t)(count < limit ? count : limit);
    wf_lua_check_status(L, status, function);
    lua_setfield(L, result, "pairs");
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, result, "count");
    return 1;
}

static void set_boolean(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

/* core.examine(surface): a table. */
static int inspect_examine(lua_State *L)
{
    static const char function[] = "weft.inspect.examine";
    lua_settop(L, 1);
    const wf_surface surface = read_surface(L, 1, function, "weft.inspect.examine: surface");
    wf_context *context = wf_lua_context(L);
    wf_mesh mesh;
    wf_mesh_report report;
    wf_status status = build_mesh(context, &surface, &mesh);
    if (status == WF_OK) {
        status = wf_mesh_examine(context, &mesh, &report);
    }
    wf_mesh_free(context, &mesh);
    wf_lua_check_status(L, status, function);
    lua_createtable(L, 0, 13);
    set_boolean(L, "closed", report.closed);
    set_boolean(L, "manifold", report.manifold);
    set_boolean(L, "oriented", report.oriented);
    wf_lua_set_integer(L, "components", report.components);
    wf_lua_set_integer(L, "boundary_loops", report.boundary_loops);
    wf_lua_set_integer(L, "boundary_edges", report.boundary_edges);
    wf_lua_set_integer(L, "nonmanifold_edges", report.nonmanifold_edges);
    wf_lua_set_integer(L, "nonmanifold_vertices", report.nonmanifold_vertices);
    wf_lua_set_integer(L, "zero_area_faces", report.zero_area_faces);
    wf_lua_set_integer(L, "isolated_vertices", report.isolated_vertices);
    wf_lua_set_integer(L, "euler", report.euler);
    wf_lua_set_number(L, "area", report.area);
    wf_lua_set_number(L, "volume", report.volume);
    return 1;
}

/* Winding numbers (`inside` NULL) or distances, negative inside, of points from a surface. */
static wf_status measure_points(wf_context *context, const wf_surface *surface, int32_t count, const wf_vec3 *points,
                                double *values, int32_t *inside)
{
    wf_mesh mesh;
    wf_solid *solid = NULL;
    wf_status status = build_mesh(context, surface, &mesh);
    if (status == WF_OK) {
        status = wf_solid_create(context, &mesh, &solid);
    }
    if (status == WF_OK && inside) {
        *inside = wf_solid_signed_distance(context, solid, count, points, values);
    } else if (status == WF_OK) {
        wf_solid_winding(context, solid, count, points, values);
    }
    wf_solid_destroy(context, solid);
    wf_mesh_free(context, &mesh);
    return status;
}

/* Reads a surface and points and pushes the buffer of what is measured. */
static void answer_points(lua_State *L, const char *function, const char *what_surface, const char *what_points,
                          int32_t *inside)
{
    lua_settop(L, 2);
    const wf_surface surface = read_surface(L, 1, function, what_surface);
    /* A list or buffer of points becomes a table with positions, as an object does. */
    const bool bare = wf_lua_is_object(L, 2, &wf_lua_buffer_class) ||
                      (lua_istable(L, 2) && wf_lua_raw_length(L, 2) > 0);
    if (bare) {
        lua_newtable(L);
        lua_pushvalue(L, 2);
        lua_setfield(L, -2, "positions");
    } else {
        push_arrays(L, 2, what_points);
    }
    const wf_lua_options options = {L, lua_gettop(L), function};
    const wf_vec3 *points;
    const int32_t count = read_points(L, &options, 2, what_points, true, &points);
    double *values = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, 1);
    wf_lua_check_status(L, measure_points(wf_lua_context(L), &surface, count, points, values, inside), function);
}

/* core.inside(surface, points): how many points are inside, and the buffer of distances, negative inside. */
static int inspect_inside(lua_State *L)
{
    int32_t inside = 0;
    answer_points(L, "weft.inspect.inside", "weft.inspect.inside: surface", "weft.inspect.inside: points", &inside);
    lua_pushinteger(L, inside);
    lua_insert(L, -2);
    return 2;
}

/* core.winding(surface, points): the buffer of winding numbers. */
static int inspect_winding(lua_State *L)
{
    answer_points(L, "weft.inspect.winding", "weft.inspect.winding: surface", "weft.inspect.winding: points", NULL);
    return 1;
}

void wf_lua_open_inspect(lua_State *L);

void wf_lua_open_inspect(lua_State *L)
{
    static const luaL_Reg functions[] = {{"intersections", inspect_intersections},
                                         {"examine", inspect_examine},
                                         {"inside", inspect_inside},
                                         {"winding", inspect_winding},
                                         {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
