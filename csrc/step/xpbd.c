/* xpbd.c - "xpbd": extended position-based dynamics with small steps (Macklin, Mueller and Chentanez 2016; Macklin et
 * al. 2019, "Small steps in physics simulation").
 *
 * A step is cut into `substeps` (default 16) backward Euler steps, each solved by `iterations` (default 1)
 * Gauss-Seidel passes over the elements: triangles by the inverse of their orthotropic moduli, the three hinges of a
 * face together, springs, then contacts with their drag. The compliances are the fabric's own, not tuned numbers: with
 * many iterations a substep converges to the backward Euler step of the same energies (model/relaxation_kernels.h says
 * what is changed of the published iteration so that it does). The viscosity of membranes follows, by as many passes
 * over the velocities.
 *
 * What few iterations do: an element is balanced with the masses of its own vertices alone, so a membrane never acts
 * stiffer than about m (substeps / h)^2 per vertex, whatever its moduli: cloth of fine meshes stretches, by T h^2 / (m
 * substeps^2) times a number near 2 where the tension T passes from vertex to vertex. Halving the substep divides that
 * by four, a second iteration by less than two.
 *
 * Elements run in colours, the same result for any number of threads. Contacts run one after the other.
 */
#include <string.h>

#include "model/local.h"
#include "step/element_step.h"

enum { DEFAULT_SUBSTEPS = 16, DEFAULT_ITERATIONS = 1 };

/* What a contact has given its vertices in this substep, per unit of weight. N s2 */
typedef struct contact_impulse {
    double press;
    wf_vec3 drag;
} contact_impulse;

typedef struct xpbd {
    wf_integrator head;
    wf_known_elements known;
    wf_relaxation **relaxations; /* [known.model_count] */
    size_t relaxation_count;
    wf_point *points, *start, *velocities; /* [vertex_count + 1] */
    double *approach;         /* [contacts] the gap at the start of the substep */
    contact_impulse *impulses;
    size_t approach_capacity, impulse_capacity;
} xpbd;

static void forget(xpbd *self)
{
    wf_context *context = self->head.context;
    for (size_t m = 0; m < self->relaxation_count; m++) {
        if (self->relaxations[m]) {
            self->relaxations[m]->class->destroy(context, self->relaxations[m]);
        }
    }
    wf_free(context, self->relaxations);
    wf_free(context, self->points);
    wf_free(context, self->start);
    wf_free(context, self->velocities);
    self->relaxations = NULL;
    self->points = self->start = self->velocities = NULL;
    self->relaxation_count = 0;
    wf_elements_forget(context, &self->known);
}

static void destroy(wf_integrator *integrator)
{
    xpbd *self = (xpbd *)integrator;
    forget(self);
    wf_free(integrator->context, self->approach);
    wf_free(integrator->context, self->impulses);
}

static wf_status create(wf_integrator *self)
{
    wf_integrator_params *params = &self->params;
    params->substeps = params->substeps > 0 ? params->substeps : DEFAULT_SUBSTEPS;
    params->iterations = params->iterations > 0 ? params->iterations : DEFAULT_ITERATIONS;
    return WF_OK;
}

static wf_status learn(xpbd *self, const wf_elements *elements)
{
    wf_context *context = self->head.context;
    if (wf_elements_unchanged(&self->known, elements)) {
        return WF_OK;
    }
    forget(self);
    size_t points = (size_t)elements->vertex_count + 1;
    self->points = wf_allocate(context, points, sizeof *self->points);
    self->start = wf_allocate(context, points, sizeof *self->start);
    self->velocities = wf_allocate(context, points, sizeof *self->velocities);
    self->relaxations = wf_allocate(context, elements->model_count, sizeof *self->relaxations);
    wf_status status = self->points && self->start && self->velocities && self->relaxations ? WF_OK : WF_ERROR_MEMORY;
    for (size_t m = 0; status == WF_OK && m < elements->model_count; m++) {
        const wf_model *model = elements->models[m].model;
        status = model->class->local->relaxation(context, model, &self->relaxations[m]);
        self->relaxation_count = m + 1;
    }
    if (status == WF_OK) {
        status = wf_elements_remember(context, &self->known, elements);
    }
    if (status != WF_OK) {
        forget(self);
    }
    return status;
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

static wf_vec3 way_of(const wf_point *to, const wf_point *from)
{
    return (wf_vec3){to->x - from->x, to->y - from->y, to->z - from->z};
}

/* The relative way of a contact's sides in this substep. */
static wf_vec3 relative_way(const xpbd *self, const wf_resting_contact *contact, double h)
{
    wf_vec3 way = wf_vec3_scale(contact->drift, h);
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            way = wf_vec3_muladds(way, way_of(&self->points[i], &self->start[i]), contact->weight[k]);
        }
    }
    return way;
}

