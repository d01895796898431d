/* free_motion.h - how much of a motion all pairs can make together before one of them has used up its gap.
 *
 * The gap of a pair is what its distance exceeds an offset by: a part of its contact distance, or most of its distance
 * at the start of the step where that is less. Whoever moves by the fraction found here keeps a part of every gap.
 */
#ifndef WEFT_CONTACT_FREE_MOTION_H
#define WEFT_CONTACT_FREE_MOTION_H

#include "contact/proximity.h"

/* The part of its contact distance that no pair enters. The rest of it is where barriers push. */
#define WF_OFFSET_PART 0.25

/* What a motion leaves of a gap, and a step of a distance that is less than the offset at its start. */
#define WF_KEPT_OF_GAP 0.1
#define WF_KEPT_OF_START 0.9

/* m: pairs that are no farther apart touch. */
#define WF_TOUCHING 1e-9

/* m, for places of at most a metre, and as a part of larger ones: of pairs that are no farther apart rounding has left
 * no direction, and no gap that could be kept. */
#define WF_NO_GAP 1e-13

/* Pairs that were nearer when the step began than the offset allows, and theirs. */
typedef struct wf_tight_pair {
    uint64_t key;  /* of wf_contact */
    double offset; /* m */
} wf_tight_pair;

typedef struct wf_tight_pairs {
    wf_tight_pair *pairs; /* by key */
    size_t count, capacity;
} wf_tight_pairs;

/* Takes the tight ones of the contacts at the start of a step. */
wf_status wf_tight_pairs_gather(wf_context *context, wf_tight_pairs *tight, const wf_contact *contacts, int32_t count);

/* Whether a pair at x[4] with this distance has no gap. */
bool wf_has_no_gap(const wf_vec3 x[4], double distance);

/* m, of the pair with this key and contact distance */
double wf_pair_offset(const wf_tight_pairs *tight, uint64_t key, double thickness);

/* *fraction, 0 to 1, of the straight motion from x0 to x1 (both [vertex_count], in the scene's numbering) that leaves
 * every pair that part of its gap, as continuous detection proves; pairs without one are left out. Where even the list
 * of pairs would be too long, less is looked at; x1 then holds the end of that. Independent of the number of
 * threads. */
wf_status wf_contact_free_fraction(wf_contact_scene *scene, const wf_vec3 *x0, wf_vec3 *x1,
                                   const wf_tight_pairs *tight, double *fraction);

#endif
