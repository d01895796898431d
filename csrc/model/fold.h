/* fold.h - folds, pleats and pressed creases: the rest angles of edges along paths. */
#ifndef WEFT_MODEL_FOLD_H
#define WEFT_MODEL_FOLD_H

#include "model/element.h"

/* Fills fold, all of it, for wf_sheet_faces: angles[i], rad, between -pi and pi, at the edge whose ends are edges[i], 0
 * elsewhere. WF_ERROR_ARGUMENT names the first pair that is no edge of two faces. */
wf_status wf_fold_edges(wf_context *context, const wf_sheet_faces *sheet, int32_t count, const int32_t (*edges)[2],
                        const double *angles, double (*fold)[3]);

#endif
