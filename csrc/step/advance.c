/* advance.c - the steps of an integrator: checks, history and step control around one step of its scheme. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "step/scheme.h"

/* Steps that one call may try. */
enum { LARGEST_TRIES = 10000000 };

static wf_status check_system(wf_integrator *self, const wf_system *system)
{
    const wf_integrator_class *class = self->class;
    const char *missing = NULL;
    if (!system->forces) {
        missing = "forces";
    } else if (class->needs_elements && !system->elements) {
        missing = "elements";
    } else if (class->needs_stiff_forces && !system->stiff_forces) {
        missing = "a stiff part of the forces";
    } else if (self->implicit && !(system->multiply_mass && system->linearise && system->solve)) {
        missing = "a mass, a linearisation and a solver";
    } else if (self->implicit && wf_scheme_expands(self) && !system->linear_in_velocity && !system->multiply) {
        missing = "products with its matrix";
    } else if (!system->divide_mass && !class->needs_elements &&
               (class->needs_accelerations || !self->implicit || !wf_scheme_expands(self) ||
                self->params.newton == WF_NEWTON_CORRECTED)) {
        missing = "an inverse mass";
    }
    return missing ? wf_fail(self->context, WF_ERROR_ARGUMENT, "%s needs a system with %s", class->name, missing)
                   : WF_OK;
}

static wf_status check_call(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                            const double *v)
{
    if (!(h > 0) || !isfinite(h)) {
        return wf_fail(self->context, WF_ERROR_ARGUMENT, "%s: the step must be a positive number of seconds, got %g",
                       self->class->name, h);
    }
    if (!isfinite(t)) {
        return wf_fail(self->context, WF_ERROR_ARGUMENT, "%s: the time must be finite, got %g", self->class->name, t);
    }
    if (!wf_all_finite(x, system->size) || !wf_all_finite(v, system->size)) {
        return wf_fail(self->context, WF_ERROR_NUMERIC, "%s: the state is not finite", self->class->name);
    }
    return check_system(self, system);
}

static void fit_size(wf_integrator *self, size_t size)
{
    if (self->size != size) {
        wf_scheme_free_vectors(self);
        wf_integrator_restart(self);
        self->size = size;
    }
}

/* How many earlier states to keep: what the scheme needs, and for extrapolated start values one. */
static int history_limit(const wf_integrator *self)
{
    bool extrapolates = self->implicit && self->params.extrapolate && !wf_scheme_is_linear(self);
    return self->class->history == 0 && extrapolates ? 1 : self->class->history;
}

static void move_prescribed(const wf_system *system, double h, const double *x, const double *v, double *x1,
                            double *v1)
{
    for (size_t i = 0; system->prescribed && i < system->size; i++) {
        if (system->prescribed[i]) {
            x1[i] = x[i] + h * v[i];
            v1[i] = v[i];
        }
    }
}

/* One step of the scheme, and what every scheme owes: exact prescribed motion, what the system imposes, finite
 * values. */
static wf_status try_step(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                          const double *v, double *x1, double *v1)
{
    double ratio = self->class->largest_ratio;
    if (ratio > 0 && self->history.count > 0 && h > ratio * self->history.age[0] * (1 + 1e-12)) {
        wf_history_clear(&self->history);
    }
    self->newton_in_step = 0;
    self->diverged = false;
    self->error = 0;
    wf_status status = self->class->step(self, system, t, h, x, v, x1, v1);
    if (status != WF_OK) {
        return status;
    }
    move_prescribed(system, h, x, v, x1, v1);
    status = system->correct ? system->correct(system->user, h, x, x1, v1) : WF_OK;
    if (status != WF_OK) {
        return status;
    }
    if (!wf_all_finite(x1, system->size) || !wf_all_finite(v1, system->size)) {
        return wf_fail(self->context, WF_ERROR_NUMERIC, "%s: the state after a step of %g s is not finite",
                       self->class->name, h);
    }
    return WF_OK;
}

/* The step just tried becomes the past. */
static wf_status commit(wf_integrator *self, double h, const double *x, const double *v)
{
    self->work.steps++;
    self->work.last_step = h;
    return wf_history_push(self->context, &self->history, history_limit(self), self->size, x, v, h);
}

/* ---- step control ---------------------------------------------------------------------------------------------- */

/* The factor by which the next step should differ. Error estimates: 0.9 (1 / error)^(1 / order), the order of the
 * estimate's local error after success and one less after failure (Press et al. 1992). Newton's method: half after
 * failure, double when that was easy. */
