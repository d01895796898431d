/* springs.c - there are few springs (seams, attachments): they are evaluated one after the other, on one thread. */
#include "model/springs.h"

#include <string.h>

#include "model/springs_local.h"
#include "model/springs_private.h"

/* The unit vector from vertex 1 to vertex 0 and the distance; direction zero when they coincide. */
static wf_vec3 direction_of(const int32_t pair[2], const wf_vec3 *x, double *length)
{
    wf_vec3 r = wf_vec3_sub(x[pair[0]], x[pair[1]]);
    *length = wf_vec3_norm(r);
    return wf_vec3_normalize(r);
}

static double springs_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first,
                             int32_t count)
{
    (void)context;
    const wf_springs *m = (const wf_springs *)model;
    double sum = 0;
    for (int32_t s = first; s < first + count; s++) {
        double length;
        direction_of(m->pairs[s], x, &length);
        double stretch = length - m->rest_lengths[s];
        sum += 0.5 * m->stiffness[s] * stretch * stretch;
    }
    return sum;
}

static wf_status springs_set_past(wf_context *context, wf_model *model, const wf_past *past)
{
    wf_springs *m = (wf_springs *)model;
    m->past_rate = 0;
    if (!past || m->linear_damping) { /* which is linear in the velocities: they do */
        return WF_OK;
    }
    if (!m->past) {
        m->past = wf_allocate(context, (size_t)model->stencil.count, sizeof *m->past);
        if (!m->past) {
            return WF_ERROR_MEMORY;
        }
    }
    for (int32_t s = 0; s < model->stencil.count; s++) {
        m->past[s] = 0;
        for (int k = 0; k < past->count; k++) {
            double length;
            direction_of(m->pairs[s], (const wf_vec3 *)past->x[k], &length);
            m->past[s] += past->weight[k] * length;
        }
    }
    m->past_rate = 1 / past->span;
    return WF_OK;
}

static void springs_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    (void)context;
    const wf_springs *m = (const wf_springs *)model;
    for (int32_t s = 0; s < model->stencil.count; s++) {
        int32_t i = m->pairs[s][0], j = m->pairs[s][1];
        double length;
        wf_vec3 direction = direction_of(m->pairs[s], x, &length);
        double pull = m->stiffness[s] * (length - m->rest_lengths[s]);
        if (v && m->past_rate > 0) {
            pull += m->damping[s] * m->past_rate * (length - m->past[s]);
        } else if (v && m->linear_damping) {
            wf_vec3 drag = wf_vec3_scale(wf_vec3_sub(v[i], v[j]), m->damping[s]);
            f[i] = wf_vec3_sub(f[i], drag);
            f[j] = wf_vec3_add(f[j], drag);
        } else if (v) {
            pull += m->damping[s] * wf_vec3_dot(wf_vec3_sub(v[i], v[j]), direction);
        }
        f[i] = wf_vec3_muladds(f[i], direction, -pull);
        f[j] = wf_vec3_muladds(f[j], direction, pull);
    }
}

static void add_any_matrix(wf_model *model, const wf_vec3 *x, double stiffness_scale, double damping_scale,
                           wf_matrix_values a, bool exact)
{
    const wf_springs *m = (const wf_springs *)model;
    for (int32_t s = 0; s < model->stencil.count; s++) {
        double length, k = stiffness_scale * m->stiffness[s], rest = m->rest_lengths[s];
        wf_vec3 direction = direction_of(m->pairs[s], x, &length);
        double transverse = wf_spring_transverse(k, rest, length);
        if (m->past_rate > 0) {
            transverse += wf_spring_transverse(stiffness_scale * m->damping[s] * m->past_rate, m->past[s], length);
        }
        if (!exact && transverse < 0) {
            transverse = 0;
        }
        double damping = damping_scale * m->damping[s], all_ways = m->linear_damping ? damping : 0;
        wf_mat3 block = wf_mat3_identity_plus_outer(transverse + all_ways, k - transverse + damping - all_ways,
                                                    direction, direction);
        const double sign[4] = {1, -1, -1, 1};
        for (int corner = 0; corner < 4; corner++) {
            int32_t place = m->places[s][corner];
            for (int e = 0; e < 9 && place >= 0; e++) {
                (&a.blocks[place].m[0][0])[e] += sign[corner] * (&block.m[0][0])[e];
            }
        }
    }
}

