/* wind_particles_move.c - particles come in at the boundary, move, and mark the cells that they reach. */
#include <string.h>

#include "air/wind_particles_private.h"
#include "base/tasks.h"

enum { MOST_MEETINGS = 6 }; /* of a particle with what stops it, in a step */

int wf_cells_along(const wf_cell_grid *g, wf_vec3 from, wf_vec3 to, int32_t cells[4])
{
    const double a[3] = {(from.x - g->lower.x) / g->cell, (from.y - g->lower.y) / g->cell,
                         (from.z - g->lower.z) / g->cell};
    const double b[3] = {(to.x - g->lower.x) / g->cell, (to.y - g->lower.y) / g->cell, (to.z - g->lower.z) / g->cell};
    double at[3], part[3], goal[3];
    int axes[3], crossed = 0, count = 0;
    for (int k = 0; k < 3; k++) {
        at[k] = floor(a[k]);
        goal[k] = floor(b[k]);
        if (at[k] != goal[k]) {
            part[k] = ((goal[k] > at[k] ? at[k] + 1 : at[k]) - a[k]) / (b[k] - a[k]);
            int place = crossed++;
            for (; place > 0 && part[axes[place - 1]] > part[k]; place--) {
                axes[place] = axes[place - 1];
            }
            axes[place] = k;
        }
    }
    for (int i = 0; i <= crossed; i++) {
        if (i > 0) {
            at[axes[i - 1]] = goal[axes[i - 1]];
        }
        if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < g->nx && at[1] < g->ny && at[2] < g->nz) {
            cells[count++] = (int32_t)at[0] + g->nx * ((int32_t)at[1] + g->ny * (int32_t)at[2]);
        }
    }
    return count;
}

wf_status wf_stream_add(wf_wind_particles *p, wf_particle_stream *s, size_t more)
{
    wf_context *context = p->context;
    size_t needed = s->count + more;
    wf_status status = wf_reserve(context, &s->x, &s->x_room, needed, sizeof *s->x);
    if (status == WF_OK) {
        status = wf_reserve(context, &s->share, &s->share_room, needed, sizeof *s->share);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &s->radius, &s->radius_room, needed, sizeof *s->radius);
    }
    return status;
}

/* ---- emission ---------------------------------------------------------------------------------------------------- */

/* The places of a side of the grid where particles come in, between cells' edges and just inside. */
typedef struct side {
    wf_vec3 corner, along, across, inward;
    int32_t columns, rows;
} side;

static side side_of(const wf_wind_particles *p, int number)
{
    const wf_cell_grid *g = &p->grid;
    const int axis = number / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int32_t cells[3] = {g->nx, g->ny, g->nz};
    const double step = g->cell / p->params.per_side, inside = 1e-6 * g->cell;
    double corner[3] = {g->lower.x, g->lower.y, g->lower.z}, along[3] = {0}, across[3] = {0}, inward[3] = {0};
    inward[axis] = number % 2 ? -1 : 1;
    corner[axis] += number % 2 ? cells[axis] * g->cell - inside : inside;
    corner[u] += 0.5 * step;
    corner[v] += 0.5 * step;
    along[u] = step;
    across[v] = step;
    return (side){{corner[0], corner[1], corner[2]}, {along[0], along[1], along[2]}, {across[0], across[1], across[2]},
                  {inward[0], inward[1], inward[2]}, cells[u] * p->params.per_side, cells[v] * p->params.per_side};
}

/* Lets a chunk of a side's places emit where the air comes in. What only grazes a side gets no farther from it than
 * half a cell on its way through the grid. */
static wf_status emit_chunk(wf_wind_particles *p, wf_particle_stream *s, const side *from, double time, size_t count)
{
    const wf_cell_grid *g = &p->grid;
    const double grazing = 0.5 / fmax(fmax(g->nx, g->ny), g->nz);
    memset(p->velocities, 0, count * sizeof *p->velocities);
    wf_status status = wf_wind_source_add(s->source, time, count, p->points, p->velocities);
    if (status == WF_OK) {
        status = wf_stream_add(p, s, count);
    }
    for (size_t i = 0; status == WF_OK && i < count; i++) {
        double in = wf_vec3_dot(p->velocities[i], from->inward), speed = wf_vec3_norm(p->velocities[i]);
        if (in > grazing * speed && speed > 1e-6 * s->speed) {
            s->x[s->count] = p->points[i];
            s->share[s->count] = 1;
            s->radius[s->count] = 0;
            s->count++;
            p->stats.emitted++;
        }
    }
    return status;
}

