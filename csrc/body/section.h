/* section.h - plane sections of triangle meshes: the curves a tailor's tape follows. */
#ifndef WEFT_BODY_SECTION_H
#define WEFT_BODY_SECTION_H

#include "mesh/mesh.h"

/* One connected curve of a section. */
typedef struct wf_section_curve {
    int32_t first, count;  /* its points are points[first .. first + count) of the section */
    bool closed;           /* the last point joins the first; false where the mesh is open */
    double length;         /* m, along the mesh */
    double girth;          /* m, of a tape pulled tight around it: the perimeter of its convex hull in the plane */
    wf_vec3 centroid;      /* of the curve itself, weighted by length */
} wf_section_curve;

/* The section of a mesh with a plane; curves in decreasing order of girth. Free with wf_section_free. */
typedef struct wf_section {
    wf_vec3 *points;
    wf_section_curve *curves;
    int32_t point_count, curve_count;
    size_t point_capacity, curve_capacity;
} wf_section;

/* Cuts `mesh`, its vertices at `positions` [vertex_count], with the plane through `origin` with unit `normal`. A vertex
 * exactly in the plane counts as above it, so that every curve ends only where the mesh does. No curve is a valid
 * answer. Fails only for want of memory; `section` is then empty. */
wf_status wf_section_cut(wf_context *context, const wf_mesh *mesh, const wf_vec3 *positions, wf_vec3 origin,
                         wf_vec3 normal, wf_section *section);

void wf_section_free(wf_context *context, wf_section *section);

/* The curve whose centroid is nearest to `point`, or NULL when there is none: the torso between two arms. */
const wf_section_curve *wf_section_nearest(const wf_section *section, wf_vec3 point);

#endif
