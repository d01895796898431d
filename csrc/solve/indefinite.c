#include "solve/indefinite.h"

#include <stdio.h>

enum { ARITY_LIMIT = 12, TEXT_SIZE = 160 };

typedef enum verdict { DEFINITE, INDEFINITE, NOT_FINITE } verdict;

/* S_i (A + C)_ij S_j, and the identity between the fixed directions of one vertex. */
static wf_mat3 entry_of(const wf_linear_system *system, int32_t i, int32_t j)
{
    wf_mat3 entry = wf_block_matrix_entry(system->matrix, i, j);
    wf_contact_row contacts = wf_contact_blocks_row(system->contacts, i);
    for (int32_t k = 0; k < contacts.count; k++) {
        for (int e = 0; e < 9 && contacts.column[k] == j; e++) {
            (&entry.m[0][0])[e] += (&contacts.blocks[k].m[0][0])[e];
        }
    }
    entry = wf_filter_apply_block(system->filter, (size_t)i, (size_t)j, entry);
    for (int r = 0; r < 3 && i == j; r++) {
        wf_vec3 unit = {r == 0, r == 1, r == 2};
        wf_vec3 fixed = wf_vec3_sub(unit, wf_filter_apply(system->filter, (size_t)i, unit));
        entry.m[r][0] += fixed.x;
        entry.m[r][1] += fixed.y;
        entry.m[r][2] += fixed.z;
    }
    return entry;
}

/* Factors the system between `count` vertices by Cholesky's method. */
static verdict judge(const wf_linear_system *system, int32_t count, const int32_t *vertices)
{
    double a[3 * ARITY_LIMIT][3 * ARITY_LIMIT];
    int size = 3 * count;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
            a[i][j] = entry_of(system, vertices[i / 3], vertices[j / 3]).m[i % 3][j % 3];
            if (!isfinite(a[i][j])) {
                return NOT_FINITE;
            }
        }
    }
    for (int i = 0; i < size; i++) {
        double scale = a[i][i];
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            if (j < i) {
                a[i][j] /= a[j][j];
            }
        }
        if (!(a[i][i] > 1e-12 * scale)) {
            return INDEFINITE;
        }
        a[i][i] = sqrt(a[i][i]);
    }
    return DEFINITE;
}

static bool contains(const int32_t *vertices, int32_t count, int32_t vertex)
{
    for (int32_t k = 0; k < count; k++) {
        if (vertices[k] == vertex) {
            return true;
        }
    }
    return false;
}

static wf_status name_element(wf_context *context, const wf_model *model, int32_t element, int32_t row, verdict found)
{
    const int32_t *vertices = model->stencil.vertices + (int64_t)element * model->stencil.arity;
    char text[TEXT_SIZE];
    size_t used = 0;
    for (int32_t k = 0; k < model->stencil.arity; k++) { /* twelve numbers of ten digits have room */
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", k > 0 ? ", " : "", vertices[k] + 1);
    }
    return wf_fail(context, WF_ERROR_NUMERIC,
                   "linear system: the matrix is not positive definite at vertex %d: between the vertices %s of "
                   "element %d of the %s it has %s", row + 1, text, element + 1, model->class->name,
                   found == NOT_FINITE ? "entries that are not finite" : "a direction of no positive curvature");
}

wf_status wf_explain_indefinite(wf_context *context, const wf_linear_system *system, int32_t row, size_t model_count,
                                const wf_model *const *models)
{
    for (size_t m = 0; m < model_count; m++) {
        const wf_stencil *stencil = &models[m]->stencil;
        for (int32_t e = 0; e < stencil->count && stencil->arity <= ARITY_LIMIT; e++) {
            const int32_t *vertices = stencil->vertices + (int64_t)e * stencil->arity;
            bool there = contains(vertices, stencil->arity, row);
            verdict found = there ? judge(system, stencil->arity, vertices) : DEFINITE;
            if (found != DEFINITE) {
                return name_element(context, models[m], e, row, found);
            }
        }
    }
    return wf_fail(context, WF_ERROR_NUMERIC,
                   "linear system: the matrix is not positive definite at vertex %d; no element there shows it by "
                   "itself", row + 1);
}
