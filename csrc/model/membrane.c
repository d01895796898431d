#include "model/membrane.h"

#include <string.h>

#include "base/tasks.h"
#include "model/membrane_kernels.h"
#include "model/membrane_local.h"

enum { FACE_BLOCK = 1024, BATCH_BLOCK = 64, EDGE_BLOCK = 1024, ROW_BLOCK = 1024 };

/* One call's arguments, for the blocks of its parallel loops. */
typedef struct job {
    wf_membrane *model;
    const wf_membrane_kernels *kernels;
    const wf_face_kernels *faces;
    int32_t chunk;
    const wf_vec3 *x, *v;
    wf_vec3 *f;
    int32_t face, end_face; /* of energies */
    double weight;          /* of a past state */
    double stiffness_scale, damping_scale;
    bool exact_matrix;
    wf_mat3 *blocks;
    double (*strains)[3];
} job;

static const wf_face_kernels *face_kernels(wf_context *context, const wf_membrane *m)
{
    return m->form == WF_MEMBRANE_WEAVE ? wf_weave_kernels_for(context)
                                        : &wf_membrane_kernels_for(context)->corotational;
}

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

/* ---- energy ---------------------------------------------------------------------------------------------------- */

/* call->face to call->end_face, in the batches from that of call->face on */
static void energy_block(void *user, size_t block, size_t begin, size_t end)
{
    job *call = user;
    size_t first = (size_t)call->face / WF_LANES;
    double sum = 0;
    for (size_t batch = first + begin; batch < first + end; batch++) {
        _Alignas(64) double energies[1][WF_LANES];
        call->faces->energies(call->model, call->x, batch, batch + 1, energies);
        for (int lane = 0; lane < WF_LANES; lane++) {
            int32_t face = (int32_t)batch * WF_LANES + lane;
            sum += face >= call->face && face < call->end_face ? energies[0][lane] : 0;
        }
    }
    call->model->partial_sums[block] = sum;
}

static double membrane_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count)
{
    wf_membrane *m = (wf_membrane *)model;
    job call = {.model = m, .faces = face_kernels(context, m), .x = x, .face = first, .end_face = first + count};
    size_t batches = wf_lane_batches(first + count) - (size_t)first / WF_LANES;
    wf_parallel_for(context, batches, BATCH_BLOCK, energy_block, &call);
    double sum = 0;
    for (size_t block = 0; block < wf_block_count(batches, BATCH_BLOCK); block++) {
        sum += m->partial_sums[block];
    }
    return sum;
}

/* ---- chunks ---------------------------------------------------------------------------------------------------- */

static size_t first_batch(const job *call)
{
    return (size_t)call->chunk * (size_t)call->model->assembly.chunk_batches;
}

static size_t chunk_batches(const job *call)
{
    size_t left = wf_lane_batches(call->model->face_count) - first_batch(call);
    size_t whole = (size_t)call->model->assembly.chunk_batches;
    return left < whole ? left : whole;
}

/* ---- the past --------------------------------------------------------------------------------------------------- */

static void past_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    call->faces->add_past(call->model, call->x, call->weight, begin, end);
}

static wf_status membrane_set_past(wf_context *context, wf_model *model, const wf_past *past)
{
    wf_membrane *m = (wf_membrane *)model;
    size_t batches = wf_lane_batches(m->face_count);
    m->past_rate = 0;
    if (!past) {
        return WF_OK;
    }
    if (!m->past) {
        m->past = wf_allocate(context, batches, sizeof *m->past);
        if (!m->past) {
            return WF_ERROR_MEMORY;
        }
    }
    memset(m->past, 0, batches * sizeof *m->past);
    for (int k = 0; k < past->count; k++) {
        job call = {.model = m, .faces = face_kernels(context, m), .x = (const wf_vec3 *)past->x[k],
                    .weight = past->weight[k]};
        wf_parallel_for(context, batches, BATCH_BLOCK, past_block, &call);
    }
    m->past_rate = 1 / past->span;
    return WF_OK;
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

static void forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    size_t first = first_batch(call);
    call->faces->forces(call->model, call->x, call->v, first + begin, first + end, call->model->results + begin);
}

static void vertices_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const wf_membrane_assembly *assembly = &call->model->assembly;
    size_t first = first_batch(call);
    call->kernels->add_forces(call->model, assembly->vertices + assembly->chunks[call->chunk].vertex + begin,
                              end - begin, (int32_t)first, (int32_t)(first + chunk_batches(call)), call->f);
}

