/* multigrid_pattern.c - the arrays of a multigrid's grid, from the graph of its entries. */
#include <string.h>

#include "solve/multigrid_level.h"

enum {
    LEAST_STRIP_SHIFT = 8, /* strips of 256 rows at least */
    /* So that few rows are coupled to other strips. Coarse grids have fewer rows to share, and must not keep all but
     * one thread waiting. */
    STRIP_OVER_BANDWIDTH = 8,
    COARSE_STRIP_OVER_BANDWIDTH = 4
};

void wf_grid_graph_free(wf_context *context, wf_grid_graph *graph)
{
    wf_free(context, graph->start);
    wf_free(context, graph->entries);
    *graph = (wf_grid_graph){0};
}

void wf_grid_level_free(wf_context *context, wf_grid_level *level)
{
    if (level->single) {
        level->extra = (wf_grid_rows){0}; /* they are the single matrix' */
    }
    /* outer.blocks are a part of inner's */
    void *arrays[] = {level->strip_colour, level->strips_by_colour, level->colour_start, level->colour_marks,
                      level->inner.start, level->inner.column, level->inner.blocks, level->outer.start,
                      level->outer.column, level->extra.start, level->extra.column, level->extra.blocks,
                      level->diagonal, level->inverse, level->target, level->weight,
                      level->member_start, level->members, level->member_weight, level->local,
                      level->local_count, level->block_local_count, level->plan_start, level->plan_block_count,
                      level->plan_slot, level->plan_part, level->plan_strips, level->plan_colour_start, level->r,
                      level->z, level->residual, level->first, level->others, level->lower_scalars_end,
                      level->scalar_sums};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    *level = (wf_grid_level){0};
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

typedef struct array {
    void *address; /* of the pointer */
    size_t count, size;
} array;

static wf_status make_arrays(wf_context *context, const array *arrays, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        void *made = wf_allocate(context, arrays[k].count, arrays[k].size);
        if (!made) {
            return WF_ERROR_MEMORY;
        }
        memcpy(arrays[k].address, &made, sizeof made);
    }
    return WF_OK;
}

/* Cuts the rows into strips a few times as long as they reach, and makes what every grid has by strips and rows. */
static wf_status make_strips(wf_context *context, wf_grid_level *level, const wf_grid_graph *graph)
{
    size_t rows = level->rows;
    double reach = 0;
    for (size_t row = 0; row < rows; row++) {
        if (graph->start[row] < graph->start[row + 1]) {
            int32_t first = graph->entries[graph->start[row]].column;
            reach += first < (int32_t)row ? (double)((int32_t)row - first) : 0;
        }
    }
    double least = level->single ? STRIP_OVER_BANDWIDTH : COARSE_STRIP_OVER_BANDWIDTH;
    level->strip_shift = LEAST_STRIP_SHIFT;
    while (level->strip_shift < 30 && (double)(1 << level->strip_shift) * (double)rows < least * reach) {
        level->strip_shift++;
    }
    level->strip_count = rows > 0 ? (int32_t)(((rows - 1) >> level->strip_shift) + 1) : 0;
    size_t strips = (size_t)level->strip_count;
    const array arrays[] = {
        {&level->strip_colour, strips, sizeof *level->strip_colour},
        {&level->strips_by_colour, strips, sizeof *level->strips_by_colour},
        {&level->colour_start, strips + 1, sizeof *level->colour_start},
        {&level->colour_marks, strips, sizeof *level->colour_marks},
        {&level->inverse, rows + 1, sizeof *level->inverse},
        {&level->residual, rows, sizeof *level->residual},
        {&level->others, rows, sizeof *level->others},
    };
    wf_status status = make_arrays(context, arrays, sizeof arrays / sizeof *arrays);
    for (size_t row = 0; row < rows && status == WF_OK; row++) {
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            if (graph->entries[k].column >> level->strip_shift != (int32_t)(row >> level->strip_shift)) {
                level->others[row] = WF_GRID_REACHES_BEYOND;
            }
        }
    }
    return status;
}

/* ---- coarse grids ---------------------------------------------------------------------------------------------- */

typedef struct entry_counts {
    size_t inner, outer;
} entry_counts;

static entry_counts count_entries(const wf_grid_level *level, const wf_grid_graph *graph)
{
    entry_counts counts = {0};
    for (size_t row = 0; row < level->rows; row++) {
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            bool other = graph->entries[k].column >> level->strip_shift != (int32_t)row >> level->strip_shift;
            counts.outer += other;
            counts.inner += !other && graph->entries[k].column < (int32_t)row;
        }
    }
    return counts;
}

/* Deals the entries out to the level's arrays. `upper[j]` is the next entry of row j beyond the diagonal within its
 * strip: these meet their twins of the lower triangle in the order of the rows. */
