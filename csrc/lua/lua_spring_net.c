/* lua_spring_net.c - weft.step.springs: nets of masses and springs for time integrators, and what measures them. */
#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_spring_net.h"
#include "lua/lua_step.h"
#include "mesh/mesh.h"
#include "step/metrics.h"
#include "step/provot.h"

enum { DENSE_LIMIT = 400, VERTEX_LIMIT = 1 << 24 };

/* The net belongs to the equation, which is the handle's parent. */
typedef struct springs {
    wf_spring_net *net;
    const wf_equation *equation;
} springs;

/* ---- options --------------------------------------------------------------------------------------------------- */

/* What all constructors share, after the places and edges. */
#define NET_NAMES \
    "rest", "stiffness", "axial_stiffness", "mass", "total_mass", "pins", "gravity", "absolute_damping", \
        "relative_damping", "projected_damping", "derivative", "tolerance", "elongation", "limit_sweeps", "velocities"

static bool is_given(const wf_lua_options *options, const char *name)
{
    bool given = wf_lua_push_option(options, name);
    lua_pop(options->L, 1);
    return given;
}

/* One number for all, or a list of `count`; `fallback` for all when absent. Pushes what keeps them alive. */
static const double *read_each(const wf_lua_options *options, const char *name, size_t count, double minimum,
                               double fallback, const char *of)
{
    lua_State *L = options->L;
    wf_lua_push_option(options, name);
    int type = lua_type(L, -1);
    lua_pop(L, 1);
    if (type == LUA_TNUMBER || type == LUA_TNIL) {
        wf_lua_option_number(options, name, &fallback, minimum, WF_LUA_HIGHEST);
        double *filled = lua_newuserdata(L, (count + 1) * sizeof *filled);
        for (size_t i = 0; i < count; i++) {
            filled[i] = fallback;
        }
        return filled;
    }
    const double *values;
    size_t given = wf_lua_option_list(options, name, minimum, WF_LUA_HIGHEST, &values);
    if (given != count) {
        wf_lua_fail(L, "%s: %s must be a number, or one for each of the %d %s, got %d", options->function, name,
                    (int)count, of, (int)given);
    }
    return values;
}

static void refuse_both(const wf_lua_options *options, const char *one, const char *other)
{
    if (is_given(options, one) && is_given(options, other)) {
        wf_lua_fail(options->L, "%s: %s and %s say the same thing twice; give one of them", options->function, one,
                    other);
    }
}

/* Rest lengths, by default those of the start, and stiffness. */
static void read_springs(const wf_lua_options *options, const wf_vec3 *positions, wf_spring_net_def *def)
{
    size_t count = (size_t)def->edge_count;
    if (is_given(options, "rest")) {
        def->rest_lengths = read_each(options, "rest", count, 0, 0, "edges");
    } else {
        double *rest = lua_newuserdata(options->L, (count + 1) * sizeof *rest);
        for (size_t e = 0; e < count; e++) {
            rest[e] = wf_vec3_distance(positions[def->edges[e][0]], positions[def->edges[e][1]]);
        }
        def->rest_lengths = rest;
    }
    refuse_both(options, "stiffness", "axial_stiffness");
    if (!is_given(options, "axial_stiffness")) {
        def->stiffness = read_each(options, "stiffness", count, 0, 1, "edges");
        return;
    }
    double axial = 0, *stiffness = lua_newuserdata(options->L, (count + 1) * sizeof *stiffness);
    wf_lua_option_number(options, "axial_stiffness", &axial, 0, WF_LUA_HIGHEST);
    for (size_t e = 0; e < count; e++) {
        if (!(def->rest_lengths[e] > 0)) {
            wf_lua_fail(options->L, "%s: axial_stiffness must be divided by rest lengths > 0, but edge %d has none",
                        options->function, (int)e + 1);
        }
        stiffness[e] = axial / def->rest_lengths[e];
    }
    def->stiffness = stiffness;
}

