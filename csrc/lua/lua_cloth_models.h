/* lua_cloth_models.h - cloth.membrane and cloth.bending: which models a cloth's faces are made of.
 *
 * A name for all faces; or a table with a name for the faces of a fabric, which is given by its own name or its number,
 * and `default` for the rest.
 */
#ifndef WEFT_LUA_CLOTH_MODELS_H
#define WEFT_LUA_CLOTH_MODELS_H

#include "lua/options.h"
#include "world/cloth.h"

/* Pushes the name, or a list of one for each fabric where they differ. */
void wf_lua_push_cloth_model(lua_State *L, const wf_cloth *cloth, wf_model_kind kind);

/* Sets what the value at `index` says; `what` is "weft.cloth.membrane". All or nothing. */
void wf_lua_set_cloth_model(lua_State *L, wf_cloth *cloth, wf_model_kind kind, int index, const char *what);

/* The options `membrane` and `bending` of a new cloth. */
void wf_lua_option_cloth_models(const wf_lua_options *options, wf_cloth *cloth);

/* Pushes the models that are not the default ones, for the line that describes a cloth: "; membrane green", or "". */
void wf_lua_push_cloth_models_text(lua_State *L, const wf_cloth *cloth);

#endif
