/* multigrid_sweep.c - products and block Gauss-Seidel sweeps on one grid of a multigrid.
 *
 * A block of the lower triangle is read once and serves both its places: it gathers from earlier rows, then scatters
 * its row's new value to the residuals of these. Rows of blocks make both cheap in four lanes, without shuffles.
 */
#include "base/prefetch.h"
#include "base/tasks.h"
#include "solve/multigrid_level.h"

enum { ROW_BLOCK = 1024 };

static inline wf_float4 load_row(const float *from)
{
    return *(const wf_loose_float4 *)from;
}

/* Lane sums of a, b and c. */
static inline wf_float4 sum_lanes(wf_float4 a, wf_float4 b, wf_float4 c)
{
    const wf_float4 zero = {0};
    wf_float4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    wf_float4 c_low = __builtin_shufflevector(c, zero, 0, 4, 1, 5);
    wf_float4 c_high = __builtin_shufflevector(c, zero, 2, 4, 3, 5);
    wf_float4 ab = ab_low + ab_high, cc = c_low + c_high; /* a02 b02 a13 b13; c02 0 c13 0 */
    return __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
}

/* The sum of blocks times vectors whose fourth lanes are 0. */
static inline wf_float4 gather(const wf_grid_rows *rows, size_t row, const wf_float4 *z)
{
    wf_float4 a = {0}, b = {0}, c = {0};
    for (int32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        const float *block = rows->blocks[k];
        wf_float4 x = z[rows->column[k]];
        a += load_row(block) * x;
        b += load_row(block + 3) * x;
        c += load_row(block + 6) * x;
    }
    return sum_lanes(a, b, c);
}

/* to -= transposed blocks times z; the fourth lanes become noise. */
static inline void scatter(const wf_grid_rows *rows, size_t row, wf_float4 z, wf_float4 *to)
{
    wf_float4 x = __builtin_shufflevector(z, z, 0, 0, 0, 0), y = __builtin_shufflevector(z, z, 1, 1, 1, 1);
    wf_float4 w = __builtin_shufflevector(z, z, 2, 2, 2, 2);
    for (int32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        const float *block = rows->blocks[k];
        to[rows->column[k]] -= load_row(block) * x + load_row(block + 3) * y + load_row(block + 6) * w;
    }
}

static inline wf_float4 gather_scalars(const wf_grid_level *level, size_t row, const wf_float4 *z)
{
    wf_float4 sum = {0};
    for (int32_t k = level->scalar_start[row]; k < level->scalar_start[row + 1]; k++) {
        sum += level->scalars[k] * z[level->scalar_column[k]];
    }
    return sum;
}

static inline void scatter_scalars(const wf_grid_level *level, size_t row, wf_float4 z, wf_float4 *to)
{
    for (int32_t k = level->scalar_start[row]; k < level->scalar_start[row + 1]; k++) {
        to[level->scalar_column[k]] -= level->scalars[k] * z;
    }
}

static inline wf_float4 invert(const wf_float4 inverse[3], wf_float4 t)
{
    return inverse[0] * __builtin_shufflevector(t, t, 0, 0, 0, 0) +
           inverse[1] * __builtin_shufflevector(t, t, 1, 1, 1, 1) +
           inverse[2] * __builtin_shufflevector(t, t, 2, 2, 2, 2);
}

/* Which of the couplings that are stored in both triangles. */
typedef enum side { EARLIER, LATER, BOTH } side;

static wf_float4 gather_side(const wf_grid_level *level, const wf_grid_rows *rows, size_t row, side which,
                             const wf_float4 *z)
{
    wf_float4 a = {0}, b = {0}, c = {0};
    int32_t own_strip = (int32_t)row >> level->strip_shift, own_colour = level->strip_colour[own_strip];
    for (int32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        int32_t column = rows->column[k], strip = column >> level->strip_shift;
        bool earlier = strip == own_strip ? column < (int32_t)row : level->strip_colour[strip] < own_colour;
        if (which == BOTH || earlier == (which == EARLIER)) {
            const float *block = rows->blocks[k];
            wf_float4 x = z[column];
            a += load_row(block) * x;
            b += load_row(block + 3) * x;
            c += load_row(block + 6) * x;
        }
    }
    return sum_lanes(a, b, c);
}

/* The part of a row's product that comes from `outer` and `extra`. */
static inline wf_float4 gather_others(const wf_grid_level *level, size_t row, side which, const wf_float4 *z)
{
    wf_float4 sum = {0};
    if (level->outer.start[row] < level->outer.start[row + 1]) {
        sum += gather_side(level, &level->outer, row, which, z);
    }
    if (level->has_extra && level->extra.start[row] < level->extra.start[row + 1]) {
        sum += gather_side(level, &level->extra, row, which, z);
    }
    return sum;
}

/* ---- strips ---------------------------------------------------------------------------------------------------- */

typedef struct sweep {
    const wf_grid_level *level;
    const wf_float4 *r;
    wf_float4 *z;
    const int32_t *strips; /* of one colour */
} sweep;

