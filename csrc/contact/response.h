/* response.h - the door through which new positions come: impulses, then impact zones, then a fail-safe.
 *
 * First, pairs that would touch get inelastic impulses with Coulomb friction (after Bridson, Fedkiw, Anderson, "Robust
 * treatment of collisions, contact and friction for cloth animation", 2002): at the time of impact the closest points
 * and their direction are taken, and the end of the step is corrected so that along this direction the gap is the
 * contact distance, or the first gap if that was smaller. Pairs are taken in the order of the list (Gauss-Seidel), so
 * that momentum is conserved by each and the result does not depend on the number of threads. What still touches after
 * `rounds` is parted zone by zone (impact_zones.h), with the pairs that this makes touch, for up to `zone_rounds`. What
 * is left after that is pulled back toward the start: its vertices keep 1, 1/2, 1/4 or nothing of their motion (rigid
 * bodies halve theirs down to 1/512 before they keep nothing), until
 * continuous detection over all pairs finds nothing. With bodies at rest this always ends: a pair at rest cannot hit.
 *
 * A moving body may run into cloth that was pulled all the way back. The cloth then moves along with the body's point
 * of contact; if even this leads into other contacts again and again, resolve gives up with WF_ERROR_GEOMETRY.
 *
 * Rigid bodies (rigid_motion.h) are pushed, pulled back and carried along as a whole.
 */
#ifndef WEFT_CONTACT_RESPONSE_H
#define WEFT_CONTACT_RESPONSE_H

#include "contact/rigid_motion.h"
#include "contact/scene.h"

typedef struct wf_contact_resolve_params {
    double separation; /* m, what pairs must keep, up to half of their thickness; 0: 0.1 of the smallest thickness */
    int rounds;        /* of impulses, 0 to 100; those on rigid bodies go on beyond it */
    int zone_rounds;   /* of impact zones, 0 to 1000 */
    wf_contact_rigids rigids; /* none; x1 of their vertices must be that of their poses */
} wf_contact_resolve_params;

wf_contact_resolve_params wf_default_contact_resolve_params(void); /* 0; 8 rounds, 20 of zones */

/* Moves x1 (in place) so that no pair touches on the way from x0, which must be free of intersections; cloth that no
 * pair concerns is not moved. Afterwards every pair keeps `separation`, or 0.9 of its distance at x0 where that is
 * smaller, along the straight motion; a motion that sweeps over too many pairs at once is cut into slices, and then
 * follows a polyline instead of the straight line. inverse_mass is [vertex_count] (1/kg), 0 for what impulses do not
 * move (bodies, pins) or move as a whole (rigid bodies); the fail-safe stops pins, never bodies. `stats` may be NULL.
 * WF_ERROR_NUMERIC (a coordinate is not finite or beyond 1e6 m), WF_ERROR_GEOMETRY and WF_ERROR_MEMORY leave x1 as it
 * was. */
wf_status wf_contact_resolve(wf_contact_scene *scene, const wf_vec3 *x0, wf_vec3 *x1, const double *inverse_mass,
                             const wf_contact_resolve_params *params, wf_contact_stats *stats);

#endif
