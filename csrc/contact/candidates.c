/* candidates.c - the broad phase: from overlapping boxes of triangles to the list of candidate pairs.
 *
 * Every vertex and edge is owned by one of its faces, so that a pair of faces whose boxes overlap tests just the pairs
 * of primitives that it owns and no pair is met twice (the representative triangles of Curtis, Tamstorf, Manocha,
 * "Fast collision detection for deformable models using representative-triangles", 2008).
 */
#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "base/tasks.h"
#include "contact/bounds.h"
#include "contact/near_kernels.h"
#include "contact/scene_private.h"
#include "contact/sieve.h"

/* Leaves of the cloth's tree in one block of the traversal. */
enum { BLOCK_LEAVES = 8 };
/* The bound on the list, per face of the scene, and on the pairs looked at for each one that is kept. */
enum { MOST_CANDIDATES_PER_FACE = 96, MOST_LOOKS_PER_CANDIDATE = 8, SMALLEST_BOUND = 1 << 16 };

typedef struct rebuild {
    wf_contact_scene *scene;
    size_t most_candidates, most_looks;
    bool again; /* for the blocks that were cut, which are counted already */
    /* So far; only whether they end above their bounds matters, not the order. */
    atomic_size_t candidates, looks, compared;
} rebuild;

/* Pairs whose distances are bounded together. */
typedef struct pair_batch {
    int32_t first[WF_LANES], second[WF_LANES];
    int count;
    wf_pair_lanes lanes;
} pair_batch;

/* One block's traversal. */
typedef struct walker {
    rebuild *job;
    wf_contact_scene *scene;
    wf_pair_buffer *buffer;
    const wf_hierarchy *tree;            /* that is asked */
    const wf_packed_face *others;        /* its faces by rank */
    const wf_near_set *near;             /* and their primitives */
    const wf_near_kernels *kernels;
    bool body;                           /* whether that is the bodies' tree */
    int32_t begin, end;                  /* ranks of the leaf that asks */
    float margin;
    wf_rank_range leaf[WF_NEAR_MOST_FACES]; /* near it */
    int leaf_count, leaf_faces;
    wf_near_picked picked[WF_NEAR_KINDS]; /* what the leaf may meet in those */
    pair_batch batch[2];                 /* of WF_VERTEX_FACE and WF_EDGE_EDGE */
    size_t looks, compared;              /* pairs of primitives, and of boxes */
    bool stopped;
} walker;

/* ---- which pairs count ------------------------------------------------------------------------------------------- */

static bool classes_joined(const wf_contact_scene *scene, int32_t a, int32_t b)
{
    for (int32_t i = scene->class_start[a]; i < scene->class_start[a + 1]; i++) {
        if (scene->class_joined[i] == b) {
            return true;
        }
    }
    return false;
}

/* The kind of a pair of cloth primitives, or WF_PAIR_KINDS when they are not tested: they share a class, or both
 * own loose vertices. */
static wf_pair_kind classify(const wf_contact_scene *scene, wf_pair_kind kind, const int32_t vertex[4])
{
    if (!scene->any_loose && scene->vertex_piece[vertex[0]] != scene->vertex_piece[vertex[3]]) {
        return kind;
    }
    int first_count = kind == WF_EDGE_EDGE ? 2 : 1;
    bool joined = false;
    int looseness[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        int *of_primitive = &looseness[i >= first_count];
        *of_primitive = *of_primitive > scene->vertex_loose[vertex[i]] ? *of_primitive : scene->vertex_loose[vertex[i]];
    }
    int loose = looseness[0] < looseness[1] ? looseness[0] : looseness[1];
    for (int i = 0; i < first_count; i++) {
        int32_t a = scene->vertex_class[vertex[i]];
        for (int j = first_count; j < 4; j++) {
            int32_t b = scene->vertex_class[vertex[j]];
            if (a == b) {
                return WF_PAIR_KINDS;
            }
            joined = joined || classes_joined(scene, a, b);
        }
    }
    if (loose >= WF_LOOSE_TO_ALL || (joined && loose == WF_LOOSE_TO_NEIGHBOURS)) {
        return WF_PAIR_KINDS;
    }
    return joined ? kind + WF_VERTEX_FACE_NEIGHBOUR : kind;
}

