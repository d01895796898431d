/* scheme.h - what a time integration scheme is made of; for those who write one.
 *
 * A scheme is a file with a wf_integrator_class in it and one line in the table of integrator.c. advance.c checks
 * arguments, keeps the history, controls the step and tests the result for finite values; the class only makes one
 * step:
 *
 *     static wf_status step(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
 *                           const double *v, double *x1, double *v1)
 *     {
 *         double *force = wf_scheme_vector(self, 0), *acceleration = wf_scheme_vector(self, 1);
 *         if (!force || !acceleration) { return WF_ERROR_MEMORY; }
 *         wf_status status = wf_scheme_acceleration(self, system, t, x, v, force, acceleration);
 *         if (status != WF_OK) { return status; }
 *         wf_scheme_sum(self, x1, x, h, v);
 *         wf_scheme_sum(self, v1, v, h, acceleration);
 *         return WF_OK;
 *     }
 *
 * A step must not change what the next one depends on before it is sure to succeed: step control tries again.
 */
#ifndef WEFT_STEP_SCHEME_H
#define WEFT_STEP_SCHEME_H

#include "step/history.h"
#include "step/integrator.h"

struct wf_integrator_class {
    const char *name;
    const char *describes; /* one sentence */
    int order;             /* of the error at a fixed time in (x, v); 0: depends on the parameters */
    bool implicit;         /* needs multiply_mass, linearise and solve; otherwise divide_mass */
    bool solves_for_end;   /* implicit, and the positions of its one stage are those of the end of the step */
    bool needs_elements, needs_stiff_forces;
    bool needs_accelerations; /* and divide_mass although it is implicit */
    bool partitioned;      /* takes positions and velocities in turn: y' = z y does not show its stability */
    bool estimates_error;  /* sets self->error, and its step is controlled by it */
    int history;           /* earlier states that a step uses, up to WF_HISTORY_STATES */
    size_t memory_vectors; /* scratch vectors, from 0 on, in which a step leaves what the next may use (wf_memory) */
    double largest_ratio;  /* of a step to the one before, beyond which history is forgotten; 0: none */
    wf_newton newton;      /* what WF_NEWTON_DEFAULT stands for */
    double alpha;          /* what NaN stands for */

    size_t instance_size;  /* of the scheme's own struct, whose first member is a wf_integrator; 0: that alone */

    /* All but `step` may be NULL. `create` checks the scheme's own parameters and makes its own data. */
    wf_status (*create)(wf_integrator *self);
    wf_status (*step)(wf_integrator *self, const wf_system *system, double t, double h, const double *x,
                      const double *v, double *x1, double *v1);
    void (*destroy)(wf_integrator *self); /* frees the scheme's own data, not self */
};

enum {
    WF_SCHEME_VECTORS = 40, /* scratch vectors that a class may use, from 0 */
    WF_STAGE_VECTORS = 7,   /* and that the implicit stage uses after them, */
    WF_STATE_VECTOR = WF_SCHEME_VECTORS + WF_STAGE_VECTORS, /* then the state within a divided step, */
    WF_ACCELERATION_VECTOR = WF_STATE_VECTOR + 2,           /* then what accelerates Newton's method */
    WF_VECTORS = WF_ACCELERATION_VECTOR + 22,
    WF_MEMORY_VECTORS = 3,
    WF_NEWTON_RECORDS = 64
};

/* What a step leaves for the next, with the history and the class's memory_vectors. Restarting clears it. */
typedef struct wf_memory {
    bool known; /* the class's vectors hold something, */
    double t;   /* s: of this time, where that matters */
    bool frozen; /* the system's matrix is the constant one of simplified Newton, for these scales */
    double frozen_stiffness, frozen_damping;
    double controlled_step; /* s: what step control would take next; 0: not yet known */
} wf_memory;

/* The head of every integrator. */
struct wf_integrator {
    const wf_integrator_class *class;
    wf_context *context;
    wf_integrator_params params; /* the scheme's defaults filled in */
    wf_integrator_work work;
    size_t size; /* of the system that the vectors are for */
    double *vectors[WF_VECTORS];
    wf_history history;
    wf_memory memory;
    struct {
        bool has;
        size_t size; /* of the vectors */
        wf_history history;
        wf_memory memory;
        double *vectors[WF_MEMORY_VECTORS];
    } kept; /* wf_integrator_keep */
    bool implicit, estimates_error; /* the class's; `create` may change them where they depend on the parameters */
    double error;       /* of the step just made, 1 where it is as large as the tolerance (estimates_error) */
    int estimate_order; /* the lower order of the two whose difference that is */

