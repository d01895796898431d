/* friction.h - Coulomb's coefficients of a pair, and what friction must not do to its angular momentum. */
#ifndef WEFT_CONTACT_FRICTION_H
#define WEFT_CONTACT_FRICTION_H

#include "base/vector.h"

typedef struct wf_friction {
    double dynamic; /* while the pair slides */
    double hold;    /* while it sticks: the static coefficient, not below the other */
} wf_friction;

/* Impulses +-f on two points that are a thickness apart are a couple, which two surfaces that rub on each other do not
 * feel: f acts on both in one place. Takes it from the four vertices of a pair at x: subtracts the turn of them as one
 * rigid body that carries the angular momentum `couple` (kg m^2, times what the shifts are, over the time that they
 * take), from `shift`, the displacements of the impulses. Nothing happens where a vertex has no inverse mass, since a
 * pair with a body is not alone, or all lie on a line. */
void wf_take_couple(const wf_vec3 x[4], const double inverse_mass[4], wf_vec3 couple, wf_vec3 shift[4]);

#endif
