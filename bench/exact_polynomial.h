/* exact_polynomial.h - polynomials in one variable with integer coefficients, and the signs that they have at each
 * other's roots, by Sturm sequences (Basu, Pollack, Roy, "Algorithms in Real Algebraic Geometry", 2006, chapter 2). */
#ifndef WEFT_BENCH_EXACT_POLYNOMIAL_H
#define WEFT_BENCH_EXACT_POLYNOMIAL_H

#include <gmp.h>
#include <stdbool.h>

enum { MOST_DEGREE = 6 };

typedef struct polynomial {
    int degree; /* -1: zero */
    mpz_t c[MOST_DEGREE + 1];
} polynomial;

/* A dyadic number m / 2^k. */
typedef struct dyadic {
    mpz_t m;
    unsigned long k;
} dyadic;

void polynomial_init(polynomial *p);
void polynomial_clear(polynomial *p);
void polynomial_copy(polynomial *to, const polynomial *from);
void polynomial_set_linear(polynomial *p, const mpz_t constant, const mpz_t slope);
/* The result may be one of the operands. */
void polynomial_add(polynomial *sum, const polynomial *a, const polynomial *b);
void polynomial_subtract(polynomial *difference, const polynomial *a, const polynomial *b);
void polynomial_multiply(polynomial *product, const polynomial *a, const polynomial *b);
void polynomial_scale(polynomial *product, const polynomial *a, const mpz_t factor);
int polynomial_sign(const polynomial *p, const dyadic *t);
/* The greatest common divisor, up to a factor: zero where both are. */
void polynomial_common_divisor(polynomial *divisor, const polynomial *a, const polynomial *b);

/* What counts a polynomial's roots: Euclid's sequence of its square-free part, the first, and its derivative. */
typedef struct sturm_sequence {
    int length;
    polynomial p[MOST_DEGREE + 2];
} sturm_sequence;

/* A polynomial's distinct roots in (0, 1], each alone in an interval (from, to]. */
typedef struct root_list {
    int count;
    sturm_sequence sturm;
    dyadic from[MOST_DEGREE], to[MOST_DEGREE];
} root_list;

/* The polynomial must not be zero. */
void roots_init(root_list *roots, const polynomial *p);
void roots_clear(root_list *roots);

/* The sign of q at root i, whose interval is made as short as it takes. */
int roots_sign(root_list *roots, int i, const polynomial *q);

#endif
