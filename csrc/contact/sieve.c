/* sieve.c - a pass over the candidate list; see sieve.h. */
#include "contact/sieve.h"

#include <float.h>

#include "base/tasks.h"
#include "contact/bounds.h"

/* Covers the rounding of a sum of a few single-precision numbers. */
#define ROUNDED_UP (1 + 8 * FLT_EPSILON)

/* Pairs that passed the first test, waiting for the second. */
typedef struct waiting_pairs {
    size_t index[WF_LANES];
    float near[WF_LANES];
    int count;
    wf_pair_lanes lanes;
} waiting_pairs;

static void settle(const wf_sieve *sieve, waiting_pairs *wait)
{
    wf_candidate_list *list = &sieve->scene->list[sieve->kind];
    float bound[WF_LANES];
    if (wf_is_edge_edge(sieve->kind) && sieve->inner_edges) {
        wf_inner_edges_bounds(&wait->lanes, wait->count, sieve->least_sine2, bound);
    } else if (wf_is_edge_edge(sieve->kind)) {
        wf_edge_edge_bounds(&wait->lanes, wait->count, bound);
    } else {
        wf_vertex_face_bounds(&wait->lanes, wait->count, bound);
    }
    for (int i = 0; i < wait->count; i++) {
        size_t index = wait->index[i];
        if (bound[i] <= wait->near[i] && sieve->test(sieve->user, sieve->kind, &list->items[index], bound[i])) {
            list->marked[index / 64] |= (uint64_t)1 << (index % 64);
        }
    }
    wait->count = 0;
}

static void sieve_block(void *user, size_t block, size_t begin, size_t end)
{
    const wf_sieve *sieve = user;
    wf_contact_scene *scene = sieve->scene;
    wf_candidate_list *list = &scene->list[sieve->kind];
    bool edges = wf_is_edge_edge(sieve->kind);
    const float *first_reach = edges ? scene->reach.edge : scene->reach.vertex;
    const float *second_reach = edges ? scene->reach.edge : scene->reach.face;
    const float *first_near = edges ? scene->near.edge : scene->near.vertex;
    const float *second_near = edges ? scene->near.edge : scene->near.face;
    const uint8_t *first_changed = edges ? scene->changed.edge : scene->changed.vertex;
    const uint8_t *second_changed = edges ? scene->changed.edge : scene->changed.face;
    float distance = (float)sieve->distance;
    waiting_pairs wait = {.count = 0};
    for (size_t word = begin / 64; word < wf_block_count(end, 64); word++) {
        list->marked[word] = 0;
    }
    for (size_t i = begin; i < end; i++) {
        const wf_candidate *c = &list->items[i];
        if (sieve->changed_only && !(first_changed[c->first] | second_changed[c->second])) {
            continue;
        }
        if (c->distance > (first_reach[c->first] + second_reach[c->second] + distance) * ROUNDED_UP) {
            continue;
        }
        int32_t vertex[4];
        wf_vec3 x[4];
        wf_pair_vertices(scene, sieve->kind, c->first, c->second, vertex);
        wf_gather(sieve->x, vertex, x);
        if (edges) {
            wf_lanes_set_edge_edge(&wait.lanes, wait.count, x);
        } else {
            wf_lanes_set_vertex_face(&wait.lanes, wait.count, x);
        }
        wait.index[wait.count] = i;
        wait.near[wait.count] = (first_near[c->first] + second_near[c->second] + distance) * ROUNDED_UP;
        if (++wait.count == WF_LANES) {
            settle(sieve, &wait);
        }
    }
    settle(sieve, &wait);
    size_t marks = 0;
    for (size_t word = begin / 64; word < wf_block_count(end, 64); word++) {
        marks += (size_t)__builtin_popcountll(list->marked[word]);
    }
    scene->block_start[block] = marks;
}

wf_status wf_sieve_run(const wf_sieve *sieve)
{
    wf_contact_scene *scene = sieve->scene;
    size_t pairs = scene->list[sieve->kind].count;
    wf_status status = wf_reserve(scene->context, &scene->block_start, &scene->block_start_capacity,
                                  wf_block_count(pairs, WF_SIEVE_BLOCK), sizeof *scene->block_start);
    if (status == WF_OK) {
        wf_sieve copy = *sieve;
        wf_parallel_for(scene->context, pairs, WF_SIEVE_BLOCK, sieve_block, &copy);
    }
    return status;
}

/* ---- numbers per primitive --------------------------------------------------------------------------------------- */

static float rounded_up(double value)
{
    return (float)value * (1 + FLT_EPSILON);
}

void wf_spread_largest(const wf_contact_scene *scene, wf_numbers *numbers)
{
    const float *of = numbers->vertex;
    for (int32_t e = 0; e < scene->edge_count; e++) {
        float a = of[scene->edges[e][0]], b = of[scene->edges[e][1]];
        numbers->edge[e] = a > b ? a : b;
    }
    for (int32_t f = 0; f < scene->face_count; f++) {
        float a = of[scene->faces[f][0]], b = of[scene->faces[f][1]], c = of[scene->faces[f][2]];
        float most = a > b ? a : b;
        numbers->face[f] = most > c ? most : c;
    }
}

void wf_measure_reach(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, wf_numbers *numbers)
{
    const bool at_end = x1 == x0 && wf_contact_rests_at_end(scene, x0);
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        double reach2 = wf_vec3_norm2(wf_vec3_sub(x0[i], wf_listed_place(scene, i, at_end)));
        if (x1 != x0) {
            reach2 = fmax(reach2, wf_vec3_norm2(wf_vec3_sub(x1[i], wf_listed_place(scene, i, true))));
        }
        numbers->vertex[i] = rounded_up(sqrt(reach2));
    }
    wf_spread_largest(scene, numbers);
}

void wf_measure_motion(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, wf_numbers *numbers)
{
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        wf_vec3 motion = wf_vec3_sub(wf_vec3_sub(x1[i], x0[i]), scene->cover.frame);
        numbers->vertex[i] = rounded_up(wf_vec3_norm(motion));
    }
    wf_spread_largest(scene, numbers);
}

void wf_measure_thickness(const wf_contact_scene *scene, wf_numbers *numbers)
{
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        numbers->vertex[i] = rounded_up(scene->half_thickness[i]);
    }
    wf_spread_largest(scene, numbers);
}

void wf_add_numbers(const wf_contact_scene *scene, const wf_numbers *numbers, wf_numbers *sum)
{
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        sum->vertex[i] += numbers->vertex[i];
    }
    for (int32_t e = 0; e < scene->edge_count; e++) {
        sum->edge[e] += numbers->edge[e];
    }
    for (int32_t f = 0; f < scene->face_count; f++) {
        sum->face[f] += numbers->face[f];
    }
}
