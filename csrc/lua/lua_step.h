/* lua_step.h - weft.step: equations and integrators as Lua handles, and how other parts read them from options. */
#ifndef WEFT_LUA_STEP_H
#define WEFT_LUA_STEP_H

#include "lua/object.h"
#include "step/equation.h"
#include "step/integrator.h"

/* ---- equations ------------------------------------------------------------------------------------------------- */

struct wf_lua_script; /* the functions of an equation that a script gave */

typedef struct wf_lua_equation {
    wf_equation *equation;
    struct wf_lua_script *script; /* owned by the equation; NULL where no Lua is called */
    bool busy;                    /* being integrated, further up the stack */
} wf_lua_equation;

extern const wf_lua_class wf_lua_equation_class;

/* The equation at `index`: a handle, or the name of a problem, which is made and takes that place, or a spring net,
 * whose equation does. */
wf_lua_equation *wf_lua_take_equation(lua_State *L, int index, const char *what);

/* Pushes a handle that owns the equation which `make` then puts there; see wf_lua_new_object. */
wf_lua_equation *wf_lua_new_equation(lua_State *L, const char *function);

/* Around every C call that evaluates the equation at `index`: lets its Lua functions be called, and refuses an equation
 * that is being integrated further up the stack. `leave` comes before any error is raised. */
void wf_lua_enter_equation(lua_State *L, int index, const char *what);
void wf_lua_leave_equation(wf_lua_equation *equation);

/* The numbers of a state: a list of `size` of them, a list of points, or a buffer; NULL when the option is absent.
 * Stays on the stack, as with wf_lua_option_list. */
const double *wf_lua_option_state(const wf_lua_options *options, const char *name, size_t size);

/* Pushes a state: a buffer of points where they are in space, else a list of numbers. */
void wf_lua_push_state(lua_State *L, const wf_equation *equation, const double *values);

/* ---- integrators ----------------------------------------------------------------------------------------------- */

typedef struct wf_lua_integrator {
    wf_integrator *integrator;
    bool busy;
} wf_lua_integrator;

extern const wf_lua_class wf_lua_integrator_class;

/* The integrator at `index`: a handle, the name of a scheme, or a table { scheme =, its options }; the latter two are
 * made and take that place. */
wf_lua_integrator *wf_lua_take_integrator(lua_State *L, int index, const char *what);

/* The same for measurements that need the step they ask for: schemes that choose their step by an error estimate take
 * all of it; handles of such are refused. */
wf_lua_integrator *wf_lua_take_plain_integrator(lua_State *L, int index, const char *what);

/* Reads the table at `index`, { scheme =, its options }: the scheme's name, which stays on the stack, and parameters.
 * The tableau is kept in `tableau`. */
const char *wf_lua_read_integrator(lua_State *L, int index, const char *function, wf_integrator_params *params,
                                   wf_tableau *tableau);

/* Marks as in use, or raises; then `leave`, as for equations. */
void wf_lua_enter_integrator(lua_State *L, wf_lua_integrator *integrator, const char *what);
void wf_lua_leave_integrator(wf_lua_integrator *integrator);

void wf_lua_open_step_equation(lua_State *L);
void wf_lua_open_step_integrator(lua_State *L);
void wf_lua_open_step_stability(lua_State *L);
void wf_lua_open_step_trial(lua_State *L);

#endif
