/* friction.c - see friction.h. */
#include "contact/friction.h"

#include "solve/definite.h"

/* Vertices so near to a line that a couple about it would spin them faster than this, in units of that about any other
 * axis, do not turn. */
#define LARGEST_SPIN 1e3

static wf_mat3 inverse_inertia(const wf_rubbing *pair)
{
    wf_mat3 inertia = {{{0}}}, inverse;
    double square = 0;
    for (int k = 0; k < 4; k++) {
        double arm2 = wf_vec3_norm2(pair->arm[k]), mass = 1 / pair->inverse_mass[k];
        inertia = wf_mat3_muladds(inertia, wf_mat3_identity_plus_outer(arm2, -1, pair->arm[k], pair->arm[k]), mass);
        square += mass * arm2;
    }
    if (!wf_invert_definite(&inertia, &inverse) ||
        (inverse.m[0][0] + inverse.m[1][1] + inverse.m[2][2]) * square > LARGEST_SPIN) {
        return (wf_mat3){{{0}}};
    }
    return inverse;
}

wf_rubbing wf_rubbing_of(const wf_vec3 x[4], const double weight[4], const double inverse_mass[4])
{
    wf_rubbing pair = {.gap = {0, 0, 0}};
    wf_vec3 centre = {0, 0, 0};
    double mass = 0;
    bool alone = true;
    for (int k = 0; k < 4; k++) {
        pair.weight[k] = weight[k];
        pair.inverse_mass[k] = inverse_mass[k];
        pair.arm[k] = wf_vec3_sub(x[k], x[0]);
        pair.gap = wf_vec3_muladds(pair.gap, pair.arm[k], weight[k]);
        alone = alone && inverse_mass[k] > 0;
        if (alone) {
            mass += 1 / inverse_mass[k];
            centre = wf_vec3_muladds(centre, pair.arm[k], 1 / inverse_mass[k]);
        }
    }
    if (alone) {
        for (int k = 0; k < 4; k++) {
            pair.arm[k] = wf_vec3_muladds(pair.arm[k], centre, -1 / mass);
        }
        pair.inverse = inverse_inertia(&pair);
    }
    return pair;
}

wf_vec3 wf_rubbing_slide(const wf_rubbing *pair, const wf_vec3 way[4])
{
    wf_vec3 slide = {0, 0, 0}, momentum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        slide = wf_vec3_muladds(slide, way[k], pair->weight[k]);
        if (pair->inverse_mass[k] > 0) {
            momentum = wf_vec3_muladds(momentum, wf_vec3_cross(pair->arm[k], way[k]), 1 / pair->inverse_mass[k]);
        }
    }
    return wf_vec3_sub(slide, wf_vec3_cross(wf_mat3_mulv(pair->inverse, momentum), pair->gap));
}

void wf_rubbing_shares(const wf_rubbing *pair, wf_mat3 share[4])
{
    for (int k = 0; k < 4; k++) {
        share[k] = wf_mat3_identity_plus_outer(pair->weight[k], 0, pair->gap, pair->gap);
        double mass = pair->inverse_mass[k] > 0 ? 1 / pair->inverse_mass[k] : 0;
        const wf_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int c = 0; c < 3; c++) {
            wf_vec3 turn = wf_mat3_mulv(pair->inverse, wf_vec3_cross(pair->arm[k], units[c]));
            wf_vec3 column = wf_vec3_scale(wf_vec3_cross(pair->gap, turn), mass);
            share[k].m[0][c] += column.x;
            share[k].m[1][c] += column.y;
            share[k].m[2][c] += column.z;
        }
    }
}

double wf_rubbing_mobility(const wf_rubbing *pair, wf_vec3 direction)
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) {
        mobility += pair->weight[k] * pair->weight[k] * pair->inverse_mass[k];
    }
    wf_vec3 couple = wf_vec3_cross(pair->gap, direction);
    return mobility - wf_vec3_dot(couple, wf_mat3_mulv(pair->inverse, couple));
}

void wf_rubbing_shifts(const wf_rubbing *pair, wf_vec3 impulse, wf_vec3 shift[4])
{
    wf_vec3 turn = wf_mat3_mulv(pair->inverse, wf_vec3_cross(pair->gap, impulse));
    for (int k = 0; k < 4; k++) {
        shift[k] = wf_vec3_sub(wf_vec3_scale(impulse, pair->weight[k] * pair->inverse_mass[k]),
                               wf_vec3_cross(turn, pair->arm[k]));
    }
}
