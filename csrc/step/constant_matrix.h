/* constant_matrix.h - the prefactored matrix of projective dynamics, with the contacts of the step. */
#ifndef WEFT_STEP_CONSTANT_MATRIX_H
#define WEFT_STEP_CONSTANT_MATRIX_H

#include "solve/sparse_factor.h"
#include "step/element_step.h"

/* Zero-initialise. */
typedef struct wf_constant_matrix {
    wf_known_elements known;
    wf_pattern pattern;
    double *values;    /* [slots] N/m */
    double *scales;    /* [models] that the values were made with */
    uint8_t *fixed;    /* [vertices] */
    double h, damping; /* that too */
    bool factored;
    wf_sparse_factor *factor;
    wf_vec3 *residual, *direction, *product; /* [vertices] of conjugate gradients */
    wf_resting_contact *contacts; /* of this step, those that count */
    size_t contact_count, contact_capacity;
} wf_constant_matrix;

/* Makes the matrix ready for a step of length h: orders, fills and factors what has changed. */
wf_status wf_constant_matrix_prepare(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_system *system,
                                     double h);

/* Takes the contacts that press at x0, or at x where the step of length h may lead. */
wf_status wf_constant_matrix_touch(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_elements *elements,
                                   double h, const wf_vec3 *x0, const wf_vec3 *x);

void wf_constant_matrix_free(wf_context *context, wf_constant_matrix *matrix);

/* x = A^-1 b, 0 where prescribed. Exactly without contacts, to a hundredth with them. */
void wf_constant_matrix_solve(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_vec3 *b, wf_vec3 *x);

#endif
