#include "model/elongation.h"

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_elongation_rest *edge = rest;
    wf_vec3 way = wf_vec3_sub(x[1], x[0]);
    strain[0] = wf_vec3_norm(way) / edge->length - 1;
    if (gradient) {
        gradient[1] = wf_vec3_scale(wf_vec3_normalize(way), 1 / edge->length);
        gradient[0] = wf_vec3_scale(gradient[1], -1);
    }
}

/* (I - d d^T) / (|r| l). An edge without length has no direction, and no curvature. */
static void add_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const wf_elongation_rest *edge = rest;
    wf_vec3 way = wf_vec3_sub(x[1], x[0]), d = wf_vec3_normalize(way);
    double length = wf_vec3_norm(way), scale = length > 0 ? factor[0] / (length * edge->length) : 0;
    wf_mat3 block = wf_mat3_identity_plus_outer(scale, -scale, d, d);
    for (int k = 0; k < 9; k++) {
        double value = block.m[k / 3][k % 3];
        hessian[0].m[k / 3][k % 3] += value;
        hessian[1].m[k / 3][k % 3] -= value;
        hessian[2].m[k / 3][k % 3] -= value;
        hessian[3].m[k / 3][k % 3] += value;
    }
}

const wf_strain_measure wf_elongation_measure = {"elongation", 2, 1, sizeof(wf_elongation_rest), strains,
                                                 add_curvature};
