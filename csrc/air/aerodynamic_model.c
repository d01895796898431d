/* aerodynamic_model.c - see aerodynamic_model.h. */
#include "air/aerodynamic_model.h"

#include <string.h>

#include "air/aerodynamic_kernels.h"
#include "base/tasks.h"

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

typedef struct task {
    const wf_aerodynamic_kernels *kernels;
    const wf_air_job *job;
} task;

static void evaluate_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const task *call = user;
    size_t first = (size_t)call->job->range->first_face;
    call->kernels->evaluate(call->job, first + begin, first + end);
}

static void leave_out_unfelt(const wf_air_job *job, size_t first, size_t end)
{
    for (size_t f = first; f < end; f++) {
        if (!job->model->felt[f]) {
            memset(&job->forces[f], 0, sizeof job->forces[f]);
            if (job->damping) {
                memset(&job->damping[f], 0, sizeof job->damping[f]);
            }
        }
    }
}

void wf_air_evaluate(wf_context *context, wf_air_job *job)
{
    const wf_aerodynamic_model *m = job->model;
    for (int32_t r = 0; r < m->range_count; r++) {
        const wf_aerodynamic_range *range = &m->ranges[r];
        size_t first = (size_t)range->first_face, count = (size_t)(range->end_face - range->first_face);
        if (!range->feels && count > 0) {
            memset(job->forces + first, 0, count * sizeof *job->forces);
            if (job->damping) {
                memset(job->damping + first, 0, count * sizeof *job->damping);
            }
            continue;
        }
        job->range = range;
        task call = {wf_aerodynamic_kernels_for(context), job};
        wf_parallel_for(context, count, WF_AIR_BLOCK, evaluate_block, &call);
        if (m->felt) {
            leave_out_unfelt(job, first, first + count);
        }
    }
}

static void forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const task *call = user;
    call->kernels->add_forces(call->job, begin, end);
}

/* v NULL: no velocities, and no force of the air. */
static void add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    if (!v) {
        return;
    }
    m->expanded = m->about != NULL;
    wf_air_job job = {.model = m, .x = &x->x, .v = &v->x, .about = m->about ? &m->about->x : NULL, .stride = 3,
                      .forces = m->forces, .damping = m->about ? m->damping : NULL, .f = f};
    wf_air_evaluate(context, &job);
    task call = {wf_aerodynamic_kernels_for(context), &job};
    wf_parallel_for(context, (size_t)model->vertex_count, WF_AIR_BLOCK, forces_block, &call);
}

static double energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count)
{
    (void)context;
    (void)model;
    (void)x;
    (void)first;
    (void)count;
    return 0;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static void edges_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const task *call = user;
    call->kernels->add_edges(call->job, begin, end);
}

static void diagonals_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const task *call = user;
    call->kernels->add_diagonals(call->job, begin, end);
}

static void add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                       double damping_scale, wf_matrix_values a)
{
    (void)stiffness_scale;
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    const wf_vec3 *at = m->about ? m->about : m->linearised;
    if (!at || damping_scale == 0) {
        return;
    }
    wf_air_job job = {.model = m, .x = &x->x, .v = &at->x, .stride = 3, .forces = m->forces, .damping = m->damping,
                      .blocks = a.blocks, .scale = damping_scale / 9};
    if (!(m->about && m->expanded)) { /* else they are those of the tangent already */
        wf_air_evaluate(context, &job);
    }
    task call = {wf_aerodynamic_kernels_for(context), &job};
    wf_parallel_for(context, (size_t)m->edge_count, WF_AIR_BLOCK, edges_block, &call);
    wf_parallel_for(context, (size_t)model->vertex_count, WF_AIR_BLOCK, diagonals_block, &call);
}

/* ---- binding ----------------------------------------------------------------------------------------------------- */

static void unbind(wf_context *context, wf_aerodynamic_model *m)
{
    wf_free(context, m->edge_place);
    wf_free(context, m->edge_start);
    wf_free(context, m->edge_face);
    m->edge_place = m->edge_start = m->edge_face = NULL;
    m->edge_count = 0;
    m->pattern = NULL;
}

static int32_t place_of(const wf_pattern *pattern, int32_t i, int32_t j)
{
    return wf_pattern_place(pattern, i > j ? i : j, i > j ? j : i);
}

