/* door.c - the one door for positions.
 *
 * Every change of the positions of cloth passes here with both ends known: the time step, sewing's merge, drags. The
 * end positions are first kept above the floor, then handed to the contact scene, which lets no pair touch on the way.
 * Because the scene may push a vertex below the floor again, its fail-safe alone has the last word: it moves vertices
 * only along the segment from a start to an end that are both above the floor.
 */
#include "world/world_state.h"

/* Cloth keeps at least a tenth of its thickness from the floor, as the contact scene keeps pairs apart. */
static bool keep_above_floor(const wf_world *world, const wf_vec3 *x0, wf_vec3 *x1)
{
    bool moved = false;
    if (!world->params.floor) {
        return false;
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        /* A start that is lower already (a floor switched on late) is not thrown upward. */
        double lowest = fmin(world->params.floor_height + 0.1 * world->half_thickness[i], x0[i].y);
        if (x1[i].y < lowest) {
            x1[i].y = lowest;
            moved = true;
        }
    }
    return moved;
}

wf_status wf_world_pass_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1)
{
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        if (!wf_vec3_isfinite(x1[i])) {
            return wf_fail(world->context, WF_ERROR_NUMERIC,
                           "the new position of vertex %d is not finite; the state is unchanged", (int)i + 1);
        }
    }
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    params.rounds = world->response->impulse_rounds;
    params.zone_rounds = world->response->zone_rounds;
    for (int attempt = 0;; attempt++) {
        bool pushed;
        bool lifted = keep_above_floor(world, x0, x1);
        wf_status status = wf_world_keep_outside(world, x0, x1, attempt, &pushed);
        if (status != WF_OK || (attempt > 0 && !lifted && !pushed)) {
            return status;
        }
        if (!world->scene) {
            continue;
        }
        status = wf_contact_update(world->scene, x0, x1, world->params.contact_skin);
        if (status != WF_OK) {
            return status;
        }
        wf_contact_stats stats;
        status = wf_contact_resolve(world->scene, x0, x1, world->inverse_mass, &params, &stats);
        if (status != WF_OK) {
            return status;
        }
        world->stats.candidates = stats.candidates;
        world->stats.detection_seconds += stats.broad_seconds + stats.continuous_seconds;
        world->stats.hits += stats.hits;
        world->stats.backed_off = stats.backed_off_vertices;
        params.rounds = params.zone_rounds = 0;
    }
}
