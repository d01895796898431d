#include "air/flow_multigrid.h"

#include <math.h>
#include <string.h>

#include "base/tasks.h"

enum { BLOCK_CELLS = 8192 };

/* ---- grids ----------------------------------------------------------------------------------------------------- */

size_t wf_flow_level_rows(const wf_flow_level *level)
{
    return (size_t)level->grid.cells[1] * (size_t)level->grid.cells[2];
}

size_t wf_flow_level_block(const wf_flow_level *level)
{
    size_t rows = (size_t)(BLOCK_CELLS / level->grid.cells[0]);
    return rows > 0 ? rows : 1;
}

void wf_flow_level_wrap(const wf_flow_level *level, float *values)
{
    const wf_flow_grid *grid = &level->grid;
    const int32_t nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
    if (level->periodic[0]) {
        for (int32_t k = 0; k < nz; k++) {
            for (int32_t j = 0; j < ny; j++) {
                float *row = values + wf_flow_index(grid, 0, j, k);
                row[-1] = row[nx - 1];
                row[nx] = row[0];
            }
        }
    }
    if (level->periodic[1]) {
        for (int32_t k = 0; k < nz; k++) {
            memcpy(values + wf_flow_index(grid, 0, -1, k), values + wf_flow_index(grid, 0, ny - 1, k),
                   (size_t)nx * sizeof *values);
            memcpy(values + wf_flow_index(grid, 0, ny, k), values + wf_flow_index(grid, 0, 0, k),
                   (size_t)nx * sizeof *values);
        }
    }
    if (level->periodic[2] && grid->stride[2] != 0) {
        const size_t plane = (size_t)((ny - 1) * grid->stride[1] + nx);
        memcpy(values + wf_flow_index(grid, 0, 0, -1), values + wf_flow_index(grid, 0, 0, nz - 1),
               plane * sizeof *values);
        memcpy(values + wf_flow_index(grid, 0, 0, nz), values + wf_flow_index(grid, 0, 0, 0), plane * sizeof *values);
    }
}

static float *new_array(wf_flow_multigrid *m, const wf_flow_grid *grid, bool *failed)
{
    float *array = *failed ? NULL : wf_allocate(m->context, grid->count, sizeof *array);
    *failed = *failed || !array;
    m->bytes += grid->count * sizeof *array;
    return array;
}

static void make_arrays(wf_flow_multigrid *m, wf_flow_level *level, bool finest, bool *failed)
{
    const wf_flow_grid *grid = &level->grid;
    for (int a = 0; a < 3; a++) {
        level->conductance[a] = new_array(m, grid, failed);
    }
    level->x = new_array(m, grid, failed);
    level->residual = new_array(m, grid, failed);
    if (level->smooths) {
        level->inverse_diagonal = new_array(m, grid, failed);
        level->y = new_array(m, grid, failed);
        level->b = finest ? NULL : new_array(m, grid, failed);
    }
    if (!finest) {
        level->weight = new_array(m, grid, failed);
        level->stays = new_array(m, grid, failed);
        level->adopted = new_array(m, grid, failed);
    }
}

wf_status wf_flow_multigrid_create(wf_context *context, wf_flow_multigrid *m, const wf_flow_grid *grid,
                                   const bool periodic[3])
{
    bool failed = false, coarser = true;
    m->context = context;
    m->levels[0] = (wf_flow_level){.grid = *grid, .smooths = true};
    m->level_count = 1;
    while (coarser && wf_flow_cell_count(&m->levels[m->level_count - 1].grid) > WF_FLOW_COARSEST) {
        coarser = false;
        for (int axis = 0; axis < 3; axis++) {
            const wf_flow_grid *fine = &m->levels[m->level_count - 1].grid;
            int32_t cells[3] = {fine->cells[0], fine->cells[1], fine->cells[2]};
            if (cells[axis] > 2) {
                cells[axis] = (cells[axis] + 1) / 2;
                m->levels[m->level_count++] = (wf_flow_level){.grid = wf_flow_grid_make(cells, 1), .axis = axis};
                coarser = true;
            }
        }
        m->levels[m->level_count - 1].smooths = true;
    }
    for (int32_t n = 0; n < m->level_count; n++) {
        memcpy(m->levels[n].periodic, periodic, sizeof m->levels[n].periodic);
        make_arrays(m, &m->levels[n], n == 0, &failed);
    }
    size_t most = 1;
    for (int axis = 0; axis < 3; axis++) {
        const size_t lines = (size_t)(grid->cells[(axis + 1) % 3] + 1) * (size_t)(grid->cells[(axis + 2) % 3] + 1);
        most = lines > most ? lines : most;
    }
    m->any = failed ? NULL : wf_allocate(context, wf_block_count(most, WF_FLOW_LINES), sizeof *m->any);
    failed = failed || !m->any;
    size_t cells = wf_flow_cell_count(&m->levels[m->level_count - 1].grid);
    m->factor = failed ? NULL : wf_allocate(context, cells * cells, sizeof *m->factor);
    m->bytes += cells * cells * sizeof *m->factor;
    return failed || !m->factor ? WF_ERROR_MEMORY : WF_OK;
}

