/* sheet.c - a flat rectangular cloth; see wf_cloth_create_sheet in cloth.h. */
#include "base/vector.h"
#include "world/cloth.h"

enum { LARGEST_CELL_COUNT = 4096 };

static wf_status check_sheet(wf_context *context, const wf_sheet_def *def)
{
    for (int k = 0; k < 2; k++) {
        if (def->cells[k] < 1 || def->cells[k] > LARGEST_CELL_COUNT) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "cells must be two integers from 1 to %d, got {%d, %d}",
                           LARGEST_CELL_COUNT, (int)def->cells[0], (int)def->cells[1]);
        }
        if (!(def->size[k] > 0 && def->size[k] <= 1e4)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "size must be two lengths from 0 to 10000 m, got {%g, %g}",
                           def->size[0], def->size[1]);
        }
    }
    double skew = wf_vec3_dot(def->weft, def->warp);
    if (!(fabs(wf_vec3_norm(def->weft) - 1) < 1e-6 && fabs(wf_vec3_norm(def->warp) - 1) < 1e-6 && fabs(skew) < 1e-6)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "weft and warp must be unit vectors at right angles");
    }
    return WF_OK;
}

static void fill_vertices(const wf_sheet_def *def, wf_vec3 *positions, wf_vec2 *rest)
{
    int32_t columns = def->cells[0] + 1, rows = def->cells[1] + 1;
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t i = 0; i < columns; i++) {
            wf_vec2 p = {(double)i / def->cells[0] * def->size[0], (double)j / def->cells[1] * def->size[1]};
            int32_t k = j * columns + i;
            rest[k] = p;
            positions[k] = wf_vec3_muladds(def->centre, def->weft, p.x - 0.5 * def->size[0]);
            positions[k] = wf_vec3_muladds(positions[k], def->warp, p.y - 0.5 * def->size[1]);
        }
    }
}

/* Diagonals alternate, so that the sheet has no preferred bias. */
static void fill_faces(const wf_sheet_def *def, const wf_vec2 *vertex_rest, int32_t (*faces)[3], wf_vec2 (*rest)[3])
{
    int32_t columns = def->cells[0] + 1, f = 0;
    for (int32_t j = 0; j < def->cells[1]; j++) {
        for (int32_t i = 0; i < def->cells[0]; i++) {
            int32_t a = j * columns + i, b = a + 1, c = b + columns, d = a + columns;
            bool rising = (i + j) % 2 == 0;
            int32_t pair[2][3] = {{a, b, rising ? c : d}, {rising ? a : b, c, d}};
            for (int t = 0; t < 2; t++, f++) {
                for (int k = 0; k < 3; k++) {
                    faces[f][k] = pair[t][k];
                    rest[f][k] = vertex_rest[pair[t][k]];
                }
            }
        }
    }
}

wf_status wf_cloth_create_sheet(wf_context *context, const wf_sheet_def *def, wf_cloth **cloth)
{
    wf_status status = check_sheet(context, def);
    if (status != WF_OK) {
        return status;
    }
    int32_t vertex_count = (def->cells[0] + 1) * (def->cells[1] + 1);
    int32_t face_count = 2 * def->cells[0] * def->cells[1];
    wf_vec3 *positions = wf_allocate(context, (size_t)vertex_count, sizeof *positions);
    wf_vec2 *vertex_rest = wf_allocate(context, (size_t)vertex_count, sizeof *vertex_rest);
    int32_t(*faces)[3] = wf_allocate(context, (size_t)face_count, sizeof *faces);
    wf_vec2(*rest)[3] = wf_allocate(context, (size_t)face_count, sizeof *rest);
    status = positions && vertex_rest && faces && rest ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        fill_vertices(def, positions, vertex_rest);
        fill_faces(def, vertex_rest, faces, rest);
        wf_cloth_def cloth_def = {.vertex_count = vertex_count,
                                  .positions = positions,
                                  .face_count = face_count,
                                  .faces = (const int32_t(*)[3])faces,
                                  .rest = (const wf_vec2(*)[3])rest,
                                  .fabric_count = 1,
                                  .fabrics = def->fabric};
        status = wf_cloth_create(context, &cloth_def, cloth);
    }
    wf_free(context, rest);
    wf_free(context, faces);
    wf_free(context, vertex_rest);
    wf_free(context, positions);
    return status;
}
