/* pressure.h - air on one side of cloth: a constant pressure, or a gas in a closed piece.
 *
 * A chamber is a set of faces. Its pressure p pushes each along its present normal: p A n, a third on each corner,
 * which is p times the gradient of
 *
 *     V = sum over faces of x0 . (x1 x x2) / 6,
 *
 * for faces that close a volume exactly that volume. The load follows the surface. For a closed chamber, or where all
 * of the boundary is held, it has the potential -p V and a symmetric stiffness (Bufler 1984, "Pressure loaded
 * structures under large deformations"); along a free boundary edge (a, b) the stiffness K has an antisymmetric part
 * besides, [p/6 x_b] between a and any point that the cone of V is drawn to. Matrices are symmetric here, and stored in
 * half: the exact one is (K + K^T) / 2, which is K itself where there is no free boundary.
 *
 * A gas has p + outside = amount / V (Boyle: at one temperature; amount = p V, J), so the energy
 * outside V - amount ln V, and the stiffness amount / V^2 (dV/dx)(dV/dx)^T besides that of its present pressure: a
 * term of rank one over all vertices (low_rank.h). With the 1e5 Pa of the air it is far too stiff to lag a step behind.
 */
#ifndef WEFT_MODEL_PRESSURE_H
#define WEFT_MODEL_PRESSURE_H

#include "model/model.h"

typedef struct wf_chamber {
    bool gas;
    double pressure; /* Pa, above that of the other side; without gas. May be negative. */
    double amount;   /* J: absolute pressure times volume, > 0; of a gas */
    double outside;  /* Pa, >= 0, absolute; of a gas */
} wf_chamber;

typedef struct wf_pressure_def {
    int32_t vertex_count;
    int32_t count;              /* of faces, chamber by chamber */
    const int32_t (*faces)[3];  /* counter-clockwise seen from where the pressure pushes to: outward */
    int32_t chamber_count;
    const int32_t *chamber_start; /* [chamber_count + 1] */
    const wf_chamber *chambers; /* [chamber_count] */
} wf_pressure_def;

/* WF_ERROR_ARGUMENT names the first face or chamber that is not as above; WF_ERROR_GEOMETRY an edge of a gas's chamber
 * where it is not closed. */
wf_status wf_pressure_create(wf_context *context, const wf_pressure_def *def, wf_model **model);

/* The live chambers, to be changed between steps within the same bounds; a gas stays a gas. */
wf_chamber *wf_pressure_chambers(wf_model *model);

/* V of a chamber, m3, and what its pressure is there, Pa; a gas without a volume presses as at a cubic millimetre. */
double wf_pressure_volume(const wf_model *model, int32_t chamber, const wf_vec3 *x);
double wf_pressure_at(const wf_chamber *chamber, double volume);

/* WF_ERROR_GEOMETRY names, by `source` [vertex] (NULL: itself) counted from 1, the first edge at which the faces do not
 * close a volume: one of a single face, or one along which two faces run the same way. */
wf_status wf_pressure_check_closed(wf_context *context, int32_t count, const int32_t (*faces)[3],
                                   const int32_t *source);

#endif
