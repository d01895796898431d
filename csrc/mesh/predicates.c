/* predicates.c - floating-point filters and exact expansion arithmetic; see predicates.h.
 *
 * An expansion is a list of doubles of increasing magnitude that do not overlap bitwise; its value is their sum. The
 * last component is the largest and has the sign of the whole. Zeros are dropped as they appear, so an expansion of
 * length 0 is zero, and sums of "round" coordinates stay short.
 */
#include "mesh/predicates.h"

#include <float.h>
#include <math.h>

/* Half a unit in the last place of 1: the bound on the relative error of one operation. */
#define ROUND (DBL_EPSILON / 2)

/* Bounds on the error of the plain determinants below, relative to their permanents (Shewchuk 1997, sections 4.2-4.4:
 * (3 + 16 e) e, (10 + 96 e) e, (7 + 56 e) e). */
static const double ORIENT2D_BOUND = (3 + 16 * ROUND) * ROUND;
static const double INCIRCLE_BOUND = (10 + 96 * ROUND) * ROUND;
static const double ORIENT3D_BOUND = (7 + 56 * ROUND) * ROUND;

/* Veltkamp's constant 2^27 + 1 cuts a double into two halves of 26 bits. */
static const double SPLITTER = 134217729.0;

typedef struct pair {
    double high, low; /* high + low is exact; high is the rounded result */
} pair;

/* a + b when |a| >= |b| (Dekker 1971). */
static inline pair fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (pair){sum, b - (sum - a)};
}

/* a + b (Knuth 1969). */
static inline pair two_sum(double a, double b)
{
    double sum = a + b;
    double b_part = sum - a;
    double a_part = sum - b_part;
    return (pair){sum, (a - a_part) + (b - b_part)};
}

static inline pair two_difference(double a, double b)
{
    return two_sum(a, -b);
}

static inline pair split(double a)
{
    double big = SPLITTER * a;
    double high = big - (big - a);
    return (pair){high, a - high};
}

/* a b (Dekker 1971; Shewchuk 1997, theorem 18). */
static inline pair two_product(double a, double b)
{
    double product = a * b;
    pair s = split(a), t = split(b);
    double error = product - s.high * t.high - s.low * t.high - s.high * t.low;
    return (pair){product, s.low * t.low - error};
}

/* result = a - b, length 0 to 2. */
static int expansion_difference(double a, double b, double result[2])
{
    pair d = two_difference(a, b);
    int n = 0;
    if (d.low != 0) {
        result[n++] = d.low;
    }
    if (d.high != 0) {
        result[n++] = d.high;
    }
    return n;
}

/* result = e + f, length at most n_e + n_f: a merge by magnitude, then one sweep of carries (Shewchuk 1997,
 * fast-expansion-sum with elimination of zeros). */
static int expansion_sum(int n_e, const double *e, int n_f, const double *f, double *result)
{
    int i = 0, j = 0, n = 0;
    double carry = 0;
    for (int k = 0; k < n_e + n_f; k++) {
        double next = j >= n_f || (i < n_e && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        pair s = k == 1 ? fast_two_sum(next, carry) : two_sum(carry, next);
        if (s.low != 0) {
            result[n++] = s.low;
        }
        carry = s.high;
    }
    if (carry != 0) {
        result[n++] = carry;
    }
    return n;
}

/* result = e b, length at most 2 n_e (Shewchuk 1997, scale-expansion with elimination of zeros). */
static int expansion_scale(int n_e, const double *e, double b, double *result)
{
    if (n_e == 0 || b == 0) {
        return 0;
    }
    int n = 0;
    pair q = two_product(e[0], b);
    if (q.low != 0) {
        result[n++] = q.low;
    }
    double carry = q.high;
    for (int i = 1; i < n_e; i++) {
        pair p = two_product(e[i], b);
        pair s = two_sum(carry, p.low);
        if (s.low != 0) {
            result[n++] = s.low;
        }
        pair t = fast_two_sum(p.high, s.high);
        if (t.low != 0) {
            result[n++] = t.low;
        }
        carry = t.high;
    }
    if (carry != 0) {
        result[n++] = carry;
    }
    return n;
}

enum { LARGEST_FACTOR = 16, LARGEST_PRODUCT = 2 * LARGEST_FACTOR * LARGEST_FACTOR };

/* result = e f, length at most 2 n_e n_f; both factors have at most LARGEST_FACTOR components. */
static int expansion_product(int n_e, const double *e, int n_f, const double *f, double *result)
{
    double term[2 * LARGEST_FACTOR], sum[2][LARGEST_PRODUCT];
    int n = 0;
    for (int j = 0; j < n_f; j++) {
        int n_term = expansion_scale(n_e, e, f[j], term);
        n = expansion_sum(n, sum[j & 1], n_term, term, sum[(j + 1) & 1]);
    }
    for (int i = 0; i < n; i++) {
        result[i] = sum[n_f & 1][i];
    }
    return n;
}

static void expansion_negate(int n, double *e)
{
    for (int i = 0; i < n; i++) {
        e[i] = -e[i];
    }
}

/* An estimate of the value, summed from the smallest component: its sign is that of the largest. */
static double expansion_value(int n, const double *e)
{
    double value = 0;
    for (int i = 0; i < n; i++) {
        value += e[i];
    }
    return value;
}

/* A coordinate difference as an expansion. */
typedef struct difference {
    int n;
    double e[2];
} difference;

static difference subtract(double a, double b)
{
    difference d;
    d.n = expansion_difference(a, b, d.e);
    return d;
}

/* result = a b - c d, length at most 16. */
static int minor2(const difference *a, const difference *b, const difference *c, const difference *d,
                  double result[16])
{
    double left[8], right[8];
    int n_left = expansion_product(a->n, a->e, b->n, b->e, left);
    int n_right = expansion_product(c->n, c->e, d->n, d->e, right);
    expansion_negate(n_right, right);
    return expansion_sum(n_left, left, n_right, right, result);
}

static double orient2d_exact(wf_vec2 a, wf_vec2 b, wf_vec2 c)
{
    difference acx = subtract(a.x, c.x), acy = subtract(a.y, c.y);
    difference bcx = subtract(b.x, c.x), bcy = subtract(b.y, c.y);
    double determinant[16];
    int n = minor2(&acx, &bcy, &acy, &bcx, determinant);
    return expansion_value(n, determinant);
}

double wf_orient2d(wf_vec2 a, wf_vec2 b, wf_vec2 c)
{
    double left = (a.x - c.x) * (b.y - c.y);
    double right = (a.y - c.y) * (b.x - c.x);
    double determinant = left - right;
    if (fabs(determinant) > ORIENT2D_BOUND * (fabs(left) + fabs(right))) {
        return determinant;
    }
    if ((a.x == b.x && b.x == c.x) || (a.y == b.y && b.y == c.y)) {
        return 0;
    }
    return orient2d_exact(a, b, c);
}

static double incircle_exact(wf_vec2 a, wf_vec2 b, wf_vec2 c, wf_vec2 d)
{
    const wf_vec2 *p[3] = {&a, &b, &c};
    difference x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = subtract(p[i]->x, d.x);
        y[i] = subtract(p[i]->y, d.y);
    }
    double sum[2][3 * LARGEST_PRODUCT];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double minor[16], lift[16], squares[2][8], term[LARGEST_PRODUCT];
        int n_minor = minor2(&x[j], &y[k], &y[j], &x[k], minor);
        int n_x = expansion_product(x[i].n, x[i].e, x[i].n, x[i].e, squares[0]);
        int n_y = expansion_product(y[i].n, y[i].e, y[i].n, y[i].e, squares[1]);
        int n_lift = expansion_sum(n_x, squares[0], n_y, squares[1], lift);
        int n_term = expansion_product(n_minor, minor, n_lift, lift, term);
        n = expansion_sum(n, sum[i & 1], n_term, term, sum[(i + 1) & 1]);
    }
    return expansion_value(n, sum[1]);
}

