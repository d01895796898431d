#include "solve/islands.h"

#include "mesh/union_find.h"

enum { ROW_BLOCK = 512, SHORTEST_MEAN_BLOCK = 32 };

void wf_islands_free(wf_context *context, wf_islands *islands)
{
    wf_free(context, islands->blocks);
    wf_free(context, islands->part_of_row);
    wf_free(context, islands->parent);
    wf_free(context, islands->island_of_part);
    *islands = (wf_islands){0};
}

static void join_pattern(int32_t *parent, const wf_pattern *pattern)
{
    for (int32_t row = 0; row < pattern->row_count; row++) {
        for (int32_t k = pattern->row_start[row]; k < pattern->diagonal[row]; k++) {
            wf_union_find_join(parent, row, pattern->column[k]);
        }
    }
}

static void join_scalar_pattern(int32_t *parent, const wf_scalar_pattern *pattern)
{
    for (int32_t row = 0; row < pattern->row_count; row++) {
        for (int32_t k = pattern->lower_start[row]; k < pattern->lower_start[row + 1]; k++) {
            wf_union_find_join(parent, row, wf_scalar_pattern_lower_column(pattern, row, k));
        }
    }
}

/* Replaces parents by numbers from 0 in the order of first rows. Returns how many there are. */
static int32_t number_sets(int32_t *parent, int32_t count, int32_t *number)
{
    int32_t sets = 0;
    for (int32_t i = 0; i < count; i++) {
        wf_union_find_root(parent, i);
    }
    for (int32_t i = 0; i < count; i++) {
        number[i] = parent[i] == i ? sets++ : number[wf_union_find_root(parent, i)];
    }
    return sets;
}

static wf_status find_parts(wf_context *context, wf_islands *s, const wf_block_matrix *matrix)
{
    size_t rows = (size_t)matrix->row_count;
    s->identity = 0;
    wf_status status = wf_reserve(context, &s->part_of_row, &s->capacity[0], rows, sizeof *s->part_of_row);
    int32_t *parent = wf_allocate(context, rows, sizeof *parent);
    if (status != WF_OK || !parent) {
        wf_free(context, parent);
        return WF_ERROR_MEMORY;
    }
    wf_union_find_reset(parent, matrix->row_count);
    join_pattern(parent, &matrix->block_pattern);
    join_scalar_pattern(parent, &matrix->scalar_pattern);
    s->part_count = number_sets(parent, matrix->row_count, s->part_of_row);
    wf_free(context, parent);
    if (s->part_count == 1) { /* nobody will ask */
        wf_free(context, s->part_of_row);
        s->part_of_row = NULL;
        s->capacity[0] = 0;
    }
    size_t parts = (size_t)s->part_count;
    status = wf_reserve(context, &s->parent, &s->capacity[1], parts, sizeof *s->parent);
    if (status == WF_OK) {
        status = wf_reserve(context, &s->island_of_part, &s->capacity[2], parts, sizeof *s->island_of_part);
    }
    s->identity = status == WF_OK ? matrix->identity : 0;
    return status;
}

/* Joins parts that contacts couple. */
static void join_contacts(wf_islands *s, const wf_linear_system *system)
{
    wf_union_find_reset(s->parent, s->part_count);
    if (s->part_count > 1 && !wf_contact_blocks_are_empty(system->contacts)) {
        for (int32_t row = 0; row < system->matrix->row_count; row++) {
            wf_contact_row contacts = wf_contact_blocks_row(system->contacts, row);
            for (int32_t k = 0; k < contacts.count; k++) {
                wf_union_find_join(s->parent, s->part_of_row[row], s->part_of_row[contacts.column[k]]);
            }
        }
    }
    s->count = number_sets(s->parent, s->part_count, s->island_of_part);
}

/* Cuts the rows at the bounds of islands and every ROW_BLOCK; blocks NULL only counts. */
static int32_t cut(const wf_islands *s, int32_t row_count, wf_row_block *blocks)
{
    int32_t count = 0;
    for (int32_t begin = 0, end; begin < row_count; begin = end, count++) {
        int32_t island = s->count > 1 ? s->island_of_part[s->part_of_row[begin]] : 0;
        int32_t most = row_count - begin < ROW_BLOCK ? row_count : begin + ROW_BLOCK;
        end = s->count > 1 ? begin + 1 : most;
        while (end < most && s->island_of_part[s->part_of_row[end]] == island) {
            end++;
        }
        if (blocks) {
            blocks[count] = (wf_row_block){begin, end, island};
        }
    }
    return count;
}

wf_status wf_islands_find(wf_context *context, wf_islands *s, const wf_linear_system *system)
{
    int32_t rows = system->matrix->row_count;
    wf_status status = s->identity == system->matrix->identity ? WF_OK : find_parts(context, s, system->matrix);
    if (status != WF_OK) {
        return status;
    }
    join_contacts(s, system);
    s->block_count = cut(s, rows, NULL);
    if (s->count > 1 && rows / s->block_count < SHORTEST_MEAN_BLOCK && s->block_count > 2 * s->count) {
        s->count = 1;
        s->block_count = cut(s, rows, NULL);
    }
    status = wf_reserve(context, &s->blocks, &s->capacity[3], (size_t)s->block_count, sizeof *s->blocks);
    if (status == WF_OK) {
        cut(s, rows, s->blocks);
    }
    return status;
}
