#include "step/element_step.h"

#include <string.h>

#include "model/local.h"

/* ---- what is known ---------------------------------------------------------------------------------------------- */

bool wf_elements_unchanged(const wf_known_elements *known, const wf_elements *elements)
{
    if (!known->known || known->revision != elements->revision || known->vertex_count != elements->vertex_count ||
        known->model_count != elements->model_count) {
        return false;
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        if (known->models[m] != elements->models[m].model) {
            return false;
        }
    }
    return true;
}

wf_status wf_elements_remember(wf_context *context, wf_known_elements *known, const wf_elements *elements)
{
    known->known = false;
    wf_status status = wf_reserve(context, &known->models, &known->capacity, elements->model_count,
                                  sizeof *known->models);
    if (status != WF_OK) {
        return status;
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        known->models[m] = elements->models[m].model;
    }
    known->model_count = elements->model_count;
    known->vertex_count = elements->vertex_count;
    known->revision = elements->revision;
    known->known = true;
    return WF_OK;
}

wf_status wf_elements_set_past(wf_context *context, const wf_elements *elements, const wf_past *past)
{
    wf_status status = WF_OK;
    for (size_t m = 0; m < elements->model_count && status == WF_OK; m++) {
        wf_model *model = elements->models[m].model;
        status = model->class->set_past ? model->class->set_past(context, model, past) : WF_OK;
    }
    return status;
}

void wf_elements_forget(wf_context *context, wf_known_elements *known)
{
    wf_free(context, known->models);
    *known = (wf_known_elements){0};
}

wf_status wf_elements_check(wf_integrator *self, const wf_system *system)
{
    const char *name = self->class->name;
    const wf_elements *elements = system->elements;
    if (!elements) {
        return wf_fail(self->context, WF_ERROR_STATE, "%s works on elements, and this system has none", name);
    }
    if (system->size != 3 * (size_t)elements->vertex_count) {
        return wf_fail(self->context, WF_ERROR_STATE, "%s: %d vertices do not make a system of %zu components", name,
                       elements->vertex_count, system->size);
    }
    for (size_t m = 0; m < elements->model_count; m++) {
        const wf_model *model = elements->models[m].model;
        if (!model->class->local) {
            return wf_fail(self->context, WF_ERROR_STATE,
                           "%s needs the energies of elements, and this form of the model \"%s\" has none", name,
                           model->class->name);
        }
    }
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        if (!(elements->mass[i] > 0)) {
            return wf_fail(self->context, WF_ERROR_ARGUMENT, "%s: vertex %d has the mass %g kg", name, i + 1,
                           elements->mass[i]);
        }
        const uint8_t *fixed = system->prescribed ? system->prescribed + 3 * (size_t)i : NULL;
        if (fixed && (!fixed[0] != !fixed[1] || !fixed[0] != !fixed[2])) {
            return wf_fail(self->context, WF_ERROR_STATE,
                           "%s: vertex %d is prescribed in some directions only, which this scheme cannot do", name,
                           i + 1);
        }
    }
    return WF_OK;
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

void wf_elements_predict(const wf_system *system, double h, const wf_vec3 *x0, const wf_vec3 *v0, wf_vec3 *targets)
{
    const wf_elements *elements = system->elements;
    double slowed = h / (1 + h * elements->damping);
    for (int32_t i = 0; i < elements->vertex_count; i++) {
        if (wf_vertex_prescribed(system, i)) {
            targets[i] = wf_vec3_muladds(x0[i], v0[i], h);
        } else {
            wf_vec3 velocity = wf_vec3_muladds(v0[i], elements->load[i], h / elements->mass[i]);
            targets[i] = wf_vec3_muladds(x0[i], velocity, slowed);
        }
    }
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

wf_contact_terms wf_contact_terms_of(const wf_resting_contact *contact, double h, const wf_vec3 *x0, const wf_vec3 *x)
{
    wf_vec3 way = wf_vec3_scale(contact->drift, h);
    for (int k = 0; k < 4; k++) {
        int32_t i = contact->vertex[k];
        if (i >= 0) {
            way = wf_vec3_muladds(way, wf_vec3_sub(x[i], x0[i]), contact->weight[k]);
        }
    }
    double along = wf_vec3_dot(way, contact->normal);
    return (wf_contact_terms){-(contact->gap + along), wf_vec3_muladds(way, contact->normal, -along)};
}

wf_vec3 wf_contact_force(const wf_resting_contact *contact, const wf_contact_terms *terms, double h)
{
    wf_vec3 press = wf_vec3_scale(contact->normal, contact->stiffness * fmax(terms->overlap, 0));
    return wf_vec3_muladds(press, terms->slide, -contact->drag / h);
}

double wf_contact_energy(const wf_resting_contact *contact, const wf_contact_terms *terms, double h)
{
    double overlap = fmax(terms->overlap, 0);
    return 0.5 * (contact->stiffness * overlap * overlap + contact->drag / h * wf_vec3_norm2(terms->slide));
}
