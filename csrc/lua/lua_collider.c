/* lua_collider.c - weft.collider. */
#include "lua/lua_collider.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "contact/colliders/convex.h"
#include "contact/colliders/sampled.h"
#include "lua/buffer.h"
#include "lua/lua_body.h"

static wf_collider *check_collider(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_collider_class, what);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

static void destroy_collider(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_collider_release(object);
}

static void describe_collider(lua_State *L, void *object)
{
    const wf_collider *collider = object;
    wf_vec3 p = collider->pose.centre;
    char own[128], place[96];
    collider->class->describe(collider, own, sizeof own);
    snprintf(place, sizeof place, "{%.4g, %.4g, %.4g}", p.x, p.y, p.z);
    lua_pushfstring(L, "weft.collider %s (%s, at %s)", collider->class->name, own, place);
}

static void get_kind(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_collider *)object)->class->name);
}

static void get_position(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, ((const wf_collider *)object)->pose.centre);
}

static void set_position(lua_State *L, void *object, int index, const char *what)
{
    wf_pose pose = ((const wf_collider *)object)->pose;
    pose.centre = wf_lua_check_vec3(L, index, what);
    wf_lua_check_status(L, wf_collider_move(object, &pose), "weft.collider");
}

static void get_orientation(lua_State *L, void *object)
{
    const wf_rotation turn = ((const wf_collider *)object)->pose.turn;
    const double q[4] = {turn.v.x, turn.v.y, turn.v.z, turn.w};
    lua_createtable(L, 4, 0);
    for (int k = 0; k < 4; k++) {
        lua_pushnumber(L, q[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

static void set_orientation(lua_State *L, void *object, int index, const char *what)
{
    wf_pose pose = ((const wf_collider *)object)->pose;
    double q[4];
    wf_lua_check_numbers(L, index, what, "a quaternion {x, y, z, w}", q, 4);
    pose.turn = (wf_rotation){q[3], {q[0], q[1], q[2]}};
    wf_lua_check_status(L, wf_collider_move(object, &pose), "weft.collider");
}

static void get_thickness(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_collider *)object)->thickness);
}

static void set_thickness(lua_State *L, void *object, int index, const char *what)
{
    double thickness = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_collider_set_thickness(object, thickness), "weft.collider");
}

static void get_porosity(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_collider *)object)->porosity);
}

static void set_porosity(lua_State *L, void *object, int index, const char *what)
{
    double porosity = wf_lua_check_number(L, index, what, 0, 1);
    wf_lua_check_status(L, wf_collider_set_porosity(object, porosity), "weft.collider");
}

static void get_friction(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_collider *)object)->friction);
}

static void set_friction(lua_State *L, void *object, int index, const char *what)
{
    double friction = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_collider_set_friction(object, friction), "weft.collider");
}

/* What had to be mended of the surface that was sampled. */
static void get_report(lua_State *L, void *object)
{
    const wf_closing_report report = ((const wf_collider *)object)->closing;
    if (!(report.volume > 0)) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 8);
    wf_lua_set_integer(L, "welded", report.welded);
    wf_lua_set_integer(L, "dropped", report.dropped);
    wf_lua_set_integer(L, "flat", report.flat);
    wf_lua_set_integer(L, "turned", report.turned);
    wf_lua_set_integer(L, "holes", report.holes);
    wf_lua_set_integer(L, "open_edges", report.open_edges);
    wf_lua_set_integer(L, "crowded_edges", report.crowded_edges);
    wf_lua_set_number(L, "volume", report.volume);
}

