/* scheme.c - see scheme.h. */
#include "step/scheme.h"

#include <math.h>

#include "base/finite.h"

double *wf_scheme_vector(wf_integrator *self, size_t index)
{
    if (!self->vectors[index]) {
        self->vectors[index] = wf_allocate(self->context, self->size, sizeof(double));
    }
    return self->vectors[index];
}

static wf_status check_finite(wf_integrator *self, const double *force)
{
    if (wf_all_finite(force, self->size)) {
        return WF_OK;
    }
    size_t i = 0;
    while (isfinite(force[i])) {
        i++;
    }
    return wf_fail(self->context, WF_ERROR_NUMERIC, "%s: the force on component %zu is %s%s", self->class->name, i + 1,
                   isnan(force[i]) ? "not a number" : "infinite",
                   self->implicit ? "" : ": the motion has blown up; an explicit scheme needs shorter steps here");
}

wf_status wf_scheme_forces(wf_integrator *self, const wf_system *system, double t, const double *x, const double *v,
                           double *force)
{
    self->work.force_evaluations++;
    self->work.flops += system->flops.forces;
    wf_status status = system->forces(system->user, t, x, v, force);
    return status == WF_OK ? check_finite(self, force) : status;
}

wf_status wf_scheme_stiff_forces(wf_integrator *self, const wf_system *system, double t, const double *x,
                                 const double *v, double *force)
{
    if (!system->stiff_forces) {
        return wf_scheme_forces(self, system, t, x, v, force);
    }
    self->work.force_evaluations++;
    self->work.flops += system->flops.stiff_forces;
    wf_status status = system->stiff_forces(system->user, t, x, v, force);
    return status == WF_OK ? check_finite(self, force) : status;
}

wf_status wf_scheme_acceleration(wf_integrator *self, const wf_system *system, double t, const double *x,
                                 const double *v, double *force, double *acceleration)
{
    wf_status status = wf_scheme_forces(self, system, t, x, v, force);
    if (status == WF_OK) {
        wf_scheme_divide_mass(self, system, force, acceleration);
    }
    return status;
}

wf_status wf_scheme_energy(wf_integrator *self, const wf_system *system, double t, const double *x, double *energy)
{
    self->work.energy_evaluations++;
    self->work.flops += system->flops.energy;
    return system->energy(system->user, t, x, energy);
}

void wf_scheme_multiply_mass(wf_integrator *self, const wf_system *system, const double *v, double *y)
{
    self->work.flops += system->flops.multiply_mass;
    system->multiply_mass(system->user, v, y);
}

void wf_scheme_divide_mass(wf_integrator *self, const wf_system *system, const double *f, double *a)
{
    self->work.flops += system->flops.divide_mass;
    system->divide_mass(system->user, f, a);
}

wf_status wf_scheme_linearise(wf_integrator *self, const wf_system *system, double t, const double *x, const double *v,
                              wf_linearisation kind, double stiffness_scale, double damping_scale)
{
    self->work.linearisations++;
    self->work.flops += system->flops.linearise;
    self->memory.frozen = false; /* whoever keeps the matrix says so afterwards */
    return system->linearise(system->user, t, x, v, kind, stiffness_scale, damping_scale);
}

void wf_scheme_multiply(wf_integrator *self, const wf_system *system, const double *v, double *y)
{
    self->work.products++;
    self->work.flops += system->flops.multiply;
    system->multiply(system->user, v, y);
}

wf_status wf_scheme_solve(wf_integrator *self, const wf_system *system, const double *b, double *v, double tolerance,
                          double *residual)
{
    wf_solve_work work = {0};
    wf_status status = system->solve(system->user, b, v, tolerance, &work);
    self->work.solves++;
    self->work.solver_iterations += work.iterations;
    self->work.products += work.products;
    self->work.flops += work.flops;
    if (residual) {
        *residual = work.residual;
    }
    return status;
}
