/* lua_attachments.c - weft.model.tie, bands, drawstring, stiff_line and pressure: the models of what is attached to
 * cloth, on their own. */
#include "lua/lua_model.h"
#include "model/bands.h"
#include "model/drawstrings.h"
#include "model/pressure.h"
#include "model/stiff_lines.h"
#include "model/ties.h"

enum { VERTEX_LIMIT = 1 << 24 };

/* The number of vertices, required. */
static int32_t read_vertices(const wf_lua_options *options)
{
    int64_t count = 0;
    wf_lua_require_option(options, "vertices", "the number of vertices");
    wf_lua_option_integer(options, "vertices", &count, 1, VERTEX_LIMIT);
    return (int32_t)count;
}

/* The edges of a line, at least one. */
static size_t read_pairs(const wf_lua_options *options, int32_t vertex_count, const int32_t **pairs)
{
    wf_lua_require_option(options, "pairs", "a list of index pairs");
    size_t count = wf_lua_option_index_groups(options, "pairs", 2, (size_t)vertex_count, pairs);
    if (count == 0) {
        wf_lua_fail(options->L, "%s: pairs must have at least one element", options->function);
    }
    return count;
}

/* Of a line or a tie; what is not given stays as it is. */
static void read_law(const wf_lua_options *options, double smallest_length, double *length, double *stiffness,
                     double *viscosity)
{
    wf_lua_option_number(options, "length", length, smallest_length, 1e6);
    wf_lua_option_number(options, "stiffness", stiffness, 0, 1e12);
    wf_lua_option_number(options, "viscosity", viscosity, 0, 1e3);
}