static bool loose_to_bodies(const wf_contact_scene *scene, const int32_t vertex[4])
{
    for (int k = 0; k < 4; k++) {
        if (vertex[k] < scene->cloth_count && scene->vertex_loose[vertex[k]] == WF_LOOSE_TO_BODIES) {
            return true;
        }
    }
    return false;
}

wf_pair_kind wf_pair_list(const wf_contact_scene *scene, wf_pair_kind kind, int32_t first, int32_t second)
{
    int32_t vertex[4];
    wf_pair_vertices(scene, kind, first, second, vertex);
    if (vertex[0] < scene->cloth_count && vertex[3] < scene->cloth_count) {
        return classify(scene, kind, vertex);
    }
    return scene->any_loose_to_bodies && loose_to_bodies(scene, vertex) ? WF_PAIR_KINDS : kind;
}

/* The list of a pair of cloth primitives whose distance is at least `distance` and less than `reach`, or WF_PAIR_KINDS
 * for none. */
static wf_pair_kind judge_cloth(const wf_contact_scene *scene, wf_pair_kind kind, int32_t first, int32_t second,
                                float distance, float reach)
{
    wf_pair_kind list = wf_pair_list(scene, kind, first, second);
    if (list != kind && list != WF_PAIR_KINDS) {
        /* Neighbours are looked at up to their own thickness, and never let nearer than half of the others'. */
        double others = wf_pair_thickness(scene, kind, first, second);
        double excess = others - fmax(wf_pair_thickness(scene, list, first, second), 0.5 * others);
        if (distance > reach - (float)excess * (1 - FLT_EPSILON)) {
            return WF_PAIR_KINDS;
        }
    }
    return list;
}

/* m, rounded up: how much nearer than at the references the primitives of a pair come on the paths of a list by paths.
 * Vertex i is at reference_i + s half_way_i there, s from -1 to 1, all at the same s. A point of a primitive moves by a
 * mean of its vertices' ways; so no two points of the pair come nearer by more than the largest difference between the
 * half ways of a vertex of one and a vertex of the other. Layers that go together have nearly none. */
static float path_approach(const wf_contact_scene *scene, wf_pair_kind kind, int32_t first, int32_t second)
{
    int32_t vertex[4];
    wf_pair_vertices(scene, kind, first, second, vertex);
    const int of_first = kind == WF_EDGE_EDGE ? 2 : 1;
    float largest2 = 0;
    for (int i = 0; i < of_first; i++) {
        const float *a = scene->half_way[vertex[i]];
        for (int j = of_first; j < 4; j++) {
            const float *b = scene->half_way[vertex[j]];
            float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            float way2 = x * x + y * y + z * z;
            largest2 = way2 > largest2 ? way2 : largest2;
        }
    }
    return sqrtf(largest2) * (1 + 8 * FLT_EPSILON);
}

