/* anderson.h - Anderson's acceleration of a fixed-point iteration x -> G(x) whose G is expensive.
 *
 * From all evaluations so far, with residuals r_k = G(x_k) - x_k, the next x is the affine combination of the G(x_k)
 * for which that of the residuals is shortest (D. G. Anderson 1965, "Iterative procedures for nonlinear integral
 * equations"; H. F. Walker and P. Ni 2011: equivalent to GMRES where G is linear). Differences of evaluations of an
 * earlier problem that is alike can be taken along, as quasi-Newton methods for fluid-structure interaction do
 * (Degroote, Bathe and Vierendeels 2009).
 */
#ifndef WEFT_SOLVE_ANDERSON_H
#define WEFT_SOLVE_ANDERSON_H

#include "base/context.h"

enum { WF_ANDERSON_EVALUATIONS = 16, WF_ANDERSON_REMEMBERED = 8 };

typedef struct wf_anderson wf_anderson;

/* For x of `size` doubles, scaled such that the Euclidean norm is the one that residuals are to be short in. */
wf_status wf_anderson_create(wf_context *context, size_t size, wf_anderson **anderson);
void wf_anderson_destroy(wf_anderson *anderson); /* NULL is allowed */

/* A problem begins: its first x is to be written to wf_anderson_x. */
wf_status wf_anderson_begin(wf_anderson *anderson);

/* x of the present evaluation, and where its G(x) is to be written [size]. Valid until the next call of another. */
double *wf_anderson_x(wf_anderson *anderson);
double *wf_anderson_value(wf_anderson *anderson);

/* After an evaluation: the next x. WF_ERROR_STATE after WF_ANDERSON_EVALUATIONS of them, WF_ERROR_MEMORY; then all is
 * as it was. */
wf_status wf_anderson_mix(wf_anderson *anderson);

/* A problem ends: how its last evaluations differ is taken along, if there were two and more; what there is no memory
 * for is not. */
void wf_anderson_remember(wf_anderson *anderson);

/* Evaluations in this problem, the present one included. */
int wf_anderson_count(const wf_anderson *anderson);

#endif
