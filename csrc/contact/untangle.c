/* untangle.c - see untangle.h: the rounds, and what they begin with. */
#include "contact/untangle.h"

#include <string.h>

#include "contact/response.h"
#include "contact/untangle_private.h"

enum {
    PATIENCE = 40,  /* rounds without a better state before it is given up */
    SMOOTHINGS = 2, /* moves are spread over so many rings, or cloth would be drawn into spikes */
    LOOSE_RINGS = 2
};

#define DOOR_SKIN 0.004 /* m */

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Means of the wishes, spread over the neighbourhood. */
static void settle_moves(wf_untangler *u)
{
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->move[i] = u->weight[i] > 0 ? wf_vec3_scale(u->move[i], 1 / u->weight[i]) : u->move[i];
    }
    for (int pass = 0; pass < SMOOTHINGS; pass++) {
        memset(u->spread, 0, (size_t)u->cloth_count * sizeof *u->spread);
        memset(u->weight, 0, (size_t)u->cloth_count * sizeof *u->weight);
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            for (int k = 0; k < 2; k++) {
                int32_t i = u->cloth.edges[e][k], j = u->cloth.edges[e][1 - k];
                u->spread[i] = wf_vec3_add(u->spread[i], u->move[j]);
                u->weight[i] += 1;
            }
        }
        for (int32_t i = 0; i < u->cloth_count; i++) {
            if (u->weight[i] > 0) {
                wf_vec3 mean = wf_vec3_scale(u->spread[i], 1 / u->weight[i]);
                u->move[i] = wf_vec3_lerp(u->move[i], mean, wf_vec3_norm2(u->move[i]) > 0 ? 0.3 : 0.7);
            }
        }
    }
    for (int32_t i = 0; i < u->cloth_count; i++) {
        bool held = u->def->inverse_mass[i] == 0;
        u->move[i] = held ? (wf_vec3){0, 0, 0} : wf_untangle_shortened(u->move[i], 2 * wf_untangle_step(u, i));
    }
}

static void loosen_face(wf_untangler *u, const int32_t face[3], uint8_t looseness)
{
    for (int k = 0; k < 3; k++) {
        u->loose[face[k]] = u->loose[face[k]] > looseness ? u->loose[face[k]] : looseness;
    }
}

/* What crosses, is inside or is on the wrong side may pass, and so may what is around it. */
static void loosen(wf_untangler *u)
{
    const int32_t(*faces)[3] = u->def->scene.cloth_faces;
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->loose[i] = u->passing[i] ? WF_LOOSE_TO_ALL : WF_HELD;
        u->loose[i] = u->solid && u->distance[i] < 0 ? WF_LOOSE_TO_BODIES : u->loose[i];
    }
    for (int64_t k = 0; k < wf_untangle_listed(u->self_count); k++) {
        loosen_face(u, faces[u->self[k][0]], WF_LOOSE_TO_ALL);
        loosen_face(u, faces[u->self[k][1]], WF_LOOSE_TO_ALL);
    }
    for (int64_t k = 0; k < wf_untangle_listed(u->body_count); k++) {
        loosen_face(u, faces[u->with_bodies[k][0]], WF_LOOSE_TO_BODIES);
    }
    for (int ring = 0; ring < LOOSE_RINGS; ring++) {
        memcpy(u->ring, u->loose, (size_t)u->cloth_count);
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            const int32_t *v = u->cloth.edges[e];
            for (int k = 0; k < 2; k++) {
                u->ring[v[k]] = u->ring[v[k]] > u->loose[v[1 - k]] ? u->ring[v[k]] : u->loose[v[1 - k]];
            }
        }
        memcpy(u->loose, u->ring, (size_t)u->cloth_count);
    }
}

/* From x to target through the door; x is then where it let them. */
static wf_status pass_door(wf_untangler *u)
{
    wf_contact_scene_def def = u->def->scene;
    def.vertex_loose = u->loose;
    wf_contact_scene *scene;
    wf_status status = wf_contact_scene_create(u->context, &def, &scene);
    if (status != WF_OK) {
        return status;
    }
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    params.rounds = 0; /* the fail-safe alone: it adds no moves of its own */
    status = wf_contact_update(scene, u->x, u->target, DOOR_SKIN);
    if (status == WF_OK) {
        status = wf_contact_resolve(scene, u->x, u->target, u->def->inverse_mass, &params, NULL);
    }
    if (status == WF_OK) {
        memcpy(u->x, u->target, (size_t)u->vertex_count * sizeof *u->x);
    }
    wf_contact_scene_destroy(scene);
    return status;
}