static void read_masses(const wf_lua_options *options, wf_spring_net_def *def)
{
    double total = 0;
    refuse_both(options, "mass", "total_mass");
    if (wf_lua_option_number(options, "total_mass", &total, WF_LUA_POSITIVE, WF_LUA_HIGHEST)) {
        double *masses = lua_newuserdata(options->L, ((size_t)def->vertex_count + 1) * sizeof *masses);
        for (int32_t i = 0; i < def->vertex_count; i++) {
            masses[i] = total / def->vertex_count;
        }
        def->masses = masses;
    } else {
        def->masses = read_each(options, "mass", (size_t)def->vertex_count, WF_LUA_POSITIVE, 1, "vertices");
    }
}

static void read_numbers(const wf_lua_options *options, wf_spring_net_def *def)
{
    static const char *const derivatives[] = {"stabilised", "exact", NULL};
    int64_t sweeps = def->limit_sweeps;
    int derivative = 0;
    wf_lua_option_vec3(options, "gravity", &def->gravity);
    wf_lua_option_number(options, "absolute_damping", &def->absolute_damping, 0, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "relative_damping", &def->relative_damping, 0, WF_LUA_HIGHEST);
    wf_lua_option_number(options, "projected_damping", &def->projected_damping, 0, WF_LUA_HIGHEST);
    wf_lua_option_choice(options, "derivative", derivatives, &derivative);
    wf_lua_option_number(options, "tolerance", &def->tolerance, WF_LUA_POSITIVE, 0.5);
    wf_lua_option_number(options, "elongation", &def->largest_elongation, 0, 1e3);
    wf_lua_option_integer(options, "limit_sweeps", &sweeps, 0, 1000000);
    def->derivative = derivative == 1 ? WF_LINEARISE_EXACT : WF_LINEARISE_DEFINITE;
    def->limit_sweeps = (int32_t)sweeps;
}

static const wf_vec3 *require_vectors(const wf_lua_options *options, const char *name, int32_t vertex_count)
{
    wf_lua_require_option(options, name, "a list of vectors {x, y, z}");
    return wf_lua_option_per_vertex(options, name, vertex_count);
}

/* ---- the handle ------------------------------------------------------------------------------------------------ */

static void destroy_springs(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_free(context, object);
}

static void destroy_net(wf_context *context, void *user)
{
    (void)context;
    wf_spring_net_destroy(user);
}

/* Pushes the handle of a net of `def`, whose vertices and edges are there, with the other options. */
static int push_net(const wf_lua_options *options, const wf_vec3 *positions, wf_spring_net_def *def)
{
    lua_State *L = options->L;
    const int32_t *pins;
    read_springs(options, positions, def);
    read_masses(options, def);
    read_numbers(options, def);
    def->pin_count = (int32_t)wf_lua_option_indices(options, "pins", (size_t)def->vertex_count, &pins);
    def->pins = pins;
    const wf_vec3 *velocities = wf_lua_option_per_vertex(options, "velocities", def->vertex_count);
    double *masses = lua_newuserdata(L, 3 * (size_t)def->vertex_count * sizeof *masses);
    for (size_t i = 0; i < 3 * (size_t)def->vertex_count; i++) {
        masses[i] = def->masses[i / 3];
    }

    wf_context *context = wf_lua_context(L);
    wf_lua_equation *equation = wf_lua_new_equation(L, options->function);
    int equation_index = lua_gettop(L);
    void **slot = wf_lua_new_object(L, &wf_lua_springs_class, equation_index);
    springs *s = wf_allocate(context, 1, sizeof *s);
    *slot = s;
    wf_lua_check_status(L, s ? WF_OK : WF_ERROR_MEMORY, options->function);
    wf_lua_check_status(L, wf_spring_net_create(context, def, &s->net), options->function);
    wf_equation_def about = wf_default_equation_def();
    about.name = "springs";
    about.size = 3 * (size_t)def->vertex_count;
    about.mass = masses;
    about.x = &positions->x;
    about.v = velocities ? &velocities->x : NULL;
    about.dimension = 3;
    about.user = s->net;
    about.destroy = destroy_net;
    about.system = wf_spring_net_system(s->net);
    wf_lua_check_status(L, wf_equation_create(context, &about, &equation->equation), options->function);
    s->equation = equation->equation;
    return 1;
}

