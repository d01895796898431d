/* volume.c - volumes between parallel planes; see volume.h. */
#include "contact/volume.h"

#include <float.h>

/* Each set is contiguous: the axes and the cube's diagonals, then the axes and all others. */
static const wf_vec3 DIRECTIONS[] = {
    {1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
    {1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {0, 1, 1}, {0, 1, -1}, {1, 0, 1},  {1, 0, -1}, {1, 1, 0}, {1, -1, 0},
    {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
};

#define ROOT2 1.4142135623730952
#define ROOT3 1.7320508075688774
static const double NORMS[] = {1, 1, 1, ROOT3, ROOT3, ROOT3, ROOT3, 1, 1, 1, ROOT2, ROOT2, ROOT2, ROOT2, ROOT2, ROOT2,
                               ROOT3, ROOT3, ROOT3, ROOT3};

static int first_direction(int slabs)
{
    return slabs <= 7 ? 0 : 7;
}

const wf_vec3 *wf_volume_directions(int slabs)
{
    return DIRECTIONS + first_direction(slabs);
}

void wf_volume_clear(int slabs, float *volume)
{
    for (int k = 0; k < slabs; k++) {
        volume[k] = INFINITY;
        volume[slabs + k] = -INFINITY;
    }
}

void wf_volume_unite(int slabs, float *volume, const float *other)
{
    for (int k = 0; k < slabs; k++) {
        volume[k] = other[k] < volume[k] ? other[k] : volume[k];
        volume[slabs + k] = other[slabs + k] > volume[slabs + k] ? other[slabs + k] : volume[slabs + k];
    }
}

/* A bound in single precision, moved outward by two roundings to it, each at most half a unit in the last place. */
static float rounded_down(double bound)
{
    float lower = (float)bound;
    return lower - (fabsf(lower) * FLT_EPSILON + FLT_MIN);
}

void wf_volume_of_ball(int slabs, wf_vec3 x, double radius, float *volume)
{
    const double coordinate[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) {
        volume[k] = rounded_down(coordinate[k] - radius);
        volume[slabs + k] = -rounded_down(-coordinate[k] - radius);
    }
    const wf_vec3 *direction = wf_volume_directions(slabs);
    const double *norm = NORMS + first_direction(slabs);
    double slack = 1e-15 * (fabs(x.x) + fabs(x.y) + fabs(x.z) + radius); /* sums may cancel */
    for (int k = 3; k < slabs; k++) {
        double middle = wf_vec3_dot(direction[k], x), room = radius * norm[k] + slack;
        volume[k] = rounded_down(middle - room);
        volume[slabs + k] = -rounded_down(-middle - room);
    }
}

void wf_volume_inflate(int slabs, float *volume, float distance)
{
    const double *norm = NORMS + first_direction(slabs);
    for (int k = 0; k < slabs; k++) {
        float room = distance * (float)norm[k] * (1 + 2 * FLT_EPSILON);
        volume[k] -= room + fabsf(volume[k]) * FLT_EPSILON;
        volume[slabs + k] += room + fabsf(volume[slabs + k]) * FLT_EPSILON;
    }
}

bool wf_volumes_overlap(int slabs, const float *a, const float *b)
{
    for (int k = 0; k < slabs; k++) {
        if (a[k] > b[slabs + k] || b[k] > a[slabs + k]) {
            return false;
        }
    }
    return true;
}

bool wf_volume_contains(int slabs, const float *outer, const float *inner)
{
    for (int k = 0; k < slabs; k++) {
        if (outer[k] > inner[k] || outer[slabs + k] < inner[slabs + k]) {
            return false;
        }
    }
    return true;
}
