/* lua_wind_drawing.c - wind to look at: the methods arrows, streamlines, slice and markers of whatever has wind, and
 * the class of what they make.
 *
 * One set of functions serves all classes: which one it is called on decides how the wind is asked for.
 */
#include <stdio.h>
#include <string.h>

#include "air/flow.h"
#include "air/streamlines.h"
#include "air/wind_drawing.h"
#include "lua/buffer.h"
#include "lua/lua_flow.h"
#include "lua/lua_io.h"
#include "lua/lua_wind.h"
#include "lua/lua_wind_source.h"
#include "world/air.h"

enum { FUNCTION_SIZE = 64 };

typedef struct drawn_wind {
    wf_wind_drawing drawing;
    const char *kind; /* "arrows" */
} drawn_wind;

static const wf_lua_class drawing_class;

/* ---- what has wind ----------------------------------------------------------------------------------------------- */

static wf_status sample_world(void *user, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    return wf_world_wind_at(user, count, points, velocities);
}

static wf_status sample_flow(void *user, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    wf_flow_velocities(user, count, points, velocities);
    return WF_OK;
}

/* A source at a time. */
typedef struct source_moment {
    wf_wind_source *source;
    double time;
} source_moment;

static wf_status sample_source(void *user, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    const source_moment *moment = user;
    wf_status status = wf_wind_source_prepare_new(moment->source, moment->time);
    memset(velocities, 0, count * sizeof *velocities);
    return status == WF_OK ? wf_wind_source_add(moment->source, moment->time, count, points, velocities) : status;
}

/* One call: what it is of, and its options. */
typedef struct request {
    lua_State *L;
    char function[FUNCTION_SIZE]; /* "weft.world.wind.arrows" */
    wf_lua_options options;
    wf_wind_sampler sampler;
    source_moment moment;
    double memory;
} request;

/* Opens the options. `names` have "time" first, which only sources take: wind and flows have their own. */
static void open_request(lua_State *L, request *d, const char *verb, const char *const *names)
{
    lua_settop(L, 2);
    bool is_source = wf_lua_is_object(L, 1, &wf_lua_wind_source_class);
    bool is_flow = wf_lua_is_object(L, 1, &wf_lua_flow_class);
    const wf_lua_class *class = is_source ? &wf_lua_wind_source_class
                                : is_flow ? &wf_lua_flow_class
                                          : &wf_lua_world_wind_class;
    char self[FUNCTION_SIZE + 8];
    d->L = L;
    snprintf(d->function, sizeof d->function, "%s.%s", class->name, verb);
    snprintf(self, sizeof self, "%s: self", d->function);
    void *object = wf_lua_check_object(L, 1, class, self);
    d->options = wf_lua_open_options(L, 2, d->function, is_source ? names : names + 1);
    d->memory = 1073741824.0;
    wf_lua_option_number(&d->options, "memory", &d->memory, 1, 1e15);
    if (is_source) {
        d->moment = (source_moment){.source = object, .time = 0};
        wf_lua_option_number(&d->options, "time", &d->moment.time, WF_LUA_LOWEST, WF_LUA_HIGHEST);
        d->sampler = (wf_wind_sampler){sample_source, &d->moment};
    } else {
        d->sampler = (wf_wind_sampler){is_flow ? sample_flow : sample_world, object};
    }
}

/* Pushes the object that is to hold the drawing. */
static wf_wind_drawing *push_drawing(request *d, const char *kind)
{
    void **slot = wf_lua_new_object(d->L, &drawing_class, 0);
    drawn_wind *drawn = wf_allocate(wf_lua_context(d->L), 1, sizeof *drawn);
    *slot = drawn;
    wf_lua_check_status(d->L, drawn ? WF_OK : WF_ERROR_MEMORY, d->function);
    drawn->kind = kind;
    return &drawn->drawing;
}

/* The end of each method: the drawing is on top of the stack. */
static int give_drawing(request *d, wf_status status, const wf_wind_drawing *drawing)
{
    wf_lua_check_status(d->L, status, d->function);
    size_t bytes = drawing->vertex_count * (sizeof *drawing->positions + sizeof *drawing->values) +
                   drawing->face_count * sizeof *drawing->faces +
                   drawing->point_count * (sizeof *drawing->points + sizeof *drawing->velocities);
    wf_lua_press_collector(d->L, bytes);
    return 1;
}

