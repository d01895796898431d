/* near_kernels.c - boxes compared many at a time; see near_kernels.h. */
#include "contact/near_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif

/* The columns that boxes are compared by. */
typedef struct columns {
    const float *low[3], *high[3];
    const int32_t *vertex[3];
} columns;

/* What asks. */
typedef struct query {
    wf_near_box box;
    int32_t vertex[3];
} query;

/* One bit for each of LANES primitives from i on whose box overlaps that of what asks and that has none of its
 * vertices. `theirs` and `mine` tell how many vertices they have; 0 where only boxes are compared. */
#if defined(__AVX512F__)
static WF_ALWAYS_INLINE unsigned meets(const columns *of, int32_t i, int theirs, const query *asks, int mine)
{
    __mmask16 hits = 0xffff;
    for (int k = 0; k < 3; k++) {
        hits = _mm512_mask_cmp_ps_mask(hits, _mm512_loadu_ps(of->low[k] + i), _mm512_set1_ps(asks->box.high[k]),
                                       _CMP_LE_OQ);
        hits = _mm512_mask_cmp_ps_mask(hits, _mm512_loadu_ps(of->high[k] + i), _mm512_set1_ps(asks->box.low[k]),
                                       _CMP_GE_OQ);
    }
    for (int j = 0; j < theirs; j++) {
        __m512i vertex = _mm512_loadu_si512(of->vertex[j] + i);
        for (int k = 0; k < mine; k++) {
            hits = _mm512_mask_cmpneq_epi32_mask(hits, vertex, _mm512_set1_epi32(asks->vertex[k]));
        }
    }
    return hits;
}
#elif defined(__AVX2__)
static WF_ALWAYS_INLINE unsigned meets(const columns *of, int32_t i, int theirs, const query *asks, int mine)
{
    __m256 apart = _mm256_setzero_ps();
    for (int k = 0; k < 3; k++) {
        apart = _mm256_or_ps(apart, _mm256_cmp_ps(_mm256_loadu_ps(of->low[k] + i), _mm256_set1_ps(asks->box.high[k]),
                                                  _CMP_GT_OQ));
        apart = _mm256_or_ps(apart, _mm256_cmp_ps(_mm256_loadu_ps(of->high[k] + i), _mm256_set1_ps(asks->box.low[k]),
                                                  _CMP_LT_OQ));
    }
    __m256i same = _mm256_castps_si256(apart);
    for (int j = 0; j < theirs; j++) {
        __m256i vertex = _mm256_loadu_si256((const __m256i *)(const void *)(of->vertex[j] + i));
        for (int k = 0; k < mine; k++) {
            same = _mm256_or_si256(same, _mm256_cmpeq_epi32(vertex, _mm256_set1_epi32(asks->vertex[k])));
        }
    }
    return ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xff;
}
#else
static WF_ALWAYS_INLINE unsigned meets(const columns *of, int32_t i, int theirs, const query *asks, int mine)
{
    unsigned hits = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bool apart = false;
        for (int k = 0; k < 3; k++) {
            apart = apart || of->low[k][i + lane] > asks->box.high[k] || of->high[k][i + lane] < asks->box.low[k];
        }
        for (int j = 0; j < theirs; j++) {
            for (int k = 0; k < mine; k++) {
                apart = apart || of->vertex[j][i + lane] == asks->vertex[k];
            }
        }
        hits |= (unsigned)!apart << lane;
    }
    return hits;
}
#endif

/* Bits of the lanes before the end. */
static unsigned lanes_before(int32_t count)
{
    return count < LANES ? (1u << count) - 1 : (1u << LANES) - 1;
}

