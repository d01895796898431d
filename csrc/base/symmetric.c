#include "base/symmetric.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 40 };

/* Eigenvalues above -NEGLIGIBLE times the trace's size are rounding. */
#define NEGLIGIBLE 1e-13

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

/* Makes a[p][q] zero by a rotation of rows and columns p and q, and turns the columns of v with it (Jacobi's method,
 * Golub and Van Loan, section 8.5). */
static void rotate(int32_t n, double *a, double *v, int32_t p, int32_t q)
{
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int32_t k = 0; k < n; k++) {
        double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int32_t k = 0; k < n; k++) {
        double pk = a[p * n + k], qk = a[q * n + k], vp = v[k * n + p], vq = v[k * n + q];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
        v[k * n + p] = c * vp - s * vq;
        v[k * n + q] = s * vp + c * vq;
    }
}

/* Leaves the eigenvalues on the diagonal of a, and their vectors in the columns of v. */
static void diagonalise(int32_t n, double *a, double *v)
{
    memset(v, 0, (size_t)(n * n) * sizeof *v);
    for (int32_t i = 0; i < n; i++) {
        v[i * n + i] = 1;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, total = 0;
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                total += a[i * n + j] * a[i * n + j];
                off += i < j ? a[i * n + j] * a[i * n + j] : 0;
            }
        }
        if (!(off > 1e-30 * total)) {
            return;
        }
        for (int32_t p = 0; p < n - 1; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                if (a[p * n + q] != 0) {
                    rotate(n, a, v, p, q);
                }
            }
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
    double values[WF_SYMMETRIC_LIMIT * WF_SYMMETRIC_LIMIT], vectors[WF_SYMMETRIC_LIMIT * WF_SYMMETRIC_LIMIT];
    memcpy(values, a, (size_t)(n * n) * sizeof *values);
    diagonalise(n, values, vectors);
    /* Adds |lambda| v v^T for each negative lambda: what is positive keeps its digits. */
    for (int32_t k = 0; k < n; k++) {
        double lambda = values[k * n + k];
        for (int32_t i = 0; lambda < 0 && i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                a[i * n + j] -= lambda * vectors[i * n + k] * vectors[j * n + k];
            }
        }
    }
}
