/* lua_contact.c - weft.contact: the contact scene on its own, and the functions below it, for scripts and specs. */
#include <string.h>

#include "base/vector.h"
#include "contact/barrier.h"
#include "contact/continuous.h"
#include "contact/distance.h"
#include "contact/grid.h"
#include "contact/proximity.h"
#include "contact/response.h"
#include "lua/buffer.h"
#include "lua/object.h"

static const wf_lua_class contact_class;

/* What a handle points to. */
typedef struct contact_object {
    wf_contact_scene *scene;
    int32_t vertex_count;
    uint64_t finds; /* counts calls of find, whose results the scene owns until the next */
} contact_object;

static void destroy_contact(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_contact_scene_destroy(((contact_object *)object)->scene);
    wf_free(context, object);
}

static void describe_contact(lua_State *L, void *object)
{
    const contact_object *contact = object;
    size_t pairs = 0;
    for (int kind = 0; kind < 4; kind++) {
        pairs += wf_contact_candidate_count(contact->scene, kind);
    }
    lua_pushfstring(L, "weft.contact (%d vertices, %d candidate pairs)", (int)contact->vertex_count, (int)pairs);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* One number for each of `count` vertices, from a list or one number for all; NULL when the option is absent. */
static const double *read_per_vertex(lua_State *L, const wf_lua_options *options, const char *name, size_t count,
                                     double largest)
{
    if (!wf_lua_push_option(options, name)) {
        return NULL;
    }
    const double *values = NULL;
    if (lua_type(L, -1) == LUA_TNUMBER) {
        double all = 0;
        wf_lua_option_number(options, name, &all, 0, largest);
        double *filled = lua_newuserdata(L, (count + 1) * sizeof *filled);
        for (size_t i = 0; i < count; i++) {
            filled[i] = all;
        }
        values = filled;
    } else if (wf_lua_option_list(options, name, 0, largest, &values) != count) {
        wf_lua_fail(L, "%s: %s must be a number or one for each of %d vertices", options->function, name, (int)count);
    }
    return values;
}

/* Positions of all vertices. */
static const wf_vec3 *read_positions(lua_State *L, const wf_lua_options *options, const char *name, int32_t count)
{
    const double *values;
    wf_lua_require_option(options, name, "a list of points or a weft.buffer");
    size_t given = wf_lua_option_vectors(options, name, 3, &values);
    if (given != (size_t)count) {
        wf_lua_fail(L, "%s: %s must be %d points, got %d", options->function, name, (int)count, (int)given);
    }
    return (const wf_vec3 *)values;
}

static const int32_t (*read_faces(const wf_lua_options *options, const char *name, size_t vertices, int32_t *count))[3]
{
    const int32_t *faces;
    *count = (int32_t)wf_lua_option_index_groups(options, name, 3, vertices, &faces);
    return (const int32_t(*)[3])faces;
}

/* One byte for each of `count` vertices: 1 for those that the option lists; NULL when it is absent. */
static const uint8_t *read_marks(lua_State *L, const wf_lua_options *options, const char *name, size_t count)
{
    const int32_t *listed;
    size_t listed_count = wf_lua_option_indices(options, name, count, &listed);
    if (!listed) {
        return NULL;
    }
    uint8_t *marks = memset(lua_newuserdata(L, count + 1), 0, count + 1);
    for (size_t i = 0; i < listed_count; i++) {
        marks[listed[i]] = 1;
    }
    return marks;
}

static void read_detection(const wf_lua_options *options, wf_detection_params *detection)
{
    static const char *const trees[] = {"medians", "regions", NULL};
    static const char *const updates[] = {"refit", "hybrid", "inflated", "rebuild", NULL};
    static const char *const prunings[] = {"none", "directions", "cones", NULL};
    int64_t planes = detection->planes, arity = detection->arity;
    int tree = detection->regions, update = (int)detection->update, pruning = (int)detection->pruning;
    wf_lua_option_integer(options, "planes", &planes, 6, 26);
    wf_lua_option_integer(options, "arity", &arity, 2, 8);
    wf_lua_option_choice(options, "tree", trees, &tree);
    wf_lua_option_choice(options, "tree_update", updates, &update);
    wf_lua_option_choice(options, "pruning", prunings, &pruning);
    wf_lua_option_boolean(options, "contour_test", &detection->contour_test);
    detection->planes = (int)planes;
    detection->arity = (int)arity;
    detection->regions = tree == 1;
    detection->update = (wf_tree_update)update;
    detection->pruning = (wf_pruning)pruning;
}

/* weft.contact { vertices =, cloth_vertices =, cloth =, body =, half_thickness =, neighbour_half_thickness =,
 * friction =, classes =, loose =, planes =, arity =, tree =, tree_update =, pruning =, contour_test = } */
static int contact_new(lua_State *L)
{
    static const char *const names[] = {"vertices", "cloth_vertices", "cloth", "body",
                                        "half_thickness", "neighbour_half_thickness", "friction", "classes",
                                        "loose", "planes", "arity", "tree", "tree_update", "pruning",
                                        "contour_test", NULL};
    const char *function = "weft.contact";
    luaL_checkstack(L, 24, "weft: no room for a contact scene");
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    int64_t vertices = 0, cloth_vertices = 0;
    wf_lua_require_option(&options, "vertices", "how many there are");
    wf_lua_option_integer(&options, "vertices", &vertices, 0, 1 << 24);
    cloth_vertices = vertices;
    wf_lua_option_integer(&options, "cloth_vertices", &cloth_vertices, 0, vertices);
    wf_contact_scene_def def = {.cloth_count = (int32_t)cloth_vertices, .vertex_count = (int32_t)vertices};
    wf_detection_params detection = wf_default_detection_params();
    read_detection(&options, &detection);
    def.detection = &detection;
    def.cloth_faces = read_faces(&options, "cloth", (size_t)vertices, &def.cloth_face_count);
    def.body_faces = read_faces(&options, "body", (size_t)vertices, &def.body_face_count);
    def.half_thickness = read_per_vertex(L, &options, "half_thickness", (size_t)vertices, 1);
    def.friction = read_per_vertex(L, &options, "friction", (size_t)vertices, 1e6);
    def.neighbour_half_thickness =
        read_per_vertex(L, &options, "neighbour_half_thickness", (size_t)cloth_vertices, 1);
    def.vertex_loose = read_marks(L, &options, "loose", (size_t)cloth_vertices);
    const double *nothing = memset(lua_newuserdata(L, ((size_t)vertices + 1) * sizeof *nothing), 0,
                                   ((size_t)vertices + 1) * sizeof *nothing);
    def.half_thickness = def.half_thickness ? def.half_thickness : nothing;
    def.friction = def.friction ? def.friction : nothing;
    size_t classes = wf_lua_option_indices(&options, "classes", (size_t)cloth_vertices, &def.vertex_class);
    if (def.vertex_class && classes != (size_t)cloth_vertices) {
        return wf_lua_fail(L, "%s: classes must be one for each of %d vertices, got %d", function,
                           (int)cloth_vertices, (int)classes);
    }

    void **slot = wf_lua_new_object(L, &contact_class, 0);
    wf_context *context = wf_lua_context(L);
    contact_object *contact = wf_allocate(context, 1, sizeof *contact);
    wf_status status = contact ? wf_contact_scene_create(context, &def, &contact->scene) : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        wf_free(context, contact);
        contact = NULL;
    } else {
        contact->vertex_count = def.vertex_count;
    }
    *slot = contact;
    wf_lua_check_status(L, status, function);
    return 1;
}

