#include "air/flow_private.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/range.h"
#include "base/tasks.h"

enum { LARGEST_AXIS = 4096, MARGIN = 2, ENTRIES_PER_BLOCK = 16384, DIFFUSION_LIMIT = 10000 };

/* What happened in a short step tells little of a much longer one: a pressure that stopped air at once is as large as
 * the step was short. A step longer than this many of the last one starts anew, at first order. */
#define LONGEST_FORESIGHT 2.0

const char *const wf_flow_side_names[] = {"periodic", "inflow", "open", "wall", "slip", NULL};
const char *const wf_flow_advection_names[] = {"limited", "unlimited", "first order", "none", NULL};

wf_flow_params wf_default_flow_params(void)
{
    wf_flow_params params = {.cells = {32, 32, 32},
                             .spacing = {0.1, 0.1, 0.1},
                             .density = 1.2,
                             .viscosity = 1.5e-5,
                             .courant = 0.9,
                             .predict_pressure = true,
                             .tolerance = 1e-5,
                             .substep_limit = 200,
                             .memory_limit = 4e9};
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        params.sides[side].kind = WF_FLOW_OPEN;
    }
    return params;
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

static wf_status check_sides(wf_context *context, const wf_flow_params *params)
{
    const double fastest = WF_FLOW_FASTEST;
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        const wf_flow_side *s = &params->sides[side], *other = &params->sides[side ^ 1];
        if ((s->kind == WF_FLOW_PERIODIC) != (other->kind == WF_FLOW_PERIODIC)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "an axis must be periodic on both its sides or on neither, got %c_%s alone",
                           'x' + side / 2, s->kind == WF_FLOW_PERIODIC ? "low" : "high");
        }
        if (params->cells[side / 2] == 1 && s->kind != WF_FLOW_PERIODIC) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "a box one cell thick along z is two-dimensional and must be periodic along z");
        }
        const wf_range ranges[] = {
            {"a side's velocity.x", s->velocity.x, -fastest, fastest},
            {"a side's velocity.y", s->velocity.y, -fastest, fastest},
            {"a side's velocity.z", s->velocity.z, -fastest, fastest},
            {"a side's sponge", s->sponge, 0, 1e6},
            {"a side's sponge_rate", s->sponge_rate, 0, 1e6},
        };
        const wf_status status = wf_check_ranges(context, ranges, sizeof ranges / sizeof *ranges);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static wf_status check_params(wf_context *context, const wf_flow_params *params)
{
    double least = INFINITY, most = 0;
    for (int a = 0; a < 3; a++) {
        const int32_t n = params->cells[a];
        if (n > LARGEST_AXIS || (n < 4 && !(a == 2 && n == 1))) {
            return wf_fail(
                context, WF_ERROR_ARGUMENT,
                "cells must be from 4 to %d along each axis (or 1 along z, for two dimensions), got %d x %d x "
                "%d",
                LARGEST_AXIS, params->cells[0], params->cells[1], params->cells[2]);
        }
        const double d = params->spacing[a];
        if (!(d >= 1e-6 && d <= 1e9)) { /* smaller ones are not much longer than the way between molecules */
            return wf_fail(context, WF_ERROR_ARGUMENT, "the edges of a cell must be from 1e-06 to 1e+09 m, got %g", d);
        }
        if (n > 1) {
            least = d < least ? d : least;
            most = d > most ? d : most;
        }
    }
    if (most > 4 * least) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "the longest edge of a cell must be at most four times the shortest, got %g m and %g m", most,
                       least);
    }
    const double far = 1e9, strongest = 1e6;
    const wf_range ranges[] = {
        {"density", params->density, 1e-9, 1e6},
        {"viscosity", params->viscosity, 0, 1e6},
        {"courant", params->courant, 0.01, 1.2},
        {"confinement", params->confinement, 0, 100},
        {"tolerance", params->tolerance, 1e-7, 0.1},
        {"substep_limit", params->substep_limit, 1, 1e5},
        {"origin.x", params->origin.x, -far, far},
        {"origin.y", params->origin.y, -far, far},
        {"origin.z", params->origin.z, -far, far},
        {"acceleration.x", params->acceleration.x, -strongest, strongest},
        {"acceleration.y", params->acceleration.y, -strongest, strongest},
        {"acceleration.z", params->acceleration.z, -strongest, strongest},
    };
    const wf_status status = wf_check_ranges(context, ranges, sizeof ranges / sizeof *ranges);
    return status == WF_OK ? check_sides(context, params) : status;
}

