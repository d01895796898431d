/* surface.h - the meshes of a picture, ready to be hit by rays.
 *
 * Positions are moved and scaled in double precision so that all meshes together lie in the unit ball; rays work on
 * single precision there, and every tolerance is a plain number whatever the size and place of the scene.
 */
#ifndef WEFT_SHADE_SURFACE_H
#define WEFT_SHADE_SURFACE_H

#include <cglm/cglm.h>
#include <embree3/rtcore.h>

#include "shade/colour.h"
#include "base/types.h"

/* One mesh of a picture. The arrays are read while the picture is made, not later. */
typedef struct wf_picture_mesh {
    const char *name;             /* for messages, e.g. "mesh 2" */
    int64_t vertex_count;
    const wf_vec3 *positions;     /* [vertex_count] metres */
    int64_t face_count;
    const int32_t (*faces)[3];    /* [face_count] counter-clockwise seen from the front */
    float colour[3];              /* of the front, sRGB in [0, 1] */
    float back_colour[3];         /* of the side whose faces are clockwise */
    float sheen;                  /* strength of the bright rim of cloth at grazing angles, 0 to 1 */
    float gloss;                  /* strength of a soft highlight, 0 to 1 */
    double crease;                /* radians; normals are smooth across edges that bend less */
    const double *values;         /* NULL, or numbers shown through `map` instead of the colours */
    int64_t value_count;          /* vertex_count or face_count */
    double value_low, value_high; /* what the ends of the map stand for */
    wf_colour_map map;
    const float (*colours)[3];    /* NULL, or sRGB for both sides */
    int64_t colour_count;         /* vertex_count or face_count */
    bool edges;                   /* draw every edge, fainter than borders and lines */
    bool borders;                 /* draw the edges that belong to one face only */
    const int32_t (*lines)[2];    /* [line_count] edges to draw, by their vertices; other pairs are ignored */
    int64_t line_count;
} wf_picture_mesh;

/* Grey cloth with creases at 50 degrees. */
wf_picture_mesh wf_default_picture_mesh(void);

/* A mesh as the rays see it. */
typedef struct wf_surface {
    int64_t first_vertex, vertex_count, face_count;
    uint32_t (*faces)[3];
    float (*corner_normals)[3][3]; /* [face_count] unit vectors */
    float (*vertex_colours)[3];    /* linear, or NULL */
    float (*face_colours)[3];      /* linear, or NULL */
    uint8_t *drawn_edges;          /* [face_count] bit k: the edge from corner k to corner k + 1 is drawn as a line, bit
                                    * k + 3: as a fainter wire; or NULL */
    vec3 colour, back_colour;      /* linear */
    float sheen, gloss;
} wf_surface;

typedef struct wf_surfaces {
    int64_t count, vertex_count;
    wf_surface *items;
    float (*positions)[3]; /* of all meshes, in the unit ball; one spare element, which Embree may read past the end */
    wf_vec3 centre;        /* world = centre + radius * scaled */
    double radius;
    float lowest;          /* the smallest height, scaled */
    RTCDevice device;
    RTCScene scene;        /* geometry k is mesh k */
} wf_surfaces;

/* Checks and prepares the meshes. Errors name the mesh and the first offender: nothing to draw, a position that is not
 * finite or beyond 1e9 m, an index out of range, a wrong number of values. On failure nothing is kept. */
wf_status wf_surfaces_build(wf_context *context, int64_t mesh_count, const wf_picture_mesh *meshes,
                            wf_surfaces *surfaces);

void wf_surfaces_free(wf_context *context, wf_surfaces *surfaces);

#endif
