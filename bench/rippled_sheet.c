/* rippled_sheet.c - see rippled_sheet.h. */
#include "rippled_sheet.h"

#include <math.h>
#include <string.h>

#include "weft.h"

static void fill(rippled_sheet *s, int cells)
{
    int side = cells + 1;
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++) {
            double u = (double)i / cells, v = (double)j / cells;
            s->x[j * side + i] = (wf_vec3){1.01 * u, v + 0.002 * sin(9 * u), 0.02 * sin(11 * u + 7 * v)};
            s->v[j * side + i] = (wf_vec3){0.1 * sin(5 * v), 0.1 * u, cos(3 * u + 2 * v)};
        }
    }
    for (int j = 0, face = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            int32_t a = j * side + i, b = a + 1, d = a + side, c = d + 1;
            int32_t one[2][3] = {{a, b, c}, {a, c, d}}, other[2][3] = {{a, b, d}, {b, c, d}};
            memcpy(s->faces[face], (i + j) % 2 ? other : one, sizeof one);
            face += 2;
        }
    }
    for (int32_t face = 0; face < s->face_count; face++) {
        for (int k = 0; k < 3; k++) {
            int32_t vertex = s->faces[face][k];
            s->rest[face][k] = (wf_vec2){(double)(vertex % side) / cells, (double)(vertex / side) / cells};
        }
    }
}

wf_status rippled_sheet_make(wf_context *context, int cells, rippled_sheet *s)
{
    s->vertex_count = (cells + 1) * (cells + 1);
    s->face_count = 2 * cells * cells;
    size_t vertex_count = (size_t)s->vertex_count, face_count = (size_t)s->face_count;
    s->faces = wf_allocate(context, face_count, sizeof *s->faces);
    s->rest = wf_allocate(context, face_count, sizeof *s->rest);
    s->x = wf_allocate(context, vertex_count, sizeof *s->x);
    s->v = wf_allocate(context, vertex_count, sizeof *s->v);
    s->f = wf_allocate(context, vertex_count, sizeof *s->f);
    if (!s->faces || !s->rest || !s->x || !s->v || !s->f) {
        return WF_ERROR_MEMORY;
    }
    fill(s, cells);
    return wf_fabric_preset(context, "wool", WF_FABRIC_PER_RADIAN, &s->wool);
}

void rippled_sheet_free(wf_context *context, rippled_sheet *s)
{
    wf_free(context, s->faces);
    wf_free(context, s->rest);
    wf_free(context, s->x);
    wf_free(context, s->v);
    wf_free(context, s->f);
}

wf_sheet_faces rippled_sheet_faces(const rippled_sheet *s)
{
    return (wf_sheet_faces){.vertex_count = s->vertex_count, .face_count = s->face_count,
                            .faces = (const int32_t(*)[3])s->faces, .rest = (const wf_vec2(*)[3])s->rest,
                            .fabric_count = 1, .fabrics = &s->wool};
}
