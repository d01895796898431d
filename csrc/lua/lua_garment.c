/* lua_garment.c - garments: panels, seams, and the mesh that is sewn. */
#include "lua/lua_garment.h"

#include <string.h>

#include "garment/place.h"
#include "lua/buffer.h"
#include "lua/lua_body.h"
#include "lua/lua_fabric.h"
#include "lua/object.h"

/* ---- making a garment ------------------------------------------------------------------------------------------ */

/* What core.garment reads from lua/weft/garment.lua: flat lists, because they are short to check. */
enum { PANEL_NUMBERS = 11, EDGE_NUMBERS = 8, SEAM_NUMBERS = 12, FOLD_NUMBERS = 6 };

typedef struct flat_garment {
    const double *panels;   /* vertex count, edge count, translation, rotation, grain, fabric (1-based), layer */
    const double *vertices; /* x, y */
    const double *edges;    /* start, end (1-based), kind, relative, then two control points or radius, large, right */
    const double *seams;    /* panel, edge (1-based), from, to for either side; ends; bending, stiffness, shrinkage */
    const double *folds;    /* panel (1-based, ascending), from, to, angle */
    size_t panel_numbers, vertex_numbers, edge_numbers, seam_numbers, fold_numbers;
    const char **names, **labels;
} flat_garment;

static int fail_flat(lua_State *L)
{
    return wf_lua_fail(L, "weft.core.garment: the lists do not fit together");
}

/* A number of the lists as an index or a count. */
static int32_t whole(double value)
{
    return value >= 0 && value < 1e9 ? (int32_t)value : -1;
}

/* Reads `count` strings of the table under `name` into memory of Lua's; "" counts as NULL where that is allowed. The
 * table and the memory stay on the stack. */
static const char **read_strings(lua_State *L, const wf_lua_options *options, const char *name, size_t count,
                                 bool optional)
{
    const char **strings = lua_newuserdata(L, (count + 1) * sizeof *strings);
    if (!wf_lua_option_typed(options, name, LUA_TTABLE)) {
        fail_flat(L);
    }
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        strings[i] = wf_lua_check_string(L, -1, "weft.garment: names and labels");
        if (optional && strings[i][0] == '\0') {
            strings[i] = NULL;
        }
        lua_pop(L, 1); /* stays valid: the table holds it */
    }
    return strings;
}

static flat_garment read_flat(lua_State *L, const wf_lua_options *options)
{
    flat_garment flat;
    const double low = WF_LUA_LOWEST, high = WF_LUA_HIGHEST;
    flat.panel_numbers = wf_lua_option_list(options, "panels", low, high, &flat.panels);
    flat.vertex_numbers = wf_lua_option_list(options, "vertices", low, high, &flat.vertices);
    flat.edge_numbers = wf_lua_option_list(options, "edges", low, high, &flat.edges);
    flat.seam_numbers = wf_lua_option_list(options, "seams", low, high, &flat.seams);
    flat.fold_numbers = wf_lua_option_list(options, "folds", low, high, &flat.folds);
    flat.names = read_strings(L, options, "names", flat.panel_numbers / PANEL_NUMBERS, false);
    flat.labels = read_strings(L, options, "labels", flat.panel_numbers / PANEL_NUMBERS, true);
    return flat;
}

static wf_edge_def edge_from_numbers(const double *n)
{
    wf_edge_def edge = {.start = whole(n[0]) - 1, .end = whole(n[1]) - 1, .kind = (wf_edge_kind)whole(n[2]),
                        .relative = n[3] != 0};
    if (edge.kind == WF_EDGE_ARC) {
        edge.radius = n[4];
        edge.large = n[5] != 0;
        edge.right = n[6] != 0;
    } else {
        edge.control[0] = (wf_vec2){n[4], n[5]};
        edge.control[1] = (wf_vec2){n[6], n[7]};
    }
    return edge;
}

