/* march.c - see march.h. */
#include "step/march.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

wf_march_params wf_default_march_params(const wf_equation *equation)
{
    return (wf_march_params){.from = equation->def.from, .to = equation->def.to, .steps = 100};
}

double wf_march_time(const wf_march *march, int64_t step)
{
    /* Exact at both ends, and never a running sum. */
    double fraction = (double)step / (double)march->steps;
    return step == march->steps ? march->to : march->from + fraction * (march->to - march->from);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* The largest component of |a - b|; NaN counts as infinite. */
static double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs(a[i] - b[i]);
        if (!(difference <= largest)) {
            largest = isnan(difference) ? INFINITY : difference;
        }
    }
    return largest;
}

double wf_equation_difference(const wf_equation *equation, int64_t count, const double *a, const double *b)
{
    size_t n = equation->def.size, offset = equation->def.first_order ? n : 0;
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t at = 2 * n * (size_t)i + offset;
        largest = fmax(largest, largest_difference(n, a + at, b + at));
    }
    return largest;
}

static wf_status measure_error(wf_march *march)
{
    size_t n = march->equation->def.size;
    const double *known = march->compared;
    if (march->exact) {
        const wf_equation_def *def = &march->equation->def;
        wf_status status = def->exact(def->user, wf_march_time(march, march->done), march->compared,
                                      march->compared + n);
        if (status != WF_OK) {
            return status;
        }
    } else if (march->samples && (march->done * march->sample_count) % march->steps == 0) {
        known = march->samples + 2 * n * (size_t)(march->done * march->sample_count / march->steps);
    } else {
        return WF_OK;
    }
    bool in_v = march->equation->def.first_order;
    march->end_error = largest_difference(n, in_v ? march->v : march->x, in_v ? known + n : known);
    march->max_error = fmax(march->max_error, march->end_error);
    return WF_OK;
}

/* ---- traces ---------------------------------------------------------------------------------------------------- */

static wf_status record(wf_march *march)
{
    size_t n = march->equation->def.size;
    if (march->trace_every == 0 || march->done % march->trace_every != 0) {
        return WF_OK;
    }
    wf_march_trace entry = {.time = wf_march_time(march, march->done),
                            .energy = NAN,
                            .momentum = {NAN, NAN, NAN},
                            .angular = {NAN, NAN, NAN}};
    wf_status status = WF_OK;
    if (march->equation->system.energy) {
        status = wf_equation_energy(march->equation, entry.time, march->x, march->v, &entry.energy);
    }
    if (status == WF_OK && march->equation->def.dimension > 0) {
        status = wf_equation_momentum(march->equation, march->x, march->v, &entry.momentum, &entry.angular);
    }
    if (status != WF_OK) {
        return status;
    }
    march->trace[march->trace_count] = entry;
    double *state = march->states + 2 * n * (size_t)march->trace_count;
    memcpy(state, march->x, n * sizeof *state);
    memcpy(state + n, march->v, n * sizeof *state);
    march->trace_count++;
    return WF_OK;
}

/* ---- walking --------------------------------------------------------------------------------------------------- */

static wf_status check_params(wf_context *context, const wf_equation *equation, const wf_march_params *params)
{
    enum { STEP_LIMIT = 1000000000, TRACE_LIMIT = 1 << 26 /* numbers */ };
    if (!(isfinite(params->from) && isfinite(params->to) && params->to > params->from)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the interval must go forward, got %g to %g", params->from,
                       params->to);
    }
    if (params->steps < 1 || params->steps > STEP_LIMIT || params->trace_every < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "steps must be from 1 to %d, got %lld", STEP_LIMIT,
                       (long long)params->steps);
    }
    double kept = params->trace_every > 0 ? (double)(params->steps / params->trace_every) : 0;
    if ((kept + 1) * (2 * (double)equation->def.size + 8) > TRACE_LIMIT) {
        return wf_fail(context, WF_ERROR_LIMIT, "a trace of %.0f moments with %zu unknowns is too long", kept,
                       equation->def.size);
    }
    if (params->exact && !equation->def.exact) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s has no exact solution", equation->name);
    }
    if (params->samples && (params->sample_count < 1 || params->sample_count > STEP_LIMIT ||
                            (params->steps % params->sample_count != 0 && params->sample_count % params->steps != 0))) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%lld steps and %lld samples do not fall on the same times",
                       (long long)params->steps, (long long)params->sample_count);
    }
    for (size_t i = 0; i < equation->def.size; i++) {
        if ((params->x && !isfinite(params->x[i])) || (params->v && !isfinite(params->v[i]))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "the start must be finite, component %zu is not", i + 1);
        }
    }
    return WF_OK;
}

