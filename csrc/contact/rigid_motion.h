/* rigid_motion.h - bodies among the movable vertices of a contact scene that keep their shape.
 *
 * The vertices of a rigid body are cloth to the scene, of one class and so never tested against each other. The door
 * moves them together: impulses act on the whole body, and the fail-safe takes from its whole motion. Between the two
 * ends of a step each vertex moves along a straight line as all others do; at both ends the body has its shape.
 */
#ifndef WEFT_CONTACT_RIGID_MOTION_H
#define WEFT_CONTACT_RIGID_MOTION_H

#include "base/pose.h"

typedef struct wf_contact_rigid {
    int32_t first_vertex, vertex_count; /* of the scene's cloth */
    const wf_vec3 *local;     /* [vertex_count] of the surface, from the centre of mass, in the body's frame */
    double radius;            /* m, of a sphere, which what presses on it does not turn; else 0 */
    double thickness;         /* m: half of the distance to its like */
    double inverse_mass;      /* 1/kg, and that of the inertia in the world's frame at x0; both 0: not to be moved */
    wf_mat3 inverse_inertia;
    wf_pose from, to;         /* at x0, and at x1: as wanted, then as reached */
    wf_vec3 pushed, turned;   /* what impulses added to the motion so far, m and rad */
    bool held;                /* the motion was cut short or carried along */
    bool slowed;              /* by the fail-safe, or by a floor that would not let go */

    /* Of a resolver at work: the pose at both ends of the slice, and what the fail-safe scales down. */
    wf_pose start, end, target;
    wf_pose planned;
    wf_vec3 pushed_at_start, turned_at_start; /* of the slice */
    wf_vec3 pushed_before, turned_before;
    bool held_before, slowed_before;
    wf_vec3 way, turning;     /* by impulses that are still being found */
    bool moved;               /* its vertices are not where `end` is */
    bool touched;             /* it no longer follows its path */
    bool in_vain;             /* no impulses part it from all that it hits */
} wf_contact_rigid;

/* In the order of their vertices, which follow each other without gaps up to the last of the scene's cloth. */
typedef struct wf_contact_rigids {
    int32_t count;
    wf_contact_rigid *items;
    bool floor;               /* a horizontal plane below bodies, and below the cloth that they hit */
    double floor_height, floor_friction;
} wf_contact_rigids;

/* The body that a vertex belongs to, or NULL. */
wf_contact_rigid *wf_contact_rigid_of(const wf_contact_rigids *rigids, int32_t vertex);

/* Writes the body's vertices in x[vertices of the scene] for a pose. */
void wf_contact_rigid_place(const wf_contact_rigid *rigid, const wf_pose *pose, wf_vec3 *x);

/* How a weighted sum of points, four at most, depends on a body's motion: weight x the way of its centre + its turning
 * x arm. */
typedef struct wf_rigid_arm {
    wf_contact_rigid *rigid;
    double weight;
    wf_vec3 arm; /* m */
} wf_rigid_arm;

/* The arms of a pair with these points x, whose direction is `normal`; returns how many. */
int wf_contact_rigid_arms(const wf_contact_rigids *rigids, const int32_t vertex[4], const double weight[4],
                          const wf_vec3 x[4], wf_vec3 normal, wf_rigid_arm arms[2]);

/* What an impulse along the unit `direction` moves the sum by in this direction, 1/kg. */
double wf_rigid_arm_mobility(const wf_rigid_arm *arm, wf_vec3 direction);

/* Adds to the motion of a body, which is then not where its vertices are. */
void wf_contact_rigid_push(wf_contact_rigid *rigid, wf_vec3 way, wf_vec3 turning);

/* Adds what an impulse times the time step, kg m, does. */
void wf_rigid_arm_push(const wf_rigid_arm *arm, wf_vec3 impulse);

#endif
