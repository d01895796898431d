/* multipliers.c - resting contacts that constrain the solve, with Coulomb's law: an augmented Lagrangian.
 *
 * Along the normal the method of multipliers (Hestenes 1969; Powell 1969), one-sided as Rockafellar's (1973): a spring
 * presses with max(pressed + k overlap, 0), and after a solve that is what it is to press without any overlap.
 * `pressed` is kept as a part of the gap, so that forces and matrix know nothing of it.
 *
 * Across it Coulomb's law in the same form (Alart and Curnier 1991; Simo and Laursen 1992), with the slip u at the end
 * of the step and the normal force N of the solve before. A pair that sticks is held by held + rho u, and after a solve
 * `held` is what that was; where that is more than mu N, the pair slides. Then mu N d holds it, d = u / |u|, with the
 * law's linearisation: a drag mu N / |u| across d, and none along it, or what slides would be drawn along. This is
 * Newton's method for |u|, which does not converge by itself: a pair whose slip turns by more than SAME_WAY allows gets
 * the drag mu N / |u| in all directions instead (Weiszfeld 1937), until it holds its way or sticks. All blocks are
 * symmetric and not negative. Nothing is kept from one part of a step to the next.
 *
 * With m = 1 / mobility, the mass that a pair moves, k = STIFFNESS m / h^2 and rho = STIFFNESS m / h: a solve leaves a
 * thousandth of the overlap and of the slip, and more where cloth's own stiffness resists. Ten times as much makes
 * friction change sides where slips are small; a tenth lets what is stretched along a body creep.
 */
#include <string.h>

#include "step/scheme.h"
#include "world/world_state.h"

#define STIFFNESS 1e3
#define SAME_WAY 0.9            /* cosine */
#define REST_OVERLAP 1e-6       /* m: what constraints may leave */
#define REST_SHARE 0.01         /* of the speed that counts as sticking: slip and errors at rest */
#define FRICTION_TOLERANCE 5e-4 /* of the friction of all pairs of a vertex, for their sum */

static bool slid(const wf_world *world, const wf_resting_contact *contact)
{
    return wf_vec3_norm(contact->slip) > world->params.friction_speed;
}

/* N s/m: what brings a pair's slip to rest in the step; 0 where nothing that can move bears. */
static double stopping_drag(const wf_world *world, const wf_resting_contact *contact)
{
    double mobility = wf_world_mobility_across(world, contact);
    return mobility > 0 ? 1 / (world->part * mobility) : 0;
}

static void let_go(wf_resting_contact *contact)
{
    contact->held = contact->slide = (wf_vec3){0, 0, 0};
    contact->drag = 0;
}

static void let_stick(wf_vec3 held, double drag, wf_resting_contact *contact)
{
    contact->held = held;
    contact->slide = (wf_vec3){0, 0, 0};
    contact->drag = drag;
}

/* Under mu N = `most`, along a vector (N) longer than that; rho: N s/m. */
static void let_slide(double most, wf_vec3 along, double rho, wf_resting_contact *contact)
{
    double size = wf_vec3_norm(along);
    contact->slide = wf_vec3_scale(along, 1 / size);
    contact->held = wf_vec3_scale(contact->slide, most);
    contact->drag = rho * most / size;
}

/* ---- as a first solve takes them --------------------------------------------------------------------------------- */

/* m/s: of what is free of the pair, along its normal, by its weight in the step. */
static double fall(const wf_world *world, const wf_resting_contact *contact)
{
    double weight = 0;
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        weight += i >= 0 && world->inverse_mass[i] > 0 ? contact->weight[k] : 0;
    }
    return world->part * weight * wf_vec3_dot(world->params.gravity, contact->normal);
}

/* Friction as if each pair bore what is near it alone. */
static void guess_friction(const wf_world *world, double overlap, double mobility, wf_resting_contact *contact)
{
    const double rho = STIFFNESS * stopping_drag(world, contact);
    let_go(contact);
    if (!slid(world, contact)) {
        let_stick(contact->held, contact->hold > 0 ? rho : 0, contact);
    } else if (overlap > 0) {
        double most = contact->dynamic * overlap / (world->part * world->part * mobility);
        double speed = wf_vec3_norm(contact->slip);
        let_slide(most, wf_vec3_scale(contact->slip, rho + most / speed), rho, contact);
    }
}