static int call_contact(lua_State *L)
{
    lua_settop(L, 2);
    lua_remove(L, 1); /* the table weft.contact, which was called */
    return contact_new(L);
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static contact_object *check_contact(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &contact_class, what);
}

/* contact:update { from =, to =, skin = } */
static int contact_update(lua_State *L)
{
    static const char *const names[] = {"from", "to", "skin", NULL};
    const char *function = "weft.contact.update", *self = "weft.contact.update: self";
    int32_t count = check_contact(L, self)->vertex_count;
    wf_lua_options options = wf_lua_open_options(L, 2, function, names);
    double skin = 0.004;
    wf_lua_option_number(&options, "skin", &skin, WF_LUA_POSITIVE, 1);
    const wf_vec3 *x0 = read_positions(L, &options, "from", count);
    const wf_vec3 *x1 = wf_lua_push_option(&options, "to") ? read_positions(L, &options, "to", count) : x0;
    contact_object *contact = check_contact(L, self);
    wf_lua_check_status(L, wf_contact_update(contact->scene, x0, x1, skin), function);
    return 0;
}

/* contact:candidates(kind): the vertices of the candidate pairs, four each. */
static int contact_candidates(lua_State *L)
{
    static const char *const kinds[] = {"vertex_face", "edge_edge", "vertex_face_neighbour", "edge_edge_neighbour",
                                        NULL};
    const char *self = "weft.contact.candidates: self";
    const contact_object *contact = check_contact(L, self);
    int kind = wf_lua_check_choice(L, 2, "weft.contact.candidates: kind", kinds);
    wf_lua_check_status(L, wf_contact_check_updated(contact->scene, "candidates"), "weft.contact.candidates");
    size_t count = wf_contact_candidate_count(contact->scene, kind);
    int32_t *vertices = wf_lua_push_buffer(L, WF_LUA_INDEX, count, 4);
    contact = check_contact(L, self);
    for (size_t i = 0; i < count && i < wf_contact_candidate_count(contact->scene, kind); i++) {
        wf_contact_candidate(contact->scene, kind, i, vertices + 4 * i);
    }
    return 1;
}

