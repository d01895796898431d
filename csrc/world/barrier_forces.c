/* barrier_forces.c - contact as part of the step's potential: barriers and friction (contact "barrier").
 *
 * A pair nearer than its contact distance is pushed apart by a barrier (contact/barrier.h) whose offset is a quarter of
 * that distance. Its stiffness is a part of the world's contact stiffness times the area that the pair's cloth vertices
 * have on the average. It is chosen so that the weight of cloth and the pressure of garments (2 and 200 Pa) meet the
 * barrier in the middle of its range, where it is nearest to a spring. Stiffer ones are met at their edge, where their
 * curvature jumps from iterate to iterate, and softer ones near the offset, where it grows without bound; the logarithm
 * sees to any load. What resists a motion within a step, m / h^2, has no part in it: that changes with the step and its
 * parts, and what pressed cloth gives back would with it, beyond what pressing it took.
 *
 * What a pair gives back as it parts is braked by the law of Hunt and Crossley (1975): from u = 0 on its push falls off
 * with the speed u of parting, as push (1 - u / u_lift). Or cloth that begins a step within the range, as a script puts
 * it or a load that goes leaves it, would be thrown. Both factors fall with the distance at the end of the step, so
 * that their product has a convex potential too. It takes energy, bears at rest what the barrier does, and lets nothing
 * come nearer.
 *
 * Friction follows Coulomb's law with the normal force of an earlier iterate and the way u that a pair slides within
 * the step, smoothed below friction_speed times the step; pairs that stick when it begins hold with their static
 * coefficient throughout.
 *
 * The floor is a pair of each vertex with a plane. Bodies are at the start of their step when it begins and at its end
 * once its first iterate has passed the door.
 */
#include <string.h>

#include "base/clock.h"
#include "contact/barrier.h"
#include "contact/free_motion.h"
#include "world/world_state.h"

/* m/s: corrections that are less than this times the tolerance are not worth their cost: by default a thousandth, the
 * speed at which cloth counts as resting. */
#define SMALLEST_SPEED 1e-2

/* Of the contact stiffness: what four stacked sheets on a ball take the fewest iterations with. */
#define STIFFNESS_PART (1.0 / 16)

#define HOLDING 1e9    /* of the masses: what is held has so much more */
#define NO_WEIGHT 1e-9 /* of the closest point: the vertex has no part in it but for rounding */

/* A pair within reach of its barrier; vertices that are not of cloth count as -1. */
typedef struct touching_pair {
    int32_t vertex[4];
    wf_pair_distance at;
    wf_barrier_terms terms;
    double brake;    /* N/m: how much faster than the barrier's the push falls off, since the pair then parts faster */
    wf_vec3 drift;   /* m: the motion of bodies in the step, times their weights */
    wf_vec3 slip;    /* m/s, when the step begins; of bodies in the step before, so that what sticks keeps up */
    wf_friction friction;
} touching_pair;

/* A pair that slides or sticks. */
typedef struct sliding_pair {
    int32_t vertex[4];
    double weight[4];
    wf_vec3 normal;
    wf_vec3 drift; /* m: the motion of bodies in the step, times their weights */
    double force;  /* N: the coefficient times the normal force */
    double secant; /* 1/m; 0: that of the way itself */
} sliding_pair;

struct wf_world_barrier {
    wf_barrier_calls calls;
    wf_vec3 *x;      /* [vertex_count] at which the pairs below are */
    wf_vec3 *ahead;  /* [vertex_count] scratch */
    wf_vec3 *before; /* [cloth_vertex_count] where the matrix was formed last, or what the velocities let expect */
    wf_vec3 *still;  /* [cloth_vertex_count] where the step would end for what it leaves without a velocity */
    double rate;     /* 1/s: the velocity it is left with per m beyond that */
    wf_barrier_energy energy;
    uint8_t *held;       /* [3 cloth_vertex_count] 1: of a vertex that touches something without a gap */
    int32_t held_count;  /* vertices */
    bool found;      /* the pairs are those of x */
    bool entered;    /* the bodies are at the end of their step */
    wf_tight_pairs tight;
    touching_pair *touching;
    size_t touching_count, touching_capacity;
    sliding_pair *sliding;
    size_t sliding_count, sliding_capacity;
};

