/* equation.c - see equation.h. */
#include "step/equation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/vector.h"

wf_equation_def wf_default_equation_def(void)
{
    return (wf_equation_def){.name = "equation", .size = 1, .to = 1};
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

static wf_status check_finite(const wf_equation *equation, const char *what, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return wf_fail(equation->context, WF_ERROR_NUMERIC, "%s of %s is not finite (component %zu is %s)", what,
                           equation->name, i + 1, isnan(values[i]) ? "nan" : values[i] > 0 ? "inf" : "-inf");
        }
    }
    return WF_OK;
}

static wf_status forces(void *user, double t, const double *x, const double *v, double *force)
{
    wf_equation *equation = user;
    equation->evaluations++;
    wf_status status = equation->def.forces(equation->def.user, t, x, v, force);
    return status == WF_OK ? check_finite(equation, "the force", equation->def.size, force) : status;
}

static wf_status stiff_forces(void *user, double t, const double *x, const double *v, double *force)
{
    wf_equation *equation = user;
    equation->evaluations++;
    wf_status status = equation->def.stiff_forces(equation->def.user, t, x, v, force);
    return status == WF_OK ? check_finite(equation, "the stiff force", equation->def.size, force) : status;
}

static wf_status potential_energy(void *user, double t, const double *x, double *energy)
{
    wf_equation *equation = user;
    wf_status status = equation->def.energy(equation->def.user, t, x, energy);
    return status == WF_OK ? check_finite(equation, "the energy", 1, energy) : status;
}

static void multiply_mass(void *user, const double *v, double *y)
{
    const wf_equation *equation = user;
    for (size_t i = 0; i < equation->def.size; i++) {
        y[i] = equation->mass[i] * v[i];
    }
}

static void divide_mass(void *user, const double *f, double *a)
{
    const wf_equation *equation = user;
    for (size_t i = 0; i < equation->def.size; i++) {
        a[i] = f[i] / equation->mass[i];
    }
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

/* -df/dx, or -df/dv when `of_velocity`, by central differences. The step balances the truncation, h^2, with the
 * rounding, eps/h. */
static wf_status difference(wf_equation *equation, double t, const double *x, const double *v, bool stiff,
                            bool of_velocity, double *jacobian)
{
    size_t n = equation->def.size;
    double *moved = equation->scratch, *forward = moved + n, *backward = forward + n;
    wf_status (*f)(void *, double, const double *, const double *, double *) =
        stiff ? stiff_forces : forces;
    const double *at = of_velocity ? v : x;
    memcpy(moved, at, n * sizeof *moved);
    for (size_t j = 0; j < n; j++) {
        double step = cbrt(DBL_EPSILON) * fmax(1, fabs(at[j]));
        for (int side = 0; side < 2; side++) {
            moved[j] = side == 0 ? at[j] + step : at[j] - step;
            wf_status status = f(equation, t, of_velocity ? x : moved, of_velocity ? moved : v,
                                 side == 0 ? forward : backward);
            if (status != WF_OK) {
                return status;
            }
        }
        moved[j] = at[j];
        double width = (at[j] + step) - (at[j] - step);
        for (size_t i = 0; i < n; i++) {
            jacobian[i * n + j] = (backward[i] - forward[i]) / width;
        }
    }
    return WF_OK;
}

/* matrix += scale * (-df/dx or -df/dv) */
static wf_status add_jacobian(wf_equation *equation, double t, const double *x, const double *v, bool stiff,
                              bool of_velocity, double scale)
{
    const wf_equation_def *def = &equation->def;
    size_t count = def->size * def->size;
    wf_equation_function *given = stiff ? (of_velocity ? def->stiff_damping : def->stiff_stiffness)
                                        : (of_velocity ? def->damping : def->stiffness);
    if (scale == 0) {
        return WF_OK;
    }
    memset(equation->jacobian, 0, count * sizeof *equation->jacobian);
    wf_status status = given ? given(def->user, t, x, v, equation->jacobian)
                             : difference(equation, t, x, v, stiff, of_velocity, equation->jacobian);
    if (status == WF_OK) {
        status = check_finite(equation, of_velocity ? "the damping" : "the stiffness", count, equation->jacobian);
    }
    for (size_t i = 0; i < count && status == WF_OK; i++) {
        equation->matrix[i] += scale * equation->jacobian[i];
    }
    return status;
}

/* An equation's matrices are small and may be unsymmetric: there is no semidefinite stand-in, and elimination needs
 * none, so all kinds but the stiff part's are the exact derivative. */
static wf_status linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                           double stiffness_scale, double damping_scale)
{
    wf_equation *equation = user;
    size_t n = equation->def.size;
    bool stiff = kind == WF_LINEARISE_STIFF && equation->def.stiff_forces;
    equation->factored = false;
    memset(equation->matrix, 0, n * n * sizeof *equation->matrix);
    for (size_t i = 0; i < n; i++) {
        equation->matrix[i * n + i] = equation->mass[i];
    }
    wf_status status = add_jacobian(equation, t, x, v, stiff, false, stiffness_scale);
    return status == WF_OK ? add_jacobian(equation, t, x, v, stiff, true, damping_scale) : status;
}

