/* curve.c - points, lengths and areas of pattern edges. */
#include "garment/curve.h"

#include "base/vector.h"

static const double pi = 3.14159265358979323846;

/* Seven-point Gauss-Legendre rule on [-1, 1] (Abramowitz & Stegun 1964, table 25.4). */
enum { GAUSS_POINTS = 7 };
static const double gauss_node[GAUSS_POINTS] = {-0.949107912342758524526, -0.741531185599394439864,
                                                -0.405845151377397166907, 0.0,
                                                0.405845151377397166907,  0.741531185599394439864,
                                                0.949107912342758524526};
static const double gauss_weight[GAUSS_POINTS] = {0.129484966168869693271, 0.279705391489276667901,
                                                  0.381830050505118944950, 0.417959183673469387755,
                                                  0.381830050505118944950, 0.279705391489276667901,
                                                  0.129484966168869693271};

wf_curve wf_curve_line(wf_vec2 start, wf_vec2 end)
{
    return (wf_curve){.kind = WF_CURVE_LINE, .points = {start, end}};
}

wf_curve wf_curve_quadratic(wf_vec2 start, wf_vec2 control, wf_vec2 end)
{
    return (wf_curve){.kind = WF_CURVE_QUADRATIC, .points = {start, control, end}};
}

wf_curve wf_curve_cubic(wf_vec2 start, wf_vec2 control1, wf_vec2 control2, wf_vec2 end)
{
    return (wf_curve){.kind = WF_CURVE_CUBIC, .points = {start, control1, control2, end}};
}

wf_curve wf_curve_arc(wf_vec2 start, wf_vec2 end, double radius, bool large, bool right)
{
    wf_vec2 chord = wf_vec2_sub(end, start);
    double half = 0.5 * wf_vec2_norm(chord);
    if (radius < half) {
        radius = half;
    }
    /* A small arc that bulges to the right has its centre on the left; a large one on the right. */
    double offset = sqrt(radius * radius - half * half) / (2 * half) * (large != right ? 1 : -1);
    wf_curve arc = {.kind = WF_CURVE_ARC, .points = {start, end}, .radius = radius};
    arc.center = (wf_vec2){0.5 * (start.x + end.x) - offset * chord.y, 0.5 * (start.y + end.y) + offset * chord.x};
    arc.start_angle = atan2(start.y - arc.center.y, start.x - arc.center.x);
    double small_angle = 2 * asin(fmin(half / radius, 1));
    arc.sweep = (right ? 1 : -1) * (large ? 2 * pi - small_angle : small_angle);
    return arc;
}