static void require_box(const wf_lua_options *options, wf_vec3 *lower, wf_vec3 *upper)
{
    wf_lua_require_option(options, "lower", "three numbers {x, y, z}");
    wf_lua_require_option(options, "upper", "three numbers {x, y, z}");
    wf_lua_option_place(options, "lower", lower);
    wf_lua_option_place(options, "upper", upper);
}

static bool option_positive(const wf_lua_options *options, const char *name, double *value)
{
    return wf_lua_option_number(options, name, value, 1e-9, 1e9);
}

/* A lattice of points in the memory of a buffer, which is left on the stack. */
static const wf_vec3 *push_lattice(request *d, double spacing, size_t *count)
{
    wf_vec3 lower, upper, *lattice = NULL;
    require_box(&d->options, &lower, &upper);
    wf_context *context = wf_lua_context(d->L);
    /* An object holds what is allocated: pushing can raise. */
    wf_wind_drawing *holder = push_drawing(d, "points");
    wf_status status = wf_box_lattice(context, lower, upper, spacing, d->memory, count, &lattice);
    holder->points = lattice;
    wf_lua_check_status(d->L, status, d->function);
    return lattice;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* wind:arrows { lower =, upper =, spacing = } or { points = } */
static int draw_arrows(lua_State *L)
{
    static const char *const names[] = {"time",  "lower",   "upper", "spacing", "points", "length",
                                        "scale", "slowest", "width", "memory",  NULL};
    request d;
    open_request(L, &d, "arrows", names);
    wf_wind_arrows params = wf_default_wind_arrows();
    const wf_vec3 *points;
    size_t count = wf_lua_option_places(&d.options, "points", &points);
    if (!points) {
        double spacing = 0;
        wf_lua_require_option(&d.options, "spacing", "a number above 0, or points a list of points");
        option_positive(&d.options, "spacing", &spacing);
        points = push_lattice(&d, spacing, &count);
        params.length = 0.9 * spacing;
    }
    params.memory = d.memory;
    option_positive(&d.options, "length", &params.length);
    option_positive(&d.options, "scale", &params.scale);
    option_positive(&d.options, "slowest", &params.slowest);
    option_positive(&d.options, "width", &params.width);
    wf_wind_drawing *drawing = push_drawing(&d, "arrows");
    wf_status status = wf_wind_draw_arrows(wf_lua_context(L), &params, &d.sampler, count, points, drawing);
    return give_drawing(&d, status, drawing);
}

/* wind:streamlines { lower =, upper =, spacing = } or with seeds = */
static int draw_streamlines(lua_State *L)
{
    static const char *const names[] = {"time", "lower", "upper",   "spacing", "seeds",  "length",
                                        "step", "turn",  "slowest", "radius",  "memory", NULL};
    request d;
    open_request(L, &d, "streamlines", names);
    wf_streamlines params = wf_default_streamlines();
    require_box(&d.options, &params.lower, &params.upper);
    const wf_vec3 *seeds;
    size_t count = wf_lua_option_places(&d.options, "seeds", &seeds);
    if (!seeds) {
        wf_lua_require_option(&d.options, "spacing", "a number above 0, or seeds a list of points");
    }
    params.memory = d.memory;
    option_positive(&d.options, "spacing", &params.spacing);
    option_positive(&d.options, "length", &params.length);
    option_positive(&d.options, "step", &params.step);
    option_positive(&d.options, "slowest", &params.slowest);
    option_positive(&d.options, "radius", &params.radius);
    wf_lua_option_number(&d.options, "turn", &params.turn, 0.001, 0.5);
    wf_wind_drawing *drawing = push_drawing(&d, "streamlines");
    wf_status status =
        wf_wind_draw_streamlines(wf_lua_context(L), &params, &d.sampler, count, seeds, drawing);
    return give_drawing(&d, status, drawing);
}

/* The rectangle of a box without depth: it is seen from the side that its missing axis points to. */
static void set_flat_box(const request *d, wf_vec3 lower, wf_vec3 upper, wf_wind_slice *slice)
{
    wf_vec3 size = wf_vec3_sub(upper, lower);
    if (size.x < 0 || size.y < 0 || size.z < 0 || (size.x > 0) + (size.y > 0) + (size.z > 0) != 2) {
        wf_lua_fail(d->L, "%s: upper must be above lower along two axes and level with it along the third",
                    d->function);
    }
    wf_vec3 x = {size.x, 0, 0}, y = {0, size.y, 0}, z = {0, 0, size.z};
    slice->corner = lower;
    slice->across = size.x > 0 && size.y > 0 ? x : size.x > 0 ? z : y;
    slice->up = size.x > 0 && size.y > 0 ? y : size.x > 0 ? x : z;
}

/* wind:slice { lower =, upper =, spacing =, value = } or with corner =, across =, up = */
static int draw_slice(lua_State *L)
{
    static const char *const names[] = {"time", "lower",   "upper", "corner", "across",
                                        "up",   "spacing", "value", "memory", NULL};
    static const char *const values[] = {"speed", "x", "y", "z", "through", "vorticity", NULL};
    request d;
    open_request(L, &d, "slice", names);
    wf_wind_slice slice = wf_default_wind_slice();
    slice.memory = d.memory;
    if (wf_lua_option_place(&d.options, "corner", &slice.corner)) {
        wf_lua_require_option(&d.options, "across", "three numbers {x, y, z}");
        wf_lua_require_option(&d.options, "up", "three numbers {x, y, z}");
        wf_lua_option_place(&d.options, "across", &slice.across);
        wf_lua_option_place(&d.options, "up", &slice.up);
    } else {
        wf_vec3 lower, upper;
        require_box(&d.options, &lower, &upper);
        set_flat_box(&d, lower, upper, &slice);
    }
    wf_lua_require_option(&d.options, "spacing", "a number above 0");
    option_positive(&d.options, "spacing", &slice.spacing);
    int value = WF_WIND_SPEED;
    wf_lua_option_choice(&d.options, "value", values, &value);
    slice.value = (wf_wind_value)value;
    wf_wind_drawing *drawing = push_drawing(&d, "slice");
    wf_status status = wf_wind_draw_slice(wf_lua_context(L), &slice, &d.sampler, drawing);
    return give_drawing(&d, status, drawing);
}

/* wind:markers { points =, radius = } */
static int draw_markers(lua_State *L)
{
    static const char *const names[] = {"time", "points", "radius", "memory", NULL};
    request d;
    open_request(L, &d, "markers", names);
    double radius = 0.01;
    const wf_vec3 *points;
    wf_lua_require_option(&d.options, "points", "a list of points or a weft.buffer");
    size_t count = wf_lua_option_places(&d.options, "points", &points);
    option_positive(&d.options, "radius", &radius);
    wf_wind_drawing *drawing = push_drawing(&d, "markers");
    wf_status status = wf_wind_draw_markers(wf_lua_context(L), radius, d.memory, &d.sampler, count, points, drawing);
    return give_drawing(&d, status, drawing);
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

static void destroy_drawing(wf_context *context, void *object, void *parent)
{
    drawn_wind *drawn = object;
    (void)parent;
    wf_wind_drawing_free(context, &drawn->drawing);
    wf_free(context, drawn);
}

static void describe_drawing(lua_State *L, void *object)
{
    const drawn_wind *drawn = object;
    const wf_wind_drawing *drawing = &drawn->drawing;
    char range[64];
    snprintf(range, sizeof range, "%.4g to %.4g", drawing->range[0], drawing->range[1]);
    if (drawing->starts) {
        lua_pushfstring(L, "weft.wind.drawing (%d %s, %d triangles, %s)", (int)drawing->line_count, drawn->kind,
                        (int)drawing->face_count, range);
    } else {
        lua_pushfstring(L, "weft.wind.drawing (%s of %d points, %d triangles, %s)", drawn->kind,
                        (int)drawing->point_count, (int)drawing->face_count, range);
    }
}

static void view_positions(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->positions, drawing->positions, WF_LUA_DOUBLE, drawing->vertex_count, 3, false};
}

static void view_faces(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->faces, drawing->faces, WF_LUA_INDEX, drawing->face_count, 3, false};
}

