/* error.h - from wf_status to Lua errors, and how values are named in messages.
 *
 * A Lua error is a longjmp. Nothing that must be freed may be held by a C variable alone across a call that can raise;
 * that is every Lua API function that allocates, and everything in this folder. Give it to a handle first (object.h).
 *
 * Messages read `function: argument must be <expected>, got <value>`, preceded by the script's position as usual in
 * Lua.
 */
#ifndef WEFT_LUA_ERROR_H
#define WEFT_LUA_ERROR_H

#include "lua/compat.h"

/* Raises `message` formatted as by lua_pushfstring, with the position of the calling Lua code in front. */
int wf_lua_fail(lua_State *L, const char *format, ...);

/* Hands waiting warnings to the script's handler; then raises `function: context's message` unless status is WF_OK.
 * Every call of a C function that returns a wf_status or may warn ends here. */
void wf_lua_check_status(lua_State *L, wf_status status, const char *function);

/* Raises `what must be <expected>, got <the value at index>`; `what` is "weft.sheet: cells". */
int wf_lua_fail_value(lua_State *L, int index, const char *what, const char *expected);

/* Pushes a short text for the value at `index`: {0, 10}, "text", nil as nothing, a closed weft.world. */
void wf_lua_push_value_text(lua_State *L, int index);

#endif