static const wf_vec3 *as_vectors(const double *scalars)
{
    return (const wf_vec3 *)scalars;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void wf_world_free_barrier(wf_world *world)
{
    wf_world_barrier *barrier = world->barrier;
    if (!barrier) {
        return;
    }
    wf_free(world->context, barrier->x);
    wf_free(world->context, barrier->ahead);
    wf_free(world->context, barrier->before);
    wf_free(world->context, barrier->still);
    wf_free(world->context, barrier->held);
    wf_free(world->context, barrier->tight.pairs);
    wf_free(world->context, barrier->touching);
    wf_free(world->context, barrier->sliding);
    wf_free(world->context, barrier);
    world->barrier = NULL;
}

const wf_barrier_calls *wf_world_barrier_calls(const wf_world *world)
{
    return world->barrier ? &world->barrier->calls : NULL;
}

int32_t wf_world_barrier_held(const wf_world *world)
{
    return world->barrier->held_count;
}

const wf_vec3 *wf_world_barrier_reached(const wf_world *world)
{
    return world->barrier->x;
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static double stiffness_of(const wf_world *world, double area)
{
    return STIFFNESS_PART * world->params.contact_stiffness * area;
}

static double pair_stiffness(const wf_world *world, const int32_t vertex[4])
{
    double area = 0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (vertex[k] < world->cloth_vertex_count) {
            area += world->area[vertex[k]];
            count++;
        }
    }
    return stiffness_of(world, area / count);
}

static wf_barrier_law pair_law(const wf_world *world, const wf_contact *pair)
{
    wf_barrier_law law = {.offset = wf_pair_offset(&world->barrier->tight, pair->key, pair->thickness),
                          .stiffness = pair_stiffness(world, pair->vertex)};
    law.range = pair->thickness - law.offset;
    if (pair->kind & WF_CONTACT_EDGE_EDGE) {
        wf_vec3 start[4];
        for (int k = 0; k < 4; k++) {
            start[k] = world->x0[pair->vertex[k]];
        }
        law.parallel = wf_parallel_threshold(start);
    }
    return law;
}

/* The floor of a vertex. One that starts at the floor or below has it right below itself, and is pressed up from there
 * in each step until it is out. */
static double floor_below(const wf_world *world, int32_t i)
{
    double start = world->x0[i].y;
    return start > world->params.floor_height ? world->params.floor_height : start - WF_OUT_OF_TOUCH;
}

static double height_above_floor(const wf_world *world, int32_t i, const wf_vec3 *x)
{
    return x[i].y - floor_below(world, i);
}

/* m above its floor, below which the vertex may not come. */
static double floor_offset(const wf_world *world, int32_t i)
{
    double start = height_above_floor(world, i, world->x0);
    return start > 0 ? fmin(WF_OFFSET_PART * world->half_thickness[i], WF_KEPT_OF_START * start) : -INFINITY;
}

/* Whether the vertex was in the floor, and is not yet out of its barrier's range. */
static bool is_lifted(const wf_world *world, int32_t i)
{
    return world->x0[i].y <= world->params.floor_height || world->parting[i];
}

/* m above its floor: where the floor's barrier begins to push. What is lifted is pressed up no farther than it may come
 * in a step: all of the range throws it where steps are short. */
static double floor_reach(const wf_world *world, int32_t i)
{
    double height = world->x0[i].y - world->params.floor_height, half = world->half_thickness[i];
    if (!is_lifted(world, i)) {
        return half;
    }
    double lift = fmax(WF_LIFT_SPEED * world->part, 2 * WF_OUT_OF_TOUCH);
    return height > 0 ? fmin(height + lift, half) : fmin(lift, half - height);
}

static void note_lifted(wf_world *world)
{
    for (int32_t i = 0; world->params.floor && i < world->cloth_vertex_count; i++) {
        double height = world->x0[i].y - world->params.floor_height, half = world->half_thickness[i];
        if (height <= 0 || ((world->parting[i] & WF_PARTS) && height < (1 - WF_DEEP_OVERLAP) * half)) {
            world->parting[i] |= WF_PARTS_ON;
        }
    }
}

/* m/s: along the pair's normal, relative to bodies: when the step begins, and with what its end leaves the pair. */
static double start_speed(const wf_world *world, const touching_pair *pair)
{
    double speed = wf_vec3_dot(pair->drift, pair->at.normal) / world->part;
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        speed += i >= 0 ? pair->at.weight[k] * wf_vec3_dot(world->v0[i], pair->at.normal) : 0;
    }
    return speed;
}

