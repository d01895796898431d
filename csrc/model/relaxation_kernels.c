/* relaxation_kernels.c - see relaxation_kernels.h. Each kernel gathers its vertices into lanes, computes without
 * branches, and scatters: lanes of a batch have no vertex in common. */
#include "model/relaxation_kernels.h"

#include "model/element.h"
#include "model/membrane_matrix.h"

enum { LANES = WF_RELAXATION_LANES };

/* The kernels' parts are made anew for each of their callers' constant arguments. */
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

typedef wf_relaxation_vectors lanes3;

static ALWAYS_INLINE void gather(const wf_point *points, const int32_t vertex[LANES], lanes3 *at,
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

/* way = (to - from) of the vertices, gathered. */
static ALWAYS_INLINE void gather_difference(const wf_point *points, const int32_t to[LANES], const int32_t from[LANES],
                                            lanes3 *way)
{
    for (int l = 0; l < LANES; l++) {
        const wf_point *a = &points[to[l]], *b = &points[from[l]];
        way->x[l] = a->x - b->x;
        way->y[l] = a->y - b->y;
        way->z[l] = a->z - b->z;
    }
}

static ALWAYS_INLINE void scatter(wf_point *points, const int32_t vertex[LANES], const lanes3 *to)
{
    for (int l = 0; l < LANES; l++) {
        wf_point *p = &points[vertex[l]];
        p->x = to->x[l];
        p->y = to->y[l];
        p->z = to->z[l];
    }
}

/* ---- triangles ------------------------------------------------------------------------------------------------- */

/* The polar decomposition F = R U of eight deformation gradients; see element.h. */
typedef struct frames {
    lanes3 r1, r2;
    double u11[LANES], u12[LANES], u22[LANES], over_trace[LANES];
} frames;

static ALWAYS_INLINE double lane_dot(const lanes3 *a, const lanes3 *b, int l)
{
    return a->x[l] * b->x[l] + a->y[l] * b->y[l] + a->z[l] * b->z[l];
}

/* Elements that have lost a dimension, one by one. */
static void decompose_degenerate(const lanes3 *f1, const lanes3 *f2, const double degenerate[LANES], frames *frame)
{
    for (int l = 0; l < LANES; l++) {
        if (degenerate[l] == 0) {
            continue;
        }
        wf_polar p = wf_polar_degenerate((wf_vec3){f1->x[l], f1->y[l], f1->z[l]},
                                         (wf_vec3){f2->x[l], f2->y[l], f2->z[l]});
        frame->r1.x[l] = p.r1.x;
        frame->r1.y[l] = p.r1.y;
        frame->r1.z[l] = p.r1.z;
        frame->r2.x[l] = p.r2.x;
        frame->r2.y[l] = p.r2.y;
        frame->r2.z[l] = p.r2.z;
        frame->u11[l] = p.u11;
        frame->u12[l] = p.u12;
        frame->u22[l] = p.u22;
        frame->over_trace[l] = 1 / fmax(p.trace, WF_LEAST_TRACE);
    }
}

static ALWAYS_INLINE void decompose(const wf_membrane_batch *b, const lanes3 *edge1, const lanes3 *edge2, frames *frame)
{
    lanes3 f1, f2;
    double degenerate[LANES], any = 0;
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        f1.x[l] = edge1->x[l] * b->gradient1x[l] + edge2->x[l] * b->gradient2x[l];
        f1.y[l] = edge1->y[l] * b->gradient1x[l] + edge2->y[l] * b->gradient2x[l];
        f1.z[l] = edge1->z[l] * b->gradient1x[l] + edge2->z[l] * b->gradient2x[l];
        f2.x[l] = edge1->x[l] * b->gradient1y[l] + edge2->x[l] * b->gradient2y[l];
        f2.y[l] = edge1->y[l] * b->gradient1y[l] + edge2->y[l] * b->gradient2y[l];
        f2.z[l] = edge1->z[l] * b->gradient1y[l] + edge2->z[l] * b->gradient2y[l];
        double s11 = lane_dot(&f1, &f1, l), s12 = lane_dot(&f1, &f2, l), s22 = lane_dot(&f2, &f2, l);
        double nx = f1.y[l] * f2.z[l] - f1.z[l] * f2.y[l], ny = f1.z[l] * f2.x[l] - f1.x[l] * f2.z[l];
        double nz = f1.x[l] * f2.y[l] - f1.y[l] * f2.x[l];
        double d = sqrt(nx * nx + ny * ny + nz * nz);
        degenerate[l] = d > 1e-6 * (s11 + s22) ? 0.0 : 1.0;
        d += degenerate[l]; /* whatever divides */
        double t = sqrt(s11 + s22 + 2 * d), over_t = 1 / t, over_d = 1 / d;
        double u11 = (s11 + d) * over_t, u12 = s12 * over_t, u22 = (s22 + d) * over_t;
        frame->u11[l] = u11;
        frame->u12[l] = u12;
        frame->u22[l] = u22;
        frame->over_trace[l] = over_t < 1 / WF_LEAST_TRACE ? over_t : 1 / WF_LEAST_TRACE;
        frame->r1.x[l] = (f1.x[l] * u22 - f2.x[l] * u12) * over_d;
        frame->r1.y[l] = (f1.y[l] * u22 - f2.y[l] * u12) * over_d;
        frame->r1.z[l] = (f1.z[l] * u22 - f2.z[l] * u12) * over_d;
        frame->r2.x[l] = (f2.x[l] * u11 - f1.x[l] * u12) * over_d;
        frame->r2.y[l] = (f2.y[l] * u11 - f1.y[l] * u12) * over_d;
        frame->r2.z[l] = (f2.z[l] * u11 - f1.z[l] * u12) * over_d;
    }
    for (int l = 0; l < LANES; l++) {
        any += degenerate[l];
    }
    if (any > 0) {
        decompose_degenerate(&f1, &f2, degenerate, frame);
    }
}

