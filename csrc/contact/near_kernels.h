/* near_kernels.h - one box against many, as many at a time as the processor can.
 *
 * What is near a leaf lies in many others, a few primitives in each: those that the leaf may meet at all are picked out
 * first and stand close together, so that each of the leaf's own is then compared with full vectors.
 */
#ifndef WEFT_CONTACT_NEAR_KERNELS_H
#define WEFT_CONTACT_NEAR_KERNELS_H

#include "base/dispatch.h"
#include "contact/near.h"

/* Faces that are picked from together, and room for all that they may own of one kind. */
enum { WF_NEAR_MOST_FACES = 256, WF_NEAR_ROOM = 3 * WF_NEAR_MOST_FACES + WF_NEAR_LANES };

/* Ranks of the faces of a leaf. */
typedef struct wf_rank_range {
    int32_t begin, end;
} wf_rank_range;

/* Primitives of one kind picked from several leaves, in order; columns as in wf_near_boxes. */
typedef struct wf_near_picked {
    int32_t count;
    int32_t source[WF_NEAR_ROOM], vertex[3][WF_NEAR_ROOM];
    float low[3][WF_NEAR_ROOM], high[3][WF_NEAR_ROOM];
} wf_near_picked;

typedef struct wf_near_kernels {
    /* Picks those in the ranges (at most WF_NEAR_MOST_FACES faces) whose boxes overlap this one. */
    void (*pick)(const wf_near_boxes *boxes, int kind, const wf_rank_range *range, int range_count,
                 const wf_near_box *box, wf_near_picked *picked);
    /* Those of the picked from `first` on whose boxes come within `margin` (m) of the primitive's and that share no
     * vertex with it, in order; hit has WF_NEAR_ROOM. `kind` is theirs. Returns how many. */
    int (*hits)(const wf_near_picked *picked, int kind, int32_t first, const wf_near_boxes *mine, int32_t primitive,
                float margin, int32_t *hit);
} wf_near_kernels;

WF_DECLARE_KERNELS(wf_near_kernels, wf_near_kernels);

#endif
