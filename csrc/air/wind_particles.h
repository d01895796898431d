/* wind_particles.h - wind only where air has come from: particles carry the air of each source, and what stands in
 * their way throws a lee (Keckeisen 2005, section 2.5.3; E24 of the reference, with its corrections).
 *
 * A grid of cubes is laid around the scene. Each source has particles of its own, that enter where its field points
 * into the grid, and move with its field alone: p' = p + h w(p, t), by the midpoint rule or by Euler's, in pieces no
 * longer than a cell. Every cell on the way remembers for this source when it was last reached, and by which share of
 * the air. A particle that meets cloth, a body, a collider or the floor goes on with the share that its porosity lets
 * through; where that is nothing it slides along, or stops. The wind at a place is the sum of w_i times the share with
 * which source i reached its cell: 0 where no particle of it came.
 *
 * - Memory: a cell forgets after `expiry` cells' lengths that the air of the source has travelled since, so that a lee
 *   appears behind what comes in later. Time is counted in cells that the source's air passes, not in seconds: wind
 *   that dies down and rises again finds its cells as they were.
 * - No holes: particles that fields drive apart leave cells between them. A cell that was not reached for longer than
 *   an emission takes is traced back along the field, and gets a particle of its own where the way is free all the way
 *   to where air comes from (the boundary of the grid, the source's place, the end of its extent, or nowhere: an eddy)
 *   and the cell before it was reached long enough ago for air to have come on from there. So each cell to which the
 *   field brings air is reached at least once per expiry, whatever the field; and nothing grows with stretching: a cell
 *   holds at most WF_WIND_PARTICLES_PER_CELL of a source.
 * - Thin cloth: cells that an obstacle touches tell nothing of their sides. What is asked there goes straight back
 *   against the wind to the first cell that nothing touches, and is sheltered by what is crossed.
 * - Wakes: with `wake` = k above 0 air is mixed into the lee: behind an obstacle that hides a disc of radius r the
 *   missing share falls with the distance x as (r / (r + k x))^2 (N. O. Jensen 1983, I. Katic et al. 1986; k = 0.075
 *   over land, 0.04 to 0.05 over water). With 0 a lee has no end.
 *
 * The work is linear in particles times pieces. The same bits for any number of threads.
 */
#ifndef WEFT_AIR_WIND_PARTICLES_H
#define WEFT_AIR_WIND_PARTICLES_H

#include "air/obstacles.h"
#include "air/wind.h"

enum { WF_WIND_PARTICLES_PER_CELL = 6 };

typedef enum wf_wind_particle_scheme { WF_WIND_PARTICLES_MIDPOINT, WF_WIND_PARTICLES_EULER } wf_wind_particle_scheme;

typedef struct wf_wind_particles_params {
    double cell;       /* m, 1e-4 to 1e4; 0 (default): 1/32 of the longest side of the scene, taken anew when that is
                        * more than 128 or less than 8 cells */
    double margin;     /* cells of air around the scene, 1 to 64; default 3 */
    bool placed;       /* false: the grid follows the scene; true: it is between these corners */
    wf_vec3 lower, upper;
    int per_side;      /* particles along each side of a boundary cell, 1 to 4; default 2 */
    double interval;   /* cells that air passes between two emissions, 0.25 to 64; default 3 */
    double expiry;     /* cells that air passes until a cell forgets, > interval + 1 and to 1e6; 0 (default): 2 interval
                        * + 2. No less counts than it takes to find a hole: some 1.75 intervals and 2.5 steps */
    bool slide;        /* default true */
    double wake;       /* k above, 0 to 1; default 0 */
    bool filled;       /* a new source is at once everywhere where its air comes; default false: it has to come */
    wf_wind_particle_scheme scheme; /* default midpoint */
    double memory;     /* bytes that grid and particles may take; default 2^30 */
} wf_wind_particles_params;

wf_wind_particles_params wf_default_wind_particles_params(void);

typedef struct wf_wind_particles wf_wind_particles;

