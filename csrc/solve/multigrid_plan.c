/* multigrid_plan.c - coarse grids of a multigrid: their patterns, and how their matrices are summed (P^T A P). */
#include <string.h>

#include "solve/multigrid_level.h"

enum { LOCAL_LIMIT = 255 }; /* groups that a row may be coupled to */

/* What the passes over a fine grid share. */
typedef struct planner {
    wf_grid_level *fine;
    const wf_grid_graph *graph;       /* of the fine grid */
    const wf_grid_graph *adjacent;
    int32_t *place;                   /* [coarse rows] where a column is in the list at hand, or -1 */
    int32_t *columns;                 /* of the row at hand, in the order of its entries */
    int32_t *reached;                 /* [LOCAL_LIMIT] the coarse rows that the row at hand is coupled to */
} planner;

/* ---- entries of the fine grid ---------------------------------------------------------------------------------- */

static size_t entry_count(const planner *p)
{
    size_t rows = p->fine->rows;
    if (p->fine->single) {
        return (size_t)wf_pattern_slot_count(p->fine->single->pattern) + (size_t)p->fine->single->scalar_start[rows];
    }
    return (size_t)p->graph->start[rows] + rows;
}

static size_t longest_row(const planner *p)
{
    size_t longest = 0;
    for (size_t row = 0; row < p->fine->rows; row++) {
        size_t length = (size_t)(p->graph->start[row + 1] - p->graph->start[row]) + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Fills p->columns; returns how many. *blocks: those of blocks, which come first. */
static int32_t list_columns(planner *p, size_t row, int32_t *blocks)
{
    int32_t count = 0;
    if (p->fine->single) {
        const wf_pattern *pattern = p->fine->single->pattern;
        for (int32_t k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++) {
            p->columns[count++] = pattern->column[k];
        }
        *blocks = count;
        for (int32_t k = p->fine->single->scalar_start[row]; k < p->fine->single->scalar_start[row + 1]; k++) {
            p->columns[count++] = wf_single_scalar_column(p->fine->single, row, k);
        }
        return count;
    }
    for (int32_t k = p->graph->start[row]; k < p->graph->start[row + 1]; k++) {
        p->columns[count++] = p->graph->entries[k].column;
    }
    p->columns[count++] = (int32_t)row;
    *blocks = count;
    return count;
}

/* Appends the coarse rows that columns [begin, end) lead to, to the `count` in p->reached, with their places. Returns
 * how many there are then; -1 when they are too many. The places must be cleared with forget. */
static int32_t reach(planner *p, int32_t begin, int32_t end, int32_t count)
{
    for (int32_t e = begin; e < end; e++) {
        for (int t = 0; t < 3; t++) {
            int32_t coarse = p->fine->target[p->columns[e]][t];
            if (p->fine->weight[p->columns[e]][t] != 0 && p->place[coarse] < 0) {
                if (count == LOCAL_LIMIT) {
                    return -1;
                }
                p->place[coarse] = count;
                p->reached[count++] = coarse;
            }
        }
    }
    return count;
}

static void forget(planner *p, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        p->place[p->reached[k]] = -1;
    }
}

/* ---- the pattern of the coarse grid ---------------------------------------------------------------------------- */

/* Rows are short: insertion. */
static void sort_row(wf_grid_entry *entries, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        wf_grid_entry entry = entries[k];
        int32_t at = k;
        for (; at > 0 && entries[at - 1].column > entry.column; at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = entry;
    }
}

/* The coarse rows that one is coupled to: those that its fine rows reach. */
static wf_status list_coarse_row(wf_context *context, const planner *p, const int32_t *reach_start,
                                 const int32_t *reached, size_t coarse, int32_t *begin, wf_grid_graph *graph,
                                 size_t *capacity)
{
    const wf_grid_level *fine = p->fine;
    int32_t end = *begin;
    for (int32_t m = fine->member_start[coarse]; m < fine->member_start[coarse + 1]; m++) {
        int32_t row = fine->members[m];
        wf_status status = wf_reserve(context, &graph->entries, capacity,
                                      (size_t)end + (size_t)(reach_start[row + 1] - reach_start[row]),
                                      sizeof *graph->entries);
        if (status != WF_OK) {
            return status;
        }
        for (int32_t k = reach_start[row]; k < reach_start[row + 1]; k++) {
            if (reached[k] != (int32_t)coarse && p->place[reached[k]] < 0) {
                p->place[reached[k]] = end;
                graph->entries[end++] = (wf_grid_entry){.column = reached[k]};
            }
        }
    }
    for (int32_t k = p->adjacent->start[coarse]; k < p->adjacent->start[coarse + 1]; k++) {
        int32_t at = p->place[p->adjacent->entries[k].column];
        if (at >= 0) {
            graph->entries[at].near = 1;
        }
    }
    for (int32_t k = *begin; k < end; k++) {
        p->place[graph->entries[k].column] = -1;
    }
    sort_row(graph->entries + *begin, end - *begin);
    *begin = end;
    return WF_OK;
}

/* ---- the plan -------------------------------------------------------------------------------------------------- */

/* local, the numbers of local sums and, for the pattern, `reached` by rows; false in *possible where a row reaches too
 * far. */
static wf_status plan_rows(wf_context *context, planner *p, int32_t **reach_start, int32_t **reached, bool *possible)
{
    wf_grid_level *fine = p->fine;
    size_t capacity = 0, entry = 0;
    fine->local = wf_allocate(context, 3 * entry_count(p), sizeof *fine->local);
    fine->local_count = wf_allocate(context, fine->rows, sizeof *fine->local_count);
    fine->block_local_count = wf_allocate(context, fine->rows, sizeof *fine->block_local_count);
    *reach_start = wf_allocate(context, fine->rows + 1, sizeof **reach_start);
    if (!fine->local || !fine->local_count || !fine->block_local_count || !*reach_start) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < fine->rows; row++) {
        int32_t blocks = 0, columns = list_columns(p, row, &blocks);
        int32_t of_blocks = reach(p, 0, blocks, 0);
        int32_t count = of_blocks < 0 ? -1 : reach(p, blocks, columns, of_blocks);
        if (count < 0 || (*reach_start)[row] > INT32_MAX / 3 - LOCAL_LIMIT) {
            *possible = false;
            return WF_OK;
        }
        for (int32_t e = 0; e < columns; e++, entry++) {
            for (int t = 0; t < 3; t++) {
                bool used = fine->weight[p->columns[e]][t] != 0;
                fine->local[3 * entry + (size_t)t] = used ? (uint8_t)p->place[fine->target[p->columns[e]][t]] : 0;
            }
        }
        forget(p, count);
        size_t begin = (size_t)(*reach_start)[row];
        wf_status status = wf_reserve(context, reached, &capacity, begin + (size_t)count, sizeof **reached);
        if (status != WF_OK) {
            return status;
        }
        memcpy(*reached + begin, p->reached, (size_t)count * sizeof **reached);
        (*reach_start)[row + 1] = (*reach_start)[row] + count;
        fine->local_count[row] = (uint8_t)count;
        fine->block_local_count[row] = (uint8_t)of_blocks;
    }
    return WF_OK;
}

