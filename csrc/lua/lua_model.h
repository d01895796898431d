/* lua_model.h - force models as Lua handles. */
#ifndef WEFT_LUA_MODEL_H
#define WEFT_LUA_MODEL_H

#include "lua/object.h"
#include "solve/block_matrix.h"

typedef struct wf_lua_model {
    wf_model *model;
    wf_block_matrix *matrix; /* of this model alone, made when first asked for */
    bool membrane;
} wf_lua_model;

extern const wf_lua_class wf_lua_model_class;

/* Pushes a handle whose model is still missing. */
wf_lua_model *wf_lua_push_model(lua_State *L, const char *function);

#endif