/* Edges in the order of their places, and the faces of each in their own. `at` [places]. */
static void list_edges(wf_aerodynamic_model *m, const wf_pattern *pattern, int32_t *at)
{
    int32_t places = wf_pattern_place_count(pattern), faces = 0;
    for (int32_t side = 0; side < 3 * m->face_count; side++) {
        const int32_t *v = m->faces[side / 3];
        at[place_of(pattern, v[side % 3], v[(side + 1) % 3])]++;
    }
    m->edge_count = 0;
    for (int32_t place = 0; place < places; place++) {
        int32_t count = at[place];
        if (count > 0) {
            m->edge_place[m->edge_count] = place;
            m->edge_start[m->edge_count++] = faces;
            at[place] = faces;
            faces += count;
        }
    }
    m->edge_start[m->edge_count] = faces;
    for (int32_t side = 0; side < 3 * m->face_count; side++) {
        const int32_t *v = m->faces[side / 3];
        m->edge_face[at[place_of(pattern, v[side % 3], v[(side + 1) % 3])]++] = side / 3;
    }
}

static wf_status bind(wf_context *context, wf_model *model, const wf_pattern *blocks, const wf_scalar_pattern *scalars)
{
    (void)scalars;
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    size_t sides = 3 * (size_t)m->face_count;
    unbind(context, m);
    for (size_t side = 0; side < sides; side++) {
        const int32_t *v = m->faces[side / 3];
        if (place_of(blocks, v[side % 3], v[(side + 1) % 3]) < 0) {
            return wf_fail(context, WF_ERROR_STATE, "matrix: the sides of face %d are not coupled in this matrix",
                           (int)(side / 3) + 1);
        }
    }
    int32_t *at = wf_allocate(context, (size_t)wf_pattern_place_count(blocks), sizeof *at);
    m->edge_place = wf_allocate(context, sides, sizeof *m->edge_place);
    m->edge_start = wf_allocate(context, sides + 1, sizeof *m->edge_start);
    m->edge_face = wf_allocate(context, sides, sizeof *m->edge_face);
    wf_status status = at && m->edge_place && m->edge_start && m->edge_face ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        list_edges(m, blocks, at);
        m->pattern = blocks;
    } else {
        unbind(context, m);
    }
    wf_free(context, at);
    return status;
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

static wf_vec3 third_of_sum(const wf_vec3 *points, const int32_t face[3])
{
    wf_vec3 sum = wf_vec3_add(wf_vec3_add(points[face[0]], points[face[1]]), points[face[2]]);
    return wf_vec3_scale(sum, 1.0 / 3);
}

void wf_aerodynamic_totals(wf_context *context, wf_model *model, const wf_vec3 *x1, const wf_vec3 *v1,
                           wf_aerodynamic_total *totals)
{
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    if (!m->expanded) {
        wf_air_job job = {.model = m, .x = &x1->x, .v = &v1->x, .stride = 3, .forces = m->forces};
        wf_air_evaluate(context, &job);
    }
    for (int32_t r = 0; r < m->range_count; r++) {
        wf_aerodynamic_total sum = {{0, 0, 0}, {0, 0, 0}};
        const wf_aerodynamic_range *range = &m->ranges[r];
        for (int32_t f = range->first_face; range->feels && f < range->end_face; f++) {
            wf_face_forces *at = &m->forces[f];
            wf_vec3 force = wf_face_force(at);
            if (m->expanded) {
                force = wf_vec3_sub(force, wf_face_damp(at, &m->damping[f], third_of_sum(v1, m->faces[f])));
                *at = (wf_face_forces){{force.x, force.y, force.z, at->of[3]}};
            }
            sum.force = wf_vec3_add(sum.force, force);
            sum.moment = wf_vec3_add(sum.moment, wf_vec3_cross(third_of_sum(x1, m->faces[f]), force));
        }
        totals[r] = sum;
    }
    m->expanded = false;
}

double wf_aerodynamic_work(const wf_model *model, const wf_vec3 *x0, const wf_vec3 *x1)
{
    const wf_aerodynamic_model *m = (const wf_aerodynamic_model *)model;
    double sum = 0;
    for (int32_t f = 0; f < m->face_count; f++) { /* forces are 0 where no air is felt */
        const int32_t *v = m->faces[f];
        sum += wf_vec3_dot(wf_face_force(&m->forces[f]), wf_vec3_sub(third_of_sum(x1, v), third_of_sum(x0, v)));
    }
    return sum;
}

