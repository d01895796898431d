/* convex.h - how far faces are from convex colliders, and whether they come too near on a straight way.
 *
 * All in the collider's own coordinates. The nearest points of a face and a core are found by walking over the hulls of
 * their difference's farthest points (Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between
 * complex objects", 1988). Whatever direction that gives, the core lies behind the plane through its farthest point
 * along it: while a face's three corners, which move straight, are in front of the plane, the face cannot touch, nor
 * while they are in front of one that turns from one such direction to another. So the answer that a face keeps away
 * is proved, as in contact/continuous.h.
 */
#ifndef WEFT_CONTACT_COLLIDERS_CONVEX_H
#define WEFT_CONTACT_COLLIDERS_CONVEX_H

#include "contact/colliders/collider.h"

/* Of its first distance: what comes to a collider keeps so much where it cannot keep what it should. */
#define WF_COLLIDER_KEPT_PART 0.9
/* Of what is to be kept: what is left above it when an impact is called. */
#define WF_COLLIDER_TOLERANCE 0.02

typedef struct wf_face_gap {
    double distance;   /* m, from the surface; minus the rounding where the face meets the core itself */
    double weights[3]; /* of the corners in the face's nearest point: in [0, 1], sum 1 */
    wf_vec3 normal;    /* unit, from the collider to the face; zero where the face meets the core itself */
} wf_face_gap;

/* Whether the plane under some corner's nearest point is one that the face, moving straight, stays beyond by `wanted`
 * (m): a proof, for a hundredth of the work, that nothing is to be sought; no answer when it fails. */
bool wf_convex_face_is_clear(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double wanted);

wf_face_gap wf_convex_face_gap(const wf_collider *collider, const wf_vec3 x[3]);

/* m: what is in a solid by less, as rounding leaves it, but touches it. A collider is taken to be smaller by so much
 * where a face touches it, or by a quarter of its least size if that is less. */
#define WF_SHALLOW 1e-6

/* The collider, each of its sides so much further in. */
wf_collider wf_convex_smaller(const wf_collider *collider);

/* The distance where the face touches or is in the collider by less than WF_SHALLOW, which flat sides are further in
 * and rounded by: then with the direction in which it leaves, which is zero where it is deeper. Edges and corners
 * count as rounded, which makes distances there larger by up to 0.73 of it. */
wf_face_gap wf_convex_shallow_gap(const wf_collider *collider, const wf_vec3 x[3]);

/* Whether a face that moves straight from x0 to x1 comes nearer than `separation` (m, > 0), or than 0.9 of its first
 * distance where that is smaller. Then *time, in [0, 1], is one up to which it does not, and *gap is where it is then.
 * A face that is not outside at the start is let go: false. */
bool wf_convex_face_impact(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double separation,
                           double *time, wf_face_gap *gap);

#endif
