/* lua_io.h - saving the meshes of any object by the ending of the file's name. */
#ifndef WEFT_LUA_IO_H
#define WEFT_LUA_IO_H

#include "io/obj.h"
#include "lua/compat.h"

/* Writes positions, faces and what else the format holds to an .obj or .ply file. Other endings fail. */
wf_status wf_lua_write_mesh(wf_context *context, const char *path, const wf_obj_content *content,
                            const float (*colours)[3], bool single_precision);

#endif
