/* integrator.h - time integrators: one object per scheme, chosen by name.
 *
 * A scheme takes (x, v) at time t to (x1, v1) at t + h on any wf_system. Multi-step schemes remember the states that
 * they were given; whoever changes a state between steps says so with wf_integrator_touch (contact moved some
 * components) or wf_integrator_restart (the topology, the material or the place changed).
 */
#ifndef WEFT_STEP_INTEGRATOR_H
#define WEFT_STEP_INTEGRATOR_H

#include "step/system.h"
#include "step/tableau.h"

typedef struct wf_integrator wf_integrator;
typedef struct wf_integrator_class wf_integrator_class; /* step/scheme.h; what users read of it: */

/* How an implicit scheme solves its equation M (V - b) = gamma f(t, a + gamma V, V). */
typedef enum wf_newton {
    WF_NEWTON_DEFAULT,   /* the scheme's own choice */
    WF_NEWTON_LINEAR,    /* one linear solve: linearly implicit (Baraff and Witkin 1998) */
    WF_NEWTON_FULL,      /* Newton's method with line search, linear systems solved to `linear_tolerance` */
    WF_NEWTON_INEXACT,   /* the same with linear systems solved to the forcing term */
    WF_NEWTON_SIMPLIFIED, /* one constant matrix, formed anew only when the step or the system changes; in worlds, whose
                             pins and contacts change, in each part of a step */
    WF_NEWTON_CORRECTED   /* the linear solve and one correction of Newton's method at its result, kept where it helps:
                             a linear solve alone turns nothing, so that all that turns within a step is damped */
} wf_newton;

/* The names of the values above, "default", "linear", ..., ended by NULL. */
extern const char *const wf_newton_names[];

typedef struct wf_integrator_params {
    double alpha;              /* of "alpha" and "alpha bdf2", 0 to 1; NaN, the default: the scheme's own */
    const wf_tableau *tableau; /* of "runge kutta", copied */

    wf_newton newton;
    wf_linearisation linearisation; /* DEFINITE (default); EXACT gives way to it where it is no descent */
    double newton_tolerance;   /* of the residual, relative to the largest term of the equation; default 1e-9 */
    int32_t newton_iterations; /* at most, default 200; without step_control a residual of 1e-6 passes then */
    double linear_tolerance;   /* of each linear solve of full and simplified Newton; default 1e-10 */
    double forcing;            /* of inexact Newton: a constant eta in (0, 1], default 0.02; 0: Eisenstat and Walker
                                  (1996), choice 2 with gamma 0.9, exponent 2 and their safeguard, at most 0.9 */
    bool line_search;          /* and, where convergence is slow, Anderson's acceleration; default true */
    bool extrapolate;          /* start Newton's method from the velocity extrapolated from the last steps (default) and
                                  not from the last velocity */

    bool step_control;         /* cut the step in half where Newton's method fails, double it again where that is easy,
                                  default true. Schemes with an error estimate control their step always */
    int32_t easy_iterations;   /* a step of at most so many Newton iterations is easy; default 3 */
    double relative_tolerance; /* of the error of a step, for schemes with an estimate; default 1e-6 */
    double absolute_tolerance; /* the same, in the units of x and of v; default 1e-9 */
    double first_step;         /* s: what control begins with; 0 (default): the whole step */
    double smallest_step;      /* s: control gives up below; 0 (default): 1e-3 of the first step, 1e-9 with estimates */

    int32_t iterations;        /* sweeps or iterations a step of the approximate schemes; < 0, the default: the scheme's
                                  own */
    int32_t substeps;          /* of schemes that divide their step; 0: the scheme's own */
    const char *form;          /* of schemes that come in several published forms; NULL: the scheme's own */
} wf_integrator_params;

wf_integrator_params wf_default_integrator_params(void);

/* What an integrator did since it was made. */
typedef struct wf_integrator_work {
    int64_t steps;             /* taken, substeps counted one by one */
    int64_t rejected;          /* tried and taken back by step control */
    int64_t force_evaluations; /* of f or of its stiff part */
    int64_t energy_evaluations;
    int64_t linearisations;
    int64_t solves;
    int64_t solver_iterations;
    int64_t products;          /* with A, in solves and outside */
    int64_t newton_iterations; /* a linearly implicit step counts one */
    double flops;              /* of vector updates, counted exactly, and what the system reports of its own */
    double last_step;          /* s: the last step that control took */
} wf_integrator_work;

/* One iteration of Newton's method. */
typedef struct wf_newton_record {
    double residual;        /* before: |r| = sqrt(r^T M^-1 r) over the free components */
    double forcing;         /* what the linear solve was asked for */
    double linear_residual; /* and reached, relative */
    double step;            /* of the line search; 0: none helped */
} wf_newton_record;

/* A scheme named in the table. WF_ERROR_ARGUMENT names what is out of range, or the scheme that was probably meant. */
wf_status wf_integrator_create(wf_context *context, const char *name, const wf_integrator_params *params,
                               wf_integrator **integrator);
void wf_integrator_destroy(wf_integrator *integrator); /* NULL is allowed */

/* One step of length h > 0 from (x, v) at time t. x1 and v1 are arrays of system->size doubles that overlap no other.
 * Prescribed components move at v[i] and keep it. On failure x1 and v1 hold nothing of use; a scheme with memory
 * remembers what it did before, or begins afresh where parts of the step had been taken. Allocates only in the first
 * step and when the size of the system changes, which also restarts. */
wf_status wf_integrator_step(wf_integrator *integrator, const wf_system *system, double t, double h, const double *x,
                             const double *v, double *x1, double *v1);

/* Notes what the next step depends on besides its arguments, before steps that whoever calls may have to take back;
 * after that lets it go, or goes back to it; where such a step was of a system of another size, the next begins afresh.
 * Not the matrix of simplified Newton, which is the system's. */
wf_status wf_integrator_keep(wf_integrator *integrator);
void wf_integrator_let_go(wf_integrator *integrator, bool back);

/* Forgets earlier states, and the constant matrix of simplified Newton: the next step begins like the first. */
void wf_integrator_restart(wf_integrator *integrator);

/* The constant matrix of simplified Newton is formed anew: the system, or what it holds, is another. */
void wf_integrator_forget_matrix(wf_integrator *integrator);

/* Contact changed the components with touched[i] != 0 from the from_x[i], from_v[i] that the last step ended with to
 * x[i], v[i]: the jump is worked into their past, as if they had always moved like that. What forces did to them before
 * stays: multi-step schemes take part of what a force does in a step from there, BDF2 a third of it, and a vertex that
 * is touched in every step would fall with two thirds of gravity if its past were uniform. */
void wf_integrator_touch(wf_integrator *integrator, const uint8_t *touched, const double *from_x, const double *from_v,
                         const double *x, const double *v);

wf_integrator_work wf_integrator_get_work(const wf_integrator *integrator);

/* The parameters, with the scheme's defaults filled in; tableau and form are NULL, as the caller's may be gone. */
wf_integrator_params wf_integrator_get_params(const wf_integrator *integrator);

/* The iterations of Newton's method in the last stage solved, and how many there were. */
const wf_newton_record *wf_integrator_newton_records(const wf_integrator *integrator, size_t *count);

const wf_integrator_class *wf_integrator_get_class(const wf_integrator *integrator);

/* The one table that lists all schemes. */
const wf_integrator_class *const *wf_integrator_classes(size_t *count);

#endif
