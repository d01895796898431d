/* buffer.c - weft.buffer and weft.anchor; see buffer.h. */
#include "lua/buffer.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

enum { COMPONENT_LIMIT = 16 };
static const int64_t COUNT_LIMIT = INT32_MAX;

static const char *const element_names[] = {"double", "float", "index", NULL};
static const size_t element_sizes[] = {sizeof(double), sizeof(float), sizeof(int32_t)};

static size_t value_count(const wf_lua_view *view)
{
    return view->count * (size_t)view->components;
}

static size_t byte_count(const wf_lua_view *view)
{
    return value_count(view) * element_sizes[view->element];
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static void push_value(lua_State *L, const wf_lua_view *view, size_t position)
{
    switch (view->element) {
    case WF_LUA_DOUBLE: lua_pushnumber(L, ((const double *)view->data)[position]); break;
    case WF_LUA_FLOAT: lua_pushnumber(L, ((const float *)view->data)[position]); break;
    case WF_LUA_INDEX: wf_lua_push_index(L, (size_t)((const int32_t *)view->data)[position]); break;
    }
}

/* Raises unless the value on the stack can be stored; nothing is written. */
static void check_value(lua_State *L, const wf_lua_view *view, int index, const char *what)
{
    switch (view->element) {
    case WF_LUA_DOUBLE: wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST); break;
    case WF_LUA_FLOAT: wf_lua_check_number(L, index, what, -FLT_MAX, FLT_MAX); break;
    case WF_LUA_INDEX: wf_lua_check_index(L, index, what, INT32_MAX); break;
    }
}

/* Stores a value that check_value has passed. */
static void store_value(lua_State *L, const wf_lua_view *view, int index, size_t position)
{
    void *data = (void *)view->data; /* callers have made sure that the view is writable */
    switch (view->element) {
    case WF_LUA_DOUBLE: ((double *)data)[position] = lua_tonumber(L, index); break;
    case WF_LUA_FLOAT: ((float *)data)[position] = (float)lua_tonumber(L, index); break;
    case WF_LUA_INDEX:
        ((int32_t *)data)[position] = (int32_t)wf_lua_check_index(L, index, "weft.buffer", INT32_MAX);
        break;
    }
}

static wf_lua_view *check_self(lua_State *L, const char *what)
{
    return wf_lua_check_object(L, 1, &wf_lua_buffer_class, what);
}

static wf_lua_view *check_writable(lua_State *L, const char *function, const char *what)
{
    wf_lua_view *view = check_self(L, what);
    if (!view->writable) {
        wf_lua_fail(L, "%s: this buffer is read-only: it shows what an object has, which only the object's own methods "
                    "change", function);
    }
    return view;
}

/* buffer:get(index) returns the components of one element. */
static int buffer_get(lua_State *L)
{
    const wf_lua_view *view = check_self(L, "weft.buffer.get: self");
    size_t first = wf_lua_check_index(L, 2, "weft.buffer.get: index", view->count) * (size_t)view->components;
    luaL_checkstack(L, view->components, "weft.buffer.get: no room");
    for (int c = 0; c < view->components; c++) {
        push_value(L, view, first + (size_t)c);
    }
    return view->components;
}

/* buffer:set(index, value, ...) */
static int buffer_set(lua_State *L)
{
    const wf_lua_view *view = check_writable(L, "weft.buffer.set", "weft.buffer.set: self");
    size_t first = wf_lua_check_index(L, 2, "weft.buffer.set: index", view->count) * (size_t)view->components;
    if (lua_gettop(L) != 2 + view->components) {
        wf_lua_fail(L, "weft.buffer.set: expected %d values, got %d", view->components, lua_gettop(L) - 2);
    }
    for (int c = 0; c < view->components; c++) {
        check_value(L, view, 3 + c, "weft.buffer.set: value");
    }
    for (int c = 0; c < view->components; c++) {
        store_value(L, view, 3 + c, first + (size_t)c);
    }
    return 0;
}

static int buffer_length(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)check_self(L, "weft.buffer: self")->count);
    return 1;
}

/* ---- bulk copies ----------------------------------------------------------------------------------------------- */

