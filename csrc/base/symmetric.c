#include "base/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 30 }; /* of the iteration, for each eigenvalue; two are usual */

/* Eigenvalues above -NEGLIGIBLE times the trace's size are rounding. */
#define NEGLIGIBLE 1e-13

/* Couplings below this count as none: reflections divide by their cubes, which must not underflow. */
#define VANISHING 1e-90

/* Whether a + shift I has a Cholesky factor, that is, whether all eigenvalues are greater than -shift. */
static bool is_definite(int32_t n, const double *a, double shift)
{
    double l[WF_SYMMETRIC_LIMIT * WF_SYMMETRIC_LIMIT];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = a[i * n + j] + (i == j ? shift : 0);
            for (int32_t k = 0; k < j; k++) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if (i != j) {
                l[i * n + j] = sum / l[j * n + j];
            } else if (sum > 0) {
                l[i * n + i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

/* Makes the symmetric matrix `a` tridiagonal by reflections (Householder's, Golub and Van Loan, algorithm 8.3.1): the
 * diagonal in d, what is beside it in e. The rows of v become the vectors in which it is so; a is used up. */
static void tridiagonalise(int32_t n, double *a, double *d, double *e, double *v)
{
    memset(v, 0, (size_t)(n * n) * sizeof *v);
    for (int32_t i = 0; i < n; i++) {
        v[i * n + i] = 1;
    }
    for (int32_t k = 0; k < n - 1; k++) {
        double u[WF_SYMMETRIC_LIMIT], w[WF_SYMMETRIC_LIMIT], row[WF_SYMMETRIC_LIMIT] = {0}, tail = 0, dot = 0;
        const double first = a[(k + 1) * n + k];
        for (int32_t i = k + 2; i < n; i++) {
            tail += a[i * n + k] * a[i * n + k];
        }
        e[k] = first;
        if (!(tail > 0) || first * first + tail < VANISHING * VANISHING) {
            continue;
        }
        /* 1 - over u u^T turns column k below the diagonal to its first axis */
        double norm = sqrt(first * first + tail), over = 1 / (norm * (norm + fabs(first)));
        e[k] = -copysign(norm, first);
        for (int32_t i = k + 1; i < n; i++) {
            u[i] = a[i * n + k] - (i == k + 1 ? e[k] : 0);
        }
        for (int32_t i = k + 1; i < n; i++) {
            double sum = 0;
            for (int32_t j = k + 1; j < n; j++) {
                sum += a[i * n + j] * u[j];
            }
            w[i] = over * sum;
            dot += over * w[i] * u[i];
            for (int32_t j = 0; j < n; j++) {
                row[j] += over * u[i] * v[i * n + j];
            }
        }
        for (int32_t i = k + 1; i < n; i++) {
            w[i] -= 0.5 * dot * u[i];
        }
        for (int32_t i = k + 1; i < n; i++) {
            for (int32_t j = k + 1; j < n; j++) {
                a[i * n + j] -= u[i] * w[j] + w[i] * u[j];
            }
            for (int32_t j = 0; j < n; j++) {
                v[i * n + j] -= u[i] * row[j];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        d[i] = a[i * n + i];
    }
}

/* A step of the QR iteration on rows low to high of a tridiagonal matrix, with Wilkinson's shift (Golub and Van Loan,
 * algorithm 8.3.2): rotations of neighbouring rows push what the first brings outside the band along to its end. */
static void iterate(int32_t n, int32_t low, int32_t high, double *d, double *e, double *v)
{
    double half = 0.5 * (d[high - 1] - d[high]), last = e[high - 1];
    double shift = d[high] - last * last / (half + copysign(sqrt(half * half + last * last), half));
    double x = d[low] - shift, z = e[low];
    for (int32_t k = low; k < high; k++) {
        double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
        double above = d[k], below = d[k + 1], beside = e[k], *p = v + k * n, *q = p + n;
        if (k > low) {
            e[k - 1] = r;
        }
        d[k] = c * c * above + 2 * c * s * beside + s * s * below;
        d[k + 1] = s * s * above - 2 * c * s * beside + c * c * below;
        e[k] = c * s * (below - above) + (c * c - s * s) * beside;
        if (k + 1 < high) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        for (int32_t j = 0; j < n; j++) {
            double pj = p[j], qj = q[j];
            p[j] = c * pj + s * qj;
            q[j] = c * qj - s * pj;
        }
    }
}

static bool is_negligible(const double *d, const double *e, int32_t k)
{
    return !(fabs(e[k]) > fmax(DBL_EPSILON * (fabs(d[k]) + fabs(d[k + 1])), VANISHING));
}

/* The eigenvalues d of `a`, which is used up, and their vectors in the rows of v. */
static void diagonalise(int32_t n, double *a, double *d, double *v)
{
    double e[WF_SYMMETRIC_LIMIT];
    tridiagonalise(n, a, d, e, v);
    int32_t high = n - 1;
    for (int32_t step = 0; high > 0 && step < STEPS * n; step++) {
        while (high > 0 && is_negligible(d, e, high - 1)) {
            high--;
        }
        int32_t low = high;
        while (low > 0 && !is_negligible(d, e, low - 1)) {
            low--;
        }
        if (low < high) {
            iterate(n, low, high, d, e, v);
        }
    }
}

/* The sum of the diagonal's sizes. */
static double size_of(int32_t n, const double *a)
{
    double size = 0;
    for (int32_t i = 0; i < n; i++) {
        size += fabs(a[i * n + i]);
    }
    return size;
}

bool wf_symmetric_is_semidefinite(int32_t n, const double *a)
{
    double size = size_of(n, a);
    return isfinite(size) && is_definite(n, a, NEGLIGIBLE * size);
}

void wf_symmetric_clamp(int32_t n, double *a)
{
    if (!isfinite(size_of(n, a)) || wf_symmetric_is_semidefinite(n, a)) {
        return;
    }
    double work[WF_SYMMETRIC_LIMIT * WF_SYMMETRIC_LIMIT], vectors[WF_SYMMETRIC_LIMIT * WF_SYMMETRIC_LIMIT];
    double lambda[WF_SYMMETRIC_LIMIT];
    memcpy(work, a, (size_t)(n * n) * sizeof *work);
    diagonalise(n, work, lambda, vectors);
    /* Adds |lambda| v v^T for each negative lambda: what is positive keeps its digits. */
    for (int32_t k = 0; k < n; k++) {
        const double *v = vectors + k * n;
        for (int32_t i = 0; lambda[k] < 0 && i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                a[i * n + j] -= lambda[k] * v[i] * v[j];
            }
        }
    }
}
