/* projective_dynamics.c - "projective dynamics": backward Euler with one constant, prefactored matrix (Bouaziz et al.
 * 2014), in its quasi-Newton reading (Liu, Bouaziz and Kavan 2017).
 *
 * The published local step projects each element onto its undeformed shapes at the current rotation, and the global
 * step solves with a constant matrix; together they are one step of descent with the gradient of the energy and that
 * matrix for its second derivative. Taken so, the energy need not be the sum of squared distances that the matrix
 * stands for: here it is the system's own, orthotropic, coupled and viscous as it is, and the iteration converges to
 * the same backward Euler step as Newton's method. The matrix only decides how fast:
 *
 *     M (1 + h c) / h^2  +  K  +  viscosity / h,   K: bending and springs exactly, membranes by springs on the columns
 *                                                  of the deformation gradient (model/membrane_local.h)
 *
 * is built, ordered and factored once per topology, material, set of pins and step length (solve/sparse_factor.h). The
 * last five steps correct it (L-BFGS: Liu and Nocedal 1989). Where the matrix is much stiffer than the cloth (shear of
 * woven fabric, rotation within wrinkles) few iterations leave cloth slow and smooth, while stretch is right almost at
 * once.
 *
 * Contacts are not constant: while there are any, systems are solved by conjugate gradients with the factors as
 * preconditioner.
 *
 * `iterations` (default 10) at most; fewer where the residual falls below newton_tolerance.
 */
#include <string.h>

#include "step/constant_matrix.h"

enum { DEFAULT_ITERATIONS = 10, MEMORY = 5, HALVINGS = 12 };

/* Scratch vectors of the scheme. */
enum { GRADIENT, TRIAL_GRADIENT, DIRECTION, VELOCITY, TRIAL, TARGET, FORCE, STEPS, CHANGES = STEPS + MEMORY };

typedef struct projective_dynamics {
    wf_integrator head;
    wf_constant_matrix matrix;
    int32_t pairs, newest; /* of the memory: steps taken and changes of the gradient */
    double over[MEMORY];   /* 1 / (step . change) */
} projective_dynamics;

static wf_status create(wf_integrator *self)
{
    self->params.iterations = self->params.iterations > 0 ? self->params.iterations : DEFAULT_ITERATIONS;
    return WF_OK;
}

static void destroy(wf_integrator *self)
{
    wf_constant_matrix_free(self->context, &((projective_dynamics *)self)->matrix);
}

/* ---- the equation ----------------------------------------------------------------------------------------------- */

typedef struct problem {
    projective_dynamics *self;
    const wf_system *system;
    double t, h;
    const double *x0;
    double *v, *force;    /* scratch */
    const double *target; /* x0 + h v0 */
    double size;          /* of the equation's terms, in the last gradient */
} problem;

/* gradient = M (x - x0 - h v0) / h^2 - f(x, (x - x0) / h), strains taken from x0 too, 0 where prescribed */
static wf_status gradient_at(problem *p, const double *x, double *gradient)
{
    wf_integrator *self = &p->self->head;
    size_t n = self->size;
    for (size_t i = 0; i < n; i++) {
        p->v[i] = (x[i] - p->x0[i]) / p->h;
    }
    wf_status status = wf_scheme_forces(self, p->system, p->t + p->h, x, p->v, p->force);
    if (status != WF_OK) {
        return status;
    }
    double over = 1 / (p->h * p->h);
    for (size_t i = 0; i < n; i++) {
        p->v[i] = (x[i] - p->target[i]) * over;
    }
    wf_scheme_multiply_mass(self, p->system, p->v, gradient);
    double inertia = 0, forces = 0;
    for (size_t i = 0; i < n; i++) {
        if (p->system->prescribed && p->system->prescribed[i]) {
            gradient[i] = 0;
            continue;
        }
        inertia += gradient[i] * gradient[i];
        forces += p->force[i] * p->force[i];
        gradient[i] -= p->force[i];
    }
    p->size = sqrt(fmax(inertia, forces));
    return WF_OK;
}

/* ---- the direction ---------------------------------------------------------------------------------------------- */

/* direction = -H^-1 gradient: the constant matrix, corrected by the last steps (two-loop recursion). */
static void find_direction(problem *p, const double *gradient, double *direction)
{
    projective_dynamics *self = p->self;
    wf_integrator *head = &self->head;
    double share[MEMORY], *work = p->v;
    memcpy(work, gradient, head->size * sizeof *work);
    for (int32_t k = 0; k < self->pairs; k++) {
        int32_t slot = (self->newest - k + MEMORY) % MEMORY;
        share[slot] = self->over[slot] * wf_scheme_dot(head, head->vectors[STEPS + slot], work);
        wf_scheme_sum(head, work, work, -share[slot], head->vectors[CHANGES + slot]);
    }
    wf_constant_matrix_solve(head, &self->matrix, (const wf_vec3 *)work, (wf_vec3 *)direction);
    for (int32_t k = self->pairs - 1; k >= 0; k--) {
        int32_t slot = (self->newest - k + MEMORY) % MEMORY;
        double other = self->over[slot] * wf_scheme_dot(head, head->vectors[CHANGES + slot], direction);
        wf_scheme_sum(head, direction, direction, share[slot] - other, head->vectors[STEPS + slot]);
    }
    wf_scheme_scale(head, direction, -1, direction);
}

