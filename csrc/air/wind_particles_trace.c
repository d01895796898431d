/* wind_particles_trace.c - ways back along the field: holes are told from lee, and cells that are new in the grid get
 * what would have come there. */
#include <string.h>

#include "air/wind_particles_private.h"
#include "base/tasks.h"

enum {
    CHECKS = 2,          /* of each cell in the time from one emission to the next */
    THOROUGH_CHECKS = 8  /* every so many of them: ways that nothing leads to are followed to their end */
};

/* Cells: so near to the place of a source is at it. Steps are as long, so that none leads past it to a cell on the
 * other side, which would wait for this one. */
static const double origin_radius = 1;

/* ---- what is crossed --------------------------------------------------------------------------------------------- */

bool wf_cross_back(const wf_wind_particles *p, const wf_obstacles *obstacles, wf_vec3 from, wf_vec3 to, double length,
                   wf_way_back *way)
{
    double whole = wf_vec3_distance(from, to);
    wf_obstacle_hit hit;
    while (wf_obstacles_first_hit(obstacles, from, to, 1, 1, &hit)) {
        if (hit.porosity <= 0 && p->params.wake == 0) {
            return false;
        }
        wf_vec3 at = hit.point;
        if (way->crossing_count == WF_TRACE_CROSSINGS) {
            return p->params.wake > 0; /* what is farther up has faded */
        }
        double distance = length + whole - wf_vec3_distance(at, to);
        way->crossings[way->crossing_count++] = (wf_crossing){distance, (float)hit.porosity, (float)hit.radius};
        from = wf_vec3_muladds(at, hit.normal, -1e-6 * p->grid.cell);
        if (wf_vec3_dot(wf_vec3_sub(to, from), hit.normal) >= 0) {
            break; /* the end is on the face */
        }
    }
    return true;
}

double wf_share_along(const wf_wind_particles *p, const wf_way_back *way, double share)
{
    double radius = 0;
    for (int i = way->crossing_count - 1; i >= 0; i--) {
        const wf_crossing *c = &way->crossings[i];
        share *= c->porosity;
        radius = p->params.wake > 0 ? c->radius : 0;
        double next = i > 0 ? way->crossings[i - 1].distance : 0;
        share = radius > 0 ? wf_wake_share(share, p->params.wake, c->distance - next, &radius) : share;
    }
    return share;
}

/* ---- ways back --------------------------------------------------------------------------------------------------- */

typedef struct trace {
    wf_wind_particles *p;
    const wf_particle_stream *s;
    const wf_obstacles *obstacles;
    const uint8_t *known;     /* cells at which a way ends, where those that are new are filled */
    bool new_cells, thorough;
    bool has_origin;
    wf_vec3 origin;
    const int32_t *active;
    const wf_vec3 *velocities; /* of the active ones, halfway */
} trace;

/* Whether a cell was reached so long ago that its air is at the beginning of the way by now. */
static bool leads(const trace *t, int32_t cell, double time)
{
    const wf_wind_particles *p = t->p;
    return wf_cell_is_reached(p, t->s, cell) &&
           t->s->clock - t->s->records[cell].first >= time * t->s->speed / p->grid.cell;
}

static void arrive(wf_way_back *way)
{
    way->led = way->led || !way->asked;
    way->state = WF_WAY_ARRIVED;
}

/* What the new place of a way means. */
static void judge(const trace *t, wf_way_back *way)
{
    const wf_wind_particles *p = t->p;
    int32_t cell = wf_cell_at(&p->grid, way->x);
    if (cell < 0) {
        arrive(way);
        return;
    }
    if (t->known && t->known[cell]) {
        way->share = wf_cell_share(p, t->s, cell);
        way->led = true;
        way->state = wf_cell_is_reached(p, t->s, cell) ? WF_WAY_ARRIVED : WF_WAY_BLOCKED;
        return;
    }
    if (!way->asked && cell != way->cell) {
        way->asked = true;
        way->led = t->new_cells || leads(t, cell, way->time);
        if (!way->led && !t->thorough) {
            way->state = WF_WAY_BLOCKED;
        }
    }
}