/* The slot of a coarse entry among those of its row, or -1 where its transpose is what is stored. */
static int32_t slot_of(const wf_grid_level *level, const wf_grid_graph *graph, int32_t row, int32_t column)
{
    int32_t inner = level->inner.start[row], inner_count = level->inner.start[row + 1] - inner;
    if (row == column) {
        return inner_count + level->outer.start[row + 1] - level->outer.start[row];
    }
    int32_t low = graph->start[row], high = graph->start[row + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (graph->entries[middle].column < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int32_t block = (int32_t)graph->entries[low].slot, outer = block - level->inner.start[level->rows];
    if (outer >= 0) {
        return inner_count + outer - level->outer.start[row];
    }
    return graph->entries[low].transposed ? -1 : block - inner;
}

/* The slots that a row adds to, listed from `at` on where there is room. Returns where the list ends; counts those
 * that blocks add to. */
static int32_t plan_row(wf_grid_level *fine, size_t row, const int32_t *reached, const wf_grid_level *level,
                        const wf_grid_graph *graph, int32_t at, bool list)
{
    int32_t begin = at;
    fine->plan_block_count[row] = 0;
    for (int32_t l = 0; l < fine->local_count[row]; l++) {
        for (int32_t s = 0; s < 3; s++) {
            int32_t slot = fine->weight[row][s] != 0 ? slot_of(level, graph, fine->target[row][s], reached[l]) : -1;
            if (slot < 0) {
                continue;
            }
            if (list) {
                fine->plan_slot[at] = (uint16_t)slot;
                fine->plan_part[at] = (uint16_t)(WF_GRID_PARTS * l + s);
            }
            at++;
        }
        if (l < fine->block_local_count[row]) {
            fine->plan_block_count[row] = (uint16_t)(at - begin);
        }
    }
    return at;
}

static wf_status plan_slots(wf_context *context, wf_grid_level *fine, const int32_t *reach_start,
                            const int32_t *reached, const wf_grid_level *level, const wf_grid_graph *graph)
{
    fine->plan_start = wf_allocate(context, fine->rows + 1, sizeof *fine->plan_start);
    fine->plan_block_count = wf_allocate(context, fine->rows, sizeof *fine->plan_block_count);
    if (!fine->plan_start || !fine->plan_block_count) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < fine->rows; row++) {
        fine->plan_start[row + 1] = plan_row(fine, row, reached + reach_start[row], level, graph,
                                             fine->plan_start[row], false);
    }
    size_t count = (size_t)fine->plan_start[fine->rows];
    fine->plan_slot = wf_allocate(context, count, sizeof *fine->plan_slot);
    fine->plan_part = wf_allocate(context, count, sizeof *fine->plan_part);
    if (!fine->plan_slot || !fine->plan_part) {
        return WF_ERROR_MEMORY;
    }
    for (size_t row = 0; row < fine->rows; row++) {
        plan_row(fine, row, reached + reach_start[row], level, graph, fine->plan_start[row], true);
    }
    return WF_OK;
}

/* Strips that add to the same coarse rows get different colours. users: [coarse rows], colour_of: [strips]; scratch. */
static wf_status plan_colours(wf_context *context, wf_grid_level *fine, int32_t *users, int32_t *colour_of)
{
    /* Walks the strips once for each colour: takes those that share no coarse row with one taken before. */
    int32_t strips = fine->strip_count, done = 0;
    fine->plan_strips = wf_allocate(context, (size_t)strips, sizeof *fine->plan_strips);
    fine->plan_colour_start = wf_allocate(context, (size_t)strips + 1, sizeof *fine->plan_colour_start);
    if (!fine->plan_strips || !fine->plan_colour_start) {
        return WF_ERROR_MEMORY;
    }
    memset(colour_of, -1, (size_t)strips * sizeof *colour_of);
    memset(users, -1, fine->coarse_rows * sizeof *users);
    for (int32_t colour = 0; done < strips; colour++) {
        for (int32_t strip = 0; strip < strips; strip++) {
            size_t begin = (size_t)strip << fine->strip_shift, end = begin + ((size_t)1 << fine->strip_shift);
            end = end < fine->rows ? end : fine->rows;
            bool free = colour_of[strip] < 0;
            for (size_t row = begin; row < end && free; row++) {
                for (int s = 0; s < 3; s++) {
                    free = free && (fine->weight[row][s] == 0 || users[fine->target[row][s]] != colour);
                }
            }
            if (!free) {
                continue;
            }
            colour_of[strip] = colour;
            fine->plan_strips[done++] = strip;
            for (size_t row = begin; row < end; row++) {
                for (int s = 0; s < 3; s++) {
                    if (fine->weight[row][s] != 0) {
                        users[fine->target[row][s]] = colour;
                    }
                }
            }
        }
        fine->plan_colour_start[colour + 1] = done;
        fine->plan_colour_count = colour + 1;
    }
    return WF_OK;
}

/* *possible: false where a coarse row has more slots than a plan can name. */
static wf_status make_coarse(wf_context *context, planner *p, const int32_t *reach_start, const int32_t *reached,
                             wf_grid_level *level, wf_grid_graph *graph, bool *possible)
{
    size_t capacity = 0;
    int32_t end = 0;
    graph->start = wf_allocate(context, level->rows + 1, sizeof *graph->start);
    wf_status status = graph->start ? WF_OK : WF_ERROR_MEMORY;
    for (size_t coarse = 0; coarse < level->rows && status == WF_OK; coarse++) {
        status = list_coarse_row(context, p, reach_start, reached, coarse, &end, graph, &capacity);
        graph->start[coarse + 1] = end;
        *possible = *possible && end - graph->start[coarse] < UINT16_MAX;
    }
    wf_grid_entry *listed = graph->entries;
    graph->entries = status == WF_OK ? wf_allocate(context, (size_t)end, sizeof *listed) : NULL;
    if (graph->entries && end > 0) {
        memcpy(graph->entries, listed, (size_t)end * sizeof *listed);
    }
    wf_free(context, listed);
    if (!graph->entries) {
        return WF_ERROR_MEMORY;
    }
    status = *possible ? wf_grid_level_create(context, level, graph) : WF_OK;
    if (status == WF_OK && *possible && p->fine->single) {
        level->scalar_sums = wf_allocate(context, wf_grid_level_slots(level), sizeof *level->scalar_sums);
        status = level->scalar_sums ? WF_OK : WF_ERROR_MEMORY;
    }
    return status;
}

wf_status wf_grid_level_create_coarse(wf_context *context, wf_grid_level *fine, const wf_grid_graph *fine_graph,
                                      const wf_grid_graph *adjacent, wf_grid_level *level, wf_grid_graph *graph)
{
    level->rows = fine->coarse_rows;
    planner p = {.fine = fine, .graph = fine_graph, .adjacent = adjacent};
    int32_t *reach_start = NULL, *reached = NULL, *colours = NULL;
    p.place = wf_allocate(context, level->rows, sizeof *p.place);
    p.columns = wf_allocate(context, longest_row(&p), sizeof *p.columns);
    p.reached = wf_allocate(context, LOCAL_LIMIT, sizeof *p.reached);
    colours = wf_allocate(context, (size_t)fine->strip_count, sizeof *colours);
    bool possible = true;
    wf_status status = WF_ERROR_MEMORY;
    if (p.place && p.columns && p.reached && colours) {
        memset(p.place, -1, level->rows * sizeof *p.place);
        status = plan_rows(context, &p, &reach_start, &reached, &possible);
    }
    if (status == WF_OK && possible) {
        status = make_coarse(context, &p, reach_start, reached, level, graph, &possible);
    }
    if (status == WF_OK && possible) {
        status = plan_slots(context, fine, reach_start, reached, level, graph);
    }
    if (status == WF_OK && possible) {
        status = plan_colours(context, fine, p.place, colours);
    }
    if (!possible) {
        fine->coarse_rows = 0;
        wf_grid_graph_free(context, graph);
    }
    void *scratch[] = {reach_start, reached, colours, p.place, p.columns, p.reached};
    for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++) {
        wf_free(context, scratch[k]);
    }
    return status;
}
