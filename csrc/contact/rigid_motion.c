/* rigid_motion.c - see rigid_motion.h. */
#include "contact/rigid_motion.h"

wf_contact_rigid *wf_contact_rigid_of(const wf_contact_rigids *rigids, int32_t vertex)
{
    int32_t low = 0, high = rigids->count;
    while (low < high) { /* the first body that begins after the vertex */
        int32_t middle = low + (high - low) / 2;
        if (rigids->items[middle].first_vertex <= vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    wf_contact_rigid *rigid = low > 0 ? &rigids->items[low - 1] : NULL;
    return rigid && vertex < rigid->first_vertex + rigid->vertex_count ? rigid : NULL;
}

void wf_contact_rigid_place(const wf_contact_rigid *rigid, const wf_pose *pose, wf_vec3 *x)
{
    for (int32_t i = 0; i < rigid->vertex_count; i++) {
        x[rigid->first_vertex + i] = wf_pose_to_world(pose, rigid->local[i]);
    }
}

int wf_contact_rigid_arms(const wf_contact_rigids *rigids, const int32_t vertex[4], const double weight[4],
                          const wf_vec3 x[4], wf_vec3 normal, wf_rigid_arm arms[2])
{
    int count = 0;
    for (int k = 0; k < 4; k++) {
        wf_contact_rigid *rigid = wf_contact_rigid_of(rigids, vertex[k]);
        if (!rigid) {
            continue;
        }
        if (count == 0 || arms[count - 1].rigid != rigid) { /* the vertices of a primitive follow each other */
            arms[count++] = (wf_rigid_arm){.rigid = rigid};
        }
        wf_rigid_arm *arm = &arms[count - 1];
        arm->weight += weight[k];
        arm->arm = wf_vec3_muladds(arm->arm, wf_vec3_sub(x[k], rigid->end.centre), weight[k]);
    }
    for (int a = 0; a < count; a++) {
        if (arms[a].rigid->radius > 0) {
            arms[a].arm = wf_vec3_scale(normal, wf_vec3_dot(arms[a].arm, normal));
        }
    }
    return count;
}

double wf_rigid_arm_mobility(const wf_rigid_arm *arm, wf_vec3 direction)
{
    wf_vec3 torque = wf_vec3_cross(arm->arm, direction);
    return arm->weight * arm->weight * arm->rigid->inverse_mass +
           wf_vec3_dot(torque, wf_mat3_mulv(arm->rigid->inverse_inertia, torque));
}

void wf_contact_rigid_push(wf_contact_rigid *rigid, wf_vec3 way, wf_vec3 turning)
{
    if (wf_vec3_norm2(way) == 0 && wf_vec3_norm2(turning) == 0) {
        return;
    }
    rigid->end.centre = wf_vec3_add(rigid->end.centre, way);
    rigid->end.turn = wf_rotation_turn(rigid->end.turn, turning);
    rigid->pushed = wf_vec3_add(rigid->pushed, way);
    rigid->turned = wf_vec3_add(rigid->turned, turning);
    rigid->moved = true;
}

void wf_rigid_arm_push(const wf_rigid_arm *arm, wf_vec3 impulse)
{
    wf_vec3 torque = wf_vec3_cross(arm->arm, impulse);
    wf_contact_rigid_push(arm->rigid, wf_vec3_scale(impulse, arm->weight * arm->rigid->inverse_mass),
                          wf_mat3_mulv(arm->rigid->inverse_inertia, torque));
}
