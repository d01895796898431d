/* flow_pressure.h - the pressure that makes a flow free of divergence: conjugate gradients, preconditioned by one
 * V-cycle of a geometric multigrid, in single precision with sums in double.
 *
 * Solves  sum over the faces of a cell of c_f (phi_cell - phi_neighbour)  +  (E phi)_cell  =  b_cell
 *
 * with a conductance c_f = open area / spacing per face (m; 0: blocked), phi (m2/s) the pressure times time step over
 * density, b (m3/s) the net inflow that the velocities before the projection bring into the cell. Sides of the box:
 * conductance 0 is a Neumann side, a conducting face on a side that is not periodic leads to phi = 0 one spacing beyond
 * the last cell (an open side). E, symmetric and positive semidefinite, is what an elastic or heavy interface adds
 * where it crosses faces (Robinson-Mosher, Shinar, Gretarsson, Su and Fedkiw 2008): a callback, with a conductance for
 * each of its faces that stands for it in the preconditioner and says which cells it connects.
 *
 * Multigrid. Grids are made coarser along one axis after the other, and smoothed on where cells are about cubes again.
 * A coarse conductance is that of the fine ones in series between the centres of two coarse cells. Walls one face thick
 * stay tight and stay one face thick on every grid: where one runs through the middle of a coarse cell, the child
 * behind it is adopted by the next coarse cell, so the wall moves by a fine cell instead of leaking (averages) or
 * cutting the cell off from both sides (series alone, which was measured to need 51 iterations where this needs 7 past
 * a wall with a gap on 128^2, and 96 against 8 past three baffles on 96 x 64 x 32). Interpolation is linear towards
 * neighbours to which a coarse cell conducts; restriction is its transpose. Smoothing is a Chebyshev polynomial of
 * degree two in the Jacobi-scaled matrix, the same before and after: symmetric, without colours, and per pass over
 * memory better than red-black Gauss-Seidel (smoothing factor 0.34 for two passes against 0.45). The coarsest grid is
 * solved by a dense factorisation.
 *
 * Pockets. Cells that conduct to each other but to no open side have pressures up to a constant, and can be solved for
 * only when what flows in flows out: b must sum to zero in each (wf_flow_pressure_settle), and phi is made to.
 *
 * Results do not depend on the number of threads.
 */
#ifndef WEFT_AIR_FLOW_PRESSURE_H
#define WEFT_AIR_FLOW_PRESSURE_H

#include "air/flow_grid.h"
#include "base/context.h"

typedef struct wf_flow_pressure wf_flow_pressure;

/* What E is. All arrays may change between solves; they are read where a function says so. */
typedef struct wf_flow_interface {
    size_t face_count;
    const uint8_t *axis;      /* of each face: 0, 1, 2 */
    const ptrdiff_t *index;   /* of each face in the grid's arrays: between the cells index - stride[axis] and index */
    const float *conductance; /* m: stands for E in the preconditioner; at least 0 */
    /* Adds E phi, m3/s. Called from one thread. phi has its periodic margin filled. */
    void (*apply)(void *user, const float *phi, float *result);
    /* Before each projection: the interface reads what the air would do at its faces, from arrays of velocities of the
     * grid by axis, and puts there what it and the air together would do without pressure. After each round of it, by
     * phi: it moves itself, and puts there what its faces now have. Either may be NULL. */
    void (*prepare)(void *user, float *const velocity[3]);
    void (*correct)(void *user, const float *phi, float *const velocity[3]);
    void *user;
} wf_flow_interface;

typedef struct wf_flow_pressure_stats {
    int32_t iterations; /* of conjugate gradients */
    int32_t levels;     /* of the multigrid */
    int32_t pockets;    /* closed off from every open side */
    float residual;     /* m3/s: largest of |b - A phi| */
    bool converged;
} wf_flow_pressure_stats;

/* For a grid with margin 2, whose sides along each axis are periodic or not. */
wf_status wf_flow_pressure_create(wf_context *context, const wf_flow_grid *grid, const bool periodic[3],
                                  wf_flow_pressure **out);
void wf_flow_pressure_destroy(wf_flow_pressure *pressure);

/* The conductances of all faces, m, three arrays of the grid to write to; wf_flow_pressure_update must follow. Those of
 * a periodic axis must agree on both sides of the box. */
float *wf_flow_pressure_conductances(wf_flow_pressure *pressure, int axis);

/* What faces conduct inside the box that are open, by axis; to be set before the first update. */
void wf_flow_pressure_set_open(wf_flow_pressure *pressure, const float open[3]);

/* The interface of solves from now on; NULL: none. wf_flow_pressure_update must follow. */
void wf_flow_pressure_set_interface(wf_flow_pressure *pressure, const wf_flow_interface *interface);

/* Builds the coarse grids and finds the pockets after conductances have changed. */
wf_status wf_flow_pressure_update(wf_flow_pressure *pressure);

/* Takes from b, a net inflow, what no pressure can bring out again: its mean over each pocket, and all of it in cells
 * whose faces are all blocked. Adds to *trapped the sum over pockets of |what was taken|. largest: of |b|; returns that
 * of what is left. */
float wf_flow_pressure_settle(wf_flow_pressure *pressure, float *b, float largest, double *trapped);

/* Solves until no |residual| is above `tolerance` (m3/s), from phi = 0. b, settled, is used up. The margin of phi is
 * filled. */
wf_status wf_flow_pressure_solve(wf_flow_pressure *pressure, float *b, float tolerance, float *phi,
                                 wf_flow_pressure_stats *stats);

size_t wf_flow_pressure_bytes(const wf_flow_pressure *pressure);

#endif
