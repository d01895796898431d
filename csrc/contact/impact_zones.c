/* impact_zones.c - see impact_zones.h.
 *
 * The multipliers of a zone are found by projected Gauss-Seidel sweeps, accelerated by nonlinear conjugate gradients
 * (Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems",
 * 2010): the change that a sweep makes is taken for the negative gradient.
 */
#include "contact/impact_zones.h"

#include <string.h>

#include "base/tasks.h"
#include "contact/mobility.h"
#include "mesh/union_find.h"

enum { MOST_SWEEPS = 200,
       SWEEPS_BETWEEN_WHOLE = 8 }; /* most rows do not push, and hardly ever begin to; all are looked at so often */

/* Of a distance that must be kept, what sweeps may leave undone. The fail-safe's own limit is a tenth below. */
#define DISTANCE_TOLERANCE 0.02

struct wf_impact_row {
    wf_impact impact;
    double mobility; /* 1/kg: sum of w^2 / m */
    double impulse;  /* kg m, never below 0: the multiplier */
    double change;   /* of the impulse in the last sweep */
    double search;   /* conjugate direction */
};

typedef struct solver {
    wf_impact_zones *zones;
    const double *inverse_mass;
    const wf_vec3 *x0;
    wf_vec3 *x1;
} solver;

wf_status wf_impact_zones_begin(wf_context *context, wf_impact_zones *zones, const wf_vec3 *x1, int32_t vertex_count)
{
    size_t vertices = (size_t)vertex_count;
    zones->count = zones->zone_count = 0;
    wf_status status = wf_reserve(context, &zones->given_up, &zones->given_up_capacity, vertices, 1);
    if (status == WF_OK) {
        status = wf_reserve(context, &zones->before, &zones->before_capacity, vertices, sizeof *zones->before);
    }
    if (status == WF_OK) {
        memset(zones->given_up, 0, vertices);
        memcpy(zones->before, x1, vertices * sizeof *x1);
    }
    return status;
}

wf_status wf_impact_zones_add(wf_context *context, wf_impact_zones *zones, const wf_impact *impact,
                              const double *inverse_mass)
{
    double of_vertex[4];
    for (int k = 0; k < 4; k++) {
        if (zones->given_up[impact->vertex[k]]) {
            return WF_OK;
        }
        of_vertex[k] = inverse_mass[impact->vertex[k]];
    }
    const double mobility = wf_pair_mobility(4, impact->weight, of_vertex);
    if (!(mobility > 0)) {
        return WF_OK;
    }
    wf_status status = wf_reserve(context, &zones->rows, &zones->capacity, zones->count + 1, sizeof *zones->rows);
    if (status == WF_OK) {
        zones->rows[zones->count++] = (wf_impact_row){.impact = *impact, .mobility = mobility};
    }
    return status;
}

void wf_impact_zones_free(wf_context *context, wf_impact_zones *zones)
{
    wf_free(context, zones->rows);
    wf_free(context, zones->parent);
    wf_free(context, zones->zone_of_root);
    wf_free(context, zones->order);
    wf_free(context, zones->pushing);
    wf_free(context, zones->start);
    wf_free(context, zones->before);
    wf_free(context, zones->given_up);
    *zones = (wf_impact_zones){0};
}

/* ---- zones ------------------------------------------------------------------------------------------------------- */

/* A vertex of the row that can be moved; there is one. */
static int32_t mobile_vertex(const wf_impact_row *row, const double *inverse_mass)
{
    int k = 0;
    while (!(inverse_mass[row->impact.vertex[k]] > 0)) {
        k++;
    }
    return row->impact.vertex[k];
}

