#include "model/membrane.h"

#include <string.h>

#include "base/tasks.h"
#include "model/membrane_kernels.h"
#include "model/membrane_local.h"

enum { FACE_BLOCK = 1024, BATCH_BLOCK = FACE_BLOCK / WF_LANES, VERTEX_BLOCK = 1024 };

/* One call's arguments, for the blocks of its parallel loops. */
typedef struct job {
    wf_membrane *model;
    const wf_membrane_kernels *kernels;
    const wf_vec3 *x, *v;
    wf_vec3 *f;
    size_t first; /* element, of energies */
    double stiffness_scale, damping_scale;
    bool exact_matrix;
    wf_matrix_values a;
    double (*strains)[3];
} job;

static wf_membrane_material material_of(const wf_fabric *fabric)
{
    return (wf_membrane_material){fabric->weft, fabric->coupling, fabric->warp, fabric->shear, fabric->viscosity};
}

/* The two columns of sum over corners of (value x shape gradient), from the values' differences to corner 0. */
static void columns_of(const wf_membrane *m, int32_t face, const wf_vec3 *values, wf_vec3 columns[2])
{
    const int32_t *vertex = m->faces[face];
    wf_shape shape = wf_membrane_shape(m, face);
    wf_vec3 edge1 = wf_vec3_sub(values[vertex[1]], values[vertex[0]]);
    wf_vec3 edge2 = wf_vec3_sub(values[vertex[2]], values[vertex[0]]);
    columns[0] = wf_shape_column(shape.gradient1.x, shape.gradient2.x, edge1, edge2);
    columns[1] = wf_shape_column(shape.gradient1.y, shape.gradient2.y, edge1, edge2);
}

static wf_polar polar_at(const wf_membrane *m, int32_t face, const wf_vec3 *x)
{
    wf_vec3 f[2];
    columns_of(m, face, x, f);
    return wf_polar_of(f[0], f[1]);
}

/* C : strain, with the shear strain as the tensor's component */
static wf_stress stress_of(const wf_membrane_material *c, double e11, double e12, double e22)
{
    return (wf_stress){c->c11 * e11 + c->c12 * e22, 2 * c->c33 * e12, c->c12 * e11 + c->c22 * e22};
}

/* ---- energy ---------------------------------------------------------------------------------------------------- */

static void energy_block(void *user, size_t block, size_t begin, size_t end)
{
    job *call = user;
    wf_membrane *m = call->model;
    double sum = 0;
    for (size_t face = call->first + begin; face < call->first + end; face++) {
        wf_polar p = polar_at(m, (int32_t)face, call->x);
        double e11 = p.u11 - 1, e12 = p.u12, e22 = p.u22 - 1;
        wf_stress s = stress_of(&m->materials[m->face_material[face]], e11, e12, e22);
        sum += 0.5 * wf_membrane_shape(m, (int32_t)face).area * (s.s11 * e11 + 2 * s.s12 * e12 + s.s22 * e22);
    }
    m->partial_sums[block] = sum;
}

static double membrane_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first,
                              int32_t count)
{
    wf_membrane *m = (wf_membrane *)model;
    job call = {.model = m, .x = x, .first = (size_t)first};
    wf_parallel_for(context, (size_t)count, FACE_BLOCK, energy_block, &call);
    double sum = 0;
    for (size_t block = 0; block < wf_block_count((size_t)count, FACE_BLOCK); block++) {
        sum += m->partial_sums[block];
    }
    return sum;
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

static void face_forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    call->kernels->forces(call->model, call->x, call->v, call->model->forces, begin, end);
}

static void gather_forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const wf_membrane *m = call->model;
    for (size_t vertex = begin; vertex < end; vertex++) {
        wf_vec3 sum = {0, 0, 0};
        for (int32_t k = m->incidence.start[vertex]; k < m->incidence.start[vertex + 1]; k++) {
            int32_t face = m->incidence.corner[k] / 3, corner = m->incidence.corner[k] % 3;
            const wf_corner_forces *forces = &m->forces[face];
            if (corner == 0) {
                sum = wf_vec3_sub(wf_vec3_sub(sum, forces->corner1), forces->corner2);
            } else {
                sum = wf_vec3_add(sum, corner == 1 ? forces->corner1 : forces->corner2);
            }
        }
        call->f[vertex] = wf_vec3_add(call->f[vertex], sum);
    }
}

