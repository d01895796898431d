/* caught.h - cloth that stands through a body, rigid or not.
 *
 * Where a surface of cloth crosses that of a body, contact knows no sides. To keep such pairs from touching would tie
 * the cloth to the body where it is, with forces that neither feels. So primitives of cloth that cross a body, or are
 * in it, do not meet that body; all others do. What is outside stays outside, since
 * - an edge that does not cross has both ends outside, is kept from the body's edges, and its ends from its faces;
 * - a face that does not cross has such edges alone, and is kept from the body's vertices.
 * The crossing cannot grow; it ends when weight, motion or the cloth's own forces have led one out of the other.
 * Rigid bodies that overlap do not meet each other at all, until they no longer do.
 */
#ifndef WEFT_CONTACT_CAUGHT_H
#define WEFT_CONTACT_CAUGHT_H

#include "base/context.h"

typedef struct wf_contact_scene wf_contact_scene;

enum { WF_CAUGHT_IN_NOTHING = -1, WF_CAUGHT_IN_SEVERAL = -2 };

/* The class of the body that each primitive is caught in, or one of the above. Made when first asked for. */
typedef struct wf_caught {
    int32_t *vertex, *edge, *face;
    bool any;
    int32_t (*apart)[2]; /* [apart_capacity], classes of rigid bodies that do not meet each other */
    size_t apart_count, apart_capacity;
} wf_caught;

/* Lets all cloth go, and rigid bodies meet. WF_ERROR_MEMORY. */
wf_status wf_contact_catch_nothing(wf_contact_scene *scene);

/* After that: a cloth vertex is in the body of a class, its edges and faces with it; a face crosses that body; so does
 * the edge of a face from one of its corners to the next. */
void wf_contact_catch_vertex(wf_contact_scene *scene, int32_t vertex, int32_t body_class);
void wf_contact_catch_face(wf_contact_scene *scene, int32_t face, int32_t body_class);
void wf_contact_catch_edge(wf_contact_scene *scene, int32_t face, int corner, int32_t body_class);

/* After that, too: rigid bodies of these classes overlap, and pass through each other. WF_ERROR_MEMORY. */
wf_status wf_contact_let_pass(wf_contact_scene *scene, int32_t rigid_class, int32_t other_class);

void wf_caught_free(wf_context *context, wf_caught *caught);

#endif
