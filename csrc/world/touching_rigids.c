/* touching_rigids.c - rigid bodies that but touch something when they start, as round coordinates make them.
 *
 * Contact keeps a distance of nothing as well: such bodies would hang where they are. So where a step is starting they
 * begin a little off, as cloth does (touching.c). A body in a tower or a row must leave all that it touches at once,
 * and what moves away touches others; and where it crosses something in earnest it still leaves what it touches. So:
 *
 * Around each pair of touching points the surfaces are looked at: the direction is that in which they are farthest
 * apart, of the normals of faces there and those across two edges. Where the surfaces are convex around the points, as
 * all but dents are, these contain the best one (the separating axis theorem of convex polytopes: Gottschalk, Lin and
 * Manocha 1996). Where even that leaves them deeper in each other than single precision explains, they cross.
 *
 * Then small shifts of bodies, and of vertices of cloth, are found by which all these gaps open: half-spaces, onto
 * which the shifts are projected in turns until they are in all (Agmon 1954). What cannot be opened, for want of room,
 * is held as it is, and whoever would come nearer to anything stays where it was. Of a gap that is left the rigid
 * bodies become smaller to contact (smaller_rigids.c).
 */
#include <stdlib.h>
#include <string.h>

#include "contact/free_motion.h"
#include "contact/mobility.h"
#include "world/world_state.h"

enum { MOST_TURNS = 3, MOST_SWEEPS = 400, MOST_CROSSES = 400, FREE = INT32_MAX };
#define REACH 2e-4      /* m: pairs that are nearer are kept from meeting */
#define ROOM 1e-5       /* m: what has none gets that much on all sides; weights press bodies about as far */
#define OPENED 0.25     /* of WF_OUT_OF_TOUCH: by how much less gaps may open */
#define YIELDING 0.1    /* what is nearer to what stands fast moves by this, for 1 of what lies behind it */
#define AT_CORNER 1e-9  /* a weight: less is none */

/* A surface around a point of it. */
typedef struct surroundings {
    bool solid;
    wf_vec3 outward; /* of a solid: sum of the normals */
    wf_vec3 *points, *normals, *edges;
    size_t point_count, normal_count, edge_count;
    size_t point_capacity, normal_capacity, edge_capacity;
} surroundings;

/* One side of a pair: vertices begin to end - 1 of it. */
typedef struct side {
    int begin, end;
    int32_t rigid; /* -1: none */
    int32_t cloth; /* -1: none; a body has neither */
} side;

typedef struct gap {
    int32_t vertex[4];
    double weight[4]; /* as of wf_contact */
    side sides[2];
    wf_vec3 normal;   /* from the second side to the first */
    double width;     /* m, along it; < 0: they overlap */
    double wanted;    /* m: of the width when all is in its place */
    int32_t level;    /* the larger of the two */
} gap;

typedef struct parting {
    wf_world *world;
    gap *gaps;
    size_t count, capacity;
    wf_vec3 *rigid_way, *cloth_way;    /* [rigid_count], [cloth_vertex_count] m */
    int32_t *rigid_level, *cloth_level; /* [rigid_count], [cloth_count] how many lie between it and what stands fast */
    double *depth;                     /* [rigid_count] m, as of wf_rigid_member */
    double *height;                    /* [rigid_count] m, of a body's lowest point above the floor */
    surroundings around[2];
} parting;

/* ---- surroundings ------------------------------------------------------------------------------------------------ */

static wf_status add_vector(wf_context *context, wf_vec3 **items, size_t *count, size_t *capacity, wf_vec3 item)
{
    wf_status status = wf_reserve(context, items, capacity, *count + 1, sizeof **items);
    if (status == WF_OK) {
        (*items)[(*count)++] = item;
    }
    return status;
}

static wf_status add_point(wf_context *context, surroundings *s, wf_vec3 point)
{
    return add_vector(context, &s->points, &s->point_count, &s->point_capacity, point);
}

static wf_status add_edge(wf_context *context, surroundings *s, wf_vec3 from, wf_vec3 to)
{
    return add_vector(context, &s->edges, &s->edge_count, &s->edge_capacity, wf_vec3_sub(to, from));
}

static wf_status add_normal(wf_context *context, surroundings *s, const wf_vec3 corners[3])
{
    wf_vec3 across = wf_vec3_cross(wf_vec3_sub(corners[1], corners[0]), wf_vec3_sub(corners[2], corners[0]));
    wf_vec3 normal = wf_vec3_normalize(across);
    s->outward = wf_vec3_add(s->outward, normal);
    return add_vector(context, &s->normals, &s->normal_count, &s->normal_capacity, normal);
}

