/* object.c - see object.h. */
#include "lua/object.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest_name.h"

static const char STATE_KEY[] = "weft.state";
static const char HANDLER_KEY[] = "weft.warning_handler";
static const char CLOSING_KEY[] = "weft.closing";

enum { WARNING_COUNT = 8, WARNING_SIZE = 1024 };

typedef struct lua_state_data lua_state_data;

typedef struct handle {
    void *object; /* NULL: closed, or not made yet */
    void *doomed; /* what was closed while a function of weft ran; freed after it where others hold it, else with the
                     handle */
    const wf_lua_class *class;
    struct handle *parent; /* kept alive by this handle's own table */
    lua_state_data *state;
    struct handle *older, *newer; /* the list of open handles, while `listed` */
    bool listed;
    bool has_own_table; /* else 5.1 answers with the globals */
} handle;

struct lua_state_data {
    wf_context *context;  /* NULL once destroyed */
    handle *newest;       /* open handles */
    size_t pressed_bytes; /* context's bytes when the collector was last told */
    wf_lua_running running;
    int warning_count, dropped_warnings;
    bool delivering;
    char warnings[WARNING_COUNT][WARNING_SIZE];
};

static void release(handle *self);

/* ---- per Lua state --------------------------------------------------------------------------------------------- */

/* The context's log. Lua must not be called from here (the caller may hold memory), so the text waits. */
static void queue_warning(void *user, wf_log_level level, const char *message)
{
    lua_state_data *state = user;
    if (level != WF_LOG_WARNING) {
        return;
    }
    if (state->warning_count == WARNING_COUNT) {
        state->dropped_warnings++;
        return;
    }
    snprintf(state->warnings[state->warning_count++], WARNING_SIZE, "%s", message);
}

/* Runs when the Lua state is closed, after the finalizers of all handles but those that other finalizers made in the
 * meantime: these have none that will be called. */
static int collect_state(lua_State *L)
{
    lua_state_data *state = lua_touserdata(L, 1);
    while (state->newest) {
        release(state->newest);
    }
    wf_context_destroy(state->context);
    state->context = NULL;
    return 0;
}

/* Makes the state's context if there is none yet. */
static void open_state(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, STATE_KEY);
    lua_state_data *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (!state) {
        state = lua_newuserdata(L, sizeof *state);
        memset(state, 0, sizeof *state);
        lua_createtable(L, 0, 1);
        lua_pushcfunction(L, collect_state);
        lua_setfield(L, -2, "__gc");
        lua_setmetatable(L, -2);
        wf_context_def def = wf_default_context_def();
        def.log = queue_warning;
        def.log_user = state;
        state->context = wf_context_create(&def);
        if (!state->context) {
            wf_lua_fail(L, "weft: out of memory");
        }
        lua_setfield(L, LUA_REGISTRYINDEX, STATE_KEY);
    }
    wf_lua_add_guard(&state->running);
}

static lua_state_data *get_state(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, STATE_KEY);
    lua_state_data *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (!state || !state->context) {
        wf_lua_fail(L, "weft: the Lua state is shutting down");
    }
    return state;
}

wf_context *wf_lua_context(lua_State *L)
{
    return get_state(L)->context;
}

wf_lua_running *wf_lua_get_running(lua_State *L)
{
    return &get_state(L)->running;
}

void wf_lua_set_warning_handler(lua_State *L)
{
    lua_setfield(L, LUA_REGISTRYINDEX, HANDLER_KEY);
}

/* Calls the handler with the text on top of the stack, which is popped. */
static void deliver_warning(lua_State *L, lua_state_data *state)
{
    lua_getfield(L, LUA_REGISTRYINDEX, HANDLER_KEY);
    lua_insert(L, -2);
    if (!lua_isnil(L, -2)) {
        int top = lua_gettop(L) - 2;
        state->delivering = true;
        wf_lua_call_back(L, 1, 0); /* a handler that raises only loses its own warning */
        state->delivering = false;
        lua_settop(L, top);
    } else {
        lua_pop(L, 2);
    }
}

