/* random.h - repeatable random numbers: the same from the same seed, on every machine. */
#ifndef WEFT_BASE_RANDOM_H
#define WEFT_BASE_RANDOM_H

#include <stdint.h>

/* The next 64 bits of a stream, whose state may start from any seed (splitmix64; Steele, Lea and Flood 2014). */
static inline uint64_t wf_random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number from 0 up to, not including, 1: a multiple of 2^-53. */
static inline double wf_random_unit(uint64_t *state)
{
    return (double)(wf_random_bits(state) >> 11) * 0x1p-53;
}

#endif
