/* stability.h - the linear stability of integrators, measured by running them.
 *
 * On a linear system with a fixed step every scheme maps the states it remembers linearly to the next ones. That map is
 * found by steps from independent states, with impulses to make the memory of multi-step schemes independent too, and
 * its spectral radius decides: errors die out below 1. So what is measured is the code that runs, not its formula.
 *
 * Two tests (z is the product of step and eigenvalue):
 *
 *     Dahlquist    y' = z y with complex y and unit steps; a one-step scheme multiplies y by its function R(z)
 *     oscillator   x'' = -|z|^2 x + 2 Re(z) x', whose eigenvalues are z and its conjugate: for schemes that treat
 *                  positions and velocities differently (symplectic Euler, Stoermer-Verlet), which y' = z y cannot tell
 */
#ifndef WEFT_STEP_STABILITY_H
#define WEFT_STEP_STABILITY_H

#include "step/equation.h"
#include "step/integrator.h"

typedef enum wf_stability_test { WF_TEST_DAHLQUIST, WF_TEST_OSCILLATOR } wf_stability_test;

typedef struct wf_stability wf_stability;

/* Prepares tests of `integrator` with one of the two test problems. WF_ERROR_ARGUMENT for schemes that need more than
 * forces and matrices. The integrator must outlive it, and is restarted by every measurement. */
wf_status wf_stability_create(wf_context *context, wf_integrator *integrator, wf_stability_test test,
                              wf_stability **stability);

/* The same with a linear equation of at most 16 unknowns; what is measured then depends on a step h. */
wf_status wf_stability_create_for(wf_context *context, wf_integrator *integrator, const wf_equation *equation,
                                  wf_stability **stability);
void wf_stability_destroy(wf_stability *stability);

/* The spectral radius at z, for an equation at the step z[0]. Infinite where a step fails for its numbers (an overflow,
 * a singular matrix). `root` [2], if not NULL, becomes R(z) for a one-step scheme on Dahlquist's test, else NaN. */
wf_status wf_stability_radius(wf_stability *stability, const double z[2], double *radius, double *root);

/* How far z may go from 0 in `direction` (a unit vector) until the radius exceeds 1, up to `farthest`: found by
 * doubling from farthest/2^30 and bisection, to 1e-9 of itself. Infinity when it is stable all the way. For equations
 * the direction is {1, 0} and the limit is the largest step, s. */
wf_status wf_stability_limit(wf_stability *stability, const double direction[2], double farthest, double *limit);

/* The largest angle to the negative real axis, rad, such that the sector is stable: pi/2 for A-stable schemes. */
wf_status wf_stability_angle(wf_stability *stability, double *angle);

/* The radius at the centres of the pixels of rows `first` to `first + count` - 1 of a picture of `width` x `height`
 * pixels of the rectangle real [2] x imaginary [2], the top row (largest imaginary part) first. `radius`
 * [count][width]. */
wf_status wf_stability_map(wf_stability *stability, const double real[2], const double imaginary[2], int32_t width,
                           int32_t height, int32_t first, int32_t count, double *radius);

#endif
