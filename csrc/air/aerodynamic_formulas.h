/* aerodynamic_formulas.h - the laws of aerodynamic_law.h as formulas for one face or a vector of faces (base/wide.h).
 *
 * Every law is F = -scale (N m + R v_t) with scale = rho/2 A, m = n or -n such that p = m . v >= 0, and functions N and R
 * of p and q = |v_t|. Its derivative turns with the plane of m and t = v_t / q: with T = R q,
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

/* The coefficients of a law, the same for all faces: of N and of R. */
typedef struct wf_law_factors {
    wf_wide first, second;
} wf_law_factors;

typedef struct wf_face_air {
    wf_wide3 force;
    wf_wide damping[6]; /* xx xy xz yy yz zz */
} wf_face_air;

/* N, R and the symmetric part of the derivative in the frame of m, t, b. */
typedef struct wf_law_terms {
    wf_wide normal, along;
    wf_wide mm, mt, tt, bb;
} wf_law_terms;

static WF_ALWAYS_INLINE wf_law_terms wf_law_terms_of(wf_aerodynamic_law law, wf_law_factors k, wf_wide p, wf_wide q)
{
    const wf_wide drag = k.first, lift = k.second;
    wf_wide s = wf_wide_sqrt(p * p + q * q), over = 1.0 / wf_wide_greater(s, wf_wide_set(WF_NO_SPEED));
    wf_wide c = p * over, w = q * over; /* cosine and sine of the angle to the normal */
    wf_law_terms t = {.normal = drag * p * p, .along = drag * p, .mm = 2.0 * drag * p, .mt = 0.5 * drag * q,
                      .tt = drag * p};
    if (law == WF_KECKEISEN) {
        t.normal += lift * p * q * w;
        t.along -= lift * p * c;
        t.mm += lift * q * w * w * w;
        t.mt += 0.5 * lift * q * c * (c * c - w * w);
        t.tt -= lift * p * c * c * c;
    } else if (law == WF_KECKEISEN_PRINTED) {
        t.normal += lift * q * q * w;
        t.along -= lift * p * w;
        t.mm -= lift * p * w * w * w;
        t.mt += 0.5 * lift * q * w * (3.0 * c * c + w * w);
        t.tt -= lift * p * w * (2.0 * c * c + w * w);
    } else {
        wf_wide less = 1.0 - c;
        t.normal += lift * less * q * q;
        t.along -= lift * less * p;
        t.mm -= lift * q * w * w * w;
        t.mt += 0.5 * lift * q * (less + 2.0 * c * w * w);
        t.tt -= lift * p * (less + c * w * w);
    }
    t.bb = t.along;
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

/* With c along n and of length 2 A: n . v n = (c . v) c / c^2, and A |v_t| is half of |c| |v_t|. */
static WF_ALWAYS_INLINE wf_face_air wf_plate_air(wf_law_factors k, wf_wide half, wf_wide3 c, wf_wide3 v, bool matrix)
{
    const wf_wide zero = wf_wide_set(0), none = wf_wide_set(WF_NO_SQUARE);
    wf_wide square = wf_wide3_dot(c, c), over = 1.0 / wf_wide_greater(square, none);
    wf_wide flux = wf_wide3_dot(c, v);
    wf_wide3 along = wf_wide3_muladds(v, c, -flux * over);
    wf_wide slip = wf_wide3_dot(along, along);
    wf_wide press = half * k.first * wf_wide_select(flux < zero, -flux, flux) * over;
    wf_wide rub = half * k.second * wf_wide_sqrt(square * slip);
    wf_face_air air = {.force = wf_wide3_muladds(wf_wide3_scale(c, -press * flux), along, -rub)};
    if (matrix) {
        wf_wide twist = rub / wf_wide_greater(slip, none), stiff = 2.0 * press - rub * over;
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

static WF_ALWAYS_INLINE wf_face_air wf_lifting_air(wf_aerodynamic_law law, wf_law_factors k, wf_wide half, wf_wide3 c,
                                                   wf_wide3 v, bool matrix, bool definite)
{
    wf_wide length = wf_wide_sqrt(wf_wide3_dot(c, c)), scale = half * length;
    wf_wide3 n = wf_wide3_scale(c, 1.0 / wf_wide_greater(length, wf_wide_set(WF_NO_SPEED)));
    wf_wide p = wf_wide3_dot(n, v);
    wf_wide3 along = wf_wide3_muladds(v, n, -p);
    wf_wide q = wf_wide_sqrt(wf_wide3_dot(along, along));
    wf_wide3 m = wf_wide3_scale(n, wf_wide_select(p < wf_wide_set(0), wf_wide_set(-1), wf_wide_set(1)));
    wf_law_terms t = wf_law_terms_of(law, k, wf_wide3_dot(m, v), q);
    wf_face_air air = {.force = wf_wide3_scale(wf_wide3_muladds(wf_wide3_scale(m, t.normal), along, t.along), -scale)};
    if (matrix) {
        if (definite) {
            wf_law_clamp(&t);
        }
        wf_wide3 unit = wf_wide3_scale(along, 1.0 / wf_wide_greater(q, wf_wide_set(WF_NO_SPEED)));
        air.damping[0] = air.damping[3] = air.damping[5] = scale * t.bb;
        air.damping[1] = air.damping[2] = air.damping[4] = wf_wide_set(0);
        wf_add_symmetric(scale * (t.mm - t.bb), m, m, air.damping);
        wf_add_symmetric(scale * (t.tt - t.bb), unit, unit, air.damping);
        wf_add_symmetric(scale * 2.0 * t.mt, m, unit, air.damping);
    }
    return air;
}

/* What the air does to faces with the vectors c, along their normals and twice their areas long; half: a quarter of the
 * density. `law` should be a constant. */
static WF_ALWAYS_INLINE wf_face_air wf_face_air_of(wf_aerodynamic_law law, wf_law_factors k, wf_wide half, wf_wide3 c,
                                                   wf_wide3 v, bool matrix, bool definite)
{
    return law == WF_PLATE ? wf_plate_air(k, half, c, v, matrix)
                           : wf_lifting_air(law, k, half, c, v, matrix, definite);
}

static inline wf_law_factors wf_law_factors_of(const wf_aerodynamics *air)
{
    bool plate = air->law == WF_PLATE;
    double solid = 1 - air->porosity;
    return (wf_law_factors){wf_wide_set(solid * (plate ? air->normal : air->drag)),
                            wf_wide_set(solid * (plate ? air->friction : air->lift))};
}

#endif
