/* field.c - velocities on a lattice; see sources.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "air/sources.h"
#include "base/hash.h"
#include "base/tasks.h"

static const wf_wind_field defaults = {.spacing = {1, 1, 1}, .counts = {1, 1, 1}};

enum { COUNT_LIMIT = 4096 };

typedef struct field {
    float *values, *next; /* [3 count]; `next` holds what a callback gave until it is accepted, NULL without one */
    wf_vec3 *points, *answer; /* [count] what it is asked with; NULL without one */
    bool sampled, waiting;
    bool returns, was_sampled; /* `next` holds what was in force before; and whether anything was */
    void *user;
    void (*destroy)(wf_context *context, void *user);
} field;

wf_wind_field wf_default_wind_field(void)
{
    return defaults;
}

static size_t point_count(const wf_wind_field *p)
{
    return (size_t)(p->counts[0] * p->counts[1] * p->counts[2]);
}

static void free_derived(wf_context *context, void *derived)
{
    field *f = derived;
    if (f->destroy) {
        f->destroy(context, f->user);
    }
    wf_free(context, f->values);
    wf_free(context, f->next);
    wf_free(context, f->points);
    wf_free(context, f->answer);
}

static wf_status check_counts(wf_context *context, const wf_wind_field *p)
{
    double all = 1;
    for (int k = 0; k < 3; k++) {
        if (p->counts[k] < 1 || p->counts[k] > COUNT_LIMIT) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "counts must be from 1 to %d points, got {%lld, %lld, %lld}",
                           COUNT_LIMIT, (long long)p->counts[0], (long long)p->counts[1], (long long)p->counts[2]);
        }
        all *= (double)p->counts[k];
    }
    if (all > (double)WF_WIND_FIELD_LIMIT) {
        double bytes = all * (p->function ? 72 : 12);
        return wf_fail(context, WF_ERROR_LIMIT, "counts must be at most %g million points together, got %g million, "
                       "which would need %.3g GB", (double)WF_WIND_FIELD_LIMIT * 1e-6, all * 1e-6, bytes * 1e-9);
    }
    return WF_OK;
}

/* Checks and stores velocities; `values` is unchanged on failure only up to the first bad one. */
static wf_status store(wf_context *context, size_t count, const wf_vec3 *velocities, float *values)
{
    for (size_t i = 0; i < count; i++) {
        wf_vec3 v = velocities[i];
        if (!(wf_vec3_norm2(v) <= WF_WIND_SPEED_LIMIT * WF_WIND_SPEED_LIMIT)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "velocities must be at most %g m/s, got {%g, %g, %g} at point "
                           "%zu", WF_WIND_SPEED_LIMIT, v.x, v.y, v.z, i + 1);
        }
        values[3 * i] = (float)v.x;
        values[3 * i + 1] = (float)v.y;
        values[3 * i + 2] = (float)v.z;
    }
    return WF_OK;
}

/* What a callback needs. */
static wf_status make_room(wf_wind_source *source, field *f, size_t count)
{
    f->next = wf_allocate(source->context, 3 * count, sizeof *f->next);
    f->points = wf_allocate(source->context, count, sizeof *f->points);
    f->answer = wf_allocate(source->context, count, sizeof *f->answer);
    return f->next && f->points && f->answer ? WF_OK : WF_ERROR_MEMORY;
}

static wf_status update(wf_wind_source *source, const void *parameters)
{
    const wf_wind_field *p = parameters;
    if (source->derived) {
        return WF_OK; /* it was moved */
    }
    field *f = wf_allocate(source->context, 1, sizeof *f);
    if (!f) {
        return WF_ERROR_MEMORY;
    }
    source->derived = f; /* freed with the source, whatever happens */
    wf_status status = check_counts(source->context, p);
    if (status != WF_OK) {
        return status;
    }
    size_t count = point_count(p);
    f->values = wf_allocate(source->context, 3 * count, sizeof *f->values);
    status = f->values ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK && p->function) {
        status = make_room(source, f, count);
    }
    if (status == WF_OK && p->velocities) {
        status = store(source->context, count, p->velocities, f->values);
        f->sampled = true;
    }
    if (status == WF_OK) {
        f->user = p->user;
        f->destroy = p->destroy;
        source->asks = p->function != NULL;
        ((wf_wind_field *)source->parameters)->velocities = NULL; /* the caller's */
    }
    return status;
}

