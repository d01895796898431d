#include "air/flow_pressure.h"

#include <math.h>
#include <string.h>

#include "air/flow_multigrid.h"
#include "air/flow_pockets.h"
#include "air/flow_tops.h"
#include "base/tasks.h"

enum { ITERATION_LIMIT = 100 };

/* A face of the interface: the cells that it joins, and what the preconditioner's conductance there holds beyond the
 * air's. */
typedef struct joint {
    ptrdiff_t face, low, high;
    float conductance;
    int axis;
} joint;

struct wf_flow_pressure {
    wf_context *context;
    wf_flow_multigrid multigrid;
    float *direction, *product; /* of conjugate gradients */
    int32_t *labels, pocket_count;
    bool has_closed;       /* cells whose faces are all blocked */
    double *sums, *counts; /* of pockets */
    size_t sum_capacity, count_capacity;
    const wf_flow_interface *interface;
    joint *joints;
    size_t joint_count, joint_capacity;
    double *block_sums;
    float *block_tops;
    size_t block_count;
};

wf_status wf_flow_pressure_create(wf_context *context, const wf_flow_grid *grid, const bool periodic[3],
                                  wf_flow_pressure **out)
{
    wf_flow_pressure *p = wf_allocate(context, 1, sizeof *p);
    *out = p;
    if (!p) {
        return WF_ERROR_MEMORY;
    }
    p->context = context;
    wf_status status = wf_flow_multigrid_create(context, &p->multigrid, grid, periodic);
    if (status == WF_OK) {
        const wf_flow_level *level = &p->multigrid.levels[0];
        p->block_count = wf_block_count(wf_flow_level_rows(level), wf_flow_level_block(level));
        p->direction = wf_allocate(context, grid->count, sizeof *p->direction);
        p->product = wf_allocate(context, grid->count, sizeof *p->product);
        p->labels = wf_allocate(context, grid->count, sizeof *p->labels);
        p->block_sums = wf_allocate(context, p->block_count, sizeof *p->block_sums);
        p->block_tops = wf_allocate(context, p->block_count, sizeof *p->block_tops);
        bool whole = p->direction && p->product && p->labels && p->block_sums && p->block_tops;
        status = whole ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        wf_flow_pressure_destroy(p);
        *out = NULL;
    }
    return status;
}

void wf_flow_pressure_destroy(wf_flow_pressure *p)
{
    if (!p) {
        return;
    }
    wf_flow_multigrid_free(&p->multigrid);
    wf_free(p->context, p->direction);
    wf_free(p->context, p->product);
    wf_free(p->context, p->labels);
    wf_free(p->context, p->sums);
    wf_free(p->context, p->counts);
    wf_free(p->context, p->joints);
    wf_free(p->context, p->block_sums);
    wf_free(p->context, p->block_tops);
    wf_free(p->context, p);
}

size_t wf_flow_pressure_bytes(const wf_flow_pressure *p)
{
    const size_t cells = p->multigrid.levels[0].grid.count;
    return p->multigrid.bytes + cells * (2 * sizeof(float) + sizeof(int32_t)) + p->joint_capacity * sizeof *p->joints;
}

float *wf_flow_pressure_conductances(wf_flow_pressure *p, int axis)
{
    return p->multigrid.levels[0].conductance[axis];
}

void wf_flow_pressure_set_open(wf_flow_pressure *p, const float open[3])
{
    memcpy(p->multigrid.levels[0].open, open, sizeof p->multigrid.levels[0].open);
}

void wf_flow_pressure_set_interface(wf_flow_pressure *p, const wf_flow_interface *interface)
{
    p->interface = interface;
}

/* ---- interface ------------------------------------------------------------------------------------------------- */

/* Adds to the conductance of a face, and of its copy on the other side of a periodic box. */
static void add_conductance(wf_flow_level *level, const joint *j, float c)
{
    const ptrdiff_t across = level->grid.cells[j->axis] * level->grid.stride[j->axis];
    level->conductance[j->axis][j->face] += c;
    if (j->low != j->face - level->grid.stride[j->axis]) {
        level->conductance[j->axis][j->face + (j->low > j->face ? across : -across)] += c;
    }
}

/* The interface's stand-in becomes part of the conductances; joints remember how much, and which cells it joins. */
static wf_status read_interface(wf_flow_pressure *p)
{
    wf_flow_level *level = &p->multigrid.levels[0];
    const wf_flow_grid *grid = &level->grid;
    const wf_flow_interface *interface = p->interface;
    const size_t count = interface ? interface->face_count : 0;
    wf_status status = wf_reserve(p->context, &p->joints, &p->joint_capacity, count, sizeof *p->joints);
    if (status != WF_OK) {
        return status;
    }
    p->joint_count = count;
    for (size_t n = 0; n < count; n++) {
        const int a = interface->axis[n];
        const ptrdiff_t face = interface->index[n], s = grid->stride[a], across = grid->cells[a] * s;
        const ptrdiff_t rest = face - grid->first, plane = grid->stride[2] ? grid->stride[2] : (ptrdiff_t)grid->count;
        const ptrdiff_t at = a == 2 ? rest / plane : a == 1 ? rest % plane / grid->stride[1] : rest % grid->stride[1];
        joint *j = &p->joints[n];
        *j = (joint){.face = face, .low = face - s, .high = face, .conductance = interface->conductance[n], .axis = a};
        if (level->periodic[a]) {
            j->low += at == 0 ? across : 0;
            j->high -= at == grid->cells[a] ? across : 0;
        }
        add_conductance(level, j, j->conductance);
    }
    return WF_OK;
}