/* WF_ERROR_ARGUMENT names what is out of range. */
wf_status wf_wind_particles_create(wf_context *context, const wf_wind_particles_params *params,
                                   wf_wind_particles **particles);
void wf_wind_particles_destroy(wf_wind_particles *particles); /* NULL is allowed */

/* Takes other parameters; forgets all particles and cells unless they are the same. */
wf_status wf_wind_particles_set_params(wf_wind_particles *particles, const wf_wind_particles_params *params);
wf_wind_particles_params wf_wind_particles_get_params(const wf_wind_particles *particles);

/* Forgets all particles and cells. */
void wf_wind_particles_reset(wf_wind_particles *particles);

/* Lets the air move for `duration` (s, > 0) from `time` on, through obstacles that moved meanwhile to where they are:
 * lays the grid, takes up new sources and drops those that are gone, emits, moves, and looks for holes. The wind must
 * be prepared (wf_wind_prepare). On failure the wind particles are forgotten. WF_ERROR_LIMIT: a grid that takes more
 * memory than it may, or cells larger than the scene; WF_ERROR_MEMORY. Allocates nothing while grid and sources stay,
 * unless particles become more. */
wf_status wf_wind_particles_advance(wf_wind_particles *particles, const wf_wind *wind, const wf_obstacles *obstacles,
                                    double time, double duration);

/* Keeps all as it is; then forgets what was kept, or takes it `back` if anything was, which cannot fail.
 * WF_ERROR_MEMORY; allocates as wf_wind_particles_advance does. */
wf_status wf_wind_particles_keep(wf_wind_particles *particles);
void wf_wind_particles_let_go(wf_wind_particles *particles, bool back);

/* The wind (m/s) at points (m) at a time; overwrites. Where a cell was left by particles that met an obstacle, what
 * goes into that is taken from it: u = w - (n . (w - v)) n (Keckeisen 2005). Beyond the grid the nearest cell counts;
 * without one (nothing is in the way) all air arrives. The obstacles are those of the last advance. */
wf_status wf_wind_particles_velocities(wf_wind_particles *particles, const wf_wind *wind,
                                       const wf_obstacles *obstacles, double time, size_t count,
                                       const wf_vec3 *points, wf_vec3 *velocities);

/* The same at the middles of faces of cloth, for the force on them: the wind that comes at the face, on the side from
 * which each source blows, before the face stops it. The faces must be where the obstacles are, or they would stand in
 * their own lee. `normals` [count] are of length 1, of either sign. */
wf_status wf_wind_particles_face_velocities(wf_wind_particles *particles, const wf_wind *wind,
                                            const wf_obstacles *obstacles, double time, size_t count,
                                            const wf_vec3 *centroids, const wf_vec3 *normals, wf_vec3 *velocities);

/* ---- to look at -------------------------------------------------------------------------------------------------- */

typedef struct wf_wind_particles_stats {
    wf_cell_grid grid;    /* 0 cells while there is none */
    size_t particles;
    int64_t emitted, filled, ended; /* of the last advance: at the boundary, in holes, and those that are gone */
    int64_t pieces;       /* of ways */
    int64_t queries;      /* of obstacles along them */
    int64_t reached;      /* cells of all sources that are */
    double bytes;
} wf_wind_particles_stats;

wf_wind_particles_stats wf_wind_particles_statistics(const wf_wind_particles *particles);

/* All particles, source by source, [stats.particles] each; NULL for what is not wanted. Shares are from 0 to 1. */
void wf_wind_particles_read(const wf_wind_particles *particles, wf_vec3 *positions, float *shares, int32_t *sources);

/* Takes the particles and cells into a hash of a state. */
uint64_t wf_wind_particles_hash(const wf_wind_particles *particles, uint64_t hash);

/* What the cells hold of source `index` of the wind, by number: the share, 0 where it did not come, and 1 where the
 * whole air did; and its velocity there (m/s), stopped by obstacles as above. Either may be NULL. */
wf_status wf_wind_particles_cells(const wf_wind_particles *particles, const wf_wind *wind, size_t index, double time,
                                  double *shares, wf_vec3 *velocities);

#endif