void wf_lua_deliver_warnings(lua_State *L)
{
    lua_state_data *state = get_state(L);
    if (state->delivering) {
        return; /* what a handler causes is delivered after it */
    }
    luaL_checkstack(L, 8, "weft: no room for a warning");
    for (int i = 0; i < WARNING_COUNT && state->warning_count > 0; i++) {
        lua_pushstring(L, state->warnings[0]);
        state->warning_count--;
        memmove(state->warnings[0], state->warnings[1], sizeof state->warnings[0] * (size_t)state->warning_count);
        deliver_warning(L, state);
    }
    if (state->dropped_warnings > 0) {
        lua_pushfstring(L, "%d more warnings were left out", state->dropped_warnings);
        state->dropped_warnings = 0;
        deliver_warning(L, state);
    }
}

/* ---- handles --------------------------------------------------------------------------------------------------- */

static bool is_closed(const handle *self)
{
    for (; self; self = self->parent) {
        if (!self->object) {
            return true;
        }
    }
    return false;
}

/* The handle at `index`, of `class` or, when that is NULL, of any class; NULL for anything else. */
static handle *test_handle(lua_State *L, int index, const wf_lua_class *class)
{
    handle *self = lua_type(L, index) == LUA_TUSERDATA ? lua_touserdata(L, index) : NULL;
    if (!self || wf_lua_raw_length(L, index) != sizeof *self || !lua_getmetatable(L, index)) {
        return NULL;
    }
    /* Every metatable of ours names its class; the registry's entry of that name proves that it is ours. */
    lua_pushliteral(L, "__name");
    lua_rawget(L, -2);
    bool ours = false;
    if (lua_type(L, -1) == LUA_TSTRING) {
        lua_rawget(L, LUA_REGISTRYINDEX);
        ours = lua_rawequal(L, -1, -2);
    }
    lua_pop(L, 2);
    return ours && (!class || strcmp(self->class->name, class->name) == 0) ? self : NULL;
}

/* Closes the handle. The newest handles are children of older ones, never the other way round. */
static void release(handle *self)
{
    if (!self->listed) {
        return;
    }
    void *object = self->object ? self->object : self->doomed;
    void *parent = self->parent && !is_closed(self->parent) ? self->parent->object : NULL;
    self->object = self->doomed = NULL;
    self->listed = false;
    *(self->newer ? &self->newer->older : &self->state->newest) = self->older;
    if (self->older) {
        self->older->newer = self->newer;
    }
    if (object && self->class->destroy) {
        self->class->destroy(self->state->context, object, parent);
    }
}

static void list_handle(handle *self)
{
    self->older = self->state->newest;
    if (self->older) {
        self->older->newer = self;
    }
    self->state->newest = self;
    self->listed = true;
}

static int handle_collect(lua_State *L)
{
    handle *self = test_handle(L, 1, NULL);
    if (self) {
        release(self);
    }
    return 0;
}

void wf_lua_push_weak_table(lua_State *L, const char *mode)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

/* Pushes the table of those that hold the object of the handle at `index`, with what takes it out of each, or nil. It
 * keeps none of them alive. */
static void push_holders(lua_State *L, int index, bool make)
{
    if (!make && !((const handle *)lua_touserdata(L, index))->has_own_table) {
        lua_pushnil(L);
        return;
    }
    wf_lua_push_own_table(L, index);
    lua_getfield(L, -1, "holders");
    if (lua_isnil(L, -1) && make) {
        lua_pop(L, 1);
        wf_lua_push_weak_table(L, "k");
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "holders");
    }
    lua_remove(L, -2);
}

void wf_lua_hold(lua_State *L, int holder, int index, lua_CFunction let_go)
{
    holder = wf_lua_absolute(L, holder);
    push_holders(L, wf_lua_absolute(L, index), true);
    lua_pushvalue(L, holder);
    wf_lua_push_function(L, let_go, 0);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

void wf_lua_forget_holder(lua_State *L, int holder, int index)
{
    holder = wf_lua_absolute(L, holder);
    push_holders(L, wf_lua_absolute(L, index), false);
    if (!lua_isnil(L, -1)) {
        lua_pushvalue(L, holder);
        lua_pushnil(L);
        lua_rawset(L, -3);
    }
    lua_pop(L, 1);
}

/* Has the handle at `index`, which is open, taken out of all that hold it. Always the first of them: finalizers that run
 * meanwhile may add others. */
static void leave_holders(lua_State *L, int index)
{
    int holders = lua_gettop(L) + 1;
    push_holders(L, index, false);
    lua_pushnil(L);
    while (lua_istable(L, holders) && lua_next(L, holders)) {
        lua_pushvalue(L, -2);
        lua_pushnil(L);
        lua_rawset(L, holders);
        if (wf_lua_is_open(L, -2)) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, index);
            lua_call(L, 2, 0);
        }
        lua_settop(L, holders);
        lua_pushnil(L);
    }
    lua_settop(L, holders - 1);
}

