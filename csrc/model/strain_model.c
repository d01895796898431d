#include "model/strain_model.h"

#include <string.h>

#include "base/symmetric.h"
#include "base/tasks.h"
#include "model/face_history.h"
#include "model/strain_local.h"
#include "model/strain_private.h"

enum { ELEMENT_BLOCK = 32, ENERGY_BLOCK = 512, NODE_NUMBERS = 3 * WF_MAX_NODES };

/* Nodes of the largest elements whose eigenvalues are looked at, and the numbers in the matrix of one. */
enum { CLAMPED_NODES = 8, CLAMPED_NUMBERS = 9 * CLAMPED_NODES * CLAMPED_NODES };

typedef struct job {
    const wf_strain_model *model;
    const wf_vec3 *x, *v;
    wf_vec3 *f;
    const int32_t *members; /* of a colour */
    double stiffness_scale, damping_scale;
    bool exact;
    wf_mat3 *blocks;
    int32_t first; /* element, of energies */
} job;

/* ---- one element ----------------------------------------------------------------------------------------------- */

static double weight_of(const void *rest)
{
    double weight;
    memcpy(&weight, rest, sizeof weight);
    return weight;
}

void wf_strain_element_read(const wf_strain_model *model, int32_t e, wf_strain_element *element)
{
    element->vertex = model->vertices + (size_t)e * (size_t)model->measure->node_count;
    element->rest = model->rest + (size_t)e * model->measure->rest_size;
    element->material = model->materials + (size_t)model->material[e] * model->law->material_size;
    element->viscosity = model->viscosity + model->material[e] * model->measure->strain_count;
    element->memory = model->memory ? &model->memory[model->material[e]] : NULL;
    element->history = model->memory ? &model->history[e] : NULL;
    element->weight = weight_of(element->rest);
}

static void place_element(const wf_strain_model *m, int32_t e, const wf_vec3 *x, wf_strain_element *element)
{
    wf_strain_element_read(m, e, element);
    for (int32_t i = 0; i < m->measure->node_count; i++) {
        element->x[i] = x[element->vertex[i]];
    }
}

void wf_strain_element_evaluate(const wf_strain_model *model, bool tangent, wf_strain_element *element)
{
    model->measure->strains(element->rest, element->x, element->strain, element->gradient);
    model->law->evaluate(element->material, element->strain, &element->energy, element->stress,
                         tangent ? element->tangent : NULL);
    if (element->memory) {
        const wf_memory_law law = {model->law, element->material, model->measure->strain_count};
        wf_memory_add(element->memory, element->history, law, element->strain, &element->energy, element->stress,
                      tangent ? element->tangent : NULL);
    }
}

void wf_strain_element_at(const wf_strain_model *model, int32_t e, const wf_vec3 *x, bool tangent,
                          wf_strain_element *element)
{
    place_element(model, e, x, element);
    wf_strain_element_evaluate(model, tangent, element);
}

void wf_strain_element_viscous_moduli(const wf_strain_model *model, const wf_strain_element *element,
                                      const double *strain, double *moduli)
{
    int32_t count = model->measure->strain_count;
    double energy, stress[WF_MAX_STRAINS];
    model->law->evaluate(element->material, strain, &energy, stress, moduli);
    wf_symmetric_clamp(count, moduli);
    for (int32_t s = 0; s < count; s++) {
        for (int32_t t = 0; t < count; t++) {
            moduli[s * count + t] *= sqrt(element->viscosity[s] * element->viscosity[t]);
        }
    }
}

void wf_strain_element_add_viscous_stress(const wf_strain_model *model, const wf_strain_element *element,
                                          const double *moduli, const double *past, double rate, double *stress)
{
    int32_t count = model->measure->strain_count;
    for (int32_t s = 0; s < count; s++) {
        for (int32_t t = 0; t < count; t++) {
            stress[s] += moduli[s * count + t] * rate * (element->strain[t] - past[t]);
        }
    }
}

