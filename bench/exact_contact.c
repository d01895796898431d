/* exact_contact.c - contact of a moving pair in integer arithmetic; see exact_contact.h.
 *
 * Seen from one primitive the other is a hull of corners, linear in time, and contact is the origin within the
 * separation of the hull. Unless that is so at the start, there is a first time at which the distance is the
 * separation. Then it is the distance of a corner, of an edge's line, or of the plane: a root of that feature's
 * polynomial, where the origin's foot lies within the feature. A feature whose polynomial is zero throughout is reached
 * by its foot across its border, which is a feature as well. So it is enough to look at the roots of all polynomials
 * that are not zero, and at the signs that the feet's coordinates have there.
 *
 * The doubles are scaled to integers by one power of two, so nothing is rounded anywhere.
 */
#include "exact_contact.h"

#include <float.h>
#include <math.h>

#include "exact_polynomial.h"

typedef struct vector {
    polynomial c[3];
} vector;

typedef struct exact_hull {
    int count; /* 3 corners of a face, 4 of the parallelogram of two edges in order around it */
    vector corner[4];
    mpz_t separation2;
} exact_hull;

/* A corner, edge or face: f is at most 0 where the origin is within the separation of its point, line or plane. At
 * separation 0 it is any polynomial that is 0 just there. */
typedef struct feature {
    polynomial f;
    polynomial within[4]; /* not negative where the foot lies within */
    int within_count;
    polynomial size2;     /* zero where it is no line or plane, and its border counts alone */
} feature;

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static void vector_init(vector *v)
{
    for (int i = 0; i < 3; i++) {
        polynomial_init(&v->c[i]);
    }
}

static void vector_clear(vector *v)
{
    for (int i = 0; i < 3; i++) {
        polynomial_clear(&v->c[i]);
    }
}

static void subtract(vector *difference, const vector *a, const vector *b)
{
    for (int i = 0; i < 3; i++) {
        polynomial_subtract(&difference->c[i], &a->c[i], &b->c[i]);
    }
}

static void cross(vector *product, const vector *a, const vector *b)
{
    polynomial term;
    polynomial_init(&term);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        polynomial_multiply(&product->c[i], &a->c[j], &b->c[k]);
        polynomial_multiply(&term, &a->c[k], &b->c[j]);
        polynomial_subtract(&product->c[i], &product->c[i], &term);
    }
    polynomial_clear(&term);
}

static void dot(polynomial *product, const vector *a, const vector *b)
{
    polynomial term;
    polynomial_init(&term);
    polynomial_multiply(product, &a->c[0], &b->c[0]);
    for (int i = 1; i < 3; i++) {
        polynomial_multiply(&term, &a->c[i], &b->c[i]);
        polynomial_add(product, product, &term);
    }
    polynomial_clear(&term);
}

