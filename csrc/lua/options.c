/* options.c - see options.h. */
#include "lua/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest_name.h"
#include "lua/buffer.h"

enum { TEXT_SIZE = 256, LONGEST_NAME = 40 /* bytes of an unknown option's that is shown as it is */ };

/* Lua numbers hold integers exactly up to here in every version. */
#define INTEGER_LIMIT 9007199254740992.0

/* ---- single values --------------------------------------------------------------------------------------------- */

/* Appends the range as in "a number from 1 to 3", "a number of at least 0". */
static void range_text(char *text, const char *noun, double minimum, double maximum)
{
    bool bounded_below = minimum > WF_LUA_LOWEST, bounded_above = maximum < WF_LUA_HIGHEST;
    bool positive = minimum == WF_LUA_POSITIVE;
    if (positive && bounded_above) {
        snprintf(text, TEXT_SIZE, "%.60s greater than 0 and at most %.16g", noun, maximum);
    } else if (positive) {
        snprintf(text, TEXT_SIZE, "%.60s greater than 0", noun);
    } else if (bounded_below && bounded_above) {
        snprintf(text, TEXT_SIZE, "%.60s from %.16g to %.16g", noun, minimum, maximum);
    } else if (bounded_below) {
        snprintf(text, TEXT_SIZE, "%.60s of at least %.16g", noun, minimum);
    } else if (bounded_above) {
        snprintf(text, TEXT_SIZE, "%.60s of at most %.16g", noun, maximum);
    } else {
        snprintf(text, TEXT_SIZE, "%.60s", noun);
    }
}

static void count_noun(char *text, int count, const char *singular, const char *plural)
{
    static const char *const words[] = {"no",  "one", "two",   "three", "four", "five",
                                        "six", "seven", "eight", "nine",  "ten"};
    if (count <= 10) {
        snprintf(text, TEXT_SIZE, "%s %s", words[count], count == 1 ? singular : plural);
    } else {
        snprintf(text, TEXT_SIZE, "%d %s", count, plural);
    }
}

/* Whether the value at `index` is a number in the range; false for NaN, which is in none, and for infinities. */
static bool read_number(lua_State *L, int index, double minimum, double maximum, double *value)
{
    if (lua_type(L, index) != LUA_TNUMBER) {
        return false;
    }
    *value = lua_tonumber(L, index);
    return isfinite(*value) && *value >= minimum && *value <= maximum;
}

static bool read_integer(lua_State *L, int index, int64_t minimum, int64_t maximum, int64_t *value)
{
    double number;
    if (!read_number(L, index, -INTEGER_LIMIT, INTEGER_LIMIT, &number) || number != floor(number)) {
        return false;
    }
    *value = (int64_t)number;
    return *value >= minimum && *value <= maximum;
}

double wf_lua_check_number(lua_State *L, int index, const char *what, double minimum, double maximum)
{
    double value = 0;
    if (!read_number(L, index, minimum, maximum, &value)) {
        char expected[TEXT_SIZE];
        range_text(expected, "a number", minimum, maximum);
        wf_lua_fail_value(L, index, what, expected);
    }
    return value;
}

int64_t wf_lua_check_integer(lua_State *L, int index, const char *what, int64_t minimum, int64_t maximum)
{
    int64_t value = 0;
    if (!read_integer(L, index, minimum, maximum, &value)) {
        char expected[TEXT_SIZE];
        range_text(expected, "an integer", (double)minimum, (double)maximum);
        wf_lua_fail_value(L, index, what, expected);
    }
    return value;
}

bool wf_lua_check_boolean(lua_State *L, int index, const char *what)
{
    if (!lua_isboolean(L, index)) {
        wf_lua_fail_value(L, index, what, "true or false");
    }
    return lua_toboolean(L, index);
}

const char *wf_lua_check_string(lua_State *L, int index, const char *what)
{
    if (lua_type(L, index) != LUA_TSTRING) {
        wf_lua_fail_value(L, index, what, "a string");
    }
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    if (strlen(text) != length) {
        wf_lua_fail_value(L, index, what, "a string without zero bytes");
    }
    return text;
}

