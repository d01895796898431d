/* lua_body.c - weft.body. */
#include "lua/lua_body.h"

#include <string.h>

#include "base/file.h"
#include "base/vector.h"
#include "body/measure.h"
#include "io/triangles.h"
#include "lua/buffer.h"
#include "lua/lua_io.h"

/* ---- properties ------------------------------------------------------------------------------------------------ */

static void destroy_body(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_body_release(object);
}

static void describe_body(lua_State *L, void *object)
{
    const wf_body *body = object;
    lua_pushfstring(L, "weft.body %s (%d vertices, %d faces, %f m tall, %s)", body->name,
                    (int)body->mesh.vertex_count, (int)body->mesh.face_count, body->upper.y - body->lower.y,
                    body->solid ? "solid" : "not solid");
}

static void view_positions(void *object, wf_lua_view *view)
{
    const wf_mesh *mesh = &((const wf_body *)object)->mesh;
    *view = (wf_lua_view){mesh->positions, mesh->positions, WF_LUA_DOUBLE, (size_t)mesh->vertex_count, 3, false};
}

static void view_faces(void *object, wf_lua_view *view)
{
    const wf_mesh *mesh = &((const wf_body *)object)->mesh;
    *view = (wf_lua_view){mesh->faces, mesh->faces, WF_LUA_INDEX, (size_t)mesh->face_count, 3, false};
}

static void get_positions(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &wf_lua_body_class, "positions", view_positions);
}

static void get_faces(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &wf_lua_body_class, "faces", view_faces);
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_body *)object)->mesh.vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_body *)object)->mesh.face_count);
}

static void get_name(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_body *)object)->name);
}

static void get_solid(lua_State *L, void *object)
{
    lua_pushboolean(L, ((const wf_body *)object)->solid);
}

static void get_bounds(lua_State *L, void *object)
{
    const wf_vec3 lower = ((const wf_body *)object)->lower, upper = ((const wf_body *)object)->upper;
    lua_createtable(L, 0, 2);
    wf_lua_push_vec3(L, lower);
    lua_setfield(L, -2, "lower");
    wf_lua_push_vec3(L, upper);
    lua_setfield(L, -2, "upper");
}

static void get_thickness(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_body *)object)->thickness);
}

static void set_thickness(lua_State *L, void *object, int index, const char *what)
{
    double thickness = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_body_set_thickness(object, thickness), "weft.body");
}

static void get_porosity(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_body *)object)->porosity);
}

static void set_porosity(lua_State *L, void *object, int index, const char *what)
{
    double porosity = wf_lua_check_number(L, index, what, 0, 1);
    wf_lua_check_status(L, wf_body_set_porosity(object, porosity), "weft.body");
}

static void get_friction(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_body *)object)->friction);
}

static void set_friction(lua_State *L, void *object, int index, const char *what)
{
    double friction = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_body_set_friction(object, friction), "weft.body");
}

static void get_measures(lua_State *L, void *object)
{
    if (!((const wf_body *)object)->sizes) {
        lua_pushnil(L);
        return;
    }
    const wf_figure_measures sizes = *((const wf_body *)object)->sizes;
    const wf_vec3 *marks = sizes.landmarks;
    lua_createtable(L, 0, 32);
    for (int i = 0; i < WF_MEASURE_COUNT; i++) {
        wf_lua_set_number(L, wf_measure_name((wf_measure)i), sizes.measures[i]);
    }
    const struct {
        const char *name;
        double value;
    } others[] = {
        {"bust_height", sizes.bust_height},       {"underbust_height", sizes.underbust_height},
        {"waist_height", sizes.waist_height},     {"hip_height", sizes.hip_height},
        {"neck_height", sizes.neck_height},       {"knee_height", sizes.knee_height},
        {"knee", sizes.knee},                     {"ankle", sizes.ankle},
        {"arm_angle", sizes.arm_angle},           {"torso_front", sizes.torso_front},
        {"torso_back", sizes.torso_back},         {"arm_front", sizes.arm_front},
        {"arm_back", sizes.arm_back},             {"shoulder_height", marks[WF_LANDMARK_SHOULDER].y},
        {"crotch_height", marks[WF_LANDMARK_CROTCH].y}, {"armpit_height", marks[WF_LANDMARK_ARMPIT].y},
        {"armpit_width", 2 * marks[WF_LANDMARK_ARMPIT].x}, {"neck_width", 2 * marks[WF_LANDMARK_SIDE_NECK].x},
        {"side_neck_height", marks[WF_LANDMARK_SIDE_NECK].y},
        {"front_neck_height", marks[WF_LANDMARK_FRONT_NECK].y},
        {"back_neck_height", marks[WF_LANDMARK_BACK_NECK].y},
        {"wrist_height", marks[WF_LANDMARK_WRIST].y}, {"wrist_reach", marks[WF_LANDMARK_WRIST].x},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        wf_lua_set_number(L, others[i].name, others[i].value);
    }
}