/* Vectors of corners 1 and 2 in the frame: along r1, r2 and the normal. */
typedef struct local_pair {
    double a1[LANES], b1[LANES], n1[LANES], a2[LANES], b2[LANES], n2[LANES];
} local_pair;

static ALWAYS_INLINE void to_frame(const frames *frame, const lanes3 *v1, const lanes3 *v2, local_pair *p)
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double x = frame->r1.y[l] * frame->r2.z[l] - frame->r1.z[l] * frame->r2.y[l];
        double y = frame->r1.z[l] * frame->r2.x[l] - frame->r1.x[l] * frame->r2.z[l];
        double z = frame->r1.x[l] * frame->r2.y[l] - frame->r1.y[l] * frame->r2.x[l];
        p->a1[l] = lane_dot(&frame->r1, v1, l);
        p->b1[l] = lane_dot(&frame->r2, v1, l);
        p->n1[l] = x * v1->x[l] + y * v1->y[l] + z * v1->z[l];
        p->a2[l] = lane_dot(&frame->r1, v2, l);
        p->b2[l] = lane_dot(&frame->r2, v2, l);
        p->n2[l] = x * v2->x[l] + y * v2->y[l] + z * v2->z[l];
    }
}

static ALWAYS_INLINE void to_space(const frames *frame, const local_pair *new, lanes3 *v1, lanes3 *v2)
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double x = frame->r1.y[l] * frame->r2.z[l] - frame->r1.z[l] * frame->r2.y[l];
        double y = frame->r1.z[l] * frame->r2.x[l] - frame->r1.x[l] * frame->r2.z[l];
        double z = frame->r1.x[l] * frame->r2.y[l] - frame->r1.y[l] * frame->r2.x[l];
        v1->x[l] = frame->r1.x[l] * new->a1[l] + frame->r2.x[l] * new->b1[l] + x * new->n1[l];
        v1->y[l] = frame->r1.y[l] * new->a1[l] + frame->r2.y[l] * new->b1[l] + y * new->n1[l];
        v1->z[l] = frame->r1.z[l] * new->a1[l] + frame->r2.z[l] * new->b1[l] + z * new->n1[l];
        v2->x[l] = frame->r1.x[l] * new->a2[l] + frame->r2.x[l] * new->b2[l] + x * new->n2[l];
        v2->y[l] = frame->r1.y[l] * new->a2[l] + frame->r2.y[l] * new->b2[l] + y * new->n2[l];
        v2->z[l] = frame->r1.z[l] * new->a2[l] + frame->r2.z[l] * new->b2[l] + z * new->n2[l];
    }
}

/* The new impulses of corners 1 and 2 along r1 and r2. moved: the corners' ways since the start relative to corner 0,
 * or NULL; old: the impulses they have, or NULL. */
