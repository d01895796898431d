/* weave_relaxation_kernels.c - a weave's triangles as compliant constraints; see relaxation_kernels.h.
 *
 * A strain changes with the columns of F alone: with the shape gradients (gx, gy) of the corners and a, b the
 * derivatives of a strain by u and v, by a corner it is gx a + gy b. All that is to be known of the inverse masses w is
 * in three sums, of w gx^2, w gx gy and w gy^2. */
#define WF_WIDE_KERNELS
#include "model/membrane_weave.h"
#include "model/relaxation_lanes.h"

static WF_ALWAYS_INLINE wf_wide3 read(const lanes3 *from, int lane)
{
    return (wf_wide3){wf_wide_load(from->x + lane), wf_wide_load(from->y + lane), wf_wide_load(from->z + lane)};
}

static WF_ALWAYS_INLINE void write(lanes3 *to, int lane, wf_wide3 a)
{
    wf_wide_store(to->x + lane, a.x);
    wf_wide_store(to->y + lane, a.y);
    wf_wide_store(to->z + lane, a.z);
}

/* a s + b t */
static WF_ALWAYS_INLINE wf_wide3 combine(wf_wide3 a, wf_wide s, wf_wide3 b, wf_wide t)
{
    return wf_wide3_muladds(wf_wide3_scale(a, s), b, t);
}

/* What a vector of triangles knows of itself. */
typedef struct triangles {
    wf_wide gx[3], gy[3];       /* shape gradients of the corners */
    wf_wide w[3], xx, xy, yy;   /* inverse masses, and the sums of them */
    wf_wide compliance[4];
    wf_threads threads;
    wf_wide3 weft, warp;        /* u / |u| and v / |v|: derivatives of e1 by u and of e2 by v */
    wf_wide3 shear_u, shear_v;  /* those of e3 */
} triangles;

/* The sum over corners of shape gradient times value, for values relative to that of corner 0. */
static WF_ALWAYS_INLINE void columns_of(const triangles *t, const lanes3 x[3], int lane, wf_wide3 columns[2])
{
    wf_wide3 origin = read(&x[0], lane);
    wf_wide3 edge1 = wf_wide3_sub(read(&x[1], lane), origin), edge2 = wf_wide3_sub(read(&x[2], lane), origin);
    columns[0] = combine(edge1, t->gx[1], edge2, t->gx[2]);
    columns[1] = combine(edge1, t->gy[1], edge2, t->gy[2]);
}

static WF_ALWAYS_INLINE triangles read_triangles(const wf_membrane_batch *b, const lanes3 x[3], double w[3][LANES],
                                                 int lane, wf_wide softness)
{
    triangles t = {.gx = {wf_wide_set(0), wf_wide_load(b->gradient1x + lane), wf_wide_load(b->gradient2x + lane)},
                   .gy = {wf_wide_set(0), wf_wide_load(b->gradient1y + lane), wf_wide_load(b->gradient2y + lane)},
                   .xx = wf_wide_set(0), .xy = wf_wide_set(0), .yy = wf_wide_set(0)};
    t.gx[0] = -(t.gx[1] + t.gx[2]);
    t.gy[0] = -(t.gy[1] + t.gy[2]);
    for (int k = 0; k < 3; k++) {
        t.w[k] = wf_wide_load(w[k] + lane);
        t.xx += t.w[k] * t.gx[k] * t.gx[k];
        t.xy += t.w[k] * t.gx[k] * t.gy[k];
        t.yy += t.w[k] * t.gy[k] * t.gy[k];
    }
    for (int k = 0; k < 4; k++) {
        t.compliance[k] = softness * wf_wide_load(b->compliance[k] + lane);
    }
    wf_wide3 columns[2];
    columns_of(&t, x, lane, columns);
    t.threads = wf_threads_of(columns[0], columns[1]);
    t.weft = wf_wide3_scale(t.threads.u, t.threads.over_u);
    t.warp = wf_wide3_scale(t.threads.v, t.threads.over_v);
    wf_wide3 s = wf_wide3_scale(t.threads.s, WF_OVER_ROOT2 * t.threads.over_s);
    wf_wide3 d = wf_wide3_scale(t.threads.d, WF_OVER_ROOT2 * t.threads.over_d);
    t.shear_u = wf_wide3_sub(s, d);
    t.shear_v = wf_wide3_add(s, d);
    return t;
}

