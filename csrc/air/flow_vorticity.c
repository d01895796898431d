/* flow_vorticity.c - vorticity confinement: a force that winds vortices up which the grid's own viscosity unwinds.
 *
 * f = epsilon d (N x omega), N = grad |omega| / |grad |omega||, d the cell's size (Steinhoff and Underhill 1994; for
 * grids Fedkiw, Stam and Jensen 2001). It is no physics of air: epsilon is to taste, and it adds energy.
 */
#include <math.h>
#include <string.h>

#include "air/flow_private.h"
#include "base/tasks.h"

typedef struct confine_job {
    const wf_flow *flow;
    float *const *vorticity; /* at centres of cells */
    float *size;             /* of it; margins as beside them */
    float *const *force;     /* at centres */
    float *const *velocity;
    double step;
} confine_job;

/* The difference of a component between the cells below and above along an axis, per metre, at the cell's centre. */
static float slope(const wf_flow *flow, int component, int axis, ptrdiff_t c)
{
    const float *u = flow->velocity[component];
    const ptrdiff_t s = flow->grid.stride[axis], own = flow->grid.stride[component];
    const float above = 0.5f * (u[c + s] + u[c + s + own]), below = 0.5f * (u[c - s] + u[c - s + own]);
    return (above - below) * (float)(0.5 / flow->params.spacing[axis]);
}

void wf_flow_vorticity(const wf_flow *flow, ptrdiff_t cell, float vorticity[3])
{
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, d = (a + 2) % 3;
        vorticity[a] = slope(flow, d, b, cell) - slope(flow, b, d, cell);
    }
}

static void find_vorticity(void *user, size_t block, size_t begin, size_t end)
{
    const confine_job *job = user;
    const wf_flow *flow = job->flow;
    (void)block;
    for (size_t r = begin; r < end; r++) {
        const int32_t j = (int32_t)(r % (size_t)flow->grid.cells[1]), k = (int32_t)(r / (size_t)flow->grid.cells[1]);
        for (int32_t i = 0; i < flow->grid.cells[0]; i++) {
            const ptrdiff_t c = wf_flow_index(&flow->grid, i, j, k);
            float w[3];
            wf_flow_vorticity(flow, c, w);
            for (int a = 0; a < 3; a++) {
                job->vorticity[a][c] = w[a];
            }
            job->size[c] = sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        }
    }
}

/* The neighbour along an axis, or the cell itself at the box's sides. */
static ptrdiff_t neighbour(const wf_flow *flow, const int32_t at[3], int axis, int way, ptrdiff_t c)
{
    const int32_t there = at[axis] + way, n = flow->grid.cells[axis];
    if (there >= 0 && there < n) {
        return c + way * flow->grid.stride[axis];
    }
    return flow->periodic[axis] ? c - way * (n - 1) * flow->grid.stride[axis] : c;
}

static void find_force(void *user, size_t block, size_t begin, size_t end)
{
    const confine_job *job = user;
    const wf_flow *flow = job->flow;
    const double *spacing = flow->params.spacing;
    const double cell = cbrt(spacing[0] * spacing[1] * spacing[2]);
    const float scale = (float)(flow->params.confinement * cell);
    (void)block;
    for (size_t r = begin; r < end; r++) {
        const int32_t j = (int32_t)(r % (size_t)flow->grid.cells[1]), k = (int32_t)(r / (size_t)flow->grid.cells[1]);
        for (int32_t i = 0; i < flow->grid.cells[0]; i++) {
            const int32_t at[3] = {i, j, k};
            const ptrdiff_t c = wf_flow_index(&flow->grid, i, j, k);
            float n[3], w[3], length = 0;
            for (int a = 0; a < 3; a++) {
                const float above = job->size[neighbour(flow, at, a, 1, c)],
                            below = job->size[neighbour(flow, at, a, -1, c)];
                n[a] = (above - below) * (float)(0.5 / spacing[a]);
                w[a] = job->vorticity[a][c];
                length += n[a] * n[a];
            }
            const float factor = length > 0 ? scale / sqrtf(length) : 0;
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, d = (a + 2) % 3;
                job->force[a][c] = factor * (n[b] * w[d] - n[d] * w[b]);
            }
        }
    }
}

static void apply_force(void *user, size_t block, size_t begin, size_t end)
{
    const confine_job *job = user;
    const wf_flow *flow = job->flow;
    const float half = (float)(0.5 * job->step);
    (void)block;
    for (size_t axis = begin; axis < end; axis++) {
        int32_t from[3], to[3];
        wf_flow_free_faces(flow, (int)axis, from, to);
        for (int32_t k = from[2]; k < to[2]; k++) {
            for (int32_t j = from[1]; j < to[1]; j++) {
                for (int32_t i = from[0]; i < to[0]; i++) {
                    const ptrdiff_t c = wf_flow_index(&flow->grid, i, j, k);
                    const int32_t at[3] = {i, j, k};
                    const int32_t n = flow->grid.cells[axis];
                    const ptrdiff_t s = flow->grid.stride[axis];
                    const ptrdiff_t below = at[axis] > 0 ? c - s : flow->periodic[axis] ? c + (n - 1) * s : c;
                    const ptrdiff_t above = at[axis] < n ? c : c - s;
                    const bool is_open = !flow->open[axis] || flow->open[axis][c] >= 0.5f;
                    if (is_open) {
                        job->velocity[axis][c] += half * (job->force[axis][below] + job->force[axis][above]);
                    }
                }
            }
        }
    }
}

void wf_flow_confine(wf_flow *flow, double step, float *const velocity[3], float *const scratch[3])
{
    confine_job job = {.flow = flow,
                       .vorticity = flow->carrier,
                       .size = flow->net_inflow,
                       .force = scratch,
                       .velocity = velocity,
                       .step = step};
    const size_t rows = (size_t)flow->grid.cells[1] * (size_t)flow->grid.cells[2];
    wf_parallel_for(flow->context, rows, wf_flow_row_block(flow), find_vorticity, &job);
    wf_parallel_for(flow->context, rows, wf_flow_row_block(flow), find_force, &job);
    wf_parallel_for(flow->context, 3, 1, apply_force, &job);
}