int wf_lua_check_choice(lua_State *L, int index, const char *what, const char *const *choices)
{
    if (lua_type(L, index) == LUA_TSTRING) {
        for (int i = 0; choices[i]; i++) {
            if (strcmp(choices[i], lua_tostring(L, index)) == 0) {
                return i;
            }
        }
    }
    char expected[TEXT_SIZE];
    size_t length = (size_t)snprintf(expected, sizeof expected, "%s", choices[1] ? "one of " : "");
    for (int i = 0; choices[i] && length < sizeof expected; i++) {
        length += (size_t)snprintf(expected + length, sizeof expected - length, i ? ", \"%s\"" : "\"%s\"", choices[i]);
    }
    return wf_lua_fail_value(L, index, what, expected);
}

/* Reads exactly `count` numbers of the table at `index`. */
static bool read_numbers(lua_State *L, int index, double *values, int count, double minimum, double maximum)
{
    index = wf_lua_absolute(L, index);
    if (!lua_istable(L, index) || wf_lua_raw_length(L, index) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, index, i + 1);
        bool good = read_number(L, -1, minimum, maximum, &values[i]);
        lua_pop(L, 1);
        if (!good) {
            return false;
        }
    }
    return true;
}

void wf_lua_check_numbers(lua_State *L, int index, const char *what, const char *expected, double *values, int count)
{
    if (!read_numbers(L, index, values, count, WF_LUA_LOWEST, WF_LUA_HIGHEST)) {
        wf_lua_fail_value(L, index, what, expected);
    }
}

wf_vec3 wf_lua_check_vec3(lua_State *L, int index, const char *what)
{
    double values[3] = {0};
    wf_lua_check_numbers(L, index, what, "three numbers {x, y, z}", values, 3);
    return (wf_vec3){values[0], values[1], values[2]};
}

/* "three numbers from -1000000 to 1000000" */
static void numbers_text(char *text, int count, double minimum, double maximum)
{
    char noun[TEXT_SIZE];
    count_noun(noun, count, "number", "numbers");
    range_text(text, noun, minimum, maximum);
}

static void check_numbers_in_range(lua_State *L, int index, const char *what, double *values, int count,
                                   double minimum, double maximum)
{
    if (!read_numbers(L, index, values, count, minimum, maximum)) {
        char expected[TEXT_SIZE];
        numbers_text(expected, count, minimum, maximum);
        wf_lua_fail_value(L, index, what, expected);
    }
}

wf_vec3 wf_lua_check_place(lua_State *L, int index, const char *what)
{
    double values[3] = {0};
    check_numbers_in_range(L, index, what, values, 3, -WF_LUA_FARTHEST, WF_LUA_FARTHEST);
    return (wf_vec3){values[0], values[1], values[2]};
}

size_t wf_lua_check_index(lua_State *L, int index, const char *what, size_t count)
{
    if (count == 0) {
        wf_lua_fail(L, "%s is out of range: there is nothing to index", what);
    }
    return (size_t)(wf_lua_check_integer(L, index, what, 1, (int64_t)count) - 1);
}

void wf_lua_push_index(lua_State *L, size_t index)
{
    lua_pushinteger(L, (lua_Integer)index + 1);
}

