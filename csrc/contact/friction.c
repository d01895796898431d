/* friction.c - see friction.h. */
#include "contact/friction.h"

#include "solve/definite.h"

void wf_take_couple(const wf_vec3 x[4], const double inverse_mass[4], wf_vec3 couple, wf_vec3 shift[4])
{
    wf_vec3 centre = {0, 0, 0}, arm[4];
    double mass = 0, square = 0;
    for (int k = 0; k < 4; k++) {
        if (!(inverse_mass[k] > 0)) {
            return;
        }
        mass += 1 / inverse_mass[k];
        centre = wf_vec3_muladds(centre, wf_vec3_sub(x[k], x[0]), 1 / inverse_mass[k]);
    }
    centre = wf_vec3_muladds(x[0], centre, 1 / mass);
    wf_mat3 inertia = {{{0}}}, inverse;
    for (int k = 0; k < 4; k++) {
        arm[k] = wf_vec3_sub(x[k], centre);
        double arm2 = wf_vec3_norm2(arm[k]), m = 1 / inverse_mass[k];
        inertia = wf_mat3_muladds(inertia, wf_mat3_identity_plus_outer(arm2, -1, arm[k], arm[k]), m);
        square += m * arm2;
    }
    /* Nearly on a line they would spin. */
    if (!wf_invert_definite(&inertia, &inverse) ||
        wf_vec3_norm(wf_mat3_mulv(inverse, couple)) * square > 1e3 * wf_vec3_norm(couple)) {
        return;
    }
    wf_vec3 turn = wf_mat3_mulv(inverse, couple);
    for (int k = 0; k < 4; k++) {
        shift[k] = wf_vec3_sub(shift[k], wf_vec3_cross(turn, arm[k]));
    }
}