/* ---- picking ----------------------------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
static WF_ALWAYS_INLINE void append(const wf_near_boxes *boxes, int theirs, int32_t i, unsigned hits,
                                    wf_near_picked *picked)
{
    __mmask16 mask = (__mmask16)hits;
    int32_t at = picked->count;
    for (int k = 0; k < 3; k++) {
        _mm512_storeu_ps(picked->low[k] + at, _mm512_maskz_compress_ps(mask, _mm512_loadu_ps(boxes->low[k] + i)));
        _mm512_storeu_ps(picked->high[k] + at, _mm512_maskz_compress_ps(mask, _mm512_loadu_ps(boxes->high[k] + i)));
    }
    for (int k = 0; k < theirs; k++) {
        _mm512_storeu_si512(picked->vertex[k] + at,
                            _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(boxes->vertex[k] + i)));
    }
    _mm512_storeu_si512(picked->source + at,
                        _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(boxes->source + i)));
    picked->count += __builtin_popcount(hits);
}
#else
static WF_ALWAYS_INLINE void append(const wf_near_boxes *boxes, int theirs, int32_t i, unsigned hits,
                                    wf_near_picked *picked)
{
    for (; hits != 0; hits &= hits - 1) {
        int32_t from = i + __builtin_ctz(hits), at = picked->count++;
        for (int k = 0; k < 3; k++) {
            picked->low[k][at] = boxes->low[k][from];
            picked->high[k][at] = boxes->high[k][from];
        }
        for (int k = 0; k < theirs; k++) {
            picked->vertex[k][at] = boxes->vertex[k][from];
        }
        picked->source[at] = boxes->source[from];
    }
}
#endif

static WF_ALWAYS_INLINE void pick_of_kind(const wf_near_boxes *boxes, int theirs, const wf_rank_range *range,
                                          int range_count, const wf_near_box *box, wf_near_picked *picked)
{
    columns of = {{boxes->low[0], boxes->low[1], boxes->low[2]}, {boxes->high[0], boxes->high[1], boxes->high[2]},
                  {NULL, NULL, NULL}};
    query asks = {*box, {-1, -1, -1}};
    picked->count = 0;
    for (int r = 0; r < range_count; r++) {
        int32_t end = boxes->start[range[r].end];
        for (int32_t i = boxes->start[range[r].begin]; i < end; i += LANES) {
            unsigned hits = meets(&of, i, 0, &asks, 0) & lanes_before(end - i);
            if (hits != 0) {
                append(boxes, theirs, i, hits, picked);
            }
        }
    }
}

static void pick(const wf_near_boxes *boxes, int kind, const wf_rank_range *range, int range_count,
                 const wf_near_box *box, wf_near_picked *picked)
{
    if (kind == WF_NEAR_FACES) {
        pick_of_kind(boxes, 3, range, range_count, box, picked);
    } else if (kind == WF_NEAR_EDGES) {
        pick_of_kind(boxes, 2, range, range_count, box, picked);
    } else {
        pick_of_kind(boxes, 1, range, range_count, box, picked);
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Writes the numbers of the lanes that hit; hit has room for all lanes. Returns how many. */
static WF_ALWAYS_INLINE int note(int32_t i, unsigned hits, int32_t *hit)
{
#if defined(__AVX512F__)
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_storeu_si512(
        hit, _mm512_maskz_compress_epi32((__mmask16)hits, _mm512_add_epi32(lane, _mm512_set1_epi32(i))));
#else
    for (unsigned left = hits; left != 0; left &= left - 1) {
        *hit++ = i + __builtin_ctz(left);
    }
#endif
    return __builtin_popcount(hits);
}

static WF_ALWAYS_INLINE int hits_of_kind(const wf_near_picked *picked, int theirs, int32_t first,
                                         const wf_near_boxes *boxes, int mine, int32_t primitive, float margin,
                                         int32_t *hit)
{
    columns of = {{picked->low[0], picked->low[1], picked->low[2]},
                  {picked->high[0], picked->high[1], picked->high[2]},
                  {picked->vertex[0], picked->vertex[1], picked->vertex[2]}};
    query asks;
    for (int k = 0; k < 3; k++) {
        asks.box.low[k] = boxes->low[k][primitive] - margin;
        asks.box.high[k] = boxes->high[k][primitive] + margin;
        asks.vertex[k] = k < mine ? boxes->vertex[k][primitive] : -1;
    }
    int count = 0;
    for (int32_t i = first; i < picked->count; i += LANES) {
        count += note(i, meets(&of, i, theirs, &asks, mine) & lanes_before(picked->count - i), hit + count);
    }
    return count;
}

static int hits(const wf_near_picked *picked, int kind, int32_t first, const wf_near_boxes *mine, int32_t primitive,
                float margin, int32_t *hit)
{
    return kind == WF_NEAR_FACES   ? hits_of_kind(picked, 3, first, mine, 1, primitive, margin, hit)
           : kind == WF_NEAR_EDGES ? hits_of_kind(picked, 2, first, mine, 2, primitive, margin, hit)
                                   : hits_of_kind(picked, 1, first, mine, 3, primitive, margin, hit);
}

const wf_near_kernels WF_KERNELS(wf_near_kernels) = {.pick = pick, .hits = hits};