/* What touches acts in the first solve, or would by the velocities that the step begins with. A constraint asks for no
 * more than parting gives in the part of the step. */
wf_status wf_world_begin_multipliers(wf_world *world)
{
    const double h = world->part, deepest = WF_PARTING_SPEED * h;
    if (!world->unsettled) {
        world->unsettled = wf_allocate(world->context, (size_t)world->row_count, sizeof *world->unsettled);
        if (!world->unsettled) {
            return WF_ERROR_MEMORY;
        }
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        double mobility = wf_world_mobility_along(world, contact);
        wf_vec3 velocity = wf_world_relative_velocity(world, contact, NULL, world->v0);
        contact->gap = fmax(contact->gap, -deepest);
        contact->stiffness = mobility > 0 ? STIFFNESS / (mobility * h * h) : contact->stiffness;
        double overlap = -contact->gap - h * wf_vec3_dot(velocity, contact->normal);
        contact->rides = mobility > 0 && overlap > -REST_OVERLAP;
        if (contact->rides) {
            guess_friction(world, overlap - h * fall(world, contact), mobility, contact);
        } else {
            let_go(contact);
        }
    }
    return WF_OK;
}

/* ---- after a solve ----------------------------------------------------------------------------------------------- */

/* Adds a change of the force on a pair to those of its vertices, and to what they are measured by. */
static void note_change(wf_world *world, const wf_resting_contact *contact, wf_vec3 change, double friction)
{
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            wf_unsettled *vertex = &world->unsettled[i];
            vertex->change = wf_vec3_muladds(vertex->change, change, contact->weight[k]);
            vertex->friction += fabs(contact->weight[k]) * friction;
        }
    }
}

/* How much of what the end of the step has the forces of the solve see: schemes that mix both of its ends see half. */
static double share_of_end(const wf_world *world)
{
    return wf_integrator_get_class(world->integrator)->solves_for_end ? 1 : 0.5;
}

/* N: the friction that acted in the solve, and the slip that it goes by there. */
static wf_vec3 friction_in_solve(const wf_world *world, const wf_resting_contact *contact, wf_vec3 slip, wf_vec3 *seen)
{
    const double share = share_of_end(world);
    wf_vec3 friction = wf_world_friction_at(world, contact, world->v1);
    *seen = slip;
    if (share < 1) {
        friction = wf_vec3_lerp(wf_world_friction_at(world, contact, world->v0), friction, share);
        *seen = wf_vec3_lerp(wf_world_slip_at(world, contact, world->v0), slip, share);
    }
    return wf_vec3_scale(friction, -1);
}

/* Under mu N = `most`, of a pair that is free to move. Whether it has come to rest, if it sticks. */
static bool follow_coulomb(const wf_world *world, const wf_resting_contact *contact, double most, wf_vec3 u,
                           wf_vec3 acted, wf_vec3 seen, wf_resting_contact *next)
{
    const double stopping = stopping_drag(world, contact), rho = STIFFNESS * stopping, speed = wf_vec3_norm(u);
    const bool slides = wf_vec3_norm2(contact->slide) > 0, brakes = !slides && contact->drag < 0.999 * rho;
    const bool turns = slides && wf_vec3_dot(u, contact->slide) < SAME_WAY * speed;
    const bool enough = wf_vec3_norm(acted) <= most;
    const wf_vec3 stopped = wf_vec3_muladds(acted, u, stopping); /* what would hold the pair if it were alone */
    if (turns && wf_vec3_norm(stopped) <= most) {
        let_stick(stopped, rho, next);
    } else if (turns || (brakes && enough)) {
        let_stick((wf_vec3){0, 0, 0}, most < rho * speed ? most / speed : rho, next);
    } else if (slides) {
        let_slide(most, wf_vec3_muladds(wf_vec3_scale(contact->slide, most), u, rho), rho, next);
    } else if (!enough) {
        let_slide(most, acted, rho, next);
    } else {
        const wf_vec3 rest = wf_vec3_sub(wf_vec3_scale(u, share_of_end(world)), seen);
        let_stick(wf_vec3_muladds(acted, rest, rho), rho, next);
        return speed <= REST_SHARE * world->params.friction_speed;
    }
    return true;
}

