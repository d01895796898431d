/* membrane_weave.h - a face of the weave: strains of its threads' lengths, their stresses, and the second derivative.
 *
 * With u and v the images of weft and warp (the columns of F), s = u + v and d = u - v, the strains are those of the
 * triangle particle system of Volino and Magnenat-Thalmann (2007):
 *     e1 = |u| - 1,   e2 = |v| - 1,   e3 = (|s| - |d|) / sqrt 2,
 * and the energy per area 1/2 (C11 e1^2 + 2 C12 e1 e2 + C22 e2^2 + C33 e3^2). e3 is 2 sin(angle / 2) of threads
 * of their rest length that depart by an angle from a right one, and the shear 2 U12 of the polar decomposition
 * wherever both are equally long. With the stresses t = C e and k = t3 / sqrt 2,
 *     dW = t1 u.du / |u| + t2 v.dv / |v| + k (s.ds / |s| - d.dd / |d|),
 *     d2W = C(de, de) + a1 |du|^2' + a2 |dv|^2' + as |ds|^2' + ad |dd|^2',
 *     a1 = t1 / |u|,   a2 = t2 / |v|,   as = k / |s|,   ad = -k / |d|,
 * where |dy|^2' is what of dy is across y. All of it is in the span of u and v but for multiples of the identity, and
 * the part C(de, de) is semidefinite: only negative a's are in the way. (Our derivation; spec/model checks it.)
 *
 * In kernels these functions work on several elements at once (base/wide.h).
 */
#ifndef WEFT_MODEL_MEMBRANE_WEAVE_H
#define WEFT_MODEL_MEMBRANE_WEAVE_H

#include "base/wide.h"

#define WF_OVER_ROOT2 0.70710678118654752

/* Below this length (at rest: 1) a thread or diagonal has lost its direction. */
#define WF_LEAST_THREAD 1e-12

typedef struct wf_threads {
    wf_wide3 u, v, s, d;
    wf_wide of_u, of_v, of_s, of_d;         /* their lengths */
    wf_wide over_u, over_v, over_s, over_d; /* 1 / length */
} wf_threads;

typedef struct wf_thread_strains {
    wf_wide e1, e2, e3; /* or rates of them, or stresses, N/m */
} wf_thread_strains;

/* Gives threads that have lost their directions some: the one that is missing across the other, and collinear ones a
 * little off their line. Nothing else would open an element that has collapsed so. */
void wf_threads_open(wf_vec3 *u, wf_vec3 *v);

/* Whether the directions are to be trusted. */
static inline wf_wide_mask wf_threads_regular(wf_wide3 u, wf_wide3 v, wf_threads *t)
{
    *t = (wf_threads){.u = u, .v = v, .s = wf_wide3_add(u, v), .d = wf_wide3_sub(u, v)};
    wf_wide uu = wf_wide3_dot(u, u), vv = wf_wide3_dot(v, v);
    wf_wide ss = wf_wide3_dot(t->s, t->s), dd = wf_wide3_dot(t->d, t->d);
    t->of_u = wf_wide_sqrt(uu);
    t->of_v = wf_wide_sqrt(vv);
    t->of_s = wf_wide_sqrt(ss);
    t->of_d = wf_wide_sqrt(dd);
    /* Two divisions for four reciprocals. */
    wf_wide threads = 1.0 / (t->of_u * t->of_v), diagonals = 1.0 / (t->of_s * t->of_d);
    t->over_u = t->of_v * threads;
    t->over_v = t->of_u * threads;
    t->over_s = t->of_d * diagonals;
    t->over_d = t->of_s * diagonals;
    wf_wide shorter = wf_wide_lesser(t->of_u, t->of_v);
    wf_wide beyond = t->of_u + t->of_v - wf_wide_greater(t->of_s, t->of_d); /* 0 where u and v are on a line */
    return (shorter > WF_LEAST_THREAD) & (beyond > WF_LEAST_THREAD * shorter);
}

