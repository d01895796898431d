/* touching.c - cloth that but touches something when it starts, as round coordinates make it.
 *
 * Contact keeps the distance that it finds. To one of nothing there is no side: cloth would hang at what it touches, or
 * barriers, which are infinite there, would let it through. So before the first step of cloth, of a body or collider,
 * or of a place where a script put one, cloth that touches leaves by some micrometres, as rigid bodies do
 * (touching_rigids.c): a body to where that body's surface looks, a collider on the side of it where it is, and other
 * cloth, of which the later moves, to the side on which it is around the place; where it lies along it, to where the
 * surface of the earlier looks. So does what is in a solid body by less than a micrometre, where rounding put it. What
 * crosses still does, and what has no room, between two bodies or layers that lie at one, stays where it is; barriers
 * hold that, and it is tried again in each step until it has room. What pins hold exactly at a body leaves by
 * nanometres and is held there: a body could go nowhere from a vertex that has no distance to it and does not give way.
 * Positions of the step change, not those that the script reads; a step that fails leaves nothing.
 */
#include <string.h>

#include "contact/colliders/convex.h"
#include "contact/free_motion.h"
#include "world/colliders.h"
#include "world/world_state.h"

enum { TRIES = 5, FOLLOWING = 16 /* passes in which layers wait for each other, before they stay */ };
#define COUNTS (2 * WF_TOUCHING)  /* m: nearer than that touches; of what touches rounding decides the side */
#define OUT_OF_BODIES (4 * WF_SHALLOW) /* m: how far that leaves, across sides of which three may meet */
#define PINS_LEAVE (2 * WF_TOUCHING) /* m: how far what pins hold leaves what is nearer than half of it */
#define ROUNDING 1e-6             /* of ways and directions */
#define PARALLEL_SINE 0.01        /* of edges that have no direction across both */
#define FOLLOWS 0.99              /* of the room that is left */
#define ASIDE 0.1                 /* of the way to its neighbours: cloth that leads away less lies along */

typedef struct touching {
    wf_world *world;
    wf_vec3 *normal; /* [vertex_count] of surfaces */
    wf_vec3 *around; /* [cloth_vertex_count] m: mean of a vertex's faces, from it */
    wf_vec3 *way;    /* [cloth_vertex_count] m: out of touch; first the sum of the directions */
    int32_t *faces;  /* [cloth_vertex_count] scratch */
    double step;     /* m: the length of ways */
    bool sunk;       /* any cloth is in a solid body, by less than WF_SHALLOW */
} touching;

/* Points of one side of a pair: the first two or the vertex, or the others. */
typedef struct side {
    int begin, end;
} side;

static bool of_cloth(const wf_world *world, int32_t vertex)
{
    return vertex < world->cloth_vertex_count;
}

static bool of_body(const wf_world *world, int32_t vertex)
{
    return vertex >= world->moving_count;
}

size_t wf_world_cloth_index(const wf_world *world, int32_t vertex)
{
    size_t low = 0, high = world->cloth_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(world->cloths[middle].first_vertex <= vertex ? &low : &high) = middle;
    }
    return low;
}

static const wf_cloth_member *cloth_of(const wf_world *world, int32_t vertex)
{
    return &world->cloths[wf_world_cloth_index(world, vertex)];
}

/* Normals of cloth and bodies, and where cloth is around its vertices. */
static void survey(touching *t)
{
    const wf_world *world = t->world;
    for (size_t k = 0; k < world->body_count; k++) {
        int32_t first = world->bodies[k].first_vertex;
        wf_mesh_vertex_normals(&world->bodies[k].body->mesh, world->x0 + first, t->normal + first);
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const int32_t first = world->cloths[m].first_vertex;
        const wf_mesh *mesh = &world->cloths[m].cloth->mesh;
        const wf_vec3 *x = world->x0 + first;
        wf_mesh_vertex_normals(mesh, x, t->normal + first);
        for (int32_t f = 0; f < mesh->face_count; f++) {
            const int32_t *v = mesh->faces[f];
            const wf_vec3 middle = wf_vec3_scale(wf_vec3_add(wf_vec3_add(x[v[0]], x[v[1]]), x[v[2]]), 1.0 / 3);
            for (int k = 0; k < 3; k++) {
                t->around[first + v[k]] = wf_vec3_add(t->around[first + v[k]], wf_vec3_sub(middle, x[v[k]]));
                t->faces[first + v[k]]++;
            }
        }
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        t->around[i] = wf_vec3_scale(t->around[i], 1.0 / (t->faces[i] > 0 ? t->faces[i] : 1));
    }
}

