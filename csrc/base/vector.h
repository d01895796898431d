/* vector.h - small double-precision vectors and matrices, passed by value.
 *
 * The double twins of cglm's functions, under its naming pattern (glm_vec3_dot -> wf_vec3_dot).
 */
#ifndef WEFT_BASE_VECTOR_H
#define WEFT_BASE_VECTOR_H

#include <math.h>

#include "base/types.h"

/* A 3 x 3 matrix, row-major: m[row][column]. */
typedef struct wf_mat3 {
    double m[3][3];
} wf_mat3;

static inline wf_vec3 wf_vec3_make(double x, double y, double z)
{
    return (wf_vec3){x, y, z};
}

/* axis: 0 x, 1 y, 2 z */
static inline double wf_component(wf_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline void wf_set_component(wf_vec3 *v, int axis, double value)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

static inline wf_vec3 wf_vec3_add(wf_vec3 a, wf_vec3 b)
{
    return (wf_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline wf_vec3 wf_vec3_sub(wf_vec3 a, wf_vec3 b)
{
    return (wf_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline wf_vec3 wf_vec3_scale(wf_vec3 a, double s)
{
    return (wf_vec3){a.x * s, a.y * s, a.z * s};
}

/* a + b * s */
static inline wf_vec3 wf_vec3_muladds(wf_vec3 a, wf_vec3 b, double s)
{
    return (wf_vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline double wf_vec3_dot(wf_vec3 a, wf_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wf_vec3 wf_vec3_cross(wf_vec3 a, wf_vec3 b)
{
    return (wf_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* In all bits but for the sign of 0. */
static inline bool wf_vec3_equal(wf_vec3 a, wf_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline double wf_vec3_norm2(wf_vec3 a)
{
    return wf_vec3_dot(a, a);
}

static inline double wf_vec3_norm(wf_vec3 a)
{
    return sqrt(wf_vec3_norm2(a));
}

static inline double wf_vec3_distance(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_norm(wf_vec3_sub(a, b));
}

/* a / |a|, or zero for the zero vector. */
static inline wf_vec3 wf_vec3_normalize(wf_vec3 a)
{
    double length = wf_vec3_norm(a);
    return length > 0 ? wf_vec3_scale(a, 1 / length) : a;
}

/* A unit vector perpendicular to the unit vector a. */
static inline wf_vec3 wf_vec3_perpendicular(wf_vec3 a)
{
    wf_vec3 axis = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? wf_vec3_make(1, 0, 0)
                   : fabs(a.y) <= fabs(a.z)                         ? wf_vec3_make(0, 1, 0)
                                                                    : wf_vec3_make(0, 0, 1);
    return wf_vec3_normalize(wf_vec3_cross(a, axis));
}

/* a (1 - t) + b t */
static inline wf_vec3 wf_vec3_lerp(wf_vec3 a, wf_vec3 b, double t)
{
    return (wf_vec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

/* Component by component. */
static inline wf_vec3 wf_vec3_minv(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static inline wf_vec3 wf_vec3_maxv(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static inline bool wf_vec3_isfinite(wf_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline wf_vec2 wf_vec2_add(wf_vec2 a, wf_vec2 b)
{
    return (wf_vec2){a.x + b.x, a.y + b.y};
}

static inline wf_vec2 wf_vec2_sub(wf_vec2 a, wf_vec2 b)
{
    return (wf_vec2){a.x - b.x, a.y - b.y};
}

static inline wf_vec2 wf_vec2_scale(wf_vec2 a, double s)
{
    return (wf_vec2){a.x * s, a.y * s};
}

static inline double wf_vec2_dot(wf_vec2 a, wf_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double wf_vec2_cross(wf_vec2 a, wf_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double wf_vec2_norm(wf_vec2 a)
{
    return sqrt(wf_vec2_dot(a, a));
}

static inline wf_vec3 wf_mat3_mulv(wf_mat3 a, wf_vec3 v)
{
    return (wf_vec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                     a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                     a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}

/* a + b * s */
static inline wf_mat3 wf_mat3_muladds(wf_mat3 a, wf_mat3 b, double s)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] += b.m[i][j] * s;
        }
    }
    return a;
}

static inline wf_mat3 wf_mat3_transpose(wf_mat3 a)
{
    return (wf_mat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                      {a.m[0][1], a.m[1][1], a.m[2][1]},
                      {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

static inline wf_mat3 wf_mat3_product(wf_mat3 a, wf_mat3 b)
{
    wf_mat3 product;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            product.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return product;
}

/* s I + t a bᵀ */
static inline wf_mat3 wf_mat3_identity_plus_outer(double s, double t, wf_vec3 a, wf_vec3 b)
{
    return (wf_mat3){{{s + t * a.x * b.x, t * a.x * b.y, t * a.x * b.z},
                      {t * a.y * b.x, s + t * a.y * b.y, t * a.y * b.z},
                      {t * a.z * b.x, t * a.z * b.y, s + t * a.z * b.z}}};
}

#endif
