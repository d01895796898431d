/* lua_cholmod.c - weft.cholmod_core: the direct solver as a shared object of its own, because it needs CHOLMOD. It
 * shares the Lua state's context and the classes of weft.core, which is loaded before it.
 */
#include "direct/cholmod_solver.h"
#include "lua/buffer.h"
#include "lua/lua_solve.h"
#include "lua/object.h"

typedef struct direct_solve {
    wf_cholmod_solver *solver;
    wf_cholmod_result result;
} direct_solve;

static wf_status use_solver(wf_context *context, const wf_linear_system *system, const wf_lua_system *in, wf_vec3 *x,
                            void *user)
{
    direct_solve *d = user;
    return wf_cholmod_solve(context, d->solver, system, in->b, x, &d->result);
}

static const wf_lua_class direct_class;

/* solver:solve(options): as weft.solve.linear */
static int direct_solve_system(lua_State *L)
{
    direct_solve d = {.solver = wf_lua_check_object(L, 1, &direct_class, "weft.solve.linear: self")};
    wf_lua_options options = wf_lua_open_options(L, 2, "weft.solve.linear", wf_lua_system_names);
    wf_lua_system in = wf_lua_read_system(&options);
    wf_vec3 *x = wf_lua_push_start(L, &in);
    wf_lua_check_status(L, wf_lua_use_system(wf_lua_context(L), &in, use_solver, x, &d), "weft.solve.linear");
    lua_createtable(L, 0, 4);
    wf_lua_set_number(L, "iterations", 0);
    wf_lua_set_number(L, "residual", d.result.residual);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "converged");
    lua_pushboolean(L, d.result.reused);
    lua_setfield(L, -2, "reused");
    return 2;
}

static void describe(lua_State *L, void *object)
{
    (void)object;
    lua_pushliteral(L, "weft.cholmod (sparse Cholesky factors)");
}

static void destroy(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_cholmod_solver_destroy(context, object);
}

static const luaL_Reg methods[] = {{"solve", direct_solve_system}, {NULL, NULL}};
static const wf_lua_property properties[] = {{NULL, NULL, NULL}};
static const wf_lua_class direct_class = {"weft.cholmod", methods, properties, describe, destroy};

static int open_solver(lua_State *L)
{
    void **slot = wf_lua_new_object(L, &direct_class, 0);
    wf_cholmod_solver *solver = NULL;
    wf_status status = wf_cholmod_solver_create(wf_lua_context(L), &solver);
    *slot = solver;
    wf_lua_check_status(L, status, "weft.solve.linear");
    return 1;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int luaopen_weft_cholmod_core(lua_State *L);

int luaopen_weft_cholmod_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", open_solver}, {NULL, NULL}};
    wf_lua_open_module(L, "weft.solve", functions);
    wf_lua_register_class(L, &direct_class);
    return 1;
}
