/* membrane_local.c - see membrane_local.h. */
#include "model/membrane_local.h"

#include <string.h>

#include "model/membrane_private.h"
#include "model/membrane_weave.h"
#include "model/relaxation.h"

/* ---- relaxation ------------------------------------------------------------------------------------------------ */

typedef struct membrane_relaxation {
    wf_relaxation head;
    wf_relaxation_order order;
    wf_membrane_batch *batches;
    wf_membrane_impulse *impulses;
    wf_membrane_drag *drags; /* NULL: no viscosity */
    bool weave;
    double stiffness, h;
} membrane_relaxation;

static void destroy_relaxation(wf_context *context, wf_relaxation *relaxation)
{
    membrane_relaxation *r = (membrane_relaxation *)relaxation;
    wf_relaxation_order_free(context, &r->order);
    wf_free(context, r->batches);
    wf_free(context, r->impulses);
    wf_free(context, r->drags);
    wf_free(context, r);
}

static void prepare_relaxation(wf_context *context, wf_relaxation *relaxation, double scale, double h,
                               const wf_point *points)
{
    (void)context;
    (void)points;
    membrane_relaxation *r = (membrane_relaxation *)relaxation;
    r->stiffness = fmax(scale, 1e-12);
    r->h = h;
}

typedef struct sweep {
    membrane_relaxation *relaxation;
    const wf_triangle_kernels *kernels;
    const wf_point *places; /* of `damp` */
    wf_point *points;
    bool first;
} sweep;

static const wf_triangle_kernels *kernels_for(wf_context *context, const membrane_relaxation *r)
{
    return r->weave ? wf_weave_relaxation_kernels_for(context) : &wf_relaxation_kernels_for(context)->corotational;
}

static void sweep_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *call = user;
    const membrane_relaxation *r = call->relaxation;
    call->kernels->relax(r->batches, r->impulses, begin, end, 1 / (r->stiffness * r->h * r->h), call->first,
                         call->points);
}

static void sweep_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                             wf_point *points)
{
    (void)start;
    membrane_relaxation *r = (membrane_relaxation *)relaxation;
    sweep call = {r, kernels_for(context, r), NULL, points, first};
    wf_relaxation_order_run(context, &r->order, sweep_block, &call);
}

static void damp_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *call = user;
    const membrane_relaxation *r = call->relaxation;
    if (call->first) {
        memset(r->drags + begin, 0, (end - begin) * sizeof *r->drags);
    }
    call->kernels->damp(r->batches, r->drags, begin, end, 1 / (r->stiffness * r->h), call->places, call->points);
}

static void damp_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *points,
                            wf_point *velocities)
{
    membrane_relaxation *r = (membrane_relaxation *)relaxation;
    if (r->drags) {
        sweep call = {r, kernels_for(context, r), points, velocities, first};
        wf_relaxation_order_run(context, &r->order, damp_block, &call);
    }
}

static const wf_relaxation_class relaxation_class = {destroy_relaxation, prepare_relaxation, sweep_relaxation,
                                                     damp_relaxation};

/* The inverse of the moduli over the area. A fabric that resists no shear gets a millionth of its stretch. */
static void fill_lane(const wf_membrane *m, int32_t face, wf_membrane_batch *batch, int lane)
{
    const wf_membrane_material *c = wf_membrane_face_material(m, face);
    wf_shape shape = wf_membrane_shape(m, face);
    for (int k = 0; k < 3; k++) {
        batch->vertex[k][lane] = m->faces[face][k];
    }
    batch->gradient1x[lane] = shape.gradient1.x;
    batch->gradient1y[lane] = shape.gradient1.y;
    batch->gradient2x[lane] = shape.gradient2.x;
    batch->gradient2y[lane] = shape.gradient2.y;
    double over = 1 / ((c->c11 * c->c22 - c->c12 * c->c12) * shape.area);
    batch->compliance[0][lane] = c->c22 * over;
    batch->compliance[1][lane] = -c->c12 * over;
    batch->compliance[2][lane] = c->c11 * over;
    batch->compliance[3][lane] = 1 / (fmax(c->c33, 1e-6 * fmin(c->c11, c->c22)) * shape.area);
    batch->viscosity[lane] = c->viscosity;
}

