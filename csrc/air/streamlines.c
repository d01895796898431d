/* streamlines.c - see streamlines.h. All lines of a batch go on together, so that the wind is asked for many points at
 * once: four times in each round. What they pass is written down in rounds and sorted by line afterwards. */
#include "air/streamlines.h"

#include <string.h>

enum { BATCH = 256 /* lines that are traced together */, CLIPS = 2, STAGES = 4 };

static const double SMALLEST_SHARE = 1.0 / 4096; /* of the largest step: a line that turns even more ends */
static const double STEP_LIMIT = 1e6;
static const double CLOSING_SHARE = 0.05; /* of a step: a line that comes so near to its seed is closed */
static const double CUT_SHARE = 0.5, SEED_SHARE = 0.9; /* of the spacing */

wf_streamlines wf_default_streamlines(void)
{
    return (wf_streamlines){.turn = 0.1, .memory = 1073741824.0};
}

/* A point that was passed, by the way: 2 k downstream from seed k of the batch, 2 k + 1 upstream. */
typedef struct passage {
    wf_vec3 position, velocity;
    int32_t way;
} passage;

/* One line that is being traced. */
typedef struct tracer {
    wf_vec3 seed, position, velocity, direction; /* the latter of length 1, the way it is traced */
    wf_vec3 stages[STAGES];                      /* points of a step; the last is its end */
    wf_vec3 slopes[STAGES];
    double step, travelled;
    int32_t way;
    int8_t clips;
    bool away; /* it has left its seed */
    bool ended, closed;
} tracer;

typedef struct tracing {
    wf_context *context;
    const wf_wind_sampler *sampler;
    wf_streamlines params;        /* with its defaults filled in */
    double cosine, half_cosine;   /* of the turn of a step, and of half of it */
    double sign;                  /* 1 downstream, -1 upstream */
    tracer tracers[BATCH];
    wf_vec3 points[BATCH], velocities[BATCH]; /* of those that go on */
    bool closed[BATCH];           /* by seed of the batch */
    passage *passages;
    int32_t *order;               /* of the passages, by their way */
    wf_vec3 *line;                /* one that is put together: its points, then its velocities */
    size_t passage_count, passage_capacity, order_capacity, line_capacity;
    /* For evenly spaced lines: the points of the lines so far, as lists by cells of the size of the spacing. */
    int32_t *heads, *nexts;
    size_t cells[3], next_capacity;
    wf_wind_drawing *drawing;         /* whose points, velocities and starts are the result */
    size_t point_capacity, velocity_capacity, start_capacity;
} tracing;

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static bool is_inside(const wf_streamlines *params, wf_vec3 p)
{
    return p.x >= params->lower.x && p.y >= params->lower.y && p.z >= params->lower.z && p.x <= params->upper.x &&
           p.y <= params->upper.y && p.z <= params->upper.z;
}

/* The share of the way from an inner point to another at which it leaves the box, 1 where it does not. */
static double share_inside(const wf_streamlines *params, wf_vec3 from, wf_vec3 to)
{
    const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    const double low[3] = {params->lower.x, params->lower.y, params->lower.z};
    const double high[3] = {params->upper.x, params->upper.y, params->upper.z};
    double share = 1;
    for (int k = 0; k < 3; k++) {
        if (b[k] < low[k]) {
            share = fmin(share, (low[k] - a[k]) / (b[k] - a[k]));
        } else if (b[k] > high[k]) {
            share = fmin(share, (high[k] - a[k]) / (b[k] - a[k]));
        }
    }
    return fmax(share, 0);
}

static wf_vec3 clamp(const wf_streamlines *params, wf_vec3 p)
{
    return wf_vec3_minv(wf_vec3_maxv(p, params->lower), params->upper);
}

static wf_status record(tracing *t, const tracer *line)
{
    if ((double)(t->passage_count + 1) * (double)sizeof *t->passages > t->params.memory ||
        t->passage_count == INT32_MAX) {
        return wf_fail(t->context, WF_ERROR_LIMIT,
                       "streamlines pass more points than %.3g MB hold; a larger step or a shorter length takes less",
                       t->params.memory / 1e6);
    }
    wf_status status =
        wf_reserve(t->context, &t->passages, &t->passage_capacity, t->passage_count + 1, sizeof *t->passages);
    if (status == WF_OK) {
        t->passages[t->passage_count++] = (passage){line->position, line->velocity, line->way};
    }
    return status;
}

