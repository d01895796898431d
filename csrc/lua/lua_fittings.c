/* lua_fittings.c - what is attached to cloth: cloth:elastic, cloth:drawstring, cloth:inflate, cloth:attach, and the
 * class of what they return.
 *
 * A fitting stays on its cloth when a script lets go of its handle.
 */
#include "lua/lua_fittings.h"

#include <stdio.h>
#include <string.h>

#include "lua/lua_body.h"
#include "lua/lua_cloth.h"
#include "lua/object.h"
#include "world/export.h"
#include "world/fittings.h"

#define PI 3.14159265358979323846

static const char *const kind_names[] = {"elastic", "drawstring", "air", "ties", "seam", "fold"};

static const wf_lua_class fitting_class;

/* ---- the handle ------------------------------------------------------------------------------------------------ */

static void destroy_fitting(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_fitting_release(object);
}

static void describe_fitting(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    const char *unit = f->kind == WF_FITTING_AIR ? "faces" : f->kind == WF_FITTING_TIES ? "ties" : "edges";
    lua_pushfstring(L, "weft.fitting (%s of %d %s%s)", kind_names[f->kind], (int)f->count, unit,
                    !f->cloths[0] ? ", removed" : f->on ? "" : ", off");
}

/* Where a fitting of one of the `kinds` (bits) is wanted, that is still on its cloth. */
static void require_kind(lua_State *L, const wf_fitting *f, unsigned kinds, const char *what)
{
    if (!(kinds >> f->kind & 1)) {
        wf_lua_fail(L, "%s cannot be set: %s has none", what, kind_names[f->kind]);
    }
    if (!f->cloths[0]) {
        wf_lua_fail(L, "%s cannot be set: the fitting has been removed, or its cloth is closed", what);
    }
}

/* Whether it is one of the `kinds` and still on its cloth; pushes nil when it is not. */
static bool is_kind(lua_State *L, const wf_fitting *f, unsigned kinds)
{
    bool is = (kinds >> f->kind & 1) && f->cloths[0];
    if (!is) {
        lua_pushnil(L);
    }
    return is;
}

enum {
    BANDS = 1 << WF_FITTING_BAND,
    STRINGS = 1 << WF_FITTING_DRAWSTRING,
    SEAMS = 1 << WF_FITTING_SEAM,
    LINES = BANDS | STRINGS | SEAMS,
    AIR = 1 << WF_FITTING_AIR,
    TIES = 1 << WF_FITTING_TIES,
    FOLDS = 1 << WF_FITTING_FOLD,
    PATHS = LINES | FOLDS,
    ANY = PATHS | AIR | TIES
};

static void get_kind(lua_State *L, void *object)
{
    lua_pushstring(L, kind_names[((const wf_fitting *)object)->kind]);
}

static void get_count(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_fitting *)object)->count);
}

static void get_on(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    lua_pushboolean(L, f->on && f->cloths[0]);
}

static void set_on(lua_State *L, void *object, int index, const char *what)
{
    require_kind(L, object, ANY, what);
    wf_fitting_switch(object, wf_lua_check_boolean(L, index, what));
}

/* Numbers that can be set: the smallest value, the largest and whose they are. */
#define NUMBER(name, member, kinds, smallest, largest)                                                         \
    static void get_##name(lua_State *L, void *object)                                                         \
    {                                                                                                          \
        if (is_kind(L, object, kinds)) {                                                                       \
            lua_pushnumber(L, ((const wf_fitting *)object)->member);                                           \
        }                                                                                                      \
    }                                                                                                          \
    static void set_##name(lua_State *L, void *object, int index, const char *what)                            \
    {                                                                                                          \
        require_kind(L, object, kinds, what);                                                                  \
        ((wf_fitting *)object)->member = wf_lua_check_number(L, index, what, smallest, largest);               \
        wf_fitting_touch(object);                                                                              \
    }

NUMBER(stiffness, stiffness, LINES | TIES, 0, 1e11)
NUMBER(bending, bending, SEAMS, 0, 1e11)
NUMBER(strength, strength, TIES, 0, 1e12)
NUMBER(amount, chamber.amount, AIR, WF_LUA_POSITIVE, 1e12)
NUMBER(outside, chamber.outside, AIR, 0, 1e9)