static void membrane_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    job call = {.model = (wf_membrane *)model, .kernels = wf_membrane_kernels_for(context), .x = x, .v = v, .f = f};
    wf_parallel_for(context, wf_lane_batches(call.model->face_count), BATCH_BLOCK, face_forces_block, &call);
    wf_parallel_for(context, (size_t)model->vertex_count, VERTEX_BLOCK, gather_forces_block, &call);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static void face_blocks_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    wf_membrane *m = call->model;
    for (size_t face = begin; face < end; face++) {
        const wf_membrane_material *c = &m->materials[m->face_material[face]];
        wf_shape shape = wf_membrane_shape(m, (int32_t)face);
        wf_polar p = polar_at(m, (int32_t)face, call->x);
        double damping = call->damping_scale * c->viscosity;
        if (m->form == WF_MEMBRANE_THESIS) {
            /* Frozen rotation: stiffness and viscosity act on sym(R^T dF) alike. */
            double scale = call->stiffness_scale + damping;
            wf_tangent tangent = {.strain = {{scale * c->c11, scale * c->c12, 0}, {scale * c->c12, scale * c->c22, 0},
                                             {0, 0, scale * c->c33}}};
            wf_membrane_blocks(&shape, &p, true, &tangent, &m->blocks[face]);
            continue;
        }
        const double moduli[4] = {c->c11, c->c12, c->c22, c->c33};
        wf_stress s = stress_of(c, p.u11 - 1, p.u12, p.u22 - 1);
        wf_tangent tangent;
        wf_membrane_tangent(&p, &s, moduli, !call->exact_matrix, &tangent);
        wf_tangent_scale(&tangent, call->stiffness_scale);
        tangent.strain[0][0] += damping * c->c11;
        tangent.strain[0][1] += damping * c->c12;
        tangent.strain[1][0] += damping * c->c12;
        tangent.strain[1][1] += damping * c->c22;
        tangent.strain[2][2] += damping * c->c33;
        wf_membrane_blocks(&shape, &p, false, &tangent, &m->blocks[face]);
    }
}

static void gather_rows_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const wf_membrane *m = call->model;
    for (size_t vertex = begin; vertex < end; vertex++) {
        for (int32_t k = m->incidence.start[vertex]; k < m->incidence.start[vertex + 1]; k++) {
            int32_t face = m->incidence.corner[k] / 3, corner = m->incidence.corner[k] % 3;
            wf_corner_blocks_add_row(&m->blocks[face], corner, m->slots[face] + 3 * corner, call->a.blocks);
        }
    }
}

static void add_any_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                           double damping_scale, wf_matrix_values a, bool exact)
{
    job call = {.model = (wf_membrane *)model, .x = x, .stiffness_scale = stiffness_scale,
                .damping_scale = damping_scale, .a = a, .exact_matrix = exact};
    wf_parallel_for(context, (size_t)model->stencil.count, FACE_BLOCK, face_blocks_block, &call);
    wf_parallel_for(context, (size_t)model->vertex_count, VERTEX_BLOCK, gather_rows_block, &call);
}

static void membrane_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                double damping_scale, wf_matrix_values a)
{
    add_any_matrix(context, model, x, stiffness_scale, damping_scale, a, false);
}

static void membrane_add_exact_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                      double damping_scale, wf_matrix_values a)
{
    add_any_matrix(context, model, x, stiffness_scale, damping_scale, a, true);
}

static wf_status membrane_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                               const wf_pattern *scalars)
{
    (void)scalars;
    wf_membrane *m = (wf_membrane *)model;
    return wf_pattern_find_all(context, blocks, &model->stencil, (int32_t *)m->slots);
}

/* ---- making one ------------------------------------------------------------------------------------------------ */

static void membrane_destroy(wf_context *context, wf_model *model)
{
    wf_membrane *m = (wf_membrane *)model;
    wf_incidence_free(context, &m->incidence);
    wf_free(context, m->faces);
    wf_free(context, m->shapes);
    wf_free(context, m->face_material);
    wf_free(context, m->materials);
    wf_free(context, m->slots);
    wf_free(context, m->forces);
    wf_free(context, m->blocks);
    wf_free(context, m->partial_sums);
    wf_free(context, m);
}

static const wf_model_class membrane_class = {
    .name = "membrane",
    .destroy = membrane_destroy,
    .energy = membrane_energy,
    .add_forces = membrane_add_forces,
    .add_matrix = membrane_add_matrix,
    .add_exact_matrix = membrane_add_exact_matrix,
    .bind = membrane_bind,
    .local = &wf_membrane_local,
};

/* Its forces are no gradient. */
static const wf_model_class thesis_class = {
    .name = "membrane",
    .destroy = membrane_destroy,
    .energy = membrane_energy,
    .add_forces = membrane_add_forces,
    .add_matrix = membrane_add_matrix,
    .add_exact_matrix = membrane_add_exact_matrix,
    .bind = membrane_bind,
};

