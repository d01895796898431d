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
#include "contact/scene_private.h"
#include "contact/sieve.h"

/* Faces in one block of the traversal. */
enum { BLOCK_FACES = 64 };
/* The bound on the list, per face of the scene, and on the pairs looked at for each one that is kept. */
enum { MOST_CANDIDATES_PER_FACE = 48, MOST_LOOKS_PER_CANDIDATE = 8, SMALLEST_BOUND = 1 << 16 };

typedef struct rebuild {
    wf_contact_scene *scene;
    size_t most_candidates, most_looks;
    atomic_size_t candidates, looks; /* so far; only whether they end above their bounds matters, not the order */
} rebuild;

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
    int32_t face;        /* the cloth face that asks */
    pair_batch batch[2]; /* by WF_VERTEX_FACE, WF_EDGE_EDGE */
    size_t looks;
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

/* The kind of a pair of cloth primitives, or WF_PAIR_KINDS when they are not tested: they share a class, or they are
 * neighbours with a loose vertex each. */
static wf_pair_kind classify(const wf_contact_scene *scene, wf_pair_kind kind, const int32_t vertex[4])
{
    int first_count = kind == WF_EDGE_EDGE ? 2 : 1;
    bool joined = false, loose[2] = {false, false};
    for (int i = 0; i < 4; i++) {
        loose[i >= first_count] |= scene->vertex_loose[vertex[i]];
    }
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
    if (joined && loose[0] && loose[1]) {
        return WF_PAIR_KINDS;
    }
    return joined ? kind + WF_VERTEX_FACE_NEIGHBOUR : kind;
}

static void store(walker *w, wf_pair_kind kind, int32_t first, int32_t second, float distance)
{
    wf_pair_buffer *buffer = w->buffer;
    if (buffer->count < buffer->capacity) {
        buffer->items[buffer->count] = (wf_found_pair){{first, second, distance}, (int32_t)kind};
    }
    buffer->count++;
    buffer->kind_count[kind]++;
}

/* Decides about one pair whose distance is at least `distance`. */
static void judge(walker *w, wf_pair_kind kind, int32_t first, int32_t second, float distance)
{
    const wf_contact_scene *scene = w->scene;
    float reach_first = kind == WF_EDGE_EDGE ? scene->reach.edge[first] : scene->reach.vertex[first];
    float reach_second = kind == WF_EDGE_EDGE ? scene->reach.edge[second] : scene->reach.face[second];
    float reach = (reach_first + reach_second) * (1 + 2 * FLT_EPSILON) + (float)scene->margin;
    if (distance > reach) {
        return;
    }
    int32_t vertex[4];
    wf_pair_vertices(scene, kind, first, second, vertex);
    wf_pair_kind list = kind;
    if (vertex[0] < scene->cloth_count && vertex[3] < scene->cloth_count) {
        list = classify(scene, kind, vertex);
        if (list == WF_PAIR_KINDS) {
            return;
        }
    }
    store(w, list, first, second, distance);
}

static void flush(walker *w, wf_pair_kind kind)
{
    pair_batch *batch = &w->batch[kind];
    float bound[WF_LANES];
    if (kind == WF_EDGE_EDGE) {
        wf_edge_edge_bounds(&batch->lanes, bound);
    } else {
        wf_vertex_face_bounds(&batch->lanes, bound);
    }
    for (int i = 0; i < batch->count; i++) {
        judge(w, kind, batch->first[i], batch->second[i], bound[i]);
    }
    w->looks += (size_t)batch->count;
    batch->count = 0;
}

static void look_at_vertex_face(walker *w, int32_t vertex, int32_t face)
{
    const wf_contact_scene *scene = w->scene;
    const int32_t *corner = scene->faces[face];
    if (vertex == corner[0] || vertex == corner[1] || vertex == corner[2]) {
        return;
    }
    pair_batch *batch = &w->batch[WF_VERTEX_FACE];
    const wf_vec3 x[4] = {scene->reference[vertex], scene->reference[corner[0]], scene->reference[corner[1]],
                          scene->reference[corner[2]]};
    wf_lanes_set_vertex_face(&batch->lanes, batch->count, x);
    batch->first[batch->count] = vertex;
    batch->second[batch->count] = face;
    if (++batch->count == WF_LANES) {
        flush(w, WF_VERTEX_FACE);
    }
}

