/* mobility.h - how readily an impulse on a pair opens it. */
#ifndef WEFT_CONTACT_MOBILITY_H
#define WEFT_CONTACT_MOBILITY_H

#include <math.h>

/* Of the closest points: corners that have less are too short a lever. A gap that is to open by what they do alone, the
 * other corners being held, would throw them a hundred times as far; where a pinned corner touches, and rounding leaves
 * its neighbour a weight of 1e-13, by kilometres. */
#define WF_BEARING_WEIGHT 0.01

/* 1/kg: how far a unit impulse times the step moves the two points apart; 0 where nothing that can move bears. */
static inline double wf_pair_mobility(int count, const double *weight, const double *inverse_mass)
{
    double sum = 0, lever = 0;
    for (int k = 0; k < count; k++) {
        sum += weight[k] * weight[k] * inverse_mass[k];
        lever = inverse_mass[k] > 0 ? fmax(lever, fabs(weight[k])) : lever;
    }
    return lever > WF_BEARING_WEIGHT ? sum : 0;
}

#endif
