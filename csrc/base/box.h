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

/* Coordinates that are not numbers are left out. By comparisons: fmin and fmax are calls. */
static inline void wf_box_include(wf_box *box, wf_vec3 point)
{
    box->lower.x = point.x < box->lower.x ? point.x : box->lower.x;
    box->lower.y = point.y < box->lower.y ? point.y : box->lower.y;
    box->lower.z = point.z < box->lower.z ? point.z : box->lower.z;
    box->upper.x = point.x > box->upper.x ? point.x : box->upper.x;
    box->upper.y = point.y > box->upper.y ? point.y : box->upper.y;
    box->upper.z = point.z > box->upper.z ? point.z : box->upper.z;
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
    a.lower.x = b.lower.x < a.lower.x ? b.lower.x : a.lower.x;
    a.lower.y = b.lower.y < a.lower.y ? b.lower.y : a.lower.y;
    a.lower.z = b.lower.z < a.lower.z ? b.lower.z : a.lower.z;
    a.upper.x = b.upper.x > a.upper.x ? b.upper.x : a.upper.x;
    a.upper.y = b.upper.y > a.upper.y ? b.upper.y : a.upper.y;
    a.upper.z = b.upper.z > a.upper.z ? b.upper.z : a.upper.z;
    return a;
}

/* Touching counts. */
static inline bool wf_boxes_meet(const wf_box *a, const wf_box *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#endif