/* Settles a batch: what may come within reach goes to the block's buffer. */
static void settle(walker *w, wf_pair_kind kind)
{
    const wf_contact_scene *scene = w->scene;
    pair_batch *batch = &w->batch[kind];
    wf_pair_buffer *buffer = w->buffer;
    const float *first_reach = kind == WF_EDGE_EDGE ? scene->reach.edge : scene->reach.vertex;
    const float *second_reach = kind == WF_EDGE_EDGE ? scene->reach.edge : scene->reach.face;
    float bound[WF_LANES];
    if (kind == WF_EDGE_EDGE) {
        wf_edge_edge_bounds(&batch->lanes, batch->count, bound);
    } else {
        wf_vertex_face_bounds(&batch->lanes, batch->count, bound);
    }
    /* Which pass cannot be predicted, so they are gathered before anything is done with them. */
    int kept[WF_LANES], kept_count = 0;
    float reach[WF_LANES];
    for (int i = 0; i < batch->count; i++) {
        reach[i] = (first_reach[batch->first[i]] + second_reach[batch->second[i]] + w->margin) * (1 + 4 * FLT_EPSILON);
        kept[kept_count] = i;
        kept_count += bound[i] <= reach[i];
    }
    const float *first_near = kind == WF_EDGE_EDGE ? scene->near.edge : scene->near.vertex;
    const float *second_near = kind == WF_EDGE_EDGE ? scene->near.edge : scene->near.face;
    const float padding = w->margin + (float)scene->cover.skin;
    for (int k = 0; k < kept_count; k++) {
        int i = kept[k];
        int32_t first = batch->first[i], second = batch->second[i];
        float approach = 0, apart = bound[i] * (1 - 2 * FLT_EPSILON);
        wf_pair_kind list = kind;
        if (scene->cover.by_paths) {
            approach = path_approach(scene, kind, first, second);
            reach[i] = (first_near[first] + second_near[second] + padding + approach) * (1 + 8 * FLT_EPSILON);
            if (apart > reach[i]) {
                continue;
            }
        }
        if (!w->body) {
            list = judge_cloth(scene, kind, first, second, bound[i], reach[i]);
        } else if (scene->any_loose_to_bodies) {
            list = wf_pair_list(scene, kind, first, second);
        }
        if (list == WF_PAIR_KINDS) {
            continue;
        }
        if (buffer->count < buffer->capacity) {
            float distance = apart - scene->packing_error - approach;
            buffer->items[buffer->count] = (wf_found_pair){(uint32_t)first, list, second, distance};
        }
        buffer->count++;
        buffer->kind_count[list]++;
    }
    w->looks += (size_t)batch->count;
    batch->count = 0;
}

/* ---- the traversal ----------------------------------------------------------------------------------------------- */

static void set_difference(float component[3][WF_LANES], int lane, const float a[3], const float b[3])
{
    for (int k = 0; k < 3; k++) {
        component[k][lane] = a[k] - b[k];
    }
}

/* The corner at which edge k of a face ends. */
static int next_corner(int k)
{
    return k == 2 ? 0 : k + 1;
}

static void add_vertex_face(walker *w, const wf_packed_face *of_vertex, int corner, const wf_packed_face *face)
{
    pair_batch *batch = &w->batch[WF_VERTEX_FACE];
    int lane = batch->count++;
    const float *x = of_vertex->corner[corner];
    batch->first[lane] = of_vertex->vertex[corner];
    batch->second[lane] = face->index;
    set_difference(batch->lanes.a, lane, face->corner[0], x);
    set_difference(batch->lanes.b, lane, face->corner[1], x);
    set_difference(batch->lanes.c, lane, face->corner[2], x);
    if (batch->count == WF_LANES) {
        settle(w, WF_VERTEX_FACE);
    }
}

static void add_edge_edge(walker *w, const wf_packed_face *p, int p_edge, const wf_packed_face *q, int q_edge)
{
    pair_batch *batch = &w->batch[WF_EDGE_EDGE];
    int lane = batch->count++;
    batch->first[lane] = p->edge[p_edge];
    batch->second[lane] = q->edge[q_edge];
    set_difference(batch->lanes.a, lane, p->corner[next_corner(p_edge)], p->corner[p_edge]);
    set_difference(batch->lanes.b, lane, q->corner[next_corner(q_edge)], q->corner[q_edge]);
    set_difference(batch->lanes.c, lane, p->corner[p_edge], q->corner[q_edge]);
    if (batch->count == WF_LANES) {
        settle(w, WF_EDGE_EDGE);
    }
}

