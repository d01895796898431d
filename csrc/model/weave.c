#include "model/weave.h"

bool wf_weave_make_element(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                           void *rest, wf_vec3 *reference)
{
    (void)user, (void)k;
    const wf_vec2 *corner = sheet->rest[face];
    *(wf_weave_rest *)rest = wf_weave_rest_of(corner);
    for (int i = 0; i < 3; i++) {
        vertices[i] = sheet->faces[face][i];
        reference[i] = wf_vec3_make(corner[i].x, corner[i].y, 0);
    }
    return true;
}
