/* wind_source.c - what all kinds of wind sources share; see wind_source.h. */
#include "air/wind_source.h"

#include <string.h>

#include "air/sources.h"
#include "base/hash.h"
#include "base/tasks.h"

/* One line per kind. */
static const wf_wind_source_class *const classes[] = {
    &wf_wind_uniform_class, &wf_wind_directional_class, &wf_wind_point_class, &wf_wind_line_class,
    &wf_wind_vortex_class,  &wf_wind_ring_class,        &wf_wind_jet_class,   &wf_wind_gust_class,
    &wf_wind_turbulence_class, &wf_wind_curl_noise_class, &wf_wind_field_class,
};

enum { CLASS_COUNT = sizeof classes / sizeof *classes };

static const double largest_factor = 1e6, largest_time = WF_WIND_TIME_LIMIT;

int wf_wind_source_class_count(void)
{
    return CLASS_COUNT;
}

const wf_wind_source_class *wf_wind_source_class_at(int index)
{
    return index >= 0 && index < CLASS_COUNT ? classes[index] : NULL;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

const wf_wind_parameter *wf_wind_source_parameter(const wf_wind_source_class *class, const char *name)
{
    for (const wf_wind_parameter *p = class->parameters; p->name; p++) {
        if (strcmp(p->name, name) == 0) {
            return p;
        }
    }
    return NULL;
}

static wf_status store_number(wf_context *context, const wf_wind_parameter *p, void *at, double value)
{
    bool whole = p->type == WF_WIND_INTEGER;
    if (!(value >= p->minimum && value <= p->maximum) || (whole && value != floor(value))) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be %s from %g to %g, got %g", p->name,
                       whole ? "an integer" : "a number", p->minimum, p->maximum, value);
    }
    if (whole) {
        *(int64_t *)at = (int64_t)value;
    } else {
        *(double *)at = value;
    }
    return WF_OK;
}

static wf_status store_choice(wf_context *context, const wf_wind_parameter *p, void *at, double value)
{
    int count = 0;
    while (p->choices[count]) {
        count++;
    }
    if (!(value >= 0 && value < count)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a choice from 0 to %d, got %g", p->name, count - 1,
                       value);
    }
    *(int *)at = (int)value;
    return WF_OK;
}

static wf_status store_vector(wf_context *context, const wf_wind_parameter *p, void *at, wf_vec3 value)
{
    double length = wf_vec3_norm(value), least = -HUGE_VAL, most = HUGE_VAL;
    if (p->type == WF_WIND_DIRECTION) {
        if (!(length >= 1e-100 && length <= 1e100)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a vector other than 0, got {%g, %g, %g}", p->name,
                           value.x, value.y, value.z);
        }
        value = wf_vec3_scale(value, 1 / length);
    } else if (p->type == WF_WIND_VELOCITY) {
        if (!(length <= WF_WIND_SPEED_LIMIT)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a velocity of at most %g m/s, got {%g, %g, %g}",
                           p->name, WF_WIND_SPEED_LIMIT, value.x, value.y, value.z);
        }
    } else {
        least = p->type == WF_WIND_POSITION ? -WF_WIND_PLACE_LIMIT : p->minimum;
        most = p->type == WF_WIND_POSITION ? WF_WIND_PLACE_LIMIT : p->maximum;
        if (!(fmin(fmin(value.x, value.y), value.z) >= least && fmax(fmax(value.x, value.y), value.z) <= most &&
              wf_vec3_isfinite(value))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must have components from %g to %g, got {%g, %g, %g}",
                           p->name, least, most, value.x, value.y, value.z);
        }
    }
    *(wf_vec3 *)at = value;
    return WF_OK;
}

wf_status wf_wind_parameter_store(wf_context *context, const wf_wind_parameter *parameter, void *parameters,
                                  const double value[3])
{
    void *at = (char *)parameters + parameter->offset;
    switch (parameter->type) {
    case WF_WIND_NUMBER:
    case WF_WIND_INTEGER: return store_number(context, parameter, at, value[0]);
    case WF_WIND_CHOICE: return store_choice(context, parameter, at, value[0]);
    default: return store_vector(context, parameter, at, (wf_vec3){value[0], value[1], value[2]});
    }
}

