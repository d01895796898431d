/* relaxation_kernels.c - see relaxation_kernels.h. Each kernel gathers its vertices into lanes, computes without
 * branches, and scatters: lanes of a batch have no vertex in common. */
#include "model/relaxation_kernels.h"

#include "model/element.h"
#include "model/membrane_matrix.h"
#include "model/relaxation_lanes.h"

/* ---- triangles ------------------------------------------------------------------------------------------------- */

/* The polar decomposition F = R U of eight deformation gradients; see element.h. */
typedef struct frames {
    lanes3 r1, r2;
    double u11[LANES], u12[LANES], u22[LANES], over_trace[LANES];
} frames;

static WF_ALWAYS_INLINE double lane_dot(const lanes3 *a, const lanes3 *b, int l)
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

static WF_ALWAYS_INLINE void decompose(const wf_membrane_batch *b, const lanes3 *edge1, const lanes3 *edge2,
                                       frames *frame)
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

static WF_ALWAYS_INLINE void to_frame(const frames *frame, const lanes3 *v1, const lanes3 *v2, local_pair *p)
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

static WF_ALWAYS_INLINE void to_space(const frames *frame, const local_pair *new, lanes3 *v1, lanes3 *v2)
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

/* J of one triangle by corner: p along r1, q along r2, of U11, U22 and 2 U12 (membrane_matrix.h: dU = A - spin J U);
 * corner 0 has minus their sum. s: the shape gradients over the trace of U, which turn the frame. */
typedef struct strain_rows {
    double p11, p12, p13, q11, q12, q13;
    double p21, p22, p23, q21, q22, q23;
    double s1x, s1y, s2x, s2y;
} strain_rows;

static WF_ALWAYS_INLINE strain_rows rows_of(const wf_membrane_batch *b, const frames *frame, int l)
{
    double u12 = frame->u12[l], u22 = frame->u22[l];
    double g1x = b->gradient1x[l], g1y = b->gradient1y[l], g2x = b->gradient2x[l], g2y = b->gradient2y[l];
    double s1x = g1x * frame->over_trace[l], s1y = g1y * frame->over_trace[l];
    double s2x = g2x * frame->over_trace[l], s2y = g2y * frame->over_trace[l];
    return (strain_rows){g1x - u12 * s1y, u12 * s1y,       2 * (g1y - u22 * s1y), u12 * s1x, g1y - u12 * s1x,
                         2 * u22 * s1x,   g2x - u12 * s2y, u12 * s2y,             2 * (g2y - u22 * s2y),
                         u12 * s2x,       g2y - u12 * s2x, 2 * u22 * s2x,         s1x,       s1y,
                         s2x,             s2y};
}

/* J times vectors of the corners 1 and 2 in the frame, those of corner 0 being zero. */
static WF_ALWAYS_INLINE triple strains_of(const strain_rows *r, double a1, double b1, double a2, double b2)
{
    return (triple){r->p11 * a1 + r->q11 * b1 + r->p21 * a2 + r->q21 * b2,
                    r->p12 * a1 + r->q12 * b1 + r->p22 * a2 + r->q22 * b2,
                    r->p13 * a1 + r->q13 * b1 + r->p23 * a2 + r->q23 * b2};
}