/* Where the surface of one side looks at the pair's closest point. */
static wf_vec3 normal_of(const touching *t, const wf_contact *pair, side of)
{
    wf_vec3 normal = {0, 0, 0};
    if (of.end - of.begin == 3) {
        const wf_vec3 *x = t->world->x0;
        const int32_t *v = pair->vertex + of.begin;
        normal = wf_vec3_cross(wf_vec3_sub(x[v[1]], x[v[0]]), wf_vec3_sub(x[v[2]], x[v[0]]));
        return wf_vec3_normalize(normal);
    }
    for (int k = of.begin; k < of.end; k++) {
        normal = wf_vec3_muladds(normal, t->normal[pair->vertex[k]], fabs(pair->weight[k]));
    }
    return wf_vec3_normalize(normal);
}

/* 1 or -1: on which side of a surface that looks along `normal` other cloth is around the place. */
static double side_of(const touching *t, const wf_contact *pair, side other, wf_vec3 normal)
{
    double height = 0, size = 0;
    for (int k = other.begin; k < other.end; k++) {
        const wf_vec3 around = t->around[pair->vertex[k]];
        height += fabs(pair->weight[k]) * wf_vec3_dot(around, normal);
        size += fabs(pair->weight[k]) * wf_vec3_norm(around);
    }
    return height < -ASIDE * size && size > COUNTS ? -1 : 1;
}

bool wf_world_touch_counts(const wf_world *world, const wf_contact *pair)
{
    const int32_t first = pair->vertex[0], second = pair->vertex[pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1];
    if (!of_cloth(world, first) || !of_cloth(world, second)) {
        return of_cloth(world, first) ? of_body(world, second) : of_cloth(world, second) && of_body(world, first);
    }
    const wf_cloth_member *a = cloth_of(world, first), *b = cloth_of(world, second);
    return a != b && a->cloth->pair_count == 0 && b->cloth->pair_count == 0;
}

/* How a pair that touches is to part. */
typedef struct parting {
    side moves, base;  /* what leaves, and what it leaves */
    wf_vec3 direction; /* in which it leaves; 0: none that both sides agree on */
} parting;

/* Whether there is anything to see to. */
static bool parting_of(const touching *t, const wf_contact *pair, parting *p)
{
    const wf_world *world = t->world;
    const int cut = pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1;
    bool first = of_cloth(world, pair->vertex[0]), second = of_cloth(world, pair->vertex[cut]);
    *p = (parting){.moves = {0, cut}, .base = {cut, 4}};
    if (!first) {
        *p = (parting){.moves = {cut, 4}, .base = {0, cut}};
    }
    if (!first || !second) {
        bool body = (first || second) && of_body(world, pair->vertex[p->base.begin]);
        p->direction = normal_of(t, pair, p->base);
        return body;
    }
    const wf_cloth_member *a = cloth_of(world, pair->vertex[0]), *b = cloth_of(world, pair->vertex[cut]);
    if (a->cloth->pair_count > 0 || b->cloth->pair_count > 0) {
        return false; /* panels touch along stitches */
    }
    if (a == b) {
        return true; /* folds have no side that both layers agree on */
    }
    if (a < b) {
        *p = (parting){.moves = {cut, 4}, .base = {0, cut}};
    }
    wf_vec3 normal = normal_of(t, pair, p->base);
    p->direction = wf_vec3_scale(normal, side_of(t, pair, p->moves, normal));
    return true;
}

/* Whether a vertex is of a solid body; those of bodies ascend. */
static bool is_solid(const wf_world *world, int32_t vertex)
{
    size_t low = 0, high = world->body_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(world->bodies[middle].first_vertex <= vertex ? &low : &high) = middle;
    }
    return low < high && vertex >= world->bodies[low].first_vertex && world->bodies[low].body->solid;
}

/* Of the closest points of a pair with a body: how much of their distance is along its direction. */
static double outward_of(const wf_contact *pair, const parting *p)
{
    const double along = wf_vec3_dot(pair->normal, p->direction); /* from the second side to the first */
    return p->moves.begin == 0 ? along : -along;
}

