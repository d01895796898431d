#include "model/low_rank.h"

#include <string.h>

void wf_low_rank_free(wf_context *context, wf_low_rank *terms)
{
    wf_free(context, terms->factors);
    wf_free(context, terms->vectors);
    *terms = (wf_low_rank){0};
}

void wf_low_rank_begin(wf_low_rank *terms, size_t rows)
{
    terms->rows = rows;
    terms->count = 0;
}

wf_vec3 *wf_low_rank_add(wf_context *context, wf_low_rank *terms, double factor)
{
    size_t count = terms->count + 1;
    if (wf_reserve(context, &terms->factors, &terms->factor_capacity, count, sizeof *terms->factors) != WF_OK ||
        wf_reserve(context, &terms->vectors, &terms->vector_capacity, count * terms->rows, sizeof *terms->vectors) !=
            WF_OK) {
        return NULL;
    }
    wf_vec3 *vector = terms->vectors + terms->count * terms->rows;
    memset(vector, 0, terms->rows * sizeof *vector);
    terms->factors[terms->count] = factor;
    terms->count = count;
    return vector;
}

double wf_low_rank_dot(const wf_low_rank *terms, size_t term, const wf_vec3 *x)
{
    const wf_vec3 *u = terms->vectors + term * terms->rows;
    double sum = 0;
    for (size_t i = 0; i < terms->rows; i++) {
        sum += wf_vec3_dot(u[i], x[i]);
    }
    return sum;
}

void wf_low_rank_multiply(const wf_low_rank *terms, const wf_vec3 *x, wf_vec3 *y)
{
    for (size_t k = 0; k < terms->count; k++) {
        const wf_vec3 *u = terms->vectors + k * terms->rows;
        double scale = terms->factors[k] * wf_low_rank_dot(terms, k, x);
        for (size_t i = 0; i < terms->rows; i++) {
            y[i] = wf_vec3_muladds(y[i], u[i], scale);
        }
    }
}
