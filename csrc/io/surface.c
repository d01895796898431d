/* surface.c - what the readers of surfaces share; see surface.h. */
#include "io/surface.h"

#include <string.h>

#include "base/file.h"
#include "io/obj.h"
#include "io/ply.h"

wf_status wf_surface_read(wf_context *context, const char *path, size_t limit, wf_surface *surface)
{
    *surface = (wf_surface){0};
    char *bytes;
    size_t size;
    wf_status status = wf_file_read(context, path, limit, &bytes, &size);
    if (status != WF_OK) {
        return status;
    }
    bool is_ply = size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
    status = is_ply ? wf_ply_parse(context, path, bytes, size, surface)
                    : wf_obj_parse(context, path, bytes, size, surface);
    wf_free(context, bytes);
    if (status == WF_OK && surface->face_count == 0) {
        status = wf_fail(context, WF_ERROR_FORMAT, "%s: has no faces", path);
    }
    if (status != WF_OK) {
        wf_surface_free(context, surface);
    }
    return status;
}

void wf_surface_free(wf_context *context, wf_surface *surface)
{
    wf_free(context, surface->positions);
    wf_free(context, surface->faces);
    wf_free(context, surface->colours);
    *surface = (wf_surface){0};
}

wf_status wf_surface_add_vertex(wf_context *context, wf_surface *surface, wf_vec3 position)
{
    if (surface->vertex_count == INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "more than %d vertices", INT32_MAX);
    }
    wf_status status = wf_reserve(context, &surface->positions, &surface->position_capacity,
                                  (size_t)surface->vertex_count + 1, sizeof *surface->positions);
    if (status == WF_OK) {
        surface->positions[surface->vertex_count++] = position;
    }
    return status;
}

wf_status wf_surface_add_polygon(wf_context *context, wf_surface *surface, const int32_t *corners, size_t count)
{
    for (size_t k = 2; k < count; k++) {
        int32_t a = corners[0], b = corners[k - 1], c = corners[k];
        if (a == b || b == c || c == a) {
            surface->dropped_faces++;
            continue;
        }
        if (surface->face_count == INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "more than %d faces", INT32_MAX);
        }
        wf_status status = wf_reserve(context, &surface->faces, &surface->face_capacity,
                                      (size_t)surface->face_count + 1, sizeof *surface->faces);
        if (status != WF_OK) {
            return status;
        }
        int32_t *face = surface->faces[surface->face_count++];
        face[0] = a;
        face[1] = b;
        face[2] = c;
    }
    return WF_OK;
}
