/* friction.h - Coulomb's coefficients of a pair. */
#ifndef WEFT_CONTACT_FRICTION_H
#define WEFT_CONTACT_FRICTION_H

typedef struct wf_friction {
    double dynamic; /* while the pair slides */
    double hold;    /* while it sticks: the static coefficient, not below the other */
} wf_friction;

#endif
