/* folds.h - the lines that a panel's folds are, between points of its outline, for its triangulation to follow. */
#ifndef WEFT_GARMENT_FOLDS_H
#define WEFT_GARMENT_FOLDS_H

#include "garment/sample.h"

/* Straight lines inside a panel between two points of its outline. Zero-initialise. */
typedef struct wf_fold_lines {
    int32_t count;
    int32_t (*points)[2]; /* [count] */
    double *angles;       /* [count] rad */
} wf_fold_lines;

/* Puts points where folds meet outlines. */
wf_status wf_folds_sample(wf_context *context, wf_sampling *sampling);

/* The lines of a panel's folds: each from one outline point to the next that is near it, as far as the panel lies
 * between. WF_ERROR_GEOMETRY names a fold of which nothing crosses the panel. */
wf_status wf_fold_lines_find(wf_context *context, const wf_garment *garment, int32_t panel,
                             const wf_panel_outline *outline, wf_fold_lines *lines);
void wf_fold_lines_free(wf_context *context, wf_fold_lines *lines);

#endif
