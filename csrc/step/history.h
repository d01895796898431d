/* history.h - the earlier states that multi-step schemes and extrapolated start values need. */
#ifndef WEFT_STEP_HISTORY_H
#define WEFT_STEP_HISTORY_H

#include "base/context.h"

enum { WF_HISTORY_STATES = 4 };

/* States at times before the present one, the latest first. */
typedef struct wf_history {
    int count;                    /* states held */
    size_t size;                  /* doubles in x and in v */
    double age[WF_HISTORY_STATES]; /* s before the present state, increasing */
    double *x[WF_HISTORY_STATES], *v[WF_HISTORY_STATES];
} wf_history;

/* Adds (x, v), the state at the start of a step of length h that is now made; of the states held, `limit` are kept. */
wf_status wf_history_push(wf_context *context, wf_history *history, int limit, size_t size, const double *x,
                          const double *v, double h);

/* Makes `to`, zero-initialised or a history, one that holds the same; allocates where it never held as many states. */
wf_status wf_history_copy(wf_context *context, const wf_history *from, wf_history *to);

void wf_history_clear(wf_history *history);
void wf_history_free(wf_context *context, wf_history *history);

/* The present of the touched components has changed from (from_x, from_v) to (x, v): their past becomes that of the new
 * motion with the changes of velocity of the old. */
void wf_history_touch(wf_history *history, const uint8_t *touched, const double *from_x, const double *from_v,
                      const double *x, const double *v);

/* Weights of a polynomial in time through values at `count` + 1 distinct times: the latest at 0, the others at
 * -age[0], -age[1], ... before it. `extrapolate`: of its value at `ahead`, given the latest first. */
void wf_history_extrapolation(int count, const double *age, double ahead, double *weights);

/* Backward differentiation: with y_1 the value at time `ahead` after the latest, and y_0, y_-1, ... as above, the
 * polynomial's derivative there is (y_1 - sum_j weights[j] y_-j) / gamma. */
double wf_history_differentiation(int count, const double *age, double ahead, double *weights);

#endif
