/* lua_triangulate.c - weft.mesh.triangulate. */
#include <string.h>

#include "base/context.h"
#include "lua/buffer.h"
#include "mesh/triangulate.h"

static const char function_name[] = "weft.mesh.triangulate";

/* What a script sees: the planar mesh, and the same in the forms that its buffers need. */
typedef struct triangulation {
    wf_planar_mesh mesh;
    wf_vec3 *positions;       /* [mesh.vertex_count] the points, with z = 0 */
    int32_t (*splits)[2];     /* [mesh.split_count] segment and vertex */
    double *split_parameters; /* [mesh.split_count] */
} triangulation;

static const wf_lua_class triangulation_class;

/* ---- the class ------------------------------------------------------------------------------------------------- */

static void destroy_triangulation(wf_context *context, void *object, void *parent)
{
    (void)parent;
    triangulation *t = object;
    wf_planar_mesh_free(context, &t->mesh);
    wf_free(context, t->positions);
    wf_free(context, t->splits);
    wf_free(context, t->split_parameters);
    wf_free(context, t);
}

static void describe_triangulation(lua_State *L, void *object)
{
    const wf_planar_mesh *mesh = &((const triangulation *)object)->mesh;
    lua_pushfstring(L, "weft.triangulation (%d vertices, %d faces, %d on segments, smallest angle %f degrees)",
                    (int)mesh->vertex_count, (int)mesh->face_count, (int)mesh->split_count,
                    mesh->minimum_angle * (180 / 3.14159265358979323846));
}

static void view_points(void *object, wf_lua_view *view)
{
    const wf_planar_mesh *mesh = &((const triangulation *)object)->mesh;
    *view = (wf_lua_view){mesh->points, mesh->points, WF_LUA_DOUBLE, (size_t)mesh->vertex_count, 2, false};
}

static void view_positions(void *object, wf_lua_view *view)
{
    const triangulation *t = object;
    *view = (wf_lua_view){t->positions, t->positions, WF_LUA_DOUBLE, (size_t)t->mesh.vertex_count, 3, false};
}

static void view_faces(void *object, wf_lua_view *view)
{
    const wf_planar_mesh *mesh = &((const triangulation *)object)->mesh;
    *view = (wf_lua_view){mesh->faces, mesh->faces, WF_LUA_INDEX, (size_t)mesh->face_count, 3, false};
}

static void view_splits(void *object, wf_lua_view *view)
{
    const triangulation *t = object;
    *view = (wf_lua_view){t->splits, t->splits, WF_LUA_INDEX, (size_t)t->mesh.split_count, 2, false};
}

static void view_split_parameters(void *object, wf_lua_view *view)
{
    const triangulation *t = object;
    *view = (wf_lua_view){t->split_parameters, t->split_parameters, WF_LUA_DOUBLE, (size_t)t->mesh.split_count, 1,
                          false};
}

static void get_points(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &triangulation_class, "points", view_points);
}

static void get_positions(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &triangulation_class, "positions", view_positions);
}

static void get_faces(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &triangulation_class, "faces", view_faces);
}

static void get_splits(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &triangulation_class, "splits", view_splits);
}

static void get_split_parameters(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &triangulation_class, "split_parameters", view_split_parameters);
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const triangulation *)object)->mesh.vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const triangulation *)object)->mesh.face_count);
}

static void get_minimum_angle(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const triangulation *)object)->mesh.minimum_angle);
}

static const luaL_Reg triangulation_methods[] = {{NULL, NULL}};
static const wf_lua_property triangulation_properties[] = {{"points", get_points, NULL},
                                                           {"positions", get_positions, NULL},
                                                           {"faces", get_faces, NULL},
                                                           {"splits", get_splits, NULL},
                                                           {"split_parameters", get_split_parameters, NULL},
                                                           {"vertices", get_vertices, NULL},
                                                           {"triangles", get_triangles, NULL},
                                                           {"minimum_angle", get_minimum_angle, NULL},
                                                           {NULL, NULL, NULL}};
static const wf_lua_class triangulation_class = {"weft.triangulation", triangulation_methods, triangulation_properties,
                                                 describe_triangulation, destroy_triangulation};

/* ---- constructor ----------------------------------------------------------------------------------------------- */

/* The loops of an outline, in Lua's memory. */
typedef struct loops {
    int32_t count, point_count;
    wf_vec2 *points;
    int32_t *starts;
} loops;

