/* untangle.h - recovery from a bad start: takes cloth out of itself, out of other cloth and out of bodies.
 *
 * Contact keeps apart what is apart; where surfaces cross it cannot tell the sides. Here three rules say where to go,
 * in rounds of small moves, until exact arithmetic finds no crossing or rounds bring nothing more:
 * - cloth inside a solid body goes to the nearest place of its surface;
 * - of two layers that cross, or that lie the wrong way round, the outer goes outward: away from the body, or where
 *   there is none to the side of the inner one's normals;
 * - everything else moves so that the curve in which the surfaces cross becomes shorter (P. Volino and N.
 *   Magnenat-Thalmann, "Resolving surface collisions through intersection contour minimization", 2006): curves that end
 *   at a border shrink from there, closed ones around what pokes through.
 * Only cloth moves, pins do not, and every move passes the door (response.h), with the surroundings of the crossings
 * loose: what does not cross does not begin to.
 */
#ifndef WEFT_CONTACT_UNTANGLE_H
#define WEFT_CONTACT_UNTANGLE_H

#include "contact/scene.h"

typedef struct wf_untangle_def {
    wf_contact_scene_def scene;   /* `vertex_loose` is not read */
    const double *inverse_mass;   /* [cloth_count] 1/kg; 0: pinned */
    const int32_t *face_layer;    /* [cloth_face_count] larger is further out; NULL: all the same */
    const uint8_t *body_solid;    /* [body_face_count] whether the face is of a body with an inside */
    bool with_itself;             /* whether cloth that crosses cloth is looked at */
    /* Where a cloth vertex that is at `from` may go when it is to go to `to`. */
    wf_vec3 (*keep_outside)(const void *user, int32_t vertex, wf_vec3 from, wf_vec3 to);
    const void *user;
    int rounds;                   /* at most, 1 to 10000 */
} wf_untangle_def;

typedef struct wf_untangle_report {
    int64_t crossings_before, crossings; /* pairs of triangles */
    int32_t inside_before, inside;       /* vertices in solid bodies */
    int32_t misplaced_before, misplaced; /* vertices on the wrong side of a layer further in */
    int32_t rounds, moved_vertices;
    double largest_move;                 /* m */
} wf_untangle_report;

enum { WF_MOST_PLACES = 1000 };

/* Moves x [vertex_count]; of all rounds the best state is kept, so that there are never more crossings than before.
 * `places` [WF_MOST_PLACES] are middles of crossings that are left, *place_count of them. Errors leave x as it was. */
wf_status wf_untangle(wf_context *context, const wf_untangle_def *def, wf_vec3 *x, wf_vec3 *places,
                      int32_t *place_count, wf_untangle_report *report);

#endif