wf_status wf_wind_field_set(wf_wind_source *source, const wf_vec3 *velocities)
{
    field *f = source->derived;
    size_t count = point_count(source->parameters);
    float *values = wf_allocate(source->context, 3 * count, sizeof *values);
    wf_status status = values ? store(source->context, count, velocities, values) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        float *old = f->values;
        f->values = values;
        values = old;
        f->sampled = true;
        f->returns = false;
    }
    wf_free(source->context, values);
    return status;
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

static wf_status sample(wf_wind_source *source, double time)
{
    const wf_wind_field *p = source->parameters;
    field *f = source->derived;
    f->waiting = f->returns = false;
    size_t i = 0, count = point_count(p);
    for (int64_t z = 0; z < p->counts[2]; z++) {
        for (int64_t y = 0; y < p->counts[1]; y++) {
            for (int64_t x = 0; x < p->counts[0]; x++) {
                wf_vec3 cell = {(double)x * p->spacing.x, (double)y * p->spacing.y, (double)z * p->spacing.z};
                f->points[i++] = wf_vec3_add(p->origin, cell);
            }
        }
    }
    memset(f->answer, 0, count * sizeof *f->answer);
    wf_status status = p->function(f->user, time, count, f->points, f->answer);
    if (status == WF_OK) {
        status = store(source->context, count, f->answer, f->next);
    }
    f->waiting = status == WF_OK;
    return status;
}

static void accept(wf_wind_source *source)
{
    field *f = source->derived;
    if (f->waiting) {
        float *old = f->values;
        f->values = f->next;
        f->next = old;
        f->was_sampled = f->sampled;
        f->sampled = f->returns = true;
        f->waiting = false;
    }
}

static void take_back(wf_wind_source *source)
{
    field *f = source->derived;
    if (f->returns) {
        float *old = f->values;
        f->values = f->next;
        f->next = old;
        f->sampled = f->was_sampled;
        f->returns = false;
    }
}

static wf_status ready(const wf_wind_source *source)
{
    const field *f = source->derived;
    return f->sampled ? WF_OK
                      : wf_fail(source->context, WF_ERROR_STATE, "the field's function has not been asked yet");
}

/* ---- interpolation ----------------------------------------------------------------------------------------------- */

/* Along one direction: up to four points and their weights. */
typedef struct taps {
    int count;
    int64_t index[4];
    double weight[4];
} taps;

/* Where a place in cells lies; false where nothing blows. */
static bool find_taps(double place, int64_t count, int interpolation, int outside, taps *t)
{
    if (count == 1) {
        *t = (taps){1, {0}, {1}};
        return true;
    }
    double last = (double)(count - 1);
    if (outside == WF_WIND_FIELD_STILL && !(place >= 0 && place <= last)) {
        return false;
    }
    if (outside == WF_WIND_FIELD_REPEAT) {
        place -= (double)count * floor(place / (double)count);
        place = place >= (double)count ? 0 : place;
    } else {
        place = place > 0 ? place < last ? place : last : 0;
    }
    double from = floor(place);
    if (outside != WF_WIND_FIELD_REPEAT && from > last - 1) {
        from = last - 1;
    }
    double s = place - from;
    int64_t i = (int64_t)from;
    if (interpolation == WF_WIND_FIELD_CUBIC) {
        *t = (taps){4,
                    {i - 1, i, i + 1, i + 2},
                    {s * (-0.5 + s * (1 - 0.5 * s)), 1 + s * s * (-2.5 + 1.5 * s), s * (0.5 + s * (2 - 1.5 * s)),
                     s * s * (-0.5 + 0.5 * s)}};
    } else {
        *t = (taps){2, {i, i + 1}, {1 - s, s}};
    }
    for (int k = 0; k < t->count; k++) {
        int64_t at = t->index[k];
        if (outside == WF_WIND_FIELD_REPEAT) {
            t->index[k] = (at + count) % count;
            continue;
        }
        if (at < 0 || at >= count) { /* of four: beyond the edge the field goes on straight, 2 f_0 - f_1 */
            int edge = k == 0 ? 1 : 2;
            t->weight[edge] += 2 * t->weight[k];
            t->weight[3 - edge] -= t->weight[k];
            t->weight[k] = 0;
            t->index[k] = t->index[edge];
        }
    }
    return true;
}