static void get_landmarks(lua_State *L, void *object)
{
    if (!((const wf_body *)object)->sizes) {
        lua_pushnil(L);
        return;
    }
    const wf_figure_measures sizes = *((const wf_body *)object)->sizes;
    lua_createtable(L, 0, WF_LANDMARK_COUNT);
    for (int i = 0; i < WF_LANDMARK_COUNT; i++) {
        wf_lua_push_vec3(L, sizes.landmarks[i]);
        lua_setfield(L, -2, wf_landmark_name((wf_landmark)i));
    }
}

/* ---- methods --------------------------------------------------------------------------------------------------- */

/* body:girth { height = } or { part = "bust" }: girth and the height over the lowest point. */
static int body_girth(lua_State *L)
{
    static const char *const names[] = {"height", "part", NULL};
    static const char *const parts[] = {"bust", "waist", "hips", "neck", NULL};
    wf_body *body = wf_lua_check_object(L, 1, &wf_lua_body_class, "weft.body.girth: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.body.girth", names);
    double girth = 0, height = 0;
    int part = 0;
    bool at_height = wf_lua_option_number(&options, "height", &height, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    bool of_part = wf_lua_option_choice(&options, "part", parts, &part);
    if (at_height == of_part) {
        wf_lua_fail(L, "weft.body.girth: either height or part must be given");
    }
    body = wf_lua_check_object(L, 1, &wf_lua_body_class, "weft.body.girth: self");
    wf_status status = at_height ? wf_body_girth(body, height, &girth)
                                 : wf_body_measure_part(body, (wf_body_part)part, &girth, &height);
    wf_lua_check_status(L, status, "weft.body.girth");
    lua_pushnumber(L, girth);
    lua_pushnumber(L, height);
    return 2;
}

/* body:save(path) */
static int body_save(lua_State *L)
{
    const wf_body *body = wf_lua_check_object(L, 1, &wf_lua_body_class, "weft.body.save: self");
    const char *path = wf_lua_check_string(L, 2, "weft.body.save: path");
    wf_obj_content content = {.vertex_count = body->mesh.vertex_count,
                              .face_count = body->mesh.face_count,
                              .positions = body->mesh.positions,
                              .faces = (const int32_t(*)[3])body->mesh.faces};
    wf_lua_check_status(L, wf_lua_write_mesh(wf_lua_context(L), path, &content, NULL, false), "weft.body.save");
    return 0;
}

/* Either positions, or turn, centre and shift: where body:move and body:place put a body, which is returned. */
static wf_body *move_body(lua_State *L, const char *call)
{
    static const char *const names[] = {"positions", "turn", "centre", "shift", NULL};
    char self[32];
    snprintf(self, sizeof self, "%s: self", call);
    wf_body *body = wf_lua_check_object(L, 1, &wf_lua_body_class, self);
    wf_lua_options options = wf_lua_open_options(L, 2, call, names);
    wf_vec3 turn = {0, 0, 0}, shift = {0, 0, 0};
    const double *positions;
    size_t count = wf_lua_option_vectors(&options, "positions", 3, &positions);
    bool turns = wf_lua_option_vec3(&options, "turn", &turn), shifts = wf_lua_option_vec3(&options, "shift", &shift);
    body = wf_lua_check_object(L, 1, &wf_lua_body_class, self); /* finalizers may have closed it */
    wf_vec3 centre = wf_vec3_lerp(body->lower, body->upper, 0.5);
    bool centred = wf_lua_option_vec3(&options, "centre", &centre);
    if ((positions != NULL) == (turns || shifts) || (centred && !turns)) {
        wf_lua_fail(L, "%s: either positions, or a turn (with its centre), a shift or both must be given", call);
    }
    body = wf_lua_check_object(L, 1, &wf_lua_body_class, self);
    if (positions && count != (size_t)body->mesh.vertex_count) {
        wf_lua_fail(L, "%s: positions must be one for each of the %d vertices, got %d", call,
                    (int)body->mesh.vertex_count, (int)count);
    }
    wf_lua_check_status(L, positions ? wf_body_move(body, (const wf_vec3 *)positions)
                                     : wf_body_move_rigidly(body, turn, centre, shift), call);
    return body;
}

/* body:move { positions = } or { turn =, centre =, shift = } */
static int body_move(lua_State *L)
{
    move_body(L, "weft.body.move");
    return 0;
}

/* body:place, with the options of body:move */
static int body_place(lua_State *L)
{
    wf_body_skip_way(move_body(L, "weft.body.place"));
    return 0;
}

static const luaL_Reg body_methods[] = {{"girth", body_girth}, {"move", body_move}, {"place", body_place},
                                         {"save", body_save},   {NULL, NULL}};

static const wf_lua_property body_properties[] = {{"name", get_name, NULL},
                                                  {"positions", get_positions, NULL},
                                                  {"faces", get_faces, NULL},
                                                  {"vertices", get_vertices, NULL},
                                                  {"triangles", get_triangles, NULL},
                                                  {"solid", get_solid, NULL},
                                                  {"bounds", get_bounds, NULL},
                                                  {"thickness", get_thickness, set_thickness},
                                                  {"friction", get_friction, set_friction},
                                                  {"porosity", get_porosity, set_porosity},
                                                  {"measures", get_measures, NULL},
                                                  {"landmarks", get_landmarks, NULL},
                                                  {NULL, NULL, NULL}};

const wf_lua_class wf_lua_body_class = {"weft.body", body_methods, body_properties, describe_body, destroy_body};

/* ---- constructors ---------------------------------------------------------------------------------------------- */

/* Reads what all constructors take. The name stays on the stack. */
static void read_common(const wf_lua_options *options, wf_body_def *def)
{
    const char *name = wf_lua_option_string(options, "name");
    def->name = name ? name : def->name;
    wf_lua_option_number(options, "thickness", &def->thickness, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "friction", &def->friction, WF_LUA_LOWEST, WF_LUA_HIGHEST);
}

static int finish_body(lua_State *L, void **slot, wf_body *body, wf_status status, const char *function)
{
    *slot = body;
    wf_lua_check_status(L, status, function);
    /* Positions, faces, edges and the faces around each. */
    wf_lua_press_collector(L, (size_t)body->mesh.vertex_count * 40 + (size_t)body->mesh.face_count * 72);
    return 1;
}

/* core.body { vertices =, faces = } */
static int body_new(lua_State *L)
{
    static const char *const names[] = {"vertices", "faces", "name", "thickness", "friction", NULL};
    lua_settop(L, 2);
    lua_remove(L, 1); /* the table weft.body, which was called */
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.body", names);
    wf_lua_require_option(&options, "vertices", "a list of points");
    wf_lua_require_option(&options, "faces", "a list of index triples");
    wf_body_def def = wf_default_body_def();
    read_common(&options, &def);
    const double *vertices;
    const int32_t *faces;
    size_t vertex_count = wf_lua_option_vectors(&options, "vertices", 3, &vertices);
    size_t face_count = wf_lua_option_index_groups(&options, "faces", 3, vertex_count, &faces);
    if (vertex_count > INT32_MAX || face_count > WF_MESH_LARGEST_FACE_COUNT) {
        wf_lua_fail(L, "weft.body: too many vertices or faces");
    }
    def.vertex_count = (int32_t)vertex_count;
    def.face_count = (int32_t)face_count;
    def.positions = (const wf_vec3 *)vertices;
    def.faces = (const int32_t(*)[3])faces;
    void **slot = wf_lua_new_object(L, &wf_lua_body_class, 0);
    wf_body *body;
    wf_status status = wf_body_create(wf_lua_context(L), &def, &body);
    return finish_body(L, slot, body, status, "weft.body");
}

/* The part of a path after its last slash. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static wf_status read_body(wf_context *context, const char *path, size_t limit, wf_body_def *def, wf_body **body)
{
    wf_triangles triangles;
    wf_status status = wf_triangles_read(context, path, limit, &triangles);
    if (status != WF_OK) {
        return status;
    }
    if (triangles.dropped_faces > 0) {
        wf_warn(context, "%s: %lld triangles were left out, since they name a vertex twice", def->name,
                (long long)triangles.dropped_faces);
    }
    def->vertex_count = triangles.vertex_count;
    def->face_count = triangles.face_count;
    def->positions = triangles.positions;
    def->faces = (const int32_t(*)[3])triangles.faces;
    status = wf_body_create(context, def, body);
    wf_triangles_free(context, &triangles);
    return status;
}

/* core.load_body(path, { name =, thickness =, friction =, limit = }) */
static int load_body(lua_State *L)
{
    static const char *const names[] = {"name", "thickness", "friction", "limit", NULL};
    const char *path = wf_lua_check_string(L, 1, "weft.body.load: path");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.body.load", names);
    wf_body_def def = wf_default_body_def();
    def.name = file_name(path);
    read_common(&options, &def);
    double limit = WF_FILE_LIMIT;
    wf_lua_option_number(&options, "limit", &limit, 1, 1e12);
    void **slot = wf_lua_new_object(L, &wf_lua_body_class, 0);
    wf_body *body = NULL;
    wf_status status = read_body(wf_lua_context(L), path, (size_t)limit, &def, &body);
    return finish_body(L, slot, body, status, "weft.body.load");
}

/* core.mannequin { height =, bust =, ..., figure = "woman" } */
static int mannequin_new(lua_State *L)
{
    static const char *const figures[] = {"woman", "man", NULL};
    const char *names[WF_MEASURE_COUNT + 5];
    int count = 0;
    for (; count < WF_MEASURE_COUNT; count++) {
        names[count] = wf_measure_name((wf_measure)count);
    }
    names[count++] = "figure";
    names[count++] = "name";
    names[count++] = "thickness";
    names[count++] = "friction";
    names[count] = NULL;
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.body.mannequin", names);
    wf_mannequin_def figure = wf_default_mannequin_def();
    int kind = WF_FIGURE_WOMAN;
    wf_lua_option_choice(&options, "figure", figures, &kind);
    figure.figure = (wf_figure_kind)kind;
    for (int i = 0; i < WF_MEASURE_COUNT; i++) {
        double least, largest;
        wf_measure_range((wf_measure)i, &least, &largest);
        wf_lua_option_number(&options, names[i], &figure.measures[i], least, largest);
    }
    wf_body_def def = wf_default_body_def();
    read_common(&options, &def);
    void **slot = wf_lua_new_object(L, &wf_lua_body_class, 0);
    wf_body *body;
    wf_status status = wf_body_create_mannequin(wf_lua_context(L), &figure, &def, &body);
    return finish_body(L, slot, body, status, "weft.body.mannequin");
}

/* core.mannequin_measures(): the names of what can be asked of a mannequin. */
static int mannequin_measures(lua_State *L)
{
    lua_createtable(L, WF_MEASURE_COUNT, 0);
    for (int i = 0; i < WF_MEASURE_COUNT; i++) {
        lua_pushstring(L, wf_measure_name((wf_measure)i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void wf_lua_open_body(lua_State *L);

void wf_lua_open_body(lua_State *L)
{
    static const luaL_Reg functions[] = {{"body", body_new},
                                         {"load_body", load_body},
                                         {"mannequin", mannequin_new},
                                         {"mannequin_measures", mannequin_measures},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_body_class);
    wf_lua_set_functions(L, functions);
}