void wf_wind_parameter_load(const wf_wind_parameter *parameter, const void *parameters, double value[3])
{
    const void *at = (const char *)parameters + parameter->offset;
    switch (parameter->type) {
    case WF_WIND_NUMBER: value[0] = *(const double *)at; break;
    case WF_WIND_INTEGER: value[0] = (double)*(const int64_t *)at; break;
    case WF_WIND_CHOICE: value[0] = *(const int *)at; break;
    default: memcpy(value, at, sizeof(wf_vec3)); break;
    }
}

wf_status wf_wind_source_set(wf_wind_source *source, const wf_wind_parameter *parameter, const double value[3])
{
    if (parameter->fixed) {
        return wf_fail(source->context, WF_ERROR_STATE, "%s cannot be changed: make another source", parameter->name);
    }
    void *changed = wf_allocate(source->context, 1, source->class->parameter_size);
    if (!changed) {
        return WF_ERROR_MEMORY;
    }
    memcpy(changed, source->parameters, source->class->parameter_size);
    wf_status status = wf_wind_parameter_store(source->context, parameter, changed, value);
    if (status == WF_OK && source->class->update) {
        status = source->class->update(source, changed);
    }
    if (status == WF_OK) {
        memcpy(source->parameters, changed, source->class->parameter_size);
    }
    wf_free(source->context, changed);
    return status;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

/* Every parameter as if it had been set. */
static wf_status check_parameters(wf_wind_source *source)
{
    for (const wf_wind_parameter *p = source->class->parameters; p->name; p++) {
        double value[3] = {0};
        wf_wind_parameter_load(p, source->parameters, value);
        wf_status status = wf_wind_parameter_store(source->context, p, source->parameters, value);
        if (status != WF_OK) {
            return status;
        }
    }
    return source->class->update ? source->class->update(source, source->parameters) : WF_OK;
}

wf_status wf_wind_source_create(wf_context *context, const wf_wind_source_class *class, const void *parameters,
                                wf_wind_source **source)
{
    static const wf_wind_key always = {0, 1};
    *source = NULL;
    wf_wind_source *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    made->context = context;
    made->reference_count = 1;
    made->class = class;
    made->enabled = true;
    made->parameters = wf_allocate(context, 1, class->parameter_size);
    wf_status status = made->parameters ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_wind_source_set_strength(made, &(wf_wind_strength){.keys = &always, .count = 1});
    }
    if (status == WF_OK) { /* last: what it takes over it must not release when something else fails */
        memcpy(made->parameters, parameters, class->parameter_size);
        status = check_parameters(made);
    }
    if (status != WF_OK) {
        wf_wind_source_release(made);
        return status;
    }
    *source = made;
    return WF_OK;
}

wf_wind_source *wf_wind_source_retain(wf_wind_source *source)
{
    if (source) {
        source->reference_count++;
    }
    return source;
}

void wf_wind_source_release(wf_wind_source *source)
{
    if (!source || --source->reference_count > 0) {
        return;
    }
    if (source->derived && source->class->free_derived) {
        source->class->free_derived(source->context, source->derived);
    }
    wf_free(source->context, source->derived);
    wf_free(source->context, source->parameters);
    wf_free(source->context, (void *)source->strength.keys);
    wf_free(source->context, source);
}

/* ---- strength, extent, falloff ----------------------------------------------------------------------------------- */

wf_status wf_wind_source_set_strength(wf_wind_source *source, const wf_wind_strength *strength)
{
    wf_context *context = source->context;
    size_t count = strength->count;
    if (count < 1 || count > WF_WIND_KEY_LIMIT) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "strength must have from 1 to %d keys, got %zu", WF_WIND_KEY_LIMIT,
                       count);
    }
    for (size_t i = 0; i < count; i++) {
        wf_wind_key key = strength->keys[i];
        if (!(fabs(key.time) <= largest_time && fabs(key.value) <= largest_factor)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "strength must have times within %g s and values within %g, got {%g, %g}", largest_time,
                           largest_factor, key.time, key.value);
        }
        if (i > 0 && !(key.time > strength->keys[i - 1].time)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "strength must have keys whose times rise, got %g after %g s",
                           key.time, strength->keys[i - 1].time);
        }
    }
    if (!(strength->period >= 0 && strength->period <= largest_time)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "strength must have a period from 0 to %g s, got %g", largest_time,
                       strength->period);
    }
    wf_wind_key *keys = wf_allocate(context, count, sizeof *keys);
    if (!keys) {
        return WF_ERROR_MEMORY;
    }
    memcpy(keys, strength->keys, count * sizeof *keys);
    wf_free(context, (void *)source->strength.keys);
    source->strength = *strength;
    source->strength.keys = keys;
    return WF_OK;
}

