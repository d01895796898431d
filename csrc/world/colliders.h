/* colliders.h - colliders in a world, beside its members of triangles. */
#ifndef WEFT_WORLD_COLLIDERS_H
#define WEFT_WORLD_COLLIDERS_H

#include "contact/colliders/collider.h"
#include "world/world.h"

typedef struct wf_collider_member {
    wf_collider *collider;
    wf_pose reached;        /* at the end of the last step */
    wf_pose start, end;     /* of the part of the step that is being made; outside of steps both are `reached` */
    wf_pose departure, goal; /* of the whole step */
    int64_t jumps;          /* of the collider when `reached` was stored */
    bool moves;             /* in this step */
    bool warned;            /* of cloth that was inside when it came */
    wf_vec3 velocity, spin; /* m/s and rad/s, in this step */
    wf_vec3 velocity_before, spin_before; /* and in the one before */
} wf_collider_member;

/* Takes the poses that a step begins and ends with; afterwards, those that it ended with if it `arrived`. */
void wf_world_begin_colliders(wf_world *world);
void wf_world_divide_colliders(wf_world *world); /* `start` and `end` of the part of the step that is to be made */
void wf_world_end_colliders(wf_world *world, bool arrived);

/* Warns, once for each cloth and collider, of vertices that are inside where the step begins; and of those of new cloth
 * that are below the floor. */
void wf_world_warn_of_inside(wf_world *world);

/* touching_colliders.c: adds to `way` [cloth_vertex_count], where cloth touches colliders as the step begins or is in
 * them by less than a micrometre, the directions in which its free vertices leave them. */
void wf_world_lead_off_colliders(const wf_world *world, wf_vec3 *way);

/* Adds the resting contacts of vertices and faces less than `margin` (m) above the contact distance at x0. */
wf_status wf_world_gather_collider_contacts(wf_world *world, double margin);

/* Keeps x1 outside on the way from x0, and counts in the world's stats. `attempt` 0 pushes out; later ones, after
 * others have moved vertices, shorten ways, and the last let colliders overlap. *moved: whether anything was. */
enum { WF_COLLIDER_ATTEMPTS = 8 };
wf_status wf_world_keep_outside(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1, int attempt, bool *moved);

/* Where a vertex may go while time stands still: `to`, pushed out of colliders in which that is deeper than `from`; or
 * `from` where they leave no room. */
wf_vec3 wf_world_end_outside(const wf_world *world, int32_t vertex, wf_vec3 from, wf_vec3 to);

/* Counts in the stats what is inside at x1. */
void wf_world_count_inside(wf_world *world);

void wf_world_free_colliders(wf_world *world);
uint64_t wf_world_hash_colliders(const wf_world *world, uint64_t hash);

#endif
