/* aerodynamic_formulas.h - the laws of aerodynamic_law.h as formulas for one face or a vector of faces (base/wide.h).
 *
 * With c along the normal and 2 A long, phi = c . v and half = rho/4, so that A rho/2 = half |c|, they are
 *
 *     plate       F = -half ( C_n |phi| phi c / c^2 + C_f |c x v| (v - phi c / c^2) )
 *     the others  F = -half ( C_D |phi| v + C_L g (v^2 c' - |phi| v) ),     c' = c or -c, such that c' . v >= 0,
 *
 * with g the cosine of the angle to the normal, |phi| / (|c| |v|), its sine, or 1 less its cosine. What takes long, the
 * root and the quotient, is found first (wf_face_flow), so that it can be under way for several vectors of faces.
 *
 * For the derivative a law is F = -scale (N m + R v_t) with scale = rho/2 A, m = n or -n such that p = m . v >= 0, and
 * functions N and R of p and q = |v_t|. It turns with the plane of m and t = v_t / q: with T = R q,
 *
 *     -dF/dv = scale ( dN/dp m m^T + dN/dq m t^T + dT/dp t m^T + dT/dq t t^T + R b b^T ),     b = m x t.
 *
 * What is here is its symmetric part, a 2 x 2 matrix and a number, whose negative eigenvalues can be left out at once.
 */
#ifndef WEFT_AIR_AERODYNAMIC_FORMULAS_H
#define WEFT_AIR_AERODYNAMIC_FORMULAS_H

#include "air/aerodynamic_law.h"
#include "base/dispatch.h"
#include "base/wide.h"

/* What ratios are formed with instead of 0, m/s or m^2, and what their squares are. */
#define WF_NO_SPEED 1e-150
#define WF_NO_SQUARE 1e-300

/* What all faces of a law share: half C_n or half C_D, and half C_f or half C_L, kg/m^3. */
typedef struct wf_law_factors {
    wf_wide first, second;
} wf_law_factors;

typedef struct wf_face_air {
    wf_wide3 force;
    wf_wide damping[6]; /* xx xy xz yy yz zz */
} wf_face_air;

/* The symmetric part of the derivative over |c|, in the frame of m, t, b; bb is R. */
typedef struct wf_law_terms {
    wf_wide mm, mt, tt, bb;
} wf_law_terms;

/* c, w: cosine and sine of the angle to the normal. */
static WF_ALWAYS_INLINE wf_law_terms wf_law_terms_of(wf_aerodynamic_law law, wf_law_factors k, wf_wide p, wf_wide q,
                                                     wf_wide c, wf_wide w)
{
    const wf_wide drag = k.first, lift = k.second;
    wf_law_terms t = {.mm = 2.0 * drag * p, .mt = 0.5 * drag * q, .tt = drag * p, .bb = drag * p};
    if (law == WF_KECKEISEN) {
        t.bb -= lift * p * c;
        t.mm += lift * q * w * w * w;
        t.mt += 0.5 * lift * q * c * (c * c - w * w);
        t.tt -= lift * p * c * c * c;
    } else if (law == WF_KECKEISEN_PRINTED) {
        t.bb -= lift * p * w;
        t.mm -= lift * p * w * w * w;
        t.mt += 0.5 * lift * q * w * (3.0 * c * c + w * w);
        t.tt -= lift * p * w * (2.0 * c * c + w * w);
    } else {
        wf_wide less = 1.0 - c;
        t.bb -= lift * less * p;
        t.mm -= lift * q * w * w * w;
        t.mt += 0.5 * lift * q * (less + 2.0 * c * w * w);
        t.tt -= lift * p * (less + c * w * w);
    }
    return t;
}

/* Leaves out the negative eigenvalues: of a symmetric 2 x 2 matrix with eigenvalues l2 < 0 and l1 what is left is
 * max(l1, 0) / (l1 - l2) times the matrix less l2. */
static WF_ALWAYS_INLINE void wf_law_clamp(wf_law_terms *t)
{
    const wf_wide zero = wf_wide_set(0);
    wf_wide middle = 0.5 * (t->mm + t->tt), half = 0.5 * (t->mm - t->tt);
    wf_wide reach = wf_wide_sqrt(half * half + t->mt * t->mt);
    wf_wide lower = middle - reach, upper = wf_wide_greater(middle + reach, zero);
    wf_wide share = 0.5 * upper / wf_wide_greater(reach, wf_wide_set(WF_NO_SPEED));
    t->mm = wf_wide_select(lower < zero, share * (t->mm - lower), t->mm);
    t->tt = wf_wide_select(lower < zero, share * (t->tt - lower), t->tt);
    t->mt = wf_wide_select(lower < zero, share * t->mt, t->mt);
    t->bb = wf_wide_greater(t->bb, zero);
}

/* damping += s (a b^T + b a^T) / 2 */
static WF_ALWAYS_INLINE void wf_add_symmetric(wf_wide s, wf_wide3 a, wf_wide3 b, wf_wide damping[6])
{
    wf_wide h = 0.5 * s;
    damping[0] += s * a.x * b.x;
    damping[1] += h * (a.x * b.y + a.y * b.x);
    damping[2] += h * (a.x * b.z + a.z * b.x);
    damping[3] += s * a.y * b.y;
    damping[4] += h * (a.y * b.z + a.z * b.y);
    damping[5] += s * a.z * b.z;
}

/* How the air meets faces with the vectors c, along their normals and twice their areas long, at the velocities v
 * relative to it. */
