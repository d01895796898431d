/* metrics.h - how far a simulation departs from a reference, as Kang's thesis measures it (2003, eq. 6.1 to 6.3).
 *
 * With r_i and e_i the displacements of point i since the last check point, in the reference and in the experiment,
 *
 *     E = (1/n) sum |r_i - e_i|^2 / |r_i|^2,      S = (1/n) sum (r_i . e_i)^2 / (|r_i|^2 |e_i|^2).
 *
 * E is a squared relative error (small is good), S a squared cosine (1: along the same line), so that motion exactly
 * reversed has E = 4, S = 1. Neither is defined for a point that rests in the reference. The thesis' own numbers show
 * that such points, its pins, counted as E_i = 0, S_i = 0 with n all points; MOVING leaves them out of n too. The
 * reference of the thesis is the same method with a small step: E and S measure the error of the time step alone.
 */
#ifndef WEFT_STEP_METRICS_H
#define WEFT_STEP_METRICS_H

#include "base/context.h"

typedef enum wf_metrics_mode {
    WF_METRICS_THESIS, /* n is the number of points */
    WF_METRICS_MOVING  /* n is the number of points that move in the reference */
} wf_metrics_mode;

typedef struct wf_metrics {
    double error;      /* E */
    double similarity; /* S */
    int32_t moving;    /* points that move in the reference */
} wf_metrics;

/* From positions at two check points, [count] each. Where no point moves E is 0, and S 0 (THESIS) or 1 (MOVING). */
wf_metrics wf_compare_displacements(int32_t count, const wf_vec3 *reference0, const wf_vec3 *reference1,
                                    const wf_vec3 *experiment0, const wf_vec3 *experiment1, wf_metrics_mode mode);

#endif
