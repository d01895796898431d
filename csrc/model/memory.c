#include "model/memory.h"

#include <math.h>

#include "base/dense.h"

enum { SHEAR = 2 }; /* its curve is mirrored */

/* Adds what the frequency w (rad/s) wants of the gains g, sum of g x / (1 + x^2) = loss (1 + sum of g x^2 / (1 + x^2))
 * with x = w time, to the normal equations of least squares. */
static void add_frequency(int32_t count, const double *time, double w, double loss, double *matrix, double *right)
{
    double row[WF_FLOWS];
    for (int32_t k = 0; k < count; k++) {
        double x = w * time[k];
        row[k] = (x - loss * x * x) / (1 + x * x);
    }
    for (int32_t k = 0; k < count; k++) {
        right[k] += row[k] * loss;
        for (int32_t i = 0; i < count; i++) {
            matrix[k * count + i] += row[k] * row[i];
        }
    }
}

/* Times a factor of about 4 apart: nearer ones would need gains below 0. */
static void set_gains(const double *loss, double from, double to, wf_memory_material *material)
{
    enum { SAMPLES = 61 };
    const double turn = 6.283185307179586, beyond = 1.3; /* of the band; the ends have neighbours on one side alone */
    double whole = beyond * beyond * to / from;
    int32_t count = (int32_t)fmin(WF_FLOWS, 1 + ceil(log(whole) / log(4.5)));
    size_t rows[WF_FLOWS];
    for (int32_t k = 0; k < WF_FLOWS; k++) {
        material->time[k] = beyond * pow(whole, -fmin(1, k / (count - 1.0))) / (turn * from);
        material->decay[k] = 1;
    }
    for (int s = 0; s < WF_REMEMBERED; s++) {
        double matrix[WF_FLOWS * WF_FLOWS] = {0}, right[WF_FLOWS] = {0}, gain[WF_FLOWS] = {0};
        for (int i = 0; i < SAMPLES; i++) {
            double w = turn * from * pow(to / from, (double)i / (SAMPLES - 1));
            add_frequency(count, material->time, w, loss[s], matrix, right);
        }
        if (loss[s] > 0 && wf_dense_factor((size_t)count, matrix, rows)) {
            wf_dense_solve((size_t)count, matrix, rows, right, gain);
            material->flows = true;
        }
        for (int32_t k = 0; k < count; k++) {
            material->gain[k][s] = fmax(gain[k], 0);
        }
    }
}

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
    const double losses[WF_HISTORY_PARTS][WF_REMEMBERED] = {
        {fabric->loss_stretch, fabric->loss_stretch, fabric->loss_shear},
        {fabric->loss_bend, fabric->loss_bend, fabric->loss_bend}};
    set_gains(losses[part], fabric->loss_from, fabric->loss_to, material);
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

/* ---- flows ----------------------------------------------------------------------------------------------------- */

static void add_flows(const wf_memory_material *material, const wf_strain_history *history, wf_memory_law law,
                      const double *strain, double *energy, double *stress, double *tangent)
{
    enum { MOST = WF_MAX_STRAINS };
    const int32_t n = law.strain_count;
    double now[MOST], moduli[MOST * MOST];
    law.law->evaluate(law.material, strain, NULL, now, tangent ? moduli : NULL);
    for (int k = 0; k < WF_FLOWS; k++) {
        double flow[MOST], relaxed[MOST], soft[MOST * MOST], kept = 1 - material->share[k];
        for (int32_t s = 0; s < n; s++) {
            flow[s] = s < WF_REMEMBERED ? kept * strain[s] + history->flow[k][s] : strain[s];
        }
        law.law->evaluate(law.material, flow, NULL, relaxed, tangent ? soft : NULL);
        for (int s = 0; s < WF_REMEMBERED; s++) {
            double over = material->gain[k][s] * (now[s] - relaxed[s]);
            if (energy) { /* the law's, where that is linear */
                *energy += 0.5 * over * (strain[s] - flow[s]);
            }
            if (stress) {
                stress[s] += over;
            }
            for (int t = 0; tangent && t < WF_REMEMBERED; t++) {
                tangent[n * s + t] += material->gain[k][s] * (moduli[n * s + t] - kept * soft[n * s + t]);
            }
        }
    }
}

void wf_memory_begin(wf_memory_material *material, double step)
{
    for (int k = 0; k < WF_FLOWS && material->flows; k++) {
        double x = step / material->time[k];
        material->decay[k] = step > 0 ? exp(-x) : 0;
        material->share[k] = step > 0 ? -expm1(-x) / x : 0;
    }
}

void wf_memory_begin_element(const wf_memory_material *material, const double *strain, wf_strain_history *history)
{
    for (int k = 0; k < WF_FLOWS && material->flows; k++) {
        for (int s = 0; s < WF_REMEMBERED; s++) {
            double *flow = &history->flow[k][s];
            *flow = material->share[k] * strain[s] - material->decay[k] * (strain[s] - *flow);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

void wf_memory_add(const wf_memory_material *material, const wf_strain_history *history, wf_memory_law law,
                   const double *strain, double *energy, double *stress, double *tangent)
{
    if (material->flows) {
        add_flows(material, history, law, strain, energy, stress, tangent);
    }
    for (int s = 0; s < WF_REMEMBERED; s++) {
        if (material->friction[s].height > 0) {
            add_play(&material->friction[s], history->slip[s], strain[s], energy, stress ? &stress[s] : NULL,
                     tangent ? &tangent[(law.strain_count + 1) * s] : NULL);
        }
        if (material->gap[s].count > 0) {
            add_branches(&material->gap[s], s, history->turn[s], strain[s], energy, stress ? &stress[s] : NULL,
                         tangent ? &tangent[(law.strain_count + 1) * s] : NULL);
        }
    }
}

void wf_memory_end_element(const wf_memory_material *material, const double *strain, wf_strain_history *history)
{
    for (int k = 0; k < WF_FLOWS && material->flows; k++) {
        for (int s = 0; s < WF_REMEMBERED; s++) {
            history->flow[k][s] += (1 - material->share[k]) * strain[s];
        }
    }
    for (int s = 0; s < WF_REMEMBERED; s++) {
        history->slip[s] = follow(history->slip[s], strain[s], material->friction[s].width);
        if (material->gap[s].count > 0) {
            history->turn[s] = follow_branches(&material->gap[s], s, history->turn[s], strain[s]);
        }
    }
}
