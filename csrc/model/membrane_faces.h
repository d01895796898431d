/* membrane_faces.h - how kernels of membranes read a vector of faces and write what they found; for files that define
 * WF_WIDE_KERNELS first.
 */
#ifndef WEFT_MODEL_MEMBRANE_FACES_H
#define WEFT_MODEL_MEMBRANE_FACES_H

#include "base/dispatch.h"
#include "model/membrane_private.h"
#include "model/membrane_weave.h"

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* WF_WIDTH faces of a batch. */
typedef struct wf_faces {
    wf_wide gradient1x, gradient1y, gradient2x, gradient2y, area;
    wf_wide moduli[4], viscosity; /* moduli: C1111, C1122, C2222, C1212 */
} wf_faces;

static inline void wf_read_materials(const wf_membrane *m, const int32_t *material, wf_faces *f)
{
    const wf_membrane_material *first = &m->materials[material[0]];
    int32_t others = 0;
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        others |= material[lane] ^ material[0];
    }
    if (others == 0) {
        f->moduli[0] = wf_wide_set(first->c11);
        f->moduli[1] = wf_wide_set(first->c12);
        f->moduli[2] = wf_wide_set(first->c22);
        f->moduli[3] = wf_wide_set(first->c33);
        f->viscosity = wf_wide_set(first->viscosity);
        return;
    }
    int32_t index[WF_WIDTH];
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        index[lane] = material[lane] * (int32_t)(sizeof *first / sizeof(double));
    }
    f->moduli[0] = wf_wide_gather(&m->materials->c11, index);
    f->moduli[1] = wf_wide_gather(&m->materials->c12, index);
    f->moduli[2] = wf_wide_gather(&m->materials->c22, index);
    f->moduli[3] = wf_wide_gather(&m->materials->c33, index);
    f->viscosity = wf_wide_gather(&m->materials->viscosity, index);
}

static inline wf_faces wf_read_faces(const wf_membrane *m, size_t batch, int lane)
{
    const wf_shape_batch *shape = &m->shapes[batch];
    wf_faces f = {.gradient1x = wf_wide_load(shape->gradient1x + lane),
                  .gradient1y = wf_wide_load(shape->gradient1y + lane),
                  .gradient2x = wf_wide_load(shape->gradient2x + lane),
                  .gradient2y = wf_wide_load(shape->gradient2y + lane),
                  .area = wf_wide_load(shape->area + lane)};
    wf_read_materials(m, m->face_material + batch * WF_LANES + lane, &f);
    return f;
}

static inline wf_wide3 wf_gather_corners(const wf_vec3 *values, const int32_t (*faces)[3], int corner)
{
    int32_t index[WF_WIDTH];
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        index[lane] = 3 * faces[lane][corner];
    }
    return (wf_wide3){wf_wide_gather(&values->x, index), wf_wide_gather(&values->y, index),
                      wf_wide_gather(&values->z, index)};
}

/* The columns of the sum over corners of (value x shape gradient): F for positions, dF/dt for velocities. */
static inline void wf_read_columns(const wf_membrane *m, size_t batch, int lane, const wf_faces *f,
                                   const wf_vec3 *values, wf_wide3 columns[2])
{
    const int32_t(*faces)[3] = (const int32_t(*)[3])m->faces + batch * WF_LANES + (size_t)lane;
    wf_wide3 origin = wf_gather_corners(values, faces, 0);
    wf_wide3 edge1 = wf_wide3_sub(wf_gather_corners(values, faces, 1), origin);
    wf_wide3 edge2 = wf_wide3_sub(wf_gather_corners(values, faces, 2), origin);
    columns[0] = wf_shape_column(f->gradient1x, f->gradient2x, edge1, edge2);
    columns[1] = wf_shape_column(f->gradient1y, f->gradient2y, edge1, edge2);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* past += weight times strains */
static inline void wf_add_past_strains(wf_membrane *m, size_t batch, int lane, double weight, const wf_wide strains[3])
{
    for (int k = 0; k < 3; k++) {
        double *to = m->past[batch].strains[k] + lane;
        wf_wide_store(to, wf_wide_load(to) + weight * strains[k]);
    }
}

static inline void wf_store_force(double (*forces)[WF_LANES], int lane, wf_wide3 force)
{
    wf_wide_store(forces[0] + lane, force.x);
    wf_wide_store(forces[1] + lane, force.y);
    wf_wide_store(forces[2] + lane, force.z);
}

/* From the derivatives of the energy per area by the columns of F. */
static inline void wf_store_forces(wf_membrane_results *results, int lane, const wf_faces *f, wf_wide3 column1,
                                   wf_wide3 column2)
{
    wf_wide3 force1 = wf_wide3_muladds(wf_wide3_scale(column1, -f->area * f->gradient1x), column2,
                                       -f->area * f->gradient1y);
    wf_wide3 force2 = wf_wide3_muladds(wf_wide3_scale(column1, -f->area * f->gradient2x), column2,
                                       -f->area * f->gradient2y);
    wf_store_force(results->forces[0], lane, wf_wide3_scale(wf_wide3_add(force1, force2), wf_wide_set(-1)));
    wf_store_force(results->forces[1], lane, force1);
    wf_store_force(results->forces[2], lane, force2);
}

/* [u v] M [u v]^T + rest */
static WF_ALWAYS_INLINE void wf_store_block(wf_membrane_results *results, int side, int lane, wf_wide3 u, wf_wide3 v,
                                            wf_plane_block b)
{
    const wf_wide first[3] = {u.x, u.y, u.z}, second[3] = {v.x, v.y, v.z};
    wf_wide entries[9];
    for (int i = 0; i < 3; i++) {
        wf_wide along1 = first[i] * b.m11 + second[i] * b.m21;
        wf_wide along2 = first[i] * b.m12 + second[i] * b.m22;
        for (int j = 0; j < 3; j++) {
            entries[3 * i + j] = along1 * first[j] + along2 * second[j];
        }
        entries[4 * i] += b.rest;
    }
    wf_wide_store_eights(entries, &results->blocks[side][lane]);
    wf_wide_store(&results->last[side][lane], entries[8]);
}

#endif