/* Sorts the rows by zone, in the order in which they came; zones in that of their first rows. */
static void sort_rows(wf_impact_zones *zones, int32_t vertex_count, const double *inverse_mass)
{
    wf_union_find_reset(zones->parent, vertex_count);
    for (size_t r = 0; r < zones->count; r++) {
        int32_t first = mobile_vertex(&zones->rows[r], inverse_mass);
        for (int k = 0; k < 4; k++) {
            int32_t i = zones->rows[r].impact.vertex[k];
            if (inverse_mass[i] > 0) {
                wf_union_find_join(zones->parent, first, i);
            }
        }
    }
    for (int32_t i = 0; i < vertex_count; i++) {
        zones->zone_of_root[i] = -1;
    }
    zones->zone_count = 0;
    for (size_t r = 0; r < zones->count; r++) {
        int32_t root = wf_union_find_root(zones->parent, mobile_vertex(&zones->rows[r], inverse_mass));
        if (zones->zone_of_root[root] < 0) {
            zones->zone_of_root[root] = (int32_t)zones->zone_count;
            zones->start[zones->zone_count++] = 0;
        }
        zones->start[zones->zone_of_root[root]]++;
    }
    size_t sum = 0;
    for (size_t z = 0; z < zones->zone_count; z++) {
        size_t size = zones->start[z];
        zones->start[z] = sum;
        sum += size;
    }
    for (size_t r = 0; r < zones->count; r++) {
        int32_t root = wf_union_find_root(zones->parent, mobile_vertex(&zones->rows[r], inverse_mass));
        zones->order[zones->start[zones->zone_of_root[root]]++] = r;
    }
    for (size_t z = zones->zone_count; z > 0; z--) { /* each start is where its zone ends now */
        zones->start[z] = zones->start[z - 1];
    }
    zones->start[0] = 0;
}

/* ---- one zone ---------------------------------------------------------------------------------------------------- */

static double violation(const solver *s, const wf_impact_row *row)
{
    const wf_impact *impact = &row->impact;
    double gap = 0;
    for (int k = 0; k < 4; k++) {
        wf_vec3 way = wf_vec3_sub(s->x1[impact->vertex[k]], s->x1[impact->vertex[0]]);
        gap += impact->weight[k] * wf_vec3_dot(way, impact->normal);
    }
    return impact->rest - gap;
}

static void push(const solver *s, wf_impact_row *row, double impulse)
{
    const wf_impact *impact = &row->impact;
    for (int k = 0; k < 4; k++) {
        int32_t i = impact->vertex[k];
        double share = impact->weight[k] * s->inverse_mass[i];
        if (share != 0) { /* bodies are shared by zones, and stay */
            s->x1[i] = wf_vec3_muladds(s->x1[i], impact->normal, share * impulse);
        }
    }
    row->impulse += impulse;
}

/* Rows of one zone. */
typedef struct row_list {
    const size_t *rows;
    size_t count;
} row_list;

/* Returns the largest violation that it met, relative to the distance that is to be kept; *length2 is the square of the
 * change of the impulses, in the metric of their mobilities. */
static double sweep(const solver *s, const row_list *list, double *length2)
{
    double largest = 0;
    *length2 = 0;
    for (size_t k = 0; k < list->count; k++) {
        wf_impact_row *row = &s->zones->rows[list->rows[k]];
        double missing = violation(s, row);
        largest = fmax(largest, missing / row->impact.rest);
        row->change = fmax(missing / row->mobility, -row->impulse);
        push(s, row, row->change);
        *length2 += row->mobility * row->change * row->change;
    }
    return largest;
}

/* Goes on along the conjugate direction; beta 0 begins a new one. */
static void accelerate(const solver *s, const row_list *list, double beta)
{
    for (size_t k = 0; k < list->count; k++) {
        wf_impact_row *row = &s->zones->rows[list->rows[k]];
        double further = beta * row->search;
        row->search = further + row->change;
        if (further != 0) {
            push(s, row, fmax(further, -row->impulse));
        }
    }
}

/* The rows that push. Of those that do not, no direction is kept. */
static row_list gather_pushing(const solver *s, const row_list *all, size_t *pushing)
{
    size_t count = 0;
    for (size_t k = 0; k < all->count; k++) {
        wf_impact_row *row = &s->zones->rows[all->rows[k]];
        if (row->impulse > 0) {
            pushing[count++] = all->rows[k];
        } else {
            row->search = 0;
        }
    }
    return (row_list){pushing, count};
}

