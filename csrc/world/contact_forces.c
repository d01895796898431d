/* contact_forces.c - resting contact inside the step.
 *
 * A contact pair nearer than its thickness t pushes apart with the pressure kappa (t - d), which over the area A that
 * its cloth vertices stand for is a spring of stiffness k = kappa A along the normal n. It pushes only: the distance d
 * follows the motion of the pair along n, and past t the force is nothing. Friction follows Coulomb,
 *
 *     f_t = -mu N u_t / max(|u_t|, s),
 *
 * with the normal force N and the slip speed |u_t| in the factor of the beginning of the step: so both enter as one
 * symmetric block S = scale_k k n n^T + scale_c c (I - n n^T) on the relative velocity sum w_i v_i of the pair. A pair
 * that slides too fast to come to rest within the step has the linearisation of the law itself: the force -mu N t
 * along its slip t, and the drag only across t. With the drag alone friction would be too large by the part that the
 * slip grows in a step: where that is much, the step is solved once more. The floor is a contact of one vertex. Taking
 * them into the solve, instead of correcting velocities behind it, is what lets cloth come to rest on a body. Where
 * contacts are constraints, multipliers.c has the law.
 */
#include "contact/mobility.h"
#include "step/scheme.h"
#include "world/colliders.h"
#include "world/world_state.h"

/* On fine meshes a skin of several edges would list most of the neighbourhood of every face. */
double wf_world_contact_skin(const wf_world *world)
{
    return fmin(world->params.contact_skin, world->mean_edge);
}

double wf_world_mobility_along(const wf_world *world, const wf_resting_contact *contact)
{
    double inverse_mass[4];
    for (int k = 0; k < 4; k++) {
        inverse_mass[k] = contact->vertex[k] >= 0 ? world->inverse_mass[contact->vertex[k]] : 0;
    }
    return wf_pair_mobility(4, contact->weight, inverse_mass);
}

/* NULL where friction goes by the weights. */
static const wf_mat3 *shares_of(const wf_world *world, const wf_resting_contact *contact)
{
    size_t index = (size_t)(contact - world->resting);
    return index < world->shares_count && world->shares[index].turns ? world->shares[index].of : NULL;
}

double wf_world_mobility_across(const wf_world *world, const wf_resting_contact *contact)
{
    const wf_mat3 *shares = shares_of(world, contact);
    double sum = 0;
    for (int k = 0; k < 4 && shares; k++) {
        const wf_mat3 square = wf_mat3_product(shares[k], wf_mat3_transpose(shares[k]));
        double trace = square.m[0][0] + square.m[1][1] + square.m[2][2];
        double along = wf_vec3_dot(contact->normal, wf_mat3_mulv(square, contact->normal));
        sum += 0.5 * (trace - along) * world->inverse_mass[contact->vertex[k]];
    }
    return shares ? sum : wf_world_mobility_along(world, contact);
}

/* Drag and grip under the normal force `push`. */
static void set_friction(const wf_world *world, double push, wf_resting_contact *contact)
{
    const wf_world_params *params = &world->params;
    double speed = wf_vec3_norm(contact->slip);
    bool slides = speed > params->friction_speed;
    double grip = (slides ? contact->dynamic : contact->hold) * push;
    contact->drag = grip / fmax(speed, params->friction_speed);
    contact->held = contact->slide = wf_vec3_make(0, 0, 0);
    if (slides && !wf_integrator_get_class(world->integrator)->needs_elements &&
        grip * wf_world_mobility_along(world, contact) * world->part < speed) {
        contact->slide = wf_vec3_scale(contact->slip, 1 / speed);
        contact->held = wf_vec3_scale(contact->slide, grip);
    }
}

/* m: the gap once bodies have moved, if nothing else does. */
static double gap_behind_bodies(const wf_world *world, const wf_resting_contact *contact)
{
    return contact->gap + world->part * wf_vec3_dot(contact->drift, contact->normal);
}

/* Whether a body leaves what it presses on, where a linear solve decides which springs act. */
static bool is_left(const wf_world *world, const wf_resting_contact *contact)
{
    const wf_integrator *integrator = world->integrator;
    bool expands = wf_integrator_get_class(integrator)->implicit && wf_scheme_expands(integrator) &&
                   wf_integrator_get_params(integrator).newton == WF_NEWTON_LINEAR;
    return expands && contact->gap < 0 && gap_behind_bodies(world, contact) >= 0;
}