/* (compliance + J W J^T)^-1 c, positive definite because the compliance is. */
static WF_ALWAYS_INLINE triple solve_strains(const wf_membrane_batch *b, const strain_rows *r, double over_stiffness,
                                          double w0, double w1, double w2, triple c, int l)
{
    double p01 = -r->p11 - r->p21, p02 = -r->p12 - r->p22, p03 = -r->p13 - r->p23;
    double q01 = -r->q11 - r->q21, q02 = -r->q12 - r->q22, q03 = -r->q13 - r->q23;
    double m11 = b->compliance[0][l] * over_stiffness + w0 * (p01 * p01 + q01 * q01) +
                 w1 * (r->p11 * r->p11 + r->q11 * r->q11) + w2 * (r->p21 * r->p21 + r->q21 * r->q21);
    double m12 = b->compliance[1][l] * over_stiffness + w0 * (p01 * p02 + q01 * q02) +
                 w1 * (r->p11 * r->p12 + r->q11 * r->q12) + w2 * (r->p21 * r->p22 + r->q21 * r->q22);
    double m22 = b->compliance[2][l] * over_stiffness + w0 * (p02 * p02 + q02 * q02) +
                 w1 * (r->p12 * r->p12 + r->q12 * r->q12) + w2 * (r->p22 * r->p22 + r->q22 * r->q22);
    double m33 = b->compliance[3][l] * over_stiffness + w0 * (p03 * p03 + q03 * q03) +
                 w1 * (r->p13 * r->p13 + r->q13 * r->q13) + w2 * (r->p23 * r->p23 + r->q23 * r->q23);
    double m13 = w0 * (p01 * p03 + q01 * q03) + w1 * (r->p11 * r->p13 + r->q11 * r->q13) +
                 w2 * (r->p21 * r->p23 + r->q21 * r->q23);
    double m23 = w0 * (p02 * p03 + q02 * q03) + w1 * (r->p12 * r->p13 + r->q12 * r->q13) +
                 w2 * (r->p22 * r->p23 + r->q22 * r->q23);
    return solve_symmetric(m11, m12, m13, m22, m23, m33, c);
}

/* J^T n on corners 1 and 2. */
static WF_ALWAYS_INLINE void spread_strains(const strain_rows *r, triple n, int l, local_pair *impulse)
{
    impulse->a1[l] = r->p11 * n.c1 + r->p12 * n.c2 + r->p13 * n.c3;
    impulse->b1[l] = r->q11 * n.c1 + r->q12 * n.c2 + r->q13 * n.c3;
    impulse->a2[l] = r->p21 * n.c1 + r->p22 * n.c2 + r->p23 * n.c3;
    impulse->b2[l] = r->q21 * n.c1 + r->q22 * n.c2 + r->q23 * n.c3;
}

/* The old impulse turns into the new frame, and turning it moves the corners, which turns the frame: with the tension
 * T = -n that has the stiffness T : U against spin, and g T g against tilting. Taken implicitly (tilting by a bound),
 * or stiff cloth under tension would begin to swing between passes. */
static WF_ALWAYS_INLINE void hold_turning(const wf_membrane_batch *b, const frames *frame, const strain_rows *r,
                                       double w0, double w1, double w2, triple n, const local_pair *old, int l,
                                       local_pair *impulse)
{
    double spinning = -(n.c1 * frame->u11[l] + 2 * n.c3 * frame->u12[l] + n.c2 * frame->u22[l]);
    spinning = spinning > 0 ? spinning : 0;
    double s0x = -r->s1x - r->s2x, s0y = -r->s1y - r->s2y;
    double da1 = impulse->a1[l] - old->a1[l], db1 = impulse->b1[l] - old->b1[l];
    double da2 = impulse->a2[l] - old->a2[l], db2 = impulse->b2[l] - old->b2[l];
    double turned = w1 * (r->s1x * db1 - r->s1y * da1) + w2 * (r->s2x * db2 - r->s2y * da2) -
                    w0 * (s0x * (db1 + db2) - s0y * (da1 + da2));
    double mobility = w0 * (s0x * s0x + s0y * s0y) + w1 * (r->s1x * r->s1x + r->s1y * r->s1y) +
                      w2 * (r->s2x * r->s2x + r->s2y * r->s2y);
    double n0 = -spinning * turned / (1 + spinning * mobility);
    impulse->a1[l] -= r->s1y * n0;
    impulse->b1[l] += r->s1x * n0;
    impulse->a2[l] -= r->s2y * n0;
    impulse->b2[l] += r->s2x * n0;

    double half = 0.5 * (n.c1 - n.c2), tension = sqrt(half * half + n.c3 * n.c3) - 0.5 * (n.c1 + n.c2);
    double g1x = b->gradient1x[l], g1y = b->gradient1y[l], g2x = b->gradient2x[l], g2y = b->gradient2y[l];
    double g0x = g1x + g2x, g0y = g1y + g2y;
    double tilting = (tension > 0 ? tension : 0) * (w0 * (g0x * g0x + g0y * g0y) + w1 * (g1x * g1x + g1y * g1y) +
                                                    w2 * (g2x * g2x + g2y * g2y));
    double keep = tilting / (1 + tilting);
    impulse->n1[l] = keep * old->n1[l];
    impulse->n2[l] = keep * old->n2[l];
}

