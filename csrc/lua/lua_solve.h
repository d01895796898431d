/* lua_solve.h - linear systems as scripts write them, for the parts that solve them. */
#ifndef WEFT_LUA_LUA_SOLVE_H
#define WEFT_LUA_LUA_SOLVE_H

#include "lua/options.h"
#include "solve/conjugate_gradients.h"

/* Symmetric blocks at index pairs; (i, j) stands for (j, i) too. */
typedef struct wf_lua_block_list {
    size_t count;
    const int32_t (*pairs)[2];
    const wf_mat3 *blocks;
} wf_lua_block_list;

/* `fixed`: vertices held in all directions; `guided` and `directions`: vertices and a direction each that is held. */
typedef struct wf_lua_constraints {
    size_t fixed_count, guided_count;
    const int32_t *fixed, *guided;
    const wf_vec3 *directions;
} wf_lua_constraints;

typedef struct wf_lua_system {
    int32_t rows;
    wf_lua_block_list fixed_part, contact_part;
    wf_lua_constraints held;
    const wf_vec3 *b, *positions, *start; /* positions, start: or NULL */
    wf_pcg_params params;
    bool direct; /* method = "cholmod" */
} wf_lua_system;

/* The options of weft.solve.linear, ended by NULL. */
extern const char *const wf_lua_system_names[];

/* Reads them; what they point to lives as long as the options. */
wf_lua_system wf_lua_read_system(const wf_lua_options *options);

/* What is done with a system; x: [rows]. */
typedef wf_status wf_lua_system_use(wf_context *context, const wf_linear_system *system, const wf_lua_system *input,
                                    wf_vec3 *x, void *user);

/* Builds the matrices of `input`, uses them and frees them. */
wf_status wf_lua_use_system(wf_context *context, const wf_lua_system *input, wf_lua_system_use *use, wf_vec3 *x,
                            void *user);

/* Pushes a buffer of `input->rows` vectors that holds the start, or zeros. */
wf_vec3 *wf_lua_push_start(lua_State *L, const wf_lua_system *input);

#endif
