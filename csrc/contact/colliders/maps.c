/* maps.c - depth and normal maps from the front and the back (Vassilev, Spanlang, Chrysanthou, "Fast cloth animation on
 * walking avatars", 2001).
 *
 * The surface is drawn along z without perspective, a pixel for each of its middles, once keeping what is nearest to
 * the front, once what is nearest to the back. A point is inside when it is between the two; how deep follows from its
 * height over the surface and that surface's normal, as if it were a plane.
 */
#include <stdio.h>

#include "contact/colliders/sampled.h"

enum { FRONT, BACK, MAPS, LARGEST_PIXELS = 4096 };

/* Pixels seen under this cosine only could push cloth sideways out of all proportion. */
#define LEAST_COSINE 1e-3

typedef struct depth_maps {
    int32_t size[2];
    double pixel;                /* m */
    wf_vec3 lower, upper;        /* m: of the surface */
    double *depth[MAPS];         /* z of pixel [j * size[0] + i]; infinite where nothing is seen */
    float (*normal[MAPS])[3];    /* unit, outward */
    uint16_t *away;              /* pixels, by the larger of both coordinates: from the nearest that sees anything */
} depth_maps;

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static double pixel_middle(double lower, double pixel, int32_t i)
{
    return lower + (i + 0.5) * pixel;
}

static void draw_pixel(depth_maps *maps, size_t at, double z, wf_vec3 normal)
{
    for (int m = 0; m < MAPS; m++) {
        bool nearer = m == FRONT ? z > maps->depth[m][at] : z < maps->depth[m][at];
        double turn = (normal.z < 0) == (m == FRONT) ? -1 : 1; /* towards who looks */
        if (nearer) {
            maps->depth[m][at] = z;
            maps->normal[m][at][0] = (float)(turn * normal.x);
            maps->normal[m][at][1] = (float)(turn * normal.y);
            maps->normal[m][at][2] = (float)(turn * normal.z);
        }
    }
}

