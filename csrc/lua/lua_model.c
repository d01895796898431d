/* lua_model.c - weft.model: force models on their own, for experiments and tests. */
#include "lua/lua_model.h"

#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_fabric.h"
#include "model/bending.h"
#include "model/face_history.h"
#include "model/fold.h"
#include "model/membrane.h"
#include "model/models.h"
#include "model/springs.h"

/* Dense matrices are for small meshes. */
enum { DENSE_LIMIT = 400, VERTEX_LIMIT = 1 << 24 };

/* ---- the handle ------------------------------------------------------------------------------------------------ */

static void destroy_model(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_lua_model *m = object;
    wf_block_matrix_destroy(context, m->matrix);
    wf_model_destroy(context, m->model);
    wf_free(context, m->history);
    wf_free(context, m);
}

static void describe_model(lua_State *L, void *object)
{
    const wf_model *model = ((const wf_lua_model *)object)->model;
    lua_pushfstring(L, "weft.model %s (%d elements on %d vertices)", model->class->name, (int)model->stencil.count,
                    (int)model->vertex_count);
}

static void get_kind(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_lua_model *)object)->model->class->name);
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_lua_model *)object)->model->vertex_count);
}

static void get_elements(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_lua_model *)object)->model->stencil.count);
}

wf_lua_model *wf_lua_push_model(lua_State *L, const char *function)
{
    void **slot = wf_lua_new_object(L, &wf_lua_model_class, 0);
    wf_lua_model *m = wf_allocate(wf_lua_context(L), 1, sizeof *m);
    *slot = m;
    wf_lua_check_status(L, m ? WF_OK : WF_ERROR_MEMORY, function);
    return m;
}

/* ---- constructors ---------------------------------------------------------------------------------------------- */

wf_lua_sheet wf_lua_read_sheet(const wf_lua_options *options)
{
    lua_State *L = options->L;
    const int32_t *faces;
    const double *rest;
    wf_lua_require_option(options, "faces", "a list of index triples");
    wf_lua_require_option(options, "rest", "a list of points {u, v}");
    size_t face_count = wf_lua_option_index_groups(options, "faces", 3, VERTEX_LIMIT, &faces);
    size_t rest_count = wf_lua_option_vectors(options, "rest", 2, &rest);
    int64_t vertex_count = 0;
    for (size_t k = 0; k < 3 * face_count; k++) {
        vertex_count = faces[k] >= vertex_count ? faces[k] + 1 : vertex_count;
    }
    wf_lua_option_integer(options, "vertices", &vertex_count, vertex_count, VERTEX_LIMIT);
    if (rest_count != 3 * face_count && rest_count != (size_t)vertex_count) {
        wf_lua_fail(L, "%s: rest must have %d points, one per vertex, or %d, one per corner; got %d",
                    options->function, (int)vertex_count, (int)(3 * face_count), (int)rest_count);
    }
    if (rest_count != 3 * face_count) {
        wf_vec2 *corners = lua_newuserdata(L, (3 * face_count + 1) * sizeof *corners);
        for (size_t k = 0; k < 3 * face_count; k++) {
            corners[k] = ((const wf_vec2 *)rest)[faces[k]];
        }
        rest = &corners[0].x;
    }
    return (wf_lua_sheet){(int32_t)vertex_count, (int32_t)face_count, (const int32_t(*)[3])faces,
                          (const wf_vec2(*)[3])rest};
}

static wf_fabric read_fabric(const wf_lua_options *options)
{
    wf_lua_require_option(options, "fabric", "a weft.fabric");
    return *(const wf_fabric *)wf_lua_option_object(options, "fabric", &wf_lua_fabric_class);
}

static const char *const sheet_names[] = {"vertices", "faces", "rest", "fabric", "form", NULL};

