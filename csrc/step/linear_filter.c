/* linear_filter.c - the prefactored implicit filter of Desbrun, Schroeder and Barr (1999) and Meyer et al. (2001).
 *
 * Springs without their rest lengths have the constant matrix h^2 k_ij between their ends, the same for x, y and z.
 * With it in place of the stiffness, A = M + h^2 K + h D is factored once, and a step costs one evaluation of the
 * forces and two triangular sweeps,
 *
 *     A dv = h (f(x, v) - h K v),        v1 = v + dv,        x1 = x + h v1.
 *
 * The published filter is the inverse of A, a full matrix; its factors are the same filter in O(n log n) numbers. The
 * matrix is formed in every step, which is cheap, and factored anew only when it changed: with the step, the masses,
 * the stiffness, the pins or the contacts.
 *
 * The filter treats each coordinate alone, so it turns the cloth where it should only slow it: of the angular impulse
 * of the forces at the new velocities it withholds that of h^2 K v1 + h D' dv, where D' is the part of D that stands
 * for damping which turns nothing (system.h). Without the latter a rotation would grow by the damping's share of A in
 * every step. It is given back as a rotation about the centre of mass, after which springs keep the angular momentum
 * exactly (form "corrected"; form "plain" leaves it out). Where something is pinned or touches nothing is given back:
 * there the momentum goes into the pins and contacts. Stable at any step in practice, first order; over-damped in every
 * direction, the more the longer the step. */
#include "step/scheme.h"

#include <string.h>

#include "solve/sparse_factor.h"
#include "step/elements.h"

typedef struct linear_filter {
    wf_integrator head;
    bool plain;
    wf_sparse_factor *factor;
    /* What was factored, to see whether it is still the same. */
    size_t rows, slots;
    int32_t *row_start, *column; /* [rows + 1], [slots] */
    double *values;              /* [slots] */
    uint8_t *fixed;              /* [rows] */
    bool factored;               /* the factor is that of these values */
} linear_filter;

enum { FORCE, CHANGE, MASS };

static wf_status filter_create(wf_integrator *self)
{
    linear_filter *filter = (linear_filter *)self;
    if (self->params.form) {
        filter->plain = strcmp(self->params.form, "plain") == 0;
        if (!filter->plain && strcmp(self->params.form, "corrected") != 0) {
            return wf_fail(self->context, WF_ERROR_ARGUMENT, "linear filter: form must be corrected or plain, got %s",
                           self->params.form);
        }
    }
    return WF_OK;
}

static void forget_factor(wf_integrator *self)
{
    linear_filter *filter = (linear_filter *)self;
    wf_sparse_factor_destroy(self->context, filter->factor);
    wf_free(self->context, filter->row_start);
    wf_free(self->context, filter->column);
    wf_free(self->context, filter->values);
    wf_free(self->context, filter->fixed);
    filter->factor = NULL;
    filter->row_start = filter->column = NULL;
    filter->values = NULL;
    filter->fixed = NULL;
    filter->factored = false;
}

static bool is_fixed(const wf_system *system, size_t row)
{
    return system->prescribed && system->prescribed[3 * row];
}

/* Whether the factor's entries are where this matrix needs them. */
static bool has_pattern(const linear_filter *filter, const wf_pattern *pattern)
{
    size_t rows = (size_t)pattern->row_count, slots = (size_t)wf_pattern_slot_count(pattern);
    return filter->factor && filter->rows == rows && filter->slots == slots &&
           memcmp(filter->row_start, pattern->row_start, (rows + 1) * sizeof *pattern->row_start) == 0 &&
           memcmp(filter->column, pattern->column, slots * sizeof *pattern->column) == 0;
}

/* Whether the factor is that of these values with these pins. */
static bool is_current(const linear_filter *filter, const wf_system *system, const double *values)
{
    if (!filter->factored || memcmp(filter->values, values, filter->slots * sizeof *values) != 0) {
        return false;
    }
    for (size_t row = 0; row < filter->rows; row++) {
        if (filter->fixed[row] != is_fixed(system, row)) {
            return false;
        }
    }
    return true;
}

static wf_status order_factor(wf_integrator *self, const wf_pattern *pattern)
{
    linear_filter *filter = (linear_filter *)self;
    forget_factor(self);
    size_t rows = filter->rows = (size_t)pattern->row_count;
    size_t slots = filter->slots = (size_t)wf_pattern_slot_count(pattern);
    filter->row_start = wf_allocate(self->context, rows + 1, sizeof *filter->row_start);
    filter->column = wf_allocate(self->context, slots, sizeof *filter->column);
    filter->values = wf_allocate(self->context, slots, sizeof *filter->values);
    filter->fixed = wf_allocate(self->context, rows, sizeof *filter->fixed);
    if (!filter->row_start || !filter->column || !filter->values || !filter->fixed) {
        return WF_ERROR_MEMORY;
    }
    memcpy(filter->row_start, pattern->row_start, (rows + 1) * sizeof *pattern->row_start);
    memcpy(filter->column, pattern->column, slots * sizeof *pattern->column);
    return wf_sparse_factor_create(self->context, pattern, &filter->factor);
}

