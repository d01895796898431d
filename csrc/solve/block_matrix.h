/* block_matrix.h - the fixed part of a cloth's linear system: a symmetric sparse matrix of 3 x 3 blocks.
 *
 * The matrix is the sum of a block part (membranes, springs: neighbours in the mesh) and a scalar part (bending,
 * masses), whose entries stand for multiples of the 3 x 3 identity. Bending couples vertices two rings away, about 19
 * a row; as scalars they cost 6.5 bytes an entry and not 40, and a product moves less memory than a matrix of blocks
 * for four-vertex hinges would. Of the blocks the lower half is stored alone: rows gather from both, so that threads
 * can share a product, and find the upper ones a few rows further on. Scalars are not stored at all
 * where they are a multiple of what a model keeps for its forces.
 *
 * The pattern is built once per topology; models write into slots found then.
 */
#ifndef WEFT_SOLVE_BLOCK_MATRIX_H
#define WEFT_SOLVE_BLOCK_MATRIX_H

#include "model/model.h"

enum { WF_SCALED_MODELS = 64 }; /* of how many models assembly remembers the scales */

/* The sum  mass_scale M + sum over models of scale (stiffness_scale K(x) + damping_scale D(x)). */
typedef struct wf_matrix_terms {
    const double *mass; /* [row_count], kg; NULL: none. The values stay as they are while the matrix lives. */
    double mass_scale, stiffness_scale, damping_scale;
    bool exact; /* K as it is (wf_model_class.add_exact_matrix) */
} wf_matrix_terms;

typedef struct wf_block_matrix {
    int32_t row_count;
    uint64_t identity; /* of the pattern: no other matrix of the context ever has the same */
    wf_pattern block_pattern; /* halved */
    wf_scalar_pattern scalar_pattern;
    wf_matrix_values values; /* blocks row-major; scalars NULL where they are a model's */
    /* The scalar part is  factor x scalar  at each place, and scalar_diagonal on the diagonal besides. */
    const double *scalars;   /* [places]: values.scalars or a model's own */
    double scalar_factor;
    double *scalar_diagonal; /* [row_count] */
    uint64_t scalar_revision; /* from 1; another number whenever the scalars off the diagonal are made anew */
    bool scalars_known; /* they are those of scalar_terms */
    wf_matrix_terms scalar_terms;
    double scalar_scales[WF_SCALED_MODELS];
} wf_block_matrix;

/* Makes a zero matrix with the pattern of the given stencils; diagonals are always there. */
wf_status wf_block_matrix_create(wf_context *context, int32_t row_count, int32_t block_stencil_count,
                                 const wf_stencil *block_stencils, int32_t scalar_stencil_count,
                                 const wf_stencil *scalar_stencils, wf_block_matrix **matrix);

/* Makes a zero matrix that holds all the models' matrices, and binds the models to it: a model adds to the matrix it
 * was last bound to. All models must have row_count vertices. */
wf_status wf_block_matrix_create_for_models(wf_context *context, int32_t row_count, int32_t model_count,
                                            wf_model *const *models, wf_block_matrix **matrix);

/* NULL is allowed. */
void wf_block_matrix_destroy(wf_context *context, wf_block_matrix *matrix);

void wf_block_matrix_clear(wf_block_matrix *matrix);

/* a(i, i) += scale diagonal[i] identity; diagonal: [row_count], for masses. */
void wf_block_matrix_add_diagonal(wf_block_matrix *matrix, double scale, const double *diagonal);

/* Makes the matrix the sum of `terms`, whatever it was, for models that are bound to it; scales: [model_count], NULL:
 * all 1. The scalars do not depend on x: they are made anew only when something else in `terms` or `scales` changed. */
void wf_block_matrix_assemble(wf_context *context, wf_block_matrix *matrix, const wf_matrix_terms *terms,
                              int32_t model_count, wf_model *const *models, const double *scales, const wf_vec3 *x);

/* The scalar at a place off the diagonal. */
static inline double wf_block_matrix_scalar(const wf_block_matrix *matrix, int32_t place)
{
    return matrix->scalar_factor * matrix->scalars[place];
}

static inline double wf_block_matrix_diagonal_scalar(const wf_block_matrix *matrix, size_t row)
{
    int32_t place = wf_scalar_pattern_diagonal_place(&matrix->scalar_pattern, (int32_t)row);
    return wf_block_matrix_scalar(matrix, place) + matrix->scalar_diagonal[row];
}

/* The 3 x 3 entry (row, column); zero where the pattern has none. */
wf_mat3 wf_block_matrix_entry(const wf_block_matrix *matrix, int32_t row, int32_t column);

#endif
