/* hierarchy.c - refitting and asking trees of volumes; see hierarchy.h. hierarchy_build.c makes them. */
#include "contact/hierarchy.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Siblings that wait on each level: up to 7 on each of at most 128 levels; see hierarchy_build.c. */
enum { MOST_STACK = 1024 };

void wf_hierarchy_free(wf_context *context, wf_hierarchy *tree)
{
    wf_free(context, tree->order);
    wf_free(context, tree->slot);
    wf_free(context, tree->nodes);
    wf_free(context, tree->changed);
    wf_free(context, tree->leaf_begin);
    wf_free(context, tree->leaf_volumes);
    *tree = (wf_hierarchy){0};
}

/* ---- refitting --------------------------------------------------------------------------------------------------- */

/* The functions that take arity and slabs are called with constants, one copy for each kind of tree. */
#if defined(__GNUC__)
#define FOR_EACH_KIND __attribute__((always_inline)) static inline
#else
#define FOR_EACH_KIND static inline
#endif

/* Calls name(arity, slabs, ...) with the tree's, as constants. */
#define WITH_ARITY(name, arity, tree, ...)                                                                             \
    ((tree)->slabs == 3   ? name(arity, 3, __VA_ARGS__)                                                                \
     : (tree)->slabs == 7 ? name(arity, 7, __VA_ARGS__)                                                                \
     : (tree)->slabs == 9 ? name(arity, 9, __VA_ARGS__)                                                                \
                          : name(arity, 13, __VA_ARGS__))
#define WITH_KIND(name, tree, ...)                                                                                     \
    ((tree)->arity == 2   ? WITH_ARITY(name, 2, tree, __VA_ARGS__)                                                     \
     : (tree)->arity == 4 ? WITH_ARITY(name, 4, tree, __VA_ARGS__)                                                     \
                          : WITH_ARITY(name, 8, tree, __VA_ARGS__))

FOR_EACH_KIND void set_lane(int arity, int slabs, wf_node_word *node, int lane, const float *volume)
{
    for (int k = 0; k < 2 * slabs; k++) {
        node[k * arity + lane].bound = volume[k];
    }
}

FOR_EACH_KIND void get_lane(int arity, int slabs, const wf_node_word *node, int lane, float *volume)
{
    for (int k = 0; k < 2 * slabs; k++) {
        volume[k] = node[k * arity + lane].bound;
    }
}

FOR_EACH_KIND void unite_lanes(int arity, int slabs, const wf_node_word *node, float *volume)
{
    for (int k = 0; k < slabs; k++) {
        float lower = node[k * arity].bound, upper = node[(slabs + k) * arity].bound;
        for (int lane = 1; lane < arity; lane++) {
            float l = node[k * arity + lane].bound, u = node[(slabs + k) * arity + lane].bound;
            lower = l < lower ? l : lower;
            upper = u > upper ? u : upper;
        }
        volume[k] = lower;
        volume[slabs + k] = upper;
    }
}

/* The volume of what a leaf holds. */
FOR_EACH_KIND void unite_leaf(int slabs, const wf_hierarchy *tree, int32_t leaf, const float *volumes, float *volume)
{
    wf_volume_clear(slabs, volume);
    for (int32_t rank = tree->leaf_begin[leaf]; rank < tree->leaf_begin[leaf + 1]; rank++) {
        const float *of_rank = volumes + (size_t)tree->order[rank] * 2 * (size_t)slabs;
        for (int k = 0; k < slabs; k++) {
            volume[k] = of_rank[k] < volume[k] ? of_rank[k] : volume[k];
            volume[slabs + k] = of_rank[slabs + k] > volume[slabs + k] ? of_rank[slabs + k] : volume[slabs + k];
        }
    }
}