/* Pushes a table of the outline and the holes, each { loop = points }, and returns how many. */
static int32_t push_loops(const wf_lua_options *options)
{
    lua_State *L = options->L;
    wf_lua_require_option(options, "outline", "a list of points");
    size_t hole_count = 0;
    const bool with_holes = wf_lua_option_typed(options, "holes", LUA_TTABLE);
    if (with_holes) {
        hole_count = wf_lua_raw_length(L, -1);
        if (hole_count > 1000000) {
            wf_lua_fail(L, "%s: holes must be at most 1000000, got %d", function_name, (int)hole_count);
        }
    }
    const int holes = lua_gettop(L);
    lua_createtable(L, (int)hole_count + 1, 0);
    for (int i = 0; i <= (int)hole_count; i++) {
        lua_createtable(L, 0, 1);
        if (i == 0) {
            lua_pushliteral(L, "outline");
            lua_rawget(L, options->index);
            lua_setfield(L, -2, "outline");
        } else {
            lua_rawgeti(L, holes, i);
            lua_setfield(L, -2, "holes");
        }
        lua_rawseti(L, -2, i + 1);
    }
    return (int32_t)hole_count + 1;
}

/* Reads all loops; what they lie in stays on the stack. */
static loops read_loops(const wf_lua_options *options)
{
    lua_State *L = options->L;
    loops result = {.count = push_loops(options)};
    const int list = lua_gettop(L);
    result.starts = lua_newuserdata(L, ((size_t)result.count + 1) * sizeof *result.starts);
    const double **values = lua_newuserdata(L, (size_t)result.count * sizeof *values);
    size_t total = 0;
    for (int32_t i = 0; i < result.count; i++) {
        result.starts[i] = (int32_t)total;
        lua_rawgeti(L, list, i + 1);
        const wf_lua_options loop = {L, lua_gettop(L), function_name};
        const char *name = i == 0 ? "outline" : "holes";
        wf_lua_require_option(&loop, name, "lists of points");
        total += wf_lua_option_vectors(&loop, name, 2, &values[i]);
        if (total > INT32_MAX) {
            wf_lua_fail(L, "%s: too many points", function_name);
        }
        lua_rawseti(L, list, i + 1); /* keeps the values in place of the loop */
        lua_pop(L, 1);
    }
    result.starts[result.count] = result.point_count = (int32_t)total;
    result.points = lua_newuserdata(L, (total + 1) * sizeof *result.points);
    for (int32_t i = 0; i < result.count; i++) {
        memcpy(result.points + result.starts[i], values[i],
               (size_t)(result.starts[i + 1] - result.starts[i]) * sizeof *result.points);
    }
    return result;
}

static wf_status triangulate(wf_context *context, const loops *input, const wf_triangulate_params *params,
                             triangulation *t)
{
    wf_status status = wf_triangulate(context, input->point_count, input->points, input->count, input->starts, params,
                                      &t->mesh);
    if (status != WF_OK) {
        return status;
    }
    const wf_planar_mesh *mesh = &t->mesh;
    t->positions = wf_allocate(context, (size_t)mesh->vertex_count, sizeof *t->positions);
    t->splits = wf_allocate(context, (size_t)mesh->split_count, sizeof *t->splits);
    t->split_parameters = wf_allocate(context, (size_t)mesh->split_count, sizeof *t->split_parameters);
    if (!t->positions || !t->splits || !t->split_parameters) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        t->positions[v] = (wf_vec3){mesh->points[v].x, mesh->points[v].y, 0};
    }
    for (int32_t i = 0; i < mesh->split_count; i++) {
        t->splits[i][0] = mesh->splits[i].segment;
        t->splits[i][1] = mesh->splits[i].vertex;
        t->split_parameters[i] = mesh->splits[i].t;
    }
    return WF_OK;
}

/* core.triangulate { outline =, holes =, edge =, minimum_angle =, limit =, split = } */
static int triangulate_new(lua_State *L)
{
    static const char *const names[] = {"outline", "holes", "edge", "minimum_angle", "limit", "split", NULL};
    lua_settop(L, 1);
    wf_lua_options options = wf_lua_open_options(L, 1, function_name, names);
    wf_triangulate_params params = wf_default_triangulate_params();
    wf_lua_require_option(&options, "edge", "a length in metres");
    wf_lua_option_number(&options, "edge", &params.edge_length, WF_LUA_POSITIVE, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "minimum_angle", &params.minimum_angle, 0, WF_LUA_HIGHEST);
    wf_lua_option_integer(&options, "limit", &params.triangle_limit, 1, INT32_MAX / 3);
    wf_lua_option_boolean(&options, "split", &params.split_boundary);
    const loops input = read_loops(&options);
    void **slot = wf_lua_new_object(L, &triangulation_class, 0);
    wf_context *context = wf_lua_context(L);
    triangulation *t = wf_allocate(context, 1, sizeof *t);
    *slot = t;
    wf_lua_check_status(L, t ? triangulate(context, &input, &params, t) : WF_ERROR_MEMORY, function_name);
    return 1;
}

void wf_lua_open_triangulate(lua_State *L);

void wf_lua_open_triangulate(lua_State *L)
{
    static const luaL_Reg functions[] = {{"triangulate", triangulate_new}, {NULL, NULL}};
    wf_lua_register_class(L, &triangulation_class);
    wf_lua_set_functions(L, functions);
}
