/* rigid_contacts.c - resting contacts of rigid bodies inside the step; contact_forces.c has the law.
 *
 * A point of a body at the arm r from its centre moves with v + w x r. A pair's relative velocity so has, beside the
 * weights of its cloth vertices, two terms for each body, and a block S between velocities of points becomes
 *
 *     v v:  a b S      v w:  -a S [q]x      w w:  -[p]x S [q]x  = [p]x S [q]x^T      (arms p, q of weights a, b)
 *
 * with the cross-product matrix [r]x. Spheres do not meet others with their faces, on whose edges they would roll like
 * a die: where a pair is one of a sphere, the distance is that from its centre, and all pairs of it with one vertex,
 * edge or face of another surface are one contact.
 *
 * A pair that comes near freely with the speed u finds its spring k loaded by an overlap d of up to h u after a step
 * h, with k h^2 / m times the energy of its approach: some 30 of spheres in steps of 1/120 s. In one more such step it
 * parts with (k h d / m - u) / (1 + k h^2 / m) < u. Smaller parts p of a step would let more of the load out: spheres
 * parted twice as fast as they met in eighths. With the damper c = k (h - p) along the normal, v, the speed with which
 * a pair parts, becomes
 *
 *     v' = (v + a d / h) / (1 + a),   a = k h p / m,
 *
 * a mean of what it was and of d / h <= u, whatever the parts.
 */
#include <stdlib.h>
#include <string.h>

#include "contact/distance.h"
#include "world/world_state.h"

/* Sines: how much farther out the neighbours of what touches may be. A vertex of a face that lies on another may be
 * the higher one of a tilt. */
#define OUTERMOST 0.05
#define OUTERMOST_VERTEX 0.3
#define FLAT_COSINE (1 - 1e-9)
#define THINNEST 1e-5            /* m */
#define LARGEST_MASS_RATIO 1e6
/* Times the lightest mass over the square of the time step: more would make blocks of the matrix that single precision,
 * in which they are inverted to precondition, takes for indefinite. */
#define LARGEST_STIFFNESS 1e7
/* Times the bodies' mass in a time step: more would drown their inertia in the rounding of the solve. A body that one
 * contact holds on a slope then creeps with 3e-5 m/s. */
#define LARGEST_DRAG 5e3
/* Of the heavier body's weight: what a contact may pull without being taken out. At rest small pulls come and go. */
#define SMALLEST_PULL 0.1
/* The same of bodies that part gently: all that is near then begins each step with a small overlap, and tens of pulls
 * would hold such a body in the air. */
#define SMALLEST_PARTING_PULL 0.01
/* s: in which a body that begins too near to what it lies on comes to its distance, at WF_PARTING_SPEED at most. A
 * tower of ten is then carried up with 0.5 m/s, from which half of its weight brings it to rest. */
#define LIFTING_TIME 0.1
#define SETTLED 0.05 /* times an overlap: what is as good as nothing of it */
#define LIFTING_SINE 0.1 /* of a normal, above the horizontal: others bear no weight */

struct wf_round_contact {
    int32_t key[4]; /* the sphere, and the vertices of what it meets */
    wf_resting_contact contact;
    wf_resting_arms arms;
};

static int32_t rigid_of(const wf_world *world, int32_t vertex)
{
    const wf_contact_rigids all = {.count = (int32_t)world->rigid_count, .items = world->rigid_motions};
    const wf_contact_rigid *motion = vertex < world->moving_count ? wf_contact_rigid_of(&all, vertex) : NULL;
    return motion ? (int32_t)(motion - world->rigid_motions) : -1;
}

