/* quick_contact.c - contact of a moving pair by bisection of time; see quick_contact.h.
 *
 * With p a corner of the hull as seen from the other primitive, and a and b its sides from there, the plane's height
 * over the origin is h = a x b . p, times the length of n = a x b, and contact is h = 0 with the foot's coordinates not
 * negative; these are quartics too when they are taken times n^2. A polynomial is within the hull of its Bernstein
 * coefficients over a span of time. Contact is excluded where h or a coordinate has a sign that excludes it, where all
 * corners are on one side along an axis, or where h is monotonic and has one sign at both ends; it is certain where h
 * changes its sign and all coordinates are positive. If doubles do not tell the sign of h at the motion's start or end,
 * integers do. With a separation, all corners beyond it along a direction exclude contact, and a point of the hull
 * within it at some time is one; both are taken from the nearest point half way through the span, which need not be it.
 *
 * Errors. The pair is scaled by a power of two such that no coordinate of a corner is over 1/2, nor one of a side over
 * 1. All bounds are absolute, with u = 2^-53, and have room for the products of errors and for underflow. A coordinate
 * errs by u for the difference of two points and 4 u for where it is at the motion's end: 5 u. One of a cross product
 * by 2 (5 u + 5 u + u) + 2 u = 24 u, or 26 u as the mean of two, and is at most 2. A product of three by
 * 3 (2 5 u + 26 u + 2 u) + 10 u = 124 u, and is at most 6, so a coefficient of h, of three of them over 3, by 148 u at
 * most. A product of two cross products by 3 (4 26 u + 4 u) + 20 u = 344 u, and is at most 12, so a coefficient of a
 * quartic, of six of them over 6, by 392 u. What is left to 1 of two coordinates, of three quartics, by 1236 u.
 * Halving a span adds a unit in the last place of the largest coefficient for each degree. A combination of three
 * corners with weights of at most 1 errs by three times as much as they do in each coordinate.
 */
#include "quick_contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDING (0.5 * DBL_EPSILON)
/* Bounds after so many halvings of a span. */
#define CORNER_ERROR(halvings) ((8 + (halvings)) * ROUNDING)
#define POINT_ERROR(halvings) (8 * CORNER_ERROR(halvings))
#define HEIGHT_ERROR(halvings) ((200 + 18 * (halvings)) * ROUNDING)
#define WITHIN_ERROR(halvings) ((1500 + 144 * (halvings)) * ROUNDING)

enum { MOST_SPANS = 100, MOST_HALVINGS = 40 };

typedef struct moving_pair {
    exact_pair kind;
    const double (*x0)[3], (*x1)[3];
    double separation, until;
    int corner_count, within_count;
    int spans;            /* looked at */
    bool side_known[2];   /* the sign of h at the motion's start and end, in integers */
    int side[2];
} moving_pair;

/* Bernstein coefficients over a span of time. */
typedef struct span {
    int halvings;
    bool at[2]; /* whether it begins at the motion's start, ends at its end */
    double corner[4][3][2], height[4], within[4][5];
} span;

/* ---- polynomials ------------------------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of two linear vectors. */
static void cross_product(const double a[2][3], const double b[2][3], double product[3][3])
{
    double first[3], second[3];
    cross(a[0], b[0], product[0]);
    cross(a[0], b[1], first);
    cross(a[1], b[0], second);
    for (int i = 0; i < 3; i++) {
        product[1][i] = 0.5 * (first[i] + second[i]);
    }
    cross(a[1], b[1], product[2]);
}

/* Of a quadratic vector and a linear one. */
static void cubic_product(const double a[3][3], const double b[2][3], double product[4])
{
    product[0] = dot(a[0], b[0]);
    product[1] = (dot(a[0], b[1]) + 2 * dot(a[1], b[0])) / 3;
    product[2] = (dot(a[2], b[0]) + 2 * dot(a[1], b[1])) / 3;
    product[3] = dot(a[2], b[1]);
}

