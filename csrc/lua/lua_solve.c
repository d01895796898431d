/* lua_solve.c - weft.solve: linear systems and static equilibria, for experiments and tests. */
#include <string.h>

#include "lua/buffer.h"
#include "lua/lua_model.h"
#include "lua/lua_solve.h"
#include "solve/equilibrium.h"

enum { MODEL_LIMIT = 16, PRECONDITIONER_LIMIT = 31, ROW_LIMIT = 1 << 24 };

/* ---- constraints ----------------------------------------------------------------------------------------------- */

static wf_lua_constraints read_constraints(const wf_lua_options *options, size_t rows)
{
    wf_lua_constraints c;
    const double *directions;
    c.fixed_count = wf_lua_option_indices(options, "fixed", rows, &c.fixed);
    c.guided_count = wf_lua_option_indices(options, "guided", rows, &c.guided);
    size_t direction_count = wf_lua_option_vectors(options, "directions", 3, &directions);
    c.directions = (const wf_vec3 *)directions;
    if (direction_count != c.guided_count) {
        wf_lua_fail(options->L, "%s: directions must have one vector for each of the %d guided vertices, got %d",
                    options->function, (int)c.guided_count, (int)direction_count);
    }
    return c;
}

static wf_status make_filter(wf_context *context, int32_t rows, const wf_lua_constraints *c, wf_filter **filter)
{
    wf_status status = wf_filter_create(context, rows, filter);
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < c->fixed_count; i++) {
        wf_filter_fix(*filter, c->fixed[i]);
    }
    for (size_t i = 0; i < c->guided_count && status == WF_OK; i++) {
        status = wf_filter_fix_direction(context, *filter, c->guided[i], c->directions[i]);
    }
    return status;
}

/* ---- linear systems -------------------------------------------------------------------------------------------- */

static wf_lua_block_list read_blocks(const wf_lua_options *options, const char *pairs_name, const char *blocks_name,
                              size_t rows)
{
    const int32_t *pairs;
    const double *blocks;
    wf_lua_block_list list = {.count = wf_lua_option_index_groups(options, pairs_name, 2, rows, &pairs)};
    size_t block_count = wf_lua_option_vectors(options, blocks_name, 9, &blocks);
    if (block_count != list.count) {
        wf_lua_fail(options->L, "%s: %s must have nine numbers for each of the %d pairs in %s, got %d",
                    options->function, blocks_name, (int)list.count, pairs_name, (int)block_count);
    }
    list.pairs = (const int32_t(*)[2])pairs;
    list.blocks = (const wf_mat3 *)blocks;
    return list;
}

static void fill_matrix(wf_block_matrix *matrix, const wf_lua_block_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        int32_t i = list->pairs[k][0], j = list->pairs[k][1];
        bool upper = j > i;
        wf_mat3 *block =
            &matrix->values.blocks[wf_pattern_place(&matrix->block_pattern, upper ? j : i, upper ? i : j)];
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                block->m[r][c] += upper ? list->blocks[k].m[c][r] : list->blocks[k].m[r][c];
            }
        }
    }
}

wf_status wf_lua_use_system(wf_context *context, const wf_lua_system *in, wf_lua_system_use *use, wf_vec3 *x,
                            void *user)
{
    wf_block_matrix *matrix = NULL;
    wf_contact_blocks *contacts = NULL;
    wf_filter *filter = NULL;
    wf_stencil stencil = {(int32_t)in->fixed_part.count, 2, (const int32_t *)in->fixed_part.pairs};
    wf_status status = wf_block_matrix_create(context, in->rows, 1, &stencil, 0, NULL, &matrix);
    if (status == WF_OK) {
        fill_matrix(matrix, &in->fixed_part);
        status = wf_contact_blocks_create(context, &contacts);
    }
    for (size_t k = 0; k < in->contact_part.count && status == WF_OK; k++) {
        status = wf_contact_blocks_add(context, contacts, in->contact_part.pairs[k][0], in->contact_part.pairs[k][1],
                                       &in->contact_part.blocks[k]);
    }
    if (status == WF_OK) {
        status = wf_contact_blocks_finish(context, contacts, in->rows);
    }
    if (status == WF_OK) {
        status = make_filter(context, in->rows, &in->held, &filter);
    }
    if (status == WF_OK) {
        wf_linear_system system = {.matrix = matrix, .contacts = contacts, .filter = filter,
                                   .positions = in->positions};
        status = use(context, &system, in, x, user);
    }
    wf_filter_destroy(context, filter);
    wf_contact_blocks_destroy(context, contacts);
    wf_block_matrix_destroy(context, matrix);
    return status;
}

/* user: wf_pcg_result */
static wf_status solve_by_gradients(wf_context *context, const wf_linear_system *system, const wf_lua_system *in,
                                    wf_vec3 *x, void *user)
{
    wf_pcg_workspace workspace = {0};
    wf_status status = wf_pcg_solve(context, system, in->b, x, &in->params, &workspace, user);
    wf_pcg_workspace_free(context, &workspace);
    return status;
}