void wf_lua_push_vec3(lua_State *L, wf_vec3 value)
{
    const double values[3] = {value.x, value.y, value.z};
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; i++) {
        lua_pushnumber(L, values[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

void wf_lua_set_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

void wf_lua_set_integer(lua_State *L, const char *name, int64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static int fail_unknown_option(lua_State *L, const char *function, const char *const *names)
{
    if (lua_type(L, -1) != LUA_TSTRING || wf_lua_raw_length(L, -1) > LONGEST_NAME) {
        wf_lua_push_value_text(L, -1);
        return wf_lua_fail(L, "%s: unknown option [%s]", function, lua_tostring(L, -1));
    }
    const char *name = lua_tostring(L, -1), *nearest = wf_nearest_name(name, names);
    return nearest ? wf_lua_fail(L, "%s: unknown option '%s'; did you mean '%s'?", function, name, nearest)
                   : wf_lua_fail(L, "%s: unknown option '%s'", function, name);
}

static bool is_listed(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(name, *names) == 0) {
            return true;
        }
    }
    return false;
}

wf_lua_options wf_lua_open_options(lua_State *L, int index, const char *function, const char *const *names)
{
    luaL_checkstack(L, 16, "weft: no room for options");
    if (lua_isnoneornil(L, index)) {
        return (wf_lua_options){L, 0, function};
    }
    if (!lua_istable(L, index)) {
        wf_lua_fail_value(L, index, function, "called with a table of options");
    }
    index = wf_lua_absolute(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING || !is_listed(lua_tostring(L, -1), names)) {
            fail_unknown_option(L, function, names);
        }
    }
    return (wf_lua_options){L, index, function};
}

bool wf_lua_push_option(const wf_lua_options *options, const char *name)
{
    if (options->index == 0) {
        lua_pushnil(options->L);
        return false;
    }
    lua_pushstring(options->L, name);
    lua_rawget(options->L, options->index);
    return !lua_isnil(options->L, -1);
}

/* Pushes the option's value, or nil, and writes its name, "weft.sheet: cells". Returns whether it was given. */
static bool push_option(const wf_lua_options *options, const char *name, char what[TEXT_SIZE])
{
    snprintf(what, TEXT_SIZE, "%s: %s", options->function, name);
    return wf_lua_push_option(options, name);
}

void wf_lua_require_option(const wf_lua_options *options, const char *name, const char *expected)
{
    char what[TEXT_SIZE];
    if (!push_option(options, name, what)) {
        wf_lua_fail_value(options->L, -1, what, expected);
    }
    lua_pop(options->L, 1);
}

bool wf_lua_option_number(const wf_lua_options *options, const char *name, double *value, double minimum,
                          double maximum)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_number(options->L, -1, what, minimum, maximum);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_integer(const wf_lua_options *options, const char *name, int64_t *value, int64_t minimum,
                           int64_t maximum)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_integer(options->L, -1, what, minimum, maximum);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_boolean(const wf_lua_options *options, const char *name, bool *value)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_boolean(options->L, -1, what);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_choice(const wf_lua_options *options, const char *name, const char *const *choices, int *value)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_choice(options->L, -1, what, choices);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_vec3(const wf_lua_options *options, const char *name, wf_vec3 *value)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_vec3(options->L, -1, what);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_place(const wf_lua_options *options, const char *name, wf_vec3 *value)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        *value = wf_lua_check_place(options->L, -1, what);
    }
    lua_pop(options->L, 1);
    return given;
}

bool wf_lua_option_numbers(const wf_lua_options *options, const char *name, double *values, int count, double minimum,
                           double maximum)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given) {
        check_numbers_in_range(options->L, -1, what, values, count, minimum, maximum);
    }
    lua_pop(options->L, 1);
    return given;
}

static bool read_integers(lua_State *L, int index, int64_t *values, int count, int64_t minimum, int64_t maximum)
{
    index = wf_lua_absolute(L, index);
    if (!lua_istable(L, index) || wf_lua_raw_length(L, index) != (size_t)count) {
        return false;
    }
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        lua_rawgeti(L, index, i + 1);
        good = read_integer(L, -1, minimum, maximum, &values[i]);
        lua_pop(L, 1);
    }
    return good;
}

bool wf_lua_option_integers(const wf_lua_options *options, const char *name, int64_t *values, int count,
                            int64_t minimum, int64_t maximum)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given && !read_integers(options->L, -1, values, count, minimum, maximum)) {
        char noun[TEXT_SIZE], expected[TEXT_SIZE];
        count_noun(noun, count, "integer", "integers");
        range_text(expected, noun, (double)minimum, (double)maximum);
        wf_lua_fail_value(options->L, -1, what, expected);
    }
    lua_pop(options->L, 1);
    return given;
}

const char *wf_lua_option_string(const wf_lua_options *options, const char *name)
{
    char what[TEXT_SIZE];
    return push_option(options, name, what) ? wf_lua_check_string(options->L, -1, what) : NULL;
}

static bool has_fields(lua_State *L, int index)
{
    index = wf_lua_absolute(L, index);
    lua_pushnil(L);
    bool has = lua_next(L, index);
    lua_pop(L, has ? 2 : 0);
    return has;
}