/* Bytes that a grid takes: velocities now, before, that carry and to work in, pressure; what a step keeps while it may
 * be solved again; what the pressure solver has of the finest grid, and nine arrays' worth of coarser ones. */
static double estimate_bytes(double entries)
{
    const double arrays = 5 * 3 + 3 + 7 + 7 + 3, coarse = 9;
    return entries * sizeof(float) * (arrays + coarse);
}

/* In doubles: a grid can be larger than its indices. */
static wf_status check_memory(wf_context *context, const wf_flow_params *params)
{
    double cells = 1, entries = 1;
    for (int a = 0; a < 3; a++) {
        const bool flat = a == 2 && params->cells[a] == 1;
        cells *= params->cells[a];
        entries *= flat ? 1 : (double)params->cells[a] + 2 * MARGIN + 1;
    }
    const double bytes = estimate_bytes(entries + WF_FLOW_SLACK);
    if (!(bytes <= params->memory_limit) || entries > INT32_MAX - WF_FLOW_SLACK) {
        return wf_fail(context, WF_ERROR_LIMIT,
                       "%.4g cells would take %.3g GB, more than the limit of %.3g GB: make cells larger", cells,
                       bytes / 1e9, params->memory_limit / 1e9);
    }
    return WF_OK;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static float *new_array(wf_flow *flow)
{
    float *array = wf_allocate(flow->context, flow->grid.count, sizeof *array);
    flow->bytes += array ? flow->grid.count * sizeof *array : 0;
    return array;
}

static bool make_arrays(wf_flow *flow)
{
    bool whole = true;
    for (int a = 0; a < 3; a++) {
        float **arrays[] = {&flow->velocity[a], &flow->previous[a], &flow->carrier[a], &flow->scratch[0][a],
                            &flow->scratch[1][a]};
        for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
            whole = whole && (*arrays[n] = new_array(flow));
        }
    }
    whole = whole && (flow->kinematic_pressure = new_array(flow)) && (flow->phi = new_array(flow)) &&
            (flow->net_inflow = new_array(flow));
    const size_t rows = (size_t)flow->grid.cells[1] * (size_t)flow->grid.cells[2];
    flow->block_count = wf_block_count(rows, wf_flow_row_block(flow));
    return whole && (flow->block_tops = wf_allocate(flow->context, flow->block_count, sizeof *flow->block_tops));
}

wf_status wf_flow_create(wf_context *context, const wf_flow_params *params, wf_flow **out)
{
    *out = NULL;
    wf_status status = check_memory(context, params);
    status = status == WF_OK ? check_params(context, params) : status;
    if (status != WF_OK) {
        return status;
    }
    wf_flow *flow = wf_allocate(context, 1, sizeof *flow);
    if (!flow) {
        return WF_ERROR_MEMORY;
    }
    flow->context = context;
    flow->params = *params;
    flow->grid = wf_flow_grid_make(params->cells, MARGIN);
    flow->faces_changed = true;
    for (int a = 0; a < 3; a++) {
        flow->periodic[a] = params->sides[2 * a].kind == WF_FLOW_PERIODIC;
    }
    status = make_arrays(flow) ? wf_flow_pressure_create(context, &flow->grid, flow->periodic, &flow->pressure)
                               : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        wf_flow_destroy(flow);
        return status;
    }
    wf_flow_apply_sides(flow, flow->velocity, flow->velocity);
    *out = flow;
    return WF_OK;
}

void wf_flow_destroy(wf_flow *flow)
{
    if (!flow) {
        return;
    }
    for (int a = 0; a < 3; a++) {
        float *arrays[] = {flow->velocity[a],   flow->previous[a], flow->carrier[a],
                           flow->scratch[0][a], flow->scratch[1][a], flow->open[a],
                           flow->solid[a],      flow->advected[a], flow->work[a]};
        for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
            wf_free(flow->context, arrays[n]);
        }
    }
    wf_free(flow->context, flow->pressure_before);
    wf_free(flow->context, flow->kinematic_pressure);
    wf_free(flow->context, flow->phi);
    wf_free(flow->context, flow->net_inflow);
    wf_free(flow->context, flow->block_tops);
    wf_flow_free_side_fields(flow);
    wf_flow_pressure_destroy(flow->pressure);
    wf_free(flow->context, flow);
}