/* Goes to a place at most a cell upstream; false where the way is blocked. */
static bool go_to(const trace *t, wf_way_back *way, wf_vec3 to)
{
    const wf_wind_particles *p = t->p;
    int32_t cells[4];
    int count = wf_cells_along(&p->grid, way->x, to, cells);
    bool near = false;
    for (int i = 0; i < count; i++) {
        near = near || p->marks[cells[i]];
    }
    if (near && !wf_cross_back(p, t->obstacles, way->x, to, way->length, way)) {
        way->state = WF_WAY_BLOCKED;
        return false;
    }
    way->x = to;
    return true;
}

/* Goes on by a cell against the velocities here and half a cell upstream. */
static void go_back(const trace *t, wf_way_back *way, wf_vec3 here, wf_vec3 velocity)
{
    const wf_wind_particles *p = t->p;
    double speed = wf_vec3_norm(velocity), cell = p->grid.cell;
    wf_vec3 from_origin = wf_vec3_sub(way->x, t->origin);
    if (t->has_origin && wf_vec3_norm(from_origin) <= origin_radius * cell && wf_vec3_dot(from_origin, here) > 0) {
        if (go_to(t, way, t->origin)) { /* the air comes out of it */
            arrive(way);
        }
        return;
    }
    if (!(speed > 1e-9 * t->s->speed)) { /* the air comes from here */
        arrive(way);
        return;
    }
    if (!go_to(t, way, wf_vec3_muladds(way->x, velocity, -cell / speed))) {
        return;
    }
    way->length += cell;
    way->time += cell / speed;
    judge(t, way);
}

static void go_back_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const trace *t = user;
    for (size_t k = begin; k < end; k++) {
        go_back(t, &t->p->ways[t->active[k]], t->p->here[k], t->velocities[k]);
    }
}

/* The velocities of the active ways, in p->here, and half a cell upstream of them. */
static wf_status find_velocities(wf_wind_particles *p, const wf_particle_stream *s, double time, size_t active)
{
    for (size_t k = 0; k < active; k++) {
        p->points[k] = p->ways[p->active[k]].x;
    }
    memset(p->velocities, 0, active * sizeof *p->velocities);
    wf_status status = wf_wind_source_add(s->source, time, active, p->points, p->velocities);
    memcpy(p->here, p->velocities, active * sizeof *p->here);
    for (size_t k = 0; k < active; k++) {
        double speed = wf_vec3_norm(p->velocities[k]);
        if (speed > 1e-9 * s->speed) {
            p->points[k] = wf_vec3_muladds(p->points[k], p->velocities[k], -0.5 * p->grid.cell / speed);
        }
    }
    if (status == WF_OK) {
        memset(p->velocities, 0, active * sizeof *p->velocities);
        status = wf_wind_source_add(s->source, time, active, p->points, p->velocities);
    }
    return status;
}

/* Follows p->ways[count], all the same number of cells at a time. */
static wf_status follow(trace *t, double time, size_t count)
{
    wf_wind_particles *p = t->p;
    int32_t longest = 2 * (p->grid.nx + p->grid.ny + p->grid.nz);
    size_t active = count;
    for (size_t i = 0; i < count; i++) {
        p->active[i] = (int32_t)i;
    }
    t->active = p->active;
    t->velocities = p->velocities;
    wf_status status = WF_OK;
    for (int32_t round = 0; status == WF_OK && active > 0 && round < longest; round++) {
        status = find_velocities(p, t->s, time, active);
        if (status == WF_OK) {
            wf_parallel_for(p->context, active, WF_TRACE_BLOCK, go_back_block, t);
        }
        size_t on = 0;
        for (size_t k = 0; k < active; k++) {
            p->active[on] = p->active[k];
            on += p->ways[p->active[k]].state == WF_WAY_ON;
        }
        active = on;
    }
    for (size_t k = 0; k < active; k++) {
        p->ways[p->active[k]].state = WF_WAY_ENDLESS;
    }
    return status;
}

