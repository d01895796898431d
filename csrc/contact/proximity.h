/* proximity.h - the pairs within contact distance at one set of positions.
 *
 * Each place where two surfaces are near is reported once. A vertex over the inside of a face counts always. Two edges
 * count at inner points of both, unless one is a valley as seen from the other (the faces beside it are then nearer) or
 * they are nearly parallel (below 0.6 degrees, left to their ends). A vertex near an edge or near a vertex counts where
 * each lies in the other's normal cone, so that nothing above covers it, and then by one pair.
 */
#ifndef WEFT_CONTACT_PROXIMITY_H
#define WEFT_CONTACT_PROXIMITY_H

#include "contact/scene.h"

enum { WF_CONTACT_EDGE_EDGE = 1, WF_CONTACT_BODY = 2 }; /* bits of wf_contact.kind */

typedef struct wf_contact {
    int32_t vertex[4];   /* vertex-face: {v, a, b, c}; edge-edge: {a, b, c, d} */
    double weight[4];    /* sum 0: positive on the first primitive; sum of weight_i x_i = distance * normal */
    wf_vec3 normal;      /* unit, from the second primitive to the first */
    double distance;     /* m */
    double thickness;    /* the pair's contact distance, m */
    double friction;
    int8_t kind;
    uint64_t key;        /* identifies the pair over steps as long as the scene lives */
} wf_contact;

/* The contacts at positions x[vertex_count]: all pairs nearer than their thickness + `margin` (m, >= 0), those that
 * share a class excepted, in an order that does not depend on the number of threads. The array belongs to
 * the scene until the next call. The list is remade around x when it does not cover it; before the first
 * wf_contact_update this is a WF_ERROR_STATE. */
wf_status wf_contact_find(wf_contact_scene *scene, const wf_vec3 *x, double margin, const wf_contact **contacts,
                          int32_t *count);

#endif
