/* problems.h - test equations by name, with their exact solutions. No callback: they measure integrators at speed. */
#ifndef WEFT_STEP_PROBLEMS_H
#define WEFT_STEP_PROBLEMS_H

#include "step/equation.h"

/* The parameters of all problems; each problem uses some (see wf_problem.parameters) and has defaults of its own. */
typedef struct wf_problem_params {
    double lambda[2];    /* real and imaginary part, 1/s */
    double frequency;    /* angular, of the undamped oscillation, 1/s */
    double damping;      /* of an oscillator: 1/s, of x'' + damping x' + ...; of a chain's springs: N s/m */
    double centre;       /* where an oscillator rests */
    double gravity;      /* m/s^2, downwards */
    double length;       /* of a pendulum, of a chain's springs at rest, m */
    double stiffness;    /* of a chain's springs, N/m */
    double mass;         /* of a chain's points, kg */
    double eccentricity; /* of an orbit, 0 to below 1 */
    int32_t count;       /* points of a chain */
    bool anchored;       /* whether a chain hangs from the origin */
    double from, to;     /* the interval, s */
    const double *x, *v; /* another start [size]; NULL: the problem's own */
} wf_problem_params;

typedef struct wf_problem {
    const char *name, *describes;
    const char *const *parameters; /* names of those members of wf_problem_params that it uses, ended by NULL */
    void (*set_defaults)(wf_problem_params *params); /* of what it uses, and the interval's end */
    size_t (*size)(const wf_problem_params *params);
    /* Fills the functions of an equation whose size, name and interval are set, and its start: x, v, and
     * room for masses, [size] each, zeroed. */
    wf_status (*define)(wf_context *context, const wf_problem_params *params, wf_equation_def *def, double *start);
} wf_problem;

/* The list of problems. */
const wf_problem *wf_problems(size_t *count);

/* The problem of that name, or NULL. */
const wf_problem *wf_find_problem(const char *name);

wf_problem_params wf_default_problem_params(const wf_problem *problem);

/* Makes the equation. WF_ERROR_ARGUMENT names the parameter that is out of range. */
wf_status wf_problem_create(wf_context *context, const wf_problem *problem, const wf_problem_params *params,
                            wf_equation **equation);

#endif
