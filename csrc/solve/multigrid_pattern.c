/* multigrid_pattern.c - the arrays of a multigrid's grid, from a list of its entries. */
#include <string.h>

#include "solve/multigrid_level.h"

enum {
    LEAST_STRIP_SHIFT = 10,  /* strips of 1,024 rows at least */
    STRIP_OVER_BANDWIDTH = 8 /* so that few rows are coupled to other strips */
};

void wf_grid_list_free(wf_context *context, wf_grid_list *list)
{
    wf_free(context, list->start);
    wf_free(context, list->entries);
    *list = (wf_grid_list){0};
}

void wf_grid_graph_free(wf_context *context, wf_grid_graph *graph)
{
    wf_free(context, graph->start);
    wf_free(context, graph->entries);
    *graph = (wf_grid_graph){0};
}

void wf_grid_level_free(wf_context *context, wf_grid_level *level)
{
    /* outer.blocks are a part of inner's */
    void *arrays[] = {level->strip_colour, level->strips_by_colour, level->colour_start, level->colour_marks,
                      level->inner.start, level->inner.column, level->inner.blocks, level->outer.start,
                      level->outer.column, level->extra.start, level->extra.column, level->extra.blocks,
                      level->scalar_start, level->scalar_column, level->scalars, level->diagonal, level->inverse,
                      level->sources, level->scalar_source, level->sums, level->target, level->weight,
                      level->member_start, level->members, level->member_weight, level->local,
                      level->local_count, level->plan_start, level->plan_slot, level->plan_part, level->plan_strips,
                      level->plan_colour_start, level->r, level->z, level->residual, level->first};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    *level = (wf_grid_level){0};
}

/* ---- matrices from lists of entries ---------------------------------------------------------------------------- */

/* Strips a few times as long as the reach of a row. */
static int strip_shift_for(const wf_grid_list *list, size_t rows)
{
    double reach = 0;
    for (size_t row = 0; row < rows; row++) {
        if (list->start[row] < list->start[row + 1]) {
            int32_t first = list->entries[list->start[row]].column;
            reach += first < (int32_t)row ? (double)((int32_t)row - first) : 0;
        }
    }
    int shift = LEAST_STRIP_SHIFT;
    while (shift < 30 && (double)(1 << shift) < STRIP_OVER_BANDWIDTH * reach / (double)(rows > 0 ? rows : 1)) {
        shift++;
    }
    return shift;
}

typedef struct entry_counts {
    size_t inner, outer, scalars;
} entry_counts;

static entry_counts count_entries(const wf_grid_level *level, const wf_grid_list *list)
{
    entry_counts counts = {0};
    for (size_t row = 0; row < level->rows; row++) {
        for (int32_t k = list->start[row]; k < list->start[row + 1]; k++) {
            const wf_grid_list_entry *entry = &list->entries[k];
            if (entry->column >> level->strip_shift != (int32_t)row >> level->strip_shift) {
                counts.outer++;
            } else if (entry->column < (int32_t)row) {
                counts.inner += !entry->scalar;
                counts.scalars += entry->scalar;
            }
        }
    }
    return counts;
}

static wf_status make_arrays(wf_context *context, wf_grid_level *level, const entry_counts *counts)
{
    size_t rows = level->rows, strips = (size_t)level->strip_count;
    const struct {
        void *array; /* the address of the pointer */
        size_t count, size;
    } arrays[] = {
        {&level->strip_colour, strips, sizeof *level->strip_colour},
        {&level->strips_by_colour, strips, sizeof *level->strips_by_colour},
        {&level->colour_start, strips + 1, sizeof *level->colour_start},
        {&level->colour_marks, strips, sizeof *level->colour_marks},
        {&level->inner.start, rows + 1, sizeof *level->inner.start},
        {&level->inner.column, counts->inner, sizeof *level->inner.column},
        {&level->inner.blocks, counts->inner + counts->outer + 1, sizeof *level->inner.blocks},
        {&level->outer.start, rows + 1, sizeof *level->outer.start},
        {&level->outer.column, counts->outer, sizeof *level->outer.column},
        {&level->scalar_start, rows + 1, sizeof *level->scalar_start},
        {&level->scalar_column, counts->scalars, sizeof *level->scalar_column},
        {&level->scalars, counts->scalars, sizeof *level->scalars},
        {&level->diagonal, rows + 1, sizeof *level->diagonal},
        {&level->inverse, rows, sizeof *level->inverse},
        {&level->residual, rows, sizeof *level->residual},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        void *made = wf_allocate(context, arrays[k].count, arrays[k].size);
        if (!made) {
            return WF_ERROR_MEMORY;
        }
        memcpy(arrays[k].array, &made, sizeof made);
    }
    level->outer.blocks = level->inner.blocks + counts->inner;
    level->has_scalars = counts->scalars > 0;
    return WF_OK;
}

static uint32_t source_of(int32_t index, wf_grid_source_kind kind)
{
    return (uint32_t)index * WF_GRID_KINDS + (uint32_t)kind;
}

/* Deals the entries out to the level's arrays. `upper[j]` is the next entry of row j beyond the diagonal within its
 * strip: these meet their twins of the lower triangle in the order of the rows. */