/* Adds a point of a weight to the arms of its body. */
static void add_point(const wf_world *world, int32_t rigid, double weight, wf_vec3 point, wf_resting_arms *arms)
{
    int a = arms->rigid[0] < 0 || arms->rigid[0] == rigid ? 0 : 1;
    arms->rigid[a] = rigid;
    arms->weight[a] += weight;
    arms->arm[a] = wf_vec3_muladds(arms->arm[a], wf_vec3_sub(point, world->rigid_motions[rigid].from.centre), weight);
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* kg; 0 without any body. */
static double heavier_mass(const wf_world *world, const wf_resting_arms *arms)
{
    double heaviest = 0;
    for (int a = 0; a < 2; a++) {
        heaviest = fmax(heaviest, arms->rigid[a] >= 0 ? world->rigids[arms->rigid[a]].rigid->mass : 0);
    }
    return heaviest;
}

bool wf_world_arms_part(const wf_world *world, const wf_resting_arms *arms)
{
    bool parting = false;
    for (int a = 0; a < 2; a++) {
        parting = parting || (arms->rigid[a] >= 0 && world->rigids[arms->rigid[a]].now.parting);
    }
    return parting;
}

/* s: in which an overlap goes. */
static double parting_time(double overlap)
{
    return fmax(LIFTING_TIME, overlap / WF_PARTING_SPEED);
}

/* Of a body that parts, the spring of an overlap o is braked as Hunt and Crossley (1975) have it, k o (1 - u / u_lift),
 * u the speed of parting: with u_lift = o / T the gap comes to where the load has it as exp(-t / T), in whatever
 * steps, and no energy is left that would throw it farther. A deep overlap counts as what weight loads. Returns the
 * brake as a damper over the stiffness, s. */
static double press_gently(const wf_world *world, double thickness, wf_resting_contact *contact, wf_resting_arms *arms)
{
    const wf_vec3 velocity = wf_world_relative_velocity(world, contact, arms, world->v0);
    arms->thickness = thickness;
    arms->overlap = fmax(-contact->gap, 0);
    arms->deep = arms->overlap > WF_DEEP_OVERLAP * thickness;
    if (arms->overlap > 0) {
        double most = arms->deep ? WF_OVERLAP_UNDER_WEIGHT * thickness : arms->overlap;
        contact->gap = -most * wf_world_parting_share(world, velocity);
    }
    return arms->overlap > 0 ? parting_time(arms->overlap) * -contact->gap / arms->overlap : 0;
}

bool wf_world_arms_part_on(const wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms)
{
    if (arms->deep || arms->overlap <= SETTLED * WF_OVERLAP_UNDER_WEIGHT * arms->thickness) {
        return arms->deep;
    }
    const wf_vec3 velocity = wf_world_relative_velocity(world, contact, arms, world->v1);
    bool pressed = -contact->gap >= arms->overlap; /* in full: else it still has its energy */
    return !pressed || wf_vec3_dot(velocity, contact->normal) * parting_time(arms->overlap) > SETTLED * arms->overlap;
}

/* m/s: of rigid bodies that begin deep in each other's distance, or in that of the floor or a body, one above the
 * other. A spring that is loaded with the weight of one of them at most would not lift what lies on it. */
static double lifting_speed(const wf_world *world, double gap, const wf_resting_contact *contact,
                            const wf_resting_arms *arms)
{
    double gravity = wf_vec3_norm(world->params.gravity);
    double sine = gravity > 0 ? fabs(wf_vec3_dot(world->params.gravity, contact->normal)) / gravity : 0;
    bool with_cloth = false;
    for (int k = 0; k < 4; k++) {
        with_cloth = with_cloth || contact->vertex[k] >= 0;
    }
    return arms->deep && sine > LIFTING_SINE && !with_cloth ? -gap * sine / parting_time(-gap) : 0;
}

static void lift(double speed, double damping, wf_resting_contact *contact)
{
    contact->stiffness = 0;
    contact->damping = damping;
    contact->drift = wf_vec3_muladds(contact->drift, contact->normal, -speed);
}

void wf_world_set_rigid_law(const wf_world *world, double thickness, wf_friction friction, wf_resting_contact *contact,
                            wf_resting_arms *arms)
{
    double heaviest = heavier_mass(world, arms), lightest = INFINITY;
    double gravity = fmax(wf_vec3_norm(world->params.gravity), WF_STANDARD_GRAVITY);
    for (int a = 0; a < 2; a++) {
        lightest = arms->rigid[a] >= 0 ? fmin(lightest, world->rigids[arms->rigid[a]].rigid->mass) : lightest;
    }
    if (heaviest == 0) {
        return;
    }
    wf_world_keep_spring(contact); /* what parts is braked by the law below */
    double gap = contact->gap;
    double braking = wf_world_arms_part(world, arms) ? press_gently(world, thickness, contact, arms) : 0;
    double largest_drag = LARGEST_DRAG * sqrt(heaviest * lightest) / world->part;
    for (int k = 0; k < 4; k++) {
        lightest = contact->vertex[k] >= 0 ? fmin(lightest, world->mass[contact->vertex[k]]) : lightest;
    }
    double weight = gravity * fmin(heaviest, LARGEST_MASS_RATIO * lightest);
    contact->stiffness = fmax(contact->stiffness, weight / (WF_OVERLAP_UNDER_WEIGHT * fmax(thickness, THINNEST)));
    double largest_stiffness = LARGEST_STIFFNESS * lightest / (world->part * world->part);
    contact->stiffness = fmin(contact->stiffness, largest_stiffness);
    contact->damping = fmin(contact->stiffness * fmax(world->params.time_step - world->part, braking),
                            (largest_stiffness - contact->stiffness) * world->part);
    double slip = wf_vec3_norm(wf_world_slide_of(world, contact, arms, world->v0));
    double speed = world->params.friction_speed;
    double coefficient = world->params.friction_scale * (slip > speed ? friction.dynamic : friction.hold);
    double grip = coefficient * contact->stiffness * fmax(-contact->gap, 0);
    contact->drag = fmin(grip / fmax(slip, speed), largest_drag);
    contact->held = (wf_vec3){0, 0, 0}; /* whether it slides is known after a first solve */
    contact->slide = (wf_vec3){0, 0, 0};
    arms->friction = friction;
    double rising = lifting_speed(world, gap, contact, arms);
    if (rising > 0) {
        lift(rising, largest_drag, contact);
    }
}

bool wf_world_let_part(wf_world *world)
{
    bool any = false;
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        double mass = contact->gap < 0 ? heavier_mass(world, &world->arms[c]) : 0;
        double pull = mass > 0 ? -wf_world_push_at(world, contact, world->x1, world->v1) : 0;
        double least = wf_world_arms_part(world, &world->arms[c]) ? SMALLEST_PARTING_PULL : SMALLEST_PULL;
        if (pull > least * WF_STANDARD_GRAVITY * mass) {
            contact->stiffness = contact->damping = contact->drag = 0;
            any = true;
        }
    }
    return any;
}

