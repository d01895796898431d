#include "model/memory.h"

#include <math.h>

bool wf_memory_of(const wf_fabric *fabric, wf_history_part part, wf_memory_material *material)
{
    bool plane = part == WF_HISTORY_PLANE;
    const double heights[WF_HISTORY_PARTS][WF_REMEMBERED] = {
        {fabric->hysteresis_weft, fabric->hysteresis_warp, fabric->hysteresis_shear},
        {fabric->hysteresis_bend_weft, fabric->hysteresis_bend_warp, 0}};
    double width = plane ? fabric->hysteresis_slip : fabric->hysteresis_bend_slip;
    *material = (wf_memory_material){0};
    for (int s = 0; s < WF_REMEMBERED; s++) {
        material->friction[s] = (wf_play){heights[part][s], width};
    }
    return plane ? wf_fabric_has_hysteresis(fabric) : wf_fabric_has_bend_hysteresis(fabric);
}

/* ---- friction -------------------------------------------------------------------------------------------------- */

static void add_play(const wf_play *play, double slip, double strain, double *energy, double *stress, double *tangent)
{
    double d = strain - slip, t = fmin(fabs(d) / play->width, 1);
    if (energy) {
        *energy += play->height * (fmax(fabs(d) - play->width, 0) + play->width * t * t * (1 - t / 3));
    }
    if (stress) {
        *stress += copysign(play->height * t * (2 - t), d);
    }
    if (tangent) {
        *tangent += 2 * play->height / play->width * (1 - t);
    }
}

static double follow(double slip, double strain, double width)
{
    return fmin(fmax(slip, strain - width), strain + width);
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

void wf_memory_add(const wf_memory_material *material, const wf_strain_history *history, const double *strain,
                   double *energy, double *stress, double *tangent)
{
    for (int s = 0; s < WF_REMEMBERED; s++) {
        if (material->friction[s].height > 0) {
            add_play(&material->friction[s], history->slip[s], strain[s], energy, stress ? &stress[s] : NULL,
                     tangent ? &tangent[(WF_REMEMBERED + 1) * s] : NULL);
        }
    }
}

void wf_memory_update(const wf_memory_material *material, const double *strain, wf_strain_history *history)
{
    for (int s = 0; s < WF_REMEMBERED; s++) {
        history->slip[s] = follow(history->slip[s], strain[s], material->friction[s].width);
    }
}
