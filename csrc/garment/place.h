/* place.h - the start of sewing: panels that do not touch the body or one another.
 *
 * Reference E5 asks of placed panels that none collides with the body or another panel. Pattern files mostly keep
 * that for the body they were made for and miss it for others. A panel that starts in the body, crosses it or comes
 * too near is moved along its outward normal by the least distance that frees it (inward when only that does); panels
 * that cross or touch one another away from their common seams are moved apart along their normals.
 */
#ifndef WEFT_GARMENT_PLACE_H
#define WEFT_GARMENT_PLACE_H

#include "garment/assemble.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"

typedef struct wf_place_params {
    double clearance;  /* least distance of a panel's vertices from the body, m; default 0.005 */
    double panel_gap;  /* least distance between panels away from their seams, m; default 0.003 */
    double reach;      /* how far a panel may be moved to free it from the body, m; default 0.4 */
} wf_place_params;

wf_place_params wf_default_place_params(void);

/* Arrays from the context. */
typedef struct wf_place_report {
    int32_t panel_count, seam_count;
    double *panel_moved; /* [panel_count] along the outward normal, m */
    double *panel_gap;   /* [panel_count] least distance of a vertex from the body, m; infinite without a body */
    double *seam_gap;    /* [seam_count] largest distance between two vertices of a pair, m */
} wf_place_report;

/* Moves mesh->positions of panels that need it. `mesh` was made from `garment`, and its panels are still flat and
 * facing as they were; `body` and `solid` (of the same body) may both be NULL. WF_ERROR_GEOMETRY names a panel that
 * cannot be freed from the body within reach, or two panels that cannot be separated; the mesh is then unchanged. */
wf_status wf_garment_place(wf_context *context, const wf_garment *garment, const wf_mesh *body, const wf_solid *solid,
                           const wf_place_params *params, wf_pattern_mesh *mesh, wf_place_report *report);
void wf_place_report_free(wf_context *context, wf_place_report *report);

#endif