/* buffer:table(): a list of numbers, or of lists when there are several components. */
static int buffer_table(lua_State *L)
{
    const wf_lua_view *view = check_self(L, "weft.buffer.table: self");
    int components = view->components;
    lua_settop(L, 1);
    lua_createtable(L, (int)view->count, 0);
    for (size_t i = 0; i < view->count; i++) {
        if (components == 1) {
            push_value(L, view, i);
        } else {
            lua_createtable(L, components, 0);
            for (int c = 0; c < components; c++) {
                push_value(L, view, i * (size_t)components + (size_t)c);
                lua_rawseti(L, -2, c + 1);
            }
        }
        lua_rawseti(L, 2, (int)i + 1);
    }
    return 1;
}

/* buffer:string(): the elements' bytes as they lie in memory (indices 0-based). */
static int buffer_string(lua_State *L)
{
    const wf_lua_view *view = check_self(L, "weft.buffer.string: self");
    lua_pushlstring(L, view->data, byte_count(view));
    return 1;
}

/* Runs check_value or store_value over the table at index 2: a flat list, or one list per element. */
static void walk_table(lua_State *L, const wf_lua_view *view, bool store)
{
    size_t values = value_count(view), components = (size_t)view->components;
    size_t length = wf_lua_raw_length(L, 2);
    bool nested = components > 1 && length == view->count;
    if (!nested && length != values) {
        wf_lua_fail(L, "weft.buffer.assign: source must have %d elements, got %d", (int)view->count, (int)length);
    }
    for (size_t i = 0; i < length; i++) {
        lua_rawgeti(L, 2, (int)i + 1);
        if (nested && (!lua_istable(L, -1) || wf_lua_raw_length(L, -1) != components)) {
            wf_lua_fail(L, "weft.buffer.assign: element %d of source must be a list of %d numbers", (int)i + 1,
                        (int)components);
        }
        for (size_t c = 0; c < (nested ? components : 1); c++) {
            size_t position = nested ? i * components + c : i;
            if (nested) {
                lua_rawgeti(L, -1, (int)c + 1);
            }
            if (store) {
                store_value(L, view, -1, position);
            } else {
                check_value(L, view, -1, "weft.buffer.assign: each value of source");
            }
            if (nested) {
                lua_pop(L, 1);
            }
        }
        lua_pop(L, 1);
    }
}

/* Whether bytes from a string can be this buffer's values: finite numbers, indices that are not negative. */
static bool bytes_are_good(const wf_lua_view *view, const char *bytes)
{
    for (size_t i = 0; i < value_count(view); i++) {
        double number = 0;
        float single;
        int32_t index;
        switch (view->element) {
        case WF_LUA_DOUBLE: memcpy(&number, bytes + i * sizeof number, sizeof number); break;
        case WF_LUA_FLOAT:
            memcpy(&single, bytes + i * sizeof single, sizeof single);
            number = single;
            break;
        case WF_LUA_INDEX:
            memcpy(&index, bytes + i * sizeof index, sizeof index);
            number = index < 0 || index == INT32_MAX ? NAN : 0;
            break;
        }
        if (!isfinite(number)) {
            return false;
        }
    }
    return true;
}

/* buffer:assign(source): from a table, a string as buffer:string gives it, or a buffer of the same shape. */
static int buffer_assign(lua_State *L)
{
    const wf_lua_view *view = check_writable(L, "weft.buffer.assign", "weft.buffer.assign: self");
    lua_settop(L, 2);
    if (lua_istable(L, 2)) {
        walk_table(L, view, false);
        walk_table(L, view, true);
    } else if (lua_type(L, 2) == LUA_TSTRING) {
        size_t length;
        const char *bytes = lua_tolstring(L, 2, &length);
        if (length != byte_count(view)) {
            wf_lua_fail(L, "weft.buffer.assign: source must be a string of %d bytes, got %d", (int)byte_count(view),
                        (int)length);
        }
        if (!bytes_are_good(view, bytes)) {
            wf_lua_fail(L, "weft.buffer.assign: source holds a value that is not finite or not an index");
        }
        memcpy((void *)view->data, bytes, length);
    } else if (wf_lua_is_object(L, 2, &wf_lua_buffer_class)) {
        const wf_lua_view *source = wf_lua_check_buffer(L, 2, "weft.buffer.assign: source", view->element,
                                                        view->components);
        if (source->count != view->count) {
            wf_lua_fail(L, "weft.buffer.assign: source must have %d elements, got %d", (int)view->count,
                        (int)source->count);
        }
        memmove((void *)view->data, source->data, byte_count(view));
    } else {
        wf_lua_fail_value(L, 2, "weft.buffer.assign: source", "a table, a string or a weft.buffer");
    }
    return 0;
}

