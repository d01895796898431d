/* spring_net.c - see spring_net.h. */
#include "step/spring_net.h"

#include <string.h>

#include "base/tasks.h"
#include "model/springs.h"
#include "solve/conjugate_gradients.h"
#include "step/provot.h"

enum { EDGE_BLOCK = 1024, VERTEX_BLOCK = 512 };

/* A symmetric 3 x 3 block: xx, xy, xz, yy, yz, zz. */
typedef struct symmetric {
    double xx, xy, xz, yy, yz, zz;
} symmetric;

/* What a vertex sees of one of its edges: it is the first vertex of it (sign 1) or the second (-1). */
typedef struct edge_end {
    int32_t edge, sign;
} edge_end;

/* What only `solve` needs, made when it is first called. */
typedef struct net_solver {
    wf_block_matrix *matrix;
    int32_t *places; /* [edges] of their blocks in the matrix */
    wf_filter *filter;
    wf_pcg_workspace workspace;
    bool filled;         /* with the present operator */
} net_solver;

struct wf_spring_net {
    wf_context *context;
    wf_system system;
    int32_t vertex_count, edge_count;
    int32_t (*edges)[2];
    double *rest_lengths, *stiffness, *masses;
    uint8_t *prescribed; /* [3 * vertices] */
    int32_t *end_start;  /* [vertices + 1] */
    edge_end *ends;      /* [2 * edges] by vertex */
    wf_vec3 gravity;
    double absolute_damping, relative_damping, projected_damping, tolerance, largest_elongation;
    int32_t limit_sweeps;
    wf_linearisation derivative;

    wf_vec3 *pull;       /* [edges] what an edge adds to its first vertex and takes from its second, before the sum */
    symmetric *block;    /* [edges] of the operator, A_ij with its sign turned */
    double shift;        /* the operator's absolute damping, kg */
    symmetric *inverse;  /* [vertices] of the operator's diagonal blocks; 0 where pinned */
    net_solver solver;

    /* The constant matrix of scalars, made when it is first asked for. */
    wf_pattern scalar_pattern;
    double *scalar_values;
    int32_t (*scalar_slots)[2]; /* [edges] of (i, j) and (j, i) */
};

static wf_vec3 multiply_symmetric(const symmetric *a, wf_vec3 v)
{
    return (wf_vec3){a->xx * v.x + a->xy * v.y + a->xz * v.z, a->xy * v.x + a->yy * v.y + a->yz * v.z,
                     a->xz * v.x + a->yz * v.y + a->zz * v.z};
}

static void add_symmetric(symmetric *a, const symmetric *b)
{
    a->xx += b->xx;
    a->xy += b->xy;
    a->xz += b->xz;
    a->yy += b->yy;
    a->yz += b->yz;
    a->zz += b->zz;
}

/* s I + t u u^T */
static symmetric identity_plus_outer(double s, double t, wf_vec3 u)
{
    return (symmetric){s + t * u.x * u.x, t * u.x * u.y, t * u.x * u.z, s + t * u.y * u.y, t * u.y * u.z,
                       s + t * u.z * u.z};
}

