/* rotation.h - rotations as unit quaternions, and as vectors along the axis whose length is the angle (rad). */
#ifndef WEFT_BASE_ROTATION_H
#define WEFT_BASE_ROTATION_H

#include "base/vector.h"

/* w + x i + y j + z k, of length 1. */
typedef struct wf_rotation {
    double w;
    wf_vec3 v;
} wf_rotation;

static inline wf_rotation wf_rotation_identity(void)
{
    return (wf_rotation){1, {0, 0, 0}};
}

/* First b, then a. */
static inline wf_rotation wf_rotation_multiply(wf_rotation a, wf_rotation b)
{
    wf_vec3 v = wf_vec3_muladds(wf_vec3_cross(a.v, b.v), b.v, a.w);
    return (wf_rotation){a.w * b.w - wf_vec3_dot(a.v, b.v), wf_vec3_muladds(v, a.v, b.w)};
}

static inline wf_rotation wf_rotation_inverse(wf_rotation a)
{
    return (wf_rotation){a.w, wf_vec3_scale(a.v, -1)};
}

static inline wf_rotation wf_rotation_normalize(wf_rotation a)
{
    double scale = 1 / sqrt(a.w * a.w + wf_vec3_norm2(a.v));
    return (wf_rotation){a.w * scale, wf_vec3_scale(a.v, scale)};
}

static inline wf_rotation wf_rotation_exp(wf_vec3 turn)
{
    double angle = wf_vec3_norm(turn), half = 0.5 * angle;
    double scale = angle > 1e-4 ? sin(half) / angle : 0.5 - half * half / 12; /* the next term is below 1e-19 */
    return wf_rotation_normalize((wf_rotation){cos(half), wf_vec3_scale(turn, scale)});
}

/* The shortest turn, of 0 to pi. */
static inline wf_vec3 wf_rotation_log(wf_rotation a)
{
    double sine = wf_vec3_norm(a.v), sign = a.w < 0 ? -1 : 1;
    double scale = sine > 1e-8 ? 2 * atan2(sine, sign * a.w) / sine : 2;
    return wf_vec3_scale(a.v, sign * scale);
}

static inline wf_vec3 wf_rotation_apply(wf_rotation a, wf_vec3 x)
{
    wf_vec3 t = wf_vec3_scale(wf_vec3_cross(a.v, x), 2);
    return wf_vec3_add(wf_vec3_muladds(x, t, a.w), wf_vec3_cross(a.v, t));
}

/* a turned on by the vector; bit for bit a itself where that is zero. */
static inline wf_rotation wf_rotation_turn(wf_rotation a, wf_vec3 turn)
{
    bool none = turn.x == 0 && turn.y == 0 && turn.z == 0;
    return none ? a : wf_rotation_normalize(wf_rotation_multiply(wf_rotation_exp(turn), a));
}

/* The shortest one that turns one unit vector into another. */
static inline wf_rotation wf_rotation_between(wf_vec3 from, wf_vec3 to)
{
    wf_vec3 half = wf_vec3_add(from, to);
    if (wf_vec3_norm2(half) < 1e-24) { /* opposite: half a turn about any axis across */
        return (wf_rotation){0, wf_vec3_perpendicular(from)};
    }
    half = wf_vec3_normalize(half);
    return wf_rotation_normalize((wf_rotation){wf_vec3_dot(from, half), wf_vec3_cross(from, half)});
}

/* R diag(d) R^T */
static inline wf_mat3 wf_rotation_conjugate(wf_rotation a, wf_vec3 d)
{
    wf_vec3 axis[3] = {wf_rotation_apply(a, (wf_vec3){1, 0, 0}), wf_rotation_apply(a, (wf_vec3){0, 1, 0}),
                       wf_rotation_apply(a, (wf_vec3){0, 0, 1})};
    wf_mat3 sum = wf_mat3_identity_plus_outer(0, d.x, axis[0], axis[0]);
    sum = wf_mat3_muladds(sum, wf_mat3_identity_plus_outer(0, d.y, axis[1], axis[1]), 1);
    return wf_mat3_muladds(sum, wf_mat3_identity_plus_outer(0, d.z, axis[2], axis[2]), 1);
}

#endif
