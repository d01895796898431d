/* bounds.c - lower bounds of distances in single precision, written for the compiler's vectoriser; see bounds.h. */
#include "contact/bounds.h"

#include <float.h>

/* Nearly parallel edges and slivers cost half of the digits: errors reach sqrt(2^-24) of the extent, times a small
 * factor; the bound gives away somewhat more. */
#define GIVEN_AWAY 1e-3f
/* Below this sin² at a corner the face's normal is not used: its edges are then nearer than GIVEN_AWAY tells. */
#define SLIVER 1e-6f
/* Of pairs whose squared extent (m²) is not between these nothing is told: some powers leave single precision. */
#define SMALLEST_SIZE2 1e-10f
#define LARGEST_SIZE2 1e12f

/* What single precision errs of the products below, relative to the lengths in them: 28 roundings at most. */
#define PRODUCT_ERROR (32 * FLT_EPSILON / 2)
/* Covers what leaves single precision downward, */
#define UNDERFLOW_ROOM 1e-36f
/* where squared edges (m²) are above this. */
#define SHORTEST_EDGE2 1e-16f

/* The same loops are compiled for wider vectors too; without contraction and reductions the bits are the same. */
#if defined(__GNUC__)
#define LOOP __attribute__((always_inline)) static inline
#else
#define LOOP static inline
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define WIDE_VECTORS __attribute__((target("avx2")))
#endif

LOOP float dot3(float ax, float ay, float az, float bx, float by, float bz)
{
    return ax * bx + ay * by + az * bz;
}

LOOP float clamp_unit(float value)
{
    value = value > 0.0f ? value : 0.0f;
    return value < 1.0f ? value : 1.0f;
}

LOOP float positive(float value)
{
    return value > 0.0f ? value : 0.0f;
}

LOOP float bound_of(float distance2, float size2)
{
    float bound = positive(sqrtf(distance2) - 2.0f * GIVEN_AWAY * sqrtf(size2));
    return size2 > SMALLEST_SIZE2 && size2 < LARGEST_SIZE2 ? bound : 0.0f;
}

/* Squared distance of the origin from the segment from a to b. */
LOOP float segment2(float ax, float ay, float az, float bx, float by, float bz)
{
    float ux = bx - ax, uy = by - ay, uz = bz - az;
    float t = clamp_unit(-dot3(ax, ay, az, ux, uy, uz) / (dot3(ux, uy, uz, ux, uy, uz) + FLT_MIN));
    float qx = ax + t * ux, qy = ay + t * uy, qz = az + t * uz;
    return dot3(qx, qy, qz, qx, qy, qz);
}

/* Lanes beyond the count are filled up with rubbish, so that no loop has a remainder. */
LOOP int whole_vectors(int count)
{
    return (count + 7) & ~7;
}

LOOP void vertex_face_loop(const wf_pair_lanes *restrict lanes, int count, float bound[restrict WF_LANES])
{
    int end = whole_vectors(count);
    for (int i = 0; i < end; i++) {
        float ax = lanes->a[0][i], ay = lanes->a[1][i], az = lanes->a[2][i];
        float bx = lanes->b[0][i], by = lanes->b[1][i], bz = lanes->b[2][i];
        float cx = lanes->c[0][i], cy = lanes->c[1][i], cz = lanes->c[2][i];
        float ux = bx - ax, uy = by - ay, uz = bz - az;
        float vx = cx - ax, vy = cy - ay, vz = cz - az;
        float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        float uu = dot3(ux, uy, uz, ux, uy, uz), vv = dot3(vx, vy, vz, vx, vy, vz);
        float nn = dot3(nx, ny, nz, nx, ny, nz);
        /* The vertex's sides of the three planes through the edges, perpendicular to the face. */
        float side_a = dot3(by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx, nx, ny, nz);
        float side_b = dot3(cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax, nx, ny, nz);
        float side_c = nn - side_a - side_b;
        float height = dot3(nx, ny, nz, ax, ay, az);
        float plane2 = height * height / (nn + FLT_MIN);
        float edges2 = segment2(ax, ay, az, bx, by, bz);
        float next2 = segment2(bx, by, bz, cx, cy, cz), last2 = segment2(cx, cy, cz, ax, ay, az);
        edges2 = next2 < edges2 ? next2 : edges2;
        edges2 = last2 < edges2 ? last2 : edges2;
        float inside = side_a < side_b ? side_a : side_b;
        inside = side_c < inside ? side_c : inside;
        inside = nn > SLIVER * uu * vv ? inside : -1.0f;
        float distance2 = inside > 0.0f ? plane2 : edges2;
        float size2 = uu + vv + dot3(ax, ay, az, ax, ay, az);
        bound[i] = bound_of(distance2, size2);
    }
}

