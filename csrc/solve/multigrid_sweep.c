/* multigrid_sweep.c - sweeps and products on one grid of a multigrid, strip by strip. */
#include "base/tasks.h"
#include "solve/multigrid_sweep_kernels.h"

typedef struct sweep {
    const wf_grid_sweep_kernels *kernels;
    const wf_grid_level *level;
    const wf_float4 *r;
    wf_float4 *z;
    const int32_t *strips; /* of one colour */
} sweep;

static void sweep_down_strips(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        s->kernels->sweep_down(s->level, s->strips[k], s->r, s->z);
    }
}

static void sweep_up_strips(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        s->kernels->sweep_up(s->level, s->strips[k], s->r, s->z);
    }
}

static void run_colour(wf_context *context, sweep *s, int32_t colour, wf_block_function *function)
{
    const int32_t *start = s->level->colour_start;
    s->strips = s->level->strips_by_colour + start[colour];
    wf_parallel_for(context, (size_t)(start[colour + 1] - start[colour]), 1, function, s);
}

static void later_residuals(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t strip = begin; strip < end; strip++) {
        s->kernels->later_residuals(s->level, (int32_t)strip, s->z);
    }
}

void wf_grid_level_sweep_down(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z)
{
    sweep s = {.kernels = wf_grid_sweep_kernels_for(context), .level = level, .r = r, .z = z};
    for (int32_t colour = 0; colour < level->colour_count; colour++) {
        run_colour(context, &s, colour, sweep_down_strips);
    }
    if (level->strip_count > 1 || level->has_extra) {
        wf_parallel_for(context, (size_t)level->strip_count, 1, later_residuals, &s);
    }
}

void wf_grid_level_sweep_up(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z)
{
    sweep s = {.kernels = wf_grid_sweep_kernels_for(context), .level = level, .r = r, .z = z};
    for (int32_t colour = level->colour_count - 1; colour >= 0; colour--) {
        run_colour(context, &s, colour, sweep_up_strips);
    }
}

static void multiply_strips(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t strip = begin; strip < end; strip++) {
        s->kernels->multiply(s->level, (int32_t)strip, s->r, s->z);
    }
}

void wf_grid_level_multiply(wf_context *context, const wf_grid_level *level, const wf_float4 *z, wf_float4 *product)
{
    sweep s = {.kernels = wf_grid_sweep_kernels_for(context), .level = level, .r = z, .z = product};
    wf_parallel_for(context, (size_t)level->strip_count, 1, multiply_strips, &s);
}
