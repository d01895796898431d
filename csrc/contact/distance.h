/* distance.h - the distance of a vertex from a face and of an edge from an edge, with the closest points.
 *
 * Total functions: zero-length edges, faces of no area and parallel edges give the distance of the point or segment
 * that is left. Every operation works on differences of the inputs, so that the error is a few units in the last place
 * of the pair's own size, not of its distance from the origin. Method: Ericson, "Real-Time Collision Detection" (2005),
 * sections 5.1.5 and 5.1.9, with the near-parallel and sliver cases settled by the lower features.
 */
#ifndef WEFT_CONTACT_DISTANCE_H
#define WEFT_CONTACT_DISTANCE_H

#include "base/vector.h"

/* Distance (m) of the vertex x[0] from the triangle x[1], x[2], x[3]. `weights` receives the barycentric coordinates of
 * the closest point of the face: each in [0, 1], sum 1, exactly 0 for corners that the closest feature leaves out. */
double wf_vertex_face_distance(const wf_vec3 x[4], double weights[3]);

/* Distance (m) of the segment x[0] x[1] from the segment x[2] x[3]. The closest points are
 * x[0] (1 - *s) + x[1] *s and x[2] (1 - *t) + x[3] *t, s and t in [0, 1], exactly 0 or 1 at an end. */
double wf_edge_edge_distance(const wf_vec3 x[4], double *s, double *t);

/* sin² of the angle between the edges x[0] x[1] and x[2] x[3]; 0 when one of them has no length. */
double wf_edge_edge_sine2(const wf_vec3 x[4]);

#endif
