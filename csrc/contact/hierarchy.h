/* hierarchy.h - a tree of bounding volumes over primitives.
 *
 * Built once, refitted when the primitives move: its topology depends on the first volumes (and the mesh) alone, and a
 * traversal reports its hits in order of rank, so that results repeat for any thread count. The ranks depend on how the
 * tree is built, not on its arity or volumes.
 */
#ifndef WEFT_CONTACT_HIERARCHY_H
#define WEFT_CONTACT_HIERARCHY_H

#include "base/context.h"
#include "contact/volume.h"

typedef enum wf_hierarchy_build_method {
    WF_BUILD_MEDIANS, /* top-down: halves at the median along the axis on which the centres spread most */
    WF_BUILD_REGIONS  /* bottom-up: neighbouring regions of the mesh merge into compact ones (Volino 1994) */
} wf_hierarchy_build_method;

/* What merging regions asks of the mesh: rest areas and contours. */
typedef struct wf_region_mesh {
    const int32_t (*faces)[3];
    const wf_vec3 *x;
    int32_t edge_count;
    const int32_t (*edges)[2];
    const int32_t (*edge_faces)[2]; /* faces are numbered from first_face on; -1 for none */
    int32_t first_face;
} wf_region_mesh;

typedef struct wf_hierarchy_params {
    wf_hierarchy_build_method build;
    int arity;  /* children of a node: 2, 4 or 8 */
    int slabs;  /* of the volumes: see volume.h */
} wf_hierarchy_params;

/* Leaves hold up to so many primitives, of consecutive ranks. */
enum { WF_LARGEST_LEAF = 16 };

/* A node is words: `arity` lower bounds for each slab, as many upper bounds, `arity` children (a node, ~leaf, or the
 * node itself for none) and for each child one more than the largest rank below it. */
typedef union wf_node_word {
    float bound;
    int32_t index;
} wf_node_word;

typedef struct wf_hierarchy {
    int32_t count;          /* primitives */
    int arity, slabs;
    int32_t *order;         /* [count] the primitive of each rank: depth-first order */
    int32_t leaf_count;
    int32_t *leaf_begin;    /* [leaf_count + 1] ranks */
    float *leaf_volumes;    /* [leaf_count][2 * slabs] */
    int32_t node_count;
    size_t stride;          /* words of a node */
    wf_node_word *nodes;    /* the root is 0; children come after their parents */
    int32_t *slot;          /* [leaf_count] arity * node + lane */
    uint8_t *changed;       /* [node_count] while volumes are inflated */
} wf_hierarchy;

/* Builds the tree over volumes[count][2 * slabs]; `mesh` may be NULL where regions are not merged. On failure `tree` is
 * empty. */
wf_status wf_hierarchy_build(wf_context *context, const wf_hierarchy_params *params, int32_t count,
                             const float *volumes, const wf_region_mesh *mesh, wf_hierarchy *tree);
void wf_hierarchy_free(wf_context *context, wf_hierarchy *tree);

static inline wf_node_word *wf_hierarchy_children(const wf_hierarchy *tree, int32_t node)
{
    return tree->nodes + (size_t)node * tree->stride + (size_t)(2 * tree->slabs * tree->arity);
}

/* Takes the primitives' new volumes. */
void wf_hierarchy_refit(wf_hierarchy *tree, const float *volumes);

/* Takes them where they are not within those that the tree has, which are then made larger by `room` (m) than needed,
 * and leaves out nodes of which no child changed. Returns how many primitives are in leaves that were taken. */
int32_t wf_hierarchy_inflate(wf_hierarchy *tree, const float *volumes, float room);

/* Takes them in the upper half of the levels, and below only where nodes overlap `near`: what is asked next must lie
 * within it (the hybrid update of Larsson and Akenine-Moeller 2001). */
void wf_hierarchy_refit_near(wf_hierarchy *tree, const float *volumes, const float *near);

/* The volume of all primitives. */
void wf_hierarchy_whole(const wf_hierarchy *tree, float *volume);

/* Calls visit(user, leaf) for each leaf that holds ranks from first_rank on and overlaps `volume`, in order, until it
 * returns false. */
typedef bool wf_hierarchy_visit(void *user, int32_t leaf);
void wf_hierarchy_query(const wf_hierarchy *tree, const float *volume, int32_t first_rank, wf_hierarchy_visit *visit,
                        void *user);

#endif