double wf_wind_source_strength(const wf_wind_source *source, double time)
{
    const wf_wind_strength *s = &source->strength;
    if (!source->enabled) {
        return 0;
    }
    if (s->period > 0) {
        time -= s->period * floor(time / s->period);
    }
    if (!(time > s->keys[0].time)) {
        return s->keys[0].value;
    }
    if (time >= s->keys[s->count - 1].time) {
        return s->keys[s->count - 1].value;
    }
    size_t low = 0, high = s->count - 1; /* keys[low].time < time < keys[high].time */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(s->keys[middle].time <= time ? &low : &high) = middle;
    }
    wf_wind_key a = s->keys[low], b = s->keys[high];
    double part = (time - a.time) / (b.time - a.time);
    if (s->interpolation == WF_WIND_COSINE) {
        part = 0.5 - 0.5 * cos(3.14159265358979323846 * part);
    }
    return a.value + (b.value - a.value) * part;
}

static bool is_place(wf_vec3 p)
{
    return fabs(p.x) <= WF_WIND_PLACE_LIMIT && fabs(p.y) <= WF_WIND_PLACE_LIMIT && fabs(p.z) <= WF_WIND_PLACE_LIMIT;
}

wf_status wf_wind_source_set_extent(wf_wind_source *source, const wf_wind_extent *extent)
{
    wf_context *context = source->context;
    if (extent->shape == WF_WIND_BOX) {
        wf_vec3 a = extent->lower, b = extent->upper;
        if (!(is_place(a) && is_place(b) && a.x < b.x && a.y < b.y && a.z < b.z)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "extent must have lower below upper in all three coordinates, "
                           "within %g m, got {%g, %g, %g} and {%g, %g, %g}", WF_WIND_PLACE_LIMIT, a.x, a.y, a.z, b.x,
                           b.y, b.z);
        }
    }
    if (extent->shape == WF_WIND_SPHERE) {
        if (!(is_place(extent->centre) && extent->radius > 0 && extent->radius <= WF_WIND_PLACE_LIMIT)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "extent must have a centre and a radius greater than 0, within "
                           "%g m, got {%g, %g, %g} and %g", WF_WIND_PLACE_LIMIT, extent->centre.x, extent->centre.y,
                           extent->centre.z, extent->radius);
        }
    }
    if (!(extent->margin >= 0 && extent->margin <= WF_WIND_PLACE_LIMIT)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "extent must have a margin from 0 to %g m, got %g",
                       WF_WIND_PLACE_LIMIT, extent->margin);
    }
    source->extent = *extent;
    return WF_OK;
}

wf_status wf_wind_source_set_falloff(wf_wind_source *source, const wf_wind_falloff *falloff)
{
    wf_context *context = source->context;
    wf_vec3 position;
    if (falloff->on && !(falloff->radius >= 0 && falloff->radius <= WF_WIND_PLACE_LIMIT && falloff->width > 0 &&
                         falloff->width <= WF_WIND_PLACE_LIMIT)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "falloff must have a radius of at least 0 and a width greater than "
                       "0, within %g m, got %g and %g", WF_WIND_PLACE_LIMIT, falloff->radius, falloff->width);
    }
    if (falloff->on && falloff->own_centre && !is_place(falloff->centre)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "falloff must have a centre within %g m, got {%g, %g, %g}",
                       WF_WIND_PLACE_LIMIT, falloff->centre.x, falloff->centre.y, falloff->centre.z);
    }
    if (falloff->on && !falloff->own_centre && !wf_wind_source_position(source, &position)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "falloff must have a centre, because a %s wind has no position",
                       source->class->name);
    }
    source->falloff = *falloff;
    return WF_OK;
}