/* A primitive with the picked ones from `first` on of the kind that it asks. */
static void pair_primitive(walker *w, int kind, int32_t primitive, int32_t first)
{
    const wf_near_boxes *mine = &w->scene->cloth_near.of[WF_NEAR_KINDS - 1 - kind];
    const wf_near_picked *picked = &w->picked[kind];
    const wf_packed_face *f = &w->scene->packed[mine->source[primitive] / 4];
    int k = mine->source[primitive] % 4;
    int32_t hit[WF_NEAR_ROOM];
    int count = w->kernels->hits(picked, kind, first, mine, primitive, w->margin, hit);
    /* What belongs to a rigid body meets all of it, however fast both go. */
    bool rigid = !w->body && f->vertex[0] >= w->scene->rigid_start;
    int32_t class = rigid ? w->scene->vertex_class[f->vertex[0]] : -1;
    for (int i = 0; i < count; i++) {
        int32_t source = picked->source[hit[i]];
        const wf_packed_face *g = &w->others[source / 4];
        if (rigid && w->scene->vertex_class[g->vertex[0]] == class) {
            continue;
        }
        if (kind == WF_NEAR_EDGES) {
            add_edge_edge(w, f, k, g, source % 4);
        } else if (kind == WF_NEAR_FACES) {
            add_vertex_face(w, f, k, g);
        } else {
            add_vertex_face(w, g, source % 4, f);
        }
    }
}

/* Picks from the leaves near what the leaf that asks may meet. */
static void pick(walker *w)
{
    int32_t first_rank = w->body ? 0 : w->scene->curvature.region_end[w->begin];
    w->leaf[0].begin = w->leaf[0].begin > first_rank ? w->leaf[0].begin : first_rank;
    for (int kind = 0; kind < WF_NEAR_KINDS; kind++) {
        const wf_near_boxes *mine = &w->scene->cloth_near.of[WF_NEAR_KINDS - 1 - kind];
        wf_near_box box = wf_near_box_of(mine, mine->start[w->begin], mine->start[w->end], w->margin);
        w->kernels->pick(&w->near->of[kind], kind, w->leaf, w->leaf_count, &box, &w->picked[kind]);
        w->compared += (size_t)w->leaf_faces;
    }
}

/* Pairs what the leaf that asks owns with the leaves near, and what these own with it. */
static void pair_leaf(walker *w)
{
    if (w->leaf_count == 0) {
        return;
    }
    pick(w);
    int32_t first[WF_NEAR_KINDS] = {0, 0, 0};
    for (int32_t rank = w->begin; rank < w->end; rank++) {
        int32_t first_rank = w->body ? 0 : w->scene->curvature.region_end[rank];
        for (int kind = 0; kind < WF_NEAR_KINDS; kind++) {
            const wf_near_picked *picked = &w->picked[kind];
            while (first[kind] < picked->count && picked->source[first[kind]] / 4 < first_rank) {
                first[kind]++; /* regions do not overlap: where they end grows with the rank */
            }
            const int32_t *start = w->scene->cloth_near.of[WF_NEAR_KINDS - 1 - kind].start;
            for (int32_t primitive = start[rank]; primitive < start[rank + 1] && first[kind] < picked->count;
                 primitive++) {
                pair_primitive(w, kind, primitive, first[kind]);
                w->compared += (size_t)(picked->count - first[kind]);
            }
        }
    }
    w->leaf_count = w->leaf_faces = 0;
}

/* Notes a leaf near the one that asks. */
static bool note_leaf(void *user, int32_t leaf)
{
    walker *w = user;
    wf_rank_range range = {w->tree->leaf_begin[leaf], w->tree->leaf_begin[leaf + 1]};
    if (w->leaf_faces + range.end - range.begin > WF_NEAR_MOST_FACES) {
        pair_leaf(w);
    }
    w->leaf[w->leaf_count++] = range;
    w->leaf_faces += range.end - range.begin;
    return !w->stopped;
}

/* Asks a tree which of its faces are near the leaf that asks. */
static void ask(walker *w, const wf_hierarchy *tree, const float *volume, int32_t first_rank, bool body)
{
    w->others = w->scene->packed + (body ? w->scene->cloth_face_count : 0);
    w->near = body ? &w->scene->body_near : &w->scene->cloth_near;
    w->tree = tree;
    w->body = body;
    wf_hierarchy_query(tree, volume, first_rank, note_leaf, w);
    pair_leaf(w);
    settle(w, WF_VERTEX_FACE);
    settle(w, WF_EDGE_EDGE);
}

