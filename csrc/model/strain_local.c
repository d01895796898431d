/* strain_local.c - see strain_local.h. */
#include "model/strain_local.h"

#include <string.h>

#include "base/dense.h"
#include "base/symmetric.h"
#include "base/tasks.h"
#include "model/strain_private.h"

enum { ELEMENT_BLOCK = 64 };

/* ---- relaxation ------------------------------------------------------------------------------------------------ */

typedef struct strain_relaxation {
    wf_relaxation head;
    const wf_strain_model *model;
    wf_vec3 *impulses; /* [count * nodes] h^2 x force on each node, N s2 */
    double scale, h;
} strain_relaxation;

typedef struct sweep {
    const strain_relaxation *relaxation;
    const int32_t *members;
    const wf_point *start;
    wf_point *points;
    bool first;
} sweep;

static void destroy_relaxation(wf_context *context, wf_relaxation *relaxation)
{
    wf_free(context, ((strain_relaxation *)relaxation)->impulses);
    wf_free(context, relaxation);
}

static void prepare_relaxation(wf_context *context, wf_relaxation *relaxation, double scale, double h,
                               const wf_point *points)
{
    (void)context;
    (void)points;
    strain_relaxation *r = (strain_relaxation *)relaxation;
    r->scale = scale;
    r->h = h;
}

static wf_vec3 place_of(const wf_point *point)
{
    return (wf_vec3){point->x, point->y, point->z};
}

/* The viscous moduli of an element and the strains that it had at the start, where they are taken. */
static void read_start(const wf_strain_model *m, const wf_strain_element *element, const wf_vec3 *start, double *past,
                       double *moduli)
{
    m->measure->strains(element->rest, start, past, NULL);
    wf_strain_element_viscous_moduli(m, element, past, moduli);
}

/* The element where its points are, with A = scale w h (h C + E), the change of its impulse with its strains, and its
 * pull = scale w h (h stress + E (strain - strain at the start)). */
static void read_element(const sweep *call, int32_t e, wf_strain_element *element, double *a, double *pull)
{
    const strain_relaxation *r = call->relaxation;
    const wf_strain_model *m = r->model;
    int32_t nodes = m->measure->node_count, strains = m->measure->strain_count;
    double moduli[WF_MAX_STRAINS * WF_MAX_STRAINS] = {0}, past[WF_MAX_STRAINS];
    wf_vec3 start[WF_MAX_NODES];
    wf_strain_element_read(m, e, element);
    for (int32_t i = 0; i < nodes; i++) {
        element->x[i] = place_of(&call->points[element->vertex[i]]);
        start[i] = place_of(&call->start[element->vertex[i]]);
    }
    wf_strain_element_evaluate(m, true, element);
    if (m->viscous) {
        read_start(m, element, start, past, moduli);
        wf_strain_element_add_viscous_stress(m, element, moduli, past, 1 / r->h, element->stress);
    }
    wf_symmetric_clamp(strains, element->tangent);
    double scale = r->scale * element->weight * r->h;
    for (int32_t s = 0; s < strains; s++) {
        pull[s] = scale * r->h * element->stress[s];
        for (int32_t t = 0; t < strains; t++) {
            a[s * strains + t] = scale * (r->h * element->tangent[s * strains + t] + moduli[s * strains + t]);
        }
    }
}

/* The numbers L whose impulses G^T L balance the element to first order, in place of the old ones P:
 *   L = -(pull + A G W (G^T L - P)),  so  (I + A G W G^T) L = A G W P - pull,  W the inverse masses. */
static bool balance(const sweep *call, const wf_strain_element *element, const double *a, const double *pull,
                    const wf_vec3 *old, double *l)
{
    const wf_strain_measure *measure = call->relaxation->model->measure;
    int32_t nodes = measure->node_count, strains = measure->strain_count;
    double gram[WF_MAX_STRAINS * WF_MAX_STRAINS] = {0}, back[WF_MAX_STRAINS] = {0}, right[WF_MAX_STRAINS];
    for (int32_t i = 0; i < nodes; i++) {
        double mobility = call->points[element->vertex[i]].inverse_mass;
        for (int32_t s = 0; s < strains; s++) {
            wf_vec3 g = wf_vec3_scale(element->gradient[s * nodes + i], mobility);
            back[s] += wf_vec3_dot(g, old[i]);
            for (int32_t t = 0; t < strains; t++) {
                gram[s * strains + t] += wf_vec3_dot(g, element->gradient[t * nodes + i]);
            }
        }
    }
    double system[WF_MAX_STRAINS * WF_MAX_STRAINS];
    size_t rows[WF_MAX_STRAINS];
    for (int32_t s = 0; s < strains; s++) {
        right[s] = -pull[s];
        for (int32_t t = 0; t < strains; t++) {
            double sum = s == t ? 1 : 0;
            for (int32_t k = 0; k < strains; k++) {
                sum += a[s * strains + k] * gram[k * strains + t];
            }
            system[s * strains + t] = sum;
            right[s] += a[s * strains + t] * back[t];
        }
    }
    if (!wf_dense_factor((size_t)strains, system, rows)) {
        return false;
    }
    wf_dense_solve((size_t)strains, system, rows, right, l);
    return true;
}

