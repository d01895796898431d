/* multigrid_sweep.c - products and block Gauss-Seidel sweeps on one grid of a multigrid.
 *
 * A block of the lower triangle is read once and serves both its places: it gathers from earlier rows, then scatters
 * its row's new value to the residuals of these. Rows of blocks make both cheap in four lanes, without shuffles.
 */
#include "base/dispatch.h"
#include "base/prefetch.h"
#include "base/tasks.h"
#include "solve/multigrid_level.h"

enum { ROW_BLOCK = 1024 };

/* What couples a row to earlier ones of its strip, which begins at row `begin`: below the diagonal, columns ascend.
 * single: as of the level, here and below; where a constant says that there is none, the compiler sees to it. */
static inline wf_single_row inner_row(const wf_grid_level *level, const wf_single_matrix *single, size_t row,
                                      size_t begin)
{
    if (single) {
        wf_single_row inner = wf_single_lower_row(single, row);
        while (inner.count > 0 && *inner.column < (int32_t)begin) {
            inner = (wf_single_row){inner.blocks + 1, inner.column + 1, inner.count - 1};
        }
        return inner;
    }
    int32_t start = level->inner.start[row];
    return (wf_single_row){(const float(*)[9])level->inner.blocks + start, level->inner.column + start,
                           level->inner.start[row + 1] - start};
}

/* The sum of blocks times vectors whose fourth lanes are 0. */
static inline wf_float4 gather(wf_single_row row, const wf_float4 *z)
{
    wf_row_products sum = {{0}, {0}, {0}};
    for (int32_t k = 0; k < row.count; k++) {
        wf_add_products(&sum, row.blocks[k], z[row.column[k]]);
    }
    return wf_sum_products(&sum);
}

/* to -= transposed blocks times z; the fourth lanes become noise. */
static inline void scatter(wf_single_row row, wf_float4 z, wf_float4 *to)
{
    wf_float4 x = __builtin_shufflevector(z, z, 0, 0, 0, 0), y = __builtin_shufflevector(z, z, 1, 1, 1, 1);
    wf_float4 w = __builtin_shufflevector(z, z, 2, 2, 2, 2);
    for (int32_t k = 0; k < row.count; k++) {
        const float *block = row.blocks[k];
        to[row.column[k]] -= wf_load_row(block) * x + wf_load_row(block + 3) * y + wf_load_row(block + 6) * w;
    }
}

/* The scalars of the finest grid that couple a row to earlier ones of its strip: [first, end). */
typedef struct scalar_range {
    int32_t first, end;
} scalar_range;

static inline scalar_range inner_scalars(const wf_single_matrix *single, size_t row, size_t begin)
{
    scalar_range range = {single->scalar_start[row], single->scalar_start[row]};
    int32_t end = single->scalar_start[row + 1];
    while (range.first < end && single->scalar_column[range.first] < (int32_t)begin) {
        range.first++;
    }
    range.end = range.first;
    while (range.end < end && single->scalar_column[range.end] < (int32_t)row) {
        range.end++;
    }
    return range;
}

static inline wf_float4 gather_scalars(const wf_single_matrix *single, scalar_range range, const wf_float4 *z)
{
    wf_float4 sum = {0};
    for (int32_t k = range.first; k < range.end; k++) {
        sum += single->scalars[k] * z[single->scalar_column[k]];
    }
    return sum;
}

static inline void scatter_scalars(const wf_single_matrix *single, scalar_range range, wf_float4 z, wf_float4 *to)
{
    for (int32_t k = range.first; k < range.end; k++) {
        to[single->scalar_column[k]] -= single->scalars[k] * z;
    }
}

static inline wf_float4 invert(const wf_float4 inverse[3], wf_float4 t)
{
    return inverse[0] * __builtin_shufflevector(t, t, 0, 0, 0, 0) +
           inverse[1] * __builtin_shufflevector(t, t, 1, 1, 1, 1) +
           inverse[2] * __builtin_shufflevector(t, t, 2, 2, 2, 2);
}

