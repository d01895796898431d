/* closing.h - makes of any triangles a closed surface, as far as that can be: what a distance with a sign needs.
 *
 * Vertices at one place become one; faces that name a vertex twice, or repeat another, go; faces that look the other
 * way than most of those they hang together with are turned, and all if the whole is inside out; each closed loop of
 * boundary edges gets a fan of faces around its mean point. What is not a manifold is left as it is: the winding number
 * (solid.h) makes the best of it.
 */
#ifndef WEFT_MESH_CLOSING_H
#define WEFT_MESH_CLOSING_H

#include "mesh/mesh.h"

typedef struct wf_closing_report {
    int32_t welded;        /* vertices that lay on others */
    int32_t dropped;       /* faces that name a vertex twice or repeat another */
    int32_t flat;          /* faces without area, kept */
    int32_t turned;        /* faces */
    int32_t holes;         /* that were closed */
    int32_t open_edges;    /* of one face, that make no loop */
    int32_t crowded_edges; /* of three faces and more */
    double volume;         /* m^3, enclosed in the end */
} wf_closing_report;

/* The first `face_count` faces at `positions`, indices sound. Vertices of no face are left out. WF_ERROR_GEOMETRY when
 * no face is left; otherwise as wf_mesh_build, whose mesh is freed with wf_mesh_free. */
wf_status wf_mesh_close(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                        const int32_t (*faces)[3], wf_mesh *closed, wf_closing_report *report);

#endif
