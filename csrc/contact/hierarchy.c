/* hierarchy.c - a four-way tree of boxes; see hierarchy.h. */
#include "contact/hierarchy.h"

#include <float.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { MOST_STACK = 64 }; /* three waiting siblings on each of at most 16 levels, and some more */

wf_box wf_box_around(wf_vec3 p, double padding)
{
    const double x[3] = {p.x, p.y, p.z};
    wf_box box;
    for (int k = 0; k < 3; k++) {
        /* Two roundings to single precision, each by at most half a unit in the last place. */
        float lower = (float)(x[k] - padding), upper = (float)(x[k] + padding);
        box.lower[k] = lower - fabsf(lower) * FLT_EPSILON - FLT_MIN;
        box.upper[k] = upper + fabsf(upper) * FLT_EPSILON + FLT_MIN;
    }
    return box;
}

/* ---- building --------------------------------------------------------------------------------------------------- */

typedef struct builder {
    wf_hierarchy *tree;
    const wf_box *boxes;
} builder;

static float twice_centre(const wf_box *box, int axis)
{
    return box->lower[axis] + box->upper[axis];
}

/* Whether primitive a goes before b along the axis; ties go by number, so that the order is total. */
static bool goes_before(const builder *b, int axis, int32_t first, int32_t second)
{
    float x = twice_centre(&b->boxes[first], axis), y = twice_centre(&b->boxes[second], axis);
    return x < y || (x == y && first < second);
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Reorders [begin, end) so that the elements before `middle` go before the others (Hoare's selection, the pivot being
 * the median of three). */
static void select_median(const builder *b, int axis, int32_t begin, int32_t end, int32_t middle)
{
    int32_t *order = b->tree->order;
    while (end - begin > 1) {
        int32_t last = end - 1, centre = begin + (end - begin) / 2;
        if (goes_before(b, axis, order[centre], order[begin])) {
            swap(&order[centre], &order[begin]);
        }
        if (goes_before(b, axis, order[last], order[begin])) {
            swap(&order[last], &order[begin]);
        }
        if (goes_before(b, axis, order[last], order[centre])) {
            swap(&order[last], &order[centre]);
        }
        int32_t pivot = order[centre], i = begin, j = last;
        while (i <= j) {
            while (goes_before(b, axis, order[i], pivot)) {
                i++;
            }
            while (goes_before(b, axis, pivot, order[j])) {
                j--;
            }
            if (i <= j) {
                swap(&order[i++], &order[j--]);
            }
        }
        if (middle <= j) {
            end = j + 1;
        } else if (middle >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

/* Splits [begin, end) at its median along the axis on which the centres spread most. */
static int32_t split(const builder *b, int32_t begin, int32_t end)
{
    if (end - begin < 2) {
        return end;
    }
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            float x = twice_centre(&b->boxes[b->tree->order[i]], k);
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (upper[k] - lower[k] > upper[axis] - lower[axis]) {
            axis = k;
        }
    }
    int32_t middle = begin + (end - begin + 1) / 2;
    select_median(b, axis, begin, end, middle);
    return middle;
}

/* Makes the node over [begin, end) and those below it. Halving bounds the depth by 16. */
static int32_t build_node(builder *b, int32_t begin, int32_t end)
{
    wf_hierarchy *tree = b->tree;
    int32_t index = tree->node_count++;
    int32_t bound[5] = {begin, 0, 0, 0, end};
    bound[2] = split(b, begin, end);
    bound[1] = split(b, begin, bound[2]);
    bound[3] = split(b, bound[2], end);
    for (int lane = 0; lane < 4; lane++) {
        int32_t from = bound[lane], to = bound[lane + 1], child = to > from ? index : -1;
        if (to - from == 1) {
            child = ~from;
            tree->slot[from] = 4 * index + lane;
        } else if (to > from) {
            child = build_node(b, from, to);
        }
        wf_hierarchy_node *node = &tree->nodes[index];
        node->child[lane] = child;
        node->rank_end[lane] = to > from ? to : INT32_MIN;
        for (int k = 0; k < 3; k++) {
            node->lower[k][lane] = INFINITY;
            node->upper[k][lane] = -INFINITY;
        }
    }
    return index;
}

wf_status wf_hierarchy_build(wf_context *context, int32_t count, const wf_box *boxes, wf_hierarchy *tree)
{
    *tree = (wf_hierarchy){.count = count};
    tree->order = wf_allocate(context, (size_t)count, sizeof *tree->order);
    tree->slot = wf_allocate(context, (size_t)count, sizeof *tree->slot);
    /* A node has at least two children unless it is the root. */
    tree->nodes = wf_allocate(context, (size_t)count + 1, sizeof *tree->nodes);
    if (!tree->order || !tree->slot || !tree->nodes) {
        wf_hierarchy_free(context, tree);
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; i++) {
        tree->order[i] = i;
    }
    if (count > 0) {
        builder b = {tree, boxes};
        build_node(&b, 0, count);
        wf_hierarchy_refit(tree, boxes);
    }
    return WF_OK;
}

void wf_hierarchy_free(wf_context *context, wf_hierarchy *tree)
{
    wf_free(context, tree->order);
    wf_free(context, tree->slot);
    wf_free(context, tree->nodes);
    *tree = (wf_hierarchy){0};
}

/* ---- refitting and asking --------------------------------------------------------------------------------------- */

static void set_child_box(wf_hierarchy_node *node, int lane, const wf_box *box)
{
    for (int k = 0; k < 3; k++) {
        node->lower[k][lane] = box->lower[k];
        node->upper[k][lane] = box->upper[k];
    }
}

static wf_box box_of_node(const wf_hierarchy_node *node)
{
    wf_box box = wf_box_empty();
    for (int lane = 0; lane < 4; lane++) {
        wf_box child;
        for (int k = 0; k < 3; k++) {
            child.lower[k] = node->lower[k][lane];
            child.upper[k] = node->upper[k][lane];
        }
        wf_box_unite(&box, &child);
    }
    return box;
}

void wf_hierarchy_refit(wf_hierarchy *tree, const wf_box *boxes)
{
    for (int32_t rank = 0; rank < tree->count; rank++) {
        set_child_box(&tree->nodes[tree->slot[rank] / 4], tree->slot[rank] % 4, &boxes[tree->order[rank]]);
    }
    for (int32_t index = tree->node_count - 1; index >= 0; index--) {
        wf_hierarchy_node *node = &tree->nodes[index];
        for (int lane = 0; lane < 4; lane++) {
            if (node->child[lane] > index) {
                wf_box box = box_of_node(&tree->nodes[node->child[lane]]);
                set_child_box(node, lane, &box);
            }
        }
    }
}

/* One bit per child whose box overlaps and that holds ranks from first_rank on. */
static inline unsigned overlapping_children(const wf_hierarchy_node *node, const wf_box *box, int32_t first_rank)
{
#if defined(__SSE2__)
    __m128 hit = _mm_castsi128_ps(
        _mm_cmpgt_epi32(_mm_loadu_si128((const __m128i *)node->rank_end), _mm_set1_epi32(first_rank)));
    for (int k = 0; k < 3; k++) {
        hit = _mm_and_ps(hit, _mm_cmple_ps(_mm_loadu_ps(node->lower[k]), _mm_set1_ps(box->upper[k])));
        hit = _mm_and_ps(hit, _mm_cmpge_ps(_mm_loadu_ps(node->upper[k]), _mm_set1_ps(box->lower[k])));
    }
    return (unsigned)_mm_movemask_ps(hit);
#else
    unsigned hits = 0;
    for (int lane = 0; lane < 4; lane++) {
        bool hit = node->rank_end[lane] > first_rank;
        for (int k = 0; k < 3; k++) {
            hit = hit && node->lower[k][lane] <= box->upper[k] && node->upper[k][lane] >= box->lower[k];
        }
        hits |= (unsigned)hit << lane;
    }
    return hits;
#endif
}

static bool only_leaves(const wf_hierarchy_node *node)
{
    return (node->child[0] & node->child[1] & node->child[2] & node->child[3]) < 0;
}

void wf_hierarchy_query(const wf_hierarchy *tree, const wf_box *box, int32_t first_rank, wf_hierarchy_visit *visit,
                        void *user)
{
    if (tree->count == 0) {
        return;
    }
    int32_t stack[MOST_STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t top = stack[--depth];
        if (top < 0) {
            if (!visit(user, ~top)) {
                return;
            }
            continue;
        }
        const wf_hierarchy_node *node = &tree->nodes[top];
        unsigned hits = overlapping_children(node, box, first_rank);
        if (only_leaves(node)) {
            for (int lane = 0; lane < 4; lane++) {
                if ((hits >> lane & 1) && !visit(user, ~node->child[lane])) {
                    return;
                }
            }
            continue;
        }
        for (int lane = 3; lane >= 0; lane--) {
            if (hits >> lane & 1) {
                stack[depth++] = node->child[lane];
            }
        }
    }
}