static void fill_batches(const wf_membrane *m, membrane_relaxation *r)
{
    for (size_t b = 0; b < r->order.batch_count; b++) {
        wf_membrane_batch *batch = &r->batches[b];
        for (int lane = 0; lane < WF_RELAXATION_LANES; lane++) {
            int32_t face = r->order.element[b][lane];
            if (face >= 0) {
                fill_lane(m, face, batch, lane);
                continue;
            }
            batch->vertex[0][lane] = batch->vertex[1][lane] = batch->vertex[2][lane] = m->head.vertex_count;
            batch->compliance[0][lane] = batch->compliance[2][lane] = batch->compliance[3][lane] = 1;
        }
    }
}

static bool is_viscous(const wf_membrane *m)
{
    for (int32_t i = 0; i < m->material_count; i++) {
        if (m->materials[i].viscosity > 0) {
            return true;
        }
    }
    return false;
}

static wf_status make_relaxation(wf_context *context, const wf_model *model, wf_relaxation **relaxation)
{
    *relaxation = NULL;
    membrane_relaxation *r = wf_allocate(context, 1, sizeof *r);
    if (!r) {
        return WF_ERROR_MEMORY;
    }
    r->head.class = &relaxation_class;
    r->weave = ((const wf_membrane *)model)->form == WF_MEMBRANE_WEAVE;
    wf_status status = wf_relaxation_order_build(context, model->vertex_count, &model->stencil, &r->order);
    if (status == WF_OK) {
        r->batches = wf_allocate(context, r->order.batch_count, sizeof *r->batches);
        r->impulses = wf_allocate(context, r->order.batch_count, sizeof *r->impulses);
        status = r->batches && r->impulses ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status == WF_OK && is_viscous((const wf_membrane *)model)) {
        r->drags = wf_allocate(context, r->order.batch_count, sizeof *r->drags);
        status = r->drags ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        destroy_relaxation(context, &r->head);
        return status;
    }
    fill_batches((const wf_membrane *)model, r);
    *relaxation = &r->head;
    return WF_OK;
}

/* ---- one vertex ------------------------------------------------------------------------------------------------ */

static void columns_of(const wf_shape *shape, const int32_t vertex[3], const wf_vec3 *values, wf_vec3 columns[2])
{
    wf_vec3 edge1 = wf_vec3_sub(values[vertex[1]], values[vertex[0]]);
    wf_vec3 edge2 = wf_vec3_sub(values[vertex[2]], values[vertex[0]]);
    columns[0] = wf_shape_column(shape->gradient1.x, shape->gradient2.x, edge1, edge2);
    columns[1] = wf_shape_column(shape->gradient1.y, shape->gradient2.y, edge1, edge2);
}

static wf_stress stress_of(const wf_membrane_material *c, double e11, double e12, double e22)
{
    return (wf_stress){c->c11 * e11 + c->c12 * e22, 2 * c->c33 * e12, c->c12 * e11 + c->c22 * e22};
}

/* force += -scale area R (s + w [[0, 1], [-1, 0]]) gradient */
static void add_corner_force(const wf_polar *p, const wf_stress *s, wf_vec2 g, double scale, wf_vec3 *force)
{
    double w = wf_stress_spin(p, s);
    double along1 = s->s11 * g.x + (s->s12 + w) * g.y, along2 = (s->s12 - w) * g.x + s->s22 * g.y;
    *force = wf_vec3_muladds(wf_vec3_muladds(*force, p->r1, -scale * along1), p->r2, -scale * along2);
}

/* matrix += scale x the block of a corner with this shape gradient: along the columns of R by the tangent's form on
 * the rows of its strains, and along the normal. */