/* Opens the list on top of the stack: its length, at most what an int can index. A table that only has named fields is
 * no empty list. */
static size_t list_length(lua_State *L, const char *what, const char *expected)
{
    size_t count = lua_istable(L, -1) ? wf_lua_raw_length(L, -1) : 0;
    if (!lua_istable(L, -1) || count > INT32_MAX || (count == 0 && has_fields(L, -1))) {
        wf_lua_fail_value(L, -1, what, expected);
    }
    return count;
}

/* Raises for element `i` (0-based) of a list, whose value is on top of the stack: `weft.sheet: pins[3] must be ...`. */
static int fail_element(lua_State *L, const char *what, size_t i, const char *expected)
{
    char element[TEXT_SIZE];
    snprintf(element, sizeof element, "%.200s[%zu]", what, i + 1);
    return wf_lua_fail_value(L, -1, element, expected);
}

size_t wf_lua_option_list(const wf_lua_options *options, const char *name, double minimum, double maximum,
                          const double **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], expected[TEXT_SIZE];
    *values = NULL;
    if (!push_option(options, name, what)) {
        return 0;
    }
    size_t count = list_length(L, what, "a list of numbers");
    double *list = lua_newuserdata(L, (count + 1) * sizeof *list); /* Lua's memory: freed whatever happens */
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        if (!read_number(L, -1, minimum, maximum, &list[i])) {
            range_text(expected, "a number", minimum, maximum);
            fail_element(L, what, i, expected);
        }
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
    *values = list;
    return count;
}

/* Reads a 1-based index of one of `count` things. */
static bool read_index(lua_State *L, int index, size_t count, int32_t *value)
{
    int64_t one_based = 0;
    bool good = read_integer(L, index, 1, (int64_t)count, &one_based);
    *value = (int32_t)(one_based - 1);
    return good;
}

size_t wf_lua_option_indices(const wf_lua_options *options, const char *name, size_t count, const int32_t **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], expected[TEXT_SIZE];
    *values = NULL;
    if (!push_option(options, name, what)) {
        return 0;
    }
    size_t listed = list_length(L, what, "a list of indices");
    int32_t *list = lua_newuserdata(L, (listed + 1) * sizeof *list);
    for (size_t i = 0; i < listed; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        if (!read_index(L, -1, count, &list[i])) {
            range_text(expected, "an index", 1, (double)count);
            fail_element(L, what, i, expected);
        }
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
    *values = list;
    return listed;
}

size_t wf_lua_option_vectors(const wf_lua_options *options, const char *name, int components, const double **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], expected[TEXT_SIZE];
    *values = NULL;
    if (!push_option(options, name, what)) {
        return 0;
    }
    bool buffer = wf_lua_is_object(L, -1, &wf_lua_buffer_class);
    size_t count = buffer ? wf_lua_check_buffer(L, -1, what, WF_LUA_DOUBLE, components)->count
                          : list_length(L, what, "a list of vectors or a weft.buffer");
    size_t size = (size_t)components;
    double *list = lua_newuserdata(L, (count + 1) * size * sizeof *list);
    if (buffer) {
        memcpy(list, wf_lua_check_buffer(L, -2, what, WF_LUA_DOUBLE, components)->data, count * size * sizeof *list);
    }
    for (size_t i = 0; i < count && !buffer; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        if (!read_numbers(L, -1, &list[i * size], components, WF_LUA_LOWEST, WF_LUA_HIGHEST)) {
            count_noun(expected, components, "number", "numbers");
            fail_element(L, what, i, expected);
        }
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
    *values = list;
    return count;
}