/* Makes the factor that of the matrix, as far as it is not: rows are ordered anew only for another pattern. */
static wf_status make_factor(wf_integrator *self, const wf_system *system, const wf_pattern *pattern,
                             const double *values)
{
    linear_filter *filter = (linear_filter *)self;
    if (!has_pattern(filter, pattern)) {
        wf_status status = order_factor(self, pattern);
        if (status != WF_OK) {
            forget_factor(self);
            return status;
        }
    }
    if (is_current(filter, system, values)) {
        return WF_OK;
    }
    memcpy(filter->values, values, filter->slots * sizeof *values);
    for (size_t row = 0; row < filter->rows; row++) {
        filter->fixed[row] = is_fixed(system, row);
    }
    self->work.linearisations++;
    wf_status status = wf_sparse_factor_compute(self->context, filter->factor, pattern, values, filter->fixed);
    filter->factored = status == WF_OK;
    return status;
}

/* y -= h^2 K v = (A - M) v, with the values of A = M + h^2 K. */
static void subtract_stiffness(wf_integrator *self, const wf_pattern *pattern, const double *values,
                               const double *mass, const wf_vec3 *v, wf_vec3 *y)
{
    for (int32_t row = 0; row < pattern->row_count; row++) {
        wf_vec3 sum = wf_vec3_scale(v[row], -mass[3 * row]);
        for (int32_t slot = pattern->row_start[row]; slot < pattern->row_start[row + 1]; slot++) {
            sum = wf_vec3_muladds(sum, v[pattern->column[slot]], values[slot]);
        }
        y[row] = wf_vec3_sub(y[row], sum);
    }
    self->work.products++;
    self->work.flops += 6.0 * wf_pattern_slot_count(pattern);
}

/* y += share * h D dv between vertices, with the values of A = M + h^2 K + h D and `stiff`, those of M + h^2 K. */
static void add_damping(wf_integrator *self, const wf_pattern *pattern, const double *stiff, double share,
                        const wf_vec3 *dv, wf_vec3 *y)
{
    const linear_filter *filter = (const linear_filter *)self;
    for (int32_t row = 0; row < pattern->row_count; row++) {
        for (int32_t slot = pattern->row_start[row]; slot < pattern->row_start[row + 1]; slot++) {
            /* Rows of what acts between vertices sum to 0; what else is on the diagonal acts from outside. */
            wf_vec3 difference = wf_vec3_sub(dv[pattern->column[slot]], dv[row]);
            y[row] = wf_vec3_muladds(y[row], difference, share * (filter->values[slot] - stiff[slot]));
        }
    }
    self->work.products++;
    self->work.flops += 11.0 * wf_pattern_slot_count(pattern);
}

/* mass += the row sums of h D: damping from outside, which acts on what is given back as well. */
static void add_outer_damping(wf_integrator *self, const wf_pattern *pattern, const double *stiff, double *mass)
{
    const linear_filter *filter = (const linear_filter *)self;
    for (int32_t row = 0; row < pattern->row_count; row++) {
        double sum = 0;
        for (int32_t slot = pattern->row_start[row]; slot < pattern->row_start[row + 1]; slot++) {
            sum += filter->values[slot] - stiff[slot];
        }
        mass[3 * row] += sum > 0 ? sum : 0;
    }
    self->work.flops += 2.0 * wf_pattern_slot_count(pattern);
}

/* ---- angular momentum ------------------------------------------------------------------------------------------ */

/* a^-1 b for a symmetric positive semidefinite inertia; 0 along axes about which nothing has inertia. */
static wf_vec3 divide_inertia(double a[3][3], wf_vec3 b)
{
    double right[3] = {b.x, b.y, b.z}, scale = a[0][0] + a[1][1] + a[2][2], y[3];
    /* Elimination with diagonal pivots that are skipped where they vanish. */
    bool used[3] = {false, false, false};
    int order[3], count = 0;
    for (int step = 0; step < 3; step++) {
        int pivot = -1;
        for (int i = 0; i < 3; i++) {
            if (!used[i] && (pivot < 0 || a[i][i] > a[pivot][pivot])) {
                pivot = i;
            }
        }
        if (!(a[pivot][pivot] > 1e-12 * scale)) {
            break;
        }
        used[pivot] = true;
        order[count++] = pivot;
        for (int i = 0; i < 3; i++) {
            if (!used[i]) {
                double factor = a[i][pivot] / a[pivot][pivot];
                for (int j = 0; j < 3; j++) {
                    a[i][j] -= factor * a[pivot][j];
                }
                right[i] -= factor * right[pivot];
            }
        }
    }
    y[0] = y[1] = y[2] = 0;
    for (int k = count - 1; k >= 0; k--) {
        int i = order[k];
        double sum = right[i];
        for (int l = k + 1; l < count; l++) {
            sum -= a[i][order[l]] * y[order[l]];
        }
        y[i] = sum / a[i][i];
    }
    return (wf_vec3){y[0], y[1], y[2]};
}

