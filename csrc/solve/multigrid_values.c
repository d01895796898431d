/* multigrid_values.c - what changes with the values of the matrix: inverses, colours, and the sums of coarse grids. */
#include <string.h>

#include "base/tasks.h"
#include "solve/definite.h"
#include "solve/multigrid_kernels.h"

enum { ROW_BLOCK = 512, SLOT_BLOCK = 8192, LOCAL_LIMIT = 256 };

/* The inverse of a diagonal block. Where a group is held in all or some directions its sum has no entry along these;
 * so little is added there that the others do not feel it. A row without any entry gets 0, and stays at 0. */
static void invert_diagonal(const wf_mat3 *diagonal, float inverse[9])
{
    wf_mat3 d = *diagonal, inverted;
    double trace = d.m[0][0] + d.m[1][1] + d.m[2][2];
    for (double part = 0; !wf_invert_definite(&d, &inverted); part = part > 0 ? 10 * part : 1e-7) {
        if (!(trace > 0) || part > 1) {
            inverted = (wf_mat3){{{0}}};
            break;
        }
        for (int i = 0; i < 3; i++) {
            d.m[i][i] = diagonal->m[i][i] + part * trace;
        }
    }
    for (int k = 0; k < 9; k++) {
        inverse[k] = (float)inverted.m[k % 3][k / 3];
    }
}

static void narrow(const wf_mat3 *from, float to[9])
{
    for (int k = 0; k < 9; k++) {
        to[k] = (float)(&from->m[0][0])[k];
    }
}

/* ---- colours --------------------------------------------------------------------------------------------------- */

/* Marks the colours of earlier strips that a row is coupled to. */
static void mark_colours(const wf_grid_level *level, const wf_grid_rows *rows, size_t row, int32_t strip,
                         int32_t *marks)
{
    for (int32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        int32_t other = rows->column[k] >> level->strip_shift;
        if (other < strip) {
            marks[level->strip_colour[other]] = strip;
        }
    }
}

/* The same of the finest grid's fixed part: columns ascend, those of earlier strips come first. */
static void mark_fixed_colours(const wf_grid_level *level, size_t row, int32_t strip, int32_t *marks)
{
    const wf_single_matrix *single = level->single;
    int32_t first = strip << level->strip_shift;
    for (int32_t k = single->pattern->row_start[row]; single->pattern->column[k] < first; k++) {
        marks[level->strip_colour[single->pattern->column[k] >> level->strip_shift]] = strip;
    }
    for (int32_t k = single->scalar_start[row];
         k < single->scalar_start[row + 1] && wf_single_scalar_column(single, row, k) < first; k++) {
        marks[level->strip_colour[wf_single_scalar_column(single, row, k) >> level->strip_shift]] = strip;
    }
}

/* Colours the strips so that strips that are coupled differ. */
static void colour_strips(wf_grid_level *level)
{
    int32_t strips = level->strip_count;
    bool coloured = level->colour_count > 0 && !level->recolour;
    level->recolour = level->has_extra;
    if (coloured && !level->has_extra) {
        return;
    }
    int32_t *marks = level->colour_marks;
    memset(marks, -1, (size_t)strips * sizeof *marks);
    memset(level->colour_start, 0, ((size_t)strips + 1) * sizeof *level->colour_start);
    level->colour_count = 0;
    for (int32_t strip = 0; strip < strips; strip++) {
        size_t begin = (size_t)strip << level->strip_shift, end = (size_t)(strip + 1) << level->strip_shift;
        for (size_t row = begin; row < end && row < level->rows; row++) {
            if (level->single) {
                mark_fixed_colours(level, row, strip, marks);
            } else {
                mark_colours(level, &level->outer, row, strip, marks);
            }
            if (level->has_extra) {
                mark_colours(level, &level->extra, row, strip, marks);
            }
        }
        int32_t colour = 0;
        while (marks[colour] == strip) {
            colour++;
        }
        level->strip_colour[strip] = colour;
        level->colour_start[colour + 1]++;
        level->colour_count = colour >= level->colour_count ? colour + 1 : level->colour_count;
    }
    for (int32_t colour = 0; colour < level->colour_count; colour++) {
        level->colour_start[colour + 1] += level->colour_start[colour];
    }
    memcpy(marks, level->colour_start, (size_t)level->colour_count * sizeof *marks);
    for (int32_t strip = 0; strip < strips; strip++) {
        level->strips_by_colour[marks[level->strip_colour[strip]]++] = strip;
    }
}

