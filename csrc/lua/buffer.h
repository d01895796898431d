/* buffer.h - vertex data for Lua: a bounds-checked view of an array that belongs to an object, or an array of its own.
 *
 * A view retains the block it looks at (wf_retain), so its memory stays valid after a topology change gave the owner a
 * new array; it then keeps the values of that moment, and the owner's property gives a view of the present array.
 */
#ifndef WEFT_LUA_BUFFER_H
#define WEFT_LUA_BUFFER_H

#include "lua/object.h"

typedef enum wf_lua_element {
    WF_LUA_DOUBLE,
    WF_LUA_FLOAT,
    WF_LUA_INDEX /* int32_t, 0-based in C, shown 1-based */
} wf_lua_element;

typedef struct wf_lua_view {
    void *block;       /* as wf_allocate or wf_reserve returned it */
    const void *data;  /* the first element, within the block */
    wf_lua_element element;
    size_t count;      /* vertices, faces, ... */
    int components;    /* 3 for points, 1 to 16 */
    bool writable;     /* whether a script may set values */
} wf_lua_view;

extern const wf_lua_class wf_lua_buffer_class;

/* Describes an array of `object` as it is now. */
typedef void wf_lua_view_function(void *object, wf_lua_view *view);

/* Pushes a view of an array of the open object whose handle is at `owner_index`. It is kept in the owner under `key`
 * and given again while the array is the same, so reading a property every frame makes no garbage. */
void wf_lua_push_view(lua_State *L, int owner_index, const wf_lua_class *owner_class, const char *key,
                      wf_lua_view_function *view);

/* Pushes a writable buffer with zeroed memory of its own and returns the memory. */
void *wf_lua_push_buffer(lua_State *L, wf_lua_element element, size_t count, int components);

/* Makes the buffer on top of the stack read-only for scripts: it shows a copy of what belongs to an object, and writing
 * to it would change nothing. */
void wf_lua_seal_buffer(lua_State *L);

/* The view of the open buffer at `index`; `components` 0 takes any. Valid until Lua runs again. */
const wf_lua_view *wf_lua_check_buffer(lua_State *L, int index, const char *what, wf_lua_element element,
                                       int components);

#endif