/* Adds to v1 the rotation whose angular momentum the filter withheld, that of `impulse`, [rows]; `mass` includes the
 * damping from outside. */
static void restore_rotation(size_t rows, const double *mass, const wf_vec3 *x, const wf_vec3 *impulse, wf_vec3 *v1)
{
    wf_vec3 centre = {0, 0, 0}, lost = {0, 0, 0};
    double total = 0, inertia[3][3] = {{0}};
    for (size_t i = 0; i < rows; i++) {
        centre = wf_vec3_muladds(centre, x[i], mass[3 * i]);
        total += mass[3 * i];
    }
    centre = wf_vec3_scale(centre, 1 / total);
    for (size_t i = 0; i < rows; i++) {
        wf_vec3 r = wf_vec3_sub(x[i], centre);
        lost = wf_vec3_add(lost, wf_vec3_cross(r, impulse[i]));
        double m = mass[3 * i], square = wf_vec3_norm2(r);
        const double c[3] = {r.x, r.y, r.z};
        for (int p = 0; p < 3; p++) {
            for (int q = 0; q < 3; q++) {
                inertia[p][q] += m * ((p == q ? square : 0) - c[p] * c[q]);
            }
        }
    }
    wf_vec3 rotation = divide_inertia(inertia, lost);
    for (size_t i = 0; i < rows; i++) {
        v1[i] = wf_vec3_add(v1[i], wf_vec3_cross(rotation, wf_vec3_sub(x[i], centre)));
    }
}

/* ---- the step -------------------------------------------------------------------------------------------------- */

/* Whether something takes up momentum: a pin, or a contact. */
static bool is_held(const linear_filter *filter, const wf_system *system)
{
    if (system->elements && system->elements->contact_count > 0) {
        return true;
    }
    for (size_t row = 0; row < filter->rows; row++) {
        if (filter->fixed[row]) {
            return true;
        }
    }
    return false;
}

static wf_status filter_step(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                             const double *v, double *x1, double *v1)
{
    linear_filter *filter = (linear_filter *)self;
    double *force = wf_scheme_vector(self, FORCE), *change = wf_scheme_vector(self, CHANGE);
    double *mass = wf_scheme_vector(self, MASS);
    if (!force || !change || !mass) {
        return WF_ERROR_MEMORY;
    }
    if (!system->constant_matrix) {
        return wf_fail(self->context, WF_ERROR_ARGUMENT,
                       "linear filter: this system has no constant matrix of springs to factor");
    }
    const wf_pattern *pattern;
    const double *values;
    wf_status status = system->constant_matrix(system->user, h * h, h, &pattern, &values);
    status = status == WF_OK ? make_factor(self, system, pattern, values) : status;
    status = status == WF_OK ? wf_scheme_forces(self, system, t, x, v, force) : status;
    status = status == WF_OK ? system->constant_matrix(system->user, h * h, 0, &pattern, &values) : status;
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_scale(self, change, h, force);
    for (size_t i = 0; i < self->size; i++) {
        x1[i] = 1;
    }
    wf_scheme_multiply_mass(self, system, x1, mass);
    subtract_stiffness(self, pattern, values, mass, (const wf_vec3 *)v, (wf_vec3 *)change);
    for (size_t row = 0; row < filter->rows; row++) {
        if (filter->fixed[row]) {
            ((wf_vec3 *)change)[row] = (wf_vec3){0, 0, 0};
        }
    }
    wf_sparse_factor_solve(filter->factor, (wf_vec3 *)change);
    self->work.solves++;
    self->work.flops += 12.0 * (double)wf_sparse_factor_entries(filter->factor) + (double)self->size;
    wf_scheme_sum(self, v1, v, 1, change);
    if (!filter->plain && !is_held(filter, system)) {
        memset(force, 0, self->size * sizeof *force);
        subtract_stiffness(self, pattern, values, mass, (const wf_vec3 *)v1, (wf_vec3 *)force);
        wf_scheme_scale(self, force, -1, force);
        if (system->turnless_damping > 0) {
            add_damping(self, pattern, values, system->turnless_damping, (const wf_vec3 *)change, (wf_vec3 *)force);
        }
        add_outer_damping(self, pattern, values, mass);
        restore_rotation(filter->rows, mass, (const wf_vec3 *)x, (const wf_vec3 *)force, (wf_vec3 *)v1);
        self->work.flops += 60.0 * (double)filter->rows;
    }
    wf_scheme_sum(self, x1, x, h, v1);
    return WF_OK;
}

const wf_integrator_class wf_scheme_linear_filter = {
    .name = "linear filter",
    .describes = "backward Euler on springs without rest lengths, whose matrix is factored once (Desbrun et al. 1999)",
    .order = 1,
    .implicit = true,
    .newton = WF_NEWTON_LINEAR,
    .instance_size = sizeof(linear_filter),
    .create = filter_create,
    .step = filter_step,
    .destroy = forget_factor,
};
