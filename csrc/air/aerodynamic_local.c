/* aerodynamic_local.c - the aerodynamic model for schemes that work by elements or vertices: tangents at the vertices.
 */
#include "air/aerodynamic_kernels.h"
#include "base/tasks.h"
#include "solve/definite.h"

/* ---- tangents of vertices ---------------------------------------------------------------------------------------- */

static wf_vec3 damp(const double d[6], wf_vec3 v)
{
    return (wf_vec3){d[0] * v.x + d[1] * v.y + d[2] * v.z, d[1] * v.x + d[3] * v.y + d[4] * v.z,
                     d[2] * v.x + d[4] * v.y + d[5] * v.z};
}

static void lump_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const wf_air_job *job = user;
    const wf_incidence *incidence = &job->model->incidence;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 force = {0, 0, 0};
        wf_vertex_air sum = {0};
        for (int32_t k = incidence->start[i]; k < incidence->start[i + 1]; k++) {
            int32_t face = incidence->corner[k];
            const double *d = job->damping[face].of;
            const double upper[6] = {d[0], d[1], d[2], d[4], d[5], job->forces[face].of[3]};
            force = wf_vec3_muladds(force, wf_face_force(&job->forces[face]), 1.0 / 3);
            for (int c = 0; c < 6; c++) {
                sum.damping[c] += upper[c] / 3;
            }
        }
        const double *v = job->v + (size_t)job->stride * i;
        sum.base = wf_vec3_add(force, damp(sum.damping, (wf_vec3){v[0], v[1], v[2]}));
        job->vertices[i] = sum;
    }
}

void wf_air_lump(wf_context *context, wf_air_job *job)
{
    wf_air_evaluate(context, job);
    wf_parallel_for(context, (size_t)job->model->head.vertex_count, WF_AIR_BLOCK, lump_block, job);
}

wf_status wf_aerodynamic_begin(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v)
{
    wf_aerodynamic_model *m = (wf_aerodynamic_model *)model;
    if (!m->vertices) {
        m->vertices = wf_allocate(context, (size_t)model->vertex_count, sizeof *m->vertices);
        if (!m->vertices) {
            return WF_ERROR_MEMORY;
        }
    }
    m->expanded = false;
    wf_air_job job = {.model = m, .x = &x->x, .v = &v->x, .stride = 3, .forces = m->forces, .damping = m->damping,
                      .vertices = m->vertices};
    wf_air_lump(context, &job);
    return WF_OK;
}

/* ---- one vertex -------------------------------------------------------------------------------------------------- */

static void add_vertex(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms)
{
    const wf_vertex_air *air = &((const wf_aerodynamic_model *)model)->vertices[i];
    wf_vec3 velocity = wf_vec3_scale(wf_vec3_sub(state->x[i], state->start[i]), 1 / state->h);
    wf_vec3 force = wf_vec3_sub(air->base, damp(air->damping, velocity));
    terms->drag = wf_vec3_muladds(terms->drag, force, scale);
    for (int k = 0; matrix && k < 6; k++) {
        terms->matrix[k] += scale / state->h * air->damping[k];
    }
}

/* ---- position-based dynamics ------------------------------------------------------------------------------------- */

typedef struct air_relaxation {
    wf_relaxation head;
    const wf_aerodynamic_model *model;
    wf_face_forces *forces;  /* [faces] of the substep's beginning, as the model's own */
    wf_face_damping *damping;
    wf_vertex_air *vertices; /* [vertices] */
    wf_vec3 *impulses;       /* [vertices] h^2 x force, N s2 */
    double scale, h;
} air_relaxation;

static void destroy_relaxation(wf_context *context, wf_relaxation *relaxation)
{
    air_relaxation *r = (air_relaxation *)relaxation;
    wf_free(context, r->forces);
    wf_free(context, r->damping);
    wf_free(context, r->vertices);
    wf_free(context, r->impulses);
    wf_free(context, r);
}

static void prepare_relaxation(wf_context *context, wf_relaxation *relaxation, double scale, double h,
                               const wf_point *points)
{
    (void)context;
    (void)points;
    air_relaxation *r = (air_relaxation *)relaxation;
    r->scale = scale;
    r->h = h;
    for (int32_t i = 0; i < r->model->head.vertex_count; i++) {
        r->vertices[i] = r->model->vertices[i];
    }
}

/* (I + a D) x = b, with D symmetric and positive semidefinite, and a >= 0. */
static wf_vec3 solve(const double d[6], double a, wf_vec3 b)
{
    const double matrix[6] = {1 + a * d[0], a * d[1], a * d[2], 1 + a * d[3], a * d[4], 1 + a * d[5]};
    wf_vec3 x;
    return wf_solve_definite(matrix, b, &x) ? x : b; /* definite as it is, unless it is not finite */
}