static wf_vec2 lerp2(wf_vec2 a, wf_vec2 b, double t)
{
    return (wf_vec2){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/* Number of control points of a Bezier curve of this kind. */
static int control_count(wf_curve_kind kind)
{
    return kind == WF_CURVE_LINE ? 2 : kind == WF_CURVE_QUADRATIC ? 3 : 4;
}

wf_vec2 wf_curve_point(const wf_curve *curve, double t)
{
    if (curve->kind == WF_CURVE_ARC) {
        if (t <= 0 || t >= 1) {
            return curve->points[t >= 1];
        }
        double angle = curve->start_angle + t * curve->sweep;
        return (wf_vec2){curve->center.x + curve->radius * cos(angle), curve->center.y + curve->radius * sin(angle)};
    }
    int count = control_count(curve->kind);
    if (t >= 1) {
        return curve->points[count - 1];
    }
    wf_vec2 p[4] = {curve->points[0], curve->points[1], curve->points[2], curve->points[3]};
    for (int level = count - 1; level > 0; level--) { /* de Casteljau */
        for (int i = 0; i < level; i++) {
            p[i] = lerp2(p[i], p[i + 1], t);
        }
    }
    return p[0];
}

wf_vec2 wf_curve_derivative(const wf_curve *curve, double t)
{
    if (curve->kind == WF_CURVE_ARC) {
        double angle = curve->start_angle + t * curve->sweep;
        double speed = curve->radius * curve->sweep;
        return (wf_vec2){-speed * sin(angle), speed * cos(angle)};
    }
    int degree = control_count(curve->kind) - 1;
    wf_vec2 p[3];
    for (int i = 0; i < degree; i++) {
        p[i] = wf_vec2_scale(wf_vec2_sub(curve->points[i + 1], curve->points[i]), degree);
    }
    for (int level = degree - 1; level > 0; level--) {
        for (int i = 0; i < level; i++) {
            p[i] = lerp2(p[i], p[i + 1], t);
        }
    }
    return p[0];
}

static double gauss_length(const wf_curve *curve, double t0, double t1)
{
    double sum = 0, middle = 0.5 * (t0 + t1), half = 0.5 * (t1 - t0);
    for (int i = 0; i < GAUSS_POINTS; i++) {
        sum += gauss_weight[i] * wf_vec2_norm(wf_curve_derivative(curve, middle + half * gauss_node[i]));
    }
    return sum * half;
}

/* Halves the interval until both halves together agree with the whole; `depth` bounds the work at a cusp. */
static double adaptive_length(const wf_curve *curve, double t0, double t1, double whole, double tolerance, int depth)
{
    double middle = 0.5 * (t0 + t1);
    double left = gauss_length(curve, t0, middle), right = gauss_length(curve, middle, t1);
    if (depth == 0 || fabs(left + right - whole) <= tolerance) {
        return left + right;
    }
    return adaptive_length(curve, t0, middle, left, tolerance, depth - 1)
           + adaptive_length(curve, middle, t1, right, tolerance, depth - 1);
}

double wf_curve_length(const wf_curve *curve, double t0, double t1)
{
    if (t1 <= t0) {
        return 0;
    }
    if (curve->kind == WF_CURVE_LINE || curve->kind == WF_CURVE_ARC) { /* constant speed */
        return (t1 - t0) * wf_vec2_norm(wf_curve_derivative(curve, 0));
    }
    double whole = gauss_length(curve, t0, t1);
    return adaptive_length(curve, t0, t1, whole, 1e-13 * whole, 24);
}

double wf_curve_parameter(const wf_curve *curve, double length)
{
    double total = wf_curve_length(curve, 0, 1);
    if (length <= 0 || total <= 0) {
        return 0;
    }
    if (length >= total) {
        return 1;
    }
    double t = length / total;
    if (curve->kind == WF_CURVE_LINE || curve->kind == WF_CURVE_ARC) {
        return t;
    }
    double low = 0, high = 1, low_length = 0; /* low_length: arc length at `low`, so that each step measures little */
    for (int iteration = 0; iteration < 60; iteration++) {
        double excess = low_length + wf_curve_length(curve, low, t) - length;
        if (fabs(excess) <= 1e-13 * total) {
            break;
        }
        if (excess > 0) {
            high = t;
        } else {
            low = t;
            low_length = length + excess;
        }
        double speed = wf_vec2_norm(wf_curve_derivative(curve, t));
        double next = speed > 0 ? t - excess / speed : low;
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}

double wf_curve_turning(const wf_curve *curve)
{
    if (curve->kind == WF_CURVE_LINE) {
        return 0;
    }
    if (curve->kind == WF_CURVE_ARC) {
        return fabs(curve->sweep);
    }
    enum { SAMPLES = 64 };
    double turning = 0;
    wf_vec2 last = {0, 0};
    for (int i = 0; i < SAMPLES; i++) {
        wf_vec2 tangent = wf_curve_derivative(curve, (i + 0.5) / SAMPLES);
        if (wf_vec2_norm(tangent) > 0) {
            if (wf_vec2_norm(last) > 0) {
                turning += fabs(atan2(wf_vec2_cross(last, tangent), wf_vec2_dot(last, tangent)));
            }
            last = tangent;
        }
    }
    return turning;
}

double wf_curve_area(const wf_curve *curve)
{
    enum { PARTS = 8 }; /* one part is exact for Bezier curves (degree 5); arcs need the rest */
    double sum = 0;
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < GAUSS_POINTS; i++) {
            double t = (part + 0.5 + 0.5 * gauss_node[i]) / PARTS;
            wf_vec2 point = wf_curve_point(curve, t), derivative = wf_curve_derivative(curve, t);
            sum += gauss_weight[i] * wf_vec2_cross(point, derivative);
        }
    }
    return sum / (4 * PARTS);
}