/* Says whether there are extra entries, now that they are there, and in which rows. */
static void mark_extra(wf_grid_level *level, bool any)
{
    for (size_t row = 0; (any || level->has_extra) && row < level->rows; row++) {
        bool has = any && level->extra.start[row] < level->extra.start[row + 1];
        level->others[row] = (uint8_t)((level->others[row] & WF_GRID_REACHES_BEYOND) | (has ? WF_GRID_HAS_EXTRA : 0));
    }
    level->has_extra = any;
}

/* ---- the finest grid ------------------------------------------------------------------------------------------- */

typedef struct finest_fill {
    wf_grid_level *level;
    const wf_mat3 *diagonal;
} finest_fill;

static void invert_diagonals(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const finest_fill *f = user;
    for (size_t row = begin; row < end; row++) {
        invert_diagonal(&f->diagonal[row], f->level->inverse[row]);
    }
}

void wf_grid_level_fill_finest(wf_context *context, wf_grid_level *level, const wf_mat3 *diagonal)
{
    const wf_single_matrix *single = level->single;
    level->extra = (wf_grid_rows){.start = single->extra_start, .column = single->extra_column,
                                  .blocks = single->extra_blocks};
    mark_extra(level, single->extra_count > 0);
    finest_fill f = {level, diagonal};
    wf_parallel_for(context, level->rows, ROW_BLOCK, invert_diagonals, &f);
    colour_strips(level);
}

/* ---- coarse grids ---------------------------------------------------------------------------------------------- */

typedef struct coarse_fill {
    const wf_grid_kernels *kernels;
    const wf_grid_level *fine;
    const wf_grid_graph *graph;
    wf_grid_level *level;
    const int32_t *strips; /* of one plan colour */
} coarse_fill;

static void clear_sums(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const coarse_fill *f = user;
    memset(f->level->sums + begin, 0, (end - begin) * sizeof *f->level->sums);
}

static void sum_strips(void *user, size_t block, size_t first, size_t last)
{
    (void)block;
    const coarse_fill *f = user;
    const wf_grid_level *fine = f->fine;
    for (size_t k = first; k < last; k++) {
        size_t begin = (size_t)f->strips[k] << fine->strip_shift, end = begin + ((size_t)1 << fine->strip_shift);
        f->kernels->sum_rows(fine, f->graph, begin, end < fine->rows ? end : fine->rows, f->level);
    }
}

/* What the scalars of rows [begin, end) of the finest grid add to the next, into the first numbers of its sums. */
static void sum_scalars(const wf_grid_level *fine, size_t begin, size_t end, wf_grid_level *level)
{
    const wf_single_matrix *single = fine->single;
    double sums[LOCAL_LIMIT];
    for (size_t row = begin; row < end; row++) {
        memset(sums, 0, fine->local_count[row] * sizeof *sums);
        int32_t first = single->scalar_start[row];
        const uint8_t *local = fine->local + 3 * ((size_t)single->pattern->row_start[row + 1] + (size_t)first);
        for (int32_t k = first; k < single->scalar_start[row + 1]; k++, local += 3) {
            const float *weight = fine->weight[wf_single_scalar_column(single, row, k)];
            for (int t = 0; t < 3; t++) {
                sums[local[t]] += (double)weight[t] * (double)single->scalars[k];
            }
        }
        for (int32_t k = fine->plan_start[row]; k < fine->plan_start[row + 1]; k++) {
            int s = fine->plan_part[k] % WF_GRID_PARTS;
            int32_t slot = wf_grid_level_first_slot(level, (size_t)fine->target[row][s]) + fine->plan_slot[k];
            level->sums[slot][0] += (double)fine->weight[row][s] * sums[fine->plan_part[k] / WF_GRID_PARTS];
        }
    }
}