/* The inverse of a block that may be indefinite; 0 when it is singular. */
static symmetric invert_symmetric(const symmetric *a)
{
    double c00 = a->yy * a->zz - a->yz * a->yz, c01 = a->xz * a->yz - a->xy * a->zz;
    double c02 = a->xy * a->yz - a->xz * a->yy, over = 1 / (a->xx * c00 + a->xy * c01 + a->xz * c02);
    if (!isfinite(over)) {
        return (symmetric){0};
    }
    return (symmetric){c00 * over, c01 * over, c02 * over, (a->xx * a->zz - a->xz * a->xz) * over,
                       (a->xy * a->xz - a->xx * a->yz) * over, (a->xx * a->yy - a->xy * a->xy) * over};
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

/* One call's arguments, for the loops over edges and vertices. */
typedef struct net_call {
    wf_spring_net *net;
    const wf_vec3 *x, *v;
    wf_vec3 *result;
    bool weight;
    wf_linearisation kind;
    double stiffness_scale, damping_scale;
} net_call;

static void pull_edges(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    wf_spring_net *net = c->net;
    for (size_t e = begin; e < end; e++) {
        int32_t i = net->edges[e][0], j = net->edges[e][1];
        wf_vec3 d = wf_vec3_sub(c->x[j], c->x[i]), w = wf_vec3_sub(c->v[j], c->v[i]);
        double length = wf_vec3_norm(d);
        wf_vec3 u = length > 0 ? wf_vec3_scale(d, 1 / length) : (wf_vec3){0, 0, 0};
        double along = net->stiffness[e] * (length - net->rest_lengths[e]) +
                       net->projected_damping * wf_vec3_dot(w, u);
        net->pull[e] = wf_vec3_muladds(wf_vec3_scale(u, along), w, net->relative_damping);
    }
}

/* sum + what the edges of a vertex pull at it, in their order: the same for any number of threads. */
static wf_vec3 gather_pulls(const wf_spring_net *net, size_t vertex, wf_vec3 sum)
{
    for (int32_t k = net->end_start[vertex]; k < net->end_start[vertex + 1]; k++) {
        const edge_end *end = &net->ends[k];
        sum = wf_vec3_muladds(sum, net->pull[end->edge], end->sign);
    }
    return sum;
}

static void gather_forces(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    const wf_spring_net *net = c->net;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 f = wf_vec3_scale(c->v[i], -net->absolute_damping);
        if (c->weight) {
            f = wf_vec3_muladds(f, net->gravity, net->masses[i]);
        }
        c->result[i] = gather_pulls(net, i, f);
    }
}

static wf_status net_any_forces(wf_spring_net *net, const double *x, const double *v, double *force, bool weight)
{
    net_call c = {.net = net, .x = (const wf_vec3 *)x, .v = (const wf_vec3 *)v, .result = (wf_vec3 *)force,
                  .weight = weight};
    wf_parallel_for(net->context, (size_t)net->edge_count, EDGE_BLOCK, pull_edges, &c);
    wf_parallel_for(net->context, (size_t)net->vertex_count, VERTEX_BLOCK, gather_forces, &c);
    return WF_OK;
}

static wf_status net_forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    return net_any_forces(user, x, v, force, true);
}

static wf_status net_stiff_forces(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t;
    return net_any_forces(user, x, v, force, false);
}

static wf_status net_weight(void *user, double t, const double *x, const double *v, double *force)
{
    (void)t, (void)x, (void)v;
    const wf_spring_net *net = user;
    for (int32_t i = 0; i < net->vertex_count; i++) {
        ((wf_vec3 *)force)[i] = wf_vec3_scale(net->gravity, net->masses[i]);
    }
    return WF_OK;
}

void wf_spring_net_energies(const wf_spring_net *net, const wf_vec3 *x, const wf_vec3 *v, double energies[3])
{
    energies[0] = energies[1] = energies[2] = 0;
    for (int32_t e = 0; e < net->edge_count; e++) {
        double stretch = wf_vec3_distance(x[net->edges[e][0]], x[net->edges[e][1]]) - net->rest_lengths[e];
        energies[0] += 0.5 * net->stiffness[e] * stretch * stretch;
    }
    for (int32_t i = 0; i < net->vertex_count; i++) {
        energies[1] -= net->masses[i] * wf_vec3_dot(net->gravity, x[i]);
        energies[2] += v ? 0.5 * net->masses[i] * wf_vec3_norm2(v[i]) : 0;
    }
}

static wf_status net_energy(void *user, double t, const double *x, double *energy)
{
    (void)t;
    double energies[3];
    wf_spring_net_energies(user, (const wf_vec3 *)x, NULL, energies);
    *energy = energies[0] + energies[1];
    return WF_OK;
}