/* Fills panels from the lists, with vertices and edges in memory of Lua's. */
static void fill_panels(lua_State *L, const flat_garment *flat, wf_panel_def *panels, size_t panel_count)
{
    wf_vec2 *vertices = lua_newuserdata(L, (flat->vertex_numbers / 2 + 1) * sizeof *vertices);
    wf_edge_def *edges = lua_newuserdata(L, (flat->edge_numbers / EDGE_NUMBERS + 1) * sizeof *edges);
    size_t vertex = 0, edge = 0;
    for (size_t i = 0; i < panel_count; i++) {
        const double *n = flat->panels + i * PANEL_NUMBERS;
        int32_t vertex_count = whole(n[0]), edge_count = whole(n[1]);
        if (vertex_count < 0 || edge_count < 0 || 2 * (vertex + (size_t)vertex_count) > flat->vertex_numbers
            || EDGE_NUMBERS * (edge + (size_t)edge_count) > flat->edge_numbers) {
            fail_flat(L);
        }
        panels[i] = (wf_panel_def){.name = flat->names[i],
                                   .label = flat->labels[i],
                                   .vertex_count = vertex_count,
                                   .vertices = vertices + vertex,
                                   .edge_count = edge_count,
                                   .edges = edges + edge,
                                   .translation = {n[2], n[3], n[4]},
                                   .rotation = {n[5], n[6], n[7]},
                                   .grain = n[8],
                                   .fabric = whole(n[9]) - 1,
                                   .layer = whole(n[10])};
        for (int32_t k = 0; k < vertex_count; k++, vertex++) {
            vertices[vertex] = (wf_vec2){flat->vertices[2 * vertex], flat->vertices[2 * vertex + 1]};
        }
        for (int32_t k = 0; k < edge_count; k++, edge++) {
            edges[edge] = edge_from_numbers(flat->edges + edge * EDGE_NUMBERS);
            if (edges[edge].kind < WF_EDGE_LINE || edges[edge].kind > WF_EDGE_ARC) {
                fail_flat(L);
            }
        }
    }
}

static void fill_folds(lua_State *L, const flat_garment *flat, wf_panel_def *panels, size_t panel_count)
{
    size_t count = flat->fold_numbers / FOLD_NUMBERS;
    wf_panel_fold *folds = lua_newuserdata(L, (count + 1) * sizeof *folds);
    size_t next = 0;
    for (size_t i = 0; i < panel_count; i++) {
        panels[i].folds = folds + next;
        for (; next < count && whole(flat->folds[FOLD_NUMBERS * next]) == (int32_t)i + 1; next++) {
            const double *n = flat->folds + FOLD_NUMBERS * next;
            folds[next] = (wf_panel_fold){{n[1], n[2]}, {n[3], n[4]}, n[5]};
            panels[i].fold_count++;
        }
    }
    if (next < count) {
        fail_flat(L);
    }
}

static void fill_seams(lua_State *L, const flat_garment *flat, wf_seam_def *seams, size_t seam_count)
{
    for (size_t i = 0; i < seam_count; i++) {
        const double *n = flat->seams + i * SEAM_NUMBERS;
        if (whole(n[8]) < WF_SEAM_AUTO || whole(n[8]) > WF_SEAM_SAME) {
            fail_flat(L);
        }
        for (int k = 0; k < 2; k++) {
            seams[i].side[k] = (wf_seam_side){whole(n[4 * k]) - 1, whole(n[4 * k + 1]) - 1, n[4 * k + 2], n[4 * k + 3]};
        }
        seams[i].ends = (wf_seam_ends)whole(n[8]);
        seams[i].law = (wf_seam_law){n[9], n[10], n[11]};
    }
}

/* core.garment { panels =, vertices =, edges =, seams =, folds =, names =, labels =, euler =, first_number = } */
static int garment_new(lua_State *L)
{
    static const char *const names[] = {"panels", "vertices", "edges", "seams",        "folds",
                                        "names",  "labels",   "euler", "first_number", NULL};
    static const char *const eulers[] = {"intrinsic", "extrinsic", NULL};
    luaL_checkstack(L, 32, "weft: no room for a garment");
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.garment", names);
    flat_garment flat = read_flat(L, &options);
    int euler = 0;
    int64_t first_number = 1;
    wf_lua_option_choice(&options, "euler", eulers, &euler);
    wf_lua_option_integer(&options, "first_number", &first_number, 0, 1);

    size_t panel_count = flat.panel_numbers / PANEL_NUMBERS, seam_count = flat.seam_numbers / SEAM_NUMBERS;
    wf_panel_def *panels = lua_newuserdata(L, (panel_count + 1) * sizeof *panels);
    wf_seam_def *seams = lua_newuserdata(L, (seam_count + 1) * sizeof *seams);
    fill_panels(L, &flat, panels, panel_count);
    fill_folds(L, &flat, panels, panel_count);
    fill_seams(L, &flat, seams, seam_count);
    wf_garment_def def = wf_default_garment_def();
    def.panel_count = (int32_t)panel_count;
    def.panels = panels;
    def.seam_count = (int32_t)seam_count;
    def.seams = seams;
    def.euler_order = euler == 0 ? WF_EULER_INTRINSIC_XYZ : WF_EULER_EXTRINSIC_XYZ;
    def.first_number = (int32_t)first_number;

    void **slot = wf_lua_new_object(L, &wf_lua_garment_class, 0);
    wf_garment *garment = NULL;
    wf_status status = wf_garment_create(wf_lua_context(L), &def, &garment);
    *slot = garment;
    wf_lua_check_status(L, status, "weft.garment");
    return 1;
}

