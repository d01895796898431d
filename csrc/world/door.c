/* door.c - the one door for positions.
 *
 * Every change of the positions of cloth passes here with both ends known: the time step, sewing's merge, drags. The
 * end positions are first kept above the floor, then handed to the contact scene, which lets no pair touch on the way.
 * Because the scene may push a vertex below the floor again, later turns give cloth no impulses, only the fail-safe: it
 * moves vertices only along the segment from a start to an end that are both above the floor. Rigid bodies get impulses
 * in all turns, and `firmly` keeps them where they began if the floor is still in the way after some. What a moving
 * body carries leaves that segment, though: cloth between the body and the floor would be carried down and lifted again
 * for ever. After some turns it counts as pressed faster than it can give way.
 */
#include "world/world_state.h"

enum { MOST_TURNS = 4,     /* of scene and floor, before rigid bodies that both hold stay where they were */
       MOST_ATTEMPTS = WF_COLLIDER_ATTEMPTS + 4 }; /* before cloth that both hold has no place to go */

/* Cloth keeps at least a part of its thickness from the floor, as the contact scene keeps pairs apart. */
static bool keep_above_floor(wf_world *world, double part, const wf_vec3 *x0, wf_vec3 *x1, bool firmly)
{
    bool moved = false;
    if (!world->params.floor) {
        return false;
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        /* A start that is lower already (a floor switched on late) is not thrown upward. */
        double lowest = fmin(world->params.floor_height + part * world->half_thickness[i], x0[i].y);
        if (x1[i].y < lowest) {
            x1[i].y = lowest;
            moved = true;
        }
    }
    return wf_world_keep_rigids_above_floor(world, x1, firmly) || moved;
}

static wf_status pass(wf_world *world, double floor_part, wf_contact_resolve_params *params, const wf_vec3 *x0,
                      wf_vec3 *x1)
{
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        if (!wf_vec3_isfinite(x1[i])) {
            return wf_fail(world->context, WF_ERROR_NUMERIC,
                           "the new position of vertex %d is not finite; the state is unchanged", (int)i + 1);
        }
    }
    params->rigids = (wf_contact_rigids){.count = (int32_t)world->rigid_count,
                                         .items = world->rigid_motions,
                                         .floor = world->params.floor,
                                         .floor_height = world->params.floor_height,
                                         .floor_friction = world->params.floor_friction};
    for (int attempt = 0;; attempt++) {
        bool pushed;
        bool lifted = keep_above_floor(world, floor_part, x0, x1, attempt >= MOST_TURNS);
        wf_status status = wf_world_keep_outside(world, x0, x1, attempt, &pushed);
        if (status != WF_OK || (attempt > 0 && !lifted && !pushed)) {
            return status;
        }
        if (attempt == MOST_ATTEMPTS) {
            return wf_fail(world->context, WF_ERROR_GEOMETRY, "contact: a moving body presses cloth into the floor "
                           "faster than it can give way; take a smaller time step");
        }
        if (!world->scene) {
            continue;
        }
        status = wf_contact_update(world->scene, x0, x1, wf_world_contact_skin(world));
        if (status != WF_OK) {
            return status;
        }
        wf_contact_stats stats;
        status = wf_contact_resolve(world->scene, x0, x1, world->inverse_mass, params, &stats);
        if (status != WF_OK) {
            return status;
        }
        world->stats.candidates = stats.candidates;
        world->stats.detection_seconds += stats.broad_seconds + stats.continuous_seconds;
        world->stats.hits += stats.hits;
        world->stats.backed_off = stats.backed_off_vertices;
        world->stats.body_work += stats.body_work / (world->part * world->part);
        world->stats.pin_work += stats.pin_work / (world->part * world->part);
        params->rounds = params->zone_rounds = 0;
    }
}

wf_status wf_world_pass_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1)
{
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    params.rounds = world->response->impulse_rounds;
    params.zone_rounds = world->response->zone_rounds;
    return pass(world, 0.1, &params, x0, x1);
}

wf_status wf_world_enter_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1)
{
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    for (int32_t i = 0; i < world->vertex_count; i++) {
        params.separation = fmax(params.separation, world->half_thickness[i]);
    }
    const wf_step_stats before = world->stats;
    wf_status status = pass(world, 0.5, &params, x0, x1);
    world->stats.backed_off = before.backed_off; /* this was but a guess of where to begin */
    world->stats.body_work = before.body_work;
    world->stats.pin_work = before.pin_work;
    return status;
}
