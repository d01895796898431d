/* pcg_single.c - the row loops of conjugate gradients in single precision inside a correction in double precision; see
 * pcg_private.h.
 *
 * All vectors of the iteration are scaled and in single precision, and the matrix is the rounded one; only residuals
 * computed from x are in double precision, and x itself, to which the steps taken since are added then. Replacing the
 * residual so, without giving up the direction, keeps the convergence of conjugate gradients (van der Vorst and Ye
 * 2000; in mixed precision Clark et al. 2010).
 */
#include "solve/pcg_private.h"
#include "solve/product_kernels.h"

static float sum_of_lanes(wf_float4 a)
{
    return a[0] + a[1] + a[2];
}

static double residual(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    double sum = 0;
    wf_vec3 *r = v->work->wide_residual;
    wf_linear_system_multiply_rows(v->context, &v->system, v->residual_of, r, begin, end);
    for (size_t i = begin; i < end; i++) {
        wf_vec3 a = wf_filter_apply(v->system.filter, i, wf_vec3_sub(v->b[i], r[i]));
        sum += (double)v->weight[i] * wf_vec3_norm2(a);
        r[i] = a;
        a = wf_vec3_scale(a, island->scale);
        v->work->residual[i] = (wf_float4){(float)a.x, (float)a.y, (float)a.z, 0};
    }
    return sum;
}

/* Sums of a block of a few hundred rows are good to six digits in single precision: more than the method asks for. */
static double dot(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    wf_float4 sum = {0};
    const wf_float4 *restrict r = v->work->residual, *restrict s = v->work->preconditioned;
    for (size_t i = begin; i < end; i++) {
        sum += r[i] * s[i];
    }
    return sum_of_lanes(sum) / (island->scale * island->scale);
}

static double direction(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    wf_float4 *restrict p = v->work->direction;
    const wf_float4 *restrict s = v->work->preconditioned;
    const float beta = (float)(island->beta * island->rescale);
    for (size_t i = begin; i < end; i++) {
        p[i] = s[i] + beta * p[i];
    }
    return 0;
}

static double product(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    wf_float4 sum = {0};
    const wf_float4 *restrict p = v->work->direction;
    wf_float4 *restrict q = v->work->product;
    wf_product_kernels_for(v->context)->multiply_single(v->system.single, p, q, begin, end);
    for (size_t i = begin; i < end; i++) {
        sum += p[i] * q[i];
    }
    return sum_of_lanes(sum) / (island->scale * island->scale);
}

static double step(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    wf_float4 sum = {0};
    wf_float4 *restrict e = v->work->correction, *restrict r = v->work->residual;
    const wf_float4 *restrict p = v->work->direction, *restrict q = v->work->product;
    const float *restrict weight = v->weight;
    const float alpha = (float)island->alpha;
    for (size_t i = begin; i < end; i++) {
        e[i] += alpha * p[i];
        wf_float4 a = r[i] - alpha * q[i];
        r[i] = a;
        sum += weight[i] * (a * a);
    }
    return sum_of_lanes(sum) / (island->scale * island->scale);
}

static double settle(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    double back = 1 / island->scale;
    wf_float4 *e = v->work->correction;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 whole = {e[i][0] * back, e[i][1] * back, e[i][2] * back};
        v->x[i] = wf_vec3_add(v->x[i], wf_filter_apply(v->system.filter, i, whole));
        e[i] = (wf_float4){0};
    }
    return 0;
}

const wf_pcg_loops wf_pcg_loops_single = {.residual = residual, .dot = dot, .direction = direction,
                                          .product = product, .step = step, .settle = settle,
                                          .largest_reduction = 1e3, .most_iterations = 400};