typedef struct wf_face_flow {
    wf_wide3 c, v;
    wf_wide flux;           /* c . v */
    wf_wide square, speed2; /* c^2 and v^2 */
    wf_wide over;           /* the plate's 1 / c^2; of the others 1 / (|c| |v|) */
    wf_wide across;         /* |c x v|, where a law needs it */
} wf_face_flow;

/* `law` should be a constant, here and below. */
static WF_ALWAYS_INLINE void wf_face_flow_of(wf_aerodynamic_law law, wf_wide3 c, wf_wide3 v, wf_face_flow *flow)
{
    flow->c = c;
    flow->v = v;
    flow->flux = wf_wide3_dot(c, v);
    flow->square = wf_wide3_dot(c, c);
    if (law == WF_PLATE) {
        flow->over = 1.0 / wf_wide_greater(flow->square, wf_wide_set(WF_NO_SQUARE));
    } else {
        flow->speed2 = wf_wide3_dot(v, v);
        flow->over = 1.0 / wf_wide_greater(wf_wide_sqrt(flow->square * flow->speed2), wf_wide_set(WF_NO_SPEED));
    }
    if (law == WF_PLATE || law == WF_KECKEISEN_PRINTED) {
        wf_wide3 turned = wf_wide3_cross(c, v);
        flow->across = wf_wide_sqrt(wf_wide3_dot(turned, turned));
    }
}

static WF_ALWAYS_INLINE wf_face_air wf_plate_air(wf_law_factors k, const wf_face_flow *flow, bool matrix)
{
    const wf_wide3 c = flow->c, v = flow->v;
    wf_wide share = flow->flux * flow->over; /* of c in v */
    wf_wide press = k.first * wf_wide_magnitude(share), rub = k.second * flow->across;
    wf_face_air air = {.force = wf_wide3_muladds(wf_wide3_scale(c, share * rub - press * flow->flux), v, -rub)};
    if (matrix) {
        wf_wide3 along = wf_wide3_muladds(v, c, -share);
        wf_wide slip = wf_wide3_dot(along, along);
        wf_wide twist = rub / wf_wide_greater(slip, wf_wide_set(WF_NO_SQUARE)), stiff = 2.0 * press - rub * flow->over;
        wf_wide3 across = wf_wide3_scale(c, stiff), turned = wf_wide3_scale(along, twist);
        air.damping[0] = rub + across.x * c.x + turned.x * along.x;
        air.damping[1] = across.x * c.y + turned.x * along.y;
        air.damping[2] = across.x * c.z + turned.x * along.z;
        air.damping[3] = rub + across.y * c.y + turned.y * along.y;
        air.damping[4] = across.y * c.z + turned.y * along.z;
        air.damping[5] = rub + across.z * c.z + turned.z * along.z;
    }
    return air;
}

static WF_ALWAYS_INLINE wf_face_air wf_lifting_air(wf_aerodynamic_law law, wf_law_factors k,
                                                   const wf_face_flow *flow, bool matrix, bool definite)
{
    const wf_wide3 c = flow->c, v = flow->v;
    wf_wide through = wf_wide_magnitude(flow->flux), cosine = through * flow->over;
    wf_wide share = law == WF_KECKEISEN           ? cosine
                    : law == WF_KECKEISEN_PRINTED ? flow->across * flow->over
                                                  : wf_wide_magnitude(1.0 - cosine);
    wf_wide lift = k.second * share, along = through * (lift - k.first);
    wf_wide3 up = wf_wide3_scale(c, wf_wide_with_sign(lift * flow->speed2, flow->flux));
    wf_face_air air = {.force = wf_wide3_sub(wf_wide3_scale(v, along), up)};
    if (matrix) {
        wf_wide length = wf_wide_sqrt(flow->square), speed = wf_wide_sqrt(flow->speed2);
        wf_wide p = speed * cosine;
        wf_wide3 m = wf_wide3_scale(c, wf_wide_with_sign(speed * flow->over, flow->flux));
        wf_wide3 slip = wf_wide3_muladds(v, m, -p);
        wf_wide q = wf_wide_sqrt(wf_wide3_dot(slip, slip));
        wf_law_terms t = wf_law_terms_of(law, k, p, q, cosine, q * length * flow->over);
        if (definite) {
            wf_law_clamp(&t);
        }
        wf_wide3 unit = wf_wide3_scale(slip, 1.0 / wf_wide_greater(q, wf_wide_set(WF_NO_SPEED)));
        air.damping[0] = air.damping[3] = air.damping[5] = length * t.bb;
        air.damping[1] = air.damping[2] = air.damping[4] = wf_wide_set(0);
        wf_add_symmetric(length * (t.mm - t.bb), m, m, air.damping);
        wf_add_symmetric(length * (t.tt - t.bb), unit, unit, air.damping);
        wf_add_symmetric(length * 2.0 * t.mt, m, unit, air.damping);
    }
    return air;
}

/* What the air does there. */
static WF_ALWAYS_INLINE wf_face_air wf_face_air_of(wf_aerodynamic_law law, wf_law_factors k,
                                                   const wf_face_flow *flow, bool matrix, bool definite)
{
    return law == WF_PLATE ? wf_plate_air(k, flow, matrix)
                           : wf_lifting_air(law, k, flow, matrix, definite);
}

static inline wf_law_factors wf_law_factors_of(const wf_aerodynamics *air, double density)
{
    bool plate = air->law == WF_PLATE;
    double scale = 0.25 * density * (1 - air->porosity);
    return (wf_law_factors){wf_wide_set(scale * (plate ? air->normal : air->drag)),
                            wf_wide_set(scale * (plate ? air->friction : air->lift))};
}

#endif
