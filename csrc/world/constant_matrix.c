/* constant_matrix.c - the matrix of scalars that schemes factor once for a world's cloth (step/system.h): masses and
 * the constant stand-ins of the models' stiffness, those of projective dynamics.
 *
 * Resting contacts are stiff and come and go. They enter by an upper bound on the diagonal, with the damping, because
 * there it slows changes of velocity and does not pull the cloth towards rest; so the matrix changes while they do. */
#include <string.h>

#include "model/local.h"
#include "world/world_state.h"

void wf_world_free_constant_matrix(wf_world *world)
{
    wf_pattern_free(world->context, &world->constant_pattern);
    wf_free(world->context, world->constant_values);
    world->constant_values = NULL;
}

static wf_status make_pattern(wf_world *world)
{
    wf_stencil stencils[sizeof world->models / sizeof *world->models];
    int32_t count = (int32_t)world->elements.model_count;
    wf_world_free_constant_matrix(world);
    for (int32_t m = 0; m < count; m++) {
        if (!world->models[m].model->class->local) {
            return wf_fail(world->context, WF_ERROR_ARGUMENT, "%s has no constant stand-in for its stiffness",
                           world->models[m].model->class->name);
        }
    }
    wf_status status = wf_world_need_elements(world);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t m = 0; m < count; m++) {
        stencils[m] = world->models[m].model->stencil;
    }
    status = wf_pattern_build(world->context, world->row_count, count, stencils, &world->constant_pattern);
    if (status != WF_OK) {
        return status;
    }
    size_t slots = (size_t)wf_pattern_slot_count(&world->constant_pattern);
    world->constant_values = wf_allocate(world->context, slots, sizeof *world->constant_values);
    world->constant_revision = world->revision;
    return world->constant_values ? WF_OK : WF_ERROR_MEMORY;
}

/* w_k sum_l w_l is no less than what w w^T does to any vector, row by row. */
static void add_contact_bounds(wf_world *world, double damping_scale)
{
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        double sum = 0, each = damping_scale * (contact->drag + damping_scale * contact->stiffness);
        for (int k = 0; k < 4; k++) {
            sum += contact->vertex[k] >= 0 ? fabs(contact->weight[k]) : 0;
        }
        for (int k = 0; k < 4; k++) {
            if (contact->vertex[k] >= 0) {
                int32_t slot = world->constant_pattern.diagonal[contact->vertex[k]];
                world->constant_values[slot] += each * sum * fabs(contact->weight[k]);
            }
        }
    }
}

wf_status wf_world_constant_matrix(void *user, double stiffness_scale, double damping_scale,
                                   const wf_pattern **pattern, const double **values)
{
    wf_world *world = user;
    wf_world_bound_air(world);
    if (!world->constant_values || world->constant_revision != world->revision) {
        wf_status status = make_pattern(world);
        if (status != WF_OK) {
            wf_world_free_constant_matrix(world);
            return status;
        }
    }
    const wf_pattern *p = &world->constant_pattern;
    memset(world->constant_values, 0, (size_t)wf_pattern_slot_count(p) * sizeof *world->constant_values);
    for (int32_t i = 0; i < world->row_count; i++) {
        world->constant_values[p->diagonal[i]] = world->mass[i] * (1 + damping_scale * world->elements.damping);
    }
    for (size_t m = 0; m < world->elements.model_count; m++) {
        const wf_scaled_model *scaled = &world->models[m];
        scaled->model->class->local->add_constant_matrix(scaled->model, scaled->scale * stiffness_scale,
                                                         scaled->scale * damping_scale, p, world->constant_values);
    }
    add_contact_bounds(world, damping_scale);
    *pattern = p;
    *values = world->constant_values;
    return WF_OK;
}