static void push(wf_point *points, const wf_resting_contact *contact, wf_vec3 impulse)
{
    for (int k = 0; k < 4; k++) {
        if (contact->vertex[k] >= 0) {
            wf_point *point = &points[contact->vertex[k]];
            double mobility = point->inverse_mass * contact->weight[k];
            point->x += mobility * impulse.x;
            point->y += mobility * impulse.y;
            point->z += mobility * impulse.z;
        }
    }
}

/* Press = h^2 k overlap >= 0 and drag = -h c slide, both implicit in what they move. */
static void relax_contacts(xpbd *self, const wf_elements *elements, double h)
{
    for (size_t c = 0; c < elements->contact_count; c++) {
        const wf_resting_contact *contact = &elements->contacts[c];
        contact_impulse *impulse = &self->impulses[c];
        double mobility = 0;
        for (int k = 0; k < 4; k++) {
            if (contact->vertex[k] >= 0) {
                mobility += self->points[contact->vertex[k]].inverse_mass * contact->weight[k] * contact->weight[k];
            }
        }
        wf_vec3 way = relative_way(self, contact, h);
        double along = wf_vec3_dot(way, contact->normal), stiffness = h * h * contact->stiffness;
        double press = (stiffness * (mobility * impulse->press - self->approach[c] - along)) /
                       (1 + stiffness * mobility);
        press = fmax(press, 0);
        wf_vec3 slide = wf_vec3_muladds(way, contact->normal, -along);
        double drag = h * contact->drag;
        wf_vec3 held = wf_vec3_scale(wf_vec3_sub(wf_vec3_scale(impulse->drag, mobility), slide),
                                     drag / (1 + drag * mobility));
        wf_vec3 change = wf_vec3_sub(held, impulse->drag);
        push(self->points, contact, wf_vec3_muladds(change, contact->normal, press - impulse->press));
        *impulse = (contact_impulse){press, held};
    }
}

static wf_status begin_contacts(xpbd *self, const wf_elements *elements)
{
    wf_context *context = self->head.context;
    size_t count = elements->contact_count;
    wf_status status = wf_reserve(context, &self->approach, &self->approach_capacity, count, sizeof *self->approach);
    if (status == WF_OK) {
        status = wf_reserve(context, &self->impulses, &self->impulse_capacity, count, sizeof *self->impulses);
    }
    for (size_t c = 0; status == WF_OK && c < count; c++) {
        self->approach[c] = elements->contacts[c].gap;
    }
    return status;
}

/* The gaps that the next substep begins with. */
static void advance_contacts(xpbd *self, const wf_elements *elements, double h)
{
    for (size_t c = 0; c < elements->contact_count; c++) {
        self->approach[c] += wf_vec3_dot(relative_way(self, &elements->contacts[c], h), elements->contacts[c].normal);
    }
}

