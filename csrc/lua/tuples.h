/* tuples.h - options that are lists of points or of faces: {{x, y, z}, ...}, {{1, 2, 3}, ...}, or a weft.buffer. */
#ifndef WEFT_LUA_TUPLES_H
#define WEFT_LUA_TUPLES_H

#include "lua/options.h"

/* A list of lists of `components` finite numbers, or a buffer of doubles with so many components. Returns how many, and
 * `components` numbers each in `*values`; 0 and NULL when the option is absent. Pushes one value, as options.h says. */
size_t wf_lua_option_tuples(const wf_lua_options *options, const char *name, int components, const double **values);

/* The same for indices of `count` things, 1-based in Lua and 0-based in `*values`, or a buffer of indices. */
size_t wf_lua_option_index_tuples(const wf_lua_options *options, const char *name, int components, size_t count,
                                  const int32_t **values);

#endif