static wf_status multiply_system(wf_context *context, const wf_linear_system *system, const wf_lua_system *in,
                                 wf_vec3 *x, void *user)
{
    (void)user;
    wf_linear_system_multiply(context, system, in->b, x);
    return WF_OK;
}

/* One vector for each row, or NULL where the option is not given. */
static const wf_vec3 *optional_vectors(const wf_lua_options *options, const char *name, size_t rows)
{
    const double *values;
    size_t count = wf_lua_option_vectors(options, name, 3, &values);
    if (values && count != rows) {
        wf_lua_fail(options->L, "%s: %s must have %d vectors, got %d", options->function, name, (int)rows, (int)count);
    }
    return (const wf_vec3 *)values;
}

static const wf_vec3 *require_vectors(const wf_lua_options *options, const char *name, size_t rows)
{
    wf_lua_require_option(options, name, "a list of vectors {x, y, z}");
    return optional_vectors(options, name, rows);
}

const char *const wf_lua_system_names[] = {"rows", "pairs", "blocks", "contact_pairs", "contact_blocks", "fixed",
                                           "guided", "directions", "b", "x", "positions", "method",
                                           "relative_tolerance", "absolute_tolerance", "max_iterations",
                                           "preconditioner", "precision", NULL};

static void read_preconditioner(const wf_lua_options *options, const wf_preconditioner **preconditioner)
{
    const char *names[PRECONDITIONER_LIMIT + 1] = {NULL};
    int chosen = 0;
    for (int i = 0; i < PRECONDITIONER_LIMIT && wf_preconditioners[i]; i++) {
        names[i] = wf_preconditioners[i]->name;
        chosen = wf_preconditioners[i] == *preconditioner ? i : chosen;
    }
    wf_lua_option_choice(options, "preconditioner", names, &chosen);
    *preconditioner = wf_preconditioners[chosen];
}

wf_lua_system wf_lua_read_system(const wf_lua_options *options)
{
    static const char *const methods[] = {"conjugate gradients", "cholmod", NULL};
    static const char *const precisions[] = {"single", "double", NULL};
    int64_t rows = 0;
    wf_lua_require_option(options, "rows", "the number of vertices");
    wf_lua_option_integer(options, "rows", &rows, 1, ROW_LIMIT);
    wf_lua_system in = {.rows = (int32_t)rows, .params = wf_default_pcg_params()};
    in.fixed_part = read_blocks(options, "pairs", "blocks", (size_t)rows);
    in.contact_part = read_blocks(options, "contact_pairs", "contact_blocks", (size_t)rows);
    in.held = read_constraints(options, (size_t)rows);
    in.b = require_vectors(options, "b", (size_t)rows);
    in.positions = optional_vectors(options, "positions", (size_t)rows);
    in.start = optional_vectors(options, "x", (size_t)rows);
    int64_t most = in.params.max_iterations;
    int method = 0, precision = in.params.precision;
    wf_lua_option_number(options, "relative_tolerance", &in.params.relative_tolerance, 0, 1);
    wf_lua_option_number(options, "absolute_tolerance", &in.params.absolute_tolerance, 0, WF_LUA_HIGHEST);
    wf_lua_option_integer(options, "max_iterations", &most, 0, INT32_MAX);
    wf_lua_option_choice(options, "method", methods, &method);
    wf_lua_option_choice(options, "precision", precisions, &precision);
    read_preconditioner(options, &in.params.preconditioner);
    in.params.max_iterations = (int32_t)most;
    in.params.precision = (wf_pcg_precision)precision;
    in.direct = method == 1;
    return in;
}

wf_vec3 *wf_lua_push_start(lua_State *L, const wf_lua_system *in)
{
    wf_vec3 *x = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)in->rows, 3);
    if (in->start) {
        memcpy(x, in->start, (size_t)in->rows * sizeof *x);
    }
    return x;
}

/* weft.solve.linear { rows =, pairs =, blocks =, b =, ... }: x (a buffer) and what it took. The method "cholmod" is
 * another part's. */
static int solve_linear(lua_State *L)
{
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.solve.linear", wf_lua_system_names);
    wf_lua_system in = wf_lua_read_system(&options);
    if (in.direct) { /* lua/weft/solve.lua asks weft.cholmod_core */
        wf_lua_fail(L, "weft.solve.linear: the method cholmod must be the table's own field");
    }
    wf_vec3 *x = wf_lua_push_start(L, &in);
    wf_pcg_result result = {0};
    wf_lua_check_status(L, wf_lua_use_system(wf_lua_context(L), &in, solve_by_gradients, x, &result),
                        "weft.solve.linear");
    lua_createtable(L, 0, 5);
    wf_lua_set_number(L, "iterations", result.iterations);
    wf_lua_set_number(L, "islands", result.islands);
    wf_lua_set_number(L, "residual", result.residual);
    lua_pushboolean(L, result.converged);
    lua_setfield(L, -2, "converged");
    lua_pushboolean(L, result.fell_back);
    lua_setfield(L, -2, "fell_back");
    return 2;
}

