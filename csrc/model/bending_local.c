/* bending_local.c - see bending_local.h. */
#include "model/bending_local.h"

#include "base/dense.h"
#include "model/relaxation.h"

/* ---- relaxation ------------------------------------------------------------------------------------------------ */

typedef struct bending_relaxation {
    wf_relaxation head;
    const wf_model *model;
    wf_relaxation_order order;
    wf_bending_batch *batches;
    wf_bending_impulse *impulses;
    double scale, h;     /* that the batches' matrices were made for */
    double *inverse_mass; /* [vertex_count] and these */
    bool viscous;
} bending_relaxation;

static void destroy_relaxation(wf_context *context, wf_relaxation *relaxation)
{
    bending_relaxation *r = (bending_relaxation *)relaxation;
    wf_relaxation_order_free(context, &r->order);
    wf_free(context, r->batches);
    wf_free(context, r->impulses);
    wf_free(context, r->inverse_mass);
    wf_free(context, r);
}

/* P of one element; see relaxation_kernels.h. */
static void set_lane(const wf_model *model, int32_t face, double scale, double h, const wf_point *points,
                     wf_bending_batch *batch, int lane)
{
    enum { N = WF_PATCH_STRAINS };
    wf_bending_parts parts = wf_bending_get_parts(model);
    const wf_bending_element *element = &parts.elements[face];
    double system[N * N], column[N], unit[N], gain = scale * h * (h + batch->viscosity[lane]);
    size_t rows[N];
    for (int s = 0; s < N; s++) {
        for (int t = 0; t < N; t++) {
            double sum = 0;
            for (int a = 0; a < WF_PATCH_VERTICES; a++) {
                sum += element->weight[s][a] * points[parts.vertices[face][a]].inverse_mass * element->weight[t][a];
            }
            system[s * N + t] = (s == t) + gain * sum;
        }
    }
    bool regular = wf_dense_factor(N, system, rows);
    for (int s = 0, entry = 0; s < N; s++) {
        for (int t = 0; t < N; t++) {
            unit[t] = s == t;
        }
        if (regular) {
            wf_dense_solve(N, system, rows, unit, column);
        }
        for (int t = s; t < N; t++) {
            batch->inverse[entry++][lane] = regular ? column[t] : 0;
        }
    }
}

typedef struct preparation {
    bending_relaxation *relaxation;
    const wf_point *points;
} preparation;

static void prepare_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const preparation *call = user;
    bending_relaxation *r = call->relaxation;
    for (size_t b = begin; b < end; b++) {
        for (int lane = 0; lane < WF_RELAXATION_LANES; lane++) {
            if (r->order.element[b][lane] >= 0) {
                set_lane(r->model, r->order.element[b][lane], r->scale, r->h, call->points, &r->batches[b], lane);
            }
        }
    }
}

static void prepare_relaxation(wf_context *context, wf_relaxation *relaxation, double scale, double h,
                               const wf_point *points)
{
    bending_relaxation *r = (bending_relaxation *)relaxation;
    bool changed = r->scale != scale || r->h != h;
    for (int32_t i = 0; i < r->model->vertex_count; i++) {
        changed |= r->inverse_mass[i] != points[i].inverse_mass;
        r->inverse_mass[i] = points[i].inverse_mass;
    }
    if (changed) {
        r->scale = scale;
        r->h = h;
        preparation call = {r, points};
        wf_parallel_for(context, r->order.batch_count, 64, prepare_block, &call);
    }
}

typedef struct sweep {
    bending_relaxation *relaxation;
    const wf_relaxation_kernels *kernels;
    const wf_point *start;
    wf_point *points;
    bool first;
} sweep;

static void sweep_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *call = user;
    const bending_relaxation *r = call->relaxation;
    call->kernels->bendings(r->batches, r->impulses, begin, end, r->scale * r->h * r->h, 1 / r->h, call->first,
                            r->viscous ? call->start : NULL, call->points);
}

static void sweep_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                             wf_point *points)
{
    bending_relaxation *r = (bending_relaxation *)relaxation;
    sweep call = {r, wf_relaxation_kernels_for(context), start, points, first};
    wf_relaxation_order_run(context, &r->order, sweep_block, &call);
}

static const wf_relaxation_class relaxation_class = {destroy_relaxation, prepare_relaxation, sweep_relaxation,
                                                     NULL};

static void fill_lane(const wf_model *model, int32_t face, wf_bending_batch *batch, int lane)
{
    wf_bending_parts parts = wf_bending_get_parts(model);
    const int32_t *vertices = parts.vertices[face];
    for (int a = 0; a < WF_PATCH_VERTICES; a++) {
        /* lanes must not write one vertex twice */
        bool missing = a > 0 && vertices[a] == vertices[0];
        batch->vertex[a][lane] = missing ? model->vertex_count : vertices[a];
        for (int s = 0; s < WF_PATCH_STRAINS && a > 0; s++) {
            batch->weight[s][a - 1][lane] = parts.elements[face].weight[s][a];
        }
    }
    batch->viscosity[lane] = parts.fabrics[parts.face_fabric[face]].bend_viscosity;
}