static springs *check_springs(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_springs_class, what);
}

static void describe_springs(lua_State *L, void *object)
{
    const wf_spring_net *net = ((const springs *)object)->net;
    lua_pushfstring(L, "weft.step.springs (%d vertices, %d springs)", (int)wf_spring_net_vertex_count(net),
                    (int)wf_spring_net_edge_count(net));
}

/* ---- constructors ---------------------------------------------------------------------------------------------- */

/* The different edges of the faces. Pushes what keeps them alive; returns how many. */
static int32_t read_face_edges(const wf_lua_options *options, int32_t vertex_count, const wf_vec3 *positions,
                               const int32_t (**edges)[2])
{
    lua_State *L = options->L;
    const int32_t *faces;
    size_t face_count = wf_lua_option_index_groups(options, "faces", 3, (size_t)vertex_count, &faces);
    int32_t(*copy)[2] = lua_newuserdata(L, (3 * face_count + 1) * sizeof *copy);
    wf_mesh mesh = {0};
    wf_context *context = wf_lua_context(L);
    wf_status status = wf_mesh_build(context, vertex_count, positions, (int32_t)face_count,
                                     (const int32_t(*)[3])faces, &mesh);
    int32_t count = mesh.edge_count;
    if (status == WF_OK && count > 0) {
        memcpy(copy, mesh.edges, (size_t)count * sizeof *copy);
    }
    wf_mesh_free(context, &mesh);
    wf_lua_check_status(L, status, options->function);
    *edges = (const int32_t(*)[2])copy;
    return count;
}

