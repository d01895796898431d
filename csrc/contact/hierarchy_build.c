/* hierarchy_build.c - trees of volumes, top-down by medians or bottom-up by merging regions of the mesh.
 *
 * Both make a binary tree first, of which nodes of the wanted arity then take in their largest children's children.
 */
#include <stdlib.h>
#include <string.h>

#include "contact/hierarchy.h"

/* Merging goes on for at most so many rounds, each of which adds at most two levels; medians then halve what is left,
 * fewer than 2^31: at most 127 levels. */
enum { MOST_ROUNDS = 48 };

/* Leaves are [0, count), inner nodes [count, 2 * count - 1); the root is the last. */
typedef struct builder {
    wf_context *context;
    wf_hierarchy *tree;
    const float *volumes;
    int32_t (*below)[2];   /* of inner nodes, by index - count */
    int32_t *size;         /* primitives below each */
    int32_t *items;        /* what medians put in order */
    int32_t made;          /* nodes so far, leaves included */
    float *merged;         /* volumes of all nodes, where regions merge */
} builder;

static int32_t join(builder *b, int32_t first, int32_t second)
{
    int32_t index = b->made++;
    b->below[index - b->tree->count][0] = first;
    b->below[index - b->tree->count][1] = second;
    b->size[index] = b->size[first] + b->size[second];
    return index;
}

/* ---- medians ----------------------------------------------------------------------------------------------------- */

static float twice_centre(const builder *b, int32_t item, int axis)
{
    const float *volume = b->volumes + (size_t)item * 2 * (size_t)b->tree->slabs;
    return volume[axis] + volume[b->tree->slabs + axis];
}

