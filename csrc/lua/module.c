/* module.c - weft.core: opens the parts of the binding and the functions that concern the whole module. */
#include "base/dispatch.h"
#include "base/nearest_name.h"
#include "lua/object.h"
#include "lua/options.h"

#define WEFT_VERSION "scm"

/* One line per part; each lives in lua_<part>.c or buffer.c. */
void wf_lua_open_air_cuts(lua_State *L);
void wf_lua_open_attachments(lua_State *L);
void wf_lua_open_body(lua_State *L);
void wf_lua_open_buffer(lua_State *L);
void wf_lua_open_cloth(lua_State *L);
void wf_lua_open_collider(lua_State *L);
void wf_lua_open_console(lua_State *L);
void wf_lua_open_contact(lua_State *L);
void wf_lua_open_fabric(lua_State *L);
void wf_lua_open_fit(lua_State *L);
void wf_lua_open_fittings(lua_State *L);
void wf_lua_open_flow(lua_State *L);
void wf_lua_open_garment(lua_State *L);
void wf_lua_open_laminate(lua_State *L);
void wf_lua_open_inspect(lua_State *L);
void wf_lua_open_io(lua_State *L);
void wf_lua_open_model(lua_State *L);
void wf_lua_open_rigid(lua_State *L);
void wf_lua_open_solve(lua_State *L);
void wf_lua_open_spring_net(lua_State *L);
void wf_lua_open_step_cloth(lua_State *L);
void wf_lua_open_step_equation(lua_State *L);
void wf_lua_open_step_integrator(lua_State *L);
void wf_lua_open_step_stability(lua_State *L);
void wf_lua_open_step_trial(lua_State *L);
void wf_lua_open_testbench(lua_State *L);
void wf_lua_open_triangulate(lua_State *L);
void wf_lua_open_wind_particles(lua_State *L);
void wf_lua_open_wind_source(lua_State *L);
void wf_lua_open_wind(lua_State *L);
void wf_lua_open_wind_drawing(lua_State *L);
void wf_lua_open_world(lua_State *L);

typedef void open_function(lua_State *L);

static open_function *const parts[] = {
    wf_lua_open_buffer,
    wf_lua_open_console,
    wf_lua_open_fabric,
    wf_lua_open_fit,
    wf_lua_open_fittings,
    wf_lua_open_laminate,
    wf_lua_open_model,
    wf_lua_open_attachments,
    wf_lua_open_solve,
    wf_lua_open_step_equation,
    wf_lua_open_step_integrator,
    wf_lua_open_step_stability,
    wf_lua_open_step_cloth,
    wf_lua_open_step_trial,
    wf_lua_open_spring_net,
    wf_lua_open_io,
    wf_lua_open_inspect,
    wf_lua_open_triangulate,
    wf_lua_open_body,
    wf_lua_open_rigid,
    wf_lua_open_garment,
    wf_lua_open_contact,
    wf_lua_open_collider,
    wf_lua_open_flow,
    wf_lua_open_cloth,
    wf_lua_open_wind_source,
    wf_lua_open_wind,
    wf_lua_open_wind_particles,
    wf_lua_open_wind_drawing, /* after the classes that it gives methods to */
    wf_lua_open_world,
    wf_lua_open_testbench,
    wf_lua_open_air_cuts,
};

/* core.threads() reads, core.threads(n) sets the number of threads that share the work. */
static int module_threads(lua_State *L)
{
    wf_context *context = wf_lua_context(L);
    if (!lua_isnoneornil(L, 1)) {
        int count = (int)wf_lua_check_integer(L, 1, "weft.threads: count", 1, 256);
        wf_lua_check_status(L, wf_context_set_threads(context, count), "weft.threads");
    }
    lua_pushinteger(L, wf_context_threads(context));
    return 1;
}

/* core.instruction_set() reads, core.instruction_set(name) sets what the inner loops are compiled for; also returns the
 * names of all that this processor and build have. */