/* ---- reading and setting --------------------------------------------------------------------------------------- */

const wf_flow_params *wf_flow_get_params(const wf_flow *flow)
{
    return &flow->params;
}

const wf_flow_grid *wf_flow_get_grid(const wf_flow *flow)
{
    return &flow->grid;
}

const wf_flow_stats *wf_flow_get_stats(const wf_flow *flow)
{
    return &flow->stats;
}

double wf_flow_time(const wf_flow *flow)
{
    return flow->time;
}

size_t wf_flow_bytes(const wf_flow *flow)
{
    return flow->bytes + wf_flow_pressure_bytes(flow->pressure);
}

wf_status wf_flow_set_params(wf_flow *flow, const wf_flow_params *params)
{
    wf_status status = check_params(flow->context, params);
    if (status != WF_OK) {
        return status;
    }
    bool same = memcmp(params->cells, flow->params.cells, sizeof params->cells) == 0 &&
                memcmp(params->spacing, flow->params.spacing, sizeof params->spacing) == 0;
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        same = same && params->sides[side].kind == flow->params.sides[side].kind;
    }
    if (!same) {
        return wf_fail(flow->context, WF_ERROR_STATE, "the cells of a flow and the kinds of its sides cannot change");
    }
    flow->params = *params;
    return WF_OK;
}

float *wf_flow_faces(wf_flow *flow, int axis)
{
    return flow->velocity[axis];
}

void wf_flow_restart(wf_flow *flow)
{
    flow->last_step = 0;
    flow->carrier_diverges = true;
    memset(flow->kinematic_pressure, 0, flow->grid.count * sizeof *flow->kinematic_pressure);
    wf_flow_apply_sides(flow, flow->velocity, flow->velocity);
}

const float *wf_flow_kinematic_pressure(const wf_flow *flow)
{
    return flow->kinematic_pressure;
}

static wf_status make_three(wf_flow *flow, float *arrays[3], float value)
{
    float *made[3] = {NULL, NULL, NULL};
    for (int a = 0; a < 3; a++) {
        made[a] = new_array(flow);
    }
    if (!made[0] || !made[1] || !made[2]) {
        for (int a = 0; a < 3; a++) {
            flow->bytes -= made[a] ? flow->grid.count * sizeof *made[a] : 0;
            wf_free(flow->context, made[a]);
        }
        return WF_ERROR_MEMORY;
    }
    for (int a = 0; a < 3; a++) {
        for (size_t n = 0; value != 0 && n < flow->grid.count; n++) {
            made[a][n] = value;
        }
        arrays[a] = made[a];
    }
    return WF_OK;
}

wf_status wf_flow_use_solids(wf_flow *flow, wf_flow_solids *solids)
{
    wf_status status = WF_OK;
    if (!flow->solid[0]) {
        status = make_three(flow, flow->solid, 0);
    }
    if (status == WF_OK && !flow->open[0]) {
        status = make_three(flow, flow->open, 1);
    }
    for (int a = 0; a < 3; a++) {
        solids->open[a] = flow->open[a];
        solids->velocity[a] = flow->solid[a];
    }
    return status;
}

void wf_flow_solids_changed(wf_flow *flow)
{
    flow->faces_changed = true;
    flow->carrier_diverges = true;
}

