/* mesh.h - indexed triangle meshes in space: adjacency, validation, description.
 *
 * Any triangle soup with sound indices is a mesh here, also open and non-manifold ones, because collision takes them;
 * wf_mesh_examine says what is lost. Messages count vertices and faces from 1, as the people do who read them.
 */
#ifndef WEFT_MESH_MESH_H
#define WEFT_MESH_MESH_H

#include "base/context.h"

/* Coordinates must be smaller than this, m. */
#define WF_MESH_LARGEST_COORDINATE 1e6

/* The largest number of faces: 3 corners of each must be countable in an int32. */
#define WF_MESH_LARGEST_FACE_COUNT (INT32_MAX / 3)

/* Plain data; the arrays belong to the mesh and come from the context. Edge k of a face joins its corners k and
 * (k + 1) % 3. A mesh that is not linked has no edges, and NULL for the arrays below the faces. */
typedef struct wf_mesh {
    int32_t vertex_count, face_count, edge_count;
    wf_vec3 *positions;       /* [vertex_count], m */
    int32_t (*faces)[3];      /* [face_count], counter-clockwise */
    int32_t (*edges)[2];      /* [edge_count], each undirected edge once, smaller vertex first, sorted */
    int32_t (*face_edges)[3]; /* [face_count] */
    int32_t (*edge_faces)[2]; /* [edge_count], the two incident faces of smallest index, ascending; -1 where none */
    int32_t *vertex_face_start; /* [vertex_count + 1]: the faces of vertex v are */
    int32_t *vertex_faces;      /* [3 face_count]: vertex_faces[start[v] .. start[v + 1]), ascending */
} wf_mesh;

/* Copies positions (m) and faces and finds the adjacency, in linear time.
 *
 * WF_ERROR_ARGUMENT: a negative count, an index out of range. WF_ERROR_NUMERIC: a coordinate that is not finite or
 * not below 1e6 m in magnitude. WF_ERROR_GEOMETRY: a face that names a vertex twice, or two faces with the same three
 * vertices. WF_ERROR_LIMIT: too many faces. The message names the first offender. On failure `mesh` is all zero. */
wf_status wf_mesh_build(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                        const int32_t (*faces)[3], wf_mesh *mesh);

/* The same without the adjacency, which takes 100 bytes a vertex: for meshes that are kept and seldom asked for it. */
wf_status wf_mesh_build_bare(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                             const int32_t (*faces)[3], wf_mesh *mesh);

/* Finds the adjacency unless it is there. On failure the mesh is as it was. */
wf_status wf_mesh_link(wf_context *context, wf_mesh *mesh);

/* The checks of wf_mesh_build on faces alone. */
wf_status wf_mesh_check_faces(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3]);

/* Takes those out of a list of faces that no mesh can hold: which name a vertex twice, or repeat an earlier one. */
wf_status wf_mesh_drop_bad_faces(wf_context *context, int32_t (*faces)[3], int32_t *face_count);

/* Turns all faces over. */
void wf_mesh_turn(wf_mesh *mesh);

/* Frees the arrays and sets the mesh to zero. A mesh that is all zero is allowed. */
void wf_mesh_free(wf_context *context, wf_mesh *mesh);

typedef struct wf_mesh_report {
    bool closed;                  /* every edge has an even number of faces, and there is a face */
    bool manifold;                /* no non-manifold edge or vertex */
    bool oriented;                /* faces that share an edge run along it in opposite directions */
    int32_t components;           /* sets of faces connected through vertices */
    int32_t boundary_loops;       /* closed curves formed by boundary edges */
    int32_t boundary_edges;       /* edges of one face */
    int32_t nonmanifold_edges;    /* edges of three faces and more */
    int32_t nonmanifold_vertices; /* vertices whose faces form more than one fan */
    int32_t zero_area_faces;      /* exactly collinear corners */
    int32_t isolated_vertices;    /* vertices of no face */
    int64_t euler;                /* vertices - edges + faces, isolated vertices left out */
    double area;                  /* m^2 */
    double volume;                /* enclosed, m^3; means something only for closed, oriented meshes */
} wf_mesh_report;

/* Describes a linked mesh, in linear time. Fails only for want of memory. */
wf_status wf_mesh_examine(wf_context *context, const wf_mesh *mesh, wf_mesh_report *report);

/* What keeps a surface from having an inside, the first of it: "the surface is open (3 boundary edges in 1 loops)".
 * False, and nothing written, where it has one: it is closed, manifold and oriented. */
bool wf_mesh_describe_defect(const wf_mesh_report *report, char *text, size_t size);

/* Unit normals of the vertices at `positions` [vertex_count]: the normals of the incident faces weighted with their
 * angle at the vertex (Thuermer and Wuethrich 1998), so that they do not depend on how a flat part is cut into
 * triangles. Zero for a vertex without faces of positive area. `normals` [vertex_count] may not overlap `positions`. */
void wf_mesh_vertex_normals(const wf_mesh *mesh, const wf_vec3 *positions, wf_vec3 *normals);

#endif