/* contact:find { at =, margin =, fewest = } */
static int contact_find(lua_State *L)
{
    static const char *const names[] = {"at", "margin", "fewest", NULL};
    const char *function = "weft.contact.find", *self = "weft.contact.find: self";
    int32_t vertex_count = check_contact(L, self)->vertex_count, count;
    wf_lua_options options = wf_lua_open_options(L, 2, function, names);
    double margin = 0;
    wf_lua_option_number(&options, "margin", &margin, 0, 1);
    bool fewest = false;
    wf_lua_option_boolean(&options, "fewest", &fewest);
    const wf_vec3 *x = read_positions(L, &options, "at", vertex_count);
    const wf_contact *contacts;
    contact_object *contact = check_contact(L, self);
    uint64_t find = ++contact->finds;
    wf_lua_check_status(L, wf_contact_find(contact->scene, x, margin,
                                           fewest ? WF_CONTACTS_FEWEST : WF_CONTACTS_USUAL, &contacts, &count),
                        function);

    lua_createtable(L, 0, 4);
    size_t size = (size_t)count;
    int32_t *vertices = wf_lua_push_buffer(L, WF_LUA_INDEX, size, 4);
    lua_setfield(L, -2, "vertices");
    double *weights = wf_lua_push_buffer(L, WF_LUA_DOUBLE, size, 4);
    lua_setfield(L, -2, "weights");
    double *normals = wf_lua_push_buffer(L, WF_LUA_DOUBLE, size, 3);
    lua_setfield(L, -2, "normals");
    double *numbers = wf_lua_push_buffer(L, WF_LUA_DOUBLE, size, 4);
    lua_setfield(L, -2, "numbers");
    /* What was made above may have run a finalizer that closed the scene or asked it again. */
    if (check_contact(L, self)->finds != find) {
        return wf_lua_fail(L, "%s: the contacts were replaced meanwhile", function);
    }
    for (size_t i = 0; i < size; i++) {
        const wf_contact *c = &contacts[i];
        memcpy(vertices + 4 * i, c->vertex, sizeof c->vertex);
        memcpy(weights + 4 * i, c->weight, sizeof c->weight);
        memcpy(normals + 3 * i, &c->normal, sizeof c->normal);
        numbers[4 * i] = c->distance;
        numbers[4 * i + 1] = c->thickness;
        numbers[4 * i + 2] = c->friction.dynamic;
        numbers[4 * i + 3] = c->kind;
    }
    return 1;
}

