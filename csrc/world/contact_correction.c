/* contact_correction.c - contact without forces: the end of the step is moved to where contacts keep their distance.
 *
 * For each contact of the step, u = sum over k of w_k (x1_k - x0_k) + h drift is the way of its two sides along each
 * other, and its gap at the end is gap + n . u. Impulses along the normals make that at least 0, and impulses across
 * them take from the slide what Coulomb's law allows, |f| <= mu p; both in the metric of the masses, contact by contact
 * (Gauss-Seidel), again and again, since what one contact does another undoes. As velocities are what positions did,
 * they are corrected alike. Every impulse conserves the momentum of its pair: linear, and, as normals point along the
 * gaps at x0 and friction acts without a couple, angular.
 *
 * A push by a body goes through a stack of n layers in some n^2 such sweeps. What has not come to rest after a few of
 * them is therefore pushed on from bodies and pins outward (Guendelman, Bridson, Fedkiw, "Nonconvex rigid bodies with
 * stacking", 2003): contacts that press are taken in the order of how many of them lie between them and what cannot be
 * moved, and what is nearer to it stays, as if its mass were infinite. Where nothing that cannot be moved is pressed
 * against, this never happens.
 */
#include <string.h>

#include "contact/friction.h"
#include "contact/mobility.h"
#include "world/world_state.h"

enum { PLAIN_SWEEPS = 8, OUTWARD_SWEEPS = 4, FAR = INT32_MAX };

#define STILL 1e-7  /* m: when no contact moves anything farther, sweeps end */
#define SLIGHT 1e-8 /* m: such moves stir no contact */

typedef struct correction {
    double press; /* kg m: the normal impulse times the step, never below 0 */
    wf_vec3 rub;  /* kg m: that of friction */
} correction;

typedef struct corrector {
    const wf_world *world;
    correction *corrections; /* by contact */
    wf_vec3 *way;            /* of vertices, x1 - x0 */
    int32_t *moved;          /* the last sweep that moved the vertex, 0 for none */
    int32_t *level;          /* contacts between the vertex and what cannot be moved; FAR where nothing is */
    int32_t sweep;
    double chain_work;       /* kg m^2, over the square of the time J */
} corrector;

/* Corners that hardly take part do not join sides to anything. */
static bool bears(const wf_resting_contact *contact, int k)
{
    return contact->vertex[k] >= 0 && fabs(contact->weight[k]) > WF_BEARING_WEIGHT;
}

/* 1/kg, of the contact's vertices; 0 on the side of the lower level. */
static void get_inverse_masses(const corrector *c, const wf_resting_contact *contact, const int32_t level[2],
                               double inverse_mass[4])
{
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        int side = contact->weight[k] < 0;
        inverse_mass[k] = i >= 0 && level[side] >= level[1 - side] ? c->world->inverse_mass[i] : 0;
    }
}

static void move(corrector *c, const wf_resting_contact *contact, const double inverse_mass[4], const wf_vec3 shift[4])
{
    for (int k = 0; k < 4; k++) {
        if (inverse_mass[k] > 0) {
            int32_t i = contact->vertex[k];
            c->way[i] = wf_vec3_add(c->way[i], shift[k]);
            c->moved[i] = wf_vec3_norm2(shift[k]) > SLIGHT * SLIGHT ? c->sweep : c->moved[i];
        }
    }
}

static wf_vec3 way_of(const corrector *c, const wf_resting_contact *contact)
{
    wf_vec3 u = wf_vec3_scale(contact->drift, c->world->part);
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0) {
            u = wf_vec3_muladds(u, c->way[contact->vertex[k]], contact->weight[k]);
        }
    }
    return u;
}

/* m: by how much the contact misses its distance; below 0 where it keeps more. */
static double missing(const corrector *c, const wf_resting_contact *contact, wf_vec3 u)
{
    double wanted = fmin(0, contact->gap + WF_PARTING_SPEED * c->world->part);
    return wanted - contact->gap - wf_vec3_dot(u, contact->normal);
}

