/* lua_air_cuts.c - for tests and pictures: the faces of a staggered grid that cloth cuts and solids fill. */
#include "air/cut_faces.h"
#include "air/solid_faces.h"
#include "lua/buffer.h"
#include "lua/lua_collider.h"

/* Options that both functions have. */
#define BOX_NAMES "origin", "spacing", "cells", "vertices", "faces"
enum { LARGEST_GRID = 256 };

typedef struct box {
    wf_flow_grid grid;
    wf_vec3 origin;
    double spacing[3];
    int32_t vertex_count, face_count;
    const wf_vec3 *positions;
    const int32_t (*faces)[3];
} box;

static box read_box(const wf_lua_options *options)
{
    box read = {.spacing = {1, 1, 1}};
    int64_t cells[3] = {8, 8, 8};
    wf_lua_option_vec3(options, "origin", &read.origin);
    wf_lua_option_numbers(options, "spacing", read.spacing, 3, 1e-6, 1e6);
    wf_lua_option_integers(options, "cells", cells, 3, 1, LARGEST_GRID);
    const int32_t counts[3] = {(int32_t)cells[0], (int32_t)cells[1], (int32_t)cells[2]};
    read.grid = wf_flow_grid_make(counts, 2);
    const double *vertices;
    const size_t vertex_count = wf_lua_option_vectors(options, "vertices", 3, &vertices);
    const int32_t *faces;
    const size_t face_count = wf_lua_option_index_groups(options, "faces", 3, vertex_count, &faces);
    if (vertex_count > INT32_MAX || face_count > INT32_MAX) {
        wf_lua_fail(options->L, "%s: too many vertices or faces", options->function);
    }
    read.vertex_count = (int32_t)vertex_count;
    read.face_count = (int32_t)face_count;
    read.positions = (const wf_vec3 *)vertices;
    read.faces = (const int32_t(*)[3])faces;
    return read;
}

static wf_status find_cuts(wf_context *context, const box *b, wf_cut_faces *cuts)
{
    return wf_cut_faces_find(context, &b->grid, b->origin, b->spacing, b->positions, b->face_count, b->faces, cuts);
}

/* Each layer as axis, cell (of the face's upper side) along x, y and z, triangle, all from 1, and three weights. */
static void write_layers(const wf_cut_faces *cuts, const wf_flow_grid *grid, double *rows)
{
    for (size_t f = 0; f < cuts->face_count; f++) {
        ptrdiff_t rest = cuts->index[f] - grid->first;
        const ptrdiff_t plane = grid->stride[2] > 0 ? grid->stride[2] : (ptrdiff_t)grid->count;
        const ptrdiff_t k = rest / plane, j = rest % plane / grid->stride[1], i = rest % plane % grid->stride[1];
        for (int32_t l = cuts->first_layer[f]; l < cuts->first_layer[f + 1]; l++) {
            const wf_cut_layer *layer = &cuts->layers[l];
            double *row = rows + 8 * l;
            row[0] = cuts->axis[f] + 1;
            row[1] = (double)i + 1;
            row[2] = (double)j + 1;
            row[3] = (double)k + 1;
            row[4] = layer->triangle + 1;
            for (int v = 0; v < 3; v++) {
                row[5 + v] = (double)layer->weights[v];
            }
        }
    }
}

/* core.cut_faces { origin =, spacing =, cells =, vertices =, faces = }: a buffer of layers; the number of faces. */
static int cut_faces(lua_State *L)
{
    static const char *const names[] = {BOX_NAMES, NULL};
    static const char function[] = "weft.core.cut_faces";
    const wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    const box b = read_box(&options);
    wf_context *context = wf_lua_context(L);
    wf_cut_faces cuts = {0};
    wf_status status = find_cuts(context, &b, &cuts); /* once to count: Lua may raise an error for want of memory */
    const size_t faces = cuts.face_count, layers = cuts.layer_count;
    wf_cut_faces_free(context, &cuts);
    wf_lua_check_status(L, status, function);
    double *rows = wf_lua_push_buffer(L, WF_LUA_DOUBLE, layers, 8);
    status = find_cuts(context, &b, &cuts);
    if (status == WF_OK) {
        write_layers(&cuts, &b.grid, rows);
    }
    wf_cut_faces_free(context, &cuts);
    wf_lua_check_status(L, status, function);
    lua_pushinteger(L, (lua_Integer)faces);
    return 2;
}