static void net_multiply_mass(void *user, const double *v, double *y)
{
    const wf_spring_net *net = user;
    for (int32_t i = 0; i < net->vertex_count; i++) {
        ((wf_vec3 *)y)[i] = wf_vec3_scale(((const wf_vec3 *)v)[i], net->masses[i]);
    }
}

static void net_divide_mass(void *user, const double *f, double *a)
{
    const wf_spring_net *net = user;
    for (int32_t i = 0; i < net->vertex_count; i++) {
        double inverse = net->prescribed[3 * i] ? 0 : 1 / net->masses[i];
        ((wf_vec3 *)a)[i] = wf_vec3_scale(((const wf_vec3 *)f)[i], inverse);
    }
}

/* ---- the linearised operator ----------------------------------------------------------------------------------- */

/* What an edge adds to the operator that is the same at every state. */
static double constant_edge(const wf_spring_net *net, size_t e, double stiffness_scale, double damping_scale)
{
    return stiffness_scale * net->stiffness[e] + damping_scale * (net->relative_damping + net->projected_damping);
}

/* Kang's stabilised derivative (2003, eq. 4.10, 4.11) is the exact one with its negative eigenvalues set to zero. */
static void linearise_edges(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    wf_spring_net *net = c->net;
    double relative = c->damping_scale * net->relative_damping, projected = c->damping_scale * net->projected_damping;
    for (size_t e = begin; e < end; e++) {
        double k = c->stiffness_scale * net->stiffness[e];
        if (c->kind == WF_LINEARISE_CONSTANT) {
            double same = constant_edge(net, e, c->stiffness_scale, c->damping_scale);
            net->block[e] = identity_plus_outer(same, 0, (wf_vec3){0, 0, 0});
            continue;
        }
        wf_vec3 d = wf_vec3_sub(c->x[net->edges[e][1]], c->x[net->edges[e][0]]);
        double length = wf_vec3_norm(d), transverse = wf_spring_transverse(k, net->rest_lengths[e], length);
        if (transverse < 0 && c->kind != WF_LINEARISE_EXACT) {
            transverse = 0;
        }
        wf_vec3 u = length > 0 ? wf_vec3_scale(d, 1 / length) : (wf_vec3){0, 0, 0};
        net->block[e] = identity_plus_outer(transverse + relative, k - transverse + projected, u);
    }
}

static symmetric diagonal_block(const wf_spring_net *net, size_t i)
{
    double own = net->masses[i] + net->shift;
    symmetric sum = {.xx = own, .yy = own, .zz = own};
    for (int32_t k = net->end_start[i]; k < net->end_start[i + 1]; k++) {
        add_symmetric(&sum, &net->block[net->ends[k].edge]);
    }
    return sum;
}

static void invert_diagonals(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    for (size_t i = begin; i < end; i++) {
        symmetric sum = diagonal_block(c->net, i);
        c->net->inverse[i] = c->net->prescribed[3 * i] ? (symmetric){0} : invert_symmetric(&sum);
    }
}

static wf_status net_linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                               double stiffness_scale, double damping_scale)
{
    (void)t, (void)v;
    wf_spring_net *net = user;
    net_call c = {.net = net, .x = (const wf_vec3 *)x, .stiffness_scale = stiffness_scale,
                  .damping_scale = damping_scale, .kind = kind};
    if (kind == WF_LINEARISE_DEFINITE || kind == WF_LINEARISE_STIFF) {
        c.kind = net->derivative;
    }
    net->shift = damping_scale * net->absolute_damping;
    net->solver.filled = false;
    wf_parallel_for(net->context, (size_t)net->edge_count, EDGE_BLOCK, linearise_edges, &c);
    wf_parallel_for(net->context, (size_t)net->vertex_count, VERTEX_BLOCK, invert_diagonals, &c);
    return WF_OK;
}