/* Of a viscous model: the strains of the element's past, or its present ones while there is none. */
static const double *past_of(const wf_strain_model *m, int32_t e, const wf_strain_element *element)
{
    return m->past_rate > 0 ? m->past + (size_t)e * (size_t)m->measure->strain_count : element->strain;
}

/* stress [strains] += E times the rates of strain */
static void add_viscous_stress(const wf_strain_model *m, int32_t e, const wf_strain_element *element, const wf_vec3 *v,
                               double *stress)
{
    int32_t strains = m->measure->strain_count, nodes = m->measure->node_count;
    double moduli[WF_MAX_STRAINS * WF_MAX_STRAINS];
    const double *past = past_of(m, e, element);
    wf_strain_element_viscous_moduli(m, element, past, moduli);
    if (m->past_rate > 0) {
        wf_strain_element_add_viscous_stress(m, element, moduli, past, m->past_rate, stress);
        return;
    }
    for (int32_t t = 0; t < strains; t++) {
        double rate = 0;
        for (int32_t i = 0; i < nodes; i++) {
            rate += wf_vec3_dot(element->gradient[t * nodes + i], v[element->vertex[i]]);
        }
        for (int32_t s = 0; s < strains; s++) {
            stress[s] += moduli[s * strains + t] * rate;
        }
    }
}

/* ---- the past --------------------------------------------------------------------------------------------------- */

typedef struct past_job {
    const wf_strain_model *model;
    const wf_past *past;
} past_job;

static void past_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const past_job *call = user;
    const wf_strain_model *m = call->model;
    int32_t strains = m->measure->strain_count;
    for (size_t e = begin; e < end; e++) {
        double *sum = m->past + e * (size_t)strains;
        memset(sum, 0, (size_t)strains * sizeof *sum);
        for (int k = 0; k < call->past->count; k++) {
            wf_strain_element element;
            place_element(m, (int32_t)e, (const wf_vec3 *)call->past->x[k], &element);
            m->measure->strains(element.rest, element.x, element.strain, NULL);
            for (int32_t s = 0; s < strains; s++) {
                sum[s] += call->past->weight[k] * element.strain[s];
            }
        }
    }
}

static wf_status strain_set_past(wf_context *context, wf_model *model, const wf_past *past)
{
    wf_strain_model *m = (wf_strain_model *)model;
    size_t count = (size_t)model->stencil.count;
    m->past_rate = 0;
    if (!past || !m->viscous) {
        return WF_OK;
    }
    if (!m->past) {
        m->past = wf_allocate(context, count * (size_t)m->measure->strain_count, sizeof *m->past);
        if (!m->past) {
            return WF_ERROR_MEMORY;
        }
    }
    past_job call = {m, past};
    wf_parallel_for(context, count, ENERGY_BLOCK, past_block, &call);
    m->past_rate = 1 / past->span;
    return WF_OK;
}

/* ---- history ---------------------------------------------------------------------------------------------------- */

/* The strains of an element that remembers. */
static void place_strains(const wf_strain_model *m, int32_t e, const wf_vec3 *x, wf_strain_element *element)
{
    place_element(m, e, x, element);
    m->measure->strains(element->rest, element->x, element->strain, NULL);
}

typedef struct history_job {
    const wf_strain_model *model;
    const wf_vec3 *x;
    const wf_face_history *before;
    wf_face_history *after;
} history_job;

static void begin_history_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const history_job *call = user;
    const wf_strain_model *m = call->model;
    for (size_t e = begin; e < end; e++) {
        wf_strain_element element;
        m->history[e] = call->before[m->face[e]].part[m->part];
        place_strains(m, (int32_t)e, call->x, &element);
        wf_memory_begin_element(element.memory, element.strain, &m->history[e]);
    }
}