/* weft.step.springs { positions =, edges = | faces =, ... } */
static int step_springs(lua_State *L)
{
    static const char *const names[] = {"positions", "edges", "faces", NET_NAMES, NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.step.springs", names);
    wf_spring_net_def def = wf_default_spring_net_def();
    const double *positions;
    wf_lua_require_option(&options, "positions", "a list of points {x, y, z}");
    size_t vertex_count = wf_lua_option_vectors(&options, "positions", 3, &positions);
    if (vertex_count < 1 || vertex_count > VERTEX_LIMIT) {
        wf_lua_fail(L, "weft.step.springs: positions must be 1 to %d points, got %d", VERTEX_LIMIT,
                    (int)vertex_count);
    }
    def.vertex_count = (int32_t)vertex_count;
    refuse_both(&options, "edges", "faces");
    if (is_given(&options, "faces")) {
        def.edge_count = read_face_edges(&options, def.vertex_count, (const wf_vec3 *)positions, &def.edges);
    } else {
        const int32_t *edges;
        wf_lua_require_option(&options, "edges", "a list of index pairs, or faces");
        def.edge_count = (int32_t)wf_lua_option_index_groups(&options, "edges", 2, vertex_count, &edges);
        def.edges = (const int32_t(*)[2])edges;
    }
    return push_net(&options, (const wf_vec3 *)positions, &def);
}

/* weft.step.spring_sheet { points = {33, 33}, size = {1, 1}, corner =, along =, across =, ... } */
static int step_spring_sheet(lua_State *L)
{
    static const char *const names[] = {"points", "size", "corner", "along", "across", NET_NAMES, NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.step.spring_sheet", names);
    int64_t points[2] = {33, 33};
    double size[2] = {1, 1};
    wf_spring_sheet sheet = {.along = {1, 0, 0}, .across = {0, 0, 1}};
    wf_lua_option_integers(&options, "points", points, 2, 2, 4096);
    wf_lua_option_numbers(&options, "size", size, 2, WF_LUA_POSITIVE, 1e6);
    wf_lua_option_vec3(&options, "corner", &sheet.corner);
    wf_lua_option_vec3(&options, "along", &sheet.along);
    wf_lua_option_vec3(&options, "across", &sheet.across);
    if (!(wf_vec3_norm(wf_vec3_cross(sheet.along, sheet.across)) > 0)) {
        wf_lua_fail(L, "weft.step.spring_sheet: along and across must be two different directions");
    }
    sheet.columns = (int32_t)points[0];
    sheet.rows = (int32_t)points[1];
    sheet.along = wf_vec3_scale(wf_vec3_normalize(sheet.along), size[0]);
    sheet.across = wf_vec3_scale(wf_vec3_normalize(sheet.across), size[1]);
    wf_spring_net_def def = wf_default_spring_net_def();
    def.vertex_count = sheet.columns * sheet.rows;
    def.edge_count = wf_spring_sheet_edge_count(&sheet);
    wf_vec3 *positions = lua_newuserdata(L, (size_t)def.vertex_count * sizeof *positions);
    int32_t(*edges)[2] = lua_newuserdata(L, (size_t)def.edge_count * sizeof *edges);
    wf_spring_sheet_fill(&sheet, positions, edges);
    def.edges = (const int32_t(*)[2])edges;
    return push_net(&options, positions, &def);
}

/* weft.step.spring_chain { points = 65, spacing = 1, start = {0, 0, 0}, along = {1, 0, 0}, ... } */
static int step_spring_chain(lua_State *L)
{
    static const char *const names[] = {"points", "spacing", "start", "along", NET_NAMES, NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.step.spring_chain", names);
    int64_t points = 65;
    double spacing = 1;
    wf_vec3 start = {0, 0, 0}, along = {1, 0, 0};
    wf_lua_option_integer(&options, "points", &points, 2, VERTEX_LIMIT);
    wf_lua_option_number(&options, "spacing", &spacing, WF_LUA_POSITIVE, 1e6);
    wf_lua_option_vec3(&options, "start", &start);
    if (wf_lua_option_vec3(&options, "along", &along) && !(wf_vec3_norm(along) > 0)) {
        wf_lua_fail(L, "weft.step.spring_chain: along must be a direction, got {0, 0, 0}");
    }
    along = wf_vec3_normalize(along);
    wf_spring_net_def def = wf_default_spring_net_def();
    def.vertex_count = (int32_t)points;
    def.edge_count = def.vertex_count - 1;
    wf_vec3 *positions = lua_newuserdata(L, (size_t)points * sizeof *positions);
    int32_t(*edges)[2] = lua_newuserdata(L, (size_t)points * sizeof *edges);
    for (int32_t i = 0; i < def.vertex_count; i++) {
        positions[i] = wf_vec3_muladds(start, along, spacing * i);
        edges[i][0] = i;
        edges[i][1] = i + 1;
    }
    def.edges = (const int32_t(*)[2])edges;
    return push_net(&options, positions, &def);
}

/* ---- methods --------------------------------------------------------------------------------------------------- */

/* The velocities of the option `v`, or zeros; pushes what keeps them alive. */
static const wf_vec3 *read_velocities(const wf_lua_options *options, int32_t vertex_count)
{
    const wf_vec3 *v = wf_lua_option_per_vertex(options, "v", vertex_count);
    if (!v) {
        wf_vec3 *rest = lua_newuserdata(options->L, ((size_t)vertex_count + 1) * sizeof *rest);
        memset(rest, 0, (size_t)vertex_count * sizeof *rest);
        v = rest;
    }
    return v;
}

/* springs:forces { x =, v = }: a buffer */
static int springs_forces(lua_State *L)
{
    static const char *const names[] = {"x", "v", NULL};
    const wf_spring_net *net = check_springs(L, "weft.step.springs.forces: self")->net;
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.springs.forces", names);
    int32_t count = wf_spring_net_vertex_count(net);
    const wf_vec3 *x = require_vectors(&options, "x", count), *v = read_velocities(&options, count);
    double *f = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, 3);
    const wf_system *system = wf_spring_net_system(check_springs(L, "weft.step.springs.forces: self")->net);
    wf_lua_check_status(L, system->forces(system->user, 0, &x->x, &v->x, f), "weft.step.springs.forces");
    return 1;
}

/* springs:energy { x =, v = }: elastic, of the weight, kinetic */
static int springs_energy(lua_State *L)
{
    static const char *const names[] = {"x", "v", NULL};
    const wf_spring_net *net = check_springs(L, "weft.step.springs.energy: self")->net;
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.springs.energy", names);
    int32_t count = wf_spring_net_vertex_count(net);
    const wf_vec3 *x = require_vectors(&options, "x", count), *v = read_velocities(&options, count);
    double energies[3];
    wf_spring_net_energies(check_springs(L, "weft.step.springs.energy: self")->net, x, v, energies);
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, energies[k]);
    }
    return 3;
}

