/* voxels.c - occupancy on a grid of cells.
 *
 * Cells are inside by their middles. What cloth needs besides is how far the surface is, and where: the exact distances
 * of middles from the nearest middle on the other side (Felzenszwalb and Huttenlocher, "Distance transforms of sampled
 * functions", 2012), half a cell less, smoothed three times with the weights 1, 2, 1 each way, by less than half a
 * cell, so that what is thin stays, and interpolated by cubics.
 */
#include <stdio.h>
#include <string.h>

#include "base/tasks.h"
#include "contact/colliders/grid.h"
#include "contact/colliders/sampled.h"

enum { MARGIN = 2, LARGEST_CELLS = 512, BAND = 4, SMOOTHINGS = 3 };

#define FARTHEST 1e5 /* m */

/* Cells: by how much smoothing may change a distance. Middles next to the surface are half a cell from it. */
#define LARGEST_CHANGE 0.4

/* The distance transform's values differ by a cell's diagonal at most. */
#define LARGEST_SLOPE 2.5

typedef struct voxels {
    wf_distance_grid grid;
    int32_t size[3];   /* cells, MARGIN free ones on all sides */
    wf_vec3 lower;     /* m: of the cells */
    double cell;
    uint8_t *labels;   /* of wf_voxel_label */
} voxels;

static size_t cell_count(const voxels *v)
{
    return (size_t)v->size[0] * (size_t)v->size[1] * (size_t)v->size[2];
}

static size_t cell_index(const voxels *v, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)v->size[1] + (size_t)j) * (size_t)v->size[0] + (size_t)i;
}

static wf_vec3 middle_of(const voxels *v, int32_t i, int32_t j, int32_t k)
{
    return wf_vec3_add(v->lower, wf_vec3_scale(wf_vec3_make(i + 0.5, j + 0.5, k + 0.5), v->cell));
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

/* The lower envelope of parabolas: out[q] = min over p of (q - p)^2 + in[p]. `apex` and `from` are scratch. */
static void transform_line(const float *in, float *out, int32_t count, size_t stride, int32_t *apex, double *from)
{
    int32_t last = -1;
    for (int32_t q = 0; q < count; q++) {
        double value = in[(size_t)q * stride];
        if (!(value < INFINITY)) {
            continue;
        }
        double start = -INFINITY;
        while (last >= 0) {
            int32_t p = apex[last];
            start = ((value + (double)q * q) - (in[(size_t)p * stride] + (double)p * p)) / (2.0 * (q - p));
            if (start > from[last]) {
                break;
            }
            last--;
            start = -INFINITY;
        }
        apex[++last] = q;
        from[last] = start;
    }
    for (int32_t q = 0, at = 0; q < count; q++) {
        while (at < last && from[at + 1] <= q) {
            at++;
        }
        double way = last >= 0 ? q - apex[at] : 0;
        out[q] = last >= 0 ? (float)(way * way + in[(size_t)apex[at] * stride]) : INFINITY;
    }
}

/* Along one direction, over all lines of it. */
static void transform(const voxels *v, float *values, int axis, float *line, int32_t *apex, double *from)
{
    const size_t strides[3] = {1, (size_t)v->size[0], (size_t)v->size[0] * (size_t)v->size[1]};
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int32_t i = 0; i < v->size[a]; i++) {
        for (int32_t j = 0; j < v->size[b]; j++) {
            float *first = values + (size_t)i * strides[a] + (size_t)j * strides[b];
            transform_line(first, line, v->size[axis], strides[axis], apex, from);
            for (int32_t q = 0; q < v->size[axis]; q++) {
                first[(size_t)q * strides[axis]] = line[q];
            }
        }
    }
}

/* Weights 1, 2, 1 along one direction; at the ends the value itself takes the place of the one beyond. */
static void smooth(const voxels *v, float *values, int axis, float *line)
{
    const size_t strides[3] = {1, (size_t)v->size[0], (size_t)v->size[0] * (size_t)v->size[1]};
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    int32_t count = v->size[axis];
    for (int32_t i = 0; i < v->size[a]; i++) {
        for (int32_t j = 0; j < v->size[b]; j++) {
            float *first = values + (size_t)i * strides[a] + (size_t)j * strides[b];
            for (int32_t q = 0; q < count; q++) {
                float here = first[(size_t)q * strides[axis]];
                float before = q > 0 ? first[(size_t)(q - 1) * strides[axis]] : here;
                float after = q < count - 1 ? first[(size_t)(q + 1) * strides[axis]] : here;
                line[q] = 0.25f * (before + 2 * here + after);
            }
            for (int32_t q = 0; q < count; q++) {
                first[(size_t)q * strides[axis]] = line[q];
            }
        }
    }
}

