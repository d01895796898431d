/* near.c - tables of primitives and their boxes; see near.h. */
#include "contact/near.h"

#include <float.h>

#include "base/tasks.h"

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
    size_t room = (size_t)boxes->count + WF_NEAR_LANES;
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

wf_near_box wf_near_box_of(const wf_near_boxes *boxes, int32_t begin, int32_t end, float margin)
{
    wf_near_box box;
    for (int k = 0; k < 3; k++) {
        const float *low = boxes->low[k], *high = boxes->high[k];
        float lowest = INFINITY, highest = -INFINITY;
        for (int32_t i = begin; i < end; i++) {
            lowest = low[i] < lowest ? low[i] : lowest;
            highest = high[i] > highest ? high[i] : highest;
        }
        box.low[k] = lowest - margin;
        box.high[k] = highest + margin;
    }
    return box;
}