/* springs:stretch { x = }: largest and mean length over rest length */
static int springs_stretch(lua_State *L)
{
    static const char *const names[] = {"x", NULL};
    const wf_spring_net *net = check_springs(L, "weft.step.springs.stretch: self")->net;
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.springs.stretch", names);
    const wf_vec3 *x = require_vectors(&options, "x", wf_spring_net_vertex_count(net));
    double largest, mean;
    wf_spring_net_stretch(check_springs(L, "weft.step.springs.stretch: self")->net, x, &largest, &mean);
    lua_pushnumber(L, largest);
    lua_pushnumber(L, mean);
    return 2;
}

static void push_dense(lua_State *L, const wf_spring_net *net)
{
    int size = 3 * wf_spring_net_vertex_count(net);
    lua_createtable(L, size, 0);
    for (int i = 0; i < size; i++) {
        lua_createtable(L, size, 0);
        for (int j = 0; j < size; j++) {
            lua_pushnumber(L, wf_spring_net_entry(net, i / 3, j / 3).m[i % 3][j % 3]);
            lua_rawseti(L, -2, j + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
}

/* springs:matrix { x =, stiffness = 1, damping = 0, derivative = }: M + stiffness K + damping D as a dense list of
 * lists */
static int springs_matrix(lua_State *L)
{
    static const char *const names[] = {"x", "stiffness", "damping", "derivative", NULL};
    static const char *const derivatives[] = {"stabilised", "exact", "scalar", NULL};
    static const wf_linearisation kinds[] = {WF_LINEARISE_DEFINITE, WF_LINEARISE_EXACT, WF_LINEARISE_CONSTANT};
    const wf_spring_net *net = check_springs(L, "weft.step.springs.matrix: self")->net;
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.springs.matrix", names);
    double stiffness = 1, damping = 0;
    int kind = 0;
    wf_lua_option_number(&options, "stiffness", &stiffness, 0, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "damping", &damping, 0, WF_LUA_HIGHEST);
    wf_lua_option_choice(&options, "derivative", derivatives, &kind);
    const wf_vec3 *x = require_vectors(&options, "x", wf_spring_net_vertex_count(net));
    if (wf_spring_net_vertex_count(net) > DENSE_LIMIT) {
        wf_lua_fail(L, "weft.step.springs.matrix: dense matrices are for at most %d vertices, got %d", DENSE_LIMIT,
                    (int)wf_spring_net_vertex_count(net));
    }
    const wf_system *system = wf_spring_net_system(check_springs(L, "weft.step.springs.matrix: self")->net);
    wf_status status = system->linearise(system->user, 0, &x->x, &x->x, kinds[kind], stiffness, damping);
    wf_lua_check_status(L, status, "weft.step.springs.matrix");
    push_dense(L, check_springs(L, "weft.step.springs.matrix: self")->net);
    return 1;
}

/* springs:limit { x =, v =, elongation = 0.1, sweeps = 50, step = 1 }: corrected copies of x and v, the largest
 * elongation left, the sweeps made */
static int springs_limit(lua_State *L)
{
    static const char *const names[] = {"x", "v", "elongation", "sweeps", "step", NULL};
    const wf_spring_net *net = check_springs(L, "weft.step.springs.limit: self")->net;
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.step.springs.limit", names);
    double limit = 0.1, step = 1, elongation = 0;
    int64_t sweeps = 50;
    wf_lua_option_number(&options, "elongation", &limit, 0, 1e3);
    wf_lua_option_number(&options, "step", &step, WF_LUA_POSITIVE, WF_LUA_HIGHEST);
    wf_lua_option_integer(&options, "sweeps", &sweeps, 0, 1000000);
    int32_t count = wf_spring_net_vertex_count(net);
    const wf_vec3 *x = require_vectors(&options, "x", count), *v = read_velocities(&options, count);
    wf_vec3 *x1 = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, 3);
    wf_vec3 *v1 = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)count, 3);
    memcpy(x1, x, (size_t)count * sizeof *x1);
    memcpy(v1, v, (size_t)count * sizeof *v1);
    net = check_springs(L, "weft.step.springs.limit: self")->net;
    wf_provot provot = {.edge_count = wf_spring_net_edge_count(net), .edges = wf_spring_net_edges(net),
                        .rest_lengths = wf_spring_net_rest_lengths(net), .masses = wf_spring_net_masses(net),
                        .prescribed = wf_spring_net_system(net)->prescribed, .limit = limit,
                        .sweeps = (int32_t)sweeps};
    int32_t made = wf_provot_correct(&provot, step, x1, v1, &elongation);
    lua_pushnumber(L, elongation);
    lua_pushinteger(L, made);
    return 4;
}