/* product: of the conductances with their stand-ins; takes those out and adds what they stand for. */
static void use_interface(const wf_flow_pressure *p, const float *x, float *product)
{
    for (size_t n = 0; n < p->joint_count; n++) {
        const joint *j = &p->joints[n];
        const float flux = j->conductance * (x[j->high] - x[j->low]);
        product[j->high] -= flux;
        product[j->low] += flux;
    }
    if (p->interface) {
        p->interface->apply(p->interface->user, x, product);
    }
}

wf_status wf_flow_pressure_update(wf_flow_pressure *p)
{
    wf_status status = read_interface(p);
    if (status != WF_OK) {
        return status;
    }
    wf_flow_multigrid_update(&p->multigrid);
    p->pocket_count = wf_flow_pockets_find(&p->multigrid.levels[0], p->labels, &p->has_closed);
    const size_t needed = (size_t)p->pocket_count + 1;
    status = wf_reserve(p->context, &p->sums, &p->sum_capacity, needed, sizeof *p->sums);
    if (status == WF_OK) {
        status = wf_reserve(p->context, &p->counts, &p->count_capacity, needed, sizeof *p->counts);
    }
    return status;
}

/* ---- conjugate gradients --------------------------------------------------------------------------------------- */

typedef enum gradient_pass { MULTIPLY, DOT, ADVANCE, TURN } gradient_pass;

typedef struct gradient_job {
    wf_flow_pressure *pressure;
    const wf_flow_pressure_kernels *kernels;
    float *phi, *r;
    const float *dot_with;
    float factor;
    gradient_pass pass;
} gradient_job;

static void run_gradient_pass(void *user, size_t block, size_t begin, size_t end)
{
    const gradient_job *job = user;
    wf_flow_pressure *p = job->pressure;
    const wf_flow_level *level = &p->multigrid.levels[0];
    switch (job->pass) {
    case MULTIPLY:
        p->block_sums[block] = job->kernels->multiply(level, p->direction, p->product, begin, end);
        break;
    case DOT:
        p->block_sums[block] = job->kernels->dot(level, job->r, job->dot_with, begin, end);
        break;
    case ADVANCE:
        p->block_tops[block] =
            job->kernels->advance(level, job->factor, p->direction, p->product, job->phi, job->r, begin, end);
        break;
    case TURN:
        job->kernels->turn(level, level->x, job->factor, p->direction, begin, end);
        break;
    }
}

static double sum_pass(gradient_job *job, gradient_pass which)
{
    wf_flow_pressure *p = job->pressure;
    const wf_flow_level *level = &p->multigrid.levels[0];
    double sum = 0;
    job->pass = which;
    wf_parallel_for(p->context, wf_flow_level_rows(level), wf_flow_level_block(level), run_gradient_pass, job);
    for (size_t b = 0; b < p->block_count; b++) {
        sum += p->block_sums[b];
    }
    return sum;
}

static float largest_pass(gradient_job *job)
{
    (void)sum_pass(job, ADVANCE);
    return wf_largest_top(job->pressure->block_tops, job->pressure->block_count);
}

/* direction . A direction, with A direction left in `product`. */
static double multiply(gradient_job *job)
{
    wf_flow_pressure *p = job->pressure;
    wf_flow_level_wrap(&p->multigrid.levels[0], p->direction);
    const double curvature = sum_pass(job, MULTIPLY);
    if (!p->interface) {
        return curvature;
    }
    use_interface(p, p->direction, p->product);
    job->r = p->product;
    job->dot_with = p->direction;
    return sum_pass(job, DOT);
}

float wf_flow_pressure_settle(wf_flow_pressure *p, float *b, float largest, double *trapped)
{
    if (p->pocket_count == 0 && !p->has_closed) {
        return largest;
    }
    return wf_flow_pockets_remove_means(&p->multigrid.levels[0], p->labels, p->pocket_count, b, p->sums, p->counts,
                                        trapped);
}

wf_status wf_flow_pressure_solve(wf_flow_pressure *p, float *b, float tolerance, float *phi,
                                 wf_flow_pressure_stats *stats)
{
    wf_flow_level *level = &p->multigrid.levels[0];
    const wf_flow_pressure_kernels *kernels = wf_flow_pressure_kernels_for(p->context);
    gradient_job job = {.pressure = p, .kernels = kernels, .phi = phi, .r = b, .dot_with = level->x};
    *stats = (wf_flow_pressure_stats){.levels = p->multigrid.level_count, .pockets = p->pocket_count};
    memset(phi, 0, level->grid.count * sizeof *phi);
    memset(p->direction, 0, level->grid.count * sizeof *p->direction);
    stats->residual = INFINITY;
    double old_product = 0;
    while (stats->residual > tolerance && stats->iterations < ITERATION_LIMIT) {
        wf_flow_multigrid_cycle(&p->multigrid, b);
        job.r = b;
        job.dot_with = level->x;
        const double product = sum_pass(&job, DOT);
        job.factor = old_product > 0 ? (float)(product / old_product) : 0;
        (void)sum_pass(&job, TURN);
        const double curvature = multiply(&job);
        if (!(product > 0) || !(curvature > 0)) {
            break; /* nothing is left but rounding, or values are not finite */
        }
        old_product = product;
        job.r = b;
        job.factor = (float)(product / curvature);
        stats->residual = largest_pass(&job);
        stats->iterations++;
    }
    stats->converged = stats->residual <= tolerance;
    if (p->pocket_count > 0) {
        double means = 0;
        (void)wf_flow_pockets_remove_means(level, p->labels, p->pocket_count, phi, p->sums, p->counts, &means);
    }
    wf_flow_level_wrap(level, phi);
    return WF_OK;
}
