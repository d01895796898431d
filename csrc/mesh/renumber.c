/* renumber.c - reverse Cuthill-McKee; see renumber.h. */
#include "mesh/renumber.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
    int32_t vertex_count;
    const int32_t (*faces)[3];
    int32_t *start;      /* [vertex_count + 2], the faces of v are list[start[v] .. start[v + 1]) */
    int32_t *list;       /* [3 face_count] */
    int32_t *mark;       /* [vertex_count] the last search that has seen the vertex, 0 none, -1 numbered */
    uint64_t *keys;      /* [2 largest face count of a vertex] neighbours to sort, by degree, then index */
} graph;

static int32_t degree(const graph *g, int32_t v)
{
    return g->start[v + 1] - g->start[v];
}

static wf_status build_graph(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                             graph *g)
{
    g->vertex_count = vertex_count;
    g->faces = faces;
    g->start = wf_allocate(context, (size_t)vertex_count + 2, sizeof *g->start);
    g->list = wf_allocate(context, 3 * (size_t)face_count, sizeof *g->list);
    g->mark = wf_allocate(context, (size_t)vertex_count, sizeof *g->mark);
    if (!g->start || !g->list || !g->mark) {
        return WF_ERROR_MEMORY;
    }
    /* Counted two places on, so that filling leaves each row's start in its own place. */
    for (int32_t f = 0; f < face_count; f++) {
        for (int k = 0; k < 3; k++) {
            g->start[faces[f][k] + 2]++;
        }
    }
    int32_t largest = 0;
    for (int32_t v = 0; v < vertex_count; v++) {
        largest = g->start[v + 2] > largest ? g->start[v + 2] : largest;
        g->start[v + 2] += g->start[v + 1];
    }
    for (int32_t f = 0; f < face_count; f++) {
        for (int k = 0; k < 3; k++) {
            g->list[g->start[faces[f][k] + 1]++] = f;
        }
    }
    g->keys = wf_allocate(context, 2 * (size_t)largest, sizeof *g->keys);
    return g->keys ? WF_OK : WF_ERROR_MEMORY;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Appends the component of `start` to order[0 ..) in breadth-first order, neighbours by degree; marks it. Returns how
 * many vertices it has. The last one is among the farthest. */
static int32_t search(graph *g, int32_t start, int32_t mark, int32_t *order)
{
    int32_t count = 0;
    g->mark[start] = mark;
    order[count++] = start;
    for (int32_t i = 0; i < count; i++) {
        const int32_t v = order[i];
        size_t found = 0;
        for (int32_t j = g->start[v]; j < g->start[v + 1]; j++) {
            for (int k = 0; k < 3; k++) {
                const int32_t w = g->faces[g->list[j]][k];
                if (g->mark[w] != mark) {
                    g->mark[w] = mark;
                    g->keys[found++] = (uint64_t)degree(g, w) << 32 | (uint32_t)w;
                }
            }
        }
        qsort(g->keys, found, sizeof *g->keys, compare_keys);
        for (size_t j = 0; j < found; j++) {
            order[count++] = (int32_t)(g->keys[j] & UINT32_MAX);
        }
    }
    return count;
}

/* Each component is numbered from an end of it: the far end, seen from the far end of any vertex. */
static void order_vertices(graph *g, int32_t *order)
{
    int32_t done = 0;
    for (int32_t v = 0; v < g->vertex_count; v++) {
        if (g->mark[v] < 0 || degree(g, v) == 0) {
            continue;
        }
        int32_t count = search(g, v, 1, order + done);
        count = search(g, order[done + count - 1], 2, order + done);
        count = search(g, order[done + count - 1], -1, order + done);
        done += count;
    }
    for (int32_t i = 0; i < done / 2; i++) {
        const int32_t swap = order[i];
        order[i] = order[done - 1 - i];
        order[done - 1 - i] = swap;
    }
    for (int32_t v = 0; v < g->vertex_count; v++) {
        if (degree(g, v) == 0) {
            order[done++] = v;
        }
    }
}

/* A counting sort by smallest new vertex. `new_index` and `start` are scratch of vertex_count and vertex_count + 1. */
static void order_faces(int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                        const int32_t *vertex_order, int32_t *new_index, int32_t *start, int32_t *face_order)
{
    for (int32_t i = 0; i < vertex_count; i++) {
        new_index[vertex_order[i]] = i;
    }
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t f = 0; f < face_count; f++) {
            const int32_t a = new_index[faces[f][0]], b = new_index[faces[f][1]], c = new_index[faces[f][2]];
            const int32_t smallest = a < b ? (a < c ? a : c) : (b < c ? b : c);
            if (pass == 0) {
                start[smallest + 1]++;
            } else {
                face_order[start[smallest]++] = f;
            }
        }
        for (int32_t v = 0; pass == 0 && v < vertex_count; v++) {
            start[v + 1] += start[v];
        }
    }
}

wf_status wf_renumber(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                      int32_t *vertex_order, int32_t *face_order)
{
    graph g = {0};
    wf_status status = build_graph(context, vertex_count, face_count, faces, &g);
    if (status == WF_OK) {
        order_vertices(&g, vertex_order);
        order_faces(vertex_count, face_count, faces, vertex_order, g.mark, g.start, face_order);
    }
    wf_free(context, g.start);
    wf_free(context, g.list);
    wf_free(context, g.mark);
    wf_free(context, g.keys);
    return status;
}