static double edge_side(wf_vec3 a, wf_vec3 b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static int32_t first_pixel(double from, double lower, double pixel)
{
    return (int32_t)fmax(floor((from - lower) / pixel - 0.5), 0);
}

static int32_t last_pixel(double to, double lower, double pixel, int32_t size)
{
    return (int32_t)fmin(ceil((to - lower) / pixel - 0.5), size - 1);
}

/* All pixels whose middles the face covers, its edges included. */
static void draw_face(depth_maps *maps, const wf_vec3 x[3], const wf_vec3 normals[3])
{
    double area = edge_side(x[0], x[1], x[2].x, x[2].y);
    if (area == 0) {
        return;
    }
    double low_x = fmin(x[0].x, fmin(x[1].x, x[2].x)), high_x = fmax(x[0].x, fmax(x[1].x, x[2].x));
    double low_y = fmin(x[0].y, fmin(x[1].y, x[2].y)), high_y = fmax(x[0].y, fmax(x[1].y, x[2].y));
    int32_t right = last_pixel(high_x, maps->lower.x, maps->pixel, maps->size[0]);
    int32_t top = last_pixel(high_y, maps->lower.y, maps->pixel, maps->size[1]);
    for (int32_t j = first_pixel(low_y, maps->lower.y, maps->pixel); j <= top; j++) {
        for (int32_t i = first_pixel(low_x, maps->lower.x, maps->pixel); i <= right; i++) {
            double px = pixel_middle(maps->lower.x, maps->pixel, i), py = pixel_middle(maps->lower.y, maps->pixel, j);
            double weight[3], least = INFINITY, z = 0;
            wf_vec3 normal = {0, 0, 0};
            for (int k = 0; k < 3; k++) {
                weight[k] = edge_side(x[(k + 1) % 3], x[(k + 2) % 3], px, py) / area;
                least = fmin(least, weight[k]);
                z += weight[k] * x[k].z;
                normal = wf_vec3_muladds(normal, normals[k], weight[k]);
            }
            if (least >= 0) {
                draw_pixel(maps, (size_t)j * (size_t)maps->size[0] + (size_t)i, z, wf_vec3_normalize(normal));
            }
        }
    }
}

/* Two sweeps, forth and back: exact for this measure of distance. */
static void measure_away(depth_maps *maps)
{
    int32_t width = maps->size[0], height = maps->size[1];
    for (int back = 0; back < 2; back++) {
        for (int32_t n = 0; n < width * height; n++) {
            int32_t at = back ? width * height - 1 - n : n, i = at % width, j = at / width, step = back ? 1 : -1;
            int least = back ? maps->away[at] : (isfinite(maps->depth[FRONT][at]) ? 0 : UINT16_MAX - 1);
            for (int32_t di = -1; di <= 1; di++) {
                bool there = i + di >= 0 && i + di < width && j + step >= 0 && j + step < height;
                int beyond = there ? maps->away[(j + step) * width + i + di] + 1 : least;
                least = beyond < least ? beyond : least;
            }
            bool beside = i + step >= 0 && i + step < width;
            int beyond = beside ? maps->away[at + step] + 1 : least;
            maps->away[at] = (uint16_t)(beyond < least ? beyond : least);
        }
    }
}

static wf_status draw(wf_context *context, depth_maps *maps, const wf_mesh *mesh, wf_vec3 origin)
{
    wf_vec3 *normals = wf_allocate(context, (size_t)mesh->vertex_count, sizeof *normals);
    size_t pixels = (size_t)maps->size[0] * (size_t)maps->size[1];
    maps->away = wf_allocate(context, pixels, sizeof *maps->away);
    bool complete = normals && maps->away;
    for (int m = 0; m < MAPS; m++) {
        maps->depth[m] = wf_allocate(context, pixels, sizeof *maps->depth[m]);
        maps->normal[m] = wf_allocate(context, pixels, sizeof *maps->normal[m]);
        complete = complete && maps->depth[m] && maps->normal[m];
    }
    if (!complete) {
        wf_free(context, normals);
        return WF_ERROR_MEMORY;
    }
    for (size_t p = 0; p < pixels; p++) {
        maps->depth[FRONT][p] = -INFINITY;
        maps->depth[BACK][p] = INFINITY;
    }
    wf_mesh_vertex_normals(mesh, mesh->positions, normals);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        wf_vec3 x[3], n[3];
        for (int k = 0; k < 3; k++) {
            x[k] = wf_vec3_sub(mesh->positions[mesh->faces[f][k]], origin);
            n[k] = normals[mesh->faces[f][k]];
        }
        draw_face(maps, x, n);
    }
    wf_free(context, normals);
    measure_away(maps);
    return WF_OK;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Beside what is seen: never more than the distance from that, nor less than half a pixel; the way out is not known. */
static double beside(const depth_maps *maps, wf_vec3 p, wf_vec3 *gradient)
{
    wf_vec3 l = maps->lower, u = maps->upper;
    wf_vec3 nearest = wf_vec3_make(fmax(fmin(p.x, u.x), l.x), fmax(fmin(p.y, u.y), l.y), fmax(fmin(p.z, u.z), l.z));
    wf_vec3 way = wf_vec3_sub(p, nearest);
    *gradient = wf_vec3_normalize(way);
    int32_t i = (int32_t)fmin((nearest.x - l.x) / maps->pixel, maps->size[0] - 1);
    int32_t j = (int32_t)fmin((nearest.y - l.y) / maps->pixel, maps->size[1] - 1);
    double across = (maps->away[(size_t)j * (size_t)maps->size[0] + (size_t)i] - 1.5) * maps->pixel;
    return fmax(fmax(wf_vec3_norm(way), across), 0.5 * maps->pixel);
}

/* Height over one map's surface along its normal, the pixels around weighted as they are near. False when less than
 * half of them see anything. */
static bool height_over(const depth_maps *maps, int m, wf_vec3 p, double *height, wf_vec3 *normal)
{
    double u = (p.x - maps->lower.x) / maps->pixel - 0.5, v = (p.y - maps->lower.y) / maps->pixel - 0.5;
    if (!(u > -1 && v > -1 && u < maps->size[0] && v < maps->size[1])) {
        return false;
    }
    int32_t i = (int32_t)floor(u), j = (int32_t)floor(v);
    double seen = 0, z = 0;
    wf_vec3 n = {0, 0, 0};
    for (int c = 0; c < 4; c++) {
        int32_t x = i + (c & 1), y = j + (c >> 1);
        if (x < 0 || y < 0 || x >= maps->size[0] || y >= maps->size[1]) {
            continue;
        }
        size_t at = (size_t)y * (size_t)maps->size[0] + (size_t)x;
        double weight = (c & 1 ? u - i : 1 - (u - i)) * (c >> 1 ? v - j : 1 - (v - j));
        if (isfinite(maps->depth[m][at]) && weight > 0) {
            const float *normal_at = maps->normal[m][at];
            /* Where the plane of this pixel is above the point. */
            double nz = copysign(fmax(fabs((double)normal_at[2]), LEAST_COSINE), normal_at[2]);
            double dx = p.x - pixel_middle(maps->lower.x, maps->pixel, x);
            double dy = p.y - pixel_middle(maps->lower.y, maps->pixel, y);
            double rise = -((double)normal_at[0] * dx + (double)normal_at[1] * dy) / nz;
            z += weight * (maps->depth[m][at] + fmax(fmin(rise, maps->pixel), -maps->pixel));
            n = wf_vec3_muladds(n, wf_vec3_make((double)normal_at[0], (double)normal_at[1], (double)normal_at[2]),
                                weight);
            seen += weight;
        }
    }
    if (!(seen >= 0.5)) {
        return false;
    }
    *normal = wf_vec3_normalize(n);
    *height = (p.z - z / seen) * normal->z;
    return true;
}

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    const depth_maps *maps = collider->samples;
    double front, back;
    wf_vec3 front_normal, back_normal;
    if (!height_over(maps, FRONT, point, &front, &front_normal) ||
        !height_over(maps, BACK, point, &back, &back_normal)) {
        return beside(maps, point, gradient);
    }
    *gradient = front >= back ? front_normal : back_normal;
    return fmax(front, back);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    const depth_maps *maps = collider->samples;
    snprintf(text, size, "%d x %d pixels of %.4g m", (int)maps->size[0], (int)maps->size[1], maps->pixel);
}

