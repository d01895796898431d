/* memory.h - the part of an element's stress that depends on what went before, for laws of three strains: along weft
 * and warp and shear, or the three curvatures.
 *
 * Dry friction between threads is a spring in series with a slider beside the law: from the strain `slip` at which it
 * holds, its stress grows as height t (2 - |t|) with t = (strain - slip) / width, until it is the height at |t| = 1. (A
 * straight spring would lose as much; the parabola has no corner where Newton's method stalls.) In a step slip stays,
 * so that friction has a potential; at its end slip follows the strain where that went further than the width. A cycle
 * of strain of the amplitude a loses 4 height (a - width).
 *
 * A curve with an unloading branch (fabric/stress_curve.h) is the mean of the branches with friction whose height is
 * the gap at the strain. So stress follows the loading branch while strain grows, the unloading one while it falls, and
 * after each turn goes from one to the other within a tenth of the branches' range: both ways, from any place, also on
 * reloading. From the end of the branches, where they meet, it follows the unloading one at once. At a strain e and
 * with the slider at s the energy is that of the mean and F = the integral of gap(x) t (2 - |t|), t = (x - s) / width,
 * from s to e; s moves only away from where that is large, -dF/ds ds >= 0, so no closed path gains energy.
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
    wf_stress_spline gap[WF_REMEMBERED]; /* between the branches of curves; count 0: none */
} wf_memory_material;

/* What a fabric remembers in its plane or in bending; false: nothing. */
bool wf_memory_of(const wf_fabric *fabric, wf_history_part part, wf_memory_material *material);

/* Adds to energy density, stress [3] and tangent [3 * 3]; NULL: not wanted. */
void wf_memory_add(const wf_memory_material *material, const wf_strain_history *history, const double *strain,
                   double *energy, double *stress, double *tangent);

/* What is remembered after a step that ended with these strains. */
void wf_memory_update(const wf_memory_material *material, const double *strain, wf_strain_history *history);

#endif
