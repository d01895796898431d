/* object.h - C objects as Lua handles, and what the binding keeps per Lua state.
 *
 * A handle is a userdata that holds a pointer. Handles are collected, and can be closed earlier with `object:close()`,
 * any number of times. Using a closed handle is a Lua error. A handle made with a parent keeps the parent alive and is
 * closed when the parent is. One that others hold leaves them when it is closed. Each Lua state has one wf_context,
 * destroyed after its last handle; the shared object is linked with -z nodelete, so finalizers that run late still find
 * its code.
 *
 * Adding a class takes one file, lua_<part>.c, and one line in module.c:
 *
 *     static int ball_roll(lua_State *L)                       // ball:roll { speed = 2 }
 *     {
 *         static const char *const names[] = {"speed", NULL};
 *         wf_ball *ball = wf_lua_check_object(L, 1, &ball_class, "weft.ball.roll: self");
 *         wf_lua_options options = wf_lua_open_options(L, 2, "weft.ball.roll", names);
 *         double speed = 1;
 *         wf_lua_option_number(&options, "speed", &speed, 0, 100);
 *         wf_lua_check_status(L, wf_ball_roll(ball, speed), "weft.ball.roll");
 *         return 0;
 *     }
 *
 *     static void get_radius(lua_State *L, void *object) { lua_pushnumber(L, wf_ball_radius(object)); }
 *     static void set_radius(lua_State *L, void *object, int index, const char *what)  // what: "weft.ball: radius"
 *     {
 *         double radius = wf_lua_check_number(L, index, what, WF_LUA_POSITIVE, 10);
 *         wf_lua_check_status(L, wf_ball_set_radius(object, radius), "weft.ball");
 *     }
 *     static void describe_ball(lua_State *L, void *object) { lua_pushfstring(L, "weft.ball (%f m)", ...); }
 *     static void destroy_ball(wf_context *context, void *object, void *parent) { wf_ball_destroy(object); }
 *
 *     static const luaL_Reg ball_methods[] = {{"roll", ball_roll}, {NULL, NULL}};
 *     static const wf_lua_property ball_properties[] = {{"radius", get_radius, set_radius}, {NULL, NULL, NULL}};
 *     const wf_lua_class ball_class = {"weft.ball", ball_methods, ball_properties, describe_ball, destroy_ball};
 *
 *     static int ball_new(lua_State *L)                        // weft.ball { radius = 0.1 }
 *     {
 *         ... read the options into parameters ...
 *         void **slot = wf_lua_new_object(L, &ball_class, 0);
 *         wf_ball *ball = NULL;
 *         wf_status status = wf_ball_create(wf_lua_context(L), &parameters, &ball);
 *         *slot = ball;
 *         wf_lua_check_status(L, status, "weft.ball");
 *         return 1;
 *     }
 *
 *     void wf_lua_open_ball(lua_State *L)                      // the module table weft.core is on top of the stack
 *     {
 *         static const luaL_Reg functions[] = {{"ball", ball_new}, {NULL, NULL}};
 *         wf_lua_register_class(L, &ball_class);
 *         wf_lua_set_functions(L, functions);
 *     }
 *
 * Any Lua call that allocates may run a script's finalizers, and callbacks may do anything; both may close handles.
 * While a function of weft runs, closing therefore only marks a handle: pointers to objects whose handles are on the
 * stack, or kept in another handle's own table, stay valid until the function returns. What others hold leaves them
 * then. Objects of handles that nothing holds may go whenever Lua allocates.
 */
#ifndef WEFT_LUA_OBJECT_H
#define WEFT_LUA_OBJECT_H

#include "lua/compat.h"
#include "lua/error.h"
#include "lua/options.h"

/* ---- per Lua state --------------------------------------------------------------------------------------------- */

/* The state's context. Raises while the Lua state shuts down and the context is gone. */
wf_context *wf_lua_context(lua_State *L);

/* Pops a function or nil: the receiver of warnings, called with the message. nil discards them. */
void wf_lua_set_warning_handler(lua_State *L);

/* Calls the handler for each warning that came since the last delivery. Never raises what the handler raises. */
void wf_lua_deliver_warnings(lua_State *L);

/* A protected call of the function with `argument_count` arguments on the stack, for callbacks. On failure the error is
 * left on the stack as text and false returned. */
bool wf_lua_call_back(lua_State *L, int argument_count, int result_count);

/* ---- functions ------------------------------------------------------------------------------------------------- */

/* Adds `functions`, ended by NULL, to the table on top of the stack. They, and all methods and properties of classes,
 * run in the default floating-point environment, whatever the host has set (guard.c). */
void wf_lua_set_functions(lua_State *L, const luaL_Reg *functions);