static void free_samples(wf_context *context, void *samples)
{
    depth_maps *maps = samples;
    for (int m = 0; m < MAPS; m++) {
        wf_free(context, maps->depth[m]);
        wf_free(context, maps->normal[m]);
    }
    wf_free(context, maps->away);
    wf_free(context, maps);
}

static const wf_collider_class maps_class = {
    .name = "maps", .symmetry = WF_NO_SYMMETRY, .distance = distance, .slope = 2, .describe = describe,
    .free_samples = free_samples,
};

static wf_status lay_out(wf_context *context, const wf_surface_part *part, double pixel, depth_maps *maps)
{
    wf_status status = wf_surface_part_bounds(context, part, &maps->lower, &maps->upper);
    if (status != WF_OK) {
        return status;
    }
    wf_vec3 extent = wf_vec3_sub(maps->upper, maps->lower);
    maps->pixel = pixel == 0 ? fmax(extent.x, extent.y) / 128 : pixel;
    const double sides[2] = {extent.x / maps->pixel, extent.y / maps->pixel};
    for (int a = 0; a < 2; a++) {
        if (!(sides[a] <= LARGEST_PIXELS && maps->pixel > 0)) {
            return wf_fail(context, WF_ERROR_LIMIT, "pixels of %g m make %.0f in a direction; at most %d can be",
                           maps->pixel, sides[a], LARGEST_PIXELS);
        }
        maps->size[a] = (int32_t)fmax(ceil(sides[a]), 1);
    }
    return WF_OK;
}

wf_status wf_collider_create_maps(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                  double pixel, wf_collider **collider)
{
    wf_status status = wf_collider_create(context, &maps_class, def, collider);
    if (status != WF_OK) {
        return status;
    }
    depth_maps *maps = wf_allocate(context, 1, sizeof *maps);
    (*collider)->samples = maps;
    status = maps ? lay_out(context, part, pixel, maps) : WF_ERROR_MEMORY;
    wf_mesh closed = {0};
    if (status == WF_OK) {
        status = wf_surface_part_close(part, *collider, &closed);
    }
    if (status == WF_OK) {
        status = draw(context, maps, &closed, part->origin);
    }
    wf_mesh_free(context, &closed);
    if (status == WF_OK) {
        (*collider)->reach = wf_box_reach(maps->lower, maps->upper) + maps->pixel;
        (*collider)->step = 0.25 * maps->pixel;
    }
    return wf_collider_finish(status, collider);
}
