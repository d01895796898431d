/* flow_projection.c - takes from velocities the gradient that makes them free of divergence. */
#include <math.h>
#include <string.h>

#include "air/flow_private.h"
#include "base/tasks.h"

enum { ROUND_LIMIT = 8 };

typedef struct projection_job {
    wf_flow *flow;
    const wf_flow_kernels *kernels;
    wf_flow_box box;
    float *conductance[3];
    float factor;
    enum { DIVERGENCE, CORRECT, PRESSURE } pass;
} projection_job;

static void run_pass(void *user, size_t block, size_t begin, size_t end)
{
    projection_job *job = user;
    wf_flow *flow = job->flow;
    switch (job->pass) {
    case DIVERGENCE:
        flow->block_tops[block] = job->kernels->divergence(&job->box, flow->net_inflow, begin, end);
        break;
    case CORRECT:
        flow->block_tops[block] = job->kernels->correct(&job->box, job->conductance, flow->phi, begin, end);
        break;
    case PRESSURE:
        job->kernels->add(flow->phi, job->factor, flow->kinematic_pressure, begin, end);
        break;
    }
}

static float run(projection_job *job, int pass)
{
    wf_flow *flow = job->flow;
    job->pass = pass;
    const size_t rows = (size_t)flow->grid.cells[1] * (size_t)flow->grid.cells[2];
    wf_parallel_for(flow->context, rows, wf_flow_row_block(flow), run_pass, job);
    return wf_largest_top(flow->block_tops, flow->block_count);
}

/* Conductances from open fractions and the kinds of the sides. */
static void set_conductances(wf_flow *flow)
{
    const wf_flow_grid *grid = &flow->grid;
    const double *d = flow->params.spacing;
    float open[3];
    for (int a = 0; a < 3; a++) {
        open[a] = (float)(d[(a + 1) % 3] * d[(a + 2) % 3] / d[a]);
        float *c = wf_flow_pressure_conductances(flow->pressure, a);
        int32_t begin[3], end[3];
        wf_flow_free_faces(flow, a, begin, end);
        end[a] += flow->periodic[a];
        for (int32_t k = begin[2]; k < end[2] && a < wf_flow_axes(grid); k++) {
            for (int32_t j = begin[1]; j < end[1]; j++) {
                const ptrdiff_t row = wf_flow_index(grid, 0, j, k);
                for (ptrdiff_t i = row + begin[0]; i < row + end[0]; i++) {
                    const float fraction = flow->open[a] ? flow->open[a][i] : 1;
                    c[i] = fraction >= WF_FLOW_LEAST_OPEN ? open[a] * fraction : 0;
                }
            }
        }
    }
    const wf_flow_interface *interface = flow->interface;
    for (size_t n = 0; interface && n < interface->face_count; n++) { /* the interface stands for all of these */
        wf_flow_pressure_conductances(flow->pressure, interface->axis[n])[interface->index[n]] = 0;
    }
    wf_flow_pressure_set_open(flow->pressure, open);
    wf_flow_pressure_set_interface(flow->pressure, flow->interface);
}

/* After the sides' own faces, blocked ones: what fills them tells their velocity. */
static void hold_blocked(wf_flow *flow, float *const velocity[3])
{
    for (int a = 0; a < 3 && flow->open[0]; a++) {
        for (size_t n = 0; n < flow->grid.count; n++) {
            if (!(flow->open[a][n] >= WF_FLOW_LEAST_OPEN)) {
                velocity[a][n] = flow->solid[a][n];
            }
        }
    }
}

static void add_stats(wf_flow_pressure_stats *sum, const wf_flow_pressure_stats *part)
{
    const int32_t iterations = sum->iterations + part->iterations;
    *sum = *part;
    sum->iterations = iterations;
}

/* Corrects by the kinematic pressure as it is, that of another projection of the same step: what is left is less. */
static void begin_at_guess(projection_job *job, double step)
{
    wf_flow *flow = job->flow;
    const wf_flow_interface *interface = flow->interface;
    memset(flow->phi, 0, flow->grid.count * sizeof *flow->phi);
    job->kernels->add(flow->kinematic_pressure, (float)step, flow->phi, 0, flow->grid.count);
    run(job, CORRECT);
    if (interface && interface->correct) {
        interface->correct(interface->user, flow->phi, job->box.target);
    }
}

