/* obj.h - Wavefront OBJ files: positions and faces in, positions, texture coordinates, normals and faces out. */
#ifndef WEFT_IO_OBJ_H
#define WEFT_IO_OBJ_H

#include "io/triangles.h"

/* Reads OBJ text. Understood: `v x y z`, with a weight (ignored) or a colour after it; `f` with corners `v`, `v/t`,
 * `v//n` or `v/t/n`, indices from 1 or, when negative, counted back from the last vertex so far; comments, `\` at the
 * end of a line, LF, CR LF and CR ends of lines. Other statements are skipped. `name` is the file's name for messages.
 * `triangles` must be zero or hold what to add to; the caller frees it, after a failure too. */
wf_status wf_obj_parse(wf_context *context, const char *name, const char *text, size_t size, wf_triangles *triangles);

/* What wf_obj_write writes. Indices are 0-based here. */
typedef struct wf_obj_content {
    int32_t vertex_count, face_count;
    const wf_vec3 *positions;            /* [vertex_count] */
    const int32_t (*faces)[3];           /* [face_count] */
    int32_t texture_count;               /* 0 for none */
    const wf_vec2 *textures;             /* [texture_count] */
    const int32_t (*face_textures)[3];   /* [face_count] into textures */
    const wf_vec3 *normals;              /* [vertex_count] unit normals, or NULL */
    const char *comment;                 /* one line at the top of the file, or NULL */
} wf_obj_content;

/* Writes an OBJ file whose numbers read back as the same doubles. WF_ERROR_NUMERIC names a vertex that is not finite;
 * then, and after any other failure, a file that was there is unchanged. */
wf_status wf_obj_write(wf_context *context, const char *path, const wf_obj_content *content);

#endif