/* ---- metrics --------------------------------------------------------------------------------------------------- */

/* Points, one after the other: a list of them, or a buffer of doubles, whose rows may hold several, as traces of small
 * nets do. Pushes what keeps them alive; returns how many. */
static size_t require_points(const wf_lua_options *options, const char *name, const wf_vec3 **points)
{
    lua_State *L = options->L;
    int components = 3;
    wf_lua_require_option(options, name, "positions at two check points or more");
    wf_lua_push_option(options, name);
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const char *what = lua_pushfstring(L, "%s: %s", options->function, name);
        components = wf_lua_check_buffer(L, -2, what, WF_LUA_DOUBLE, 0)->components;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    const double *values;
    size_t count = wf_lua_option_vectors(options, name, components, &values) * (size_t)components;
    if (count % 3 != 0) {
        wf_lua_fail(L, "%s: %s must have three numbers for each point, got %d", options->function, name, (int)count);
    }
    *points = (const wf_vec3 *)values;
    return count / 3;
}

/* weft.step.metrics { reference =, experiment =, vertices =, mode = "thesis" }: positions at check points, one after
 * the other; a list of { error =, similarity =, moving = }, one for each interval */
static int step_metrics(lua_State *L)
{
    static const char *const names[] = {"reference", "experiment", "vertices", "mode", NULL};
    static const char *const modes[] = {"thesis", "moving", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.step.metrics", names);
    int mode = WF_METRICS_THESIS;
    int64_t vertices = 0;
    const wf_vec3 *reference, *experiment;
    wf_lua_option_choice(&options, "mode", modes, &mode);
    wf_lua_require_option(&options, "vertices", "the number of vertices");
    wf_lua_option_integer(&options, "vertices", &vertices, 1, VERTEX_LIMIT);
    size_t count = require_points(&options, "reference", &reference), n = (size_t)vertices;
    size_t other = require_points(&options, "experiment", &experiment);
    if (count % n != 0 || count < 2 * n || other != count) {
        wf_lua_fail(L, "weft.step.metrics: reference and experiment must have %d points for each of the same check "
                    "points, at least two, got %d and %d points", (int)vertices, (int)count, (int)other);
    }
    lua_createtable(L, (int)(count / n) - 1, 0);
    for (size_t k = 0; k + 1 < count / n; k++) {
        wf_metrics m = wf_compare_displacements((int32_t)n, reference + k * n, reference + (k + 1) * n,
                                                experiment + k * n, experiment + (k + 1) * n, (wf_metrics_mode)mode);
        lua_createtable(L, 0, 3);
        wf_lua_set_number(L, "error", m.error);
        wf_lua_set_number(L, "similarity", m.similarity);
        wf_lua_set_integer(L, "moving", m.moving);
        lua_rawseti(L, -2, (int)k + 1);
    }
    return 1;
}

/* ---- properties ------------------------------------------------------------------------------------------------ */

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, wf_spring_net_vertex_count(((const springs *)object)->net));
}