static void strip_rows(const wf_grid_level *level, int32_t strip, size_t *begin, size_t *end)
{
    *begin = (size_t)strip << level->strip_shift;
    *end = *begin + ((size_t)1 << level->strip_shift);
    *end = *end < level->rows ? *end : level->rows;
}

/* Asks for what a sweep reads 32 rows later, or earlier where it goes up. */
static inline void prefetch_row(const wf_grid_level *level, size_t row, bool up)
{
    const int32_t *start = level->inner.start;
    size_t blocks = 32 * 3 * sizeof *level->inner.blocks, columns = 32 * 3 * sizeof *level->inner.column;
    wf_prefetch(level->inner.blocks[start[row]], up ? (size_t)0 - blocks : blocks, 128);
    wf_prefetch(level->inner.column + start[row], up ? (size_t)0 - columns : columns, 1);
    wf_prefetch(level->inverse[row], up ? (size_t)0 - 16 * sizeof *level->inverse : 16 * sizeof *level->inverse, 48);
    if (level->has_scalars) {
        size_t scalars = 32 * 6 * sizeof *level->scalars;
        wf_prefetch(level->scalars + level->scalar_start[row], up ? (size_t)0 - scalars : scalars, 1);
        wf_prefetch(level->scalar_column + level->scalar_start[row], up ? (size_t)0 - scalars : scalars, 1);
    }
}

static void sweep_strip_down(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z)
{
    size_t begin, end;
    strip_rows(level, strip, &begin, &end);
    wf_float4 *residual = level->residual;
    for (size_t row = begin; row < end; row++) {
        prefetch_row(level, row, false);
        wf_float4 t = r[row] - gather(&level->inner, row, z) - gather_others(level, row, EARLIER, z);
        if (level->has_scalars) {
            t -= gather_scalars(level, row, z);
        }
        wf_float4 value = invert(level->inverse[row], t);
        z[row] = value;
        residual[row] = (wf_float4){0};
        scatter(&level->inner, row, value, residual);
        if (level->has_scalars) {
            scatter_scalars(level, row, value, residual);
        }
    }
}

static void sweep_strip_up(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z)
{
    size_t begin, end;
    strip_rows(level, strip, &begin, &end);
    wf_float4 *residual = level->residual;
    for (size_t row = begin; row < end; row++) {
        residual[row] = r[row];
    }
    for (size_t row = end; row-- > begin;) {
        prefetch_row(level, row, true);
        wf_float4 t = residual[row] - gather(&level->inner, row, z) - gather_others(level, row, BOTH, z);
        if (level->has_scalars) {
            t -= gather_scalars(level, row, z);
        }
        wf_float4 value = invert(level->inverse[row], t);
        z[row] = value;
        scatter(&level->inner, row, value, residual);
        if (level->has_scalars) {
            scatter_scalars(level, row, value, residual);
        }
    }
}

static void sweep_down_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        sweep_strip_down(s->level, s->strips[k], s->r, s->z);
    }
}

static void sweep_up_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        sweep_strip_up(s->level, s->strips[k], s->r, s->z);
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
    for (size_t row = begin; row < end; row++) {
        s->level->residual[row] -= gather_others(s->level, row, LATER, s->z);
    }
}

void wf_grid_level_sweep_down(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z)
{
    sweep s = {.level = level, .r = r, .z = z};
    for (int32_t colour = 0; colour < level->colour_count; colour++) {
        run_colour(context, &s, colour, sweep_down_block);
    }
    if (level->strip_count > 1 || level->has_extra) {
        wf_parallel_for(context, level->rows, ROW_BLOCK, later_residuals, &s);
    }
}

void wf_grid_level_sweep_up(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z)
{
    sweep s = {.level = level, .r = r, .z = z};
    for (int32_t colour = level->colour_count - 1; colour >= 0; colour--) {
        run_colour(context, &s, colour, sweep_up_block);
    }
}

/* ---- products -------------------------------------------------------------------------------------------------- */

typedef struct product {
    const wf_grid_level *level;
    const wf_float4 *z;
    wf_float4 *to;
} product;

static void multiply_strips(void *user, size_t block, size_t first, size_t last)
{
    (void)block;
    const product *p = user;
    const wf_grid_level *level = p->level;
    for (size_t strip = first; strip < last; strip++) {
        size_t begin, end;
        strip_rows(level, (int32_t)strip, &begin, &end);
        for (size_t row = begin; row < end; row++) {
            const float *d = level->diagonal[row];
            wf_float4 x = p->z[row];
            wf_float4 sum = sum_lanes(load_row(d) * x, load_row(d + 3) * x, load_row(d + 6) * x);
            p->to[row] = sum + gather(&level->inner, row, p->z) + gather_others(level, row, BOTH, p->z);
            scatter(&level->inner, row, -x, p->to);
        }
    }
}

void wf_grid_level_multiply(wf_context *context, const wf_grid_level *level, const wf_float4 *z, wf_float4 *to)
{
    product p = {level, z, to};
    wf_parallel_for(context, (size_t)level->strip_count, 1, multiply_strips, &p);
}
