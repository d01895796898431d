/* memory.h - the part of an element's stress that depends on what went before, for laws whose first three strains are
 * those along weft and warp and shear, or the three curvatures.
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
 *
 * Losses that do not depend on the frequency (constant Q): beside the law W, Maxwell elements of the same law times
 * gains g_k, whose dashpots have let the strain a_k flow:
 *     stress = dW(e) + sum over k of g_k (dW(e) - dW(a_k)),   da_k / dt = (e - a_k) / time_k,
 * which stores W(e) + sum of g_k (W(e) - W(a_k) - dW(a_k) (e - a_k)) and loses sum of
 * g_k (e - a_k) d2W(a_k) (e - a_k) / time_k, nowhere negative where W is convex. The times are spread evenly on the
 * scale of logarithms over the band, and the gains come nearest to the loss factor wanted all over it (least squares;
 * what is wanted is linear in them). (Kelvin and Voigt's viscosity loses in proportion to the frequency.) The law is
 * the modulus of slow motion; causality makes the one at the upper end of the band higher, by about 1.5 times the loss
 * factor a decade. Over a step with strains on a straight line from e0 to e a flow ends at
 *     a = e - decay (e0 - a0) - share (e - e0),   decay = exp(-step / time),   share = (1 - decay) time / step,
 * so that a step's stress is a gradient of e; schemes that look inside a step see that of its end.
 */
#ifndef WEFT_MODEL_MEMORY_H
#define WEFT_MODEL_MEMORY_H

#include "fabric/fabric.h"
#include "model/face_history.h"
#include "model/strain.h"

/* The friction of one strain. */
typedef struct wf_play {
    double height; /* N/m, or N of curvatures; 0: none */
    double width;  /* strain, or 1/m */
} wf_play;

typedef struct wf_memory_material {
    wf_play friction[WF_REMEMBERED];
    wf_stress_spline gap[WF_REMEMBERED]; /* between the branches of curves; count 0: none */
    bool flows;
    double gain[WF_FLOWS][WF_REMEMBERED];
    double time[WF_FLOWS]; /* s */
    double decay[WF_FLOWS], share[WF_FLOWS]; /* over the step; 1 and 0 before there is one */
} wf_memory_material;

/* What a fabric remembers in its plane or in bending; false: nothing. */
bool wf_memory_of(const wf_fabric *fabric, wf_history_part part, wf_memory_material *material);

/* What stays beside it. */
typedef struct wf_memory_law {
    const wf_stress_law *law;
    const void *material; /* of the law */
    int32_t strain_count; /* of the law, the first three of which are those that are remembered */
} wf_memory_law;

/* Adds to energy density, stress and tangent, which hold the law's; NULL: not wanted. */
void wf_memory_add(const wf_memory_material *material, const wf_strain_history *history, wf_memory_law law,
                   const double *strain, double *energy, double *stress, double *tangent);

/* For a step of so many seconds, 0: endless, of each element of the material. From then on `history` is that of the
 * step: of flows it holds what of their end does not depend on the strain there. */
void wf_memory_begin(wf_memory_material *material, double step);
void wf_memory_begin_element(const wf_memory_material *material, const double *strain, wf_strain_history *history);

/* What is remembered after that step when it ended with these strains. */
void wf_memory_end_element(const wf_memory_material *material, const double *strain, wf_strain_history *history);

#endif
