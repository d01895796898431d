/* tree.h - a static hierarchy of bounding boxes over triangles, for questions about surfaces that do not move.
 *
 * Boxes are taken from the vertices without rounding, so a test on them never misses a triangle that touches. The tree
 * depends on the triangles alone. Internal to mesh/.
 */
#ifndef WEFT_MESH_TREE_H
#define WEFT_MESH_TREE_H

#include "base/box.h"
#include "base/context.h"

/* Medians halve the triangles, so no path is longer than this. */
enum { WF_TREE_DEPTH = 40 };

typedef struct wf_tree_node {
    wf_box box;
    int32_t first, count; /* triangles order[first .. first + count) */
    int32_t right;        /* the second child, -1 in a leaf; the first child is the next node */
} wf_tree_node;

typedef struct wf_tree {
    int32_t node_count;
    wf_tree_node *nodes; /* parents before children; nodes[0] is the root; none without triangles */
    int32_t *order;      /* [face_count] triangles by leaf */
} wf_tree;

/* Builds a tree with at most `leaf_size` triangles per leaf; indices and positions must be sound. O(n log n). */
wf_status wf_tree_build(wf_context *context, const wf_vec3 *positions, int32_t face_count, const int32_t (*faces)[3],
                        int32_t leaf_size, wf_tree *tree);
void wf_tree_free(wf_context *context, wf_tree *tree);

#endif