static ALWAYS_INLINE void solve_triangles(const wf_membrane_batch *b, const frames *frame, const double w0[LANES],
                                          const double w1[LANES], const double w2[LANES], double over_stiffness,
                                          double over_h, const local_pair *moved, const local_pair *old,
                                          local_pair *impulse)
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double u12 = frame->u12[l], u22 = frame->u22[l];
        double g1x = b->gradient1x[l], g1y = b->gradient1y[l], g2x = b->gradient2x[l], g2y = b->gradient2y[l];
        double s1x = g1x * frame->over_trace[l], s1y = g1y * frame->over_trace[l];
        double s2x = g2x * frame->over_trace[l], s2y = g2y * frame->over_trace[l];
        /* J by corner: p along r1, q along r2 (membrane_matrix.h: dU = A - spin J U) */
        double p11 = g1x - u12 * s1y, p12 = u12 * s1y, p13 = 2 * (g1y - u22 * s1y);
        double q11 = u12 * s1x, q12 = g1y - u12 * s1x, q13 = 2 * u22 * s1x;
        double p21 = g2x - u12 * s2y, p22 = u12 * s2y, p23 = 2 * (g2y - u22 * s2y);
        double q21 = u12 * s2x, q22 = g2y - u12 * s2x, q23 = 2 * u22 * s2x;
        double p01 = -p11 - p21, p02 = -p12 - p22, p03 = -p13 - p23;
        double q01 = -q11 - q21, q02 = -q12 - q22, q03 = -q13 - q23;
        double viscous = moved ? b->viscosity[l] * over_h : 0, gain = 1 + viscous;
        double v0 = gain * w0[l], v1 = gain * w1[l], v2 = gain * w2[l];
        double m11 = b->compliance[0][l] * over_stiffness + v0 * (p01 * p01 + q01 * q01) +
                     v1 * (p11 * p11 + q11 * q11) + v2 * (p21 * p21 + q21 * q21);
        double m12 = b->compliance[1][l] * over_stiffness + v0 * (p01 * p02 + q01 * q02) +
                     v1 * (p11 * p12 + q11 * q12) + v2 * (p21 * p22 + q21 * q22);
        double m22 = b->compliance[2][l] * over_stiffness + v0 * (p02 * p02 + q02 * q02) +
                     v1 * (p12 * p12 + q12 * q12) + v2 * (p22 * p22 + q22 * q22);
        double m33 = b->compliance[3][l] * over_stiffness + v0 * (p03 * p03 + q03 * q03) +
                     v1 * (p13 * p13 + q13 * q13) + v2 * (p23 * p23 + q23 * q23);
        double m13 = v0 * (p01 * p03 + q01 * q03) + v1 * (p11 * p13 + q11 * q13) + v2 * (p21 * p23 + q21 * q23);
        double m23 = v0 * (p02 * p03 + q02 * q03) + v1 * (p12 * p13 + q12 * q13) + v2 * (p22 * p23 + q22 * q23);
        double c1 = 1 - frame->u11[l], c2 = 1 - u22, c3 = -2 * u12;
        if (moved) {
            double a1 = moved->a1[l], b1 = moved->b1[l], a2 = moved->a2[l], b2 = moved->b2[l];
            c1 -= viscous * (p11 * a1 + q11 * b1 + p21 * a2 + q21 * b2);
            c2 -= viscous * (p12 * a1 + q12 * b1 + p22 * a2 + q22 * b2);
            c3 -= viscous * (p13 * a1 + q13 * b1 + p23 * a2 + q23 * b2);
        }
        if (old) {
            double a1 = v1 * old->a1[l], b1 = v1 * old->b1[l], a2 = v2 * old->a2[l], b2 = v2 * old->b2[l];
            double a0 = -v0 * (old->a1[l] + old->a2[l]), b0 = -v0 * (old->b1[l] + old->b2[l]);
            c1 += p01 * a0 + q01 * b0 + p11 * a1 + q11 * b1 + p21 * a2 + q21 * b2;
            c2 += p02 * a0 + q02 * b0 + p12 * a1 + q12 * b1 + p22 * a2 + q22 * b2;
            c3 += p03 * a0 + q03 * b0 + p13 * a1 + q13 * b1 + p23 * a2 + q23 * b2;
        }
        /* positive definite: the compliance is */
        double k11 = m22 * m33 - m23 * m23, k12 = m13 * m23 - m12 * m33, k13 = m12 * m23 - m13 * m22;
        double k22 = m11 * m33 - m13 * m13, k23 = m12 * m13 - m11 * m23, k33 = m11 * m22 - m12 * m12;
        double over = 1 / (m11 * k11 + m12 * k12 + m13 * k13);
        double n1 = (k11 * c1 + k12 * c2 + k13 * c3) * over, n2 = (k12 * c1 + k22 * c2 + k23 * c3) * over;
        double n3 = (k13 * c1 + k23 * c2 + k33 * c3) * over;
        double a1 = p11 * n1 + p12 * n2 + p13 * n3, b1 = q11 * n1 + q12 * n2 + q13 * n3;
        double a2 = p21 * n1 + p22 * n2 + p23 * n3, b2 = q21 * n1 + q22 * n2 + q23 * n3;
        double keep = 0;
        if (old) {
            /* The old impulse turns into the new frame, and turning it moves the corners, which turns the frame: with
             * tension T = -n that has the stiffness T : U against spin, and g T g against tilting. Taken implicitly
             * (tilting by a bound), or stiff cloth under tension would begin to swing between passes. */
            double spinning = -(n1 * frame->u11[l] + 2 * n3 * u12 + n2 * u22);
            spinning = spinning > 0 ? spinning : 0;
            double c0x = -s1x - s2x, c0y = -s1y - s2y, da1 = a1 - old->a1[l], db1 = b1 - old->b1[l];
            double da2 = a2 - old->a2[l], db2 = b2 - old->b2[l], da0 = -da1 - da2, db0 = -db1 - db2;
            double turned = w0[l] * (c0x * db0 - c0y * da0) + w1[l] * (s1x * db1 - s1y * da1) +
                            w2[l] * (s2x * db2 - s2y * da2);
            double mobility = w0[l] * (c0x * c0x + c0y * c0y) + w1[l] * (s1x * s1x + s1y * s1y) +
                              w2[l] * (s2x * s2x + s2y * s2y);
            double n0 = -spinning * turned / (1 + spinning * mobility);
            a1 -= s1y * n0;
            b1 += s1x * n0;
            a2 -= s2y * n0;
            b2 += s2x * n0;
            double mean = -0.5 * (n1 + n2), half = 0.5 * (n1 - n2), tension = mean + sqrt(half * half + n3 * n3);
            double g0x = g1x + g2x, g0y = g1y + g2y;
            double tilting = w0[l] * (g0x * g0x + g0y * g0y) + w1[l] * (g1x * g1x + g1y * g1y) +
                             w2[l] * (g2x * g2x + g2y * g2y);
            tilting *= tension > 0 ? tension : 0;
            keep = tilting / (1 + tilting);
        }
        impulse->a1[l] = a1;
        impulse->b1[l] = b1;
        impulse->n1[l] = old ? keep * old->n1[l] : 0;
        impulse->a2[l] = a2;
        impulse->b2[l] = b2;
        impulse->n2[l] = old ? keep * old->n2[l] : 0;
    }
}

