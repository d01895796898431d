/* solid_faces.h - which part of each face of a staggered grid solids leave open, and how fast they move there.
 *
 * Solids are closed surfaces of triangles and colliders. A corner of a cell is inside where the surfaces wind around it
 * (counted along the lattice's lines with exact crossings, lattice_crossings.h) or a collider's distance is negative.
 * The edges of a face are cut where a surface crosses them, or where a collider's distance, linear along the edge, is
 * zero; the open fraction is the area of the polygon that is left, of second order in the cell's size (Batty, Bertails
 * and Bridson 2007, "A fast variational framework for accurate solid-fluid coupling"; Ng, Min and Gibou 2009, "An
 * efficient fluid-solid coupling algorithm for single-phase flows", section 4). Solids thinner than a cell may miss all
 * corners: a face is also closed where a solid lies between the centres of its two cells, or around one of them and
 * ends on both sides before the third centre along some line, so that no slab leaks, however thin or tilted.
 */
#ifndef WEFT_AIR_SOLID_FACES_H
#define WEFT_AIR_SOLID_FACES_H

#include "air/flow_grid.h"
#include "base/context.h"
#include "base/vector.h"
#include "contact/colliders/collider.h"

typedef struct wf_solid_faces wf_solid_faces;

wf_status wf_solid_faces_create(wf_context *context, wf_solid_faces **solids);
/* NULL is allowed. */
void wf_solid_faces_destroy(wf_solid_faces *solids);

/* Begins with nothing in a box whose lowest corner is at `origin`, of cells of `spacing` (m). `anew`: the arrays of the
 * last finish are not those of the next one, which otherwise writes only where there are solids now or were then. */
wf_status wf_solid_faces_begin(wf_solid_faces *solids, const wf_flow_grid *grid, wf_vec3 origin,
                               const double spacing[3], bool anew);

/* Adds a closed surface, its faces counter-clockwise seen from outside. velocities [vertex_count], m/s. Errors as of
 * wf_lattice_crossings_find. */
wf_status wf_solid_faces_add_surface(wf_solid_faces *solids, const wf_vec3 *positions, const wf_vec3 *velocities,
                                     int32_t face_count, const int32_t (*faces)[3]);

/* Adds a collider at a pose, moving with `velocity` (m/s, of its origin) and `spin` (rad/s). */
wf_status wf_solid_faces_add_collider(wf_solid_faces *solids, const wf_collider *collider, const wf_pose *pose,
                                      wf_vec3 velocity, wf_vec3 spin);

/* Writes for each face, in arrays of the grid, the open fraction (0 to 1), and the component along its axis of the
 * velocity of the solid there (m/s; 0 where there is none near). */
void wf_solid_faces_finish(wf_solid_faces *solids, float *const open[3], float *const velocity[3]);

#endif
