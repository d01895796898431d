/* number.c - decimal text to double and back; see number.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Powers of ten that a double holds exactly. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { EXACT_POWER_MAX = 22, TOKEN_SIZE = 128, EXPONENT_MAX = 100000 };

/* The "C" locale for the calling thread, and back. newlocale() of "C" cannot fail for lack of memory in the C
 * libraries we know; if it does, the caller's locale stays. */
typedef struct locale_scope {
    locale_t c, old;
} locale_scope;

static locale_scope enter_c_locale(void)
{
    locale_scope scope = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (scope.c != (locale_t)0) {
        scope.old = uselocale(scope.c);
    }
    return scope;
}

static void leave_c_locale(locale_scope scope)
{
    if (scope.c != (locale_t)0) {
        uselocale(scope.old);
        freelocale(scope.c);
    }
}

/* The parts of a decimal number: (negative ? -1 : 1) * mantissa * 10^exponent. */
typedef struct decimal {
    bool negative;
    uint64_t mantissa; /* the leading 19 significant digits */
    int digit_count;   /* significant digits, all of them */
    int exponent;      /* that goes with `mantissa` */
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *p, const char *end, decimal *number, bool fraction)
{
    for (; p < end && is_digit(*p); p++) {
        if (number->digit_count < 19) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
            number->digit_count += number->mantissa != 0;
            number->exponent -= fraction;
        } else {
            /* Beyond 19 digits only the scale counts here; the exact value is left to strtod. */
            if (number->digit_count < EXPONENT_MAX) {
                number->digit_count++;
            }
            number->exponent += !fraction && number->exponent < EXPONENT_MAX;
        }
    }
    return p;
}

static const char *scan_exponent(const char *p, const char *end, decimal *number)
{
    const char *q = p + 1;
    bool negative = false;
    if (q < end && (*q == '+' || *q == '-')) {
        negative = *q++ == '-';
    }
    if (q == end || !is_digit(*q)) {
        return p; /* "1e" is the number 1 followed by something else */
    }
    int exponent = 0;
    for (; q < end && is_digit(*q); q++) {
        exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*q - '0') : exponent;
    }
    number->exponent += negative ? -exponent : exponent;
    return q;
}

/* By the C library, correctly rounded. */
static double parse_slowly(const char *begin, const char *end, const decimal *number)
{
    char token[TOKEN_SIZE];
    size_t length = (size_t)(end - begin);
    if (length < sizeof token) {
        memcpy(token, begin, length);
        token[length] = 0;
    } else {
        /* Longer than any program prints a double: 19 digits give it to a unit in the last place. */
        snprintf(token, sizeof token, "%s%llue%d", number->negative ? "-" : "", (unsigned long long)number->mantissa,
                 number->exponent);
    }
    locale_scope scope = enter_c_locale();
    double value = strtod(token, NULL);
    leave_c_locale(scope);
    return value;
}

const char *wf_parse_double(const char *begin, const char *end, double *value)
{
    decimal number = {0};
    const char *p = begin;
    if (p < end && (*p == '+' || *p == '-')) {
        number.negative = *p++ == '-';
    }
    const char *first_digit = p;
    p = scan_digits(p, end, &number, false);
    ptrdiff_t digits = p - first_digit;
    if (p < end && *p == '.') {
        const char *point = p;
        p = scan_digits(p + 1, end, &number, true);
        digits += p - point - 1;
    }
    if (digits == 0) {
        return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = scan_exponent(p, end, &number);
    }
    /* Both factors exact and one rounding: the result is correctly rounded (Clinger 1990). */
    bool exact = number.digit_count <= 15 && abs(number.exponent) <= EXACT_POWER_MAX;
    if (exact) {
        double scale = exact_powers[abs(number.exponent)];
        double magnitude = (double)number.mantissa;
        magnitude = number.exponent < 0 ? magnitude / scale : magnitude * scale;
        *value = number.negative ? -magnitude : magnitude;
    } else {
        *value = parse_slowly(begin, p, &number);
    }
    return p;
}

const char *wf_parse_int64(const char *begin, const char *end, int64_t *value)
{
    const char *p = begin;
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) {
        negative = *p++ == '-';
    }
    if (p == end || !is_digit(*p)) {
        return NULL;
    }
    int64_t magnitude = 0;
    for (; p < end && is_digit(*p); p++) {
        if (magnitude > (INT64_MAX - 9) / 10) {
            return NULL;
        }
        magnitude = magnitude * 10 + (*p - '0');
    }
    *value = negative ? -magnitude : magnitude;
    return p;
}

int wf_format_double(double value, char text[WF_NUMBER_SIZE])
{
    locale_scope scope = enter_c_locale();
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, WF_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) {
            break;
        }
    }
    leave_c_locale(scope);
    return length;
}
