/* volume.h - bounding volumes: what lies between pairs of parallel planes, in single precision.
 *
 * The directions' components are -1, 0 or 1 and not normalised, so that no product is needed (Klosowski et al. 1998):
 * the three axes (a box), the four diagonals of the cube, the six of its sides. A volume is `slabs` lower bounds of
 * D·x, then as many upper bounds; it is empty where a lower one is above its upper one.
 */
#ifndef WEFT_CONTACT_VOLUME_H
#define WEFT_CONTACT_VOLUME_H

#include "base/vector.h"

enum { WF_MOST_SLABS = 13 };

/* The directions of volumes with so many slabs: 3 (6 planes), 7 (14: and the cube's diagonals), 9 (18: and the sides'
 * diagonals) or 13 (26: all). */
const wf_vec3 *wf_volume_directions(int slabs);

void wf_volume_clear(int slabs, float *volume);
void wf_volume_unite(int slabs, float *volume, const float *other);

/* The volume of the ball of `radius` (m) around x, whatever rounding does. */
void wf_volume_of_ball(int slabs, wf_vec3 x, double radius, float *volume);

/* Moves all planes out by `distance` (m), rounded outward. */
void wf_volume_inflate(int slabs, float *volume, float distance);

bool wf_volumes_overlap(int slabs, const float *a, const float *b);
bool wf_volume_contains(int slabs, const float *outer, const float *inner);

#endif
