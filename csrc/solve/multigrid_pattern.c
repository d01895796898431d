/* multigrid_pattern.c - grids of a multigrid: groups of rows, patterns, and which entries are sums of which. */
#include <string.h>

#include "solve/multigrid_level.h"

enum {
    LEAST_STRIP_SHIFT = 10,  /* strips of 1,024 rows at least */
    STRIP_OVER_BANDWIDTH = 8 /* so that few rows are coupled to other strips */
};

/* What the matrix of a grid is made of: entries without the diagonal, rows and columns ascending. `scalar` entries are
 * multiples of the identity; `near` ones make groups. */
typedef struct raw_entry {
    int32_t column;
    int32_t origin; /* the finest grid: index in the single matrix */
    bool scalar, near;
} raw_entry;

typedef struct raw_graph {
    int32_t *start;
    raw_entry *entries;
} raw_graph;

static void raw_graph_free(wf_context *context, raw_graph *raw)
{
    wf_free(context, raw->start);
    wf_free(context, raw->entries);
    *raw = (raw_graph){0};
}

void wf_grid_graph_free(wf_context *context, wf_grid_graph *graph)
{
    wf_free(context, graph->start);
    wf_free(context, graph->entries);
    *graph = (wf_grid_graph){0};
}

void wf_grid_level_free(wf_context *context, wf_grid_level *level)
{
    void *arrays[] = {level->strip_colour, level->strips_by_colour, level->colour_start, level->inner.start,
                      level->inner.column, level->inner.blocks, level->outer.start, level->outer.column,
                      level->extra.start, level->extra.column, level->extra.blocks, level->scalar_start,
                      level->scalar_column, level->scalars, level->diagonal, level->inverse, level->source_start,
                      level->sources, level->scalar_source, level->aggregate, level->member_start, level->members,
                      level->r, level->z, level->residual, level->first}; /* outer.blocks are a part of inner's */
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    *level = (wf_grid_level){0};
}

/* ---- matrices from lists of entries ---------------------------------------------------------------------------- */