static void sweep_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sweep *call = user;
    const strain_relaxation *r = call->relaxation;
    int32_t nodes = r->model->measure->node_count, strains = r->model->measure->strain_count;
    for (size_t k = begin; k < end; k++) {
        wf_vec3 *impulse = r->impulses + (size_t)call->members[k] * (size_t)nodes;
        wf_strain_element element;
        double a[WF_MAX_STRAINS * WF_MAX_STRAINS], pull[WF_MAX_STRAINS], l[WF_MAX_STRAINS];
        if (call->first) {
            memset(impulse, 0, (size_t)nodes * sizeof *impulse);
        }
        read_element(call, call->members[k], &element, a, pull);
        if (!balance(call, &element, a, pull, impulse, l)) {
            continue;
        }
        for (int32_t i = 0; i < nodes; i++) {
            wf_vec3 new = {0, 0, 0};
            for (int32_t s = 0; s < strains; s++) {
                new = wf_vec3_muladds(new, element.gradient[s * nodes + i], l[s]);
            }
            wf_point *point = &call->points[element.vertex[i]];
            wf_vec3 change = wf_vec3_sub(new, impulse[i]);
            point->x += point->inverse_mass * change.x;
            point->y += point->inverse_mass * change.y;
            point->z += point->inverse_mass * change.z;
            impulse[i] = new;
        }
    }
}

static void sweep_relaxation(wf_context *context, wf_relaxation *relaxation, bool first, const wf_point *start,
                             wf_point *points)
{
    const strain_relaxation *r = (const strain_relaxation *)relaxation;
    const wf_colouring *colours = &r->model->colours;
    sweep call = {.relaxation = r, .start = start, .points = points, .first = first};
    for (int32_t c = 0; c < colours->colour_count; c++) {
        call.members = colours->member + colours->start[c];
        wf_parallel_for(context, (size_t)(colours->start[c + 1] - colours->start[c]), ELEMENT_BLOCK, sweep_block,
                        &call);
    }
    call.members = colours->member + colours->start[colours->colour_count];
    sweep_block(&call, 0, 0, (size_t)colours->serial_count);
}

static const wf_relaxation_class relaxation_class = {destroy_relaxation, prepare_relaxation, sweep_relaxation,
                                                     NULL};

static wf_status make_relaxation(wf_context *context, const wf_model *model, wf_relaxation **relaxation)
{
    *relaxation = NULL;
    strain_relaxation *r = wf_allocate(context, 1, sizeof *r);
    if (!r) {
        return WF_ERROR_MEMORY;
    }
    r->head.class = &relaxation_class;
    r->model = (const wf_strain_model *)model;
    r->impulses = wf_allocate(context, (size_t)model->stencil.count * (size_t)model->stencil.arity,
                              sizeof *r->impulses);
    if (!r->impulses) {
        destroy_relaxation(context, &r->head);
        return WF_ERROR_MEMORY;
    }
    *relaxation = &r->head;
    return WF_OK;
}

/* ---- one vertex ------------------------------------------------------------------------------------------------ */

/* sum over s, t of moduli_st g_s g_t^T + the corner's block of the curvature, semidefinite */
static void add_corner_matrix(const wf_strain_model *m, const wf_strain_element *element, int32_t corner,
                              const double *moduli, double scale, double matrix[6])
{
    int32_t nodes = m->measure->node_count, strains = m->measure->strain_count;
    double block[9] = {0};
    if (m->measure->add_curvature) {
        wf_mat3 hessian[WF_MAX_NODES * WF_MAX_NODES];
        memset(hessian, 0, (size_t)(nodes * nodes) * sizeof *hessian);
        m->measure->add_curvature(element->rest, element->x, element->stress, hessian);
        memcpy(block, hessian[corner * nodes + corner].m, sizeof block);
    }
    for (int32_t s = 0; s < strains; s++) {
        for (int32_t t = 0; t < strains; t++) {
            const double *a = &element->gradient[s * nodes + corner].x, *b = &element->gradient[t * nodes + corner].x;
            for (int k = 0; k < 9; k++) {
                block[k] += moduli[s * strains + t] * a[k / 3] * b[k % 3];
            }
        }
    }
    wf_symmetric_clamp(3, block);
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            matrix[k] += scale * block[3 * i + j];
        }
    }
}

