/* anderson.c - acceleration of fixed-point iterations; see anderson.h. */
#include "solve/anderson.h"

enum { COLUMNS = WF_ANDERSON_EVALUATIONS + WF_ANDERSON_REMEMBERED };

/* Of an evaluation: x and G(x). Of what is remembered: differences of residuals and of G(x). */
typedef struct pair {
    double *x, *value;
} pair;

struct wf_anderson {
    wf_context *context;
    size_t size;
    pair evaluations[WF_ANDERSON_EVALUATIONS], memory[WF_ANDERSON_REMEMBERED];
    int last; /* the present evaluation */
    int memory_count;
};

static wf_status make_pair(const wf_anderson *a, pair *made)
{
    if (!made->x) {
        made->x = wf_allocate(a->context, a->size, sizeof *made->x);
    }
    if (!made->value) {
        made->value = wf_allocate(a->context, a->size, sizeof *made->value);
    }
    return made->x && made->value ? WF_OK : WF_ERROR_MEMORY;
}

static void free_pair(const wf_anderson *a, pair *made)
{
    wf_free(a->context, made->x);
    wf_free(a->context, made->value);
}

wf_status wf_anderson_create(wf_context *context, size_t size, wf_anderson **anderson)
{
    *anderson = wf_allocate(context, 1, sizeof **anderson);
    if (!*anderson) {
        return WF_ERROR_MEMORY;
    }
    (*anderson)->context = context;
    (*anderson)->size = size;
    return WF_OK;
}

void wf_anderson_destroy(wf_anderson *a)
{
    for (int k = 0; a && k < WF_ANDERSON_EVALUATIONS; k++) {
        free_pair(a, &a->evaluations[k]);
    }
    for (int k = 0; a && k < WF_ANDERSON_REMEMBERED; k++) {
        free_pair(a, &a->memory[k]);
    }
    if (a) {
        wf_free(a->context, a);
    }
}

wf_status wf_anderson_begin(wf_anderson *a)
{
    a->last = 0;
    return make_pair(a, &a->evaluations[0]);
}

double *wf_anderson_x(wf_anderson *a)
{
    return a->evaluations[a->last].x;
}

double *wf_anderson_value(wf_anderson *a)
{
    return a->evaluations[a->last].value;
}

int wf_anderson_count(const wf_anderson *a)
{
    return a->last + 1;
}

/* Solves a symmetric semidefinite system of n rows in place, by Cholesky's method without roots; unknowns that depend
 * on those before count as 0. */
static void solve_small(int n, double m[COLUMNS][COLUMNS], double *b)
{
    double least[COLUMNS];
    for (int i = 0; i < n; i++) {
        least[i] = 1e-8 * m[i][i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            const double factor = m[i][i] > least[i] ? m[j][i] / m[i][i] : 0;
            for (int k = i; k < n; k++) {
                m[j][k] -= factor * m[i][k];
            }
            b[j] -= factor * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= m[i][j] * b[j];
        }
        b[i] = m[i][i] > least[i] ? b[i] / m[i][i] : 0;
    }
}

/* Differences between the present evaluation and those before, then what is remembered, at entry i: of residuals and of
 * values. Returns how many. */
static int columns_at(const wf_anderson *a, size_t i, double *residual, double *value)
{
    const pair *last = &a->evaluations[a->last];
    int n = 0;
    for (int k = a->last - 1; k >= 0; k--) {
        const pair *other = &a->evaluations[k];
        value[n] = last->value[i] - other->value[i];
        residual[n] = value[n] - (last->x[i] - other->x[i]);
        n++;
    }
    for (int k = 0; k < a->memory_count; k++) {
        residual[n] = a->memory[k].x[i];
        value[n] = a->memory[k].value[i];
        n++;
    }
    return n;
}

wf_status wf_anderson_mix(wf_anderson *a)
{
    if (a->last + 1 == WF_ANDERSON_EVALUATIONS) {
        return wf_fail(a->context, WF_ERROR_STATE, "there are already %d evaluations", WF_ANDERSON_EVALUATIONS);
    }
    wf_status status = make_pair(a, &a->evaluations[a->last + 1]);
    if (status != WF_OK) {
        return status;
    }
    const pair *last = &a->evaluations[a->last];
    double m[COLUMNS][COLUMNS] = {{0}}, b[COLUMNS] = {0}, residual[COLUMNS], value[COLUMNS];
    const int n = a->last + a->memory_count;
    for (size_t i = 0; i < a->size && n > 0; i++) {
        (void)columns_at(a, i, residual, value);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j <= k; j++) {
                m[k][j] += residual[k] * residual[j];
            }
            b[k] += residual[k] * (last->value[i] - last->x[i]);
        }
    }
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < k; j++) {
            m[j][k] = m[k][j];
        }
    }
    solve_small(n, m, b);
    double *next = a->evaluations[a->last + 1].x;
    for (size_t i = 0; i < a->size; i++) {
        (void)columns_at(a, i, residual, value);
        next[i] = last->value[i];
        for (int k = 0; k < n; k++) {
            next[i] -= b[k] * value[k];
        }
    }
    a->last++;
    return WF_OK;
}

void wf_anderson_remember(wf_anderson *a)
{
    const int count = a->last < WF_ANDERSON_REMEMBERED ? a->last : WF_ANDERSON_REMEMBERED;
    for (int k = 0; k < count; k++) {
        const pair *later = &a->evaluations[a->last - k], *earlier = &a->evaluations[a->last - k - 1];
        pair *memory = &a->memory[k];
        if (make_pair(a, memory) != WF_OK) {
            a->memory_count = k;
            return;
        }
        for (size_t i = 0; i < a->size; i++) {
            memory->value[i] = later->value[i] - earlier->value[i];
            memory->x[i] = memory->value[i] - (later->x[i] - earlier->x[i]);
        }
    }
    a->memory_count = count > 0 ? count : a->memory_count;
}
