/* triangles.c - what the readers of surfaces share; see triangles.h. */
#include "io/triangles.h"

#include <string.h>

#include "base/file.h"
#include "base/vector.h"
#include "io/obj.h"
#include "io/ply.h"

wf_status wf_triangles_read(wf_context *context, const char *path, size_t limit, wf_triangles *triangles)
{
    *triangles = (wf_triangles){0};
    char *bytes;
    size_t size;
    wf_status status = wf_file_read(context, path, limit, &bytes, &size);
    if (status != WF_OK) {
        return status;
    }
    bool is_ply = size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
    status = is_ply ? wf_ply_parse(context, path, bytes, size, triangles)
                    : wf_obj_parse(context, path, bytes, size, triangles);
    wf_free(context, bytes);
    if (status == WF_OK && triangles->face_count == 0) {
        status = wf_fail(context, WF_ERROR_FORMAT, "%s: has no faces", path);
    }
    if (status != WF_OK) {
        wf_triangles_free(context, triangles);
    }
    return status;
}

void wf_triangles_free(wf_context *context, wf_triangles *triangles)
{
    wf_free(context, triangles->positions);
    wf_free(context, triangles->faces);
    wf_free(context, triangles->colours);
    *triangles = (wf_triangles){0};
}

wf_status wf_triangles_add_vertex(wf_context *context, wf_triangles *triangles, wf_vec3 position)
{
    if (triangles->vertex_count == INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "more than %d vertices", INT32_MAX);
    }
    wf_status status = wf_reserve(context, &triangles->positions, &triangles->position_capacity,
                                  (size_t)triangles->vertex_count + 1, sizeof *triangles->positions);
    if (status == WF_OK) {
        triangles->positions[triangles->vertex_count++] = position;
    }
    return status;
}

wf_status wf_triangles_add_polygon(wf_context *context, wf_triangles *triangles, const int32_t *corners, size_t count)
{
    for (size_t k = 2; k < count; k++) {
        int32_t a = corners[0], b = corners[k - 1], c = corners[k];
        if (a == b || b == c || c == a) {
            triangles->dropped_faces++;
            continue;
        }
        if (triangles->face_count == INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "more than %d faces", INT32_MAX);
        }
        wf_status status = wf_reserve(context, &triangles->faces, &triangles->face_capacity,
                                      (size_t)triangles->face_count + 1, sizeof *triangles->faces);
        if (status != WF_OK) {
            return status;
        }
        int32_t *face = triangles->faces[triangles->face_count++];
        face[0] = a;
        face[1] = b;
        face[2] = c;
    }
    return WF_OK;
}

wf_status wf_triangles_check_finite(wf_context *context, const char *path, int32_t count, const wf_vec3 *positions)
{
    for (int32_t i = 0; i < count; i++) {
        if (!wf_vec3_isfinite(positions[i])) {
            return wf_fail(context, WF_ERROR_NUMERIC, "%s: vertex %d is not finite", path, i + 1);
        }
    }
    return WF_OK;
}