wf_status wf_flow_make_solenoidal(wf_flow *flow, float *const velocity[3], double step)
{
    const double *d = flow->params.spacing;
    projection_job job = {.flow = flow, .kernels = wf_flow_kernels_for(flow->context)};
    job.box = (wf_flow_box){.grid = &flow->grid};
    double least = INFINITY;
    for (int a = 0; a < 3; a++) {
        job.box.periodic[a] = flow->periodic[a];
        job.box.inverse_spacing[a] = (float)(1 / d[a]);
        job.box.area[a] = (float)(d[(a + 1) % 3] * d[(a + 2) % 3]);
        job.box.velocity[a] = job.box.target[a] = velocity[a];
        job.box.open[a] = flow->open[a];
        job.box.solid[a] = flow->solid[a];
        job.conductance[a] = wf_flow_pressure_conductances(flow->pressure, a);
        least = d[a] < least && flow->grid.stride[a] ? d[a] : least;
    }
    if (flow->faces_changed) {
        wf_flow_wrap_solids(flow);
        set_conductances(flow);
        wf_status status = wf_flow_pressure_update(flow->pressure);
        if (status != WF_OK) {
            return status;
        }
        flow->faces_changed = false;
    }
    hold_blocked(flow, velocity);
    const wf_flow_interface *interface = flow->interface;
    if (interface && interface->prepare) {
        interface->prepare(interface->user, velocity);
    }
    if (flow->solves > 0 && !wf_flow_predicts_pressure(flow)) {
        wf_flow_apply_sides(flow, velocity, velocity);
        begin_at_guess(&job, step);
    }
    wf_flow_stats *stats = &flow->stats;
    const double volume = d[0] * d[1] * d[2];
    stats->pressure = (wf_flow_pressure_stats){.converged = true};
    stats->projections = 0;
    double speed = 0, before = INFINITY;
    for (int round = 0;; round++) {
        wf_flow_apply_sides(flow, velocity, velocity);
        float inflow = run(&job, DIVERGENCE);
        if (round == 0 || (double)inflow * least > flow->params.tolerance * volume * speed) {
            double trapped = 0;
            inflow = wf_flow_pressure_settle(flow->pressure, flow->net_inflow, inflow, &trapped);
            stats->trapped = round == 0 ? trapped : stats->trapped;
        }
        if (round == 0) { /* by a gradient of 0, to know the largest speed */
            memset(flow->phi, 0, flow->grid.count * sizeof *flow->phi);
            speed = (double)run(&job, CORRECT);
        }
        stats->largest_speed = speed;
        if (!isfinite(speed) || !isfinite(inflow)) {
            return wf_fail(flow->context, WF_ERROR_NUMERIC, "velocities of the air are not finite");
        }
        stats->divergence = speed > 0 ? (double)inflow * least / (volume * speed) : 0;
        if (stats->divergence <= flow->params.tolerance || round == ROUND_LIMIT || stats->divergence > 0.9 * before) {
            break;
        }
        before = stats->divergence;
        wf_flow_pressure_stats part;
        const float tolerance = (float)(0.5 * flow->params.tolerance * volume * speed / least);
        wf_status status = wf_flow_pressure_solve(flow->pressure, flow->net_inflow, tolerance, flow->phi, &part);
        if (status != WF_OK) {
            return status;
        }
        add_stats(&stats->pressure, &part);
        speed = (double)run(&job, CORRECT);
        if (interface && interface->correct) {
            interface->correct(interface->user, flow->phi, velocity);
        }
        if (step > 0) {
            job.factor = (float)(1 / step);
            job.pass = PRESSURE;
            wf_parallel_for(flow->context, flow->grid.count, 16384, run_pass, &job);
        }
        stats->projections++;
    }
    return WF_OK;
}