static void add_corner_matrix(const wf_polar *p, const wf_tangent *t, wf_vec2 g, double scale, double matrix[6])
{
    double over = 1 / fmax(p->trace, WF_LEAST_TRACE), gx = g.x * over, gy = g.y * over;
    const double rows[4][2] = {{-gy, gx},
                               {g.x - p->u12 * gy, p->u12 * gx},
                               {p->u12 * gy, g.y - p->u12 * gx},
                               {2 * (g.y - p->u22 * gy), 2 * p->u22 * gx}};
    const double form[4][4] = {{t->spin, t->coupling[0], t->coupling[1], t->coupling[2]},
                               {t->coupling[0], t->strain[0][0], t->strain[0][1], t->strain[0][2]},
                               {t->coupling[1], t->strain[1][0], t->strain[1][1], t->strain[1][2]},
                               {t->coupling[2], t->strain[2][0], t->strain[2][1], t->strain[2][2]}};
    double local[3] = {0, 0, 0}; /* 11, 12, 22 */
    for (int i = 0; i < 4; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < 4; j++) {
            a += form[i][j] * rows[j][0];
            b += form[i][j] * rows[j][1];
        }
        local[0] += rows[i][0] * a;
        local[1] += rows[i][0] * b;
        local[2] += rows[i][1] * b;
    }
    double normal = g.x * (t->normal11 * g.x + 2 * t->normal12 * g.y) + t->normal22 * g.y * g.y;
    const double r1[3] = {p->r1.x, p->r1.y, p->r1.z}, r2[3] = {p->r2.x, p->r2.y, p->r2.z};
    const double n[3] = {p->normal.x, p->normal.y, p->normal.z};
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            matrix[k] += scale * (local[0] * r1[i] * r1[j] + local[1] * (r1[i] * r2[j] + r2[i] * r1[j]) +
                                  local[2] * r2[i] * r2[j] + normal * n[i] * n[j]);
        }
    }
}

/* viscosity C (U - U at the start) / h; see model/past.h */
static wf_stress viscous_stress(const wf_membrane_material *c, const wf_polar *p, const wf_shape *shape,
                                const int32_t vertex[3], const wf_local_state *state)
{
    wf_vec3 start[2];
    columns_of(shape, vertex, state->start, start);
    wf_polar was = wf_polar_of(start[0], start[1]);
    double rate = c->viscosity / state->h;
    return stress_of(c, rate * (p->u11 - was.u11), rate * (p->u12 - was.u12), rate * (p->u22 - was.u22));
}

/* One face around a vertex: corner `corner` of it. */
typedef struct vertex_face {
    const wf_membrane_material *material;
    const int32_t *vertex;
    wf_shape shape;
    wf_vec2 gradient; /* of the vertex's shape function */
} vertex_face;

static void add_corotational(const vertex_face *face, double scale, const wf_local_state *state, bool matrix,
                             wf_vertex_terms *terms)
{
    const wf_membrane_material *c = face->material;
    wf_vec3 f[2];
    columns_of(&face->shape, face->vertex, state->x, f);
    wf_polar p = wf_polar_of(f[0], f[1]);
    double e11 = p.u11 - 1, e12 = p.u12, e22 = p.u22 - 1, weight = scale * face->shape.area;
    wf_stress s = stress_of(c, e11, e12, e22);
    terms->energy += 0.5 * weight * (s.s11 * e11 + 2 * s.s12 * e12 + s.s22 * e22);
    add_corner_force(&p, &s, face->gradient, weight, &terms->force);
    double damping = c->viscosity / state->h;
    if (damping > 0) {
        wf_stress viscous = viscous_stress(c, &p, &face->shape, face->vertex, state);
        add_corner_force(&p, &viscous, face->gradient, weight, &terms->drag);
        s = (wf_stress){s.s11 + viscous.s11, s.s12 + viscous.s12, s.s22 + viscous.s22};
    }
    if (matrix) {
        const double moduli[4] = {c->c11, c->c12, c->c22, c->c33};
        wf_tangent tangent;
        wf_membrane_tangent(&p, &s, moduli, true, &tangent);
        tangent.strain[0][0] += damping * c->c11;
        tangent.strain[0][1] += damping * c->c12;
        tangent.strain[1][0] += damping * c->c12;
        tangent.strain[1][1] += damping * c->c22;
        tangent.strain[2][2] += damping * c->c33;
        add_corner_matrix(&p, &tangent, face->gradient, weight, terms->matrix);
    }
}

/* force += -weight times the derivative of the energy by the corner */
static void add_pull(const wf_threads *t, wf_thread_strains stress, wf_vec2 gradient, double weight, wf_vec3 *force)
{
    wf_vec3 by_u, by_v;
    wf_thread_pulls(t, stress, &by_u, &by_v);
    *force = wf_vec3_muladds(wf_vec3_muladds(*force, by_u, -weight * gradient.x), by_v, -weight * gradient.y);
}