/* Where a linear solve decides which springs act, the motion of bodies counts and that of cloth does not: cloth on a
 * body that goes down would fall freely for a step, land, and do so again. */
static bool rides(const wf_world *world, const wf_resting_contact *contact)
{
    if (world->rigid_count > 0 || !is_left(world, contact)) {
        return false;
    }
    double along = gap_behind_bodies(world, contact);
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            along += world->part * contact->weight[k] * wf_vec3_dot(world->v0[i], contact->normal);
        }
    }
    return along < 0;
}

/* Hunt and Crossley (1975): the push of a spring of the overlap o falls off with the speed u of parting, as k o (1
 * - u / u_lift). Or a pair that begins the step compressed, with no load to bear, would be thrown apart. With the
 * mean speed of the step for u,
 *
 *     k (o - h u) - k o u / u_lift = (k + k o / (h u_lift)) (o' - h u),
 *
 * the damper is a part of a stiffer spring of a lesser overlap o' < h u_lift; at rest its push is the same. A pair
 * that approaches at u_0 fell into h u_0 of its overlap in the step before: only the rest of it brakes. So no pair
 * is thrown apart faster than u_lift, or than it came, and impacts are what they are. What already parts faster is
 * let go. An explicit step takes the speed of its beginning. Schemes that mix forces of both ends of the step have
 * springs without a damper: the trapezoidal rule would add what the stiffer spring of this step did before it was.
 * Contact that corrects motion, or constrains it, takes the gap for what it is. */
static void brake_parting(const wf_world *world, wf_resting_contact *contact)
{
    contact->brake = contact->relief = 0;
    const wf_integrator_class *class = wf_integrator_get_class(world->integrator);
    const bool mixes = class->implicit && !class->solves_for_end && !class->needs_elements;
    if (!(contact->gap < 0) || mixes || world->response->corrects || world->response->constrains) {
        return;
    }
    double speed = wf_vec3_dot(wf_world_relative_velocity(world, contact, NULL, world->v0), contact->normal);
    double overlap = -contact->gap, less = overlap;
    if (speed >= WF_LIFT_SPEED) {
        less = 0;
    } else if (class->implicit) {
        double reach = WF_LIFT_SPEED * world->part;
        double thrown = fmax(overlap - world->part * fmax(-speed, 0), 0);
        contact->brake = contact->stiffness * thrown / reach;
        less = reach / (reach + thrown) * overlap;
    } else {
        less = fmin(1 - speed / WF_LIFT_SPEED, 1) * overlap;
    }
    contact->stiffness += contact->brake;
    contact->gap = -less;
    contact->relief = overlap - less;
}

void wf_world_keep_spring(wf_resting_contact *contact)
{
    contact->stiffness -= contact->brake;
    contact->gap -= contact->relief;
    contact->brake = contact->relief = 0;
}

/* J: of its spring alone, where the pair overlaps by `overlap` by its gap. */
static double spring_energy(const wf_resting_contact *contact, double overlap)
{
    double whole = fmax(overlap + contact->relief, 0);
    return 0.5 * (contact->stiffness - contact->brake) * whole * whole;
}

void wf_world_set_contact_law(const wf_world *world, double area, wf_friction friction, wf_vec3 slip,
                              wf_resting_contact *contact)
{
    const wf_world_params *params = &world->params;
    contact->stiffness = params->contact_stiffness * area;
    contact->dynamic = params->friction_scale * friction.dynamic;
    contact->hold = params->friction_scale * friction.hold;
    contact->slip = slip;
    brake_parting(world, contact);
    contact->rides = rides(world, contact);
    /* What its spring leaves alone would be dragged along by its friction, without a bound: a plate that goes away. */
    bool presses = contact->rides || !is_left(world, contact);
    set_friction(world, presses ? contact->stiffness * fmax(-contact->gap, 0) : 0, contact);
}

