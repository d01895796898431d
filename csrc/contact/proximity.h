/* proximity.h - the pairs within contact distance at one set of positions.
 *
 * Every vertex-face pair counts, wherever on the face the closest point lies, and every edge-edge pair with inner
 * closest points whose edges are not nearly parallel (angle above 0.6 degrees). A vertex near an edge or a corner so
 * meets all its faces. Reporting it for one of them would be leaner, but which one, and whether another pair covers it,
 * changes from step to step: a contact that comes and goes keeps cloth from ever resting. Where forces balance, several
 * springs side by side are as good as one.
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
    wf_friction friction;
    int8_t kind;
    uint64_t key;        /* identifies the pair over steps as long as the scene lives */
} wf_contact;

typedef enum wf_contact_choice {
    WF_CONTACTS_USUAL,
    /* All pairs of edges, wherever their closest points are and however parallel they run: what a potential that is
     * smooth along the edges needs. */
    WF_CONTACTS_ALL,
    /* Each once: of pairs whose closest points are about the same, faces around a corner, edges that cross at their
     * ends, the nearest alone, and of edges none where a vertex makes it; and of faces that lie behind each other the
     * first. Layers whose vertices lie above each other have a tenth of the contacts. */
    WF_CONTACTS_FEWEST
} wf_contact_choice;

/* The contacts at positions x[vertex_count]: all pairs nearer than their thickness + `margin` (m, >= 0), those that
 * share a class excepted, in an order that does not depend on the number of threads. The array belongs to
 * the scene until the next call. The list is remade around x when it does not cover it; before the first
 * wf_contact_update this is a WF_ERROR_STATE. */
wf_status wf_contact_find(wf_contact_scene *scene, const wf_vec3 *x, double margin, wf_contact_choice choice,
                          const wf_contact **contacts, int32_t *count);

/* Whether, of the pairs around it on the same surfaces, this is the nearest: no face beside an edge, and no edge beside
 * a vertex, in which it has its closest point leads nearer; and of faces that share this edge or vertex it has the
 * first. Others push aside from what their neighbours hold up already. x is what the contact was found at. */
bool wf_contact_is_nearest(const wf_contact_scene *scene, const wf_contact *contact, const wf_vec3 *x);

#endif