static void sum_scalars_of_strips(void *user, size_t block, size_t first, size_t last)
{
    (void)block;
    const coarse_fill *f = user;
    for (size_t k = first; k < last; k++) {
        size_t begin = (size_t)f->strips[k] << f->fine->strip_shift, end = begin + ((size_t)1 << f->fine->strip_shift);
        sum_scalars(f->fine, begin, end < f->fine->rows ? end : f->fine->rows, f->level);
    }
}

/* Runs a function over all strips, those that share no slot at the same time. */
static void run_plan(wf_context *context, coarse_fill *f, wf_block_function *function)
{
    for (int32_t colour = 0; colour < f->fine->plan_colour_count; colour++) {
        int32_t begin = f->fine->plan_colour_start[colour];
        f->strips = f->fine->plan_strips + begin;
        wf_parallel_for(context, (size_t)(f->fine->plan_colour_start[colour + 1] - begin), 1, function, f);
    }
}

/* Bending that is linear has the same scalars in every step: three quarters of the finest grid's entries. Uses the
 * sums. */
static void update_scalar_sums(wf_context *context, coarse_fill *f)
{
    wf_grid_level *level = f->level;
    if (level->scalar_values != f->fine->single->scalar_values) {
        size_t slots = wf_grid_level_slots(level);
        wf_parallel_for(context, slots, SLOT_BLOCK, clear_sums, f);
        run_plan(context, f, sum_scalars_of_strips);
        for (size_t k = 0; k < slots; k++) {
            level->scalar_sums[k] = (float)level->sums[k][0];
        }
        level->scalar_values = f->fine->single->scalar_values;
    }
}

static void add_block(const float from[9], double weight, double sum[9])
{
    for (int k = 0; k < 9; k++) {
        sum[k] += weight * (double)from[k];
    }
}

/* The sums have their blocks by columns. */
static void narrow_slots(const double (*sums)[9], int32_t count, float (*blocks)[9])
{
    for (int32_t k = 0; k < count; k++) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                blocks[k][3 * r + c] = (float)sums[k][3 * c + r];
            }
        }
    }
}

/* Contacts between fine rows that both reach a coarse row. */
static void add_inner_contacts(const wf_grid_level *fine, size_t coarse, double sum[9])
{
    for (int32_t m = fine->member_start[coarse]; m < fine->member_start[coarse + 1]; m++) {
        int32_t row = fine->members[m];
        for (int32_t k = fine->extra.start[row]; k < fine->extra.start[row + 1]; k++) {
            int32_t column = fine->extra.column[k];
            for (int t = 0; t < 3; t++) {
                if (fine->target[column][t] == (int32_t)coarse && fine->weight[column][t] != 0) {
                    add_block(fine->extra.blocks[k], (double)(fine->member_weight[m] * fine->weight[column][t]), sum);
                }
            }
        }
    }
}

