/* integrator.c - the table of schemes, and the life of an integrator. */
#include "step/integrator.h"

#include <math.h>
#include <string.h>

#include "base/nearest_name.h"
#include "step/scheme.h"

/* Every scheme there is, in the order in which users are shown them. */
#define SCHEMES(X) \
    X(forward_euler) \
    X(symplectic_euler) \
    X(explicit_midpoint) \
    X(rk4) \
    X(cash_karp) \
    X(runge_kutta) \
    X(verlet) \
    X(verlet_averaged) \
    X(backward_euler) \
    X(implicit_midpoint) \
    X(trapezoid) \
    X(alpha) \
    X(bdf2) \
    X(alpha_bdf2) \
    X(bdf3) \
    X(bdf4) \
    X(imex_euler) \
    X(imex_bdf2) \
    X(linear_filter) \
    X(kang) \
    X(xpbd) \
    X(projective_dynamics) \
    X(vertex_block_descent)

#define DECLARE(name) extern const wf_integrator_class wf_scheme_##name;
SCHEMES(DECLARE)
#define REFER(name) &wf_scheme_##name,
static const wf_integrator_class *const classes[] = {SCHEMES(REFER)};

enum { CLASS_COUNT = sizeof classes / sizeof *classes };

const wf_integrator_class *const *wf_integrator_classes(size_t *count)
{
    *count = CLASS_COUNT;
    return classes;
}

const char *const wf_newton_names[] = {"default", "linear", "full", "inexact", "simplified", "corrected", NULL};

wf_integrator_params wf_default_integrator_params(void)
{
    return (wf_integrator_params){.alpha = NAN,
                                  .newton_tolerance = 1e-9,
                                  .newton_iterations = 200,
                                  .linear_tolerance = 1e-10,
                                  .forcing = 0.02,
                                  .line_search = true,
                                  .extrapolate = true,
                                  .step_control = true,
                                  .easy_iterations = 3,
                                  .iterations = -1,
                                  .relative_tolerance = 1e-6,
                                  .absolute_tolerance = 1e-9};
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

typedef struct limit {
    const char *name;
    double value, least, most;
} limit;

static wf_status check_params(wf_context *context, const wf_integrator_class *class, const wf_integrator_params *p)
{
    const limit limits[] = {{"newton", p->newton, 0, WF_NEWTON_CORRECTED},
                            {"linearisation", p->linearisation, 0, WF_LINEARISE_EXACT},
                            {"newton_tolerance", p->newton_tolerance, 0, 1},
                            {"newton_iterations", p->newton_iterations, 1, 1e6},
                            {"linear_tolerance", p->linear_tolerance, 0, 1},
                            {"forcing", p->forcing, 0, 1},
                            {"easy_iterations", p->easy_iterations, 0, 1e6},
                            {"relative_tolerance", p->relative_tolerance, 0, 1},
                            {"absolute_tolerance", p->absolute_tolerance, 0, 1e300},
                            {"first_step", p->first_step, 0, 1e300},
                            {"smallest_step", p->smallest_step, 0, 1e300},
                            {"iterations", p->iterations, -1, 1e6},
                            {"substeps", p->substeps, 0, 1e6}};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const limit *l = &limits[k];
        if (!(l->value >= l->least && l->value <= l->most)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s: %s must be from %g to %g, got %g", class->name, l->name,
                           l->least, l->most, l->value);
        }
    }
    if (p->relative_tolerance == 0 && p->absolute_tolerance == 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s: relative_tolerance and absolute_tolerance must not both be 0",
                       class->name);
    }
    if (!isnan(p->alpha) && !(p->alpha >= 0 && p->alpha <= 1)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s: alpha must be from 0 to 1, got %g", class->name, p->alpha);
    }
    return WF_OK;
}

static wf_status find_class(wf_context *context, const char *name, const wf_integrator_class **class)
{
    const char *names[CLASS_COUNT + 1] = {0};
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        if (strcmp(classes[k]->name, name) == 0) {
            *class = classes[k];
            return WF_OK;
        }
        names[k] = classes[k]->name;
    }
    const char *nearest = wf_nearest_name(name, names);
    return nearest
               ? wf_fail(context, WF_ERROR_ARGUMENT, "there is no scheme '%.60s'; did you mean '%s'?", name, nearest)
               : wf_fail(context, WF_ERROR_ARGUMENT, "there is no scheme '%.60s'", name);
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

