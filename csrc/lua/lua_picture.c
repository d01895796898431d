/* lua_picture.c - weft.picture_core: the picture maker as a shared object of its own, because it needs Embree and
 * libpng. It shares the Lua state's context and the classes of weft.core, which is loaded before it.
 *
 * A picture is opened with its settings, given its meshes one by one (their arrays are copied), begun, and advanced in
 * bounded calls until it is done.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "lua/buffer.h"
#include "lua/object.h"
#include "shade/png.h"
#include "shade/region.h"
#include "shade/render.h"

static const double DEGREE = 0.017453292519943295;

enum { VIEW_LIMIT = 16, MESH_LIMIT = 65536, NAME_SIZE = 24 };

/* A mesh whose arrays belong to the job. */
typedef struct job_mesh {
    wf_picture_mesh mesh;
    char name[NAME_SIZE];
    void *arrays[5]; /* positions, faces, values, colours, lines */
} job_mesh;

typedef struct picture_job {
    wf_context *context;
    wf_picture_def def;
    wf_view views[VIEW_LIMIT];
    job_mesh *meshes;
    size_t mesh_count, mesh_capacity;
    wf_picture *picture; /* from begin on */
    double progress;
} picture_job;

static const wf_lua_class picture_class;

/* ---- opening --------------------------------------------------------------------------------------------------- */

static void option_float(const wf_lua_options *options, const char *name, float *value, double low, double high)
{
    double number = *value;
    wf_lua_option_number(options, name, &number, low, high);
    *value = (float)number;
}

static bool option_colour(const wf_lua_options *options, const char *name, float colour[3])
{
    double channels[3];
    if (!wf_lua_option_numbers(options, name, channels, 3, 0, 1)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        colour[i] = (float)channels[i];
    }
    return true;
}

/* The view described by the table on top of the stack, its angles in degrees. */
static void read_view(lua_State *L, wf_view *view)
{
    static const char *const names[] = {"azimuth", "elevation", "eye", "target", "up", "fov", NULL};
    wf_lua_options options = wf_lua_open_options(L, lua_gettop(L), "weft.picture: view", names);
    double azimuth = 0, elevation = 0, fov = 0;
    bool turned = wf_lua_option_number(&options, "azimuth", &azimuth, -3600, 3600);
    turned = wf_lua_option_number(&options, "elevation", &elevation, -90, 90) || turned;
    bool placed = wf_lua_option_vec3(&options, "eye", &view->eye);
    placed = wf_lua_option_vec3(&options, "target", &view->target) || placed;
    wf_lua_option_vec3(&options, "up", &view->up);
    wf_lua_option_number(&options, "fov", &fov, 1, 150);
    if (turned && placed) {
        wf_lua_fail(L, "weft.picture: a view has either azimuth and elevation, or eye and target");
    }
    if (placed) {
        wf_lua_require_option(&options, "eye", "a point {x, y, z}");
        wf_lua_require_option(&options, "target", "a point {x, y, z}");
    }
    view->framed = !placed;
    view->azimuth = azimuth * DEGREE;
    view->elevation = elevation * DEGREE;
    view->fov = fov * DEGREE;
}

static void read_views(lua_State *L, const wf_lua_options *options, picture_job *job)
{
    if (!wf_lua_option_typed(options, "views", LUA_TTABLE)) {
        job->views[0] = wf_default_view();
        job->def.view_count = 1;
        return;
    }
    size_t count = wf_lua_raw_length(L, -1);
    if (count < 1 || count > VIEW_LIMIT) {
        wf_lua_fail(L, "weft.picture: views must be a list of 1 to %d views, got %d", VIEW_LIMIT, (int)count);
    }
    for (size_t i = 0; i < count; i++) {
        int top = lua_gettop(L);
        lua_rawgeti(L, top, (int)i + 1);
        job->views[i] = wf_default_view();
        read_view(L, &job->views[i]);
        lua_settop(L, top);
    }
    job->def.view_count = (int32_t)count;
}

