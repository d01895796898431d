/* collider.h - shapes that cloth lies on and bumps into, known by their distance instead of by triangles.
 *
 * Every kind gives the signed distance of a point, negative inside, and its gradient, in coordinates of its own; a pose
 * places them. The convex kinds are a core (a point, a segment, a box, a cylinder) and a radius around it, and also
 * give the core's farthest point along a direction: with that whole faces are kept outside (convex.h), not only
 * vertices. The others are samples: fields, voxels and maps say themselves how near they are to what was sampled.
 */
#ifndef WEFT_CONTACT_COLLIDERS_COLLIDER_H
#define WEFT_CONTACT_COLLIDERS_COLLIDER_H

#include "base/context.h"
#include "base/pose.h"
#include "mesh/closing.h"

typedef struct wf_collider wf_collider;

/* Rotations that change nothing. */
typedef enum wf_collider_symmetry { WF_NO_SYMMETRY, WF_ROUND_ABOUT_Y, WF_ROUND } wf_collider_symmetry;

typedef struct wf_collider_class {
    const char *name;
    wf_collider_symmetry symmetry;
    bool convex;
    /* m, of a point in the collider's coordinates, and the distance's gradient, a unit vector where it has one. No two
     * distances differ by more than `slope` times the distance of their points. */
    double (*distance)(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient);
    double slope;
    /* The point of the core that is farthest along a direction of any length. NULL where faces are outside as soon as
     * their corners are, and where nothing is known but the distance. */
    wf_vec3 (*support)(const wf_collider *collider, wf_vec3 direction);
    /* The kind's own words of its print, as "radius 0.2 m". */
    void (*describe)(const wf_collider *collider, char *text, size_t size);
    void (*free_samples)(wf_context *context, void *samples); /* NULL: none */
} wf_collider_class;

/* Read by the layers above; changed through the functions below alone. */
struct wf_collider {
    wf_context *context;
    int32_t reference_count;
    const wf_collider_class *class;
    wf_pose pose;      /* where it is to be at the end of the next step */
    int64_t jumps;     /* how often it was placed: moved without a way */
    double thickness;  /* m: cloth keeps this distance from the surface, and its own half thickness */
    double friction;   /* Coulomb's coefficient */
    double porosity;   /* the share of wind that passes, 0 to 1; 0 as it is made */
    wf_vec3 half_size; /* m: of a box; y alone: half the length of a capsule's or cylinder's axis */
    double radius;     /* m, around the core; of a cylinder's discs */
    double rounding;   /* m: what the core lacks on all sides: the radius of spheres and capsules */
    double reach;      /* m: no point is farther from the origin of its coordinates; infinite for planes */
    double step;       /* m: the least step along a path, for samples; 0: none */
    void *samples;     /* of fields, voxels and maps */
    wf_closing_report closing; /* of the surface that they are of; no volume: of none */
};

typedef struct wf_collider_def {
    double thickness; /* m, 0 to 0.1; default 0.0005 */
    double friction;  /* 0 to 10; default 0.4 */
    wf_pose pose;     /* default at the origin, not turned; the quaternion need not be of length 1 */
} wf_collider_def;

wf_collider_def wf_default_collider_def(void);

/* Makers; the caller holds one reference. Sizes are in m, above 0 and at most 1e5, a length may be 0. A plane's solid
 * side is its own y < 0; capsules and cylinders have their middle at the origin and their axis along y.
 * WF_ERROR_ARGUMENT names what is out of range. */
wf_status wf_collider_create_plane(wf_context *context, const wf_collider_def *def, wf_collider **collider);
wf_status wf_collider_create_sphere(wf_context *context, const wf_collider_def *def, double radius,
                                    wf_collider **collider);
wf_status wf_collider_create_capsule(wf_context *context, const wf_collider_def *def, double length, double radius,
                                     wf_collider **collider);
wf_status wf_collider_create_box(wf_context *context, const wf_collider_def *def, wf_vec3 size,
                                 wf_collider **collider);
wf_status wf_collider_create_cylinder(wf_context *context, const wf_collider_def *def, double length, double radius,
                                      wf_collider **collider);

/* What all makers begin with. On failure there is nothing to release. */
wf_status wf_collider_create(wf_context *context, const wf_collider_class *class, const wf_collider_def *def,
                             wf_collider **collider);
/* What makers whose collider may be there when they fail end with: it is released, and NULL. Returns the status. */
wf_status wf_collider_finish(wf_status status, wf_collider **collider);
/* WF_ERROR_ARGUMENT unless least <= size <= 1e5, or all coordinates are from -1e5 to 1e5; `name` is the message's. */
wf_status wf_collider_check_size(wf_context *context, const char *name, double size, double least);
wf_status wf_collider_check_place(wf_context *context, const char *name, wf_vec3 place);

/* Counts holders; the last release frees the collider. NULL is allowed. */
wf_collider *wf_collider_retain(wf_collider *collider);
void wf_collider_release(wf_collider *collider);

/* Within the ranges of wf_collider_def. */
wf_status wf_collider_set_thickness(wf_collider *collider, double thickness);
wf_status wf_collider_set_friction(wf_collider *collider, double friction);
/* From 0 to 1. */
wf_status wf_collider_set_porosity(wf_collider *collider, double porosity);

/* Where it is to be at the end of the next step: it moves there, and takes along what it meets. Coordinates up to
 * 1e5 m; a quaternion of any length but 0. */
wf_status wf_collider_move(wf_collider *collider, const wf_pose *pose);
/* The same without a way: it is there from the beginning of the step on, and has no velocity. */
wf_status wf_collider_place(wf_collider *collider, const wf_pose *pose);

/* Whether a point of the collider's own coordinates is farther than `distance` (m) whatever the shape. */
static inline bool wf_collider_misses(const wf_collider *collider, wf_vec3 local, double distance)
{
    double reach = collider->reach + distance;
    return wf_vec3_norm2(local) > reach * reach;
}

/* Signed distance (m) and gradient of a point of the world where the collider is now. */
double wf_collider_distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient);

/* The same of many points, in parallel; `gradients` may be NULL. */
void wf_collider_distances(const wf_collider *collider, size_t count, const wf_vec3 *points, double *distances,
                           wf_vec3 *gradients);

#endif
