/* pose.h - where a rigid thing is and how it is turned. */
#ifndef WEFT_BASE_POSE_H
#define WEFT_BASE_POSE_H

#include "base/rotation.h"

typedef struct wf_pose {
    wf_vec3 centre;   /* m, of mass; of a collider the origin of its own coordinates */
    wf_rotation turn; /* from its own axes to the world's */
} wf_pose;

static inline wf_vec3 wf_pose_to_world(const wf_pose *pose, wf_vec3 point)
{
    return wf_vec3_add(pose->centre, wf_rotation_apply(pose->turn, point));
}

static inline wf_vec3 wf_pose_to_local(const wf_pose *pose, wf_vec3 point)
{
    return wf_rotation_apply(wf_rotation_inverse(pose->turn), wf_vec3_sub(point, pose->centre));
}

/* The turn that leads from one pose to the other, 0 to pi, rad. */
static inline wf_vec3 wf_pose_turning(const wf_pose *from, const wf_pose *to)
{
    return wf_rotation_log(wf_rotation_multiply(to->turn, wf_rotation_inverse(from->turn)));
}

/* The pose after a part, 0 to 1, of a way that is straight and turns evenly; bit for bit one end at 0 and the other at
 * 1. */
static inline wf_pose wf_pose_between(const wf_pose *from, const wf_pose *to, double part)
{
    if (part == 0 || part == 1) {
        return part == 0 ? *from : *to;
    }
    return (wf_pose){wf_vec3_lerp(from->centre, to->centre, part),
                     wf_rotation_turn(from->turn, wf_vec3_scale(wf_pose_turning(from, to), part))};
}

#endif