/* What has been pressed does not spring back: it parts no faster than it must. Velocities are those of the substep. */
static void end_contacts(xpbd *self, const wf_elements *elements)
{
    for (size_t c = 0; c < elements->contact_count; c++) {
        const wf_resting_contact *contact = &elements->contacts[c];
        double rate = wf_vec3_dot(contact->drift, contact->normal), mobility = 0;
        for (int k = 0; k < 4 && self->impulses[c].press > 0; k++) {
            if (contact->vertex[k] >= 0) {
                const wf_point *v = &self->velocities[contact->vertex[k]];
                rate += contact->weight[k] * wf_vec3_dot((wf_vec3){v->x, v->y, v->z}, contact->normal);
                mobility += v->inverse_mass * contact->weight[k] * contact->weight[k];
            }
        }
        if (rate > 0 && mobility > 0) {
            push(self->velocities, contact, wf_vec3_scale(contact->normal, -rate / mobility));
        }
    }
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

/* Velocities are what the points did, after viscosity and without rebound. */
static void end_velocities(xpbd *self, const wf_elements *elements, double over, wf_vec3 *v)
{
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        double inverse_mass = self->points[i].inverse_mass;
        wf_vec3 at = inverse_mass > 0 ? wf_vec3_scale(way_of(&self->points[i], &self->start[i]), over) : v[i];
        self->velocities[i] = (wf_point){at.x, at.y, at.z, inverse_mass};
    }
    for (int32_t iteration = 0; iteration < self->head.params.iterations; iteration++) {
        for (size_t m = 0; m < self->relaxation_count; m++) {
            wf_relaxation *relaxation = self->relaxations[m];
            if (relaxation->class->damp) {
                relaxation->class->damp(self->head.context, relaxation, iteration == 0, self->points,
                                        self->velocities);
            }
        }
    }
    end_contacts(self, elements);
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        v[i] = (wf_vec3){self->velocities[i].x, self->velocities[i].y, self->velocities[i].z};
    }
}

static void substep(xpbd *self, const wf_system *system, double h, wf_vec3 *v)
{
    wf_context *context = self->head.context;
    const wf_elements *elements = system->elements;
    double slowed = h / (1 + h * elements->damping);
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        wf_point *point = &self->points[i];
        self->start[i] = *point;
        wf_vec3 way = wf_vec3_scale(v[i], h);
        if (point->inverse_mass > 0) {
            way = wf_vec3_scale(wf_vec3_muladds(v[i], elements->load[i], h / elements->mass[i]), slowed);
        }
        point->x += way.x;
        point->y += way.y;
        point->z += way.z;
    }
    if (elements->contact_count > 0) {
        memset(self->impulses, 0, elements->contact_count * sizeof *self->impulses);
    }
    for (int32_t iteration = 0; iteration < self->head.params.iterations; iteration++) {
        for (size_t m = 0; m < self->relaxation_count; m++) {
            wf_relaxation *relaxation = self->relaxations[m];
            relaxation->class->sweep(context, relaxation, iteration == 0, self->start, self->points);
        }
        relax_contacts(self, elements, h);
    }
    advance_contacts(self, elements, h);
    end_velocities(self, elements, 1 / h, v);
}

static wf_status step(wf_integrator *integrator, const wf_system *system, double t, double h, const double *x,
                      const double *v, double *x1, double *v1)
{
    (void)t;
    xpbd *self = (xpbd *)integrator;
    wf_status status = wf_elements_check(integrator, system);
    const wf_elements *elements = system->elements;
    if (status == WF_OK) {
        status = learn(self, elements);
    }
    if (status == WF_OK) {
        status = begin_contacts(self, elements);
    }
    if (status != WF_OK) {
        return status;
    }
    const wf_vec3 *x0 = (const wf_vec3 *)x;
    int32_t substeps = integrator->params.substeps;
    double part = h / substeps, damped = 1 + part * elements->damping;
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        double inverse_mass = wf_vertex_prescribed(system, i) ? 0 : 1 / (elements->mass[i] * damped);
        self->points[i] = (wf_point){x0[i].x, x0[i].y, x0[i].z, inverse_mass};
    }
    for (size_t m = 0; m < self->relaxation_count; m++) {
        self->relaxations[m]->class->prepare(integrator->context, self->relaxations[m], elements->models[m].scale, part,
                                             self->points);
    }
    memcpy(v1, v, system->size * sizeof *v1);
    for (int32_t s = 0; s < substeps; s++) {
        substep(self, system, part, (wf_vec3 *)v1);
    }
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        ((wf_vec3 *)x1)[i] = (wf_vec3){self->points[i].x, self->points[i].y, self->points[i].z};
    }
    integrator->work.steps += substeps - 1;
    integrator->work.solver_iterations += (int64_t)substeps * integrator->params.iterations;
    return WF_OK;
}

const wf_integrator_class wf_scheme_xpbd = {
    .name = "xpbd",
    .describes = "extended position-based dynamics with small steps: Gauss-Seidel over elements with their compliance",
    .order = 1,
    .implicit = true,
    .needs_elements = true,
    .instance_size = sizeof(xpbd),
    .create = create,
    .step = step,
    .destroy = destroy,
};
