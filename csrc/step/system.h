/* system.h - the abstract second-order system M x'' = f(t, x, x') that every time integrator works on.
 *
 * Positions and velocities are arrays of `size` doubles. Cloth gives three per vertex; a test equation gives as many as
 * it likes. A first-order equation y' = g(t, y) is the velocity part of f(t, x, v) = g(t, v) with M = 1. The system
 * keeps whatever it needs behind `user`; an integrator sees only these calls, and asks for those that its scheme needs:
 *
 *     explicit schemes   forces, divide_mass
 *     implicit schemes   forces, multiply_mass, linearise, solve; Newton's method divide_mass, the general expansion in
 *                        the velocity multiply
 *     IMEX               stiff_forces too
 *     sweeps             forces, multiply_mass, divide_mass, linearise, multiply, divide_diagonal
 *     linear filter      forces, multiply_mass, constant_matrix
 *
 * Arrays that are handed to a call never overlap. A call that fails has set the context's message.
 */
#ifndef WEFT_STEP_SYSTEM_H
#define WEFT_STEP_SYSTEM_H

#include "base/context.h"
#include "model/past.h"

struct wf_elements;
struct wf_pattern;

/* Which derivative of the forces `linearise` forms. */
typedef enum wf_linearisation {
    WF_LINEARISE_DEFINITE, /* the default: symmetric positive semidefinite stand-ins for K and D */
    WF_LINEARISE_EXACT,    /* -df/dx and -df/dv themselves, possibly indefinite */
    WF_LINEARISE_STIFF,    /* of `stiff_forces` alone, semidefinite */
    WF_LINEARISE_CONSTANT  /* a semidefinite stand-in that is the same at every state, such as springs without their
                              rest lengths (Eberhardt, Etzmuss and Hauth 2000); systems that have none form DEFINITE */
} wf_linearisation;

/* What a linear solve took, added to what is there; `residual` is of the last solve and relative, as the solver
 * measures it. */
typedef struct wf_solve_work {
    int64_t iterations, products;
    double flops;
    double residual;
} wf_solve_work;

/* Floating-point operations of one call of each kind, for work-precision plots; 0 where the system does not count.
 * `solve` reports its own. */
typedef struct wf_system_flops {
    double forces, stiff_forces, energy, multiply_mass, divide_mass, linearise, multiply;
} wf_system_flops;

/* What keeps the positions of a system free of contact, for barrier_stage.h. `forces` and `linearise` then contain the
 * barriers and the friction, and are asked for positions alone that these calls let through. */
typedef struct wf_barrier_calls {
    /* The last correction is the one that is this part of the first in the norm of the matrix, or less than this speed
     * (m/s, rms over all mass). */
    double tolerance, smallest_speed;

    /* [size] 1: stays where `enter` put it, since it has no gap to what it touches; the matrices hold it firmly. NULL:
     * none. From `enter` on. */
    const uint8_t *held;

    /* A step begins at x0; its end x has the velocity (x - a) / position_scale. `forces` and `linearise` at x0 let
     * expect what bodies will have done at its end. */
    wf_status (*begin)(void *user, const double *x0, const double *a, double position_scale);

    /* Changes the end x of a straight motion from x0 such that the motion and its end are free; bodies make all of
     * theirs now, and prescribed components may have to stop on the way. */
    wf_status (*enter)(void *user, const double *x0, double *x);

    /* From now on friction is that of the normal forces at x. */
    wf_status (*follow_friction)(void *user, const double *x);

    /* The fraction, 0 to 1, of the way from x to x + dx that leaves every pair part of its gap. */
    wf_status (*free_fraction)(void *user, const double *x, const double *dx, double *fraction);

    /* The step ends at x, where free ways have led. */
    void (*arrive)(void *user, const double *x);
} wf_barrier_calls;

