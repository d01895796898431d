/* flow_diffusion.c - viscosity where it is too strong for the sub-steps of advection.
 *
 * What the sub-steps have changed acts, as a rate that stays the same, during a step of the Runge-Kutta-Chebyshev
 * method of second order of Sommeijer, Shampine and Verwer (1998), with their damping 2/13: s explicit stages stay
 * stable for rates times steps up to 0.65 (s^2 - 1). Ten times the viscosity takes three times the stages, where an
 * implicit step would take a linear system; flows that are steady stay so, as the two are not one after the other.
 *
 * Sub-steps that know nothing of viscosity carry what it has not smoothed yet: of first order, and in a wind with
 * vortices that drift at another speed than the wind (one of wave number k slower by the part nu k^2 step). So flow.c
 * makes them twice: the second time with the mean rate of viscosity that the first time gave, which the Chebyshev step
 * then takes out again. For waves carried by a wind that is of second order, and stable where the sub-steps and the
 * Chebyshev step are, as advection of third order damps what is carried far.
 */
#include <math.h>

#include "air/flow_private.h"
#include "base/tasks.h"

double wf_flow_friction_rate(const wf_flow *flow)
{
    double sum = 0;
    for (int d = 0; d < wf_flow_axes(&flow->grid); d++) {
        sum += 4 / (flow->params.spacing[d] * flow->params.spacing[d]);
    }
    const double near_walls = flow->open[0] ? 2.5 : 1; /* at most four times on one side: flow_kernels.c */
    return flow->params.viscosity * sum * near_walls;
}

double wf_flow_diffusion_stages(const wf_flow *flow, double step)
{
    return 1 + ceil(sqrt(1 + wf_flow_friction_rate(flow) * step / 0.65));
}

/* Chebyshev's polynomial of degree n and its first two derivatives at x. */
static void chebyshev(int32_t n, double x, double *t, double *d1, double *d2)
{
    double t0 = 1, t1 = x, a0 = 0, a1 = 1, b0 = 0, b1 = 0;
    if (n == 0) {
        *t = 1;
        *d1 = *d2 = 0;
        return;
    }
    for (int32_t k = 2; k <= n; k++) {
        const double t2 = 2 * x * t1 - t0, a2 = 2 * t1 + 2 * x * a1 - a0, b2 = 4 * a1 + 2 * x * b1 - b0;
        t0 = t1, t1 = t2, a0 = a1, a1 = a2, b0 = b1, b1 = b2;
    }
    *t = t1;
    *d1 = a1;
    *d2 = b1;
}

/* b_j and a_j of the method. */
static double weight_of(int32_t j, double w0, double *a)
{
    double t, d1, d2;
    chebyshev(j < 2 ? 2 : j, w0, &t, &d1, &d2);
    const double b = d2 / (d1 * d1);
    chebyshev(j, w0, &t, &d1, &d2);
    *a = 1 - b * t;
    return b;
}

enum { ENTRIES_PER_BLOCK = 16384 };

typedef struct rate_job {
    const wf_flow_kernels *kernels;
    float *const *values, *const *from, *const *without; /* values become factor (values - from) - without */
    float factor;
} rate_job;

static void find_rates(void *user, size_t block, size_t begin, size_t end)
{
    const rate_job *job = user;
    (void)block;
    for (int a = 0; a < 3; a++) {
        job->kernels->subtract(job->from[a], job->factor, job->values[a], begin, end);
        if (job->without) {
            job->kernels->subtract(job->without[a], 1, job->values[a], begin, end);
        }
    }
}

void wf_flow_find_rates(wf_flow *flow, double step, const wf_flow_buffers *buffers, float *const *kept)
{
    rate_job job = {wf_flow_kernels_for(flow->context), kept, buffers->result, NULL, (float)(-1 / step)};
    wf_parallel_for(flow->context, flow->grid.count, ENTRIES_PER_BLOCK, find_rates, &job);
}

int32_t wf_flow_diffuse(wf_flow *flow, double step, float *const *without, wf_flow_buffers *buffers)
{
    const int32_t stages = (int32_t)wf_flow_diffusion_stages(flow, step);
    const double w0 = 1 + 2.0 / (13.0 * stages * stages);
    double t, d1, d2, a;
    chebyshev(stages, w0, &t, &d1, &d2);
    const double w1 = d1 / d2;
    double b_before = weight_of(0, w0, &a), b_now = weight_of(1, w0, &a);
    rate_job job = {wf_flow_kernels_for(flow->context), buffers->result, flow->velocity, without, (float)(1 / step)};
    wf_parallel_for(flow->context, flow->grid.count, ENTRIES_PER_BLOCK, find_rates, &job);
    const wf_flow_forces forces = {.rates = buffers->result};
    wf_flow_stage proto = {.advection = WF_FLOW_NO_ADVECTION, .friction = {1}};
    float *const *first = flow->velocity, *const *before = first;
    float *const *now = buffers->spare[0], *const *next = buffers->spare[1];

    /* The carrier is not needed any more: its arrays take the first state after a second. */
    proto.time = 1;
    wf_flow_run_stage(flow, &proto, &forces, (wf_flow_stage_arrays){first, NULL, NULL, NULL, flow->carrier});
    proto.time = (float)(b_now * w1 * step);
    wf_flow_run_stage(flow, &proto, &forces, (wf_flow_stage_arrays){first, NULL, NULL, NULL, now});
    for (int32_t j = 2; j <= stages; j++) {
        const double a_before = a, b = weight_of(j, w0, &a);
        const double mu = 2 * b * w0 / b_now, nu = -b / b_before, rate_part = 2 * b * w1 / b_now;
        wf_flow_apply_sides(flow, now, NULL);
        proto.factor = (float)mu;
        proto.old_factor = (float)nu;
        proto.time = (float)(rate_part * step);
        proto.rate_factor = (float)(-a_before * rate_part * step);
        wf_flow_run_stage(flow, &proto, &forces, (wf_flow_stage_arrays){now, first, before, flow->carrier, next});
        /* From the third stage on each is written over the one before the last. */
        before = now;
        now = next;
        next = before;
        b_before = b_now;
        b_now = b;
    }
    const bool in_first = now == buffers->spare[0];
    for (int c = 0; c < 3; c++) {
        float *done = now[c];
        buffers->spare[in_first ? 0 : 1][c] = buffers->result[c];
        buffers->result[c] = done;
    }
    return stages;
}