static void add_element(const wf_strain_model *m, int32_t e, int32_t corner, double scale, const wf_local_state *state,
                        bool matrix, wf_vertex_terms *terms)
{
    int32_t nodes = m->measure->node_count, strains = m->measure->strain_count;
    wf_strain_element element;
    double moduli[WF_MAX_STRAINS * WF_MAX_STRAINS] = {0}, drag[WF_MAX_STRAINS] = {0}, past[WF_MAX_STRAINS];
    wf_strain_element_at(m, e, state->x, matrix, &element);
    double weight = scale * element.weight;
    if (m->viscous) {
        wf_vec3 start[WF_MAX_NODES];
        for (int32_t i = 0; i < nodes; i++) {
            start[i] = state->start[element.vertex[i]];
        }
        read_start(m, &element, start, past, moduli);
        wf_strain_element_add_viscous_stress(m, &element, moduli, past, 1 / state->h, drag);
    }
    terms->energy += weight * element.energy;
    for (int32_t s = 0; s < strains; s++) {
        wf_vec3 gradient = element.gradient[s * nodes + corner];
        terms->force = wf_vec3_muladds(terms->force, gradient, -weight * element.stress[s]);
        terms->drag = wf_vec3_muladds(terms->drag, gradient, -weight * drag[s]);
        element.stress[s] += drag[s];
    }
    if (matrix) {
        for (int32_t k = 0; k < strains * strains; k++) {
            moduli[k] = element.tangent[k] + moduli[k] / state->h;
        }
        add_corner_matrix(m, &element, corner, moduli, weight, terms->matrix);
    }
}

static void add_vertex(const wf_model *model, int32_t i, double scale, const wf_local_state *state, bool matrix,
                       wf_vertex_terms *terms)
{
    const wf_strain_model *m = (const wf_strain_model *)model;
    int32_t nodes = m->measure->node_count;
    for (int32_t k = m->incidence.start[i]; k < m->incidence.start[i + 1]; k++) {
        int32_t corner = m->incidence.corner[k];
        add_element(m, corner / nodes, corner % nodes, scale, state, matrix, terms);
    }
}

/* ---- the constant matrix --------------------------------------------------------------------------------------- */

/* The rank of the gradients g [nodes] as vectors, which is that of the 3 x 3 matrix sum g g^T. */
static int rank_of(int32_t nodes, const wf_vec3 *g)
{
    double m[3][3] = {{0}};
    for (int32_t i = 0; i < nodes; i++) {
        const double *a = &g[i].x;
        for (int k = 0; k < 9; k++) {
            m[k / 3][k % 3] += a[k / 3] * a[k % 3];
        }
    }
    double trace = m[0][0] + m[1][1] + m[2][2], minors = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        minors += m[i][i] * m[j][j] - m[i][j] * m[i][j];
    }
    double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return minors <= 1e-12 * trace * trace ? 1 : determinant <= 1e-12 * trace * trace * trace ? 2 : 3;
}

/* D_s = sum over t of |C_st| sqrt(C_ss / C_tt) bounds C by a diagonal: each |C_st| a b is shared so that the stiffer
 * strain bears more of it. */
static double diagonal_bound(int32_t strains, const double *moduli, int32_t s)
{
    double sum = 0;
    for (int32_t t = 0; t < strains; t++) {
        double own = moduli[s * strains + s], other = moduli[t * strains + t];
        sum += s == t ? own : own > 0 && other > 0 ? fabs(moduli[s * strains + t]) * sqrt(own / other) : 0;
    }
    return sum;
}

static void add_constant_matrix(const wf_model *model, double stiffness_scale, double damping_scale,
                                const wf_pattern *pattern, double *scalars)
{
    const wf_strain_model *m = (const wf_strain_model *)model;
    int32_t nodes = m->measure->node_count, strains = m->measure->strain_count;
    for (int32_t e = 0; e < model->stencil.count; e++) {
        wf_strain_element element;
        double viscous[WF_MAX_STRAINS * WF_MAX_STRAINS];
        wf_strain_element_read(m, e, &element);
        memcpy(element.x, m->reference + (size_t)e * (size_t)nodes, (size_t)nodes * sizeof *element.x);
        wf_strain_element_evaluate(m, true, &element);
        wf_strain_element_viscous_moduli(m, &element, element.strain, viscous);
        wf_symmetric_clamp(strains, element.tangent);
        for (int32_t s = 0; s < strains; s++) {
            const wf_vec3 *g = element.gradient + s * nodes;
            double factor = element.weight * rank_of(nodes, g) *
                            (stiffness_scale * diagonal_bound(strains, element.tangent, s) +
                             damping_scale * diagonal_bound(strains, viscous, s));
            for (int32_t a = 0; factor != 0 && a < nodes; a++) {
                for (int32_t b = 0; b < nodes; b++) {
                    int32_t slot = wf_pattern_find(pattern, element.vertex[a], element.vertex[b]);
                    scalars[slot] += factor * wf_vec3_dot(g[a], g[b]);
                }
            }
        }
    }
}

const wf_local_class wf_strain_local = {make_relaxation, add_vertex, add_constant_matrix};
