/* exact_polynomial.c - integer polynomials and Sturm sequences; see exact_polynomial.h. */
#include "exact_polynomial.h"

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

void polynomial_init(polynomial *p)
{
    p->degree = -1;
    for (int i = 0; i <= MOST_DEGREE; i++) {
        mpz_init(p->c[i]);
    }
}

void polynomial_clear(polynomial *p)
{
    for (int i = 0; i <= MOST_DEGREE; i++) {
        mpz_clear(p->c[i]);
    }
}

static void trim(polynomial *p, int degree)
{
    while (degree >= 0 && mpz_sgn(p->c[degree]) == 0) {
        degree--;
    }
    p->degree = degree;
}

void polynomial_copy(polynomial *to, const polynomial *from)
{
    for (int i = 0; i <= from->degree; i++) {
        mpz_set(to->c[i], from->c[i]);
    }
    to->degree = from->degree;
}

void polynomial_set_linear(polynomial *p, const mpz_t constant, const mpz_t slope)
{
    mpz_set(p->c[0], constant);
    mpz_set(p->c[1], slope);
    trim(p, 1);
}

static void combine(polynomial *result, const polynomial *a, const polynomial *b,
                    void (*operation)(mpz_ptr, mpz_srcptr, mpz_srcptr))
{
    mpz_t zero;
    mpz_init(zero);
    int degree = max_int(a->degree, b->degree), of_a = a->degree, of_b = b->degree;
    for (int i = 0; i <= degree; i++) {
        operation(result->c[i], i <= of_a ? a->c[i] : zero, i <= of_b ? b->c[i] : zero);
    }
    trim(result, degree);
    mpz_clear(zero);
}

void polynomial_add(polynomial *sum, const polynomial *a, const polynomial *b)
{
    combine(sum, a, b, mpz_add);
}

void polynomial_subtract(polynomial *difference, const polynomial *a, const polynomial *b)
{
    combine(difference, a, b, mpz_sub);
}

void polynomial_multiply(polynomial *product, const polynomial *a, const polynomial *b)
{
    polynomial result;
    polynomial_init(&result);
    for (int i = 0; i <= a->degree; i++) {
        for (int j = 0; j <= b->degree; j++) {
            mpz_addmul(result.c[i + j], a->c[i], b->c[j]);
        }
    }
    trim(&result, a->degree >= 0 && b->degree >= 0 ? a->degree + b->degree : -1);
    polynomial_copy(product, &result);
    polynomial_clear(&result);
}

void polynomial_scale(polynomial *product, const polynomial *a, const mpz_t factor)
{
    int degree = a->degree;
    for (int i = 0; i <= degree; i++) {
        mpz_mul(product->c[i], a->c[i], factor);
    }
    trim(product, degree);
}

/* Of the sum of c[i] m^i 2^(k (degree - i)). */
int polynomial_sign(const polynomial *p, const dyadic *t)
{
    if (p->degree < 0) {
        return 0;
    }
    mpz_t sum, term;
    mpz_init_set(sum, p->c[p->degree]);
    mpz_init(term);
    for (int i = p->degree - 1; i >= 0; i--) {
        mpz_mul(sum, sum, t->m);
        mpz_mul_2exp(term, p->c[i], t->k * (unsigned long)(p->degree - i));
        mpz_add(sum, sum, term);
    }
    int sign = mpz_sgn(sum);
    mpz_clear(term);
    mpz_clear(sum);
    return sign;
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

/* Divides by the greatest common divisor of the coefficients. */
static void reduce(polynomial *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = p->degree; i >= 0 && mpz_cmp_ui(content, 1) != 0; i--) {
        mpz_gcd(content, content, p->c[i]);
    }
    for (int i = 0; i <= p->degree && mpz_cmp_ui(content, 1) > 0; i++) {
        mpz_divexact(p->c[i], p->c[i], content);
    }
    mpz_clear(content);
}

static void derive(polynomial *derivative, const polynomial *p)
{
    for (int i = 1; i <= p->degree; i++) {
        mpz_mul_ui(derivative->c[i - 1], p->c[i], (unsigned long)i);
    }
    derivative->degree = p->degree > 0 ? p->degree - 1 : -1;
}