static void multiply_edges(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    wf_spring_net *net = c->net;
    for (size_t e = begin; e < end; e++) {
        wf_vec3 w = wf_vec3_sub(c->v[net->edges[e][0]], c->v[net->edges[e][1]]);
        net->pull[e] = multiply_symmetric(&net->block[e], w);
    }
}

static void gather_products(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const net_call *c = user;
    const wf_spring_net *net = c->net;
    for (size_t i = begin; i < end; i++) {
        c->result[i] = gather_pulls(net, i, wf_vec3_scale(c->v[i], net->masses[i] + net->shift));
    }
}

static void net_multiply(void *user, const double *v, double *y)
{
    wf_spring_net *net = user;
    net_call c = {.net = net, .v = (const wf_vec3 *)v, .result = (wf_vec3 *)y};
    wf_parallel_for(net->context, (size_t)net->edge_count, EDGE_BLOCK, multiply_edges, &c);
    wf_parallel_for(net->context, (size_t)net->vertex_count, VERTEX_BLOCK, gather_products, &c);
}

static wf_status net_divide_diagonal(void *user, const double *r, double *z)
{
    const wf_spring_net *net = user;
    for (int32_t i = 0; i < net->vertex_count; i++) {
        ((wf_vec3 *)z)[i] = multiply_symmetric(&net->inverse[i], ((const wf_vec3 *)r)[i]);
    }
    return WF_OK;
}

wf_mat3 wf_spring_net_entry(const wf_spring_net *net, int32_t row, int32_t column)
{
    symmetric sum = {0};
    if (row == column) {
        sum = diagonal_block(net, (size_t)row);
    }
    for (int32_t k = net->end_start[row]; row != column && k < net->end_start[row + 1]; k++) {
        int32_t e = net->ends[k].edge;
        if (net->edges[e][0] == column || net->edges[e][1] == column) {
            const symmetric *b = &net->block[e];
            symmetric turned = {-b->xx, -b->xy, -b->xz, -b->yy, -b->yz, -b->zz};
            add_symmetric(&sum, &turned);
        }
    }
    return (wf_mat3){{{sum.xx, sum.xy, sum.xz}, {sum.xy, sum.yy, sum.yz}, {sum.xz, sum.yz, sum.zz}}};
}

/* ---- the linear solver ----------------------------------------------------------------------------------------- */

static wf_status make_solver(wf_spring_net *net)
{
    net_solver *s = &net->solver;
    wf_stencil stencil = {net->edge_count, 2, &net->edges[0][0]};
    wf_status status = wf_block_matrix_create(net->context, net->vertex_count, 1, &stencil, 0, NULL, &s->matrix);
    if (status == WF_OK) {
        status = wf_filter_create(net->context, net->vertex_count, &s->filter);
    }
    s->places = status == WF_OK ? wf_allocate(net->context, (size_t)net->edge_count, sizeof *s->places) : NULL;
    if (status == WF_OK && !s->places) {
        status = WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        wf_block_matrix_destroy(net->context, s->matrix);
        wf_filter_destroy(net->context, s->filter);
        s->matrix = NULL;
        s->filter = NULL;
        return status;
    }
    for (int32_t e = 0; e < net->edge_count; e++) {
        int32_t i = net->edges[e][0], j = net->edges[e][1];
        s->places[e] = wf_pattern_place(&s->matrix->block_pattern, i > j ? i : j, i > j ? j : i);
    }
    for (int32_t i = 0; i < net->vertex_count; i++) {
        if (net->prescribed[3 * i]) {
            wf_filter_fix(s->filter, i);
        }
    }
    return WF_OK;
}

static void free_solver(wf_spring_net *net)
{
    wf_block_matrix_destroy(net->context, net->solver.matrix);
    wf_filter_destroy(net->context, net->solver.filter);
    wf_free(net->context, net->solver.places);
    wf_pcg_workspace_free(net->context, &net->solver.workspace);
}

