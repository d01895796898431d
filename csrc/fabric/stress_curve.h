/* stress_curve.h - measured stress-strain curves: points joined by a monotone spline.
 *
 * Between points the stress is a cubic with the slopes of Fritsch and Butland (1984): it has one slope everywhere,
 * never overshoots, and rises wherever the points do. Beyond the ends it goes on with the slope it has there. A curve
 * passes through the origin, which need not be among the points. One that begins there says nothing of compression: in
 * tension it goes on straight, with its slope at the origin, in shear it is mirrored.
 *
 * A curve may have a second branch, along which stresses return: the unloading one. It begins at the same origin, lies
 * nowhere above the first, and ends where that ends, beyond which there is but one. What is made of the two is the
 * curve itself and the gap: half the distance between the branches, a spline of the same kind through the points of
 * both, which is nowhere negative (model/memory.h says what lies between).
 *
 * Energies are the integral along the curve. (Setting the moduli to the curve's slope at the start of a step, as the
 * tutorial of 2004 has it, makes another material of each step: its stress is that of a straight line from the origin.)
 */
#ifndef WEFT_FABRIC_STRESS_CURVE_H
#define WEFT_FABRIC_STRESS_CURVE_H

#include "base/context.h"

enum { WF_STRESS_POINTS = 24 };

typedef struct wf_stress_point {
    double strain; /* 1, or rad */
    double stress; /* N/m */
} wf_stress_point;

typedef struct wf_stress_curve {
    int32_t count; /* 0: none */
    wf_stress_point point[WF_STRESS_POINTS]; /* both ascending */
} wf_stress_curve;

/* WF_ERROR_ARGUMENT when values are not finite, strains do not ascend, or stresses fall; names the curve and point. */
wf_status wf_stress_curve_check(wf_context *context, const wf_stress_curve *curve, const char *name);

enum { WF_SPLINE_POINTS = 2 * WF_STRESS_POINTS + 1 };

typedef struct wf_stress_spline {
    int32_t count; /* 0: none */
    struct {
        double strain, stress;
        double slope;  /* N/m */
        double energy; /* from the origin, J/m2 */
        double twice, thrice; /* of gaps: the integral of the energy, and of that */
    } point[WF_SPLINE_POINTS];
} wf_stress_spline;

/* The same of an unloading branch, with the curve that it belongs to. */
wf_status wf_unloading_curve_check(wf_context *context, const wf_stress_curve *curve, const wf_stress_curve *unloading,
                                   const char *name);

/* Of a curve that has passed wf_stress_curve_check. */
void wf_stress_spline_of(const wf_stress_curve *curve, bool mirrored, wf_stress_spline *spline);

/* Energy density, stress and slope at a strain. NULL: not wanted. */
void wf_stress_spline_at(const wf_stress_spline *spline, double strain, double *energy, double *stress, double *slope);

/* Half the distance between a curve and its unloading branch, of two that have passed their checks. */
void wf_stress_gap_of(const wf_stress_curve *curve, const wf_stress_curve *unloading, wf_stress_spline *gap);

typedef struct wf_gap_value {
    double slope, value;
    double once, twice, thrice; /* integrals from 0 on */
} wf_gap_value;

/* At a strain; mirrored: the same on both sides of 0, otherwise none below. */
wf_gap_value wf_stress_gap_at(const wf_stress_spline *gap, bool mirrored, double strain);

/* The least slope anywhere, N/m. */
double wf_stress_spline_least_slope(const wf_stress_spline *spline);

#endif