static void multiply(void *user, const double *v, double *y)
{
    const wf_equation *equation = user;
    wf_dense_multiply(equation->def.size, equation->matrix, v, y);
}

static wf_status divide_diagonal(void *user, const double *r, double *z)
{
    const wf_equation *equation = user;
    for (size_t i = 0; i < equation->def.size; i++) {
        z[i] = r[i] / equation->matrix[i * (equation->def.size + 1)];
    }
    return WF_OK;
}

static wf_status solve(void *user, const double *b, double *v, double tolerance, wf_solve_work *work)
{
    wf_equation *equation = user;
    size_t n = equation->def.size;
    (void)tolerance; /* elimination is exact but for rounding */
    work->residual = 0;
    work->flops += 2 * (double)n * (double)n;
    if (!equation->factored) {
        memcpy(equation->factors, equation->matrix, n * n * sizeof *equation->factors);
        if (!wf_dense_factor(n, equation->factors, equation->rows)) {
            return wf_fail(equation->context, WF_ERROR_NUMERIC, "the matrix of %s is singular at this step",
                           equation->name);
        }
        equation->factored = true;
        work->flops += 2 * (double)n * (double)n * (double)n / 3;
    }
    wf_dense_solve(n, equation->factors, equation->rows, b, v);
    return WF_OK;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static wf_status check_def(wf_context *context, const wf_equation_def *def)
{
    if (def->size < 1 || def->size > (def->system ? SIZE_MAX / 64 : WF_EQUATION_SIZE_LIMIT)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "size must be from 1 to %d, got %zu", WF_EQUATION_SIZE_LIMIT,
                       def->size);
    }
    if (!(isfinite(def->from) && isfinite(def->to) && def->to > def->from)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the interval must go forward, got %g to %g", def->from, def->to);
    }
    if (def->dimension < 0 || def->dimension > 3 || (def->dimension > 0 && def->size % (size_t)def->dimension != 0)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "dimension must be 1, 2 or 3 and divide the size, got %d",
                       def->dimension);
    }
    for (size_t i = 0; i < def->size; i++) {
        if (def->mass && !(def->mass[i] > 0 && isfinite(def->mass[i]))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "mass must be positive, got %g for component %zu", def->mass[i],
                           i + 1);
        }
        if ((def->x && !isfinite(def->x[i])) || (def->v && !isfinite(def->v[i]))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "the start must be finite, component %zu is not", i + 1);
        }
    }
    return WF_OK;
}

static void copy_or_fill(double *target, const double *source, size_t count, double value)
{
    for (size_t i = 0; i < count; i++) {
        target[i] = source ? source[i] : value;
    }
}

/* Differences take 2 size evaluations for each of the two matrices. */
static wf_system_flops count_flops(const wf_equation_def *def)
{
    double n = (double)def->size;
    double force = def->force_flops > 0 ? def->force_flops : 2 * n * n;
    double matrices = def->matrix_flops > 0 ? def->matrix_flops : 4 * n * n;
    double differences = (def->stiffness ? 0 : 2 * n) + (def->damping ? 0 : 2 * n);
    return (wf_system_flops){.forces = force,
                             .stiff_forces = force,
                             .energy = force,
                             .multiply_mass = n,
                             .divide_mass = n,
                             .linearise = matrices + differences * (force + n) + 4 * n * n,
                             .multiply = 2 * n * n};
}