static void add_block(wf_mat3 *to, const symmetric *b, double sign)
{
    const double entry[9] = {b->xx, b->xy, b->xz, b->xy, b->yy, b->yz, b->xz, b->yz, b->zz};
    for (int k = 0; k < 9; k++) {
        (&to->m[0][0])[k] += sign * entry[k];
    }
}

static void fill_matrix(wf_spring_net *net)
{
    net_solver *s = &net->solver;
    wf_block_matrix_clear(s->matrix);
    for (int32_t e = 0; e < net->edge_count; e++) {
        add_block(&s->matrix->values.blocks[s->places[e]], &net->block[e], -1);
    }
    for (int32_t i = 0; i < net->vertex_count; i++) {
        symmetric sum = diagonal_block(net, (size_t)i);
        add_block(&s->matrix->values.blocks[wf_pattern_diagonal_place(&s->matrix->block_pattern, i)], &sum, 1);
    }
    s->filled = true;
}

static wf_status net_solve(void *user, const double *b, double *v, double tolerance, wf_solve_work *work)
{
    wf_spring_net *net = user;
    net_solver *s = &net->solver;
    if (!s->matrix) {
        wf_status status = make_solver(net);
        if (status != WF_OK) {
            return status;
        }
    }
    if (!s->filled) {
        fill_matrix(net);
    }
    wf_linear_system system = {.matrix = s->matrix, .filter = s->filter};
    wf_pcg_params params = wf_default_pcg_params();
    params.relative_tolerance = tolerance > 0 ? tolerance : net->tolerance;
    /* Nets are small, and exactness is what they are for. */
    params.preconditioner = &wf_preconditioner_incomplete_cholesky;
    params.precision = WF_PCG_DOUBLE;
    wf_pcg_result result = {0};
    wf_status status = wf_pcg_solve(net->context, &system, (const wf_vec3 *)b, (wf_vec3 *)v, &params, &s->workspace,
                                    &result);
    work->iterations += result.iterations;
    work->products += result.iterations + 1;
    /* A product, two triangular sweeps and ten vector operations. */
    double blocks = net->vertex_count + 2.0 * net->edge_count;
    work->flops += (result.iterations + 1) * (36 * blocks + 60.0 * net->vertex_count);
    work->residual = result.residual;
    if (status == WF_OK && !result.converged) {
        return wf_fail(net->context, WF_ERROR_NUMERIC, "springs: a linear solve stopped at a residual of %g after %d "
                       "iterations", result.residual, result.iterations);
    }
    return status;
}

/* ---- the constant matrix --------------------------------------------------------------------------------------- */

static wf_status make_scalars(wf_spring_net *net)
{
    wf_stencil stencil = {net->edge_count, 2, &net->edges[0][0]};
    wf_status status = wf_pattern_build(net->context, net->vertex_count, 1, &stencil, &net->scalar_pattern);
    if (status != WF_OK) {
        return status;
    }
    size_t slots = (size_t)wf_pattern_slot_count(&net->scalar_pattern);
    net->scalar_slots = wf_allocate(net->context, (size_t)net->edge_count, sizeof *net->scalar_slots);
    net->scalar_values = net->scalar_slots ? wf_allocate(net->context, slots, sizeof *net->scalar_values) : NULL;
    if (!net->scalar_values) {
        wf_free(net->context, net->scalar_slots);
        wf_pattern_free(net->context, &net->scalar_pattern);
        net->scalar_slots = NULL;
        return WF_ERROR_MEMORY;
    }
    for (int32_t e = 0; e < net->edge_count; e++) {
        int32_t i = net->edges[e][0], j = net->edges[e][1];
        net->scalar_slots[e][0] = wf_pattern_find(&net->scalar_pattern, i, j);
        net->scalar_slots[e][1] = wf_pattern_find(&net->scalar_pattern, j, i);
    }
    return WF_OK;
}

