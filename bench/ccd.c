/* ccd.c - queries for continuous detection, what it answers, and what the exact judge says: for bench/ccd.lua and
 * spec/contact/continuous_spec.lua. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "contact/bounds.h"
#include "contact/continuous.h"
#include "exact_contact.h"
#include "quick_contact.h"

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

typedef struct ccd_query {
    double x0[4][3], x1[4][3], separation;
} ccd_query;

typedef struct ccd_verdict {
    int64_t contacts;      /* by the judge */
    int64_t misses;        /* contacts that were not found */
    int64_t dropped;       /* contacts of which the sieve's bound says that they need no detection */
    int64_t late;          /* found, but at a time after they had begun */
    int64_t false_alarms;  /* found, but there is none */
    int64_t wide_alarms;   /* of these, pairs that do not come near either */
    int64_t near_at_start; /* within the separation from the start: a contact is to come nearer than that */
    int64_t doubtful;      /* decided in exact arithmetic */
} ccd_verdict;

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static int pick(uint64_t *state, int count)
{
    return (int)(next_random(state) >> 33) % count;
}

/* One of 1e-3, 1e-4 ... 1e-17, or 0. */
static double tiny(uint64_t *state)
{
    int digits = 3 + pick(state, 16);
    return digits == 18 ? 0 : pow(10, -digits);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

static void random_points(double x[4][3], uint64_t *state)
{
    for (int k = 0; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            x[k][axis] = 2 * uniform(state) - 1;
        }
    }
}

/* Small integers: touching, parallel, coplanar, resting and degenerate pairs of all sorts are many among them. */
static void lattice_points(double x[4][3], uint64_t *state)
{
    for (int k = 0; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            x[k][axis] = pick(state, 4) - 1;
        }
    }
}

/* Makes the last point nearly one of the line through the two before it, or the last edge nearly parallel. */
static void flatten_pair(exact_pair kind, double x[4][3], double place, double offset, uint64_t *state)
{
    for (int axis = 0; axis < 3; axis++) {
        double noise = offset * (2 * uniform(state) - 1);
        x[3][axis] = kind == EXACT_VERTEX_FACE ? x[1][axis] + place * (x[2][axis] - x[1][axis]) + noise
                                               : x[2][axis] + place * (x[1][axis] - x[0][axis]) + noise;
    }
}

/* Weights of two points that are to meet, the second's negative; on a border in one of two cases. */
static void meeting_weights(exact_pair kind, double weight[4], uint64_t *state)
{
    double a = uniform(state), b = uniform(state);
    if (pick(state, 2) == 0) {
        a = pick(state, 2);
    }
    if (kind == EXACT_VERTEX_FACE) {
        b *= 1 - a;
        weight[0] = 1;
        weight[1] = -a;
        weight[2] = -b;
        weight[3] = a + b - 1;
    } else {
        weight[0] = 1 - a;
        weight[1] = a;
        weight[2] = b - 1;
        weight[3] = -b;
    }
}

/* Moves the points at one end so that those of these weights are `offset` apart at `time`. */
static void let_meet(ccd_query *q, const double weight[4], double time, double offset)
{
    double norm2 = 0;
    for (int k = 0; k < 4; k++) {
        norm2 += weight[k] * weight[k];
    }
    double(*moved)[3] = time < 0.5 ? q->x0 : q->x1, part = time < 0.5 ? 1 - time : time;
    for (int axis = 0; axis < 3; axis++) {
        double gap = -offset;
        for (int k = 0; k < 4; k++) {
            gap += weight[k] * (q->x0[k][axis] + (q->x1[k][axis] - q->x0[k][axis]) * time);
        }
        for (int k = 0; k < 4; k++) {
            moved[k][axis] -= gap * weight[k] / (norm2 * part);
        }
    }
}

/* Any turn, size and place. */
static void transform(ccd_query *q, uint64_t *state)
{
    static const int exponents[] = {0, 0, 0, -30, 30, -300, 300};
    static const double distances[] = {0, 0, 1, 1e3, 1e6};
    double size = ldexp(1, exponents[pick(state, 7)]), distance = distances[pick(state, 5)];
    double angle = pick(state, 2) ? 6 * uniform(state) : 0, c = cos(angle), s = sin(angle);
    int first = pick(state, 3), second = (first + 1) % 3;
    double shift[3] = {uniform(state), uniform(state), uniform(state)};
    for (int k = 0; k < 8; k++) {
        double *x = k < 4 ? q->x0[k] : q->x1[k - 4];
        double a = x[first], b = x[second];
        x[first] = c * a - s * b;
        x[second] = s * a + c * b;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = size * (x[axis] + distance * shift[axis]);
        }
    }
}

