/* dense.c - see dense.h. */
#include "base/dense.h"

#include <math.h>

static size_t largest_below(size_t n, const double *a, size_t column)
{
    size_t best = column;
    for (size_t r = column + 1; r < n; r++) {
        if (fabs(a[r * n + column]) > fabs(a[best * n + column])) {
            best = r;
        }
    }
    return best;
}

bool wf_dense_factor(size_t n, double *a, size_t *rows)
{
    for (size_t r = 0; r < n; r++) {
        rows[r] = r;
    }
    for (size_t k = 0; k < n; k++) {
        size_t p = largest_below(n, a, k);
        if (p != k) {
            size_t row = rows[k];
            rows[k] = rows[p];
            rows[p] = row;
            for (size_t c = 0; c < n; c++) {
                double value = a[k * n + c];
                a[k * n + c] = a[p * n + c];
                a[p * n + c] = value;
            }
        }
        double pivot = a[k * n + k];
        if (pivot == 0 || !isfinite(pivot)) {
            return false;
        }
        for (size_t r = k + 1; r < n; r++) {
            double factor = a[r * n + k] / pivot;
            a[r * n + k] = factor;
            for (size_t c = k + 1; factor != 0 && c < n; c++) {
                a[r * n + c] -= factor * a[k * n + c];
            }
        }
    }
    return true;
}

void wf_dense_solve(size_t n, const double *factors, const size_t *rows, const double *b, double *x)
{
    for (size_t r = 0; r < n; r++) {
        double sum = b[rows[r]];
        for (size_t c = 0; c < r; c++) {
            sum -= factors[r * n + c] * x[c];
        }
        x[r] = sum;
    }
    for (size_t r = n; r-- > 0;) {
        double sum = x[r];
        for (size_t c = r + 1; c < n; c++) {
            sum -= factors[r * n + c] * x[c];
        }
        x[r] = sum / factors[r * n + r];
    }
}

void wf_dense_multiply(size_t n, const double *a, const double *x, double *y)
{
    for (size_t r = 0; r < n; r++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            sum += a[r * n + c] * x[c];
        }
        y[r] = sum;
    }
}