static void destroy_garment(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_garment_destroy(context, object);
}

/* ---- reading a garment ----------------------------------------------------------------------------------------- */

static void describe_garment(lua_State *L, void *object)
{
    const wf_garment *garment = object;
    double area = 0;
    int crossed = 0;
    for (int32_t i = 0; i < garment->panel_count; i++) {
        area += garment->panels[i].area;
    }
    for (int32_t i = 0; i < garment->seam_count; i++) {
        crossed += garment->seams[i].crossed;
    }
    lua_pushfstring(L, "weft.garment (%d panels, %d seams, %f m2", (int)garment->panel_count,
                    (int)garment->seam_count, (lua_Number)((double)(int64_t)(area * 1e4 + 0.5) / 1e4));
    if (crossed > 0) {
        lua_pushfstring(L, ", %d crossed)", crossed);
    } else {
        lua_pushliteral(L, ")");
    }
    lua_concat(L, 2);
}

/* panels: a list of { name, label, area (m2), edges, turned, normal, grain (rad), fabric, layer } */
static void get_panels(lua_State *L, void *object)
{
    const wf_garment *garment = object;
    lua_createtable(L, garment->panel_count, 0);
    for (int32_t i = 0; i < garment->panel_count; i++) {
        const wf_panel *panel = &garment->panels[i];
        lua_createtable(L, 0, 9);
        lua_pushstring(L, panel->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, panel->label); /* NULL pushes nil */
        lua_setfield(L, -2, "label");
        wf_lua_set_number(L, "area", panel->area);
        wf_lua_set_number(L, "edges", panel->edge_count);
        wf_lua_set_number(L, "grain", panel->grain);
        lua_pushboolean(L, panel->turned);
        lua_setfield(L, -2, "turned");
        wf_lua_push_vec3(L, panel->normal);
        lua_setfield(L, -2, "normal");
        wf_lua_push_index(L, (size_t)panel->fabric);
        lua_setfield(L, -2, "fabric");
        wf_lua_set_number(L, "layer", panel->layer);
        lua_rawseti(L, -2, i + 1);
    }
}