static void make_adversarial(ccd_query *q, exact_pair kind, uint64_t *state)
{
    int family = pick(state, 8);
    double offset = pick(state, 2) ? tiny(state) : 0, time = uniform(state), weight[4];
    if (family == 0) {
        lattice_points(q->x0, state);
        lattice_points(q->x1, state);
        transform(q, state);
        return;
    }
    random_points(q->x0, state);
    random_points(q->x1, state);
    meeting_weights(kind, weight, state);
    if (family == 1 || family == 2) { /* nearly parallel edges, slivers; while they move alike, or at one end only */
        double place = 2 * uniform(state) - 0.5, flat = tiny(state);
        flatten_pair(kind, q->x0, place, flat, state);
        if (family == 1) {
            flatten_pair(kind, q->x1, place, flat, state);
        }
    } else if (family == 3) { /* nearly in one plane */
        double thickness = tiny(state);
        for (int k = 0; k < 4; k++) {
            q->x0[k][2] *= thickness;
            q->x1[k][2] *= thickness;
        }
    } else if (family == 4) { /* touching at the start, nearly */
        time = 0;
    } else if (family == 5) { /* at rest, nearly, or in common motion */
        double motion = tiny(state), common = pick(state, 2);
        for (int k = 0; k < 12; k++) {
            double *end = &q->x1[k / 3][k % 3];
            *end = q->x0[k / 3][k % 3] + motion * *end + common * (k % 3 + 0.5);
        }
        time = 0;
    } else if (family == 6) { /* two points become one, an edge has no length */
        int a = pick(state, 3) + 1, b = pick(state, 3) + 1;
        memcpy(q->x0[a], q->x0[b], sizeof q->x0[a]);
        if (pick(state, 2)) {
            memcpy(q->x1[a], q->x1[b], sizeof q->x1[a]);
        }
    } else { /* sizes that differ by many orders */
        for (int k = 0; k < 4; k++) {
            double size = pick(state, 2) ? tiny(state) : 1;
            for (int axis = 0; axis < 3; axis++) {
                q->x0[k][axis] *= size;
                q->x1[k][axis] *= size;
            }
        }
    }
    let_meet(q, weight, time, offset);
    transform(q, state);
}

/* As a step of cloth asks them: edges of a centimetre, gaps up to 5 mm, motions of some tenths of a millimetre. */
static void make_cloth(ccd_query *q, exact_pair kind, uint64_t *state)
{
    double weight[4];
    random_points(q->x0, state);
    random_points(q->x1, state);
    meeting_weights(kind, weight, state);
    for (int k = 0; k < 12; k++) {
        double *start = &q->x0[k / 3][k % 3], *end = &q->x1[k / 3][k % 3];
        *start *= 0.01;
        *end = *start + 5e-4 * *end;
    }
    let_meet(q, weight, 0, 0.003 * uniform(state));
}

static void make_random(ccd_query *q, exact_pair kind, uint64_t *state)
{
    (void)kind;
    random_points(q->x0, state);
    random_points(q->x1, state);
}

/* The largest difference of coordinates within the pair. */
static double size_of(const ccd_query *q)
{
    double size = 0;
    for (int end = 0; end < 2; end++) {
        const double(*x)[3] = end ? q->x1 : q->x0;
        for (int k = 0; k < 12; k++) {
            size = fmax(size, fabs(x[k / 3][k % 3] - x[0][k % 3]));
        }
    }
    return size;
}

/* Of a family: 0 random points at both ends, 1 pairs of cloth, 2 adversarial; with a separation that is a fraction of
 * each pair's size. The seed must be an integer. */