/* m, signed, of all middles; `inside` and `distance` have one for each cell. */
static wf_status measure(wf_context *context, const voxels *v, const uint8_t *inside, float *distance)
{
    int32_t longest = v->size[0] > v->size[1] ? v->size[0] : v->size[1];
    longest = longest > v->size[2] ? longest : v->size[2];
    size_t cells = cell_count(v);
    float *other = wf_allocate(context, cells, sizeof *other);
    float *line = wf_allocate(context, (size_t)longest, sizeof *line);
    int32_t *apex = wf_allocate(context, (size_t)longest, sizeof *apex);
    double *from = wf_allocate(context, (size_t)longest, sizeof *from);
    wf_status status = other && line && apex && from ? WF_OK : WF_ERROR_MEMORY;
    for (size_t c = 0; status == WF_OK && c < cells; c++) {
        distance[c] = inside[c] ? 0 : INFINITY;
        other[c] = inside[c] ? INFINITY : 0;
    }
    for (int axis = 0; status == WF_OK && axis < 3; axis++) {
        transform(v, distance, axis, line, apex, from);
        transform(v, other, axis, line, apex, from);
    }
    for (size_t c = 0; status == WF_OK && c < cells; c++) {
        double cells_away = inside[c] ? 0.5 - sqrt(other[c]) : sqrt(distance[c]) - 0.5;
        distance[c] = other[c] = (float)(cells_away * v->cell);
    }
    for (int pass = 0; status == WF_OK && pass < 3 * SMOOTHINGS; pass++) {
        smooth(v, distance, pass % 3, line);
    }
    const float change = (float)(LARGEST_CHANGE * v->cell);
    for (size_t c = 0; status == WF_OK && c < cells; c++) {
        distance[c] = fmaxf(fminf(distance[c], other[c] + change), other[c] - change);
    }
    wf_free(context, other);
    wf_free(context, line);
    wf_free(context, apex);
    wf_free(context, from);
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

typedef struct cell_source {
    const voxels *voxels;
    const float *distance;
} cell_source;

/* The value of the cell whose middle is there; the grid's samples lie on middles. */
static void cell_distances(void *user, size_t count, const wf_vec3 *points, double *distances)
{
    const cell_source *source = user;
    const voxels *v = source->voxels;
    for (size_t n = 0; n < count; n++) {
        wf_vec3 at = wf_vec3_scale(wf_vec3_sub(points[n], v->lower), 1 / v->cell);
        const double index[3] = {round(at.x - 0.5), round(at.y - 0.5), round(at.z - 0.5)};
        int32_t inner[3];
        double beyond2 = 0;
        for (int a = 0; a < 3; a++) {
            double clamped = fmax(fmin(index[a], v->size[a] - 1), 0);
            inner[a] = (int32_t)clamped;
            beyond2 += (index[a] - clamped) * (index[a] - clamped);
        }
        distances[n] = source->distance[cell_index(v, inner[0], inner[1], inner[2])] + sqrt(beyond2) * v->cell;
    }
}

static wf_status fill_grid(wf_context *context, voxels *v, const uint8_t *inside)
{
    float *distance = wf_allocate(context, cell_count(v), sizeof *distance);
    wf_status status = distance ? measure(context, v, inside, distance) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        cell_source source = {v, distance};
        wf_vec3 size = wf_vec3_make(v->size[0], v->size[1], v->size[2]);
        wf_vec3 inner = wf_vec3_make(MARGIN, MARGIN, MARGIN);
        wf_distance_grid_def def = {.lower = wf_vec3_muladds(v->lower, inner, v->cell),
                                    .upper = wf_vec3_muladds(v->lower, wf_vec3_sub(size, inner), v->cell),
                                    .cell = v->cell,
                                    .band = BAND,
                                    .cubic = true,
                                    .source = cell_distances,
                                    .user = &source,
                                    .anchor = middle_of(v, 0, 0, 0)};
        status = wf_distance_grid_make(context, &def, &v->grid);
    }
    wf_free(context, distance);
    return status;
}

static bool has_other_side(const voxels *v, const uint8_t *inside, int32_t i, int32_t j, int32_t k)
{
    static const int ways[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int w = 0; w < 6; w++) {
        int32_t x = i + ways[w][0], y = j + ways[w][1], z = k + ways[w][2];
        if (x >= 0 && y >= 0 && z >= 0 && x < v->size[0] && y < v->size[1] && z < v->size[2] &&
            inside[cell_index(v, x, y, z)] != inside[cell_index(v, i, j, k)]) {
            return true;
        }
    }
    return false;
}

