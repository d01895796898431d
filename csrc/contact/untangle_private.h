/* untangle_private.h - what the parts of untangling share: the state of its rounds, and the wishes where to go.
 *
 * A round looks at what is wrong (untangle_contours.c: crossings, untangle_solids.c: cloth in bodies,
 * untangle_layers.c: layers in the wrong order), and each of these adds its wishes; untangle.c makes the moves.
 */
#ifndef WEFT_CONTACT_UNTANGLE_PRIVATE_H
#define WEFT_CONTACT_UNTANGLE_PRIVATE_H

#include "base/vector.h"
#include "contact/untangle.h"
#include "mesh/solid.h"

/* Looked at in one round; the others have their turn later. */
enum { WF_UNTANGLE_MOST_PAIRS = 200000 };

typedef struct wf_untangler {
    wf_context *context;
    const wf_untangle_def *def;
    int32_t cloth_count, vertex_count, cloth_faces, body_faces;
    wf_vec3 *x, *target;
    wf_mesh cloth, bodies;   /* linked; positions are not used */
    double *edge_length;     /* [cloth_count] m, mean at each vertex */
    double *border;          /* [cloth_count] m, from the nearest border along edges; INFINITY where there is none */
    wf_vec3 *move, *spread;  /* [cloth_count] */
    double *weight;          /* [cloth_count] of moves that were added */
    uint8_t *loose, *ring;   /* [cloth_count] of wf_looseness */
    uint8_t *passing;        /* [cloth_count] misplaced, or what such vertices must pass through */
    int32_t (*self)[2], (*with_bodies)[2]; /* [WF_UNTANGLE_MOST_PAIRS] crossing faces */
    int64_t self_count, body_count;        /* all of them */
    wf_solid *solid;         /* of the bodies with an inside, NULL for none */
    wf_vec3 *closest;        /* [cloth_count] on the solid */
    double *distance;        /* [cloth_count] from it, negative inside */
    int32_t *piece;          /* [cloth_count] scratch */
    int32_t *vertex_layer;   /* [cloth_count] the largest of its faces'; -1 of none */
    int32_t inside, misplaced;
} wf_untangler;

/* ---- untangle_contours.c ----------------------------------------------------------------------------------------- */

/* Fills u->self and u->with_bodies. Errors as in mesh/intersect.h. */
wf_status wf_untangle_find_crossings(wf_untangler *u);
/* Wishes for all crossing faces of the same layer, and of bodies. */
void wf_untangle_shorten_curves(wf_untangler *u);

/* ---- untangle_solids.c ------------------------------------------------------------------------------------------- */

/* u->solid, of the faces of bodies with an inside; NULL where there are none. WF_ERROR_MEMORY. */
wf_status wf_untangle_make_solid(wf_untangler *u);
/* Measures all cloth from it, and counts what is inside. */
void wf_untangle_look_at_solid(wf_untangler *u);
/* Wishes for what is inside. WF_ERROR_MEMORY. */
wf_status wf_untangle_leave_solids(wf_untangler *u);

/* ---- untangle_layers.c ------------------------------------------------------------------------------------------- */

/* Counts and marks what is on the wrong side of a layer, and adds its wishes; after wf_untangle_look_at_solid.
 * WF_ERROR_MEMORY. */
wf_status wf_untangle_order_layers(wf_untangler *u);
/* Wishes for crossing faces of different layers. */
void wf_untangle_part_layers(wf_untangler *u);

/* ---- wishes ------------------------------------------------------------------------------------------------------ */

/* How many pairs are in the list of `count` that there are. */
static inline int64_t wf_untangle_listed(int64_t count)
{
    return count < WF_UNTANGLE_MOST_PAIRS ? count : WF_UNTANGLE_MOST_PAIRS;
}

/* Wishes a move of a cloth vertex; the mean of all wishes is made. */
static inline void wf_untangle_wish(wf_untangler *u, int32_t i, wf_vec3 move, double weight)
{
    if (i < u->cloth_count && weight > 0 && u->def->inverse_mass[i] > 0) {
        u->move[i] = wf_vec3_muladds(u->move[i], move, weight);
        u->weight[i] += weight;
    }
}

/* m: how far a wish moves a vertex at most. */
static inline double wf_untangle_step(const wf_untangler *u, int32_t i)
{
    return 0.25 * u->edge_length[i]; /* of the mean length of the edges around it */
}

static inline wf_vec3 wf_untangle_shortened(wf_vec3 move, double longest)
{
    double length = wf_vec3_norm(move);
    return length > longest ? wf_vec3_scale(move, longest / length) : move;
}

static inline wf_vec3 wf_untangle_face_normal(const wf_vec3 *x, const int32_t face[3])
{
    return wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(x[face[1]], x[face[0]]), wf_vec3_sub(x[face[2]], x[face[0]])));
}

#endif
