/* bending.c - the quadratic plate; the thesis' element is in bending_thesis.c. */
#include "model/bending.h"

#include <string.h>

#include "base/tasks.h"
#include "model/bending_local.h"
#include "model/bending_thesis.h"
#include "model/patch.h"

enum { FACE_BLOCK = 1024, ROW_BLOCK = 1024, PLACE_BLOCK = 16384 };

typedef struct bending {
    wf_model head;
    /* The elements, one for each face; NULL where they are dropped. */
    int32_t (*patch_vertices)[WF_PATCH_VERTICES];
    wf_bending_element *elements;
    int32_t *face_fabric;
    double *partial_sums;     /* of energies */

    wf_fabric *fabrics;
    int32_t fabric_count;
    wf_scalar_pattern pattern; /* of the constant matrices, which are multiples of the identity per entry */
    double *stiffness;        /* [places], N/m */
    double *damping;          /* [places], N s/m; NULL: `viscosity` times the stiffness */
    double viscosity;         /* s, when it is the same for all fabrics */
    const wf_scalar_pattern *bound; /* of a matrix' scalars */
    int32_t *target;          /* [places] among the bound pattern's; NULL: they are the same */
    wf_vec3 *moved;           /* [vertex_count] scratch of add_forces */
    double *row_sums;         /* of energies, by blocks of rows */
} bending;

typedef struct job {
    bending *model;
    const wf_vec3 *x, *v;
    wf_vec3 *f;
    size_t first; /* element, of energies */
    double stiffness_scale, damping_scale;
    double *scalars;
} job;

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* a = l l^T of a semidefinite matrix */
static void factor_moduli(const double a[3][3], double l[3][3])
{
    memset(l, 0, 9 * sizeof(double));
    for (int j = 0; j < 3; j++) {
        double pivot = a[j][j] - l[j][0] * l[j][0] - l[j][1] * l[j][1];
        for (int i = j; i < 3 && pivot > 1e-12 * a[j][j]; i++) {
            l[i][j] = (a[i][j] - l[i][0] * l[j][0] - l[i][1] * l[j][1]) / sqrt(pivot);
        }
    }
}

/* A vertex that the patch has twice gets the weights of both places once; the other place repeats corner 0. */
static void merge_vertices(int32_t vertices[WF_PATCH_VERTICES], wf_bending_element *element)
{
    for (int i = 1; i < WF_PATCH_VERTICES; i++) {
        int first = 0;
        while (vertices[first] != vertices[i]) {
            first++;
        }
        for (int s = 0; s < WF_PATCH_STRAINS && first < i; s++) {
            element->weight[s][first] += element->weight[s][i];
            element->weight[s][i] = 0;
        }
        vertices[i] = first < i ? vertices[0] : vertices[i];
    }
}

static void make_element(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face,
                         int32_t vertices[WF_PATCH_VERTICES], wf_bending_element *element)
{
    wf_patch patch;
    double root[3][3];
    if (!wf_sheet_active(sheet, face)) {
        for (int a = 0; a < WF_PATCH_VERTICES; a++) {
            vertices[a] = sheet->faces[face][a < 3 ? a : 0];
        }
        return;
    }
    wf_patch_fill(sheet, neighbours, face, &patch);
    factor_moduli((const double(*)[3])patch.moduli, root);
    memcpy(vertices, patch.vertices, sizeof patch.vertices);
    for (int s = 0; s < WF_PATCH_STRAINS; s++) {
        for (int h = 0; h < WF_PATCH_HINGES; h++) {
            const wf_patch_hinge *hinge = &patch.hinge[h];
            double measure = s < 3 ? root[0][s] * patch.measure[0][h] + root[1][s] * patch.measure[1][h] +
                                         root[2][s] * patch.measure[2][h]
                                   : patch.measure[s][h];
            for (int a = 0; a < WF_HINGE_NODES && hinge->present; a++) {
                element->weight[s][hinge->node[a]] += sqrt(patch.area) * measure * hinge->weight[a];
            }
        }
    }
    merge_vertices(vertices, element);
}

wf_bending_parts wf_bending_get_parts(const wf_model *model)
{
    const bending *m = (const bending *)model;
    return (wf_bending_parts){m->patch_vertices, m->elements, m->face_fabric, m->fabrics, &m->pattern, m->stiffness,
                              m->damping, m->viscosity};
}

/* ---- energy, forces, matrix ------------------------------------------------------------------------------------ */