static ALWAYS_INLINE void relax_triangles(const wf_membrane_batch *b, wf_membrane_impulse *impulse,
                                          double over_stiffness, double over_h, bool first, const wf_point *start,
                                          wf_point *points)
{
    lanes3 x0, x1, x2, edge1, edge2;
    double w0[LANES], w1[LANES], w2[LANES];
    frames frame;
    local_pair moved, old, new;
    gather(points, b->vertex[0], &x0, w0);
    gather(points, b->vertex[1], &x1, w1);
    gather(points, b->vertex[2], &x2, w2);
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        edge1.x[l] = x1.x[l] - x0.x[l];
        edge1.y[l] = x1.y[l] - x0.y[l];
        edge1.z[l] = x1.z[l] - x0.z[l];
        edge2.x[l] = x2.x[l] - x0.x[l];
        edge2.y[l] = x2.y[l] - x0.y[l];
        edge2.z[l] = x2.z[l] - x0.z[l];
    }
    decompose(b, &edge1, &edge2, &frame);
    if (start) {
        lanes3 was1, was2;
        gather_difference(start, b->vertex[1], b->vertex[0], &was1);
        gather_difference(start, b->vertex[2], b->vertex[0], &was2);
    WF_LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            was1.x[l] = edge1.x[l] - was1.x[l];
            was1.y[l] = edge1.y[l] - was1.y[l];
            was1.z[l] = edge1.z[l] - was1.z[l];
            was2.x[l] = edge2.x[l] - was2.x[l];
            was2.y[l] = edge2.y[l] - was2.y[l];
            was2.z[l] = edge2.z[l] - was2.z[l];
        }
        to_frame(&frame, &was1, &was2, &moved);
    }
    lanes3 old1 = {{0}, {0}, {0}}, old2 = {{0}, {0}, {0}};
    if (!first) {
        old1 = impulse->corner1;
        old2 = impulse->corner2;
        to_frame(&frame, &old1, &old2, &old);
    }
    solve_triangles(b, &frame, w0, w1, w2, over_stiffness, over_h, start ? &moved : NULL, first ? NULL : &old, &new);
    lanes3 new1, new2;
    to_space(&frame, &new, &new1, &new2);
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double dx1 = new1.x[l] - old1.x[l], dy1 = new1.y[l] - old1.y[l], dz1 = new1.z[l] - old1.z[l];
        double dx2 = new2.x[l] - old2.x[l], dy2 = new2.y[l] - old2.y[l], dz2 = new2.z[l] - old2.z[l];
        x1.x[l] += w1[l] * dx1;
        x1.y[l] += w1[l] * dy1;
        x1.z[l] += w1[l] * dz1;
        x2.x[l] += w2[l] * dx2;
        x2.y[l] += w2[l] * dy2;
        x2.z[l] += w2[l] * dz2;
        x0.x[l] -= w0[l] * (dx1 + dx2);
        x0.y[l] -= w0[l] * (dy1 + dy2);
        x0.z[l] -= w0[l] * (dz1 + dz2);
    }
    impulse->corner1 = new1;
    impulse->corner2 = new2;
    scatter(points, b->vertex[0], &x0);
    scatter(points, b->vertex[1], &x1);
    scatter(points, b->vertex[2], &x2);
}