static WF_ALWAYS_INLINE triple strains_of(const triangles *t, wf_wide3 du, wf_wide3 dv)
{
    return (triple){wf_wide3_dot(t->weft, du), wf_wide3_dot(t->warp, dv),
                    wf_wide3_dot(t->shear_u, du) + wf_wide3_dot(t->shear_v, dv)};
}

/* (compliance + J W J^T)^-1 c */
static WF_ALWAYS_INLINE triple solve_strains(const triangles *t, triple c)
{
    wf_wide3 moved_u = combine(t->shear_u, t->xx, t->shear_v, t->xy);
    wf_wide3 moved_v = combine(t->shear_u, t->xy, t->shear_v, t->yy);
    wf_wide m33 = wf_wide3_dot(t->shear_u, moved_u) + wf_wide3_dot(t->shear_v, moved_v);
    return solve_symmetric(t->compliance[0] + t->xx, t->compliance[1] + t->xy * wf_wide3_dot(t->weft, t->warp),
                           wf_wide3_dot(t->weft, moved_u), t->compliance[2] + t->yy, wf_wide3_dot(t->warp, moved_v),
                           t->compliance[3] + m33, c);
}

/* The sum over strains of n times their derivatives by u and v. */
static WF_ALWAYS_INLINE void pulls_of(const triangles *t, triple n, wf_wide3 *by_u, wf_wide3 *by_v)
{
    *by_u = combine(t->weft, n.c1, t->shear_u, n.c3);
    *by_v = combine(t->warp, n.c2, t->shear_v, n.c3);
}

/* The impulses of corners 1 and 2; what they change u and v by. */
typedef struct impulses {
    wf_wide3 corner1, corner2, moved_u, moved_v;
} impulses;

static WF_ALWAYS_INLINE impulses read_impulses(const triangles *t, const wf_membrane_impulse *from, int lane)
{
    impulses i = {.corner1 = read(&from->corner1, lane), .corner2 = read(&from->corner2, lane)};
    wf_wide3 moved0 = wf_wide3_scale(wf_wide3_add(i.corner1, i.corner2), -t->w[0]);
    wf_wide3 moved1 = wf_wide3_scale(i.corner1, t->w[1]), moved2 = wf_wide3_scale(i.corner2, t->w[2]);
    i.moved_u = wf_wide3_muladds(combine(moved1, t->gx[1], moved2, t->gx[2]), moved0, t->gx[0]);
    i.moved_v = wf_wide3_muladds(combine(moved1, t->gy[1], moved2, t->gy[2]), moved0, t->gy[0]);
    return i;
}

/* The most that threads and diagonals of the tensions -n resist being turned out of the plane, per |du|^2 + |dv|^2. */
static WF_ALWAYS_INLINE wf_wide tilting_stiffness(const wf_threads *t, triple n)
{
    wf_wide a1 = -n.c1 * t->over_u, a2 = -n.c2 * t->over_v, k = -WF_OVER_ROOT2 * n.c3;
    wf_wide as = k * t->over_s, ad = -k * t->over_d, half = 0.5 * (a1 - a2), mixed = as - ad;
    return wf_wide_greater(0.5 * (a1 + a2) + as + ad + wf_wide_sqrt(half * half + mixed * mixed), wf_wide_set(0));
}