static void energy_block(void *user, size_t block, size_t begin, size_t end)
{
    job *call = user;
    const bending *m = call->model;
    double sum = 0;
    for (size_t face = call->first + begin; face < call->first + end; face++) {
        const int32_t *vertices = m->patch_vertices[face];
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            const double *weight = m->elements[face].weight[s];
            wf_vec3 strain = {0, 0, 0};
            for (int a = 1; a < WF_PATCH_VERTICES; a++) {
                /* the weights sum to zero: differences keep the accuracy far from the origin */
                wf_vec3 d = wf_vec3_sub(call->x[vertices[a]], call->x[vertices[0]]);
                strain = wf_vec3_muladds(strain, d, weight[a]);
            }
            sum += 0.5 * wf_vec3_norm2(strain);
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

/* x^T K x / 2 of rows that sum to zero: minus half the sum of k_ij |x_i - x_j|^2 over the pairs. */
static void row_energy_block(void *user, size_t block, size_t begin, size_t end)
{
    job *call = user;
    const bending *m = call->model;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        int32_t row = (int32_t)i;
        for (int32_t k = m->pattern.lower_start[row]; k < m->pattern.lower_start[row + 1]; k++) {
            int32_t column = wf_scalar_pattern_lower_column(&m->pattern, row, k);
            sum -= 0.5 * m->stiffness[wf_scalar_pattern_lower_place(row, k)] *
                   wf_vec3_norm2(wf_vec3_sub(call->x[row], call->x[column]));
        }
    }
    m->row_sums[block] = sum;
}

static double bending_matrix_energy(wf_context *context, wf_model *model, const wf_vec3 *x)
{
    bending *m = (bending *)model;
    job call = {.model = m, .x = x};
    size_t rows = (size_t)model->vertex_count;
    wf_parallel_for(context, rows, ROW_BLOCK, row_energy_block, &call);
    double sum = 0;
    for (size_t block = 0; block < wf_block_count(rows, ROW_BLOCK); block++) {
        sum += m->row_sums[block];
    }
    return sum;
}

/* x + viscosity v: with one viscosity, viscous forces are the elastic ones of these positions. */
static void move_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    for (size_t row = begin; row < end; row++) {
        call->model->moved[row] = wf_vec3_muladds(call->x[row], call->v[row], call->model->viscosity);
    }
}

/* minus the row's product with `values`, from their differences to the row's own */
static inline wf_vec3 row_force(const wf_scalar_pattern *pattern, int32_t row, const double *coefficients,
                                const wf_vec3 *values)
{
    wf_vec3 sum = {0, 0, 0}, own = values[row];
    for (int32_t k = pattern->lower_start[row]; k < pattern->lower_start[row + 1]; k++) {
        int32_t column = wf_scalar_pattern_lower_column(pattern, row, k);
        sum = wf_vec3_muladds(sum, wf_vec3_sub(own, values[column]),
                              coefficients[wf_scalar_pattern_lower_place(row, k)]);
    }
    for (int32_t k = pattern->upper_start[row]; k < pattern->upper_start[row + 1]; k++) {
        int32_t column = wf_scalar_pattern_upper_column(pattern, row, k);
        sum = wf_vec3_muladds(sum, wf_vec3_sub(own, values[column]),
                              coefficients[wf_scalar_pattern_upper_place(pattern, row, column, k)]);
    }
    return sum;
}

static void forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const bending *m = call->model;
    for (size_t row = begin; row < end; row++) {
        call->f[row] = wf_vec3_add(call->f[row], row_force(&m->pattern, (int32_t)row, m->stiffness, call->x));
        if (call->v) {
            call->f[row] = wf_vec3_add(call->f[row], row_force(&m->pattern, (int32_t)row, m->damping, call->v));
        }
    }
}

static void bending_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    bending *m = (bending *)model;
    job call = {.model = m, .x = x, .v = v, .f = f};
    size_t count = (size_t)model->vertex_count;
    if (v && !m->damping) {
        wf_parallel_for(context, count, ROW_BLOCK, move_block, &call);
        call.x = m->moved;
        call.v = NULL;
    }
    wf_parallel_for(context, count, ROW_BLOCK, forces_block, &call);
}

static void matrix_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    job *call = user;
    const bending *m = call->model;
    double scale = call->stiffness_scale + call->damping_scale * m->viscosity;
    for (size_t place = begin; place < end; place++) {
        double value = m->damping ? call->stiffness_scale * m->stiffness[place] +
                                        call->damping_scale * m->damping[place]
                                  : scale * m->stiffness[place];
        call->scalars[m->target ? (size_t)m->target[place] : place] += value;
    }
}

static void bending_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                               double damping_scale, wf_matrix_values a)
{
    (void)x;
    job call = {.model = (bending *)model, .stiffness_scale = stiffness_scale, .damping_scale = damping_scale,
                .scalars = a.scalars};
    wf_parallel_for(context, (size_t)wf_scalar_pattern_place_count(&call.model->pattern), PLACE_BLOCK, matrix_block,
                    &call);
}