static void negate(polynomial *p)
{
    for (int i = 0; i <= p->degree; i++) {
        mpz_neg(p->c[i], p->c[i]);
    }
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

static void feature_init(feature *a)
{
    polynomial_init(&a->f);
    polynomial_init(&a->size2);
    for (int i = 0; i < 4; i++) {
        polynomial_init(&a->within[i]);
    }
    a->within_count = 0;
}

static void feature_clear(feature *a)
{
    polynomial_clear(&a->f);
    polynomial_clear(&a->size2);
    for (int i = 0; i < 4; i++) {
        polynomial_clear(&a->within[i]);
    }
}

/* f of the distance |v| / sqrt(size2). */
static void set_distance(feature *a, const exact_hull *hull, const vector *v)
{
    if (mpz_sgn(hull->separation2) == 0) {
        polynomial_common_divisor(&a->f, &v->c[0], &v->c[1]);
        polynomial_common_divisor(&a->f, &a->f, &v->c[2]);
        return;
    }
    polynomial term;
    polynomial_init(&term);
    dot(&a->f, v, v);
    polynomial_scale(&term, &a->size2, hull->separation2);
    polynomial_subtract(&a->f, &a->f, &term);
    polynomial_clear(&term);
}

static void set_corner(feature *a, const exact_hull *hull, int k)
{
    mpz_t one, zero;
    mpz_init_set_ui(one, 1);
    mpz_init(zero);
    polynomial_set_linear(&a->size2, one, zero);
    set_distance(a, hull, &hull->corner[k]);
    mpz_clear(zero);
    mpz_clear(one);
}

/* Between corners k and k + 1. */
static void set_edge(feature *a, const exact_hull *hull, int k)
{
    const vector *p = &hull->corner[k], *q = &hull->corner[(k + 1) % hull->count];
    vector edge, area;
    vector_init(&edge);
    vector_init(&area);
    subtract(&edge, q, p);
    cross(&area, p, q);
    dot(&a->size2, &edge, &edge);
    set_distance(a, hull, &area);
    dot(&a->within[0], p, &edge);
    negate(&a->within[0]);
    dot(&a->within[1], q, &edge);
    a->within_count = 2;
    vector_clear(&area);
    vector_clear(&edge);
}

/* The foot's coordinates along the sides a and b from corner 0 and, in a triangle, what is left to 1 of their sum or,
 * in a parallelogram, of each; all times |a x b|². */
static void set_face(feature *a, const exact_hull *hull)
{
    const vector *p = &hull->corner[0];
    vector side[2], normal, area, height;
    vector_init(&side[0]);
    vector_init(&side[1]);
    vector_init(&normal);
    vector_init(&area);
    vector_init(&height);
    subtract(&side[0], &hull->corner[1], p);
    subtract(&side[1], &hull->corner[hull->count - 1], p);
    cross(&normal, &side[0], &side[1]);
    dot(&a->size2, &normal, &normal);
    dot(&height.c[0], &normal, p);
    set_distance(a, hull, &height);
    cross(&area, &side[1], p); /* (-p) x b */
    dot(&a->within[0], &area, &normal);
    cross(&area, p, &side[0]); /* a x (-p) */
    dot(&a->within[1], &area, &normal);
    polynomial_subtract(&a->within[2], &a->size2, &a->within[0]);
    if (hull->count == 3) {
        polynomial_subtract(&a->within[2], &a->within[2], &a->within[1]);
        a->within_count = 3;
    } else {
        polynomial_subtract(&a->within[3], &a->size2, &a->within[1]);
        a->within_count = 4;
    }
    vector_clear(&height);
    vector_clear(&area);
    vector_clear(&normal);
    vector_clear(&side[1]);
    vector_clear(&side[0]);
}

static bool touches_at_start(const feature *a, bool touching_only)
{
    dyadic zero = {.k = 0};
    mpz_init(zero.m);
    int f = polynomial_sign(&a->f, &zero);
    bool touches = (touching_only ? f == 0 : f <= 0) && polynomial_sign(&a->size2, &zero) > 0;
    for (int i = 0; touches && i < a->within_count; i++) {
        touches = polynomial_sign(&a->within[i], &zero) >= 0;
    }
    mpz_clear(zero.m);
    return touches;
}

static bool touches_at_root(root_list *roots, int i, const feature *a)
{
    for (int k = 0; k < a->within_count; k++) {
        if (roots_sign(roots, i, &a->within[k]) < 0) {
            return false;
        }
    }
    return roots_sign(roots, i, &a->size2) > 0;
}

static bool feature_touches(const feature *a, bool touching_only)
{
    if (touches_at_start(a, touching_only)) {
        return true;
    }
    if (a->f.degree <= 0) {
        return false;
    }
    root_list roots;
    roots_init(&roots, &a->f);
    bool touches = false;
    for (int i = 0; i < roots.count && !touches; i++) {
        touches = touches_at_root(&roots, i, a);
    }
    roots_clear(&roots);
    return touches;
}

/* ---- the hull ---------------------------------------------------------------------------------------------------- */

/* The exponent of the last binary digit of a number that is not zero. */
static int last_digit(double value)
{
    int exponent;
    frexp(value, &exponent);
    return exponent - DBL_MANT_DIG;
}

/* value 2^-exponent, an integer. */
static void set_scaled(mpz_t integer, double value, int exponent)
{
    int own;
    double fraction = frexp(value, &own);
    mpz_set_d(integer, ldexp(fraction, DBL_MANT_DIG));
    if (value != 0) {
        mpz_mul_2exp(integer, integer, (mp_bitcnt_t)(own - DBL_MANT_DIG - exponent));
    }
}

static int smallest_last_digit(const double x0[4][3], const double x1[4][3], double separation)
{
    int smallest = separation > 0 ? last_digit(separation) : DBL_MAX_EXP;
    for (int k = 0; k < 12; k++) {
        const double values[2] = {x0[k / 3][k % 3], x1[k / 3][k % 3]};
        for (int end = 0; end < 2; end++) {
            int digit = values[end] != 0 ? last_digit(values[end]) : DBL_MAX_EXP;
            smallest = digit < smallest ? digit : smallest;
        }
    }
    return smallest;
}

/* Corner k of the hull is x[to[k]] - x[from[k]]. */
static void hull_points(exact_pair kind, int from[4], int to[4])
{
    static const int points[2][2][4] = {{{0, 0, 0, 0}, {1, 2, 3, 3}}, {{2, 2, 3, 3}, {0, 1, 1, 0}}};
    for (int k = 0; k < 4; k++) {
        from[k] = points[kind][0][k];
        to[k] = points[kind][1][k];
    }
}

/* Of the motion up to `until`, which is stretched to [0, 1]: start 2^k + t m (end - start), until = m / 2^k. */
static void set_coordinate(polynomial *p, const double start[2], const double end[2], int exponent, const mpz_t m,
                           mp_bitcnt_t k)
{
    mpz_t a, b, c;
    mpz_init(a);
    mpz_init(b);
    mpz_init(c);
    set_scaled(a, start[1], exponent);
    set_scaled(c, start[0], exponent);
    mpz_sub(a, a, c);
    set_scaled(b, end[1], exponent);
    set_scaled(c, end[0], exponent);
    mpz_sub(b, b, c);
    mpz_sub(b, b, a);
    mpz_mul(b, b, m);
    mpz_mul_2exp(a, a, k);
    polynomial_set_linear(p, a, b);
    mpz_clear(c);
    mpz_clear(b);
    mpz_clear(a);
}

static void hull_init(exact_hull *hull, exact_pair kind, const double x0[4][3], const double x1[4][3],
                      double separation, double until)
{
    int from[4], to[4], exponent = smallest_last_digit(x0, x1, separation);
    mp_bitcnt_t k = until > 0 ? (mp_bitcnt_t)(-last_digit(until)) : 0; /* until is at most 1 */
    mpz_t m;
    mpz_init(m);
    set_scaled(m, until, -(int)k);
    mp_bitcnt_t even = until > 0 ? mpz_scan1(m, 0) : 0;
    even = even < k ? even : k;
    mpz_tdiv_q_2exp(m, m, even);
    k -= even;
    hull->count = kind == EXACT_VERTEX_FACE ? 3 : 4;
    hull_points(kind, from, to);
    for (int i = 0; i < hull->count; i++) {
        vector_init(&hull->corner[i]);
        for (int axis = 0; axis < 3; axis++) {
            const double start[2] = {x0[from[i]][axis], x0[to[i]][axis]};
            const double end[2] = {x1[from[i]][axis], x1[to[i]][axis]};
            set_coordinate(&hull->corner[i].c[axis], start, end, exponent, m, k);
        }
    }
    mpz_init(hull->separation2);
    set_scaled(hull->separation2, separation, exponent);
    mpz_mul_2exp(hull->separation2, hull->separation2, k);
    mpz_mul(hull->separation2, hull->separation2, hull->separation2);
    mpz_clear(m);
}

static void hull_clear(exact_hull *hull)
{
    for (int i = 0; i < hull->count; i++) {
        vector_clear(&hull->corner[i]);
    }
    mpz_clear(hull->separation2);
}

bool exact_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation, double until)
{
    exact_hull hull;
    hull_init(&hull, kind, x0, x1, separation, until);
    bool touches = false;
    for (int i = 0; i < 1 + 2 * hull.count && !touches; i++) {
        feature a;
        feature_init(&a);
        if (i == 0) {
            set_face(&a, &hull);
        } else if (i <= hull.count) {
            set_edge(&a, &hull, i - 1);
        } else {
            set_corner(&a, &hull, i - 1 - hull.count);
        }
        touches = feature_touches(&a, separation == 0);
        feature_clear(&a);
    }
    hull_clear(&hull);
    return touches;
}

/* Corner 0 . corner 1 x last corner, which is corner 0 . side x side, at the end of the motion up to `time`. */
int exact_side(exact_pair kind, const double x0[4][3], const double x1[4][3], double time)
{
    exact_hull hull;
    hull_init(&hull, kind, x0, x1, 0, time);
    const int rows[3] = {0, 1, hull.count - 1};
    mpz_t end[3][3], volume, minor;
    mpz_init(volume);
    mpz_init(minor);
    for (int i = 0; i < 9; i++) {
        const polynomial *c = &hull.corner[rows[i / 3]].c[i % 3];
        mpz_init(end[i / 3][i % 3]);
        mpz_add(end[i / 3][i % 3], c->c[0], c->c[1]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(minor, end[1][j], end[2][k]);
        mpz_submul(minor, end[1][k], end[2][j]);
        mpz_addmul(volume, minor, end[0][i]);
    }
    int sign = mpz_sgn(volume);
    for (int i = 0; i < 9; i++) {
        mpz_clear(end[i / 3][i % 3]);
    }
    mpz_clear(minor);
    mpz_clear(volume);
    hull_clear(&hull);
    return sign;
}