/* Of cloth, each of whose vertices goes its own way: the primitive alone. */
static wf_status surround_primitive(parting *t, const wf_contact *pair, const side *of, surroundings *s)
{
    wf_vec3 corner[3] = {{0, 0, 0}};
    int count = of->end - of->begin;
    wf_status status = WF_OK;
    for (int k = 0; k < count && status == WF_OK; k++) {
        corner[k] = t->world->x0[pair->vertex[of->begin + k]];
        status = add_point(t->world->context, s, corner[k]);
    }
    if (status == WF_OK && count == 2) {
        status = add_edge(t->world->context, s, corner[0], corner[1]);
    } else if (status == WF_OK && count == 3) {
        status = add_normal(t->world->context, s, corner);
    }
    return status;
}

static bool has_all(const int32_t *face, const int32_t *vertex, int count)
{
    for (int k = 0; k < count; k++) {
        if (face[0] != vertex[k] && face[1] != vertex[k] && face[2] != vertex[k]) {
            return false;
        }
    }
    return true;
}

/* Of a body: all faces that have the closest point, of which the corners given are those of its place. */
static wf_status surround_feature(parting *t, const wf_mesh *mesh, const wf_vec3 *x, const int32_t *vertex, int count,
                                  surroundings *s)
{
    wf_context *context = t->world->context;
    wf_status status = WF_OK;
    for (int k = 0; k < count && status == WF_OK; k++) {
        status = add_point(context, s, x[vertex[k]]);
    }
    if (status == WF_OK && count == 2) {
        status = add_edge(context, s, x[vertex[0]], x[vertex[1]]);
    }
    const int32_t begin = mesh->vertex_face_start[vertex[0]], end = mesh->vertex_face_start[vertex[0] + 1];
    for (int32_t i = begin; i < end && status == WF_OK; i++) {
        const int32_t *face = mesh->faces[mesh->vertex_faces[i]];
        const wf_vec3 corners[3] = {x[face[0]], x[face[1]], x[face[2]]};
        if (!has_all(face, vertex, count)) {
            continue;
        }
        status = add_normal(context, s, corners);
        for (int k = 0; k < 3 && status == WF_OK; k++) {
            status = add_point(context, s, corners[k]);
            if (status == WF_OK && count == 1 && face[k] != vertex[0]) {
                status = add_edge(context, s, x[vertex[0]], corners[k]);
            }
        }
    }
    return status;
}

static const wf_body_member *body_of(const wf_world *world, int32_t vertex)
{
    size_t low = 0, high = world->body_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(world->bodies[middle].first_vertex <= vertex ? &low : &high) = middle;
    }
    return &world->bodies[low];
}

