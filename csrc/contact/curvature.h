/* curvature.h - regions of cloth that cannot touch themselves, told by their normals and contours.
 *
 * A part of a mesh whose normals share a half space, and whose contour seen along that direction does not meet itself,
 * has no self-collision (Volino and Magnenat-Thalmann 1994). Here "cannot touch" is what the candidate list promises:
 * no two primitives without a common vertex come within their reach of each other, that is, within their contact
 * distance wherever in their balls the vertices may go during the step; curvature.c has the proof. All pairs within
 * such a region are left out of the search, and the list misses nothing.
 *
 * Where a large mesh is crumpled, regions are small and leave out less than they cost: a sample of patches tells, and
 * no regions are sought.
 */
#ifndef WEFT_CONTACT_CURVATURE_H
#define WEFT_CONTACT_CURVATURE_H

#include "contact/hierarchy.h"
#include "contact/scene.h"

/* What a node of the cloth's tree knows of the faces below it. */
typedef struct wf_region_node {
    int32_t begin, end;    /* ranks */
    uint32_t directions;   /* one bit for each sample direction on the outer side of all faces */
    float axis[3], cosine; /* a cone that holds all normals; no cone when cosine <= 0 */
    float reach;           /* the largest of the faces' */
    int32_t common_class;  /* of all vertices, or -1 */
} wf_region_node;

/* An edge of a region's contour, seen along its direction; the region lies to the left. */
typedef struct wf_contour_edge {
    double from[2], to[2];
    int32_t start, end; /* vertices */
    int32_t next, loop; /* edges: the one that starts where this ends, the first of the loop */
} wf_contour_edge;

typedef struct wf_curvature {
    int32_t (*neighbour)[3];  /* [faces] by rank: the rank across each edge; -1 for none, NOT_A_SURFACE */
    wf_region_node *nodes;    /* [nodes of the tree] */
    int32_t *open, *open_next;
    uint8_t *certified;       /* [open] */
    wf_contour_edge *contour; /* [faces] scratch */
    int32_t *region_end;      /* [faces] by rank: pairs with faces of smaller rank than this are not searched for */
    int32_t regions, faces;   /* how many there are, of more than one face, and how many faces are in them */
} wf_curvature;

struct wf_contact_scene;

/* Makes the tables for the cloth's tree as it is. */
wf_status wf_curvature_create(struct wf_contact_scene *scene);
void wf_curvature_free(wf_context *context, wf_curvature *curvature);

/* Finds the regions at the scene's reference positions and reaches. */
void wf_curvature_find_regions(struct wf_contact_scene *scene);

#endif