static wf_status allocate_arrays(wf_equation *equation)
{
    size_t n = equation->def.size;
    equation->mass = wf_allocate(equation->context, n, sizeof(double));
    equation->x = wf_allocate(equation->context, n, sizeof(double));
    equation->v = wf_allocate(equation->context, n, sizeof(double));
    if (!equation->mass || !equation->x || !equation->v) {
        return WF_ERROR_MEMORY;
    }
    if (equation->def.system) {
        return WF_OK;
    }
    equation->matrix = wf_allocate(equation->context, n * n, sizeof(double));
    equation->factors = wf_allocate(equation->context, n * n, sizeof(double));
    equation->jacobian = wf_allocate(equation->context, n * n, sizeof(double));
    equation->scratch = wf_allocate(equation->context, 3 * n, sizeof(double));
    equation->rows = wf_allocate(equation->context, n, sizeof *equation->rows);
    bool complete = equation->matrix && equation->factors && equation->jacobian && equation->scratch && equation->rows;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

void wf_equation_bind(wf_equation *equation)
{
    if (equation->def.system) {
        equation->system = *equation->def.system;
        equation->def.system = &equation->system;
        return;
    }
    equation->system = (wf_system){.user = equation,
                                   .size = equation->def.size,
                                   .forces = forces,
                                   .stiff_forces = equation->def.stiff_forces ? stiff_forces : NULL,
                                   .energy = equation->def.energy ? potential_energy : NULL,
                                   .multiply_mass = multiply_mass,
                                   .divide_mass = divide_mass,
                                   .linearise = linearise,
                                   .multiply = multiply,
                                   .divide_diagonal = divide_diagonal,
                                   .solve = solve,
                                   .linear_in_velocity = equation->def.linear_in_velocity,
                                   .flops = count_flops(&equation->def)};
}

wf_status wf_equation_create(wf_context *context, const wf_equation_def *def, wf_equation **result)
{
    *result = NULL;
    wf_status status = check_def(context, def);
    wf_equation *equation = status == WF_OK ? wf_allocate(context, 1, sizeof *equation) : NULL;
    if (!equation) {
        if (def->destroy) {
            def->destroy(context, def->user);
        }
        return status == WF_OK ? WF_ERROR_MEMORY : status;
    }
    equation->context = context;
    equation->def = *def;
    snprintf(equation->name, sizeof equation->name, "%s", def->name);
    status = allocate_arrays(equation);
    if (status != WF_OK) {
        wf_equation_destroy(equation);
        return status;
    }
    copy_or_fill(equation->mass, def->mass, def->size, 1);
    copy_or_fill(equation->x, def->x, def->size, 0);
    copy_or_fill(equation->v, def->v, def->size, 0);
    wf_equation_bind(equation);
    equation->def.name = equation->name;
    equation->def.mass = equation->mass;
    equation->def.x = equation->x;
    equation->def.v = equation->v;
    *result = equation;
    return WF_OK;
}

void wf_equation_destroy(wf_equation *equation)
{
    if (!equation) {
        return;
    }
    wf_context *context = equation->context;
    if (equation->def.destroy) {
        equation->def.destroy(context, equation->def.user);
    }
    void *arrays[] = {equation->mass,    equation->x,        equation->v,       equation->matrix,
                      equation->factors, equation->jacobian, equation->scratch, equation->rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    wf_free(context, equation);
}

/* ---- what is conserved ----------------------------------------------------------------------------------------- */

wf_status wf_equation_energy(wf_equation *equation, double t, const double *x, const double *v, double *energy)
{
    if (!equation->system.energy) {
        return wf_fail(equation->context, WF_ERROR_STATE, "%s has no energy", equation->name);
    }
    wf_status status = equation->system.energy(equation->system.user, t, x, energy);
    for (size_t i = 0; i < equation->def.size && status == WF_OK; i++) {
        *energy += 0.5 * equation->mass[i] * v[i] * v[i];
    }
    return status;
}

static wf_vec3 point(int dimension, const double *values)
{
    return wf_vec3_make(values[0], dimension > 1 ? values[1] : 0, dimension > 2 ? values[2] : 0);
}

wf_status wf_equation_momentum(const wf_equation *equation, const double *x, const double *v, wf_vec3 *linear,
                               wf_vec3 *angular)
{
    size_t dimension = (size_t)equation->def.dimension;
    if (dimension == 0) {
        return wf_fail(equation->context, WF_ERROR_STATE,
                       "%s has no momentum: it does not say how many coordinates a point has", equation->name);
    }
    *linear = *angular = wf_vec3_make(0, 0, 0);
    for (size_t i = 0; i < equation->def.size; i += dimension) {
        wf_vec3 momentum = wf_vec3_scale(point((int)dimension, v + i), equation->mass[i]);
        *linear = wf_vec3_add(*linear, momentum);
        *angular = wf_vec3_add(*angular, wf_vec3_cross(point((int)dimension, x + i), momentum));
    }
    return WF_OK;
}