/* The old impulse turns into the threads' new directions, and turning it moves the corners, which turns the threads:
 * with the tension T = -n that has the stiffness T1 |u| + T2 |v| + T3 e3 against spin, which is the mean of both
 * threads' here, and another against tilting. Taken implicitly (tilting by a bound), or stiff cloth under tension would
 * begin to swing between passes. */
static WF_ALWAYS_INLINE void hold_turning(const triangles *t, triple n, wf_wide e3, const impulses *old,
                                          wf_wide3 *by_u, wf_wide3 *by_v, wf_wide3 normal, wf_wide *keep)
{
    const wf_threads *threads = &t->threads;
    wf_wide3 spin_u = wf_wide3_scale(wf_wide3_cross(normal, t->weft), 0.5 * threads->over_u);
    wf_wide3 spin_v = wf_wide3_scale(wf_wide3_cross(normal, t->warp), 0.5 * threads->over_v);
    wf_wide3 change_u = wf_wide3_sub(combine(*by_u, t->xx, *by_v, t->xy), old->moved_u);
    wf_wide3 change_v = wf_wide3_sub(combine(*by_u, t->xy, *by_v, t->yy), old->moved_v);
    wf_wide turned = wf_wide3_dot(spin_u, change_u) + wf_wide3_dot(spin_v, change_v);
    wf_wide mobility = wf_wide3_dot(spin_u, combine(spin_u, t->xx, spin_v, t->xy)) +
                       wf_wide3_dot(spin_v, combine(spin_u, t->xy, spin_v, t->yy));
    wf_wide spinning = wf_wide_greater(-(n.c1 * threads->of_u + n.c2 * threads->of_v + n.c3 * e3), wf_wide_set(0));
    wf_wide n0 = -spinning * turned / (1.0 + spinning * mobility);
    *by_u = wf_wide3_muladds(*by_u, spin_u, n0);
    *by_v = wf_wide3_muladds(*by_v, spin_v, n0);
    wf_wide tilting = tilting_stiffness(threads, n) * (t->xx + t->yy);
    *keep = tilting / (1.0 + tilting);
}

static WF_ALWAYS_INLINE void balance(const wf_membrane_batch *b, const lanes3 x[3], double w[3][LANES], int lane,
                                     double softness, bool first, const wf_membrane_impulse *old,
                                     wf_membrane_impulse *new)
{
    triangles t = read_triangles(b, x, w, lane, wf_wide_set(softness));
    wf_thread_strains e = wf_thread_strains_of(&t.threads);
    triple c = {-e.e1, -e.e2, -e.e3};
    wf_wide3 by_u, by_v, corner1 = {wf_wide_set(0), wf_wide_set(0), wf_wide_set(0)}, corner2 = corner1;
    impulses had;
    if (!first) {
        /* what the strain would be without the old impulse */
        had = read_impulses(&t, old, lane);
        triple strain = strains_of(&t, had.moved_u, had.moved_v);
        c = (triple){c.c1 + strain.c1, c.c2 + strain.c2, c.c3 + strain.c3};
    }
    triple n = solve_strains(&t, c);
    pulls_of(&t, n, &by_u, &by_v);
    if (!first) {
        wf_wide3 normal = wf_wide3_cross(t.threads.u, t.threads.v);
        normal = wf_wide3_scale(normal, 1.0 / wf_wide_sqrt(wf_wide3_dot(normal, normal)));
        wf_wide keep;
        hold_turning(&t, n, e.e3, &had, &by_u, &by_v, normal, &keep);
        corner1 = wf_wide3_scale(normal, keep * wf_wide3_dot(normal, had.corner1));
        corner2 = wf_wide3_scale(normal, keep * wf_wide3_dot(normal, had.corner2));
    }
    write(&new->corner1, lane, wf_wide3_add(corner1, combine(by_u, t.gx[1], by_v, t.gy[1])));
    write(&new->corner2, lane, wf_wide3_add(corner2, combine(by_u, t.gx[2], by_v, t.gy[2])));
}