/* seams: a list of { panels = {a, b} (names), edges = {i, j}, lengths (m), ratio, crossed, same } */
static void get_seams(lua_State *L, void *object)
{
    const wf_garment *garment = object;
    lua_createtable(L, garment->seam_count, 0);
    for (int32_t i = 0; i < garment->seam_count; i++) {
        const wf_seam *seam = &garment->seams[i];
        double a = seam->length[0], b = seam->length[1];
        lua_createtable(L, 0, 6);
        lua_createtable(L, 2, 0);
        lua_createtable(L, 2, 0);
        lua_createtable(L, 2, 0);
        for (int k = 0; k < 2; k++) {
            lua_pushstring(L, garment->panels[seam->side[k].panel].name);
            lua_rawseti(L, -4, k + 1);
            wf_lua_push_index(L, (size_t)seam->side[k].edge);
            lua_rawseti(L, -3, k + 1);
            lua_pushnumber(L, seam->length[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -4, "lengths");
        lua_setfield(L, -3, "edges");
        lua_setfield(L, -2, "panels");
        wf_lua_set_number(L, "ratio", a > b ? a / b : b / a);
        lua_pushboolean(L, seam->crossed);
        lua_setfield(L, -2, "crossed");
        lua_pushboolean(L, seam->same);
        lua_setfield(L, -2, "same");
        lua_rawseti(L, -2, i + 1);
    }
}

/* ---- the unsewn mesh ------------------------------------------------------------------------------------------- */

/* The object behind weft.pattern_mesh. The mesh comes first: others may take the object for a wf_pattern_mesh. */
typedef struct placed_mesh {
    wf_pattern_mesh mesh;
    wf_place_report report; /* all zero until it is placed */
} placed_mesh;

/* garment:triangulate { edge = 0.012, angle =, limit = } */
static int garment_triangulate(lua_State *L)
{
    static const char verb[] = "weft.garment.triangulate";
    static const char *const names[] = {"edge", "angle", "limit", NULL};
    wf_lua_check_object(L, 1, &wf_lua_garment_class, "weft.garment.triangulate: self");
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    wf_garment_mesh_params params = wf_default_garment_mesh_params();
    wf_lua_option_number(&options, "edge", &params.edge_length, 1e-5, 10);
    wf_lua_option_number(&options, "angle", &params.minimum_angle, 0, 0.5235987755982988); /* 30 degrees */
    wf_lua_option_integer(&options, "limit", &params.triangle_limit, 1, 100000000);

    wf_context *context = wf_lua_context(L);
    void **slot = wf_lua_new_object(L, &wf_lua_pattern_mesh_class, 1);
    const wf_garment *garment = wf_lua_check_object(L, 1, &wf_lua_garment_class, "weft.garment.triangulate: self");
    placed_mesh *placed = wf_allocate(context, 1, sizeof *placed);
    wf_status status = placed ? wf_garment_triangulate(context, garment, &params, &placed->mesh) : WF_ERROR_MEMORY;
    *slot = placed;
    wf_lua_check_status(L, status, verb);
    return 1;
}

static void destroy_pattern_mesh(wf_context *context, void *object, void *parent)
{
    placed_mesh *placed = object;
    (void)parent;
    wf_pattern_mesh_free(context, &placed->mesh);
    wf_place_report_free(context, &placed->report);
    wf_free(context, placed);
}

static void describe_pattern_mesh(lua_State *L, void *object)
{
    const wf_pattern_mesh *mesh = object;
    lua_pushfstring(L, "weft.pattern_mesh (%d panels, %d vertices, %d triangles, %d stitches)", (int)mesh->panel_count,
                    (int)mesh->vertex_count, (int)mesh->face_count, (int)mesh->pair_count);
}

/* One function per array: `view` describes it, `get` pushes it, or nil before there is one. */
#define MESH_VIEW(name, array, element_type, length, numbers)                                                          \
    static void view_##name(void *object, wf_lua_view *view)                                                           \
    {                                                                                                                  \
        const placed_mesh *placed = object;                                                                            \
        *view = (wf_lua_view){placed->array, placed->array, element_type, (size_t)placed->length, numbers, false};     \
    }                                                                                                                  \
    static void get_##name(lua_State *L, void *object)                                                                 \
    {                                                                                                                  \
        if (((const placed_mesh *)object)->array) {                                                                    \
            wf_lua_push_view(L, 1, &wf_lua_pattern_mesh_class, #name, view_##name);                                    \
        } else {                                                                                                       \
            lua_pushnil(L);                                                                                            \
        }                                                                                                              \
    }

MESH_VIEW(positions, mesh.positions, WF_LUA_DOUBLE, mesh.vertex_count, 3)
MESH_VIEW(rest, mesh.rest, WF_LUA_DOUBLE, mesh.vertex_count, 2)
MESH_VIEW(faces, mesh.faces, WF_LUA_INDEX, mesh.face_count, 3)
MESH_VIEW(face_panel, mesh.face_panel, WF_LUA_INDEX, mesh.face_count, 1)
MESH_VIEW(vertex_panel, mesh.vertex_panel, WF_LUA_INDEX, mesh.vertex_count, 1)
MESH_VIEW(pairs, mesh.pairs, WF_LUA_INDEX, mesh.pair_count, 2)
MESH_VIEW(pair_seam, mesh.pair_seam, WF_LUA_INDEX, mesh.pair_count, 1)
MESH_VIEW(seam_ratio, mesh.seam_ratio, WF_LUA_DOUBLE, mesh.seam_count, 1)
MESH_VIEW(panel_grain, mesh.panel_grain, WF_LUA_DOUBLE, mesh.panel_count, 1)
MESH_VIEW(panel_moved, report.panel_moved, WF_LUA_DOUBLE, report.panel_count, 1)
MESH_VIEW(panel_gap, report.panel_gap, WF_LUA_DOUBLE, report.panel_count, 1)
MESH_VIEW(seam_gap, report.seam_gap, WF_LUA_DOUBLE, report.seam_count, 1)

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const placed_mesh *)object)->mesh.vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const placed_mesh *)object)->mesh.face_count);
}

static void get_stitches(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const placed_mesh *)object)->mesh.pair_count);
}

static void get_minimum_angle(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const placed_mesh *)object)->mesh.minimum_angle);
}

/* ---- placement ------------------------------------------------------------------------------------------------- */

/* `body` may be NULL. */
static wf_status place(wf_context *context, const wf_garment *garment, placed_mesh *placed, const wf_body *body,
                       const wf_place_params *params)
{
    wf_solid *solid = NULL;
    wf_place_report report;
    wf_status status = body ? wf_solid_create(context, &body->mesh, &solid) : WF_OK;
    if (status == WF_OK) {
        status = wf_garment_place(context, garment, body ? &body->mesh : NULL, solid, params, &placed->mesh, &report);
    }
    if (status == WF_OK) {
        wf_place_report_free(context, &placed->report);
        placed->report = report;
    }
    wf_solid_destroy(context, solid);
    return status;
}

