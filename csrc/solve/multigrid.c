/* multigrid.c - an algebraic multigrid as a preconditioner: roots, triangles between them, and a polynomial cycle.
 *
 * The rows of a coarse grid are roots among those of the finer one; multigrid_interpolation.c says how the others
 * follow from them (P). A coarse matrix is P^T A P of the finer, made anew for every system; patterns and P are kept.
 * The smoother is one block Gauss-Seidel sweep each way. On a coarse grid the cycle B is called twice, as the
 * polynomial q(B A) B for which 1 - t q(t) is the Chebyshev polynomial of degree two on [LEAST_EIGENVALUE, 1], 1 at
 * t = 0 (Axelsson and Vassilevski 1989): called once, the iterations would grow with the number of grids.
 *
 * The preconditioner is symmetric and positive definite whatever rounding does to coarse matrices: it is the sum of the
 * smoother's part, with positive definite diagonal blocks, and of the coarse grid's, which is positive while the
 * eigenvalues t of B A stay below 1 + LEAST_EIGENVALUE = 1.35. They are at most those of t q(t) on the next grid, whose
 * largest value is 1.13.
 */
#include <string.h>

#include "base/tasks.h"
#include "solve/multigrid_coarsest.h"

enum { LEVEL_LIMIT = 24, ROW_BLOCK = 1024 };

#define LEAST_EIGENVALUE 0.35

typedef struct multigrid {
    uint64_t identity; /* of the matrix whose pattern the grids have; 0: none */
    uint64_t values;   /* of the single matrix that they were filled with; 0: none */
    int level_count;
    wf_grid_level levels[LEVEL_LIMIT];
    wf_grid_graph graphs[LEVEL_LIMIT]; /* of all grids but the finest */
    wf_grid_coarsest coarsest; /* of the last level, if it is small */
    double (*sums)[9];         /* where the solver has no room for those of a level */
    size_t sums_capacity;
    const wf_filter *filter;   /* of the system */
} multigrid;

/* ---- set-up ---------------------------------------------------------------------------------------------------- */

static void free_levels(wf_context *context, multigrid *m)
{
    for (int k = 0; k < m->level_count; k++) {
        wf_grid_level_free(context, &m->levels[k]);
        wf_grid_graph_free(context, &m->graphs[k]);
    }
    m->level_count = 0;
    m->identity = m->values = 0;
}

static void destroy(wf_context *context, void *state)
{
    multigrid *m = state;
    if (m) {
        free_levels(context, m);
        wf_grid_coarsest_free(context, &m->coarsest);
        wf_free(context, m->sums);
        wf_free(context, m);
    }
}

static bool is_coarsest(const wf_grid_level *level)
{
    return level->rows <= WF_GRID_COARSEST_ROWS;
}

/* positions: of the rows, overwritten with those of the coarser grids; or NULL. */
static wf_status make_coarse_levels(wf_context *context, multigrid *m, wf_vec3 *positions)
{
    wf_status status = WF_OK;
    while (status == WF_OK && m->level_count < LEVEL_LIMIT && !is_coarsest(&m->levels[m->level_count - 1])) {
        int k = m->level_count - 1;
        wf_grid_level *fine = &m->levels[k];
        wf_grid_graph adjacent = {0};
        status = wf_grid_level_interpolate(context, fine, &m->graphs[k], positions, &adjacent);
        if (status == WF_OK && fine->coarse_rows > 0) {
            m->level_count++;
            status = wf_grid_level_create_coarse(context, fine, &m->graphs[k], &adjacent, fine + 1,
                                                 &m->graphs[k + 1]);
        }
        wf_grid_graph_free(context, &adjacent);
        if (fine->coarse_rows == 0) {
            m->level_count = k + 1;
            break;
        }
    }
    return status;
}

static wf_status make_levels(wf_context *context, multigrid *m, const wf_single_matrix *single,
                             const wf_vec3 *positions)
{
    wf_vec3 *copy = NULL;
    if (positions) {
        copy = wf_allocate(context, single->rows, sizeof *copy);
        if (!copy) {
            return WF_ERROR_MEMORY;
        }
        memcpy(copy, positions, single->rows * sizeof *copy);
    }
    m->level_count = 1;
    wf_status status = wf_grid_level_create_finest(context, single, &m->levels[0], &m->graphs[0]);
    if (status == WF_OK) {
        status = make_coarse_levels(context, m, copy);
    }
    wf_free(context, copy);
    wf_grid_graph_free(context, &m->graphs[0]);
    if (status != WF_OK) {
        free_levels(context, m);
    }
    return status;
}

/* Room for the sums of any level. */
static wf_status find_sums(wf_context *context, multigrid *m, const wf_linear_system *system, double (**sums)[9])
{
    size_t most = 0;
    for (int k = 1; k < m->level_count; k++) {
        size_t slots = wf_grid_level_slots(&m->levels[k]);
        most = slots > most ? slots : most;
    }
    *sums = system->scratch;
    if (most * sizeof **sums <= system->scratch_size) {
        return WF_OK;
    }
    wf_status status = wf_reserve(context, &m->sums, &m->sums_capacity, most, sizeof *m->sums);
    *sums = m->sums;
    return status;
}

static wf_status fill_levels(wf_context *context, multigrid *m, const wf_linear_system *system,
                             const wf_mat3 *diagonal)
{
    double (*sums)[9];
    wf_grid_level_fill_finest(context, &m->levels[0], diagonal); /* the sums may overwrite what it reads */
    wf_status status = find_sums(context, m, system, &sums);
    for (int k = 1; k < m->level_count && status == WF_OK; k++) {
        status = wf_grid_level_fill_coarse(context, &m->levels[k - 1], &m->graphs[k - 1], sums, &m->levels[k]);
    }
    wf_grid_level *last = &m->levels[m->level_count - 1];
    if (status == WF_OK && m->level_count > 1 && is_coarsest(last)) {
        status = wf_grid_coarsest_invert(context, &m->coarsest, last);
    }
    return status;
}

