/* lua_cloth.c - weft.sheet, weft.cloth and the class of cloths.
 *
 * What a script reads is in the order in which it gave vertices and faces (world/export.h): buffers of the handle that
 * are filled anew whenever the property is read, and replaced only when their size changes.
 */
#include "lua/lua_cloth.h"

#include <math.h>
#include <stdio.h>

#include "lua/buffer.h"
#include "lua/lua_cloth_models.h"
#include "lua/lua_fabric.h"
#include "lua/lua_fittings.h"
#include "lua/lua_garment.h"
#include "lua/lua_io.h"
#include "lua/lua_wind.h"
#include "lua/lua_world.h"
#include "lua/object.h"
#include "world/export.h"
#include "world/garment_cloth.h"

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Pushes the handle's own buffer `key` and returns its memory, or a new one when the size has changed. */
static void *push_own_buffer(lua_State *L, const char *key, wf_lua_element element, size_t count, int components)
{
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, key);
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const wf_lua_view *view = wf_lua_check_buffer(L, -1, key, element, components);
        if (view->count == count) {
            lua_remove(L, -2);
            return (void *)view->data;
        }
    }
    lua_pop(L, 1);
    void *memory = wf_lua_push_buffer(L, element, count, components);
    wf_lua_seal_buffer(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, key);
    lua_remove(L, -2);
    return memory;
}

/* `inner`: the address of the pointer to the cloth's own. A finalizer may merge vertices of the cloth while the buffer
 * is made: there are fewer then, elsewhere. */
static void push_vectors(lua_State *L, wf_cloth *cloth, const char *key, wf_vec3 *const *inner)
{
    wf_vec3 *outer = push_own_buffer(L, key, WF_LUA_DOUBLE, (size_t)cloth->mesh.vertex_count, 3);
    wf_export_order order;
    wf_lua_check_status(L, wf_export_order_build(cloth, &order), "weft.cloth");
    wf_export_vectors(cloth, &order, *inner, outer);
    wf_export_order_free(cloth, &order);
}

static void get_positions(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    push_vectors(L, cloth, "positions", &cloth->mesh.positions);
}

static void get_velocities(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    push_vectors(L, cloth, "velocities", &cloth->velocities);
}

static void get_normals(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    wf_vec3 *outer = push_own_buffer(L, "normals", WF_LUA_DOUBLE, (size_t)cloth->mesh.vertex_count, 3);
    wf_vec3 *inner = wf_allocate(cloth->context, (size_t)cloth->mesh.vertex_count, sizeof *inner);
    wf_export_order order;
    wf_status status = inner ? wf_export_order_build(cloth, &order) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&cloth->mesh, cloth->mesh.positions, inner);
        wf_export_vectors(cloth, &order, inner, outer);
        wf_export_order_free(cloth, &order);
    }
    wf_free(cloth->context, inner);
    wf_lua_check_status(L, status, "weft.cloth");
}

static void get_faces(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    int32_t(*faces)[3] = push_own_buffer(L, "faces", WF_LUA_INDEX, (size_t)cloth->mesh.face_count, 3);
    wf_export_order order;
    wf_lua_check_status(L, wf_export_order_build(cloth, &order), "weft.cloth");
    wf_export_faces(cloth, &order, faces);
    wf_export_order_free(cloth, &order);
}

static void get_strains(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    double(*outer)[3] = push_own_buffer(L, "strains", WF_LUA_DOUBLE, (size_t)cloth->mesh.face_count, 3);
    double(*inner)[3] = wf_allocate(cloth->context, (size_t)cloth->mesh.face_count, sizeof *inner);
    wf_status status = inner ? wf_cloth_strains(cloth, inner) : WF_ERROR_MEMORY;
    for (int32_t f = 0; status == WF_OK && f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            outer[cloth->source_face[f]][k] = inner[f][k];
        }
    }
    wf_free(cloth->context, inner);
    wf_lua_check_status(L, status, "weft.cloth");
}