static void read_ground(lua_State *L, const wf_lua_options *options, picture_job *job)
{
    wf_lua_push_option(options, "ground");
    if (lua_isboolean(L, -1)) {
        job->def.ground = lua_toboolean(L, -1);
    } else if (lua_type(L, -1) == LUA_TNUMBER) {
        job->def.ground_height = wf_lua_check_number(L, -1, "weft.picture: ground", -1e9, 1e9);
    } else if (!lua_isnil(L, -1)) {
        wf_lua_fail_value(L, -1, "weft.picture: ground", "true, false or a height in metres");
    }
    lua_pop(L, 1);
}

/* core.open { width =, ... } */
static int picture_open(lua_State *L)
{
    static const char *const names[] = {"width", "height", "samples", "views", "background", "line_colour",
                                        "line_width", "ground", "light", "seed", NULL};
    lua_settop(L, 1);
    wf_context *context = wf_lua_context(L);
    void **slot = wf_lua_new_object(L, &picture_class, 0);
    picture_job *job = wf_allocate(context, 1, sizeof *job);
    *slot = job;
    if (!job) {
        wf_lua_check_status(L, WF_ERROR_MEMORY, "weft.picture");
    }
    job->context = context;
    job->def = wf_default_picture_def();
    job->def.views = job->views;
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.picture", names);
    int64_t width = job->def.width, height = job->def.height, samples = job->def.samples, seed = job->def.seed;
    wf_lua_option_integer(&options, "width", &width, 1, 16384);
    wf_lua_option_integer(&options, "height", &height, 1, 16384);
    wf_lua_option_integer(&options, "samples", &samples, 1, 4096);
    wf_lua_option_integer(&options, "seed", &seed, 0, UINT32_MAX);
    job->def.width = (int32_t)width;
    job->def.height = (int32_t)height;
    job->def.samples = (int32_t)samples;
    job->def.seed = (uint32_t)seed;
    option_colour(&options, "background", job->def.background);
    option_colour(&options, "line_colour", job->def.line_colour);
    option_float(&options, "line_width", &job->def.line_width, 0, 100);
    wf_lua_option_vec3(&options, "light", &job->def.light);
    read_ground(L, &options, job);
    read_views(L, &options, job);
    lua_settop(L, 2);
    return 1;
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */

static const char *const mesh_names[] = {"positions", "faces",   "colour", "back_colour", "sheen", "gloss",
                                         "crease",    "values",  "range",  "map",         "edges", "borders",
                                         "lines",     "colours", NULL};

/* Copies `count` elements into memory of the mesh. */
static void *keep_array(lua_State *L, picture_job *job, job_mesh *entry, int which, const void *data, size_t count,
                        size_t size)
{
    entry->arrays[which] = wf_allocate(job->context, count, size);
    if (!entry->arrays[which]) {
        wf_lua_check_status(L, WF_ERROR_MEMORY, "weft.picture");
    }
    memcpy(entry->arrays[which], data, count * size);
    return entry->arrays[which];
}

/* The buffer named `field` of the options, which must be there. Valid until Lua runs again. */
static const wf_lua_view *field_buffer(lua_State *L, const wf_lua_options *options, const char *field,
                                       wf_lua_element element, int components)
{
    wf_lua_push_option(options, field);
    const char *what = lua_pushfstring(L, "%s: %s", options->function, field);
    return wf_lua_check_buffer(L, -2, what, element, components);
}

static bool has_field(lua_State *L, const wf_lua_options *options, const char *field)
{
    wf_lua_push_option(options, field);
    bool present = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return present;
}

/* Numbers per vertex or face: a list or a buffer. Their range is that of the finite ones unless it is given. */
static void read_values(lua_State *L, const wf_lua_options *options, picture_job *job, job_mesh *entry)
{
    static const char *const maps[] = {"sequential", "diverging", NULL};
    wf_picture_mesh *mesh = &entry->mesh;
    if (!has_field(L, options, "values")) {
        return;
    }
    wf_lua_push_option(options, "values");
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const wf_lua_view *view = field_buffer(L, options, "values", WF_LUA_DOUBLE, 1);
        mesh->value_count = (int64_t)view->count;
        mesh->values = keep_array(L, job, entry, 2, view->data, view->count, sizeof(double));
    } else {
        const double *values;
        size_t count = wf_lua_option_list(options, "values", WF_LUA_LOWEST, WF_LUA_HIGHEST, &values);
        mesh->value_count = (int64_t)count;
        mesh->values = keep_array(L, job, entry, 2, values, count, sizeof(double));
    }
    double range[2] = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < mesh->value_count; i++) {
        if (isfinite(mesh->values[i])) {
            range[0] = fmin(range[0], mesh->values[i]);
            range[1] = fmax(range[1], mesh->values[i]);
        }
    }
    int map = WF_MAP_SEQUENTIAL;
    wf_lua_option_choice(options, "map", maps, &map);
    mesh->map = (wf_colour_map)map;
    if (map == WF_MAP_DIVERGING) {
        range[1] = fmax(fabs(range[0]), fabs(range[1])); /* zero in the middle */
        range[0] = -range[1];
    }
    wf_lua_option_numbers(options, "range", range, 2, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    mesh->value_low = range[0];
    mesh->value_high = range[1];
}