static wf_status surround(parting *t, const wf_contact *pair, const side *of, surroundings *s)
{
    const wf_world *world = t->world;
    s->point_count = s->normal_count = s->edge_count = 0;
    s->outward = (wf_vec3){0, 0, 0};
    s->solid = of->rigid >= 0;
    if (of->cloth >= 0) {
        return surround_primitive(t, pair, of, s);
    }
    const wf_mesh *mesh = NULL;
    int32_t first = 0;
    if (of->rigid >= 0) {
        mesh = &world->rigids[of->rigid].rigid->mesh;
        first = world->rigids[of->rigid].first_vertex;
    } else {
        const wf_body_member *body = body_of(world, pair->vertex[of->begin]);
        mesh = &body->body->mesh;
        first = body->first_vertex;
    }
    int32_t vertex[3] = {0, 0, 0};
    int count = 0;
    for (int k = of->begin; k < of->end; k++) {
        if (of->end - of->begin == 1 || fabs(pair->weight[k]) > AT_CORNER) {
            vertex[count++] = pair->vertex[k] - first;
        }
    }
    return surround_feature(t, mesh, world->x0 + first, vertex, count, s);
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

typedef struct search {
    const surroundings *around;
    wf_vec3 base; /* m, a point nearby */
    wf_vec3 best;
    double width; /* m */
} search;

/* Takes a direction, or its opposite, in which the surroundings are farther apart than in those before. */
static void try_one(search *s, wf_vec3 direction)
{
    const surroundings *a = &s->around[0], *b = &s->around[1];
    const wf_vec3 n = wf_vec3_normalize(direction);
    if (!(wf_vec3_norm2(n) > 0.5) || (a->solid && !(wf_vec3_dot(n, a->outward) < 0)) ||
        (b->solid && !(wf_vec3_dot(n, b->outward) > 0))) {
        return;
    }
    double lowest = INFINITY, highest = -INFINITY;
    for (size_t k = 0; k < a->point_count; k++) {
        lowest = fmin(lowest, wf_vec3_dot(n, wf_vec3_sub(a->points[k], s->base)));
    }
    for (size_t k = 0; k < b->point_count; k++) {
        highest = fmax(highest, wf_vec3_dot(n, wf_vec3_sub(b->points[k], s->base)));
    }
    if (lowest - highest > s->width + WF_TOUCHING) { /* of equals the first */
        s->width = lowest - highest;
        s->best = n;
    }
}

static void try_both(search *s, wf_vec3 direction)
{
    try_one(s, direction);
    try_one(s, wf_vec3_scale(direction, -1));
}

/* False where the surfaces cross around the pair. */
static bool find_direction(const parting *t, const wf_contact *pair, wf_vec3 *normal, double *width)
{
    const surroundings *a = &t->around[0], *b = &t->around[1];
    search s = {.around = t->around, .base = t->world->x0[pair->vertex[0]], .width = -INFINITY};
    if (pair->distance > WF_TOUCHING) {
        try_both(&s, pair->normal);
    }
    wf_vec3 middle = b->solid ? wf_vec3_normalize(b->outward) : (wf_vec3){0, 0, 0};
    middle = a->solid ? wf_vec3_sub(middle, wf_vec3_normalize(a->outward)) : middle;
    try_one(&s, middle);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < t->around[k].normal_count; i++) {
            try_both(&s, t->around[k].normals[i]);
        }
    }
    for (size_t i = 0; i < a->edge_count && a->edge_count * b->edge_count <= MOST_CROSSES; i++) {
        for (size_t k = 0; k < b->edge_count; k++) {
            wf_vec3 p = wf_vec3_normalize(a->edges[i]), q = wf_vec3_normalize(b->edges[k]);
            wf_vec3 across = wf_vec3_cross(p, q);
            if (wf_vec3_norm(across) > 1e-6) {
                try_both(&s, across);
            }
        }
    }
    *normal = s.best;
    *width = s.width;
    return s.width >= -WF_TOUCHING_DEPTH;
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

static side side_of(const wf_world *world, const int32_t vertex[4], int begin, int end)
{
    side s = {begin, end, -1, -1};
    const int32_t i = vertex[begin];
    if (i < world->cloth_vertex_count) {
        s.cloth = (int32_t)wf_world_cloth_index(world, i);
    } else if (i < world->moving_count) {
        const wf_contact_rigids all = {.count = (int32_t)world->rigid_count, .items = world->rigid_motions};
        s.rigid = (int32_t)(wf_contact_rigid_of(&all, i) - world->rigid_motions);
    }
    return s;
}

static wf_status add_gap(parting *t, const wf_contact *pair)
{
    const int first = pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1;
    gap g = {.normal = pair->normal, .width = pair->distance, .wanted = WF_OUT_OF_TOUCH};
    memcpy(g.vertex, pair->vertex, sizeof g.vertex);
    memcpy(g.weight, pair->weight, sizeof g.weight);
    g.sides[0] = side_of(t->world, pair->vertex, 0, first);
    g.sides[1] = side_of(t->world, pair->vertex, first, 4);
    bool found = pair->distance > WF_TOUCHING;
    wf_status status = WF_OK;
    if (g.sides[0].rigid >= 0 || g.sides[1].rigid >= 0) {
        for (int k = 0; k < 2 && status == WF_OK; k++) {
            status = surround(t, pair, &g.sides[k], &t->around[k]);
        }
        found = status == WF_OK && find_direction(t, pair, &g.normal, &g.width);
    } else {
        g.wanted = fmin(g.width, g.wanted);
    }
    if (status == WF_OK && found) {
        status = wf_reserve(t->world->context, &t->gaps, &t->capacity, t->count + 1, sizeof *t->gaps);
        if (status == WF_OK) {
            t->gaps[t->count++] = g;
        }
    }
    return status;
}

