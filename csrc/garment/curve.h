/* curve.h - the edges of a pattern as plane curves: points, arc length, and the inverse of arc length.
 *
 * A curve is a line, a quadratic or cubic Bezier curve, or a circular arc. Its own parameter t runs from 0 to 1. All
 * lengths are metres. Functions do not fail: wf_curve_* constructors take coordinates that pattern.c has checked.
 */
#ifndef WEFT_GARMENT_CURVE_H
#define WEFT_GARMENT_CURVE_H

#include "base/types.h"

typedef enum wf_curve_kind { WF_CURVE_LINE, WF_CURVE_QUADRATIC, WF_CURVE_CUBIC, WF_CURVE_ARC } wf_curve_kind;

typedef struct wf_curve {
    wf_curve_kind kind;
    wf_vec2 points[4];   /* control points of a line (2), quadratic (3) or cubic (4); the two ends of an arc (0, 1) */
    wf_vec2 center;      /* arc only, with radius, the polar angle of the start, and the signed angle swept */
    double radius, start_angle, sweep;
} wf_curve;

wf_curve wf_curve_line(wf_vec2 start, wf_vec2 end);
wf_curve wf_curve_quadratic(wf_vec2 start, wf_vec2 control, wf_vec2 end);
wf_curve wf_curve_cubic(wf_vec2 start, wf_vec2 control1, wf_vec2 control2, wf_vec2 end);

/* The circular arc of `radius` from start to end: the longer one when `large`, bulging to the right of the direction
 * start -> end when `right` (so it turns counter-clockwise). A radius below half the chord is taken as half the chord,
 * as SVG does. */
wf_curve wf_curve_arc(wf_vec2 start, wf_vec2 end, double radius, bool large, bool right);

/* The point at t, and the derivative there by t. The ends are exact: t = 0 and t = 1 give the given points. */
wf_vec2 wf_curve_point(const wf_curve *curve, double t);
wf_vec2 wf_curve_derivative(const wf_curve *curve, double t);

/* Arc length between two parameters t0 <= t1, by adaptive Gauss-Legendre quadrature to about 1e-12 of the length. */
double wf_curve_length(const wf_curve *curve, double t0, double t1);

/* The parameter at which the arc length from the start is `length` (Newton's iteration kept in a bracket). */
double wf_curve_parameter(const wf_curve *curve, double length);

/* How far the tangent turns altogether, in rad: the integral of |curvature| by arc length (sampled). */
double wf_curve_turning(const wf_curve *curve);

/* The curve's share of the area it encloses: integral of (x dy - y dx) / 2 from start to end (Green's theorem). */
double wf_curve_area(const wf_curve *curve);

#endif