/* A buffer of one colour per vertex or face, double or float. */
static void read_colours(lua_State *L, const wf_lua_options *options, picture_job *job, job_mesh *entry)
{
    if (!has_field(L, options, "colours")) {
        return;
    }
    wf_lua_push_option(options, "colours");
    const char *what = lua_pushfstring(L, "%s: colours", options->function);
    const wf_lua_view *view = wf_lua_check_object(L, -2, &wf_lua_buffer_class, what);
    if (view->element == WF_LUA_INDEX || view->components != 3) {
        wf_lua_fail(L, "%s: colours must be a buffer of red, green and blue", options->function);
    }
    float(*colours)[3] = wf_allocate(job->context, view->count, sizeof *colours);
    if (!colours) {
        wf_lua_check_status(L, WF_ERROR_MEMORY, "weft.picture");
    }
    entry->arrays[3] = colours;
    bool single = view->element == WF_LUA_FLOAT;
    for (size_t i = 0; i < 3 * view->count; i++) {
        double channel = single ? ((const float *)view->data)[i] : ((const double *)view->data)[i];
        colours[i / 3][i % 3] = (float)fmin(fmax(channel, 0), 1);
    }
    entry->mesh.colours = (const float(*)[3])colours;
    entry->mesh.colour_count = (int64_t)view->count;
}

static void read_lines(lua_State *L, const wf_lua_options *options, picture_job *job, job_mesh *entry)
{
    if (has_field(L, options, "lines")) {
        const wf_lua_view *view = field_buffer(L, options, "lines", WF_LUA_INDEX, 2);
        entry->mesh.line_count = (int64_t)view->count;
        entry->mesh.lines = keep_array(L, job, entry, 4, view->data, view->count, sizeof *entry->mesh.lines);
    }
}

static void read_look(const wf_lua_options *options, wf_picture_mesh *mesh)
{
    double crease = mesh->crease / DEGREE;
    if (option_colour(options, "colour", mesh->colour)) {
        for (int i = 0; i < 3; i++) {
            mesh->back_colour[i] = 0.25f + 0.6f * mesh->colour[i];
        }
    }
    option_colour(options, "back_colour", mesh->back_colour);
    option_float(options, "sheen", &mesh->sheen, 0, 1);
    option_float(options, "gloss", &mesh->gloss, 0, 1);
    wf_lua_option_number(options, "crease", &crease, 0, 180);
    mesh->crease = crease * DEGREE;
    wf_lua_option_boolean(options, "edges", &mesh->edges);
    wf_lua_option_boolean(options, "borders", &mesh->borders);
}

static picture_job *check_unbegun(lua_State *L, const char *function)
{
    picture_job *job = wf_lua_check_object(L, 1, &picture_class, "weft.picture: self");
    if (job->picture) {
        wf_lua_fail(L, "%s: this picture has begun", function);
    }
    return job;
}