/* Whether cloth starts in a solid body, by the pair. */
static bool is_sunk(const touching *t, const wf_contact *pair, const parting *p)
{
    return t->world->starting && is_solid(t->world, pair->vertex[p->base.begin]) && outward_of(pair, p) < -ASIDE;
}

/* Whether there is a pair to part, and how. */
static bool touches(const touching *t, const wf_contact *pair, parting *p)
{
    return pair->distance < WF_SHALLOW && parting_of(t, pair, p) && (pair->distance < COUNTS || is_sunk(t, pair, p));
}

/* Lets the free vertices of a side leave along a direction. Whether there are any. */
static bool lead(touching *t, const wf_contact *pair, side of, wf_vec3 direction)
{
    bool any = false;
    for (int k = of.begin; k < of.end; k++) {
        int32_t i = pair->vertex[k];
        if (t->world->inverse_mass[i] > 0) {
            t->way[i] = wf_vec3_add(t->way[i], direction);
            any = true;
        }
    }
    return any;
}

/* The same of pinned vertices that are where a body is. */
static void lead_pins(touching *t, const wf_contact *pair, side of, wf_vec3 direction)
{
    for (int k = of.begin; k < of.end && pair->distance < 0.5 * PINS_LEAVE; k++) {
        const int32_t i = pair->vertex[k];
        if (t->world->starting && t->world->inverse_mass[i] == 0 && fabs(pair->weight[k]) > ROUNDING) {
            t->way[i] = wf_vec3_add(t->way[i], direction);
        }
    }
}

static void lead_apart(touching *t, const wf_contact *pair)
{
    parting p;
    if (!touches(t, pair, &p)) {
        return;
    }
    if (!of_cloth(t->world, pair->vertex[p.base.begin])) {
        lead_pins(t, pair, p.moves, p.direction);
    }
    if (lead(t, pair, p.moves, p.direction)) {
        return;
    }
    if (of_cloth(t->world, pair->vertex[p.base.begin])) {
        lead(t, pair, p.base, wf_vec3_scale(p.direction, -1));
    }
}

/* Whether two edges touch within both, and are not parallel. Others touch at an end, of which faces tell as much. */
static bool edges_cross(const wf_contact *pair, wf_vec3 across)
{
    bool within = wf_vec3_norm(across) > PARALLEL_SINE;
    for (int k = 0; k < 4; k++) {
        within = within && fabs(pair->weight[k]) > ROUNDING;
    }
    return within;
}

/* Whether two edges touch so near to an end of one that cloth which leaves a body goes past it. */
static bool touch_near_end(const touching *t, const wf_contact *pair)
{
    const wf_vec3 *x = t->world->x0;
    const int32_t *v = pair->vertex;
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        const int other = k ^ 1;
        least = fmin(least, fabs(pair->weight[k]) * wf_vec3_distance(x[v[k]], x[v[other]]));
    }
    return least < OUT_OF_BODIES / ASIDE;
}

/* The direction in which the moving side of a pair must not come back: across the face, or across both edges, to the
 * side on which it leaves; 0 where that is along them. What is in a body must not go deeper. False: others tell. */
static bool find_kept_direction(const touching *t, const wf_contact *pair, parting *p)
{
    const wf_vec3 *x = t->world->x0;
    const int32_t *v = pair->vertex;
    wf_vec3 across;
    if (pair->distance >= COUNTS) {
        return true;
    }
    if (pair->kind & WF_CONTACT_EDGE_EDGE) {
        across = wf_vec3_cross(wf_vec3_normalize(wf_vec3_sub(x[v[1]], x[v[0]])),
                               wf_vec3_normalize(wf_vec3_sub(x[v[3]], x[v[2]])));
        if (!edges_cross(pair, across)) {
            return false;
        }
    } else {
        across = wf_vec3_cross(wf_vec3_sub(x[v[2]], x[v[1]]), wf_vec3_sub(x[v[3]], x[v[1]]));
    }
    across = wf_vec3_normalize(across);
    double along = wf_vec3_dot(across, p->direction);
    if (fabs(along) < ASIDE && (pair->kind & WF_CONTACT_EDGE_EDGE) && t->sunk &&
        is_solid(t->world, v[p->base.begin]) && touch_near_end(t, pair)) {
        return false;
    }
    p->direction = wf_vec3_scale(across, fabs(along) < ASIDE ? 0 : along < 0 ? -1 : 1);
    return true;
}