typedef struct wf_system {
    void *user;
    size_t size;               /* doubles in x and in v */
    const uint8_t *prescribed; /* [size] 1: moves at the constant velocity it starts the step with; NULL: none */

    /* All of f, overwriting `force`. v is never NULL. */
    wf_status (*forces)(void *user, double t, const double *x, const double *v, double *force);

    /* The part of f that an IMEX scheme treats implicitly; NULL: all of it. */
    wf_status (*stiff_forces)(void *user, double t, const double *x, const double *v, double *force);

    /* The rest of f, for schemes that treat it apart; NULL: they take the difference, at the price of all of f. */
    wf_status (*other_forces)(void *user, double t, const double *x, const double *v, double *force);

    /* The potential energy of the conservative part of f, J; +infinity where x is not allowed. NULL: not known. */
    wf_status (*energy)(void *user, double t, const double *x, double *energy);

    void (*multiply_mass)(void *user, const double *v, double *y); /* y = M v */
    void (*divide_mass)(void *user, const double *f, double *a);   /* a = M^-1 f; 0 where prescribed */

    /* Forms A = M + stiffness_scale K + damping_scale D for the next `multiply` and `solve`, with K = -df/dx and
     * D = -df/dv at (t, x, v). A stays what it is until the next call. */
    wf_status (*linearise)(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                           double stiffness_scale, double damping_scale);

    /* From here on rates of strain are differences to the past (model/past.h), in `forces`, `stiff_forces` and
     * `linearise`; NULL: from velocities again. NULL here: they always are. */
    wf_status (*set_past)(void *user, const wf_past *past);

    /* From here on the forces that are not linear in the velocity are replaced by their tangents at v, which stays what
     * it is, in `forces`, `stiff_forces` and `linearise`, all asked for at one x; NULL: they are themselves again. NULL
     * here: there are no such forces, or linear_in_velocity is false. */
    void (*expand)(void *user, const double *v);

    void (*multiply)(void *user, const double *v, double *y); /* y = A v */

    /* z = D^-1 r, 0 where prescribed, for schemes that sweep, z + D^-1 (b - A z), and do not solve; NULL: they refuse.
     * D is block diagonal, and 2 D - A positive semidefinite where A is definite, so that sweeps converge: that of A
     * itself where all forces act between two points, n/2 times as much where elements have n. */
    wf_status (*divide_diagonal)(void *user, const double *r, double *z);

    /* The A of WF_LINEARISE_CONSTANT where it is one matrix of scalars that acts on x, y and z alike, for schemes that
     * factor it once: its pattern, over size / 3 rows, and the values in the pattern's slots. Both belong to the
     * system; the values hold until the next call. NULL: there is no such matrix. */
    wf_status (*constant_matrix)(void *user, double stiffness_scale, double damping_scale,
                                 const struct wf_pattern **pattern, const double **values);
    /* How much of that matrix' damping between vertices, 0 to 1, stands for forces that turn nothing: those of elements
     * and along springs do not, those of differences of velocities do. */
    double turnless_damping;

    /* Solves A v = b to `tolerance` (relative residual; 0: the system's own). v holds the first guess and the
     * prescribed components, which stay. WF_ERROR_NUMERIC when A is not positive definite, for systems that need it to
     * be. */
    wf_status (*solve)(void *user, const double *b, double *v, double tolerance, wf_solve_work *work);

    /* The longest fraction (0 to 1) of the way from x to x + dx that is safe; NULL: all of it. */
    double (*max_step)(void *user, const double *x, const double *dx);

    /* Of systems with barriers; NULL: no positions are forbidden but by an infinite energy. */
    const wf_barrier_calls *barrier;

    /* What the system imposes on the result of every step from x, such as a limit of strain (provot.h); it may change
     * x1 and v1. NULL: nothing. */
    wf_status (*correct)(void *user, double h, const double *x, double *x1, double *v1);

    /* f(t, x, v) = f(t, x, 0) - D(t, x) v, expanded or not: one evaluation at rest is enough for a linearly implicit
     * step. When false,
     * the step is expanded about the old velocity, as Baraff and Witkin (1998) do, at the price of a second
     * linearisation. */
    bool linear_in_velocity;

    wf_system_flops flops;

    const struct wf_elements *elements; /* step/elements.h; NULL: schemes that work element by element refuse */
} wf_system;

#endif
