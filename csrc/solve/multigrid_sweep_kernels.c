/* multigrid_sweep_kernels.c - block Gauss-Seidel sweeps and products on one grid of a multigrid.
 *
 * A block of the lower triangle is read once and serves both its places: it gathers from earlier rows, then scatters
 * its row's new value to the residuals of these. Rows of blocks make both cheap in four lanes, without shuffles. What a
 * sweep costs is instructions, at ten thousand vertices and at a million: where arrays are stands in a `view` that its
 * stores cannot change, or every row would look it up again, and all that is rare is out of the rows' way.
 */
#include "solve/multigrid_sweep_kernels.h"

#include <string.h>

#include "base/prefetch.h"

/* What couples the rows of one strip to earlier ones of it. */
typedef struct view {
    const wf_grid_level *level;
    const wf_single_matrix *single; /* as of the level */
    const float (*blocks)[9];
    const int32_t *start;                 /* of a row's blocks */
    const int32_t *column, *column_start; /* of a row's columns */
    const float *scalars;
    const int32_t *scalar_start, *scalar_end;
    const int16_t *near_offset; /* of a scalar's column, beyond the row */
    const int32_t *far_offset;  /* the same, where it is not NULL */
    const float (*inverse)[9];
    const uint8_t *others; /* as of the level */
    size_t begin, end;
} view;

/* single: as of the level; where a constant says that there is none, the compiler sees to it. */
static inline view view_of(const wf_grid_level *level, const wf_single_matrix *single, int32_t strip)
{
    view v = {.level = level, .single = single, .inverse = (const float(*)[9])level->inverse,
              .others = level->others};
    v.begin = (size_t)strip << level->strip_shift;
    v.end = v.begin + ((size_t)1 << level->strip_shift);
    v.end = v.end < level->rows ? v.end : level->rows;
    if (single) {
        v.blocks = (const float(*)[9])single->lower;
        v.start = single->pattern->lower_start;
        v.column = single->pattern->column;
        v.column_start = single->pattern->row_start;
        v.scalars = single->scalars;
        v.scalar_start = single->scalar_start;
        v.scalar_end = level->lower_scalars_end;
        v.near_offset = single->near_offset;
        v.far_offset = single->is_far ? single->far_offset : NULL;
    } else {
        v.blocks = (const float(*)[9])level->inner.blocks;
        v.start = v.column_start = level->inner.start;
        v.column = level->inner.column;
    }
    return v;
}

/* ---- couplings beyond strips, and contacts ----------------------------------------------------------------------- */

/* Which of the couplings that do not lie within strips, or change from step to step. */
typedef enum side { EARLIER, LATER, BOTH } side;

static bool is_on_side(const wf_grid_level *level, size_t row, int32_t column, side which)
{
    int32_t own_strip = (int32_t)row >> level->strip_shift, strip = column >> level->strip_shift;
    bool earlier = strip == own_strip ? column < (int32_t)row
                                      : level->strip_colour[strip] < level->strip_colour[own_strip];
    return which == BOTH || earlier == (which == EARLIER);
}

static wf_single_row row_of(const wf_grid_rows *rows, size_t row)
{
    int32_t start = rows->start[row];
    return (wf_single_row){(const float(*)[9])rows->blocks + start, rows->column + start,
                           rows->start[row + 1] - start};
}

static wf_float4 gather_side(const wf_grid_level *level, wf_single_row others, size_t row, side which,
                             const wf_float4 *z)
{
    wf_row_products sum = {{0}, {0}, {0}};
    for (int32_t k = 0; k < others.count; k++) {
        if (is_on_side(level, row, others.column[k], which)) {
            wf_add_products(&sum, others.blocks[k], z[others.column[k]]);
        }
    }
    return wf_sum_products(&sum);
}

/* The part of a row's product that comes from beyond its strip [begin, end), on the finest grid. Columns ascend: they
 * stand at both ends. */