static double end_speed(const wf_world *world, const touching_pair *pair)
{
    const wf_world_barrier *barrier = world->barrier;
    double speed = wf_vec3_dot(pair->drift, pair->at.normal) / world->part;
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        if (i >= 0) {
            wf_vec3 way = wf_vec3_sub(barrier->x[i], barrier->still[i]);
            speed += barrier->rate * pair->at.weight[k] * wf_vec3_dot(way, pair->at.normal);
        }
    }
    return speed;
}

static void brake_parting(const wf_world *world, touching_pair *pair)
{
    if (!(pair->terms.push > 0)) {
        return;
    }
    double speed = end_speed(world, pair);
    if (!world->barrier->entered) { /* nothing has moved: what the step begins with tells which way it goes */
        double start = start_speed(world, pair);
        speed = start < 0 || start >= WF_LIFT_SPEED ? start : fmin(fmax(speed, 0), WF_LIFT_SPEED);
    }
    if (speed >= 0) {
        double left = fmax(1 - speed / WF_LIFT_SPEED, 0);
        pair->brake = left > 0 ? pair->terms.push * world->barrier->rate / WF_LIFT_SPEED : 0;
        pair->terms.push *= left;
        pair->terms.along *= left;
        pair->terms.turn *= left;
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static touching_pair touch(const wf_world *world, const wf_contact *pair)
{
    const wf_world_barrier *barrier = world->barrier;
    wf_barrier_law law = pair_law(world, pair);
    touching_pair touching = {.friction = pair->friction,
                              .at = {.distance = pair->distance, .normal = pair->normal}};
    memcpy(touching.at.weight, pair->weight, sizeof pair->weight);
    wf_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        bool cloth = i < world->cloth_vertex_count;
        x[k] = barrier->x[i];
        touching.vertex[k] = cloth ? i : -1;
        touching.slip = wf_vec3_muladds(touching.slip, world->v0[i], pair->weight[k]);
        if (!cloth) {
            wf_vec3 motion = wf_vec3_sub(world->x1[i], world->x0[i]);
            touching.drift = wf_vec3_muladds(touching.drift, motion, pair->weight[k]);
        }
    }
    if (pair->distance < WF_TOUCHING) { /* its normal is that of a surface */
        touching.at = pair->kind & WF_CONTACT_EDGE_EDGE ? wf_edge_edge_closest(x) : wf_vertex_face_closest(x);
    }
    if (!wf_has_no_gap(x, pair->distance)) { /* what has none has an infinite potential, and is held */
        touching.terms = wf_barrier_terms_of(&law, &touching.at, x);
    }
    brake_parting(world, &touching);
    return touching;
}

static touching_pair touch_floor(const wf_world *world, int32_t i)
{
    double offset = floor_offset(world, i);
    wf_barrier_law law = {.offset = offset,
                          .range = floor_reach(world, i) - offset,
                          .stiffness = stiffness_of(world, world->area[i])};
    touching_pair touching = {.vertex = {i, -1, -1, -1},
                              .at = {.distance = height_above_floor(world, i, world->barrier->x),
                                     .weight = {1, 0, 0, 0},
                                     .normal = {0, 1, 0}},
                              .slip = world->v0[i],
                              .friction = wf_world_floor_friction(world, i)};
    touching.terms = wf_barrier_terms_of(&law, &touching.at, NULL);
    if (!is_lifted(world, i)) { /* which is as fast as it may be */
        brake_parting(world, &touching);
    }
    return touching;
}

static bool near_floor(const wf_world *world, int32_t i)
{
    double height = height_above_floor(world, i, world->barrier->x);
    return world->params.floor && height < floor_reach(world, i) && floor_offset(world, i) >= 0;
}

/* The contacts at barrier->x. */
static wf_status find_contacts(wf_world *world, const wf_contact **contacts, int32_t *count)
{
    *count = 0;
    double start = wf_clock_seconds();
    wf_status status = WF_OK;
    if (world->scene) {
        status = wf_contact_find(world->scene, world->barrier->x, 0, WF_CONTACTS_ALL, contacts, count);
    }
    world->stats.detection_seconds += wf_clock_seconds() - start;
    world->stats.contacts = *count;
    return status;
}

static wf_status gather_touching(wf_world *world, const wf_contact *contacts, int32_t contact_count)
{
    wf_world_barrier *barrier = world->barrier;
    size_t most = (size_t)contact_count + (world->params.floor ? (size_t)world->cloth_vertex_count : 0), count = 0;
    wf_status status = wf_reserve(world->context, &barrier->touching, &barrier->touching_capacity, most,
                                  sizeof *barrier->touching);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t c = 0; c < contact_count; c++) {
        barrier->touching[count++] = touch(world, &contacts[c]);
    }
    for (int32_t i = 0; world->params.floor && i < world->cloth_vertex_count; i++) {
        if (near_floor(world, i)) {
            barrier->touching[count++] = touch_floor(world, i);
        }
    }
    barrier->touching_count = count;
    barrier->found = true;
    return WF_OK;
}