    bool diverged; /* Newton's method, not the system, in the implicit stage */
    wf_newton_record records[WF_NEWTON_RECORDS];
    size_t record_count;
    int64_t newton_in_step; /* iterations in this step */
};

/* A vector of self->size doubles, made when first asked for and kept until the size changes. Its content stays. NULL
 * (and the message) when there is no memory. */
double *wf_scheme_vector(wf_integrator *self, size_t index);
void wf_scheme_free_vectors(wf_integrator *self);

/* Whether the implicit stage takes a fixed number of linear solves and no iteration to a tolerance. */
static inline bool wf_scheme_is_linear(const wf_integrator *self)
{
    return self->params.newton == WF_NEWTON_LINEAR || self->params.newton == WF_NEWTON_CORRECTED;
}

/* Whether the implicit stage begins with a Taylor expansion. It costs an error of order h^3 a step: schemes of higher
 * order take one iteration of Newton's method from what they extrapolate instead, or two where there is no history. */
static inline bool wf_scheme_expands(const wf_integrator *self)
{
    return wf_scheme_is_linear(self) && (self->class->order == 1 || self->class->order == 2);
}

/* ---- counted calls of the system ------------------------------------------------------------------------------- */

/* Forces, checked to be finite: WF_ERROR_NUMERIC names the component. */
wf_status wf_scheme_forces(wf_integrator *self, const wf_system *system, double t, const double *x, const double *v,
                           double *force);
wf_status wf_scheme_stiff_forces(wf_integrator *self, const wf_system *system, double t, const double *x,
                                 const double *v, double *force);
wf_status wf_scheme_acceleration(wf_integrator *self, const wf_system *system, double t, const double *x,
                                 const double *v, double *force, double *acceleration);
wf_status wf_scheme_energy(wf_integrator *self, const wf_system *system, double t, const double *x, double *energy);
void wf_scheme_multiply_mass(wf_integrator *self, const wf_system *system, const double *v, double *y);
void wf_scheme_divide_mass(wf_integrator *self, const wf_system *system, const double *f, double *a);
wf_status wf_scheme_linearise(wf_integrator *self, const wf_system *system, double t, const double *x, const double *v,
                              wf_linearisation kind, double stiffness_scale, double damping_scale);
void wf_scheme_multiply(wf_integrator *self, const wf_system *system, const double *v, double *y);
wf_status wf_scheme_solve(wf_integrator *self, const wf_system *system, const double *b, double *v, double tolerance,
                          double *residual);

/* wf_system.set_past, where the system has it. Whoever sets a past must take it back with NULL. */
static inline wf_status wf_scheme_set_past(const wf_system *system, const wf_past *past)
{
    return system->set_past ? system->set_past(system->user, past) : WF_OK;
}

/* wf_system.expand, where the system has it. Likewise. */
static inline void wf_scheme_expand(const wf_system *system, const double *v)
{
    if (system->expand) {
        system->expand(system->user, v);
    }
}

/* Forward Euler's step, for schemes that become it. */
wf_status wf_scheme_step_forward_euler(wf_integrator *self, const wf_system *system, double t, double h,
                                       const double *x, const double *v, double *x1, double *v1);

/* ---- counted vector operations --------------------------------------------------------------------------------- */

/* y = x + s z; y may be x or z. 2 operations a component. */
static inline void wf_scheme_sum(wf_integrator *self, double *y, const double *x, double s, const double *z)
{
    size_t n = self->size;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] + s * z[i];
    }
    self->work.flops += 2.0 * (double)n;
}

/* y = p x + q z; y may be x or z. 3 operations a component. */
static inline void wf_scheme_combine(wf_integrator *self, double *y, double p, const double *x, double q,
                                     const double *z)
{
    size_t n = self->size;
    for (size_t i = 0; i < n; i++) {
        y[i] = p * x[i] + q * z[i];
    }
    self->work.flops += 3.0 * (double)n;
}

/* y = s x. 1 operation a component. */
static inline void wf_scheme_scale(wf_integrator *self, double *y, double s, const double *x)
{
    size_t n = self->size;
    for (size_t i = 0; i < n; i++) {
        y[i] = s * x[i];
    }
    self->work.flops += (double)n;
}

/* x . y, summed in order. 2 operations a component. */
static inline double wf_scheme_dot(wf_integrator *self, const double *x, const double *y)
{
    size_t n = self->size;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    self->work.flops += 2.0 * (double)n;
    return sum;
}

#endif