static void membrane_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    wf_membrane *m = (wf_membrane *)model;
    job call = {.model = m, .kernels = wf_membrane_kernels_for(context), .faces = face_kernels(context, m), .x = x,
                .v = v, .f = f};
    const wf_membrane_assembly *assembly = &m->assembly;
    for (; call.chunk < assembly->chunk_count; call.chunk++) {
        const wf_membrane_chunk *chunk = &assembly->chunks[call.chunk];
        wf_parallel_for(context, chunk_batches(&call), BATCH_BLOCK, forces_block, &call);
        wf_parallel_for(context, (size_t)(chunk[1].vertex - chunk[0].vertex), ROW_BLOCK, vertices_block, &call);
    }
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static void blocks_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    size_t first = first_batch(call);
    call->faces->blocks(call->model, call->x, call->stiffness_scale, call->damping_scale, call->exact_matrix,
                          first + begin, first + end, call->model->results + begin);
}

static void edges_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const wf_membrane *m = call->model;
    call->kernels->set_edges(m->assembly.edges + m->assembly.chunks[call->chunk].edge + begin, end - begin, m->results,
                             call->blocks);
}

static void diagonals_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const wf_membrane_assembly *assembly = &call->model->assembly;
    call->kernels->set_diagonals(call->model, assembly->vertices + assembly->chunks[call->chunk].vertex + begin,
                                 end - begin, (int32_t)(first_batch(call) + chunk_batches(call)), call->blocks);
}

static void membrane_set_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                double damping_scale, bool exact, wf_matrix_values a)
{
    wf_membrane *m = (wf_membrane *)model;
    job call = {.model = m, .kernels = wf_membrane_kernels_for(context), .faces = face_kernels(context, m), .x = x,
                .stiffness_scale = stiffness_scale, .damping_scale = damping_scale, .exact_matrix = exact,
                .blocks = a.blocks};
    const wf_membrane_assembly *assembly = &m->assembly;
    for (int32_t k = 0; k < assembly->empty_count; k++) {
        a.blocks[assembly->empty_places[k]] = (wf_mat3){{{0}}};
    }
    for (; call.chunk < assembly->chunk_count; call.chunk++) {
        const wf_membrane_chunk *chunk = &assembly->chunks[call.chunk];
        wf_parallel_for(context, chunk_batches(&call), BATCH_BLOCK, blocks_block, &call);
        wf_parallel_for(context, (size_t)(chunk[1].edge - chunk[0].edge), EDGE_BLOCK, edges_block, &call);
        call.kernels->set_edges(assembly->crowded_edges + chunk[0].crowded_edge,
                                (size_t)(chunk[1].crowded_edge - chunk[0].crowded_edge), m->results, a.blocks);
        wf_parallel_for(context, (size_t)(chunk[1].vertex - chunk[0].vertex), ROW_BLOCK, diagonals_block, &call);
    }
}

/* The edge's block and its transpose, minus both on the diagonal. */
static void add_edge(const wf_membrane *m, int32_t chunk, const wf_membrane_edge *edge, wf_mat3 *blocks)
{
    int k;
    const int32_t *v = wf_membrane_edge_face(&m->assembly, &m->head.stencil, chunk, edge, &k);
    const wf_pattern *pattern = m->assembly.pattern;
    wf_mat3 sum = wf_membrane_edge_block(edge, m->results);
    wf_mat3 *lower = &blocks[edge->place >> 1];
    wf_mat3 *ii = &blocks[wf_pattern_diagonal_place(pattern, v[k])];
    wf_mat3 *jj = &blocks[wf_pattern_diagonal_place(pattern, v[(k + 1) % 3])];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            lower->m[r][c] += edge->place & 1 ? sum.m[c][r] : sum.m[r][c];
            ii->m[r][c] -= sum.m[r][c];
            jj->m[c][r] -= sum.m[r][c];
        }
    }
}

/* The general way, where other models may have added to the same blocks: on one thread. */
static void add_any_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                           double damping_scale, wf_matrix_values a, bool exact)
{
    wf_membrane *m = (wf_membrane *)model;
    job call = {.model = m, .faces = face_kernels(context, m), .x = x, .stiffness_scale = stiffness_scale,
                .damping_scale = damping_scale, .exact_matrix = exact};
    const wf_membrane_assembly *assembly = &m->assembly;
    for (; call.chunk < assembly->chunk_count; call.chunk++) {
        const wf_membrane_chunk *chunk = &assembly->chunks[call.chunk];
        wf_parallel_for(context, chunk_batches(&call), BATCH_BLOCK, blocks_block, &call);
        for (int32_t e = chunk[0].edge; e < chunk[1].edge; e++) {
            add_edge(m, call.chunk, &assembly->edges[e], a.blocks);
        }
        for (int32_t e = chunk[0].crowded_edge; e < chunk[1].crowded_edge; e++) {
            add_edge(m, call.chunk, &assembly->crowded_edges[e], a.blocks);
        }
    }
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
                               const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_membrane_assembly_bind(context, &((wf_membrane *)model)->assembly, model, blocks);
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
    wf_membrane_assembly_free(context, &m->assembly);
    wf_free(context, m->results);
    wf_free(context, m->partial_sums);
    wf_free(context, m->past);
    wf_free(context, m);
}