static int module_instruction_set(lua_State *L)
{
    static const char *const names[] = {"best", "scalar", "baseline", "avx2", "avx512", NULL};
    wf_context *context = wf_lua_context(L);
    if (!lua_isnoneornil(L, 1)) {
        int set = wf_lua_check_choice(L, 1, "weft.instruction_set: name", names);
        wf_lua_check_status(L, wf_context_set_instruction_set(context, (wf_instruction_set)set),
                            "weft.instruction_set");
    }
    lua_pushstring(L, names[wf_context_instruction_set(context)]);
    lua_newtable(L);
    for (int set = WF_SCALAR, count = 0; names[set]; set++) {
        if (wf_instruction_set_available((wf_instruction_set)set)) {
            lua_pushstring(L, names[set]);
            lua_rawseti(L, -2, ++count);
        }
    }
    return 2;
}

/* core.memory(): the bytes that weft's C side holds now, and the most it held at once. */
static int module_memory(lua_State *L)
{
    wf_context *context = wf_lua_context(L);
    lua_pushinteger(L, (lua_Integer)wf_context_bytes(context));
    lua_pushinteger(L, (lua_Integer)wf_context_peak_bytes(context));
    return 2;
}

/* core.on_warning(handler or nil) */
static int module_on_warning(lua_State *L)
{
    lua_settop(L, 1);
    if (!lua_isnil(L, 1) && !lua_isfunction(L, 1)) {
        wf_lua_fail_value(L, 1, "weft.on_warning: handler", "a function or nil");
    }
    wf_lua_set_warning_handler(L);
    return 0;
}

/* core.nearest_name(name, list of names): the one that was probably meant, or nil. */
static int module_nearest_name(lua_State *L)
{
    enum { NAME_LIMIT = 256 };
    const char *names[NAME_LIMIT + 1], *name = wf_lua_check_string(L, 1, "weft.core.nearest_name: name");
    if (!lua_istable(L, 2)) {
        wf_lua_fail_value(L, 2, "weft.core.nearest_name: names", "a list of names");
    }
    int count = 0;
    for (int i = 1; i <= NAME_LIMIT; i++) {
        lua_rawgeti(L, 2, i);
        if (lua_type(L, -1) == LUA_TSTRING) {
            names[count++] = lua_tostring(L, -1); /* stays valid: the table holds it */
        }
        lua_pop(L, 1);
    }
    names[count] = NULL;
    lua_pushstring(L, wf_nearest_name(name, names));
    return 1;
}

/* core.value_text(value): the value as messages show it, shortened. */
static int module_value_text(lua_State *L)
{
    wf_lua_push_value_text(L, 1);
    return 1;
}

/* For tests: core.fail_allocation(n) lets the allocation after n further ones fail, once; without n, none. */
static int module_fail_allocation(lua_State *L)
{
    int64_t count = -1;
    if (!lua_isnoneornil(L, 1)) {
        count = wf_lua_check_integer(L, 1, "weft.core.fail_allocation: count", 0, INT32_MAX);
    }
    wf_context_fail_allocation(wf_lua_context(L), count);
    return 0;
}

/* For tests: core.warn(message) sends a warning as C code does. */
static int module_warn(lua_State *L)
{
    const char *message = wf_lua_check_string(L, 1, "weft.core.warn: message");
    wf_warn(wf_lua_context(L), "%s", message);
    wf_lua_check_status(L, WF_OK, "weft.core.warn");
    return 0;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int luaopen_weft_core(lua_State *L);

int luaopen_weft_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"threads", module_threads},
                                         {"instruction_set", module_instruction_set},
                                         {"memory", module_memory},
                                         {"on_warning", module_on_warning},
                                         {"nearest_name", module_nearest_name},
                                         {"value_text", module_value_text},
                                         {"fail_allocation", module_fail_allocation},
                                         {"warn", module_warn},
                                         {NULL, NULL}};
    wf_lua_open_module(L, "weft", functions);
    lua_pushliteral(L, WEFT_VERSION);
    lua_setfield(L, -2, "version");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i](L);
    }
    return 1;
}