static inline wf_threads wf_threads_of(wf_wide3 u, wf_wide3 v)
{
    wf_threads t;
    wf_wide_mask lost = wf_threads_regular(u, v, &t) == 0;
    if (wf_wide_any(lost)) {
        /* One by one. */
        double *a = (double *)&u, *b = (double *)&v;
        for (int lane = 0; lane < WF_WIDTH; lane++) {
            if (wf_wide_mask_lane(lost, lane)) {
                wf_vec3 p = {a[lane], a[WF_WIDTH + lane], a[2 * WF_WIDTH + lane]};
                wf_vec3 q = {b[lane], b[WF_WIDTH + lane], b[2 * WF_WIDTH + lane]};
                wf_threads_open(&p, &q);
                a[lane] = p.x, a[WF_WIDTH + lane] = p.y, a[2 * WF_WIDTH + lane] = p.z;
                b[lane] = q.x, b[WF_WIDTH + lane] = q.y, b[2 * WF_WIDTH + lane] = q.z;
            }
        }
        wf_threads_regular(u, v, &t);
    }
    return t;
}

static inline wf_thread_strains wf_thread_strains_of(const wf_threads *t)
{
    return (wf_thread_strains){t->of_u - 1.0, t->of_v - 1.0, WF_OVER_ROOT2 * (t->of_s - t->of_d)};
}

/* Their rates where u and v change at the rates du and dv. */
static inline wf_thread_strains wf_thread_rates(const wf_threads *t, wf_wide3 du, wf_wide3 dv)
{
    wf_wide ds = wf_wide3_dot(t->s, wf_wide3_add(du, dv)) * t->over_s;
    wf_wide dd = wf_wide3_dot(t->d, wf_wide3_sub(du, dv)) * t->over_d;
    return (wf_thread_strains){wf_wide3_dot(t->u, du) * t->over_u, wf_wide3_dot(t->v, dv) * t->over_v,
                               WF_OVER_ROOT2 * (ds - dd)};
}

/* moduli: C1111, C1122, C2222, C1212, here and below. */
static inline wf_thread_strains wf_thread_stresses(const wf_wide moduli[4], wf_thread_strains e)
{
    return (wf_thread_strains){moduli[0] * e.e1 + moduli[1] * e.e2, moduli[1] * e.e1 + moduli[2] * e.e2,
                               moduli[3] * e.e3};
}

/* a + b * scale */
static inline wf_thread_strains wf_thread_muladds(wf_thread_strains a, wf_thread_strains b, wf_wide scale)
{
    return (wf_thread_strains){a.e1 + b.e1 * scale, a.e2 + b.e2 * scale, a.e3 + b.e3 * scale};
}

/* The derivatives of the energy per area by u and v. */
static inline void wf_thread_pulls(const wf_threads *t, wf_thread_strains stress, wf_wide3 *by_u, wf_wide3 *by_v)
{
    wf_wide k = WF_OVER_ROOT2 * stress.e3;
    wf_wide3 s = wf_wide3_scale(t->s, k * t->over_s), d = wf_wide3_scale(t->d, k * t->over_d);
    *by_u = wf_wide3_muladds(wf_wide3_sub(s, d), t->u, stress.e1 * t->over_u);
    *by_v = wf_wide3_muladds(wf_wide3_add(s, d), t->v, stress.e2 * t->over_v);
}

/* ---- the second derivative -------------------------------------------------------------------------------------- */

/* Of the energy per area, as 2 x 2 matrices in the span of u and v, plus multiples of the identity:
 *     by u twice    [u v] [[uu, x], [x, q]] [u v]^T + rest_uu,
 *     by v twice    [u v] [[q, x], [x, vv]] [u v]^T + rest_vv,
 *     by u and v    [u v] [[x, uv], [q, x]] [u v]^T + rest_uv. */
typedef struct wf_weave_form {
    wf_wide uu, vv, uv, q, x;
    wf_wide rest_uu, rest_vv, rest_uv;
} wf_weave_form;