/* Closes the handle at `index` as soon as no function of weft runs, if anything holds it. */
static void close_later(lua_State *L, int index, wf_lua_running *running)
{
    push_holders(L, index, false);
    if (!lua_isnil(L, -1)) {
        lua_getfield(L, LUA_REGISTRYINDEX, CLOSING_KEY);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_setfield(L, LUA_REGISTRYINDEX, CLOSING_KEY);
        }
        lua_pushvalue(L, index);
        lua_rawseti(L, -2, running->closing + 1);
        running->closing++;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void wf_lua_finish_closing(lua_State *L)
{
    wf_lua_running *running = wf_lua_get_running(L);
    int count = running->closing, top = lua_gettop(L);
    luaL_checkstack(L, 12, "weft: no room to close");
    lua_getfield(L, LUA_REGISTRYINDEX, CLOSING_KEY);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, CLOSING_KEY);
    running->closing = 0;
    for (int k = 1; k <= count; k++) {
        lua_rawgeti(L, top + 1, k);
        handle *self = lua_touserdata(L, -1);
        if (self->doomed && !self->object) { /* else something has closed it since */
            self->object = self->doomed;
            leave_holders(L, top + 2);
            release(self);
        }
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
}

static int handle_close(lua_State *L)
{
    const wf_lua_class *class = lua_touserdata(L, lua_upvalueindex(2));
    handle *self = test_handle(L, 1, class);
    if (!self) {
        wf_lua_push_value_text(L, 1);
        wf_lua_fail(L, "%s.close: self must be a %s, got %s", class->name, class->name, lua_tostring(L, -1));
    }
    bool alone = self->state->running.count <= 1; /* no other function of weft waits for this one */
    if ((self->object || self->doomed) && !alone) {
        self->doomed = self->object ? self->object : self->doomed; /* closed a second time, it is still in use */
        self->object = NULL;
        close_later(L, 1, &self->state->running);
        return 0;
    }
    if (!is_closed(self)) {
        leave_holders(L, 1);
    }
    release(self);
    return 0;
}

static int handle_to_string(lua_State *L)
{
    handle *self = test_handle(L, 1, NULL);
    if (!self) {
        lua_pushliteral(L, "weft object");
    } else if (is_closed(self)) {
        lua_pushfstring(L, "%s (closed)", self->class->name);
    } else if (self->class->describe) {
        self->class->describe(L, self->object);
    } else {
        lua_pushstring(L, self->class->name);
    }
    return 1;
}

/* Upvalues of __index and __newindex: methods by name, positions of properties by name, the class. */
enum { METHODS = 2, FIELDS, CLASS };

/* Raises for the key at index 2 and names the nearest method or property. */
static int fail_unknown_field(lua_State *L, const wf_lua_class *class)
{
    enum { NAME_LIMIT = 128 };
    const char *names[NAME_LIMIT + 1];
    int count = 0;
    for (int upvalue = METHODS; upvalue <= FIELDS; upvalue++) {
        lua_pushnil(L);
        while (lua_next(L, lua_upvalueindex(upvalue))) {
            lua_pop(L, 1);
            if (lua_type(L, -1) == LUA_TSTRING && count < NAME_LIMIT) {
                names[count++] = lua_tostring(L, -1); /* stays valid: it is a key of the table */
            }
        }
    }
    names[count] = NULL;
    if (lua_type(L, 2) != LUA_TSTRING) {
        wf_lua_push_value_text(L, 2);
        return wf_lua_fail(L, "%s: there is no field [%s]", class->name, lua_tostring(L, -1));
    }
    const char *key = lua_tostring(L, 2), *nearest = wf_nearest_name(key, names);
    return nearest ? wf_lua_fail(L, "%s: there is no field '%s'; did you mean '%s'?", class->name, key, nearest)
                   : wf_lua_fail(L, "%s: there is no field '%s'", class->name, key);
}

/* The property named by the key at index 2, or NULL. */
static const wf_lua_property *find_property(lua_State *L, const wf_lua_class *class)
{
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(FIELDS));
    int position = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return position > 0 ? &class->properties[position - 1] : NULL;
}