PUBLIC void bench_ccd_make(int family, int kind, double seed, double fraction, int count, ccd_query *queries)
{
    static void (*const make[])(ccd_query *q, exact_pair kind, uint64_t *state) = {make_random, make_cloth,
                                                                                  make_adversarial};
    uint64_t state = (uint64_t)seed;
    for (int i = 0; i < count; i++) {
        make[family](&queries[i], (exact_pair)kind, &state);
        queries[i].separation = fraction * size_of(&queries[i]);
    }
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* times[i] is the time of impact, or -1 for none. Returns the seconds it took. A pair that starts within its separation
 * is to come no nearer. */
PUBLIC double bench_ccd_detect(int kind, const ccd_query *queries, int count, double *times)
{
    wf_impact_params params = wf_default_impact_params();
    params.kept_part = 1;
    double start = wf_clock_seconds();
    for (int i = 0; i < count; i++) {
        wf_vec3 x0[4], x1[4];
        double time;
        memcpy(x0, queries[i].x0, sizeof x0);
        memcpy(x1, queries[i].x1, sizeof x1);
        params.separation = queries[i].separation;
        bool found = kind == EXACT_EDGE_EDGE ? wf_edge_edge_impact(x0, x1, &params, &time)
                                             : wf_vertex_face_impact(x0, x1, &params, &time);
        times[i] = found ? time : -1;
    }
    return wf_clock_seconds() - start;
}

/* Whether the pair comes within the separation at a time up to `until`. */
static bool has_contact(exact_pair kind, const ccd_query *q, double separation, double until, int64_t *doubtful)
{
    const double(*x0)[3] = (const double(*)[3])q->x0, (*x1)[3] = (const double(*)[3])q->x1;
    quick_verdict quick = quick_contact(kind, x0, x1, separation, until);
    if (quick != DOUBTFUL) {
        return quick == TOUCHING;
    }
    ++*doubtful;
    return exact_contact(kind, x0, x1, separation, until);
}

/* The same for the query's own separation, always in exact arithmetic. */
PUBLIC bool bench_ccd_exact(int kind, const ccd_query *q, double until)
{
    return exact_contact((exact_pair)kind, (const double(*)[3])q->x0, (const double(*)[3])q->x1, q->separation, until);
}

/* What the quick part of the judge says of it: 0 no contact, 1 contact, 2 that it does not know. */
PUBLIC int bench_ccd_quick(int kind, const ccd_query *q, double until)
{
    return quick_contact((exact_pair)kind, (const double(*)[3])q->x0, (const double(*)[3])q->x1, q->separation, until);
}

static float largest_motion(const ccd_query *q, int first, int last)
{
    double largest = 0;
    for (int k = first; k <= last; k++) {
        largest = fmax(largest, hypot(hypot(q->x1[k][0] - q->x0[k][0], q->x1[k][1] - q->x0[k][1]),
                                      q->x1[k][2] - q->x0[k][2]));
    }
    return (float)largest * (1 + FLT_EPSILON);
}

/* What a pass over the list of candidates does before it asks for detection: whether a bound of the distance at the
 * start, in single precision, is above the motion of both primitives and the separation (contact/sieve.c), or above
 * what one moves against the other (contact/resolver.c). */
static void sieve(exact_pair kind, const ccd_query *queries, int count, bool dropped[WF_LANES])
{
    wf_pair_lanes lanes;
    float bound[WF_LANES];
    wf_vec3 x0[4], x1[4];
    for (int i = 0; i < count; i++) {
        memcpy(x0, queries[i].x0, sizeof x0);
        if (kind == EXACT_VERTEX_FACE) {
            wf_lanes_set_vertex_face(&lanes, i, x0);
        } else {
            wf_lanes_set_edge_edge(&lanes, i, x0);
        }
    }
    if (kind == EXACT_VERTEX_FACE) {
        wf_vertex_face_bounds(&lanes, count, bound);
    } else {
        wf_edge_edge_bounds(&lanes, count, bound);
    }
    int last_of_first = kind == EXACT_VERTEX_FACE ? 0 : 1;
    for (int i = 0; i < count; i++) {
        const ccd_query *q = &queries[i];
        float motion = largest_motion(q, 0, last_of_first) + largest_motion(q, last_of_first + 1, 3);
        memcpy(x0, q->x0, sizeof x0);
        memcpy(x1, q->x1, sizeof x1);
        dropped[i] = !(bound[i] <= (motion + (float)q->separation) * (1 + 8 * FLT_EPSILON)) ||
                     wf_stay_apart(kind == EXACT_EDGE_EDGE, bound[i], q->separation, x0, x1);
    }
}

/* What a pair that starts nearer than its separation must keep at least: its first distance, but for the rounding of
 * that. Where the distance in doubles has no digits left, proofs bring it down. */
static double first_separation(exact_pair kind, const ccd_query *q, int64_t *doubtful)
{
    double distance = 0.999 * quick_distance(kind, (const double(*)[3])q->x0), rounding = 1e-14 * size_of(q);
    while (distance > rounding && has_contact(kind, q, distance, 0, doubtful)) {
        distance *= 0.5;
    }
    return fmax(0, distance - rounding);
}

static void judge(exact_pair kind, const ccd_query *q, double time, bool dropped, ccd_verdict *verdict)
{
    double separation = q->separation;
    bool found = time >= 0, contact = has_contact(kind, q, separation, 1, &verdict->doubtful);
    bool starts_near = contact && separation > 0 && has_contact(kind, q, separation, 0, &verdict->doubtful);
    if (starts_near) {
        separation = first_separation(kind, q, &verdict->doubtful);
        contact = has_contact(kind, q, separation, 1, &verdict->doubtful);
    }
    verdict->near_at_start += starts_near;
    verdict->contacts += contact;
    verdict->misses += contact && !found;
    verdict->dropped += contact && dropped;
    verdict->late += contact && time > 0 && has_contact(kind, q, separation, time, &verdict->doubtful);
    if (found && !contact && !starts_near) {
        /* A wide one is not for a lack of digits, nor within the tolerance. */
        double near = 1e-12 * size_of(q) + 1.06 * separation;
        verdict->false_alarms++;
        verdict->wide_alarms += !has_contact(kind, q, near, 1, &verdict->doubtful);
    }
}

/* Adds the judgement of these answers. */
PUBLIC void bench_ccd_judge(int kind, const ccd_query *queries, int count, const double *times, ccd_verdict *verdict)
{
    for (int first = 0; first < count; first += WF_LANES) {
        bool dropped[WF_LANES];
        int lanes = count - first < WF_LANES ? count - first : WF_LANES;
        sieve((exact_pair)kind, queries + first, lanes, dropped);
        for (int i = 0; i < lanes; i++) {
            judge((exact_pair)kind, &queries[first + i], times[first + i], dropped[i], verdict);
        }
    }
}