/* A block between two corners; in kernels, membrane_faces.h writes it. */
typedef struct wf_plane_block {
    wf_wide m11, m12, m21, m22; /* [u v] M [u v]^T */
    wf_wide rest;               /* times the identity */
} wf_plane_block;

/* In matrices for solvers no thread is shorter when it turns, and no diagonal, whose direction, a difference of long
 * threads, would be but rounding. */
#define WF_LEAST_TURNING 1e-3
#define WF_LEAST_DIAGONAL 1e-4

/* The form of stiffness times the elastic part at these stresses and damping times C(de, de). */
static inline wf_weave_form wf_weave_form_of(const wf_threads *t, wf_thread_strains stress, const wf_wide moduli[4],
                                             wf_wide stiffness, wf_wide damping, bool semidefinite)
{
    wf_wide over_u = t->over_u, over_v = t->over_v, over_s = t->over_s, over_d = t->over_d;
    wf_wide turn_u = over_u, turn_v = over_v;
    if (semidefinite) {
        over_s = wf_wide_lesser(over_s, wf_wide_set(1 / WF_LEAST_DIAGONAL));
        over_d = wf_wide_lesser(over_d, wf_wide_set(1 / WF_LEAST_DIAGONAL));
        turn_u = wf_wide_lesser(over_u, wf_wide_set(1 / WF_LEAST_TURNING));
        turn_v = wf_wide_lesser(over_v, wf_wide_set(1 / WF_LEAST_TURNING));
    }
    wf_wide k = WF_OVER_ROOT2 * stress.e3, a1 = stress.e1 * turn_u, a2 = stress.e2 * turn_v;
    wf_wide as = k * over_s, ad = -k * over_d;
    if (semidefinite) {
        /* What is under compression does not resist turning. Letting a diagonal keep what its threads make up for was
         * measured to save no iterations of Newton's method. */
        wf_wide none = wf_wide_set(0);
        a1 = wf_wide_greater(a1, none), a2 = wf_wide_greater(a2, none);
        as = wf_wide_greater(as, none), ad = wf_wide_greater(ad, none);
    }
    a1 *= stiffness, a2 *= stiffness, as *= stiffness, ad *= stiffness;
    wf_wide factor = stiffness + damping;
    /* e3 changes by (minus u + plus v) . du + (plus u + minus v) . dv */
    wf_wide plus = WF_OVER_ROOT2 * (over_s + over_d), minus = WF_OVER_ROOT2 * (over_s - over_d);
    wf_wide shear = factor * moduli[3], of_s = as * over_s * over_s, of_d = ad * over_d * over_d;
    wf_wide p = shear * minus * minus - of_s - of_d;
    return (wf_weave_form){.uu = (factor * moduli[0] - a1) * over_u * over_u + p,
                           .vv = (factor * moduli[2] - a2) * over_v * over_v + p,
                           .uv = factor * moduli[1] * over_u * over_v + p,
                           .q = shear * plus * plus - of_s - of_d,
                           .x = shear * plus * minus - of_s + of_d,
                           .rest_uu = a1 + as + ad,
                           .rest_vv = a2 + as + ad,
                           .rest_uv = as - ad};
}

/* Between two corners with the shape gradients a and b. */
static inline wf_plane_block wf_weave_block(const wf_weave_form *f, const wf_wide a[2], const wf_wide b[2])
{
    wf_wide xx = a[0] * b[0], xy = a[0] * b[1], yx = a[1] * b[0], yy = a[1] * b[1], mixed = xy + yx, both = xx + yy;
    return (wf_plane_block){.m11 = xx * f->uu + yy * f->q + mixed * f->x,
                            .m12 = both * f->x + xy * f->uv + yx * f->q,
                            .m21 = both * f->x + xy * f->q + yx * f->uv,
                            .m22 = xx * f->q + yy * f->vv + mixed * f->x,
                            .rest = xx * f->rest_uu + yy * f->rest_vv + mixed * f->rest_uv};
}

#endif