/* `position` and `orientation`, where they are given. */
static void read_pose(const wf_lua_options *options, wf_pose *pose)
{
    double q[4];
    wf_lua_option_vec3(options, "position", &pose->centre);
    if (wf_lua_option_numbers(options, "orientation", q, 4, WF_LUA_LOWEST, WF_LUA_HIGHEST)) {
        pose->turn = (wf_rotation){q[3], {q[0], q[1], q[2]}};
    }
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* collider:place { position =, orientation = }: without a way. */
static int collider_place(lua_State *L)
{
    static const char *const names[] = {"position", "orientation", NULL};
    wf_collider *collider = check_collider(L, "weft.collider.place: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.collider.place", names);
    wf_pose pose = collider->pose;
    read_pose(&options, &pose);
    wf_lua_check_status(L, wf_collider_place(collider, &pose), "weft.collider.place");
    return 0;
}

/* collider:distance(point): m, and the gradient. */
static int collider_distance(lua_State *L)
{
    const wf_collider *collider = check_collider(L, "weft.collider.distance: self");
    wf_vec3 gradient, point = wf_lua_check_place(L, 2, "weft.collider.distance: point");
    lua_pushnumber(L, wf_collider_distance(collider, point, &gradient));
    wf_lua_push_vec3(L, gradient);
    return 2;
}

/* collider:distances { points = }: buffers of distances and gradients. */
static int collider_distances(lua_State *L)
{
    static const char *const names[] = {"points", NULL};
    check_collider(L, "weft.collider.distances: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.collider.distances", names);
    wf_lua_require_option(&options, "points", "a list of points");
    const wf_vec3 *points;
    size_t count = wf_lua_option_places(&options, "points", &points);
    double *distances = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 1);
    wf_vec3 *gradients = wf_lua_push_buffer(L, WF_LUA_DOUBLE, count, 3);
    const wf_collider *collider = check_collider(L, "weft.collider.distances: self");
    wf_collider_distances(collider, count, points, distances, gradients);
    return 2;
}

static void read_face(const wf_lua_options *options, const char *name, wf_vec3 face[3])
{
    const wf_vec3 *points;
    wf_lua_require_option(options, name, "three points");
    if (wf_lua_option_places(options, name, &points) != 3) {
        wf_lua_fail(options->L, "%s: %s must be three points", options->function, name);
    }
    memcpy(face, points, 3 * sizeof *face);
}

static const wf_collider *check_convex(lua_State *L, const char *self, const char *function)
{
    const wf_collider *collider = check_collider(L, self);
    if (!collider->class->support) {
        wf_lua_fail(L,
                    "%s: self must be a sphere, capsule, box or cylinder, got a collider of kind \"%s\", which knows "
                    "the distances of points alone",
                    function, collider->class->name);
    }
    return collider;
}

static void face_to_local(const wf_collider *collider, wf_vec3 face[3])
{
    for (int k = 0; k < 3; k++) {
        face[k] = wf_pose_to_local(&collider->pose, face[k]);
    }
}

/* collider:face_distance { points = { a, b, c } }: m, and the weights of the corners in the nearest point. */
static int collider_face_distance(lua_State *L)
{
    static const char *const names[] = {"points", NULL};
    check_collider(L, "weft.collider.face_distance: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.collider.face_distance", names);
    wf_vec3 face[3];
    read_face(&options, "points", face);
    const wf_collider *collider = check_convex(L, "weft.collider.face_distance: self", options.function);
    face_to_local(collider, face);
    wf_face_gap gap = wf_convex_face_gap(collider, face);
    lua_pushnumber(L, gap.distance);
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, gap.weights[k]);
    }
    return 4;
}

/* collider:face_impact { from = { a, b, c }, to = { a, b, c }, separation = }: the time in [0, 1] up to which the face
 * keeps away, or false. */
static int collider_face_impact(lua_State *L)
{
    static const char *const names[] = {"from", "to", "separation", NULL};
    check_collider(L, "weft.collider.face_impact: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.collider.face_impact", names);
    wf_vec3 from[3], to[3];
    double separation = 0, time;
    wf_face_gap gap;
    read_face(&options, "from", from);
    read_face(&options, "to", to);
    wf_lua_require_option(&options, "separation", "a number above 0");
    wf_lua_option_number(&options, "separation", &separation, WF_LUA_POSITIVE, WF_LUA_FARTHEST);
    const wf_collider *collider = check_convex(L, "weft.collider.face_impact: self", options.function);
    face_to_local(collider, from);
    face_to_local(collider, to);
    if (wf_convex_face_impact(collider, from, to, separation, &time, &gap)) {
        lua_pushnumber(L, time);
    } else {
        lua_pushboolean(L, 0);
    }
    return 1;
}

/* collider:label(point) */
static int collider_label(lua_State *L)
{
    static const char *const labels[] = {"free", "surface", "interior"};
    const wf_collider *collider = check_collider(L, "weft.collider.label: self");
    lua_pushstring(L, labels[wf_collider_label(collider, wf_lua_check_place(L, 2, "weft.collider.label: point"))]);
    return 1;
}