/* picture:add { positions =, faces =, ... } */
static int picture_add(lua_State *L)
{
    picture_job *job = check_unbegun(L, "weft.picture.add");
    if (job->mesh_count == MESH_LIMIT) {
        wf_lua_fail(L, "weft.picture: a picture takes at most %d meshes", MESH_LIMIT);
    }
    wf_lua_check_status(L, wf_reserve(job->context, &job->meshes, &job->mesh_capacity, job->mesh_count + 1,
                                      sizeof *job->meshes), "weft.picture");
    /* Counted at once, so that whatever is read until an error is freed with the picture. */
    job_mesh *entry = &job->meshes[job->mesh_count++];
    memset(entry, 0, sizeof *entry);
    entry->mesh = wf_default_picture_mesh();
    char function[NAME_SIZE + 16];
    snprintf(entry->name, sizeof entry->name, "mesh %zu", job->mesh_count);
    snprintf(function, sizeof function, "weft.picture: %s", entry->name);

    wf_lua_options options = wf_lua_open_options(L, 2, function, mesh_names);
    const wf_lua_view *view = field_buffer(L, &options, "positions", WF_LUA_DOUBLE, 3);
    entry->mesh.vertex_count = (int64_t)view->count;
    entry->mesh.positions = keep_array(L, job, entry, 0, view->data, view->count, sizeof(wf_vec3));
    view = field_buffer(L, &options, "faces", WF_LUA_INDEX, 3);
    entry->mesh.face_count = (int64_t)view->count;
    entry->mesh.faces = keep_array(L, job, entry, 1, view->data, view->count, sizeof *entry->mesh.faces);
    read_look(&options, &entry->mesh);
    read_values(L, &options, job, entry);
    read_colours(L, &options, job, entry);
    read_lines(L, &options, job, entry);
    return 0;
}

static void free_meshes(wf_context *context, picture_job *job)
{
    for (size_t m = 0; m < job->mesh_count; m++) {
        for (size_t i = 0; i < sizeof job->meshes[m].arrays / sizeof *job->meshes[m].arrays; i++) {
            wf_free(context, job->meshes[m].arrays[i]);
        }
    }
    wf_free(context, job->meshes);
    job->meshes = NULL;
    job->mesh_count = job->mesh_capacity = 0;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* picture:begin() */
static int picture_begin(lua_State *L)
{
    picture_job *job = check_unbegun(L, "weft.picture.begin");
    wf_context *context = job->context;
    wf_picture_mesh *meshes = wf_allocate(context, job->mesh_count, sizeof *meshes);
    wf_status status = meshes ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (size_t m = 0; m < job->mesh_count; m++) {
            meshes[m] = job->meshes[m].mesh;
            meshes[m].name = job->meshes[m].name;
        }
        status = wf_picture_create(context, &job->def, (int64_t)job->mesh_count, meshes, &job->picture);
    }
    wf_free(context, meshes);
    if (status == WF_OK) {
        free_meshes(context, job);
    }
    wf_lua_check_status(L, status, "weft.picture");
    return 0;
}

static picture_job *check_begun(lua_State *L, const char *function)
{
    picture_job *job = wf_lua_check_object(L, 1, &picture_class, "weft.picture: self");
    if (!job->picture) {
        wf_lua_fail(L, "%s: this picture has not begun", function);
    }
    return job;
}

static picture_job *check_done(lua_State *L, const char *function)
{
    picture_job *job = check_begun(L, function);
    if (job->progress < 1) {
        wf_lua_fail(L, "%s: this picture is not finished", function);
    }
    return job;
}

/* picture:advance(tiles) works on and returns the finished part, 1 at the end. */
static int picture_advance(lua_State *L)
{
    picture_job *job = check_begun(L, "weft.picture.advance");
    int64_t tiles = wf_lua_check_integer(L, 2, "weft.picture.advance: tiles", 1, INT32_MAX);
    job->progress = wf_picture_advance(job->context, job->picture, tiles);
    lua_pushnumber(L, job->progress);
    return 1;
}

/* picture:save(path) */
static int picture_save(lua_State *L)
{
    picture_job *job = check_done(L, "weft.picture.save");
    const char *path = wf_lua_check_string(L, 2, "weft.picture.save: path");
    wf_lua_check_status(L, wf_png_write(job->context, path, job->def.width, job->def.height,
                                        wf_picture_pixels(job->picture)), "weft.picture");
    return 0;
}

/* picture:pixel(column, row) returns red, green and blue from 0 to 255; the first row is the top one. */
static int picture_pixel(lua_State *L)
{
    picture_job *job = check_done(L, "weft.picture.pixel");
    size_t x = wf_lua_check_index(L, 2, "weft.picture.pixel: column", (size_t)job->def.width);
    size_t y = wf_lua_check_index(L, 3, "weft.picture.pixel: row", (size_t)job->def.height);
    const uint8_t *bytes = wf_picture_pixels(job->picture) + 3 * (y * (size_t)job->def.width + x);
    for (int i = 0; i < 3; i++) {
        lua_pushinteger(L, bytes[i]);
    }
    return 3;
}