/* The impulses that balance the triangles in their frames; old: those they have, or NULL. */
static WF_ALWAYS_INLINE void balance_triangles(const wf_membrane_batch *b, const frames *frame, double w[3][LANES],
                                            double over_stiffness, const local_pair *old, local_pair *impulse)
{
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        strain_rows r = rows_of(b, frame, l);
        double w0 = w[0][l], w1 = w[1][l], w2 = w[2][l];
        triple c = {1 - frame->u11[l], 1 - frame->u22[l], -2 * frame->u12[l]};
        if (old) {
            /* what the strain would be without the old impulse: the ways relative to corner 0 */
            double a0 = -w0 * (old->a1[l] + old->a2[l]), b0 = -w0 * (old->b1[l] + old->b2[l]);
            triple had = strains_of(&r, w1 * old->a1[l] - a0, w1 * old->b1[l] - b0, w2 * old->a2[l] - a0,
                                    w2 * old->b2[l] - b0);
            c.c1 += had.c1;
            c.c2 += had.c2;
            c.c3 += had.c3;
        }
        triple n = solve_strains(b, &r, over_stiffness, w0, w1, w2, c, l);
        spread_strains(&r, n, l, impulse);
        impulse->n1[l] = impulse->n2[l] = 0;
        if (old) {
            hold_turning(b, frame, &r, w0, w1, w2, n, old, l, impulse);
        }
    }
}

static WF_ALWAYS_INLINE void frame_triangles(const wf_membrane_batch *b, const lanes3 x[3], frames *frame)
{
    lanes3 edge1, edge2;
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        edge1.x[l] = x[1].x[l] - x[0].x[l];
        edge1.y[l] = x[1].y[l] - x[0].y[l];
        edge1.z[l] = x[1].z[l] - x[0].z[l];
        edge2.x[l] = x[2].x[l] - x[0].x[l];
        edge2.y[l] = x[2].y[l] - x[0].y[l];
        edge2.z[l] = x[2].z[l] - x[0].z[l];
    }
    decompose(b, &edge1, &edge2, frame);
}

static WF_ALWAYS_INLINE void relax_triangles(const wf_membrane_batch *b, wf_membrane_impulse *impulse,
                                          double over_stiffness, bool first, wf_point *points)
{
    lanes3 x[3], new1, new2;
    double w[3][LANES];
    frames frame;
    local_pair old, new;
    for (int k = 0; k < 3; k++) {
        gather(points, b->vertex[k], &x[k], w[k]);
    }
    frame_triangles(b, x, &frame);
    if (!first) {
        to_frame(&frame, &impulse->corner1, &impulse->corner2, &old);
    }
    balance_triangles(b, &frame, w, over_stiffness, first ? NULL : &old, &new);
    to_space(&frame, &new, &new1, &new2);
    move_corners(x, w, &new1, &new2, first ? NULL : &impulse->corner1, first ? NULL : &impulse->corner2);
    impulse->corner1 = new1;
    impulse->corner2 = new2;
    for (int k = 0; k < 3; k++) {
        scatter(points, b->vertex[k], &x[k], w[k]);
    }
}

static void relax_membranes(const wf_membrane_batch *batches, wf_membrane_impulse *impulses, size_t begin, size_t end,
                            double over_stiffness, bool first, wf_point *points)
{
    /* Two loops without the test that does not change in them. */
    if (first) {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, true, points);
        }
    } else {
        for (size_t k = begin; k < end; k++) {
            relax_triangles(&batches[k], &impulses[k], over_stiffness, false, points);
        }
    }
}