/* With `inside` the bound is infinite where edges surely are not closest inside of both, at more than a sine. */
LOOP void edge_edge_loop(const wf_pair_lanes *restrict lanes, int count, bool inside, float least_sine2,
                         float bound[restrict WF_LANES])
{
    int end = whole_vectors(count);
    for (int i = 0; i < end; i++) {
        float ux = lanes->a[0][i], uy = lanes->a[1][i], uz = lanes->a[2][i];
        float vx = lanes->b[0][i], vy = lanes->b[1][i], vz = lanes->b[2][i];
        float rx = lanes->c[0][i], ry = lanes->c[1][i], rz = lanes->c[2][i];
        float uu = dot3(ux, uy, uz, ux, uy, uz) + FLT_MIN, vv = dot3(vx, vy, vz, vx, vy, vz) + FLT_MIN;
        float uv = dot3(ux, uy, uz, vx, vy, vz), ur = dot3(ux, uy, uz, rx, ry, rz), vr = dot3(vx, vy, vz, rx, ry, rz);
        float determinant = uu * vv - uv * uv;
        /* Along nearly parallel edges the distance hardly changes, so that any s will do. */
        float s_part = uv * vr - ur * vv; /* of the determinant */
        float s = clamp_unit(s_part / (positive(determinant) + FLT_MIN));
        float t = clamp_unit((uv * s + vr) / vv);
        s = clamp_unit((uv * t - ur) / uu);
        float qx = rx + s * ux - t * vx, qy = ry + s * uy - t * vy, qz = rz + s * uz - t * vz;
        float distance2 = dot3(qx, qy, qz, qx, qy, qz), rr = dot3(rx, ry, rz, rx, ry, rz);
        float size2 = uu + vv + rr;
        bound[i] = bound_of(distance2, size2);
        if (inside) {
            float t_part = uu * vr - uv * ur;
            float area2 = uu * vv, area_error = PRODUCT_ERROR * area2 + UNDERFLOW_ROOM;
            float s_error = PRODUCT_ERROR * vv * sqrtf(uu) * sqrtf(rr) + UNDERFLOW_ROOM;
            float t_error = PRODUCT_ERROR * uu * sqrtf(vv) * sqrtf(rr) + UNDERFLOW_ROOM;
            bool outside = (s_part < -s_error) | (s_part - determinant > s_error + area_error) |
                           (t_part < -t_error) | (t_part - determinant > t_error + area_error) |
                           (determinant + area_error < least_sine2 * area2);
            bool told = (uu > SHORTEST_EDGE2) & (vv > SHORTEST_EDGE2) & (size2 < LARGEST_SIZE2);
            bound[i] = (outside & told) ? INFINITY : bound[i];
        }
    }
}

#ifdef WIDE_VECTORS
WIDE_VECTORS static void vertex_face_wide(const wf_pair_lanes *lanes, int count, float bound[WF_LANES])
{
    vertex_face_loop(lanes, count, bound);
}

WIDE_VECTORS static void edge_edge_wide(const wf_pair_lanes *lanes, int count, float bound[WF_LANES])
{
    edge_edge_loop(lanes, count, false, 0, bound);
}

WIDE_VECTORS static void inner_edges_wide(const wf_pair_lanes *lanes, int count, float least_sine2,
                                          float bound[WF_LANES])
{
    edge_edge_loop(lanes, count, true, least_sine2, bound);
}
#endif

void wf_vertex_face_bounds(const wf_pair_lanes *lanes, int count, float bound[WF_LANES])
{
#ifdef WIDE_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        vertex_face_wide(lanes, count, bound);
        return;
    }
#endif
    vertex_face_loop(lanes, count, bound);
}

void wf_edge_edge_bounds(const wf_pair_lanes *lanes, int count, float bound[WF_LANES])
{
#ifdef WIDE_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        edge_edge_wide(lanes, count, bound);
        return;
    }
#endif
    edge_edge_loop(lanes, count, false, 0, bound);
}

void wf_inner_edges_bounds(const wf_pair_lanes *lanes, int count, double least_sine2, float bound[WF_LANES])
{
    /* Rounded down. */
    const float least = (float)least_sine2 * (1 - FLT_EPSILON);
#ifdef WIDE_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        inner_edges_wide(lanes, count, least, bound);
        return;
    }
#endif
    edge_edge_loop(lanes, count, true, least, bound);
}