static wf_status allocate_arrays(wf_march *march, const wf_march_params *params)
{
    wf_context *context = march->context;
    size_t n = march->equation->def.size;
    size_t moments = params->trace_every > 0 ? (size_t)(params->steps / params->trace_every) + 1 : 0;
    size_t samples = params->samples ? (size_t)params->sample_count + 1 : 0;
    march->x = wf_allocate(context, n, sizeof(double));
    march->v = wf_allocate(context, n, sizeof(double));
    march->x1 = wf_allocate(context, n, sizeof(double));
    march->v1 = wf_allocate(context, n, sizeof(double));
    march->compared = wf_allocate(context, 2 * n, sizeof(double));
    march->trace = wf_allocate(context, moments, sizeof *march->trace);
    march->states = wf_allocate(context, moments, 2 * n * sizeof(double));
    march->samples = wf_allocate(context, samples, 2 * n * sizeof(double));
    if (!march->x || !march->v || !march->x1 || !march->v1 || !march->compared || !march->trace || !march->states ||
        !march->samples) {
        return WF_ERROR_MEMORY;
    }
    if (params->samples) {
        memcpy(march->samples, params->samples, samples * 2 * n * sizeof(double));
    } else {
        wf_free(context, march->samples);
        march->samples = NULL;
    }
    return WF_OK;
}

wf_status wf_march_create(wf_context *context, wf_integrator *integrator, wf_equation *equation,
                          const wf_march_params *params, wf_march **result)
{
    *result = NULL;
    wf_status status = check_params(context, equation, params);
    if (status != WF_OK) {
        return status;
    }
    wf_march *march = wf_allocate(context, 1, sizeof *march);
    if (!march) {
        return WF_ERROR_MEMORY;
    }
    size_t n = equation->def.size;
    bool measured = params->exact || params->samples;
    *march = (wf_march){.context = context,
                        .integrator = integrator,
                        .equation = equation,
                        .from = params->from,
                        .to = params->to,
                        .steps = params->steps,
                        .max_error = measured ? 0 : NAN,
                        .end_error = measured ? 0 : NAN,
                        .exact = params->exact,
                        .sample_count = params->sample_count,
                        .trace_every = params->trace_every};
    status = allocate_arrays(march, params);
    if (status == WF_OK) {
        memcpy(march->x, params->x ? params->x : equation->x, n * sizeof(double));
        memcpy(march->v, params->v ? params->v : equation->v, n * sizeof(double));
        wf_integrator_restart(integrator);
        status = record(march);
    }
    if (status != WF_OK) {
        wf_march_destroy(march);
        return status;
    }
    *result = march;
    return WF_OK;
}

void wf_march_destroy(wf_march *march)
{
    if (!march) {
        return;
    }
    wf_context *context = march->context;
    void *arrays[] = {march->x, march->v, march->x1, march->v1, march->compared, march->trace, march->states,
                      march->samples};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    wf_free(context, march);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

static wf_status make_step(wf_march *march)
{
    double t = wf_march_time(march, march->done), h = (march->to - march->from) / (double)march->steps;
    wf_status status = wf_integrator_step(march->integrator, &march->equation->system, t, h, march->x, march->v,
                                          march->x1, march->v1);
    if (status != WF_OK) {
        return status;
    }
    swap(&march->x, &march->x1);
    swap(&march->v, &march->v1);
    march->done++;
    status = measure_error(march);
    return status == WF_OK ? record(march) : status;
}

wf_status wf_march_advance(wf_march *march, int64_t steps, double seconds)
{
    int64_t between_clocks = march->equation->def.size > 64 ? 1 : 16; /* reading it takes as long as a small step */
    double start = wf_clock_seconds();
    for (int64_t made = 0; made < steps && march->done < march->steps; made++) {
        wf_status status = make_step(march);
        if (status != WF_OK) {
            return status;
        }
        if (made % between_clocks == between_clocks - 1 && wf_clock_seconds() - start > seconds) {
            break;
        }
    }
    return WF_OK;
}