/* Adds what the block has looked at and found since the last call to the job's totals, and stops when they are above
 * the bounds. */
static void report(walker *w, size_t *reported)
{
    rebuild *job = w->job;
    if (job->again) {
        w->looks = w->compared = 0;
        return;
    }
    size_t found = w->buffer->count - *reported;
    *reported = w->buffer->count;
    size_t candidates = atomic_fetch_add_explicit(&job->candidates, found, memory_order_relaxed) + found;
    size_t looks = atomic_fetch_add_explicit(&job->looks, w->looks, memory_order_relaxed) + w->looks;
    /* Boxes are compared eight at a time. */
    size_t compared = atomic_fetch_add_explicit(&job->compared, w->compared / 8, memory_order_relaxed);
    w->looks = w->compared = 0;
    w->stopped = candidates > job->most_candidates || looks + compared > job->most_looks;
}

static void walk_block(void *user, size_t block, size_t begin, size_t end)
{
    rebuild *job = user;
    wf_contact_scene *scene = job->scene;
    if (job->again && !scene->buffers[block].cut) {
        return;
    }
    walker w;
    w.job = job;
    w.scene = scene;
    w.kernels = wf_near_kernels_for(scene->context);
    w.buffer = &scene->buffers[block];
    w.margin = ((float)scene->cover.margin + scene->packing_error) * (1 + 4 * FLT_EPSILON);
    w.leaf_count = w.leaf_faces = 0;
    w.batch[0].count = w.batch[1].count = 0;
    w.looks = w.compared = 0;
    w.stopped = false;
    w.buffer->count = 0;
    memset(w.buffer->kind_count, 0, sizeof w.buffer->kind_count);
    size_t reported = 0, size = 2 * (size_t)scene->slabs;
    for (size_t leaf = begin; leaf < end && !w.stopped; leaf++) {
        w.begin = scene->cloth_tree.leaf_begin[leaf];
        w.end = scene->cloth_tree.leaf_begin[leaf + 1];
        float volume[2 * WF_MOST_SLABS];
        memcpy(volume, scene->cloth_tree.leaf_volumes + leaf * size, size * sizeof *volume);
        wf_volume_inflate(scene->slabs, volume, wf_list_padding(scene));
        ask(&w, &scene->cloth_tree, volume, scene->curvature.region_end[w.begin], false);
        ask(&w, &scene->body_tree, volume, 0, true);
        report(&w, &reported);
    }
}

/* ---- rebuilding -------------------------------------------------------------------------------------------------- */

static wf_status reserve_buffers(wf_contact_scene *scene, size_t blocks)
{
    if (scene->buffer_count < blocks) {
        wf_pair_buffer *buffers = wf_allocate(scene->context, blocks, sizeof *buffers);
        if (!buffers) {
            return WF_ERROR_MEMORY;
        }
        if (scene->buffer_count > 0) { /* a tree that was made anew may have more leaves */
            memcpy(buffers, scene->buffers, scene->buffer_count * sizeof *buffers);
        }
        wf_free(scene->context, scene->buffers);
        scene->buffers = buffers;
        scene->buffer_count = blocks;
    }
    return WF_OK;
}