static wf_status net_constant_matrix(void *user, double stiffness_scale, double damping_scale,
                                     const wf_pattern **pattern, const double **values)
{
    wf_spring_net *net = user;
    if (!net->scalar_values) {
        wf_status status = make_scalars(net);
        if (status != WF_OK) {
            return status;
        }
    }
    memset(net->scalar_values, 0, (size_t)wf_pattern_slot_count(&net->scalar_pattern) * sizeof *net->scalar_values);
    for (int32_t i = 0; i < net->vertex_count; i++) {
        net->scalar_values[net->scalar_pattern.diagonal[i]] =
            net->masses[i] + damping_scale * net->absolute_damping;
    }
    for (int32_t e = 0; e < net->edge_count; e++) {
        double value = constant_edge(net, (size_t)e, stiffness_scale, damping_scale);
        for (int side = 0; side < 2; side++) {
            net->scalar_values[net->scalar_slots[e][side]] -= value;
            net->scalar_values[net->scalar_pattern.diagonal[net->edges[e][side]]] += value;
        }
    }
    *pattern = &net->scalar_pattern;
    *values = net->scalar_values;
    return WF_OK;
}

/* ---- the limit of strain --------------------------------------------------------------------------------------- */

static wf_status net_correct(void *user, double h, const double *x, double *x1, double *v1)
{
    (void)x;
    const wf_spring_net *net = user;
    wf_provot provot = {.edge_count = net->edge_count, .edges = wf_spring_net_edges(net),
                        .rest_lengths = net->rest_lengths, .masses = net->masses, .prescribed = net->prescribed,
                        .limit = net->largest_elongation, .sweeps = net->limit_sweeps};
    wf_provot_correct(&provot, h, (wf_vec3 *)x1, (wf_vec3 *)v1, NULL);
    return WF_OK;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

wf_spring_net_def wf_default_spring_net_def(void)
{
    return (wf_spring_net_def){.gravity = {0, -9.81, 0}, .tolerance = 1e-10, .largest_elongation = -1,
                               .limit_sweeps = 50};
}

/* Comparisons are written so that NaN and infinity fail too. */
static wf_status check_def(wf_context *context, const wf_spring_net_def *def)
{
    for (int32_t e = 0; e < def->edge_count; e++) {
        int32_t i = def->edges[e][0], j = def->edges[e][1];
        if (i < 0 || j < 0 || i >= def->vertex_count || j >= def->vertex_count || i == j) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "edge %d joins vertices %d and %d; two different ones of %d are "
                           "needed", e + 1, i + 1, j + 1, def->vertex_count);
        }
        if (!(def->rest_lengths[e] >= 0 && def->rest_lengths[e] < 1e6 && def->stiffness[e] >= 0 &&
              def->stiffness[e] < 1e15)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "edge %d needs a rest length and a stiffness >= 0, got %g m and "
                           "%g N/m", e + 1, def->rest_lengths[e], def->stiffness[e]);
        }
    }
    for (int32_t i = 0; i < def->vertex_count; i++) {
        if (!(def->masses[i] > 0 && def->masses[i] < 1e12)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %d needs a mass > 0, got %g kg", i + 1, def->masses[i]);
        }
    }
    for (int32_t p = 0; p < def->pin_count; p++) {
        if (def->pins[p] < 0 || def->pins[p] >= def->vertex_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "pin %d names vertex %d of %d", p + 1, def->pins[p] + 1,
                           def->vertex_count);
        }
    }
    const double dampings[3] = {def->absolute_damping, def->relative_damping, def->projected_damping};
    for (int k = 0; k < 3; k++) {
        if (!(dampings[k] >= 0 && dampings[k] < 1e12)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "damping must be >= 0, got %g kg/s", dampings[k]);
        }
    }
    if (!(def->largest_elongation < 1e6) || def->limit_sweeps < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the limit of elongation must be finite, its sweeps >= 0");
    }
    if (!wf_vec3_isfinite(def->gravity) || !(def->tolerance > 0 && def->tolerance < 1)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "gravity must be finite and the tolerance between 0 and 1");
    }
    return WF_OK;
}