static const double *bending_constant_scalars(const wf_model *model, double stiffness_scale, double damping_scale,
                                              double *factor)
{
    const bending *m = (const bending *)model;
    *factor = stiffness_scale + damping_scale * m->viscosity;
    return m->bound && !m->damping && !m->target && m->pattern.row_count == m->bound->row_count ? m->stiffness : NULL;
}

static wf_status bending_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                              const wf_scalar_pattern *scalars)
{
    (void)blocks;
    bending *m = (bending *)model;
    m->bound = scalars;
    if (wf_scalar_pattern_begins(&m->pattern, scalars)) {
        wf_free(context, m->target);
        m->target = NULL;
        if (m->pattern.row_count == scalars->row_count) {
            wf_scalar_pattern_share(context, &m->pattern, scalars);
        }
        return WF_OK;
    }
    if (!m->target) {
        m->target = wf_allocate(context, (size_t)wf_scalar_pattern_place_count(&m->pattern), sizeof *m->target);
        if (!m->target) {
            return WF_ERROR_MEMORY;
        }
    }
    for (int32_t row = 0, place = 0; row < m->pattern.row_count; row++) {
        for (int32_t k = m->pattern.lower_start[row]; k <= m->pattern.lower_start[row + 1]; k++, place++) {
            bool below = k < m->pattern.lower_start[row + 1];
            int32_t column = below ? wf_scalar_pattern_lower_column(&m->pattern, row, k) : row;
            m->target[place] = row < scalars->row_count ? wf_scalar_pattern_find(scalars, row, column) : -1;
            if (m->target[place] < 0) {
                return wf_fail(context, WF_ERROR_STATE,
                               "matrix: vertices %d and %d of the bending model are not coupled in this matrix",
                               row + 1, column + 1);
            }
        }
    }
    return WF_OK;
}

/* ---- making one ------------------------------------------------------------------------------------------------ */

static void forget_elements(bending *m)
{
    m->patch_vertices = NULL;
    m->elements = NULL;
    m->face_fabric = NULL;
    m->partial_sums = NULL;
    m->head.stencil.vertices = NULL;
}

static void drop_elements(wf_context *context, bending *m)
{
    void *arrays[] = {m->patch_vertices, m->elements, m->face_fabric, m->partial_sums};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
    forget_elements(m);
}

static void bending_destroy(wf_context *context, wf_model *model)
{
    bending *m = (bending *)model;
    drop_elements(context, m);
    wf_scalar_pattern_free(context, &m->pattern);
    wf_free(context, m->moved);
    wf_free(context, m->row_sums);
    wf_free(context, m->fabrics);
    wf_free(context, m->stiffness);
    wf_free(context, m->damping);
    wf_free(context, m->target);
    wf_free(context, m);
}

static const wf_model_class bending_class = {
    .name = "bending",
    .scalar = true,
    .destroy = bending_destroy,
    .energy = bending_energy,
    .matrix_energy = bending_matrix_energy,
    .add_forces = bending_add_forces,
    .add_matrix = bending_add_matrix,
    .add_exact_matrix = bending_add_matrix,
    .constant_scalars = bending_constant_scalars,
    .bind = bending_bind,
    .local = &wf_bending_local,
};

/* Adds the lower half of an element's matrix. */
static void add_element(bending *m, int32_t face)
{
    const int32_t *vertices = m->patch_vertices[face];
    const wf_bending_element *element = &m->elements[face];
    double viscosity = m->fabrics[m->face_fabric[face]].bend_viscosity;
    for (int a = 0; a < WF_PATCH_VERTICES; a++) {
        for (int b = 0; b < WF_PATCH_VERTICES; b++) {
            bool repeated = (a > 0 && vertices[a] == vertices[0]) || (b > 0 && vertices[b] == vertices[0]);
            if (repeated || vertices[b] > vertices[a]) {
                continue;
            }
            double sum = 0;
            for (int s = 0; s < WF_PATCH_STRAINS; s++) {
                sum += element->weight[s][a] * element->weight[s][b];
            }
            int32_t place = wf_scalar_pattern_find(&m->pattern, vertices[a], vertices[b]);
            m->stiffness[place] += sum;
            if (m->damping) {
                m->damping[place] += viscosity * sum;
            }
        }
    }
}

