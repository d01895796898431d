/* strain_model.h - the force model of a strain measure and a stress law (strain.h), for any elements.
 *
 * With w the element's weight, G = d strain / d x and sigma, C the law's stress and tangent,
 *
 *     energy          w W(strain)
 *     force           -w G^T sigma
 *     exact matrix     w (G^T C G + sum over s of sigma_s d2 strain_s / dx dx)
 *     matrix           the same with the negative eigenvalues of each element removed; where strains are linear, and
 *                      of elements with more than eight nodes, whose eigenvalues cost more than they bring, w G^T C G
 *                      with C without negative ones
 *     viscous force   -w G^T E d strain / dt,  E_st = sqrt(viscosity_s viscosity_t) C_st,  C without its negative
 *                      eigenvalues
 *
 * Viscosity acts on the rates of the strains, so that rigid motions feel none and momentum stays. The rates are G v,
 * with E at the present strains, or differences to the past (past.h), with E at the past's: then E does not change with
 * x, viscous forces have a potential, and the matrices hold its whole second derivative.
 *
 * What a material remembers (memory.h) adds to the law's energy, stress and tangent.
 *
 * Elements are coloured; those of one colour share no vertex and run in parallel. Sums so have one order.
 */
#ifndef WEFT_MODEL_STRAIN_MODEL_H
#define WEFT_MODEL_STRAIN_MODEL_H

#include "model/element.h"
#include "model/memory.h"
#include "model/model.h"
#include "model/strain.h"

/* A force that replaces the gradient's in models as published: force[i], N, is overwritten for each node. */
typedef void wf_published_force(const void *rest, const void *material, const wf_vec3 *x, wf_vec3 *force);

typedef struct wf_strain_model_def {
    const char *name; /* must outlive the model */
    const wf_strain_measure *measure;
    const wf_stress_law *law;
    int32_t vertex_count;
    int32_t count;            /* of elements, in the order of the faces that they belong to */
    const int32_t *vertices;  /* [count * node_count] */
    const void *rest;         /* [count] of measure->rest_size bytes */
    const wf_vec3 *reference; /* [count * node_count] positions, m, at which the strains are zero */
    int32_t material_count;
    const void *materials;    /* [material_count] of law->material_size bytes */
    const int32_t *material;  /* [count] of materials */
    const double *viscosity;  /* [material_count * strain_count], s */
    const wf_memory_material *memory; /* [material_count], of three strains; NULL: nothing is remembered */
    wf_history_part part;             /* in which part of a face's history */
    const int32_t *face;              /* [count] of the sheet, with memory: one element has each face at most */
    wf_published_force *published; /* NULL: none. Energy and matrices stay those of measure and law. */
} wf_strain_model_def;

/* Makes the model; everything is copied. */
wf_status wf_strain_model_create(wf_context *context, const wf_strain_model_def *def, wf_model **model);

/* ---- models of single elements --------------------------------------------------------------------------------- */

/* What may change of one between steps: writes the whole of its rest shape and material. */
typedef void wf_strain_splitter(const void *single, void *rest, void *material);

/* How elements that share no material come about, each of what the caller has on it. */
typedef struct wf_strain_singles {
    const char *name;
    const wf_strain_measure *measure;
    const wf_stress_law *law;
    size_t size; /* of what the caller has on one, bytes */

    /* Its vertices, positions at rest (zero before), and the viscosity of all its strains, s. */
    void (*place)(const void *single, int32_t node_count, int32_t *vertices, wf_vec3 *reference, double *viscosity);
    wf_strain_splitter *split;
} wf_strain_singles;

/* singles: [count] */
wf_status wf_strain_model_from_singles(wf_context *context, const wf_strain_singles *kind, int32_t vertex_count,
                                       int32_t count, const void *singles, wf_model **model);

/* Splits another in place of that element's, between steps. */
void wf_strain_model_set(wf_model *model, wf_strain_splitter *split, int32_t element, const void *single);

/* ---- models of sheets ------------------------------------------------------------------------------------------ */

/* Element k of a face: nodes, rest shape, positions at rest. False: the face has no such element. `user` is
 * wf_strain_model_from_sheet's. */
typedef bool wf_element_maker(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                              void *rest, wf_vec3 *reference);

/* How the elements of a sheet come about: up to elements_per_face of each of its active faces, made of the face's
 * fabric. */
typedef struct wf_strain_recipe {
    const char *name;
    const wf_strain_measure *measure;
    const wf_stress_law *law;
    int32_t elements_per_face;
    wf_element_maker *make_element;

    /* viscosity: [strain_count], s */
    void (*make_material)(const wf_fabric *fabric, void *material, double *viscosity);

    bool remembers;                /* takes what fabrics remember in this part: the strains are those of memory.h */
    wf_history_part part;
    wf_published_force *published; /* NULL: none */
} wf_strain_recipe;

wf_status wf_strain_model_from_sheet(wf_context *context, const wf_strain_recipe *recipe, const void *user,
                                     const wf_sheet_faces *sheet, wf_model **model);

#endif