void wf_wind_source_enable(wf_wind_source *source, bool enabled)
{
    source->enabled = enabled;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool wf_wind_source_position(const wf_wind_source *source, wf_vec3 *position)
{
    const wf_wind_parameter *p = wf_wind_source_parameter(source->class, "position");
    if (!p || p->type != WF_WIND_POSITION) {
        return false;
    }
    *position = *(const wf_vec3 *)((const char *)source->parameters + p->offset);
    return true;
}

bool wf_wind_source_is_uniform(const wf_wind_source *source)
{
    return source->class->uniform && source->extent.shape == WF_WIND_EVERYWHERE && !source->falloff.on;
}

uint64_t wf_wind_source_hash(const wf_wind_source *source, uint64_t hash)
{
    const wf_wind_strength *strength = &source->strength;
    const wf_wind_extent *extent = &source->extent;
    const wf_wind_falloff *falloff = &source->falloff;
    hash = wf_hash_bytes(hash, source->class->name, strlen(source->class->name));
    for (const wf_wind_parameter *p = source->class->parameters; p->name; p++) {
        double value[3] = {0, 0, 0};
        wf_wind_parameter_load(p, source->parameters, value);
        hash = wf_hash_bytes(hash, value, sizeof value);
    }
    hash = wf_hash_bytes(hash, strength->keys, strength->count * sizeof *strength->keys);
    const double numbers[] = {source->enabled,   (double)strength->interpolation, strength->period,
                              (double)extent->shape, extent->lower.x, extent->lower.y, extent->lower.z,
                              extent->upper.x, extent->upper.y, extent->upper.z, extent->centre.x, extent->centre.y,
                              extent->centre.z, extent->radius, extent->margin, falloff->on, falloff->radius,
                              falloff->width, falloff->own_centre, falloff->centre.x, falloff->centre.y,
                              falloff->centre.z};
    hash = wf_hash_bytes(hash, numbers, sizeof numbers);
    return source->class->hash ? source->class->hash(source, hash) : hash;
}

static wf_vec3 falloff_centre(const wf_wind_source *source)
{
    wf_vec3 centre = source->falloff.centre;
    if (!source->falloff.own_centre) {
        wf_wind_source_position(source, &centre);
    }
    return centre;
}

static void cut_box(wf_vec3 *lower, wf_vec3 *upper, wf_vec3 from, wf_vec3 to)
{
    *lower = wf_vec3_maxv(*lower, from);
    *upper = wf_vec3_minv(*upper, to);
}

static void cut_ball(wf_vec3 *lower, wf_vec3 *upper, wf_vec3 centre, double radius)
{
    wf_vec3 half = {radius, radius, radius};
    cut_box(lower, upper, wf_vec3_sub(centre, half), wf_vec3_add(centre, half));
}

void wf_wind_source_bounds(const wf_wind_source *source, wf_vec3 *lower, wf_vec3 *upper)
{
    *lower = (wf_vec3){-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    *upper = (wf_vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    if (source->class->bounds) {
        source->class->bounds(source, lower, upper);
    }
    if (source->extent.shape == WF_WIND_BOX) {
        cut_box(lower, upper, source->extent.lower, source->extent.upper);
    } else if (source->extent.shape == WF_WIND_SPHERE) {
        cut_ball(lower, upper, source->extent.centre, source->extent.radius);
    }
    if (source->falloff.on) {
        cut_ball(lower, upper, falloff_centre(source), source->falloff.radius + source->falloff.width);
    }
}

wf_status wf_wind_source_prepare(wf_wind_source *source, double time)
{
    wf_status status = source->asks ? source->class->sample(source, time) : WF_OK;
    if (status == WF_OK && source->asks) {
        source->class->accept(source);
    }
    return status;
}

wf_status wf_wind_source_prepare_new(wf_wind_source *source, double time)
{
    bool ready = !source->class->ready || source->class->ready(source) == WF_OK;
    return ready ? WF_OK : wf_wind_source_prepare(source, time);
}

/* ---- velocities -------------------------------------------------------------------------------------------------- */

/* One instruction, where fmin is a call. */
static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* 1 at s <= 0, 0 at s >= 1. */
static double fade(double s)
{
    s = lesser(s > 0 ? s : 0, 1);
    return 1 - s * s * s * (10 + s * (6 * s - 15));
}

/* How far inside the extent, m; negative outside. */
static double depth(const wf_wind_extent *extent, wf_vec3 p)
{
    if (extent->shape == WF_WIND_SPHERE) {
        return extent->radius - wf_vec3_distance(p, extent->centre);
    }
    wf_vec3 a = wf_vec3_sub(p, extent->lower), b = wf_vec3_sub(extent->upper, p);
    return lesser(lesser(lesser(a.x, b.x), lesser(a.y, b.y)), lesser(a.z, b.z));
}

static double weight_at(const wf_wind_source *source, wf_vec3 centre, wf_vec3 p)
{
    double weight = 1;
    if (source->extent.shape != WF_WIND_EVERYWHERE) {
        double inside = depth(&source->extent, p), margin = source->extent.margin;
        weight = !(inside >= 0) ? 0 : margin > 0 ? fade(1 - inside / margin) : 1;
    }
    if (source->falloff.on && weight > 0) {
        weight *= fade((wf_vec3_distance(p, centre) - source->falloff.radius) / source->falloff.width);
    }
    return weight;
}

typedef struct request {
    const wf_wind_source *source;
    double time, strength;
    bool weighted;  /* not the same strength everywhere */
    wf_vec3 centre; /* of the falloff */
    const wf_vec3 *points;
    wf_vec3 *velocities;
} request;

/* NaN becomes a number, too. */
static double bounded(double number, double limit)
{
    number = number < limit ? number : limit;
    return number > -limit ? number : -limit;
}

static void add_block(void *user, size_t index, size_t begin, size_t end)
{
    (void)index;
    const request *r = user;
    wf_wind_block block;
    block.count = end - begin;
    size_t filled = (block.count + 7) / 8 * 8;
    for (size_t i = 0; i < filled; i++) {
        wf_vec3 p = r->points[i < block.count ? begin + i : begin];
        block.x[i] = bounded(p.x, WF_WIND_PLACE_LIMIT);
        block.y[i] = bounded(p.y, WF_WIND_PLACE_LIMIT);
        block.z[i] = bounded(p.z, WF_WIND_PLACE_LIMIT);
    }
    r->source->class->velocities(r->source, r->time, &block);
    for (size_t i = 0; i < block.count; i++) {
        wf_vec3 velocity = {block.u[i], block.v[i], block.w[i]};
        double factor = r->strength;
        if (r->weighted) {
            factor *= weight_at(r->source, r->centre, wf_wind_block_point(&block, i));
        }
        velocity = wf_vec3_scale(velocity, factor);
        double square = wf_vec3_norm2(velocity);
        if (square > WF_WIND_SPEED_LIMIT * WF_WIND_SPEED_LIMIT) {
            velocity = wf_vec3_scale(velocity, WF_WIND_SPEED_LIMIT / sqrt(square));
        }
        r->velocities[begin + i] = wf_vec3_add(r->velocities[begin + i], velocity);
    }
}

wf_status wf_wind_source_add(const wf_wind_source *source, double time, size_t count, const wf_vec3 *points,
                             wf_vec3 *velocities)
{
    time = bounded(time, WF_WIND_TIME_LIMIT);
    double strength = wf_wind_source_strength(source, time);
    if (strength == 0) {
        return WF_OK; /* whatever it would tell */
    }
    wf_status status = source->class->ready ? source->class->ready(source) : WF_OK;
    if (status != WF_OK) {
        return status;
    }
    request r = {.source = source,
                 .time = time,
                 .strength = strength,
                 .weighted = source->extent.shape != WF_WIND_EVERYWHERE || source->falloff.on,
                 .centre = falloff_centre(source),
                 .points = points,
                 .velocities = velocities};
    wf_parallel_for(source->context, count, WF_WIND_BLOCK, add_block, &r);
    return WF_OK;
}