/* ---- host memory ----------------------------------------------------------------------------------------------- */

/* How one written number comes about: a component with a sign, or a constant. */
typedef struct layout_item {
    int component; /* -1: constant */
    float scale;   /* the sign, or the constant */
} layout_item;

enum { LAYOUT_LIMIT = 32 };

/* Reads "xyz", "x-zy", "xyz1": components by letter, minus for the negative, 0 and 1 for constants. */
static int parse_layout(lua_State *L, const char *text, const wf_lua_view *view, layout_item items[LAYOUT_LIMIT])
{
    static const char letters[] = "xyzw";
    bool constants = view->element != WF_LUA_INDEX;
    int count = 0;
    for (const char *c = text; *c; c++) {
        bool negative = *c == '-' && constants;
        c += negative;
        const char *letter = *c ? strchr(letters, *c) : NULL;
        layout_item item = {-1, negative ? -1.0f : 1.0f};
        if (letter && letter - letters < view->components) {
            item.component = (int)(letter - letters);
        } else if (constants && (*c == '0' || *c == '1')) {
            item.scale *= (float)(*c - '0');
        } else {
            count = 0;
            break;
        }
        if (count == LAYOUT_LIMIT) {
            count = 0;
            break;
        }
        items[count++] = item;
    }
    if (count == 0) {
        wf_lua_fail(L, "weft.buffer.write: layout must be up to 32 of the %d first letters of \"xyzw\"%s, got \"%s\"",
                    view->components < 4 ? view->components : 4,
                    constants ? ", with '-' before what is negated, and the constants 0 and 1" : "", text);
    }
    return count;
}

static void write_elements(const wf_lua_view *view, const layout_item *items, int item_count, char *target,
                           size_t stride)
{
    const size_t components = (size_t)view->components;
    for (size_t i = 0; i < view->count; i++, target += stride) {
        for (int k = 0; k < item_count; k++) {
            size_t position = i * components + (size_t)(items[k].component < 0 ? 0 : items[k].component);
            if (view->element == WF_LUA_INDEX) {
                uint32_t index = (uint32_t)((const int32_t *)view->data)[position];
                memcpy(target + 4 * k, &index, sizeof index);
                continue;
            }
            float value = items[k].scale;
            if (items[k].component >= 0) {
                value *= view->element == WF_LUA_DOUBLE ? (float)((const double *)view->data)[position]
                                                        : ((const float *)view->data)[position];
            }
            memcpy(target + 4 * k, &value, sizeof value);
        }
    }
}

/* The host's memory at index 2: a light userdata, which only C code can make, or, from lua/weft/buffer.lua under
 * LuaJIT, an FFI array of one pointer. */
static char *check_target(lua_State *L)
{
    if (lua_type(L, 2) == WF_LUA_TCDATA) {
        return *(char *const *)lua_topointer(L, 2);
    }
    if (!lua_islightuserdata(L, 2)) {
        wf_lua_fail_value(L, 2, "weft.buffer.write: pointer",
                          "a light userdata or, under LuaJIT, an FFI pointer or array");
    }
    return lua_touserdata(L, 2);
}

/* buffer:write(pointer, { layout = "xyz", stride = bytes, offset = bytes, size = bytes }) writes float32 (uint32,
 * 0-based, for indices) into host memory. */
