/* flow_advection.c - Runge-Kutta stages of velocity. */
#include "air/flow_private.h"

#include "base/tasks.h"

enum { BLOCK_FACES = 4096 };

size_t wf_flow_row_block(const wf_flow *flow)
{
    size_t rows = (size_t)(BLOCK_FACES / flow->grid.cells[0]);
    return rows > 0 ? rows : 1;
}

/* A stage of a component with what does not depend on the stage filled in. */
static wf_flow_stage stage_of(const wf_flow *flow, int axis, wf_flow_advection advection, bool has_friction)
{
    wf_flow_stage stage = {.grid = &flow->grid,
                           .axis = axis,
                           .advection = advection,
                           .open = flow->open[axis],
                           .solid = flow->solid[axis],
                           .carrier_diverges = flow->carrier_diverges};
    for (int d = 0; d < 3; d++) {
        stage.carrier[d] = flow->carrier[d];
        stage.inverse_spacing[d] = (float)(1 / flow->params.spacing[d]);
        stage.friction[d] = has_friction ? (float)(flow->params.viscosity / flow->params.spacing[d]) : 0;
    }
    wf_flow_free_faces(flow, axis, stage.begin, stage.end);
    return stage;
}

typedef struct stage_job {
    const wf_flow_kernels *kernels;
    wf_flow_stage stages[3];
} stage_job;

static void run_rows(void *user, size_t block, size_t begin, size_t end)
{
    const stage_job *job = user;
    (void)block;
    for (int axis = 0; axis < 3; axis++) {
        const wf_flow_stage *stage = &job->stages[axis];
        const size_t rows = (size_t)(stage->end[1] - stage->begin[1]) * (size_t)(stage->end[2] - stage->begin[2]);
        if (begin < rows) {
            job->kernels->stage(stage, begin, end < rows ? end : rows);
        }
    }
}

void wf_flow_run_stage(wf_flow *flow, const wf_flow_stage *proto, const wf_flow_forces *forces,
                       wf_flow_stage_arrays arrays)
{
    stage_job job = {.kernels = wf_flow_kernels_for(flow->context)};
    const wf_vec3 acceleration = flow->params.acceleration;
    const double push[3] = {acceleration.x, acceleration.y, acceleration.z};
    size_t most = 0;
    for (int a = 0; a < 3; a++) {
        wf_flow_stage *stage = &job.stages[a];
        *stage = stage_of(flow, a, proto->advection, proto->friction[0] > 0);
        stage->factor = proto->factor;
        stage->old_factor = proto->old_factor;
        stage->rate_factor = proto->rate_factor;
        stage->time = proto->time;
        stage->q = arrays.q[a];
        stage->base = arrays.base ? arrays.base[a] : stage->q;
        stage->old = arrays.old ? arrays.old[a] : stage->q;
        stage->rate = arrays.rate ? arrays.rate[a] : stage->q;
        stage->out = arrays.out[a];
        if (forces->rates) {
            stage->acceleration = forces->rates[a];
        }
        if (forces->has_own) {
            const bool differs = flow->grid.stride[a] != 0;
            stage->pressure = wf_flow_predicts_pressure(flow) && differs ? flow->kinematic_pressure : NULL;
            stage->push = (float)push[a];
        }
        size_t rows = (size_t)(stage->end[1] - stage->begin[1]) * (size_t)(stage->end[2] - stage->begin[2]);
        most = rows > most ? rows : most;
    }
    wf_parallel_for(flow->context, most, wf_flow_row_block(flow), run_rows, &job);
}

/* The third-order method of Shu and Osher (1988), convex combinations of Euler steps. */
void wf_flow_advect(wf_flow *flow, double step, int32_t count, bool has_friction, float *const *rates,
                    wf_flow_buffers *buffers)
{
    static const float parts[3] = {1, 0.25f, 2.0f / 3};
    const wf_flow_forces forces = {.has_own = true, .rates = rates};
    wf_flow_stage proto = {.advection = flow->params.advection, .friction = {has_friction ? 1.0f : 0}};
    float *rotation[3][3]; /* the sub-step's first state, and two for stages */
    for (int a = 0; a < 3; a++) {
        rotation[0][a] = flow->velocity[a];
        rotation[1][a] = buffers->spare[0][a];
        rotation[2][a] = buffers->spare[1][a];
    }
    for (int32_t n = 0; n < count; n++) {
        float *const *base = rotation[0], *const *first = rotation[1], *const *second = rotation[2];
        float *const *const from[3] = {base, first, second};
        float *const *const to[3] = {first, second, first};
        for (int s = 0; s < 3; s++) {
            proto.factor = parts[s];
            proto.time = parts[s] * (float)(step / count);
            if (n > 0 || s > 0) {
                wf_flow_apply_sides(flow, from[s], flow->carrier);
            }
            wf_flow_run_stage(flow, &proto, &forces, (wf_flow_stage_arrays){from[s], base, NULL, NULL, to[s]});
        }
        /* The result becomes the next first state; the flow's own velocity stays as it was. */
        for (int a = 0; a < 3; a++) {
            float *done = rotation[1][a];
            rotation[1][a] = rotation[2][a];
            rotation[2][a] = n == 0 ? buffers->result[a] : rotation[0][a];
            rotation[0][a] = done;
        }
    }
    for (int a = 0; a < 3; a++) {
        buffers->result[a] = rotation[0][a];
        buffers->spare[0][a] = rotation[1][a];
        buffers->spare[1][a] = rotation[2][a];
    }
}