static void end_history_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const history_job *call = user;
    const wf_strain_model *m = call->model;
    for (size_t e = begin; e < end; e++) {
        wf_strain_element element;
        wf_strain_history *after = &call->after[m->face[e]].part[m->part]; /* no other element has it */
        place_strains(m, (int32_t)e, call->x, &element);
        *after = m->history[e];
        wf_memory_end_element(element.memory, element.strain, after);
    }
}

static void strain_set_history(wf_context *context, wf_model *model, const wf_face_history *history, const wf_vec3 *x,
                               double step)
{
    wf_strain_model *m = (wf_strain_model *)model;
    if (m->memory) {
        for (int32_t i = 0; i < m->material_count; i++) {
            wf_memory_begin(&m->memory[i], step);
        }
        history_job call = {.model = m, .x = x, .before = history};
        wf_parallel_for(context, (size_t)model->stencil.count, ENERGY_BLOCK, begin_history_block, &call);
    }
}

static void strain_update_history(wf_context *context, const wf_model *model, const wf_vec3 *x,
                                  wf_face_history *history)
{
    const wf_strain_model *m = (const wf_strain_model *)model;
    if (m->memory) {
        history_job call = {.model = m, .x = x, .after = history};
        wf_parallel_for(context, (size_t)model->stencil.count, ENERGY_BLOCK, end_history_block, &call);
    }
}

/* ---- energy ---------------------------------------------------------------------------------------------------- */

static void energy_block(void *user, size_t block, size_t begin, size_t end)
{
    const job *call = user;
    const wf_strain_model *m = call->model;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        wf_strain_element element;
        double density;
        place_element(m, call->first + (int32_t)k, call->x, &element);
        m->measure->strains(element.rest, element.x, element.strain, NULL);
        m->law->evaluate(element.material, element.strain, &density, NULL, NULL);
        if (element.memory) {
            const wf_memory_law law = {m->law, element.material, m->measure->strain_count};
            wf_memory_add(element.memory, element.history, law, element.strain, &density, NULL, NULL);
        }
        sum += element.weight * density;
    }
    m->partial_sums[block] = sum;
}

static double strain_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count)
{
    job call = {.model = (const wf_strain_model *)model, .x = x, .first = first};
    wf_parallel_for(context, (size_t)count, ENERGY_BLOCK, energy_block, &call);
    double sum = 0;
    for (size_t block = 0; block < wf_block_count((size_t)count, ENERGY_BLOCK); block++) {
        sum += call.model->partial_sums[block];
    }
    return sum;
}

/* ---- by colours ------------------------------------------------------------------------------------------------ */

static void for_each_element(wf_context *context, job *call, wf_block_function *function)
{
    const wf_colouring *colours = &call->model->colours;
    for (int32_t c = 0; c < colours->colour_count; c++) {
        call->members = colours->member + colours->start[c];
        wf_parallel_for(context, (size_t)(colours->start[c + 1] - colours->start[c]), ELEMENT_BLOCK, function, call);
    }
    call->members = colours->member + colours->start[colours->colour_count];
    function(call, 0, 0, (size_t)colours->serial_count);
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

static void forces_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const job *call = user;
    const wf_strain_model *m = call->model;
    int32_t strains = m->measure->strain_count, nodes = m->measure->node_count;
    bool viscous = call->v && m->viscous;
    for (size_t k = begin; k < end; k++) {
        wf_strain_element element;
        wf_strain_element_at(m, call->members[k], call->x, false, &element);
        if (m->published) {
            wf_vec3 force[WF_MAX_NODES];
            m->published(element.rest, element.material, element.x, force);
            for (int32_t i = 0; i < nodes; i++) {
                call->f[element.vertex[i]] = wf_vec3_add(call->f[element.vertex[i]], force[i]);
            }
            memset(element.stress, 0, sizeof element.stress);
        }
        if (viscous) {
            add_viscous_stress(m, call->members[k], &element, call->v, element.stress);
        }
        for (int32_t i = 0; i < nodes; i++) {
            wf_vec3 sum = call->f[element.vertex[i]];
            for (int32_t s = 0; s < strains; s++) {
                sum = wf_vec3_muladds(sum, element.gradient[s * nodes + i], -element.weight * element.stress[s]);
            }
            call->f[element.vertex[i]] = sum;
        }
    }
}