/* Whether any of them are to be opened. */
static wf_status gather(parting *t, bool *any)
{
    wf_world *world = t->world;
    const wf_contact *contacts;
    int32_t count = 0;
    wf_status status = wf_contact_update(world->scene, world->x0, world->x0, wf_world_contact_skin(world));
    status = status == WF_OK ? wf_contact_find(world->scene, world->x0, REACH, WF_CONTACTS_ALL, &contacts, &count)
                             : status;
    t->count = 0;
    *any = false;
    for (int32_t c = 0; c < count && status == WF_OK; c++) {
        status = contacts[c].distance < REACH ? add_gap(t, &contacts[c]) : WF_OK;
    }
    for (size_t k = 0; k < t->count; k++) {
        *any = *any || t->gaps[k].width < t->gaps[k].wanted - OPENED * WF_OUT_OF_TOUCH;
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_rigid *rigid = world->rigids[k].rigid;
        const wf_vec3 *x = world->x0 + world->rigids[k].first_vertex;
        double lowest = rigid->radius > 0 ? world->rigid_motions[k].from.centre.y - world->rigid_motions[k].radius
                                           : INFINITY;
        for (int32_t i = 0; i < rigid->mesh.vertex_count && rigid->radius == 0; i++) {
            lowest = fmin(lowest, x[i].y);
        }
        t->height[k] = world->params.floor ? lowest - world->params.floor_height : INFINITY;
    }
    return status;
}

/* ---- who moves --------------------------------------------------------------------------------------------------- */

static int32_t level_of(const parting *t, const side *of)
{
    return of->rigid >= 0 ? t->rigid_level[of->rigid] : of->cloth >= 0 ? t->cloth_level[of->cloth] : 0;
}

static void lower_level(const parting *t, const side *of, int32_t level, bool *any)
{
    int32_t *own = of->rigid >= 0 ? &t->rigid_level[of->rigid] : of->cloth >= 0 ? &t->cloth_level[of->cloth] : NULL;
    if (own && *own > level) {
        *own = level;
        *any = true;
    }
}

static int compare_levels(const void *a, const void *b)
{
    const gap *p = a, *q = b;
    if (p->level != q->level) {
        return p->level < q->level ? -1 : 1;
    }
    int order = memcmp(p->vertex, q->vertex, sizeof p->vertex);
    return order != 0 ? order : p->sides[0].end - q->sides[0].end;
}

/* Who is farther from what stands fast moves, first those who are next to it: so towers and piles rise at once. */
static void find_levels(parting *t)
{
    const wf_world *world = t->world;
    for (size_t k = 0; k < world->rigid_count; k++) {
        t->rigid_level[k] = t->height[k] < REACH ? 1 : FREE;
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        t->cloth_level[m] = FREE;
        for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
            t->cloth_level[m] = cloth->pinned[i] ? 1 : t->cloth_level[m];
        }
    }
    for (bool any = true; any;) {
        any = false;
        for (size_t k = 0; k < t->count; k++) {
            const side *s = t->gaps[k].sides;
            const int32_t a = level_of(t, &s[0]), b = level_of(t, &s[1]);
            lower_level(t, &s[0], b < FREE ? b + 1 : FREE, &any);
            lower_level(t, &s[1], a < FREE ? a + 1 : FREE, &any);
        }
    }
    for (size_t k = 0; k < t->count; k++) {
        const int32_t a = level_of(t, &t->gaps[k].sides[0]), b = level_of(t, &t->gaps[k].sides[1]);
        t->gaps[k].level = a > b ? a : b;
    }
    qsort(t->gaps, t->count, sizeof *t->gaps, compare_levels);
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

static double width_now(const parting *t, const gap *g)
{
    wf_vec3 way = {0, 0, 0};
    for (int s = 0; s < 2; s++) {
        const side *of = &g->sides[s];
        if (of->rigid >= 0) {
            way = wf_vec3_muladds(way, t->rigid_way[of->rigid], s == 0 ? 1 : -1);
        }
        for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
            way = wf_vec3_muladds(way, t->cloth_way[g->vertex[k]], g->weight[k]);
        }
    }
    return g->width + wf_vec3_dot(way, g->normal);
}

static bool is_free(const parting *t, int32_t vertex)
{
    return t->world->inverse_mass[vertex] > 0;
}

/* How far a side moves for a push of 1. */
static double mobility_of(const parting *t, const gap *g, int s)
{
    const side *of = &g->sides[s];
    const double share = level_of(t, of) < level_of(t, &g->sides[1 - s]) ? YIELDING : 1;
    double own[4] = {0};
    for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
        own[k] = is_free(t, g->vertex[k]);
    }
    return share * (of->rigid >= 0 ? 1 : wf_pair_mobility(4, g->weight, own));
}