FOR_EACH_KIND int refit(int arity, int slabs, wf_hierarchy *tree, const float *volumes)
{
    for (int32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        float *volume = tree->leaf_volumes + (size_t)leaf * 2 * (size_t)slabs;
        unite_leaf(slabs, tree, leaf, volumes, volume);
        set_lane(arity, slabs, tree->nodes + (size_t)(tree->slot[leaf] / arity) * tree->stride,
                 tree->slot[leaf] % arity, volume);
    }
    for (int32_t index = tree->node_count - 1; index >= 0; index--) {
        wf_node_word *node = tree->nodes + (size_t)index * tree->stride, *child = wf_hierarchy_children(tree, index);
        for (int lane = 0; lane < arity; lane++) {
            if (child[lane].index > index) {
                float volume[2 * WF_MOST_SLABS];
                unite_lanes(arity, slabs, tree->nodes + (size_t)child[lane].index * tree->stride, volume);
                set_lane(arity, slabs, node, lane, volume);
            }
        }
    }
    return 0;
}

void wf_hierarchy_refit(wf_hierarchy *tree, const float *volumes)
{
    (void)WITH_KIND(refit, tree, tree, volumes);
}

FOR_EACH_KIND int32_t inflate(int arity, int slabs, wf_hierarchy *tree, const float *volumes, float room)
{
    int32_t taken = 0;
    for (int32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        int32_t index = tree->slot[leaf] / arity;
        float *volume = tree->leaf_volumes + (size_t)leaf * 2 * (size_t)slabs, tight[2 * WF_MOST_SLABS];
        unite_leaf(slabs, tree, leaf, volumes, tight);
        if (!wf_volume_contains(slabs, volume, tight)) {
            memcpy(volume, tight, 2 * (size_t)slabs * sizeof *volume);
            wf_volume_inflate(slabs, volume, room);
            set_lane(arity, slabs, tree->nodes + (size_t)index * tree->stride, tree->slot[leaf] % arity, volume);
            tree->changed[index] = 1;
            taken += tree->leaf_begin[leaf + 1] - tree->leaf_begin[leaf];
        }
    }
    for (int32_t index = tree->node_count - 1; taken > 0 && index >= 0; index--) {
        wf_node_word *node = tree->nodes + (size_t)index * tree->stride, *child = wf_hierarchy_children(tree, index);
        for (int lane = 0; lane < arity; lane++) {
            int32_t below = child[lane].index;
            if (below > index && tree->changed[below]) {
                float volume[2 * WF_MOST_SLABS];
                unite_lanes(arity, slabs, tree->nodes + (size_t)below * tree->stride, volume);
                set_lane(arity, slabs, node, lane, volume);
                tree->changed[below] = 0;
                tree->changed[index] = 1;
            }
        }
    }
    tree->changed[0] = 0;
    return taken;
}

int32_t wf_hierarchy_inflate(wf_hierarchy *tree, const float *volumes, float room)
{
    return WITH_KIND(inflate, tree, tree, volumes, room);
}

/* Refits the node that holds ranks from `begin` on, and of the small ones below it those that `near` overlaps; `volume`
 * receives what holds all of its primitives. */
static void refit_near(wf_hierarchy *tree, int32_t index, int32_t begin, int32_t small, const float *volumes,
                       const float *near, float *volume)
{
    int slabs = tree->slabs, arity = tree->arity;
    wf_node_word *node = tree->nodes + (size_t)index * tree->stride;
    const wf_node_word *child = wf_hierarchy_children(tree, index);
    wf_volume_clear(slabs, volume);
    for (int lane = 0; lane < arity; lane++) {
        int32_t below = child[lane].index, end = child[arity + lane].index;
        if (below == index) {
            continue;
        }
        float of_lane[2 * WF_MOST_SLABS];
        if (below > index && end - begin > small) {
            refit_near(tree, below, begin, small, volumes, near, of_lane);
        } else {
            wf_volume_clear(slabs, of_lane);
            for (int32_t rank = begin; rank < end; rank++) {
                wf_volume_unite(slabs, of_lane, volumes + (size_t)tree->order[rank] * 2 * (size_t)slabs);
            }
            if (below < 0) {
                memcpy(tree->leaf_volumes + (size_t)~below * 2 * (size_t)slabs, of_lane,
                       2 * (size_t)slabs * sizeof *of_lane);
            } else if (wf_volumes_overlap(slabs, of_lane, near)) {
                float same[2 * WF_MOST_SLABS];
                refit_near(tree, below, begin, 0, volumes, near, same);
            }
        }
        set_lane(arity, slabs, node, lane, of_lane);
        wf_volume_unite(slabs, volume, of_lane);
        begin = end;
    }
}