bool wf_world_let_slide(wf_world *world)
{
    double speed = world->params.friction_speed;
    bool any = false;
    for (size_t c = 0; c < world->resting_count; c++) {
        wf_resting_contact *contact = &world->resting[c];
        wf_resting_arms *arms = &world->arms[c];
        if (arms->rigid[0] < 0) {
            continue; /* cloth slides as it does elsewhere */
        }
        wf_vec3 slide = wf_world_slide_of(world, contact, arms, world->v1);
        double before = fmax(wf_vec3_norm(wf_world_slide_of(world, contact, arms, world->v0)), speed);
        double after = fmax(wf_vec3_norm(slide), speed), drag = contact->drag;
        double push = contact->gap < 0 ? wf_world_push_at(world, contact, world->x1, world->v1) : 0;
        push = world->params.friction_scale * fmax(push, 0);
        double most = push * (before > speed ? arms->friction.dynamic : arms->friction.hold);
        any = any || (drag > 0 && fmax(after, before) > speed);
        if (after > before && drag * after > most) {
            contact->slide = wf_vec3_scale(slide, 1 / after);
            contact->held = wf_vec3_scale(contact->slide, push * arms->friction.dynamic);
        }
        contact->drag = fmin(most / after, drag * before / after);
    }
    return any;
}

void wf_world_pair_arms(const wf_world *world, const wf_contact *pair, wf_resting_arms *arms)
{
    *arms = (wf_resting_arms){.rigid = {-1, -1}};
    for (int k = 0; k < 4; k++) {
        int32_t rigid = rigid_of(world, pair->vertex[k]);
        if (rigid >= 0) {
            add_point(world, rigid, pair->weight[k], world->x0[pair->vertex[k]], arms);
        }
    }
}

/* ---- which pairs count ------------------------------------------------------------------------------------------- */

/* Whether the edge's faces lie in one plane: where it touches, they do. */
static bool is_flat_edge(const wf_rigid *rigid, const int32_t ends[2])
{
    const wf_mesh *mesh = &rigid->mesh;
    wf_vec3 normal[2];
    int found = 0;
    for (int32_t i = mesh->vertex_face_start[ends[0]]; i < mesh->vertex_face_start[ends[0] + 1] && found < 2; i++) {
        const int32_t *v = mesh->faces[mesh->vertex_faces[i]];
        if (v[0] == ends[1] || v[1] == ends[1] || v[2] == ends[1]) {
            wf_vec3 a = rigid->local[v[0]];
            wf_vec3 across = wf_vec3_cross(wf_vec3_sub(rigid->local[v[1]], a), wf_vec3_sub(rigid->local[v[2]], a));
            normal[found++] = wf_vec3_normalize(across);
        }
    }
    return found == 2 && wf_vec3_dot(normal[0], normal[1]) > FLAT_COSINE;
}