static void get_masses(lua_State *L, void *object)
{
    wf_cloth *cloth = object;
    double *outer = push_own_buffer(L, "masses", WF_LUA_DOUBLE, (size_t)cloth->mesh.vertex_count, 1);
    wf_export_order order;
    wf_lua_check_status(L, wf_export_order_build(cloth, &order), "weft.cloth");
    for (int32_t k = 0; k < cloth->mesh.vertex_count; k++) {
        outer[k] = cloth->masses[order.vertices[k]];
    }
    wf_export_order_free(cloth, &order);
}

/* cloth:ease(rings): per face the largest ratio of seam sides within `rings` edges. */
static int cloth_ease(lua_State *L)
{
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.ease: self");
    int64_t rings = wf_lua_check_integer(L, 2, "weft.cloth.ease: rings", 0, 100);
    double *outer = push_own_buffer(L, "ease", WF_LUA_DOUBLE, (size_t)cloth->mesh.face_count, 1);
    double *inner = wf_allocate(cloth->context, (size_t)cloth->mesh.face_count, sizeof *inner);
    wf_status status = inner ? wf_cloth_ease(cloth, (int)rings, inner) : WF_ERROR_MEMORY;
    for (int32_t f = 0; status == WF_OK && f < cloth->mesh.face_count; f++) {
        outer[cloth->source_face[f]] = inner[f];
    }
    wf_free(cloth->context, inner);
    wf_lua_check_status(L, status, "weft.cloth.ease");
    return 1;
}

static void get_vertex_count(lua_State *L, void *object)
{
    lua_pushinteger(L, ((wf_cloth *)object)->mesh.vertex_count);
}

static void get_triangle_count(lua_State *L, void *object)
{
    lua_pushinteger(L, ((wf_cloth *)object)->mesh.face_count);
}

static void get_stitch_count(lua_State *L, void *object)
{
    lua_pushinteger(L, ((wf_cloth *)object)->pair_count);
}

static double total_mass(const wf_cloth *cloth)
{
    double mass = 0;
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        mass += cloth->masses[i];
    }
    return mass;
}

static void get_mass(lua_State *L, void *object)
{
    lua_pushnumber(L, total_mass(object));
}

static void get_fabric(lua_State *L, void *object)
{
    wf_lua_push_fabric(L, &((wf_cloth *)object)->fabrics[0]);
}

static void set_fabric(lua_State *L, void *object, int index, const char *what)
{
    const wf_fabric *fabric = wf_lua_check_object(L, index, &wf_lua_fabric_class, what);
    wf_lua_check_status(L, wf_cloth_set_fabric(object, 0, fabric), "weft.cloth");
}

static void get_membrane(lua_State *L, void *object)
{
    wf_lua_push_cloth_model(L, object, WF_MODEL_MEMBRANE);
}

static void set_membrane(lua_State *L, void *object, int index, const char *what)
{
    wf_lua_set_cloth_model(L, object, WF_MODEL_MEMBRANE, index, what);
}

static void get_bending(lua_State *L, void *object)
{
    wf_lua_push_cloth_model(L, object, WF_MODEL_BENDING);
}

static void set_bending(lua_State *L, void *object, int index, const char *what)
{
    wf_lua_set_cloth_model(L, object, WF_MODEL_BENDING, index, what);
}

/* ---- saving ---------------------------------------------------------------------------------------------------- */

/* What a file gets, in the outer order; the memory is Lua's. Texture coordinates are the corners' pattern coordinates:
 * a vertex on a seam has one in each panel. */
static wf_status fill_content(wf_cloth *cloth, wf_vec3 *positions, wf_vec3 *normals, int32_t (*faces)[3],
                              wf_vec2 *textures, int32_t (*face_textures)[3])
{
    wf_export_order order;
    wf_status status = wf_export_order_build(cloth, &order);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 *inner = positions; /* scratch first */
    wf_mesh_vertex_normals(&cloth->mesh, cloth->mesh.positions, inner);
    wf_export_vectors(cloth, &order, inner, normals);
    wf_export_vectors(cloth, &order, cloth->mesh.positions, positions);
    wf_export_faces(cloth, &order, faces);
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            textures[3 * f + k] = cloth->rest[order.faces[f]][k];
            face_textures[f][k] = 3 * f + k;
        }
    }
    wf_export_order_free(cloth, &order);
    return WF_OK;
}