/* weft.solve.product { rows =, pairs =, blocks =, b =, ... }: the matrix times b (a buffer) */
static int solve_product(lua_State *L)
{
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.solve.product", wf_lua_system_names);
    wf_lua_system in = wf_lua_read_system(&options);
    wf_vec3 *y = wf_lua_push_buffer(L, WF_LUA_DOUBLE, (size_t)in.rows, 3);
    wf_lua_check_status(L, wf_lua_use_system(wf_lua_context(L), &in, multiply_system, y, NULL), "weft.solve.product");
    return 1;
}

/* ---- equilibrium ----------------------------------------------------------------------------------------------- */

/* The list of model handles on top of the stack. */
static int32_t read_models(lua_State *L, wf_model **models)
{
    int table = lua_gettop(L);
    size_t count = wf_lua_raw_length(L, table);
    if (count < 1 || count > MODEL_LIMIT) {
        wf_lua_fail(L, "weft.solve.equilibrium: models must be a list of 1 to %d models, got %d", MODEL_LIMIT,
                    (int)count);
    }
    luaL_checkstack(L, (int)count + 8, "weft.solve.equilibrium");
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, table, (int)i + 1); /* stays on the stack: keeps the handle alive */
        wf_lua_model *m = wf_lua_check_object(L, -1, &wf_lua_model_class, "weft.solve.equilibrium: a model");
        models[i] = m->model;
        for (size_t j = 0; j < i; j++) {
            if (models[j] == models[i]) {
                wf_lua_fail(L, "weft.solve.equilibrium: models must be different, got one twice");
            }
        }
    }
    return (int32_t)count;
}

static wf_status run_equilibrium(wf_context *context, int32_t rows, int32_t model_count, wf_model *const *models,
                                 const wf_vec3 *load, const wf_lua_constraints *held, wf_vec3 *x,
                                 const wf_equilibrium_params *params, wf_equilibrium_result *result)
{
    wf_filter *filter = NULL;
    wf_status status = make_filter(context, rows, held, &filter);
    if (status == WF_OK) {
        status = wf_equilibrium_solve(context, rows, model_count, models, load, filter, x, params, result);
    }
    wf_filter_destroy(context, filter);
    return status;
}

/* weft.solve.equilibrium { models =, x =, load =, fixed =, ... }: x (a buffer) and what it took */
static int solve_equilibrium(lua_State *L)
{
    static const char *const names[] = {"models",     "x",         "load",          "fixed", "guided",
                                        "directions", "tolerance", "linear_tolerance", "max_iterations",
                                        "preconditioner", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.solve.equilibrium", names);
    const double *start;
    wf_lua_require_option(&options, "x", "a list of points {x, y, z}");
    size_t rows = wf_lua_option_vectors(&options, "x", 3, &start);
    const wf_vec3 *load = require_vectors(&options, "load", rows);
    wf_lua_constraints held = read_constraints(&options, rows);
    wf_equilibrium_params params = wf_default_equilibrium_params();
    int64_t most = params.max_iterations;
    wf_lua_option_number(&options, "tolerance", &params.tolerance, WF_LUA_POSITIVE, 1);
    wf_lua_option_number(&options, "linear_tolerance", &params.pcg.relative_tolerance, WF_LUA_POSITIVE, 1);
    wf_lua_option_integer(&options, "max_iterations", &most, 0, INT32_MAX);
    read_preconditioner(&options, &params.pcg.preconditioner);
    params.max_iterations = (int32_t)most;
    wf_vec3 *x = wf_lua_push_buffer(L, WF_LUA_DOUBLE, rows, 3);
    memcpy(x, start, rows * sizeof *x);
    int buffer = lua_gettop(L);
    wf_model *models[MODEL_LIMIT];
    wf_lua_require_option(&options, "models", "a list of models");
    wf_lua_option_typed(&options, "models", LUA_TTABLE);
    int32_t model_count = read_models(L, models);
    wf_equilibrium_result result = {0};
    wf_lua_check_status(L, run_equilibrium(wf_lua_context(L), (int32_t)rows, model_count, models, load, &held, x,
                                           &params, &result),
                        "weft.solve.equilibrium");
    lua_pushvalue(L, buffer);
    lua_createtable(L, 0, 5);
    wf_lua_set_number(L, "iterations", result.iterations);
    wf_lua_set_number(L, "linear_iterations", result.pcg_iterations);
    wf_lua_set_number(L, "residual", result.residual);
    wf_lua_set_number(L, "energy", result.energy);
    lua_pushboolean(L, result.converged);
    lua_setfield(L, -2, "converged");
    return 2;
}

void wf_lua_open_solve(lua_State *L);

void wf_lua_open_solve(lua_State *L)
{
    static const luaL_Reg functions[] = {{"solve_linear", solve_linear},
                                         {"solve_product", solve_product},
                                         {"solve_equilibrium", solve_equilibrium},
                                         {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
