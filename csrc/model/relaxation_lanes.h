/* relaxation_lanes.h - what the kernels of relaxation share: points in lanes, and the small systems they solve. */
#ifndef WEFT_MODEL_RELAXATION_LANES_H
#define WEFT_MODEL_RELAXATION_LANES_H

#include "base/wide.h"
#include "model/relaxation_kernels.h"

enum { LANES = WF_RELAXATION_LANES };

typedef wf_relaxation_vectors lanes3;

#if defined(__AVX2__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WHOLE_POINTS
#endif
#endif

#ifdef WHOLE_POINTS
/* A point is a vector: eight of them are loaded, and turned into lanes by two 4 x 4 transpositions. */
typedef double four __attribute__((vector_size(32), may_alias, aligned(8)));
typedef double eight __attribute__((vector_size(64), may_alias, aligned(8)));

static WF_ALWAYS_INLINE void transpose(four a, four b, four c, four d, four out[4])
{
    four ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    four cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
}

/* Whole lanes are written: a wide load right after narrower stores would have to wait for them. */
static WF_ALWAYS_INLINE void store_lanes(double to[LANES], four low, four high)
{
    *(eight *)to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

static WF_ALWAYS_INLINE void gather(const wf_point *points, const int32_t vertex[LANES], lanes3 *at,
                                 double inverse_mass[LANES])
{
    four low[4], high[4];
    transpose(*(const four *)&points[vertex[0]], *(const four *)&points[vertex[1]], *(const four *)&points[vertex[2]],
              *(const four *)&points[vertex[3]], low);
    transpose(*(const four *)&points[vertex[4]], *(const four *)&points[vertex[5]], *(const four *)&points[vertex[6]],
              *(const four *)&points[vertex[7]], high);
    store_lanes(at->x, low[0], high[0]);
    store_lanes(at->y, low[1], high[1]);
    store_lanes(at->z, low[2], high[2]);
    store_lanes(inverse_mass, low[3], high[3]);
}

static WF_ALWAYS_INLINE void scatter(wf_point *points, const int32_t vertex[LANES], const lanes3 *to,
                                  const double inverse_mass[LANES])
{
    for (int l = 0; l < LANES; l += 4) {
        four out[4];
        transpose(*(const four *)&to->x[l], *(const four *)&to->y[l], *(const four *)&to->z[l],
                  *(const four *)&inverse_mass[l], out);
        for (int k = 0; k < 4; k++) {
            *(four *)&points[vertex[l + k]] = out[k];
        }
    }
}
#else
static WF_ALWAYS_INLINE void gather(const wf_point *points, const int32_t vertex[LANES], lanes3 *at,
                                 double inverse_mass[LANES])
{
    for (int l = 0; l < LANES; l++) {
        const wf_point *p = &points[vertex[l]];
        at->x[l] = p->x;
        at->y[l] = p->y;
        at->z[l] = p->z;
        inverse_mass[l] = p->inverse_mass;
    }
}

static WF_ALWAYS_INLINE void scatter(wf_point *points, const int32_t vertex[LANES], const lanes3 *to,
                                  const double inverse_mass[LANES])
{
    for (int l = 0; l < LANES; l++) {
        points[vertex[l]] = (wf_point){to->x[l], to->y[l], to->z[l], inverse_mass[l]};
    }
}
#endif

/* x += w (new - old) for corners 1 and 2, and minus their sum for corner 0; old may be NULL. */
static WF_ALWAYS_INLINE void move_corners(lanes3 x[3], double w[3][LANES], const lanes3 *new1, const lanes3 *new2,
                                       const lanes3 *old1, const lanes3 *old2)
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double dx1 = old1 ? new1->x[l] - old1->x[l] : new1->x[l], dx2 = old2 ? new2->x[l] - old2->x[l] : new2->x[l];
        double dy1 = old1 ? new1->y[l] - old1->y[l] : new1->y[l], dy2 = old2 ? new2->y[l] - old2->y[l] : new2->y[l];
        double dz1 = old1 ? new1->z[l] - old1->z[l] : new1->z[l], dz2 = old2 ? new2->z[l] - old2->z[l] : new2->z[l];
        x[1].x[l] += w[1][l] * dx1;
        x[1].y[l] += w[1][l] * dy1;
        x[1].z[l] += w[1][l] * dz1;
        x[2].x[l] += w[2][l] * dx2;
        x[2].y[l] += w[2][l] * dy2;
        x[2].z[l] += w[2][l] * dz2;
        x[0].x[l] -= w[0][l] * (dx1 + dx2);
        x[0].y[l] -= w[0][l] * (dy1 + dy2);
        x[0].z[l] -= w[0][l] * (dz1 + dz2);
    }
}

typedef struct triple {
    wf_wide c1, c2, c3;
} triple;

/* The solution of a symmetric 3 x 3 system, by the adjugate. */
static WF_ALWAYS_INLINE triple solve_symmetric(wf_wide m11, wf_wide m12, wf_wide m13, wf_wide m22, wf_wide m23,
                                               wf_wide m33, triple c)
{
    wf_wide k11 = m22 * m33 - m23 * m23, k12 = m13 * m23 - m12 * m33, k13 = m12 * m23 - m13 * m22;
    wf_wide k22 = m11 * m33 - m13 * m13, k23 = m12 * m13 - m11 * m23, k33 = m11 * m22 - m12 * m12;
    wf_wide over = 1.0 / (m11 * k11 + m12 * k12 + m13 * k13);
    return (triple){(k11 * c.c1 + k12 * c.c2 + k13 * c.c3) * over, (k12 * c.c1 + k22 * c.c2 + k23 * c.c3) * over,
                    (k13 * c.c1 + k23 * c.c2 + k33 * c.c3) * over};
}

#endif