void wf_flow_set_interface(wf_flow *flow, const wf_flow_interface *interface)
{
    flow->interface = interface;
    flow->faces_changed = true;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

typedef struct entries_job {
    wf_flow *flow;
    const wf_flow_kernels *kernels;
    wf_flow_box box;
    float factor;
    enum { EXTRAPOLATE, WEIGH } pass;
} entries_job;

static void run_entries(void *user, size_t block, size_t begin, size_t end)
{
    const entries_job *job = user;
    wf_flow *flow = job->flow;
    (void)block;
    for (int a = 0; a < 3; a++) {
        if (job->pass == EXTRAPOLATE) {
            job->kernels->extrapolate(flow->velocity[a], flow->previous[a], job->factor, flow->carrier[a], begin, end);
        } else {
            job->kernels->weigh(flow->open[a], flow->solid[a], flow->carrier[a], begin, end);
        }
    }
}

static void run_crossings(void *user, size_t block, size_t begin, size_t end)
{
    const entries_job *job = user;
    job->flow->block_tops[block] = job->kernels->crossings(&job->box, begin, end);
}

/* What carries: the velocity half a step ahead. Returns the largest number of cells that it crosses per second. */
static double find_carrier(wf_flow *flow, double step)
{
    entries_job job = {.flow = flow, .kernels = wf_flow_kernels_for(flow->context), .pass = EXTRAPOLATE};
    job.factor = flow->last_step > 0 && flow->foresees ? (float)(0.5 * step / flow->last_step) : 0;
    wf_parallel_for(flow->context, flow->grid.count, ENTRIES_PER_BLOCK, run_entries, &job);
    wf_flow_apply_sides(flow, flow->carrier, NULL);
    if (flow->open[0]) {
        job.pass = WEIGH;
        wf_parallel_for(flow->context, flow->grid.count, ENTRIES_PER_BLOCK, run_entries, &job);
    }
    job.box.grid = &flow->grid;
    for (int a = 0; a < 3; a++) {
        job.box.velocity[a] = flow->carrier[a];
        job.box.inverse_spacing[a] = (float)(1 / flow->params.spacing[a]);
    }
    const size_t rows = (size_t)flow->grid.cells[1] * (size_t)flow->grid.cells[2];
    wf_parallel_for(flow->context, rows, wf_flow_row_block(flow), run_crossings, &job);
    return (double)wf_largest_top(flow->block_tops, flow->block_count);
}

/* The number of sub-steps, and whether viscosity is part of them; an error when they would be too many. */
static wf_status plan_substeps(wf_flow *flow, double step, double crossings, bool *has_friction)
{
    const bool moves = flow->params.advection != WF_FLOW_NO_ADVECTION;
    flow->stats.courant = crossings * step;
    if (!isfinite(crossings)) {
        return wf_fail(flow->context, WF_ERROR_NUMERIC, "velocities of the air are not finite");
    }
    const double needed = moves ? ceil(crossings * step / flow->params.courant) : 1;
    if (needed > flow->params.substep_limit) {
        return wf_fail(
            flow->context, WF_ERROR_LIMIT,
            "the fastest air crosses %.3g cells in a step of %g s, which takes %.0f sub-steps, more than the "
            "limit of %d: make steps shorter or cells larger",
            crossings * step, step, needed, flow->params.substep_limit);
    }
    flow->stats.substeps = needed > 1 ? (int32_t)needed : 1;
    /* The method is stable for rates up to 2.5 without advection. */
    const double friction = wf_flow_friction_rate(flow) * step;
    const double with_friction = ceil(friction / 1.2);
    *has_friction = friction > 0 && with_friction <= flow->stats.substeps + 2;
    if (*has_friction && with_friction > flow->stats.substeps) {
        flow->stats.substeps = (int32_t)with_friction;
    }
    const double stages = wf_flow_diffusion_stages(flow, step);
    if (!*has_friction && stages > DIFFUSION_LIMIT) {
        return wf_fail(flow->context, WF_ERROR_LIMIT,
                       "a viscosity of %g m2/s takes %.3g stages in a step of %g s, more than the limit of %d: make "
                       "viscosity less, steps shorter or cells larger",
                       flow->params.viscosity, stages, step, DIFFUSION_LIMIT);
    }
    return WF_OK;
}

/* Viscosity that is too strong for the sub-steps, after them; and the sub-steps again with its mean rate, so that what
 * they carry is smoothed on the way. `advected` is free meanwhile. */
static void diffuse_velocity(wf_flow *flow, double step, wf_flow_buffers *buffers)
{
    for (int a = 0; a < 3; a++) {
        memcpy(flow->advected[a], buffers->result[a], flow->grid.count * sizeof *flow->advected[a]);
    }
    flow->stats.diffusion_stages = wf_flow_diffuse(flow, step, NULL, buffers);
    if (flow->params.advection == WF_FLOW_NO_ADVECTION) {
        return; /* nothing is carried */
    }
    wf_flow_find_rates(flow, step, buffers, flow->advected);
    (void)find_carrier(flow, step);
    wf_flow_advect(flow, step, flow->stats.substeps, false, flow->advected, buffers);
    flow->stats.diffusion_stages += wf_flow_diffuse(flow, step, flow->advected, buffers);
}

/* All of a step but the projection. */
static void advect_velocity(wf_flow *flow, double step, bool has_friction, wf_flow_buffers *buffers)
{
    const double start = wf_clock_seconds();
    wf_flow_advect(flow, step, flow->stats.substeps, has_friction, NULL, buffers);
    if (flow->params.viscosity > 0 && !has_friction) {
        diffuse_velocity(flow, step, buffers);
    }
    const double advected = wf_clock_seconds();
    if (flow->params.confinement > 0) {
        wf_flow_confine(flow, step, buffers->result, buffers->spare[0]);
    }
    wf_flow_apply_sponges(flow, buffers->result, step);
    flow->stats.seconds_advection = advected - start;
    flow->stats.seconds_other += wf_clock_seconds() - advected;
}

wf_status wf_flow_begin_step(wf_flow *flow, double step)
{
    wf_status status = wf_check_range(flow->context, "the step in seconds", step, 1e-12, 1e6);
    if (status == WF_OK && !flow->advected[0]) {
        status = make_three(flow, flow->advected, 0);
    }
    if (status == WF_OK && !flow->work[0]) {
        status = make_three(flow, flow->work, 0);
    }
    if (status == WF_OK && !flow->pressure_before) {
        flow->pressure_before = new_array(flow);
        status = flow->pressure_before ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        return status;
    }
    const double start = wf_clock_seconds();
    bool has_friction;
    flow->stats = (wf_flow_stats){0};
    flow->foresees = flow->last_step == 0 || step <= LONGEST_FORESIGHT * flow->last_step;
    const double crossings = find_carrier(flow, step);
    status = plan_substeps(flow, step, crossings, &has_friction);
    if (status != WF_OK) {
        return status;
    }
    wf_flow_apply_sides(flow, flow->velocity, flow->velocity); /* not before: a refused step leaves the air as it is */
    flow->stats.seconds_other = wf_clock_seconds() - start;
    wf_flow_buffers buffers;
    for (int a = 0; a < 3; a++) {
        buffers.result[a] = flow->work[a];
        buffers.spare[0][a] = flow->scratch[0][a];
        buffers.spare[1][a] = flow->scratch[1][a];
    }
    advect_velocity(flow, step, has_friction, &buffers);
    for (int a = 0; a < 3; a++) {
        memcpy(flow->advected[a], buffers.result[a], flow->grid.count * sizeof *flow->advected[a]);
        flow->work[a] = buffers.result[a];
        flow->scratch[0][a] = buffers.spare[0][a];
        flow->scratch[1][a] = buffers.spare[1][a];
    }
    memcpy(flow->pressure_before, flow->kinematic_pressure, flow->grid.count * sizeof *flow->pressure_before);
    flow->begun = step;
    flow->solves = 0;
    return WF_OK;
}

wf_status wf_flow_solve_step(wf_flow *flow)
{
    if (!(flow->begun > 0)) {
        return wf_fail(flow->context, WF_ERROR_STATE, "no step of the flow was begun");
    }
    const double start = wf_clock_seconds();
    const size_t bytes = flow->grid.count * sizeof *flow->work[0];
    for (int a = 0; a < 3; a++) {
        memcpy(flow->work[a], flow->advected[a], bytes);
    }
    if (wf_flow_predicts_pressure(flow)) {
        memcpy(flow->kinematic_pressure, flow->pressure_before, bytes);
    } else if (flow->solves == 0) { /* later ones begin where the last ended */
        memset(flow->kinematic_pressure, 0, bytes);
    }
    wf_status status = wf_flow_make_solenoidal(flow, flow->work, flow->begun);
    flow->stats.seconds_pressure += wf_clock_seconds() - start;
    flow->solves++;
    return status;
}

void wf_flow_end_step(wf_flow *flow, bool accept)
{
    const double step = flow->begun;
    if (!(step > 0)) {
        return;
    }
    flow->begun = 0;
    flow->solves = 0;
    if (!accept) {
        memcpy(flow->kinematic_pressure, flow->pressure_before, flow->grid.count * sizeof *flow->pressure_before);
        return;
    }
    for (int a = 0; a < 3; a++) {
        float *old = flow->previous[a];
        flow->previous[a] = flow->velocity[a];
        flow->velocity[a] = flow->work[a];
        flow->work[a] = old;
    }
    flow->last_step = step;
    flow->time += step;
    flow->carrier_diverges = false;
}

wf_status wf_flow_step(wf_flow *flow, double step)
{
    wf_status status = wf_flow_begin_step(flow, step);
    if (status == WF_OK) {
        status = wf_flow_solve_step(flow);
        wf_flow_end_step(flow, status == WF_OK);
    }
    return status;
}

wf_status wf_flow_project(wf_flow *flow)
{
    flow->stats = (wf_flow_stats){0};
    wf_flow_restart(flow);
    wf_status status = wf_flow_make_solenoidal(flow, flow->velocity, 0);
    flow->carrier_diverges = status != WF_OK;
    wf_flow_apply_sides(flow, flow->velocity, flow->velocity);
    return status;
}

/* ---- probes ---------------------------------------------------------------------------------------------------- */

static double between_faces(const wf_flow *flow, int axis, const double at[3])
{
    const wf_flow_grid *grid = &flow->grid;
    double part[3];
    int32_t cell[3];
    for (int e = 0; e < 3; e++) {
        const double x = at[e] - (e == axis ? 0 : 0.5);
        const double least = e == axis ? 0 : -0.5, most = grid->cells[e] - (e == axis ? 0 : 0.5);
        const double inside = x < least ? least : x > most ? most : x;
        const double whole = floor(inside);
        cell[e] = (int32_t)whole;
        part[e] = inside - whole;
    }
    if (grid->stride[2] == 0) {
        cell[2] = 0;
    }
    const ptrdiff_t c = wf_flow_index(grid, cell[0], cell[1], cell[2]);
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        ptrdiff_t index = c;
        for (int e = 0; e < 3; e++) {
            const bool up = corner >> e & 1;
            weight *= up ? part[e] : 1 - part[e];
            index += up ? grid->stride[e] : 0;
        }
        sum += weight > 0 ? weight * (double)flow->velocity[axis][index] : 0;
    }
    return sum;
}

