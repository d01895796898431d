/* bending.c - the quadratic plate; the thesis' element is in bending_thesis.c. */
#include "model/bending.h"

#include <string.h>

#include "base/tasks.h"
#include "model/bending_local.h"
#include "model/bending_thesis.h"
#include "model/patch.h"

enum { FACE_BLOCK = 2048, ROW_BLOCK = 1024 };

typedef struct bending {
    wf_model head;
    int32_t (*patch_vertices)[WF_PATCH_VERTICES];
    wf_patch *patches;
    double (*plates)[3][3]; /* [face_count] stiffness between a patch's hinges, N/m */
    int32_t *face_fabric;
    wf_fabric *fabrics;
    int32_t fabric_count;
    wf_pattern pattern;   /* of the constant matrices, which are multiples of the identity per entry */
    double *stiffness;    /* [slots], N/m */
    double *damping;      /* [slots], N s/m */
    int32_t *target;      /* [slots] slot among a bound matrix's scalars */
    double *partial_sums;
} bending;

typedef struct job {
    bending *model;
    const wf_vec3 *x, *v;
    wf_vec3 *f;
    size_t first; /* element, of energies */
    double stiffness_scale, damping_scale;
    double *scalars;
} job;

/* ---- energy, forces, matrix ------------------------------------------------------------------------------------ */

static void energy_block(void *user, size_t block, size_t begin, size_t end)
{
    job *call = user;
    const bending *m = call->model;
    double sum = 0;
    for (size_t face = call->first + begin; face < call->first + end; face++) {
        const wf_patch *patch = &m->patches[face];
        wf_vec3 measure[3];
        for (int h = 0; h < 3; h++) {
            measure[h] = (wf_vec3){0, 0, 0};
            for (int a = 1; a < WF_PATCH_VERTICES; a++) {
                /* the weights sum to zero: differences keep the accuracy far from the origin */
                wf_vec3 d = wf_vec3_sub(call->x[patch->vertices[a]], call->x[patch->vertices[0]]);
                measure[h] = wf_vec3_muladds(measure[h], d, patch->weight[h][a]);
            }
        }
        for (int h = 0; h < 3; h++) {
            for (int i = 0; i < 3; i++) {
                sum += 0.5 * m->plates[face][h][i] * wf_vec3_dot(measure[h], measure[i]);
            }
        }
    }
    m->partial_sums[block] = sum;
}

static double bending_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first,
                             int32_t count)
{
    bending *m = (bending *)model;
    job call = {.model = m, .x = x, .first = (size_t)first};
    wf_parallel_for(context, (size_t)count, FACE_BLOCK, energy_block, &call);
    double sum = 0;
    for (size_t block = 0; block < wf_block_count((size_t)count, FACE_BLOCK); block++) {
        sum += m->partial_sums[block];
    }
    return sum;
}

static void forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const bending *m = call->model;
    for (size_t row = begin; row < end; row++) {
        wf_vec3 sum = {0, 0, 0}, x = call->x[row];
        for (int32_t slot = m->pattern.row_start[row]; slot < m->pattern.row_start[row + 1]; slot++) {
            int32_t column = m->pattern.column[slot];
            sum = wf_vec3_muladds(sum, wf_vec3_sub(call->x[column], x), -m->stiffness[slot]);
            if (call->v) {
                sum = wf_vec3_muladds(sum, wf_vec3_sub(call->v[column], call->v[row]), -m->damping[slot]);
            }
        }
        call->f[row] = wf_vec3_add(call->f[row], sum);
    }
}

static void bending_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    job call = {.model = (bending *)model, .x = x, .v = v, .f = f};
    wf_parallel_for(context, (size_t)model->vertex_count, ROW_BLOCK, forces_block, &call);
}

static void matrix_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const bending *m = call->model;
    for (size_t slot = begin; slot < end; slot++) {
        call->scalars[m->target[slot]] += call->stiffness_scale * m->stiffness[slot] +
                                          call->damping_scale * m->damping[slot];
    }
}

static void bending_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                               double damping_scale, wf_matrix_values a)
{
    (void)x;
    bending *m = (bending *)model;
    job call = {.model = m, .stiffness_scale = stiffness_scale, .damping_scale = damping_scale, .scalars = a.scalars};
    wf_parallel_for(context, (size_t)wf_pattern_slot_count(&m->pattern), 16 * ROW_BLOCK, matrix_block, &call);
}

static wf_status bending_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                              const wf_pattern *scalars)
{
    (void)blocks;
    bending *m = (bending *)model;
    for (int32_t row = 0; row < m->pattern.row_count; row++) {
        for (int32_t slot = m->pattern.row_start[row]; slot < m->pattern.row_start[row + 1]; slot++) {
            m->target[slot] = row < scalars->row_count ? wf_pattern_find(scalars, row, m->pattern.column[slot]) : -1;
            if (m->target[slot] < 0) {
                return wf_fail(context, WF_ERROR_STATE,
                               "matrix: vertices %d and %d of the bending model are not coupled in this matrix",
                               row + 1, m->pattern.column[slot] + 1);
            }
        }
    }
    return WF_OK;
}

/* ---- making one ------------------------------------------------------------------------------------------------ */

static void bending_destroy(wf_context *context, wf_model *model)
{
    bending *m = (bending *)model;
    wf_pattern_free(context, &m->pattern);
    wf_free(context, m->patch_vertices);
    wf_free(context, m->patches);
    wf_free(context, m->plates);
    wf_free(context, m->face_fabric);
    wf_free(context, m->fabrics);
    wf_free(context, m->stiffness);
    wf_free(context, m->damping);
    wf_free(context, m->target);
    wf_free(context, m->partial_sums);
    wf_free(context, m);
}