static wf_float4 gather_beyond(const wf_grid_level *level, size_t row, int32_t begin, int32_t end, side which,
                               const wf_float4 *z)
{
    const wf_single_matrix *single = level->single;
    wf_single_row below = wf_single_lower_row(single, row);
    int32_t outer = 0;
    while (outer < below.count && below.column[outer] < begin) {
        outer++;
    }
    below.count = outer;
    wf_float4 sum = outer > 0 ? gather_side(level, below, row, which, z) : (wf_float4){0};
    const wf_pattern *pattern = single->pattern;
    const int32_t *column = pattern->column;
    const int32_t *upper = pattern->upper + wf_pattern_upper_start(pattern, (int32_t)row + 1);
    for (int32_t k = pattern->row_start[row + 1] - 1; column[k] >= end; k--) {
        upper--;
        if (is_on_side(level, row, column[k], which)) {
            sum += wf_transposed_product(single->lower[*upper], z[column[k]]);
        }
    }
    for (int32_t k = single->scalar_start[row]; k < single->scalar_start[row + 1]; k++) {
        int32_t other = wf_single_scalar_column(single, row, k);
        if (other >= begin) {
            break;
        }
        if (is_on_side(level, row, other, which)) {
            sum += single->scalars[k] * z[other];
        }
    }
    for (int32_t k = single->scalar_start[row + 1]; k-- > single->scalar_start[row];) {
        int32_t other = wf_single_scalar_column(single, row, k);
        if (other < end) {
            break;
        }
        if (is_on_side(level, row, other, which)) {
            sum += single->scalars[k] * z[other];
        }
    }
    sum[3] = 0;
    return sum;
}

