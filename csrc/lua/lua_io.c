/* lua_io.c - weft.mesh: triangles read from and written to files. */
#include "lua/lua_io.h"

#include <string.h>

#include "base/file.h"
#include "base/vector.h"
#include "io/ply.h"
#include "io/triangles.h"
#include "lua/buffer.h"

static const wf_lua_class mesh_class;

/* ---- files ----------------------------------------------------------------------------------------------------- */

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    if (length < size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = path[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != ending[i]) {
            return false;
        }
    }
    return true;
}

wf_status wf_lua_write_mesh(wf_context *context, const char *path, const wf_obj_content *content,
                            const float (*colours)[3], bool single_precision)
{
    if (has_ending(path, ".obj")) {
        return wf_obj_write(context, path, content);
    }
    if (!has_ending(path, ".ply")) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "path must end in .obj or .ply, got \"%s\"", path);
    }
    wf_ply_content ply = {.vertex_count = content->vertex_count,
                          .face_count = content->face_count,
                          .positions = content->positions,
                          .faces = content->faces,
                          .colours = colours,
                          .single_precision = single_precision};
    return wf_ply_write(context, path, &ply);
}

/* ---- the class ------------------------------------------------------------------------------------------------- */

static void destroy_mesh(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_triangles_free(context, object);
    wf_free(context, object);
}

static void describe_mesh(lua_State *L, void *object)
{
    const wf_triangles *mesh = object;
    lua_pushfstring(L, "weft.mesh (%d vertices, %d faces%s)", (int)mesh->vertex_count, (int)mesh->face_count,
                    mesh->colours ? ", coloured" : "");
}

static void view_positions(void *object, wf_lua_view *view)
{
    const wf_triangles *mesh = object;
    *view = (wf_lua_view){mesh->positions, mesh->positions, WF_LUA_DOUBLE, (size_t)mesh->vertex_count, 3, false};
}

static void view_faces(void *object, wf_lua_view *view)
{
    const wf_triangles *mesh = object;
    *view = (wf_lua_view){mesh->faces, mesh->faces, WF_LUA_INDEX, (size_t)mesh->face_count, 3, false};
}

static void view_colours(void *object, wf_lua_view *view)
{
    const wf_triangles *mesh = object;
    *view = (wf_lua_view){mesh->colours, mesh->colours, WF_LUA_FLOAT, (size_t)mesh->vertex_count, 3, false};
}

static void get_positions(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &mesh_class, "positions", view_positions);
}

static void get_faces(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &mesh_class, "faces", view_faces);
}

static void get_colours(lua_State *L, void *object)
{
    if (((const wf_triangles *)object)->colours) {
        wf_lua_push_view(L, 1, &mesh_class, "colours", view_colours);
    } else {
        lua_pushnil(L);
    }
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_triangles *)object)->vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_triangles *)object)->face_count);
}

/* mesh:save(path, { precision = "double" }) */
static int mesh_save(lua_State *L)
{
    static const char *const names[] = {"precision", NULL};
    static const char *const precisions[] = {"double", "float", NULL};
    const wf_triangles *mesh = wf_lua_check_object(L, 1, &mesh_class, "weft.mesh.save: self");
    const char *path = wf_lua_check_string(L, 2, "weft.mesh.save: path");
    wf_lua_options options = wf_lua_open_options(L, 3, "weft.mesh.save", names);
    int precision = 0;
    wf_lua_option_choice(&options, "precision", precisions, &precision);
    mesh = wf_lua_check_object(L, 1, &mesh_class, "weft.mesh.save: self");
    wf_obj_content content = {.vertex_count = mesh->vertex_count,
                              .face_count = mesh->face_count,
                              .positions = mesh->positions,
                              .faces = (const int32_t(*)[3])mesh->faces};
    wf_status status = wf_lua_write_mesh(wf_lua_context(L), path, &content, (const float(*)[3])mesh->colours,
                                         precision == 1);
    wf_lua_check_status(L, status, "weft.mesh.save");
    return 0;
}

static const luaL_Reg mesh_methods[] = {{"save", mesh_save}, {NULL, NULL}};
static const wf_lua_property mesh_properties[] = {
    {"positions", get_positions, NULL}, {"faces", get_faces, NULL},         {"colours", get_colours, NULL},
    {"vertices", get_vertices, NULL},   {"triangles", get_triangles, NULL}, {NULL, NULL, NULL}};
static const wf_lua_class mesh_class = {"weft.mesh", mesh_methods, mesh_properties, describe_mesh, destroy_mesh};