static void deal_out(wf_grid_level *level, const wf_grid_list *list, const entry_counts *counts, int32_t *upper,
                     wf_grid_graph *graph)
{
    int32_t inner = 0, outer = 0, scalars = 0;
    for (size_t row = 0; row < level->rows; row++) {
        int32_t strip = (int32_t)row >> level->strip_shift;
        level->inner.start[row] = inner;
        level->outer.start[row] = outer;
        level->scalar_start[row] = scalars;
        upper[row] = -1;
        for (int32_t k = list->start[row]; k < list->start[row + 1]; k++) {
            const wf_grid_list_entry *from = &list->entries[k];
            wf_grid_entry *to = &graph->entries[k];
            *to = (wf_grid_entry){.column = from->column, .near = from->near};
            if (from->column >> level->strip_shift != strip) {
                level->outer.column[outer] = from->column;
                to->source = source_of((int32_t)counts->inner + outer++, WF_GRID_BLOCK);
            } else if (from->column > (int32_t)row) {
                if (upper[row] < 0) {
                    upper[row] = k;
                }
            } else {
                wf_grid_entry *twin = &graph->entries[upper[from->column]++];
                if (from->scalar) {
                    level->scalar_column[scalars] = from->column;
                    to->source = twin->source = source_of(scalars++, WF_GRID_SCALAR);
                } else {
                    level->inner.column[inner] = from->column;
                    to->source = source_of(inner, WF_GRID_BLOCK);
                    twin->source = source_of(inner++, WF_GRID_TRANSPOSED);
                }
            }
        }
    }
    level->inner.start[level->rows] = inner;
    level->outer.start[level->rows] = outer;
    level->scalar_start[level->rows] = scalars;
}

/* Makes the matrix of a level; takes over list->start as the graph's. */
wf_status wf_grid_level_create(wf_context *context, wf_grid_list *list, wf_grid_level *level, wf_grid_graph *graph)
{
    level->strip_shift = strip_shift_for(list, level->rows);
    level->strip_count = level->rows > 0 ? (int32_t)(((level->rows - 1) >> level->strip_shift) + 1) : 0;
    entry_counts counts = count_entries(level, list);
    wf_status status = make_arrays(context, level, &counts);
    int32_t *upper = wf_allocate(context, level->rows, sizeof *upper);
    graph->entries = wf_allocate(context, (size_t)list->start[level->rows], sizeof *graph->entries);
    if (status == WF_OK && upper && graph->entries) {
        deal_out(level, list, &counts, upper, graph);
        graph->start = list->start;
        list->start = NULL;
    } else {
        status = WF_ERROR_MEMORY;
    }
    wf_free(context, upper);
    return status;
}

/* ---- the finest grid ------------------------------------------------------------------------------------------- */

/* Blocks and scalars of a row, merged; the diagonal is left out. Returns how many. */
static int32_t merge_row(const wf_single_matrix *single, size_t row, bool scalars_are_near, wf_grid_list_entry *entries)
{
    const wf_pattern *pattern = single->pattern;
    int32_t b = pattern->row_start[row], s = single->scalar_start[row], count = 0;
    int32_t b_end = pattern->row_start[row + 1], s_end = single->scalar_start[row + 1];
    while (b < b_end || s < s_end) {
        bool block = s == s_end || (b < b_end && pattern->column[b] < single->scalar_column[s]);
        int32_t column = block ? pattern->column[b] : single->scalar_column[s];
        int32_t origin = block ? b++ : s++;
        if (column != (int32_t)row) {
            entries[count++] = (wf_grid_list_entry){column, origin, !block, block || scalars_are_near};
        }
    }
    return count;
}

/* One source for each slot of blocks, and one for each scalar. */
static wf_status note_origins(wf_context *context, wf_grid_level *level, const wf_grid_list *list,
                              const wf_grid_graph *graph)
{
    size_t slots = (size_t)level->inner.start[level->rows] + (size_t)level->outer.start[level->rows];
    level->sources = wf_allocate(context, slots, sizeof *level->sources);
    level->scalar_source = wf_allocate(context, (size_t)level->scalar_start[level->rows], sizeof(int32_t));
    if (!level->sources || !level->scalar_source) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < graph->start[level->rows]; k++) {
        uint32_t index = graph->entries[k].source / WF_GRID_KINDS;
        switch (graph->entries[k].source % WF_GRID_KINDS) {
        case WF_GRID_BLOCK:
            level->sources[index] = source_of(list->entries[k].origin,
                                              list->entries[k].scalar ? WF_GRID_SCALAR : WF_GRID_TRANSPOSED);
            break;
        case WF_GRID_SCALAR:
            level->scalar_source[index] = list->entries[k].origin; /* by either of the two, which are equal */
            break;
        default:
            break;
        }
    }
    return WF_OK;
}

wf_status wf_grid_level_create_finest(wf_context *context, const wf_single_matrix *single, wf_grid_level *level,
                                      wf_grid_graph *graph)
{
    level->rows = single->rows;
    size_t blocks = (size_t)wf_pattern_slot_count(single->pattern) - single->rows;
    size_t most = blocks + (size_t)single->scalar_start[single->rows];
    if (most > INT32_MAX / WF_GRID_KINDS) {
        return wf_fail(context, WF_ERROR_LIMIT, "multigrid: more than %d entries", INT32_MAX / WF_GRID_KINDS);
    }
    wf_grid_list list = {wf_allocate(context, single->rows + 1, sizeof(int32_t)),
                     wf_allocate(context, most, sizeof(wf_grid_list_entry))};
    wf_status status = list.start && list.entries ? WF_OK : WF_ERROR_MEMORY;
    for (size_t row = 0; row < single->rows && status == WF_OK; row++) {
        list.start[row + 1] = list.start[row] + merge_row(single, row, blocks == 0, list.entries + list.start[row]);
    }
    if (status == WF_OK) {
        status = wf_grid_level_create(context, &list, level, graph);
    }
    if (status == WF_OK) {
        status = note_origins(context, level, &list, graph);
    }
    wf_grid_list_free(context, &list);
    return status;
}