/* a becomes a positive multiple of its remainder by b; the quotient, scaled alike, is added to *quotient if asked. */
static void take_remainder(polynomial *a, const polynomial *b, polynomial *quotient)
{
    mpz_t lead, factor;
    mpz_init(lead);
    mpz_init(factor);
    mpz_abs(lead, b->c[b->degree]);
    while (a->degree >= b->degree) {
        int shift = a->degree - b->degree;
        mpz_set(factor, a->c[a->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0) {
            mpz_neg(factor, factor);
        }
        polynomial_scale(a, a, lead);
        for (int i = 0; i <= b->degree; i++) {
            mpz_submul(a->c[i + shift], b->c[i], factor);
        }
        trim(a, a->degree - 1);
        if (quotient) {
            polynomial_scale(quotient, quotient, lead);
            mpz_set(quotient->c[shift], factor);
            quotient->degree = max_int(quotient->degree, shift);
        }
    }
    mpz_clear(factor);
    mpz_clear(lead);
}

/* ---- Sturm sequences --------------------------------------------------------------------------------------------- */

static void sturm_init(sturm_sequence *s)
{
    s->length = 0;
    for (int i = 0; i < MOST_DEGREE + 2; i++) {
        polynomial_init(&s->p[i]);
    }
}

static void sturm_clear(sturm_sequence *s)
{
    for (int i = 0; i < MOST_DEGREE + 2; i++) {
        polynomial_clear(&s->p[i]);
    }
}

/* From the first two on: minus the remainder of the last two, until it would be zero. The last one is the greatest
 * common divisor of the first two. */
static void run_euclid(sturm_sequence *s)
{
    s->length = s->p[1].degree < 0 ? 1 : 2;
    while (s->length > 1 && s->p[s->length - 1].degree > 0) {
        polynomial *last = &s->p[s->length - 1], *next = &s->p[s->length];
        reduce(last);
        polynomial_copy(next, &s->p[s->length - 2]);
        take_remainder(next, last, NULL);
        if (next->degree < 0) {
            return;
        }
        for (int i = 0; i <= next->degree; i++) {
            mpz_neg(next->c[i], next->c[i]);
        }
        s->length++;
    }
}

void polynomial_common_divisor(polynomial *divisor, const polynomial *a, const polynomial *b)
{
    sturm_sequence s;
    sturm_init(&s);
    polynomial_copy(&s.p[0], a->degree >= b->degree ? a : b);
    polynomial_copy(&s.p[1], a->degree >= b->degree ? b : a);
    run_euclid(&s);
    polynomial_copy(divisor, &s.p[s.length - 1]);
    sturm_clear(&s);
}

static void make_sturm(sturm_sequence *s, const polynomial *p)
{
    polynomial_copy(&s->p[0], p);
    derive(&s->p[1], p);
    run_euclid(s);
    const polynomial *divisor = &s->p[s->length - 1];
    if (s->length > 1 && divisor->degree > 0) { /* a multiple root */
        polynomial dividend, quotient;
        polynomial_init(&dividend);
        polynomial_init(&quotient);
        polynomial_copy(&dividend, p);
        take_remainder(&dividend, divisor, &quotient);
        polynomial_copy(&s->p[0], &quotient);
        derive(&s->p[1], &quotient);
        run_euclid(s);
        polynomial_clear(&quotient);
        polynomial_clear(&dividend);
    }
    reduce(&s->p[0]);
}

static int sign_changes(const sturm_sequence *s, const dyadic *t)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->length; i++) {
        int sign = polynomial_sign(&s->p[i], t);
        if (sign != 0) {
            changes += last * sign < 0;
            last = sign;
        }
    }
    return changes;
}

/* Roots in (from, to]. */
static int count_roots(const sturm_sequence *s, const dyadic *from, const dyadic *to)
{
    return sign_changes(s, from) - sign_changes(s, to);
}

/* Descartes' rule for (1 + x)^degree p(1 / (1 + x)), whose positive roots are those of p in (0, 1): without a change of
 * sign among its coefficients there are none. The first coefficient is p(1). */