/* Whether the first goes before the second along the axis; ties go by number, so that the order is total. */
static bool goes_before(const builder *b, int axis, int32_t first, int32_t second)
{
    float x = twice_centre(b, first, axis), y = twice_centre(b, second, axis);
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
    int32_t *order = b->items;
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

/* Halves the items [begin, end) at their median along the axis on which the centres spread most; the tree over them. */
static int32_t halve(builder *b, int32_t begin, int32_t end)
{
    if (end - begin == 1) {
        return b->items[begin];
    }
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            float x = twice_centre(b, b->items[i], k);
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
    int32_t first = halve(b, begin, middle);
    return join(b, first, halve(b, middle, end));
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* A border between two regions, the first having the smaller number. */
typedef struct border {
    int32_t first, second;
    double length, score;
} border;

typedef struct regions {
    builder *b;
    int32_t count;         /* of regions now */
    int32_t *node;         /* of the binary tree, of each */
    double *area, *contour;
    int32_t *group;        /* what each becomes in this round, -1 for not yet */
    int32_t *group_size;   /* by group */
    border *borders;
    int32_t border_count;
} regions;

static int compare_pairs(const border *p, const border *q)
{
    if (p->first != q->first) {
        return p->first < q->first ? -1 : 1;
    }
    return p->second != q->second ? (p->second < q->second ? -1 : 1) : 0;
}

static int by_regions(const void *a, const void *b)
{
    return compare_pairs(a, b);
}

static int by_score(const void *a, const void *b)
{
    const border *p = a, *q = b;
    return p->score != q->score ? (p->score > q->score ? -1 : 1) : compare_pairs(p, q);
}

/* Adds up what is between the same regions and leaves out what is within one. */
static void tidy_borders(regions *r)
{
    int32_t kept = 0;
    qsort(r->borders, (size_t)r->border_count, sizeof *r->borders, by_regions);
    for (int32_t i = 0; i < r->border_count; i++) {
        border *at = &r->borders[i];
        if (kept > 0 && compare_pairs(at, &r->borders[kept - 1]) == 0) {
            r->borders[kept - 1].length += at->length;
        } else if (at->first != at->second) {
            r->borders[kept++] = *at;
        }
    }
    r->border_count = kept;
}

/* Puts region `from` into the group. */
static void enter(regions *r, int32_t from, int32_t group)
{
    r->group[from] = group;
    r->group_size[group]++;
}

/* The groups of a round: pairs first, those of the best shape first (the root of the area by the contour's length);
 * then what is left joins a pair. Returns their number. */
static int32_t choose_groups(regions *r)
{
    int32_t groups = 0;
    memset(r->group, 0xff, (size_t)r->count * sizeof *r->group);
    for (int32_t i = 0; i < r->border_count; i++) {
        border *at = &r->borders[i];
        double contour = r->contour[at->first] + r->contour[at->second] - 2 * at->length;
        double area = r->area[at->first] + r->area[at->second];
        /* A closed surface has no contour. */
        at->score = sqrt(area) / (contour > 0 ? contour + 1e-9 * at->length : 1e-9 * at->length + 1e-300);
    }
    qsort(r->borders, (size_t)r->border_count, sizeof *r->borders, by_score);
    for (int32_t i = 0; i < r->border_count; i++) {
        const border *at = &r->borders[i];
        if (r->group[at->first] < 0 && r->group[at->second] < 0) {
            r->group_size[groups] = 0;
            enter(r, at->first, groups);
            enter(r, at->second, groups++);
        }
    }
    for (int32_t i = 0; i < r->border_count; i++) {
        const border *at = &r->borders[i];
        bool first_waits = r->group[at->first] < 0;
        int32_t waits = first_waits ? at->first : at->second, other = first_waits ? at->second : at->first;
        if (r->group[waits] < 0 && r->group[other] >= 0 && r->group_size[r->group[other]] == 2) {
            enter(r, waits, r->group[other]);
        }
    }
    for (int32_t i = 0; i < r->count; i++) {
        if (r->group[i] < 0) {
            r->group_size[groups] = 0;
            enter(r, i, groups++);
        }
    }
    return groups;
}

/* Joins the regions of each group. next_* have room for the groups. */
static void merge_groups(regions *r, int32_t groups, int32_t *next_node, double *next_area, double *next_contour)
{
    for (int32_t g = 0; g < groups; g++) {
        next_node[g] = -1;
        next_area[g] = next_contour[g] = 0;
    }
    for (int32_t i = 0; i < r->count; i++) {
        int32_t g = r->group[i];
        next_node[g] = next_node[g] < 0 ? r->node[i] : join(r->b, next_node[g], r->node[i]);
        next_area[g] += r->area[i];
        next_contour[g] += r->contour[i];
    }
    for (int32_t i = 0; i < r->border_count; i++) {
        border *at = &r->borders[i];
        int32_t first = r->group[at->first], second = r->group[at->second];
        if (first == second) {
            next_contour[first] -= 2 * at->length;
        }
        at->first = first < second ? first : second;
        at->second = first < second ? second : first;
    }
    memcpy(r->node, next_node, (size_t)groups * sizeof *next_node);
    memcpy(r->area, next_area, (size_t)groups * sizeof *next_area);
    memcpy(r->contour, next_contour, (size_t)groups * sizeof *next_contour);
    r->count = groups;
}

static double edge_length(const wf_region_mesh *mesh, int32_t edge)
{
    return wf_vec3_distance(mesh->x[mesh->edges[edge][0]], mesh->x[mesh->edges[edge][1]]);
}

static void start_regions(regions *r, const wf_region_mesh *mesh)
{
    for (int32_t f = 0; f < r->count; f++) {
        const int32_t *v = mesh->faces[f];
        wf_vec3 p = wf_vec3_sub(mesh->x[v[1]], mesh->x[v[0]]), q = wf_vec3_sub(mesh->x[v[2]], mesh->x[v[0]]);
        r->node[f] = f;
        r->area[f] = 0.5 * wf_vec3_norm(wf_vec3_cross(p, q));
        r->contour[f] = wf_vec3_norm(p) + wf_vec3_norm(q) + wf_vec3_distance(mesh->x[v[1]], mesh->x[v[2]]);
    }
    for (int32_t e = 0; e < mesh->edge_count; e++) {
        int32_t first = mesh->edge_faces[e][0] - mesh->first_face, second = mesh->edge_faces[e][1] - mesh->first_face;
        if (mesh->edge_faces[e][1] >= 0) {
            r->borders[r->border_count++] = (border){first < second ? first : second, first < second ? second : first,
                                                     edge_length(mesh, e), 0};
        }
    }
}

/* Volumes of all nodes made so far, for the medians that put what is left together. */
static wf_status measure_nodes(builder *b)
{
    size_t size = 2 * (size_t)b->tree->slabs;
    int32_t count = b->tree->count;
    b->merged = wf_allocate(b->context, (size_t)b->made * size, sizeof *b->merged);
    if (!b->merged) {
        return WF_ERROR_MEMORY;
    }
    memcpy(b->merged, b->volumes, (size_t)count * size * sizeof *b->merged);
    for (int32_t index = count; index < b->made; index++) {
        float *volume = b->merged + (size_t)index * size;
        wf_volume_clear(b->tree->slabs, volume);
        for (int k = 0; k < 2; k++) {
            wf_volume_unite(b->tree->slabs, volume, b->merged + (size_t)b->below[index - count][k] * size);
        }
    }
    b->volumes = b->merged;
    return WF_OK;
}

static wf_status merge_regions(builder *b, const wf_region_mesh *mesh, int32_t *root)
{
    size_t count = (size_t)b->tree->count;
    regions r = {.b = b, .count = b->tree->count};
    r.node = wf_allocate(b->context, count, sizeof *r.node);
    r.area = wf_allocate(b->context, count, sizeof *r.area);
    r.contour = wf_allocate(b->context, count, sizeof *r.contour);
    r.group = wf_allocate(b->context, count, sizeof *r.group);
    r.group_size = wf_allocate(b->context, count, sizeof *r.group_size);
    r.borders = wf_allocate(b->context, (size_t)mesh->edge_count, sizeof *r.borders);
    int32_t *next_node = wf_allocate(b->context, count, sizeof *next_node);
    double *next_area = wf_allocate(b->context, count, sizeof *next_area);
    double *next_contour = wf_allocate(b->context, count, sizeof *next_contour);
    wf_status status = WF_ERROR_MEMORY;
    if (r.node && r.area && r.contour && r.group && r.group_size && r.borders && next_node && next_area &&
        next_contour) {
        start_regions(&r, mesh);
        tidy_borders(&r);
        for (int round = 0; round < MOST_ROUNDS && r.border_count > 0; round++) {
            merge_groups(&r, choose_groups(&r), next_node, next_area, next_contour);
            tidy_borders(&r);
        }
        status = measure_nodes(b);
    }
    if (status == WF_OK) {
        memcpy(b->items, r.node, (size_t)r.count * sizeof *b->items);
        *root = halve(b, 0, r.count);
    }
    void *scratch[] = {r.node, r.area, r.contour, r.group, r.group_size, r.borders, next_node, next_area, next_contour};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
        wf_free(b->context, scratch[i]);
    }
    return status;
}

/* ---- nodes of the wanted arity ----------------------------------------------------------------------------------- */

/* Gives ranks to what is below a binary node. */
static void fill_leaf(builder *b, int32_t binary, int32_t *rank)
{
    if (binary < b->tree->count) {
        b->tree->order[(*rank)++] = binary;
        return;
    }
    for (int k = 0; k < 2; k++) {
        fill_leaf(b, b->below[binary - b->tree->count][k], rank);
    }
}

/* Makes the node over a binary node and those below it, whose ranks begin with *rank. */
static int32_t make_node(builder *b, int32_t binary, int32_t *rank)
{
    wf_hierarchy *tree = b->tree;
    int32_t index = tree->node_count++, held[8] = {binary};
    int count = 1;
    while (count < tree->arity) {
        int largest = 0;
        for (int i = 1; i < count; i++) {
            largest = b->size[held[i]] > b->size[held[largest]] ? i : largest;
        }
        if (b->size[held[largest]] <= WF_LARGEST_LEAF) {
            break;
        }
        const int32_t *below = b->below[held[largest] - tree->count];
        memmove(held + largest + 2, held + largest + 1, (size_t)(count - largest - 1) * sizeof *held);
        held[largest] = below[0];
        held[largest + 1] = below[1];
        count++;
    }
    wf_node_word *child = wf_hierarchy_children(tree, index);
    for (int lane = 0; lane < tree->arity; lane++) {
        child[lane].index = index;
        child[tree->arity + lane].index = INT32_MIN;
        if (lane < count && b->size[held[lane]] <= WF_LARGEST_LEAF) {
            tree->slot[tree->leaf_count] = tree->arity * index + lane;
            child[lane].index = ~tree->leaf_count;
            fill_leaf(b, held[lane], rank);
            tree->leaf_begin[++tree->leaf_count] = *rank;
        } else if (lane < count) {
            child[lane].index = make_node(b, held[lane], rank);
        }
        if (lane < count) {
            child[tree->arity + lane].index = *rank;
        }
    }
    return index;
}

static void clear_bounds(wf_hierarchy *tree)
{
    size_t half = (size_t)tree->slabs * (size_t)tree->arity;
    for (int32_t index = 0; index < tree->node_count; index++) {
        wf_node_word *node = tree->nodes + (size_t)index * tree->stride;
        for (size_t i = 0; i < half; i++) {
            node[i].bound = INFINITY;
            node[half + i].bound = -INFINITY;
        }
    }
}

static wf_status build(builder *b, const wf_hierarchy_params *params, const wf_region_mesh *mesh)
{
    wf_hierarchy *tree = b->tree;
    size_t count = (size_t)tree->count;
    tree->order = wf_allocate(b->context, count, sizeof *tree->order);
    tree->slot = wf_allocate(b->context, count, sizeof *tree->slot);
    tree->leaf_begin = wf_allocate(b->context, count + 1, sizeof *tree->leaf_begin);
    tree->leaf_volumes = wf_allocate(b->context, count * 2 * (size_t)tree->slabs, sizeof *tree->leaf_volumes);
    /* A node has at least two children unless it is the root. */
    tree->nodes = wf_allocate(b->context, (count + 1) * tree->stride, sizeof *tree->nodes);
    tree->changed = wf_allocate(b->context, count + 1, sizeof *tree->changed);
    b->below = wf_allocate(b->context, count, sizeof *b->below);
    b->size = wf_allocate(b->context, 2 * count, sizeof *b->size);
    b->items = wf_allocate(b->context, count, sizeof *b->items);
    if (!tree->order || !tree->slot || !tree->leaf_begin || !tree->leaf_volumes || !tree->nodes ||
        !tree->changed || !b->below || !b->size || !b->items) {
        return WF_ERROR_MEMORY;
    }
    if (count == 0) {
        return WF_OK;
    }
    for (int32_t i = 0; i < tree->count; i++) {
        b->items[i] = i;
        b->size[i] = 1;
    }
    int32_t root = 0, rank = 0;
    wf_status status = WF_OK;
    if (params->build == WF_BUILD_REGIONS) {
        status = merge_regions(b, mesh, &root);
    } else {
        root = halve(b, 0, tree->count);
    }
    if (status == WF_OK) {
        make_node(b, root, &rank);
        clear_bounds(tree);
    }
    return status;
}

wf_status wf_hierarchy_build(wf_context *context, const wf_hierarchy_params *params, int32_t count,
                             const float *volumes, const wf_region_mesh *mesh, wf_hierarchy *tree)
{
    *tree = (wf_hierarchy){.count = count, .arity = params->arity, .slabs = params->slabs};
    tree->stride = (size_t)(2 * params->slabs + 2) * (size_t)params->arity;
    builder b = {.context = context, .tree = tree, .volumes = volumes, .made = count};
    wf_status status = build(&b, params, mesh);
    wf_free(context, b.below);
    wf_free(context, b.size);
    wf_free(context, b.items);
    wf_free(context, b.merged);
    if (status != WF_OK) {
        wf_hierarchy_free(context, tree);
        return status;
    }
    wf_hierarchy_refit(tree, volumes);
    return WF_OK;
}
