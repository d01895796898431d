/* triangles.h - triangle surfaces as files hold them: points, triangles and sometimes colours.
 *
 * The order of vertices and faces is the file's: nothing is welded, split or sorted. Polygons become fans around their
 * first corner, so a file's n-gon gives n - 2 consecutive triangles. What the triangles form is not checked here
 * (see wf_mesh_build).
 */
#ifndef WEFT_IO_TRIANGLES_H
#define WEFT_IO_TRIANGLES_H

#include "base/context.h"

/* Owned arrays; free with wf_triangles_free. */
typedef struct wf_triangles {
    int32_t vertex_count, face_count;
    wf_vec3 *positions;      /* [vertex_count], finite */
    int32_t (*faces)[3];     /* [face_count], indices in range, three different ones each */
    float (*colours)[3];     /* [vertex_count] red, green, blue from 0 to 1; NULL when the file has none */
    int64_t dropped_faces;   /* triangles left out because two of their corners are the same vertex */
    size_t position_capacity, face_capacity, colour_capacity;
} wf_triangles;

/* Reads an OBJ or PLY file of at most `limit` bytes (WF_FILE_LIMIT is a good one); the file's first bytes decide which.
 * A file without a face is an error. On failure `*triangles` is empty. Messages name the file and the line or byte. */
wf_status wf_triangles_read(wf_context *context, const char *path, size_t limit, wf_triangles *triangles);

void wf_triangles_free(wf_context *context, wf_triangles *triangles);

/* For the writers, before they open a file: WF_ERROR_NUMERIC names it and the first vertex that is not finite. */
wf_status wf_triangles_check_finite(wf_context *context, const char *path, int32_t count, const wf_vec3 *positions);

/* For the readers: adds a vertex, or the fan of a polygon whose `corners` (0-based) are known to be in range or will be
 * checked by the caller. */
wf_status wf_triangles_add_vertex(wf_context *context, wf_triangles *triangles, wf_vec3 position);
wf_status wf_triangles_add_polygon(wf_context *context, wf_triangles *triangles, const int32_t *corners, size_t count);

#endif
