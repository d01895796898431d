/* predicates.h - geometric tests whose sign is always right.
 *
 * Each first evaluates its determinant in double precision with an error bound; only when the bound leaves the sign
 * open is the determinant computed exactly, as an unevaluated sum of doubles. Method: J. R. Shewchuk, "Adaptive
 * precision floating-point arithmetic and fast robust geometric predicates", Discrete & Computational Geometry 18
 * (1997), sections 2 and 4.
 *
 * Exact as long as nothing overflows or underflows: every coordinate is 0 or of magnitude 1e-60 to 1e60. Needs
 * round-to-nearest and no contraction to fused multiply-adds (-ffp-contract=off). The value returned has the right
 * sign and is 0 exactly when the determinant is 0; its magnitude is approximate.
 */
#ifndef WEFT_MESH_PREDICATES_H
#define WEFT_MESH_PREDICATES_H

#include "base/types.h"

/* Coordinates smaller than this are rounded to zero by callers who promise exactness for any input. */
#define WF_PREDICATE_TINY 1e-60

/* Twice the signed area of the triangle a b c: positive when it turns counter-clockwise. */
double wf_orient2d(wf_vec2 a, wf_vec2 b, wf_vec2 c);

/* Positive when d lies inside the circle through a, b, c (counter-clockwise), 0 on it. */
double wf_incircle(wf_vec2 a, wf_vec2 b, wf_vec2 c, wf_vec2 d);

/* Six times the signed volume of the tetrahedron a b c d: positive when d lies on the side of the plane a b c toward
 * which (b - a) x (c - a) points. (Shewchuk's sign is the opposite.) */
double wf_orient3d(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d);

#endif
