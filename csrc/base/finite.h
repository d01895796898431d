/* finite.h - whether all of many numbers are finite. */
#ifndef WEFT_BASE_FINITE_H
#define WEFT_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Infinities and NaNs have all bits of their exponent set: adding one to it carries into the sign. The loop has neither
 * branches nor sums of doubles, so that it runs at the speed of memory. */
static inline bool wf_all_finite(const double *values, size_t count)
{
    uint64_t carries = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carries |= (bits & UINT64_C(0x7fffffffffffffff)) + UINT64_C(0x0010000000000000);
    }
    return carries >> 63 == 0;
}

#endif