static void get_length(lua_State *L, void *object)
{
    if (!is_kind(L, object, LINES | TIES)) {
        return;
    }
    lua_pushnumber(L, ((const wf_fitting *)object)->length);
}

static void set_length(lua_State *L, void *object, int index, const char *what)
{
    wf_fitting *f = object;
    require_kind(L, f, LINES | TIES, what);
    f->length = wf_lua_check_number(L, index, what, f->kind == WF_FITTING_TIES ? 0 : 1e-6, 1e5);
    wf_fitting_touch(f);
}

static void get_angle(lua_State *L, void *object)
{
    if (is_kind(L, object, FOLDS)) {
        lua_pushnumber(L, ((const wf_fitting *)object)->angle);
    }
}

static void set_angle(lua_State *L, void *object, int index, const char *what)
{
    require_kind(L, object, FOLDS, what);
    wf_fitting_set_angle(object, wf_lua_check_number(L, index, what, -PI, PI));
}

/* The vertices as the cloth's positions have them now. */
static void get_path(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    int32_t count = f->count + (f->kind == WF_FITTING_AIR || f->kind == WF_FITTING_TIES ? 0 : !f->closed);
    int32_t *path = lua_newuserdata(L, ((size_t)count + 1) * sizeof *path);
    if (!is_kind(L, f, PATHS)) {
        return;
    }
    wf_export_order order;
    wf_lua_check_status(L, wf_export_order_build(f->cloths[0], &order), "weft.fitting.path");
    for (int32_t i = 0; i < count; i++) {
        bool end = i == f->count;
        path[i] = order.vertex_index[f->cloths[0]->vertex_of_source[f->edges[i - end][end]]];
    }
    wf_export_order_free(f->cloths[0], &order);
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        wf_lua_push_index(L, (size_t)path[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void get_path_length(lua_State *L, void *object)
{
    if (!is_kind(L, object, PATHS)) {
        return;
    }
    lua_pushnumber(L, wf_fitting_path(object));
}

static void get_rest_length(lua_State *L, void *object)
{
    if (!is_kind(L, object, PATHS)) {
        return;
    }
    lua_pushnumber(L, ((const wf_fitting *)object)->rest_length);
}

static void get_tension(lua_State *L, void *object)
{
    if (!is_kind(L, object, LINES)) {
        return;
    }
    lua_pushnumber(L, wf_fitting_tension(object));
}

static void get_volume(lua_State *L, void *object)
{
    if (!is_kind(L, object, AIR)) {
        return;
    }
    lua_pushnumber(L, wf_fitting_volume(object));
}

static void get_pressure(lua_State *L, void *object)
{
    if (!is_kind(L, object, AIR)) {
        return;
    }
    lua_pushnumber(L, wf_fitting_pressure(object));
}

static void set_pressure(lua_State *L, void *object, int index, const char *what)
{
    wf_fitting *f = object;
    require_kind(L, f, AIR, what);
    if (f->chamber.gas) {
        wf_lua_fail(L, "%s of a gas follows its volume; set its amount, or outside", what);
    }
    f->chamber.pressure = wf_lua_check_number(L, index, what, -1e9, 1e9);
    wf_fitting_touch(f);
}

static void get_force(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    if (!is_kind(L, f, TIES)) {
        return;
    }
    double largest = 0;
    for (int32_t t = 0; t < f->count; t++) {
        largest = fmax(largest, wf_vec3_norm(wf_fitting_force(f, t)));
    }
    lua_pushnumber(L, largest);
}

static void get_forces(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    if (!is_kind(L, f, TIES)) {
        return;
    }
    lua_createtable(L, f->count, 0);
    for (int32_t t = 0; t < f->count; t++) {
        wf_lua_push_vec3(L, wf_fitting_force(f, t));
        lua_rawseti(L, -2, t + 1);
    }
}

static void get_broken(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    if (!is_kind(L, f, TIES)) {
        return;
    }
    lua_newtable(L);
    for (int32_t t = 0, count = 0; t < f->count; t++) {
        if (f->broken[t]) {
            wf_lua_push_index(L, (size_t)t);
            lua_rawseti(L, -2, ++count);
        }
    }
}

static void get_shut(lua_State *L, void *object)
{
    const wf_fitting *f = object;
    if (!is_kind(L, f, TIES)) {
        return;
    }
    lua_pushnumber(L, f->shut / f->count);
}

static void set_shut(lua_State *L, void *object, int index, const char *what)
{
    require_kind(L, object, TIES, what);
    wf_fitting_close(object, wf_lua_check_number(L, index, what, 0, 1));
}

static wf_fitting *check_fitting(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &fitting_class, what);
}

/* fitting:remove() */
static int fitting_remove(lua_State *L)
{
    wf_fitting *f = check_fitting(L, "weft.fitting.remove: self");
    if (!f->cloths[0]) {
        return wf_lua_fail(L, "weft.fitting.remove: the fitting has been removed, or its cloth is closed");
    }
    wf_fitting_remove(f);
    return 0;
}

/* fitting:mend(): what has broken holds again. */
static int fitting_mend(lua_State *L)
{
    wf_fitting *f = check_fitting(L, "weft.fitting.mend: self");
    if (f->kind != WF_FITTING_TIES) {
        return wf_lua_fail(L, "weft.fitting.mend: self must be ties, got %s", kind_names[f->kind]);
    }
    memset(f->broken, 0, (size_t)f->count);
    wf_fitting_touch(f);
    return 0;
}

static const luaL_Reg fitting_methods[] = {{"remove", fitting_remove}, {"mend", fitting_mend}, {NULL, NULL}};

static const wf_lua_property fitting_properties[] = {
    {"kind", get_kind, NULL},
    {"count", get_count, NULL},
    {"on", get_on, set_on},
    {"length", get_length, set_length},
    {"stiffness", get_stiffness, set_stiffness},
    {"bending", get_bending, set_bending},
    {"angle", get_angle, set_angle},
    {"path", get_path, NULL},
    {"path_length", get_path_length, NULL},
    {"rest_length", get_rest_length, NULL},
    {"tension", get_tension, NULL},
    {"volume", get_volume, NULL},
    {"pressure", get_pressure, set_pressure},
    {"amount", get_amount, set_amount},
    {"outside", get_outside, set_outside},
    {"force", get_force, NULL},
    {"forces", get_forces, NULL},
    {"strength", get_strength, set_strength},
    {"broken", get_broken, NULL},
    {"shut", get_shut, set_shut},
    {NULL, NULL, NULL},
};

static const wf_lua_class fitting_class = {"weft.fitting", fitting_methods, fitting_properties, describe_fitting,
                                           destroy_fitting};

/* The cloth is asked for again for each: a finalizer may have closed it, or taken something off. */
void wf_lua_push_fittings(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0;; i++) {
        void **slot = wf_lua_new_object(L, &fitting_class, 0);
        const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.fittings: self");
        if (i >= cloth->fitting_count) {
            lua_pop(L, 1);
            return;
        }
        *slot = wf_fitting_retain(cloth->fittings[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* The path, or the line instead, required; pushes what keeps it alive. */
static void read_path(const wf_lua_options *options, const wf_cloth *cloth, wf_line_def *def)
{
    lua_State *L = options->L;
    const double *line;
    int64_t panel = 1;
    size_t line_count = wf_lua_option_vectors(options, "line", 2, &line);
    if (!line) {
        wf_lua_require_option(options, "path", "a list of vertices, each joined to the next by an edge");
    }
    def->count = (int32_t)wf_lua_option_indices(options, "path", (size_t)cloth->source_count, &def->path);
    wf_lua_option_boolean(options, "closed", &def->closed);
    wf_lua_option_integer(options, "panel", &panel, 1, INT32_MAX);
    if (!line) {
        return;
    }
    if (def->path || def->closed || line_count != 2) {
        wf_lua_fail(L, def->path || def->closed ? "%s: line takes the place of path and closed"
                                                : "%s: line must be two points {u, v} of the pattern",
                    options->function);
    }
    int32_t *path = lua_newuserdata(L, ((size_t)cloth->source_count + 1) * sizeof *path);
    wf_lua_check_status(L, wf_cloth_line_path(cloth, (int32_t)panel - 1, (wf_vec2){line[0], line[1]},
                                              (wf_vec2){line[2], line[3]}, path, &def->count), options->function);
    def->path = path;
}

static void read_law(const wf_lua_options *options, wf_line_def *def)
{
    wf_lua_option_number(options, "stiffness", &def->stiffness, 0, 1e11);
    wf_lua_option_number(options, "viscosity", &def->viscosity, 0, 1e3);
}

/* The cloth is asked for again: a finalizer may have closed it. */
static int push_line(lua_State *L, const char *self, const wf_line_def *def, const char *name)
{
    void **slot = wf_lua_new_object(L, &fitting_class, 0);
    wf_fitting *fitting = NULL;
    wf_status status = wf_cloth_add_line(wf_lua_check_object(L, 1, &wf_lua_cloth_class, self), def, &fitting);
    *slot = fitting;
    wf_lua_check_status(L, status, name);
    return 1;
}

static int add_line(lua_State *L, const char *name, wf_fitting_kind kind)
{
    static const char *const all[] = {"path", "line", "panel", "closed", "length", "stiffness", "viscosity", "pushes",
                                      NULL};
    static const char *const of_string[] = {"path",   "line",      "panel",     "closed",
                                            "length", "stiffness", "viscosity", NULL};
    char self[64];
    snprintf(self, sizeof self, "%s: self", name);
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, self);
    wf_lua_options options = wf_lua_open_options(L, 2, name, kind == WF_FITTING_BAND ? all : of_string);
    wf_line_def def = {.kind = kind, .stiffness = kind == WF_FITTING_BAND ? 50 : 1000, .viscosity = 0.01};
    read_path(&options, cloth, &def);
    read_law(&options, &def);
    wf_lua_require_option(&options, "length", "the length at rest, m");
    wf_lua_option_number(&options, "length", &def.length, 1e-6, 1e5);
    wf_lua_option_boolean(&options, "pushes", &def.pushes);
    return push_line(L, self, &def, name);
}

int wf_lua_cloth_elastic(lua_State *L)
{
    return add_line(L, "weft.cloth.elastic", WF_FITTING_BAND);
}

int wf_lua_cloth_drawstring(lua_State *L)
{
    return add_line(L, "weft.cloth.drawstring", WF_FITTING_DRAWSTRING);
}

int wf_lua_cloth_seam(lua_State *L)
{
    static const char name[] = "weft.cloth.seam", self[] = "weft.cloth.seam: self";
    static const char *const names[] = {"path",      "line",      "panel",     "closed", "bending",
                                        "stiffness", "shrinkage", "viscosity", NULL};
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, self);
    wf_lua_options options = wf_lua_open_options(L, 2, name, names);
    wf_line_def def = {.kind = WF_FITTING_SEAM, .viscosity = 0.01};
    read_path(&options, cloth, &def);
    read_law(&options, &def);
    wf_lua_option_number(&options, "bending", &def.bending, 0, 1e11);
    wf_lua_option_number(&options, "shrinkage", &def.shrinkage, -0.5, 0.5);
    if (def.shrinkage != 0 && def.stiffness == 0) {
        return wf_lua_fail(L, "%s: shrinkage needs a stiffness (N) that shortens the cloth", name);
    }
    return push_line(L, self, &def, name);
}

int wf_lua_cloth_fold(lua_State *L)
{
    static const char name[] = "weft.cloth.fold", self[] = "weft.cloth.fold: self";
    static const char *const names[] = {"path", "line", "panel", "closed", "angle", NULL};
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, self);
    wf_lua_options options = wf_lua_open_options(L, 2, name, names);
    wf_line_def def = {.kind = WF_FITTING_FOLD, .length = 1};
    read_path(&options, cloth, &def);
    wf_lua_require_option(&options, "angle", "the angle at rest, rad: positive towards the side of the normals");
    wf_lua_option_number(&options, "angle", &def.angle, -PI, PI);
    return push_line(L, self, &def, name);
}

/* ---- air ------------------------------------------------------------------------------------------------------- */

int wf_lua_cloth_inflate(lua_State *L)
{
    static const char name[] = "weft.cloth.inflate";
    static const char *const names[] = {"faces", "pressure", "gas", "outside", NULL};
    const wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.inflate: self");
    wf_lua_options options = wf_lua_open_options(L, 2, name, names);
    double pressure = 0, outside = 101325;
    bool gas = false;
    bool has_pressure = wf_lua_option_number(&options, "pressure", &pressure, -1e9, 1e9);
    wf_lua_option_boolean(&options, "gas", &gas);
    bool has_outside = wf_lua_option_number(&options, "outside", &outside, 0, 1e9);
    if (!gas && (!has_pressure || has_outside)) {
        return wf_lua_fail(L, has_outside ? "%s: outside is of a gas: gas = true must be given with it"
                                          : "%s: pressure must be a number of Pa, or gas = true be given", name);
    }
    const int32_t *faces;
    size_t count = wf_lua_option_indices(&options, "faces", (size_t)cloth->mesh.face_count, &faces);
    void **slot = wf_lua_new_object(L, &fitting_class, 0);
    wf_fitting *fitting = NULL;
    wf_status status = wf_cloth_add_air(wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.inflate: self"),
                                        (int32_t)count, faces, gas, pressure, outside, &fitting);
    *slot = fitting;
    wf_lua_check_status(L, status, name);
    return 1;
}

/* ---- ties ------------------------------------------------------------------------------------------------------ */

/* One side of a row of ties: vertices, edges or faces, with shares for the latter two. */
typedef struct side {
    const char *vertices, *edges, *faces, *shares; /* names of options */
    wf_cloth *cloth;
    wf_body *body;
} side;

/* Fills places[count][which] and returns how many there are; pushes what keeps the lists alive. 0: none are given. */
static size_t read_side(const wf_lua_options *options, const side *s, int which, wf_place (**places)[2], size_t known)
{
    lua_State *L = options->L;
    size_t vertex_limit = (size_t)(s->cloth ? s->cloth->source_count : s->body->mesh.vertex_count);
    size_t face_limit = (size_t)(s->cloth ? s->cloth->mesh.face_count : s->body->mesh.face_count);
    const int32_t *vertices, *edges, *faces;
    size_t vertex_count = wf_lua_option_indices(options, s->vertices, vertex_limit, &vertices);
    size_t edge_count = wf_lua_option_index_groups(options, s->edges, 2, vertex_limit, &edges);
    size_t face_count = wf_lua_option_indices(options, s->faces, face_limit, &faces);
    int given = (vertices != NULL) + (edges != NULL) + (faces != NULL);
    if (given > 1) {
        wf_lua_fail(L, "%s: only one of %s, %s and %s can be given", options->function, s->vertices, s->edges,
                    s->faces);
    }
    size_t count = vertex_count + edge_count + face_count;
    if (which == 1 && given > 0 && count != known) {
        wf_lua_fail(L, "%s: both sides must be as many places, got %d and %d", options->function, (int)known,
                    (int)count);
    }
    if (which == 0) {
        *places = lua_newuserdata(L, (count + 1) * sizeof **places);
        memset(*places, 0, (count + 1) * sizeof **places);
    }
    int per_place = faces ? 3 : 2;
    const double *shares;
    size_t share_count = wf_lua_option_vectors(options, s->shares, per_place, &shares);
    if (shares && (vertices || share_count != count)) {
        wf_lua_fail(L, "%s: %s must be %d numbers for each of the %d %s, got %d", options->function, s->shares,
                    per_place, (int)count, faces ? "faces" : "edges", (int)share_count);
    }
    for (size_t k = 0; k < count; k++) {
        wf_place *place = &(*places)[k][which];
        *place = (wf_place){.cloth = s->cloth, .body = s->body, .face = faces ? faces[k] : -1,
                            .count = vertices ? 1 : 2, .shares = {1, 0, 0}};
        double sum = 0;
        for (int c = 0; !vertices && c < per_place; c++) {
            place->shares[c] = shares ? shares[(size_t)per_place * k + (size_t)c] : 1.0 / per_place;
            sum += place->shares[c];
            if (!(place->shares[c] >= 0)) {
                wf_lua_fail(L, "%s: %s must be numbers from 0 to 1, got %f", options->function, s->shares,
                            place->shares[c]);
            }
        }
        if (!vertices && fabs(sum - 1) > 1e-6) {
            wf_lua_fail(L, "%s: the %s of place %d must add up to 1, got %f", options->function, s->shares, (int)k + 1,
                        sum);
        }
        for (int c = 0; !faces && c < place->count; c++) {
            place->vertices[c] = vertices ? vertices[k] : edges[2 * k + (size_t)c];
        }
    }
    return count;
}

/* The other side: of a cloth or a body; of a body by itself the places nearest to the first side. */
static void read_other_side(const wf_lua_options *options, side *other, size_t count, wf_place (**places)[2])
{
    if (read_side(options, other, 1, places, count) > 0) {
        return;
    }
    if (other->cloth) {
        wf_lua_fail(options->L, "%s: one of to_vertices, to_edges and to_faces must be given", options->function);
    }
    for (size_t k = 0; k < count; k++) {
        (*places)[k][1] = wf_place_on_body(other->body, wf_place_point(&(*places)[k][0]));
    }
}

/* Ties to a body's faces keep above them what contact keeps; ties of cloth to cloth, or to a body's vertices and edges,
 * are as long as that: otherwise they would press against it for ever. */
static double keep_thickness(const wf_cloth *cloth, const side *other, size_t count, wf_place (*places)[2])
{
    double half = 0.5 * cloth->fabrics[0].thickness;
    double sum = half + (other->cloth ? 0.5 * other->cloth->fabrics[0].thickness : other->body->thickness);
    bool all_faces = other->body != NULL;
    for (size_t k = 0; k < count; k++) {
        places[k][1].height = sum;
        all_faces = all_faces && places[k][1].face >= 0;
    }
    return all_faces ? 0 : sum;
}

int wf_lua_cloth_attach(lua_State *L)
{
    static const char name[] = "weft.cloth.attach";
    static const char *const names[] = {"vertices",  "edges",    "faces",     "shares",    "to",       "to_vertices",
                                        "to_edges",  "to_faces", "to_shares", "length",    "stiffness", "viscosity",
                                        "strength",  "shut",     NULL};
    wf_cloth *cloth = wf_lua_check_object(L, 1, &wf_lua_cloth_class, "weft.cloth.attach: self");
    wf_lua_options options = wf_lua_open_options(L, 2, name, names);
    side own = {"vertices", "edges", "faces", "shares", cloth, NULL};
    side other = {"to_vertices", "to_edges", "to_faces", "to_shares", cloth, NULL};
    if (wf_lua_push_option(&options, "to")) {
        if (wf_lua_is_object(L, -1, &wf_lua_body_class)) {
            other.cloth = NULL;
            other.body = wf_lua_check_object(L, -1, &wf_lua_body_class, "weft.cloth.attach: to");
        } else if (wf_lua_is_object(L, -1, &wf_lua_cloth_class)) {
            other.cloth = wf_lua_check_object(L, -1, &wf_lua_cloth_class, "weft.cloth.attach: to");
        } else {
            return wf_lua_fail_value(L, lua_gettop(L), "weft.cloth.attach: to", "a weft.cloth or a weft.body");
        }
    }
    wf_place(*places)[2] = NULL;
    size_t count = read_side(&options, &own, 0, &places, 0);
    if (count == 0) {
        return wf_lua_fail(L, "%s: one of vertices, edges and faces must be given, and not be empty", name);
    }
    read_other_side(&options, &other, count, &places);
    wf_ties_def def = {.count = (int32_t)count, .places = (const wf_place(*)[2])places, .stiffness = 5000,
                       .viscosity = 0.005, .closed = 1};
    def.length = keep_thickness(cloth, &other, count, places);
    wf_lua_option_number(&options, "length", &def.length, 0, 1e5);
    wf_lua_option_number(&options, "stiffness", &def.stiffness, 0, 1e11);
    wf_lua_option_number(&options, "viscosity", &def.viscosity, 0, 1e3);
    wf_lua_option_number(&options, "strength", &def.strength, 0, 1e12);
    wf_lua_option_number(&options, "shut", &def.closed, 0, 1);
    void **slot = wf_lua_new_object(L, &fitting_class, 0);
    wf_fitting *fitting = NULL;
    wf_status status = wf_cloth_attach(cloth, &def, &fitting);
    *slot = fitting;
    wf_lua_check_status(L, status, name);
    return 1;
}

void wf_lua_open_fittings(lua_State *L);

void wf_lua_open_fittings(lua_State *L)
{
    wf_lua_register_class(L, &fitting_class);
}