void wf_flow_multigrid_free(wf_flow_multigrid *m)
{
    for (int32_t n = 0; n < m->level_count; n++) {
        wf_flow_level *level = &m->levels[n];
        float *arrays[] = {level->conductance[0],
                           level->conductance[1],
                           level->conductance[2],
                           level->x,
                           level->residual,
                           level->inverse_diagonal,
                           level->y,
                           level->b,
                           level->weight,
                           level->stays,
                           level->adopted};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
            wf_free(m->context, arrays[k]);
        }
    }
    if (m->context) {
        wf_free(m->context, m->factor);
        wf_free(m->context, m->any);
    }
    *m = (wf_flow_multigrid){0};
}

/* ---- coarse conductances --------------------------------------------------------------------------------------- */

/* Of a fine grid's face across the axis, along a line of them that starts at `line`. */
static float face(const wf_flow_level *fine, int axis, ptrdiff_t line, int32_t n)
{
    return fine->conductance[axis][line + n * fine->grid.stride[axis]];
}

/* Whether a wall parts the second child of coarse cell n from the first, and not from the next cell. */
static bool is_adopted(const wf_flow_level *fine, const wf_flow_level *coarse, ptrdiff_t line, int32_t n)
{
    const int axis = coarse->axis;
    if (n < 0 || n + 1 >= coarse->grid.cells[axis]) {
        return false;
    }
    return face(fine, axis, line, 2 * n + 1) < 0.25f * face(fine, axis, line, 2 * n + 2);
}

static float resistance(float conductance)
{
    return conductance > 0 ? 1 / conductance : INFINITY;
}

/* From the middle of coarse cell n to its lower or upper face, but for the face itself. */
static float to_face(const wf_flow_level *fine, const wf_flow_level *coarse, ptrdiff_t line, int32_t n, bool upper)
{
    const int axis = coarse->axis;
    const bool gains = is_adopted(fine, coarse, line, n - 1);
    const bool alone = is_adopted(fine, coarse, line, n) || 2 * n + 1 >= fine->grid.cells[axis];
    if (alone) {
        return gains ? 0.5f * resistance(face(fine, axis, line, 2 * n)) : 0;
    }
    return gains ? resistance(face(fine, axis, line, upper ? 2 * n + 1 : 2 * n))
                 : 0.5f * resistance(face(fine, axis, line, 2 * n + 1));
}

/* The conductances of a line of faces across the axis, and who adopts whom. line: of the fine grid's; at: where the
 * coarse one begins. Returns whether any is adopted. */
static bool coarsen_line(const wf_flow_level *fine, const wf_flow_level *coarse, ptrdiff_t line, ptrdiff_t at)
{
    const int axis = coarse->axis;
    const int32_t count = coarse->grid.cells[axis], children = fine->grid.cells[axis];
    const bool wraps = coarse->periodic[axis];
    bool any = false;
    for (int32_t n = 0; n <= count; n++, at += coarse->grid.stride[axis]) {
        const int32_t below = n > 0 ? n - 1 : wraps ? count - 1 : -1, above = n < count ? n : wraps ? 0 : -1;
        const bool gains = n < count && is_adopted(fine, coarse, line, n - 1);
        const int32_t between = gains ? 2 * n - 1 : 2 * n < children ? 2 * n : children;
        float sum = resistance(face(fine, axis, line, between));
        sum += below >= 0 ? to_face(fine, coarse, line, below, true) : 0;
        sum += above >= 0 ? to_face(fine, coarse, line, above, false) : 0;
        const float c = sum < INFINITY ? 1 / sum : 0;
        const bool uneven_seam = wraps && children % 2 && (n == 0 || n == count);
        coarse->conductance[axis][at] = c;
        coarse->weight[at] = uneven_seam ? 0 : 0.25f * fminf(1, c / coarse->open[axis]);
        if (n < count) {
            const bool leaves = is_adopted(fine, coarse, line, n);
            coarse->adopted[at] = leaves ? 1 : 0;
            coarse->stays[at] = leaves ? 0 : 1;
            any = any || leaves;
        }
    }
    return any;
}