static void push_stats(lua_State *L, const wf_contact_stats *stats)
{
    lua_createtable(L, 0, 19);
    wf_lua_set_integer(L, "candidates", stats->candidates);
    wf_lua_set_integer(L, "rebuilds", stats->rebuilds);
    wf_lua_set_integer(L, "tested_pairs", stats->tested_pairs);
    wf_lua_set_integer(L, "regions", stats->regions);
    wf_lua_set_integer(L, "region_faces", stats->region_faces);
    wf_lua_set_integer(L, "refitted", stats->refitted);
    wf_lua_set_integer(L, "contacts", stats->contacts);
    wf_lua_set_integer(L, "hits", stats->hits);
    wf_lua_set_integer(L, "impulse_rounds", stats->impulse_rounds);
    wf_lua_set_integer(L, "impulses", stats->impulses);
    wf_lua_set_integer(L, "zone_rounds", stats->zone_rounds);
    wf_lua_set_integer(L, "backed_off_vertices", stats->backed_off_vertices);
    wf_lua_set_integer(L, "carried_vertices", stats->carried_vertices);
    wf_lua_set_integer(L, "slices", stats->slices);
    wf_lua_set_number(L, "kept_motion", stats->kept_motion);
    wf_lua_set_number(L, "tree_seconds", stats->tree_seconds);
    wf_lua_set_number(L, "broad_seconds", stats->broad_seconds);
    wf_lua_set_number(L, "narrow_seconds", stats->narrow_seconds);
    wf_lua_set_number(L, "continuous_seconds", stats->continuous_seconds);
    wf_lua_set_number(L, "response_seconds", stats->response_seconds);
}

/* contact:resolve { from =, to =, inverse_mass =, separation =, rounds =, zone_rounds = }: positions, statistics */
static int contact_resolve(lua_State *L)
{
    static const char *const names[] = {"from", "to", "inverse_mass", "separation", "rounds", "zone_rounds", NULL};
    const char *function = "weft.contact.resolve", *self = "weft.contact.resolve: self";
    int32_t count = check_contact(L, self)->vertex_count;
    wf_lua_options options = wf_lua_open_options(L, 2, function, names);
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    int64_t rounds = params.rounds, zone_rounds = params.zone_rounds;
    wf_lua_option_number(&options, "separation", &params.separation, 0, 1);
    wf_lua_option_integer(&options, "rounds", &rounds, 0, 100);
    wf_lua_option_integer(&options, "zone_rounds", &zone_rounds, 0, 1000);
    params.rounds = (int)rounds;
    params.zone_rounds = (int)zone_rounds;
    const wf_vec3 *x0 = read_positions(L, &options, "from", count);
    const wf_vec3 *to = read_positions(L, &options, "to", count);
    wf_lua_require_option(&options, "inverse_mass", "a number or one for each vertex");
    const double *inverse_mass = read_per_vertex(L, &options, "inverse_mass", (size_t)count, WF_LUA_HIGHEST);
    wf_vec3 *x1 = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, 3);
    if (count > 0) {
        memcpy(x1, to, (size_t)count * sizeof *x1);
    }
    wf_contact_stats stats;
    wf_status status = wf_contact_resolve(check_contact(L, self)->scene, x0, x1, inverse_mass, &params, &stats);
    wf_lua_check_status(L, status, function);
    push_stats(L, &stats);
    return 2;
}

/* contact:stats(): of the last update, find or resolve */
static int contact_stats(lua_State *L)
{
    const contact_object *contact = check_contact(L, "weft.contact.stats: self");
    wf_contact_stats stats = wf_contact_scene_stats(contact->scene);
    push_stats(L, &stats);
    return 1;
}

static const luaL_Reg contact_methods[] = {{"update", contact_update},
                                           {"candidates", contact_candidates},
                                           {"find", contact_find},
                                           {"resolve", contact_resolve},
                                           {"stats", contact_stats},
                                           {NULL, NULL}};
static const wf_lua_class contact_class = {"weft.contact", contact_methods, NULL, describe_contact, destroy_contact};

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Four points. */
static void read_pair(lua_State *L, const wf_lua_options *options, const char *name, wf_vec3 points[4])
{
    const wf_vec3 *places;
    wf_lua_require_option(options, name, "a list of points or a weft.buffer");
    size_t given = wf_lua_option_places(options, name, &places);
    if (given != 4) {
        wf_lua_fail(L, "%s: %s must be 4 points, got %d", options->function, name, (int)given);
    }
    memcpy(points, places, 4 * sizeof *points);
}

