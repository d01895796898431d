#include "model/membrane_weave.h"

/* Well above the least length, so that no diagonal is lost either. */
#define OPENING (4 * WF_LEAST_THREAD)

void wf_threads_open(wf_vec3 *u, wf_vec3 *v)
{
    double length_u = wf_vec3_norm(*u), length_v = wf_vec3_norm(*v);
    wf_vec3 along = length_u > length_v ? *u : *v;
    along = fmax(length_u, length_v) > WF_LEAST_THREAD ? wf_vec3_normalize(along) : wf_vec3_make(1, 0, 0);
    wf_vec3 across = wf_vec3_perpendicular(along);
    if (fmax(length_u, length_v) <= WF_LEAST_THREAD) {
        *u = wf_vec3_scale(along, OPENING);
        *v = wf_vec3_scale(across, OPENING);
    } else if (length_u <= WF_LEAST_THREAD) {
        *u = wf_vec3_scale(across, OPENING);
    } else {
        *v = wf_vec3_muladds(length_v <= WF_LEAST_THREAD ? wf_vec3_make(0, 0, 0) : *v, across, OPENING);
    }
}