static const luaL_Reg collider_methods[] = {{"place", collider_place},
                                            {"distance", collider_distance},
                                            {"distances", collider_distances},
                                            {"face_distance", collider_face_distance},
                                            {"face_impact", collider_face_impact},
                                            {"label", collider_label},
                                            {NULL, NULL}};

static const wf_lua_property collider_properties[] = {{"kind", get_kind, NULL},
                                                      {"position", get_position, set_position},
                                                      {"orientation", get_orientation, set_orientation},
                                                      {"thickness", get_thickness, set_thickness},
                                                      {"friction", get_friction, set_friction},
                                                      {"porosity", get_porosity, set_porosity},
                                                      {"report", get_report, NULL},
                                                      {NULL, NULL, NULL}};

const wf_lua_class wf_lua_collider_class = {"weft.collider", collider_methods, collider_properties, describe_collider,
                                            destroy_collider};

/* ---- constructors ------------------------------------------------------------------------------------------------ */

/* Options that all kinds take, but the place of those that are given by points. */
static wf_collider_def read_common(const wf_lua_options *options)
{
    wf_collider_def def = wf_default_collider_def();
    wf_lua_option_number(options, "thickness", &def.thickness, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "friction", &def.friction, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    return def;
}

static double require_number(const wf_lua_options *options, const char *name, const char *expected)
{
    double value = 0;
    wf_lua_require_option(options, name, expected);
    wf_lua_option_number(options, name, &value, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    return value;
}

/* A place under the name that this kind has for it. */
static bool read_place(const wf_lua_options *options, const char *name, wf_vec3 *place)
{
    bool given = wf_lua_option_vec3(options, name, place);
    wf_lua_check_status(options->L, wf_collider_check_place(wf_lua_context(options->L), name, *place),
                        options->function);
    return given;
}

/* `slot` was made before the collider, so that no error loses it. */
static int finish(lua_State *L, void **slot, wf_collider *collider, wf_status status, const char *function)
{
    *slot = collider;
    wf_lua_check_status(L, status, function);
    return 1;
}

/* core.collider_plane { point =, normal = } */
static int plane_new(lua_State *L)
{
    static const char function[] = "weft.collider.plane";
    static const char *const names[] = {"point", "normal", "thickness", "friction", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    wf_vec3 normal = {0, 1, 0};
    read_place(&options, "point", &def.pose.centre);
    wf_lua_option_vec3(&options, "normal", &normal);
    double length = wf_vec3_norm(normal);
    if (!(length >= 1e-100 && length <= 1e100)) {
        wf_lua_push_vec3(L, normal);
        wf_lua_fail_value(L, -1, "weft.collider.plane: normal", "a vector from 1e-100 to 1e+100 long");
    }
    def.pose.turn = wf_rotation_between(wf_vec3_make(0, 1, 0), wf_vec3_scale(normal, 1 / length));
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    wf_collider *collider = NULL;
    wf_status status = wf_collider_create_plane(wf_lua_context(L), &def, &collider);
    return finish(L, slot, collider, status, function);
}

/* core.collider_sphere { radius =, position = } */
static int sphere_new(lua_State *L)
{
    static const char function[] = "weft.collider.sphere";
    static const char *const names[] = {"radius", "position", "orientation", "thickness", "friction", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    read_pose(&options, &def.pose);
    double radius = require_number(&options, "radius", "a number");
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    wf_collider *collider = NULL;
    wf_status status = wf_collider_create_sphere(wf_lua_context(L), &def, radius, &collider);
    return finish(L, slot, collider, status, function);
}

/* core.collider_box { size =, position =, orientation = } */
static int box_new(lua_State *L)
{
    static const char function[] = "weft.collider.box";
    static const char *const names[] = {"size", "position", "orientation", "thickness", "friction", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    read_pose(&options, &def.pose);
    wf_vec3 size = {0, 0, 0};
    wf_lua_require_option(&options, "size", "three numbers {x, y, z}");
    wf_lua_option_vec3(&options, "size", &size);
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    wf_collider *collider = NULL;
    wf_status status = wf_collider_create_box(wf_lua_context(L), &def, size, &collider);
    return finish(L, slot, collider, status, function);
}

typedef wf_status create_along(wf_context *context, const wf_collider_def *def, double length, double radius,
                               wf_collider **collider);

/* A capsule or a cylinder: { from =, to =, radius = }, the ends of its axis. */
static int along_new(lua_State *L, const char *function, create_along *create)
{
    static const char *const names[] = {"from", "to", "radius", "thickness", "friction", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    double radius = require_number(&options, "radius", "a number");
    wf_vec3 from = {0, 0, 0}, to = {0, 0, 0};
    wf_lua_require_option(&options, "from", "three numbers {x, y, z}");
    wf_lua_require_option(&options, "to", "three numbers {x, y, z}");
    read_place(&options, "from", &from);
    read_place(&options, "to", &to);
    wf_vec3 axis = wf_vec3_sub(to, from);
    double length = wf_vec3_norm(axis);
    def.pose.centre = wf_vec3_lerp(from, to, 0.5);
    if (length > 0 && length < INFINITY) {
        def.pose.turn = wf_rotation_between(wf_vec3_make(0, 1, 0), wf_vec3_scale(axis, 1 / length));
    }
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    wf_collider *collider = NULL;
    wf_status status = create(wf_lua_context(L), &def, length, radius, &collider);
    return finish(L, slot, collider, status, function);
}

static int capsule_new(lua_State *L)
{
    return along_new(L, "weft.collider.capsule", wf_collider_create_capsule);
}

static int cylinder_new(lua_State *L)
{
    return along_new(L, "weft.collider.cylinder", wf_collider_create_cylinder);
}

/* ---- samples of bodies ------------------------------------------------------------------------------------------- */

#define COMMON_NAMES "position", "orientation", "thickness", "friction"
#define PART_NAMES "body", "faces", "origin"

/* The body's surface as it is now, or the faces of it that are named; these are gathered in a buffer that stays on the
 * stack. The place is that of the body unless another is given. */
static wf_surface_part read_part(const wf_lua_options *options, wf_collider_def *def)
{
    lua_State *L = options->L;
    wf_lua_require_option(options, "body", "a weft.body");
    const wf_body *body = wf_lua_option_object(options, "body", &wf_lua_body_class);
    wf_surface_part part = {.vertex_count = body->mesh.vertex_count,
                            .positions = body->mesh.positions,
                            .face_count = body->mesh.face_count,
                            .faces = (const int32_t(*)[3])body->mesh.faces};
    read_place(options, "origin", &part.origin);
    def->pose.centre = part.origin;
    read_pose(options, &def->pose);
    const int32_t *chosen;
    size_t count = wf_lua_option_indices(options, "faces", (size_t)body->mesh.face_count, &chosen);
    if (chosen) {
        int32_t(*faces)[3] = wf_lua_push_buffer(L, WF_LUA_INDEX, count, 3);
        for (size_t f = 0; f < count; f++) {
            for (int k = 0; k < 3; k++) {
                faces[f][k] = body->mesh.faces[chosen[f]][k];
            }
        }
        part.face_count = (int32_t)count;
        part.faces = (const int32_t(*)[3])faces;
    }
    return part;
}

/* core.collider_field { body =, faces =, origin =, cell =, band =, interpolation = } */
static int field_new(lua_State *L)
{
    static const char function[] = "weft.collider.field";
    static const char *const names[] = {PART_NAMES, COMMON_NAMES, "cell", "band", "interpolation", NULL};
    static const char *const interpolations[] = {"cubic", "linear", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    wf_field_def field = wf_default_field_def();
    int interpolation = 0;
    wf_lua_option_number(&options, "cell", &field.cell, WF_LUA_POSITIVE, 1e5);
    wf_lua_option_number(&options, "band", &field.band, 2, 32);
    wf_lua_option_choice(&options, "interpolation", interpolations, &interpolation);
    field.linear = interpolation == 1;
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    int handle = lua_gettop(L);
    wf_surface_part part = read_part(&options, &def);
    wf_collider *collider = NULL;
    wf_status status = wf_collider_create_field(wf_lua_context(L), &def, &part, &field, &collider);
    lua_pushvalue(L, handle);
    return finish(L, slot, collider, status, function);
}

/* Cells that a script fills: numbers, 0 for free ones. */
static wf_status read_occupancy(const wf_lua_options *options, const wf_collider_def *def, double cell,
                                wf_collider **collider)
{
    lua_State *L = options->L;
    int64_t size[3] = {0, 0, 0};
    wf_vec3 lower = {0, 0, 0};
    const double *given;
    wf_lua_require_option(options, "size", "three integers");
    wf_lua_require_option(options, "cell", "a number");
    wf_lua_option_integers(options, "size", size, 3, 1, 512);
    wf_lua_option_vec3(options, "lower", &lower);
    size_t count = wf_lua_option_list(options, "occupied", WF_LUA_LOWEST, WF_LUA_HIGHEST, &given);
    if (count != (size_t)(size[0] * size[1] * size[2])) {
        wf_lua_fail(L, "%s: occupied must have a number for each of %d cells, got %d", options->function,
                    (int)(size[0] * size[1] * size[2]), (int)count);
    }
    uint8_t *occupied = wf_allocate(wf_lua_context(L), count, sizeof *occupied);
    if (!occupied) {
        return WF_ERROR_MEMORY;
    }
    for (size_t c = 0; c < count; c++) {
        occupied[c] = given[c] != 0;
    }
    const int32_t sides[3] = {(int32_t)size[0], (int32_t)size[1], (int32_t)size[2]};
    wf_status status = wf_collider_create_occupancy(wf_lua_context(L), def, sides, occupied, lower, cell, collider);
    wf_free(wf_lua_context(L), occupied);
    return status;
}

/* Cells are sampled or given: what says how the one is done would be silently of no use to the other. */
static void refuse_options(const wf_lua_options *options, const char *const *names, const char *other)
{
    for (; *names; names++) {
        if (wf_lua_push_option(options, *names)) {
            wf_lua_fail(options->L, "%s: %s does not go with %s", options->function, *names, other);
        }
    }
}

/* core.collider_voxels { body =, faces =, origin =, cell = } or { occupied =, size =, lower =, cell = } */
static int voxels_new(lua_State *L)
{
    static const char function[] = "weft.collider.voxels";
    static const char *const names[] = {PART_NAMES, COMMON_NAMES, "cell", "occupied", "size", "lower", NULL};
    static const char *const of_samples[] = {PART_NAMES, NULL}, *const of_given[] = {"size", "lower", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    double cell = 0;
    wf_lua_option_number(&options, "cell", &cell, WF_LUA_POSITIVE, 1e5);
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    int handle = lua_gettop(L);
    wf_collider *collider = NULL;
    wf_status status;
    if (wf_lua_push_option(&options, "occupied")) {
        refuse_options(&options, of_samples, "occupied");
        read_pose(&options, &def.pose);
        status = read_occupancy(&options, &def, cell, &collider);
    } else {
        refuse_options(&options, of_given, "body");
        wf_surface_part part = read_part(&options, &def);
        status = wf_collider_create_voxels(wf_lua_context(L), &def, &part, cell, &collider);
    }
    lua_pushvalue(L, handle);
    return finish(L, slot, collider, status, function);
}

/* core.collider_maps { body =, faces =, origin =, pixel = } */
static int maps_new(lua_State *L)
{
    static const char function[] = "weft.collider.maps";
    static const char *const names[] = {PART_NAMES, COMMON_NAMES, "pixel", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_collider_def def = read_common(&options);
    double pixel = 0;
    wf_lua_option_number(&options, "pixel", &pixel, WF_LUA_POSITIVE, 1e5);
    void **slot = wf_lua_new_object(L, &wf_lua_collider_class, 0);
    int handle = lua_gettop(L);
    wf_surface_part part = read_part(&options, &def);
    wf_collider *collider = NULL;
    wf_status status = wf_collider_create_maps(wf_lua_context(L), &def, &part, pixel, &collider);
    lua_pushvalue(L, handle);
    return finish(L, slot, collider, status, function);
}

void wf_lua_open_collider(lua_State *L);

void wf_lua_open_collider(lua_State *L)
{
    static const luaL_Reg functions[] = {{"collider_plane", plane_new},     {"collider_sphere", sphere_new},
                                         {"collider_capsule", capsule_new}, {"collider_box", box_new},
                                         {"collider_cylinder", cylinder_new}, {"collider_field", field_new},
                                         {"collider_voxels", voxels_new},   {"collider_maps", maps_new},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_collider_class);
    wf_lua_set_functions(L, functions);
}
