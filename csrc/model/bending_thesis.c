/* bending_thesis.c - kept for comparison with the source, so written plainly and run on one thread.
 *
 * With vertex normals n_i (area-weighted), P_i = n_i n_i^T and frame R of the face, the printed element is
 *     Q_ab = 1/3 sum_i P_i R K_ab R^T P_i,   K_ab = area diag(B1 d1Na d1Nb, B2 d2Na d2Nb).
 * P_i R = n_i q_i^T with q_i = R^T n_i, so Q_ab = area/3 (B1 d1Na d1Nb M1 + B2 d2Na d2Nb M2) with
 * M_k = sum_i q_ik^2 n_i n_i^T: the fourth power of the normals' tilt, hence no stiffness when flat.
 */
#include "model/bending_thesis.h"

#include <string.h>

#include "model/element.h"

typedef struct bending_thesis {
    wf_model head;
    int32_t (*faces)[3];
    wf_shape *shapes;
    int32_t *face_fabric;
    wf_fabric *fabrics;
    int32_t fabric_count;
    wf_vec3 *normals;     /* [vertex_count] scratch */
    int32_t (*places)[9];
} bending_thesis;

static void find_normals(bending_thesis *m, const wf_vec3 *x)
{
    memset(m->normals, 0, (size_t)m->head.vertex_count * sizeof *m->normals);
    for (int32_t face = 0; face < m->head.stencil.count; face++) {
        const int32_t *vertex = m->faces[face];
        wf_vec3 normal = wf_vec3_cross(wf_vec3_sub(x[vertex[1]], x[vertex[0]]),
                                       wf_vec3_sub(x[vertex[2]], x[vertex[0]]));
        for (int k = 0; k < 3; k++) {
            m->normals[vertex[k]] = wf_vec3_add(m->normals[vertex[k]], normal);
        }
    }
    for (int32_t i = 0; i < m->head.vertex_count; i++) {
        m->normals[i] = wf_vec3_normalize(m->normals[i]);
    }
}

/* area/3 B1 M1 and area/3 B2 M2 of a face. */
static void operators_of(const bending_thesis *m, int32_t face, const wf_vec3 *x, wf_mat3 operators[2])
{
    const int32_t *vertex = m->faces[face];
    const wf_shape *shape = &m->shapes[face];
    const wf_fabric *fabric = &m->fabrics[m->face_fabric[face]];
    wf_vec3 edge1 = wf_vec3_sub(x[vertex[1]], x[vertex[0]]), edge2 = wf_vec3_sub(x[vertex[2]], x[vertex[0]]);
    wf_polar p = wf_polar_of(wf_shape_column(shape->gradient1.x, shape->gradient2.x, edge1, edge2),
                             wf_shape_column(shape->gradient1.y, shape->gradient2.y, edge1, edge2));
    const wf_vec3 frame[2] = {p.r1, p.r2};
    const double moduli[2] = {fabric->bend_weft, fabric->bend_warp};
    for (int d = 0; d < 2; d++) {
        operators[d] = (wf_mat3){{{0}}};
        for (int i = 0; i < 3; i++) {
            wf_vec3 n = m->normals[vertex[i]];
            double tilt = wf_vec3_dot(n, frame[d]), scale = shape->area / 3 * moduli[d] * tilt * tilt;
            wf_mat3 term = wf_mat3_identity_plus_outer(0, scale, n, n);
            for (int k = 0; k < 9; k++) {
                (&operators[d].m[0][0])[k] += (&term.m[0][0])[k];
            }
        }
    }
}

/* The gradients of the three shape functions along direction d (0 weft, 1 warp). */
static void gradients_of(const wf_shape *shape, int d, double gradients[3])
{
    gradients[1] = d == 0 ? shape->gradient1.x : shape->gradient1.y;
    gradients[2] = d == 0 ? shape->gradient2.x : shape->gradient2.y;
    gradients[0] = -gradients[1] - gradients[2];
}

/* sum over corners of gradient x value, free of the values' common offset */
static wf_vec3 column_of(const bending_thesis *m, int32_t face, const double gradients[3], const wf_vec3 *values)
{
    const int32_t *vertex = m->faces[face];
    wf_vec3 edge1 = wf_vec3_sub(values[vertex[1]], values[vertex[0]]);
    wf_vec3 edge2 = wf_vec3_sub(values[vertex[2]], values[vertex[0]]);
    return wf_shape_column(gradients[1], gradients[2], edge1, edge2);
}