/* Strips a few times as long as the reach of a row. */
static int strip_shift_for(const raw_graph *raw, size_t rows)
{
    double reach = 0;
    for (size_t row = 0; row < rows; row++) {
        if (raw->start[row] < raw->start[row + 1]) {
            int32_t first = raw->entries[raw->start[row]].column;
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

static entry_counts count_entries(const wf_grid_level *level, const raw_graph *raw)
{
    entry_counts counts = {0};
    for (size_t row = 0; row < level->rows; row++) {
        for (int32_t k = raw->start[row]; k < raw->start[row + 1]; k++) {
            const raw_entry *entry = &raw->entries[k];
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
    size_t blocks = counts->inner + counts->outer;
    level->strip_colour = wf_allocate(context, strips, sizeof(int32_t));
    level->strips_by_colour = wf_allocate(context, strips, sizeof(int32_t));
    level->colour_start = wf_allocate(context, strips + 1, sizeof(int32_t));
    level->inner.start = wf_allocate(context, rows + 1, sizeof(int32_t));
    level->inner.column = wf_allocate(context, counts->inner, sizeof(int32_t));
    level->inner.blocks = wf_allocate(context, blocks + 1, sizeof *level->inner.blocks);
    level->outer.start = wf_allocate(context, rows + 1, sizeof(int32_t));
    level->outer.column = wf_allocate(context, counts->outer, sizeof(int32_t));
    level->scalar_start = wf_allocate(context, rows + 1, sizeof(int32_t));
    level->scalar_column = wf_allocate(context, counts->scalars, sizeof(int32_t));
    level->scalars = wf_allocate(context, counts->scalars, sizeof(float));
    level->diagonal = wf_allocate(context, rows + 1, sizeof *level->diagonal);
    level->inverse = wf_allocate(context, rows, sizeof *level->inverse);
    wf_float4 **vectors[] = {&level->r, &level->z, &level->residual, &level->first};
    bool complete = level->strip_colour && level->strips_by_colour && level->colour_start && level->inner.start &&
                    level->inner.column && level->inner.blocks && level->outer.start && level->outer.column &&
                    level->scalar_start && level->scalar_column && level->scalars && level->diagonal &&
                    level->inverse;
    for (int k = 0; k < 4 && complete; k++) {
        *vectors[k] = wf_allocate(context, rows, sizeof(wf_float4));
        complete = *vectors[k] != NULL;
    }
    if (!complete) {
        return WF_ERROR_MEMORY;
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
static void deal_out(wf_grid_level *level, const raw_graph *raw, const entry_counts *counts, int32_t *upper,
                     wf_grid_graph *graph)
{
    int32_t inner = 0, outer = 0, scalars = 0;
    for (size_t row = 0; row < level->rows; row++) {
        int32_t strip = (int32_t)row >> level->strip_shift;
        level->inner.start[row] = inner;
        level->outer.start[row] = outer;
        level->scalar_start[row] = scalars;
        upper[row] = -1;
        for (int32_t k = raw->start[row]; k < raw->start[row + 1]; k++) {
            const raw_entry *from = &raw->entries[k];
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

/* Makes the matrix of a level; takes over raw->start as the graph's. */
static wf_status make_matrix(wf_context *context, raw_graph *raw, wf_grid_level *level, wf_grid_graph *graph)
{
    level->strip_shift = strip_shift_for(raw, level->rows);
    level->strip_count = (int32_t)(((level->rows - 1) >> level->strip_shift) + 1);
    entry_counts counts = count_entries(level, raw);
    wf_status status = make_arrays(context, level, &counts);
    int32_t *upper = wf_allocate(context, level->rows, sizeof *upper);
    graph->entries = wf_allocate(context, (size_t)raw->start[level->rows], sizeof *graph->entries);
    if (status == WF_OK && upper && graph->entries) {
        deal_out(level, raw, &counts, upper, graph);
        graph->start = raw->start;
        raw->start = NULL;
    } else {
        status = WF_ERROR_MEMORY;
    }
    wf_free(context, upper);
    return status;
}

/* ---- the finest grid ------------------------------------------------------------------------------------------- */

/* Blocks and scalars of a row, merged; the diagonal is left out. Returns how many. */
static int32_t merge_row(const wf_single_matrix *single, size_t row, bool scalars_are_near, raw_entry *entries)
{
    const wf_pattern *pattern = single->pattern;
    int32_t b = pattern->row_start[row], s = single->scalar_start[row], count = 0;
    int32_t b_end = pattern->row_start[row + 1], s_end = single->scalar_start[row + 1];
    while (b < b_end || s < s_end) {
        bool block = s == s_end || (b < b_end && pattern->column[b] < single->scalar_column[s]);
        int32_t column = block ? pattern->column[b] : single->scalar_column[s];
        int32_t origin = block ? b++ : s++;
        if (column != (int32_t)row) {
            entries[count++] = (raw_entry){column, origin, !block, block || scalars_are_near};
        }
    }
    return count;
}

/* One source for each slot of blocks, and one for each scalar. */
static wf_status note_origins(wf_context *context, wf_grid_level *level, const raw_graph *raw,
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
            level->sources[index] = source_of(raw->entries[k].origin,
                                              raw->entries[k].scalar ? WF_GRID_SCALAR : WF_GRID_TRANSPOSED);
            break;
        case WF_GRID_SCALAR:
            level->scalar_source[index] = raw->entries[k].origin; /* by either of the two, which are equal */
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
    raw_graph raw = {wf_allocate(context, single->rows + 1, sizeof(int32_t)),
                     wf_allocate(context, most, sizeof(raw_entry))};
    wf_status status = raw.start && raw.entries ? WF_OK : WF_ERROR_MEMORY;
    for (size_t row = 0; row < single->rows && status == WF_OK; row++) {
        raw.start[row + 1] = raw.start[row] + merge_row(single, row, blocks == 0, raw.entries + raw.start[row]);
    }
    if (status == WF_OK) {
        status = make_matrix(context, &raw, level, graph);
    }
    if (status == WF_OK) {
        status = note_origins(context, level, &raw, graph);
    }
    raw_graph_free(context, &raw);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static bool touches_group(const wf_grid_graph *graph, size_t row, const int32_t *group)
{
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        if (graph->entries[k].near && group[graph->entries[k].column] >= 0) {
            return true;
        }
    }
    return false;
}

static bool has_neighbour(const wf_grid_graph *graph, size_t row)
{
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        if (graph->entries[k].near) {
            return true;
        }
    }
    return false;
}

/* A row and all its neighbours where none of them is in a group yet. */
static int32_t group_neighbourhoods(const wf_grid_graph *graph, size_t rows, int32_t *group)
{
    int32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        if (group[row] >= 0 || !has_neighbour(graph, row) || touches_group(graph, row, group)) {
            continue;
        }
        group[row] = count;
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            if (graph->entries[k].near) {
                group[graph->entries[k].column] = count;
            }
        }
        count++;
    }
    return count;
}

/* The group that most neighbours of a row are in, the earlier one of two. */
static int32_t favourite_group(const wf_grid_graph *graph, size_t row, const int32_t *group)
{
    int32_t best = -1, best_votes = 0;
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        int32_t candidate = graph->entries[k].near ? group[graph->entries[k].column] : -1, votes = 0;
        for (int32_t l = graph->start[row]; candidate >= 0 && l < graph->start[row + 1]; l++) {
            votes += graph->entries[l].near && group[graph->entries[l].column] == candidate;
        }
        if (votes > best_votes || (votes == best_votes && votes > 0 && candidate < best)) {
            best = candidate;
            best_votes = votes;
        }
    }
    return best;
}

wf_status wf_grid_level_aggregate(wf_context *context, wf_grid_level *fine, const wf_grid_graph *graph)
{
    size_t rows = fine->rows;
    int32_t *roots = wf_allocate(context, rows, sizeof *roots);
    fine->aggregate = wf_allocate(context, rows, sizeof *fine->aggregate);
    if (!roots || !fine->aggregate) {
        wf_free(context, roots);
        return WF_ERROR_MEMORY;
    }
    memset(roots, -1, rows * sizeof *roots);
    fine->coarse_rows = (size_t)group_neighbourhoods(graph, rows, roots);
    for (size_t row = 0; row < rows; row++) {
        fine->aggregate[row] = roots[row] >= 0 ? roots[row] : favourite_group(graph, row, roots);
    }
    wf_free(context, roots);
    fine->member_start = wf_allocate(context, fine->coarse_rows + 1, sizeof *fine->member_start);
    fine->members = wf_allocate(context, rows, sizeof *fine->members);
    if (!fine->member_start || !fine->members) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < rows; row++) {
        if (fine->aggregate[row] >= 0) {
            fine->member_start[fine->aggregate[row] + 1]++;
        }
    }
    for (size_t group = 0; group < fine->coarse_rows; group++) {
        fine->member_start[group + 1] += fine->member_start[group];
    }
    for (size_t row = rows; row-- > 0;) {
        if (fine->aggregate[row] >= 0) {
            fine->members[--fine->member_start[fine->aggregate[row] + 1]] = (int32_t)row;
        }
    }
    /* The counts ran down to the starts, one place too far on. */
    memmove(fine->member_start, fine->member_start + 1, fine->coarse_rows * sizeof *fine->member_start);
    int32_t grouped = 0;
    for (size_t row = 0; row < rows; row++) {
        grouped += fine->aggregate[row] >= 0;
    }
    fine->member_start[fine->coarse_rows] = grouped;
    return WF_OK;
}

/* ---- coarse grids ---------------------------------------------------------------------------------------------- */

/* What the passes over the fine entries of a coarse row share. */
typedef struct gathering {
    const wf_grid_level *fine;
    const wf_grid_graph *graph;
    int32_t *place; /* [coarse rows] where a column is in the row at hand, or -1 */
} gathering;

/* Rows are short: insertion. */
static void sort_row(raw_entry *entries, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        raw_entry entry = entries[k];
        int32_t at = k;
        for (; at > 0 && entries[at - 1].column > entry.column; at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = entry;
    }
}

/* The groups that members of a group are coupled to; `entries` has room for as many as they have entries. */
static int32_t collect_row(gathering *g, size_t group, raw_entry *entries)
{
    int32_t count = 0;
    for (int32_t m = g->fine->member_start[group]; m < g->fine->member_start[group + 1]; m++) {
        int32_t row = g->fine->members[m];
        for (int32_t k = g->graph->start[row]; k < g->graph->start[row + 1]; k++) {
            int32_t other = g->fine->aggregate[g->graph->entries[k].column];
            if (other < 0 || other == (int32_t)group) {
                continue;
            }
            if (g->place[other] < 0) {
                g->place[other] = count;
                entries[count++] = (raw_entry){.column = other};
            }
            entries[g->place[other]].near |= g->graph->entries[k].near;
        }
    }
    for (int32_t k = 0; k < count; k++) {
        g->place[entries[k].column] = -1;
    }
    sort_row(entries, count);
    return count;
}

static wf_status collect(wf_context *context, gathering *g, raw_graph *raw)
{
    size_t groups = g->fine->coarse_rows, capacity = 0, longest = 0;
    raw->start = wf_allocate(context, groups + 1, sizeof *raw->start);
    if (!raw->start) {
        return WF_ERROR_MEMORY;
    }
    for (size_t group = 0; group < groups; group++) {
        size_t length = 0;
        for (int32_t m = g->fine->member_start[group]; m < g->fine->member_start[group + 1]; m++) {
            int32_t row = g->fine->members[m];
            length += (size_t)(g->graph->start[row + 1] - g->graph->start[row]);
        }
        longest = length > longest ? length : longest;
    }
    for (size_t group = 0; group < groups; group++) {
        wf_status status = wf_reserve(context, &raw->entries, &capacity, (size_t)raw->start[group] + longest,
                                      sizeof *raw->entries);
        if (status != WF_OK) {
            return status;
        }
        raw->start[group + 1] = raw->start[group] + collect_row(g, group, raw->entries + raw->start[group]);
    }
    return WF_OK;
}

/* Walks the fine entries that go to the stored slots of a coarse row: counts them, or lists them from slot_end on. */
static void list_sources_of_row(gathering *g, size_t group, const wf_grid_level *level, const wf_grid_graph *graph,
                                bool list, int32_t *slot_end)
{
    size_t slots = (size_t)level->inner.start[level->rows] + (size_t)level->outer.start[level->rows];
    for (int32_t k = graph->start[group]; k < graph->start[group + 1]; k++) {
        g->place[graph->entries[k].column] = k;
    }
    for (int32_t m = g->fine->member_start[group]; m < g->fine->member_start[group + 1]; m++) {
        int32_t row = g->fine->members[m];
        for (int32_t k = g->graph->start[row]; k < g->graph->start[row + 1]; k++) {
            int32_t other = g->fine->aggregate[g->graph->entries[k].column];
            size_t slot = slots + group;
            if (other < 0) {
                continue;
            }
            if (other != (int32_t)group) {
                uint32_t source = graph->entries[g->place[other]].source;
                if (source % WF_GRID_KINDS == WF_GRID_TRANSPOSED) {
                    continue; /* stored in the other row */
                }
                slot = source / WF_GRID_KINDS;
            }
            if (list) {
                level->sources[slot_end[slot]++] = g->graph->entries[k].source;
            } else {
                slot_end[slot + 1]++;
            }
        }
    }
}

static wf_status list_sources(wf_context *context, gathering *g, wf_grid_level *level, const wf_grid_graph *graph)
{
    size_t slots = (size_t)level->inner.start[level->rows] + (size_t)level->outer.start[level->rows] + level->rows;
    level->source_start = wf_allocate(context, slots + 1, sizeof *level->source_start);
    if (!level->source_start) {
        return WF_ERROR_MEMORY;
    }
    for (size_t group = 0; group < level->rows; group++) {
        list_sources_of_row(g, group, level, graph, false, level->source_start);
    }
    for (size_t slot = 0; slot < slots; slot++) {
        level->source_start[slot + 1] += level->source_start[slot];
    }
    level->sources = wf_allocate(context, (size_t)level->source_start[slots], sizeof *level->sources);
    if (!level->sources) {
        return WF_ERROR_MEMORY;
    }
    for (size_t group = 0; group < level->rows; group++) {
        list_sources_of_row(g, group, level, graph, true, level->source_start);
    }
    /* Each start ran on to the next. */
    memmove(level->source_start + 1, level->source_start, slots * sizeof *level->source_start);
    level->source_start[0] = 0;
    return WF_OK;
}

wf_status wf_grid_level_create_coarse(wf_context *context, const wf_grid_level *fine, const wf_grid_graph *fine_graph,
                                      wf_grid_level *level, wf_grid_graph *graph)
{
    level->rows = fine->coarse_rows;
    gathering g = {fine, fine_graph, wf_allocate(context, level->rows, sizeof(int32_t))};
    raw_graph raw = {0};
    wf_status status = g.place ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memset(g.place, -1, level->rows * sizeof *g.place);
        status = collect(context, &g, &raw);
    }
    if (status == WF_OK) {
        status = make_matrix(context, &raw, level, graph);
    }
    if (status == WF_OK) {
        status = list_sources(context, &g, level, graph);
    }
    raw_graph_free(context, &raw);
    wf_free(context, g.place);
    return status;
}
