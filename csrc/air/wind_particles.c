/* wind_particles.c - the grid, its streams, and what they say of the wind at a place; see wind_particles.h. */
#include "air/wind_particles_private.h"

#include <string.h>

#include "base/hash.h"
#include "base/range.h"
#include "base/tasks.h"

enum {
    SCENE_CELLS = 32,          /* of the longest side, where the cell is chosen */
    SCENE_CELLS_MOST = 128,    /* and when it is chosen anew */
    SCENE_CELLS_LEAST = 8,
    SPEED_SAMPLES = 4,         /* in each direction, of a source's speed */
    SPEED_SAMPLES_MORE = 16,   /* where these find none */
    PIECES_BACK = 64,          /* cells' lengths back to one that nothing touches */
    POINT_BLOCK = 64           /* points of a task */
};

static const double least_cell = 1e-4, largest_cell = 1e4; /* m */

wf_wind_particles_params wf_default_wind_particles_params(void)
{
    return (wf_wind_particles_params){.margin = 3, .per_side = 2, .interval = 3, .slide = true,
                                      .memory = 1073741824.0};
}

static wf_status check_params(wf_context *context, const wf_wind_particles_params *q)
{
    const wf_range ranges[] = {
        {"cell", q->cell, q->cell == 0 ? 0 : least_cell, largest_cell},
        {"margin", q->margin, 1, 64},
        {"per_side", q->per_side, 1, 4},
        {"interval", q->interval, 0.25, 64},
        {"expiry", q->expiry, q->expiry == 0 ? 0 : q->interval + 1, 1e6},
        {"wake", q->wake, 0, 1},
        {"memory", q->memory, 0, 1e15},
    };
    wf_status status = wf_check_ranges(context, ranges, sizeof ranges / sizeof *ranges);
    wf_vec3 a = q->lower, b = q->upper;
    const double most = WF_WIND_PLACE_LIMIT;
    if (status == WF_OK && q->placed &&
        !(fmin(fmin(a.x, a.y), a.z) >= -most && fmax(fmax(b.x, b.y), b.z) <= most && a.x < b.x && a.y < b.y &&
          a.z < b.z)) {
        status = wf_fail(context, WF_ERROR_ARGUMENT, "the grid must have lower below upper in all three coordinates, "
                         "within %g m, got {%g, %g, %g} and {%g, %g, %g}", most, a.x, a.y, a.z, b.x, b.y, b.z);
    }
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

wf_status wf_wind_particles_create(wf_context *context, const wf_wind_particles_params *params,
                                   wf_wind_particles **particles)
{
    *particles = NULL;
    wf_status status = check_params(context, params);
    if (status != WF_OK) {
        return status;
    }
    wf_wind_particles *p = wf_allocate(context, 1, sizeof *p);
    if (!p) {
        return WF_ERROR_MEMORY;
    }
    *p = (wf_wind_particles){.context = context, .params = *params};
    p->points = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->points);
    p->velocities = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->velocities);
    p->here = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->here);
    p->paths = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->paths);
    p->ways = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->ways);
    p->active = wf_allocate(context, WF_TRACE_CHUNK, sizeof *p->active);
    if (!(p->points && p->velocities && p->here && p->paths && p->ways && p->active)) {
        wf_wind_particles_destroy(p);
        return WF_ERROR_MEMORY;
    }
    *particles = p;
    return WF_OK;
}

static void free_stream(wf_context *context, wf_particle_stream *s)
{
    wf_wind_source_release((wf_wind_source *)s->source);
    wf_free(context, s->records);
    wf_free(context, s->x);
    wf_free(context, s->share);
    wf_free(context, s->radius);
}

void wf_wind_particles_reset(wf_wind_particles *p)
{
    for (size_t i = 0; i < p->stream_count; i++) {
        free_stream(p->context, &p->streams[i]);
    }
    p->stream_count = p->cells = 0;
    p->grid = (wf_cell_grid){.cell = 0};
    p->stats = (wf_wind_particles_stats){.particles = 0};
}

