/* stress_curve.h - measured stress-strain curves: points joined by a monotone spline.
 *
 * Between points the stress is a cubic with the slopes of Fritsch and Butland (1984): it has one slope everywhere,
 * never overshoots, and rises wherever the points do. Beyond the ends it goes on with the slope it has there. A curve
 * passes through the origin, which need not be among the points. One that begins there says nothing of compression: in
 * tension it goes on straight, with its slope at the origin, in shear it is mirrored.
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
    } point[WF_SPLINE_POINTS];
} wf_stress_spline;

/* Of a curve that has passed wf_stress_curve_check. */
void wf_stress_spline_of(const wf_stress_curve *curve, bool mirrored, wf_stress_spline *spline);

/* Energy density, stress and slope at a strain. NULL: not wanted. */
void wf_stress_spline_at(const wf_stress_spline *spline, double strain, double *energy, double *stress, double *slope);

/* The least slope anywhere, N/m. */
double wf_stress_spline_least_slope(const wf_stress_spline *spline);

#endif
