/* lua_garment.h - the classes of garments and of their unsewn meshes. */
#ifndef WEFT_LUA_GARMENT_H
#define WEFT_LUA_GARMENT_H

#include "garment/assemble.h"

struct wf_lua_class;
extern const struct wf_lua_class wf_lua_garment_class;      /* object: wf_garment */
extern const struct wf_lua_class wf_lua_pattern_mesh_class; /* object begins with a wf_pattern_mesh;
                                                               parent: its garment */

#endif