typedef struct sweep_task {
    air_relaxation *r;
    bool first;
    const wf_point *start;
    wf_point *points;
} sweep_task;

/* The impulse  h^2 (base - D (x - start) / h)  where it itself leads to, of each vertex by itself. */
static void sweep_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep_task *task = user;
    air_relaxation *r = task->r;
    double h = r->h, scale = r->scale;
    for (size_t i = begin; i < end; i++) {
        wf_point *point = &task->points[i];
        const wf_point *from = &task->start[i];
        const wf_vertex_air *air = &r->vertices[i];
        wf_vec3 old = task->first ? (wf_vec3){0, 0, 0} : r->impulses[i];
        wf_vec3 way = {point->x - from->x, point->y - from->y, point->z - from->z};
        wf_vec3 held = damp(air->damping, wf_vec3_muladds(way, old, -point->inverse_mass));
        wf_vec3 impulse = wf_vec3_muladds(wf_vec3_scale(air->base, h * h * scale), held, -h * scale);
        impulse = solve(air->damping, h * scale * point->inverse_mass, impulse);
        wf_vec3 change = wf_vec3_sub(impulse, old);
        r->impulses[i] = impulse;
        point->x += point->inverse_mass * change.x;
        point->y += point->inverse_mass * change.y;
        point->z += point->inverse_mass * change.z;
    }
}

static void sweep_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                             wf_point *points)
{
    air_relaxation *r = (air_relaxation *)relaxation;
    sweep_task task = {r, first, start, points};
    wf_parallel_for(context, (size_t)r->model->head.vertex_count, WF_AIR_BLOCK, sweep_block, &task);
}

_Static_assert(sizeof(wf_point) == 4 * sizeof(double), "points are read as four numbers each");

/* Changes no velocity: takes those of the substep's end for the next one's tangents. */
static void damp_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *points,
                            wf_point *velocities)
{
    air_relaxation *r = (air_relaxation *)relaxation;
    if (first) {
        wf_air_job job = {.model = r->model, .x = &points->x, .v = &velocities->x, .stride = 4, .forces = r->forces,
                          .damping = r->damping, .vertices = r->vertices};
        wf_air_lump(context, &job);
    }
}

static const wf_relaxation_class relaxation_class = {destroy_relaxation, prepare_relaxation, sweep_relaxation,
                                                     damp_relaxation};

static wf_status make_relaxation(wf_context *context, const wf_model *model, wf_relaxation **relaxation)
{
    *relaxation = NULL;
    air_relaxation *r = wf_allocate(context, 1, sizeof *r);
    if (!r) {
        return WF_ERROR_MEMORY;
    }
    const wf_aerodynamic_model *m = (const wf_aerodynamic_model *)model;
    size_t vertices = (size_t)model->vertex_count, faces = (size_t)m->face_count;
    r->head.class = &relaxation_class;
    r->model = m;
    r->forces = wf_allocate(context, faces, sizeof *r->forces);
    r->damping = wf_allocate(context, faces, sizeof *r->damping);
    r->vertices = wf_allocate(context, vertices, sizeof *r->vertices);
    r->impulses = wf_allocate(context, vertices, sizeof *r->impulses);
    if (!r->forces || !r->damping || !r->vertices || !r->impulses) {
        destroy_relaxation(context, &r->head);
        return WF_ERROR_MEMORY;
    }
    *relaxation = &r->head;
    return WF_OK;
}

/* ---- the constant matrix ----------------------------------------------------------------------------------------- */

/* A bound on the diagonal, a third of each face at each of its corners. */
static void add_constant_matrix(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars)
{
    (void)stiffness_scale;
    const wf_aerodynamic_model *m = (const wf_aerodynamic_model *)model;
    for (int32_t r = 0; r < m->range_count; r++) {
        const wf_aerodynamic_range *range = &m->ranges[r];
        if (!range->feels) {
            continue;
        }
        double bound = wf_aerodynamic_damping_bound(&range->air, m->density, m->bound_speed);
        for (int32_t f = range->first_face; f < range->end_face; f++) {
            for (int k = 0; k < 3; k++) {
                scalars[pattern->diagonal[m->faces[f][k]]] += damping_scale * bound * m->areas[f] / 3;
            }
        }
    }
}

const wf_local_class wf_aerodynamic_local = {make_relaxation, add_vertex, add_constant_matrix};
