/* interval_contact.c - contact of a moving pair by bisection of time; see interval_contact.h.
 *
 * With p a corner of the hull as seen from the other primitive, and a and b its sides from there, the plane's height
 * is h = a x b . p, and contact is h = 0 with the foot's coordinates not negative. Over a span of time it is excluded
 * where h or a coordinate has a sign that excludes it, or all corners are on one side along an axis; it is certain
 * where h changes its sign and all coordinates are positive.
 */
#include "interval_contact.h"

#include <float.h>
#include <math.h>

enum { MOST_SPANS = 64 };

typedef struct interval {
    double low, high;
} interval;

typedef struct interval_vector {
    interval c[3];
} interval_vector;

/* p, a, b and the corners at both ends of the motion. */
typedef struct moving_pair {
    int corner_count, within_count;
    interval_vector p[2], a[2], b[2], corner[2][4];
    int spans; /* looked at */
} moving_pair;

typedef struct span {
    double from, to;
} span;

/* ---- intervals --------------------------------------------------------------------------------------------------- */

/* More than numbers lose that underflow; no less, as arithmetic with such is slow. */
#define UNDERFLOW 1e-290

/* An operation's rounding is half of this, or underflow. */
static interval widened(double low, double high)
{
    return (interval){low - DBL_EPSILON * fabs(low) - UNDERFLOW, high + DBL_EPSILON * fabs(high) + UNDERFLOW};
}

static interval add(interval a, interval b)
{
    return widened(a.low + b.low, a.high + b.high);
}

static interval subtract(interval a, interval b)
{
    return widened(a.low - b.high, a.high - b.low);
}

static double smallest(double a, double b, double c, double d)
{
    a = a < b ? a : b;
    c = c < d ? c : d;
    return a < c ? a : c;
}

static interval multiply(interval a, interval b)
{
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    return widened(smallest(p, q, r, s), -smallest(-p, -q, -r, -s));
}

static interval dot(const interval_vector *a, const interval_vector *b)
{
    interval sum = multiply(a->c[0], b->c[0]);
    sum = add(sum, multiply(a->c[1], b->c[1]));
    return add(sum, multiply(a->c[2], b->c[2]));
}

static interval_vector cross(const interval_vector *a, const interval_vector *b)
{
    interval_vector product;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product.c[i] = subtract(multiply(a->c[j], b->c[k]), multiply(a->c[k], b->c[j]));
    }
    return product;
}

static interval_vector difference(const double a[3], const double b[3])
{
    interval_vector d;
    for (int i = 0; i < 3; i++) {
        d.c[i] = widened(a[i] - b[i], a[i] - b[i]);
    }
    return d;
}

static interval at_time(interval start, interval end, double time)
{
    double rest = 1 - time;
    return add(multiply(start, widened(rest, rest)), multiply(end, (interval){time, time}));
}

/* All that a linear motion takes over a span: its ends' hull. */
static interval_vector over(const interval_vector ends[2], span s)
{
    interval_vector v;
    for (int i = 0; i < 3; i++) {
        interval a = at_time(ends[0].c[i], ends[1].c[i], s.from), b = at_time(ends[0].c[i], ends[1].c[i], s.to);
        v.c[i] = (interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
    return v;
}

/* ---- the pair ---------------------------------------------------------------------------------------------------- */

static bool apart_along_axis(const moving_pair *pair, span s, double separation)
{
    interval_vector corner[4];
    for (int k = 0; k < pair->corner_count; k++) {
        const interval_vector ends[2] = {pair->corner[0][k], pair->corner[1][k]};
        corner[k] = over(ends, s);
    }
    for (int axis = 0; axis < 3; axis++) {
        bool above = true, below = true;
        for (int k = 0; k < pair->corner_count; k++) {
            above = above && corner[k].c[axis].low > separation;
            below = below && corner[k].c[axis].high < -separation;
        }
        if (above || below) {
            return true;
        }
    }
    return false;
}

static interval height(const moving_pair *pair, span s)
{
    interval_vector p = over(pair->p, s), a = over(pair->a, s), b = over(pair->b, s), normal = cross(&a, &b);
    return dot(&normal, &p);
}

static interval_verdict look(moving_pair *pair, span s)
{
    if (apart_along_axis(pair, s, 0)) {
        return APART;
    }
    if (pair->spans++ >= MOST_SPANS) {
        return DOUBTFUL;
    }
    interval_vector p = over(pair->p, s), a = over(pair->a, s), b = over(pair->b, s), normal = cross(&a, &b);
    interval h = dot(&normal, &p);
    if (h.low > 0 || h.high < 0) {
        return APART;
    }
    interval_vector area = cross(&b, &p);
    interval within[4], size2 = dot(&normal, &normal);
    within[0] = dot(&area, &normal);
    area = cross(&p, &a);
    within[1] = dot(&area, &normal);
    within[2] = subtract(size2, within[0]);
    within[3] = subtract(size2, within[1]);
    if (pair->within_count == 3) {
        within[2] = subtract(within[2], within[1]);
    }
    bool inside = true;
    for (int i = 0; i < pair->within_count; i++) {
        if (within[i].high < 0) {
            return APART;
        }
        inside = inside && within[i].low > 0;
    }
    if (inside) {
        interval start = height(pair, (span){s.from, s.from}), end = height(pair, (span){s.to, s.to});
        if ((start.low > 0 && end.high < 0) || (start.high < 0 && end.low > 0)) {
            return TOUCHING;
        }
    }
    double middle = 0.5 * (s.from + s.to);
    interval_verdict first = look(pair, (span){s.from, middle});
    if (first == TOUCHING) {
        return TOUCHING;
    }
    interval_verdict second = look(pair, (span){middle, s.to});
    return second == TOUCHING ? TOUCHING : (first == APART && second == APART ? APART : DOUBTFUL);
}

interval_verdict interval_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation,
                                  double until)
{
    moving_pair pair = {.spans = 0};
    bool faces = kind == EXACT_VERTEX_FACE;
    pair.corner_count = faces ? 3 : 4;
    pair.within_count = pair.corner_count;
    for (int end = 0; end < 2; end++) {
        const double(*x)[3] = end ? x1 : x0;
        for (int k = 0; k < 3 && faces; k++) {
            pair.corner[end][k] = difference(x[k + 1], x[0]);
        }
        for (int k = 0; k < 4 && !faces; k++) {
            pair.corner[end][k] = difference(x[k == 1 || k == 2], x[k >= 2 ? 3 : 2]);
        }
        pair.p[end] = pair.corner[end][0];
        pair.a[end] = faces ? difference(x[2], x[1]) : difference(x[1], x[0]);
        pair.b[end] = faces ? difference(x[3], x[1]) : difference(x[2], x[3]);
    }
    if (separation > 0) {
        return apart_along_axis(&pair, (span){0, until}, separation) ? APART : DOUBTFUL;
    }
    return look(&pair, (span){0, until});
}
