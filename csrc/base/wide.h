/* wide.h - numbers that are vectors in kernels and plain doubles elsewhere.
 *
 * Files named *_kernels.c are compiled once per instruction set, all but `scalar` with WF_VECTOR_BYTES set
 * (dispatch.h). One that defines WF_WIDE_KERNELS before its includes gets a wf_wide of WF_WIDTH doubles, one of another
 * element each; anywhere else it is a double. Formulas written with it serve both. Each lane does what a double would
 * do, so all widths give the same bits.
 */
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#include "base/vector.h"

#if defined(WF_WIDE_KERNELS) && defined(WF_VECTOR_BYTES)
#define WF_WIDE_VECTORS

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { WF_WIDTH = WF_VECTOR_BYTES / 8 };
typedef double wf_wide __attribute__((vector_size(WF_VECTOR_BYTES)));
typedef double wf_wide_memory __attribute__((vector_size(WF_VECTOR_BYTES), may_alias));
typedef int64_t wf_wide_mask __attribute__((vector_size(WF_VECTOR_BYTES)));

typedef struct wf_wide3 {
    wf_wide x, y, z;
} wf_wide3;

static inline wf_wide wf_wide_set(double a)
{
    return a - (wf_wide){0};
}

static inline wf_wide wf_wide_select(wf_wide_mask mask, wf_wide a, wf_wide b)
{
    return (wf_wide)((mask & (wf_wide_mask)a) | (~mask & (wf_wide_mask)b));
}

static inline bool wf_wide_any(wf_wide_mask mask)
{
    int64_t any = 0;
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        any |= mask[lane];
    }
    return any != 0;
}

static inline wf_wide wf_wide_sqrt(wf_wide a)
{
#if defined(__AVX512F__) && WF_VECTOR_BYTES == 64
    return (wf_wide)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX__) && WF_VECTOR_BYTES == 32
    return (wf_wide)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__) && WF_VECTOR_BYTES == 16
    return (wf_wide)_mm_sqrt_pd((__m128d)a);
#else
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        a[lane] = sqrt(a[lane]);
    }
    return a;
#endif
}

/* from: aligned to the vector, here and in wf_wide_store. */
static inline wf_wide wf_wide_load(const double *from)
{
    return *(const wf_wide_memory *)from;
}

static inline void wf_wide_store(double *to, wf_wide a)
{
    *(wf_wide_memory *)to = a;
}

/* base[index[lane]]: loads and shuffles; the processors' own gathers were measured no faster. */
static inline wf_wide wf_wide_gather(const double *base, const int32_t *index)
{
    wf_wide a;
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        a[lane] = base[index[lane]];
    }
    return a;
}

static inline bool wf_wide_mask_lane(wf_wide_mask mask, int lane)
{
    return mask[lane] != 0;
}

#else

enum { WF_WIDTH = 1 };
typedef double wf_wide;
typedef int wf_wide_mask;
typedef wf_vec3 wf_wide3;

static inline wf_wide wf_wide_set(double a)
{
    return a;
}

static inline wf_wide wf_wide_select(wf_wide_mask mask, wf_wide a, wf_wide b)
{
    return mask ? a : b;
}

static inline bool wf_wide_any(wf_wide_mask mask)
{
    return mask;
}

static inline wf_wide wf_wide_sqrt(wf_wide a)
{
    return sqrt(a);
}

static inline wf_wide wf_wide_load(const double *from)
{
    return *from;
}

static inline void wf_wide_store(double *to, wf_wide a)
{
    *to = a;
}

static inline wf_wide wf_wide_gather(const double *base, const int32_t *index)
{
    return base[*index];
}

static inline bool wf_wide_mask_lane(wf_wide_mask mask, int lane)
{
    return lane == 0 && mask;
}

#endif

/* b where a is NaN, as the processors' own instructions. */
static inline wf_wide wf_wide_lesser(wf_wide a, wf_wide b)
{
#if defined(WF_WIDE_VECTORS) && defined(__AVX512F__) && WF_VECTOR_BYTES == 64
    return (wf_wide)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(WF_WIDE_VECTORS) && defined(__AVX__) && WF_VECTOR_BYTES == 32
    return (wf_wide)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return wf_wide_select(a < b, a, b);
#endif
}

static inline wf_wide wf_wide_greater(wf_wide a, wf_wide b)
{
#if defined(WF_WIDE_VECTORS) && defined(__AVX512F__) && WF_VECTOR_BYTES == 64
    return (wf_wide)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(WF_WIDE_VECTORS) && defined(__AVX__) && WF_VECTOR_BYTES == 32
    return (wf_wide)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return wf_wide_select(a > b, a, b);
#endif
}

static inline wf_wide wf_wide_magnitude(wf_wide a)
{
#ifdef WF_WIDE_VECTORS
    return (wf_wide)((wf_wide_mask)a & INT64_MAX);
#else
    return fabs(a);
#endif
}

/* A magnitude with the sign of b. */
static inline wf_wide wf_wide_with_sign(wf_wide magnitude, wf_wide b)
{
#ifdef WF_WIDE_VECTORS
    return (wf_wide)((wf_wide_mask)magnitude | ((wf_wide_mask)b & INT64_MIN));
#else
    return copysign(magnitude, b);
#endif
}