static void gather_ends(wf_spring_net *net)
{
    for (int32_t e = 0; e < net->edge_count; e++) {
        net->end_start[net->edges[e][0] + 1]++;
        net->end_start[net->edges[e][1] + 1]++;
    }
    for (int32_t i = 0; i < net->vertex_count; i++) {
        net->end_start[i + 1] += net->end_start[i];
    }
    /* Backwards, so that each vertex has its edges in their order and end_start ends where it began. */
    for (int32_t e = net->edge_count - 1; e >= 0; e--) {
        for (int side = 0; side < 2; side++) {
            int32_t at = --net->end_start[net->edges[e][side] + 1];
            net->ends[at] = (edge_end){e, side == 0 ? 1 : -1};
        }
    }
    for (int32_t i = 0; i < net->vertex_count; i++) {
        net->end_start[i] = net->end_start[i + 1];
    }
    net->end_start[net->vertex_count] = 2 * net->edge_count;
}

static void fill_net(wf_spring_net *net, const wf_spring_net_def *def)
{
    size_t n = (size_t)def->vertex_count, e = (size_t)def->edge_count;
    if (e > 0) {
        memcpy(net->edges, def->edges, e * sizeof *net->edges);
        memcpy(net->rest_lengths, def->rest_lengths, e * sizeof *net->rest_lengths);
        memcpy(net->stiffness, def->stiffness, e * sizeof *net->stiffness);
    }
    if (n > 0) {
        memcpy(net->masses, def->masses, n * sizeof *net->masses);
    }
    for (int32_t p = 0; p < def->pin_count; p++) {
        memset(net->prescribed + 3 * def->pins[p], 1, 3);
    }
    gather_ends(net);
    double nodes = (double)n, edges = (double)e;
    net->system = (wf_system){
        .user = net,
        .size = 3 * n,
        .prescribed = net->prescribed,
        .forces = net_forces,
        .stiff_forces = net_stiff_forces,
        .other_forces = net_weight,
        .energy = net_energy,
        .multiply_mass = net_multiply_mass,
        .divide_mass = net_divide_mass,
        .linearise = net_linearise,
        .multiply = net_multiply,
        .divide_diagonal = net_divide_diagonal,
        .constant_matrix = net_constant_matrix,
        .turnless_damping = def->projected_damping > 0
            ? def->projected_damping / (def->relative_damping + def->projected_damping) : 0,
        .correct = def->largest_elongation >= 0 ? net_correct : NULL,
        .solve = net_solve,
        .linear_in_velocity = true,
        .flops = {.forces = 37 * edges + 9 * nodes, .stiff_forces = 37 * edges + 3 * nodes,
                  .energy = 13 * edges + 6 * nodes, .multiply_mass = 3 * nodes, .divide_mass = 6 * nodes,
                  .linearise = 34 * edges + 40 * nodes, .multiply = 42 * edges + 4 * nodes},
    };
}

