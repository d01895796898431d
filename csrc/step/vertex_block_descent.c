/* vertex_block_descent.c - "vertex block descent": backward Euler by minimising the incremental potential over one
 * vertex after another (Chen, Liu, Yang and Yuksel 2024).
 *
 * A sweep visits all vertices by colour (no two of a colour share an element), each taking one Newton step of its own
 * three coordinates with the true energies, viscosity, contacts and drag around it, cut in half until the potential
 * does not rise. So the potential falls with every sweep, at any stiffness, and the iteration converges to the same
 * backward Euler step as Newton's method, at the pace of a Gauss-Seidel method: long waves take many sweeps on fine
 * meshes.
 *
 * A step starts where the paper's adaptive initialisation puts it: at x + h v, plus h^2 times the external
 * acceleration as far as the last step followed it.
 *
 * form "chebyshev": sweeps are extrapolated with Chebyshev's weights for the spectral radius `alpha` (default 0.95);
 * where the potential would rise, the plain sweep is taken instead and the weights start anew. Form "plain", the
 * default, does not.
 *
 * `iterations` (default 20) sweeps a step. Same result for any number of threads. Vertices that are in contact with
 * one of their own colour are visited last, one by one.
 */
#include <string.h>

#include "base/tasks.h"
#include "model/colouring.h"
#include "model/local.h"
#include "solve/definite.h"
#include "step/element_step.h"

enum { DEFAULT_ITERATIONS = 20, VERTEX_BLOCK = 64, HALVINGS = 6 };

/* Scratch vectors of the scheme; what is remembered is the velocity that the last step began with. */
enum { LAST_VELOCITY, REMEMBERED, TARGET = REMEMBERED, BEFORE, PLAIN, VECTORS };

typedef struct vertex_block_descent {
    wf_integrator head;
    wf_known_elements known;
    wf_colouring colouring;
    int32_t *colour;        /* [vertices]; -1: visited one by one in any case */
    uint8_t *serial;        /* [vertices] in this step */
    int32_t *serial_list;   /* [vertices] */
    int32_t serial_count;
    int32_t *contact_start; /* [vertices + 1] into contact_end */
    int32_t *contact_end;   /* contact * 4 + place */
    size_t end_capacity;
    double *partial_sums;   /* of the potential */
    bool chebyshev;
} vertex_block_descent;

static void forget(vertex_block_descent *self)
{
    wf_context *context = self->head.context;
    wf_colouring_free(context, &self->colouring);
    wf_free(context, self->colour);
    wf_free(context, self->serial);
    wf_free(context, self->serial_list);
    wf_free(context, self->contact_start);
    wf_free(context, self->partial_sums);
    self->colour = self->serial_list = self->contact_start = NULL;
    self->serial = NULL;
    self->partial_sums = NULL;
    self->head.memory.known = false;
    wf_elements_forget(context, &self->known);
}

static void destroy(wf_integrator *integrator)
{
    vertex_block_descent *self = (vertex_block_descent *)integrator;
    forget(self);
    wf_free(integrator->context, self->contact_end);
}

static wf_status create(wf_integrator *integrator)
{
    wf_integrator_params *params = &integrator->params;
    params->iterations = params->iterations > 0 ? params->iterations : DEFAULT_ITERATIONS;
    const char *form = params->form ? params->form : "plain";
    bool chebyshev = strcmp(form, "chebyshev") == 0;
    if (!chebyshev && strcmp(form, "plain") != 0) {
        return wf_fail(integrator->context, WF_ERROR_ARGUMENT,
                       "the form of vertex block descent is \"plain\" or \"chebyshev\", not \"%.60s\"", form);
    }
    ((vertex_block_descent *)integrator)->chebyshev = chebyshev;
    return WF_OK;
}

static wf_status colour_vertices(vertex_block_descent *self, const wf_elements *elements)
{
    wf_context *context = self->head.context;
    wf_stencil *stencils = wf_allocate(context, elements->model_count, sizeof *stencils);
    if (!stencils) {
        return WF_ERROR_MEMORY;
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        stencils[m] = elements->models[m].model->stencil;
    }
    wf_pattern pattern;
    wf_status status = wf_pattern_build(context, elements->vertex_count, (int32_t)elements->model_count, stencils,
                                        &pattern);
    wf_free(context, stencils);
    if (status != WF_OK) {
        return status;
    }
    status = wf_colour_rows(context, &pattern, &self->colouring);
    wf_pattern_free(context, &pattern);
    return status;
}