/* Colliders meet no rigid body: their contacts have arms without any. */
static wf_status gather_collider_contacts(wf_world *world, double margin)
{
    size_t first = world->resting_count;
    wf_status status = wf_world_gather_collider_contacts(world, margin);
    if (status == WF_OK && world->rigid_count > 0) {
        status = wf_reserve(world->context, &world->arms, &world->arms_capacity, world->resting_count,
                            sizeof *world->arms);
    }
    for (size_t c = first; c < world->resting_count && world->rigid_count > 0 && status == WF_OK; c++) {
        world->arms[c] = (wf_resting_arms){.rigid = {-1, -1}};
    }
    return status;
}

/* A pair of cloth that nothing holds turns as it likes; friction is to see that, or it would be a couple. */
static wf_resting_shares pair_shares(const wf_world *world, const wf_contact *pair)
{
    wf_resting_shares shares = {.turns = false};
    if (pair->vertex[0] >= world->cloth_vertex_count || pair->vertex[3] >= world->cloth_vertex_count ||
        pair->friction.hold == 0) {
        return shares;
    }
    wf_vec3 x[4];
    double inverse_mass[4];
    for (int k = 0; k < 4; k++) {
        x[k] = world->x0[pair->vertex[k]];
        inverse_mass[k] = world->inverse_mass[pair->vertex[k]];
    }
    const wf_rubbing rubbing = wf_rubbing_of(x, pair->weight, inverse_mass);
    shares.turns = wf_rubbing_turns(&rubbing);
    if (shares.turns) {
        wf_rubbing_shares(&rubbing, shares.of);
    }
    return shares;
}

/* arms: NULL where there are no rigid bodies. */
static wf_resting_contact pair_contact(const wf_world *world, const wf_contact *pair, const wf_resting_shares *shares,
                                       wf_resting_arms *arms)
{
    wf_resting_contact contact = {.normal = pair->normal, .gap = pair->distance - pair->thickness};
    wf_vec3 u = {0, 0, 0};
    double area = 0;
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        u = shares && shares->turns ? wf_vec3_add(u, wf_mat3_mulv(shares->of[k], world->v0[i]))
                                    : wf_vec3_muladds(u, world->v0[i], pair->weight[k]);
        contact.weight[k] = pair->weight[k];
        if (i < world->cloth_vertex_count) {
            contact.vertex[k] = i;
            area += fabs(pair->weight[k]) * world->area[i];
        } else if (i < world->moving_count) {
            contact.vertex[k] = -1;
        } else {
            contact.vertex[k] = -1;
            contact.drift = wf_vec3_muladds(contact.drift, world->v1[i], pair->weight[k]);
        }
    }
    const double gap = contact.gap;
    contact.gap = wf_world_gentle_gap(world, pair, wf_vec3_add(u, contact.drift));
    wf_vec3 slip = wf_vec3_muladds(u, pair->normal, -wf_vec3_dot(u, pair->normal));
    wf_world_set_contact_law(world, area, pair->friction, slip, &contact);
    if (arms) {
        wf_world_pair_arms(world, pair, arms);
        if (wf_world_arms_part(world, arms)) { /* gently by the law of bodies, which has to know the whole overlap */
            wf_world_keep_spring(&contact);
            contact.gap = gap;
        }
        wf_world_set_rigid_law(world, pair->thickness, pair->friction, &contact, arms);
    }
    return contact;
}

/* Of a vertex that has sunk into the floor's thickness, or is near it. */
static wf_resting_contact floor_contact(const wf_world *world, int32_t i, double gap)
{
    wf_resting_contact contact = {.vertex = {i, -1, -1, -1}, .weight = {1}, .normal = {0, 1, 0}, .gap = gap};
    wf_vec3 v = world->v0[i];
    wf_world_set_contact_law(world, world->area[i], wf_world_floor_friction(world, i), wf_vec3_make(v.x, 0, v.z),
                             &contact);
    return contact;
}

static double floor_gap(const wf_world *world, int32_t i)
{
    return world->x0[i].y - world->params.floor_height - world->half_thickness[i];
}

/* Where there are spheres, pairs were sought somewhat beyond the margin. */
static bool counts(const wf_world *world, const wf_contact *pair, double margin)
{
    /* What is still apart constrains as it is seen now: a face that cloth slides to would stop it at its edge. */
    if (world->response->constrains) {
        return pair->distance < pair->thickness || wf_contact_is_nearest(world->scene, pair, world->x0);
    }
    return world->rigid_count == 0 ||
           (!wf_world_is_round_pair(world, pair) && pair->distance < pair->thickness + margin &&
            wf_world_rigid_pair_counts(world, pair));
}