static void fill_batches(bending_relaxation *r)
{
    for (size_t b = 0; b < r->order.batch_count; b++) {
        for (int lane = 0; lane < WF_RELAXATION_LANES; lane++) {
            int32_t face = r->order.element[b][lane];
            if (face >= 0) {
                fill_lane(r->model, face, &r->batches[b], lane);
                r->viscous |= r->batches[b].viscosity[lane] > 0;
                continue;
            }
            for (int a = 0; a < WF_PATCH_VERTICES; a++) {
                r->batches[b].vertex[a][lane] = r->model->vertex_count;
            }
        }
    }
}

static wf_status make_relaxation(wf_context *context, const wf_model *model, wf_relaxation **relaxation)
{
    *relaxation = NULL;
    bending_relaxation *r = wf_allocate(context, 1, sizeof *r);
    if (!r) {
        return WF_ERROR_MEMORY;
    }
    r->head.class = &relaxation_class;
    r->model = model;
    wf_status status = wf_relaxation_order_build(context, model->vertex_count, &model->stencil, &r->order);
    if (status == WF_OK) {
        r->batches = wf_allocate(context, r->order.batch_count, sizeof *r->batches);
        r->impulses = wf_allocate(context, r->order.batch_count, sizeof *r->impulses);
        r->inverse_mass = wf_allocate(context, (size_t)model->vertex_count, sizeof *r->inverse_mass);
        status = r->batches && r->impulses && r->inverse_mass ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        destroy_relaxation(context, &r->head);
        return status;
    }
    fill_batches(r);
    *relaxation = &r->head;
    return WF_OK;
}

/* ---- one vertex ------------------------------------------------------------------------------------------------ */

/* What an entry of a vertex' row adds to its force, and to the drag of what has moved since the start. */
static inline void add_entry(const wf_bending_parts *parts, int32_t place, int32_t i, int32_t j,
                             const wf_local_state *state, wf_vec3 *force, wf_vec3 *drag)
{
    wf_vec3 own = wf_vec3_sub(state->x[i], state->start[i]), other = wf_vec3_sub(state->x[j], state->start[j]);
    *force = wf_vec3_muladds(*force, wf_vec3_sub(state->x[j], state->x[i]), -parts->stiffness[place]);
    *drag = wf_vec3_muladds(*drag, wf_vec3_sub(other, own), -wf_bending_damping(parts, place) / state->h);
}

/* The matrix is constant: a row of it is all that a vertex sees. */
static void add_vertex(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms)
{
    wf_bending_parts parts = wf_bending_get_parts(model);
    const wf_scalar_pattern *pattern = parts.pattern;
    wf_vec3 moved = wf_vec3_sub(state->x[i], state->start[i]), force = {0, 0, 0}, drag = {0, 0, 0};
    for (int32_t k = pattern->lower_start[i]; k < pattern->lower_start[i + 1]; k++) {
        add_entry(&parts, wf_scalar_pattern_lower_place(i, k), i, wf_scalar_pattern_lower_column(pattern, i, k), state,
                  &force, &drag);
    }
    for (int32_t k = pattern->upper_start[i]; k < pattern->upper_start[i + 1]; k++) {
        int32_t j = wf_scalar_pattern_upper_column(pattern, i, k);
        add_entry(&parts, wf_scalar_pattern_upper_place(pattern, i, j, k), i, j, state, &force, &drag);
    }
    int32_t own = wf_scalar_pattern_diagonal_place(pattern, i);
    /* of f(d) = f(0) - K d, in the way d since the start */
    terms->energy -= scale * (wf_vec3_dot(force, moved) + 0.5 * parts.stiffness[own] * wf_vec3_norm2(moved));
    terms->force = wf_vec3_muladds(terms->force, force, scale);
    terms->drag = wf_vec3_muladds(terms->drag, drag, scale);
    if (matrix) {
        double diagonal = scale * (parts.stiffness[own] + wf_bending_damping(&parts, own) / state->h);
        terms->matrix[0] += diagonal;
        terms->matrix[3] += diagonal;
        terms->matrix[5] += diagonal;
    }
}

/* ---- the constant matrix --------------------------------------------------------------------------------------- */

static void add_constant_matrix(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars)
{
    wf_bending_parts parts = wf_bending_get_parts(model);
    for (int32_t i = 0, place = 0; i < parts.pattern->row_count; i++) {
        for (int32_t k = parts.pattern->lower_start[i]; k <= parts.pattern->lower_start[i + 1]; k++, place++) {
            double value = stiffness_scale * parts.stiffness[place] +
                           damping_scale * wf_bending_damping(&parts, place);
            if (k < parts.pattern->lower_start[i + 1]) {
                int32_t j = wf_scalar_pattern_lower_column(parts.pattern, i, k);
                scalars[wf_pattern_find(pattern, i, j)] += value;
                scalars[wf_pattern_find(pattern, j, i)] += value;
            } else {
                scalars[wf_pattern_find(pattern, i, i)] += value;
            }
        }
    }
}

const wf_local_class wf_bending_local = {make_relaxation, add_vertex, add_constant_matrix};