static wf_status learn(vertex_block_descent *self, const wf_elements *elements)
{
    wf_context *context = self->head.context;
    if (wf_elements_unchanged(&self->known, elements)) {
        return WF_OK;
    }
    forget(self);
    size_t vertices = (size_t)elements->vertex_count;
    self->colour = wf_allocate(context, vertices, sizeof *self->colour);
    self->serial = wf_allocate(context, vertices, sizeof *self->serial);
    self->serial_list = wf_allocate(context, vertices, sizeof *self->serial_list);
    self->contact_start = wf_allocate(context, vertices + 1, sizeof *self->contact_start);
    self->partial_sums = wf_allocate(context, vertices / VERTEX_BLOCK + 1, sizeof *self->partial_sums);
    wf_status status = WF_ERROR_MEMORY;
    if (self->colour && self->serial && self->serial_list && self->contact_start && self->partial_sums) {
        status = colour_vertices(self, elements);
    }
    if (status == WF_OK) {
        status = wf_elements_remember(context, &self->known, elements);
    }
    if (status != WF_OK) {
        forget(self);
        return status;
    }
    for (size_t i = 0; i < vertices; i++) {
        self->colour[i] = -1;
    }
    for (int32_t c = 0; c < self->colouring.colour_count; c++) {
        for (int32_t k = self->colouring.start[c]; k < self->colouring.start[c + 1]; k++) {
            self->colour[self->colouring.member[k]] = c;
        }
    }
    return WF_OK;
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

/* Whether contact c has a free vertex of the same colour before place k. */
static bool clashes(const vertex_block_descent *self, const wf_resting_contact *contact, int k)
{
    for (int other = 0; other < k; other++) {
        int32_t i = contact->vertex[other];
        if (i >= 0 && contact->weight[other] != 0 && self->colour[i] == self->colour[contact->vertex[k]]) {
            return true;
        }
    }
    return false;
}

/* Lists the contacts of each vertex, and the vertices that must not run with others of their colour. */
static wf_status sort_contacts(vertex_block_descent *self, const wf_elements *elements)
{
    size_t vertices = (size_t)elements->vertex_count;
    wf_status status = wf_reserve(self->head.context, &self->contact_end, &self->end_capacity,
                                  4 * elements->contact_count, sizeof *self->contact_end);
    if (status != WF_OK) {
        return status;
    }
    int32_t *start = self->contact_start;
    memset(start, 0, (vertices + 1) * sizeof *start);
    for (size_t i = 0; i < vertices; i++) {
        self->serial[i] = self->colour[i] < 0;
    }
    for (size_t c = 0; c < elements->contact_count; c++) {
        const wf_resting_contact *contact = &elements->contacts[c];
        for (int k = 0; k < 4; k++) {
            if (contact->vertex[k] >= 0 && contact->weight[k] != 0) {
                start[contact->vertex[k] + 1]++;
                self->serial[contact->vertex[k]] |= clashes(self, contact, k);
            }
        }
    }
    for (size_t i = 0; i < vertices; i++) {
        start[i + 1] += start[i];
    }
    for (size_t c = 0; c < elements->contact_count; c++) {
        for (int k = 0; k < 4; k++) {
            int32_t i = elements->contacts[c].vertex[k];
            if (i >= 0 && elements->contacts[c].weight[k] != 0) {
                self->contact_end[start[i]++] = (int32_t)c * 4 + k;
            }
        }
    }
    /* Every beginning has moved to the next one's place. */
    memmove(start + 1, start, vertices * sizeof *start);
    start[0] = 0;
    self->serial_count = 0;
    for (size_t i = 0; i < vertices; i++) {
        if (self->serial[i]) {
            self->serial_list[self->serial_count++] = (int32_t)i;
        }
    }
    return WF_OK;
}

/* ---- one vertex -------------------------------------------------------------------------------------------------- */

typedef struct descent {
    vertex_block_descent *self;
    const wf_system *system;
    const wf_vec3 *target, *x0;
    wf_vec3 *x;
    double h;
    int32_t first; /* of a colour's members */
} descent;

/* Everything that the potential says about vertex i where it is. */
static wf_vertex_terms terms_at(const descent *d, int32_t i, bool matrix)
{
    const wf_elements *elements = d->system->elements;
    const vertex_block_descent *self = d->self;
    wf_local_state state = {d->x0, d->x, d->h};
    wf_vec3 way = wf_vec3_sub(d->x[i], d->target[i]);
    double inertia = wf_elements_inertia(elements, d->h, i);
    wf_vertex_terms terms = {.energy = 0.5 * inertia * wf_vec3_norm2(way), .force = wf_vec3_scale(way, -inertia),
                             .matrix = {inertia, 0, 0, inertia, 0, inertia}};
    for (size_t m = 0; m < elements->model_count; m++) {
        const wf_scaled_model *scaled = &elements->models[m];
        scaled->model->class->local->add_vertex(scaled->model, i, scaled->scale, &state, matrix, &terms);
    }
    for (int32_t e = self->contact_start[i]; e < self->contact_start[i + 1]; e++) {
        const wf_resting_contact *contact = &elements->contacts[self->contact_end[e] / 4];
        double weight = contact->weight[self->contact_end[e] % 4];
        wf_contact_terms at = wf_contact_terms_of(contact, d->h, d->x0, d->x);
        terms.energy += wf_contact_energy(contact, &at, d->h);
        terms.force = wf_vec3_muladds(terms.force, wf_contact_force(contact, &at, d->h), weight);
        double drag = contact->drag / d->h, along = (at.overlap > 0 ? contact->stiffness : 0) - drag;
        const double n[3] = {contact->normal.x, contact->normal.y, contact->normal.z};
        for (int r = 0, k = 0; matrix && r < 3; r++) {
            for (int c = r; c < 3; c++, k++) {
                terms.matrix[k] += weight * weight * ((r == c ? drag : 0) + along * n[r] * n[c]);
            }
        }
    }
    return terms;
}

/* One Newton step of vertex i, shortened until the potential does not rise. */
static void descend(const descent *d, int32_t i)
{
    if (wf_vertex_prescribed(d->system, i)) {
        return;
    }
    wf_vertex_terms here = terms_at(d, i, true);
    wf_vec3 pull = wf_vec3_add(here.force, here.drag), move, from = d->x[i];
    if (!wf_solve_definite(here.matrix, pull, &move)) {
        return;
    }
    double expected = 0.5 * wf_vec3_dot(pull, move);
    /* Too near the end for the potential to tell up from down. */
    if (expected <= 1e-13 * fabs(here.energy)) {
        d->x[i] = wf_vec3_add(from, move);
        return;
    }
    for (int halving = 0; halving < HALVINGS; halving++) {
        d->x[i] = wf_vec3_add(from, move);
        wf_vertex_terms there = terms_at(d, i, false);
        double work = 0.5 * wf_vec3_dot(wf_vec3_add(here.drag, there.drag), move);
        if (there.energy - here.energy - work <= 0) {
            return;
        }
        move = wf_vec3_scale(move, 0.5);
    }
    d->x[i] = from;
}

static void descend_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const descent *d = user;
    for (size_t k = begin; k < end; k++) {
        int32_t i = d->self->colouring.member[d->first + (int32_t)k];
        if (!d->self->serial[i]) {
            descend(d, i);
        }
    }
}

