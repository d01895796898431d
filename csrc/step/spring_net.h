/* spring_net.h - a net of masses and springs as a system for time integrators.
 *
 * The cloth of Provot (1995), of Desbrun, Schroeder and Barr (1999) and of Kang (2003): masses at the vertices of any
 * graph, a spring on each edge, f_i = k (L - l0) u with d = x_j - x_i, L = |d|, u = d / L (Kang 2003, eq. 3.2), weight,
 * and damping that is linear in the velocities:
 *
 *     absolute    f_i = -c v_i                         [kg/s]   slows everything (eq. 4.12)
 *     relative    f_i = -c sum_j (v_i - v_j)           [kg/s]   slows rotation too (eq. 4.15)
 *     projected   f_i = -c sum_j ((v_i - v_j) . u) u   [kg/s]   leaves rigid motion alone
 *
 * The linearised operator is kept as six numbers an edge. Its products are sums of differences,
 * (A v)_i = (m_i + b c) v_i + sum_j A_ij (v_i - v_j), gathered vertex by vertex: the same bits for any number of
 * threads, and exactly m v where neighbours move alike. Both of Kang's corrected damping blocks, the diagonal
 * W_i + n_i h c and J + (c / h) I off it, come from this one sum.
 *
 * A net is a test bed: stiffness depends on how the cloth is cut into edges, and nothing bends. Garments use the models
 * of csrc/model.
 */
#ifndef WEFT_STEP_SPRING_NET_H
#define WEFT_STEP_SPRING_NET_H

#include "base/vector.h"
#include "model/pattern.h"
#include "step/system.h"

typedef struct wf_spring_net wf_spring_net;

typedef struct wf_spring_net_def {
    int32_t vertex_count, edge_count;
    const int32_t (*edges)[2];  /* [edge_count] two different vertices each */
    const double *rest_lengths; /* [edge_count] m, >= 0 */
    const double *stiffness;    /* [edge_count] N/m, >= 0 */
    const double *masses;       /* [vertex_count] kg, > 0 */
    int32_t pin_count;
    const int32_t *pins;        /* vertices that move at the constant velocity they start a step with */
    wf_vec3 gravity;            /* m/s^2, default {0, -9.81, 0} */
    double absolute_damping, relative_damping, projected_damping; /* kg/s, default 0 */
    wf_linearisation derivative; /* what integrators get that ask for the semidefinite one; default that */
    double tolerance;           /* relative residual of a solve that names none, default 1e-10 */
    double largest_elongation;  /* limit of L/l0 - 1 imposed after each step (provot.h); < 0, the default: none */
    int32_t limit_sweeps;       /* at most, default 50 */
} wf_spring_net_def;

wf_spring_net_def wf_default_spring_net_def(void);

/* WF_ERROR_ARGUMENT names the first edge, mass or number that is not as above. */
wf_status wf_spring_net_create(wf_context *context, const wf_spring_net_def *def, wf_spring_net **net);
/* NULL is allowed. */
void wf_spring_net_destroy(wf_spring_net *net);

/* The net for an integrator; valid as long as the net. Its stiff forces are springs and damping, its others the weight.
 * It is not to be used by two integrators at the same moment: `linearise` and `solve` share its memory. */
const wf_system *wf_spring_net_system(const wf_spring_net *net);

int32_t wf_spring_net_vertex_count(const wf_spring_net *net);
int32_t wf_spring_net_edge_count(const wf_spring_net *net);
const int32_t (*wf_spring_net_edges(const wf_spring_net *net))[2];
const double *wf_spring_net_rest_lengths(const wf_spring_net *net);
const double *wf_spring_net_stiffness(const wf_spring_net *net);
const double *wf_spring_net_masses(const wf_spring_net *net);

/* The 3 x 3 entry (row, column) of the operator that `linearise` formed last; for tests. */
wf_mat3 wf_spring_net_entry(const wf_spring_net *net, int32_t row, int32_t column);

/* Elastic energy, energy of the weight, and kinetic energy, J. */
void wf_spring_net_energies(const wf_spring_net *net, const wf_vec3 *x, const wf_vec3 *v, double energies[3]);

/* The largest and the mean L / l0 over the springs of positive rest length; 1 where there are none. */
void wf_spring_net_stretch(const wf_spring_net *net, const wf_vec3 *x, double *largest, double *mean);

/* The longest step at which symplectic Euler is sure to be stable on an undamped net that is stretched by little,
 * 2 / omega with omega^2 <= 2 max_i sum_j k_ij / m_i (Gershgorin), s; infinity without springs. */
double wf_spring_net_explicit_step(const wf_spring_net *net);

/* ---- builders -------------------------------------------------------------------------------------------------- */

/* The sheet of Kang's thesis: columns x rows points, both >= 2, with the edges of the triangles whose diagonals run
 * from (i, j) to (i + 1, j + 1). Point (i, j) is vertex j * columns + i. */
typedef struct wf_spring_sheet {
    int32_t columns, rows;
    wf_vec3 corner;       /* of point (0, 0) */
    wf_vec3 along, across; /* from it to point (columns - 1, 0), and to point (0, rows - 1) */
} wf_spring_sheet;

int32_t wf_spring_sheet_edge_count(const wf_spring_sheet *sheet);
/* positions: [columns * rows], edges: [wf_spring_sheet_edge_count] */
void wf_spring_sheet_fill(const wf_spring_sheet *sheet, wf_vec3 *positions, int32_t (*edges)[2]);

#endif
