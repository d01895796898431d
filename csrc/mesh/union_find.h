/* union_find.h - disjoint sets of indices over a plain int32 array.
 *
 * The representative of a set is always its smallest member, whatever the order of the unions, so results do not
 * depend on how pairs were listed. Path halving (Tarjan and van Leeuwen, 1984) keeps finds logarithmic.
 */
#ifndef WEFT_MESH_UNION_FIND_H
#define WEFT_MESH_UNION_FIND_H

#include <stdint.h>

/* Makes `count` sets of one member each. */
static inline void wf_union_find_reset(int32_t *parent, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        parent[i] = i;
    }
}

/* The smallest member of the set that holds `i`. */
static inline int32_t wf_union_find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Joins the sets of `a` and `b`. */
static inline void wf_union_find_join(int32_t *parent, int32_t a, int32_t b)
{
    a = wf_union_find_root(parent, a);
    b = wf_union_find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

#endif
