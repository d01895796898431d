/* keep.c - what a step that fails gives back.
 *
 * The members' state is stored once a step has succeeded. But the step works with what earlier ones have led to: the
 * candidates of contact, the past that multi-step schemes use, start values of solves, coarse grids. None of that is
 * state, and all of it decides the last bits of what comes next. A step that fails leaves it as it was, so that the
 * world goes on as if that step had not been tried.
 *
 * What start.c has found out about the start stays found: which members have been looked at, what is caught in what. It
 * comes of where scripts put things, and stands until a step has succeeded; the next one begins with it and warns only
 * of members that were not looked at to the end.
 */
#include "contact/cover.h"
#include "world/world_state.h"

void wf_world_free_kept(wf_world *world)
{
    wf_kept_cover_free(world->context, &world->kept.cover);
    wf_start_values_free(world->context, &world->kept.start_values);
    world->kept.has = false;
}

wf_status wf_world_keep_step(wf_world *world)
{
    world->kept.has = false;
    world->kept.bodies_stopped = world->bodies_stopped;
    world->kept.carrying = world->carrying;
    world->kept.integrated = world->integrated;
    world->kept.solver_made = world->solver.room != NULL;
    for (size_t k = 0; k < WF_PRECONDITIONER_COUNT; k++) {
        world->kept.preconditioner_made[k] = world->solver.preconditioner_states[k] != NULL;
    }
    world->kept.start_values_changed = false;
    wf_status status = WF_OK;
    if (world->scene) {
        status = wf_contact_keep_cover(world->context, world->scene, &world->kept.cover);
    }
    status = status == WF_OK ? wf_integrator_keep(world->integrator) : status;
    world->kept.has = status == WF_OK;
    return status;
}

wf_status wf_world_keep_start_values(wf_world *world)
{
    wf_status status = WF_OK;
    if (!world->kept.start_values_changed) {
        status = wf_start_values_copy(world->context, &world->start_values, &world->kept.start_values);
        world->kept.start_values_changed = status == WF_OK;
    }
    return status;
}

void wf_world_give_start_values_back(wf_world *world)
{
    if (world->kept.start_values_changed) {
        /* They have as many rows as before: nothing is allocated. */
        (void)wf_start_values_copy(world->context, &world->kept.start_values, &world->start_values);
        world->kept.start_values_changed = false;
    }
}

/* What the step set up first is that of its systems. */
static void give_solver_back(wf_world *world)
{
    if (!world->kept.solver_made) {
        wf_pcg_workspace_free(world->context, &world->solver);
    }
    for (size_t k = 0; k < WF_PRECONDITIONER_COUNT; k++) {
        if (!world->kept.preconditioner_made[k]) {
            wf_pcg_workspace_free_preconditioner(world->context, &world->solver, k);
        }
    }
}

void wf_world_let_go_of_step(wf_world *world, bool back)
{
    if (world->kept.has && back) {
        world->bodies_stopped = world->kept.bodies_stopped;
        world->carrying = world->kept.carrying;
        world->integrated = world->kept.integrated;
        wf_world_give_start_values_back(world);
        give_solver_back(world);
        if (world->scene) {
            wf_contact_give_cover_back(world->scene, &world->kept.cover);
        }
    }
    world->kept.has = false;
    wf_integrator_let_go(world->integrator, back);
}
