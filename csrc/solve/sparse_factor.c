/* sparse_factor.c - see sparse_factor.h.
 *
 * Eliminating a row joins its neighbours to one another. The quotient graph (George and Liu 1989) keeps each such
 * clique as one "element", the list of its members, and not as edges. Without supervariables that list is the very
 * pattern of the row's column of L, so ordering and symbolic factorisation are one and the same pass, and the lists
 * are kept. */
#include "solve/sparse_factor.h"

#include <stdlib.h>
#include <string.h>

struct wf_sparse_factor {
    int32_t rows;
    int32_t *place;        /* [rows] row -> its turn in the elimination */
    int32_t *row_at;       /* [rows] the inverse of place */
    int32_t *column_start; /* [rows + 1] columns of L in the order of elimination, below the diagonal */
    int32_t *index;        /* turns, ascending within a column */
    double *lower;         /* L */
    double *inverse_pivot; /* [rows] D^-1 */
    double *work;          /* [rows] */
    int32_t *next, *first; /* [rows] lists of columns while factoring */
    wf_vec3 *turned;       /* [rows] a right-hand side in the order of elimination */
};

/* ---- ordering -------------------------------------------------------------------------------------------------- */

enum { NONE = -1 };

typedef struct quotient_graph {
    int32_t rows;
    /* Of a row that is left: the elements it belongs to, then the rows it is joined to directly; both only shrink
     * within the room that the pattern's row gave. */
    const int32_t *start; /* [rows + 1] of the pattern */
    int32_t *list;
    int32_t *element_count, *row_count;
    /* Of an eliminated row, as an element: its members at the time. */
    int32_t *member;
    size_t member_capacity, member_total;
    int64_t *member_start; /* [rows] */
    int32_t *member_count; /* [rows] */
    bool *absorbed;        /* [rows] by a later element: its members are all in that */
    /* Rows by degree: doubly linked lists. */
    int32_t *degree, *head, *next, *previous;
    int32_t *mark;         /* [rows] a row in the current column carries its turn */
    int32_t *outside;      /* [rows] of an element: members outside the current column */
    int32_t *outside_mark; /* [rows] the turn at which `outside` was set */
} quotient_graph;

static void free_graph(wf_context *context, quotient_graph *g)
{
    wf_free(context, g->list);
    wf_free(context, g->element_count);
    wf_free(context, g->row_count);
    wf_free(context, g->member);
    wf_free(context, g->member_start);
    wf_free(context, g->member_count);
    wf_free(context, g->absorbed);
    wf_free(context, g->degree);
    wf_free(context, g->head);
    wf_free(context, g->next);
    wf_free(context, g->previous);
    wf_free(context, g->mark);
    wf_free(context, g->outside);
    wf_free(context, g->outside_mark);
}

static void unlink_row(quotient_graph *g, int32_t row)
{
    if (g->previous[row] != NONE) {
        g->next[g->previous[row]] = g->next[row];
    } else {
        g->head[g->degree[row]] = g->next[row];
    }
    if (g->next[row] != NONE) {
        g->previous[g->next[row]] = g->previous[row];
    }
}

static void link_row(quotient_graph *g, int32_t row, int32_t degree)
{
    g->degree[row] = degree;
    g->next[row] = g->head[degree];
    g->previous[row] = NONE;
    if (g->next[row] != NONE) {
        g->previous[g->next[row]] = row;
    }
    g->head[degree] = row;
}

