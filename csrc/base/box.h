/* box.h - boxes along the axes. */
#ifndef WEFT_BASE_BOX_H
#define WEFT_BASE_BOX_H

#include "base/vector.h"

typedef struct wf_box {
    wf_vec3 lower, upper;
} wf_box;

/* One that holds nothing and meets no other. */
static inline wf_box wf_box_empty(void)
{
    return (wf_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* `a`, or the coordinates of `b` that are below, or above. Those of `b` that are not numbers are left out. By
 * comparisons: fmin and fmax are calls. */
static inline wf_vec3 wf_box_lower(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_make(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z);
}

static inline wf_vec3 wf_box_upper(wf_vec3 a, wf_vec3 b)
{
    return wf_vec3_make(b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z);
}

/* Coordinates that are not numbers are left out. */
static inline void wf_box_include(wf_box *box, wf_vec3 point)
{
    box->lower = wf_box_lower(box->lower, point);
    box->upper = wf_box_upper(box->upper, point);
}

/* Of points. */
static inline wf_box wf_box_of(const wf_vec3 *x, int32_t count)
{
    wf_box box = wf_box_empty();
    for (int32_t i = 0; i < count; i++) {
        wf_box_include(&box, x[i]);
    }
    return box;
}

/* The smallest that holds both. Corner by corner: those of an empty box are no points of it. */
static inline wf_box wf_box_join(wf_box a, wf_box b)
{
    return (wf_box){wf_box_lower(a.lower, b.lower), wf_box_upper(a.upper, b.upper)};
}

/* Touching counts. */
static inline bool wf_boxes_meet(const wf_box *a, const wf_box *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#endif
