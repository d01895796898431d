/* friction.c - coefficients by pairs of materials: fabrics and bodies by their names, and the floor by "floor". */
#include <string.h>

#include "world/world_state.h"

static bool same_name(const char *a, const char *b)
{
    return strncmp(a, b, WF_MATERIAL_NAME_SIZE - 1) == 0;
}

wf_status wf_world_set_friction(wf_world *world, const wf_friction_pair *pairs, int32_t count)
{
    for (int32_t p = 0; p < count; p++) {
        const wf_friction *f = &pairs[p].friction;
        if (!(f->dynamic >= 0 && f->dynamic <= 10 && f->hold >= f->dynamic && f->hold <= 10)) {
            return wf_fail(world->context, WF_ERROR_ARGUMENT, "friction of '%.60s' and '%.60s': dynamic must be from 0 "
                           "to 10 and static from that to 10, got %g and %g", pairs[p].names[0], pairs[p].names[1],
                           f->dynamic, f->hold);
        }
    }
    wf_friction_pair *copy = NULL;
    if (count > 0) {
        copy = wf_allocate(world->context, (size_t)count, sizeof *copy);
        if (!copy) {
            return WF_ERROR_MEMORY;
        }
        memcpy(copy, pairs, (size_t)count * sizeof *copy);
    }
    wf_free(world->context, world->friction_pairs);
    world->friction_pairs = copy;
    world->friction_pair_count = count;
    world->members_changed = true;
    world->rest_time = 0;
    return WF_OK;
}

const wf_friction_pair *wf_world_get_friction(const wf_world *world, int32_t *count)
{
    *count = world->friction_pair_count;
    return world->friction_pairs;
}

int32_t wf_world_material(const wf_world *world, const char *name)
{
    for (int32_t k = 0; k < 2 * world->friction_pair_count; k++) {
        if (same_name(world->friction_pairs[k / 2].names[k % 2], name)) {
            return k;
        }
    }
    return -1;
}

wf_status wf_world_make_friction_table(const wf_world *world, wf_friction **table)
{
    *table = NULL;
    size_t size = 2 * (size_t)world->friction_pair_count;
    if (size == 0) {
        return WF_OK;
    }
    wf_friction *made = wf_allocate(world->context, size * size, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    for (size_t k = 0; k < size * size; k++) {
        made[k].dynamic = -1;
    }
    for (int32_t p = 0; p < world->friction_pair_count; p++) { /* the last of equal pairs counts */
        const wf_friction_pair *pair = &world->friction_pairs[p];
        size_t a = (size_t)wf_world_material(world, pair->names[0]);
        size_t b = (size_t)wf_world_material(world, pair->names[1]);
        made[a * size + b] = made[b * size + a] = pair->friction;
    }
    *table = made;
    return WF_OK;
}

wf_friction wf_world_floor_friction(const wf_world *world, int32_t vertex)
{
    const wf_world_params *params = &world->params;
    wf_friction friction = {params->floor_friction, params->floor_friction};
    if (!world->material || world->material[vertex] < 0) {
        return friction;
    }
    for (int32_t p = 0; p < world->friction_pair_count; p++) {
        const wf_friction_pair *pair = &world->friction_pairs[p];
        for (int k = 0; k < 2; k++) {
            if (same_name(pair->names[k], "floor") &&
                wf_world_material(world, pair->names[1 - k]) == world->material[vertex]) {
                friction = pair->friction;
            }
        }
    }
    return friction;
}
