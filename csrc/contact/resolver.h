/* resolver.h - what the stages of contact's response (response.h) share: the motion in hand, the pairs that hit in it.
 *
 * Each stage starts from the marks of the last detection and ends with a detection, so that the next one finds the
 * pairs that are left marked. A stage sets *too_many where the motion that it made sweeps over too many pairs; x1 is
 * then of no use.
 */
#ifndef WEFT_CONTACT_RESOLVER_H
#define WEFT_CONTACT_RESOLVER_H

#include "contact/rigid_impacts.h"
#include "contact/scene_private.h"

typedef struct wf_resolver {
    wf_contact_scene *scene;
    const wf_vec3 *x0;        /* of the slice */
    wf_vec3 *x1;
    const double *inverse_mass;
    double separation;
    wf_contact_rigids rigids;
    wf_rigid_impacts impacts; /* of the slice */
    int slices;               /* of the motion */
    wf_status status;         /* of what is done pair by pair */
} wf_resolver;

/* What a pair keeps whatever happens; neighbours as much as others, although their thickness may be less. */
double wf_resolver_separation(const wf_resolver *r, int kind, const wf_candidate *c);

/* Whether the pair, at least `bound` (m) apart at the start, comes nearer than its separation; gathers its points on
 * the way. */
bool wf_resolver_pair_hits(const wf_resolver *r, int kind, const wf_candidate *c, double bound, int32_t vertex[4],
                           wf_vec3 x0[4], wf_vec3 x1[4], double *time);

/* Marks the pairs that hit; of those with a changed vertex only, if asked. The others, which did not hit when they were
 * last looked at, do not on the same ways, whichever list they are of. */
wf_status wf_resolver_detect(const wf_resolver *r, bool changed_only, int64_t *hit_count);

/* Calls the function for each marked pair, in order; returns how often it said true. */
int64_t wf_resolver_for_each_marked(wf_resolver *r, bool (*function)(wf_resolver *r, int kind, const wf_candidate *c));

/* Weights and direction of the pair at `time`; the weights of the second primitive are negative. */
void wf_pair_closest_at(int kind, const wf_vec3 x0[4], const wf_vec3 x1[4], double time, double weight[4],
                        wf_vec3 *normal);

/* Places the vertices of rigid bodies that were moved. */
void wf_resolver_place_moved(wf_resolver *r);

/* Rounds of impulses, pair by pair (impulses.c). It detects by itself. *clean: nothing hits in the end. */
wf_status wf_resolver_push(wf_resolver *r, int rounds, bool *clean, bool *too_many);

/* Parts together what impulses one by one could not: the pairs marked, and those that hit when these are parted
 * (impulses.c). *clean as above. */
wf_status wf_resolver_part_zones(wf_resolver *r, int rounds, bool *clean, bool *too_many);

/* Pulls back what hits until nothing does (fail_safe.c). WF_ERROR_GEOMETRY: a body presses cloth into other contacts
 * faster than it can give way. */
wf_status wf_resolver_fail_safe(wf_resolver *r, bool *too_many);

#endif