wf_status wf_stream_emit(wf_wind_particles *p, wf_particle_stream *s, double time)
{
    wf_status status = WF_OK;
    for (int number = 0; number < 6; number++) {
        side from = side_of(p, number);
        int64_t places = (int64_t)from.columns * from.rows;
        for (int64_t first = 0; status == WF_OK && first < places; first += WF_TRACE_CHUNK) {
            int64_t rest = places - first;
            size_t count = rest < WF_TRACE_CHUNK ? (size_t)rest : WF_TRACE_CHUNK;
            for (size_t i = 0; i < count; i++) {
                int64_t place = first + (int64_t)i;
                wf_vec3 x = wf_vec3_muladds(from.corner, from.along, (double)(place % from.columns));
                p->points[i] = wf_vec3_muladds(x, from.across, (double)(place / from.columns));
            }
            status = emit_chunk(p, s, &from, time, count);
        }
    }
    return status;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

typedef struct movement {
    wf_wind_particles *p;
    wf_particle_stream *s;
    const wf_obstacles *obstacles;
    double duration;
    size_t first; /* particle of the chunk */
} movement;

static void add_marks(const movement *m, wf_particle_path *path, wf_vec3 from, wf_vec3 to, float share)
{
    int32_t cells[4];
    int count = wf_cells_along(&m->p->grid, from, to, cells);
    for (int i = 0; i < count && path->mark_count < WF_PIECE_MARKS; i++) {
        path->marks[path->mark_count++] = (wf_cell_mark){.cell = cells[i], .share = share};
    }
}

static bool may_meet(const movement *m, wf_vec3 from, wf_vec3 to)
{
    int32_t cells[4];
    int count = wf_cells_along(&m->p->grid, from, to, cells);
    for (int i = 0; i < count; i++) {
        if (m->p->marks[cells[i]]) {
            return true;
        }
    }
    return false;
}

/* The share of a particle after a distance: in a wake it grows. */
static void go_on(const movement *m, size_t i, double distance)
{
    if (m->s->radius[i] > 0) {
        double radius = m->s->radius[i], share = wf_wake_share(m->s->share[i], m->p->params.wake, distance, &radius);
        m->s->share[i] = (float)share;
        m->s->radius[i] = (float)radius;
    }
}

/* Notes in the last marked cell what the particle met: stopping takes from a wind what goes into the obstacle,
 * n'(n' . w - n' . v), with n' the shorter the more passes. */
static void mark_meeting(wf_particle_path *path, const wf_obstacle_hit *hit)
{
    if (path->mark_count > 0) {
        wf_cell_mark *mark = &path->marks[path->mark_count - 1];
        wf_vec3 n = wf_vec3_scale(hit->normal, sqrt(1 - hit->porosity));
        mark->normal[0] = (float)n.x;
        mark->normal[1] = (float)n.y;
        mark->normal[2] = (float)n.z;
        mark->normal_speed = (float)wf_vec3_dot(hit->velocity, n);
    }
}

/* At an obstacle that lets nothing through: the rest of the way goes along it, as it moves. */
static void slide_along(const movement *m, wf_particle_path *path, const wf_obstacle_hit *hit, wf_vec3 *x, wf_vec3 goal)
{
    wf_vec3 rest = wf_vec3_sub(goal, *x), n = hit->normal;
    double with_it = wf_vec3_dot(hit->velocity, n) * m->duration * path->left;
    wf_vec3 along = wf_vec3_muladds(rest, n, with_it - wf_vec3_dot(rest, n));
    *x = wf_vec3_muladds(*x, n, 1e-4 * m->p->grid.cell);
    path->to_go = along;
    path->meetings++;
    path->ended = !m->p->params.slide || path->meetings >= MOST_MEETINGS ||
                  !(wf_vec3_norm(along) > 1e-3 * wf_vec3_norm(rest));
}

/* Goes on by one piece of the way, at most a cell long. */
static void go_piece(const movement *m, size_t i, wf_particle_path *path)
{
    const double cell = m->p->grid.cell, wake = m->p->params.wake;
    wf_vec3 *x = &m->s->x[i], goal = wf_vec3_add(*x, path->to_go);
    double pieces = fmax(ceil(wf_vec3_norm(path->to_go) / cell - 1e-9), 1);
    wf_vec3 step = wf_vec3_scale(path->to_go, 1 / pieces), to = wf_vec3_add(*x, step);
    double left = pieces > 1 ? path->left * (1 - 1 / pieces) : 0;
    for (int crossing = 0; may_meet(m, *x, to); crossing++) {
        wf_obstacle_hit hit;
        path->queries++;
        if (!wf_obstacles_first_hit(m->obstacles, *x, to, 1 - path->left, 1 - left, &hit)) {
            break;
        }
        wf_vec3 at = hit.point;
        go_on(m, i, wf_vec3_distance(*x, at));
        add_marks(m, path, *x, at, m->s->share[i]);
        mark_meeting(path, &hit);
        path->left += (left - path->left) * hit.part;
        *x = at;
        if (crossing >= WF_PIECE_CROSSINGS || (m->s->share[i] * hit.porosity <= 0 && wake == 0)) {
            slide_along(m, path, &hit, x, goal);
            return;
        }
        m->s->share[i] *= (float)hit.porosity;
        m->s->radius[i] = wake > 0 ? (float)hit.radius : 0;
        *x = wf_vec3_muladds(at, hit.normal, -1e-6 * cell);
    }
    go_on(m, i, wf_vec3_distance(*x, to));
    add_marks(m, path, *x, to, m->s->share[i]);
    *x = to;
    path->left = left;
    path->to_go = wf_vec3_sub(goal, to);
    path->done = left == 0;
    path->ended = wf_cell_at(&m->p->grid, to) < 0;
}

static void go_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const movement *m = user;
    for (size_t k = begin; k < end; k++) {
        int32_t i = m->p->active[k];
        m->p->paths[i].mark_count = 0;
        m->p->paths[i].queries = 0;
        go_piece(m, m->first + (size_t)i, &m->p->paths[i]);
    }
}

