/* pcg_private.h - what conjugate_gradients.c and the row loops of its two precisions share. */
#ifndef WEFT_SOLVE_PCG_PRIVATE_H
#define WEFT_SOLVE_PCG_PRIVATE_H

#include "solve/conjugate_gradients.h"

/* Tolerances compare r . s, the squared norm of r by the inverse of the preconditioner. Recurrences are checked by
 * another, which costs nothing: |r|^2 = sum of |r_i|^2 / d_i, where d_i is the mean diagonal entry of row i. */
typedef struct wf_pcg_island {
    double sum;            /* what the last loop returned */
    double alpha, beta;
    double scale;          /* a power of 2 that brings the residual near 1, where single precision is at home */
    int exponent;          /* of it where the norm is 1 */
    double rescale;        /* by which that has changed since the last direction */
    double delta;          /* r . s; 0: the next direction is a first one */
    double weight, growth; /* it over |r|^2, and by how much that may have grown an iteration later; 0: not known yet */
    double estimate;       /* of r . s after the last step, until that is measured */
    double energy, energy_scale; /* what is known of that of the solution; and the sum of the numbers that make it up */
    double reference, target, least_target; /* of r . s */
    double norm;           /* |r|^2 */
    double first_norm;     /* of the right-hand side or the start, whichever is larger */
    double replaced_norm;  /* when it was last computed from x and not by recurrence */
    int32_t iterations_since; /* that */
    bool active, replacing, concluding;
    bool follows; /* the true residual has come out as the recurrence had it */
    bool stuck;
} wf_pcg_island;

typedef struct wf_pcg {
    wf_context *context;
    wf_linear_system system;
    const wf_pcg_params *params;
    const wf_preconditioner *preconditioner;
    wf_pcg_workspace *work;
    wf_pcg_result *result;
    size_t rows;
    const wf_vec3 *b;
    wf_vec3 *x;
    const float *weight;        /* [rows] of the norm */
    const wf_row_block *blocks;
    wf_pcg_island *islands;
    int32_t island_count, block_count;
    int32_t *list;              /* blocks that a loop goes over */
    double *partial;            /* [blocks] */
    const wf_vec3 *residual_of; /* x, or its fixed part alone */
    const struct wf_pcg_loops *loops;
} wf_pcg;

/* One loop over the rows of a block; returns its share of a sum. */
typedef double wf_pcg_loop(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end);

typedef struct wf_pcg_loops {
    wf_pcg_loop *residual;  /* r = scale S (b - A x);       returns |r|^2 unscaled */
    wf_pcg_loop *dot;       /*                              returns r . s */
    wf_pcg_loop *direction; /* p = S s + beta p */
    wf_pcg_loop *product;   /* q = A p;                     returns p . q */
    wf_pcg_loop *step;      /* x += alpha p, r -= alpha q;  returns |r|^2 unscaled */
    wf_pcg_loop *settle;    /* what `step` has put by goes to x */
    double largest_reduction; /* of |r|, by recurrence alone */
    int32_t most_iterations;  /* the same */
} wf_pcg_loops;

extern const wf_pcg_loops wf_pcg_loops_double, wf_pcg_loops_single;

#endif
