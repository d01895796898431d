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

static inline wf_wide wf_wide_lesser(wf_wide a, wf_wide b)
{
    return wf_wide_select(a < b, a, b);
}

static inline wf_wide wf_wide_greater(wf_wide a, wf_wide b)
{
    return wf_wide_select(a > b, a, b);
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

#endif
