/* rigid.h - rigid bodies: closed surfaces with a mass that contact and weight move.
 *
 * A body is kept by its centre of mass and the turn of its principal axes, along which its inertia is a diagonal; its
 * surface follows from both. The shape's own frame, in which its points were given, is what positions and orientations
 * of scripts speak of.
 */
#ifndef WEFT_BODY_RIGID_H
#define WEFT_BODY_RIGID_H

#include "base/pose.h"
#include "mesh/mesh.h"

enum { WF_RIGID_NAME_SIZE = 64 };

typedef enum wf_rigid_shape {
    WF_RIGID_SPHERE,
    WF_RIGID_CAPSULE, /* along y */
    WF_RIGID_BOX,
    WF_RIGID_CONVEX,  /* the hull of points */
    WF_RIGID_MESH     /* a closed surface */
} wf_rigid_shape;

/* Ended by NULL, in the order of wf_rigid_shape. */
extern const char *const wf_rigid_shape_names[];

/* Read by the layers above; changed through the functions below, and by the world that steps it. */
typedef struct wf_rigid {
    wf_context *context;
    int32_t reference_count;
    const void *world;        /* that it is in, or NULL */
    char name[WF_RIGID_NAME_SIZE];
    wf_rigid_shape shape;
    double radius;            /* m, of a sphere; else 0 */
    double reach;             /* m, of the farthest point of the surface from the centre of mass */
    wf_mesh mesh;             /* in the world */
    wf_vec3 *local;           /* [mesh.vertex_count] from the centre of mass, along the principal axes */
    double mass;              /* kg */
    wf_vec3 moments;          /* principal moments of inertia, kg m^2 */
    wf_vec3 origin;           /* of the shape, as `local` */
    wf_rotation axes;         /* the principal axes in the shape's frame */
    wf_vec3 centre;           /* of mass, m */
    wf_rotation turn;         /* of the principal axes */
    wf_vec3 velocity, spin;   /* m/s of the centre of mass; rad/s */
    double thickness;         /* m: others keep this distance from the surface, beside their own */
    double friction;          /* Coulomb's coefficient */
    double porosity;          /* the share of wind that passes, 0 to 1; 0 as it is made */
} wf_rigid;

typedef struct wf_rigid_def {
    const char *name;          /* for messages; cut to WF_RIGID_NAME_SIZE - 1 bytes; NULL: the shape's */
    wf_rigid_shape shape;
    double radius;             /* m, of spheres and capsules; default 0.1 */
    double length;             /* m, of a capsule between the centres of its caps; default 0.2 */
    wf_vec3 size;              /* m, of a box; default 0.1 each */
    int32_t detail;            /* of spheres and capsules, 0 to 4: how often an icosahedron's faces are quartered, which
                                  gives 10 x 4^detail + 2 vertices, all on the surface; default 2 */
    int32_t point_count, face_count;
    const wf_vec3 *points;     /* of a hull or a mesh */
    const int32_t (*faces)[3]; /* of a mesh */
    double mass;               /* kg; 0: from the density */
    double density;            /* kg/m^3; default 1000 */
    wf_vec3 position;          /* of the shape's origin, m */
    wf_vec3 orientation;       /* rotation vector, rad */
    wf_vec3 velocity, spin;    /* m/s of the centre of mass; rad/s */
    double thickness;          /* m, 0 to 0.1; default 0.0005, as of bodies */
    double friction;           /* 0 to 10; default 0.4 */
} wf_rigid_def;

wf_rigid_def wf_default_rigid_def(void);

/* Makes a body that the caller holds one reference of. A mesh that is inside out is turned, with a warning.
 * WF_ERROR_ARGUMENT names what is out of range; WF_ERROR_GEOMETRY: a surface that is not closed, not oriented or
 * without volume. */
wf_status wf_rigid_create(wf_context *context, const wf_rigid_def *def, wf_rigid **rigid);

/* Counts holders; the last release frees the body. NULL is allowed. */
wf_rigid *wf_rigid_retain(wf_rigid *rigid);
void wf_rigid_release(wf_rigid *rigid);

/* Within the ranges of wf_rigid_def. */
wf_status wf_rigid_set_thickness(wf_rigid *rigid, double thickness);
wf_status wf_rigid_set_friction(wf_rigid *rigid, double friction);
wf_status wf_rigid_set_porosity(wf_rigid *rigid, double porosity);

/* The shape's frame, as in wf_rigid_def. */
wf_vec3 wf_rigid_position(const wf_rigid *rigid);
wf_vec3 wf_rigid_orientation(const wf_rigid *rigid);
wf_status wf_rigid_set_frame(wf_rigid *rigid, wf_vec3 position, wf_vec3 orientation);
wf_status wf_rigid_set_motion(wf_rigid *rigid, wf_vec3 velocity, wf_vec3 spin);

/* Moves the body there, its surface with it. */
void wf_rigid_place(wf_rigid *rigid, wf_vec3 centre, wf_rotation turn);

/* Of a body whose principal axes are turned: its tensor of inertia, kg m^2, and its inverse. */
wf_mat3 wf_rigid_inertia(const wf_rigid *rigid, wf_rotation turn);
wf_mat3 wf_rigid_inverse_inertia(const wf_rigid *rigid, wf_rotation turn);

/* Angular momentum about the centre of mass, kg m^2/s, and kinetic energy, J. */
wf_vec3 wf_rigid_angular_momentum(const wf_rigid *rigid);
double wf_rigid_kinetic_energy(const wf_rigid *rigid);

/* The turn after `duration` (s) without torque; `momentum` (kg m^2/s), which stays what it is, in the world's frame.
 * Exact where two moments are equal; otherwise the energy oscillates by some 1e-8 and never drifts. */
wf_rotation wf_rigid_spin_freely(const wf_rigid *rigid, wf_rotation turn, wf_vec3 momentum, double duration);

#endif