/* ---- viscosity ------------------------------------------------------------------------------------------------- */

/* The velocities' v' = v + W J^T L with L = -h eta S J v': linear, and the multipliers L are kept. */
static WF_ALWAYS_INLINE void damp_triangles(const wf_membrane_batch *b, wf_membrane_drag *drag, double over_stiffness,
                                         const wf_point *points, wf_point *velocities)
{
    lanes3 x[3], v[3], way1, way2;
    double w[3][LANES];
    frames frame;
    local_pair rate, impulse;
    for (int k = 0; k < 3; k++) {
        gather(points, b->vertex[k], &x[k], w[k]);
        gather(velocities, b->vertex[k], &v[k], w[k]);
    }
    frame_triangles(b, x, &frame);
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        way1.x[l] = v[1].x[l] - v[0].x[l];
        way1.y[l] = v[1].y[l] - v[0].y[l];
        way1.z[l] = v[1].z[l] - v[0].z[l];
        way2.x[l] = v[2].x[l] - v[0].x[l];
        way2.y[l] = v[2].y[l] - v[0].y[l];
        way2.z[l] = v[2].z[l] - v[0].z[l];
    }
    to_frame(&frame, &way1, &way2, &rate);
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        strain_rows r = rows_of(b, &frame, l);
        double soft = over_stiffness / (b->viscosity[l] > 1e-12 ? b->viscosity[l] : 1e-12);
        double n1 = drag->multiplier[0][l], n2 = drag->multiplier[1][l], n3 = drag->multiplier[2][l];
        triple strain = strains_of(&r, rate.a1[l], rate.b1[l], rate.a2[l], rate.b2[l]);
        triple c = {-strain.c1 - soft * (b->compliance[0][l] * n1 + b->compliance[1][l] * n2),
                    -strain.c2 - soft * (b->compliance[1][l] * n1 + b->compliance[2][l] * n2),
                    -strain.c3 - soft * b->compliance[3][l] * n3};
        triple change = solve_strains(b, &r, soft, w[0][l], w[1][l], w[2][l], c, l);
        drag->multiplier[0][l] = n1 + change.c1;
        drag->multiplier[1][l] = n2 + change.c2;
        drag->multiplier[2][l] = n3 + change.c3;
        spread_strains(&r, change, l, &impulse);
        impulse.n1[l] = impulse.n2[l] = 0;
    }
    to_space(&frame, &impulse, &way1, &way2);
    move_corners(v, w, &way1, &way2, NULL, NULL);
    for (int k = 0; k < 3; k++) {
        scatter(velocities, b->vertex[k], &v[k], w[k]);
    }
}

static void damp_membranes(const wf_membrane_batch *batches, wf_membrane_drag *drags, size_t begin, size_t end,
                           double over_stiffness, const wf_point *points, wf_point *velocities)
{
    for (size_t k = begin; k < end; k++) {
        damp_triangles(&batches[k], &drags[k], over_stiffness, points, velocities);
    }
}

/* ---- bending --------------------------------------------------------------------------------------------------- */

/* strain += scale times those of one coordinate of the vertices */
static WF_ALWAYS_INLINE void add_bending(const wf_bending_batch *b, const double scale[LANES],
                                         const double *const x[WF_PATCH_VERTICES],
                                         double strain[WF_PATCH_STRAINS][LANES])
{
    for (int a = 1; a < WF_PATCH_VERTICES; a++) {
        double arm[LANES];
        WF_LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            arm[l] = scale[l] * (x[a][l] - x[0][l]);
        }
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            WF_LANE_LOOP
            for (int l = 0; l < LANES; l++) {
                strain[s][l] += b->weight[s][a - 1][l] * arm[l];
            }
        }
    }
}