static void push(parting *t, const gap *g, double shift)
{
    double mobility[2] = {mobility_of(t, g, 0), mobility_of(t, g, 1)}, sum = mobility[0] + mobility[1];
    for (int s = 0; s < 2 && sum > 0; s++) {
        const side *of = &g->sides[s];
        double share = level_of(t, of) < level_of(t, &g->sides[1 - s]) ? YIELDING : 1;
        wf_vec3 way = wf_vec3_scale(g->normal, shift * share / sum);
        if (of->rigid >= 0) {
            t->rigid_way[of->rigid] = wf_vec3_muladds(t->rigid_way[of->rigid], way, s == 0 ? 1 : -1);
        }
        for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
            wf_vec3 *own = &t->cloth_way[g->vertex[k]];
            *own = is_free(t, g->vertex[k]) ? wf_vec3_muladds(*own, way, g->weight[k]) : *own;
        }
    }
}

static void keep_side_above_floor(parting *t, const gap *g, int s)
{
    const side *of = &g->sides[s];
    for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
        wf_vec3 *own = &t->cloth_way[g->vertex[k]];
        double height = t->world->x0[g->vertex[k]].y - t->world->params.floor_height;
        own->y = fmax(own->y, fmin(0, -height));
    }
}

static void keep_above_floor(parting *t)
{
    const wf_world *world = t->world;
    if (!world->params.floor) {
        return;
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        t->rigid_way[k].y = fmax(t->rigid_way[k].y, fmin(0, -t->height[k]));
    }
    for (size_t c = 0; c < t->count; c++) {
        keep_side_above_floor(t, &t->gaps[c], 0);
        keep_side_above_floor(t, &t->gaps[c], 1);
    }
}

static bool are_open(const parting *t)
{
    bool all = true;
    for (size_t c = 0; c < t->count && all; c++) {
        all = width_now(t, &t->gaps[c]) >= t->gaps[c].wanted - OPENED * WF_OUT_OF_TOUCH;
    }
    return all;
}

static void sweep_gaps(parting *t)
{
    const wf_world *world = t->world;
    memset(t->rigid_way, 0, world->rigid_count * sizeof *t->rigid_way);
    memset(t->cloth_way, 0, (size_t)world->cloth_vertex_count * sizeof *t->cloth_way);
    for (int sweep = 0; sweep < MOST_SWEEPS && !are_open(t); sweep++) {
        for (size_t c = 0; c < t->count; c++) {
            const gap *g = &t->gaps[sweep % 2 == 0 ? c : t->count - 1 - c];
            double missing = g->wanted - width_now(t, g);
            if (missing > 0) {
                push(t, g, missing);
            }
        }
        keep_above_floor(t);
    }
}

/* What has no room to open stays as wide as it is. Whether there is any. */
static bool give_up_some(parting *t)
{
    bool any = false;
    for (size_t c = 0; c < t->count; c++) {
        gap *g = &t->gaps[c];
        if (g->wanted > g->width && width_now(t, g) < g->wanted - 2 * OPENED * WF_OUT_OF_TOUCH) {
            g->wanted = g->width;
            any = true;
        }
    }
    return any;
}

static bool stop(parting *t, const gap *g)
{
    bool any = false;
    for (int s = 0; s < 2; s++) {
        const side *of = &g->sides[s];
        if (of->rigid >= 0) {
            any = any || wf_vec3_norm2(t->rigid_way[of->rigid]) > 0;
            t->rigid_way[of->rigid] = (wf_vec3){0, 0, 0};
        }
        for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
            any = any || wf_vec3_norm2(t->cloth_way[g->vertex[k]]) > 0;
            t->cloth_way[g->vertex[k]] = (wf_vec3){0, 0, 0};
        }
    }
    return any;
}

static double longest_way(const parting *t, const gap *g)
{
    double longest = 0;
    for (int s = 0; s < 2; s++) {
        const side *of = &g->sides[s];
        longest = of->rigid >= 0 ? fmax(longest, wf_vec3_norm(t->rigid_way[of->rigid])) : longest;
        for (int k = of->begin; k < of->end && of->cloth >= 0; k++) {
            longest = fmax(longest, wf_vec3_norm(t->cloth_way[g->vertex[k]]));
        }
    }
    return longest;
}