static void strain_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    job call = {.model = (const wf_strain_model *)model, .x = x, .v = v, .f = f};
    for_each_element(context, &call, forces_block);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

/* The orthonormal coordinates of Helmert, sqrt(k / (k + 1)) (the mean of nodes 0 to k - 1, less node k), which
 * translations leave as they are. */
static void fill_helmert(int32_t nodes, double helmert[CLAMPED_NODES - 1][CLAMPED_NODES])
{
    for (int32_t k = 1; k < nodes; k++) {
        double scale = sqrt(k / (k + 1.0));
        for (int32_t i = 0; i < k; i++) {
            helmert[k - 1][i] = scale / k;
        }
        helmert[k - 1][k] = -scale;
    }
}

/* The matrix [3 nodes][3 nodes] of an element of up to CLAMPED_NODES without its negative eigenvalues. No translation
 * has a force, so it is enough to look at the coordinates that are left without them. */
static void clamp_element(int32_t nodes, double *matrix)
{
    int32_t size = 3 * nodes, kept = size - 3;
    double helmert[CLAMPED_NODES - 1][CLAMPED_NODES], half[CLAMPED_NUMBERS], inner[CLAMPED_NUMBERS];
    if (wf_symmetric_is_semidefinite(size, matrix)) {
        return;
    }
    fill_helmert(nodes, helmert);
    memset(half, 0, (size_t)(kept * size) * sizeof *half);
    memset(inner, 0, (size_t)(kept * kept) * sizeof *inner);
    for (int32_t r = 0; r < kept; r++) {
        for (int32_t i = 0; i <= r / 3 + 1; i++) {
            for (int32_t c = 0; c < size; c++) {
                half[r * size + c] += helmert[r / 3][i] * matrix[(3 * i + r % 3) * size + c];
            }
        }
    }
    for (int32_t r = 0; r < kept; r++) {
        for (int32_t c = 0; c < kept; c++) {
            for (int32_t i = 0; i <= c / 3 + 1; i++) {
                inner[r * kept + c] += helmert[c / 3][i] * half[r * size + 3 * i + c % 3];
            }
        }
    }
    double before[CLAMPED_NUMBERS];
    memcpy(before, inner, (size_t)(kept * kept) * sizeof *before);
    wf_symmetric_clamp(kept, inner);
    for (int32_t k = 0; k < kept * kept; k++) {
        inner[k] -= before[k];
    }
    /* matrix += H^T change H */
    memset(half, 0, (size_t)(kept * size) * sizeof *half);
    for (int32_t r = 0; r < kept; r++) {
        for (int32_t c = 0; c < kept; c++) {
            for (int32_t i = 0; i <= c / 3 + 1; i++) {
                half[r * size + 3 * i + c % 3] += inner[r * kept + c] * helmert[c / 3][i];
            }
        }
    }
    for (int32_t r = 0; r < kept; r++) {
        for (int32_t i = 0; i <= r / 3 + 1; i++) {
            for (int32_t c = 0; c < size; c++) {
                matrix[(3 * i + r % 3) * size + c] += helmert[r / 3][i] * half[r * size + c];
            }
        }
    }
}

/* matrix [3 nodes][3 nodes] += scale G^T moduli G */
static void add_gram(const wf_strain_model *m, const wf_strain_element *element, const double *moduli, double scale,
                     double *restrict matrix)
{
    int32_t strains = m->measure->strain_count, nodes = m->measure->node_count, size = 3 * nodes;
    const double *gradient = &element->gradient[0].x; /* [strains][3 nodes] */
    for (int32_t s = 0; s < strains; s++) {
        double row[NODE_NUMBERS] = {0};
        for (int32_t t = 0; t < strains; t++) {
            double factor = scale * moduli[s * strains + t];
            if (factor != 0) {
                for (int32_t c = 0; c < size; c++) {
                    row[c] += factor * gradient[t * size + c];
                }
            }
        }
        for (int32_t r = 0; r < size; r++) {
            double g = gradient[s * size + r];
            for (int32_t c = 0; c < size; c++) {
                matrix[r * size + c] += g * row[c];
            }
        }
    }
}

