/* sampled.h - colliders made of samples of a surface: fields, voxels, maps.
 *
 * All are in the coordinates of what was sampled, less `origin`; with the pose at the origin and not turned they are
 * where it was. Only vertices are kept outside of them, and only as exactly as the samples know the surface.
 */
#ifndef WEFT_CONTACT_COLLIDERS_SAMPLED_H
#define WEFT_CONTACT_COLLIDERS_SAMPLED_H

#include "contact/colliders/collider.h"
#include "mesh/solid.h"

typedef struct wf_surface_part {
    int32_t vertex_count;
    const wf_vec3 *positions;  /* [vertex_count], m */
    int32_t face_count;
    const int32_t (*faces)[3]; /* [face_count], counter-clockwise seen from outside; see mesh/closing.h for others */
    wf_vec3 origin;            /* m: becomes the origin of the collider's coordinates, a joint for one */
} wf_surface_part;

typedef struct wf_field_def {
    double cell; /* m; 0: 1/64 of the largest extent */
    double band; /* cells on both sides of the surface, 2 to 32; default 4 */
    bool linear; /* interpolation: else cubic */
} wf_field_def;

wf_field_def wf_default_field_def(void);

/* The signed distance of a surface, sampled on a grid. Where smooth, the error of cubic interpolation goes with the
 * cube of the cell, that of linear with its square; edges and corners are rounded by about a cell. The sign is that of
 * the winding number of the closed surface. */
wf_status wf_collider_create_field(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                   const wf_field_def *field, wf_collider **collider);

typedef enum wf_voxel_label { WF_VOXEL_FREE, WF_VOXEL_SURFACE, WF_VOXEL_INTERIOR } wf_voxel_label;

/* Cells that are inside or not, by their middles; the surface is told to half a cell's diagonal. `cell` 0: 1/64 of the
 * largest extent. */
wf_status wf_collider_create_voxels(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                    double cell, wf_collider **collider);

/* The same of cells that are given: occupied[(k * size[1] + j) * size[0] + i] for the cell whose lower corner is at
 * lower + {i, j, k} cell. */
wf_status wf_collider_create_occupancy(wf_context *context, const wf_collider_def *def, const int32_t size[3],
                                       const uint8_t *occupied, wf_vec3 lower, double cell, wf_collider **collider);

/* What the cell around a point of the world is: a surface cell has the surface in it, others are free or interior.
 * Of other kinds than voxels by the sign of the distance: free or interior. */
wf_voxel_label wf_collider_label(const wf_collider *collider, wf_vec3 point);

/* What is seen of a surface along its z from the front and from the back: for each pixel the depth of the first point
 * and its normal. Inside is what is between them; hollows that neither sees are taken for full. `pixel` 0: 1/128 of the
 * larger extent in x and y. */
wf_status wf_collider_create_maps(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                  double pixel, wf_collider **collider);

/* WF_ERROR_ARGUMENT unless the part has faces, of a size that can be sampled; *lower and *upper are the bounds of what
 * its faces use, less its origin. */
wf_status wf_surface_part_bounds(wf_context *context, const wf_surface_part *part, wf_vec3 *lower, wf_vec3 *upper);

/* Closes the part's surface, says in a warning what was mended, and keeps it in collider->closing.
 * WF_ERROR_GEOMETRY: it encloses nothing. */
wf_status wf_surface_part_close(const wf_surface_part *part, wf_collider *collider, wf_mesh *closed);

/* m: from the origin to the farthest corner of a box; its longest edge. */
double wf_box_reach(wf_vec3 lower, wf_vec3 upper);
double wf_box_extent(wf_vec3 lower, wf_vec3 upper);

/* From point to point, each at most `spacing` (m) from the one before; begins with these two alone. */
typedef struct wf_solid_walk {
    const wf_solid *solid;
    double spacing;
    double distance; /* m, without a sign, of the last point from the surface; */
    bool known;
    wf_vec3 nearest; /* of the surface, to it, which is near that of the next; */
    bool inside;     /* the next has the same side, where the surface is not between them */
} wf_solid_walk;

void wf_solid_walk_to(wf_solid_walk *walk, wf_vec3 point);

#endif