static wf_vec3 way_of(const touching *t, int32_t vertex)
{
    return of_cloth(t->world, vertex) ? t->way[vertex] : (wf_vec3){0, 0, 0};
}

/* m, of the ways of a side along a direction: the least of direction and -direction as `sign` says. */
static double least_way(const touching *t, const wf_contact *pair, side of, wf_vec3 direction, double sign)
{
    double least = INFINITY;
    for (int k = of.begin; k < of.end; k++) {
        least = fmin(least, sign * wf_vec3_dot(direction, way_of(t, pair->vertex[k])));
    }
    return least;
}

/* Takes all but a part from the ways of a side's vertices that go along a direction, or (0) at all. Whether any did. */
static bool shorten(touching *t, const wf_contact *pair, side of, wf_vec3 direction, double part)
{
    bool any = false, all = wf_vec3_norm2(direction) == 0;
    for (int k = of.begin; k < of.end; k++) {
        wf_vec3 way = way_of(t, pair->vertex[k]);
        if (all ? wf_vec3_norm2(way) > 0 : wf_vec3_dot(way, direction) > 0) {
            t->way[pair->vertex[k]] = wf_vec3_scale(way, part);
            any = true;
        }
    }
    return any;
}

static bool go_together(const touching *t, const wf_contact *pair)
{
    bool together = true;
    for (int k = 1; k < 4; k++) {
        together = together && wf_vec3_distance(way_of(t, pair->vertex[k]), way_of(t, pair->vertex[0])) <
                                       ROUNDING * wf_vec3_norm(way_of(t, pair->vertex[0]));
    }
    return together;
}

/* Shortens what would come nearer to what it touches, or has no direction; if `may_follow` only to what that leaves
 * room for. Whether anything was. */
static bool keep_from_meeting(touching *t, const wf_contact *pair, bool may_follow)
{
    parting p;
    if (!touches(t, pair, &p) || !find_kept_direction(t, pair, &p)) {
        return false;
    }
    if (wf_vec3_norm2(p.direction) == 0) {
        bool moves = !go_together(t, pair) && shorten(t, pair, p.moves, p.direction, 0);
        return (!go_together(t, pair) && shorten(t, pair, p.base, p.direction, 0)) || moves;
    }
    double room = least_way(t, pair, p.moves, p.direction, 1), needed = -least_way(t, pair, p.base, p.direction, -1);
    if (room - needed > -ROUNDING * t->step) {
        return false;
    }
    bool follows = may_follow && room > 0 && needed > 0;
    bool back = room < 0 && shorten(t, pair, p.moves, wf_vec3_scale(p.direction, -1), 0);
    return shorten(t, pair, p.base, p.direction, follows ? FOLLOWS * room / needed : 0) || back;
}

/* Whether cloth that goes out of a solid body comes no nearer to a part of its surface for it, however near it is:
 * beside a face it goes off that face's plane, and else away from the plane between the two, or, where it is beside an
 * edge or a corner along the surface, off that surface. */
static bool goes_off(const touching *t, const wf_contact *pair)
{
    parting p;
    if (!t->world->starting || !(pair->distance < WF_SHALLOW) || !parting_of(t, pair, &p) ||
        !is_solid(t->world, pair->vertex[p.base.begin])) {
        return false;
    }
    if (p.base.end - p.base.begin == 3) {
        return outward_of(pair, &p) > -ROUNDING && least_way(t, pair, p.moves, p.direction, 1) > ROUNDING * t->step;
    }
    if (fabs(outward_of(pair, &p)) < ASIDE && least_way(t, pair, p.moves, p.direction, 1) > ASIDE * t->step) {
        return true;
    }
    wf_vec3 away = wf_vec3_scale(pair->normal, p.moves.begin == 0 ? 1 : -1);
    return least_way(t, pair, p.moves, away, 1) > ROUNDING * t->step;
}

/* No vertex goes farther than leaves half of its distance to all that it does not touch or goes off. */
static void limit_ways(touching *t, const wf_contact *contacts, int32_t count)
{
    for (int32_t c = 0; c < count; c++) {
        parting p;
        double most = contacts[c].distance / 4;
        bool limits = contacts[c].distance >= COUNTS && most < t->step && !touches(t, &contacts[c], &p) &&
                      !goes_off(t, &contacts[c]);
        for (int k = 0; k < 4 && limits; k++) {
            int32_t i = contacts[c].vertex[k];
            double length = wf_vec3_norm(way_of(t, i));
            if (length > most) {
                t->way[i] = wf_vec3_scale(t->way[i], most / length);
            }
        }
    }
}