/* weft.model.membrane { faces =, rest =, fabric =, form = "exact" } */
static int model_membrane(lua_State *L)
{
    static const char *const forms[] = {"exact", "thesis", "weave", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.model.membrane", sheet_names);
    int form = WF_MEMBRANE_EXACT;
    wf_lua_option_choice(&options, "form", forms, &form);
    wf_fabric fabric = read_fabric(&options);
    wf_lua_sheet s = wf_lua_read_sheet(&options);
    wf_membrane_def def = {.vertex_count = s.vertex_count, .face_count = s.face_count, .faces = s.faces,
                           .rest = s.rest, .fabric_count = 1, .fabrics = &fabric, .form = (wf_membrane_form)form};
    wf_lua_model *m = wf_lua_push_model(L, "weft.model.membrane");
    m->membrane = true;
    wf_lua_check_status(L, wf_membrane_create(wf_lua_context(L), &def, &m->model), "weft.model.membrane");
    return 1;
}

/* weft.model.bending { faces =, rest =, fabric =, form = "quadratic" } */
static int model_bending(lua_State *L)
{
    static const char *const forms[] = {"quadratic", "thesis", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.model.bending", sheet_names);
    int form = WF_BENDING_QUADRATIC;
    wf_lua_option_choice(&options, "form", forms, &form);
    wf_fabric fabric = read_fabric(&options);
    wf_lua_sheet s = wf_lua_read_sheet(&options);
    wf_bending_def def = {.vertex_count = s.vertex_count, .face_count = s.face_count, .faces = s.faces,
                          .rest = s.rest, .fabric_count = 1, .fabrics = &fabric, .form = (wf_bending_form)form};
    wf_lua_model *m = wf_lua_push_model(L, "weft.model.bending");
    wf_lua_check_status(L, wf_bending_create(wf_lua_context(L), &def, &m->model), "weft.model.bending");
    return 1;
}

/* One number per pair; when absent `fallback` for all. Pushes what keeps them alive. */
static const double *read_per_pair(const wf_lua_options *options, const char *name, size_t pair_count, double fallback)
{
    const double *values;
    size_t count = wf_lua_option_list(options, name, WF_LUA_LOWEST, WF_LUA_HIGHEST, &values);
    if (values && count != pair_count) {
        wf_lua_fail(options->L, "%s: %s must have one number for each of the %d pairs, got %d", options->function,
                    name, (int)pair_count, (int)count);
    }
    if (!values) {
        double *filled = lua_newuserdata(options->L, (pair_count + 1) * sizeof *filled);
        for (size_t i = 0; i < pair_count; i++) {
            filled[i] = fallback;
        }
        values = filled;
    }
    return values;
}

/* folds and fold_angles, NULL when absent. Pushes what keeps them alive. */
static const double (*read_folds(const wf_lua_options *options, const wf_sheet_faces *faces))[3]
{
    lua_State *L = options->L;
    const int32_t *edges;
    size_t count = wf_lua_option_index_groups(options, "folds", 2, (size_t)faces->vertex_count, &edges);
    if (count == 0) {
        return NULL;
    }
    wf_lua_require_option(options, "fold_angles", "a list of angles, rad, one per fold");
    const double *angles = read_per_pair(options, "fold_angles", count, 0);
    double(*fold)[3] = lua_newuserdata(L, ((size_t)faces->face_count + 1) * sizeof *fold);
    wf_lua_check_status(L, wf_fold_edges(wf_lua_context(L), faces, (int32_t)count, (const int32_t(*)[2])edges, angles,
                                         fold), options->function);
    return (const double(*)[3])fold;
}

/* weft.model.create { name = "green", faces =, rest =, fabric = }: any model of the table */
static int model_create(lua_State *L)
{
    static const char *const names[] = {"name", "vertices", "faces", "rest", "fabric", "folds", "fold_angles", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.model.create", names);
    wf_lua_require_option(&options, "name", "a name of weft.model.list()");
    const wf_model_entry *entry;
    const char *name = wf_lua_option_string(&options, "name");
    wf_lua_check_status(L, wf_model_find(wf_lua_context(L), WF_MODEL_KINDS, name, &entry), "weft.model.create: name");
    wf_fabric fabric = read_fabric(&options);
    wf_lua_sheet s = wf_lua_read_sheet(&options);
    wf_sheet_faces faces = {.vertex_count = s.vertex_count, .face_count = s.face_count, .faces = s.faces,
                            .rest = s.rest, .fabric_count = 1, .fabrics = &fabric};
    faces.fold = read_folds(&options, &faces);
    wf_lua_model *m = wf_lua_push_model(L, "weft.model.create");
    m->face_count = faces.face_count;
    wf_lua_check_status(L, wf_model_create(wf_lua_context(L), entry, &faces, &m->model), "weft.model.create");
    return 1;
}

static void set_text(lua_State *L, const char *field, const char *text)
{
    if (text) {
        lua_pushstring(L, text);
        lua_setfield(L, -2, field);
    }
}

static void set_flag(lua_State *L, const char *field, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, field);
}

/* weft.model.list(): what the table says of each model */
static int model_list(lua_State *L)
{
    lua_createtable(L, wf_model_entry_count(), 0);
    for (int i = 0; i < wf_model_entry_count(); i++) {
        const wf_model_entry *entry = wf_model_entry_at(i);
        lua_createtable(L, 0, 10);
        set_text(L, "name", entry->name);
        set_text(L, "kind", wf_model_kind_name(entry->kind));
        set_text(L, "source", entry->source);
        set_text(L, "cannot", entry->cannot);
        set_flag(L, "published", entry->published);
        set_flag(L, "brakes_turning", entry->brakes_turning);
        set_flag(L, "fixed_frame", entry->fixed_frame);
        set_flag(L, "folds", entry->folds);
        set_flag(L, "curves", entry->curves);
        set_flag(L, "hysteresis", entry->hysteresis);
        set_flag(L, "grid", entry->grid);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* weft.model.springs { vertices =, pairs =, rest_lengths =, stiffness =, damping =, form = "projected" } */
static int model_springs(lua_State *L)
{
    static const char *const names[] = {"vertices", "pairs", "rest_lengths", "stiffness", "damping", "form", NULL};
    static const char *const forms[] = {"projected", "linear", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.model.springs", names);
    int form = 0;
    wf_lua_option_choice(&options, "form", forms, &form);
    wf_lua_require_option(&options, "vertices", "the number of vertices");
    wf_lua_require_option(&options, "pairs", "a list of index pairs");
    int64_t vertex_count = 0;
    wf_lua_option_integer(&options, "vertices", &vertex_count, 0, VERTEX_LIMIT);
    const int32_t *pairs;
    size_t count = wf_lua_option_index_groups(&options, "pairs", 2, (size_t)vertex_count, &pairs);
    wf_springs_def def = {.vertex_count = (int32_t)vertex_count, .count = (int32_t)count,
                          .pairs = (const int32_t(*)[2])pairs, .linear_damping = form == 1};
    def.rest_lengths = read_per_pair(&options, "rest_lengths", count, 0);
    def.stiffness = read_per_pair(&options, "stiffness", count, 1);
    def.damping = read_per_pair(&options, "damping", count, 0);
    wf_lua_model *m = wf_lua_push_model(L, "weft.model.springs");
    wf_lua_check_status(L, wf_springs_create(wf_lua_context(L), &def, &m->model), "weft.model.springs");
    return 1;
}

/* weft.model.masses { faces =, rest =, density = }: a buffer of one number per vertex */
static int model_masses(lua_State *L)
{
    static const char *const names[] = {"vertices", "faces", "rest", "density", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.model.masses", names);
    double density = 1;
    wf_lua_option_number(&options, "density", &density, WF_LUA_POSITIVE, WF_LUA_HIGHEST);
    wf_lua_sheet s = wf_lua_read_sheet(&options);
    double *densities = lua_newuserdata(L, ((size_t)s.face_count + 1) * sizeof *densities);
    for (int32_t face = 0; face < s.face_count; face++) {
        densities[face] = density;
    }
    double *mass = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)s.vertex_count, 1);
    wf_lua_check_status(L, wf_lumped_masses(wf_lua_context(L), s.vertex_count, s.face_count, s.faces, s.rest,
                                            densities, mass),
                        "weft.model.masses");
    return 1;
}

/* ---- methods --------------------------------------------------------------------------------------------------- */

static wf_lua_model *check_model(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_model_class, what);
}

static const wf_vec3 *require_positions(const wf_lua_options *options, const wf_lua_model *m)
{
    wf_lua_require_option(options, "x", "a list of points {x, y, z}");
    return wf_lua_option_per_vertex(options, "x", m->model->vertex_count);
}

/* model:energy { x =, matrix = } */
static int model_energy(lua_State *L)
{
    static const char *const names[] = {"x", "matrix", NULL};
    wf_lua_model *m = check_model(L, "weft.model.energy: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.energy", names);
    const wf_vec3 *x = require_positions(&options, m);
    bool matrix = false;
    wf_lua_option_boolean(&options, "matrix", &matrix);
    m = check_model(L, "weft.model.energy: self");
    lua_pushnumber(L, matrix ? wf_model_matrix_energy(wf_lua_context(L), m->model, x)
                             : wf_model_energy(wf_lua_context(L), m->model, x));
    return 1;
}

/* model:forces { x =, v = }: a buffer */
static int model_forces(lua_State *L)
{
    static const char *const names[] = {"x", "v", NULL};
    wf_lua_model *m = check_model(L, "weft.model.forces: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.forces", names);
    const wf_vec3 *x = require_positions(&options, m);
    const wf_vec3 *v = wf_lua_option_per_vertex(&options, "v", m->model->vertex_count);
    wf_vec3 *f = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)m->model->vertex_count, 3);
    m = check_model(L, "weft.model.forces: self");
    m->model->class->add_forces(wf_lua_context(L), m->model, x, v, f);
    return 1;
}

/* model:remember { x =, step = 0 } */
static int model_remember(lua_State *L)
{
    static const char *const names[] = {"x", "step", NULL};
    wf_lua_model *m = check_model(L, "weft.model.remember: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.remember", names);
    double step = 0;
    wf_lua_option_number(&options, "step", &step, 0, WF_LUA_HIGHEST);
    const wf_vec3 *x = require_positions(&options, m);
    m = check_model(L, "weft.model.remember: self");
    for (int32_t i = 0; i < m->model->vertex_count; i++) { /* what is not finite would be remembered for ever */
        if (!(wf_vec3_norm(x[i]) < 1e15)) {
            wf_lua_fail(L, "weft.model.remember: x[%d] must be finite and within 1e15 m of the origin", i + 1);
        }
    }
    const wf_model_class *class = m->model->class;
    if (class->set_history && m->face_count > 0) {
        if (!m->history) {
            m->history = wf_allocate(wf_lua_context(L), (size_t)m->face_count, sizeof *m->history);
            wf_lua_check_status(L, m->history ? WF_OK : WF_ERROR_MEMORY, "weft.model.remember");
        }
        class->update_history(wf_lua_context(L), m->model, x, m->history);
        class->set_history(wf_lua_context(L), m->model, m->history, x, step);
    }
    return 0;
}

/* What the model's matrix leaves out: dense [3 rows][3 rows] += factor u u^T. */
static wf_status add_low_rank(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness, double damping,
                              bool exact, double *dense)
{
    wf_low_rank terms = {0};
    size_t size = 3 * (size_t)model->vertex_count;
    wf_low_rank_begin(&terms, (size_t)model->vertex_count);
    wf_status status = model->class->add_low_rank(context, model, x, stiffness, damping, exact, &terms);
    for (size_t k = 0; status == WF_OK && k < terms.count; k++) {
        const double *u = &terms.vectors[k * terms.rows].x;
        for (size_t e = 0; e < size * size; e++) {
            dense[e] += terms.factors[k] * u[e / size] * u[e % size];
        }
    }
    wf_low_rank_free(context, &terms);
    return status;
}

/* dense: size x size numbers that Lua keeps */
static void push_dense(lua_State *L, const double *dense, int size)
{
    lua_createtable(L, size, 0);
    for (int i = 0; i < size; i++) {
        lua_createtable(L, size, 0);
        for (int j = 0; j < size; j++) {
            lua_pushnumber(L, dense[i * size + j]);
            lua_rawseti(L, -2, j + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
}

/* model:matrix { x =, stiffness = 1, damping = 0, exact = false }: a dense list of lists */
static int model_matrix(lua_State *L)
{
    static const char *const names[] = {"x", "stiffness", "damping", "exact", NULL};
    wf_lua_model *m = check_model(L, "weft.model.matrix: self");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.matrix", names);
    double stiffness = 1, damping = 0;
    bool exact = false;
    wf_lua_option_number(&options, "stiffness", &stiffness, 0, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "damping", &damping, 0, WF_LUA_HIGHEST);
    wf_lua_option_boolean(&options, "exact", &exact);
    const wf_vec3 *x = require_positions(&options, m);
    if (m->model->vertex_count > DENSE_LIMIT) {
        wf_lua_fail(L, "weft.model.matrix: dense matrices are for at most %d vertices, got %d", DENSE_LIMIT,
                    (int)m->model->vertex_count);
    }
    int size = 3 * m->model->vertex_count;
    double *dense = lua_newuserdata(L, ((size_t)size * (size_t)size + 1) * sizeof *dense);
    m = check_model(L, "weft.model.matrix: self");
    wf_model *model = m->model;
    wf_context *context = wf_lua_context(L);
    wf_status status = WF_OK;
    if (!m->matrix) {
        status = wf_block_matrix_create_for_models(context, model->vertex_count, 1, &model, &m->matrix);
    } else {
        /* A solve may have bound the model elsewhere in between. */
        status = model->class->bind(context, model, &m->matrix->block_pattern, &m->matrix->scalar_pattern);
    }
    wf_lua_check_status(L, status, "weft.model.matrix");
    const wf_matrix_terms terms = {.stiffness_scale = stiffness, .damping_scale = damping, .exact = exact};
    wf_block_matrix_assemble(context, m->matrix, &terms, 1, &model, NULL, x);
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            dense[i * size + j] = wf_block_matrix_entry(m->matrix, i / 3, j / 3).m[i % 3][j % 3];
        }
    }
    if (model->class->add_low_rank) {
        status = add_low_rank(context, model, x, stiffness, damping, exact, dense);
        wf_lua_check_status(L, status, "weft.model.matrix");
    }
    push_dense(L, dense, size);
    return 1;
}

static void check_membrane(lua_State *L, const wf_lua_model *m, const char *function)
{
    if (!m->membrane) {
        wf_lua_fail(L, "%s: only membranes have strains, got a model of %s", function, m->model->class->name);
    }
}

/* membrane:strains { x = }: a buffer of weft strain, warp strain, shear angle per face */
static int model_strains(lua_State *L)
{
    static const char *const names[] = {"x", NULL};
    wf_lua_model *m = check_model(L, "weft.model.strains: self");
    check_membrane(L, m, "weft.model.strains");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.strains", names);
    const wf_vec3 *x = require_positions(&options, m);
    double(*strains)[3] = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)m->model->stencil.count, 3);
    m = check_model(L, "weft.model.strains: self");
    wf_membrane_strains(wf_lua_context(L), m->model, x, strains);
    return 1;
}