void wf_flow_velocities(const wf_flow *flow, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    const wf_vec3 origin = flow->params.origin;
    const double *d = flow->params.spacing;
    for (size_t n = 0; n < count; n++) {
        const double at[3] = {(points[n].x - origin.x) / d[0], (points[n].y - origin.y) / d[1],
                              (points[n].z - origin.z) / d[2]};
        velocities[n] = (wf_vec3){between_faces(flow, 0, at), between_faces(flow, 1, at), between_faces(flow, 2, at)};
    }
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

/* Friction between an open face and a solid neighbour, towards the solid: force per density. */
static double rub(const wf_flow *flow, int axis, int across, ptrdiff_t c, ptrdiff_t n)
{
    const float *open = flow->open[axis], *u = flow->velocity[axis];
    if (!(open[c] >= 0.5f) || open[n] >= 0.5f || across == axis) {
        return 0;
    }
    const double *d = flow->params.spacing;
    const double distance = fmax((double)open[c] + (double)open[n] - 0.5, 0.25) * d[across];
    const double area = d[0] * d[1] * d[2] / d[across];
    return flow->params.viscosity * area * ((double)u[c] - (double)flow->solid[axis][n]) / distance;
}

wf_vec3 wf_flow_force_on_solids(const wf_flow *flow, wf_vec3 *pressure_part)
{
    const wf_flow_grid *grid = &flow->grid;
    const double *d = flow->params.spacing, density = flow->params.density;
    double pressure[3] = {0, 0, 0}, friction[3] = {0, 0, 0};
    for (int32_t k = 0; k < grid->cells[2] && flow->open[0]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++) {
                const ptrdiff_t c = wf_flow_index(grid, i, j, k);
                for (int a = 0; a < wf_flow_axes(grid); a++) {
                    const ptrdiff_t s = grid->stride[a];
                    const double area = d[0] * d[1] * d[2] / d[a];
                    const float *open = flow->open[a];
                    pressure[a] += (double)flow->kinematic_pressure[c] * area * ((double)open[c] - (double)open[c + s]);
                    for (int e = 0; e < wf_flow_axes(grid); e++) {
                        friction[a] +=
                            rub(flow, a, e, c, c + grid->stride[e]) + rub(flow, a, e, c, c - grid->stride[e]);
                    }
                }
            }
        }
    }
    if (pressure_part) {
        *pressure_part = (wf_vec3){density * pressure[0], density * pressure[1], density * pressure[2]};
    }
    return (wf_vec3){density * (pressure[0] + friction[0]), density * (pressure[1] + friction[1]),
                     density * (pressure[2] + friction[2])};
}