/* A coarse face across another axis: the sum over children that belong to the coarse cells on both its sides. line and
 * other: of the fine grid's cells above and below the face; n: of the coarse cell along the coarser axis. */
static float sum_children(const wf_flow_level *fine, const wf_flow_level *coarse, int across, ptrdiff_t line,
                          ptrdiff_t other, ptrdiff_t faces, int32_t n)
{
    const float *c = fine->conductance[across] + faces;
    const ptrdiff_t s = fine->grid.stride[coarse->axis];
    float sum = c[2 * n * s];
    if (2 * n + 1 < fine->grid.cells[coarse->axis] && !is_adopted(fine, coarse, line, n) &&
        !is_adopted(fine, coarse, other, n)) {
        sum += c[(2 * n + 1) * s];
    }
    if (is_adopted(fine, coarse, line, n - 1) && is_adopted(fine, coarse, other, n - 1)) {
        sum += c[(2 * n - 1) * s];
    }
    return sum;
}

typedef struct coarsening {
    const wf_flow_level *fine;
    wf_flow_level *coarse;
    int across; /* of the faces whose conductances are found */
    bool *any;  /* by block */
} coarsening;

/* Lines along the coarser axis, through cells of the two other axes; `across` one of those: one more of them. */
static void coarsen_lines(void *user, size_t block, size_t begin, size_t end)
{
    const coarsening *job = user;
    const wf_flow_level *fine = job->fine, *coarse = job->coarse;
    const int axis = coarse->axis, p = (axis + 1) % 3, q = (axis + 2) % 3, across = job->across;
    const ptrdiff_t *fs = fine->grid.stride, *cs = coarse->grid.stride;
    const size_t width = (size_t)(coarse->grid.cells[p] + (across == p));
    bool any = false;
    for (size_t r = begin; r < end; r++) {
        const int32_t u = (int32_t)(r % width), v = (int32_t)(r / width);
        const ptrdiff_t from = fine->grid.first + u * fs[p] + v * fs[q];
        const ptrdiff_t to = coarse->grid.first + u * cs[p] + v * cs[q];
        if (across == axis) {
            any = coarsen_line(fine, coarse, from, to) || any;
            continue;
        }
        /* At the box's sides both flags are those of the cell inside. */
        const int32_t n = fine->grid.cells[across], at = across == p ? u : v;
        const ptrdiff_t s = fs[across], wrap = fine->periodic[across] ? n * s : 0;
        const ptrdiff_t above = at < n ? from : from - (wrap ? wrap : s);
        const ptrdiff_t below = at > 0 ? from - s : wrap ? from - s + wrap : from;
        for (int32_t i = 0; i < coarse->grid.cells[axis]; i++) {
            coarse->conductance[across][to + i * cs[axis]] = sum_children(fine, coarse, across, above, below, from, i);
        }
    }
    if (across == axis) {
        job->any[block] = any;
    }
}

static void coarsen(wf_flow_multigrid *m, const wf_flow_level *fine, wf_flow_level *coarse)
{
    const int axis = coarse->axis;
    coarsening job = {fine, coarse, axis, m->any};
    for (int a = 0; a < 3; a++) {
        coarse->open[a] = fine->open[a] * (a == axis ? 0.5f : 2.0f);
    }
    for (int turn = 0; turn < 3; turn++) {
        job.across = (axis + turn) % 3;
        const int p = (axis + 1) % 3, q = (axis + 2) % 3;
        if (job.across >= wf_flow_axes(&coarse->grid)) {
            continue;
        }
        const size_t lines =
            (size_t)(coarse->grid.cells[p] + (job.across == p)) * (size_t)(coarse->grid.cells[q] + (job.across == q));
        wf_parallel_for(m->context, lines, WF_FLOW_LINES, coarsen_lines, &job);
        if (job.across == axis) {
            coarse->has_walls = false;
            for (size_t b = 0; b < wf_block_count(lines, WF_FLOW_LINES); b++) {
                coarse->has_walls = coarse->has_walls || m->any[b];
            }
        }
    }
    if (coarse->has_walls) {
        wf_flow_level_wrap(coarse, coarse->stays);
        wf_flow_level_wrap(coarse, coarse->adopted);
    }
}

