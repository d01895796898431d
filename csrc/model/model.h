/* model.h - what every force model on cloth has in common.
 *
 * A model is a batch of elements of one kind (triangles, pairs) over the vertices of one cloth. It knows its elastic
 * energy, its forces and the matrices of its linearisation. Force models do not know the matrix they add to: they see
 * its values and where theirs are among these (`bind`; solve/block_matrix.h).
 *
 * All sums run in an order that depends on the elements alone: results have the same bits for any number of threads.
 * Adding a model touches one new file and whoever creates it.
 */
#ifndef WEFT_MODEL_MODEL_H
#define WEFT_MODEL_MODEL_H

#include "base/vector.h"
#include "model/low_rank.h"
#include "model/past.h"
#include "model/scalar_pattern.h"

/* The values of a matrix  sum over entries of (3 x 3 block)  +  sum over entries of (scalar x identity), both by the
 * places of the lower half, which stand for the upper one too.
 * Bending acts on x, y and z alike, so its many far entries need 8 bytes each and not 72. */
typedef struct wf_matrix_values {
    wf_mat3 *blocks;
    double *scalars;
} wf_matrix_values;

typedef struct wf_model wf_model;
struct wf_face_history;

typedef struct wf_model_class {
    const char *name;
    bool scalar; /* the stencil couples through multiples of the identity alone */

    void (*destroy)(wf_context *context, wf_model *model);

    /* Elastic energy at positions x of the elements first, ..., first + count - 1, J. */
    double (*energy)(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count);

    /* That of all elements, from a constant matrix, of a model that may have dropped its elements: it loses the digits
     * that cancel in the product. NULL: there is no such matrix. */
    double (*matrix_energy)(wf_context *context, wf_model *model, const wf_vec3 *x);

    /* f += elastic force at x + viscous force of the velocities v (NULL: none), N. */
    void (*add_forces)(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f);

    /* a += stiffness_scale K(x) + damping_scale D(x). K is a symmetric positive semidefinite stand-in for -df/dx, equal
     * to it wherever that is positive semidefinite per element (each model says where it departs); D is -df/dv.
     * The model must be bound. */
    void (*add_matrix)(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                       double damping_scale, wf_matrix_values a);

    /* The same with the exact, possibly indefinite -df/dx of the elastic force, for Newton's method and tests. */
    void (*add_exact_matrix)(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                             double damping_scale, wf_matrix_values a);

    /* Either of them, for blocks that may hold anything: overwrites all those of the rows from first_row to end_row.
     * NULL: the model only adds. */
    void (*set_matrix)(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                       double damping_scale, bool exact, wf_matrix_values a);

    /* What both matrices leave out because it joins too many vertices, with the same scales: adds its terms; exact, or
     * such that one linear step from x holds. NULL: there is no such part. */
    wf_status (*add_low_rank)(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                              double damping_scale, bool exact, wf_low_rank *terms);

    /* From here on viscous forces, where there is a v at all, and the matrices that belong to them take rates of strain
     * from differences to the past, and K holds the derivative of viscous forces too; NULL: from velocities again.
     * NULL here: the model's strains are linear in x, or its matrix leaves that derivative out. */
    wf_status (*set_past)(wf_context *context, wf_model *model, const wf_past *past);

    /* For a scalar model whose matrices are multiples of constant values at the places of the scalar pattern that it is
     * bound to: these values, which live as long as it is bound there (they may be retained), and the multiple; NULL
     * where they are not. NULL here: they never are. */
    const double *(*constant_scalars)(const wf_model *model, double stiffness_scale, double damping_scale,
                                      double *factor);

    /* Finds the model's places and slots in the patterns of a matrix's blocks and scalars. */
    wf_status (*bind)(wf_context *context, wf_model *model, const wf_pattern *blocks, const wf_scalar_pattern *scalars);

    /* What the faces remember (model/memory.h) for a step of `step` seconds from the positions x on, 0: an endless one,
     * and, at the positions x that it ended with, for the next one. NULL: the model remembers nothing. */
    void (*set_history)(wf_context *context, wf_model *model, const struct wf_face_history *history, const wf_vec3 *x,
                        double step);
    void (*update_history)(wf_context *context, const wf_model *model, const wf_vec3 *x,
                           struct wf_face_history *history);

    /* The model one element or one vertex at a time (model/local.h); NULL: schemes that need that refuse it. */
    const struct wf_local_class *local;
} wf_model_class;

/* The head of every model. */
struct wf_model {
    const wf_model_class *class;
    int32_t vertex_count;
    int32_t first_row, end_row; /* of a model that can set a matrix: the vertices of its elements lie between */
    wf_stencil stencil;
};

/* Of all elements, J. */
static inline double wf_model_energy(wf_context *context, wf_model *model, const wf_vec3 *x)
{
    return model->class->energy(context, model, x, 0, model->stencil.count);
}

/* The same, elements or not. */
static inline double wf_model_matrix_energy(wf_context *context, wf_model *model, const wf_vec3 *x)
{
    return model->class->matrix_energy ? model->class->matrix_energy(context, model, x)
                                       : wf_model_energy(context, model, x);
}

/* NULL is allowed. */
static inline void wf_model_destroy(wf_context *context, wf_model *model)
{
    if (model) {
        model->class->destroy(context, model);
    }
}

#endif