/* Where only occupancy is known, the inside cells that border on free ones are the surface. */
static void label_by_sides(voxels *v, const uint8_t *inside)
{
    for (int32_t k = 0; k < v->size[2]; k++) {
        for (int32_t j = 0; j < v->size[1]; j++) {
            for (int32_t i = 0; i < v->size[0]; i++) {
                size_t c = cell_index(v, i, j, k);
                bool surface = inside[c] && has_other_side(v, inside, i, j, k);
                v->labels[c] = surface ? WF_VOXEL_SURFACE : (inside[c] ? WF_VOXEL_INTERIOR : WF_VOXEL_FREE);
            }
        }
    }
}

static wf_status lay_out(wf_context *context, voxels *v, const int32_t size[3], wf_vec3 lower, double cell)
{
    for (int a = 0; a < 3; a++) {
        if (size[a] < 1 || size[a] > LARGEST_CELLS) {
            return wf_fail(context, WF_ERROR_LIMIT, "cells of %g m make %d in a direction; from 1 to %d can be", cell,
                           (int)size[a], LARGEST_CELLS);
        }
        v->size[a] = size[a] + 2 * MARGIN;
    }
    if (!(fmax(fmax(fabs(lower.x), fabs(lower.y)), fabs(lower.z)) <= FARTHEST)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "lower must be within %g m of the origin, got (%g, %g, %g)",
                       FARTHEST, lower.x, lower.y, lower.z);
    }
    v->cell = cell;
    v->lower = wf_vec3_muladds(lower, wf_vec3_make(MARGIN, MARGIN, MARGIN), -cell);
    v->labels = wf_allocate(context, cell_count(v), sizeof *v->labels);
    return v->labels ? WF_OK : WF_ERROR_MEMORY;
}

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    return wf_distance_grid_at(&((const voxels *)collider->samples)->grid, point, gradient);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    const voxels *v = collider->samples;
    snprintf(text, size, "%d x %d x %d cells of %.4g m", (int)v->size[0] - 2 * MARGIN, (int)v->size[1] - 2 * MARGIN,
             (int)v->size[2] - 2 * MARGIN, v->cell);
}

static void free_samples(wf_context *context, void *samples)
{
    voxels *v = samples;
    wf_distance_grid_free(context, &v->grid);
    wf_free(context, v->labels);
    wf_free(context, v);
}

static const wf_collider_class voxels_class = {
    .name = "voxels", .symmetry = WF_NO_SYMMETRY, .distance = distance, .slope = LARGEST_SLOPE, .describe = describe,
    .free_samples = free_samples,
};

static wf_status begin(wf_context *context, const wf_collider_def *def, const int32_t size[3], wf_vec3 lower,
                       double cell, wf_collider **collider)
{
    wf_status status = wf_collider_create(context, &voxels_class, def, collider);
    if (status != WF_OK) {
        return status;
    }
    voxels *v = wf_allocate(context, 1, sizeof *v);
    (*collider)->samples = v;
    (*collider)->step = 0.05 * cell;
    wf_vec3 upper = wf_vec3_muladds(lower, wf_vec3_make(size[0], size[1], size[2]), cell);
    (*collider)->reach = wf_box_reach(lower, upper) + cell;
    return v ? lay_out(context, v, size, lower, cell) : WF_ERROR_MEMORY;
}

wf_status wf_collider_create_occupancy(wf_context *context, const wf_collider_def *def, const int32_t size[3],
                                       const uint8_t *occupied, wf_vec3 lower, double cell, wf_collider **collider)
{
    *collider = NULL;
    wf_status status = wf_collider_check_size(context, "cell", cell, 1e-6);
    if (status == WF_OK) {
        status = begin(context, def, size, lower, cell, collider);
    }
    uint8_t *inside = NULL;
    voxels *v = *collider ? (*collider)->samples : NULL;
    if (status == WF_OK) {
        inside = wf_allocate(context, cell_count(v), sizeof *inside);
        status = inside ? WF_OK : WF_ERROR_MEMORY;
    }
    size_t solid = 0;
    for (int32_t k = 0; status == WF_OK && k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                bool is_solid = occupied[((size_t)k * (size_t)size[1] + (size_t)j) * (size_t)size[0] + (size_t)i];
                inside[cell_index(v, i + MARGIN, j + MARGIN, k + MARGIN)] = is_solid;
                solid += is_solid;
            }
        }
    }
    if (status == WF_OK && solid == 0) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "no cell is occupied");
    }
    if (status == WF_OK) {
        label_by_sides(v, inside);
        status = fill_grid(context, v, inside);
    }
    wf_free(context, inside);
    return wf_collider_finish(status, collider);
}