/* Who would come nearer than it may, or goes so far that it may meet what was not looked at, stays where it is, and so
 * does who would then be too near to it. */
static void stop_who_would_meet(parting *t)
{
    for (bool any = true; any;) {
        any = false;
        for (size_t c = 0; c < t->count; c++) {
            const gap *g = &t->gaps[c];
            double least = fmin(g->width, 2 * OPENED * WF_OUT_OF_TOUCH) - WF_TOUCHING;
            if (width_now(t, g) < least || longest_way(t, g) > REACH / 2) {
                any = stop(t, g) || any;
            }
        }
    }
}

static void shift_all(parting *t)
{
    wf_world *world = t->world;
    for (size_t k = 0; k < world->rigid_count; k++) {
        world->rigids[k].nudge = wf_vec3_add(world->rigids[k].nudge, t->rigid_way[k]);
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        world->x0[i] = wf_vec3_add(world->x0[i], t->cloth_way[i]);
    }
    wf_world_load_rigids(world);
}

static wf_status part_all(parting *t)
{
    bool any = true;
    wf_status status = WF_OK;
    for (int turn = 0; turn < MOST_TURNS && status == WF_OK && any; turn++) {
        status = gather(t, &any);
        if (status == WF_OK && any) {
            find_levels(t);
            sweep_gaps(t);
            if (give_up_some(t)) {
                sweep_gaps(t);
            }
            stop_who_would_meet(t);
            shift_all(t);
        }
    }
    return status;
}

/* ---- without room ------------------------------------------------------------------------------------------------ */

/* Where two bodies meet without room both become smaller, so that it does not depend on which is looked at first. */
static void find_depths(parting *t)
{
    for (size_t k = 0; k < t->world->rigid_count; k++) {
        t->depth[k] = t->world->rigids[k].depth;
    }
    for (size_t c = 0; c < t->count; c++) {
        const gap *g = &t->gaps[c];
        for (int s = 0; s < 2; s++) {
            const int32_t k = g->sides[s].rigid;
            if (k >= 0 && g->width < 2 * WF_TOUCHING) {
                t->depth[k] = fmax(t->depth[k], t->world->rigids[k].depth + ROOM - g->width);
            }
        }
    }
}

static wf_status shrink_what_has_no_room(parting *t)
{
    wf_world *world = t->world;
    bool any = false;
    wf_status status = gather(t, &any);
    any = false;
    if (status == WF_OK) {
        find_depths(t);
    }
    for (size_t k = 0; k < world->rigid_count && status == WF_OK; k++) {
        if (t->depth[k] > world->rigids[k].depth) {
            status = wf_world_make_rigid_smaller(world, &world->rigids[k], t->depth[k]);
            any = true;
        }
    }
    if (status == WF_OK && any) {
        wf_world_load_rigids(world);
    }
    return status;
}

wf_status wf_world_part_touching_rigids(wf_world *world)
{
    if (!world->scene || world->rigid_count == 0) {
        return WF_OK;
    }
    wf_context *context = world->context;
    const size_t cloth = (size_t)world->cloth_vertex_count;
    parting t = {.world = world,
                 .rigid_way = wf_allocate(context, world->rigid_count, sizeof *t.rigid_way),
                 .cloth_way = wf_allocate(context, cloth + 1, sizeof *t.cloth_way),
                 .rigid_level = wf_allocate(context, world->rigid_count, sizeof *t.rigid_level),
                 .cloth_level = wf_allocate(context, world->cloth_count + 1, sizeof *t.cloth_level),
                 .depth = wf_allocate(context, world->rigid_count, sizeof *t.depth),
                 .height = wf_allocate(context, world->rigid_count, sizeof *t.height)};
    bool made = t.rigid_way && t.cloth_way && t.rigid_level && t.cloth_level && t.depth && t.height;
    wf_status status = made ? part_all(&t) : WF_ERROR_MEMORY;
    status = status == WF_OK ? shrink_what_has_no_room(&t) : status;
    for (int k = 0; k < 2; k++) {
        wf_free(context, t.around[k].points);
        wf_free(context, t.around[k].normals);
        wf_free(context, t.around[k].edges);
    }
    wf_free(context, t.gaps);
    wf_free(context, t.rigid_way);
    wf_free(context, t.cloth_way);
    wf_free(context, t.rigid_level);
    wf_free(context, t.cloth_level);
    wf_free(context, t.depth);
    wf_free(context, t.height);
    return status;
}