/* The pairs at x, which are kept until they are asked for elsewhere. */
static wf_status find_pairs(wf_world *world, const wf_vec3 *x)
{
    wf_world_barrier *barrier = world->barrier;
    size_t bytes = (size_t)world->cloth_vertex_count * sizeof *x;
    if (barrier->found && memcmp(barrier->x, x, bytes) == 0) {
        return WF_OK;
    }
    memcpy(barrier->x, x, bytes);
    const wf_contact *contacts;
    int32_t count;
    wf_status status = find_contacts(world, &contacts, &count);
    return status == WF_OK ? gather_touching(world, contacts, count) : status;
}

/* Until the bodies have moved, the push that is to be expected once they have. */
static double push_of(const wf_world_barrier *barrier, const touching_pair *pair)
{
    double nearer = barrier->entered ? 0 : -wf_vec3_dot(pair->drift, pair->at.normal);
    return fmax(pair->terms.push + pair->terms.along * nearer, 0);
}

static wf_vec3 across(wf_vec3 u, wf_vec3 normal)
{
    return wf_vec3_muladds(u, normal, -wf_vec3_dot(u, normal));
}

/* The way that the pair slides from the start of the step until cloth is at x, m. */
static wf_vec3 slide_of(const wf_world *world, const sliding_pair *pair, const wf_vec3 *x)
{
    wf_vec3 u = pair->drift;
    for (int k = 0; k < 4; k++) {
        int32_t i = pair->vertex[k];
        if (i >= 0) {
            u = wf_vec3_muladds(u, wf_vec3_sub(x[i], world->x0[i]), pair->weight[k]);
        }
    }
    return across(u, pair->normal);
}

static double stick_way(const wf_world *world)
{
    return world->params.friction_speed * world->part;
}

