/* lua_model.h - force models as Lua handles. */
#ifndef WEFT_LUA_MODEL_H
#define WEFT_LUA_MODEL_H

#include "lua/object.h"
#include "lua/options.h"
#include "solve/block_matrix.h"

typedef struct wf_lua_model {
    wf_model *model;
    wf_block_matrix *matrix; /* of this model alone, made when first asked for */
    bool membrane;
    int32_t face_count; /* of a named model */
    struct wf_face_history *history; /* [face_count]; NULL until something is remembered */
} wf_lua_model;

extern const wf_lua_class wf_lua_model_class;

/* Pushes a handle whose model is still missing. */
wf_lua_model *wf_lua_push_model(lua_State *L, const char *function);

/* Faces and their rest shape, which no one has checked. */
typedef struct wf_lua_sheet {
    int32_t vertex_count, face_count;
    const int32_t (*faces)[3];
    const wf_vec2 (*rest)[3];
} wf_lua_sheet;

/* Options faces, rest and vertices: rest has one point per vertex, or three per face in the order of the corners.
 * Pushes values that keep both alive. */
wf_lua_sheet wf_lua_read_sheet(const wf_lua_options *options);

#endif