/* Which functions of weft are at work, the innermost last: the coroutine that each was called in. More than one are
 * when one called back into Lua, or when it allocated and the collector ran a script's finalizer, in which a coroutine
 * may run. Functions that an error has left are still listed until the next call (guard.c). */
enum { WF_LUA_GUARD_LIMIT = 8, WF_LUA_RUNNING_LIMIT = 64 };

typedef struct wf_lua_running {
    int count;     /* WF_LUA_RUNNING_LIMIT stands for more too */
    int callbacks; /* functions of scripts that wf_lua_call_back is calling */
    int closing;   /* handles that wf_lua_finish_closing has to see to */
    lua_State *coroutines[WF_LUA_RUNNING_LIMIT];
    lua_CFunction guards[WF_LUA_GUARD_LIMIT]; /* what calls them, of every shared object that uses this state */
} wf_lua_running;

/* Those of the Lua state. Raises while it shuts down. */
wf_lua_running *wf_lua_get_running(lua_State *L);

/* Tells `running` of this shared object's guard. */
void wf_lua_add_guard(wf_lua_running *running);

/* Takes what was closed while a function of weft ran out of what holds it, and frees it; guard.c calls it when none
 * runs any more. */
void wf_lua_finish_closing(lua_State *L);

/* Pushes one such function with the `upvalue_count` values on top of the stack, which it finds from upvalue 2 on. */
void wf_lua_push_function(lua_State *L, lua_CFunction function, int upvalue_count);

/* ---- classes --------------------------------------------------------------------------------------------------- */

/* A field that reads back. `get` pushes one value; `set` is NULL for what cannot be set. The object's handle is at
 * stack index 1 in both, the field's name at 2; `what` names it in messages ("weft.world: time_step"). */
typedef struct wf_lua_property {
    const char *name;
    void (*get)(lua_State *L, void *object);
    void (*set)(lua_State *L, void *object, int index, const char *what);
} wf_lua_property;

typedef struct wf_lua_class {
    const char *name;                  /* "weft.world" */
    const luaL_Reg *methods;           /* ended by NULL; `close` is added */
    const wf_lua_property *properties; /* ended by NULL, or NULL; `closed` is added */
    /* Pushes one line for print(object). NULL: the name. */
    void (*describe)(lua_State *L, void *object);
    /* Frees the object, once, when its handle is closed or collected. `parent` is NULL where there is none or where it
     * was closed before. NULL: the parent owns the object. Must not call Lua. */
    void (*destroy)(wf_context *context, void *object, void *parent);
} wf_lua_class;

/* Pushes the table of a shared object that Lua opens, with these functions and room for classes. name: for the message
 * when there is no room. */
void wf_lua_open_module(lua_State *L, const char *name, const luaL_Reg *functions);

/* Makes the class known. The table on top of the stack is weft.core; its field `classes` maps names to method tables,
 * to which Lua code may add methods, and its field `fields` to tables whose keys are the properties' names. */
void wf_lua_register_class(lua_State *L, const wf_lua_class *class);

/* Pushes a handle and returns the place of its pointer, still NULL (a handle whose pointer stays NULL counts as
 * closed). `parent_index` is the stack index of the parent's handle, or 0. */
void **wf_lua_new_object(lua_State *L, const wf_lua_class *class, int parent_index);

/* The object of the handle at `index`. Raises `what must be a weft.ball, got 3`, or `what is a closed weft.ball`. */
void *wf_lua_check_object(lua_State *L, int index, const wf_lua_class *class, const char *what);

/* Whether the value at `index` is a handle of this class, open or closed. */
bool wf_lua_is_object(lua_State *L, int index, const wf_lua_class *class);
/* Whether it is a handle of any class that is not closed. */
bool wf_lua_is_open(lua_State *L, int index);

/* The object of the parent of the handle at `index`; NULL without parent or when it is closed. */
void *wf_lua_parent_object(lua_State *L, int index);

/* Pushes the parent's handle of the handle at `index`, or nil. */
void wf_lua_push_parent(lua_State *L, int index);

/* Pushes a new table that keeps no keys (mode "k") or no values ("v") alive. */
void wf_lua_push_weak_table(lua_State *L, const char *mode);

/* Pushes a table that lives as long as the handle at `index`: for callbacks, cached buffers and the like. */
void wf_lua_push_own_table(lua_State *L, int index);

/* The object of the handle at `index` is held by that of the handle at `holder`, which would keep it when the handle is
 * closed: before that `let_go`, a function that Lua calls with both handles, takes it out. A holder that lets go of it
 * otherwise is to be forgotten. */
void wf_lua_hold(lua_State *L, int holder, int index, lua_CFunction let_go);
void wf_lua_forget_holder(lua_State *L, int holder, int index);

/* Pushes "a weft.ball", "a closed weft.ball", or "a userdata" for a stranger. */
void wf_lua_push_object_kind(lua_State *L, int index);

#endif
