/* wind.c - see wind.h. */
#include "air/wind.h"

#include <string.h>

struct wf_wind {
    wf_context *context;
    wf_wind_source **sources;
    size_t count, capacity;
    bool asking; /* callbacks are at work: the list must not change */
};

wf_status wf_wind_create(wf_context *context, wf_wind **wind)
{
    *wind = wf_allocate(context, 1, sizeof **wind);
    if (!*wind) {
        return WF_ERROR_MEMORY;
    }
    (*wind)->context = context;
    return WF_OK;
}

void wf_wind_destroy(wf_wind *wind)
{
    if (!wind) {
        return;
    }
    for (size_t i = 0; i < wind->count; i++) {
        wf_wind_source_release(wind->sources[i]);
    }
    wf_free(wind->context, wind->sources);
    wf_free(wind->context, wind);
}

static wf_status check_idle(const wf_wind *wind)
{
    return wind->asking ? wf_fail(wind->context, WF_ERROR_STATE, "a wind cannot be changed by a function that it asks")
                        : WF_OK;
}

/* The position of a source, `count` where it is not there. */
static size_t find(const wf_wind *wind, const wf_wind_source *source)
{
    size_t i = 0;
    while (i < wind->count && wind->sources[i] != source) {
        i++;
    }
    return i;
}

wf_status wf_wind_add(wf_wind *wind, wf_wind_source *source)
{
    wf_status status = check_idle(wind);
    if (status == WF_OK && source->context != wind->context) {
        status = wf_fail(wind->context, WF_ERROR_ARGUMENT, "source must be of the same context");
    }
    if (status == WF_OK && find(wind, source) < wind->count) {
        status = wf_fail(wind->context, WF_ERROR_ARGUMENT, "source is in this wind already");
    }
    if (status == WF_OK) {
        status = wf_reserve(wind->context, &wind->sources, &wind->capacity, wind->count + 1, sizeof *wind->sources);
    }
    if (status == WF_OK) {
        wind->sources[wind->count++] = wf_wind_source_retain(source);
    }
    return status;
}

wf_status wf_wind_remove(wf_wind *wind, const wf_wind_source *source)
{
    wf_status status = check_idle(wind);
    size_t i = find(wind, source);
    if (status == WF_OK && i == wind->count) {
        status = wf_fail(wind->context, WF_ERROR_ARGUMENT, "source is not in this wind");
    }
    if (status == WF_OK) {
        wf_wind_source *removed = wind->sources[i];
        memmove(&wind->sources[i], &wind->sources[i + 1], (wind->count - i - 1) * sizeof *wind->sources);
        wind->count--;
        wf_wind_source_release(removed);
    }
    return status;
}

wf_status wf_wind_clear(wf_wind *wind)
{
    wf_status status = check_idle(wind);
    while (status == WF_OK && wind->count > 0) {
        wf_wind_source_release(wind->sources[--wind->count]);
    }
    return status;
}

size_t wf_wind_count(const wf_wind *wind)
{
    return wind->count;
}

wf_wind_source *wf_wind_at(const wf_wind *wind, size_t index)
{
    return index < wind->count ? wind->sources[index] : NULL;
}

wf_status wf_wind_prepare_new(wf_wind *wind, double time)
{
    wf_status status = check_idle(wind);
    for (size_t i = 0; status == WF_OK && i < wind->count; i++) {
        wind->asking = true;
        status = wf_wind_source_prepare_new(wind->sources[i], time);
        wind->asking = false;
    }
    return status;
}

wf_status wf_wind_prepare(wf_wind *wind, double time)
{
    wf_status status = check_idle(wind);
    if (status != WF_OK) {
        return status;
    }
    wind->asking = true;
    for (size_t i = 0; status == WF_OK && i < wind->count; i++) {
        wf_wind_source *source = wind->sources[i];
        status = source->asks ? source->class->sample(source, time) : WF_OK;
    }
    wind->asking = false;
    for (size_t i = 0; status == WF_OK && i < wind->count; i++) {
        if (wind->sources[i]->asks) {
            wind->sources[i]->class->accept(wind->sources[i]);
        }
    }
    return status;
}

void wf_wind_take_back(wf_wind *wind)
{
    for (size_t i = 0; i < wind->count; i++) {
        if (wind->sources[i]->asks) {
            wind->sources[i]->class->take_back(wind->sources[i]);
        }
    }
}

wf_status wf_wind_velocities(const wf_wind *wind, double time, size_t count, const wf_vec3 *points,
                             wf_vec3 *velocities)
{
    wf_status status = WF_OK;
    memset(velocities, 0, count * sizeof *velocities);
    for (size_t i = 0; status == WF_OK && i < wind->count; i++) {
        status = wf_wind_source_add(wind->sources[i], time, count, points, velocities);
    }
    return status;
}
