/* weave.h - what the strain measures on a triangle have in common: the images U and V of its weft and warp.
 *
 * U = dx/du and V = dx/dv are constant in a linear triangle, U = sum_i gradient[i][0] x_i and V = sum_i gradient[i][1]
 * x_i, with the gradients of the linear shape functions in the grain frame (Volino and Magnenat-Thalmann's R_ui, R_vi;
 * the columns of the deformation gradient F). A measure that is a function of U and V gives its derivatives by them;
 * the nodes' follow by the chain rule.
 */
#ifndef WEFT_MODEL_WEAVE_H
#define WEFT_MODEL_WEAVE_H

#include "base/vector.h"
#include "model/fabric_law.h"
#include "model/strain_model.h"

typedef struct wf_weave_rest {
    double weight;         /* area, m2 */
    double gradient[3][2]; /* 1/m */
} wf_weave_rest;

typedef struct wf_weave {
    wf_vec3 u, v;
} wf_weave;

/* The second derivative of a function of U and V: by U twice, U and V, V twice. */
typedef struct wf_weave_curvature {
    wf_mat3 uu, uv, vv;
} wf_weave_curvature;

static inline wf_weave_rest wf_weave_rest_of(const wf_vec2 rest[3])
{
    wf_shape s = wf_shape_of(rest);
    return (wf_weave_rest){s.area,
                           {{-s.gradient1.x - s.gradient2.x, -s.gradient1.y - s.gradient2.y},
                            {s.gradient1.x, s.gradient1.y},
                            {s.gradient2.x, s.gradient2.y}}};
}

static inline wf_weave wf_weave_of(const wf_weave_rest *rest, const wf_vec3 *x)
{
    wf_vec3 a = wf_vec3_sub(x[1], x[0]), b = wf_vec3_sub(x[2], x[0]);
    const double(*g)[2] = rest->gradient;
    return (wf_weave){wf_vec3_muladds(wf_vec3_scale(a, g[1][0]), b, g[2][0]),
                      wf_vec3_muladds(wf_vec3_scale(a, g[1][1]), b, g[2][1])};
}

/* gradient[i] = what a strain with these derivatives by U and V changes by per motion of node i */
static inline void wf_weave_spread(const wf_weave_rest *rest, wf_weave derivative, wf_vec3 gradient[3])
{
    for (int i = 0; i < 3; i++) {
        gradient[i] = wf_vec3_muladds(wf_vec3_scale(derivative.u, rest->gradient[i][0]), derivative.v,
                                      rest->gradient[i][1]);
    }
}

static inline void wf_weave_spread_curvature(const wf_weave_rest *rest, const wf_weave_curvature *c,
                                             wf_mat3 hessian[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double *a = rest->gradient[i], *b = rest->gradient[j];
            for (int r = 0; r < 3; r++) {
                for (int s = 0; s < 3; s++) {
                    hessian[3 * i + j].m[r][s] += a[0] * b[0] * c->uu.m[r][s] + a[1] * b[1] * c->vv.m[r][s] +
                                                  a[0] * b[1] * c->uv.m[r][s] + a[1] * b[0] * c->uv.m[s][r];
                }
            }
        }
    }
}

/* to += s (1 - d d^T) / length, the second derivative of a length along the unit vector d. A vector that has shrunk
 * to nothing has no direction, and no curvature either. */
static inline void wf_add_length_curvature(wf_mat3 *to, wf_vec3 vector, double s)
{
    double length = wf_vec3_norm(vector);
    if (length > 0) {
        wf_vec3 d = wf_vec3_scale(vector, 1 / length);
        *to = wf_mat3_muladds(*to, wf_mat3_identity_plus_outer(1, -1, d, d), s / length);
    }
}

/* hessian (of so many nodes) += tension times the second derivative of the length between nodes a and b */
static inline void wf_add_edge_curvature(int nodes, int a, int b, const wf_vec3 *x, double tension, wf_mat3 *hessian)
{
    wf_vec3 edge = wf_vec3_sub(x[b], x[a]);
    wf_add_length_curvature(&hessian[nodes * a + a], edge, tension);
    wf_add_length_curvature(&hessian[nodes * b + b], edge, tension);
    wf_add_length_curvature(&hessian[nodes * a + b], edge, -tension);
    wf_add_length_curvature(&hessian[nodes * b + a], edge, -tension);
}

/* For recipes (strain_model.h): a face as an element with a wf_weave_rest, at rest in the plane z = 0. */
bool wf_weave_make_element(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                           void *rest, wf_vec3 *reference);

#endif
