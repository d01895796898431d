/* acceleration.h - Anderson's acceleration of a slowly converging iteration (Anderson 1965; Walker and Ni 2011).
 *
 * Newton's method with a matrix that is not quite the derivative (a semidefinite stand-in, a constant one, viscous
 * forces taken without their dependence on the positions) multiplies its errors by some factor in each iteration. The
 * changes of its corrections over the last few iterations tell how they depend on the iterate; the combination of past
 * iterates with the least correction, corrected, is a better next one.
 */
#ifndef WEFT_STEP_ACCELERATION_H
#define WEFT_STEP_ACCELERATION_H

#include "step/scheme.h"

enum { WF_ACCELERATION_DEPTH = 10 };

/* One per solve; its vectors are the integrator's, from WF_ACCELERATION_VECTOR on. Zero-initialise. */
typedef struct wf_acceleration {
    int count;    /* pairs of differences held */
    int newest;   /* the slot written last */
    bool started; /* the last iterate and its correction are known */
} wf_acceleration;

/* Takes in the iterate v and its correction. `direction` becomes the accelerated correction, where at least one
 * difference is known (`*known`). WF_ERROR_MEMORY when there is no room. */
wf_status wf_acceleration_update(wf_integrator *self, wf_acceleration *acceleration, const double *v,
                                 const double *correction, double *direction, bool *known);

#endif
