/* grid.c - sampled distances; see grid.h. */
#include "contact/colliders/grid.h"

#include <string.h>

#include "base/tasks.h"

enum { SAMPLES = WF_GRID_SIDE * WF_GRID_SIDE * WF_GRID_SIDE, LARGEST_CELLS = 1024, LARGEST_BLOCKS = 1 << 16 };

/* Cells: half the diagonal of a block, rounded up. */
#define HALF_DIAGONAL 7.0

/* ---- making ------------------------------------------------------------------------------------------------------ */

static size_t corner_count(const wf_distance_grid *grid)
{
    return (size_t)(grid->blocks[0] + 1) * (size_t)(grid->blocks[1] + 1) * (size_t)(grid->blocks[2] + 1);
}

static size_t place_count(const wf_distance_grid *grid)
{
    return (size_t)grid->blocks[0] * (size_t)grid->blocks[1] * (size_t)grid->blocks[2];
}

static wf_vec3 sample_point(const wf_distance_grid *grid, int32_t i, int32_t j, int32_t k)
{
    return wf_vec3_add(grid->lower, wf_vec3_scale(wf_vec3_make(i, j, k), grid->cell));
}

static size_t corner_index(const wf_distance_grid *grid, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)(grid->blocks[1] + 1) + (size_t)j) * (size_t)(grid->blocks[0] + 1) + (size_t)i;
}

typedef struct filling {
    wf_distance_grid *grid;
    const wf_distance_grid_def *def;
    const int32_t *list; /* of places, that have samples */
} filling;

/* One row of corners along x. */
static void fill_corners(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const filling *fill = user;
    const wf_distance_grid *grid = fill->grid;
    int32_t columns = grid->blocks[0] + 1, rows = grid->blocks[1] + 1;
    for (size_t row = begin; row < end; row++) {
        int32_t j = (int32_t)(row % (size_t)rows), k = (int32_t)(row / (size_t)rows);
        for (int32_t i = 0; i < columns; i++) {
            wf_vec3 point = sample_point(grid, i * WF_GRID_BLOCK, j * WF_GRID_BLOCK, k * WF_GRID_BLOCK);
            double distance;
            fill->def->source(fill->def->user, 1, &point, &distance);
            grid->corners[corner_index(grid, i, j, k)] = (float)distance;
        }
    }
}

/* The samples of a block in an order in which each is next to the one before: to and fro along the rows, and the rows
 * to and fro. */
static void order_samples(int32_t order[SAMPLES])
{
    for (int32_t n = 0; n < SAMPLES; n++) {
        int32_t i = n % WF_GRID_SIDE, row = n / WF_GRID_SIDE, j = row % WF_GRID_SIDE, k = row / WF_GRID_SIDE;
        i = row % 2 ? WF_GRID_SIDE - 1 - i : i;
        j = k % 2 ? WF_GRID_SIDE - 1 - j : j;
        order[n] = (k * WF_GRID_SIDE + j) * WF_GRID_SIDE + i;
    }
}

static void fill_samples(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const filling *fill = user;
    const wf_distance_grid *grid = fill->grid;
    int32_t order[SAMPLES];
    order_samples(order);
    for (size_t b = begin; b < end; b++) {
        int32_t place = fill->list[b];
        int32_t i0 = place % grid->blocks[0], rest = place / grid->blocks[0];
        int32_t j0 = rest % grid->blocks[1], k0 = rest / grid->blocks[1];
        wf_vec3 points[SAMPLES];
        double distances[SAMPLES];
        for (int32_t n = 0; n < SAMPLES; n++) {
            int32_t i = order[n] % WF_GRID_SIDE, row = order[n] / WF_GRID_SIDE;
            int32_t j = row % WF_GRID_SIDE, k = row / WF_GRID_SIDE;
            points[n] = sample_point(grid, i0 * WF_GRID_BLOCK + i - 1, j0 * WF_GRID_BLOCK + j - 1,
                                     k0 * WF_GRID_BLOCK + k - 1);
        }
        fill->def->source(fill->def->user, SAMPLES, points, distances);
        for (int32_t n = 0; n < SAMPLES; n++) {
            grid->samples[b * SAMPLES + (size_t)order[n]] = (float)distances[n];
        }
    }
}

/* Which blocks the band may reach: some corner is at most half a diagonal from what it reaches, all a whole one. */
static int32_t choose_blocks(wf_distance_grid *grid, const wf_distance_grid_def *def, int32_t *list)
{
    double near = (def->band + 2 * HALF_DIAGONAL) * def->cell;
    int32_t count = 0, place = 0;
    for (int32_t k = 0; k < grid->blocks[2]; k++) {
        for (int32_t j = 0; j < grid->blocks[1]; j++) {
            for (int32_t i = 0; i < grid->blocks[0]; i++, place++) {
                double least = INFINITY, farthest = 0;
                for (int c = 0; c < 8; c++) {
                    double d = fabs(grid->corners[corner_index(grid, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))]);
                    least = fmin(least, d);
                    farthest = fmax(farthest, d);
                }
                bool reached = farthest <= near && least <= (def->band + HALF_DIAGONAL) * def->cell;
                grid->places[place] = reached ? count : -1;
                list[count] = place;
                count += reached;
            }
        }
    }
    return count;
}