static void look_at_edge_edge(walker *w, int32_t first, int32_t second)
{
    const wf_contact_scene *scene = w->scene;
    const int32_t *a = scene->edges[first], *b = scene->edges[second];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
        return;
    }
    pair_batch *batch = &w->batch[WF_EDGE_EDGE];
    const wf_vec3 x[4] = {scene->reference[a[0]], scene->reference[a[1]], scene->reference[b[0]],
                          scene->reference[b[1]]};
    wf_lanes_set_edge_edge(&batch->lanes, batch->count, x);
    batch->first[batch->count] = first;
    batch->second[batch->count] = second;
    if (++batch->count == WF_LANES) {
        flush(w, WF_EDGE_EDGE);
    }
}

/* ---- the traversal ----------------------------------------------------------------------------------------------- */

/* The pairs of primitives that two faces with overlapping boxes own. */
static void visit_faces(walker *w, int32_t f, int32_t g)
{
    const wf_contact_scene *scene = w->scene;
    unsigned f_owns = scene->face_owns[f], g_owns = scene->face_owns[g];
    for (int k = 0; k < 3; k++) {
        if (f_owns & (1u << k)) {
            look_at_vertex_face(w, scene->faces[f][k], g);
        }
        if (g_owns & (1u << k)) {
            look_at_vertex_face(w, scene->faces[g][k], f);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if ((f_owns & (8u << i)) && (g_owns & (8u << j))) {
                look_at_edge_edge(w, scene->face_edges[f][i], scene->face_edges[g][j]);
            }
        }
    }
}

static bool visit_cloth(void *user, int32_t other)
{
    walker *w = user;
    visit_faces(w, w->face, other);
    return !w->stopped;
}

static bool visit_body(void *user, int32_t other)
{
    walker *w = user;
    visit_faces(w, w->face, w->scene->cloth_face_count + other);
    return !w->stopped;
}

/* Adds what the block has looked at and found since the last call to the job's totals, and stops when they are above
 * the bounds. */
static void report(walker *w, size_t *reported)
{
    rebuild *job = w->job;
    size_t found = w->buffer->count - *reported;
    *reported = w->buffer->count;
    size_t candidates = atomic_fetch_add_explicit(&job->candidates, found, memory_order_relaxed) + found;
    size_t looks = atomic_fetch_add_explicit(&job->looks, w->looks, memory_order_relaxed) + w->looks;
    w->looks = 0;
    w->stopped = candidates > job->most_candidates || looks > job->most_looks;
}

static void walk_block(void *user, size_t block, size_t begin, size_t end)
{
    rebuild *job = user;
    wf_contact_scene *scene = job->scene;
    walker w = {.job = job, .scene = scene, .buffer = &scene->buffers[block]};
    w.buffer->count = 0;
    memset(w.buffer->kind_count, 0, sizeof w.buffer->kind_count);
    size_t reported = 0;
    float padding = (float)(scene->skin + scene->margin) * (1 + 2 * FLT_EPSILON);
    for (size_t rank = begin; rank < end && !w.stopped; rank++) {
        w.face = scene->cloth_tree.order[rank];
        wf_box box = scene->boxes[w.face];
        for (int k = 0; k < 3; k++) {
            box.lower[k] -= padding + fabsf(box.lower[k]) * FLT_EPSILON;
            box.upper[k] += padding + fabsf(box.upper[k]) * FLT_EPSILON;
        }
        wf_hierarchy_query(&scene->cloth_tree, &box, (int32_t)rank + 1, visit_cloth, &w);
        wf_hierarchy_query(&scene->body_tree, &box, 0, visit_body, &w);
        if (rank + 1 == end) {
            flush(&w, WF_VERTEX_FACE);
            flush(&w, WF_EDGE_EDGE);
        }
        report(&w, &reported);
    }
}

/* ---- rebuilding -------------------------------------------------------------------------------------------------- */