static void add_curvature(const wf_strain_model *m, const wf_strain_element *element, double scale, double *matrix)
{
    int32_t strains = m->measure->strain_count, nodes = m->measure->node_count, size = 3 * nodes;
    wf_mat3 hessian[WF_MAX_NODES * WF_MAX_NODES];
    double factor[WF_MAX_STRAINS];
    memset(hessian, 0, (size_t)(nodes * nodes) * sizeof *hessian);
    for (int32_t s = 0; s < strains; s++) {
        factor[s] = scale * element->stress[s];
    }
    m->measure->add_curvature(element->rest, element->x, factor, hessian);
    for (int32_t k = 0; k < nodes * nodes; k++) {
        double *to = matrix + k / nodes * 3 * size + k % nodes * 3;
        for (int i = 0; i < 9; i++) {
            to[i / 3 * size + i % 3] += hessian[k].m[i / 3][i % 3];
        }
    }
}

static void element_matrix(const wf_strain_model *m, int32_t e, wf_strain_element *element, const job *call,
                           double *matrix)
{
    int32_t nodes = m->measure->node_count, size = 3 * nodes;
    double viscous[WF_MAX_STRAINS * WF_MAX_STRAINS];
    if (m->viscous) {
        const double *past = past_of(m, e, element);
        wf_strain_element_viscous_moduli(m, element, past, viscous);
        wf_strain_element_add_viscous_stress(m, element, viscous, past, m->past_rate, element->stress);
    }
    memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
    double scale = element->weight * call->stiffness_scale;
    bool curved = m->measure->add_curvature && (call->exact || nodes <= CLAMPED_NODES);
    if (scale != 0) {
        if (!call->exact && !curved) {
            wf_symmetric_clamp(m->measure->strain_count, element->tangent);
        }
        add_gram(m, element, element->tangent, scale, matrix);
    }
    if (scale != 0 && curved) {
        add_curvature(m, element, scale, matrix);
        if (!call->exact) {
            clamp_element(nodes, matrix);
        }
    }
    if (call->damping_scale != 0 && m->viscous) {
        add_gram(m, element, viscous, element->weight * call->damping_scale, matrix);
    }
}

static void matrix_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const job *call = user;
    const wf_strain_model *m = call->model;
    int32_t nodes = m->measure->node_count, size = 3 * nodes;
    for (size_t k = begin; k < end; k++) {
        wf_strain_element element;
        double matrix[NODE_NUMBERS * NODE_NUMBERS];
        wf_strain_element_at(m, call->members[k], call->x, true, &element);
        element_matrix(m, call->members[k], &element, call, matrix);
        const int32_t *places = m->places + (size_t)call->members[k] * (size_t)(nodes * nodes);
        for (int32_t pair = 0; pair < nodes * nodes; pair++) {
            const double *from = matrix + pair / nodes * 3 * size + pair % nodes * 3;
            for (int i = 0; places[pair] >= 0 && i < 9; i++) {
                call->blocks[places[pair]].m[i / 3][i % 3] += from[i / 3 * size + i % 3];
            }
        }
    }
}

static void strain_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                              double damping_scale, wf_matrix_values a)
{
    job call = {.model = (const wf_strain_model *)model, .x = x, .stiffness_scale = stiffness_scale,
                .damping_scale = damping_scale, .blocks = a.blocks};
    for_each_element(context, &call, matrix_block);
}