static wf_status lay_out(wf_context *context, const wf_distance_grid_def *def, wf_distance_grid *grid)
{
    double margin = (def->band + 1) * def->cell;
    wf_vec3 extent = wf_vec3_sub(def->upper, def->lower);
    const double sides[3] = {extent.x, extent.y, extent.z};
    for (int a = 0; a < 3; a++) {
        double cells = ceil((sides[a] + 2 * margin) / def->cell);
        if (!(cells <= LARGEST_CELLS)) {
            return wf_fail(context, WF_ERROR_LIMIT, "cells of %g m make %.0f in a direction; at most %d can be",
                           def->cell, cells, LARGEST_CELLS);
        }
        grid->blocks[a] = (int32_t)ceil(cells / WF_GRID_BLOCK);
    }
    wf_vec3 middle = wf_vec3_lerp(def->lower, def->upper, 0.5);
    wf_vec3 size = wf_vec3_make(grid->blocks[0], grid->blocks[1], grid->blocks[2]);
    wf_vec3 lower = wf_vec3_muladds(middle, size, -0.5 * WF_GRID_BLOCK * def->cell);
    wf_vec3 steps = wf_vec3_scale(wf_vec3_sub(lower, def->anchor), 1 / def->cell);
    steps = wf_vec3_make(round(steps.x), round(steps.y), round(steps.z));
    grid->lower = wf_vec3_muladds(def->anchor, steps, def->cell);
    grid->cell = def->cell;
    grid->cubic = def->cubic;
    grid->inner_lower = def->lower;
    grid->inner_upper = def->upper;
    return WF_OK;
}

static wf_status fill_grid(wf_context *context, const wf_distance_grid_def *def, wf_distance_grid *grid)
{
    grid->places = wf_allocate(context, place_count(grid), sizeof *grid->places);
    grid->corners = wf_allocate(context, corner_count(grid), sizeof *grid->corners);
    int32_t *list = wf_allocate(context, place_count(grid) + 1, sizeof *list);
    wf_status status = grid->places && grid->corners && list ? WF_OK : WF_ERROR_MEMORY;
    filling fill = {grid, def, list};
    if (status == WF_OK) {
        size_t rows = (size_t)(grid->blocks[1] + 1) * (size_t)(grid->blocks[2] + 1);
        wf_parallel_for(context, rows, 1, fill_corners, &fill);
        grid->block_count = choose_blocks(grid, def, list);
        if (grid->block_count > LARGEST_BLOCKS) {
            status = wf_fail(context, WF_ERROR_LIMIT, "cells of %g m make %lld samples; take larger ones", def->cell,
                             (long long)grid->block_count * SAMPLES);
        }
    }
    if (status == WF_OK) {
        grid->samples = wf_allocate(context, (size_t)grid->block_count * SAMPLES, sizeof *grid->samples);
        status = grid->samples ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status == WF_OK) {
        wf_parallel_for(context, (size_t)grid->block_count, 1, fill_samples, &fill);
    }
    wf_free(context, list);
    return status;
}

wf_status wf_distance_grid_make(wf_context *context, const wf_distance_grid_def *def, wf_distance_grid *grid)
{
    *grid = (wf_distance_grid){0};
    wf_status status = lay_out(context, def, grid);
    if (status == WF_OK) {
        status = fill_grid(context, def, grid);
    }
    if (status != WF_OK) {
        wf_distance_grid_free(context, grid);
    }
    return status;
}

void wf_distance_grid_free(wf_context *context, wf_distance_grid *grid)
{
    wf_free(context, grid->places);
    wf_free(context, grid->corners);
    wf_free(context, grid->samples);
    *grid = (wf_distance_grid){0};
}