/* All that parts is known before anything is pressed: the order of the pairs decides nothing. */
static void note_what_parts(wf_world *world, bool floor, double margin)
{
    for (int32_t c = 0; c < world->contact_count; c++) {
        if (counts(world, &world->contacts[c], margin)) {
            wf_world_note_parting(world, &world->contacts[c]);
        }
    }
    for (int32_t i = 0; floor && i < world->cloth_vertex_count; i++) {
        double gap = floor_gap(world, i), half = world->half_thickness[i];
        if (gap < -half || (gap < -WF_DEEP_OVERLAP * half && (world->parting[i] & WF_PARTS))) {
            world->parting[i] |= WF_PARTS_ON;
        }
    }
}

wf_status wf_world_gather_resting(wf_world *world, double margin)
{
    bool has_arms = world->rigid_count > 0;
    size_t most = (size_t)world->contact_count + (world->params.floor ? (size_t)world->moving_count : 0);
    wf_status status = wf_reserve(world->context, &world->resting, &world->resting_capacity, most,
                                  sizeof *world->resting);
    if (status == WF_OK && has_arms) {
        status = wf_reserve(world->context, &world->arms, &world->arms_capacity, most, sizeof *world->arms);
    }
    /* Neither schemes on elements nor corrections take friction from these forces. */
    bool has_shares = !has_arms && !wf_integrator_get_class(world->integrator)->needs_elements &&
                      !world->response->corrects;
    world->shares_count = has_shares ? (size_t)world->contact_count : 0;
    if (status == WF_OK) {
        status = wf_reserve(world->context, &world->shares, &world->shares_capacity, world->shares_count,
                            sizeof *world->shares);
    }
    if (status != WF_OK) {
        return status;
    }
    bool floor = world->params.floor && !world->response->barrier;
    note_what_parts(world, floor, margin);
    size_t count = 0;
    for (int32_t c = 0; c < world->contact_count; c++) {
        const wf_contact *pair = &world->contacts[c];
        if (!counts(world, pair, margin)) {
            continue;
        }
        if (has_shares) {
            world->shares[count] = pair_shares(world, pair);
        }
        world->resting[count] = pair_contact(world, pair, has_shares ? &world->shares[count] : NULL,
                                             has_arms ? &world->arms[count] : NULL);
        count++;
    }
    world->shares_count = has_shares ? count : 0;
    for (int32_t i = 0; floor && i < world->cloth_vertex_count; i++) {
        double gap = floor_gap(world, i);
        if (gap < margin) {
            if (has_arms) {
                world->arms[count] = (wf_resting_arms){.rigid = {-1, -1}};
            }
            /* A spring as deep as cloth that was in the floor would throw it out. Only that is spared: what a load
             * presses into the thickness needs all of its spring, however short the step. */
            double lift = -WF_LIFT_SPEED * world->part;
            world->resting[count++] = floor_contact(world, i, world->parting[i] ? fmax(gap, lift) : gap);
        }
    }
    status = has_arms ? wf_world_gather_rigid_contacts(world, margin, &count) : WF_OK;
    world->resting_count = count;
    status = status == WF_OK ? gather_collider_contacts(world, margin) : status;
    if (status == WF_OK && world->response->constrains) {
        status = wf_world_begin_multipliers(world);
    }
    return status;
}

static const wf_resting_arms *arms_of(const wf_world *world, const wf_resting_contact *contact)
{
    return world->rigid_count > 0 ? &world->arms[contact - world->resting] : NULL;
}

/* ---- what an explicit step resolves ----------------------------------------------------------------------------- */

/* Of explicit schemes h^2 times the largest eigenvalue of M^-1 K must stay below 4, and h times that of M^-1 C below 2,
 * in Verlet's scheme and in Euler's; these parts leave room for the cloth's own. */
#define RESOLVED_STIFFNESS 1.0
#define RESOLVED_DAMPING 1.0

static double weight_sum(const wf_resting_contact *contact)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += contact->vertex[k] >= 0 ? fabs(contact->weight[k]) : 0;
    }
    return sum;
}

