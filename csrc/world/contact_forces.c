/* contact_forces.c - resting contact inside the implicit step.
 *
 * A contact pair nearer than its thickness t pushes apart with the pressure kappa (t - d), which over the area A that
 * its cloth vertices stand for is a spring of stiffness k = kappa A along the normal n. Friction follows Coulomb,
 *
 *     f_t = -mu N u_t / max(|u_t|, s),
 *
 * with the normal force N and the slip speed |u_t| of the beginning of the step: both enter as one symmetric block
 * S = scale_k k n n^T + scale_c c (I - n n^T) on the relative velocity sum w_i v_i of the pair. The floor is a contact
 * of one vertex. Taking them into the linear solve, instead of correcting velocities behind it, is what lets cloth come
 * to rest on a body.
 */
#include "world/world_state.h"

typedef struct resting_contact {
    double stiffness; /* N/m */
    double push;      /* N, along the normal, >= 0 */
    double drag;      /* N s/m, tangential */
} resting_contact;

/* The part of a contact's relative velocity that lies in its tangent plane, at the start of the step. */
static double slip_speed(const wf_world *world, const wf_contact *contact)
{
    wf_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        u = wf_vec3_muladds(u, world->v0[contact->vertex[k]], contact->weight[k]);
    }
    return wf_vec3_norm(wf_vec3_muladds(u, contact->normal, -wf_vec3_dot(u, contact->normal)));
}

static resting_contact law(const wf_world_params *params, double area, double overlap, double friction, double slip)
{
    resting_contact rest = {.stiffness = params->contact_stiffness * area};
    rest.push = rest.stiffness * fmax(overlap, 0);
    rest.drag = params->friction_scale * friction * rest.push / fmax(slip, params->friction_speed);
    return rest;
}

static resting_contact pair_law(const wf_world *world, const wf_contact *contact)
{
    double area = 0;
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] < world->cloth_vertex_count) {
            area += fabs(contact->weight[k]) * world->area[contact->vertex[k]];
        }
    }
    return law(&world->params, area, contact->thickness - contact->distance, contact->friction,
               slip_speed(world, contact));
}

/* How far vertex i has sunk into the floor's thickness; negative above it. */
static double floor_overlap(const wf_world *world, int32_t i)
{
    return world->half_thickness[i] - (world->x0[i].y - world->params.floor_height);
}

static resting_contact floor_law(const wf_world *world, int32_t i)
{
    wf_vec3 v = world->v0[i];
    return law(&world->params, world->area[i], floor_overlap(world, i), world->params.floor_friction,
               sqrt(v.x * v.x + v.z * v.z));
}

void wf_world_add_contact_forces(const wf_world *world, wf_vec3 *force)
{
    for (int32_t c = 0; c < world->contact_count; c++) {
        const wf_contact *contact = &world->contacts[c];
        double push = pair_law(world, contact).push;
        for (int k = 0; k < 4; k++) {
            int32_t i = contact->vertex[k];
            if (i < world->cloth_vertex_count) {
                force[i] = wf_vec3_muladds(force[i], contact->normal, contact->weight[k] * push);
            }
        }
    }
    if (world->params.floor) {
        for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
            if (floor_overlap(world, i) > 0) {
                force[i].y += floor_law(world, i).push;
            }
        }
    }
}

static wf_mat3 velocity_block(resting_contact rest, wf_vec3 normal, double stiffness_scale, double damping_scale)
{
    double along = stiffness_scale * rest.stiffness;
    double across = damping_scale * rest.drag;
    return wf_mat3_identity_plus_outer(across, along - across, normal, normal);
}

static void add_scaled(wf_mat3 *sum, const wf_mat3 *block, double scale)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            sum->m[r][c] += scale * block->m[r][c];
        }
    }
}

/* Adds w_i w_j S for every pair of cloth vertices of the contact: into the fixed matrix where it has the slot (two ends
 * of an edge), as an extra block elsewhere (cloth on cloth). */
static wf_status add_pair(wf_world *world, const wf_contact *contact, const wf_mat3 *block)
{
    const wf_pattern *pattern = &world->matrix->block_pattern;
    wf_mat3 *blocks = world->matrix->values.blocks;
    for (int a = 0; a < 4; a++) {
        int32_t i = contact->vertex[a];
        if (i >= world->cloth_vertex_count) {
            continue;
        }
        for (int b = a; b < 4; b++) {
            int32_t j = contact->vertex[b];
            double scale = contact->weight[a] * contact->weight[b];
            if (j >= world->cloth_vertex_count || scale == 0) {
                continue;
            }
            int32_t slot = i == j ? pattern->diagonal[i] : wf_pattern_find(pattern, i, j);
            if (slot >= 0) {
                add_scaled(&blocks[slot], block, scale);
                if (i != j) {
                    add_scaled(&blocks[wf_pattern_find(pattern, j, i)], block, scale);
                }
                continue;
            }
            wf_mat3 scaled = {{{0}}};
            add_scaled(&scaled, block, scale);
            wf_status status = wf_contact_blocks_add(world->context, world->contact_blocks, i, j, &scaled);
            if (status != WF_OK) {
                return status;
            }
        }
    }
    return WF_OK;
}

wf_status wf_world_add_contact_matrix(wf_world *world, double stiffness_scale, double damping_scale)
{
    wf_contact_blocks_begin(world->contact_blocks);
    for (int32_t c = 0; c < world->contact_count; c++) {
        const wf_contact *contact = &world->contacts[c];
        wf_mat3 block = velocity_block(pair_law(world, contact), contact->normal, stiffness_scale, damping_scale);
        wf_status status = add_pair(world, contact, &block);
        if (status != WF_OK) {
            return status;
        }
    }
    if (world->params.floor) {
        for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
            if (floor_overlap(world, i) > 0) {
                wf_mat3 block = velocity_block(floor_law(world, i), (wf_vec3){0, 1, 0}, stiffness_scale, damping_scale);
                add_scaled(&world->matrix->values.blocks[world->matrix->block_pattern.diagonal[i]], &block, 1);
            }
        }
    }
    return wf_contact_blocks_finish(world->context, world->contact_blocks, world->cloth_vertex_count);
}