/* membrane:frame { x =, face = }: the rotated weft and warp, and U11, U12, U22 */
static int model_frame(lua_State *L)
{
    static const char *const names[] = {"x", "face", NULL};
    wf_lua_model *m = check_model(L, "weft.model.frame: self");
    check_membrane(L, m, "weft.model.frame");
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.model.frame", names);
    int64_t face = 1;
    wf_lua_option_integer(&options, "face", &face, 1, m->model->stencil.count);
    const wf_vec3 *x = require_positions(&options, m);
    m = check_model(L, "weft.model.frame: self");
    wf_vec3 rotation[2];
    double stretch[3];
    wf_membrane_frame(m->model, (int32_t)face - 1, x, rotation, stretch);
    wf_lua_push_vec3(L, rotation[0]);
    wf_lua_push_vec3(L, rotation[1]);
    wf_lua_push_vec3(L, (wf_vec3){stretch[0], stretch[1], stretch[2]});
    return 3;
}

static const luaL_Reg model_methods[] = {{"energy", model_energy},   {"forces", model_forces},
                                         {"matrix", model_matrix},   {"strains", model_strains},
                                         {"frame", model_frame},     {"remember", model_remember},
                                         {NULL, NULL}};
static const wf_lua_property model_properties[] = {{"kind", get_kind, NULL},
                                                   {"vertices", get_vertices, NULL},
                                                   {"elements", get_elements, NULL},
                                                   {NULL, NULL, NULL}};

const wf_lua_class wf_lua_model_class = {"weft.model", model_methods, model_properties, describe_model,
                                         destroy_model};

void wf_lua_open_model(lua_State *L);

void wf_lua_open_model(lua_State *L)
{
    static const luaL_Reg functions[] = {{"model_membrane", model_membrane}, {"model_bending", model_bending},
                                         {"model_springs", model_springs},   {"model_masses", model_masses},
                                         {"model_create", model_create},     {"model_list", model_list},
                                         {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_model_class);
    wf_lua_set_functions(L, functions);
}
