#include "fabric/fit.h"

#include <math.h>
#include <string.h>

wf_status wf_measured_check(wf_context *context, int32_t count, const wf_measured_point *points)
{
    if (count < 2) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a curve needs at least two points, got %d", (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (!(isfinite(points[i].x) && isfinite(points[i].y))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "point %d of the curve is not finite", (int)i + 1);
        }
        if (i > 0 && !(points[i].x > points[i - 1].x)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "point %d of the curve: x must grow, but %g follows %g",
                           (int)i + 1, points[i].x, points[i - 1].x);
        }
        if (i > 0 && !(points[i].y >= points[i - 1].y)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "point %d of the curve: y must not fall, but %g follows %g",
                           (int)i + 1, points[i].y, points[i - 1].y);
        }
    }
    return WF_OK;
}

double wf_measured_work(int32_t count, const wf_measured_point *points)
{
    double sum = 0;
    for (int32_t i = 1; i < count; i++) {
        sum += 0.5 * (points[i].y + points[i - 1].y) * (points[i].x - points[i - 1].x);
    }
    return sum;
}

double wf_measured_value(const wf_measured_point *points, int32_t first, int32_t last, double x)
{
    for (int32_t i = first + 1; i <= last; i++) {
        wf_measured_point a = points[i - 1], b = points[i];
        if (fmin(a.x, b.x) <= x && x <= fmax(a.x, b.x)) {
            return b.x == a.x ? a.y : a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
        }
    }
    return NAN;
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

wf_status wf_fit_line(wf_context *context, int32_t count, const wf_measured_point *points, double from, double to,
                      bool through_zero, wf_fitted_line *line)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0, left = 0;
    int32_t used = 0;
    for (int pass = 0; pass < 3; pass++) { /* means, moments about them, residuals */
        for (int32_t i = 0; i < count; i++) {
            wf_measured_point p = points[i];
            if (!(p.x >= from && p.x <= to)) {
                continue;
            }
            double x = p.x - mean_x, y = p.y - mean_y;
            if (pass == 0) {
                used++;
                xx += p.x;
                yy += p.y;
            } else if (pass == 1) {
                xx += x * x;
                xy += x * y;
                yy += y * y;
            } else {
                double rest = p.y - line->offset - line->slope * p.x;
                left += rest * rest;
            }
        }
        if (pass == 0) {
            mean_x = through_zero || used == 0 ? 0 : xx / used;
            mean_y = through_zero || used == 0 ? 0 : yy / used;
            xx = yy = 0;
        } else if (pass == 1) {
            if (!(xx > 0)) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "a line needs two points of different x from %g to %g, got %d", from, to, (int)used);
            }
            *line = (wf_fitted_line){.slope = xy / xx, .count = used};
            line->offset = mean_y - line->slope * mean_x;
        }
    }
    line->residual = sqrt(left / used);
    line->determination = yy > 0 ? 1 - left / yy : 1;
    if (!isfinite(xx) || !isfinite(line->slope) || !isfinite(line->residual)) {
        return wf_fail(context, WF_ERROR_NUMERIC, "the squares of the curve's points are not finite");
    }
    return WF_OK;
}

/* ---- knots ----------------------------------------------------------------------------------------------------- */

void wf_spread_knots(int32_t count, const wf_measured_point *points, int32_t knot_count, double *knot_x)
{
    for (int32_t k = 0; k < knot_count; k++) {
        double place = (double)k * (count - 1) / (knot_count - 1);
        int32_t i = (int32_t)fmin(floor(place), count - 2);
        knot_x[k] = points[i].x + (place - i) * (points[i + 1].x - points[i].x);
    }
}

/* Solves the symmetric tridiagonal system of the normal equations; b becomes the solution. False: not definite. */
static bool solve_tridiagonal(int32_t n, double *diagonal, const double *beside, double *b)
{
    double largest = 0;
    for (int32_t k = 0; k < n; k++) {
        largest = fmax(largest, diagonal[k]);
    }
    for (int32_t k = 1; k < n; k++) {
        if (!(diagonal[k - 1] > 1e-12 * largest)) {
            return false;
        }
        double factor = beside[k - 1] / diagonal[k - 1];
        diagonal[k] -= factor * beside[k - 1];
        b[k] -= factor * b[k - 1];
    }
    if (!(diagonal[n - 1] > 1e-12 * largest)) {
        return false;
    }
    for (int32_t k = n; k-- > 0;) {
        b[k] = (b[k] - (k + 1 < n ? beside[k] * b[k + 1] : 0)) / diagonal[k];
    }
    return true;
}

