/* trial.h - the same scene from the same moment several times, with other integrators and steps.
 *
 * A trial keeps the state of a world's cloths at the moment it was made, and runs the world from there without the
 * world noticing: each call puts the trial's state in the place of the world's, steps, and puts the world's back. Pins
 * stay where they are going and ties do not break; what scripts do between steps is no part of it.
 */
#ifndef WEFT_WORLD_TRIAL_H
#define WEFT_WORLD_TRIAL_H

#include "world/world.h"

typedef struct wf_trial wf_trial;

/* Remembers the world's present state. WF_ERROR_ARGUMENT when it has no cloth. */
wf_status wf_trial_create(wf_world *world, wf_trial **trial);
void wf_trial_destroy(wf_trial *trial); /* also after the world is gone */

/* Goes back to the remembered state, with another scheme and step (s), and with another tolerance of its linear solves;
 * 0: the world's. */
wf_status wf_trial_begin(wf_trial *trial, const char *integrator, const wf_integrator_params *params, double time_step,
                         double tolerance);

/* Makes at most `steps` steps, at least one, in about `seconds` of wall time; `*made` counts them, `*spent` is the wall
 * time of the steps. WF_ERROR_STATE when the world's members have changed since the trial was made. The world is as it
 * was before in any case. */
wf_status wf_trial_advance(wf_trial *trial, int64_t steps, double seconds, int64_t *made, double *spent);

/* The positions of all cloth vertices where the trial stands now, m; valid until it goes on. */
int32_t wf_trial_vertex_count(const wf_trial *trial);
const wf_vec3 *wf_trial_positions(const wf_trial *trial);

/* How far two states of `count` vertices are apart, m. Of the vertices: the root mean square of their distances. Folds
 * decide differently at every step, though, and the motion as a whole does not: gross is the distance of the two
 * centres and of the two root mean square extents along the axes, taken together as one vector of six numbers. */
double wf_vertex_distance(size_t count, const wf_vec3 *a, const wf_vec3 *b);
double wf_gross_distance(size_t count, const wf_vec3 *a, const wf_vec3 *b);

#endif