static WF_ALWAYS_INLINE void relax_batch(const wf_membrane_batch *b, wf_membrane_impulse *impulse, double softness,
                                         bool first, wf_point *points)
{
    lanes3 x[3];
    _Alignas(64) double w[3][LANES];
    wf_membrane_impulse new;
    for (int k = 0; k < 3; k++) {
        gather(points, b->vertex[k], &x[k], w[k]);
    }
    for (int lane = 0; lane < LANES; lane += WF_WIDTH) {
        balance(b, x, w, lane, softness, first, impulse, &new);
    }
    move_corners(x, w, &new.corner1, &new.corner2, first ? NULL : &impulse->corner1, first ? NULL : &impulse->corner2);
    *impulse = new;
    for (int k = 0; k < 3; k++) {
        scatter(points, b->vertex[k], &x[k], w[k]);
    }
}

static void relax(const wf_membrane_batch *batches, wf_membrane_impulse *impulses, size_t begin, size_t end,
                  double over_stiffness, bool first, wf_point *points)
{
    /* Two loops without the test that does not change in them. */
    if (first) {
        for (size_t k = begin; k < end; k++) {
            relax_batch(&batches[k], &impulses[k], over_stiffness, true, points);
        }
    } else {
        for (size_t k = begin; k < end; k++) {
            relax_batch(&batches[k], &impulses[k], over_stiffness, false, points);
        }
    }
}

/* The velocities' v' = v + W J^T L with L = -h eta S J v': linear, and the multipliers L are kept. */
static void damp(const wf_membrane_batch *batches, wf_membrane_drag *drags, size_t begin, size_t end,
                 double over_stiffness, const wf_point *points, wf_point *velocities)
{
    for (size_t k = begin; k < end; k++) {
        const wf_membrane_batch *b = &batches[k];
        lanes3 x[3], v[3], change1, change2;
        _Alignas(64) double w[3][LANES];
        for (int corner = 0; corner < 3; corner++) {
            gather(points, b->vertex[corner], &x[corner], w[corner]);
            gather(velocities, b->vertex[corner], &v[corner], w[corner]);
        }
        for (int lane = 0; lane < LANES; lane += WF_WIDTH) {
            wf_wide viscosity = wf_wide_greater(wf_wide_load(b->viscosity + lane), wf_wide_set(1e-12));
            triangles t = read_triangles(b, x, w, lane, over_stiffness / viscosity);
            wf_wide3 rate[2], by_u, by_v;
            columns_of(&t, v, lane, rate);
            triple e = strains_of(&t, rate[0], rate[1]);
            wf_wide n[3];
            for (int s = 0; s < 3; s++) {
                n[s] = wf_wide_load(drags[k].multiplier[s] + lane);
            }
            triple c = {-e.c1 - (t.compliance[0] * n[0] + t.compliance[1] * n[1]),
                        -e.c2 - (t.compliance[1] * n[0] + t.compliance[2] * n[1]), -e.c3 - t.compliance[3] * n[2]};
            triple change = solve_strains(&t, c);
            wf_wide_store(drags[k].multiplier[0] + lane, n[0] + change.c1);
            wf_wide_store(drags[k].multiplier[1] + lane, n[1] + change.c2);
            wf_wide_store(drags[k].multiplier[2] + lane, n[2] + change.c3);
            pulls_of(&t, change, &by_u, &by_v);
            write(&change1, lane, combine(by_u, t.gx[1], by_v, t.gy[1]));
            write(&change2, lane, combine(by_u, t.gx[2], by_v, t.gy[2]));
        }
        move_corners(v, w, &change1, &change2, NULL, NULL);
        for (int corner = 0; corner < 3; corner++) {
            scatter(velocities, b->vertex[corner], &v[corner], w[corner]);
        }
    }
}

const wf_triangle_kernels WF_KERNELS(wf_weave_relaxation_kernels) = {relax, damp};
