/* pose.h - where a rigid thing is and how it is turned.
 *
 * The orientation is a unit quaternion {x, y, z, w}, the order of cglm's versors.
 */
#ifndef WEFT_CONTACT_COLLIDERS_POSE_H
#define WEFT_CONTACT_COLLIDERS_POSE_H

#include "base/vector.h"

typedef struct wf_pose {
    wf_vec3 position;      /* m, of the origin of its own coordinates */
    double orientation[4]; /* from its own axes to the world's */
} wf_pose;

static inline wf_pose wf_pose_make(wf_vec3 position)
{
    return (wf_pose){position, {0, 0, 0, 1}};
}

/* v turned by the quaternion: v + 2 w (u x v) + 2 u x (u x v) with u its vector part. */
static inline wf_vec3 wf_quaternion_turn(const double q[4], wf_vec3 v)
{
    wf_vec3 u = {q[0], q[1], q[2]}, t = wf_vec3_scale(wf_vec3_cross(u, v), 2);
    return wf_vec3_add(wf_vec3_muladds(v, t, q[3]), wf_vec3_cross(u, t));
}

static inline wf_vec3 wf_quaternion_turn_back(const double q[4], wf_vec3 v)
{
    return wf_quaternion_turn((const double[4]){-q[0], -q[1], -q[2], q[3]}, v);
}

/* The product p q: first q, then p. */
static inline void wf_quaternion_product(const double p[4], const double q[4], double product[4])
{
    double x = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
    double y = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
    double z = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
    double w = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
    product[0] = x;
    product[1] = y;
    product[2] = z;
    product[3] = w;
}

static inline wf_vec3 wf_pose_to_world(const wf_pose *pose, wf_vec3 point)
{
    return wf_vec3_add(pose->position, wf_quaternion_turn(pose->orientation, point));
}

static inline wf_vec3 wf_pose_to_local(const wf_pose *pose, wf_vec3 point)
{
    return wf_quaternion_turn_back(pose->orientation, wf_vec3_sub(point, pose->position));
}

/* Normalises; false (and unchanged) when that cannot be: zero, or not finite. */
bool wf_quaternion_normalize(double q[4]);

/* The shortest rotation that turns one unit vector into another. */
void wf_quaternion_between(wf_vec3 from, wf_vec3 to, double q[4]);

/* rad: the rotation vector that leads from one orientation to another, no longer than pi. */
wf_vec3 wf_rotation_between(const double from[4], const double to[4]);

/* The part `t` of the way: the position on the straight line, the orientation turning evenly. */
wf_pose wf_pose_between(const wf_pose *from, const wf_pose *to, double t);

#endif