static void view_values(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->values, drawing->values, WF_LUA_DOUBLE, drawing->vertex_count, 1, false};
}

static void view_points(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->points, drawing->points, WF_LUA_DOUBLE, drawing->point_count, 3, false};
}

static void view_velocities(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->velocities, drawing->velocities, WF_LUA_DOUBLE, drawing->point_count, 3, false};
}

static void view_starts(void *object, wf_lua_view *view)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    *view = (wf_lua_view){drawing->starts, drawing->starts, WF_LUA_INDEX, drawing->line_count + 1, 1, false};
}

static void get_positions(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &drawing_class, "positions", view_positions);
}

static void get_faces(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &drawing_class, "faces", view_faces);
}

static void get_values(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &drawing_class, "values", view_values);
}

static void get_points(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &drawing_class, "points", view_points);
}

static void get_velocities(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &drawing_class, "velocities", view_velocities);
}

static void get_starts(lua_State *L, void *object)
{
    if (((const drawn_wind *)object)->drawing.starts) {
        wf_lua_push_view(L, 1, &drawing_class, "starts", view_starts);
    } else {
        lua_pushnil(L);
    }
}

static void get_kind(lua_State *L, void *object)
{
    lua_pushstring(L, ((const drawn_wind *)object)->kind);
}

static void get_range(lua_State *L, void *object)
{
    const wf_wind_drawing *drawing = &((const drawn_wind *)object)->drawing;
    lua_createtable(L, 2, 0);
    for (int k = 0; k < 2; k++) {
        lua_pushnumber(L, drawing->range[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

static void get_map(lua_State *L, void *object)
{
    lua_pushstring(L, ((const drawn_wind *)object)->drawing.has_sign ? "diverging" : "sequential");
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)((const drawn_wind *)object)->drawing.vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)((const drawn_wind *)object)->drawing.face_count);
}

/* drawing:save(path, { precision = "double" }) */
static int drawing_save(lua_State *L)
{
    static const char *const names[] = {"precision", NULL};
    static const char *const precisions[] = {"double", "float", NULL};
    wf_lua_check_object(L, 1, &drawing_class, "weft.wind.drawing.save: self");
    const char *path = wf_lua_check_string(L, 2, "weft.wind.drawing.save: path");
    wf_lua_options options = wf_lua_open_options(L, 3, "weft.wind.drawing.save", names);
    int precision = 0;
    wf_lua_option_choice(&options, "precision", precisions, &precision);
    const drawn_wind *drawn = wf_lua_check_object(L, 1, &drawing_class, "weft.wind.drawing.save: self");
    wf_obj_content content = {.vertex_count = (int32_t)drawn->drawing.vertex_count,
                              .face_count = (int32_t)drawn->drawing.face_count,
                              .positions = drawn->drawing.positions,
                              .faces = (const int32_t(*)[3])drawn->drawing.faces};
    wf_status status = wf_lua_write_mesh(wf_lua_context(L), path, &content, NULL, precision == 1);
    wf_lua_check_status(L, status, "weft.wind.drawing.save");
    return 0;
}

static const luaL_Reg drawing_methods[] = {{"save", drawing_save}, {NULL, NULL}};
static const wf_lua_property drawing_properties[] = {
    {"kind", get_kind, NULL},           {"positions", get_positions, NULL},   {"faces", get_faces, NULL},
    {"values", get_values, NULL},       {"points", get_points, NULL},         {"velocities", get_velocities, NULL},
    {"starts", get_starts, NULL},       {"range", get_range, NULL},           {"map", get_map, NULL},
    {"vertices", get_vertices, NULL},   {"triangles", get_triangles, NULL},   {NULL, NULL, NULL}};
static const wf_lua_class drawing_class = {"weft.wind.drawing", drawing_methods, drawing_properties, describe_drawing,
                                         destroy_drawing};

void wf_lua_open_wind_drawing(lua_State *L);

void wf_lua_open_wind_drawing(lua_State *L)
{
    static const luaL_Reg methods[] = {{"arrows", draw_arrows},
                                       {"streamlines", draw_streamlines},
                                       {"slice", draw_slice},
                                       {"markers", draw_markers},
                                       {NULL, NULL}};
    const wf_lua_class *const windy[] = {&wf_lua_world_wind_class, &wf_lua_wind_source_class, &wf_lua_flow_class};
    wf_lua_register_class(L, &drawing_class);
    lua_getfield(L, -1, "classes");
    for (size_t k = 0; k < sizeof windy / sizeof *windy; k++) {
        lua_getfield(L, -1, windy[k]->name);
        wf_lua_set_functions(L, methods);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