static wf_status make_graph(wf_context *context, const wf_pattern *pattern, quotient_graph *g)
{
    size_t n = (size_t)pattern->row_count;
    g->rows = pattern->row_count;
    g->start = pattern->row_start;
    g->list = wf_allocate(context, (size_t)wf_pattern_slot_count(pattern), sizeof *g->list);
    g->element_count = wf_allocate(context, n, sizeof *g->element_count);
    g->row_count = wf_allocate(context, n, sizeof *g->row_count);
    g->member_start = wf_allocate(context, n, sizeof *g->member_start);
    g->member_count = wf_allocate(context, n, sizeof *g->member_count);
    g->absorbed = wf_allocate(context, n, sizeof *g->absorbed);
    g->degree = wf_allocate(context, n, sizeof *g->degree);
    g->head = wf_allocate(context, n, sizeof *g->head);
    g->next = wf_allocate(context, n, sizeof *g->next);
    g->previous = wf_allocate(context, n, sizeof *g->previous);
    g->mark = wf_allocate(context, n, sizeof *g->mark);
    g->outside = wf_allocate(context, n, sizeof *g->outside);
    g->outside_mark = wf_allocate(context, n, sizeof *g->outside_mark);
    if (!g->list || !g->element_count || !g->row_count || !g->member_start || !g->member_count || !g->absorbed ||
        !g->degree || !g->head || !g->next || !g->previous || !g->mark || !g->outside || !g->outside_mark) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < g->rows; i++) {
        g->head[i] = g->mark[i] = g->outside_mark[i] = NONE;
    }
    for (int32_t i = g->rows - 1; i >= 0; i--) {
        for (int32_t slot = pattern->row_start[i]; slot < pattern->row_start[i + 1]; slot++) {
            if (pattern->column[slot] != i) {
                g->list[g->start[i] + g->row_count[i]++] = pattern->column[slot];
            }
        }
        link_row(g, i, g->row_count[i]);
    }
    return WF_OK;
}

/* The column of `pivot`: whoever it is joined to, directly or through elements, which the new element absorbs. */
static wf_status form_element(wf_context *context, quotient_graph *g, int32_t pivot, int32_t turn)
{
    const int32_t *list = g->list + g->start[pivot];
    size_t most = (size_t)g->row_count[pivot];
    for (int32_t k = 0; k < g->element_count[pivot]; k++) {
        most += (size_t)g->member_count[list[k]];
    }
    wf_status status = wf_reserve(context, &g->member, &g->member_capacity, g->member_total + most, sizeof *g->member);
    if (status != WF_OK) {
        return status;
    }
    int32_t *members = g->member + g->member_total, count = 0;
    g->member_start[pivot] = (int64_t)g->member_total;
    g->mark[pivot] = turn;
    for (int32_t k = 0; k < g->element_count[pivot]; k++) {
        const int32_t *from = g->member + g->member_start[list[k]];
        for (int32_t m = 0; m < g->member_count[list[k]]; m++) {
            if (g->mark[from[m]] != turn) {
                g->mark[from[m]] = turn;
                members[count++] = from[m];
            }
        }
        g->absorbed[list[k]] = true;
    }
    for (int32_t k = 0; k < g->row_count[pivot]; k++) {
        int32_t row = list[g->element_count[pivot] + k];
        if (g->mark[row] != turn) {
            g->mark[row] = turn;
            members[count++] = row;
        }
    }
    g->member_count[pivot] = count;
    g->member_total += (size_t)count;
    if (g->member_total > INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "factor: it would have more than 2^31 entries");
    }
    return WF_OK;
}

/* For every element that meets the new one: how many of its members lie outside of it. */
static void count_outside(quotient_graph *g, const int32_t *members, int32_t count, int32_t turn)
{
    for (int32_t m = 0; m < count; m++) {
        const int32_t *list = g->list + g->start[members[m]];
        for (int32_t k = 0; k < g->element_count[members[m]]; k++) {
            int32_t element = list[k];
            if (g->outside_mark[element] != turn) {
                g->outside_mark[element] = turn;
                g->outside[element] = g->member_count[element];
            }
            g->outside[element]--;
        }
    }
}

/* Rewrites the lists of a member of the new element, and returns its approximate degree. */
static int32_t update_member(quotient_graph *g, int32_t row, int32_t pivot, int32_t turn)
{
    int32_t *list = g->list + g->start[row], elements = 0, rows = 0, degree = g->member_count[pivot] - 1;
    int32_t old_elements = g->element_count[row], end = old_elements + g->row_count[row], first = old_elements;
    for (int32_t k = 0; k < old_elements; k++) {
        /* An element that lies within the new one adds nothing: it is absorbed too. */
        if (!g->absorbed[list[k]] && g->outside[list[k]] > 0) {
            degree += g->outside[list[k]];
            list[elements++] = list[k];
        }
    }
    if (elements == old_elements) {
        /* Then the row was joined to the pivot directly, whose place among the rows the new element takes. */
        for (int32_t k = first; k < end; k++) {
            if (list[k] == pivot) {
                list[k] = list[first];
            }
        }
        first++;
    }
    for (int32_t k = first; k < end; k++) {
        if (g->mark[list[k]] != turn) {
            list[elements + 1 + rows++] = list[k];
        }
    }
    list[elements] = pivot;
    g->element_count[row] = elements + 1;
    g->row_count[row] = rows;
    return degree + rows;
}

