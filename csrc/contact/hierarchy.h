/* hierarchy.h - a tree of axis-aligned boxes over primitives.
 *
 * Arity 4, built top-down once by medians, refitted bottom-up when the primitives move. The topology depends on the
 * first boxes alone and a traversal reports its hits in one fixed order, so that results repeat for any thread count.
 */
#ifndef WEFT_CONTACT_HIERARCHY_H
#define WEFT_CONTACT_HIERARCHY_H

#include <math.h>

#include "base/context.h"

/* A box in single precision: {x, y, z} lower and upper bounds. Empty when lower > upper. */
typedef struct wf_box {
    float lower[3], upper[3];
} wf_box;

static inline wf_box wf_box_empty(void)
{
    return (wf_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void wf_box_unite(wf_box *box, const wf_box *other)
{
    for (int k = 0; k < 3; k++) {
        box->lower[k] = other->lower[k] < box->lower[k] ? other->lower[k] : box->lower[k];
        box->upper[k] = other->upper[k] > box->upper[k] ? other->upper[k] : box->upper[k];
    }
}

/* The smallest box that surely holds the points within `padding` (m) of p: rounded outward. */
wf_box wf_box_around(wf_vec3 p, double padding);

typedef struct wf_hierarchy_node {
    float lower[3][4], upper[3][4]; /* of the four children; empty boxes where there are fewer */
    int32_t child[4];               /* a node, or ~rank of a primitive */
    int32_t rank_end[4];            /* one more than the largest rank below the child */
} wf_hierarchy_node;

typedef struct wf_hierarchy {
    int32_t count;             /* primitives */
    int32_t *order;            /* [count] the primitive of each rank: depth-first order */
    int32_t node_count;
    wf_hierarchy_node *nodes;  /* the root is 0; children come after their parents */
    int32_t *slot;             /* [count] 4 * node + lane of each rank */
} wf_hierarchy;

/* Builds the tree over boxes[count]. On failure `tree` is empty. */
wf_status wf_hierarchy_build(wf_context *context, int32_t count, const wf_box *boxes, wf_hierarchy *tree);
void wf_hierarchy_free(wf_context *context, wf_hierarchy *tree);

/* Takes the primitives' new boxes. */
void wf_hierarchy_refit(wf_hierarchy *tree, const wf_box *boxes);

/* Calls visit(user, rank) for each primitive of rank >= first_rank whose box overlaps `box`, in order of rank, until it
 * returns false. */
typedef bool wf_hierarchy_visit(void *user, int32_t rank);
void wf_hierarchy_query(const wf_hierarchy *tree, const wf_box *box, int32_t first_rank, wf_hierarchy_visit *visit,
                        void *user);

#endif