/* cloth:save(path): .obj with normals and pattern coordinates, or .ply. */
static int cloth_save(lua_State *L)
{
    static const char name[] = "weft.cloth.save";
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.save: self");
    const char *path = wf_lua_check_string(L, 2, "weft.cloth.save: path");
    size_t vertices = (size_t)cloth->mesh.vertex_count, faces = (size_t)cloth->mesh.face_count;
    wf_vec3 *positions = lua_newuserdata(L, vertices * sizeof *positions);
    wf_vec3 *normals = lua_newuserdata(L, vertices * sizeof *normals);
    int32_t(*corners)[3] = lua_newuserdata(L, faces * sizeof *corners);
    wf_vec2 *textures = lua_newuserdata(L, 3 * faces * sizeof *textures);
    int32_t(*face_textures)[3] = lua_newuserdata(L, faces * sizeof *face_textures);
    cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.save: self");
    wf_lua_check_status(L, fill_content(cloth, positions, normals, corners, textures, face_textures), name);
    wf_obj_content content = {.vertex_count = (int32_t)vertices,
                              .face_count = (int32_t)faces,
                              .positions = positions,
                              .faces = (const int32_t(*)[3])corners,
                              .texture_count = (int32_t)(3 * faces),
                              .textures = textures,
                              .face_textures = (const int32_t(*)[3])face_textures,
                              .normals = normals};
    wf_lua_check_status(L, wf_lua_write_mesh(cloth->context, path, &content, NULL, false), name);
    return 0;
}

/* cloth:energy(): in its world. */
static int cloth_energy(lua_State *L)
{
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.energy: self");
    if (!cloth->world) {
        return wf_lua_fail(L, "weft.cloth.energy: the cloth is in no world");
    }
    wf_lua_push_energies(L, cloth->world, cloth, "weft.cloth.energy");
    return 1;
}

/* cloth:momentum(): in its world. */
static int cloth_momentum(lua_State *L)
{
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.momentum: self");
    if (!cloth->world) {
        return wf_lua_fail(L, "weft.cloth.momentum: the cloth is in no world");
    }
    wf_lua_push_momentum(L, cloth->world, cloth);
    return 1;
}

/* ---- pins ------------------------------------------------------------------------------------------------------ */

/* cloth:pin { vertices = {1, 5}, targets = {{x, y, z}, ...} } */
static int cloth_pin(lua_State *L)
{
    static const char *const names[] = {"vertices", "targets", NULL};
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.pin: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.cloth.pin", names);
    wf_lua_require_option(&options, "vertices", "a list of vertices");
    const int32_t *vertices;
    size_t count = wf_lua_option_indices(&options, "vertices", (size_t)cloth->source_count, &vertices);
    const double *targets;
    size_t target_count = wf_lua_option_vectors(&options, "targets", 3, &targets);
    if (targets && target_count != count) {
        return wf_lua_fail(L, "weft.cloth.pin: targets must be as many points as vertices (%d), got %d", (int)count,
                           (int)target_count);
    }
    cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.pin: self");
    wf_lua_check_status(L, wf_cloth_pin(cloth, (int32_t)count, vertices, (const wf_vec3 *)targets),
                        "weft.cloth.pin");
    return 0;
}

/* cloth:unpin { vertices = {1, 5} }; without vertices all. */
static int cloth_unpin(lua_State *L)
{
    static const char *const names[] = {"vertices", NULL};
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.unpin: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.cloth.unpin", names);
    const int32_t *vertices;
    size_t count = wf_lua_option_indices(&options, "vertices", (size_t)cloth->source_count, &vertices);
    cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.unpin: self");
    wf_lua_check_status(L, wf_cloth_unpin(cloth, (int32_t)count, vertices), "weft.cloth.unpin");
    return 0;
}

