/* mass.h - volume, centre and inertia of closed surfaces. */
#ifndef WEFT_BODY_MASS_H
#define WEFT_BODY_MASS_H

#include "base/rotation.h"

/* Of a body of density 1. */
typedef struct wf_mass_properties {
    double volume;     /* m^3 */
    wf_vec3 centre;    /* of mass, m */
    wf_vec3 moments;   /* principal moments about the centre, m^5 */
    wf_rotation axes;  /* which turns the frame into the principal axes */
} wf_mass_properties;

/* Of the space inside a closed surface with its faces counter-clockwise seen from outside; exact but for rounding. The
 * volume is negative where the surface is inside out; the rest means nothing then. */
wf_mass_properties wf_mass_of_surface(int32_t face_count, const int32_t (*faces)[3], const wf_vec3 *positions);

#endif