/* Fills place and row_at; the columns are then in the graph. */
static wf_status order_rows(wf_context *context, quotient_graph *g, int32_t *place, int32_t *row_at)
{
    int32_t least = 0;
    for (int32_t turn = 0; turn < g->rows; turn++) {
        while (g->head[least] == NONE) {
            least++;
        }
        int32_t pivot = g->head[least];
        unlink_row(g, pivot);
        place[pivot] = turn;
        row_at[turn] = pivot;
        wf_status status = form_element(context, g, pivot, turn);
        if (status != WF_OK) {
            return status;
        }
        const int32_t *members = g->member + g->member_start[pivot];
        int32_t count = g->member_count[pivot], left = g->rows - turn - 1;
        count_outside(g, members, count, turn);
        for (int32_t m = 0; m < count; m++) {
            unlink_row(g, members[m]);
            int32_t degree = update_member(g, members[m], pivot, turn);
            link_row(g, members[m], degree < left ? degree : left);
            least = g->degree[members[m]] < least ? g->degree[members[m]] : least;
        }
    }
    return WF_OK;
}

static int compare_indices(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* ---- the factor ------------------------------------------------------------------------------------------------ */

static wf_status fill_columns(wf_context *context, wf_sparse_factor *f, const quotient_graph *g)
{
    for (int32_t turn = 0; turn < f->rows; turn++) {
        f->column_start[turn + 1] = f->column_start[turn] + g->member_count[f->row_at[turn]];
    }
    f->index = wf_allocate(context, g->member_total, sizeof *f->index);
    f->lower = wf_allocate(context, g->member_total, sizeof *f->lower);
    if (!f->index || !f->lower) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t turn = 0; turn < f->rows; turn++) {
        const int32_t *members = g->member + g->member_start[f->row_at[turn]];
        int32_t *column = f->index + f->column_start[turn], count = g->member_count[f->row_at[turn]];
        for (int32_t m = 0; m < count; m++) {
            column[m] = f->place[members[m]];
        }
        qsort(column, (size_t)count, sizeof *column, compare_indices);
    }
    return WF_OK;
}

wf_status wf_sparse_factor_create(wf_context *context, const wf_pattern *pattern, wf_sparse_factor **factor)
{
    *factor = NULL;
    wf_sparse_factor *f = wf_allocate(context, 1, sizeof *f);
    if (!f) {
        return WF_ERROR_MEMORY;
    }
    size_t n = (size_t)pattern->row_count;
    f->rows = pattern->row_count;
    f->place = wf_allocate(context, n, sizeof *f->place);
    f->row_at = wf_allocate(context, n, sizeof *f->row_at);
    f->column_start = wf_allocate(context, n + 1, sizeof *f->column_start);
    f->inverse_pivot = wf_allocate(context, n, sizeof *f->inverse_pivot);
    f->work = wf_allocate(context, n, sizeof *f->work);
    f->next = wf_allocate(context, n, sizeof *f->next);
    f->first = wf_allocate(context, n, sizeof *f->first);
    f->turned = wf_allocate(context, n, sizeof *f->turned);
    wf_status status = WF_ERROR_MEMORY;
    if (f->place && f->row_at && f->column_start && f->inverse_pivot && f->work && f->next && f->first && f->turned) {
        quotient_graph g = {0};
        status = make_graph(context, pattern, &g);
        status = status == WF_OK ? order_rows(context, &g, f->place, f->row_at) : status;
        status = status == WF_OK ? fill_columns(context, f, &g) : status;
        free_graph(context, &g);
    }
    if (status != WF_OK) {
        wf_sparse_factor_destroy(context, f);
        return status;
    }
    *factor = f;
    return WF_OK;
}

void wf_sparse_factor_destroy(wf_context *context, wf_sparse_factor *f)
{
    if (!f) {
        return;
    }
    wf_free(context, f->place);
    wf_free(context, f->row_at);
    wf_free(context, f->column_start);
    wf_free(context, f->index);
    wf_free(context, f->lower);
    wf_free(context, f->inverse_pivot);
    wf_free(context, f->work);
    wf_free(context, f->next);
    wf_free(context, f->first);
    wf_free(context, f->turned);
    wf_free(context, f);
}