/* weft.model.bands { vertices =, pairs =, length =, stiffness =, viscosity =, pushes = } */
static int model_bands(lua_State *L)
{
    static const char name[] = "weft.model.bands";
    static const char *const names[] = {"vertices", "pairs", "length", "stiffness", "viscosity", "pushes", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    int32_t vertex_count = read_vertices(&options);
    const int32_t *pairs;
    size_t count = read_pairs(&options, vertex_count, &pairs);
    wf_band_edge edge = {.length = 1, .stiffness = 1};
    read_law(&options, WF_LUA_POSITIVE, &edge.length, &edge.stiffness, &edge.viscosity);
    wf_lua_option_boolean(&options, "pushes", &edge.pushes);
    wf_band_edge *edges = lua_newuserdata(L, (count + 1) * sizeof *edges);
    for (size_t e = 0; e < count; e++) {
        edges[e] = edge;
        edges[e].vertices[0] = pairs[2 * e];
        edges[e].vertices[1] = pairs[2 * e + 1];
    }
    wf_lua_model *handle = wf_lua_push_model(L, name);
    wf_lua_check_status(L, wf_bands_create(wf_lua_context(L), vertex_count, (int32_t)count, edges, &handle->model),
                        name);
    return 1;
}

/* weft.model.drawstring { vertices =, pairs =, length =, stiffness =, viscosity = } */
static int model_drawstring(lua_State *L)
{
    static const char name[] = "weft.model.drawstring";
    static const char *const names[] = {"vertices", "pairs", "length", "stiffness", "viscosity", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    int32_t vertex_count = read_vertices(&options);
    const int32_t *pairs;
    size_t count = read_pairs(&options, vertex_count, &pairs);
    wf_drawstring string = {.length = 1, .stiffness = 1, .expected = INFINITY};
    read_law(&options, WF_LUA_POSITIVE, &string.length, &string.stiffness, &string.viscosity);
    const int32_t start[] = {0, (int32_t)count};
    const wf_drawstrings_def def = {.vertex_count = vertex_count, .count = (int32_t)count,
                                    .pairs = (const int32_t(*)[2])pairs, .string_count = 1, .string_start = start,
                                    .strings = &string};
    wf_lua_model *handle = wf_lua_push_model(L, name);
    wf_lua_check_status(L, wf_drawstrings_create(wf_lua_context(L), &def, &handle->model), name);
    return 1;
}

/* weft.model.stiff_line { faces =, rest =, vertices =, path =, closed =, bending =, viscosity = } */
static int model_stiff_line(lua_State *L)
{
    static const char name[] = "weft.model.stiff_line";
    static const char *const names[] = {"faces", "rest", "vertices", "path", "closed", "bending", "viscosity", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    wf_lua_sheet sheet = wf_lua_read_sheet(&options);
    wf_stiff_path path = {.vertex_count = sheet.vertex_count, .face_count = sheet.face_count, .faces = sheet.faces,
                          .rest = sheet.rest};
    wf_lua_require_option(&options, "path", "a list of vertices, each joined to the next by an edge");
    size_t count = wf_lua_option_indices(&options, "path", (size_t)path.vertex_count, &path.path);
    path.count = (int32_t)count;
    wf_lua_option_boolean(&options, "closed", &path.closed);
    double bending = 1, viscosity = 0;
    wf_lua_option_number(&options, "bending", &bending, 0, 1e11);
    wf_lua_option_number(&options, "viscosity", &viscosity, 0, 1e3);
    wf_stiff_joint *joints = lua_newuserdata(L, (count + 1) * sizeof *joints);
    int32_t joint_count;
    wf_lua_check_status(L, wf_stiff_path_joints(wf_lua_context(L), &path, joints, &joint_count), name);
    for (int32_t j = 0; j < joint_count; j++) {
        joints[j].stiffness = bending;
        joints[j].viscosity = viscosity;
    }
    wf_lua_model *handle = wf_lua_push_model(L, name);
    wf_lua_check_status(L, wf_stiff_lines_create(wf_lua_context(L), path.vertex_count, joint_count, joints,
                                                 &handle->model), name);
    return 1;
}

/* weft.model.tie { vertices =, points =, shares =, anchor =, length =, stiffness =, viscosity = } */
static int model_tie(lua_State *L)
{
    static const char name[] = "weft.model.tie";
    static const char *const names[] = {"vertices", "points",    "shares",    "anchor",
                                        "length",   "stiffness", "viscosity", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    int32_t vertex_count = read_vertices(&options);
    const int32_t *points;
    const double *shares;
    wf_lua_require_option(&options, "points", "a list of 1 to 6 vertices");
    wf_lua_require_option(&options, "shares", "a number for each of the points");
    size_t count = wf_lua_option_indices(&options, "points", (size_t)vertex_count, &points);
    size_t share_count = wf_lua_option_list(&options, "shares", -1, 1, &shares);
    if (count < 1 || count > WF_TIE_NODES || share_count != count) {
        return wf_lua_fail(L, "%s: points must be 1 to %d vertices and shares as many, got %d and %d", name,
                           WF_TIE_NODES, (int)count, (int)share_count);
    }
    wf_tie tie = {.count = (int32_t)count, .stiffness = 1};
    for (size_t i = 0; i < count; i++) {
        tie.vertices[i] = points[i];
        tie.shares[i] = shares[i];
    }
    wf_lua_option_vec3(&options, "anchor", &tie.anchor);
    read_law(&options, 0, &tie.length, &tie.stiffness, &tie.viscosity);
    wf_lua_model *handle = wf_lua_push_model(L, name);
    wf_lua_check_status(L, wf_ties_create(wf_lua_context(L), vertex_count, 1, &tie, &handle->model), name);
    return 1;
}

/* weft.model.pressure { faces =, pressure = } or { faces =, amount =, outside = } */
static int model_pressure(lua_State *L)
{
    static const char name[] = "weft.model.pressure";
    static const char *const names[] = {"vertices", "faces", "pressure", "amount", "outside", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, name, names);
    int32_t vertex_count = read_vertices(&options);
    const int32_t *faces;
    wf_lua_require_option(&options, "faces", "a list of index triples");
    size_t count = wf_lua_option_index_groups(&options, "faces", 3, (size_t)vertex_count, &faces);
    if (count == 0) {
        return wf_lua_fail(L, "%s: faces must have at least one element", name);
    }
    wf_chamber chamber = {0};
    bool given = wf_lua_option_number(&options, "pressure", &chamber.pressure, -1e9, 1e9);
    chamber.gas = wf_lua_option_number(&options, "amount", &chamber.amount, WF_LUA_POSITIVE, 1e12);
    wf_lua_option_number(&options, "outside", &chamber.outside, 0, 1e9);
    if (given == chamber.gas) {
        return wf_lua_fail(L, "%s: either pressure (Pa) or, for a gas, amount (J) must be given, got %s", name,
                           given ? "both" : "nothing");
    }
    const int32_t start[] = {0, (int32_t)count};
    const wf_pressure_def def = {.vertex_count = vertex_count, .count = (int32_t)count,
                                 .faces = (const int32_t(*)[3])faces, .chamber_count = 1, .chamber_start = start,
                                 .chambers = &chamber};
    wf_lua_model *handle = wf_lua_push_model(L, name);
    wf_lua_check_status(L, wf_pressure_create(wf_lua_context(L), &def, &handle->model), name);
    return 1;
}

void wf_lua_open_attachments(lua_State *L);

void wf_lua_open_attachments(lua_State *L)
{
    static const luaL_Reg functions[] = {{"model_bands", model_bands},
                                         {"model_drawstring", model_drawstring},
                                         {"model_stiff_line", model_stiff_line},
                                         {"model_tie", model_tie},
                                         {"model_pressure", model_pressure},
                                         {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