static wf_status build_matrices(wf_context *context, bending *m)
{
    wf_status status = wf_scalar_pattern_build(context, m->head.vertex_count, 1, &m->head.stencil, &m->pattern);
    if (status != WF_OK) {
        return status;
    }
    bool one_viscosity = true;
    m->viscosity = m->fabric_count > 0 ? m->fabrics[0].bend_viscosity : 0;
    for (int32_t i = 1; i < m->fabric_count; i++) {
        one_viscosity &= m->fabrics[i].bend_viscosity == m->viscosity;
    }
    size_t place_count = (size_t)wf_scalar_pattern_place_count(&m->pattern);
    m->stiffness = wf_allocate(context, place_count, sizeof *m->stiffness);
    if (one_viscosity) {
        m->moved = wf_allocate(context, (size_t)m->head.vertex_count, sizeof *m->moved);
    } else {
        m->damping = wf_allocate(context, place_count, sizeof *m->damping);
    }
    m->row_sums = wf_allocate(context, wf_block_count((size_t)m->head.vertex_count, ROW_BLOCK), sizeof *m->row_sums);
    if (!m->stiffness || !m->row_sums || !(one_viscosity ? (void *)m->moved : (void *)m->damping)) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t face = 0; face < m->head.stencil.count; face++) {
        add_element(m, face);
    }
    return WF_OK;
}

typedef struct making {
    const wf_sheet_faces *sheet;
    wf_sheet_known_neighbours neighbours;
    bending *model;
} making;

static void make_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const making *call = user;
    bending *m = call->model;
    for (size_t face = begin; face < end; face++) {
        make_element(call->sheet, call->neighbours, (int32_t)face, m->patch_vertices[face], &m->elements[face]);
        m->face_fabric[face] = wf_sheet_fabric(call->sheet, (int32_t)face);
    }
}

static wf_status fill_elements(wf_context *context, const wf_sheet_faces *sheet, bending *m)
{
    size_t face_count = (size_t)sheet->face_count;
    m->patch_vertices = wf_allocate(context, face_count, sizeof *m->patch_vertices);
    m->elements = wf_allocate(context, face_count, sizeof *m->elements);
    m->face_fabric = wf_allocate(context, face_count, sizeof *m->face_fabric);
    m->partial_sums = wf_allocate(context, wf_block_count(face_count, FACE_BLOCK), sizeof *m->partial_sums);
    wf_sheet_neighbours neighbours = wf_allocate(context, face_count, sizeof *neighbours);
    wf_status status = WF_ERROR_MEMORY;
    if (m->patch_vertices && m->elements && m->face_fabric && m->partial_sums && neighbours) {
        status = wf_sheet_find_neighbours(context, sheet->vertex_count, sheet->face_count, sheet->faces, neighbours);
    }
    if (status == WF_OK) {
        making call = {sheet, (wf_sheet_known_neighbours)neighbours, m};
        wf_parallel_for(context, face_count, FACE_BLOCK, make_block, &call);
        m->head.stencil = (wf_stencil){sheet->face_count, WF_PATCH_VERTICES, &m->patch_vertices[0][0]};
    }
    wf_free(context, neighbours);
    return status;
}

void wf_bending_drop_elements(wf_context *context, wf_model *model)
{
    if (model->class == &bending_class) {
        drop_elements(context, (bending *)model);
    }
}

bool wf_bending_has_elements(const wf_model *model)
{
    return model->class != &bending_class || ((const bending *)model)->patch_vertices;
}

void wf_bending_move_elements(wf_model *from, wf_model *to)
{
    bending *a = (bending *)from, *b = (bending *)to;
    b->patch_vertices = a->patch_vertices;
    b->elements = a->elements;
    b->face_fabric = a->face_fabric;
    b->partial_sums = a->partial_sums;
    b->head.stencil = a->head.stencil;
    forget_elements(a);
}

static wf_status fill_bending(wf_context *context, const wf_sheet_faces *sheet, bending *m)
{
    m->fabric_count = sheet->fabric_count;
    m->fabrics = wf_allocate(context, (size_t)sheet->fabric_count, sizeof *m->fabrics);
    if (!m->fabrics) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < sheet->fabric_count; i++) {
        m->fabrics[i] = sheet->fabrics[i];
    }
    wf_status status = fill_elements(context, sheet, m);
    return status == WF_OK ? build_matrices(context, m) : status;
}

wf_status wf_bending_create(wf_context *context, const wf_bending_def *def, wf_model **model)
{
    *model = NULL;
    const wf_sheet_faces sheet = {.vertex_count = def->vertex_count, .face_count = def->face_count,
                                  .faces = def->faces, .rest = def->rest, .fabric_count = def->fabric_count,
                                  .fabrics = def->fabrics, .face_fabric = def->face_fabric,
                                  .active = def->active};
    wf_status status = wf_check_sheet(context, &sheet);
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
    status = fill_bending(context, &sheet, m);
    if (status != WF_OK) {
        bending_destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