/* Asks for the wind at a stage of every line that goes on. */
static wf_status sample_stage(tracing *t, size_t count, int stage)
{
    for (size_t i = 0; i < count; i++) {
        t->points[i] = t->tracers[i].stages[stage];
    }
    wf_status status = wf_wind_sample(t->sampler, count, t->points, t->velocities);
    for (size_t i = 0; i < count && status == WF_OK; i++) {
        double speed = wf_vec3_norm(t->velocities[i]);
        bool blows = speed > 0 && speed >= t->params.slowest;
        t->tracers[i].slopes[stage] =
            blows ? wf_vec3_scale(t->velocities[i], t->sign / speed) : (wf_vec3){0, 0, 0};
    }
    return status;
}

/* The stages of a step of every line, and its end, at which t->velocities are then. */
static wf_status try_steps(tracing *t, size_t count)
{
    for (int stage = 0; stage < STAGES; stage++) {
        for (size_t i = 0; i < count; i++) {
            tracer *line = &t->tracers[i];
            const wf_vec3 *k = line->slopes;
            double h = line->step;
            if (stage == 0) {
                line->stages[0] = wf_vec3_muladds(line->position, line->direction, 0.5 * h);
            } else if (stage < 3) {
                line->stages[stage] = wf_vec3_muladds(line->position, k[stage - 1], stage == 1 ? 0.5 * h : h);
            } else {
                wf_vec3 sum = wf_vec3_add(wf_vec3_add(line->direction, k[2]),
                                          wf_vec3_scale(wf_vec3_add(k[0], k[1]), 2));
                line->stages[3] = wf_vec3_muladds(line->position, sum, h / 6);
            }
        }
        wf_status status = sample_stage(t, count, stage);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

/* The least cosine between the direction at the start of a step and those on it; -1 where there is no wind. */
static double least_cosine(const tracer *line)
{
    double least = 1;
    for (int k = 0; k < STAGES; k++) {
        double norm = wf_vec3_norm2(line->slopes[k]);
        least = fmin(least, norm > 0 ? wf_vec3_dot(line->direction, line->slopes[k]) : -1);
    }
    return least;
}

/* Whether the chord of a step passes its seed, having been away. */
static bool comes_back(tracer *line)
{
    wf_vec3 chord = wf_vec3_sub(line->stages[3], line->position), to_seed = wf_vec3_sub(line->seed, line->position);
    double length = wf_vec3_norm(chord), along = wf_vec3_dot(to_seed, chord) / (length * length);
    if (!line->away) {
        line->away = wf_vec3_distance(line->stages[3], line->seed) > 3 * length;
        return false;
    }
    double distance = wf_vec3_norm(wf_vec3_muladds(to_seed, chord, -along));
    return along > 0 && along <= 1 && distance < CLOSING_SHARE * length;
}

/* Takes a step whose directions are good, or the part of it that is in the box. */
static wf_status take_step(tracing *t, tracer *line, wf_vec3 velocity, double cosine)
{
    const wf_streamlines *params = &t->params;
    double share = share_inside(params, line->position, line->stages[3]);
    if (line->clips < CLIPS && (share < 1 || line->clips > 0)) {
        /* The secant's step to the boundary, or the tangent's from a point before it. */
        wf_vec3 ahead = wf_vec3_muladds(line->stages[3], line->slopes[3], line->step);
        line->step *= share < 1 ? share : 1 + share_inside(params, line->stages[3], ahead);
        line->clips++;
        line->ended = !(line->step > 1e-3 * params->step); /* it is at the boundary already */
        return WF_OK;
    }
    if (comes_back(line)) {
        line->closed = line->ended = true;
        return WF_OK;
    }
    line->travelled += line->step;
    line->position = clamp(params, line->stages[3]);
    line->velocity = velocity;
    line->direction = line->slopes[3];
    if (cosine > t->half_cosine) {
        line->step = fmin(2 * line->step, params->step);
    }
    double left = params->length - line->travelled;
    line->ended = line->clips > 0 || !(left > 1e-9 * params->length);
    if (left < 1.5 * line->step) { /* and no last step that is next to nothing */
        line->step = left;
    }
    return record(t, line);
}

static wf_status judge_steps(tracing *t, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        tracer *line = &t->tracers[i];
        double cosine = least_cosine(line);
        if (cosine < t->cosine) {
            line->step *= 0.5;
            line->ended = line->step < SMALLEST_SHARE * t->params.step;
        } else {
            wf_status status = take_step(t, line, t->velocities[i], cosine);
            if (status != WF_OK) {
                return status;
            }
        }
        if (line->closed) {
            t->closed[line->way / 2] = true;
        }
        if (!line->ended) {
            t->tracers[kept++] = *line;
        }
    }
    *count = kept;
    return WF_OK;
}

/* Traces from `count` seeds, whose velocities are known, one way. Closed lines do not go upstream too. */
static wf_status trace(tracing *t, size_t count, const wf_vec3 *seeds, const wf_vec3 *velocities, bool upstream)
{
    size_t active = 0;
    t->sign = upstream ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        double speed = wf_vec3_norm(velocities[i]);
        if (speed > 0 && speed >= t->params.slowest && !t->closed[i]) {
            t->tracers[active++] = (tracer){.seed = seeds[i],
                                            .position = seeds[i],
                                            .direction = wf_vec3_scale(velocities[i], t->sign / speed),
                                            .step = fmin(t->params.step, t->params.length),
                                            .way = (int32_t)(2 * i + (upstream ? 1 : 0))};
        }
    }
    wf_status status = WF_OK;
    while (active > 0 && status == WF_OK) {
        status = try_steps(t, active);
        if (status == WF_OK) {
            status = judge_steps(t, &active);
        }
    }
    return status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Sorts the passages by their way; way k has those order[starts[k]] .. order[starts[k + 1]). */
static wf_status sort_passages(tracing *t, size_t starts[2 * BATCH + 1])
{
    wf_status status =
        wf_reserve(t->context, &t->order, &t->order_capacity, t->passage_count, sizeof *t->order);
    if (status != WF_OK) {
        return status;
    }
    size_t next[2 * BATCH + 1] = {0};
    for (size_t i = 0; i < t->passage_count; i++) {
        next[t->passages[i].way + 1]++;
    }
    for (int way = 0; way < 2 * BATCH; way++) {
        next[way + 1] += next[way];
    }
    memcpy(starts, next, sizeof next);
    for (size_t i = 0; i < t->passage_count; i++) {
        t->order[next[t->passages[i].way]++] = (int32_t)i;
    }
    return WF_OK;
}

/* Puts the line of a seed together, downstream, into t->line. A closed one ends with its seed again. */
static wf_status join_line(tracing *t, const size_t *starts, size_t seed, wf_vec3 position, wf_vec3 velocity,
                           size_t *count, size_t *seed_at)
{
    const size_t *way = &starts[2 * seed];
    size_t down = way[1] - way[0], up = t->closed[seed] ? 0 : way[2] - way[1];
    size_t most = down + up + 2;
    wf_status status = wf_reserve(t->context, &t->line, &t->line_capacity, 2 * most, sizeof *t->line);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 *points = t->line, *velocities = t->line + most;
    for (size_t i = 0; i < up; i++) {
        const passage *p = &t->passages[t->order[way[2] - 1 - i]];
        points[i] = p->position;
        velocities[i] = p->velocity;
    }
    points[up] = position;
    velocities[up] = velocity;
    size_t n = up + 1;
    for (size_t i = 0; i < down; i++, n++) {
        const passage *p = &t->passages[t->order[way[0] + i]];
        points[n] = p->position;
        velocities[n] = p->velocity;
    }
    if (t->closed[seed]) {
        /* The last point may be anywhere on the way to the seed: not right before it. */
        double left = wf_vec3_distance(points[n - 1], position);
        if (n > 2 && left < 0.25 * wf_vec3_distance(points[n - 1], points[n - 2])) {
            n--;
        }
        points[n] = position;
        velocities[n++] = velocity;
    }
    memmove(points + n, velocities, n * sizeof *velocities);
    *count = n;
    *seed_at = up;
    return WF_OK;
}

static void cell_of(const tracing *t, wf_vec3 p, size_t cell[3])
{
    const double offsets[3] = {p.x - t->params.lower.x, p.y - t->params.lower.y, p.z - t->params.lower.z};
    for (int k = 0; k < 3; k++) {
        double at = fmin(fmax(floor(offsets[k] / t->params.spacing), 0), (double)(t->cells[k] - 1));
        cell[k] = (size_t)at;
    }
}

/* Whether a point of a line so far is nearer than `distance`, which is less than the spacing. */
static bool is_near(const tracing *t, wf_vec3 p, double distance)
{
    size_t cell[3], low[3], high[3];
    cell_of(t, p, cell);
    for (int k = 0; k < 3; k++) {
        low[k] = cell[k] > 0 ? cell[k] - 1 : 0;
        high[k] = cell[k] + 1 < t->cells[k] ? cell[k] + 1 : cell[k];
    }
    for (size_t x = low[0]; x <= high[0]; x++) {
        for (size_t y = low[1]; y <= high[1]; y++) {
            for (size_t z = low[2]; z <= high[2]; z++) {
                int32_t at = t->heads[(x * t->cells[1] + y) * t->cells[2] + z];
                for (; at >= 0; at = t->nexts[at]) {
                    if (wf_vec3_distance(t->drawing->points[at], p) < distance) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

/* Adds points of t->line to the result, and where lines are evenly spaced to the cells. */
static wf_status add_line(tracing *t, const wf_vec3 *points, const wf_vec3 *velocities, size_t count)
{
    wf_wind_drawing *drawing = t->drawing;
    size_t total = drawing->point_count + count;
    double bytes = (double)total * 2 * (double)sizeof *points;
    if (bytes > t->params.memory || total > INT32_MAX) {
        return wf_fail(t->context, WF_ERROR_LIMIT,
                       "streamlines have more points than %.3g MB hold; a larger step or a shorter length takes less",
                       t->params.memory / 1e6);
    }
    wf_status status = wf_reserve(t->context, &drawing->points, &t->point_capacity, total, sizeof *points);
    if (status == WF_OK) {
        status = wf_reserve(t->context, &drawing->velocities, &t->velocity_capacity, total, sizeof *velocities);
    }
    if (status == WF_OK) {
        status = wf_reserve(t->context, &drawing->starts, &t->start_capacity, drawing->line_count + 2,
                            sizeof *drawing->starts);
    }
    if (status == WF_OK && t->heads) {
        status = wf_reserve(t->context, &t->nexts, &t->next_capacity, total, sizeof *t->nexts);
    }
    if (status != WF_OK) {
        return status;
    }
    memcpy(drawing->points + drawing->point_count, points, count * sizeof *points);
    memcpy(drawing->velocities + drawing->point_count, velocities, count * sizeof *velocities);
    for (size_t i = drawing->point_count; i < total && t->heads; i++) {
        size_t cell[3];
        cell_of(t, drawing->points[i], cell);
        int32_t *head = &t->heads[(cell[0] * t->cells[1] + cell[1]) * t->cells[2] + cell[2]];
        t->nexts[i] = *head;
        *head = (int32_t)i;
    }
    drawing->starts[0] = 0;
    drawing->starts[++drawing->line_count] = (int32_t)total;
    drawing->point_count = total;
    return WF_OK;
}

/* Adds the line in t->line; where lines are evenly spaced, the part of it around its seed that no other is near. */
static wf_status keep_line(tracing *t, size_t count, size_t seed_at, bool closed)
{
    const wf_vec3 *points = t->line, *velocities = t->line + count;
    size_t first = 0, last = count - 1;
    if (t->heads) {
        double near = CUT_SHARE * t->params.spacing;
        if (is_near(t, points[seed_at], SEED_SHARE * t->params.spacing)) {
            return WF_OK;
        }
        first = last = seed_at;
        while (first > 0 && !is_near(t, points[first - 1], near)) {
            first--;
        }
        while (last + 1 < count && !is_near(t, points[last + 1], near)) {
            last++;
        }
        double length = 0;
        for (size_t i = first; i < last; i++) {
            length += wf_vec3_distance(points[i], points[i + 1]);
        }
        if ((first > 0 || last + 1 < count) && length < t->params.spacing) {
            return WF_OK;
        }
    }
    bool whole = first == 0 && last + 1 == count;
    size_t kept = last + 1 - first;
    return kept < (closed && whole ? 4 : 2) ? WF_OK : add_line(t, points + first, velocities + first, kept);
}

static wf_status trace_batch(tracing *t, size_t count, const wf_vec3 *seeds)
{
    wf_vec3 velocities[BATCH];
    size_t starts[2 * BATCH + 1];
    t->passage_count = 0;
    memset(t->closed, 0, sizeof t->closed);
    wf_status status = wf_wind_sample(t->sampler, count, seeds, velocities);
    for (int upstream = 0; upstream < 2 && status == WF_OK; upstream++) {
        status = trace(t, count, seeds, velocities, upstream);
    }
    if (status == WF_OK) {
        status = sort_passages(t, starts);
    }
    for (size_t i = 0; i < count && status == WF_OK; i++) {
        size_t line_count, seed_at;
        status = join_line(t, starts, i, seeds[i], velocities[i], &line_count, &seed_at);
        if (status == WF_OK && line_count > 1) {
            status = keep_line(t, line_count, seed_at, t->closed[i]);
        }
    }
    return status;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static wf_status check_params(wf_context *context, const wf_streamlines *params, bool seeded)
{
    wf_vec3 size = wf_vec3_sub(params->upper, params->lower);
    if (!(size.x >= 0 && size.y >= 0 && size.z >= 0 && wf_vec3_norm(size) > 0) || !wf_vec3_isfinite(size)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "upper must not be below lower, got a box of %g x %g x %g m",
                       size.x, size.y, size.z);
    }
    const double values[] = {params->spacing, params->length, params->step, params->slowest, params->radius};
    static const char *const names[] = {"spacing", "length", "step", "slowest", "radius"};
    for (int k = 0; k < 5; k++) {
        bool needed = k == 0 && !seeded;
        if (!(values[k] >= 0) || !isfinite(values[k]) || (needed && !(values[k] > 0))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a number %s 0, got %g", names[k],
                           needed ? "above" : "of at least", values[k]);
        }
    }
    if (!(params->turn >= 0.001 && params->turn <= 0.5)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "turn must be from 0.001 to 0.5, got %g", params->turn);
    }
    return WF_OK;
}

/* Sets what is 0 to its default. */
static wf_status fill_defaults(wf_context *context, wf_streamlines *params, bool seeded)
{
    double diagonal = wf_vec3_distance(params->upper, params->lower);
    params->length = params->length > 0 ? params->length : 2 * diagonal;
    params->radius = params->radius > 0 ? params->radius : diagonal / 500;
    if (!(params->step > 0)) {
        params->step = seeded ? diagonal / 100 : fmin(diagonal / 100, params->spacing / 4);
    } else if (!seeded) {
        params->step = fmin(params->step, params->spacing / 4);
    }
    if (!(params->length <= STEP_LIMIT * params->step)) {
        return wf_fail(context, WF_ERROR_LIMIT, "a length of %g m takes more than %g steps of %g m", params->length,
                       STEP_LIMIT, params->step);
    }
    return WF_OK;
}

/* What counts as no wind: a share of the fastest at the seeds, so that it scales with the wind. */
static wf_status find_slowest(tracing *t, size_t count, const wf_vec3 *seeds)
{
    wf_vec3 velocities[BATCH];
    wf_status status = WF_OK;
    double fastest = 0;
    for (size_t begin = 0; begin < count && status == WF_OK && !(t->params.slowest > 0); begin += BATCH) {
        size_t size = count - begin < BATCH ? count - begin : BATCH;
        status = wf_wind_sample(t->sampler, size, seeds + begin, velocities);
        for (size_t i = 0; i < size && status == WF_OK; i++) {
            fastest = fmax(fastest, wf_vec3_norm(velocities[i]));
        }
    }
    if (!(t->params.slowest > 0)) {
        t->params.slowest = 1e-3 * fastest;
    }
    return status;
}

static wf_status trace_all(tracing *t, size_t count, const wf_vec3 *seeds)
{
    wf_status status = find_slowest(t, count, seeds);
    wf_vec3 batch[BATCH];
    for (size_t next = 0; next < count && status == WF_OK;) {
        size_t size = 0;
        for (; next < count && size < BATCH; next++) {
            bool wanted = is_inside(&t->params, seeds[next]) &&
                          !(t->heads && is_near(t, seeds[next], SEED_SHARE * t->params.spacing));
            if (wanted) {
                batch[size++] = seeds[next];
            }
        }
        status = trace_batch(t, size, batch);
    }
    return status;
}

/* Seeds on a lattice, and the cells to keep lines apart. */
static wf_status prepare_spacing(tracing *t, size_t *count, wf_vec3 **seeds)
{
    const wf_streamlines *params = &t->params;
    wf_status status = wf_box_lattice(t->context, params->lower, params->upper, params->spacing, params->memory, count,
                                      seeds);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 size = wf_vec3_sub(params->upper, params->lower);
    const double sizes[3] = {size.x, size.y, size.z};
    size_t total = 1;
    for (int k = 0; k < 3; k++) {
        t->cells[k] = (size_t)(sizes[k] / params->spacing) + 1;
        total *= t->cells[k];
    }
    t->heads = wf_allocate(t->context, total, sizeof *t->heads);
    if (!t->heads) {
        return WF_ERROR_MEMORY;
    }
    memset(t->heads, -1, total * sizeof *t->heads);
    return WF_OK;
}

static wf_status draw_streamlines(tracing *t, size_t count, const wf_vec3 *seeds, wf_vec3 **lattice)
{
    bool seeded = seeds != NULL;
    wf_status status = check_params(t->context, &t->params, seeded);
    if (status != WF_OK) {
        return status;
    }
    status = fill_defaults(t->context, &t->params, seeded);
    if (status != WF_OK) {
        return status;
    }
    t->cosine = cos(t->params.turn);
    t->half_cosine = cos(0.5 * t->params.turn);
    for (size_t i = 0; i < count && seeded; i++) {
        if (!wf_vec3_isfinite(seeds[i])) {
            return wf_fail(t->context, WF_ERROR_NUMERIC, "seed %zu is not finite", i + 1);
        }
    }
    if (!seeded) {
        status = prepare_spacing(t, &count, lattice);
        seeds = *lattice;
    }
    if (status == WF_OK) {
        status = trace_all(t, count, seeds);
    }
    if (status == WF_OK) {
        status = wf_wind_drawing_add_tubes(t->context, t->params.radius, t->params.memory, t->drawing);
    }
    return status;
}

wf_status wf_wind_draw_streamlines(wf_context *context, const wf_streamlines *params, const wf_wind_sampler *sampler,
                                   size_t count, const wf_vec3 *seeds, wf_wind_drawing *drawing)
{
    tracing *t = wf_allocate(context, 1, sizeof *t);
    if (!t) {
        return WF_ERROR_MEMORY;
    }
    t->context = context;
    t->sampler = sampler;
    t->params = *params;
    t->drawing = drawing;
    wf_vec3 *lattice = NULL;
    wf_status status = draw_streamlines(t, count, seeds, &lattice);
    wf_free(context, lattice);
    wf_free(context, t->passages);
    wf_free(context, t->order);
    wf_free(context, t->line);
    wf_free(context, t->heads);
    wf_free(context, t->nexts);
    wf_free(context, t);
    if (status != WF_OK) {
        wf_wind_drawing_free(context, drawing);
    }
    return status;
}
