/* grid.h - balls that overlap, by a uniform grid in a hash table.
 *
 * In linear time where no cell holds many: for particles, and for many small cloths by the balls around them, where a
 * tree would have to be built anew when they scatter.
 */
#ifndef WEFT_CONTACT_GRID_H
#define WEFT_CONTACT_GRID_H

#include "base/context.h"
#include "base/vector.h"

/* Pairs of balls that overlap, the smaller index first, sorted: the first `limit` go to pairs[limit], *found receives
 * the number of all. `group` (one number for each, or NULL): pairs of one group are left out. Radii from 1e-6 to 1e6 m.
 * WF_ERROR_NUMERIC: a coordinate is not finite or beyond 1e6 m; WF_ERROR_LIMIT: so many balls lie in one place, beside
 * the largest of them, that more than 10^9 pairs would have to be looked at. */
wf_status wf_grid_find_pairs(wf_context *context, int32_t count, const wf_vec3 *centres, const double *radii,
                             const int32_t *group, int64_t limit, int32_t (*pairs)[2], int64_t *found);

#endif
