/* pcg_double.c - the row loops of conjugate gradients in double precision; see pcg_private.h. */
#include "solve/pcg_private.h"

static wf_float4 narrow(wf_vec3 a, double scale)
{
    return (wf_float4){(float)(a.x * scale), (float)(a.y * scale), (float)(a.z * scale), 0};
}

static wf_vec3 widen(wf_float4 a)
{
    return (wf_vec3){a[0], a[1], a[2]};
}

/* The preconditioner's vectors are scaled and in single precision, all others are neither. */
static double residual(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    double sum = 0;
    wf_vec3 *r = v->work->wide_residual;
    wf_linear_system_multiply_rows(v->context, &v->system, v->residual_of, r, begin, end);
    for (size_t i = begin; i < end; i++) {
        r[i] = wf_filter_apply(v->system.filter, i, wf_vec3_sub(v->b[i], r[i]));
        v->work->residual[i] = narrow(r[i], island->scale);
        sum += (double)v->weight[i] * wf_vec3_norm2(r[i]);
    }
    return sum;
}

/* S s is what counts; but r is free. */
static double dot(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(v->work->wide_residual[i], widen(v->work->preconditioned[i]));
    }
    return sum / island->scale;
}

static double direction(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    wf_vec3 *p = v->work->wide_direction;
    double back = 1 / island->scale;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 s = wf_filter_apply(v->system.filter, i, wf_vec3_scale(widen(v->work->preconditioned[i]), back));
        p[i] = wf_vec3_muladds(s, p[i], island->beta);
    }
    return 0;
}

static double product(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)island;
    double sum = 0;
    const wf_vec3 *p = v->work->wide_direction;
    wf_vec3 *q = v->work->wide_product;
    wf_linear_system_multiply_rows(v->context, &v->system, p, q, begin, end);
    for (size_t i = begin; i < end; i++) {
        sum += wf_vec3_dot(p[i], q[i]);
    }
    return sum;
}

static double step(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    double sum = 0;
    wf_vec3 *r = v->work->wide_residual;
    for (size_t i = begin; i < end; i++) {
        v->x[i] = wf_vec3_muladds(v->x[i], v->work->wide_direction[i], island->alpha);
        r[i] = wf_filter_apply(v->system.filter, i, wf_vec3_muladds(r[i], v->work->wide_product[i], -island->alpha));
        v->work->residual[i] = narrow(r[i], island->scale);
        sum += (double)v->weight[i] * wf_vec3_norm2(r[i]);
    }
    return sum;
}

static double settle(wf_pcg *v, const wf_pcg_island *island, size_t begin, size_t end)
{
    (void)v;
    (void)island;
    (void)begin;
    (void)end;
    return 0;
}

const wf_pcg_loops wf_pcg_loops_double = {.residual = residual, .dot = dot, .direction = direction,
                                          .product = product, .step = step, .settle = settle,
                                          .largest_reduction = 1e12, .most_iterations = 64};