static wf_status check_membrane(wf_context *context, const wf_membrane_def *def)
{
    for (int32_t i = 0; i < def->fabric_count; i++) {
        wf_status status = wf_fabric_check(context, &def->fabrics[i]);
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t face = 0; face < def->face_count; face++) {
        int32_t fabric = def->face_fabric ? def->face_fabric[face] : 0;
        if (fabric < 0 || fabric >= def->fabric_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "face %d names fabric %d of %d", face + 1, fabric + 1,
                           def->fabric_count);
        }
    }
    for (int32_t face = 0; face < def->face_count; face++) {
        wf_status status = wf_check_face(context, def->vertex_count, face, def->faces[face], def->rest[face]);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static bool allocate_membrane(wf_context *context, wf_membrane *m, size_t face_count, size_t fabric_count)
{
    size_t batches = wf_lane_batches(m->face_count);
    m->faces = wf_allocate(context, face_count, sizeof *m->faces);
    m->shapes = wf_allocate(context, batches, sizeof *m->shapes);
    m->face_material = wf_allocate(context, face_count, sizeof *m->face_material);
    m->materials = wf_allocate(context, fabric_count, sizeof *m->materials);
    m->slots = wf_allocate(context, face_count, sizeof *m->slots);
    m->forces = wf_allocate(context, batches * WF_LANES, sizeof *m->forces);
    m->blocks = wf_allocate(context, face_count, sizeof *m->blocks);
    m->partial_sums = wf_allocate(context, wf_block_count(face_count, FACE_BLOCK), sizeof *m->partial_sums);
    return m->faces && m->shapes && m->face_material && m->materials && m->slots && m->forces && m->blocks &&
           m->partial_sums;
}

static void set_shape(wf_membrane *m, int32_t face, wf_shape shape)
{
    wf_shape_batch *batch = &m->shapes[face / WF_LANES];
    int lane = face % WF_LANES;
    batch->gradient1x[lane] = shape.gradient1.x;
    batch->gradient1y[lane] = shape.gradient1.y;
    batch->gradient2x[lane] = shape.gradient2.x;
    batch->gradient2y[lane] = shape.gradient2.y;
    batch->area[lane] = shape.area;
}

wf_status wf_membrane_create(wf_context *context, const wf_membrane_def *def, wf_model **model)
{
    *model = NULL;
    wf_status status = check_membrane(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_membrane *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head.class = def->form == WF_MEMBRANE_EXACT ? &membrane_class : &thesis_class;
    m->head.vertex_count = def->vertex_count;
    m->form = def->form;
    m->face_count = def->face_count;
    m->material_count = def->fabric_count;
    size_t face_count = (size_t)def->face_count;
    if (!allocate_membrane(context, m, face_count, (size_t)def->fabric_count)) {
        membrane_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    if (face_count > 0) {
        memcpy(m->faces, def->faces, face_count * sizeof *m->faces);
    }
    m->head.stencil = (wf_stencil){def->face_count, 3, &m->faces[0][0]};
    for (size_t face = 0; face < face_count; face++) {
        set_shape(m, (int32_t)face, wf_shape_of(def->rest[face]));
        m->face_material[face] = def->face_fabric ? def->face_fabric[face] : 0;
    }
    for (int32_t lane = def->face_count; lane % WF_LANES != 0; lane++) {
        wf_shape last = wf_membrane_shape(m, def->face_count - 1);
        last.area = 0;
        set_shape(m, lane, last);
    }
    for (int32_t i = 0; i < def->fabric_count; i++) {
        m->materials[i] = material_of(&def->fabrics[i]);
    }
    status = wf_incidence_build(context, def->vertex_count, &m->head.stencil, &m->incidence);
    if (status != WF_OK) {
        membrane_destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void strains_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    for (size_t face = begin; face < end; face++) {
        wf_vec3 f[2];
        columns_of(call->model, (int32_t)face, call->x, f);
        wf_polar p = wf_polar_of(f[0], f[1]);
        double lengths = wf_vec3_norm(f[0]) * wf_vec3_norm(f[1]);
        double cosine = lengths > 0 ? wf_vec3_dot(f[0], f[1]) / lengths : 0;
        call->strains[face][0] = p.u11 - 1;
        call->strains[face][1] = p.u22 - 1;
        call->strains[face][2] = asin(fmin(1, fmax(-1, cosine)));
    }
}

void wf_membrane_strains(wf_context *context, const wf_model *model, const wf_vec3 *x, double (*strains)[3])
{
    job call = {.model = (wf_membrane *)model, .x = x, .strains = strains};
    wf_parallel_for(context, (size_t)model->stencil.count, FACE_BLOCK, strains_block, &call);
}

void wf_membrane_frame(const wf_model *model, int32_t face, const wf_vec3 *x, wf_vec3 rotation[2], double stretch[3])
{
    wf_polar p = polar_at((const wf_membrane *)model, face, x);
    rotation[0] = p.r1;
    rotation[1] = p.r2;
    stretch[0] = p.u11;
    stretch[1] = p.u12;
    stretch[2] = p.u22;
}
