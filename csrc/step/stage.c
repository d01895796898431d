/* stage.c - see stage.h. */
#include "step/stage.h"

#include <string.h>

#include "step/barrier_stage.h"
#include "step/newton.h"

void wf_stage_place(wf_integrator *self, const wf_system *system, const wf_stage *stage, const double *v, double *x)
{
    wf_scheme_sum(self, x, stage->a, stage->position_scale, v);
    if (system->prescribed) {
        for (size_t i = 0; i < self->size; i++) {
            if (system->prescribed[i]) {
                x[i] = stage->x0[i] + stage->elapsed * stage->v0[i];
            }
        }
    }
}

wf_status wf_stage_forces(wf_integrator *self, const wf_system *system, const wf_stage *stage, const double *x,
                          const double *v, double *force)
{
    return stage->stiff ? wf_scheme_stiff_forces(self, system, stage->t, x, v, force)
                        : wf_scheme_forces(self, system, stage->t, x, v, force);
}

/* What stands on the right of the linearly implicit step but for its forces: M b, or (M + force_scale D) b when the
 * forces are expanded about the velocity b. */
static wf_status start_right_hand_side(wf_integrator *self, const wf_system *system, const wf_stage *stage,
                                       wf_linearisation kind, double *right_hand_side)
{
    if (system->linear_in_velocity) {
        wf_scheme_multiply_mass(self, system, stage->b, right_hand_side);
        return WF_OK;
    }
    wf_status status = wf_scheme_linearise(self, system, stage->t, stage->a, stage->b, kind, 0, stage->force_scale);
    if (status == WF_OK) {
        wf_scheme_multiply(self, system, stage->b, right_hand_side);
    }
    return status;
}

/* With V = 0, X = a as the start (forces linear in the velocity)
 *     A V = M b + force_scale f(t, a, 0) + impulse
 * and with the expansion about (a, b)
 *     A V = (M + force_scale D) b + force_scale f(t, a, b) + impulse. */
static wf_status solve_linear(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v)
{
    double *right_hand_side = wf_scheme_vector(self, WF_SCHEME_VECTORS);
    if (!right_hand_side) {
        return WF_ERROR_MEMORY;
    }
    double *force = v; /* until the solve */
    const double *about = stage->b;
    if (system->linear_in_velocity) {
        memset(x, 0, self->size * sizeof *x); /* x is not needed yet: it serves as the velocity of rest */
        about = x;
    }
    wf_linearisation kind = stage->stiff ? WF_LINEARISE_STIFF : self->params.linearisation;
    wf_status status = wf_stage_forces(self, system, stage, stage->a, about, force);
    if (status == WF_OK) {
        status = start_right_hand_side(self, system, stage, kind, right_hand_side);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_scheme_sum(self, right_hand_side, right_hand_side, stage->force_scale, force);
    if (stage->impulse) {
        wf_scheme_sum(self, right_hand_side, right_hand_side, 1, stage->impulse);
    }
    status = wf_scheme_linearise(self, system, stage->t, stage->a, about, kind,
                                 stage->force_scale * stage->position_scale, stage->force_scale);
    if (status == WF_OK) {
        memcpy(v, stage->v0, self->size * sizeof *v);
        status = wf_scheme_solve(self, system, right_hand_side, v, 0, NULL);
    }
    if (status == WF_OK) {
        self->work.newton_iterations++;
        self->newton_in_step++;
        wf_stage_place(self, system, stage, v, x);
    }
    return status;
}

wf_status wf_stage_solve(wf_integrator *self, const wf_system *system, const wf_stage *stage, double *x, double *v)
{
    self->diverged = false;
    self->record_count = 0;
    if (system->barrier) {
        return wf_barrier_stage_solve(self, system, stage, x, v);
    }
    if (wf_scheme_expands(self)) {
        wf_scheme_expand(system, stage->v0);
        wf_status status = solve_linear(self, system, stage, x, v);
        wf_scheme_expand(system, NULL);
        bool corrects = status == WF_OK && self->params.newton == WF_NEWTON_CORRECTED;
        return corrects ? wf_newton_correct(self, system, stage, x, v) : status;
    }
    return wf_newton_solve(self, system, stage, x, v);
}
