/* element.h - the geometry of one triangle: shape gradients, deformation gradient, polar decomposition. */
#ifndef WEFT_MODEL_ELEMENT_H
#define WEFT_MODEL_ELEMENT_H

#include "base/context.h"
#include "base/vector.h"

/* Whether a face can be an element: distinct vertices in range, a finite rest shape with area. The message
 * names the face, counted from 1 as all messages do. */
wf_status wf_check_face(wf_context *context, int32_t vertex_count, int32_t face, const int32_t vertices[3],
                        const wf_vec2 rest[3]);

/* Gradients of the linear shape functions of corners 1 and 2 (1/m); corner 0 has minus their sum. */
typedef struct wf_shape {
    wf_vec2 gradient1, gradient2;
    double area; /* m2 */
} wf_shape;

static inline wf_shape wf_shape_of(const wf_vec2 rest[3])
{
    wf_vec2 a = wf_vec2_sub(rest[1], rest[0]), b = wf_vec2_sub(rest[2], rest[0]);
    double twice = wf_vec2_cross(a, b);
    return (wf_shape){{b.y / twice, -b.x / twice}, {-a.y / twice, a.x / twice}, 0.5 * fabs(twice)};
}

/* F = R U of a 3 x 2 matrix. */
typedef struct wf_polar {
    wf_vec3 r1, r2, normal;   /* orthonormal: the columns of R and their cross product */
    double u11, u12, u22;     /* symmetric positive semidefinite */
    double trace, determinant; /* of U */
} wf_polar;

/* Columns of F from the edges x1 - x0 and x2 - x0. */
static inline wf_vec3 wf_shape_column(double g1, double g2, wf_vec3 edge1, wf_vec3 edge2)
{
    return (wf_vec3){edge1.x * g1 + edge2.x * g2, edge1.y * g1 + edge2.y * g2, edge1.z * g1 + edge2.z * g2};
}

/* The decomposition when F has (nearly) lost a dimension: through the eigenvectors of U^2, with the missing direction
 * of R chosen perpendicular to what is left. */
wf_polar wf_polar_degenerate(wf_vec3 f1, wf_vec3 f2);

/* Closed form: with S = F^T F, d = sqrt(det S), t = sqrt(tr S + 2 d):  U = (S + d I) / t,  U^-1 = (t I - U) / d.
 * Says whether the decomposition is to be trusted. Without branches, so that it can be one lane of several. */
static inline bool wf_polar_regular(wf_vec3 f1, wf_vec3 f2, wf_polar *p)
{
    double s11 = wf_vec3_norm2(f1), s12 = wf_vec3_dot(f1, f2), s22 = wf_vec3_norm2(f2);
    wf_vec3 cross = wf_vec3_cross(f1, f2);
    double d = wf_vec3_norm(cross); /* sqrt(det S) without its cancellation */
    double t = sqrt(s11 + s22 + 2 * d), over_t = 1 / t, over_d = 1 / d;
    *p = (wf_polar){.u11 = (s11 + d) * over_t, .u12 = s12 * over_t, .u22 = (s22 + d) * over_t, .trace = t,
                    .determinant = d};
    /* t - u11 is u22 and the other way round */
    p->r1 = wf_vec3_scale(wf_vec3_sub(wf_vec3_scale(f1, p->u22), wf_vec3_scale(f2, p->u12)), over_d);
    p->r2 = wf_vec3_scale(wf_vec3_sub(wf_vec3_scale(f2, p->u11), wf_vec3_scale(f1, p->u12)), over_d);
    p->normal = wf_vec3_scale(cross, over_d);
    return d > 1e-6 * (s11 + s22);
}

static inline wf_polar wf_polar_of(wf_vec3 f1, wf_vec3 f2)
{
    wf_polar p;
    return wf_polar_regular(f1, f2, &p) ? p : wf_polar_degenerate(f1, f2);
}

#endif
