/* march.h - an integrator's walk through an interval in steps of one length, watched: its error against the exact
 * solution or a reference, its energy and momenta, its states.
 *
 * The walk is made in pieces, so that a host can interrupt it, draw, or yield in between.
 */
#ifndef WEFT_STEP_MARCH_H
#define WEFT_STEP_MARCH_H

#include "step/equation.h"
#include "step/integrator.h"

typedef struct wf_march_params {
    double from, to;        /* s; default the equation's */
    int64_t steps;          /* at least 1; default 100 */
    const double *x, *v;    /* [size] another start; NULL: the equation's */
    bool exact;             /* measure the error against the exact solution, after every step; default false */
    const double *samples;  /* or against states (x and v, [2 size] each) at sample_count + 1 even times; copied */
    int64_t sample_count;   /* divides `steps`, or is a multiple of it */
    int64_t trace_every;    /* record the state and what is conserved every so many steps, the start too; 0: never */
} wf_march_params;

/* What a trace holds of one moment. */
typedef struct wf_march_trace {
    double time;               /* s */
    double energy;             /* J, kinetic and potential; NaN where the equation has none */
    wf_vec3 momentum, angular; /* NaN where it has none */
} wf_march_trace;

typedef struct wf_march {
    wf_context *context;
    wf_integrator *integrator;
    wf_equation *equation;
    double from, to;
    int64_t steps, done;
    double *x, *v;             /* [size] the present state */
    double max_error;          /* largest component of the error over the interval so far */
    double end_error;          /* and at the present time; both NaN when not measured */
    int64_t trace_count;
    wf_march_trace *trace;     /* [trace_count] */
    double *states;            /* [trace_count][2 size] x and v */

    double *x1, *v1, *compared; /* [size], [size], [2 size] */
    bool exact;
    double *samples;
    int64_t sample_count, trace_every;
} wf_march;

wf_march_params wf_default_march_params(const wf_equation *equation);

/* Begins a walk; the integrator restarts. Both must outlive it. Errors: WF_ERROR_ARGUMENT (the interval, the number of
 * steps or of samples, an exact solution that is not known, a start that is not finite), WF_ERROR_MEMORY. */
wf_status wf_march_create(wf_context *context, wf_integrator *integrator, wf_equation *equation,
                          const wf_march_params *params, wf_march **march);
void wf_march_destroy(wf_march *march);

/* The time after `step` steps. */
double wf_march_time(const wf_march *march, int64_t step);

/* Goes on for at most `steps` steps and about `seconds` of wall time (at least one step). On failure the march stays
 * where it was after the last good step. */
wf_status wf_march_advance(wf_march *march, int64_t steps, double seconds);

/* The largest difference of two lists of `count` states of `equation`, in the components that are its solution. */
double wf_equation_difference(const wf_equation *equation, int64_t count, const double *a, const double *b);

#endif
