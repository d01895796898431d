/* angle_law.h - the law of an angle that is measured as the sum s of two unit vectors; see angle_springs.c. */
#ifndef WEFT_MODEL_ANGLE_LAW_H
#define WEFT_MODEL_ANGLE_LAW_H

#include "model/strain.h"

typedef struct wf_angle_material {
    double modulus;
} wf_angle_material;

/* 1/2 modulus a^2 of the three components of s, |s| = 2 sin(a / 2). */
extern const wf_stress_law wf_angle_law;

#endif
