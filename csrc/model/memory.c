#include "model/memory.h"

#include <math.h>

enum { SHEAR = 2 }; /* its curve is mirrored */

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
    if (plane) {
        wf_stress_gap_of(&fabric->weft_curve, &fabric->weft_unloading, &material->gap[0]);
        wf_stress_gap_of(&fabric->warp_curve, &fabric->warp_unloading, &material->gap[1]);
        wf_stress_gap_of(&fabric->shear_curve, &fabric->shear_unloading, &material->gap[SHEAR]);
    }
    return plane ? wf_fabric_remembers_plane(fabric) : wf_fabric_remembers_bending(fabric);
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

/* ---- branches -------------------------------------------------------------------------------------------------- */

static double range_of(const wf_stress_spline *gap)
{
    return gap->point[gap->count - 1].strain;
}

static double turn_width(const wf_stress_spline *gap)
{
    return 0.05 * range_of(gap);
}

/* Where the slider is; at rest such that pulling loads. */
static double slider_of(const wf_stress_spline *gap, int s, double turn)
{
    return s == SHEAR ? turn : turn - turn_width(gap);
}

/* F of memory.h, up to where the slider would move. */
static double play_energy(const wf_gap_value *at, const wf_gap_value *start, double t, double width)
{
    double first = t * at->once - (at->twice - start->twice) / width;
    double second = t * t * at->once - 2 / width * (t * at->twice - (at->thrice - start->thrice) / width);
    return 2 * first - fabs(second);
}

/* Less the gap, which makes the mean of the loading branch, and with friction of that height. */
static void add_branches(const wf_stress_spline *gap, int s, double turn, double strain, double *energy, double *stress,
                         double *tangent)
{
    bool mirrored = s == SHEAR;
    double slider = slider_of(gap, s, turn), width = turn_width(gap), d = strain - slider, side = copysign(1, d);
    double t = fmin(fabs(d) / width, 1), share = side * t * (2 - t), outward = mirrored ? copysign(1, strain) : 1;
    wf_gap_value at = wf_stress_gap_at(gap, mirrored, strain);
    if (energy) {
        wf_gap_value start = wf_stress_gap_at(gap, mirrored, slider), edge = at;
        if (t == 1) {
            edge = wf_stress_gap_at(gap, mirrored, slider + side * width);
        }
        *energy += play_energy(&edge, &start, side * t, width) + side * (at.once - edge.once) - outward * at.once;
    }
    if (stress) {
        *stress += at.value * (share - outward);
    }
    if (tangent) {
        *tangent += at.slope * (share - outward) + at.value * 2 * (1 - t) / width;
    }
}

static double follow_branches(const wf_stress_spline *gap, int s, double turn, double strain)
{
    double width = turn_width(gap), slider = slider_of(gap, s, turn), end = range_of(gap) * (1 - 1e-4);
    double outward = s == SHEAR ? copysign(1, strain) : 1;
    slider = strain * outward >= end ? strain + outward * width : follow(slider, strain, width);
    return slider - slider_of(gap, s, 0);
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
        if (material->gap[s].count > 0) {
            add_branches(&material->gap[s], s, history->turn[s], strain[s], energy, stress ? &stress[s] : NULL,
                         tangent ? &tangent[(WF_REMEMBERED + 1) * s] : NULL);
        }
    }
}

void wf_memory_update(const wf_memory_material *material, const double *strain, wf_strain_history *history)
{
    for (int s = 0; s < WF_REMEMBERED; s++) {
        history->slip[s] = follow(history->slip[s], strain[s], material->friction[s].width);
        if (material->gap[s].count > 0) {
            history->turn[s] = follow_branches(&material->gap[s], s, history->turn[s], strain[s]);
        }
    }
}