static inline wf_wide3 wf_wide3_add(wf_wide3 a, wf_wide3 b)
{
    return (wf_wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline wf_wide3 wf_wide3_sub(wf_wide3 a, wf_wide3 b)
{
    return (wf_wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline wf_wide3 wf_wide3_scale(wf_wide3 a, wf_wide s)
{
    return (wf_wide3){a.x * s, a.y * s, a.z * s};
}

/* a + b * s */
static inline wf_wide3 wf_wide3_muladds(wf_wide3 a, wf_wide3 b, wf_wide s)
{
    return (wf_wide3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline wf_wide wf_wide3_dot(wf_wide3 a, wf_wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wf_wide3 wf_wide3_cross(wf_wide3 a, wf_wide3 b)
{
    return (wf_wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---- from side by side to one after the other ------------------------------------------------------------------- */

/* Eight numbers of each lane: to[lane][k] = entries[k][lane]. to: aligned to 64 bytes. */
static inline __attribute__((always_inline)) void wf_wide_store_eights(const wf_wide entries[8], double (*to)[8])
{
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64
    __m512d a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = _mm512_unpacklo_pd((__m512d)entries[k], (__m512d)entries[k + 1]);
        a[k + 1] = _mm512_unpackhi_pd((__m512d)entries[k], (__m512d)entries[k + 1]);
    }
    for (int k = 0; k < 8; k += 4) {
        for (int odd = 0; odd < 2; odd++) {
            b[k + odd] = _mm512_shuffle_f64x2(a[k + odd], a[k + 2 + odd], 0x88);
            b[k + 2 + odd] = _mm512_shuffle_f64x2(a[k + odd], a[k + 2 + odd], 0xdd);
        }
    }
    for (int k = 0; k < 4; k++) {
        /* pairs of lanes k % 2 + 4 (k / 2), ... */
        _mm512_store_pd(to[2 * (k / 2) + k % 2], _mm512_shuffle_f64x2(b[k], b[4 + k], 0x88));
        _mm512_store_pd(to[4 + 2 * (k / 2) + k % 2], _mm512_shuffle_f64x2(b[k], b[4 + k], 0xdd));
    }
#else
    const double *from = (const double *)entries;
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        for (int k = 0; k < 8; k++) {
            to[lane][k] = from[k * WF_WIDTH + lane];
        }
    }
#endif
}

/* Four of each: to: aligned to the vector. */
static inline __attribute__((always_inline)) void wf_wide_store_fours(const wf_wide entries[4], double (*to)[4])
{
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64
    for (int pair = 0; pair < 4; pair++) {
        const int64_t a = 2 * pair, b = a + 1;
        const __m512i both = _mm512_setr_epi64(a, a + 8, a, a + 8, b, b + 8, b, b + 8);
        __m512d first = _mm512_permutex2var_pd((__m512d)entries[0], both, (__m512d)entries[1]);
        __m512d last = _mm512_permutex2var_pd((__m512d)entries[2], both, (__m512d)entries[3]);
        _mm512_store_pd(to[a], _mm512_mask_blend_pd(0xcc, first, last));
    }
#elif defined(WF_WIDE_VECTORS) && defined(__AVX__) && WF_VECTOR_BYTES == 32
    __m256d e[4];
    for (int k = 0; k < 4; k++) {
        e[k] = (__m256d)entries[k];
    }
    __m256d low0 = _mm256_unpacklo_pd(e[0], e[1]), high0 = _mm256_unpackhi_pd(e[0], e[1]);
    __m256d low1 = _mm256_unpacklo_pd(e[2], e[3]), high1 = _mm256_unpackhi_pd(e[2], e[3]);
    _mm256_store_pd(to[0], _mm256_permute2f128_pd(low0, low1, 0x20));
    _mm256_store_pd(to[1], _mm256_permute2f128_pd(high0, high1, 0x20));
    _mm256_store_pd(to[2], _mm256_permute2f128_pd(low0, low1, 0x31));
    _mm256_store_pd(to[3], _mm256_permute2f128_pd(high0, high1, 0x31));
#else
    const double *from = (const double *)entries;
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        for (int k = 0; k < 4; k++) {
            to[lane][k] = from[k * WF_WIDTH + lane];
        }
    }
#endif
}

/* Three of each, and 0. to: aligned to the vector. */
static inline __attribute__((always_inline)) void wf_wide_store_threes(const wf_wide entries[3], double (*to)[4])
{
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64
    for (int pair = 0; pair < 4; pair++) {
        const int64_t a = 2 * pair, b = a + 1;
        const __m512i both = _mm512_setr_epi64(a, a + 8, a, 0, b, b + 8, b, 0);
        __m512d two = _mm512_maskz_permutex2var_pd(0x33, (__m512d)entries[0], both, (__m512d)entries[1]);
        _mm512_store_pd(to[a], _mm512_mask_permutexvar_pd(two, 0x44, both, (__m512d)entries[2]));
    }
#else
    const wf_wide fours[4] = {entries[0], entries[1], entries[2], wf_wide_set(0)};
    wf_wide_store_fours(fours, to);
#endif
}

#endif
