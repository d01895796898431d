/* near.c - one box against many, eight at a time where the processor can; see near.h. */
#include "contact/near.h"

#include <float.h>

#include "base/tasks.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define WIDE_VECTORS __attribute__((target("avx2")))
#endif
#if defined(__GNUC__)
#define FOR_EACH_KIND __attribute__((always_inline)) static inline
#else
#define FOR_EACH_KIND static inline
#endif

enum { READ_BEYOND = 8 }; /* vectors may read so many elements from the last on */

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static int vertices_of(int kind)
{
    return kind == WF_NEAR_FACES ? 3 : kind == WF_NEAR_EDGES ? 2 : 1;
}

/* Whether a packed face has the primitive `k` of the kind to itself. */
static bool owns(const wf_packed_face *face, int kind, int k)
{
    return kind == WF_NEAR_FACES ? k == 0 : face->owns >> (kind == WF_NEAR_EDGES ? 3 + k : k) & 1;
}

static void fill_sources(wf_near_boxes *boxes, int kind, int32_t faces, const wf_packed_face *packed)
{
    int32_t at = 0;
    for (int32_t rank = 0; rank < faces; rank++) {
        boxes->start[rank] = at;
        for (int k = 0; k < 3; k++) {
            if (owns(&packed[rank], kind, k)) {
                for (int i = 0; i < vertices_of(kind); i++) {
                    boxes->vertex[i][at] = packed[rank].vertex[(k + i) % 3];
                }
                boxes->source[at++] = 4 * rank + k;
            }
        }
    }
    boxes->start[faces] = at;
}

static bool create_boxes(wf_context *context, int kind, int32_t faces, const wf_packed_face *packed,
                         wf_near_boxes *boxes)
{
    for (int32_t rank = 0; rank < faces; rank++) {
        for (int k = 0; k < 3; k++) {
            boxes->count += owns(&packed[rank], kind, k);
        }
    }
    size_t room = (size_t)boxes->count + READ_BEYOND;
    bool made = (boxes->start = wf_allocate(context, (size_t)faces + 1, sizeof *boxes->start)) != NULL;
    made = made && (boxes->source = wf_allocate(context, room, sizeof *boxes->source)) != NULL;
    for (int k = 0; k < 3; k++) {
        made = made && (boxes->low[k] = wf_allocate(context, room, sizeof *boxes->low[k])) != NULL;
        made = made && (boxes->high[k] = wf_allocate(context, room, sizeof *boxes->high[k])) != NULL;
        made = made && (k >= vertices_of(kind) ||
                        (boxes->vertex[k] = wf_allocate(context, room, sizeof *boxes->vertex[k])) != NULL);
    }
    if (made) {
        fill_sources(boxes, kind, faces, packed);
    }
    return made;
}

wf_status wf_near_create(wf_context *context, int32_t count, const wf_packed_face *packed, wf_near_set *set)
{
    *set = (wf_near_set){0};
    bool made = true;
    for (int kind = 0; kind < WF_NEAR_KINDS; kind++) {
        made = made && create_boxes(context, kind, count, packed, &set->of[kind]);
    }
    if (!made) {
        wf_near_free(context, set);
        return WF_ERROR_MEMORY;
    }
    return WF_OK;
}

void wf_near_free(wf_context *context, wf_near_set *set)
{
    for (int kind = 0; kind < WF_NEAR_KINDS; kind++) {
        wf_near_boxes *boxes = &set->of[kind];
        wf_free(context, boxes->start);
        wf_free(context, boxes->source);
        for (int k = 0; k < 3; k++) {
            wf_free(context, boxes->vertex[k]);
            wf_free(context, boxes->low[k]);
            wf_free(context, boxes->high[k]);
        }
    }
    *set = (wf_near_set){0};
}

/* ---- updating ---------------------------------------------------------------------------------------------------- */

typedef struct box_update {
    wf_near_boxes *boxes;
    int kind;
    const wf_packed_face *packed;
    const float *reach; /* of the kind's primitives */
} box_update;

static void update_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const box_update *job = user;
    wf_near_boxes *boxes = job->boxes;
    int count = vertices_of(job->kind);
    for (size_t i = begin; i < end; i++) {
        int k = boxes->source[i] % 4;
        const wf_packed_face *face = &job->packed[boxes->source[i] / 4];
        float reach = job->reach[count == 3 ? face->index : count == 2 ? face->edge[k] : face->vertex[k]];
        const float *a = face->corner[k], *b = count > 1 ? face->corner[k == 2 ? 0 : k + 1] : a;
        const float *c = count > 2 ? face->corner[2] : a;
        for (int axis = 0; axis < 3; axis++) {
            float low = b[axis] < a[axis] ? b[axis] : a[axis], high = b[axis] > a[axis] ? b[axis] : a[axis];
            low = c[axis] < low ? c[axis] : low;
            high = c[axis] > high ? c[axis] : high;
            boxes->low[axis][i] = low - reach;
            boxes->high[axis][i] = high + reach;
        }
    }
}