/* Heights of the polygon that fits best. */
static bool fit_polygon(int32_t count, const wf_measured_point *points, int32_t n, wf_curve_knot *knots, int32_t zero,
                        double *scratch)
{
    double *diagonal = scratch, *beside = scratch + n, *b = scratch + 2 * n;
    memset(scratch, 0, 3 * (size_t)n * sizeof *scratch);
    int32_t k = 0;
    for (int32_t i = 0; i < count; i++) {
        while (k < n - 2 && points[i].x > knots[k + 1].x) {
            k++;
        }
        double t = (points[i].x - knots[k].x) / (knots[k + 1].x - knots[k].x);
        if (t < 0 || t > 1) {
            continue;
        }
        diagonal[k] += (1 - t) * (1 - t);
        diagonal[k + 1] += t * t;
        beside[k] += t * (1 - t);
        b[k] += (1 - t) * points[i].y;
        b[k + 1] += t * points[i].y;
    }
    if (zero >= 0) { /* its height is 0: leaves the system */
        diagonal[zero] = 1;
        b[zero] = 0;
        beside[zero] = 0;
        if (zero > 0) {
            beside[zero - 1] = 0;
        }
    }
    if (!solve_tridiagonal(n, diagonal, beside, b)) {
        return false;
    }
    for (k = 0; k < n; k++) {
        knots[k].y = b[k];
    }
    return true;
}

/* Levels what falls: of neighbours in the wrong order both get their mean, blocks growing backward. A knot that must be
 * zero drags its block there. */
static void make_monotone(int32_t n, wf_curve_knot *knots, int32_t zero)
{
    for (int32_t k = 1; k < n; k++) {
        int32_t first = k;
        double sum = knots[k].y;
        while (first > 0 && knots[first - 1].y > sum / (k - first + 1)) {
            sum += knots[--first].y;
        }
        for (int32_t i = first; i <= k; i++) {
            knots[i].y = sum / (k - first + 1);
        }
    }
    for (int32_t k = 0; k < n && zero >= 0; k++) {
        knots[k].y = k < zero ? fmin(knots[k].y, 0) : k > zero ? fmax(knots[k].y, 0) : 0;
    }
}

/* Fritsch and Carlson's slopes: harmonic means of the neighbouring secants, weighted by the intervals (Fritsch and
 * Butland 1984), and one-sided at the ends. */
static void set_slopes(int32_t n, wf_curve_knot *knots)
{
    for (int32_t k = 0; k < n; k++) {
        double before = k > 0 ? (knots[k].y - knots[k - 1].y) / (knots[k].x - knots[k - 1].x) : 0;
        double after = k + 1 < n ? (knots[k + 1].y - knots[k].y) / (knots[k + 1].x - knots[k].x) : 0;
        if (k == 0 || k + 1 == n) {
            knots[k].slope = k == 0 ? after : before;
        } else if (before * after <= 0) {
            knots[k].slope = 0;
        } else {
            double h0 = knots[k].x - knots[k - 1].x, h1 = knots[k + 1].x - knots[k].x;
            double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
            knots[k].slope = (w0 + w1) / (w0 / before + w1 / after);
        }
    }
}

wf_status wf_fit_knots(wf_context *context, int32_t count, const wf_measured_point *points, int32_t knot_count,
                       const double *knot_x, bool through_zero, bool cubic, wf_curve_knot *knots,
                       double *residual)
{
    if (knot_count < 2) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a fit needs at least two knots, got %d", (int)knot_count);
    }
    int32_t zero = -1;
    for (int32_t k = 0; k < knot_count; k++) {
        knots[k] = (wf_curve_knot){knot_x[k], 0, 0};
        zero = through_zero && knot_x[k] == 0 ? k : zero;
        if (!isfinite(knot_x[k]) || (k > 0 && !(knot_x[k] > knot_x[k - 1]))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "knot %d: knots must grow and be finite, got %g", (int)k + 1,
                           knot_x[k]);
        }
    }
    double *scratch = wf_allocate(context, 3 * (size_t)knot_count, sizeof *scratch);
    if (!scratch) {
        return WF_ERROR_MEMORY;
    }
    bool fitted = fit_polygon(count, points, knot_count, knots, zero, scratch);
    wf_free(context, scratch);
    if (!fitted) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "there are too few points between the %d knots", (int)knot_count);
    }
    make_monotone(knot_count, knots, zero);
    set_slopes(knot_count, knots);
    double left = 0;
    for (int32_t i = 0; i < count; i++) {
        double rest = points[i].y - wf_knots_value(knot_count, knots, cubic, points[i].x, NULL);
        left += rest * rest;
    }
    *residual = sqrt(left / count);
    return WF_OK;
}

double wf_knots_value(int32_t n, const wf_curve_knot *knots, bool cubic, double x, double *slope)
{
    int32_t k = 0;
    while (k < n - 2 && x > knots[k + 1].x) {
        k++;
    }
    wf_curve_knot a = knots[k], b = knots[k + 1];
    double h = b.x - a.x, t = (x - a.x) / h, secant = (b.y - a.y) / h;
    if (t < 0 || t > 1) { /* straight on */
        const wf_curve_knot *end = t < 0 ? &knots[0] : &knots[n - 1];
        double along = cubic ? end->slope : secant;
        if (slope) {
            *slope = along;
        }
        return end->y + along * (x - end->x);
    }
    if (!cubic) {
        if (slope) {
            *slope = secant;
        }
        return a.y + t * (b.y - a.y);
    }
    if (slope) {
        *slope = 6 * t * (1 - t) * secant + (1 - t) * (1 - 3 * t) * a.slope + t * (3 * t - 2) * b.slope;
    }
    return (1 + 2 * t) * (1 - t) * (1 - t) * a.y + t * t * (3 - 2 * t) * b.y +
           h * t * (1 - t) * ((1 - t) * a.slope - t * b.slope);
}