static const wf_model_class membrane_class = {
    .name = "membrane",
    .destroy = membrane_destroy,
    .energy = membrane_energy,
    .add_forces = membrane_add_forces,
    .add_matrix = membrane_add_matrix,
    .set_matrix = membrane_set_matrix,
    .add_exact_matrix = membrane_add_exact_matrix,
    .set_past = membrane_set_past,
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
    .set_matrix = membrane_set_matrix,
    .bind = membrane_bind,
};

static bool allocate_membrane(wf_context *context, wf_membrane *m, size_t fabric_count)
{
    size_t batches = wf_lane_batches(m->face_count);
    m->faces = wf_allocate(context, batches * WF_LANES, sizeof *m->faces);
    m->shapes = wf_allocate(context, batches, sizeof *m->shapes);
    m->face_material = wf_allocate(context, batches * WF_LANES, sizeof *m->face_material);
    m->materials = wf_allocate(context, fabric_count, sizeof *m->materials);
    m->partial_sums = wf_allocate(context, wf_block_count(batches, BATCH_BLOCK), sizeof *m->partial_sums);
    return m->faces && m->shapes && m->face_material && m->materials && m->partial_sums;
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

static void find_rows(wf_membrane *m)
{
    int32_t first = m->head.vertex_count, end = 0;
    for (int32_t k = 0; k < 3 * m->face_count; k++) {
        int32_t vertex = m->head.stencil.vertices[k];
        first = vertex < first ? vertex : first;
        end = vertex >= end ? vertex + 1 : end;
    }
    m->head.first_row = first < end ? first : end;
    m->head.end_row = end;
}

wf_status wf_membrane_create(wf_context *context, const wf_membrane_def *def, wf_model **model)
{
    *model = NULL;
    const wf_sheet_faces sheet = {.vertex_count = def->vertex_count, .face_count = def->face_count,
                                  .faces = def->faces, .rest = def->rest, .fabric_count = def->fabric_count,
                                  .fabrics = def->fabrics, .face_fabric = def->face_fabric};
    wf_status status = wf_check_sheet(context, &sheet);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t face = 0; face < def->face_count; face++) {
        const wf_fabric *fabric = &def->fabrics[wf_sheet_fabric(&sheet, face)];
        if (wf_fabric_has_curves(fabric)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "fabric \"%s\" has stress-strain curves; the membrane's law is linear", fabric->name);
        }
    }
    wf_membrane *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->head.class = def->form == WF_MEMBRANE_THESIS ? &thesis_class : &membrane_class;
    m->head.vertex_count = def->vertex_count;
    m->form = def->form;
    m->face_count = def->face_count;
    m->material_count = def->fabric_count;
    size_t face_count = (size_t)def->face_count;
    if (!allocate_membrane(context, m, (size_t)def->fabric_count)) {
        membrane_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    if (face_count > 0) {
        memcpy(m->faces, def->faces, face_count * sizeof *m->faces);
    }
    m->head.stencil = (wf_stencil){def->face_count, 3, &m->faces[0][0]};
    for (size_t face = 0; face < face_count; face++) {
        set_shape(m, (int32_t)face, wf_shape_of(def->rest[face]));
        m->face_material[face] = wf_sheet_fabric(&sheet, (int32_t)face);
    }
    for (int32_t lane = def->face_count; lane % WF_LANES != 0; lane++) {
        wf_shape last = wf_membrane_shape(m, def->face_count - 1);
        last.area = 0;
        set_shape(m, lane, last);
        m->face_material[lane] = m->face_material[def->face_count - 1];
        memcpy(m->faces[lane], m->faces[def->face_count - 1], sizeof *m->faces);
    }
    for (int32_t i = 0; i < def->fabric_count; i++) {
        m->materials[i] = material_of(&def->fabrics[i]);
    }
    find_rows(m);
    status = wf_incidence_build(context, def->vertex_count, &m->head.stencil, &m->incidence);
    if (status == WF_OK) {
        status = wf_membrane_assembly_build(context, &m->head.stencil, &m->incidence, &m->assembly);
    }
    if (status == WF_OK) {
        m->results = wf_allocate(context, (size_t)m->assembly.chunk_batches + 1, sizeof *m->results);
        status = m->results ? WF_OK : WF_ERROR_MEMORY;
    }
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
        double weft = wf_vec3_norm(f[0]), warp = wf_vec3_norm(f[1]), lengths = weft * warp;
        double cosine = lengths > 0 ? wf_vec3_dot(f[0], f[1]) / lengths : 0;
        if (call->model->form != WF_MEMBRANE_WEAVE) {
            wf_polar p = wf_polar_of(f[0], f[1]);
            weft = p.u11;
            warp = p.u22;
        }
        call->strains[face][0] = weft - 1;
        call->strains[face][1] = warp - 1;
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