/* What is pushed outward is driven by what lies before it as by a body: its work. */
static void note_chain(corrector *c, const wf_resting_contact *contact, const double inverse_mass[4], wf_vec3 impulse)
{
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0 && inverse_mass[k] == 0 && c->world->inverse_mass[i] > 0) {
            c->chain_work -= contact->weight[k] * wf_vec3_dot(impulse, c->way[i]);
        }
    }
}

/* The pair as friction sees it, and the ways of its vertices so far. */
static wf_rubbing rubbing_of(const corrector *c, const wf_resting_contact *contact, const double inverse_mass[4],
                             wf_vec3 way[4])
{
    wf_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        x[k] = i >= 0 ? c->world->x0[i] : wf_vec3_make(0, 0, 0);
        way[k] = i >= 0 ? c->way[i] : wf_vec3_make(0, 0, 0);
    }
    return wf_rubbing_of(x, contact->weight, inverse_mass);
}

/* Changes the friction of a contact to what stops its slide, or what its pressure allows. Returns how far that moved
 * its sides, m. */
static double rub(corrector *c, const wf_resting_contact *contact, correction *state, const double inverse_mass[4],
                  double mobility)
{
    wf_vec3 n = contact->normal, way[4], shift[4], wanted = state->rub;
    const wf_rubbing pair = rubbing_of(c, contact, inverse_mass, way);
    wf_vec3 slide = wf_vec3_muladds(wf_rubbing_slide(&pair, way), contact->drift, c->world->part);
    slide = wf_vec3_muladds(slide, n, -wf_vec3_dot(slide, n));
    double sliding = wf_vec3_norm(slide);
    if (sliding > 0) {
        wf_vec3 direction = wf_vec3_scale(slide, 1 / sliding);
        wanted = wf_vec3_muladds(wanted, slide, -1 / wf_rubbing_mobility(&pair, direction));
    }
    double most = wf_vec3_norm(wanted);
    if (most > contact->hold * state->press) {
        wanted = wf_vec3_scale(wanted, contact->dynamic * state->press / most);
    }
    wf_vec3 rubbed = wf_vec3_sub(wanted, state->rub);
    double moved = wf_vec3_norm(rubbed) * mobility;
    if (moved > SLIGHT) {
        state->rub = wanted;
        note_chain(c, contact, inverse_mass, rubbed);
        wf_rubbing_shifts(&pair, rubbed, shift);
        move(c, contact, inverse_mass, shift);
    }
    return moved;
}

/* Returns how far it moved the sides of the contact against each other, m. level: of its sides, NULL where both are
 * moved. */
static double correct(corrector *c, size_t index, const int32_t *level)
{
    static const int32_t alike[2] = {0, 0};
    const wf_resting_contact *contact = &c->world->resting[index];
    correction *state = &c->corrections[index];
    double gain = missing(c, contact, way_of(c, contact));
    if (gain <= 0 && state->press == 0 && wf_vec3_norm2(state->rub) == 0) {
        return 0;
    }
    double inverse_mass[4];
    get_inverse_masses(c, contact, level ? level : alike, inverse_mass);
    const double mobility = wf_pair_mobility(4, contact->weight, inverse_mass);
    if (!(mobility > 0)) {
        return 0;
    }
    double change = fmax(gain / mobility, level ? 0 : -state->press);
    if (change != 0) {
        wf_vec3 impulse = wf_vec3_scale(contact->normal, change), shift[4];
        state->press += change;
        note_chain(c, contact, inverse_mass, impulse);
        for (int k = 0; k < 4; k++) {
            shift[k] = wf_vec3_scale(impulse, contact->weight[k] * inverse_mass[k]);
        }
        move(c, contact, inverse_mass, shift);
    }
    double moved = fabs(change) * mobility;
    bool rubs = contact->hold * state->press > 0 || wf_vec3_norm2(state->rub) > 0;
    return rubs ? fmax(moved, rub(c, contact, state, inverse_mass, mobility)) : moved;
}

