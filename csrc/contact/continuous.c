/* continuous.c - conservative advancement along separating directions; see continuous.h. */
#include "contact/continuous.h"

#include <float.h>

#include "contact/distance.h"

/* Simple contacts take less than ten; what takes this many turns along a surface, and is called an impact. What takes
 * more than a few turns about a place where it is very near: from there on directions are tried that turn with it. */
enum { MOST_ITERATIONS = 256, FEW_ITERATIONS = 8 };

/* Bounds the error of a corner's distance along a unit vector, as a part of the hull's size and of the separation that
 * it is compared with. With u = 2^-53: one u for the difference of two points, three for the dot product, one for the
 * comparison; five for the vector's length, one for the sum and one for the comparison count with the separation. This
 * is 8 u. */
#define ROUNDING (4 * DBL_EPSILON)
/* The same of a plane's height times its normal's length, as a part of the size's cube: 4 u for a corner between start
 * and end, 10 u for a side, so 56 u for three factors of which two are up to twice the size; less than 40 u for their
 * products, 24 for what the normal's length counts with the separation. This is 128 u. */
#define PLANE_ROUNDING (64 * DBL_EPSILON)
/* The same of a corner's distance along a direction that turns: 10 u for a corner between start and end, 6 u for the
 * product and its half, 4 u for the longest of the directions. This is 32 u. */
#define TURNING_ROUNDING (16 * DBL_EPSILON)
/* Squared sines of edges: what is less gives no direction across. */
#define NO_SINE2 1e-6
/* Covers the size's error where squares underflow, and all that is less. */
#define UNDERFLOW 1e-150
/* A quotient of two of these distances has less error than this; the times err to the safe side. */
#define TIME_ROUNDING (4 * DBL_EPSILON)

/* Sizes between these have powers that are numbers; others are scaled. */
#define LARGE 0x1p100
#define SMALL 0x1p-100

typedef struct moving_hull {
    int count;        /* 3 corners of a face; 4 of the parallelogram of two edges, in order around it */
    wf_vec3 start[4], end[4];
    double size[2];   /* at the start and at the end; no corner is farther from the origin */
} moving_hull;

/* From `time` on the hull is beyond the separation until `until`, and at `time` it is so by `gap`. */
typedef struct clearance {
    double gap, until;
} clearance;

wf_impact_params wf_default_impact_params(void)
{
    return (wf_impact_params){.separation = 0, .kept_part = 0.9, .tolerance = 0.01};
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ---- the hull ---------------------------------------------------------------------------------------------------- */

static double size_of(const wf_vec3 *corners, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        sum += wf_vec3_norm2(corners[k]);
    }
    return sqrt(sum) * (1 + 4 * DBL_EPSILON);
}

static void face_from_vertex(const wf_vec3 x[4], wf_vec3 corners[4])
{
    for (int k = 0; k < 3; k++) {
        corners[k] = wf_vec3_sub(x[k + 1], x[0]);
    }
}

static void edge_from_edge(const wf_vec3 x[4], wf_vec3 corners[4])
{
    corners[0] = wf_vec3_sub(x[0], x[2]);
    corners[1] = wf_vec3_sub(x[1], x[2]);
    corners[2] = wf_vec3_sub(x[1], x[3]);
    corners[3] = wf_vec3_sub(x[0], x[3]);
}