void wf_wind_particles_destroy(wf_wind_particles *p)
{
    if (!p) {
        return;
    }
    wf_context *context = p->context;
    wf_kept_particles_free(p);
    wf_wind_particles_reset(p);
    wf_free(context, p->marks);
    wf_free(context, p->counts);
    wf_free(context, p->streams);
    wf_free(context, p->points);
    wf_free(context, p->velocities);
    wf_free(context, p->here);
    wf_free(context, p->paths);
    wf_free(context, p->ways);
    wf_free(context, p->active);
    wf_free(context, p->sample_velocities);
    wf_free(context, p);
}

wf_status wf_wind_particles_set_params(wf_wind_particles *p, const wf_wind_particles_params *params)
{
    wf_status status = check_params(p->context, params);
    if (status != WF_OK) {
        return status;
    }
    const wf_wind_particles_params *q = &p->params;
    bool same_places = q->cell == params->cell && q->margin == params->margin && q->placed == params->placed &&
                       wf_vec3_equal(q->lower, params->lower) && wf_vec3_equal(q->upper, params->upper);
    if (!same_places) {
        wf_wind_particles_reset(p);
    }
    p->params = *params;
    return WF_OK;
}

wf_wind_particles_params wf_wind_particles_get_params(const wf_wind_particles *p)
{
    return p->params;
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static double bytes_of(double cells, size_t streams)
{
    double particle = sizeof(wf_vec3) + 2 * sizeof(float);
    return cells * (2 + (double)streams * (sizeof(wf_cell_record) + WF_WIND_PARTICLES_PER_CELL * particle));
}

/* A grid over the box, on a lattice of cells through 0, so that cells stay where they are when it is placed anew. */
static wf_status lay_grid(const wf_wind_particles *p, wf_vec3 lower, wf_vec3 upper, double cell, size_t streams,
                          wf_cell_grid *grid, int64_t origin[3])
{
    const double low[3] = {floor(lower.x / cell + 1e-9), floor(lower.y / cell + 1e-9), floor(lower.z / cell + 1e-9)};
    const double high[3] = {ceil(upper.x / cell - 1e-9), ceil(upper.y / cell - 1e-9), ceil(upper.z / cell - 1e-9)};
    double size[3], cells = 1;
    for (int k = 0; k < 3; k++) {
        size[k] = fmax(high[k] - low[k], 1);
        cells *= size[k];
    }
    double bytes = bytes_of(cells, streams > 0 ? streams : 1);
    if (!(bytes <= p->params.memory && cells < 1 << 30)) {
        return wf_fail(p->context, WF_ERROR_LIMIT, "cells of %g m make a grid of %.0f x %.0f x %.0f, which takes up to "
                       "%.4g MB for %d sources; at most %.4g MB are allowed (memory)", cell, size[0], size[1], size[2],
                       bytes / 1e6, (int)streams, p->params.memory / 1e6);
    }
    for (int k = 0; k < 3; k++) {
        origin[k] = (int64_t)low[k];
    }
    *grid = (wf_cell_grid){{low[0] * cell, low[1] * cell, low[2] * cell}, cell, (int32_t)size[0], (int32_t)size[1],
                           (int32_t)size[2]};
    return WF_OK;
}

static bool contains(const wf_cell_grid *g, wf_vec3 lower, wf_vec3 upper)
{
    return wf_cell_at(g, lower) >= 0 && wf_cell_at(g, upper) >= 0;
}

/* Where the grid ought to be. *here: there is something in the way at all. *stays: where it is. */
static wf_status choose_grid(const wf_wind_particles *p, const wf_obstacles *obstacles, size_t streams,
                             wf_cell_grid *grid, int64_t origin[3], bool *here, bool *stays)
{
    const wf_wind_particles_params *q = &p->params;
    wf_vec3 lower = q->lower, upper = q->upper;
    bool bounded = q->placed || wf_obstacles_bounds(obstacles, &lower, &upper);
    *here = bounded && !wf_obstacles_is_empty(obstacles);
    *here = *here || q->placed;
    *stays = false;
    if (!*here) {
        return WF_OK;
    }
    double longest = fmax(fmax(upper.x - lower.x, upper.y - lower.y), upper.z - lower.z), cell = q->cell;
    if (cell > 0 && longest < cell) {
        return wf_fail(p->context, WF_ERROR_LIMIT, "cell must be smaller than the scene, which is %g m long, got %g",
                       longest, cell);
    }
    if (cell == 0) {
        bool fits = p->cells > 0 && longest <= SCENE_CELLS_MOST * p->grid.cell &&
                    longest >= SCENE_CELLS_LEAST * p->grid.cell;
        cell = fits ? p->grid.cell : fmin(fmax(longest / SCENE_CELLS, least_cell), largest_cell);
    }
    double room = q->placed ? 0 : q->margin * cell, near = fmin(1, 0.5 * q->margin) * cell;
    wf_vec3 far = {room, room, room}, close = {near, near, near};
    if (p->cells > 0 && p->grid.cell == cell) {
        /* It is moved when the scene comes near its end, and made smaller when it is twice as large as it need be. */
        double size = 1;
        const double side[3] = {upper.x - lower.x, upper.y - lower.y, upper.z - lower.z};
        for (int k = 0; k < 3; k++) {
            size *= ceil(side[k] / cell) + 2 * q->margin + 1;
        }
        *stays = q->placed || (contains(&p->grid, wf_vec3_sub(lower, close), wf_vec3_add(upper, close)) &&
                               (double)p->cells <= 2 * size);
        if (*stays) {
            double bytes = bytes_of((double)p->cells, streams);
            *stays = bytes <= q->memory || streams <= p->stream_count;
        }
    }
    return *stays ? WF_OK : lay_grid(p, wf_vec3_sub(lower, far), wf_vec3_add(upper, far), cell, streams, grid, origin);
}

/* What a stream knew of the cells that both grids have; `known` says which. */
static wf_status move_records(wf_wind_particles *p, wf_particle_stream *s, const wf_cell_grid *old,
                              const int64_t old_origin[3], uint8_t *known)
{
    size_t cells = (size_t)p->grid.nx * (size_t)p->grid.ny * (size_t)p->grid.nz;
    wf_cell_record *records = wf_allocate(p->context, cells, sizeof *records);
    if (!records) {
        return WF_ERROR_MEMORY;
    }
    for (size_t c = 0; c < cells; c++) {
        int64_t at[3] = {(int64_t)c % p->grid.nx, (int64_t)c / p->grid.nx % p->grid.ny,
                         (int64_t)c / p->grid.nx / p->grid.ny};
        for (int k = 0; k < 3; k++) {
            at[k] += p->origin[k] - old_origin[k];
        }
        records[c].last = -1;
        known[c] = s->records && at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < old->nx && at[1] < old->ny &&
                   at[2] < old->nz;
        if (known[c]) {
            records[c] = s->records[at[0] + old->nx * (at[1] + (int64_t)old->ny * at[2])];
        }
    }
    wf_free(p->context, s->records);
    s->records = records;
    return WF_OK;
}

/* Lays the grid there. Streams keep what they know of cells that stay; into new ones comes what would be there. */
static wf_status place_grid(wf_wind_particles *p, const wf_cell_grid *grid, const int64_t origin[3],
                            const wf_obstacles *obstacles, double time)
{
    wf_cell_grid old = p->grid;
    const int64_t old_origin[3] = {p->origin[0], p->origin[1], p->origin[2]};
    size_t cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    wf_context *context = p->context;
    wf_status status = wf_reserve(context, &p->marks, &p->mark_room, cells, sizeof *p->marks);
    if (status == WF_OK) {
        status = wf_reserve(context, &p->counts, &p->count_room, cells, sizeof *p->counts);
    }
    if (status != WF_OK) {
        return status;
    }
    p->grid = *grid;
    memcpy(p->origin, origin, sizeof p->origin);
    p->cells = cells;
    wf_obstacles_mark(obstacles, &p->grid, p->marks);
    for (size_t i = 0; status == WF_OK && i < p->stream_count; i++) {
        wf_particle_stream *s = &p->streams[i];
        status = move_records(p, s, &old, old_origin, p->counts);
        if (status == WF_OK && s->speed > 0) {
            status = wf_stream_fill_new(p, s, obstacles, time, p->counts);
        }
    }
    return status;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* One stream for each source of the wind, in its order. */
static wf_status match_streams(wf_wind_particles *p, const wf_wind *wind)
{
    size_t count = wf_wind_count(wind);
    wf_status status = wf_reserve(p->context, &p->streams, &p->stream_room, count > 0 ? count : 1, sizeof *p->streams);
    for (size_t i = 0; status == WF_OK && i < count; i++) {
        wf_wind_source *source = wf_wind_at(wind, i);
        size_t at = i;
        while (at < p->stream_count && p->streams[at].source != source) {
            at++;
        }
        if (at == p->stream_count) {
            status = wf_reserve(p->context, &p->streams, &p->stream_room, p->stream_count + 1, sizeof *p->streams);
            if (status == WF_OK) {
                p->streams[p->stream_count++] =
                    (wf_particle_stream){.source = wf_wind_source_retain(source), .fresh = true};
            }
        }
        if (status == WF_OK && at != i) {
            wf_particle_stream found = p->streams[at];
            memmove(&p->streams[i + 1], &p->streams[i], (at - i) * sizeof found);
            p->streams[i] = found;
        }
    }
    while (status == WF_OK && p->stream_count > count) {
        free_stream(p->context, &p->streams[--p->stream_count]);
    }
    return status;
}

/* The velocities of a source at the middles of count^3 parts of a box, in p->velocities. */
static wf_status sample_speeds(wf_wind_particles *p, const wf_particle_stream *s, double time, wf_vec3 lower,
                               wf_vec3 upper, size_t count)
{
    wf_vec3 side = wf_vec3_scale(wf_vec3_sub(upper, lower), 1.0 / (double)count);
    size_t all = count * count * count;
    for (size_t i = 0; i < all; i++) {
        p->points[i] = wf_vec3_make(lower.x + ((double)(i % count) + 0.5) * side.x,
                                    lower.y + ((double)(i / count % count) + 0.5) * side.y,
                                    lower.z + ((double)(i / count / count) + 0.5) * side.z);
    }
    memset(p->velocities, 0, all * sizeof *p->velocities);
    return wf_wind_source_add(s->source, time, all, p->points, p->velocities);
}

/* m/s: how fast the air of a source is within the grid, where it blows: what nine tenths of places do not exceed, or
 * the mean where it blows in fewer. What a singular place has would let all others forget too soon. */
static wf_status find_speed(wf_wind_particles *p, wf_particle_stream *s, double time)
{
    enum { COUNT = SPEED_SAMPLES * SPEED_SAMPLES * SPEED_SAMPLES };
    const wf_cell_grid *g = &p->grid;
    wf_vec3 lower, upper;
    wf_wind_source_bounds(s->source, &lower, &upper);
    lower = wf_vec3_maxv(lower, g->lower);
    upper = wf_vec3_minv(upper, wf_vec3_make(g->lower.x + g->nx * g->cell, g->lower.y + g->ny * g->cell,
                                             g->lower.z + g->nz * g->cell));
    s->speed = 0;
    if (!(lower.x < upper.x && lower.y < upper.y && lower.z < upper.z) ||
        wf_wind_source_strength(s->source, time) == 0) {
        return WF_OK;
    }
    wf_status status = sample_speeds(p, s, time, lower, upper, SPEED_SAMPLES);
    double speeds[COUNT], sum = 0;
    for (int i = 0; i < COUNT; i++) { /* in order */
        double speed = wf_vec3_norm(p->velocities[i]);
        int place = i;
        for (; place > 0 && speeds[place - 1] > speed; place--) {
            speeds[place] = speeds[place - 1];
        }
        speeds[place] = speed;
        sum += speed;
    }
    s->speed = fmax(speeds[COUNT - 1 - COUNT / 10], sum / COUNT);
    if (status == WF_OK && s->speed == 0) { /* it blows in a small part */
        status = sample_speeds(p, s, time, lower, upper, SPEED_SAMPLES_MORE);
        int blown = 0;
        for (int i = 0; i < SPEED_SAMPLES_MORE * SPEED_SAMPLES_MORE * SPEED_SAMPLES_MORE; i++) {
            double speed = wf_vec3_norm(p->velocities[i]);
            blown += speed > 0;
            sum += speed;
        }
        s->speed = blown > 0 ? sum / blown : 0;
    }
    return status;
}

static wf_status advance_stream(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles,
                                double time, double duration)
{
    wf_status status = find_speed(p, s, time);
    if (status != WF_OK || !(s->speed > 0)) {
        return status; /* its clock stands */
    }
    if (s->fresh && p->params.filled) {
        status = wf_stream_fill_new(p, s, obstacles, time, NULL);
    }
    s->fresh = false;
    if (status == WF_OK && s->clock >= s->emission) {
        status = wf_stream_emit(p, s, time);
        double late = s->clock - s->emission;
        s->emission = s->clock + p->params.interval - (late < p->params.interval ? late : 0);
    }
    s->passed = s->speed * duration / p->grid.cell;
    s->clock += s->passed;
    if (status == WF_OK) {
        status = wf_stream_move(p, s, obstacles, time, duration);
    }
    return status == WF_OK ? wf_stream_fill_holes(p, s, obstacles, time + duration) : status;
}

static void count_up(wf_wind_particles *p)
{
    p->stats.grid = p->grid;
    p->stats.particles = 0;
    p->stats.reached = 0;
    p->stats.bytes = (double)(p->mark_room + p->count_room);
    for (size_t i = 0; i < p->stream_count; i++) {
        const wf_particle_stream *s = &p->streams[i];
        p->stats.particles += s->count;
        p->stats.bytes += (double)(p->cells * sizeof *s->records + s->x_room * sizeof *s->x +
                                   (s->share_room + s->radius_room) * sizeof(float));
        for (int32_t c = 0; c < (int32_t)p->cells; c++) {
            p->stats.reached += wf_cell_is_reached(p, s, c);
        }
    }
}

static wf_status advance(wf_wind_particles *p, const wf_wind *wind, const wf_obstacles *obstacles, double time,
                         double duration)
{
    wf_cell_grid grid;
    int64_t origin[3];
    bool here, stays;
    wf_status status = choose_grid(p, obstacles, wf_wind_count(wind), &grid, origin, &here, &stays);
    if (status != WF_OK || !here) {
        wf_wind_particles_reset(p);
        return status;
    }
    if (p->cells > 0 && !stays && grid.cell != p->grid.cell) {
        wf_wind_particles_reset(p);
    }
    status = match_streams(p, wind);
    if (status == WF_OK && !stays) {
        status = place_grid(p, &grid, origin, obstacles, time);
    } else if (status == WF_OK) {
        wf_obstacles_mark(obstacles, &p->grid, p->marks);
    }
    for (size_t i = 0; status == WF_OK && i < p->stream_count; i++) {
        wf_particle_stream *s = &p->streams[i];
        if (!s->records) {
            status = move_records(p, s, &p->grid, p->origin, p->counts);
        }
        if (status == WF_OK) {
            status = advance_stream(p, s, obstacles, time, duration);
        }
    }
    return status;
}

wf_status wf_wind_particles_advance(wf_wind_particles *p, const wf_wind *wind, const wf_obstacles *obstacles,
                                    double time, double duration)
{
    p->stats = (wf_wind_particles_stats){.particles = 0};
    wf_status status = advance(p, wind, obstacles, time, duration);
    if (status != WF_OK) {
        wf_wind_particles_reset(p);
        return status;
    }
    p->steps++;
    count_up(p);
    return WF_OK;
}

/* ---- the wind at a place ----------------------------------------------------------------------------------------- */

typedef struct sampling {
    const wf_wind_particles *p;
    const wf_particle_stream *s;
    const wf_obstacles *obstacles;
    const wf_vec3 *points, *normals; /* normals NULL: of the air itself, not at a face */
    const wf_vec3 *field;            /* the source's velocities there */
    wf_vec3 *velocities;             /* to which the wind is added */
} sampling;

/* The cell of a point; of the nearest one in the grid, that it is moved to, where it lies beyond. */
static int32_t nearest_cell(const wf_cell_grid *g, wf_vec3 *x)
{
    const double inside = 1e-6;
    double i = fmin(fmax((x->x - g->lower.x) / g->cell, inside), g->nx - inside);
    double j = fmin(fmax((x->y - g->lower.y) / g->cell, inside), g->ny - inside);
    double k = fmin(fmax((x->z - g->lower.z) / g->cell, inside), g->nz - inside);
    if (wf_cell_at(g, *x) < 0) {
        *x = wf_vec3_make(g->lower.x + i * g->cell, g->lower.y + j * g->cell, g->lower.z + k * g->cell);
    }
    return (int32_t)i + g->nx * ((int32_t)j + g->ny * (int32_t)k);
}

/* Between the middles of eight cells that nothing touches, trilinear; else that of the cell. */
static double smooth_share(const sampling *q, wf_vec3 x, int32_t cell)
{
    const wf_cell_grid *g = &q->p->grid;
    const double at[3] = {(x.x - g->lower.x) / g->cell - 0.5, (x.y - g->lower.y) / g->cell - 0.5,
                          (x.z - g->lower.z) / g->cell - 0.5};
    const int32_t size[3] = {g->nx, g->ny, g->nz};
    int32_t low[3], high[3];
    double part[3], sum = 0, least = 1, most = 0;
    for (int k = 0; k < 3; k++) {
        double from = floor(at[k]);
        part[k] = at[k] - from;
        low[k] = from > 0 ? (int32_t)from : 0;
        high[k] = from + 1 < size[k] ? (int32_t)from + 1 : size[k] - 1;
    }
    for (int corner = 0; corner < 8; corner++) {
        int32_t i = corner & 1 ? high[0] : low[0], j = corner & 2 ? high[1] : low[1], k = corner & 4 ? high[2] : low[2];
        int32_t c = i + g->nx * (j + g->ny * k);
        if (q->p->marks[c]) {
            return wf_cell_share(q->p, q->s, cell);
        }
        double weight = (corner & 1 ? part[0] : 1 - part[0]) * (corner & 2 ? part[1] : 1 - part[1]) *
                        (corner & 4 ? part[2] : 1 - part[2]);
        double share = wf_cell_share(q->p, q->s, c);
        sum += weight * share;
        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    return least == most ? least : sum; /* without rounding where nothing changes */
}

/* Where an obstacle touches the cell: straight back against the wind to a cell that none touches. */
static double share_upwind(const sampling *q, wf_vec3 x, wf_vec3 wind)
{
    const wf_wind_particles *p = q->p;
    double speed = wf_vec3_norm(wind), cell = p->grid.cell;
    wf_way_back way = {.x = x};
    if (!(speed > 0)) {
        return 0;
    }
    for (int piece = 0; piece < PIECES_BACK; piece++) {
        int32_t at = wf_cell_at(&p->grid, way.x);
        if (at < 0) {
            return wf_share_along(p, &way, 1);
        }
        if (!p->marks[at]) {
            return wf_share_along(p, &way, wf_cell_share(p, q->s, at));
        }
        wf_vec3 to = wf_vec3_muladds(way.x, wind, -cell / speed);
        if (!wf_cross_back(p, q->obstacles, way.x, to, way.length, &way)) {
            return 0;
        }
        way.x = to;
        way.length += cell;
    }
    int32_t at = wf_cell_at(&p->grid, way.x);
    return at < 0 ? 1 : wf_share_along(p, &way, wf_cell_share(p, q->s, at));
}

/* What obstacles stop of the wind of a cell that touches them. */
static wf_vec3 stopped(const wf_cell_record *r, wf_vec3 wind)
{
    wf_vec3 n = {r->normal[0], r->normal[1], r->normal[2]};
    return wf_vec3_muladds(wind, n, r->normal_speed - wf_vec3_dot(n, wind));
}

static bool has_normal(const wf_cell_record *r)
{
    return r->normal[0] != 0 || r->normal[1] != 0 || r->normal[2] != 0;
}

static wf_vec3 wind_in_air(const sampling *q, wf_vec3 x, wf_vec3 wind)
{
    const wf_wind_particles *p = q->p;
    int32_t cell = nearest_cell(&p->grid, &x);
    if (!p->marks[cell]) {
        return wf_vec3_scale(wind, smooth_share(q, x, cell));
    }
    double share = share_upwind(q, x, wind);
    const wf_cell_record *r = &q->s->records[cell];
    bool stops = share > 0 && wf_cell_is_reached(p, q->s, cell) && has_normal(r) &&
                 wf_vec3_dot(wind, (wf_vec3){r->normal[0], r->normal[1], r->normal[2]}) < 0;
    return wf_vec3_scale(stops ? stopped(r, wind) : wind, share);
}

/* A little off the face, on the side that the wind comes from. */
static wf_vec3 wind_at_face(const sampling *q, wf_vec3 x, wf_vec3 normal, wf_vec3 wind)
{
    const wf_cell_grid *g = &q->p->grid;
    double off = 1e-4 * g->cell < 1e-5 ? 1e-4 * g->cell : 1e-5;
    x = wf_vec3_muladds(x, normal, wf_vec3_dot(normal, wind) <= 0 ? off : -off);
    int32_t cell = nearest_cell(g, &x);
    return wf_vec3_scale(wind, q->p->marks[cell] ? share_upwind(q, x, wind) : smooth_share(q, x, cell));
}

static void sample_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const sampling *q = user;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 wind = q->normals ? wind_at_face(q, q->points[i], q->normals[i], q->field[i])
                                  : wind_in_air(q, q->points[i], q->field[i]);
        q->velocities[i] = wf_vec3_add(q->velocities[i], wind);
    }
}

static const wf_particle_stream *stream_of(const wf_wind_particles *p, const wf_wind_source *source)
{
    for (size_t i = 0; i < p->stream_count; i++) {
        if (p->streams[i].source == source) {
            return &p->streams[i];
        }
    }
    return NULL;
}

/* Adds the wind of one source; one that does not blow into the grid blows beyond it as it is. */
static wf_status add_source(wf_wind_particles *p, const wf_wind_source *source, const wf_obstacles *obstacles,
                            double time, size_t count, const wf_vec3 *points, const wf_vec3 *normals,
                            wf_vec3 *velocities)
{
    const wf_particle_stream *s = stream_of(p, source);
    if (p->cells == 0 || (s ? s->clock == 0 : p->params.filled)) {
        return wf_wind_source_add(source, time, count, points, velocities);
    }
    if (!s) {
        return WF_OK; /* it has yet to come */
    }
    memset(p->sample_velocities, 0, count * sizeof *p->sample_velocities);
    wf_status status = wf_wind_source_add(source, time, count, points, p->sample_velocities);
    if (status == WF_OK) {
        sampling q = {p, s, obstacles, points, normals, p->sample_velocities, velocities};
        wf_parallel_for(p->context, count, POINT_BLOCK, sample_block, &q);
    }
    return status;
}

static wf_status sample(wf_wind_particles *p, const wf_wind *wind, const wf_obstacles *obstacles, double time,
                        size_t count, const wf_vec3 *points, const wf_vec3 *normals, wf_vec3 *velocities)
{
    wf_status status = wf_reserve(p->context, &p->sample_velocities, &p->sample_room, count > 0 ? count : 1,
                                  sizeof *p->sample_velocities);
    memset(velocities, 0, count * sizeof *velocities);
    for (size_t i = 0; status == WF_OK && i < wf_wind_count(wind); i++) {
        status = add_source(p, wf_wind_at(wind, i), obstacles, time, count, points, normals, velocities);
    }
    return status;
}

wf_status wf_wind_particles_velocities(wf_wind_particles *p, const wf_wind *wind, const wf_obstacles *obstacles,
                                       double time, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    return sample(p, wind, obstacles, time, count, points, NULL, velocities);
}

wf_status wf_wind_particles_face_velocities(wf_wind_particles *p, const wf_wind *wind, const wf_obstacles *obstacles,
                                            double time, size_t count, const wf_vec3 *centroids,
                                            const wf_vec3 *normals, wf_vec3 *velocities)
{
    return sample(p, wind, obstacles, time, count, centroids, normals, velocities);
}

/* ---- to look at -------------------------------------------------------------------------------------------------- */

wf_wind_particles_stats wf_wind_particles_statistics(const wf_wind_particles *p)
{
    return p->stats;
}

void wf_wind_particles_read(const wf_wind_particles *p, wf_vec3 *positions, float *shares, int32_t *sources)
{
    size_t first = 0;
    for (size_t i = 0; i < p->stream_count; i++) {
        const wf_particle_stream *s = &p->streams[i];
        if (positions && s->count > 0) {
            memcpy(positions + first, s->x, s->count * sizeof *positions);
        }
        if (shares && s->count > 0) {
            memcpy(shares + first, s->share, s->count * sizeof *shares);
        }
        for (size_t k = 0; sources && k < s->count; k++) {
            sources[first + k] = (int32_t)i;
        }
        first += s->count;
    }
}

uint64_t wf_wind_particles_hash(const wf_wind_particles *p, uint64_t hash)
{
    if (p->cells == 0) {
        return hash; /* there are none, whether room for them was made or not */
    }
    hash = wf_hash_bytes(hash, &p->grid.lower, sizeof p->grid.lower);
    for (size_t i = 0; i < p->stream_count; i++) {
        const wf_particle_stream *s = &p->streams[i];
        hash = wf_hash_bytes(hash, &s->clock, sizeof s->clock);
        hash = wf_hash_bytes(hash, s->x, s->count * sizeof *s->x);
        hash = wf_hash_bytes(hash, s->share, s->count * sizeof *s->share);
        for (size_t c = 0; s->records && c < p->cells; c++) {
            double share = wf_cell_share(p, s, (int32_t)c);
            hash = wf_hash_bytes(hash, &share, sizeof share);
        }
    }
    return hash;
}

wf_status wf_wind_particles_cells(const wf_wind_particles *p, const wf_wind *wind, size_t index, double time,
                                  double *shares, wf_vec3 *velocities)
{
    const wf_wind_source *source = wf_wind_at(wind, index);
    const wf_particle_stream *s = source ? stream_of(p, source) : NULL;
    for (size_t c = 0; c < p->cells; c++) {
        double share = s && s->records ? wf_cell_share(p, s, (int32_t)c) : 0;
        wf_vec3 middle = wf_cell_middle(&p->grid, (int32_t)c), wind_there = {0, 0, 0};
        if (velocities && share > 0) {
            wf_status status = wf_wind_source_add(source, time, 1, &middle, &wind_there);
            if (status != WF_OK) {
                return status;
            }
            wind_there = has_normal(&s->records[c]) ? stopped(&s->records[c], wind_there) : wind_there;
        }
        if (shares) {
            shares[c] = share;
        }
        if (velocities) {
            velocities[c] = wf_vec3_scale(wind_there, share);
        }
    }
    return WF_OK;
}
