/* angle_law.h - the angle between two arms, measured as the sum s of their unit vectors; see angle_springs.c. */
#ifndef WEFT_MODEL_ANGLE_LAW_H
#define WEFT_MODEL_ANGLE_LAW_H

#include "model/strain.h"

enum { WF_ANGLE_NODES = 4 }; /* at most */

/* share[side][i]: what node i adds to an arm, in all nothing. */
typedef double wf_arm_shares[2][WF_ANGLE_NODES];

/* The three components of s and what a measure has of them (strain.h). */
void wf_angle_strains(int nodes, const wf_arm_shares share, const wf_vec3 *x, double *strain, wf_vec3 *gradient);
void wf_angle_add_curvature(int nodes, const wf_arm_shares share, const wf_vec3 *x, const double *factor,
                            wf_mat3 *hessian);

typedef struct wf_angle_material {
    double modulus;
} wf_angle_material;

/* 1/2 modulus a^2, |s| = 2 sin(a / 2). */
extern const wf_stress_law wf_angle_law;

#endif
