/* near.h - the primitives of a tree side by side in order of rank, each with the box of what is within its reach, so
 * that one that asks is compared with many at once (near_kernels.h).
 *
 * A primitive stands with the face that owns it (see candidates.c).
 */
#ifndef WEFT_CONTACT_NEAR_H
#define WEFT_CONTACT_NEAR_H

#include "base/context.h"
#include "base/vector.h"
#include "contact/hierarchy.h"

/* A face as the traversal reads it: one line of the cache. */
typedef struct wf_packed_face {
    float corner[3][3];      /* reference positions, from the packing origin */
    int32_t vertex[3], edge[3];
    int32_t index : 26;
    uint32_t owns : 6;       /* bits 0-2: corners, bits 3-5: edges; edge k leads from corner k to the next */
} wf_packed_face;

enum { WF_NEAR_LANES = 16 }; /* tables may be read so many elements from the last on */

/* Primitives of one kind. */
typedef struct wf_near_boxes {
    int32_t count;
    int32_t *start;      /* [faces + 1] the first of each rank's */
    int32_t *source;     /* [count] 4 * rank + corner or edge */
    int32_t *vertex[3];
    float *low[3], *high[3];
} wf_near_boxes;

/* By kind: what a vertex asks, what an edge asks, and what a face asks. */
enum { WF_NEAR_FACES, WF_NEAR_EDGES, WF_NEAR_VERTICES, WF_NEAR_KINDS };

typedef struct wf_near_set {
    wf_near_boxes of[WF_NEAR_KINDS];
} wf_near_set;

/* Tables for the packed faces of a tree, whose owners and vertices are set. */
wf_status wf_near_create(wf_context *context, int32_t count, const wf_packed_face *packed, wf_near_set *set);
void wf_near_free(wf_context *context, wf_near_set *set);

typedef struct wf_near_reach {
    const float *face, *edge, *vertex; /* m */
} wf_near_reach;

/* Takes the positions of the packed faces. */
void wf_near_update(wf_context *context, wf_near_set *set, const wf_packed_face *packed, const wf_near_reach *reach);

typedef struct wf_near_box {
    float low[3], high[3];
} wf_near_box;

/* What is within reach of any of those from `begin` to `end` and `margin` (m). */
wf_near_box wf_near_box_of(const wf_near_boxes *boxes, int32_t begin, int32_t end, float margin);

#endif