static handle *check_self(lua_State *L, const wf_lua_class *class)
{
    handle *self = test_handle(L, 1, class);
    if (!self) {
        wf_lua_push_value_text(L, 1);
        wf_lua_fail(L, "%s: self must be a %s, got %s", class->name, class->name, lua_tostring(L, -1));
    }
    return self;
}

static int handle_index(lua_State *L)
{
    const wf_lua_class *class = lua_touserdata(L, lua_upvalueindex(CLASS));
    handle *self = check_self(L, class);
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(METHODS));
    if (!lua_isnil(L, -1)) {
        return 1;
    }
    lua_settop(L, 2);
    if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "closed") == 0) {
        lua_pushboolean(L, is_closed(self));
        return 1;
    }
    const wf_lua_property *property = find_property(L, class);
    if (!property) {
        return fail_unknown_field(L, class);
    }
    if (is_closed(self)) {
        wf_lua_fail(L, "%s.%s: self is a closed %s", class->name, property->name, class->name);
    }
    property->get(L, self->object);
    return 1;
}

static int handle_new_index(lua_State *L)
{
    const wf_lua_class *class = lua_touserdata(L, lua_upvalueindex(CLASS));
    handle *self = check_self(L, class);
    lua_settop(L, 3);
    const wf_lua_property *property = find_property(L, class);
    if (!property) {
        lua_pushvalue(L, 2);
        lua_rawget(L, lua_upvalueindex(METHODS));
        if (!lua_isnil(L, -1) || (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "closed") == 0)) {
            wf_lua_fail(L, "%s: %s cannot be set", class->name, lua_tostring(L, 2));
        }
        return fail_unknown_field(L, class);
    }
    if (is_closed(self)) {
        wf_lua_fail(L, "%s.%s: self is a closed %s", class->name, property->name, class->name);
    }
    if (!property->set) {
        wf_lua_fail(L, "%s: %s cannot be set", class->name, property->name);
    }
    char what[160];
    snprintf(what, sizeof what, "%s: %s", class->name, property->name);
    property->set(L, self->object, 3, what);
    return 0;
}

void wf_lua_open_module(lua_State *L, const char *name, const luaL_Reg *functions)
{
    lua_pushfstring(L, "%s: no room to load", name);
    luaL_checkstack(L, 24, lua_tostring(L, -1));
    lua_pop(L, 1);
    open_state(L);
    lua_newtable(L);
    lua_newtable(L);
    lua_setfield(L, -2, "classes");
    lua_newtable(L);
    lua_setfield(L, -2, "fields");
    wf_lua_set_functions(L, functions);
}

void wf_lua_register_class(lua_State *L, const wf_lua_class *class)
{
    int module = lua_gettop(L);
    luaL_newmetatable(L, class->name);
    int metatable = module + 1;

    lua_newtable(L); /* methods */
    wf_lua_set_functions(L, class->methods);
    lua_pushlightuserdata(L, (void *)class);
    wf_lua_push_function(L, handle_close, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, metatable, "__close");
    lua_setfield(L, -2, "close");

    lua_newtable(L); /* positions of properties */
    for (int i = 0; class->properties && class->properties[i].name; i++) {
        lua_pushinteger(L, i + 1);
        lua_setfield(L, -2, class->properties[i].name);
    }
    lua_pushlightuserdata(L, (void *)class);

    static const luaL_Reg accessors[] = {{"__index", handle_index}, {"__newindex", handle_new_index}, {NULL, NULL}};
    for (const luaL_Reg *accessor = accessors; accessor->name; accessor++) {
        for (int i = 0; i < 3; i++) {
            lua_pushvalue(L, metatable + 1 + i);
        }
        wf_lua_push_function(L, accessor->func, 3);
        lua_setfield(L, metatable, accessor->name);
    }
    lua_pushcfunction(L, handle_collect);
    lua_setfield(L, metatable, "__gc");
    lua_pushcfunction(L, handle_to_string);
    lua_setfield(L, metatable, "__tostring");
    lua_pushstring(L, class->name);
    lua_setfield(L, metatable, "__name");
    lua_pushstring(L, class->name); /* what getmetatable answers: the real one stays out of reach */
    lua_setfield(L, metatable, "__metatable");

    static const char *const listings[] = {"classes", "fields"};
    for (int i = 0; i < 2; i++) {
        lua_getfield(L, module, listings[i]);
        lua_pushvalue(L, metatable + 1 + i);
        lua_setfield(L, -2, class->name);
        lua_pop(L, 1);
    }
    lua_settop(L, module);
}