/* Which of the couplings that do not lie within strips, or change from step to step. */
typedef enum side { EARLIER, LATER, BOTH } side;

static bool is_on_side(const wf_grid_level *level, size_t row, int32_t column, side which)
{
    int32_t own_strip = (int32_t)row >> level->strip_shift, strip = column >> level->strip_shift;
    bool earlier = strip == own_strip ? column < (int32_t)row
                                      : level->strip_colour[strip] < level->strip_colour[own_strip];
    return which == BOTH || earlier == (which == EARLIER);
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

/* Whether the finest grid's fixed part couples a row to rows outside of its strip [begin, end). */
static inline bool reaches_beyond(const wf_single_matrix *single, size_t row, int32_t begin, int32_t end)
{
    const int32_t *columns = single->pattern->column, *start = single->pattern->row_start + row;
    const int32_t *scalar_columns = single->scalar_column, *scalar_start = single->scalar_start + row;
    return columns[start[0]] < begin || columns[start[1] - 1] >= end ||
           (scalar_start[0] < scalar_start[1] &&
            (scalar_columns[scalar_start[0]] < begin || scalar_columns[scalar_start[1] - 1] >= end));
}

/* The part of the row's product that comes from those rows. Columns ascend: they stand at both ends. */
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
    column = single->scalar_column;
    for (int32_t k = single->scalar_start[row]; k < single->scalar_start[row + 1] && column[k] < begin; k++) {
        if (is_on_side(level, row, column[k], which)) {
            sum += single->scalars[k] * z[column[k]];
        }
    }
    for (int32_t k = single->scalar_start[row + 1]; k-- > single->scalar_start[row] && column[k] >= end;) {
        if (is_on_side(level, row, column[k], which)) {
            sum += single->scalars[k] * z[column[k]];
        }
    }
    sum[3] = 0;
    return sum;
}