/* core.vertex_face_distance { points = }: distance, the closest point's three weights */
static int vertex_face_distance(lua_State *L)
{
    static const char *const names[] = {"points", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.contact.vertex_face_distance", names);
    wf_vec3 points[4];
    double weights[3];
    read_pair(L, &options, "points", points);
    lua_pushnumber(L, wf_vertex_face_distance(points, weights));
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, weights[k]);
    }
    return 4;
}

/* core.edge_edge_distance { points = }: distance, s, t */
static int edge_edge_distance(lua_State *L)
{
    static const char *const names[] = {"points", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.contact.edge_edge_distance", names);
    wf_vec3 points[4];
    double s, t;
    read_pair(L, &options, "points", points);
    lua_pushnumber(L, wf_edge_edge_distance(points, &s, &t));
    lua_pushnumber(L, s);
    lua_pushnumber(L, t);
    return 3;
}

/* Pushes the time of impact, or false. */
static int push_impact(lua_State *L, const char *function,
                       bool (*impact)(const wf_vec3 *x0, const wf_vec3 *x1, const wf_impact_params *params,
                                      double *time))
{
    static const char *const names[] = {"from", "to", "separation", "kept_part", "tolerance", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    wf_impact_params params = wf_default_impact_params();
    wf_vec3 x0[4], x1[4];
    double time;
    wf_lua_option_number(&options, "separation", &params.separation, 0, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "kept_part", &params.kept_part, 0, 1);
    wf_lua_option_number(&options, "tolerance", &params.tolerance, 0, 1);
    /* Of any size: what detection cannot decide is an impact. */
    memcpy(x0, read_positions(L, &options, "from", 4), sizeof x0);
    memcpy(x1, read_positions(L, &options, "to", 4), sizeof x1);
    if (impact(x0, x1, &params, &time)) {
        lua_pushnumber(L, time);
    } else {
        lua_pushboolean(L, 0);
    }
    return 1;
}

/* core.vertex_face_impact { from =, to =, separation =, kept_part =, tolerance = } */
static int vertex_face_impact(lua_State *L)
{
    return push_impact(L, "weft.contact.vertex_face_impact", wf_vertex_face_impact);
}

/* core.edge_edge_impact { from =, to =, separation =, kept_part =, tolerance = } */
static int edge_edge_impact(lua_State *L)
{
    return push_impact(L, "weft.contact.edge_edge_impact", wf_edge_edge_impact);
}

/* Pushes a buffer with the points' forces and one with the rows of the semidefinite Hessian. */
static void push_derivatives(lua_State *L, const wf_barrier_terms *terms, const wf_pair_distance *at)
{
    wf_vec3 *forces = wf_lua_push_buffer(L, WF_LUA_DOUBLE, 4, 3);
    double *hessian = wf_lua_push_buffer(L, WF_LUA_DOUBLE, 12, 12);
    for (int i = 0; i < 4; i++) {
        forces[i] = wf_barrier_force(terms, at, i);
        for (int j = 0; j < 4; j++) {
            wf_mat3 block = wf_barrier_block(terms, at, i, j);
            for (int row = 0; row < 3; row++) {
                memcpy(hessian + 12 * (3 * i + row) + 3 * j, block.m[row], sizeof block.m[row]);
            }
        }
    }
}

/* core.contact_barrier { points =, kind =, offset =, range =, stiffness =, start = }: energy, forces, Hessian */
static int contact_barrier(lua_State *L)
{
    static const char *const names[] = {"points", "kind", "offset", "range", "stiffness", "start", NULL};
    static const char *const kinds[] = {"vertex_face", "edge_edge", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.contact.barrier", names);
    wf_barrier_law law = {.offset = 0, .stiffness = 1};
    wf_vec3 points[4], start[4];
    int kind = 0;
    wf_lua_require_option(&options, "kind", "\"vertex_face\" or \"edge_edge\"");
    wf_lua_option_choice(&options, "kind", kinds, &kind);
    wf_lua_require_option(&options, "range", "a gap in m");
    wf_lua_option_number(&options, "range", &law.range, WF_LUA_POSITIVE, 1e6);
    wf_lua_option_number(&options, "offset", &law.offset, 0, 1e6);
    wf_lua_option_number(&options, "stiffness", &law.stiffness, 0, 1e12);
    read_pair(L, &options, "points", points);
    memcpy(start, points, sizeof start);
    if (wf_lua_push_option(&options, "start")) {
        read_pair(L, &options, "start", start);
    }
    law.parallel = kind == 1 ? wf_parallel_threshold(start) : 0;
    wf_pair_distance at = kind == 1 ? wf_edge_edge_closest(points) : wf_vertex_face_closest(points);
    wf_barrier_terms terms = wf_barrier_terms_of(&law, &at, points);
    lua_pushnumber(L, terms.energy);
    push_derivatives(L, &terms, &at);
    return 3;
}

/* core.contact_friction { slide =, stick = }: potential, secant, tangent */
static int contact_friction(lua_State *L)
{
    static const char *const names[] = {"slide", "stick", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.contact.friction", names);
    double slide = 0, stick = 0;
    wf_lua_require_option(&options, "slide", "a way in m");
    wf_lua_option_number(&options, "slide", &slide, 0, 1e6);
    wf_lua_require_option(&options, "stick", "a way in m");
    wf_lua_option_number(&options, "stick", &stick, WF_LUA_POSITIVE, 1e6);
    lua_pushnumber(L, wf_friction_potential(slide, stick));
    lua_pushnumber(L, wf_friction_secant(slide, stick));
    lua_pushnumber(L, wf_friction_tangent(slide, stick));
    return 3;
}

/* core.overlapping_balls { points =, radius =, groups =, limit = }: { count =, pairs = } */
static int overlapping_balls(lua_State *L)
{
    static const char *const names[] = {"points", "radius", "groups", "limit", NULL};
    const char *function = "weft.contact.overlapping_balls";
    luaL_checkstack(L, 16, "weft: no room for balls");
    wf_lua_options options = wf_lua_open_options(L, 1, function, names);
    const double *points;
    const int32_t *groups;
    int64_t limit = 100000, found = 0;
    wf_lua_require_option(&options, "points", "a list of points or a weft.buffer");
    size_t count = wf_lua_option_vectors(&options, "points", 3, &points);
    if (count > 1 << 24) {
        return wf_lua_fail(L, "%s: points must be at most %d, got %d", function, 1 << 24, (int)count);
    }
    wf_lua_require_option(&options, "radius", "a number or one for each point");
    const double *radii = read_per_vertex(L, &options, "radius", count, 1e6);
    size_t group_count = wf_lua_option_indices(&options, "groups", 1 << 24, &groups);
    if (groups && group_count != count) {
        return wf_lua_fail(L, "%s: groups must be one for each of %d points, got %d", function, (int)count,
                           (int)group_count);
    }
    wf_lua_option_integer(&options, "limit", &limit, 0, 100000000);
    lua_createtable(L, 0, 2);
    int32_t(*pairs)[2] = wf_lua_push_buffer(L, WF_LUA_INDEX, (size_t)limit, 2);
    wf_status status = wf_grid_find_pairs(wf_lua_context(L), (int32_t)count, (const wf_vec3 *)points, radii, groups,
                                          limit, pairs, &found);
    wf_lua_view *view = wf_lua_check_object(L, -1, &wf_lua_buffer_class, function);
    view->count = (size_t)(found < limit ? found : limit);
    wf_lua_check_status(L, status, function);
    lua_setfield(L, -2, "pairs");
    wf_lua_set_integer(L, "count", found);
    return 1;
}

void wf_lua_open_contact(lua_State *L);

void wf_lua_open_contact(lua_State *L)
{
    static const luaL_Reg functions[] = {{"contact", call_contact},
                                         {"vertex_face_distance", vertex_face_distance},
                                         {"edge_edge_distance", edge_edge_distance},
                                         {"vertex_face_impact", vertex_face_impact},
                                         {"edge_edge_impact", edge_edge_impact},
                                         {"overlapping_balls", overlapping_balls},
                                         {"contact_barrier", contact_barrier},
                                         {"contact_friction", contact_friction},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &contact_class);
    wf_lua_set_functions(L, functions);
}