/* Friction from the pairs that were found last. */
static wf_status gather_sliding(wf_world *world)
{
    wf_world_barrier *barrier = world->barrier;
    wf_status status = wf_reserve(world->context, &barrier->sliding, &barrier->sliding_capacity,
                                  barrier->touching_count, sizeof *barrier->sliding);
    barrier->sliding_count = 0;
    for (size_t c = 0; status == WF_OK && c < barrier->touching_count; c++) {
        const touching_pair *pair = &barrier->touching[c];
        double speed = wf_vec3_norm(across(pair->slip, pair->at.normal));
        double coefficient = speed > world->params.friction_speed ? pair->friction.dynamic : pair->friction.hold;
        double force = world->params.friction_scale * coefficient * push_of(barrier, pair);
        if (!(force > 0)) {
            continue;
        }
        sliding_pair *sliding = &barrier->sliding[barrier->sliding_count++];
        *sliding = (sliding_pair){.normal = pair->at.normal, .drift = pair->drift, .force = force};
        memcpy(sliding->vertex, pair->vertex, sizeof pair->vertex);
        memcpy(sliding->weight, pair->at.weight, sizeof pair->at.weight);
        if (!barrier->entered) {
            sliding->secant = wf_friction_secant(speed * world->part, stick_way(world));
        }
    }
    return status;
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

wf_status wf_world_add_barrier_forces(wf_world *world, const wf_vec3 *x, wf_vec3 *force)
{
    wf_world_barrier *barrier = world->barrier;
    double detection_before = world->stats.detection_seconds;
    wf_status status = find_pairs(world, x);
    world->stats.assembly_seconds -= world->stats.detection_seconds - detection_before; /* which the caller counts */
    if (status != WF_OK) {
        return status;
    }
    for (size_t c = 0; c < barrier->touching_count; c++) {
        touching_pair pair = barrier->touching[c];
        pair.terms.push = push_of(barrier, &pair);
        for (int k = 0; k < 4; k++) {
            int32_t i = pair.vertex[k];
            if (i >= 0) {
                force[i] = wf_vec3_add(force[i], wf_barrier_force(&pair.terms, &pair.at, k));
            }
        }
    }
    for (size_t c = 0; c < barrier->sliding_count; c++) {
        const sliding_pair *pair = &barrier->sliding[c];
        wf_vec3 slide = slide_of(world, pair, x);
        double secant = pair->secant > 0 ? pair->secant : wf_friction_secant(wf_vec3_norm(slide), stick_way(world));
        for (int k = 0; k < 4; k++) {
            int32_t i = pair->vertex[k];
            if (i >= 0) {
                force[i] = wf_vec3_muladds(force[i], slide, -pair->weight[k] * pair->force * secant);
            }
        }
    }
    return WF_OK;
}

wf_status wf_world_barrier_work(wf_world *world, double *energy, double *work)
{
    wf_world_barrier *barrier = world->barrier;
    const wf_contact *contacts;
    int32_t count;
    wf_status status = find_contacts(world, &contacts, &count); /* of where it has arrived */
    status = status == WF_OK ? gather_touching(world, contacts, count) : status;
    barrier->energy.end = 0;
    for (size_t c = 0; c < barrier->touching_count && status == WF_OK; c++) {
        const touching_pair *pair = &barrier->touching[c];
        barrier->energy.end += pair->terms.energy;
        *work -= push_of(barrier, pair) * wf_vec3_dot(pair->at.normal, pair->drift);
    }
    for (size_t c = 0; c < barrier->sliding_count && status == WF_OK; c++) {
        const sliding_pair *pair = &barrier->sliding[c];
        wf_vec3 slide = slide_of(world, pair, barrier->x);
        double secant = wf_friction_secant(wf_vec3_norm(slide), stick_way(world));
        *work += pair->force * secant * wf_vec3_dot(slide, pair->drift);
    }
    *energy += barrier->energy.end;
    return status;
}

wf_barrier_energy wf_world_barrier_energy(const wf_world *world)
{
    return world->barrier ? world->barrier->energy : (wf_barrier_energy){0, 0};
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static wf_status add_touching(wf_world *world, const touching_pair *pair, double scale)
{
    wf_status status = WF_OK;
    wf_barrier_terms terms = pair->terms;
    terms.along += pair->brake;
    if (!(terms.along > 0 || terms.turn > 0)) {
        return WF_OK;
    }
    for (int a = 0; a < 4; a++) {
        for (int b = a; b < 4 && status == WF_OK; b++) {
            bool coupled = pair->at.weight[a] * pair->at.weight[b] != 0 || terms.turn > 0;
            if (coupled && pair->vertex[a] >= 0 && pair->vertex[b] >= 0) {
                wf_mat3 block = wf_barrier_block(&terms, &pair->at, a, b);
                block = wf_mat3_muladds((wf_mat3){{{0}}}, block, scale);
                status = wf_world_add_contact_block(world, pair->vertex[a], pair->vertex[b], &block);
            }
        }
    }
    return status;
}

/* Across the way the secant; along it too while the slide gets less, because the tangent, which is nothing, would throw
 * the pair beyond its halt; and the tangent while it grows, because the secant would let it set off but slowly. */
static wf_mat3 sliding_stiffness(const wf_world *world, const sliding_pair *pair, const wf_vec3 *x)
{
    wf_vec3 slide = slide_of(world, pair, x);
    double way = wf_vec3_norm(slide), stick = stick_way(world);
    if (pair->secant > 0 || way == 0) {
        double secant = pair->secant > 0 ? pair->secant : wf_friction_secant(way, stick);
        return wf_mat3_identity_plus_outer(secant, -secant, pair->normal, pair->normal);
    }
    double secant = wf_friction_secant(way, stick);
    wf_mat3 stiffness = wf_mat3_identity_plus_outer(secant, -secant, pair->normal, pair->normal);
    if (wf_vec3_dot(slide, slide_of(world, pair, world->barrier->before)) < way * way) {
        wf_vec3 along = wf_vec3_scale(slide, 1 / way);
        double less = secant - wf_friction_tangent(way, stick);
        stiffness = wf_mat3_muladds(stiffness, wf_mat3_identity_plus_outer(0, 1, along, along), -less);
    }
    return stiffness;
}

static wf_status add_sliding(wf_world *world, const sliding_pair *pair, const wf_vec3 *x, double scale)
{
    wf_mat3 stiffness = sliding_stiffness(world, pair, x);
    wf_status status = WF_OK;
    for (int a = 0; a < 4; a++) {
        for (int b = a; b < 4 && status == WF_OK; b++) {
            double part = scale * pair->force * pair->weight[a] * pair->weight[b];
            if (pair->vertex[a] >= 0 && pair->vertex[b] >= 0 && part != 0) {
                wf_mat3 block = wf_mat3_muladds((wf_mat3){{{0}}}, stiffness, part);
                status = wf_world_add_contact_block(world, pair->vertex[a], pair->vertex[b], &block);
            }
        }
    }
    return status;
}

/* As if what is held were so heavy that nothing moves it. */
static wf_status hold(wf_world *world)
{
    const wf_world_barrier *barrier = world->barrier;
    wf_status status = WF_OK;
    for (int32_t i = 0; barrier->held_count > 0 && i < world->cloth_vertex_count && status == WF_OK; i++) {
        if (barrier->held[3 * (size_t)i]) {
            wf_mat3 block = wf_mat3_identity_plus_outer(HOLDING * world->mass[i], 0, (wf_vec3){0}, (wf_vec3){0});
            status = wf_world_add_contact_block(world, i, i, &block);
        }
    }
    return status;
}

wf_status wf_world_add_barrier_matrix(wf_world *world, const wf_vec3 *x, double stiffness_scale)
{
    wf_world_barrier *barrier = world->barrier;
    wf_status status = find_pairs(world, x);
    for (size_t c = 0; status == WF_OK && c < barrier->touching_count; c++) {
        status = add_touching(world, &barrier->touching[c], stiffness_scale);
    }
    for (size_t c = 0; status == WF_OK && c < barrier->sliding_count; c++) {
        status = add_sliding(world, &barrier->sliding[c], x, stiffness_scale);
    }
    status = status == WF_OK && barrier->entered ? hold(world) : status;
    if (barrier->entered) {
        memcpy(barrier->before, x, (size_t)world->cloth_vertex_count * sizeof *x);
    }
    return status;
}

/* ---- the step's calls -------------------------------------------------------------------------------------------- */

static void place_bodies(const wf_world *world, const wf_vec3 *from, wf_vec3 *to)
{
    size_t first = (size_t)world->cloth_vertex_count, count = (size_t)world->vertex_count - first;
    memcpy(to + first, from + first, count * sizeof *to);
}

/* What touches a body or other cloth without a gap has no direction in which a barrier could push it: it is held where
 * the door of positions left it, until touching.c finds room for it. Layers of one cloth that lie at the same place,
 * and panels along their stitches, are let be. */
static bool is_held_by(const wf_world *world, const wf_contact *pair)
{
    wf_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = world->barrier->x[pair->vertex[k]];
    }
    return wf_has_no_gap(x, pair->distance) && wf_world_touch_counts(world, pair);
}

static void find_held(wf_world *world, const wf_contact *contacts, int32_t count)
{
    wf_world_barrier *barrier = world->barrier;
    barrier->held_count = 0;
    memset(barrier->held, 0, 3 * (size_t)world->cloth_vertex_count);
    for (int32_t c = 0; c < count; c++) {
        const wf_contact *pair = &contacts[c];
        if (!(pair->distance < WF_TOUCHING) || !is_held_by(world, pair)) {
            continue;
        }
        for (int k = 0; k < 4; k++) {
            int32_t i = pair->vertex[k];
            if (i < world->cloth_vertex_count && fabs(pair->weight[k]) > NO_WEIGHT && !barrier->held[3 * (size_t)i]) {
                memset(barrier->held + 3 * (size_t)i, 1, 3);
                barrier->held_count++;
            }
        }
    }
    barrier->calls.held = barrier->held_count > 0 ? barrier->held : NULL;
}

/* The pairs at barrier->x, from which each is to keep its offset, or most of its distance if that is less. */
static wf_status find_first_pairs(wf_world *world)
{
    wf_world_barrier *barrier = world->barrier;
    const wf_contact *contacts;
    int32_t count;
    wf_status status = find_contacts(world, &contacts, &count);
    if (status == WF_OK) {
        find_held(world, contacts, count);
        status = wf_tight_pairs_gather(world->context, &barrier->tight, contacts, count);
    }
    return status == WF_OK ? gather_touching(world, contacts, count) : status;
}

/* A force that acts in one step alone leaves h / gamma (v - b) behind in the end. What the step leaves is v by backward
 * Euler and 3/2 v - 1/2 v_0 by bdf2, in equal steps: h / gamma v + (1 - h / gamma) v_0, with v = (x - a) / gamma. */
static void note_still(wf_world *world, const wf_vec3 *a, double position_scale)
{
    wf_world_barrier *barrier = world->barrier;
    barrier->rate = world->part / (position_scale * position_scale);
    double past = (1 - world->part / position_scale) / barrier->rate;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        barrier->still[i] = wf_vec3_muladds(a[i], world->v0[i], -past);
    }
}