/* mesh:place { body =, clearance =, panel_gap =, reach = } moves panels off a body and off one another. */
static int pattern_mesh_place(lua_State *L)
{
    static const char verb[] = "weft.pattern_mesh.place";
    static const char *const names[] = {"body", "clearance", "panel_gap", "reach", NULL};
    wf_lua_check_object(L, 1, &wf_lua_pattern_mesh_class, "weft.pattern_mesh.place: self");
    wf_lua_options options = wf_lua_open_options(L, 2, verb, names);
    wf_place_params params = wf_default_place_params();
    wf_lua_option_number(&options, "clearance", &params.clearance, 0, 0.1);
    wf_lua_option_number(&options, "panel_gap", &params.panel_gap, 0, 0.1);
    wf_lua_option_number(&options, "reach", &params.reach, 0, 2);
    const wf_body *body = wf_lua_option_object(&options, "body", &wf_lua_body_class);

    wf_context *context = wf_lua_context(L);
    placed_mesh *placed = wf_lua_check_object(L, 1, &wf_lua_pattern_mesh_class, "weft.pattern_mesh.place: self");
    const wf_garment *garment = wf_lua_parent_object(L, 1);
    wf_lua_check_status(L, place(context, garment, placed, body, &params), verb);
    return 0;
}

/* ---- classes --------------------------------------------------------------------------------------------------- */

/* The fabric that a garment is cut from unless sewing says otherwise: a copy, kept in the handle's own table. */
static void get_fabric(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_own_table(L, 1);
    lua_getfield(L, -1, "fabric");
    if (lua_isnil(L, -1)) {
        wf_fabric wool;
        wf_lua_check_status(L, wf_fabric_preset(wf_lua_context(L), "wool", WF_FABRIC_PER_RADIAN, &wool),
                            "weft.garment");
        wf_lua_push_fabric(L, &wool);
        return;
    }
    wf_lua_push_fabric(L, wf_lua_check_object(L, -1, &wf_lua_fabric_class, "weft.garment: fabric"));
}

static void set_fabric(lua_State *L, void *object, int index, const char *what)
{
    (void)object;
    wf_fabric values = *(const wf_fabric *)wf_lua_check_object(L, index, &wf_lua_fabric_class, what);
    wf_lua_push_own_table(L, 1);
    wf_lua_push_fabric(L, &values);
    lua_setfield(L, -2, "fabric");
}

static const luaL_Reg garment_methods[] = {{"triangulate", garment_triangulate}, {NULL, NULL}};
static const wf_lua_property garment_properties[] = {{"fabric", get_fabric, set_fabric},
                                                     {"panels", get_panels, NULL}, {"seams", get_seams, NULL},
                                                     {NULL, NULL, NULL}};
const wf_lua_class wf_lua_garment_class = {"weft.garment", garment_methods, garment_properties, describe_garment,
                                           destroy_garment};

static const luaL_Reg mesh_methods[] = {{"place", pattern_mesh_place}, {NULL, NULL}};
static const wf_lua_property mesh_properties[] = {{"vertices", get_vertices, NULL},
                                                  {"triangles", get_triangles, NULL},
                                                  {"stitches", get_stitches, NULL},
                                                  {"positions", get_positions, NULL},
                                                  {"rest", get_rest, NULL},
                                                  {"faces", get_faces, NULL},
                                                  {"face_panel", get_face_panel, NULL},
                                                  {"vertex_panel", get_vertex_panel, NULL},
                                                  {"pairs", get_pairs, NULL},
                                                  {"pair_seam", get_pair_seam, NULL},
                                                  {"seam_ratio", get_seam_ratio, NULL},
                                                  {"panel_grain", get_panel_grain, NULL},
                                                  {"panel_moved", get_panel_moved, NULL},
                                                  {"panel_gap", get_panel_gap, NULL},
                                                  {"seam_gap", get_seam_gap, NULL},
                                                  {"minimum_angle", get_minimum_angle, NULL},
                                                  {NULL, NULL, NULL}};
const wf_lua_class wf_lua_pattern_mesh_class = {"weft.pattern_mesh", mesh_methods, mesh_properties,
                                                describe_pattern_mesh, destroy_pattern_mesh};

void wf_lua_open_garment(lua_State *L)
{
    static const luaL_Reg functions[] = {{"garment", garment_new}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_garment_class);
    wf_lua_register_class(L, &wf_lua_pattern_mesh_class);
    wf_lua_set_functions(L, functions);
}