wf_status wf_spring_net_create(wf_context *context, const wf_spring_net_def *def, wf_spring_net **result)
{
    *result = NULL;
    wf_status status = check_def(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_spring_net *net = wf_allocate(context, 1, sizeof *net);
    if (!net) {
        return WF_ERROR_MEMORY;
    }
    size_t n = (size_t)def->vertex_count, e = (size_t)def->edge_count;
    *net = (wf_spring_net){.context = context, .vertex_count = def->vertex_count, .edge_count = def->edge_count,
                           .gravity = def->gravity, .absolute_damping = def->absolute_damping,
                           .relative_damping = def->relative_damping, .projected_damping = def->projected_damping,
                           .tolerance = def->tolerance, .largest_elongation = def->largest_elongation,
                           .limit_sweeps = def->limit_sweeps, .derivative = def->derivative};
    net->edges = wf_allocate(context, e, sizeof *net->edges);
    net->rest_lengths = wf_allocate(context, e, sizeof *net->rest_lengths);
    net->stiffness = wf_allocate(context, e, sizeof *net->stiffness);
    net->masses = wf_allocate(context, n, sizeof *net->masses);
    net->prescribed = wf_allocate(context, 3 * n, sizeof *net->prescribed);
    net->end_start = wf_allocate(context, n + 1, sizeof *net->end_start);
    net->ends = wf_allocate(context, 2 * e, sizeof *net->ends);
    net->pull = wf_allocate(context, e, sizeof *net->pull);
    net->block = wf_allocate(context, e, sizeof *net->block);
    net->inverse = wf_allocate(context, n, sizeof *net->inverse);
    if (!net->edges || !net->rest_lengths || !net->stiffness || !net->masses || !net->prescribed || !net->end_start ||
        !net->ends || !net->pull || !net->block || !net->inverse) {
        wf_spring_net_destroy(net);
        return WF_ERROR_MEMORY;
    }
    fill_net(net, def);
    *result = net;
    return WF_OK;
}

void wf_spring_net_destroy(wf_spring_net *net)
{
    if (!net) {
        return;
    }
    free_solver(net);
    wf_free(net->context, net->edges);
    wf_free(net->context, net->rest_lengths);
    wf_free(net->context, net->stiffness);
    wf_free(net->context, net->masses);
    wf_free(net->context, net->prescribed);
    wf_free(net->context, net->end_start);
    wf_free(net->context, net->ends);
    wf_free(net->context, net->pull);
    wf_free(net->context, net->block);
    wf_free(net->context, net->inverse);
    wf_pattern_free(net->context, &net->scalar_pattern);
    wf_free(net->context, net->scalar_values);
    wf_free(net->context, net->scalar_slots);
    wf_free(net->context, net);
}

/* ---- what it is ------------------------------------------------------------------------------------------------ */

const wf_system *wf_spring_net_system(const wf_spring_net *net)
{
    return &net->system;
}

int32_t wf_spring_net_vertex_count(const wf_spring_net *net)
{
    return net->vertex_count;
}

int32_t wf_spring_net_edge_count(const wf_spring_net *net)
{
    return net->edge_count;
}

const int32_t (*wf_spring_net_edges(const wf_spring_net *net))[2]
{
    return (const int32_t(*)[2])net->edges;
}

const double *wf_spring_net_rest_lengths(const wf_spring_net *net)
{
    return net->rest_lengths;
}

const double *wf_spring_net_stiffness(const wf_spring_net *net)
{
    return net->stiffness;
}

const double *wf_spring_net_masses(const wf_spring_net *net)
{
    return net->masses;
}

void wf_spring_net_stretch(const wf_spring_net *net, const wf_vec3 *x, double *largest, double *mean)
{
    double most = 0, sum = 0;
    int32_t count = 0;
    for (int32_t e = 0; e < net->edge_count; e++) {
        if (net->rest_lengths[e] > 0) {
            double ratio = wf_vec3_distance(x[net->edges[e][0]], x[net->edges[e][1]]) / net->rest_lengths[e];
            most = ratio > most ? ratio : most;
            sum += ratio;
            count++;
        }
    }
    *largest = count > 0 ? most : 1;
    *mean = count > 0 ? sum / count : 1;
}

double wf_spring_net_explicit_step(const wf_spring_net *net)
{
    double most = 0;
    for (int32_t i = 0; i < net->vertex_count; i++) {
        double sum = 0;
        for (int32_t k = net->end_start[i]; k < net->end_start[i + 1]; k++) {
            sum += net->stiffness[net->ends[k].edge];
        }
        if (!net->prescribed[3 * i] && sum / net->masses[i] > most) {
            most = sum / net->masses[i];
        }
    }
    return 2 / sqrt(2 * most);
}
