/* fold.h - folds, pleats and pressed creases: the rest angles of edges along paths. */
#ifndef WEFT_MODEL_FOLD_H
#define WEFT_MODEL_FOLD_H

#include "model/element.h"
#include "model/incidence.h"

/* Sets fold at the edge between two vertices, of the faces that `around`, the incidence of faces, tells of. False, and
 * nothing is set: it is no edge of two faces. */
bool wf_fold_edge(const int32_t (*faces)[3], const wf_incidence *around, const int32_t edge[2], double angle,
                  double (*fold)[3]);

/* Fills fold, all of it, for wf_sheet_faces: angles[i], rad, between -pi and pi, at the edge whose ends are edges[i], 0
 * elsewhere. WF_ERROR_ARGUMENT names the first pair that is no edge of two faces. */
wf_status wf_fold_edges(wf_context *context, const wf_sheet_faces *sheet, int32_t count, const int32_t (*edges)[2],
                        const double *angles, double (*fold)[3]);

#endif