/* ---- constructors ---------------------------------------------------------------------------------------------- */

/* Pushes a handle with an empty mesh. */
static wf_triangles *new_mesh(lua_State *L, const char *function)
{
    void **slot = wf_lua_new_object(L, &mesh_class, 0);
    wf_triangles *mesh = wf_allocate(wf_lua_context(L), 1, sizeof *mesh);
    *slot = mesh;
    wf_lua_check_status(L, mesh ? WF_OK : WF_ERROR_MEMORY, function);
    return mesh;
}

/* core.load_mesh(path, { limit = bytes }) */
static int load_mesh(lua_State *L)
{
    static const char *const names[] = {"limit", NULL};
    const char *path = wf_lua_check_string(L, 1, "weft.mesh.load: path");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.mesh.load", names);
    double limit = WF_FILE_LIMIT;
    wf_lua_option_number(&options, "limit", &limit, 1, 1e12);
    wf_context *context = wf_lua_context(L);
    wf_triangles *mesh = new_mesh(L, "weft.mesh.load");
    wf_status status = wf_triangles_read(context, path, (size_t)limit, mesh);
    if (status == WF_OK && mesh->dropped_faces > 0) {
        wf_warn(context, "%s: %lld triangles were left out, since they name a vertex twice", path,
                (long long)mesh->dropped_faces);
    }
    wf_lua_check_status(L, status, "weft.mesh.load");
    wf_lua_press_collector(L, (size_t)mesh->vertex_count * sizeof *mesh->positions +
                                  (size_t)mesh->face_count * sizeof *mesh->faces);
    return 1;
}

static wf_status fill_mesh(wf_context *context, wf_triangles *mesh, const double *vertices, size_t vertex_count,
                           const int32_t *faces, size_t face_count)
{
    wf_status status =
        wf_reserve(context, &mesh->positions, &mesh->position_capacity, vertex_count, sizeof *mesh->positions);
    for (size_t i = 0; i < vertex_count && status == WF_OK; i++) {
        status = wf_triangles_add_vertex(
            context, mesh, (wf_vec3){vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]});
    }
    for (size_t i = 0; i < face_count && status == WF_OK; i++) {
        status = wf_triangles_add_polygon(context, mesh, faces + 3 * i, 3);
    }
    if (status == WF_OK && mesh->dropped_faces > 0) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "a face names a vertex twice");
    }
    return status;
}

/* core.mesh { vertices =, faces =, colours = } */
static int mesh_new(lua_State *L)
{
    static const char *const names[] = {"vertices", "faces", "colours", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.mesh", names);
    wf_lua_require_option(&options, "vertices", "a list of points");
    wf_lua_require_option(&options, "faces", "a list of index triples");
    const double *vertices, *colours;
    const int32_t *faces;
    size_t vertex_count = wf_lua_option_vectors(&options, "vertices", 3, &vertices);
    size_t face_count = wf_lua_option_index_groups(&options, "faces", 3, vertex_count, &faces);
    size_t colour_count = wf_lua_option_vectors(&options, "colours", 3, &colours);
    if (colours && colour_count != vertex_count) {
        wf_lua_fail(L, "weft.mesh: colours must be as many as the %d vertices, got %d", (int)vertex_count,
                    (int)colour_count);
    }
    wf_context *context = wf_lua_context(L);
    wf_triangles *mesh = new_mesh(L, "weft.mesh");
    wf_status status = fill_mesh(context, mesh, vertices, vertex_count, faces, face_count);
    if (status == WF_OK && colours) {
        status = wf_reserve(context, &mesh->colours, &mesh->colour_capacity, vertex_count, sizeof *mesh->colours);
        for (size_t i = 0; i < 3 * vertex_count && status == WF_OK; i++) {
            mesh->colours[i / 3][i % 3] = (float)colours[i];
        }
    }
    wf_lua_check_status(L, status, "weft.mesh");
    return 1;
}

static int call_mesh(lua_State *L)
{
    lua_settop(L, 2);
    lua_remove(L, 1); /* the table weft.mesh, which was called */
    return mesh_new(L);
}

void wf_lua_open_io(lua_State *L);

void wf_lua_open_io(lua_State *L)
{
    static const luaL_Reg functions[] = {{"mesh", call_mesh}, {"load_mesh", load_mesh}, {NULL, NULL}};
    wf_lua_register_class(L, &mesh_class);
    wf_lua_set_functions(L, functions);
}