/* Under the normal force `push`. Whether it has come to rest, if it sticks. */
static bool raise_friction(wf_world *world, const wf_resting_contact *contact, double push, wf_resting_contact *next)
{
    const double most = push * (slid(world, contact) ? contact->dynamic : contact->hold);
    wf_vec3 seen, u = wf_world_slip_at(world, contact, world->v1);
    const wf_vec3 acted = friction_in_solve(world, contact, u, &seen);
    bool rests = true;
    if (most > 0) {
        rests = follow_coulomb(world, contact, most, u, acted, seen, next);
    } else {
        let_go(next);
    }
    const bool slides = wf_vec3_norm2(next->slide) > 0, sticks = !slides && wf_vec3_norm(acted) <= most;
    const wf_vec3 force = slides ? next->held : wf_vec3_muladds(next->held, seen, next->drag);
    note_change(world, contact, sticks ? (wf_vec3){0, 0, 0} : wf_vec3_sub(acted, force), most);
    return rests;
}

/* N: with what the pair presses from now on. Where its constraint did not act it has met in this solve alone, and no
 * force brought it so far; where it pulled, it is let go. *overlap: m, what the solve left. */
static double raise_push(wf_world *world, const wf_resting_contact *contact, double *overlap, wf_resting_contact *next)
{
    const double beyond = wf_world_overlap_at(world, contact, world->x1);
    const double mobility = wf_world_mobility_along(world, contact), h = world->part;
    if (!contact->rides) {
        *overlap = mobility > 0 ? fmax(beyond, 0) : 0;
        next->rides = *overlap > 0;
        return next->rides ? *overlap / (mobility * h * h) : 0;
    }
    const double left = contact->stiffness * beyond - contact->pressed;
    const double push = fmax(contact->pressed + share_of_end(world) * left, 0);
    if (beyond < 0) {
        note_change(world, contact, wf_vec3_scale(contact->normal, -contact->stiffness * beyond), 0);
    }
    *overlap = (push - contact->pressed) / contact->stiffness;
    next->gap -= *overlap;
    next->pressed = push;
    next->rides = push > 0;
    return push;
}

/* What the contact is in the next solve. Whether this one left it without overlap, and at rest if it sticks. */
static bool raise(wf_world *world, const wf_resting_contact *contact, wf_resting_contact *next)
{
    double overlap;
    *next = *contact;
    const double push = raise_push(world, contact, &overlap, next);
    return raise_friction(world, contact, push, next) && fabs(overlap) <= REST_OVERLAP;
}

/* Single pairs of many that hold the same vertices may change for ever: what counts is what moves. */
static bool vertices_rest(const wf_world *world)
{
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        const wf_unsettled *vertex = &world->unsettled[i];
        double speed = world->part * world->inverse_mass[i];
        if (speed * wf_vec3_norm(vertex->change) >
            fmax(REST_SHARE * world->params.friction_speed, FRICTION_TOLERANCE * speed * vertex->friction)) {
            return false;
        }
    }
    return true;
}

bool wf_world_raise_multipliers(wf_world *world)
{
    bool rest = true;
    wf_resting_contact next;
    memset(world->unsettled, 0, (size_t)world->row_count * sizeof *world->unsettled);
    for (size_t c = 0; c < world->resting_count; c++) {
        rest = raise(world, &world->resting[c], &next) && rest;
    }
    if (rest && vertices_rest(world)) {
        return false; /* contacts stay what the solve knew, for whoever asks for its forces */
    }
    for (size_t c = 0; c < world->resting_count; c++) {
        raise(world, &world->resting[c], &next);
        world->resting[c] = next;
    }
    return true;
}
