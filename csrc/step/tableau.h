/* tableau.h - Butcher tableaus of Runge-Kutta schemes.
 *
 *     k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y1 = y + h sum_i b_i k_i
 *
 * Strictly lower triangular a: explicit. Lower triangular: diagonally implicit, stage by stage. An embedded second set
 * of weights estimates the error.
 */
#ifndef WEFT_STEP_TABLEAU_H
#define WEFT_STEP_TABLEAU_H

#include "base/context.h"

enum { WF_TABLEAU_STAGES = 16 };

typedef struct wf_tableau {
    int32_t stages; /* 1 to WF_TABLEAU_STAGES */
    double a[WF_TABLEAU_STAGES][WF_TABLEAU_STAGES], b[WF_TABLEAU_STAGES], c[WF_TABLEAU_STAGES];
    bool embedded;                            /* whether there is a second set of weights: */
    double embedded_b[WF_TABLEAU_STAGES];
    int32_t embedded_order;                   /* the lower of the two orders, for the control of the step */
} wf_tableau;

/* Sets c to the row sums of a, as every consistent tableau has them. */
void wf_tableau_set_nodes(wf_tableau *tableau);

/* WF_ERROR_ARGUMENT when a coefficient is not finite, stands above the diagonal, or the weights do not sum to 1. */
wf_status wf_tableau_check(wf_context *context, const wf_tableau *tableau);

bool wf_tableau_is_explicit(const wf_tableau *tableau);

/* The tableaus that named schemes use. */
extern const wf_tableau wf_tableau_explicit_midpoint;
extern const wf_tableau wf_tableau_rk4;
extern const wf_tableau wf_tableau_cash_karp; /* 5(4), Cash and Karp 1990 */
extern const wf_tableau wf_tableau_alexander; /* diagonally implicit, L-stable, order 3, Alexander 1977 */

#endif
