/* kang.c - the linear-time update of Kang, Choi, Cho and Park (2001) and of Kang's thesis (2003, eq. 4.5 to 4.9).
 *
 * The linearised backward Euler step A dv = b, A = M + h^2 K + h D, is not solved. With D the diagonal blocks of A,
 *
 *     dv_0 = D^-1 b,      dv_(k+1) = D^-1 (b - (A - D) dv_k),
 *
 * k block-Jacobi sweeps, one by default. (Where elements join more than two points D is larger, see wf_system.) The
 * thesis keeps whole blocks ("block"); the earlier paper replaces every
 * spring by its constant k I ("scalar"), which with one sweep is its direct formula
 *
 *     dv_i = (b_i + h^2 sum_j k_ij b_j / (m_j + h^2 sum_l k_jl)) / (m_i + h^2 sum_j k_ij)
 *
 * and resists motion in every direction. Forces outside the stiff part (weight, wind) change v before the update:
 * within it, one sweep loses half of the fall of a sheet.
 *
 * With S = D^-1/2 (D - A) D^-1/2, whose eigenvalues lie in (-1, 1), k sweeps apply I - S^(k+1) of the exact solution.
 * For odd k that is backward Euler with masses M_k >= M: stable at any step, and the stiffer the springs or the longer
 * the step, the more inertia and the weaker the response. Information moves k + 1 edges a step: where h^2 k/m is large,
 * cloth stretches by how long it hangs, not by its stiffness. For even k modes with S < 0 are corrected too far: stable
 * only while a = (1 - S^(k+1)) h^2 l / (1 + h^2 l) <= 4/3 for each mode's l = K/m, which on a chain means h^2 k/m up
 * to 1, 1.95, 2.88, 3.80, ... for k = 0, 2, 4, 6, ... */
#include "step/scheme.h"

#include <string.h>

typedef struct kang {
    wf_integrator head;
    bool scalar;
} kang;

enum { START, FORCE, STIFF, RIGHT, CHANGE, PRODUCT };

static wf_status kang_create(wf_integrator *self)
{
    kang *k = (kang *)self;
    if (self->params.form) {
        k->scalar = strcmp(self->params.form, "scalar") == 0;
        if (!k->scalar && strcmp(self->params.form, "block") != 0) {
            return wf_fail(self->context, WF_ERROR_ARGUMENT, "kang: form must be block or scalar, got %s",
                           self->params.form);
        }
    }
    if (self->params.iterations < 0) {
        self->params.iterations = 1;
    }
    if (self->params.iterations % 2 == 0) {
        wf_warn(self->context, "kang: %d sweeps, an even number, are unstable where springs are stiff or steps long "
                "(on a chain from h^2 k/m = %.1f on); take an odd number", self->params.iterations,
                1 + 0.47 * self->params.iterations);
    }
    return WF_OK;
}

/* The velocity after what lies outside the stiff part has acted, in `start`. Leaves the stiff part's forces in `stiff`:
 * at rest where forces are linear in the velocity, because A then has all that damps, else at `start`. */
static wf_status apply_external(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                const double *v, double *force, double *stiff, double *start)
{
    bool linear = system->linear_in_velocity;
    memset(start, 0, self->size * sizeof *start);
    const double *at = linear ? start : v;
    if (!system->stiff_forces) {
        wf_status status = wf_scheme_forces(self, system, t, x, at, stiff);
        memcpy(start, v, self->size * sizeof *start);
        return status;
    }
    wf_status status = wf_scheme_stiff_forces(self, system, t, x, at, stiff);
    if (status == WF_OK) {
        status = system->other_forces ? system->other_forces(system->user, t, x, at, force)
                                      : wf_scheme_forces(self, system, t, x, at, force);
    }
    if (status != WF_OK) {
        return status;
    }
    if (!system->other_forces) {
        wf_scheme_sum(self, force, force, -1, stiff);
    }
    wf_scheme_divide_mass(self, system, force, start);
    wf_scheme_sum(self, start, v, h, start);
    return linear ? WF_OK : wf_scheme_stiff_forces(self, system, t, x, start, stiff);
}

static wf_linearisation linearisation_of(const kang *k, const wf_system *system)
{
    if (k->scalar) {
        return WF_LINEARISE_CONSTANT;
    }
    if (k->head.params.linearisation != WF_LINEARISE_DEFINITE) {
        return k->head.params.linearisation;
    }
    return system->stiff_forces && !system->linear_in_velocity ? WF_LINEARISE_STIFF : WF_LINEARISE_DEFINITE;
}

/* right = h f - h^2 K v, and A formed. Where forces are linear in v that is h f(x, 0) - (A - M) v. */
static wf_status form_system(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                             const double *start, const double *stiff, double *product, double *right)
{
    wf_linearisation kind = linearisation_of((kang *)self, system);
    double damping_scale = system->linear_in_velocity ? h : 0;
    wf_status status = wf_scheme_linearise(self, system, t, x, start, kind, h * h, damping_scale);
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_multiply(self, system, start, product);
    wf_scheme_multiply_mass(self, system, start, right);
    wf_scheme_sum(self, right, right, -1, product);
    wf_scheme_sum(self, right, right, h, stiff);
    return damping_scale > 0 ? WF_OK : wf_scheme_linearise(self, system, t, x, start, kind, h * h, h);
}

static wf_status kang_step(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                           const double *v, double *x1, double *v1)
{
    double *vectors[PRODUCT + 1];
    for (int i = START; i <= PRODUCT; i++) {
        vectors[i] = wf_scheme_vector(self, (size_t)i);
        if (!vectors[i]) {
            return WF_ERROR_MEMORY;
        }
    }
    double *start = vectors[START], *right = vectors[RIGHT], *change = vectors[CHANGE], *product = vectors[PRODUCT];
    if (!system->divide_diagonal) {
        return wf_fail(self->context, WF_ERROR_ARGUMENT,
                       "kang: this system does not give the diagonal of its operator, which every sweep needs");
    }
    wf_scheme_expand(system, v);
    wf_status status = apply_external(self, system, t, h, x, v, vectors[FORCE], vectors[STIFF], start);
    status = status == WF_OK ? form_system(self, system, t, h, x, start, vectors[STIFF], product, right) : status;
    wf_scheme_expand(system, NULL);
    if (status != WF_OK) {
        return status;
    }
    status = system->divide_diagonal(system->user, right, change);
    for (int32_t sweep = 0; sweep < self->params.iterations && status == WF_OK; sweep++) {
        wf_scheme_multiply(self, system, change, product);
        wf_scheme_sum(self, product, right, -1, product);
        status = system->divide_diagonal(system->user, product, v1);
        wf_scheme_sum(self, change, change, 1, v1);
    }
    self->work.solver_iterations += self->params.iterations;
    self->work.flops += (self->params.iterations + 1) * 5.0 * (double)self->size;
    wf_scheme_sum(self, v1, start, 1, change);
    wf_scheme_sum(self, x1, x, h, v1);
    return status;
}

const wf_integrator_class wf_scheme_kang = {
    .name = "kang",
    .describes = "backward Euler whose linear system gets a few block-Jacobi sweeps instead of a solution (Kang 2003)",
    .order = 1,
    .implicit = true,
    .needs_accelerations = true,
    .newton = WF_NEWTON_LINEAR,
    .instance_size = sizeof(kang),
    .create = kang_create,
    .step = kang_step,
};
