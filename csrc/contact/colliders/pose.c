/* pose.c - quaternions that need more than a line; see pose.h. */
#include "contact/colliders/pose.h"

bool wf_quaternion_normalize(double q[4])
{
    double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (!(largest >= 1e-100 && largest <= 1e100)) {
        return false;
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        q[k] /= length;
    }
    return isfinite(length);
}

void wf_quaternion_between(wf_vec3 from, wf_vec3 to, double q[4])
{
    wf_vec3 half = wf_vec3_add(from, to), axis;
    if (wf_vec3_norm2(half) < 1e-24) { /* opposite: half a turn about any axis across */
        axis = wf_vec3_perpendicular(from);
        q[3] = 0;
    } else {
        half = wf_vec3_normalize(half);
        axis = wf_vec3_cross(from, half);
        q[3] = wf_vec3_dot(from, half);
    }
    q[0] = axis.x;
    q[1] = axis.y;
    q[2] = axis.z;
    wf_quaternion_normalize(q);
}

wf_vec3 wf_rotation_between(const double from[4], const double to[4])
{
    double q[4];
    wf_quaternion_product(to, (const double[4]){-from[0], -from[1], -from[2], from[3]}, q);
    double sign = q[3] < 0 ? -1 : 1; /* q and -q are the same rotation: the shorter way */
    wf_vec3 axis = wf_vec3_scale(wf_vec3_make(q[0], q[1], q[2]), sign);
    double sine = wf_vec3_norm(axis), cosine = sign * q[3];
    /* angle / sine of its half, and its limit 2 */
    return wf_vec3_scale(axis, sine > 1e-12 ? 2 * atan2(sine, cosine) / sine : 2);
}

wf_pose wf_pose_between(const wf_pose *from, const wf_pose *to, double t)
{
    wf_pose pose = {wf_vec3_lerp(from->position, to->position, t), {0}};
    wf_vec3 turn = wf_vec3_scale(wf_rotation_between(from->orientation, to->orientation), t);
    double angle = wf_vec3_norm(turn), scale = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    double q[4] = {turn.x * scale, turn.y * scale, turn.z * scale, cos(0.5 * angle)};
    wf_quaternion_product(q, from->orientation, pose.orientation);
    wf_quaternion_normalize(pose.orientation);
    return pose;
}