static void leave_mark(const wf_wind_particles *p, wf_particle_stream *s, const wf_cell_mark *mark)
{
    wf_cell_record *r = &s->records[mark->cell];
    if (!wf_cell_is_reached(p, s, mark->cell)) {
        *r = (wf_cell_record){.first = s->clock, .last = s->clock};
    }
    float kept = (float)fmax(1 - (s->clock - r->last) / wf_expiry(p, s), 0);
    r->last = s->clock;
    r->weight = r->weight * kept + 1;
    r->share_sum = r->share_sum * kept + mark->share;
    if (mark->normal[0] != 0 || mark->normal[1] != 0 || mark->normal[2] != 0) {
        memcpy(r->normal, mark->normal, sizeof r->normal);
        r->normal_speed = mark->normal_speed;
    }
}

/* What each particle of the chunk is to go in the step, in p->velocities. */
static wf_status choose_ways(const movement *m, double time, size_t count)
{
    wf_wind_particles *p = m->p;
    const wf_vec3 *x = m->s->x + m->first;
    memset(p->velocities, 0, count * sizeof *p->velocities);
    wf_status status = wf_wind_source_add(m->s->source, time, count, x, p->velocities);
    if (status == WF_OK && p->params.scheme == WF_WIND_PARTICLES_MIDPOINT) {
        for (size_t i = 0; i < count; i++) {
            p->points[i] = wf_vec3_muladds(x[i], p->velocities[i], 0.5 * m->duration);
        }
        memset(p->velocities, 0, count * sizeof *p->velocities);
        status = wf_wind_source_add(m->s->source, time + 0.5 * m->duration, count, p->points, p->velocities);
    }
    return status;
}

/* Takes the particles that go on through their pieces together, piece by piece. */
static wf_status move_chunk(const movement *m, double time, size_t count)
{
    wf_wind_particles *p = m->p;
    wf_status status = choose_ways(m, time, count);
    size_t active = 0;
    for (size_t i = 0; status == WF_OK && i < count; i++) {
        wf_vec3 velocity = p->velocities[i];
        p->paths[i] = (wf_particle_path){.to_go = wf_vec3_scale(velocity, m->duration), .left = 1};
        /* What stands still brings nothing any more. */
        p->paths[i].ended = !(wf_vec3_norm(velocity) > 1e-6 * m->s->speed);
        if (!p->paths[i].ended) {
            p->active[active++] = (int32_t)i;
        }
    }
    while (status == WF_OK && active > 0) {
        wf_parallel_for(p->context, active, WF_TRACE_BLOCK, go_block, (void *)m);
        p->stats.pieces += (int64_t)active;
        size_t on = 0;
        for (size_t k = 0; k < active; k++) {
            const wf_particle_path *path = &p->paths[p->active[k]];
            for (int j = 0; j < path->mark_count; j++) {
                leave_mark(p, m->s, &path->marks[j]);
            }
            p->stats.queries += path->queries;
            if (!path->done && !path->ended) {
                p->active[on++] = p->active[k];
            }
        }
        active = on;
    }
    return status;
}

/* Keeps the particles of the chunk that go on, behind the `kept` ones of those before; a cell has room for so many. */
static size_t keep_particles(wf_wind_particles *p, wf_particle_stream *s, size_t first, size_t count, size_t kept)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = first + i;
        int32_t cell = p->paths[i].ended ? -1 : wf_cell_at(&p->grid, s->x[from]);
        if (cell < 0 || p->counts[cell] >= WF_WIND_PARTICLES_PER_CELL) {
            p->stats.ended++;
            continue;
        }
        p->counts[cell]++;
        s->x[kept] = s->x[from];
        s->share[kept] = s->share[from];
        s->radius[kept] = s->radius[from];
        kept++;
    }
    return kept;
}

wf_status wf_stream_move(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time,
                         double duration)
{
    wf_status status = WF_OK;
    size_t kept = 0;
    memset(p->counts, 0, p->cells);
    for (size_t first = 0; status == WF_OK && first < s->count; first += WF_TRACE_CHUNK) {
        size_t rest = s->count - first, count = rest < WF_TRACE_CHUNK ? rest : WF_TRACE_CHUNK;
        movement m = {.p = p, .s = s, .obstacles = obstacles, .duration = duration, .first = first};
        status = move_chunk(&m, time, count);
        if (status == WF_OK) {
            kept = keep_particles(p, s, first, count, kept);
        }
    }
    s->count = kept;
    return status;
}