static wf_status begin(void *user, const double *x0, const double *a, double position_scale)
{
    wf_world *world = user;
    wf_world_barrier *barrier = world->barrier;
    size_t bytes = (size_t)world->cloth_vertex_count * sizeof *barrier->x;
    if (memcmp(as_vectors(x0), world->x0, bytes) != 0) {
        return wf_fail(world->context, WF_ERROR_STATE, "contact 'barrier' takes whole steps: first_step must be 0");
    }
    memcpy(barrier->x, world->x0, (size_t)world->vertex_count * sizeof *barrier->x);
    barrier->entered = barrier->found = false;
    note_lifted(world);
    note_still(world, as_vectors(a), position_scale);
    wf_status status = WF_OK;
    if (world->scene) {
        status = wf_contact_update(world->scene, barrier->x, barrier->x, wf_world_contact_skin(world));
    }
    status = status == WF_OK ? find_first_pairs(world) : status;
    barrier->energy.start = 0;
    for (size_t c = 0; status == WF_OK && c < barrier->touching_count; c++) {
        barrier->energy.start += barrier->touching[c].terms.energy;
    }
    return status == WF_OK ? gather_sliding(world) : status;
}

/* Many pairs on a long way are passed in slices, each of which may take a part of their distance. */
static wf_status enter(void *user, const double *x0, double *x)
{
    (void)x0; /* the world's */
    wf_world *world = user;
    wf_world_barrier *barrier = world->barrier;
    size_t bytes = (size_t)world->cloth_vertex_count * sizeof *barrier->x;
    memcpy(barrier->x, world->x1, (size_t)world->vertex_count * sizeof *barrier->x); /* the bodies at their end */
    memcpy(barrier->x, x, bytes);
    wf_status status = wf_world_enter_door(world, world->x0, barrier->x);
    if (status != WF_OK) {
        return status;
    }
    memcpy(x, barrier->x, bytes);
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        barrier->before[i] = wf_vec3_muladds(world->x0[i], world->v0[i], world->part);
    }
    barrier->entered = true;
    return find_first_pairs(world);
}

