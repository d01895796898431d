/* metrics.c - see metrics.h. */
#include "step/metrics.h"

#include "base/vector.h"

wf_metrics wf_compare_displacements(int32_t count, const wf_vec3 *reference0, const wf_vec3 *reference1,
                                    const wf_vec3 *experiment0, const wf_vec3 *experiment1, wf_metrics_mode mode)
{
    wf_metrics sum = {0};
    for (int32_t i = 0; i < count; i++) {
        wf_vec3 r = wf_vec3_sub(reference1[i], reference0[i]), e = wf_vec3_sub(experiment1[i], experiment0[i]);
        double rr = wf_vec3_norm2(r), ee = wf_vec3_norm2(e), re = wf_vec3_dot(r, e);
        /* Displacements whose squares vanish in the smallest normal number have no direction. */
        if (!(rr > 1e-300)) {
            continue;
        }
        sum.moving++;
        sum.error += wf_vec3_norm2(wf_vec3_sub(r, e)) / rr;
        if (ee > 1e-300) {
            sum.similarity += (re / rr) * (re / ee);
        }
    }
    int32_t divisor = mode == WF_METRICS_THESIS ? count : sum.moving;
    if (divisor > 0) {
        sum.error /= divisor;
        sum.similarity /= divisor;
    } else {
        sum.similarity = 1;
    }
    return sum;
}