/* The part of a row's product that does not come from its strip, or from contacts; begin, end: of the strip. */
static inline wf_float4 gather_others(const wf_grid_level *level, const wf_single_matrix *single, size_t row,
                                      size_t begin, size_t end, side which, const wf_float4 *z)
{
    wf_float4 sum = {0};
    if (single) {
        if (reaches_beyond(single, row, (int32_t)begin, (int32_t)end)) {
            sum += gather_beyond(level, row, (int32_t)begin, (int32_t)end, which, z);
        }
        if (level->has_extra && level->extra.start[row] < level->extra.start[row + 1]) {
            sum += gather_side(level, wf_single_extra_row(single, row), row, which, z);
        }
        return sum;
    }
    const wf_grid_rows *parts[2] = {&level->outer, &level->extra};
    for (int k = 0; k < 1 + level->has_extra; k++) {
        int32_t start = parts[k]->start[row], count = parts[k]->start[row + 1] - start;
        if (count > 0) {
            wf_single_row others = {(const float(*)[9])parts[k]->blocks + start, parts[k]->column + start, count};
            sum += gather_side(level, others, row, which, z);
        }
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

/* Asks for what a sweep reads some 32 rows later, or earlier where it goes up. */
static inline void prefetch_row(const wf_grid_level *level, const wf_single_matrix *single, size_t row, bool up)
{
    int32_t start = single ? single->pattern->lower_start[row] : level->inner.start[row];
    const float (*blocks)[9] = (const float(*)[9])(single ? single->lower : level->inner.blocks) + start;
    const int32_t *column = single ? single->pattern->column + single->pattern->row_start[row]
                                   : level->inner.column + start;
    size_t ahead = 32 * 3 * sizeof *blocks, columns = (single ? 7 : 3) * 32 * sizeof *column;
    wf_prefetch(blocks, up ? (size_t)0 - ahead : ahead, 128);
    wf_prefetch(column, up ? (size_t)0 - columns : columns, 1);
    wf_prefetch(level->inverse[row], up ? (size_t)0 - 16 * sizeof *level->inverse : 16 * sizeof *level->inverse, 48);
    if (single) {
        size_t scalars = 32 * 12 * sizeof *single->scalars;
        wf_prefetch(single->scalars + single->scalar_start[row], up ? (size_t)0 - scalars : scalars, 1);
        wf_prefetch(single->scalar_column + single->scalar_start[row], up ? (size_t)0 - scalars : scalars, 1);
    }
}

/* One row of a sweep: its new value, and what that takes from the residuals of earlier rows. `t` is the right-hand side
 * less what others than these contribute. */
static inline void relax_row(const wf_grid_level *level, const wf_single_matrix *single, size_t row, size_t begin,
                             wf_float4 t, wf_float4 *z)
{
    wf_single_row inner = inner_row(level, single, row, begin);
    scalar_range scalars = {0, 0};
    t -= gather(inner, z);
    if (single) {
        scalars = inner_scalars(single, row, begin);
        t -= gather_scalars(single, scalars, z);
    }
    wf_float4 value = invert(level->inverse[row], t);
    z[row] = value;
    scatter(inner, value, level->residual);
    if (single) {
        scatter_scalars(single, scalars, value, level->residual);
    }
}

static WF_ALWAYS_INLINE void sweep_strip_down(const wf_grid_level *level, const wf_single_matrix *single, int32_t strip,
                                              const wf_float4 *r, wf_float4 *z)
{
    size_t begin, end;
    strip_rows(level, strip, &begin, &end);
    for (size_t row = begin; row < end; row++) {
        prefetch_row(level, single, row, false);
        level->residual[row] = (wf_float4){0};
        wf_float4 t = r[row] - gather_others(level, single, row, begin, end, EARLIER, z);
        relax_row(level, single, row, begin, t, z);
    }
}

static WF_ALWAYS_INLINE void sweep_strip_up(const wf_grid_level *level, const wf_single_matrix *single, int32_t strip,
                                            const wf_float4 *r, wf_float4 *z)
{
    size_t begin, end;
    strip_rows(level, strip, &begin, &end);
    wf_float4 *residual = level->residual;
    for (size_t row = begin; row < end; row++) {
        residual[row] = r[row];
    }
    for (size_t row = end; row-- > begin;) {
        prefetch_row(level, single, row, true);
        wf_float4 t = residual[row] - gather_others(level, single, row, begin, end, BOTH, z);
        relax_row(level, single, row, begin, t, z);
    }
}

static void sweep_down_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        if (s->level->single) {
            sweep_strip_down(s->level, s->level->single, s->strips[k], s->r, s->z);
        } else {
            sweep_strip_down(s->level, NULL, s->strips[k], s->r, s->z);
        }
    }
}

static void sweep_up_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *s = user;
    for (size_t k = begin; k < end; k++) {
        if (s->level->single) {
            sweep_strip_up(s->level, s->level->single, s->strips[k], s->r, s->z);
        } else {
            sweep_strip_up(s->level, NULL, s->strips[k], s->r, s->z);
        }
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
        size_t strip_begin, strip_end;
        strip_rows(s->level, (int32_t)(row >> s->level->strip_shift), &strip_begin, &strip_end);
        s->level->residual[row] -= gather_others(s->level, s->level->single, row, strip_begin, strip_end,
                                                   LATER, s->z);
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
            wf_float4 x = p->z[row];
            wf_single_row inner = inner_row(level, NULL, row, begin);
            wf_row_products own = {{0}, {0}, {0}};
            wf_add_products(&own, level->diagonal[row], x);
            p->to[row] = wf_sum_products(&own) + gather(inner, p->z) +
                         gather_others(level, NULL, row, begin, end, BOTH, p->z);
            scatter(inner, -x, p->to);
        }
    }
}

void wf_grid_level_multiply(wf_context *context, const wf_grid_level *level, const wf_float4 *z, wf_float4 *to)
{
    product p = {level, z, to};
    wf_parallel_for(context, (size_t)level->strip_count, 1, multiply_strips, &p);
}