static wf_status prepare(wf_context *context, void **state, const wf_linear_system *system, const wf_mat3 *diagonal)
{
    if (!*state) {
        *state = wf_allocate(context, 1, sizeof(multigrid));
        if (!*state) {
            return WF_ERROR_MEMORY;
        }
    }
    multigrid *m = *state;
    m->filter = system->filter;
    /* Matrices of an earlier step would cost more than they save: cloth turns, and with it what is stiff (at 100,000
     * vertices 14 iterations instead of 5). What has not changed, as in simplified Newton methods, serves again. */
    const wf_single_matrix *single = system->single;
    if (m->identity == single->identity && m->values == single->values) {
        return WF_OK;
    }
    wf_status status = WF_OK;
    if (m->identity != single->identity) {
        free_levels(context, m);
        status = make_levels(context, m, single, system->positions);
        m->identity = status == WF_OK ? single->identity : 0;
    }
    if (status == WF_OK) {
        status = fill_levels(context, m, system, diagonal);
    }
    m->values = status == WF_OK ? single->values : 0; /* the grids stay as they are */
    return status;
}

/* ---- the cycle ------------------------------------------------------------------------------------------------- */

typedef struct transfer {
    const wf_grid_level *fine;
    const wf_filter *filter; /* of the finest grid, else NULL */
    const wf_float4 *from;
    wf_float4 *to;
} transfer;

static void restrict_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const transfer *t = user;
    for (size_t group = begin; group < end; group++) {
        wf_float4 sum = {0};
        for (int32_t m = t->fine->member_start[group]; m < t->fine->member_start[group + 1]; m++) {
            sum += t->fine->member_weight[m] * t->from[t->fine->members[m]];
        }
        t->to[group] = sum;
    }
}

static wf_float4 filtered(const wf_filter *filter, size_t row, wf_float4 v)
{
    wf_vec3 w = wf_filter_apply(filter, row, (wf_vec3){v[0], v[1], v[2]});
    return (wf_float4){(float)w.x, (float)w.y, (float)w.z, 0};
}

static void prolong_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const transfer *t = user;
    for (size_t row = begin; row < end; row++) {
        const int32_t *target = t->fine->target[row];
        const float *weight = t->fine->weight[row];
        wf_float4 sum = weight[0] * t->from[target[0]] + weight[1] * t->from[target[1]] +
                        weight[2] * t->from[target[2]];
        t->to[row] += t->filter && t->filter->fixed_count[row] > 0 ? filtered(t->filter, row, sum) : sum;
    }
}

/* z = first_factor first + z_factor z */
typedef struct combination {
    const wf_float4 *first;
    wf_float4 *z;
    float first_factor, z_factor;
} combination;

static void combine_rows(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const combination *c = user;
    for (size_t row = begin; row < end; row++) {
        c->z[row] = c->first_factor * c->first[row] + c->z_factor * c->z[row];
    }
}

static void cycle(wf_context *context, multigrid *m, int k, const wf_float4 *r, wf_float4 *z);

/* z of level k from its r: the cycle itself on the last grid, else the polynomial q(B A) B r = q0 B r - q1 B A B r. */
static void solve_coarse(wf_context *context, multigrid *m, int k)
{
    wf_grid_level *level = &m->levels[k];
    if (k == m->level_count - 1) {
        cycle(context, m, k, level->r, level->z);
        return;
    }
    const double a = LEAST_EIGENVALUE, middle = (1 + a) / (1 - a), scale = 8 / ((1 - a) * (1 - a));
    const double q1 = scale / (2 * middle * middle - 1), q0 = (1 + a) * q1;
    cycle(context, m, k, level->r, level->first);
    wf_grid_level_multiply(context, level, level->first, level->r);
    cycle(context, m, k, level->r, level->z);
    combination c = {level->first, level->z, (float)q0, (float)-q1};
    wf_parallel_for(context, level->rows, ROW_BLOCK, combine_rows, &c);
}

/* z = B r on level k */
static void cycle(wf_context *context, multigrid *m, int k, const wf_float4 *r, wf_float4 *z)
{
    const wf_grid_level *level = &m->levels[k];
    bool last = k == m->level_count - 1;
    if (last && k > 0 && is_coarsest(level)) {
        wf_grid_coarsest_apply(&m->coarsest, r, z);
        return;
    }
    wf_grid_level_sweep_down(context, level, r, z);
    if (!last) {
        const wf_grid_level *coarse = level + 1;
        transfer down = {.fine = level, .from = level->residual, .to = coarse->r};
        wf_parallel_for(context, coarse->rows, ROW_BLOCK / 4, restrict_rows, &down);
        solve_coarse(context, m, k + 1);
        transfer up = {.fine = level, .filter = k == 0 ? m->filter : NULL, .from = coarse->z, .to = z};
        wf_parallel_for(context, level->rows, ROW_BLOCK, prolong_rows, &up);
    }
    wf_grid_level_sweep_up(context, level, r, z);
}

static void apply(wf_context *context, void *state, const wf_float4 *restrict r, wf_float4 *restrict s)
{
    cycle(context, state, 0, r, s);
}

const wf_preconditioner wf_preconditioner_multigrid = {
    .name = "multigrid", .close = true, .prepare = prepare, .apply = apply, .destroy = destroy};