static wf_status look(wf_untangler *u)
{
    wf_status status = wf_untangle_find_crossings(u);
    if (status == WF_OK) {
        wf_untangle_look_at_solid(u);
        memset(u->move, 0, (size_t)u->cloth_count * sizeof *u->move);
        memset(u->weight, 0, (size_t)u->cloth_count * sizeof *u->weight);
        status = wf_untangle_order_layers(u);
    }
    return status;
}

/* After `look`, which has the wishes of misplaced layers. */
static wf_status make_round(wf_untangler *u)
{
    wf_status status = wf_untangle_leave_solids(u);
    if (status != WF_OK) {
        return status;
    }
    wf_untangle_part_layers(u);
    wf_untangle_shorten_curves(u);
    loosen(u);
    settle_moves(u);
    memcpy(u->target, u->x, (size_t)u->vertex_count * sizeof *u->x);
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->target[i] = u->def->keep_outside(u->def->user, i, u->x[i], wf_vec3_add(u->x[i], u->move[i]));
    }
    return pass_door(u);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void measure_edges(wf_untangler *u)
{
    for (int32_t e = 0; e < u->cloth.edge_count; e++) {
        const int32_t *v = u->cloth.edges[e];
        double length = wf_vec3_distance(u->x[v[0]], u->x[v[1]]);
        for (int k = 0; k < 2; k++) {
            u->edge_length[v[k]] += length;
            u->weight[v[k]] += 1;
        }
    }
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->edge_length[i] = u->weight[i] > 0 ? u->edge_length[i] / u->weight[i] : 0;
        u->vertex_layer[i] = -1;
    }
    for (int32_t f = 0; u->def->face_layer && f < u->cloth_faces; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t *layer = &u->vertex_layer[u->def->scene.cloth_faces[f][k]];
            *layer = *layer > u->def->face_layer[f] ? *layer : u->def->face_layer[f];
        }
    }
}

/* Along edges, to where no edge brings it nearer. */
static void measure_borders(wf_untangler *u)
{
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->border[i] = INFINITY;
    }
    bool nearer = true;
    for (bool first = true; nearer; first = false) {
        nearer = false;
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            int32_t i = u->cloth.edges[e][0], j = u->cloth.edges[e][1];
            double length = wf_vec3_distance(u->x[i], u->x[j]);
            if (first && u->cloth.edge_faces[e][1] < 0) {
                u->border[i] = u->border[j] = 0;
                nearer = true;
            }
            double by_j = u->border[j] + length, by_i = u->border[i] + length;
            nearer = nearer || by_j < u->border[i] || by_i < u->border[j];
            u->border[i] = fmin(u->border[i], by_j);
            u->border[j] = fmin(u->border[j], by_i);
        }
    }
}

static wf_status prepare(wf_untangler *u)
{
    wf_context *context = u->context;
    size_t cloth = (size_t)u->cloth_count, all = (size_t)u->vertex_count;
    u->x = wf_allocate(context, all, sizeof *u->x);
    u->target = wf_allocate(context, all, sizeof *u->target);
    u->edge_length = wf_allocate(context, cloth, sizeof *u->edge_length);
    u->border = wf_allocate(context, cloth, sizeof *u->border);
    u->move = wf_allocate(context, cloth, sizeof *u->move);
    u->spread = wf_allocate(context, cloth, sizeof *u->spread);
    u->weight = wf_allocate(context, cloth, sizeof *u->weight);
    u->loose = wf_allocate(context, cloth, sizeof *u->loose);
    u->ring = wf_allocate(context, cloth, sizeof *u->ring);
    u->passing = wf_allocate(context, cloth, sizeof *u->passing);
    u->closest = wf_allocate(context, cloth, sizeof *u->closest);
    u->distance = wf_allocate(context, cloth, sizeof *u->distance);
    u->piece = wf_allocate(context, cloth, sizeof *u->piece);
    u->vertex_layer = wf_allocate(context, cloth, sizeof *u->vertex_layer);
    u->self = wf_allocate(context, WF_UNTANGLE_MOST_PAIRS, sizeof *u->self);
    u->with_bodies = wf_allocate(context, WF_UNTANGLE_MOST_PAIRS, sizeof *u->with_bodies);
    return u->x && u->target && u->edge_length && u->border && u->move && u->spread && u->weight && u->loose &&
                   u->ring && u->passing && u->closest && u->distance && u->piece && u->vertex_layer && u->self &&
                   u->with_bodies
               ? WF_OK
               : WF_ERROR_MEMORY;
}