/* Gershgorin: no eigenvalue of M^-1 K exceeds the largest of the sums, over a vertex's contacts, of k |w_i| sum |w_j|
 * / m_i. Where the sum is too large, all contacts of the vertex are scaled by what is allowed over what there is; then
 * no sum exceeds it. Drags likewise. */
wf_status wf_world_soften_resting(wf_world *world)
{
    size_t count = (size_t)world->cloth_vertex_count;
    double h = world->part;
    double *sums = wf_allocate(world->context, 2 * count, sizeof *sums);
    if (!sums) {
        return WF_ERROR_MEMORY;
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        double whole = weight_sum(contact);
        for (int k = 0; k < 4; k++) {
            int32_t i = contact->vertex[k];
            if (i >= 0) {
                double share = fabs(contact->weight[k]) * whole * world->inverse_mass[i];
                sums[2 * i] += h * h / RESOLVED_STIFFNESS * contact->stiffness * share;
                sums[2 * i + 1] += h / RESOLVED_DAMPING * contact->drag * share;
            }
        }
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        double stiffness = 1, drag = 1;
        for (int k = 0; k < 4; k++) {
            int32_t i = contact->vertex[k];
            if (i >= 0 && contact->weight[k] != 0) {
                stiffness = fmax(stiffness, sums[2 * i]);
                drag = fmax(drag, sums[2 * i + 1]);
            }
        }
        contact->stiffness /= stiffness;
        contact->drag /= drag;
    }
    wf_free(world->context, sums);
    return WF_OK;
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

double wf_world_overlap_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *x)
{
    const wf_resting_arms *arms = arms_of(world, contact);
    double along = world->part * wf_vec3_dot(contact->drift, contact->normal);
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            along += contact->weight[k] * wf_vec3_dot(wf_vec3_sub(x[i], world->x0[i]), contact->normal);
        }
    }
    if (arms) {
        along += wf_vec3_dot(wf_world_arms_motion(world, arms, x), contact->normal);
    }
    return -(contact->gap + along);
}

wf_vec3 wf_world_relative_velocity(const wf_world *world, const wf_resting_contact *contact,
                                   const wf_resting_arms *arms, const wf_vec3 *v)
{
    wf_vec3 u = contact->drift;
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0) {
            u = wf_vec3_muladds(u, v[contact->vertex[k]], contact->weight[k]);
        }
    }
    if (arms) {
        u = wf_vec3_add(u, wf_world_arms_motion(world, arms, v));
    }
    return u;
}

wf_vec3 wf_world_slide_of(const wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms,
                          const wf_vec3 *v)
{
    wf_vec3 u = wf_world_relative_velocity(world, contact, arms, v);
    return wf_vec3_muladds(u, contact->normal, -wf_vec3_dot(u, contact->normal));
}

/* N: of its spring and damper, as if it acted; v: NULL for no damper. */
static double push_of(const wf_world *world, const wf_resting_contact *contact, double overlap, const wf_vec3 *v)
{
    double push = contact->stiffness * overlap;
    if (v && contact->damping > 0) {
        wf_vec3 u = wf_world_relative_velocity(world, contact, arms_of(world, contact), v);
        push -= contact->damping * wf_vec3_dot(u, contact->normal);
    }
    return push;
}

double wf_world_push_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *x, const wf_vec3 *v)
{
    return push_of(world, contact, wf_world_overlap_at(world, contact, x), v);
}

static wf_vec3 turning_slide(const wf_resting_contact *contact, const wf_mat3 *shares, const wf_vec3 *v)
{
    wf_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        u = wf_vec3_add(u, wf_mat3_mulv(shares[k], v[contact->vertex[k]]));
    }
    return wf_vec3_muladds(u, contact->normal, -wf_vec3_dot(u, contact->normal));
}

wf_vec3 wf_world_slip_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *v)
{
    const wf_mat3 *shares = shares_of(world, contact);
    return shares ? turning_slide(contact, shares, v)
                  : wf_world_slide_of(world, contact, arms_of(world, contact), v);
}

wf_vec3 wf_world_friction_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *v)
{
    wf_vec3 u = wf_world_slip_at(world, contact, v);
    u = wf_vec3_muladds(u, contact->slide, -wf_vec3_dot(u, contact->slide));
    return wf_vec3_sub(wf_vec3_scale(u, -contact->drag), contact->held);
}