static const wf_model_class bending_class = {
    .name = "bending",
    .scalar = true,
    .destroy = bending_destroy,
    .energy = bending_energy,
    .add_forces = bending_add_forces,
    .add_matrix = bending_add_matrix,
    .add_exact_matrix = bending_add_matrix,
    .bind = bending_bind,
    .local = &wf_bending_local,
};

wf_bending_parts wf_bending_get_parts(const wf_model *model)
{
    const bending *m = (const bending *)model;
    return (wf_bending_parts){m->patches,  (const double(*)[3][3])m->plates, m->face_fabric, m->fabrics, &m->pattern,
                              m->stiffness, m->damping};
}

/* The plate moduli, kept invertible where only one direction has none. */
static void plate_moduli(const wf_fabric *fabric, double moduli[3][3])
{
    wf_fabric bounded = *fabric;
    double least = 1e-6 * fmax(fabric->bend_weft, fabric->bend_warp);
    bounded.bend_weft = fmax(bounded.bend_weft, least);
    bounded.bend_warp = fmax(bounded.bend_warp, least);
    wf_fabric_bending_moduli(&bounded, moduli);
}

/* Sums the patches' matrices into stiffness and damping. */
static void fill_matrices(bending *m)
{
    size_t slot_count = (size_t)wf_pattern_slot_count(&m->pattern);
    memset(m->stiffness, 0, slot_count * sizeof *m->stiffness);
    memset(m->damping, 0, slot_count * sizeof *m->damping);
    for (int32_t face = 0; face < m->head.stencil.count; face++) {
        const wf_patch *patch = &m->patches[face];
        const wf_fabric *fabric = &m->fabrics[m->face_fabric[face]];
        double moduli[3][3];
        plate_moduli(fabric, moduli);
        wf_patch_stiffness(patch, moduli, m->plates[face]);
        for (int a = 0; a < WF_PATCH_VERTICES; a++) {
            for (int b = 0; b < WF_PATCH_VERTICES; b++) {
                double sum = 0;
                for (int h = 0; h < 3; h++) {
                    for (int i = 0; i < 3; i++) {
                        sum += patch->weight[h][a] * m->plates[face][h][i] * patch->weight[i][b];
                    }
                }
                int32_t slot = wf_pattern_find(&m->pattern, patch->vertices[a], patch->vertices[b]);
                m->stiffness[slot] += sum;
                m->damping[slot] += fabric->bend_viscosity * sum;
            }
        }
    }
}

static wf_status check_bending(wf_context *context, const wf_bending_def *def)
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
        wf_status status = wf_check_face(context, def->vertex_count, face, def->faces[face], def->rest[face]);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static wf_status build_pattern(wf_context *context, bending *m)
{
    wf_status status = wf_pattern_build(context, m->head.vertex_count, 1, &m->head.stencil, &m->pattern);
    if (status != WF_OK) {
        return status;
    }
    size_t slot_count = (size_t)wf_pattern_slot_count(&m->pattern);
    m->stiffness = wf_allocate(context, slot_count, sizeof *m->stiffness);
    m->damping = wf_allocate(context, slot_count, sizeof *m->damping);
    m->target = wf_allocate(context, slot_count, sizeof *m->target);
    return m->stiffness && m->damping && m->target ? WF_OK : WF_ERROR_MEMORY;
}

static wf_status fill_bending(wf_context *context, const wf_bending_def *def, bending *m)
{
    size_t face_count = (size_t)def->face_count, fabric_count = (size_t)def->fabric_count;
    m->fabric_count = def->fabric_count;
    m->patches = wf_allocate(context, face_count, sizeof *m->patches);
    m->plates = wf_allocate(context, face_count, sizeof *m->plates);
    m->patch_vertices = wf_allocate(context, face_count, sizeof *m->patch_vertices);
    m->face_fabric = wf_allocate(context, face_count, sizeof *m->face_fabric);
    m->fabrics = wf_allocate(context, fabric_count, sizeof *m->fabrics);
    m->partial_sums = wf_allocate(context, wf_block_count(face_count, FACE_BLOCK), sizeof *m->partial_sums);
    if (!m->patches || !m->plates || !m->patch_vertices || !m->face_fabric || !m->fabrics || !m->partial_sums) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = wf_patches_build(context, def->vertex_count, def->face_count, def->faces, def->rest,
                                        m->patches);
    if (status != WF_OK) {
        return status;
    }
    for (size_t face = 0; face < face_count; face++) {
        memcpy(m->patch_vertices[face], m->patches[face].vertices, sizeof *m->patch_vertices);
        m->face_fabric[face] = def->face_fabric ? def->face_fabric[face] : 0;
    }
    for (size_t i = 0; i < fabric_count; i++) {
        m->fabrics[i] = def->fabrics[i];
    }
    m->head.stencil = (wf_stencil){def->face_count, WF_PATCH_VERTICES, &m->patch_vertices[0][0]};
    status = build_pattern(context, m);
    if (status == WF_OK) {
        fill_matrices(m);
    }
    return status;
}

wf_status wf_bending_create(wf_context *context, const wf_bending_def *def, wf_model **model)
{
    *model = NULL;
    wf_status status = check_bending(context, def);
    if (status != WF_OK) {
        return status;
    }
    if (def->form == WF_BENDING_THESIS) {
        return wf_bending_thesis_create(context, def, model);
    }
    bending *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head = (wf_model){.class = &bending_class, .vertex_count = def->vertex_count};
    status = fill_bending(context, def, m);
    if (status != WF_OK) {
        bending_destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

