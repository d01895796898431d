#include "step/constant_matrix.h"

#include <string.h>

#include "model/local.h"

enum { CONTACT_ITERATIONS = 30 };
#define CONTACT_TOLERANCE 1e-2

void wf_constant_matrix_free(wf_context *context, wf_constant_matrix *matrix)
{
    wf_elements_forget(context, &matrix->known);
    wf_pattern_free(context, &matrix->pattern);
    wf_sparse_factor_destroy(context, matrix->factor);
    wf_free(context, matrix->values);
    wf_free(context, matrix->scales);
    wf_free(context, matrix->fixed);
    wf_free(context, matrix->residual);
    wf_free(context, matrix->direction);
    wf_free(context, matrix->product);
    wf_free(context, matrix->contacts);
    *matrix = (wf_constant_matrix){0};
}

static wf_status build_pattern(wf_context *context, wf_constant_matrix *matrix, const wf_elements *elements)
{
    wf_stencil *stencils = wf_allocate(context, elements->model_count, sizeof *stencils);
    if (!stencils) {
        return WF_ERROR_MEMORY;
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        stencils[m] = elements->models[m].model->stencil;
    }
    wf_status status = wf_pattern_build(context, elements->vertex_count, (int32_t)elements->model_count, stencils,
                                        &matrix->pattern);
    wf_free(context, stencils);
    return status;
}

static wf_status learn(wf_context *context, wf_constant_matrix *matrix, const wf_elements *elements)
{
    wf_constant_matrix_free(context, matrix);
    wf_status status = build_pattern(context, matrix, elements);
    if (status != WF_OK) {
        return status;
    }
    size_t vertices = (size_t)elements->vertex_count;
    matrix->values = wf_allocate(context, (size_t)wf_pattern_slot_count(&matrix->pattern), sizeof *matrix->values);
    matrix->scales = wf_allocate(context, elements->model_count, sizeof *matrix->scales);
    matrix->fixed = wf_allocate(context, vertices, sizeof *matrix->fixed);
    matrix->residual = wf_allocate(context, vertices, sizeof *matrix->residual);
    matrix->direction = wf_allocate(context, vertices, sizeof *matrix->direction);
    matrix->product = wf_allocate(context, vertices, sizeof *matrix->product);
    if (!matrix->values || !matrix->scales || !matrix->fixed || !matrix->residual || !matrix->direction ||
        !matrix->product) {
        return WF_ERROR_MEMORY;
    }
    status = wf_sparse_factor_create(context, &matrix->pattern, &matrix->factor);
    return status == WF_OK ? wf_elements_remember(context, &matrix->known, elements) : status;
}

/* Notes what the values depend on; true when it is what it was. */
static bool same_values(wf_constant_matrix *matrix, const wf_system *system, double h)
{
    const wf_elements *elements = system->elements;
    bool same = matrix->factored && matrix->h == h && matrix->damping == elements->damping;
    matrix->h = h;
    matrix->damping = elements->damping;
    for (size_t m = 0; m < elements->model_count; m++) {
        same &= matrix->scales[m] == elements->models[m].scale;
        matrix->scales[m] = elements->models[m].scale;
    }
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        uint8_t fixed = wf_vertex_prescribed(system, i);
        same &= matrix->fixed[i] == fixed;
        matrix->fixed[i] = fixed;
    }
    return same;
}

wf_status wf_constant_matrix_prepare(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_system *system,
                                     double h)
{
    wf_context *context = scheme->context;
    const wf_elements *elements = system->elements;
    if (!wf_elements_unchanged(&matrix->known, elements)) {
        wf_status status = learn(context, matrix, elements);
        if (status != WF_OK) {
            wf_constant_matrix_free(context, matrix);
            return status;
        }
    }
    if (same_values(matrix, system, h)) {
        return WF_OK;
    }
    matrix->factored = false;
    memset(matrix->values, 0, (size_t)wf_pattern_slot_count(&matrix->pattern) * sizeof *matrix->values);
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        matrix->values[matrix->pattern.diagonal[i]] = wf_elements_inertia(elements, h, i);
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        const wf_scaled_model *scaled = &elements->models[m];
        scaled->model->class->local->add_constant_matrix(scaled->model, scaled->scale, scaled->scale / h,
                                                         &matrix->pattern, matrix->values);
    }
    scheme->work.linearisations++;
    wf_status status = wf_sparse_factor_compute(context, matrix->factor, &matrix->pattern, matrix->values,
                                                matrix->fixed);
    matrix->factored = status == WF_OK;
    return status;
}