/* One coordinate: the change of the multipliers, -P (stiffness strain + what they were). */
static WF_ALWAYS_INLINE void solve_bending(const wf_bending_batch *b, double stiffness, bool first, int axis,
                                           wf_bending_impulse *impulse, double strain[WF_PATCH_STRAINS][LANES],
                                           double change[WF_PATCH_STRAINS][LANES])
{
    for (int s = 0; s < WF_PATCH_STRAINS; s++) {
        WF_LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            strain[s][l] = stiffness * strain[s][l] + (first ? 0 : impulse->multiplier[s][axis][l]);
            change[s][l] = 0;
        }
    }
    for (int s = 0, entry = 0; s < WF_PATCH_STRAINS; s++) {
        for (int t = s; t < WF_PATCH_STRAINS; t++, entry++) {
            WF_LANE_LOOP
            for (int l = 0; l < LANES; l++) {
                change[s][l] -= b->inverse[entry][l] * strain[t][l];
                change[t][l] -= t > s ? b->inverse[entry][l] * strain[s][l] : 0;
            }
        }
    }
    for (int s = 0; s < WF_PATCH_STRAINS; s++) {
        WF_LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            impulse->multiplier[s][axis][l] = (first ? 0 : impulse->multiplier[s][axis][l]) + change[s][l];
        }
    }
}

/* One coordinate of the vertices moves. */
static WF_ALWAYS_INLINE void move_bending(const wf_bending_batch *b, double change[WF_PATCH_STRAINS][LANES],
                                          double *const x[WF_PATCH_VERTICES], double w[WF_PATCH_VERTICES][LANES])
{
    double rest[LANES] = {0};
    for (int a = 1; a < WF_PATCH_VERTICES; a++) {
        double sum[LANES] = {0};
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            WF_LANE_LOOP
            for (int l = 0; l < LANES; l++) {
                sum[l] += b->weight[s][a - 1][l] * change[s][l];
            }
        }
        WF_LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            x[a][l] += w[a][l] * sum[l];
            rest[l] -= sum[l];
        }
    }
    WF_LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        x[0][l] += w[0][l] * rest[l];
    }
}

static WF_ALWAYS_INLINE void relax_bending(const wf_bending_batch *b, wf_bending_impulse *impulse, double stiffness,
                                           double over_h, bool first, const wf_point *start, wf_point *points)
{
    lanes3 at[WF_PATCH_VERTICES], was[WF_PATCH_VERTICES];
    double w[WF_PATCH_VERTICES][LANES], one[LANES], viscous[LANES], unused[LANES];
    for (int a = 0; a < WF_PATCH_VERTICES; a++) {
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
        double *x[WF_PATCH_VERTICES];
        const double *y[WF_PATCH_VERTICES];
        double strain[WF_PATCH_STRAINS][LANES] = {{0}}, change[WF_PATCH_STRAINS][LANES];
        for (int a = 0; a < WF_PATCH_VERTICES; a++) {
            x[a] = (double *)&at[a] + axis * LANES;
            y[a] = (const double *)&was[a] + axis * LANES;
        }
        add_bending(b, one, (const double *const *)x, strain);
        if (start) {
            add_bending(b, viscous, y, strain);
        }
        solve_bending(b, stiffness, first, axis, impulse, strain, change);
        move_bending(b, change, x, w);
    }
    for (int a = 0; a < WF_PATCH_VERTICES; a++) {
        scatter(points, b->vertex[a], &at[a], w[a]);
    }
}

static void relax_bendings(const wf_bending_batch *batches, wf_bending_impulse *impulses, size_t begin, size_t end,
                           double stiffness, double over_h, bool first, const wf_point *start, wf_point *points)
{
    for (size_t k = begin; k < end; k++) {
        if (first && !start) {
            relax_bending(&batches[k], &impulses[k], stiffness, over_h, true, NULL, points);
        } else if (!start) {
            relax_bending(&batches[k], &impulses[k], stiffness, over_h, false, NULL, points);
        } else {
            relax_bending(&batches[k], &impulses[k], stiffness, over_h, first, start, points);
        }
    }
}

const wf_relaxation_kernels WF_KERNELS(wf_relaxation_kernels) = {{relax_membranes, damp_membranes}, relax_bendings};