static wf_status add_solids(const box *b, const wf_vec3 *velocities, const wf_collider *collider,
                            wf_vec3 velocity, wf_vec3 spin, wf_solid_faces *solids, float *const open[3],
                            float *const moving[3])
{
    wf_status status = wf_solid_faces_begin(solids, &b->grid, b->origin, b->spacing, true);
    if (status == WF_OK && b->face_count > 0) {
        status = wf_solid_faces_add_surface(solids, b->positions, velocities, b->face_count, b->faces);
    }
    if (status == WF_OK && collider) {
        status = wf_solid_faces_add_collider(solids, collider, &collider->pose, velocity, spin);
    }
    if (status == WF_OK) {
        wf_solid_faces_finish(solids, open, moving);
    }
    return status;
}

/* core.solid_faces { ..., velocities =, collider =, velocity =, spin = }: for each axis a table { open =, velocity = }
 * of buffers of (cells + 1) entries along each axis, x fastest; those beyond the faces are 0. */
static int solid_faces(lua_State *L)
{
    static const char *const names[] = {BOX_NAMES, "velocities", "collider", "velocity", "spin", NULL};
    static const char function[] = "weft.core.solid_faces";
    const wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    const box b = read_box(&options);
    const double *velocities;
    const size_t count = wf_lua_option_vectors(&options, "velocities", 3, &velocities);
    if (b.face_count > 0 && count != (size_t)b.vertex_count) {
        wf_lua_fail(L, "%s: velocities must have one vector for each of the %d vertices, got %d", function,
                    (int)b.vertex_count, (int)count);
    }
    const wf_collider *collider = wf_lua_option_object(&options, "collider", &wf_lua_collider_class);
    wf_vec3 velocity = {0, 0, 0}, spin = {0, 0, 0};
    wf_lua_option_vec3(&options, "velocity", &velocity);
    wf_lua_option_vec3(&options, "spin", &spin);
    const int32_t *cells = b.grid.cells;
    const size_t entries = (size_t)(cells[0] + 1) * (size_t)(cells[1] + 1) * (size_t)(cells[2] + 1);
    float *result[6], *raw[6];
    lua_createtable(L, 3, 0);
    for (int axis = 0; axis < 3; axis++) {
        lua_createtable(L, 0, 2);
        for (int what = 0; what < 2; what++) {
            result[2 * axis + what] = wf_lua_push_buffer(L, WF_LUA_FLOAT, entries, 1);
            lua_setfield(L, -2, what == 0 ? "open" : "velocity");
        }
        lua_rawseti(L, -2, axis + 1);
    }
    for (int a = 0; a < 6; a++) {
        raw[a] = wf_lua_push_buffer(L, WF_LUA_FLOAT, b.grid.count, 1);
    }
    wf_context *context = wf_lua_context(L);
    wf_solid_faces *solids;
    wf_status status = wf_solid_faces_create(context, &solids);
    if (status == WF_OK) {
        status = add_solids(&b, (const wf_vec3 *)velocities, collider, velocity, spin, solids,
                            (float *const[3]){raw[0], raw[2], raw[4]}, (float *const[3]){raw[1], raw[3], raw[5]});
    }
    wf_solid_faces_destroy(solids);
    wf_lua_check_status(L, status, function);
    for (size_t e = 0; e < entries; e++) {
        const size_t width = (size_t)cells[0] + 1, height = (size_t)cells[1] + 1;
        const ptrdiff_t index = wf_flow_index(&b.grid, (int32_t)(e % width), (int32_t)(e / width % height),
                                              (int32_t)(e / width / height));
        for (int a = 0; a < 6; a++) {
            result[a][e] = raw[a][index];
        }
    }
    lua_pop(L, 6);
    return 1;
}

void wf_lua_open_air_cuts(lua_State *L);

void wf_lua_open_air_cuts(lua_State *L)
{
    static const luaL_Reg functions[] = {{"cut_faces", cut_faces}, {"solid_faces", solid_faces}, {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
