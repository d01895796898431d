#include "model/fold.h"

#include <string.h>

/* The corner of a face that an edge between two vertices begins at; -1: it has no such edge. */
static int edge_of(const int32_t face[3], int32_t a, int32_t b)
{
    for (int k = 0; k < 3; k++) {
        int32_t from = face[k], to = face[(k + 1) % 3];
        if ((from == a && to == b) || (from == b && to == a)) {
            return k;
        }
    }
    return -1;
}

bool wf_fold_edge(const int32_t (*faces)[3], const wf_incidence *around, const int32_t edge[2], double angle,
                  double (*fold)[3])
{
    double *place[2];
    int found = 0;
    if (edge[0] < 0 || edge[0] >= around->vertex_count) {
        return false;
    }
    for (int32_t i = around->start[edge[0]]; i < around->start[edge[0] + 1]; i++) {
        int32_t face = around->corner[i] / 3;
        int k = edge_of(faces[face], edge[0], edge[1]);
        if (k >= 0 && found < 2) {
            place[found] = &fold[face][k];
        }
        found += k >= 0;
    }
    for (int k = 0; found == 2 && k < 2; k++) {
        *place[k] = angle;
    }
    return found == 2;
}

wf_status wf_fold_edges(wf_context *context, const wf_sheet_faces *sheet, int32_t count, const int32_t (*edges)[2],
                        const double *angles, double (*fold)[3])
{
    if (sheet->face_count > 0) {
        memset(fold, 0, (size_t)sheet->face_count * sizeof *fold);
    }
    wf_incidence around;
    const wf_stencil corners = {sheet->face_count, 3, sheet->face_count > 0 ? &sheet->faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, sheet->vertex_count, &corners, &around);
    for (int32_t i = 0; status == WF_OK && i < count; i++) {
        if (!(fabs(angles[i]) <= 3.14159265358979323846)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "fold %d has the angle %g rad, not one between -pi and pi",
                             i + 1, angles[i]);
        } else if (!wf_fold_edge(sheet->faces, &around, edges[i], angles[i], fold)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "fold %d: vertices %d and %d are not the ends of an edge of "
                             "two faces", i + 1, edges[i][0] + 1, edges[i][1] + 1);
        }
    }
    wf_incidence_free(context, &around);
    return status;
}