static void remember(projective_dynamics *self, const double *x, const double *trial, const double *gradient,
                     const double *trial_gradient)
{
    wf_integrator *head = &self->head;
    int32_t slot = (self->newest + 1) % MEMORY;
    double *taken = head->vectors[STEPS + slot], *change = head->vectors[CHANGES + slot];
    wf_scheme_sum(head, taken, trial, -1, x);
    wf_scheme_sum(head, change, trial_gradient, -1, gradient);
    double curvature = wf_scheme_dot(head, taken, change);
    /* A pair of no positive curvature would make the matrix indefinite. */
    if (curvature > 1e-12 * sqrt(wf_scheme_dot(head, taken, taken) * wf_scheme_dot(head, change, change))) {
        self->over[slot] = 1 / curvature;
        self->newest = slot;
        self->pairs = self->pairs < MEMORY ? self->pairs + 1 : MEMORY;
    } else {
        self->pairs = 0; /* the slot may have been the oldest pair's */
    }
}

/* Goes along the direction as far as the gradient allows: the work against it over the step, by the trapezoidal rule,
 * must be negative. That needs no potential, which contact's drag does not have. Writes trial and its gradient. */
static wf_status search(problem *p, const double *x, const double *gradient, const double *direction, double *trial,
                        double *trial_gradient, bool *found)
{
    wf_integrator *head = &p->self->head;
    double slope = wf_scheme_dot(head, gradient, direction), length = 1;
    if (p->system->max_step) {
        length = p->system->max_step(p->system->user, x, direction);
    }
    *found = false;
    for (int halving = 0; slope < 0 && halving < HALVINGS && !*found; halving++, length *= 0.5) {
        wf_scheme_sum(head, trial, x, length, direction);
        wf_status status = gradient_at(p, trial, trial_gradient);
        if (status != WF_OK) {
            return status;
        }
        *found = wf_scheme_dot(head, trial_gradient, direction) <= -0.9998 * slope;
    }
    return WF_OK;
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

static wf_status iterate(problem *p, double *x)
{
    projective_dynamics *self = p->self;
    wf_integrator *head = &self->head;
    double *gradient = head->vectors[GRADIENT], *trial_gradient = head->vectors[TRIAL_GRADIENT];
    double *direction = head->vectors[DIRECTION], *trial = head->vectors[TRIAL];
    self->pairs = 0;
    wf_status status = gradient_at(p, x, gradient);
    for (int32_t iteration = 0; status == WF_OK && iteration < head->params.iterations; iteration++) {
        double residual = sqrt(wf_scheme_dot(head, gradient, gradient));
        if (residual <= head->params.newton_tolerance * p->size) {
            break;
        }
        head->work.newton_iterations++;
        find_direction(p, gradient, direction);
        bool found;
        status = search(p, x, gradient, direction, trial, trial_gradient, &found);
        if (status != WF_OK || (!found && self->pairs == 0)) {
            break;
        }
        if (!found) {
            self->pairs = 0; /* once more with the constant matrix alone */
            continue;
        }
        remember(self, x, trial, gradient, trial_gradient);
        memcpy(x, trial, head->size * sizeof *x);
        memcpy(gradient, trial_gradient, head->size * sizeof *gradient);
    }
    return status;
}

static wf_status step(wf_integrator *integrator, const wf_system *system, double t, double h, const double *x,
                      const double *v, double *x1, double *v1)
{
    projective_dynamics *self = (projective_dynamics *)integrator;
    wf_status status = wf_elements_check(integrator, system);
    if (status == WF_OK) {
        status = wf_constant_matrix_prepare(integrator, &self->matrix, system, h);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t k = 0; k < CHANGES + MEMORY; k++) {
        if (!wf_scheme_vector(integrator, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    double *target = integrator->vectors[TARGET];
    problem p = {.self = self, .system = system, .t = t, .h = h, .x0 = x, .v = integrator->vectors[VELOCITY],
                 .force = integrator->vectors[FORCE], .target = target};
    wf_elements_predict(system, h, (const wf_vec3 *)x, (const wf_vec3 *)v, (wf_vec3 *)x1);
    wf_scheme_sum(integrator, target, x, h, v);
    status = wf_constant_matrix_touch(integrator, &self->matrix, system->elements, h, (const wf_vec3 *)x,
                                      (const wf_vec3 *)x1);
    if (status == WF_OK) {
        const wf_past past = {.count = 1, .weight = {1}, .x = {x}, .span = h};
        status = wf_scheme_set_past(system, &past);
        status = status == WF_OK ? iterate(&p, x1) : status;
        wf_scheme_set_past(system, NULL);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < integrator->size; i++) {
        v1[i] = system->prescribed && system->prescribed[i] ? v[i] : (x1[i] - x[i]) / h;
    }
    return WF_OK;
}

const wf_integrator_class wf_scheme_projective_dynamics = {
    .name = "projective dynamics",
    .describes = "backward Euler by quasi-Newton steps with one prefactored matrix",
    .order = 1,
    .implicit = true,
    .needs_elements = true,
    .instance_size = sizeof(projective_dynamics),
    .create = create,
    .step = step,
    .destroy = destroy,
};
