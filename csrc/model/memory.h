/* memory.h - the part of an element's stress that depends on what went before, for laws of three strains: along weft
 * and warp and shear, or the three curvatures.
 *
 * Dry friction between threads is a spring in series with a slider beside the law: from the strain `slip` at which it
 * holds, its stress grows as height t (2 - |t|) with t = (strain - slip) / width, until it is the height at |t| = 1. (A
 * straight spring would lose as much; the parabola has no corner where Newton's method stalls.) In a step slip stays,
 * so that friction has a potential; at its end slip follows the strain where that went further than the width. A cycle
 * of strain of the amplitude a loses 4 height (a - width).
 */
#ifndef WEFT_MODEL_MEMORY_H
#define WEFT_MODEL_MEMORY_H

#include "fabric/fabric.h"
#include "model/face_history.h"

/* The friction of one strain. */
typedef struct wf_play {
    double height; /* N/m, or N of curvatures; 0: none */
    double width;  /* strain, or 1/m */
} wf_play;

typedef struct wf_memory_material {
    wf_play friction[WF_REMEMBERED];
} wf_memory_material;

/* What a fabric remembers in its plane or in bending; false: nothing. */
bool wf_memory_of(const wf_fabric *fabric, wf_history_part part, wf_memory_material *material);

/* Adds to energy density, stress [3] and tangent [3 * 3]; NULL: not wanted. */
void wf_memory_add(const wf_memory_material *material, const wf_strain_history *history, const double *strain,
                   double *energy, double *stress, double *tangent);

/* What is remembered after a step that ended with these strains. */
void wf_memory_update(const wf_memory_material *material, const double *strain, wf_strain_history *history);

#endif