static double thesis_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first,
                            int32_t count)
{
    (void)context;
    bending_thesis *m = (bending_thesis *)model;
    find_normals(m, x);
    double sum = 0;
    for (int32_t face = first; face < first + count; face++) {
        wf_mat3 operators[2];
        operators_of(m, face, x, operators);
        for (int d = 0; d < 2; d++) {
            double gradients[3];
            gradients_of(&m->shapes[face], d, gradients);
            wf_vec3 column = column_of(m, face, gradients, x);
            sum += 0.5 * wf_vec3_dot(column, wf_mat3_mulv(operators[d], column));
        }
    }
    return sum;
}

static void thesis_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    (void)context;
    bending_thesis *m = (bending_thesis *)model;
    find_normals(m, x);
    for (int32_t face = 0; face < model->stencil.count; face++) {
        double viscosity = m->fabrics[m->face_fabric[face]].bend_viscosity;
        wf_mat3 operators[2];
        operators_of(m, face, x, operators);
        for (int d = 0; d < 2; d++) {
            double gradients[3];
            gradients_of(&m->shapes[face], d, gradients);
            wf_vec3 column = column_of(m, face, gradients, x);
            if (v) {
                column = wf_vec3_muladds(column, column_of(m, face, gradients, v), viscosity);
            }
            wf_vec3 flux = wf_mat3_mulv(operators[d], column);
            for (int a = 0; a < 3; a++) {
                wf_vec3 *force = &f[m->faces[face][a]];
                *force = wf_vec3_muladds(*force, flux, -gradients[a]);
            }
        }
    }
}

static void thesis_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                              double damping_scale, wf_matrix_values values)
{
    (void)context;
    bending_thesis *m = (bending_thesis *)model;
    find_normals(m, x);
    for (int32_t face = 0; face < model->stencil.count; face++) {
        double scale = stiffness_scale + damping_scale * m->fabrics[m->face_fabric[face]].bend_viscosity;
        wf_mat3 operators[2];
        operators_of(m, face, x, operators);
        for (int d = 0; d < 2; d++) {
            double gradients[3];
            gradients_of(&m->shapes[face], d, gradients);
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    int32_t place = m->places[face][3 * a + b];
                    if (place >= 0) {
                        wf_mat3 *block = &values.blocks[place];
                        *block = wf_mat3_muladds(*block, operators[d], scale * gradients[a] * gradients[b]);
                    }
                }
            }
        }
    }
}

static wf_status thesis_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                             const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_pattern_place_all(context, blocks, &model->stencil, (int32_t *)((bending_thesis *)model)->places);
}

static void thesis_destroy(wf_context *context, wf_model *model)
{
    bending_thesis *m = (bending_thesis *)model;
    wf_free(context, m->faces);
    wf_free(context, m->shapes);
    wf_free(context, m->face_fabric);
    wf_free(context, m->fabrics);
    wf_free(context, m->normals);
    wf_free(context, m->places);
    wf_free(context, m);
}

static const wf_model_class thesis_class = {
    .name = "thesis bending",
    .destroy = thesis_destroy,
    .energy = thesis_energy,
    .add_forces = thesis_add_forces,
    .add_matrix = thesis_add_matrix,
    .add_exact_matrix = thesis_add_matrix, /* of the frozen operator; its true derivative was never part of the model */
    .bind = thesis_bind,
};

wf_status wf_bending_thesis_create(wf_context *context, const wf_bending_def *def, wf_model **model)
{
    *model = NULL;
    bending_thesis *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head = (wf_model){.class = &thesis_class, .vertex_count = def->vertex_count};
    m->fabric_count = def->fabric_count;
    size_t face_count = (size_t)def->face_count;
    m->faces = wf_allocate(context, face_count, sizeof *m->faces);
    m->shapes = wf_allocate(context, face_count, sizeof *m->shapes);
    m->face_fabric = wf_allocate(context, face_count, sizeof *m->face_fabric);
    m->fabrics = wf_allocate(context, (size_t)def->fabric_count, sizeof *m->fabrics);
    m->normals = wf_allocate(context, (size_t)def->vertex_count, sizeof *m->normals);
    m->places = wf_allocate(context, face_count, sizeof *m->places);
    if (!m->faces || !m->shapes || !m->face_fabric || !m->fabrics || !m->normals || !m->places) {
        thesis_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    if (face_count > 0) {
        memcpy(m->faces, def->faces, face_count * sizeof *m->faces);
    }
    for (int32_t i = 0; i < def->fabric_count; i++) {
        m->fabrics[i] = def->fabrics[i];
    }
    for (size_t face = 0; face < face_count; face++) {
        m->shapes[face] = wf_shape_of(def->rest[face]);
        m->face_fabric[face] = def->face_fabric ? def->face_fabric[face] : 0;
    }
    m->head.stencil = (wf_stencil){def->face_count, 3, &m->faces[0][0]};
    *model = &m->head;
    return WF_OK;
}