static void sweep(descent *d)
{
    vertex_block_descent *self = d->self;
    for (int32_t c = 0; c < self->colouring.colour_count; c++) {
        d->first = self->colouring.start[c];
        wf_parallel_for(self->head.context, (size_t)(self->colouring.start[c + 1] - d->first), VERTEX_BLOCK,
                        descend_block, d);
    }
    for (int32_t k = 0; k < self->serial_count; k++) {
        descend(d, self->serial_list[k]);
    }
    self->head.work.solver_iterations++;
}

/* ---- Chebyshev -------------------------------------------------------------------------------------------------- */

static void inertia_block(void *user, size_t block, size_t begin, size_t end)
{
    const descent *d = user;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += 0.5 * wf_elements_inertia(d->system->elements, d->h, (int32_t)i) *
               wf_vec3_norm2(wf_vec3_sub(d->x[i], d->target[i]));
    }
    d->self->partial_sums[block] = sum;
}

static double potential(const descent *d)
{
    const wf_elements *elements = d->system->elements;
    wf_context *context = d->self->head.context;
    size_t count = (size_t)elements->vertex_count;
    double sum = 0;
    wf_parallel_for(context, count, VERTEX_BLOCK, inertia_block, (void *)d);
    for (size_t block = 0; block < wf_block_count(count, VERTEX_BLOCK); block++) {
        sum += d->self->partial_sums[block];
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        wf_model *model = elements->models[m].model;
        sum += elements->models[m].scale * wf_model_energy(context, model, d->x);
    }
    for (size_t c = 0; c < elements->contact_count; c++) {
        wf_contact_terms at = wf_contact_terms_of(&elements->contacts[c], d->h, d->x0, d->x);
        sum += wf_contact_energy(&elements->contacts[c], &at, d->h);
    }
    d->self->head.work.energy_evaluations++;
    return sum;
}

