/* resolver.c - which pairs hit; see resolver.h. */
#include "contact/resolver.h"

#include <string.h>

#include "base/tasks.h"
#include "contact/bounds.h"
#include "contact/continuous.h"
#include "contact/distance.h"
#include "contact/sieve.h"

double wf_resolver_separation(const wf_resolver *r, int kind, const wf_candidate *c)
{
    int alike = wf_is_edge_edge(kind) ? WF_EDGE_EDGE : WF_VERTEX_FACE;
    return fmin(r->separation, 0.5 * wf_pair_thickness(r->scene, alike, c->first, c->second));
}

/* Where rigid bodies that were moved since their vertices were placed have the vertices of a pair. */
static void gather_moved(const wf_resolver *r, const int32_t vertex[4], wf_vec3 x1[4])
{
    for (int k = 0; k < 4; k++) {
        const wf_contact_rigid *rigid = wf_contact_rigid_of(&r->rigids, vertex[k]);
        if (rigid && rigid->moved) {
            x1[k] = wf_pose_to_world(&rigid->end, rigid->local[vertex[k] - rigid->first_vertex]);
        }
    }
}

void wf_resolver_place_moved(wf_resolver *r)
{
    for (int32_t i = 0; i < r->rigids.count; i++) {
        wf_contact_rigid *rigid = &r->rigids.items[i];
        if (rigid->moved) {
            wf_contact_rigid_place(rigid, &rigid->end, r->x1);
            memset(r->scene->changed.vertex + rigid->first_vertex, 1, (size_t)rigid->vertex_count);
            rigid->moved = false;
        }
    }
}

bool wf_resolver_pair_hits(const wf_resolver *r, int kind, const wf_candidate *c, double bound, int32_t vertex[4],
                           wf_vec3 x0[4], wf_vec3 x1[4], double *time)
{
    if (wf_pair_passes(r->scene, kind, c->first, c->second)) {
        return false;
    }
    wf_pair_vertices(r->scene, kind, c->first, c->second, vertex);
    wf_gather(r->x0, vertex, x0);
    wf_gather(r->x1, vertex, x1);
    if (r->rigids.count > 0) {
        gather_moved(r, vertex, x1);
    }
    bool moves = false;
    for (int k = 0; k < 4; k++) {
        moves = moves || !wf_vec3_equal(x0[k], x1[k]);
    }
    if (!moves) { /* even if it touches */
        return false;
    }
    wf_impact_params params = wf_default_impact_params();
    params.separation = wf_resolver_separation(r, kind, c);
    if (wf_stay_apart(wf_is_edge_edge(kind), bound, params.separation, x0, x1)) {
        return false;
    }
    return wf_is_edge_edge(kind) ? wf_edge_edge_impact(x0, x1, &params, time)
                                 : wf_vertex_face_impact(x0, x1, &params, time);
}

static bool hits(const void *user, int kind, const wf_candidate *c, float bound)
{
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4];
    double time;
    return wf_resolver_pair_hits(user, kind, c, bound, vertex, x0, x1, &time);
}

wf_status wf_resolver_detect(const wf_resolver *r, bool changed_only, int64_t *hit_count)
{
    wf_contact_scene *scene = r->scene;
    double start = wf_clock_seconds();
    wf_measure_reach(scene, r->x0, r->x1, &scene->reach);
    wf_measure_motion(scene, r->x0, r->x1, &scene->near);
    for (int32_t e = 0; changed_only && e < scene->edge_count; e++) {
        scene->changed.edge[e] =
            scene->changed.vertex[scene->edges[e][0]] | scene->changed.vertex[scene->edges[e][1]];
    }
    for (int32_t f = 0; changed_only && f < scene->face_count; f++) {
        const int32_t *v = scene->faces[f];
        scene->changed.face[f] =
            scene->changed.vertex[v[0]] | scene->changed.vertex[v[1]] | scene->changed.vertex[v[2]];
    }
    *hit_count = 0;
    wf_status status = WF_OK;
    for (int kind = 0; kind < WF_PAIR_KINDS && status == WF_OK; kind++) {
        wf_sieve sieve = {.scene = scene, .kind = kind, .x = r->x0, .distance = r->separation,
                          .changed_only = changed_only, .test = hits, .user = r};
        status = wf_sieve_run(&sieve);
        size_t blocks = wf_block_count(scene->list[kind].count, WF_SIEVE_BLOCK);
        for (size_t b = 0; b < blocks && status == WF_OK; b++) {
            *hit_count += (int64_t)scene->block_start[b];
        }
    }
    memset(scene->changed.vertex, 0, (size_t)scene->vertex_count);
    scene->stats.continuous_seconds += wf_clock_seconds() - start;
    return status;
}

void wf_pair_closest_at(int kind, const wf_vec3 x0[4], const wf_vec3 x1[4], double time, double weight[4],
                        wf_vec3 *normal)
{
    wf_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = wf_vec3_lerp(wf_vec3_sub(x0[k], x0[0]), wf_vec3_sub(x1[k], x0[0]), time);
    }
    if (wf_is_edge_edge(kind)) {
        double s, t;
        wf_edge_edge_distance(x, &s, &t);
        weight[0] = 1 - s;
        weight[1] = s;
        weight[2] = t - 1;
        weight[3] = -t;
    } else {
        double face[3];
        wf_vertex_face_distance(x, face);
        weight[0] = 1;
        for (int k = 0; k < 3; k++) {
            weight[k + 1] = -face[k];
        }
    }
    wf_vec3 gap = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        gap = wf_vec3_muladds(gap, wf_vec3_sub(x[k], x[0]), weight[k]);
    }
    *normal = wf_vec3_normalize(gap);
}

int64_t wf_resolver_for_each_marked(wf_resolver *r, bool (*function)(wf_resolver *r, int kind, const wf_candidate *c))
{
    int64_t count = 0;
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        const wf_candidate_list *list = &r->scene->list[kind];
        for (size_t word = 0; word < wf_block_count(list->count, 64); word++) {
            for (uint64_t marks = list->marked[word]; marks != 0; marks &= marks - 1) {
                count += function(r, kind, &list->items[64 * word + (size_t)__builtin_ctzll(marks)]);
            }
        }
    }
    return count;
}