double wf_incircle(wf_vec2 a, wf_vec2 b, wf_vec2 c, wf_vec2 d)
{
    double adx = a.x - d.x, ady = a.y - d.y;
    double bdx = b.x - d.x, bdy = b.y - d.y;
    double cdx = c.x - d.x, cdy = c.y - d.y;
    double bc = bdx * cdy, cb = cdx * bdy;
    double ca = cdx * ady, ac = adx * cdy;
    double ab = adx * bdy, ba = bdx * ady;
    double lift_a = adx * adx + ady * ady;
    double lift_b = bdx * bdx + bdy * bdy;
    double lift_c = cdx * cdx + cdy * cdy;
    double determinant = lift_a * (bc - cb) + lift_b * (ca - ac) + lift_c * (ab - ba);
    double permanent = (fabs(bc) + fabs(cb)) * lift_a + (fabs(ca) + fabs(ac)) * lift_b + (fabs(ab) + fabs(ba)) * lift_c;
    if (fabs(determinant) > INCIRCLE_BOUND * permanent) {
        return determinant;
    }
    return incircle_exact(a, b, c, d);
}

static double orient3d_exact(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d)
{
    const wf_vec3 *p[3] = {&b, &c, &d};
    difference x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        x[i] = subtract(p[i]->x, a.x);
        y[i] = subtract(p[i]->y, a.y);
        z[i] = subtract(p[i]->z, a.z);
    }
    double sum[2][3 * 64];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double minor[16], term[64];
        int n_minor = minor2(&x[j], &y[k], &y[j], &x[k], minor);
        int n_term = expansion_product(n_minor, minor, z[i].n, z[i].e, term);
        n = expansion_sum(n, sum[i & 1], n_term, term, sum[(i + 1) & 1]);
    }
    return expansion_value(n, sum[1]);
}

static bool all_equal(double a, double b, double c, double d)
{
    return a == b && b == c && c == d;
}

double wf_orient3d(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d)
{
    double bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z;
    double cx = c.x - a.x, cy = c.y - a.y, cz = c.z - a.z;
    double dx = d.x - a.x, dy = d.y - a.y, dz = d.z - a.z;
    double cd = cx * dy, dc = dx * cy;
    double db = dx * by, bd = bx * dy;
    double bc = bx * cy, cb = cx * by;
    double determinant = bz * (cd - dc) + cz * (db - bd) + dz * (bc - cb);
    double permanent = (fabs(cd) + fabs(dc)) * fabs(bz) + (fabs(db) + fabs(bd)) * fabs(cz) +
                       (fabs(bc) + fabs(cb)) * fabs(dz);
    if (fabs(determinant) > ORIENT3D_BOUND * permanent) {
        return determinant;
    }
    if (all_equal(a.x, b.x, c.x, d.x) || all_equal(a.y, b.y, c.y, d.y) || all_equal(a.z, b.z, c.z, d.z)) {
        return 0;
    }
    return orient3d_exact(a, b, c, d);
}
