/* low_rank.h - the parts of a matrix that join everything with everything: a sum of terms factor u u^T.
 *
 * A gas in a closed piece, or a string that slides through a hem, is one number (a volume, a length) of very many
 * vertices. Its stiffness is a product of that number's gradient with itself: written out it would fill the matrix.
 */
#ifndef WEFT_MODEL_LOW_RANK_H
#define WEFT_MODEL_LOW_RANK_H

#include "base/context.h"
#include "base/vector.h"

/* Zero-initialise. */
typedef struct wf_low_rank {
    size_t rows, count;
    double *factors;  /* [count] > 0 */
    wf_vec3 *vectors; /* [count][rows] */
    size_t factor_capacity, vector_capacity;
} wf_low_rank;

void wf_low_rank_free(wf_context *context, wf_low_rank *terms);

/* Empties the sum, for vectors of `rows` rows. */
void wf_low_rank_begin(wf_low_rank *terms, size_t rows);

/* Adds a term, and returns its vector, all zero, to be filled; NULL on failure. */
wf_vec3 *wf_low_rank_add(wf_context *context, wf_low_rank *terms, double factor);

/* u . x of a term. */
double wf_low_rank_dot(const wf_low_rank *terms, size_t term, const wf_vec3 *x);

/* y += the sum times x. */
void wf_low_rank_multiply(const wf_low_rank *terms, const wf_vec3 *x, wf_vec3 *y);

#endif