static void box_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    for (size_t f = begin; f < end; f++) {
        scene->boxes[f] = wf_box_empty();
        for (int k = 0; k < 3; k++) {
            int32_t v = scene->faces[f][k];
            wf_box ball = wf_box_around(scene->reference[v], scene->travel[v] + scene->face_half[f]);
            wf_box_unite(&scene->boxes[f], &ball);
        }
    }
}

static wf_status fit_trees(wf_contact_scene *scene)
{
    bool body = scene->body_moved || !scene->trees_built;
    size_t boxes = (size_t)(body ? scene->face_count : scene->cloth_face_count);
    wf_parallel_for(scene->context, boxes, 1024, box_block, scene);
    const wf_box *body_boxes = scene->boxes + scene->cloth_face_count;
    if (!scene->trees_built) {
        wf_hierarchy_free(scene->context, &scene->cloth_tree);
        wf_status status =
            wf_hierarchy_build(scene->context, scene->cloth_face_count, scene->boxes, &scene->cloth_tree);
        if (status == WF_OK) {
            status = wf_hierarchy_build(scene->context, scene->face_count - scene->cloth_face_count, body_boxes,
                                        &scene->body_tree);
        }
        scene->trees_built = status == WF_OK;
        scene->body_moved = false;
        return status;
    }
    wf_hierarchy_refit(&scene->cloth_tree, scene->boxes);
    if (body) {
        wf_hierarchy_refit(&scene->body_tree, body_boxes);
    }
    scene->body_moved = false;
    return WF_OK;
}

static wf_status reserve_buffers(wf_contact_scene *scene, size_t blocks)
{
    if (scene->buffer_count < blocks) {
        wf_pair_buffer *buffers = wf_allocate(scene->context, blocks, sizeof *buffers);
        if (!buffers) {
            return WF_ERROR_MEMORY;
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
        if (buffer->count <= buffer->capacity) {
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

/* Joins the blocks' finds into one list of each kind, in the order of the blocks. */
static wf_status join_lists(wf_contact_scene *scene, size_t blocks)
{
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        wf_candidate_list *list = &scene->list[kind];
        list->count = 0;
        size_t count = 0;
        for (size_t b = 0; b < blocks; b++) {
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
    }
    scene->stats.candidates = 0;
    for (size_t b = 0; b < blocks; b++) {
        const wf_pair_buffer *buffer = &scene->buffers[b];
        for (size_t i = 0; i < buffer->count; i++) {
            wf_candidate_list *list = &scene->list[buffer->items[i].kind];
            list->items[list->count++] = buffer->items[i].candidate;
        }
        scene->stats.candidates += (int64_t)buffer->count;
    }
    return WF_OK;
}

wf_status wf_candidates_rebuild(wf_contact_scene *scene, bool *too_many)
{
    *too_many = false;
    size_t faces = (size_t)scene->cloth_face_count, blocks = wf_block_count(faces, BLOCK_FACES);
    wf_status status = fit_trees(scene);
    if (status == WF_OK) {
        status = reserve_buffers(scene, blocks);
    }
    if (status != WF_OK) {
        return status;
    }
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        scene->reach.vertex[i] = (float)(scene->travel[i] + 0.5 * scene->skin) * (1 + FLT_EPSILON);
    }
    wf_spread_largest(scene, &scene->reach);
    wf_measure_thickness(scene, &scene->near);
    wf_add_numbers(scene, &scene->near, &scene->reach);

    rebuild job = {.scene = scene};
    job.most_candidates = (size_t)scene->face_count * MOST_CANDIDATES_PER_FACE + SMALLEST_BOUND;
    job.most_looks = job.most_candidates * MOST_LOOKS_PER_CANDIDATE;
    bool grown = true;
    while (grown) {
        atomic_store(&job.candidates, 0);
        atomic_store(&job.looks, 0);
        wf_parallel_for(scene->context, faces, BLOCK_FACES, walk_block, &job);
        if (atomic_load(&job.candidates) > job.most_candidates || atomic_load(&job.looks) > job.most_looks) {
            *too_many = true;
            return WF_OK;
        }
        status = grow_buffers(scene, blocks, &grown);
        if (status != WF_OK) {
            return status;
        }
    }
    return join_lists(scene, blocks);
}
