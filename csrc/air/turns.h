/* turns.h - sine and cosine of many angles at once, for kernels. */
#ifndef WEFT_AIR_TURNS_H
#define WEFT_AIR_TURNS_H

#include "base/dispatch.h"
#include "base/wide.h"

/* The nearest integer, of numbers below 2^51. */
static WF_ALWAYS_INLINE wf_wide wf_wide_nearest(wf_wide a)
{
    const wf_wide shift = wf_wide_set(0x1.8p52);
    return (a + shift) - shift;
}

/* Sine and cosine of `turns` whole turns, to 1e-12: the series of half the angle, which is at most pi / 2, to the
 * powers 17 and 18, and then the formulas of the double angle. */
static WF_ALWAYS_INLINE void wf_wide_turn(wf_wide turns, wf_wide *sine, wf_wide *cosine)
{
    static const double pi = 3.14159265358979323846;
    const wf_wide x = (turns - wf_wide_nearest(turns)) * wf_wide_set(pi), q = x * x;
    wf_wide s = wf_wide_set(1.0 / 355687428096000), c = wf_wide_set(-1.0 / 6402373705728000);
    static const double odd[] = {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                 -1.0 / 5040,          1.0 / 120,        -1.0 / 6,        1};
    static const double even[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                  1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -1.0 / 2};
    for (int i = 0; i < 8; i++) {
        s = s * q + wf_wide_set(odd[i]);
        c = c * q + wf_wide_set(even[i]);
    }
    s = s * x;
    c = c * q + wf_wide_set(1);
    *sine = wf_wide_set(2) * s * c;
    *cosine = wf_wide_set(1) - wf_wide_set(2) * s * s;
}

#endif