/* What is between surfaces has nowhere to go, nor has what it would come to lie at. */
static void keep_ways_free(touching *t, const wf_contact *contacts, int32_t count)
{
    bool again = true;
    for (int pass = 0; again; pass++) {
        again = false;
        for (int32_t c = 0; c < count; c++) {
            again = keep_from_meeting(t, &contacts[c], pass < FOLLOWING) || again;
        }
    }
}

/* One try, by t->step. Whether anything moved. */
static wf_status leave(touching *t, bool *moved)
{
    wf_world *world = t->world;
    const wf_contact *contacts = NULL;
    int32_t count = 0;
    size_t cloth = (size_t)world->cloth_vertex_count;
    wf_status status = WF_OK;
    if (world->scene) {
        status = wf_contact_update(world->scene, world->x0, world->x0, wf_world_contact_skin(world));
        status = status == WF_OK
                     ? wf_contact_find(world->scene, world->x0, WF_SHALLOW, WF_CONTACTS_ALL, &contacts, &count)
                     : status;
    }
    if (status != WF_OK) {
        return status;
    }
    memset(t->way, 0, cloth * sizeof *t->way);
    *moved = false;
    t->sunk = false;
    for (int32_t c = 0; c < count; c++) {
        parting p;
        t->sunk = t->sunk || (contacts[c].distance >= COUNTS && touches(t, &contacts[c], &p));
    }
    t->step = t->sunk ? fmax(t->step, OUT_OF_BODIES) : t->step; /* less leaves cloth across the corners of bodies */
    wf_world_lead_off_colliders(world, t->way);
    for (int32_t c = 0; c < count; c++) {
        lead_apart(t, &contacts[c]);
    }
    for (size_t i = 0; i < cloth; i++) {
        bool none = wf_vec3_norm(t->way[i]) < ROUNDING; /* of directions, which are 1 long */
        double length = world->inverse_mass[i] > 0 ? t->step : PINS_LEAVE;
        t->way[i] = none ? (wf_vec3){0, 0, 0} : wf_vec3_scale(wf_vec3_normalize(t->way[i]), length);
    }
    limit_ways(t, contacts, count);
    keep_ways_free(t, contacts, count);
    for (size_t i = 0; i < cloth; i++) {
        *moved = *moved || wf_vec3_norm2(t->way[i]) > 0;
        world->x0[i] = wf_vec3_add(world->x0[i], t->way[i]);
    }
    return WF_OK;
}

wf_status wf_world_part_touching(wf_world *world)
{
    if ((!world->scene && world->collider_count == 0) || world->cloth_vertex_count == 0) {
        return WF_OK;
    }
    wf_context *context = world->context;
    const size_t cloth = (size_t)world->cloth_vertex_count;
    touching t = {.world = world,
                  .normal = wf_allocate(context, (size_t)world->vertex_count, sizeof *t.normal),
                  .around = wf_allocate(context, cloth, sizeof *t.around),
                  .way = wf_allocate(context, cloth, sizeof *t.way),
                  .faces = wf_allocate(context, cloth, sizeof *t.faces)};
    wf_status status = t.normal && t.around && t.way && t.faces ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        survey(&t);
    }
    bool moved = true;
    for (int k = 0; k < TRIES && status == WF_OK && moved; k++) {
        t.step = ldexp(WF_OUT_OF_TOUCH, k);
        status = leave(&t, &moved);
    }
    wf_free(context, t.normal);
    wf_free(context, t.around);
    wf_free(context, t.way);
    wf_free(context, t.faces);
    return status;
}

void wf_world_keep_pins_aside(wf_world *world)
{
    for (size_t m = 0; m < world->cloth_count && world->starting; m++) {
        wf_cloth *cloth = world->cloths[m].cloth;
        for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
            const wf_vec3 x = world->x1[world->cloths[m].first_vertex + i];
            if (cloth->pinned[i] && wf_vec3_distance(cloth->pin_targets[i], x) <= WF_PINS_ASIDE) {
                cloth->pin_targets[i] = x;
            }
        }
    }
}