static void deal_out(wf_grid_level *level, const entry_counts *counts, int32_t *upper, wf_grid_graph *graph)
{
    int32_t inner = 0, outer = 0;
    for (size_t row = 0; row < level->rows; row++) {
        int32_t strip = (int32_t)row >> level->strip_shift;
        level->inner.start[row] = inner;
        level->outer.start[row] = outer;
        upper[row] = -1;
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            wf_grid_entry *entry = &graph->entries[k];
            if (entry->column >> level->strip_shift != strip) {
                entry->slot = (uint32_t)counts->inner + (uint32_t)outer;
                level->outer.column[outer++] = entry->column;
            } else if (entry->column < (int32_t)row) {
                wf_grid_entry *twin = &graph->entries[upper[entry->column]++];
                entry->slot = twin->slot = (uint32_t)inner;
                twin->transposed = 1;
                level->inner.column[inner++] = entry->column;
            } else if (upper[row] < 0) {
                upper[row] = k;
            }
        }
    }
    level->inner.start[level->rows] = inner;
    level->outer.start[level->rows] = outer;
}

wf_status wf_grid_level_create(wf_context *context, wf_grid_level *level, wf_grid_graph *graph)
{
    wf_status status = make_strips(context, level, graph);
    if (status != WF_OK) {
        return status;
    }
    size_t rows = level->rows;
    entry_counts counts = count_entries(level, graph);
    if (counts.inner + counts.outer + rows >= WF_GRID_SLOT_LIMIT) {
        return wf_fail(context, WF_ERROR_LIMIT, "multigrid: more than %d entries", (int)WF_GRID_SLOT_LIMIT);
    }
    const array arrays[] = {
        {&level->inner.start, rows + 1, sizeof *level->inner.start},
        {&level->inner.column, counts.inner, sizeof *level->inner.column},
        {&level->inner.blocks, counts.inner + counts.outer + 1, sizeof *level->inner.blocks},
        {&level->outer.start, rows + 1, sizeof *level->outer.start},
        {&level->outer.column, counts.outer, sizeof *level->outer.column},
        {&level->diagonal, rows + 1, sizeof *level->diagonal},
        {&level->r, rows, sizeof *level->r},
        {&level->z, rows, sizeof *level->z},
        {&level->first, rows, sizeof *level->first},
    };
    status = make_arrays(context, arrays, sizeof arrays / sizeof *arrays);
    int32_t *upper = wf_allocate(context, rows, sizeof *upper);
    if (status == WF_OK && upper) {
        level->outer.blocks = level->inner.blocks + counts.inner;
        deal_out(level, &counts, upper, graph);
    } else {
        status = WF_ERROR_MEMORY;
    }
    wf_free(context, upper);
    return status;
}

/* ---- the finest grid ------------------------------------------------------------------------------------------- */

/* Blocks and scalars of a row, merged; the diagonal is left out. Returns how many. */
static int32_t merge_row(const wf_single_matrix *single, size_t row, bool scalars_are_near, wf_grid_entry *entries)
{
    const wf_pattern *pattern = single->pattern;
    int32_t b = pattern->row_start[row], s = single->scalar_start[row], count = 0;
    int32_t b_end = pattern->row_start[row + 1], s_end = single->scalar_start[row + 1];
    while (b < b_end || s < s_end) {
        bool block = s == s_end || (b < b_end && pattern->column[b] < wf_single_scalar_column(single, row, s));
        int32_t column = block ? pattern->column[b++] : wf_single_scalar_column(single, row, s++);
        if (column != (int32_t)row) {
            entries[count++] = (wf_grid_entry){.column = column, .near = block || scalars_are_near};
        }
    }
    return count;
}

wf_status wf_grid_level_create_finest(wf_context *context, const wf_single_matrix *single, wf_grid_level *level,
                                      wf_grid_graph *graph)
{
    level->rows = single->rows;
    level->single = single;
    size_t blocks = (size_t)wf_pattern_slot_count(single->pattern) - single->rows;
    size_t most = blocks + (size_t)single->scalar_start[single->rows];
    if (most > INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "multigrid: more than %d entries", INT32_MAX);
    }
    graph->start = wf_allocate(context, single->rows + 1, sizeof *graph->start);
    graph->entries = wf_allocate(context, most, sizeof *graph->entries);
    if (!graph->start || !graph->entries) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < single->rows; row++) {
        graph->start[row + 1] =
            graph->start[row] + merge_row(single, row, blocks == 0, graph->entries + graph->start[row]);
    }
    level->lower_scalars_end = wf_allocate(context, single->rows, sizeof *level->lower_scalars_end);
    if (!level->lower_scalars_end) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < single->rows; row++) {
        int32_t k = single->scalar_start[row];
        while (k < single->scalar_start[row + 1] && wf_single_scalar_column(single, row, k) < (int32_t)row) {
            k++;
        }
        level->lower_scalars_end[row] = k;
    }
    return make_strips(context, level, graph);
}