static int buffer_write(lua_State *L)
{
    static const char *const names[] = {"layout", "stride", "offset", "size", NULL};
    const wf_lua_view *view = check_self(L, "weft.buffer.write: self");
    char *target = check_target(L);
    wf_lua_options options = wf_lua_open_options(L, 3, "weft.buffer.write", names);
    const char *layout = wf_lua_option_string(&options, "layout");
    char natural[] = "xyzw";
    if (!layout) {
        if (view->components > 4) {
            wf_lua_fail(L, "weft.buffer.write: a buffer of %d components needs a layout", view->components);
        }
        natural[view->components] = '\0';
        layout = natural;
    }
    layout_item items[LAYOUT_LIMIT];
    int item_count = parse_layout(L, layout, view, items);
    int64_t stride = 4 * item_count, offset = 0, size = 0;
    wf_lua_option_integer(&options, "stride", &stride, 4 * item_count, 1 << 20);
    wf_lua_option_integer(&options, "offset", &offset, 0, 1 << 20);
    int64_t needed = view->count == 0 ? 0 : offset + stride * (int64_t)(view->count - 1) + 4 * item_count;
    if (wf_lua_option_integer(&options, "size", &size, 0, INT64_C(1) << 50) && needed > size) {
        wf_lua_fail(L, "weft.buffer.write: pointer must have room for %d bytes, got %d", (int)needed, (int)size);
    }
    if (!target) {
        wf_lua_fail(L, "weft.buffer.write: pointer must not be NULL");
    }
    write_elements(view, items, item_count, target + offset, (size_t)stride);
    return 0;
}

/* ---- anchors --------------------------------------------------------------------------------------------------- */

/* What keeps the memory of buffer:ffi() allocated: the block, retained once more. */
typedef struct anchor {
    void *block;
    const void *data;
} anchor;

static void destroy_anchor(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_free(context, ((anchor *)object)->block);
    wf_free(context, object);
}

static void get_anchor_address(lua_State *L, void *object)
{
    lua_pushlightuserdata(L, (void *)((anchor *)object)->data);
}

static const luaL_Reg anchor_methods[] = {{NULL, NULL}};
static const wf_lua_property anchor_properties[] = {{"address", get_anchor_address, NULL}, {NULL, NULL, NULL}};
static const wf_lua_class anchor_class = {"weft.anchor", anchor_methods, anchor_properties, NULL, destroy_anchor};

/* buffer:anchor(): without parent, so that it outlives the owner. */
static int buffer_anchor(lua_State *L)
{
    const wf_lua_view *view = check_self(L, "weft.buffer.anchor: self");
    void **slot = wf_lua_new_object(L, &anchor_class, 0);
    anchor *made = wf_allocate(wf_lua_context(L), 1, sizeof *made);
    if (made) {
        *made = (anchor){view->block, view->data};
        wf_retain(view->block);
        *slot = made;
    }
    wf_lua_check_status(L, made ? WF_OK : WF_ERROR_MEMORY, "weft.buffer.anchor");
    return 1;
}

/* ---- the class ------------------------------------------------------------------------------------------------- */

static void destroy_view(wf_context *context, void *object, void *parent)
{
    (void)parent;
    wf_free(context, ((wf_lua_view *)object)->block);
    wf_free(context, object);
}

static void describe_view(lua_State *L, void *object)
{
    const wf_lua_view *view = object;
    lua_pushfstring(L, "weft.buffer (%d x %d %s%s)", (int)view->count, view->components, element_names[view->element],
                    view->writable ? "" : ", read-only");
}

static void get_count(lua_State *L, void *object)
{
    lua_pushinteger(L, (lua_Integer)((wf_lua_view *)object)->count);
}

static void get_components(lua_State *L, void *object)
{
    lua_pushinteger(L, ((wf_lua_view *)object)->components);
}

static void get_type(lua_State *L, void *object)
{
    lua_pushstring(L, element_names[((wf_lua_view *)object)->element]);
}

static void get_writable(lua_State *L, void *object)
{
    lua_pushboolean(L, ((wf_lua_view *)object)->writable);
}

static void get_owner(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_parent(L, 1);
}

static const luaL_Reg buffer_methods[] = {{"get", buffer_get},       {"set", buffer_set},     {"table", buffer_table},
                                          {"string", buffer_string}, {"assign", buffer_assign}, {"write", buffer_write},
                                          {"anchor", buffer_anchor}, {NULL, NULL}};
static const wf_lua_property buffer_properties[] = {
    {"count", get_count, NULL}, {"components", get_components, NULL}, {"type", get_type, NULL},
    {"writable", get_writable, NULL}, {"owner", get_owner, NULL},     {NULL, NULL, NULL}};
const wf_lua_class wf_lua_buffer_class = {"weft.buffer", buffer_methods, buffer_properties, describe_view,
                                          destroy_view};

