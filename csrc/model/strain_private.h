/* strain_private.h - what a model of strains holds, and one element of it, for the files that evaluate it. */
#ifndef WEFT_MODEL_STRAIN_PRIVATE_H
#define WEFT_MODEL_STRAIN_PRIVATE_H

#include "model/colouring.h"
#include "model/incidence.h"
#include "model/strain_model.h"

typedef struct wf_strain_model {
    wf_model head;
    wf_model_class class; /* its name is the model's own */
    const wf_strain_measure *measure;
    const wf_stress_law *law;
    wf_published_force *published;
    int32_t *vertices;    /* [count * nodes] */
    unsigned char *rest;  /* [count] of measure->rest_size bytes */
    wf_vec3 *reference;   /* [count * nodes] */
    unsigned char *materials;
    int32_t *material;    /* [count] */
    double *viscosity;    /* [materials * strains], s */
    wf_memory_material *memory; /* [materials]; NULL: nothing is remembered */
    bool viscous;         /* some of them is not zero */
    int32_t *places;      /* [count * nodes * nodes] in the bound pattern, as of wf_pattern_place_all */
    wf_colouring colours;
    wf_incidence incidence;
    double *partial_sums; /* of energies, by block */
    double *past;         /* [count * strains] strains of the past, averaged; NULL until one is set */
    int32_t material_count; /* this and the next are set with memory alone */
    wf_history_part part;
    int32_t *face;        /* [count] of the sheet; this and the next are NULL without memory */
    wf_strain_history *history; /* [count] */
    double past_rate;     /* 1/s: one over its span; 0: there is none */
} wf_strain_model;

/* An element at some positions. */
typedef struct wf_strain_element {
    const int32_t *vertex;
    const void *rest, *material;
    const double *viscosity;
    const wf_memory_material *memory; /* NULL: none */
    const wf_strain_history *history;
    double weight;
    wf_vec3 x[WF_MAX_NODES];
    double strain[WF_MAX_STRAINS], stress[WF_MAX_STRAINS], tangent[WF_MAX_STRAINS * WF_MAX_STRAINS];
    wf_vec3 gradient[WF_MAX_STRAINS * WF_MAX_NODES];
    double energy; /* density */
} wf_strain_element;

/* Which element it is; all but the positions and what follows from them. */
void wf_strain_element_read(const wf_strain_model *model, int32_t e, wf_strain_element *element);

/* What follows from the positions: strains, their gradient, energy, stress and, when wanted, the tangent. */
void wf_strain_element_evaluate(const wf_strain_model *model, bool tangent, wf_strain_element *element);

/* Both, at the vertices' positions x. */
void wf_strain_element_at(const wf_strain_model *model, int32_t e, const wf_vec3 *x, bool tangent,
                          wf_strain_element *element);

/* E of strain_model.h, the law's tangent taken at `strain`. */
void wf_strain_element_viscous_moduli(const wf_strain_model *model, const wf_strain_element *element,
                                      const double *strain, double *moduli);

/* stress [strains] += rate x moduli (strain - past) */
void wf_strain_element_add_viscous_stress(const wf_strain_model *model, const wf_strain_element *element,
                                          const double *moduli, const double *past, double rate, double *stress);

#endif