/* Of two quadratic vectors. */
static void quartic_product(const double a[3][3], const double b[3][3], double product[5])
{
    product[0] = dot(a[0], b[0]);
    product[1] = 0.5 * (dot(a[0], b[1]) + dot(a[1], b[0]));
    product[2] = (dot(a[0], b[2]) + 4 * dot(a[1], b[1]) + dot(a[2], b[0])) / 6;
    product[3] = 0.5 * (dot(a[1], b[2]) + dot(a[2], b[1]));
    product[4] = dot(a[2], b[2]);
}

/* De Casteljau's scheme: the coefficients over the span become those over its second half. */
static void halve(double *coefficient, int degree, double *first_half)
{
    for (int i = 0; i <= degree; i++) {
        first_half[i] = coefficient[0];
        for (int j = 0; j < degree - i; j++) {
            coefficient[j] = 0.5 * (coefficient[j] + coefficient[j + 1]);
        }
    }
}

/* The sign that the polynomial has throughout, or 0. */
static int sign_of(const double *coefficient, int degree, double error)
{
    double low = coefficient[0], high = coefficient[0];
    for (int i = 1; i <= degree; i++) {
        low = coefficient[i] < low ? coefficient[i] : low;
        high = coefficient[i] > high ? coefficient[i] : high;
    }
    return (low > error) - (high < -error);
}

/* ---- the pair ---------------------------------------------------------------------------------------------------- */

static void difference(const double a[3], const double b[3], double result[3])
{
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] - b[i];
    }
}

/* The corners, and the sides a and b from corner 0, at one end of the motion from 0 to 1. */
static void see(exact_pair kind, const double x[4][3], double corner[4][3], double a[3], double b[3])
{
    bool faces = kind == EXACT_VERTEX_FACE;
    for (int k = 0; k < 3 && faces; k++) {
        difference(x[k + 1], x[0], corner[k]);
    }
    for (int k = 0; k < 4 && !faces; k++) {
        difference(x[k == 1 || k == 2], x[k >= 2 ? 3 : 2], corner[k]);
    }
    difference(faces ? x[2] : x[1], faces ? x[1] : x[0], a);
    difference(faces ? x[3] : x[2], faces ? x[1] : x[3], b);
}

/* From a motion up to 1 to one up to `until`, scaled. */
static void shorten(double ends[2][3], double scale, double until)
{
    for (int i = 0; i < 3; i++) {
        ends[0][i] *= scale;
        ends[1][i] = ends[0][i] * (1 - until) + ends[1][i] * scale * until;
    }
}

/* The power of two that makes the largest coordinate less than 1/2; 0 if it is beyond the range of these bounds. */
static double scale_of(const double (*corner)[3], int count)
{
    double largest = 0;
    for (int k = 0; k < 3 * count; k++) {
        largest = fmax(largest, fabs(corner[k / 3][k % 3]));
    }
    if (!(largest > 0x1p-900 && largest < 0x1p900)) {
        return 0;
    }
    int exponent;
    frexp(largest, &exponent);
    return ldexp(0.5, -exponent);
}

/* Scales the pair. False if that cannot be done. p, a and b are corner 0 and the sides from there. */
static bool set_corners(moving_pair *pair, span *s, double p[2][3], double a[2][3], double b[2][3])
{
    double corner[2][4][3] = {0};
    see(pair->kind, pair->x0, corner[0], a[0], b[0]);
    see(pair->kind, pair->x1, corner[1], a[1], b[1]);
    double scale = scale_of(corner[0], 8);
    pair->separation *= scale;
    shorten(a, scale, pair->until);
    shorten(b, scale, pair->until);
    for (int k = 0; k < pair->corner_count; k++) {
        double ends[2][3];
        memcpy(ends[0], corner[0][k], sizeof ends[0]);
        memcpy(ends[1], corner[1][k], sizeof ends[1]);
        shorten(ends, scale, pair->until);
        for (int i = 0; i < 3; i++) {
            s->corner[k][i][0] = ends[0][i];
            s->corner[k][i][1] = ends[1][i];
        }
        if (k == 0) {
            memcpy(p, ends, sizeof ends);
        }
    }
    return scale > 0;
}