/* Sweeps with x_k+1 = w (swept x_k - x_k-1) + x_k-1 (Wang 2015), as long as that lowers the potential. */
static void sweep_accelerated(descent *d, wf_vec3 *before, wf_vec3 *plain)
{
    wf_integrator *head = &d->self->head;
    size_t bytes = head->size * sizeof(double), count = head->size / 3;
    double radius = head->params.alpha, weight = 1;
    int32_t run = 0; /* sweeps since the weights started */
    for (int32_t iteration = 0; iteration < head->params.iterations; iteration++) {
        memcpy(plain, d->x, bytes); /* x_k, becomes x_k-1 */
        sweep(d);
        run++;
        weight = run <= 1 ? 1 : run == 2 ? 2 / (2 - radius * radius) : 4 / (4 - radius * radius * weight);
        if (weight > 1) {
            double swept = potential(d);
            for (size_t i = 0; i < count; i++) {
                wf_vec3 reached = d->x[i];
                d->x[i] = wf_vec3_lerp(before[i], reached, weight);
                before[i] = reached; /* to come back to */
            }
            if (!(potential(d) <= swept)) {
                memcpy(d->x, before, bytes);
                run = 0;
            }
        }
        memcpy(before, plain, bytes);
    }
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

/* The paper's adaptive initialisation: how much of the external acceleration the vertex took in the last step. */
static void start_at(const descent *d, const wf_vec3 *v, const wf_vec3 *last)
{
    const wf_elements *elements = d->system->elements;
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        if (wf_vertex_prescribed(d->system, i) || !last) {
            d->x[i] = d->target[i];
            continue;
        }
        double share = 0, load2 = wf_vec3_norm2(elements->load[i]);
        if (load2 > 0) {
            double taken = wf_vec3_dot(wf_vec3_sub(v[i], last[i]), elements->load[i]) * elements->mass[i] / d->h;
            share = fmin(fmax(taken / load2, 0), 1);
        }
        wf_vec3 velocity = wf_vec3_muladds(v[i], elements->load[i], share * d->h / elements->mass[i]);
        d->x[i] = wf_vec3_muladds(d->x0[i], velocity, d->h);
    }
}

static wf_status step(wf_integrator *integrator, const wf_system *system, double t, double h, const double *x,
                      const double *v, double *x1, double *v1)
{
    (void)t;
    vertex_block_descent *self = (vertex_block_descent *)integrator;
    wf_status status = wf_elements_check(integrator, system);
    const wf_elements *elements = system->elements;
    if (status == WF_OK) {
        status = learn(self, elements);
    }
    if (status == WF_OK) {
        status = sort_contacts(self, elements);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t k = 0; k < VECTORS; k++) {
        if (!wf_scheme_vector(integrator, k)) {
            return WF_ERROR_MEMORY;
        }
    }
    wf_vec3 *target = (wf_vec3 *)integrator->vectors[TARGET], *last = (wf_vec3 *)integrator->vectors[LAST_VELOCITY];
    descent d = {.self = self, .system = system, .target = target, .x0 = (const wf_vec3 *)x, .x = (wf_vec3 *)x1,
                 .h = h};
    wf_elements_predict(system, h, d.x0, (const wf_vec3 *)v, target);
    start_at(&d, (const wf_vec3 *)v, integrator->memory.known ? last : NULL);
    if (self->chebyshev) {
        sweep_accelerated(&d, (wf_vec3 *)integrator->vectors[BEFORE], (wf_vec3 *)integrator->vectors[PLAIN]);
    } else {
        for (int32_t iteration = 0; iteration < integrator->params.iterations; iteration++) {
            sweep(&d);
        }
    }
    for (size_t i = 0; i < integrator->size; i++) {
        v1[i] = system->prescribed && system->prescribed[i] ? v[i] : (x1[i] - x[i]) / h;
    }
    memcpy(last, v, integrator->size * sizeof(double));
    integrator->memory.known = true;
    return WF_OK;
}

const wf_integrator_class wf_scheme_vertex_block_descent = {
    .name = "vertex block descent",
    .describes = "backward Euler by Newton steps of one vertex after another on the incremental potential",
    .order = 1,
    .implicit = true,
    .needs_elements = true,
    .memory_vectors = REMEMBERED,
    .alpha = 0.95,
    .instance_size = sizeof(vertex_block_descent),
    .create = create,
    .step = step,
    .destroy = destroy,
};