void wf_near_update(wf_context *context, wf_near_set *set, const wf_packed_face *packed, const wf_near_reach *reach)
{
    const float *reaches[WF_NEAR_KINDS] = {reach->face, reach->edge, reach->vertex};
    for (int kind = 0; kind < WF_NEAR_KINDS; kind++) {
        box_update job = {&set->of[kind], kind, packed, reaches[kind]};
        wf_parallel_for(context, (size_t)set->of[kind].count, 4096, update_block, &job);
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

wf_near_query wf_near_query_of(const wf_near_boxes *boxes, int32_t primitive, float margin)
{
    wf_near_query query = {{-1, -1, -1}, {0}, {0}};
    for (int k = 0; k < 3; k++) {
        query.vertex[k] = boxes->vertex[k] ? boxes->vertex[k][primitive] : -1;
        query.low[k] = boxes->low[k][primitive] - margin;
        query.high[k] = boxes->high[k][primitive] + margin;
    }
    return query;
}

/* `theirs` and `mine` tell how many vertices the primitives have; 0 where only boxes are compared. One bit for each of
 * the (at most 8) from i on. */
FOR_EACH_KIND unsigned overlaps_one_by_one(const wf_near_boxes *near, int theirs, int32_t i, int32_t end,
                                           const wf_near_query *query, int mine)
{
    unsigned hits = 0;
    for (int lane = 0; lane < 8 && i + lane < end; lane++) {
        bool apart = false;
        for (int k = 0; k < 3; k++) {
            apart = apart || near->low[k][i + lane] > query->high[k] || near->high[k][i + lane] < query->low[k];
        }
        for (int j = 0; j < theirs; j++) {
            for (int k = 0; k < mine; k++) {
                apart = apart || near->vertex[j][i + lane] == query->vertex[k];
            }
        }
        hits |= (unsigned)!apart << lane;
    }
    return hits;
}

#ifdef WIDE_VECTORS
WIDE_VECTORS FOR_EACH_KIND unsigned overlaps_by_eight(const wf_near_boxes *near, int theirs, int32_t i, int32_t end,
                                                      const wf_near_query *query, int mine)
{
    __m256 apart = _mm256_setzero_ps();
    for (int k = 0; k < 3; k++) {
        apart = _mm256_or_ps(apart, _mm256_cmp_ps(_mm256_loadu_ps(near->low[k] + i), _mm256_set1_ps(query->high[k]),
                                                  _CMP_GT_OQ));
        apart = _mm256_or_ps(apart, _mm256_cmp_ps(_mm256_loadu_ps(near->high[k] + i), _mm256_set1_ps(query->low[k]),
                                                  _CMP_LT_OQ));
    }
    __m256i same = _mm256_castps_si256(apart);
    for (int j = 0; j < theirs; j++) {
        __m256i vertex = _mm256_loadu_si256((const __m256i *)(const void *)(near->vertex[j] + i));
        for (int k = 0; k < mine; k++) {
            same = _mm256_or_si256(same, _mm256_cmpeq_epi32(vertex, _mm256_set1_epi32(query->vertex[k])));
        }
    }
    unsigned hits = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xff;
    return hits & (end - i < 8 ? (1u << (end - i)) - 1 : 0xff);
}
#endif

/* The loops over ranges, for either way to compare. */
#define LOOPS(attributes, suffix, overlaps)                                                                            \
    attributes FOR_EACH_KIND int find_hits_##suffix(const wf_near_boxes *near, int theirs, const wf_rank_range *range, \
                                                    int range_count, const wf_near_query *query, int mine,             \
                                                    int32_t *hit)                                                      \
    {                                                                                                                  \
        wf_near_query kept = *query;                                                                                   \
        int count = 0;                                                                                                 \
        for (int r = 0; r < range_count; r++) {                                                                        \
            int32_t end = near->start[range[r].end];                                                                   \
            for (int32_t i = near->start[range[r].begin]; i < end; i += 8) {                                           \
                for (unsigned hits = overlaps(near, theirs, i, end, &kept, mine); hits != 0; hits &= hits - 1) {       \
                    hit[count++] = i + __builtin_ctz(hits);                                                            \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return count;                                                                                                  \
    }                                                                                                                  \
    attributes static int hits_##suffix(const wf_near_boxes *near, int kind, const wf_rank_range *range,               \
                                        int range_count, const wf_near_query *query, int32_t *hit)                     \
    {                                                                                                                  \
        return kind == WF_NEAR_FACES   ? find_hits_##suffix(near, 3, range, range_count, query, 1, hit)                \
               : kind == WF_NEAR_EDGES ? find_hits_##suffix(near, 2, range, range_count, query, 2, hit)                \
                                       : find_hits_##suffix(near, 1, range, range_count, query, 3, hit);               \
    }                                                                                                                  \
    attributes static int trim_##suffix(const wf_near_boxes *faces, wf_rank_range *range, int range_count,             \
                                        const wf_near_query *query)                                                    \
    {                                                                                                                  \
        wf_near_query asks = *query;                                                                                   \
        int kept = 0;                                                                                                  \
        for (int r = 0; r < range_count; r++) {                                                                        \
            int32_t begin = range[r].begin;                                                                            \
            unsigned hits = overlaps(faces, 0, begin, range[r].end, &asks, 0);                                         \
            if (hits != 0) {                                                                                           \
                range[kept].begin = begin + __builtin_ctz(hits);                                                       \
                range[kept++].end = begin + 32 - __builtin_clz(hits);                                                  \
            }                                                                                                          \
        }                                                                                                              \
        return kept;                                                                                                   \
    }

LOOPS(, narrow, overlaps_one_by_one)
#ifdef WIDE_VECTORS
LOOPS(WIDE_VECTORS, wide, overlaps_by_eight)
#define FOR_THIS_PROCESSOR(name, ...)                                                                                  \
    (__builtin_cpu_supports("avx2") ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define FOR_THIS_PROCESSOR(name, ...) name##_narrow(__VA_ARGS__)
#endif

int wf_near_hits(const wf_near_boxes *boxes, int kind, const wf_rank_range *range, int range_count,
                 const wf_near_query *query, int32_t *hit)
{
    return FOR_THIS_PROCESSOR(hits, boxes, kind, range, range_count, query, hit);
}

int wf_near_trim(const wf_near_boxes *faces, wf_rank_range *range, int range_count, const wf_near_query *query)
{
    return FOR_THIS_PROCESSOR(trim, faces, range, range_count, query);
}