wf_status wf_constant_matrix_touch(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_elements *elements,
                                   double h, const wf_vec3 *x0, const wf_vec3 *x)
{
    wf_status status = wf_reserve(scheme->context, &matrix->contacts, &matrix->contact_capacity,
                                  elements->contact_count, sizeof *matrix->contacts);
    matrix->contact_count = 0;
    for (size_t c = 0; status == WF_OK && c < elements->contact_count; c++) {
        const wf_resting_contact *contact = &elements->contacts[c];
        if (contact->gap < 0 || wf_contact_terms_of(contact, h, x0, x).overlap > 0) {
            matrix->contacts[matrix->contact_count++] = *contact;
        }
    }
    return status;
}

/* ---- solving ---------------------------------------------------------------------------------------------------- */

/* y = A x on the free vertices, contacts included; x is 0 elsewhere. */
static void multiply(const wf_constant_matrix *matrix, const wf_vec3 *x, wf_vec3 *y)
{
    const wf_pattern *pattern = &matrix->pattern;
    for (int32_t i = 0; i < pattern->row_count; i++) {
        wf_vec3 sum = {0, 0, 0};
        for (int32_t slot = pattern->row_start[i]; slot < pattern->row_start[i + 1]; slot++) {
            sum = wf_vec3_muladds(sum, x[pattern->column[slot]], matrix->values[slot]);
        }
        y[i] = sum;
    }
    for (size_t c = 0; c < matrix->contact_count; c++) {
        const wf_resting_contact *contact = &matrix->contacts[c];
        wf_vec3 way = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            if (contact->vertex[k] >= 0) {
                way = wf_vec3_muladds(way, x[contact->vertex[k]], contact->weight[k]);
            }
        }
        double drag = contact->drag / matrix->h, along = wf_vec3_dot(way, contact->normal);
        wf_vec3 force = wf_vec3_muladds(wf_vec3_scale(way, drag), contact->normal, (contact->stiffness - drag) * along);
        for (int k = 0; k < 4; k++) {
            if (contact->vertex[k] >= 0) {
                y[contact->vertex[k]] = wf_vec3_muladds(y[contact->vertex[k]], force, contact->weight[k]);
            }
        }
    }
    for (int32_t i = 0; i < pattern->row_count; i++) {
        if (matrix->fixed[i]) {
            y[i] = (wf_vec3){0, 0, 0};
        }
    }
}

static double dot(const wf_vec3 *a, const wf_vec3 *b, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += wf_vec3_dot(a[i], b[i]);
    }
    return sum;
}

/* x = F^-1 b with the factors F alone */
static void solve_factors(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_vec3 *b, wf_vec3 *x)
{
    for (int32_t i = 0; i < matrix->pattern.row_count; i++) {
        x[i] = matrix->fixed[i] ? (wf_vec3){0, 0, 0} : b[i];
    }
    wf_sparse_factor_solve(matrix->factor, x);
    scheme->work.solver_iterations++;
}

/* Conjugate gradients, the preconditioned residual in the place of the product. */
static void solve_contacts(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_vec3 *b, wf_vec3 *x)
{
    int32_t count = matrix->pattern.row_count;
    wf_vec3 *r = matrix->residual, *d = matrix->direction, *q = matrix->product;
    for (int32_t i = 0; i < count; i++) {
        r[i] = matrix->fixed[i] ? (wf_vec3){0, 0, 0} : b[i];
        x[i] = (wf_vec3){0, 0, 0};
    }
    solve_factors(scheme, matrix, r, d);
    double rho = dot(r, d, count), first = rho;
    for (int iteration = 0; iteration < CONTACT_ITERATIONS && rho > CONTACT_TOLERANCE * CONTACT_TOLERANCE * first;
         iteration++) {
        multiply(matrix, d, q);
        scheme->work.products++;
        double curvature = dot(d, q, count);
        if (!(curvature > 0)) {
            return;
        }
        double alpha = rho / curvature;
        for (int32_t i = 0; i < count; i++) {
            x[i] = wf_vec3_muladds(x[i], d[i], alpha);
            r[i] = wf_vec3_muladds(r[i], q[i], -alpha);
        }
        solve_factors(scheme, matrix, r, q);
        double before = rho;
        rho = dot(r, q, count);
        for (int32_t i = 0; i < count; i++) {
            d[i] = wf_vec3_muladds(q[i], d[i], rho / before);
        }
    }
}

void wf_constant_matrix_solve(wf_integrator *scheme, wf_constant_matrix *matrix, const wf_vec3 *b, wf_vec3 *x)
{
    scheme->work.solves++;
    if (matrix->contact_count > 0) {
        solve_contacts(scheme, matrix, b, x);
    } else {
        solve_factors(scheme, matrix, b, x);
    }
}
