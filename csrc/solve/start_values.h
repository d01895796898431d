/* start_values.h - where to start an iteration, from what the last solutions were.
 *
 * Over the last three velocities a polynomial of degree 0, 1 or 2 continues the motion: whichever would have predicted
 * the latest of them best, in the norm of the masses, for each part of the system by itself. Smooth motion is predicted
 * so well that half of the iterations go; after an impact the last velocity is taken as it is.
 */
#ifndef WEFT_SOLVE_START_VALUES_H
#define WEFT_SOLVE_START_VALUES_H

#include "base/context.h"

enum { WF_START_VALUES = 3 };

/* Zero-initialise; free with wf_start_values_free. */
typedef struct wf_start_values {
    size_t rows;
    int count; /* of velocities known, the latest first */
    float (*velocity[WF_START_VALUES])[3]; /* [rows], before the present one */
} wf_start_values;

void wf_start_values_free(wf_context *context, wf_start_values *values);

/* v = what rows [begin, end) will have after their present velocities v0, where `held` is not set. Others stay. */
void wf_start_values_predict(const wf_start_values *values, size_t begin, size_t end, const double *mass,
                             const wf_vec3 *v0, const uint8_t *held, wf_vec3 *v);

/* Makes room for `rows` velocities a time; forgets those of another count. */
wf_status wf_start_values_resize(wf_context *context, wf_start_values *values, size_t rows);

/* Makes `to` hold the same; allocates where it holds none of as many rows. */
wf_status wf_start_values_copy(wf_context *context, const wf_start_values *from, wf_start_values *to);

/* Takes note of the velocities v0 [rows]. */
void wf_start_values_push(wf_start_values *values, const wf_vec3 *v0);

#endif
