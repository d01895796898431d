/* bounds.h - lower bounds of many pairs' distances at once, in single precision.
 *
 * The broad and narrow phases look at far more pairs than are near; these loops dismiss the others at a few nanoseconds
 * each. A bound lies below the true distance by at most some thousandths of the pair's extent.
 */
#ifndef WEFT_CONTACT_BOUNDS_H
#define WEFT_CONTACT_BOUNDS_H

#include "base/vector.h"

enum { WF_LANES = 64 };

/* Three vectors of each of up to WF_LANES pairs, by component:
 * vertex-face: the face's corners minus the vertex; edge-edge: the first edge, the second edge, and the start of the
 * first minus the start of the second. */
typedef struct wf_pair_lanes {
    float a[3][WF_LANES], b[3][WF_LANES], c[3][WF_LANES];
} wf_pair_lanes;

static inline void wf_lanes_set(float component[3][WF_LANES], int lane, wf_vec3 v)
{
    component[0][lane] = (float)v.x;
    component[1][lane] = (float)v.y;
    component[2][lane] = (float)v.z;
}

static inline void wf_lanes_set_vertex_face(wf_pair_lanes *lanes, int lane, const wf_vec3 x[4])
{
    wf_lanes_set(lanes->a, lane, wf_vec3_sub(x[1], x[0]));
    wf_lanes_set(lanes->b, lane, wf_vec3_sub(x[2], x[0]));
    wf_lanes_set(lanes->c, lane, wf_vec3_sub(x[3], x[0]));
}

static inline void wf_lanes_set_edge_edge(wf_pair_lanes *lanes, int lane, const wf_vec3 x[4])
{
    wf_lanes_set(lanes->a, lane, wf_vec3_sub(x[1], x[0]));
    wf_lanes_set(lanes->b, lane, wf_vec3_sub(x[3], x[2]));
    wf_lanes_set(lanes->c, lane, wf_vec3_sub(x[0], x[2]));
}

/* Bounds (m, >= 0) of the first `count` lanes; 0 for pairs of less extent than 10 µm or more than 10^6 m. */
void wf_vertex_face_bounds(const wf_pair_lanes *lanes, int count, float bound[WF_LANES]);
void wf_edge_edge_bounds(const wf_pair_lanes *lanes, int count, float bound[WF_LANES]);
/* The same for edges that count only where their closest points lie inside of both, and where sin² of their angle is
 * above least_sine2 (from 1e-5 on): INFINITY for those that by wf_edge_edge_distance and wf_edge_edge_sine2 surely do
 * not. */
void wf_inner_edges_bounds(const wf_pair_lanes *lanes, int count, double least_sine2, float bound[WF_LANES]);

/* How much nearer (m) the primitives can come on the way, at most: a point of each moves by a mean of its vertices'
 * displacements, and two of them differ by a mean of the differences between the vertices of one and of the other. */
static inline double wf_largest_approach(bool edges, const wf_vec3 x0[4], const wf_vec3 x1[4])
{
    wf_vec3 way[4];
    for (int k = 0; k < 4; k++) {
        way[k] = wf_vec3_sub(x1[k], x0[k]);
    }
    int first = edges ? 2 : 1;
    double largest2 = 0;
    for (int i = 0; i < first; i++) {
        for (int j = first; j < 4; j++) {
            double way2 = wf_vec3_norm2(wf_vec3_sub(way[i], way[j]));
            largest2 = way2 > largest2 ? way2 : largest2;
        }
    }
    return sqrt(largest2);
}

/* Whether a pair at least `bound` (m) apart at x0 keeps `separation` (m) all the way to x1, as far as its motion tells:
 * layers that go the same way do, however fast. */
static inline bool wf_stay_apart(bool edges, double bound, double separation, const wf_vec3 x0[4], const wf_vec3 x1[4])
{
    return bound > (wf_largest_approach(edges, x0, x1) + separation) * (1 + 1e-6);
}

#endif