/* Which of the constraints act is known when the solve begins. */
static bool presses(const wf_world *world, const wf_resting_contact *contact, double overlap)
{
    return contact->rides || (overlap > 0 && !world->response->constrains);
}

void wf_world_add_contact_forces(const wf_world *world, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *force)
{
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        double overlap = wf_world_overlap_at(world, contact, x);
        double push = presses(world, contact, overlap) ? push_of(world, contact, overlap, v) : 0;
        wf_vec3 friction = v ? wf_world_friction_at(world, contact, v) : (wf_vec3){0, 0, 0};
        const wf_mat3 *shares = shares_of(world, contact);
        for (int k = 0; k < 4; k++) {
            int32_t i = contact->vertex[k];
            if (i >= 0) {
                force[i] = wf_vec3_muladds(force[i], contact->normal, contact->weight[k] * push);
                force[i] = shares ? wf_vec3_add(force[i], wf_mat3_mulv(wf_mat3_transpose(shares[k]), friction))
                                  : wf_vec3_muladds(force[i], friction, contact->weight[k]);
            }
        }
        if (arms_of(world, contact)) {
            wf_vec3 all = wf_vec3_muladds(friction, contact->normal, push);
            wf_world_add_arms_force(world, arms_of(world, contact), all, force);
        }
    }
}

/* N: by how much the drag on a pair that begins to slide has held it beyond Coulomb's law; 0 for others, and for rigid
 * bodies, which have their own. *most: what the law allows. */
static double excess_friction(const wf_world *world, const wf_resting_contact *contact, wf_vec3 *slip, double *most)
{
    *slip = wf_world_slip_at(world, contact, world->v1);
    const double speed = wf_vec3_norm(*slip);
    const wf_resting_arms *arms = arms_of(world, contact);
    const bool by_law = wf_vec3_norm2(contact->slide) > 0 || !(speed > world->params.friction_speed);
    if (!contact->acts || by_law || (arms && arms->rigid[0] >= 0)) {
        return 0;
    }
    *most = contact->dynamic * fmax(wf_world_push_at(world, contact, world->x1, world->v1), 0);
    return fmax(contact->drag * speed - *most, 0);
}

#define MUCH_EXCESS 0.05 /* of all friction; another solve has its price */

/* A drag by the slip of the beginning of the step holds what begins to slide as if the law were linear: it gains speed
 * by a part of what it has in each step, from next to none. Where that is much, another solve has the law of what
 * slides there, under which nothing can turn back: it goes faster along its slip than it did. */
bool wf_world_let_cloth_slide(wf_world *world)
{
    double all = 0, excess = 0, most;
    wf_vec3 slip;
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        all += wf_vec3_norm(wf_world_friction_at(world, contact, world->v1));
        excess += excess_friction(world, contact, &slip, &most);
    }
    if (!(excess > MUCH_EXCESS * all)) {
        return false;
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        if (excess_friction(world, contact, &slip, &most) > 0) {
            const double speed = wf_vec3_norm(slip);
            contact->slide = wf_vec3_scale(slip, 1 / speed);
            contact->held = wf_vec3_scale(contact->slide, most);
            contact->drag = most / speed;
        }
    }
    return true;
}

double wf_world_contact_energy(const wf_world *world, const wf_vec3 *x)
{
    double sum = 0;
    for (size_t c = 0; c < world->resting_count; c++) {
        sum += spring_energy(&world->resting[c], wf_world_overlap_at(world, &world->resting[c], x));
    }
    return sum;
}

/* A linear solve lets the springs in its matrix pull, if it comes to that, and sees no other. */
double wf_world_resting_work(const wf_world *world, double *energy)
{
    bool implicit = wf_integrator_get_class(world->integrator)->implicit;
    double work = 0;
    for (size_t c = 0; c < world->resting_count; c++) {
        const wf_resting_contact *contact = &world->resting[c];
        double overlap = wf_world_overlap_at(world, contact, world->x1);
        bool acts = implicit ? contact->acts : overlap > 0;
        bool holds = (acts || contact->relief > 0) && !world->response->constrains;
        *energy += holds ? spring_energy(contact, overlap) : 0;
        overlap = acts ? overlap : 0;
        double push = overlap != 0 ? push_of(world, contact, overlap, world->v1) : 0;
        wf_vec3 force = wf_vec3_muladds(wf_world_friction_at(world, contact, world->v1), contact->normal, push);
        work -= world->part * wf_vec3_dot(force, contact->drift);
    }
    return work;
}

