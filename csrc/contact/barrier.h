/* barrier.h - the potential that keeps a pair apart, and that of its friction.
 *
 * Incremental potential contact (Li et al., "Incremental Potential Contact", ACM Transactions on Graphics 39(4), 2020)
 * with thickness (Li, Kaufman, Jiang, "Codimensional Incremental Potential Contact", 2021): the gap g of a pair is its
 * distance less an offset that nothing may enter. With the range r and s = g / r,
 *
 *     E = stiffness r^2 m(c) B(s),     B(s) = -(1 - s)^2 ln s for s < 1, 0 beyond
 *
 * which has two continuous derivatives and is infinite where the gap closes. Distances enter as they are, not squared:
 * the force on a pair is then stiffness r |B'(s)|, and near the offset stiffness r / s, whatever the offset is.
 *
 * The distance has one derivative where the closest points are unique, a vertex and a face or two edges that cross, and
 * so does E. Edges that become parallel lose that; for them the mollifier m(c) = y (2 - y), y = c / threshold < 1, of
 * c = |u x v|^2, u and v the edges, fades the pair out. Its ends, which meet the other edge's faces, go on pushing.
 *
 * The Hessian's stand-in is semidefinite: stiffness m B'' times the outer product of the distance's gradient, and for
 * nearly parallel edges stiffness r^2 B m' times the Gauss-Newton part of c. What it leaves out of a pair that is not
 * nearly parallel, B' times the distance's own curvature, is smaller than B'' by the ratio of gap to edge.
 */
#ifndef WEFT_CONTACT_BARRIER_H
#define WEFT_CONTACT_BARRIER_H

#include "base/vector.h"

/* What of a pair stays the same while its points move. */
typedef struct wf_barrier_law {
    double offset;    /* m, >= 0 */
    double range;     /* m, > 0: of the gap in which the pair pushes */
    double stiffness; /* N/m, >= 0 */
    double parallel;  /* m^4: the mollifier's threshold of |u x v|^2; 0: no pair of edges, or one that always crosses */
} wf_barrier_law;

/* A pair at one moment: its closest points, as in wf_contact. */
typedef struct wf_pair_distance {
    double distance;  /* m */
    double weight[4]; /* d distance / d x_k = weight_k normal; sum 0 */
    wf_vec3 normal;   /* unit, from the second primitive to the first; any where they touch */
} wf_pair_distance;

wf_pair_distance wf_vertex_face_closest(const wf_vec3 x[4]);
wf_pair_distance wf_edge_edge_closest(const wf_vec3 x[4]);

/* 1e-3 |u|^2 |v|^2 for the edges of a pair at rest or at the start of a step: Li et al. (2020), section 6 */
double wf_parallel_threshold(const wf_vec3 x[4]);

/* E and its derivatives. The semidefinite Hessian's blocks are
 *     along weight_i weight_j n n^T + turn J_i^T J_j,     J_0 = [v], J_1 = -[v], J_2 = -[u], J_3 = [u]. */
typedef struct wf_barrier_terms {
    double energy; /* J; infinite where the gap is not positive */
    double push;   /* N, >= 0: force along the normal on the first primitive */
    double along;  /* N/m */
    double turn;   /* N/m^3, 0 unless edges are nearly parallel: d E / d x_k is turn J_k^T (u x v) - push weight_k n */
    wf_vec3 u, v;  /* the edges, where turn is not 0 */
} wf_barrier_terms;

/* x is needed only of pairs with law->parallel > 0. */
wf_barrier_terms wf_barrier_terms_of(const wf_barrier_law *law, const wf_pair_distance *at, const wf_vec3 x[4]);

wf_vec3 wf_barrier_force(const wf_barrier_terms *terms, const wf_pair_distance *at, int k); /* on point k */
wf_mat3 wf_barrier_block(const wf_barrier_terms *terms, const wf_pair_distance *at, int i, int j);

/* Friction, smoothed (ibid., section 5.3): a pair pressed with the normal force N that has slid by u within the step
 * has the potential mu N F(|u|), F quadratic to cubic below `stick` (m) and |u| beyond. This is F'(slide) / slide, 1/m:
 * the force is -mu N secant u. It falls with the slide, so that mu N secant (I - n n^T) bounds the Hessian from
 * above: with it each step of Newton's method lowers the potential (Kacanov's iteration). */
double wf_friction_secant(double slide, double stick);
double wf_friction_tangent(double slide, double stick); /* F'', 1/m: the Hessian's part along u; 0 beyond sticking */
double wf_friction_potential(double slide, double stick); /* F, m */

#endif