static bool apart_along_axis(const moving_pair *pair, const span *s)
{
    double least = pair->separation * (1 + DBL_EPSILON) + CORNER_ERROR(s->halvings);
    for (int axis = 0; axis < 3; axis++) {
        int side = sign_of(s->corner[0][axis], 1, least);
        for (int k = 1; k < pair->corner_count && side != 0; k++) {
            side = sign_of(s->corner[k][axis], 1, least) == side ? side : 0;
        }
        if (side != 0) {
            return true;
        }
    }
    return false;
}

/* The sign of h at the span's start or end; 0 where it is 0 or unknown. */
static int side_at(moving_pair *pair, const span *s, int end)
{
    int side = sign_of(&s->height[3 * end], 0, HEIGHT_ERROR(s->halvings));
    if (side == 0 && s->at[end]) {
        if (!pair->side_known[end]) {
            pair->side[end] = exact_side(pair->kind, pair->x0, pair->x1, end ? pair->until : 0);
            pair->side_known[end] = true;
        }
        side = pair->side[end];
    }
    return side;
}

static bool is_monotonic(const span *s)
{
    double error = 2 * HEIGHT_ERROR(s->halvings);
    double slope[3];
    for (int i = 0; i < 3; i++) {
        slope[i] = s->height[i + 1] - s->height[i];
    }
    return sign_of(slope, 2, error) != 0;
}

/* ---- near -------------------------------------------------------------------------------------------------------- */

/* Keeps the point of the segment that is nearest to the origin, if that is nearer than sqrt(*best2). */
static void try_edge(const double from[3], const double to[3], double point[3], double *best2)
{
    double edge[3], nearest[3];
    difference(to, from, edge);
    double length2 = dot(edge, edge), part = length2 > 0 ? -dot(from, edge) / length2 : 0;
    part = part > 0 ? (part < 1 ? part : 1) : 0;
    for (int i = 0; i < 3; i++) {
        nearest[i] = from[i] + part * edge[i];
    }
    if (dot(nearest, nearest) < *best2) {
        *best2 = dot(nearest, nearest);
        memcpy(point, nearest, sizeof nearest);
    }
}

/* A point of the hull that is nearest to the origin, but for rounding. */
static void find_nearest(const double corner[4][3], int count, double point[3])
{
    const double *p = corner[0];
    double a[3], b[3], best2 = INFINITY;
    difference(corner[1], p, a);
    difference(corner[count - 1], p, b);
    double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), ap = dot(a, p), bp = dot(b, p);
    double determinant = aa * bb - ab * ab;
    double s = (ab * bp - bb * ap) / determinant, t = (ab * ap - aa * bp) / determinant;
    if (s >= 0 && t >= 0 && (count == 3 ? s + t <= 1 : s <= 1 && t <= 1)) {
        for (int i = 0; i < 3; i++) {
            point[i] = p[i] + s * a[i] + t * b[i];
        }
        best2 = dot(point, point);
    }
    for (int k = 0; k < count; k++) {
        try_edge(corner[k], corner[(k + 1) % count], point, &best2);
    }
}

static bool apart_along(const moving_pair *pair, const span *s, const double direction[3])
{
    double least = (pair->separation + POINT_ERROR(s->halvings)) * sqrt(dot(direction, direction)) *
                   (1 + 4 * DBL_EPSILON);
    for (int k = 0; k < 2 * pair->corner_count; k++) {
        const double(*c)[2] = s->corner[k / 2];
        if (!(direction[0] * c[0][k % 2] + direction[1] * c[1][k % 2] + direction[2] * c[2][k % 2] > least)) {
            return false;
        }
    }
    return true;
}

static quick_verdict look_at_halves(moving_pair *pair, span *s);

static quick_verdict look_near(moving_pair *pair, span *s)
{
    double corner[4][3], point[3];
    for (int k = 0; k < pair->corner_count; k++) {
        for (int i = 0; i < 3; i++) {
            corner[k][i] = 0.5 * (s->corner[k][i][0] + s->corner[k][i][1]);
        }
    }
    find_nearest((const double(*)[3])corner, pair->corner_count, point);
    if (sqrt(dot(point, point)) + POINT_ERROR(s->halvings) < pair->separation) {
        return TOUCHING;
    }
    return apart_along(pair, s, point) ? APART : look_at_halves(pair, s);
}