static wf_status follow_friction(void *user, const double *x)
{
    wf_status status = find_pairs(user, as_vectors(x));
    return status == WF_OK ? gather_sliding(user) : status;
}

/* No vertex may use up more than most of its gap to the floor. */
static double fraction_above_floor(const wf_world *world, const wf_vec3 *x, const wf_vec3 *dx)
{
    double fraction = 1;
    for (int32_t i = 0; world->params.floor && i < world->cloth_vertex_count; i++) {
        double gap = height_above_floor(world, i, x) - floor_offset(world, i);
        if (gap > 0 && -dx[i].y * fraction > (1 - WF_KEPT_OF_GAP) * gap) {
            fraction = (1 - WF_KEPT_OF_GAP) * gap / -dx[i].y;
        }
    }
    return fraction;
}

static wf_status free_fraction(void *user, const double *x, const double *dx, double *fraction)
{
    wf_world *world = user;
    wf_world_barrier *barrier = world->barrier;
    *fraction = fraction_above_floor(world, as_vectors(x), as_vectors(dx));
    if (!world->scene) {
        return WF_OK;
    }
    wf_status status = find_pairs(world, as_vectors(x)); /* whose time is counted there */
    double start = wf_clock_seconds();
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        barrier->ahead[i] = wf_vec3_muladds(barrier->x[i], as_vectors(dx)[i], *fraction);
    }
    place_bodies(world, barrier->x, barrier->ahead);
    double part = 1;
    if (status == WF_OK) {
        status = wf_contact_free_fraction(world->scene, barrier->x, barrier->ahead, &barrier->tight, &part);
    }
    *fraction *= part;
    world->stats.detection_seconds += wf_clock_seconds() - start;
    return status;
}

