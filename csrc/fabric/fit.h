/* fit.h - measured curves: what instruments read from them, and laws fitted to them by least squares.
 *
 * A curve is a list of points, x a strain, angle (rad) or curvature (1/m) and y a load (N/m) or moment (N m per m).
 */
#ifndef WEFT_FABRIC_FIT_H
#define WEFT_FABRIC_FIT_H

#include "base/context.h"

typedef struct wf_measured_point {
    double x, y;
} wf_measured_point;

/* Whether a curve is one branch that a law can follow: at least two finite points, x increasing, y not falling.
 * WF_ERROR_ARGUMENT names the first point where it is not, counted from 1. */
wf_status wf_measured_check(wf_context *context, int32_t count, const wf_measured_point *points);

/* The integral of y over x along the curve, by trapezoids; of a closed loop the work that is lost. */
double wf_measured_work(int32_t count, const wf_measured_point *points);

/* y at x on the branch from point `first` to point `last` (x in one direction), linear between points; NaN outside. */
double wf_measured_value(const wf_measured_point *points, int32_t first, int32_t last, double x);

/* The line y = offset + slope x that fits best, of the points with from <= x <= to. */
typedef struct wf_fitted_line {
    double slope, offset;
    double residual;      /* root mean square of what is left */
    double determination; /* 1 - residual^2 / variance of y; 1 when y is constant */
    int32_t count;        /* of points that were used */
} wf_fitted_line;

/* through_zero: offset is 0. WF_ERROR_ARGUMENT: fewer than two different x (one other than 0) in the range. */
wf_status wf_fit_line(wf_context *context, int32_t count, const wf_measured_point *points, double from, double to,
                      bool through_zero, wf_fitted_line *line);

/* A monotone law through knots: y and dy/dx at increasing x. Between knots it is a cubic polynomial (Hermite) or a
 * line; beyond the ends it goes on straight. */
typedef struct wf_curve_knot {
    double x, y, slope;
} wf_curve_knot;

/* Knots at knot_x [knot_count], increasing, whose polygon fits the points best; what then falls is levelled (pool
 * adjacent violators, Barlow et al. 1972). A knot at x = 0 has y = 0 when through_zero. The slopes are those of Fritsch
 * and Carlson (1980), so that the cubic is C1 and as monotone as the knots. `residual` is the root mean square of what
 * the polygon leaves, or the cubic. WF_ERROR_ARGUMENT: a knot without points
 * near it (between its neighbours), or knots that do not increase. */
wf_status wf_fit_knots(wf_context *context, int32_t count, const wf_measured_point *points, int32_t knot_count,
                       const double *knot_x, bool through_zero, bool cubic, wf_curve_knot *knots,
                       double *residual);

/* knot_count places for knots: the ends, and between them where equal shares of the points lie. */
void wf_spread_knots(int32_t count, const wf_measured_point *points, int32_t knot_count, double *knot_x);

/* The law at x; cubic: Hermite polynomials, otherwise the polygon. `slope`: its derivative, NULL when not wanted. */
double wf_knots_value(int32_t knot_count, const wf_curve_knot *knots, bool cubic, double x, double *slope);

#endif