/* ---- bisection --------------------------------------------------------------------------------------------------- */

static quick_verdict look(moving_pair *pair, span *s);

static quick_verdict look_at_halves(moving_pair *pair, span *s)
{
    if (pair->spans++ >= MOST_SPANS || s->halvings >= MOST_HALVINGS) {
        return DOUBTFUL;
    }
    span first = {.halvings = s->halvings + 1, .at = {s->at[0], false}};
    s->halvings++;
    s->at[0] = false;
    for (int k = 0; k < pair->corner_count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            halve(s->corner[k][axis], 1, first.corner[k][axis]);
        }
    }
    bool near = pair->separation > 0;
    if (!near) {
        halve(s->height, 3, first.height);
        for (int i = 0; i < pair->within_count; i++) {
            halve(s->within[i], 4, first.within[i]);
        }
    }
    quick_verdict earlier = near ? look_near(pair, &first) : look(pair, &first);
    if (earlier == TOUCHING) {
        return TOUCHING;
    }
    quick_verdict later = near ? look_near(pair, s) : look(pair, s);
    return later == TOUCHING || earlier == APART ? later : DOUBTFUL;
}

static quick_verdict look(moving_pair *pair, span *s)
{
    if (sign_of(s->height, 3, HEIGHT_ERROR(s->halvings)) != 0 || apart_along_axis(pair, s)) {
        return APART;
    }
    bool inside = true;
    for (int i = 0; i < pair->within_count; i++) {
        int sign = sign_of(s->within[i], 4, WITHIN_ERROR(s->halvings));
        if (sign < 0) {
            return APART;
        }
        inside = inside && sign > 0;
    }
    bool monotonic = is_monotonic(s);
    if (monotonic || inside) {
        int sides = side_at(pair, s, 0) * side_at(pair, s, 1);
        if (sides > 0 && monotonic) {
            return APART;
        }
        if (sides < 0 && inside) {
            return TOUCHING;
        }
    }
    return look_at_halves(pair, s);
}

static void set_within(const moving_pair *pair, span *s, const double p[2][3], const double a[2][3],
                       const double b[2][3], const double normal[3][3])
{
    double area[3][3], size2[5];
    cross_product(b, p, area);
    quartic_product(area, normal, s->within[0]);
    cross_product(p, a, area);
    quartic_product(area, normal, s->within[1]);
    quartic_product(normal, normal, size2);
    for (int i = 0; i < 5; i++) {
        double first = size2[i] - s->within[0][i];
        s->within[2][i] = pair->within_count == 3 ? first - s->within[1][i] : first;
        s->within[3][i] = size2[i] - s->within[1][i];
    }
}

quick_verdict quick_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation,
                            double until)
{
    int count = kind == EXACT_VERTEX_FACE ? 3 : 4;
    moving_pair pair = {.kind = kind, .x0 = x0, .x1 = x1, .separation = separation, .until = until,
                        .corner_count = count, .within_count = count};
    span s = {.halvings = 0, .at = {true, true}};
    double p[2][3], a[2][3], b[2][3], normal[3][3];
    if (!set_corners(&pair, &s, p, a, b)) {
        return DOUBTFUL;
    }
    if (apart_along_axis(&pair, &s)) {
        return APART;
    }
    if (separation > 0) {
        return look_near(&pair, &s);
    }
    cross_product(a, b, normal);
    cubic_product(normal, p, s.height);
    if (sign_of(s.height, 3, HEIGHT_ERROR(0)) != 0) {
        return APART;
    }
    set_within(&pair, &s, p, a, b, normal);
    return look(&pair, &s);
}

double quick_distance(exact_pair kind, const double x[4][3])
{
    int count = kind == EXACT_VERTEX_FACE ? 3 : 4;
    double corner[4][3] = {0}, a[3], b[3], point[3];
    see(kind, x, corner, a, b);
    double scale = scale_of((const double(*)[3])corner, 4);
    for (int k = 0; k < 3 * count; k++) {
        corner[k / 3][k % 3] *= scale;
    }
    find_nearest((const double(*)[3])corner, count, point);
    return scale > 0 ? sqrt(dot(point, point)) / scale : 0;
}