static void finish_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const coarse_fill *f = user;
    wf_grid_level *level = f->level;
    float(*blocks)[9] = level->inner.blocks, (*outer_blocks)[9] = blocks + level->inner.start[level->rows];
    for (size_t row = begin; row < end; row++) {
        int32_t inner = level->inner.start[row], inner_count = level->inner.start[row + 1] - inner;
        int32_t outer = level->outer.start[row], outer_count = level->outer.start[row + 1] - outer;
        int32_t slot = wf_grid_level_first_slot(level, row);
        double(*sums)[9] = level->sums + slot;
        for (int32_t k = 0; level->scalar_sums && k <= inner_count + outer_count; k++) {
            for (int c = 0; c < 3; c++) {
                sums[k][4 * c] += (double)level->scalar_sums[slot + k];
            }
        }
        narrow_slots((const double(*)[9])sums, inner_count, blocks + inner);
        narrow_slots((const double(*)[9])sums + inner_count, outer_count, outer_blocks + outer);
        double *sum = sums[inner_count + outer_count];
        if (f->fine->has_extra) {
            add_inner_contacts(f->fine, row, sum);
        }
        wf_mat3 diagonal;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                diagonal.m[r][c] = 0.5 * (sum[3 * r + c] + sum[3 * c + r]);
            }
        }
        invert_diagonal(&diagonal, level->inverse[row]);
        narrow(&diagonal, level->diagonal[row]);
    }
}

/* Adds a block at (row at hand, column), whose entries so far are [begin, end). Returns the new end. */
static int32_t add_extra(wf_grid_rows *extra, int32_t begin, int32_t end, int32_t column, float weight,
                         const float block[9])
{
    int32_t k = begin;
    while (k < end && extra->column[k] != column) {
        k++;
    }
    if (k == end) {
        extra->column[k] = column;
        memset(extra->blocks[k], 0, 9 * sizeof(float));
        end++;
    }
    for (int i = 0; i < 9; i++) {
        extra->blocks[k][i] += weight * block[i];
    }
    return end;
}

static wf_status sum_extras(wf_context *context, const wf_grid_level *fine, wf_grid_level *level)
{
    wf_grid_rows *extra = &level->extra;
    size_t most = fine->has_extra ? 9 * (size_t)fine->extra.start[fine->rows] : 0;
    if (most == 0) {
        mark_extra(level, false);
        return WF_OK;
    }
    wf_status status = wf_reserve(context, &extra->start, &extra->capacity[0], level->rows + 1, sizeof(int32_t));
    if (status == WF_OK) {
        status = wf_reserve(context, &extra->column, &extra->capacity[1], most, sizeof(int32_t));
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &extra->blocks, &extra->capacity[2], most + 1, sizeof *extra->blocks);
    }
    if (status != WF_OK) {
        return status;
    }
    int32_t end = 0;
    for (size_t group = 0; group < level->rows; group++) {
        extra->start[group] = end;
        for (int32_t m = fine->member_start[group]; m < fine->member_start[group + 1]; m++) {
            int32_t row = fine->members[m];
            for (int32_t k = fine->extra.start[row]; k < fine->extra.start[row + 1]; k++) {
                int32_t column = fine->extra.column[k];
                for (int t = 0; t < 3; t++) {
                    float weight = fine->member_weight[m] * fine->weight[column][t];
                    if (weight != 0 && fine->target[column][t] != (int32_t)group) {
                        end = add_extra(extra, extra->start[group], end, fine->target[column][t], weight,
                                        fine->extra.blocks[k]);
                    }
                }
            }
        }
    }
    extra->start[level->rows] = end;
    extra->blocks[end][0] = 0;
    mark_extra(level, end > 0);
    return WF_OK;
}

wf_status wf_grid_level_fill_coarse(wf_context *context, const wf_grid_level *fine, const wf_grid_graph *graph,
                                    double (*sums)[9], wf_grid_level *level)
{
    coarse_fill f = {.kernels = wf_grid_kernels_for(context), .fine = fine, .graph = graph, .level = level};
    wf_status status = sum_extras(context, fine, level);
    if (status != WF_OK) {
        return status;
    }
    level->sums = sums;
    if (fine->single) {
        update_scalar_sums(context, &f);
    }
    wf_parallel_for(context, wf_grid_level_slots(level), SLOT_BLOCK, clear_sums, &f);
    run_plan(context, &f, sum_strips);
    wf_parallel_for(context, level->rows, ROW_BLOCK, finish_rows, &f);
    colour_strips(level);
    return WF_OK;
}