/* Into the fixed matrix where it has the place (two ends of an edge), as an extra block elsewhere (cloth on cloth). */
wf_status wf_world_add_contact_block(wf_world *world, int32_t i, int32_t j, const wf_mat3 *block)
{
    const wf_pattern *pattern = &world->matrix->block_pattern;
    int32_t place = i == j ? wf_pattern_diagonal_place(pattern, i)
                           : wf_pattern_place(pattern, i > j ? i : j, i > j ? j : i);
    if (place < 0) {
        return wf_contact_blocks_add(world->context, world->contact_blocks, i, j, block);
    }
    wf_mat3 *sum = &world->matrix->values.blocks[place];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            sum->m[r][c] += i < j ? block->m[c][r] : block->m[r][c];
        }
    }
    return WF_OK;
}

/* Adds s_i^T S s_j for every pair of vertices of the contact. What turns the pair leaves its way along the normal as it
 * is, so that s_i^T n is w_i n. */
static wf_status add_turning_pair(wf_world *world, const wf_resting_contact *contact, const wf_mat3 *shares,
                                  const wf_mat3 *block)
{
    wf_status status = WF_OK;
    wf_mat3 right[4]; /* S s_j */
    for (int b = 0; b < 4; b++) {
        right[b] = wf_mat3_product(*block, shares[b]);
    }
    for (int a = 0; a < 4; a++) {
        const wf_mat3 left = wf_mat3_transpose(shares[a]);
        for (int b = a; b < 4 && status == WF_OK; b++) {
            wf_mat3 shared = wf_mat3_product(left, right[b]);
            status = wf_world_add_contact_block(world, contact->vertex[a], contact->vertex[b], &shared);
        }
    }
    return status;
}

/* Adds w_i w_j S for every pair of cloth vertices of the contact. */
static wf_status add_pair(wf_world *world, const wf_resting_contact *contact, const wf_mat3 *block)
{
    wf_status status = WF_OK;
    const wf_mat3 *shares = shares_of(world, contact);
    if (shares) {
        return add_turning_pair(world, contact, shares, block);
    }
    for (int a = 0; a < 4; a++) {
        for (int b = a; b < 4 && status == WF_OK; b++) {
            double scale = contact->weight[a] * contact->weight[b];
            if (contact->vertex[a] >= 0 && contact->vertex[b] >= 0 && scale != 0) {
                wf_mat3 scaled = wf_mat3_muladds((wf_mat3){{{0}}}, *block, scale);
                status = wf_world_add_contact_block(world, contact->vertex[a], contact->vertex[b], &scaled);
            }
        }
    }
    return status;
}

wf_status wf_world_add_contact_matrix(wf_world *world, const wf_vec3 *x, double stiffness_scale, double damping_scale)
{
    wf_contact_blocks_begin(world->contact_blocks);
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        contact->acts = presses(world, contact, wf_world_overlap_at(world, contact, x));
        double along = stiffness_scale * contact->stiffness + damping_scale * contact->damping;
        along = contact->acts ? along : 0;
        double across = damping_scale * contact->drag;
        wf_mat3 block = wf_mat3_identity_plus_outer(across, along - across, contact->normal, contact->normal);
        if (wf_vec3_norm2(contact->slide) > 0) {
            wf_mat3 sliding = wf_mat3_identity_plus_outer(0, -across, contact->slide, contact->slide);
            block = wf_mat3_muladds(block, sliding, 1);
        }
        wf_status status = add_pair(world, contact, &block);
        if (status == WF_OK && arms_of(world, contact)) {
            status = wf_world_add_arms_matrix(world, contact, arms_of(world, contact), &block);
        }
        if (status != WF_OK) {
            return status;
        }
    }
    if (world->barrier) {
        wf_status status = wf_world_add_barrier_matrix(world, x, stiffness_scale);
        if (status != WF_OK) {
            return status;
        }
    }
    return wf_contact_blocks_finish(world->context, world->contact_blocks, world->row_count);
}