void wf_hierarchy_refit_near(wf_hierarchy *tree, const float *volumes, const float *near)
{
    if (tree->count > 0) {
        float whole[2 * WF_MOST_SLABS];
        refit_near(tree, 0, 0, (int32_t)sqrt(tree->count), volumes, near, whole);
    }
}

void wf_hierarchy_whole(const wf_hierarchy *tree, float *volume)
{
    wf_volume_clear(tree->slabs, volume);
    for (int lane = 0; lane < tree->arity && tree->count > 0; lane++) {
        float of_lane[2 * WF_MOST_SLABS];
        get_lane(tree->arity, tree->slabs, tree->nodes, lane, of_lane);
        wf_volume_unite(tree->slabs, volume, of_lane);
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

#if defined(__SSE2__)
/* Four lanes, or the first two of them. */
FOR_EACH_KIND __m128 load_bounds(int arity, const wf_node_word *words)
{
    return arity == 2 ? _mm_castpd_ps(_mm_load_sd((const double *)(const void *)words))
                      : _mm_loadu_ps((const float *)(const void *)words);
}
#endif

/* One bit per child whose volume overlaps and that holds ranks from first_rank on. */
FOR_EACH_KIND unsigned overlapping_children(int arity, int slabs, const wf_node_word *node, const float *volume,
                                            int32_t first_rank)
{
    const wf_node_word *rank_end = node + (2 * slabs + 1) * arity;
    unsigned hits = 0;
#if defined(__SSE2__)
    for (int group = 0; group < arity; group += 4) {
        __m128i ends = _mm_castps_si128(load_bounds(arity, rank_end + group));
        __m128 hit = _mm_castsi128_ps(_mm_cmpgt_epi32(ends, _mm_set1_epi32(first_rank)));
        for (int k = 0; k < slabs; k++) {
            __m128 lower = load_bounds(arity, node + k * arity + group);
            __m128 upper = load_bounds(arity, node + (slabs + k) * arity + group);
            hit = _mm_and_ps(hit, _mm_cmple_ps(lower, _mm_set1_ps(volume[slabs + k])));
            hit = _mm_and_ps(hit, _mm_cmpge_ps(upper, _mm_set1_ps(volume[k])));
        }
        hits |= (unsigned)_mm_movemask_ps(hit) << group;
    }
    return arity == 2 ? hits & 3 : hits;
#else
    for (int lane = 0; lane < arity; lane++) {
        bool hit = rank_end[lane].index > first_rank;
        for (int k = 0; k < slabs; k++) {
            hit = hit && node[k * arity + lane].bound <= volume[slabs + k] &&
                  node[(slabs + k) * arity + lane].bound >= volume[k];
        }
        hits |= (unsigned)hit << lane;
    }
    return hits;
#endif
}

FOR_EACH_KIND int query(int arity, int slabs, const wf_hierarchy *tree, const float *volume, int32_t first_rank,
                        wf_hierarchy_visit *visit, void *user)
{
    int32_t stack[MOST_STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t top = stack[--depth];
        if (top < 0) {
            if (!visit(user, ~top)) {
                return 0;
            }
            continue;
        }
        const wf_node_word *node = tree->nodes + (size_t)top * tree->stride, *child = node + 2 * slabs * arity;
        unsigned hits = overlapping_children(arity, slabs, node, volume, first_rank);
        while (hits != 0) {
            int lane = 31 - __builtin_clz(hits);
            hits ^= 1u << lane;
            stack[depth++] = child[lane].index;
        }
    }
    return 0;
}

void wf_hierarchy_query(const wf_hierarchy *tree, const float *volume, int32_t first_rank, wf_hierarchy_visit *visit,
                        void *user)
{
    if (tree->count > 0) {
        (void)WITH_KIND(query, tree, tree, volume, first_rank, visit, user);
    }
}