/* Gives each cell to which a way leads a particle in its middle. */
static wf_status settle(trace *t, wf_particle_stream *s, size_t count)
{
    wf_wind_particles *p = t->p;
    wf_status status = wf_stream_add(p, s, count);
    for (size_t i = 0; status == WF_OK && i < count; i++) {
        const wf_way_back *way = &p->ways[i];
        bool endless = way->state == WF_WAY_ENDLESS;
        if (!(endless || (way->state == WF_WAY_ARRIVED && way->led))) {
            continue;
        }
        double share = wf_share_along(p, way, way->share);
        s->x[s->count] = wf_cell_middle(&p->grid, way->cell);
        s->share[s->count] = (float)share;
        s->radius[s->count] = 0;
        if (way->crossing_count > 0 && p->params.wake > 0) {
            s->radius[s->count] = way->crossings[0].radius + (float)(p->params.wake * way->crossings[0].distance);
        }
        s->count++;
        p->stats.filled++;
        if (t->new_cells) { /* as if it had always been so */
            s->records[way->cell] = (wf_cell_record){.last = s->clock, .first = s->clock - 1e9, .weight = 1,
                                                     .share_sum = (float)share};
        }
    }
    return status;
}

static wf_status follow_and_settle(trace *t, wf_particle_stream *s, double time, size_t *count)
{
    wf_status status = *count > 0 ? follow(t, time, *count) : WF_OK;
    if (status == WF_OK && *count > 0) {
        status = settle(t, s, *count);
    }
    *count = 0;
    return status;
}

static trace begin(wf_wind_particles *p, const wf_particle_stream *s, const wf_obstacles *obstacles)
{
    trace t = {.p = p, .s = s, .obstacles = obstacles};
    t.has_origin = wf_wind_source_position(s->source, &t.origin);
    return t;
}

static void add_way(wf_wind_particles *p, size_t *count, int32_t cell)
{
    p->ways[(*count)++] = (wf_way_back){.cell = cell, .x = wf_cell_middle(&p->grid, cell), .share = 1};
}

/* ---- who is asked ------------------------------------------------------------------------------------------------ */

/* Whether a neighbour of the cell was reached, or it lies at the boundary. */
static bool has_reached_neighbour(const wf_wind_particles *p, const wf_particle_stream *s, int32_t cell)
{
    const int32_t size[3] = {p->grid.nx, p->grid.ny, p->grid.nz}, step[3] = {1, p->grid.nx, p->grid.nx * p->grid.ny};
    int32_t at[3] = {cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1]};
    for (int k = 0; k < 3; k++) {
        if (at[k] == 0 || at[k] == size[k] - 1 || wf_cell_is_reached(p, s, cell - step[k]) ||
            wf_cell_is_reached(p, s, cell + step[k])) {
            return true;
        }
    }
    return false;
}

wf_status wf_stream_fill_holes(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time)
{
    /* The cells take turns, so that each is asked several times before it forgets. */
    double interval = wf_interval(p, s);
    int32_t turns = (int32_t)fmin(fmax(floor(interval / (CHECKS * s->passed)), 1), 1024);
    int32_t turn = (int32_t)(p->steps % turns);
    int64_t round = p->steps / turns;
    trace t = begin(p, s, obstacles);
    wf_status status = WF_OK;
    size_t count[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        t.thorough = pass == 1;
        for (int32_t cell = turn; status == WF_OK && cell < (int32_t)p->cells; cell += turns) {
            const wf_cell_record *r = &s->records[cell];
            bool thorough = (round + cell / turns) % THOROUGH_CHECKS == 0 &&
                            !wf_wind_source_is_uniform(s->source);
            bool missed = !(r->last >= 0 && s->clock - r->last <= wf_patience(p, s));
            if (missed && thorough == t.thorough && (thorough || has_reached_neighbour(p, s, cell))) {
                add_way(p, &count[pass], cell);
            }
            if (count[pass] == WF_TRACE_CHUNK) {
                status = follow_and_settle(&t, s, time, &count[pass]);
            }
        }
        if (status == WF_OK) {
            status = follow_and_settle(&t, s, time, &count[pass]);
        }
    }
    return status;
}

wf_status wf_stream_fill_new(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time,
                             const uint8_t *known)
{
    trace t = begin(p, s, obstacles);
    t.known = known;
    t.new_cells = true;
    wf_status status = WF_OK;
    size_t count = 0;
    for (int32_t cell = 0; status == WF_OK && cell < (int32_t)p->cells; cell++) {
        if (!known || !known[cell]) {
            add_way(p, &count, cell);
        }
        if (count == WF_TRACE_CHUNK) {
            status = follow_and_settle(&t, s, time, &count);
        }
    }
    return status == WF_OK ? follow_and_settle(&t, s, time, &count) : status;
}