/* Whether no vertex around those of a convex body's primitive lies farther out along `out` than its point does. */
static bool is_outermost(const wf_world *world, const wf_rigid_member *member, const int32_t *vertex, int count,
                         wf_vec3 point, wf_vec3 out)
{
    const wf_mesh *mesh = &member->rigid->mesh;
    const wf_vec3 *positions = world->x0 + member->first_vertex;
    double tolerance = count == 1 ? OUTERMOST_VERTEX : OUTERMOST;
    for (int k = 0; k < count; k++) {
        for (int32_t i = mesh->vertex_face_start[vertex[k]]; i < mesh->vertex_face_start[vertex[k] + 1]; i++) {
            for (int c = 0; c < 3; c++) {
                wf_vec3 away = wf_vec3_sub(positions[mesh->faces[mesh->vertex_faces[i]][c]], point);
                if (wf_vec3_dot(away, out) > tolerance * wf_vec3_norm(away) + 1e-12) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Of vertices begin to end - 1 of the pair. */
static bool primitive_counts(const wf_world *world, const wf_contact *pair, int begin, int end)
{
    int32_t index = rigid_of(world, pair->vertex[begin]), vertex[3] = {0, 0, 0};
    if (index < 0 || world->rigids[index].rigid->shape == WF_RIGID_MESH) {
        return true;
    }
    const wf_rigid_member *member = &world->rigids[index];
    wf_vec3 point = {0, 0, 0};
    for (int k = begin; k < end; k++) {
        vertex[k - begin] = pair->vertex[k] - member->first_vertex;
        point = wf_vec3_muladds(point, world->x0[pair->vertex[k]], fabs(pair->weight[k]));
    }
    wf_vec3 out = wf_vec3_scale(pair->normal, begin == 0 ? -1 : 1);
    return !(end - begin == 2 && is_flat_edge(member->rigid, vertex)) &&
           is_outermost(world, member, vertex, end - begin, point, out);
}

bool wf_world_rigid_pair_counts(const wf_world *world, const wf_contact *pair)
{
    int first = pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1;
    if (rigid_of(world, pair->vertex[0]) < 0 && rigid_of(world, pair->vertex[3]) < 0) {
        return true;
    }
    return primitive_counts(world, pair, 0, first) && primitive_counts(world, pair, first, 4) &&
           wf_contact_is_nearest(world->scene, pair, world->x0);
}

/* ---- spheres ----------------------------------------------------------------------------------------------------- */

/* The sphere that a vertex belongs to, or -1. */
static int32_t sphere_of(const wf_world *world, int32_t vertex)
{
    int32_t rigid = rigid_of(world, vertex);
    return rigid >= 0 && world->rigids[rigid].rigid->radius > 0 ? rigid : -1;
}

bool wf_world_is_round_pair(const wf_world *world, const wf_contact *pair)
{
    return world->roundness > 0 && (sphere_of(world, pair->vertex[0]) >= 0 || sphere_of(world, pair->vertex[3]) >= 0);
}

/* The point of a vertex, an edge or a face that is closest to `from`, by weights. */
static void closest_weights(const wf_vec3 *x, const int32_t *vertex, int count, wf_vec3 from, double weight[3])
{
    weight[0] = 1;
    if (count == 2) {
        wf_vec3 along = wf_vec3_sub(x[vertex[1]], x[vertex[0]]);
        double length2 = wf_vec3_norm2(along);
        double t = length2 > 0 ? wf_vec3_dot(wf_vec3_sub(from, x[vertex[0]]), along) / length2 : 0;
        weight[1] = fmin(fmax(t, 0), 1);
        weight[0] = 1 - weight[1];
    } else if (count == 3) {
        const wf_vec3 points[4] = {from, x[vertex[0]], x[vertex[1]], x[vertex[2]]};
        wf_vertex_face_distance(points, weight);
    }
}

/* Gives a contact the points of the primitive that a sphere meets, with negative weights. Returns where they are. */
static wf_vec3 add_primitive(const wf_world *world, const int32_t *vertex, int count, wf_vec3 from, wf_round_contact *r,
                             double *area)
{
    double weight[3];
    wf_vec3 point = {0, 0, 0};
    closest_weights(world->x0, vertex, count, from, weight);
    for (int k = 0; k < count; k++) {
        int32_t i = vertex[k], rigid = rigid_of(world, i);
        r->key[k + 1] = i;
        point = wf_vec3_muladds(point, world->x0[i], weight[k]);
        if (i < world->cloth_vertex_count) {
            r->contact.vertex[k] = i;
            r->contact.weight[k] = -weight[k];
            *area += weight[k] * world->area[i];
        } else if (rigid >= 0) {
            add_point(world, rigid, -weight[k], world->x0[i], &r->arms);
        } else {
            r->contact.drift = wf_vec3_muladds(r->contact.drift, world->v1[i], -weight[k]);
        }
    }
    return point;
}

/* Whether the sphere and what it meets are nearer than their reach + margin; *r is then complete but for its law. */
static bool complete_round(const wf_world *world, int32_t sphere, wf_vec3 from, double reach, double margin,
                           wf_round_contact *r)
{
    const double radius = world->rigid_motions[sphere].radius;
    wf_vec3 centre = world->rigid_motions[sphere].from.centre, apart = wf_vec3_sub(centre, from);
    double distance = wf_vec3_norm(apart);
    r->contact.gap = distance - radius - reach;
    if (!(r->contact.gap < margin && distance > 0)) {
        return false;
    }
    r->contact.normal = wf_vec3_scale(apart, 1 / distance);
    wf_vec3 surface = wf_vec3_muladds(centre, r->contact.normal, -radius);
    add_point(world, sphere, 1, surface, &r->arms);
    return true;
}

static bool round_contact(const wf_world *world, const wf_contact *pair, double margin, wf_round_contact *r)
{
    int first = pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1;
    int32_t sphere = sphere_of(world, pair->vertex[0]), other = sphere_of(world, pair->vertex[3]);
    bool swapped = sphere < 0 || (other >= 0 && other < sphere);
    const int32_t *vertex = swapped ? pair->vertex : pair->vertex + first;
    int count = swapped ? first : 4 - first;
    if (swapped) {
        int32_t kept = sphere;
        sphere = other;
        other = kept;
    }
    *r = (wf_round_contact){.key = {sphere, -1, -1, -1},
                            .contact = {.vertex = {-1, -1, -1, -1}},
                            .arms = {.rigid = {-1, -1}}};
    double area = 0, reach = pair->thickness;
    wf_vec3 from;
    if (other >= 0) { /* two spheres: the nearest point of the other's surface */
        wf_vec3 centre = world->rigid_motions[other].from.centre;
        wf_vec3 towards = wf_vec3_normalize(wf_vec3_sub(world->rigid_motions[sphere].from.centre, centre));
        from = wf_vec3_muladds(centre, towards, world->rigid_motions[other].radius);
        r->key[1] = world->rigids[other].first_vertex;
        add_point(world, other, -1, from, &r->arms);
    } else {
        from = add_primitive(world, vertex, count, world->rigid_motions[sphere].from.centre, r, &area);
    }
    if (!complete_round(world, sphere, from, reach, margin, r)) {
        return false;
    }
    r->contact.stiffness = world->params.contact_stiffness * area;
    wf_world_set_rigid_law(world, pair->thickness, pair->friction, &r->contact, &r->arms);
    return true;
}

static int compare_rounds(const void *a, const void *b)
{
    const wf_round_contact *p = a, *q = b;
    for (int k = 0; k < 4; k++) {
        if (p->key[k] != q->key[k]) {
            return p->key[k] < q->key[k] ? -1 : 1;
        }
    }
    return 0; /* the same pair: the same numbers */
}

static void append(wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms, size_t *count)
{
    world->resting[*count] = *contact;
    world->arms[*count] = *arms;
    ++*count;
}

static wf_status gather_rounds(wf_world *world, double margin, size_t *count)
{
    wf_status status = wf_reserve(world->context, &world->round, &world->round_capacity, (size_t)world->contact_count,
                                  sizeof *world->round);
    size_t found = 0;
    for (int32_t c = 0; c < world->contact_count && status == WF_OK; c++) {
        const wf_contact *pair = &world->contacts[c];
        found += wf_world_is_round_pair(world, pair) && round_contact(world, pair, margin, &world->round[found]);
    }
    if (status == WF_OK && found > 0) {
        qsort(world->round, found, sizeof *world->round, compare_rounds);
    }
    for (size_t k = 0; k < found; k++) {
        if (k == 0 || compare_rounds(&world->round[k - 1], &world->round[k]) != 0) {
            append(world, &world->round[k].contact, &world->round[k].arms, count);
        }
    }
    return status;
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

static void gather_floor(wf_world *world, int32_t rigid, wf_vec3 point, double thickness, double margin, size_t *count)
{
    wf_resting_contact contact = {.vertex = {-1, -1, -1, -1}, .normal = {0, 1, 0},
                                  .gap = point.y - world->params.floor_height - thickness};
    wf_resting_arms arms = {.rigid = {-1, -1}};
    if (!(contact.gap < margin)) {
        return;
    }
    add_point(world, rigid, 1, point, &arms);
    wf_friction friction = wf_world_floor_friction(world, world->rigid_motions[rigid].first_vertex);
    wf_world_set_rigid_law(world, thickness, friction, &contact, &arms);
    append(world, &contact, &arms, count);
}

/* m: how deep the lowest point of a body is below the floor as this part of the step begins; 0 where it but touches
 * it. */
static double depth_in_floor(const wf_world *world, size_t index)
{
    const wf_contact_rigid *motion = &world->rigid_motions[index];
    double lowest = motion->radius > 0 ? motion->from.centre.y - motion->radius : INFINITY;
    for (int32_t i = 0; i < motion->vertex_count && motion->radius == 0; i++) {
        lowest = fmin(lowest, world->x0[motion->first_vertex + i].y);
    }
    double depth = world->params.floor ? world->params.floor_height - lowest : 0;
    return depth > WF_TOUCHING_DEPTH ? depth : 0;
}

/* A body that is in the floor, which contact never lets it come into, is carried up as by a lift, at a speed from which
 * half of its weight brings it to rest at the top: springs as deep as it is would throw it out. What lies on it goes
 * along, as on anything that moves. It is carried at all of its vertices, a sphere at its centre. */
static void gather_lift(wf_world *world, int32_t rigid, double depth, size_t *count)
{
    const wf_contact_rigid *motion = &world->rigid_motions[rigid];
    wf_rigid_member *member = &world->rigids[rigid];
    int32_t points = motion->radius > 0 ? 1 : motion->vertex_count;
    double speed = fmin(fmin(WF_LIFT_SPEED, sqrt(WF_STANDARD_GRAVITY * depth)), depth / world->part);
    double damping = LARGEST_DRAG * member->rigid->mass / (world->part * points);
    for (int32_t i = 0; i < points; i++) {
        const wf_resting_contact contact = {.vertex = {-1, -1, -1, -1}, .normal = {0, 1, 0}, .gap = -depth,
                                            .damping = damping, .drag = damping, .drift = {0, -speed, 0}};
        wf_resting_arms arms = {.rigid = {-1, -1}, .deep = true};
        arms.friction = wf_world_floor_friction(world, motion->first_vertex);
        wf_vec3 point = motion->radius > 0 ? motion->from.centre : world->x0[motion->first_vertex + i];
        add_point(world, rigid, 1, point, &arms);
        append(world, &contact, &arms, count);
    }
    member->now.parting = true;
}

void wf_world_warn_of_sunk(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid_member *member = &world->rigids[k];
        double depth = depth_in_floor(world, k);
        /* Where it begins aside from what it touches, that may be in the floor. */
        if (depth > wf_vec3_norm(member->nudge) && !member->warned_of_floor) {
            wf_warn(world->context, "%s is %.3g m deep in the floor; it is lifted out at up to %g m/s",
                    member->rigid->name, depth, WF_LIFT_SPEED);
        }
        member->warned_of_floor = depth > 0;
    }
}

wf_status wf_world_gather_rigid_contacts(wf_world *world, double margin, size_t *count)
{
    for (int32_t k = 0; world->params.floor && k < (int32_t)world->rigid_count; k++) {
        const wf_contact_rigid *motion = &world->rigid_motions[k];
        double depth = depth_in_floor(world, (size_t)k);
        if (depth > 0) {
            gather_lift(world, k, depth, count);
            continue;
        }
        wf_vec3 lowest = wf_vec3_add(motion->from.centre, (wf_vec3){0, -motion->radius, 0});
        if (motion->radius > 0) {
            gather_floor(world, k, lowest, motion->thickness, margin, count);
        }
        for (int32_t i = 0; motion->radius == 0 && i < motion->vertex_count; i++) {
            gather_floor(world, k, world->x0[motion->first_vertex + i], motion->thickness, margin, count);
        }
    }
    return world->roundness > 0 ? gather_rounds(world, margin, count) : WF_OK;
}

/* ---- forces and blocks ------------------------------------------------------------------------------------------- */

wf_vec3 wf_world_arms_motion(const wf_world *world, const wf_resting_arms *arms, const wf_vec3 *rows)
{
    wf_vec3 sum = {0, 0, 0};
    for (int a = 0; a < 2; a++) {
        if (arms->rigid[a] >= 0) {
            const wf_rigid_rows row = wf_world_rigid_rows(world, arms->rigid[a]);
            sum = wf_vec3_muladds(sum, rows[row.centre], arms->weight[a]);
            sum = wf_vec3_add(sum, wf_vec3_cross(rows[row.turn], arms->arm[a]));
        }
    }
    return sum;
}

void wf_world_add_arms_force(const wf_world *world, const wf_resting_arms *arms, wf_vec3 force, wf_vec3 *forces)
{
    for (int a = 0; a < 2; a++) {
        if (arms->rigid[a] >= 0) {
            const wf_rigid_rows row = wf_world_rigid_rows(world, arms->rigid[a]);
            wf_vec3 *on_centre = &forces[row.centre], *torque = &forces[row.turn];
            *on_centre = wf_vec3_muladds(*on_centre, force, arms->weight[a]);
            *torque = wf_vec3_add(*torque, wf_vec3_cross(arms->arm[a], force));
        }
    }
}

/* How the relative velocity depends on one row: a multiple of the identity, or the w x arm of a turn. */
typedef struct dependence {
    int32_t row;
    double weight;
    bool turns;
    wf_vec3 arm;
} dependence;

static int list_dependences(const wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms,
                            dependence list[8])
{
    int count = 0;
    for (int a = 0; a < 2; a++) {
        if (arms->rigid[a] >= 0) {
            const wf_rigid_rows row = wf_world_rigid_rows(world, arms->rigid[a]);
            list[count++] = (dependence){.row = row.centre, .weight = arms->weight[a]};
            list[count++] = (dependence){.row = row.turn, .turns = true, .arm = arms->arm[a]};
        }
    }
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0 && contact->weight[k] != 0) {
            list[count++] = (dependence){.row = contact->vertex[k], .weight = contact->weight[k]};
        }
    }
    return count;
}

/* m's columns are turned into J^T m's: weight m, or [arm]x m. */
static wf_mat3 multiply_left(const dependence *d, wf_mat3 m)
{
    wf_mat3 product;
    for (int c = 0; c < 3; c++) {
        wf_vec3 column = {m.m[0][c], m.m[1][c], m.m[2][c]};
        column = d->turns ? wf_vec3_cross(d->arm, column) : wf_vec3_scale(column, d->weight);
        product.m[0][c] = column.x;
        product.m[1][c] = column.y;
        product.m[2][c] = column.z;
    }
    return product;
}

wf_status wf_world_add_arms_matrix(wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms,
                                   const wf_mat3 *block)
{
    dependence list[8];
    int count = list_dependences(world, contact, arms, list), bodies = 0;
    while (bodies < count && list[bodies].row >= world->cloth_vertex_count) {
        bodies++;
    }
    wf_status status = WF_OK;
    for (int i = 0; i < bodies && status == WF_OK; i++) {
        wf_mat3 left = wf_mat3_transpose(multiply_left(&list[i], *block)); /* S J, the block is symmetric */
        for (int j = i; j < count && status == WF_OK; j++) {
            wf_mat3 term = wf_mat3_transpose(multiply_left(&list[j], left));
            if (i != j) {
                status = wf_contact_blocks_add(world->context, world->contact_blocks, list[i].row, list[j].row, &term);
                continue;
            }
            int32_t place = wf_pattern_diagonal_place(&world->matrix->block_pattern, list[i].row);
            world->matrix->values.blocks[place] = wf_mat3_muladds(world->matrix->values.blocks[place], term, 1);
        }
    }
    return status;
}
