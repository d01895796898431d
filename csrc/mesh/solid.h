/* solid.h - a closed surface as a solid: which points are inside, and how far the surface is.
 *
 * Inside is decided by the generalized winding number (A. Jacobson, L. Kavan and O. Sorkine-Hornung 2013): the solid
 * angle that the surface fills, over 4 pi. It is 1 inside and 0 outside of a closed surface and degrades gracefully
 * where that has small gaps or crosses itself. Far triangles are taken together by the first three terms of their
 * expansion (G. Barill, N. Dickson, R. Schmidt, D. Levin and A. Jacobson 2018).
 */
#ifndef WEFT_MESH_SOLID_H
#define WEFT_MESH_SOLID_H

#include "mesh/mesh.h"

typedef struct wf_solid wf_solid;

/* Copies what it needs of the mesh. Any mesh is taken; see above for what open ones give. WF_ERROR_MEMORY. */
wf_status wf_solid_create(wf_context *context, const wf_mesh *mesh, wf_solid **solid);

/* A surface that moves and is asked for distances alone: it has no winding numbers. wf_solid_move takes where its
 * vertices are now, all that the mesh has; the tree stays as it is, and gets slower the more the surface changes. */
wf_status wf_solid_create_moving(wf_context *context, const wf_mesh *mesh, wf_solid **solid);
void wf_solid_move(wf_solid *solid, const wf_vec3 *positions);

/* NULL is allowed. */
void wf_solid_destroy(wf_context *context, wf_solid *solid);

/* The winding number at each of `count` points, with an error below 1e-3. In parallel; the same for any number of
 * threads. On the surface itself it is the mean of both sides, or near it. */
void wf_solid_winding(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points,
                      double *winding);

/* The distance (m) of each point from the surface and, unless NULL, the closest point of the surface. INFINITY, and the
 * point itself, when the mesh has no faces. In parallel. */
void wf_solid_distance(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points,
                       double *distance, wf_vec3 *closest);

/* The same of one point, on the calling thread, for callers that share out points themselves. *closest begins as some
 * point of the surface, that of a neighbour for one, the nearer the faster; or as the point itself where `known` is
 * false. */
double wf_solid_winding_at(const wf_solid *solid, wf_vec3 point);
double wf_solid_distance_at(const wf_solid *solid, wf_vec3 point, bool known, wf_vec3 *closest);

/* The distance of each point, negative where the winding number is above 1/2. Returns the number of such points. In
 * parallel. */
int32_t wf_solid_signed_distance(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points,
                                 double *distance);

#endif