static void arrive(void *user, const double *x)
{
    wf_world *world = user;
    wf_world_barrier *barrier = world->barrier;
    memcpy(barrier->x, as_vectors(x), (size_t)world->cloth_vertex_count * sizeof *barrier->x);
    barrier->found = false;
}

wf_status wf_world_prepare_barrier(wf_world *world)
{
    size_t count = (size_t)world->vertex_count;
    if (!world->barrier) {
        world->barrier = wf_allocate(world->context, 1, sizeof *world->barrier);
        if (!world->barrier) {
            return WF_ERROR_MEMORY;
        }
        world->barrier->x = wf_allocate(world->context, count, sizeof *world->barrier->x);
        world->barrier->ahead = wf_allocate(world->context, count, sizeof *world->barrier->ahead);
        world->barrier->before = wf_allocate(world->context, (size_t)world->cloth_vertex_count,
                                             sizeof *world->barrier->before);
        world->barrier->still = wf_allocate(world->context, (size_t)world->cloth_vertex_count,
                                            sizeof *world->barrier->still);
        world->barrier->held = wf_allocate(world->context, 3 * (size_t)world->cloth_vertex_count,
                                           sizeof *world->barrier->held);
        if (!world->barrier->x || !world->barrier->ahead || !world->barrier->before || !world->barrier->still ||
            !world->barrier->held) {
            wf_world_free_barrier(world);
            return WF_ERROR_MEMORY;
        }
    }
    double tolerance = world->params.barrier_tolerance;
    world->barrier->calls = (wf_barrier_calls){.tolerance = tolerance,
                                               .smallest_speed = SMALLEST_SPEED * tolerance,
                                               .begin = begin,
                                               .enter = enter,
                                               .follow_friction = follow_friction,
                                               .free_fraction = free_fraction,
                                               .arrive = arrive};
    return WF_OK;
}