/* cloth:assign { velocities = {{x, y, z}, ...} } */
static int cloth_assign(lua_State *L)
{
    static const char *const names[] = {"velocities", NULL};
    wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.assign: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.cloth.assign", names);
    const double *velocities;
    size_t count = wf_lua_option_vectors(&options, "velocities", 3, &velocities);
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.assign: self");
    if (velocities && count != (size_t)cloth->mesh.vertex_count) {
        return wf_lua_fail(L, "weft.cloth.assign: velocities must be one for each of the %d vertices, got %d",
                           (int)cloth->mesh.vertex_count, (int)count);
    }
    if (velocities) {
        wf_lua_check_status(L, wf_cloth_set_velocities(cloth, (const wf_vec3 *)velocities), "weft.cloth.assign");
    }
    return 0;
}

/* ---- the class ------------------------------------------------------------------------------------------------- */

static void describe_cloth(lua_State *L, void *object)
{
    const wf_cloth *cloth = object;
    char mass[32];
    snprintf(mass, sizeof mass, "%.4g", total_mass(cloth));
    wf_lua_push_cloth_models_text(L, cloth);
    lua_pushfstring(L, "weft.cloth (%d vertices, %d triangles, %s kg of %s%s%s)", (int)cloth->mesh.vertex_count,
                    (int)cloth->mesh.face_count, mass, cloth->fabrics[0].name,
                    cloth->pair_count > 0 ? ", not sewn" : "", lua_tostring(L, -1));
}

static void destroy_cloth(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_cloth_destroy(object);
}

static const luaL_Reg cloth_methods[] = {
    {"pin", cloth_pin},       {"unpin", cloth_unpin}, {"ease", cloth_ease}, {"assign", cloth_assign},
    {"energy", cloth_energy}, {"save", cloth_save},   {"momentum", cloth_momentum},
    {"air_force", wf_lua_cloth_air_force},
    {"seam", wf_lua_cloth_seam},            {"fold", wf_lua_cloth_fold},
    {"elastic", wf_lua_cloth_elastic},      {"drawstring", wf_lua_cloth_drawstring},
    {"inflate", wf_lua_cloth_inflate},      {"attach", wf_lua_cloth_attach},
    {NULL, NULL},
};

static void get_fittings(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_fittings(L);
}

static const wf_lua_property cloth_properties[] = {
    {"positions", get_positions, NULL},
    {"velocities", get_velocities, NULL},
    {"normals", get_normals, NULL},
    {"masses", get_masses, NULL},
    {"faces", get_faces, NULL},
    {"strains", get_strains, NULL},
    {"vertices", get_vertex_count, NULL},
    {"triangles", get_triangle_count, NULL},
    {"stitches", get_stitch_count, NULL},
    {"mass", get_mass, NULL},
    {"fabric", get_fabric, set_fabric},
    {"membrane", get_membrane, set_membrane},
    {"bending", get_bending, set_bending},
    {"fittings", get_fittings, NULL},
    {"air", wf_lua_get_cloth_air, wf_lua_set_cloth_air},
    {NULL, NULL, NULL},
};

const wf_lua_class wf_lua_cloth_class = {"weft.cloth", cloth_methods, cloth_properties, describe_cloth, destroy_cloth};

enum { MOST_FABRICS = 64 };

/* A copy of the option `fabric`, or wool. */
static wf_fabric read_fabric(lua_State *L, const wf_lua_options *options)
{
    wf_fabric fabric;
    const wf_fabric *given = wf_lua_option_object(options, "fabric", &wf_lua_fabric_class);
    if (given) {
        fabric = *given;
    } else {
        wf_lua_check_status(L, wf_fabric_preset(wf_lua_context(L), "wool", WF_FABRIC_PER_RADIAN, &fabric),
                            options->function);
    }
    lua_pop(L, 1);
    return fabric;
}