static wf_vec3 scale_by_power(wf_vec3 a, int exponent)
{
    return wf_vec3_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

static double largest_coordinate(const wf_vec3 *corners, int count)
{
    double largest = 0;
    for (int k = 0; k < count; k++) {
        largest = fmax(largest, fmax(fabs(corners[k].x), fmax(fabs(corners[k].y), fabs(corners[k].z))));
    }
    return largest;
}

/* Brings the hull to a size of about 1, by a power of two. False when it has none: zero, infinite, or no number. */
static bool rescale(moving_hull *hull, double *separation)
{
    double largest = fmax(largest_coordinate(hull->start, hull->count), largest_coordinate(hull->end, hull->count));
    if (!(largest > 0 && largest < INFINITY)) {
        return false;
    }
    int exponent = -ilogb(largest);
    for (int k = 0; k < hull->count; k++) {
        hull->start[k] = scale_by_power(hull->start[k], exponent);
        hull->end[k] = scale_by_power(hull->end[k], exponent);
    }
    *separation = ldexp(*separation, exponent);
    hull->size[0] = size_of(hull->start, hull->count);
    hull->size[1] = size_of(hull->end, hull->count);
    return isfinite(hull->size[0]) && isfinite(hull->size[1]);
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

static wf_vec3 longer(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_norm2(a) > wf_vec3_norm2(b) ? a : b;
}

/* A point of the hull near the one nearest to the origin, and the edge that it lies in (*along; zero at a corner).
 * True when it lies inside. */
static bool nearest_point(const wf_vec3 *corners, int count, wf_vec3 *point, wf_vec3 *along)
{
    const wf_vec3 origin = {0, 0, 0};
    if (count == 3) {
        double weight[3];
        wf_vertex_face_distance((const wf_vec3[4]){origin, corners[0], corners[1], corners[2]}, weight);
        *point = *along = origin;
        for (int k = 0; k < 3; k++) {
            int from = (k + 1) % 3, to = (k + 2) % 3;
            *point = wf_vec3_muladds(*point, corners[k], weight[k]);
            if (weight[k] == 0 && weight[from] > 0 && weight[to] > 0) {
                *along = wf_vec3_sub(corners[to], corners[from]);
            }
        }
        return weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
    }
    double s, t;
    wf_vec3 first = wf_vec3_sub(corners[1], corners[0]), minus_second = wf_vec3_sub(corners[3], corners[0]);
    wf_edge_edge_distance((const wf_vec3[4]){corners[0], corners[1], origin, wf_vec3_scale(minus_second, -1)}, &s, &t);
    *point = wf_vec3_muladds(wf_vec3_muladds(corners[0], first, s), minus_second, t);
    bool inside_first = s > 0 && s < 1, inside_second = t > 0 && t < 1;
    *along = inside_first ? first : (inside_second ? minus_second : origin);
    return inside_first && inside_second;
}

/* A unit vector along which the hull is as far from the origin as it is, or nearly. False when there is none.
 *
 * The nearest point's own direction errs by the rounding over the gap, which costs little in the plane normal to its
 * edge, and much along the edge: that part is removed again. Where the point is inside, the normal of two sides errs by
 * the rounding over their sine instead; that is less when the squared sine is more than the gap over the size. */
static bool separating_direction(const wf_vec3 *corners, int count, wf_vec3 *unit, bool *inside)
{
    wf_vec3 point, along;
    *inside = nearest_point(corners, count, &point, &along);
    wf_vec3 direction = point;
    if (*inside) {
        wf_vec3 a = wf_vec3_sub(corners[1], corners[0]), b = wf_vec3_sub(corners[count - 1], corners[0]);
        wf_vec3 normal = wf_vec3_cross(a, b);
        double aa = wf_vec3_norm2(a), bb = wf_vec3_norm2(b), size2 = larger(aa, bb);
        double sine2 = wf_vec3_norm2(normal) / (aa * bb);
        along = longer(a, b);
        if (sine2 * sine2 * size2 > wf_vec3_norm2(point)) {
            direction = wf_vec3_scale(normal, wf_vec3_dot(normal, corners[0]) < 0 ? -1 : 1);
            along = wf_vec3_make(0, 0, 0);
        }
    }
    double along2 = wf_vec3_norm2(along);
    if (along2 > 0) {
        direction = wf_vec3_muladds(direction, along, -wf_vec3_dot(direction, along) / along2);
    }
    double length2 = wf_vec3_norm2(direction);
    *unit = wf_vec3_scale(direction, 1 / sqrt(length2));
    return length2 > UNDERFLOW * UNDERFLOW; /* its digits are then good */
}

/* How far the hull is from the origin along a unit vector at the start, at least. */
static double first_distance(const moving_hull *hull, wf_vec3 unit)
{
    double least = INFINITY;
    for (int k = 0; k < hull->count; k++) {
        least = smaller(least, wf_vec3_dot(unit, hull->start[k]));
    }
    return least - ROUNDING * hull->size[0] - UNDERFLOW;
}

/* What a unit vector proves of the times from `time` on. */
static clearance measure_clearance(const moving_hull *hull, wf_vec3 unit, double kept, double time)
{
    double kept_at_start = kept + ROUNDING * (hull->size[0] + kept) + UNDERFLOW;
    double kept_at_end = kept + ROUNDING * (hull->size[1] + kept) + UNDERFLOW;
    double from = 0;
    clearance clear = {INFINITY, INFINITY};
    for (int k = 0; k < hull->count; k++) {
        double a = wf_vec3_dot(unit, hull->start[k]) - kept_at_start;
        double b = wf_vec3_dot(unit, hull->end[k]) - kept_at_end;
        clear.gap = smaller(clear.gap, a + (b - a) * time);
        if (!(a >= 0 || b >= 0)) {
            from = INFINITY;
        } else if (!(a >= 0)) {
            from = larger(from, a / (a - b) * (1 + TIME_ROUNDING));
        } else if (!(b >= 0)) {
            clear.until = smaller(clear.until, a / (a - b) * (1 - TIME_ROUNDING));
        }
    }
    if (!(from <= time)) {
        clear.until = time;
    }
    return clear;
}

/* The first place in [0, 1] at which the hull of a polynomial's Bernstein coefficients reaches below 0, or more than
 * 1. */
static double first_below(const double *coefficient, int degree)
{
    double first = 2;
    for (int i = 0; i < degree; i++) {
        for (int j = i + 1; j <= degree; j++) {
            double a = coefficient[i], b = coefficient[j];
            if (a >= 0 && b < 0) {
                first = smaller(first, (i + (j - i) * (a / (a - b))) / degree);
            }
        }
    }
    return first;
}

/* The same of the hull's own plane, which turns with it. Its height over the origin, times the length of its normal, is
 * a cubic in time and its normal a quadratic, both inside the hulls of their Bernstein coefficients over [time, 1]
 * (Sederberg and Nishita, "Curve intersection using Bezier clipping", 1990). Returns the end of the clear times. */
static double clear_until_plane(const moving_hull *hull, const wf_vec3 *corners, double kept, double time)
{
    const wf_vec3 *now = corners, *end = hull->end;
    int last = hull->count - 1;
    wf_vec3 a[2] = {wf_vec3_sub(now[1], now[0]), wf_vec3_sub(end[1], end[0])};
    wf_vec3 b[2] = {wf_vec3_sub(now[last], now[0]), wf_vec3_sub(end[last], end[0])};
    wf_vec3 normal[3] = {wf_vec3_cross(a[0], b[0]),
                         wf_vec3_scale(wf_vec3_add(wf_vec3_cross(a[0], b[1]), wf_vec3_cross(a[1], b[0])), 0.5),
                         wf_vec3_cross(a[1], b[1])};
    double longest2 = larger(wf_vec3_norm2(normal[0]), larger(wf_vec3_norm2(normal[1]), wf_vec3_norm2(normal[2])));
    double height[4] = {wf_vec3_dot(normal[0], now[0]),
                        (wf_vec3_dot(normal[0], end[0]) + 2 * wf_vec3_dot(normal[1], now[0])) / 3,
                        (wf_vec3_dot(normal[2], now[0]) + 2 * wf_vec3_dot(normal[1], end[0])) / 3,
                        wf_vec3_dot(normal[2], end[0])};
    double size = hull->size[0] + hull->size[1], side = height[0] < 0 ? -1 : 1;
    double least = kept * sqrt(longest2) + PLANE_ROUNDING * size * size * (size + kept) + UNDERFLOW;
    for (int k = 0; k < 4; k++) {
        height[k] = side * height[k] - least;
    }
    return height[0] > 0 ? (time + (1 - time) * first_below(height, 3)) * (1 - TIME_ROUNDING) : time;
}

/* The same of a direction that turns evenly, by `turn` until the end: a corner's distance along it is a quadratic, and
 * the direction no longer than the longer of its ends. */
static double clear_until_turned(const moving_hull *hull, const wf_vec3 *corners, wf_vec3 unit, wf_vec3 turn,
                                 double kept, double time)
{
    wf_vec3 last = wf_vec3_add(unit, turn);
    double size = hull->size[0] + hull->size[1], longest = larger(1, wf_vec3_norm(last)), first = 2;
    double least = (kept + TURNING_ROUNDING * (size + kept)) * longest + UNDERFLOW;
    for (int k = 0; k < hull->count; k++) {
        double between = 0.5 * (wf_vec3_dot(unit, hull->end[k]) + wf_vec3_dot(last, corners[k]));
        const double distance[3] = {wf_vec3_dot(unit, corners[k]) - least, between - least,
                                    wf_vec3_dot(last, hull->end[k]) - least};
        if (!(distance[0] > 0)) {
            return time;
        }
        first = smaller(first, first_below(distance, 2));
    }
    return (time + (1 - time) * first) * (1 - TIME_ROUNDING);
}

/* Bodies that turn about a place where they nearly touch: along a fixed direction their far ends soon hit, however far
 * apart the bodies go. A direction that turns so that sides of the hull stay across it, as at first they do, is clear
 * for long. It turns with one of two sides or with both. */
static double clear_until_sides(const moving_hull *hull, const wf_vec3 *corners, wf_vec3 unit, double kept, double time)
{
    wf_vec3 across[2];
    double rise[2], length2[2], until = time;
    for (int s = 0; s < 2; s++) {
        int k = s == 0 ? 1 : hull->count - 1;
        wf_vec3 side = wf_vec3_sub(corners[k], corners[0]);
        wf_vec3 change = wf_vec3_sub(wf_vec3_sub(hull->end[k], hull->end[0]), side);
        across[s] = wf_vec3_muladds(side, unit, -wf_vec3_dot(side, unit));
        length2[s] = wf_vec3_norm2(across[s]);
        rise[s] = wf_vec3_dot(unit, change);
        if (length2[s] > NO_SINE2 * wf_vec3_norm2(side)) {
            wf_vec3 turn = wf_vec3_scale(across[s], -rise[s] / length2[s]);
            until = larger(until, clear_until_turned(hull, corners, unit, turn, kept, time));
        }
    }
    double both = wf_vec3_dot(across[0], across[1]), sine2 = length2[0] * length2[1] - both * both;
    if (sine2 > NO_SINE2 * length2[0] * length2[1]) {
        double first = (both * rise[1] - length2[1] * rise[0]) / sine2;
        double second = (both * rise[0] - length2[0] * rise[1]) / sine2;
        wf_vec3 turn = wf_vec3_muladds(wf_vec3_scale(across[0], first), across[1], second);
        until = larger(until, clear_until_turned(hull, corners, unit, turn, kept, time));
    }
    return until;
}

/* ---- advancement ------------------------------------------------------------------------------------------------- */

static bool impact(moving_hull *hull, const wf_impact_params *params, double *time)
{
    wf_impact_params used = params ? *params : wf_default_impact_params();
    double size = hull->size[0] = size_of(hull->start, hull->count);
    size += hull->size[1] = size_of(hull->end, hull->count);
    *time = 0;
    if (!(size > SMALL && size < LARGE) && !rescale(hull, &used.separation)) {
        return true;
    }
    double kept = 0, near_enough = 0;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        wf_vec3 corners[4], unit;
        bool inside;
        for (int k = 0; k < hull->count; k++) {
            corners[k] = wf_vec3_lerp(hull->start[k], hull->end[k], *time);
        }
        if (!separating_direction(corners, hull->count, &unit, &inside)) {
            return true;
        }
        if (iteration == 0) {
            double distance = first_distance(hull, unit);
            if (!(distance > 0)) {
                return true;
            }
            kept = smaller(used.separation, used.kept_part * distance);
            near_enough = used.tolerance * smaller(kept, distance - kept);
        }
        clearance clear = measure_clearance(hull, unit, kept, *time);
        if (inside && clear.until < 1) {
            clear.until = larger(clear.until, clear_until_plane(hull, corners, kept, *time));
        }
        if (iteration >= FEW_ITERATIONS && clear.until < 1) {
            clear.until = larger(clear.until, clear_until_sides(hull, corners, unit, kept, *time));
        }
        if (clear.until >= 1) {
            return false;
        }
        if (!(clear.gap > near_enough && clear.until > *time)) {
            return true;
        }
        *time = clear.until;
    }
    return true;
}

bool wf_vertex_face_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], const wf_impact_params *params, double *time)
{
    moving_hull hull = {.count = 3};
    face_from_vertex(x0, hull.start);
    face_from_vertex(x1, hull.end);
    return impact(&hull, params, time);
}

bool wf_edge_edge_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], const wf_impact_params *params, double *time)
{
    moving_hull hull = {.count = 4};
    edge_from_edge(x0, hull.start);
    edge_from_edge(x1, hull.end);
    return impact(&hull, params, time);
}
