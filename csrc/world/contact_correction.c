/* contact_correction.c - contact without forces: the end of the step is moved to where contacts keep their distance.
 *
 * For each contact of the step, u = sum over k of w_k (x1_k - x0_k) + h drift is the way of its two sides along each
 * other, and its gap at the end is gap + n . u. Impulses along the normals make that at least 0, and impulses across
 * them take from the slide what Coulomb's law allows, |f| <= mu p; both in the metric of the masses, contact by contact
 * (Gauss-Seidel), again and again, since what one contact does another undoes. As velocities are what positions did,
 * they are corrected alike. Every impulse conserves the momentum of its pair: linear, and, as normals point along the
 * gaps at x0 and friction acts without a couple, angular.
 */
#include "contact/friction.h"
#include "world/world_state.h"

enum { MOST_SWEEPS = 60 };

#define STILL 1e-9         /* m: when no contact moves anything farther, sweeps end */
#define PARTING_SPEED 0.05 /* m/s, with which contacts that begin too near part: no faster, or they would jump */

typedef struct correction {
    double mobility; /* 1/kg: sum of w^2 / m */
    double press;    /* kg m: the normal impulse times the step, never below 0 */
    wf_vec3 rub;     /* kg m: that of friction */
} correction;

/* The pair as friction sees it, and the ways of its vertices so far. */
static wf_rubbing rubbing_of(const wf_world *world, const wf_resting_contact *contact, wf_vec3 way[4])
{
    wf_vec3 x[4];
    double inverse_mass[4];
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        x[k] = i >= 0 ? world->x0[i] : wf_vec3_make(0, 0, 0);
        way[k] = i >= 0 ? wf_vec3_sub(world->x1[i], world->x0[i]) : wf_vec3_make(0, 0, 0);
        inverse_mass[k] = i >= 0 ? world->inverse_mass[i] : 0;
    }
    return wf_rubbing_of(x, contact->weight, inverse_mass);
}

static void move(wf_world *world, const wf_resting_contact *contact, const wf_vec3 shift[4])
{
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0 && world->inverse_mass[i] > 0) {
            world->x1[i] = wf_vec3_add(world->x1[i], shift[k]);
        }
    }
}

/* Returns how much its normal impulse changes, kg m. */
static double press(wf_world *world, const wf_resting_contact *contact, correction *c)
{
    double way = world->part * wf_vec3_dot(contact->drift, contact->normal);
    wf_vec3 shift[4];
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            way += contact->weight[k] * wf_vec3_dot(wf_vec3_sub(world->x1[i], world->x0[i]), contact->normal);
        }
    }
    double wanted = fmin(0, contact->gap + PARTING_SPEED * world->part);
    double change = fmax((wanted - contact->gap - way) / c->mobility, -c->press);
    c->press += change;
    for (int k = 0; k < 4 && change != 0; k++) {
        int32_t i = contact->vertex[k];
        double share = i >= 0 ? contact->weight[k] * world->inverse_mass[i] : 0;
        shift[k] = wf_vec3_scale(contact->normal, share * change);
    }
    if (change != 0) {
        move(world, contact, shift);
    }
    return change;
}

/* Returns how far it moved the sides of the contact against each other, m. */
static double correct(wf_world *world, const wf_resting_contact *contact, correction *c)
{
    wf_vec3 n = contact->normal, way[4], shift[4];
    double moved = fabs(press(world, contact, c)) * c->mobility;
    if (contact->hold * c->press == 0 && wf_vec3_norm2(c->rub) == 0) {
        return moved;
    }
    const wf_rubbing pair = rubbing_of(world, contact, way);
    wf_vec3 slide = wf_vec3_muladds(wf_rubbing_slide(&pair, way), contact->drift, world->part);
    slide = wf_vec3_muladds(slide, n, -wf_vec3_dot(slide, n));
    double sliding = wf_vec3_norm(slide);
    wf_vec3 rub = c->rub;
    if (sliding > 0) {
        wf_vec3 direction = wf_vec3_scale(slide, 1 / sliding);
        rub = wf_vec3_muladds(rub, slide, -1 / wf_rubbing_mobility(&pair, direction));
    }
    double most = wf_vec3_norm(rub);
    if (most > contact->hold * c->press) {
        rub = wf_vec3_scale(rub, contact->dynamic * c->press / most);
    }
    wf_vec3 rubbed = wf_vec3_sub(rub, c->rub);
    c->rub = rub;
    wf_rubbing_shifts(&pair, rubbed, shift);
    move(world, contact, shift);
    return fmax(moved, wf_vec3_norm(rubbed) * c->mobility);
}

/* Of bodies and pins, whose ways are what they were to be. */
static void note_work(wf_world *world, const wf_resting_contact *contact, const correction *c)
{
    wf_vec3 impulse = wf_vec3_scale(wf_vec3_muladds(c->rub, contact->normal, c->press), 1 / world->part);
    world->stats.body_work -= wf_vec3_dot(impulse, contact->drift);
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0 && world->inverse_mass[i] == 0) {
            world->stats.pin_work -= contact->weight[k] * wf_vec3_dot(impulse, world->v1[i]);
        }
    }
}

/* Rigid bodies get impulses at the door alone. */
static bool has_rigid(const wf_world *world, size_t c)
{
    return world->rigid_count > 0 && (world->arms[c].rigid[0] >= 0 || world->arms[c].rigid[1] >= 0);
}

wf_status wf_world_correct_contacts(wf_world *world)
{
    if (world->resting_count == 0) {
        return WF_OK;
    }
    correction *corrections = wf_allocate(world->context, world->resting_count, sizeof *corrections);
    if (!corrections) {
        return WF_ERROR_MEMORY;
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        for (int k = 0; k < 4 && !has_rigid(world, c); k++) {
            int32_t i = contact->vertex[k];
            double share = i >= 0 ? contact->weight[k] * contact->weight[k] * world->inverse_mass[i] : 0;
            corrections[c].mobility += share;
        }
    }
    double moved = INFINITY;
    for (int sweep = 0; sweep < MOST_SWEEPS && moved > STILL; sweep++) {
        moved = 0;
        for (size_t c = 0; c < world->resting_count; c++) {
            if (corrections[c].mobility > 0) {
                moved = fmax(moved, correct(world, &world->resting[c], &corrections[c]));
            }
        }
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        note_work(world, &world->resting[c], &corrections[c]);
    }
    wf_free(world->context, corrections);
    return WF_OK;
}