static double step_factor(const wf_integrator *self, wf_status status)
{
    if (!self->estimates_error || status != WF_OK) {
        if (status != WF_OK) {
            return 0.5;
        }
        return self->newton_in_step <= self->params.easy_iterations ? 2 : 1;
    }
    double order = self->estimate_order + (self->error <= 1 ? 1 : 0);
    double factor = self->error > 0 ? 0.9 * pow(self->error, -1 / order) : 5;
    return self->error <= 1 ? fmin(fmax(factor, 0.2), 5) : fmin(fmax(factor, 0.1), 0.9);
}

/* What is left of a step, cut into equal parts no longer than `most`, so that no sliver remains at its end. Parts that
 * no sum of times could hold are longer. */
static double next_part(double left, double most)
{
    most = fmax(most, 0x1p-50 * left);
    return left <= most ? left : left / ceil(left / most - 1e-9);
}

static double smallest_step(const wf_integrator *self, double h)
{
    if (self->params.smallest_step > 0) {
        return fmin(self->params.smallest_step, h);
    }
    double first = self->params.first_step > 0 ? fmin(self->params.first_step, h) : h;
    return first * (self->estimates_error ? 1e-9 : 1e-3);
}

static wf_status controlled_steps(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                                  const double *v, double *x1, double *v1)
{
    const size_t bytes = self->size * sizeof(double);
    double *start_x = wf_scheme_vector(self, WF_STATE_VECTOR);
    double *start_v = wf_scheme_vector(self, WF_STATE_VECTOR + 1);
    if (!start_x || !start_v) {
        return WF_ERROR_MEMORY;
    }
    memcpy(start_x, x, bytes);
    memcpy(start_v, v, bytes);
    if (!(self->memory.controlled_step > 0)) {
        self->memory.controlled_step = self->params.first_step > 0 ? self->params.first_step : h;
    }
    double least = smallest_step(self, h), done = 0;
    for (int tries = 0; tries < LARGEST_TRIES; tries++) {
        double part = next_part(h - done, self->memory.controlled_step);
        bool last = part == h - done;
        wf_status status = try_step(self, system, t + done, part, start_x, start_v, x1, v1);
        if (status != WF_OK && status != WF_ERROR_NUMERIC) {
            return status;
        }
        self->memory.controlled_step = part * step_factor(self, status);
        if (status == WF_OK && self->error <= 1) {
            status = commit(self, part, start_x, start_v);
            if (status != WF_OK || last) {
                return status;
            }
            memcpy(start_x, x1, bytes);
            memcpy(start_v, v1, bytes);
            done += part;
            continue;
        }
        self->work.rejected++;
        if (self->memory.controlled_step < least) {
            return status != WF_OK ? status
                                   : wf_fail(self->context, WF_ERROR_NUMERIC,
                                             "%s: a step of %g s is still too inaccurate at time %g", self->class->name,
                                             part, t + done);
        }
    }
    return wf_fail(self->context, WF_ERROR_LIMIT, "%s: %d steps did not reach the end of a step of %g s",
                   self->class->name, LARGEST_TRIES, h);
}

wf_status wf_integrator_step(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                             const double *v, double *x1, double *v1)
{
    wf_status status = check_call(self, system, t, h, x, v);
    if (status != WF_OK || system->size == 0) {
        return status;
    }
    fit_size(self, system->size);
    bool iterates = self->implicit && !wf_scheme_is_linear(self);
    bool controlled = self->estimates_error || (self->params.step_control && iterates);
    if (!controlled) {
        status = try_step(self, system, t, h, x, v, x1, v1);
        return status == WF_OK ? commit(self, h, x, v) : status;
    }
    int64_t before = self->work.steps;
    double step_before = self->memory.controlled_step;
    status = controlled_steps(self, system, t, h, x, v, x1, v1);
    if (status != WF_OK) {
        self->memory.controlled_step = step_before;
    } else if (!self->estimates_error && self->memory.controlled_step >= h) {
        self->memory.controlled_step = INFINITY; /* nothing is cut any more, whatever step comes next */
    }
    if (status == WF_OK) {
        move_prescribed(system, h, x, v, x1, v1); /* free of the rounding of many substeps */
    } else if (self->work.steps > before) {
        wf_integrator_restart(self);
    }
    return status;
}