static void relax_membranes(const wf_membrane_batch *batches, wf_membrane_impulse *impulses, size_t begin, size_t end,
                            double over_stiffness, double over_h, bool first, const wf_point *start, wf_point *points)
{
    /* Four loops without the tests that do not change in them. */
    if (first && !start) {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, over_h, true, NULL, points);
        }
    } else if (first) {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, over_h, true, start, points);
        }
    } else if (!start) {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, over_h, false, NULL, points);
        }
    } else {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, over_h, false, start, points);
        }
    }
}

/* ---- patches --------------------------------------------------------------------------------------------------- */

/* The vertices of hinge h after its first, corner h. */
static const int hinge_vertex[3][3] = {{1, 2, 3}, {2, 0, 4}, {0, 1, 5}};

/* strain[h] += sum of the weights times one coordinate of the vertices, less that of corner h */
static ALWAYS_INLINE void add_curvature(const wf_bending_batch *b, int h, double scale[LANES],
                                        const double origin[LANES], const double a[LANES], const double c[LANES],
                                        const double far[LANES], double strain[LANES])
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        strain[l] += scale[l] * (b->weight[h][0][l] * (a[l] - origin[l]) + b->weight[h][1][l] * (c[l] - origin[l]) +
                                 b->weight[h][2][l] * (far[l] - origin[l]));
    }
}

/* One coordinate: the change of the multipliers, written to `change`. */
static ALWAYS_INLINE void solve_patches(const wf_bending_batch *b, bool first, int axis, wf_bending_impulse *impulse,
                                        double strain[3][LANES], double change[3][LANES])
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double s0 = strain[0][l], s1 = strain[1][l], s2 = strain[2][l];
        double d0 = -(b->gain[0][l] * s0 + b->gain[1][l] * s1 + b->gain[2][l] * s2);
        double d1 = -(b->gain[1][l] * s0 + b->gain[3][l] * s1 + b->gain[4][l] * s2);
        double d2 = -(b->gain[2][l] * s0 + b->gain[4][l] * s1 + b->gain[5][l] * s2);
        double m0 = 0, m1 = 0, m2 = 0;
        if (!first) {
            m0 = impulse->multiplier[0][axis][l];
            m1 = impulse->multiplier[1][axis][l];
            m2 = impulse->multiplier[2][axis][l];
            d0 -= b->inverse[0][0][l] * m0 + b->inverse[0][1][l] * m1 + b->inverse[0][2][l] * m2;
            d1 -= b->inverse[1][0][l] * m0 + b->inverse[1][1][l] * m1 + b->inverse[1][2][l] * m2;
            d2 -= b->inverse[2][0][l] * m0 + b->inverse[2][1][l] * m1 + b->inverse[2][2][l] * m2;
        }
        impulse->multiplier[0][axis][l] = m0 + d0;
        impulse->multiplier[1][axis][l] = m1 + d1;
        impulse->multiplier[2][axis][l] = m2 + d2;
        change[0][l] = d0;
        change[1][l] = d1;
        change[2][l] = d2;
    }
}

