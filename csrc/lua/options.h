/* options.h - arguments and tables of named options, checked.
 *
 * A function takes one table of named options (or positional arguments, for short verbs). Every reader leaves the
 * destination unchanged when the option is absent, so parameters start from their wf_default_* and the table overrides:
 *
 *     static const char *const names[] = {"width", "cells", "form", "pins", NULL};
 *     wf_sheet_params params = wf_default_sheet_params();
 *     wf_lua_options options = wf_lua_open_options(L, 1, "weft.sheet", names);   // refuses unknown fields
 *     wf_lua_option_number(&options, "width", &params.width, WF_LUA_POSITIVE, 100);
 *     int64_t cells[2] = {20, 20};
 *     wf_lua_option_integers(&options, "cells", cells, 2, 1, 4096);
 *     static const char *const forms[] = {"exact", "thesis", NULL};
 *     wf_lua_option_choice(&options, "form", forms, &form);
 *     const int32_t *pins;
 *     size_t pin_count = wf_lua_option_indices(&options, "pins", vertex_count, &pins);
 *
 * and a bad value raises `weft.sheet: cells must be two integers from 1 to 4096, got {0, 10}`. NaN and infinities are
 * refused, numbers are not made from strings, and tables are read without metamethods, so no script code but
 * finalizers runs while options are read. For a required option use wf_lua_require_option first.
 *
 * The wf_lua_check_ functions do the same for the value at a stack index; `what` is "weft.buffer.get: index".
 *
 * Indices are 1-based in Lua and 0-based in C. They are converted here, in wf_lua_check_index, wf_lua_option_indices
 * and wf_lua_push_index, and nowhere else.
 */
#ifndef WEFT_LUA_OPTIONS_H
#define WEFT_LUA_OPTIONS_H

#include <float.h>

#include "lua/compat.h"

struct wf_lua_class;

/* As the minimum: greater than 0. */
#define WF_LUA_POSITIVE DBL_MIN
/* As minimum and maximum: any finite number. */
#define WF_LUA_LOWEST (-DBL_MAX)
#define WF_LUA_HIGHEST DBL_MAX
/* m: coordinates of places that functions are asked about; those of vertices are below that. */
#define WF_LUA_FARTHEST 1e6

typedef struct wf_lua_options {
    lua_State *L;
    int index;            /* of the table; 0 when it was absent */
    const char *function; /* "weft.sheet" */
} wf_lua_options;

/* Opens the table at `index` (nothing or nil counts as empty). Raises for any field that is not in `names`, which ends
 * with NULL, and names the nearest. `function` must stay valid while the options are read. */
wf_lua_options wf_lua_open_options(lua_State *L, int index, const char *function, const char *const *names);

/* Raises `function: name must be <expected>, got nothing` when the option is absent. */
void wf_lua_require_option(const wf_lua_options *options, const char *name, const char *expected);

/* All readers return whether the option was given. */
bool wf_lua_option_number(const wf_lua_options *, const char *name, double *value, double minimum, double maximum);
bool wf_lua_option_integer(const wf_lua_options *, const char *name, int64_t *value, int64_t minimum, int64_t maximum);
bool wf_lua_option_boolean(const wf_lua_options *, const char *name, bool *value);
/* One of `choices`, ended by NULL; the value is its position. */
bool wf_lua_option_choice(const wf_lua_options *, const char *name, const char *const *choices, int *value);
bool wf_lua_option_vec3(const wf_lua_options *, const char *name, wf_vec3 *value);
bool wf_lua_option_place(const wf_lua_options *, const char *name, wf_vec3 *value); /* to WF_LUA_FARTHEST */
/* Exactly `count` numbers or integers. */
bool wf_lua_option_numbers(const wf_lua_options *, const char *name, double *values, int count, double minimum,
                           double maximum);
bool wf_lua_option_integers(const wf_lua_options *, const char *name, int64_t *values, int count, int64_t minimum,
                            int64_t maximum);

/* These push one value, nil when the option is absent; what they return is valid while it stays on the stack. */
/* A string without embedded zeros, NULL when absent. */
const char *wf_lua_option_string(const wf_lua_options *, const char *name);
/* Any number of numbers; returns how many. `*values` is NULL when absent. */
size_t wf_lua_option_list(const wf_lua_options *, const char *name, double minimum, double maximum,
                          const double **values);
/* Any number of indices of things of which there are `count`, 0-based in `*values`; returns how many. */
size_t wf_lua_option_indices(const wf_lua_options *, const char *name, size_t count, const int32_t **values);
/* Any number of vectors of `components` numbers, {{x, y, z}, ...} or a buffer of doubles of that many components, side
 * by side in `*values`; returns how many vectors. */
size_t wf_lua_option_vectors(const wf_lua_options *, const char *name, int components, const double **values);
/* The same of points whose coordinates are up to WF_LUA_FARTHEST. */
size_t wf_lua_option_places(const wf_lua_options *, const char *name, const wf_vec3 **points);
/* The same of three numbers each, one for each of `vertex_count` vertices; NULL when the option is absent. */
const wf_vec3 *wf_lua_option_per_vertex(const wf_lua_options *, const char *name, int32_t vertex_count);
/* The same for groups of indices, as in faces = {{1, 2, 3}, ...} or a buffer of indices. */
size_t wf_lua_option_index_groups(const wf_lua_options *, const char *name, int components, size_t count,
                                  const int32_t **values);
/* The object of an open handle, NULL when absent. */
void *wf_lua_option_object(const wf_lua_options *, const char *name, const struct wf_lua_class *class);
/* Pushes the value of any type, unchecked. */
bool wf_lua_push_option(const wf_lua_options *, const char *name);
/* Pushes the value when it is of this Lua type (LUA_TTABLE, LUA_TFUNCTION). */
bool wf_lua_option_typed(const wf_lua_options *, const char *name, int lua_type_wanted);

/* ---- single values --------------------------------------------------------------------------------------------- */

double wf_lua_check_number(lua_State *L, int index, const char *what, double minimum, double maximum);
int64_t wf_lua_check_integer(lua_State *L, int index, const char *what, int64_t minimum, int64_t maximum);
bool wf_lua_check_boolean(lua_State *L, int index, const char *what);
const char *wf_lua_check_string(lua_State *L, int index, const char *what);
int wf_lua_check_choice(lua_State *L, int index, const char *what, const char *const *choices);
/* Exactly `count` numbers; `expected` names them in the message. */
void wf_lua_check_numbers(lua_State *L, int index, const char *what, const char *expected, double *values, int count);
wf_vec3 wf_lua_check_vec3(lua_State *L, int index, const char *what);
/* A point whose coordinates are up to WF_LUA_FARTHEST. */
wf_vec3 wf_lua_check_place(lua_State *L, int index, const char *what);

/* The 1-based index of one of `count` things, as a 0-based one. */
size_t wf_lua_check_index(lua_State *L, int index, const char *what, size_t count);

/* Pushes a 0-based index as Lua's 1-based one. */
void wf_lua_push_index(lua_State *L, size_t index);

/* Pushes {x, y, z}. */
void wf_lua_push_vec3(lua_State *L, wf_vec3 value);

/* Gives the table on the stack's top a field. */
void wf_lua_set_number(lua_State *L, const char *name, double value);
void wf_lua_set_integer(lua_State *L, const char *name, int64_t value);

#endif