/* weft.sheet { cells = {20, 20}, size = {1, 1}, ... } */
static int sheet_new(lua_State *L)
{
    static const char name[] = "weft.sheet";
    static const char *const names[] = {"cells",  "size",     "centre",  "weft", "warp",
                                        "fabric", "membrane", "bending", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    int64_t cells[2] = {20, 20};
    wf_sheet_def def = {.size = {1, 1}, .weft = {1, 0, 0}, .warp = {0, 0, -1}};
    wf_lua_option_integers(&options, "cells", cells, 2, 1, 4096);
    wf_lua_option_numbers(&options, "size", def.size, 2, WF_LUA_POSITIVE, 1e4);
    wf_lua_option_vec3(&options, "centre", &def.centre);
    wf_lua_option_vec3(&options, "weft", &def.weft);
    wf_lua_option_vec3(&options, "warp", &def.warp);
    def.cells[0] = (int32_t)cells[0];
    def.cells[1] = (int32_t)cells[1];
    wf_fabric fabric = read_fabric(L, &options);
    def.fabric = &fabric;
    void **slot = wf_lua_new_object(L, &wf_lua_cloth_class, 0);
    wf_cloth *cloth = NULL;
    wf_status status = wf_cloth_create_sheet(wf_lua_context(L), &def, &cloth);
    *slot = cloth;
    wf_lua_check_status(L, status, name);
    wf_lua_option_cloth_models(&options, cloth);
    return 1;
}

/* Rest coordinates per corner from those per vertex. The memory is Lua's and lies on the stack. */
static wf_vec2 (*corner_rest(lua_State *L, const double *rest, size_t face_count, const int32_t *faces))[3]
{
    wf_vec2(*corners)[3] = lua_newuserdata(L, (face_count + 1) * sizeof *corners);
    for (size_t f = 0; f < face_count; f++) {
        for (int k = 0; k < 3; k++) {
            size_t vertex = (size_t)faces[3 * f + (size_t)k];
            corners[f][k] = (wf_vec2){rest[2 * vertex], rest[2 * vertex + 1]};
        }
    }
    return corners;
}

/* The option `fabric`, a weft.fabric or a list of them: copies that are Lua's and lie on the stack. */
static wf_fabric *read_fabrics(const wf_lua_options *options, int32_t *count)
{
    lua_State *L = options->L;
    bool is_list = wf_lua_push_option(options, "fabric") && lua_istable(L, -1);
    int list = lua_gettop(L);
    size_t length = is_list ? wf_lua_raw_length(L, list) : 1;
    if (length < 1 || length > MOST_FABRICS) {
        wf_lua_fail(L, "%s: fabric must be a weft.fabric or a list of 1 to %d of them", options->function,
                    MOST_FABRICS);
    }
    *count = (int32_t)length;
    wf_fabric *fabrics = lua_newuserdata(L, length * sizeof *fabrics);
    if (!is_list) {
        *fabrics = read_fabric(L, options);
        return fabrics;
    }
    const char *what = lua_pushfstring(L, "%s: fabric", options->function);
    for (size_t k = 0; k < length; k++) {
        lua_rawgeti(L, list, (int)k + 1);
        fabrics[k] = *(const wf_fabric *)wf_lua_check_object(L, -1, &wf_lua_fabric_class, what);
        lua_pop(L, 1);
    }
    return fabrics;
}

/* The option `face_fabric`: which of the fabrics each face is cut from; NULL: the first. */
static const int32_t *read_face_fabric(const wf_lua_options *options, size_t face_count, int32_t fabric_count)
{
    const int32_t *fabric;
    size_t count = wf_lua_option_indices(options, "face_fabric", (size_t)fabric_count, &fabric);
    if (fabric && count != face_count) {
        wf_lua_fail(options->L, "%s: face_fabric must name a fabric for each of the %d faces, got %d",
                    options->function, (int)face_count, (int)count);
    }
    return fabric;
}

/* weft.cloth { vertices =, faces =, rest =, fabric =, face_fabric =, stitches =, membrane =, bending = } */
static int cloth_new(lua_State *L)
{
    static const char name[] = "weft.cloth";
    static const char *const names[] = {"vertices", "faces",    "rest",    "fabric", "face_fabric",
                                        "stitches", "membrane", "bending", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    wf_lua_require_option(&options, "vertices", "a list of points");
    wf_lua_require_option(&options, "faces", "a list of triangles");
    wf_lua_require_option(&options, "rest", "a list of {u, v}, one for each vertex");
    const double *vertices, *rest;
    const int32_t *faces, *pairs;
    size_t vertex_count = wf_lua_option_vectors(&options, "vertices", 3, &vertices);
    size_t face_count = wf_lua_option_index_groups(&options, "faces", 3, vertex_count, &faces);
    size_t rest_count = wf_lua_option_vectors(&options, "rest", 2, &rest);
    size_t pair_count = wf_lua_option_index_groups(&options, "stitches", 2, vertex_count, &pairs);
    if (rest_count != vertex_count || vertex_count > INT32_MAX / 8 || face_count > INT32_MAX / 8) {
        return wf_lua_fail(L, "weft.cloth: rest must have a {u, v} for each of the %d vertices, got %d",
                           (int)vertex_count, (int)rest_count);
    }
    int32_t *seams = lua_newuserdata(L, (pair_count + 1) * sizeof *seams);
    for (size_t p = 0; p < pair_count; p++) {
        seams[p] = 0;
    }
    int32_t fabric_count;
    const wf_fabric *fabrics = read_fabrics(&options, &fabric_count);
    wf_cloth_def def = {.vertex_count = (int32_t)vertex_count,
                        .positions = (const wf_vec3 *)vertices,
                        .face_count = (int32_t)face_count,
                        .faces = (const int32_t(*)[3])faces,
                        .rest = (const wf_vec2(*)[3])corner_rest(L, rest, face_count, faces),
                        .fabric = read_face_fabric(&options, face_count, fabric_count),
                        .fabric_count = fabric_count,
                        .fabrics = fabrics,
                        .pair_count = (int32_t)pair_count,
                        .pairs = (const int32_t(*)[2])pairs,
                        .pair_seam = seams,
                        .seam_count = 1};
    void **slot = wf_lua_new_object(L, &wf_lua_cloth_class, 0);
    wf_cloth *cloth = NULL;
    wf_status status = wf_cloth_create(wf_lua_context(L), &def, &cloth);
    *slot = cloth;
    wf_lua_check_status(L, status, name);
    wf_lua_option_cloth_models(&options, cloth);
    return 1;
}

/* core.cloth_of_panels(panels, list of fabrics, { membrane =, bending = }): what garment:sew sews. */
static int cloth_of_panels(lua_State *L)
{
    static const char name[] = "weft.garment.sew";
    static const char *const names[] = {"membrane", "bending", NULL};
    wf_lua_options options = wf_lua_open_options(L, 3, name, names);
    if (!lua_istable(L, 2)) {
        return wf_lua_fail_value(L, 2, "weft.garment.sew: fabric", "a weft.fabric or a list of them");
    }
    size_t count = wf_lua_raw_length(L, 2);
    if (count < 1 || count > MOST_FABRICS) {
        return wf_lua_fail(L, "weft.garment.sew: fabric must be a weft.fabric or a list of 1 to %d of them",
                           MOST_FABRICS);
    }
    wf_fabric *fabrics = lua_newuserdata(L, count * sizeof *fabrics);
    for (size_t k = 0; k < count; k++) {
        lua_rawgeti(L, 2, (int)k + 1);
        fabrics[k] = *(const wf_fabric *)wf_lua_check_object(L, -1, &wf_lua_fabric_class, "weft.garment.sew: fabric");
        lua_pop(L, 1);
    }
    void **slot = wf_lua_new_object(L, &wf_lua_cloth_class, 0);
    const wf_pattern_mesh *panels =
        wf_lua_check_object(L, 1, &wf_lua_pattern_mesh_class, "weft.garment.sew: panels");
    wf_cloth *cloth = NULL;
    wf_status status = wf_cloth_create_from_panels(wf_lua_context(L), panels, (int32_t)count, fabrics, &cloth);
    *slot = cloth;
    wf_lua_check_status(L, status, name);
    wf_lua_option_cloth_models(&options, cloth);
    return 1;
}

void wf_lua_open_cloth(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"sheet", sheet_new}, {"cloth", cloth_new}, {"cloth_of_panels", cloth_of_panels}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_cloth_class);
    wf_lua_set_functions(L, functions);
}
