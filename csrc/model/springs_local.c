/* springs_local.c - see springs_local.h. */
#include "model/springs_local.h"

#include "model/springs_private.h"

/* ---- relaxation ------------------------------------------------------------------------------------------------ */

typedef struct springs_relaxation {
    wf_relaxation head;
    const wf_springs *springs;
    wf_vec3 *impulses; /* [springs] h^2 x force on the first end, N s2 */
    double scale, h;
} springs_relaxation;

static void destroy_relaxation(wf_context *context, wf_relaxation *relaxation)
{
    wf_free(context, ((springs_relaxation *)relaxation)->impulses);
    wf_free(context, relaxation);
}

static void prepare_relaxation(wf_context *context, wf_relaxation *relaxation, double scale, double h,
                               const wf_point *points)
{
    (void)context;
    (void)points;
    springs_relaxation *r = (springs_relaxation *)relaxation;
    r->scale = scale;
    r->h = h;
}

static wf_vec3 way_between(const wf_point *points, const int32_t pair[2])
{
    const wf_point *a = &points[pair[0]], *b = &points[pair[1]];
    return (wf_vec3){a->x - b->x, a->y - b->y, a->z - b->z};
}

static void push(wf_point *point, wf_vec3 impulse)
{
    point->x += point->inverse_mass * impulse.x;
    point->y += point->inverse_mass * impulse.y;
    point->z += point->inverse_mass * impulse.z;
}

/* The impulse L r/|r| with  L = -h^2 k (|r| - l) - h d (|r| - |r| at the start), balanced to first order. */
static wf_vec3 balanced_impulse(const springs_relaxation *r, int32_t s, wf_vec3 old, const wf_point *start,
                                const wf_point *points)
{
    const wf_springs *m = r->springs;
    const int32_t *pair = m->pairs[s];
    wf_vec3 way = way_between(points, pair), direction = wf_vec3_normalize(way);
    double stiffness = r->scale * r->h * r->h * m->stiffness[s], damping = r->scale * r->h * m->damping[s];
    double mobility = points[pair[0]].inverse_mass + points[pair[1]].inverse_mass;
    double length = wf_vec3_norm(way), was = wf_vec3_norm(way_between(start, pair));
    double along = stiffness * (length - m->rest_lengths[s]) + damping * (length - was);
    double hold = (stiffness + damping) * mobility;
    return wf_vec3_scale(direction, (hold * wf_vec3_dot(direction, old) - along) / (1 + hold));
}

static void sweep_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                             wf_point *points)
{
    (void)context;
    springs_relaxation *r = (springs_relaxation *)relaxation;
    for (int32_t s = 0; s < r->springs->head.stencil.count; s++) {
        wf_vec3 old = first ? (wf_vec3){0, 0, 0} : r->impulses[s];
        wf_vec3 new = balanced_impulse(r, s, old, start, points), change = wf_vec3_sub(new, old);
        r->impulses[s] = new;
        push(&points[r->springs->pairs[s][0]], change);
        push(&points[r->springs->pairs[s][1]], wf_vec3_scale(change, -1));
    }
}

static const wf_relaxation_class relaxation_class = {destroy_relaxation, prepare_relaxation, sweep_relaxation,
                                                     NULL};

static wf_status make_relaxation(wf_context *context, const wf_model *model, wf_relaxation **relaxation)
{
    *relaxation = NULL;
    springs_relaxation *r = wf_allocate(context, 1, sizeof *r);
    if (!r) {
        return WF_ERROR_MEMORY;
    }
    r->head.class = &relaxation_class;
    r->springs = (const wf_springs *)model;
    r->impulses = wf_allocate(context, (size_t)model->stencil.count, sizeof *r->impulses);
    if (!r->impulses) {
        destroy_relaxation(context, &r->head);
        return WF_ERROR_MEMORY;
    }
    *relaxation = &r->head;
    return WF_OK;
}

/* ---- one vertex ------------------------------------------------------------------------------------------------ */

/* matrix += s I + t a a^T */
static void add_outer(double s, double t, wf_vec3 a, double matrix[6])
{
    matrix[0] += s + t * a.x * a.x;
    matrix[1] += t * a.x * a.y;
    matrix[2] += t * a.x * a.z;
    matrix[3] += s + t * a.y * a.y;
    matrix[4] += t * a.y * a.z;
    matrix[5] += s + t * a.z * a.z;
}

static void add_vertex(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms)
{
    const wf_springs *m = (const wf_springs *)model;
    for (int32_t k = m->incidence.start[i]; k < m->incidence.start[i + 1]; k++) {
        int32_t s = m->incidence.corner[k] / 2, j = m->pairs[s][1 - m->incidence.corner[k] % 2];
        wf_vec3 way = wf_vec3_sub(state->x[i], state->x[j]), direction = wf_vec3_normalize(way);
        wf_vec3 was = wf_vec3_sub(state->start[i], state->start[j]);
        double length = wf_vec3_norm(way), rest = m->rest_lengths[s], stretch = length - rest;
        double stiffness = scale * m->stiffness[s], damping = scale * m->damping[s] / state->h;
        double change = length - wf_vec3_norm(was);
        terms->energy += 0.5 * stiffness * stretch * stretch;
        terms->force = wf_vec3_muladds(terms->force, direction, -stiffness * stretch);
        terms->drag = wf_vec3_muladds(terms->drag, direction, -damping * change);
        if (matrix) {
            double transverse = length > 0 ? fmax(stiffness * (1 - rest / length), 0) : rest > 0 ? 0 : stiffness;
            add_outer(transverse, stiffness - transverse + damping, direction, terms->matrix);
        }
    }
}

/* ---- the constant matrix --------------------------------------------------------------------------------------- */

static void add_constant_matrix(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars)
{
    const wf_springs *m = (const wf_springs *)model;
    for (int32_t s = 0; s < model->stencil.count; s++) {
        double k = stiffness_scale * m->stiffness[s] + damping_scale * m->damping[s];
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
                scalars[wf_pattern_find(pattern, m->pairs[s][a], m->pairs[s][b])] += a == b ? k : -k;
            }
        }
    }
}

const wf_local_class wf_springs_local = {make_relaxation, add_vertex, add_constant_matrix};
