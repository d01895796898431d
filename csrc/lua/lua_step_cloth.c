/* lua_step_cloth.c - weft.step.cloth: a piece of cloth without contact as an equation for time integrators. */
#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_fabric.h"
#include "lua/lua_step.h"
#include "step/cloth_system.h"

enum { VERTEX_LIMIT = 1 << 24 };

static void destroy_cloth(wf_context *context, void *user)
{
    (void)context;
    wf_cloth_system_destroy(user);
}

/* The start: one point for each vertex; how many there are is how many vertices the cloth has. */
static const wf_vec3 *read_start(const wf_lua_options *options, int32_t *vertex_count, const wf_vec3 **velocities)
{
    const double *x, *v;
    wf_lua_require_option(options, "x", "a list of points {x, y, z}");
    size_t count = wf_lua_option_vectors(options, "x", 3, &x);
    if (count < 1 || count > VERTEX_LIMIT) {
        wf_lua_fail(options->L, "%s: x must have 1 to %d points, got %d", options->function, VERTEX_LIMIT, (int)count);
    }
    size_t velocity_count = wf_lua_option_vectors(options, "v", 3, &v);
    if (v && velocity_count != count) {
        wf_lua_fail(options->L, "%s: v must have one vector for each of the %d points, got %d", options->function,
                    (int)count, (int)velocity_count);
    }
    *vertex_count = (int32_t)count;
    *velocities = (const wf_vec3 *)v;
    return (const wf_vec3 *)x;
}

/* faces with rest (a point per vertex, or three per face) and fabric */
static void read_sheet(const wf_lua_options *options, wf_sheet_faces *sheet)
{
    lua_State *L = options->L;
    const int32_t *faces;
    const double *rest;
    size_t face_count = wf_lua_option_index_groups(options, "faces", 3, (size_t)sheet->vertex_count, &faces);
    if (face_count == 0) {
        return;
    }
    wf_lua_require_option(options, "rest", "a list of points {u, v}");
    wf_lua_require_option(options, "fabric", "a weft.fabric");
    size_t rest_count = wf_lua_option_vectors(options, "rest", 2, &rest);
    if (rest_count != 3 * face_count && rest_count != (size_t)sheet->vertex_count) {
        wf_lua_fail(L, "%s: rest must have %d points, one per vertex, or %d, one per corner; got %d",
                    options->function, (int)sheet->vertex_count, (int)(3 * face_count), (int)rest_count);
    }
    if (rest_count != 3 * face_count) {
        wf_vec2 *corners = lua_newuserdata(L, (3 * face_count + 1) * sizeof *corners);
        for (size_t k = 0; k < 3 * face_count; k++) {
            corners[k] = ((const wf_vec2 *)rest)[faces[k]];
        }
        rest = &corners[0].x;
    }
    sheet->face_count = (int32_t)face_count;
    sheet->faces = (const int32_t(*)[3])faces;
    sheet->rest = (const wf_vec2(*)[3])rest;
    sheet->fabrics = wf_lua_option_object(options, "fabric", &wf_lua_fabric_class);
    sheet->fabric_count = 1;
}

/* A model by name; true: the default one, false: none. */
static void read_model(const wf_lua_options *options, wf_model_kind kind, const wf_model_entry **entry)
{
    lua_State *L = options->L;
    const char *option = wf_model_kind_name(kind);
    if (!wf_lua_push_option(options, option)) {
        return;
    }
    if (lua_type(L, -1) == LUA_TBOOLEAN) {
        *entry = lua_toboolean(L, -1) ? wf_model_default(kind) : NULL;
        return;
    }
    const char *name = wf_lua_option_string(options, option);
    const char *what = lua_pushfstring(L, "%s: %s", options->function, option);
    wf_lua_check_status(L, wf_model_find(wf_lua_context(L), kind, name, entry), what);
}

static const double *read_per_spring(const wf_lua_options *options, const char *name, int32_t count, double fallback)
{
    const double *values;
    size_t given = wf_lua_option_list(options, name, 0, WF_LUA_HIGHEST, &values);
    if (!values) {
        double *filled = lua_newuserdata(options->L, ((size_t)count + 1) * sizeof *filled);
        for (int32_t i = 0; i < count; i++) {
            filled[i] = fallback;
        }
        return filled;
    }
    if (given != (size_t)count) {
        wf_lua_fail(options->L, "%s: %s must have one number for each of the %d springs, got %d", options->function,
                    name, (int)count, (int)given);
    }
    return values;
}