/* ---- of a surface ------------------------------------------------------------------------------------------------ */

typedef struct judging {
    const voxels *v;
    const wf_solid *solid;
    wf_vec3 origin;
    uint8_t *inside;
} judging;

/* Rows of cells. A surface cell's middle is within half a diagonal of the surface, and the surface is in the cell when
 * the nearest point is. */
static void judge_rows(void *user, size_t block, size_t begin_row, size_t end_row)
{
    (void)block;
    const judging *judge = user;
    const voxels *v = judge->v;
    for (size_t row = begin_row; row < end_row; row++) {
        int32_t j = (int32_t)(row % (size_t)v->size[1]), k = (int32_t)(row / (size_t)v->size[1]);
        wf_solid_walk walk = {.solid = judge->solid, .spacing = v->cell};
        for (int32_t i = 0; i < v->size[0]; i++) {
            wf_vec3 middle = wf_vec3_add(middle_of(v, i, j, k), judge->origin);
            wf_solid_walk_to(&walk, middle);
            wf_vec3 way = wf_vec3_sub(walk.nearest, middle);
            bool surface = fmax(fmax(fabs(way.x), fabs(way.y)), fabs(way.z)) <= 0.5 * v->cell;
            size_t c = cell_index(v, i, j, k);
            judge->inside[c] = walk.inside;
            v->labels[c] = surface ? WF_VOXEL_SURFACE : (walk.inside ? WF_VOXEL_INTERIOR : WF_VOXEL_FREE);
        }
    }
}

/* `*collider` is there, with its cells laid out. */
static wf_status fill_from(wf_context *context, voxels *v, const wf_solid *solid, wf_vec3 origin)
{
    uint8_t *inside = wf_allocate(context, cell_count(v), sizeof *inside);
    if (!inside) {
        return WF_ERROR_MEMORY;
    }
    judging judge = {v, solid, origin, inside};
    wf_parallel_for(context, (size_t)v->size[1] * (size_t)v->size[2], 4, judge_rows, &judge);
    wf_status status = memchr(inside, 1, cell_count(v))
                           ? fill_grid(context, v, inside)
                           : wf_fail(context, WF_ERROR_GEOMETRY, "no cell's middle is inside; take smaller cells");
    wf_free(context, inside);
    return status;
}

wf_status wf_collider_create_voxels(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                    double cell, wf_collider **collider)
{
    wf_vec3 lower, upper;
    *collider = NULL;
    wf_status status = wf_surface_part_bounds(context, part, &lower, &upper);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 extent = wf_vec3_sub(upper, lower);
    double used = cell == 0 ? wf_box_extent(lower, upper) / 64 : cell;
    status = wf_collider_check_size(context, "cell", used, 1e-6);
    if (status == WF_OK) {
        const double sides[3] = {extent.x / used, extent.y / used, extent.z / used};
        int32_t size[3];
        for (int a = 0; a < 3; a++) {
            size[a] = (int32_t)fmin(fmax(ceil(sides[a]), 1), LARGEST_CELLS + 1);
        }
        wf_vec3 whole = wf_vec3_scale(wf_vec3_make(size[0], size[1], size[2]), used);
        wf_vec3 first = wf_vec3_muladds(wf_vec3_lerp(lower, upper, 0.5), whole, -0.5);
        status = begin(context, def, size, first, used, collider);
    }
    wf_mesh closed = {0};
    wf_solid *solid = NULL;
    if (status == WF_OK) {
        status = wf_surface_part_close(part, *collider, &closed);
    }
    if (status == WF_OK) {
        status = wf_solid_create(context, &closed, &solid);
    }
    wf_mesh_free(context, &closed);
    if (status == WF_OK) {
        status = fill_from(context, (*collider)->samples, solid, part->origin);
    }
    wf_solid_destroy(context, solid);
    return wf_collider_finish(status, collider);
}

wf_voxel_label wf_collider_label(const wf_collider *collider, wf_vec3 point)
{
    wf_vec3 local = wf_pose_to_local(&collider->pose, point), gradient;
    if (collider->class != &voxels_class) {
        return collider->class->distance(collider, local, &gradient) < 0 ? WF_VOXEL_INTERIOR : WF_VOXEL_FREE;
    }
    const voxels *v = collider->samples;
    wf_vec3 at = wf_vec3_scale(wf_vec3_sub(local, v->lower), 1 / v->cell);
    if (!(at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < v->size[0] && at.y < v->size[1] && at.z < v->size[2])) {
        return WF_VOXEL_FREE;
    }
    return (wf_voxel_label)v->labels[cell_index(v, (int32_t)at.x, (int32_t)at.y, (int32_t)at.z)];
}
