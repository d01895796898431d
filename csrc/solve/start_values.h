/* start_values.h - how the last solutions changed, from which an iteration finds its start.
 *
 * Velocities mostly go on changing as they did. How far along each of the last changes the next ones lie is for the
 * solver to find (wf_pcg_params.directions): the start is then the best, in the norm of the energy, of all that change
 * by the last two changes, whatever the time steps were, any polynomial through the last three velocities among them
 * (P. F. Fischer 1998, "Projection techniques for iterative solution of Ax = b with successive right-hand sides").
 * After an impact it is the last velocity.
 */
#ifndef WEFT_SOLVE_START_VALUES_H
#define WEFT_SOLVE_START_VALUES_H

#include "solve/conjugate_gradients.h"

/* Zero-initialise; free with wf_start_values_free. */
typedef struct wf_start_values {
    size_t rows;
    int count; /* of changes known, the latest first */
    float (*change[WF_PCG_DIRECTIONS])[3]; /* [rows] */
} wf_start_values;

void wf_start_values_free(wf_context *context, wf_start_values *values);

/* Makes room for `rows` changes a time; forgets those of another count. */
wf_status wf_start_values_resize(wf_context *context, wf_start_values *values, size_t rows);

/* Takes note of a change from v0 to v1 [rows]. */
void wf_start_values_push(wf_start_values *values, const wf_vec3 *v0, const wf_vec3 *v1);

#endif
