/* folds.c - creases pressed into cloth: the rest angles of its faces' edges; and lines in its pattern. See fittings.h.
 *
 * A fold is a sharp bend of the rest shape. What bends about one is the hinge over each of its edges, by a law that
 * takes rest angles: where a cloth's bending takes none, as the plate, which is linear in the positions, the faces
 * around a fold have another that does (wf_model_of_folds). Both give each face its own energy, of the same moduli, so
 * that a cloth may change between them from face to face. These are the faces that touch one with a folded edge, since
 * a face's curvature is measured with the hinges of its neighbours too.
 */
#include <stdlib.h>
#include <string.h>

#include "model/fold.h"
#include "world/fittings.h"

/* ---- rest angles ----------------------------------------------------------------------------------------------- */

static void set_folds(const wf_cloth *cloth, const wf_incidence *around, double (*fold)[3])
{
    for (size_t i = 0; i < cloth->fitting_count; i++) {
        const wf_fitting *f = cloth->fittings[i];
        for (int32_t e = 0; f->kind == WF_FITTING_FOLD && f->on && e < f->count; e++) {
            const int32_t edge[2] = {cloth->vertex_of_source[f->edges[e][0]], cloth->vertex_of_source[f->edges[e][1]]};
            wf_fold_edge((const int32_t(*)[3])cloth->mesh.faces, around, edge, f->angle, fold);
        }
    }
}

/* Marks the faces around each vertex of a face with a folded edge. */
static void mark_folded(const wf_cloth *cloth, const wf_incidence *around, double (*const fold)[3], bool *folded)
{
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        bool own = fold[f][0] != 0 || fold[f][1] != 0 || fold[f][2] != 0;
        for (int k = 0; own && k < 3; k++) {
            int32_t vertex = cloth->mesh.faces[f][k];
            for (int32_t i = around->start[vertex]; i < around->start[vertex + 1]; i++) {
                folded[around->corner[i] / 3] = true;
            }
        }
    }
}

wf_status wf_cloth_folds(const wf_cloth *cloth, double (*fold)[3], bool *folded)
{
    memset(fold, 0, (size_t)cloth->mesh.face_count * sizeof *fold);
    memset(folded, 0, (size_t)cloth->mesh.face_count * sizeof *folded);
    if (!wf_cloth_has_fitting(cloth, WF_FITTING_FOLD)) {
        return WF_OK;
    }
    wf_incidence around;
    wf_status status = wf_cloth_corners(cloth, &around);
    if (status == WF_OK) {
        set_folds(cloth, &around, fold);
        mark_folded(cloth, &around, fold, folded);
        wf_incidence_free(cloth->context, &around);
    }
    return status;
}

/* ---- lines in the pattern -------------------------------------------------------------------------------------- */

#define ON_LINE 1e-6 /* m: how far from a line its vertices may lie */

typedef struct stop {
    double along; /* m, from the line's begin */
    int32_t vertex;
} stop;

static int compare_stops(const void *a, const void *b)
{
    const stop *p = a, *q = b;
    if (p->along != q->along) {
        return p->along < q->along ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* Where the panel's own vertices are along the line; negative: not on it. */
static void find_stops(const wf_cloth *cloth, int32_t panel, wf_vec2 from, wf_vec2 to, double *along)
{
    wf_vec2 way = wf_vec2_sub(to, from);
    double length = wf_vec2_norm(way);
    for (int32_t v = 0; v < cloth->mesh.vertex_count; v++) {
        along[v] = -1;
    }
    for (int32_t f = 0; length > 0 && f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3 && wf_cloth_panel(cloth, f) == panel; k++) {
            wf_vec2 arm = wf_vec2_sub(cloth->rest[f][k], from);
            double at = wf_vec2_dot(arm, way) / length, off = fabs(wf_vec2_cross(way, arm)) / length;
            if (off <= ON_LINE && at >= -ON_LINE && at <= length + ON_LINE) {
                along[cloth->mesh.faces[f][k]] = fmax(0, at);
            }
        }
    }
}

wf_status wf_cloth_line_path(const wf_cloth *cloth, int32_t panel, wf_vec2 from, wf_vec2 to, int32_t *path,
                             int32_t *count)
{
    wf_context *context = cloth->context;
    double *along = wf_allocate(context, (size_t)cloth->mesh.vertex_count, sizeof *along);
    stop *stops = wf_allocate(context, (size_t)cloth->mesh.vertex_count, sizeof *stops);
    wf_status status = along && stops ? WF_OK : WF_ERROR_MEMORY;
    *count = 0;
    if (status == WF_OK) {
        find_stops(cloth, panel, from, to, along);
        for (int32_t s = 0; s < cloth->source_count; s++) {
            double *own = &along[cloth->vertex_of_source[s]];
            if (*own >= 0) {
                stops[(*count)++] = (stop){*own, s};
                *own = -1; /* once */
            }
        }
        qsort(stops, (size_t)*count, sizeof *stops, compare_stops);
        for (int32_t i = 0; i < *count; i++) {
            path[i] = stops[i].vertex;
        }
        if (*count < 2) {
            status = wf_fail(context, WF_ERROR_GEOMETRY,
                             "no edges of panel %d follow the line from (%g, %g) to (%g, %g)", (int)panel + 1, from.x,
                             from.y, to.x, to.y);
        }
    }
    wf_free(context, stops);
    wf_free(context, along);
    return status;
}