static void release(wf_untangler *u)
{
    void *const arrays[] = {u->x,     u->target,  u->edge_length, u->border,   u->move,  u->spread,
                            u->weight, u->loose,  u->ring,        u->passing,  u->closest, u->distance,
                            u->piece, u->vertex_layer, u->self,   u->with_bodies};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(u->context, arrays[k]);
    }
    wf_solid_destroy(u->context, u->solid);
    wf_mesh_free(u->context, &u->cloth);
    wf_mesh_free(u->context, &u->bodies);
}

/* How bad a state is: crossings first, then what is inside or misplaced. */
static double badness(const wf_untangler *u)
{
    return (double)(u->self_count + u->body_count) + u->inside + u->misplaced;
}

static void list_places(const wf_untangler *u, const wf_vec3 *x, wf_vec3 *places, int32_t *count)
{
    *count = 0;
    for (int list = 0; list < 2; list++) {
        const int32_t (*pairs)[2] = (const int32_t(*)[2])(list == 0 ? u->self : u->with_bodies);
        int64_t listed = wf_untangle_listed(list == 0 ? u->self_count : u->body_count);
        for (int64_t k = 0; k < listed && *count < WF_MOST_PLACES; k++) {
            const int32_t *v = u->def->scene.cloth_faces[pairs[k][0]];
            wf_vec3 sum = wf_vec3_add(wf_vec3_add(x[v[0]], x[v[1]]), x[v[2]]);
            places[(*count)++] = wf_vec3_scale(sum, 1.0 / 3);
        }
    }
}

static wf_status run(wf_untangler *u, wf_vec3 *best, wf_untangle_report *report)
{
    wf_status status = look(u);
    report->crossings_before = u->self_count + u->body_count;
    report->inside_before = u->inside;
    report->misplaced_before = u->misplaced;
    double least = badness(u);
    for (int round = 0, since = 0; status == WF_OK && badness(u) > 0 && round < u->def->rounds && since < PATIENCE;
         round++, since++) {
        status = make_round(u);
        status = status == WF_OK ? look(u) : status;
        report->rounds++;
        if (status == WF_OK && badness(u) < least && u->self_count + u->body_count <= report->crossings_before) {
            since = 0;
            least = badness(u);
            memcpy(best, u->x, (size_t)u->vertex_count * sizeof *best);
        }
    }
    if (status == WF_OK) {
        memcpy(u->x, best, (size_t)u->vertex_count * sizeof *best);
        status = look(u);
    }
    return status;
}

wf_status wf_untangle(wf_context *context, const wf_untangle_def *def, wf_vec3 *x, wf_vec3 *places,
                      int32_t *place_count, wf_untangle_report *report)
{
    *report = (wf_untangle_report){0};
    *place_count = 0;
    if (def->rounds < 1 || def->rounds > 10000) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "rounds must be from 1 to 10000, got %d", def->rounds);
    }
    const wf_contact_scene_def *scene = &def->scene;
    wf_untangler u = {.context = context, .def = def, .cloth_count = scene->cloth_count,
                   .vertex_count = scene->vertex_count, .cloth_faces = scene->cloth_face_count,
                   .body_faces = scene->body_face_count};
    wf_vec3 *best = wf_allocate(context, (size_t)scene->vertex_count, sizeof *best);
    wf_status status = best ? prepare(&u) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memcpy(best, x, (size_t)scene->vertex_count * sizeof *x);
        memcpy(u.x, x, (size_t)scene->vertex_count * sizeof *x);
        status = wf_mesh_build(context, u.vertex_count, x, u.cloth_faces, scene->cloth_faces, &u.cloth);
    }
    if (status == WF_OK) {
        status = wf_mesh_build(context, u.vertex_count, x, u.body_faces, scene->body_faces, &u.bodies);
    }
    if (status == WF_OK) {
        measure_edges(&u);
        measure_borders(&u);
        status = wf_untangle_make_solid(&u);
    }
    if (status == WF_OK) {
        status = run(&u, best, report);
    }
    if (status == WF_OK) {
        report->crossings = u.self_count + u.body_count;
        report->inside = u.inside;
        report->misplaced = u.misplaced;
        for (int32_t i = 0; i < u.cloth_count; i++) {
            double way = wf_vec3_distance(x[i], best[i]);
            report->moved_vertices += way > 0;
            report->largest_move = fmax(report->largest_move, way);
        }
        list_places(&u, best, places, place_count);
        memcpy(x, best, (size_t)scene->vertex_count * sizeof *x);
    }
    release(&u);
    wf_free(context, best);
    return status;
}
