/* outside.h - keeps cloth outside colliders on its way through the door.
 *
 * A collider moves from one pose to another within the step. Seen from it the cloth moves, and the collider rests:
 * there each vertex goes straight from its start to its end, over some corners where the collider turns by more than a
 * small angle. On that way it is stopped where it comes nearer than a tenth of the contact distance, or than 0.9 of
 * what it had where that was less.
 */
#ifndef WEFT_WORLD_OUTSIDE_H
#define WEFT_WORLD_OUTSIDE_H

#include "contact/colliders/convex.h"

enum { WF_MOST_SWEEP_SLICES = 32 };

typedef struct wf_sweep {
    const wf_collider *collider;
    bool rests;
    int slices;
    wf_pose pose[WF_MOST_SWEEP_SLICES + 1]; /* at the slices' ends; rotations that change nothing are left out */
} wf_sweep;

wf_sweep wf_sweep_make(const wf_collider *collider, const wf_pose *start, const wf_pose *end);

/* Whether nothing within `radius` of a point that moves from x0 to x1 can come nearer than `distance` (m). */
bool wf_sweep_misses(const wf_sweep *sweep, wf_vec3 x0, wf_vec3 x1, double radius, double distance);
/* The same of a face whose corners move from x0 to x1. */
bool wf_sweep_misses_face(const wf_sweep *sweep, const int32_t vertex[3], const wf_vec3 *x0, const wf_vec3 *x1,
                          double distance);

/* m: what is no farther from a collider touches it. Less than the distance by which what touches leaves, and than that
 * by which colliders count as smaller. */
#define WF_TOUCHES_COLLIDER (0.5 * WF_SHALLOW)

typedef struct wf_vertex_rules {
    double keep;     /* m, > 0 */
    double friction; /* of what pushes it out */
    double lift;     /* m: how far a vertex that starts inside is to get out; < 0: what starts nearer is let go */
    double part_by;  /* m: how far one that starts outside, but nearer, is to get away; no more than `lift` */
    double part;     /* < 1: this part of its way is left to a vertex that hits, instead of pushing it out */
} wf_vertex_rules;

/* Returns whether it moved *x1. */
bool wf_sweep_keep_vertex(const wf_sweep *sweep, const wf_vertex_rules *rules, wf_vec3 x0, wf_vec3 *x1);

/* Whether a face comes too near on its way; then *gap is where. *pierced: it is not outside at the start. A face that a
 * pinned corner holds at the collider has no distance to keep: to it, and to one that is in the collider by less, that
 * is smaller by WF_SHALLOW. */
bool wf_sweep_hits_face(const wf_sweep *sweep, double keep, const bool pinned[3], const wf_vec3 x0[3],
                        const wf_vec3 x1[3], wf_face_gap *gap, bool *pierced);

/* Pushes a face that hits with `gap` out at the end, each corner as far as its weight and its mobility (1/kg) say.
 * False when that cannot be done. */
bool wf_sweep_push_face(const wf_sweep *sweep, double keep, double friction, const wf_face_gap *gap,
                        const double mobility[3], const wf_vec3 x0[3], wf_vec3 x1[3]);

/* The part of the way from x0 to x1 as the collider sees it; 0: what goes along with the collider. */
wf_vec3 wf_sweep_shorten(const wf_sweep *sweep, wf_vec3 x0, wf_vec3 x1, double part);

#endif