/* The part of a row's product that does not come from its strip, for rows with others. */
static __attribute__((noinline)) wf_float4 gather_others(const view *v, size_t row, side which, const wf_float4 *z)
{
    const wf_grid_level *level = v->level;
    wf_float4 sum = {0};
    if (v->others[row] & WF_GRID_REACHES_BEYOND) {
        if (v->single) {
            sum += gather_beyond(level, row, (int32_t)v->begin, (int32_t)v->end, which, z);
        } else {
            sum += gather_side(level, row_of(&level->outer, row), row, which, z);
        }
    }
    if (v->others[row] & WF_GRID_HAS_EXTRA) {
        sum += gather_side(level, row_of(&level->extra, row), row, which, z);
    }
    return sum;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static inline int32_t offset_of(const view *v, int32_t k)
{
    return v->far_offset ? v->far_offset[k] : v->near_offset[k];
}

/* Where in the arrays of a view the couplings of a row to earlier ones of the strip stand. */
typedef struct row_range {
    int32_t block, block_end, column, scalar, scalar_end;
} row_range;

static inline row_range range_of(const view *v, size_t row)
{
    row_range range = {.block = v->start[row], .block_end = v->start[row + 1], .column = v->column_start[row]};
    if (v->single) {
        range.scalar = v->scalar_start[row];
        range.scalar_end = v->scalar_end[row];
        if (v->others[row] & WF_GRID_REACHES_BEYOND) {
            for (; range.block < range.block_end && v->column[range.column] < (int32_t)v->begin; range.column++) {
                range.block++;
            }
            while (range.scalar < range.scalar_end && (int32_t)row + offset_of(v, range.scalar) < (int32_t)v->begin) {
                range.scalar++;
            }
        }
    }
    return range;
}

/* What scalars contribute to a row; around: the values at the row and on. */
static WF_ALWAYS_INLINE wf_float4 gather_scalars(const view *v, row_range range, bool far, const wf_float4 *around)
{
    wf_float4 sum = {0};
    for (int32_t k = range.scalar; k < range.scalar_end; k++) {
        sum += v->scalars[k] * around[far ? v->far_offset[k] : v->near_offset[k]];
    }
    return sum;
}

static WF_ALWAYS_INLINE void scatter_scalars(const view *v, row_range range, bool far, wf_float4 z, wf_float4 *around)
{
    for (int32_t k = range.scalar; k < range.scalar_end; k++) {
        around[far ? v->far_offset[k] : v->near_offset[k]] -= v->scalars[k] * z;
    }
}

/* t less what the earlier rows of the strip contribute. */
static inline wf_float4 gather(const view *v, size_t row, row_range range, wf_float4 t, const wf_float4 *restrict z)
{
    wf_row_products sum = {{0}, {0}, {0}};
    const int32_t *column = v->column + range.column - range.block;
    for (int32_t k = range.block; k < range.block_end; k++) {
        wf_add_products(&sum, v->blocks[k], z[column[k]]);
    }
    t -= wf_sum_products(&sum);
    return t - (v->far_offset ? gather_scalars(v, range, true, z + row) : gather_scalars(v, range, false, z + row));
}

/* to -= transposed blocks times z; the fourth lanes become noise. */
static inline void scatter(const view *v, size_t row, row_range range, wf_float4 z, wf_float4 *restrict to)
{
    wf_float4 x = __builtin_shufflevector(z, z, 0, 0, 0, 0), y = __builtin_shufflevector(z, z, 1, 1, 1, 1);
    wf_float4 w = __builtin_shufflevector(z, z, 2, 2, 2, 2);
    const int32_t *column = v->column + range.column - range.block;
    for (int32_t k = range.block; k < range.block_end; k++) {
        const float *block = v->blocks[k];
        to[column[k]] -= wf_load_row(block) * x + wf_load_row(block + 3) * y + wf_load_row(block + 6) * w;
    }
    if (v->far_offset) {
        scatter_scalars(v, range, true, z, to + row);
    } else {
        scatter_scalars(v, range, false, z, to + row);
    }
}

/* The fourth lane becomes 0, whatever it was. */
static inline wf_float4 invert(const float inverse[9], wf_float4 t)
{
    const wf_float4 zero = {0};
    return __builtin_shufflevector(wf_transposed_product(inverse, t), zero, 0, 1, 2, 4);
}

/* Asks for what a sweep reads some 32 rows later, or earlier where it goes up. */
static inline void prefetch_row(const view *v, const row_range *range, size_t row, bool up)
{
    size_t ahead = 32 * 3 * sizeof *v->blocks;
    wf_prefetch(v->blocks + range->block, up ? (size_t)0 - ahead : ahead, 128);
    wf_prefetch(v->inverse + row, up ? (size_t)0 - 16 * sizeof *v->inverse : 16 * sizeof *v->inverse, 48);
}

/* Makes a row's value of its right-hand side t, and tells the earlier rows of the strip. Going up, all other strips
 * have theirs. */
static WF_ALWAYS_INLINE void relax_row(const view *v, size_t row, bool up, wf_float4 t, wf_float4 *restrict z,
                                       wf_float4 *restrict residual)
{
    row_range range = range_of(v, row);
    prefetch_row(v, &range, row, up);
    if (v->others[row]) {
        t -= gather_others(v, row, up ? BOTH : EARLIER, z);
    }
    t = gather(v, row, range, t, z);
    wf_float4 value = invert(v->inverse[row], t);
    z[row] = value;
    scatter(v, row, range, value, residual);
}

static WF_ALWAYS_INLINE void sweep_down(const wf_grid_level *level, const wf_single_matrix *single, int32_t strip,
                                        const wf_float4 *restrict r, wf_float4 *restrict z,
                                        wf_float4 *restrict residual)
{
    const view v = view_of(level, single, strip);
    for (size_t row = v.begin; row < v.end; row++) {
        residual[row] = (wf_float4){0};
        relax_row(&v, row, false, r[row], z, residual);
    }
}

static WF_ALWAYS_INLINE void sweep_up(const wf_grid_level *level, const wf_single_matrix *single, int32_t strip,
                                      const wf_float4 *restrict r, wf_float4 *restrict z, wf_float4 *restrict residual)
{
    const view v = view_of(level, single, strip);
    memcpy(residual + v.begin, r + v.begin, (v.end - v.begin) * sizeof *residual);
    for (size_t row = v.end; row-- > v.begin;) {
        relax_row(&v, row, true, residual[row], z, residual);
    }
}

static void sweep_strip_down(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z)
{
    if (level->single) {
        sweep_down(level, level->single, strip, r, z, level->residual);
    } else {
        sweep_down(level, NULL, strip, r, z, level->residual);
    }
}

static void sweep_strip_up(const wf_grid_level *level, int32_t strip, const wf_float4 *r, wf_float4 *z)
{
    if (level->single) {
        sweep_up(level, level->single, strip, r, z, level->residual);
    } else {
        sweep_up(level, NULL, strip, r, z, level->residual);
    }
}

static void later_residuals(const wf_grid_level *level, int32_t strip, const wf_float4 *z)
{
    const view v = view_of(level, level->single, strip);
    for (size_t row = v.begin; row < v.end; row++) {
        if (v.others[row]) {
            level->residual[row] -= gather_others(&v, row, LATER, z);
        }
    }
}

static WF_ALWAYS_INLINE void multiply(const wf_grid_level *level, int32_t strip, const wf_float4 *restrict z,
                                      wf_float4 *restrict to)
{
    const view v = view_of(level, NULL, strip);
    for (size_t row = v.begin; row < v.end; row++) {
        row_range range = range_of(&v, row);
        wf_row_products own = {{0}, {0}, {0}};
        wf_add_products(&own, level->diagonal[row], z[row]);
        wf_float4 t = (wf_float4){0} - wf_sum_products(&own);
        if (v.others[row]) {
            t -= gather_others(&v, row, BOTH, z);
        }
        to[row] = (wf_float4){0} - gather(&v, row, range, t, z);
        scatter(&v, row, range, (wf_float4){0} - z[row], to);
    }
}

static void multiply_strip(const wf_grid_level *level, int32_t strip, const wf_float4 *z, wf_float4 *to)
{
    multiply(level, strip, z, to);
}

const wf_grid_sweep_kernels WF_KERNELS(wf_grid_sweep_kernels) = {
    .sweep_down = sweep_strip_down, .sweep_up = sweep_strip_up, .later_residuals = later_residuals,
    .multiply = multiply_strip};