static void springs_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                               double damping_scale, wf_matrix_values a)
{
    (void)context;
    add_any_matrix(model, x, stiffness_scale, damping_scale, a, false);
}

static void springs_add_exact_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                     double damping_scale, wf_matrix_values a)
{
    (void)context;
    add_any_matrix(model, x, stiffness_scale, damping_scale, a, true);
}

static wf_status springs_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                              const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_pattern_place_all(context, blocks, &model->stencil, (int32_t *)((wf_springs *)model)->places);
}

static void springs_destroy(wf_context *context, wf_model *model)
{
    wf_springs *m = (wf_springs *)model;
    wf_free(context, m->pairs);
    wf_free(context, m->rest_lengths);
    wf_free(context, m->stiffness);
    wf_free(context, m->damping);
    wf_free(context, m->places);
    wf_free(context, m->past);
    wf_incidence_free(context, &m->incidence);
    wf_free(context, m);
}

static const wf_model_class springs_class = {
    .name = "springs",
    .destroy = springs_destroy,
    .energy = springs_energy,
    .add_forces = springs_add_forces,
    .add_matrix = springs_add_matrix,
    .add_exact_matrix = springs_add_exact_matrix,
    .set_past = springs_set_past,
    .bind = springs_bind,
    .local = &wf_springs_local,
};

/* Schemes that go spring by spring damp along it. */
static const wf_model_class linear_damping_class = {
    .name = "springs",
    .destroy = springs_destroy,
    .energy = springs_energy,
    .add_forces = springs_add_forces,
    .add_matrix = springs_add_matrix,
    .add_exact_matrix = springs_add_exact_matrix,
    .set_past = springs_set_past,
    .bind = springs_bind,
};

static wf_status check_springs(wf_context *context, const wf_springs_def *def)
{
    for (int32_t s = 0; s < def->count; s++) {
        int32_t i = def->pairs[s][0], j = def->pairs[s][1];
        if (i < 0 || j < 0 || i >= def->vertex_count || j >= def->vertex_count || i == j) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "spring %d joins vertices %d and %d; two different ones of %d are needed", s + 1, i + 1,
                           j + 1, def->vertex_count);
        }
        /* Written so that NaN and infinity fail too. */
        if (!(def->rest_lengths[s] >= 0 && def->rest_lengths[s] < 1e6 && def->stiffness[s] >= 0 &&
              def->stiffness[s] < 1e12 && def->damping[s] >= 0 && def->damping[s] < 1e12)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "spring %d needs rest length, stiffness and damping >= 0, got %g m, %g N/m, %g N s/m",
                           s + 1, def->rest_lengths[s], def->stiffness[s], def->damping[s]);
        }
    }
    return WF_OK;
}

wf_status wf_springs_create(wf_context *context, const wf_springs_def *def, wf_model **model)
{
    *model = NULL;
    wf_status status = check_springs(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_springs *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head = (wf_model){.class = def->linear_damping ? &linear_damping_class : &springs_class,
                         .vertex_count = def->vertex_count};
    m->linear_damping = def->linear_damping;
    size_t count = (size_t)def->count;
    m->pairs = wf_allocate(context, count, sizeof *m->pairs);
    m->rest_lengths = wf_allocate(context, count, sizeof *m->rest_lengths);
    m->stiffness = wf_allocate(context, count, sizeof *m->stiffness);
    m->damping = wf_allocate(context, count, sizeof *m->damping);
    m->places = wf_allocate(context, count, sizeof *m->places);
    if (!m->pairs || !m->rest_lengths || !m->stiffness || !m->damping || !m->places) {
        springs_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(m->pairs, def->pairs, count * sizeof *m->pairs);
        memcpy(m->rest_lengths, def->rest_lengths, count * sizeof *m->rest_lengths);
        memcpy(m->stiffness, def->stiffness, count * sizeof *m->stiffness);
        memcpy(m->damping, def->damping, count * sizeof *m->damping);
    }
    m->head.stencil = (wf_stencil){def->count, 2, &m->pairs[0][0]};
    status = wf_incidence_build(context, def->vertex_count, &m->head.stencil, &m->incidence);
    if (status != WF_OK) {
        springs_destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

double *wf_springs_rest_lengths(wf_model *model)
{
    return ((wf_springs *)model)->rest_lengths;
}

double *wf_springs_stiffness(wf_model *model)
{
    return ((wf_springs *)model)->stiffness;
}