/* picture:bytes() returns all pixels as a string of red, green and blue bytes, row by row from the top. */
static int picture_bytes(lua_State *L)
{
    picture_job *job = check_done(L, "weft.picture.bytes");
    size_t size = 3 * (size_t)job->def.width * (size_t)job->def.height;
    lua_pushlstring(L, (const char *)wf_picture_pixels(job->picture), size);
    return 1;
}

static void get_width(lua_State *L, void *object)
{
    lua_pushinteger(L, ((picture_job *)object)->def.width);
}

static void get_height(lua_State *L, void *object)
{
    lua_pushinteger(L, ((picture_job *)object)->def.height);
}

static void describe_job(lua_State *L, void *object)
{
    const picture_job *job = object;
    const char *state = job->progress >= 1 ? "finished" : job->picture ? "being made" : "not begun";
    lua_pushfstring(L, "weft.picture (%d x %d pixels, %s)", (int)job->def.width, (int)job->def.height, state);
}

static void destroy_job(wf_context *context, void *object, void *parent)
{
    picture_job *job = object;
    (void)parent;
    free_meshes(context, job);
    wf_picture_destroy(context, job->picture);
    wf_free(context, job);
}

static const luaL_Reg picture_methods[] = {{"add", picture_add},     {"begin", picture_begin},
                                           {"advance", picture_advance}, {"save", picture_save},
                                           {"pixel", picture_pixel}, {"bytes", picture_bytes},
                                           {NULL, NULL}};
static const wf_lua_property picture_properties[] = {{"width", get_width, NULL},
                                                     {"height", get_height, NULL},
                                                     {NULL, NULL, NULL}};
static const wf_lua_class picture_class = {"weft.picture", picture_methods, picture_properties, describe_job,
                                           destroy_job};

/* ---- stability regions ------------------------------------------------------------------------------------------ */

/* picture_core.save_region(path, values, { real =, imaginary =, pixels = }): see weft.step.stability */
static int save_region(lua_State *L)
{
    static const char *const names[] = {"real", "imaginary", "pixels", NULL};
    static const char verb[] = "weft.step.stability";
    const char *path = wf_lua_check_string(L, 1, "weft.step.stability: file");
    wf_lua_options options = wf_lua_open_options(L, 3, verb, names);
    wf_region region = {.real = {-1, 1}, .imaginary = {-1, 1}};
    int64_t pixels[2] = {1, 1};
    wf_lua_option_integers(&options, "pixels", pixels, 2, 1, 4096);
    wf_lua_option_numbers(&options, "real", region.real, 2, -1e9, 1e9);
    wf_lua_option_numbers(&options, "imaginary", region.imaginary, 2, -1e9, 1e9);
    const wf_lua_view *view = wf_lua_check_buffer(L, 2, "weft.step.stability: values", WF_LUA_DOUBLE, 1);
    if (view->count != (size_t)(pixels[0] * pixels[1]) || !(region.real[0] < region.real[1]) ||
        !(region.imaginary[0] < region.imaginary[1])) {
        wf_lua_fail(L, "%s: the values are not those of a region of %d x %d pixels", verb, (int)pixels[0],
                    (int)pixels[1]);
    }
    region.width = (int32_t)pixels[0];
    region.height = (int32_t)pixels[1];
    region.radius = view->data;
    wf_context *context = wf_lua_context(L);
    int32_t width, height;
    uint8_t *bytes = NULL;
    wf_status status = wf_region_draw(context, &region, &width, &height, &bytes);
    if (status == WF_OK) {
        status = wf_png_write(context, path, width, height, bytes);
    }
    wf_free(context, bytes);
    wf_lua_check_status(L, status, verb);
    return 0;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int luaopen_weft_picture_core(lua_State *L);

int luaopen_weft_picture_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", picture_open}, {"save_region", save_region}, {NULL, NULL}};
    wf_lua_open_module(L, "weft.picture", functions);
    wf_lua_register_class(L, &picture_class);
    return 1;
}