static void strain_add_exact_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                    double damping_scale, wf_matrix_values a)
{
    job call = {.model = (const wf_strain_model *)model, .x = x, .stiffness_scale = stiffness_scale,
                .damping_scale = damping_scale, .exact = true, .blocks = a.blocks};
    for_each_element(context, &call, matrix_block);
}

static wf_status strain_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                             const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_pattern_place_all(context, blocks, &model->stencil, ((wf_strain_model *)model)->places);
}

/* ---- making one ------------------------------------------------------------------------------------------------ */

static void strain_destroy(wf_context *context, wf_model *model)
{
    wf_strain_model *m = (wf_strain_model *)model;
    wf_free(context, m->vertices);
    wf_free(context, m->rest);
    wf_free(context, m->reference);
    wf_free(context, m->materials);
    wf_free(context, m->material);
    wf_free(context, m->viscosity);
    wf_free(context, m->places);
    wf_colouring_free(context, &m->colours);
    wf_incidence_free(context, &m->incidence);
    wf_free(context, m->partial_sums);
    wf_free(context, m->past);
    wf_free(context, m->memory);
    wf_free(context, m->face);
    wf_free(context, m->history);
    wf_free(context, m);
}

static const wf_model_class strain_class = {
    .destroy = strain_destroy,
    .energy = strain_energy,
    .add_forces = strain_add_forces,
    .add_matrix = strain_add_matrix,
    .add_exact_matrix = strain_add_exact_matrix,
    .bind = strain_bind,
    .set_past = strain_set_past,
    .set_history = strain_set_history,
    .update_history = strain_update_history,
};

