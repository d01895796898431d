/* continuous.h - whether a pair that moves along straight lines comes nearer than a separation, and when.
 *
 * Additive continuous detection (Li, Kaufman, Jiang, "Codimensional incremental potential contact", 2021, section 5.5):
 * time advances by the present gap over the most that the gap can shrink per unit of time. It never misses: the answer
 * false is a proof up to rounding, and rounding is covered by a guard of 1e-13 of the pair's size and motion. It may
 * raise a false alarm, when the pair passes within a few hundredths of the separation or slides along so long and near
 * that the bound on iterations is reached.
 */
#ifndef WEFT_CONTACT_CONTINUOUS_H
#define WEFT_CONTACT_CONTINUOUS_H

#include "base/vector.h"

/* x0 and x1 are the pair's points at times 0 and 1: {vertex, face corners} or {ends of one edge, ends of the other}.
 * `separation` (m, >= 0) is what must be kept; a pair that starts nearer must keep 0.9 of its first distance instead.
 * True when it does not: *time in [0, 1] is then a time up to which it does. Touching at the start is time 0, with or
 * without motion. The common part of the motion does not count. Coordinates must be finite. */
bool wf_vertex_face_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], double separation, double *time);
bool wf_edge_edge_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], double separation, double *time);

/* The part of its first distance that a pair keeps which starts nearer than the separation. */
#define WF_KEPT_DISTANCE 0.9

#endif
