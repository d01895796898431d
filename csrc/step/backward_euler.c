/* backward_euler.c - see backward_euler.h. */
#include "step/backward_euler.h"

#include <string.h>

wf_status wf_backward_euler_step(const wf_system *system, double h, const double *x, const double *v, double *x1,
                                 double *v1, double *force, double *right_hand_side)
{
    /* The damping forces are linear in v and enter through D; so the explicit part is taken at rest. */
    memset(right_hand_side, 0, system->size * sizeof *right_hand_side);
    wf_status status = system->forces(system->user, 0, x, right_hand_side, force);
    if (status != WF_OK) {
        return status;
    }
    system->multiply_mass(system->user, v, right_hand_side);
    for (size_t i = 0; i < system->size; i++) {
        right_hand_side[i] += h * force[i];
    }
    status = system->linearise(system->user, 0, x, v, WF_LINEARISE_DEFINITE, h * h, h);
    if (status != WF_OK) {
        return status;
    }
    wf_solve_work work = {0};
    status = system->solve(system->user, right_hand_side, v1, 0, &work);
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < system->size; i++) {
        x1[i] = x[i] + h * v1[i];
    }
    return WF_OK;
}
