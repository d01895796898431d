/* past.h - earlier positions, from which an implicit step takes the rates of strains.
 *
 * A viscous stress resists the rate of a strain e(x). Along the velocity that is de/dx v, at a state; over a step it is
 * the difference (e(x) - sum_k weight[k] e(x_k)) / span that the scheme itself takes of positions for a velocity:
 * backward Euler's with one earlier state, backward differentiation's with several, each of the scheme's own order.
 * Differences have two virtues. A rigid rotation changes no strain, however far it goes in a step, where the derivative
 * at its end along (x - x_1) / h finds a contraction of 1 - cos(angle). And viscous forces are then the gradient of a
 * potential of x, span / 2 |rate|^2 in the viscous moduli (the incremental potential of Ortiz and Stainier 1999):
 * Newton's matrix is symmetric, as its solver needs it, and exact. The derivative of de/dx^T C de/dx v with respect to
 * x is not symmetric, and the symmetric stand-ins that were tried converge slowly: its antisymmetric part couples stiff
 * directions to soft ones.
 */
#ifndef WEFT_MODEL_PAST_H
#define WEFT_MODEL_PAST_H

enum { WF_PAST_STATES = 5 };

typedef struct wf_past {
    int count; /* 0: nothing is known */
    double weight[WF_PAST_STATES]; /* their sum is 1 */
    const double *x[WF_PAST_STATES];
    double span; /* s, > 0 */
} wf_past;

#endif