size_t wf_distance_grid_bytes(const wf_distance_grid *grid)
{
    return place_count(grid) * sizeof *grid->places + corner_count(grid) * sizeof *grid->corners +
           (size_t)grid->block_count * SAMPLES * sizeof *grid->samples;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Beyond the grid: from the box of what was sampled, which is nearer than that. */
static double box_distance(const wf_distance_grid *grid, wf_vec3 p, wf_vec3 *gradient)
{
    wf_vec3 l = grid->inner_lower, u = grid->inner_upper;
    wf_vec3 nearest = wf_vec3_make(fmax(fmin(p.x, u.x), l.x), fmax(fmin(p.y, u.y), l.y), fmax(fmin(p.z, u.z), l.z));
    wf_vec3 way = wf_vec3_sub(p, nearest);
    *gradient = wf_vec3_normalize(way);
    return wf_vec3_norm(way);
}

/* Weights of the four samples around a cell for the value and for its slope, per cell. */
static void weights_of(bool cubic, double t, double value[4], double slope[4])
{
    if (!cubic) {
        value[0] = value[3] = 0;
        value[1] = 1 - t;
        value[2] = t;
        slope[0] = -0.5 * (1 - t); /* central differences at both ends, interpolated */
        slope[1] = -0.5 * t;
        slope[2] = 0.5 * (1 - t);
        slope[3] = 0.5 * t;
        return;
    }
    double t2 = t * t, t3 = t2 * t;
    value[0] = 0.5 * (-t3 + 2 * t2 - t);
    value[1] = 0.5 * (3 * t3 - 5 * t2 + 2);
    value[2] = 0.5 * (-3 * t3 + 4 * t2 + t);
    value[3] = 0.5 * (t3 - t2);
    slope[0] = 0.5 * (-3 * t2 + 4 * t - 1);
    slope[1] = 0.5 * (9 * t2 - 10 * t);
    slope[2] = 0.5 * (-9 * t2 + 8 * t + 1);
    slope[3] = 0.5 * (3 * t2 - 2 * t);
}

/* `first`: the first of the 4 x 4 x 4 samples around the cell. */
static double interpolate(const float *first, bool cubic, const double t[3], wf_vec3 *gradient)
{
    double value[3][4], slope[3][4], sum = 0;
    for (int a = 0; a < 3; a++) {
        weights_of(cubic, t[a], value[a], slope[a]);
    }
    wf_vec3 g = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        double plane = 0, plane_x = 0, plane_y = 0;
        for (int j = 0; j < 4; j++) {
            const float *s = first + (k * WF_GRID_SIDE + j) * WF_GRID_SIDE;
            double row = value[0][0] * s[0] + value[0][1] * s[1] + value[0][2] * s[2] + value[0][3] * s[3];
            double row_x = slope[0][0] * s[0] + slope[0][1] * s[1] + slope[0][2] * s[2] + slope[0][3] * s[3];
            plane += value[1][j] * row;
            plane_x += value[1][j] * row_x;
            plane_y += slope[1][j] * row;
        }
        sum += value[2][k] * plane;
        g = wf_vec3_add(g, wf_vec3_make(value[2][k] * plane_x, value[2][k] * plane_y, slope[2][k] * plane));
    }
    *gradient = wf_vec3_normalize(g);
    return sum;
}

/* From the corners of a block that the band does not reach: never more than the distance. */
static double far_distance(const wf_distance_grid *grid, const int32_t block[3], const double t[3], wf_vec3 *gradient)
{
    double sum = 0;
    wf_vec3 g = {0, 0, 0};
    for (int c = 0; c < 8; c++) {
        int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        double d = grid->corners[corner_index(grid, block[0] + x, block[1] + y, block[2] + z)];
        double wx = x ? t[0] : 1 - t[0], wy = y ? t[1] : 1 - t[1], wz = z ? t[2] : 1 - t[2];
        sum += wx * wy * wz * d;
        g = wf_vec3_add(g, wf_vec3_make((x ? d : -d) * wy * wz, (y ? d : -d) * wx * wz, (z ? d : -d) * wx * wy));
    }
    *gradient = wf_vec3_normalize(g);
    double least = fmax(fabs(sum) - HALF_DIAGONAL * grid->cell, grid->cell);
    return sum < 0 ? -least : least;
}

double wf_distance_grid_at(const wf_distance_grid *grid, wf_vec3 point, wf_vec3 *gradient)
{
    const double at[3] = {(point.x - grid->lower.x) / grid->cell, (point.y - grid->lower.y) / grid->cell,
                          (point.z - grid->lower.z) / grid->cell};
    int32_t block[3];
    double within[3]; /* cells from the block's first corner */
    for (int a = 0; a < 3; a++) {
        if (!(at[a] >= 0 && at[a] < (double)grid->blocks[a] * WF_GRID_BLOCK)) {
            return box_distance(grid, point, gradient);
        }
        block[a] = (int32_t)(at[a] / WF_GRID_BLOCK);
        within[a] = at[a] - (double)block[a] * WF_GRID_BLOCK;
    }
    int32_t place = grid->places[(block[2] * grid->blocks[1] + block[1]) * grid->blocks[0] + block[0]];
    if (place < 0) {
        const double t[3] = {within[0] / WF_GRID_BLOCK, within[1] / WF_GRID_BLOCK, within[2] / WF_GRID_BLOCK};
        return far_distance(grid, block, t, gradient);
    }
    int32_t cell[3];
    double t[3];
    for (int a = 0; a < 3; a++) {
        cell[a] = (int32_t)within[a];
        cell[a] = cell[a] < WF_GRID_BLOCK ? cell[a] : WF_GRID_BLOCK - 1;
        t[a] = within[a] - cell[a];
    }
    const float *first = grid->samples + (size_t)place * SAMPLES +
                         ((size_t)cell[2] * WF_GRID_SIDE + (size_t)cell[1]) * WF_GRID_SIDE + (size_t)cell[0];
    return interpolate(first, grid->cubic, t, gradient);
}