void **wf_lua_new_object(lua_State *L, const wf_lua_class *class, int parent_index)
{
    lua_state_data *state = get_state(L);
    handle *parent = NULL;
    if (parent_index != 0) {
        parent_index = wf_lua_absolute(L, parent_index);
        parent = test_handle(L, parent_index, NULL);
    }
    size_t bytes = wf_context_bytes(state->context);
    size_t grown = bytes > state->pressed_bytes ? bytes - state->pressed_bytes : 0;
    state->pressed_bytes = bytes;
    if (grown > 0) {
        wf_lua_press_collector(L, grown);
    }

    handle *self = lua_newuserdata(L, sizeof *self);
    *self = (handle){.class = class, .parent = parent, .state = state};
    lua_getfield(L, LUA_REGISTRYINDEX, class->name);
    lua_setmetatable(L, -2);
    list_handle(self);
    if (parent) {
        wf_lua_push_own_table(L, -1);
        lua_pushvalue(L, parent_index);
        lua_setfield(L, -2, "parent");
        lua_pop(L, 1);
    }
    return &self->object;
}

void *wf_lua_check_object(lua_State *L, int index, const wf_lua_class *class, const char *what)
{
    handle *self = test_handle(L, index, class);
    if (!self) {
        char expected[80]; /* not on the stack: the argument may be missing, and its place must stay empty */
        snprintf(expected, sizeof expected, "a %s", class->name);
        wf_lua_fail_value(L, index, what, expected);
    }
    if (is_closed(self)) {
        wf_lua_fail(L, "%s is a closed %s", what, class->name);
    }
    return self->object;
}

bool wf_lua_is_open(lua_State *L, int index)
{
    const handle *self = test_handle(L, index, NULL);
    return self && !is_closed(self);
}

bool wf_lua_is_object(lua_State *L, int index, const wf_lua_class *class)
{
    return test_handle(L, index, class) != NULL;
}

void *wf_lua_parent_object(lua_State *L, int index)
{
    handle *self = test_handle(L, index, NULL);
    return self && self->parent && !is_closed(self->parent) ? self->parent->object : NULL;
}

void wf_lua_push_parent(lua_State *L, int index)
{
    handle *self = test_handle(L, index, NULL);
    if (self && self->parent) {
        wf_lua_push_own_table(L, index);
        lua_getfield(L, -1, "parent");
        lua_remove(L, -2);
    } else {
        lua_pushnil(L);
    }
}

bool wf_lua_call_back(lua_State *L, int argument_count, int result_count)
{
    wf_lua_running *running = wf_lua_get_running(L);
    running->callbacks++;
    int status = lua_pcall(L, argument_count, result_count, 0);
    running->callbacks--;
    if (status != 0 && !lua_isstring(L, -1)) { /* an error object: name it instead of running its metamethods */
        wf_lua_push_value_text(L, -1);
        lua_remove(L, -2);
    }
    return status == 0;
}

void wf_lua_push_own_table(lua_State *L, int index)
{
    handle *self = lua_touserdata(L, index);
    index = wf_lua_absolute(L, index);
    if (self->has_own_table) {
        wf_lua_get_own_table(L, index);
        return;
    }
    lua_newtable(L);
    lua_pushvalue(L, -1);
    wf_lua_set_own_table(L, index);
    self->has_own_table = true;
}

void wf_lua_push_object_kind(lua_State *L, int index)
{
    handle *self = test_handle(L, index, NULL);
    if (self) {
        lua_pushfstring(L, is_closed(self) ? "a closed %s" : "a %s", self->class->name);
    } else {
        lua_pushliteral(L, "a userdata");
    }
}