/* Whether the zone was pushed farther than it, or what hits it, moves in all. */
static bool goes_too_far(const solver *s, size_t begin, size_t end)
{
    double moved = 0, pushed = 0;
    for (size_t o = begin; o < end; o++) {
        const int32_t *vertex = s->zones->rows[s->zones->order[o]].impact.vertex;
        for (int k = 0; k < 4; k++) {
            wf_vec3 before = s->zones->before[vertex[k]];
            moved = fmax(moved, wf_vec3_norm2(wf_vec3_sub(before, s->x0[vertex[k]])));
            pushed = fmax(pushed, wf_vec3_norm2(wf_vec3_sub(s->x1[vertex[k]], before)));
        }
    }
    return pushed > moved;
}

/* Takes back all that was done to a zone. Bodies, which zones share, are never given up. */
static void give_up(const solver *s, size_t begin, size_t end)
{
    for (size_t o = begin; o < end; o++) {
        const int32_t *vertex = s->zones->rows[s->zones->order[o]].impact.vertex;
        for (int k = 0; k < 4; k++) {
            if (s->inverse_mass[vertex[k]] > 0) {
                s->x1[vertex[k]] = s->zones->before[vertex[k]];
                s->zones->given_up[vertex[k]] = 1;
            }
        }
    }
}

static void solve_zone(void *user, size_t zone, size_t first, size_t last)
{
    (void)first;
    (void)last;
    const solver *s = user;
    size_t begin = s->zones->start[zone], end = s->zones->start[zone + 1];
    const row_list all = {s->zones->order + begin, end - begin};
    row_list pushing = all;
    double before = 0;
    bool whole = true;
    for (int k = 0; k < MOST_SWEEPS; k++) {
        double length2;
        whole = whole || k % SWEEPS_BETWEEN_WHOLE == 0;
        bool kept = sweep(s, whole ? &all : &pushing, &length2) <= DISTANCE_TOLERANCE;
        if (kept && whole) {
            return;
        }
        if (whole) {
            pushing = gather_pushing(s, &all, s->zones->pushing + begin);
        }
        double beta = before > 0 && length2 <= before ? length2 / before : 0;
        accelerate(s, &pushing, beta);
        before = length2;
        whole = kept;
    }
    if (goes_too_far(s, begin, end)) {
        give_up(s, begin, end);
    }
}

/* Leaves out the rows of zones that were given up, and those that do not push: where vertices are comes of the others
 * alone, and a pair that would hit again is found again. */
static void drop_rows(wf_impact_zones *zones, const double *inverse_mass)
{
    size_t kept = 0;
    for (size_t r = 0; r < zones->count; r++) {
        const wf_impact_row *row = &zones->rows[r];
        if (row->impulse > 0 && !zones->given_up[mobile_vertex(row, inverse_mass)]) {
            zones->rows[kept++] = *row;
        }
    }
    zones->count = kept;
}

wf_status wf_impact_zones_solve(wf_context *context, wf_impact_zones *zones, int32_t vertex_count,
                                const double *inverse_mass, const wf_vec3 *x0, wf_vec3 *x1, uint8_t *changed)
{
    size_t vertices = (size_t)vertex_count;
    wf_status status = wf_reserve(context, &zones->parent, &zones->parent_capacity, vertices, sizeof *zones->parent);
    if (status == WF_OK) {
        status = wf_reserve(context, &zones->zone_of_root, &zones->root_capacity, vertices,
                            sizeof *zones->zone_of_root);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &zones->order, &zones->order_capacity, zones->count, sizeof *zones->order);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &zones->pushing, &zones->pushing_capacity, zones->count, sizeof *zones->pushing);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &zones->start, &zones->start_capacity, zones->count + 1, sizeof *zones->start);
    }
    if (status != WF_OK || zones->count == 0) {
        return status;
    }
    sort_rows(zones, vertex_count, inverse_mass);
    solver s = {zones, inverse_mass, x0, x1};
    wf_parallel_for(context, zones->zone_count, 1, solve_zone, &s);
    for (size_t r = 0; r < zones->count; r++) {
        for (int k = 0; k < 4; k++) {
            changed[zones->rows[r].impact.vertex[k]] = 1;
        }
    }
    drop_rows(zones, inverse_mass);
    return WF_OK;
}

wf_vec3 wf_impact_zones_impulse(const wf_impact_zones *zones, size_t index, const wf_impact **impact)
{
    *impact = &zones->rows[index].impact;
    return wf_vec3_scale((*impact)->normal, zones->rows[index].impulse);
}