wf_status wf_integrator_create(wf_context *context, const char *name, const wf_integrator_params *params,
                               wf_integrator **integrator)
{
    const wf_integrator_class *class = NULL;
    *integrator = NULL;
    wf_status status = find_class(context, name, &class);
    if (status == WF_OK) {
        status = check_params(context, class, params);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_integrator *self =
        wf_allocate(context, 1, class->instance_size ? class->instance_size : sizeof(wf_integrator));
    if (!self) {
        return WF_ERROR_MEMORY;
    }
    self->class = class;
    self->context = context;
    self->params = *params;
    self->implicit = class->implicit;
    self->estimates_error = class->estimates_error;
    if (params->newton == WF_NEWTON_DEFAULT) {
        self->params.newton = class->newton;
    }
    if (isnan(params->alpha)) {
        self->params.alpha = class->alpha;
    }
    if (class->create) {
        status = class->create(self);
    }
    self->params.tableau = NULL; /* whoever uses these has made its own of them */
    self->params.form = NULL;
    if (status != WF_OK) {
        wf_integrator_destroy(self);
        return status;
    }
    *integrator = self;
    return WF_OK;
}

void wf_scheme_free_vectors(wf_integrator *self)
{
    for (size_t k = 0; k < sizeof self->vectors / sizeof *self->vectors; k++) {
        wf_free(self->context, self->vectors[k]);
        self->vectors[k] = NULL;
    }
}

static void free_kept(wf_integrator *self)
{
    for (size_t k = 0; k < WF_MEMORY_VECTORS; k++) {
        wf_free(self->context, self->kept.vectors[k]);
        self->kept.vectors[k] = NULL;
    }
    wf_history_free(self->context, &self->kept.history);
    self->kept.has = false;
}

void wf_integrator_destroy(wf_integrator *self)
{
    if (!self) {
        return;
    }
    if (self->class->destroy) {
        self->class->destroy(self);
    }
    wf_scheme_free_vectors(self);
    free_kept(self);
    wf_history_free(self->context, &self->history);
    wf_free(self->context, self);
}

void wf_integrator_restart(wf_integrator *self)
{
    wf_history_clear(&self->history);
    self->memory = (wf_memory){0};
}

void wf_integrator_forget_matrix(wf_integrator *self)
{
    self->memory.frozen = false;
}

wf_status wf_integrator_keep(wf_integrator *self)
{
    if (self->kept.size != self->size) {
        free_kept(self);
        self->kept.size = self->size;
    }
    self->kept.has = false;
    wf_status status = wf_history_copy(self->context, &self->history, &self->kept.history);
    for (size_t k = 0; status == WF_OK && self->memory.known && k < self->class->memory_vectors; k++) {
        double **kept = &self->kept.vectors[k];
        *kept = *kept ? *kept : wf_allocate(self->context, self->size, sizeof **kept);
        if (!*kept) {
            return WF_ERROR_MEMORY;
        }
        memcpy(*kept, self->vectors[k], self->size * sizeof **kept);
    }
    self->kept.memory = self->memory;
    self->kept.has = status == WF_OK;
    return status;
}

/* Whether the vectors are no longer those of which a copy was kept: the step was of a system of another size, which
 * begins afresh, as would the next one. */
static bool outgrown(const wf_integrator *self)
{
    bool other = self->size != self->kept.size;
    for (size_t k = 0; self->kept.memory.known && k < self->class->memory_vectors; k++) {
        other = other || !self->vectors[k];
    }
    return other;
}

void wf_integrator_let_go(wf_integrator *self, bool back)
{
    if (self->kept.has && back) {
        /* At the same size there is room for what was held, and the copy allocates nothing. */
        if (outgrown(self) || wf_history_copy(self->context, &self->kept.history, &self->history) != WF_OK) {
            wf_integrator_restart(self);
        } else {
            self->memory = self->kept.memory;
            for (size_t k = 0; self->memory.known && k < self->class->memory_vectors; k++) {
                memcpy(self->vectors[k], self->kept.vectors[k], self->size * sizeof *self->vectors[k]);
            }
        }
    }
    self->kept.has = false;
}

void wf_integrator_touch(wf_integrator *self, const uint8_t *touched, const double *from_x, const double *from_v,
                         const double *x, const double *v)
{
    wf_history_touch(&self->history, touched, from_x, from_v, x, v);
}

/* ---- what users read ------------------------------------------------------------------------------------------- */

wf_integrator_work wf_integrator_get_work(const wf_integrator *self)
{
    return self->work;
}

wf_integrator_params wf_integrator_get_params(const wf_integrator *self)
{
    return self->params;
}

const wf_newton_record *wf_integrator_newton_records(const wf_integrator *self, size_t *count)
{
    *count = self->record_count;
    return self->records;
}

const wf_integrator_class *wf_integrator_get_class(const wf_integrator *self)
{
    return self->class;
}