/* One coordinate of the six vertices moves. */
static ALWAYS_INLINE void move_patches(const wf_bending_batch *b, double change[3][LANES], double *const x[6],
                                       double w[6][LANES])
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        double d0 = change[0][l], d1 = change[1][l], d2 = change[2][l];
        double a01 = b->weight[0][0][l] * d0, a02 = b->weight[0][1][l] * d0, a03 = b->weight[0][2][l] * d0;
        double a12 = b->weight[1][0][l] * d1, a10 = b->weight[1][1][l] * d1, a14 = b->weight[1][2][l] * d1;
        double a20 = b->weight[2][0][l] * d2, a21 = b->weight[2][1][l] * d2, a25 = b->weight[2][2][l] * d2;
        x[0][l] += w[0][l] * (a10 + a20 - (a01 + a02 + a03));
        x[1][l] += w[1][l] * (a01 + a21 - (a12 + a10 + a14));
        x[2][l] += w[2][l] * (a02 + a12 - (a20 + a21 + a25));
        x[3][l] += w[3][l] * a03;
        x[4][l] += w[4][l] * a14;
        x[5][l] += w[5][l] * a25;
    }
}

static ALWAYS_INLINE void relax_patches(const wf_bending_batch *b, wf_bending_impulse *impulse, double over_h,
                                        bool first, const wf_point *start, wf_point *points)
{
    lanes3 at[6], was[6];
    double w[6][LANES], one[LANES], viscous[LANES], unused[LANES];
    for (int a = 0; a < 6; a++) {
        gather(points, b->vertex[a], &at[a], w[a]);
        if (start) {
            gather(start, b->vertex[a], &was[a], unused);
        }
    }
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        viscous[l] = start ? -b->viscosity[l] * over_h : 0;
        one[l] = 1 - viscous[l];
    }
    for (int axis = 0; axis < 3; axis++) {
        double *const x[6] = {(double *)&at[0] + axis * LANES, (double *)&at[1] + axis * LANES,
                              (double *)&at[2] + axis * LANES, (double *)&at[3] + axis * LANES,
                              (double *)&at[4] + axis * LANES, (double *)&at[5] + axis * LANES};
        double strain[3][LANES] = {{0}}, change[3][LANES];
        for (int h = 0; h < 3; h++) {
            const int *v = hinge_vertex[h];
            add_curvature(b, h, one, x[h], x[v[0]], x[v[1]], x[v[2]], strain[h]);
            if (start) {
                const double *y[6];
                for (int a = 0; a < 6; a++) {
                    y[a] = (const double *)&was[a] + axis * LANES;
                }
                add_curvature(b, h, viscous, y[h], y[v[0]], y[v[1]], y[v[2]], strain[h]);
            }
        }
        solve_patches(b, first, axis, impulse, strain, change);
        move_patches(b, change, x, w);
    }
    for (int a = 0; a < 6; a++) {
        scatter(points, b->vertex[a], &at[a]);
    }
}

static void relax_bendings(const wf_bending_batch *batches, wf_bending_impulse *impulses, size_t begin, size_t end,
                           double over_h, bool first, const wf_point *start, wf_point *points)
{
    if (first && !start) {
        for (size_t k = begin; k < end; k++) {
            relax_patches(&batches[k], &impulses[k], over_h, true, NULL, points);
        }
    } else if (!start) {
        for (size_t k = begin; k < end; k++) {
            relax_patches(&batches[k], &impulses[k], over_h, false, NULL, points);
        }
    } else {
        for (size_t k = begin; k < end; k++) {
            relax_patches(&batches[k], &impulses[k], over_h, first, start, points);
        }
    }
}

const wf_relaxation_kernels WF_KERNELS(wf_relaxation_kernels) = {.membranes = relax_membranes,
                                                                 .bendings = relax_bendings};