/* Rigid bodies get impulses at the door alone. */
static bool has_rigid(const wf_world *world, size_t index)
{
    return world->rigid_count > 0 && (world->arms[index].rigid[0] >= 0 || world->arms[index].rigid[1] >= 0);
}

/* Whether anything moved the contact since it was last looked at. */
static bool is_stirred(const corrector *c, const wf_resting_contact *contact)
{
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0 && c->moved[contact->vertex[k]] >= c->sweep - 1) {
            return true;
        }
    }
    return false;
}

/* Contacts one after the other; only what moved is looked at again. Returns whether they came to rest. */
static bool sweep_plainly(corrector *c)
{
    for (c->sweep = 1; c->sweep <= PLAIN_SWEEPS; c->sweep++) {
        double moved = 0;
        for (size_t k = 0; k < c->world->resting_count; k++) {
            if ((c->sweep == 1 || is_stirred(c, &c->world->resting[k])) && !has_rigid(c->world, k)) {
                moved = fmax(moved, correct(c, k, NULL));
            }
        }
        if (moved <= STILL) {
            return true;
        }
    }
    return false;
}

/* What the levels of a contact come from, by itself: it is looked at again and again. */
typedef struct pressed_contact {
    size_t index;
    int32_t level[2];  /* of its sides, the first that of positive weights */
    int32_t least[2];  /* of them, whatever their vertices have: 0 where one cannot be moved, FAR else */
    int32_t vertex[4]; /* -1 for those that cannot be moved or do not bear */
    uint8_t side[4];
} pressed_contact;

/* A side without any vertex is a body's. */
static pressed_contact pressed_contact_of(const wf_world *world, size_t index)
{
    const wf_resting_contact *contact = &world->resting[index];
    pressed_contact pressed = {.index = index};
    bool moves[2] = {false, false}, rests[2] = {false, false};
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        const uint8_t side = contact->weight[k] < 0;
        const bool any = bears(contact, k), movable = any && world->inverse_mass[i] > 0;
        pressed.vertex[k] = movable ? i : -1;
        pressed.side[k] = side;
        moves[side] = moves[side] || movable;
        rests[side] = rests[side] || (any && !movable);
    }
    for (int side = 0; side < 2; side++) {
        pressed.least[side] = moves[side] && !rests[side] ? FAR : 0;
    }
    return pressed;
}

static int32_t lower_level(const pressed_contact *pressed)
{
    return pressed->level[0] < pressed->level[1] ? pressed->level[0] : pressed->level[1];
}

static void find_levels(const corrector *c, pressed_contact *pressed)
{
    memcpy(pressed->level, pressed->least, sizeof pressed->level);
    for (int k = 0; k < 4; k++) {
        if (pressed->vertex[k] >= 0) {
            int32_t of_vertex = c->level[pressed->vertex[k]], *of_side = &pressed->level[pressed->side[k]];
            *of_side = of_vertex < *of_side ? of_vertex : *of_side;
        }
    }
}

/* Lowers the levels across the contact; whether that changed any. */
static bool spread_level(corrector *c, pressed_contact *pressed)
{
    bool changed = false;
    find_levels(c, pressed);
    for (int k = 0; k < 4; k++) {
        int32_t i = pressed->vertex[k], other = pressed->level[1 - pressed->side[k]];
        if (i >= 0 && other < FAR && c->level[i] > other + 1) {
            c->level[i] = other + 1;
            changed = true;
        }
    }
    return changed;
}

/* The contacts that press or miss their distance, and that chains of such contacts join to what cannot be moved. */
static size_t gather_pressing(corrector *c, pressed_contact *pressing)
{
    size_t count = 0, kept = 0;
    for (size_t k = 0; k < c->world->resting_count; k++) {
        const wf_resting_contact *contact = &c->world->resting[k];
        if (!has_rigid(c->world, k) &&
            (c->corrections[k].press > 0 || missing(c, contact, way_of(c, contact)) > STILL)) {
            pressing[count++] = pressed_contact_of(c->world, k);
        }
    }
    for (int32_t i = 0; i < c->world->cloth_vertex_count; i++) {
        c->level[i] = FAR;
    }
    for (bool changed = true; changed;) { /* to and fro, as many chains follow the list one way or the other */
        changed = false;
        for (size_t k = 0; k < count; k++) {
            changed = spread_level(c, &pressing[k]) || changed;
        }
        for (size_t k = count; k > 0; k--) {
            changed = spread_level(c, &pressing[k - 1]) || changed;
        }
    }
    for (size_t k = 0; k < count; k++) {
        find_levels(c, &pressing[k]);
        if (lower_level(&pressing[k]) < FAR) {
            pressing[kept++] = pressing[k];
        }
    }
    return kept;
}