/* Gives every block the space it asked for; *grown tells whether any had too little. */
static wf_status grow_buffers(wf_contact_scene *scene, size_t blocks, bool *grown)
{
    *grown = false;
    for (size_t b = 0; b < blocks; b++) {
        wf_pair_buffer *buffer = &scene->buffers[b];
        buffer->cut = buffer->count > buffer->capacity;
        if (!buffer->cut) {
            continue;
        }
        *grown = true;
        size_t needed = buffer->count + buffer->count / 4;
        wf_status status =
            wf_reserve(scene->context, &buffer->items, &buffer->capacity, needed, sizeof *buffer->items);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static void join_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    for (size_t b = begin; b < end; b++) {
        const wf_pair_buffer *buffer = &scene->buffers[b];
        size_t at[WF_PAIR_KINDS];
        memcpy(at, buffer->kind_start, sizeof at);
        for (size_t i = 0; i < buffer->count; i++) {
            const wf_found_pair *pair = &buffer->items[i];
            scene->list[pair->kind].items[at[pair->kind]++] =
                (wf_candidate){(int32_t)pair->first, pair->second, pair->distance};
        }
    }
}

/* Joins the blocks' finds into one list of each kind, in the order of the blocks. */
static wf_status join_lists(wf_contact_scene *scene, size_t blocks)
{
    scene->stats.candidates = 0;
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        wf_candidate_list *list = &scene->list[kind];
        size_t count = 0;
        list->count = 0;
        for (size_t b = 0; b < blocks; b++) {
            scene->buffers[b].kind_start[kind] = count;
            count += scene->buffers[b].kind_count[kind];
        }
        wf_status status = wf_reserve(scene->context, &list->items, &list->capacity, count, sizeof *list->items);
        if (status == WF_OK) {
            status = wf_reserve(scene->context, &list->marked, &list->marked_capacity, wf_block_count(count, 64),
                                sizeof *list->marked);
        }
        if (status != WF_OK) {
            return status;
        }
        list->count = count;
        scene->stats.candidates += (int64_t)count;
    }
    wf_parallel_for(scene->context, blocks, 16, join_block, scene);
    return WF_OK;
}

int64_t wf_most_candidates(const wf_contact_scene *scene)
{
    return (int64_t)scene->face_count * MOST_CANDIDATES_PER_FACE + SMALLEST_BOUND;
}

wf_status wf_candidates_rebuild(wf_contact_scene *scene, int64_t most, bool *too_many)
{
    *too_many = false;
    if (scene->cloth_face_count == 0) {
        return WF_OK;
    }
    double start = wf_clock_seconds();
    wf_status status = wf_fit_trees(scene);
    scene->stats.tree_seconds += wf_clock_seconds() - start;
    size_t blocks = wf_block_count((size_t)scene->cloth_tree.leaf_count, BLOCK_LEAVES);
    if (status == WF_OK) {
        status = reserve_buffers(scene, blocks);
    }
    if (status != WF_OK) {
        return status;
    }
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        scene->reach.vertex[i] = (float)(scene->travel[i] + 0.5 * scene->cover.skin) * (1 + FLT_EPSILON);
    }
    wf_spread_largest(scene, &scene->reach);
    wf_measure_thickness(scene, &scene->near);
    wf_add_numbers(scene, &scene->near, &scene->reach);
    wf_near_reach reach = {scene->reach.face, scene->reach.edge, scene->reach.vertex};
    wf_near_update(scene->context, &scene->cloth_near, scene->packed, &reach);
    wf_near_update(scene->context, &scene->body_near, scene->packed + scene->cloth_face_count, &reach);
    wf_curvature_find_regions(scene);
    scene->stats.regions = scene->curvature.regions;
    scene->stats.region_faces = scene->curvature.faces;

    rebuild job = {.scene = scene};
    job.most_candidates = (size_t)most;
    job.most_looks = (size_t)wf_most_candidates(scene) * MOST_LOOKS_PER_CANDIDATE;
    wf_parallel_for(scene->context, (size_t)scene->cloth_tree.leaf_count, BLOCK_LEAVES, walk_block, &job);
    if (atomic_load(&job.candidates) > job.most_candidates ||
        atomic_load(&job.looks) + atomic_load(&job.compared) > job.most_looks) {
        *too_many = true;
        return WF_OK;
    }
    scene->stats.tested_pairs = (int64_t)atomic_load(&job.looks);
    bool grown;
    status = grow_buffers(scene, blocks, &grown);
    if (status == WF_OK && grown) {
        job.again = true;
        wf_parallel_for(scene->context, (size_t)scene->cloth_tree.leaf_count, BLOCK_LEAVES, walk_block, &job);
    }
    if (status != WF_OK) {
        return status;
    }
    return join_lists(scene, blocks);
}
