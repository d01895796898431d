/* impact_zones.h - pairs that hit together are kept apart together.
 *
 * Where many layers meet, an impulse that parts one pair drives its vertices into the next, and taking pairs one after
 * the other does not end. Pairs that share vertices form a zone (Provot 1997; Bridson, Fedkiw, Anderson 2002). A zone
 * is not made rigid, which would freeze its sliding: as Harmon, Vouga, Tamstorf, Grinspun ("Robust treatment of
 * simultaneous collisions", 2008) its vertices go to the nearest place, in the metric of their masses, in which every
 * pair keeps its distance,
 *
 *     minimise 1/2 sum m_i |x_i - x1_i|^2   subject to   sum_k w_k n . x_k >= rest   for each impact,
 *
 * here with inequalities, so that nothing is held that parts by itself. The multipliers are impulses of the pairs along
 * their normals: they conserve linear momentum and, about the place of impact, angular momentum; and as the start of
 * the step keeps all distances, kinetic energy does not grow.
 */
#ifndef WEFT_CONTACT_IMPACT_ZONES_H
#define WEFT_CONTACT_IMPACT_ZONES_H

#include "base/context.h"
#include "base/vector.h"

/* What a pair that would hit must keep at the end of the step. */
typedef struct wf_impact {
    int32_t vertex[4];
    double weight[4]; /* sum 0 */
    wf_vec3 normal;   /* unit, at the time of impact */
    double rest;      /* m, above 0 */
} wf_impact;

typedef struct wf_impact_row wf_impact_row;

/* Impacts of one motion, gathered until it is free of them. All zero to begin with. */
typedef struct wf_impact_zones {
    wf_impact_row *rows;
    size_t count, capacity;
    int32_t *parent;        /* of vertices, in their disjoint sets */
    size_t parent_capacity;
    int32_t *zone_of_root;
    size_t root_capacity;
    size_t *order, *start;  /* rows by zone; where each zone begins */
    size_t order_capacity, start_capacity;
    size_t *pushing;        /* of each zone, from where it begins: its rows with impulses */
    size_t pushing_capacity;
    size_t zone_count;
    wf_vec3 *before;        /* positions at the beginning */
    size_t before_capacity;
    uint8_t *given_up;      /* of vertices: in a zone that cannot be parted */
    size_t given_up_capacity;
} wf_impact_zones;

wf_status wf_impact_zones_begin(wf_context *context, wf_impact_zones *zones, const wf_vec3 *x1, int32_t vertex_count);

/* Impacts that nothing can push (no vertex has an inverse mass) are left out, and those of vertices that were given
 * up. */
wf_status wf_impact_zones_add(wf_context *context, wf_impact_zones *zones, const wf_impact *impact,
                              const double *inverse_mass);

/* Moves x1 on to where all impacts that were added keep their distances, as nearly as a bounded number of sweeps gets.
 * As the start x0 keeps them while bodies rest, that place is no farther than the motion. A zone that goes farther and
 * does not get there, such as cloth that bodies pinch, goes back to where it was and is given up. changed[vertex_count]
 * becomes 1 where it may have moved. Zones are worked on in parallel; each, in the order of its impacts, by one
 * thread. */
wf_status wf_impact_zones_solve(wf_context *context, wf_impact_zones *zones, int32_t vertex_count,
                                const double *inverse_mass, const wf_vec3 *x0, wf_vec3 *x1, uint8_t *changed);

/* Of an impact that is still there after a solve: the impulse on its first primitive, times the step, kg m. */
wf_vec3 wf_impact_zones_impulse(const wf_impact_zones *zones, size_t index, const wf_impact **impact);

void wf_impact_zones_free(wf_context *context, wf_impact_zones *zones);

#endif
