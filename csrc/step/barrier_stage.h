/* barrier_stage.h - the implicit stage of a system whose positions must stay free of contact.
 *
 * Newton's method on the stage's equation (stage.h), whose forces contain barriers, after Li et al., "Incremental
 * Potential Contact" (2020): every iterate is free of contact, because a step is cut where continuous detection says
 * that a gap would close, and then in half until the potential falls. What is different:
 *
 *   - The first iterate is what one linear solve from the start of the step gives, taken through the door of positions
 *     (impulses and fail-safe), which moves bodies and pins all the way. In the paper one pair that is near stops all.
 *   - Friction follows the iterate for some iterations, then its normal forces stay (they are of no potential).
 *   - Every iterate may be taken. The iteration ends when the whole correction is below a tolerance of velocity.
 */
#ifndef WEFT_STEP_BARRIER_STAGE_H
#define WEFT_STEP_BARRIER_STAGE_H

#include "step/stage.h"

/* As wf_stage_solve, for systems with `barrier`. The stage must end where the step does. */
wf_status wf_barrier_stage_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x,
                                 double *v);

#endif
