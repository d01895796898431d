#include "model/fold.h"

#include <string.h>

#include "model/incidence.h"
#include "model/patch.h"

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

static bool fold_edge(const wf_sheet_faces *sheet, const wf_incidence *incidence, const int32_t (*neighbours)[3],
                      const int32_t edge[2], double angle, double (*fold)[3])
{
    int found = 0;
    if (edge[0] < 0 || edge[0] >= sheet->vertex_count) {
        return false;
    }
    for (int32_t i = incidence->start[edge[0]]; i < incidence->start[edge[0] + 1]; i++) {
        int32_t face = incidence->corner[i] / 3;
        int k = edge_of(sheet->faces[face], edge[0], edge[1]);
        if (k >= 0 && neighbours[face][k] >= 0) {
            fold[face][k] = angle;
            found++;
        }
    }
    return found == 2;
}

static wf_status fold_all(wf_context *context, const wf_sheet_faces *sheet, const int32_t (*neighbours)[3],
                          int32_t count, const int32_t (*edges)[2], const double *angles, double (*fold)[3])
{
    wf_incidence incidence;
    const wf_stencil corners = {sheet->face_count, 3, sheet->face_count > 0 ? &sheet->faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, sheet->vertex_count, &corners, &incidence);
    for (int32_t i = 0; status == WF_OK && i < count; i++) {
        if (!(fabs(angles[i]) <= 3.14159265358979323846)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "fold %d has the angle %g rad, not one between -pi and pi",
                             i + 1, angles[i]);
        } else if (!fold_edge(sheet, &incidence, neighbours, edges[i], angles[i], fold)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "fold %d: vertices %d and %d are not the ends of an edge of "
                             "two faces", i + 1, edges[i][0] + 1, edges[i][1] + 1);
        }
    }
    wf_incidence_free(context, &incidence);
    return status;
}

wf_status wf_fold_edges(wf_context *context, const wf_sheet_faces *sheet, int32_t count, const int32_t (*edges)[2],
                        const double *angles, double (*fold)[3])
{
    size_t face_count = (size_t)sheet->face_count;
    int32_t(*neighbours)[3] = wf_allocate(context, face_count, sizeof *neighbours);
    if (!neighbours) {
        return WF_ERROR_MEMORY;
    }
    if (face_count > 0) {
        memset(fold, 0, face_count * sizeof *fold);
    }
    wf_status status = wf_patch_find_neighbours(context, sheet->vertex_count, sheet->face_count, sheet->faces,
                                                neighbours);
    if (status == WF_OK) {
        status = fold_all(context, sheet, (const int32_t(*)[3])neighbours, count, edges, angles, fold);
    }
    wf_free(context, neighbours);
    return status;
}
