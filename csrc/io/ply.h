/* ply.h - PLY files: positions, colours and faces in and out. */
#ifndef WEFT_IO_PLY_H
#define WEFT_IO_PLY_H

#include "io/triangles.h"

/* Reads PLY bytes: ascii, binary little endian or big endian; properties of any number type in any order; the face
 * list named vertex_indices or vertex_index; other properties and elements are skipped. `name` is the file's name for
 * messages. `triangles` must be zero; the caller frees it, after a failure too. */
wf_status wf_ply_parse(wf_context *context, const char *name, const char *bytes, size_t size, wf_triangles *triangles);

/* What wf_ply_write writes. Indices are 0-based. */
typedef struct wf_ply_content {
    int32_t vertex_count, face_count;
    const wf_vec3 *positions;        /* [vertex_count] */
    const int32_t (*faces)[3];       /* [face_count] */
    const float (*colours)[3];       /* [vertex_count] red, green, blue from 0 to 1 (clamped), or NULL */
    bool single_precision;           /* coordinates as float, not double */
    const char *comment;             /* one line in the header, or NULL */
} wf_ply_content;

/* Writes a binary little-endian PLY file. WF_ERROR_NUMERIC names a vertex that is not finite; then, and after any other
 * failure, a file that was there is unchanged. */
wf_status wf_ply_write(wf_context *context, const char *path, const wf_ply_content *content);

#endif
