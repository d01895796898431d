/* equation.h - test equations: small systems on which time integrators are measured.
 *
 * An equation is a wf_system with a start, an interval and, where it is known, the exact solution. It is given by its
 * functions (a script's, or those of problems.h); matrices are dense, Jacobians that are not given are central
 * differences, and linear systems are solved by elimination with pivoting, so that nothing needs to be symmetric.
 *
 * A first-order problem y' = g(t, y) is written as the velocity's part of the system: f(t, x, v) = g(t, v) with unit
 * mass. Its solution is v, and x is the integral of v, which nothing depends on.
 */
#ifndef WEFT_STEP_EQUATION_H
#define WEFT_STEP_EQUATION_H

#include "step/system.h"

enum { WF_EQUATION_SIZE_LIMIT = 1024 };

typedef wf_status wf_equation_function(void *user, double t, const double *x, const double *v, double *result);

typedef struct wf_equation_def {
    const char *name;             /* one line about it, copied */
    size_t size;                  /* 1 to WF_EQUATION_SIZE_LIMIT */
    const double *mass;           /* [size] positive; NULL: 1 */
    const double *x, *v;          /* [size] the start; NULL: 0 */
    double from, to;              /* the interval, s; default 0 to 1 */
    bool first_order;             /* the solution is v, not x; default false */
    int dimension;                /* coordinates per point mass, 1 to 3, for momenta; 0: they have none; default 0 */
    void *user;                   /* first argument of the functions, freed by `destroy` */
    wf_equation_function *forces; /* required: f(t, x, v) */
    wf_equation_function *stiff_forces; /* the part that IMEX schemes take implicitly; NULL: all of it */
    /* -df/dx and -df/dv, row by row, [size x size], and those of the stiff part; NULL: central differences. */
    wf_equation_function *stiffness, *damping, *stiff_stiffness, *stiff_damping;
    bool linear_in_velocity;      /* as in wf_system; default false */
    wf_status (*energy)(void *user, double t, const double *x, double *energy); /* potential energy; NULL: none */
    wf_status (*exact)(void *user, double t, double *x, double *v); /* the solution from the start; NULL: not known */
    void (*destroy)(wf_context *context, void *user);
    double force_flops, matrix_flops; /* floating-point operations of `forces`, of `stiffness` and `damping` together,
                                         for work-precision diagrams; 0 (default): 2 size^2 and 4 size^2 */
    const wf_system *system; /* in place of the functions: a system made elsewhere, copied; its user is `user` */
} wf_equation_def;

wf_equation_def wf_default_equation_def(void);

typedef struct wf_equation {
    wf_context *context;
    wf_equation_def def;     /* its arrays are the equation's own */
    wf_system system;        /* what an integrator takes */
    int64_t evaluations;     /* of forces and of their parts since it was made, those for differences included */
    double *mass, *x, *v;    /* [size] */
    double *matrix, *factors, *jacobian; /* [size x size]; NULL with a system made elsewhere */
    double *scratch;         /* [3 size], of differences */
    size_t *rows;            /* of the factors */
    bool factored;
    char name[160];
} wf_equation;

/* Makes an equation. It owns `def->user` from now on, also when it cannot be made. Errors: WF_ERROR_ARGUMENT (size,
 * mass, interval or dimension out of range, a start that is not finite), WF_ERROR_MEMORY. */
wf_status wf_equation_create(wf_context *context, const wf_equation_def *def, wf_equation **equation);
void wf_equation_destroy(wf_equation *equation);

/* Lets the equation follow functions of `equation->def` that were changed after it was made. */
void wf_equation_bind(wf_equation *equation);

/* Kinetic plus potential energy; WF_ERROR_STATE where the equation has no energy. */
wf_status wf_equation_energy(wf_equation *equation, double t, const double *x, const double *v, double *energy);

/* Momentum sum(m v) and angular momentum sum(m x X v) about the origin of point masses with def.dimension coordinates
 * each; what is missing of three coordinates is 0. WF_ERROR_STATE where the dimension is 0. */
wf_status wf_equation_momentum(const wf_equation *equation, const double *x, const double *v, wf_vec3 *linear,
                               wf_vec3 *angular);

#endif