static void add_weave(const vertex_face *face, double scale, const wf_local_state *state, bool matrix,
                      wf_vertex_terms *terms)
{
    const wf_membrane_material *c = face->material;
    const double moduli[4] = {c->c11, c->c12, c->c22, c->c33};
    wf_vec3 f[2];
    columns_of(&face->shape, face->vertex, state->x, f);
    wf_threads t = wf_threads_of(f[0], f[1]);
    wf_thread_strains e = wf_thread_strains_of(&t), s = wf_thread_stresses(moduli, e);
    double weight = scale * face->shape.area, damping = c->viscosity / state->h;
    terms->energy += 0.5 * weight * (s.e1 * e.e1 + s.e2 * e.e2 + s.e3 * e.e3);
    add_pull(&t, s, face->gradient, weight, &terms->force);
    if (damping > 0) {
        wf_vec3 start[2];
        columns_of(&face->shape, face->vertex, state->start, start);
        wf_threads was = wf_threads_of(start[0], start[1]);
        wf_thread_strains change = wf_thread_muladds(e, wf_thread_strains_of(&was), -1);
        wf_thread_strains viscous = wf_thread_stresses(moduli, change);
        add_pull(&t, viscous, face->gradient, weight * damping, &terms->drag);
        s = wf_thread_muladds(s, viscous, damping);
    }
    if (matrix) {
        const double gradient[2] = {face->gradient.x, face->gradient.y};
        wf_weave_form form = wf_weave_form_of(&t, s, moduli, weight, weight * damping, true);
        wf_plane_block block = wf_weave_block(&form, gradient, gradient);
        const double u[3] = {t.u.x, t.u.y, t.u.z}, v[3] = {t.v.x, t.v.y, t.v.z};
        for (int i = 0, k = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, k++) {
                terms->matrix[k] += (block.m11 * u[i] + block.m21 * v[i]) * u[j] +
                                    (block.m12 * u[i] + block.m22 * v[i]) * v[j] + (i == j ? block.rest : 0);
            }
        }
    }
}

static void add_vertex(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms)
{
    const wf_membrane *m = (const wf_membrane *)model;
    for (int32_t k = m->incidence.start[i]; k < m->incidence.start[i + 1]; k++) {
        int32_t face = m->incidence.corner[k] / 3, corner = m->incidence.corner[k] % 3;
        wf_shape shape = wf_membrane_shape(m, face);
        vertex_face around = {wf_membrane_face_material(m, face), m->faces[face], shape,
                              corner == 1   ? shape.gradient1
                              : corner == 2 ? shape.gradient2
                                            : wf_vec2_scale(wf_vec2_add(shape.gradient1, shape.gradient2), -1)};
        if (m->form == WF_MEMBRANE_WEAVE) {
            add_weave(&around, scale, state, matrix, terms);
        } else {
            add_corotational(&around, scale, state, matrix, terms);
        }
    }
}

/* ---- the constant matrix --------------------------------------------------------------------------------------- */

static void add_constant_matrix(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars)
{
    const wf_membrane *m = (const wf_membrane *)model;
    for (int32_t face = 0; face < model->stencil.count; face++) {
        const wf_membrane_material *c = wf_membrane_face_material(m, face);
        wf_shape shape = wf_membrane_shape(m, face);
        const wf_vec2 g[3] = {wf_vec2_scale(wf_vec2_add(shape.gradient1, shape.gradient2), -1), shape.gradient1,
                              shape.gradient2};
        double scale = shape.area * (stiffness_scale + damping_scale * c->viscosity), ratio = sqrt(c->c11 / c->c22);
        double w1 = scale * fmax(c->c11 + fabs(c->c12) * ratio, 2 * c->c33);
        double w2 = scale * fmax(c->c22 + fabs(c->c12) / ratio, 2 * c->c33);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                int32_t slot = wf_pattern_find(pattern, m->faces[face][a], m->faces[face][b]);
                scalars[slot] += w1 * g[a].x * g[b].x + w2 * g[a].y * g[b].y;
            }
        }
    }
}

const wf_local_class wf_membrane_local = {make_relaxation, add_vertex, add_constant_matrix};
