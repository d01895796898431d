/* friction.h - Coulomb's coefficients of a pair, and friction that leaves its angular momentum alone. */
#ifndef WEFT_CONTACT_FRICTION_H
#define WEFT_CONTACT_FRICTION_H

#include "base/vector.h"

typedef struct wf_friction {
    double dynamic; /* while the pair slides */
    double hold;    /* while it sticks: the static coefficient, not below the other */
} wf_friction;

/* A pair of primitives that rub on each other. The two points nearest to each other are a contact distance apart, and
 * friction on just these would be a couple, which surfaces that touch in one place do not feel; and points that turn
 * about each other without rubbing would seem to slide. So friction sees the slide as one who turns with the pair does,
 * less W x gap, where W is the turning of its four vertices as one rigid body. What W does to the slide, a force does
 * to the vertices (virtual work): it takes from them the turning that its couple would give, and stops no rolling. */
typedef struct wf_rubbing {
    double weight[4], inverse_mass[4];
    wf_vec3 arm[4];      /* m, from the centre of mass */
    wf_vec3 gap;         /* m, from the second primitive's point to the first's */
    wf_mat3 inverse;     /* of the inertia, 1/(kg m^2); 0 where the pair is not alone or nearly a line: then it does not
                            turn */
} wf_rubbing;

/* x: the four vertices. A vertex without inverse mass ties the pair to what is outside. */
wf_rubbing wf_rubbing_of(const wf_vec3 x[4], const double weight[4], const double inverse_mass[4]);

/* Whether it turns at all. */
static inline bool wf_rubbing_turns(const wf_rubbing *pair)
{
    return pair->inverse.m[0][0] > 0;
}

/* How the first side goes along the second when the vertices go the ways `way`, in the pair's turning frame. */
wf_vec3 wf_rubbing_slide(const wf_rubbing *pair, const wf_vec3 way[4]);

/* slide = sum of share_k way_k; a force f on the slide is share_k^T f on each vertex. */
void wf_rubbing_shares(const wf_rubbing *pair, wf_mat3 share[4]);

/* How far a unit impulse in the direction (unit) moves the sides against each other in that frame, 1/kg. */
double wf_rubbing_mobility(const wf_rubbing *pair, wf_vec3 direction);

/* The displacements of the vertices by an impulse on the first side and its opposite on the second. */
void wf_rubbing_shifts(const wf_rubbing *pair, wf_vec3 impulse, wf_vec3 shift[4]);

#endif
