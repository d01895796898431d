/* totals.c - sums over what a world or one of its cloths holds: energy, momentum. */
#include "world/world_state.h"

static int index_of(const wf_model_entry *entry)
{
    int index = 0;
    while (wf_model_entry_at(index) != entry) {
        index++;
    }
    return index;
}

static void add_elastic_energies(wf_world *world, const wf_cloth_member *member, wf_energies *energies)
{
    for (size_t m = 0; m < world->model_count; m++) {
        const wf_model_entry *entry = world->entries[m];
        if (!entry) {
            continue; /* stitches, and fittings, which are of whole worlds */
        }
        wf_model *model = world->models[m].model;
        int32_t first, count;
        wf_world_member_elements(world, member, m, &first, &count);
        double energy = model->class->energy(world->context, model, world->x0, first, count);
        *(entry->kind == WF_MODEL_MEMBRANE ? &energies->membrane : &energies->bending) += energy;
        energies->model[index_of(entry)] += energy;
        energies->has_model[index_of(entry)] = true;
    }
}

wf_status wf_world_energies(wf_world *world, const wf_cloth *cloth, wf_energies *energies)
{
    wf_status status = wf_world_refresh(world);
    if (status == WF_OK) {
        status = wf_world_need_elements(world);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_world_load_state(world);
    *energies = (wf_energies){0};
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        if (cloth && member->cloth != cloth) {
            continue;
        }
        int32_t first = member->first_vertex, count = member->cloth->mesh.vertex_count;
        for (int32_t i = first; i < first + count; i++) {
            energies->kinetic += 0.5 * world->mass[i] * wf_vec3_norm2(world->v0[i]);
            energies->potential -= world->mass[i] * wf_vec3_dot(world->params.gravity, world->x0[i]);
        }
        add_elastic_energies(world, member, energies);
    }
    for (size_t k = 0; k < world->rigid_count && !cloth; k++) {
        const wf_rigid *rigid = world->rigids[k].rigid;
        energies->kinetic += wf_rigid_kinetic_energy(rigid);
        energies->potential -= rigid->mass * wf_vec3_dot(world->params.gravity, rigid->centre);
    }
    energies->fittings = wf_world_fitting_energy(world, cloth);
    return WF_OK;
}

void wf_world_momentum(const wf_world *world, const wf_cloth *cloth, wf_momentum *momentum)
{
    wf_momentum sum = {0};
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *member = world->cloths[m].cloth;
        for (int32_t i = 0; (!cloth || member == cloth) && i < member->mesh.vertex_count; i++) {
            wf_vec3 x = member->mesh.positions[i], p = wf_vec3_scale(member->velocities[i], member->masses[i]);
            sum.mass += member->masses[i];
            sum.centre = wf_vec3_muladds(sum.centre, x, member->masses[i]);
            sum.linear = wf_vec3_add(sum.linear, p);
            sum.angular = wf_vec3_add(sum.angular, wf_vec3_cross(x, p));
        }
    }
    for (size_t k = 0; k < world->rigid_count && !cloth; k++) {
        const wf_rigid *rigid = world->rigids[k].rigid;
        wf_vec3 p = wf_vec3_scale(rigid->velocity, rigid->mass);
        sum.mass += rigid->mass;
        sum.centre = wf_vec3_muladds(sum.centre, rigid->centre, rigid->mass);
        sum.linear = wf_vec3_add(sum.linear, p);
        sum.angular = wf_vec3_add(sum.angular, wf_vec3_cross(rigid->centre, p));
        sum.angular = wf_vec3_add(sum.angular, wf_rigid_angular_momentum(rigid));
    }
    sum.centre = sum.mass > 0 ? wf_vec3_scale(sum.centre, 1 / sum.mass) : sum.centre;
    *momentum = sum;
}