size_t wf_sparse_factor_entries(const wf_sparse_factor *f)
{
    return f->rows > 0 ? (size_t)f->column_start[f->rows] : 0;
}

/* Hangs column k, whose first entry not yet used is `at`, on the list of that entry's turn. */
static void hang_column(wf_sparse_factor *f, int32_t *head, int32_t k, int32_t at)
{
    f->first[k] = at;
    if (at < f->column_start[k + 1]) {
        int32_t turn = f->index[at];
        f->next[k] = head[turn];
        head[turn] = k;
    }
}

/* Writes column `turn` of the matrix, on and below the diagonal, into `work`. */
static void read_column(wf_sparse_factor *f, const wf_pattern *pattern, const double *values, const uint8_t *fixed,
                        int32_t turn)
{
    int32_t row = f->row_at[turn];
    f->work[turn] = 0;
    for (int32_t e = f->column_start[turn]; e < f->column_start[turn + 1]; e++) {
        f->work[f->index[e]] = 0;
    }
    if (fixed && fixed[row]) {
        f->work[turn] = 1;
        return;
    }
    for (int32_t slot = pattern->row_start[row]; slot < pattern->row_start[row + 1]; slot++) {
        int32_t other = pattern->column[slot];
        if (f->place[other] >= turn && !(fixed && fixed[other])) {
            f->work[f->place[other]] = values[slot];
        }
    }
}

wf_status wf_sparse_factor_compute(wf_context *context, wf_sparse_factor *f, const wf_pattern *pattern,
                                   const double *values, const uint8_t *fixed)
{
    int32_t *head = wf_allocate(context, (size_t)f->rows, sizeof *head);
    if (!head) {
        return WF_ERROR_MEMORY;
    }
    memset(head, 0xff, (size_t)f->rows * sizeof *head); /* NONE */
    wf_status status = WF_OK;
    for (int32_t turn = 0; turn < f->rows && status == WF_OK; turn++) {
        read_column(f, pattern, values, fixed, turn);
        /* Subtract what the earlier columns with an entry in this row contribute. */
        for (int32_t k = head[turn], next; k != NONE; k = next) {
            next = f->next[k];
            int32_t at = f->first[k];
            double factor = f->lower[at] / f->inverse_pivot[k];
            for (int32_t e = at; e < f->column_start[k + 1]; e++) {
                f->work[f->index[e]] -= factor * f->lower[e];
            }
            hang_column(f, head, k, at + 1);
        }
        f->inverse_pivot[turn] = 1 / f->work[turn];
        if (!(f->work[turn] > 0) || !isfinite(f->inverse_pivot[turn])) {
            status = wf_fail(context, WF_ERROR_NUMERIC, "factor: the matrix is not positive definite at row %d",
                             f->row_at[turn] + 1);
        }
        for (int32_t e = f->column_start[turn]; e < f->column_start[turn + 1]; e++) {
            f->lower[e] = f->work[f->index[e]] * f->inverse_pivot[turn];
        }
        hang_column(f, head, turn, f->column_start[turn]);
    }
    wf_free(context, head);
    return status;
}

void wf_sparse_factor_solve(wf_sparse_factor *f, wf_vec3 *x)
{
    wf_vec3 *y = f->turned;
    for (int32_t turn = 0; turn < f->rows; turn++) {
        y[turn] = x[f->row_at[turn]];
    }
    for (int32_t k = 0; k < f->rows; k++) {
        for (int32_t e = f->column_start[k]; e < f->column_start[k + 1]; e++) {
            y[f->index[e]] = wf_vec3_muladds(y[f->index[e]], y[k], -f->lower[e]);
        }
    }
    for (int32_t k = f->rows - 1; k >= 0; k--) {
        wf_vec3 sum = wf_vec3_scale(y[k], f->inverse_pivot[k]);
        for (int32_t e = f->column_start[k]; e < f->column_start[k + 1]; e++) {
            sum = wf_vec3_muladds(sum, y[f->index[e]], -f->lower[e]);
        }
        y[k] = sum;
    }
    for (int32_t turn = 0; turn < f->rows; turn++) {
        x[f->row_at[turn]] = y[turn];
    }
}