static void find_diagonal(wf_flow_level *level)
{
    const wf_flow_grid *grid = &level->grid;
    const float *cx = level->conductance[0], *cy = level->conductance[1], *cz = level->conductance[2];
    for (int32_t k = 0; k < grid->cells[2]; k++) {
        for (int32_t j = 0; j < grid->cells[1]; j++) {
            for (int32_t i = 0; i < grid->cells[0]; i++) {
                ptrdiff_t c = wf_flow_index(grid, i, j, k);
                float along_z = grid->stride[2] ? cz[c] + cz[c + grid->stride[2]] : 0;
                float diagonal = cx[c] + cx[c + 1] + cy[c] + cy[c + grid->stride[1]] + along_z;
                level->inverse_diagonal[c] = diagonal > 0 ? 1 / diagonal : 0;
            }
        }
    }
}

/* ---- the coarsest grid ----------------------------------------------------------------------------------------- */

static ptrdiff_t index_of_cell(const wf_flow_grid *grid, size_t cell)
{
    const size_t nx = (size_t)grid->cells[0], ny = (size_t)grid->cells[1];
    return wf_flow_index(grid, (int32_t)(cell % nx), (int32_t)(cell / nx % ny), (int32_t)(cell / nx / ny));
}

static void add_pair(double *matrix, size_t n, size_t a, size_t b, double c)
{
    matrix[a * n + a] += c;
    matrix[b * n + b] += c;
    matrix[a * n + b] -= c;
    matrix[b * n + a] -= c;
}

static void assemble_coarsest(const wf_flow_level *level, double *matrix, size_t n)
{
    const wf_flow_grid *grid = &level->grid;
    const size_t steps[3] = {1, (size_t)grid->cells[0], (size_t)grid->cells[0] * (size_t)grid->cells[1]};
    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t cell = 0; cell < n; cell++) {
        int32_t at[3] = {(int32_t)(cell % (size_t)grid->cells[0]), (int32_t)(cell / steps[1] % (size_t)grid->cells[1]),
                         (int32_t)(cell / steps[2])};
        const ptrdiff_t c = index_of_cell(grid, cell);
        for (int a = 0; a < wf_flow_axes(grid); a++) {
            const double below = (double)level->conductance[a][c];
            const double above = (double)level->conductance[a][c + grid->stride[a]];
            const size_t last = (size_t)(grid->cells[a] - 1) * steps[a];
            if (at[a] > 0) {
                add_pair(matrix, n, cell, cell - steps[a], below);
            } else if (!level->periodic[a]) {
                matrix[cell * n + cell] += below;
            } else if (last > 0) {
                add_pair(matrix, n, cell, cell + last, below);
            }
            if (at[a] == grid->cells[a] - 1 && !level->periodic[a]) {
                matrix[cell * n + cell] += above;
            }
        }
    }
}

/* Cholesky's factor in place; what is singular (pockets) gets a zero column, and its unknown the value 0. */
static void factorise(double *matrix, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double diagonal = matrix[j * n + j];
        double pivot = diagonal;
        for (size_t k = 0; k < j; k++) {
            pivot -= matrix[j * n + k] * matrix[j * n + k];
        }
        const bool singular = !(pivot > 1e-6 * diagonal);
        matrix[j * n + j] = singular ? 0 : sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = matrix[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= matrix[i * n + k] * matrix[j * n + k];
            }
            matrix[i * n + j] = singular ? 0 : sum / matrix[j * n + j];
        }
    }
}

static void solve_coarsest(const wf_flow_multigrid *m, const wf_flow_level *level, const float *b)
{
    double x[WF_FLOW_COARSEST];
    const wf_flow_grid *grid = &level->grid;
    const size_t n = wf_flow_cell_count(grid);
    const double *factor = m->factor;
    for (size_t i = 0; i < n; i++) {
        double sum = (double)b[index_of_cell(grid, i)];
        for (size_t k = 0; k < i; k++) {
            sum -= factor[i * n + k] * x[k];
        }
        x[i] = factor[i * n + i] > 0 ? sum / factor[i * n + i] : 0;
    }
    for (size_t i = n; i-- > 0;) {
        double sum = x[i];
        for (size_t k = i + 1; k < n; k++) {
            sum -= factor[k * n + i] * x[k];
        }
        x[i] = factor[i * n + i] > 0 ? sum / factor[i * n + i] : 0;
        level->x[index_of_cell(grid, i)] = (float)x[i];
    }
}

void wf_flow_multigrid_update(wf_flow_multigrid *m)
{
    for (int32_t n = 0; n < m->level_count; n++) {
        if (n > 0) {
            coarsen(m, &m->levels[n - 1], &m->levels[n]);
        }
        if (m->levels[n].smooths) {
            find_diagonal(&m->levels[n]);
        }
    }
    const wf_flow_level *last = &m->levels[m->level_count - 1];
    const size_t n = wf_flow_cell_count(&last->grid);
    assemble_coarsest(last, m->factor, n);
    factorise(m->factor, n);
}