size_t wf_lua_option_places(const wf_lua_options *options, const char *name, const wf_vec3 **points)
{
    const double *values;
    size_t count = wf_lua_option_vectors(options, name, 3, &values);
    *points = (const wf_vec3 *)values;
    for (size_t i = 0; i < count; i++) {
        const wf_vec3 p = (*points)[i];
        if (!(fabs(p.x) <= WF_LUA_FARTHEST && fabs(p.y) <= WF_LUA_FARTHEST && fabs(p.z) <= WF_LUA_FARTHEST)) {
            char what[TEXT_SIZE], expected[TEXT_SIZE];
            snprintf(what, sizeof what, "%s: %s", options->function, name);
            numbers_text(expected, 3, -WF_LUA_FARTHEST, WF_LUA_FARTHEST);
            wf_lua_push_vec3(options->L, p);
            fail_element(options->L, what, i, expected);
        }
    }
    return count;
}

const wf_vec3 *wf_lua_option_per_vertex(const wf_lua_options *options, const char *name, int32_t vertex_count)
{
    const double *values;
    size_t count = wf_lua_option_vectors(options, name, 3, &values);
    if (values && count != (size_t)vertex_count) {
        wf_lua_fail(options->L, "%s: %s must have one vector for each of the %d vertices, got %d", options->function,
                    name, (int)vertex_count, (int)count);
    }
    return (const wf_vec3 *)values;
}

/* Reads a table of `components` indices. */
static bool read_index_group(lua_State *L, int index, int components, size_t count, int32_t *group)
{
    index = wf_lua_absolute(L, index);
    bool good = lua_istable(L, index) && wf_lua_raw_length(L, index) == (size_t)components;
    for (int c = 0; c < components && good; c++) {
        lua_rawgeti(L, index, c + 1);
        good = read_index(L, -1, count, &group[c]);
        lua_pop(L, 1);
    }
    return good;
}

/* Copies the `listed` groups of the buffer at `index`, after checking that each index is below `count`. */
static void copy_index_buffer(lua_State *L, int index, const char *what, int components, size_t count, size_t listed,
                              int32_t *list)
{
    const wf_lua_view *view = wf_lua_check_buffer(L, index, what, WF_LUA_INDEX, components);
    size_t values = listed * (size_t)components;
    memcpy(list, view->data, values * sizeof *list);
    for (size_t i = 0; i < values; i++) {
        if ((size_t)list[i] >= count) {
            wf_lua_push_index(L, (size_t)list[i]);
            char expected[TEXT_SIZE];
            range_text(expected, "made of indices", 1, (double)count);
            fail_element(L, what, i / (size_t)components, expected);
        }
    }
}

size_t wf_lua_option_index_groups(const wf_lua_options *options, const char *name, int components, size_t count,
                                  const int32_t **values)
{
    lua_State *L = options->L;
    char what[TEXT_SIZE], expected[TEXT_SIZE], noun[TEXT_SIZE];
    *values = NULL;
    if (!push_option(options, name, what)) {
        return 0;
    }
    bool buffer = wf_lua_is_object(L, -1, &wf_lua_buffer_class);
    size_t listed = buffer ? wf_lua_check_buffer(L, -1, what, WF_LUA_INDEX, components)->count
                           : list_length(L, what, "a list of groups of indices or a weft.buffer");
    size_t size = (size_t)components;
    int32_t *list = lua_newuserdata(L, (listed + 1) * size * sizeof *list);
    if (buffer) {
        copy_index_buffer(L, -2, what, components, count, listed, list);
    }
    for (size_t i = 0; i < listed && !buffer; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        if (!read_index_group(L, -1, components, count, &list[i * size])) {
            count_noun(noun, components, "index", "indices");
            range_text(expected, noun, 1, (double)count);
            fail_element(L, what, i, expected);
        }
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
    *values = list;
    return listed;
}

void *wf_lua_option_object(const wf_lua_options *options, const char *name, const struct wf_lua_class *class)
{
    char what[TEXT_SIZE];
    return push_option(options, name, what) ? wf_lua_check_object(options->L, -1, class, what) : NULL;
}

bool wf_lua_option_typed(const wf_lua_options *options, const char *name, int lua_type_wanted)
{
    char what[TEXT_SIZE];
    bool given = push_option(options, name, what);
    if (given && lua_type(options->L, -1) != lua_type_wanted) {
        char expected[TEXT_SIZE];
        snprintf(expected, sizeof expected, "a %s", lua_typename(options->L, lua_type_wanted));
        wf_lua_fail_value(options->L, -1, what, expected);
    }
    return given;
}