double wf_aerodynamic_largest_speed(const wf_model *model, const wf_vec3 *v)
{
    const wf_aerodynamic_model *m = (const wf_aerodynamic_model *)model;
    double largest = 0;
    for (int32_t r = 0; r < m->range_count; r++) {
        for (int32_t f = m->ranges[r].first_face; m->ranges[r].feels && f < m->ranges[r].end_face; f++) {
            if (!m->felt || m->felt[f]) {
                largest = fmax(largest, wf_vec3_norm2(wf_vec3_sub(third_of_sum(v, m->faces[f]), m->wind[f])));
            }
        }
    }
    return sqrt(largest);
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

static void destroy(wf_context *context, wf_model *model)
{
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    unbind(context, m);
    wf_incidence_free(context, &m->incidence);
    wf_free(context, m->faces);
    wf_free(context, m->ranges);
    wf_free(context, m->areas);
    wf_free(context, m->wind);
    wf_free(context, m->forces);
    wf_free(context, m->damping);
    wf_free(context, m->vertices);
    wf_free(context, m);
}

static const wf_model_class aerodynamic_class = {
    .name = "air",
    .destroy = destroy,
    .energy = energy,
    .add_forces = add_forces,
    .add_matrix = add_matrix,
    .add_exact_matrix = add_matrix,
    .bind = bind,
    .local = &wf_aerodynamic_local,
};

static wf_status allocate(wf_context *context, const wf_aerodynamic_def *def, wf_aerodynamic_model *m)
{
    size_t faces = (size_t)def->face_count, ranges = (size_t)def->range_count;
    m->faces = wf_allocate(context, faces, sizeof *m->faces);
    m->ranges = wf_allocate(context, ranges, sizeof *m->ranges);
    m->areas = wf_allocate(context, faces, sizeof *m->areas);
    m->wind = wf_allocate(context, faces, sizeof *m->wind);
    m->forces = wf_allocate(context, faces, sizeof *m->forces);
    m->damping = wf_allocate(context, faces, sizeof *m->damping);
    if (!m->faces || !m->ranges || !m->areas || !m->wind || !m->forces || !m->damping) {
        return WF_ERROR_MEMORY;
    }
    memcpy(m->faces, def->faces, faces * sizeof *m->faces);
    memcpy(m->ranges, def->ranges, ranges * sizeof *m->ranges);
    memcpy(m->areas, def->areas, faces * sizeof *m->areas);
    m->head.stencil = (wf_stencil){def->face_count, 3, &m->faces[0][0]};
    wf_status status = wf_incidence_build(context, def->vertex_count, &m->head.stencil, &m->incidence);
    for (size_t k = 0; status == WF_OK && k < 3 * faces; k++) {
        m->incidence.corner[k] /= 3;
    }
    return status;
}

wf_status wf_aerodynamic_model_create(wf_context *context, const wf_aerodynamic_def *def, wf_model **model)
{
    *model = NULL;
    wf_aerodynamic_model *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head.class = &aerodynamic_class;
    m->head.vertex_count = def->vertex_count;
    m->face_count = def->face_count;
    m->range_count = def->range_count;
    m->density = WF_AIR_DENSITY;
    wf_status status = allocate(context, def, m);
    if (status != WF_OK) {
        destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

wf_aerodynamic_range *wf_aerodynamic_ranges(wf_model *model)
{
    return ((wf_aerodynamic_model *)model)->ranges;
}

wf_vec3 *wf_aerodynamic_wind(wf_model *model)
{
    return ((wf_aerodynamic_model *)model)->wind;
}

void wf_aerodynamic_set_felt(wf_model *model, const uint8_t *felt)
{
    ((wf_aerodynamic_model *)model)->felt = felt;
}

void wf_aerodynamic_set_density(wf_model *model, double density)
{
    ((wf_aerodynamic_model *)model)->density = density;
}

void wf_aerodynamic_expand(wf_model *model, const wf_vec3 *velocities)
{
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    m->about = velocities;
    m->expanded = m->expanded && !velocities; /* what the last tangent left is kept for the totals */
}

void wf_aerodynamic_linearise(wf_model *model, const wf_vec3 *velocities)
{
    ((wf_aerodynamic_model *)model)->linearised = velocities;
}

void wf_aerodynamic_set_bound(wf_model *model, double speed)
{
    ((wf_aerodynamic_model *)model)->bound_speed = speed;
}