static void get_explicit_step(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_spring_net_explicit_step(((const springs *)object)->net));
}

static void view_positions(void *object, wf_lua_view *view)
{
    const wf_equation *e = ((const springs *)object)->equation;
    *view = (wf_lua_view){e->x, e->x, WF_LUA_DOUBLE, e->def.size / 3, 3, false};
}

static void view_edges(void *object, wf_lua_view *view)
{
    const wf_spring_net *net = ((const springs *)object)->net;
    void *edges = (void *)wf_spring_net_edges(net);
    *view = (wf_lua_view){edges, edges, WF_LUA_INDEX, (size_t)wf_spring_net_edge_count(net), 2, false};
}

#define EDGE_VIEW(name, count) \
    static void view_##name(void *object, wf_lua_view *view) \
    { \
        const wf_spring_net *net = ((const springs *)object)->net; \
        void *values = (void *)wf_spring_net_##name(net); \
        *view = (wf_lua_view){values, values, WF_LUA_DOUBLE, (size_t)wf_spring_net_##count(net), 1, false}; \
    }
EDGE_VIEW(rest_lengths, edge_count)
EDGE_VIEW(stiffness, edge_count)
EDGE_VIEW(masses, vertex_count)

#define VIEW_PROPERTY(name) \
    static void get_##name(lua_State *L, void *object) \
    { \
        (void)object; \
        wf_lua_push_view(L, 1, &wf_lua_springs_class, #name, view_##name); \
    }
VIEW_PROPERTY(positions)
VIEW_PROPERTY(edges)
VIEW_PROPERTY(rest_lengths)
VIEW_PROPERTY(stiffness)
VIEW_PROPERTY(masses)

static const luaL_Reg springs_methods[] = {{"forces", springs_forces},   {"energy", springs_energy},
                                           {"stretch", springs_stretch}, {"matrix", springs_matrix},
                                           {"limit", springs_limit},     {NULL, NULL}};
static const wf_lua_property springs_properties[] = {{"vertices", get_vertices, NULL},
                                                     {"positions", get_positions, NULL},
                                                     {"edges", get_edges, NULL},
                                                     {"rest_lengths", get_rest_lengths, NULL},
                                                     {"stiffness", get_stiffness, NULL},
                                                     {"masses", get_masses, NULL},
                                                     {"explicit_step", get_explicit_step, NULL},
                                                     {NULL, NULL, NULL}};

const wf_lua_class wf_lua_springs_class = {"weft.step.springs", springs_methods, springs_properties, describe_springs,
                                           destroy_springs};

void wf_lua_open_spring_net(lua_State *L)
{
    static const luaL_Reg functions[] = {{"step_springs", step_springs},
                                         {"step_spring_sheet", step_spring_sheet},
                                         {"step_spring_chain", step_spring_chain},
                                         {"step_metrics", step_metrics},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_springs_class);
    wf_lua_set_functions(L, functions);
}