/* By their lower levels, those of a level in the order in which they came. No level is above the number of contacts;
 * start[count + 2]. */
static void sort_by_level(const pressed_contact *pressing, size_t count, size_t *start, pressed_contact *sorted)
{
    memset(start, 0, (count + 2) * sizeof *start);
    for (size_t k = 0; k < count; k++) {
        start[lower_level(&pressing[k]) + 1]++;
    }
    for (size_t level = 0; level < count; level++) {
        start[level + 1] += start[level];
    }
    for (size_t k = 0; k < count; k++) {
        sorted[start[lower_level(&pressing[k])]++] = pressing[k];
    }
}

static wf_status sweep_outward(corrector *c)
{
    wf_context *context = c->world->context;
    size_t most = c->world->resting_count;
    pressed_contact *pressing = wf_allocate(context, most, sizeof *pressing);
    pressed_contact *sorted = wf_allocate(context, most, sizeof *sorted);
    size_t *start = wf_allocate(context, most + 2, sizeof *start);
    wf_status status = pressing && sorted && start ? WF_OK : WF_ERROR_MEMORY;
    double moved = INFINITY;
    for (int sweep = 0; status == WF_OK && sweep < OUTWARD_SWEEPS && moved > STILL; sweep++) {
        size_t count = gather_pressing(c, pressing);
        sort_by_level(pressing, count, start, sorted);
        moved = 0;
        for (size_t k = 0; k < count; k++) {
            moved = fmax(moved, correct(c, sorted[k].index, sorted[k].level));
        }
    }
    wf_free(context, pressing);
    wf_free(context, sorted);
    wf_free(context, start);
    return status;
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

static void begin(corrector *c)
{
    for (int32_t i = 0; i < c->world->cloth_vertex_count; i++) {
        c->way[i] = wf_vec3_sub(c->world->x1[i], c->world->x0[i]);
    }
}

static void end(wf_world *world, const corrector *c)
{
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        wf_vec3 before = wf_vec3_sub(world->x1[i], world->x0[i]);
        if (memcmp(&before, &c->way[i], sizeof before) != 0) { /* others stay what they are to the last bit */
            world->x1[i] = wf_vec3_add(world->x0[i], c->way[i]);
        }
    }
}

wf_status wf_world_correct_contacts(wf_world *world)
{
    if (world->resting_count == 0) {
        return WF_OK;
    }
    size_t vertices = (size_t)world->cloth_vertex_count;
    corrector c = {.world = world};
    c.corrections = wf_allocate(world->context, world->resting_count, sizeof *c.corrections);
    c.way = wf_allocate(world->context, vertices, sizeof *c.way);
    c.moved = wf_allocate(world->context, vertices, sizeof *c.moved);
    c.level = wf_allocate(world->context, vertices, sizeof *c.level);
    wf_status status = c.corrections && c.way && c.moved && c.level ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        begin(&c);
        status = sweep_plainly(&c) ? WF_OK : sweep_outward(&c);
    }
    if (status == WF_OK) {
        end(world, &c);
        for (size_t k = 0; k < world->resting_count; k++) {
            note_work(world, &world->resting[k], &c.corrections[k]);
        }
        world->stats.body_work += c.chain_work / (world->part * world->part);
    }
    wf_free(world->context, c.corrections);
    wf_free(world->context, c.way);
    wf_free(world->context, c.moved);
    wf_free(world->context, c.level);
    return status;
}