static bool has_clearly_no_root(const polynomial *p)
{
    mpz_t c[MOST_DEGREE + 1];
    int n = p->degree, lowest = 0, highest = 0;
    for (int i = 0; i <= n; i++) {
        mpz_init_set(c[i], p->c[n - i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = n - 1; j >= i; j--) {
            mpz_add(c[j], c[j], c[j + 1]);
        }
    }
    bool none = mpz_sgn(c[0]) != 0;
    for (int i = 0; i <= n; i++) {
        int sign = mpz_sgn(c[i]);
        lowest = sign < lowest ? sign : lowest;
        highest = sign > highest ? sign : highest;
        mpz_clear(c[i]);
    }
    return none && lowest * highest == 0;
}

/* ---- roots ------------------------------------------------------------------------------------------------------- */

/* Of two with the same denominator, as the ends of all intervals here have. */
static void set_middle(dyadic *middle, const dyadic *from, const dyadic *to)
{
    mpz_add(middle->m, from->m, to->m);
    middle->k = from->k + 1;
}

static void set_dyadic(dyadic *to, const dyadic *from, unsigned long k)
{
    mpz_mul_2exp(to->m, from->m, k - from->k);
    to->k = k;
}

/* Appends the roots in (from, to], of which there are so many. */
static void isolate(root_list *roots, const dyadic *from, const dyadic *to, int count)
{
    if (count == 0) {
        return;
    }
    if (count == 1) {
        set_dyadic(&roots->from[roots->count], from, from->k);
        set_dyadic(&roots->to[roots->count], to, to->k);
        roots->count++;
        return;
    }
    dyadic middle, end;
    mpz_init(middle.m);
    mpz_init(end.m);
    set_middle(&middle, from, to);
    set_dyadic(&end, from, middle.k);
    int below = count_roots(&roots->sturm, &end, &middle);
    isolate(roots, &end, &middle, below);
    set_dyadic(&end, to, middle.k);
    isolate(roots, &middle, &end, count - below);
    mpz_clear(end.m);
    mpz_clear(middle.m);
}

static void halve(root_list *roots, int i)
{
    dyadic middle;
    mpz_init(middle.m);
    set_middle(&middle, &roots->from[i], &roots->to[i]);
    set_dyadic(&roots->from[i], &roots->from[i], middle.k);
    set_dyadic(&roots->to[i], &roots->to[i], middle.k);
    bool below = count_roots(&roots->sturm, &roots->from[i], &middle) > 0;
    mpz_set(below ? roots->to[i].m : roots->from[i].m, middle.m);
    mpz_clear(middle.m);
}

void roots_init(root_list *roots, const polynomial *p)
{
    roots->count = 0;
    sturm_init(&roots->sturm);
    for (int i = 0; i < MOST_DEGREE; i++) {
        mpz_init(roots->from[i].m);
        mpz_init(roots->to[i].m);
    }
    if (has_clearly_no_root(p)) {
        return;
    }
    make_sturm(&roots->sturm, p);
    dyadic zero = {.k = 0}, one = {.k = 0};
    mpz_init(zero.m);
    mpz_init_set_ui(one.m, 1);
    isolate(roots, &zero, &one, count_roots(&roots->sturm, &zero, &one));
    mpz_clear(one.m);
    mpz_clear(zero.m);
}

void roots_clear(root_list *roots)
{
    for (int i = 0; i < MOST_DEGREE; i++) {
        mpz_clear(roots->from[i].m);
        mpz_clear(roots->to[i].m);
    }
    sturm_clear(&roots->sturm);
}

/* Whether p and q have a root in common in root i's interval. */
static bool shares_root(const root_list *roots, int i, const polynomial *q)
{
    sturm_sequence common, divisor;
    sturm_init(&common);
    sturm_init(&divisor);
    polynomial_copy(&common.p[0], &roots->sturm.p[0]);
    polynomial_copy(&common.p[1], q);
    run_euclid(&common);
    make_sturm(&divisor, &common.p[common.length - 1]);
    bool shares = count_roots(&divisor, &roots->from[i], &roots->to[i]) > 0;
    sturm_clear(&divisor);
    sturm_clear(&common);
    return shares;
}

int roots_sign(root_list *roots, int i, const polynomial *q)
{
    enum { FEW_HALVINGS = 8 }; /* before it is worth finding out whether there is an end to them */
    if (q->degree < 0 || has_clearly_no_root(q)) {
        return polynomial_sign(q, &roots->to[i]);
    }
    sturm_sequence sturm;
    sturm_init(&sturm);
    make_sturm(&sturm, q);
    int sign = 0;
    for (int halvings = 0;; halvings++) {
        if (count_roots(&sturm, &roots->from[i], &roots->to[i]) == 0) {
            sign = polynomial_sign(q, &roots->to[i]);
            break;
        }
        if (halvings == FEW_HALVINGS && shares_root(roots, i, q)) {
            break;
        }
        halve(roots, i);
    }
    sturm_clear(&sturm);
    return sign;
}
