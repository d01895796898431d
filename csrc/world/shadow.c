#include "world/shadow.h"

#include <math.h>

#include "base/vector.h"

typedef struct bitmap {
    double pixel;
    wf_vec2 lower; /* m, where its first pixel begins: x and z */
    int64_t width, height;
    uint8_t *covered;
} bitmap;

static wf_status make_bitmap(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, double pixel,
                             bitmap *b)
{
    wf_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < vertex_count; i++) {
        if (!wf_vec3_isfinite(positions[i])) {
            return wf_fail(context, WF_ERROR_NUMERIC, "vertex %d is not finite", (int)i + 1);
        }
        low = (wf_vec2){fmin(low.x, positions[i].x), fmin(low.y, positions[i].z)};
        high = (wf_vec2){fmax(high.x, positions[i].x), fmax(high.y, positions[i].z)};
    }
    double width = vertex_count > 0 ? ceil((high.x - low.x) / pixel) + 1 : 1;
    double height = vertex_count > 0 ? ceil((high.y - low.y) / pixel) + 1 : 1;
    if (!(width * height <= 268435456.0)) {
        return wf_fail(context, WF_ERROR_LIMIT, "a shadow of %g x %g m has too many pixels of %g m", high.x - low.x,
                       high.y - low.y, pixel);
    }
    *b = (bitmap){pixel, low, (int64_t)width, (int64_t)height, NULL};
    b->covered = wf_allocate(context, (size_t)(b->width * b->height), 1);
    return b->covered ? WF_OK : WF_ERROR_MEMORY;
}

/* Covers the pixels whose middles are in the triangle, row by row. */
static void paint(bitmap *b, const wf_vec2 corner[3])
{
    double low = fmin(corner[0].y, fmin(corner[1].y, corner[2].y));
    double high = fmax(corner[0].y, fmax(corner[1].y, corner[2].y));
    for (int64_t row = (int64_t)fmax(0, ceil(low - 0.5)); row < b->height && (double)row + 0.5 <= high; row++) {
        double y = (double)row + 0.5, left = INFINITY, right = -INFINITY;
        for (int k = 0; k < 3; k++) {
            wf_vec2 p = corner[k], q = corner[(k + 1) % 3];
            if ((p.y <= y) != (q.y <= y)) {
                double x = p.x + (y - p.y) * (q.x - p.x) / (q.y - p.y);
                left = fmin(left, x);
                right = fmax(right, x);
            }
        }
        for (int64_t column = (int64_t)fmax(0, ceil(left - 0.5)); column < b->width && (double)column + 0.5 <= right;
             column++) {
            b->covered[row * b->width + column] = 1;
        }
    }
}

static bool covered_at(const bitmap *b, double x, double y)
{
    double column = floor((x - b->lower.x) / b->pixel), row = floor((y - b->lower.y) / b->pixel);
    return column >= 0 && row >= 0 && column < (double)b->width && row < (double)b->height &&
           b->covered[(int64_t)row * b->width + (int64_t)column];
}

static void measure_radius(const bitmap *b, wf_vec3 centre, double radius[WF_SHADOW_DIRECTIONS])
{
    double reach = b->pixel * (double)(b->width + b->height);
    for (int k = 0; k < WF_SHADOW_DIRECTIONS; k++) {
        double angle = k * (6.283185307179586 / WF_SHADOW_DIRECTIONS), r = reach;
        while (r > 0 && !covered_at(b, centre.x + r * cos(angle), centre.z + r * sin(angle))) {
            r -= 0.5 * b->pixel;
        }
        radius[k] = fmax(r, 0);
    }
}

static double smoothed(const double radius[WF_SHADOW_DIRECTIONS], int k)
{
    double sum = 0;
    for (int i = -2; i <= 2; i++) {
        sum += radius[(k + i + WF_SHADOW_DIRECTIONS) % WF_SHADOW_DIRECTIONS];
    }
    return sum / 5;
}

/* Once around from the lowest point: rises by `depth` above the last minimum, then falls by it below the maximum. */
static int32_t count_nodes(const double radius[WF_SHADOW_DIRECTIONS], double depth)
{
    int lowest = 0;
    for (int k = 1; k < WF_SHADOW_DIRECTIONS; k++) {
        lowest = smoothed(radius, k) < smoothed(radius, lowest) ? k : lowest;
    }
    int32_t nodes = 0;
    bool rising = false;
    double extreme = smoothed(radius, lowest);
    for (int k = 1; k <= WF_SHADOW_DIRECTIONS; k++) {
        double r = smoothed(radius, (lowest + k) % WF_SHADOW_DIRECTIONS);
        if (rising && r < extreme - depth) {
            nodes++;
        }
        if (rising ? r < extreme - depth : r > extreme + depth) {
            rising = !rising;
            extreme = r;
        }
        extreme = rising ? fmax(extreme, r) : fmin(extreme, r);
    }
    return nodes;
}

wf_status wf_shadow_measure(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                            const int32_t (*faces)[3], wf_vec3 centre, double pixel, double depth, wf_shadow *shadow)
{
    bitmap b = {0};
    wf_status status = make_bitmap(context, vertex_count, positions, pixel, &b);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t f = 0; f < face_count; f++) {
        wf_vec2 corner[3];
        for (int k = 0; k < 3; k++) {
            wf_vec3 p = positions[faces[f][k]];
            corner[k] = (wf_vec2){(p.x - b.lower.x) / pixel, (p.z - b.lower.y) / pixel};
        }
        paint(&b, corner);
    }
    int64_t count = 0;
    for (int64_t i = 0; i < b.width * b.height; i++) {
        count += b.covered[i];
    }
    shadow->area = (double)count * pixel * pixel;
    measure_radius(&b, centre, shadow->radius);
    shadow->nodes = count_nodes(shadow->radius, depth);
    wf_free(context, b.covered);
    return WF_OK;
}