const wf_lua_view *wf_lua_check_buffer(lua_State *L, int index, const char *what, wf_lua_element element,
                                       int components)
{
    const wf_lua_view *view = wf_lua_check_object(L, index, &wf_lua_buffer_class, what);
    if (view->element != element || (components != 0 && view->components != components)) {
        lua_pushstring(L, element_names[element]);
        wf_lua_fail(L, "%s must be a buffer of %d %s components, got one of %d %s", what,
                    components ? components : view->components, lua_tostring(L, -1), view->components,
                    element_names[view->element]);
    }
    return view;
}

/* Completes a new buffer whose handle is on top of the stack. The block's reference passes to the buffer. */
static void finish_buffer(lua_State *L, void **slot, wf_lua_view view)
{
    wf_context *context = wf_lua_context(L);
    wf_lua_view *made = view.block ? wf_allocate(context, 1, sizeof *made) : NULL;
    if (made) {
        *made = view;
        *slot = made;
    } else {
        wf_free(context, view.block);
    }
    wf_lua_check_status(L, made ? WF_OK : WF_ERROR_MEMORY, "weft.buffer");
}

void wf_lua_push_view(lua_State *L, int owner_index, const wf_lua_class *owner_class, const char *key,
                      wf_lua_view_function *describe)
{
    wf_lua_view view = {0};
    owner_index = wf_lua_absolute(L, owner_index);
    describe(wf_lua_check_object(L, owner_index, owner_class, key), &view);
    size_t offset = (size_t)((const char *)view.data - (const char *)view.block);
    if (offset + byte_count(&view) > wf_block_size(view.block)) {
        wf_lua_fail(L, "%s: the array %s is shorter than its count says", owner_class->name, key);
    }
    wf_lua_push_own_table(L, owner_index);
    lua_getfield(L, -1, key);
    if (wf_lua_is_object(L, -1, &wf_lua_buffer_class)) {
        const wf_lua_view *kept = wf_lua_check_object(L, -1, &wf_lua_buffer_class, key);
        if (kept->block == view.block && kept->data == view.data && kept->count == view.count) {
            lua_remove(L, -2);
            return;
        }
    }
    lua_pop(L, 1);
    void **slot = wf_lua_new_object(L, &wf_lua_buffer_class, owner_index);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, key);
    wf_retain(view.block);
    finish_buffer(L, slot, view);
    lua_remove(L, -2);
}

void *wf_lua_push_buffer(lua_State *L, wf_lua_element element, size_t count, int components)
{
    void **slot = wf_lua_new_object(L, &wf_lua_buffer_class, 0);
    void *block = wf_allocate(wf_lua_context(L), count * (size_t)components, element_sizes[element]);
    finish_buffer(L, slot, (wf_lua_view){block, block, element, count, components, true});
    return block;
}

void wf_lua_seal_buffer(lua_State *L)
{
    wf_lua_view *view = wf_lua_check_object(L, -1, &wf_lua_buffer_class, "weft.buffer");
    view->writable = false;
}

/* core.buffer { count =, components = 3, type = "double" } */
static int buffer_new(lua_State *L)
{
    static const char *const names[] = {"count", "components", "type", NULL};
    wf_lua_options options = wf_lua_open_options(L, 1, "weft.buffer", names);
    int64_t count = 0, components = 3;
    int element = WF_LUA_DOUBLE;
    wf_lua_require_option(&options, "count", "an integer of at least 0");
    wf_lua_option_integer(&options, "count", &count, 0, COUNT_LIMIT);
    wf_lua_option_integer(&options, "components", &components, 1, COMPONENT_LIMIT);
    wf_lua_option_choice(&options, "type", element_names, &element);
    wf_lua_push_buffer(L, (wf_lua_element)element, (size_t)count, (int)components);
    return 1;
}

void wf_lua_open_buffer(lua_State *L);

void wf_lua_open_buffer(lua_State *L)
{
    static const luaL_Reg functions[] = {{"buffer", buffer_new}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_buffer_class);
    wf_lua_register_class(L, &anchor_class);
    lua_getfield(L, LUA_REGISTRYINDEX, wf_lua_buffer_class.name);
    lua_pushcfunction(L, buffer_length);
    lua_setfield(L, -2, "__len");
    lua_pop(L, 1);
    wf_lua_set_functions(L, functions);
}