static void read_springs(const wf_lua_options *options, int32_t vertex_count, wf_springs_def *springs)
{
    const int32_t *pairs;
    springs->count = (int32_t)wf_lua_option_index_groups(options, "springs", 2, (size_t)vertex_count, &pairs);
    springs->pairs = (const int32_t(*)[2])pairs;
    springs->rest_lengths = read_per_spring(options, "rest_lengths", springs->count, 0);
    springs->stiffness = read_per_spring(options, "stiffness", springs->count, 1);
    springs->damping = read_per_spring(options, "spring_damping", springs->count, 0);
}

static void read_masses(const wf_lua_options *options, wf_cloth_system_def *def)
{
    size_t count = wf_lua_option_list(options, "mass", WF_LUA_POSITIVE, 1e12, &def->masses);
    if (def->masses && count != (size_t)def->sheet.vertex_count) {
        wf_lua_fail(options->L, "%s: mass must have one number for each of the %d points, got %d", options->function,
                    (int)def->sheet.vertex_count, (int)count);
    }
    if (!def->masses && def->sheet.face_count == 0) {
        wf_lua_require_option(options, "mass", "a list of masses where there are no faces");
    }
}

/* weft.step.cloth { x =, v =, faces =, rest =, fabric =, membrane = true, bending = true, springs =, ..., mass =,
 * pins =, gravity = } */
static int step_cloth(lua_State *L)
{
    static const char *const names[] = {"x",         "v",    "faces",   "rest",    "fabric",    "bending", "membrane",
                                        "springs",   "rest_lengths", "stiffness", "spring_damping", "mass", "pins",
                                        "gravity",   "damping", "tolerance", NULL};
    static const char verb[] = "weft.step.cloth";
    wf_lua_options options = wf_lua_open_options(L, 1, verb, names);
    luaL_checkstack(L, 32, verb);
    wf_cloth_system_def def = wf_default_cloth_system_def();
    const wf_vec3 *v, *x = read_start(&options, &def.sheet.vertex_count, &v);
    int32_t vertex_count = def.sheet.vertex_count;
    read_sheet(&options, &def.sheet);
    read_springs(&options, vertex_count, &def.springs);
    read_masses(&options, &def);
    read_model(&options, WF_MODEL_MEMBRANE, &def.membrane);
    read_model(&options, WF_MODEL_BENDING, &def.bending);
    wf_lua_option_vec3(&options, "gravity", &def.gravity);
    wf_lua_option_number(&options, "damping", &def.damping, 0, 1e6);
    wf_lua_option_number(&options, "tolerance", &def.tolerance, WF_LUA_POSITIVE, 0.5);
    def.pin_count = (int32_t)wf_lua_option_indices(&options, "pins", (size_t)vertex_count, &def.pins);

    wf_context *context = wf_lua_context(L);
    double *masses = lua_newuserdata(L, 3 * (size_t)vertex_count * sizeof *masses);
    wf_lua_equation *equation = wf_lua_new_equation(L, verb);
    wf_cloth_system *cloth;
    wf_lua_check_status(L, wf_cloth_system_create(context, &def, &cloth), verb);
    for (size_t k = 0; k < 3 * (size_t)vertex_count; k++) {
        masses[k] = wf_cloth_system_masses(cloth)[k / 3];
    }
    wf_equation_def about = wf_default_equation_def();
    about.name = "cloth";
    about.size = 3 * (size_t)vertex_count;
    about.mass = masses;
    about.x = &x->x;
    about.v = v ? &v->x : NULL;
    about.dimension = 3;
    about.user = cloth;
    about.destroy = destroy_cloth;
    about.system = wf_cloth_system_get(cloth);
    wf_lua_check_status(L, wf_equation_create(context, &about, &equation->equation), verb);
    return 1;
}

void wf_lua_open_step_cloth(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_cloth", step_cloth}, {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
