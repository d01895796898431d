/* wind_particles_private.h - what the files of the wind particles share. */
#ifndef WEFT_AIR_WIND_PARTICLES_PRIVATE_H
#define WEFT_AIR_WIND_PARTICLES_PRIVATE_H

#include "air/wind_particles.h"

enum {
    WF_TRACE_CHUNK = 8192,   /* points that are moved at once: what bounds the scratch */
    WF_TRACE_BLOCK = 128,    /* points of a task */
    WF_TRACE_CROSSINGS = 8   /* obstacles with a porosity, or with a wake, on one way back */
};

/* What a cell knows of one source. Times are in cells that the source's air has passed. */
typedef struct wf_cell_record {
    double last, first;      /* reached; and the first time since it was last forgotten. last < 0: never */
    float weight, share_sum; /* of what reached it, fading with age: the share is share_sum / weight */
    float normal[3];         /* of an obstacle that particles met here; 0: none */
    float normal_speed;      /* m/s: of that along its normal */
} wf_cell_record;

/* The air of one source. */
typedef struct wf_particle_stream {
    const wf_wind_source *source; /* held */
    double clock;            /* cells that its air has passed */
    double emission;         /* when it emits next */
    double speed;            /* m/s, of that clock */
    double passed;           /* cells in the present step */
    bool seen;               /* it is in the wind */
    bool fresh;              /* it has just come */
    wf_cell_record *records; /* [cells] */
    size_t count, x_room, share_room, radius_room;
    wf_vec3 *x;              /* [count] m */
    float *share;            /* [count] */
    float *radius;           /* [count] m: of the wake that it is in, grown with the distance; 0: in none */
} wf_particle_stream;

/* Something that is crossed on a way back, by its distance from where that began. */
typedef struct wf_crossing {
    double distance; /* m */
    float porosity, radius;
} wf_crossing;

typedef struct wf_way_back {
    int32_t cell;           /* where it begins */
    int8_t state;           /* wf_way_state */
    bool led;               /* the cell before the first was reached long enough ago */
    bool asked;             /* that is known */
    int8_t crossing_count;
    wf_vec3 x;              /* m: how far it is */
    double length, time;    /* m and s of the way */
    double share;           /* of where it ended */
    wf_crossing crossings[WF_TRACE_CROSSINGS];
} wf_way_back;

typedef enum wf_way_state { WF_WAY_ON, WF_WAY_ARRIVED, WF_WAY_BLOCKED, WF_WAY_ENDLESS } wf_way_state;

/* A mark that a particle leaves in a cell. */
typedef struct wf_cell_mark {
    int32_t cell;
    float share;
    float normal[3]; /* 0: it passes */
    float normal_speed;
} wf_cell_mark;

enum { WF_PIECE_MARKS = 8, WF_PIECE_CROSSINGS = 3 };

/* The way of a particle in a step. */
typedef struct wf_particle_path {
    wf_vec3 to_go;    /* m */
    double left;      /* of the step, 1 at its beginning */
    int8_t meetings;  /* with what stopped it */
    int8_t mark_count;
    bool done, ended;
    int8_t queries;
    wf_cell_mark marks[WF_PIECE_MARKS];
} wf_particle_path;

/* A copy of a stream, and room for its arrays, which are what `stream` has in others. */
typedef struct wf_kept_stream {
    wf_particle_stream stream;
    wf_cell_record *records;
    wf_vec3 *x;
    float *share, *radius;
    size_t record_room, x_room, share_room, radius_room;
} wf_kept_stream;

/* All that a step changes, as it was. */
typedef struct wf_kept_particles {
    bool has;
    wf_cell_grid grid;
    int64_t origin[3], steps;
    size_t cells, stream_count, made; /* streams that have room */
    wf_wind_particles_stats stats;
    uint8_t *marks;
    wf_kept_stream *streams;
    size_t mark_room, stream_room;
} wf_kept_particles;

struct wf_wind_particles {
    wf_context *context;
    wf_wind_particles_params params;
    wf_cell_grid grid;
    int64_t origin[3];       /* cells of the lattice through 0 that the grid begins at */
    uint8_t *marks;          /* [cells] an obstacle touches it */
    uint8_t *counts;         /* [cells] particles of one source, scratch */
    size_t cells, mark_room, count_room;
    wf_particle_stream *streams; /* in the order of the wind */
    size_t stream_count, stream_room;
    int64_t steps;
    wf_wind_particles_stats stats;
    wf_kept_particles kept;
    /* Scratch, [WF_TRACE_CHUNK]. */
    wf_vec3 *points, *velocities, *here;
    wf_particle_path *paths;
    wf_way_back *ways;
    int32_t *active;
    wf_vec3 *sample_velocities; /* [sample_room] of what is asked */
    size_t sample_room;
};