/* ---- the cycle ------------------------------------------------------------------------------------------------- */

/* A Chebyshev polynomial of degree two over the eigenvalues of the Jacobi-scaled matrix from 1/3, where on a cubic grid
 * those begin that the coarse grid does not see, to 2, which none exceeds. */
static const float first_step = 6.0f / 7, second_keep = 25.0f / 73, second_step = 84.0f / 73;

typedef enum pass { START_FIRST, START_SECOND, REST, RESTRICT, PROLONG, END_FIRST, END_SECOND } pass;

typedef struct cycle_job {
    const wf_flow_pressure_kernels *kernels;
    const wf_flow_level *level, *coarse; /* coarse: where two grids take part */
    const float *b;
    pass pass;
} cycle_job;

static void run_pass(void *user, size_t block, size_t begin, size_t end)
{
    const cycle_job *job = user;
    const wf_flow_level *level = job->level, *coarse = job->coarse;
    const wf_flow_pressure_kernels *kernels = job->kernels;
    (void)block;
    switch (job->pass) {
    case START_FIRST:
        kernels->scale(level, job->b, first_step, level->y, begin, end);
        break;
    case START_SECOND: /* from 0: the step before the last one was from there */
        kernels->sweep(level, job->b, level->y, 1 + second_keep, level->y, 0, second_step, level->x, begin, end);
        break;
    case REST:
        kernels->residual(level, job->b, level->x, level->residual, begin, end);
        break;
    case RESTRICT:
        kernels->restrict_rows(level, coarse, level->residual, coarse->smooths ? coarse->b : coarse->residual, begin,
                               end);
        break;
    case PROLONG:
        kernels->prolong(level, coarse, level->smooths, begin, end);
        break;
    case END_FIRST:
        kernels->sweep(level, job->b, level->x, 1, level->x, 0, first_step, level->y, begin, end);
        break;
    case END_SECOND:
        kernels->sweep(level, job->b, level->y, 1 + second_keep, level->x, -second_keep, second_step, level->x, begin,
                       end);
        break;
    }
}

static void over_rows(wf_flow_multigrid *m, cycle_job *job, pass which, const wf_flow_level *rows_of)
{
    job->pass = which;
    wf_parallel_for(m->context, wf_flow_level_rows(rows_of), wf_flow_level_block(rows_of), run_pass, job);
}

/* The margins that restriction reads. Of an odd number of cells the last coarse cell has one child, and the margin
 * beside it stands for the second. */
static void wrap_residual(const wf_flow_level *level, int axis)
{
    wf_flow_level only = *level;
    for (int a = 0; a < 3; a++) {
        only.periodic[a] = level->periodic[a] && a == axis && level->grid.cells[a] % 2 == 0;
    }
    wf_flow_level_wrap(&only, level->residual);
}

static void descend(wf_flow_multigrid *m, cycle_job *job)
{
    const wf_flow_level *level = job->level;
    if (level->smooths) {
        over_rows(m, job, START_FIRST, level);
        wf_flow_level_wrap(level, level->y);
        over_rows(m, job, START_SECOND, level);
        wf_flow_level_wrap(level, level->x);
        over_rows(m, job, REST, level);
    }
    wrap_residual(level, job->coarse->axis);
    over_rows(m, job, RESTRICT, job->coarse);
}

static void ascend(wf_flow_multigrid *m, cycle_job *job)
{
    const wf_flow_level *level = job->level;
    over_rows(m, job, PROLONG, job->coarse);
    wf_flow_level_wrap(level, level->x);
    if (level->smooths) {
        over_rows(m, job, END_FIRST, level);
        wf_flow_level_wrap(level, level->y);
        over_rows(m, job, END_SECOND, level);
        wf_flow_level_wrap(level, level->x);
    }
}

void wf_flow_multigrid_cycle(wf_flow_multigrid *m, const float *b)
{
    const wf_flow_pressure_kernels *kernels = wf_flow_pressure_kernels_for(m->context);
    const int32_t last = m->level_count - 1;
    cycle_job jobs[WF_FLOW_LEVELS];
    for (int32_t n = 0; n < last; n++) {
        jobs[n] = (cycle_job){
            .kernels = kernels, .level = &m->levels[n], .coarse = &m->levels[n + 1], .b = n == 0 ? b : m->levels[n].b};
        descend(m, &jobs[n]);
    }
    solve_coarsest(m, &m->levels[last], last == 0 ? b : m->levels[last].b);
    wf_flow_level_wrap(&m->levels[last], m->levels[last].x);
    for (int32_t n = last - 1; n >= 0; n--) {
        ascend(m, &jobs[n]);
    }
}
