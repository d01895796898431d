/* lattice_crossings.h - where the lines of a lattice cross triangles, without gaps.
 *
 * A lattice of points, and the straight lines through them along the axes. Triangle by triangle, the lines that cross
 * its projection are visited (conservative rasterisation), so the work is linear in triangles and crossings. Whether a
 * line passes through a triangle, and between which two of its points, is decided by the exact signs of
 * mesh/predicates.h. Ties, a line through an edge or a vertex, a point on a triangle, are broken as if the whole
 * lattice had been shifted by the infinitesimal (e, e^2, e^3) (Edelsbrunner and Muecke 1990, "Simulation of
 * simplicity"): no two triangles that share an edge count a line twice or let it slip through, and the lines of all
 * three axes agree on which side of a surface a point lies. A closed surface therefore parts the points inside from
 * those outside, whatever rounding does.
 */
#ifndef WEFT_AIR_LATTICE_CROSSINGS_H
#define WEFT_AIR_LATTICE_CROSSINGS_H

#include "base/context.h"
#include "base/vector.h"

/* Point (i, j, k) is first + (i, j, k) * spacing. */
typedef struct wf_lattice {
    wf_vec3 first;      /* m */
    double spacing[3];  /* m, > 0 */
    int32_t count[3];   /* points along each axis, >= 1 */
} wf_lattice;

typedef struct wf_lattice_crossing {
    int32_t triangle;
    int32_t point[3];   /* the lower of the two points that the crossing lies between */
    uint8_t axis;       /* along which they differ */
    int8_t direction;   /* 1: going up the axis leads from the triangle's back to its front, where its normal is; -1 */
    float fraction;     /* 0 to 1, of the way from the lower point up */
    float weights[3];   /* of the triangle's corners: at least 0, sum 1 */
} wf_lattice_crossing;

/* Zero-initialised before its first use; keeps its memory from call to call. */
typedef struct wf_lattice_crossings {
    wf_lattice_crossing *items; /* [count], by triangle, then axis, then line */
    size_t count, capacity;
    size_t *block_counts;
    size_t block_capacity;
} wf_lattice_crossings;

/* All crossings between two points of the lattice; `below`: also those that lie before the first point of their line
 * along x, as if between it and a point -1 (for counting windings from there). In parallel, the same for any number of
 * threads. WF_ERROR_NUMERIC: a corner is not finite or not below 1e6 m; WF_ERROR_LIMIT: more than 2^30 crossings. */
wf_status wf_lattice_crossings_find(wf_context *context, const wf_lattice *lattice, bool below,
                                    const wf_vec3 *positions, int32_t triangle_count, const int32_t (*triangles)[3],
                                    wf_lattice_crossings *crossings);

void wf_lattice_crossings_free(wf_context *context, wf_lattice_crossings *crossings);

static inline double wf_lattice_coordinate(const wf_lattice *lattice, int axis, int32_t index)
{
    return (&lattice->first.x)[axis] + index * lattice->spacing[axis];
}

#endif