/* Cells from one emission to the next: no less than one step passes. */
static inline double wf_interval(const wf_wind_particles *p, const wf_particle_stream *s)
{
    return fmax(p->params.interval, s->passed);
}

/* Cells without a particle until a hole is looked for. */
static inline double wf_patience(const wf_wind_particles *p, const wf_particle_stream *s)
{
    return 1.25 * wf_interval(p, s);
}

/* Cells until a cell forgets: no less than it takes to find a hole, which is asked for twice an interval at least, and
 * until the particle that is put there moves. */
static inline double wf_expiry(const wf_wind_particles *p, const wf_particle_stream *s)
{
    double expiry = p->params.expiry > 0 ? p->params.expiry : 2 * p->params.interval + 2;
    return fmax(expiry, wf_patience(p, s) + fmax(0.5 * wf_interval(p, s), s->passed) + 1.5 * s->passed);
}

/* The number of the cell that holds a point; -1 outside of the grid. */
static inline int32_t wf_cell_at(const wf_cell_grid *g, wf_vec3 p)
{
    double i = floor((p.x - g->lower.x) / g->cell), j = floor((p.y - g->lower.y) / g->cell);
    double k = floor((p.z - g->lower.z) / g->cell);
    if (!(i >= 0 && j >= 0 && k >= 0 && i < g->nx && j < g->ny && k < g->nz)) {
        return -1;
    }
    return (int32_t)i + g->nx * ((int32_t)j + g->ny * (int32_t)k);
}

static inline wf_vec3 wf_cell_middle(const wf_cell_grid *g, int32_t cell)
{
    int32_t i = cell % g->nx, j = cell / g->nx % g->ny, k = cell / g->nx / g->ny;
    return wf_vec3_make(g->lower.x + (i + 0.5) * g->cell, g->lower.y + (j + 0.5) * g->cell,
                        g->lower.z + (k + 0.5) * g->cell);
}

static inline bool wf_cell_is_reached(const wf_wind_particles *p, const wf_particle_stream *s, int32_t cell)
{
    const wf_cell_record *r = &s->records[cell];
    return r->last >= 0 && s->clock - r->last <= wf_expiry(p, s);
}

static inline double wf_cell_share(const wf_wind_particles *p, const wf_particle_stream *s, int32_t cell)
{
    return wf_cell_is_reached(p, s, cell) ? s->records[cell].share_sum / s->records[cell].weight : 0;
}

/* What is missing after `distance` (m) more in a wake whose radius is *radius, which grows. */
static inline double wf_wake_share(double share, double wake, double distance, double *radius)
{
    double grown = *radius + wake * distance, part = grown > 0 ? *radius / grown : 0;
    *radius = grown;
    return 1 - (1 - share) * part * part;
}

/* The cells that a segment of at most a cell's length goes through, in order; at most 4. Those outside of the grid are
 * left out. */
int wf_cells_along(const wf_cell_grid *grid, wf_vec3 from, wf_vec3 to, int32_t cells[4]);

/* The share that arrives over a way back that ended where `share` of the air is. */
double wf_share_along(const wf_wind_particles *p, const wf_way_back *way, double share);

/* Notes what is crossed between two points of a way back, the first `length` (m) from its beginning. False: it is
 * blocked. Obstacles are where they are now. */
bool wf_cross_back(const wf_wind_particles *p, const wf_obstacles *obstacles, wf_vec3 from, wf_vec3 to, double length,
                   wf_way_back *way);

void wf_kept_particles_free(wf_wind_particles *p);

wf_status wf_stream_add(wf_wind_particles *p, wf_particle_stream *s, size_t more);

/* wind_particles_move.c: emits at the boundary; moves all particles of a stream and marks the cells; takes out those
 * that have ended or are too many. */
wf_status wf_stream_emit(wf_wind_particles *p, wf_particle_stream *s, double time);
wf_status wf_stream_move(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time,
                         double duration);

/* wind_particles_trace.c: holes that are to be filled; and cells that are new in the grid: those whose number in
 * `known` (NULL: none are) is 0. */
wf_status wf_stream_fill_holes(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time);
wf_status wf_stream_fill_new(wf_wind_particles *p, wf_particle_stream *s, const wf_obstacles *obstacles, double time,
                             const uint8_t *known);

#endif