static void velocities(const wf_wind_source *source, double time, wf_wind_block *block)
{
    (void)time;
    const wf_wind_field *p = source->parameters;
    const float *values = ((const field *)source->derived)->values;
    for (size_t i = 0; i < block->count; i++) {
        taps x, y, z;
        wf_vec3 sum = {0, 0, 0};
        if (find_taps((block->x[i] - p->origin.x) / p->spacing.x, p->counts[0], p->interpolation, p->outside, &x) &&
            find_taps((block->y[i] - p->origin.y) / p->spacing.y, p->counts[1], p->interpolation, p->outside, &y) &&
            find_taps((block->z[i] - p->origin.z) / p->spacing.z, p->counts[2], p->interpolation, p->outside, &z)) {
            for (int c = 0; c < z.count; c++) {
                for (int b = 0; b < y.count; b++) {
                    const float *row = values + 3 * p->counts[0] * (y.index[b] + p->counts[1] * z.index[c]);
                    double weight = y.weight[b] * z.weight[c];
                    for (int a = 0; a < x.count; a++) {
                        const float *v = row + 3 * x.index[a];
                        double share = weight * x.weight[a];
                        sum = wf_vec3_add(sum, (wf_vec3){share * v[0], share * v[1], share * v[2]});
                    }
                }
            }
        }
        wf_wind_block_set(block, i, sum);
    }
}

static void bounds(const wf_wind_source *source, wf_vec3 *lower, wf_vec3 *upper)
{
    const wf_wind_field *p = source->parameters;
    if (p->outside != WF_WIND_FIELD_STILL) {
        return;
    }
    const double from[3] = {p->origin.x, p->origin.y, p->origin.z};
    const double step[3] = {p->spacing.x, p->spacing.y, p->spacing.z};
    double *low[3] = {&lower->x, &lower->y, &lower->z}, *high[3] = {&upper->x, &upper->y, &upper->z};
    for (int k = 0; k < 3; k++) {
        if (p->counts[k] > 1) {
            *low[k] = from[k];
            *high[k] = from[k] + (double)(p->counts[k] - 1) * step[k];
        }
    }
}

/* What a callback gave is no state: each step asks it anew, and who looks may have asked, too. */
static uint64_t hash_values(const wf_wind_source *source, uint64_t hash)
{
    const wf_wind_field *p = source->parameters;
    hash = wf_hash_bytes(hash, p->counts, sizeof p->counts);
    if (p->function) {
        return hash;
    }
    return wf_hash_bytes(hash, ((const field *)source->derived)->values, 3 * point_count(p) * sizeof(float));
}

static void describe(const wf_wind_source *source, char *text, size_t size)
{
    const wf_wind_field *p = source->parameters;
    snprintf(text, size, "%d x %d x %d points%s", (int)p->counts[0], (int)p->counts[1], (int)p->counts[2],
             p->function ? " of a function" : "");
}

static const char *const interpolations[] = {"linear", "cubic", NULL};
static const char *const outsides[] = {"still", "edge", "repeat", NULL};

static const wf_wind_parameter parameters[] = {
    {.name = "origin", .type = WF_WIND_POSITION, .offset = offsetof(wf_wind_field, origin)},
    {.name = "spacing",
     .type = WF_WIND_VECTOR,
     .offset = offsetof(wf_wind_field, spacing),
     .minimum = 1e-4,
     .maximum = 1e5,
     .fixed = true},
    {.name = "interpolation",
     .type = WF_WIND_CHOICE,
     .offset = offsetof(wf_wind_field, interpolation),
     .choices = interpolations},
    {.name = "outside", .type = WF_WIND_CHOICE, .offset = offsetof(wf_wind_field, outside), .choices = outsides},
    {.name = NULL}};

const wf_wind_source_class wf_wind_field_class = {.name = "field",
                                                  .parameter_size = sizeof(wf_wind_field),
                                                  .defaults = &defaults,
                                                  .parameters = parameters,
                                                  .velocities = velocities,
                                                  .describe = describe,
                                                  .update = update,
                                                  .sample = sample,
                                                  .accept = accept,
                                                  .take_back = take_back,
                                                  .ready = ready,
                                                  .bounds = bounds,
                                                  .hash = hash_values,
                                                  .free_derived = free_derived};
