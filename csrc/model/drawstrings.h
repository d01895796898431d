/* drawstrings.h - strings that slide through cloth along paths of edges: one tension all along.
 *
 * A string of rest length L runs along its edges, whose lengths sum up to l. Where its strain e = (l - L) / L is
 * positive it pulls with
 *
 *     T = stiffness (e - c / 2) + viscosity dT/de de/dt,  and before, up to e = c,  T = stiffness e^2 / (2 c),
 *
 * c being a thousandth: threads straighten before they pull, and Newton's method finds its way from slack to taut. T is
 * the same on every edge: at a vertex the two edges pull with T towards their other ends, and nothing is rubbed off.
 * It never pushes. The exact matrix is T (I - t t^T) / |r| on each edge, plus a term of rank one over the whole path
 * (low_rank.h).
 *
 * A stiff string that has just been drawn in is far too long for its length: its T at the beginning of a step is a
 * million times what the cloth will bear at the end, since nearly all of it goes with the shortening that the term of
 * rank one brings. Turning, its edges meet the tension of the end. So where one linear step has to do, its matrix has
 * only the tension that is expected of the end: with all of T the string would be a bar for the step, and the system
 * too badly scaled to be solved. Half of what it is then is enough for stability; expected is twice that at the end of
 * the last step, or what the inertia of its vertices alone would leave of T, whichever is more.
 * An edge shorter than a micrometre has no direction, and is left out.
 */
#ifndef WEFT_MODEL_DRAWSTRINGS_H
#define WEFT_MODEL_DRAWSTRINGS_H

#include "model/model.h"

typedef struct wf_drawstring {
    double length;    /* m, > 0 */
    double stiffness; /* N: force per unit of strain, >= 0; 0: it is not there */
    double viscosity; /* s, >= 0 */
    double settled;   /* N, >= 0: elastic and viscous tension at the end of the last step */
    double expected;  /* N, >= 0: as above; INFINITY: all */
} wf_drawstring;

typedef struct wf_drawstrings_def {
    int32_t vertex_count;
    int32_t count;              /* of edges, string by string */
    const int32_t (*pairs)[2];  /* [count] two different vertices each */
    int32_t string_count;
    const int32_t *string_start; /* [string_count + 1] */
    const wf_drawstring *strings; /* [string_count] */
} wf_drawstrings_def;

/* WF_ERROR_ARGUMENT names the first edge or string that is not as above. */
wf_status wf_drawstrings_create(wf_context *context, const wf_drawstrings_def *def, wf_model **model);

/* The live strings, to be changed between steps; the values must stay as above. */
wf_drawstring *wf_drawstrings_of(wf_model *model);

/* Before a step of a length, s, from x: what is expected of the strings. inverse_mass: [vertices] 1/kg, 0 of fixed
 * ones. */
void wf_drawstrings_expect(wf_model *model, const wf_vec3 *x, const double *inverse_mass, double time_step);

/* After it: what they settled at on the way from x0 to x1, at the velocities v1. */
void wf_drawstrings_settle(wf_model *model, const wf_vec3 *x0, const wf_vec3 *x1, const wf_vec3 *v1);

/* N: the elastic tension of a string whose path is so long, m. */
double wf_drawstring_tension(const wf_drawstring *string, double path);

#endif
