#include "solve/contact_blocks.h"

#include <string.h>

typedef struct entry {
    int32_t row, column;
    wf_mat3 block;
} entry;

struct wf_contact_blocks {
    entry *entries;        /* as added */
    size_t count, entry_capacity;
    int32_t *order, *scratch; /* entries by (row, column) */
    size_t order_capacity, scratch_capacity;
    int32_t *row_start;    /* [row_count + 1] of the sorted, summed blocks */
    size_t row_capacity;
    int32_t row_count;
    int32_t *column;
    size_t column_capacity;
    wf_mat3 *blocks;
    size_t block_capacity;
};

wf_status wf_contact_blocks_create(wf_context *context, wf_contact_blocks **blocks)
{
    *blocks = wf_allocate(context, 1, sizeof **blocks);
    return *blocks ? WF_OK : WF_ERROR_MEMORY;
}

void wf_contact_blocks_destroy(wf_context *context, wf_contact_blocks *blocks)
{
    if (!blocks) {
        return;
    }
    wf_free(context, blocks->entries);
    wf_free(context, blocks->order);
    wf_free(context, blocks->scratch);
    wf_free(context, blocks->row_start);
    wf_free(context, blocks->column);
    wf_free(context, blocks->blocks);
    wf_free(context, blocks);
}

void wf_contact_blocks_begin(wf_contact_blocks *blocks)
{
    blocks->count = 0;
    blocks->row_count = 0;
}

wf_status wf_contact_blocks_add(wf_context *context, wf_contact_blocks *blocks, int32_t i, int32_t j,
                                const wf_mat3 *block)
{
    wf_status status = wf_reserve(context, &blocks->entries, &blocks->entry_capacity, blocks->count + 2,
                                  sizeof *blocks->entries);
    if (status != WF_OK) {
        return status;
    }
    blocks->entries[blocks->count++] = (entry){i, j, *block};
    if (i != j) {
        entry *mirrored = &blocks->entries[blocks->count++];
        mirrored->row = j;
        mirrored->column = i;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                mirrored->block.m[r][c] = block->m[c][r];
            }
        }
    }
    return WF_OK;
}

static wf_status make_room(wf_context *context, wf_contact_blocks *blocks, int32_t row_count)
{
    size_t count = blocks->count;
    wf_status status = wf_reserve(context, &blocks->order, &blocks->order_capacity, count, sizeof *blocks->order);
    if (status == WF_OK) {
        status = wf_reserve(context, &blocks->scratch, &blocks->scratch_capacity, count, sizeof *blocks->scratch);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &blocks->row_start, &blocks->row_capacity, (size_t)row_count + 1,
                            sizeof *blocks->row_start);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &blocks->column, &blocks->column_capacity, count, sizeof *blocks->column);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &blocks->blocks, &blocks->block_capacity, count, sizeof *blocks->blocks);
    }
    return status;
}

/* One pass of a stable counting sort of `from` into `to`, by row or by column. `start` has room for row_count + 1. */
static void sort_pass(const entry *entries, size_t count, bool by_row, int32_t row_count, int32_t *start,
                      const int32_t *from, int32_t *to)
{
    memset(start, 0, ((size_t)row_count + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++) {
        start[(by_row ? entries[k].row : entries[k].column) + 1]++;
    }
    for (int32_t i = 0; i < row_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t k = 0; k < count; k++) {
        int32_t index = from ? from[k] : (int32_t)k;
        to[start[by_row ? entries[index].row : entries[index].column]++] = index;
    }
}

/* Sums runs of equal (row, column) and writes compressed rows. */
static void merge(wf_contact_blocks *blocks, int32_t row_count)
{
    int32_t kept = 0, row = 0, last_row = -1;
    blocks->row_start[0] = 0;
    for (size_t k = 0; k < blocks->count; k++) {
        const entry *e = &blocks->entries[blocks->order[k]];
        if (e->row == last_row && blocks->column[kept - 1] == e->column) {
            double *to = &blocks->blocks[kept - 1].m[0][0];
            for (int i = 0; i < 9; i++) {
                to[i] += (&e->block.m[0][0])[i];
            }
            continue;
        }
        while (row < e->row) {
            blocks->row_start[++row] = kept;
        }
        blocks->column[kept] = e->column;
        blocks->blocks[kept] = e->block;
        last_row = e->row;
        kept++;
    }
    while (row < row_count) {
        blocks->row_start[++row] = kept;
    }
}

wf_status wf_contact_blocks_finish(wf_context *context, wf_contact_blocks *blocks, int32_t row_count)
{
    blocks->row_count = 0;
    if (blocks->count > INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "contacts: more than 2^31 blocks");
    }
    for (size_t k = 0; k < blocks->count; k++) {
        if (blocks->entries[k].row < 0 || blocks->entries[k].row >= row_count || blocks->entries[k].column < 0 ||
            blocks->entries[k].column >= row_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "contacts: block (%d, %d) in a matrix of %d rows",
                           blocks->entries[k].row + 1, blocks->entries[k].column + 1, row_count);
        }
    }
    wf_status status = blocks->count > 0 ? make_room(context, blocks, row_count) : WF_OK;
    if (status != WF_OK || blocks->count == 0) {
        return status;
    }
    sort_pass(blocks->entries, blocks->count, false, row_count, blocks->row_start, NULL, blocks->scratch);
    sort_pass(blocks->entries, blocks->count, true, row_count, blocks->row_start, blocks->scratch, blocks->order);
    merge(blocks, row_count);
    blocks->row_count = row_count;
    return WF_OK;
}

void wf_contact_blocks_multiply_rows(const wf_contact_blocks *blocks, const wf_vec3 *x, wf_vec3 *y, size_t begin,
                                     size_t end)
{
    if (!blocks || blocks->row_count == 0) {
        return;
    }
    for (size_t row = begin; row < end; row++) {
        for (int32_t slot = blocks->row_start[row]; slot < blocks->row_start[row + 1]; slot++) {
            y[row] = wf_vec3_add(y[row], wf_mat3_mulv(blocks->blocks[slot], x[blocks->column[slot]]));
        }
    }
}

bool wf_contact_blocks_are_empty(const wf_contact_blocks *blocks)
{
    return !blocks || blocks->row_count == 0 || blocks->row_start[blocks->row_count] == 0;
}

wf_contact_row wf_contact_blocks_row(const wf_contact_blocks *blocks, int32_t row)
{
    if (wf_contact_blocks_are_empty(blocks)) {
        return (wf_contact_row){0};
    }
    int32_t first = blocks->row_start[row];
    return (wf_contact_row){blocks->row_start[row + 1] - first, blocks->column + first, blocks->blocks + first};
}

wf_mat3 wf_contact_blocks_diagonal(const wf_contact_blocks *blocks, int32_t row)
{
    if (blocks && blocks->row_count > 0) {
        for (int32_t slot = blocks->row_start[row]; slot < blocks->row_start[row + 1]; slot++) {
            if (blocks->column[slot] == row) {
                return blocks->blocks[slot];
            }
        }
    }
    return (wf_mat3){{{0}}};
}