/* A copy of `count` things of `size` bytes; NULL on failure. */
static void *copy_of(wf_context *context, const void *from, size_t count, size_t size)
{
    void *copy = wf_allocate(context, count, size);
    if (copy && count > 0) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

static wf_status fill_model(wf_context *context, const wf_strain_model_def *def, wf_strain_model *m)
{
    const wf_strain_measure *measure = def->measure;
    size_t count = (size_t)def->count, nodes = (size_t)measure->node_count, materials = (size_t)def->material_count;
    size_t moduli = materials * (size_t)measure->strain_count;
    m->vertices = copy_of(context, def->vertices, count * nodes, sizeof *m->vertices);
    m->rest = copy_of(context, def->rest, count, measure->rest_size);
    m->reference = copy_of(context, def->reference, count * nodes, sizeof *m->reference);
    m->materials = copy_of(context, def->materials, materials, def->law->material_size);
    m->material = copy_of(context, def->material, count, sizeof *m->material);
    m->viscosity = copy_of(context, def->viscosity, moduli, sizeof *m->viscosity);
    m->places = wf_allocate(context, count * nodes * nodes, sizeof *m->places);
    m->partial_sums = wf_allocate(context, wf_block_count(count, ENERGY_BLOCK), sizeof *m->partial_sums);
    if (!m->vertices || !m->rest || !m->reference || !m->materials || !m->material || !m->viscosity || !m->places ||
        !m->partial_sums) {
        return WF_ERROR_MEMORY;
    }
    if (def->memory) {
        m->part = def->part;
        m->material_count = def->material_count;
        m->memory = copy_of(context, def->memory, materials, sizeof *m->memory);
        m->face = copy_of(context, def->face, count, sizeof *m->face);
        m->history = wf_allocate(context, count, sizeof *m->history);
        if (!m->memory || !m->face || !m->history) {
            return WF_ERROR_MEMORY;
        }
    }
    for (size_t k = 0; k < moduli; k++) {
        m->viscous = m->viscous || m->viscosity[k] > 0;
    }
    m->head.stencil = (wf_stencil){def->count, measure->node_count, m->vertices};
    wf_status status = wf_incidence_build(context, def->vertex_count, &m->head.stencil, &m->incidence);
    return status == WF_OK ? wf_colour_elements(context, def->vertex_count, &m->head.stencil, &m->colours) : status;
}

wf_status wf_strain_model_create(wf_context *context, const wf_strain_model_def *def, wf_model **model)
{
    *model = NULL;
    wf_strain_model *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    m->class = strain_class;
    m->class.name = def->name;
    m->class.local = def->published ? NULL : &wf_strain_local; /* its schemes need an energy's gradient */
    m->head = (wf_model){.class = &m->class, .vertex_count = def->vertex_count};
    m->measure = def->measure;
    m->law = def->law;
    m->published = def->published;
    wf_status status = fill_model(context, def, m);
    if (status != WF_OK) {
        strain_destroy(context, &m->head);
        return status;
    }
    *model = &m->head;
    return WF_OK;
}

/* ---- arrays of a definition ------------------------------------------------------------------------------------- */

/* To be filled: zero at first. */
typedef struct arrays {
    int32_t *vertices, *material;
    void *rest, *materials;
    wf_vec3 *reference;
    double *viscosity;
} arrays;

static void free_arrays(wf_context *context, arrays *a)
{
    wf_free(context, a->vertices);
    wf_free(context, a->material);
    wf_free(context, a->rest);
    wf_free(context, a->materials);
    wf_free(context, a->reference);
    wf_free(context, a->viscosity);
    *a = (arrays){0};
}

/* For so many elements and materials. On failure there are none. */
static wf_status allocate_arrays(wf_context *context, const wf_strain_measure *measure, const wf_stress_law *law,
                                 size_t count, size_t material_count, arrays *a)
{
    size_t nodes = count * (size_t)measure->node_count, moduli = material_count * (size_t)measure->strain_count;
    *a = (arrays){.vertices = wf_allocate(context, nodes, sizeof *a->vertices),
                  .material = wf_allocate(context, count, sizeof *a->material),
                  .rest = wf_allocate(context, count, measure->rest_size),
                  .materials = wf_allocate(context, material_count, law->material_size),
                  .reference = wf_allocate(context, nodes, sizeof *a->reference),
                  .viscosity = wf_allocate(context, moduli, sizeof *a->viscosity)};
    if (!a->vertices || !a->material || !a->rest || !a->materials || !a->reference || !a->viscosity) {
        free_arrays(context, a);
        return WF_ERROR_MEMORY;
    }
    return WF_OK;
}

/* ---- models of single elements --------------------------------------------------------------------------------- */

static void fill_singles(const wf_strain_singles *kind, int32_t count, const void *singles, const arrays *a)
{
    const wf_strain_measure *measure = kind->measure;
    const size_t nodes = (size_t)measure->node_count, strains = (size_t)measure->strain_count;
    for (size_t e = 0; e < (size_t)count; e++) {
        const void *single = (const unsigned char *)singles + e * kind->size;
        double viscosity = 0;
        kind->place(single, measure->node_count, a->vertices + e * nodes, a->reference + e * nodes, &viscosity);
        kind->split(single, (unsigned char *)a->rest + e * measure->rest_size,
                    (unsigned char *)a->materials + e * kind->law->material_size);
        a->material[e] = (int32_t)e;
        for (size_t s = 0; s < strains; s++) {
            a->viscosity[e * strains + s] = viscosity;
        }
    }
}

wf_status wf_strain_model_from_singles(wf_context *context, const wf_strain_singles *kind, int32_t vertex_count,
                                       int32_t count, const void *singles, wf_model **model)
{
    *model = NULL;
    arrays a;
    wf_status status = allocate_arrays(context, kind->measure, kind->law, (size_t)count, (size_t)count, &a);
    if (status == WF_OK) {
        fill_singles(kind, count, singles, &a);
        const wf_strain_model_def def = {.name = kind->name, .measure = kind->measure, .law = kind->law,
                                         .vertex_count = vertex_count, .count = count, .vertices = a.vertices,
                                         .rest = a.rest, .reference = a.reference, .material_count = count,
                                         .materials = a.materials, .material = a.material, .viscosity = a.viscosity};
        status = wf_strain_model_create(context, &def, model);
        free_arrays(context, &a);
    }
    return status;
}

void wf_strain_model_set(wf_model *model, wf_strain_splitter *split, int32_t element, const void *single)
{
    wf_strain_model *m = (wf_strain_model *)model;
    split(single, m->rest + (size_t)element * m->measure->rest_size,
          m->materials + (size_t)m->material[element] * m->law->material_size);
}

/* ---- models of sheets ------------------------------------------------------------------------------------------ */

typedef struct sheet_arrays {
    arrays all;
    int32_t *face;
    wf_memory_material *memory; /* NULL: no fabric has any */
} sheet_arrays;

static int32_t make_elements(const wf_strain_recipe *recipe, const void *user, const wf_sheet_faces *sheet,
                             sheet_arrays *a)
{
    int32_t count = 0;
    size_t nodes = (size_t)recipe->measure->node_count;
    for (int32_t face = 0; face < sheet->face_count; face++) {
        for (int32_t k = 0; wf_sheet_active(sheet, face) && k < recipe->elements_per_face; k++) {
            size_t e = (size_t)count;
            if (recipe->make_element(user, sheet, face, k, a->all.vertices + e * nodes,
                                     (unsigned char *)a->all.rest + e * recipe->measure->rest_size,
                                     a->all.reference + e * nodes)) {
                a->face[count] = face;
                a->all.material[count++] = wf_sheet_fabric(sheet, face);
            }
        }
    }
    return count;
}

static wf_status make_memory(wf_context *context, const wf_strain_recipe *recipe, const wf_sheet_faces *sheet,
                             sheet_arrays *a)
{
    if (!recipe->remembers) {
        return WF_OK;
    }
    a->memory = wf_allocate(context, (size_t)sheet->fabric_count, sizeof *a->memory);
    bool any = false;
    for (int32_t i = 0; a->memory && i < sheet->fabric_count; i++) {
        any = wf_memory_of(&sheet->fabrics[i], recipe->part, &a->memory[i]) || any;
    }
    if (!a->memory) {
        return WF_ERROR_MEMORY;
    }
    if (!any) {
        wf_free(context, a->memory);
        a->memory = NULL;
    }
    return WF_OK;
}

wf_status wf_strain_model_from_sheet(wf_context *context, const wf_strain_recipe *recipe, const void *user,
                                     const wf_sheet_faces *sheet, wf_model **model)
{
    *model = NULL;
    const wf_strain_measure *measure = recipe->measure;
    size_t most = (size_t)sheet->face_count * (size_t)recipe->elements_per_face;
    size_t fabrics = (size_t)sheet->fabric_count;
    sheet_arrays a = {.face = wf_allocate(context, most, sizeof *a.face)};
    wf_status status = allocate_arrays(context, measure, recipe->law, most, fabrics, &a.all);
    if (status == WF_OK) {
        status = a.face ? make_memory(context, recipe, sheet, &a) : WF_ERROR_MEMORY;
    }
    if (status == WF_OK) {
        for (size_t i = 0; i < fabrics; i++) {
            recipe->make_material(&sheet->fabrics[i], (unsigned char *)a.all.materials + i * recipe->law->material_size,
                                  a.all.viscosity + i * (size_t)measure->strain_count);
        }
        const wf_strain_model_def def = {.name = recipe->name, .measure = measure, .law = recipe->law,
                                         .vertex_count = sheet->vertex_count,
                                         .count = make_elements(recipe, user, sheet, &a), .vertices = a.all.vertices,
                                         .rest = a.all.rest, .reference = a.all.reference,
                                         .material_count = sheet->fabric_count, .materials = a.all.materials,
                                         .material = a.all.material, .viscosity = a.all.viscosity,
                                         .memory = a.memory, .part = recipe->part, .face = a.face,
                                         .published = recipe->published};
        status = wf_strain_model_create(context, &def, model);
    }
    wf_free(context, a.memory);
    wf_free(context, a.face);
    free_arrays(context, &a.all);
    return status;
}
