/* grid.h - signed distances sampled on a grid, near the surface alone.
 *
 * Blocks of 8 x 8 x 8 cells are kept where the surface may be within the band; each has the samples that interpolation
 * in its cells asks for, those of the neighbours included. Elsewhere one sample for each corner of a block tells
 * about how far the surface is, and on which side.
 */
#ifndef WEFT_CONTACT_COLLIDERS_GRID_H
#define WEFT_CONTACT_COLLIDERS_GRID_H

#include "base/context.h"
#include "base/vector.h"

enum { WF_GRID_BLOCK = 8, WF_GRID_SIDE = WF_GRID_BLOCK + 3 };

typedef struct wf_distance_grid {
    wf_vec3 lower;      /* of the sample with index 0 in all directions, m */
    double cell;        /* m */
    int32_t blocks[3];
    int32_t *places;    /* [blocks] which of `samples`, or -1 */
    float *corners;     /* [blocks + 1 each way], m */
    float *samples;     /* [block_count][WF_GRID_SIDE^3] */
    int32_t block_count;
    bool cubic;         /* interpolated by cubics, else linearly */
    wf_vec3 inner_lower, inner_upper; /* what was sampled lies in this box: beyond the grid the distance is from it */
} wf_distance_grid;

/* Signed distances of `count` points, m. Called from many threads at once; must not allocate. */
typedef void wf_distance_source(void *user, size_t count, const wf_vec3 *points, double *distances);

typedef struct wf_distance_grid_def {
    wf_vec3 lower, upper; /* m: of what is sampled */
    double cell;          /* m */
    double band;          /* cells, at least 2 */
    bool cubic;
    wf_distance_source *source;
    void *user;
    wf_vec3 anchor;       /* m: some sample, or where one would be, is here */
} wf_distance_grid_def;

/* WF_ERROR_LIMIT: more than 1024 cells in a direction, or too many in all. */
wf_status wf_distance_grid_make(wf_context *context, const wf_distance_grid_def *def, wf_distance_grid *grid);
void wf_distance_grid_free(wf_context *context, wf_distance_grid *grid);
size_t wf_distance_grid_bytes(const wf_distance_grid *grid);

/* The interpolated distance, m, and its gradient as a unit vector. Cubics are those of Catmull and Rom (1974), whose
 * gradient is continuous, and is that of the distance; beside linear interpolation goes that of central differences.
 * Outside the band: no more than the distance. */
double wf_distance_grid_at(const wf_distance_grid *grid, wf_vec3 point, wf_vec3 *gradient);

#endif
