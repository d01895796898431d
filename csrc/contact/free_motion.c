/* free_motion.c - see free_motion.h. */
#include "contact/free_motion.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contact/bounds.h"
#include "contact/continuous.h"
#include "contact/distance.h"
#include "contact/sieve.h"

#define TOLERANCE 0.1 /* of an impact's time: a tenth of the gap is not worth the search for a hundredth */

enum { MOST_CUTS = 20 };

/* ---- offsets ----------------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const wf_tight_pair *p = a, *q = b;
    return p->key < q->key ? -1 : p->key > q->key;
}

wf_status wf_tight_pairs_gather(wf_context *context, wf_tight_pairs *tight, const wf_contact *contacts, int32_t count)
{
    tight->count = 0;
    for (int32_t c = 0; c < count; c++) {
        double offset = WF_KEPT_OF_START * contacts[c].distance;
        if (offset < WF_OFFSET_PART * contacts[c].thickness) {
            wf_status status = wf_reserve(context, &tight->pairs, &tight->capacity, tight->count + 1,
                                          sizeof *tight->pairs);
            if (status != WF_OK) {
                return status;
            }
            tight->pairs[tight->count++] = (wf_tight_pair){contacts[c].key, offset};
        }
    }
    if (tight->count > 1) {
        qsort(tight->pairs, tight->count, sizeof *tight->pairs, compare_keys);
    }
    return WF_OK;
}

bool wf_has_no_gap(const wf_vec3 x[4], double distance)
{
    double size = 1;
    for (int k = 0; k < 4; k++) {
        size = fmax(size, fmax(fabs(x[k].x), fmax(fabs(x[k].y), fabs(x[k].z))));
    }
    return !(distance > WF_NO_GAP * size);
}

double wf_pair_offset(const wf_tight_pairs *tight, uint64_t key, double thickness)
{
    if (tight->count > 0) {
        const wf_tight_pair wanted = {.key = key};
        const wf_tight_pair *found = bsearch(&wanted, tight->pairs, tight->count, sizeof wanted, compare_keys);
        if (found) {
            return found->offset;
        }
    }
    return WF_OFFSET_PART * thickness;
}

/* ---- the fraction ------------------------------------------------------------------------------------------------ */

typedef struct motion {
    wf_contact_scene *scene;
    const wf_vec3 *x0, *x1;
    const wf_tight_pairs *tight;
    atomic_uint_least64_t earliest; /* bits of a double >= 0, which order like it */
} motion;

static void take_earliest(motion *m, double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    uint_least64_t known = atomic_load_explicit(&m->earliest, memory_order_relaxed);
    while (bits < known && !atomic_compare_exchange_weak_explicit(&m->earliest, &known, bits, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}

static bool meets(const void *user, int kind, const wf_candidate *c, float bound)
{
    motion *m = *(motion *const *)user;
    const wf_contact_scene *scene = m->scene;
    int32_t vertex[4];
    wf_vec3 x0[4], x1[4];
    if (wf_pair_passes(scene, kind, c->first, c->second)) {
        return false;
    }
    wf_pair_vertices(scene, kind, c->first, c->second, vertex);
    wf_gather(m->x0, vertex, x0);
    wf_gather(m->x1, vertex, x1);
    if (memcmp(x0, x1, sizeof x0) == 0) {
        return false;
    }
    bool edges = wf_is_edge_edge(kind);
    double weights[3], s, t, time;
    double distance = edges ? wf_edge_edge_distance(x0, &s, &t) : wf_vertex_face_distance(x0, weights);
    if (wf_has_no_gap(x0, distance)) { /* it has nothing to keep, and would hold all else */
        return false;
    }
    double thickness = wf_pair_thickness(scene, kind, c->first, c->second);
    double offset = wf_pair_offset(m->tight, wf_pair_key(kind, c), thickness);
    wf_impact_params params = {.separation = offset + WF_KEPT_OF_GAP * fmax(fmin(distance, thickness) - offset, 0),
                               .kept_part = 1,
                               .tolerance = TOLERANCE};
    if (wf_stay_apart(edges, bound, params.separation, x0, x1)) {
        return false;
    }
    bool met = edges ? wf_edge_edge_impact(x0, x1, &params, &time) : wf_vertex_face_impact(x0, x1, &params, &time);
    if (met) {
        take_earliest(m, time);
    }
    return met;
}

static double largest_half(const wf_contact_scene *scene)
{
    double largest = 0;
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        largest = fmax(largest, scene->half_thickness[i]);
    }
    return largest;
}

/* Cuts the motion until the list can hold what it sweeps over. */
static wf_status cover(wf_contact_scene *scene, const wf_vec3 *x0, wf_vec3 *x1, double *part)
{
    *part = 1;
    scene->cover.by_balls = true;
    for (int cut = 0;; cut++) {
        bool too_many;
        wf_status status = wf_contact_cover(scene, x0, x1, 0, &too_many);
        if (status != WF_OK || !too_many) {
            return status;
        }
        if (cut == MOST_CUTS) {
            return wf_contact_fail_for_thickness(scene, x0, 0);
        }
        *part *= 0.25;
        for (int32_t i = 0; i < scene->vertex_count; i++) {
            x1[i] = wf_vec3_lerp(x0[i], x1[i], 0.25);
        }
    }
}

wf_status wf_contact_free_fraction(wf_contact_scene *scene, const wf_vec3 *x0, wf_vec3 *x1,
                                   const wf_tight_pairs *tight, double *fraction)
{
    double start = wf_clock_seconds(), part;
    wf_status status = wf_contact_check_updated(scene, "free fraction");
    status = status == WF_OK ? cover(scene, x0, x1, &part) : status;
    if (status != WF_OK) {
        return status;
    }
    double covered = wf_clock_seconds();
    scene->stats.broad_seconds += covered - start;
    wf_measure_reach(scene, x0, x1, &scene->reach);
    wf_measure_motion(scene, x0, x1, &scene->near);
    motion m = {.scene = scene, .x0 = x0, .x1 = x1, .tight = tight};
    motion *address = &m; /* the sieve's user is constant, the earliest time is not */
    atomic_init(&m.earliest, UINT64_MAX);
    double largest_separation = (WF_OFFSET_PART + WF_KEPT_OF_GAP) * 2 * largest_half(scene);
    for (int kind = 0; kind < WF_PAIR_KINDS && status == WF_OK; kind++) {
        wf_sieve sieve = {.scene = scene, .kind = kind, .x = x0, .distance = largest_separation, .test = meets,
                          .user = &address};
        status = wf_sieve_run(&sieve);
    }
    double time = 1;
    uint64_t bits = atomic_load(&m.earliest);
    if (bits != UINT64_MAX) {
        memcpy(&time, &bits, sizeof time);
    }
    *fraction = part * time;
    scene->stats.continuous_seconds += wf_clock_seconds() - covered;
    return status;
}
