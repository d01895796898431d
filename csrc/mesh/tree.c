/* tree.c - building a hierarchy of bounding boxes by medians; see tree.h. */
#include "mesh/tree.h"

#include <string.h>

typedef struct tree_builder {
    const wf_vec3 *positions;
    const int32_t (*faces)[3];
    int32_t leaf_size;
    wf_vec3 *centres; /* three times the centroid of each triangle */
    wf_tree *tree;
} tree_builder;

static double coordinate(wf_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/* Orders triangles by centre along the axis, equal ones by index, so that the order is total. */
static bool comes_before(const tree_builder *b, int axis, int32_t f, int32_t g)
{
    const double x = coordinate(b->centres[f], axis), y = coordinate(b->centres[g], axis);
    return x < y || (x == y && f < g);
}

/* Puts the `middle` smallest of order[0 .. count) first (Hoare's quickselect, pivot the median of three). */
static void select_half(const tree_builder *b, int axis, int32_t *order, int32_t count, int32_t middle)
{
    int32_t low = 0, high = count - 1;
    while (low < high) {
        const int32_t p = order[low], q = order[low + (high - low) / 2], r = order[high];
        const bool pq = comes_before(b, axis, p, q), qr = comes_before(b, axis, q, r), pr = comes_before(b, axis, p, r);
        const int32_t pivot = pq == qr ? q : pq == pr ? r : p;
        int32_t i = low, j = high;
        while (i <= j) {
            while (comes_before(b, axis, order[i], pivot)) {
                i++;
            }
            while (comes_before(b, axis, pivot, order[j])) {
                j--;
            }
            if (i <= j) {
                const int32_t swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Makes the node over order[first .. first + count) and what is below it. Depth is at most log2 of the count. */
static int32_t build_node(tree_builder *b, int32_t first, int32_t count)
{
    const int32_t index = b->tree->node_count++;
    wf_tree_node *node = &b->tree->nodes[index];
    int32_t *order = b->tree->order + first;
    wf_box centres = wf_box_empty();
    node->box = wf_box_empty();
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            wf_box_include(&node->box, b->positions[b->faces[order[i]][k]]);
        }
        wf_box_include(&centres, b->centres[order[i]]);
    }
    node->first = first;
    node->count = count;
    node->right = -1;
    if (count <= b->leaf_size) {
        return index;
    }
    const wf_vec3 extent = wf_vec3_sub(centres.upper, centres.lower);
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const int32_t half = count / 2;
    select_half(b, axis, order, count, half);
    build_node(b, first, half);
    const int32_t right = build_node(b, first + half, count - half);
    b->tree->nodes[index].right = right;
    return index;
}

wf_status wf_tree_build(wf_context *context, const wf_vec3 *positions, int32_t face_count, const int32_t (*faces)[3],
                        int32_t leaf_size, wf_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    tree_builder b = {.positions = positions, .faces = faces, .leaf_size = leaf_size, .tree = tree};
    /* Halving more than leaf_size triangles leaves at least this many in each half. */
    const size_t smallest_leaf = ((size_t)leaf_size + 1) / 2;
    const size_t node_limit = 2 * (size_t)face_count / smallest_leaf + 1;
    tree->nodes = wf_allocate(context, node_limit, sizeof *tree->nodes);
    tree->order = wf_allocate(context, (size_t)face_count, sizeof *tree->order);
    b.centres = wf_allocate(context, (size_t)face_count, sizeof *b.centres);
    if (!tree->nodes || !tree->order || !b.centres) {
        wf_free(context, b.centres);
        wf_tree_free(context, tree);
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < face_count; f++) {
        tree->order[f] = f;
        b.centres[f] = wf_vec3_add(positions[faces[f][0]], wf_vec3_add(positions[faces[f][1]], positions[faces[f][2]]));
    }
    if (face_count > 0) {
        build_node(&b, 0, face_count);
    }
    wf_free(context, b.centres);
    return WF_OK;
}

void wf_tree_free(wf_context *context, wf_tree *tree)
{
    wf_free(context, tree->nodes);
    wf_free(context, tree->order);
    memset(tree, 0, sizeof *tree);
}
